//! `_datetime`: dates, times and durations, for the library's `datetime`.
//!
//! [`calendar`] computes and knows no objects; [`iso_parse`] reads texts and knows none either. One file for each class: [`date`], [`datetime`],
//! [`time_of_day`], [`delta`] (with [`delta_ops`]), [`zone`] (`tzinfo` and `timezone`), [`iso_date`]. `date` and `datetime` share the payload in
//! [`moment`] and the operators in [`arithmetic`]. Without a zone, moments are those of the session's clock (`time`).

mod arithmetic;
mod calendar;
mod date;
mod datetime;
mod delta;
mod delta_ops;
mod fields;
mod iso_date;
mod iso_parse;
mod moment;
mod pickle;
mod text;
mod time_of_day;
mod zone;

use crate::heap::{Payload, Ref};
use crate::objects::module::Module;
use crate::value::Value;
use crate::vm::Vm;

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    if !delta::Delta::class_slot().with(|slot| slot.is_set()) {
        delta::build(vm);
        zone::build(vm);
        iso_date::build(vm);
        date::build(vm);
        datetime::build(vm);
        time_of_day::build(vm);
    }
    let m = Module::native(
        vm,
        "_datetime",
        "Fast implementation of the datetime module.",
        &[],
    );
    for (name, class) in [
        ("date", moment::Moment::class()),
        ("datetime", moment::datetime_class()),
        ("time", time_of_day::TimeOfDay::class()),
        ("timedelta", delta::Delta::class()),
        ("tzinfo", zone::Zone::class()),
        ("timezone", zone::timezone_class()),
    ] {
        m.set(vm, name, class.to_value());
    }
    m.set(vm, "MINYEAR", Value::int(calendar::MIN_YEAR));
    m.set(vm, "MAXYEAR", Value::int(calendar::MAX_YEAR));
    m.set(vm, "UTC", zone::utc());
    m
}
