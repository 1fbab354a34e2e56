//! `str`: finding, counting, replacing, and the methods that look at both ends.

use super::transform::unchanged;
use super::{Str, count_chars, decode_char};
use crate::heap::Ref;
use crate::objects::bytes::find::{self, window};
use crate::objects::native::{Def, receiver};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The methods.
pub static METHODS: &[Def] = &[
    Def::method("count", "(self, sub, start=None, end=None, /)", count),
    Def::method(
        "endswith",
        "(self, suffix, start=None, end=None, /)",
        |vm, args| ends(vm, args, "endswith", <[u8]>::ends_with),
    ),
    Def::method(
        "find",
        "(self, sub, start=None, end=None, /)",
        |vm, args| locate(vm, args, "find", false).map(or_minus_one),
    ),
    Def::method(
        "index",
        "(self, sub, start=None, end=None, /)",
        |vm, args| {
            let found = locate(vm, args, "index", false)?;
            or_error(vm, found)
        },
    ),
    Def::method("partition", "(self, sep, /)", |vm, args| {
        partition(vm, args, false)
    }),
    Def::method("removeprefix", "(self, prefix, /)", |vm, args| {
        let prefix = text_arg(vm, &args[1], "removeprefix() argument")?;
        let s = receiver::<Str>(&args[0]);
        Ok(match s.as_bytes().strip_prefix(prefix.as_bytes()) {
            Some(rest) if !prefix.is_empty() => Str::value_known(rest, s.len() - prefix.len()),
            _ => unchanged(&args[0]),
        })
    }),
    Def::method("removesuffix", "(self, suffix, /)", |vm, args| {
        let suffix = text_arg(vm, &args[1], "removesuffix() argument")?;
        let s = receiver::<Str>(&args[0]);
        Ok(match s.as_bytes().strip_suffix(suffix.as_bytes()) {
            Some(rest) if !suffix.is_empty() => Str::value_known(rest, s.len() - suffix.len()),
            _ => unchanged(&args[0]),
        })
    }),
    Def::method("replace", "(self, old, new, /, count=-1)", replace),
    Def::method(
        "rfind",
        "(self, sub, start=None, end=None, /)",
        |vm, args| locate(vm, args, "rfind", true).map(or_minus_one),
    ),
    Def::method(
        "rindex",
        "(self, sub, start=None, end=None, /)",
        |vm, args| {
            let found = locate(vm, args, "rindex", true)?;
            or_error(vm, found)
        },
    ),
    Def::method("rpartition", "(self, sep, /)", |vm, args| {
        partition(vm, args, true)
    }),
    Def::method(
        "startswith",
        "(self, prefix, start=None, end=None, /)",
        |vm, args| ends(vm, args, "startswith", <[u8]>::starts_with),
    ),
];

/// The type of an argument as messages about bad arguments name it.
pub fn argument_type(v: &Value) -> String {
    if v.is_none() {
        "None".to_owned()
    } else {
        class_of(v).name().into_owned()
    }
}

/// An argument that must be a `str`; `what` names it ("find() argument 1").
#[inline]
pub fn text_arg<'a>(vm: &mut Vm, v: &'a Value, what: &str) -> R<&'a Ref<Str>> {
    match v.as_ref::<Str>() {
        Some(s) => Ok(s),
        None => Err(vm.type_error(format!("{what} must be str, not {}", argument_type(v)))),
    }
}

fn or_minus_one(found: Option<usize>) -> Value {
    Value::small_int(found.map_or(-1, |i| i as i64))
}

fn or_error(vm: &mut Vm, found: Option<usize>) -> R {
    match found {
        Some(i) => Ok(Value::small_int(i as i64)),
        None => Err(vm.value_error("substring not found")),
    }
}

/// The place, in characters, of the first or last occurrence.
fn locate(vm: &mut Vm, args: &[Value], name: &str, last: bool) -> R<Option<usize>> {
    let Some(sub) = args[1].as_ref::<Str>() else {
        text_arg(vm, &args[1], &format!("{name}() argument 1"))?;
        return Ok(None);
    };
    let s = receiver::<Str>(&args[0]);
    let Some((start, end)) = window(vm, args, 2, s.len())? else {
        return Ok(None);
    };
    let hay = &s.as_bytes()[s.byte_offset(start)..s.byte_offset(end)];
    let found = if last {
        find::rfind(hay, sub.as_bytes())
    } else {
        find::find(hay, sub.as_bytes())
    };
    Ok(found.map(|at| {
        if s.is_ascii() {
            start + at
        } else {
            start + count_chars(&hay[..at])
        }
    }))
}

fn count(vm: &mut Vm, args: &[Value]) -> R {
    let sub = text_arg(vm, &args[1], "count() argument 1")?;
    let s = receiver::<Str>(&args[0]);
    let Some((start, end)) = window(vm, args, 2, s.len())? else {
        return Ok(Value::small_int(0));
    };
    if sub.is_empty() {
        return Ok(Value::small_int((end - start + 1) as i64));
    }
    let hay = &s.as_bytes()[s.byte_offset(start)..s.byte_offset(end)];
    Ok(Value::small_int(
        find::count(hay, sub.as_bytes(), usize::MAX) as i64,
    ))
}

/// `startswith` and `endswith`.
fn ends(vm: &mut Vm, args: &[Value], name: &str, test: fn(&[u8], &[u8]) -> bool) -> R {
    let s = receiver::<Str>(&args[0]);
    let window = if args.len() > 2 {
        window(vm, args, 2, s.len())?
    } else {
        Some((0, s.len()))
    };
    let hay = window.map(|(start, end)| &s.as_bytes()[s.byte_offset(start)..s.byte_offset(end)]);
    if let Some(part) = args[1].as_ref::<Str>() {
        return Ok(Value::bool(
            hay.is_some_and(|hay| test(hay, part.as_bytes())),
        ));
    }
    let Some(parts) = args[1].as_ref::<Tuple>() else {
        return Err(vm.type_error(format!(
            "{name} first arg must be str or a tuple of str, not {}",
            class_of(&args[1]).name()
        )));
    };
    for part in parts.items() {
        let Some(part) = part.as_ref::<Str>() else {
            return Err(vm.type_error(format!(
                "tuple for {name} must only contain str, not {}",
                class_of(part).name()
            )));
        };
        if hay.is_some_and(|hay| test(hay, part.as_bytes())) {
            return Ok(Value::TRUE);
        }
    }
    Ok(Value::FALSE)
}

fn partition(vm: &mut Vm, args: &[Value], last: bool) -> R {
    let Some(sep) = args[1].as_ref::<Str>() else {
        return Err(vm.type_error(format!("must be str, not {}", class_of(&args[1]).name())));
    };
    if sep.is_empty() {
        return Err(vm.value_error("empty separator"));
    }
    let s = receiver::<Str>(&args[0]);
    let bytes = s.as_bytes();
    let found = if last {
        find::rfind(bytes, sep.as_bytes())
    } else {
        find::find(bytes, sep.as_bytes())
    };
    let empty = || Str::value("");
    Ok(Tuple::value(match found {
        Some(at) => {
            let before = if s.is_ascii() {
                at
            } else {
                count_chars(&bytes[..at])
            };
            let after = s.len() - before - sep.len();
            vec![
                Str::value_known(&bytes[..at], before),
                unchanged(&args[1]),
                Str::value_known(&bytes[at + sep.as_bytes().len()..], after),
            ]
        }
        None if last => vec![empty(), empty(), unchanged(&args[0])],
        None => vec![unchanged(&args[0]), empty(), empty()],
    }))
}

fn replace(vm: &mut Vm, args: &[Value]) -> R {
    let old = text_arg(vm, &args[1], "replace() argument 1")?;
    let new = text_arg(vm, &args[2], "replace() argument 2")?;
    let max = match optional(args, 3) {
        Some(n) => usize::try_from(vm.index_i64(n)?).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    let s = receiver::<Str>(&args[0]);
    let (bytes, old_bytes, new_bytes) = (s.as_bytes(), old.as_bytes(), new.as_bytes());
    if max == 0 || (old_bytes.len() > bytes.len()) || old.same_text(new) {
        return Ok(unchanged(&args[0]));
    }
    if old.is_empty() {
        return interleave(vm, s, new, max);
    }
    if let ([from], [to]) = (old_bytes, new_bytes)
        && max == usize::MAX
    {
        // One ASCII character for another: the length stays.
        if memchr::memchr(*from, bytes).is_none() {
            return Ok(unchanged(&args[0]));
        }
        return Ok(Value::from_ref(Str::build(bytes.len(), s.len(), |out| {
            out.push_mapped(bytes, |b| if b == *from { *to } else { b })
        })));
    }
    let Some(first) = find::find(bytes, old_bytes) else {
        return Ok(unchanged(&args[0]));
    };
    let mut capacity = bytes.len();
    if new_bytes.len() > old_bytes.len() {
        let more = find::count(&bytes[first..], old_bytes, max)
            .saturating_mul(new_bytes.len() - old_bytes.len());
        capacity = vm.text_size(capacity.saturating_add(more))?;
    }
    let mut out = Vec::with_capacity(capacity);
    let (mut done, mut n) = (0, 0);
    find::find_all(&bytes[first..], old_bytes, max, |at| {
        out.extend_from_slice(&bytes[done..first + at]);
        out.extend_from_slice(new_bytes);
        done = first + at + old_bytes.len();
        n += 1;
    });
    out.extend_from_slice(&bytes[done..]);
    Ok(Str::value_known(
        &out,
        s.len() - n * old.len() + n * new.len(),
    ))
}

/// `s.replace('', new)`: `new` before every character and at the end, at most `max` times.
fn interleave(vm: &mut Vm, s: &Str, new: &Str, max: usize) -> R {
    let times = max.min(s.len() + 1);
    let size = vm.text_size(
        s.as_bytes()
            .len()
            .saturating_add(times.saturating_mul(new.as_bytes().len())),
    )?;
    let text = Str::build(size, s.len() + times * new.len(), |out| {
        let mut rest = s.as_bytes();
        for i in 0..times {
            out.push(new.as_bytes());
            if i < s.len() {
                let (_, n) = decode_char(rest);
                out.push(&rest[..n]);
                rest = &rest[n..];
            }
        }
        out.push(rest);
    });
    Ok(Value::from_ref(text))
}

/// `sub in s`
pub fn contains(vm: &mut Vm, v: &Value, item: &Value) -> R<bool> {
    match item.as_ref::<Str>() {
        Some(sub) => Ok(find::find(receiver::<Str>(v).as_bytes(), sub.as_bytes()).is_some()),
        None => Err(vm.type_error(format!(
            "'in <string>' requires string as left operand, not {}",
            class_of(item).name()
        ))),
    }
}

impl Vm {
    /// Checks that a text or bytes object of this size can be made; `MemoryError` otherwise.
    #[inline]
    pub fn text_size(&mut self, bytes: usize) -> R<usize> {
        if bytes > i32::MAX as usize || !crate::heap::can_allocate(bytes) {
            Err(self.memory_error())
        } else {
            Ok(bytes)
        }
    }
}
