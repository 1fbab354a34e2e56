//! The errors of the symbol table, which the compiler finds: their texts, and how to raise them.
//!
//! Everything that can be told without a symbol table is reported by the parsing functions. What
//! is left are the conflicts of `global` and `nonlocal` with other uses of a name.

use std::fmt;

use rustpython_text_size::TextRange;

use crate::error::{ErrorKind, SyntaxError};
use crate::source::LineIndex;

/// Which declaration is in conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Declaration {
    /// `global`
    Global,
    /// `nonlocal`
    Nonlocal,
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Declaration::Global => "global",
            Declaration::Nonlocal => "nonlocal",
        })
    }
}

/// A conflict about the scope of a name; displayed as CPython words it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeConflict<'a> {
    /// The name is a parameter of the function.
    Parameter(&'a str, Declaration),
    /// The name was read before the declaration.
    UsedBefore(&'a str, Declaration),
    /// The name was assigned to before the declaration.
    AssignedBefore(&'a str, Declaration),
    /// The name has an annotation in the same scope.
    Annotated(&'a str, Declaration),
    /// The name is declared both ways.
    Both(&'a str),
    /// No enclosing function binds the name.
    NoBinding(&'a str),
    /// `nonlocal` outside of any function.
    ModuleLevel,
    /// The name is a type parameter of an enclosing definition.
    TypeParameter(&'a str),
}

impl fmt::Display for ScopeConflict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScopeConflict::Parameter(name, what) => {
                write!(f, "name '{name}' is parameter and {what}")
            }
            ScopeConflict::UsedBefore(name, what) => {
                write!(f, "name '{name}' is used prior to {what} declaration")
            }
            ScopeConflict::AssignedBefore(name, what) => {
                write!(f, "name '{name}' is assigned to before {what} declaration")
            }
            ScopeConflict::Annotated(name, what) => {
                write!(f, "annotated name '{name}' can't be {what}")
            }
            ScopeConflict::Both(name) => write!(f, "name '{name}' is nonlocal and global"),
            ScopeConflict::NoBinding(name) => {
                write!(f, "no binding for nonlocal '{name}' found")
            }
            ScopeConflict::ModuleLevel => {
                f.write_str("nonlocal declaration not allowed at module level")
            }
            ScopeConflict::TypeParameter(name) => {
                write!(
                    f,
                    "nonlocal binding not allowed for type parameter '{name}'"
                )
            }
        }
    }
}

impl SyntaxError {
    /// An error that is found after parsing and marks a node of the tree. Like CPython's it does
    /// not carry the source line: whoever prints it looks the line up.
    pub fn in_tree(message: impl fmt::Display, lines: &LineIndex, range: TextRange) -> SyntaxError {
        let range = range.to_std_range();
        let mut error = SyntaxError::at(
            ErrorKind::Syntax,
            message.to_string(),
            lines,
            range.start,
            range.end,
        );
        error.text = None;
        error
    }
}
