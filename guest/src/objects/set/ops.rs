//! The operations of sets on tables: union, intersection and so on.
//!
//! The order in which keys end up in a table is part of what programs see, so each operation takes the steps that CPython takes: which operand is walked
//! through, when a table is made anew, and how large. Tables are walked through by place, and may change meanwhile (`==` may run Python code).

use std::cell::RefCell;
use std::rc::Rc;

use super::{Place, Probe, SetTable, add, add_hashed, contains, hash_key, remove, table_of};
use crate::heap::{self, VmCell};
use crate::objects::dict::Dict;
use crate::objects::dict::methods::entry_from;
use crate::objects::generator::Generator;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::sink::Sink;
use crate::vm::{R, Vm};

/// The first key at or after a place: place, hash and key.
#[inline]
pub fn key_from(vm: &Vm, table: &VmCell<SetTable>, at: usize) -> Option<(usize, i64, Value)> {
    table
        .get(vm)
        .next_from(at)
        .map(|(at, hash, key)| (at, hash, key.clone()))
}

/// A table whose keys are looked at without asking the machine for each may have as many places.
const SMALL: usize = 4096;

/// Whether a key is there; `None` when `==` has to decide, which may run Python code.
fn surely_has(table: &SetTable, key: &Value, hash: i64) -> Option<bool> {
    match table.find(key, hash) {
        Probe::At(_) => Some(true),
        Probe::Nowhere => Some(false),
        Probe::Unsure(_) => None,
    }
}

/// The keys of `walked` that are in `asked`, or those that are not, in the order of `walked`. `None` when `==` has to decide
/// somewhere, or when there are too many.
fn sift(walked: &SetTable, asked: &SetTable, wanted: bool) -> Option<SetTable> {
    if walked.places.len() > SMALL {
        return None;
    }
    let mut kept = SetTable::default();
    for (hash, key) in walked.iter() {
        if surely_has(asked, key, hash)? == wanted {
            kept.insert_new(key.clone(), hash);
        }
    }
    Some(kept)
}

/// Whether all keys of `walked` are in `asked` (or none is, when that is wanted); `None` as in [`sift`].
fn all(walked: &SetTable, asked: &SetTable, wanted: bool) -> Option<bool> {
    if walked.places.len() > SMALL {
        return None;
    }
    for (hash, key) in walked.iter() {
        if surely_has(asked, key, hash)? != wanted {
            return Some(false);
        }
    }
    Some(true)
}

fn same(a: &VmCell<SetTable>, b: &VmCell<SetTable>) -> bool {
    std::ptr::eq(a, b)
}

/// Whether there is memory for that many more keys.
fn check_room(vm: &mut Vm, table: &VmCell<SetTable>, more: usize) -> R<()> {
    let t = table.get(vm);
    let keys = t.used + more;
    if t.places.len() >= keys * 2
        || heap::can_allocate((keys * 4).next_power_of_two() * size_of::<Place>())
    {
        Ok(())
    } else {
        Err(vm.memory_error())
    }
}

/// A copy of a table; `MemoryError` when there is no room.
pub fn copy(vm: &mut Vm, table: &VmCell<SetTable>) -> R<SetTable> {
    let n = table.get(vm).len();
    let empty = VmCell::new(SetTable::default());
    check_room(vm, &empty, n)?;
    Ok(table.get(vm).duplicate())
}

/// Adds every key of another table.
fn merge(vm: &mut Vm, table: &VmCell<SetTable>, other: &VmCell<SetTable>) -> R<()> {
    let n = other.get(vm).len();
    if same(table, other) || n == 0 {
        return Ok(());
    }
    check_room(vm, table, n)?;
    if table.get(vm).fill == 0 {
        let mut copy = other.get(vm).duplicate();
        copy.version = table.get(vm).version.wrapping_add(1);
        drop(table.replace(vm, copy));
        return Ok(());
    }
    table.get_mut(vm).prepare_for(n);
    let mut at = 0;
    while let Some((place, hash, key)) = key_from(vm, other, at) {
        add_hashed(vm, table, &key, hash)?;
        at = place + 1;
    }
    Ok(())
}

/// `set.update(source)`
pub fn update(vm: &mut Vm, table: &VmCell<SetTable>, source: &Value) -> R<()> {
    if let Some(other) = table_of(source) {
        return merge(vm, table, other);
    }
    if let Some(dict) = source.as_exact::<Dict>() {
        let n = dict.len(vm);
        check_room(vm, table, n)?;
        table.get_mut(vm).prepare_for(n);
        let mut at = 0;
        while let Some((slot, hash, key, _)) = entry_from(vm, dict, at) {
            add_hashed(vm, table, &key, hash)?;
            at = slot + 1;
        }
        return Ok(());
    }
    vm.for_each(source, |vm, key| {
        vm.poll_native()?;
        add(vm, table, &key).map(drop)
    })
}

/// As [`update`], for a set whose keys may come from a generator without leaving it.
pub fn update_set(vm: &mut Vm, set: &Value, source: &Value) -> R<()> {
    let Some(table) = table_of(set) else {
        unreachable!("it is a set")
    };
    // Comparing with keys that are there already may run code of the program.
    if !source.is::<Generator>() || !table.get(vm).is_empty() {
        return update(vm, table, source);
    }
    let it = vm.get_iter(source)?;
    let sink = Rc::new(RefCell::new(Adding {
        set: set.clone(),
        all_plain: true,
    }));
    while let Some(key) = vm.next_beyond(&it, &sink)? {
        add(vm, table, &key)?;
    }
    Ok(())
}

/// Adds keys to an empty set, as long as they can be hashed and compared without code of the program.
struct Adding {
    set: Value,
    all_plain: bool,
}

impl Sink for Adding {
    fn take(&mut self, vm: &mut Vm, key: Value) -> R<Option<Value>> {
        self.all_plain &= is_plain(&key);
        match table_of(&self.set) {
            Some(table) if self.all_plain => add(vm, table, &key).map(|_| None),
            _ => Ok(Some(key)),
        }
    }
}

/// Whether hashing a value runs no code of the program.
fn is_plain(key: &Value) -> bool {
    key.header().is_none()
        || key.is_exact::<Str>()
        || key.as_exact::<Tuple>().is_some_and(|t| {
            t.items()
                .iter()
                .all(|v| v.header().is_none() || v.is_exact::<Str>())
        })
}

/// `set.difference_update(other)`
pub fn difference_update(vm: &mut Vm, table: &VmCell<SetTable>, other: &Value) -> R<()> {
    match table_of(other) {
        Some(t) if same(t, table) => {
            let old = table.get_mut(vm).clear();
            drop(old);
            return Ok(());
        }
        Some(t) if t.get(vm).len() >> 3 > table.get(vm).len() => {
            // Only what both have matters, and that is little.
            let common = VmCell::new(intersection(vm, table, other)?);
            remove_all(vm, table, &common)?;
        }
        Some(t) => remove_all(vm, table, t)?,
        None => {
            let it = vm.get_iter(other)?;
            while let Some(key) = vm.step(&it)? {
                vm.poll_native()?;
                let hash = hash_key(vm, &key)?;
                remove(vm, table, &key, hash)?;
            }
        }
    }
    table.get_mut(vm).tidy();
    Ok(())
}

fn remove_all(vm: &mut Vm, table: &VmCell<SetTable>, keys: &VmCell<SetTable>) -> R<()> {
    let mut at = 0;
    while let Some((place, hash, key)) = key_from(vm, keys, at) {
        remove(vm, table, &key, hash)?;
        at = place + 1;
    }
    Ok(())
}

/// `set.difference(other)`
pub fn difference(vm: &mut Vm, table: &VmCell<SetTable>, other: &Value) -> R<SetTable> {
    let size = match (table_of(other), other.as_exact::<Dict>()) {
        (Some(t), _) => Some(t.get(vm).len()),
        (None, Some(d)) => Some(d.len(vm)),
        (None, None) => None,
    };
    let result = VmCell::new(SetTable::default());
    // Copying and removing is better when there is little to remove (or nobody knows how much).
    if size.is_none_or(|size| table.get(vm).len() >> 2 > size) {
        drop(result);
        let result = VmCell::new(copy(vm, table)?);
        difference_update(vm, &result, other)?;
        return Ok(take(vm, result));
    }
    if let Some(t) = table_of(other)
        && let Some(kept) = sift(table.get(vm), t.get(vm), false)
    {
        return Ok(kept);
    }
    let mut at = 0;
    while let Some((place, hash, key)) = key_from(vm, table, at) {
        let there = match table_of(other) {
            Some(t) => contains(vm, t, &key, hash)?,
            None => match other.as_exact::<Dict>() {
                Some(d) => d.find(vm, &key, hash)?.is_some(),
                None => false,
            },
        };
        if !there {
            add_hashed(vm, &result, &key, hash)?;
        }
        at = place + 1;
    }
    Ok(take(vm, result))
}

/// The table in a cell that only its owner knows.
fn take(vm: &mut Vm, cell: VmCell<SetTable>) -> SetTable {
    cell.replace(vm, SetTable::default())
}

/// `set.intersection(other)`
pub fn intersection(vm: &mut Vm, table: &VmCell<SetTable>, other: &Value) -> R<SetTable> {
    let result = VmCell::new(SetTable::default());
    match table_of(other) {
        Some(t) if same(t, table) => return copy(vm, table),
        Some(t) => {
            // The smaller one is walked through.
            let (walked, asked) = if t.get(vm).len() > table.get(vm).len() {
                (table, t)
            } else {
                (t, table)
            };
            if let Some(kept) = sift(walked.get(vm), asked.get(vm), true) {
                return Ok(kept);
            }
            let mut at = 0;
            while let Some((place, hash, key)) = key_from(vm, walked, at) {
                if contains(vm, asked, &key, hash)? {
                    add_hashed(vm, &result, &key, hash)?;
                }
                at = place + 1;
            }
        }
        None => {
            let it = vm.get_iter(other)?;
            while let Some(key) = vm.step(&it)? {
                vm.poll_native()?;
                let hash = vm.hash(&key)?;
                if contains(vm, table, &key, hash)? {
                    add_hashed(vm, &result, &key, hash)?;
                }
            }
        }
    }
    Ok(take(vm, result))
}

/// `set.symmetric_difference_update(other)`
pub fn symmetric_difference_update(vm: &mut Vm, table: &VmCell<SetTable>, other: &Value) -> R<()> {
    if let Some(t) = table_of(other) {
        if same(t, table) {
            let old = table.get_mut(vm).clear();
            drop(old);
            return Ok(());
        }
        return toggle_all(vm, table, t);
    }
    if let Some(dict) = other.as_exact::<Dict>() {
        let mut at = 0;
        while let Some((slot, hash, key, _)) = entry_from(vm, dict, at) {
            if !remove(vm, table, &key, hash)? {
                add_hashed(vm, table, &key, hash)?;
            }
            at = slot + 1;
        }
        return Ok(());
    }
    let keys = VmCell::new(SetTable::default());
    update(vm, &keys, other)?;
    toggle_all(vm, table, &keys)
}

/// Removes the keys that are there, and adds those that are not.
fn toggle_all(vm: &mut Vm, table: &VmCell<SetTable>, keys: &VmCell<SetTable>) -> R<()> {
    let mut at = 0;
    while let Some((place, hash, key)) = key_from(vm, keys, at) {
        if !remove(vm, table, &key, hash)? {
            add_hashed(vm, table, &key, hash)?;
        }
        at = place + 1;
    }
    Ok(())
}

/// `set.symmetric_difference(other)`
pub fn symmetric_difference(vm: &mut Vm, table: &VmCell<SetTable>, other: &Value) -> R<SetTable> {
    let result = VmCell::new(SetTable::default());
    update(vm, &result, other)?;
    toggle_all(vm, &result, table)?;
    Ok(take(vm, result))
}

/// Whether every key of `a` is in `b`.
pub fn is_subset(vm: &mut Vm, a: &VmCell<SetTable>, b: &VmCell<SetTable>) -> R<bool> {
    if a.get(vm).len() > b.get(vm).len() {
        return Ok(false);
    }
    if let Some(answer) = all(a.get(vm), b.get(vm), true) {
        return Ok(answer);
    }
    let mut at = 0;
    while let Some((place, hash, key)) = key_from(vm, a, at) {
        if !contains(vm, b, &key, hash)? {
            return Ok(false);
        }
        at = place + 1;
    }
    Ok(true)
}

/// Whether a set and an iterable have no key in common.
pub fn is_disjoint(vm: &mut Vm, table: &VmCell<SetTable>, other: &Value) -> R<bool> {
    if let Some(t) = table_of(other) {
        if same(t, table) {
            return Ok(table.get(vm).is_empty());
        }
        let (walked, asked) = if t.get(vm).len() > table.get(vm).len() {
            (table, t)
        } else {
            (t, table)
        };
        if let Some(answer) = all(walked.get(vm), asked.get(vm), false) {
            return Ok(answer);
        }
        let mut at = 0;
        while let Some((place, hash, key)) = key_from(vm, walked, at) {
            if contains(vm, asked, &key, hash)? {
                return Ok(false);
            }
            at = place + 1;
        }
        return Ok(true);
    }
    let it = vm.get_iter(other)?;
    while let Some(key) = vm.step(&it)? {
        vm.poll_native()?;
        let hash = hash_key(vm, &key)?;
        if contains(vm, table, &key, hash)? {
            return Ok(false);
        }
    }
    Ok(true)
}
