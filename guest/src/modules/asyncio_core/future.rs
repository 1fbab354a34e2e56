//! The class `Future`.

use super::state::{Future, FutureIter, FutureState, Status};
use super::{call_library, library, loop_or_current};
use crate::heap::{self, Ref, VmCell};
use crate::names::{self, Names};
use crate::objects::dict::Dict;
use crate::objects::exception::{Exc, Exception};
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::set::FrozenSet;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Builds the classes.
pub(super) fn class(vm: &mut Vm) -> Ref<Type> {
    ClassBuilder::new::<FutureIter>("FutureIter")
        .module(vm, "_asyncio")
        .slots(Slots {
            iter: Some(|_, v| Ok(v.clone())),
            next: Some(iter_next),
            ..Slots::NONE
        })
        .methods(vm, ITER_METHODS)
        .build(vm);
    let builder = ClassBuilder::new::<Future>("Future")
        .module(vm, "_asyncio")
        .flags(BASE)
        .attrs(0)
        .weak()
        .slots(Slots {
            new: Some(|_, class, _| Ok(new(class, false))),
            init: Some(init),
            repr: Some(|vm, v| {
                call_library(vm, "base_futures", "_future_repr", std::slice::from_ref(v))
            }),
            iter: Some(iterate),
            del: Some(finalize),
            ..Slots::NONE
        })
        .methods(vm, METHODS);
    attributes(vm, builder).build(vm)
}

pub(super) fn new(class: &Ref<Type>, is_task: bool) -> Value {
    let payload = Future {
        state: VmCell::new(FutureState::new()),
        is_task,
    };
    Value::from_ref(heap::alloc_instance(payload, class, 0))
}

pub(super) fn this(v: &Value) -> &Ref<Future> {
    receiver::<Future>(v)
}

fn init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let params = crate::params!("(*, loop=None)");
    let a = args.bind(vm, "Future", params, 0)?;
    start(vm, v, optional(&a, 0))
}

/// The part of `__init__` that tasks share.
pub(super) fn start(vm: &mut Vm, v: &Value, event_loop: Option<&Value>) -> R<()> {
    let event_loop = loop_or_current(vm, event_loop)?;
    let debug = vm.call_method(&event_loop, &names::intern("get_debug"), &[])?;
    let source = if vm.truthy(&debug)? {
        let sys = vm.import_module("sys")?;
        let frame = vm.call_method(&sys, &names::intern("_getframe"), &[])?;
        call_library(vm, "format_helpers", "extract_stack", &[frame])?
    } else {
        Value::NONE
    };
    let mut state = FutureState::new();
    state.event_loop = event_loop;
    state.source_traceback = source;
    drop(this(v).state.replace(vm, state));
    Ok(())
}

/// The loop; an error when `__init__` was not called.
pub(super) fn event_loop(vm: &mut Vm, f: &Ref<Future>) -> R {
    let event_loop = f.state.get(vm).event_loop.clone();
    if event_loop.is_undef() {
        return Err(vm.runtime_error("Future object is not initialized."));
    }
    Ok(event_loop)
}

/// `loop.call_soon(callback, *args, context=context)`
pub(super) fn call_soon(
    vm: &mut Vm,
    event_loop: &Value,
    callback: Value,
    arg: Option<Value>,
    context: Value,
) -> R<()> {
    let f = vm.get_attr(event_loop, &names::intern("call_soon").to_value())?;
    let mut values = vec![callback];
    values.extend(arg);
    values.push(context);
    let keywords = [names::intern("context").to_value()];
    vm.call_args(&f, Args::new(&values, &keywords))?;
    Ok(())
}

fn schedule_callbacks(vm: &mut Vm, f: &Ref<Future>) -> R<()> {
    let callbacks = std::mem::take(&mut f.state.get_mut(vm).callbacks);
    if callbacks.is_empty() {
        return Ok(());
    }
    let event_loop = event_loop(vm, f)?;
    for (callback, context) in callbacks {
        call_soon(vm, &event_loop, callback, Some(f.to_value()), context)?;
    }
    Ok(())
}

/// Makes the future done.
fn settle(vm: &mut Vm, f: &Ref<Future>, status: Status) -> R<()> {
    f.state.get_mut(vm).status = status;
    super::task::forget(vm, f);
    schedule_callbacks(vm, f)
}

fn invalid_state(vm: &mut Vm, text: &str) -> crate::vm::Raised {
    match library(vm, "exceptions", "InvalidStateError") {
        Ok(class) => match vm.call(&class, &[Str::value(text)]) {
            Ok(e) => vm.raise_value(e),
            Err(raised) => raised,
        },
        Err(raised) => raised,
    }
}

fn check_pending(vm: &mut Vm, f: &Ref<Future>) -> R<()> {
    event_loop(vm, f)?;
    if f.state.get(vm).status != Status::Pending {
        return Err(invalid_state(vm, "invalid state"));
    }
    Ok(())
}

pub(super) fn set_result(vm: &mut Vm, f: &Ref<Future>, value: Value) -> R<()> {
    check_pending(vm, f)?;
    drop(std::mem::replace(&mut f.state.get_mut(vm).result, value));
    settle(vm, f, Status::Finished)
}

pub(super) fn set_exception(vm: &mut Vm, f: &Ref<Future>, given: &Value) -> R<()> {
    check_pending(vm, f)?;
    let mut e = if given.is::<Type>() {
        vm.call(given, &[])?
    } else {
        given.clone()
    };
    if !e.is::<Exception>() {
        return Err(vm.type_error("invalid exception object"));
    }
    if vm.is_instance_of(&e, Exc::StopIteration.class()) {
        let _ = vm.runtime_error(
            "StopIteration interacts badly with generators and cannot be raised into a Future",
        );
        let wrapped = vm.take_error();
        if let Some(w) = wrapped.as_ref::<Exception>() {
            let state = w.state.get_mut(vm);
            state.cause = Some(e.clone());
            state.context = Some(e);
            state.suppress_context = true;
        }
        e = wrapped;
    }
    let traceback = crate::builtins::tracebacks::get(vm, &e)?;
    let state = f.state.get_mut(vm);
    state.exception = e;
    state.exception_tb = traceback;
    settle(vm, f, Status::Finished)?;
    f.state.get_mut(vm).log_traceback = true;
    Ok(())
}

/// `Future.cancel`
pub(super) fn cancel(vm: &mut Vm, f: &Ref<Future>, message: Value) -> R<bool> {
    let state = f.state.get_mut(vm);
    state.log_traceback = false;
    if state.status != Status::Pending {
        return Ok(false);
    }
    let old = std::mem::replace(&mut state.cancel_message, message);
    drop(old);
    settle(vm, f, Status::Cancelled)?;
    Ok(true)
}

pub(super) fn cancelled_error(vm: &mut Vm, f: &Ref<Future>) -> R {
    let state = f.state.get_mut(vm);
    let saved = std::mem::replace(&mut state.cancelled_exc, Value::NONE);
    if !saved.is_none() {
        return Ok(saved);
    }
    let message = state.cancel_message.clone();
    let class = library(vm, "exceptions", "CancelledError")?;
    if message.is_none() {
        vm.call(&class, &[])
    } else {
        vm.call(&class, &[message])
    }
}

/// The result, or the exception raised.
pub(super) fn result(vm: &mut Vm, f: &Ref<Future>) -> R {
    match f.state.get(vm).status {
        Status::Pending => Err(invalid_state(vm, "Result is not set.")),
        Status::Cancelled => {
            let e = cancelled_error(vm, f)?;
            Err(vm.raise_value(e))
        }
        Status::Finished => {
            let state = f.state.get_mut(vm);
            state.log_traceback = false;
            if state.exception.is_none() {
                return Ok(state.result.clone());
            }
            let (e, traceback) = (state.exception.clone(), state.exception_tb.clone());
            crate::builtins::tracebacks::set(vm, &e, Some(&traceback))?;
            Err(vm.raise_value(e))
        }
    }
}

pub(super) fn add_callback(
    vm: &mut Vm,
    f: &Ref<Future>,
    callback: Value,
    context: Option<Value>,
) -> R<()> {
    let event_loop = event_loop(vm, f)?;
    let context = match context {
        Some(c) if !c.is_none() => c,
        _ => crate::modules::contextvars_core::copy_current(vm),
    };
    if f.state.get(vm).status == Status::Pending {
        f.state.get_mut(vm).callbacks.push((callback, context));
        return Ok(());
    }
    call_soon(vm, &event_loop, callback, Some(f.to_value()), context)
}

static METHODS: &[Def] = &[
    Def::method("result", "(self, /)", |vm, a| result(vm, this(&a[0]))),
    Def::method("exception", "(self, /)", |vm, a| {
        let f = this(&a[0]);
        match f.state.get(vm).status {
            Status::Pending => Err(invalid_state(vm, "Exception is not set.")),
            Status::Cancelled => {
                let e = cancelled_error(vm, f)?;
                Err(vm.raise_value(e))
            }
            Status::Finished => {
                let state = f.state.get_mut(vm);
                state.log_traceback = false;
                Ok(state.exception.clone())
            }
        }
    }),
    Def::method("set_result", "(self, result, /)", |vm, a| {
        set_result(vm, this(&a[0]), a[1].clone())?;
        Ok(Value::NONE)
    }),
    Def::method("set_exception", "(self, exception, /)", |vm, a| {
        set_exception(vm, this(&a[0]), &a[1])?;
        Ok(Value::NONE)
    }),
    Def::method(
        "add_done_callback",
        "(self, fn, /, *, context=None)",
        |vm, a| {
            let context = optional(a, 2).cloned();
            add_callback(vm, this(&a[0]), a[1].clone(), context)?;
            Ok(Value::NONE)
        },
    ),
    Def::method("remove_done_callback", "(self, fn, /)", |vm, a| {
        let f = this(&a[0]);
        let callbacks = f.state.get(vm).callbacks.clone();
        let mut kept = Vec::with_capacity(callbacks.len());
        let before = callbacks.len();
        for (callback, context) in callbacks {
            if !callback.is_same(&a[1]) && !vm.eq(&callback, &a[1])? {
                kept.push((callback, context));
            }
        }
        let removed = before - kept.len();
        drop(std::mem::replace(&mut f.state.get_mut(vm).callbacks, kept));
        Ok(Value::int(removed as i64))
    }),
    Def::method("cancel", "(self, /, msg=None)", |vm, a| {
        let message = optional(a, 1).cloned().unwrap_or(Value::NONE);
        let f = this(&a[0]).clone();
        event_loop(vm, &f)?;
        cancel(vm, &f, message).map(Value::bool)
    }),
    Def::method("cancelled", "(self, /)", |vm, a| {
        Ok(Value::bool(
            this(&a[0]).state.get(vm).status == Status::Cancelled,
        ))
    }),
    Def::method("done", "(self, /)", |vm, a| {
        Ok(Value::bool(
            this(&a[0]).state.get(vm).status != Status::Pending,
        ))
    }),
    Def::method("get_loop", "(self, /)", |vm, a| event_loop(vm, this(&a[0]))),
    Def::method("_make_cancelled_error", "(self, /)", |vm, a| {
        cancelled_error(vm, this(&a[0]))
    }),
    Def::method("__await__", "(self, /)", |vm, a| iterate(vm, &a[0])),
    Def::class_method(
        "__class_getitem__",
        "(cls, object, /)",
        crate::builtins::iterators::class_getitem,
    ),
];

fn attributes(vm: &mut Vm, builder: ClassBuilder) -> ClassBuilder {
    builder
        .getset(
            vm,
            "_state",
            |vm, v| {
                Ok(Str::value(match this(v).state.get(vm).status {
                    Status::Pending => "PENDING",
                    Status::Cancelled => "CANCELLED",
                    Status::Finished => "FINISHED",
                }))
            },
            None,
        )
        .getset(
            vm,
            "_asyncio_future_blocking",
            |vm, v| Ok(Value::bool(this(v).state.get(vm).blocking)),
            Some(|vm, v, value| {
                let on = match value {
                    Some(value) => vm.truthy(value)?,
                    None => return Err(vm.type_error("cannot delete attribute")),
                };
                this(v).state.get_mut(vm).blocking = on;
                Ok(())
            }),
        )
        .getset(
            vm,
            "_loop",
            |vm, v| {
                let event_loop = this(v).state.get(vm).event_loop.clone();
                Ok(if event_loop.is_undef() {
                    Value::NONE
                } else {
                    event_loop
                })
            },
            None,
        )
        .getset(
            vm,
            "_callbacks",
            |vm, v| {
                let callbacks = this(v).state.get(vm).callbacks.clone();
                if callbacks.is_empty() {
                    return Ok(Value::NONE);
                }
                let pairs = callbacks
                    .into_iter()
                    .map(|(f, context)| Tuple::value(vec![f, context]));
                Ok(List::value(pairs.collect()))
            },
            None,
        )
        .getset(
            vm,
            "_result",
            |vm, v| Ok(this(v).state.get(vm).result.clone()),
            None,
        )
        .getset(
            vm,
            "_exception",
            |vm, v| Ok(this(v).state.get(vm).exception.clone()),
            None,
        )
        .getset(
            vm,
            "_source_traceback",
            |vm, v| Ok(this(v).state.get(vm).source_traceback.clone()),
            None,
        )
        .getset(
            vm,
            "_cancel_message",
            |vm, v| Ok(this(v).state.get(vm).cancel_message.clone()),
            Some(|vm, v, value| {
                let value = value.cloned().unwrap_or(Value::NONE);
                let old = std::mem::replace(&mut this(v).state.get_mut(vm).cancel_message, value);
                drop(old);
                Ok(())
            }),
        )
        .getset(
            vm,
            "_log_traceback",
            |vm, v| Ok(Value::bool(this(v).state.get(vm).log_traceback)),
            Some(|vm, v, value| {
                let on = match value {
                    Some(value) => vm.truthy(value)?,
                    None => return Err(vm.type_error("cannot delete attribute")),
                };
                if on {
                    return Err(vm.value_error("_log_traceback can only be set to False"));
                }
                this(v).state.get_mut(vm).log_traceback = false;
                Ok(())
            }),
        )
        .getset(
            vm,
            "_asyncio_awaited_by",
            |vm, v| {
                let waiters = this(v).state.get(vm).awaited_by.clone();
                if waiters.is_empty() {
                    return Ok(Value::NONE);
                }
                FrozenSet::value(vm, waiters)
            },
            None,
        )
}

// ---- awaiting

fn iterate(vm: &mut Vm, v: &Value) -> R {
    event_loop(vm, this(v))?;
    Ok(Value::from_ref(heap::alloc(FutureIter {
        future: VmCell::new(v.clone()),
    })))
}

fn iter_next(vm: &mut Vm, v: &Value) -> R {
    let me = receiver::<FutureIter>(v).clone();
    let Some(f) = me.future.get(vm).as_ref::<Future>().cloned() else {
        return Ok(Value::UNDEF);
    };
    let state = f.state.get_mut(vm);
    if state.status == Status::Pending {
        if state.blocking {
            return Err(vm.runtime_error("await wasn't used with future"));
        }
        state.blocking = true;
        return Ok(f.to_value());
    }
    drop(me.future.replace(vm, Value::UNDEF));
    let value = result(vm, &f)?;
    Err(vm.stop_iteration(value))
}

static ITER_METHODS: &[Def] = &[
    Def::method("send", "(self, value, /)", |vm, a| {
        match iter_next(vm, &a[0])? {
            v if v.is_undef() => Err(vm.stop_iteration(Value::NONE)),
            v => Ok(v),
        }
    }),
    Def::method(
        "throw",
        "(self, type, value=None, traceback=None, /)",
        |vm, a| {
            drop(
                receiver::<FutureIter>(&a[0])
                    .future
                    .replace(vm, Value::UNDEF),
            );
            let e = crate::builtins::generators::thrown(vm, &a[1..])?;
            Err(vm.reraise(e))
        },
    ),
    Def::method("close", "(self, /)", |vm, a| {
        drop(
            receiver::<FutureIter>(&a[0])
                .future
                .replace(vm, Value::UNDEF),
        );
        Ok(Value::NONE)
    }),
];

// ---- the end

/// Tells the loop's exception handler what was lost.
pub(super) fn report(vm: &mut Vm, f: &Ref<Future>, entries: &[(&str, Value)]) -> R<()> {
    let event_loop = f.state.get(vm).event_loop.clone();
    if event_loop.is_undef() || event_loop.is_none() {
        return Ok(());
    }
    let context = Dict::new();
    for (key, value) in entries {
        context.set_str(vm, &names::intern(key), value.clone());
    }
    let source = f.state.get(vm).source_traceback.clone();
    if !source.is_none() {
        context.set_str(vm, &names::intern("source_traceback"), source);
    }
    let handler = names::intern("call_exception_handler");
    vm.call_method(&event_loop, &handler, &[Value::from_ref(context)])?;
    Ok(())
}

fn finalize(vm: &mut Vm, v: &Value) -> R<()> {
    let f = this(v).clone();
    if f.is_task {
        super::task_methods::destroyed(vm, &f)?;
    }
    let state = f.state.get_mut(vm);
    if !std::mem::replace(&mut state.log_traceback, false) {
        return Ok(());
    }
    let e = state.exception.clone();
    let class = class_of(v).to_value();
    let name = vm.get_attr(&class, &Names::get().__name__.to_value())?;
    let name = vm.str(&name)?.to_text().into_owned();
    let message = Str::value(&format!("{name} exception was never retrieved"));
    report(
        vm,
        &f,
        &[
            ("exception", e),
            ("future", v.clone()),
            ("message", message),
        ],
    )
}

/// Notes that `waiter` waits for `future`.
pub(super) fn add_waiter(vm: &mut Vm, future: &Value, waiter: &Value) {
    if let Some(f) = future.as_ref::<Future>()
        && waiter.is::<Future>()
    {
        let waiters = &mut f.state.get_mut(vm).awaited_by;
        if !waiters.iter().any(|w| w.is_same(waiter)) {
            waiters.push(waiter.clone());
        }
    }
}

/// Forgets that `waiter` waits for `future`.
pub(super) fn discard_waiter(vm: &mut Vm, future: &Value, waiter: &Value) {
    if let Some(f) = future.as_ref::<Future>() {
        let waiters = &mut f.state.get_mut(vm).awaited_by;
        let found = waiters.iter().position(|w| w.is_same(waiter));
        let removed = found.map(|i| waiters.swap_remove(i));
        drop(removed);
    }
}

pub(super) static FUNCTIONS: &[Def] = &[
    Def::function("future_add_to_awaited_by", "(fut, waiter, /)", |vm, a| {
        add_waiter(vm, &a[0], &a[1]);
        Ok(Value::NONE)
    }),
    Def::function(
        "future_discard_from_awaited_by",
        "(fut, waiter, /)",
        |vm, a| {
            discard_waiter(vm, &a[0], &a[1]);
            Ok(Value::NONE)
        },
    ),
];
