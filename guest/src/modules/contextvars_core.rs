//! `_contextvars`: context variables (PEP 567).
//!
//! The bindings of a context are an object that never changes while two contexts share it, so that copying a context costs nothing: an event loop copies
//! one for every callback. They are kept sorted by the address of the variable.

use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use std::cell::{Cell, OnceCell};

/// What the variables of a context are bound to.
pub struct Bindings {
    entries: VmCell<Vec<(Value, Value)>>,
}

// SAFETY: visits every variable and value.
unsafe impl Payload for Bindings {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        for (variable, value) in unsafe { self.entries.peek() } {
            visit(variable);
            visit(value);
        }
    }
    fn clear(&mut self) {
        drop(std::mem::take(self.entries.exclusive()));
    }
}

/// Payload of `Context`.
pub struct Context {
    bindings: VmCell<Ref<Bindings>>,
    entered: Cell<bool>,
}

// SAFETY: visits the bindings.
unsafe impl Payload for Context {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe { self.bindings.peek() }.with_value(visit);
    }
}

/// Payload of `ContextVar`.
pub struct ContextVar {
    name: Ref<Str>,
    /// The default, or `UNDEF`.
    default: Value,
}

// SAFETY: visits name and default.
unsafe impl Payload for ContextVar {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.name.with_value(&mut *visit);
        visit(&self.default);
    }
}

/// Payload of `Token`.
pub struct Token {
    context: Ref<Context>,
    variable: Value,
    /// What the variable was bound to, or `UNDEF`.
    old: Value,
    used: Cell<bool>,
}

// SAFETY: visits every value held.
unsafe impl Payload for Token {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.context.with_value(&mut *visit);
        visit(&self.variable);
        visit(&self.old);
    }
}

/// Payload of `Token.MISSING`.
pub struct Missing;

// SAFETY: holds no values.
unsafe impl Payload for Missing {
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

thread_local! {
    static MISSING: OnceCell<Value> = const { OnceCell::new() };
}

fn missing() -> Value {
    MISSING.with(|m| {
        m.get_or_init(|| Value::from_ref(heap::alloc(Missing)))
            .clone()
    })
}

fn new_context(bindings: Ref<Bindings>) -> Ref<Context> {
    heap::alloc(Context {
        bindings: VmCell::new(bindings),
        entered: Cell::new(false),
    })
}

fn empty() -> Ref<Bindings> {
    heap::alloc(Bindings {
        entries: VmCell::new(Vec::new()),
    })
}

/// The context of the running thread; a thread gets an empty one when it asks first.
fn current(vm: &mut Vm) -> Ref<Context> {
    if let Some(context) = vm.threads.current.context.as_ref::<Context>() {
        return context.clone();
    }
    let context = new_context(empty());
    vm.threads.current.context = context.to_value();
    vm.threads.current.first_context = context.to_value();
    context
}

/// Where a variable is among the entries, or would be.
fn search(entries: &[(Value, Value)], variable: &Value) -> Result<usize, usize> {
    entries.binary_search_by_key(&variable.bits(), |(v, _)| v.bits())
}

impl Context {
    fn find(&self, vm: &Vm, variable: &Value) -> Option<Value> {
        let entries = self.bindings.get(vm).entries.get(vm);
        search(entries, variable).ok().map(|i| entries[i].1.clone())
    }

    /// Binds a variable, or unbinds it for `UNDEF`.
    fn bind(&self, vm: &mut Vm, variable: &Value, value: Value) {
        let mut bindings = self.bindings.get(vm).clone();
        // The context itself and this function own it.
        if bindings.header().count() > 2 {
            let entries = bindings.entries.get(vm).clone();
            bindings = heap::alloc(Bindings {
                entries: VmCell::new(entries),
            });
            drop(self.bindings.replace(vm, bindings.clone()));
        }
        let entries = bindings.entries.get_mut(vm);
        // What was there is released when nothing is borrowed any more.
        let old = match (search(entries, variable), value.is_undef()) {
            (Ok(i), true) => Some(entries.remove(i)),
            (Ok(i), false) => Some((Value::NONE, std::mem::replace(&mut entries[i].1, value))),
            (Err(_), true) => None,
            (Err(i), false) => {
                entries.insert(i, (variable.clone(), value));
                None
            }
        };
        drop(old);
    }

    fn entries(&self, vm: &Vm) -> Vec<(Value, Value)> {
        self.bindings.get(vm).entries.get(vm).clone()
    }
}

/// A context variable for a native module.
pub(crate) fn new_variable(name: &str) -> Value {
    Value::from_ref(heap::alloc(ContextVar {
        name: Str::new(name),
        default: Value::UNDEF,
    }))
}

/// What a variable is bound to in the context of the running thread.
pub(crate) fn lookup(vm: &mut Vm, variable: &Value) -> Option<Value> {
    match vm.threads.current.context.as_ref::<Context>() {
        Some(context) => context.find(vm, variable),
        None => None,
    }
}

/// Binds a variable in the context of the running thread.
pub(crate) fn bind(vm: &mut Vm, variable: &Value, value: Value) {
    current(vm).bind(vm, variable, value);
}

// ---- ContextVar

fn variable_new(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    let given = args.positional().len();
    if given != 1 {
        return Err(vm.type_error(format!(
            "ContextVar() takes exactly 1 positional argument ({given} given)"
        )));
    }
    let mut default = Value::UNDEF;
    for (name, value) in args.keywords() {
        if name.to_text() != "default" {
            let name = name.to_text().into_owned();
            return Err(vm.type_error(format!(
                "ContextVar() got an unexpected keyword argument '{name}'"
            )));
        }
        default = value.clone();
    }
    let Some(name) = args.positional()[0].as_ref::<Str>().cloned() else {
        return Err(vm.type_error("context variable name must be a str"));
    };
    Ok(Value::from_ref(heap::alloc(ContextVar { name, default })))
}

fn variable_repr(vm: &mut Vm, v: &Value) -> R {
    let variable = receiver::<ContextVar>(v).clone();
    let name = vm.repr(&variable.name.to_value())?.to_text().into_owned();
    let default = if variable.default.is_undef() {
        String::new()
    } else {
        let text = vm.repr_once(v, |vm| vm.repr(&variable.default))?;
        let text = text.map_or("...".to_owned(), |t| t.to_text().into_owned());
        format!(" default={text}")
    };
    Ok(Str::value(&format!(
        "<ContextVar name={name}{default} at {:#x}>",
        address(v)
    )))
}

fn address(v: &Value) -> usize {
    v.address().map_or(0, |p| p.as_ptr() as usize)
}

fn variable_reset(vm: &mut Vm, variable: &Value, token: &Value) -> R {
    let Some(t) = token.as_ref::<Token>().cloned() else {
        let shown = vm.repr(token)?.to_text().into_owned();
        return Err(vm.type_error(format!("expected an instance of Token, got {shown}")));
    };
    let refusal = if t.used.get() {
        Some((Exc::RuntimeError, "has already been used once"))
    } else if !t.variable.is_same(variable) {
        Some((Exc::ValueError, "was created by a different ContextVar"))
    } else if !current(vm).same(&t.context) {
        Some((Exc::ValueError, "was created in a different Context"))
    } else {
        None
    };
    if let Some((class, why)) = refusal {
        let shown = vm.repr(token)?.to_text().into_owned();
        return Err(vm.raise(class, format!("{shown} {why}")));
    }
    t.used.set(true);
    t.context.bind(vm, variable, t.old.clone());
    Ok(Value::NONE)
}

static VARIABLE: &[Def] = &[
    Def::method("get", "(self, default=None, /)", |vm, a| {
        if let Some(value) = current(vm).find(vm, &a[0]) {
            return Ok(value);
        }
        if let Some(default) = optional(a, 1) {
            return Ok(default.clone());
        }
        let variable = receiver::<ContextVar>(&a[0]);
        if !variable.default.is_undef() {
            return Ok(variable.default.clone());
        }
        let args = Tuple::value(vec![a[0].clone()]);
        Err(vm.raise_args(Exc::LookupError.class(), args))
    }),
    Def::method("set", "(self, value, /)", |vm, a| {
        let context = current(vm);
        let old = context.find(vm, &a[0]).unwrap_or(Value::UNDEF);
        context.bind(vm, &a[0], a[1].clone());
        Ok(Value::from_ref(heap::alloc(Token {
            context,
            variable: a[0].clone(),
            old,
            used: Cell::new(false),
        })))
    }),
    Def::method("reset", "(self, token, /)", |vm, a| {
        variable_reset(vm, &a[0], &a[1])
    }),
    Def::class_method(
        "__class_getitem__",
        "(cls, object, /)",
        crate::builtins::iterators::class_getitem,
    ),
];

// ---- Token

fn token_repr(vm: &mut Vm, v: &Value) -> R {
    let token = receiver::<Token>(v).clone();
    let used = if token.used.get() { " used" } else { "" };
    let variable = vm.repr(&token.variable)?.to_text().into_owned();
    Ok(Str::value(&format!(
        "<Token{used} var={variable} at {:#x}>",
        address(v)
    )))
}

static TOKEN: &[Def] = &[
    Def::method("__enter__", "(self, /)", |_, a| Ok(a[0].clone())),
    Def::raw_method("__exit__", "(self, type, value, traceback, /)", |vm, a| {
        let v = a.values()[0].clone();
        let variable = receiver::<Token>(&v).variable.clone();
        variable_reset(vm, &variable, &v)
    }),
    Def::class_method(
        "__class_getitem__",
        "(cls, object, /)",
        crate::builtins::iterators::class_getitem,
    ),
];

// ---- Context

/// Runs `f` with the context entered.
pub(crate) fn enter<T>(
    vm: &mut Vm,
    context: &Ref<Context>,
    f: impl FnOnce(&mut Vm) -> R<T>,
) -> R<T> {
    if context.entered.replace(true) {
        let shown = vm.repr(&context.to_value())?.to_text().into_owned();
        return Err(vm.runtime_error(format!("cannot enter context: {shown} is already entered")));
    }
    let outer = current(vm);
    vm.threads.current.context = context.to_value();
    let result = f(vm);
    vm.threads.current.context = outer.to_value();
    context.entered.set(false);
    result
}

/// Enters a context until the thread leaves it; answers the one that it was in, or `None`.
pub(crate) fn enter_until_left(vm: &mut Vm, context: &Value) -> R {
    let Some(context) = context.as_ref::<Context>() else {
        return Err(vm.type_error("a Context was expected"));
    };
    if context.entered.replace(true) {
        let shown = vm.repr(&context.to_value())?.to_text().into_owned();
        return Err(vm.runtime_error(format!("cannot enter context: {shown} is already entered")));
    }
    let outer = std::mem::replace(&mut vm.threads.current.context, context.to_value());
    Ok(outer.defined().cloned().unwrap_or(Value::NONE))
}

/// Leaves it for the one that the thread was in.
pub(crate) fn leave(vm: &mut Vm, outer: &Value) {
    let threads = &mut vm.threads.current;
    let outer = if outer.is_none() {
        threads.first_context.clone()
    } else {
        outer.clone()
    };
    let left = std::mem::replace(&mut threads.context, outer);
    if let Some(context) = left.as_ref::<Context>() {
        context.entered.set(false);
    }
}

/// Checks that a key is a variable.
fn key(vm: &mut Vm, v: &Value) -> R<()> {
    if v.is::<ContextVar>() {
        return Ok(());
    }
    let shown = vm.repr(v)?.to_text().into_owned();
    Err(vm.type_error(format!("a ContextVar key was expected, got {shown}")))
}

fn context_compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Context>(), b.as_ref::<Context>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if !matches!(op, CmpOp::Eq | CmpOp::Ne) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let (x, y) = (x.entries(vm), y.entries(vm));
    let mut equal = x.len() == y.len();
    for ((v, a), (w, b)) in x.iter().zip(&y) {
        equal = equal && v.is_same(w) && (a.is_same(b) || vm.eq(a, b)?);
    }
    Ok(Value::bool(equal == (op == CmpOp::Eq)))
}

fn iterate(vm: &mut Vm, items: Vec<Value>) -> R {
    vm.get_iter(&List::value(items))
}

static CONTEXT: &[Def] = &[
    Def::raw_method("run", "(self, callable, /, *args, **kwargs)", |vm, args| {
        let context = receiver::<Context>(&args.values()[0]).clone();
        let rest = args.tail();
        let Some(callable) = rest.positional().first() else {
            return Err(vm.type_error("run() missing 1 required positional argument"));
        };
        enter(vm, &context, |vm| vm.call_args(callable, rest.tail()))
    }),
    Def::method("copy", "(self, /)", |vm, a| {
        let bindings = receiver::<Context>(&a[0]).bindings.get(vm).clone();
        Ok(new_context(bindings).to_value())
    }),
    Def::method("get", "(self, key, default=None, /)", |vm, a| {
        key(vm, &a[1])?;
        let found = receiver::<Context>(&a[0]).find(vm, &a[1]);
        Ok(found.unwrap_or_else(|| optional(a, 2).cloned().unwrap_or(Value::NONE)))
    }),
    Def::method("keys", "(self, /)", |vm, a| {
        let entries = receiver::<Context>(&a[0]).entries(vm);
        iterate(vm, entries.into_iter().map(|e| e.0).collect())
    }),
    Def::method("values", "(self, /)", |vm, a| {
        let entries = receiver::<Context>(&a[0]).entries(vm);
        iterate(vm, entries.into_iter().map(|e| e.1).collect())
    }),
    Def::method("items", "(self, /)", |vm, a| {
        let entries = receiver::<Context>(&a[0]).entries(vm);
        let pairs = entries.into_iter().map(|(k, v)| Tuple::value(vec![k, v]));
        iterate(vm, pairs.collect())
    }),
];

const CONTEXT_SLOTS: Slots = Slots {
    new: Some(|vm, _, args| {
        if !args.is_empty() {
            return Err(vm.type_error("Context() does not accept any arguments"));
        }
        Ok(new_context(empty()).to_value())
    }),
    iter: Some(|vm, v| {
        let entries = receiver::<Context>(v).entries(vm);
        iterate(vm, entries.into_iter().map(|e| e.0).collect())
    }),
    len: Some(|vm, v| {
        Ok(receiver::<Context>(v)
            .bindings
            .get(vm)
            .entries
            .get(vm)
            .len())
    }),
    getitem: Some(|vm, v, k| {
        key(vm, k)?;
        match receiver::<Context>(v).find(vm, k) {
            Some(value) => Ok(value),
            None => Err(vm.key_error(k)),
        }
    }),
    contains: Some(|vm, v, k| {
        key(vm, k)?;
        Ok(receiver::<Context>(v).find(vm, k).is_some())
    }),
    compare: Some(context_compare),
    unhashable: true,
    ..Slots::NONE
};

/// `copy_context()`
pub(crate) fn copy_current(vm: &mut Vm) -> Value {
    let context = current(vm);
    let bindings = context.bindings.get(vm).clone();
    new_context(bindings).to_value()
}

static FUNCTIONS: &[Def] = &[Def::function("copy_context", "()", |vm, _| {
    Ok(copy_current(vm))
})];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(vm, "_contextvars", "Context Variables", FUNCTIONS);
    ClassBuilder::new::<Bindings>("hamt")
        .module(vm, "_contextvars")
        .build(vm);
    let context = ClassBuilder::new::<Context>("Context")
        .module(vm, "_contextvars")
        .weak()
        .slots(CONTEXT_SLOTS)
        .methods(vm, CONTEXT)
        .build(vm);
    let variable = ClassBuilder::new::<ContextVar>("ContextVar")
        .module(vm, "_contextvars")
        .slots(Slots {
            new: Some(variable_new),
            repr: Some(variable_repr),
            ..Slots::NONE
        })
        .methods(vm, VARIABLE)
        .getset(
            vm,
            "name",
            |_, v| Ok(receiver::<ContextVar>(v).name.to_value()),
            None,
        )
        .build(vm);
    ClassBuilder::new::<Missing>("Token.MISSING")
        .module(vm, "_contextvars")
        .slots(Slots {
            repr: Some(|_, _| Ok(Str::value("<Token.MISSING>"))),
            ..Slots::NONE
        })
        .build(vm);
    let token = ClassBuilder::new::<Token>("Token")
        .module(vm, "_contextvars")
        .slots(Slots {
            new: Some(
                |vm, _, _| Err(vm.runtime_error("Tokens can only be created by ContextVars")),
            ),
            repr: Some(token_repr),
            unhashable: true,
            ..Slots::NONE
        })
        .methods(vm, TOKEN)
        .getset(
            vm,
            "var",
            |_, v| Ok(receiver::<Token>(v).variable.clone()),
            None,
        )
        .getset(
            vm,
            "old_value",
            |_, v| {
                let old = &receiver::<Token>(v).old;
                Ok(if old.is_undef() {
                    missing()
                } else {
                    old.clone()
                })
            },
            None,
        )
        .constant(vm, "MISSING", missing())
        .build(vm);
    m.set(vm, "Context", context.to_value());
    m.set(vm, "ContextVar", variable.to_value());
    m.set(vm, "Token", token.to_value());
    m
}
