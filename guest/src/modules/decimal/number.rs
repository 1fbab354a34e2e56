//! `Decimal`: the data, and operands of other classes that become decimals.

use super::integers;
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::native::receiver;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::decimal::{Coefficient, MAX_DIGITS, Number};
use std::borrow::Cow;

/// Payload of `Decimal`.
pub(crate) struct Decimal {
    pub(super) number: Number,
}

// SAFETY: owns no values.
unsafe impl Payload for Decimal {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

impl Decimal {
    /// The text in scientific notation, with capitals; `None` when that would be too long.
    pub(crate) fn text(&self) -> Option<String> {
        let short = self.number.coefficient.digits_at_most() <= MAX_DIGITS;
        short.then(|| self.number.text(false, true))
    }
}

/// A `Decimal`.
#[inline]
pub(super) fn value(number: Number) -> Value {
    Value::from_ref(heap::alloc(Decimal { number }))
}

/// A `Decimal` of a class.
pub(super) fn instance(class: &Ref<Type>, number: Number) -> Value {
    Value::from_ref(heap::alloc_instance(Decimal { number }, class, 0))
}

/// The number of a receiver.
#[inline]
pub(super) fn number(v: &Value) -> &Number {
    &receiver::<Decimal>(v).number
}

/// The number that an operand is exactly: of a `Decimal` or an `int`.
#[inline]
pub(super) fn operand(v: &Value) -> Option<Cow<'_, Number>> {
    if let Some(decimal) = v.as_ref::<Decimal>() {
        return Some(Cow::Borrowed(&decimal.number));
    }
    if let Some(i) = v.as_small_int() {
        return Some(Cow::Owned(small(i)));
    }
    v.as_int().map(|i| Cow::Owned(integers::of_int(i)))
}

/// As [`operand`], or `TypeError`.
pub(super) fn required<'a>(vm: &mut Vm, v: &'a Value) -> R<Cow<'a, Number>> {
    match operand(v) {
        Some(number) => Ok(number),
        None => Err(unsupported(vm, v)),
    }
}

/// The error for what cannot become a decimal.
#[cold]
pub(super) fn unsupported(vm: &mut Vm, v: &Value) -> crate::vm::Raised {
    let class = class_of(v).name().into_owned();
    vm.type_error(format!(
        "conversion from {class} to Decimal is not supported"
    ))
}

/// A small integer.
pub(super) fn small(i: i64) -> Number {
    let size = Coefficient::from(u128::from(i.unsigned_abs()));
    Number::finite(i < 0, size, 0)
}
