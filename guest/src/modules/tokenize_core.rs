//! `_tokenize_core`: the tokens of a text as tuples for `_tokenize`.

use crate::heap::Ref;
use crate::names;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_frontend::LineIndex;
use coldframe_frontend::tokens::{Lexeme, TokenKind, lexemes};

static FUNCTIONS: &[Def] = &[Def::function("scan", "(text, /)", scan)];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_tokenize_core", "", FUNCTIONS)
}

fn kind_name(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Name => "NAME",
        TokenKind::Number => "NUMBER",
        TokenKind::String => "STRING",
        TokenKind::FStringStart => "FSTRING_START",
        TokenKind::FStringMiddle => "FSTRING_MIDDLE",
        TokenKind::FStringEnd => "FSTRING_END",
        TokenKind::TStringStart => "TSTRING_START",
        TokenKind::TStringMiddle => "TSTRING_MIDDLE",
        TokenKind::TStringEnd => "TSTRING_END",
        TokenKind::Newline => "NEWLINE",
        TokenKind::Indent => "INDENT",
        TokenKind::Dedent => "DEDENT",
        TokenKind::Op | TokenKind::Error => "OP",
        TokenKind::Comment => "COMMENT",
        TokenKind::Nl => "NL",
        TokenKind::End => "ENDMARKER",
    }
}

/// `(tokens, error)`: what `text` consists of up to the error, if there is one.
fn scan(vm: &mut Vm, args: &[Value]) -> R {
    let Some(text) = args[0].as_ref::<Str>() else {
        return Err(vm.type_error("scan() argument must be str"));
    };
    let Some(source) = text.as_str() else {
        return Err(vm.value_error("source code string cannot contain lone surrogates"));
    };
    let all = lexemes(source);
    let mut out = Vec::with_capacity(all.tokens.len());
    for token in &all.tokens {
        vm.poll_native()?;
        tuples(&all.lines, source, *token, &mut out);
    }
    let error = match &all.error {
        Some(error) => crate::builtins::exceptions::syntax_error(vm, error, "<string>"),
        None => Value::NONE,
    };
    Ok(Tuple::value(vec![List::value(out), error]))
}

fn place(lines: &LineIndex, offset: usize) -> (i64, i64) {
    let at = lines.location(offset);
    (i64::from(at.line), i64::from(at.column))
}

fn pair((line, column): (i64, i64)) -> Value {
    Tuple::value(vec![Value::int(line), Value::int(column)])
}

/// The whole lines from one place to another, with their ends.
fn whole_lines(lines: &LineIndex, source: &str, start: usize, end: usize) -> Value {
    let first = lines.start(lines.line(start));
    let last = lines.start(lines.line(end.max(start)) + 1);
    Str::value(source.get(first..last).unwrap_or_default())
}

/// One token; literal text of an f-string with doubled braces is several.
fn tuples(lines: &LineIndex, source: &str, token: Lexeme, out: &mut Vec<Value>) {
    let mut push = |text: &str, start: (i64, i64), end: (i64, i64), line: Value| {
        out.push(Tuple::value(vec![
            Value::from_ref(names::intern(kind_name(token.kind))),
            Str::value(text),
            pair(start),
            pair(end),
            line,
        ]));
    };
    let len = source.len();
    match token.kind {
        TokenKind::End => {
            // The end stands on a line of its own, whether the last one is complete or not.
            let (line, column) = place(lines, len);
            let line = if column > 0 { line + 1 } else { line };
            push("", (line, 0), (line, 0), Str::value(""));
        }
        TokenKind::Dedent => {
            if token.start >= len {
                let (line, column) = place(lines, len);
                let line = if column > 0 { line + 1 } else { line };
                push("", (line, 0), (line, 0), Str::value(""));
            } else {
                let at = place(lines, token.start);
                let line = whole_lines(lines, source, token.start, token.start);
                push("", at, at, line);
            }
        }
        TokenKind::Newline | TokenKind::Nl => {
            let (line, column) = place(lines, token.start);
            let text = source
                .get(token.start..token.end.min(len))
                .unwrap_or_default();
            let width = text.len().max(1) as i64;
            let whole = whole_lines(lines, source, token.start.min(len), token.start.min(len));
            push(text, (line, column), (line, column + width), whole);
        }
        TokenKind::FStringMiddle | TokenKind::TStringMiddle => {
            // A doubled brace ends a piece, which shows one of the two.
            let text = source.get(token.start..token.end).unwrap_or_default();
            let whole = whole_lines(lines, source, token.start, token.end);
            let mut from = 0;
            let bytes = text.as_bytes();
            let mut at = 0;
            while at + 1 < bytes.len() {
                if matches!(bytes[at], b'{' | b'}') && bytes[at + 1] == bytes[at] {
                    let start = place(lines, token.start + from);
                    let end = place(lines, token.start + at + 1);
                    push(&text[from..at + 1], start, end, whole.clone());
                    at += 2;
                    from = at;
                } else {
                    at += 1;
                }
            }
            if from < text.len() || text.is_empty() {
                let start = place(lines, token.start + from);
                let end = place(lines, token.end);
                push(&text[from..], start, end, whole);
            }
        }
        _ => {
            let text = source.get(token.start..token.end).unwrap_or_default();
            let start = place(lines, token.start);
            let end = place(lines, token.end);
            let line = whole_lines(lines, source, token.start, token.end);
            push(text, start, end, line);
        }
    }
}
