//! What is there without an import: the classes' Python side that is not one type's own, the builtin functions, and the boot order.

pub mod anext;
pub mod async_steps;
pub mod code_objects;
pub mod compiling;
pub mod descriptors;
mod docs;
pub mod exceptions;
mod folding;
pub mod frames;
pub mod functions;
pub mod generators;
pub mod groups;
pub(crate) mod guarded;
mod instance_checks;
pub mod iterators;
pub mod module_type;
pub mod numbers;
pub mod object;
pub mod pickling;
pub mod publish;
pub mod ranges;
pub mod text;
pub mod tracebacks;
mod type_facts;
pub mod type_object;
pub mod type_params;
pub mod weakrefs;

use crate::names;
use crate::objects::module::Module;
use crate::value::Value;
use crate::vm::Vm;

/// Makes every built-in class, function and native module. The order matters only where it is said.
pub(crate) fn init(vm: &mut Vm) {
    // First the classes that all others need: `object`, `type`, then what methods and attributes are made of.
    object::init(vm);
    type_object::init(vm);
    descriptors::init(vm);
    functions::init(vm);
    module_type::init(vm);
    exceptions::init(vm);
    numbers::init(vm);
    crate::objects::string::methods::init(vm);
    crate::objects::bytes::methods::init(vm);
    crate::objects::tuple_methods::init(vm);
    crate::objects::list::methods::init(vm);
    crate::objects::dict::methods::init(vm);
    crate::objects::set::methods::init(vm);
    ranges::init(vm);
    iterators::init(vm);
    generators::init(vm);
    frames::init(vm);
    code_objects::init(vm);
    tracebacks::init(vm);
    weakrefs::init(vm);
    type_params::init(vm);
    groups::init(vm);
    crate::objects::host_object::init(vm);
    let module = Module::new(vm, "builtins", Value::NONE);
    vm.builtins = module.dict.clone();
    vm.modules = crate::objects::dict::Dict::new();
    let modules = vm.modules.clone();
    modules.set_str(
        vm,
        &names::intern("builtins"),
        Value::from_ref(module.clone()),
    );
    let main = Module::of_program(vm, "__main__");
    main.dict.set_str(
        vm,
        &names::Names::get().__builtins__,
        Value::from_ref(module.clone()),
    );
    modules.set_str(
        vm,
        &names::Names::get().__main__,
        Value::from_ref(main.clone()),
    );
    vm.main = main;
    publish::fill(vm, &module);
    crate::modules::init(vm);
}
