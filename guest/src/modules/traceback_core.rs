//! `_traceback_core`: the machine's own texts of exceptions and frames, for the module `traceback`.

use crate::builtins::tracebacks::{self, Traceback};
use crate::heap::Ref;
use crate::objects::exception::{Exception, TraceEntry};
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::{R, Vm};

static FUNCTIONS: &[Def] = &[
    Def::function("format", "(exception, /)", |vm, args| {
        check(vm, &args[0])?;
        Ok(Str::value(&tracebacks::format(vm, &args[0])))
    }),
    Def::function("format_only", "(exception, /)", |vm, args| {
        check(vm, &args[0])?;
        Ok(Str::value(&tracebacks::format_only(vm, &args[0])))
    }),
    Def::function("format_entry", "(frame_or_traceback, /)", |vm, args| {
        let entry = entry_of(vm, &args[0])?;
        let mut out = String::new();
        tracebacks::format_entries(&[entry], &mut out);
        Ok(Str::value(&out))
    }),
];

fn check(vm: &mut Vm, v: &Value) -> R<()> {
    if v.is::<Exception>() {
        Ok(())
    } else {
        Err(vm.type_error(format!("expected an exception, got {}", vm.class_name(v))))
    }
}

fn entry_of(vm: &mut Vm, v: &Value) -> R<TraceEntry> {
    if let Some(t) = v.as_ref::<Traceback>() {
        return Ok(t.entry.clone());
    }
    match crate::builtins::frames::trace_entry(vm, v) {
        Some(entry) => Ok(entry),
        None => Err(vm.type_error(format!(
            "expected a frame or a traceback, got {}",
            vm.class_name(v)
        ))),
    }
}

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_traceback_core", "", FUNCTIONS)
}
