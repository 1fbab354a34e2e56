//! `count`, `cycle`, `repeat`, `accumulate`, `chain`, `islice`, `pairwise`, `batched` and `zip_longest`.

use super::bind;
use super::payload::{advance, empty, payload, put};
use crate::builtins::iterators::{class_getitem, iterator, pair, takes_keywords};
use crate::heap::{self, Payload, Ref};
use crate::objects::native::{Def, receiver};
use crate::objects::sequence;
use crate::objects::slots::{BinOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::sink::Sink;
use crate::vm::{R, Vm};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Makes the classes.
pub(super) fn classes(vm: &mut Vm, out: &mut Vec<Ref<Type>>) {
    macro_rules! class {
        ($payload:ty, $name:literal, $new:expr, $next:expr, $methods:expr $(, $slot:ident = $value:expr)*) => {
            let slots = Slots { new: Some($new), $($slot: Some($value),)* ..iterator($next) };
            let class = ClassBuilder::new::<$payload>($name).flags(BASE).slots(slots).methods(vm, $methods).module(vm, "itertools").build(vm);
            out.push(class);
        };
    }
    class!(
        Count,
        "count",
        count_new,
        count_next,
        &[],
        repr = count_repr
    );
    class!(Cycle, "cycle", cycle_new, cycle_next, &[]);
    class!(
        Repeat,
        "repeat",
        repeat_new,
        repeat_next,
        REPEAT,
        repr = repeat_repr
    );
    class!(
        Accumulate,
        "accumulate",
        accumulate_new,
        accumulate_next,
        &[]
    );
    class!(Chain, "chain", chain_new, chain_next, CHAIN);
    class!(Islice, "islice", islice_new, islice_next, &[]);
    class!(Pairwise, "pairwise", pairwise_new, pairwise_next, &[]);
    class!(Batched, "batched", batched_new, batched_next, &[]);
    class!(
        ZipLongest,
        "zip_longest",
        zip_longest_new,
        zip_longest_next,
        &[]
    );
}

/// The one positional argument of a constructor, under this name.
fn one(vm: &mut Vm, class: &Ref<Type>, args: Args, name: &str) -> R {
    if !takes_keywords(vm, class) {
        args.no_keywords(vm, name)?;
    }
    Ok(Args::positional_only(args.positional()).exactly(vm, name, 1, 1)?[0].clone())
}

// ---- count

payload! {
    /// Payload of `count`.
    Count {
        next: RefCell<Value>,
        step: Value,
    }
}

/// Whether a value is something to count with.
fn is_number(v: &Value) -> bool {
    let slots = class_of(v).slots();
    v.is_float()
        || slots.index.is_some()
        || slots.int.is_some()
        || slots.float.is_some()
        || v.is::<crate::objects::complex::Complex>()
}

fn count_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = bind(vm, args, "count", crate::params!("(start=0, step=1)"))?;
    let start = optional(&bound, 0).cloned().unwrap_or(Value::small_int(0));
    let step = optional(&bound, 1).cloned().unwrap_or(Value::small_int(1));
    if !is_number(&start) || !is_number(&step) {
        return Err(vm.type_error("a number is required"));
    }
    // Counting by one is done with plain integers, whatever kind of integer was given.
    let one = step.as_int().and_then(|i| i.to_i64()) == Some(1);
    let number = start.as_int().and_then(|i| i.to_i64());
    let (start, step) = match number {
        Some(n) if one => (Value::int(n), Value::small_int(1)),
        _ => (start, step),
    };
    Ok(Value::from_ref(heap::alloc_instance(
        Count {
            next: RefCell::new(start),
            step,
        },
        class,
        0,
    )))
}

fn count_next(vm: &mut Vm, v: &Value) -> R {
    let count = receiver::<Count>(v);
    let current = count.next.borrow().clone();
    let next = match (current.as_small_int(), count.step.as_small_int()) {
        // Both have 50 bits.
        (Some(a), Some(b)) => Value::int(a + b),
        _ => vm.binary(BinOp::Add, &current, &count.step)?,
    };
    put(&count.next, next);
    Ok(current)
}

fn count_repr(vm: &mut Vm, v: &Value) -> R {
    let count = receiver::<Count>(v);
    let current = count.next.borrow().clone();
    let current = vm.repr(&current)?;
    let name = class_of(v).bare_name().into_owned();
    let text = if count.step.as_small_int() == Some(1) {
        format!("{name}({})", current.to_text())
    } else {
        format!(
            "{name}({}, {})",
            current.to_text(),
            vm.repr(&count.step)?.to_text()
        )
    };
    Ok(Str::value(&text))
}

// ---- cycle

payload! {
    /// Payload of `cycle`.
    Cycle {
        source: RefCell<Option<Value>>,
        saved: RefCell<Vec<Value>>,
        index: Cell<usize>,
    }
}

fn cycle_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let iterable = one(vm, class, args, "cycle")?;
    let source = vm.get_iter(&iterable)?;
    let payload = Cycle {
        source: RefCell::new(Some(source)),
        saved: RefCell::new(Vec::new()),
        index: Cell::new(0),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

fn cycle_next(vm: &mut Vm, v: &Value) -> R {
    let cycle = receiver::<Cycle>(v);
    if let Some(item) = advance(vm, &cycle.source)? {
        let full = {
            let saved = cycle.saved.borrow();
            saved.len() == saved.capacity()
                && !heap::can_allocate(saved.len() * 3 * size_of::<Value>())
        };
        if full {
            return Err(vm.memory_error());
        }
        cycle.saved.borrow_mut().push(item.clone());
        return Ok(item);
    }
    empty(&cycle.source);
    let saved = cycle.saved.borrow();
    if saved.is_empty() {
        return Ok(Value::UNDEF);
    }
    let index = cycle.index.get();
    cycle.index.set(if index + 1 >= saved.len() {
        0
    } else {
        index + 1
    });
    Ok(saved[index].clone())
}

// ---- repeat

payload! {
    /// Payload of `repeat`.
    Repeat {
        item: Value,
        left: Cell<Option<u64>>,
    }
}

fn repeat_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = bind(vm, args, "repeat", crate::params!("(object, times=None)"))?;
    let left = match optional(&bound, 1) {
        Some(times) => Some(vm.index_i64(times)?.max(0) as u64),
        None => None,
    };
    Ok(Value::from_ref(heap::alloc_instance(
        Repeat {
            item: bound[0].clone(),
            left: Cell::new(left),
        },
        class,
        0,
    )))
}

fn repeat_next(_: &mut Vm, v: &Value) -> R {
    let repeat = receiver::<Repeat>(v);
    match repeat.left.get() {
        Some(0) => return Ok(Value::UNDEF),
        Some(n) => repeat.left.set(Some(n - 1)),
        None => {}
    }
    Ok(repeat.item.clone())
}

fn repeat_repr(vm: &mut Vm, v: &Value) -> R {
    let repeat = receiver::<Repeat>(v);
    let item = vm.repr(&repeat.item)?;
    let name = class_of(v).bare_name();
    Ok(Str::value(&match repeat.left.get() {
        Some(n) => format!("{name}({}, {n})", item.to_text()),
        None => format!("{name}({})", item.to_text()),
    }))
}

static REPEAT: &[Def] = &[Def::method(
    "__length_hint__",
    "(self, /)",
    |vm, args| match receiver::<Repeat>(&args[0]).left.get() {
        Some(n) => Ok(Value::int(n as i64)),
        None => Err(vm.type_error("len() of unsized object")),
    },
)];

// ---- accumulate

payload! {
    /// Payload of `accumulate`.
    Accumulate {
        source: Value,
        function: Value,
        total: RefCell<Option<Value>>,
        initial: RefCell<Option<Value>>,
    }
}

fn accumulate_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = bind(
        vm,
        args,
        "accumulate",
        crate::params!("(iterable, func=None, *, initial=None)"),
    )?;
    let source = vm.get_iter(&bound[0])?;
    let function = optional(&bound, 1).cloned().unwrap_or(Value::NONE);
    let initial = optional(&bound, 2).filter(|v| !v.is_none()).cloned();
    let payload = Accumulate {
        source,
        function,
        total: RefCell::new(None),
        initial: RefCell::new(initial),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

fn accumulate_next(vm: &mut Vm, v: &Value) -> R {
    let acc = receiver::<Accumulate>(v);
    let initial = acc.initial.borrow_mut().take();
    if let Some(initial) = initial {
        put(&acc.total, Some(initial.clone()));
        return Ok(initial);
    }
    let Some(item) = vm.step(&acc.source)? else {
        return Ok(Value::UNDEF);
    };
    let total = acc.total.borrow().clone();
    let total = match total {
        None => item,
        Some(total) if acc.function.is_none() => vm.binary(BinOp::Add, &total, &item)?,
        Some(total) => vm.call(&acc.function, &[total, item])?,
    };
    put(&acc.total, Some(total.clone()));
    Ok(total)
}

// ---- chain

payload! {
    /// Payload of `chain`.
    Chain {
        sources: RefCell<Option<Value>>,
        active: RefCell<Option<Value>>,
    }
}

fn chain_of(class: &Ref<Type>, sources: Value) -> Value {
    Value::from_ref(heap::alloc_instance(
        Chain {
            sources: RefCell::new(Some(sources)),
            active: RefCell::new(None),
        },
        class,
        0,
    ))
}

fn chain_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if !takes_keywords(vm, class) {
        args.no_keywords(vm, "chain")?;
    }
    let all = Tuple::from_slice(args.positional());
    let sources = vm.get_iter(&all)?;
    Ok(chain_of(class, sources))
}

fn chain_next(vm: &mut Vm, v: &Value) -> R {
    let chain = receiver::<Chain>(v);
    loop {
        if let Some(item) = advance(vm, &chain.active)? {
            return Ok(item);
        }
        if !next_source(vm, chain)? {
            return Ok(Value::UNDEF);
        }
    }
}

/// The next item of a `chain` that the sink does not take; `None` for other iterators.
pub(crate) fn pour<S: Sink + 'static>(
    vm: &mut Vm,
    it: &Value,
    sink: &Rc<RefCell<S>>,
) -> R<Option<Option<Value>>> {
    // There is no such class until the module is imported.
    if !Chain::class_slot().with(|slot| slot.is_set()) {
        return Ok(None);
    }
    let Some(chain) = it.as_exact::<Chain>() else {
        return Ok(None);
    };
    loop {
        let active = chain.active.borrow().clone();
        if let Some(active) = active {
            let left = vm.recurse("", |vm| vm.next_beyond(&active, sink))?;
            if left.is_some() {
                return Ok(Some(left));
            }
        }
        if !next_source(vm, chain)? {
            return Ok(Some(None));
        }
    }
}

/// Goes to the next iterable; false when there is none.
fn next_source(vm: &mut Vm, chain: &Chain) -> R<bool> {
    empty(&chain.active);
    vm.poll_native()?;
    let Some(iterable) = advance(vm, &chain.sources)? else {
        empty(&chain.sources);
        return Ok(false);
    };
    match vm.get_iter(&iterable) {
        Ok(it) => {
            put(&chain.active, Some(it));
            Ok(true)
        }
        Err(raised) => {
            empty(&chain.sources);
            Err(raised)
        }
    }
}

static CHAIN: &[Def] = &[
    Def::class_method("from_iterable", "(cls, iterable, /)", |vm, args| {
        let sources = vm.get_iter(&args[1])?;
        match args[0].as_ref::<Type>() {
            Some(class) => Ok(chain_of(class, sources)),
            None => Ok(Value::NONE),
        }
    }),
    Def::class_method("__class_getitem__", "(cls, object, /)", class_getitem),
];

// ---- islice

payload! {
    /// Payload of `islice`.
    Islice {
        source: RefCell<Option<Value>>,
        /// Index of the next item to give.
        next: Cell<i64>,
        /// Index at which to stop; `i64::MAX` for none.
        stop: i64,
        step: i64,
        /// How many items have been taken from the source.
        taken: Cell<i64>,
    }
}

/// An index as C code sees it: -1 also stands for what is no index, or too large.
fn islice_number(vm: &mut Vm, v: &Value, default: i64) -> R<i64> {
    if v.is_none() {
        return Ok(default);
    }
    let n = if sequence::is_index(v) {
        vm.index_i64(v)
    } else {
        return Ok(-1);
    };
    n.or_else(|raised| vm.swallow_any(raised).map(|()| -1))
}

fn islice_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if !takes_keywords(vm, class) {
        args.no_keywords(vm, "islice")?;
    }
    let args = Args::positional_only(args.positional()).exactly(vm, "islice", 2, 4)?;
    let (start, stop) = match args {
        [_, stop] => (0, islice_number(vm, stop, i64::MAX)?),
        [_, start, stop, ..] => (
            islice_number(vm, start, 0)?,
            islice_number(vm, stop, i64::MAX)?,
        ),
        _ => (0, 0),
    };
    if stop == -1 {
        return Err(vm.value_error(
            "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.",
        ));
    }
    if start < 0 || stop < 0 {
        return Err(vm.value_error(
            "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.",
        ));
    }
    let mut step = 1;
    if let Some(s) = args.get(3) {
        step = islice_number(vm, s, 1)?;
        if step < 1 {
            return Err(vm.value_error("Step for islice() must be a positive integer or None."));
        }
    }
    let source = vm.get_iter(&args[0])?;
    let payload = Islice {
        source: RefCell::new(Some(source)),
        next: Cell::new(start),
        stop,
        step,
        taken: Cell::new(0),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

fn islice_next(vm: &mut Vm, v: &Value) -> R {
    let slice = receiver::<Islice>(v);
    let Some(source) = slice.source.borrow().clone() else {
        return Ok(Value::UNDEF);
    };
    while slice.taken.get() < slice.next.get() {
        vm.poll_native()?;
        if vm.step(&source)?.is_none() {
            empty(&slice.source);
            return Ok(Value::UNDEF);
        }
        slice.taken.set(slice.taken.get() + 1);
    }
    let item = if slice.taken.get() >= slice.stop {
        None
    } else {
        vm.step(&source)?
    };
    let Some(item) = item else {
        empty(&slice.source);
        return Ok(Value::UNDEF);
    };
    slice.taken.set(slice.taken.get() + 1);
    slice
        .next
        .set(slice.next.get().saturating_add(slice.step).min(slice.stop));
    Ok(item)
}

// ---- pairwise

payload! {
    /// Payload of `pairwise`.
    Pairwise {
        source: RefCell<Option<Value>>,
        last: RefCell<Option<Value>>,
    }
}

fn pairwise_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let iterable = one(vm, class, args, "pairwise")?;
    let source = vm.get_iter(&iterable)?;
    Ok(Value::from_ref(heap::alloc_instance(
        Pairwise {
            source: RefCell::new(Some(source)),
            last: RefCell::new(None),
        },
        class,
        0,
    )))
}

fn pairwise_next(vm: &mut Vm, v: &Value) -> R {
    let p = receiver::<Pairwise>(v);
    let last = p.last.borrow().clone();
    let last = match last {
        Some(last) => last,
        None => match advance(vm, &p.source)? {
            Some(first) => {
                put(&p.last, Some(first.clone()));
                first
            }
            None => {
                empty(&p.source);
                return Ok(Value::UNDEF);
            }
        },
    };
    match advance(vm, &p.source)? {
        Some(item) => {
            put(&p.last, Some(item.clone()));
            Ok(pair(last, item))
        }
        None => {
            empty(&p.source);
            empty(&p.last);
            Ok(Value::UNDEF)
        }
    }
}

// ---- batched

payload! {
    /// Payload of `batched`.
    Batched {
        source: RefCell<Option<Value>>,
        size: i64,
        strict: bool,
    }
}

fn batched_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = bind(
        vm,
        args,
        "batched",
        crate::params!("(iterable, n, *, strict=False)"),
    )?;
    let size = vm.index_i64(&bound[1])?;
    let strict = match optional(&bound, 2) {
        Some(s) => vm.truthy(s)?,
        None => false,
    };
    if size < 1 {
        return Err(vm.value_error("n must be at least one"));
    }
    let source = vm.get_iter(&bound[0])?;
    Ok(Value::from_ref(heap::alloc_instance(
        Batched {
            source: RefCell::new(Some(source)),
            size,
            strict,
        },
        class,
        0,
    )))
}

fn batched_next(vm: &mut Vm, v: &Value) -> R {
    let batched = receiver::<Batched>(v);
    let Some(source) = batched.source.borrow().clone() else {
        return Ok(Value::UNDEF);
    };
    let mut items: Vec<Value> = Vec::with_capacity(batched.size.min(64) as usize);
    while (items.len() as i64) < batched.size {
        match vm.step(&source)? {
            Some(item) => {
                if items.len() == items.capacity()
                    && !heap::can_allocate(items.len() * 3 * size_of::<Value>())
                {
                    return Err(vm.memory_error());
                }
                items.push(item);
            }
            None => {
                empty(&batched.source);
                if items.is_empty() {
                    return Ok(Value::UNDEF);
                }
                if batched.strict {
                    return Err(vm.value_error("batched(): incomplete batch"));
                }
                break;
            }
        }
        vm.poll_native()?;
    }
    Ok(Tuple::value(items))
}

// ---- zip_longest

payload! {
    /// Payload of `zip_longest`.
    ZipLongest {
        sources: RefCell<Vec<Option<Value>>>,
        active: Cell<usize>,
        fill: Value,
    }
}

fn zip_longest_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let mut fill = Value::NONE;
    for (name, value) in args.keywords() {
        if name.as_bytes() != b"fillvalue" {
            return Err(vm.type_error("zip_longest() got an unexpected keyword argument"));
        }
        fill = value.clone();
    }
    let mut sources = Vec::with_capacity(args.positional().len());
    for iterable in args.positional() {
        sources.push(Some(vm.get_iter(iterable)?));
    }
    let payload = ZipLongest {
        active: Cell::new(sources.len()),
        sources: RefCell::new(sources),
        fill,
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

fn zip_longest_next(vm: &mut Vm, v: &Value) -> R {
    let zip = receiver::<ZipLongest>(v);
    if zip.active.get() == 0 {
        return Ok(Value::UNDEF);
    }
    let n = zip.sources.borrow().len();
    let mut items = Vec::with_capacity(n);
    for i in 0..n {
        let source = zip.sources.borrow()[i].clone();
        let item = match source {
            None => zip.fill.clone(),
            Some(source) => match vm.step(&source) {
                Ok(Some(item)) => item,
                Ok(None) => {
                    zip.active.set(zip.active.get().saturating_sub(1));
                    if zip.active.get() == 0 {
                        return Ok(Value::UNDEF);
                    }
                    let old = zip.sources.borrow_mut()[i].take();
                    drop(old);
                    zip.fill.clone()
                }
                Err(raised) => {
                    zip.active.set(0);
                    return Err(raised);
                }
            },
        };
        items.push(item);
    }
    Ok(Tuple::value(items))
}
