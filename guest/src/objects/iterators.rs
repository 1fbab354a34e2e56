//! The iterators of the built-in containers: the data. Their `next` is in [`crate::builtins::iterators`], and for the frequent ones in the
//! machine's `ForIter`.

use crate::class_slot;
use crate::heap::{Kind, Payload, Ref};
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use std::cell::{Cell, RefCell};

/// Payload of `range_iterator`, for ranges of small numbers.
pub struct RangeIter {
    /// The next number.
    pub next: Cell<i64>,
    /// The step.
    pub step: i64,
    /// How many are left.
    pub left: Cell<u64>,
}

// SAFETY: owns no values.
unsafe impl Payload for RangeIter {
    const KIND: Kind = Kind::RangeIter;
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

macro_rules! sequence_iter {
    ($(#[$doc:meta])* $name:ident, $kind:ident, $seq:ty) => {
        $(#[$doc])*
        pub struct $name {
            /// What is iterated, until it is exhausted.
            pub source: RefCell<Option<Ref<$seq>>>,
            /// Position of the next item (bytes for text).
            pub index: Cell<usize>,
        }
        // SAFETY: visits the source.
        unsafe impl Payload for $name {
            const KIND: Kind = Kind::$kind;
            class_slot!();
            fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
                if let Some(s) = &*self.source.borrow() {
                    s.with_value(visit);
                }
            }
        }
        impl $name {
            /// An iterator at the beginning.
            pub fn value(source: Ref<$seq>) -> Value {
                Value::from_ref($crate::heap::alloc($name { source: RefCell::new(Some(source)), index: Cell::new(0) }))
            }
        }
    };
}

sequence_iter! {
    /// Payload of `list_iterator`.
    ListIter, ListIter, List
}
sequence_iter! {
    /// Payload of `tuple_iterator`.
    TupleIter, TupleIter, Tuple
}
sequence_iter! {
    /// Payload of `str_iterator`.
    StrIter, StrIter, Str
}

/// What an iterator over a dictionary gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DictPart {
    /// Keys.
    Keys,
    /// Values.
    Values,
    /// Pairs.
    Items,
}

/// Payload of the dictionary iterators.
pub struct DictIter {
    /// The dictionary, until it is exhausted.
    pub source: RefCell<Option<Ref<Dict>>>,
    /// Slot to look at next; for a reverse iterator, the slot above it.
    pub slot: Cell<usize>,
    /// Number of keys at the beginning: a change is an error.
    pub len: Cell<usize>,
    /// Number of items that are still to come.
    pub left: Cell<usize>,
    /// What it gives.
    pub part: DictPart,
    /// From the end.
    pub reverse: bool,
    /// The pair given last.
    pub(crate) last: crate::builtins::iterators::LastPair,
    /// For an `OrderedDict`, the version of the keys: any change of theirs is an error. 0 otherwise.
    pub version: u32,
}

// SAFETY: visits the dictionary.
unsafe impl Payload for DictIter {
    const KIND: Kind = Kind::DictIter;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        if let Some(d) = &*self.source.borrow() {
            d.with_value(&mut *visit);
        }
        self.last.traverse(visit);
    }
}

/// Payload of the iterator over anything with `__getitem__`.
pub struct SequenceIter {
    /// The sequence, until it is exhausted.
    pub source: RefCell<Option<Value>>,
    /// Next index.
    pub index: Cell<i64>,
}

// SAFETY: visits the sequence.
unsafe impl Payload for SequenceIter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        if let Some(s) = &*self.source.borrow() {
            visit(s);
        }
    }
}

/// Payload of the iterator of `iter(callable, sentinel)`.
pub struct CallIter {
    /// Callable and sentinel, until exhausted.
    pub source: RefCell<Option<(Value, Value)>>,
}

// SAFETY: visits both.
unsafe impl Payload for CallIter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        if let Some((f, s)) = &*self.source.borrow() {
            visit(f);
            visit(s);
        }
    }
}
