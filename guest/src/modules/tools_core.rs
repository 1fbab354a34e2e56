//! `_tools_core`: calls of tools that run beside the program, for `_tools` and the event loop.

use crate::heap::Ref;
use crate::objects::bytes::Bytes;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};

fn start(vm: &mut Vm, args: &[Value]) -> R {
    let (Some(name), Some(arguments)) = (args[0].as_ref::<Str>(), args[1].as_ref::<Bytes>()) else {
        return Err(vm.type_error("start() takes a name and encoded arguments"));
    };
    let (name, arguments) = (name.to_text().into_owned(), arguments.clone());
    match vm.host.start_tool(&name, &arguments.data) {
        Ok(call) => Ok(Value::bigint(call.into())),
        Err((type_name, message)) => {
            vm.poll()?;
            Err(vm.raise_tool_error(&type_name, &message))
        }
    }
}

/// `(call, value, None)`, `(call, None, exception)`, or `None`.
fn wait(vm: &mut Vm, args: &[Value]) -> R {
    let length = if args[0].is_none() {
        None
    } else {
        let seconds = vm.to_double(&args[0])?;
        // Rounded up, so that the timer that is waited for is due afterwards.
        Some((seconds.max(0.0) * 1e9).ceil() as u64)
    };
    let reply = vm.host.wait_tool(length);
    vm.poll()?;
    let Some((call, outcome)) = reply else {
        return Ok(Value::NONE);
    };
    let call = Value::bigint(call.into());
    Ok(Tuple::value(match vm.tool_reply(outcome) {
        Ok(value) => vec![call, value, Value::NONE],
        Err(raised) if vm.stopped.is_some() => return Err(raised),
        Err(_) => {
            let exception = vm.take_error();
            vec![call, Value::NONE, exception]
        }
    }))
}

fn drop_call(vm: &mut Vm, args: &[Value]) -> R {
    if let Some(call) = args[0].as_int().and_then(|n| n.to_i64()) {
        vm.host.drop_tool(call as u64);
    }
    Ok(Value::NONE)
}

static FUNCTIONS: &[Def] = &[
    Def::function("start", "(name, arguments, /)", start),
    Def::function("wait", "(seconds, /)", wait),
    Def::function("drop", "(call, /)", drop_call),
];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_tools_core", "", FUNCTIONS)
}
