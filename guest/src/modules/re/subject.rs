//! What is searched: text or bytes in the form that the matcher takes, and the pieces of it that become Python objects.

use crate::heap::{self, Kind, Ref};
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::RefCell;
use std::rc::Rc;

/// A subject.
#[derive(Clone)]
pub(super) enum Subject {
    /// Text of ASCII characters only: matched as it is.
    Ascii(Ref<Str>),
    /// Other text, decoded.
    Wide(Ref<Str>, Rc<[u32]>),
    /// `bytes`.
    Bytes(Ref<Bytes>),
    /// The contents of any other bytes-like object.
    Copied(Rc<[u8]>),
}

/// A text with its characters.
type Decoded = (Ref<Str>, Rc<[u32]>);

thread_local! {
    /// The text decoded last: tokenizers match at position after position of the same text.
    static DECODED: RefCell<Option<Decoded>> = const { RefCell::new(None) };
}

/// Texts shorter than this are decoded each time.
const WORTH_KEEPING: usize = 64;

impl Subject {
    /// The subject that a value is; `TypeError` when it is neither text nor bytes.
    pub(super) fn new(vm: &mut Vm, v: &Value) -> R<Subject> {
        if let Some(s) = v.as_ref::<Str>() {
            return if s.is_ascii() {
                Ok(Subject::Ascii(s.clone()))
            } else {
                Subject::decode(vm, s)
            };
        }
        if let Some(b) = v.as_ref::<Bytes>() {
            return Ok(Subject::Bytes(b.clone()));
        }
        match buffer::view(vm, v) {
            Some(data) => Ok(Subject::Copied(data.into())),
            None => Err(vm.type_error(format!(
                "expected string or bytes-like object, got '{}'",
                class_of(v).name()
            ))),
        }
    }

    fn decode(vm: &mut Vm, s: &Ref<Str>) -> R<Subject> {
        if s.len() < WORTH_KEEPING {
            return Ok(Subject::Wide(s.clone(), s.chars().collect()));
        }
        if let Some(chars) = DECODED.with_borrow(|d| {
            d.as_ref()
                .filter(|(known, _)| known.same(s))
                .map(|(_, c)| c.clone())
        }) {
            return Ok(Subject::Wide(s.clone(), chars));
        }
        if !heap::can_allocate(s.len() * 8) {
            return Err(vm.memory_error());
        }
        let chars: Rc<[u32]> = s.chars().collect::<Vec<u32>>().into();
        let old = DECODED.replace(Some((s.clone(), chars.clone())));
        drop(old);
        Ok(Subject::Wide(s.clone(), chars))
    }

    /// Whether it is text.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Subject::Ascii(_) | Subject::Wide(..))
    }

    /// Length in characters or bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Subject::Ascii(s) | Subject::Wide(s, _) => s.len(),
            Subject::Bytes(b) => b.data.len(),
            Subject::Copied(b) => b.len(),
        }
    }

    /// The piece `start..end` as a `str` or `bytes`.
    pub(super) fn slice(&self, start: usize, end: usize) -> Value {
        match self {
            Subject::Ascii(s) | Subject::Wide(s, _) => text_slice(s, start, end),
            Subject::Bytes(b) => bytes_slice(b, start, end),
            Subject::Copied(b) => Bytes::value(b[start..end].to_vec()),
        }
    }

    /// The piece `start..end`, or `None`/the default for a group that took no part.
    pub(super) fn span(&self, span: Option<(usize, usize)>, default: &Value) -> Value {
        span.map_or_else(|| default.clone(), |(start, end)| self.slice(start, end))
    }

    /// An empty `str` or `bytes`.
    pub(super) fn empty(&self) -> Value {
        if self.is_text() {
            Str::value("")
        } else {
            Bytes::value(Vec::new())
        }
    }

    /// The bytes (WTF-8 for text) of the piece `start..end`.
    pub(super) fn raw(&self, start: usize, end: usize) -> &[u8] {
        match self {
            Subject::Ascii(s) => &s.as_bytes()[start..end],
            Subject::Wide(s, _) => s.slice_bytes(start, end),
            Subject::Bytes(b) => &b.data[start..end],
            Subject::Copied(b) => &b[start..end],
        }
    }

    /// An object of these bytes (WTF-8 for text).
    pub(super) fn wrap(&self, raw: Vec<u8>) -> Value {
        if self.is_text() {
            Str::value_wtf8(&raw)
        } else {
            Bytes::value(raw)
        }
    }
}

fn text_slice(s: &Ref<Str>, start: usize, end: usize) -> Value {
    if start == 0 && end == s.len() && s.header().is_exact_kind(Kind::Str) {
        return s.to_value();
    }
    if !s.is_ascii() {
        return Str::value_wtf8(s.slice_bytes(start, end));
    }
    match end.saturating_sub(start) {
        0 | 1 => Str::value_wtf8(s.slice_bytes(start, end)),
        _ => Value::from_ref(Str::from_ascii(&s.as_bytes()[start..end])),
    }
}

fn bytes_slice(b: &Ref<Bytes>, start: usize, end: usize) -> Value {
    if start == 0 && end == b.data.len() && b.header().is_exact_kind(Kind::Bytes) {
        return b.to_value();
    }
    Bytes::value(b.data[start..end].to_vec())
}

/// The piece `start..end` of what a match was made in, as it is now (a `bytearray` may have become shorter).
pub(super) fn slice_of(vm: &mut Vm, subject: &Value, start: usize, end: usize) -> Value {
    if let Some(s) = subject.as_ref::<Str>() {
        return text_slice(s, start, end);
    }
    if let Some(b) = subject.as_ref::<Bytes>() {
        return bytes_slice(b, start, end);
    }
    let data = buffer::view(vm, subject).unwrap_or_default();
    let end = end.min(data.len());
    Bytes::value(data[start.min(end)..end].to_vec())
}
