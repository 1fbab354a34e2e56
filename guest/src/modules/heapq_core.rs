//! `_heapq`: heaps in lists. Smallest first, and (3.14) largest first.
//!
//! The sifting goes to the bottom first and then up again, as the documentation of `heapq` explains; it needs fewer comparisons, and programs see the same
//! order of items as in CPython.

use crate::heap::Ref;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(
        vm,
        "_heapq",
        "Heap queue algorithm (a.k.a. priority queue).",
        FUNCTIONS,
    )
}

static FUNCTIONS: &[Def] = &[
    Def::function("heappush", "(heap, item, /)", |vm, args| {
        push::<false>(vm, args, "heappush")
    }),
    Def::function("heappop", "(heap, /)", |vm, args| {
        pop::<false>(vm, args, "heappop")
    }),
    Def::function("heapreplace", "(heap, item, /)", |vm, args| {
        replace::<false>(vm, args, "heapreplace")
    }),
    Def::function("heappushpop", "(heap, item, /)", |vm, args| {
        push_pop::<false>(vm, args, "heappushpop")
    }),
    Def::function("heapify", "(heap, /)", |vm, args| {
        heapify::<false>(vm, args, "heapify")
    }),
    Def::function("heappush_max", "(heap, item, /)", |vm, args| {
        push::<true>(vm, args, "heappush_max")
    }),
    Def::function("heappop_max", "(heap, /)", |vm, args| {
        pop::<true>(vm, args, "heappop_max")
    }),
    Def::function("heapreplace_max", "(heap, item, /)", |vm, args| {
        replace::<true>(vm, args, "heapreplace_max")
    }),
    Def::function("heappushpop_max", "(heap, item, /)", |vm, args| {
        push_pop::<true>(vm, args, "heappushpop_max")
    }),
    Def::function("heapify_max", "(heap, /)", |vm, args| {
        heapify::<true>(vm, args, "heapify_max")
    }),
    // The names that other modules use privately.
    Def::function("_heappop_max", "(heap, /)", |vm, args| {
        pop::<true>(vm, args, "_heappop_max")
    }),
    Def::function("_heapreplace_max", "(heap, item, /)", |vm, args| {
        replace::<true>(vm, args, "_heapreplace_max")
    }),
    Def::function("_heapify_max", "(heap, /)", |vm, args| {
        heapify::<true>(vm, args, "_heapify_max")
    }),
];

fn heap_of<'a>(vm: &mut Vm, args: &'a [Value], function: &str) -> R<&'a Ref<List>> {
    match args[0].as_ref::<List>() {
        Some(list) => Ok(list),
        None if args.len() > 1 => Err(vm.type_error(format!(
            "{function}() argument 1 must be list, not {}",
            class_of(&args[0]).name()
        ))),
        None => Err(vm.type_error(format!(
            "{function}() argument must be list, not {}",
            class_of(&args[0]).name()
        ))),
    }
}

/// Whether `a` belongs before `b`.
#[inline(always)]
fn before<const MAX: bool>(vm: &mut Vm, a: &Value, b: &Value) -> R<bool> {
    if MAX { vm.lt(b, a) } else { vm.lt(a, b) }
}

/// Whether the item at place `i` belongs before the one at `j`. An error when a comparison changes the list's length.
#[inline]
fn places_before<const MAX: bool>(vm: &mut Vm, heap: &Ref<List>, i: usize, j: usize) -> R<bool> {
    let items = heap.items.get(vm);
    let (a, b) = (&items[i], &items[j]);
    if Value::both_small_int(a, b) {
        let (a, b) = (a.small_int_unchecked(), b.small_int_unchecked());
        return Ok(if MAX { b < a } else { a < b });
    }
    let (a, b, len) = (a.clone(), b.clone(), items.len());
    let answer = before::<MAX>(vm, &a, &b)?;
    if heap.len(vm) != len {
        return Err(vm.runtime_error("list changed size during iteration"));
    }
    Ok(answer)
}

/// Moves the item at `at` up to where it belongs, not above `top`.
fn sift_up<const MAX: bool>(vm: &mut Vm, heap: &Ref<List>, top: usize, mut at: usize) -> R<()> {
    if at >= heap.len(vm) {
        return Err(vm.index_error("index out of range"));
    }
    while at > top {
        let parent = (at - 1) / 2;
        if !places_before::<MAX>(vm, heap, at, parent)? {
            break;
        }
        heap.items.get_mut(vm).swap(at, parent);
        at = parent;
    }
    Ok(())
}

/// Moves the item at `top` down: the better child goes up until there is none, then the item rises to its place.
fn sift_down<const MAX: bool>(vm: &mut Vm, heap: &Ref<List>, top: usize) -> R<()> {
    let end = heap.len(vm);
    if top >= end {
        return Err(vm.index_error("index out of range"));
    }
    let mut at = top;
    let inner = end / 2;
    while at < inner {
        let mut child = 2 * at + 1;
        if child + 1 < end && !places_before::<MAX>(vm, heap, child, child + 1)? {
            child += 1;
        }
        heap.items.get_mut(vm).swap(at, child);
        at = child;
    }
    sift_up::<MAX>(vm, heap, top, at)
}

fn push<const MAX: bool>(vm: &mut Vm, args: &[Value], function: &str) -> R {
    let heap = heap_of(vm, args, function)?;
    heap.push(vm, args[1].clone())?;
    let last = heap.len(vm) - 1;
    sift_up::<MAX>(vm, heap, 0, last)?;
    Ok(Value::NONE)
}

fn pop<const MAX: bool>(vm: &mut Vm, args: &[Value], function: &str) -> R {
    let heap = heap_of(vm, args, function)?;
    let items = heap.items.get_mut(vm);
    let Some(last) = items.pop() else {
        return Err(vm.index_error("index out of range"));
    };
    let Some(first) = items.first_mut() else {
        return Ok(last);
    };
    let top = std::mem::replace(first, last);
    sift_down::<MAX>(vm, heap, 0)?;
    Ok(top)
}

fn replace<const MAX: bool>(vm: &mut Vm, args: &[Value], function: &str) -> R {
    let heap = heap_of(vm, args, function)?;
    let Some(first) = heap.items.get_mut(vm).first_mut() else {
        return Err(vm.index_error("index out of range"));
    };
    let top = std::mem::replace(first, args[1].clone());
    sift_down::<MAX>(vm, heap, 0)?;
    Ok(top)
}

fn push_pop<const MAX: bool>(vm: &mut Vm, args: &[Value], function: &str) -> R {
    let heap = heap_of(vm, args, function)?;
    let Some(first) = heap.get(vm, 0) else {
        return Ok(args[1].clone());
    };
    if !before::<MAX>(vm, &first, &args[1])? {
        return Ok(args[1].clone());
    }
    let Some(first) = heap.items.get_mut(vm).first_mut() else {
        return Err(vm.index_error("index out of range"));
    };
    let top = std::mem::replace(first, args[1].clone());
    sift_down::<MAX>(vm, heap, 0)?;
    Ok(top)
}

fn heapify<const MAX: bool>(vm: &mut Vm, args: &[Value], function: &str) -> R {
    let heap = heap_of(vm, args, function)?;
    for at in (0..heap.len(vm) / 2).rev() {
        sift_down::<MAX>(vm, heap, at)?;
    }
    Ok(Value::NONE)
}
