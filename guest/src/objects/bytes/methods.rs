//! `bytes` and `bytearray`: the classes. Their methods are in the sibling files, by what they do.

use super::search::me;
use super::{ByteArray, Bytes, BytesIter, construct, hex, mutable, search, subscript, transform};
use crate::heap::Ref;
use crate::objects::memoryview;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, Slots, ops};
use crate::objects::string::{Str, hash_bytes, repr};
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, MATCH_SELF, Type};
use crate::value::Value;
use crate::vm::Vm;
use std::cell::RefCell;

thread_local! {
    static ARRAY_ITERATOR: RefCell<Option<Ref<Type>>> = const { RefCell::new(None) };
}

/// The class of the iterators over `bytearray`s.
pub fn array_iterator_class() -> Ref<Type> {
    ARRAY_ITERATOR
        .with_borrow(|c| c.clone())
        .unwrap_or_else(|| <BytesIter as crate::heap::Payload>::class().clone())
}

/// Makes the classes.
pub(crate) fn init(vm: &mut Vm) {
    let bytes = ClassBuilder::new::<Bytes>("bytes")
        .flags(BASE | MATCH_SELF)
        .slots(BYTES);
    bytes
        .methods(vm, search::METHODS)
        .methods(vm, transform::METHODS)
        .methods(vm, BYTES_METHODS)
        .build(vm);
    let array = ClassBuilder::new::<ByteArray>("bytearray")
        .flags(BASE | MATCH_SELF)
        .slots(ARRAY);
    let array = array
        .methods(vm, search::METHODS)
        .methods(vm, transform::METHODS);
    array
        .methods(vm, mutable::METHODS)
        .methods(vm, ARRAY_METHODS)
        .build(vm);
    ClassBuilder::new::<BytesIter>("bytes_iterator")
        .slots(ITER)
        .methods(vm, ITER_METHODS)
        .build(vm);
    let class = ClassBuilder::sibling::<BytesIter>("bytearray_iterator")
        .slots(ITER)
        .methods(vm, ITER_METHODS)
        .build(vm);
    ARRAY_ITERATOR.set(Some(class));
    memoryview::init(vm);
}

const BYTES: Slots = Slots {
    repr: Some(|_, v| Ok(Str::value_wtf8(&repr::bytes(&receiver::<Bytes>(v).data)))),
    hash: Some(|_, v| Ok(hash_bytes(&receiver::<Bytes>(v).data))),
    new: Some(construct::new_bytes),
    ..SHARED
};

const ARRAY: Slots = Slots {
    repr: Some(transform::array_repr),
    unhashable: true,
    setitem: Some(mutable::set_item),
    inplace: Some(mutable::inplace),
    inplace_ops: ops(&[BinOp::Add, BinOp::Mul]),
    new: Some(construct::new_array),
    init: Some(construct::init_array),
    ..SHARED
};

const SHARED: Slots = Slots {
    compare: Some(subscript::compare),
    iter: Some(subscript::iter),
    len: Some(|vm, v| Ok(me(vm, v).len())),
    getitem: Some(subscript::get_item),
    contains: Some(subscript::contains),
    binary: Some(subscript::binary),
    binary_ops: ops(&[BinOp::Add, BinOp::Mul, BinOp::Mod]),
    reflected_ops: ops(&[BinOp::Mul, BinOp::Mod]),
    ..Slots::NONE
};

static BYTES_METHODS: &[Def] = &[
    memoryview::BUFFER,
    Def::method("__bytes__", "(self, /)", |_, args| {
        Ok(if args[0].is_exact::<Bytes>() {
            args[0].clone()
        } else {
            Bytes::value(receiver::<Bytes>(&args[0]).data.to_vec())
        })
    }),
    Def::method("__getnewargs__", "(self, /)", |_, args| {
        Ok(Tuple::value(vec![Bytes::value(
            receiver::<Bytes>(&args[0]).data.to_vec(),
        )]))
    }),
    Def::method("__sizeof__", "(self, /)", |_, args| {
        Ok(Value::int(
            33 + receiver::<Bytes>(&args[0]).data.len() as i64,
        ))
    }),
    Def::class_method("fromhex", "(cls, string, /)", |vm, args| {
        let data = hex::parse(vm, &args[1])?;
        let made = Bytes::value(data);
        match args[0].as_ref::<Type>() {
            Some(class) if !class.same(<Bytes as crate::heap::Payload>::class()) => {
                vm.call(&args[0], &[made])
            }
            _ => Ok(made),
        }
    }),
];

static ARRAY_METHODS: &[Def] = &[
    memoryview::BUFFER,
    memoryview::RELEASE_BUFFER,
    Def::method("__sizeof__", "(self, /)", |vm, args| {
        Ok(Value::int(
            57 + receiver::<ByteArray>(&args[0]).data.get(vm).len() as i64,
        ))
    }),
    Def::class_method("fromhex", "(cls, string, /)", |vm, args| {
        let data = hex::parse(vm, &args[1])?;
        let made = ByteArray::value(data);
        match args[0].as_ref::<Type>() {
            Some(class) if !class.same(<ByteArray as crate::heap::Payload>::class()) => {
                vm.call(&args[0], &[made])
            }
            _ => Ok(made),
        }
    }),
];

const ITER: Slots = Slots {
    iter: Some(|_, v| Ok(v.clone())),
    next: Some(subscript::iter_next),
    ..Slots::NONE
};

static ITER_METHODS: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |vm, args| {
        let it = receiver::<BytesIter>(&args[0]);
        let source = it.source.borrow().clone();
        Ok(Value::int(
            me(vm, &source).len().saturating_sub(it.index.get()) as i64,
        ))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let it = receiver::<BytesIter>(&args[0]);
        let source = it.source.borrow().clone();
        let iter = crate::builtins::ranges::builtin(vm, "iter")?;
        if source.is_undef() {
            return Ok(Tuple::value(vec![iter, Tuple::value(vec![Tuple::empty()])]));
        }
        Ok(Tuple::value(vec![
            iter,
            Tuple::value(vec![source]),
            Value::int(it.index.get() as i64),
        ]))
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let n = vm.index_i64(&args[1])?;
        receiver::<BytesIter>(&args[0]).index.set(n.max(0) as usize);
        Ok(Value::NONE)
    }),
];
