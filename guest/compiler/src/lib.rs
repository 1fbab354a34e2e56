//! From syntax tree to register code.
//!
//! This crate knows the frontend's tree and nothing of values, objects or the machine that runs the code: its result is a
//! [`Compiled`], plain data that the interpreter links into a code object.
//!
//! The rooms, in the order in which a tree passes through them:
//!
//! * [`symtable`]: scopes, and where each name lives;
//! * [`lower`]: statements and expressions to instructions, with [`registers`] for temporaries, [`flow`] for what is bound,
//!   [`constant`], [`literal`] and [`fold`] for constants;
//! * [`assemble`]: labels, jumps, handlers, constants.
//!
//! [`dis`] prints the result, [`validate`] checks it, [`pack`] makes bytes of it and back.

mod assemble;
pub mod code;
mod constant;
pub mod dis;
mod flow;
mod fold;
mod literal;
mod lower;
pub mod op;
pub mod pack;
mod registers;
mod shape;
pub mod spans;
mod symtable;
mod unparse;
pub mod validate;
mod varint;

use std::rc::Rc;

use coldframe_frontend::{LineIndex, SyntaxError, ast};

use code::Compiled;

pub use constant::{carry, number};
pub use literal::without_comments;
pub use lower::interpolation_text;
pub use shape::name_operand;

/// How a source is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Names of the module's own level live in a namespace mapping (`exec` and `eval` with separate locals), not in the globals.
    pub namespace: bool,
    /// The value of a last expression statement is handed to the machine (`SetLastValue`).
    pub want_value: bool,
    /// `assert` statements are compiled, and `__debug__` is true.
    pub asserts: bool,
    /// Annotations are strings even without the future statement in the source.
    pub future_annotations: bool,
    /// The values of expression statements of the module's own level are shown (`sys.displayhook`), as at the prompt.
    pub interactive: bool,
    /// The module's own level may await: its code is then that of a coroutine.
    pub top_level_await: bool,
    /// `while` statements count how often they go round (`CountLoop`).
    pub count_loops: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            namespace: false,
            want_value: false,
            asserts: true,
            future_annotations: false,
            interactive: false,
            top_level_await: false,
            count_loops: false,
        }
    }
}

/// Compiles the statements of a module.
pub fn compile_module(
    module: &ast::ModModule,
    lines: &LineIndex,
    options: &Options,
) -> Result<Rc<Compiled>, SyntaxError> {
    let future = options.future_annotations || imports_annotations(&module.body);
    let table = symtable::module(&module.body, lines, future, options.top_level_await)?;
    lower::Compiler::new(table, lines, *options, future)
        .module(&module.body)
        .map_err(|error| *error)
}

/// Compiles an expression, as `eval` takes it; the code returns its value.
pub fn compile_expression(
    expression: &ast::ModExpression,
    lines: &LineIndex,
    options: &Options,
) -> Result<Rc<Compiled>, SyntaxError> {
    let future = options.future_annotations;
    let table = symtable::expression(&expression.body, lines, future, options.top_level_await)?;
    lower::Compiler::new(table, lines, *options, future)
        .expression(&expression.body)
        .map_err(|error| *error)
}

/// The text of an expression as annotations keep it: shorter or longer than the source, with the same meaning.
pub fn unparse(expression: &ast::ModExpression, lines: &LineIndex) -> String {
    unparse::annotation(&expression.body, lines.source())
}

/// Whether the source says `from __future__ import annotations`.
fn imports_annotations(body: &[ast::Stmt]) -> bool {
    body.iter()
        .filter_map(|statement| statement.as_import_from_stmt())
        .filter(|import| {
            import.level == 0
                && import
                    .module
                    .as_ref()
                    .is_some_and(|module| module.as_str() == "__future__")
        })
        .flat_map(|import| &import.names)
        .any(|alias| alias.name.as_str() == "annotations")
}
