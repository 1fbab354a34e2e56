//! `tzinfo` and `timezone`, and what moments and times of day ask of their zones.

use super::calendar::Span;
use super::delta::{self, Delta, span_of};
use super::fields::Signature;
use super::moment::{Moment, is_datetime};
use super::{arithmetic, text};
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names::{self, Names};
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, ClassSlot, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::OnceCell;

/// Payload of `tzinfo` and `timezone`.
pub(super) struct Zone {
    /// The distance from UTC of a `timezone`, and its name if it has one of its own.
    fixed: Option<Fixed>,
}

struct Fixed {
    offset: Ref<Delta>,
    name: Option<Ref<Str>>,
}

// SAFETY: visits the distance and the name.
unsafe impl Payload for Zone {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        if let Some(fixed) = &self.fixed {
            fixed.offset.with_value(&mut *visit);
            if let Some(name) = &fixed.name {
                name.with_value(&mut *visit);
            }
        }
    }
}

thread_local! {
    static TIMEZONE: ClassSlot = const { ClassSlot::new() };
    static UTC: OnceCell<Value> = const { OnceCell::new() };
}

/// The class `timezone`.
pub(super) fn timezone_class() -> &'static Ref<Type> {
    TIMEZONE.with(ClassSlot::get)
}

/// `timezone.utc`
pub(super) fn utc() -> Value {
    UTC.with(|utc| utc.get_or_init(|| make(Span::ZERO, None)).clone())
}

/// Makes the classes.
pub(super) fn build(vm: &mut Vm) {
    ClassBuilder::new::<Zone>("tzinfo")
        .flags(BASE)
        .module(vm, "datetime")
        .doc(vm, "Abstract base class for time zone info objects.")
        .slots(Slots {
            new: Some(|_, class, _| {
                Ok(Value::from_ref(heap::alloc_instance(
                    Zone { fixed: None },
                    class,
                    0,
                )))
            }),
            ..Slots::NONE
        })
        .methods(vm, ABSTRACT)
        .build(vm);
    let base = Zone::class().clone();
    let class = ClassBuilder::sibling::<Zone>("timezone")
        .base(&base)
        .module(vm, "datetime")
        .doc(vm, "Fixed offset from UTC implementation of tzinfo.")
        .slots(TIMEZONE_SLOTS)
        .methods(vm, CONCRETE)
        .build(vm);
    TIMEZONE.with(|slot| slot.set(class.clone()));
    let limit = 86_340;
    for (name, zone) in [
        ("utc", utc()),
        (
            "min",
            Span::new(0, -limit, 0).map_or(Value::NONE, |s| make(s, None)),
        ),
        (
            "max",
            Span::new(0, limit, 0).map_or(Value::NONE, |s| make(s, None)),
        ),
    ] {
        class.dict.set_str(vm, &names::intern(name), zone);
    }
    class.invalidate();
}

fn make(offset: Span, name: Option<Ref<Str>>) -> Value {
    let offset = heap::alloc(Delta { span: offset });
    fixed(offset, name)
}

fn fixed(offset: Ref<Delta>, name: Option<Ref<Str>>) -> Value {
    let fixed = Some(Fixed { offset, name });
    Value::from_ref(heap::alloc_instance(Zone { fixed }, timezone_class(), 0))
}

/// A `timezone` of this distance from UTC without a name of its own: `timezone.utc` for none.
pub(super) fn of_offset(vm: &mut Vm, offset: Span) -> R {
    if offset == Span::ZERO {
        return Ok(utc());
    }
    let offset = heap::alloc(Delta { span: offset });
    check_offset(vm, &offset)?;
    Ok(fixed(offset, None))
}

/// A zone of this distance from UTC, with a name.
pub(super) fn named(offset: Span, name: &str) -> Value {
    make(offset, Some(Str::new(name)))
}

fn check_offset(vm: &mut Vm, offset: &Ref<Delta>) -> R<()> {
    if offset.span.is_offset() {
        return Ok(());
    }
    let shown = vm.repr(&offset.to_value())?;
    Err(vm.value_error(format!(
        "offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), not {}",
        shown.to_text()
    )))
}

// ---- what zones are asked

/// `zone.utcoffset(of)` or `zone.dst(of)`, checked: a `timedelta` of less than a day, or `None`.
pub(super) fn ask_offset(vm: &mut Vm, zone: &Value, method: &str, of: &Value) -> R {
    let Some(z) = zone.as_ref::<Zone>() else {
        return Ok(Value::NONE);
    };
    if let Some(fixed) = &z.fixed {
        return Ok(if method == "dst" {
            Value::NONE
        } else {
            fixed.offset.to_value()
        });
    }
    let answer = vm.call_method(zone, &names::intern(method), std::slice::from_ref(of))?;
    if answer.is_none() {
        return Ok(answer);
    }
    match answer.as_ref::<Delta>() {
        Some(offset) => {
            check_offset(vm, offset)?;
            Ok(answer)
        }
        None => Err(vm.type_error(format!(
            "tzinfo.{method}() must return None or timedelta, not '{}'",
            class_of(&answer).name()
        ))),
    }
}

/// As [`ask_offset`] for `utcoffset`, as a duration.
pub(super) fn ask_span(vm: &mut Vm, zone: &Value, of: &Value) -> R<Option<Span>> {
    if zone.is_none() {
        return Ok(None);
    }
    Ok(span_of(&ask_offset(vm, zone, "utcoffset", of)?))
}

/// `zone.tzname(of)`, checked: a `str` or `None`.
pub(super) fn ask_name(vm: &mut Vm, zone: &Value, of: &Value) -> R {
    if zone.is_none() {
        return Ok(Value::NONE);
    }
    let answer = vm.call_method(zone, &names::intern("tzname"), std::slice::from_ref(of))?;
    if answer.is_none() || answer.is::<Str>() {
        return Ok(answer);
    }
    Err(vm.type_error(format!(
        "tzinfo.tzname() must return None or a string, not '{}'",
        class_of(&answer).name()
    )))
}

// ---- `tzinfo`

static ABSTRACT: &[Def] = &[
    Def::method("tzname", "(self, dt, /)", |vm, _| {
        must_implement(vm, "tzname")
    }),
    Def::method("utcoffset", "(self, dt, /)", |vm, _| {
        must_implement(vm, "utcoffset")
    }),
    Def::method("dst", "(self, dt, /)", |vm, _| must_implement(vm, "dst")),
    Def::method("fromutc", "(self, dt, /)", from_utc),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let zone = &args[0];
        let getter = Str::value("__getinitargs__");
        let made = match vm.get_attr_opt(zone, &getter)? {
            Some(f) => vm.call(&f, &[])?,
            None => Tuple::empty(),
        };
        let state = vm.call_method(zone, &Names::get().__getstate__, &[])?;
        Ok(Tuple::value(vec![class_of(zone).to_value(), made, state]))
    }),
];

fn must_implement(vm: &mut Vm, name: &str) -> R {
    Err(vm.not_implemented_error(format!("a tzinfo subclass must implement {name}()")))
}

/// The argument of `fromutc`: a `datetime` whose zone is this one.
fn utc_moment<'a>(vm: &mut Vm, zone: &Value, of: &'a Value) -> R<&'a Ref<Moment>> {
    match of.as_ref::<Moment>() {
        Some(moment) if moment.timed => {
            if moment.zone.is_same(zone) {
                Ok(moment)
            } else {
                Err(vm.value_error("fromutc: dt.tzinfo is not self"))
            }
        }
        _ => Err(vm.type_error("fromutc: argument must be a datetime")),
    }
}

/// Takes a moment that shows UTC to the zone's own time: by its standard time first, then by the daylight saving time that is in force there.
fn from_utc(vm: &mut Vm, args: &[Value]) -> R {
    let (zone, of) = (&args[0], &args[1]);
    utc_moment(vm, zone, of)?;
    let offset = ask_offset(vm, zone, "utcoffset", of)?;
    let Some(offset) = span_of(&offset) else {
        return Err(vm.value_error("fromutc: non-None utcoffset() result required"));
    };
    let saving = ask_offset(vm, zone, "dst", of)?;
    let Some(saving) = span_of(&saving) else {
        return Err(vm.value_error("fromutc: non-None dst() result required"));
    };
    let standard = offset.minus(saving);
    let standard = delta::checked(vm, standard)?;
    let there = arithmetic::shifted(vm, of, standard)?;
    let saving = ask_offset(vm, zone, "dst", &there)?;
    match span_of(&saving) {
        Some(Span::ZERO) => Ok(there),
        Some(saving) => arithmetic::shifted(vm, &there, saving),
        None => Err(vm.value_error("fromutc: tz.dst() gave inconsistent results; cannot convert")),
    }
}

// ---- `timezone`

const TIMEZONE_SLOTS: Slots = Slots {
    repr: Some(repr),
    str: Some(name_of),
    hash: Some(|_, v| Ok(delta::hash(offset_of(v)))),
    compare: Some(compare),
    new: Some(new),
    ..Slots::NONE
};

static CONCRETE: &[Def] = &[
    Def::method("tzname", "(self, dt, /)", |vm, args| {
        check_argument(vm, &args[1], "tzname")?;
        name_of(vm, &args[0])
    }),
    Def::method("utcoffset", "(self, dt, /)", |vm, args| {
        check_argument(vm, &args[1], "utcoffset")?;
        Ok(offset_value(&args[0]))
    }),
    Def::method("dst", "(self, dt, /)", |vm, args| {
        check_argument(vm, &args[1], "dst")?;
        Ok(Value::NONE)
    }),
    Def::method("fromutc", "(self, dt, /)", |vm, args| {
        utc_moment(vm, &args[0], &args[1])?;
        arithmetic::shifted(vm, &args[1], offset_of(&args[0]))
    }),
    Def::method("__getinitargs__", "(self, /)", |_, args| {
        let mut made = vec![offset_value(&args[0])];
        if let Some(name) = own_name(&args[0]) {
            made.push(name.to_value());
        }
        Ok(Tuple::value(made))
    }),
];

static SIGNATURE: Signature = Signature {
    name: "timezone",
    params: &["offset", "name"],
    required: 1,
    positional: 2,
};

fn new(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    let (mut offset, mut name) = (None, None);
    SIGNATURE.each(vm, args, |vm, i, v| {
        let wanted = if i == 0 { "datetime.timedelta" } else { "str" };
        if i == 0 {
            offset = v.as_ref::<Delta>().cloned();
        } else {
            name = v.as_ref::<Str>().cloned();
        }
        if (i == 0 && offset.is_none()) || (i == 1 && name.is_none()) {
            return Err(vm.type_error(format!(
                "timezone() argument {} must be {wanted}, not {}",
                i + 1,
                vm.arg_class_name(v)
            )));
        }
        Ok(())
    })?;
    let Some(offset) = offset else {
        return Ok(Value::NONE);
    };
    if name.is_none() && offset.span == Span::ZERO {
        return Ok(utc());
    }
    check_offset(vm, &offset)?;
    Ok(fixed(offset, name))
}

fn offset_of(v: &Value) -> Span {
    let fixed = &receiver::<Zone>(v).fixed;
    fixed.as_ref().map_or(Span::ZERO, |f| f.offset.span)
}

fn offset_value(v: &Value) -> Value {
    let fixed = &receiver::<Zone>(v).fixed;
    fixed.as_ref().map_or(Value::NONE, |f| f.offset.to_value())
}

fn own_name(v: &Value) -> Option<&Ref<Str>> {
    let fixed = receiver::<Zone>(v).fixed.as_ref()?;
    fixed.name.as_ref()
}

fn name_of(_: &mut Vm, v: &Value) -> R {
    if let Some(name) = own_name(v) {
        return Ok(name.to_value());
    }
    let offset = offset_of(v);
    if offset == Span::ZERO {
        return Ok(Str::value("UTC"));
    }
    Ok(Str::value(&format!("UTC{}", text::offset(offset, ":"))))
}

fn check_argument(vm: &mut Vm, v: &Value, method: &str) -> R<()> {
    if v.is_none() || is_datetime(v) {
        return Ok(());
    }
    Err(vm.type_error(format!(
        "{method}(dt) argument must be a datetime instance or None, not {}",
        class_of(v).name()
    )))
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    if v.is_same(&utc()) {
        return Ok(Str::value("datetime.timezone.utc"));
    }
    let offset = vm.repr(&offset_value(v))?;
    let mut out = format!("{}({}", class_of(v).name(), offset.to_text()).into_bytes();
    if let Some(name) = own_name(v) {
        let name = vm.repr(&name.to_value())?;
        out.extend_from_slice(b", ");
        out.extend_from_slice(name.as_bytes());
    }
    out.push(b')');
    Ok(Str::value_wtf8(&out))
}

fn compare(_: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let both = [a, b].map(|v| v.as_ref::<Zone>().and_then(|z| z.fixed.as_ref()));
    let ([Some(x), Some(y)], CmpOp::Eq | CmpOp::Ne) = (both, op) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let same = x.offset.span == y.offset.span;
    Ok(Value::bool(same == (op == CmpOp::Eq)))
}
