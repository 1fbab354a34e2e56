//! `types.GenericAlias`: a class with arguments, `list[int]`.

use super::{parameters_in, push_argument, refused, substitute};
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, CmpOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Payload of `types.GenericAlias`.
pub struct GenericAlias {
    /// `__origin__`
    pub origin: Value,
    /// `__args__`, a tuple.
    pub args: Value,
    /// `__parameters__`, found when first asked for.
    parameters: VmCell<Option<Value>>,
    /// Whether this is `*tuple[...]`.
    starred: bool,
}

// SAFETY: visits every value.
unsafe impl Payload for GenericAlias {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.origin);
        visit(&self.args);
        // SAFETY: the collector runs while no borrow of any payload lives.
        if let Some(p) = unsafe { self.parameters.peek() } {
            visit(p);
        }
    }
}

pub(super) fn init(vm: &mut Vm) {
    let builder = ClassBuilder::new::<GenericAlias>("GenericAlias")
        .flags(BASE)
        .weak()
        .module(vm, "types")
        .slots(Slots {
            repr: Some(repr),
            hash: Some(hash),
            call: Some(call),
            getattr: Some(getattr),
            compare: Some(compare),
            iter: Some(iter),
            getitem: Some(getitem),
            binary: Some(super::union_binary),
            binary_ops: ops(&[BinOp::Or]),
            reflected_ops: ops(&[BinOp::Or]),
            new: Some(new),
            ..Slots::NONE
        });
    builder
        .methods(vm, METHODS)
        .getset(
            vm,
            "__origin__",
            |_, v| Ok(receiver::<GenericAlias>(v).origin.clone()),
            None,
        )
        .getset(
            vm,
            "__args__",
            |_, v| Ok(receiver::<GenericAlias>(v).args.clone()),
            None,
        )
        .getset(vm, "__parameters__", parameters, None)
        .getset(
            vm,
            "__unpacked__",
            |_, v| Ok(Value::bool(receiver::<GenericAlias>(v).starred)),
            None,
        )
        .getset(
            vm,
            "__typing_unpacked_tuple_args__",
            |_, v| {
                let a = receiver::<GenericAlias>(v);
                let is_tuple = a
                    .origin
                    .as_ref::<Type>()
                    .is_some_and(|t| t.same(Tuple::class()));
                Ok(if a.starred && is_tuple {
                    a.args.clone()
                } else {
                    Value::NONE
                })
            },
            None,
        )
        .build(vm);
}

static METHODS: &[Def] = &[
    Def::method("__mro_entries__", "(self, bases, /)", |_, args| {
        Ok(Tuple::value(vec![
            receiver::<GenericAlias>(&args[0]).origin.clone(),
        ]))
    }),
    Def::method("__instancecheck__", "(self, instance, /)", |vm, _| {
        Err(vm.type_error("isinstance() argument 2 cannot be a parameterized generic"))
    }),
    Def::method("__subclasscheck__", "(self, cls, /)", |vm, _| {
        Err(vm.type_error("issubclass() argument 2 cannot be a parameterized generic"))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let a = receiver::<GenericAlias>(&args[0]);
        if a.starred {
            let plain = make(&a.origin, &a.args, false);
            let it = vm.get_iter(&plain)?;
            let next = vm
                .builtins
                .get_str(vm, &crate::names::intern("next"))
                .cloned()
                .unwrap_or(Value::NONE);
            return Ok(Tuple::value(vec![next, Tuple::value(vec![it])]));
        }
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            Tuple::value(vec![a.origin.clone(), a.args.clone()]),
        ]))
    }),
    Def::method("__dir__", "(self, /)", |vm, args| {
        let dir = vm
            .builtins
            .get_str(vm, &crate::names::intern("dir"))
            .cloned()
            .unwrap_or(Value::NONE);
        let origin = receiver::<GenericAlias>(&args[0]).origin.clone();
        let names = vm.call(&dir, &[origin])?;
        let mut names = vm.collect(&names)?;
        for own in OWN {
            let own = Str::value(own);
            let mut there = false;
            for n in &names {
                there |= vm.eq(n, &own)?;
            }
            if !there {
                names.push(own);
            }
        }
        Ok(crate::objects::list::List::value(names))
    }),
];

/// Attributes that are the alias's own; all others are those of the origin.
const OWN: &[&str] = &[
    "__class__",
    "__origin__",
    "__args__",
    "__unpacked__",
    "__parameters__",
    "__typing_unpacked_tuple_args__",
    "__mro_entries__",
    "__reduce_ex__",
    "__reduce__",
];
/// Attributes that are not taken from the origin either.
const BLOCKED: &[&str] = &["__bases__", "__copy__", "__deepcopy__"];

fn make(origin: &Value, args: &Value, starred: bool) -> Value {
    let args = if args.is::<Tuple>() {
        args.clone()
    } else {
        Tuple::value(vec![args.clone()])
    };
    Value::from_ref(heap::alloc(GenericAlias {
        origin: origin.clone(),
        args,
        parameters: VmCell::new(None),
        starred,
    }))
}

/// `origin[item]`
pub fn generic_alias(_: &mut Vm, origin: &Value, item: &Value) -> R {
    Ok(make(origin, item, false))
}

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let a = args.exactly(vm, "GenericAlias", 2, 2)?;
    let args = if a[1].is::<Tuple>() {
        a[1].clone()
    } else {
        Tuple::value(vec![a[1].clone()])
    };
    Ok(Value::from_ref(heap::alloc_instance(
        GenericAlias {
            origin: a[0].clone(),
            args,
            parameters: VmCell::new(None),
            starred: false,
        },
        class,
        0,
    )))
}

fn arguments(v: &Value) -> &[Value] {
    receiver::<GenericAlias>(v)
        .args
        .as_ref::<Tuple>()
        .map_or(&[], |t| t.items())
}

fn parameters(vm: &mut Vm, v: &Value) -> R {
    let a = receiver::<GenericAlias>(v).clone();
    if let Some(p) = a.parameters.get(vm) {
        return Ok(p.clone());
    }
    let found = Tuple::value(parameters_in(vm, arguments(v))?);
    drop(a.parameters.replace(vm, Some(found.clone())));
    Ok(found)
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let a = receiver::<GenericAlias>(v).clone();
    let mut out = String::new();
    if a.starred {
        out.push('*');
    }
    push_argument(vm, &mut out, &a.origin)?;
    out.push('[');
    let args = arguments(v);
    if args.is_empty() {
        out.push_str("()");
    }
    for (i, arg) in args.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        push_argument(vm, &mut out, arg)?;
    }
    out.push(']');
    Ok(Str::value(&out))
}

fn hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let a = receiver::<GenericAlias>(v).clone();
    let h = vm.hash(&a.origin)? ^ vm.hash(&a.args)?;
    Ok(if h == -1 { -2 } else { h })
}

fn call(vm: &mut Vm, v: &Value, args: Args) -> R {
    let origin = receiver::<GenericAlias>(v).origin.clone();
    let object = vm.call_args(&origin, args)?;
    let name = crate::names::intern("__orig_class__").to_value();
    if let Err(raised) = vm.set_attr(&object, &name, Some(v)) {
        if !refused(vm) {
            return Err(raised);
        }
        drop(vm.take_error());
    }
    Ok(object)
}

fn getattr(vm: &mut Vm, v: &Value, name: &Value) -> R {
    let text = name
        .as_ref::<Str>()
        .map(|s| s.to_text().into_owned())
        .unwrap_or_default();
    let own = OWN.contains(&text.as_str()) || BLOCKED.contains(&text.as_str());
    if own || !receiver_is_plain(v, &text) {
        return vm.generic_get_attr(v, name);
    }
    let origin = receiver::<GenericAlias>(v).origin.clone();
    vm.get_attr(&origin, name)
}

/// A subclass of `GenericAlias` may have attributes of its own only under the names of [`OWN`]; everything else is the origin's, as CPython has it.
fn receiver_is_plain(v: &Value, name: &str) -> bool {
    v.is_exact::<GenericAlias>()
        || !name.starts_with("__")
        || !matches!(name, "__getitem__" | "__repr__")
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (
        a.as_ref::<GenericAlias>().cloned(),
        b.as_ref::<GenericAlias>().cloned(),
    ) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if !matches!(op, CmpOp::Eq | CmpOp::Ne) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let equal =
        x.starred == y.starred && vm.eq(&x.origin, &y.origin)? && vm.eq(&x.args, &y.args)?;
    Ok(Value::bool(equal == (op == CmpOp::Eq)))
}

/// `*tuple[int, str]` iterates over one item: the unpacked alias.
fn iter(vm: &mut Vm, v: &Value) -> R {
    let a = receiver::<GenericAlias>(v);
    let one = Tuple::value(vec![make(&a.origin, &a.args, true)]);
    vm.get_iter(&one)
}

fn getitem(vm: &mut Vm, v: &Value, item: &Value) -> R {
    let p = parameters(vm, v)?;
    let p = p
        .as_ref::<Tuple>()
        .map(|t| t.items().to_vec())
        .unwrap_or_default();
    let args = substitute(vm, v, arguments(v), &p, item)?;
    let a = receiver::<GenericAlias>(v);
    Ok(make(&a.origin, &Tuple::value(args), a.starred))
}
