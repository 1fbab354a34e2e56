//! The first objects: classes that have to exist before any class can be made.

use super::{Boxed, Header, Kind, Payload, Ref, VmCell, alloc_raw, vtable};
use crate::names;
use crate::objects::dict::{Dict, DictMap};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{Instance, STATIC, Type};
use std::ptr::NonNull;

/// Allocates with a class given by address; the class need not be initialised yet.
///
/// # Safety
/// The header's class is not looked at before it is initialised.
unsafe fn with_class<T: Payload>(payload: T, class: NonNull<Boxed<Type>>) -> Ref<T> {
    // SAFETY: `alloc_raw` only counts the class up; the placeholder's count is valid memory (see below).
    let class = std::mem::ManuallyDrop::new(unsafe { Ref::<Type>::from_ptr(class) });
    let exact = if matches!(T::KIND, Kind::Other | Kind::Instance) {
        0
    } else {
        T::KIND as u8
    };
    // SAFETY: plain classes without attribute area.
    unsafe { alloc_raw(payload, &class, 0, exact, 0) }
}

/// Makes `type`, `object`, `str`, `dict` and `tuple` in their raw form.
pub fn raw_classes() {
    // Zeroed memory stands for each class until it is written: counting it up is harmless, and nothing else looks at it.
    fn reserve() -> NonNull<Boxed<Type>> {
        let layout = std::alloc::Layout::new::<Boxed<Type>>();
        // SAFETY: the layout is not empty. The header's count (the only field touched) is valid when zero.
        let p = unsafe { std::alloc::alloc_zeroed(layout) } as *mut Boxed<Type>;
        match NonNull::new(p) {
            Some(p) => p,
            None => std::alloc::handle_alloc_error(layout),
        }
    }
    let (type_, object, str_, dict, tuple) =
        (reserve(), reserve(), reserve(), reserve(), reserve());
    let classes = [
        (Type::class_slot(), type_),
        (Instance::class_slot(), object),
        (Str::class_slot(), str_),
        (Dict::class_slot(), dict),
        (Tuple::class_slot(), tuple),
    ];
    for (slot, p) in classes {
        // SAFETY: the memory lives for ever; `set` makes it immortal by writing the count.
        slot.with(|slot| slot.set(unsafe { Ref::from_ptr(p) }));
    }
    let fill = |p: NonNull<Boxed<Type>>, name: &str, table: &'static super::VTable| {
        // From here on strings and dictionaries can be made: their classes' addresses are known.
        let payload = Type::blank_with(&names::intern(name), table, STATIC, {
            // SAFETY: the class `dict` is not looked at while the object is made.
            unsafe {
                with_class(
                    Dict {
                        map: VmCell::new(DictMap::default()),
                    },
                    dict,
                )
            }
        });
        let header = Header {
            count: std::cell::Cell::new(super::IMMORTAL),
            gc_index: std::cell::Cell::new(0),
            class: std::cell::Cell::new(type_),
            kind: Kind::Type,
            exact: Kind::Type as u8,
            flags: std::cell::Cell::new(0),
        };
        // SAFETY: reserved above for exactly this.
        unsafe { p.write(Boxed { header, payload }) };
    };
    fill(type_, "type", vtable::<Type>());
    fill(object, "object", vtable::<Instance>());
    fill(str_, "str", vtable::<Str>());
    fill(dict, "dict", vtable::<Dict>());
    fill(tuple, "tuple", vtable::<Tuple>());
}
