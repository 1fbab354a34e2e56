//! `operator` and `_operator`: the operators as functions. The callable classes (`itemgetter`, ...) are in [`super::operator_getters`].

use super::operator_getters;
use crate::heap::Ref;
use crate::names::{self, Names};
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::{Def, Native};
use crate::objects::slots::{BinOp, CmpOp, UnOp};
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The module `_operator`.
pub(crate) fn core_module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(vm, "_operator", "Operator interface.", FUNCTIONS);
    let private = Native::function(&COMPARE_DIGEST, Value::from_ref(names::intern("_operator")));
    m.set(vm, "_compare_digest", private);
    for (name, class) in operator_getters::classes(vm) {
        m.set(vm, name, class);
    }
    m
}

/// The module `operator`: all of `_operator`, and the special methods' names for the operators.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    // The functions are the same objects as those of `_operator`, where `pickle` looks for them.
    let core = match vm.import_module("_operator") {
        Ok(core) => core.as_ref::<Module>().cloned(),
        Err(_) => {
            vm.take_error();
            None
        }
    };
    let core = match core {
        Some(core) => core,
        None => core_module(vm),
    };
    let m = Module::native(vm, "operator", "Operator Interface", &[]);
    let mut public = Vec::new();
    let names =
        FUNCTIONS
            .iter()
            .map(|def| def.name)
            .chain(["attrgetter", "itemgetter", "methodcaller"]);
    for name in names {
        let Some(value) = core.dict.get_str(vm, &names::intern(name)).cloned() else {
            continue;
        };
        m.set(vm, name, value.clone());
        public.push(name);
        if let Some(special) = SPECIAL.iter().find(|(_, plain)| *plain == name) {
            m.set(vm, special.0, value);
        }
    }
    public.sort_unstable();
    let all = public
        .iter()
        .map(|name| Value::from_ref(names::intern(name)))
        .collect();
    m.set(vm, "__all__", List::value(all));
    m
}

/// Names of special methods and the functions that they are other names for.
const SPECIAL: &[(&str, &str)] = &[
    ("__lt__", "lt"),
    ("__le__", "le"),
    ("__eq__", "eq"),
    ("__ne__", "ne"),
    ("__ge__", "ge"),
    ("__gt__", "gt"),
    ("__not__", "not_"),
    ("__abs__", "abs"),
    ("__add__", "add"),
    ("__and__", "and_"),
    ("__call__", "call"),
    ("__floordiv__", "floordiv"),
    ("__index__", "index"),
    ("__inv__", "inv"),
    ("__invert__", "invert"),
    ("__lshift__", "lshift"),
    ("__mod__", "mod"),
    ("__mul__", "mul"),
    ("__matmul__", "matmul"),
    ("__neg__", "neg"),
    ("__or__", "or_"),
    ("__pos__", "pos"),
    ("__pow__", "pow"),
    ("__rshift__", "rshift"),
    ("__sub__", "sub"),
    ("__truediv__", "truediv"),
    ("__xor__", "xor"),
    ("__concat__", "concat"),
    ("__contains__", "contains"),
    ("__delitem__", "delitem"),
    ("__getitem__", "getitem"),
    ("__setitem__", "setitem"),
    ("__iadd__", "iadd"),
    ("__iand__", "iand"),
    ("__iconcat__", "iconcat"),
    ("__ifloordiv__", "ifloordiv"),
    ("__ilshift__", "ilshift"),
    ("__imod__", "imod"),
    ("__imul__", "imul"),
    ("__imatmul__", "imatmul"),
    ("__ior__", "ior"),
    ("__ipow__", "ipow"),
    ("__irshift__", "irshift"),
    ("__isub__", "isub"),
    ("__itruediv__", "itruediv"),
    ("__ixor__", "ixor"),
];

macro_rules! binary {
    ($name:literal, $op:ident) => {
        Def::function($name, "(a, b, /)", |vm, args| {
            vm.binary(BinOp::$op, &args[0], &args[1])
        })
    };
}

macro_rules! inplace {
    ($name:literal, $op:ident) => {
        Def::function($name, "(a, b, /)", |vm, args| {
            vm.inplace(BinOp::$op, &args[0], &args[1])
        })
    };
}

macro_rules! compare {
    ($name:literal, $op:ident) => {
        Def::function($name, "(a, b, /)", |vm, args| {
            vm.compare(CmpOp::$op, &args[0], &args[1])
        })
    };
}

macro_rules! unary {
    ($name:literal, $op:ident) => {
        Def::function($name, "(a, /)", |vm, args| vm.unary(UnOp::$op, &args[0]))
    };
}

static FUNCTIONS: &[Def] = &[
    unary!("abs", Abs),
    binary!("add", Add),
    binary!("and_", And),
    Def::raw_function("call", "(obj, /, *args, **kwargs)", |vm, args| {
        match args.positional() {
            [] => Err(vm.type_error("call expected at least 1 argument, got 0")),
            [f, ..] => vm.call_args(f, args.tail()),
        }
    }),
    Def::function("concat", "(a, b, /)", |vm, args| {
        check_sequence(vm, &args[0])?;
        vm.binary(BinOp::Add, &args[0], &args[1])
    }),
    Def::function("contains", "(a, b, /)", |vm, args| {
        vm.contains(&args[0], &args[1]).map(Value::bool)
    }),
    Def::function("countOf", "(a, b, /)", count_of),
    Def::function("delitem", "(a, b, /)", |vm, args| {
        vm.del_item(&args[0], &args[1]).map(|()| Value::NONE)
    }),
    compare!("eq", Eq),
    binary!("floordiv", FloorDiv),
    compare!("ge", Ge),
    Def::function("getitem", "(a, b, /)", |vm, args| {
        vm.get_item(&args[0], &args[1])
    }),
    compare!("gt", Gt),
    inplace!("iadd", Add),
    inplace!("iand", And),
    Def::function("iconcat", "(a, b, /)", |vm, args| {
        check_sequence(vm, &args[0])?;
        vm.inplace(BinOp::Add, &args[0], &args[1])
    }),
    inplace!("ifloordiv", FloorDiv),
    inplace!("ilshift", Shl),
    inplace!("imatmul", MatMul),
    inplace!("imod", Mod),
    inplace!("imul", Mul),
    Def::function("index", "(a, /)", |vm, args| vm.index(&args[0])),
    Def::function("indexOf", "(a, b, /)", index_of),
    unary!("inv", Invert),
    unary!("invert", Invert),
    inplace!("ior", Or),
    inplace!("ipow", Pow),
    inplace!("irshift", Shr),
    Def::function("is_", "(a, b, /)", |_, args| {
        Ok(Value::bool(args[0].is_same(&args[1])))
    }),
    Def::function("is_none", "(a, /)", |_, args| {
        Ok(Value::bool(args[0].is_none()))
    }),
    Def::function("is_not", "(a, b, /)", |_, args| {
        Ok(Value::bool(!args[0].is_same(&args[1])))
    }),
    Def::function("is_not_none", "(a, /)", |_, args| {
        Ok(Value::bool(!args[0].is_none()))
    }),
    inplace!("isub", Sub),
    inplace!("itruediv", Div),
    inplace!("ixor", Xor),
    compare!("le", Le),
    Def::function("length_hint", "(obj, default=0, /)", length_hint),
    binary!("lshift", Shl),
    compare!("lt", Lt),
    binary!("matmul", MatMul),
    binary!("mod", Mod),
    binary!("mul", Mul),
    compare!("ne", Ne),
    unary!("neg", Neg),
    Def::function("not_", "(a, /)", |vm, args| {
        vm.truthy(&args[0]).map(|b| Value::bool(!b))
    }),
    binary!("or_", Or),
    unary!("pos", Pos),
    binary!("pow", Pow),
    binary!("rshift", Shr),
    Def::function("setitem", "(a, b, c, /)", |vm, args| {
        vm.set_item(&args[0], &args[1], &args[2])
            .map(|()| Value::NONE)
    }),
    binary!("sub", Sub),
    binary!("truediv", Div),
    Def::function("truth", "(a, /)", |vm, args| {
        vm.truthy(&args[0]).map(Value::bool)
    }),
    binary!("xor", Xor),
];

static COMPARE_DIGEST: Def = Def::function("_compare_digest", "(a, b, /)", compare_digest);

fn check_sequence(vm: &mut Vm, v: &Value) -> R<()> {
    if class_of(v).slots().getitem.is_some() {
        return Ok(());
    }
    let name = vm.class_name(v);
    Err(vm.type_error(format!("'{name}' object can't be concatenated")))
}

fn check_iterable(vm: &mut Vm, v: &Value) -> R<()> {
    let slots = class_of(v).slots();
    if slots.iter.is_some() || slots.getitem.is_some() {
        return Ok(());
    }
    let name = vm.class_name(v);
    Err(vm.type_error(format!(
        "argument of type '{name}' is not a container or iterable"
    )))
}

fn count_of(vm: &mut Vm, args: &[Value]) -> R {
    check_iterable(vm, &args[0])?;
    let mut count = 0;
    vm.for_each(&args[0], |vm, item| {
        if vm.eq(&item, &args[1])? {
            count += 1;
        }
        vm.poll_native()
    })?;
    Ok(Value::int(count))
}

fn index_of(vm: &mut Vm, args: &[Value]) -> R {
    check_iterable(vm, &args[0])?;
    let it = vm.get_iter(&args[0])?;
    let mut index = 0;
    while let Some(item) = vm.iter_next(&it)? {
        if vm.eq(&item, &args[1])? {
            return Ok(Value::int(index));
        }
        index += 1;
        vm.poll_native()?;
    }
    Err(vm.value_error("sequence.index(x): x not in sequence"))
}

fn length_hint(vm: &mut Vm, args: &[Value]) -> R {
    let default = match optional(args, 1) {
        None => Value::small_int(0),
        Some(v) if v.as_int().is_some() => v.clone(),
        Some(v) => {
            let name = vm.class_name(v);
            return Err(vm.type_error(format!(
                "'{name}' object cannot be interpreted as an integer"
            )));
        }
    };
    let v = &args[0];
    if class_of(v).slots().len.is_some() {
        match vm.len(v) {
            Ok(n) => return Ok(Value::int(n as i64)),
            Err(raised) => vm.swallow(raised, crate::objects::exception::Exc::TypeError)?,
        }
    }
    let hint = match vm.call_special_opt(v, &Names::get().__length_hint__, &[]) {
        Ok(Some(hint)) => hint,
        Ok(None) => return Ok(default),
        Err(raised) => {
            vm.swallow(raised, crate::objects::exception::Exc::TypeError)?;
            return Ok(default);
        }
    };
    if hint.is_not_implemented() {
        return Ok(default);
    }
    match hint.as_int() {
        Some(i) if i.is_negative() => Err(vm.value_error("__length_hint__() should return >= 0")),
        Some(i) => Ok(i.to_value()),
        None => {
            let name = vm.class_name(&hint);
            Err(vm.type_error(format!("__length_hint__ must be an integer, not {name}")))
        }
    }
}

/// Equality of two secrets, in a time that depends on their lengths alone.
pub(crate) fn compare_digest(vm: &mut Vm, args: &[Value]) -> R {
    let (a, b) = match (args[0].as_ref::<Str>(), args[1].as_ref::<Str>()) {
        (Some(a), Some(b)) if a.is_ascii() && b.is_ascii() => {
            (a.as_bytes().to_vec(), b.as_bytes().to_vec())
        }
        (Some(_), Some(_)) => {
            return Err(
                vm.type_error("comparing strings with non-ASCII characters is not supported")
            );
        }
        _ => match (vm.bytes_like(&args[0])?, vm.bytes_like(&args[1])?) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => {
                let names = [vm.class_name(&args[0]), vm.class_name(&args[1])];
                return Err(match (a, b) {
                    (Some(_), _) => vm.type_error(format!(
                        "a bytes-like object is required, not '{}'",
                        names[1]
                    )),
                    (_, Some(_)) => vm.type_error(format!(
                        "a bytes-like object is required, not '{}'",
                        names[0]
                    )),
                    _ => vm.type_error(format!(
                        "unsupported operand types(s) or combination of types: '{}' and '{}'",
                        names[0], names[1]
                    )),
                });
            }
        },
    };
    let mut difference = u8::from(a.len() != b.len());
    for (x, y) in a.iter().zip(&b) {
        difference |= std::hint::black_box(x ^ y);
    }
    Ok(Value::bool(difference == 0))
}
