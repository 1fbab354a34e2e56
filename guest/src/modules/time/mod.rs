//! `time`, over the clocks of the host. The local time zone is UTC unless the session's policy says otherwise.
//!
//! [`calendar`] computes dates, [`zone`] knows time zones, [`format`] is `strftime`; `strptime` is the library's `_strptime`.

pub(crate) mod calendar;
pub(crate) mod format;
pub(crate) mod zone;

use crate::heap::Ref;
use crate::heap::attrs::Attrs;
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::namespace;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::struct_seq;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::threads::Rest;
use crate::vm::{R, Raised, Vm};
use calendar::Broken;
use std::cell::{Cell, OnceCell};

static LAYOUT: struct_seq::Layout = struct_seq::Layout {
    items: &[
        "tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday",
        "tm_isdst",
    ],
    hidden: &["tm_zone", "tm_gmtoff"],
};
const NANOS: i64 = 1_000_000_000;

thread_local! {
    static CLASS: OnceCell<Ref<Type>> = const { OnceCell::new() };
    /// Nanoseconds spent in `sleep`.
    static SLEPT: Cell<u64> = const { Cell::new(0) };
}

/// Nanoseconds that were not slept away: the nearest to processor time that there is.
fn busy(vm: &mut Vm) -> u64 {
    vm.host
        .monotonic_clock()
        .saturating_sub(SLEPT.with(Cell::get))
}

/// Lets so many nanoseconds pass, for all threads.
pub(crate) fn rest(vm: &mut Vm, nanoseconds: u64) -> R<()> {
    let start = vm.host.monotonic_clock();
    vm.host.sleep(nanoseconds);
    let slept = vm.host.monotonic_clock().saturating_sub(start);
    SLEPT.with(|s| s.set(s.get() + slept));
    // The time may be over.
    vm.poll()
}

fn sleep(vm: &mut Vm, args: &[Value]) -> R {
    let n = nanos_arg(vm, &args[0])?;
    let Ok(n) = u64::try_from(n) else {
        return Err(vm.value_error("sleep length must be non-negative"));
    };
    if vm.threads.count() > 0 {
        let deadline = vm.host.monotonic_clock().saturating_add(n);
        return vm.wait_for(sleep, Box::new(Rest), Some(deadline));
    }
    rest(vm, n).map(|()| Value::NONE)
}

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(
        vm,
        "time",
        "This module provides various functions to manipulate time values.",
        FUNCTIONS,
    );
    let class = class(vm).to_value();
    m.set(vm, "struct_time", class);
    for (name, value) in [
        ("timezone", 0),
        ("altzone", 0),
        ("daylight", 0),
        ("_STRUCT_TM_ITEMS", 11),
        ("CLOCK_REALTIME", 0),
        ("CLOCK_MONOTONIC", 1),
        ("CLOCK_PROCESS_CPUTIME_ID", 2),
        ("CLOCK_THREAD_CPUTIME_ID", 3),
    ] {
        m.set(vm, name, Value::small_int(value));
    }
    m.set(
        vm,
        "tzname",
        Tuple::value(vec![Str::value("UTC"), Str::value("UTC")]),
    );
    if vm.zone.is_some() {
        publish_zone(vm, &m);
    }
    m
}

/// Sets the local time zone, also in the module if it is there.
pub(crate) fn set_zone(vm: &mut Vm, zone: zone::Zone) {
    vm.zone = Some(Box::new(zone));
    let module = vm
        .modules
        .get_str(vm, &crate::names::intern("time"))
        .and_then(|m| m.as_ref::<Module>().cloned());
    if let Some(module) = module {
        publish_zone(vm, &module);
    }
}

/// `tzname`, `timezone`, `altzone`, `daylight`
fn publish_zone(vm: &mut Vm, m: &Ref<Module>) {
    let Some(zone) = &vm.zone else { return };
    let now = (vm.host.wall_clock() / NANOS as u64) as i64;
    let (standard, summer) = zone.both(now);
    let daylight = summer.is_some();
    let summer = summer.unwrap_or_else(|| standard.clone());
    m.set(
        vm,
        "tzname",
        Tuple::value(vec![Str::value(&standard.name), Str::value(&summer.name)]),
    );
    for (name, value) in [
        ("timezone", -standard.seconds),
        ("altzone", -summer.seconds),
        ("daylight", i64::from(daylight)),
    ] {
        m.set(vm, name, Value::int(value));
    }
}

/// What the clocks of the session's time zone show at `at`.
pub(crate) fn offset_at(vm: &Vm, at: i64) -> zone::Offset {
    vm.zone.as_ref().map_or_else(zone::utc, |zone| zone.at(at))
}

/// A time as the clocks of the session's time zone show it.
fn local(vm: &Vm, t: &Broken) -> (Broken, zone::Offset) {
    let at = t.seconds().unwrap_or(0);
    let offset = offset_at(vm, at);
    let mut shown = Broken::of_seconds(at.saturating_add(offset.seconds));
    shown.dst = i64::from(offset.dst);
    (shown, offset)
}

fn class(vm: &mut Vm) -> Ref<Type> {
    if let Some(class) = CLASS.with(|c| c.get().cloned()) {
        return class;
    }
    let class = struct_seq::with_layout(vm, "time", "struct_time", &LAYOUT, None);
    CLASS.with(|c| c.get_or_init(|| class).clone())
}

fn hide(v: &Value, index: usize, value: Value) {
    if let Some(attrs) = v.header().and_then(Attrs::of) {
        drop(attrs.replace(index as u16, value));
    }
}

fn struct_of(vm: &mut Vm, t: &Broken, zone: &str, offset: i64) -> Value {
    let class = class(vm);
    let items = [
        t.year, t.month, t.day, t.hour, t.minute, t.second, t.weekday, t.yearday, t.dst,
    ];
    let v = Value::from_ref(Tuple::instance(
        &class,
        items.into_iter().map(Value::int).collect(),
    ));
    hide(&v, 0, Str::value(zone));
    hide(&v, 1, Value::int(offset));
    v
}

/// A `struct_time` that knows no zone, as one made from nine numbers.
pub(crate) fn struct_without_zone(vm: &mut Vm, t: &Broken) -> Value {
    let v = struct_of(vm, t, "", 0);
    hide(&v, 0, Value::NONE);
    hide(&v, 1, Value::NONE);
    v
}

fn seconds(nanoseconds: u64) -> Value {
    Value::float(nanoseconds as f64 / NANOS as f64)
}

/// Seconds given as a number, as nanoseconds rounded by `round`.
fn nanos_arg(vm: &mut Vm, v: &Value) -> R<i64> {
    if let Some(i) = v.as_int() {
        let i = i.clamp_i64();
        return match i.checked_mul(NANOS) {
            Some(n) => Ok(n),
            None => Err(vm.overflow_error("timestamp too large to convert to C PyTime_t")),
        };
    }
    let Some(f) = v.as_any_float() else {
        let i = vm.index_i64(v)?;
        return Ok(i.saturating_mul(NANOS));
    };
    if f.is_nan() {
        return Err(vm.value_error("Invalid value NaN (not a number)"));
    }
    let n = (f * NANOS as f64).ceil();
    if n.abs() >= 9.2e18 {
        Err(vm.overflow_error("timestamp too large to convert to C PyTime_t"))
    } else {
        Ok(n as i64)
    }
}

/// The time that an optional argument in seconds means, now without it.
fn time_arg(vm: &mut Vm, v: Option<&Value>) -> R<Broken> {
    match v.filter(|v| !v.is_none()) {
        None => {
            let now = (vm.host.wall_clock() / NANOS as u64) as i64;
            broken_of(vm, now)
        }
        Some(v) => broken_at(vm, v),
    }
}

/// The time that a number of seconds since the epoch means; parts of a second do not count.
pub(crate) fn broken_at(vm: &mut Vm, v: &Value) -> R<Broken> {
    let at = match (v.as_int().map(|i| i.to_i64()), v.as_any_float()) {
        (Some(Some(i)), _) => i,
        (Some(None), _) => return Err(no_time(vm)),
        (None, Some(f)) if f.is_nan() => {
            return Err(vm.value_error("Invalid value NaN (not a number)"));
        }
        (None, Some(f)) if f.abs() >= 9.2e18 => return Err(no_time(vm)),
        (None, Some(f)) => f.floor() as i64,
        _ => vm.index_i64(v)?,
    };
    broken_of(vm, at)
}

/// The error for a number of seconds that C has no type for.
#[cold]
pub(crate) fn no_time(vm: &mut Vm) -> Raised {
    vm.overflow_error("timestamp out of range for platform time_t")
}

/// The time a number of seconds after the epoch.
pub(crate) fn broken_of(vm: &mut Vm, at: i64) -> R<Broken> {
    // The year must fit 32 bits.
    if at.unsigned_abs() > 67_767_976_233_532_799 {
        let class = Exc::OSError.class().to_value();
        let e = vm.call(
            &class,
            &[
                Value::small_int(75),
                Str::value("Value too large for defined data type"),
            ],
        )?;
        return Err(vm.raise_value(e));
    }
    Ok(Broken::of_seconds(at))
}

/// The nine numbers of a time tuple.
fn tuple_arg(vm: &mut Vm, v: &Value, function: &str) -> R<Broken> {
    let Some(t) = v.as_ref::<Tuple>().cloned() else {
        return Err(vm.type_error("Tuple or struct_time argument required"));
    };
    let mut n = [0; 9];
    if t.len() != 9 {
        return Err(vm.type_error(format!("{function}(): illegal time tuple argument")));
    }
    for (place, item) in n.iter_mut().zip(t.items()) {
        if item.as_any_float().is_some() {
            return Err(vm.type_error("'float' object cannot be interpreted as an integer"));
        }
        let i = vm.index_i64(item)?;
        if i32::try_from(i).is_err() {
            return Err(vm.overflow_error(if i > 0 {
                "signed integer is greater than maximum"
            } else {
                "signed integer is less than minimum"
            }));
        }
        *place = i;
    }
    let [
        year,
        month,
        day,
        hour,
        minute,
        second,
        weekday,
        yearday,
        dst,
    ] = n;
    // C counts its years from 1900 in an int.
    if year < i64::from(i32::MIN) + 1900 {
        return Err(vm.overflow_error("year out of range"));
    }
    Ok(Broken {
        year,
        month,
        day,
        hour,
        minute,
        second,
        weekday,
        yearday,
        dst,
    })
}

/// Checks the ranges that formatting needs; zeros become ones where C's library would have it so.
fn checked(vm: &mut Vm, mut t: Broken) -> R<Broken> {
    if t.month == 0 {
        t.month = 1;
    }
    if t.day == 0 {
        t.day = 1;
    }
    if t.yearday == 0 {
        t.yearday = 1;
    }
    let wrong = [
        (!(1..=12).contains(&t.month), "month out of range"),
        (!(1..=31).contains(&t.day), "day of month out of range"),
        (!(0..=23).contains(&t.hour), "hour out of range"),
        (!(0..=59).contains(&t.minute), "minute out of range"),
        (!(0..=61).contains(&t.second), "seconds out of range"),
        (t.weekday < -1, "day of week out of range"),
        (!(1..=366).contains(&t.yearday), "day of year out of range"),
    ];
    match wrong.iter().find(|(wrong, _)| *wrong) {
        Some((_, text)) => Err(vm.value_error(text)),
        None => {
            t.weekday = t.weekday.rem_euclid(7);
            Ok(t)
        }
    }
}

/// The time of an optional time tuple, now without it.
fn tuple_or_now(vm: &mut Vm, v: Option<&Value>, function: &str) -> R<Broken> {
    match v {
        Some(v) => {
            let t = tuple_arg(vm, v, function)?;
            checked(vm, t)
        }
        None => {
            let t = time_arg(vm, None)?;
            Ok(local(vm, &t).0)
        }
    }
}

fn asc_time(t: &Broken) -> Value {
    let (day, month) = (
        &format::day_name(t.weekday)[..3],
        &format::month_name(t.month)[..3],
    );
    Str::value(&format!(
        "{day} {month}{:3} {:02}:{:02}:{:02} {}",
        t.day, t.hour, t.minute, t.second, t.year
    ))
}

fn clock(vm: &mut Vm, id: &Value) -> R<u64> {
    match vm.index_i64(id)? {
        0 => Ok(vm.host.wall_clock()),
        1 => Ok(vm.host.monotonic_clock()),
        2 | 3 => Ok(busy(vm)),
        _ => {
            let class = Exc::OSError.class().to_value();
            let e = vm.call(
                &class,
                &[Value::small_int(22), Str::value("Invalid argument")],
            )?;
            Err(vm.raise_value(e))
        }
    }
}

static FUNCTIONS: &[Def] = &[
    Def::function("time", "()", |vm, _| Ok(seconds(vm.host.wall_clock()))),
    Def::function("time_ns", "()", |vm, _| {
        Ok(Value::int(vm.host.wall_clock() as i64))
    }),
    Def::function("monotonic", "()", |vm, _| {
        Ok(seconds(vm.host.monotonic_clock()))
    }),
    Def::function("monotonic_ns", "()", |vm, _| {
        Ok(Value::int(vm.host.monotonic_clock() as i64))
    }),
    Def::function("perf_counter", "()", |vm, _| {
        Ok(seconds(vm.host.monotonic_clock()))
    }),
    Def::function("perf_counter_ns", "()", |vm, _| {
        Ok(Value::int(vm.host.monotonic_clock() as i64))
    }),
    Def::function("process_time", "()", |vm, _| Ok(seconds(busy(vm)))),
    Def::function("process_time_ns", "()", |vm, _| {
        Ok(Value::int(busy(vm) as i64))
    }),
    Def::function("thread_time", "()", |vm, _| Ok(seconds(busy(vm)))),
    Def::function("thread_time_ns", "()", |vm, _| {
        Ok(Value::int(busy(vm) as i64))
    }),
    Def::function("clock_gettime", "(clk_id, /)", |vm, a| {
        clock(vm, &a[0]).map(seconds)
    }),
    Def::function("clock_settime", "(clk_id, time, /)", |vm, _| {
        Err(vm.raise(
            Exc::PermissionError,
            "the clocks of the sandbox cannot be set",
        ))
    }),
    Def::function("clock_settime_ns", "(clk_id, time, /)", |vm, _| {
        Err(vm.raise(
            Exc::PermissionError,
            "the clocks of the sandbox cannot be set",
        ))
    }),
    Def::function("clock_gettime_ns", "(clk_id, /)", |vm, a| {
        Ok(Value::int(clock(vm, &a[0])? as i64))
    }),
    Def::function("clock_getres", "(clk_id, /)", |vm, a| {
        clock(vm, &a[0]).map(|_| Value::float(1e-9))
    }),
    Def::function("sleep", "(seconds, /)", sleep),
    Def::function("gmtime", "(seconds=None, /)", |vm, a| {
        time_arg(vm, optional(a, 0)).map(|t| struct_of(vm, &t, "GMT", 0))
    }),
    Def::function("localtime", "(seconds=None, /)", |vm, a| {
        let t = time_arg(vm, optional(a, 0))?;
        let (shown, offset) = local(vm, &t);
        Ok(struct_of(vm, &shown, &offset.name, offset.seconds))
    }),
    Def::function("mktime", "(time_tuple, /)", |vm, a| {
        let t = tuple_arg(vm, &a[0], "mktime")?;
        match t.seconds() {
            Some(s) => Ok(Value::float(match &vm.zone {
                Some(zone) => zone.seconds(s, t.dst),
                None => s,
            } as f64)),
            None => Err(vm.overflow_error("mktime argument out of range")),
        }
    }),
    Def::function("asctime", "(time_tuple=None, /)", |vm, a| {
        tuple_or_now(vm, optional(a, 0), "asctime").map(|t| asc_time(&t))
    }),
    Def::function("ctime", "(seconds=None, /)", |vm, a| {
        let t = time_arg(vm, optional(a, 0))?;
        Ok(asc_time(&local(vm, &t).0))
    }),
    Def::function("strftime", "(format, time_tuple=None, /)", |vm, a| {
        let Some(pattern) = a[0].as_ref::<Str>().cloned() else {
            return Err(vm.type_error(format!(
                "strftime() argument 1 must be str, not {}",
                vm.class_name(&a[0])
            )));
        };
        let t = tuple_or_now(vm, optional(a, 1), "strftime")?;
        // A `struct_time` may know its zone.
        let attrs = optional(a, 1).and_then(Value::header).and_then(Attrs::of);
        let hidden = |i: u16| attrs.and_then(|a| a.get(i)).unwrap_or(Value::NONE);
        // Otherwise it is local time.
        let here = match (&vm.zone, t.seconds()) {
            (Some(zone), Some(shown)) => zone.at(zone.seconds(shown, t.dst)),
            _ => zone::utc(),
        };
        let name = hidden(0)
            .as_ref::<Str>()
            .map_or_else(|| here.name.clone(), |s| s.to_text().into_owned());
        let zone = format::Zone {
            name: &name,
            offset: hidden(1).as_small_int().unwrap_or(here.seconds),
        };
        let mut out = Vec::new();
        format::format(&mut out, pattern.as_bytes(), &t, &zone);
        Ok(Str::value_wtf8(&out))
    }),
    Def::function(
        "strptime",
        "(string, format='%a %b %d %H:%M:%S %Y', /)",
        |vm, a| {
            let module = vm.import_module("_strptime")?;
            let parse = vm.get_attr(&module, &Str::value("_strptime_time"))?;
            vm.call(&parse, a)
        },
    ),
    Def::function("tzset", "()", |_, _| Ok(Value::NONE)),
    Def::function("get_clock_info", "(name, /)", |vm, a| {
        let name = a[0].as_ref::<Str>().map(|s| s.to_text().into_owned());
        let (implementation, monotonic, adjustable) = match name.as_deref() {
            Some("time") => ("coldframe:sandbox/host.wall-clock", false, true),
            Some("monotonic" | "perf_counter" | "process_time" | "thread_time") => {
                ("coldframe:sandbox/host.monotonic-clock", true, false)
            }
            Some(_) => return Err(vm.value_error("unknown clock")),
            None => {
                return Err(vm.type_error(format!(
                    "get_clock_info() argument 1 must be str, not {}",
                    vm.class_name(&a[0])
                )));
            }
        };
        let facts = vec![
            ("implementation", Str::value(implementation)),
            ("monotonic", Value::bool(monotonic)),
            ("adjustable", Value::bool(adjustable)),
            ("resolution", Value::float(1e-9)),
        ];
        namespace::value(vm, facts)
    }),
];
