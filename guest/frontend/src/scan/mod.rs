//! The scanner: text to tokens, with CPython's lexical errors.
//!
//! The parser has a lexer of its own, but it reports other errors at other places and keeps its
//! token positions to itself. This one is run first, on every source. It gives
//!
//! * the lexical error, if there is one that wins over any error of grammar (most do: CPython
//!   reads the rest of the file before it settles for a plain "invalid syntax");
//! * the tokens, from which [`crate::limits`] bounds the depth of the tree before the recursive
//!   parser sees the source, and in which [`crate::diagnose`] looks for the error of grammar.
//!
//! The rules are those of the language reference, chapter "Lexical analysis".

mod number;
mod operator;
mod string;
mod token;

pub(crate) use token::{Tok, Token};

use crate::error::ErrorKind;

/// How many brackets may be open at once.
const MAX_BRACKETS: usize = 200;
/// How many indentation levels there may be, the outermost one included.
const MAX_INDENTS: usize = 100;

/// A lexical error.
#[derive(Debug, Clone)]
pub(crate) struct ScanError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    /// Offset of a byte in the line that is reported.
    pub(crate) line_offset: usize,
    /// The reported column, already as Python reports it.
    pub(crate) column: u32,
    /// The reported end column.
    pub(crate) end_column: i32,
    /// Whether the line is quoted with its line end.
    pub(crate) with_newline: bool,
}

/// A bracket that is open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    pub(crate) bracket: u8,
    pub(crate) offset: usize,
}

/// What the scanner found.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// The tokens; the last one is `End`, `OpenEnd` or `Error`.
    pub(crate) tokens: Vec<Token>,
    /// An error that wins over every error of grammar but an unexpected indentation before it.
    pub(crate) error: Option<ScanError>,
    /// What the final `Error` token stands for.
    pub(crate) late_error: Option<ScanError>,
    /// The brackets that are still open at the end.
    pub(crate) open: Vec<Open>,
}

/// Scans `source`.
pub(crate) fn scan(source: &str) -> Scan {
    let mut scanner = Scanner {
        bytes: source.as_bytes(),
        source,
        at: 0,
        line_start: 0,
        tokens: Vec::with_capacity(source.len() / 4 + 8),
        open: Vec::new(),
        indents: vec![Indent { column: 0, alt: 0 }],
        modes: Vec::new(),
    };
    let mut result = Scan::default();
    match scanner.run() {
        Ok(()) => {}
        Err(stop) => {
            let at = scanner.at.min(source.len());
            scanner.push(Tok::Error, at, at);
            match stop {
                // Within an f-string such an error must be reached by the grammar, too.
                Stop::Early(error) if scanner.modes.is_empty() => result.error = Some(*error),
                Stop::Early(error) => result.late_error = Some(*error),
                Stop::Late(error) => result.late_error = Some(*error),
            }
        }
    }
    result.tokens = scanner.tokens;
    result.open = scanner.open;
    result
}

/// Why scanning ended early.
enum Stop {
    /// An error that always wins.
    Early(Box<ScanError>),
    /// An error that counts only if the grammar finds none before it.
    Late(Box<ScanError>),
}

type Step<T> = Result<T, Stop>;

/// One level of indentation, measured twice: with tabs as 8 columns and with tabs as 1. Two lines
/// whose order differs between the measures are inconsistent.
#[derive(Clone, Copy)]
struct Indent {
    column: usize,
    alt: usize,
}

/// An f-string or t-string that is being read.
struct Mode {
    quote: u8,
    triple: bool,
    raw: bool,
    /// `f` or `t`, for messages.
    letter: char,
    /// Offset of its first byte.
    start: usize,
    /// Offset of its first line.
    line_start: usize,
    /// The number of open brackets outside of every replacement field that is being read; the
    /// last one belongs to the innermost field.
    fields: Vec<usize>,
    /// Whether literal text (not an expression) comes next.
    in_text: bool,
    /// Whether that text is a format specifier.
    in_spec: bool,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    source: &'a str,
    /// Offset of the next byte.
    at: usize,
    /// Offset of the first byte of the current line.
    line_start: usize,
    tokens: Vec<Token>,
    open: Vec<Open>,
    indents: Vec<Indent>,
    modes: Vec<Mode>,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: Tok, start: usize, end: usize) {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.tokens.push(Token {
            kind,
            level: u8::try_from(self.open.len()).unwrap_or(u8::MAX),
            start: offset(start),
            end: offset(end),
        });
    }

    /// Characters between the start of the current line and `at`.
    fn column(&self, at: usize) -> u32 {
        let text = self.source.get(self.line_start..at).unwrap_or_default();
        u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
    }

    /// An error whose column is the number of characters before `at`: the column, counted from 1,
    /// of the last character that was read.
    fn error_at(&self, at: usize, message: impl Into<String>) -> Stop {
        let column = self.column(at);
        Stop::Early(Box::new(ScanError {
            kind: ErrorKind::Syntax,
            message: message.into(),
            line_offset: self.line_start,
            column,
            end_column: i32::try_from(column).unwrap_or(i32::MAX),
            with_newline: false,
        }))
    }

    /// An error that is reported only if the grammar gets this far.
    fn late(&self, kind: ErrorKind, message: &str, column: u32, end_column: i32) -> Stop {
        Stop::Late(Box::new(ScanError {
            kind,
            message: message.to_owned(),
            line_offset: self.line_start,
            column,
            end_column,
            with_newline: true,
        }))
    }

    /// Steps over a line end (`\n`, `\r\n` or `\r`) at the current place.
    fn skip_newline(&mut self) {
        if self.peek() == Some(b'\r') && self.peek_at(1) == Some(b'\n') {
            self.at += 1;
        }
        self.at += 1;
        self.line_start = self.at;
    }

    fn run(&mut self) -> Step<()> {
        let mut at_line_start = true;
        // Where the comment on the current line begins: its line end begins there too.
        let mut comment = None;
        loop {
            if self.modes.last().is_some_and(|mode| mode.in_text) {
                self.interpolated_text()?;
                continue;
            }
            if at_line_start {
                at_line_start = false;
                self.indentation()?;
            }
            self.blanks()?;
            let Some(byte) = self.peek() else { break };
            match byte {
                b'#' => {
                    comment = Some(self.at);
                    while !matches!(self.peek(), None | Some(b'\n' | b'\r')) {
                        self.at += 1;
                    }
                }
                b'\n' | b'\r' => {
                    let start = comment.take().unwrap_or(self.at);
                    let blank = self.tokens.last().is_none_or(|token| {
                        matches!(token.kind, Tok::Newline | Tok::Indent | Tok::Dedent)
                    });
                    if self.open.is_empty() && !blank {
                        self.push(Tok::Newline, start, self.at + 1);
                    }
                    self.skip_newline();
                    at_line_start = self.open.is_empty();
                }
                _ => self.token(byte)?,
            }
        }
        self.finish(comment);
        Ok(())
    }

    /// The tokens at the end of the source, whose last line may have a comment.
    fn finish(&mut self, comment: Option<usize>) {
        let end = self.at;
        if !self.open.is_empty() {
            self.push(Tok::OpenEnd, end, end);
            return;
        }
        if self
            .tokens
            .last()
            .is_some_and(|token| !matches!(token.kind, Tok::Newline | Tok::Dedent))
        {
            self.push(Tok::Newline, comment.unwrap_or(end), end + 1);
        }
        while self.indents.len() > 1 {
            self.indents.pop();
            self.push(Tok::Dedent, end, end);
        }
        self.push(Tok::End, end, end);
    }

    /// Skips blanks and continued lines.
    fn blanks(&mut self) -> Step<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | 0x0c) => self.at += 1,
                Some(b'\\') => self.continuation()?,
                _ => return Ok(()),
            }
        }
    }

    /// Steps over a backslash and the line end that must follow it.
    fn continuation(&mut self) -> Step<()> {
        match self.peek_at(1) {
            Some(b'\n' | b'\r') => {
                self.at += 1;
                let line = self.line_start;
                self.skip_newline();
                if self.at == self.bytes.len() {
                    return Err(self.unexpected_end(line));
                }
                Ok(())
            }
            None => {
                self.at += 1;
                Err(self.unexpected_end(self.line_start))
            }
            Some(_) => {
                let column = self.column(self.at) + 2;
                let message = "unexpected character after line continuation character";
                // The column is that of the character after the backslash.
                let error = self.late(ErrorKind::Syntax, message, column, 0);
                self.at += 1;
                Err(error)
            }
        }
    }

    /// The source ends after a backslash in the line that starts at `line`.
    fn unexpected_end(&mut self, line: usize) -> Stop {
        if !self.open.is_empty() {
            let end = self.bytes.len();
            self.at = end;
            self.push(Tok::OpenEnd, end, end);
        }
        self.line_start = line;
        let column = self.line_length() + 1;
        self.late(
            ErrorKind::Syntax,
            "unexpected EOF while parsing",
            column,
            -1,
        )
    }

    /// Reads the blanks at the start of a line and compares them with the open blocks.
    fn indentation(&mut self) -> Step<()> {
        let (mut column, mut alt) = (0usize, 0usize);
        let mut continued = None;
        loop {
            match self.peek() {
                Some(b' ') => {
                    column += 1;
                    alt += 1;
                    self.at += 1;
                }
                Some(b'\t') => {
                    column = (column / 8 + 1) * 8;
                    alt += 1;
                    self.at += 1;
                }
                Some(0x0c) => {
                    column = 0;
                    alt = 0;
                    self.at += 1;
                }
                Some(b'\\') => {
                    // The blanks before the first backslash are what counts.
                    if continued.is_none() && column > 0 {
                        continued = Some((column, alt));
                    }
                    self.continuation()?;
                }
                _ => break,
            }
        }
        if let Some(first) = continued {
            (column, alt) = first;
        }
        if matches!(self.peek(), None | Some(b'#' | b'\n' | b'\r')) {
            return Ok(());
        }
        let current = self.current_indent();
        if column == current.column {
            if alt != current.alt {
                return Err(self.inconsistent_tabs());
            }
        } else if column > current.column {
            if self.indents.len() >= MAX_INDENTS {
                let message = "too many levels of indentation";
                return Err(self.late(ErrorKind::Indentation, message, 1, 0));
            }
            if alt <= current.alt {
                return Err(self.inconsistent_tabs());
            }
            self.indents.push(Indent { column, alt });
            self.push(Tok::Indent, self.at, self.at);
        } else {
            while column < self.current_indent().column {
                self.indents.pop();
                self.push(Tok::Dedent, self.at, self.at);
            }
            let current = self.current_indent();
            if column != current.column {
                let message = "unindent does not match any outer indentation level";
                while self
                    .tokens
                    .last()
                    .is_some_and(|token| token.kind == Tok::Dedent)
                {
                    self.tokens.pop();
                }
                let column = self.line_length() + 1;
                return Err(self.late(ErrorKind::Indentation, message, column, -1));
            }
            if alt != current.alt {
                return Err(self.inconsistent_tabs());
            }
        }
        Ok(())
    }

    fn current_indent(&self) -> Indent {
        self.indents
            .last()
            .copied()
            .unwrap_or(Indent { column: 0, alt: 0 })
    }

    fn inconsistent_tabs(&self) -> Stop {
        let message = "inconsistent use of tabs and spaces in indentation";
        self.late(ErrorKind::Tab, message, 1, 0)
    }

    /// Characters in the current line, without its line end.
    fn line_length(&self) -> u32 {
        let rest = &self.bytes[self.line_start..];
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'))
            .unwrap_or(rest.len());
        self.column(self.line_start + length)
    }

    /// Reads one token that begins with `byte`.
    fn token(&mut self, byte: u8) -> Step<()> {
        let start = self.at;
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => self.word(start),
            b'0'..=b'9' => self.number(start),
            b'.' if self.peek_at(1).is_some_and(|next| next.is_ascii_digit()) => self.number(start),
            b'"' | b'\'' => self.string(start, Prefix::default()),
            _ => self.operator(byte),
        }
    }

    /// A name or keyword, or the prefix of a string.
    fn word(&mut self, start: usize) -> Step<()> {
        let mut prefix = Prefix::default();
        while let Some(byte) = self.peek() {
            if !prefix.add(byte) {
                break;
            }
            self.at += 1;
            if let Some(b'"' | b'\'') = self.peek() {
                if let Some((one, other)) = prefix.clash() {
                    let message = format!("'{one}' and '{other}' prefixes are incompatible");
                    return Err(self.prefix_error(start, message));
                }
                return self.string(start, prefix);
            }
        }
        let mut ascii = true;
        while let Some(byte) = self.peek() {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                self.at += 1;
            } else if byte >= 0x80 {
                ascii = false;
                self.at += 1;
            } else {
                break;
            }
        }
        let text = self.source.get(start..self.at).unwrap_or_default();
        if ascii {
            let kind = Tok::of_word(text);
            self.push(kind, start, self.at);
            return Ok(());
        }
        for (index, (offset, letter)) in text.char_indices().enumerate() {
            let good = letter == '_'
                || if index == 0 {
                    unicode_ident::is_xid_start(letter)
                } else {
                    unicode_ident::is_xid_continue(letter)
                };
            if !good {
                let code = u32::from(letter);
                let message = if is_printable(letter) {
                    format!("invalid character '{letter}' (U+{code:04X})")
                } else {
                    format!("invalid non-printable character U+{code:04X}")
                };
                return Err(self.error_at(start + offset + letter.len_utf8(), message));
            }
        }
        self.push(Tok::Name, start, self.at);
        Ok(())
    }

    /// The prefix from `start` up to the current place holds two letters that exclude each other.
    fn prefix_error(&self, start: usize, message: String) -> Stop {
        let column = u32::try_from(start - self.line_start + 1).unwrap_or(u32::MAX);
        let end = i32::try_from(self.at + 1 - self.line_start).unwrap_or(i32::MAX);
        Stop::Early(Box::new(ScanError {
            kind: ErrorKind::Syntax,
            message,
            line_offset: self.line_start,
            column,
            end_column: end,
            with_newline: false,
        }))
    }
}

/// The letters before a string's quotes.
#[derive(Debug, Clone, Copy, Default)]
struct Prefix {
    bytes: bool,
    unicode: bool,
    raw: bool,
    format: bool,
    template: bool,
}

impl Prefix {
    /// Takes in one more letter; false if it cannot belong to a prefix (or is there already).
    fn add(&mut self, byte: u8) -> bool {
        let seen = match byte {
            b'b' | b'B' => &mut self.bytes,
            b'u' | b'U' => &mut self.unicode,
            b'r' | b'R' => &mut self.raw,
            b'f' | b'F' => &mut self.format,
            b't' | b'T' => &mut self.template,
            _ => return false,
        };
        !std::mem::replace(seen, true)
    }

    /// Two letters of the prefix that exclude each other.
    fn clash(self) -> Option<(char, char)> {
        let pairs = [
            (self.unicode && self.bytes, ('u', 'b')),
            (self.unicode && self.raw, ('u', 'r')),
            (self.unicode && self.format, ('u', 'f')),
            (self.unicode && self.template, ('u', 't')),
            (self.bytes && self.format, ('b', 'f')),
            (self.bytes && self.template, ('b', 't')),
            (self.format && self.template, ('f', 't')),
        ];
        pairs
            .into_iter()
            .find(|(clash, _)| *clash)
            .map(|(_, pair)| pair)
    }
}

/// Whether Python prints the character as it is: not a control, format, surrogate or unassigned
/// character and no separator but the space. Only characters that cannot be in a name are asked.
fn is_printable(letter: char) -> bool {
    let code = u32::from(letter);
    !(letter.is_control()
        || (letter.is_whitespace() && letter != ' ')
        || matches!(
            code,
            0xad | 0x600..=0x605
                | 0x61c
                | 0x6dd
                | 0x70f
                | 0x180e
                | 0x200b..=0x200f
                | 0x202a..=0x202e
                | 0x2060..=0x206f
                | 0xd800..=0xf8ff
                | 0xfeff
                | 0xfff0..=0xfffb
                | 0xfffe
                | 0xffff
                | 0xe0000..=0x10ffff
        ))
}
