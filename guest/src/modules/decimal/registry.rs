//! What the Python part of the module gives to the native one: exception classes and functions.

use crate::heap::Ref;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::{R, Raised, Vm};
use coldframe_numeric::decimal::Status;
use std::cell::Cell;

/// The signals in CPython's order, as conditions.
pub(super) const SIGNALS: [u32; 9] = [
    Status::INVALID,
    Status::FLOAT_OPERATION,
    Status::DIVISION_BY_ZERO,
    Status::OVERFLOW,
    Status::UNDERFLOW,
    Status::SUBNORMAL,
    Status::INEXACT,
    Status::ROUNDED,
    Status::CLAMPED,
];

/// The conditions that make up the signal "invalid operation", in CPython's order.
const CONDITIONS: [u32; 5] = [
    Status::INVALID_OPERATION,
    Status::CONVERSION_SYNTAX,
    Status::DIVISION_IMPOSSIBLE,
    Status::DIVISION_UNDEFINED,
    Status::INVALID_CONTEXT,
];

/// The Python part.
pub(super) struct Registry {
    /// Classes of [`SIGNALS`].
    pub(super) signals: Vec<Ref<Type>>,
    /// Classes of [`CONDITIONS`].
    conditions: Vec<Ref<Type>>,
    /// The class of the mappings.
    pub(super) signal_dict: Ref<Type>,
    /// The class of `as_tuple()`.
    pub(super) tuple: Ref<Type>,
    /// Computes what is rare.
    pub(super) rare: Value,
    /// Formats what is rare.
    pub(super) format: Value,
    /// Makes two numbers comparable.
    pub(super) comparable: Value,
}

thread_local! {
    /// That of the machine that imported the module last.
    static REGISTRY: Cell<Option<&'static Registry>> = const { Cell::new(None) };
}

/// The Python part.
pub(super) fn registry(vm: &mut Vm) -> R<&'static Registry> {
    if let Some(registry) = REGISTRY.get() {
        return Ok(registry);
    }
    // Whoever found the classes without the module.
    vm.import_module("decimal")?;
    match REGISTRY.get() {
        Some(registry) => Ok(registry),
        None => Err(vm.raise(Exc::ImportError, "the module decimal is not ready")),
    }
}

/// `register(...)`: called once, by the Python part.
pub(super) fn register(vm: &mut Vm, args: &[Value]) -> R {
    let classes = |v: &Value| -> Option<Vec<Ref<Type>>> {
        let items = v.as_ref::<Tuple>()?;
        items
            .items()
            .iter()
            .map(|v| v.as_ref::<Type>().cloned())
            .collect()
    };
    let (Some(signals), Some(conditions), Some(signal_dict), Some(tuple)) = (
        classes(&args[0]).filter(|c| c.len() == SIGNALS.len()),
        classes(&args[1]).filter(|c| c.len() == CONDITIONS.len()),
        args[2].as_ref::<Type>().cloned(),
        args[3].as_ref::<Type>().cloned(),
    ) else {
        return Err(vm.type_error("register() got other classes than it needs"));
    };
    REGISTRY.set(Some(Box::leak(Box::new(Registry {
        signals,
        conditions,
        signal_dict,
        tuple,
        rare: args[4].clone(),
        format: args[5].clone(),
        comparable: args[6].clone(),
    }))));
    Ok(Value::NONE)
}

/// The exception for conditions that are trapped: that of the first signal, with a list of all of them.
#[cold]
pub(super) fn trapped(vm: &mut Vm, conditions: u32) -> Raised {
    let registry = match registry(vm) {
        Ok(registry) => registry,
        Err(raised) => return raised,
    };
    let first = SIGNALS.iter().position(|s| s & conditions != 0);
    let class = registry.signals[first.unwrap_or(0)].clone();
    let mut list = Vec::new();
    for (bit, class) in CONDITIONS.iter().zip(&registry.conditions) {
        if bit & conditions != 0 {
            list.push(class.to_value());
        }
    }
    for (bit, class) in SIGNALS.iter().zip(&registry.signals).skip(1) {
        if bit & conditions != 0 {
            list.push(class.to_value());
        }
    }
    let args = Tuple::value(vec![List::value(list)]);
    vm.raise_args(&class, args)
}

/// The conditions of a signal's class.
pub(super) fn condition_of(vm: &mut Vm, class: &Value) -> R<u32> {
    let registry = registry(vm)?;
    let found = registry
        .signals
        .iter()
        .position(|c| c.to_value().is_same(class));
    match found {
        Some(at) => Ok(SIGNALS[at]),
        None => Err(vm.raise(
            Exc::KeyError,
            "valid values for signals are:\n  [InvalidOperation, FloatOperation, DivisionByZero,\n   Overflow, Underflow, \
             Subnormal, Inexact, Rounded,\n   Clamped]",
        )),
    }
}

/// The classes of the signals that are set.
pub(super) fn signals_of(vm: &mut Vm, conditions: u32) -> R<Vec<Value>> {
    let registry = registry(vm)?;
    let set = SIGNALS.iter().zip(&registry.signals);
    Ok(set
        .filter(|(bits, _)| *bits & conditions != 0)
        .map(|(_, class)| class.to_value())
        .collect())
}
