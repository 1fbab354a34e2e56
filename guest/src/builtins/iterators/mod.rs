//! The iterators of the built-in containers, and the lazy builtins (`enumerate`, `zip`, `map`, `filter`, `reversed`).
//!
//! The payloads of the container iterators are in [`crate::objects::iterators`].

mod dict_iter;
mod lazy;
mod whole;

pub use dict_iter::dict_iterator;
pub(crate) use lazy::pour;
pub use lazy::{Enumerate, Filter, Map, Reversed, Zip};
pub(crate) use whole::take_whole;

use crate::builtins::ranges::builtin;
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::exception::Exc;
use crate::objects::iterators::{
    CallIter, DictIter, DictPart, ListIter, SequenceIter, StrIter, TupleIter,
};
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::{self, Str};
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::{Cell, OnceCell, RefCell};

/// Makes the classes.
pub(crate) fn init(vm: &mut Vm) {
    ClassBuilder::new::<ListIter>("list_iterator")
        .slots(iterator(list_next))
        .methods(vm, LIST_ITER)
        .build(vm);
    ClassBuilder::new::<ListReverseIter>("list_reverseiterator")
        .slots(iterator(list_reverse_next))
        .methods(vm, LIST_REVERSE_ITER)
        .build(vm);
    ClassBuilder::new::<TupleIter>("tuple_iterator")
        .slots(iterator(tuple_next))
        .methods(vm, TUPLE_ITER)
        .build(vm);
    ClassBuilder::new::<StrIter>("str_iterator")
        .slots(iterator(str_next))
        .methods(vm, STR_ITER)
        .build(vm);
    let ascii = ClassBuilder::sibling::<StrIter>("str_ascii_iterator")
        .slots(iterator(str_next))
        .methods(vm, STR_ITER)
        .build(vm);
    ASCII_ITER.with(|c| c.get_or_init(|| ascii).clone());
    ClassBuilder::new::<SequenceIter>("iterator")
        .slots(iterator(sequence_next))
        .methods(vm, SEQUENCE_ITER)
        .build(vm);
    ClassBuilder::new::<CallIter>("callable_iterator")
        .slots(iterator(call_next))
        .methods(vm, CALL_ITER)
        .build(vm);
    dict_iter::init(vm);
    lazy::init(vm);
}

/// The slots of an iterator: itself for `iter`, and its `next`.
pub(crate) const fn iterator(next: fn(&mut Vm, &Value) -> R) -> Slots {
    Slots {
        iter: Some(same),
        next: Some(next),
        ..Slots::NONE
    }
}

/// `iter(iterator)`
fn same(_: &mut Vm, v: &Value) -> R {
    Ok(v.clone())
}

/// Whether a constructor that knows no keywords lets them pass: a subclass with an `__init__` may take some.
pub(crate) fn takes_keywords(vm: &Vm, class: &Ref<Type>) -> bool {
    !class.is_static()
        && vm
            .type_lookup_where(class, &crate::names::Names::get().__init__)
            .is_some_and(|(owner, _)| !owner.is_static())
}

/// `cls[args]`: `__class_getitem__` of the generic built-in classes (PEP 585).
pub(crate) fn class_getitem(vm: &mut Vm, args: &[Value]) -> R {
    crate::builtins::type_params::generic_alias(vm, &args[0], &args[1])
}

/// A tuple of two.
#[inline]
pub(crate) fn pair(a: Value, b: Value) -> Value {
    Value::from_ref(Tuple::from_exact([a, b].into_iter()))
}

/// What an iterator over pairs gives to those who want the two and no tuple.
pub(crate) enum Pair {
    /// The next two.
    Two(Value, Value),
    /// The iterator is exhausted.
    End,
    /// It has to be asked the usual way.
    Unknown,
}

/// The next pair of an `enumerate`, of a `zip` of two, or of the items of a dictionary.
#[inline(never)]
pub(crate) fn next_pair(vm: &mut Vm, v: &Value) -> R<Pair> {
    if let Some(e) = v.as_exact::<Enumerate>() {
        return lazy::enumerate_pair(vm, e);
    }
    if let Some(zip) = v.as_exact::<Zip>() {
        return lazy::zip_pair(vm, zip);
    }
    match v.as_ref::<DictIter>() {
        Some(it) if it.part == DictPart::Items => {
            Ok(dict_iter::next_pair(vm, it)?.map_or(Pair::End, |(k, v)| Pair::Two(k, v)))
        }
        _ => Ok(Pair::Unknown),
    }
}

/// What `__reduce__` of an iterator gives: `(iter, (source,), index)`, or `(iter, (empty,))` when it is exhausted.
fn reduce_iter(vm: &mut Vm, function: &str, source: Option<Value>, empty: Value, index: i64) -> R {
    let f = builtin(vm, function)?;
    Ok(match source {
        Some(source) => Tuple::value(vec![f, Tuple::value(vec![source]), Value::int(index)]),
        None => Tuple::value(vec![f, Tuple::value(vec![empty])]),
    })
}

/// The pair that an iterator gave last: used again when the receiver has dropped it, which is the rule in `for a, b in ...`.
#[derive(Default)]
pub(crate) struct LastPair(RefCell<Option<Ref<Tuple>>>);

impl LastPair {
    /// A tuple of two.
    #[inline(always)]
    pub(crate) fn give(&self, first: Value, second: Value) -> Value {
        if let Some(pair) = &*self.0.borrow()
            && Tuple::refill_pair(pair, &first, &second)
        {
            return pair.to_value();
        }
        let new = Tuple::from_exact([first, second].into_iter());
        if self.0.borrow().is_none() {
            *self.0.borrow_mut() = Some(new.clone());
        }
        Value::from_ref(new)
    }

    /// Visits the pair, for the collector.
    pub(crate) fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        if let Some(pair) = &*self.0.borrow() {
            pair.with_value(visit);
        }
    }
}

// ---- list_iterator

fn list_next(vm: &mut Vm, v: &Value) -> R {
    let it = receiver::<ListIter>(v);
    let index = it.index.get();
    let item = match &*it.source.borrow() {
        Some(list) => list.get(vm, index),
        None => return Ok(Value::UNDEF),
    };
    match item {
        Some(item) => {
            it.index.set(index + 1);
            Ok(item)
        }
        None => {
            // Exhausted for ever, even when the list grows.
            let list = it.source.borrow_mut().take();
            drop(list);
            Ok(Value::UNDEF)
        }
    }
}

static LIST_ITER: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |vm, args| {
        let it = receiver::<ListIter>(&args[0]);
        let len = it.source.borrow().as_ref().map_or(0, |list| list.len(vm));
        Ok(Value::int(len.saturating_sub(it.index.get()) as i64))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let it = receiver::<ListIter>(&args[0]);
        let source = it.source.borrow().as_ref().map(Ref::to_value);
        reduce_iter(
            vm,
            "iter",
            source,
            List::value(Vec::new()),
            it.index.get() as i64,
        )
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let index = vm.index_i64(&args[1])?;
        let it = receiver::<ListIter>(&args[0]);
        let len = it.source.borrow().as_ref().map_or(0, |list| list.len(vm));
        it.index.set(index.clamp(0, len as i64) as usize);
        Ok(Value::NONE)
    }),
];

/// Payload of `list_reverseiterator`.
struct ListReverseIter {
    source: RefCell<Option<Ref<List>>>,
    /// Index of the next item; -1 at the end.
    index: Cell<i64>,
}

// SAFETY: visits the list.
unsafe impl Payload for ListReverseIter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        if let Some(list) = &*self.source.borrow() {
            list.with_value(visit);
        }
    }
}

/// `reversed(list)`
pub fn reversed_list(vm: &mut Vm, list: Ref<List>) -> Value {
    let index = Cell::new(list.len(vm) as i64 - 1);
    Value::from_ref(heap::alloc(ListReverseIter {
        source: RefCell::new(Some(list)),
        index,
    }))
}

fn list_reverse_next(vm: &mut Vm, v: &Value) -> R {
    let it = receiver::<ListReverseIter>(v);
    let index = it.index.get();
    let item = match &*it.source.borrow() {
        Some(list) if index >= 0 => list.get(vm, index as usize),
        _ => None,
    };
    match item {
        Some(item) => {
            it.index.set(index - 1);
            Ok(item)
        }
        None => {
            it.index.set(-1);
            let list = it.source.borrow_mut().take();
            drop(list);
            Ok(Value::UNDEF)
        }
    }
}

static LIST_REVERSE_ITER: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |vm, args| {
        let it = receiver::<ListReverseIter>(&args[0]);
        let len = it.source.borrow().as_ref().map_or(0, |list| list.len(vm)) as i64;
        let left = it.index.get() + 1;
        Ok(Value::int(if left > len { 0 } else { left }))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let it = receiver::<ListReverseIter>(&args[0]);
        let source = it.source.borrow().as_ref().map(Ref::to_value);
        let function = if source.is_some() { "reversed" } else { "iter" };
        reduce_iter(
            vm,
            function,
            source,
            List::value(Vec::new()),
            it.index.get(),
        )
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let index = vm.index_i64(&args[1])?;
        let it = receiver::<ListReverseIter>(&args[0]);
        let len = it.source.borrow().as_ref().map(|list| list.len(vm));
        if let Some(len) = len {
            it.index.set(index.clamp(-1, len as i64 - 1));
        }
        Ok(Value::NONE)
    }),
];

// ---- tuple_iterator

fn tuple_next(_: &mut Vm, v: &Value) -> R {
    let it = receiver::<TupleIter>(v);
    let index = it.index.get();
    let item = it
        .source
        .borrow()
        .as_ref()
        .and_then(|t| t.items().get(index).cloned());
    match item {
        Some(item) => {
            it.index.set(index + 1);
            Ok(item)
        }
        None => {
            let tuple = it.source.borrow_mut().take();
            drop(tuple);
            Ok(Value::UNDEF)
        }
    }
}

static TUPLE_ITER: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |_, args| {
        let it = receiver::<TupleIter>(&args[0]);
        let len = it.source.borrow().as_ref().map_or(0, |t| t.len());
        Ok(Value::int(len.saturating_sub(it.index.get()) as i64))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let it = receiver::<TupleIter>(&args[0]);
        let source = it.source.borrow().as_ref().map(Ref::to_value);
        reduce_iter(vm, "iter", source, Tuple::empty(), it.index.get() as i64)
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let index = vm.index_i64(&args[1])?;
        let it = receiver::<TupleIter>(&args[0]);
        let len = it.source.borrow().as_ref().map_or(0, |t| t.len());
        it.index.set(index.clamp(0, len as i64) as usize);
        Ok(Value::NONE)
    }),
];

// ---- str_iterator

thread_local! {
    /// The class of iterators over ASCII text, which has a name of its own in CPython.
    static ASCII_ITER: OnceCell<Ref<Type>> = const { OnceCell::new() };
}

/// An iterator over the characters of a text.
pub fn str_iterator(text: &Ref<Str>) -> Value {
    let exact = text.header().is_exact_kind(crate::heap::Kind::Str);
    let class = if exact && text.is_ascii() {
        ASCII_ITER.with(|c| c.get().cloned())
    } else {
        None
    };
    match class {
        Some(class) => {
            let it = StrIter {
                source: RefCell::new(Some(text.clone())),
                index: Cell::new(0),
            };
            Value::from_ref(crate::heap::alloc_instance(it, &class, 0))
        }
        None => StrIter::value(text.clone()),
    }
}

fn str_next(_: &mut Vm, v: &Value) -> R {
    let it = receiver::<StrIter>(v);
    let at = it.index.get();
    let next = match &*it.source.borrow() {
        Some(s) if at < s.as_bytes().len() => {
            let byte = s.as_bytes()[at];
            Some(if byte < 0x80 {
                (byte as u32, 1)
            } else {
                string::decode_char(&s.as_bytes()[at..])
            })
        }
        _ => None,
    };
    match next {
        Some((c, width)) => {
            it.index.set(at + width);
            Ok(Str::from_char(c))
        }
        None => {
            let text = it.source.borrow_mut().take();
            drop(text);
            Ok(Value::UNDEF)
        }
    }
}

static STR_ITER: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |_, args| {
        let it = receiver::<StrIter>(&args[0]);
        let left = it
            .source
            .borrow()
            .as_ref()
            .map_or(0, |s| string::count_chars(&s.as_bytes()[it.index.get()..]));
        Ok(Value::int(left as i64))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let it = receiver::<StrIter>(&args[0]);
        let source = it.source.borrow().clone();
        let index = source.as_ref().map_or(0, |s| s.char_index(it.index.get()));
        reduce_iter(
            vm,
            "iter",
            source.map(Value::from_ref),
            Str::value(""),
            index as i64,
        )
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let index = vm.index_i64(&args[1])?;
        let it = receiver::<StrIter>(&args[0]);
        if let Some(s) = &*it.source.borrow() {
            it.index
                .set(s.byte_offset(index.clamp(0, s.len() as i64) as usize));
        }
        Ok(Value::NONE)
    }),
];

// ---- iterator: anything with `__getitem__`

fn sequence_next(vm: &mut Vm, v: &Value) -> R {
    let it = receiver::<SequenceIter>(v);
    let Some(source) = it.source.borrow().clone() else {
        return Ok(Value::UNDEF);
    };
    let index = it.index.get();
    match vm.get_item(&source, &Value::int(index)) {
        Ok(item) => {
            it.index.set(index + 1);
            Ok(item)
        }
        Err(raised) => {
            if vm.error_is(Exc::IndexError) || vm.error_is(Exc::StopIteration) {
                vm.swallow_any(raised)?;
                let source = it.source.borrow_mut().take();
                drop(source);
                return Ok(Value::UNDEF);
            }
            Err(raised)
        }
    }
}

static SEQUENCE_ITER: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |vm, args| {
        let it = receiver::<SequenceIter>(&args[0]);
        let Some(source) = it.source.borrow().clone() else {
            return Ok(Value::small_int(0));
        };
        if class_of(&source).slots().len.is_none() {
            return Ok(Value::NOT_IMPLEMENTED);
        }
        let len = vm.len(&source)? as i64;
        Ok(Value::int((len - it.index.get()).max(0)))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let it = receiver::<SequenceIter>(&args[0]);
        let source = it.source.borrow().clone();
        reduce_iter(vm, "iter", source, Tuple::empty(), it.index.get())
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let index = vm.index_i64(&args[1])?;
        let it = receiver::<SequenceIter>(&args[0]);
        if it.source.borrow().is_some() {
            it.index.set(index.max(0));
        }
        Ok(Value::NONE)
    }),
];

// ---- callable_iterator: `iter(callable, sentinel)`

fn call_next(vm: &mut Vm, v: &Value) -> R {
    let it = receiver::<CallIter>(v);
    let Some((f, sentinel)) = it.source.borrow().clone() else {
        return Ok(Value::UNDEF);
    };
    let finish = || {
        let source = it.source.borrow_mut().take();
        drop(source);
        Ok(Value::UNDEF)
    };
    match vm.call(&f, &[]) {
        Ok(value) => {
            // The call may have exhausted this iterator.
            let done = it.source.borrow().is_none();
            if done || vm.eq(&sentinel, &value)? {
                finish()
            } else {
                Ok(value)
            }
        }
        Err(raised) => {
            vm.swallow(raised, Exc::StopIteration)?;
            finish()
        }
    }
}

static CALL_ITER: &[Def] = &[Def::method("__reduce__", "(self, /)", |vm, args| {
    let source = receiver::<CallIter>(&args[0]).source.borrow().clone();
    let iter = builtin(vm, "iter")?;
    Ok(match source {
        Some((f, sentinel)) => pair(iter, pair(f, sentinel)),
        None => pair(iter, Tuple::value(vec![Tuple::empty()])),
    })
})];
