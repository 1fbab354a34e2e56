//! From bytes to text, and from offsets to lines.

use std::sync::Arc;

use crate::error::{ErrorKind, SyntaxError};

/// A position in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 0.
    pub column: u32,
    /// Column in UTF-8 bytes, counted from 0 (what `ast.col_offset` and code positions use).
    pub byte_column: u32,
}

/// Where the lines of a source begin, together with the text itself.
///
/// Lines end with `\n`, `\r\n` or a lone `\r`, as in Python's own reading of source.
#[derive(Debug, Clone)]
pub struct LineIndex {
    text: Arc<str>,
    /// Offset of the first byte of every line; never empty.
    starts: Vec<u32>,
    /// There is no text, and offsets come from [`grid_offset`].
    grid: bool,
}

/// Columns of the grid: all lines are as long.
const GRID_BITS: u32 = 12;
const GRID_LINES: i64 = 1 << (32 - GRID_BITS);

/// The offset that stands for a line (from 1) and a column in bytes, in a tree that was made without a source. Lines beyond about a
/// million and columns beyond 4095 count as the last ones.
pub fn grid_offset(line: i64, column: i64) -> u32 {
    let line = (line - 1).clamp(0, GRID_LINES - 1) as u32;
    let column = column.clamp(0, (1 << GRID_BITS) - 1) as u32;
    line << GRID_BITS | column
}

impl LineIndex {
    /// Indexes `text`.
    pub fn new(text: &str) -> LineIndex {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            at += 1;
            if byte == b'\n' || byte == b'\r' {
                if byte == b'\r' && bytes.get(at) == Some(&b'\n') {
                    at += 1;
                }
                starts.push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        LineIndex {
            text: Arc::from(text),
            starts,
            grid: false,
        }
    }

    /// Indexes a source as the parser does: a byte order mark does not count.
    pub fn of_source(source: &str) -> LineIndex {
        LineIndex::new(source.strip_prefix('\u{feff}').unwrap_or(source))
    }

    /// The lines of a tree that has no source text; see [`grid_offset`].
    pub fn grid() -> LineIndex {
        LineIndex {
            text: Arc::from(""),
            starts: vec![0],
            grid: true,
        }
    }

    /// The whole source.
    pub fn source(&self) -> &str {
        &self.text
    }

    /// How many lines there are; a final newline opens one more, empty line.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// The line (counted from 1) that holds the byte at `offset`.
    pub fn line(&self, offset: usize) -> u32 {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        if self.grid {
            return (offset >> GRID_BITS) + 1;
        }
        u32::try_from(self.starts.partition_point(|&start| start <= offset)).unwrap_or(u32::MAX)
    }

    /// Line and columns of the byte at `offset`; an offset past the end counts as the end.
    pub fn location(&self, offset: usize) -> Location {
        if self.grid {
            let offset = u32::try_from(offset).unwrap_or(u32::MAX);
            let column = offset & ((1 << GRID_BITS) - 1);
            return Location {
                line: (offset >> GRID_BITS) + 1,
                column,
                byte_column: column,
            };
        }
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line(offset);
        let start = self.start(line);
        let before = &self.text[start..offset];
        Location {
            line,
            column: u32::try_from(before.chars().count()).unwrap_or(u32::MAX),
            byte_column: u32::try_from(before.len()).unwrap_or(u32::MAX),
        }
    }

    /// Offset of the first byte of `line` (counted from 1); the end of the source for a line after
    /// the last one.
    pub fn start(&self, line: u32) -> usize {
        (line as usize)
            .checked_sub(1)
            .and_then(|index| self.starts.get(index))
            .map_or(self.text.len(), |&start| start as usize)
    }

    /// The text of `line` (counted from 1) without its line end; empty if there is no such line.
    pub fn text(&self, line: u32) -> &str {
        if self.grid {
            return "";
        }
        let text = &self.text[self.start(line)..self.start(line.saturating_add(1))];
        text.trim_end_matches(['\n', '\r'])
    }

    /// The text of `line` followed by `\n`, which is how most errors quote it.
    pub fn text_with_newline(&self, line: u32) -> String {
        let mut text = self.text(line).to_owned();
        text.push('\n');
        text
    }
}

/// Decodes a source file: byte order mark, coding cookie (PEP 263), UTF-8 by default.
///
/// The codings known here are UTF-8, ASCII and Latin-1 under their usual names; another one is an
/// error that names it.
pub fn decode_source(bytes: &[u8]) -> Result<String, SyntaxError> {
    let (bytes, marked) = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => (rest, true),
        None => (bytes, false),
    };
    let coding = cookie(bytes);
    let text = match coding.as_deref().map(normalize_coding) {
        None | Some(Coding::Utf8) => decode_utf8(bytes, coding.is_some() || marked)?,
        Some(_) if marked => {
            return Err(without_line(format!(
                "encoding problem: {} with BOM",
                coding.unwrap_or_default()
            )));
        }
        Some(Coding::Latin1) => bytes.iter().map(|&byte| char::from(byte)).collect(),
        Some(Coding::Ascii) => match bytes.iter().position(|byte| !byte.is_ascii()) {
            None => bytes.iter().map(|&byte| char::from(byte)).collect(),
            Some(position) => {
                return Err(without_line(format!(
                    "(unicode error) 'ascii' codec can't decode byte 0x{:02x} in position \
                     {position}: ordinal not in range(128)",
                    bytes[position]
                )));
            }
        },
        Some(Coding::Unknown) => {
            return Err(without_line(format!(
                "unknown encoding: {}",
                coding.unwrap_or_default()
            )));
        }
    };
    check_null(&text)?;
    Ok(text)
}

/// The coding that a source names when it is none of those that [`decode_source`] knows.
pub fn foreign_coding(bytes: &[u8]) -> Option<String> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return None;
    }
    cookie(bytes).filter(|name| matches!(normalize_coding(name), Coding::Unknown))
}

/// Refuses a source with a null character, as `compile()` does.
pub(crate) fn check_null(text: &str) -> Result<(), SyntaxError> {
    if text.contains('\0') {
        return Err(without_line(
            "source code string cannot contain null bytes".to_owned(),
        ));
    }
    Ok(())
}

/// An error about the source as a whole, which has no line to show.
fn without_line(message: String) -> SyntaxError {
    SyntaxError {
        kind: ErrorKind::Syntax,
        message,
        line: 0,
        column: 0,
        end_line: 0,
        end_column: 0,
        text: None,
    }
}

enum Coding {
    Utf8,
    Latin1,
    Ascii,
    Unknown,
}

fn normalize_coding(name: &str) -> Coding {
    let name = name.to_ascii_lowercase().replace('_', "-");
    match name.as_str() {
        "utf-8" | "utf8" | "u8" | "utf" | "utf-8-sig" | "cp65001" => Coding::Utf8,
        "latin-1" | "latin1" | "latin" | "l1" | "iso-8859-1" | "iso8859-1" | "8859" | "cp819" => {
            Coding::Latin1
        }
        "ascii" | "us-ascii" | "646" => Coding::Ascii,
        _ if name.starts_with("utf-8-") => Coding::Utf8,
        _ if name.starts_with("latin-1-") || name.starts_with("iso-8859-1-") => Coding::Latin1,
        _ => Coding::Unknown,
    }
}

/// The coding named by a comment in one of the first two lines (PEP 263).
fn cookie(bytes: &[u8]) -> Option<String> {
    for line in bytes
        .split(|&byte| byte == b'\n' || byte == b'\r')
        .filter(|line| !line.is_empty())
        .take(2)
    {
        let text = line.trim_ascii_start();
        if text.is_empty() {
            continue;
        }
        let comment = text.strip_prefix(b"#")?;
        if let Some(name) = coding_of(comment) {
            return Some(name);
        }
    }
    None
}

/// The name after `coding:` or `coding=` in a comment.
fn coding_of(comment: &[u8]) -> Option<String> {
    const KEY: &[u8] = b"coding";
    let mut rest = comment;
    loop {
        let found = rest.windows(KEY.len()).position(|window| window == KEY)?;
        rest = &rest[found + KEY.len()..];
        if let [b':' | b'=', after @ ..] = rest {
            let name: String = after
                .trim_ascii_start()
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
                .map(|&byte| char::from(byte))
                .collect();
            if !name.is_empty() {
                return Some(name);
            }
        }
    }
}

fn decode_utf8(bytes: &[u8], declared: bool) -> Result<String, SyntaxError> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(text.to_owned()),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let good = std::str::from_utf8(&bytes[..at]).unwrap_or_default();
    let lines = LineIndex::new(good);
    let line = lines.line(at);
    let byte = bytes[at];
    let message = if declared {
        let reason = match (error.error_len(), byte) {
            (None, _) => "unexpected end of data",
            (Some(_), 0xc2..=0xf4) => "invalid continuation byte",
            _ => "invalid start byte",
        };
        format!(
            "(unicode error) 'utf-8' codec can't decode byte 0x{byte:02x} in position {at}: {reason}"
        )
    } else {
        format!(
            "Non-UTF-8 code starting with '\\x{byte:02x}' on line {line}, but no encoding declared; \
             see https://peps.python.org/pep-0263/ for details"
        )
    };
    let mut error = without_line(message);
    if !declared {
        error.line = line;
    }
    Err(error)
}
