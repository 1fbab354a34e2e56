//! `template % values`, for `str`, `bytes` and `bytearray`.

use super::{Str, repr};
use crate::heap::Ref;
use crate::names;
use crate::objects::bytes::buffer;
use crate::objects::exception::Exc;
use crate::objects::float::Float;
use crate::objects::int::IntRef;
use crate::objects::native::receiver;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::percent_format::{
    Amount, Conversion, Field, Piece, Template, code_point_of,
};
use coldframe_numeric::{format_value, int_text};

/// Where the values come from.
struct Values<'a> {
    /// The right operand.
    all: &'a Value,
    /// Its items if it is a tuple; otherwise itself. Nothing once a mapping was asked for a key.
    items: &'a [Value],
    /// How many are used.
    used: usize,
    /// Whether the right operand can be asked for keys.
    mapping: bool,
}

impl<'a> Values<'a> {
    fn new(all: &'a Value, target: Target) -> Values<'a> {
        // `bytes` are a sequence like others to text formatting.
        let text = all.is::<Str>() || (target == Target::Bytes && buffer::is_plain(all));
        match all.as_ref::<Tuple>() {
            Some(t) => Values {
                all,
                items: t.items(),
                used: 0,
                mapping: false,
            },
            None => Values {
                all,
                items: std::slice::from_ref(all),
                used: 0,
                // A deque has items but cannot be asked for keys.
                mapping: !text
                    && class_of(all).slots().getitem.is_some()
                    && !all.is::<crate::modules::collections_core::deque::Deque>(),
            },
        }
    }

    fn next(&mut self, vm: &mut Vm) -> R {
        match self.items.get(self.used) {
            Some(v) => {
                self.used += 1;
                Ok(v.clone())
            }
            None => Err(vm.type_error("not enough arguments for format string")),
        }
    }

    /// The value of a mapping key: for the conversion that names it alone.
    fn keyed(&mut self, vm: &mut Vm, key: Value) -> R {
        if !self.mapping {
            return Err(vm.type_error("format requires a mapping"));
        }
        self.items = &[];
        self.used = 0;
        vm.get_item(self.all, &key)
    }

    fn star(&mut self, vm: &mut Vm, amount: Option<Amount>, too_big: &str) -> R<i64> {
        if amount != Some(Amount::Star) {
            return Ok(0);
        }
        let v = self.next(vm)?;
        match v.as_int().map(|i| i.to_i64()) {
            Some(Some(n)) => Ok(n),
            Some(None) => Err(vm.overflow_error(too_big)),
            None => Err(vm.type_error("* wants int")),
        }
    }

    fn finish(&self, vm: &mut Vm, noun: &str) -> R<()> {
        if self.used < self.items.len() && !self.mapping {
            return Err(vm.type_error(format!(
                "not all arguments converted during {noun} formatting"
            )));
        }
        Ok(())
    }
}

/// What is being formatted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Text,
    Bytes,
}

/// `template % values` for `str`.
pub fn format_text(vm: &mut Vm, template: &Value, values: &Value) -> R {
    let text = receiver::<Str>(template);
    let out = format(vm, Template::of_text(text.as_bytes()), values, Target::Text)?;
    Ok(Str::value_wtf8(&out))
}

/// `template % values` for bytes.
pub fn format_bytes(vm: &mut Vm, template: &[u8], values: &Value) -> R<Vec<u8>> {
    format(vm, Template::of_bytes(template), values, Target::Bytes)
}

fn format(vm: &mut Vm, mut template: Template, values: &Value, target: Target) -> R<Vec<u8>> {
    let mut values = Values::new(values, target);
    let mut out = Vec::with_capacity(64);
    loop {
        let piece = template.next_piece();
        match vm.numeric(piece)? {
            None => break,
            Some(Piece::Text(text)) => out.extend_from_slice(text),
            Some(Piece::Conversion(c)) => conversion(vm, &c, &mut values, target, &mut out)?,
        }
        if out.len() > 1 << 24 {
            vm.text_size(out.len() * 2)?;
        }
    }
    values.finish(
        vm,
        if target == Target::Text {
            "string"
        } else {
            "bytes"
        },
    )?;
    Ok(out)
}

fn conversion(
    vm: &mut Vm,
    c: &Conversion,
    values: &mut Values,
    target: Target,
    out: &mut Vec<u8>,
) -> R<()> {
    let keyed = match c.key {
        Some(key) => {
            let key = match target {
                Target::Text => Str::value_wtf8(key),
                Target::Bytes => crate::objects::bytes::Bytes::value(key.to_vec()),
            };
            Some(values.keyed(vm, key)?)
        }
        None => None,
    };
    let width = values.star(vm, c.width, "Python int too large to convert to C ssize_t")?;
    let precision = values.star(vm, c.precision, "Python int too large to convert to C int")?;
    let field = c.field(width, precision);
    let kind = u8::try_from(c.kind).unwrap_or(0);
    let v = match keyed {
        Some(v) => v,
        None => values.next(vm)?,
    };
    match kind {
        b's' | b'r' | b'a' | b'b' if target == Target::Text && kind != b'b' => {
            let text: Ref<Str> = match kind {
                b's' => vm.str(&v)?,
                b'r' => vm.repr(&v)?,
                _ => ascii(vm, &v)?,
            };
            if field == Field::default() {
                out.extend_from_slice(text.as_bytes());
            } else {
                let padded = field.text(text.as_bytes(), text.len());
                out.extend(vm.numeric(padded)?);
            }
        }
        b's' | b'b' if target == Target::Bytes => {
            let data = bytes_of(vm, &v)?;
            let padded = field.bytes(&data);
            out.extend(vm.numeric(padded)?);
        }
        b'r' | b'a' if target == Target::Bytes => {
            let text = ascii(vm, &v)?;
            let padded = field.bytes(text.as_bytes());
            out.extend(vm.numeric(padded)?);
        }
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
            if let Some(i) = v.as_small_int()
                && field == Field::default()
                && matches!(kind, b'd' | b'i' | b'u')
            {
                let mut text = String::with_capacity(20);
                int_text::push_i64(&mut text, i);
                out.extend_from_slice(text.as_bytes());
                return Ok(());
            }
            let i = integer(vm, &v, kind)?;
            let max = vm.max_str_digits;
            let text = match i.as_int() {
                Some(IntRef::Small(i)) => field.integer(kind, format_value::IntRef::Small(i), max),
                Some(IntRef::Big(b)) => field.integer(kind, format_value::IntRef::Big(b), max),
                None => return Err(vm.system_error("an index that is no integer")),
            };
            out.extend(vm.numeric(text)?);
        }
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
            let x = match target {
                Target::Text => vm.to_double(&v)?,
                Target::Bytes => match vm.to_double(&v) {
                    Ok(x) => x,
                    Err(raised) => {
                        vm.swallow(raised, Exc::TypeError)?;
                        return Err(vm.type_error(format!(
                            "float argument required, not {}",
                            class_of(&v).name()
                        )));
                    }
                },
            };
            let text = field.float(kind, x);
            out.extend(vm.numeric(text)?);
        }
        b'c' => {
            let text = match target {
                Target::Text => {
                    let point = code_point(vm, &v)?;
                    field.code_point(point)
                }
                Target::Bytes => {
                    let byte = one_byte(vm, &v)?;
                    field.bytes(&[byte])
                }
            };
            out.extend(vm.numeric(text)?);
        }
        _ => {
            if target == Target::Bytes && c.kind > 0x7f {
                // CPython cannot even say which character it is.
                return Err(vm.overflow_error("character argument not in range(0x110000)"));
            }
            let mut e = c.unsupported();
            if target == Target::Bytes
                && let coldframe_numeric::NumericError::Value(text) = &mut e
                && let Some(c) = char::from_u32(c.kind)
            {
                // Bytes show the character as it is, text only what can be printed.
                *text = text.replacen("'?'", &format!("'{c}'"), 1).into();
            }
            return Err(vm.numeric_error(e));
        }
    }
    Ok(())
}

/// The text of `ascii(v)`.
pub fn ascii(vm: &mut Vm, v: &Value) -> R<Ref<Str>> {
    let text = vm.repr(v)?;
    if text.is_ascii() {
        return Ok(text);
    }
    let mut out = Vec::with_capacity(text.as_bytes().len() * 2);
    for c in text.chars() {
        if c < 0x80 {
            out.push(c as u8)
        } else {
            repr::push_escape(&mut out, c)
        }
    }
    Ok(Str::from_ascii(&out))
}

/// The integer that `%d` and its kin write.
fn integer(vm: &mut Vm, v: &Value, kind: u8) -> R {
    if v.as_int().is_some() {
        return Ok(v.clone());
    }
    let slots = class_of(v).slots();
    let exact = matches!(kind, b'o' | b'x' | b'X');
    let converted = match (slots.index, slots.int) {
        (Some(index), _) if exact || slots.int.is_none() => Some(index(vm, v)),
        (_, Some(int)) if !exact => Some(int(vm, v)),
        _ => None,
    };
    match converted {
        Some(Ok(i)) => return Ok(i),
        Some(Err(raised)) => vm.swallow(raised, Exc::TypeError)?,
        None => {}
    }
    let wanted = if exact { "an integer" } else { "a real number" };
    let name = class_of(v).name().into_owned();
    Err(vm.type_error(format!(
        "%{} format: {wanted} is required, not {name}",
        kind as char
    )))
}

/// The code point that `%c` writes.
fn code_point(vm: &mut Vm, v: &Value) -> R<u32> {
    if let Some(s) = v.as_ref::<Str>() {
        if s.len() == 1 {
            return Ok(s.char_at(0));
        }
        return Err(vm.type_error(format!(
            "%c requires an int or a unicode character, not a string of length {}",
            s.len()
        )));
    }
    if v.is::<Float>()
        || v.is_float()
        || (v.as_int().is_none() && class_of(v).slots().index.is_none())
    {
        return Err(vm.type_error(format!(
            "%c requires an int or a unicode character, not {}",
            vm.full_class_name(v)
        )));
    }
    let i = vm.index(v)?;
    let point = match i.as_int() {
        Some(IntRef::Small(i)) => code_point_of(format_value::IntRef::Small(i)),
        Some(IntRef::Big(b)) => code_point_of(format_value::IntRef::Big(b)),
        None => return Err(vm.system_error("an index that is no integer")),
    };
    vm.numeric(point)
}

/// The byte that `%c` writes.
fn one_byte(vm: &mut Vm, v: &Value) -> R<u8> {
    if buffer::is_plain(v) {
        let data = buffer::view(vm, v).unwrap_or_default();
        return match *data {
            [b] => Ok(b),
            _ => {
                let (kind, n) = (class_of(v).name().into_owned(), data.len());
                Err(vm.type_error(format!("%c requires an integer in range(256) or a single byte, not a {kind} object of length {n}")))
            }
        };
    }
    if v.as_int().is_some() || class_of(v).slots().index.is_some() {
        let i = vm.index(v)?;
        return match i
            .as_int()
            .and_then(|i| i.to_i64())
            .and_then(|i| u8::try_from(i).ok())
        {
            Some(b) => Ok(b),
            None => Err(vm.overflow_error("%c arg not in range(256)")),
        };
    }
    Err(vm.type_error(format!(
        "%c requires an integer in range(256) or a single byte, not {}",
        vm.full_class_name(v)
    )))
}

/// The bytes that `%b` writes.
fn bytes_of(vm: &mut Vm, v: &Value) -> R<Vec<u8>> {
    if buffer::is_buffer(v) {
        return buffer::copy(vm, v);
    }
    if let Some(b) = vm.call_special_opt(v, &names::intern("__bytes__"), &[])? {
        if let Some(b) = b.as_ref::<crate::objects::bytes::Bytes>() {
            return Ok(b.data.to_vec());
        }
        let name = class_of(&b).name().into_owned();
        return Err(vm.type_error(format!("__bytes__ returned non-bytes (type {name})")));
    }
    let name = class_of(v).name().into_owned();
    Err(vm.type_error(format!(
        "%b requires a bytes-like object, or an object that implements __bytes__, not '{name}'"
    )))
}
