//! `type`: its Python side. How classes come to be is in [`crate::vm::class`].

use crate::heap::{Payload, Ref};
use crate::names::Names;
use crate::objects::dict::Dict;
use crate::objects::native::{Def, DefKind, GetSet};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Makes `type`.
pub(crate) fn init(vm: &mut Vm) {
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
        .getset(vm, "__type_params__", type_params, Some(set_type_params))
        .getset(
            vm,
            "__text_signature__",
            |_, v| {
                let text = super::type_facts::text_signature(this(v));
                Ok(text.map_or(Value::NONE, Str::value))
            },
            None,
        )
        .getset(
            vm,
            "__basicsize__",
            |vm, v| Ok(Value::int(super::type_facts::basic_size(vm, this(v)))),
            None,
        )
        .getset(
            vm,
            "__itemsize__",
            |_, v| Ok(Value::int(super::type_facts::item_size(this(v)))),
            None,
        )
        .getset(
            vm,
            "__dictoffset__",
            |_, v| Ok(Value::int(super::type_facts::dict_offset(this(v)))),
            None,
        )
        .getset(
            vm,
            "__weakrefoffset__",
            |_, v| Ok(Value::int(super::type_facts::weakref_offset(this(v)))),
            None,
        )
        .getset(
            vm,
            "__flags__",
            |_, v| Ok(Value::int(super::type_facts::flags(this(v)))),
            None,
        );
    type_.build(vm);
}

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
        let bases = t.bases.get(vm).clone();
        let mro = crate::vm::class::linearize(vm, t, &bases)?;
        Ok(crate::objects::list::List::value(
            mro.iter().map(Ref::to_value).collect(),
        ))
    }),
    Def::method("__subclasses__", "(self, /)", |vm, args| {
        let Some(t) = args[0].as_ref::<Type>() else {
            return Ok(Value::NONE);
        };
        Ok(crate::objects::list::List::value(
            t.live_subclasses()
                .into_iter()
                .map(Value::from_ref)
                .filter(|class| !vm.is_hidden(class))
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

pub(crate) fn type_call(vm: &mut Vm, v: &Value, args: Args) -> R {
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
    if name.to_text().contains('\0') {
        return Err(vm.value_error("type name must not contain null characters"));
    }
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
                // The class of the thing would have to be a metaclass.
                return Err(vm.type_error(
                    "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases",
                ));
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
    check_name(vm, name)?;
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

/// Removes the descriptors of `__dict__` and `__weakref__` that belong to instances of this very class, before its namespace is used for another.
pub(crate) fn clear_descriptors(vm: &mut Vm, class: &Value) -> R<()> {
    let n = Names::get();
    for name in [&n.__dict__, &n.__weakref__] {
        let t = mutable(vm, class, &name.to_text())?.clone();
        let own = t.dict.get_str(vm, name);
        if own.is_some_and(|v| v.is::<GetSet>()) {
            drop(t.dict.remove_str(vm, name));
            t.invalidate();
        }
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

/// The error for deleting an attribute that a class always has. That it calls the class immutable, which it is not, is CPython's wording.
#[cold]
fn undeletable(vm: &mut Vm, t: &Ref<Type>, attribute: &str) -> crate::vm::Raised {
    vm.type_error(format!(
        "cannot delete '{attribute}' attribute of immutable type '{}'",
        t.name()
    ))
}

/// A class's name has to be text that can be encoded, without null characters.
fn check_name(vm: &mut Vm, name: &Ref<Str>) -> R<()> {
    if name.as_bytes().contains(&0) {
        return Err(vm.value_error("type name must not contain null characters"));
    }
    vm.check_encodable(name)
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
        None => Err(undeletable(vm, t, attribute)),
    }
}

fn set_type_name(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let s = text_value(vm, v, value, "__name__")?;
    check_name(vm, &s)?;
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
            let name = name.to_text().into_owned();
            return Err(undeletable(vm, t, &name));
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

/// Whether `t` is among the `__base__`s of `class`, which are assigned before the MRO is.
fn in_base_chain(vm: &Vm, class: &Ref<Type>, t: &Ref<Type>) -> bool {
    let mut at = Some(class.clone());
    while let Some(c) = at {
        if c.same(t) {
            return true;
        }
        at = c.base.get(vm).clone();
    }
    false
}

fn set_type_bases(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let t = mutable(vm, v, "__bases__")?.clone();
    let Some(value) = value else {
        return Err(undeletable(vm, &t, "__bases__"));
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
        if base.is_subclass_of(&t) || in_base_chain(vm, base, &t) {
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
        _ => Err(vm.attribute_error(v, &name.to_value(), "__abstractmethods__")),
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
        None => {
            if t.dict.remove_str(vm, &name).is_none() {
                return Err(vm.attribute_error(v, &name.to_value(), "__abstractmethods__"));
            }
        }
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
