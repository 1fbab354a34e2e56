//! `list`: the class and its methods.

use std::cell::RefCell;
use std::rc::Rc;

use super::sort;
use super::{List, let_go};
use crate::builtins::iterators::take_whole;
use crate::builtins::ranges::{slice_adjust, slice_unpack};
use crate::heap::{self, Ref, VmCell};
use crate::objects::iterators::ListIter;
use crate::objects::native::{Def, receiver};
use crate::objects::range::{Range, Slice};
use crate::objects::sequence;
use crate::objects::slots::{BinOp, CmpOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, MATCH_SELF, SEQUENCE, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::sink::Sink;
use crate::vm::{R, Vm};

/// Makes the class.
pub(crate) fn init(vm: &mut Vm) {
    ClassBuilder::new::<List>("list")
        .flags(BASE | SEQUENCE | MATCH_SELF)
        .slots(LIST)
        .methods(vm, METHODS)
        .build(vm);
}

const LIST: Slots = Slots {
    repr: Some(repr),
    unhashable: true,
    compare: Some(compare),
    iter: Some(|_, v| Ok(ListIter::value(receiver::<List>(v).clone()))),
    len: Some(|vm, v| Ok(receiver::<List>(v).len(vm))),
    getitem: Some(getitem),
    setitem: Some(setitem),
    contains: Some(contains),
    binary: Some(binary),
    binary_ops: ops(&[BinOp::Add, BinOp::Mul]),
    reflected_ops: ops(&[BinOp::Mul]),
    inplace: Some(inplace),
    inplace_ops: ops(&[BinOp::Add, BinOp::Mul]),
    new: Some(|_, class, _| {
        Ok(Value::from_ref(heap::alloc_instance(
            List {
                items: VmCell::new(Vec::new()),
            },
            class,
            0,
        )))
    }),
    init: Some(list_init),
    ..Slots::NONE
};

static METHODS: &[Def] = &[
    Def::method("append", "(self, object, /)", |vm, args| {
        receiver::<List>(&args[0]).push(vm, args[1].clone())?;
        Ok(Value::NONE)
    }),
    Def::method("clear", "(self, /)", |vm, args| {
        let_go(receiver::<List>(&args[0]).items.replace(vm, Vec::new()));
        Ok(Value::NONE)
    }),
    Def::method("copy", "(self, /)", |vm, args| {
        let n = receiver::<List>(&args[0]).len(vm);
        sequence::check_room(vm, n, 1)?;
        Ok(List::value(
            receiver::<List>(&args[0]).items.get(vm).clone(),
        ))
    }),
    Def::method("count", "(self, value, /)", |vm, args| {
        let list = receiver::<List>(&args[0]);
        let (mut i, mut count) = (0, 0);
        while let Some(item) = list.get(vm, i) {
            count += vm.eq(&item, &args[1])? as i64;
            i += 1;
        }
        Ok(Value::int(count))
    }),
    Def::method("extend", "(self, iterable, /)", |vm, args| {
        extend(vm, receiver::<List>(&args[0]), &args[1])?;
        Ok(Value::NONE)
    }),
    Def::method(
        "index",
        "(self, value, start=0, stop=9223372036854775807, /)",
        index,
    ),
    Def::method("insert", "(self, index, object, /)", insert),
    Def::method("pop", "(self, index=-1, /)", pop),
    Def::method("remove", "(self, value, /)", |vm, args| {
        let list = receiver::<List>(&args[0]);
        let mut i = 0;
        while let Some(item) = list.get(vm, i) {
            if vm.eq(&item, &args[1])? {
                // The comparison may have shortened the list.
                let items = list.items.get_mut(vm);
                if i < items.len() {
                    drop(items.remove(i));
                }
                return Ok(Value::NONE);
            }
            i += 1;
        }
        Err(vm.value_error("list.remove(x): x not in list"))
    }),
    Def::method("reverse", "(self, /)", |vm, args| {
        receiver::<List>(&args[0]).items.get_mut(vm).reverse();
        Ok(Value::NONE)
    }),
    Def::method(
        "sort",
        "(self, /, *, key=None, reverse=False)",
        |vm, args| {
            let key = optional(args, 1).filter(|k| !k.is_none());
            let reverse = match optional(args, 2) {
                Some(r) => vm.truthy(r)?,
                None => false,
            };
            sort::sort_list(vm, receiver::<List>(&args[0]), key, reverse)?;
            Ok(Value::NONE)
        },
    ),
    Def::method("__reversed__", "(self, /)", |vm, args| {
        let list = receiver::<List>(&args[0]).clone();
        Ok(crate::builtins::iterators::reversed_list(vm, list))
    }),
    Def::method("__sizeof__", "(self, /)", |vm, args| {
        let capacity = receiver::<List>(&args[0]).items.get(vm).capacity();
        Ok(Value::int(
            (size_of::<heap::Boxed<List>>() + capacity * size_of::<Value>()) as i64,
        ))
    }),
    Def::class_method(
        "__class_getitem__",
        "(cls, object, /)",
        crate::builtins::iterators::class_getitem,
    ),
];

fn list_init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    if !args.names().is_empty()
        && crate::vm::class::keeps_new(class_of(v), <List as heap::Payload>::class())
    {
        return Err(vm.type_error("list() takes no keyword arguments"));
    }
    let args = Args::positional_only(args.positional()).exactly(vm, "list", 0, 1)?;
    let list = receiver::<List>(v);
    if list.len(vm) > 0 {
        let_go(list.items.replace(vm, Vec::new()));
    }
    match args {
        [iterable] => extend(vm, list, iterable),
        _ => Ok(()),
    }
}

/// Makes room for `more` items; `MemoryError` when there is none.
fn reserve(vm: &mut Vm, list: &List, more: usize) -> R<()> {
    let items = list.items.get_mut(vm);
    if items.capacity() - items.len() >= more {
        return Ok(());
    }
    let want = (items.len() + more).saturating_mul(size_of::<Value>());
    if !heap::can_allocate(want) || items.try_reserve(more).is_err() {
        return Err(vm.memory_error());
    }
    Ok(())
}

/// `list.extend(source)`
pub fn extend(vm: &mut Vm, list: &Ref<List>, source: &Value) -> R<()> {
    if let Some(other) = source.as_exact::<List>() {
        let n = other.len(vm);
        reserve(vm, list, n)?;
        if other.same(list) {
            list.items.get_mut(vm).extend_from_within(..n);
        } else {
            let items = other.items.get(vm).clone();
            list.items.get_mut(vm).extend(items);
        }
        return Ok(());
    }
    if let Some(tuple) = source.as_exact::<Tuple>() {
        reserve(vm, list, tuple.len())?;
        list.items.get_mut(vm).extend_from_slice(tuple.items());
        return Ok(());
    }
    if let Some(items) = source.as_exact::<Range>().and_then(|r| r.small_items()) {
        reserve(vm, list, items.len())?;
        list.items.get_mut(vm).extend(items);
        return Ok(());
    }
    // An iterator over this very list would see it grow.
    let own = source.as_exact::<ListIter>().is_some_and(|it| {
        let source = it.source.borrow();
        source.as_ref().is_some_and(|other| other.same(list))
    });
    if !own && let Some(items) = take_whole(vm, source) {
        reserve(vm, list, items.len())?;
        list.items.get_mut(vm).extend(items);
        return Ok(());
    }
    let it = vm.get_iter(source)?;
    let hint = vm.length_hint(source)?;
    if !heap::can_allocate(hint.saturating_mul(size_of::<Value>())) {
        return Err(vm.memory_error());
    }
    // A hint may be far too large; growing will do for the rest.
    reserve(vm, list, hint.min(1 << 20))?;
    let sink = Rc::new(RefCell::new(Appending(list.clone())));
    while let Some(item) = vm.next_beyond(&it, &sink)? {
        list.push(vm, item)?;
    }
    Ok(())
}

/// Appends everything.
struct Appending(Ref<List>);

impl Sink for Appending {
    fn take(&mut self, vm: &mut Vm, item: Value) -> R<Option<Value>> {
        self.0.push(vm, item)?;
        Ok(None)
    }
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let list = receiver::<List>(v).clone();
    if list.len(vm) == 0 {
        return Ok(Str::value("[]"));
    }
    let text = vm.repr_once(v, |vm| {
        let mut out = vec![b'['];
        sequence::push_reprs(vm, &mut out, |vm, i| Ok(list.get(vm, i)))?;
        out.push(b']');
        Ok(Str::value_wtf8(&out))
    })?;
    Ok(text.unwrap_or_else(|| Str::value("[...]")))
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<List>(), b.as_ref::<List>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let known = if x.len(vm) == y.len(vm) {
        sequence::alike(x.items.get(vm), y.items.get(vm))
    } else {
        0
    };
    sequence::compare(
        vm,
        op,
        known,
        |vm| (x.len(vm), y.len(vm)),
        |vm, i| Some((x.get(vm, i)?, y.get(vm, i)?)),
    )
}

fn contains(vm: &mut Vm, v: &Value, item: &Value) -> R<bool> {
    let list = receiver::<List>(v);
    let mut i = 0;
    while let Some(x) = list.get(vm, i) {
        if vm.eq(&x, item)? {
            return Ok(true);
        }
        i += 1;
    }
    Ok(false)
}

fn index(vm: &mut Vm, args: &[Value]) -> R {
    let list = receiver::<List>(&args[0]);
    let (mut i, stop) = sequence::search_bounds(vm, args, |vm| list.len(vm))?;
    while i < stop
        && let Some(item) = list.get(vm, i)
    {
        if vm.eq(&item, &args[1])? {
            return Ok(Value::int(i as i64));
        }
        i += 1;
    }
    Err(vm.value_error("list.index(x): x not in list"))
}

fn insert(vm: &mut Vm, args: &[Value]) -> R {
    let list = receiver::<List>(&args[0]);
    let at = vm.index_i64(&args[1])?;
    let len = list.len(vm);
    let at = if at < 0 {
        at.saturating_add(len as i64).max(0) as usize
    } else {
        at.min(len as i64) as usize
    };
    reserve(vm, list, 1)?;
    list.items.get_mut(vm).insert(at, args[2].clone());
    Ok(Value::NONE)
}

fn pop(vm: &mut Vm, args: &[Value]) -> R {
    let list = receiver::<List>(&args[0]);
    let index = match optional(args, 1) {
        Some(i) => vm.index_i64(i)?,
        None => -1,
    };
    let items = list.items.get_mut(vm);
    if index == -1
        && let Some(last) = items.pop()
    {
        shrink(items);
        return Ok(last);
    }
    if items.is_empty() {
        return Err(vm.index_error("pop from empty list"));
    }
    match sequence::place(index, items.len()) {
        Some(at) => {
            let item = items.remove(at);
            shrink(items);
            Ok(item)
        }
        None => Err(vm.index_error("pop index out of range")),
    }
}

/// Gives memory back when a list has become much shorter.
#[inline(always)]
fn shrink(items: &mut Vec<Value>) {
    if items.capacity() > 64 && items.len() < items.capacity() / 4 {
        items.shrink_to(items.capacity() / 2);
    }
}

fn getitem(vm: &mut Vm, v: &Value, key: &Value) -> R {
    let list = receiver::<List>(v);
    if let Some(slice) = key.as_ref::<Slice>() {
        let bounds = slice_unpack(vm, slice)?;
        return part(vm, list, bounds);
    }
    let index = sequence::subscript(vm, key, "list")?;
    match sequence::place(index, list.len(vm)).and_then(|at| list.get(vm, at)) {
        Some(item) => Ok(item),
        None => Err(vm.index_error("list index out of range")),
    }
}

/// `list[start:stop:step]`
pub(crate) fn part(vm: &mut Vm, list: &List, (start, stop, step): (i64, i64, i64)) -> R {
    let (start, _, count) = slice_adjust(list.len(vm), start, stop, step);
    sequence::check_room(vm, count, 1)?;
    let items = list.items.get(vm);
    let part = if step == 1 {
        items[start as usize..start as usize + count].to_vec()
    } else {
        (0..count)
            .map(|i| items[(start + i as i64 * step) as usize].clone())
            .collect()
    };
    Ok(List::value(part))
}

fn setitem(vm: &mut Vm, v: &Value, key: &Value, value: Option<&Value>) -> R<()> {
    let list = receiver::<List>(v);
    if let Some(slice) = key.as_ref::<Slice>() {
        return match value {
            Some(value) => {
                let bounds = slice_unpack(vm, slice)?;
                assign_part(vm, list, bounds, value)
            }
            None => delete_slice(vm, list, slice),
        };
    }
    let index = sequence::subscript(vm, key, "list")?;
    let Some(at) = sequence::place(index, list.len(vm)) else {
        return Err(vm.index_error("list assignment index out of range"));
    };
    let items = list.items.get_mut(vm);
    let old = match value {
        Some(value) => std::mem::replace(&mut items[at], value.clone()),
        None => items.remove(at),
    };
    drop(old);
    Ok(())
}

/// `list[start:stop:step] = value`
pub(crate) fn assign_part(
    vm: &mut Vm,
    list: &Ref<List>,
    (start, stop, step): (i64, i64, i64),
    value: &Value,
) -> R<()> {
    if !class_of(value).is_iterable() {
        return Err(vm.type_error("must assign iterable to extended slice"));
    }
    let mut new = vm.collect(value)?;
    let (start, _, count) = slice_adjust(list.len(vm), start, stop, step);
    if step == 1 {
        if new.len() > count {
            reserve(vm, list, new.len() - count)?;
        }
        let start = start as usize;
        let items = list.items.get_mut(vm);
        // What is replaced one by one changes places with the new items; the rest moves the end of the list.
        let both = count.min(new.len());
        items[start..start + both].swap_with_slice(&mut new[..both]);
        let mut rest = Vec::new();
        if count > both {
            rest.extend(items.drain(start + both..start + count));
        } else if new.len() > both {
            drop(items.splice(start + both..start + both, new.drain(both..)));
        }
        // Only now, when the list is whole: what dies may look at it. The last first, as in CPython.
        let_go(rest);
        let_go(new);
        return Ok(());
    }
    if new.len() != count {
        let text = format!(
            "attempt to assign sequence of size {} to extended slice of size {count}",
            new.len()
        );
        return Err(vm.value_error(text));
    }
    let items = list.items.get_mut(vm);
    let mut old = Vec::with_capacity(count);
    for (i, item) in new.into_iter().enumerate() {
        old.push(std::mem::replace(
            &mut items[(start + i as i64 * step) as usize],
            item,
        ));
    }
    drop(old);
    Ok(())
}

fn delete_slice(vm: &mut Vm, list: &Ref<List>, slice: &Slice) -> R<()> {
    let (start, stop, step) = slice_unpack(vm, slice)?;
    let (start, _, count) = slice_adjust(list.len(vm), start, stop, step);
    if count == 0 {
        return Ok(());
    }
    // The same places, going up.
    let (first, step) = if step < 0 {
        (start + (count as i64 - 1) * step, -step)
    } else {
        (start, step)
    };
    let (first, step) = (first as usize, step as usize);
    let items = list.items.get_mut(vm);
    let mut old = Vec::with_capacity(count);
    if step == 1 {
        old.extend(items.drain(first..first + count));
    } else {
        let mut at = 0;
        let last = first + (count - 1) * step;
        items.retain_mut(|item| {
            let goes = at >= first && at <= last && (at - first) % step == 0;
            at += 1;
            if goes {
                old.push(item.take());
            }
            !goes
        });
    }
    shrink(list.items.get_mut(vm));
    if step == 1 {
        let_go(old);
    }
    Ok(())
}

fn repeat(vm: &mut Vm, list: &Ref<List>, count: usize) -> R {
    let n = sequence::check_room(vm, list.len(vm), count)?;
    let items = list.items.get(vm);
    let mut all = Vec::with_capacity(n);
    if let [one] = items.as_slice() {
        all.resize(n, one.clone());
    } else {
        for _ in 0..if items.is_empty() { 0 } else { count } {
            all.extend_from_slice(items);
        }
    }
    Ok(List::value(all))
}

fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match op {
        BinOp::Add => {
            let (Some(x), Some(y)) = (a.as_ref::<List>(), b.as_ref::<List>()) else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            let (m, n) = (x.len(vm), y.len(vm));
            sequence::check_room(vm, m + n, 1)?;
            let mut all = Vec::with_capacity(m + n);
            all.extend_from_slice(x.items.get(vm));
            all.extend_from_slice(y.items.get(vm));
            Ok(List::value(all))
        }
        BinOp::Mul => {
            let (list, count) = match (a.as_ref::<List>(), b.as_ref::<List>()) {
                (Some(list), None) => (list, b),
                (None, Some(list)) => (list, a),
                _ => return Ok(Value::NOT_IMPLEMENTED),
            };
            match sequence::repeat_count(vm, count)? {
                Some(count) => repeat(vm, list, count),
                None => Ok(Value::NOT_IMPLEMENTED),
            }
        }
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

fn inplace(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    let list = receiver::<List>(a);
    match op {
        BinOp::Add => extend(vm, list, b)?,
        BinOp::Mul => {
            let Some(count) = sequence::repeat_count(vm, b)? else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            let len = list.len(vm);
            if count == 0 {
                let_go(list.items.replace(vm, Vec::new()));
            } else if len > 0 {
                let n = sequence::check_room(vm, len, count)?;
                reserve(vm, list, n - len)?;
                let items = list.items.get_mut(vm);
                for _ in 1..count {
                    items.extend_from_within(..len);
                }
            }
        }
        _ => return Ok(Value::NOT_IMPLEMENTED),
    }
    Ok(a.clone())
}

impl List {
    /// A new instance of `class`, `list` or a subclass.
    pub fn instance(class: &Ref<Type>, items: Vec<Value>) -> Ref<List> {
        heap::alloc_instance(
            List {
                items: VmCell::new(items),
            },
            class,
            0,
        )
    }
}
