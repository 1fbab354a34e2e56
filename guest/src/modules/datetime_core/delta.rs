//! `timedelta`: the class, its constructor and its methods. Operators are in [`super::delta_ops`].

use super::calendar::{SECOND, Span, TooLong};
use super::delta_ops;
use super::fields::Signature;
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};
use coldframe_numeric::hash::TupleHasher;
use coldframe_numeric::{BigInt, Int, rational};
use num_traits::ToPrimitive;

/// Payload of `timedelta`.
pub(super) struct Delta {
    pub(super) span: Span,
}

// SAFETY: owns no values.
unsafe impl Payload for Delta {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

const DOC: &str = "Difference between two datetime values.

timedelta(days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0)

All arguments are optional and default to 0.
Arguments may be integers or floats, and may be positive or negative.";

/// Makes the class.
pub(super) fn build(vm: &mut Vm) {
    let class = ClassBuilder::new::<Delta>("timedelta")
        .flags(BASE)
        .module(vm, "datetime")
        .doc(vm, DOC)
        .slots(SLOTS)
        .methods(vm, METHODS)
        .getset(vm, "days", |_, v| Ok(Value::int(span(v).days.into())), None)
        .getset(
            vm,
            "seconds",
            |_, v| Ok(Value::int(span(v).seconds.into())),
            None,
        )
        .getset(
            vm,
            "microseconds",
            |_, v| Ok(Value::int(span(v).microseconds.into())),
            None,
        )
        .build(vm);
    let limits = [
        ("min", (-999_999_999, 0, 0)),
        ("max", (999_999_999, 86_399, 999_999)),
        ("resolution", (0, 0, 1)),
    ];
    for (name, (days, seconds, microseconds)) in limits {
        let span = Span {
            days,
            seconds,
            microseconds,
        };
        class.dict.set_str(vm, &names::intern(name), value(span));
    }
    // The other unary operators bring it along.
    drop(class.dict.remove_str(vm, &names::intern("__invert__")));
    class.invalidate();
}

const SLOTS: Slots = Slots {
    repr: Some(|_, v| Ok(Str::value(&repr(v)))),
    str: Some(|_, v| Ok(Str::value(&text(span(v))))),
    hash: Some(|_, v| Ok(hash(span(v)))),
    compare: Some(delta_ops::compare),
    bool: Some(|_, v| Ok(span(v) != Span::ZERO)),
    binary: Some(delta_ops::binary),
    binary_ops: ops(OPERATORS),
    reflected_ops: ops(OPERATORS),
    unary: Some(delta_ops::unary),
    new: Some(new),
    ..Slots::NONE
};

const OPERATORS: &[BinOp] = &[
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::FloorDiv,
    BinOp::Mod,
    BinOp::DivMod,
];

static METHODS: &[Def] = &[
    Def::method("total_seconds", "(self, /)", |vm, args| {
        total_seconds(vm, span(&args[0])).map(Value::float)
    }),
    Def::method("__reduce__", "(self, /)", |_, args| {
        let span = span(&args[0]);
        let state = [span.days, span.seconds, span.microseconds];
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            Tuple::value(state.iter().map(|&n| Value::int(n.into())).collect()),
        ]))
    }),
];

/// The duration that a `timedelta` stands for.
fn span(v: &Value) -> Span {
    receiver::<Delta>(v).span
}

/// The duration, if the value is a `timedelta`.
#[inline]
pub(super) fn span_of(v: &Value) -> Option<Span> {
    v.as_ref::<Delta>().map(|d| d.span)
}

/// A `timedelta`.
pub(super) fn value(span: Span) -> Value {
    Value::from_ref(heap::alloc(Delta { span }))
}

/// The duration, or `OverflowError` when it is too long.
#[inline]
pub(super) fn checked(vm: &mut Vm, span: Result<Span, TooLong>) -> R<Span> {
    span.map_err(|e| too_long(vm, e))
}

#[cold]
fn too_long(vm: &mut Vm, e: TooLong) -> Raised {
    match e {
        TooLong::Days(days) => {
            vm.overflow_error(format!("days={days}; must have magnitude <= 999999999"))
        }
        TooLong::Beyond => vm.overflow_error("Python int too large to convert to C int"),
    }
}

/// The hash of `(days, seconds, microseconds)`.
pub(super) fn hash(span: Span) -> i64 {
    let mut hasher = TupleHasher::new();
    for part in [span.days, span.seconds, span.microseconds] {
        // -1 is the mark of an error in C, so its hash is -2.
        hasher.add(if part == -1 { -2 } else { part.into() });
    }
    hasher.finish()
}

/// The duration in seconds, correctly rounded.
pub(super) fn total_seconds(vm: &mut Vm, span: Span) -> R<f64> {
    let total = span.total();
    if total.unsigned_abs() <= 1 << 53 {
        return Ok(total as f64 / SECOND as f64);
    }
    let result = rational::true_divide(&BigInt::from(total), &BigInt::from(SECOND));
    vm.numeric(result)
}

/// `repr` of a duration without the name of the class.
fn repr(v: &Value) -> String {
    let span = span(v);
    let parts = [
        ("days", span.days),
        ("seconds", span.seconds),
        ("microseconds", span.microseconds),
    ];
    let mut shown = Vec::new();
    for (name, part) in parts {
        if part != 0 {
            shown.push(format!("{name}={part}"));
        }
    }
    if shown.is_empty() {
        shown.push("0".to_owned());
    }
    format!("{}({})", class_of(v).name(), shown.join(", "))
}

/// `str` of a duration.
fn text(span: Span) -> String {
    let (hours, minutes, seconds) = (
        span.seconds / 3600,
        span.seconds / 60 % 60,
        span.seconds % 60,
    );
    let mut out = match span.days {
        0 => String::new(),
        n => format!("{n} day{}, ", if n.abs() == 1 { "" } else { "s" }),
    };
    out.push_str(&format!("{hours}:{minutes:02}:{seconds:02}"));
    if span.microseconds != 0 {
        out.push_str(&format!(".{:06}", span.microseconds));
    }
    out
}

static SIGNATURE: Signature = Signature {
    name: "__new__",
    params: &[
        "days",
        "seconds",
        "microseconds",
        "milliseconds",
        "minutes",
        "hours",
        "weeks",
    ],
    required: 0,
    positional: 7,
};

/// Microseconds of each unit, in the order of the parameters.
const UNITS: [i64; 7] = [
    86_400_000_000,
    1_000_000,
    1,
    1_000,
    60_000_000,
    3_600_000_000,
    604_800_000_000,
];

/// The order in which the units are summed up.
const ORDER: [usize; 7] = [2, 3, 1, 4, 5, 0, 6];

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let mut given: [Value; 7] = std::array::from_fn(|_| Value::UNDEF);
    SIGNATURE.each(vm, args, |_, i, v| {
        given[i] = v.clone();
        Ok(())
    })?;
    let mut sum = Sum::default();
    for i in ORDER {
        if let Some(v) = given[i].defined() {
            sum.add(vm, v, UNITS[i], SIGNATURE.params[i])?;
        }
    }
    let total = sum.rounded();
    let span = checked(vm, total.and_then(Span::of_microseconds))?;
    Ok(Value::from_ref(heap::alloc_instance(
        Delta { span },
        class,
        0,
    )))
}

/// Microseconds that are summed up exactly, except for what is left of floats below one.
#[derive(Default)]
struct Sum {
    whole: i128,
    /// What did not fit; mostly zero.
    huge: BigInt,
    fraction: f64,
}

impl Sum {
    fn add(&mut self, vm: &mut Vm, v: &Value, unit: i64, name: &str) -> R<()> {
        if let Some(i) = v.as_int() {
            match i.to_i64() {
                Some(i) => self.whole += i128::from(i) * i128::from(unit),
                None => self.huge += i.to_big() * unit,
            }
            return Ok(());
        }
        let Some(f) = v.as_any_float() else {
            return Err(vm.type_error(format!(
                "unsupported type for timedelta {name} component: {}",
                class_of(v).name()
            )));
        };
        if f.is_nan() {
            return Err(vm.value_error("cannot convert float NaN to integer"));
        }
        if f.is_infinite() {
            return Err(vm.overflow_error("cannot convert float infinity to integer"));
        }
        let whole = f.trunc();
        if whole.abs() < 9.0e18 {
            self.whole += i128::from(whole as i64) * i128::from(unit);
        } else {
            let whole = rational::from_float(whole);
            self.huge += match vm.numeric(whole)? {
                Int::Small(i) => BigInt::from(i) * unit,
                Int::Big(i) => i * unit,
            };
        }
        let rest = (f - whole) * unit as f64;
        self.whole += rest.trunc() as i128;
        self.fraction += rest - rest.trunc();
        Ok(())
    }

    /// The sum, rounded to the nearest microsecond, and to the even one of two.
    fn rounded(mut self) -> Result<i128, TooLong> {
        let mut nearest = self.fraction.round();
        if (nearest - self.fraction).abs() == 0.5 {
            let odd = (self.whole & 1 != 0) ^ self.huge.bit(0);
            let odd = f64::from(u8::from(odd));
            nearest = 2.0 * ((self.fraction + odd) * 0.5).round() - odd;
        }
        self.whole += nearest as i128;
        if self.huge == BigInt::default() {
            return Ok(self.whole);
        }
        (self.huge + self.whole).to_i128().ok_or(TooLong::Beyond)
    }
}
