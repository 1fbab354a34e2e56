//! `set` and `frozenset`: the data. Their methods are in the sibling files.
//!
//! An open hash table with CPython's own probing (runs of nine neighbours, then a jump) and growth, so that sets of small integers are iterated in the
//! order that people know from CPython.

pub mod methods;
pub mod ops;

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref, Tries, VmCell};
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::{R, Vm};
use std::cell::Cell;

const MIN_SIZE: usize = 8;
const LINEAR_PROBES: usize = 9;

/// A place of the table: empty when the key is `UNDEF` and the hash 0, deleted when the key is `UNDEF` and the hash -1.
struct Place {
    hash: i64,
    key: Value,
}

/// The table.
#[derive(Default)]
pub struct SetTable {
    places: Vec<Place>,
    /// Live keys.
    used: usize,
    /// Live and deleted keys.
    fill: usize,
    /// Changes with every change of the table.
    version: u32,
    /// Where `pop` looks next.
    finger: usize,
}

/// Payload of `set`.
pub struct Set {
    /// The keys.
    pub table: VmCell<SetTable>,
}

/// Payload of `frozenset`.
pub struct FrozenSet {
    /// The keys.
    pub table: VmCell<SetTable>,
    /// The hash, once computed.
    pub hash: Cell<Option<i64>>,
}

macro_rules! payload {
    ($name:ident) => {
        // SAFETY: visits every key.
        unsafe impl Payload for $name {
            const KIND: Kind = Kind::$name;
            class_slot!();
            fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
                // SAFETY: the collector runs while no borrow of any payload lives.
                unsafe { self.table.peek() }
                    .places
                    .iter()
                    .for_each(|p| visit(&p.key));
            }
            fn clear(&mut self) {
                drop(std::mem::take(self.table.exclusive()));
            }
        }
    };
}
payload!(Set);
payload!(FrozenSet);

enum Probe {
    At(usize),
    Nowhere,
    /// This place has the same hash, and only `==` can tell.
    Unsure(usize),
}

impl SetTable {
    /// Number of keys.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Changes with every change of the table.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Keys with their hashes, in the order of iteration.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &Value)> {
        self.places
            .iter()
            .filter(|p| !p.key.is_undef())
            .map(|p| (p.hash, &p.key))
    }

    /// The first live key at or after place `at`, with its place.
    #[inline(always)]
    pub fn next_from(&self, mut at: usize) -> Option<(usize, i64, &Value)> {
        while let Some(p) = self.places.get(at) {
            if !p.key.is_undef() {
                return Some((at, p.hash, &p.key));
            }
            at += 1;
        }
        None
    }

    /// Calls `f` on the places of the probe sequence of `hash` until it answers.
    #[inline]
    fn probe<T>(&self, hash: i64, mut f: impl FnMut(usize, &Place) -> Option<T>) -> T {
        let mask = self.places.len() - 1;
        let mut perturb = hash as u64;
        let mut i = hash as usize & mask;
        // Nearly always the first place answers; a second look at it does no harm.
        if let Some(answer) = f(i, &self.places[i]) {
            return answer;
        }
        let mut tries = Tries::default();
        loop {
            let run = if i + LINEAR_PROBES <= mask {
                LINEAR_PROBES
            } else {
                0
            };
            for at in i..=i + run {
                if let Some(answer) = f(at, &self.places[at]) {
                    return answer;
                }
            }
            perturb >>= 5;
            i = i
                .wrapping_mul(5)
                .wrapping_add(1)
                .wrapping_add(perturb as usize)
                & mask;
            tries.one_more();
        }
    }

    fn find(&self, key: &Value, hash: i64) -> Probe {
        if self.places.is_empty() {
            return Probe::Nowhere;
        }
        self.probe(hash, |at, p| {
            if p.key.is_undef() {
                return (p.hash == 0).then_some(Probe::Nowhere);
            }
            if p.key.is_same(key) {
                return Some(Probe::At(at));
            }
            if p.hash != hash {
                return None;
            }
            match (p.key.as_exact::<Str>(), key.as_exact::<Str>()) {
                (Some(a), Some(b)) => a.same_text(b).then_some(Probe::At(at)),
                _ if p.key.is_small_int() && key.is_small_int() => None,
                _ => Some(Probe::Unsure(at)),
            }
        })
    }

    /// What CPython calls the mask: the size of the table less one. A table without places counts as one of the smallest size.
    fn mask(&self) -> usize {
        self.places.len().max(MIN_SIZE) - 1
    }

    fn insert_new(&mut self, key: Value, hash: i64) {
        if self.places.is_empty() {
            self.resize(0);
        }
        // The last deleted place on the way is used again.
        let mut deleted = None;
        let at = self.probe(hash, |at, p| {
            if p.key.is_undef() && p.hash == 0 {
                return Some(deleted.unwrap_or(at));
            }
            if p.key.is_undef() {
                deleted = Some(at);
            }
            None
        });
        self.places[at] = Place { hash, key };
        self.used += 1;
        self.version = self.version.wrapping_add(1);
        if deleted.is_some() {
            return;
        }
        self.fill += 1;
        if self.fill * 5 >= self.mask() * 3 {
            self.resize(self.grown());
        }
    }

    /// Adds a key if the first place of its probe sequence says whether it is there, which is the rule; answers whether it was new.
    #[inline]
    fn add_at_first(&mut self, key: &Value, hash: i64) -> Option<bool> {
        let at = hash as usize & self.places.len().wrapping_sub(1);
        let place = self.places.get(at)?;
        if place.key.is_same(key) {
            return Some(false);
        }
        if !place.key.is_undef() || place.hash != 0 || !self.can_grow() {
            return None;
        }
        let key = key.clone();
        self.places[at] = Place { hash, key };
        self.used += 1;
        self.version = self.version.wrapping_add(1);
        self.fill += 1;
        if self.fill * 5 >= self.mask() * 3 {
            self.resize(self.grown());
        }
        Some(true)
    }

    /// How many keys a table should have room for when it has to be made anew.
    fn grown(&self) -> usize {
        if self.used > 50_000 {
            self.used * 2
        } else {
            self.used * 4
        }
    }

    /// Whether there is memory for growing, should the next key make it necessary.
    #[inline(always)]
    fn can_grow(&self) -> bool {
        self.places.len() < 4096
            || (self.fill + 1) * 5 < self.mask() * 3
            || heap::can_allocate((self.grown() + 1).next_power_of_two() * size_of::<Place>())
    }

    /// Makes the table anew, with the smallest size above `keys`; deleted places vanish.
    fn resize(&mut self, keys: usize) {
        let size = (keys + 1).next_power_of_two().max(MIN_SIZE);
        let mut places = Vec::with_capacity(size);
        places.resize_with(size, || Place {
            hash: 0,
            key: Value::UNDEF,
        });
        let old = std::mem::replace(&mut self.places, places);
        self.fill = self.used;
        self.version = self.version.wrapping_add(1);
        for p in old {
            if !p.key.is_undef() {
                self.insert_clean(p);
            }
        }
    }

    /// Puts a key that is not there into a table that has no deleted places.
    fn insert_clean(&mut self, place: Place) {
        let at = self.probe(place.hash, |at, q| q.key.is_undef().then_some(at));
        self.places[at] = place;
    }

    /// Makes room before many keys are added one by one, as CPython does when it knows their number.
    fn prepare_for(&mut self, more: usize) {
        if (self.fill + more) * 5 >= self.mask() * 3 {
            self.resize((self.used + more) * 2);
        }
    }

    /// Bytes of the table.
    pub fn memory(&self) -> usize {
        self.places.capacity() * size_of::<Place>()
    }

    /// Removes all keys; they are given back for the caller to drop.
    #[must_use]
    pub fn clear(&mut self) -> SetTable {
        let version = self.version.wrapping_add(1);
        std::mem::replace(
            self,
            SetTable {
                version,
                ..SetTable::default()
            },
        )
    }

    /// Makes the table anew when more than a quarter of it are deleted places.
    fn tidy(&mut self) {
        if self.fill - self.used > self.mask() / 4 {
            self.resize(self.grown());
        }
    }

    fn remove_at(&mut self, at: usize) -> Value {
        self.used -= 1;
        self.version = self.version.wrapping_add(1);
        let p = &mut self.places[at];
        p.hash = -1;
        p.key.take()
    }

    /// Removes some key.
    pub fn pop(&mut self) -> Option<Value> {
        if self.used == 0 {
            return None;
        }
        let mask = self.places.len() - 1;
        let mut at = self.finger & mask;
        while self.places[at].key.is_undef() {
            at = (at + 1) & mask;
        }
        self.finger = at + 1;
        Some(self.remove_at(at))
    }

    /// A copy, laid out as CPython lays out a copy.
    pub fn duplicate(&self) -> SetTable {
        let mut copy = SetTable::default();
        if self.used == 0 {
            return copy;
        }
        copy.prepare_for(self.used);
        if copy.places.is_empty() {
            copy.resize(0);
        }
        if copy.places.len() == self.places.len() && self.fill == self.used {
            copy.places = self
                .places
                .iter()
                .map(|p| Place {
                    hash: p.hash,
                    key: p.key.clone(),
                })
                .collect();
        } else {
            for (hash, key) in self.iter() {
                copy.insert_clean(Place {
                    hash,
                    key: key.clone(),
                });
            }
        }
        copy.used = self.used;
        copy.fill = self.used;
        copy
    }
}

/// `hash(key)`; what is raised for an unhashable key says that it was to be an element.
#[inline]
pub fn hash_key(vm: &mut Vm, key: &Value) -> R<i64> {
    match vm.hash(key) {
        Ok(hash) => Ok(hash),
        Err(raised) => Err(crate::objects::dict::unhashable(
            vm,
            raised,
            key,
            "a set element",
        )),
    }
}

/// The place of `key`, comparing with `==` where needed (which may run Python code, even change the table).
pub fn find(vm: &mut Vm, table: &VmCell<SetTable>, key: &Value, hash: i64) -> R<Option<usize>> {
    match table.get(vm).find(key, hash) {
        Probe::At(at) => Ok(Some(at)),
        Probe::Nowhere => Ok(None),
        Probe::Unsure(at) => {
            let t = table.get(vm);
            let version = t.version;
            let there = t.places[at].key.clone();
            let same = vm.eq(&there, key)?;
            if table.get(vm).version != version {
                return find_by_eq(vm, table, key, hash, None);
            }
            if same {
                return Ok(Some(at));
            }
            find_by_eq(vm, table, key, hash, Some(at))
        }
    }
}

/// `unequal` is the place of a key that has been compared already: programs see how often `__eq__` is called.
#[cold]
fn find_by_eq(
    vm: &mut Vm,
    table: &VmCell<SetTable>,
    key: &Value,
    hash: i64,
    mut unequal: Option<usize>,
) -> R<Option<usize>> {
    'restart: loop {
        let t = table.get(vm);
        if t.places.is_empty() {
            return Ok(None);
        }
        let version = t.version;
        let mut candidates = Vec::new();
        t.probe(hash, |at, p| {
            if p.key.is_undef() {
                return (p.hash == 0).then_some(());
            }
            if p.hash == hash && !candidates.iter().any(|(a, _)| *a == at) {
                candidates.push((at, p.key.clone()));
            }
            None
        });
        let compared = unequal.take();
        for (at, there) in candidates {
            if compared == Some(at) {
                continue;
            }
            let same = there.is_same(key) || vm.eq(&there, key)?;
            if table.get(vm).version != version {
                continue 'restart;
            }
            if same {
                return Ok(Some(at));
            }
        }
        return Ok(None);
    }
}

/// Adds a key; answers whether it was new.
#[inline]
pub fn add(vm: &mut Vm, table: &VmCell<SetTable>, key: &Value) -> R<bool> {
    let hash = hash_key(vm, key)?;
    add_hashed(vm, table, key, hash)
}

/// As [`add`], with the hash known.
#[inline]
pub fn add_hashed(vm: &mut Vm, table: &VmCell<SetTable>, key: &Value, hash: i64) -> R<bool> {
    match table.get_mut(vm).add_at_first(key, hash) {
        Some(is_new) => Ok(is_new),
        None => add_slowly(vm, table, key, hash),
    }
}

#[inline(never)]
fn add_slowly(vm: &mut Vm, table: &VmCell<SetTable>, key: &Value, hash: i64) -> R<bool> {
    if find(vm, table, key, hash)?.is_some() {
        return Ok(false);
    }
    if !table.get(vm).can_grow() {
        return Err(vm.memory_error());
    }
    table.get_mut(vm).insert_new(key.clone(), hash);
    Ok(true)
}

/// Removes a key; answers whether it was there.
pub fn remove(vm: &mut Vm, table: &VmCell<SetTable>, key: &Value, hash: i64) -> R<bool> {
    let Some(at) = find(vm, table, key, hash)? else {
        return Ok(false);
    };
    let key = table.get_mut(vm).remove_at(at);
    drop(key);
    Ok(true)
}

/// Whether a key is there.
pub fn contains(vm: &mut Vm, table: &VmCell<SetTable>, key: &Value, hash: i64) -> R<bool> {
    Ok(find(vm, table, key, hash)?.is_some())
}

/// The table of a `set` or `frozenset` (or an instance of a subclass).
pub fn table_of(v: &Value) -> Option<&VmCell<SetTable>> {
    v.as_ref::<Set>()
        .map(|s| &s.table)
        .or_else(|| v.as_ref::<FrozenSet>().map(|s| &s.table))
}

impl Set {
    /// An empty set.
    pub fn new() -> Ref<Set> {
        heap::alloc(Set {
            table: VmCell::new(SetTable::default()),
        })
    }

    /// A set with this table.
    pub fn from_table(table: SetTable) -> Value {
        Value::from_ref(heap::alloc(Set {
            table: VmCell::new(table),
        }))
    }
}

impl FrozenSet {
    /// A `frozenset` of these keys.
    pub fn value(vm: &mut Vm, keys: Vec<Value>) -> R {
        let s = heap::alloc(FrozenSet {
            table: VmCell::new(SetTable::default()),
            hash: Cell::new(None),
        });
        for key in &keys {
            add(vm, &s.table, key)?;
        }
        Ok(Value::from_ref(s))
    }

    /// A `frozenset` with this table.
    pub fn from_table(table: SetTable) -> Value {
        Value::from_ref(heap::alloc(FrozenSet {
            table: VmCell::new(table),
            hash: Cell::new(None),
        }))
    }
}
