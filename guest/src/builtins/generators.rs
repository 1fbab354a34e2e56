//! Generators, coroutines and asynchronous generators: their Python side.

use crate::class_slot;
use crate::heap::{self, Payload, Ref};
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
use std::cell::RefCell;

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
        .getset(
            vm,
            "cr_origin",
            |vm, g| Ok(this(g).state.get(vm).origin_or_finalizer.clone()),
            None,
        )
        .build(vm);
    COROUTINE.set(Some(Box::leak(Box::new(coroutine))));
    let agen = ClassBuilder::sibling::<Generator>("async_generator")
        .weak()
        .slots(Slots {
            repr: Some(repr),
            ..Slots::NONE
        });
    let agen = agen.methods(vm, super::async_steps::ASYNC_METHODS);
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
    super::anext::init(vm);
    super::async_steps::init(vm);
}

/// The receiver.
pub(super) fn this(v: &Value) -> &Ref<Generator> {
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
                let g = this(g);
                let state = g.state.get(vm);
                Ok(Value::bool(if g.kind == GeneratorKind::AsyncGenerator {
                    state.async_running
                } else {
                    state.status == GeneratorStatus::Running
                }))
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
pub(crate) fn thrown(vm: &mut Vm, args: &[Value]) -> R {
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

/// Whether a generator was made by a function marked by `types.coroutine`, and so can be awaited.
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

// ---- the end of generators

/// Issues a `RuntimeWarning`.
pub(super) fn warn_runtime(vm: &mut Vm, text: &str) -> R<()> {
    let warnings = vm.import_module("warnings")?;
    let warn = crate::names::intern("warn");
    let category = Exc::RuntimeWarning.class().to_value();
    vm.call_method(&warnings, &warn, &[Str::value(text), category])?;
    Ok(())
}

/// What happens to a generator that nobody holds any more: the event loop closes an asynchronous one, a coroutine that was never awaited
/// gets a warning, and what is suspended is closed.
pub(crate) fn finalize(vm: &mut Vm, g: &Ref<Generator>) -> R<()> {
    let state = g.state.get(vm);
    if state.status == GeneratorStatus::Finished {
        return Ok(());
    }
    let hook = state.origin_or_finalizer.clone();
    match g.kind {
        GeneratorKind::AsyncGenerator if !hook.is_none() && !state.async_closed => {
            vm.call(&hook, &[g.to_value()])?;
            Ok(())
        }
        GeneratorKind::Coroutine if state.status == GeneratorStatus::Created => {
            let warnings = vm.import_module("warnings")?;
            let warn = crate::names::intern("_warn_unawaited_coroutine");
            vm.call_method(&warnings, &warn, &[g.to_value()])?;
            vm.close_generator(g)
        }
        _ => vm.close_generator(g),
    }
}
