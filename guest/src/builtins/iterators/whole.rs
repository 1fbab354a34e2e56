//! What native iterables have left, taken at once, for those who want all of it.
//!
//! A call for each item costs more than the item. This knows the containers' payloads, and asks only objects of exactly these classes, whose iteration runs no
//! code of the program.

use super::{ListReverseIter, pair};
use crate::heap::{Kind, Payload, Ref, can_allocate, charge};
use crate::objects::dict::Dict;
use crate::objects::dict::views::DictView;
use crate::objects::iterators::{DictPart, ListIter, TupleIter};
use crate::objects::range::Range;
use crate::objects::set::{FrozenSet, Set, SetTable};
use crate::value::Value;
use crate::vm::Vm;
use std::cell::RefCell;

/// More items than these are taken one after the other, between which the machine polls.
const MANY: usize = 1 << 20;

/// All items of a container, or those that an iterator has left, which is exhausted then. `None` for what has to be asked for one after the other.
pub(crate) fn take_whole(vm: &Vm, v: &Value) -> Option<Vec<Value>> {
    let few = |len: usize| len <= MANY && can_allocate(len * size_of::<Value>());
    let keys = |table: &SetTable| {
        few(table.len()).then(|| table.iter().map(|(_, key)| key.clone()).collect())
    };
    match v.header()?.kind() {
        Kind::Set => keys(v.as_exact::<Set>()?.table.get(vm)),
        Kind::FrozenSet => keys(v.as_exact::<FrozenSet>()?.table.get(vm)),
        Kind::Dict => {
            let map = v.as_exact::<Dict>()?.map.get(vm);
            few(map.len()).then(|| map.iter().map(|e| e.key.clone()).collect())
        }
        Kind::Range => {
            let items = v.as_exact::<Range>()?.small_items()?;
            few(items.len()).then(|| items.collect())
        }
        Kind::ListIter => {
            let it = v.as_exact::<ListIter>()?;
            exhaust(&it.source, |list| {
                let items = list.items.get(vm).get(it.index.get()..);
                let items = items.unwrap_or_default();
                few(items.len()).then(|| items.to_vec())
            })
        }
        Kind::TupleIter => {
            let it = v.as_exact::<TupleIter>()?;
            exhaust(&it.source, |tuple| {
                let items = tuple.items().get(it.index.get()..);
                let items = items.unwrap_or_default();
                few(items.len()).then(|| items.to_vec())
            })
        }
        _ => {
            if let Some(view) = v.as_ref::<DictView>() {
                return of_view(vm, view);
            }
            let it = v.as_exact::<ListReverseIter>()?;
            let all = exhaust(&it.source, |list| {
                let left = usize::try_from(it.index.get() + 1).unwrap_or(0);
                // A list that has become shorter in the meantime has nothing for it any more.
                let items = list.items.get(vm).get(..left).unwrap_or_default();
                few(items.len()).then(|| items.iter().rev().cloned().collect())
            })?;
            it.index.set(-1);
            Some(all)
        }
    }
}

/// What a view of a plain dictionary shows.
fn of_view(vm: &Vm, view: &DictView) -> Option<Vec<Value>> {
    if !view.dict.header().is_exact::<Dict>() {
        return None;
    }
    let map = view.dict.map.get(vm);
    // A pair takes 48 bytes.
    if map.len() > MANY / 8 || !can_allocate(map.len() * 64) {
        return None;
    }
    // To make a pair is a step, in a loop that does not poll.
    charge(map.len());
    let entries = map.iter();
    Some(match view.part {
        DictPart::Keys => entries.map(|e| e.key.clone()).collect(),
        DictPart::Values => entries.map(|e| e.value.clone()).collect(),
        DictPart::Items => entries
            .map(|e| pair(e.key.clone(), e.value.clone()))
            .collect(),
    })
}

/// What `rest` takes from an iterator's source, of which the iterator lets go then.
fn exhaust<T: Payload>(
    source: &RefCell<Option<Ref<T>>>,
    rest: impl FnOnce(&Ref<T>) -> Option<Vec<Value>>,
) -> Option<Vec<Value>> {
    let items = rest(source.borrow().as_ref()?)?;
    let exhausted = source.borrow_mut().take();
    drop(exhausted);
    Some(items)
}
