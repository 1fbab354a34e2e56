//! The module `_codecs`: encodings by name, error handlers, and the encoders and decoders that need no Python code.

use crate::heap::Ref;
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::codec_registry;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::{Def, Native};
use crate::objects::string::encoding::{self, Codec, Order};
use crate::objects::string::errors::{
    self, DecodeProblem, EncodeProblem, Handler, Replacement, on_decode_problem, on_encode_problem,
    raise_encode,
};
use crate::objects::string::search::text_arg;
use crate::objects::string::{Str, chars_of, decoding, escapes, push_char};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    for def in HANDLERS {
        let f = Native::function(def, Value::NONE);
        errors::register(vm, def.name.trim_end_matches("_errors"), f);
    }
    Module::native(vm, "_codecs", "", FUNCTIONS)
}

/// The first escape that has no meaning, or the octal one that is no byte.
fn doubtful_escape(data: &[u8]) -> Option<String> {
    let mut at = 0;
    while let Some(n) = memchr::memchr(b'\\', data.get(at..)?) {
        at += n + 1;
        let b = *data.get(at)?;
        at += 1;
        match b {
            b'0'..=b'7' => {
                let digits = data[at..].iter().take(2);
                let more = digits.take_while(|b| (b'0'..=b'7').contains(*b)).count();
                if more == 2 && b >= b'4' {
                    let text = String::from_utf8_lossy(&data[at - 1..at + more]);
                    return Some(format!("\\{text}"));
                }
                at += more;
            }
            b'\n' | b'\\' | b'\'' | b'"' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v'
            | b'x' => {}
            _ => return Some(format!("\\{}", b as char)),
        }
    }
    None
}

/// The built-in error handlers as functions.
static HANDLERS: &[Def] = &[
    Def::function("strict_errors", "(exception, /)", |vm, args| {
        errors::answer(vm, &Handler::Strict, &args[0])
    }),
    Def::function("ignore_errors", "(exception, /)", |vm, args| {
        errors::answer(vm, &Handler::Ignore, &args[0])
    }),
    Def::function("replace_errors", "(exception, /)", |vm, args| {
        errors::answer(vm, &Handler::Replace, &args[0])
    }),
    Def::function("backslashreplace_errors", "(exception, /)", |vm, args| {
        errors::answer(vm, &Handler::Backslash, &args[0])
    }),
    Def::function("xmlcharrefreplace_errors", "(exception, /)", |vm, args| {
        errors::answer(vm, &Handler::Xml, &args[0])
    }),
    Def::function("namereplace_errors", "(exception, /)", |vm, args| {
        errors::answer(vm, &Handler::Name, &args[0])
    }),
    Def::function("surrogateescape", "(exception, /)", |vm, args| {
        errors::answer(vm, &Handler::SurrogateEscape, &args[0])
    }),
    Def::function("surrogatepass", "(exception, /)", |vm, args| {
        errors::answer(vm, &Handler::SurrogatePass, &args[0])
    }),
];

macro_rules! encoder {
    ($name:literal, $codec:expr) => {
        Def::function($name, "(str, errors=None, /)", |vm, args| {
            encode_with(vm, args, $codec)
        })
    };
}

/// A decoder that may leave an incomplete end for the next piece.
macro_rules! decoder {
    ($name:literal, $codec:expr) => {
        Def::function($name, "(data, errors=None, final=False, /)", |vm, args| {
            let last = match optional(args, 2) {
                Some(v) => vm.truthy(v)?,
                None => false,
            };
            decode_with(vm, args, $codec, last)
        })
    };
}

/// A decoder to which every byte is a whole.
macro_rules! whole_decoder {
    ($name:literal, $codec:expr) => {
        Def::function($name, "(data, errors=None, /)", |vm, args| {
            decode_with(vm, args, $codec, true)
        })
    };
}

static FUNCTIONS: &[Def] = &[
    Def::function(
        "utf_7_encode",
        "(str, errors=None, /)",
        crate::modules::utf7::encode,
    ),
    Def::function(
        "utf_7_decode",
        "(data, errors=None, final=False, /)",
        crate::modules::utf7::decode,
    ),
    encoder!("utf_8_encode", Codec::Utf8),
    decoder!("utf_8_decode", Codec::Utf8),
    encoder!("ascii_encode", Codec::Ascii),
    whole_decoder!("ascii_decode", Codec::Ascii),
    encoder!("latin_1_encode", Codec::Latin1),
    whole_decoder!("latin_1_decode", Codec::Latin1),
    encoder!("utf_16_le_encode", Codec::Utf16(Order::Little)),
    decoder!("utf_16_le_decode", Codec::Utf16(Order::Little)),
    encoder!("utf_16_be_encode", Codec::Utf16(Order::Big)),
    decoder!("utf_16_be_decode", Codec::Utf16(Order::Big)),
    decoder!("utf_32_decode", Codec::Utf32(Order::Marked)),
    encoder!("utf_32_le_encode", Codec::Utf32(Order::Little)),
    decoder!("utf_32_le_decode", Codec::Utf32(Order::Little)),
    encoder!("utf_32_be_encode", Codec::Utf32(Order::Big)),
    decoder!("utf_32_be_decode", Codec::Utf32(Order::Big)),
    decoder!("utf_16_decode", Codec::Utf16(Order::Marked)),
    encoder!("unicode_escape_encode", Codec::UnicodeEscape),
    encoder!("raw_unicode_escape_encode", Codec::RawUnicodeEscape),
    Def::function(
        "utf_16_encode",
        "(str, errors=None, byteorder=0, /)",
        |vm, args| {
            let order = byte_order(vm, args, 2)?;
            encode_with(vm, args, Codec::Utf16(order))
        },
    ),
    Def::function(
        "utf_32_encode",
        "(str, errors=None, byteorder=0, /)",
        |vm, args| {
            let order = byte_order(vm, args, 2)?;
            encode_with(vm, args, Codec::Utf32(order))
        },
    ),
    Def::function(
        "utf_16_ex_decode",
        "(data, errors=None, byteorder=0, final=False, /)",
        |vm, args| ex_decode(vm, args, Codec::Utf16),
    ),
    Def::function(
        "utf_32_ex_decode",
        "(data, errors=None, byteorder=0, final=False, /)",
        |vm, args| ex_decode(vm, args, Codec::Utf32),
    ),
    Def::function(
        "unicode_escape_decode",
        "(data, errors=None, final=True, /)",
        |vm, args| escape_text(vm, args, Codec::UnicodeEscape),
    ),
    Def::function(
        "raw_unicode_escape_decode",
        "(data, errors=None, final=True, /)",
        |vm, args| escape_text(vm, args, Codec::RawUnicodeEscape),
    ),
    Def::function("escape_decode", "(data, errors=None, /)", |vm, args| {
        let data = bytes_or_text(vm, &args[0])?;
        let errors = errors_name(vm, args, 1, "escape_decode")?;
        match escapes::decode_bytes(&data, &errors) {
            Ok(out) => {
                if let Some(escape) = doubtful_escape(&data) {
                    let kind = if escape.len() > 2 { "octal " } else { "" };
                    let message = format!(
                        "b\"{escape}\" is an invalid {kind}escape sequence. Such sequences will not work in the future. "
                    );
                    vm.warn(Exc::DeprecationWarning, &message)?;
                }
                Ok(pair(Bytes::value(out), data.len()))
            }
            Err(message) => Err(vm.value_error(message)),
        }
    }),
    Def::function(
        "escape_encode",
        "(data, errors=None, /)",
        |vm, args| match args[0].as_ref::<Bytes>() {
            Some(b) => Ok(pair(
                Bytes::value(escapes::encode_bytes(&b.data)),
                b.data.len(),
            )),
            None => Err(vm.type_error(format!(
                "escape_encode() argument 1 must be bytes, not {}",
                class_of(&args[0]).name()
            ))),
        },
    ),
    Def::function("readbuffer_encode", "(data, errors=None, /)", |vm, args| {
        let data = bytes_or_text(vm, &args[0])?;
        let n = data.len();
        Ok(pair(Bytes::value(data), n))
    }),
    Def::function("charmap_build", "(map, /)", |vm, args| {
        let map = text_arg(vm, &args[0], "charmap_build() argument")?;
        let table = Dict::new();
        for (i, c) in map.chars().enumerate() {
            table.set_item(vm, &Value::small_int(c as i64), Value::small_int(i as i64))?;
        }
        Ok(Value::from_ref(table))
    }),
    Def::function(
        "charmap_decode",
        "(data, errors=None, mapping=None, /)",
        charmap_decode,
    ),
    Def::function(
        "charmap_encode",
        "(str, errors=None, mapping=None, /)",
        charmap_encode,
    ),
    Def::function("register", "(search_function, /)", |vm, args| {
        if class_of(&args[0]).slots().call.is_none() && !is_function(&args[0]) {
            return Err(vm.type_error("argument must be callable"));
        }
        codec_registry::register(vm, &args[0])?;
        Ok(Value::NONE)
    }),
    Def::function("unregister", "(search_function, /)", |vm, args| {
        codec_registry::unregister(vm, &args[0]);
        Ok(Value::NONE)
    }),
    Def::function("lookup", "(encoding, /)", |vm, args| {
        let name = text_arg(vm, &args[0], "lookup() argument")?
            .to_text()
            .into_owned();
        codec_registry::lookup(vm, &name)
    }),
    Def::function("register_error", "(errors, handler, /)", |vm, args| {
        let name = text_arg(vm, &args[0], "register_error() argument 1")?
            .to_text()
            .into_owned();
        if class_of(&args[1]).slots().call.is_none() && !is_function(&args[1]) {
            return Err(vm.type_error("handler must be callable"));
        }
        errors::register(vm, &name, args[1].clone());
        Ok(Value::NONE)
    }),
    Def::function("_unregister_error", "(errors, /)", |vm, args| {
        let name = text_arg(vm, &args[0], "_unregister_error() argument")?
            .to_text()
            .into_owned();
        errors::unregister(vm, &name)
    }),
    Def::function("lookup_error", "(name, /)", |vm, args| {
        let name = text_arg(vm, &args[0], "lookup_error() argument")?
            .to_text()
            .into_owned();
        match errors::registered(vm, &name) {
            Some(f) => Ok(f),
            None => Err(vm.lookup_error(format!("unknown error handler name '{name}'"))),
        }
    }),
    Def::function(
        "encode",
        "(obj, encoding='utf-8', errors='strict')",
        |vm, args| any_codec(vm, args, 0),
    ),
    Def::function(
        "decode",
        "(obj, encoding='utf-8', errors='strict')",
        |vm, args| any_codec(vm, args, 1),
    ),
];

fn is_function(v: &Value) -> bool {
    use crate::heap::Kind::{Function, Method, MethodDescriptor, Native, SlotWrapper};
    v.header().is_some_and(|h| {
        matches!(
            h.kind(),
            Function | Method | MethodDescriptor | Native | SlotWrapper
        )
    })
}

fn pair(v: Value, n: usize) -> Value {
    Tuple::value(vec![v, Value::int(n as i64)])
}

fn errors_name(vm: &mut Vm, args: &[Value], index: usize, function: &str) -> R<String> {
    match optional(args, index).filter(|v| !v.is_none()) {
        Some(v) => Ok(
            text_arg(vm, v, &format!("{function}() argument {}", index + 1))?
                .to_text()
                .into_owned(),
        ),
        None => Ok("strict".to_owned()),
    }
}

fn bytes_or_text(vm: &mut Vm, v: &Value) -> R<Vec<u8>> {
    match v.as_ref::<Str>() {
        Some(s) => Ok(s.as_bytes().to_vec()),
        None => buffer::copy(vm, v),
    }
}

fn byte_order(vm: &mut Vm, args: &[Value], index: usize) -> R<Order> {
    Ok(match optional(args, index) {
        None => Order::Marked,
        Some(v) => match vm.index_i64(v)? {
            0 => Order::Marked,
            n if n < 0 => Order::Little,
            _ => Order::Big,
        },
    })
}

fn encode_with(vm: &mut Vm, args: &[Value], codec: Codec) -> R {
    let text = text_arg(vm, &args[0], "encode() argument 1")?;
    let handler = Handler::of_arg(vm, optional(args, 1), "encode() argument 2")?;
    let data = encoding::encode(vm, text, codec, &handler)?;
    Ok(pair(Bytes::value(data), text.len()))
}

fn decode_with(vm: &mut Vm, args: &[Value], codec: Codec, last: bool) -> R {
    let data = buffer::copy(vm, &args[0])?;
    let handler = Handler::of_arg(vm, optional(args, 1), "decode() argument 2")?;
    let decoded = decoding::decode(vm, &data, codec, &handler, last)?;
    Ok(pair(Str::value_wtf8(&decoded.text), decoded.read))
}

/// Decodes UTF-16 or UTF-32, and tells the byte order that was found.
fn ex_decode(vm: &mut Vm, args: &[Value], codec: fn(Order) -> Codec) -> R {
    let data = buffer::copy(vm, &args[0])?;
    let handler = Handler::of_arg(vm, optional(args, 1), "decode() argument 2")?;
    let order = byte_order(vm, args, 2)?;
    let last = match optional(args, 3) {
        Some(v) => vm.truthy(v)?,
        None => false,
    };
    let decoded = decoding::decode(vm, &data, codec(order), &handler, last)?;
    let order = match decoded.order {
        Order::Marked => 0,
        Order::Little => -1,
        Order::Big => 1,
    };
    Ok(Tuple::value(vec![
        Str::value_wtf8(&decoded.text),
        Value::int(decoded.read as i64),
        Value::small_int(order),
    ]))
}

/// `unicode_escape_decode` takes text too.
fn escape_text(vm: &mut Vm, args: &[Value], codec: Codec) -> R {
    let data = bytes_or_text(vm, &args[0])?;
    let handler = Handler::of_arg(vm, optional(args, 1), "decode() argument 2")?;
    let last = match optional(args, 2) {
        Some(v) => vm.truthy(v)?,
        None => true,
    };
    let decoded = decoding::decode(vm, &data, codec, &handler, last)?;
    Ok(pair(Str::value_wtf8(&decoded.text), decoded.read))
}

/// `codecs.encode(obj, encoding, errors)` and `codecs.decode`.
fn any_codec(vm: &mut Vm, args: &[Value], which: usize) -> R {
    let function = if which == 0 { "encode" } else { "decode" };
    let name = match optional(args, 1) {
        Some(v) => text_arg(vm, v, &format!("{function}() argument 'encoding'"))?
            .to_text()
            .into_owned(),
        None => "utf-8".to_owned(),
    };
    let errors = match optional(args, 2) {
        Some(v) => Some(text_arg(vm, v, &format!("{function}() argument 'errors'"))?.clone()),
        None => None,
    };
    if Codec::of_name(&name).is_some() {
        return match (which, args[0].as_ref::<Str>()) {
            (0, Some(s)) => codec_registry::encode_text(vm, s, &name, errors.as_ref()),
            (0, None) => Err(vm.type_error(format!(
                "utf_8_encode() argument 1 must be str, not {}",
                class_of(&args[0]).name()
            ))),
            _ => codec_registry::decode_bytes(vm, &args[0], &name, errors.as_ref()),
        };
    }
    let info = codec_registry::lookup(vm, &name)?;
    codec_registry::run(vm, &info, which, &args[0], errors.as_ref())
}

// ---- encodings given by a table

/// What a table says of a byte or character; `None` when it does not know it.
fn mapped(vm: &mut Vm, mapping: &Value, key: u32) -> R<Option<Value>> {
    match vm.get_item(mapping, &Value::small_int(key as i64)) {
        Ok(v) if v.is_none() => Ok(None),
        Ok(v) => Ok(Some(v)),
        Err(raised) => {
            vm.swallow(raised, Exc::LookupError)?;
            Ok(None)
        }
    }
}

fn charmap_decode(vm: &mut Vm, args: &[Value]) -> R {
    let Some(mapping) = optional(args, 2).filter(|v| !v.is_none()).cloned() else {
        return decode_with(vm, args, Codec::Latin1, true);
    };
    let data = buffer::copy(vm, &args[0])?;
    let handler = Handler::of_arg(vm, optional(args, 1), "charmap_decode() argument 2")?;
    let table: Option<Vec<u32>> = mapping.as_ref::<Str>().map(|s| s.chars().collect());
    let mut out = Vec::with_capacity(data.len());
    let mut at = 0;
    while at < data.len() {
        let b = data[at];
        let known = match &table {
            Some(table) => match table.get(b as usize) {
                Some(&c) if c != 0xFFFE => {
                    push_char(&mut out, c);
                    true
                }
                _ => false,
            },
            None => match mapped(vm, &mapping, b as u32)? {
                None => false,
                Some(v) => {
                    if let Some(s) = v.as_ref::<Str>() {
                        let known = s.as_bytes() != "\u{fffe}".as_bytes();
                        if known {
                            out.extend_from_slice(s.as_bytes());
                        }
                        known
                    } else {
                        match v.as_int().map(|i| i.to_i64()) {
                            Some(Some(0xFFFE)) => false,
                            Some(Some(c @ 0..0x11_0000)) => {
                                push_char(&mut out, c as u32);
                                true
                            }
                            Some(_) => {
                                return Err(
                                    vm.type_error("character mapping must be in range(0x110000)")
                                );
                            }
                            None => {
                                return Err(vm.type_error(
                                    "character mapping must return integer, None or str",
                                ));
                            }
                        }
                    }
                }
            },
        };
        if known {
            at += 1;
            continue;
        }
        let p = DecodeProblem {
            encoding: "charmap",
            data: &data,
            start: at,
            end: at + 1,
            reason: "character maps to <undefined>",
        };
        at = on_decode_problem(vm, &handler, &p, &mut out)?;
    }
    Ok(pair(Str::value_wtf8(&out), data.len()))
}

/// The bytes of a character; `None` when the table does not know it.
fn charmap_bytes(vm: &mut Vm, mapping: &Value, c: u32) -> R<Option<Vec<u8>>> {
    let Some(v) = mapped(vm, mapping, c)? else {
        return Ok(None);
    };
    if let Some(b) = v.as_ref::<Bytes>() {
        return Ok(Some(b.data.to_vec()));
    }
    match v
        .as_int()
        .map(|i| i.to_i64().and_then(|i| u8::try_from(i).ok()))
    {
        Some(Some(b)) => Ok(Some(vec![b])),
        Some(None) => Err(vm.type_error("character mapping must be in range(256)")),
        None => Err(vm.type_error(format!(
            "character mapping must return integer, bytes or None, not {}",
            class_of(&v).name()
        ))),
    }
}

fn charmap_encode(vm: &mut Vm, args: &[Value]) -> R {
    let Some(mapping) = optional(args, 2).filter(|v| !v.is_none()).cloned() else {
        return encode_with(vm, args, Codec::Latin1);
    };
    let text = text_arg(vm, &args[0], "charmap_encode() argument 1")?;
    let handler = Handler::of_arg(vm, optional(args, 1), "charmap_encode() argument 2")?;
    let chars: Vec<u32> = text.chars().collect();
    let mut out = Vec::with_capacity(chars.len());
    let mut index = 0;
    while index < chars.len() {
        if let Some(bytes) = charmap_bytes(vm, &mapping, chars[index])? {
            out.extend_from_slice(&bytes);
            index += 1;
            continue;
        }
        let mut end = index + 1;
        while end < chars.len() && charmap_bytes(vm, &mapping, chars[end])?.is_none() {
            end += 1;
        }
        let p = EncodeProblem {
            encoding: "charmap",
            text,
            start: index,
            end,
            reason: "character maps to <undefined>",
        };
        let (replacement, next) = on_encode_problem(vm, &handler, &p)?;
        match replacement {
            Replacement::Bytes(b) => out.extend_from_slice(&b),
            Replacement::Text(t) => {
                for c in chars_of(&t) {
                    match charmap_bytes(vm, &mapping, c)? {
                        Some(bytes) => out.extend_from_slice(&bytes),
                        None => return Err(raise_encode(vm, &p)),
                    }
                }
            }
        }
        index = next;
    }
    Ok(pair(Bytes::value(out), chars.len()))
}
