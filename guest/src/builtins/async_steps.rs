//! Asynchronous generators: the awaitables that `__anext__`, `asend`, `athrow` and `aclose` give, and the hooks of event loops.
//!
//! The rules are those of PEP 525: one step runs at a time, what the generator yields ends the step (as the value of `StopIteration`), and what it awaits goes
//! on to the event loop.

use super::generators::{this, thrown};
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::exception::{Exc, Exception};
use crate::objects::generator::{Generator, GeneratorStatus};
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::errors::Raised;
use crate::vm::generators::Resumed;
use crate::vm::{R, Vm};
use std::cell::{Cell, OnceCell};

/// Payload of the value that an asynchronous generator yields, to tell it from what it awaits.
pub struct AsyncYield {
    value: Value,
}

// SAFETY: visits the value.
unsafe impl Payload for AsyncYield {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.value);
    }
}

/// Marks a value as yielded by an asynchronous generator.
pub(crate) fn wrap_async_yield(value: Value) -> Value {
    Value::from_ref(heap::alloc(AsyncYield { value }))
}

/// What a step does first.
#[derive(Clone)]
enum Step {
    /// `asend(value)`, `__anext__`
    Send(Value),
    /// `athrow(exception)`: the arguments
    Throw(Value),
    /// `aclose()`
    Close,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Running,
    Over,
}

/// Payload of the awaitables.
pub struct AsyncStep {
    generator: Value,
    step: VmCell<Step>,
    stage: Cell<Stage>,
}

// SAFETY: visits generator and argument.
unsafe impl Payload for AsyncStep {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.generator);
        // SAFETY: the collector runs while no borrow of any payload lives.
        match unsafe { self.step.peek() } {
            Step::Send(v) | Step::Throw(v) => visit(v),
            Step::Close => {}
        }
    }
    const NEEDS_FINALIZER: Option<fn(&Self) -> bool> = Some(|me| {
        // A step that was never awaited gets its warning.
        me.stage.get() == Stage::New
    });
}

thread_local! {
    static THROW_CLASS: OnceCell<Ref<Type>> = const { OnceCell::new() };
}

/// Builds the classes.
pub(super) fn init(vm: &mut Vm) {
    ClassBuilder::new::<AsyncYield>("async_generator_wrapped_value").build(vm);
    let slots = Slots {
        iter: Some(|_, v| Ok(v.clone())),
        next: Some(|vm, v| step_send(vm, v, Value::NONE)),
        del: Some(warn_unawaited),
        ..Slots::NONE
    };
    ClassBuilder::new::<AsyncStep>("async_generator_asend")
        .slots(slots)
        .methods(vm, STEP_METHODS)
        .build(vm);
    let class = ClassBuilder::sibling::<AsyncStep>("async_generator_athrow")
        .slots(slots)
        .methods(vm, STEP_METHODS)
        .build(vm);
    THROW_CLASS.with(|c| drop(c.set(class)));
}

fn new_step(vm: &mut Vm, generator: &Value, step: Step) -> R {
    init_hooks(vm, generator)?;
    let payload = AsyncStep {
        generator: generator.clone(),
        stage: Cell::new(Stage::New),
        step: VmCell::new(step.clone()),
    };
    let throws = THROW_CLASS.with(|c| c.get().cloned());
    Ok(Value::from_ref(match (step, throws) {
        (Step::Throw(_) | Step::Close, Some(class)) => heap::alloc_instance(payload, &class, 0),
        _ => heap::alloc(payload),
    }))
}

/// Tells the event loop of a generator that is iterated for the first time (`sys.set_asyncgen_hooks`).
fn init_hooks(vm: &mut Vm, generator: &Value) -> R<()> {
    let g = this(generator).clone();
    if g.state.get(vm).hooks_inited {
        return Ok(());
    }
    let [first, finalizer] = vm.threads.current.asyncgen_hooks.clone();
    let state = g.state.get_mut(vm);
    state.hooks_inited = true;
    if !finalizer.is_none() {
        state.origin_or_finalizer = finalizer;
    }
    if !first.is_none() {
        vm.call(&first, std::slice::from_ref(generator))?;
    }
    Ok(())
}

/// The methods of asynchronous generators.
pub(super) static ASYNC_METHODS: &[Def] = &[
    Def::method("__aiter__", "(self, /)", |_, args| Ok(args[0].clone())),
    Def::method("__anext__", "(self, /)", |vm, args| {
        new_step(vm, &args[0], Step::Send(Value::NONE))
    }),
    Def::method("asend", "(self, value, /)", |vm, args| {
        new_step(vm, &args[0], Step::Send(args[1].clone()))
    }),
    Def::method(
        "athrow",
        "(self, type, value=None, traceback=None, /)",
        |vm, args| {
            let given = Tuple::from_slice(&args[1..]);
            new_step(vm, &args[0], Step::Throw(given))
        },
    ),
    Def::method("aclose", "(self, /)", |vm, args| {
        new_step(vm, &args[0], Step::Close)
    }),
    Def::class_method(
        "__class_getitem__",
        "(cls, object, /)",
        crate::builtins::iterators::class_getitem,
    ),
];

static STEP_METHODS: &[Def] = &[
    Def::method("__await__", "(self, /)", |_, args| Ok(args[0].clone())),
    Def::method("send", "(self, value, /)", |vm, args| {
        step_send(vm, &args[0], args[1].clone())
    }),
    Def::method(
        "throw",
        "(self, type, value=None, traceback=None, /)",
        |vm, args| step_throw(vm, &args[0], &args[1..]),
    ),
    Def::method("close", "(self, /)", |vm, args| step_close(vm, &args[0])),
];

fn step_of(v: &Value) -> &Ref<AsyncStep> {
    match v.as_ref::<AsyncStep>() {
        Some(s) => s,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

/// What messages call a step.
fn method_name(step: &Step) -> &'static str {
    match step {
        Step::Send(_) => "anext",
        Step::Throw(_) => "athrow",
        Step::Close => "aclose",
    }
}

/// Checks that the step is not over and, if it begins now, that no other step runs; marks both as running.
fn begin(vm: &mut Vm, s: &Ref<AsyncStep>, g: &Ref<Generator>) -> R<()> {
    match s.stage.get() {
        Stage::Over => Err(vm.runtime_error(match s.step.get(vm) {
            Step::Send(_) => "cannot reuse already awaited __anext__()/asend()",
            _ => "cannot reuse already awaited aclose()/athrow()",
        })),
        Stage::New if g.state.get(vm).async_running => {
            s.stage.set(Stage::Over);
            let name = method_name(s.step.get(vm));
            Err(vm.runtime_error(format!(
                "{name}(): asynchronous generator is already running"
            )))
        }
        Stage::New => {
            s.stage.set(Stage::Running);
            g.state.get_mut(vm).async_running = true;
            Ok(())
        }
        Stage::Running => Ok(()),
    }
}

fn step_send(vm: &mut Vm, v: &Value, value: Value) -> R {
    let s = step_of(v).clone();
    let g = this(&s.generator).clone();
    let fresh = s.stage.get() == Stage::New;
    let step = s.step.get(vm).clone();
    let throws = !matches!(step, Step::Send(_));
    if fresh && throws {
        let state = g.state.get(vm);
        if state.status == GeneratorStatus::Finished {
            s.stage.set(Stage::Over);
            return Err(vm.stop_iteration(Value::NONE));
        }
        if state.async_closed && !state.async_running {
            s.stage.set(Stage::Over);
            return Err(vm.raise_args(Exc::StopAsyncIteration.class(), Tuple::empty()));
        }
        if !value.is_none() && !state.async_running {
            return Err(vm.runtime_error("can't send non-None value to a just-started coroutine"));
        }
    }
    begin(vm, &s, &g)?;
    if !fresh {
        let result = vm.resume(&g, value);
        return step_result(vm, &s, &g, result);
    }
    let result = match step {
        Step::Send(first) => {
            let first = if value.is_none() { first } else { value };
            vm.resume(&g, first)
        }
        Step::Throw(given) => {
            let given = given.as_ref::<Tuple>().map(|t| t.items().to_vec());
            match thrown(vm, &given.unwrap_or_default()) {
                Ok(e) => vm.throw_into_delegate_too(&g, e),
                Err(raised) => Err(raised),
            }
        }
        Step::Close => {
            g.state.get_mut(vm).async_closed = true;
            let exit = Exception::new(Exc::GeneratorExit.class(), Tuple::empty());
            vm.throw_into_delegate_too(&g, Value::from_ref(exit))
        }
    };
    step_result(vm, &s, &g, result)
}

fn step_throw(vm: &mut Vm, v: &Value, given: &[Value]) -> R {
    let s = step_of(v).clone();
    let g = this(&s.generator).clone();
    begin(vm, &s, &g)?;
    let result = match thrown(vm, given) {
        Ok(e) => vm.throw_into(&g, e),
        Err(raised) => Err(raised),
    };
    step_result(vm, &s, &g, result)
}

/// `close()` of a step: throws `GeneratorExit` into it, which must end it.
fn step_close(vm: &mut Vm, v: &Value) -> R {
    let s = step_of(v).clone();
    if s.stage.get() == Stage::Over {
        return Ok(Value::NONE);
    }
    let class = Exc::GeneratorExit.class().to_value();
    match step_throw(vm, v, &[class]) {
        Ok(_) => Err(vm.runtime_error("coroutine ignored GeneratorExit")),
        Err(_)
            if vm.error_is(Exc::StopIteration)
                || vm.error_is(Exc::StopAsyncIteration)
                || vm.error_is(Exc::GeneratorExit) =>
        {
            vm.take_error();
            Ok(Value::NONE)
        }
        Err(raised) => Err(raised),
    }
}

/// Translates what the generator did into what the awaiting coroutine sees.
fn step_result(vm: &mut Vm, s: &Ref<AsyncStep>, g: &Ref<Generator>, result: R<Resumed>) -> R {
    let closing = matches!(s.step.get(vm), Step::Close);
    let over = |vm: &mut Vm| {
        s.stage.set(Stage::Over);
        g.state.get_mut(vm).async_running = false;
    };
    match result {
        Ok(Resumed::Yielded(v)) => match v.as_ref::<AsyncYield>() {
            Some(y) => {
                let value = y.value.clone();
                over(vm);
                if closing {
                    return Err(vm.runtime_error("async generator ignored GeneratorExit"));
                }
                Err(vm.stop_iteration(value))
            }
            // It awaits something: that goes on to the event loop.
            None => Ok(v),
        },
        Ok(Resumed::Returned(_)) => {
            over(vm);
            g.state.get_mut(vm).async_closed = true;
            if closing {
                return Err(vm.stop_iteration(Value::NONE));
            }
            Err(vm.raise_args(Exc::StopAsyncIteration.class(), Tuple::empty()))
        }
        Err(raised) => {
            over(vm);
            let ended = vm.error_is(Exc::StopAsyncIteration) || vm.error_is(Exc::GeneratorExit);
            if ended {
                g.state.get_mut(vm).async_closed = true;
            }
            if closing && ended {
                vm.take_error();
                return Err(vm.stop_iteration(Value::NONE));
            }
            Err(raised)
        }
    }
}

/// `__anext__()` of an asynchronous generator.
pub(crate) fn next_step(vm: &mut Vm, generator: &Value) -> R {
    new_step(vm, generator, Step::Send(Value::NONE))
}

/// Whether the instruction loop can run a step itself: what to resume, and what to send to it. The step runs then; otherwise nothing has happened.
pub(crate) fn begin_in_place(
    vm: &mut Vm,
    s: &Ref<AsyncStep>,
    sent: &Value,
) -> Option<(Ref<Generator>, Value)> {
    let g = this(&s.generator);
    let state = g.state.get(vm);
    let can_go_on = state.status == GeneratorStatus::Suspended;
    let first = match (s.stage.get(), s.step.get(vm)) {
        (Stage::Running, Step::Send(_)) if can_go_on => sent.clone(),
        (Stage::New, Step::Send(first)) if !state.async_running => {
            let first = if sent.is_none() { first } else { sent };
            let starts = state.status == GeneratorStatus::Created && first.is_none();
            if !can_go_on && !starts {
                return None;
            }
            first.clone()
        }
        _ => return None,
    };
    s.stage.set(Stage::Running);
    let g = g.clone();
    g.state.get_mut(vm).async_running = true;
    Some((g, first))
}

/// Steps that the instruction loop runs: the frame that awaits one is on top, and the step is what its `YieldFrom` delegates to.
impl Vm {
    fn awaited_step(&self) -> Option<Ref<AsyncStep>> {
        let frame = self.frames.last()?;
        let instr = frame.code.proto.instrs.get(frame.instr())?;
        // SAFETY: the instruction's register is one of the frame's.
        unsafe { &*frame.base.add(instr.b as usize) }
            .as_ref::<AsyncStep>()
            .cloned()
    }

    /// The step is over.
    pub(crate) fn finish_async_step(&mut self) {
        if let Some(s) = self.awaited_step() {
            s.stage.set(Stage::Over);
            this(&s.generator).state.get_mut(self).async_running = false;
        }
    }

    /// The step is over, and with it the generator, which has returned.
    pub(crate) fn end_async_step(&mut self) -> Raised {
        self.finish_async_step();
        self.close_awaited();
        self.raise_args(Exc::StopAsyncIteration.class(), Tuple::empty())
    }

    /// The step is over, because the generator has raised the pending exception.
    pub(crate) fn fail_async_step(&mut self) {
        self.finish_async_step();
        if self.error_is(Exc::StopAsyncIteration) || self.error_is(Exc::GeneratorExit) {
            self.close_awaited();
        }
    }

    fn close_awaited(&mut self) {
        if let Some(s) = self.awaited_step() {
            this(&s.generator).state.get_mut(self).async_closed = true;
        }
    }
}

/// The warning for a step that was never awaited.
fn warn_unawaited(vm: &mut Vm, v: &Value) -> R<()> {
    let s = step_of(v).clone();
    if s.stage.get() != Stage::New {
        return Ok(());
    }
    let method = match s.step.get(vm) {
        Step::Send(_) => "asend",
        step => method_name(step),
    };
    let qualname = this(&s.generator).state.get(vm).qualname.to_value();
    let qualname = vm.repr(&qualname)?.to_text().into_owned();
    super::generators::warn_runtime(
        vm,
        &format!("coroutine method '{method}' of {qualname} was never awaited"),
    )
}
