//! `str`: the data. Its methods are in the sibling files.
//!
//! Text is kept as WTF-8: UTF-8 in which lone surrogates may be encoded too (Sapin, "The WTF-8 encoding"). ASCII text, most of it, is indexed
//! directly; other text by an index of every 64th character, made when first needed. The bytes follow the payload in memory; spare room behind them
//! lets `s += t` append in place while nobody else holds `s`.

pub mod charmaps;
pub mod chunks;
pub mod concat;
pub mod decoding;
pub mod encoding;
pub mod errors;
pub mod escapes;
pub mod format;
pub mod methods;
pub mod percent;
pub mod predicates;
pub mod repr;
pub mod search;
pub mod split;
pub mod subscript;
pub mod transform;
pub mod unicode;

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref};
use crate::value::Value;
use std::cell::{Cell, OnceCell};

/// Distance, in characters, of the entries of the character index.
const STRIDE: usize = 64;

/// Payload of `str`.
#[repr(C)]
pub struct Str {
    /// The hash, once computed (0: not yet).
    hash: Cell<i64>,
    /// Length in characters (code points).
    chars: Cell<u32>,
    /// Length in bytes.
    bytes: Cell<u32>,
    /// Room in bytes.
    capacity: u32,
    interned: Cell<bool>,
    /// Byte offsets of every [`STRIDE`]th character; only for text that is not ASCII.
    #[allow(
        clippy::box_collection,
        reason = "one word instead of three in every string; few have an index"
    )]
    index: OnceCell<Box<Vec<u32>>>,
    data: [u8; 0],
}

// SAFETY: owns no values; the tail is `capacity` bytes, as allocated.
unsafe impl Payload for Str {
    const KIND: Kind = Kind::Str;
    const COLLECTABLE: bool = false;
    class_slot!();
    const TAIL: Option<fn(&Self) -> usize> = Some(|t| t.capacity as usize);
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Writes the bytes of a new string, see [`Str::build`].
pub struct Filler {
    at: *mut u8,
    left: usize,
}

impl Filler {
    /// Appends WTF-8 text.
    #[inline]
    pub fn push(&mut self, wtf8: &[u8]) {
        assert!(
            wtf8.len() <= self.left,
            "a string was filled beyond its length"
        );
        // SAFETY: `left` bytes at `at` belong to the string being made, which nobody else has seen.
        unsafe {
            std::ptr::copy_nonoverlapping(wtf8.as_ptr(), self.at, wtf8.len());
            self.at = self.at.add(wtf8.len());
        }
        self.left -= wtf8.len();
    }

    /// Appends ASCII bytes, or WTF-8 text of which `f` changes only ASCII characters to others.
    #[inline]
    pub fn push_mapped(&mut self, wtf8: &[u8], f: impl Fn(u8) -> u8) {
        assert!(
            wtf8.len() <= self.left,
            "a string was filled beyond its length"
        );
        for (i, &b) in wtf8.iter().enumerate() {
            // SAFETY: as for `push`.
            unsafe { self.at.add(i).write(f(b)) };
        }
        // SAFETY: as for `push`.
        self.at = unsafe { self.at.add(wtf8.len()) };
        self.left -= wtf8.len();
    }

    /// Appends WTF-8 text several times.
    pub fn push_times(&mut self, wtf8: &[u8], times: usize) {
        match wtf8 {
            [b] => {
                assert!(times <= self.left, "a string was filled beyond its length");
                // SAFETY: as for `push`.
                unsafe {
                    std::ptr::write_bytes(self.at, *b, times);
                    self.at = self.at.add(times);
                }
                self.left -= times;
            }
            _ => {
                let size = wtf8.len().saturating_mul(times);
                assert!(size <= self.left, "a string was filled beyond its length");
                if size == 0 {
                    return;
                }
                let start = self.at;
                self.push(wtf8);
                let mut made = wtf8.len();
                while made < size {
                    let more = made.min(size - made);
                    // SAFETY: as for `push`; what is copied has been written, and ends where the copy begins.
                    unsafe {
                        std::ptr::copy_nonoverlapping(start, self.at, more);
                        self.at = self.at.add(more);
                    }
                    self.left -= more;
                    made += more;
                }
            }
        }
    }
}

pub use chunks::count_chars;

/// Decodes the character at the start of `bytes` (valid WTF-8, not empty): code point and length.
#[inline]
pub fn decode_char(bytes: &[u8]) -> (u32, usize) {
    let b0 = bytes[0] as u32;
    match b0 {
        0..=0x7F => (b0, 1),
        0x80..=0xDF => ((b0 & 0x1F) << 6 | (bytes[1] as u32 & 0x3F), 2),
        0xE0..=0xEF => (
            (b0 & 0x0F) << 12 | (bytes[1] as u32 & 0x3F) << 6 | (bytes[2] as u32 & 0x3F),
            3,
        ),
        _ => (
            (b0 & 0x07) << 18
                | (bytes[1] as u32 & 0x3F) << 12
                | (bytes[2] as u32 & 0x3F) << 6
                | (bytes[3] as u32 & 0x3F),
            4,
        ),
    }
}

/// Appends a code point (surrogates too) as WTF-8.
///
/// Text built from single code points can end up with a surrogate pair in two halves; that is what Python has too (they stay two characters).
pub fn push_char(out: &mut Vec<u8>, c: u32) {
    match c {
        0..=0x7F => out.push(c as u8),
        0x80..=0x7FF => out.extend([0xC0 | (c >> 6) as u8, 0x80 | (c & 0x3F) as u8]),
        0x800..=0xFFFF => out.extend([
            0xE0 | (c >> 12) as u8,
            0x80 | (c >> 6 & 0x3F) as u8,
            0x80 | (c & 0x3F) as u8,
        ]),
        _ => out.extend([
            0xF0 | (c >> 18) as u8,
            0x80 | (c >> 12 & 0x3F) as u8,
            0x80 | (c >> 6 & 0x3F) as u8,
            0x80 | (c & 0x3F) as u8,
        ]),
    }
}

/// The code points of WTF-8 text.
#[derive(Clone)]
pub struct Chars<'a>(&'a [u8]);

impl Iterator for Chars<'_> {
    type Item = u32;
    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let (c, n) = decode_char(self.0);
        self.0 = &self.0[n..];
        Some(c)
    }
}

/// The code points of WTF-8 text.
pub fn chars_of(bytes: &[u8]) -> Chars<'_> {
    Chars(bytes)
}

impl Str {
    /// A new string. `wtf8` is valid WTF-8 of fewer than 2^32 bytes.
    pub fn from_wtf8(wtf8: &[u8]) -> Ref<Str> {
        Self::with_chars(wtf8, count_chars(wtf8), 0)
    }

    /// A new string.
    pub fn new(text: &str) -> Ref<Str> {
        Self::from_wtf8(text.as_bytes())
    }

    /// A new string, as a value.
    pub fn value(text: &str) -> Value {
        match text.as_bytes() {
            [] => crate::names::Names::get().empty.to_value(),
            [b] if *b < 0x80 => crate::names::Names::get().ascii[*b as usize].to_value(),
            bytes => Value::from_ref(Self::from_wtf8(bytes)),
        }
    }

    /// A new string from WTF-8, as a value; short ones are shared.
    pub fn value_wtf8(wtf8: &[u8]) -> Value {
        match wtf8 {
            [] => crate::names::Names::get().empty.to_value(),
            [b] => crate::names::Names::get().ascii[*b as usize].to_value(),
            _ => Value::from_ref(Self::from_wtf8(wtf8)),
        }
    }

    /// A new string that is known to be ASCII.
    pub fn from_ascii(text: &[u8]) -> Ref<Str> {
        debug_assert!(text.is_ascii());
        Self::with_chars(text, text.len(), 0)
    }

    /// The decimal text of an integer.
    pub fn of_i64(i: i64) -> Ref<Str> {
        if (0..10).contains(&i) {
            return crate::names::Names::get().ascii[b'0' as usize + i as usize].clone();
        }
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut left = i.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        if i < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        Self::from_ascii(&digits[at..])
    }

    /// The string of one code point.
    pub fn from_char(c: u32) -> Value {
        if c < 0x80 {
            return crate::names::Names::get().ascii[c as usize].to_value();
        }
        let mut bytes = Vec::with_capacity(4);
        push_char(&mut bytes, c);
        Value::from_ref(Self::with_chars(&bytes, 1, 0))
    }

    /// A string whose length in characters is known, as a value; short ones are shared.
    pub fn value_known(wtf8: &[u8], chars: usize) -> Value {
        if wtf8.len() < 2 {
            Self::value_wtf8(wtf8)
        } else {
            Value::from_ref(Self::with_chars(wtf8, chars, 0))
        }
    }

    /// A string of `bytes` bytes and `chars` characters, which `fill` writes piece by piece. The caller has asked whether there is memory for it.
    pub fn build(bytes: usize, chars: usize, fill: impl FnOnce(&mut Filler)) -> Ref<Str> {
        let s = heap::alloc_tail(Self::payload(chars, bytes, bytes), bytes);
        let mut filler = Filler {
            at: s.data_ptr(),
            left: bytes,
        };
        fill(&mut filler);
        assert!(filler.left == 0, "a string was not filled");
        s
    }

    fn payload(chars: usize, bytes: usize, capacity: usize) -> Str {
        assert!(
            capacity <= u32::MAX as usize,
            "a string has fewer than 2^32 bytes"
        );
        Str {
            hash: Cell::new(0),
            chars: Cell::new(chars as u32),
            bytes: Cell::new(bytes as u32),
            capacity: capacity as u32,
            interned: Cell::new(false),
            index: OnceCell::new(),
            data: [],
        }
    }

    fn with_chars(wtf8: &[u8], chars: usize, spare: usize) -> Ref<Str> {
        let capacity = wtf8.len() + spare;
        let s = heap::alloc_tail(Self::payload(chars, wtf8.len(), capacity), capacity);
        // SAFETY: the tail has room for `capacity` bytes.
        unsafe { std::ptr::copy_nonoverlapping(wtf8.as_ptr(), s.data_ptr(), wtf8.len()) };
        s
    }

    /// A new instance of `class`, a subclass of `str`.
    pub fn instance(class: &Ref<crate::objects::types::Type>, wtf8: &[u8]) -> Ref<Str> {
        let s = heap::alloc_instance(
            Self::payload(count_chars(wtf8), wtf8.len(), wtf8.len()),
            class,
            wtf8.len(),
        );
        // SAFETY: the tail has room.
        unsafe { std::ptr::copy_nonoverlapping(wtf8.as_ptr(), s.data_ptr(), wtf8.len()) };
        s
    }

    fn data_ptr(&self) -> *mut u8 {
        self.data.as_ptr() as *mut u8
    }

    /// The text as WTF-8.
    #[inline(always)]
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: `bytes` bytes of the tail are initialised; text that others can see never changes (see `append`).
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.bytes.get() as usize) }
    }

    /// The text, unless it has lone surrogates.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        if self.is_ascii() {
            // SAFETY: ASCII is UTF-8.
            return Some(unsafe { std::str::from_utf8_unchecked(self.as_bytes()) });
        }
        if chunks::has_surrogates(self.as_bytes()) {
            return None;
        }
        // SAFETY: WTF-8 without surrogates is UTF-8.
        Some(unsafe { std::str::from_utf8_unchecked(self.as_bytes()) })
    }

    /// The text, lone surrogates replaced: for messages and other output.
    pub fn to_text(&self) -> std::borrow::Cow<'_, str> {
        match self.as_str() {
            Some(s) => s.into(),
            None => self
                .chars()
                .map(|c| char::from_u32(c).unwrap_or('\u{FFFD}'))
                .collect::<String>()
                .into(),
        }
    }

    /// Length in characters.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.chars.get() as usize
    }

    /// Whether it is the empty string.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.bytes.get() == 0
    }

    /// Whether all characters are ASCII.
    #[inline(always)]
    pub fn is_ascii(&self) -> bool {
        self.chars.get() == self.bytes.get()
    }

    /// The code points.
    pub fn chars(&self) -> Chars<'_> {
        Chars(self.as_bytes())
    }

    /// Byte offset of character `index` (at most the length).
    pub fn byte_offset(&self, index: usize) -> usize {
        if self.is_ascii() || index == 0 {
            return index;
        }
        if index >= self.len() {
            return self.bytes.get() as usize;
        }
        let bytes = self.as_bytes();
        if self.len() <= STRIDE {
            return chunks::offset_of(bytes, index);
        }
        let table = self
            .index
            .get_or_init(|| Box::new(chunks::offsets(bytes, STRIDE)));
        let at = table[index / STRIDE] as usize;
        at + chunks::offset_of(&bytes[at..], index % STRIDE)
    }

    /// Character index of a byte offset that is at a character's start.
    pub fn char_index(&self, offset: usize) -> usize {
        if self.is_ascii() {
            offset
        } else {
            count_chars(&self.as_bytes()[..offset])
        }
    }

    /// The code point at `index`, below the length.
    #[inline]
    pub fn char_at(&self, index: usize) -> u32 {
        if self.is_ascii() {
            self.as_bytes()[index] as u32
        } else {
            decode_char(&self.as_bytes()[self.byte_offset(index)..]).0
        }
    }

    /// The bytes of the characters `start..end`.
    pub fn slice_bytes(&self, start: usize, end: usize) -> &[u8] {
        if start >= end {
            return &[];
        }
        &self.as_bytes()[self.byte_offset(start)..self.byte_offset(end)]
    }

    /// The hash, as Python sees it.
    #[inline]
    pub fn hash(&self) -> i64 {
        match self.hash.get() {
            0 => {
                let h = hash_bytes(self.as_bytes());
                self.hash.set(h);
                h
            }
            h => h,
        }
    }

    /// Whether it is in the table of interned strings.
    #[inline(always)]
    pub fn is_interned(&self) -> bool {
        self.interned.get()
    }

    pub(crate) fn set_interned(&self) {
        self.interned.set(true);
    }

    /// Equality of texts.
    #[inline]
    pub fn same_text(&self, other: &Str) -> bool {
        std::ptr::eq(self, other)
            || (self.bytes.get() == other.bytes.get()
                && chunks::same(self.as_bytes(), other.as_bytes()))
    }

    /// `a += b`, where `a` is a `str`. When `a` has no other owner and room (or gets it), the bytes are appended in place, so that building a string
    /// piece by piece takes linear time. False, and nothing changed, when the result would be too long or there is no memory.
    pub fn append(a: &mut Value, b: &Str) -> bool {
        let Some(s) = a.as_ref::<Str>() else {
            return false;
        };
        let exact = s.header().is_exact_kind(Kind::Str);
        if b.is_empty() && exact {
            return true;
        }
        let (chars, bytes) = (
            s.len() + b.len(),
            s.as_bytes().len().saturating_add(b.as_bytes().len()),
        );
        if bytes > i32::MAX as usize {
            return false;
        }
        let alone = s.header().count() == 1 && exact && !s.interned.get();
        if alone && bytes <= s.capacity as usize {
            // SAFETY: there is room, and nobody else can see the string: `a` is its only owner, and `b` is another string.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    b.as_bytes().as_ptr(),
                    s.data_ptr().add(s.bytes.get() as usize),
                    b.as_bytes().len(),
                )
            };
            s.bytes.set(bytes as u32);
            s.chars.set(chars as u32);
            s.hash.set(0);
            if s.index.get().is_some() {
                // SAFETY: as above; the index is of the shorter text.
                drop(unsafe { (*(&raw const s.index as *mut OnceCell<Box<Vec<u32>>>)).take() });
            }
            return true;
        }
        // Room to grow only for a string that is being built: one that had no other owner and some length.
        let spare = if alone && bytes >= 32 {
            bytes / 2 + 32
        } else {
            0
        };
        let Some(result) = Self::try_with_capacity(bytes, spare) else {
            return false;
        };
        // SAFETY: fresh memory with room for both.
        unsafe {
            std::ptr::copy_nonoverlapping(
                s.as_bytes().as_ptr(),
                result.data_ptr(),
                s.as_bytes().len(),
            );
            std::ptr::copy_nonoverlapping(
                b.as_bytes().as_ptr(),
                result.data_ptr().add(s.as_bytes().len()),
                b.as_bytes().len(),
            );
        }
        result.bytes.set(bytes as u32);
        result.chars.set(chars as u32);
        *a = Value::from_ref(result);
        true
    }

    fn try_with_capacity(bytes: usize, spare: usize) -> Option<Ref<Str>> {
        let capacity = bytes + spare;
        if capacity > 1 << 16 && !heap::can_allocate(capacity) {
            return None;
        }
        Some(heap::alloc_tail(Self::payload(0, 0, capacity), capacity))
    }
}

/// The hash of text or bytes (fixed seed: one tenant per sandbox, and runs must be repeatable). Never 0 and never -1.
pub fn hash_bytes(bytes: &[u8]) -> i64 {
    match coldframe_numeric::hash::hash_bytes(bytes) {
        0 => 1,
        -1 => -2,
        h => h,
    }
}
