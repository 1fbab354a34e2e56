//! `_dis_core`: the instructions of a code object, for `dis`.

use crate::heap::Ref;
use crate::names;
use crate::objects::code::Code;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_compiler::dis::{listing, operation_names};

static FUNCTIONS: &[Def] = &[
    Def::function("instructions", "(code, /)", instructions),
    Def::function("handlers", "(code, /)", handlers),
    Def::function("operations", "()", |_, _| {
        let names = operation_names()
            .iter()
            .map(|name| Value::from_ref(names::intern(name)))
            .collect();
        Ok(List::value(names))
    }),
];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_dis_core", "", FUNCTIONS)
}

fn code_of(vm: &mut Vm, v: &Value) -> R<Ref<Code>> {
    match v.as_ref::<Code>() {
        Some(code) => Ok(code.clone()),
        None => Err(vm.type_error(format!("a code object is needed, not {}", vm.class_name(v)))),
    }
}

/// `(opcode, name, argument or None, its text, offset, line, jump target or None)` of each.
fn instructions(vm: &mut Vm, args: &[Value]) -> R {
    let code = code_of(vm, &args[0])?;
    let described = code.described(vm);
    let rows = listing(&described)
        .into_iter()
        .map(|listed| {
            let op = code.proto.instrs[listed.at].op as i64;
            let argument = match (&listed.about, listed.constant, listed.target) {
                (Some(name), ..) => Value::from_ref(names::intern(name)),
                (_, Some(index), _) => code.consts.get(index).cloned().unwrap_or(Value::NONE),
                (_, _, Some(target)) => Value::int(i64::from(target) * 2),
                _ => Value::NONE,
            };
            Tuple::value(vec![
                Value::int(op),
                Value::from_ref(names::intern(&listed.name)),
                argument,
                Str::value(&listed.operands),
                Value::int(listed.at as i64 * 2),
                Value::int(i64::from(code.line_at(listed.at))),
                listed
                    .target
                    .map_or(Value::NONE, |t| Value::int(i64::from(t) * 2)),
            ])
        })
        .collect();
    Ok(List::value(rows))
}

/// `(start, end, target, depth)` of each exception handler, as offsets.
fn handlers(vm: &mut Vm, args: &[Value]) -> R {
    let code = code_of(vm, &args[0])?;
    let rows = code
        .proto
        .handlers
        .iter()
        .map(|h| {
            Tuple::value(vec![
                Value::int(i64::from(h.start) * 2),
                Value::int(i64::from(h.end) * 2),
                Value::int(i64::from(h.target) * 2),
                Value::int(i64::from(h.depth)),
            ])
        })
        .collect();
    Ok(List::value(rows))
}
