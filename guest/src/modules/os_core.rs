//! `_os_core`: what modules there are, for `importlib`.

use super::library;
use crate::heap::Ref;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::Vm;

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
                Str::value(&entry.source()),
                Value::bool(entry.is_package),
            ]),
            None => Value::NONE,
        })
    }),
];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_os_core", "", FUNCTIONS)
}
