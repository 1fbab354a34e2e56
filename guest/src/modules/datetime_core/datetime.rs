//! `datetime`: the class, its constructors and its methods.

use super::arithmetic::{self, clock_bytes, date_bytes};
use super::calendar::{Clock, DAY_SECONDS, EPOCH, SECOND, Span, Ymd};
use super::date::{no_format, strptime, text_of};
use super::delta::{self, span_of};
use super::fields::{Signature, check_clock, check_date, check_zone, int_arg, int_or, wrong_year};
use super::iso_parse;
use super::moment::{
    Moment, Parts, alloc_date, alloc_datetime, broken, clock_numbers, datetime_class,
    set_datetime_class,
};
use super::pickle::{self, FOLD, check_state_zone, restored_moment};
use super::text::{self, TimeSpec};
use super::time_of_day::{self, TimeOfDay, at_midnight, repr_end, zone_of};
use super::zone;
use crate::heap::{Payload, Ref};
use crate::modules::time;
use crate::names;
use crate::objects::bytes::Bytes;
use crate::objects::exception::Exc;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

const DOC: &str = "datetime(year, month, day[, hour[, minute[, second[, microsecond[,tzinfo]]]]])

The year, month and day arguments are required. tzinfo may be None, or an
instance of a tzinfo subclass. The remaining arguments may be ints.";

/// Makes the class.
pub(super) fn build(vm: &mut Vm) {
    let base = Moment::class().clone();
    let class = ClassBuilder::sibling::<Moment>("datetime")
        .base(&base)
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
    set_datetime_class(class.clone());
    let last = Clock::of_seconds(DAY_SECONDS - 1, SECOND - 1);
    for (name, (year, month, day), clock) in [
        ("min", (1, 1, 1), Clock::ZERO),
        ("max", (9999, 12, 31), last),
    ] {
        let date = Ymd { year, month, day };
        let limit = alloc_datetime(&class, date, clock, 0, &Value::NONE);
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
            return iso_format(vm, v, b" ", TimeSpec::Auto);
        }
        let name = names::intern("isoformat");
        vm.call_method(v, &name, &[Str::value(" ")])
    }),
    hash: Some(arithmetic::datetime_hash),
    compare: Some(arithmetic::datetime_compare),
    binary: Some(arithmetic::datetime_binary),
    binary_ops: ops(&[BinOp::Add, BinOp::Sub]),
    reflected_ops: ops(&[BinOp::Add, BinOp::Sub]),
    new: Some(new),
    ..Slots::NONE
};

fn of(v: &Value) -> &Ref<Moment> {
    receiver::<Moment>(v)
}

static SIGNATURE: Signature = Signature {
    name: "",
    params: &[
        "year",
        "month",
        "day",
        "hour",
        "minute",
        "second",
        "microsecond",
        "tzinfo",
        "fold",
    ],
    required: 3,
    positional: 8,
};

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if let ([state] | [state, _], []) = (args.positional(), args.names())
        && let Some((date, clock, fold)) = restored_moment(vm, state)?
    {
        let zone = optional(args.positional(), 1).cloned();
        let zone = zone.unwrap_or(Value::NONE);
        check_state_zone(vm, &zone)?;
        return Ok(alloc_datetime(class, date, clock, fold, &zone));
    }
    let (mut parts, mut fold, mut zone) = ([0; 7], 0, Value::NONE);
    SIGNATURE.each(vm, args, |vm, i, v| {
        match i {
            7 => zone = v.clone(),
            8 => fold = int_arg(vm, v)?,
            _ => parts[i] = int_arg(vm, v)?,
        }
        Ok(())
    })?;
    let [year, month, day, clock @ ..] = parts;
    let date = check_date(vm, year, month, day)?;
    let (clock, fold) = check_clock(vm, clock, fold)?;
    check_zone(vm, &zone)?;
    Ok(alloc_datetime(class, date, clock, fold, &zone))
}

// ---- other constructors

/// Seconds since the epoch as whole seconds and microseconds, rounded to the nearest one and to the even one of two.
fn timestamp_arg(vm: &mut Vm, v: &Value) -> R<(i64, i64)> {
    let Some(f) = v.as_any_float() else {
        let i = vm.index(v)?;
        return match i.as_int().and_then(|i| i.to_i64()) {
            Some(i) => Ok((i, 0)),
            None => Err(time::no_time(vm)),
        };
    };
    if f.is_nan() {
        return Err(vm.value_error("Invalid value NaN (not a number)"));
    }
    let mut whole = f.trunc();
    let mut rest = ((f - whole) * SECOND as f64).round_ties_even();
    if rest >= SECOND as f64 {
        rest -= SECOND as f64;
        whole += 1.0;
    } else if rest < 0.0 {
        rest += SECOND as f64;
        whole -= 1.0;
    }
    // Not so for infinities.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole) {
        Ok((whole as i64, rest as i64))
    } else {
        Err(time::no_time(vm))
    }
}

/// The moment that a class makes of a number of seconds since the epoch, as the sandbox's clock shows it.
fn by_local_timestamp(vm: &mut Vm, class: &Value, (seconds, microsecond): (i64, i64)) -> R {
    let offset = time::offset_at(vm, seconds).seconds;
    let shown = seconds.saturating_add(offset);
    // The clock shows a time twice when it was put back less than a day ago, over that time (PEP 495).
    let before = time::offset_at(vm, seconds.saturating_sub(DAY_SECONDS)).seconds;
    let earlier = shown.saturating_sub(before);
    let fold = before > offset && time::offset_at(vm, earlier).seconds == before;
    by_clock(
        vm,
        class,
        (shown, microsecond),
        u8::from(fold),
        &Value::NONE,
    )
}

/// The moment that a class makes of a time in UTC. With a zone, the zone makes it its own.
fn by_timestamp(vm: &mut Vm, class: &Value, at: (i64, i64), zone: &Value) -> R {
    by_clock(vm, class, at, 0, zone)
}

fn by_clock(
    vm: &mut Vm,
    class: &Value,
    (seconds, microsecond): (i64, i64),
    fold: u8,
    zone: &Value,
) -> R {
    let t = time::broken_of(vm, seconds)?;
    let parts = Parts {
        date: (t.year, t.month, t.day),
        clock: [t.hour, t.minute, t.second, microsecond],
        fold,
        zone,
    };
    if t.year < 1 || t.year > 9999 {
        return Err(wrong_year(vm, t.year));
    }
    let moment = parts.by_class(vm, class)?;
    if zone.is_none() {
        return Ok(moment);
    }
    vm.call_method(zone, &names::intern("fromutc"), &[moment])
}

fn now(vm: &mut Vm) -> (i64, i64) {
    let microseconds = (vm.host.wall_clock() / 1000) as i64;
    (microseconds / SECOND, microseconds % SECOND)
}

static COMBINE: Signature = Signature {
    name: "combine",
    params: &["date", "time", "tzinfo"],
    required: 2,
    positional: 3,
};

fn combine(vm: &mut Vm, args: Args) -> R {
    let (mut date, mut time, mut zone) = (None, None, None);
    COMBINE.each(vm, args.tail(), |vm, i, v| {
        let wanted = match i {
            0 => {
                date = v.as_ref::<Moment>().cloned();
                date.is_none().then_some("datetime.date")
            }
            1 => {
                time = v.as_ref::<TimeOfDay>().cloned();
                time.is_none().then_some("datetime.time")
            }
            _ => {
                zone = Some(v.clone());
                None
            }
        };
        match wanted {
            Some(wanted) => Err(vm.type_error(format!(
                "combine() argument {} must be {wanted}, not {}",
                i + 1,
                vm.arg_class_name(v)
            ))),
            None => Ok(()),
        }
    })?;
    let (Some(date), Some(time)) = (date, time) else {
        return Ok(Value::NONE);
    };
    let zone = zone.unwrap_or_else(|| time.zone.clone());
    let parts = Parts::of(date.date, time.clock, time.fold, &zone);
    parts.by_class(vm, &args.positional()[0])
}

fn from_iso_format(vm: &mut Vm, args: &[Value]) -> R {
    let string = text_of(vm, &args[1], "fromisoformat: argument must be str")?;
    let bytes = string.as_bytes();
    // The separator may be anything, a lone surrogate too, but nothing else may.
    let surrogates = match string.as_str() {
        Some(_) => Vec::new(),
        None => string
            .chars()
            .enumerate()
            .filter(|(_, c)| (0xD800..0xE000).contains(c))
            .map(|(i, _)| i)
            .collect(),
    };
    let parsed = match surrogates[..] {
        [] | [7] | [8] | [10] if string.len() >= 7 => iso_parse::datetime(bytes),
        _ => None,
    };
    let Some(parsed) = parsed else {
        return Err(no_format(vm, &string));
    };
    let zone = zone_of(vm, parsed.time.offset)?;
    let (clock, next_day) = at_midnight(vm, parsed.time.clock)?;
    let mut date = parsed.date;
    if next_day {
        let (year, month, day) = date;
        if (1..=9999).contains(&year) && (1..=12).contains(&month) {
            let first = check_date(vm, year, month, 1)?;
            if (1..=super::calendar::days_in_month(year, month)).contains(&day) {
                date = time::calendar::date_of(first.ordinal() + day - EPOCH);
            }
        }
    }
    let parts = Parts {
        date,
        clock,
        fold: 0,
        zone: &zone,
    };
    parts.by_class(vm, &args[0])
}

// ---- methods

static METHODS: &[Def] = &[
    Def::class_method("now", "(cls, /, tz=None)", |vm, args| {
        let zone = optional(args, 1).cloned().unwrap_or(Value::NONE);
        check_zone(vm, &zone)?;
        let now = now(vm);
        if zone.is_none() {
            return by_local_timestamp(vm, &args[0], now);
        }
        by_timestamp(vm, &args[0], now, &zone)
    }),
    Def::class_method("utcnow", "(cls, /)", |vm, args| {
        deprecated(vm, "utcnow()", "datetime.datetime.now(datetime.UTC)")?;
        let now = now(vm);
        by_timestamp(vm, &args[0], now, &Value::NONE)
    }),
    Def::class_method(
        "fromtimestamp",
        "(cls, /, timestamp, tz=None)",
        |vm, args| {
            let zone = optional(args, 2).cloned().unwrap_or(Value::NONE);
            check_zone(vm, &zone)?;
            let at = timestamp_arg(vm, &args[1])?;
            if zone.is_none() {
                return by_local_timestamp(vm, &args[0], at);
            }
            by_timestamp(vm, &args[0], at, &zone)
        },
    ),
    Def::class_method("utcfromtimestamp", "(cls, timestamp, /)", |vm, args| {
        deprecated(
            vm,
            "utcfromtimestamp()",
            "datetime.datetime.fromtimestamp(timestamp, datetime.UTC)",
        )?;
        let at = timestamp_arg(vm, &args[1])?;
        by_timestamp(vm, &args[0], at, &Value::NONE)
    }),
    Def::class_method("strptime", "(cls, string, format, /)", |vm, args| {
        strptime(vm, args, "_strptime_datetime_datetime")
    }),
    Def::raw_class_method("combine", "(cls, /, date, time, tzinfo=None)", combine),
    Def::class_method("fromisoformat", "(cls, string, /)", from_iso_format),
    Def::method("date", "(self, /)", |_, args| {
        Ok(alloc_date(Moment::class(), of(&args[0]).date))
    }),
    Def::method("time", "(self, /)", |_, args| {
        let m = of(&args[0]);
        Ok(time_of_day::value(m.clock, m.fold, &Value::NONE))
    }),
    Def::method("timetz", "(self, /)", |_, args| {
        let m = of(&args[0]);
        Ok(time_of_day::value(m.clock, m.fold, &m.zone))
    }),
    Def::method("ctime", "(self, /)", |_, args| {
        let m = of(&args[0]);
        Ok(Str::value(&text::ctime(m.date, m.clock)))
    }),
    Def::method("timetuple", "(self, /)", |vm, args| {
        let m = of(&args[0]);
        let dst = text::dst_flag(vm, &m.zone, &args[0])?;
        Ok(time::struct_without_zone(vm, &m.broken(dst)))
    }),
    Def::method("timestamp", "(self, /)", timestamp),
    Def::method("utctimetuple", "(self, /)", |vm, args| {
        let m = of(&args[0]);
        let offset = zone::ask_span(vm, &m.zone, &args[0])?;
        let (date, clock) = arithmetic::before(vm, m, offset.unwrap_or(Span::ZERO))?;
        Ok(time::struct_without_zone(vm, &broken(date, clock, 0)))
    }),
    Def::method(
        "isoformat",
        "(self, /, sep='T', timespec='auto')",
        |vm, args| {
            let separator = match optional(args, 1) {
                None => b"T".to_vec(),
                Some(v) => separator_arg(vm, v)?,
            };
            let spec = TimeSpec::of_arg(vm, optional(args, 2), 2)?;
            iso_format(vm, &args[0], &separator, spec)
        },
    ),
    Def::method("utcoffset", "(self, /)", |vm, args| {
        zone::ask_offset(vm, &of(&args[0]).zone, "utcoffset", &args[0])
    }),
    Def::method("tzname", "(self, /)", |vm, args| {
        zone::ask_name(vm, &of(&args[0]).zone, &args[0])
    }),
    Def::method("dst", "(self, /)", |vm, args| {
        zone::ask_offset(vm, &of(&args[0]).zone, "dst", &args[0])
    }),
    Def::method(
        "replace",
        "(self, /, year=None, month=None, day=None, hour=None, minute=None, second=None, microsecond=None, tzinfo=None, *, fold=None)",
        replace,
    ),
    Def::method(
        "__replace__",
        "(self, /, year=None, month=None, day=None, hour=None, minute=None, second=None, microsecond=None, tzinfo=None, *, fold=None)",
        replace,
    ),
    Def::method("astimezone", "(self, /, tz=None)", as_time_zone),
    Def::method("__reduce_ex__", "(self, protocol, /)", |vm, args| {
        let protocol = int_arg(vm, &args[1])?;
        Ok(reduce(&args[0], protocol))
    }),
    Def::method("__reduce__", "(self, /)", |_, args| Ok(reduce(&args[0], 2))),
];

fn deprecated(vm: &mut Vm, what: &str, instead: &str) -> R<()> {
    let text = format!(
        "datetime.datetime.{what} is deprecated and scheduled for removal in a future version. Use timezone-aware objects to represent datetimes in UTC: {instead}."
    );
    vm.warn(Exc::DeprecationWarning, &text)
}

fn reduce(v: &Value, protocol: i64) -> Value {
    let m = of(v);
    let mut state = date_bytes(m.date).to_vec();
    state.extend_from_slice(&clock_bytes(m.clock));
    if protocol > 3 && m.fold != 0 {
        state[2] |= FOLD;
    }
    pickle::reduced(v, Bytes::value(state), &m.zone)
}

fn replace(vm: &mut Vm, args: &[Value]) -> R {
    let m = of(&args[0]);
    let d = m.date;
    let year = int_or(vm, optional(args, 1), d.year.into())?;
    let month = int_or(vm, optional(args, 2), d.month.into())?;
    let day = int_or(vm, optional(args, 3), d.day.into())?;
    let mut clock = clock_numbers(m.clock);
    for (i, part) in clock.iter_mut().enumerate() {
        *part = int_or(vm, optional(args, i + 4), *part)?;
    }
    let zone = optional(args, 8).unwrap_or(&m.zone);
    let fold = int_or(vm, optional(args, 9), m.fold.into())?;
    let class = class_of(&args[0]).to_value();
    let Ok(fold) = u8::try_from(fold) else {
        return Err(vm.value_error(format!("fold must be either 0 or 1, not {fold}")));
    };
    let parts = Parts {
        date: (year, month, day),
        clock,
        fold,
        zone,
    };
    parts.by_class(vm, &class)
}

fn separator_arg(vm: &mut Vm, v: &Value) -> R<Vec<u8>> {
    match v.as_ref::<Str>() {
        Some(s) if s.len() == 1 => Ok(s.as_bytes().to_vec()),
        Some(s) => Err(vm.type_error(format!(
            "isoformat() argument 1 must be a unicode character, not a string of length {}",
            s.len()
        ))),
        None => Err(vm.type_error(format!(
            "isoformat() argument 1 must be a unicode character, not {}",
            vm.arg_class_name(v)
        ))),
    }
}

fn iso_format(vm: &mut Vm, v: &Value, separator: &[u8], spec: TimeSpec) -> R {
    let m = of(v);
    let mut out = text::date(m.date).into_bytes();
    out.extend_from_slice(separator);
    out.extend_from_slice(spec.show(m.clock).as_bytes());
    out.extend_from_slice(text::zone_offset(vm, &m.zone, v, ":")?.as_bytes());
    Ok(Str::value_wtf8(&out))
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let m = of(v);
    let (d, c) = (m.date, m.clock);
    let mut out = format!(
        "{}({}, {}, {}, {}, {}",
        class_of(v).name(),
        d.year,
        d.month,
        d.day,
        c.hour,
        c.minute
    );
    if c.second != 0 || c.microsecond != 0 {
        out.push_str(&format!(", {}", c.second));
    }
    if c.microsecond != 0 {
        out.push_str(&format!(", {}", c.microsecond));
    }
    // Other than with times of day, `fold` comes first.
    if m.fold != 0 {
        out.push_str(", fold=1");
    }
    repr_end(vm, out, &m.zone, 0)
}

// ---- the zone of the sandbox

/// Seconds from the epoch to a moment shown by the sandbox's clock, by the rule of PEP 495 for times that it shows twice or never. As CPython does, the
/// day before (after, with `fold`) is looked at for a change of the clocks, and has to exist.
fn local_seconds(vm: &mut Vm, m: &Moment, fold: bool) -> R<i64> {
    let (day, second) = m.day_and_second();
    let beside = if fold { day + 1 } else { day - 1 };
    if Ymd::of_ordinal(beside).is_none() {
        let year = if fold { 10_000 } else { 0 };
        return Err(wrong_year(vm, year));
    }
    let shown = (day - EPOCH) * DAY_SECONDS + second;
    let offset = |at: i64| time::offset_at(vm, at).seconds;
    let first = shown - offset(shown);
    let beside = if fold { DAY_SECONDS } else { -DAY_SECONDS };
    let other = if first + offset(first) == shown {
        let there = offset(first + beside);
        if there == offset(first) {
            return Ok(first);
        }
        shown - there
    } else {
        shown - offset(first)
    };
    if other + offset(other) == shown {
        return Ok(other);
    }
    if first + offset(first) == shown {
        return Ok(first);
    }
    // The clock skipped it.
    Ok(if fold {
        first.min(other)
    } else {
        first.max(other)
    })
}

/// The offset and the zone object of the sandbox's clock at a number of seconds since the epoch.
fn local_zone(vm: &mut Vm, at: i64) -> (Span, Value) {
    let there = time::offset_at(vm, at);
    let offset = Span::new(0, there.seconds, 0).unwrap_or(Span::ZERO);
    (offset, zone::named(offset, &there.name))
}

fn timestamp(vm: &mut Vm, args: &[Value]) -> R {
    let m = of(&args[0]);
    if m.zone.is_none() {
        let seconds = local_seconds(vm, m, m.fold != 0)?;
        let microsecond = f64::from(m.clock.microsecond) / 1e6;
        return Ok(Value::float(seconds as f64 + microsecond));
    }
    let epoch = Ymd {
        year: 1970,
        month: 1,
        day: 1,
    };
    let epoch = alloc_datetime(datetime_class(), epoch, Clock::ZERO, 0, &zone::utc());
    let span = arithmetic::difference(vm, &args[0], m, &epoch, of(&epoch))?;
    delta::total_seconds(vm, span).map(Value::float)
}

/// The same moment in another zone. Without zones, moments are those of the sandbox's clock.
fn as_time_zone(vm: &mut Vm, args: &[Value]) -> R {
    let v = &args[0];
    let m = of(v);
    let asked = optional(args, 1).cloned().unwrap_or(Value::NONE);
    check_zone(vm, &asked)?;
    let mut mine = m.zone.clone();
    let mut offset = None;
    if !mine.is_none() {
        if mine.is_same(&asked) {
            return Ok(v.clone());
        }
        offset = span_of(&zone::ask_offset(vm, &mine, "utcoffset", v)?);
    }
    let offset = match offset {
        Some(offset) => offset,
        None => {
            local_seconds(vm, m, m.fold == 0)?;
            let at = local_seconds(vm, m, m.fold != 0)?;
            let (offset, zone) = local_zone(vm, at);
            mine = zone;
            offset
        }
    };
    if mine.is_same(&asked) {
        return Ok(v.clone());
    }
    let (date, clock) = arithmetic::before(vm, m, offset)?;
    let target = if asked.is_none() {
        let at = (date.ordinal() - EPOCH) * DAY_SECONDS + clock.seconds();
        local_zone(vm, at).1
    } else {
        asked
    };
    let class = class_of(v).to_value();
    let moment = Parts::of(date, clock, 0, &target).by_class(vm, &class)?;
    vm.call_method(&target, &names::intern("fromutc"), &[moment])
}
