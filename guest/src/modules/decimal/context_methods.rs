//! `Context`: the class and its methods.

use super::context::{self, Context, rounding_name};
use super::methods::rounding_of;
use super::number::{Decimal, required, small, value};
use super::operators::{arithmetic, modular, within};
use super::registry::{condition_of, signals_of};
use super::signals::from_mapping;
use super::{convert, rare};
use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::list::List;
use crate::objects::native::{Def, Params, receiver};
use crate::objects::slots::{BinOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::decimal::{
    Context as Math, Kind, MAX_DIGITS, MAX_EMAX, MAX_PREC, MIN_EMIN, Number, Status,
};

const DOC: &str = "The context affects almost all operations and controls rounding,
Over/Underflow, raising of exceptions and much more.  A new context
can be initialized as follows:

    >>> c = Context(prec=28, Emin=-425000000, Emax=425000000,
    ...             rounding=ROUND_HALF_EVEN, capitals=1, clamp=1,
    ...             traps=[InvalidOperation, DivisionByZero, Overflow],
    ...             flags=[])
    >>>
";

/// Makes the class.
pub(super) fn build(vm: &mut Vm) {
    ClassBuilder::new::<Context>("Context")
        .flags(BASE)
        .module(vm, "decimal")
        .doc(vm, DOC)
        .slots(SLOTS)
        .methods(vm, METHODS)
        .methods(vm, UNARY)
        .methods(vm, BINARY)
        .methods(vm, OTHERS)
        .methods(vm, QUESTIONS)
        .getset(vm, "prec", get_prec, Some(|vm, v, x| set(vm, v, "prec", x)))
        .getset(vm, "Emin", get_emin, Some(|vm, v, x| set(vm, v, "Emin", x)))
        .getset(vm, "Emax", get_emax, Some(|vm, v, x| set(vm, v, "Emax", x)))
        .getset(
            vm,
            "rounding",
            |_, v| {
                let name = rounding_name(me(v).math.get().rounding);
                Ok(Value::from_ref(names::intern(name)))
            },
            Some(|vm, v, x| set(vm, v, "rounding", x)),
        )
        .getset(
            vm,
            "capitals",
            |_, v| Ok(Value::int(i64::from(me(v).capitals.get()))),
            Some(|vm, v, x| set(vm, v, "capitals", x)),
        )
        .getset(
            vm,
            "clamp",
            |_, v| Ok(Value::int(i64::from(me(v).math.get().clamp))),
            Some(|vm, v, x| set(vm, v, "clamp", x)),
        )
        .getset(
            vm,
            "flags",
            |vm, v| context::mapping(vm, me(v), 0),
            Some(|vm, v, x| set(vm, v, "flags", x)),
        )
        .getset(
            vm,
            "traps",
            |vm, v| context::mapping(vm, me(v), 1),
            Some(|vm, v, x| set(vm, v, "traps", x)),
        )
        .build(vm);
}

const SLOTS: Slots = Slots {
    repr: Some(repr),
    setattr: Some(|vm, v, name, value| {
        if value.is_none() {
            return Err(vm.raise(
                crate::objects::exception::Exc::AttributeError,
                "context attributes cannot be deleted",
            ));
        }
        let class = class_of(v).clone();
        if class.same(Context::class())
            && let Some(text) = name.as_ref::<Str>()
            && vm.type_lookup(&class, text).is_none()
        {
            let message = format!(
                "'{}' object has no attribute '{}'",
                class.name(),
                text.to_text()
            );
            return Err(vm.attribute_error(v, name, &message));
        }
        vm.generic_set_attr(v, name, value)
    }),
    new: Some(|_, class, _| Ok(context::new_default(class).to_value())),
    init: Some(init),
    ..Slots::NONE
};

fn me(v: &Value) -> &Ref<Context> {
    receiver::<Context>(v)
}

fn get_prec(_: &mut Vm, v: &Value) -> R {
    Ok(Value::int(me(v).math.get().precision))
}

fn get_emin(_: &mut Vm, v: &Value) -> R {
    Ok(Value::int(me(v).math.get().emin))
}

fn get_emax(_: &mut Vm, v: &Value) -> R {
    Ok(Value::int(me(v).math.get().emax))
}

/// Sets an attribute.
fn set(vm: &mut Vm, v: &Value, name: &str, value: Option<&Value>) -> R<()> {
    let context = me(v).clone();
    let Some(value) = value else {
        return Err(vm.raise(
            crate::objects::exception::Exc::AttributeError,
            "context attributes cannot be deleted",
        ));
    };
    let (low, high, refusal) = match name {
        "rounding" => {
            let rounding = rounding_of(vm, value)?;
            let math = context.math.get();
            context.math.set(Math { rounding, ..math });
            return Ok(());
        }
        "flags" => {
            context.flags.set(from_mapping(vm, value)?);
            return Ok(());
        }
        "traps" => {
            context.traps.set(from_mapping(vm, value)?);
            return Ok(());
        }
        "prec" => (1, MAX_PREC, "valid range for prec is [1, MAX_PREC]"),
        "Emin" => (MIN_EMIN, 0, "valid range for Emin is [MIN_EMIN, 0]"),
        "Emax" => (0, MAX_EMAX, "valid range for Emax is [0, MAX_EMAX]"),
        "capitals" => (0, 1, "valid values for capitals are 0 or 1"),
        _ => (0, 1, "valid values for clamp are 0 or 1"),
    };
    let Some(number) = value.as_int() else {
        return Err(vm.type_error("an integer is required"));
    };
    let Some(number) = number.to_i64() else {
        return Err(vm.overflow_error("Python int too large to convert to C ssize_t"));
    };
    if !(low..=high).contains(&number) {
        return Err(vm.value_error(refusal));
    }
    let mut math = context.math.get();
    match name {
        "prec" => math.precision = number,
        "Emin" => math.emin = number,
        "Emax" => math.emax = number,
        "capitals" => context.capitals.set(number == 1),
        _ => math.clamp = number == 1,
    }
    context.math.set(math);
    Ok(())
}

/// `Context(prec=None, rounding=None, ...)`
fn init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    static PARAMS: &Params = crate::params!(
        "(prec=None, rounding=None, Emin=None, Emax=None, capitals=None, clamp=None, flags=None, traps=None)"
    );
    let given = args.bind(vm, "Context", PARAMS, 0)?;
    for (i, name) in PARAMS.names.iter().enumerate() {
        let Some(value) = optional(&given, i).filter(|v| !v.is_none()) else {
            continue;
        };
        let list = value
            .as_ref::<List>()
            .map(|list| list.items.get(vm).to_vec());
        match list {
            Some(classes) if i >= 6 => {
                let mut conditions = 0;
                for class in classes {
                    conditions |= condition_of(vm, &class)?;
                }
                let cell = if i == 6 { &me(v).flags } else { &me(v).traps };
                cell.set(conditions);
            }
            _ => set(vm, v, name, Some(value))?,
        }
    }
    Ok(())
}

/// The signals in the order of their bits, as the representation lists them.
const SHOWN: [(&str, u32); 9] = [
    ("Clamped", Status::CLAMPED),
    ("InvalidOperation", Status::INVALID),
    ("DivisionByZero", Status::DIVISION_BY_ZERO),
    ("Inexact", Status::INEXACT),
    ("FloatOperation", Status::FLOAT_OPERATION),
    ("Overflow", Status::OVERFLOW),
    ("Rounded", Status::ROUNDED),
    ("Subnormal", Status::SUBNORMAL),
    ("Underflow", Status::UNDERFLOW),
];

fn repr(_: &mut Vm, v: &Value) -> R {
    let context = me(v);
    let math = context.math.get();
    let list = |conditions: u32| {
        let set = SHOWN.iter().filter(|(_, bits)| bits & conditions != 0);
        set.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    };
    Ok(Str::value(&format!(
        "Context(prec={}, rounding={}, Emin={}, Emax={}, capitals={}, clamp={}, flags=[{}], traps=[{}])",
        math.precision,
        rounding_name(math.rounding),
        math.emin,
        math.emax,
        u8::from(context.capitals.get()),
        u8::from(math.clamp),
        list(context.flags.get()),
        list(context.traps.get()),
    )))
}

fn copy(_: &mut Vm, a: &[Value]) -> R {
    Ok(heap::alloc(me(&a[0]).duplicate(true)).to_value())
}

/// The decimal that an argument has to be.
fn decimal<'a>(vm: &mut Vm, v: &'a Value) -> R<&'a Ref<Decimal>> {
    match v.as_ref::<Decimal>() {
        Some(decimal) => Ok(decimal),
        None => Err(vm.type_error("argument must be a Decimal")),
    }
}

/// An argument as a `Decimal`; one that is none is converted.
fn as_decimal(vm: &mut Vm, v: &Value) -> R {
    if v.is::<Decimal>() {
        return Ok(v.clone());
    }
    required(vm, v).map(|n| value(n.into_owned()))
}

fn shown(vm: &mut Vm, a: &[Value], engineering: bool) -> R {
    let n = required(vm, &a[1])?;
    if n.coefficient.digits_at_most() > MAX_DIGITS {
        return Err(vm.memory_error());
    }
    let text = n.text(engineering, me(&a[0]).capitals.get());
    Ok(Str::value(&text))
}

static METHODS: &[Def] = &[
    Def::method("Etiny", "(self, /)", |_, a| {
        Ok(Value::int(me(&a[0]).math.get().etiny()))
    }),
    Def::method("Etop", "(self, /)", |_, a| {
        Ok(Value::int(me(&a[0]).math.get().etop()))
    }),
    Def::method("radix", "(self, /)", |_, _| Ok(value(small(10)))),
    Def::method("clear_flags", "(self, /)", |_, a| {
        me(&a[0]).flags.set(0);
        Ok(Value::NONE)
    }),
    Def::method("clear_traps", "(self, /)", |_, a| {
        me(&a[0]).traps.set(0);
        Ok(Value::NONE)
    }),
    Def::method("copy", "(self, /)", copy),
    Def::method("__copy__", "(self, /)", copy),
    Def::method("__reduce__", "(self, /)", |vm, a| {
        let context = me(&a[0]).clone();
        let math = context.math.get();
        let flags = signals_of(vm, context.flags.get())?;
        let traps = signals_of(vm, context.traps.get())?;
        Ok(Tuple::value(vec![
            class_of(&a[0]).to_value(),
            Tuple::value(vec![
                Value::int(math.precision),
                Str::value(rounding_name(math.rounding)),
                Value::int(math.emin),
                Value::int(math.emax),
                Value::int(i64::from(context.capitals.get())),
                Value::int(i64::from(math.clamp)),
                List::value(flags),
                List::value(traps),
            ]),
        ]))
    }),
    Def::method("create_decimal", "(self, num='0', /)", |vm, a| {
        let context = me(&a[0]).clone();
        match optional(a, 1) {
            Some(v) => convert::create(vm, &context, v),
            None => Ok(value(small(0))),
        }
    }),
    Def::method("create_decimal_from_float", "(self, f, /)", |vm, a| {
        let context = me(&a[0]).clone();
        let n = convert::from_float(vm, &a[1])?;
        within(vm, &context, |m, s| m.finish(n, s))
    }),
    Def::method("canonical", "(self, x, /)", |vm, a| {
        decimal(vm, &a[1])?;
        Ok(a[1].clone())
    }),
    Def::method("copy_decimal", "(self, x, /)", |vm, a| {
        as_decimal(vm, &a[1])
    }),
    Def::method("copy_abs", "(self, x, /)", |vm, a| {
        Ok(value(required(vm, &a[1])?.with_sign(false)))
    }),
    Def::method("copy_negate", "(self, x, /)", |vm, a| {
        Ok(value(required(vm, &a[1])?.negated()))
    }),
    Def::method("copy_sign", "(self, /, a, b)", |vm, a| {
        let (x, y) = (required(vm, &a[1])?, required(vm, &a[2])?);
        Ok(value(x.with_sign(y.negative)))
    }),
    Def::method("number_class", "(self, x, /)", |vm, a| {
        let n = required(vm, &a[1])?;
        Ok(Str::value(me(&a[0]).math.get().class_name(&n)))
    }),
    Def::method("to_sci_string", "(self, x, /)", |vm, a| shown(vm, a, false)),
    Def::method("to_eng_string", "(self, x, /)", |vm, a| shown(vm, a, true)),
    Def::method("fma", "(self, /, a, b, c)", |vm, a| {
        let context = me(&a[0]).clone();
        let (x, y, z) = (
            required(vm, &a[1])?,
            required(vm, &a[2])?,
            required(vm, &a[3])?,
        );
        within(vm, &context, |m, s| m.fma(&x, &y, &z, s))
    }),
    Def::method("power", "(self, /, a, b, modulo=None)", |vm, a| {
        let context = me(&a[0]).clone();
        let (x, y) = (required(vm, &a[1])?, required(vm, &a[2])?);
        match optional(a, 3).filter(|v| !v.is_none()) {
            Some(v) => {
                let z = required(vm, v)?;
                modular(vm, &context, &x, &y, &z)
            }
            None => arithmetic(vm, &context, BinOp::Pow, &x, &y),
        }
    }),
    Def::method("divmod", "(self, /, a, b)", |vm, a| {
        operator(vm, a, BinOp::DivMod)
    }),
    Def::method("add", "(self, /, a, b)", |vm, a| {
        operator(vm, a, BinOp::Add)
    }),
    Def::method("subtract", "(self, /, a, b)", |vm, a| {
        operator(vm, a, BinOp::Sub)
    }),
    Def::method("multiply", "(self, /, a, b)", |vm, a| {
        operator(vm, a, BinOp::Mul)
    }),
    Def::method("divide", "(self, /, a, b)", |vm, a| {
        operator(vm, a, BinOp::Div)
    }),
    Def::method("divide_int", "(self, /, a, b)", |vm, a| {
        operator(vm, a, BinOp::FloorDiv)
    }),
    Def::method("remainder", "(self, /, a, b)", |vm, a| {
        operator(vm, a, BinOp::Mod)
    }),
];

fn operator(vm: &mut Vm, a: &[Value], op: BinOp) -> R {
    let context = me(&a[0]).clone();
    let (x, y) = (required(vm, &a[1])?, required(vm, &a[2])?);
    arithmetic(vm, &context, op, &x, &y)
}

fn unary(vm: &mut Vm, a: &[Value], f: fn(&Math, &Number, &mut Status) -> Number) -> R {
    let context = me(&a[0]).clone();
    let n = required(vm, &a[1])?;
    within(vm, &context, |m, s| f(m, &n, s))
}

fn rarely(vm: &mut Vm, a: &[Value], name: &str) -> R {
    let context = me(&a[0]).clone();
    let n = required(vm, &a[1])?;
    rare::unary(vm, name, &context, &n)
}

fn binary(vm: &mut Vm, a: &[Value], f: fn(&Math, &Number, &Number, &mut Status) -> Number) -> R {
    let context = me(&a[0]).clone();
    let (x, y) = (required(vm, &a[1])?, required(vm, &a[2])?);
    within(vm, &context, |m, s| f(m, &x, &y, s))
}

/// Methods of one operand.
macro_rules! unary {
    ($($name:literal $f:expr),* $(,)?) => {
        &[$(Def::method($name, "(self, x, /)", |vm, a| unary(vm, a, $f))),*]
    };
}

/// Methods of two operands.
macro_rules! binary {
    ($($name:literal $f:expr),* $(,)?) => {
        &[$(Def::method($name, "(self, /, a, b)", |vm, a| binary(vm, a, $f))),*]
    };
}

/// Methods that answer yes or no.
macro_rules! tests {
    ($($name:literal $f:expr),* $(,)?) => {
        &[$(Def::method($name, "(self, x, /)", |vm, a| {
            let n = required(vm, &a[1])?;
            let f: fn(&Math, &Number) -> bool = $f;
            Ok(Value::bool(f(&me(&a[0]).math.get(), &n)))
        })),*]
    };
}

static UNARY: &[Def] = unary! {
    "abs" Math::abs,
    "minus" Math::minus,
    "plus" Math::plus,
    "_apply" |m, n, s| m.finish(n.clone(), s),
    "logb" Math::logb,
    "logical_invert" Math::logical_invert,
    "next_minus" Math::next_minus,
    "next_plus" Math::next_plus,
    "normalize" Math::normalize,
    "sqrt" Math::sqrt,
    "to_integral" |m, n, s| m.to_integral(n, false, s),
    "to_integral_exact" |m, n, s| m.to_integral(n, true, s),
    "to_integral_value" |m, n, s| m.to_integral(n, false, s),
};

static BINARY: &[Def] = binary! {
    "compare" Math::compare,
    "compare_signal" Math::compare_signal,
    "compare_total" |m, x, y, _| m.compare_total(x, y),
    "compare_total_mag" |m, x, y, _| m.compare_total_mag(x, y),
    "logical_and" |m, x, y, s| m.logical(x, y, |p, q| p & q, s),
    "logical_or" |m, x, y, s| m.logical(x, y, |p, q| p | q, s),
    "logical_xor" |m, x, y, s| m.logical(x, y, |p, q| p ^ q, s),
    "max" |m, x, y, s| m.extreme(x, y, true, false, s),
    "max_mag" |m, x, y, s| m.extreme(x, y, true, true, s),
    "min" |m, x, y, s| m.extreme(x, y, false, false, s),
    "min_mag" |m, x, y, s| m.extreme(x, y, false, true, s),
    "next_toward" Math::next_toward,
    "quantize" Math::quantize,
    "remainder_near" Math::remainder_near,
    "rotate" Math::rotate,
    "scaleb" Math::scaleb,
    "shift" Math::shift,
};

static OTHERS: &[Def] = &[
    Def::method("exp", "(self, x, /)", |vm, a| rarely(vm, a, "exp")),
    Def::method("ln", "(self, x, /)", |vm, a| rarely(vm, a, "ln")),
    Def::method("log10", "(self, x, /)", |vm, a| rarely(vm, a, "log10")),
    Def::method("is_canonical", "(self, x, /)", |vm, a| {
        decimal(vm, &a[1])?;
        Ok(Value::bool(true))
    }),
    Def::method("same_quantum", "(self, /, a, b)", |vm, a| {
        let (x, y) = (required(vm, &a[1])?, required(vm, &a[2])?);
        Ok(Value::bool(x.same_quantum(&y)))
    }),
];

/// Methods that answer yes or no of one operand.
static QUESTIONS: &[Def] = tests! {
    "is_finite" |_, n| n.is_finite(),
    "is_infinite" |_, n| n.is_infinite(),
    "is_nan" |_, n| n.is_nan(),
    "is_normal" |m, n| m.is_normal(n),
    "is_qnan" |_, n| n.kind == Kind::Quiet,
    "is_signed" |_, n| n.negative,
    "is_snan" |_, n| n.kind == Kind::Signaling,
    "is_subnormal" |m, n| m.is_subnormal(n),
    "is_zero" |_, n| n.is_zero(),
};
