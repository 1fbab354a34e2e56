//! `cmp_to_key`: sort keys from a comparison function.

use crate::class_slot;
use crate::heap::{self, Payload, VmCell};
use crate::objects::native::receiver;
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// Payload of `KeyWrapper`: the function alone, or with an object to compare.
struct KeyWrapper {
    compare: Value,
    object: VmCell<Option<Value>>,
}

// SAFETY: visits both values.
unsafe impl Payload for KeyWrapper {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.compare);
        // SAFETY: the collector runs while no borrow of any payload lives.
        if let Some(object) = unsafe { self.object.peek() } {
            visit(object);
        }
    }
    fn clear(&mut self) {
        drop(self.object.exclusive().take());
    }
}

/// Makes the class.
pub(super) fn init(vm: &mut Vm) {
    if KeyWrapper::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    let slots = Slots {
        call: Some(call),
        compare: Some(compare),
        unhashable: true,
        ..Slots::NONE
    };
    let builder = ClassBuilder::new::<KeyWrapper>("KeyWrapper")
        .slots(slots)
        .module(vm, "functools");
    builder
        .getset(vm, "obj", get_object, Some(set_object))
        .build(vm);
}

/// `cmp_to_key(function)`
pub(super) fn key_class(function: &Value) -> Value {
    wrap(function, None)
}

fn wrap(function: &Value, object: Option<Value>) -> Value {
    Value::from_ref(heap::alloc(KeyWrapper {
        compare: function.clone(),
        object: VmCell::new(object),
    }))
}

fn call(vm: &mut Vm, v: &Value, args: Args) -> R {
    let object = match (args.positional(), args.names().is_empty()) {
        ([one], true) => one.clone(),
        _ => args.bind(vm, "K", crate::params!("(obj)"), 0)?[0].clone(),
    };
    Ok(wrap(&receiver::<KeyWrapper>(v).compare, Some(object)))
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<KeyWrapper>(), b.as_ref::<KeyWrapper>()) else {
        return Err(vm.type_error("other argument must be K instance"));
    };
    let (Some(p), Some(q)) = (x.object.get(vm).clone(), y.object.get(vm).clone()) else {
        return Err(vm.raise(crate::objects::exception::Exc::AttributeError, "object"));
    };
    let function = x.compare.clone();
    let order = vm.call(&function, &[p, q])?;
    vm.compare(op, &order, &Value::small_int(0))
}

fn get_object(vm: &mut Vm, v: &Value) -> R {
    match receiver::<KeyWrapper>(v).object.get(vm).clone() {
        Some(object) => Ok(object),
        None => Ok(Value::NONE),
    }
}

fn set_object(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    drop(receiver::<KeyWrapper>(v).object.replace(vm, value.cloned()));
    Ok(())
}
