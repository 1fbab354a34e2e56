//! `bytes` and `bytearray`: questions, and methods that make a changed copy.

use super::search::{is_space, like, me, shortened};
use super::{Bytes, buffer, hex};
use crate::objects::codec_registry;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::string::search::text_arg;
use crate::objects::string::transform::{expand, tab_size};
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The methods that both classes have.
pub static METHODS: &[Def] = &[
    Def::method("capitalize", "(self, /)", |vm, args| {
        let mut data = me(vm, &args[0]).to_ascii_lowercase();
        if let Some(first) = data.first_mut() {
            first.make_ascii_uppercase();
        }
        Ok(like(&args[0], data))
    }),
    Def::method("center", "(self, width, fillchar=b' ', /)", |vm, args| {
        pad(vm, args, "center", |missing, width| {
            let before = missing / 2 + (missing & width & 1);
            (before, missing - before)
        })
    }),
    Def::method(
        "decode",
        "(self, /, encoding='utf-8', errors='strict')",
        |vm, args| {
            let name = match optional(args, 1) {
                Some(v) => text_arg(vm, v, "decode() argument 'encoding'")?
                    .to_text()
                    .into_owned(),
                None => "utf-8".to_owned(),
            };
            let errors = match optional(args, 2) {
                Some(v) => Some(text_arg(vm, v, "decode() argument 'errors'")?.clone()),
                None => None,
            };
            codec_registry::decode_bytes(vm, &args[0], &name, errors.as_ref())
        },
    ),
    Def::method("expandtabs", "(self, /, tabsize=8)", |vm, args| {
        let tab = tab_size(vm, args)?;
        match expand(me(vm, &args[0]), tab, false) {
            Some(data) => Ok(like(&args[0], data)),
            None => Err(vm.overflow_error("result too long")),
        }
    }),
    Def::method("hex", "(self, sep=None, bytes_per_sep=1)", |vm, args| {
        let data = me(vm, &args[0]).to_vec();
        hex::method(vm, &data, args, 1)
    }),
    Def::method("isalnum", "(self, /)", |vm, args| {
        all(vm, args, |b| b.is_ascii_alphanumeric())
    }),
    Def::method("isalpha", "(self, /)", |vm, args| {
        all(vm, args, |b| b.is_ascii_alphabetic())
    }),
    Def::method("isascii", "(self, /)", |vm, args| {
        Ok(Value::bool(me(vm, &args[0]).is_ascii()))
    }),
    Def::method("isdigit", "(self, /)", |vm, args| {
        all(vm, args, |b| b.is_ascii_digit())
    }),
    Def::method("islower", "(self, /)", |vm, args| {
        let data = me(vm, &args[0]);
        Ok(Value::bool(
            data.iter().any(u8::is_ascii_lowercase) && !data.iter().any(u8::is_ascii_uppercase),
        ))
    }),
    Def::method("isspace", "(self, /)", |vm, args| all(vm, args, is_space)),
    Def::method("istitle", "(self, /)", |vm, args| {
        let (mut cased, mut after_cased) = (false, false);
        for &b in me(vm, &args[0]) {
            if (b.is_ascii_uppercase() && after_cased) || (b.is_ascii_lowercase() && !after_cased) {
                return Ok(Value::FALSE);
            }
            after_cased = b.is_ascii_alphabetic();
            cased |= after_cased;
        }
        Ok(Value::bool(cased))
    }),
    Def::method("isupper", "(self, /)", |vm, args| {
        let data = me(vm, &args[0]);
        Ok(Value::bool(
            data.iter().any(u8::is_ascii_uppercase) && !data.iter().any(u8::is_ascii_lowercase),
        ))
    }),
    Def::method("ljust", "(self, width, fillchar=b' ', /)", |vm, args| {
        pad(vm, args, "ljust", |missing, _| (0, missing))
    }),
    Def::method("lower", "(self, /)", |vm, args| {
        Ok(like(&args[0], me(vm, &args[0]).to_ascii_lowercase()))
    }),
    Def::method("lstrip", "(self, bytes=None, /)", |vm, args| {
        strip(vm, args, true, false)
    }),
    Def::static_method("maketrans", "(frm, to, /)", |vm, args| {
        let (from, to) = (buffer::copy(vm, &args[0])?, buffer::copy(vm, &args[1])?);
        if from.len() != to.len() {
            return Err(vm.value_error("maketrans arguments must have same length"));
        }
        let mut table: Vec<u8> = (0..=255).collect();
        from.iter()
            .zip(&to)
            .for_each(|(&f, &t)| table[f as usize] = t);
        Ok(Bytes::value(table))
    }),
    Def::method("rjust", "(self, width, fillchar=b' ', /)", |vm, args| {
        pad(vm, args, "rjust", |missing, _| (missing, 0))
    }),
    Def::method("rstrip", "(self, bytes=None, /)", |vm, args| {
        strip(vm, args, false, true)
    }),
    Def::method("strip", "(self, bytes=None, /)", |vm, args| {
        strip(vm, args, true, true)
    }),
    Def::method("swapcase", "(self, /)", |vm, args| {
        let data = me(vm, &args[0])
            .iter()
            .map(|&b| if b.is_ascii_alphabetic() { b ^ 0x20 } else { b })
            .collect();
        Ok(like(&args[0], data))
    }),
    Def::method("title", "(self, /)", |vm, args| {
        let mut after_cased = false;
        let change = |&b: &u8| {
            let changed = if after_cased {
                b.to_ascii_lowercase()
            } else {
                b.to_ascii_uppercase()
            };
            after_cased = b.is_ascii_alphabetic();
            changed
        };
        let data = me(vm, &args[0]).iter().map(change).collect();
        Ok(like(&args[0], data))
    }),
    Def::method("translate", "(self, table, /, delete=b'')", |vm, args| {
        let table = if args[1].is_none() {
            None
        } else {
            Some(buffer::copy(vm, &args[1])?)
        };
        if table.as_ref().is_some_and(|t| t.len() != 256) {
            return Err(vm.value_error("translation table must be 256 characters long"));
        }
        let delete = match optional(args, 2) {
            Some(v) => buffer::copy(vm, v)?,
            None => Vec::new(),
        };
        let mut dropped = [false; 256];
        delete.iter().for_each(|&b| dropped[b as usize] = true);
        let kept = me(vm, &args[0]).iter().filter(|&&b| !dropped[b as usize]);
        let data = match table {
            Some(table) => kept.map(|&b| table[b as usize]).collect(),
            None => kept.copied().collect(),
        };
        Ok(like(&args[0], data))
    }),
    Def::method("upper", "(self, /)", |vm, args| {
        Ok(like(&args[0], me(vm, &args[0]).to_ascii_uppercase()))
    }),
    Def::method("zfill", "(self, width, /)", |vm, args| {
        let width = usize::try_from(vm.index_i64(&args[1])?).unwrap_or(0);
        let size = width.max(me(vm, &args[0]).len());
        vm.text_size(size)?;
        let data = me(vm, &args[0]);
        let sign = usize::from(matches!(data, [b'+' | b'-', ..]));
        let mut out = Vec::with_capacity(size);
        out.extend_from_slice(&data[..sign]);
        out.resize(sign + (size - data.len()), b'0');
        out.extend_from_slice(&data[sign..]);
        Ok(like(&args[0], out))
    }),
];

fn all(vm: &mut Vm, args: &[Value], test: impl Fn(u8) -> bool) -> R {
    let data = me(vm, &args[0]);
    Ok(Value::bool(
        !data.is_empty() && data.iter().all(|&b| test(b)),
    ))
}

fn strip(vm: &mut Vm, args: &[Value], left: bool, right: bool) -> R {
    let set = match optional(args, 1).filter(|v| !v.is_none()) {
        Some(v) => Some(buffer::copy(vm, v)?),
        None => None,
    };
    let drop = |b: u8| match &set {
        Some(set) => set.contains(&b),
        None => is_space(b),
    };
    let mut data = me(vm, &args[0]);
    while left
        && let [first, rest @ ..] = data
        && drop(*first)
    {
        data = rest;
    }
    while right
        && let [rest @ .., last] = data
        && drop(*last)
    {
        data = rest;
    }
    let data = data.to_vec();
    Ok(shortened(vm, &args[0], data))
}

fn pad(vm: &mut Vm, args: &[Value], name: &str, sides: fn(usize, usize) -> (usize, usize)) -> R {
    let width = vm.index_i64(&args[1])?;
    let mut fill = b' ';
    if let Some(v) = optional(args, 2) {
        let data = if buffer::is_plain(v) {
            buffer::copy(vm, v)?
        } else {
            Vec::new()
        };
        match data.as_slice() {
            [b] => fill = *b,
            _ => {
                let text = if buffer::is_plain(v) {
                    format!(
                        "{name}(): argument 2 must be a byte string of length 1, not a {} object of length {}",
                        class_of(v).name(),
                        data.len()
                    )
                } else {
                    format!(
                        "{name}() argument 2 must be a byte string of length 1, not {}",
                        crate::objects::string::search::argument_type(v)
                    )
                };
                return Err(vm.type_error(text));
            }
        }
    }
    let width = usize::try_from(width.max(0)).unwrap_or(usize::MAX);
    let size = width.max(me(vm, &args[0]).len());
    vm.text_size(size)?;
    let data = me(vm, &args[0]);
    let (before, after) = sides(size - data.len(), width);
    let mut out = vec![fill; before];
    out.reserve_exact(data.len() + after);
    out.extend_from_slice(data);
    out.resize(size, fill);
    Ok(if size == data.len() {
        shortened(vm, &args[0], out)
    } else {
        like(&args[0], out)
    })
}

/// `repr` of a `bytearray`.
pub fn array_repr(vm: &mut Vm, v: &Value) -> R {
    let mut out = class_of(v).name().into_owned().into_bytes();
    out.push(b'(');
    crate::objects::string::repr::push_bytes(&mut out, me(vm, v), true);
    out.push(b')');
    Ok(Str::value_wtf8(&out))
}
