//! Generators, coroutines and asynchronous generators: their Python side.

use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::Names;
use crate::objects::exception::{Exc, Exception};
use crate::objects::generator::{Generator, GeneratorKind, GeneratorStatus};
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::generators::{Resumed, kind_name};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::{Cell, RefCell};

thread_local! {
    static COROUTINE: RefCell<Option<&'static Ref<Type>>> = const { RefCell::new(None) };
    static ASYNC_GENERATOR: RefCell<Option<&'static Ref<Type>>> = const { RefCell::new(None) };
}

/// The class for a kind.
pub(crate) fn class_for(kind: GeneratorKind) -> &'static Ref<Type> {
    let find = |slot: &'static std::thread::LocalKey<RefCell<Option<&'static Ref<Type>>>>| {
        slot.with_borrow(|c| c.unwrap_or_else(|| Generator::class()))
    };
    match kind {
        GeneratorKind::Generator => Generator::class(),
        GeneratorKind::Coroutine => find(&COROUTINE),
        GeneratorKind::AsyncGenerator => find(&ASYNC_GENERATOR),
    }
}

/// Builds the classes.
pub(crate) fn init(vm: &mut Vm) {
    let generator = ClassBuilder::new::<Generator>("generator")
        .weak()
        .slots(Slots {
            repr: Some(repr),
            iter: Some(|_, v| Ok(v.clone())),
            next: Some(next),
            ..Slots::NONE
        });
    let generator = generator.methods(vm, METHODS);
    attributes(
        vm,
        generator,
        [
            "gi_code",
            "gi_frame",
            "gi_running",
            "gi_suspended",
            "gi_yieldfrom",
        ],
    )
    .build(vm);
    let coroutine = ClassBuilder::sibling::<Generator>("coroutine")
        .weak()
        .slots(Slots {
            repr: Some(repr),
            ..Slots::NONE
        });
    let coroutine = coroutine.methods(vm, METHODS).methods(vm, AWAIT);
    let coroutine = attributes(
        vm,
        coroutine,
        [
            "cr_code",
            "cr_frame",
            "cr_running",
            "cr_suspended",
            "cr_await",
        ],
    );
    let coroutine = coroutine
        .getset(vm, "cr_origin", |_, _| Ok(Value::NONE), None)
        .build(vm);
    COROUTINE.set(Some(Box::leak(Box::new(coroutine))));
    let agen = ClassBuilder::sibling::<Generator>("async_generator")
        .weak()
        .slots(Slots {
            repr: Some(repr),
            ..Slots::NONE
        });
    let agen = agen.methods(vm, ASYNC_METHODS);
    let agen = attributes(
        vm,
        agen,
        [
            "ag_code",
            "ag_frame",
            "ag_running",
            "ag_suspended",
            "ag_await",
        ],
    )
    .build(vm);
    ASYNC_GENERATOR.set(Some(Box::leak(Box::new(agen))));
    ClassBuilder::new::<CoroutineWrapper>("coroutine_wrapper")
        .slots(Slots {
            iter: Some(|_, v| Ok(v.clone())),
            next: Some(|vm, v| wrapper_send(vm, v, Value::NONE)),
            ..Slots::NONE
        })
        .methods(vm, WRAPPER_METHODS)
        .build(vm);
    ClassBuilder::new::<AsyncYield>("async_generator_wrapped_value").build(vm);
    ClassBuilder::new::<AsyncStep>("async_generator_asend")
        .slots(Slots {
            iter: Some(|_, v| Ok(v.clone())),
            next: Some(|vm, v| step_send(vm, v, Value::NONE)),
            ..Slots::NONE
        })
        .methods(vm, STEP_METHODS)
        .build(vm);
}

fn this(v: &Value) -> &Ref<Generator> {
    match v.as_ref::<Generator>() {
        Some(g) => g,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

fn attributes(vm: &mut Vm, builder: ClassBuilder, names: [&'static str; 5]) -> ClassBuilder {
    builder
        .getset(
            vm,
            "__name__",
            |vm, g| Ok(this(g).state.get(vm).name.to_value()),
            Some(|vm, g, v| set_text(vm, g, v, "__name__")),
        )
        .getset(
            vm,
            "__qualname__",
            |vm, g| Ok(this(g).state.get(vm).qualname.to_value()),
            Some(|vm, g, v| set_text(vm, g, v, "__qualname__")),
        )
        .getset(
            vm,
            names[0],
            |vm, g| Ok(this(g).function.code.get(vm).to_value()),
            None,
        )
        .getset(vm, names[1], crate::builtins::frames::of_generator, None)
        .getset(
            vm,
            names[2],
            |vm, g| {
                Ok(Value::bool(
                    this(g).state.get(vm).status == GeneratorStatus::Running,
                ))
            },
            None,
        )
        .getset(
            vm,
            names[3],
            |vm, g| {
                Ok(Value::bool(
                    this(g).state.get(vm).status == GeneratorStatus::Suspended,
                ))
            },
            None,
        )
        .getset(
            vm,
            names[4],
            |vm, g| Ok(vm.delegate_of(this(g)).map_or(Value::NONE, |(v, _)| v)),
            None,
        )
}

fn set_text(vm: &mut Vm, g: &Value, value: Option<&Value>, name: &str) -> R<()> {
    let Some(text) = value.and_then(|v| v.as_ref::<Str>()).cloned() else {
        return Err(vm.type_error(format!("{name} must be set to a string object")));
    };
    let state = this(g).state.get_mut(vm);
    if name == "__name__" {
        state.name = text;
    } else {
        state.qualname = text;
    }
    Ok(())
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let g = this(v);
    let name = g.state.get(vm).qualname.to_text().into_owned();
    let kind = if g.kind == GeneratorKind::AsyncGenerator {
        "async_generator"
    } else {
        kind_name(g.kind)
    };
    Ok(Str::value(&format!(
        "<{kind} object {name} at {:#x}>",
        v.bits()
    )))
}

fn next(vm: &mut Vm, v: &Value) -> R {
    let g = this(v).clone();
    match vm.resume(&g, Value::NONE)? {
        Resumed::Yielded(v) => Ok(v),
        Resumed::Returned(v) if v.is_none() => Ok(Value::UNDEF),
        Resumed::Returned(v) => Err(vm.stop_iteration(v)),
    }
}

fn finish(vm: &mut Vm, resumed: Resumed) -> R {
    match resumed {
        Resumed::Yielded(v) => Ok(v),
        Resumed::Returned(v) => Err(vm.stop_iteration(v)),
    }
}

static METHODS: &[Def] = &[
    Def::method("send", "(self, value, /)", |vm, args| {
        let g = this(&args[0]).clone();
        let r = vm.resume(&g, args[1].clone())?;
        finish(vm, r)
    }),
    Def::method(
        "throw",
        "(self, type, value=None, traceback=None, /)",
        |vm, args| {
            let g = this(&args[0]).clone();
            let e = thrown(vm, &args[1..])?;
            let r = vm.throw_into(&g, e)?;
            finish(vm, r)
        },
    ),
    Def::method("close", "(self, /)", |vm, args| {
        let g = this(&args[0]).clone();
        close(vm, &g)
    }),
];

/// `close()` of 3.13: the value that the generator returns when it meets `GeneratorExit`.
fn close(vm: &mut Vm, g: &Ref<Generator>) -> R {
    let status = g.state.get(vm).status;
    if status != GeneratorStatus::Suspended && status != GeneratorStatus::Running {
        vm.close_generator(g)?;
        return Ok(Value::NONE);
    }
    let exit = Exception::new(Exc::GeneratorExit.class(), Tuple::empty());
    match vm.throw_into(g, Value::from_ref(exit)) {
        Ok(Resumed::Yielded(_)) => {
            Err(vm.runtime_error(format!("{} ignored GeneratorExit", kind_name(g.kind))))
        }
        Ok(Resumed::Returned(v)) => Ok(v),
        Err(raised) if vm.error_is(Exc::GeneratorExit) => {
            vm.swallow(raised, Exc::GeneratorExit).map(|()| Value::NONE)
        }
        Err(raised) => vm.swallow(raised, Exc::StopIteration).map(|()| Value::NONE),
    }
}

/// The exception that the arguments of `throw` stand for.
fn thrown(vm: &mut Vm, args: &[Value]) -> R {
    let (class, value, traceback) = (
        &args[0],
        crate::vm::args::optional(args, 1),
        crate::vm::args::optional(args, 2),
    );
    if let Some(tb) = traceback
        && !tb.is_none()
        && !tb.is::<crate::builtins::tracebacks::Traceback>()
    {
        return Err(vm.type_error("throw() third argument must be a traceback object"));
    }
    let e = if class.is::<Exception>() {
        if value.is_some_and(|v| !v.is_none()) {
            return Err(vm.type_error("instance exception may not have a separate value"));
        }
        class.clone()
    } else if class
        .as_ref::<Type>()
        .is_some_and(|t| t.is_subclass_of(Exc::BaseException.class()))
    {
        match value {
            Some(v) if v.is::<Exception>() => v.clone(),
            Some(v) if !v.is_none() => match v.as_ref::<Tuple>().cloned() {
                Some(t) => vm.call(class, t.items())?,
                None => vm.call(class, std::slice::from_ref(v))?,
            },
            _ => vm.call(class, &[])?,
        }
    } else {
        return Err(vm.type_error(format!(
            "exceptions must be classes or instances deriving from BaseException, not {}",
            class_of(class).name()
        )));
    };
    if let Some(tb) = traceback {
        crate::builtins::tracebacks::set(vm, &e, Some(tb))?;
    }
    Ok(e)
}

/// Whether a generator was made by `types.coroutine`, and so can be awaited.
pub(crate) fn is_iterable_coroutine(vm: &Vm, g: &Ref<Generator>) -> bool {
    let code = g.function.code.get(vm);
    if code.changed_flags & crate::builtins::code_objects::ITERABLE_COROUTINE != 0 {
        return true;
    }
    let name = crate::names::intern("__iterable_coroutine__");
    g.function
        .state
        .get(vm)
        .dict
        .as_ref()
        .is_some_and(|d| d.get_str(vm, &name).is_some())
}

// ---- coroutines

static AWAIT: &[Def] = &[Def::method("__await__", "(self, /)", |_, args| {
    Ok(Value::from_ref(heap::alloc(CoroutineWrapper {
        coroutine: args[0].clone(),
    })))
})];

/// Payload of `coroutine_wrapper`: what `coroutine.__await__()` gives.
pub struct CoroutineWrapper {
    coroutine: Value,
}

// SAFETY: visits the coroutine.
unsafe impl Payload for CoroutineWrapper {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.coroutine);
    }
}

fn wrapper_send(vm: &mut Vm, v: &Value, value: Value) -> R {
    let inner = v
        .as_ref::<CoroutineWrapper>()
        .map_or(Value::NONE, |w| w.coroutine.clone());
    let g = this(&inner).clone();
    let r = vm.resume(&g, value)?;
    finish(vm, r)
}

static WRAPPER_METHODS: &[Def] = &[
    Def::method("send", "(self, value, /)", |vm, args| {
        wrapper_send(vm, &args[0], args[1].clone())
    }),
    Def::method(
        "throw",
        "(self, type, value=None, traceback=None, /)",
        |vm, args| {
            let inner = args[0]
                .as_ref::<CoroutineWrapper>()
                .map_or(Value::NONE, |w| w.coroutine.clone());
            vm.call_method(&inner, &Names::get().throw, &args[1..])
        },
    ),
    Def::method("close", "(self, /)", |vm, args| {
        let inner = args[0]
            .as_ref::<CoroutineWrapper>()
            .map_or(Value::NONE, |w| w.coroutine.clone());
        vm.call_method(&inner, &Names::get().close, &[])
    }),
];

// ---- asynchronous generators

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

/// What an awaitable step of an asynchronous generator does first.
enum Step {
    /// `asend(value)`, `__anext__`
    Send(Value),
    /// `athrow(exception)`
    Throw(Value),
    /// `aclose()`
    Close,
}

/// Payload of the awaitables that `asend`, `athrow`, `aclose` and `__anext__` give.
pub struct AsyncStep {
    generator: Value,
    step: VmCell<Step>,
    started: Cell<bool>,
    finished: Cell<bool>,
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
}

fn new_step(vm: &mut Vm, generator: &Value, step: Step) -> R {
    init_hooks(vm, generator)?;
    Ok(Value::from_ref(heap::alloc(AsyncStep {
        generator: generator.clone(),
        step: VmCell::new(step),
        started: Cell::new(false),
        finished: Cell::new(false),
    })))
}

/// Tells the event loop of a generator that is iterated for the first time (`sys.set_asyncgen_hooks`).
fn init_hooks(vm: &mut Vm, generator: &Value) -> R<()> {
    let g = this(generator).clone();
    if g.state.get(vm).hooks_inited {
        return Ok(());
    }
    g.state.get_mut(vm).hooks_inited = true;
    if let Some(hook) = vm.settings.get("asyncgen.firstiter").cloned()
        && !hook.is_none()
    {
        vm.call(&hook, std::slice::from_ref(generator))?;
    }
    Ok(())
}

static ASYNC_METHODS: &[Def] = &[
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
            let e = thrown(vm, &args[1..])?;
            new_step(vm, &args[0], Step::Throw(e))
        },
    ),
    Def::method("aclose", "(self, /)", |vm, args| {
        new_step(vm, &args[0], Step::Close)
    }),
];

static STEP_METHODS: &[Def] = &[
    Def::method("__await__", "(self, /)", |_, args| Ok(args[0].clone())),
    Def::method("send", "(self, value, /)", |vm, args| {
        step_send(vm, &args[0], args[1].clone())
    }),
    Def::method(
        "throw",
        "(self, type, value=None, traceback=None, /)",
        |vm, args| {
            let e = thrown(vm, &args[1..])?;
            step_throw(vm, &args[0], e)
        },
    ),
    Def::method("close", "(self, /)", |_, args| {
        if let Some(s) = args[0].as_ref::<AsyncStep>() {
            s.finished.set(true);
        }
        Ok(Value::NONE)
    }),
];

fn step_of(v: &Value) -> &Ref<AsyncStep> {
    match v.as_ref::<AsyncStep>() {
        Some(s) => s,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

fn step_send(vm: &mut Vm, v: &Value, value: Value) -> R {
    let s = step_of(v).clone();
    if s.finished.get() {
        let what = match s.step.get(vm) {
            Step::Send(_) => "cannot reuse already awaited __anext__()/asend()",
            _ => "cannot reuse already awaited aclose()/athrow()",
        };
        return Err(vm.runtime_error(what));
    }
    let g = this(&s.generator).clone();
    if !s.started.get() {
        let names = match s.step.get(vm) {
            Step::Send(_) => "anext(): asynchronous generator is already running",
            Step::Throw(_) => "athrow(): asynchronous generator is already running",
            Step::Close => "aclose(): asynchronous generator is already running",
        };
        if g.state.get(vm).async_running {
            s.finished.set(true);
            return Err(vm.runtime_error(names));
        }
        s.started.set(true);
        g.state.get_mut(vm).async_running = true;
        let result = match s.step.get(vm) {
            Step::Send(first) => {
                let first = if value.is_none() {
                    first.clone()
                } else {
                    value
                };
                if g.state.get(vm).status == GeneratorStatus::Finished {
                    Ok(Resumed::Returned(Value::NONE))
                } else {
                    vm.resume(&g, first)
                }
            }
            Step::Throw(e) => {
                let e = e.clone();
                vm.throw_into(&g, e)
            }
            Step::Close => {
                if matches!(
                    g.state.get(vm).status,
                    GeneratorStatus::Finished | GeneratorStatus::Created
                ) {
                    let _ = vm.close_generator(&g);
                    g.state.get_mut(vm).async_running = false;
                    s.finished.set(true);
                    return Err(vm.stop_iteration(Value::NONE));
                }
                let exit = Exception::new(Exc::GeneratorExit.class(), Tuple::empty());
                vm.throw_into(&g, Value::from_ref(exit))
            }
        };
        return step_result(vm, &s, &g, result);
    }
    let result = vm.resume(&g, value);
    step_result(vm, &s, &g, result)
}

fn step_throw(vm: &mut Vm, v: &Value, e: Value) -> R {
    let s = step_of(v).clone();
    if s.finished.get() {
        return Err(vm.runtime_error("cannot reuse already awaited __anext__()/asend()"));
    }
    let g = this(&s.generator).clone();
    s.started.set(true);
    g.state.get_mut(vm).async_running = true;
    let result = vm.throw_into(&g, e);
    step_result(vm, &s, &g, result)
}

/// Translates what the generator did into what the awaiting coroutine sees.
fn step_result(vm: &mut Vm, s: &Ref<AsyncStep>, g: &Ref<Generator>, result: R<Resumed>) -> R {
    let closing = matches!(s.step.get(vm), Step::Close);
    match result {
        Ok(Resumed::Yielded(v)) => match v.as_ref::<AsyncYield>() {
            Some(y) => {
                let value = y.value.clone();
                s.finished.set(true);
                g.state.get_mut(vm).async_running = false;
                if closing {
                    return Err(vm.runtime_error("async generator ignored GeneratorExit"));
                }
                Err(vm.stop_iteration(value))
            }
            // It awaits something: that goes on to the event loop.
            None => Ok(v),
        },
        Ok(Resumed::Returned(_)) => {
            s.finished.set(true);
            g.state.get_mut(vm).async_running = false;
            if closing {
                return Err(vm.stop_iteration(Value::NONE));
            }
            Err(vm.raise_args(Exc::StopAsyncIteration.class(), Tuple::empty()))
        }
        Err(raised) => {
            s.finished.set(true);
            g.state.get_mut(vm).async_running = false;
            if closing && (vm.error_is(Exc::GeneratorExit) || vm.error_is(Exc::StopAsyncIteration))
            {
                let _ = vm.take_error();
                return Err(vm.stop_iteration(Value::NONE));
            }
            Err(raised)
        }
    }
}
