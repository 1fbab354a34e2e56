//! The builtins that reach attributes by name, for programs whose policy refuses dunder attributes: whoever calls them, the name is looked at.
//!
//! The library keeps the plain ones. A program's own may be called on its behalf by code of the library (`map` in something that iterates), where the frame on
//! top of the stack says nothing of who chose the name.

use crate::names;
use crate::objects::exception::Exc;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::{R, Vm};

/// The guarded versions.
pub(crate) static FUNCTIONS: &[Def] = &[
    Def::function("delattr", "(obj, name, /)", |vm, a| {
        check(vm, a)?;
        plain(vm, "delattr", a)
    }),
    Def::function(
        "getattr",
        "(object, name, default=<unrepresentable>, /)",
        |vm, a| match (check(vm, a), a.get(2)) {
            (Ok(()), _) => plain(vm, "getattr", a),
            (Err(raised), None) => Err(raised),
            (Err(raised), Some(default)) => {
                let default = default.clone();
                vm.swallow(raised, Exc::AttributeError)?;
                Ok(default)
            }
        },
    ),
    Def::function("hasattr", "(obj, name, /)", |vm, a| match check(vm, a) {
        Ok(()) => plain(vm, "hasattr", a),
        Err(raised) => {
            vm.swallow(raised, Exc::AttributeError)?;
            Ok(Value::FALSE)
        }
    }),
    Def::function("setattr", "(obj, name, value, /)", |vm, a| {
        check(vm, a)?;
        plain(vm, "setattr", a)
    }),
    Def::function("vars", "(object=<unrepresentable>, /)", |vm, a| {
        if !a.is_empty() {
            let name = names::intern("__dict__");
            vm.check_dunder(&name)?;
        }
        plain(vm, "vars", a)
    }),
];

fn check(vm: &mut Vm, a: &[Value]) -> R<()> {
    match a.get(1).and_then(|name| name.as_ref::<Str>().cloned()) {
        Some(name) => vm.check_dunder(&name),
        // The plain function says what is wrong with it.
        None => Ok(()),
    }
}

fn plain(vm: &mut Vm, name: &str, a: &[Value]) -> R {
    let function = vm.builtins.get_str(vm, &names::intern(name)).cloned();
    vm.call(&function.unwrap_or(Value::NONE), a)
}
