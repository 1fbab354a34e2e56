//! The attribute area: instance attributes that live behind the payload.
//!
//! All instances of a class share their keys (hidden class): the class keeps the list of names ([`Type::keys`](crate::objects::types::Type)), an
//! instance keeps the values in the order of that list. That needs no dictionary and makes an attribute load two loads behind one check.
//! When the order in which an instance got its attributes is not the order of the keys, when it has more than the area has room for, or when somebody
//! asks for its `__dict__`, the values move into a real dictionary for good.

use super::{HAS_ATTRS, Header, Ref, round_up};
use crate::objects::dict::Dict;
use crate::value::Value;
use std::cell::Cell;

/// Head of the attribute area; `capacity` values follow.
#[repr(C, align(8))]
pub struct Attrs {
    /// The instance dictionary, once there is one; then all inline values are `UNDEF`.
    dict: Cell<Option<Ref<Dict>>>,
    /// One more than the highest index that is set.
    len: Cell<u16>,
    capacity: u16,
}

impl Attrs {
    /// Size of an area with room for `capacity` values.
    pub fn size(capacity: u16) -> usize {
        size_of::<Attrs>() + capacity as usize * size_of::<Value>()
    }

    /// Distance from the object's start to the first value, for objects whose class has no tail.
    pub fn values_offset(payload_size: usize) -> usize {
        round_up(payload_size) + size_of::<Attrs>()
    }

    /// Initialises the area of a fresh object.
    ///
    /// # Safety
    /// The memory behind the object has room for [`Attrs::size`] of `capacity`.
    pub(super) unsafe fn init(header: &Header, capacity: u16) {
        // SAFETY: by contract.
        unsafe {
            let area = Self::area(header) as *mut Attrs;
            area.write(Attrs {
                dict: Cell::new(None),
                len: Cell::new(0),
                capacity,
            });
            let values = area.add(1) as *mut Value;
            for i in 0..capacity as usize {
                values.add(i).write(Value::UNDEF);
            }
        }
    }

    /// Drops the area's values; answers its size.
    ///
    /// # Safety
    /// The object is being freed and has an area.
    pub(super) unsafe fn drop_area(header: &Header) -> usize {
        // SAFETY: by contract.
        unsafe {
            let area = &*Self::area(header);
            drop(area.dict.take());
            for i in 0..area.capacity as usize {
                std::ptr::drop_in_place(area.values().add(i));
            }
            Self::size(area.capacity)
        }
    }

    unsafe fn area(header: &Header) -> *const Attrs {
        let table = header.class().vtable;
        let object = header as *const Header;
        // SAFETY: the object is live, its tail is as allocated.
        unsafe { (object as *const u8).add(table.size_with_tail(object)) as *const Attrs }
    }

    /// The area of an object, if it has one.
    #[inline]
    pub fn of(header: &Header) -> Option<&Attrs> {
        if header.flag(HAS_ATTRS) {
            // SAFETY: the flag says that the area is there; it lives as long as the object.
            Some(unsafe { &*Self::area(header) })
        } else {
            None
        }
    }

    fn values(&self) -> *mut Value {
        // SAFETY: the values follow the head.
        unsafe { (self as *const Attrs).add(1) as *mut Value }
    }

    /// Room for values.
    pub fn capacity(&self) -> u16 {
        self.capacity
    }

    /// One more than the highest index that is set.
    pub fn len(&self) -> u16 {
        self.len.get()
    }

    /// Whether no inline value is set.
    pub fn is_empty(&self) -> bool {
        self.len.get() == 0
    }

    /// The instance dictionary, if there is one.
    #[inline]
    pub fn dict(&self) -> Option<&Ref<Dict>> {
        // SAFETY: the cell is only written by `set_dict`, never while a borrow is used (single thread, no Python code in between).
        unsafe { (*self.dict.as_ptr()).as_ref() }
    }

    /// Installs the instance dictionary (or removes it); the old one is given back.
    pub fn set_dict(&self, dict: Option<Ref<Dict>>) -> Option<Ref<Dict>> {
        self.dict.replace(dict)
    }

    /// The value at `index`, if it is set.
    #[inline]
    pub fn get(&self, index: u16) -> Option<Value> {
        if index >= self.capacity {
            return None;
        }
        // SAFETY: inside the area; cloned at once.
        let v = unsafe { &*self.values().add(index as usize) };
        v.defined().cloned()
    }

    /// Sets (or, with `UNDEF`, clears) the value at `index`, which is below the capacity; the old value is given back for the caller to drop.
    #[inline]
    pub fn replace(&self, index: u16, value: Value) -> Value {
        assert!(index < self.capacity);
        if !value.is_undef() && index >= self.len.get() {
            self.len.set(index + 1);
        }
        // SAFETY: inside the area.
        unsafe { std::mem::replace(&mut *self.values().add(index as usize), value) }
    }

    /// Visits what the area owns.
    pub(super) fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        if let Some(dict) = self.dict() {
            dict.with_value(|v| visit(v));
        }
        for i in 0..self.len.get() as usize {
            // SAFETY: inside the area.
            visit(unsafe { &*self.values().add(i) });
        }
    }

    /// Takes everything out, for the collector.
    pub(super) fn take_all(&self) -> (Option<Ref<Dict>>, Vec<Value>) {
        let values = (0..self.len.get())
            .map(|i| self.replace(i, Value::UNDEF))
            .collect();
        self.len.set(0);
        (self.dict.take(), values)
    }
}
