//! What pickles keep of dates and times, and constructors that take it back.

use super::calendar::{Clock, Ymd};
use super::zone::Zone;
use crate::objects::bytes::Bytes;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// `(class, (state,))`, or `(class, (state, zone))` when there is a zone.
pub(super) fn reduced(v: &Value, state: Value, zone: &Value) -> Value {
    let mut args = vec![state];
    if !zone.is_none() {
        args.push(zone.clone());
    }
    Tuple::value(vec![class_of(v).to_value(), Tuple::value(args)])
}

/// The bytes of a state of this length: `bytes`, or `str` from a pickle of Python 2, if the byte at `key` passes the test.
/// `None` for what is no state at all.
fn state<const N: usize>(
    vm: &mut Vm,
    v: &Value,
    key: usize,
    sane: impl Fn(u32) -> bool,
    what: &str,
) -> R<Option<[u8; N]>> {
    if let Some(bytes) = v.as_ref::<Bytes>() {
        let state = <[u8; N]>::try_from(&*bytes.data).ok();
        return Ok(state.filter(|s| sane(s[key].into())));
    }
    let Some(text) = v.as_ref::<Str>() else {
        return Ok(None);
    };
    if text.len() != N || !sane(text.char_at(key)) {
        return Ok(None);
    }
    let mut state = [0; N];
    for (place, c) in state.iter_mut().zip(text.chars()) {
        match u8::try_from(c) {
            Ok(b) => *place = b,
            Err(_) => {
                return Err(vm.value_error(format!(
                    "Failed to encode latin1 string when unpickling a {what} object. pickle.load(data, encoding='latin1') is assumed."
                )));
            }
        }
    }
    Ok(Some(state))
}

fn date_of(state: [u8; 4]) -> Ymd {
    let [high, low, month, day] = state;
    Ymd {
        year: u16::from_be_bytes([high, low]),
        month,
        day,
    }
}

fn clock_of(state: [u8; 6]) -> Clock {
    let [hour, minute, second, high, middle, low] = state;
    Clock {
        hour,
        minute,
        second,
        microsecond: u32::from_be_bytes([0, high, middle, low]),
    }
}

/// The bit of a state that keeps `fold`.
pub(super) const FOLD: u8 = 0x80;

/// The date of a state.
pub(super) fn restored_date(vm: &mut Vm, v: &Value) -> R<Option<Ymd>> {
    let state = state(vm, v, 2, |month| (1..=12).contains(&month), "date")?;
    Ok(state.map(date_of))
}

/// Reading and `fold` of a state.
pub(super) fn restored_clock(vm: &mut Vm, v: &Value) -> R<Option<(Clock, u8)>> {
    let state: Option<[u8; 6]> = state(vm, v, 0, |hour| hour & 0x7F < 24, "time")?;
    Ok(state.map(|mut state| {
        let fold = u8::from(state[0] & FOLD != 0);
        state[0] &= !FOLD;
        (clock_of(state), fold)
    }))
}

/// Date, reading and `fold` of a state.
pub(super) fn restored_moment(vm: &mut Vm, v: &Value) -> R<Option<(Ymd, Clock, u8)>> {
    let sane = |month: u32| (1..=12).contains(&(month & 0x7F));
    let state: Option<[u8; 10]> = state(vm, v, 2, sane, "datetime")?;
    Ok(state.map(|state| {
        let [a, b, month, day, rest @ ..] = state;
        let date = date_of([a, b, month & !FOLD, day]);
        (date, clock_of(rest), u8::from(month & FOLD != 0))
    }))
}

/// The zone of a state; `TypeError` when it is none.
pub(super) fn check_state_zone(vm: &mut Vm, zone: &Value) -> R<()> {
    if zone.is_none() || zone.is::<Zone>() {
        return Ok(());
    }
    Err(vm.type_error("bad tzinfo state arg"))
}
