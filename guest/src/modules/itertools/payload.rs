//! How the iterators of this module are declared: a structure whose fields know how to be visited by the collector.

use crate::heap::Payload;
use crate::value::Value;
use std::cell::{Cell, RefCell};

/// Something that may own values.
pub(super) trait Fields {
    /// Calls `visit` with every value owned.
    fn each(&self, visit: &mut dyn FnMut(&Value));
}

impl Fields for Value {
    fn each(&self, visit: &mut dyn FnMut(&Value)) {
        visit(self);
    }
}

impl<T: Payload> Fields for crate::heap::Ref<T> {
    fn each(&self, visit: &mut dyn FnMut(&Value)) {
        self.with_value(visit);
    }
}

impl<T: Fields> Fields for Option<T> {
    fn each(&self, visit: &mut dyn FnMut(&Value)) {
        if let Some(x) = self {
            x.each(visit);
        }
    }
}

impl<T: Fields> Fields for Vec<T> {
    fn each(&self, visit: &mut dyn FnMut(&Value)) {
        self.iter().for_each(|x| x.each(visit));
    }
}

impl<T: Fields> Fields for RefCell<T> {
    fn each(&self, visit: &mut dyn FnMut(&Value)) {
        // Never borrowed mutably while Python code or the collector runs.
        self.borrow().each(visit);
    }
}

impl<T: Copy> Fields for Cell<T> {
    fn each(&self, _: &mut dyn FnMut(&Value)) {}
}

macro_rules! plain {
    ($($t:ty)*) => {
        $(impl Fields for $t {
            fn each(&self, _: &mut dyn FnMut(&Value)) {}
        })*
    };
}
plain!(bool usize i64 u64);

/// Declares the payload of an iterator.
macro_rules! payload {
    ($(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        pub(super) struct $name {
            $($(#[$inner])* pub(super) $field: $type,)*
        }
        // SAFETY: visits every field.
        unsafe impl crate::heap::Payload for $name {
            crate::class_slot!();
            fn traverse(&self, visit: &mut dyn FnMut(&crate::value::Value)) {
                $(super::payload::Fields::each(&self.$field, visit);)*
            }
        }
    };
}
pub(super) use payload;

/// The next item of an iterator in a cell; `None` when there is none, or no iterator any more.
pub(super) fn advance(
    vm: &mut crate::vm::Vm,
    source: &RefCell<Option<Value>>,
) -> crate::vm::R<Option<Value>> {
    let it = source.borrow().clone();
    match it {
        Some(it) => vm.step(&it),
        None => Ok(None),
    }
}

/// Empties a cell; what was in it is dropped when nobody borrows it.
pub(super) fn empty<T>(cell: &RefCell<Option<T>>) {
    let old = cell.borrow_mut().take();
    drop(old);
}

/// Replaces what is in a cell; the old content is dropped when nobody borrows it.
pub(super) fn put<T>(cell: &RefCell<T>, value: T) {
    let old = cell.replace(value);
    drop(old);
}
