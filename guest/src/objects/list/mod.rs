//! `list`: the data. Its methods are in the sibling files.

pub mod methods;
pub mod sort;

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref, VmCell};
use crate::value::Value;
use crate::vm::Vm;

/// Payload of `list`.
pub struct List {
    /// The items.
    pub items: VmCell<Vec<Value>>,
}

// SAFETY: visits the items.
unsafe impl Payload for List {
    const KIND: Kind = Kind::List;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe { self.items.peek() }.iter().for_each(visit);
    }
    fn clear(&mut self) {
        let_go(std::mem::take(self.items.exclusive()));
    }
}

impl Drop for List {
    fn drop(&mut self) {
        let_go(std::mem::take(self.items.exclusive()));
    }
}

/// Drops items that were in a list, the last first, as CPython does: programs see it where items have finalisers.
pub fn let_go(items: Vec<Value>) {
    items.into_iter().rev().for_each(drop);
}

impl List {
    /// A new list.
    pub fn new(items: Vec<Value>) -> Ref<List> {
        heap::alloc(List {
            items: VmCell::new(items),
        })
    }

    /// A new list, as a value.
    pub fn value(items: Vec<Value>) -> Value {
        Value::from_ref(Self::new(items))
    }

    /// Number of items.
    #[inline(always)]
    pub fn len(&self, vm: &Vm) -> usize {
        self.items.get(vm).len()
    }

    /// The item at `index`, if there is one.
    #[inline(always)]
    pub fn get(&self, vm: &Vm, index: usize) -> Option<Value> {
        self.items.get(vm).get(index).cloned()
    }

    /// Appends an item. `MemoryError` when there is no room.
    #[inline]
    pub fn push(&self, vm: &mut Vm, value: Value) -> crate::vm::R<()> {
        let items = self.items.get_mut(vm);
        if items.len() == items.capacity() {
            return self.push_growing(vm, value);
        }
        items.push(value);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn push_growing(&self, vm: &mut Vm, value: Value) -> crate::vm::R<()> {
        let items = self.items.get_mut(vm);
        let more = items.len().max(4);
        if !heap::can_allocate(more * size_of::<Value>() * 3) || items.try_reserve(more).is_err() {
            return Err(vm.memory_error());
        }
        self.items.get_mut(vm).push(value);
        Ok(())
    }
}
