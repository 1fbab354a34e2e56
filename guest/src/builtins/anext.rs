//! `anext(iterator, default)`: an awaitable that gives the default where the iterator ends.

use crate::class_slot;
use crate::heap::{self, Payload, VmCell};
use crate::names::Names;
use crate::objects::exception::Exc;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::generators::Resumed;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Payload of `anext_awaitable`.
pub struct AnextAwaitable {
    /// What `__anext__` gave.
    awaitable: Value,
    /// The iterator of it, or `UNDEF` before the first step.
    iterator: VmCell<Value>,
    default: Value,
}

// SAFETY: visits every value held.
unsafe impl Payload for AnextAwaitable {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.awaitable);
        visit(&self.default);
        // SAFETY: the collector runs while no borrow of any payload lives.
        visit(unsafe { self.iterator.peek() });
    }
}

/// Builds the class.
pub(super) fn init(vm: &mut Vm) {
    ClassBuilder::new::<AnextAwaitable>("anext_awaitable")
        .slots(Slots {
            iter: Some(|_, v| Ok(v.clone())),
            next: Some(|vm, v| send(vm, v, Value::NONE)),
            ..Slots::NONE
        })
        .methods(vm, METHODS)
        .build(vm);
}

/// `aiter(iterable)`
pub(crate) fn aiter(vm: &mut Vm, args: &[Value]) -> R {
    let n = Names::get();
    let Some(iterator) = vm.call_special_opt(&args[0], &n.__aiter__, &[])? else {
        let class = class_of(&args[0]).name().into_owned();
        return Err(vm.type_error(format!("'{class}' object is not an async iterable")));
    };
    if vm.type_lookup(class_of(&iterator), &n.__anext__).is_none() {
        let class = class_of(&iterator).name().into_owned();
        return Err(vm.type_error(format!(
            "aiter() returned not an async iterator of type '{class}'"
        )));
    }
    Ok(iterator)
}

/// `anext(iterator[, default])`
pub(crate) fn anext(vm: &mut Vm, args: &[Value]) -> R {
    let iterator = &args[0];
    let name = &Names::get().__anext__;
    let Some(awaitable) = vm.call_special_opt(iterator, name, &[])? else {
        let class = class_of(iterator).name().into_owned();
        return Err(vm.type_error(format!("'{class}' object is not an async iterator")));
    };
    Ok(match args.get(1) {
        None => awaitable,
        Some(default) => Value::from_ref(heap::alloc(AnextAwaitable {
            awaitable,
            iterator: VmCell::new(Value::UNDEF),
            default: default.clone(),
        })),
    })
}

fn iterator(vm: &mut Vm, v: &Value) -> R {
    let me = receiver::<AnextAwaitable>(v).clone();
    let known = me.iterator.get(vm).clone();
    if !known.is_undef() {
        return Ok(known);
    }
    let iterator = vm.get_awaitable(&me.awaitable, 0)?;
    drop(me.iterator.replace(vm, iterator.clone()));
    Ok(iterator)
}

/// The end of the asynchronous iterator is the default, as the value of the end of this one.
fn translate(vm: &mut Vm, v: &Value, result: R) -> R {
    match result {
        Err(_) if vm.error_is(Exc::StopAsyncIteration) => {
            vm.take_error();
            let default = receiver::<AnextAwaitable>(v).default.clone();
            Err(vm.stop_iteration(default))
        }
        other => other,
    }
}

fn send(vm: &mut Vm, v: &Value, value: Value) -> R {
    let iterator = iterator(vm, v)?;
    let result = match vm.send_to(&iterator, value) {
        Ok(Resumed::Yielded(v)) => Ok(v),
        Ok(Resumed::Returned(v)) => Err(vm.stop_iteration(v)),
        Err(raised) => Err(raised),
    };
    translate(vm, v, result)
}

static METHODS: &[Def] = &[
    Def::method("__await__", "(self, /)", |_, a| Ok(a[0].clone())),
    Def::method("send", "(self, value, /)", |vm, a| {
        send(vm, &a[0], a[1].clone())
    }),
    Def::method(
        "throw",
        "(self, type, value=None, traceback=None, /)",
        |vm, a| {
            let iterator = iterator(vm, &a[0])?;
            let result = vm.call_method(&iterator, &Names::get().throw, &a[1..]);
            translate(vm, &a[0], result)
        },
    ),
    Def::method("close", "(self, /)", |vm, a| {
        let iterator = iterator(vm, &a[0])?;
        vm.call_method(&iterator, &Names::get().close, &[])
    }),
];
