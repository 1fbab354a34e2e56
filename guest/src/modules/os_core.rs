//! `_os_core`: what `os` needs of the host.

use crate::heap::Ref;
use crate::objects::bytes::Bytes;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::value::Value;
use crate::vm::Vm;

/// Most random bytes for one call.
const MAX_RANDOM: i64 = 1 << 24;

static FUNCTIONS: &[Def] = &[
    Def::function("has_module", "(name, /)", |_, args| {
        let name = args[0].as_ref::<crate::objects::string::Str>();
        Ok(Value::bool(
            name.is_some_and(|n| crate::modules::exists(&n.to_text())),
        ))
    }),
    Def::function("urandom", "(size, /)", |vm, args| {
        let n = vm.index_i64(&args[0])?;
        if n < 0 {
            return Err(vm.value_error("negative argument not allowed"));
        }
        if n > MAX_RANDOM {
            return Err(vm.memory_error());
        }
        let bytes = vm.host.entropy(n as usize);
        Ok(Bytes::value(bytes))
    }),
];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_os_core", "", FUNCTIONS)
}
