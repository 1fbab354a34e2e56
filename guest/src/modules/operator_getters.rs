//! `operator.itemgetter`, `attrgetter` and `methodcaller`.

use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// Payload of `itemgetter`.
struct ItemGetter {
    items: Box<[Value]>,
}

// SAFETY: visits the items.
unsafe impl Payload for ItemGetter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.items.iter().for_each(visit);
    }
}

/// Payload of `attrgetter`.
struct AttrGetter {
    /// The arguments.
    names: Box<[Value]>,
    /// Each taken apart at its points.
    paths: Box<[Box<[Ref<Str>]>]>,
}

// SAFETY: visits the arguments; the names in paths are interned and thus immortal.
unsafe impl Payload for AttrGetter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.names.iter().for_each(visit);
    }
}

/// Payload of `methodcaller`.
struct MethodCaller {
    name: Ref<Str>,
    /// The positional arguments, then the values of the keywords.
    values: Box<[Value]>,
    keywords: Box<[Value]>,
}

// SAFETY: visits every value; the name is interned and thus immortal.
unsafe impl Payload for MethodCaller {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.values.iter().chain(&*self.keywords).for_each(visit);
    }
}

/// The classes, made when first asked for.
pub(super) fn classes(vm: &mut Vm) -> [(&'static str, Value); 3] {
    if !ItemGetter::class_slot().with(|slot| slot.is_set()) {
        let slots = Slots {
            new: Some(new_item_getter),
            call: Some(get_items),
            repr: Some(repr_item_getter),
            ..Slots::NONE
        };
        ClassBuilder::new::<ItemGetter>("itemgetter")
            .slots(slots)
            .module(vm, "operator")
            .methods(vm, ITEM_GETTER)
            .build(vm);
        let slots = Slots {
            new: Some(new_attr_getter),
            call: Some(get_attrs),
            repr: Some(repr_attr_getter),
            ..Slots::NONE
        };
        ClassBuilder::new::<AttrGetter>("attrgetter")
            .slots(slots)
            .module(vm, "operator")
            .methods(vm, ATTR_GETTER)
            .build(vm);
        let slots = Slots {
            new: Some(new_method_caller),
            call: Some(call_method),
            repr: Some(repr_method_caller),
            ..Slots::NONE
        };
        ClassBuilder::new::<MethodCaller>("methodcaller")
            .slots(slots)
            .module(vm, "operator")
            .methods(vm, METHOD_CALLER)
            .build(vm);
    }
    [
        ("itemgetter", ItemGetter::class().to_value()),
        ("attrgetter", AttrGetter::class().to_value()),
        ("methodcaller", MethodCaller::class().to_value()),
    ]
}

static ITEM_GETTER: &[Def] = &[Def::method("__reduce__", "(self, /)", |vm, args| {
    let Some(g) = args[0].as_ref::<ItemGetter>() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let class = vm.class_of(&args[0]).to_value();
    Ok(Tuple::value(vec![class, Tuple::from_slice(&g.items)]))
})];

static ATTR_GETTER: &[Def] = &[Def::method("__reduce__", "(self, /)", |vm, args| {
    let Some(g) = args[0].as_ref::<AttrGetter>() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let class = vm.class_of(&args[0]).to_value();
    Ok(Tuple::value(vec![class, Tuple::from_slice(&g.names)]))
})];

static METHOD_CALLER: &[Def] = &[Def::method("__reduce__", "(self, /)", reduce_method_caller)];

/// The arguments of a constructor that wants at least one and no keywords.
fn some_arguments<'a>(vm: &mut Vm, name: &str, args: Args<'a>) -> R<&'a [Value]> {
    args.no_keywords(vm, name)?;
    if args.values().is_empty() {
        return Err(vm.type_error(format!("{name} expected 1 argument, got 0")));
    }
    Ok(args.values())
}

/// The one argument of a call.
fn one_argument<'a>(vm: &mut Vm, name: &str, args: Args<'a>) -> R<&'a Value> {
    Ok(&args.exactly(vm, name, 1, 1)?[0])
}

fn list_reprs(vm: &mut Vm, values: &[Value]) -> R<Vec<String>> {
    values
        .iter()
        .map(|v| Ok(vm.repr(v)?.to_text().into_owned()))
        .collect()
}

// ---- itemgetter

fn new_item_getter(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let items = some_arguments(vm, "itemgetter", args)?.into();
    Ok(Value::from_ref(heap::alloc_instance(
        ItemGetter { items },
        class,
        0,
    )))
}

fn get_items(vm: &mut Vm, v: &Value, args: Args) -> R {
    let object = one_argument(vm, "itemgetter", args)?;
    let Some(g) = v.as_ref::<ItemGetter>() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if let [item] = &*g.items {
        return vm.get_item(object, item);
    }
    let found = g
        .items
        .iter()
        .map(|item| vm.get_item(object, item))
        .collect::<R<Vec<Value>>>()?;
    Ok(Tuple::value(found))
}

fn repr_item_getter(vm: &mut Vm, v: &Value) -> R {
    let Some(g) = v.as_ref::<ItemGetter>() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let parts = vm.repr_once(v, |vm| list_reprs(vm, &g.items))?;
    Ok(Str::value(&format!(
        "operator.itemgetter({})",
        parts.map_or("...".to_owned(), |p| p.join(", "))
    )))
}

// ---- attrgetter

fn new_attr_getter(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let names: Box<[Value]> = some_arguments(vm, "attrgetter", args)?.into();
    let mut paths = Vec::with_capacity(names.len());
    for name in &names {
        let Some(s) = name.as_ref::<Str>() else {
            return Err(vm.type_error("attribute name must be a string"));
        };
        for part in s.as_bytes().split(|&b| b == b'.') {
            let name = names::intern_wtf8(part);
            vm.check_dunder(&name)?;
        }
        paths.push(
            s.as_bytes()
                .split(|&b| b == b'.')
                .map(names::intern_wtf8)
                .collect(),
        );
    }
    Ok(Value::from_ref(heap::alloc_instance(
        AttrGetter {
            names,
            paths: paths.into(),
        },
        class,
        0,
    )))
}

fn follow(vm: &mut Vm, object: &Value, path: &[Ref<Str>]) -> R {
    let mut at = object.clone();
    for name in path {
        vm.check_reflection(&at, Some(name))?;
        at = vm.get_attr(&at, &name.to_value())?;
    }
    Ok(at)
}

fn get_attrs(vm: &mut Vm, v: &Value, args: Args) -> R {
    let object = one_argument(vm, "attrgetter", args)?;
    let Some(g) = v.as_ref::<AttrGetter>() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if let [path] = &*g.paths {
        return follow(vm, object, path);
    }
    let found = g
        .paths
        .iter()
        .map(|path| follow(vm, object, path))
        .collect::<R<Vec<Value>>>()?;
    Ok(Tuple::value(found))
}

fn repr_attr_getter(vm: &mut Vm, v: &Value) -> R {
    let Some(g) = v.as_ref::<AttrGetter>() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let parts = list_reprs(vm, &g.names)?;
    Ok(Str::value(&format!(
        "operator.attrgetter({})",
        parts.join(", ")
    )))
}

// ---- methodcaller

fn new_method_caller(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let Some(name) = args.positional().first() else {
        return Err(vm.type_error("methodcaller needs at least one argument, the method name"));
    };
    let Some(name) = name.as_ref::<Str>() else {
        return Err(vm.type_error("method name must be a string"));
    };
    let name = &name.clone();
    vm.check_dunder(name)?;
    let caller = MethodCaller {
        name: names::intern_ref(name),
        values: args.tail().values().into(),
        keywords: args.names().into(),
    };
    Ok(Value::from_ref(heap::alloc_instance(caller, class, 0)))
}

fn call_method(vm: &mut Vm, v: &Value, args: Args) -> R {
    let object = one_argument(vm, "methodcaller", args)?;
    if let Some(m) = v.as_ref::<MethodCaller>() {
        let name = m.name.clone();
        vm.check_reflection(object, Some(&name))?;
    }
    let Some(m) = v.as_ref::<MethodCaller>() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let (f, receiver) = vm.load_method(object, &m.name)?;
    let mut values: Vec<Value> = receiver.into_iter().collect();
    values.extend_from_slice(&m.values);
    vm.call_args(&f, Args::new(&values, &m.keywords))
}

fn repr_method_caller(vm: &mut Vm, v: &Value) -> R {
    let Some(m) = v.as_ref::<MethodCaller>() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let parts = vm.repr_once(v, |vm| {
        let mut parts = vec![vm.repr(&m.name.to_value())?.to_text().into_owned()];
        let given = Args::new(&m.values, &m.keywords);
        parts.extend(list_reprs(vm, given.positional())?);
        for (name, value) in given.keywords() {
            parts.push(format!("{}={}", name.to_text(), vm.repr(value)?.to_text()));
        }
        Ok(parts)
    })?;
    Ok(Str::value(&format!(
        "operator.methodcaller({})",
        parts.map_or("...".to_owned(), |p| p.join(", "))
    )))
}

/// To be called again as `methodcaller(name, *args)`; with keywords, through `functools.partial`.
fn reduce_method_caller(vm: &mut Vm, args: &[Value]) -> R {
    let Some(m) = args[0].as_ref::<MethodCaller>() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let class = vm.class_of(&args[0]).to_value();
    let given = Args::new(&m.values, &m.keywords);
    if m.keywords.is_empty() {
        let mut items = vec![m.name.to_value()];
        items.extend_from_slice(given.positional());
        return Ok(Tuple::value(vec![class, Tuple::value(items)]));
    }
    let functools = vm.import_module("functools")?;
    let partial = vm.get_attr(&functools, &Value::from_ref(names::intern("partial")))?;
    let mut values = vec![class, m.name.to_value()];
    values.extend(given.keywords().map(|(_, v)| v.clone()));
    let partial = vm.call_args(&partial, Args::new(&values, &m.keywords))?;
    Ok(Tuple::value(vec![
        partial,
        Tuple::from_slice(given.positional()),
    ]))
}
