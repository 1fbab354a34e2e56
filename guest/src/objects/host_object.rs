//! Objects of the host, as the program sees them: a number, the name of the type and the text that stands for `repr()`.
//!
//! They cannot be made by the program, only handed in; what can be done with one is for the host to say: attributes that objects of Python do not have
//! are asked of it. It is told of each stand-in that is gone, so that it can let go of the object.

use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::exception::Exc;
use crate::objects::native::receiver;
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};
use std::cell::RefCell;

/// Payload of `HostObject`.
pub struct HostObject {
    /// Which object of the host it is.
    pub id: u64,
    /// What the host calls its type.
    pub type_name: Box<str>,
    /// What `repr()` answers.
    pub repr: Box<str>,
}

thread_local! {
    /// The objects of stand-ins that are gone, of which the host has not been told yet. Objects are freed where the host cannot be called.
    static GONE: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl Drop for HostObject {
    fn drop(&mut self) {
        // The list itself may be gone when the thread ends.
        let _ = GONE.try_with(|gone| gone.borrow_mut().push(self.id));
    }
}

/// Tells the host of the stand-ins that are gone.
pub(crate) fn release_gone(vm: &mut Vm) {
    if GONE.with_borrow(Vec::is_empty) {
        return;
    }
    for id in GONE.take() {
        vm.host.release_handle(id);
    }
}

// SAFETY: owns no objects.
unsafe impl Payload for HostObject {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

impl HostObject {
    /// The object that stands for the host's object `id`.
    pub fn value(id: u64, type_name: &str, repr: &str) -> Value {
        Value::from_ref(heap::alloc(HostObject {
            id,
            type_name: type_name.into(),
            repr: repr.into(),
        }))
    }
}

/// Makes the class.
pub(crate) fn init(vm: &mut Vm) {
    let slots = Slots {
        new: Some(refuse),
        repr: Some(|_, v| Ok(Str::value(&receiver::<HostObject>(v).repr))),
        hash: Some(|_, v| {
            let id = receiver::<HostObject>(v).id;
            Ok(coldframe_numeric::hash::hash_i64(id as i64))
        }),
        compare: Some(compare),
        getattr: Some(attribute),
        ..Slots::NONE
    };
    ClassBuilder::new::<HostObject>("HostObject")
        .slots(slots)
        .module(vm, "coldframe")
        .build(vm);
}

/// What every object has, then what the host has registered for the type.
fn attribute(vm: &mut Vm, v: &Value, name: &Value) -> R {
    let found = vm.generic_get_attr(v, name);
    let Err(raised) = found else {
        return found;
    };
    let Some(text) = name.as_ref::<Str>().map(|s| s.to_text().into_owned()) else {
        return Err(raised);
    };
    if text.starts_with("__") {
        return Err(raised);
    }
    vm.swallow(raised, Exc::AttributeError)?;
    let object = receiver::<HostObject>(v).clone();
    match vm.host.handle_attribute(object.id, &text) {
        // The host tells the name of the type, which the class here does not have.
        Err((class, message)) if class == "AttributeError" => {
            Err(vm.attribute_error(v, name, &message))
        }
        reply => vm.tool_reply(reply),
    }
}

fn refuse(vm: &mut Vm, _: &Ref<Type>, _: Args) -> R {
    Err(vm.type_error("cannot create 'coldframe.HostObject' instances"))
}

fn compare(_: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(a), Some(b)) = (a.as_ref::<HostObject>(), b.as_ref::<HostObject>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    Ok(match op {
        CmpOp::Eq => Value::bool(a.id == b.id),
        CmpOp::Ne => Value::bool(a.id != b.id),
        _ => Value::NOT_IMPLEMENTED,
    })
}
