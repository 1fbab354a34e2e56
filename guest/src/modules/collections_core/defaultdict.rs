//! `defaultdict`: a dictionary that makes what is missing. Its factory is kept like a `__slots__` attribute.

use crate::heap::attrs::Attrs;
use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::descriptors::Member;
use crate::objects::dict::methods::update_args;
use crate::objects::dict::{self, Dict};
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::OnceCell;

thread_local! {
    static CLASS: OnceCell<Ref<Type>> = const { OnceCell::new() };
}

/// The class.
pub(super) fn class(vm: &mut Vm) -> Ref<Type> {
    if let Some(class) = CLASS.with(|c| c.get().cloned()) {
        return class;
    }
    let slots = Slots {
        repr: Some(repr),
        binary: Some(binary),
        binary_ops: ops(&[BinOp::Or]),
        reflected_ops: ops(&[BinOp::Or]),
        new: Some(new),
        init: Some(init),
        ..Slots::NONE
    };
    let builder = ClassBuilder::sibling::<Dict>("defaultdict")
        .base(Dict::class())
        .flags(BASE)
        .slots(slots)
        .weak();
    let class = builder
        .methods(vm, METHODS)
        .module(vm, "collections")
        .build(vm);
    let name = names::intern("default_factory");
    class.keys.borrow_mut().add(&name);
    class.slot_count.set(1);
    class.set_attr_capacity(Some(1));
    let member = Value::from_ref(heap::alloc(Member {
        name: name.clone(),
        owner: class.clone(),
        index: 0,
    }));
    class.dict.set_str(vm, &name, member);
    class.invalidate();
    CLASS.with(|c| {
        let _ = c.set(class.clone());
    });
    class
}

static METHODS: &[Def] = &[
    Def::method("__missing__", "(self, key, /)", |vm, args| {
        let factory = factory(&args[0]);
        if factory.is_none() {
            return Err(vm.key_error(&args[1]));
        }
        let value = vm.call(&factory, &[])?;
        vm.set_item(&args[0], &args[1], &value)?;
        Ok(value)
    }),
    Def::method("copy", "(self, /)", copy),
    Def::method("__copy__", "(self, /)", copy),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let factory = factory(&args[0]);
        let factory = if factory.is_none() {
            Tuple::empty()
        } else {
            Tuple::value(vec![factory])
        };
        let items = vm.call_method(&args[0], &names::intern("items"), &[])?;
        let items = vm.get_iter(&items)?;
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            factory,
            Value::NONE,
            Value::NONE,
            items,
        ]))
    }),
];

fn factory(v: &Value) -> Value {
    v.header()
        .and_then(Attrs::of)
        .and_then(|a| a.get(0))
        .unwrap_or(Value::NONE)
}

fn set_factory(v: &Value, factory: Value) {
    if let Some(attrs) = v.header().and_then(Attrs::of) {
        drop(attrs.replace(0, factory));
    }
}

fn new(_: &mut Vm, class: &Ref<Type>, _: Args) -> R {
    let v = Value::from_ref(heap::alloc_instance(Dict::empty_payload(), class, 0));
    set_factory(&v, Value::NONE);
    Ok(v)
}

fn init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let dict = receiver::<Dict>(v).clone();
    let Some(factory) = args.positional().first() else {
        return update_args(vm, &dict, args, "defaultdict");
    };
    if !factory.is_none() && class_of(factory).slots().call.is_none() {
        return Err(vm.type_error("first argument must be callable or None"));
    }
    set_factory(v, factory.clone());
    update_args(vm, &dict, args.tail(), "defaultdict")
}

fn copy(vm: &mut Vm, args: &[Value]) -> R {
    let class = class_of(&args[0]).to_value();
    vm.call(&class, &[factory(&args[0]), args[0].clone()])
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let factory = factory(v);
    // A factory may show the dictionary itself (a bound method of it, say).
    let shown = vm.repr_once(&factory, |vm| vm.repr(&factory))?;
    let items = dict::methods::repr(vm, v)?;
    let mut out = format!("{}(", class_of(v).bare_name()).into_bytes();
    out.extend_from_slice(shown.as_ref().map_or(b"...", |s| s.as_bytes()));
    out.extend_from_slice(b", ");
    if let Some(items) = items.as_ref::<Str>() {
        out.extend_from_slice(items.as_bytes());
    }
    out.push(b')');
    Ok(Str::value_wtf8(&out))
}

fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    if op != BinOp::Or || !a.is::<Dict>() || !b.is::<Dict>() {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let is_mine =
        |v: &Value| CLASS.with(|c| c.get().is_some_and(|c| class_of(v).is_subclass_of(c)));
    // The result is like the one that is a `defaultdict`, the left one if both are.
    let model = if is_mine(a) { a } else { b };
    let class = class_of(model).to_value();
    let result = vm.call(&class, &[factory(model), a.clone()])?;
    if let Some(dict) = result.as_ref::<Dict>().cloned() {
        dict::methods::update(vm, &dict, b)?;
    }
    Ok(result)
}
