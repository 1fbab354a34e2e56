//! `IsoCalendarDate`: the tuple that `isocalendar` gives.

use super::fields::{Signature, int_arg};
use crate::heap::{Payload, Ref};
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, ClassSlot, Type};
use crate::value::Value;
use crate::vm::Vm;
use crate::vm::ops::class_of;

thread_local! {
    static CLASS: ClassSlot = const { ClassSlot::new() };
}

/// Makes the class.
pub(super) fn build(vm: &mut Vm) {
    let class = ClassBuilder::sibling::<Tuple>("IsoCalendarDate")
        .base(Tuple::class())
        .module(vm, "datetime")
        .doc(
            vm,
            "The result of date.isocalendar() or datetime.isocalendar()

This object may be accessed either as a tuple of
  ((year, week, weekday))
or via the object attributes as named in the above tuple.",
        )
        .slots(Slots {
            repr: Some(|_, v| {
                let shown: Vec<String> = ["year", "week", "weekday"]
                    .iter()
                    .zip(receiver::<Tuple>(v).items())
                    .map(|(name, i)| format!("{name}={}", i.as_small_int().unwrap_or(0)))
                    .collect();
                Ok(Str::value(&format!(
                    "{}({})",
                    class_of(v).name(),
                    shown.join(", ")
                )))
            }),
            new: Some(|vm, class, args| {
                let mut parts = [0; 3];
                SIGNATURE.each(vm, args, |vm, i, v| {
                    parts[i] = int_arg(vm, v)?;
                    Ok(())
                })?;
                Ok(of_class(class, parts))
            }),
            ..Slots::NONE
        })
        .getset(vm, "year", |_, v| Ok(item(0, v)), None)
        .getset(vm, "week", |_, v| Ok(item(1, v)), None)
        .getset(vm, "weekday", |_, v| Ok(item(2, v)), None)
        .methods(vm, METHODS)
        .build(vm);
    CLASS.with(|slot| slot.set(class));
}

fn item(i: usize, v: &Value) -> Value {
    let items = receiver::<Tuple>(v).items();
    items.get(i).cloned().unwrap_or(Value::NONE)
}

static SIGNATURE: Signature = Signature {
    name: "IsoCalendarDate",
    params: &["year", "week", "weekday"],
    required: 3,
    positional: 3,
};

static METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |_, args| {
    let plain = Tuple::from_slice(receiver::<Tuple>(&args[0]).items());
    Ok(Tuple::value(vec![
        Tuple::class().to_value(),
        Tuple::value(vec![plain]),
    ]))
})];

fn of_class(class: &Ref<Type>, parts: [i64; 3]) -> Value {
    let items = parts.into_iter().map(Value::int).collect();
    Value::from_ref(Tuple::instance(class, items))
}

/// The tuple of these parts.
pub(super) fn value((year, week, day): (i64, i64, i64)) -> Value {
    of_class(CLASS.with(ClassSlot::get), [year, week, day])
}
