//! `_abc`: what abstract base classes know of their virtual subclasses (PEP 3119), for the module `abc`.

use crate::class_slot;
use crate::heap::weak::{self, Target};
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::{self, Names};
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::set::FrozenSet;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, MAPPING, SEQUENCE, Type};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Classes by address; they are not kept alive.
#[derive(Default)]
struct WeakClasses(BTreeMap<usize, Target>);

impl WeakClasses {
    fn contains(&self, class: &Value) -> bool {
        let Some(address) = class.address() else {
            return false;
        };
        self.0
            .get(&(address.as_ptr() as usize))
            .is_some_and(|t| t.get().is_some())
    }

    fn insert(&mut self, class: &Value) {
        if let (Some(address), Some(target)) = (class.address(), weak::watch(class, 0, false)) {
            self.0.insert(address.as_ptr() as usize, target);
        }
    }

    fn live(&self) -> Vec<Value> {
        self.0.values().filter_map(weak::upgrade).collect()
    }
}

/// What one abstract base class knows.
#[derive(Default)]
struct State {
    registry: WeakClasses,
    cache: WeakClasses,
    negative: WeakClasses,
    negative_version: u64,
}

/// Payload of `_abc._abc_data`.
struct AbcData {
    state: VmCell<State>,
}

// SAFETY: owns no references; classes are held weakly.
unsafe impl Payload for AbcData {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

thread_local! {
    /// Counts registrations: what was found not to be a subclass before the last one may be one now.
    static VERSION: Cell<u64> = const { Cell::new(0) };
}

static FUNCTIONS: &[Def] = &[
    Def::function("get_cache_token", "()", |_, _| {
        Ok(Value::int(VERSION.get() as i64))
    }),
    Def::function("_abc_init", "(self, /)", init),
    Def::function("_abc_register", "(self, subclass, /)", register),
    Def::function("_abc_instancecheck", "(self, instance, /)", instance_check),
    Def::function("_abc_subclasscheck", "(self, subclass, /)", |vm, args| {
        subclass_check(vm, &args[0], &args[1]).map(Value::bool)
    }),
    Def::function("_get_dump", "(self, /)", |vm, args| {
        let data = data_of(vm, &args[0])?;
        let state = data.state.get(vm);
        let parts = [
            state.registry.live(),
            state.cache.live(),
            state.negative.live(),
        ];
        let version = state.negative_version;
        let mut out = Vec::new();
        for part in parts {
            let list = crate::objects::list::List::value(part);
            let set = crate::objects::set::Set::class().to_value();
            out.push(vm.call(&set, &[list])?);
        }
        out.push(Value::int(version as i64));
        Ok(Tuple::value(out))
    }),
    Def::function("_reset_registry", "(self, /)", |vm, args| {
        let data = data_of(vm, &args[0])?;
        data.state.get_mut(vm).registry = WeakClasses::default();
        Ok(Value::NONE)
    }),
    Def::function("_reset_caches", "(self, /)", |vm, args| {
        let data = data_of(vm, &args[0])?;
        let state = data.state.get_mut(vm);
        state.cache = WeakClasses::default();
        state.negative = WeakClasses::default();
        Ok(Value::NONE)
    }),
];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    ClassBuilder::new::<AbcData>("_abc_data")
        .module(vm, "_abc")
        .build(vm);
    Module::native(
        vm,
        "_abc",
        "Module contains faster C implementation of abc.ABCMeta",
        FUNCTIONS,
    )
}

fn data_of(vm: &mut Vm, class: &Value) -> R<Ref<AbcData>> {
    let name = names::intern("_abc_impl").to_value();
    let found = vm.get_attr(class, &name)?;
    match found.as_ref::<AbcData>() {
        Some(d) => Ok(d.clone()),
        None => Err(vm.type_error("_abc_impl is set to a wrong type")),
    }
}

fn is_abstract(vm: &mut Vm, v: &Value) -> R<bool> {
    // Almost everything in a class is a plain function, whose attributes are quickly looked at.
    let name = names::intern("__isabstractmethod__").to_value();
    match vm.get_attr_opt(v, &name)? {
        Some(flag) => vm.truthy(&flag),
        None => Ok(false),
    }
}

fn init(vm: &mut Vm, args: &[Value]) -> R {
    let class = &args[0];
    let Some(t) = class.as_ref::<Type>().cloned() else {
        return Err(vm.type_error("_abc_init() argument must be a class"));
    };
    let members: Vec<(Value, Value)> = t
        .dict
        .map
        .get(vm)
        .iter()
        .map(|e| (e.key.clone(), e.value.clone()))
        .collect();
    let mut abstracts = Vec::new();
    for (key, value) in members {
        if is_abstract(vm, &value)? {
            abstracts.push(key);
        }
    }
    let listed = names::intern("__abstractmethods__").to_value();
    for base in t.bases.get(vm).clone() {
        let base = base.to_value();
        let Some(inherited) = vm.get_attr_opt(&base, &listed)? else {
            continue;
        };
        for name in vm.collect(&inherited)? {
            if let Some(value) = vm.get_attr_opt(class, &name)?
                && is_abstract(vm, &value)?
            {
                abstracts.push(name);
            }
        }
    }
    let list = crate::objects::list::List::value(abstracts);
    let set = FrozenSet::class().to_value();
    let set = vm.call(&set, &[list])?;
    vm.set_attr(class, &listed, Some(&set))?;
    let data = Value::from_ref(heap::alloc(AbcData {
        state: VmCell::new(State {
            negative_version: VERSION.get(),
            ..State::default()
        }),
    }));
    vm.set_attr(class, &names::intern("_abc_impl").to_value(), Some(&data))?;
    // Which patterns instances match (PEP 634): bits of CPython's type flags.
    if let Some(flags) = t.dict.remove_str(vm, &names::intern("__abc_tpflags__")) {
        let flags = vm.index_i64(&flags)?;
        t.set_flag(SEQUENCE, flags & 1 << 5 != 0);
        t.set_flag(MAPPING, flags & 1 << 6 != 0);
        t.invalidate();
    }
    Ok(Value::NONE)
}

fn register(vm: &mut Vm, args: &[Value]) -> R {
    let (class, subclass) = (&args[0], &args[1]);
    let Some(sub) = subclass.as_ref::<Type>().cloned() else {
        return Err(vm.type_error("Can only register classes"));
    };
    if vm.is_subclass(subclass, class)? {
        return Ok(subclass.clone());
    }
    if vm.is_subclass(class, subclass)? {
        return Err(vm.raise(Exc::RuntimeError, "Refusing to create an inheritance cycle"));
    }
    let data = data_of(vm, class)?;
    data.state.get_mut(vm).registry.insert(subclass);
    VERSION.set(VERSION.get() + 1);
    if let Some(t) = class.as_ref::<Type>() {
        let flags = t.flags.get() & (SEQUENCE | MAPPING);
        if flags != 0 {
            spread_flags(&sub, flags);
        }
    }
    Ok(subclass.clone())
}

/// Built-in classes keep what they have: `str` is a `Sequence`, and does not match sequence patterns.
fn spread_flags(class: &Ref<Type>, flags: u32) {
    if class.is_static() {
        return;
    }
    class.set_flag(SEQUENCE | MAPPING, false);
    class.set_flag(flags, true);
    for sub in class.live_subclasses() {
        spread_flags(&sub, flags);
    }
}

fn instance_check(vm: &mut Vm, args: &[Value]) -> R {
    let (class, instance) = (&args[0], &args[1]);
    let data = data_of(vm, class)?;
    let subclass = if class_of(instance).is_static() {
        class_of(instance).to_value()
    } else {
        vm.get_attr(instance, &Names::get().__class__.to_value())?
    };
    if data.state.get(vm).cache.contains(&subclass) {
        return Ok(Value::TRUE);
    }
    let subtype = class_of(instance).to_value();
    let check = Names::get().__subclasscheck__.clone();
    if subtype.is_same(&subclass) {
        let state = data.state.get(vm);
        if state.negative_version == VERSION.get() && state.negative.contains(&subclass) {
            return Ok(Value::FALSE);
        }
        return vm.call_method(class, &check, &[subclass]);
    }
    let first = vm.call_method(class, &check, &[subclass])?;
    if vm.truthy(&first)? {
        return Ok(first);
    }
    vm.call_method(class, &check, &[subtype])
}

fn subclass_check(vm: &mut Vm, class: &Value, subclass: &Value) -> R<bool> {
    if !subclass.is::<Type>() {
        return Err(vm.type_error("issubclass() arg 1 must be a class"));
    }
    let data = data_of(vm, class)?;
    if data.state.get(vm).cache.contains(subclass) {
        return Ok(true);
    }
    if data.state.get(vm).negative_version < VERSION.get() {
        let state = data.state.get_mut(vm);
        state.negative = WeakClasses::default();
        state.negative_version = VERSION.get();
    } else if data.state.get(vm).negative.contains(subclass) {
        return Ok(false);
    }
    let hook = vm.call_method(
        class,
        &Names::get().__subclasshook__,
        std::slice::from_ref(subclass),
    )?;
    if !hook.is_not_implemented() {
        let Some(hit) = hook.as_bool() else {
            return Err(vm.raise(
                Exc::AssertionError,
                "__subclasshook__ must return either False, True, or NotImplemented",
            ));
        };
        return Ok(remember(vm, &data, subclass, hit));
    }
    let direct = match (class.as_ref::<Type>(), subclass.as_ref::<Type>()) {
        (Some(c), Some(s)) => s.is_subclass_of(c),
        _ => false,
    };
    if direct {
        return Ok(remember(vm, &data, subclass, true));
    }
    for registered in data.state.get(vm).registry.live() {
        if vm.recurse("", |vm| vm.is_subclass(subclass, &registered))? {
            return Ok(remember(vm, &data, subclass, true));
        }
    }
    let subclasses = vm.call_method(class, &names::intern("__subclasses__"), &[])?;
    for sub in vm.collect(&subclasses)? {
        if vm.recurse("", |vm| vm.is_subclass(subclass, &sub))? {
            return Ok(remember(vm, &data, subclass, true));
        }
    }
    Ok(remember(vm, &data, subclass, false))
}

fn remember(vm: &mut Vm, data: &Ref<AbcData>, subclass: &Value, hit: bool) -> bool {
    let state = data.state.get_mut(vm);
    if hit {
        state.cache.insert(subclass)
    } else {
        state.negative.insert(subclass)
    }
    hit
}
