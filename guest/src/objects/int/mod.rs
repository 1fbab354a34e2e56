//! `int` beyond the inline range, and instances of its subclasses: the data.
//!
//! Operators are in [`arith`], the constructor in [`construct`], methods and protocols in [`methods`].

pub mod arith;
pub mod construct;
pub mod methods;

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref};
use crate::objects::types::Type;
use crate::value::Value;
use coldframe_numeric::BigInt;
use num_traits::ToPrimitive;
use std::borrow::Cow;

/// Payload of `int` objects on the heap.
pub struct Int {
    /// The number. Exact `int`s on the heap are outside the inline range.
    pub value: BigInt,
}

// SAFETY: owns no values.
unsafe impl Payload for Int {
    const KIND: Kind = Kind::Int;
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// The number of an `int` (or `bool`, or instance of a subclass), wherever it is kept.
#[derive(Clone, Copy, Debug)]
pub enum IntRef<'a> {
    /// Inline, or from a `bool`.
    Small(i64),
    /// On the heap (may still be a small number in an instance of a subclass).
    Big(&'a BigInt),
}

impl IntRef<'_> {
    /// As a big integer.
    pub fn to_big(self) -> BigInt {
        match self {
            IntRef::Small(i) => BigInt::from(i),
            IntRef::Big(b) => b.clone(),
        }
    }

    /// As a number of 64 bits, if it fits.
    pub fn to_i64(self) -> Option<i64> {
        match self {
            IntRef::Small(i) => Some(i),
            IntRef::Big(b) => b.to_i64(),
        }
    }

    /// Clamped to 64 bits.
    pub fn clamp_i64(self) -> i64 {
        match self {
            IntRef::Small(i) => i,
            IntRef::Big(b) => b
                .to_i64()
                .unwrap_or(if b.sign() == num_bigint::Sign::Minus {
                    i64::MIN
                } else {
                    i64::MAX
                }),
        }
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        match self {
            IntRef::Small(i) => i < 0,
            IntRef::Big(b) => b.sign() == num_bigint::Sign::Minus,
        }
    }

    /// Whether it is zero.
    pub fn is_zero(self) -> bool {
        match self {
            IntRef::Small(i) => i == 0,
            IntRef::Big(b) => b.sign() == num_bigint::Sign::NoSign,
        }
    }

    /// The number, borrowed when it is big already.
    pub fn as_big(&self) -> Cow<'_, BigInt> {
        match self {
            IntRef::Small(i) => Cow::Owned(BigInt::from(*i)),
            IntRef::Big(b) => Cow::Borrowed(b),
        }
    }

    /// As an exact `int`.
    pub fn to_value(self) -> Value {
        match self {
            IntRef::Small(i) => Value::int(i),
            IntRef::Big(b) => match b.to_i64() {
                Some(i) if Value::fits_small(i) => Value::small_int(i),
                _ => Value::bigint(b.clone()),
            },
        }
    }
}

impl Value {
    /// An `int`.
    #[inline(always)]
    pub fn int(i: i64) -> Value {
        if Value::fits_small(i) {
            Value::small_int(i)
        } else {
            Value::wide_int(i)
        }
    }

    /// An `int` from a big integer.
    pub fn bigint(b: BigInt) -> Value {
        match b.to_i64() {
            Some(i) if Value::fits_small(i) => Value::small_int(i),
            _ => Value::big_int_cold(b),
        }
    }

    // Out of line, so that the many places that make integers stay small.
    #[cold]
    #[inline(never)]
    fn wide_int(i: i64) -> Value {
        Value::big_int_cold(BigInt::from(i))
    }

    #[cold]
    fn big_int_cold(value: BigInt) -> Value {
        Value::from_ref(heap::alloc(Int { value }))
    }

    /// The number, if this is an `int`, a `bool`, or an instance of a subclass of `int`.
    #[inline]
    pub fn as_int(&self) -> Option<IntRef<'_>> {
        if let Some(i) = self.as_small_int() {
            return Some(IntRef::Small(i));
        }
        if let Some(b) = self.as_bool() {
            return Some(IntRef::Small(b as i64));
        }
        self.as_ref::<Int>().map(|i| IntRef::Big(&i.value))
    }

    /// Whether this is an exact `int`.
    #[inline]
    pub fn is_exact_int(&self) -> bool {
        self.is_small_int() || self.is_exact::<Int>()
    }
}

impl Int {
    /// A new instance of `class`, a subclass of `int`.
    pub fn instance(class: &Ref<Type>, value: BigInt) -> Value {
        Value::from_ref(heap::alloc_instance(Int { value }, class, 0))
    }
}
