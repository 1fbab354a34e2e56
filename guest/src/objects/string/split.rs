//! `str`: splitting.

use super::transform::unchanged;
use super::{Str, decode_char, unicode};
use crate::objects::bytes::divide::{self, Pieces, max_splits};
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The methods.
pub static METHODS: &[Def] = &[
    Def::method("rsplit", "(self, /, sep=None, maxsplit=-1)", |vm, args| {
        split(vm, args, true)
    }),
    Def::method("split", "(self, /, sep=None, maxsplit=-1)", |vm, args| {
        split(vm, args, false)
    }),
    Def::method("splitlines", "(self, /, keepends=False)", split_lines),
];

/// `str.isspace` for ASCII.
#[inline]
pub fn is_ascii_space(b: u8) -> bool {
    b <= b' ' && (b == b' ' || matches!(b, 9..=13 | 0x1C..=0x1F))
}

fn split(vm: &mut Vm, args: &[Value], from_right: bool) -> R {
    let max = max_splits(vm, optional(args, 2))?;
    let s = receiver::<Str>(&args[0]);
    let sep = optional(args, 1).filter(|v| !v.is_none());
    let mut pieces = Pieces::default();
    let bytes = s.as_bytes();
    let ascii = s.is_ascii();
    let mut push = |piece: &[u8]| {
        pieces.push(|| match piece.len() {
            n if n == bytes.len() => unchanged(&args[0]),
            n if ascii => Str::value_known(piece, n),
            _ => Str::value_wtf8(piece),
        })
    };
    match sep {
        None if ascii && from_right => divide::rsplit_space(bytes, max, is_ascii_space, push),
        None if ascii => divide::split_space(bytes, max, is_ascii_space, push),
        None if from_right => {
            // From the left, keeping all bounds, then as many as wanted from the right: only ASCII text can be walked backwards quickly.
            let mut words = Vec::new();
            words_of(bytes, usize::MAX, |start, end| words.push((start, end)));
            let split = words.len().min(max);
            let (rest, last) = words.split_at(words.len() - split);
            last.iter()
                .rev()
                .for_each(|&(start, end)| push(&bytes[start..end]));
            if let Some(end) = rest.last() {
                push(&bytes[..end.1]);
            }
        }
        None => words_of(bytes, max, |start, end| push(&bytes[start..end])),
        Some(sep) => {
            let Some(sep) = sep.as_ref::<Str>() else {
                return Err(
                    vm.type_error(format!("must be str or None, not {}", class_of(sep).name()))
                );
            };
            if sep.is_empty() {
                return Err(vm.value_error("empty separator"));
            }
            if from_right {
                divide::rsplit_at(bytes, sep.as_bytes(), max, push);
            } else {
                divide::split_at(bytes, sep.as_bytes(), max, push);
            }
        }
    }
    let items = if from_right {
        pieces.finish_reversed(vm)?
    } else {
        pieces.finish(vm)?
    };
    Ok(List::value(items))
}

/// Calls `each` with the bounds of the words of a text; the last one goes to the end of the text when there were `max` before it.
fn words_of(bytes: &[u8], max: usize, mut each: impl FnMut(usize, usize)) {
    let mut at = 0;
    let mut start = None;
    let mut words = 0;
    while at < bytes.len() {
        let (c, n) = decode_char(&bytes[at..]);
        if unicode::is_space(c) {
            if let Some(start) = start.take() {
                each(start, at);
                words += 1;
            }
        } else if start.is_none() {
            if words == max {
                return each(at, bytes.len());
            }
            start = Some(at);
        }
        at += n;
    }
    if let Some(start) = start {
        each(start, at);
    }
}

fn split_lines(vm: &mut Vm, args: &[Value]) -> R {
    let keep = match optional(args, 1) {
        Some(v) => vm.truthy(v)?,
        None => false,
    };
    let s = receiver::<Str>(&args[0]);
    let ascii = s.is_ascii();
    let mut pieces = Pieces::default();
    let line_break = |rest: &[u8]| match rest {
        [b'\r', b'\n', ..] => 2,
        [10..=13 | 0x1C..=0x1E, ..] => 1,
        [0xC2, 0x85, ..] => 2,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    };
    // What a line break may begin with.
    let begins = |b: u8| b < 0x1F && matches!(b, 10..=13 | 0x1C..=0x1E) || b == 0xC2 || b == 0xE2;
    divide::split_lines(s.as_bytes(), keep, begins, line_break, |line| {
        pieces.push(|| {
            if ascii {
                Str::value_known(line, line.len())
            } else {
                Str::value_wtf8(line)
            }
        });
    });
    Ok(List::value(pieces.finish(vm)?))
}
