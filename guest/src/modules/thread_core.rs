//! `_thread_core`: locks and the identity of threads, for `_thread`.
//!
//! Who waits for a lock lets other threads go on ([`crate::vm::threads`]). Where none can, waiting would last for ever: that raises an error.

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
use crate::vm::threads::{Awaited, MAIN, Waiter};
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

/// Waits for something, for as long as the patience lasts. `me` is the native function that waits.
fn wait(vm: &mut Vm, me: Waiter, what: impl Awaited + 'static, patience: Patience) -> R {
    let deadline = match patience {
        Patience::None => return Ok(Value::FALSE),
        Patience::Seconds(timeout) => {
            let length = (timeout * 1e9).ceil() as u64;
            Some(vm.host.monotonic_clock().saturating_add(length))
        }
        Patience::Endless => None,
    };
    vm.wait_for(me, Box::new(what), deadline)
}

/// Waits for a lock.
struct ForLock(Ref<Lock>);

impl Awaited for ForLock {
    fn is_there(&self, _: i64) -> bool {
        !self.0.held.get()
    }
    fn settle(&self, _: i64, is_there: bool) -> Value {
        if is_there {
            self.0.held.set(true);
        }
        Value::bool(is_there)
    }
}

/// Waits for a reentrant lock. With a depth it is one that the thread had and let go for a while.
struct ForRLock(Ref<RLock>, Option<(u64, i64)>);

impl Awaited for ForRLock {
    fn is_there(&self, ident: i64) -> bool {
        self.0.depth.get() == 0 || self.0.owner.get() == ident
    }
    fn settle(&self, ident: i64, is_there: bool) -> Value {
        let lock = &self.0;
        match self.1 {
            Some((depth, owner)) => {
                lock.depth.set(depth);
                lock.owner.set(owner);
                Value::NONE
            }
            None => {
                if is_there {
                    lock.owner.set(ident);
                    lock.depth.set(lock.depth.get() + 1);
                }
                Value::bool(is_there)
            }
        }
    }
}

fn lock_acquire(vm: &mut Vm, args: &[Value]) -> R {
    let patience = patience(vm, args)?;
    take_lock(vm, lock_acquire, &args[0], patience)
}

fn lock_enter(vm: &mut Vm, args: &[Value]) -> R {
    take_lock(vm, lock_enter, &args[0], Patience::Endless)
}

fn take_lock(vm: &mut Vm, me: Waiter, lock: &Value, patience: Patience) -> R {
    let lock = receiver::<Lock>(lock);
    if lock.held.replace(true) {
        wait(vm, me, ForLock(lock.clone()), patience)
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
    Def::method("__enter__", "(self, /)", lock_enter),
    Def::raw_method("__exit__", "(self, /, *exc_info)", |vm, a| {
        lock_release(vm, a.values())
    }),
    Def::method("_at_fork_reinit", "(self, /)", |_, a| {
        receiver::<Lock>(&a[0]).held.set(false);
        Ok(Value::NONE)
    }),
];

fn rlock_acquire(vm: &mut Vm, args: &[Value]) -> R {
    let patience = patience(vm, args)?;
    take_rlock(vm, rlock_acquire, &args[0], patience)
}

fn rlock_enter(vm: &mut Vm, args: &[Value]) -> R {
    take_rlock(vm, rlock_enter, &args[0], Patience::Endless)
}

fn take_rlock(vm: &mut Vm, me: Waiter, lock: &Value, patience: Patience) -> R {
    let lock = ForRLock(receiver::<RLock>(lock).clone(), None);
    let ident = vm.threads.current.ident;
    if lock.is_there(ident) {
        Ok(lock.settle(ident, true))
    } else {
        wait(vm, me, lock, patience)
    }
}

/// `_acquire_restore(state)`
fn rlock_restore(vm: &mut Vm, args: &[Value]) -> R {
    let numbers = vm.collect(&args[1])?;
    let [depth, owner] = numbers.as_slice() else {
        return Err(vm.type_error("_acquire_restore() argument must be a pair"));
    };
    let (depth, owner) = (vm.index_i64(depth)?, vm.index_i64(owner)?);
    let state = (depth.max(0) as u64, owner);
    let lock = ForRLock(receiver::<RLock>(&args[0]).clone(), Some(state));
    let ident = vm.threads.current.ident;
    if lock.is_there(ident) {
        Ok(lock.settle(ident, true))
    } else {
        wait(vm, rlock_restore, lock, Patience::Endless)
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
    Def::method("__enter__", "(self, /)", rlock_enter),
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
    Def::method("_acquire_restore", "(self, state, /)", rlock_restore),
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
    // start(ident, function, *args): calls the function as that thread, until it has ended or waits
    Def::raw_function("start", "(ident, function, /, *args)", |vm, args| {
        let a = args.positional();
        let [ident, function, rest @ ..] = a else {
            return Err(vm.type_error("start expected at least 2 arguments"));
        };
        let ident = vm.index_i64(ident)?;
        vm.recurse(" in a thread", |vm| vm.start_thread(ident, function, rest))?;
        Ok(Value::NONE)
    }),
    Def::function("take_turns", "()", take_turns),
    // run_other(): lets another thread go on that can. True, or the seconds until one can, or nothing
    Def::function("run_other", "()", |vm, _| {
        Ok(match vm.run_other()? {
            Ok(()) => Value::TRUE,
            Err(Some(time)) => {
                let now = vm.host.monotonic_clock();
                Value::float(time.saturating_sub(now) as f64 / 1e9)
            }
            Err(None) => Value::NONE,
        })
    }),
    // enter(context): until `leave(what this gives)` the running thread is in that context
    Def::function("enter", "(context, /)", |vm, a| {
        super::contextvars_core::enter_until_left(vm, &a[0])
    }),
    Def::function("leave", "(outer, /)", |vm, a| {
        super::contextvars_core::leave(vm, &a[0]);
        Ok(Value::NONE)
    }),
];

/// Lets the other threads go on that can.
fn take_turns(vm: &mut Vm, _: &[Value]) -> R {
    vm.take_turns(take_turns)
}

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
