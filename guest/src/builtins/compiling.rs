//! `compile`, `eval` and `exec`: source text, syntax trees and code objects.

use crate::heap::{Payload, Ref};
use crate::modules::ast_core::{self, Mode, Tree};
use crate::names;
use crate::objects::bytes::{ByteArray, Bytes};
use crate::objects::code::{Code, Source};
use crate::objects::codec_registry;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::function::Cell;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_compiler::Options;
use coldframe_frontend::tokens::{TokenKind, lexemes};
use coldframe_frontend::{ErrorKind, LineIndex, SyntaxError};
use std::rc::Rc;

/// Flags of `compile()`, as `ast` publishes them.
mod flag {
    pub const DONT_IMPLY_DEDENT: i64 = 0x200;
    pub const ONLY_AST: i64 = 0x400;
    pub const TYPE_COMMENTS: i64 = 0x1000;
    pub const TOP_LEVEL_AWAIT: i64 = 0x2000;
    pub const ALLOW_INCOMPLETE: i64 = 0x4000;
    pub const OPTIMIZED_AST: i64 = 0x8000;
    /// Flags of `__future__` features; those that are always on included.
    pub const FUTURES: i64 = 0x1fe_0010;
    pub const ANNOTATIONS: i64 = 0x100_0000;
    pub const KNOWN: i64 = DONT_IMPLY_DEDENT
        | ONLY_AST
        | TYPE_COMMENTS
        | TOP_LEVEL_AWAIT
        | ALLOW_INCOMPLETE
        | OPTIMIZED_AST
        | FUTURES
        | 0x100;
}

/// Decodes a source; what the front end does not know is left to the registered codecs.
fn source_bytes(vm: &mut Vm, data: &[u8]) -> R<Result<String, SyntaxError>> {
    let Some(coding) = coldframe_frontend::foreign_coding(data) else {
        return Ok(coldframe_frontend::decode_source(data));
    };
    let bytes = Bytes::value(data.to_vec());
    let decoded = match codec_registry::decode_bytes(vm, &bytes, &coding, None) {
        Ok(text) => text,
        Err(raised) => {
            let text = if vm.error_is(Exc::LookupError) {
                format!("unknown encoding: {coding}")
            } else if vm.error_is(Exc::UnicodeError) {
                format!("encoding problem: {coding}")
            } else {
                return Err(raised);
            };
            vm.swallow(raised, Exc::Exception)?;
            return Err(plain_error(vm, Exc::SyntaxError, &text));
        }
    };
    match decoded.as_ref::<Str>().and_then(|s| s.as_str()) {
        Some(text) => Ok(Ok(text.to_owned())),
        None => {
            let text = format!("encoding problem: {coding}");
            Err(plain_error(vm, Exc::SyntaxError, &text))
        }
    }
}

/// Source text from a `str` or bytes.
fn source_text(vm: &mut Vm, source: &Value, function: &str) -> R<String> {
    let text = if let Some(s) = source.as_ref::<Str>() {
        match s.as_str() {
            Some(t) => Ok(t.to_owned()),
            None => return Err(lone_surrogate(vm, s)),
        }
    } else if let Some(b) = source.as_ref::<Bytes>() {
        source_bytes(vm, &b.data)?
    } else if let Some(b) = source.as_ref::<ByteArray>() {
        let data = b.data.get(vm).clone();
        source_bytes(vm, &data)?
    } else if source.is::<crate::objects::memoryview::MemoryView>() {
        let bytes = vm.call(&Bytes::class().to_value(), std::slice::from_ref(source))?;
        return source_text(vm, &bytes, function);
    } else {
        let or = if function == "compile" {
            "string, bytes or AST object"
        } else {
            "string, bytes or code object"
        };
        return Err(vm.type_error(format!("{function}() arg 1 must be a {or}")));
    };
    match text {
        Ok(t) if t.contains('\0') => {
            let text = "source code string cannot contain null bytes";
            Err(plain_error(vm, Exc::SyntaxError, text))
        }
        Ok(t) => Ok(t),
        Err(error) => raise(vm, &error, "<string>"),
    }
}

/// A `SyntaxError` without a position.
fn plain_error(vm: &mut Vm, class: Exc, text: &str) -> crate::vm::Raised {
    match vm.call(&class.class().to_value(), &[Str::value(text)]) {
        Ok(e) => vm.raise_value(e),
        Err(raised) => raised,
    }
}

/// The error of encoding the text as UTF-8.
fn lone_surrogate(vm: &mut Vm, text: &Ref<Str>) -> crate::vm::Raised {
    let encode = names::intern("encode");
    match vm.call_method(&text.to_value(), &encode, &[Str::value("utf-8")]) {
        Err(raised) => raised,
        Ok(_) => vm.value_error("source code string cannot contain lone surrogates"),
    }
}

fn raise<T>(vm: &mut Vm, error: &SyntaxError, file: &str) -> R<T> {
    let e = crate::builtins::exceptions::syntax_error(vm, error, file);
    Err(vm.raise_value(e))
}

/// A file name: `str`, bytes or a path.
fn file_name(vm: &mut Vm, file: &Value) -> R<String> {
    if let Some(s) = file.as_ref::<Str>() {
        let text = s.to_text().into_owned();
        if text.contains('\0') {
            return Err(vm.value_error("embedded null character"));
        }
        return Ok(text);
    }
    if let Some(b) = file.as_ref::<Bytes>() {
        return Ok(String::from_utf8_lossy(&b.data).into_owned());
    }
    let Some(path) = vm.call_special_opt(file, &names::intern("__fspath__"), &[])? else {
        return Err(vm.type_error(format!(
            "expected str, bytes or os.PathLike object, not {}",
            class_of(file).name()
        )));
    };
    if path.is::<Str>() || path.is::<Bytes>() {
        return file_name(vm, &path);
    }
    Err(vm.type_error(format!(
        "expected {}.__fspath__() to return str or bytes, not {}",
        class_of(file).name(),
        class_of(&path).name()
    )))
}

/// `compile(...)`
pub(super) fn compile(vm: &mut Vm, args: Args) -> R {
    let params = crate::params!(
        "(source, filename, mode, flags=0, dont_inherit=False, optimize=-1, *, _feature_version=-1)"
    );
    let a = args.bind(vm, "compile", params, 0)?;
    let file = file_name(vm, &a[1])?;
    let Some(mode) = a[2].as_ref::<Str>().map(|s| s.to_text().into_owned()) else {
        return Err(vm.type_error(format!(
            "compile() argument 'mode' must be str, not {}",
            class_of(&a[2]).name()
        )));
    };
    let flags = match optional(&a, 3) {
        Some(f) => vm.index_i64(f)?,
        None => 0,
    };
    if flags & !flag::KNOWN != 0 {
        return Err(vm.value_error("compile(): unrecognised flags"));
    }
    let optimize = match optional(&a, 5) {
        Some(o) => vm.index_i64(o)?,
        None => -1,
    };
    if !(-1..=2).contains(&optimize) {
        return Err(vm.value_error("compile(): invalid optimize value"));
    }
    let feature = match optional(&a, 6) {
        Some(v) => Some(vm.index_i64(v)?)
            .filter(|v| *v >= 0)
            .unwrap_or(i64::MAX),
        None => i64::MAX,
    };
    let only_tree = flags & flag::ONLY_AST != 0;
    let parsed_mode = match mode.as_str() {
        "exec" => Mode::Exec,
        "eval" => Mode::Eval,
        "single" => Mode::Single,
        "func_type" if only_tree => Mode::FuncType,
        "func_type" => {
            return Err(vm.value_error("compile() mode 'func_type' requires flag PyCF_ONLY_AST"));
        }
        _ if only_tree => {
            return Err(
                vm.value_error("compile() mode must be 'exec', 'eval', 'single' or 'func_type'")
            );
        }
        _ => return Err(vm.value_error("compile() mode must be 'exec', 'eval' or 'single'")),
    };
    if a[0].is::<Code>() {
        return Ok(a[0].clone());
    }
    let options = Options {
        namespace: true,
        asserts: optimize < 1,
        future_annotations: flags & flag::ANNOTATIONS != 0,
        interactive: parsed_mode == Mode::Single,
        top_level_await: flags & flag::TOP_LEVEL_AWAIT != 0,
        ..Options::default()
    };
    let compiled = compile_with(vm, &a, &file, parsed_mode, flags, feature, options)?;
    // The code of a coroutine owns its registers and has no namespace but the globals.
    if compiled
        .as_ref::<Code>()
        .is_some_and(|code| code.proto.flags.coroutine)
    {
        let options = Options {
            namespace: false,
            ..options
        };
        return compile_with(vm, &a, &file, parsed_mode, flags, feature, options);
    }
    Ok(compiled)
}

/// Compiles what `compile` was given.
fn compile_with(
    vm: &mut Vm,
    a: &[Value],
    file: &str,
    parsed_mode: Mode,
    flags: i64,
    feature: i64,
    options: Options,
) -> R {
    let only_tree = flags & flag::ONLY_AST != 0;
    if ast_core::is_node(vm, &a[0])? {
        if flags & (flag::OPTIMIZED_AST | flag::ONLY_AST) == flag::ONLY_AST {
            ast_core::check_root(vm, &a[0], parsed_mode)?;
            return Ok(a[0].clone());
        }
        let tree = ast_core::read(vm, &a[0], parsed_mode)?;
        if only_tree {
            return Ok(a[0].clone());
        }
        return Ok(Value::from_ref(compile_tree(vm, &tree, file, &options)?));
    }
    let text = source_text(vm, &a[0], "compile")?;
    let incomplete = flags & flag::ALLOW_INCOMPLETE != 0;
    let done = if only_tree {
        check_literals(vm, &text, file).and_then(|()| {
            let comments = flags & flag::TYPE_COMMENTS != 0;
            ast_core::parse(vm, &text, file, parsed_mode, comments, feature)
        })
    } else {
        let text = match parsed_mode {
            Mode::Eval => text.trim_start_matches([' ', '\t']),
            _ => &text,
        };
        let code = match parsed_mode {
            Mode::Eval => vm.compile_expression(text, file, &options),
            Mode::Single => {
                single(vm, text, file, flags).and_then(|()| vm.compile_with(text, file, &options))
            }
            _ => vm.compile_with(text, file, &options),
        };
        code.map(Value::from_ref)
    };
    match done {
        Err(raised)
            if incomplete && vm.error_is(Exc::SyntaxError) && is_incomplete(&text, parsed_mode) =>
        {
            vm.swallow(raised, Exc::SyntaxError)?;
            Err(plain_error(
                vm,
                Exc::_IncompleteInputError,
                "incomplete input",
            ))
        }
        other => other,
    }
}

/// Whether a source that does not compile could be the beginning of one that does: what is wrong is that it ends.
fn is_incomplete(text: &str, mode: Mode) -> bool {
    let Err(error) = coldframe_frontend::parse_module_tree(text) else {
        // Nothing yet; or the statement at the prompt lacks the empty line that ends it.
        return mode == Mode::Eval && text.trim().is_empty();
    };
    let message = error.message.as_str();
    if message.ends_with("was never closed") || message.starts_with("unterminated triple-quoted") {
        return true;
    }
    // A backslash continues the last line into nothing.
    if let Some(before) = text.strip_suffix("\\\n") {
        return (before.len() - before.trim_end_matches('\\').len()) & 1 == 0;
    }
    let last = lexemes(text)
        .tokens
        .iter()
        .rev()
        .find(|token| {
            !matches!(
                token.kind,
                TokenKind::End
                    | TokenKind::Newline
                    | TokenKind::Nl
                    | TokenKind::Dedent
                    | TokenKind::Comment
            )
        })
        .copied();
    if message.starts_with("expected an indented block") {
        return last.is_some_and(|token| text.get(token.start..token.end) == Some(":"));
    }
    if message.starts_with("expected 'except' or 'finally' block") {
        let lines = LineIndex::new(text);
        return last.is_some_and(|token| lines.line(token.start) <= error.line);
    }
    false
}

/// What is typed at the prompt is one statement, and a compound one ends with an empty line.
fn single(vm: &mut Vm, text: &str, file: &str, flags: i64) -> R<()> {
    let Ok(parsed) = coldframe_frontend::parse_module_tree(text) else {
        // The compiler gives the error.
        return Ok(());
    };
    use coldframe_frontend::ast::{Ranged, Stmt};
    let body = &parsed.ast.body;
    let Some(first) = body.first() else {
        let error = SyntaxError::at(ErrorKind::Syntax, "invalid syntax", &parsed.lines, 0, 0);
        return raise(vm, &error, file);
    };
    let compound = matches!(
        first,
        Stmt::FunctionDef(_)
            | Stmt::ClassDef(_)
            | Stmt::For(_)
            | Stmt::While(_)
            | Stmt::If(_)
            | Stmt::With(_)
            | Stmt::Match(_)
            | Stmt::Try(_)
    );
    let line = |offset: usize| parsed.lines.line(offset);
    let first_line = line(first.range().start().to_usize());
    // Statements on one line, between semicolons, count as one.
    let several = body
        .iter()
        .skip(1)
        .any(|s| compound || line(s.range().start().to_usize()) != first_line);
    if several {
        let at = body
            .iter()
            .map(|s| s.range().start().to_usize())
            .find(|&at| line(at) != first_line)
            .unwrap_or(0);
        let mut error = SyntaxError::at(
            ErrorKind::Syntax,
            "multiple statements found while compiling a single statement",
            &parsed.lines,
            at,
            at,
        );
        error.text = Some(parsed.lines.text_with_newline(error.line));
        return raise(vm, &error, file);
    }
    // Without the implied dedent a block is closed by a complete line.
    if compound && flags & flag::DONT_IMPLY_DEDENT != 0 && !text.ends_with('\n') {
        return Err(plain_error(
            vm,
            Exc::_IncompleteInputError,
            "incomplete input",
        ));
    }
    Ok(())
}

/// Refuses decimal literals that are longer than `sys.set_int_max_str_digits` allows.
pub(crate) fn check_literals(vm: &mut Vm, source: &str, file: &str) -> R<()> {
    let limit = vm.max_str_digits;
    if limit == 0 || source.len() <= limit {
        return Ok(());
    }
    let mut run = 0;
    let long = source.bytes().any(|byte| {
        run = if byte.is_ascii_digit() || byte == b'_' {
            run + 1
        } else {
            0
        };
        run > limit
    });
    if !long {
        return Ok(());
    }
    let all = lexemes(source);
    for token in &all.tokens {
        if token.kind != TokenKind::Number {
            continue;
        }
        let text = source.get(token.start..token.end).unwrap_or_default();
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let whole = text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
        if whole && digits > limit {
            let message = format!(
                "Exceeds the limit ({limit} digits) for integer string conversion: value has {digits} digits; \
                 use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer \
                 literals to avoid decimal conversion limits."
            );
            let error = SyntaxError::at(
                ErrorKind::Syntax,
                message,
                &all.lines,
                token.start,
                token.end,
            );
            return raise(vm, &error, file);
        }
    }
    Ok(())
}

/// Compiles a tree that a program has put together.
fn compile_tree(vm: &mut Vm, tree: &Tree, file: &str, options: &Options) -> R<Ref<Code>> {
    let lines = LineIndex::grid();
    let options = &Options {
        count_loops: vm.policy.while_iterations.is_some(),
        ..*options
    };
    let compiled = match tree {
        Tree::Module(module, interactive) => {
            let options = Options {
                interactive: *interactive,
                ..*options
            };
            coldframe_frontend::check_module_tree(module, &lines)
                .and_then(|()| coldframe_compiler::compile_module(module, &lines, &options))
        }
        Tree::Expression(expression) => {
            coldframe_frontend::check_expression_tree(expression, &lines)
                .and_then(|()| coldframe_compiler::compile_expression(expression, &lines, options))
        }
    };
    match compiled {
        Ok(proto) => {
            let source = Rc::new(Source::new(names::intern(file), lines, vm.origin_of_text()));
            Code::link(vm, &proto, &source)
        }
        Err(error) => raise(vm, &error, file),
    }
}

/// The globals of `eval` and `exec`.
fn globals_of(vm: &mut Vm, given: Option<&Value>, is_eval: bool) -> R<Ref<Dict>> {
    let Some(g) = given else {
        return Ok(vm
            .frames
            .last()
            .map_or_else(|| vm.main.dict.clone(), |f| f.function.globals.clone()));
    };
    if let Some(d) = g.as_ref::<Dict>() {
        return Ok(d.clone());
    }
    let text = if !is_eval {
        format!("exec() globals must be a dict, not {}", class_of(g).name())
    } else if class_of(g).slots().getitem.is_some() {
        "globals must be a real dict; try eval(expr, {}, mapping)".to_owned()
    } else {
        "globals must be a dict".to_owned()
    };
    Err(vm.type_error(text))
}

/// The cells that `exec` was given for a code object with free variables.
fn closure_of(vm: &mut Vm, code: &Ref<Code>, given: Option<Value>) -> R<Vec<Ref<Cell>>> {
    let wanted = code.freevars.len();
    if wanted == 0 {
        return match given {
            Some(_) => Err(vm.type_error("cannot use a closure with this code object")),
            None => Ok(Vec::new()),
        };
    }
    let cells = given.as_ref().and_then(|v| v.as_exact::<Tuple>()).map(|t| {
        t.items()
            .iter()
            .filter_map(|v| v.as_exact::<Cell>().cloned())
            .collect::<Vec<_>>()
    });
    let whole = given
        .as_ref()
        .and_then(|v| v.as_exact::<Tuple>())
        .is_some_and(|t| t.items().len() == wanted);
    match cells {
        Some(cells) if whole && cells.len() == wanted => Ok(cells),
        _ => Err(vm.type_error(format!(
            "code object requires a closure of exactly length {wanted}"
        ))),
    }
}

/// `eval` and `exec`.
pub(super) fn evaluate(vm: &mut Vm, args: Args, is_eval: bool) -> R {
    let name = if is_eval { "eval" } else { "exec" };
    let params = if is_eval {
        crate::params!("(source, /, globals=None, locals=None)")
    } else {
        crate::params!("(source, /, globals=None, locals=None, *, closure=None)")
    };
    let a = args.bind(vm, name, params, 0)?;
    let given = |i: usize| optional(&a, i).filter(|v| !v.is_none()).cloned();
    let (globals, locals, closure) = (given(1), given(2), given(3));
    let globals_dict = globals_of(vm, globals.as_ref(), is_eval)?;
    if let Some(l) = &locals
        && class_of(l).slots().getitem.is_none()
    {
        let text = if is_eval {
            "locals must be a mapping".to_owned()
        } else {
            format!(
                "locals must be a mapping or None, not {}",
                class_of(l).name()
            )
        };
        return Err(vm.type_error(text));
    }
    let namespace = match (locals, &globals) {
        (Some(l), _) => Some(l),
        (None, Some(g)) if !g.is_exact::<Dict>() => Some(g.clone()),
        (None, Some(_)) => None,
        (None, None) => {
            let l = crate::builtins::frames::current_locals(vm);
            (!l.is_same(&globals_dict.to_value())).then_some(l)
        }
    };
    let (code, cells) = match a[0].as_ref::<Code>() {
        Some(c) if is_eval && !c.freevars.is_empty() => {
            let text = "code object passed to eval() may not contain free variables";
            return Err(vm.type_error(text));
        }
        Some(c) => (vm.own_code(c), closure_of(vm, c, closure)?),
        None => {
            if closure.is_some() {
                let text = "closure can only be used when source is a code object";
                return Err(vm.type_error(text));
            }
            let text = source_text(vm, &a[0], name)?;
            let options = Options {
                namespace: true,
                ..Options::default()
            };
            let code = if is_eval {
                vm.compile_expression(text.trim_start_matches([' ', '\t']), "<string>", &options)?
            } else {
                vm.compile_with(&text, "<string>", &options)?
            };
            (code, Vec::new())
        }
    };
    vm.check_place(&code, &globals_dict)?;
    let result = vm.run_code_with(&code, &globals_dict, namespace, cells)?;
    Ok(if is_eval { result } else { Value::NONE })
}
