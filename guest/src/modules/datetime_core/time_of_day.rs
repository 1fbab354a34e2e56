//! `time`: the class, its constructors and its methods.

use super::arithmetic::clock_bytes;
use super::calendar::{Clock, SECOND, Span, Ymd};
use super::date::{format, format_arg, no_format, strptime, text_of};
use super::delta;
use super::fields::{Signature, check_clock, check_zone, int_arg, int_or};
use super::iso_parse;
use super::moment::{broken, call_with_fold, clock_numbers};
use super::pickle::{self, FOLD, check_state_zone, restored_clock};
use super::text::{self, Extras, Subject, TimeSpec};
use super::zone;
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::bytes::Bytes;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::{Str, hash_bytes};
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::Cell;

/// Payload of `time`.
pub(super) struct TimeOfDay {
    pub(super) clock: Clock,
    pub(super) fold: u8,
    /// The zone, or `None`.
    pub(super) zone: Value,
    /// The hash once it is known; 0 until then.
    hash: Cell<i64>,
}

// SAFETY: visits the zone.
unsafe impl Payload for TimeOfDay {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.zone);
    }
}

const DOC: &str = "time([hour[, minute[, second[, microsecond[, tzinfo]]]]]) --> a time object

All arguments are optional. tzinfo may be None, or an instance of
a tzinfo subclass. The remaining arguments may be ints.";

/// Makes the class.
pub(super) fn build(vm: &mut Vm) {
    let class = ClassBuilder::new::<TimeOfDay>("time")
        .flags(BASE)
        .module(vm, "datetime")
        .doc(vm, DOC)
        .slots(SLOTS)
        .methods(vm, METHODS)
        .getset(
            vm,
            "hour",
            |_, v| Ok(Value::int(of(v).clock.hour.into())),
            None,
        )
        .getset(
            vm,
            "minute",
            |_, v| Ok(Value::int(of(v).clock.minute.into())),
            None,
        )
        .getset(
            vm,
            "second",
            |_, v| Ok(Value::int(of(v).clock.second.into())),
            None,
        )
        .getset(
            vm,
            "microsecond",
            |_, v| Ok(Value::int(of(v).clock.microsecond.into())),
            None,
        )
        .getset(vm, "tzinfo", |_, v| Ok(of(v).zone.clone()), None)
        .getset(vm, "fold", |_, v| Ok(Value::int(of(v).fold.into())), None)
        .build(vm);
    let last = Clock::of_seconds(86_399, SECOND - 1);
    for (name, clock) in [("min", Clock::ZERO), ("max", last)] {
        let limit = alloc(&class, clock, 0, &Value::NONE);
        class.dict.set_str(vm, &names::intern(name), limit);
    }
    if let Ok(microsecond) = Span::new(0, 0, 1) {
        let resolution = delta::value(microsecond);
        class
            .dict
            .set_str(vm, &names::intern("resolution"), resolution);
    }
    class.invalidate();
}

const SLOTS: Slots = Slots {
    repr: Some(repr),
    str: Some(|vm, v| {
        if class_of(v).is_static() {
            return iso_format(vm, v, TimeSpec::Auto);
        }
        vm.call_method(v, &names::intern("isoformat"), &[])
    }),
    hash: Some(hash),
    compare: Some(compare),
    new: Some(new),
    ..Slots::NONE
};

fn of(v: &Value) -> &Ref<TimeOfDay> {
    receiver::<TimeOfDay>(v)
}

/// A `time` of exactly this class, `time` or a subclass of it.
fn alloc(class: &Ref<Type>, clock: Clock, fold: u8, zone: &Value) -> Value {
    let time = TimeOfDay {
        clock,
        fold,
        zone: zone.clone(),
        hash: Cell::new(0),
    };
    Value::from_ref(heap::alloc_instance(time, class, 0))
}

/// A `time` of the built-in class.
pub(super) fn value(clock: Clock, fold: u8, zone: &Value) -> Value {
    alloc(TimeOfDay::class(), clock, fold, zone)
}

/// A time that a class makes: at once for the built-in one, by a call for others.
fn by_class(vm: &mut Vm, class: &Value, parts: [i64; 4], fold: i64, zone: &Value) -> R {
    if let Some(class) = class.as_ref::<Type>()
        && class.same(TimeOfDay::class())
    {
        let (clock, fold) = check_clock(vm, parts, fold)?;
        check_zone(vm, zone)?;
        return Ok(alloc(class, clock, fold, zone));
    }
    let mut args: Vec<Value> = parts.map(Value::int).into();
    args.push(zone.clone());
    if let Ok(fold) = u8::try_from(fold) {
        return call_with_fold(vm, class, args, fold);
    }
    Err(vm.value_error(format!("fold must be either 0 or 1, not {fold}")))
}

static SIGNATURE: Signature = Signature {
    name: "",
    params: &["hour", "minute", "second", "microsecond", "tzinfo", "fold"],
    required: 0,
    positional: 5,
};

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if let ([state] | [state, _], []) = (args.positional(), args.names())
        && let Some((clock, fold)) = restored_clock(vm, state)?
    {
        let zone = optional(args.positional(), 1).cloned();
        let zone = zone.unwrap_or(Value::NONE);
        check_state_zone(vm, &zone)?;
        return Ok(alloc(class, clock, fold, &zone));
    }
    let (mut parts, mut fold, mut zone) = ([0; 4], 0, Value::NONE);
    SIGNATURE.each(vm, args, |vm, i, v| {
        match i {
            4 => zone = v.clone(),
            5 => fold = int_arg(vm, v)?,
            _ => parts[i] = int_arg(vm, v)?,
        }
        Ok(())
    })?;
    let (clock, fold) = check_clock(vm, parts, fold)?;
    check_zone(vm, &zone)?;
    Ok(alloc(class, clock, fold, &zone))
}

static METHODS: &[Def] = &[
    Def::class_method("fromisoformat", "(cls, string, /)", |vm, args| {
        let string = text_of(vm, &args[1], "fromisoformat: argument must be str")?;
        let bytes = string.as_bytes();
        let parsed = match string.as_str() {
            Some(_) => iso_parse::time(bytes.strip_prefix(b"T").unwrap_or(bytes)),
            None => None,
        };
        let Some(time) = parsed else {
            return Err(no_format(vm, &string));
        };
        let (parts, _) = at_midnight(vm, time.clock)?;
        let zone = zone_of(vm, time.offset)?;
        by_class(vm, &args[0], parts, 0, &zone)
    }),
    Def::class_method("strptime", "(cls, string, format, /)", |vm, args| {
        strptime(vm, args, "_strptime_datetime_time")
    }),
    Def::method("isoformat", "(self, /, timespec='auto')", |vm, args| {
        let spec = TimeSpec::of_arg(vm, optional(args, 1), 1)?;
        iso_format(vm, &args[0], spec)
    }),
    Def::method("strftime", "(self, /, format)", |vm, args| {
        let pattern = format_arg(vm, &args[1], "strftime")?;
        let time = of(&args[0]);
        let day = Ymd {
            year: 1900,
            month: 1,
            day: 1,
        };
        let extras = Extras {
            zone: &time.zone,
            of: &Value::NONE,
            microsecond: time.clock.microsecond,
        };
        let subject = Subject::Broken(broken(day, time.clock, -1));
        text::strftime(vm, &pattern, &subject, &extras)
    }),
    Def::method("__format__", "(self, format_spec, /)", format),
    Def::method("utcoffset", "(self, /)", |vm, args| {
        zone::ask_offset(vm, &of(&args[0]).zone, "utcoffset", &Value::NONE)
    }),
    Def::method("tzname", "(self, /)", |vm, args| {
        zone::ask_name(vm, &of(&args[0]).zone, &Value::NONE)
    }),
    Def::method("dst", "(self, /)", |vm, args| {
        zone::ask_offset(vm, &of(&args[0]).zone, "dst", &Value::NONE)
    }),
    Def::method(
        "replace",
        "(self, /, hour=None, minute=None, second=None, microsecond=None, tzinfo=None, *, fold=None)",
        replace,
    ),
    Def::method(
        "__replace__",
        "(self, /, hour=None, minute=None, second=None, microsecond=None, tzinfo=None, *, fold=None)",
        replace,
    ),
    Def::method("__reduce_ex__", "(self, protocol, /)", |vm, args| {
        let protocol = int_arg(vm, &args[1])?;
        Ok(reduce(&args[0], protocol))
    }),
    Def::method("__reduce__", "(self, /)", |_, args| Ok(reduce(&args[0], 2))),
];

fn reduce(v: &Value, protocol: i64) -> Value {
    let time = of(v);
    let mut state = clock_bytes(time.clock);
    if protocol > 3 && time.fold != 0 {
        state[0] |= FOLD;
    }
    pickle::reduced(v, Bytes::value(state.to_vec()), &time.zone)
}

fn replace(vm: &mut Vm, args: &[Value]) -> R {
    let time = of(&args[0]);
    let mut parts = clock_numbers(time.clock);
    for (i, part) in parts.iter_mut().enumerate() {
        *part = int_or(vm, optional(args, i + 1), *part)?;
    }
    let zone = optional(args, 5).unwrap_or(&time.zone);
    let fold = int_or(vm, optional(args, 6), time.fold.into())?;
    let class = class_of(&args[0]).to_value();
    by_class(vm, &class, parts, fold, zone)
}

/// A reading with 24 o'clock, which is midnight at the end of the day, as one that a clock shows; and whether it was that.
pub(super) fn at_midnight(vm: &mut Vm, parts: [i64; 4]) -> R<([i64; 4], bool)> {
    match parts {
        [24, 0, 0, 0] => Ok(([0; 4], true)),
        [24, ..] => {
            Err(vm.value_error("minute, second, and microsecond must be 0 when hour is 24"))
        }
        _ => Ok((parts, false)),
    }
}

/// The zone that a text in a format of ISO 8601 names by its distance from UTC.
pub(super) fn zone_of(vm: &mut Vm, offset: Option<(i64, i64)>) -> R {
    match offset {
        None => Ok(Value::NONE),
        // So it is in CPython, whatever the microseconds are.
        Some((0, _)) => Ok(zone::utc()),
        Some((seconds, microseconds)) => {
            let span = Span::new(0, seconds, microseconds);
            let span = delta::checked(vm, span)?;
            zone::of_offset(vm, span)
        }
    }
}

fn iso_format(vm: &mut Vm, v: &Value, spec: TimeSpec) -> R {
    let time = of(v);
    let mut out = spec.show(time.clock);
    out.push_str(&text::zone_offset(vm, &time.zone, &Value::NONE, ":")?);
    Ok(Str::value(&out))
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let time = of(v);
    let c = time.clock;
    let mut out = format!("{}({}, {}", class_of(v).name(), c.hour, c.minute);
    if c.second != 0 || c.microsecond != 0 {
        out.push_str(&format!(", {}", c.second));
    }
    if c.microsecond != 0 {
        out.push_str(&format!(", {}", c.microsecond));
    }
    repr_end(vm, out, &time.zone, time.fold)
}

/// Ends a `repr` with zone and `fold`.
pub(super) fn repr_end(vm: &mut Vm, start: String, zone: &Value, fold: u8) -> R {
    let mut out = start.into_bytes();
    if !zone.is_none() {
        out.extend_from_slice(b", tzinfo=");
        out.extend_from_slice(vm.repr(zone)?.as_bytes());
    }
    if fold != 0 {
        out.extend_from_slice(b", fold=1");
    }
    out.push(b')');
    Ok(Str::value_wtf8(&out))
}

/// Microseconds since midnight in UTC; perhaps of the day before or after.
fn in_utc(clock: Clock, offset: Span) -> i64 {
    (clock.seconds() - offset.total_seconds()) * SECOND + i64::from(clock.microsecond)
        - i64::from(offset.microseconds)
}

/// Order of times: by the clock in one zone, by UTC between zones. Only equality can be asked between times with and without a zone.
fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<TimeOfDay>(), b.as_ref::<TimeOfDay>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if x.zone.is_same(&y.zone) {
        return Ok(Value::bool(op.holds(x.clock.cmp(&y.clock))));
    }
    let p = zone::ask_span(vm, &x.zone, &Value::NONE)?;
    let q = zone::ask_span(vm, &y.zone, &Value::NONE)?;
    let order = match (p, q) {
        _ if p == q => x.clock.cmp(&y.clock),
        (Some(p), Some(q)) => in_utc(x.clock, p).cmp(&in_utc(y.clock, q)),
        _ => {
            return match op {
                CmpOp::Eq => Ok(Value::FALSE),
                CmpOp::Ne => Ok(Value::TRUE),
                _ => Err(vm.type_error("can't compare offset-naive and offset-aware times")),
            };
        }
    };
    Ok(Value::bool(op.holds(order)))
}

/// Equal times have equal hashes, whatever their zones are. `fold` does not count.
fn hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let time = of(v);
    let known = time.hash.get();
    if known != 0 {
        return Ok(known);
    }
    let hash = match zone::ask_span(vm, &time.zone, &Value::NONE)? {
        None => hash_bytes(&clock_bytes(time.clock)),
        Some(offset) => {
            let span = Span::new(0, 0, in_utc(time.clock, offset));
            delta::hash(delta::checked(vm, span)?)
        }
    };
    time.hash.set(hash);
    Ok(hash)
}
