//! `SignalDictMixin`: the mapping from signals to whether they are set, of a context's flags or traps.

use super::registry::{self, SIGNALS};
use crate::class_slot;
use crate::heap::{self, Payload};
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::{R, Vm};
use std::cell::Cell;
use std::rc::Rc;

/// Payload: the conditions, shared with the context.
pub(super) struct Signals {
    /// `None` for one that the program has made itself, which belongs to no context.
    conditions: Option<Rc<Cell<u32>>>,
}

// SAFETY: owns no values.
unsafe impl Payload for Signals {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Makes the class.
pub(super) fn build(vm: &mut Vm) {
    ClassBuilder::new::<Signals>("SignalDictMixin")
        .flags(BASE)
        .module(vm, "decimal")
        .slots(SLOTS)
        .methods(vm, METHODS)
        .build(vm);
}

/// The mapping of these conditions.
pub(super) fn value(vm: &mut Vm, conditions: &Rc<Cell<u32>>) -> R {
    let class = registry::registry(vm)?.signal_dict.clone();
    let conditions = Some(conditions.clone());
    Ok(Value::from_ref(heap::alloc_instance(
        Signals { conditions },
        &class,
        0,
    )))
}

/// The conditions of a mapping that belongs to a context.
fn state(vm: &mut Vm, v: &Signals) -> R<Rc<Cell<u32>>> {
    match &v.conditions {
        Some(conditions) => Ok(conditions.clone()),
        None => Err(vm.value_error("invalid signal dict")),
    }
}

const SLOTS: Slots = Slots {
    repr: Some(repr),
    len: Some(|vm, v| {
        state(vm, receiver::<Signals>(v))?;
        Ok(SIGNALS.len())
    }),
    iter: Some(|vm, v| {
        state(vm, receiver::<Signals>(v))?;
        let all = registry::signals_of(vm, u32::MAX)?;
        vm.get_iter(&Tuple::value(all))
    }),
    getitem: Some(|vm, v, key| {
        let conditions = state(vm, receiver::<Signals>(v))?.get();
        let bits = registry::condition_of(vm, key)?;
        Ok(Value::bool(conditions & bits != 0))
    }),
    setitem: Some(|vm, v, key, value| {
        let cell = state(vm, receiver::<Signals>(v))?;
        let Some(value) = value else {
            return Err(vm.value_error("signal keys cannot be deleted"));
        };
        let bits = registry::condition_of(vm, key)?;
        let on = vm.truthy(value)?;
        cell.set(if on {
            cell.get() | bits
        } else {
            cell.get() & !bits
        });
        Ok(())
    }),
    compare: Some(compare),
    unhashable: true,
    new: Some(|_, class, _| {
        let signals = Signals { conditions: None };
        Ok(Value::from_ref(heap::alloc_instance(signals, class, 0)))
    }),
    ..Slots::NONE
};

static METHODS: &[Def] = &[Def::method("copy", "(self, /)", |vm, a| {
    let conditions = state(vm, receiver::<Signals>(&a[0]))?.get();
    as_dict(vm, conditions)
})];

/// An ordinary dictionary of the same.
fn as_dict(vm: &mut Vm, conditions: u32) -> R {
    let dict = Dict::new();
    for class in registry::signals_of(vm, u32::MAX)? {
        let bits = registry::condition_of(vm, &class)?;
        dict.set_item(vm, &class, Value::bool(conditions & bits != 0))?;
    }
    Ok(dict.to_value())
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let conditions = state(vm, receiver::<Signals>(v))?.get();
    let mut parts = Vec::new();
    for class in registry::signals_of(vm, u32::MAX)? {
        let bits = registry::condition_of(vm, &class)?;
        let shown = vm.repr(&class)?.to_text().into_owned();
        let on = if conditions & bits != 0 {
            "True"
        } else {
            "False"
        };
        parts.push(format!("{shown}:{on}"));
    }
    Ok(Str::value(&format!("{{{}}}", parts.join(", "))))
}

/// Only the signals count, not which condition set them.
fn coarse(conditions: u32) -> u32 {
    SIGNALS
        .iter()
        .enumerate()
        .filter(|(_, bits)| *bits & conditions != 0)
        .fold(0, |all, (at, _)| all | 1 << at)
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    if !matches!(op, CmpOp::Eq | CmpOp::Ne) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let (Some(x), Some(y)) = (known(vm, a)?, known(vm, b)?) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    Ok(Value::bool((coarse(x) == coarse(y)) == (op == CmpOp::Eq)))
}

fn known(vm: &mut Vm, v: &Value) -> R<Option<u32>> {
    if let Some(signals) = v.as_ref::<Signals>() {
        return state(vm, signals).map(|c| Some(c.get()));
    }
    if !v.is::<Dict>() {
        return Ok(None);
    }
    match from_mapping(vm, v) {
        Ok(conditions) => Ok(Some(conditions)),
        Err(raised) => {
            // A dictionary with other keys is just not equal.
            vm.swallow(raised, Exc::KeyError)?;
            Ok(None)
        }
    }
}

/// The conditions that a mapping of all signals stands for.
pub(super) fn from_mapping(vm: &mut Vm, v: &Value) -> R<u32> {
    if let Some(signals) = v.as_ref::<Signals>() {
        return state(vm, signals).map(|c| c.get());
    }
    let Some(dict) = v.as_ref::<Dict>().cloned() else {
        return Err(vm.type_error("argument must be a signal dict"));
    };
    if dict.len(vm) != SIGNALS.len() {
        return Err(vm.raise(Exc::KeyError, "invalid signal dict"));
    }
    let mut conditions = 0;
    for key in vm.collect(v)? {
        let bits = registry::condition_of(vm, &key)?;
        if let Some(value) = dict.get_item(vm, &key)?
            && vm.truthy(&value)?
        {
            conditions |= bits;
        }
    }
    Ok(conditions)
}
