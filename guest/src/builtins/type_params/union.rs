//! `typing.Union`: one of several types, `int | str`.

use super::alias::GenericAlias;
use super::{attribute, none_type, parameters_in, push_argument, substitute};
use crate::class_slot;
use crate::heap::{self, Payload, VmCell};
use crate::names;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, CmpOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Payload of `typing.Union`.
pub struct Union {
    /// `__args__`: two or more distinct types, a tuple.
    pub args: Value,
    /// `__parameters__`, found when first asked for.
    parameters: VmCell<Option<Value>>,
}

// SAFETY: visits every value.
unsafe impl Payload for Union {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.args);
        // SAFETY: the collector runs while no borrow of any payload lives.
        if let Some(p) = unsafe { self.parameters.peek() } {
            visit(p);
        }
    }
}

pub(super) fn init(vm: &mut Vm) {
    let builder = ClassBuilder::new::<Union>("Union")
        .weak()
        .module(vm, "typing")
        .slots(Slots {
            repr: Some(repr),
            hash: Some(hash),
            compare: Some(compare),
            getitem: Some(getitem),
            binary: Some(union_binary),
            binary_ops: ops(&[BinOp::Or]),
            reflected_ops: ops(&[BinOp::Or]),
            ..Slots::NONE
        });
    let class = builder
        .methods(vm, METHODS)
        .getset(
            vm,
            "__args__",
            |_, v| Ok(receiver::<Union>(v).args.clone()),
            None,
        )
        .getset(vm, "__parameters__", parameters, None)
        .getset(vm, "__origin__", |_, _| Ok(Union::class().to_value()), None)
        .getset(vm, "__name__", |_, _| Ok(Str::value("Union")), None)
        .getset(vm, "__qualname__", |_, _| Ok(Str::value("Union")), None)
        .build(vm);
    // The class itself has a name of its own; `__module__` stays the class's.
    let _ = class;
}

static METHODS: &[Def] = &[
    Def::class_method("__class_getitem__", "(cls, item, /)", |vm, args| {
        let items = match args[1].as_ref::<Tuple>() {
            Some(t) if t.is_empty() => {
                return Err(vm.type_error("Cannot take a Union of no types."));
            }
            Some(t) => t.items().to_vec(),
            None => vec![args[1].clone()],
        };
        let mut checked = Vec::with_capacity(items.len());
        for item in items {
            checked.push(if is_type(vm, &item)? {
                item
            } else {
                checked_by_typing(vm, &item)?
            });
        }
        union_of(vm, &checked)
    }),
    Def::method("__instancecheck__", "(self, instance, /)", |vm, args| {
        check(vm, args, true)
    }),
    Def::method("__subclasscheck__", "(self, cls, /)", |vm, args| {
        check(vm, args, false)
    }),
    Def::method("__mro_entries__", "(self, bases, /)", |vm, args| {
        let text = format!("Cannot subclass {}", vm.repr(&args[0])?.to_text());
        Err(vm.type_error(text))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let make = vm.import_module("operator")?;
        let name = names::intern("getitem").to_value();
        let getitem = vm.get_attr(&make, &name)?;
        let args = receiver::<Union>(&args[0]).args.clone();
        Ok(Tuple::value(vec![
            getitem,
            Tuple::value(vec![Union::class().to_value(), args]),
        ]))
    }),
];

/// An argument that is not obviously a type: `typing` decides, and makes forward references of strings.
fn checked_by_typing(vm: &mut Vm, v: &Value) -> R {
    let typing = vm.import_module("typing")?;
    let f = vm.get_attr(&typing, &names::intern("_type_check").to_value())?;
    vm.call(
        &f,
        &[
            v.clone(),
            Str::value("Union[arg, ...]: each arg must be a type."),
        ],
    )
}

fn check(vm: &mut Vm, args: &[Value], instance: bool) -> R {
    let members = members(&args[0]).to_vec();
    for m in members {
        let hit = if instance {
            vm.is_instance(&args[1], &m)?
        } else {
            vm.is_subclass(&args[1], &m)?
        };
        if hit {
            return Ok(Value::TRUE);
        }
    }
    Ok(Value::FALSE)
}

fn members(v: &Value) -> &[Value] {
    receiver::<Union>(v)
        .args
        .as_ref::<Tuple>()
        .map_or(&[], |t| t.items())
}

/// Whether `|` makes a union of this.
fn is_type(vm: &mut Vm, v: &Value) -> R<bool> {
    if v.is_none() || v.is::<Type>() || v.is::<GenericAlias>() || v.is::<Union>() {
        return Ok(true);
    }
    // `TypeAliasType` is a Python class of `_typing`.
    let class = class_of(v);
    Ok(!class.is_static()
        && &*class.name() == "TypeAliasType"
        && attribute(vm, v, "__value__").is_ok())
}

/// `a | b` of classes, aliases and unions.
pub(crate) fn union_binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    if op != BinOp::Or || !is_type_quick(a) || !is_type_quick(b) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    union_of(vm, &[a.clone(), b.clone()])
}

fn is_type_quick(v: &Value) -> bool {
    v.is_none()
        || v.is::<Type>()
        || v.is::<GenericAlias>()
        || v.is::<Union>()
        || (!class_of(v).is_static() && &*class_of(v).name() == "TypeAliasType")
}

/// The union of these types: nested unions are flattened, doubles dropped; of one type, that type.
pub fn union_of(vm: &mut Vm, types: &[Value]) -> R {
    let mut flat: Vec<Value> = Vec::with_capacity(types.len());
    for (n, t) in types.iter().enumerate() {
        if n == 0 && t.is::<Union>() {
            // Its members are known to differ.
            flat.extend_from_slice(members(t));
            continue;
        }
        let parts = if t.is::<Union>() {
            members(t).to_vec()
        } else {
            vec![if t.is_none() { none_type() } else { t.clone() }]
        };
        for part in parts {
            let mut there = false;
            for old in &flat {
                if there {
                    break;
                }
                vm.poll_native()?;
                let both_classes = old.is::<Type>() && part.is::<Type>();
                there = if both_classes {
                    old.is_same(&part)
                } else {
                    class_of(old).same(class_of(&part)) && vm.eq(old, &part)?
                };
            }
            if !there {
                flat.push(part);
            }
        }
    }
    if let [one] = flat.as_slice() {
        return Ok(one.clone());
    }
    Ok(Value::from_ref(heap::alloc(Union {
        args: Tuple::value(flat),
        parameters: VmCell::new(None),
    })))
}

fn parameters(vm: &mut Vm, v: &Value) -> R {
    let u = receiver::<Union>(v).clone();
    if let Some(p) = u.parameters.get(vm) {
        return Ok(p.clone());
    }
    let found = Tuple::value(parameters_in(vm, members(v))?);
    drop(u.parameters.replace(vm, Some(found.clone())));
    Ok(found)
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let mut out = String::new();
    for (i, m) in members(v).iter().enumerate() {
        if i > 0 {
            out.push_str(" | ");
        }
        if m.is_same(&none_type()) {
            out.push_str("None");
        } else {
            push_argument(vm, &mut out, m)?;
        }
    }
    Ok(Str::value(&out))
}

/// The order of the members does not matter.
fn hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let mut sum: i64 = 0x345_678;
    for m in members(v) {
        let h = vm.hash(m)?;
        sum = sum.wrapping_add(h.wrapping_mul(h | 1).rotate_left(17));
    }
    Ok(if sum == -1 { -2 } else { sum })
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    if !a.is::<Union>() || !b.is::<Union>() || !matches!(op, CmpOp::Eq | CmpOp::Ne) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let (x, y) = (members(a), members(b));
    let mut equal = x.len() == y.len();
    for m in x {
        let mut there = false;
        for n in y {
            there = there || vm.eq(m, n)?;
        }
        equal = equal && there;
    }
    Ok(Value::bool(equal == (op == CmpOp::Eq)))
}

fn getitem(vm: &mut Vm, v: &Value, item: &Value) -> R {
    let p = parameters(vm, v)?;
    let p = p
        .as_ref::<Tuple>()
        .map(|t| t.items().to_vec())
        .unwrap_or_default();
    let args = substitute(vm, v, members(v), &p, item)?;
    let mut args = args.into_iter();
    let Some(mut result) = args.next() else {
        return Ok(Value::NONE);
    };
    for arg in args {
        result = vm.binary(BinOp::Or, &result, &arg)?;
    }
    Ok(result)
}
