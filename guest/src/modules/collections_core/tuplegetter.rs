//! `_tuplegetter`: the attributes of named tuples.

use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::exception::Exc;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Payload of `_tuplegetter`.
struct TupleGetter {
    index: i64,
    doc: VmCell<Value>,
}

// SAFETY: visits the documentation.
unsafe impl Payload for TupleGetter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        visit(unsafe { self.doc.peek() });
    }
}

/// The class.
pub(super) fn class(vm: &mut Vm) -> Ref<Type> {
    if TupleGetter::class_slot().with(|slot| slot.is_set()) {
        return TupleGetter::class().clone();
    }
    let slots = Slots {
        repr: Some(repr),
        descr_get: Some(get),
        descr_set: Some(set),
        new: Some(new),
        ..Slots::NONE
    };
    let builder = ClassBuilder::new::<TupleGetter>("_tuplegetter")
        .slots(slots)
        .methods(vm, METHODS)
        .module(vm, "_collections");
    builder
        .getset(
            vm,
            "__doc__",
            |vm, v| Ok(receiver::<TupleGetter>(v).doc.get(vm).clone()),
            Some(set_doc),
        )
        .build(vm)
}

static METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |vm, args| {
    let g = receiver::<TupleGetter>(&args[0]);
    let doc = g.doc.get(vm).clone();
    Ok(Tuple::value(vec![
        TupleGetter::class().to_value(),
        Tuple::value(vec![Value::int(g.index), doc]),
    ]))
})];

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let args = args.exactly(vm, "_tuplegetter", 2, 2)?;
    let index = vm.index_i64(&args[0])?;
    Ok(Value::from_ref(heap::alloc_instance(
        TupleGetter {
            index,
            doc: VmCell::new(args[1].clone()),
        },
        class,
        0,
    )))
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let g = receiver::<TupleGetter>(v);
    let doc = g.doc.get(vm).clone();
    let text = format!("_tuplegetter({}, {})", g.index, vm.repr(&doc)?.to_text());
    Ok(Str::value(&text))
}

fn get(vm: &mut Vm, v: &Value, instance: Option<&Value>, _: &Value) -> R {
    let Some(instance) = instance else {
        return Ok(v.clone());
    };
    let index = receiver::<TupleGetter>(v).index;
    let Some(tuple) = instance.as_ref::<Tuple>() else {
        let class = class_of(instance).name().into_owned();
        return Err(vm.type_error(format!(
            "descriptor for index '{index}' for tuple subclasses doesn't apply to '{class}' object"
        )));
    };
    match usize::try_from(index)
        .ok()
        .and_then(|i| tuple.items().get(i))
    {
        Some(item) => Ok(item.clone()),
        None => Err(vm.index_error("tuple index out of range")),
    }
}

fn set(vm: &mut Vm, _: &Value, _: &Value, value: Option<&Value>) -> R<()> {
    let text = if value.is_some() {
        "can't set attribute"
    } else {
        "can't delete attribute"
    };
    Err(vm.raise(Exc::AttributeError, text))
}

fn set_doc(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let value = value.cloned().unwrap_or(Value::NONE);
    drop(receiver::<TupleGetter>(v).doc.replace(vm, value));
    Ok(())
}
