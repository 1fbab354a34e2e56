//! What is searched: a slice of bytes (ASCII or Latin-1 text, or `bytes`) or of code points.

use crate::class::Class;
use crate::first::FirstSet;
use crate::program::Text;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u32 {}
}

/// A character of a subject: `u8` or `u32`. All positions are indices into the slice.
pub trait Unit: Copy + Eq + sealed::Sealed + 'static {
    /// Its code point.
    fn code(self) -> u32;
    /// The unit of a code point, if it has one.
    #[doc(hidden)]
    fn from_code(c: u32) -> Option<Self>;
    #[doc(hidden)]
    fn in_class(self, class: &Class) -> bool;
    #[doc(hidden)]
    fn starts_with(here: &[Self], text: &Text) -> bool;
    #[doc(hidden)]
    fn find_text(subject: &[Self], text: &Text) -> Option<usize>;
    #[doc(hidden)]
    fn find(subject: &[Self], unit: Self) -> Option<usize>;
    #[doc(hidden)]
    fn find2(subject: &[Self], one: Self, other: Self) -> Option<usize>;
    #[doc(hidden)]
    fn rfind(subject: &[Self], unit: Self) -> Option<usize>;
    /// First member of a set; `few` are its members below 256 if they are at most three.
    #[doc(hidden)]
    fn find_set(subject: &[Self], set: &FirstSet, few: &[u8]) -> Option<usize>;
}

impl Unit for u8 {
    #[inline]
    fn code(self) -> u32 {
        self.into()
    }

    #[inline]
    fn from_code(c: u32) -> Option<u8> {
        u8::try_from(c).ok()
    }

    #[inline]
    fn in_class(self, class: &Class) -> bool {
        class.table[self as usize]
    }

    #[inline]
    fn starts_with(here: &[u8], text: &Text) -> bool {
        text.bytes
            .as_deref()
            .is_some_and(|bytes| here.starts_with(bytes))
    }

    fn find_text(subject: &[u8], text: &Text) -> Option<usize> {
        text.finder.as_ref()?.find(subject)
    }

    #[inline]
    fn find(subject: &[u8], unit: u8) -> Option<usize> {
        memchr::memchr(unit, subject)
    }

    #[inline]
    fn find2(subject: &[u8], one: u8, other: u8) -> Option<usize> {
        memchr::memchr2(one, other, subject)
    }

    #[inline]
    fn rfind(subject: &[u8], unit: u8) -> Option<usize> {
        memchr::memrchr(unit, subject)
    }

    fn find_set(subject: &[u8], set: &FirstSet, few: &[u8]) -> Option<usize> {
        match *few {
            [a] => memchr::memchr(a, subject),
            [a, b] => memchr::memchr2(a, b, subject),
            [a, b, c] => memchr::memchr3(a, b, c, subject),
            _ => subject
                .iter()
                .position(|&u| set.bits[usize::from(u >> 6)] >> (u & 63) & 1 != 0),
        }
    }
}

impl Unit for u32 {
    #[inline]
    fn code(self) -> u32 {
        self
    }

    #[inline]
    fn from_code(c: u32) -> Option<u32> {
        Some(c)
    }

    #[inline]
    fn in_class(self, class: &Class) -> bool {
        class.has(self)
    }

    #[inline]
    fn starts_with(here: &[u32], text: &Text) -> bool {
        here.starts_with(&text.chars)
    }

    fn find_text(subject: &[u32], text: &Text) -> Option<usize> {
        let (&first, rest) = text.chars.split_first()?;
        let mut at = 0;
        while let Some(found) = subject.get(at..)?.iter().position(|&c| c == first) {
            at += found + 1;
            if subject[at..].starts_with(rest) {
                return Some(at - 1);
            }
        }
        None
    }

    #[inline]
    fn find(subject: &[u32], unit: u32) -> Option<usize> {
        subject.iter().position(|&c| c == unit)
    }

    #[inline]
    fn find2(subject: &[u32], one: u32, other: u32) -> Option<usize> {
        subject.iter().position(|&c| c == one || c == other)
    }

    #[inline]
    fn rfind(subject: &[u32], unit: u32) -> Option<usize> {
        subject.iter().rposition(|&c| c == unit)
    }

    fn find_set(subject: &[u32], set: &FirstSet, _few: &[u8]) -> Option<usize> {
        match set.only {
            Some(only) => subject.iter().position(|&c| c == only),
            None => subject.iter().position(|&c| set.has(c)),
        }
    }
}
