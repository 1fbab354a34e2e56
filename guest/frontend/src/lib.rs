//! Source text in, syntax tree out, or the one syntax error that CPython would report.
//!
//! The rooms, in the order in which a source passes through them:
//!
//! * [`source`]: bytes to text (byte order mark, coding cookie, null bytes) and the line index;
//! * `scan`: tokens, and lexical errors;
//! * [`limits`]: bounds the depth of the tree, for the sake of everyone who recurses over it;
//! * [`parse`]: runs the parser and decides between the tree and the error;
//! * `diagnose`: finds CPython's words for what the parser refused;
//! * `semantic`: errors that need no symbol table but more than the grammar;
//! * [`scoping`]: words for the errors that the compiler's symbol table finds;
//! * [`literal`]: exact values of string literals;
//! * [`mod@imports`]: what a source imports;
//! * [`tokens`]: tokens with comments, as `tokenize` shows them.
//!
//! No other crate of the project names the parser: its tree is re-exported as [`ast`], so that a
//! change of parser stays in this folder.

pub mod ast;
mod bare_raise;
mod diagnose;
pub mod error;
pub mod hash;
pub mod imports;
pub mod limits;
pub mod literal;
pub mod parse;
mod scan;
pub mod scoping;
mod semantic;
pub mod source;
pub mod tokens;

pub use error::{ErrorKind, SyntaxError};
pub use imports::{Import, imports};
pub use parse::{
    Expression, Module, check_expression_tree, check_module_tree, parse_expression,
    parse_expression_tree, parse_module, parse_module_tree,
};
pub use scoping::{Declaration, ScopeConflict};
pub use source::{LineIndex, Location, decode_source, foreign_coding};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_module() {
        let module = parse_module("x = 1\n").expect("valid source");
        assert_eq!(module.ast.body.len(), 1);
        assert!(parse_module("x = = 1\n").is_err());
        assert!(parse_expression("  1 + 2").is_ok());
    }
}
