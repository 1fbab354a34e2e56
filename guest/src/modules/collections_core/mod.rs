//! `_collections`: what is native of `collections`.

mod defaultdict;
pub mod deque;
mod ordered;
mod tuplegetter;

pub use ordered::is_ordered;

use crate::heap::{Payload, Ref};
use crate::names::{self, Names};
use crate::objects::dict::{self, Dict};
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(
        vm,
        "_collections",
        "High performance data structures",
        FUNCTIONS,
    );
    let classes: Vec<Ref<Type>> = vec![
        deque::class(vm),
        defaultdict::class(vm),
        ordered::class(vm),
        deque::iterator_class(),
        deque::reverse_iterator_class(),
        tuplegetter::class(vm),
    ];
    for class in classes {
        let name = class.bare_name().into_owned();
        module.set(vm, &name, class.to_value());
    }
    module
}

static FUNCTIONS: &[Def] = &[Def::function(
    "_count_elements",
    "(mapping, iterable, /)",
    count_elements,
)];

/// Counts elements of an iterable in a mapping: the heart of `Counter`.
fn count_elements(vm: &mut Vm, args: &[Value]) -> R {
    let (mapping, one) = (&args[0], Value::small_int(1));
    let it = vm.get_iter(&args[1])?;
    let n = Names::get();
    let class = class_of(mapping).clone();
    // A dictionary whose class overrides neither reading nor writing can be updated directly.
    let inherits = |vm: &Vm, name| match (
        vm.type_lookup(&class, name),
        vm.type_lookup(Dict::class(), name),
    ) {
        (Some(a), Some(b)) => a.is_same(&b),
        _ => false,
    };
    if let Some(counts) = mapping.as_ref::<Dict>()
        && inherits(vm, &n.get)
        && inherits(vm, &n.__setitem__)
    {
        while let Some(key) = vm.step(&it)? {
            vm.poll_native()?;
            let hash = dict::hash_key(vm, &key)?;
            let count = match counts.get_hashed(vm, &key, hash)? {
                Some(count) => match count.as_small_int() {
                    Some(i) => Value::int(i + 1),
                    None => vm.binary(crate::objects::slots::BinOp::Add, &count, &one)?,
                },
                None => one.clone(),
            };
            counts.set_hashed(vm, &key, hash, count)?;
        }
        return Ok(Value::NONE);
    }
    let get = vm.get_attr(mapping, &names::intern("get").to_value())?;
    while let Some(key) = vm.step(&it)? {
        vm.poll_native()?;
        let count = vm.call(&get, &[key.clone(), Value::small_int(0)])?;
        let count = vm.binary(crate::objects::slots::BinOp::Add, &count, &one)?;
        vm.set_item(mapping, &key, &count)?;
    }
    Ok(Value::NONE)
}
