//! The syntax tree: the parser's node types under the project's own path.
//!
//! Every node has a [`TextRange`] of byte offsets into the source ([`Ranged::range`]); a
//! [`LineIndex`](crate::LineIndex) turns them into lines and columns.

// A glob import of this module must not replace the primitive type by the parser's module `str`.
pub use core::primitive::str;

pub use rustpython_ast::name::Name;
pub use rustpython_ast::*;
pub use rustpython_text_size::{Ranged, TextRange, TextSize};

/// The operand that an expression begins with, if chains of such expressions may go deep:
/// `a + b + c`, `a.b[c].d()`.
///
/// A pass over the tree that goes down this way in a loop, and calls itself for everything else,
/// nests at most [`MAX_NESTING`](crate::limits::MAX_NESTING) calls; one that calls itself here too
/// must bear [`MAX_DEPTH`](crate::limits::MAX_DEPTH).
pub fn leftmost(expression: &Expr) -> Option<&Expr> {
    match expression {
        Expr::BinOp(node) => Some(&node.left),
        Expr::Attribute(node) => Some(&node.value),
        Expr::Subscript(node) => Some(&node.value),
        Expr::Call(node) => Some(&node.func),
        _ => None,
    }
}
