//! Operators, comparison and hashes of `date` and `datetime`.

use super::calendar::{Clock, DAY_SECONDS, SECOND, Span, Ymd};
use super::delta::{self, span_of};
use super::moment::{Moment, Parts, alloc_datetime, date_by_class, datetime, plain_date};
use super::zone;
use crate::heap::Ref;
use crate::objects::native::receiver;
use crate::objects::slots::{BinOp, CmpOp};
use crate::objects::string::hash_bytes;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};
use std::cmp::Ordering;

#[cold]
fn out_of_range(vm: &mut Vm) -> Raised {
    vm.overflow_error("date value out of range")
}

// ---- dates

/// `date + timedelta`, `date - timedelta`, `date - date`. What is below whole days does not count.
pub(super) fn date_binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    let (date, other) = match (plain_date(a), plain_date(b)) {
        (Some(x), Some(y)) if op == BinOp::Sub => {
            let days = x.date.ordinal() - y.date.ordinal();
            let span = delta::checked(vm, Span::new(days, 0, 0))?;
            return Ok(delta::value(span));
        }
        (Some(_), None) => (a, b),
        (None, Some(_)) if op == BinOp::Add => (b, a),
        _ => return Ok(Value::NOT_IMPLEMENTED),
    };
    let Some(span) = span_of(other) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let days = i64::from(if op == BinOp::Add {
        span.days
    } else {
        -span.days
    });
    let ordinal = receiver::<Moment>(date).date.ordinal() + days;
    let Some(d) = Ymd::of_ordinal(ordinal) else {
        return Err(out_of_range(vm));
    };
    let class = class_of(date).to_value();
    date_by_class(vm, &class, (d.year.into(), d.month.into(), d.day.into()))
}

/// Order of dates; moments are not comparable with them.
pub(super) fn date_compare(_: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    match (a.as_ref::<Moment>(), plain_date(b)) {
        (Some(x), Some(y)) => Ok(Value::bool(op.holds(x.date.cmp(&y.date)))),
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

/// The bytes that pickles keep of a date.
pub(super) fn date_bytes(date: Ymd) -> [u8; 4] {
    let [high, low] = date.year.to_be_bytes();
    [high, low, date.month, date.day]
}

/// The bytes that pickles keep of a reading, without `fold`.
pub(super) fn clock_bytes(c: Clock) -> [u8; 6] {
    let [_, high, middle, low] = c.microsecond.to_be_bytes();
    [c.hour, c.minute, c.second, high, middle, low]
}

/// The hash of a date is that of its bytes.
pub(super) fn date_hash(_: &mut Vm, v: &Value) -> R<i64> {
    Ok(hash_bytes(&date_bytes(receiver::<Moment>(v).date)))
}

// ---- moments

/// Date and reading that lie this far from a moment; `OverflowError` when there is no such date.
fn moved(
    vm: &mut Vm,
    moment: &Moment,
    days: i64,
    seconds: i64,
    microseconds: i64,
) -> R<(Ymd, Clock)> {
    let (day, second) = moment.day_and_second();
    let microseconds = i64::from(moment.clock.microsecond) + microseconds;
    let seconds = second + seconds + microseconds.div_euclid(SECOND);
    let ordinal = day + days + seconds.div_euclid(DAY_SECONDS);
    let clock = Clock::of_seconds(
        seconds.rem_euclid(DAY_SECONDS),
        microseconds.rem_euclid(SECOND),
    );
    match Ymd::of_ordinal(ordinal) {
        Some(date) => Ok((date, clock)),
        None => Err(out_of_range(vm)),
    }
}

/// Date and reading a duration before a moment.
pub(super) fn before(vm: &mut Vm, moment: &Moment, span: Span) -> R<(Ymd, Clock)> {
    moved(
        vm,
        moment,
        -i64::from(span.days),
        -i64::from(span.seconds),
        -i64::from(span.microseconds),
    )
}

/// A duration after a moment, in the same zone, as an object of the same class.
pub(super) fn shifted(vm: &mut Vm, of: &Value, span: Span) -> R {
    let Some(moment) = datetime(of) else {
        return vm.binary(BinOp::Add, of, &delta::value(span));
    };
    let moved = moved(
        vm,
        moment,
        span.days.into(),
        span.seconds.into(),
        span.microseconds.into(),
    )?;
    of_same_class(vm, of, moment, moved)
}

fn of_same_class(vm: &mut Vm, of: &Value, moment: &Ref<Moment>, (date, clock): (Ymd, Clock)) -> R {
    let class = class_of(of).to_value();
    Parts::of(date, clock, 0, &moment.zone).by_class(vm, &class)
}

/// `datetime + timedelta`, `datetime - timedelta`, `datetime - datetime`.
pub(super) fn datetime_binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match (datetime(a), datetime(b)) {
        (Some(x), Some(y)) if op == BinOp::Sub => {
            let span = difference(vm, a, x, b, y)?;
            Ok(delta::value(span))
        }
        (Some(x), None) => match (span_of(b), op) {
            (Some(span), BinOp::Add) => shifted(vm, a, span),
            (Some(span), BinOp::Sub) => {
                let moved = before(vm, x, span)?;
                of_same_class(vm, a, x, moved)
            }
            _ => Ok(Value::NOT_IMPLEMENTED),
        },
        (None, Some(_)) => match (span_of(a), op) {
            (Some(span), BinOp::Add) => shifted(vm, b, span),
            _ => Ok(Value::NOT_IMPLEMENTED),
        },
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

/// The time from `b` to `a`: by UTC when their zones differ, by the clock otherwise.
pub(super) fn difference(
    vm: &mut Vm,
    a: &Value,
    x: &Ref<Moment>,
    b: &Value,
    y: &Ref<Moment>,
) -> R<Span> {
    let shown = by_clock(x, y);
    let shown = delta::checked(vm, shown)?;
    if x.zone.is_same(&y.zone) {
        return Ok(shown);
    }
    let offsets = (
        zone::ask_span(vm, &x.zone, a)?,
        zone::ask_span(vm, &y.zone, b)?,
    );
    match offsets {
        (None, None) => Ok(shown),
        (Some(p), Some(q)) if p == q => Ok(shown),
        (Some(p), Some(q)) => {
            let apart = p.minus(q).and_then(|apart| shown.minus(apart));
            delta::checked(vm, apart)
        }
        _ => Err(vm.type_error("can't subtract offset-naive and offset-aware datetimes")),
    }
}

fn by_clock(x: &Moment, y: &Moment) -> Result<Span, super::calendar::TooLong> {
    let ((d1, s1), (d2, s2)) = (x.day_and_second(), y.day_and_second());
    Span::new(
        d1 - d2,
        s1 - s2,
        i64::from(x.clock.microsecond) - i64::from(y.clock.microsecond),
    )
}

fn by_reading(x: &Moment, y: &Moment) -> Ordering {
    (x.date, x.clock).cmp(&(y.date, y.clock))
}

/// Order of moments: by the clock in one zone, by UTC between zones. Only equality can be asked between moments with and without a zone.
pub(super) fn datetime_compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (datetime(a), datetime(b)) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if x.zone.is_same(&y.zone) {
        return Ok(Value::bool(op.holds(by_reading(x, y))));
    }
    let p = zone::ask_span(vm, &x.zone, a)?;
    let q = zone::ask_span(vm, &y.zone, b)?;
    let order = match (p, q) {
        _ if p == q => by_reading(x, y),
        (Some(p), Some(q)) => {
            let shown = by_clock(x, y);
            let apart = shown.and_then(|shown| shown.minus(p.minus(q)?));
            delta::checked(vm, apart)?.cmp(&Span::ZERO)
        }
        _ => {
            return match op {
                CmpOp::Eq => Ok(Value::FALSE),
                CmpOp::Ne => Ok(Value::TRUE),
                _ => Err(vm.type_error("can't compare offset-naive and offset-aware datetimes")),
            };
        }
    };
    // PEP 495: a moment in a fold or a gap is equal to none in another zone.
    if order.is_eq()
        && matches!(op, CmpOp::Eq | CmpOp::Ne)
        && (folded_offset(vm, a, x)? != p || folded_offset(vm, b, y)? != q)
    {
        return Ok(Value::bool(op == CmpOp::Ne));
    }
    Ok(Value::bool(op.holds(order)))
}

/// The distance from UTC of a moment with the other `fold`.
fn folded_offset(vm: &mut Vm, v: &Value, moment: &Ref<Moment>) -> R<Option<Span>> {
    if moment.zone.is_none() {
        return Ok(None);
    }
    let other = alloc_datetime(
        class_of(v),
        moment.date,
        moment.clock,
        1 - moment.fold.min(1),
        &moment.zone,
    );
    zone::ask_span(vm, &moment.zone, &other)
}

/// Equal moments have equal hashes, whatever their zones are: the hash is that of the time in UTC. `fold` does not count.
pub(super) fn datetime_hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let moment = receiver::<Moment>(v);
    let known = moment.hash.get();
    if known != 0 {
        return Ok(known);
    }
    let offset = if moment.fold == 0 {
        zone::ask_span(vm, &moment.zone, v)?
    } else {
        folded_offset(vm, v, moment)?
    };
    let hash = match offset {
        None => {
            let mut bytes = date_bytes(moment.date).to_vec();
            bytes.extend_from_slice(&clock_bytes(moment.clock));
            hash_bytes(&bytes)
        }
        Some(offset) => {
            let (day, second) = moment.day_and_second();
            let shown = Span::new(day, second, moment.clock.microsecond.into());
            let utc = shown.and_then(|shown| shown.minus(offset));
            delta::hash(delta::checked(vm, utc)?)
        }
    };
    moment.hash.set(hash);
    Ok(hash)
}
