//! `types.SimpleNamespace`: an object that is nothing but its attributes.

use crate::heap::{self, Payload, Ref};
use crate::objects::dict::Dict;
use crate::objects::native::Def;
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Instance, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::OnceCell;

thread_local! {
    static CLASS: OnceCell<Ref<Type>> = const { OnceCell::new() };
}

/// The class.
pub fn class(vm: &mut Vm) -> Ref<Type> {
    if let Some(class) = CLASS.with(|c| c.get().cloned()) {
        return class;
    }
    let slots = Slots {
        repr: Some(repr),
        compare: Some(compare),
        unhashable: true,
        new: Some(|_, class, _| Ok(Value::from_ref(heap::alloc_instance(Instance, class, 0)))),
        init: Some(init),
        ..Slots::NONE
    };
    let class = ClassBuilder::sibling::<Instance>("SimpleNamespace")
        .flags(BASE)
        .attrs(6)
        .weak()
        .slots(slots)
        .module(vm, "types")
        .methods(vm, METHODS)
        .getset(vm, "__dict__", |vm, v| Ok(dict_of(vm, v).to_value()), None)
        .build(vm);
    CLASS.with(|c| c.get_or_init(|| class).clone())
}

/// A namespace with these attributes.
pub fn value(vm: &mut Vm, attributes: Vec<(&str, Value)>) -> R {
    let class = class(vm);
    let v = Value::from_ref(heap::alloc_instance(Instance, &class, 0));
    for (name, value) in attributes {
        vm.set_attr(&v, &crate::names::intern(name).to_value(), Some(&value))?;
    }
    Ok(v)
}

fn dict_of(vm: &mut Vm, v: &Value) -> Ref<Dict> {
    match v.header() {
        Some(h) => vm.instance_dict(h),
        None => Dict::new(),
    }
}

fn init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let dict = dict_of(vm, v);
    match args.positional() {
        [] => {}
        [mapping] => {
            let source = if let Some(d) = mapping.as_ref::<Dict>() {
                d.clone()
            } else {
                let class = Dict::class().to_value();
                match vm
                    .call(&class, std::slice::from_ref(mapping))?
                    .into_ref::<Dict>()
                {
                    Ok(d) => d,
                    Err(_) => Dict::new(),
                }
            };
            let entries: Vec<(Value, Value)> = source
                .map
                .get(vm)
                .iter()
                .map(|e| (e.key.clone(), e.value.clone()))
                .collect();
            for (key, value) in entries {
                if !key.is::<Str>() {
                    return Err(vm.type_error("keywords must be strings"));
                }
                dict.set_item(vm, &key, value)?;
            }
        }
        many => {
            return Err(vm.type_error(format!(
                "SimpleNamespace expected at most 1 argument, got {}",
                many.len()
            )));
        }
    }
    for (name, value) in args.keywords() {
        dict.set_item(vm, &name.to_value(), value.clone())?;
    }
    Ok(())
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let class = class_of(v).clone();
    let name = if CLASS.with(|c| c.get().is_some_and(|c| c.same(&class))) {
        "namespace".to_owned()
    } else {
        class.bare_name().into_owned()
    };
    let text = vm.repr_once(v, |vm| {
        let dict = dict_of(vm, v);
        let entries: Vec<(Value, Value)> = dict
            .map
            .get(vm)
            .iter()
            .map(|e| (e.key.clone(), e.value.clone()))
            .collect();
        let mut out = format!("{name}(").into_bytes();
        let mut first = true;
        for (key, value) in entries {
            let Some(key) = key.as_ref::<Str>().filter(|k| !k.is_empty()) else {
                continue;
            };
            if !std::mem::take(&mut first) {
                out.extend_from_slice(b", ");
            }
            out.extend_from_slice(key.as_bytes());
            out.push(b'=');
            let text = vm.repr(&value)?;
            out.extend_from_slice(text.as_bytes());
        }
        out.push(b')');
        Ok(Str::value_wtf8(&out))
    })?;
    Ok(text.unwrap_or_else(|| Str::value(&format!("{name}(...)"))))
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let is_mine =
        |v: &Value| CLASS.with(|c| c.get().is_some_and(|c| class_of(v).is_subclass_of(c)));
    if !is_mine(a) || !is_mine(b) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let (a, b) = (dict_of(vm, a).to_value(), dict_of(vm, b).to_value());
    vm.compare(op, &a, &b).or_else(|raised| {
        if matches!(op, CmpOp::Eq | CmpOp::Ne) {
            return Err(raised);
        }
        vm.swallow(raised, crate::objects::exception::Exc::TypeError)?;
        Ok(Value::NOT_IMPLEMENTED)
    })
}

static METHODS: &[Def] = &[
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let dict = dict_of(vm, &args[0]).to_value();
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            Tuple::empty(),
            dict,
        ]))
    }),
    Def::raw_method("__replace__", "(self, /, **changes)", |vm, args| {
        let v = args.values()[0].clone();
        let class = class_of(&v).to_value();
        let made = vm.call(&class, &[])?;
        let (from, to) = (dict_of(vm, &v), dict_of(vm, &made));
        let entries: Vec<(Value, Value)> = from
            .map
            .get(vm)
            .iter()
            .map(|e| (e.key.clone(), e.value.clone()))
            .collect();
        for (key, value) in entries {
            to.set_item(vm, &key, value)?;
        }
        for (name, value) in args.keywords() {
            to.set_item(vm, &name.to_value(), value.clone())?;
        }
        Ok(made)
    }),
];
