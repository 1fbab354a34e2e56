//! The table of weak references: which objects are watched, and by whom.

use super::{HAS_WEAKREFS, Header, with_heap};
use crate::value::Value;
use std::collections::BTreeMap;

/// The object that a weak reference refers to.
pub type Target = std::rc::Rc<std::cell::Cell<Option<std::ptr::NonNull<Header>>>>;

/// One watcher of an object: its side of the link, and the weak reference object behind it.
struct Watcher {
    target: std::rc::Weak<std::cell::Cell<Option<std::ptr::NonNull<Header>>>>,
    /// Address of the weak reference object, which lives as long as `target` has an owner.
    owner: usize,
    /// Whether that object has a callback.
    callback: bool,
}

/// Watchers by the address of the object they watch (a `BTreeMap`: its order is the same in every run).
pub(crate) struct WeakTable {
    watchers: BTreeMap<usize, Vec<Watcher>>,
    /// Owners (addresses of live weak reference objects with callbacks) whose targets have died.
    due: Vec<usize>,
}

impl WeakTable {
    pub(super) const fn new() -> Self {
        WeakTable {
            watchers: BTreeMap::new(),
            due: Vec::new(),
        }
    }
}

impl Default for WeakTable {
    fn default() -> Self {
        Self::new()
    }
}

/// Starts watching `object` on behalf of the weak reference object at address `owner`.
pub fn watch(object: &Value, owner: usize, callback: bool) -> Option<Target> {
    let header = object.header()?;
    header.set_flag(HAS_WEAKREFS);
    let address = object.address()?;
    let target = std::rc::Rc::new(std::cell::Cell::new(Some(address)));
    let watcher = Watcher {
        target: std::rc::Rc::downgrade(&target),
        owner,
        callback,
    };
    with_heap(|heap| {
        let list = heap
            .weak
            .watchers
            .entry(address.as_ptr() as usize)
            .or_default();
        // Watchers that have gone are dropped when the list would grow.
        if list.len() == list.capacity() {
            list.retain(|w| w.target.strong_count() > 0);
        }
        list.push(watcher);
    });
    Some(target)
}

/// The object behind a weak reference, while it lives.
pub fn upgrade(target: &Target) -> Option<Value> {
    let p = target.get()?;
    // SAFETY: the target is cleared before its object is freed, so `p` is live; counting up makes the count the value's own.
    unsafe {
        p.as_ref().count_up();
        Some(Value::from_bits(p.as_ptr() as usize as u64))
    }
}

/// Number of live weak references to an object.
pub fn count(object: &Value) -> usize {
    let Some(address) = object.address() else {
        return 0;
    };
    with_heap(|heap| {
        heap.weak
            .watchers
            .get(&(address.as_ptr() as usize))
            .map_or(0, |w| {
                w.iter().filter(|w| w.target.strong_count() > 0).count()
            })
    })
}

/// The live weak reference objects of an object, oldest first.
pub fn owners(object: &Value) -> Vec<Value> {
    let Some(address) = object.address() else {
        return Vec::new();
    };
    let owners: Vec<usize> = with_heap(|heap| {
        let list = heap.weak.watchers.get(&(address.as_ptr() as usize));
        list.map_or_else(Vec::new, |w| {
            w.iter()
                .filter(|w| w.target.strong_count() > 0)
                .map(|w| w.owner)
                .collect()
        })
    });
    // SAFETY: an owner lives as long as its side of the link.
    owners
        .into_iter()
        .filter(|&o| o != 0)
        .map(|o| unsafe { value_at(o) })
        .collect()
}

/// A counted value for the object at an address.
///
/// # Safety
/// A live object is there.
unsafe fn value_at(address: usize) -> Value {
    // SAFETY: by contract; counting up makes the count the value's own.
    unsafe {
        (*(address as *const Header)).count_up();
        Value::from_bits(address as u64)
    }
}

/// The object dies: its weak references are dead from now on, and callbacks are due.
pub(super) fn clear(header: &Header) {
    header.clear_flag(HAS_WEAKREFS);
    let address = header as *const Header as usize;
    let due = with_heap(|heap| {
        // The latest is called first.
        let mut callbacks = Vec::new();
        for watcher in heap
            .weak
            .watchers
            .remove(&address)
            .unwrap_or_default()
            .into_iter()
            .rev()
        {
            if let Some(target) = watcher.target.upgrade() {
                target.set(None);
                if watcher.callback {
                    callbacks.push(watcher.owner);
                }
            }
        }
        heap.weak.due.extend(callbacks);
        !heap.weak.due.is_empty()
    });
    if due {
        super::request_poll();
    }
}

/// A weak reference object with a callback dies: its callback will not run.
pub fn forget_owner(owner: usize) {
    with_heap(|heap| heap.weak.due.retain(|&o| o != owner));
}

/// As [`forget_owner`], for all owners that satisfy `gone`.
pub(super) fn forget_owners(gone: impl Fn(usize) -> bool) {
    let due = with_heap(|heap| std::mem::take(&mut heap.weak.due));
    let left: Vec<usize> = due.into_iter().filter(|&o| !gone(o)).collect();
    with_heap(|heap| heap.weak.due.extend(left));
}

/// The next weak reference object whose callback is due.
pub fn take_due() -> Option<Value> {
    with_heap(|heap| (!heap.weak.due.is_empty()).then(|| heap.weak.due.remove(0))).map(|owner| {
        // SAFETY: the objects in the list are live; a dying one forgets itself.
        unsafe { value_at(owner) }
    })
}
