//! `property`, `classmethod`, `staticmethod`, `super`, slot members and the read-only view of a class's namespace: their Python side.

use crate::class_slot;
use crate::heap::attrs::Attrs;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::{self, Names};
use crate::objects::descriptors::{ClassMethod, Member, Property, StaticMethod, Super};
use crate::objects::native::Def;
use crate::objects::slots::{BinOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::types::{BASE, ClassBuilder, MAPPING, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Builds the classes.
pub(crate) fn init(vm: &mut Vm) {
    let property = ClassBuilder::new::<Property>("property")
        .flags(BASE)
        .slots(Slots {
            descr_get: Some(property_get),
            descr_set: Some(property_set),
            new: Some(|_, class, _| {
                Ok(Value::from_ref(heap::alloc_instance(
                    Property {
                        parts: VmCell::new([Value::NONE, Value::NONE, Value::NONE, Value::NONE]),
                        name: VmCell::new(Value::UNDEF),
                    },
                    class,
                    0,
                )))
            }),
            init: Some(property_init),
            ..Slots::NONE
        });
    let property = property
        .methods(vm, PROPERTY_METHODS)
        .getset(
            vm,
            "fget",
            |vm, p| Ok(property_of(p).parts.get(vm)[0].clone()),
            None,
        )
        .getset(
            vm,
            "fset",
            |vm, p| Ok(property_of(p).parts.get(vm)[1].clone()),
            None,
        )
        .getset(
            vm,
            "fdel",
            |vm, p| Ok(property_of(p).parts.get(vm)[2].clone()),
            None,
        )
        .getset(
            vm,
            "__doc__",
            |vm, p| Ok(property_of(p).parts.get(vm)[3].clone()),
            Some(|vm, p, v| {
                let new = v.cloned().unwrap_or(Value::NONE);
                let old = std::mem::replace(&mut property_of(p).parts.get_mut(vm)[3], new);
                drop(old);
                Ok(())
            }),
        )
        .getset(
            vm,
            "__name__",
            property_name,
            Some(|vm, p, v| {
                let new = v.cloned().unwrap_or(Value::UNDEF);
                drop(property_of(p).name.replace(vm, new));
                Ok(())
            }),
        )
        .getset(
            vm,
            "__isabstractmethod__",
            |vm, p| {
                let parts = property_of(p).parts.get(vm).clone();
                let name = Str::value("__isabstractmethod__");
                for part in &parts[..3] {
                    if let Some(v) = vm.get_attr_opt(part, &name)?
                        && vm.truthy(&v)?
                    {
                        return Ok(Value::TRUE);
                    }
                }
                Ok(Value::FALSE)
            },
            None,
        );
    property.build(vm);

    let classmethod = ClassBuilder::new::<ClassMethod>("classmethod")
        .flags(BASE)
        .attrs(4)
        .slots(Slots {
            repr: Some(|vm, v| wrapper_repr(vm, v, "classmethod")),
            descr_get: Some(|vm, d, instance, owner| {
                let function = wrapped(vm, d);
                let owner = if owner.is_none() {
                    instance.map_or(Value::NONE, |v| class_of(v).to_value())
                } else {
                    owner.clone()
                };
                match function.as_ref::<crate::objects::native::Native>() {
                    // A native class method gets the class as its first argument.
                    Some(f) => Ok(crate::objects::native::Native::bound(
                        f.def, f.params, owner,
                    )),
                    None => Ok(crate::objects::descriptors::Method::value(function, owner)),
                }
            }),
            new: Some(|_, class, _| {
                Ok(Value::from_ref(heap::alloc_instance(
                    ClassMethod {
                        function: VmCell::new(Value::NONE),
                    },
                    class,
                    0,
                )))
            }),
            init: Some(|vm, v, args| {
                let f = args.exactly(vm, "classmethod", 1, 1)?[0].clone();
                if let Some(c) = v.as_ref::<ClassMethod>() {
                    drop(c.function.replace(vm, f.clone()));
                }
                copy_function_attributes(vm, v, &f)
            }),
            ..Slots::NONE
        });
    let classmethod = wrapper_attributes(vm, classmethod);
    classmethod.build(vm);

    let staticmethod = ClassBuilder::new::<StaticMethod>("staticmethod")
        .flags(BASE)
        .attrs(4)
        .slots(Slots {
            repr: Some(|vm, v| wrapper_repr(vm, v, "staticmethod")),
            call: Some(|vm, v, args| {
                let f = wrapped(vm, v);
                vm.call_args(&f, args)
            }),
            descr_get: Some(|vm, d, _, _| Ok(wrapped(vm, d))),
            new: Some(|_, class, _| {
                Ok(Value::from_ref(heap::alloc_instance(
                    StaticMethod {
                        function: VmCell::new(Value::NONE),
                    },
                    class,
                    0,
                )))
            }),
            init: Some(|vm, v, args| {
                let f = args.exactly(vm, "staticmethod", 1, 1)?[0].clone();
                if let Some(c) = v.as_ref::<StaticMethod>() {
                    drop(c.function.replace(vm, f.clone()));
                }
                copy_function_attributes(vm, v, &f)
            }),
            ..Slots::NONE
        });
    let staticmethod = wrapper_attributes(vm, staticmethod);
    staticmethod.build(vm);

    let member = ClassBuilder::new::<Member>("member_descriptor").slots(Slots {
        repr: Some(|_, m| {
            let m = member_of(m);
            Ok(Str::value(&format!(
                "<member '{}' of '{}' objects>",
                m.name.to_text(),
                m.owner.name()
            )))
        }),
        descr_get: Some(member_get),
        descr_set: Some(member_set),
        ..Slots::NONE
    });
    let member = member
        .getset(
            vm,
            "__name__",
            |_, m| Ok(member_of(m).name.to_value()),
            None,
        )
        .getset(
            vm,
            "__qualname__",
            |vm, m| {
                let m = member_of(m);
                let owner = m.owner.qualname.get(vm).to_text().into_owned();
                Ok(Str::value(&format!("{owner}.{}", m.name.to_text())))
            },
            None,
        )
        .getset(
            vm,
            "__objclass__",
            |_, m| Ok(member_of(m).owner.to_value()),
            None,
        )
        .getset(vm, "__doc__", |_, _| Ok(Value::NONE), None);
    member.build(vm);

    let super_ = ClassBuilder::new::<Super>("super")
        .flags(BASE)
        .slots(Slots {
            repr: Some(super_repr),
            getattr: Some(super_getattr),
            descr_get: Some(super_get),
            new: Some(|_, class, _| {
                Ok(Value::from_ref(heap::alloc_instance(
                    Super {
                        this_class: VmCell::new(None),
                        receiver: VmCell::new(Value::UNDEF),
                        self_class: VmCell::new(None),
                    },
                    class,
                    0,
                )))
            }),
            init: Some(super_init),
            ..Slots::NONE
        });
    let super_ = super_
        .getset(
            vm,
            "__thisclass__",
            |vm, s| {
                Ok(super_of(s)
                    .this_class
                    .get(vm)
                    .as_ref()
                    .map_or(Value::NONE, Ref::to_value))
            },
            None,
        )
        .getset(
            vm,
            "__self_class__",
            |vm, s| {
                Ok(super_of(s)
                    .self_class
                    .get(vm)
                    .as_ref()
                    .map_or(Value::NONE, Ref::to_value))
            },
            None,
        )
        .getset(
            vm,
            "__self__",
            |vm, s| {
                let v = super_of(s).receiver.get(vm).clone();
                Ok(if v.is_undef() { Value::NONE } else { v })
            },
            None,
        );
    super_.build(vm);

    let proxy = ClassBuilder::new::<MappingProxy>("mappingproxy")
        .flags(MAPPING)
        .slots(Slots {
            repr: Some(|vm, v| {
                let inner = proxied(v);
                let text = vm.repr(&inner)?;
                Ok(Str::value(&format!("mappingproxy({})", text.to_text())))
            }),
            str: Some(|vm, v| {
                let inner = proxied(v);
                Ok(Value::from_ref(vm.str(&inner)?))
            }),
            hash: Some(|vm, v| {
                let inner = proxied(v);
                vm.hash(&inner)
            }),
            compare: Some(|vm, a, b, op| {
                let unwrap = |v: &Value| {
                    v.as_ref::<MappingProxy>()
                        .map_or_else(|| v.clone(), |p| p.mapping.clone())
                };
                vm.compare(op, &unwrap(a), &unwrap(b))
            }),
            iter: Some(|vm, v| {
                let inner = proxied(v);
                vm.get_iter(&inner)
            }),
            len: Some(|vm, v| {
                let inner = proxied(v);
                vm.len(&inner)
            }),
            getitem: Some(|vm, v, k| {
                let inner = proxied(v);
                vm.get_item(&inner, k)
            }),
            contains: Some(|vm, v, k| {
                let inner = proxied(v);
                vm.contains(&inner, k)
            }),
            binary: Some(|vm, op, a, b| {
                if op != BinOp::Or {
                    return Ok(Value::NOT_IMPLEMENTED);
                }
                let unwrap = |v: &Value| {
                    v.as_ref::<MappingProxy>()
                        .map_or_else(|| v.clone(), |p| p.mapping.clone())
                };
                vm.binary(op, &unwrap(a), &unwrap(b))
            }),
            binary_ops: ops(&[BinOp::Or]),
            reflected_ops: ops(&[BinOp::Or]),
            new: Some(|vm, _, args| {
                let m = args.exactly(vm, "mappingproxy", 1, 1)?[0].clone();
                if class_of(&m).slots().getitem.is_none()
                    || m.is::<crate::objects::list::List>()
                    || m.is::<crate::objects::tuple::Tuple>()
                {
                    return Err(vm.type_error(format!(
                        "mappingproxy() argument must be a mapping, not {}",
                        class_of(&m).name()
                    )));
                }
                Ok(mapping_proxy(m))
            }),
            ..Slots::NONE
        });
    proxy.methods(vm, PROXY_METHODS).build(vm);
}

// ---- property

fn property_of(v: &Value) -> &Ref<Property> {
    match v.as_ref::<Property>() {
        Some(p) => p,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

static PROPERTY_METHODS: &[Def] = &[
    Def::method("getter", "(self, fget, /)", |vm, args| {
        property_copy(vm, args, 0)
    }),
    Def::method("setter", "(self, fset, /)", |vm, args| {
        property_copy(vm, args, 1)
    }),
    Def::method("deleter", "(self, fdel, /)", |vm, args| {
        property_copy(vm, args, 2)
    }),
    Def::raw_method("__set_name__", "(self, owner, name, /)", |vm, args| {
        let [me, _, name] = args.positional() else {
            return Err(vm.type_error(format!(
                "__set_name__() takes 2 positional arguments but {} were given",
                args.positional().len() - 1
            )));
        };
        let p = property_of(me);
        if p.name.get(vm).is_undef() {
            drop(p.name.replace(vm, name.clone()));
        }
        Ok(Value::NONE)
    }),
];

fn property_init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let params = crate::params!("(fget=None, fset=None, fdel=None, doc=None)");
    let bound = args.bind(vm, "property", params, 0)?;
    let part = |i: usize| optional(&bound, i).cloned().unwrap_or(Value::NONE);
    let mut doc = part(3);
    if doc.is_none() && !part(0).is_none() {
        doc = vm
            .get_attr_opt(&part(0), &Names::get().__doc__.to_value())?
            .unwrap_or(Value::NONE);
    }
    if class_of(v).same(<Property as Payload>::class()) {
        drop(
            property_of(v)
                .parts
                .replace(vm, [part(0), part(1), part(2), doc]),
        );
    } else {
        drop(
            property_of(v)
                .parts
                .replace(vm, [part(0), part(1), part(2), doc.clone()]),
        );
        if !doc.is_none()
            && vm
                .set_attr(v, &Names::get().__doc__.to_value(), Some(&doc))
                .is_err()
        {
            let _ = vm.take_error();
        }
    }
    Ok(())
}

fn property_copy(vm: &mut Vm, args: &[Value], index: usize) -> R {
    let p = property_of(&args[0]).clone();
    let mut parts = p.parts.get(vm).clone();
    let inherits_doc = !parts[0].is_none() && {
        let d = vm
            .get_attr_opt(&parts[0].clone(), &Names::get().__doc__.to_value())?
            .unwrap_or(Value::NONE);
        d.is_same(&parts[3])
    };
    parts[index] = args[1].clone();
    if index == 0 && inherits_doc {
        parts[3] = Value::NONE;
    }
    let class = class_of(&args[0]).to_value();
    let new = vm.call(&class, &parts)?;
    if let Some(q) = new.as_ref::<Property>() {
        let name = p.name.get(vm).clone();
        drop(q.name.replace(vm, name));
    }
    Ok(new)
}

fn property_name(vm: &mut Vm, v: &Value) -> R {
    let p = property_of(v).clone();
    let name = p.name.get(vm).clone();
    if !name.is_undef() {
        return Ok(name);
    }
    let getter = p.parts.get(vm)[0].clone();
    match vm.get_attr_opt(&getter, &Names::get().__name__.to_value())? {
        Some(n) => Ok(n),
        None => Err(vm.no_attribute(v, &Names::get().__name__.to_value())),
    }
}

fn property_get(vm: &mut Vm, p: &Value, instance: Option<&Value>, _: &Value) -> R {
    let Some(v) = instance else {
        return Ok(p.clone());
    };
    let getter = property_of(p).parts.get(vm)[0].clone();
    if getter.is_none() {
        return Err(property_missing(vm, p, v, "getter"));
    }
    vm.call(&getter, std::slice::from_ref(v))
}

fn property_set(vm: &mut Vm, p: &Value, instance: &Value, value: Option<&Value>) -> R<()> {
    let parts = property_of(p).parts.get(vm).clone();
    let f = if value.is_some() {
        &parts[1]
    } else {
        &parts[2]
    };
    if f.is_none() {
        return Err(property_missing(
            vm,
            p,
            instance,
            if value.is_some() { "setter" } else { "deleter" },
        ));
    }
    match value {
        Some(value) => vm.call(f, &[instance.clone(), value.clone()])?,
        None => vm.call(f, std::slice::from_ref(instance))?,
    };
    Ok(())
}

#[cold]
fn property_missing(vm: &mut Vm, p: &Value, instance: &Value, what: &str) -> crate::vm::Raised {
    let class = class_of(instance).clone();
    let class = class.qualname.get(vm).to_text().into_owned();
    let name = match property_name(vm, p) {
        Ok(n) => vm
            .repr(&n)
            .map(|s| s.to_text().into_owned())
            .unwrap_or_default(),
        Err(_) => {
            let _ = vm.take_error();
            String::new()
        }
    };
    let text = if name.is_empty() {
        format!("property of '{class}' object has no {what}")
    } else {
        format!("property {name} of '{class}' object has no {what}")
    };
    vm.attribute_error(instance, &Value::NONE, &text)
}

// ---- classmethod, staticmethod

fn wrapped(vm: &Vm, v: &Value) -> Value {
    if let Some(c) = v.as_ref::<ClassMethod>() {
        return c.function.get(vm).clone();
    }
    v.as_ref::<StaticMethod>()
        .map_or(Value::NONE, |s| s.function.get(vm).clone())
}

fn wrapper_attributes(vm: &mut Vm, builder: ClassBuilder) -> ClassBuilder {
    builder
        .getset(vm, "__func__", |vm, v| Ok(wrapped(vm, v)), None)
        .getset(vm, "__wrapped__", |vm, v| Ok(wrapped(vm, v)), None)
        .getset(
            vm,
            "__dict__",
            |vm, v| match v.header() {
                Some(h) => Ok(Value::from_ref(vm.instance_dict(h))),
                None => Ok(Value::NONE),
            },
            None,
        )
        .getset(
            vm,
            "__annotations__",
            |vm, v| wrapper_forwards(vm, v, "__annotations__"),
            Some(|vm, v, value| wrapper_keeps(vm, v, "__annotations__", value)),
        )
        .getset(
            vm,
            "__annotate__",
            |vm, v| wrapper_forwards(vm, v, "__annotate__"),
            Some(|vm, v, value| wrapper_keeps(vm, v, "__annotate__", value)),
        )
        .getset(
            vm,
            "__isabstractmethod__",
            |vm, v| {
                let f = wrapped(vm, v);
                match vm.get_attr_opt(&f, &Str::value("__isabstractmethod__"))? {
                    Some(x) => Ok(Value::bool(vm.truthy(&x)?)),
                    None => Ok(Value::FALSE),
                }
            },
            None,
        )
}

/// An attribute that is the function's unless it was assigned.
fn wrapper_forwards(vm: &mut Vm, v: &Value, name: &str) -> R {
    let name = crate::names::intern(name);
    if let Some(own) = vm.instance_attr(v, &name) {
        return Ok(own);
    }
    let f = wrapped(vm, v);
    vm.get_attr(&f, &name.to_value())
}

fn wrapper_keeps(vm: &mut Vm, v: &Value, name: &str, value: Option<&Value>) -> R<()> {
    let name = crate::names::intern(name);
    if !vm.set_instance_attr(v, &name, value)? {
        return Err(vm.no_attribute(v, &name.to_value()));
    }
    Ok(())
}

fn wrapper_repr(vm: &mut Vm, v: &Value, name: &str) -> R {
    let f = wrapped(vm, v);
    let text = vm.repr(&f)?;
    Ok(Str::value(&format!("<{name}({})>", text.to_text())))
}

fn copy_function_attributes(vm: &mut Vm, v: &Value, f: &Value) -> R<()> {
    for name in ["__module__", "__name__", "__qualname__", "__doc__"] {
        let name = names::intern(name);
        if let Some(found) = vm.get_attr_opt(f, &name.to_value())? {
            vm.set_instance_attr(v, &name, Some(&found))?;
        }
    }
    Ok(())
}

// ---- members of __slots__

fn member_of(v: &Value) -> &Ref<Member> {
    match v.as_ref::<Member>() {
        Some(m) => m,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

fn member_check(vm: &mut Vm, m: &Ref<Member>, v: &Value) -> R<()> {
    if vm.is_instance_of(v, &m.owner) {
        return Ok(());
    }
    Err(vm.type_error(format!(
        "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
        m.name.to_text(),
        m.owner.name(),
        class_of(v).name()
    )))
}

fn member_get(vm: &mut Vm, d: &Value, instance: Option<&Value>, _: &Value) -> R {
    let Some(v) = instance else {
        return Ok(d.clone());
    };
    let m = member_of(d).clone();
    member_check(vm, &m, v)?;
    match v.header().and_then(Attrs::of).and_then(|a| a.get(m.index)) {
        Some(found) => Ok(found),
        None => Err(vm.no_attribute(v, &m.name.to_value())),
    }
}

fn member_set(vm: &mut Vm, d: &Value, instance: &Value, value: Option<&Value>) -> R<()> {
    let m = member_of(d).clone();
    member_check(vm, &m, instance)?;
    let Some(attrs) = instance.header().and_then(Attrs::of) else {
        return Ok(());
    };
    let old = attrs.replace(m.index, value.cloned().unwrap_or(Value::UNDEF));
    if value.is_none() && old.is_undef() {
        return Err(vm.attribute_error(instance, &m.name.to_value(), &m.name.to_text()));
    }
    Ok(())
}

// ---- super

fn super_of(v: &Value) -> &Ref<Super> {
    match v.as_ref::<Super>() {
        Some(s) => s,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

/// The class whose MRO `super(this, me)` searches; `TypeError` when `me` is neither an instance nor a subclass.
pub(crate) fn super_start(vm: &mut Vm, this: &Ref<Type>, me: &Value) -> R<Ref<Type>> {
    if let Some(c) = me.as_ref::<Type>()
        && c.is_subclass_of(this)
    {
        return Ok(c.clone());
    }
    if class_of(me).is_subclass_of(this) {
        return Ok(class_of(me).clone());
    }
    if let Some(c) = vm.get_attr_opt(me, &Names::get().__class__.to_value())?
        && let Some(c) = c.as_ref::<Type>()
        && c.is_subclass_of(this)
    {
        return Ok(c.clone());
    }
    Err(vm.type_error(format!(
        "super(type, obj): obj ({} {}) is not an instance or subtype of type ({}).",
        if me.is::<Type>() {
            "type"
        } else {
            "instance of"
        },
        me.as_ref::<Type>().map_or_else(
            || class_of(me).name().into_owned(),
            |t| t.name().into_owned()
        ),
        this.name()
    )))
}

fn super_init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let items = args.exactly(vm, "super()", 0, 2)?;
    let (this, me) = match items {
        [] => match crate::builtins::frames::super_arguments(vm) {
            Ok(found) => found,
            Err(text) => return Err(vm.runtime_error(text)),
        },
        [this] => (this.clone(), Value::UNDEF),
        [this, me] => (
            this.clone(),
            if me.is_none() {
                Value::UNDEF
            } else {
                me.clone()
            },
        ),
        _ => return Ok(()),
    };
    let Some(this) = this.as_ref::<Type>().cloned() else {
        return Err(vm.type_error(format!(
            "super() argument 1 must be a type, not {}",
            class_of(&this).name()
        )));
    };
    let s = super_of(v).clone();
    if !me.is_undef() {
        let start = super_start(vm, &this, &me)?;
        drop(s.self_class.replace(vm, Some(start)));
    }
    drop(s.this_class.replace(vm, Some(this)));
    drop(s.receiver.replace(vm, me));
    Ok(())
}

fn super_repr(vm: &mut Vm, v: &Value) -> R {
    let s = super_of(v).clone();
    let this = s
        .this_class
        .get(vm)
        .as_ref()
        .map_or("NULL".into(), |c| c.name().into_owned());
    Ok(Str::value(&match s.self_class.get(vm) {
        Some(c) => format!("<super: <class '{this}'>, <{} object>>", c.name()),
        None => format!("<super: <class '{this}'>, NULL>"),
    }))
}

fn super_getattr(vm: &mut Vm, v: &Value, name: &Value) -> R {
    let s = super_of(v).clone();
    let (this, start) = (s.this_class.get(vm).clone(), s.self_class.get(vm).clone());
    let me = s.receiver.get(vm).clone();
    if let (Some(this), Some(start), Some(text)) = (this, start, name.as_ref::<Str>())
        && !text.same_text(&Names::get().__class__)
    {
        let mro = start.mro.get(vm).clone();
        let at = mro
            .iter()
            .position(|c| c.same(&this))
            .map_or(mro.len(), |i| i + 1);
        for c in &mro[at..] {
            if let Some(found) = c.dict.get_str(vm, text).cloned() {
                let through_class = me.as_ref::<Type>().is_some_and(|t| t.same(&start));
                return vm.bind(&found, (!through_class).then_some(&me), &start);
            }
        }
    }
    vm.generic_get_attr(v, name)
}

fn super_get(vm: &mut Vm, d: &Value, instance: Option<&Value>, _: &Value) -> R {
    let s = super_of(d).clone();
    match (instance, s.this_class.get(vm).clone()) {
        (Some(v), Some(this)) if s.receiver.get(vm).is_undef() => {
            let class = class_of(d).to_value();
            vm.call(&class, &[this.to_value(), v.clone()])
        }
        _ => Ok(d.clone()),
    }
}

// ---- mappingproxy

/// Payload of `mappingproxy`: a read-only view of a mapping.
pub struct MappingProxy {
    mapping: Value,
}

// SAFETY: visits the mapping.
unsafe impl Payload for MappingProxy {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.mapping);
    }
}

/// A read-only view of a mapping.
pub fn mapping_proxy(mapping: Value) -> Value {
    Value::from_ref(heap::alloc(MappingProxy { mapping }))
}

fn proxied(v: &Value) -> Value {
    v.as_ref::<MappingProxy>()
        .map_or(Value::NONE, |p| p.mapping.clone())
}

fn forward(vm: &mut Vm, name: &str, args: &[Value]) -> R {
    let inner = proxied(&args[0]);
    vm.call_method(&inner, &names::intern(name), &args[1..])
}

static PROXY_METHODS: &[Def] = &[
    Def::method("get", "(self, key, default=None, /)", |vm, args| {
        forward(vm, "get", args)
    }),
    Def::method("keys", "(self, /)", |vm, args| forward(vm, "keys", args)),
    Def::method("values", "(self, /)", |vm, args| {
        forward(vm, "values", args)
    }),
    Def::method("items", "(self, /)", |vm, args| forward(vm, "items", args)),
    Def::method("copy", "(self, /)", |vm, args| forward(vm, "copy", args)),
    Def::method("__ior__", "(self, value, /)", |vm, _| {
        Err(vm.type_error("'|=' is not supported by mappingproxy; use '|' instead"))
    }),
    Def::class_method(
        "__class_getitem__",
        "(cls, object, /)",
        crate::builtins::iterators::class_getitem,
    ),
    Def::method("__reversed__", "(self, /)", |vm, args| {
        forward(vm, "__reversed__", args)
    }),
];
