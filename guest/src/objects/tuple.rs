//! `tuple`: the data. The items follow the payload in memory.

use std::cell::Cell;

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref};
use crate::objects::types::Type;
use crate::value::Value;

/// Payload of `tuple`.
#[repr(C)]
pub struct Tuple {
    /// The hash once computed, as in CPython 3.14 (-1: not yet, which is no hash).
    hash: Cell<i64>,
    len: usize,
    data: [Value; 0],
}

// SAFETY: the tail is `len` values, all initialised by the constructors before anybody sees the object.
unsafe impl Payload for Tuple {
    const KIND: Kind = Kind::Tuple;
    class_slot!();
    const TAIL: Option<fn(&Self) -> usize> = Some(|t| t.len * size_of::<Value>());
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.items().iter().for_each(visit);
    }
    unsafe fn drop_tail(&mut self) {
        // The last first, as in CPython.
        for n in (0..self.len).rev() {
            // SAFETY: the tail holds `len` values; each is dropped once.
            unsafe { std::ptr::drop_in_place(self.data.as_mut_ptr().add(n)) }
        }
    }
}

impl Tuple {
    fn of_len(len: usize) -> Tuple {
        Tuple {
            hash: Cell::new(-1),
            len,
            data: [],
        }
    }

    /// The hash, if somebody has asked for it before.
    #[inline(always)]
    pub fn known_hash(&self) -> Option<i64> {
        let hash = self.hash.get();
        (hash != -1).then_some(hash)
    }

    /// Remembers the hash.
    pub fn set_hash(&self, hash: i64) {
        self.hash.set(hash);
    }

    /// A new tuple from an iterator that knows its length.
    pub fn from_exact(items: impl ExactSizeIterator<Item = Value>) -> Ref<Tuple> {
        let len = items.len();
        let t = heap::alloc_tail(Self::of_len(len), len * size_of::<Value>());
        Self::fill(&t, items);
        t
    }

    fn fill(t: &Ref<Tuple>, items: impl ExactSizeIterator<Item = Value>) {
        let mut written = 0;
        for (i, item) in items.enumerate().take(t.len) {
            // SAFETY: inside the tail, which nobody else has seen yet.
            unsafe { (t.data.as_ptr() as *mut Value).add(i).write(item) };
            written = i + 1;
        }
        for i in written..t.len {
            // SAFETY: as above; an iterator that gave less than it promised.
            unsafe { (t.data.as_ptr() as *mut Value).add(i).write(Value::NONE) };
        }
    }

    /// A new tuple.
    pub fn new(items: Vec<Value>) -> Ref<Tuple> {
        Self::from_exact(items.into_iter())
    }

    /// A new tuple, as a value; the empty one is shared.
    pub fn value(items: Vec<Value>) -> Value {
        if items.is_empty() {
            Self::empty()
        } else {
            Value::from_ref(Self::new(items))
        }
    }

    /// A new tuple of clones.
    pub fn from_slice(items: &[Value]) -> Value {
        if items.is_empty() {
            Self::empty()
        } else {
            Value::from_ref(Self::from_exact(items.iter().cloned()))
        }
    }

    /// `()`
    pub fn empty() -> Value {
        thread_local! {
            static EMPTY: std::cell::OnceCell<Ref<Tuple>> = const { std::cell::OnceCell::new() };
        }
        EMPTY.with(|e| {
            e.get_or_init(|| {
                let t = Tuple::from_exact(std::iter::empty());
                t.header().make_immortal();
                t
            })
            .to_value()
        })
    }

    /// A new instance of `class`, a subclass of `tuple`.
    pub fn instance(class: &Ref<Type>, items: Vec<Value>) -> Ref<Tuple> {
        let t = heap::alloc_instance(
            Self::of_len(items.len()),
            class,
            items.len() * size_of::<Value>(),
        );
        Self::fill(&t, items.into_iter());
        t
    }

    /// Puts new items into a pair that only the caller knows, so that iterators which give pairs need not make one for each step. False, and
    /// nothing done, when somebody else has the pair.
    #[inline(always)]
    pub fn refill_pair(pair: &Ref<Tuple>, first: &Value, second: &Value) -> bool {
        if pair.header().count() != 1 || pair.len != 2 {
            return false;
        }
        pair.hash.set(-1);
        // SAFETY: the tail holds two values. Nobody else has a reference, so nobody looks at them; the old ones are dropped when the new ones are there.
        let old = unsafe {
            let items = pair.data.as_ptr() as *mut Value;
            (
                items.replace(first.clone()),
                items.add(1).replace(second.clone()),
            )
        };
        drop(old);
        true
    }

    /// The items.
    #[inline(always)]
    pub fn items(&self) -> &[Value] {
        // SAFETY: the tail holds `len` values; tuples do not change.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.len) }
    }
}

impl std::ops::Deref for Tuple {
    type Target = [Value];
    fn deref(&self) -> &[Value] {
        self.items()
    }
}
