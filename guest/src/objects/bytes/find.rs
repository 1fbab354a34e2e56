//! Searching in bytes: what `str` (whose text is WTF-8, in which a character's encoding is found only where the character is), `bytes` and `bytearray`
//! have in common.

use crate::objects::string::chunks;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use memchr::memmem;

/// The first place of `needle`.
#[inline]
pub fn find(hay: &[u8], needle: &[u8]) -> Option<usize> {
    crate::heap::charge(hay.len() >> 9);
    match needle {
        [] => Some(0),
        [b] => memchr::memchr(*b, hay),
        _ if needle.len() > hay.len() => None,
        _ if is_char(needle) => find_char(hay, needle),
        _ => memmem::find(hay, needle),
    }
}

/// Whether it is one character of several bytes. Such a needle does not overlap with itself.
#[inline]
fn is_char(needle: &[u8]) -> bool {
    match needle {
        [first, rest @ ..] if *first >= 0xC0 => {
            needle.len() == chunks::char_len(*first) && rest.iter().all(|b| *b < 0xC0)
        }
        _ => false,
    }
}

/// Whether a text begins with a short one.
#[inline(always)]
fn starts_with(hay: &[u8], short: &[u8]) -> bool {
    hay.len() >= short.len() && hay.iter().zip(short).all(|(x, y)| x == y)
}

/// Finds one character by its last byte: the first one is that of many others in the same text.
fn find_char(hay: &[u8], c: &[u8]) -> Option<usize> {
    let (end, begin) = c.split_last()?;
    let (mut from, mut misses) = (begin.len(), 0);
    while from < hay.len() {
        let at = from + memchr::memchr(*end, &hay[from..])?;
        let start = at - begin.len();
        if hay[start..at].iter().zip(begin).all(|(x, y)| x == y) {
            return Some(start);
        }
        from = at + 1;
        misses += 1;
        if misses > 8 && misses * 32 > from {
            // Not that rare here.
            let start = from - begin.len();
            return memmem::find(&hay[start..], c).map(|at| start + at);
        }
    }
    None
}

/// The last place of `needle`.
#[inline]
pub fn rfind(hay: &[u8], needle: &[u8]) -> Option<usize> {
    crate::heap::charge(hay.len() >> 9);
    match needle {
        [] => Some(hay.len()),
        [b] => memchr::memrchr(*b, hay),
        _ if needle.len() > hay.len() => None,
        _ => memmem::rfind(hay, needle),
    }
}

/// Calls `each` with the places of `needle` (not empty) that do not overlap, at most `max` of them.
#[inline]
pub fn find_all(hay: &[u8], needle: &[u8], max: usize, each: impl FnMut(usize)) {
    crate::heap::charge(hay.len() >> 9);
    match needle {
        [b] => memchr::memchr_iter(*b, hay).take(max).for_each(each),
        _ if needle.len() > hay.len() => {}
        _ if is_char(needle) => {
            let mut each = each;
            let mut from = 0;
            for _ in 0..max {
                // Where there is one, there is often another one.
                if !starts_with(&hay[from..], needle) {
                    match find_char(&hay[from..], needle) {
                        Some(at) => from += at,
                        None => break,
                    }
                }
                each(from);
                from += needle.len();
            }
        }
        _ => memmem::find_iter(hay, needle).take(max).for_each(each),
    }
}

/// How often `needle` (not empty) occurs without overlapping, counting no further than `max`.
pub fn count(hay: &[u8], needle: &[u8], max: usize) -> usize {
    crate::heap::charge(hay.len() >> 9);
    if let [b] = needle {
        return memchr::memchr_iter(*b, hay).count().min(max);
    }
    if is_char(needle) {
        let first = find_char(hay, needle);
        return first.map_or(0, |at| chunks::count_char(&hay[at..], needle).min(max));
    }
    let mut n = 0;
    find_all(hay, needle, max, |_| n += 1);
    n
}

/// An optional bound of a search or slice: `None` where it is not given or `None`.
pub fn bound(vm: &mut Vm, args: &[Value], index: usize) -> R<Option<i64>> {
    let Some(v) = optional(args, index) else {
        return Ok(None);
    };
    if let Some(i) = v.as_small_int() {
        return Ok(Some(i));
    }
    if v.is_none() {
        return Ok(None);
    }
    if v.as_int().is_none() && class_of(v).slots().index.is_none() {
        return Err(
            vm.type_error("slice indices must be integers or None or have an __index__ method")
        );
    }
    vm.index_clamped(v).map(Some)
}

/// The part of a sequence that a search looks at: arguments `index` (start) and `index + 1` (end). `None` when the start is behind the end, where
/// not even an empty text is found. May run Python code.
pub fn window(vm: &mut Vm, args: &[Value], index: usize, len: usize) -> R<Option<(usize, usize)>> {
    let (start, end) = (bound(vm, args, index)?, bound(vm, args, index + 1)?);
    Ok(clip(start, end, len))
}

/// Fits optional bounds to a length.
pub fn clip(start: Option<i64>, end: Option<i64>, len: usize) -> Option<(usize, usize)> {
    let len = len as i64;
    let fit = |i: i64| {
        if i < 0 {
            i.saturating_add(len).max(0)
        } else {
            i
        }
    };
    let end = end.map_or(len, |e| fit(e).min(len));
    let start = start.map_or(0, fit);
    (start <= end).then_some((start as usize, end as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_clipped_as_slices_are() {
        assert_eq!(clip(None, None, 3), Some((0, 3)));
        assert_eq!(clip(Some(-2), Some(9), 3), Some((1, 3)));
        assert_eq!(clip(Some(3), None, 3), Some((3, 3)));
        assert_eq!(clip(Some(4), None, 3), None);
        assert_eq!(clip(Some(-9), Some(-9), 3), Some((0, 0)));
    }

    #[test]
    fn places_do_not_overlap() {
        assert_eq!(count(b"aaaa", b"aa", usize::MAX), 2);
        assert_eq!(
            (
                find(b"abcabc", b"ca"),
                rfind(b"abcabc", b"bc"),
                find(b"a", b"ab")
            ),
            (Some(2), Some(4), None)
        );
    }
}
