//! `array`: arrays of numbers or characters, stored as they stand in memory.

mod convert;
mod iter;
mod methods;
mod pickle;
mod subscript;

use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names;
use crate::objects::bytes::buffer::{self, Exporter};
use crate::objects::module::Module;
use crate::objects::native::receiver;
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::{R, Vm};
use std::cell::Cell;

/// The type codes, in the order of `array.typecodes`.
const TYPECODES: &str = "bBuwhHiIlLqQfd";

/// Payload of `array.array`.
pub struct Array {
    /// The type code.
    code: u8,
    /// The items, little-endian.
    data: VmCell<Vec<u8>>,
    /// Number of views; while there are any the length cannot change.
    exports: Cell<usize>,
}

// SAFETY: owns no values.
unsafe impl Payload for Array {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// How arrays lend their memory.
static EXPORTER: Exporter = Exporter {
    is: |v| v.is::<Array>(),
    data: |vm, v| receiver::<Array>(v).data.get(vm),
    data_mut: Some(|vm, v| receiver::<Array>(v).data.get_mut(vm)),
    format: |v| match receiver::<Array>(v).code {
        b'u' => "w".to_owned(),
        code => (code as char).to_string(),
    },
    lock: |v, by| {
        let exports = &receiver::<Array>(v).exports;
        exports.set(exports.get().wrapping_add_signed(by));
    },
};

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(
        vm,
        "array",
        "This module defines an object type which can efficiently represent\nan array of basic values.",
        pickle::FUNCTIONS,
    );
    if !Array::class_slot().with(|slot| slot.is_set()) {
        methods::build(vm);
        buffer::register(&EXPORTER);
    }
    let class = Array::class().to_value();
    module.set(vm, "array", class.clone());
    module.set(vm, "ArrayType", class.clone());
    module.set(vm, "typecodes", Str::value(TYPECODES));
    if let Err(raised) = register_abc(vm, class) {
        // Without the abstract classes arrays work just as well; a program that is being stopped stops at the next poll.
        let _ = vm.swallow_any(raised);
    }
    module
}

/// Tells the abstract classes that arrays are mutable sequences.
fn register_abc(vm: &mut Vm, class: Value) -> R<()> {
    let abc = vm.import_module("_collections_abc")?;
    let sequence = vm.get_attr(&abc, &names::intern("MutableSequence").to_value())?;
    vm.call_method(&sequence, &names::intern("register"), &[class])?;
    Ok(())
}

impl Array {
    /// An array of exactly the built-in class.
    fn value(code: u8, data: Vec<u8>) -> Value {
        Value::from_ref(heap::alloc(Array {
            code,
            data: VmCell::new(data),
            exports: Cell::new(0),
        }))
    }

    /// An instance of `class`, the built-in class or a subclass.
    fn instance(class: &Ref<Type>, code: u8, data: Vec<u8>) -> Value {
        Value::from_ref(heap::alloc_instance(
            Array {
                code,
                data: VmCell::new(data),
                exports: Cell::new(0),
            },
            class,
            0,
        ))
    }

    /// Bytes of an item.
    #[inline]
    fn size(&self) -> usize {
        convert::size(self.code)
    }

    /// Number of items.
    #[inline]
    fn len(&self, vm: &Vm) -> usize {
        self.data.get(vm).len() / self.size()
    }

    /// Whether the items are characters.
    fn is_text(&self) -> bool {
        convert::is_text(self.code)
    }

    /// The item at an index, as long as there is one.
    #[inline]
    fn get(&self, vm: &mut Vm, index: usize) -> R<Option<Value>> {
        let size = self.size();
        let Some(item) = index
            .checked_mul(size)
            .and_then(|at| self.data.get(vm).get(at..at + size))
        else {
            return Ok(None);
        };
        let mut raw = [0; 8];
        raw[..size].copy_from_slice(item);
        convert::read(vm, self.code, &raw[..size]).map(Some)
    }

    /// The data, whose length may change and grow by `more` bytes: not while there are views.
    fn resizable<'a>(&'a self, vm: &'a mut Vm, more: usize) -> R<&'a mut Vec<u8>> {
        if self.exports.get() > 0 {
            return Err(vm.buffer_error("cannot resize an array that is exporting buffers"));
        }
        let data = self.data.get(vm);
        if data.capacity() - data.len() < more {
            let grown = data
                .len()
                .saturating_add(more)
                .max(data.len().saturating_mul(2));
            vm.text_size(grown)?;
        }
        Ok(self.data.get_mut(vm))
    }

    /// Appends items as they stand in memory.
    fn append_raw(&self, vm: &mut Vm, more: &[u8]) -> R<()> {
        if !more.is_empty() {
            self.resizable(vm, more.len())?.extend_from_slice(more);
        }
        Ok(())
    }

    /// Appends one value.
    fn push(&self, vm: &mut Vm, v: &Value) -> R<()> {
        let raw = convert::write(vm, self.code, v)?;
        self.append_raw(vm, &raw[..self.size()])
    }
}
