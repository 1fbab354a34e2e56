//! `object` and `type`: their Python side.

use crate::heap::attrs::Attrs;
use crate::heap::{Kind, Payload, Ref};
use crate::names::Names;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::native::{Def, DefKind};
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ABSTRACT, BASE, ClassBuilder, Instance, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::lookup::{generic_getattr_slot, generic_setattr_slot};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Makes `object`, `type` and the classes of the singletons.
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
    let type_ = ClassBuilder::new::<Type>("type")
        .flags(BASE)
        .slots(TYPE)
        .weak();
    let type_ = type_.methods(vm, TYPE_METHODS);
    let type_ = type_
        .getset(vm, "__name__", type_name, Some(set_type_name))
        .getset(vm, "__qualname__", type_qualname, Some(set_type_qualname))
        .getset(vm, "__module__", type_module, Some(set_type_module))
        .getset(vm, "__bases__", type_bases, Some(set_type_bases))
        .getset(vm, "__base__", type_base, None)
        .getset(vm, "__mro__", type_mro, None)
        .getset(vm, "__dict__", type_dict, None)
        .getset(vm, "__doc__", type_doc, Some(set_type_doc))
        .getset(
            vm,
            "__abstractmethods__",
            type_abstract,
            Some(set_type_abstract),
        )
        .getset(
            vm,
            "__annotations__",
            crate::builtins::functions::class_annotations,
            Some(crate::builtins::functions::set_class_annotations),
        )
        .getset(
            vm,
            "__annotate__",
            crate::builtins::functions::class_annotate,
            Some(crate::builtins::functions::set_class_annotate),
        )
        .getset(vm, "__type_params__", type_params, Some(set_type_params));
    type_.build(vm);
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
        crate::builtins::object::reduce(vm, &args[0], 0)
    }),
    Def::method("__reduce_ex__", "(self, protocol, /)", reduce_ex),
    Def::method("__getstate__", "(self, /)", get_state),
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
        return Err(vm.type_error(format!(
            "object.__new__({0}) is not safe, use {0}.__new__()",
            class.name()
        )));
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
            class_of(&args[1]).name()
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
    let slots_agree = old.slot_count.get() == new.slot_count.get() && {
        let n = old.slot_count.get() as usize;
        let (a, b) = (old.keys.borrow(), new.keys.borrow());
        a.names()
            .iter()
            .take(n)
            .zip(b.names())
            .all(|(x, y)| x.same(y))
    };
    if old.vtable.type_id != new.vtable.type_id
        || old.has_dict.get() != new.has_dict.get()
        || !slots_agree
    {
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
    if let Some(d) = vm.namespace_of(&args[0])? {
        for key in vm.collect(&d)? {
            names.set_item(vm, &key, Value::NONE)?;
        }
    }
    let mro = class_of(&args[0]).mro.get(vm).clone();
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
    let keys = names.map.get(vm).iter().map(|e| e.key.clone()).collect();
    Ok(crate::objects::list::List::value(keys))
}

fn reduce_ex(vm: &mut Vm, args: &[Value]) -> R {
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
fn get_state(vm: &mut Vm, args: &[Value]) -> R {
    let v = &args[0];
    let class = class_of(v).clone();
    let mut state = Value::NONE;
    let attrs_dict = vm.namespace_of(v)?;
    if let Some(d) = attrs_dict
        && vm.truthy(&d)?
    {
        state = d;
    }
    if class.slot_count.get() > 0 {
        let slots = Dict::new();
        let names: Vec<Ref<Str>> =
            class.keys.borrow().names()[..class.slot_count.get() as usize].to_vec();
        for name in names {
            if let Some(value) = vm.get_attr_opt(v, &name.to_value())? {
                slots.set_str(vm, &name, value);
            }
        }
        if slots.len(vm) > 0 {
            return Ok(Tuple::value(vec![state, Value::from_ref(slots)]));
        }
    }
    Ok(state)
}

// ---- type

const TYPE: Slots = Slots {
    repr: Some(type_repr),
    call: Some(type_call),
    getattr: Some(type_getattr),
    setattr: Some(type_setattr),
    new: Some(type_new),
    init: Some(type_init),
    binary: Some(crate::builtins::type_params::union_binary),
    binary_ops: crate::objects::slots::ops(&[crate::objects::slots::BinOp::Or]),
    reflected_ops: crate::objects::slots::ops(&[crate::objects::slots::BinOp::Or]),
    ..Slots::NONE
};

static TYPE_METHODS: &[Def] = &[
    Def::method("mro", "(self, /)", |vm, args| {
        let Some(t) = args[0].as_ref::<Type>() else {
            return Ok(Value::NONE);
        };
        Ok(crate::objects::list::List::value(
            t.mro.get(vm).iter().map(Ref::to_value).collect(),
        ))
    }),
    Def::method("__subclasses__", "(self, /)", |_, args| {
        let Some(t) = args[0].as_ref::<Type>() else {
            return Ok(Value::NONE);
        };
        Ok(crate::objects::list::List::value(
            t.live_subclasses()
                .into_iter()
                .map(Value::from_ref)
                .collect(),
        ))
    }),
    Def::method("__instancecheck__", "(self, instance, /)", |vm, args| {
        let Some(t) = args[0].as_ref::<Type>() else {
            return Ok(Value::NONE);
        };
        vm.plain_instance(&args[1], t).map(Value::bool)
    }),
    Def::method("__subclasscheck__", "(self, subclass, /)", |vm, args| {
        let Some(t) = args[0].as_ref::<Type>() else {
            return Ok(Value::NONE);
        };
        vm.plain_subclass(&args[1], t).map(Value::bool)
    }),
    Def {
        name: "__prepare__",
        signature: "(*args, **kwargs)",
        call: crate::objects::native::Call::Raw(|_, _| Ok(Value::from_ref(Dict::new()))),
        kind: DefKind::ClassMethod,
    },
    Def::method("__dir__", "(self, /)", type_dir),
    Def::method("__sizeof__", "(self, /)", |_, _| Ok(Value::small_int(400))),
];

fn this(v: &Value) -> &Ref<Type> {
    match v.as_ref::<Type>() {
        Some(t) => t,
        // The descriptor has checked the receiver.
        None => unreachable!("a method of `type` got another receiver"),
    }
}

fn type_dir(vm: &mut Vm, args: &[Value]) -> R {
    let names = Dict::new();
    for c in this(&args[0]).mro.get(vm).clone() {
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
    let keys = names.map.get(vm).iter().map(|e| e.key.clone()).collect();
    Ok(crate::objects::list::List::value(keys))
}

fn type_repr(vm: &mut Vm, v: &Value) -> R {
    let t = this(v);
    let module = type_module(vm, v)?;
    let qualname = t.qualname.get(vm).to_text().into_owned();
    Ok(Str::value(&match module.as_ref::<Str>() {
        Some(m) if m.as_bytes() != b"builtins" => format!("<class '{}.{qualname}'>", m.to_text()),
        _ => format!("<class '{qualname}'>"),
    }))
}

fn type_call(vm: &mut Vm, v: &Value, args: Args) -> R {
    let class = this(v).clone();
    if class.same(Type::class()) {
        if let ([one], true) = (args.positional(), args.names().is_empty()) {
            return Ok(class_of(one).to_value());
        }
        if args.positional().len() != 3 {
            return Err(vm.type_error("type() takes 1 or 3 arguments"));
        }
    }
    crate::vm::class::call_class(vm, &class, args)
}

fn type_new(vm: &mut Vm, metaclass: &Ref<Type>, args: Args) -> R {
    let [name, bases, namespace] = args.positional() else {
        return Err(vm.type_error(format!(
            "type.__new__() takes exactly 3 arguments ({} given)",
            args.positional().len()
        )));
    };
    let Some(name) = name.as_ref::<Str>() else {
        return Err(vm.type_error(format!(
            "type.__new__() argument 1 must be str, not {}",
            class_of(name).name()
        )));
    };
    let Some(tuple) = bases.as_ref::<Tuple>().cloned() else {
        return Err(vm.type_error(format!(
            "type.__new__() argument 2 must be tuple, not {}",
            class_of(bases).name()
        )));
    };
    let Some(namespace) = namespace.as_ref::<Dict>().cloned() else {
        return Err(vm.type_error(format!(
            "type.__new__() argument 3 must be dict, not {}",
            class_of(namespace).name()
        )));
    };
    let mut real = Vec::with_capacity(tuple.len());
    for base in tuple.items() {
        match base.as_ref::<Type>() {
            Some(t) => real.push(t.clone()),
            None => {
                if vm
                    .get_attr_opt(base, &Names::get().__mro_entries__.to_value())?
                    .is_some()
                {
                    return Err(vm.type_error(
                        "type() doesn't support MRO entry resolution; use types.new_class()",
                    ));
                }
                return Err(vm.type_error("bases must be types"));
            }
        }
    }
    let winner = crate::vm::class::winning_metaclass(vm, metaclass, &real)?;
    if !winner.same(metaclass)
        && let Some(new) = winner.slots().new
        && new as usize != type_new as *const () as usize
    {
        return new(vm, &winner, args);
    }
    let start = args.positional().len();
    let keywords = Args::new(&args.values()[start..], args.names());
    crate::vm::class::new_class(vm, &winner, name, &real, &namespace, keywords)
}

fn type_init(vm: &mut Vm, _: &Value, args: Args) -> R<()> {
    match args.positional().len() {
        1 | 3 => Ok(()),
        _ => Err(vm.type_error("type.__init__() takes 1 or 3 arguments")),
    }
}

fn type_getattr(vm: &mut Vm, v: &Value, name: &Value) -> R {
    let class = this(v).clone();
    let meta = class_of(v).clone();
    let Some(text) = name.as_ref::<Str>() else {
        return Err(vm.type_error(format!(
            "attribute name must be string, not '{}'",
            class_of(name).name()
        )));
    };
    let in_meta = vm.type_lookup(&meta, text);
    if let Some(d) = &in_meta {
        let slots = class_of(d).slots();
        if let (Some(get), true) = (slots.descr_get, slots.descr_set.is_some()) {
            let owner = meta.to_value();
            return get(vm, d, Some(v), &owner);
        }
    }
    if let Some(found) = vm.type_lookup(&class, text) {
        return vm.bind(&found, None, &class);
    }
    if let Some(d) = in_meta {
        return vm.bind(&d, Some(v), &meta);
    }
    Err(vm.no_attribute(v, name))
}

fn type_setattr(vm: &mut Vm, v: &Value, name: &Value, value: Option<&Value>) -> R<()> {
    let class = this(v).clone();
    let meta = class_of(v).clone();
    let Some(text) = name.as_ref::<Str>() else {
        return Err(vm.type_error(format!(
            "attribute name must be string, not '{}'",
            class_of(name).name()
        )));
    };
    if class.is_static() {
        return Err(vm.type_error(format!(
            "cannot set '{}' attribute of immutable type '{}'",
            text.to_text(),
            class.name()
        )));
    }
    if let Some(d) = vm.type_lookup(&meta, text)
        && let Some(set) = class_of(&d).slots().descr_set
    {
        return set(vm, &d, v, value);
    }
    let interned = crate::names::intern_ref(text);
    match value {
        Some(value) => class.dict.set_str(vm, &interned, value.clone()),
        None => {
            if class.dict.remove_str(vm, &interned).is_none() {
                return Err(vm.no_attribute(v, name));
            }
        }
    }
    class.invalidate();
    if interned.as_bytes().starts_with(b"__") {
        crate::vm::class::update_slots(vm, &class);
    }
    Ok(())
}

fn type_name(vm: &mut Vm, v: &Value) -> R {
    Ok(this(v).name.get(vm).to_value())
}

fn mutable<'a>(vm: &mut Vm, v: &'a Value, attribute: &str) -> R<&'a Ref<Type>> {
    let t = this(v);
    if t.is_static() {
        return Err(vm.type_error(format!(
            "cannot set '{attribute}' attribute of immutable type '{}'",
            t.name()
        )));
    }
    Ok(t)
}

fn text_value(vm: &mut Vm, v: &Value, value: Option<&Value>, attribute: &str) -> R<Ref<Str>> {
    let t = mutable(vm, v, attribute)?;
    match value {
        Some(value) => match value.as_ref::<Str>() {
            Some(s) => Ok(s.clone()),
            None => Err(vm.type_error(format!(
                "can only assign string to {}.{attribute}, not '{}'",
                t.name(),
                class_of(value).name()
            ))),
        },
        None => Err(vm.type_error(format!(
            "cannot delete '{attribute}' attribute of type '{}'",
            t.name()
        ))),
    }
}

fn set_type_name(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let s = text_value(vm, v, value, "__name__")?;
    drop(this(v).name.replace(vm, s));
    Ok(())
}

fn type_qualname(vm: &mut Vm, v: &Value) -> R {
    Ok(this(v).qualname.get(vm).to_value())
}

fn set_type_qualname(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let s = text_value(vm, v, value, "__qualname__")?;
    drop(this(v).qualname.replace(vm, s));
    Ok(())
}

fn type_module(vm: &mut Vm, v: &Value) -> R {
    let t = this(v);
    Ok(match t.dict.get_str(vm, &Names::get().__module__) {
        // `type` itself has the descriptor of this attribute there.
        Some(m) if !m.is::<crate::objects::native::GetSet>() => m.clone(),
        _ => Str::value("builtins"),
    })
}

fn set_type_module(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    set_in_dict(vm, v, value, "__module__")
}

fn set_in_dict(vm: &mut Vm, v: &Value, value: Option<&Value>, name: &str) -> R<()> {
    let t = mutable(vm, v, name)?;
    let name = crate::names::intern(name);
    match value {
        Some(value) => t.dict.set_str(vm, &name, value.clone()),
        None => {
            return Err(vm.type_error(format!(
                "cannot delete '{}' attribute of type '{}'",
                name.to_text(),
                t.name()
            )));
        }
    }
    t.invalidate();
    Ok(())
}

fn type_bases(vm: &mut Vm, v: &Value) -> R {
    Ok(Tuple::value(
        this(v).bases.get(vm).iter().map(Ref::to_value).collect(),
    ))
}

fn set_type_bases(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let t = mutable(vm, v, "__bases__")?.clone();
    let Some(value) = value else {
        return Err(vm.type_error(format!(
            "cannot delete '__bases__' attribute of type '{}'",
            t.name()
        )));
    };
    let Some(tuple) = value.as_ref::<Tuple>().cloned() else {
        return Err(vm.type_error(format!(
            "can only assign tuple to {}.__bases__, not {}",
            t.name(),
            class_of(value).name()
        )));
    };
    if tuple.is_empty() {
        return Err(vm.type_error(format!(
            "can only assign non-empty tuple to {}.__bases__, not ()",
            t.name()
        )));
    }
    let mut bases = Vec::with_capacity(tuple.len());
    for base in tuple.items() {
        let Some(base) = base.as_ref::<Type>() else {
            return Err(vm.type_error(format!(
                "{}.__bases__ must be tuple of classes, not '{}'",
                t.name(),
                class_of(base).name()
            )));
        };
        if base.is_subclass_of(&t) {
            return Err(vm.type_error("a __bases__ item causes an inheritance cycle"));
        }
        bases.push(base.clone());
    }
    crate::vm::class::set_bases(vm, &t, bases)
}

fn type_base(vm: &mut Vm, v: &Value) -> R {
    Ok(this(v)
        .base
        .get(vm)
        .as_ref()
        .map_or(Value::NONE, Ref::to_value))
}

fn type_mro(vm: &mut Vm, v: &Value) -> R {
    Ok(Tuple::value(
        this(v).mro.get(vm).iter().map(Ref::to_value).collect(),
    ))
}

fn type_dict(_: &mut Vm, v: &Value) -> R {
    Ok(crate::builtins::descriptors::mapping_proxy(
        this(v).dict.to_value(),
    ))
}

fn type_doc(vm: &mut Vm, v: &Value) -> R {
    let t = this(v).clone();
    match t.dict.get_str(vm, &Names::get().__doc__).cloned() {
        Some(d) => vm.bind(&d, None, &t),
        None => Ok(Value::NONE),
    }
}

fn set_type_doc(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    set_in_dict(vm, v, value, "__doc__")
}

fn type_abstract(vm: &mut Vm, v: &Value) -> R {
    let name = crate::names::intern("__abstractmethods__");
    match this(v).dict.get_str(vm, &name).cloned() {
        Some(s) if !s.is::<crate::objects::native::GetSet>() => Ok(s),
        _ => Err(vm.no_attribute(v, &name.to_value())),
    }
}

fn set_type_abstract(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let on = match value {
        Some(value) => vm.truthy(value)?,
        None => false,
    };
    let t = this(v).clone();
    let name = crate::names::intern("__abstractmethods__");
    match value {
        Some(value) => t.dict.set_str(vm, &name, value.clone()),
        None => drop(t.dict.remove_str(vm, &name)),
    }
    crate::vm::class::set_abstract(&t, on);
    t.invalidate();
    Ok(())
}

fn type_params(vm: &mut Vm, v: &Value) -> R {
    let own = this(v)
        .dict
        .get_str(vm, &Names::get().__type_params__)
        .filter(|p| !p.is::<crate::objects::native::GetSet>());
    Ok(own.cloned().unwrap_or_else(Tuple::empty))
}

fn set_type_params(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    set_in_dict(vm, v, value, "__type_params__")
}

// ---- isinstance, issubclass

impl Vm {
    /// `isinstance(v, class)` by the MRO (and `__class__`), without `__instancecheck__`.
    pub fn plain_instance(&mut self, v: &Value, class: &Ref<Type>) -> R<bool> {
        if class_of(v).is_subclass_of(class) {
            return Ok(true);
        }
        // A proxy may say that it is of another class.
        if class_of(v).is_static() {
            return Ok(false);
        }
        match self.get_attr_opt(v, &Names::get().__class__.to_value())? {
            Some(c) => Ok(c.as_ref::<Type>().is_some_and(|c| c.is_subclass_of(class))),
            None => Ok(false),
        }
    }

    /// `issubclass(sub, class)` by the MRO, without `__subclasscheck__`.
    pub fn plain_subclass(&mut self, sub: &Value, class: &Ref<Type>) -> R<bool> {
        match sub.as_ref::<Type>() {
            Some(s) => Ok(s.is_subclass_of(class)),
            None => {
                // Something with `__bases__` counts as a class.
                match self.get_attr_opt(sub, &Names::get().__bases__.to_value())? {
                    Some(bases) => {
                        for base in self.collect(&bases)? {
                            if self.recurse("", |vm| vm.plain_subclass(&base, class))? {
                                return Ok(true);
                            }
                        }
                        Ok(false)
                    }
                    None => Err(self.type_error("issubclass() arg 1 must be a class")),
                }
            }
        }
    }

    /// `isinstance(v, class_or_tuple)`
    pub fn is_instance(&mut self, v: &Value, class: &Value) -> R<bool> {
        if let Some(t) = class.as_ref::<Type>()
            && (class_of(v).same(t) || class_of(class).same(Type::class()))
        {
            return if class_of(v).same(t) {
                Ok(true)
            } else {
                self.plain_instance(v, t)
            };
        }
        self.check_hook(
            v,
            class,
            &Names::get().__instancecheck__,
            "isinstance() arg 2 must be a type, a tuple of types, or a union",
        )
    }

    /// `issubclass(sub, class_or_tuple)`
    pub fn is_subclass(&mut self, sub: &Value, class: &Value) -> R<bool> {
        if let Some(t) = class.as_ref::<Type>()
            && class_of(class).same(Type::class())
        {
            return self.plain_subclass(sub, t);
        }
        self.check_hook(
            sub,
            class,
            &Names::get().__subclasscheck__,
            "issubclass() arg 2 must be a class, a tuple of classes, or a union",
        )
    }

    /// Whether `sub` is `class` or has it among its `__bases__`, for things that merely behave as classes.
    fn derives_abstractly(&mut self, sub: &Value, class: &Value) -> R<bool> {
        if sub.is_same(class) {
            return Ok(true);
        }
        let Some(bases) = self
            .get_attr_opt(sub, &Names::get().__bases__.to_value())?
            .and_then(|b| b.as_ref::<Tuple>().cloned())
        else {
            return Ok(false);
        };
        for base in bases.items() {
            if self.recurse("", |vm| vm.derives_abstractly(base, class))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn check_hook(&mut self, v: &Value, class: &Value, hook: &Ref<Str>, error: &str) -> R<bool> {
        if let Some(t) = class.as_ref::<Tuple>().cloned() {
            for c in t.items() {
                let hit = self.recurse("", |vm| {
                    if hook.same(&Names::get().__instancecheck__) {
                        vm.is_instance(v, c)
                    } else {
                        vm.is_subclass(v, c)
                    }
                })?;
                if hit {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        if let Some(r) = self.call_special_opt(class, hook, std::slice::from_ref(v))? {
            return self.truthy(&r);
        }
        // Anything whose `__bases__` is a tuple counts as a class.
        let bases = Names::get().__bases__.to_value();
        if !self
            .get_attr_opt(class, &bases)?
            .is_some_and(|b| b.is::<Tuple>())
        {
            return Err(self.raise(Exc::TypeError, error));
        }
        let sub = if hook.same(&Names::get().__instancecheck__) {
            match self.get_attr_opt(v, &Names::get().__class__.to_value())? {
                Some(c) => c,
                None => return Ok(false),
            }
        } else {
            v.clone()
        };
        self.derives_abstractly(&sub, class)
    }
}
