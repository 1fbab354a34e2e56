//! `itertools`.
//!
//! Every function is a class whose instances are iterators. Since 3.14 they are neither copied nor pickled.

mod combinatoric;
mod filters;
mod groups;
mod payload;
mod sequences;
mod tee;

pub(crate) use sequences::pour;

use crate::builtins::iterators::takes_keywords;
use crate::heap::Ref;
use crate::objects::module::Module;
use crate::objects::native::{Def, Params};
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};
use std::cell::RefCell;

thread_local! {
    static CLASSES: RefCell<Vec<Ref<Type>>> = const { RefCell::new(Vec::new()) };
}

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(
        vm,
        "itertools",
        "Functional tools for creating and using iterators.",
        FUNCTIONS,
    );
    let mut classes = CLASSES.with_borrow(Clone::clone);
    if classes.is_empty() {
        sequences::classes(vm, &mut classes);
        filters::classes(vm, &mut classes);
        groups::classes(vm, &mut classes);
        combinatoric::classes(vm, &mut classes);
        tee::classes(vm, &mut classes);
        CLASSES.with_borrow_mut(|c| c.clone_from(&classes));
    }
    for class in classes {
        let name = class.bare_name().into_owned();
        module.set(vm, &name, class.to_value());
    }
    module
}

static FUNCTIONS: &[Def] = &[Def::function("tee", "(iterable, n=2, /)", tee::tee)];

/// The arguments of a constructor, bound to its signature.
fn bind(vm: &mut Vm, args: Args, name: &str, params: &Params) -> R<Vec<Value>> {
    args.bind(vm, name, params, 0)
}

/// The arguments of a constructor that takes exactly two, by position. Subclasses may take keywords of their own.
fn two<'a>(
    vm: &mut Vm,
    class: &Ref<Type>,
    args: Args<'a>,
    name: &str,
) -> R<(&'a Value, &'a Value)> {
    if !takes_keywords(vm, class) {
        args.no_keywords(vm, name)?;
    }
    let args = Args::positional_only(args.positional()).exactly(vm, name, 2, 2)?;
    Ok((&args[0], &args[1]))
}
