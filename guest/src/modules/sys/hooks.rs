//! The hooks of `sys`: what happens to results, to exceptions that nobody catches, to asynchronous generators.

use crate::heap::Ref;
use crate::names;
use crate::objects::exception::Exception;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::struct_seq;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};
use std::cell::OnceCell;

thread_local! {
    static UNRAISABLE: OnceCell<Ref<Type>> = const { OnceCell::new() };
    static CLASS: OnceCell<Ref<Type>> = const { OnceCell::new() };
}

/// The hooks for asynchronous generators.
const ASYNCGEN_HOOKS: [&str; 2] = ["asyncgen_firstiter", "asyncgen_finalizer"];

/// Adds them to the module, and the originals under their other names.
pub(super) fn add(vm: &mut Vm, m: &Ref<Module>) {
    for def in FUNCTIONS {
        let f = crate::objects::native::Native::function(def, names::intern("sys").to_value());
        m.set(vm, def.name, f.clone());
        if matches!(
            def.name,
            "breakpointhook" | "displayhook" | "excepthook" | "unraisablehook"
        ) {
            m.set(vm, &format!("__{}__", def.name), f);
        }
    }
}

static FUNCTIONS: &[Def] = &[
    Def::raw_function("breakpointhook", "(*args, **kwargs)", |vm, args| {
        crate::builtins::publish::site(vm, "breakpointhook", args)
    }),
    Def::function("displayhook", "(object, /)", |vm, a| {
        if a[0].is_none() {
            return Ok(Value::NONE);
        }
        let builtins = vm.builtins.clone();
        builtins.set_str(vm, &names::intern("_"), Value::NONE);
        let text = vm.repr(&a[0])?.to_value();
        let print = builtins
            .get_str(vm, &names::intern("print"))
            .cloned()
            .unwrap_or(Value::NONE);
        vm.call(&print, &[text])?;
        builtins.set_str(vm, &names::intern("_"), a[0].clone());
        Ok(Value::NONE)
    }),
    Def::function("excepthook", "(exctype, value, traceback, /)", |vm, a| {
        let text = if a[1].is::<Exception>() {
            crate::builtins::tracebacks::format(vm, &a[1])
        } else {
            format!(
                "TypeError: print_exception(): Exception expected for value, {} found\n",
                vm.class_name(&a[1])
            )
        };
        let sys = vm.import_module("sys")?;
        let stderr = vm
            .get_attr_opt(&sys, &names::intern("stderr").to_value())?
            .unwrap_or(Value::NONE);
        if !stderr.is_none() {
            vm.call_method(&stderr, &names::intern("write"), &[Str::value(&text)])?;
        }
        Ok(Value::NONE)
    }),
    Def::function("unraisablehook", "(unraisable, /)", |vm, a| {
        let e = vm.get_attr(&a[0], &names::intern("exc_value").to_value())?;
        let object = vm.get_attr(&a[0], &names::intern("object").to_value())?;
        vm.report_unraisable(&e, &object);
        Ok(Value::NONE)
    }),
    Def::function("get_asyncgen_hooks", "()", |vm, _| {
        let items = vm.threads.current.asyncgen_hooks.to_vec();
        let class = match CLASS.with(|c| c.get().cloned()) {
            Some(class) => class,
            None => {
                let class = struct_seq::class(
                    vm,
                    "",
                    "asyncgen_hooks",
                    &["firstiter", "finalizer"],
                    struct_seq::not_from_python,
                );
                CLASS.with(|c| c.get_or_init(|| class).clone())
            }
        };
        Ok(Value::from_ref(Tuple::instance(&class, items)))
    }),
    Def::function(
        "set_asyncgen_hooks",
        "(firstiter=None, finalizer=None)",
        set_asyncgen_hooks,
    ),
    Def::function("get_coroutine_origin_tracking_depth", "()", |vm, _| {
        Ok(Value::int(vm.threads.origin_depth as i64))
    }),
    Def::function("set_coroutine_origin_tracking_depth", "(depth)", |vm, a| {
        let depth = vm.index_i64(&a[0])?;
        if depth < 0 {
            return Err(vm.value_error("depth must be >= 0"));
        }
        vm.threads.origin_depth = depth as usize;
        Ok(Value::NONE)
    }),
];

/// Calls `sys.unraisablehook` if the program has set one of its own; false when it has not.
pub(crate) fn call_unraisable_hook(vm: &mut Vm, exception: &Value, object: &Value) -> R<bool> {
    let name = names::intern("sys");
    let Some(sys) = vm.modules.clone().get_str(vm, &name).cloned() else {
        return Ok(false);
    };
    let hook = vm.get_attr_opt(&sys, &names::intern("unraisablehook").to_value())?;
    let Some(hook) = hook.filter(|h| !h.is::<crate::objects::native::Native>() && !h.is_none())
    else {
        return Ok(false);
    };
    let class = match UNRAISABLE.with(|c| c.get().cloned()) {
        Some(class) => class,
        None => {
            let class = struct_seq::class(
                vm,
                "sys",
                "UnraisableHookArgs",
                &[
                    "exc_type",
                    "exc_value",
                    "exc_traceback",
                    "err_msg",
                    "object",
                ],
                struct_seq::not_from_python,
            );
            UNRAISABLE.with(|c| c.get_or_init(|| class).clone())
        }
    };
    let traceback = vm
        .get_attr_opt(exception, &names::intern("__traceback__").to_value())?
        .unwrap_or(Value::NONE);
    let items = vec![
        crate::vm::ops::class_of(exception).to_value(),
        exception.clone(),
        traceback,
        Value::NONE,
        object.clone(),
    ];
    vm.call(&hook, &[Value::from_ref(Tuple::instance(&class, items))])?;
    Ok(true)
}

fn set_asyncgen_hooks(vm: &mut Vm, a: &[Value]) -> R {
    for (i, name) in ASYNCGEN_HOOKS.into_iter().enumerate() {
        let Some(hook) = optional(a, i) else { continue };
        if !hook.is_none() && crate::vm::ops::class_of(hook).slots().call.is_none() {
            let shown = name.trim_start_matches("asyncgen_");
            return Err(vm.type_error(format!(
                "callable {shown} expected, got {}",
                vm.class_name(hook)
            )));
        }
        vm.threads.current.asyncgen_hooks[i] = hook.clone();
    }
    Ok(Value::NONE)
}
