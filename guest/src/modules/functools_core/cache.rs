//! `_lru_cache_wrapper`: the function behind `lru_cache` and `cache`.
//!
//! The entries of a [`Dict`] are in the order of their insertion, so it serves as the queue, too: a hit moves its entry to the back, and when the cache is
//! full the front one goes.

use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::Names;
use crate::objects::descriptors::Method;
use crate::objects::dict::Dict;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Instance, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::Cell;

/// Payload of `_lru_cache_wrapper`.
struct Cache {
    function: VmCell<Value>,
    /// Results by key.
    results: Ref<Dict>,
    /// Stands in keys between positional and keyword arguments.
    mark: Value,
    /// Most results that are kept; `None`: all.
    maxsize: Option<usize>,
    /// Whether arguments of different types are different.
    typed: bool,
    info_class: Value,
    hits: Cell<u64>,
    misses: Cell<u64>,
}

// SAFETY: visits every value.
unsafe impl Payload for Cache {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        visit(unsafe { self.function.peek() });
        self.results.with_value(&mut *visit);
        visit(&self.mark);
        visit(&self.info_class);
    }
    fn clear(&mut self) {
        *self.function.exclusive() = Value::NONE;
    }
}

/// The class.
pub(super) fn class(vm: &mut Vm) -> Ref<Type> {
    if Cache::class_slot().with(|slot| slot.is_set()) {
        return Cache::class().clone();
    }
    let slots = Slots {
        call: Some(call),
        descr_get: Some(|_, v, instance, _| {
            Ok(match instance {
                Some(instance) => Method::value(v.clone(), instance.clone()),
                None => v.clone(),
            })
        }),
        new: Some(new),
        ..Slots::NONE
    };
    let builder = ClassBuilder::new::<Cache>("_lru_cache_wrapper")
        .flags(BASE)
        .slots(slots)
        .attrs(12)
        .weak();
    let class = builder
        .methods(vm, METHODS)
        .module(vm, "functools")
        .build(vm);
    crate::builtins::module_type::add_instance_attributes(vm, &class);
    class
}

static METHODS: &[Def] = &[
    Def::method("cache_info", "(self, /)", |vm, args| {
        let cache = receiver::<Cache>(&args[0]);
        let maxsize = cache.maxsize.map_or(Value::NONE, |n| Value::int(n as i64));
        let size = Value::int(cache.results.len(vm) as i64);
        let (hits, misses) = (cache.hits.get() as i64, cache.misses.get() as i64);
        vm.call(
            &cache.info_class,
            &[Value::int(hits), Value::int(misses), maxsize, size],
        )
    }),
    Def::method("cache_clear", "(self, /)", |vm, args| {
        let cache = receiver::<Cache>(&args[0]);
        cache.hits.set(0);
        cache.misses.set(0);
        let old = cache.results.map.get_mut(vm).take_all();
        drop(old);
        Ok(Value::NONE)
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        vm.get_attr(&args[0], &Names::get().__qualname__.to_value())
    }),
    Def::method("__copy__", "(self, /)", |_, args| Ok(args[0].clone())),
    Def::method("__deepcopy__", "(self, memo, /)", |_, args| {
        Ok(args[0].clone())
    }),
];

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = args.bind(
        vm,
        "lru_cache",
        crate::params!("(user_function, maxsize, typed, cache_info_type)"),
        0,
    )?;
    let [function, maxsize, typed, info_class] = bound.as_slice() else {
        return Ok(Value::NONE);
    };
    if class_of(function).slots().call.is_none() {
        return Err(vm.type_error("the first argument must be callable"));
    }
    let maxsize = if maxsize.is_none() {
        None
    } else if maxsize.as_int().is_some() || class_of(maxsize).slots().index.is_some() {
        Some(usize::try_from(vm.index_i64(maxsize)?.max(0)).unwrap_or(usize::MAX))
    } else {
        return Err(vm.type_error("maxsize should be integer or None"));
    };
    let payload = Cache {
        function: VmCell::new(function.clone()),
        results: Dict::new(),
        mark: Value::from_ref(heap::alloc(Instance)),
        maxsize,
        typed: vm.truthy(typed)?,
        info_class: info_class.clone(),
        hits: Cell::new(0),
        misses: Cell::new(0),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

/// The key under which the result of these arguments is kept.
fn key_of(cache: &Cache, args: &Args) -> Value {
    let positional = args.positional();
    if !cache.typed && args.names().is_empty() {
        if let [one] = positional
            && (one.is_exact_int() || one.is_exact::<Str>())
        {
            // Such a key cannot be mistaken for a tuple of arguments.
            return one.clone();
        }
        return Tuple::from_slice(positional);
    }
    let mut parts = positional.to_vec();
    if !args.names().is_empty() {
        parts.push(cache.mark.clone());
        for (name, value) in args.keywords() {
            parts.push(name.to_value());
            parts.push(value.clone());
        }
    }
    if cache.typed {
        parts.extend(args.values().iter().map(|v| class_of(v).to_value()));
    }
    Tuple::value(parts)
}

fn call(vm: &mut Vm, v: &Value, args: Args) -> R {
    let cache = receiver::<Cache>(v).clone();
    let function = cache.function.get(vm).clone();
    if cache.maxsize == Some(0) {
        cache.misses.set(cache.misses.get() + 1);
        return vm.call_args(&function, args);
    }
    let key = key_of(&cache, &args);
    let hash = vm.hash(&key)?;
    let results = &cache.results;
    if let Some(slot) = results.find(vm, &key, hash)? {
        cache.hits.set(cache.hits.get() + 1);
        let map = results.map.get_mut(vm);
        let result = map.entry(slot).map(|e| e.value.clone());
        if cache.maxsize.is_some() {
            map.move_to_back(slot);
        }
        if let Some(result) = result {
            return Ok(result);
        }
    }
    cache.misses.set(cache.misses.get() + 1);
    let result = vm.call_args(&function, args)?;
    let Some(maxsize) = cache.maxsize else {
        results.set_hashed(vm, &key, hash, result.clone())?;
        return Ok(result);
    };
    // The call itself may have kept a result for this key.
    if results.find(vm, &key, hash)?.is_some() {
        return Ok(result);
    }
    while results.len(vm) >= maxsize {
        let map = results.map.get(vm);
        let oldest = map.next_slot(0).and_then(|slot| map.entry(slot));
        let Some((key, hash)) = oldest.map(|e| (e.key.clone(), e.hash)) else {
            break;
        };
        // The oldest is looked up as in CPython: comparing keys may run Python code, even this function.
        let found = results.find(vm, &key, hash)?;
        if let Some(slot) = found.filter(|_| results.len(vm) >= maxsize) {
            let old = results.map.get_mut(vm).remove_slot(slot);
            drop(old);
        }
    }
    results.set_hashed(vm, &key, hash, result.clone())?;
    Ok(result)
}
