//! `dict`: the data. Its methods are in the sibling files.
//!
//! Entries are kept in insertion order in one compact array; a separate table of indices finds them by hash (Hettinger, "More compact dictionaries with
//! faster iteration", 2012). The smallest table has no indices: a scan over the hashes is faster. Probing is that of CPython's
//! `dictobject.c` notes: `i = 5i + perturb + 1`.
//!
//! Deleted entries stay as holes until the table is made anew. That happens when a key is added and [`DictMap::usable`] is 0, exactly when it happens in
//! CPython: what a program sees that changes a dictionary under an iterator depends on it.

pub mod methods;
pub mod views;

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref, Tries, VmCell};
use crate::names::Names;
use crate::objects::exception::Exc;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};
use std::cell::Cell;

/// The smallest size of a table; it has room for [`room`]`(8)` = 5 entries, holes included.
const MIN_SIZE: usize = 8;
const EMPTY: u32 = u32::MAX;
const DELETED: u32 = u32::MAX - 1;

/// Payload of `dict`.
pub struct Dict {
    pub(crate) map: VmCell<DictMap>,
}

/// One key with its value; the key of a deleted entry is `UNDEF`.
#[derive(Clone)]
pub struct Entry {
    /// Hash of the key.
    pub hash: i64,
    /// The key.
    pub key: Value,
    /// The value.
    pub value: Value,
}

/// The table itself.
pub struct DictMap {
    entries: Vec<Entry>,
    indices: Box<[u32]>,
    live: usize,
    /// The entries before this one are all deleted: taking keys from the front (a queue, an LRU cache) must not look at them again and again.
    first: usize,
    /// How many entries can be added before the table must be made anew.
    usable: usize,
    /// Changes whenever a key is added or removed; 0 until somebody asks. For inline caches.
    keys_version: Cell<u32>,
}

impl Default for DictMap {
    fn default() -> Self {
        DictMap {
            entries: Vec::new(),
            indices: Box::default(),
            live: 0,
            first: 0,
            usable: room(MIN_SIZE),
            keys_version: Cell::new(0),
        }
    }
}

/// Entries for which a table of this size has room.
const fn room(size: usize) -> usize {
    size * 2 / 3
}

// SAFETY: visits keys and values.
unsafe impl Payload for Dict {
    const KIND: Kind = Kind::Dict;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        for entry in &unsafe { self.map.peek() }.entries {
            visit(&entry.key);
            visit(&entry.value);
        }
    }
    fn clear(&mut self) {
        drop(std::mem::take(self.map.exclusive()));
    }
}

thread_local! {
    static NEXT_VERSION: Cell<u32> = const { Cell::new(1) };
}

/// What a look-up without Python code can say.
enum Found {
    At(usize),
    Nowhere,
    /// This entry has the same hash, and only `==` can tell.
    Unsure(usize),
}

impl DictMap {
    /// Number of keys.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Length of the entry array, deleted entries included.
    #[inline(always)]
    pub fn slots(&self) -> usize {
        self.entries.len()
    }

    /// The entry at a position of the entry array, unless it is deleted or out of range.
    #[inline(always)]
    pub fn entry(&self, slot: usize) -> Option<&Entry> {
        self.entries.get(slot).filter(|e| !e.key.is_undef())
    }

    /// The live entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries[self.first..]
            .iter()
            .filter(|e| !e.key.is_undef())
    }

    /// A number that changes when keys are added or removed.
    #[inline(always)]
    pub fn keys_version(&self) -> u32 {
        match self.keys_version.get() {
            0 => self.fresh_version(),
            v => v,
        }
    }

    #[cold]
    fn fresh_version(&self) -> u32 {
        let v = NEXT_VERSION.with(|n| {
            let v = n.get();
            n.set(v.wrapping_add(1).max(1));
            v
        });
        self.keys_version.set(v);
        v
    }

    /// The keys version as last handed out, 0 when it has changed since.
    #[inline(always)]
    pub fn known_version(&self) -> u32 {
        self.keys_version.get()
    }

    #[inline]
    fn find(&self, key: &Value, hash: i64) -> Found {
        let check = |slot: usize| -> Option<Found> {
            let e = &self.entries[slot];
            // The hash counts even for the same object: it may have changed.
            if e.hash != hash || e.key.is_undef() {
                return None;
            }
            if e.key.is_same(key) {
                return Some(Found::At(slot));
            }
            match (e.key.as_exact::<Str>(), key.as_exact::<Str>()) {
                (Some(a), Some(b)) => a.same_text(b).then_some(Found::At(slot)),
                _ if e.key.is_small_int() && key.is_small_int() => None,
                _ => Some(Found::Unsure(slot)),
            }
        };
        if self.indices.is_empty() {
            for slot in 0..self.entries.len() {
                if let Some(found) = check(slot) {
                    return found;
                }
            }
            return Found::Nowhere;
        }
        let mask = self.indices.len() - 1;
        let mut perturb = hash as u64;
        let mut i = hash as usize & mask;
        let mut tries = Tries::default();
        loop {
            match self.indices[i] {
                EMPTY => return Found::Nowhere,
                DELETED => {}
                slot => {
                    if let Some(found) = check(slot as usize) {
                        return found;
                    }
                }
            }
            perturb >>= 5;
            i = i
                .wrapping_mul(5)
                .wrapping_add(perturb as usize)
                .wrapping_add(1)
                & mask;
            tries.one_more();
        }
    }

    /// The slot of an exact-`str` key, by text alone (keys of other types are passed over).
    #[inline]
    pub fn find_str(&self, key: &Str) -> Option<usize> {
        let hash = key.hash();
        let matches = |slot: usize| {
            let e = &self.entries[slot];
            e.hash == hash && e.key.as_ref::<Str>().is_some_and(|k| k.same_text(key))
        };
        if self.indices.is_empty() {
            return (0..self.entries.len()).find(|&slot| matches(slot));
        }
        let mask = self.indices.len() - 1;
        let mut perturb = hash as u64;
        let mut i = hash as usize & mask;
        let mut tries = Tries::default();
        loop {
            match self.indices[i] {
                EMPTY => return None,
                DELETED => {}
                slot if matches(slot as usize) => return Some(slot as usize),
                _ => {}
            }
            perturb >>= 5;
            i = i
                .wrapping_mul(5)
                .wrapping_add(perturb as usize)
                .wrapping_add(1)
                & mask;
            tries.one_more();
        }
    }

    fn place(&mut self, hash: i64, slot: usize) {
        let mask = self.indices.len() - 1;
        let mut perturb = hash as u64;
        let mut i = hash as usize & mask;
        while self.indices[i] < DELETED {
            perturb >>= 5;
            i = i
                .wrapping_mul(5)
                .wrapping_add(perturb as usize)
                .wrapping_add(1)
                & mask;
        }
        self.indices[i] = slot as u32;
    }

    /// Bytes of entries and index table.
    pub fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.indices.len() * size_of::<u32>()
    }

    /// Whether there is memory for one more entry.
    #[inline(always)]
    fn can_grow(&self) -> bool {
        let n = self.entries.len();
        n < 1024
            || (self.usable > 0 && n < self.entries.capacity())
            || heap::can_allocate(n * (2 * size_of::<Entry>() + 4 * size_of::<u32>()))
    }

    /// Makes the table anew with room for `keys` without holes.
    fn rebuild(&mut self, size: usize) {
        if self.live < self.entries.len() {
            self.entries.retain(|e| !e.key.is_undef());
            self.first = 0;
            self.keys_version.set(0);
        }
        self.usable = room(size) - self.live;
        if size == MIN_SIZE {
            self.indices = Box::default();
            return;
        }
        self.indices = vec![EMPTY; size].into_boxed_slice();
        for slot in 0..self.entries.len() {
            let hash = self.entries[slot].hash;
            self.place(hash, slot);
        }
    }

    /// Makes room for `more` further entries.
    pub fn reserve(&mut self, more: usize) {
        if more > self.usable {
            self.rebuild(
                ((self.live + more) * 3)
                    .div_ceil(2)
                    .next_power_of_two()
                    .max(MIN_SIZE),
            );
        }
        self.entries.reserve(more);
    }

    /// Appends an entry whose key is not there yet.
    pub(crate) fn push(&mut self, hash: i64, key: Value, value: Value) {
        if self.usable == 0 {
            self.rebuild((self.live * 3).next_power_of_two().max(MIN_SIZE));
        }
        self.usable -= 1;
        let slot = self.entries.len();
        self.entries.push(Entry { hash, key, value });
        self.live += 1;
        self.keys_version.set(0);
        if !self.indices.is_empty() {
            self.place(hash, slot);
        }
    }

    /// Replaces the value of a live slot; the old one is given back for the caller to drop.
    #[inline(always)]
    pub fn replace_value(&mut self, slot: usize, value: Value) -> Value {
        std::mem::replace(&mut self.entries[slot].value, value)
    }

    /// Removes a live slot; key and value are given back.
    pub fn remove_slot(&mut self, slot: usize) -> (Value, Value) {
        if !self.indices.is_empty() {
            let at = self.index_of(slot);
            self.indices[at] = DELETED;
        }
        self.live -= 1;
        self.keys_version.set(0);
        let e = &mut self.entries[slot];
        let removed = (e.key.take(), e.value.take());
        if slot == self.first {
            self.skip_holes();
        }
        removed
    }

    /// Removes the last key, and its entry with it.
    pub fn pop_last(&mut self) -> Option<(Value, Value)> {
        let slot = self.slot_before(usize::MAX)?;
        let removed = self.remove_slot(slot);
        self.entries.truncate(slot);
        self.first = self.first.min(slot);
        Some(removed)
    }

    /// Moves `first` over holes.
    fn skip_holes(&mut self) {
        while self
            .entries
            .get(self.first)
            .is_some_and(|e| e.key.is_undef())
        {
            self.first += 1;
        }
    }

    /// Where the index table has this live slot.
    fn index_of(&self, slot: usize) -> usize {
        let hash = self.entries[slot].hash;
        let mask = self.indices.len() - 1;
        let mut perturb = hash as u64;
        let mut i = hash as usize & mask;
        while self.indices[i] != slot as u32 {
            perturb >>= 5;
            i = i
                .wrapping_mul(5)
                .wrapping_add(perturb as usize)
                .wrapping_add(1)
                & mask;
        }
        i
    }

    /// Takes the entry out of a live slot, leaving a deleted one.
    fn lift(&mut self, slot: usize) -> Entry {
        let hash = self.entries[slot].hash;
        std::mem::replace(
            &mut self.entries[slot],
            Entry {
                hash,
                key: Value::UNDEF,
                value: Value::UNDEF,
            },
        )
    }

    /// Makes a live slot the last one.
    pub fn move_to_back(&mut self, slot: usize) {
        if slot + 1 == self.entries.len() {
            return;
        }
        self.keys_version.set(0);
        if self.indices.is_empty() {
            self.entries[slot..].rotate_left(1);
            self.skip_holes();
            return;
        }
        let mut slot = slot;
        if self.entries.len() == self.entries.capacity()
            && self.entries.len() - self.live > self.live / 2
        {
            // Close up before the array grows; the slot moves down by the holes before it.
            slot -= self.entries[..slot]
                .iter()
                .filter(|e| e.key.is_undef())
                .count();
            self.rebuild(self.indices.len());
        }
        let at = self.index_of(slot);
        let entry = self.lift(slot);
        self.indices[at] = self.entries.len() as u32;
        self.entries.push(entry);
        self.skip_holes();
    }

    /// Makes a live slot the first one.
    pub fn move_to_front(&mut self, slot: usize) {
        if slot == self.first {
            return;
        }
        self.keys_version.set(0);
        if self.indices.is_empty() {
            self.entries[self.first..=slot].rotate_right(1);
            return;
        }
        let mut slot = slot;
        if self.first == 0 {
            // Room for as many moves as there are keys, so that the cost of making it is shared.
            let room = self.live;
            let hole = || Entry {
                hash: 0,
                key: Value::UNDEF,
                value: Value::UNDEF,
            };
            self.entries
                .splice(0..0, std::iter::repeat_with(hole).take(room));
            for index in self.indices.iter_mut().filter(|i| **i < DELETED) {
                *index += room as u32;
            }
            self.first = room;
            slot += room;
        }
        let at = self.index_of(slot);
        let entry = self.lift(slot);
        self.first -= 1;
        self.entries[self.first] = entry;
        self.indices[at] = self.first as u32;
    }

    /// Takes all entries out.
    pub fn take_all(&mut self) -> Vec<Entry> {
        let old = std::mem::take(self);
        old.entries
    }

    /// Moves the table to other memory. Slots and version stay. The old memory is given up for good: this is for the image, which should have no
    /// free memory between what is in use.
    pub(crate) fn relocate(&mut self) {
        let mut entries = Vec::with_capacity(self.entries.capacity());
        entries.append(&mut self.entries);
        std::mem::forget(std::mem::replace(&mut self.entries, entries));
        let indices = self.indices.clone();
        std::mem::forget(std::mem::replace(&mut self.indices, indices));
    }

    /// A copy with the same order.
    pub fn duplicate(&self) -> DictMap {
        if self.live == self.entries.len() {
            return DictMap {
                entries: self.entries.clone(),
                indices: self.indices.clone(),
                live: self.live,
                first: 0,
                usable: self.usable,
                keys_version: Cell::new(0),
            };
        }
        let mut copy = DictMap::default();
        copy.reserve(self.live);
        for e in self.iter() {
            copy.push(e.hash, e.key.clone(), e.value.clone());
        }
        copy
    }

    /// Number of the first live slot at or after `slot`.
    #[inline]
    pub fn next_slot(&self, slot: usize) -> Option<usize> {
        let mut slot = slot.max(self.first);
        while slot < self.entries.len() {
            if !self.entries[slot].key.is_undef() {
                return Some(slot);
            }
            slot += 1;
        }
        None
    }

    /// Number of the last live slot before `slot`.
    #[inline]
    pub fn slot_before(&self, slot: usize) -> Option<usize> {
        let mut slot = slot.min(self.entries.len());
        while slot > self.first {
            slot -= 1;
            if !self.entries[slot].key.is_undef() {
                return Some(slot);
            }
        }
        None
    }
}

/// `hash(key)`; what is raised for an unhashable key says that it was to be a key.
#[inline]
pub fn hash_key(vm: &mut Vm, key: &Value) -> R<i64> {
    if let Some(s) = key.as_exact::<Str>() {
        return Ok(s.hash());
    }
    match vm.hash(key) {
        Ok(hash) => Ok(hash),
        Err(raised) => Err(unhashable(vm, raised, key, "a dict key")),
    }
}

/// Rewords the `TypeError` about an unhashable value as CPython 3.14 does: "cannot use 'list' as a dict key (unhashable type: 'list')".
#[cold]
pub(crate) fn unhashable(vm: &mut Vm, raised: Raised, key: &Value, what: &str) -> Raised {
    let is_type_error = vm
        .pending
        .as_ref()
        .and_then(Value::header)
        .is_some_and(|h| h.class().same(Exc::TypeError.class()));
    if !is_type_error || vm.stopped.is_some() {
        return raised;
    }
    let exception = vm.take_error();
    let reason = match vm.str(&exception) {
        Ok(reason) => reason.to_text().into_owned(),
        Err(raised) => return raised,
    };
    let class = class_of(key).clone();
    let qualname = class.qualname.get(vm).to_text().into_owned();
    let module = class
        .dict
        .get_str(vm, &Names::get().__module__)
        .and_then(|m| m.as_ref::<Str>())
        .map(|m| m.to_text().into_owned());
    let name = match module {
        Some(m) if m != "builtins" => format!("{m}.{qualname}"),
        _ => qualname,
    };
    vm.type_error(format!("cannot use '{name}' as {what} ({reason})"))
}

impl Dict {
    /// A new empty dictionary.
    pub fn new() -> Ref<Dict> {
        heap::alloc(Dict {
            map: VmCell::new(DictMap::default()),
        })
    }

    /// A new dictionary with this table.
    pub fn from_map(map: DictMap) -> Ref<Dict> {
        heap::alloc(Dict {
            map: VmCell::new(map),
        })
    }

    /// An empty payload, for instances of subclasses.
    pub fn empty_payload() -> Dict {
        Dict {
            map: VmCell::new(DictMap::default()),
        }
    }

    /// Number of keys.
    pub fn len(&self, vm: &Vm) -> usize {
        self.map.get(vm).live
    }

    /// The value of an exact-`str` key, by text alone. For namespaces.
    #[inline]
    pub fn get_str<'a>(&'a self, vm: &'a Vm, key: &Str) -> Option<&'a Value> {
        let map = self.map.get(vm);
        map.find_str(key).map(|slot| &map.entries[slot].value)
    }

    /// Binds an exact-`str` key, by text alone. For namespaces.
    pub fn set_str(&self, vm: &mut Vm, key: &Ref<Str>, value: Value) {
        let map = self.map.get_mut(vm);
        match map.find_str(key) {
            Some(slot) => {
                let old = map.replace_value(slot, value);
                drop(old);
            }
            None => map.push(key.hash(), key.to_value(), value),
        }
    }

    /// Removes an exact-`str` key, by text alone. For namespaces.
    pub fn remove_str(&self, vm: &mut Vm, key: &Str) -> Option<Value> {
        let map = self.map.get_mut(vm);
        let slot = map.find_str(key)?;
        let (_, value) = map.remove_slot(slot);
        Some(value)
    }

    /// The slot of `key`, comparing with `==` where needed (which may run Python code, even change this dictionary).
    pub fn find(&self, vm: &mut Vm, key: &Value, hash: i64) -> R<Option<usize>> {
        match self.map.get(vm).find(key, hash) {
            Found::At(slot) => Ok(Some(slot)),
            Found::Nowhere => Ok(None),
            Found::Unsure(slot) => {
                let map = self.map.get(vm);
                let version = map.keys_version();
                let there = map.entries[slot].key.clone();
                let same = vm.eq(&there, key)?;
                let unchanged = self.map.get(vm).known_version() == version;
                if same && unchanged {
                    return Ok(Some(slot));
                }
                self.find_by_eq(vm, key, hash, unchanged.then_some(slot))
            }
        }
    }

    /// `known`: the key in this slot has been compared already, and is another one.
    #[cold]
    fn find_by_eq(
        &self,
        vm: &mut Vm,
        key: &Value,
        hash: i64,
        mut known: Option<usize>,
    ) -> R<Option<usize>> {
        'restart: loop {
            let known = known.take();
            let map = self.map.get(vm);
            let version = map.keys_version();
            // Slots with this hash, in probing order or, without index table, in order.
            let candidates: Vec<usize> = if map.indices.is_empty() {
                (0..map.entries.len())
                    .filter(|&s| map.entries[s].hash == hash && !map.entries[s].key.is_undef())
                    .collect()
            } else {
                let mask = map.indices.len() - 1;
                let mut perturb = hash as u64;
                let mut i = hash as usize & mask;
                let mut found = Vec::new();
                while map.indices[i] != EMPTY {
                    let slot = map.indices[i];
                    if slot != DELETED && map.entries[slot as usize].hash == hash {
                        found.push(slot as usize);
                    }
                    perturb >>= 5;
                    i = i
                        .wrapping_mul(5)
                        .wrapping_add(perturb as usize)
                        .wrapping_add(1)
                        & mask;
                }
                found
            };
            for slot in candidates {
                if Some(slot) == known {
                    continue;
                }
                let there = self.map.get(vm).entries[slot].key.clone();
                let same = there.is_same(key) || vm.eq(&there, key)?;
                if self.map.get(vm).keys_version() != version {
                    continue 'restart;
                }
                if same {
                    return Ok(Some(slot));
                }
            }
            return Ok(None);
        }
    }

    /// `self[key]`, if it is there. `TypeError` when the key is unhashable.
    #[inline]
    pub fn get_item(&self, vm: &mut Vm, key: &Value) -> R<Option<Value>> {
        let hash = hash_key(vm, key)?;
        self.get_hashed(vm, key, hash)
    }

    /// As [`Dict::get_item`], with the hash known.
    #[inline]
    pub fn get_hashed(&self, vm: &mut Vm, key: &Value, hash: i64) -> R<Option<Value>> {
        Ok(self
            .find(vm, key, hash)?
            .map(|slot| self.map.get(vm).entries[slot].value.clone()))
    }

    /// `self[key] = value`
    #[inline]
    pub fn set_item(&self, vm: &mut Vm, key: &Value, value: Value) -> R<()> {
        let hash = hash_key(vm, key)?;
        self.set_hashed(vm, key, hash, value)
    }

    /// As [`Dict::set_item`], with the hash known.
    #[inline]
    pub fn set_hashed(&self, vm: &mut Vm, key: &Value, hash: i64, value: Value) -> R<()> {
        match self.find(vm, key, hash)? {
            Some(slot) => {
                let old = self.map.get_mut(vm).replace_value(slot, value);
                drop(old);
            }
            None => {
                if !self.map.get(vm).can_grow() {
                    return Err(vm.memory_error());
                }
                self.map.get_mut(vm).push(hash, key.clone(), value);
            }
        }
        Ok(())
    }

    /// `self.setdefault(key, value)`
    pub fn get_or_insert(&self, vm: &mut Vm, key: &Value, hash: i64, value: Value) -> R {
        if let Some(slot) = self.find(vm, key, hash)?
            && let Some(entry) = self.map.get(vm).entry(slot)
        {
            return Ok(entry.value.clone());
        }
        if !self.map.get(vm).can_grow() {
            return Err(vm.memory_error());
        }
        self.map.get_mut(vm).push(hash, key.clone(), value.clone());
        Ok(value)
    }

    /// Removes `key`; answers its value if it was there.
    pub fn remove_item(&self, vm: &mut Vm, key: &Value) -> R<Option<Value>> {
        let hash = hash_key(vm, key)?;
        Ok(self
            .find(vm, key, hash)?
            .map(|slot| self.map.get_mut(vm).remove_slot(slot).1))
    }
}
