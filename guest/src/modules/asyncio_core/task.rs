//! Stepping tasks: what happens when a coroutine yields, returns or raises, and which tasks there are.

use super::future::{self, add_callback, add_waiter, call_soon, this};
use super::state::{Future, Status, TaskState, TaskStep};
use super::{call_library, library, loop_or_current};
use crate::heap::{self, Ref};
use crate::names;
use crate::objects::exception::{Exc, Exception};
use crate::objects::generator::{Generator, GeneratorKind};
use crate::objects::native::{Def, Native};
use crate::objects::set::Set;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::generators::Resumed;
use crate::vm::{R, Vm};

pub(super) fn task_state<'a>(vm: &'a mut Vm, t: &'a Ref<Future>) -> Option<&'a mut TaskState> {
    t.state.get_mut(vm).task.as_deref_mut()
}

/// The callback that steps a task, throwing an exception in unless it is `UNDEF`.
pub(super) fn schedule_step(vm: &mut Vm, t: &Ref<Future>, exception: Value) -> R<()> {
    let event_loop = future::event_loop(vm, t)?;
    let context = task_state(vm, t).map_or(Value::NONE, |s| s.context.clone());
    let step = Value::from_ref(heap::alloc(TaskStep {
        task: t.clone(),
        exception,
    }));
    call_soon(vm, &event_loop, step, None, context)
}

/// Makes `task` the one that runs.
fn enter(vm: &mut Vm, event_loop: &Value, task: &Value) -> R<()> {
    let running = vm.threads.current.running_loop.clone();
    if !running.is_same(event_loop) {
        let shown = vm.repr(event_loop)?.to_text().into_owned();
        return Err(vm.runtime_error(format!("loop {shown} is not the running loop")));
    }
    let current = vm.threads.current.running_task.clone();
    if !current.is_none() {
        let (new, old) = (vm.repr(task)?, vm.repr(&current)?);
        return Err(vm.runtime_error(format!(
            "Cannot enter into task {} while another task {} is being executed.",
            new.to_text(),
            old.to_text()
        )));
    }
    vm.threads.current.running_task = task.clone();
    Ok(())
}

fn leave(vm: &mut Vm, event_loop: &Value, task: &Value) -> R<()> {
    let running = vm.threads.current.running_loop.clone();
    if !running.is_same(event_loop) {
        let shown = vm.repr(event_loop)?.to_text().into_owned();
        return Err(vm.runtime_error(format!("loop {shown} is not the running loop")));
    }
    let current = vm.threads.current.running_task.clone();
    if !current.is_same(task) {
        let (new, old) = (vm.repr(task)?, vm.repr(&current)?);
        return Err(vm.runtime_error(format!(
            "Invalid attempt to leave task {} while task {} is entered.",
            new.to_text(),
            old.to_text()
        )));
    }
    vm.threads.current.running_task = Value::NONE;
    Ok(())
}

/// One step of a task, from the loop.
pub(super) fn step(vm: &mut Vm, t: &Ref<Future>, exception: Value) -> R<()> {
    let event_loop = future::event_loop(vm, t)?;
    if t.state.get(vm).status != Status::Pending {
        let shown = vm.repr(&t.to_value())?.to_text().into_owned();
        let class = library(vm, "exceptions", "InvalidStateError")?;
        let text = crate::objects::string::Str::value(&format!("__step(): already done: {shown}"));
        let e = vm.call(&class, &[text])?;
        return Err(vm.raise_value(e));
    }
    let mut exception = exception;
    let must_cancel =
        task_state(vm, t).is_some_and(|s| std::mem::replace(&mut s.must_cancel, false));
    if must_cancel && (exception.is_undef() || !is_cancelled_error(vm, &exception)?) {
        exception = future::cancelled_error(vm, t)?;
    }
    set_waiter(vm, t, Value::NONE);
    let task = t.to_value();
    enter(vm, &event_loop, &task)?;
    let result = run(vm, t, exception);
    if vm.threads.current.running_task.is_same(&task) {
        vm.threads.current.running_task = Value::NONE;
    }
    result
}

fn set_waiter(vm: &mut Vm, t: &Ref<Future>, waiter: Value) {
    let old = task_state(vm, t).map(|s| std::mem::replace(&mut s.waiter, waiter));
    drop(old);
}

fn is_cancelled_error(vm: &mut Vm, e: &Value) -> R<bool> {
    let class = library(vm, "exceptions", "CancelledError")?;
    Ok(class
        .as_ref::<Type>()
        .cloned()
        .is_some_and(|class| vm.is_instance_of(e, &class)))
}

/// Resumes the coroutine and deals with what it does.
pub(super) fn run(vm: &mut Vm, t: &Ref<Future>, exception: Value) -> R<()> {
    let coro = task_state(vm, t).map_or(Value::NONE, |s| s.coro.clone());
    let native = coro
        .as_ref::<Generator>()
        .filter(|g| g.kind == GeneratorKind::Coroutine)
        .cloned();
    let outcome = match (native, exception.is_undef()) {
        (Some(g), true) => vm.resume(&g, Value::NONE),
        (Some(g), false) => vm.throw_into(&g, exception),
        (None, true) => vm
            .call_method(&coro, &names::Names::get().send, &[Value::NONE])
            .map(Resumed::Yielded),
        (None, false) => vm
            .call_method(&coro, &names::Names::get().throw, &[exception])
            .map(Resumed::Yielded),
    };
    match outcome {
        Ok(Resumed::Yielded(v)) => yielded(vm, t, v),
        Ok(Resumed::Returned(v)) => returned(vm, t, v),
        Err(raised) if vm.stopped.is_some() => Err(raised),
        Err(_) if vm.error_is(Exc::StopIteration) => {
            let v = vm.stop_value();
            returned(vm, t, v)
        }
        Err(_) => {
            let e = vm.take_error();
            if is_cancelled_error(vm, &e)? {
                let old = std::mem::replace(&mut t.state.get_mut(vm).cancelled_exc, e);
                drop(old);
                future::cancel(vm, t, Value::NONE)?;
                return Ok(());
            }
            if vm.is_final_answer(&e) {
                // The loop is left; what still waits for this task gets no result.
                future::cancel(vm, t, Value::NONE)?;
                return Err(vm.reraise(e));
            }
            future::set_exception(vm, t, &e)?;
            if vm.is_instance_of(&e, Exc::KeyboardInterrupt.class())
                || vm.is_instance_of(&e, Exc::SystemExit.class())
            {
                return Err(vm.reraise(e));
            }
            Ok(())
        }
    }
}

fn returned(vm: &mut Vm, t: &Ref<Future>, value: Value) -> R<()> {
    // It may have been cancelled right before it returned.
    let cancelled = task_state(vm, t).is_some_and(|s| std::mem::replace(&mut s.must_cancel, false));
    if cancelled {
        let message = t.state.get(vm).cancel_message.clone();
        future::cancel(vm, t, message)?;
        Ok(())
    } else {
        future::set_result(vm, t, value)
    }
}

/// Steps the task with an error about what it yielded.
fn complain(vm: &mut Vm, t: &Ref<Future>, text: &str) -> R<()> {
    let _ = vm.runtime_error(text);
    let e = vm.take_error();
    schedule_step(vm, t, e)
}

fn yielded(vm: &mut Vm, t: &Ref<Future>, value: Value) -> R<()> {
    if value.is_none() {
        return schedule_step(vm, t, Value::UNDEF);
    }
    let task = t.to_value();
    let marker = names::intern("_asyncio_future_blocking").to_value();
    let native = value.as_ref::<Future>().cloned();
    let blocking = match &native {
        Some(f) => Value::bool(f.state.get(vm).blocking),
        None => vm.get_attr_opt(&value, &marker)?.unwrap_or(Value::NONE),
    };
    let shown = |vm: &mut Vm| -> R<(String, String)> {
        let (a, b) = (vm.repr(&task)?, vm.repr(&value)?);
        Ok((a.to_text().into_owned(), b.to_text().into_owned()))
    };
    if blocking.is_none() {
        let (task, value_text) = shown(vm)?;
        return if value.is::<Generator>() {
            complain(
                vm,
                t,
                &format!(
                    "yield was used instead of yield from for generator in task {task} with {value_text}"
                ),
            )
        } else {
            complain(vm, t, &format!("Task got bad yield: {value_text}"))
        };
    }
    let mine = future::event_loop(vm, t)?;
    let theirs = match &native {
        Some(f) => future::event_loop(vm, f)?,
        None => call_library(vm, "futures", "_get_loop", std::slice::from_ref(&value))?,
    };
    if !mine.is_same(&theirs) {
        let (task, value_text) = shown(vm)?;
        let text = format!("Task {task} got Future {value_text} attached to a different loop");
        return complain(vm, t, &text);
    }
    if !vm.truthy(&blocking)? {
        let (task, value_text) = shown(vm)?;
        let text = format!("yield was used instead of yield from in task {task} with {value_text}");
        return complain(vm, t, &text);
    }
    if value.is_same(&task) {
        let (task, _) = shown(vm)?;
        return complain(vm, t, &format!("Task cannot await on itself: {task}"));
    }
    add_waiter(vm, &value, &task);
    let context = task_state(vm, t).map_or(Value::NONE, |s| s.context.clone());
    let wakeup = wakeup_of(&task);
    match &native {
        Some(f) => {
            f.state.get_mut(vm).blocking = false;
            add_callback(vm, f, wakeup, Some(context))?;
        }
        None => {
            vm.set_attr(&value, &marker, Some(&Value::FALSE))?;
            let add = vm.get_attr(&value, &names::intern("add_done_callback").to_value())?;
            let keywords = [names::intern("context").to_value()];
            let args = [wakeup, context];
            vm.call_args(&add, crate::vm::args::Args::new(&args, &keywords))?;
        }
    }
    set_waiter(vm, t, value.clone());
    let must_cancel = task_state(vm, t).is_some_and(|s| s.must_cancel);
    if must_cancel {
        let message = t.state.get(vm).cancel_message.clone();
        if cancel_any(vm, &value, message)?
            && let Some(s) = task_state(vm, t)
        {
            s.must_cancel = false;
        }
    }
    Ok(())
}

/// `future.cancel(msg=message)`
pub(super) fn cancel_any(vm: &mut Vm, v: &Value, message: Value) -> R<bool> {
    let cancel = vm.get_attr(v, &names::intern("cancel").to_value())?;
    let keywords = [names::intern("msg").to_value()];
    let args = [message];
    let done = vm.call_args(&cancel, crate::vm::args::Args::new(&args, &keywords))?;
    vm.truthy(&done)
}

const WAKEUP_SIGNATURE: &str = "(self, future, /)";

/// What a future calls when it is done: the task that waits for it goes on.
static WAKEUP: Def = Def::method("task_wakeup", WAKEUP_SIGNATURE, |vm, a| {
    wakeup(vm, this(&a[0]), &a[1])?;
    Ok(Value::NONE)
});

fn wakeup_of(task: &Value) -> Value {
    Native::bound(&WAKEUP, crate::params!(WAKEUP_SIGNATURE), task.clone())
}

fn wakeup(vm: &mut Vm, t: &Ref<Future>, waited: &Value) -> R<()> {
    let task = t.to_value();
    future::discard_waiter(vm, waited, &task);
    let result = match waited.as_ref::<Future>().cloned() {
        Some(f) => future::result(vm, &f),
        None => vm.call_method(waited, &names::intern("result"), &[]),
    };
    match result {
        Ok(_) => step(vm, t, Value::UNDEF),
        Err(raised) if vm.stopped.is_some() => Err(raised),
        Err(_) => {
            let e = vm.take_error();
            debug_assert!(e.is::<Exception>());
            step(vm, t, e)
        }
    }
}

/// Begins a task at once (`eager_start`).
pub(super) fn start_eagerly(vm: &mut Vm, t: &Ref<Future>) -> R<()> {
    let task = t.to_value();
    let outer = std::mem::replace(&mut vm.threads.current.running_task, task);
    let context = task_state(vm, t).map_or(Value::NONE, |s| s.context.clone());
    register(vm, t)?;
    let result = match context.as_ref::<crate::modules::contextvars_core::Context>() {
        Some(context) => {
            let context = context.clone();
            crate::modules::contextvars_core::enter(vm, &context, |vm| {
                vm.recurse(" in an eager task", |vm| run(vm, t, Value::UNDEF))
            })
        }
        None => Err(vm.type_error("a Context was expected")),
    };
    vm.threads.current.running_task = outer;
    if t.state.get(vm).status != Status::Pending {
        let coro = task_state(vm, t).map(|s| std::mem::replace(&mut s.coro, Value::NONE));
        drop(coro);
    }
    result
}

// ---- which tasks there are

/// Enters a task in the register: `all_tasks` finds it while it is not done.
pub(super) fn register(vm: &mut Vm, t: &Ref<Future>) -> R<()> {
    if t.state.get(vm).status != Status::Pending {
        return Ok(());
    }
    let weak = crate::builtins::weakrefs::reference(vm, &t.to_value())?;
    let key = vm.threads.tasks.last_key_value().map_or(1, |(k, _)| k + 1);
    vm.threads.tasks.insert(key, weak);
    if let Some(s) = task_state(vm, t) {
        s.registered = key;
    }
    Ok(())
}

/// Takes a task out of the register.
pub(super) fn forget(vm: &mut Vm, t: &Ref<Future>) {
    let key = task_state(vm, t).map_or(0, |s| std::mem::replace(&mut s.registered, 0));
    if key != 0 {
        let entry = vm.threads.tasks.remove(&key);
        drop(entry);
    }
}

fn all_tasks(vm: &mut Vm, a: &[Value]) -> R {
    let event_loop = running_or(vm, optional(a, 0))?;
    let known: Vec<(u64, Value)> = vm
        .threads
        .tasks
        .iter()
        .map(|(k, v)| (*k, v.clone()))
        .collect();
    let mut found = Vec::new();
    for (key, weak) in known {
        let task = vm.call(&weak, &[])?;
        if task.is_none() {
            vm.threads.tasks.remove(&key);
        } else {
            found.push(task);
        }
    }
    // Tasks of other makes are kept by the library.
    for set in ["_scheduled_tasks", "_eager_tasks"] {
        let set = library(vm, "tasks", set)?;
        found.extend(vm.collect(&set)?);
    }
    let mut tasks = Vec::new();
    for task in found {
        let theirs = call_library(vm, "futures", "_get_loop", std::slice::from_ref(&task))?;
        let done = vm.call_method(&task, &names::intern("done"), &[])?;
        if theirs.is_same(&event_loop) && !vm.truthy(&done)? {
            tasks.push(task);
        }
    }
    let set = Set::new().to_value();
    for task in tasks {
        vm.call_method(&set, &names::intern("add"), &[task])?;
    }
    Ok(set)
}

/// The loop given, or else the running one.
fn running_or(vm: &mut Vm, given: Option<&Value>) -> R {
    if given.is_some_and(|v| !v.is_none()) {
        return loop_or_current(vm, given);
    }
    let running = vm.threads.current.running_loop.clone();
    if running.is_none() {
        return Err(vm.runtime_error("no running event loop"));
    }
    Ok(running)
}

/// Keeps a task of another make in one of the library's sets.
fn elsewhere(vm: &mut Vm, set: &str, method: &str, task: &Value) -> R {
    let set = library(vm, "tasks", set)?;
    vm.call_method(&set, &names::intern(method), std::slice::from_ref(task))
}

pub(super) static FUNCTIONS: &[Def] = &[
    Def::function("current_task", "(loop=None)", |vm, a| {
        let event_loop = running_or(vm, optional(a, 0))?;
        Ok(if vm.threads.current.running_loop.is_same(&event_loop) {
            vm.threads.current.running_task.clone()
        } else {
            Value::NONE
        })
    }),
    Def::function("all_tasks", "(loop=None)", all_tasks),
    Def::function("_register_task", "(task)", |vm, a| {
        match a[0].as_ref::<Future>().filter(|f| f.is_task).cloned() {
            Some(t) => {
                forget(vm, &t);
                register(vm, &t)?;
                Ok(Value::NONE)
            }
            None => elsewhere(vm, "_scheduled_tasks", "add", &a[0]),
        }
    }),
    Def::function("_unregister_task", "(task)", |vm, a| {
        match a[0].as_ref::<Future>().filter(|f| f.is_task).cloned() {
            Some(t) => {
                forget(vm, &t);
                Ok(Value::NONE)
            }
            None => elsewhere(vm, "_scheduled_tasks", "discard", &a[0]),
        }
    }),
    Def::function("_register_eager_task", "(task)", |vm, a| {
        elsewhere(vm, "_eager_tasks", "add", &a[0])
    }),
    Def::function("_unregister_eager_task", "(task)", |vm, a| {
        elsewhere(vm, "_eager_tasks", "discard", &a[0])
    }),
    Def::function("_enter_task", "(loop, task)", |vm, a| {
        enter(vm, &a[0], &a[1])?;
        Ok(Value::NONE)
    }),
    Def::function("_leave_task", "(loop, task)", |vm, a| {
        leave(vm, &a[0], &a[1])?;
        Ok(Value::NONE)
    }),
    Def::function("_swap_current_task", "(loop, task)", |vm, a| {
        let running = vm.threads.current.running_loop.clone();
        if !running.is_same(&a[0]) {
            let shown = vm.repr(&a[0])?.to_text().into_owned();
            return Err(vm.runtime_error(format!("loop {shown} is not the running loop")));
        }
        Ok(std::mem::replace(
            &mut vm.threads.current.running_task,
            a[1].clone(),
        ))
    }),
];

/// The class of [`TaskStep`].
pub(super) fn step_class(vm: &mut Vm) -> Ref<Type> {
    use crate::objects::native::receiver;
    use crate::objects::slots::Slots;
    crate::objects::types::ClassBuilder::new::<TaskStep>("TaskStepMethWrapper")
        .slots(Slots {
            call: Some(|vm, v, args| {
                args.exactly(vm, "__call__", 0, 0)?;
                let me = receiver::<TaskStep>(v).clone();
                step(vm, &me.task, me.exception.clone())?;
                Ok(Value::NONE)
            }),
            ..Slots::NONE
        })
        .getset(
            vm,
            "__self__",
            |_, v| Ok(receiver::<TaskStep>(v).task.to_value()),
            None,
        )
        .build(vm)
}
