//! Runs the parser and decides between the tree and the error.

use rustpython_ast::{ModExpression, ModModule, PythonVersion};
use rustpython_parser::{Mode, ParseErrorType, ParseOptions, Parsed, parse_unchecked};

use crate::bare_raise;
use crate::diagnose::{Goal, diagnose, diagnose_lexical};
use crate::error::{ErrorKind, SyntaxError};
use crate::limits;
use crate::scan::{Scan, Tok, scan};
use crate::semantic::{
    Found, Verdict, check_expression, check_made, check_made_expression, check_module,
};
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
    module(source, true)
}

/// Like [`parse_module`], but refuses only what the grammar refuses, as `ast.parse()` does: a `return` outside of a function is
/// an error of the compiler.
pub fn parse_module_tree(source: &str) -> Result<Module, SyntaxError> {
    module(source, false)
}

fn module(source: &str, strict: bool) -> Result<Module, SyntaxError> {
    let job = Job::new(source, Goal::Module)?;
    let bare_raises = bare_raise::find(&job.scan.tokens);
    let ast = if bare_raises.is_empty() {
        let parsed = parse_unchecked(job.lines.source(), options(Mode::Module));
        job.finish(parsed.try_into_module())?
    } else {
        let source = bare_raise::hide(job.lines.source(), &bare_raises);
        let parsed = parse_unchecked(&source, options(Mode::Module));
        let mut ast = job.finish(parsed.try_into_module())?;
        bare_raise::restore(&mut ast, &bare_raises);
        ast
    };
    job.settle(check_module(job.lines.source(), &ast), strict)?;
    Ok(Module {
        ast,
        lines: job.lines,
    })
}

/// Parses the single expression of `source`, as `eval()` takes it: blanks before it are skipped.
pub fn parse_expression(source: &str) -> Result<Expression, SyntaxError> {
    expression(source, true)
}

/// Like [`parse_expression`], but refuses only what the grammar refuses.
pub fn parse_expression_tree(source: &str) -> Result<Expression, SyntaxError> {
    expression(source, false)
}

fn expression(source: &str, strict: bool) -> Result<Expression, SyntaxError> {
    if source.bytes().all(|b| matches!(b, b' ' | b'\t')) {
        // CPython's tokenizer has not begun a line then.
        return Err(SyntaxError {
            kind: ErrorKind::Syntax,
            message: "invalid syntax".to_owned(),
            line: 0,
            column: 0,
            end_line: 0,
            end_column: 0,
            text: Some(String::new()),
        });
    }
    let job = Job::new(source.trim_start_matches([' ', '\t']), Goal::Expression)?;
    let parsed =
        parse_unchecked(job.lines.source(), options(Mode::Expression)).try_into_expression();
    let ast = job.finish(parsed)?;
    job.settle(check_expression(job.lines.source(), &ast.body), strict)?;
    Ok(Expression {
        ast,
        lines: job.lines,
    })
}

/// Checks statements that were not made from a source; `lines` is a grid.
pub fn check_module_tree(ast: &ModModule, lines: &LineIndex) -> Result<(), SyntaxError> {
    made(check_made(&ast.body), lines)
}

/// Checks an expression that was not made from a source; `lines` is a grid.
pub fn check_expression_tree(ast: &ModExpression, lines: &LineIndex) -> Result<(), SyntaxError> {
    made(check_made_expression(&ast.body), lines)
}

fn made(found: Option<Found>, lines: &LineIndex) -> Result<(), SyntaxError> {
    match found {
        None => Ok(()),
        Some(found) => {
            let mut error = SyntaxError::in_tree(found.message, lines, found.range);
            error.text = None;
            Err(error)
        }
    }
}

fn options(mode: Mode) -> ParseOptions {
    ParseOptions::from(mode).with_target_version(PythonVersion {
        major: 3,
        minor: 14,
    })
}

/// A source on its way to the parser: scanned and measured.
struct Job {
    lines: LineIndex,
    scan: Scan,
    nesting: usize,
    goal: Goal,
}

impl Job {
    /// Scans and measures; gives the error if the scanner alone knows it.
    fn new(source: &str, goal: Goal) -> Result<Job, SyntaxError> {
        check_null(source)?;
        let lines = LineIndex::of_source(source);
        let scan = scan(lines.source());
        let nesting = limits::check(&scan.tokens);
        if let Some(error) = &scan.error {
            let nesting = nesting.unwrap_or(usize::MAX);
            return Err(diagnose_lexical(&scan, nesting, error, &lines));
        }
        let job = Job {
            nesting: nesting.map_err(too_deep)?,
            lines,
            scan,
            goal,
        };
        match job.scan.tokens.last().map(|token| token.kind) {
            None | Some(Tok::End) => Ok(job),
            Some(_) => Err(job.explain(0, 0)),
        }
    }

    /// The tree, or the error.
    fn finish<T>(&self, parsed: Option<Parsed<T>>) -> Result<T, SyntaxError> {
        let Some(parsed) = parsed else {
            return Err(self.explain(0, 0));
        };
        // A repeated keyword argument is found later, where CPython finds it.
        let errors = parsed
            .errors()
            .iter()
            .filter(|error| {
                !matches!(
                    error.error,
                    ParseErrorType::DuplicateKeywordArgumentError(_)
                )
            })
            .map(|error| error.location);
        let unsupported = parsed.unsupported_syntax_errors().iter();
        let range = errors.chain(unsupported.map(|error| error.range)).next();
        match range {
            Some(range) => Err(self.explain(range.start().to_usize(), range.end().to_usize())),
            None => Ok(parsed.into_syntax()),
        }
    }

    /// Turns the result of the walk over the tree into an error.
    fn settle(&self, verdict: Verdict, strict: bool) -> Result<(), SyntaxError> {
        match verdict {
            Verdict::Error(_) if !strict => Ok(()),
            Verdict::Good => Ok(()),
            Verdict::Grammar(range) => {
                Err(self.explain(range.start().to_usize(), range.end().to_usize()))
            }
            Verdict::Error(found) => Err(SyntaxError::in_tree(
                found.message,
                &self.lines,
                found.range,
            )),
        }
    }

    /// CPython's error for a source that is known to be wrong; the range is the parser's opinion,
    /// for the case that nothing better is found.
    fn explain(&self, start: usize, end: usize) -> SyntaxError {
        diagnose(&self.scan, self.nesting, &self.lines, self.goal).unwrap_or_else(|| {
            SyntaxError::at(ErrorKind::Syntax, "invalid syntax", &self.lines, start, end)
        })
    }
}

/// The exception for a source that nests too deeply. It is no `SyntaxError` and has no position.
fn too_deep(kind: ErrorKind) -> SyntaxError {
    let message = match kind {
        ErrorKind::Recursion => "maximum recursion depth exceeded during compilation",
        _ => "Parser stack overflowed - Python source too complex to parse",
    };
    SyntaxError {
        kind,
        message: message.to_owned(),
        line: 0,
        column: 0,
        end_line: 0,
        end_column: 0,
        text: None,
    }
}
