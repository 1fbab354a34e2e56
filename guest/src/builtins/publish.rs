//! The builtin functions, and the namespace of `builtins`.

use crate::heap::{Payload, Ref};
use crate::names::Names;
use crate::objects::bytes::Bytes;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::{Def, Native};
use crate::objects::slots::{BinOp, UnOp};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{Instance, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::host::Stream;
use crate::vm::ops::class_of;
use crate::vm::{R, Stop, Vm};

/// Fills the namespace of `builtins`.
pub(crate) fn fill(vm: &mut Vm, module: &Ref<Module>) {
    let name = Str::value("builtins");
    for def in FUNCTIONS.iter().chain(super::folding::FUNCTIONS) {
        let f = Native::function(def, name.clone());
        module.set(vm, def.name, f);
    }
    for &(exc, name, _) in Exc::HIERARCHY {
        module.set(vm, name, exc.class().to_value());
    }
    for name in ["EnvironmentError", "IOError"] {
        module.set(vm, name, Exc::OSError.class().to_value());
    }
    use crate::objects as o;
    let classes: &[(&str, &Ref<Type>)] = &[
        ("object", Instance::class()),
        ("type", Type::class()),
        ("int", o::int::Int::class()),
        ("bool", o::singletons::Bool::class()),
        ("float", o::float::Float::class()),
        ("complex", o::complex::Complex::class()),
        ("str", Str::class()),
        ("bytes", o::bytes::Bytes::class()),
        ("bytearray", o::bytes::ByteArray::class()),
        ("memoryview", o::memoryview::MemoryView::class()),
        ("tuple", Tuple::class()),
        ("list", List::class()),
        ("dict", Dict::class()),
        ("set", o::set::Set::class()),
        ("frozenset", o::set::FrozenSet::class()),
        ("range", o::range::Range::class()),
        ("slice", o::range::Slice::class()),
        ("property", o::descriptors::Property::class()),
        ("classmethod", o::descriptors::ClassMethod::class()),
        ("staticmethod", o::descriptors::StaticMethod::class()),
        ("super", o::descriptors::Super::class()),
        ("enumerate", crate::builtins::iterators::Enumerate::class()),
        ("zip", crate::builtins::iterators::Zip::class()),
        ("map", crate::builtins::iterators::Map::class()),
        ("filter", crate::builtins::iterators::Filter::class()),
        ("reversed", crate::builtins::iterators::Reversed::class()),
    ];
    for (name, class) in classes {
        module.set(vm, name, class.to_value());
    }
    module.set(vm, "NotImplemented", Value::NOT_IMPLEMENTED);
    module.set(vm, "Ellipsis", Value::ELLIPSIS);
    module.set(vm, "__debug__", Value::TRUE);
    module.set(vm, "None", Value::NONE);
    module.set(vm, "True", Value::TRUE);
    module.set(vm, "False", Value::FALSE);
}

static FUNCTIONS: &[Def] = &[
    Def::raw_function(
        "__build_class__",
        "(func, name, /, *bases, metaclass=None, **kwds)",
        crate::vm::class::build_class,
    ),
    Def::function(
        "__import__",
        "(name, globals=None, locals=None, fromlist=(), level=0)",
        import,
    ),
    Def::function("abs", "(number, /)", |vm, a| {
        match (a[0].as_small_int(), a[0].as_float()) {
            (Some(i), _) => Ok(Value::int(i.abs())),
            (_, Some(f)) => Ok(Value::float(f.abs())),
            _ => vm.unary(UnOp::Abs, &a[0]),
        }
    }),
    Def::function("aiter", "(async_iterable, /)", super::anext::aiter),
    Def::function(
        "anext",
        "(aiterator, default=<unrepresentable>, /)",
        super::anext::anext,
    ),
    Def::function("ascii", "(obj, /)", |vm, a| {
        crate::builtins::text::ascii(vm, &a[0])
    }),
    Def::function("bin", "(number, /)", |vm, a| prefixed(vm, &a[0], 2)),
    Def::function("callable", "(obj, /)", |_, a| {
        Ok(Value::bool(class_of(&a[0]).slots().call.is_some()))
    }),
    Def::function("chr", "(i, /)", |vm, a| {
        crate::builtins::text::chr(vm, &a[0])
    }),
    Def::raw_function(
        "compile",
        "(source, filename, mode, flags=0, dont_inherit=False, optimize=-1, *, _feature_version=-1)",
        crate::builtins::compiling::compile,
    ),
    Def::function("delattr", "(obj, name, /)", |vm, a| {
        let name = attribute_name(vm, &a[1])?;
        vm.check_reflection_by(&a[0], &name)?;
        vm.set_attr(&a[0], &name, None)?;
        Ok(Value::NONE)
    }),
    Def::function("dir", "(object=<unrepresentable>, /)", |vm, a| {
        match a.first() {
            Some(v) => {
                vm.check_reflection(v, None)?;
                let names = dir_of(vm, v)?;
                sorted_list(vm, &names)
            }
            None => {
                let locals = crate::builtins::frames::current_locals(vm);
                let keys = vm.call_method(&locals, &Names::get().keys, &[])?;
                sorted_list(vm, &keys)
            }
        }
    }),
    Def::function("divmod", "(x, y, /)", |vm, a| {
        vm.binary(BinOp::DivMod, &a[0], &a[1])
    }),
    Def::raw_function(
        "eval",
        "(source, /, globals=None, locals=None)",
        |vm, args| crate::builtins::compiling::evaluate(vm, args, true),
    ),
    Def::raw_function(
        "exec",
        "(source, /, globals=None, locals=None, *, closure=None)",
        |vm, args| crate::builtins::compiling::evaluate(vm, args, false),
    ),
    Def::function("format", "(value, format_spec='', /)", |vm, a| {
        let spec = match a.get(1) {
            Some(s) => match s.as_ref::<Str>() {
                Some(s) => s.clone(),
                None => {
                    return Err(vm.type_error(format!(
                        "format() argument 2 must be str, not {}",
                        crate::objects::string::search::argument_type(s)
                    )));
                }
            },
            None => Names::get().empty.clone(),
        };
        Ok(Value::from_ref(vm.format(&a[0], &spec)?))
    }),
    Def::function(
        "getattr",
        "(object, name, default=<unrepresentable>, /)",
        |vm, a| {
            let name = attribute_name(vm, &a[1])?;
            if let Err(raised) = vm.check_reflection_by(&a[0], &name) {
                let Some(default) = a.get(2).cloned() else {
                    return Err(raised);
                };
                vm.swallow(raised, Exc::AttributeError)?;
                return Ok(default);
            }
            let found = match a.get(2) {
                Some(default) => Ok(vm
                    .get_attr_opt(&a[0], &name)?
                    .unwrap_or_else(|| default.clone())),
                None => vm.get_attr(&a[0], &name),
            }?;
            vm.check_value(&found)?;
            Ok(found)
        },
    ),
    Def::function("globals", "()", |vm, _| {
        Ok(vm.frames.last().map_or_else(
            || vm.main.dict.to_value(),
            |f| f.function.globals.to_value(),
        ))
    }),
    Def::function("hasattr", "(obj, name, /)", |vm, a| {
        let name = attribute_name(vm, &a[1])?;
        if let Err(raised) = vm.check_reflection_by(&a[0], &name) {
            // As for any other attribute that is not to be had.
            vm.swallow(raised, Exc::AttributeError)?;
            return Ok(Value::FALSE);
        }
        Ok(Value::bool(vm.get_attr_opt(&a[0], &name)?.is_some()))
    }),
    Def::function("hash", "(obj, /)", |vm, a| Ok(Value::int(vm.hash(&a[0])?))),
    Def::function("hex", "(number, /)", |vm, a| prefixed(vm, &a[0], 16)),
    Def::raw_function("help", "(*args, **kwds)", |vm, args| site(vm, "help", args)),
    Def::raw_function("exit", "(code=None)", |vm, args| site(vm, "exit", args)),
    Def::raw_function("quit", "(code=None)", |vm, args| site(vm, "quit", args)),
    Def::raw_function("copyright", "()", |vm, args| site(vm, "copyright", args)),
    Def::raw_function("credits", "()", |vm, args| site(vm, "credits", args)),
    Def::raw_function("license", "()", |vm, args| site(vm, "license", args)),
    Def::raw_function("breakpoint", "(*args, **kws)", |vm, args| {
        let sys = vm.import_module("sys")?;
        let hook = crate::names::intern("breakpointhook").to_value();
        match vm.get_attr_opt(&sys, &hook)? {
            Some(hook) => vm.call_args(&hook, args),
            None => Err(vm.runtime_error("lost sys.breakpointhook")),
        }
    }),
    Def::function("id", "(obj, /)", |_, a| Ok(Value::int(identity(&a[0])))),
    Def::function(
        "open",
        "(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None)",
        crate::modules::io::open,
    ),
    Def::function("input", "(prompt='', /)", input),
    Def::function("isinstance", "(obj, class_or_tuple, /)", |vm, a| {
        Ok(Value::bool(vm.is_instance(&a[0], &a[1])?))
    }),
    Def::function("issubclass", "(cls, class_or_tuple, /)", |vm, a| {
        Ok(Value::bool(vm.is_subclass(&a[0], &a[1])?))
    }),
    Def::function(
        "iter",
        "(object, sentinel=<unrepresentable>, /)",
        |vm, a| match a.get(1) {
            Some(sentinel) => {
                if class_of(&a[0]).slots().call.is_none() {
                    return Err(vm.type_error("iter(v, w): v must be callable"));
                }
                let source = std::cell::RefCell::new(Some((a[0].clone(), sentinel.clone())));
                Ok(Value::from_ref(crate::heap::alloc(
                    crate::objects::iterators::CallIter { source },
                )))
            }
            None => vm.get_iter(&a[0]),
        },
    ),
    Def::function("len", "(obj, /)", |vm, a| vm.len_i64(&a[0]).map(Value::int)),
    Def::function("locals", "()", |vm, _| {
        Ok(crate::builtins::frames::current_locals(vm))
    }),
    Def::function(
        "next",
        "(iterator, default=<unrepresentable>, /)",
        |vm, a| {
            let Some(f) = class_of(&a[0]).slots().next else {
                return Err(vm.type_error(format!(
                    "'{}' object is not an iterator",
                    class_of(&a[0]).name()
                )));
            };
            match f(vm, &a[0]) {
                Ok(v) if v.is_undef() => match a.get(1) {
                    Some(d) => Ok(d.clone()),
                    None => Err(vm.stop_iteration(Value::NONE)),
                },
                Err(raised) if a.len() > 1 => {
                    vm.swallow(raised, Exc::StopIteration)?;
                    Ok(a[1].clone())
                }
                other => other,
            }
        },
    ),
    Def::function("oct", "(number, /)", |vm, a| prefixed(vm, &a[0], 8)),
    Def::function("ord", "(character, /)", |vm, a| {
        crate::builtins::text::ord(vm, &a[0])
    }),
    Def::function("pow", "(base, exp, mod=None)", |vm, a| {
        match optional(a, 2) {
            Some(m) if !m.is_none() => crate::builtins::numbers::pow_mod(vm, &a[0], &a[1], m),
            _ => vm.binary(BinOp::Pow, &a[0], &a[1]),
        }
    }),
    Def::raw_function(
        "print",
        "(*args, sep=' ', end='\\n', file=None, flush=False)",
        print,
    ),
    Def::function("repr", "(obj, /)", |vm, a| {
        Ok(Value::from_ref(vm.repr(&a[0])?))
    }),
    Def::function("round", "(number, ndigits=None)", |vm, a| {
        let n = Names::get();
        let args: Vec<Value> = optional(a, 1)
            .filter(|d| !d.is_none())
            .cloned()
            .into_iter()
            .collect();
        match vm.call_special_opt(&a[0], &n.__round__, &args)? {
            Some(v) => Ok(v),
            None => Err(vm.type_error(format!(
                "type {} doesn't define __round__ method",
                class_of(&a[0]).name()
            ))),
        }
    }),
    Def::function("setattr", "(obj, name, value, /)", |vm, a| {
        let name = attribute_name(vm, &a[1])?;
        vm.check_reflection_by(&a[0], &name)?;
        vm.set_attr(&a[0], &name, Some(&a[2]))?;
        Ok(Value::NONE)
    }),
    Def::raw_function(
        "sorted",
        "(iterable, /, *, key=None, reverse=False)",
        |vm, args| {
            let [iterable] = args.positional() else {
                let n = args.positional().len();
                return Err(vm.type_error(format!("sorted expected 1 argument, got {n}")));
            };
            let list = List::value(vm.collect(iterable)?);
            let mut all = vec![list.clone()];
            all.extend_from_slice(&args.values()[1..]);
            let sort = vm
                .type_lookup(List::class(), &Names::get().sort)
                .unwrap_or(Value::NONE);
            vm.call_args(&sort, Args::new(&all, args.names()))?;
            Ok(list)
        },
    ),
    Def::function("vars", "(object=<unrepresentable>, /)", |vm, a| {
        match a.first() {
            None => Ok(crate::builtins::frames::current_locals(vm)),
            Some(v) => {
                vm.check_reflection_by(v, &Names::get().__dict__.to_value())?;
                match vm.namespace_of(v)? {
                    Some(d) => Ok(d),
                    None => Err(vm.type_error("vars() argument must have __dict__ attribute")),
                }
            }
        }
    }),
];

/// `id(v)`: the address, or for inline values a number of their own.
pub fn identity(v: &Value) -> i64 {
    match v.address() {
        Some(p) => p.as_ptr() as usize as i64,
        // An odd number, so that it is never an address.
        None => ((v.bits().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16) | 1) as i64,
    }
}

fn attribute_name(vm: &mut Vm, name: &Value) -> R {
    match name.as_ref::<Str>() {
        Some(_) => Ok(name.clone()),
        None => Err(vm.type_error(format!(
            "attribute name must be string, not '{}'",
            class_of(name).name()
        ))),
    }
}

fn prefixed(vm: &mut Vm, v: &Value, base: u32) -> R {
    let i = vm.index(v)?;
    if let Some(small) = i.as_small_int() {
        return Ok(small_prefixed(small, base));
    }
    let text = match i.as_int() {
        Some(i) => coldframe_numeric::int_text::to_prefixed(&i.as_big(), base),
        None => String::new(),
    };
    Ok(Str::value(&text))
}

/// The same for a number of 64 bits; the base is 2, 8 or 16.
fn small_prefixed(n: i64, base: u32) -> Value {
    let (bits, letter) = match base {
        2 => (1, b'b'),
        8 => (3, b'o'),
        _ => (4, b'x'),
    };
    // Sign, prefix and 64 digits.
    let mut text = [0; 67];
    let (mut at, mut left) = (text.len(), n.unsigned_abs());
    let mut put = |byte: u8| {
        at -= 1;
        text[at] = byte;
    };
    loop {
        put(b"0123456789abcdef"[(left & ((1 << bits) - 1)) as usize]);
        left >>= bits;
        if left == 0 {
            break;
        }
    }
    put(letter);
    put(b'0');
    if n < 0 {
        put(b'-');
    }
    Str::value_known(&text[at..], text.len() - at)
}

fn import(vm: &mut Vm, a: &[Value]) -> R {
    let globals = optional(a, 1).cloned().unwrap_or(Value::NONE);
    let fromlist = optional(a, 3).cloned().unwrap_or(Value::NONE);
    let level = match optional(a, 4) {
        Some(l) => vm.index_i64(l)?,
        None => 0,
    };
    vm.import_builtin(&a[0], &globals, &fromlist, level)
}

/// Writes text to an output stream of the host.
pub fn write_text(vm: &mut Vm, stream: Stream, text: &Str) -> R<()> {
    let bytes = text.as_bytes();
    let ok = if text.as_str().is_some() {
        vm.host.write(stream, bytes)
    } else {
        // Lone surrogates cannot be written as UTF-8: what CPython does with `errors="backslashreplace"` on stderr, and an error on stdout.
        if stream == Stream::Stdout {
            vm.check_encodable(text)?;
        }
        let mut out = String::new();
        for c in text.chars() {
            match char::from_u32(c) {
                Some(c) => out.push(c),
                None => out.push_str(&format!("\\u{c:04x}")),
            }
        }
        vm.host.write(stream, out.as_bytes())
    };
    if ok {
        Ok(())
    } else {
        Err(vm.stop_program(Stop::Output))
    }
}

/// `input()`, by way of the program's `sys.stdin` and `sys.stdout`, whichever files those are.
fn input(vm: &mut Vm, args: &[Value]) -> R {
    let n = Names::get();
    let sys = vm.import_module("sys")?;
    let mut files = Vec::new();
    for name in [&n.stdin, &n.stderr, &n.stdout] {
        match vm.get_attr_opt(&sys, &name.to_value())? {
            Some(file) if !file.is_none() => files.push(file),
            _ => {
                let text = format!("input(): lost sys.{}", name.to_text());
                return Err(vm.runtime_error(text));
            }
        }
    }
    let (stdin, stdout) = (files[0].clone(), files[2].clone());
    if let Some(prompt) = args.first() {
        let text = vm.str(prompt)?;
        match crate::modules::sys::stream_of(vm, &stdout) {
            Some(stream) => write_text(vm, stream, &text)?,
            None => {
                vm.call_method(&stdout, &n.write, &[text.to_value()])?;
                vm.call_method(&stdout, &n.flush, &[])?;
            }
        }
    }
    let line = vm.call_method(&stdin, &n.readline, &[])?;
    if let Some(bytes) = line.as_ref::<Bytes>() {
        return match &*bytes.data {
            b"" => Err(vm.eof_error("EOF when reading a line")),
            [start @ .., b'\n'] => Ok(Bytes::value(start.to_vec())),
            _ => Ok(line.clone()),
        };
    }
    let Some(text) = line.as_ref::<Str>() else {
        return Err(vm.type_error("object.readline() returned non-string"));
    };
    match text.as_bytes() {
        b"" => Err(vm.eof_error("EOF when reading a line")),
        [start @ .., b'\n'] => Ok(Str::value_wtf8(start)),
        _ => Ok(line.clone()),
    }
}

fn print(vm: &mut Vm, args: Args) -> R {
    let (mut sep, mut end, mut file, mut flush) = (None, None, None, false);
    for (name, value) in args.keywords() {
        match name.as_bytes() {
            b"sep" | b"end" => {
                if !value.is_none() && !value.is::<Str>() {
                    return Err(vm.type_error(format!(
                        "{} must be None or a string, not {}",
                        name.to_text(),
                        class_of(value).name()
                    )));
                }
                let text = value.as_ref::<Str>().cloned();
                if name.as_bytes() == b"sep" {
                    sep = text
                } else {
                    end = text
                }
            }
            b"file" => file = Some(value.clone()).filter(|v| !v.is_none()),
            b"flush" => flush = vm.truthy(value)?,
            _ => {
                return Err(vm.type_error(format!(
                    "print() got an unexpected keyword argument '{}'",
                    name.to_text()
                )));
            }
        }
    }
    let n = Names::get();
    let file = match file {
        Some(f) => f,
        None => {
            let sys = vm
                .modules
                .get_str(vm, &n.sys)
                .cloned()
                .unwrap_or(Value::NONE);
            match vm.get_attr_opt(&sys, &n.stdout.to_value())? {
                Some(f) if f.is_none() => return Ok(Value::NONE),
                Some(f) => f,
                None => return Err(vm.runtime_error("lost sys.stdout")),
            }
        }
    };
    let native = crate::modules::sys::stream_of(vm, &file);
    let mut out: Vec<u8> = Vec::new();
    for (i, v) in args.positional().iter().enumerate() {
        if i > 0 {
            match &sep {
                Some(s) => out.extend_from_slice(s.as_bytes()),
                None => out.push(b' '),
            }
        }
        let s = vm.str(v)?;
        if native.is_none() {
            // Another file object gets the pieces one by one, as in CPython.
            if !out.is_empty() {
                let piece = Str::value_wtf8(&std::mem::take(&mut out));
                vm.call_method(&file, &n.write, &[piece])?;
            }
            vm.call_method(&file, &n.write, &[Value::from_ref(s)])?;
        } else {
            out.extend_from_slice(s.as_bytes());
        }
    }
    match &end {
        Some(s) => out.extend_from_slice(s.as_bytes()),
        None => out.push(b'\n'),
    }
    match native {
        Some(stream) => {
            let text = Str::from_wtf8(&out);
            write_text(vm, stream, &text)?;
        }
        None => {
            vm.call_method(&file, &n.write, &[Str::value_wtf8(&out)])?;
            if flush {
                vm.call_method(&file, &n.flush, &[])?;
            }
        }
    }
    Ok(Value::NONE)
}

/// What `dir(v)` lists, unsorted.
pub(crate) fn dir_of(vm: &mut Vm, v: &Value) -> R {
    match vm.call_special_opt(v, &Names::get().__dir__, &[])? {
        Some(names) => Ok(names),
        None => Err(vm.type_error("object does not provide __dir__")),
    }
}

fn sorted_list(vm: &mut Vm, names: &Value) -> R {
    let list = List::value(vm.collect(names)?);
    vm.call_method(&list, &Names::get().sort, &[])?;
    Ok(list)
}

/// The builtins that CPython's `site` adds; they are in Python.
pub(crate) fn site(vm: &mut Vm, name: &str, args: Args) -> R {
    let module = vm.import_module("_sitebuiltins")?;
    let f = vm.get_attr(&module, &crate::names::intern(name).to_value())?;
    vm.call_args(&f, args)
}
