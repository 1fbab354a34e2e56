//! `compress`, `dropwhile`, `takewhile`, `filterfalse` and `starmap`.

use super::payload::payload;
use super::{bind, two};
use crate::builtins::iterators::iterator;
use crate::heap::{self, Ref};
use crate::objects::native::receiver;
use crate::objects::slots::Slots;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::{R, Vm};
use std::cell::Cell;

/// Makes the classes.
pub(super) fn classes(vm: &mut Vm, out: &mut Vec<Ref<Type>>) {
    macro_rules! class {
        ($payload:ty, $name:literal, $new:expr, $next:expr) => {
            let slots = Slots {
                new: Some($new),
                ..iterator($next)
            };
            out.push(
                ClassBuilder::new::<$payload>($name)
                    .flags(BASE)
                    .slots(slots)
                    .module(vm, "itertools")
                    .build(vm),
            );
        };
    }
    class!(
        Compress,
        "compress",
        |vm, class, args| {
            let bound = bind(vm, args, "compress", crate::params!("(data, selectors)"))?;
            let data = vm.get_iter(&bound[0])?;
            let selectors = vm.get_iter(&bound[1])?;
            Ok(Value::from_ref(heap::alloc_instance(
                Compress { data, selectors },
                class,
                0,
            )))
        },
        compress_next
    );
    class!(
        DropWhile,
        "dropwhile",
        |vm, class, args| {
            let (predicate, iterable) = two(vm, class, args, "dropwhile")?;
            let source = vm.get_iter(iterable)?;
            Ok(Value::from_ref(heap::alloc_instance(
                DropWhile {
                    predicate: predicate.clone(),
                    source,
                    started: Cell::new(false),
                },
                class,
                0,
            )))
        },
        dropwhile_next
    );
    class!(
        TakeWhile,
        "takewhile",
        |vm, class, args| {
            let (predicate, iterable) = two(vm, class, args, "takewhile")?;
            let source = vm.get_iter(iterable)?;
            Ok(Value::from_ref(heap::alloc_instance(
                TakeWhile {
                    predicate: predicate.clone(),
                    source,
                    done: Cell::new(false),
                },
                class,
                0,
            )))
        },
        takewhile_next
    );
    class!(
        FilterFalse,
        "filterfalse",
        |vm, class, args| {
            let (predicate, iterable) = two(vm, class, args, "filterfalse")?;
            let source = vm.get_iter(iterable)?;
            Ok(Value::from_ref(heap::alloc_instance(
                FilterFalse {
                    predicate: predicate.clone(),
                    source,
                },
                class,
                0,
            )))
        },
        filterfalse_next
    );
    class!(
        StarMap,
        "starmap",
        |vm, class, args| {
            let (function, iterable) = two(vm, class, args, "starmap")?;
            let source = vm.get_iter(iterable)?;
            Ok(Value::from_ref(heap::alloc_instance(
                StarMap {
                    function: function.clone(),
                    source,
                },
                class,
                0,
            )))
        },
        starmap_next
    );
}

payload! {
    /// Payload of `compress`.
    Compress {
        data: Value,
        selectors: Value,
    }
}

fn compress_next(vm: &mut Vm, v: &Value) -> R {
    let c = receiver::<Compress>(v);
    loop {
        let Some(item) = vm.step(&c.data)? else {
            return Ok(Value::UNDEF);
        };
        let Some(selector) = vm.step(&c.selectors)? else {
            return Ok(Value::UNDEF);
        };
        if vm.truthy(&selector)? {
            return Ok(item);
        }
        vm.poll_native()?;
    }
}

/// The truth of `predicate(item)`.
fn holds(vm: &mut Vm, predicate: &Value, item: &Value) -> R<bool> {
    let answer = vm.call(predicate, std::slice::from_ref(item))?;
    vm.truthy(&answer)
}

payload! {
    /// Payload of `dropwhile`.
    DropWhile {
        predicate: Value,
        source: Value,
        started: Cell<bool>,
    }
}

fn dropwhile_next(vm: &mut Vm, v: &Value) -> R {
    let d = receiver::<DropWhile>(v);
    while let Some(item) = vm.step(&d.source)? {
        if d.started.get() || !holds(vm, &d.predicate, &item)? {
            d.started.set(true);
            return Ok(item);
        }
        vm.poll_native()?;
    }
    Ok(Value::UNDEF)
}

payload! {
    /// Payload of `takewhile`.
    TakeWhile {
        predicate: Value,
        source: Value,
        done: Cell<bool>,
    }
}

fn takewhile_next(vm: &mut Vm, v: &Value) -> R {
    let t = receiver::<TakeWhile>(v);
    if t.done.get() {
        return Ok(Value::UNDEF);
    }
    let Some(item) = vm.step(&t.source)? else {
        return Ok(Value::UNDEF);
    };
    if holds(vm, &t.predicate, &item)? {
        return Ok(item);
    }
    t.done.set(true);
    Ok(Value::UNDEF)
}

payload! {
    /// Payload of `filterfalse`.
    FilterFalse {
        predicate: Value,
        source: Value,
    }
}

fn filterfalse_next(vm: &mut Vm, v: &Value) -> R {
    let f = receiver::<FilterFalse>(v);
    while let Some(item) = vm.step(&f.source)? {
        let truth = if f.predicate.is_none() {
            vm.truthy(&item)?
        } else {
            holds(vm, &f.predicate, &item)?
        };
        if !truth {
            return Ok(item);
        }
        vm.poll_native()?;
    }
    Ok(Value::UNDEF)
}

payload! {
    /// Payload of `starmap`.
    StarMap {
        function: Value,
        source: Value,
    }
}

fn starmap_next(vm: &mut Vm, v: &Value) -> R {
    let s = receiver::<StarMap>(v);
    let Some(args) = vm.step(&s.source)? else {
        return Ok(Value::UNDEF);
    };
    if let Some(t) = args.as_exact::<Tuple>() {
        return vm.call(&s.function, t.items());
    }
    let args = vm.collect(&args)?;
    vm.call(&s.function, &args)
}
