//! Special methods of built-in classes: `int.__add__`, `list.__len__`, ... made from their slots.

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref};
use crate::names::{self, Names};
use crate::objects::native::{Def, Native};
use crate::objects::slots::{BinOp, CmpOp, Slots, UnOp};
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// What a wrapper does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // named after the slots
pub enum Wrapped {
    Repr,
    Str,
    Hash,
    Call,
    GetAttribute,
    SetAttr,
    DelAttr,
    Compare(CmpOp),
    Iter,
    Next,
    Len,
    GetItem,
    SetItem,
    DelItem,
    Contains,
    Bool,
    Binary(BinOp),
    Reflected(BinOp),
    Inplace(BinOp),
    Unary(UnOp),
    Index,
    Int,
    Float,
    Get,
    Set,
    Delete,
    Init,
    Del,
}

/// Every special method that is made from a slot: its name and what it does.
pub fn table() -> &'static [(&'static str, Wrapped)] {
    use Wrapped::*;
    &[
        ("__repr__", Repr),
        ("__str__", Str),
        ("__hash__", Hash),
        ("__call__", Call),
        ("__getattribute__", GetAttribute),
        ("__setattr__", SetAttr),
        ("__delattr__", DelAttr),
        ("__lt__", Compare(CmpOp::Lt)),
        ("__le__", Compare(CmpOp::Le)),
        ("__eq__", Compare(CmpOp::Eq)),
        ("__ne__", Compare(CmpOp::Ne)),
        ("__gt__", Compare(CmpOp::Gt)),
        ("__ge__", Compare(CmpOp::Ge)),
        ("__iter__", Iter),
        ("__next__", Next),
        ("__len__", Len),
        ("__getitem__", GetItem),
        ("__setitem__", SetItem),
        ("__delitem__", DelItem),
        ("__contains__", Contains),
        ("__bool__", Bool),
        ("__add__", Binary(BinOp::Add)),
        ("__sub__", Binary(BinOp::Sub)),
        ("__mul__", Binary(BinOp::Mul)),
        ("__truediv__", Binary(BinOp::Div)),
        ("__floordiv__", Binary(BinOp::FloorDiv)),
        ("__mod__", Binary(BinOp::Mod)),
        ("__pow__", Binary(BinOp::Pow)),
        ("__matmul__", Binary(BinOp::MatMul)),
        ("__and__", Binary(BinOp::And)),
        ("__or__", Binary(BinOp::Or)),
        ("__xor__", Binary(BinOp::Xor)),
        ("__lshift__", Binary(BinOp::Shl)),
        ("__rshift__", Binary(BinOp::Shr)),
        ("__divmod__", Binary(BinOp::DivMod)),
        ("__radd__", Reflected(BinOp::Add)),
        ("__rsub__", Reflected(BinOp::Sub)),
        ("__rmul__", Reflected(BinOp::Mul)),
        ("__rtruediv__", Reflected(BinOp::Div)),
        ("__rfloordiv__", Reflected(BinOp::FloorDiv)),
        ("__rmod__", Reflected(BinOp::Mod)),
        ("__rpow__", Reflected(BinOp::Pow)),
        ("__rmatmul__", Reflected(BinOp::MatMul)),
        ("__rand__", Reflected(BinOp::And)),
        ("__ror__", Reflected(BinOp::Or)),
        ("__rxor__", Reflected(BinOp::Xor)),
        ("__rlshift__", Reflected(BinOp::Shl)),
        ("__rrshift__", Reflected(BinOp::Shr)),
        ("__rdivmod__", Reflected(BinOp::DivMod)),
        ("__iadd__", Inplace(BinOp::Add)),
        ("__isub__", Inplace(BinOp::Sub)),
        ("__imul__", Inplace(BinOp::Mul)),
        ("__itruediv__", Inplace(BinOp::Div)),
        ("__ifloordiv__", Inplace(BinOp::FloorDiv)),
        ("__imod__", Inplace(BinOp::Mod)),
        ("__ipow__", Inplace(BinOp::Pow)),
        ("__imatmul__", Inplace(BinOp::MatMul)),
        ("__iand__", Inplace(BinOp::And)),
        ("__ior__", Inplace(BinOp::Or)),
        ("__ixor__", Inplace(BinOp::Xor)),
        ("__ilshift__", Inplace(BinOp::Shl)),
        ("__irshift__", Inplace(BinOp::Shr)),
        ("__neg__", Unary(UnOp::Neg)),
        ("__pos__", Unary(UnOp::Pos)),
        ("__abs__", Unary(UnOp::Abs)),
        ("__invert__", Unary(UnOp::Invert)),
        ("__index__", Index),
        ("__int__", Int),
        ("__float__", Float),
        ("__get__", Get),
        ("__set__", Set),
        ("__delete__", Delete),
        ("__init__", Init),
        ("__del__", Del),
    ]
}

impl Wrapped {
    /// Whether the slots have what the wrapper calls.
    fn present(self, s: &Slots) -> bool {
        use Wrapped::*;
        match self {
            Repr => s.repr.is_some(),
            Str => s.str.is_some(),
            Hash => s.hash.is_some(),
            Call => s.call.is_some(),
            GetAttribute => s.getattr.is_some(),
            SetAttr | DelAttr => s.setattr.is_some(),
            Compare(_) => s.compare.is_some(),
            Iter => s.iter.is_some(),
            Next => s.next.is_some(),
            Len => s.len.is_some(),
            GetItem => s.getitem.is_some(),
            SetItem | DelItem => s.setitem.is_some(),
            Contains => s.contains.is_some(),
            Bool => s.bool.is_some(),
            Binary(op) => s.binary.is_some() && s.binary_ops & op.bit() != 0,
            Reflected(op) => s.binary.is_some() && s.reflected_ops & op.bit() != 0,
            Inplace(op) => s.inplace.is_some() && s.inplace_ops & op.bit() != 0,
            Unary(_) => s.unary.is_some(),
            Index => s.index.is_some(),
            Int => s.int.is_some(),
            Float => s.float.is_some(),
            Get => s.descr_get.is_some(),
            Set | Delete => s.descr_set.is_some(),
            Init => s.init.is_some(),
            Del => s.del.is_some(),
        }
    }
}

/// Payload of `wrapper_descriptor`.
pub struct SlotWrapper {
    /// The method's name.
    pub name: Ref<Str>,
    /// The class whose slot it calls.
    pub owner: Ref<Type>,
    /// What it does.
    pub what: Wrapped,
}

// SAFETY: visits name and class.
unsafe impl Payload for SlotWrapper {
    const KIND: Kind = Kind::SlotWrapper;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.name.with_value(&mut *visit);
        self.owner.with_value(visit);
    }
}

/// Adds to a built-in class the special methods that its slots stand for.
pub fn publish(vm: &mut Vm, class: &Ref<Type>, slots: &Slots) {
    for &(name, what) in table() {
        let name = names::intern(name);
        if what.present(slots) && class.dict.get_str(vm, &name).is_none() {
            let wrapper = heap::alloc(SlotWrapper {
                name: name.clone(),
                owner: class.clone(),
                what,
            });
            class.dict.set_str(vm, &name, Value::from_ref(wrapper));
        }
    }
    if slots.unhashable {
        class.dict.set_str(vm, &Names::get().__hash__, Value::NONE);
    }
    if slots.new.is_some() {
        const SIGNATURE: &str = "(*args, **kwargs)";
        static NEW: Def = Def::raw_function("__new__", SIGNATURE, new_wrapper);
        let f = Native::bound(&NEW, crate::params!(SIGNATURE), class.to_value());
        class.dict.set_str(vm, &Names::get().__new__, f);
    }
}

/// `cls.__new__(subclass, ...)`; the class that owns it comes first.
fn new_wrapper(vm: &mut Vm, args: Args) -> R {
    let [owner, rest @ ..] = args.positional() else {
        return Err(vm.system_error("__new__() without its class"));
    };
    let Some(owner) = owner.as_ref::<Type>() else {
        return Err(vm.system_error("__new__() without its class"));
    };
    let Some(class) = rest.first() else {
        return Err(vm.type_error(format!("{}.__new__(): not enough arguments", owner.name())));
    };
    let Some(class) = class.as_ref::<Type>() else {
        let text = format!(
            "{}.__new__(X): X is not a type object ({})",
            owner.name(),
            vm.class_of(class).name()
        );
        return Err(vm.type_error(text));
    };
    if !class.is_subclass_of(owner) {
        return Err(vm.type_error(format!(
            "{0}.__new__({1}): {1} is not a subtype of {0}",
            owner.name(),
            class.name()
        )));
    }
    // The constructor that fits the layout is the one of the nearest built-in class.
    let native = class
        .mro
        .get(vm)
        .iter()
        .find(|c| c.is_static() && c.slots().new.is_some())
        .cloned();
    if let Some(native) = &native
        && !native.same(owner)
        && native.slots().new.map(|f| f as usize) != owner.slots().new.map(|f| f as usize)
    {
        return Err(unsafe_new(vm, owner, class));
    }
    match owner.slots().new {
        Some(f) => f(vm, class, args.tail().tail()),
        None => Err(vm.type_error(format!("cannot create '{}' instances", owner.name()))),
    }
}

/// "object.__new__(C) is not safe, use B.__new__()": `B` is the nearest class that has no `__new__` written in Python.
#[cold]
pub(crate) fn unsafe_new(vm: &mut Vm, owner: &Ref<Type>, class: &Ref<Type>) -> crate::vm::Raised {
    let python = crate::vm::user_slots::new as *const () as usize;
    let nearest = class
        .mro
        .get(vm)
        .iter()
        .find(|c| {
            c.vtable.kind == class.vtable.kind
                && c.slots().new.is_some_and(|f| f as usize != python)
        })
        .cloned();
    let nearest = nearest.unwrap_or_else(|| class.clone());
    vm.type_error(format!(
        "{}.__new__({}) is not safe, use {}.__new__()",
        owner.name(),
        class.name(),
        nearest.name()
    ))
}

/// Whether `+` and `*` of the class are concatenation and repetition.
fn is_sequence(class: &Type) -> bool {
    matches!(
        class.vtable.kind,
        Kind::Str | Kind::Bytes | Kind::ByteArray | Kind::Tuple | Kind::List
    )
}

/// Whether CPython has a method in the place of this wrapper, for speed.
fn is_method(w: &SlotWrapper) -> bool {
    match w.what {
        Wrapped::GetItem => matches!(w.owner.vtable.kind, Kind::List | Kind::Dict),
        Wrapped::Contains => matches!(
            w.owner.vtable.kind,
            Kind::Dict | Kind::Set | Kind::FrozenSet
        ),
        _ => false,
    }
}

/// One or two arguments behind the receiver. The text begins with a space because CPython's begins with an empty name.
fn one_or_two(vm: &mut Vm, w: &SlotWrapper, args: &Args) -> R<()> {
    args.no_keywords(vm, &format!("wrapper {}", w.name.to_text()))?;
    match args.positional().len() - 1 {
        1 | 2 => Ok(()),
        0 => Err(vm.type_error(" expected at least 1 argument, got 0")),
        n => Err(vm.type_error(format!(" expected at most 2 arguments, got {n}"))),
    }
}

fn expect(vm: &mut Vm, w: &SlotWrapper, args: &Args, n: usize, nameless: bool) -> R<()> {
    let as_method = is_method(w);
    let name = if as_method {
        format!("{}.{}", w.owner.name(), w.name.to_text())
    } else {
        format!("wrapper {}", w.name.to_text())
    };
    args.no_keywords(vm, &name)?;
    let given = args.positional().len() - 1;
    if given == n {
        return Ok(());
    }
    if as_method {
        return Err(vm.type_error(format!(
            "{name}() takes exactly one argument ({given} given)"
        )));
    }
    Err(vm.type_error(format!(
        "{}expected {n} argument{}, got {given}",
        if nameless || n == 2 { " " } else { "" },
        if n == 1 { "" } else { "s" }
    )))
}

/// Calls a slot wrapper; the first argument is the receiver.
pub fn call(vm: &mut Vm, w: &Ref<SlotWrapper>, args: Args) -> R {
    use Wrapped::*;
    let Some(me) = args.positional().first() else {
        if is_method(w) {
            return Err(vm.type_error(format!(
                "unbound method {}.{}() needs an argument",
                w.owner.name(),
                w.name.to_text()
            )));
        }
        return Err(vm.type_error(format!(
            "descriptor '{}' of '{}' object needs an argument",
            w.name.to_text(),
            w.owner.name()
        )));
    };
    if !vm.is_instance_of(me, &w.owner) {
        let (name, owner) = (w.name.to_text(), w.owner.name());
        let given = vm.class_of(me).name().into_owned();
        let text = if is_method(w) {
            format!("descriptor '{name}' for '{owner}' objects doesn't apply to a '{given}' object")
        } else {
            format!("descriptor '{name}' requires a '{owner}' object but received a '{given}'")
        };
        return Err(vm.type_error(text));
    }
    let slots = w.owner.slots();
    let wanted = match w.what {
        Repr | Str | Hash | Iter | Next | Len | Bool | Unary(_) | Index | Int | Float | Del => 0,
        GetAttribute | DelAttr | Compare(_) | GetItem | DelItem | Contains | Inplace(_)
        | Delete => 1,
        Binary(op) | Reflected(op) if op != BinOp::Pow => 1,
        SetAttr | SetItem | Set => 2,
        Binary(_) | Reflected(_) | Get => {
            one_or_two(vm, w, &args)?;
            usize::MAX
        }
        Call | Init => usize::MAX,
    };
    // Concatenation and repetition, as methods, have no other side to leave the decision to.
    let repeats = matches!(
        w.what,
        Binary(BinOp::Mul) | Reflected(BinOp::Mul) | Inplace(BinOp::Mul)
    ) && is_sequence(&w.owner);
    if wanted != usize::MAX {
        expect(vm, w, &args, wanted, repeats)?;
    }
    if (repeats || matches!(w.what, Binary(BinOp::Add)) && is_sequence(&w.owner))
        && let Some(f) = slots.binary
    {
        let other = &args.positional()[1];
        let r = match w.what {
            Inplace(op) => match slots.inplace {
                Some(f) => f(vm, op, me, other)?,
                None => f(vm, op, me, other)?,
            },
            Binary(op) => f(vm, op, me, other)?,
            _ => f(vm, BinOp::Mul, other, me)?,
        };
        if !r.is_not_implemented() {
            return Ok(r);
        }
        return Err(if repeats {
            let name = vm.class_of(other).name().into_owned();
            vm.type_error(format!(
                "'{name}' object cannot be interpreted as an integer"
            ))
        } else {
            vm.unsupported(BinOp::Add, me, other, false)
        });
    }
    let a = args.positional();
    let missing = || Value::NOT_IMPLEMENTED;
    Ok(match w.what {
        Repr => slots
            .repr
            .map(|f| f(vm, me))
            .transpose()?
            .unwrap_or_else(missing),
        Str => slots
            .str
            .map(|f| f(vm, me))
            .transpose()?
            .unwrap_or_else(missing),
        Hash => slots
            .hash
            .map(|f| f(vm, me))
            .transpose()?
            .map_or_else(missing, Value::int),
        Call => slots
            .call
            .map(|f| f(vm, me, args.tail()))
            .transpose()?
            .unwrap_or_else(missing),
        GetAttribute => {
            vm.check_reflection_by(me, &a[1])?;
            slots
                .getattr
                .map(|f| f(vm, me, &a[1]))
                .transpose()?
                .unwrap_or_else(missing)
        }
        SetAttr => {
            vm.check_reflection_by(me, &a[1])?;
            if let Some(f) = slots.setattr {
                f(vm, me, &a[1], Some(&a[2]))?;
            }
            Value::NONE
        }
        DelAttr => {
            vm.check_reflection_by(me, &a[1])?;
            if let Some(f) = slots.setattr {
                f(vm, me, &a[1], None)?;
            }
            Value::NONE
        }
        Compare(op) => slots
            .compare
            .map(|f| f(vm, me, &a[1], op))
            .transpose()?
            .unwrap_or_else(missing),
        Iter => slots
            .iter
            .map(|f| f(vm, me))
            .transpose()?
            .unwrap_or_else(missing),
        Next => match slots.next.map(|f| f(vm, me)).transpose()? {
            Some(v) if v.is_undef() => return Err(vm.stop_iteration(Value::NONE)),
            Some(v) => v,
            None => missing(),
        },
        // The slot's answer may be cut to what addresses can count.
        Len if me.is::<crate::objects::range::Range>() => Value::int(vm.len_i64(me)?),
        Len => slots
            .len
            .map(|f| f(vm, me))
            .transpose()?
            .map_or_else(missing, |n| Value::int(n as i64)),
        GetItem => slots
            .getitem
            .map(|f| f(vm, me, &a[1]))
            .transpose()?
            .unwrap_or_else(missing),
        SetItem => {
            if let Some(f) = slots.setitem {
                f(vm, me, &a[1], Some(&a[2]))?;
            }
            Value::NONE
        }
        DelItem => {
            if let Some(f) = slots.setitem {
                f(vm, me, &a[1], None)?;
            }
            Value::NONE
        }
        Contains => slots
            .contains
            .map(|f| f(vm, me, &a[1]))
            .transpose()?
            .map_or_else(missing, Value::bool),
        Bool => slots
            .bool
            .map(|f| f(vm, me))
            .transpose()?
            .map_or_else(missing, Value::bool),
        Binary(op) => match (op, a.len()) {
            (_, 2) => slots
                .binary
                .map(|f| f(vm, op, me, &a[1]))
                .transpose()?
                .unwrap_or_else(missing),
            _ => crate::builtins::numbers::native_pow_mod(vm, me, &a[1], &a[2])?,
        },
        Reflected(BinOp::Pow) if a.len() == 3 => {
            crate::builtins::numbers::native_pow_mod(vm, &a[1], me, &a[2])?
        }
        Reflected(op) => slots
            .binary
            .map(|f| f(vm, op, &a[1], me))
            .transpose()?
            .unwrap_or_else(missing),
        Inplace(op) => slots
            .inplace
            .map(|f| f(vm, op, me, &a[1]))
            .transpose()?
            .unwrap_or_else(missing),
        Unary(op) => slots
            .unary
            .map(|f| f(vm, op, me))
            .transpose()?
            .unwrap_or_else(missing),
        Index => slots
            .index
            .map(|f| f(vm, me))
            .transpose()?
            .unwrap_or_else(missing),
        Int => slots
            .int
            .map(|f| f(vm, me))
            .transpose()?
            .unwrap_or_else(missing),
        Float => slots
            .float
            .map(|f| f(vm, me))
            .transpose()?
            .unwrap_or_else(missing),
        Get => {
            let (instance, owner) = match &a[1..] {
                [i] => (i, Value::NONE),
                [i, o, ..] => (i, o.clone()),
                [] => return Ok(missing()),
            };
            if instance.is_none() && owner.is_none() {
                return Err(vm.type_error("__get__(None, None) is invalid"));
            }
            let owner = if owner.is_none() {
                vm.class_of(instance).to_value()
            } else {
                owner
            };
            slots
                .descr_get
                .map(|f| f(vm, me, (!instance.is_none()).then_some(instance), &owner))
                .transpose()?
                .unwrap_or_else(missing)
        }
        Set => {
            if let Some(f) = slots.descr_set {
                f(vm, me, &a[1], Some(&a[2]))?;
            }
            Value::NONE
        }
        Delete => {
            if let Some(f) = slots.descr_set {
                f(vm, me, &a[1], None)?;
            }
            Value::NONE
        }
        Init => {
            if let Some(f) = slots.init {
                f(vm, me, args.tail())?;
            }
            Value::NONE
        }
        Del => {
            if let Some(f) = slots.del {
                f(vm, me)?;
            }
            Value::NONE
        }
    })
}
