//! `bytes` and `bytearray`: the data.

pub mod buffer;
pub mod construct;
pub mod divide;
pub mod find;
pub mod hex;
pub mod items;
pub mod methods;
pub mod mutable;
pub mod search;
pub mod subscript;
pub mod transform;

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref, VmCell};
use crate::objects::types::Type;
use crate::value::Value;

/// Payload of `bytes`.
pub struct Bytes {
    /// The bytes.
    pub data: Box<[u8]>,
}

// SAFETY: owns no values.
unsafe impl Payload for Bytes {
    const KIND: Kind = Kind::Bytes;
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

impl Bytes {
    /// A `bytes`.
    pub fn value(data: Vec<u8>) -> Value {
        Value::from_ref(heap::alloc(Bytes {
            data: data.into_boxed_slice(),
        }))
    }

    /// A new instance of `class`, `bytes` or a subclass.
    pub fn instance(class: &Ref<Type>, data: Vec<u8>) -> Value {
        Value::from_ref(heap::alloc_instance(
            Bytes {
                data: data.into_boxed_slice(),
            },
            class,
            0,
        ))
    }
}

/// Payload of `bytearray`.
pub struct ByteArray {
    /// The bytes.
    pub data: VmCell<Vec<u8>>,
    /// Number of `memoryview`s that look at it; while there are any its length cannot change.
    pub exports: std::cell::Cell<usize>,
}

// SAFETY: owns no values.
unsafe impl Payload for ByteArray {
    const KIND: Kind = Kind::ByteArray;
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

impl ByteArray {
    /// A `bytearray`.
    pub fn value(data: Vec<u8>) -> Value {
        Value::from_ref(heap::alloc(Self::payload(data)))
    }

    /// A new instance of `class`, `bytearray` or a subclass.
    pub fn instance(class: &Ref<Type>, data: Vec<u8>) -> Value {
        Value::from_ref(heap::alloc_instance(Self::payload(data), class, 0))
    }

    fn payload(data: Vec<u8>) -> ByteArray {
        ByteArray {
            data: VmCell::new(data),
            exports: std::cell::Cell::new(0),
        }
    }
}

/// Payload of `bytes_iterator` and `bytearray_iterator`.
pub struct BytesIter {
    /// What is iterated; `UNDEF` when exhausted.
    pub source: std::cell::RefCell<Value>,
    /// The next position.
    pub index: std::cell::Cell<usize>,
}

// SAFETY: visits the source.
unsafe impl Payload for BytesIter {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.source.borrow());
    }
}
