//! The compiler's operations for PEP 695 syntax: they make the objects that `_typing` defines.

use super::attribute;
use crate::names::{self, Names};
use crate::objects::exception::{Exc, Exception};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_compiler::op::Intrinsic as I;

/// The rare operations of the compiler; the operands are as its table of operations says.
pub(crate) fn intrinsic(vm: &mut Vm, kind: u8, mut operands: Vec<Value>) -> R {
    let missing = operands.len().max(5);
    operands.resize_with(missing, || Value::NONE);
    let o = |i: usize| operands[i].clone();
    match kind {
        k if k == I::TypeVar as u8 => {
            let f = typing(vm, "_make_typevar")?;
            vm.call(&f, &[o(0), o(1), o(2), o(3)])
        }
        k if k == I::ParamSpec as u8 => {
            let f = typing(vm, "_make_paramspec")?;
            vm.call(&f, &[o(0), o(1)])
        }
        k if k == I::TypeVarTuple as u8 => {
            let f = typing(vm, "_make_typevartuple")?;
            vm.call(&f, &[o(0), o(1)])
        }
        k if k == I::TypeAlias as u8 => {
            let f = typing(vm, "_make_alias")?;
            let parameters = if o(1).is_none() { Tuple::empty() } else { o(1) };
            vm.call(&f, &[o(0), parameters, o(2)])
        }
        k if k == I::SubscriptGeneric as u8 => {
            let generic = typing(vm, "Generic")?;
            let mut args = Vec::new();
            for p in vm.collect(&operands[0])? {
                // Every TypeVarTuple is unpacked.
                if vm.class_name(&p) == "TypeVarTuple" {
                    args.extend(vm.collect(&p)?);
                } else {
                    args.push(p);
                }
            }
            vm.get_item(&generic, &Tuple::value(args))
        }
        k if k == I::SetTypeParams as u8 => {
            vm.set_attr(
                &operands[0],
                &Names::get().__type_params__.to_value(),
                Some(&operands[1]),
            )?;
            Ok(o(0))
        }
        k if k == I::StopIterationError as u8 => stop_iteration_error(vm, o(0)),
        _ => Err(vm.system_error(format!("unknown operation {kind}"))),
    }
}

fn typing(vm: &mut Vm, name: &str) -> R {
    let module = vm.import_module("_typing")?;
    match attribute(vm, &module, name)? {
        Some(f) => Ok(f),
        None => Err(vm.no_attribute(&module, &names::intern(name).to_value())),
    }
}

/// PEP 479: a `StopIteration` that would leave a generator's body becomes a `RuntimeError` caused by it.
fn stop_iteration_error(vm: &mut Vm, exception: Value) -> R {
    let class = vm.class_of(&exception).clone();
    let text = if class.is_subclass_of(Exc::StopIteration.class()) {
        "generator raised StopIteration"
    } else if class.is_subclass_of(Exc::StopAsyncIteration.class()) {
        "async generator raised StopAsyncIteration"
    } else {
        return Ok(exception);
    };
    let e = Exception::new(
        Exc::RuntimeError.class(),
        Tuple::value(vec![crate::objects::string::Str::value(text)]),
    );
    let state = e.state.get_mut(vm);
    state.cause = Some(exception.clone());
    state.context = Some(exception);
    state.suppress_context = true;
    Ok(Value::from_ref(e))
}
