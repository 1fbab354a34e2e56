//! `arrayiterator`.

use super::Array;
use crate::builtins::iterators::iterator;
use crate::builtins::ranges::builtin;
use crate::class_slot;
use crate::heap::{self, Payload};
use crate::objects::native::{Def, receiver};
use crate::objects::tuple::Tuple;
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::{R, Vm};
use std::cell::{Cell, RefCell};

/// Payload of `arrayiterator`.
pub struct ArrayIter {
    /// The array; `UNDEF` when exhausted.
    source: RefCell<Value>,
    /// The next place.
    index: Cell<usize>,
}

// SAFETY: visits the source.
unsafe impl Payload for ArrayIter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.source.borrow());
    }
}

/// Makes the class.
pub(super) fn build(vm: &mut Vm) {
    ClassBuilder::new::<ArrayIter>("arrayiterator")
        .slots(iterator(next))
        .methods(vm, METHODS)
        .module(vm, "array")
        .build(vm);
}

/// `iter(array)`
pub(super) fn iter(_: &mut Vm, v: &Value) -> R {
    Ok(Value::from_ref(heap::alloc(ArrayIter {
        source: RefCell::new(v.clone()),
        index: Cell::new(0),
    })))
}

fn next(vm: &mut Vm, v: &Value) -> R {
    let it = receiver::<ArrayIter>(v);
    let source = it.source.borrow().clone();
    let Some(array) = source.as_ref::<Array>() else {
        return Ok(Value::UNDEF);
    };
    match array.get(vm, it.index.get())? {
        Some(item) => {
            it.index.set(it.index.get() + 1);
            Ok(item)
        }
        None => {
            it.source.replace(Value::UNDEF);
            Ok(Value::UNDEF)
        }
    }
}

static METHODS: &[Def] = &[
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let it = receiver::<ArrayIter>(&args[0]);
        let source = it.source.borrow().clone();
        let f = builtin(vm, "iter")?;
        Ok(if source.is_undef() {
            Tuple::value(vec![f, Tuple::value(vec![Tuple::empty()])])
        } else {
            Tuple::value(vec![
                f,
                Tuple::value(vec![source]),
                Value::int(it.index.get() as i64),
            ])
        })
    }),
    Def::method("__setstate__", "(self, state, /)", |vm, args| {
        let it = receiver::<ArrayIter>(&args[0]);
        let at = vm.index_i64(&args[1])?;
        let source = it.source.borrow().clone();
        if let Some(array) = source.as_ref::<Array>() {
            it.index.set(
                usize::try_from(at.max(0))
                    .unwrap_or(usize::MAX)
                    .min(array.len(vm)),
            );
        }
        Ok(Value::NONE)
    }),
];
