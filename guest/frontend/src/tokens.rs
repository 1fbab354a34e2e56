//! The tokens of a source as Python's `tokenize` shows them: comments and insignificant line ends included.
//!
//! The scanner leaves both out. They can only stand between its tokens, so the gaps are read again here.

use crate::diagnose::scan_error;
use crate::error::SyntaxError;
use crate::scan::{Scan, Tok, scan};
use crate::source::{LineIndex, check_null};

/// What a token is, in the words of the module `token`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Name,
    /// A number.
    Number,
    /// A string or bytes literal.
    String,
    /// The opening of an f-string.
    FStringStart,
    /// Literal text in an f-string.
    FStringMiddle,
    /// The closing quotes of an f-string.
    FStringEnd,
    /// The opening of a t-string.
    TStringStart,
    /// Literal text in a t-string.
    TStringMiddle,
    /// The closing quotes of a t-string.
    TStringEnd,
    /// The end of a logical line.
    Newline,
    /// More indentation.
    Indent,
    /// Less indentation.
    Dedent,
    /// An operator or delimiter.
    Op,
    /// A comment.
    Comment,
    /// A line end that ends no logical line.
    Nl,
    /// The end.
    End,
    /// A character that begins no token.
    Error,
}

/// A token and its place in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Lexeme {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
}

/// All tokens of a source, and the error that ends them, if there is one.
pub struct Lexemes {
    /// The tokens, in order.
    pub tokens: Vec<Lexeme>,
    /// Why there are no more.
    pub error: Option<SyntaxError>,
    /// The text and its lines.
    pub lines: LineIndex,
}

/// Reads the tokens of `source`.
pub fn lexemes(source: &str) -> Lexemes {
    let lines = LineIndex::new(source);
    let mut all = Lexemes {
        tokens: Vec::new(),
        error: check_null(source).err(),
        lines,
    };
    if all.error.is_some() {
        return all;
    }
    let scanned = scan(source);
    collect(source, &scanned, &mut all.tokens);
    if let Some(error) = scanned.error.as_ref().or(scanned.late_error.as_ref()) {
        all.error = Some(scan_error(error, &all.lines));
    } else if scanned
        .tokens
        .last()
        .is_some_and(|token| token.kind == Tok::OpenEnd)
    {
        let last = all.lines.line_count() - u32::from(source.ends_with(['\n', '\r']));
        all.error = Some(SyntaxError {
            kind: crate::error::ErrorKind::Syntax,
            message: "unexpected EOF in multi-line statement".to_owned(),
            line: last,
            column: 0,
            end_line: last,
            end_column: 0,
            text: Some(String::new()),
        });
    }
    all
}

/// The places of the comments of a source, in order.
pub fn comments(source: &str) -> Vec<(usize, usize)> {
    lexemes(source)
        .tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Comment)
        .map(|token| (token.start, token.end))
        .collect()
}

fn collect(source: &str, scanned: &Scan, out: &mut Vec<Lexeme>) {
    let mut at = 0;
    // Letters of the f-strings and t-strings that are open.
    let mut strings: Vec<bool> = Vec::new();
    for token in &scanned.tokens {
        let (start, end) = (token.start as usize, token.end as usize);
        gap(source, at, start.min(source.len()), out);
        let kind = match token.kind {
            Tok::Newline => {
                // The scanner counts a comment to the line end behind it.
                let text = source.get(start..).unwrap_or_default();
                let to_end = text.find(['\n', '\r']).unwrap_or(text.len());
                let comment = start + to_end;
                if text.starts_with('#') {
                    out.push(Lexeme {
                        kind: TokenKind::Comment,
                        start,
                        end: comment,
                    });
                }
                let width = match source.as_bytes().get(comment) {
                    Some(b'\r') if source.as_bytes().get(comment + 1) == Some(&b'\n') => 2,
                    Some(_) => 1,
                    None => 0,
                };
                let from = if text.starts_with('#') {
                    comment
                } else {
                    start
                };
                out.push(Lexeme {
                    kind: TokenKind::Newline,
                    start: from,
                    end: from + width,
                });
                at = at.max(from + width);
                continue;
            }
            Tok::Indent => {
                // The scanner marks its end.
                let line = source.get(..start).unwrap_or_default();
                let from = line.rfind(['\n', '\r']).map_or(0, |at| at + 1);
                out.push(Lexeme {
                    kind: TokenKind::Indent,
                    start: from,
                    end: start,
                });
                at = at.max(end);
                continue;
            }
            Tok::Dedent => TokenKind::Dedent,
            Tok::End => {
                // A comment in the last line, without a line end behind it, gets one.
                if out
                    .last()
                    .is_some_and(|last| last.kind == TokenKind::Comment)
                {
                    out.push(Lexeme {
                        kind: TokenKind::Nl,
                        start: source.len(),
                        end: source.len(),
                    });
                }
                TokenKind::End
            }
            Tok::OpenEnd | Tok::Error => return,
            Tok::Unknown => TokenKind::Error,
            Tok::Number => TokenKind::Number,
            Tok::String => TokenKind::String,
            Tok::FStart => {
                let text = source.get(start..end).unwrap_or_default();
                let template = text
                    .bytes()
                    .take_while(u8::is_ascii_alphabetic)
                    .any(|b| b.eq_ignore_ascii_case(&b't'));
                strings.push(template);
                if template {
                    TokenKind::TStringStart
                } else {
                    TokenKind::FStringStart
                }
            }
            Tok::FMiddle => {
                at = at.max(end);
                // Between a nested field and the end of a specifier stands an empty text.
                let bytes = source.as_bytes();
                let closes = start > 0 && bytes[start - 1] == b'}' && bytes.get(end) == Some(&b'}');
                if start == end && !closes {
                    continue;
                }
                if strings.last() == Some(&true) {
                    TokenKind::TStringMiddle
                } else {
                    TokenKind::FStringMiddle
                }
            }
            Tok::FEnd => {
                if strings.pop() == Some(true) {
                    TokenKind::TStringEnd
                } else {
                    TokenKind::FStringEnd
                }
            }
            other => {
                let text = source.get(start..end).unwrap_or_default();
                if other == Tok::Name || text.starts_with(|c: char| c.is_alphabetic()) {
                    TokenKind::Name
                } else {
                    TokenKind::Op
                }
            }
        };
        out.push(Lexeme { kind, start, end });
        at = at.max(end);
    }
}

/// Comments and line ends between two tokens.
fn gap(source: &str, from: usize, to: usize, out: &mut Vec<Lexeme>) {
    let bytes = source.as_bytes();
    let mut at = from;
    while at < to {
        match bytes[at] {
            b'#' => {
                let start = at;
                while at < to && bytes[at] != b'\n' && bytes[at] != b'\r' {
                    at += 1;
                }
                out.push(Lexeme {
                    kind: TokenKind::Comment,
                    start,
                    end: at,
                });
            }
            b'\\' => {
                // A continued line: its end is no token.
                at += 1;
                if bytes.get(at) == Some(&b'\r') {
                    at += 1;
                }
                if bytes.get(at) == Some(&b'\n') {
                    at += 1;
                }
            }
            b'\n' | b'\r' => {
                let start = at;
                if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                    at += 1;
                }
                at += 1;
                out.push(Lexeme {
                    kind: TokenKind::Nl,
                    start,
                    end: at,
                });
            }
            _ => at += 1,
        }
    }
}
