//! Runs the parser and decides between the tree and the error.

use rustpython_ast::{ModExpression, ModModule, PythonVersion};
use rustpython_parser::{Mode, ParseOptions, Parsed, parse_unchecked};

use crate::error::{ErrorKind, SyntaxError};
use crate::source::{LineIndex, check_null};

/// A parsed module.
#[derive(Debug, Clone)]
pub struct Module {
    /// The tree.
    pub ast: ModModule,
    /// The source and its lines.
    pub lines: LineIndex,
}

/// A parsed expression, as `eval()` takes it.
#[derive(Debug, Clone)]
pub struct Expression {
    /// The tree.
    pub ast: ModExpression,
    /// The source and its lines.
    pub lines: LineIndex,
}

/// Parses the statements of `source`, as `exec()` takes them.
pub fn parse_module(source: &str) -> Result<Module, SyntaxError> {
    let lines = prepare(source)?;
    let options = ParseOptions::from(Mode::Module).with_target_version(PythonVersion {
        major: 3,
        minor: 14,
    });
    let parsed = parse_unchecked(lines.source(), options).try_into_module();
    let ast = finish(parsed, &lines)?;
    Ok(Module { ast, lines })
}

/// Parses the single expression of `source`, as `eval()` takes it: blanks before it are skipped.
pub fn parse_expression(source: &str) -> Result<Expression, SyntaxError> {
    let lines = prepare(source.trim_start_matches([' ', '\t']))?;
    let options = ParseOptions::from(Mode::Expression).with_target_version(PythonVersion {
        major: 3,
        minor: 14,
    });
    let parsed = parse_unchecked(lines.source(), options).try_into_expression();
    let ast = finish(parsed, &lines)?;
    Ok(Expression { ast, lines })
}

/// What is checked before the parser sees the source.
fn prepare(source: &str) -> Result<LineIndex, SyntaxError> {
    check_null(source)?;
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    Ok(LineIndex::new(source))
}

/// The tree, or the first error.
fn finish<T>(parsed: Option<Parsed<T>>, lines: &LineIndex) -> Result<T, SyntaxError> {
    let Some(parsed) = parsed else {
        return Err(SyntaxError::at(
            ErrorKind::Syntax,
            "invalid syntax",
            lines,
            0,
            0,
        ));
    };
    if let Some(error) = parsed.errors().first() {
        let range = error.location;
        return Err(SyntaxError::at(
            ErrorKind::Syntax,
            error.error.to_string(),
            lines,
            range.start().to_usize(),
            range.end().to_usize(),
        ));
    }
    if let Some(error) = parsed.unsupported_syntax_errors().first() {
        return Err(SyntaxError::at(
            ErrorKind::Syntax,
            "invalid syntax",
            lines,
            error.range.start().to_usize(),
            error.range.end().to_usize(),
        ));
    }
    Ok(parsed.into_syntax())
}
