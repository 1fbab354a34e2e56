//! `gc`: the cycle collector as programs see it.

use crate::heap::{self, Payload, Ref, gc};
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{Instance, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// Name of the thresholds that the program has set, among the machine's settings.
const THRESHOLD: &str = "gc_threshold";

static FUNCTIONS: &[Def] = &[
    Def::function("collect", "(generation=2)", collect),
    Def::function("enable", "()", |_, _| {
        gc::set_enabled(true);
        Ok(Value::NONE)
    }),
    Def::function("disable", "()", |_, _| {
        gc::set_enabled(false);
        Ok(Value::NONE)
    }),
    Def::function("isenabled", "()", |_, _| Ok(Value::bool(gc::is_enabled()))),
    Def::function("get_count", "()", |_, _| {
        Ok(Tuple::value(vec![
            Value::int(gc::tracked_count() as i64),
            Value::int(0),
            Value::int(0),
        ]))
    }),
    Def::function("get_objects", "(generation=None)", |vm, _| {
        Ok(shown(vm, gc::objects()))
    }),
    Def::raw_function("get_referents", "(*objs)", |vm, args: Args| {
        let mut found = Vec::new();
        for v in args.positional() {
            if let Some(h) = v.header() {
                gc::visit_object(h, &mut |v| {
                    if !v.is_undef() {
                        found.push(v.clone());
                    }
                });
            }
        }
        Ok(shown(vm, found))
    }),
    Def::raw_function("get_referrers", "(*objs)", |vm, args: Args| {
        let wanted = args.positional();
        let mut found = Vec::new();
        for object in gc::objects() {
            let Some(h) = object.header() else { continue };
            let mut refers = false;
            gc::visit_object(h, &mut |v| {
                refers |= v.is_ref() && wanted.iter().any(|w| w.is_same(v))
            });
            if refers {
                found.push(object);
            }
        }
        Ok(shown(vm, found))
    }),
    Def::function("is_tracked", "(obj, /)", |_, args| {
        Ok(Value::bool(args[0].header().is_some_and(|h| {
            let plain = h.class().same(Instance::class());
            let fixed = args[0].as_ref::<Type>().is_some_and(|t| t.is_static());
            let collectable = h.class().vtable.collectable || !h.class().is_static();
            collectable && !plain && !fixed
        })))
    }),
    Def::function("is_finalized", "(obj, /)", |_, args| {
        Ok(Value::bool(
            args[0].header().is_some_and(|h| h.flag(heap::FINALIZED)),
        ))
    }),
    Def::function("freeze", "()", |_, _| {
        gc::freeze();
        Ok(Value::NONE)
    }),
    Def::function("unfreeze", "()", |_, _| {
        gc::unfreeze();
        Ok(Value::NONE)
    }),
    Def::function("get_freeze_count", "()", |_, _| {
        Ok(Value::int(gc::frozen_count() as i64))
    }),
    Def::function("get_debug", "()", |_, _| Ok(Value::int(0))),
    Def::function("set_debug", "(flags, /)", |vm, args| {
        if vm.index_i64(&args[0])? != 0 {
            return Err(vm.not_implemented_error("gc.set_debug() with flags is not supported"));
        }
        Ok(Value::NONE)
    }),
    Def::function("get_threshold", "()", |vm, _| {
        let set = vm.settings.get(THRESHOLD).cloned();
        Ok(set
            .unwrap_or_else(|| Tuple::value(vec![Value::int(2000), Value::int(10), Value::int(0)])))
    }),
    Def::function(
        "set_threshold",
        "(threshold0, threshold1=10, threshold2=10, /)",
        |vm, args| {
            let mut all = Vec::new();
            for (i, default) in [2000, 10, 0].into_iter().enumerate() {
                all.push(match crate::vm::args::optional(args, i) {
                    Some(v) => Value::int(vm.index_i64(v)?),
                    None => Value::int(default),
                });
            }
            // Only whether it is zero changes anything: when a collection is worth its time is known better here.
            gc::set_enabled(all[0].as_small_int() != Some(0));
            vm.settings.insert(THRESHOLD, Tuple::value(all));
            Ok(Value::NONE)
        },
    ),
    Def::function("get_stats", "()", |vm, _| {
        let mut all = Vec::new();
        for stats in gc::stats() {
            let d = Dict::new();
            for (key, n) in [
                ("collections", stats.collections),
                ("collected", stats.collected),
                ("uncollectable", 0),
            ] {
                d.set_item(vm, &Str::value(key), Value::int(n as i64))?;
            }
            all.push(Value::from_ref(d));
        }
        Ok(List::value(all))
    }),
];

/// A list of objects, without what belongs to modules that the policy refuses.
fn shown(vm: &Vm, mut objects: Vec<Value>) -> Value {
    objects.retain(|v| !vm.is_hidden(v));
    List::value(objects)
}

fn collect(vm: &mut Vm, args: &[Value]) -> R {
    if let Some(g) = crate::vm::args::optional(args, 0)
        && !(0..=2).contains(&vm.index_i64(g)?)
    {
        return Err(vm.value_error("invalid generation"));
    }
    let generation = match crate::vm::args::optional(args, 0) {
        Some(g) => vm.index_i64(g)? as usize,
        None => 2,
    };
    vm.run_finalizers();
    if generation == 2 {
        vm.forget_cached_values();
    }
    let found = vm.collect_cycles(generation);
    vm.run_finalizers();
    Ok(Value::int(found as i64))
}

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(vm, "gc", "The cycle collector.", FUNCTIONS);
    m.set(vm, "garbage", List::value(Vec::new()));
    m.set(vm, "callbacks", List::value(Vec::new()));
    for (name, value) in [
        ("DEBUG_STATS", 1),
        ("DEBUG_COLLECTABLE", 2),
        ("DEBUG_UNCOLLECTABLE", 4),
        ("DEBUG_SAVEALL", 32),
        ("DEBUG_LEAK", 38),
    ] {
        m.set(vm, name, Value::int(value));
    }
    m
}
