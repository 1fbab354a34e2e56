//! `product`, `permutations`, `combinations` and `combinations_with_replacement`.

use super::bind;
use super::payload::payload;
use crate::builtins::iterators::iterator;
use crate::heap::{self, Ref};
use crate::objects::native::receiver;
use crate::objects::sequence::check_room;
use crate::objects::slots::Slots;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use std::cell::{Cell, RefCell};

/// Makes the classes.
pub(super) fn classes(vm: &mut Vm, out: &mut Vec<Ref<Type>>) {
    macro_rules! class {
        ($payload:ty, $name:literal, $new:expr, $next:expr) => {
            let slots = Slots {
                new: Some($new),
                ..iterator($next)
            };
            out.push(
                ClassBuilder::new::<$payload>($name)
                    .flags(BASE)
                    .slots(slots)
                    .module(vm, "itertools")
                    .build(vm),
            );
        };
    }
    class!(Product, "product", product_new, product_next);
    class!(
        Permutations,
        "permutations",
        permutations_new,
        permutations_next
    );
    class!(
        Combinations,
        "combinations",
        combinations_new,
        combinations_next
    );
    class!(
        Replacements,
        "combinations_with_replacement",
        replacements_new,
        replacements_next
    );
}

/// The selection of a pool.
fn selection(pool: &[Value], indices: &[usize]) -> Value {
    if indices.is_empty() {
        Tuple::empty()
    } else {
        Value::from_ref(Tuple::from_exact(indices.iter().map(|&i| pool[i].clone())))
    }
}

/// `r`, the length of the selections: not negative, and with room for its indices.
fn length(vm: &mut Vm, v: &Value) -> R<usize> {
    let r = vm.index_i64(v)?;
    if r < 0 {
        return Err(vm.value_error("r must be non-negative"));
    }
    check_room(vm, usize::try_from(r).unwrap_or(usize::MAX), 4)?;
    Ok(r as usize)
}

// ---- product

payload! {
    /// Payload of `product`.
    Product {
        pools: Vec<Vec<Value>>,
        /// One index for each pool; the pools are repeated as often as it takes.
        indices: RefCell<Vec<usize>>,
        started: Cell<bool>,
        done: Cell<bool>,
    }
}

fn product_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let mut repeat = 1;
    for (name, value) in args.keywords() {
        if name.as_bytes() != b"repeat" {
            return Err(vm.type_error(format!(
                "product() got an unexpected keyword argument '{}'",
                name.to_text()
            )));
        }
        repeat = vm.index_i64(value)?;
        if repeat < 0 {
            return Err(vm.value_error("repeat argument cannot be negative"));
        }
    }
    let given = args.positional().len();
    let places = usize::try_from(repeat)
        .ok()
        .and_then(|r| r.checked_mul(given));
    if given > 0 && places.is_none_or(|n| n >= 1 << 28) {
        return Err(vm.overflow_error("repeat argument too large"));
    }
    let mut pools = Vec::new();
    if repeat > 0 {
        for iterable in args.positional() {
            pools.push(vm.collect(iterable)?);
        }
    }
    let count = match usize::try_from(repeat)
        .ok()
        .and_then(|r| r.checked_mul(pools.len()))
    {
        Some(count) => count,
        None if pools.is_empty() => 0,
        None => return Err(vm.overflow_error("repeat argument too large")),
    };
    check_room(vm, count, 2)?;
    let done = pools.iter().any(Vec::is_empty);
    let payload = Product {
        pools,
        indices: RefCell::new(vec![0; count]),
        started: Cell::new(false),
        done: Cell::new(done),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

fn product_next(_: &mut Vm, v: &Value) -> R {
    let p = receiver::<Product>(v);
    if p.done.get() {
        return Ok(Value::UNDEF);
    }
    let mut indices = p.indices.borrow_mut();
    let pools = p.pools.len().max(1);
    if p.started.replace(true) {
        // The last place turns fastest, as in an odometer.
        let mut at = indices.len();
        loop {
            if at == 0 {
                p.done.set(true);
                return Ok(Value::UNDEF);
            }
            at -= 1;
            indices[at] += 1;
            if indices[at] < p.pools[at % pools].len() {
                break;
            }
            indices[at] = 0;
        }
    }
    if indices.is_empty() {
        return Ok(Tuple::empty());
    }
    // (A division takes longer than the rest.)
    let mut of = 0;
    let item = |&i: &usize| {
        let item = p.pools[of][i].clone();
        of = if of + 1 == pools { 0 } else { of + 1 };
        item
    };
    Ok(Value::from_ref(Tuple::from_exact(indices.iter().map(item))))
}

// ---- permutations

payload! {
    /// Payload of `permutations`.
    Permutations {
        pool: Vec<Value>,
        length: usize,
        indices: RefCell<Vec<usize>>,
        cycles: RefCell<Vec<usize>>,
        started: Cell<bool>,
        done: Cell<bool>,
    }
}

fn permutations_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = bind(
        vm,
        args,
        "permutations",
        crate::params!("(iterable, r=None)"),
    )?;
    let pool = vm.collect(&bound[0])?;
    let n = pool.len();
    let r = match optional(&bound, 1) {
        Some(r) if !r.is_none() => {
            if r.as_int().is_none() {
                return Err(vm.type_error("Expected int as r"));
            }
            length(vm, r)?
        }
        _ => n,
    };
    let cycles = if r > n {
        Vec::new()
    } else {
        (0..r).map(|i| n - i).collect()
    };
    let payload = Permutations {
        pool,
        length: r,
        indices: RefCell::new((0..n).collect()),
        cycles: RefCell::new(cycles),
        started: Cell::new(false),
        done: Cell::new(r > n),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

fn permutations_next(_: &mut Vm, v: &Value) -> R {
    let p = receiver::<Permutations>(v);
    if p.done.get() {
        return Ok(Value::UNDEF);
    }
    let (mut indices, mut cycles) = (p.indices.borrow_mut(), p.cycles.borrow_mut());
    if p.started.replace(true) {
        let n = indices.len();
        let mut moved = false;
        for i in (0..p.length).rev() {
            cycles[i] -= 1;
            if cycles[i] == 0 {
                indices[i..].rotate_left(1);
                cycles[i] = n - i;
            } else {
                let j = cycles[i];
                indices.swap(i, n - j);
                moved = true;
                break;
            }
        }
        if !moved {
            p.done.set(true);
            return Ok(Value::UNDEF);
        }
    }
    Ok(selection(&p.pool, &indices[..p.length]))
}

// ---- combinations

payload! {
    /// Payload of `combinations`.
    Combinations {
        pool: Vec<Value>,
        indices: RefCell<Vec<usize>>,
        started: Cell<bool>,
        done: Cell<bool>,
    }
}

fn combinations_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = bind(vm, args, "combinations", crate::params!("(iterable, r)"))?;
    // The type of `r` is checked first, its sign last.
    let r = vm.index_i64(&bound[1])?;
    let pool = vm.collect(&bound[0])?;
    let r = length(vm, &Value::int(r))?;
    let done = r > pool.len();
    let indices = if done { Vec::new() } else { (0..r).collect() };
    let payload = Combinations {
        pool,
        indices: RefCell::new(indices),
        started: Cell::new(false),
        done: Cell::new(done),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

fn combinations_next(_: &mut Vm, v: &Value) -> R {
    let c = receiver::<Combinations>(v);
    if c.done.get() {
        return Ok(Value::UNDEF);
    }
    let mut indices = c.indices.borrow_mut();
    if c.started.replace(true) {
        let (n, r) = (c.pool.len(), indices.len());
        // The last index that can still grow, and all behind it follow.
        let Some(i) = (0..r).rev().find(|&i| indices[i] != i + n - r) else {
            c.done.set(true);
            return Ok(Value::UNDEF);
        };
        indices[i] += 1;
        for j in i + 1..r {
            indices[j] = indices[j - 1] + 1;
        }
    }
    Ok(selection(&c.pool, &indices))
}

// ---- combinations_with_replacement

payload! {
    /// Payload of `combinations_with_replacement`.
    Replacements {
        pool: Vec<Value>,
        indices: RefCell<Vec<usize>>,
        started: Cell<bool>,
        done: Cell<bool>,
    }
}

fn replacements_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = bind(
        vm,
        args,
        "combinations_with_replacement",
        crate::params!("(iterable, r)"),
    )?;
    // The type of `r` is checked first, its sign last.
    let r = vm.index_i64(&bound[1])?;
    let pool = vm.collect(&bound[0])?;
    let r = length(vm, &Value::int(r))?;
    let done = pool.is_empty() && r > 0;
    let indices = if done { Vec::new() } else { vec![0; r] };
    let payload = Replacements {
        pool,
        indices: RefCell::new(indices),
        started: Cell::new(false),
        done: Cell::new(done),
    };
    Ok(Value::from_ref(heap::alloc_instance(payload, class, 0)))
}

fn replacements_next(_: &mut Vm, v: &Value) -> R {
    let c = receiver::<Replacements>(v);
    if c.done.get() {
        return Ok(Value::UNDEF);
    }
    let mut indices = c.indices.borrow_mut();
    if c.started.replace(true) {
        let n = c.pool.len();
        let Some(i) = (0..indices.len()).rev().find(|&i| indices[i] != n - 1) else {
            c.done.set(true);
            return Ok(Value::UNDEF);
        };
        let next = indices[i] + 1;
        indices[i..].fill(next);
    }
    Ok(selection(&c.pool, &indices))
}
