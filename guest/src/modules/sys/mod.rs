//! `sys`: what of it is safe.
//!
//! `sys.platform` is `wasi`, `sys.implementation.name` is `coldframe`. There is no tracing and no profiling.

mod facts;
pub(crate) mod hooks;

pub(crate) use hooks::call_unraisable_hook;

use crate::heap::Ref;
use crate::names;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::struct_seq;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The name of the switch interval among the machine's settings.
const SWITCH_INTERVAL: &str = "switch_interval";

static FUNCTIONS: &[Def] = &[
    // Descriptors that a class with `__slots__` leaves behind when `dataclasses` makes it anew; our classes have none of their own.
    Def::function("_clear_type_descriptors", "(type, /)", |vm, args| {
        if !args[0].is::<crate::objects::types::Type>() {
            return Err(vm.type_error("argument must be a type"));
        }
        crate::builtins::type_object::clear_descriptors(vm, &args[0])?;
        Ok(Value::NONE)
    }),
    Def::function("getrecursionlimit", "()", |vm, _| {
        Ok(Value::int(vm.recursion_limit as i64))
    }),
    Def::function("setrecursionlimit", "(limit, /)", |vm, a| {
        let limit = vm.index_i64(&a[0])?;
        if limit < 1 {
            return Err(vm.value_error("recursion limit must be greater or equal than 1"));
        }
        if (limit as usize) <= vm.frames.len() {
            let text = format!(
                "cannot set the recursion limit to {limit} at the recursion depth {}: the limit is too low",
                vm.frames.len()
            );
            return Err(vm.recursion_error(text));
        }
        vm.recursion_limit = limit as usize;
        Ok(Value::NONE)
    }),
    Def::function("intern", "(string, /)", |vm, a| {
        match a[0].as_exact::<Str>() {
            Some(s) => Ok(Value::from_ref(names::intern_ref(s))),
            None if a[0].is::<Str>() => {
                Err(vm.type_error(format!("can't intern {}", vm.class_name(&a[0]))))
            }
            None => Err(vm.type_error(format!(
                "intern() argument must be str, not {}",
                vm.class_name(&a[0])
            ))),
        }
    }),
    Def::function("_is_interned", "(string, /)", |_, a| {
        Ok(Value::bool(
            a[0].as_ref::<Str>().is_some_and(|s| s.is_interned()),
        ))
    }),
    Def::function("exc_info", "()", |vm, _| {
        let e = vm.handled.clone();
        if e.is_none() {
            return Ok(Tuple::value(vec![Value::NONE, Value::NONE, Value::NONE]));
        }
        let trace = crate::builtins::tracebacks::of_exception(vm, &e)?;
        Ok(Tuple::value(vec![class_of(&e).to_value(), e, trace]))
    }),
    Def::function("exception", "()", |vm, _| Ok(vm.handled.clone())),
    Def::function("exit", "(status=None, /)", |vm, a| {
        let args = match a.first() {
            None => Vec::new(),
            Some(v) if v.is_none() => Vec::new(),
            Some(v) => match v.as_ref::<Tuple>() {
                Some(t) => t.items().to_vec(),
                None => vec![v.clone()],
            },
        };
        let class = Exc::SystemExit.class().to_value();
        let e = vm.call(&class, &args)?;
        Err(vm.raise_value(e))
    }),
    Def::function("_getframe", "(depth=0, /)", |vm, a| {
        frame(vm, optional(a, 0))
    }),
    Def::function("_getframemodulename", "(depth=0)", |vm, a| {
        let depth = depth_arg(vm, optional(a, 0))?;
        let Some(frame) = crate::builtins::frames::of_depth(vm, depth) else {
            return Ok(Value::NONE);
        };
        Ok(crate::builtins::frames::module_name(vm, &frame).unwrap_or(Value::NONE))
    }),
    Def::function("_current_frames", "()", |vm, _| {
        let frames = Dict::new();
        let frame = frame(vm, None)?;
        frames.set_item(vm, &Value::small_int(1), frame)?;
        Ok(frames.to_value())
    }),
    Def::function("getsizeof", "(object, default=None)", getsizeof),
    Def::function("getrefcount", "(object, /)", |_, a| {
        Ok(Value::int(a[0].header().map_or(3_221_225_472, |h| {
            if h.is_immortal() {
                3_221_225_472
            } else {
                h.count() as i64
            }
        })))
    }),
    Def::function("_is_immortal", "(op, /)", |_, a| {
        Ok(Value::bool(a[0].header().is_none_or(|h| h.is_immortal())))
    }),
    Def::function("get_int_max_str_digits", "()", |vm, _| {
        Ok(Value::int(vm.max_str_digits as i64))
    }),
    Def::function("set_int_max_str_digits", "(maxdigits)", |vm, a| {
        let n = vm.index_i64(&a[0])?;
        if n != 0 && n < 640 {
            return Err(vm.value_error("maxdigits must be 0 or larger than 640"));
        }
        vm.max_str_digits = usize::try_from(n).unwrap_or(0);
        Ok(Value::NONE)
    }),
    Def::function("getdefaultencoding", "()", |_, _| Ok(Str::value("utf-8"))),
    Def::function("getfilesystemencoding", "()", |_, _| {
        Ok(Str::value("utf-8"))
    }),
    Def::function("getfilesystemencodeerrors", "()", |_, _| {
        Ok(Str::value("surrogateescape"))
    }),
    Def::function("getswitchinterval", "()", |vm, _| {
        Ok(vm
            .settings
            .get(SWITCH_INTERVAL)
            .cloned()
            .unwrap_or(Value::float(0.005)))
    }),
    // Kept, but without effect: there is one thread.
    Def::function("setswitchinterval", "(interval, /)", |vm, a| {
        let interval = vm.to_double(&a[0])?;
        if interval <= 0.0 {
            return Err(vm.value_error("switch interval must be strictly positive"));
        }
        vm.settings.insert(SWITCH_INTERVAL, Value::float(interval));
        Ok(Value::NONE)
    }),
    Def::function("getallocatedblocks", "()", |_, _| {
        Ok(Value::int(
            crate::heap::with_heap(|h| h.tracked.len()) as i64
        ))
    }),
    Def::function("gettrace", "()", |_, _| Ok(Value::NONE)),
    Def::function("getprofile", "()", |_, _| Ok(Value::NONE)),
    Def::function("settrace", "(function, /)", |vm, a| {
        no_tracing(vm, &a[0], "settrace")
    }),
    Def::function("setprofile", "(function, /)", |vm, a| {
        no_tracing(vm, &a[0], "setprofile")
    }),
    Def::function("is_finalizing", "()", |_, _| Ok(Value::FALSE)),
    Def::function("_is_gil_enabled", "()", |_, _| Ok(Value::TRUE)),
    Def::function("_clear_internal_caches", "()", |_, _| Ok(Value::NONE)),
    Def::function("_clear_type_cache", "()", |_, _| Ok(Value::NONE)),
    Def::raw_function("audit", "(event, /, *args)", |vm, a| {
        if !a.positional().first().is_some_and(Value::is::<Str>) {
            return Err(vm.type_error("audit() expects an event name"));
        }
        Ok(Value::NONE)
    }),
];

fn no_tracing(vm: &mut Vm, function: &Value, name: &str) -> R {
    if function.is_none() {
        Ok(Value::NONE)
    } else {
        Err(vm.not_implemented_error(format!("sys.{name} is not available in the sandbox")))
    }
}

fn depth_arg(vm: &mut Vm, v: Option<&Value>) -> R<usize> {
    match v {
        Some(v) => Ok(vm.index_i64(v)?.max(0) as usize),
        None => Ok(0),
    }
}

fn frame(vm: &mut Vm, depth: Option<&Value>) -> R {
    let depth = depth_arg(vm, depth)?;
    match crate::builtins::frames::of_depth(vm, depth) {
        Some(frame) => Ok(frame),
        None => Err(vm.value_error("call stack is not deep enough")),
    }
}

/// `sys.getsizeof`: what `__sizeof__` says, else what the object takes in this interpreter (which is not what it takes in CPython).
fn getsizeof(vm: &mut Vm, a: &[Value]) -> R {
    let v = &a[0];
    if let Some(size) = vm.call_special_opt(v, &names::Names::get().__sizeof__, &[])? {
        return match vm.index_i64(&size) {
            Ok(n) if n < 0 => Err(vm.value_error("__sizeof__() should return >= 0")),
            Ok(n) => Ok(Value::int(n)),
            Err(raised) => {
                if let Some(default) = optional(a, 1) {
                    vm.swallow(raised, Exc::TypeError)?;
                    return Ok(default.clone());
                }
                Err(raised)
            }
        };
    }
    let size = match v.header() {
        None => 24,
        Some(h) => {
            let items = if let Some(t) = v.as_ref::<Tuple>() {
                t.len()
            } else if let Some(l) = v.as_ref::<List>() {
                l.items.get(vm).capacity()
            } else {
                0
            };
            let table = v.as_ref::<Dict>().map_or(0, |d| d.map.get(vm).memory());
            h.class().vtable.size + items * size_of::<Value>() + table
        }
    };
    Ok(Value::int(size as i64))
}

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(vm, "sys", "", FUNCTIONS);
    hooks::add(vm, &m);
    facts::add(vm, &m);
    let modules = vm.modules.to_value();
    m.set(vm, "modules", modules);
    let streams = super::io::text::standard_streams(vm);
    for (name, stream) in ["stdin", "stdout", "stderr"].into_iter().zip(streams) {
        m.set(vm, name, stream.clone());
        m.set(vm, &format!("__{name}__"), stream);
    }
    m
}

/// A named tuple of facts.
fn record(vm: &mut Vm, name: &str, fields: &'static [&'static str], items: Vec<Value>) -> Value {
    let class = struct_seq::class(vm, "sys", name, fields, struct_seq::not_from_python);
    Value::from_ref(Tuple::instance(&class, items))
}

/// The host stream behind a file object, when it is one of the original standard streams.
pub fn stream_of(vm: &Vm, file: &Value) -> Option<crate::vm::host::Stream> {
    super::io::text::stream_of(vm, file)
}
