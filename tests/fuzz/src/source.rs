//! The first harness: any text through the frontend and the compiler. Knows those two crates; runs nothing.

use coldframe_compiler::code::Compiled;
use coldframe_compiler::{Options, compile_expression, compile_module, dis, unparse, validate};
use coldframe_frontend::ast::{self, Ranged};
use coldframe_frontend::{decode_source, imports, parse_expression, parse_module};

use crate::machine::caught_on;

/// A stack like the sandbox's, with allowance for unoptimised frames.
const STACK: usize = 64 << 20;

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// It is a program.
    Compiled,
    /// It is not, and there is an error to say so.
    Refused,
}

/// Takes a text through everything that is done with source text; what is wrong if something is.
pub fn check(text: &str) -> Result<Accepted, String> {
    let text = text.to_owned();
    caught_on(STACK, move || check_here(&text)).and_then(|result| result)
}

/// Many texts on one thread, for the short run.
pub fn check_all(texts: Vec<String>) -> Result<usize, String> {
    caught_on(STACK, move || {
        let mut compiled = 0;
        for text in &texts {
            match check_here(text) {
                Ok(Accepted::Compiled) => compiled += 1,
                Ok(Accepted::Refused) => {}
                Err(problem) => return Err(format!("{problem}\n---\n{text}\n---")),
            }
        }
        Ok(compiled)
    })
    .and_then(|result| result)
}

/// The same on the calling thread: a panic is the caller's.
pub fn check_here(text: &str) -> Result<Accepted, String> {
    // Bytes first: byte order marks and coding cookies.
    let _ = decode_source(text.as_bytes());
    let mut accepted = Accepted::Refused;
    match parse_module(text) {
        Ok(module) => {
            let _ = imports(&module.ast, &module.lines);
            for expression in expressions(&module.ast, module.lines.source()) {
                round_trip(&format!("({expression})"))?;
            }
            for options in [
                Options::default(),
                Options {
                    namespace: true,
                    want_value: true,
                    ..Options::default()
                },
                Options {
                    asserts: false,
                    future_annotations: true,
                    ..Options::default()
                },
            ] {
                match compile_module(&module.ast, &module.lines, &options) {
                    Ok(proto) => {
                        accepted = Accepted::Compiled;
                        examine(&proto)?;
                        let _ = dis::disassemble(&proto, Some(&module.lines));
                    }
                    Err(error) => describe(&error),
                }
            }
        }
        Err(error) => describe(&error),
    }
    match parse_expression(text) {
        Ok(expression) => {
            match compile_expression(&expression.ast, &expression.lines, &Options::default()) {
                Ok(proto) => examine(&proto)?,
                Err(error) => describe(&error),
            }
        }
        Err(error) => describe(&error),
    }
    Ok(accepted)
}

fn describe(error: &coldframe_frontend::SyntaxError) {
    let _ = format!("{error} {error:?}");
}

fn examine(proto: &Compiled) -> Result<(), String> {
    match validate::validate(proto).first() {
        Some(first) => Err(format!("validator: {first}")),
        None => Ok(()),
    }
}

/// An expression that was made text again must mean the same, and be a fixed point.
fn round_trip(text: &str) -> Result<(), String> {
    let code = |text: &str| {
        let expression = parse_expression(text).ok()?;
        let proto =
            compile_expression(&expression.ast, &expression.lines, &Options::default()).ok()?;
        Some((
            dis::disassemble(&proto, None),
            unparse(&expression.ast, &expression.lines),
        ))
    };
    let Some((before, once)) = code(text) else {
        return Ok(());
    };
    let Some((after, twice)) = code(&once) else {
        return Err(format!("unparse: no expression: {once}"));
    };
    if before != after {
        return Err(format!("unparse: means something else: {once}"));
    }
    if once != twice {
        return Err(format!("unparse: no fixed point: {once} | {twice}"));
    }
    Ok(())
}

/// The texts of expressions that are statements or values of assignments at the module's own level.
fn expressions<'a>(module: &ast::ModModule, text: &'a str) -> Vec<&'a str> {
    module
        .body
        .iter()
        .filter_map(|statement| match statement {
            ast::Stmt::Expr(statement) => Some(statement.value.range()),
            ast::Stmt::Assign(statement) => Some(statement.value.range()),
            ast::Stmt::Return(statement) => statement.value.as_ref().map(|v| v.range()),
            _ => None,
        })
        .filter_map(|range| text.get(range.to_std_range()))
        .filter(|text| text.len() < 2000)
        .collect()
}
