//! Contexts: the data, the one that is current, and what happens to the conditions that an operation brings up.

use super::registry;
use super::signals::Signals;
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::modules::contextvars_core;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_numeric::decimal::{Context as Math, Rounding, Status};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// Names of the ways to round, in the order of [`Rounding::ALL`].
pub(super) const ROUNDINGS: [&str; 8] = [
    "ROUND_UP",
    "ROUND_DOWN",
    "ROUND_CEILING",
    "ROUND_FLOOR",
    "ROUND_HALF_UP",
    "ROUND_HALF_DOWN",
    "ROUND_HALF_EVEN",
    "ROUND_05UP",
];

/// The name of a way to round.
pub(super) fn rounding_name(rounding: Rounding) -> &'static str {
    ROUNDINGS[rounding as usize]
}

/// Payload of `Context`.
pub(super) struct Context {
    pub(super) math: Cell<Math>,
    pub(super) capitals: Cell<bool>,
    pub(super) flags: Rc<Cell<u32>>,
    pub(super) traps: Rc<Cell<u32>>,
    /// The mappings of flags and traps, when somebody has asked for them.
    pub(super) mappings: [OnceCell<Value>; 2],
}

// SAFETY: visits the mappings.
unsafe impl Payload for Context {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.mappings
            .iter()
            .filter_map(OnceCell::get)
            .for_each(visit);
    }
}

/// The signals that `DefaultContext` traps.
const TRAPPED: u32 = Status::INVALID | Status::DIVISION_BY_ZERO | Status::OVERFLOW;

const DEFAULT: Math = Math {
    precision: 28,
    emax: 999_999,
    emin: -999_999,
    rounding: Rounding::HalfEven,
    clamp: false,
    room: heap::can_allocate,
};

impl Context {
    /// A context without flags.
    pub(super) fn of(math: Math, capitals: bool, traps: u32) -> Context {
        Context {
            math: Cell::new(math),
            capitals: Cell::new(capitals),
            flags: Rc::new(Cell::new(0)),
            traps: Rc::new(Cell::new(traps)),
            mappings: [OnceCell::new(), OnceCell::new()],
        }
    }

    /// A copy; with the flags if that is wanted.
    pub(super) fn duplicate(&self, flags: bool) -> Context {
        let copy = Context::of(self.math.get(), self.capitals.get(), self.traps.get());
        if flags {
            copy.flags.set(self.flags.get());
        }
        copy
    }

    /// Takes note of conditions, and raises the exception for those that are trapped.
    #[inline]
    pub(super) fn settle(&self, vm: &mut Vm, status: Status) -> R<()> {
        if status.0 == 0 {
            return Ok(());
        }
        self.settle_some(vm, status)
    }

    fn settle_some(&self, vm: &mut Vm, status: Status) -> R<()> {
        if status.has(Status::NO_ROOM) {
            return Err(vm.memory_error());
        }
        self.flags.set(self.flags.get() | status.0);
        let trapped = status.0 & self.traps.get();
        if trapped == 0 {
            return Ok(());
        }
        Err(registry::trapped(vm, trapped))
    }
}

/// The mapping of flags (0) or traps (1).
pub(super) fn mapping(vm: &mut Vm, context: &Ref<Context>, which: usize) -> R {
    if let Some(mapping) = context.mappings[which].get() {
        return Ok(mapping.clone());
    }
    let cell = if which == 0 {
        context.flags.clone()
    } else {
        context.traps.clone()
    };
    let mapping = super::signals::value(vm, &cell)?;
    debug_assert!(mapping.is::<Signals>());
    Ok(context.mappings[which].get_or_init(|| mapping).clone())
}

thread_local! {
    /// The context variable that holds the current context.
    static VARIABLE: OnceCell<Value> = const { OnceCell::new() };
    static TEMPLATES: RefCell<Option<[Ref<Context>; 3]>> = const { RefCell::new(None) };
}

fn variable(vm: &mut Vm) -> R {
    if let Some(variable) = VARIABLE.with(|v| v.get().cloned()) {
        return Ok(variable);
    }
    // Its classes must be there.
    vm.import_module("_contextvars")?;
    Ok(VARIABLE.with(|v| {
        v.get_or_init(|| contextvars_core::new_variable("decimal_context"))
            .clone()
    }))
}

/// `DefaultContext`, `BasicContext`, `ExtendedContext`.
fn new_templates() -> [Ref<Context>; 3] {
    let nine = Math {
        precision: 9,
        ..DEFAULT
    };
    let basic = Math {
        rounding: Rounding::HalfUp,
        ..nine
    };
    let basic_traps = TRAPPED | Status::UNDERFLOW | Status::CLAMPED;
    [
        heap::alloc(Context::of(DEFAULT, true, TRAPPED)),
        heap::alloc(Context::of(basic, true, basic_traps)),
        heap::alloc(Context::of(nine, true, 0)),
    ]
}

fn with_templates<T>(f: impl FnOnce(&[Ref<Context>; 3]) -> T) -> T {
    TEMPLATES.with_borrow_mut(|t| f(t.get_or_insert_with(new_templates)))
}

/// Makes the templates anew, for a new module.
pub(super) fn reset_templates() {
    let old = TEMPLATES.replace(Some(new_templates()));
    drop(old);
}

/// The templates by name.
pub(super) fn templates() -> [(&'static str, Value); 3] {
    with_templates(|t| {
        [
            ("DefaultContext", t[0].to_value()),
            ("BasicContext", t[1].to_value()),
            ("ExtendedContext", t[2].to_value()),
        ]
    })
}

/// A new context as `DefaultContext` is, of this class.
pub(super) fn new_default(class: &Ref<Type>) -> Ref<Context> {
    let context = with_templates(|t| t[0].duplicate(false));
    heap::alloc_instance(context, class, 0)
}

/// The current context.
#[inline]
pub(super) fn current(vm: &mut Vm) -> R<Ref<Context>> {
    let variable = variable(vm)?;
    if let Some(value) = contextvars_core::lookup(vm, &variable)
        && let Ok(context) = value.into_ref::<Context>()
    {
        return Ok(context);
    }
    let context = new_default(Context::class());
    contextvars_core::bind(vm, &variable, context.to_value());
    Ok(context)
}

/// `setcontext(context)`: templates are copied.
pub(super) fn set_current(vm: &mut Vm, v: &Value) -> R {
    let Some(context) = v.as_ref::<Context>() else {
        return Err(vm.type_error("argument must be a context"));
    };
    let template = with_templates(|t| t.iter().any(|t| t.same(context)));
    let value = if template {
        heap::alloc(context.duplicate(false)).to_value()
    } else {
        v.clone()
    };
    let variable = variable(vm)?;
    contextvars_core::bind(vm, &variable, value);
    Ok(Value::NONE)
}

/// The context that an optional argument is; the current one for `None`.
#[inline]
pub(super) fn given(vm: &mut Vm, v: Option<&Value>) -> R<Ref<Context>> {
    match v {
        Some(v) if !v.is_none() => match v.as_ref::<Context>() {
            Some(context) => Ok(context.clone()),
            None => Err(vm.type_error("optional argument must be a context")),
        },
        _ => current(vm),
    }
}
