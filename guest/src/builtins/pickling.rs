//! What `object` offers for pickling and copying: `__reduce_ex__`, `__reduce__` and `__getstate__`.

use crate::heap::{Kind, Payload, Ref};
use crate::names::Names;
use crate::objects::dict::Dict;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{Instance, Type};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

pub(super) fn reduce_ex(vm: &mut Vm, args: &[Value]) -> R {
    let name = &Names::get().__reduce__;
    let class = class_of(&args[0]).clone();
    let custom = vm.type_lookup(&class, name);
    let default = vm.type_lookup(Instance::class(), name);
    if let (Some(c), Some(d)) = (&custom, &default)
        && !c.is_same(d)
    {
        return vm.call_method(&args[0], name, &[]);
    }
    let protocol = vm.index_i64(&args[1])?;
    reduce(vm, &args[0], protocol)
}

/// `object.__reduce_ex__(protocol)`, by way of `copyreg`.
pub fn reduce(vm: &mut Vm, v: &Value, protocol: i64) -> R {
    let copyreg = vm.import_module("copyreg")?;
    if protocol < 2 {
        let f = vm.get_attr(&copyreg, &Str::value("_reduce_ex"))?;
        return vm.call(&f, &[v.clone(), Value::int(protocol)]);
    }
    let class = class_of(v).clone();
    let n = Names::get();
    let class_value = class.to_value();
    let mut args = vec![class_value.clone()];
    let mut kwargs = Value::NONE;
    if let Some(f) = vm.special(v, &crate::names::intern("__getnewargs_ex__"))? {
        let pair = vm.call(&f, &[])?;
        match pair
            .as_ref::<Tuple>()
            .map(|t| t.items().to_vec())
            .as_deref()
        {
            Some([a, k]) => {
                args.extend(vm.collect(a)?);
                kwargs = k.clone();
            }
            _ => {
                return Err(vm.type_error(format!(
                    "__getnewargs_ex__ should return a tuple, not '{}'",
                    class_of(&pair).name()
                )));
            }
        }
    } else if let Some(f) = vm.special(v, &n.__getnewargs__)? {
        let t = vm.call(&f, &[])?;
        match t.as_ref::<Tuple>() {
            Some(t) => args.extend(t.items().iter().cloned()),
            None => {
                return Err(vm.type_error(format!(
                    "__getnewargs__ should return a tuple, not '{}'",
                    class_of(&t).name()
                )));
            }
        }
    } else if !rebuilds_from_state(&class) {
        return Err(vm.type_error(format!("cannot pickle '{}' object", class.name())));
    }
    let state = vm.call_method(v, &n.__getstate__, &[])?;
    let list_items = if v.is::<crate::objects::list::List>() {
        vm.get_iter(v)?
    } else {
        Value::NONE
    };
    let dict_items = if v.is::<Dict>() {
        let items = vm.call_method(v, &n.items, &[])?;
        vm.get_iter(&items)?
    } else {
        Value::NONE
    };
    let has_kwargs = !kwargs.is_none() && vm.truthy(&kwargs)?;
    let (maker, maker_args) = if has_kwargs {
        let positional = Tuple::value(args[1..].to_vec());
        (
            vm.get_attr(&copyreg, &Str::value("__newobj_ex__"))?,
            Tuple::value(vec![class_value, positional, kwargs]),
        )
    } else {
        (
            vm.get_attr(&copyreg, &Str::value("__newobj__"))?,
            Tuple::value(args),
        )
    };
    Ok(Tuple::value(vec![
        maker, maker_args, state, list_items, dict_items,
    ]))
}

/// Whether an empty instance and its state say everything about an object.
fn rebuilds_from_state(class: &Type) -> bool {
    match class.vtable.kind {
        Kind::Instance
        | Kind::List
        | Kind::Dict
        | Kind::Set
        | Kind::ByteArray
        | Kind::Exception
        | Kind::Property => true,
        Kind::Other => !class.is_static(),
        _ => false,
    }
}

/// `object.__getstate__()`
pub(crate) fn get_state(vm: &mut Vm, args: &[Value]) -> R {
    state_of(vm, &args[0])
}

/// The default state of an object: its `__dict__` or `None`, and in a pair with that the values of its `__slots__`.
pub(crate) fn state_of(vm: &mut Vm, v: &Value) -> R {
    let class = class_of(v).clone();
    let mut state = Value::NONE;
    if let Some(d) = vm.namespace_of(v)?
        && vm.truthy(&d)?
    {
        state = d;
    }
    let names = slot_names(vm, &class)?;
    if names.is_empty() {
        return Ok(state);
    }
    let slots = Dict::new();
    for name in names {
        if let Some(value) = vm.get_attr_opt(v, &name)? {
            slots.set_item(vm, &name, value)?;
        }
    }
    if slots.len(vm) > 0 {
        return Ok(Tuple::value(vec![state, Value::from_ref(slots)]));
    }
    Ok(state)
}

/// The names of a class's slots: what the class says in `__slotnames__`, or what `copyreg` finds (and leaves there).
fn slot_names(vm: &mut Vm, class: &Ref<Type>) -> R<Vec<Value>> {
    let known = class
        .dict
        .get_str(vm, &crate::names::intern("__slotnames__"))
        .cloned();
    let list = match known {
        Some(list) => list,
        None if class.slot_count.get() == 0 => return Ok(Vec::new()),
        None => {
            let copyreg = vm.import_module("copyreg")?;
            let f = vm.get_attr(&copyreg, &Str::value("_slotnames"))?;
            vm.call(&f, &[class.to_value()])?
        }
    };
    if list.is_none() {
        return Ok(Vec::new());
    }
    match list.as_ref::<crate::objects::list::List>() {
        Some(list) => Ok(list.items.get(vm).to_vec()),
        None => Err(vm.type_error(format!(
            "{}.__slotnames__ should be a list or None, not {}",
            class.name(),
            class_of(&list).name()
        ))),
    }
}
