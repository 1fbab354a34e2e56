//! `groupby`.

use super::bind;
use super::payload::{advance, payload, put};
use crate::builtins::iterators::{iterator, pair};
use crate::heap::{self, Ref};
use crate::objects::native::receiver;
use crate::objects::slots::Slots;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::{Cell, RefCell};

/// Makes the classes.
pub(super) fn classes(vm: &mut Vm, out: &mut Vec<Ref<Type>>) {
    let slots = Slots {
        new: Some(groupby_new),
        ..iterator(groupby_next)
    };
    out.push(
        ClassBuilder::new::<GroupBy>("groupby")
            .flags(BASE)
            .slots(slots)
            .module(vm, "itertools")
            .build(vm),
    );
    let slots = Slots {
        new: Some(group_new),
        ..iterator(group_next)
    };
    out.push(
        ClassBuilder::new::<Group>("_grouper")
            .slots(slots)
            .module(vm, "itertools")
            .build(vm),
    );
}

payload! {
    /// Payload of `groupby`.
    GroupBy {
        source: RefCell<Option<Value>>,
        function: Value,
        /// Key of the group that was given last.
        target: RefCell<Option<Value>>,
        /// The item that was read last, with its key; the item goes to the group that asks first.
        key: RefCell<Option<Value>>,
        item: RefCell<Option<Value>>,
        /// Number of the group that may still read.
        serial: Cell<u64>,
    }
}

payload! {
    /// Payload of `_grouper`: one group.
    Group {
        parent: Ref<GroupBy>,
        key: Value,
        serial: u64,
    }
}

fn groupby_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = bind(vm, args, "groupby", crate::params!("(iterable, key=None)"))?;
    let source = vm.get_iter(&bound[0])?;
    let payload = GroupBy {
        source: RefCell::new(Some(source)),
        function: optional(&bound, 1).cloned().unwrap_or(Value::NONE),
        target: RefCell::new(None),
        key: RefCell::new(None),
        item: RefCell::new(None),
        serial: Cell::new(0),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

/// Reads the next item and calculates its key; false at the end.
fn step(vm: &mut Vm, g: &GroupBy) -> R<bool> {
    let Some(item) = advance(vm, &g.source)? else {
        return Ok(false);
    };
    let key = if g.function.is_none() {
        item.clone()
    } else {
        vm.call(&g.function, std::slice::from_ref(&item))?
    };
    put(&g.item, Some(item));
    put(&g.key, Some(key));
    Ok(true)
}

fn groupby_next(vm: &mut Vm, v: &Value) -> R {
    let g = receiver::<GroupBy>(v);
    g.serial.set(g.serial.get() + 1);
    // Skip what is left of the last group.
    let key = loop {
        let (key, target) = (g.key.borrow().clone(), g.target.borrow().clone());
        match (key, target) {
            (Some(key), None) => break key,
            (Some(key), Some(target)) if !vm.eq(&target, &key)? => break key,
            _ => {}
        }
        vm.poll_native()?;
        if !step(vm, g)? {
            return Ok(Value::UNDEF);
        }
    };
    put(&g.target, Some(key.clone()));
    let group = Group {
        parent: g.clone(),
        key: key.clone(),
        serial: g.serial.get(),
    };
    Ok(pair(key, Value::from_ref(heap::alloc(group))))
}

fn group_new(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    let args = args.exactly(vm, "_grouper", 2, 2)?;
    match args[0].as_ref::<GroupBy>() {
        Some(g) => {
            g.serial.set(g.serial.get() + 1);
            Ok(Value::from_ref(heap::alloc(Group {
                parent: g.clone(),
                key: args[1].clone(),
                serial: g.serial.get(),
            })))
        }
        None => Err(vm.type_error(format!(
            "_grouper() argument 1 must be itertools.groupby, not {}",
            class_of(&args[0]).name()
        ))),
    }
}

fn group_next(vm: &mut Vm, v: &Value) -> R {
    let group = receiver::<Group>(v);
    let g = &group.parent;
    if g.serial.get() != group.serial {
        return Ok(Value::UNDEF);
    }
    let waiting = g.item.borrow().is_some();
    if !waiting && !step(vm, g)? {
        return Ok(Value::UNDEF);
    }
    let Some(key) = g.key.borrow().clone() else {
        return Ok(Value::UNDEF);
    };
    if !vm.eq(&group.key, &key)? {
        return Ok(Value::UNDEF);
    }
    let item = g.item.borrow_mut().take();
    Ok(item.unwrap_or(Value::UNDEF))
}
