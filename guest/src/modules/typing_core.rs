//! `_typing_core`: the native classes that `_typing` needs.

use crate::builtins::type_params::{GenericAlias, Union};
use crate::heap::{Payload, Ref};
use crate::objects::module::Module;
use crate::objects::native::{Def, Native};
use crate::objects::string::Str;
use crate::vm::Vm;

static FUNCTIONS: &[Def] = &[Def::function("_idfunc", "(x, /)", |_, args| {
    Ok(args[0].clone())
})];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(vm, "_typing_core", "", FUNCTIONS);
    // It is part of `_typing`, whose other half is in Python.
    for def in FUNCTIONS {
        m.set(vm, def.name, Native::function(def, Str::value("_typing")));
    }
    m.set(vm, "GenericAlias", GenericAlias::class().to_value());
    m.set(vm, "Union", Union::class().to_value());
    m
}
