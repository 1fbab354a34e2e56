//! `_os_core`: what `os` needs of the host.

use super::library;
use crate::heap::Ref;
use crate::objects::bytes::Bytes;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::Vm;

/// Most random bytes for one call.
const MAX_RANDOM: i64 = 1 << 24;

static FUNCTIONS: &[Def] = &[
    Def::function("has_module", "(name, /)", |_, args| {
        let name = args[0].as_ref::<Str>();
        Ok(Value::bool(
            name.is_some_and(|n| crate::modules::exists(&n.to_text())),
        ))
    }),
    Def::function("native_module", "(name, /)", |vm, args| {
        let name = args[0]
            .as_ref::<Str>()
            .map(|n| n.to_text().into_owned())
            .unwrap_or_default();
        Ok(crate::modules::load_native(vm, &name).unwrap_or(Value::NONE))
    }),
    Def::function("library_names", "()", |_, _| {
        Ok(List::value(library::names().map(Str::value).collect()))
    }),
    Def::function("library_source", "(name, /)", |_, args| {
        let name = args[0].as_ref::<Str>().map(|n| n.to_text().into_owned());
        Ok(match name.and_then(|n| library::find(&n)) {
            Some(entry) => Tuple::value(vec![
                Str::value(entry.source),
                Value::bool(entry.is_package),
            ]),
            None => Value::NONE,
        })
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
