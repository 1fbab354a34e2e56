//! What can go wrong: in a pattern or a replacement template, and while matching.

/// Which Python exception an [`Error`] stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// `re.PatternError` (alias `re.error`).
    Pattern,
    /// `ValueError`: flags that do not go together.
    Value,
    /// `OverflowError`: a repetition count that is too large.
    Overflow,
    /// `RecursionError`: groups nested too deeply.
    Recursion,
    /// `IndexError`: an unknown group name in a template.
    Index,
}

/// An error in a pattern or in a replacement template.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", self.text())]
pub struct Error {
    /// The exception to raise.
    pub kind: ErrorKind,
    /// The message without the position (`PatternError.msg`).
    pub msg: String,
    /// Index into the pattern (`PatternError.pos`).
    pub pos: Option<usize>,
    /// Line of `pos`, from 1.
    pub lineno: Option<usize>,
    /// Column of `pos`, from 1.
    pub colno: Option<usize>,
    /// Whether the pattern has more than one line, so that the text names line and column too.
    multiline: bool,
}

impl Error {
    pub(crate) fn plain(kind: ErrorKind, msg: impl Into<String>) -> Error {
        Error {
            kind,
            msg: msg.into(),
            pos: None,
            lineno: None,
            colno: None,
            multiline: false,
        }
    }

    /// An error at `pos` of `pattern`.
    pub(crate) fn at(msg: impl Into<String>, pattern: &[u32], pos: usize) -> Error {
        let newline = u32::from('\n');
        let before = &pattern[..pos.min(pattern.len())];
        let line_start = before
            .iter()
            .rposition(|&c| c == newline)
            .map_or(0, |i| i + 1);
        Error {
            kind: ErrorKind::Pattern,
            msg: msg.into(),
            pos: Some(pos),
            lineno: Some(before.iter().filter(|&&c| c == newline).count() + 1),
            colno: Some(pos - line_start + 1),
            multiline: pattern.contains(&newline),
        }
    }

    /// `str(error)`: the message with its position.
    pub fn text(&self) -> String {
        match (self.pos, self.lineno, self.colno) {
            (Some(pos), Some(line), Some(column)) if self.multiline => {
                format!(
                    "{} at position {pos} (line {line}, column {column})",
                    self.msg
                )
            }
            (Some(pos), ..) => format!("{} at position {pos}", self.msg),
            _ => self.msg.clone(),
        }
    }
}

/// Why a match was abandoned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MatchError {
    /// The step hook asked to stop.
    #[error("matching was interrupted")]
    Interrupted,
    /// The backtracking stack reached its limit (`MemoryError`).
    #[error("regular expression needs too much memory for backtracking")]
    StackLimit,
    /// The subject has more than 2^32 - 2 characters.
    #[error("subject is too long")]
    SubjectTooLong,
}

/// A `FutureWarning` that compiling a pattern gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The text, position included.
    pub msg: String,
}
