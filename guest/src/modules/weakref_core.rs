//! `_weakref`: weak references for the module `weakref`.

use crate::builtins::weakrefs::{self, WeakRef};
use crate::heap::weak;
use crate::heap::{Payload, Ref};
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::value::Value;
use crate::vm::Vm;
use crate::vm::args::optional;

static FUNCTIONS: &[Def] = &[
    Def::function("getweakrefcount", "(object, /)", |_, args| {
        Ok(Value::int(weak::count(&args[0]) as i64))
    }),
    Def::function("getweakrefs", "(object, /)", |vm, args| {
        Ok(List::value(weakrefs::references_to(vm, &args[0])))
    }),
    Def::function("proxy", "(object, callback=None, /)", |vm, args| {
        let callback = optional(args, 1).cloned().unwrap_or(Value::NONE);
        weakrefs::proxy(vm, &args[0], callback)
    }),
    Def::function("_remove_dead_weakref", "(dct, key, /)", |vm, args| {
        let Some(dict) = args[0].as_ref::<Dict>().cloned() else {
            return Err(vm.type_error("_remove_dead_weakref() argument 1 must be dict"));
        };
        if let Some(v) = dict.get_item(vm, &args[1])?
            && v.is::<WeakRef>()
            && vm.call(&v, &[])?.is_none()
        {
            dict.remove_item(vm, &args[1])?;
        }
        Ok(Value::NONE)
    }),
];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(vm, "_weakref", "Weak-reference support module.", FUNCTIONS);
    let class = WeakRef::class().to_value();
    m.set(vm, "ref", class.clone());
    m.set(vm, "ReferenceType", class);
    let [proxy, callable] = weakrefs::proxy_classes();
    m.set(vm, "ProxyType", proxy);
    m.set(vm, "CallableProxyType", callable);
    m
}
