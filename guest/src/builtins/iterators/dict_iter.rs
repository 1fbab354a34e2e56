//! The iterators over dictionaries.

use crate::builtins::ranges::builtin;
use crate::heap::{self, Ref};
use crate::objects::dict::{Dict, Entry};
use crate::objects::iterators::{DictIter, DictPart};
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::{R, Vm};
use std::cell::{Cell, OnceCell, RefCell};

thread_local! {
    /// The classes by what they give, forwards and backwards, and the one of `OrderedDict`.
    static CLASSES: OnceCell<[Ref<Type>; 7]> = const { OnceCell::new() };
}

/// Makes the classes.
pub(super) fn init(vm: &mut Vm) {
    let names = [
        "dict_keyiterator",
        "dict_valueiterator",
        "dict_itemiterator",
        "dict_reversekeyiterator",
        "dict_reversevalueiterator",
        "dict_reverseitemiterator",
        "odict_iterator",
    ];
    let classes = names.map(|name| {
        let builder = if name == names[0] {
            ClassBuilder::new::<DictIter>(name)
        } else {
            ClassBuilder::sibling::<DictIter>(name)
        };
        builder
            .slots(super::iterator(next))
            .methods(vm, METHODS)
            .build(vm)
    });
    CLASSES.with(|c| {
        let _ = c.set(classes);
    });
}

/// An iterator over a dictionary.
pub fn dict_iterator(vm: &Vm, dict: &Ref<Dict>, part: DictPart, reverse: bool) -> Value {
    let map = dict.map.get(vm);
    let len = map.len();
    let ordered = crate::modules::collections_core::is_ordered(&dict.header().class().clone());
    let slot = if reverse { map.slots() } else { 0 };
    let version = if ordered { map.keys_version() } else { 0 };
    let payload = DictIter {
        source: RefCell::new(Some(dict.clone())),
        slot: Cell::new(slot),
        len: Cell::new(len),
        left: Cell::new(len),
        part,
        reverse,
        last: Default::default(),
        version,
    };
    let class = if ordered {
        6
    } else {
        part as usize + 3 * reverse as usize
    };
    if class == 0 {
        return Value::from_ref(heap::alloc(payload));
    }
    CLASSES.with(|c| match c.get() {
        Some(classes) => Value::from_ref(heap::alloc_instance(payload, &classes[class], 0)),
        None => Value::from_ref(heap::alloc(payload)),
    })
}

/// What a step found.
enum Step<T> {
    Item(T),
    End,
    Error(&'static str),
    Changed(&'static str),
}

fn next(vm: &mut Vm, v: &Value) -> R {
    let it = receiver::<DictIter>(v);
    Ok(advance(vm, it, |entry| item(it, entry))?.unwrap_or(Value::UNDEF))
}

/// Key and value of the next item of an iterator over pairs; `None` when it is exhausted.
pub(super) fn next_pair(vm: &mut Vm, it: &DictIter) -> R<Option<(Value, Value)>> {
    advance(vm, it, |entry| (entry.key.clone(), entry.value.clone()))
}

#[inline(always)]
fn advance<T>(vm: &mut Vm, it: &DictIter, of: impl FnOnce(&Entry) -> T) -> R<Option<T>> {
    match step(vm, it, of) {
        Step::Item(item) => Ok(Some(item)),
        Step::End => {
            let dict = it.source.borrow_mut().take();
            drop(dict);
            Ok(None)
        }
        Step::Changed(text) => {
            // The iterator is exhausted from now on.
            let dict = it.source.borrow_mut().take();
            drop(dict);
            Err(vm.runtime_error(text))
        }
        Step::Error(text) => Err(vm.runtime_error(text)),
    }
}

#[inline(always)]
fn step<T>(vm: &Vm, it: &DictIter, of: impl FnOnce(&Entry) -> T) -> Step<T> {
    let source = it.source.borrow();
    let Some(dict) = &*source else {
        return Step::End;
    };
    let map = dict.map.get(vm);
    if it.version != 0 && map.known_version() != it.version {
        return Step::Error("OrderedDict mutated during iteration");
    }
    if map.len() != it.len.get() {
        // From now on it never matches again.
        it.len.set(usize::MAX);
        return Step::Error("dictionary changed size during iteration");
    }
    let slot = if it.reverse {
        map.slot_before(it.slot.get())
    } else {
        map.next_slot(it.slot.get())
    };
    let Some((slot, entry)) = slot.and_then(|s| map.entry(s).map(|e| (s, e))) else {
        return Step::End;
    };
    let left = it.left.get();
    if left == 0 {
        return Step::Changed("dictionary keys changed during iteration");
    }
    it.left.set(left - 1);
    it.slot.set(if it.reverse { slot } else { slot + 1 });
    Step::Item(of(entry))
}

/// What an iterator gives of an entry.
#[inline(always)]
fn item(it: &DictIter, entry: &Entry) -> Value {
    match it.part {
        DictPart::Keys => entry.key.clone(),
        DictPart::Values => entry.value.clone(),
        DictPart::Items => it.last.give(entry.key.clone(), entry.value.clone()),
    }
}

static METHODS: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |vm, args| {
        let it = receiver::<DictIter>(&args[0]);
        let len = it.source.borrow().as_ref().map(|d| d.len(vm));
        Ok(Value::int(if len == Some(it.len.get()) {
            it.left.get() as i64
        } else {
            0
        }))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        // What is left, without moving the iterator itself.
        let it = receiver::<DictIter>(&args[0]);
        let copy = DictIter {
            source: RefCell::new(it.source.borrow().clone()),
            slot: it.slot.clone(),
            len: it.len.clone(),
            left: it.left.clone(),
            part: it.part,
            reverse: it.reverse,
            last: Default::default(),
            version: it.version,
        };
        let mut items = Vec::new();
        loop {
            match step(vm, &copy, |entry| item(&copy, entry)) {
                Step::Item(item) => items.push(item),
                Step::End => break,
                Step::Error(text) | Step::Changed(text) => {
                    return Err(vm.runtime_error(text));
                }
            }
        }
        let iter = builtin(vm, "iter")?;
        Ok(super::pair(iter, Tuple::value(vec![List::value(items)])))
    }),
];
