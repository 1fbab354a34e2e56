//! `module`: its Python side; and `__dict__` of ordinary instances.

use crate::heap::attrs::Attrs;
use crate::heap::{self, Ref};
use crate::names::{self, Names};
use crate::objects::dict::Dict;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Builds the class.
pub(crate) fn init(vm: &mut Vm) {
    let module = ClassBuilder::new::<Module>("module")
        .flags(BASE)
        .weak()
        .slots(Slots {
            repr: Some(repr),
            getattr: Some(getattr),
            new: Some(|_, class, _| {
                Ok(Value::from_ref(heap::alloc_instance(
                    Module {
                        dict: Dict::new(),
                        shipped: None,
                    },
                    class,
                    0,
                )))
            }),
            init: Some(|vm, v, args| {
                let params = crate::params!("(name, doc=None)");
                let a = args.bind(vm, "module", params, 0)?;
                if !a[0].is::<Str>() {
                    return Err(vm.type_error(format!(
                        "module() argument 'name' must be str, not {}",
                        class_of(&a[0]).name()
                    )));
                }
                vm.check_reflection(v, None)?;
                let dict = this(v).dict.clone();
                let n = Names::get();
                dict.set_str(vm, &n.__name__, a[0].clone());
                dict.set_str(
                    vm,
                    &n.__doc__,
                    crate::vm::args::optional(&a, 1)
                        .cloned()
                        .unwrap_or(Value::NONE),
                );
                for key in [&n.__package__, &n.__loader__, &n.__spec__] {
                    dict.set_str(vm, key, Value::NONE);
                }
                Ok(())
            }),
            ..Slots::NONE
        });
    module
        .getset(
            vm,
            "__dict__",
            |vm, m| {
                vm.check_reflection(m, None)?;
                Ok(this(m).dict.to_value())
            },
            None,
        )
        .getset(
            vm,
            "__annotations__",
            annotations,
            Some(|vm, m, v| {
                vm.check_reflection(m, None)?;
                let dict = this(m).dict.clone();
                let n = Names::get();
                match v {
                    Some(v) => dict.set_str(vm, &n.__annotations__, v.clone()),
                    None => {
                        if dict.remove_str(vm, &n.__annotations__).is_none() {
                            let name = n.__annotations__.to_value();
                            return Err(vm.attribute_error(m, &name, "__annotations__"));
                        }
                        drop(dict.remove_str(vm, &n.__annotate__));
                    }
                }
                Ok(())
            }),
        )
        .methods(vm, METHODS)
        .build(vm);
}

fn this(v: &Value) -> &Ref<Module> {
    match v.as_ref::<Module>() {
        Some(m) => m,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

static METHODS: &[Def] = &[Def::method("__dir__", "(self, /)", |vm, args| {
    let dict = this(&args[0]).dict.clone();
    if let Some(f) = dict.get_str(vm, &Names::get().__dir__).cloned() {
        return vm.call(&f, &[]);
    }
    let shown = vm.namespace_of(&args[0])?;
    if !shown.is_some_and(|d| d.is::<Dict>()) {
        return Err(vm.type_error("<module>.__dict__ is not a dictionary"));
    }
    let keys = dict.map.get(vm).iter().map(|e| e.key.clone()).collect();
    Ok(crate::objects::list::List::value(keys))
})];

fn repr(vm: &mut Vm, v: &Value) -> R {
    let dict = this(v).dict.clone();
    let n = Names::get();
    let name = dict
        .get_str(vm, &n.__name__)
        .and_then(|s| s.as_ref::<Str>())
        .map_or("?".into(), |s| s.to_text().into_owned());
    let file = dict
        .get_str(vm, &n.__file__)
        .and_then(|s| s.as_ref::<Str>())
        .map(|s| s.to_text().into_owned());
    let text = |vm: &mut Vm, of: &Value, attr: &str| -> R<Option<String>> {
        let found = vm.get_attr_opt(of, &names::intern(attr).to_value())?;
        Ok(found.and_then(|v| v.as_ref::<Str>().map(|s| s.to_text().into_owned())))
    };
    let spec = dict.get_str(vm, &n.__spec__).cloned();
    if let Some(spec) = spec.filter(|s| !s.is_none()) {
        let name = text(vm, &spec, "name")?.unwrap_or(name);
        let origin = text(vm, &spec, "origin")?;
        let located = vm.get_attr_opt(&spec, &names::intern("has_location").to_value())?;
        let located = match &located {
            Some(v) => vm.truthy(v)?,
            None => false,
        };
        let loader = vm
            .get_attr_opt(&spec, &names::intern("loader").to_value())?
            .filter(|l| !l.is_none());
        return Ok(Str::value(&match (origin, loader) {
            (Some(origin), _) if located => format!("<module '{name}' from '{origin}'>"),
            (Some(origin), _) => format!("<module '{name}' ({origin})>"),
            (None, Some(loader)) => format!("<module '{name}' ({})>", vm.repr(&loader)?.to_text()),
            (None, None) => format!("<module '{name}'>"),
        }));
    }
    Ok(Str::value(&match file {
        Some(f) => format!("<module '{name}' from '{f}'>"),
        None if name == "builtins" || crate::modules::is_native(&name) => {
            format!("<module '{name}' (built-in)>")
        }
        None => format!("<module '{name}'>"),
    }))
}

/// Attribute access with the module's own `__getattr__` (PEP 562).
fn getattr(vm: &mut Vm, v: &Value, name: &Value) -> R {
    let dict = this(v).dict.clone();
    let Some(text) = name.as_ref::<Str>() else {
        return vm.generic_get_attr(v, name);
    };
    if let Some(found) = dict.get_str(vm, text) {
        let found = found.clone();
        // Data descriptors of the class (`__dict__`, `__class__`) come first.
        let in_class = vm.type_lookup(class_of(v), text);
        if in_class.is_none()
            || text.same_text(&Names::get().__annotations__)
            || text.same_text(&Names::get().__doc__)
        {
            return Ok(found);
        }
        return vm.generic_get_attr(v, name);
    }
    if vm.type_lookup(class_of(v), text).is_some() {
        return vm.generic_get_attr(v, name);
    }
    match dict.get_str(vm, &Names::get().__getattr__).cloned() {
        Some(f) => vm.call(&f, std::slice::from_ref(name)),
        None => vm.generic_get_attr(v, name),
    }
}

fn annotations(vm: &mut Vm, v: &Value) -> R {
    vm.check_reflection(v, None)?;
    let dict = this(v).dict.clone();
    let n = Names::get();
    if let Some(a) = dict.get_str(vm, &n.__annotations__) {
        return Ok(a.clone());
    }
    let made = match dict.get_str(vm, &n.__annotate__).cloned() {
        Some(f) if !f.is_none() => vm.call(&f, &[Value::small_int(1)])?,
        _ => Value::from_ref(Dict::new()),
    };
    dict.set_str(vm, &n.__annotations__, made.clone());
    Ok(made)
}

// ---- instances

/// Gives a class that introduces instance dictionaries its `__dict__` and `__weakref__` descriptors.
pub(crate) fn add_instance_attributes(vm: &mut Vm, class: &Ref<crate::objects::types::Type>) {
    let name = names::intern("__dict__");
    let d = crate::objects::native::GetSet::value(
        "__dict__",
        class,
        instance_dict,
        Some(set_instance_dict),
    );
    class.dict.set_str(vm, &name, d);
}

fn instance_dict(vm: &mut Vm, v: &Value) -> R {
    match v.header() {
        Some(h) if Attrs::of(h).is_some() => Ok(Value::from_ref(vm.instance_dict(h))),
        _ => Err(vm.no_attribute(v, &Names::get().__dict__.to_value())),
    }
}

/// Assigns `instance.__dict__`.
pub(crate) fn set_instance_dict(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let Some(h) = v.header() else { return Ok(()) };
    vm.instance_dict(h);
    let new = match value {
        Some(value) => match value.as_ref::<Dict>() {
            Some(d) => d.clone(),
            None => {
                return Err(vm.type_error(format!(
                    "__dict__ must be set to a dictionary, not a '{}'",
                    class_of(value).name()
                )));
            }
        },
        None if class_of(v).is_static() => {
            return Err(vm.type_error("cannot delete __dict__"));
        }
        None => Dict::new(),
    };
    if let Some(attrs) = Attrs::of(h) {
        drop(attrs.set_dict(Some(new)));
    }
    Ok(())
}
