//! `object`: its Python side. What `type` does is in [`super::type_object`], pickling by `__reduce_ex__` in [`super::pickling`].

use crate::heap::attrs::Attrs;
use crate::heap::{Kind, Payload, Ref};
use crate::names::Names;
use crate::objects::dict::Dict;

use crate::objects::native::Def;
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::types::{ABSTRACT, BASE, ClassBuilder, Instance, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::lookup::{generic_getattr_slot, generic_setattr_slot};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Makes `object`.
pub(crate) fn init(vm: &mut Vm) {
    // The raw classes have no methods yet; descriptors can be made because their classes come into being on first use below.
    crate::builtins::functions::declare(vm);
    let object = ClassBuilder::new::<Instance>("object")
        .flags(BASE)
        .slots(OBJECT);
    let object = object.methods(vm, OBJECT_METHODS).getset(vm, "__class__", get_class, Some(set_class)).doc(
        vm,
        "The base class of the class hierarchy.\n\nWhen called, it accepts no arguments and returns a new featureless\ninstance that has no instance attributes and cannot be given any.\n",
    );
    object.build(vm);
}

// ---- object

const OBJECT: Slots = Slots {
    repr: Some(object_repr),
    str: Some(object_str),
    hash: Some(object_hash),
    getattr: Some(generic_getattr_slot),
    setattr: Some(generic_setattr_slot),
    compare: Some(object_compare),
    new: Some(object_new),
    init: Some(object_init),
    ..Slots::NONE
};

static OBJECT_METHODS: &[Def] = &[
    Def::method("__format__", "(self, format_spec, /)", object_format),
    Def::method("__dir__", "(self, /)", object_dir),
    Def::method("__sizeof__", "(self, /)", |_, _| Ok(Value::small_int(16))),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        super::pickling::reduce(vm, &args[0], 0)
    }),
    Def::method(
        "__reduce_ex__",
        "(self, protocol, /)",
        super::pickling::reduce_ex,
    ),
    Def::method("__getstate__", "(self, /)", super::pickling::get_state),
    Def::raw_class_method("__init_subclass__", "()", init_subclass),
    Def::class_method("__subclasshook__", "(cls, object, /)", |_, _| {
        Ok(Value::NOT_IMPLEMENTED)
    }),
];

fn object_repr(vm: &mut Vm, v: &Value) -> R {
    Ok(Str::value(&vm.default_repr(v)))
}

fn object_str(vm: &mut Vm, v: &Value) -> R {
    Ok(Value::from_ref(vm.repr(v)?))
}

fn object_hash(_: &mut Vm, v: &Value) -> R<i64> {
    let address = v.address().map_or(v.bits(), |p| p.as_ptr() as usize as u64);
    Ok(coldframe_numeric::hash::hash_identity(address))
}

fn object_compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    match op {
        CmpOp::Eq => Ok(if a.is_same(b) {
            Value::TRUE
        } else {
            Value::NOT_IMPLEMENTED
        }),
        CmpOp::Ne => {
            // Unless it says otherwise, "not equal" is the opposite of "equal".
            let Some(f) = class_of(a).slots().compare else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            let r = f(vm, a, b, CmpOp::Eq)?;
            if r.is_not_implemented() {
                Ok(r)
            } else {
                Ok(Value::bool(!vm.truthy(&r)?))
            }
        }
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

fn same_slot<F: Copy>(a: Option<F>, b: Option<F>, address: fn(F) -> usize) -> bool {
    a.map(address) == b.map(address)
}

fn object_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let object = Instance::class();
    if !args.is_empty() {
        if !same_slot(class.slots().new, object.slots().new, |f| f as usize) {
            return Err(vm.type_error(
                "object.__new__() takes exactly one argument (the type to instantiate)",
            ));
        }
        if same_slot(class.slots().init, object.slots().init, |f| f as usize) {
            return Err(vm.type_error(format!("{}() takes no arguments", class.name())));
        }
    }
    if class.flag(ABSTRACT) {
        return Err(abstract_error(vm, class));
    }
    if class.vtable.kind != Kind::Instance {
        return Err(crate::objects::slot_wrappers::unsafe_new(vm, object, class));
    }
    Ok(Value::from_ref(crate::heap::alloc_instance(
        Instance, class, 0,
    )))
}

#[cold]
fn abstract_error(vm: &mut Vm, class: &Ref<Type>) -> crate::vm::Raised {
    let name = crate::names::intern("__abstractmethods__");
    let mut names: Vec<String> = Vec::new();
    if let Some(set) = vm.type_lookup(class, &name)
        && let Ok(items) = vm.collect(&set)
    {
        names = items
            .iter()
            .filter_map(|v| v.as_ref::<Str>())
            .map(|s| format!("'{}'", s.to_text()))
            .collect();
        names.sort();
    }
    let plural = if names.len() == 1 { "" } else { "s" };
    vm.type_error(format!("Can't instantiate abstract class {} without an implementation for abstract method{plural} {}", class.name(), names.join(", ")))
}

fn object_init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    if args.is_empty() {
        return Ok(());
    }
    let (class, object) = (class_of(v).clone(), Instance::class());
    if !same_slot(class.slots().init, object.slots().init, |f| f as usize) {
        return Err(vm.type_error(
            "object.__init__() takes exactly one argument (the instance to initialize)",
        ));
    }
    if same_slot(class.slots().new, object.slots().new, |f| f as usize) {
        return Err(vm.type_error(format!("{}() takes no arguments", class.name())));
    }
    Ok(())
}

fn object_format(vm: &mut Vm, args: &[Value]) -> R {
    match args[1].as_ref::<Str>() {
        Some(s) if s.is_empty() => Ok(Value::from_ref(vm.str(&args[0])?)),
        Some(_) => Err(vm.type_error(format!(
            "unsupported format string passed to {}.__format__",
            class_of(&args[0]).name()
        ))),
        None => Err(vm.type_error(format!(
            "__format__() argument must be str, not {}",
            crate::objects::string::search::argument_type(&args[1])
        ))),
    }
}

fn init_subclass(vm: &mut Vm, args: Args) -> R {
    if args.names().is_empty() && args.positional().len() <= 1 {
        return Ok(Value::NONE);
    }
    let name = args
        .positional()
        .first()
        .and_then(|c| c.as_ref::<Type>())
        .map(|c| c.name().into_owned())
        .unwrap_or_default();
    if args.names().is_empty() {
        return Err(vm.type_error(format!(
            "{name}.__init_subclass__() takes no arguments ({} given)",
            args.positional().len() - 1
        )));
    }
    Err(vm.type_error(format!(
        "{name}.__init_subclass__() takes no keyword arguments"
    )))
}

fn get_class(_: &mut Vm, v: &Value) -> R {
    Ok(class_of(v).to_value())
}

fn set_class(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let Some(value) = value else {
        return Err(vm.type_error("can't delete __class__ attribute"));
    };
    let Some(new) = value.as_ref::<Type>() else {
        return Err(vm.type_error(format!(
            "__class__ must be set to a class, not '{}' object",
            class_of(value).name()
        )));
    };
    let old = class_of(v).clone();
    if let (Some(a), Some(b)) = (v.as_ref::<crate::objects::module::Module>(), Some(new))
        && b.is_subclass_of(<crate::objects::module::Module as Payload>::class())
        && b.attr_capacity() == old.attr_capacity()
    {
        a.header().set_class(new.clone());
        return Ok(());
    }
    if old.is_static() || new.is_static() {
        return Err(vm.type_error(
            "__class__ assignment only supported for mutable types or ModuleType subclasses",
        ));
    }
    if !crate::vm::class::same_layout(vm, &old, new) {
        return Err(vm.type_error(format!(
            "__class__ assignment: '{}' object layout differs from '{}'",
            new.name(),
            old.name()
        )));
    }
    let Some(header) = v.header() else {
        return Ok(());
    };
    // The inline attributes are in the order of the old class's keys: they move into a dictionary first.
    if Attrs::of(header).is_some() && old.has_dict.get() {
        vm.instance_dict(header);
    }
    header.set_class(new.clone());
    Ok(())
}

/// `dir(object)` without `__dir__` overrides.
fn object_dir(vm: &mut Vm, args: &[Value]) -> R {
    let names = Dict::new();
    if let Some(d) = vm.namespace_of(&args[0])?
        && d.is::<Dict>()
    {
        for key in vm.collect(&d)? {
            names.set_item(vm, &key, Value::NONE)?;
        }
    }
    // A proxy shows the names of the class that it claims to be of.
    let class = vm.get_attr_opt(&args[0], &Names::get().__class__.to_value())?;
    let class = match class.as_ref().and_then(|c| c.as_ref::<Type>()) {
        Some(c) => c.clone(),
        None => return Ok(crate::objects::list::List::value(keys_of(vm, &names))),
    };
    let mro = class.mro.get(vm).clone();
    for c in mro {
        for key in c
            .dict
            .map
            .get(vm)
            .iter()
            .map(|e| e.key.clone())
            .collect::<Vec<_>>()
        {
            names.set_item(vm, &key, Value::NONE)?;
        }
    }
    Ok(crate::objects::list::List::value(keys_of(vm, &names)))
}

fn keys_of(vm: &Vm, names: &Ref<Dict>) -> Vec<Value> {
    names.map.get(vm).iter().map(|e| e.key.clone()).collect()
}
