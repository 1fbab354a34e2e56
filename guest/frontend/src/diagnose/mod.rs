//! Finds CPython's error in a source that the parser refused.
//!
//! CPython parses a wrong source twice. The first time it only learns how far a parser can get:
//! the furthest token it looked at is where a plain "invalid syntax" is reported. The second time
//! its grammar has extra alternatives that match common mistakes and report them in better words.
//! Which of them is met first depends on the order in which alternatives are tried.
//!
//! This room does the same with a recogniser of its own: recursive descent over the scanner's
//! tokens with backtracking, remembering the results for expressions so that it stays linear. It
//! builds no tree, only [`node::Node`]s that know enough for messages such as "cannot assign to
//! function call". It runs only when a source is known to be wrong.
//!
//! * [`cursor`]: tokens, backtracking, raising
//! * [`expression`], [`atom`], [`call`], [`comprehension`], [`text`], [`parameters`]: expressions
//! * [`simple`], [`import`], [`compound`], [`pattern`]: statements

mod atom;
mod call;
mod compound;
mod comprehension;
mod cursor;
mod expression;
mod import;
mod node;
mod parameters;
mod pattern;
mod simple;
mod text;

use crate::error::{ErrorKind, SyntaxError};
use crate::scan::{Open, Scan, ScanError, Tok, Token};
use crate::source::LineIndex;
use cursor::{Halt, Parser, Place, Raised};

/// What the source is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Statements.
    Module,
    /// One expression.
    Expression,
}

/// How deeply a source may nest for the recogniser to look at it: it needs more stack than the
/// parser.
const MAX_NESTING: usize = 120;

/// The error of a scanned source; `None` if the recogniser has nothing against it.
pub(crate) fn diagnose(
    scan: &Scan,
    nesting: usize,
    lines: &LineIndex,
    goal: Goal,
) -> Option<SyntaxError> {
    if nesting > MAX_NESTING {
        return unfinished(scan, lines, scan.tokens.len().saturating_sub(1));
    }
    let mut parser = Parser::new(lines.source(), &scan.tokens);
    let halt = parser.run(goal).err()?;
    let last_token = parser.furthest();
    if let Some(error) = unfinished(scan, lines, last_token) {
        return Some(error);
    }
    if let Halt::Raised(raised) = halt {
        return Some(resolve(scan, lines, *raised, parser.furthest()));
    }
    parser.begin_second_pass();
    let halt = parser.run(goal).err();
    if let Some(Halt::Raised(raised)) = halt {
        let furthest = parser.furthest();
        return Some(
            unfinished(scan, lines, furthest)
                .unwrap_or_else(|| resolve(scan, lines, *raised, furthest)),
        );
    }
    let furthest = parser.furthest();
    Some(
        unfinished(scan, lines, furthest)
            .unwrap_or_else(|| generic(scan, lines, last_token, furthest)),
    )
}

/// The error of a source with a lexical error: that one, unless an unexpected indentation comes
/// before it. Nothing after that is read.
pub(crate) fn diagnose_lexical(
    scan: &Scan,
    nesting: usize,
    error: &ScanError,
    lines: &LineIndex,
) -> SyntaxError {
    let lexical = || scan_error(error, lines);
    if nesting > MAX_NESTING {
        return lexical();
    }
    let mut parser = Parser::new(lines.source(), &scan.tokens);
    if !matches!(parser.run(Goal::Module), Err(Halt::NoMatch)) {
        return lexical();
    }
    let last = parser.furthest();
    let kind = scan.tokens.get(last).map_or(Tok::Error, |token| token.kind);
    if !matches!(kind, Tok::Indent | Tok::Dedent) {
        return lexical();
    }
    parser.begin_second_pass();
    if !matches!(parser.run(Goal::Module), Err(Halt::NoMatch)) {
        return lexical();
    }
    generic(scan, lines, last, parser.furthest())
}

/// The error in the scanner's last token, if the recogniser has looked at it.
fn unfinished(scan: &Scan, lines: &LineIndex, furthest: usize) -> Option<SyntaxError> {
    let token = scan.tokens.get(furthest)?;
    match token.kind {
        Tok::OpenEnd => scan.open.last().map(|open| never_closed(lines, *open)),
        Tok::Error => scan
            .late_error
            .as_ref()
            .map(|error| scan_error(error, lines)),
        _ => None,
    }
}

/// "Invalid syntax" at the furthest token of the first pass.
fn generic(scan: &Scan, lines: &LineIndex, last: usize, furthest: usize) -> SyntaxError {
    let kind = scan.tokens.get(last).map_or(Tok::End, |token| token.kind);
    let (kind, message, place) = match kind {
        Tok::Indent => (
            ErrorKind::Indentation,
            "unexpected indent",
            Place::LastToken,
        ),
        Tok::Dedent => (
            ErrorKind::Indentation,
            "unexpected unindent",
            Place::LastToken,
        ),
        _ => (ErrorKind::Syntax, "invalid syntax", Place::Token(last)),
    };
    let raised = Raised {
        kind,
        message: message.to_owned(),
        place,
    };
    if kind == ErrorKind::Indentation {
        return place_error(scan, lines, raised, furthest);
    }
    resolve(scan, lines, raised, furthest)
}

/// Places an error, unless a bracket that was opened on an earlier line is still open at the end:
/// then that is the likelier mistake.
fn resolve(scan: &Scan, lines: &LineIndex, raised: Raised, furthest: usize) -> SyntaxError {
    let at_end = scan
        .tokens
        .last()
        .is_some_and(|token| token.kind == Tok::OpenEnd);
    if at_end && let Some(open) = scan.open.last() {
        let token_line = scan
            .tokens
            .get(furthest)
            .map_or(0, |token| lines.line(token.start as usize));
        if token_line > lines.line(open.offset) {
            return never_closed(lines, *open);
        }
    }
    place_error(scan, lines, raised, furthest)
}

/// Turns offsets into lines and columns, with CPython's ways of counting for the odd cases.
fn place_error(scan: &Scan, lines: &LineIndex, raised: Raised, furthest: usize) -> SyntaxError {
    let Raised {
        kind,
        message,
        place,
    } = raised;
    let last = scan.tokens.get(furthest).copied();
    match place {
        Place::Range(start, end) => {
            SyntaxError::at(kind, message, lines, start as usize, end as usize)
        }
        Place::Token(index) => match scan.tokens.get(index).copied() {
            Some(token) if is_zero_width(token) => {
                let mut error = at_blank(kind, message, lines, token);
                error.column = 0;
                error.end_column = 0;
                error
            }
            Some(token) => at_token(kind, message, lines, token),
            None => SyntaxError::at(kind, message, lines, 0, 0),
        },
        Place::From(start) => {
            let end = last.map_or(start, |token| token.end) as usize;
            let mut error = SyntaxError::at(kind, message, lines, start as usize, end);
            // The end is where the line has been read to, a line end included.
            let last_start = last.map_or(end, |token| token.start as usize);
            let line = lines.line(last_start);
            let read = end - lines.start(line).min(end);
            error.end_line = line;
            error.end_column = i32::try_from(read).unwrap_or(i32::MAX);
            error
        }
        Place::NoEnd(start) => {
            let mut error = SyntaxError::at(kind, message, lines, start as usize, start as usize);
            error.end_column = 0;
            error
        }
        Place::LastToken => match last {
            Some(token) if is_zero_width(token) => at_blank(kind, message, lines, token),
            Some(token) => at_token(kind, message, lines, token),
            None => SyntaxError::at(kind, message, lines, 0, 0),
        },
    }
}

/// An error at a token; a line end counts as one character of its line.
fn at_token(kind: ErrorKind, message: String, lines: &LineIndex, token: Token) -> SyntaxError {
    let (start, end) = (token.start as usize, token.end as usize);
    if token.kind != Tok::Newline {
        return SyntaxError::at(kind, message, lines, start, end);
    }
    let before_end = end.saturating_sub(1).max(start);
    let mut error = SyntaxError::at(kind, message, lines, start, before_end);
    error.end_column += 1;
    error
}

/// Whether the token stands for a change of indentation or the end: it has no column of its own.
fn is_zero_width(token: Token) -> bool {
    matches!(token.kind, Tok::Indent | Tok::Dedent | Tok::End)
}

/// An error at a token without a column: the column is how far the line has been read.
fn at_blank(kind: ErrorKind, message: String, lines: &LineIndex, token: Token) -> SyntaxError {
    let offset = token.start as usize;
    let at_end = offset >= lines.source().len();
    let mut line = lines.line(offset);
    let column = if at_end {
        // The line end belongs to the line that was read last.
        if lines.text(line).is_empty() && line > 1 {
            line -= 1;
        }
        lines.text(line).chars().count() + 1
    } else {
        offset - lines.start(line)
    };
    SyntaxError {
        kind,
        message,
        line,
        column: u32::try_from(column).unwrap_or(u32::MAX),
        end_line: line,
        end_column: -1,
        text: Some(lines.text_with_newline(line)),
    }
}

/// `'(' was never closed`
pub(crate) fn never_closed(lines: &LineIndex, open: Open) -> SyntaxError {
    let message = format!("'{}' was never closed", char::from(open.bracket));
    let mut error = SyntaxError::at(ErrorKind::Syntax, message, lines, open.offset, open.offset);
    error.end_column = 0;
    error.text = Some(lines.text(error.line).to_owned());
    error
}

/// A lexical error in its final form.
pub(crate) fn scan_error(error: &ScanError, lines: &LineIndex) -> SyntaxError {
    let line = lines.line(error.line_offset);
    SyntaxError {
        kind: error.kind,
        message: error.message.clone(),
        line,
        column: error.column,
        end_line: line,
        end_column: error.end_column,
        text: Some(if error.with_newline {
            lines.text_with_newline(line)
        } else {
            lines.text(line).to_owned()
        }),
    }
}
