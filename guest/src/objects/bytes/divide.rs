//! Splitting bytes: what `str`, `bytes` and `bytearray` have in common. Every function calls `each` with the pieces in the order in which they are
//! found: those that split from the right find the last one first.

use super::find;
use crate::heap;
use crate::value::Value;
use crate::vm::{R, Vm};

/// Splits at white space, dropping empty pieces; at most `max` splits.
pub fn split_space<'a>(
    text: &'a [u8],
    max: usize,
    is_space: impl Fn(u8) -> bool,
    mut each: impl FnMut(&'a [u8]),
) {
    let mut at = 0;
    let mut splits = 0;
    loop {
        while at < text.len() && is_space(text[at]) {
            at += 1;
        }
        if at == text.len() {
            return;
        }
        if splits == max {
            // What is left keeps the white space at its end.
            return each(&text[at..]);
        }
        let start = at;
        while at < text.len() && !is_space(text[at]) {
            at += 1;
        }
        each(&text[start..at]);
        splits += 1;
    }
}

/// As [`split_space`], from the right.
pub fn rsplit_space<'a>(
    text: &'a [u8],
    max: usize,
    is_space: impl Fn(u8) -> bool,
    mut each: impl FnMut(&'a [u8]),
) {
    let mut at = text.len();
    let mut splits = 0;
    loop {
        while at > 0 && is_space(text[at - 1]) {
            at -= 1;
        }
        if at == 0 {
            return;
        }
        if splits == max {
            return each(&text[..at]);
        }
        let end = at;
        while at > 0 && !is_space(text[at - 1]) {
            at -= 1;
        }
        each(&text[at..end]);
        splits += 1;
    }
}

/// Splits at a separator (not empty); at most `max` splits.
pub fn split_at<'a>(text: &'a [u8], sep: &[u8], max: usize, mut each: impl FnMut(&'a [u8])) {
    let mut start = 0;
    find::find_all(text, sep, max, |at| {
        each(&text[start..at]);
        start = at + sep.len();
    });
    each(&text[start..]);
}

/// As [`split_at`], from the right.
pub fn rsplit_at<'a>(text: &'a [u8], sep: &[u8], max: usize, mut each: impl FnMut(&'a [u8])) {
    let mut end = text.len();
    for _ in 0..max {
        let Some(at) = find::rfind(&text[..end], sep) else {
            break;
        };
        each(&text[at + sep.len()..end]);
        end = at;
    }
    each(&text[..end]);
}

/// Splits into lines; `break_at` answers the length of the line break at the start of a text, 0 if there is none, and is asked only where `begins` says
/// that one may begin.
pub fn split_lines<'a>(
    text: &'a [u8],
    keep: bool,
    begins: impl Fn(u8) -> bool,
    break_at: impl Fn(&[u8]) -> usize,
    mut each: impl FnMut(&'a [u8]),
) {
    let (mut start, mut at) = (0, 0);
    while let Some(found) = text[at..].iter().position(|&b| begins(b)) {
        at += found;
        let n = break_at(&text[at..]);
        if n == 0 {
            at += 1;
            continue;
        }
        each(&text[start..if keep { at + n } else { at }]);
        at += n;
        start = at;
    }
    if start < text.len() {
        each(&text[start..]);
    }
}

/// Values that a splitting method collects, with an eye on the memory left.
#[derive(Default)]
pub struct Pieces {
    items: Vec<Value>,
    failed: bool,
}

impl Pieces {
    /// Adds what `make` makes, unless memory has run out.
    #[inline]
    pub fn push(&mut self, make: impl FnOnce() -> Value) {
        if self.items.len() == self.items.capacity() && !self.grow() {
            return;
        }
        self.items.push(make());
    }

    #[cold]
    fn grow(&mut self) -> bool {
        let more = self.items.len().max(8);
        // The pieces themselves need room too.
        self.failed =
            self.failed || !heap::can_allocate(more * 80) || self.items.try_reserve(more).is_err();
        !self.failed
    }

    /// The values; `MemoryError` when memory ran out.
    pub fn finish(self, vm: &mut Vm) -> R<Vec<Value>> {
        if self.failed {
            drop(self.items);
            return Err(vm.memory_error());
        }
        Ok(self.items)
    }

    /// As [`Pieces::finish`], in the opposite order.
    pub fn finish_reversed(self, vm: &mut Vm) -> R<Vec<Value>> {
        let mut items = self.finish(vm)?;
        items.reverse();
        Ok(items)
    }
}

/// An optional `maxsplit` argument.
pub fn max_splits(vm: &mut Vm, v: Option<&Value>) -> R<usize> {
    match v {
        Some(n) => Ok(usize::try_from(vm.index_i64(n)?).unwrap_or(
            if n.as_small_int().is_some_and(|n| n > 0) {
                usize::MAX - 1
            } else {
                usize::MAX
            },
        )),
        None => Ok(usize::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces<'a>(f: impl FnOnce(&mut dyn FnMut(&'a [u8]))) -> Vec<&'a str> {
        let mut out = Vec::new();
        f(&mut |p: &'a [u8]| out.push(std::str::from_utf8(p).unwrap_or("?")));
        out
    }

    #[test]
    fn white_space_splits() {
        let space = |b: u8| b == b' ';
        assert_eq!(
            pieces(|e| split_space(b"  a b  c ", usize::MAX, space, e)),
            ["a", "b", "c"]
        );
        assert_eq!(
            pieces(|e| split_space(b"  a b  c ", 1, space, e)),
            ["a", "b  c "]
        );
        assert_eq!(pieces(|e| split_space(b" a ", 0, space, e)), ["a "]);
        assert_eq!(
            pieces(|e| rsplit_space(b"  a b  c ", 1, space, e)),
            ["c", "  a b"]
        );
        assert!(pieces(|e| split_space(b"   ", usize::MAX, space, e)).is_empty());
    }

    #[test]
    fn separators_split() {
        assert_eq!(
            pieces(|e| split_at(b"a,,b,", b",", usize::MAX, e)),
            ["a", "", "b", ""]
        );
        assert_eq!(pieces(|e| split_at(b"a,,b,", b",", 1, e)), ["a", ",b,"]);
        assert_eq!(
            pieces(|e| rsplit_at(b"a--b--c", b"--", 1, e)),
            ["c", "a--b"]
        );
    }
}
