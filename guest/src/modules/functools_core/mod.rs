//! `_functools`: what is native of `functools`.

mod cache;
mod compare_key;
mod partial;

use crate::heap::Ref;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::rows::{Next, Row};
use crate::vm::{R, Vm};
use std::cell::RefCell;
use std::rc::Rc;

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(
        vm,
        "_functools",
        "Tools that operate on functions.",
        FUNCTIONS,
    );
    let class = partial::class(vm);
    module.set(vm, "partial", class.to_value());
    let (class, placeholder) = partial::placeholder(vm);
    module.set(vm, "_PlaceholderType", class.to_value());
    module.set(vm, "Placeholder", placeholder);
    let class = cache::class(vm);
    module.set(vm, "_lru_cache_wrapper", class.to_value());
    compare_key::init(vm);
    module
}

static FUNCTIONS: &[Def] = &[
    Def::function("cmp_to_key", "(mycmp)", |_, args| {
        Ok(compare_key::key_class(&args[0]))
    }),
    Def::function("reduce", "(function, iterable, /, initial=None)", reduce),
];

fn reduce(vm: &mut Vm, args: &[Value]) -> R {
    let slots = class_of(&args[1]).slots();
    if slots.iter.is_none() && slots.getitem.is_none() {
        return Err(vm.type_error("reduce() arg 2 must support iteration"));
    }
    let it = vm.get_iter(&args[1])?;
    let total = match optional(args, 2) {
        Some(initial) => initial.clone(),
        None => match vm.step(&it)? {
            Some(first) => first,
            None => return Err(vm.type_error("reduce() of empty iterable with no initial value")),
        },
    };
    let row = Rc::new(RefCell::new(Reduction { it, total }));
    vm.call_row(&args[0], &row)?;
    let total = row.borrow_mut().total.take();
    Ok(total)
}

/// What is reduced so far.
struct Reduction {
    it: Value,
    total: Value,
}

impl Row for Reduction {
    fn next(&mut self, vm: &mut Vm, result: Option<Value>) -> R<Next> {
        if let Some(result) = result {
            self.total = result;
        }
        Ok(match vm.step(&self.it)? {
            Some(item) => Next::Two(self.total.take(), item),
            None => Next::End,
        })
    }
}
