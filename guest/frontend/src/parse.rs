//! Runs the parser and decides between the tree and the error.

use rustpython_ast::{ModExpression, ModModule, PythonVersion};
use rustpython_parser::{Mode, ParseOptions, Parsed, parse_unchecked};

use crate::diagnose::{Goal, diagnose, diagnose_lexical};
use crate::error::{ErrorKind, SyntaxError};
use crate::scan::{Scan, Tok, scan};
use crate::source::{LineIndex, check_null};

/// A parsed module.
#[derive(Debug, Clone)]
pub struct Module {
    /// The tree.
    pub ast: ModModule,
    /// The source and its lines.
    pub lines: LineIndex,
}

/// A parsed expression, as `eval()` takes it.
#[derive(Debug, Clone)]
pub struct Expression {
    /// The tree.
    pub ast: ModExpression,
    /// The source and its lines.
    pub lines: LineIndex,
}

/// Parses the statements of `source`, as `exec()` takes them.
pub fn parse_module(source: &str) -> Result<Module, SyntaxError> {
    let lines = prepare(source)?;
    let scan = checked_scan(&lines, Goal::Module)?;
    let parsed = parse_unchecked(lines.source(), options(Mode::Module)).try_into_module();
    let ast = finish(parsed, &scan, &lines, Goal::Module)?;
    Ok(Module { ast, lines })
}

/// Parses the single expression of `source`, as `eval()` takes it: blanks before it are skipped.
pub fn parse_expression(source: &str) -> Result<Expression, SyntaxError> {
    let lines = prepare(source.trim_start_matches([' ', '\t']))?;
    let scan = checked_scan(&lines, Goal::Expression)?;
    let parsed = parse_unchecked(lines.source(), options(Mode::Expression)).try_into_expression();
    let ast = finish(parsed, &scan, &lines, Goal::Expression)?;
    Ok(Expression { ast, lines })
}

fn options(mode: Mode) -> ParseOptions {
    ParseOptions::from(mode).with_target_version(PythonVersion {
        major: 3,
        minor: 14,
    })
}

/// What is checked before the source is scanned.
fn prepare(source: &str) -> Result<LineIndex, SyntaxError> {
    check_null(source)?;
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    Ok(LineIndex::new(source))
}

/// Scans the source; gives its error if the scanner alone knows it.
fn checked_scan(lines: &LineIndex, goal: Goal) -> Result<Scan, SyntaxError> {
    let scan = scan(lines.source());
    if let Some(error) = &scan.error {
        return Err(diagnose_lexical(&scan, error, lines));
    }
    let last = scan.tokens.last().map_or(Tok::End, |token| token.kind);
    if last != Tok::End {
        return Err(explain(&scan, lines, goal, 0, 0));
    }
    Ok(scan)
}

/// The tree, or the error.
fn finish<T>(
    parsed: Option<Parsed<T>>,
    scan: &Scan,
    lines: &LineIndex,
    goal: Goal,
) -> Result<T, SyntaxError> {
    let Some(parsed) = parsed else {
        return Err(explain(scan, lines, goal, 0, 0));
    };
    let range = parsed
        .errors()
        .first()
        .map(|error| error.location)
        .or_else(|| {
            parsed
                .unsupported_syntax_errors()
                .first()
                .map(|error| error.range)
        });
    if let Some(range) = range {
        let (start, end) = (range.start().to_usize(), range.end().to_usize());
        return Err(explain(scan, lines, goal, start, end));
    }
    Ok(parsed.into_syntax())
}

/// CPython's error for a source that is known to be wrong; the range is the parser's opinion, for
/// the case that nothing better is found.
fn explain(scan: &Scan, lines: &LineIndex, goal: Goal, start: usize, end: usize) -> SyntaxError {
    diagnose(scan, lines, goal)
        .unwrap_or_else(|| SyntaxError::at(ErrorKind::Syntax, "invalid syntax", lines, start, end))
}
