//! `tuple`: the class and its methods.

use crate::builtins::ranges::{slice_adjust, slice_bounds};
use crate::heap::{Payload, Ref};
use crate::objects::iterators::TupleIter;
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::range::Slice;
use crate::objects::sequence;
use crate::objects::slots::{BinOp, CmpOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, MATCH_SELF, SEQUENCE, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};
use coldframe_numeric::hash::TupleHasher;

/// Makes the class.
pub(crate) fn init(vm: &mut Vm) {
    ClassBuilder::new::<Tuple>("tuple")
        .flags(BASE | SEQUENCE | MATCH_SELF)
        .slots(TUPLE)
        .methods(vm, METHODS)
        .build(vm);
}

const TUPLE: Slots = Slots {
    repr: Some(repr),
    hash: Some(hash),
    compare: Some(compare),
    iter: Some(|_, v| Ok(TupleIter::value(receiver::<Tuple>(v).clone()))),
    len: Some(|_, v| Ok(receiver::<Tuple>(v).len())),
    getitem: Some(getitem),
    contains: Some(|vm, v, item| {
        for x in receiver::<Tuple>(v).items() {
            if vm.eq(x, item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }),
    binary: Some(binary),
    binary_ops: ops(&[BinOp::Add, BinOp::Mul]),
    reflected_ops: ops(&[BinOp::Mul]),
    new: Some(tuple_new),
    ..Slots::NONE
};

static METHODS: &[Def] = &[
    Def::method("count", "(self, value, /)", |vm, args| {
        let mut count = 0;
        for item in receiver::<Tuple>(&args[0]).items() {
            count += vm.eq(item, &args[1])? as i64;
        }
        Ok(Value::int(count))
    }),
    Def::method(
        "index",
        "(self, value, start=0, stop=9223372036854775807, /)",
        |vm, args| {
            let tuple = receiver::<Tuple>(&args[0]);
            let (start, stop) = sequence::search_bounds(vm, args, |_| tuple.len())?;
            for (i, item) in tuple.items().iter().enumerate().take(stop).skip(start) {
                if vm.eq(item, &args[1])? {
                    return Ok(Value::int(i as i64));
                }
            }
            Err(vm.value_error("tuple.index(x): x not in tuple"))
        },
    ),
    Def::method("__getnewargs__", "(self, /)", |_, args| {
        Ok(Tuple::value(vec![Tuple::from_slice(
            receiver::<Tuple>(&args[0]).items(),
        )]))
    }),
    Def::class_method(
        "__class_getitem__",
        "(cls, object, /)",
        crate::builtins::iterators::class_getitem,
    ),
];

fn tuple_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let exact = class.same(Tuple::class());
    if !args.names().is_empty() && crate::vm::class::keeps_init(class, Tuple::class()) {
        return Err(vm.type_error("tuple() takes no keyword arguments"));
    }
    let given = args.positional();
    if given.len() > 1 {
        return Err(vm.type_error(format!(
            "tuple expected at most 1 argument, got {}",
            given.len()
        )));
    }
    let Some(source) = given.first() else {
        return Ok(if exact {
            Tuple::empty()
        } else {
            Value::from_ref(Tuple::instance(class, Vec::new()))
        });
    };
    if exact && source.is_exact::<Tuple>() {
        return Ok(source.clone());
    }
    if exact && let Some(list) = source.as_exact::<List>() {
        let list = list.clone();
        sequence::check_room(vm, list.len(vm), 1)?;
        return Ok(Tuple::from_slice(list.items.get(vm)));
    }
    let items = vm.collect(source)?;
    if exact {
        sequence::check_room(vm, items.len(), 1)?;
        return Ok(Tuple::value(items));
    }
    Ok(Value::from_ref(Tuple::instance(class, items)))
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let tuple = receiver::<Tuple>(v);
    if tuple.is_empty() {
        return Ok(Str::value("()"));
    }
    let text = vm.repr_once(v, |vm| {
        let mut out = vec![b'('];
        sequence::push_reprs(vm, &mut out, |_, i| Ok(tuple.items().get(i).cloned()))?;
        out.extend_from_slice(if tuple.len() == 1 { b",)" } else { b")" });
        Ok(Str::value_wtf8(&out))
    })?;
    Ok(text.unwrap_or_else(|| Str::value("(...)")))
}

fn hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let tuple = receiver::<Tuple>(v);
    if let Some(hash) = tuple.known_hash() {
        return Ok(hash);
    }
    let mut hasher = TupleHasher::new();
    for item in tuple.items() {
        let known = item.as_exact::<Tuple>().and_then(|t| t.known_hash());
        let of_item = match known {
            Some(hash) => hash,
            None if item.header().is_none() || item.is_exact::<Str>() => vm.hash(item)?,
            // Tuples in tuples in tuples: the native stack has an end.
            None => vm.recurse("", |vm| vm.hash(item))?,
        };
        hasher.add(of_item);
    }
    let hash = hasher.finish();
    // The page of a tuple of the image is shared as long as nobody writes.
    if v.header().is_some_and(|header| !header.is_immortal()) {
        tuple.set_hash(hash);
    }
    Ok(hash)
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Tuple>(), b.as_ref::<Tuple>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let (m, n) = (x.len(), y.len());
    if m != n && matches!(op, CmpOp::Eq | CmpOp::Ne) {
        return Ok(Value::bool(op == CmpOp::Ne));
    }
    crate::heap::charge(m.min(n) >> 2);
    for (p, q) in x.items().iter().zip(y.items()) {
        if !vm.eq(p, q)? {
            return match op {
                CmpOp::Eq => Ok(Value::FALSE),
                CmpOp::Ne => Ok(Value::TRUE),
                _ if Value::both_small_int(p, q) => Ok(Value::bool(
                    op.holds(p.small_int_unchecked().cmp(&q.small_int_unchecked())),
                )),
                _ => vm.compare(op, p, q),
            };
        }
    }
    Ok(Value::bool(op.holds(m.cmp(&n))))
}

fn getitem(vm: &mut Vm, v: &Value, key: &Value) -> R {
    let tuple = receiver::<Tuple>(v);
    if let Some(slice) = key.as_ref::<Slice>() {
        let (start, _, step, count) = slice_bounds(vm, slice, tuple.len())?;
        if step == 1 {
            return Ok(run_of(v, tuple, start as usize, count));
        }
        let items = tuple.items();
        return Ok(Tuple::value(
            (0..count)
                .map(|i| items[(start + i as i64 * step) as usize].clone())
                .collect(),
        ));
    }
    let index = sequence::subscript(vm, key, "tuple")?;
    match sequence::place(index, tuple.len()) {
        Some(at) => Ok(tuple.items()[at].clone()),
        None => Err(vm.index_error("tuple index out of range")),
    }
}

/// `count` items from `start` on, which are there; the tuple itself when those are all.
fn run_of(v: &Value, tuple: &Tuple, start: usize, count: usize) -> Value {
    if count == tuple.len() && v.is_exact::<Tuple>() {
        return v.clone();
    }
    Tuple::from_slice(&tuple.items()[start..start + count])
}

/// `tuple[start:stop]`
pub(crate) fn part(v: &Value, tuple: &Tuple, start: i64, stop: i64) -> Value {
    let (start, _, count) = slice_adjust(tuple.len(), start, stop, 1);
    run_of(v, tuple, start as usize, count)
}

/// An exact tuple with the items of `v`: itself when it is one.
fn exact(v: &Value, tuple: &Tuple) -> Value {
    if v.is_exact::<Tuple>() {
        v.clone()
    } else {
        Tuple::from_slice(tuple.items())
    }
}

fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match op {
        BinOp::Add => {
            let (Some(x), Some(y)) = (a.as_ref::<Tuple>(), b.as_ref::<Tuple>()) else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            if x.is_empty() {
                return Ok(exact(b, y));
            }
            if y.is_empty() {
                return Ok(exact(a, x));
            }
            sequence::check_room(vm, x.len() + y.len(), 1)?;
            let mut all = Vec::with_capacity(x.len() + y.len());
            all.extend_from_slice(x.items());
            all.extend_from_slice(y.items());
            Ok(Tuple::value(all))
        }
        BinOp::Mul => {
            let (tuple, count, v) = match (a.as_ref::<Tuple>(), b.as_ref::<Tuple>()) {
                (Some(tuple), None) => (tuple, b, a),
                (None, Some(tuple)) => (tuple, a, b),
                _ => return Ok(Value::NOT_IMPLEMENTED),
            };
            let Some(count) = sequence::repeat_count(vm, count)? else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            if count == 1 {
                return Ok(exact(v, tuple));
            }
            if tuple.is_empty() || count == 0 {
                return Ok(Tuple::empty());
            }
            // Twice: the items are collected first.
            let n = sequence::check_room(vm, tuple.len().saturating_mul(2), count)? / 2;
            let mut all = Vec::with_capacity(n);
            for _ in 0..count {
                all.extend_from_slice(tuple.items());
            }
            Ok(Tuple::value(all))
        }
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}
