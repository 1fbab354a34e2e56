//! `open`.

use super::file_io::FileIo;
use super::{buffered, text};
use crate::heap::Payload;
use crate::names;
use crate::objects::exception::Exc;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};

/// `open(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None)`
pub(crate) fn open(vm: &mut Vm, args: &[Value]) -> R {
    let file = &args[0];
    let given = |i: usize| optional(args, i).filter(|v| !v.is_none()).cloned();
    let shown_mode = match optional(args, 1) {
        Some(v) if v.is::<Str>() => v.clone(),
        Some(v) => {
            return Err(vm.type_error(format!(
                "open() argument 'mode' must be str, not {}",
                vm.arg_class_name(v)
            )));
        }
        None => Str::value("r"),
    };
    let mode = match shown_mode.as_ref::<Str>() {
        Some(s) => s.to_text().into_owned(),
        None => String::new(),
    };
    for (i, name) in [(3, "encoding"), (4, "errors"), (5, "newline")] {
        if let Some(v) = given(i)
            && !v.is::<Str>()
        {
            return Err(vm.type_error(format!(
                "open() argument '{name}' must be str or None, not {}",
                vm.arg_class_name(&v)
            )));
        }
    }
    let mut buffering = match optional(args, 2) {
        Some(v) => {
            let n = vm.index_i64(v)?;
            if i32::try_from(n).is_err() {
                return Err(vm.overflow_error(if n > 0 {
                    "signed integer is greater than maximum"
                } else {
                    "signed integer is less than minimum"
                }));
            }
            n
        }
        None => -1,
    };
    // What names a file is asked for its name once.
    let path = if crate::objects::sequence::is_index(file) {
        file.clone()
    } else {
        vm.fs_path(file)?
    };
    let has = |c: char| mode.contains(c);
    if mode.chars().any(|c| !"rwaxbt+".contains(c))
        || "rwaxbt+".chars().any(|c| mode.matches(c).count() > 1)
    {
        return Err(vm.value_error(format!("invalid mode: '{mode}'")));
    }
    let binary = has('b');
    if binary && has('t') {
        return Err(vm.value_error("can't have text and binary mode at once"));
    }
    if mode.chars().filter(|c| "rwax".contains(*c)).count() > 1 {
        return Err(vm.value_error("must have exactly one of create/read/write/append mode"));
    }
    if binary {
        for (i, name) in [(3, "encoding"), (4, "errors"), (5, "newline")] {
            if given(i).is_some() {
                let article = if name == "errors" || name == "encoding" {
                    "an"
                } else {
                    "a"
                };
                return Err(vm.value_error(format!(
                    "binary mode doesn't take {article} {name} argument"
                )));
            }
        }
        if buffering == 1 {
            super::warn(
                vm,
                Exc::RuntimeWarning,
                "line buffering (buffering=1) isn't supported in binary mode, the default buffer size will be used",
                None,
            )?;
        }
    }
    let raw_mode: String = mode.chars().filter(|c| "rwax+".contains(*c)).collect();
    let closefd = optional(args, 6).cloned().unwrap_or(Value::TRUE);
    let opener = optional(args, 7).cloned().unwrap_or(Value::NONE);
    let class = FileIo::class().to_value();
    let raw = vm.call(&class, &[path, Str::value(&raw_mode), closefd, opener])?;
    let line_buffering = buffering == 1 && !binary;
    if buffering == 1 || buffering < 0 {
        buffering = super::DEFAULT_BUFFER_SIZE;
    }
    if buffering == 0 {
        if !binary {
            return fail(vm, &raw, |vm| {
                vm.value_error("can't have unbuffered text I/O")
            });
        }
        return Ok(raw);
    }
    let class = if has('+') {
        buffered::classes(vm).random.to_value()
    } else if has('r') {
        buffered::classes(vm).reader.to_value()
    } else {
        buffered::classes(vm).writer.to_value()
    };
    let buffer = match vm.call(&class, &[raw.clone(), Value::int(buffering)]) {
        Ok(buffer) => buffer,
        Err(raised) => return fail(vm, &raw, |_| raised),
    };
    if binary {
        return Ok(buffer);
    }
    let class = text::TextFile::class().to_value();
    let or_none = |i: usize| optional(args, i).cloned().unwrap_or(Value::NONE);
    let made = vm.call(
        &class,
        &[
            buffer.clone(),
            or_none(3),
            or_none(4),
            or_none(5),
            Value::bool(line_buffering),
        ],
    );
    let made = match made {
        Ok(made) => made,
        Err(raised) => return fail(vm, &buffer, |_| raised),
    };
    vm.set_attr(&made, &Str::value("mode"), Some(&shown_mode))?;
    Ok(made)
}

/// Closes what was opened in vain, and raises.
fn fail(vm: &mut Vm, file: &Value, raise: impl FnOnce(&mut Vm) -> crate::vm::Raised) -> R {
    let raised = raise(vm);
    let error = vm.take_error();
    if let Err(second) = vm.call_method(file, &names::intern("close"), &[]) {
        vm.swallow_any(second)?;
    }
    if vm.stopped.is_some() {
        return Err(raised);
    }
    Err(vm.reraise(error))
}
