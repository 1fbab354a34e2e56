//! `float`: instances of its subclasses (exact floats are inline). Its methods are in `float_methods`.

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref};
use crate::objects::types::Type;
use crate::value::Value;

/// Payload of instances of subclasses of `float`.
pub struct Float {
    /// The number.
    pub value: f64,
}

// SAFETY: owns no values.
unsafe impl Payload for Float {
    const KIND: Kind = Kind::Float;
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

impl Float {
    /// A new instance of `class`, a subclass of `float`.
    pub fn instance(class: &Ref<Type>, value: f64) -> Value {
        Value::from_ref(heap::alloc_instance(Float { value }, class, 0))
    }
}

impl Value {
    /// The number, if this is a `float` or an instance of a subclass.
    #[inline]
    pub fn as_any_float(&self) -> Option<f64> {
        self.as_float()
            .or_else(|| self.as_ref::<Float>().map(|f| f.value))
    }
}
