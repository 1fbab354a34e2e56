//! `_asyncio`: futures, tasks, and which loop and task run. The loop itself is Python (`asyncio.base_events`).
//!
//! [`future`] is the class `Future`, [`task`] the class `Task` and how a coroutine is stepped. A task is a future with one more part, so both have the same payload.

mod future;
mod state;
mod task;
mod task_methods;

use crate::heap::Ref;
use crate::names;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::value::Value;
use crate::vm::{R, Vm};

/// Calls `asyncio.<module>.<function>(*args)`.
fn call_library(vm: &mut Vm, module: &str, function: &str, args: &[Value]) -> R {
    let f = library(vm, module, function)?;
    vm.call(&f, args)
}

/// `asyncio.<module>.<name>`
fn library(vm: &mut Vm, module: &str, name: &str) -> R {
    let module = vm.import_module(&format!("asyncio.{module}"))?;
    vm.get_attr(&module, &names::intern(name).to_value())
}

/// The loop given, or else the current one.
fn loop_or_current(vm: &mut Vm, given: Option<&Value>) -> R {
    match given {
        Some(v) if !v.is_none() => Ok(v.clone()),
        _ => {
            let running = vm.threads.current.running_loop.clone();
            if running.is_none() {
                call_library(vm, "events", "get_event_loop", &[])
            } else {
                Ok(running)
            }
        }
    }
}

static FUNCTIONS: &[Def] = &[
    Def::function("_get_running_loop", "()", |vm, _| {
        Ok(vm.threads.current.running_loop.clone())
    }),
    Def::function("_set_running_loop", "(loop, /)", |vm, a| {
        vm.threads.current.running_loop = a[0].clone();
        Ok(Value::NONE)
    }),
    Def::function("get_running_loop", "()", |vm, _| {
        let running = vm.threads.current.running_loop.clone();
        if running.is_none() {
            return Err(vm.runtime_error("no running event loop"));
        }
        Ok(running)
    }),
    Def::function("get_event_loop", "()", |vm, _| {
        let running = vm.threads.current.running_loop.clone();
        if !running.is_none() {
            return Ok(running);
        }
        let policy = call_library(vm, "events", "_get_event_loop_policy", &[])?;
        vm.call_method(&policy, &names::intern("get_event_loop"), &[])
    }),
];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(vm, "_asyncio", "Accelerator module for asyncio", FUNCTIONS);
    let future = future::class(vm);
    let task = task_methods::class(vm, &future);
    m.set(vm, "Future", future.to_value());
    m.set(vm, "Task", task.to_value());
    for def in future::FUNCTIONS.iter().chain(task::FUNCTIONS) {
        let module = names::intern("_asyncio").to_value();
        let f = crate::objects::native::Native::function(def, module);
        m.set(vm, def.name, f);
    }
    m
}
