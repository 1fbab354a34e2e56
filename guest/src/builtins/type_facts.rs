//! Facts about classes that only C code has a use for, as CPython shows them: sizes, offsets and flags. They describe CPython's layout (programs compare
//! them with each other and test single flags), not ours.

use crate::heap::{Kind, Payload, Ref};
use crate::objects::bytes::Bytes;
use crate::objects::types::{ABSTRACT, BASE, Instance, MAPPING, MATCH_SELF, SEQUENCE, Type};
use crate::vm::Vm;

/// Size of an object's fixed part on a 64-bit machine.
fn fixed_size(class: &Type) -> i64 {
    match class.vtable.kind {
        Kind::Instance => 16,
        Kind::Int | Kind::Float | Kind::Tuple => 24,
        Kind::Complex | Kind::StaticMethod | Kind::ClassMethod => 32,
        Kind::Str | Kind::Property => 64,
        Kind::Bytes => 33,
        Kind::ByteArray => 56,
        Kind::List | Kind::Slice | Kind::Super => 40,
        Kind::Dict | Kind::Range => 48,
        Kind::Set | Kind::FrozenSet => 200,
        Kind::Type => 928,
        Kind::Function => 144,
        Kind::Exception => 72,
        _ => 16 + class.vtable.size as i64,
    }
}

/// `__basicsize__`
pub(super) fn basic_size(_: &Vm, class: &Ref<Type>) -> i64 {
    // One word for each of `__slots__`; dictionaries and weak references lie before the object.
    fixed_size(class) + 8 * i64::from(class.slot_count.get())
}

/// `__itemsize__`
pub(super) fn item_size(class: &Ref<Type>) -> i64 {
    match class.vtable.kind {
        Kind::Int => 4,
        Kind::Bytes => 1,
        Kind::Tuple => 8,
        Kind::Type => 40,
        _ => 0,
    }
}

/// `__dictoffset__`: -1 stands for "managed by the interpreter".
pub(super) fn dict_offset(class: &Ref<Type>) -> i64 {
    match class.vtable.kind {
        Kind::Type => 264,
        Kind::Function => 88,
        Kind::Exception => 16,
        _ if class.has_dict.get() => -1,
        _ => 0,
    }
}

/// `__weakrefoffset__`: -32 stands for "managed by the interpreter".
pub(super) fn weakref_offset(class: &Ref<Type>) -> i64 {
    match class.vtable.kind {
        Kind::Type => 368,
        Kind::Function => 96,
        Kind::Set | Kind::FrozenSet => 192,
        _ if class.weak.get() => -32,
        _ => 0,
    }
}

/// `__flags__`, with the bits that CPython documents in its C API (`Py_TPFLAGS_*`).
pub(super) fn flags(class: &Ref<Type>) -> i64 {
    // Ready.
    let mut flags = 1 << 12;
    let heap = !class.is_static();
    let mut put = |on: bool, bit: u32| flags |= i64::from(on) << bit;
    put(!heap, 8);
    put(!heap, 1);
    put(heap, 9);
    put(heap && class.has_dict.get(), 4);
    put(heap && class.weak.get(), 3);
    put(class.flag(BASE), 10);
    put(
        class.vtable.collectable && !class.same(Instance::class()),
        14,
    );
    put(class.flag(SEQUENCE), 5);
    put(class.flag(MAPPING), 6);
    put(class.flag(ABSTRACT), 20);
    put(class.flag(MATCH_SELF), 22);
    put(class.slots().new.is_none(), 7);
    put(
        matches!(
            class.vtable.kind,
            Kind::Function | Kind::MethodDescriptor | Kind::SlotWrapper
        ),
        17,
    );
    put(class.vtable.kind == Kind::Int, 24);
    put(class.vtable.kind == Kind::List, 25);
    put(class.vtable.kind == Kind::Tuple, 26);
    put(class.is_subclass_of(Bytes::class()), 27);
    put(class.vtable.kind == Kind::Str, 28);
    put(class.vtable.kind == Kind::Dict, 29);
    put(class.vtable.kind == Kind::Exception, 30);
    put(class.vtable.kind == Kind::Type, 31);
    flags
}

/// What the constructors of built-in classes take, where it can be written as a signature.
const TEXT_SIGNATURES: &[(&str, &str)] = &[
    ("NoneType", "()"),
    ("NotImplementedType", "()"),
    ("SimpleNamespace", "(mapping_or_iterable=(), /, **kwargs)"),
    ("bool", "(object=False, /)"),
    ("cell", "([contents])"),
    ("classmethod", "(function, /)"),
    ("complex", "(real=0, imag=0)"),
    ("ellipsis", "()"),
    ("enumerate", "(iterable, start=0)"),
    ("filter", "(function, iterable, /)"),
    ("float", "(x=0, /)"),
    ("frozenset", "(iterable=(), /)"),
    (
        "function",
        "(code, globals, name=None, argdefs=None, closure=None, kwdefaults=None)",
    ),
    ("list", "(iterable=(), /)"),
    ("map", "(function, iterable, /, *iterables, strict=False)"),
    ("mappingproxy", "(mapping)"),
    ("memoryview", "(object)"),
    ("method", "(function, instance, /)"),
    ("module", "(name, doc=None)"),
    ("object", "()"),
    ("property", "(fget=None, fset=None, fdel=None, doc=None)"),
    ("reversed", "(sequence, /)"),
    ("set", "(iterable=(), /)"),
    ("staticmethod", "(function, /)"),
    ("traceback", "(tb_next, tb_frame, tb_lasti, tb_lineno)"),
    ("tuple", "(iterable=(), /)"),
    ("zip", "(*iterables, strict=False)"),
];

/// `__text_signature__`
pub(super) fn text_signature(class: &Ref<Type>) -> Option<&'static str> {
    if !class.flag(crate::objects::types::STATIC) {
        return None;
    }
    let name = class.name();
    let at = TEXT_SIGNATURES
        .binary_search_by(|(known, _)| (*known).cmp(&name))
        .ok()?;
    Some(TEXT_SIGNATURES[at].1)
}
