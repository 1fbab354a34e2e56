//! `bytes` and `bytearray`: finding, counting, replacing, splitting.

use super::divide::{self, Pieces, max_splits};
use super::find::{self, window};
use super::{ByteArray, Bytes, buffer};
use crate::objects::list::List;
use crate::objects::native::Def;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The methods that both classes have.
pub static METHODS: &[Def] = &[
    Def::method(
        "count",
        "(self, sub, start=None, end=None, /)",
        |vm, args| {
            let (start, end) = (find::bound(vm, args, 2)?, find::bound(vm, args, 3)?);
            let sub = needle(vm, &args[1])?;
            let window = find::clip(start, end, me(vm, &args[0]).len());
            let Some(hay) = part(me(vm, &args[0]), window) else {
                return Ok(Value::small_int(0));
            };
            let n = if sub.is_empty() {
                hay.len() + 1
            } else {
                find::count(hay, &sub, usize::MAX)
            };
            Ok(Value::small_int(n as i64))
        },
    ),
    Def::method(
        "endswith",
        "(self, suffix, start=None, end=None, /)",
        |vm, args| ends(vm, args, "endswith", <[u8]>::ends_with),
    ),
    Def::method(
        "find",
        "(self, sub, start=None, end=None, /)",
        |vm, args| locate(vm, args, false).map(or_minus_one),
    ),
    Def::method(
        "index",
        "(self, sub, start=None, end=None, /)",
        |vm, args| {
            let found = locate(vm, args, false)?;
            or_error(vm, found)
        },
    ),
    Def::method("join", "(self, iterable_of_bytes, /)", join),
    Def::method("partition", "(self, sep, /)", |vm, args| {
        partition(vm, args, false)
    }),
    Def::method("removeprefix", "(self, prefix, /)", |vm, args| {
        let prefix = buffer::copy(vm, &args[1])?;
        let data = me(vm, &args[0]);
        let rest = data
            .strip_prefix(prefix.as_slice())
            .unwrap_or(data)
            .to_vec();
        Ok(shortened(vm, &args[0], rest))
    }),
    Def::method("removesuffix", "(self, suffix, /)", |vm, args| {
        let suffix = buffer::copy(vm, &args[1])?;
        let data = me(vm, &args[0]);
        let rest = data
            .strip_suffix(suffix.as_slice())
            .unwrap_or(data)
            .to_vec();
        Ok(shortened(vm, &args[0], rest))
    }),
    Def::method("replace", "(self, old, new, count=-1, /)", replace),
    Def::method(
        "rfind",
        "(self, sub, start=None, end=None, /)",
        |vm, args| locate(vm, args, true).map(or_minus_one),
    ),
    Def::method(
        "rindex",
        "(self, sub, start=None, end=None, /)",
        |vm, args| {
            let found = locate(vm, args, true)?;
            or_error(vm, found)
        },
    ),
    Def::method("rpartition", "(self, sep, /)", |vm, args| {
        partition(vm, args, true)
    }),
    Def::method("rsplit", "(self, /, sep=None, maxsplit=-1)", |vm, args| {
        split(vm, args, true)
    }),
    Def::method("split", "(self, /, sep=None, maxsplit=-1)", |vm, args| {
        split(vm, args, false)
    }),
    Def::method("splitlines", "(self, /, keepends=False)", |vm, args| {
        let keep = match optional(args, 1) {
            Some(v) => vm.truthy(v)?,
            None => false,
        };
        let array = args[0].is::<ByteArray>();
        let mut pieces = Pieces::default();
        let line_break = |rest: &[u8]| match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => 0,
        };
        divide::split_lines(
            me(vm, &args[0]),
            keep,
            |b| b == b'\n' || b == b'\r',
            line_break,
            |line| pieces.push(|| make(array, line.to_vec())),
        );
        Ok(List::value(pieces.finish(vm)?))
    }),
    Def::method(
        "startswith",
        "(self, prefix, start=None, end=None, /)",
        |vm, args| ends(vm, args, "startswith", <[u8]>::starts_with),
    ),
];

/// The receiver's bytes.
#[inline]
pub fn me<'a>(vm: &'a Vm, v: &'a Value) -> &'a [u8] {
    buffer::view(vm, v).unwrap_or_default()
}

/// A `bytearray` or a `bytes`.
pub fn make(array: bool, data: Vec<u8>) -> Value {
    if array {
        ByteArray::value(data)
    } else {
        Bytes::value(data)
    }
}

/// An object of the receiver's kind with other bytes.
pub fn like(v: &Value, data: Vec<u8>) -> Value {
    make(v.is::<ByteArray>(), data)
}

/// As [`like`], the receiver itself if it is an exact `bytes` and has not lost anything.
pub fn shortened(vm: &Vm, v: &Value, data: Vec<u8>) -> Value {
    if v.is_exact::<Bytes>() && me(vm, v).len() == data.len() {
        v.clone()
    } else {
        like(v, data)
    }
}

/// `bytes.isspace` for one byte.
#[inline]
pub fn is_space(b: u8) -> bool {
    matches!(b, b' ' | 9..=13)
}

/// What is looked for: a byte or bytes.
fn needle(vm: &mut Vm, v: &Value) -> R<Vec<u8>> {
    if buffer::is_buffer(v) {
        return buffer::copy(vm, v);
    }
    if v.as_int().is_none() && class_of(v).slots().index.is_none() {
        return Err(vm.type_error(format!(
            "argument should be integer or bytes-like object, not '{}'",
            class_of(v).name()
        )));
    }
    let i = vm.index(v)?;
    match i
        .as_int()
        .and_then(|i| i.to_i64())
        .and_then(|i| u8::try_from(i).ok())
    {
        Some(b) => Ok(vec![b]),
        None => Err(vm.value_error("byte must be in range(0, 256)")),
    }
}

fn part(data: &[u8], window: Option<(usize, usize)>) -> Option<&[u8]> {
    window.and_then(|(start, end)| data.get(start..end))
}

fn or_minus_one(found: Option<usize>) -> Value {
    Value::small_int(found.map_or(-1, |i| i as i64))
}

fn or_error(vm: &mut Vm, found: Option<usize>) -> R {
    match found {
        Some(i) => Ok(Value::small_int(i as i64)),
        None => Err(vm.value_error("subsection not found")),
    }
}

fn locate(vm: &mut Vm, args: &[Value], last: bool) -> R<Option<usize>> {
    // The bounds come first: what they raise goes before a complaint about the other argument.
    let (start, end) = (find::bound(vm, args, 2)?, find::bound(vm, args, 3)?);
    let sub = needle(vm, &args[1])?;
    let window = find::clip(start, end, me(vm, &args[0]).len());
    let Some(hay) = part(me(vm, &args[0]), window) else {
        return Ok(None);
    };
    let found = if last {
        find::rfind(hay, &sub)
    } else {
        find::find(hay, &sub)
    };
    Ok(found.map(|at| at + window.map_or(0, |w| w.0)))
}

fn ends(vm: &mut Vm, args: &[Value], name: &str, test: fn(&[u8], &[u8]) -> bool) -> R {
    let window = window(vm, args, 2, me(vm, &args[0]).len())?;
    let matches = |vm: &mut Vm, v: &Value| -> R<bool> {
        let v = buffer::arg(vm, v)?;
        Ok(part(me(vm, &args[0]), window).is_some_and(|hay| test(hay, me(vm, &v))))
    };
    if let Some(parts) = args[1].as_ref::<Tuple>() {
        for v in parts.items() {
            if matches(vm, v)? {
                return Ok(Value::TRUE);
            }
        }
        return Ok(Value::FALSE);
    }
    if !buffer::is_buffer(&args[1]) {
        return Err(vm.type_error(format!(
            "{name} first arg must be bytes or a tuple of bytes, not {}",
            class_of(&args[1]).name()
        )));
    }
    matches(vm, &args[1]).map(Value::bool)
}

fn partition(vm: &mut Vm, args: &[Value], last: bool) -> R {
    let sep = buffer::copy(vm, &args[1])?;
    if sep.is_empty() {
        return Err(vm.value_error("empty separator"));
    }
    let data = me(vm, &args[0]);
    let array = args[0].is::<ByteArray>();
    let found = if last {
        find::rfind(data, &sep)
    } else {
        find::find(data, &sep)
    };
    Ok(Tuple::value(match found {
        Some(at) => {
            let after = data[at + sep.len()..].to_vec();
            let between = if !array {
                args[1].clone()
            } else {
                make(array, sep)
            };
            vec![
                make(array, data[..at].to_vec()),
                between,
                make(array, after),
            ]
        }
        None if last => vec![
            make(array, vec![]),
            make(array, vec![]),
            shortened(vm, &args[0], data.to_vec()),
        ],
        None => vec![
            shortened(vm, &args[0], data.to_vec()),
            make(array, vec![]),
            make(array, vec![]),
        ],
    }))
}

fn replace(vm: &mut Vm, args: &[Value]) -> R {
    let (old, new) = (buffer::copy(vm, &args[1])?, buffer::copy(vm, &args[2])?);
    let max = match optional(args, 3) {
        Some(n) => usize::try_from(vm.index_i64(n)?).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    let data = me(vm, &args[0]);
    let times = if old.is_empty() {
        max.min(data.len() + 1)
    } else {
        find::count(data, &old, max)
    };
    if times == 0 {
        let data = data.to_vec();
        return Ok(shortened(vm, &args[0], data));
    }
    let size = (data.len() - times * old.len()).saturating_add(times.saturating_mul(new.len()));
    vm.text_size(size)?;
    let data = me(vm, &args[0]);
    let mut out = Vec::with_capacity(size);
    if old.is_empty() {
        for i in 0..times {
            out.extend_from_slice(&new);
            out.extend(data.get(i));
        }
        out.extend_from_slice(data.get(times..).unwrap_or_default());
    } else {
        let mut done = 0;
        find::find_all(data, &old, times, |at| {
            out.extend_from_slice(&data[done..at]);
            out.extend_from_slice(&new);
            done = at + old.len();
        });
        out.extend_from_slice(&data[done..]);
    }
    Ok(like(&args[0], out))
}

fn split(vm: &mut Vm, args: &[Value], from_right: bool) -> R {
    let max = max_splits(vm, optional(args, 2))?;
    let sep = match optional(args, 1).filter(|v| !v.is_none()) {
        Some(v) => Some(buffer::copy(vm, v)?),
        None => None,
    };
    if sep.as_ref().is_some_and(Vec::is_empty) {
        return Err(vm.value_error("empty separator"));
    }
    let array = args[0].is::<ByteArray>();
    let mut pieces = Pieces::default();
    let data = me(vm, &args[0]);
    let push = |piece: &[u8]| pieces.push(|| make(array, piece.to_vec()));
    match (&sep, from_right) {
        (None, false) => divide::split_space(data, max, is_space, push),
        (None, true) => divide::rsplit_space(data, max, is_space, push),
        (Some(sep), false) => divide::split_at(data, sep, max, push),
        (Some(sep), true) => divide::rsplit_at(data, sep, max, push),
    }
    let items = if from_right {
        pieces.finish_reversed(vm)?
    } else {
        pieces.finish(vm)?
    };
    Ok(List::value(items))
}

fn join(vm: &mut Vm, args: &[Value]) -> R {
    let slots = class_of(&args[1]).slots();
    if slots.iter.is_none() && slots.getitem.is_none() {
        return Err(vm.type_error("can only join an iterable"));
    }
    // The iterable must not change the separator meanwhile.
    buffer::lock(&args[0], 1);
    let items = vm.collect(&args[1]);
    buffer::lock(&args[0], -1);
    let mut items = items?;
    let mut size = me(vm, &args[0])
        .len()
        .saturating_mul(items.len().saturating_sub(1));
    for (i, item) in items.iter_mut().enumerate() {
        if let Some(lent) = buffer::lent(vm, item)? {
            *item = lent;
        }
        if !buffer::is_buffer(item) {
            return Err(vm.type_error(format!(
                "sequence item {i}: expected a bytes-like object, {} found",
                class_of(item).name()
            )));
        }
        *item = buffer::arg(vm, item)?;
        size = size.saturating_add(me(vm, item).len());
    }
    vm.text_size(size)?;
    if let [one] = items.as_slice()
        && one.is_exact::<Bytes>()
        && !args[0].is::<ByteArray>()
    {
        return Ok(one.clone());
    }
    let sep = me(vm, &args[0]);
    let mut out = Vec::with_capacity(size);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(sep);
        }
        out.extend_from_slice(me(vm, item));
    }
    Ok(like(&args[0], out))
}
