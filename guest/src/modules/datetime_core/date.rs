//! `date`: the class, its constructors and its methods.

use super::arithmetic;
use super::calendar::{Clock, WrongIso, Ymd, ordinal_of_iso, weekday};
use super::delta;
use super::fields::{Signature, check_date, int_arg, int_or, wrong_year};
use super::moment::{Moment, alloc_date, broken, date_by_class};
use super::pickle::{self, restored_date};
use super::text::{self, Extras, Subject};
use super::{iso_date, iso_parse};
use crate::heap::{Payload, Ref};
use crate::modules::time;
use crate::names;
use crate::objects::bytes::Bytes;
use crate::objects::exception::Exc;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, Slots, ops};
use crate::objects::string::{Str, repr};
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};

/// Makes the class.
pub(super) fn build(vm: &mut Vm) {
    let class = ClassBuilder::new::<Moment>("date")
        .flags(BASE)
        .module(vm, "datetime")
        .doc(vm, "date(year, month, day) --> date object")
        .slots(SLOTS)
        .methods(vm, METHODS)
        .getset(vm, "year", |_, v| Ok(Value::int(date(v).year.into())), None)
        .getset(
            vm,
            "month",
            |_, v| Ok(Value::int(date(v).month.into())),
            None,
        )
        .getset(vm, "day", |_, v| Ok(Value::int(date(v).day.into())), None)
        .build(vm);
    for (name, year, month, day) in [("min", 1, 1, 1), ("max", 9999, 12, 31)] {
        let limit = alloc_date(&class, Ymd { year, month, day });
        class.dict.set_str(vm, &names::intern(name), limit);
    }
    if let Ok(day) = super::calendar::Span::new(1, 0, 0) {
        let resolution = delta::value(day);
        class
            .dict
            .set_str(vm, &names::intern("resolution"), resolution);
    }
    class.invalidate();
}

const SLOTS: Slots = Slots {
    repr: Some(|_, v| {
        let d = date(v);
        Ok(Str::value(&format!(
            "{}({}, {}, {})",
            class_of(v).name(),
            d.year,
            d.month,
            d.day
        )))
    }),
    str: Some(|vm, v| {
        if class_of(v).is_static() {
            return Ok(Str::value(&text::date(date(v))));
        }
        vm.call_method(v, &names::intern("isoformat"), &[])
    }),
    hash: Some(arithmetic::date_hash),
    compare: Some(arithmetic::date_compare),
    binary: Some(arithmetic::date_binary),
    binary_ops: ops(&[BinOp::Add, BinOp::Sub]),
    reflected_ops: ops(&[BinOp::Add, BinOp::Sub]),
    new: Some(new),
    ..Slots::NONE
};

fn date(v: &Value) -> Ymd {
    receiver::<Moment>(v).date
}

static SIGNATURE: Signature = Signature {
    name: "",
    params: &["year", "month", "day"],
    required: 3,
    positional: 3,
};

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if let ([state], []) = (args.positional(), args.names())
        && let Some(date) = restored_date(vm, state)?
    {
        return Ok(alloc_date(class, date));
    }
    let mut parts = [0; 3];
    SIGNATURE.each(vm, args, |vm, i, v| {
        parts[i] = int_arg(vm, v)?;
        Ok(())
    })?;
    let [year, month, day] = parts;
    check_date(vm, year, month, day).map(|date| alloc_date(class, date))
}

static METHODS: &[Def] = &[
    Def::class_method("fromtimestamp", "(cls, timestamp, /)", |vm, args| {
        if args[1].is_none() {
            vm.index(&args[1])?;
        }
        let at = time::broken_at(vm, &args[1])?;
        let shown = at.seconds().unwrap_or(0);
        let t = time::broken_of(vm, shown.saturating_add(time::offset_at(vm, shown).seconds))?;
        date_by_class(vm, &args[0], (t.year, t.month, t.day))
    }),
    Def::class_method("fromordinal", "(cls, ordinal, /)", |vm, args| {
        let ordinal = int_arg(vm, &args[1])?;
        if ordinal < 1 {
            return Err(vm.value_error("ordinal must be >= 1"));
        }
        let (year, month, day) = time::calendar::date_of(ordinal - super::calendar::EPOCH);
        date_by_class(vm, &args[0], (year, month, day))
    }),
    Def::class_method("fromisoformat", "(cls, string, /)", |vm, args| {
        let string = text_of(vm, &args[1], "fromisoformat: argument must be str")?;
        let bytes = string.as_bytes();
        let parts = match bytes.len() {
            7 | 8 | 10 => iso_parse::date(bytes, bytes.len()),
            _ => None,
        };
        match parts {
            Some(parts) => date_by_class(vm, &args[0], parts),
            None => Err(no_format(vm, &string)),
        }
    }),
    Def::class_method(
        "fromisocalendar",
        "(cls, /, year, week, day)",
        |vm, args| {
            let mut parts = [0; 3];
            for (part, v) in parts.iter_mut().zip(&args[1..]) {
                *part = match int_arg(vm, v) {
                    Ok(i) => i,
                    Err(e) => {
                        vm.swallow(e, Exc::OverflowError)?;
                        return Err(vm.value_error("ISO calendar component out of range"));
                    }
                };
            }
            let [year, week, day] = parts;
            match ordinal_of_iso(year, week, day) {
                Ok(ordinal) => {
                    let parts = time::calendar::date_of(ordinal - super::calendar::EPOCH);
                    date_by_class(vm, &args[0], parts)
                }
                Err(WrongIso::Year) => Err(wrong_year(vm, year)),
                Err(WrongIso::Week) => Err(vm.value_error(format!("Invalid week: {week}"))),
                Err(WrongIso::Weekday) => {
                    Err(vm.value_error(format!("Invalid weekday: {day} (range is [1, 7])")))
                }
            }
        },
    ),
    Def::class_method("strptime", "(cls, string, format, /)", |vm, args| {
        strptime(vm, args, "_strptime_datetime_date")
    }),
    Def::class_method("today", "(cls, /)", |vm, args| {
        let time = vm.import_module("time")?;
        let f = vm.get_attr(&time, &Str::value("time"))?;
        let now = vm.call(&f, &[])?;
        vm.call_method(&args[0], &names::intern("fromtimestamp"), &[now])
    }),
    Def::method("ctime", "(self, /)", |_, args| {
        Ok(Str::value(&text::ctime(date(&args[0]), Clock::ZERO)))
    }),
    Def::method("strftime", "(self, /, format)", |vm, args| {
        let pattern = format_arg(vm, &args[1], "strftime")?;
        let moment = receiver::<Moment>(&args[0]);
        let subject = subject(vm, &args[0])?;
        let extras = Extras {
            zone: &moment.zone,
            of: &args[0],
            microsecond: moment.clock.microsecond,
        };
        text::strftime(vm, &pattern, &subject, &extras)
    }),
    Def::method("__format__", "(self, format_spec, /)", format),
    Def::method("isoformat", "(self, /)", |_, args| {
        Ok(Str::value(&text::date(date(&args[0]))))
    }),
    Def::method("isoweekday", "(self, /)", |_, args| {
        Ok(Value::int(weekday(date(&args[0]).ordinal()) + 1))
    }),
    Def::method("isocalendar", "(self, /)", |_, args| {
        Ok(iso_date::value(date(&args[0]).iso()))
    }),
    Def::method("timetuple", "(self, /)", |vm, args| {
        let t = broken(date(&args[0]), Clock::ZERO, -1);
        Ok(time::struct_without_zone(vm, &t))
    }),
    Def::method("toordinal", "(self, /)", |_, args| {
        Ok(Value::int(date(&args[0]).ordinal()))
    }),
    Def::method("weekday", "(self, /)", |_, args| {
        Ok(Value::int(weekday(date(&args[0]).ordinal())))
    }),
    Def::method(
        "replace",
        "(self, /, year=None, month=None, day=None)",
        replace,
    ),
    Def::method(
        "__replace__",
        "(self, /, year=None, month=None, day=None)",
        replace,
    ),
    Def::method("__reduce__", "(self, /)", |_, args| {
        let state = Bytes::value(arithmetic::date_bytes(date(&args[0])).to_vec());
        Ok(pickle::reduced(&args[0], state, &Value::NONE))
    }),
];

fn replace(vm: &mut Vm, args: &[Value]) -> R {
    let d = date(&args[0]);
    let year = int_or(vm, optional(args, 1), d.year.into())?;
    let month = int_or(vm, optional(args, 2), d.month.into())?;
    let day = int_or(vm, optional(args, 3), d.day.into())?;
    let class = class_of(&args[0]).to_value();
    date_by_class(vm, &class, (year, month, day))
}

/// What `strftime` formats: the moment itself, unless a subclass has a `timetuple` of its own.
fn subject(vm: &mut Vm, v: &Value) -> R<Subject> {
    let class = class_of(v).clone();
    let name = names::intern("timetuple");
    if !class.is_static() {
        let moment = receiver::<Moment>(v);
        let native = if moment.timed {
            super::moment::datetime_class()
        } else {
            Moment::class()
        };
        let own = match (vm.type_lookup(&class, &name), vm.type_lookup(native, &name)) {
            (Some(f), Some(g)) => !f.is_same(&g),
            _ => true,
        };
        if own {
            return vm.call_method(v, &name, &[]).map(Subject::Tuple);
        }
    }
    let moment = receiver::<Moment>(v);
    let dst = text::dst_flag(vm, &moment.zone, v)?;
    Ok(Subject::Broken(moment.broken(dst)))
}

/// `__format__` of dates, moments and times of day: `strftime`, or `str` without a format.
pub(super) fn format(vm: &mut Vm, args: &[Value]) -> R {
    let pattern = format_arg(vm, &args[1], "__format__")?;
    if pattern.is_empty() {
        return vm.str(&args[0]).map(Value::from_ref);
    }
    vm.call_method(
        &args[0],
        &names::intern("strftime"),
        std::slice::from_ref(&args[1]),
    )
}

/// The only argument of a method, which must be a `str`.
pub(super) fn format_arg(vm: &mut Vm, v: &Value, method: &str) -> R<Ref<Str>> {
    match v.as_ref::<Str>() {
        Some(s) => Ok(s.clone()),
        None => Err(vm.type_error(format!(
            "{method}() argument 1 must be str, not {}",
            vm.arg_class_name(v)
        ))),
    }
}

/// The value as a text; `TypeError` with this message otherwise.
pub(super) fn text_of(vm: &mut Vm, v: &Value, message: &str) -> R<Ref<Str>> {
    match v.as_ref::<Str>() {
        Some(s) => Ok(s.clone()),
        None => Err(vm.type_error(message)),
    }
}

/// The error for a text that is in no format of ISO 8601.
#[cold]
pub(super) fn no_format(vm: &mut Vm, string: &Str) -> Raised {
    let mut message = b"Invalid isoformat string: ".to_vec();
    message.extend_from_slice(&repr::text(string.as_bytes()));
    let args = Tuple::value(vec![Str::value_wtf8(&message)]);
    vm.raise_args(Exc::ValueError.class(), args)
}

/// `strptime` of the three classes: a function of the library's `_strptime`.
pub(super) fn strptime(vm: &mut Vm, args: &[Value], function: &str) -> R {
    for (i, v) in args[1..].iter().enumerate() {
        if !v.is::<Str>() {
            return Err(vm.type_error(format!(
                "strptime() argument {} must be str, not {}",
                i + 1,
                vm.arg_class_name(v)
            )));
        }
    }
    let module = vm.import_module("_strptime")?;
    let f = vm.get_attr(&module, &Str::value(function))?;
    vm.call(&f, args)
}
