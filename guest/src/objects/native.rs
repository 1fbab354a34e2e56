//! Functions written in Rust: their declaration, and the objects by which Python code sees them.
//!
//! A function is declared by a [`Def`]: name, signature in Python's own notation, and the Rust function. The signature decides arity, keywords and the
//! error texts, so that the Rust function only sees checked arguments.

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref};
use crate::names;
pub use crate::objects::params::Params;
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// The Rust side of a native function.
#[derive(Clone, Copy)]
pub enum Call {
    /// Gets one value for each parameter of the signature, in order. Trailing parameters that were not given are missing from the slice, those in the
    /// middle are `UNDEF`: use [`crate::vm::args::optional`]. Keyword-only parameters follow the positional ones. Not for signatures with `*args` or `**kwargs`.
    Bound(fn(&mut Vm, &[Value]) -> R),
    /// Gets the arguments as they were passed; the signature is documentation (and `__text_signature__`).
    Raw(fn(&mut Vm, Args) -> R),
}

/// How a definition is published.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum DefKind {
    /// A function of a module.
    Function,
    /// A method: the first parameter is `self`, which is checked to be of the class.
    Method,
    /// A class method: the first parameter is the class.
    ClassMethod,
    /// A static method.
    StaticMethod,
}

/// Declaration of a native function.
pub struct Def {
    /// The name.
    pub name: &'static str,
    /// The signature, such as `(self, sep=None, /, maxsplit=-1)`.
    pub signature: &'static str,
    /// The Rust function.
    pub call: Call,
    /// How it is published.
    pub kind: DefKind,
}

impl Def {
    /// A function of a module.
    pub const fn function(
        name: &'static str,
        signature: &'static str,
        f: fn(&mut Vm, &[Value]) -> R,
    ) -> Def {
        Def {
            name,
            signature,
            call: Call::Bound(f),
            kind: DefKind::Function,
        }
    }

    /// A function of a module that takes its arguments raw.
    pub const fn raw_function(
        name: &'static str,
        signature: &'static str,
        f: fn(&mut Vm, Args) -> R,
    ) -> Def {
        Def {
            name,
            signature,
            call: Call::Raw(f),
            kind: DefKind::Function,
        }
    }

    /// A method.
    pub const fn method(
        name: &'static str,
        signature: &'static str,
        f: fn(&mut Vm, &[Value]) -> R,
    ) -> Def {
        Def {
            name,
            signature,
            call: Call::Bound(f),
            kind: DefKind::Method,
        }
    }

    /// A method that takes its arguments raw (`self` is the first positional one).
    pub const fn raw_method(
        name: &'static str,
        signature: &'static str,
        f: fn(&mut Vm, Args) -> R,
    ) -> Def {
        Def {
            name,
            signature,
            call: Call::Raw(f),
            kind: DefKind::Method,
        }
    }

    /// A class method.
    pub const fn class_method(
        name: &'static str,
        signature: &'static str,
        f: fn(&mut Vm, &[Value]) -> R,
    ) -> Def {
        Def {
            name,
            signature,
            call: Call::Bound(f),
            kind: DefKind::ClassMethod,
        }
    }

    /// A class method that takes its arguments raw (the class is the first positional one).
    pub const fn raw_class_method(
        name: &'static str,
        signature: &'static str,
        f: fn(&mut Vm, Args) -> R,
    ) -> Def {
        Def {
            name,
            signature,
            call: Call::Raw(f),
            kind: DefKind::ClassMethod,
        }
    }

    /// A static method.
    pub const fn static_method(
        name: &'static str,
        signature: &'static str,
        f: fn(&mut Vm, &[Value]) -> R,
    ) -> Def {
        Def {
            name,
            signature,
            call: Call::Bound(f),
            kind: DefKind::StaticMethod,
        }
    }
}

/// Payload of `builtin_function_or_method`: a native function, perhaps bound.
pub struct Native {
    /// Its declaration.
    pub def: &'static Def,
    /// The parsed signature.
    pub params: &'static Params,
    /// What it is bound to (the instance or class; `UNDEF` for plain functions).
    pub bound: Value,
    /// `__module__`, or `None`; of a static method, its class.
    pub module: Value,
}

// SAFETY: visits both values.
unsafe impl Payload for Native {
    const KIND: Kind = Kind::Native;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.bound);
        visit(&self.module);
    }
}

fn leak_params(def: &'static Def) -> &'static Params {
    thread_local! {
        static CACHE: std::cell::RefCell<std::collections::BTreeMap<usize, &'static Params>> = const { std::cell::RefCell::new(std::collections::BTreeMap::new()) };
    }
    CACHE.with_borrow_mut(|cache| {
        let params: &'static Params = cache
            .entry(def as *const Def as usize)
            .or_insert_with(|| Box::leak(Box::new(Params::parse(def.signature))));
        params
    })
}

impl Native {
    /// A function object for a declaration.
    pub fn function(def: &'static Def, module: Value) -> Value {
        Value::from_ref(heap::alloc(Native {
            def,
            params: leak_params(def),
            bound: Value::UNDEF,
            module,
        }))
    }

    /// A bound method of a declaration that belongs to no class.
    pub fn bound_to(def: &'static Def, to: Value) -> Value {
        Native::bound(def, leak_params(def), to)
    }

    /// A bound method.
    pub fn bound(def: &'static Def, params: &'static Params, to: Value) -> Value {
        Value::from_ref(heap::alloc(Native {
            def,
            params,
            bound: to,
            module: Value::NONE,
        }))
    }
}

/// Payload of `method_descriptor`: a native method as it stands in its class.
pub struct MethodDescriptor {
    /// Its declaration.
    pub def: &'static Def,
    /// The parsed signature.
    pub params: &'static Params,
    /// The class that it belongs to.
    pub owner: Ref<Type>,
}

// SAFETY: visits the class.
unsafe impl Payload for MethodDescriptor {
    const KIND: Kind = Kind::MethodDescriptor;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.owner.with_value(visit);
    }
}

impl MethodDescriptor {
    /// The descriptor of a declaration.
    pub fn value(def: &'static Def, owner: &Ref<Type>) -> Value {
        Value::from_ref(heap::alloc(MethodDescriptor {
            def,
            params: leak_params(def),
            owner: owner.clone(),
        }))
    }
}

/// Reads a computed attribute of the object.
pub type Getter = fn(&mut Vm, &Value) -> R;
/// Writes a computed attribute of the object; `None` deletes it.
pub type Setter = fn(&mut Vm, &Value, Option<&Value>) -> R<()>;

/// Payload of `getset_descriptor`: an attribute computed by Rust code.
pub struct GetSet {
    /// The attribute's name.
    pub name: Ref<Str>,
    /// The class that it belongs to.
    pub owner: Ref<Type>,
    /// Reads it.
    pub get: Getter,
    /// Writes it; without it the attribute is read-only.
    pub set: Option<Setter>,
}

// SAFETY: visits name and class.
unsafe impl Payload for GetSet {
    const KIND: Kind = Kind::GetSet;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.name.with_value(&mut *visit);
        self.owner.with_value(visit);
    }
}

impl GetSet {
    /// The descriptor.
    pub fn value(name: &str, owner: &Ref<Type>, get: Getter, set: Option<Setter>) -> Value {
        Value::from_ref(heap::alloc(GetSet {
            name: names::intern(name),
            owner: owner.clone(),
            get,
            set,
        }))
    }
}

/// The receiver of a slot or method: the machine has checked that its payload is `T`.
#[inline(always)]
pub fn receiver<T: Payload>(v: &Value) -> &Ref<T> {
    match v.as_ref::<T>() {
        Some(r) => r,
        None => unreachable!("a method got a receiver of another class"),
    }
}
