//! The class `Task`: its methods and attributes.

use super::call_library;
use super::future::{self, this};
use super::state::{Future, Status, TaskState};
use super::task::{self, task_state};
use crate::heap::Ref;
use crate::names;
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use std::cell::Cell;

thread_local! {
    /// Number of the last task that was named by the machine.
    static LAST_NAME: Cell<u64> = const { Cell::new(0) };
}

/// Builds the class.
pub(super) fn class(vm: &mut Vm, future: &Ref<Type>) -> Ref<Type> {
    task::step_class(vm);
    let builder = ClassBuilder::sibling::<Future>("Task")
        .module(vm, "_asyncio")
        .base(future)
        .flags(BASE)
        .slots(Slots {
            new: Some(|_, class, _| Ok(future::new(class, true))),
            init: Some(init),
            repr: Some(|vm, v| {
                call_library(vm, "base_tasks", "_task_repr", std::slice::from_ref(v))
            }),
            ..Slots::NONE
        })
        .methods(vm, METHODS);
    attributes(vm, builder).build(vm)
}

fn init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let params = crate::params!("(coro, *, loop=None, name=None, context=None, eager_start=False)");
    let a = args.bind(vm, "Task", params, 0)?;
    future::start(vm, v, optional(&a, 1))?;
    let t = this(v).clone();
    let coro = a[0].clone();
    let is_coroutine = call_library(vm, "coroutines", "iscoroutine", std::slice::from_ref(&coro))?;
    if !vm.truthy(&is_coroutine)? {
        let shown = vm.repr(&coro)?.to_text().into_owned();
        return Err(vm.type_error(format!("a coroutine was expected, got {shown}")));
    }
    let name = match optional(&a, 2) {
        Some(name) if !name.is_none() => vm.str(name)?.to_value(),
        _ => {
            let n = LAST_NAME.with(|last| {
                last.set(last.get() + 1);
                last.get()
            });
            Str::value(&format!("Task-{n}"))
        }
    };
    let context = match optional(&a, 3) {
        Some(context) if !context.is_none() => context.clone(),
        _ => crate::modules::contextvars_core::copy_current(vm),
    };
    let eager = match optional(&a, 4) {
        Some(v) => vm.truthy(v)?,
        None => false,
    };
    let state = t.state.get_mut(vm);
    state.task = Some(Box::new(TaskState {
        coro,
        context,
        name,
        waiter: Value::NONE,
        must_cancel: false,
        cancels_requested: 0,
        log_destroy_pending: true,
        registered: 0,
    }));
    if eager {
        let event_loop = future::event_loop(vm, &t)?;
        let running = vm.call_method(&event_loop, &names::intern("is_running"), &[])?;
        if vm.truthy(&running)? {
            return task::start_eagerly(vm, &t);
        }
    }
    task::schedule_step(vm, &t, Value::UNDEF)?;
    task::register(vm, &t)
}

/// Reports a task that dies before it is done.
pub(super) fn destroyed(vm: &mut Vm, t: &Ref<Future>) -> R<()> {
    let pending = t.state.get(vm).status == Status::Pending;
    let log = task_state(vm, t)
        .is_some_and(|s| pending && std::mem::replace(&mut s.log_destroy_pending, false));
    if !log {
        return Ok(());
    }
    let message = Str::value("Task was destroyed but it is pending!");
    future::report(vm, t, &[("message", message), ("task", t.to_value())])
}

/// A task whose `__init__` has run.
fn started(vm: &mut Vm, v: &Value) -> R<Ref<Future>> {
    let t = this(v).clone();
    if t.state.get(vm).task.is_none() {
        return Err(vm.runtime_error("Task object is not initialized."));
    }
    Ok(t)
}

fn cancel(vm: &mut Vm, a: &[Value]) -> R {
    let t = started(vm, &a[0])?;
    let message = optional(a, 1).cloned().unwrap_or(Value::NONE);
    let state = t.state.get_mut(vm);
    state.log_traceback = false;
    if state.status != Status::Pending {
        return Ok(Value::FALSE);
    }
    let mut waiter = Value::NONE;
    if let Some(s) = task_state(vm, &t) {
        s.cancels_requested += 1;
        waiter = s.waiter.clone();
    }
    // What it waits for stays noted: that may be a task which ignores being cancelled and has to be told again.
    if !waiter.is_none() && task::cancel_any(vm, &waiter, message.clone())? {
        return Ok(Value::TRUE);
    }
    if let Some(s) = task_state(vm, &t) {
        s.must_cancel = true;
    }
    let old = std::mem::replace(&mut t.state.get_mut(vm).cancel_message, message);
    drop(old);
    Ok(Value::TRUE)
}

static METHODS: &[Def] = &[
    Def::method("cancel", "(self, /, msg=None)", cancel),
    Def::method("cancelling", "(self, /)", |vm, a| {
        let t = started(vm, &a[0])?;
        Ok(Value::int(
            task_state(vm, &t).map_or(0, |s| s.cancels_requested),
        ))
    }),
    Def::method("uncancel", "(self, /)", |vm, a| {
        let t = started(vm, &a[0])?;
        let mut left = 0;
        if let Some(s) = task_state(vm, &t)
            && s.cancels_requested > 0
        {
            s.cancels_requested -= 1;
            left = s.cancels_requested;
            if left == 0 {
                s.must_cancel = false;
            }
        }
        Ok(Value::int(left))
    }),
    Def::method("get_coro", "(self, /)", |vm, a| {
        let t = started(vm, &a[0])?;
        Ok(task_state(vm, &t).map_or(Value::NONE, |s| s.coro.clone()))
    }),
    Def::method("get_context", "(self, /)", |vm, a| {
        let t = started(vm, &a[0])?;
        Ok(task_state(vm, &t).map_or(Value::NONE, |s| s.context.clone()))
    }),
    Def::method("get_name", "(self, /)", |vm, a| {
        let t = started(vm, &a[0])?;
        Ok(task_state(vm, &t).map_or(Value::NONE, |s| s.name.clone()))
    }),
    Def::method("set_name", "(self, value, /)", |vm, a| {
        let t = started(vm, &a[0])?;
        let name = vm.str(&a[1])?.to_value();
        let old = task_state(vm, &t).map(|s| std::mem::replace(&mut s.name, name));
        drop(old);
        Ok(Value::NONE)
    }),
    Def::method("set_result", "(self, result, /)", |vm, _| {
        Err(vm.runtime_error("Task does not support set_result operation"))
    }),
    Def::method("set_exception", "(self, exception, /)", |vm, _| {
        Err(vm.runtime_error("Task does not support set_exception operation"))
    }),
    Def::method("get_stack", "(self, /, *, limit=None)", |vm, a| {
        let limit = optional(a, 1).cloned().unwrap_or(Value::NONE);
        call_library(vm, "base_tasks", "_task_get_stack", &[a[0].clone(), limit])
    }),
    Def::method(
        "print_stack",
        "(self, /, *, limit=None, file=None)",
        |vm, a| {
            let limit = optional(a, 1).cloned().unwrap_or(Value::NONE);
            let file = optional(a, 2).cloned().unwrap_or(Value::NONE);
            let args = [a[0].clone(), limit, file];
            call_library(vm, "base_tasks", "_task_print_stack", &args)
        },
    ),
];

fn attributes(vm: &mut Vm, builder: ClassBuilder) -> ClassBuilder {
    builder
        .getset(
            vm,
            "_log_destroy_pending",
            |vm, v| {
                let t = started(vm, v)?;
                let on = task_state(vm, &t).is_some_and(|s| s.log_destroy_pending);
                Ok(Value::bool(on))
            },
            Some(|vm, v, value| {
                let on = match value {
                    Some(value) => vm.truthy(value)?,
                    None => return Err(vm.type_error("cannot delete attribute")),
                };
                let t = started(vm, v)?;
                if let Some(s) = task_state(vm, &t) {
                    s.log_destroy_pending = on;
                }
                Ok(())
            }),
        )
        .getset(
            vm,
            "_must_cancel",
            |vm, v| {
                let t = started(vm, v)?;
                let on = task_state(vm, &t).is_some_and(|s| s.must_cancel);
                Ok(Value::bool(on))
            },
            None,
        )
        .getset(
            vm,
            "_num_cancels_requested",
            |vm, v| {
                let t = started(vm, v)?;
                let n = task_state(vm, &t).map_or(0, |s| s.cancels_requested);
                Ok(Value::int(n))
            },
            None,
        )
        .getset(
            vm,
            "_coro",
            |vm, v| {
                let t = started(vm, v)?;
                Ok(task_state(vm, &t).map_or(Value::NONE, |s| s.coro.clone()))
            },
            None,
        )
        .getset(
            vm,
            "_fut_waiter",
            |vm, v| {
                let t = started(vm, v)?;
                Ok(task_state(vm, &t).map_or(Value::NONE, |s| s.waiter.clone()))
            },
            None,
        )
}
