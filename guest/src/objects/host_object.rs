//! Objects of the host, as the program sees them: a number, the name of the type and the text that stands for `repr()`.
//!
//! They cannot be made by the program, only handed in; what can be done with one is for the host to say. Nothing here asks the host.

use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::native::receiver;
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// Payload of `HostObject`.
pub struct HostObject {
    /// Which object of the host it is.
    pub id: u64,
    /// What the host calls its type.
    pub type_name: Box<str>,
    /// What `repr()` answers.
    pub repr: Box<str>,
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
        ..Slots::NONE
    };
    ClassBuilder::new::<HostObject>("HostObject")
        .slots(slots)
        .module(vm, "coldframe")
        .build(vm);
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
