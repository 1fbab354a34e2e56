//! What an encoder or decoder does about characters or bytes that it cannot deal with: the error handlers of `codecs`.
//!
//! A codec that meets a problem asks [`Handler`] what to do. The handlers that every Python has are decided here without an exception object;
//! those registered by a program are called with one, and the program may change its `object`.

use super::repr::{push_escape, push_hex};
use super::{Str, push_char, unicode};
use crate::heap::Ref;
use crate::names;
use crate::objects::bytes::Bytes;
use crate::objects::dict::Dict;
use crate::objects::exception::{Exc, Exception};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};

/// Where the registered error handlers are kept among the machine's settings.
const REGISTRY: &str = "codecs.errors";

/// An error handler.
#[derive(Clone)]
pub enum Handler {
    /// Raise the exception.
    Strict,
    /// Leave the character out.
    Ignore,
    /// `?`, or U+FFFD when decoding.
    Replace,
    /// `\x..`, `\u....`
    Backslash,
    /// `&#...;`
    Xml,
    /// `\N{...}`
    Name,
    /// Bytes that cannot be decoded are kept as lone surrogates.
    SurrogateEscape,
    /// Lone surrogates are encoded as if they were characters.
    SurrogatePass,
    /// Registered by the program under this name; looked up when it is needed.
    Custom(String),
}

impl Handler {
    /// The handler of a name. Whether a name that is not built in is known is found out when it is needed.
    pub fn of_name(name: &str) -> Handler {
        match name {
            "strict" => Handler::Strict,
            "ignore" => Handler::Ignore,
            "replace" => Handler::Replace,
            "backslashreplace" => Handler::Backslash,
            "xmlcharrefreplace" => Handler::Xml,
            "namereplace" => Handler::Name,
            "surrogateescape" => Handler::SurrogateEscape,
            "surrogatepass" => Handler::SurrogatePass,
            other => Handler::Custom(other.to_owned()),
        }
    }

    /// The handler of an `errors` argument that may be missing or `None`; `what` names the argument in messages.
    pub fn of_arg(vm: &mut Vm, v: Option<&Value>, what: &str) -> R<Handler> {
        match v {
            None => Ok(Handler::Strict),
            Some(v) if v.is_none() => Ok(Handler::Strict),
            Some(v) => Ok(Handler::of_name(
                &super::search::text_arg(vm, v, what)?.to_text(),
            )),
        }
    }
}

/// A problem of an encoder: characters `start..end` of the text.
pub struct EncodeProblem<'a> {
    /// Name of the encoding.
    pub encoding: &'a str,
    /// What is being encoded.
    pub text: &'a Ref<Str>,
    /// First character.
    pub start: usize,
    /// Behind the last one.
    pub end: usize,
    /// What is wrong.
    pub reason: &'a str,
}

/// A problem of a decoder: bytes `start..end` of the data.
pub struct DecodeProblem<'a> {
    /// Name of the encoding.
    pub encoding: &'a str,
    /// What is being decoded.
    pub data: &'a [u8],
    /// First byte.
    pub start: usize,
    /// Behind the last one.
    pub end: usize,
    /// What is wrong.
    pub reason: &'a str,
}

/// What to put in place of characters that cannot be encoded.
pub enum Replacement {
    /// Text, to be encoded.
    Text(Vec<u8>),
    /// Bytes, to be copied.
    Bytes(Vec<u8>),
}

fn unicode_error(vm: &mut Vm, class: Exc, args: Vec<Value>) -> Value {
    let e = Exception::new(class.class(), Tuple::value(args.clone()));
    e.state.get_mut(vm).fields = args;
    Value::from_ref(e)
}

/// Makes a `UnicodeEncodeError`.
pub fn encode_error(vm: &mut Vm, p: &EncodeProblem) -> Value {
    let args = vec![
        Str::value(p.encoding),
        p.text.to_value(),
        Value::int(p.start as i64),
        Value::int(p.end as i64),
        Str::value(p.reason),
    ];
    unicode_error(vm, Exc::UnicodeEncodeError, args)
}

/// Makes a `UnicodeDecodeError`.
pub fn decode_error(vm: &mut Vm, p: &DecodeProblem) -> Value {
    let args = vec![
        Str::value(p.encoding),
        Bytes::value(p.data.to_vec()),
        Value::int(p.start as i64),
        Value::int(p.end as i64),
        Str::value(p.reason),
    ];
    unicode_error(vm, Exc::UnicodeDecodeError, args)
}

/// Raises the `UnicodeEncodeError`.
#[cold]
pub fn raise_encode(vm: &mut Vm, p: &EncodeProblem) -> Raised {
    let e = encode_error(vm, p);
    vm.raise_value(e)
}

/// Raises the `UnicodeDecodeError`.
#[cold]
pub fn raise_decode(vm: &mut Vm, p: &DecodeProblem) -> Raised {
    let e = decode_error(vm, p);
    vm.raise_value(e)
}

/// The lone surrogates that `encoding` writes as if they were characters, for `surrogatepass`.
fn surrogate_bytes(encoding: &str, c: u32, out: &mut Vec<u8>) -> bool {
    let lower: String = encoding
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    match lower.as_str() {
        "utf8" | "utf8sig" | "cp65001" => push_char(out, c),
        "utf16" | "utf16le" => out.extend((c as u16).to_le_bytes()),
        "utf16be" => out.extend((c as u16).to_be_bytes()),
        "utf32" | "utf32le" => out.extend(c.to_le_bytes()),
        "utf32be" => out.extend(c.to_be_bytes()),
        _ => return false,
    }
    true
}

/// Asks what to do about characters that cannot be encoded: the replacement, and the character to go on with.
pub fn on_encode_problem(
    vm: &mut Vm,
    handler: &Handler,
    p: &EncodeProblem,
) -> R<(Replacement, usize)> {
    let chars = || (p.start..p.end).map(|i| p.text.char_at(i));
    let mut out = Vec::new();
    let replacement = match handler {
        Handler::Strict => return Err(raise_encode(vm, p)),
        Handler::Ignore => Replacement::Bytes(out),
        Handler::Replace => Replacement::Text(vec![b'?'; p.end - p.start]),
        Handler::Backslash => {
            chars().for_each(|c| push_escape(&mut out, c));
            Replacement::Text(out)
        }
        Handler::Xml => {
            chars().for_each(|c| out.extend(format!("&#{c};").into_bytes()));
            Replacement::Text(out)
        }
        Handler::Name => {
            for c in chars() {
                match unicode::name(c) {
                    Some(name) => out.extend(format!("\\N{{{name}}}").into_bytes()),
                    None => push_escape(&mut out, c),
                }
            }
            Replacement::Text(out)
        }
        Handler::SurrogateEscape => {
            for (i, c) in chars().enumerate() {
                if !(0xDC80..0xDD00).contains(&c) {
                    if i == 0 || p.encoding == "charmap" {
                        return Err(raise_encode(vm, p));
                    }
                    // The escaped ones before it first; then it is a problem of its own.
                    return Ok((Replacement::Bytes(out), p.start + i));
                }
                out.push((c - 0xDC00) as u8);
            }
            Replacement::Bytes(out)
        }
        Handler::SurrogatePass => {
            for c in chars() {
                if !(0xD800..0xE000).contains(&c) || !surrogate_bytes(p.encoding, c, &mut out) {
                    return Err(raise_encode(vm, p));
                }
            }
            Replacement::Bytes(out)
        }
        Handler::Custom(name) => {
            let f = lookup(vm, name)?;
            let e = encode_error(vm, p);
            let (value, at) = call(vm, &f, e, "encoding", p.text.len())?;
            let replacement = if let Some(s) = value.as_ref::<Str>() {
                Replacement::Text(s.as_bytes().to_vec())
            } else if let Some(b) = value.as_ref::<Bytes>() {
                Replacement::Bytes(b.data.to_vec())
            } else {
                return Err(
                    vm.type_error("encoding error handler must return (str/bytes, int) tuple")
                );
            };
            return Ok((replacement, at));
        }
    };
    Ok((replacement, p.end))
}

/// Asks what to do about bytes that cannot be decoded: the text to put there, and the byte to go on with.
pub fn on_decode_problem(
    vm: &mut Vm,
    handler: &Handler,
    p: &DecodeProblem,
    out: &mut Vec<u8>,
) -> R<usize> {
    let bytes = &p.data[p.start..p.end];
    match handler {
        Handler::Ignore => Ok(p.end),
        Handler::Replace => {
            push_char(out, 0xFFFD);
            Ok(p.end)
        }
        Handler::Backslash => {
            for &b in bytes {
                out.extend(b"\\x");
                push_hex(out, b as u32, 2);
            }
            Ok(p.end)
        }
        Handler::SurrogateEscape => {
            let high = bytes.iter().take_while(|&&b| b >= 0x80).take(4).count();
            if high == 0 {
                return Err(raise_decode(vm, p));
            }
            bytes[..high]
                .iter()
                .for_each(|&b| push_char(out, 0xDC00 + b as u32));
            Ok(p.start + high)
        }
        Handler::SurrogatePass => match passed_surrogate(p) {
            Some((c, n)) => {
                push_char(out, c);
                Ok(p.start + n)
            }
            None => Err(raise_decode(vm, p)),
        },
        Handler::Strict => Err(raise_decode(vm, p)),
        Handler::Xml | Handler::Name => {
            let e = decode_error(vm, p);
            Err(unexpected(vm, &e))
        }
        Handler::Custom(name) => {
            let f = lookup(vm, name)?;
            let e = decode_error(vm, p);
            let (value, at) = call(vm, &f, e, "decoding", p.data.len())?;
            match value.as_ref::<Str>() {
                Some(s) => out.extend_from_slice(s.as_bytes()),
                None => {
                    return Err(
                        vm.type_error("decoding error handler must return (str, int) tuple")
                    );
                }
            }
            Ok(at)
        }
    }
}

/// The encoded surrogate at a problem's start, and its length.
fn passed_surrogate(p: &DecodeProblem) -> Option<(u32, usize)> {
    let lower: String = p
        .encoding
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let rest = &p.data[p.start..];
    let pair = |f: fn([u8; 2]) -> u16| rest.first_chunk().map(|b| (f(*b) as u32, 2));
    let quad = |f: fn([u8; 4]) -> u32| rest.first_chunk().map(|b| (f(*b), 4));
    let found = match lower.as_str() {
        "utf8" | "utf8sig" => match rest {
            [0xED, b @ 0xA0..=0xBF, c @ 0x80..=0xBF, ..] => {
                Some((0xD000 | (*b as u32 & 0x3F) << 6 | (*c as u32 & 0x3F), 3))
            }
            _ => None,
        },
        "utf16" | "utf16le" => pair(u16::from_le_bytes),
        "utf16be" => pair(u16::from_be_bytes),
        "utf32" | "utf32le" => quad(u32::from_le_bytes),
        "utf32be" => quad(u32::from_be_bytes),
        _ => None,
    };
    found.filter(|(c, _)| (0xD800..0xE000).contains(c))
}

/// The error of a handler that is given an exception that it does not handle.
#[cold]
pub fn unexpected(vm: &mut Vm, exception: &Value) -> Raised {
    let name = class_of(exception).name().into_owned();
    vm.type_error(format!("don't know how to handle {name} in error callback"))
}

/// The registry of handlers.
fn registry(vm: &mut Vm) -> Ref<Dict> {
    if let Some(d) = vm.settings.get(REGISTRY).and_then(|v| v.as_ref::<Dict>()) {
        return d.clone();
    }
    let d = Dict::new();
    vm.settings.insert(REGISTRY, d.to_value());
    d
}

/// Registers a handler.
pub fn register(vm: &mut Vm, name: &str, handler: Value) {
    let d = registry(vm);
    d.set_str(vm, &names::intern(name), handler);
}

/// Takes a handler back; whether there was one. Those that every Python has stay.
pub fn unregister(vm: &mut Vm, name: &str) -> R {
    if !matches!(Handler::of_name(name), Handler::Custom(_)) {
        return Err(vm.value_error(format!(
            "cannot un-register built-in error handler '{name}'"
        )));
    }
    let d = registry(vm);
    Ok(Value::bool(d.remove_str(vm, &Str::new(name)).is_some()))
}

/// The handler registered under a name, if any.
pub fn registered(vm: &mut Vm, name: &str) -> Option<Value> {
    let d = registry(vm);
    d.get_str(vm, &Str::new(name)).cloned()
}

fn lookup(vm: &mut Vm, name: &str) -> R {
    match registered(vm, name) {
        Some(f) => Ok(f),
        None => Err(vm.lookup_error(format!("unknown error handler name '{name}'"))),
    }
}

/// Calls a registered handler: what it returns, and the position to go on with.
fn call(vm: &mut Vm, f: &Value, exception: Value, doing: &str, len: usize) -> R<(Value, usize)> {
    let result = vm.call(f, &[exception])?;
    let kind = if doing == "encoding" {
        "(str/bytes, int)"
    } else {
        "(str, int)"
    };
    let pair = result.as_ref::<Tuple>().map(|t| t.items().to_vec());
    let Some([value, position]) = pair.as_deref() else {
        return Err(vm.type_error(format!("{doing} error handler must return {kind} tuple")));
    };
    if position.as_int().is_none() {
        return Err(vm.type_error(format!("{doing} error handler must return {kind} tuple")));
    }
    let n = vm.index_i64(position)?;
    let at = if n < 0 { n + len as i64 } else { n };
    if at < 0 || at > len as i64 {
        return Err(vm.index_error(format!("position {n} from error handler out of bounds")));
    }
    Ok((value.clone(), at as usize))
}

/// What the built-in handler `kind` answers to a `UnicodeError` object: `(replacement, position)`. For `codecs.lookup_error`.
pub fn answer(vm: &mut Vm, kind: &Handler, exception: &Value) -> R {
    let Some(e) = exception.as_ref::<Exception>() else {
        return Err(vm.type_error("codec must pass exception instance"));
    };
    if matches!(kind, Handler::Strict) {
        return Err(vm.raise_value(exception.clone()));
    }
    let is = |class: Exc| class_of(exception).is_subclass_of(class.class());
    let fields = e.state.get(vm).fields.clone();
    if is(Exc::UnicodeEncodeError)
        && let [encoding, object, start, end, reason] = fields.as_slice()
        && let (Some(encoding), Some(text), Some(reason)) = (
            encoding.as_ref::<Str>(),
            object.as_ref::<Str>(),
            reason.as_ref::<Str>(),
        )
    {
        let (start, end) = (vm.index_i64(start)?, vm.index_i64(end)?);
        let start = start.clamp(0, text.len() as i64) as usize;
        let end = (end.max(0) as usize).clamp(start, text.len());
        let problem = EncodeProblem {
            encoding: &encoding.to_text(),
            text,
            start,
            end,
            reason: &reason.to_text(),
        };
        let (replacement, at) = on_encode_problem(vm, kind, &problem)?;
        let value = match replacement {
            Replacement::Text(t) => Str::value_wtf8(&t),
            Replacement::Bytes(b) if matches!(kind, Handler::Ignore) && b.is_empty() => {
                Str::value("")
            }
            Replacement::Bytes(b) => Bytes::value(b),
        };
        return Ok(Tuple::value(vec![value, Value::int(at as i64)]));
    }
    if is(Exc::UnicodeDecodeError)
        && let [encoding, object, start, end, reason] = fields.as_slice()
        && let (Some(encoding), Some(data), Some(reason)) = (
            encoding.as_ref::<Str>(),
            object.as_ref::<Bytes>(),
            reason.as_ref::<Str>(),
        )
    {
        if matches!(kind, Handler::Xml | Handler::Name) {
            return Err(unexpected(vm, exception));
        }
        let (start, end) = (vm.index_i64(start)?, vm.index_i64(end)?);
        let start = start.clamp(0, data.data.len() as i64) as usize;
        let end = (end.max(0) as usize).clamp(start, data.data.len());
        let problem = DecodeProblem {
            encoding: &encoding.to_text(),
            data: &data.data,
            start,
            end,
            reason: &reason.to_text(),
        };
        let mut out = Vec::new();
        let at = on_decode_problem(vm, kind, &problem, &mut out)?;
        return Ok(Tuple::value(vec![
            Str::value_wtf8(&out),
            Value::int(at as i64),
        ]));
    }
    if is(Exc::UnicodeTranslateError)
        && let [object, start, end, _] = fields.as_slice()
        && let Some(text) = object.as_ref::<Str>()
    {
        let (start, end) = (
            vm.index_i64(start)?.max(0) as usize,
            vm.index_i64(end)?.max(0) as usize,
        );
        let end = end.min(text.len());
        let mut out = Vec::new();
        match kind {
            Handler::Ignore => {}
            Handler::Replace => (start..end).for_each(|_| push_char(&mut out, 0xFFFD)),
            Handler::Backslash => (start..end).for_each(|i| push_escape(&mut out, text.char_at(i))),
            _ => return Err(unexpected(vm, exception)),
        }
        return Ok(Tuple::value(vec![
            Str::value_wtf8(&out),
            Value::int(end as i64),
        ]));
    }
    Err(unexpected(vm, exception))
}
