//! The payload of `date` and `datetime`, and how objects of them and of their subclasses are made.

use super::calendar::{Clock, Ymd, weekday};
use super::fields::{check_clock, check_date, check_zone};
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::modules::time::calendar::Broken;
use crate::names;
use crate::objects::types::{ClassSlot, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};
use std::cell::Cell;

/// Payload of `date` and of its subclass `datetime`.
pub(super) struct Moment {
    pub(super) date: Ymd,
    pub(super) clock: Clock,
    /// Which of two times with the same reading, where a zone's clocks are set back.
    pub(super) fold: u8,
    /// Whether this is a `datetime`.
    pub(super) timed: bool,
    /// The zone, or `None`.
    pub(super) zone: Value,
    /// The hash once it is known; 0 until then.
    pub(super) hash: Cell<i64>,
}

// SAFETY: visits the zone.
unsafe impl Payload for Moment {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.zone);
    }
}

thread_local! {
    static DATETIME: ClassSlot = const { ClassSlot::new() };
}

/// The class `datetime`; that of the payload is `date`.
pub(super) fn datetime_class() -> &'static Ref<Type> {
    DATETIME.with(ClassSlot::get)
}

/// Tells what the class `datetime` is.
pub(super) fn set_datetime_class(class: Ref<Type>) {
    DATETIME.with(|slot| slot.set(class));
}

/// Whether the value is a `datetime`.
pub(super) fn is_datetime(v: &Value) -> bool {
    datetime(v).is_some()
}

/// The value as a `datetime`.
#[inline]
pub(super) fn datetime(v: &Value) -> Option<&Ref<Moment>> {
    v.as_ref::<Moment>().filter(|m| m.timed)
}

/// The value as a `date` that is no `datetime`.
#[inline]
pub(super) fn plain_date(v: &Value) -> Option<&Ref<Moment>> {
    v.as_ref::<Moment>().filter(|m| !m.timed)
}

impl Moment {
    /// Days and seconds since the day before 0001-01-01.
    pub(super) fn day_and_second(&self) -> (i64, i64) {
        (self.date.ordinal(), self.clock.seconds())
    }

    /// As a broken-down time.
    pub(super) fn broken(&self, dst: i64) -> Broken {
        broken(self.date, self.clock, dst)
    }
}

/// A broken-down time of these parts.
pub(super) fn broken(date: Ymd, clock: Clock, dst: i64) -> Broken {
    Broken {
        year: date.year.into(),
        month: date.month.into(),
        day: date.day.into(),
        hour: clock.hour.into(),
        minute: clock.minute.into(),
        second: clock.second.into(),
        weekday: weekday(date.ordinal()),
        yearday: date.yearday(),
        dst,
    }
}

/// A `date` of exactly this class, `date` or a subclass of it.
pub(super) fn alloc_date(class: &Ref<Type>, date: Ymd) -> Value {
    let moment = Moment {
        date,
        clock: Clock::ZERO,
        fold: 0,
        timed: false,
        zone: Value::NONE,
        hash: Cell::new(0),
    };
    Value::from_ref(heap::alloc_instance(moment, class, 0))
}

/// A `datetime` of exactly this class, `datetime` or a subclass of it.
pub(super) fn alloc_datetime(
    class: &Ref<Type>,
    date: Ymd,
    clock: Clock,
    fold: u8,
    zone: &Value,
) -> Value {
    let moment = Moment {
        date,
        clock,
        fold,
        timed: true,
        zone: zone.clone(),
        hash: Cell::new(0),
    };
    Value::from_ref(heap::alloc_instance(moment, class, 0))
}

/// A date made by a class: at once for the built-in ones, by a call for others.
pub(super) fn date_by_class(vm: &mut Vm, class: &Value, parts: (i64, i64, i64)) -> R {
    let (year, month, day) = parts;
    if let Some(class) = class.as_ref::<Type>() {
        if class.same(Moment::class()) {
            return check_date(vm, year, month, day).map(|date| alloc_date(class, date));
        }
        if class.same(datetime_class()) {
            let date = check_date(vm, year, month, day)?;
            return Ok(alloc_datetime(class, date, Clock::ZERO, 0, &Value::NONE));
        }
    }
    vm.call(class, &[year, month, day].map(Value::int))
}

/// The parts of a `datetime` that a class makes.
pub(super) struct Parts<'a> {
    pub(super) date: (i64, i64, i64),
    pub(super) clock: [i64; 4],
    pub(super) fold: u8,
    pub(super) zone: &'a Value,
}

impl<'a> Parts<'a> {
    /// Parts that are known to be right.
    pub(super) fn of(date: Ymd, clock: Clock, fold: u8, zone: &'a Value) -> Parts<'a> {
        Parts {
            date: (date.year.into(), date.month.into(), date.day.into()),
            clock: clock_numbers(clock),
            fold,
            zone,
        }
    }

    /// The `datetime` that the class makes of the parts: at once for the built-in one, by a call for others.
    pub(super) fn by_class(&self, vm: &mut Vm, class: &Value) -> R {
        let (year, month, day) = self.date;
        if let Some(class) = class.as_ref::<Type>()
            && class.same(datetime_class())
        {
            let date = check_date(vm, year, month, day)?;
            let (clock, fold) = check_clock(vm, self.clock, self.fold.into())?;
            check_zone(vm, self.zone)?;
            return Ok(alloc_datetime(class, date, clock, fold, self.zone));
        }
        let [hour, minute, second, microsecond] = self.clock;
        let numbers = [year, month, day, hour, minute, second, microsecond];
        let mut args: Vec<Value> = numbers.map(Value::int).into();
        args.push(self.zone.clone());
        call_with_fold(vm, class, args, self.fold)
    }
}

/// The four numbers of a reading.
pub(super) fn clock_numbers(clock: Clock) -> [i64; 4] {
    [
        clock.hour.into(),
        clock.minute.into(),
        clock.second.into(),
        clock.microsecond.into(),
    ]
}

/// Calls a class, with `fold` by name when it is not 0.
pub(super) fn call_with_fold(vm: &mut Vm, class: &Value, mut args: Vec<Value>, fold: u8) -> R {
    if fold == 0 {
        return vm.call(class, &args);
    }
    args.push(Value::int(fold.into()));
    let names = [Value::from_ref(names::intern("fold"))];
    vm.call_args(class, Args::new(&args, &names))
}
