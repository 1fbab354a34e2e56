//! `deque` and its iterators.

use crate::builtins::iterators::{class_getitem, iterator, pair};
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::Names;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::sequence;
use crate::objects::slots::{BinOp, CmpOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, SEQUENCE, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::Cell;
use std::collections::VecDeque;

/// Payload of `deque`.
pub struct Deque {
    items: VmCell<VecDeque<Value>>,
    /// Most items that are kept.
    maxlen: Cell<Option<usize>>,
    /// Changes with every change of the items' number or order, so that iterators notice.
    version: Cell<u64>,
}

// SAFETY: visits the items.
unsafe impl Payload for Deque {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe { self.items.peek() }.iter().for_each(visit);
    }
    fn clear(&mut self) {
        drop(std::mem::take(self.items.exclusive()));
    }
}

/// The class, and those of the iterators.
pub(super) fn class(vm: &mut Vm) -> Ref<Type> {
    if Deque::class_slot().with(|slot| slot.is_set()) {
        return Deque::class().clone();
    }
    ClassBuilder::new::<DequeIter>("_deque_iterator")
        .slots(Slots {
            new: Some(|vm, class, args| iter_new(vm, class, args, false)),
            ..iterator(next)
        })
        .methods(vm, ITER)
        .module(vm, "collections")
        .build(vm);
    ClassBuilder::new::<DequeReverseIter>("_deque_reverse_iterator")
        .slots(Slots {
            new: Some(|vm, class, args| iter_new(vm, class, args, true)),
            ..iterator(next_back)
        })
        .methods(vm, REVERSE_ITER)
        .module(vm, "collections")
        .build(vm);
    let builder = ClassBuilder::new::<Deque>("deque")
        .flags(BASE | SEQUENCE)
        .slots(DEQUE)
        .weak()
        .methods(vm, METHODS);
    let maxlen = |_: &mut Vm, v: &Value| {
        Ok(receiver::<Deque>(v)
            .maxlen
            .get()
            .map_or(Value::NONE, |n| Value::int(n as i64)))
    };
    builder
        .getset(vm, "maxlen", maxlen, None)
        .module(vm, "collections")
        .build(vm)
}

/// The class of forward iterators.
pub(super) fn iterator_class() -> Ref<Type> {
    DequeIter::class().clone()
}

/// The class of backward iterators.
pub(super) fn reverse_iterator_class() -> Ref<Type> {
    DequeReverseIter::class().clone()
}

const DEQUE: Slots = Slots {
    repr: Some(repr),
    unhashable: true,
    compare: Some(compare),
    iter: Some(|vm, v| {
        Ok(Value::from_ref(heap::alloc(DequeIter(Cursor::new(
            vm,
            receiver::<Deque>(v),
        )))))
    }),
    len: Some(|vm, v| Ok(receiver::<Deque>(v).items.get(vm).len())),
    getitem: Some(getitem),
    setitem: Some(setitem),
    contains: Some(
        |vm, v, item| Ok(find(vm, receiver::<Deque>(v), item, 0, usize::MAX)?.is_some()),
    ),
    binary: Some(binary),
    binary_ops: ops(&[BinOp::Add, BinOp::Mul]),
    reflected_ops: ops(&[BinOp::Mul]),
    inplace: Some(inplace),
    inplace_ops: ops(&[BinOp::Add, BinOp::Mul]),
    new: Some(|_, class, _| Ok(Value::from_ref(empty(class, None)))),
    init: Some(init),
    ..Slots::NONE
};

static METHODS: &[Def] = &[
    Def::method("append", "(self, item, /)", |vm, args| {
        receiver::<Deque>(&args[0]).push_back(vm, args[1].clone())?;
        Ok(Value::NONE)
    }),
    Def::method("appendleft", "(self, item, /)", |vm, args| {
        receiver::<Deque>(&args[0]).push_front(vm, args[1].clone())?;
        Ok(Value::NONE)
    }),
    Def::method("clear", "(self, /)", |vm, args| {
        let deque = receiver::<Deque>(&args[0]);
        deque.touch();
        drop(deque.items.replace(vm, VecDeque::new()));
        Ok(Value::NONE)
    }),
    Def::method("copy", "(self, /)", copy),
    Def::method("__copy__", "(self, /)", copy),
    Def::method("count", "(self, value, /)", |vm, args| {
        let deque = receiver::<Deque>(&args[0]);
        let version = deque.version.get();
        let (mut i, mut count) = (0, 0);
        while let Some(item) = deque.get(vm, i) {
            count += vm.eq(&item, &args[1])? as i64;
            if deque.version.get() != version {
                return Err(vm.runtime_error("deque mutated during iteration"));
            }
            i += 1;
        }
        Ok(Value::int(count))
    }),
    Def::method("extend", "(self, iterable, /)", |vm, args| {
        extend(vm, &args[0], &args[1], false)?;
        Ok(Value::NONE)
    }),
    Def::method("extendleft", "(self, iterable, /)", |vm, args| {
        extend(vm, &args[0], &args[1], true)?;
        Ok(Value::NONE)
    }),
    Def::method(
        "index",
        "(self, value, start=0, stop=9223372036854775807, /)",
        |vm, args| {
            let deque = receiver::<Deque>(&args[0]);
            let (start, stop) = sequence::search_bounds(vm, args, |vm| deque.items.get(vm).len())?;
            match find(vm, deque, &args[1], start, stop)? {
                Some(at) => Ok(Value::int(at as i64)),
                None => Err(vm.value_error("deque.index(x): x not in deque")),
            }
        },
    ),
    Def::method("insert", "(self, index, value, /)", |vm, args| {
        let index = vm.index_i64(&args[1])?;
        let deque = receiver::<Deque>(&args[0]);
        let len = deque.items.get(vm).len();
        if deque.maxlen.get() == Some(len) {
            return Err(vm.index_error("deque already at its maximum size"));
        }
        deque.room(vm, 1)?;
        let at = if index < 0 {
            index.saturating_add(len as i64).max(0)
        } else {
            index.min(len as i64)
        };
        deque.touch();
        deque.items.get_mut(vm).insert(at as usize, args[2].clone());
        Ok(Value::NONE)
    }),
    Def::method("pop", "(self, /)", |vm, args| {
        let deque = receiver::<Deque>(&args[0]);
        match deque.items.get_mut(vm).pop_back() {
            Some(item) => {
                deque.touch();
                Ok(item)
            }
            None => Err(vm.index_error("pop from an empty deque")),
        }
    }),
    Def::method("popleft", "(self, /)", |vm, args| {
        let deque = receiver::<Deque>(&args[0]);
        match deque.items.get_mut(vm).pop_front() {
            Some(item) => {
                deque.touch();
                Ok(item)
            }
            None => Err(vm.index_error("pop from an empty deque")),
        }
    }),
    Def::method("remove", "(self, value, /)", |vm, args| {
        let deque = receiver::<Deque>(&args[0]);
        let version = deque.version.get();
        let mut i = 0;
        while let Some(item) = deque.get(vm, i) {
            let same = vm.eq(&item, &args[1])?;
            if deque.version.get() != version {
                return Err(vm.index_error("deque mutated during iteration"));
            }
            if same {
                deque.touch();
                let old = deque.items.get_mut(vm).remove(i);
                drop(old);
                return Ok(Value::NONE);
            }
            i += 1;
        }
        Err(vm.value_error("deque.remove(x): x not in deque"))
    }),
    Def::method("reverse", "(self, /)", |vm, args| {
        let deque = receiver::<Deque>(&args[0]);
        deque.items.get_mut(vm).make_contiguous().reverse();
        Ok(Value::NONE)
    }),
    Def::method("rotate", "(self, n=1, /)", |vm, args| {
        let n = match optional(args, 1) {
            Some(n) => vm.index_i64(n)?,
            None => 1,
        };
        let deque = receiver::<Deque>(&args[0]);
        deque.touch();
        let items = deque.items.get_mut(vm);
        if !items.is_empty() {
            let n = n.rem_euclid(items.len() as i64) as usize;
            items.rotate_right(n);
        }
        Ok(Value::NONE)
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let deque = receiver::<Deque>(&args[0]);
        let made = match deque.maxlen.get() {
            Some(n) => pair(Tuple::empty(), Value::int(n as i64)),
            None => Tuple::empty(),
        };
        let state = vm.call_method(&args[0], &Names::get().__getstate__, &[])?;
        let items = vm.get_iter(&args[0])?;
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            made,
            state,
            items,
        ]))
    }),
    Def::method("__reversed__", "(self, /)", |vm, args| {
        Ok(Value::from_ref(heap::alloc(DequeReverseIter(Cursor::new(
            vm,
            receiver::<Deque>(&args[0]),
        )))))
    }),
    Def::method("__sizeof__", "(self, /)", |vm, args| {
        let capacity = receiver::<Deque>(&args[0]).items.get(vm).capacity();
        Ok(Value::int(
            (size_of::<heap::Boxed<Deque>>() + capacity * size_of::<Value>()) as i64,
        ))
    }),
    Def::class_method("__class_getitem__", "(cls, object, /)", class_getitem),
];

fn empty(class: &Ref<Type>, maxlen: Option<usize>) -> Ref<Deque> {
    heap::alloc_instance(
        Deque {
            items: VmCell::new(VecDeque::new()),
            maxlen: Cell::new(maxlen),
            version: Cell::new(0),
        },
        class,
        0,
    )
}

impl Deque {
    #[inline(always)]
    fn touch(&self) {
        self.version.set(self.version.get().wrapping_add(1));
    }

    #[inline(always)]
    fn get(&self, vm: &Vm, index: usize) -> Option<Value> {
        self.items.get(vm).get(index).cloned()
    }

    /// Makes room for `more` items; `MemoryError` when there is none.
    #[inline]
    fn room(&self, vm: &mut Vm, more: usize) -> R<()> {
        let items = self.items.get(vm);
        let (len, capacity) = (items.len(), items.capacity());
        if capacity - len >= more {
            return Ok(());
        }
        let grown = (len + more)
            .max(capacity * 2)
            .saturating_mul(size_of::<Value>());
        if !heap::can_allocate(grown) || self.items.get_mut(vm).try_reserve(more).is_err() {
            return Err(vm.memory_error());
        }
        Ok(())
    }

    #[inline]
    fn push_back(&self, vm: &mut Vm, item: Value) -> R<()> {
        self.room(vm, 1)?;
        self.touch();
        let items = self.items.get_mut(vm);
        items.push_back(item);
        if self.maxlen.get().is_some_and(|n| items.len() > n) {
            let old = items.pop_front();
            drop(old);
        }
        Ok(())
    }

    #[inline]
    fn push_front(&self, vm: &mut Vm, item: Value) -> R<()> {
        self.room(vm, 1)?;
        self.touch();
        let items = self.items.get_mut(vm);
        items.push_front(item);
        if self.maxlen.get().is_some_and(|n| items.len() > n) {
            let old = items.pop_back();
            drop(old);
        }
        Ok(())
    }
}

fn init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    if args.values().len() > 2 {
        return Err(vm.type_error(format!(
            "deque() takes at most 2 arguments ({} given)",
            args.values().len()
        )));
    }
    let bound = args.bind(vm, "deque", crate::params!("(iterable=(), maxlen=None)"), 0)?;
    let deque = receiver::<Deque>(v);
    let maxlen = match optional(&bound, 1) {
        Some(n) if !n.is_none() => {
            if n.as_int().is_none() {
                return Err(vm.type_error("an integer is required"));
            }
            let n = vm.index_i64(n)?;
            if n < 0 {
                return Err(vm.value_error("maxlen must be non-negative"));
            }
            Some(usize::try_from(n).unwrap_or(usize::MAX))
        }
        _ => None,
    };
    deque.maxlen.set(maxlen);
    deque.touch();
    drop(deque.items.replace(vm, VecDeque::new()));
    match optional(&bound, 0) {
        Some(iterable) => extend(vm, v, iterable, false),
        None => Ok(()),
    }
}

fn extend(vm: &mut Vm, v: &Value, source: &Value, left: bool) -> R<()> {
    let deque = receiver::<Deque>(v);
    if v.is_same(source) {
        let items: Vec<Value> = deque.items.get(vm).iter().cloned().collect();
        return extend(vm, v, &List::value(items), left);
    }
    let it = vm.get_iter(source)?;
    while let Some(item) = vm.step(&it)? {
        vm.poll_native()?;
        if left {
            deque.push_front(vm, item)?
        } else {
            deque.push_back(vm, item)?
        }
    }
    Ok(())
}

fn copy(vm: &mut Vm, args: &[Value]) -> R {
    let v = &args[0];
    let deque = receiver::<Deque>(v);
    if v.is_exact::<Deque>() {
        let n = deque.items.get(vm).len();
        sequence::check_room(vm, n, 1)?;
        return Ok(Value::from_ref(with_items(
            deque.items.get(vm).clone(),
            deque.maxlen.get(),
        )));
    }
    let class = class_of(v).to_value();
    match deque.maxlen.get() {
        Some(n) => vm.call(&class, &[v.clone(), Value::int(n as i64)]),
        None => vm.call(&class, std::slice::from_ref(v)),
    }
}

fn with_items(items: VecDeque<Value>, maxlen: Option<usize>) -> Ref<Deque> {
    heap::alloc(Deque {
        items: VmCell::new(items),
        maxlen: Cell::new(maxlen),
        version: Cell::new(0),
    })
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let deque = receiver::<Deque>(v);
    let name = class_of(v).bare_name().into_owned();
    let text = vm.repr_once(v, |vm| {
        let mut out = format!("{name}([").into_bytes();
        // What the items do to the deque meanwhile does not show.
        let items: Vec<Value> = deque.items.get(vm).iter().cloned().collect();
        sequence::push_reprs(vm, &mut out, |_, i| Ok(items.get(i).cloned()))?;
        match deque.maxlen.get() {
            Some(n) => out.extend_from_slice(format!("], maxlen={n})").as_bytes()),
            None => out.extend_from_slice(b"])"),
        }
        Ok(Str::value_wtf8(&out))
    })?;
    Ok(text.unwrap_or_else(|| Str::value("[...]")))
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Deque>(), b.as_ref::<Deque>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let lens = |vm: &Vm| (x.items.get(vm).len(), y.items.get(vm).len());
    sequence::compare(vm, op, 0, lens, |vm, i| {
        Some((x.get(vm, i)?, y.get(vm, i)?))
    })
}

/// The place of an item between two places.
fn find(vm: &mut Vm, deque: &Deque, item: &Value, start: usize, stop: usize) -> R<Option<usize>> {
    let version = deque.version.get();
    let mut i = start;
    while i < stop
        && let Some(x) = deque.get(vm, i)
    {
        let same = vm.eq(&x, item)?;
        if deque.version.get() != version {
            return Err(vm.runtime_error("deque mutated during iteration"));
        }
        if same {
            return Ok(Some(i));
        }
        i += 1;
    }
    Ok(None)
}

fn subscript(vm: &mut Vm, v: &Value, key: &Value) -> R<usize> {
    if !sequence::is_index(key) {
        return Err(vm.type_error(format!(
            "sequence index must be integer, not '{}'",
            class_of(key).name()
        )));
    }
    let index = sequence::index_number(vm, key, Exc::IndexError)?;
    let len = receiver::<Deque>(v).items.get(vm).len();
    sequence::place(index, len).ok_or_else(|| vm.index_error("deque index out of range"))
}

fn getitem(vm: &mut Vm, v: &Value, key: &Value) -> R {
    let at = subscript(vm, v, key)?;
    Ok(receiver::<Deque>(v).items.get(vm)[at].clone())
}

fn setitem(vm: &mut Vm, v: &Value, key: &Value, value: Option<&Value>) -> R<()> {
    let at = subscript(vm, v, key)?;
    let deque = receiver::<Deque>(v);
    let old = match value {
        Some(value) => Some(std::mem::replace(
            &mut deque.items.get_mut(vm)[at],
            value.clone(),
        )),
        None => {
            deque.touch();
            deque.items.get_mut(vm).remove(at)
        }
    };
    drop(old);
    Ok(())
}

/// The items of a deque, repeated; only the last `maxlen`.
fn repeated(vm: &mut Vm, deque: &Deque, count: usize) -> R<VecDeque<Value>> {
    let len = deque.items.get(vm).len();
    let maxlen = deque.maxlen.get().unwrap_or(usize::MAX);
    let total = len.saturating_mul(count).min(maxlen);
    sequence::check_room(vm, total, 1)?;
    let items = deque.items.get(vm);
    if len == 0 {
        return Ok(VecDeque::new());
    }
    // The last item is the last of a full round.
    let skip = (len - total % len) % len;
    Ok(items
        .iter()
        .cycle()
        .skip(skip)
        .take(total)
        .cloned()
        .collect())
}

fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match op {
        BinOp::Add => {
            let Some(x) = a.as_ref::<Deque>() else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            if !b.is::<Deque>() {
                return Err(vm.type_error(format!(
                    "can only concatenate deque (not \"{}\") to deque",
                    class_of(b).name()
                )));
            }
            let result = if a.is_exact::<Deque>() {
                Value::from_ref(with_items(x.items.get(vm).clone(), x.maxlen.get()))
            } else {
                copy(vm, std::slice::from_ref(a))?
            };
            if result.is::<Deque>() {
                extend(vm, &result, b, false)?;
            }
            Ok(result)
        }
        BinOp::Mul => {
            let (v, count) = if a.is::<Deque>() { (a, b) } else { (b, a) };
            let Some(count) = sequence::repeat_count(vm, count)? else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            let deque = receiver::<Deque>(v);
            let items = repeated(vm, deque, count)?;
            if v.is_exact::<Deque>() {
                return Ok(Value::from_ref(with_items(items, deque.maxlen.get())));
            }
            let result = copy(vm, std::slice::from_ref(v))?;
            if let Some(deque) = result.as_ref::<Deque>() {
                drop(deque.items.replace(vm, items));
            }
            Ok(result)
        }
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

fn inplace(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match op {
        BinOp::Add => extend(vm, a, b, false)?,
        BinOp::Mul => {
            let Some(count) = sequence::repeat_count(vm, b)? else {
                return Err(vm.type_error(format!(
                    "can't multiply sequence by non-int of type '{}'",
                    class_of(b).name()
                )));
            };
            let deque = receiver::<Deque>(a);
            let items = repeated(vm, deque, count)?;
            deque.touch();
            drop(deque.items.replace(vm, items));
        }
        _ => return Ok(Value::NOT_IMPLEMENTED),
    }
    Ok(a.clone())
}

// ---- iterators

/// Where an iterator is.
struct Cursor {
    deque: Ref<Deque>,
    /// How many items have been given.
    given: Cell<usize>,
    /// How many are left.
    left: Cell<usize>,
    version: Cell<u64>,
}

impl Cursor {
    fn new(vm: &Vm, deque: &Ref<Deque>) -> Cursor {
        let left = deque.items.get(vm).len();
        Cursor {
            deque: deque.clone(),
            given: Cell::new(0),
            left: Cell::new(left),
            version: Cell::new(deque.version.get()),
        }
    }

    #[inline]
    fn step(&self, vm: &mut Vm, back: bool) -> R {
        if self.deque.version.get() != self.version.get() {
            self.left.set(0);
            return Err(vm.runtime_error("deque mutated during iteration"));
        }
        let left = self.left.get();
        if left == 0 {
            return Ok(Value::UNDEF);
        }
        let given = self.given.get();
        self.left.set(left - 1);
        self.given.set(given + 1);
        let at = if back { left - 1 } else { given };
        Ok(self.deque.get(vm, at).unwrap_or(Value::UNDEF))
    }

    fn reduce(&self, v: &Value) -> Value {
        pair(
            class_of(v).to_value(),
            pair(self.deque.to_value(), Value::int(self.given.get() as i64)),
        )
    }
}

macro_rules! cursor_payload {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        struct $name(Cursor);
        // SAFETY: visits the deque.
        unsafe impl Payload for $name {
            class_slot!();
            fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
                self.0.deque.with_value(visit);
            }
        }
    };
}

cursor_payload! {
    /// Payload of `_deque_iterator`.
    DequeIter
}
cursor_payload! {
    /// Payload of `_deque_reverse_iterator`.
    DequeReverseIter
}

fn next(vm: &mut Vm, v: &Value) -> R {
    receiver::<DequeIter>(v).0.step(vm, false)
}

fn next_back(vm: &mut Vm, v: &Value) -> R {
    receiver::<DequeReverseIter>(v).0.step(vm, true)
}

fn iter_new(vm: &mut Vm, class: &Ref<Type>, args: Args, back: bool) -> R {
    let args = args.exactly(vm, &class.bare_name(), 1, 2)?;
    let Some(deque) = args[0].as_ref::<Deque>() else {
        let text = format!(
            "{}() argument 1 must be collections.deque, not {}",
            class.bare_name(),
            class_of(&args[0]).name()
        );
        return Err(vm.type_error(text));
    };
    let skip = match args.get(1) {
        Some(n) => vm.index_i64(n)?,
        None => 0,
    };
    let cursor = Cursor::new(vm, deque);
    let skip = skip.clamp(0, cursor.left.get() as i64) as usize;
    cursor.given.set(skip);
    cursor.left.set(cursor.left.get() - skip);
    Ok(if back {
        Value::from_ref(heap::alloc_instance(DequeReverseIter(cursor), class, 0))
    } else {
        Value::from_ref(heap::alloc_instance(DequeIter(cursor), class, 0))
    })
}

static ITER: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |_, args| {
        Ok(Value::int(
            receiver::<DequeIter>(&args[0]).0.left.get() as i64
        ))
    }),
    Def::method("__reduce__", "(self, /)", |_, args| {
        Ok(receiver::<DequeIter>(&args[0]).0.reduce(&args[0]))
    }),
];

static REVERSE_ITER: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |_, args| {
        Ok(Value::int(
            receiver::<DequeReverseIter>(&args[0]).0.left.get() as i64,
        ))
    }),
    Def::method("__reduce__", "(self, /)", |_, args| {
        Ok(receiver::<DequeReverseIter>(&args[0]).0.reduce(&args[0]))
    }),
];
