//! Writing: joins fields to lines, with quotes and escapes where they are needed, and hands each line to the file's `write`.

use super::dialect::{Dialect, Quoting};
use super::{error, module_of};
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names::Names;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::{Str, decode_char, push_char};
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// Payload of `writer`.
pub(super) struct Writer {
    write: Value,
    dialect: Value,
}

// SAFETY: visits both values.
unsafe impl Payload for Writer {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.write);
        visit(&self.dialect);
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if Writer::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    ClassBuilder::new::<Writer>("writer")
        .slots(Slots {
            new: Some(crate::objects::struct_seq::not_from_python),
            ..Slots::NONE
        })
        .module(vm, "_csv")
        .methods(vm, METHODS)
        .getset(
            vm,
            "dialect",
            |_, v| Ok(receiver::<Writer>(v).dialect.clone()),
            Some(super::read_only),
        )
        .build(vm);
}

/// `writer(fileobj, dialect='excel', **parts)`
pub(super) fn make(vm: &mut Vm, args: Args) -> R {
    let Some(file) = super::first(vm, args, 2)? else {
        return Err(vm.type_error(" expected at least 1 argument, got 0"));
    };
    let m = module_of(vm)?;
    let dialect = super::dialect::make(vm, &m, args, 1)?;
    let write = vm.get_attr_opt(&file, &Names::get().write.to_value())?;
    match write {
        Some(write) if crate::vm::ops::class_of(&write).slots().call.is_some() => {
            Ok(Value::from_ref(heap::alloc(Writer { write, dialect })))
        }
        _ => Err(vm.type_error("argument 1 must have a \"write\" method")),
    }
}

static METHODS: &[Def] = &[
    Def::method("writerow", "(self, row, /)", |vm, a| {
        let writer = receiver::<Writer>(&a[0]).clone();
        write_row(vm, &writer, &a[1])
    }),
    Def::method("writerows", "(self, rows, /)", |vm, a| {
        let writer = receiver::<Writer>(&a[0]).clone();
        let rows = vm.get_iter(&a[1])?;
        while let Some(row) = vm.iter_next(&rows)? {
            vm.poll_native()?;
            write_row(vm, &writer, &row)?;
        }
        Ok(Value::NONE)
    }),
];

/// Whether a value is written without quotes when only what is not a number has them.
fn is_number(v: &Value) -> bool {
    v.as_int().is_some()
        || v.as_any_float().is_some()
        || v.is::<crate::objects::complex::Complex>()
        || crate::vm::ops::class_of(v).slots().float.is_some()
        || crate::vm::ops::class_of(v).slots().index.is_some()
}

fn write_row(vm: &mut Vm, writer: &Ref<Writer>, row: &Value) -> R {
    let m = module_of(vm)?;
    let Some(d) = writer.dialect.as_ref::<Dialect>().cloned() else {
        return Err(vm.system_error("a writer without a dialect"));
    };
    let fields = match vm.get_iter(row) {
        Ok(fields) => fields,
        Err(raised) => {
            vm.swallow(raised, crate::objects::exception::Exc::TypeError)?;
            let class = vm.class_name(row);
            return Err(error(vm, &m, &format!("iterable expected, not {class}")));
        }
    };
    let mut line: Vec<u8> = Vec::new();
    let mut count = 0;
    let mut null = false;
    while let Some(field) = vm.iter_next(&fields)? {
        vm.poll_native()?;
        let quoted = match d.quoting {
            Quoting::NonNumeric => !is_number(&field),
            Quoting::All => true,
            Quoting::Strings => field.is::<Str>(),
            Quoting::NotNull => !field.is_none(),
            Quoting::Minimal | Quoting::None => false,
        };
        null = field.is_none();
        let text = if null {
            None
        } else if field.is::<Str>() {
            Some(field)
        } else {
            Some(vm.str(&field)?.to_value())
        };
        let text = text.as_ref().and_then(|v| v.as_ref::<Str>());
        if count > 0 {
            push_char(&mut line, d.delimiter);
        }
        add_field(vm, &d, &mut line, text, quoted)?;
        vm.text_size(line.len())?;
        count += 1;
    }
    if count > 0 && line.is_empty() {
        // An empty line would be read as no fields at all.
        if d.quoting == Quoting::None
            || (null && matches!(d.quoting, Quoting::Strings | Quoting::NotNull))
        {
            return Err(error(vm, &m, "single empty field record must be quoted"));
        }
        quote(&d, &mut line);
        quote(&d, &mut line);
    }
    line.extend_from_slice(&d.terminator);
    let text = Str::value_wtf8(&line);
    vm.call(&writer.write, &[text])
}

fn quote(d: &Dialect, line: &mut Vec<u8>) {
    if let Some(c) = d.quote {
        push_char(line, c);
    }
}

/// Adds a field to a line.
fn add_field(
    vm: &mut Vm,
    d: &Dialect,
    line: &mut Vec<u8>,
    text: Option<&Ref<Str>>,
    quoted: bool,
) -> R<()> {
    let bytes = text.map(|s| s.as_bytes()).unwrap_or_default();
    let mut quoted = quoted;
    let mut made = Vec::with_capacity(bytes.len() + 2);
    let mut at = 0;
    while at < bytes.len() {
        let (c, n) = decode_char(&bytes[at..]);
        let special = c == d.delimiter
            || Some(c) == d.escape
            || Some(c) == d.quote
            || c == '\n' as u32
            || c == '\r' as u32
            || d.terminator
                .windows(n)
                .any(|piece| piece == &bytes[at..at + n]);
        if special {
            let mut escape = d.quoting == Quoting::None;
            if !escape {
                if Some(c) == d.quote {
                    if d.double_quote {
                        push_char(&mut made, c);
                    } else {
                        escape = true;
                    }
                } else if Some(c) == d.escape {
                    escape = true;
                }
                if !escape {
                    quoted = true;
                }
            }
            if escape {
                let Some(escape) = d.escape else {
                    let m = module_of(vm)?;
                    return Err(error(vm, &m, "need to escape, but no escapechar set"));
                };
                push_char(&mut made, escape);
            }
        }
        made.extend_from_slice(&bytes[at..at + n]);
        at += n;
    }
    if bytes.is_empty() && d.delimiter == ' ' as u32 && d.skip_space {
        let never = d.quoting == Quoting::None
            || (text.is_none() && matches!(d.quoting, Quoting::Strings | Quoting::NotNull));
        if never {
            let m = module_of(vm)?;
            return Err(error(
                vm,
                &m,
                "empty field must be quoted if delimiter is a space and skipinitialspace is true",
            ));
        }
        quoted = true;
    }
    if quoted {
        quote(d, line);
        line.extend(made);
        quote(d, line);
    } else {
        line.extend(made);
    }
    Ok(())
}
