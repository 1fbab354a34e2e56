//! `set` and `frozenset`: the classes, their methods and their iterator.

use super::{FrozenSet, Set, SetTable, contains, ops, remove, table_of};
use crate::builtins::iterators::{class_getitem, iterator};
use crate::builtins::ranges::builtin;
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::Names;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::sequence;
use crate::objects::slots::{self, BinOp, CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, MATCH_SELF, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::hash::FrozenSetHasher;
use std::cell::{Cell, RefCell};

/// Makes the classes.
pub(crate) fn init(vm: &mut Vm) {
    let set = ClassBuilder::new::<Set>("set")
        .flags(BASE | MATCH_SELF)
        .weak()
        .slots(SET);
    set.methods(vm, METHODS).methods(vm, SET_METHODS).build(vm);
    let frozenset = ClassBuilder::new::<FrozenSet>("frozenset")
        .flags(BASE | MATCH_SELF)
        .weak()
        .slots(FROZENSET);
    frozenset.methods(vm, METHODS).build(vm);
    ClassBuilder::new::<SetIter>("set_iterator")
        .slots(iterator(set_next))
        .methods(vm, SET_ITER)
        .build(vm);
}

const OPERATORS: u16 = slots::ops(&[BinOp::And, BinOp::Or, BinOp::Sub, BinOp::Xor]);

const COMMON: Slots = Slots {
    repr: Some(repr),
    compare: Some(compare),
    iter: Some(|vm, v| {
        let len = table(v).get(vm).len();
        Ok(Value::from_ref(heap::alloc(SetIter {
            source: RefCell::new(Some(v.clone())),
            at: Cell::new(0),
            len: Cell::new(len),
            left: Cell::new(len),
        })))
    }),
    len: Some(|vm, v| Ok(table(v).get(vm).len())),
    contains: Some(|vm, v, key| {
        let (hash, key) = lookup_key(vm, key)?;
        contains(vm, table(v), &key, hash)
    }),
    binary: Some(binary),
    binary_ops: OPERATORS,
    reflected_ops: OPERATORS,
    ..Slots::NONE
};

const SET: Slots = Slots {
    unhashable: true,
    inplace: Some(inplace),
    inplace_ops: OPERATORS,
    new: Some(|_, class, _| {
        Ok(Value::from_ref(heap::alloc_instance(
            Set {
                table: VmCell::new(SetTable::default()),
            },
            class,
            0,
        )))
    }),
    init: Some(set_init),
    ..COMMON
};

const FROZENSET: Slots = Slots {
    hash: Some(frozenset_hash),
    new: Some(frozenset_new),
    ..COMMON
};

/// The table of the receiver of a method.
fn table(v: &Value) -> &VmCell<SetTable> {
    match table_of(v) {
        Some(table) => table,
        None => unreachable!("a method of sets got another receiver"),
    }
}

/// A new set of the kind of `v`: operators give plain sets even for instances of subclasses.
fn like(v: &Value, table: SetTable) -> Value {
    if v.is::<FrozenSet>() {
        FrozenSet::from_table(table)
    } else {
        Set::from_table(table)
    }
}

/// A key to look up with its hash: a set stands for the frozenset of its elements.
fn lookup_key(vm: &mut Vm, key: &Value) -> R<(i64, Value)> {
    let raised = match vm.hash(key) {
        Ok(hash) => return Ok((hash, key.clone())),
        Err(raised) => raised,
    };
    if let Some(set) = key.as_ref::<Set>()
        && vm.error_is(Exc::TypeError)
    {
        vm.swallow_any(raised)?;
        let table = ops::copy(vm, &set.table)?;
        let frozen = FrozenSet::from_table(table);
        return Ok((frozenset_hash(vm, &frozen)?, frozen));
    }
    Err(crate::objects::dict::unhashable(
        vm,
        raised,
        key,
        "a set element",
    ))
}

static METHODS: &[Def] = &[
    Def::method("copy", "(self, /)", |vm, args| {
        if args[0].is_exact::<FrozenSet>() {
            return Ok(args[0].clone());
        }
        let copy = ops::copy(vm, table(&args[0]))?;
        Ok(like(&args[0], copy))
    }),
    Def::raw_method("difference", "(self, /, *others)", |vm, args| {
        let (v, others) = operands(vm, args, "difference")?;
        let [first, rest @ ..] = others else {
            let copy = ops::copy(vm, table(v))?;
            return Ok(like(v, copy));
        };
        let result = VmCell::new(ops::difference(vm, table(v), first)?);
        for other in rest {
            ops::difference_update(vm, &result, other)?;
        }
        Ok(like(v, result.replace(vm, SetTable::default())))
    }),
    Def::raw_method("intersection", "(self, /, *others)", |vm, args| {
        let (v, others) = operands(vm, args, "intersection")?;
        let result = intersection_of(vm, v, others)?;
        Ok(like(v, result))
    }),
    Def::method("isdisjoint", "(self, other, /)", |vm, args| {
        ops::is_disjoint(vm, table(&args[0]), &args[1]).map(Value::bool)
    }),
    Def::method("issubset", "(self, other, /)", |vm, args| {
        if let Some(other) = table_of(&args[1]) {
            return ops::is_subset(vm, table(&args[0]), other).map(Value::bool);
        }
        let common = ops::intersection(vm, table(&args[0]), &args[1])?;
        Ok(Value::bool(common.len() == table(&args[0]).get(vm).len()))
    }),
    Def::method("issuperset", "(self, other, /)", |vm, args| {
        if let Some(other) = table_of(&args[1]) {
            return ops::is_subset(vm, other, table(&args[0])).map(Value::bool);
        }
        let it = vm.get_iter(&args[1])?;
        while let Some(key) = vm.step(&it)? {
            vm.poll_native()?;
            let hash = super::hash_key(vm, &key)?;
            if !contains(vm, table(&args[0]), &key, hash)? {
                return Ok(Value::FALSE);
            }
        }
        Ok(Value::TRUE)
    }),
    Def::method("symmetric_difference", "(self, other, /)", |vm, args| {
        let result = ops::symmetric_difference(vm, table(&args[0]), &args[1])?;
        Ok(like(&args[0], result))
    }),
    Def::raw_method("union", "(self, /, *others)", |vm, args| {
        let (v, others) = operands(vm, args, "union")?;
        let result = VmCell::new(ops::copy(vm, table(v))?);
        for other in others.iter().filter(|o| !o.is_same(v)) {
            ops::update(vm, &result, other)?;
        }
        Ok(like(v, result.replace(vm, SetTable::default())))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let keys = table(&args[0])
            .get(vm)
            .iter()
            .map(|(_, k)| k.clone())
            .collect();
        let state = vm.call_method(&args[0], &Names::get().__getstate__, &[])?;
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            Tuple::value(vec![List::value(keys)]),
            state,
        ]))
    }),
    Def::method("__sizeof__", "(self, /)", |vm, args| {
        Ok(Value::int(
            (size_of::<heap::Boxed<FrozenSet>>() + table(&args[0]).get(vm).memory()) as i64,
        ))
    }),
    Def::class_method("__class_getitem__", "(cls, object, /)", class_getitem),
];

static SET_METHODS: &[Def] = &[
    Def::method("add", "(self, object, /)", |vm, args| {
        super::add(vm, table(&args[0]), &args[1])?;
        Ok(Value::NONE)
    }),
    Def::method("clear", "(self, /)", |vm, args| {
        let old = table(&args[0]).get_mut(vm).clear();
        drop(old);
        Ok(Value::NONE)
    }),
    Def::method("discard", "(self, object, /)", |vm, args| {
        let (hash, key) = lookup_key(vm, &args[1])?;
        remove(vm, table(&args[0]), &key, hash)?;
        Ok(Value::NONE)
    }),
    Def::raw_method("difference_update", "(self, /, *others)", |vm, args| {
        let (v, others) = operands(vm, args, "difference_update")?;
        for other in others {
            ops::difference_update(vm, table(v), other)?;
        }
        Ok(Value::NONE)
    }),
    Def::raw_method("intersection_update", "(self, /, *others)", |vm, args| {
        let (v, others) = operands(vm, args, "intersection_update")?;
        let result = intersection_of(vm, v, others)?;
        drop(table(v).replace(vm, result));
        Ok(Value::NONE)
    }),
    Def::method("pop", "(self, /)", |vm, args| {
        match table(&args[0]).get_mut(vm).pop() {
            Some(key) => Ok(key),
            None => Err(vm.raise(Exc::KeyError, "pop from an empty set")),
        }
    }),
    Def::method("remove", "(self, object, /)", |vm, args| {
        let (hash, key) = lookup_key(vm, &args[1])?;
        if remove(vm, table(&args[0]), &key, hash)? {
            Ok(Value::NONE)
        } else {
            Err(vm.key_error(&args[1]))
        }
    }),
    Def::method(
        "symmetric_difference_update",
        "(self, other, /)",
        |vm, args| {
            ops::symmetric_difference_update(vm, table(&args[0]), &args[1])?;
            Ok(Value::NONE)
        },
    ),
    Def::raw_method("update", "(self, /, *others)", |vm, args| {
        let (v, others) = operands(vm, args, "update")?;
        for other in others {
            ops::update_set(vm, v, other)?;
        }
        Ok(Value::NONE)
    }),
];

/// Receiver and arguments of a method that takes any number of them.
fn operands<'a>(vm: &mut Vm, args: Args<'a>, method: &str) -> R<(&'a Value, &'a [Value])> {
    let v = &args.positional()[0];
    if !args.names().is_empty() {
        let class = if v.is::<FrozenSet>() {
            "frozenset"
        } else {
            "set"
        };
        return Err(vm.type_error(format!("{class}.{method}() takes no keyword arguments")));
    }
    Ok((v, &args.positional()[1..]))
}

fn intersection_of(vm: &mut Vm, v: &Value, others: &[Value]) -> R<SetTable> {
    let [first, rest @ ..] = others else {
        return ops::copy(vm, table(v));
    };
    let mut result = ops::intersection(vm, table(v), first)?;
    for other in rest {
        let cell = VmCell::new(result);
        result = ops::intersection(vm, &cell, other)?;
    }
    Ok(result)
}

fn set_init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    if !args.names().is_empty() {
        return Err(vm.type_error("set() takes no keyword arguments"));
    }
    let args = args.exactly(vm, "set", 0, 1)?;
    if !table(v).get(vm).is_empty() {
        let old = table(v).get_mut(vm).clear();
        drop(old);
    }
    match args {
        [source] => ops::update_set(vm, v, source),
        _ => Ok(()),
    }
}

fn frozenset_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let exact = class.same(FrozenSet::class());
    if !args.names().is_empty() && crate::vm::class::keeps_init(class, FrozenSet::class()) {
        return Err(vm.type_error("frozenset() takes no keyword arguments"));
    }
    let result = VmCell::new(SetTable::default());
    match Args::positional_only(args.positional()).exactly(vm, "frozenset", 0, 1)? {
        [source] if exact && source.is_exact::<FrozenSet>() => return Ok(source.clone()),
        [source] => ops::update(vm, &result, source)?,
        _ => {}
    }
    let result = result.replace(vm, SetTable::default());
    Ok(Value::from_ref(heap::alloc_instance(
        FrozenSet {
            table: VmCell::new(result),
            hash: Cell::new(None),
        },
        class,
        0,
    )))
}

fn frozenset_hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let set = receiver::<FrozenSet>(v);
    if let Some(hash) = set.hash.get() {
        return Ok(hash);
    }
    let mut hasher = FrozenSetHasher::new();
    for (hash, _) in set.table.get(vm).iter() {
        hasher.add(hash);
    }
    let hash = hasher.finish();
    set.hash.set(Some(hash));
    Ok(hash)
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let class = class_of(v).name().into_owned();
    if table(v).get(vm).is_empty() {
        return Ok(Str::value(&format!("{class}()")));
    }
    let text = vm.repr_once(v, |vm| {
        let keys: Vec<Value> = table(v).get(vm).iter().map(|(_, k)| k.clone()).collect();
        let plain = v.is_exact::<Set>();
        let mut out = Vec::new();
        if !plain {
            out.extend_from_slice(class.as_bytes());
            out.push(b'(');
        }
        out.push(b'{');
        sequence::push_reprs(vm, &mut out, |_, i| Ok(keys.get(i).cloned()))?;
        out.extend_from_slice(if plain { b"}" } else { b"})" });
        Ok(Str::value_wtf8(&out))
    })?;
    Ok(text.unwrap_or_else(|| Str::value(&format!("{class}(...)"))))
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (table_of(a), table_of(b)) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let (m, n) = (x.get(vm).len(), y.get(vm).len());
    let holds = match op {
        CmpOp::Eq | CmpOp::Ne => {
            let known = |v: &Value| v.as_ref::<FrozenSet>().and_then(|f| f.hash.get());
            let differ = matches!((known(a), known(b)), (Some(p), Some(q)) if p != q);
            m == n && !differ && ops::is_subset(vm, x, y)?
        }
        CmpOp::Lt => m < n && ops::is_subset(vm, x, y)?,
        CmpOp::Le => ops::is_subset(vm, x, y)?,
        CmpOp::Gt => m > n && ops::is_subset(vm, y, x)?,
        CmpOp::Ge => ops::is_subset(vm, y, x)?,
    };
    Ok(Value::bool(holds != (op == CmpOp::Ne)))
}

fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    let (Some(x), Some(_)) = (table_of(a), table_of(b)) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let result = match op {
        BinOp::And => ops::intersection(vm, x, b)?,
        BinOp::Sub => ops::difference(vm, x, b)?,
        BinOp::Xor => ops::symmetric_difference(vm, x, b)?,
        BinOp::Or => {
            let result = VmCell::new(ops::copy(vm, x)?);
            if !a.is_same(b) {
                ops::update(vm, &result, b)?;
            }
            result.replace(vm, SetTable::default())
        }
        _ => return Ok(Value::NOT_IMPLEMENTED),
    };
    Ok(like(a, result))
}

fn inplace(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    if table_of(b).is_none() {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    match op {
        BinOp::And => {
            let result = ops::intersection(vm, table(a), b)?;
            drop(table(a).replace(vm, result));
        }
        BinOp::Sub => ops::difference_update(vm, table(a), b)?,
        BinOp::Or => ops::update(vm, table(a), b)?,
        BinOp::Xor => ops::symmetric_difference_update(vm, table(a), b)?,
        _ => return Ok(Value::NOT_IMPLEMENTED),
    }
    Ok(a.clone())
}

// ---- set_iterator

/// Payload of `set_iterator`.
struct SetIter {
    /// The set, until it is exhausted.
    source: RefCell<Option<Value>>,
    /// Place to look at next.
    at: Cell<usize>,
    /// Number of keys at the beginning: a change is an error.
    len: Cell<usize>,
    /// Number of keys still to come.
    left: Cell<usize>,
}

// SAFETY: visits the set.
unsafe impl Payload for SetIter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        if let Some(set) = &*self.source.borrow() {
            visit(set);
        }
    }
}

fn set_next(vm: &mut Vm, v: &Value) -> R {
    let it = receiver::<SetIter>(v);
    let source = it.source.borrow();
    let Some(set) = &*source else {
        return Ok(Value::UNDEF);
    };
    let table = table(set).get(vm);
    if table.len() != it.len.get() {
        // From now on it never matches again.
        it.len.set(usize::MAX);
        return Err(vm.runtime_error("Set changed size during iteration"));
    }
    if let Some((at, _, key)) = table.next_from(it.at.get()) {
        it.at.set(at + 1);
        it.left.set(it.left.get().saturating_sub(1));
        return Ok(key.clone());
    }
    drop(source);
    let set = it.source.borrow_mut().take();
    drop(set);
    Ok(Value::UNDEF)
}

static SET_ITER: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |vm, args| {
        let it = receiver::<SetIter>(&args[0]);
        let len = it
            .source
            .borrow()
            .as_ref()
            .map(|set| table(set).get(vm).len());
        Ok(Value::int(if len == Some(it.len.get()) {
            it.left.get() as i64
        } else {
            0
        }))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let it = receiver::<SetIter>(&args[0]);
        let mut items = Vec::new();
        if let Some(set) = &*it.source.borrow() {
            let mut at = it.at.get();
            while let Some((place, _, key)) = table(set).get(vm).next_from(at) {
                items.push(key.clone());
                at = place + 1;
            }
        }
        let iter = builtin(vm, "iter")?;
        Ok(Tuple::value(vec![
            iter,
            Tuple::value(vec![List::value(items)]),
        ]))
    }),
];
