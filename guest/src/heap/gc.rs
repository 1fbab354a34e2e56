//! The cycle collector.
//!
//! Trial deletion, as CPython's documentation of its collector describes it ("Garbage collector design"): for every tracked object take its count, subtract
//! the references that come from tracked objects; what is left over zero is reachable from outside, and everything reachable from it lives. The rest
//! is garbage. This module finds it and frees it; the steps between, which run Python code (finalisers, PEP 442), are the machine's:
//! [`Vm::collect_cycles`](crate::vm::Vm::collect_cycles).

use super::attrs::Attrs;
use super::{FINALIZED, HAS_FINALIZER, HAS_WEAKREFS, Header, weak, with_heap};
use crate::value::Value;
use std::ptr::NonNull;

/// Smallest number of tracked objects that makes a collection worth its time.
const MIN_THRESHOLD: usize = 50_000;

/// In an object's `gc_index`: the place is one in the list of frozen objects.
pub(super) const FROZEN: u32 = 1 << 31;

/// What collections have done.
#[derive(Clone, Copy, Default)]
pub struct Stats {
    /// How many there were.
    pub collections: u64,
    /// How many objects they have freed.
    pub collected: u64,
}

impl Stats {
    /// Nothing yet.
    pub const NONE: Stats = Stats {
        collections: 0,
        collected: 0,
    };
}

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

/// Finds the objects that only refer to each other. They stay as they are; the result owns one count of each.
pub fn unreachable() -> Vec<Value> {
    unreachable_without(None)
}

/// Finds the objects that would only refer to each other if `holder` let go of all that it holds.
pub fn unreachable_without(holder: Option<&Header>) -> Vec<Value> {
    let tracked = with_heap(|heap| std::mem::take(&mut heap.tracked));
    // While the list is taken, `gc_index - 1` of a tracked object is its place in it.
    let place = |v: &Value| -> Option<usize> {
        let index = v.header()?.gc_index.get();
        (index != 0 && index & FROZEN == 0).then(|| index as usize - 1)
    };
    // SAFETY (all uses below): tracked objects are live, and nothing is freed before the list is put back.
    let header = |i: usize| unsafe { tracked[i].as_ref() };
    let reachable = survivors(tracked.len(), &header, &place, 0, holder);
    let found = (0..tracked.len())
        .filter(|&i| !reachable[i])
        .map(|i| value_of(tracked[i]))
        .collect();
    with_heap(|heap| {
        // Nothing was allocated meanwhile, so the list goes back as it was.
        debug_assert!(heap.tracked.is_empty());
        heap.tracked = tracked;
    });
    found
}

/// Of what [`unreachable()`] found, what finalisers have made reachable again is dropped from the list.
pub fn still_unreachable(garbage: Vec<Value>) -> Vec<Value> {
    let places: std::collections::BTreeMap<u64, usize> = garbage
        .iter()
        .enumerate()
        .map(|(i, v)| (v.bits(), i))
        .collect();
    let place = |v: &Value| places.get(&v.bits()).copied();
    let header = |i: usize| match garbage[i].header() {
        Some(h) => h,
        None => unreachable!("garbage consists of heap objects"),
    };
    // The list itself owns one count of each.
    let reachable = survivors(garbage.len(), &header, &place, 1, None);
    garbage
        .into_iter()
        .zip(reachable)
        .filter(|(_, alive)| !alive)
        .map(|(v, _)| v)
        .collect()
}

/// Which of `n` objects are referred to from elsewhere (by more than `ours` owners that are not among them), or from such objects. What `holder`
/// refers to does not count.
fn survivors<'a>(
    n: usize,
    header: &dyn Fn(usize) -> &'a Header,
    place: &dyn Fn(&Value) -> Option<usize>,
    ours: u32,
    holder: Option<&Header>,
) -> Vec<bool> {
    let mut outside: Vec<u32> = (0..n).map(|i| header(i).count() - ours).collect();
    let is_holder = |i: usize| holder.is_some_and(|h| std::ptr::eq(h, header(i)));
    if let Some(holder) = holder {
        visit_object(holder, &mut |v| {
            if let Some(j) = place(v) {
                outside[j] = outside[j].saturating_sub(1);
            }
        });
    }
    for i in (0..n).filter(|&i| !is_holder(i)) {
        visit_object(header(i), &mut |v| {
            if let Some(j) = place(v) {
                outside[j] = outside[j].saturating_sub(1);
            }
        });
    }
    let mut reachable: Vec<bool> = (0..n).map(|i| outside[i] > 0 || is_holder(i)).collect();
    let mut work: Vec<usize> = (0..n).filter(|&i| reachable[i] && !is_holder(i)).collect();
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
    reachable
}

/// Those of the objects whose finalisers have to run; they are marked, since that happens once in an object's life (PEP 442).
pub fn take_unfinalized(garbage: &[Value]) -> Vec<Value> {
    let due = |v: &&Value| {
        v.header().is_some_and(|h| {
            // SAFETY: the table is the object's.
            let wants = h.flag(HAS_FINALIZER)
                || unsafe { h.class().vtable.needs_finalizer(h as *const Header) };
            let first = wants && !h.flag(FINALIZED);
            if first {
                h.set_flag(FINALIZED);
            }
            first
        })
    };
    garbage.iter().filter(due).cloned().collect()
}

/// Weak references to these objects are dead from now on.
pub fn clear_weak(garbage: &[Value]) {
    for v in garbage {
        if let Some(h) = v.header()
            && h.flag(HAS_WEAKREFS)
        {
            weak::clear(h);
        }
    }
    // Weak references that are garbage themselves do not call back.
    weak::forget_owners(|owner| garbage.iter().any(|v| v.bits() == owner as u64));
}

/// Takes unreachable objects apart, so that they die by their counts.
pub fn free(garbage: Vec<Value>) {
    clear_weak(&garbage);
    for v in &garbage {
        let Some(h) = v.header() else { continue };
        if let Some(attrs) = Attrs::of(h) {
            drop(attrs.take_all());
        }
        // SAFETY: only the collector knows the object now; `garbage` keeps it alive while its contents go.
        unsafe { (h.class().vtable.clear)(h as *const Header as *mut Header) };
    }
}

/// Notes a finished collection: when the next one is due depends on how much is left.
pub fn finish(generation: usize, collected: usize) {
    with_heap(|heap| {
        if heap.threshold != usize::MAX {
            heap.threshold = MIN_THRESHOLD.max(heap.tracked.len() * 2);
        }
        let stats = &mut heap.stats[generation.min(2)];
        stats.collections += 1;
        stats.collected += collected as u64;
    });
}

/// What collections of each generation have done.
pub fn stats() -> [Stats; 3] {
    with_heap(|heap| heap.stats)
}

/// Takes all tracked objects out of the collector's sight.
pub fn freeze() {
    with_heap(|heap| {
        let tracked = std::mem::take(&mut heap.tracked);
        for p in tracked {
            heap.frozen.push(p);
            // SAFETY: tracked objects are live.
            unsafe { p.as_ref() }
                .gc_index
                .set(heap.frozen.len() as u32 | FROZEN);
        }
    });
}

/// Gives the frozen objects back to the collector.
pub fn unfreeze() {
    with_heap(|heap| {
        let frozen = std::mem::take(&mut heap.frozen);
        for p in frozen {
            heap.tracked.push(p);
            // SAFETY: frozen objects are live.
            unsafe { p.as_ref() }
                .gc_index
                .set(heap.tracked.len() as u32);
        }
    });
}

/// Number of frozen objects.
pub fn frozen_count() -> usize {
    with_heap(|heap| heap.frozen.len())
}
