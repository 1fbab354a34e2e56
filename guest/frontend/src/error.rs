//! The syntax error, with the fields that Python's `SyntaxError` carries.

use std::fmt;

use crate::source::LineIndex;

/// Which exception class the error becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// `SyntaxError`
    Syntax,
    /// `IndentationError`, a subclass of `SyntaxError`
    Indentation,
    /// `TabError`, a subclass of `IndentationError`
    Tab,
    /// `RecursionError`: the tree would be deeper than later passes can follow.
    Recursion,
    /// `MemoryError`: nested deeper than the parser can follow.
    Memory,
}

impl ErrorKind {
    /// The name of the Python exception class.
    pub fn class_name(self) -> &'static str {
        match self {
            ErrorKind::Syntax => "SyntaxError",
            ErrorKind::Indentation => "IndentationError",
            ErrorKind::Tab => "TabError",
            ErrorKind::Recursion => "RecursionError",
            ErrorKind::Memory => "MemoryError",
        }
    }
}

/// One error in a source, as CPython reports it.
///
/// `line`, `column`, `text`, `end_line` and `end_column` are the members of the tuple in
/// `SyntaxError.args[1]`, in CPython's own counting: lines and columns start at 1, columns count
/// characters, and an end column of 0 or -1 says that the error has no extent.
/// [`ErrorKind::Recursion`] and [`ErrorKind::Memory`] become exceptions that take the message only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The exception class.
    pub kind: ErrorKind,
    /// What is wrong, as CPython words it.
    pub message: String,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// Last line of the marked range.
    pub end_line: u32,
    /// Column after the marked range, counted from 1; 0 or -1 if nothing is to be marked.
    pub end_column: i32,
    /// The source line, with its newline where CPython keeps it.
    pub text: Option<String>,
}

impl SyntaxError {
    /// An error that marks the bytes `start..end` of the source that `lines` indexes.
    pub fn at(
        kind: ErrorKind,
        message: impl Into<String>,
        lines: &LineIndex,
        start: usize,
        end: usize,
    ) -> SyntaxError {
        let from = lines.location(start);
        let to = lines.location(end.max(start));
        SyntaxError {
            kind,
            message: message.into(),
            line: from.line,
            column: from.column + 1,
            end_line: to.line,
            end_column: i32::try_from(to.column + 1).unwrap_or(i32::MAX),
            text: Some(lines.text_with_newline(from.line)),
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} (line {}, column {})",
            self.kind.class_name(),
            self.message,
            self.line,
            self.column
        )
    }
}

impl std::error::Error for SyntaxError {}
