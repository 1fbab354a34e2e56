//! `tee`: several iterators over what one gives. What the first has read waits in a chain of blocks for the others.

use super::payload::{Fields, payload};
use crate::builtins::iterators::iterator;
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use std::cell::{Cell, RefCell};

/// Items in a block.
const BLOCK: usize = 57;

/// Makes the classes.
pub(super) fn classes(vm: &mut Vm, out: &mut Vec<Ref<Type>>) {
    let slots = Slots {
        new: Some(tee_new),
        ..iterator(tee_next)
    };
    out.push(
        ClassBuilder::new::<Tee>("_tee")
            .slots(slots)
            .methods(vm, TEE)
            .weak()
            .module(vm, "itertools")
            .build(vm),
    );
    out.push(
        ClassBuilder::new::<Block>("_tee_dataobject")
            .module(vm, "itertools")
            .build(vm),
    );
}

/// Payload of `_tee_dataobject`: a block of items.
pub(super) struct Block {
    source: Value,
    items: RefCell<Vec<Value>>,
    next: RefCell<Option<Ref<Block>>>,
    /// The source is being asked for an item.
    running: Cell<bool>,
}

// SAFETY: visits source, items and the next block.
unsafe impl Payload for Block {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.source);
        self.items.each(visit);
        if let Some(next) = &*self.next.borrow() {
            next.with_value(visit);
        }
    }
}

impl Block {
    fn new(source: Value) -> Ref<Block> {
        heap::alloc(Block {
            source,
            items: RefCell::new(Vec::new()),
            next: RefCell::new(None),
            running: Cell::new(false),
        })
    }
}

payload! {
    /// Payload of `_tee`: one of the iterators.
    Tee {
        block: RefCell<Ref<Block>>,
        index: Cell<usize>,
    }
}

/// `tee(iterable, n)`
pub(super) fn tee(vm: &mut Vm, args: &[Value]) -> R {
    let n = match optional(args, 1) {
        Some(n) => vm.index_i64(n)?,
        None => 2,
    };
    if n < 0 {
        return Err(vm.value_error("n must be >= 0"));
    }
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    crate::objects::sequence::check_room(vm, n, 8)?;
    if n == 0 {
        return Ok(Tuple::empty());
    }
    let first = from_iterable(vm, &args[0])?;
    let mut all = vec![first];
    while all.len() < n {
        let next = copy(&all[0]);
        all.push(next);
    }
    Ok(Tuple::value(all))
}

fn from_iterable(vm: &mut Vm, iterable: &Value) -> R {
    let it = vm.get_iter(iterable)?;
    if it.is_exact::<Tee>() {
        return Ok(copy(&it));
    }
    Ok(Value::from_ref(heap::alloc(Tee {
        block: RefCell::new(Block::new(it)),
        index: Cell::new(0),
    })))
}

/// An iterator at the same place.
fn copy(v: &Value) -> Value {
    let tee = receiver::<Tee>(v);
    Value::from_ref(heap::alloc(Tee {
        block: tee.block.clone(),
        index: tee.index.clone(),
    }))
}

fn tee_new(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    let args = args.exactly(vm, "_tee", 1, 1)?;
    from_iterable(vm, &args[0])
}

fn tee_next(vm: &mut Vm, v: &Value) -> R {
    let tee = receiver::<Tee>(v);
    if tee.index.get() >= BLOCK {
        let next = {
            let block = tee.block.borrow();
            block
                .next
                .borrow_mut()
                .get_or_insert_with(|| Block::new(block.source.clone()))
                .clone()
        };
        drop(tee.block.replace(next));
        tee.index.set(0);
    }
    let block = tee.block.borrow().clone();
    let index = tee.index.get();
    let known = block.items.borrow().get(index).cloned();
    let item = match known {
        Some(item) => item,
        None => {
            if block.running.get() {
                return Err(vm.runtime_error("cannot re-enter the tee iterator"));
            }
            block.running.set(true);
            let item = vm.iter_next(&block.source);
            block.running.set(false);
            let Some(item) = item? else {
                return Ok(Value::UNDEF);
            };
            block.items.borrow_mut().push(item.clone());
            item
        }
    };
    tee.index.set(index + 1);
    Ok(item)
}

static TEE: &[Def] = &[Def::method("__copy__", "(self, /)", |_, args| {
    Ok(copy(&args[0]))
})];
