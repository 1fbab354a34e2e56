//! The exception classes: their Python side.

use crate::heap::{self, Ref, VmCell};
use crate::names::Names;
use crate::objects::dict::Dict;
use crate::objects::exception::{Exc, Exception, ExceptionState};
use crate::objects::list::List;
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, EXCEPTION, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Names of the attributes that a class keeps in [`ExceptionState::fields`], in their order.
fn fields_of(class: Exc) -> &'static [&'static str] {
    match class {
        Exc::StopIteration | Exc::StopAsyncIteration => &["value"],
        Exc::SystemExit => &["code"],
        Exc::NameError => &["name"],
        Exc::AttributeError => &["name", "obj"],
        Exc::ImportError => &["msg", "name", "path", "name_from"],
        Exc::OSError => &["errno", "strerror", "filename", "filename2"],
        Exc::SyntaxError => &[
            "msg",
            "filename",
            "lineno",
            "offset",
            "text",
            "end_lineno",
            "end_offset",
            "print_file_and_line",
        ],
        Exc::UnicodeDecodeError | Exc::UnicodeEncodeError => {
            &["encoding", "object", "start", "end", "reason"]
        }
        Exc::UnicodeTranslateError => &["object", "start", "end", "reason"],
        Exc::BaseExceptionGroup => &["message", "exceptions"],
        _ => &[],
    }
}

/// Builds every class of the hierarchy.
pub(crate) fn init(vm: &mut Vm) {
    let base = ClassBuilder::new::<Exception>("BaseException")
        .flags(BASE | EXCEPTION)
        .attrs(4)
        .slots(Slots {
            repr: Some(repr),
            str: Some(str),
            new: Some(new),
            init: Some(init_exception),
            ..Slots::NONE
        });
    let base = base
        .methods(vm, METHODS)
        .getset(vm, "args", get_args, Some(set_args))
        .getset(
            vm,
            "__traceback__",
            crate::builtins::tracebacks::get,
            Some(crate::builtins::tracebacks::set),
        )
        .getset(
            vm,
            "__cause__",
            |vm, e| Ok(this(e).state.get(vm).cause.clone().unwrap_or(Value::NONE)),
            Some(set_cause),
        )
        .getset(
            vm,
            "__context__",
            |vm, e| Ok(this(e).state.get(vm).context.clone().unwrap_or(Value::NONE)),
            Some(set_context),
        )
        .getset(
            vm,
            "__suppress_context__",
            |vm, e| Ok(Value::bool(this(e).state.get(vm).suppress_context)),
            Some(set_suppress),
        )
        .getset(
            vm,
            "__dict__",
            |vm, e| match e.header() {
                Some(h) => Ok(Value::from_ref(vm.instance_dict(h))),
                None => Ok(Value::NONE),
            },
            Some(crate::builtins::module_type::set_instance_dict),
        );
    let base = base.build(vm);
    Exc::register(base);
    for &(class, name, parent) in &Exc::HIERARCHY[1..] {
        let mut builder = ClassBuilder::sibling::<Exception>(name)
            .base(parent.class())
            .flags(BASE | EXCEPTION)
            .slots(slots_of(class));
        for (i, field) in fields_of(class).iter().enumerate() {
            builder = field_attribute(vm, builder, field, i);
        }
        if class == Exc::OSError {
            builder = builder.getset(
                vm,
                "characters_written",
                |vm, e| {
                    let written = field(vm, e, WRITTEN);
                    if written.is_none() {
                        return Err(vm.no_attribute(e, &Str::value("characters_written")));
                    }
                    Ok(written)
                },
                Some(|vm, e, written| {
                    let written = match written {
                        Some(v) => Value::int(vm.index_i64(v)?),
                        None if field(vm, e, WRITTEN).is_none() => {
                            return Err(vm.no_attribute(e, &Str::value("characters_written")));
                        }
                        None => Value::NONE,
                    };
                    set_field(vm, e, WRITTEN, written);
                    Ok(())
                }),
            );
        }
        let built = builder.build(vm);
        if class == Exc::ExceptionGroup {
            // The one class with two bases.
            let (group, plain) = (parent.class().clone(), Exc::Exception.class().clone());
            let mut mro = vec![built.clone(), group.clone()];
            mro.extend(plain.mro.get(vm).iter().cloned());
            built.mro.replace(vm, mro);
            built.bases.replace(vm, vec![group, plain.clone()]);
            plain.subclasses.borrow_mut().push(built.as_ptr());
        }
        Exc::register(built);
    }
}

fn slots_of(class: Exc) -> Slots {
    match class {
        Exc::KeyError => Slots {
            str: Some(key_error_str),
            ..Slots::NONE
        },
        Exc::StopIteration => Slots {
            init: Some(stop_iteration_init),
            ..Slots::NONE
        },
        Exc::StopAsyncIteration => Slots {
            init: Some(stop_iteration_init),
            ..Slots::NONE
        },
        Exc::SystemExit => Slots {
            init: Some(system_exit_init),
            ..Slots::NONE
        },
        Exc::NameError => Slots {
            init: Some(name_error_init),
            ..Slots::NONE
        },
        Exc::AttributeError => Slots {
            init: Some(attribute_error_init),
            ..Slots::NONE
        },
        Exc::ImportError => Slots {
            init: Some(import_error_init),
            str: Some(import_error_str),
            ..Slots::NONE
        },
        Exc::OSError => Slots {
            new: Some(os_error_new),
            init: Some(os_error_init),
            str: Some(os_error_str),
            ..Slots::NONE
        },
        Exc::SyntaxError => Slots {
            init: Some(syntax_error_init),
            str: Some(syntax_error_str),
            ..Slots::NONE
        },
        Exc::UnicodeDecodeError | Exc::UnicodeEncodeError => Slots {
            init: Some(unicode_error_init),
            str: Some(unicode_error_str),
            ..Slots::NONE
        },
        Exc::UnicodeTranslateError => Slots {
            init: Some(unicode_translate_init),
            str: Some(unicode_error_str),
            ..Slots::NONE
        },
        Exc::BaseExceptionGroup => crate::builtins::groups::SLOTS,
        _ => Slots::NONE,
    }
}

fn this(v: &Value) -> &Ref<Exception> {
    match v.as_ref::<Exception>() {
        Some(e) => e,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

/// The field at `index`, `None` when it is not set.
pub fn field(vm: &Vm, e: &Value, index: usize) -> Value {
    e.as_ref::<Exception>()
        .and_then(|e| e.state.get(vm).fields.get(index).cloned())
        .filter(|v| !v.is_undef())
        .unwrap_or(Value::NONE)
}

fn set_field(vm: &mut Vm, e: &Value, index: usize, value: Value) {
    let fields = &mut this(e).state.get_mut(vm).fields;
    if fields.len() <= index {
        fields.resize_with(index + 1, || Value::NONE);
    }
    let old = std::mem::replace(&mut fields[index], value);
    drop(old);
}

fn field_attribute(
    vm: &mut Vm,
    builder: ClassBuilder,
    name: &'static str,
    index: usize,
) -> ClassBuilder {
    macro_rules! accessors {
        ($($n:literal)*) => {
            match index {
                // The fields of a group are fixed when it is made.
                $($n if matches!(name, "message" | "exceptions") => builder.getset(vm, name, |vm, e| Ok(field(vm, e, $n)), None),)*
                $($n => builder.getset(vm, name, |vm, e| Ok(field(vm, e, $n)), Some(|vm, e, v| { set_field(vm, e, $n, v.cloned().unwrap_or(Value::NONE)); Ok(()) })),)*
                _ => builder,
            }
        };
    }
    accessors!(0 1 2 3 4 5 6 7)
}

// ---- BaseException

static METHODS: &[Def] = &[
    Def::method("with_traceback", "(self, tb, /)", |vm, args| {
        crate::builtins::tracebacks::set(vm, &args[0], Some(&args[1]))?;
        Ok(args[0].clone())
    }),
    Def::method("add_note", "(self, note, /)", |vm, args| {
        if !args[1].is::<Str>() {
            return Err(vm.type_error(format!(
                "note must be a str, not '{}'",
                class_of(&args[1]).name()
            )));
        }
        let name = Names::get().__notes__.to_value();
        match vm.get_attr_opt(&args[0], &name)? {
            Some(list) => match list.as_ref::<List>() {
                Some(l) => l.push(vm, args[1].clone())?,
                None => return Err(vm.type_error("Cannot add note: __notes__ is not a list")),
            },
            None => vm.set_attr(&args[0], &name, Some(&List::value(vec![args[1].clone()])))?,
        }
        Ok(Value::NONE)
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let class = class_of(&args[0]).to_value();
        let arguments = reduced_args(vm, &args[0])?;
        let dict = match args[0].header() {
            Some(h) => vm.instance_dict(h),
            None => Dict::new(),
        };
        let mut parts = vec![class, arguments];
        if dict.len(vm) > 0 {
            parts.push(Value::from_ref(dict));
        }
        Ok(Tuple::value(parts))
    }),
    Def::method("__setstate__", "(self, state, /)", |vm, args| {
        if let Some(d) = args[1].as_ref::<Dict>().cloned() {
            for (k, v) in d
                .map
                .get(vm)
                .iter()
                .map(|e| (e.key.clone(), e.value.clone()))
                .collect::<Vec<_>>()
            {
                vm.set_attr(&args[0], &k, Some(&v))?;
            }
        } else if !args[1].is_none() {
            return Err(vm.type_error("state is not a dictionary"));
        }
        Ok(Value::NONE)
    }),
];

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let _ = vm;
    let state = ExceptionState {
        args: Some(Tuple::from_slice(args.positional())),
        ..ExceptionState::default()
    };
    Ok(Value::from_ref(heap::alloc_instance(
        Exception {
            state: VmCell::new(state),
        },
        class,
        0,
    )))
}

fn init_exception(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    if !args.names().is_empty() {
        return Err(vm.type_error(format!(
            "{}() takes no keyword arguments",
            class_of(e).name()
        )));
    }
    store_args(vm, e, args);
    Ok(())
}

/// The arguments that make an equal exception: those of an `OSError` lack the names of files that it was given.
fn reduced_args(vm: &mut Vm, e: &Value) -> R {
    let arguments = get_args(vm, e)?;
    if !class_of(e).is_subclass_of(Exc::OSError.class()) {
        return Ok(arguments);
    }
    let (first, second) = (field(vm, e, 2), field(vm, e, 3));
    let two = arguments
        .as_ref::<Tuple>()
        .filter(|t| t.items().len() == 2 && !first.is_none());
    let Some(two) = two else {
        return Ok(arguments);
    };
    let mut all = two.items().to_vec();
    all.push(first);
    if !second.is_none() {
        all.extend([Value::NONE, second]);
    }
    Ok(Tuple::value(all))
}

fn store_args(vm: &mut Vm, e: &Value, args: Args) {
    let args = Tuple::from_slice(args.positional());
    let old = this(e).state.get_mut(vm).args.replace(args);
    drop(old);
}

fn args_of(vm: &Vm, e: &Value) -> Vec<Value> {
    this(e)
        .state
        .get(vm)
        .args
        .as_ref()
        .and_then(|a| a.as_ref::<Tuple>())
        .map(|t| t.items().to_vec())
        .unwrap_or_default()
}

fn get_args(vm: &mut Vm, e: &Value) -> R {
    Ok(this(e)
        .state
        .get(vm)
        .args
        .clone()
        .unwrap_or_else(Tuple::empty))
}

fn set_args(vm: &mut Vm, e: &Value, value: Option<&Value>) -> R<()> {
    let Some(value) = value else {
        return Err(vm.type_error("args may not be deleted"));
    };
    let items = vm.collect(value)?;
    let old = this(e).state.get_mut(vm).args.replace(Tuple::value(items));
    drop(old);
    Ok(())
}

fn exception_or_none(vm: &mut Vm, value: Option<&Value>, what: &str) -> R<Option<Value>> {
    match value {
        Some(v) if v.is_none() => Ok(None),
        Some(v) if v.is::<Exception>() => Ok(Some(v.clone())),
        Some(_) => Err(vm.type_error(format!(
            "exception {what} must be None or derive from BaseException"
        ))),
        None => Err(vm.type_error(format!("__{what}__ may not be deleted"))),
    }
}

fn set_cause(vm: &mut Vm, e: &Value, value: Option<&Value>) -> R<()> {
    let cause = exception_or_none(vm, value, "cause")?;
    let state = this(e).state.get_mut(vm);
    state.suppress_context = true;
    let old = std::mem::replace(&mut state.cause, cause);
    drop(old);
    Ok(())
}

fn set_context(vm: &mut Vm, e: &Value, value: Option<&Value>) -> R<()> {
    let context = exception_or_none(vm, value, "context")?;
    let old = std::mem::replace(&mut this(e).state.get_mut(vm).context, context);
    drop(old);
    Ok(())
}

fn set_suppress(vm: &mut Vm, e: &Value, value: Option<&Value>) -> R<()> {
    let on = match value.and_then(Value::as_bool) {
        Some(b) => b,
        None => return Err(vm.type_error("attribute value type must be bool")),
    };
    this(e).state.get_mut(vm).suppress_context = on;
    Ok(())
}

fn repr(vm: &mut Vm, e: &Value) -> R {
    let name = class_of(e).name().into_owned();
    let args = args_of(vm, e);
    let text = match args.as_slice() {
        [] => format!("{name}()"),
        [one] => format!("{name}({})", vm.repr(one)?.to_text()),
        _ => {
            let t = Tuple::value(args);
            format!("{name}{}", vm.repr(&t)?.to_text())
        }
    };
    Ok(Str::value(&text))
}

fn str(vm: &mut Vm, e: &Value) -> R {
    let args = args_of(vm, e);
    match args.as_slice() {
        [] => Ok(Names::get().empty.to_value()),
        [one] => Ok(Value::from_ref(vm.str(one)?)),
        _ => {
            let t = Tuple::value(args);
            Ok(Value::from_ref(vm.repr(&t)?))
        }
    }
}

// ---- particular classes

fn key_error_str(vm: &mut Vm, e: &Value) -> R {
    match args_of(vm, e).as_slice() {
        [one] => Ok(Value::from_ref(vm.repr(one)?)),
        _ => str(vm, e),
    }
}

fn stop_iteration_init(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    init_exception(vm, e, args)?;
    let value = args.positional().first().cloned().unwrap_or(Value::NONE);
    set_field(vm, e, 0, value);
    Ok(())
}

fn system_exit_init(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    init_exception(vm, e, args)?;
    let code = match args.positional() {
        [] => Value::NONE,
        [one] => one.clone(),
        many => Tuple::from_slice(many),
    };
    set_field(vm, e, 0, code);
    Ok(())
}

/// Takes the keyword arguments that a class allows into its fields, starting at field `first`.
fn keyword_fields(vm: &mut Vm, e: &Value, args: Args, allowed: &[&str], first: usize) -> R<()> {
    for (name, value) in args.keywords() {
        match allowed.iter().position(|a| *a == name.to_text()) {
            Some(i) => set_field(vm, e, first + i, value.clone()),
            None => {
                let class = class_of(e).name().into_owned();
                return Err(vm.type_error(format!(
                    "{class}() got an unexpected keyword argument '{}'",
                    name.to_text()
                )));
            }
        }
    }
    Ok(())
}

fn name_error_init(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    store_args(vm, e, args);
    keyword_fields(vm, e, args, &["name"], 0)
}

fn attribute_error_init(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    store_args(vm, e, args);
    keyword_fields(vm, e, args, &["name", "obj"], 0)
}

fn import_error_init(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    store_args(vm, e, args);
    let msg = if args.positional().len() == 1 {
        args.positional()[0].clone()
    } else {
        Value::NONE
    };
    set_field(vm, e, 0, msg);
    keyword_fields(vm, e, args, &["name", "path", "name_from"], 1)
}

fn import_error_str(vm: &mut Vm, e: &Value) -> R {
    let msg = field(vm, e, 0);
    if msg.is_exact::<Str>() {
        Ok(msg)
    } else {
        str(vm, e)
    }
}

/// `OSError(errno, ...)` makes the subclass that stands for the number (PEP 3151).
fn os_error_new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let mut made = class.clone();
    if class.same(Exc::OSError.class())
        && args.positional().len() >= 2
        && let Some(errno) = args.positional()[0].as_small_int()
    {
        let special = match errno {
            11 | 114 | 115 => Some(Exc::BlockingIOError),
            10 => Some(Exc::ChildProcessError),
            32 | 108 => Some(Exc::BrokenPipeError),
            103 => Some(Exc::ConnectionAbortedError),
            111 => Some(Exc::ConnectionRefusedError),
            104 => Some(Exc::ConnectionResetError),
            17 => Some(Exc::FileExistsError),
            2 => Some(Exc::FileNotFoundError),
            4 => Some(Exc::InterruptedError),
            21 => Some(Exc::IsADirectoryError),
            20 => Some(Exc::NotADirectoryError),
            1 | 13 => Some(Exc::PermissionError),
            3 => Some(Exc::ProcessLookupError),
            110 => Some(Exc::TimeoutError),
            _ => None,
        };
        if let Some(special) = special {
            made = special.class().clone();
        }
    }
    let e = new(vm, &made, args)?;
    if leaves_it_to_init(class) {
        let none = Tuple::from_slice(&[]);
        let old = this(&e).state.get_mut(vm).args.replace(none);
        drop(old);
    } else {
        take_os_error_args(vm, &e, args)?;
    }
    Ok(e)
}

/// Whether `__init__` is to look at the arguments: when a subclass has an `__init__` of its own and no `__new__`, as in CPython. Otherwise `__new__` does, since
/// the class that it makes depends on them.
fn leaves_it_to_init(class: &Type) -> bool {
    let slots = class.slots();
    let init = os_error_init as fn(&mut Vm, &Value, Args) -> R<()>;
    let new = os_error_new as fn(&mut Vm, &Ref<Type>, Args) -> R;
    !slots.init.is_some_and(|f| std::ptr::fn_addr_eq(f, init))
        && slots.new.is_some_and(|f| std::ptr::fn_addr_eq(f, new))
}

fn os_error_init(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    if leaves_it_to_init(class_of(e)) {
        take_os_error_args(vm, e, args)?;
    }
    Ok(())
}

/// The field of an `OSError` that has `characters_written`.
const WRITTEN: usize = 4;

fn take_os_error_args(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    let p = args.positional();
    store_args(vm, e, args);
    if (2..=5).contains(&p.len()) {
        set_field(vm, e, 0, p[0].clone());
        set_field(vm, e, 1, p[1].clone());
        let blocking = vm.class_of(e).is_subclass_of(Exc::BlockingIOError.class());
        if let Some(n) = p.get(2)
            && blocking
            && crate::objects::sequence::is_index(n)
        {
            // Not a file's name, but how much was written.
            let n = vm.index_i64(n)?;
            set_field(vm, e, WRITTEN, Value::int(n));
        } else if let Some(f) = p.get(2) {
            set_field(vm, e, 2, f.clone());
            if let Some(second) = p.get(4) {
                set_field(vm, e, 3, second.clone());
            }
            // The file names are not among the arguments.
            let short = Tuple::from_slice(&p[..2]);
            let old = this(e).state.get_mut(vm).args.replace(short);
            drop(old);
        }
    }
    Ok(())
}

fn os_error_str(vm: &mut Vm, e: &Value) -> R {
    let (errno, strerror, filename, second) = (
        field(vm, e, 0),
        field(vm, e, 1),
        field(vm, e, 2),
        field(vm, e, 3),
    );
    if errno.is_none() && strerror.is_none() {
        return str(vm, e);
    }
    let (n, text) = (
        vm.str(&errno)?.to_text().into_owned(),
        vm.str(&strerror)?.to_text().into_owned(),
    );
    if filename.is_none() {
        return Ok(Str::value(&format!("[Errno {n}] {text}")));
    }
    let file = vm.repr(&filename)?.to_text().into_owned();
    if second.is_none() {
        return Ok(Str::value(&format!("[Errno {n}] {text}: {file}")));
    }
    let second = vm.repr(&second)?.to_text().into_owned();
    Ok(Str::value(&format!(
        "[Errno {n}] {text}: {file} -> {second}"
    )))
}

fn syntax_error_init(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    init_exception(vm, e, args)?;
    let p = args.positional();
    if let Some(msg) = p.first() {
        set_field(vm, e, 0, msg.clone());
    }
    if let [_, info] = p {
        let items = vm.collect(info)?;
        if items.len() < 4 || items.len() > 7 {
            let (word, limit) = if items.len() < 4 {
                ("at least", 4)
            } else {
                ("at most", 7)
            };
            return Err(vm.type_error(format!(
                "function takes {word} {limit} arguments ({} given)",
                items.len()
            )));
        }
        if items.len() == 5 {
            return Err(vm.type_error("end_offset must be provided when end_lineno is provided"));
        }
        for (i, v) in items.into_iter().take(6).enumerate() {
            set_field(vm, e, i + 1, v);
        }
    }
    Ok(())
}

fn syntax_error_str(vm: &mut Vm, e: &Value) -> R {
    let (msg, filename, lineno) = (field(vm, e, 0), field(vm, e, 1), field(vm, e, 2));
    let msg = vm.str(&msg)?.to_text().into_owned();
    let file = filename.as_ref::<Str>().map(|f| {
        f.to_text()
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    let line = lineno.as_small_int();
    Ok(Str::value(&match (file, line) {
        (Some(f), Some(n)) => format!("{msg} ({f}, line {n})"),
        (Some(f), None) => format!("{msg} ({f})"),
        (None, Some(n)) => format!("{msg} (line {n})"),
        (None, None) => msg,
    }))
}

fn unicode_error_init(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    init_exception(vm, e, args)?;
    let p = args.positional();
    if p.len() != 5 {
        return Err(vm.type_error(format!(
            "function takes exactly 5 arguments ({} given)",
            p.len()
        )));
    }
    let decode = class_of(e).is_subclass_of(Exc::UnicodeDecodeError.class());
    for (i, v) in p.iter().enumerate() {
        let ok = match i {
            0 | 4 => v.is::<Str>(),
            1 if decode => crate::objects::bytes::buffer::is_buffer(v),
            1 => v.is::<Str>(),
            _ => v.as_int().is_some(),
        };
        if !ok {
            let wanted = match i {
                1 if decode => "a bytes-like object is required, not",
                2 | 3 => {
                    return Err(vm.type_error(format!(
                        "'{}' object cannot be interpreted as an integer",
                        class_of(v).name()
                    )));
                }
                _ => {
                    return Err(vm.type_error(format!(
                        "argument {} must be str, not {}",
                        i + 1,
                        class_of(v).name()
                    )));
                }
            };
            return Err(vm.type_error(format!("{wanted} '{}'", class_of(v).name())));
        }
        // What is kept is `bytes`, whatever lent them.
        let v = if i == 1 && decode && !v.is::<crate::objects::bytes::Bytes>() {
            crate::objects::bytes::Bytes::value(crate::objects::bytes::buffer::copy(vm, v)?)
        } else {
            v.clone()
        };
        set_field(vm, e, i, v);
    }
    Ok(())
}

fn unicode_translate_init(vm: &mut Vm, e: &Value, args: Args) -> R<()> {
    init_exception(vm, e, args)?;
    let p = args.positional();
    if p.len() != 4 {
        return Err(vm.type_error(format!(
            "function takes exactly 4 arguments ({} given)",
            p.len()
        )));
    }
    for (i, v) in p.iter().enumerate() {
        let name = class_of(v).name().into_owned();
        match i {
            0 | 3 if !v.is::<Str>() => {
                return Err(vm.type_error(format!("argument {} must be str, not {name}", i + 1)));
            }
            1 | 2 if v.as_int().is_none() => {
                return Err(vm.type_error(format!(
                    "'{name}' object cannot be interpreted as an integer"
                )));
            }
            _ => {}
        }
        set_field(vm, e, i, v.clone());
    }
    Ok(())
}

fn unicode_error_str(vm: &mut Vm, e: &Value) -> R {
    let translate = class_of(e).is_subclass_of(Exc::UnicodeTranslateError.class());
    let decode = class_of(e).is_subclass_of(Exc::UnicodeDecodeError.class());
    let shift = usize::from(!translate);
    let object = field(vm, e, shift);
    if object.is_none() {
        return Ok(Names::get().empty.to_value());
    }
    let encoding = if translate {
        String::new()
    } else {
        vm.str(&field(vm, e, 0))?.to_text().into_owned()
    };
    let start = field(vm, e, 1 + shift)
        .as_int()
        .map_or(0, |i| i.clamp_i64());
    let end = field(vm, e, 2 + shift)
        .as_int()
        .map_or(0, |i| i.clamp_i64());
    let reason = vm.str(&field(vm, e, 3 + shift))?.to_text().into_owned();
    let doing = if translate {
        "can't translate".to_owned()
    } else if decode {
        format!("'{encoding}' codec can't decode")
    } else {
        format!("'{encoding}' codec can't encode")
    };
    let single = end == start + 1 && start >= 0;
    let text = if decode {
        let byte = object
            .as_ref::<crate::objects::bytes::Bytes>()
            .and_then(|b| b.data.get(start as usize).copied());
        match (single, byte) {
            (true, Some(b)) => format!("{doing} byte 0x{b:02x} in position {start}: {reason}"),
            _ => format!("{doing} bytes in position {start}-{}: {reason}", end - 1),
        }
    } else {
        let c = object
            .as_ref::<Str>()
            .filter(|s| (start as usize) < s.len())
            .map(|s| s.char_at(start as usize));
        match (single, c) {
            (true, Some(c)) => {
                let shown = if c <= 0xFF {
                    format!("\\x{c:02x}")
                } else if c <= 0xFFFF {
                    format!("\\u{c:04x}")
                } else {
                    format!("\\U{c:08x}")
                };
                format!("{doing} character '{shown}' in position {start}: {reason}")
            }
            _ => format!(
                "{doing} characters in position {start}-{}: {reason}",
                end - 1
            ),
        }
    };
    Ok(Str::value(&text))
}

/// The `SyntaxError` (or subclass) object of a source that does not compile.
pub fn syntax_error(vm: &mut Vm, error: &coldframe_frontend::SyntaxError, file: &str) -> Value {
    use coldframe_frontend::ErrorKind as K;
    let class = match error.kind {
        K::Syntax => Exc::SyntaxError,
        K::Indentation => Exc::IndentationError,
        K::Tab => Exc::TabError,
        K::Recursion => Exc::RecursionError,
        K::Memory => Exc::MemoryError,
    };
    let msg = Str::value(&error.message);
    if matches!(error.kind, K::Recursion | K::Memory) {
        return Value::from_ref(Exception::new(class.class(), Tuple::value(vec![msg])));
    }
    let text = error.text.as_deref().map_or(Value::NONE, Str::value);
    let info = vec![
        Str::value(file),
        Value::int(error.line.into()),
        Value::int(error.column.into()),
        text,
        Value::int(error.end_line.into()),
        Value::int(error.end_column.into()),
    ];
    let e = Exception::new(
        class.class(),
        Tuple::value(vec![msg.clone(), Tuple::value(info.clone())]),
    );
    let mut fields = vec![msg];
    fields.extend(info);
    fields.push(Value::NONE);
    e.state.get_mut(vm).fields = fields;
    Value::from_ref(e)
}
