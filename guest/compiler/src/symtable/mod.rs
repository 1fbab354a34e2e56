//! The symbol table: which names a block binds, and where each name lives.
//!
//! * [`scope`]: scopes, symbols, interned names;
//! * [`build`]: one walk over the tree that opens the scopes, notes the uses of names and raises the errors
//!   that depend on context (`return` outside a function, `global` after use);
//! * [`resolve`]: local, cell, free or global, closures, and the registers of the named locals.
//!
//! List, set and dict comprehensions are part of the code unit around them (PEP 709), except in annotation
//! scopes of a class: they have a scope of their own, but their variables get registers of the unit.

mod build;
mod resolve;
pub(crate) mod scope;

use coldframe_frontend::{LineIndex, SyntaxError, ast};

use scope::Table;

/// The table of a module.
pub(crate) fn module<'a>(
    body: &'a [ast::Stmt],
    lines: &'a LineIndex,
    future_annotations: bool,
    top_level_await: bool,
) -> Result<Table<'a>, SyntaxError> {
    let mut builder = build::Builder::new(lines, future_annotations, top_level_await);
    builder.module(body).map_err(|error| *error)?;
    let mut table = builder.table;
    resolve::resolve(&mut table, lines)?;
    Ok(table)
}

/// The table of an expression.
pub(crate) fn expression<'a>(
    expr: &'a ast::Expr,
    lines: &'a LineIndex,
    future_annotations: bool,
    top_level_await: bool,
) -> Result<Table<'a>, SyntaxError> {
    let mut builder = build::Builder::new(lines, future_annotations, top_level_await);
    builder.expression(expr).map_err(|error| *error)?;
    let mut table = builder.table;
    resolve::resolve(&mut table, lines)?;
    Ok(table)
}
