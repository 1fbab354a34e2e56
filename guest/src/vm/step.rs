//! The next item of the iterators that most loops go over, without a call.
//!
//! Going through the class's slot costs two calls an item, and a call in metered WebAssembly costs more than most items. This is for native loops; the loop of
//! instructions has the same in its `ForIter`.
//!
//! # Safety
//!
//! A kind says what the payload is. The source of an iterator is looked at while nobody else is: nothing here runs code of anybody.

use super::{R, Vm};
use crate::heap::Kind;
use crate::objects::iterators::{ListIter, RangeIter, TupleIter};
use crate::value::Value;

impl Vm {
    /// `next(it)`: `None` when exhausted. The same as [`Vm::iter_next`], and larger.
    #[inline(always)]
    pub(crate) fn step(&mut self, it: &Value) -> R<Option<Value>> {
        if let Some(header) = it.header() {
            if header.is_exact_kind(Kind::ListIter) {
                // SAFETY: see the module.
                let iter = unsafe { it.as_ref_unchecked::<ListIter>() };
                let n = iter.index.get();
                // SAFETY: see the module.
                let next = match unsafe { &*iter.source.as_ptr() } {
                    Some(list) => list.items.get(self).get(n).cloned(),
                    None => None,
                };
                if next.is_some() {
                    iter.index.set(n + 1);
                    return Ok(next);
                }
            } else if header.is_exact_kind(Kind::RangeIter) {
                // SAFETY: see the module.
                let range = unsafe { it.as_ref_unchecked::<RangeIter>() };
                let left = range.left.get();
                if left > 0 {
                    let n = range.next.get();
                    range.left.set(left - 1);
                    range.next.set(n.wrapping_add(range.step));
                    return Ok(Some(Value::int(n)));
                }
            } else if header.is_exact_kind(Kind::TupleIter) {
                // SAFETY: see the module.
                let iter = unsafe { it.as_ref_unchecked::<TupleIter>() };
                let n = iter.index.get();
                // SAFETY: see the module.
                let next = match unsafe { &*iter.source.as_ptr() } {
                    Some(tuple) => tuple.items().get(n).cloned(),
                    None => None,
                };
                if next.is_some() {
                    iter.index.set(n + 1);
                    return Ok(next);
                }
            }
        }
        self.iter_next(it)
    }
}
