//! `_decimal_core`: `Decimal` and `Context`, for our `decimal`.
//!
//! The arithmetic is in `coldframe_numeric::decimal` and knows no objects. Here are the classes: [`number`] has `Decimal`'s data and operators, [`methods`] its
//! methods, [`convert`] the constructors, [`context`] contexts with [`context_methods`], [`signals`] the mappings of flags and traps. What is rare is computed by the
//! library's Python implementation ([`rare`]).

mod compare;
mod context;
mod context_methods;
mod convert;
pub(crate) mod digits;
mod integers;
mod methods;
mod number;
mod operators;
mod rare;
mod registry;
mod signals;

pub(crate) use number::Decimal;
pub(crate) use operators::power_modulo;

use crate::heap::{Payload, Ref};
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::Vm;
use coldframe_numeric::decimal::{MAX_EMAX, MAX_PREC, MIN_EMIN, MIN_ETINY};

static FUNCTIONS: &[Def] = &[
    Def::function("getcontext", "()", |vm, _| {
        context::current(vm).map(|c| c.to_value())
    }),
    Def::function("setcontext", "(context, /)", |vm, a| {
        context::set_current(vm, &a[0])
    }),
    Def::function(
        "register",
        "(signals, conditions, signal_dict, tuple, rare, format, comparable, /)",
        registry::register,
    ),
];

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    if !Decimal::class_slot().with(|slot| slot.is_set()) {
        methods::build(vm);
        context_methods::build(vm);
        signals::build(vm);
    }
    let m = Module::native(vm, "_decimal_core", "", FUNCTIONS);
    for (name, value) in [
        ("Decimal", Decimal::class().to_value()),
        ("Context", context::Context::class().to_value()),
        ("SignalDictMixin", signals::Signals::class().to_value()),
        ("MAX_PREC", Value::int(MAX_PREC)),
        ("MAX_EMAX", Value::int(MAX_EMAX)),
        ("MIN_EMIN", Value::int(MIN_EMIN)),
        ("MIN_ETINY", Value::int(MIN_ETINY)),
    ] {
        m.set(vm, name, value);
    }
    for name in context::ROUNDINGS {
        m.set(vm, name, Str::value(name));
    }
    context::reset_templates();
    for (name, context) in context::templates() {
        m.set(vm, name, context);
    }
    m
}
