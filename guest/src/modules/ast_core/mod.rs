//! Syntax trees as objects: `compile(..., PyCF_ONLY_AST)` makes them, `compile(tree, ...)` takes them.
//!
//! The classes are in the Python module `_ast`. The rooms here:
//!
//! * [`maker`], `export_*`: from the frontend's tree to node objects;
//! * [`comments`]: type comments, which the parser does not know;
//! * [`reader`], `read_*`: from node objects back to a tree, with the validator's checks.

mod comments;
mod export_expressions;
mod export_statements;
mod export_strings;
mod maker;
mod read_expressions;
mod read_patterns;
mod read_statements;
mod read_strings;
mod reader;

use crate::objects::list::List;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_frontend::ast::{self, Expr, Ranged, TextRange};
use coldframe_frontend::{ErrorKind, LineIndex, SyntaxError};
use comments::Comments;
use maker::Maker;
use reader::Reader;

/// What a source is parsed as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Statements.
    Exec,
    /// One expression.
    Eval,
    /// What is typed at the prompt.
    Single,
    /// A signature type comment.
    FuncType,
}

/// A tree that a program has put together.
pub enum Tree {
    /// Statements; the flag says that the values of expressions are shown.
    Module(ast::ModModule, bool),
    /// One expression.
    Expression(ast::ModExpression),
}

fn refuse<T>(vm: &mut Vm, error: &SyntaxError, file: &str) -> R<T> {
    let e = crate::builtins::exceptions::syntax_error(vm, error, file);
    Err(vm.raise_value(e))
}

/// Parses `source` into node objects. `feature` is the minor version whose syntax is accepted.
pub fn parse(
    vm: &mut Vm,
    source: &str,
    file: &str,
    mode: Mode,
    type_comments: bool,
    feature: i64,
) -> R {
    match mode {
        Mode::Eval => {
            let parsed = match coldframe_frontend::parse_expression_tree(source) {
                Ok(parsed) => parsed,
                Err(error) => return refuse(vm, &error, file),
            };
            let mut maker = Maker::new(vm, &parsed.lines, Comments::default())?;
            maker.feature = feature;
            let body = maker.expression(vm, &parsed.ast.body)?;
            maker.node(vm, "Expression", [("body", body)])
        }
        Mode::FuncType if feature < 5 => {
            let lines = LineIndex::new(source);
            let error = SyntaxError::at(ErrorKind::Syntax, "invalid syntax", &lines, 0, 0);
            refuse(vm, &error, file)
        }
        Mode::FuncType => function_type(vm, source, file),
        Mode::Exec | Mode::Single => {
            let parsed = match coldframe_frontend::parse_module_tree(source) {
                Ok(parsed) => parsed,
                Err(error) => return refuse(vm, &error, file),
            };
            let comments = if type_comments {
                Comments::find(parsed.lines.source())
            } else {
                Comments::default()
            };
            let mut maker = Maker::new(vm, &parsed.lines, comments)?;
            maker.feature = feature;
            let body = maker.body(vm, &parsed.ast.body)?;
            if let Some(offset) = maker.comments.left_over() {
                let at = offset as usize;
                let kind = ErrorKind::Syntax;
                let error = SyntaxError::at(kind, "invalid syntax", &parsed.lines, at, at);
                return refuse(vm, &error, file);
            }
            if mode == Mode::Single {
                return maker.node(vm, "Interactive", [("body", body)]);
            }
            let ignores = std::mem::take(&mut maker.comments.ignores);
            let mut nodes = Vec::with_capacity(ignores.len());
            for (offset, tag) in ignores {
                let line = Value::int(i64::from(parsed.lines.line(offset as usize)));
                nodes.push(maker.node(
                    vm,
                    "TypeIgnore",
                    [("lineno", line), ("tag", Str::value(&tag))],
                )?);
            }
            maker.node(
                vm,
                "Module",
                [("body", body), ("type_ignores", List::value(nodes))],
            )
        }
    }
}

/// `(int, *str) -> bool`: the arguments are read as those of a call, the result as an expression of its own.
fn function_type(vm: &mut Vm, source: &str, file: &str) -> R {
    let wrong = |at: usize| {
        let lines = LineIndex::new(source);
        SyntaxError::at(ErrorKind::Syntax, "invalid syntax", &lines, at, at)
    };
    let mut depth = 0usize;
    let mut arrow = None;
    let tokens = coldframe_frontend::tokens::lexemes(source);
    for token in &tokens.tokens {
        match source.get(token.start..token.end) {
            Some("(" | "[" | "{") => depth += 1,
            Some(")" | "]" | "}") => depth = depth.saturating_sub(1),
            Some("->") if depth == 0 => {
                arrow = Some((token.start, token.end));
                break;
            }
            _ => {}
        }
    }
    let Some((start, end)) = arrow else {
        return refuse(vm, &wrong(0), file);
    };
    let head = source.get(..start).unwrap_or_default();
    let tail = source.get(end..).unwrap_or_default();
    if !head.trim_start().starts_with('(') {
        return refuse(vm, &wrong(0), file);
    }
    let arguments = match coldframe_frontend::parse_expression_tree(&format!("_{head}")) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(vm, &error, file),
    };
    let returns = match coldframe_frontend::parse_expression_tree(tail.trim()) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(vm, &error, file),
    };
    let Expr::Call(call) = &*arguments.ast.body else {
        return refuse(vm, &wrong(0), file);
    };
    // Plain types, then at most one with a star, then at most one with two.
    let args = &call.arguments.args;
    let keywords = &call.arguments.keywords;
    let stars_last = args
        .iter()
        .rev()
        .skip(1)
        .all(|argument| !argument.is_starred_expr());
    let in_order = match (args.last(), keywords.first()) {
        (Some(last), Some(first)) => last.range().end() <= first.range.start(),
        _ => true,
    };
    if keywords.len() > 1 || keywords.iter().any(|k| k.arg.is_some()) || !stars_last || !in_order {
        return refuse(vm, &wrong(0), file);
    }
    let mut maker = Maker::new(vm, &arguments.lines, Comments::default())?;
    maker.shift = 1;
    let mut types = Vec::new();
    for argument in call.arguments.args.iter() {
        let inner = match argument {
            Expr::Starred(starred) => &starred.value,
            other => other,
        };
        types.push(maker.expression(vm, inner)?);
    }
    for keyword in call.arguments.keywords.iter() {
        types.push(maker.expression(vm, &keyword.value)?);
    }
    let mut maker = Maker::new(vm, &returns.lines, Comments::default())?;
    let returns = maker.expression(vm, &returns.ast.body)?;
    maker.node(
        vm,
        "FunctionType",
        [("argtypes", List::value(types)), ("returns", returns)],
    )
}

/// Whether a value is a node.
pub fn is_node(vm: &mut Vm, value: &Value) -> R<bool> {
    // Without the module there are no nodes.
    let loaded = vm
        .modules
        .get_str(vm, &crate::names::intern("_ast"))
        .is_some();
    if !loaded {
        return Ok(false);
    }
    let module = maker::module_dict(vm)?;
    let class = maker::class_in(vm, &module, "AST")?;
    Ok(vm.is_instance_of(value, &class))
}

/// Checks that a node is what `mode` asks for: `compile()` may only pass it on.
pub fn check_root(vm: &mut Vm, node: &Value, mode: Mode) -> R<()> {
    let (wanted, name) = match mode {
        Mode::Exec => ("Module", "Module"),
        Mode::Eval => ("Expression", "Expression"),
        Mode::Single => ("Interactive", "Interactive"),
        Mode::FuncType => ("FunctionType", "FunctionType"),
    };
    let mut reader = Reader::new(vm)?;
    let found = reader.kind(vm, node)?;
    if found.is_some_and(|(kind, _)| &*kind == wanted) {
        return Ok(());
    }
    let class = vm.class_name(node);
    Err(vm.type_error(format!("expected {name} node, got {class}")))
}

/// Reads a tree of nodes.
pub fn read(vm: &mut Vm, node: &Value, mode: Mode) -> R<Tree> {
    check_root(vm, node, mode)?;
    let mut reader = Reader::new(vm)?;
    let range = TextRange::default();
    match mode {
        Mode::Eval => {
            let body = reader.child(vm, node, "body", "Expression", "Load")?;
            Ok(Tree::Expression(ast::ModExpression {
                node_index: reader::no_index(),
                range: body.range(),
                body,
            }))
        }
        Mode::Exec | Mode::Single => {
            let of = if mode == Mode::Exec {
                "Module"
            } else {
                "Interactive"
            };
            let items = reader.items(vm, node, "body", of)?;
            let body = reader.statements(vm, &items)?;
            if mode == Mode::Exec {
                for ignore in reader.items(vm, node, "type_ignores", of)? {
                    reader.expect(vm, &ignore, "type_ignore")?;
                }
            }
            Ok(Tree::Module(
                ast::ModModule {
                    node_index: reader::no_index(),
                    range,
                    body,
                },
                mode == Mode::Single,
            ))
        }
        Mode::FuncType => {
            Err(vm.value_error("compile() mode 'func_type' requires flag PyCF_ONLY_AST"))
        }
    }
}
