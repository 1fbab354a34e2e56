//! `enumerate`, `zip`, `map`, `filter` and `reversed`.

use super::{LastPair, Pair, iterator, pair};
use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref};
use crate::names::Names;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::function::Function;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::rows::{Next, Row};
use crate::vm::sink::Sink;
use crate::vm::{R, Vm};
use coldframe_numeric::BigInt;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Makes the classes.
pub(super) fn init(vm: &mut Vm) {
    let slots = Slots {
        new: Some(enumerate_new),
        ..iterator(enumerate_next)
    };
    ClassBuilder::new::<Enumerate>("enumerate")
        .flags(BASE)
        .slots(slots)
        .methods(vm, ENUMERATE)
        .build(vm);
    let slots = Slots {
        new: Some(zip_new),
        ..iterator(zip_next)
    };
    ClassBuilder::new::<Zip>("zip")
        .flags(BASE)
        .slots(slots)
        .methods(vm, ZIP)
        .build(vm);
    let slots = Slots {
        new: Some(map_new),
        ..iterator(map_next)
    };
    ClassBuilder::new::<Map>("map")
        .flags(BASE)
        .slots(slots)
        .methods(vm, MAP)
        .build(vm);
    let slots = Slots {
        new: Some(filter_new),
        ..iterator(filter_next)
    };
    ClassBuilder::new::<Filter>("filter")
        .flags(BASE)
        .slots(slots)
        .methods(vm, FILTER)
        .build(vm);
    let slots = Slots {
        new: Some(reversed_new),
        ..iterator(reversed_next)
    };
    ClassBuilder::new::<Reversed>("reversed")
        .flags(BASE)
        .slots(slots)
        .methods(vm, REVERSED)
        .build(vm);
}

// ---- enumerate

/// Payload of `enumerate`.
pub struct Enumerate {
    source: Value,
    index: Cell<i64>,
    /// The index, once it is beyond 64 bits.
    large: RefCell<Option<BigInt>>,
    last: LastPair,
}

// SAFETY: visits the source.
unsafe impl Payload for Enumerate {
    const KIND: Kind = Kind::Enumerate;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.source);
        self.last.traverse(visit);
    }
}

fn enumerate_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = if args.names().is_empty() && args.positional().len() == 1 {
        vec![args.positional()[0].clone()]
    } else {
        let (given, names) = (args.positional().len(), args.names().len());
        if given == 0 && names == 0 {
            return Err(vm.type_error("enumerate() missing required argument 'iterable'"));
        }
        if given + names > 2 {
            return Err(vm.type_error(format!(
                "enumerate() takes at most 2 arguments ({} given)",
                given + names
            )));
        }
        // In the words of CPython, which looks at the first keyword here.
        let known: &[&str] = match (given, names) {
            (0, 1) => &["iterable"],
            (0, _) => &["iterable", "start"],
            _ => &["start"],
        };
        for (name, _) in args.keywords() {
            let name = name.to_text();
            if !known.contains(&&*name) {
                return Err(vm.type_error(format!(
                    "'{name}' is an invalid keyword argument for enumerate()"
                )));
            }
        }
        args.bind(vm, "enumerate", crate::params!("(iterable, start=0)"), 0)?
    };
    let (mut index, mut large) = (0, None);
    if let Some(start) = bound.get(1) {
        let start = vm.index(start)?;
        match start.as_int().and_then(|i| i.to_i64()) {
            Some(i) => index = i,
            None => large = start.as_int().map(|i| i.to_big()),
        }
    }
    let source = vm.get_iter(&bound[0])?;
    let payload = Enumerate {
        source,
        index: Cell::new(index),
        large: RefCell::new(large),
        last: LastPair::default(),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

impl Enumerate {
    fn index(&self) -> Value {
        match &*self.large.borrow() {
            Some(big) => Value::bigint(big.clone()),
            None => Value::int(self.index.get()),
        }
    }

    /// The same, and counts on.
    #[cold]
    fn next_large_index(&self) -> Value {
        let index = self.index();
        *self.large.borrow_mut() = index.as_int().map(|i| i.to_big() + 1);
        index
    }
}

fn enumerate_next(vm: &mut Vm, v: &Value) -> R {
    let e = receiver::<Enumerate>(v);
    match enumerate_pair(vm, e)? {
        Pair::Two(index, item) => Ok(e.last.give(index, item)),
        Pair::End => Ok(Value::UNDEF),
        Pair::Unknown => match vm.iter_next(&e.source)? {
            Some(item) => Ok(e.last.give(e.next_large_index(), item)),
            None => Ok(Value::UNDEF),
        },
    }
}

/// Index and item; [`Pair::Unknown`] where the index is too large.
#[inline(always)]
pub(super) fn enumerate_pair(vm: &mut Vm, e: &Enumerate) -> R<Pair> {
    let n = e.index.get();
    if n == i64::MAX || e.large.borrow().is_some() {
        return Ok(Pair::Unknown);
    }
    let Some(item) = vm.step(&e.source)? else {
        return Ok(Pair::End);
    };
    e.index.set(n + 1);
    Ok(Pair::Two(Value::int(n), item))
}

static ENUMERATE: &[Def] = &[
    Def::method("__reduce__", "(self, /)", |_, args| {
        let e = receiver::<Enumerate>(&args[0]);
        Ok(pair(
            class_of(&args[0]).to_value(),
            pair(e.source.clone(), e.index()),
        ))
    }),
    Def::class_method(
        "__class_getitem__",
        "(cls, object, /)",
        super::class_getitem,
    ),
];

// ---- several sources at once

/// The keyword `strict` of `zip` and `map`; other keywords are errors.
fn strict_keyword(vm: &mut Vm, function: &str, args: &Args) -> R<bool> {
    let mut strict = false;
    for (name, value) in args.keywords() {
        if name.as_bytes() != b"strict" {
            return Err(vm.type_error(format!(
                "{function}() got an unexpected keyword argument '{}'",
                name.to_text()
            )));
        }
        strict = vm.truthy(value)?;
    }
    Ok(strict)
}

/// The next item of each source; `None` when one is exhausted. `strict`: all must be exhausted together.
#[inline]
fn advance(
    vm: &mut Vm,
    function: &str,
    sources: &[Value],
    strict: bool,
    items: &mut Vec<Value>,
) -> R<bool> {
    for (i, source) in sources.iter().enumerate() {
        match vm.step(source)? {
            Some(item) => items.push(item),
            None => {
                if strict {
                    check_together(vm, function, sources, i)?;
                }
                return Ok(false);
            }
        }
    }
    Ok(!sources.is_empty())
}

/// Source `i` is the first that is exhausted: an error unless all are.
fn check_together(vm: &mut Vm, function: &str, sources: &[Value], i: usize) -> R<()> {
    let others = |n: usize| {
        if n == 1 {
            " 1".to_owned()
        } else {
            format!("s 1-{n}")
        }
    };
    if i > 0 {
        return Err(vm.value_error(format!(
            "{function}() argument {} is shorter than argument{}",
            i + 1,
            others(i)
        )));
    }
    for (j, source) in sources.iter().enumerate().skip(1) {
        if vm.iter_next(source)?.is_some() {
            return Err(vm.value_error(format!(
                "{function}() argument {} is longer than argument{}",
                j + 1,
                others(j)
            )));
        }
    }
    Ok(())
}

// ---- zip

/// Payload of `zip`.
pub struct Zip {
    sources: Vec<Value>,
    strict: Cell<bool>,
    last: LastPair,
}

// SAFETY: visits the sources and the last pair.
unsafe impl Payload for Zip {
    const KIND: Kind = Kind::Zip;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.sources.iter().for_each(&mut *visit);
        self.last.traverse(visit);
    }
}

fn iterators(vm: &mut Vm, iterables: &[Value]) -> R<Vec<Value>> {
    iterables.iter().map(|v| vm.get_iter(v)).collect()
}

fn zip_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let strict = strict_keyword(vm, "zip", &args)?;
    let sources = iterators(vm, args.positional())?;
    Ok(Value::from_ref(heap::alloc_instance(
        Zip {
            sources,
            strict: Cell::new(strict),
            last: LastPair::default(),
        },
        class,
        0,
    )))
}

fn zip_next(vm: &mut Vm, v: &Value) -> R {
    let zip = receiver::<Zip>(v);
    match zip_pair(vm, zip)? {
        Pair::Two(x, y) => return Ok(zip.last.give(x, y)),
        Pair::End => return Ok(Value::UNDEF),
        Pair::Unknown => {}
    }
    let mut items = Vec::with_capacity(zip.sources.len());
    if advance(vm, "zip", &zip.sources, zip.strict.get(), &mut items)? {
        Ok(Tuple::value(items))
    } else {
        Ok(Value::UNDEF)
    }
}

/// The items of two sources that need not be of one length; [`Pair::Unknown`] where there are others.
#[inline(always)]
pub(super) fn zip_pair(vm: &mut Vm, zip: &Zip) -> R<Pair> {
    let ([a, b], false) = (zip.sources.as_slice(), zip.strict.get()) else {
        return Ok(Pair::Unknown);
    };
    let Some(x) = vm.step(a)? else {
        return Ok(Pair::End);
    };
    Ok(match vm.step(b)? {
        Some(y) => Pair::Two(x, y),
        None => Pair::End,
    })
}

static ZIP: &[Def] = &[
    Def::method("__reduce__", "(self, /)", |_, args| {
        let zip = receiver::<Zip>(&args[0]);
        let mut parts = vec![
            class_of(&args[0]).to_value(),
            Tuple::from_slice(&zip.sources),
        ];
        if zip.strict.get() {
            parts.push(Value::TRUE);
        }
        Ok(Tuple::value(parts))
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let strict = vm.truthy(&args[1])?;
        receiver::<Zip>(&args[0]).strict.set(strict);
        Ok(Value::NONE)
    }),
];

// ---- map

/// Payload of `map`.
pub struct Map {
    function: Value,
    sources: Vec<Value>,
    strict: Cell<bool>,
}

// SAFETY: visits function and sources.
unsafe impl Payload for Map {
    const KIND: Kind = Kind::Map;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.function);
        self.sources.iter().for_each(visit);
    }
}

fn map_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let strict = if super::takes_keywords(vm, class) {
        false
    } else {
        strict_keyword(vm, "map", &args)?
    };
    let [function, iterables @ ..] = args.positional() else {
        return Err(vm.type_error("map() must have at least two arguments."));
    };
    if iterables.is_empty() {
        return Err(vm.type_error("map() must have at least two arguments."));
    }
    let sources = iterators(vm, iterables)?;
    let payload = Map {
        function: function.clone(),
        sources,
        strict: Cell::new(strict),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

fn map_next(vm: &mut Vm, v: &Value) -> R {
    let map = receiver::<Map>(v);
    if let [source] = map.sources.as_slice() {
        return match vm.step(source)? {
            Some(item) => vm.call(&map.function, std::slice::from_ref(&item)),
            None => Ok(Value::UNDEF),
        };
    }
    let mut items = Vec::with_capacity(map.sources.len());
    if advance(vm, "map", &map.sources, map.strict.get(), &mut items)? {
        vm.call(&map.function, &items)
    } else {
        Ok(Value::UNDEF)
    }
}

static MAP: &[Def] = &[
    Def::method("__reduce__", "(self, /)", |_, args| {
        let map = receiver::<Map>(&args[0]);
        let mut all = vec![map.function.clone()];
        all.extend_from_slice(&map.sources);
        let mut parts = vec![class_of(&args[0]).to_value(), Tuple::value(all)];
        if map.strict.get() {
            parts.push(Value::TRUE);
        }
        Ok(Tuple::value(parts))
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let strict = vm.truthy(&args[1])?;
        receiver::<Map>(&args[0]).strict.set(strict);
        Ok(Value::NONE)
    }),
];

// ---- filter

/// Payload of `filter`.
pub struct Filter {
    /// The predicate; `None` (Python's) takes the items' own truth.
    function: Value,
    source: Value,
}

// SAFETY: visits function and source.
unsafe impl Payload for Filter {
    const KIND: Kind = Kind::Filter;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.function);
        visit(&self.source);
    }
}

fn filter_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if !args.names().is_empty() && crate::vm::class::keeps_init(class, Filter::class()) {
        return Err(vm.type_error("filter() takes no keyword arguments"));
    }
    let args = Args::positional_only(args.positional()).exactly(vm, "filter", 2, 2)?;
    let source = vm.get_iter(&args[1])?;
    Ok(Value::from_ref(heap::alloc_instance(
        Filter {
            function: args[0].clone(),
            source,
        },
        class,
        0,
    )))
}

fn filter_next(vm: &mut Vm, v: &Value) -> R {
    let filter = receiver::<Filter>(v);
    let by_truth = filter.function.is_none()
        || filter
            .function
            .as_ref::<Type>()
            .is_some_and(|t| t.same(crate::objects::singletons::Bool::class()));
    while let Some(item) = vm.step(&filter.source)? {
        let keep = if by_truth {
            vm.truthy(&item)?
        } else {
            let answer = vm.call(&filter.function, std::slice::from_ref(&item))?;
            vm.truthy(&answer)?
        };
        if keep {
            return Ok(item);
        }
        vm.poll_native()?;
    }
    Ok(Value::UNDEF)
}

// ---- map and filter for those who take all

/// What goes from the function of a `map` or `filter` to a sink.
struct Pouring<S> {
    source: Value,
    sink: Rc<RefCell<S>>,
    /// Whether the function only says which items go on.
    filters: bool,
    /// The item that a filter is being asked about.
    item: Option<Value>,
    /// What the sink did not take.
    left: Option<Value>,
}

impl<S: Sink> Row for Pouring<S> {
    fn next(&mut self, vm: &mut Vm, result: Option<Value>) -> R<Next> {
        if let Some(result) = result {
            let item = if !self.filters {
                Some(result)
            } else if vm.truthy(&result)? {
                self.item.take()
            } else {
                None
            };
            if let Some(item) = item {
                self.left = self.sink.borrow_mut().take(vm, item)?;
                if self.left.is_some() {
                    return Ok(Next::End);
                }
            }
        }
        let next = vm.step(&self.source)?;
        if self.filters {
            self.item.clone_from(&next);
        }
        Ok(next.map_or(Next::End, Next::One))
    }
}

/// The next item of a `map` or `filter` with a function of the program, or of a `chain`, that the sink does not take; `None` for other iterators.
pub(crate) fn pour<S: Sink + 'static>(
    vm: &mut Vm,
    it: &Value,
    sink: &Rc<RefCell<S>>,
) -> R<Option<Option<Value>>> {
    let (function, source, filters) = if let Some(map) = it.as_exact::<Map>() {
        let [source] = map.sources.as_slice() else {
            return Ok(None);
        };
        (&map.function, source, false)
    } else if let Some(filter) = it.as_exact::<Filter>() {
        (&filter.function, &filter.source, true)
    } else {
        return crate::modules::itertools::pour(vm, it, sink);
    };
    if !function.is_exact::<Function>() {
        return Ok(None);
    }
    let function = function.clone();
    let row = Rc::new(RefCell::new(Pouring {
        source: source.clone(),
        sink: sink.clone(),
        filters,
        item: None,
        left: None,
    }));
    if let Err(raised) = vm.call_row(&function, &row) {
        vm.swallow(raised, Exc::StopIteration)?;
    }
    let left = row.borrow_mut().left.take();
    Ok(Some(left))
}

static FILTER: &[Def] = &[Def::method("__reduce__", "(self, /)", |_, args| {
    let filter = receiver::<Filter>(&args[0]);
    Ok(pair(
        class_of(&args[0]).to_value(),
        pair(filter.function.clone(), filter.source.clone()),
    ))
})];

// ---- reversed

/// Payload of `reversed`, for sequences without `__reversed__`.
pub struct Reversed {
    source: RefCell<Option<Value>>,
    /// Index of the next item; -1 at the end.
    index: Cell<i64>,
}

// SAFETY: visits the source.
unsafe impl Payload for Reversed {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        if let Some(source) = &*self.source.borrow() {
            visit(source);
        }
    }
}

fn reversed_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if !args.names().is_empty() && crate::vm::class::keeps_init(class, Reversed::class()) {
        return Err(vm.type_error("reversed() takes no keyword arguments"));
    }
    let source = &Args::positional_only(args.positional()).exactly(vm, "reversed", 1, 1)?[0];
    let source_class = class_of(source).clone();
    if let Some(method) = vm.type_lookup(&source_class, &Names::get().__reversed__) {
        if method.is_none() {
            return Err(vm.type_error(format!(
                "'{}' object is not reversible",
                source_class.name()
            )));
        }
        return vm.call_special(source, &Names::get().__reversed__, &[]);
    }
    if !source_class.is_indexed() || source.is::<Dict>() {
        return Err(vm.type_error(format!(
            "'{}' object is not reversible",
            source_class.name()
        )));
    }
    let len = vm.len(source)? as i64;
    let payload = Reversed {
        source: RefCell::new(Some(source.clone())),
        index: Cell::new(len - 1),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

fn reversed_next(vm: &mut Vm, v: &Value) -> R {
    let r = receiver::<Reversed>(v);
    let index = r.index.get();
    let source = r.source.borrow().clone();
    if let (Some(source), true) = (source, index >= 0) {
        match vm.get_item(&source, &Value::int(index)) {
            Ok(item) => {
                r.index.set(index - 1);
                return Ok(item);
            }
            Err(raised) if vm.error_is(Exc::IndexError) || vm.error_is(Exc::StopIteration) => {
                vm.swallow_any(raised)?
            }
            Err(raised) => return Err(raised),
        }
    }
    r.index.set(-1);
    let source = r.source.borrow_mut().take();
    drop(source);
    Ok(Value::UNDEF)
}

static REVERSED: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |vm, args| {
        let r = receiver::<Reversed>(&args[0]);
        let Some(source) = r.source.borrow().clone() else {
            return Ok(Value::small_int(0));
        };
        let len = vm.len(&source)? as i64;
        let left = r.index.get() + 1;
        Ok(Value::int(if len < left { 0 } else { left }))
    }),
    Def::method("__reduce__", "(self, /)", |_, args| {
        let r = receiver::<Reversed>(&args[0]);
        let class = class_of(&args[0]).to_value();
        let source = r.source.borrow().clone();
        Ok(match source {
            Some(source) => Tuple::value(vec![
                class,
                Tuple::value(vec![source]),
                Value::int(r.index.get()),
            ]),
            None => pair(class, Tuple::value(vec![Tuple::empty()])),
        })
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let index = vm.index_i64(&args[1])?;
        let r = receiver::<Reversed>(&args[0]);
        let source = r.source.borrow().clone();
        if let Some(source) = source {
            let len = vm.len(&source)? as i64;
            r.index.set(index.clamp(-1, len - 1));
        }
        Ok(Value::NONE)
    }),
];
