//! The syntax tree: the parser's node types under the project's own path.
//!
//! Every node has a [`TextRange`] of byte offsets into the source ([`Ranged::range`]); a
//! [`LineIndex`](crate::LineIndex) turns them into lines and columns.

// A glob import of this module must not replace the primitive type by the parser's module `str`.
pub use core::primitive::str;

pub use rustpython_ast::name::Name;
pub use rustpython_ast::*;
pub use rustpython_text_size::{Ranged, TextRange, TextSize};
