//! `_thread_core`: locks and the identity of threads, for `_thread`.
//!
//! A lock that is held can only be released by the thread that waits for this one (see [`crate::vm::threads`]), so waiting for it without a timeout
//! would last for ever: that raises an error.

use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::module::Module;
use crate::objects::native::{Def, Native, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::threads::MAIN;
use crate::vm::{R, Vm};
use std::cell::Cell;

/// The longest timeout in seconds.
const TIMEOUT_MAX: f64 = 9_223_372_036.0;

/// Payload of `_thread.lock`.
pub struct Lock {
    held: Cell<bool>,
}

// SAFETY: holds no values.
unsafe impl Payload for Lock {
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Payload of `_thread.RLock`.
pub struct RLock {
    owner: Cell<i64>,
    depth: Cell<u64>,
}

// SAFETY: holds no values.
unsafe impl Payload for RLock {
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// How long the arguments of `acquire` allow to wait: not at all, that many seconds, or for ever.
enum Patience {
    None,
    Seconds(f64),
    Endless,
}

fn patience(vm: &mut Vm, args: &[Value]) -> R<Patience> {
    let blocking = match optional(args, 1) {
        Some(v) => vm.truthy(v)?,
        None => true,
    };
    let timeout = match optional(args, 2) {
        Some(v) => vm.to_double(v)?,
        None => -1.0,
    };
    if !blocking && timeout != -1.0 {
        return Err(vm.value_error("can't specify a timeout for a non-blocking call"));
    }
    if timeout < 0.0 && timeout != -1.0 {
        return Err(vm.value_error("timeout value must be a non-negative number"));
    }
    if timeout.is_nan() || timeout > TIMEOUT_MAX {
        return Err(vm.overflow_error("timeout value is too large"));
    }
    Ok(if !blocking || timeout == 0.0 {
        Patience::None
    } else if timeout == -1.0 {
        Patience::Endless
    } else {
        Patience::Seconds(timeout)
    })
}

/// Lets the time pass for which a lock is waited for: nobody can release it meanwhile.
fn wait(vm: &mut Vm, patience: Patience) -> R {
    match patience {
        Patience::None => {}
        Patience::Seconds(timeout) => {
            let time = vm.import_module("time")?;
            let sleep = names::intern("sleep");
            vm.call_method(&time, &sleep, &[Value::float(timeout)])?;
        }
        Patience::Endless => {
            return Err(vm.runtime_error(
                "deadlock: waiting for a lock that nobody can release (threads of the sandbox run one after another)",
            ));
        }
    }
    Ok(Value::FALSE)
}

fn lock_acquire(vm: &mut Vm, args: &[Value]) -> R {
    let patience = patience(vm, args)?;
    if receiver::<Lock>(&args[0]).held.replace(true) {
        wait(vm, patience)
    } else {
        Ok(Value::TRUE)
    }
}

fn lock_release(vm: &mut Vm, args: &[Value]) -> R {
    if receiver::<Lock>(&args[0]).held.replace(false) {
        Ok(Value::NONE)
    } else {
        Err(vm.runtime_error("release unlocked lock"))
    }
}

fn lock_locked(_: &mut Vm, args: &[Value]) -> R {
    Ok(Value::bool(receiver::<Lock>(&args[0]).held.get()))
}

static LOCK: &[Def] = &[
    Def::method("acquire", "(self, blocking=True, timeout=-1)", lock_acquire),
    Def::method(
        "acquire_lock",
        "(self, blocking=True, timeout=-1)",
        lock_acquire,
    ),
    Def::method("release", "(self, /)", lock_release),
    Def::method("release_lock", "(self, /)", lock_release),
    Def::method("locked", "(self, /)", lock_locked),
    Def::method("locked_lock", "(self, /)", lock_locked),
    Def::method("__enter__", "(self, /)", |vm, a| lock_acquire(vm, &a[..1])),
    Def::raw_method("__exit__", "(self, /, *exc_info)", |vm, a| {
        lock_release(vm, a.values())
    }),
    Def::method("_at_fork_reinit", "(self, /)", |_, a| {
        receiver::<Lock>(&a[0]).held.set(false);
        Ok(Value::NONE)
    }),
];

/// Takes the lock for the running thread, if it may.
fn rlock_take(vm: &Vm, lock: &Ref<RLock>) -> bool {
    let me = vm.threads.current.ident;
    let free = lock.depth.get() == 0 || lock.owner.get() == me;
    if free {
        lock.owner.set(me);
        lock.depth.set(lock.depth.get() + 1);
    }
    free
}

fn rlock_acquire(vm: &mut Vm, args: &[Value]) -> R {
    let patience = patience(vm, args)?;
    if rlock_take(vm, receiver::<RLock>(&args[0])) {
        Ok(Value::TRUE)
    } else {
        wait(vm, patience)
    }
}

fn is_owned(vm: &Vm, lock: &Ref<RLock>) -> bool {
    lock.depth.get() > 0 && lock.owner.get() == vm.threads.current.ident
}

fn rlock_release(vm: &mut Vm, args: &[Value]) -> R {
    let lock = receiver::<RLock>(&args[0]);
    if !is_owned(vm, lock) {
        return Err(vm.runtime_error("cannot release un-acquired lock"));
    }
    lock.depth.set(lock.depth.get() - 1);
    if lock.depth.get() == 0 {
        lock.owner.set(0);
    }
    Ok(Value::NONE)
}

static RLOCK: &[Def] = &[
    Def::method(
        "acquire",
        "(self, blocking=True, timeout=-1)",
        rlock_acquire,
    ),
    Def::method("release", "(self, /)", rlock_release),
    Def::method("locked", "(self, /)", |_, a| {
        Ok(Value::bool(receiver::<RLock>(&a[0]).depth.get() > 0))
    }),
    Def::method("__enter__", "(self, /)", |vm, a| rlock_acquire(vm, &a[..1])),
    Def::raw_method("__exit__", "(self, /, *exc_info)", |vm, a| {
        rlock_release(vm, a.values())
    }),
    Def::method("_is_owned", "(self, /)", |vm, a| {
        Ok(Value::bool(is_owned(vm, receiver::<RLock>(&a[0]))))
    }),
    Def::method("_recursion_count", "(self, /)", |vm, a| {
        let lock = receiver::<RLock>(&a[0]);
        let count = if is_owned(vm, lock) {
            lock.depth.get()
        } else {
            0
        };
        Ok(Value::int(count as i64))
    }),
    Def::method("_release_save", "(self, /)", |vm, a| {
        let lock = receiver::<RLock>(&a[0]);
        if lock.depth.get() == 0 {
            return Err(vm.runtime_error("cannot release un-acquired lock"));
        }
        let state = [lock.depth.replace(0) as i64, lock.owner.replace(0)];
        Ok(Tuple::value(state.into_iter().map(Value::int).collect()))
    }),
    Def::method("_acquire_restore", "(self, state, /)", |vm, a| {
        let numbers = vm.collect(&a[1])?;
        let [depth, owner] = numbers.as_slice() else {
            return Err(vm.type_error("_acquire_restore() argument must be a pair"));
        };
        let (depth, owner) = (vm.index_i64(depth)?, vm.index_i64(owner)?);
        let lock = receiver::<RLock>(&a[0]);
        lock.depth.set(depth.max(0) as u64);
        lock.owner.set(owner);
        Ok(Value::NONE)
    }),
    Def::method("_at_fork_reinit", "(self, /)", |_, a| {
        let lock = receiver::<RLock>(&a[0]);
        lock.depth.set(0);
        lock.owner.set(0);
        Ok(Value::NONE)
    }),
];

fn lock_repr(vm: &mut Vm, v: &Value) -> R {
    let state = if receiver::<Lock>(v).held.get() {
        "locked"
    } else {
        "unlocked"
    };
    let (name, at) = (vm.full_class_name(v), address(v));
    Ok(Str::value(&format!("<{state} {name} object at {at:#x}>")))
}

fn rlock_repr(vm: &mut Vm, v: &Value) -> R {
    let lock = receiver::<RLock>(v);
    let (owner, depth) = (lock.owner.get(), lock.depth.get());
    let state = if depth > 0 { "locked" } else { "unlocked" };
    let (name, at) = (vm.full_class_name(v), address(v));
    Ok(Str::value(&format!(
        "<{state} {name} object owner={owner} count={depth} at {at:#x}>"
    )))
}

fn address(v: &Value) -> usize {
    v.address().map_or(0, |p| p.as_ptr() as usize)
}

fn new_lock(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    args.exactly(vm, "lock", 0, 0)?;
    let lock = Lock {
        held: Cell::new(false),
    };
    Ok(Value::from_ref(heap::alloc_instance(lock, class, 0)))
}

fn new_rlock(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    args.exactly(vm, "RLock", 0, 0)?;
    let lock = RLock {
        owner: Cell::new(0),
        depth: Cell::new(0),
    };
    Ok(Value::from_ref(heap::alloc_instance(lock, class, 0)))
}

static FUNCTIONS: &[Def] = &[
    Def::function("allocate_lock", "()", |vm, _| {
        vm.call(&Lock::class().to_value(), &[])
    }),
    Def::function("get_ident", "()", |vm, _| {
        Ok(Value::int(vm.threads.current.ident))
    }),
    Def::function("_count", "()", |vm, _| {
        Ok(Value::int(vm.threads.count() as i64))
    }),
    Def::function("fresh_ident", "()", |vm, _| {
        Ok(Value::int(vm.threads.fresh_ident()))
    }),
    // run_as(ident, function, *args): calls the function as that thread
    Def::raw_function("run_as", "(ident, function, /, *args)", |vm, args| {
        let a = args.positional();
        let [ident, function, rest @ ..] = a else {
            return Err(vm.type_error("run_as expected at least 2 arguments"));
        };
        let ident = vm.index_i64(ident)?;
        vm.recurse(" in a thread", |vm| {
            vm.as_thread(ident, |vm| vm.call(function, rest))
        })
    }),
];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(vm, "_thread_core", "", &[]);
    // They are published as those of `_thread`.
    for def in FUNCTIONS {
        let function = Native::function(def, names::intern("_thread").to_value());
        m.set(vm, def.name, function);
    }
    let lock = ClassBuilder::new::<Lock>("lock")
        .module(vm, "_thread")
        .weak()
        .slots(Slots {
            repr: Some(lock_repr),
            new: Some(new_lock),
            ..Slots::NONE
        })
        .methods(vm, LOCK)
        .build(vm);
    let rlock = ClassBuilder::new::<RLock>("RLock")
        .module(vm, "_thread")
        .weak()
        .flags(BASE)
        .slots(Slots {
            repr: Some(rlock_repr),
            new: Some(new_rlock),
            ..Slots::NONE
        })
        .methods(vm, RLOCK)
        .build(vm);
    m.set(vm, "lock", lock.to_value());
    m.set(vm, "RLock", rlock.to_value());
    m.set(vm, "TIMEOUT_MAX", Value::float(TIMEOUT_MAX));
    m.set(vm, "MAIN", Value::int(MAIN));
    m
}
