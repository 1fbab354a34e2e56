//! `weakref.ref` and proxies: their Python side. The table of who watches whom is in [`crate::heap::weak`].

use crate::class_slot;
use crate::heap::weak::{self, Target};
use crate::heap::{self, Boxed, Payload, Ref, VmCell};
use crate::names;
use crate::objects::exception::Exc;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, CmpOp, Slots, UnOp, ops};
use crate::objects::string::Str;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::{Cell, OnceCell};

/// Payload of `weakref.ref` and of the proxies.
pub struct WeakRef {
    /// The link; set right after the object was made.
    target: OnceCell<Target>,
    /// What to call when the target has died, or `None`.
    callback: VmCell<Value>,
    /// The target's hash, once asked for.
    hash: Cell<Option<i64>>,
}

// SAFETY: visits the callback; the target is not owned.
unsafe impl Payload for WeakRef {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        visit(unsafe { self.callback.peek() });
    }
    fn clear(&mut self) {
        *self.callback.exclusive() = Value::NONE;
    }
}

impl Drop for WeakRef {
    fn drop(&mut self) {
        weak::forget_owner(
            self as *const WeakRef as usize - std::mem::offset_of!(Boxed<WeakRef>, payload),
        );
    }
}

thread_local! {
    static PROXY: OnceCell<Ref<Type>> = const { OnceCell::new() };
    static CALLABLE_PROXY: OnceCell<Ref<Type>> = const { OnceCell::new() };
}

const PROXY_OPS: u16 = ops(&[
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::FloorDiv,
    BinOp::Mod,
    BinOp::Pow,
    BinOp::MatMul,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::DivMod,
]);

const PROXY_SLOTS: Slots = Slots {
    repr: Some(proxy_repr),
    str: Some(|vm, v| with(vm, v, |vm, o| vm.str(o).map(Value::from_ref))),
    unhashable: true,
    getattr: Some(|vm, v, name| {
        with(vm, v, |vm, o| {
            vm.check_reflection_by(o, name)?;
            vm.get_attr(o, name)
        })
    }),
    setattr: Some(|vm, v, name, value| {
        with(vm, v, |vm, o| {
            vm.check_reflection_by(o, name)?;
            vm.set_attr(o, name, value)
        })
    }),
    compare: Some(proxy_compare),
    iter: Some(|vm, v| with(vm, v, |vm, o| vm.get_iter(o))),
    next: Some(|vm, v| with(vm, v, |vm, o| Ok(vm.iter_next(o)?.unwrap_or(Value::UNDEF)))),
    len: Some(|vm, v| with(vm, v, |vm, o| vm.len(o))),
    getitem: Some(|vm, v, key| with(vm, v, |vm, o| vm.get_item(o, key))),
    setitem: Some(|vm, v, key, value| {
        with(vm, v, |vm, o| match value {
            Some(value) => vm.set_item(o, key, value),
            None => vm.del_item(o, key),
        })
    }),
    contains: Some(|vm, v, item| with(vm, v, |vm, o| vm.contains(o, item))),
    bool: Some(|vm, v| with(vm, v, |vm, o| vm.truthy(o))),
    binary: Some(|vm, op, a, b| {
        let (a, b) = (unwrapped(vm, a)?, unwrapped(vm, b)?);
        vm.binary(op, &a, &b)
    }),
    binary_ops: PROXY_OPS,
    reflected_ops: PROXY_OPS,
    inplace: Some(|vm, op, a, b| {
        let (a, b) = (unwrapped(vm, a)?, unwrapped(vm, b)?);
        vm.inplace(op, &a, &b)
    }),
    inplace_ops: PROXY_OPS & !ops(&[BinOp::DivMod]),
    unary: Some(|vm, op: UnOp, v| with(vm, v, |vm, o| vm.unary(op, o))),
    index: Some(|vm, v| with(vm, v, |vm, o| vm.index(o))),
    ..Slots::NONE
};

static PROXY_METHODS: &[Def] = &[
    Def::method("__bytes__", "(self, /)", |vm, args| {
        with(vm, &args[0], |vm, o| {
            vm.call_method(o, &names::Names::get().__bytes__, &[])
        })
    }),
    Def::method("__reversed__", "(self, /)", |vm, args| {
        with(vm, &args[0], |vm, o| {
            vm.call_method(o, &names::Names::get().__reversed__, &[])
        })
    }),
];

/// Gives a class whose instances may be watched its `__weakref__`: the first weak reference to the instance, or `None`.
pub(crate) fn add_weakref_attribute(vm: &mut Vm, class: &Ref<Type>) {
    let name = &names::Names::get().__weakref__;
    let attribute = crate::objects::native::GetSet::value(
        "__weakref__",
        class,
        |vm, v| {
            let first = references_to(vm, v).first().cloned();
            Ok(first.unwrap_or(Value::NONE))
        },
        None,
    );
    class.dict.set_str(vm, name, attribute);
}

/// Builds the classes.
pub(crate) fn init(vm: &mut Vm) {
    let builder = ClassBuilder::new::<WeakRef>("ReferenceType")
        .flags(BASE)
        .module(vm, "weakref")
        .slots(Slots {
            repr: Some(repr),
            hash: Some(hash),
            call: Some(call),
            compare: Some(compare),
            new: Some(new),
            init: Some(init_ref),
            ..Slots::NONE
        });
    builder
        .methods(vm, METHODS)
        .getset(
            vm,
            "__callback__",
            |vm, v| {
                Ok(if target(v).is_some() {
                    receiver::<WeakRef>(v).callback.get(vm).clone()
                } else {
                    Value::NONE
                })
            },
            None,
        )
        .build(vm);
    let proxy = ClassBuilder::sibling::<WeakRef>("ProxyType")
        .module(vm, "weakref")
        .slots(PROXY_SLOTS)
        .methods(vm, PROXY_METHODS)
        .build(vm);
    let slots = Slots {
        call: Some(|vm, v, args| with(vm, v, |vm, o| vm.call_args(o, args))),
        ..PROXY_SLOTS
    };
    let callable = ClassBuilder::sibling::<WeakRef>("CallableProxyType")
        .module(vm, "weakref")
        .slots(slots)
        .methods(vm, PROXY_METHODS)
        .build(vm);
    PROXY.with(|c| drop(c.set(proxy)));
    CALLABLE_PROXY.with(|c| drop(c.set(callable)));
}

static METHODS: &[Def] = &[Def::class_method(
    "__class_getitem__",
    "(cls, object, /)",
    crate::builtins::iterators::class_getitem,
)];

/// `weakref.ProxyType` and `weakref.CallableProxyType`.
pub fn proxy_classes() -> [Value; 2] {
    let get = |slot: &'static std::thread::LocalKey<OnceCell<Ref<Type>>>| {
        slot.with(|c| c.get().map_or(Value::NONE, Ref::to_value))
    };
    [get(&PROXY), get(&CALLABLE_PROXY)]
}

/// The object referred to, while it lives.
fn target(v: &Value) -> Option<Value> {
    weak::upgrade(v.as_ref::<WeakRef>()?.target.get()?)
}

/// The weak references to an object in CPython's order: the plain reference, the plain proxy, then the others, newest first.
pub(crate) fn references_to(vm: &Vm, object: &Value) -> Vec<Value> {
    let mut all = weak::owners(object);
    all.reverse();
    let rank = |v: &Value| {
        let plain = v
            .as_ref::<WeakRef>()
            .is_some_and(|r| r.callback.get(vm).is_none());
        match (plain, v.is_exact::<WeakRef>(), is_proxy(v)) {
            (true, true, _) => 0,
            (true, _, true) => 1,
            _ => 2,
        }
    };
    all.sort_by_key(rank);
    all
}

/// Makes a weak reference of `class` to `object`.
fn make(vm: &mut Vm, class: &Ref<Type>, object: &Value, callback: Value) -> R {
    if !object.is_ref() || !class_of(object).weak.get() {
        return Err(vm.type_error(format!(
            "cannot create weak reference to '{}' object",
            class_of(object).name()
        )));
    }
    // Without a callback one reference object is enough.
    if callback.is_none() && class.is_static() {
        for old in weak::owners(object) {
            let plain = old
                .as_ref::<WeakRef>()
                .is_some_and(|r| r.callback.get(vm).is_none());
            if plain && class_of(&old).same(class) {
                return Ok(old);
            }
        }
    }
    let has_callback = !callback.is_none();
    let r = heap::alloc_instance(
        WeakRef {
            target: OnceCell::new(),
            callback: VmCell::new(callback),
            hash: Cell::new(None),
        },
        class,
        0,
    );
    if let Some(link) = weak::watch(object, r.as_ptr() as usize, has_callback) {
        let _ = r.target.set(link);
    }
    Ok(Value::from_ref(r))
}

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let a = args.positional();
    if a.is_empty() || a.len() > 2 {
        let word = if a.is_empty() {
            "at least 1 argument"
        } else {
            "at most 2 arguments"
        };
        return Err(vm.type_error(format!("__new__ expected {word}, got {}", a.len())));
    }
    if class.is_static() {
        args.no_keywords(vm, "ref")?;
    }
    make(vm, class, &a[0], a.get(1).cloned().unwrap_or(Value::NONE))
}

fn init_ref(vm: &mut Vm, _: &Value, args: Args) -> R<()> {
    args.exactly(vm, "__init__", 1, 2)?;
    Ok(())
}

fn call(vm: &mut Vm, v: &Value, args: Args) -> R {
    args.exactly(vm, "__call__", 0, 0)?;
    Ok(target(v).unwrap_or(Value::NONE))
}

fn describe(vm: &mut Vm, v: &Value, kind: &str) -> R {
    let me = v.address().map_or(0, |p| p.as_ptr() as usize);
    let Some(object) = target(v) else {
        return Ok(Str::value(&format!("<{kind} at {me:#x}; dead>")));
    };
    let at = object.address().map_or(0, |p| p.as_ptr() as usize);
    let class = class_of(&object).name().into_owned();
    // Looked up in the class: what `__getattr__` of the object thinks does not matter.
    let name = match vm.special(&object, &names::Names::get().__name__)? {
        Some(n) if n.is::<Str>() && kind == "weakref" => format!(" ({})", vm.str(&n)?.to_text()),
        _ => String::new(),
    };
    Ok(Str::value(&format!(
        "<{kind} at {me:#x}; to '{class}' at {at:#x}{name}>"
    )))
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    describe(vm, v, "weakref")
}

fn proxy_repr(vm: &mut Vm, v: &Value) -> R {
    describe(vm, v, "weakproxy")
}

fn hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let r = receiver::<WeakRef>(v).clone();
    if let Some(h) = r.hash.get() {
        return Ok(h);
    }
    let Some(object) = target(v) else {
        return Err(vm.type_error("weak object has gone away"));
    };
    let h = vm.hash(&object)?;
    r.hash.set(Some(h));
    Ok(h)
}

/// References to live objects compare as these do, others by identity.
fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    if !matches!(op, CmpOp::Eq | CmpOp::Ne) || !a.is::<WeakRef>() || !b.is::<WeakRef>() {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    match (target(a), target(b)) {
        (Some(x), Some(y)) => vm.compare(op, &x, &y),
        _ => Ok(Value::bool(a.is_same(b) == (op == CmpOp::Eq))),
    }
}

/// `weakref.ref(object)`
pub(crate) fn reference(vm: &mut Vm, object: &Value) -> R {
    let class = WeakRef::class().clone();
    make(vm, &class, object, Value::NONE)
}

// ---- proxies

/// `weakref.proxy(object, callback=None)`
pub(crate) fn proxy(vm: &mut Vm, object: &Value, callback: Value) -> R {
    let callable = class_of(object).slots().call.is_some();
    let slot = if callable { &CALLABLE_PROXY } else { &PROXY };
    let Some(class) = slot.with(|c| c.get().cloned()) else {
        return Err(vm.system_error("no proxy class"));
    };
    make(vm, &class, object, callback)
}

/// The object behind a proxy; `ReferenceError` when it is gone.
fn live(vm: &mut Vm, v: &Value) -> R {
    match target(v) {
        Some(object) => Ok(object),
        None => Err(vm.raise(
            Exc::ReferenceError,
            "weakly-referenced object no longer exists",
        )),
    }
}

fn with<T>(vm: &mut Vm, v: &Value, f: impl FnOnce(&mut Vm, &Value) -> R<T>) -> R<T> {
    let object = live(vm, v)?;
    f(vm, &object)
}

fn is_proxy(v: &Value) -> bool {
    v.is::<WeakRef>()
        && proxy_classes()
            .iter()
            .any(|c| class_of(v).to_value().is_same(c))
}

fn unwrapped(vm: &mut Vm, v: &Value) -> R {
    if is_proxy(v) {
        live(vm, v)
    } else {
        Ok(v.clone())
    }
}

fn proxy_compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (a, b) = (unwrapped(vm, a)?, unwrapped(vm, b)?);
    vm.compare(op, &a, &b)
}

// ---- callbacks

/// Calls the callback of a weak reference object whose target has died. What it raises is reported and forgotten.
pub(crate) fn run_callback(vm: &mut Vm, reference: &Value) {
    let Some(r) = reference.as_ref::<WeakRef>().cloned() else {
        return;
    };
    let callback = r.callback.replace(vm, Value::NONE);
    if callback.is_none() {
        return;
    }
    if vm.call(&callback, std::slice::from_ref(reference)).is_err() && vm.stopped.is_none() {
        let exception = vm.take_error();
        vm.unraisable(&exception, &callback);
    }
}
