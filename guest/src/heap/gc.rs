//! The cycle collector.
//!
//! Trial deletion, as CPython's documentation of its collector describes it ("Garbage collector design"): for every tracked object take its count, subtract
//! the references that come from tracked objects; what is left over zero is reachable from outside, and everything reachable from it lives. The rest
//! is garbage: weak references to it are cleared, finalisers are queued (those objects and what they reach survive until the next time), the others
//! are cleared and die by their counts.

use super::attrs::Attrs;
use super::{FINALIZED, HAS_FINALIZER, HAS_WEAKREFS, Header, weak, with_heap};
use crate::value::Value;
use std::ptr::NonNull;

/// Smallest number of tracked objects that makes a collection worth its time.
const MIN_THRESHOLD: usize = 50_000;

/// Number of tracked objects.
pub fn tracked_count() -> usize {
    with_heap(|heap| heap.tracked.len())
}

/// Whether a collection is due.
pub fn is_due() -> bool {
    with_heap(|heap| heap.tracked.len() >= heap.threshold)
}

/// Puts off the next automatic collection for ever (or allows it again).
pub fn set_enabled(enabled: bool) {
    with_heap(|heap| {
        heap.threshold = if enabled {
            MIN_THRESHOLD.max(heap.tracked.len() * 2)
        } else {
            usize::MAX
        }
    });
}

/// Whether automatic collection is on.
pub fn is_enabled() -> bool {
    with_heap(|heap| heap.threshold != usize::MAX)
}

/// Calls `f` for every tracked object.
pub fn for_each_tracked(mut f: impl FnMut(&Header)) {
    let tracked = with_heap(|heap| heap.tracked.clone());
    for p in tracked {
        // SAFETY: tracked objects are live, and `f` only sees a shared header.
        f(unsafe { p.as_ref() });
    }
}

/// The tracked objects, as values (for `gc.get_objects`).
pub fn objects() -> Vec<Value> {
    let mut all = Vec::new();
    for_each_tracked(|header| all.push(value_of(NonNull::from(header))));
    all
}

/// Visits everything an object owns.
pub fn visit_object(header: &Header, visit: &mut dyn FnMut(&Value)) {
    let table = header.class().vtable;
    // SAFETY: the table is the object's, which is live.
    unsafe { (table.traverse)(header, visit) };
    if let Some(attrs) = Attrs::of(header) {
        attrs.traverse(visit);
    }
    if !header.class().is_static() {
        header.class().with_value(|v| visit(v));
    }
}

fn value_of(p: NonNull<Header>) -> Value {
    // SAFETY: the object is live; counting up makes the count the value's own.
    unsafe {
        p.as_ref().count_up();
        Value::from_bits(p.as_ptr() as usize as u64)
    }
}

/// Finds and frees unreachable cycles; answers how many objects were unreachable.
pub fn collect() -> usize {
    let tracked = with_heap(|heap| std::mem::take(&mut heap.tracked));
    // While the list is taken, `gc_index - 1` of a tracked object is its place in it.
    let place = |v: &Value| -> Option<usize> {
        let index = v.header()?.gc_index.get() as usize;
        (index != 0).then(|| index - 1)
    };
    // SAFETY (all uses below): tracked objects are live, and nothing is freed before the list is put back.
    let header = |i: usize| unsafe { tracked[i].as_ref() };
    let mut outside: Vec<u32> = (0..tracked.len()).map(|i| header(i).count()).collect();
    for i in 0..tracked.len() {
        visit_object(header(i), &mut |v| {
            if let Some(j) = place(v) {
                outside[j] = outside[j].saturating_sub(1);
            }
        });
    }
    let mut reachable = vec![false; tracked.len()];
    let mut work: Vec<usize> = Vec::new();
    let spread = |work: &mut Vec<usize>, reachable: &mut [bool]| {
        while let Some(i) = work.pop() {
            visit_object(header(i), &mut |v| {
                if let Some(j) = place(v)
                    && !reachable[j]
                {
                    reachable[j] = true;
                    work.push(j);
                }
            });
        }
    };
    for i in 0..tracked.len() {
        if outside[i] > 0 {
            reachable[i] = true;
            work.push(i);
        }
    }
    spread(&mut work, &mut reachable);
    let unreachable: Vec<usize> = (0..tracked.len()).filter(|&i| !reachable[i]).collect();
    let found = unreachable.len();
    let mut finalizers = Vec::new();
    for &i in &unreachable {
        let h = header(i);
        let table = h.class().vtable;
        // SAFETY: the table is the object's.
        if !h.flag(FINALIZED) && (h.flag(HAS_FINALIZER) || unsafe { (table.needs_finalizer)(h) }) {
            h.set_flag(FINALIZED);
            finalizers.push(value_of(tracked[i]));
            reachable[i] = true;
            work.push(i);
        }
    }
    // What a finaliser may look at stays whole until it has run.
    spread(&mut work, &mut reachable);
    let garbage: Vec<Value> = unreachable
        .iter()
        .filter(|&&i| !reachable[i])
        .map(|&i| value_of(tracked[i]))
        .collect();
    with_heap(|heap| {
        // Nothing was allocated meanwhile, so the list goes back as it was.
        debug_assert!(heap.tracked.is_empty());
        heap.tracked = tracked;
    });
    for v in &garbage {
        if let Some(h) = v.header()
            && h.flag(HAS_WEAKREFS)
        {
            weak::clear(h);
        }
    }
    for v in &garbage {
        let Some(h) = v.header() else { continue };
        if let Some(attrs) = Attrs::of(h) {
            drop(attrs.take_all());
        }
        // SAFETY: only the collector knows the object now; `garbage` keeps it alive while its contents go.
        unsafe { (h.class().vtable.clear)(h as *const Header as *mut Header) };
    }
    drop(garbage);
    with_heap(|heap| {
        if heap.threshold != usize::MAX {
            heap.threshold = MIN_THRESHOLD.max(heap.tracked.len() * 2);
        }
        heap.finalizers.extend(finalizers);
        if !heap.finalizers.is_empty() {
            super::set_budget(0);
        }
    });
    found
}
