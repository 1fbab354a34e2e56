//! `complex`: the data.

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref};
use crate::objects::types::Type;
use crate::value::Value;

/// Payload of `complex`.
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

// SAFETY: owns no values.
unsafe impl Payload for Complex {
    const KIND: Kind = Kind::Complex;
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

impl Complex {
    /// A `complex`.
    pub fn value(re: f64, im: f64) -> Value {
        Value::from_ref(heap::alloc(Complex { re, im }))
    }

    /// A new instance of `class`, `complex` or a subclass.
    pub fn instance(class: &Ref<Type>, re: f64, im: f64) -> Value {
        Value::from_ref(heap::alloc_instance(Complex { re, im }, class, 0))
    }
}
