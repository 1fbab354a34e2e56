//! `re.PatternError`.

use crate::heap::Ref;
use crate::names;
use crate::objects::exception::{Exc, Exception};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, EXCEPTION, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Raised, Vm};
use coldframe_regex::{Error, ErrorKind, MatchError};
use std::cell::OnceCell;

thread_local! {
    static CLASS: OnceCell<Ref<Type>> = const { OnceCell::new() };
}

/// The class.
pub(super) fn class(vm: &mut Vm) -> Ref<Type> {
    if let Some(class) = CLASS.with(|c| c.get().cloned()) {
        return class;
    }
    let builder = ClassBuilder::sibling::<Exception>("PatternError")
        .base(Exc::Exception.class())
        .flags(BASE | EXCEPTION);
    let builder = builder.slots(Slots {
        init: Some(init),
        ..Slots::NONE
    });
    let class = builder
        .module(vm, "re")
        .doc(vm, "Exception raised for invalid regular expressions.")
        .build(vm);
    CLASS.with(|c| c.get_or_init(|| class).clone())
}

/// `PatternError(msg, pattern=None, pos=None)`
fn init(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    let a = args.bind(
        vm,
        "PatternError",
        crate::params!("(msg, pattern=None, pos=None)"),
        0,
    )?;
    let pattern = optional(&a, 1).cloned().unwrap_or(Value::NONE);
    let pos = optional(&a, 2).cloned().unwrap_or(Value::NONE);
    let mut text = vm.str(&a[0])?.to_text().into_owned();
    let (mut line, mut column) = (Value::NONE, Value::NONE);
    if !pattern.is_none() && !pos.is_none() {
        let at = vm.index_clamped(&pos)?.max(0) as usize;
        let units: Vec<u32> = match pattern.as_ref::<Str>() {
            Some(s) => s.chars().collect(),
            None => crate::objects::bytes::buffer::view(vm, &pattern)
                .unwrap_or_default()
                .iter()
                .map(|&b| u32::from(b))
                .collect(),
        };
        let before = &units[..at.min(units.len())];
        let newline = u32::from('\n');
        let lines = before.iter().filter(|&&c| c == newline).count() + 1;
        let columns = at
            - before
                .iter()
                .rposition(|&c| c == newline)
                .map_or(0, |i| i + 1)
            + 1;
        text = format!("{text} at position {at}");
        if units.contains(&newline) {
            text = format!("{text} (line {lines}, column {columns})");
        }
        (line, column) = (Value::int(lines as i64), Value::int(columns as i64));
    }
    for (name, value) in [
        ("msg", a[0].clone()),
        ("pattern", pattern),
        ("pos", pos),
        ("lineno", line),
        ("colno", column),
    ] {
        vm.set_attr(e, &names::intern(name).to_value(), Some(&value))?;
    }
    if let Some(e) = e.as_ref::<Exception>() {
        let text = if e.state.get(vm).args.is_some() && optional(&a, 2).is_none() {
            a[0].clone()
        } else {
            Str::value(&text)
        };
        let old = e.state.get_mut(vm).args.replace(Tuple::value(vec![text]));
        drop(old);
    }
    Ok(())
}

/// Raises the exception that an error of a pattern or template stands for.
#[cold]
pub(super) fn raise(vm: &mut Vm, error: &Error, source: &Value) -> Raised {
    match error.kind {
        ErrorKind::Value => vm.value_error(error.text()),
        ErrorKind::Overflow => vm.overflow_error(error.text()),
        ErrorKind::Recursion => vm.recursion_error(error.text()),
        ErrorKind::Index => vm.index_error(error.text()),
        ErrorKind::Pattern => {
            let class = class(vm).to_value();
            let mut args = vec![Str::value(&error.msg)];
            if let Some(pos) = error.pos {
                args.extend([source.clone(), Value::int(pos as i64)]);
            }
            match vm.call(&class, &args) {
                Ok(e) => vm.raise_value(e),
                Err(raised) => raised,
            }
        }
    }
}

/// Raises what a match that was given up stands for.
#[cold]
pub(super) fn given_up(vm: &mut Vm, error: MatchError) -> Raised {
    match error {
        MatchError::SubjectTooLong => {
            vm.overflow_error("the subject is too long for a regular expression")
        }
        // An interruption carries its own exception, and never comes here.
        MatchError::StackLimit | MatchError::Interrupted => vm.memory_error(),
    }
}
