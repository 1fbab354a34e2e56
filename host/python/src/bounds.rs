//! What making objects of a program's values may cost.
//!
//! A program chooses the keys of its dicts and sets, and so the hashes that they have out here, which for numbers are no secret: keys that share a hash are
//! compared pair by pair while the dict is built, for hours if there are many. So the keys are hashed once before, and what there would be to compare is counted.
//! The account is that of a request: a program that calls many tools has no more of it. Keys whose hashes differ can share their places in the table all the
//! same, which is not worth counting: there the time is looked at.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use coldframe::{CancelHandle, Value};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::drive::Driver;
use crate::gate;
use crate::values::{crossing, helper};

/// Keys of a dict or set that need no counting, if they are small: each can be compared with all others.
const FEW_KEYS: usize = 16;

/// Comparisons that are free in a request, in units of a number's, and those for each key.
const FREE_WORK: u64 = 20_000_000;
const WORK_OF_KEY: u64 = 64;

/// Keys from which on the time is looked at.
const MANY_KEYS: usize = 1024;

/// Processor time that is free in a request for entering keys into large dicts and sets, and that for each key. A class of the host's may hash slowly: what
/// hashing all keys once has taken counts for so much more.
const FREE_TIME: Duration = Duration::from_secs(1);
const TIME_OF_KEY: Duration = Duration::from_micros(10);
const TIMES_HASHING: u64 = 4;

/// How often a long conversion looks for signals and lets other threads in.
const LOOK: Duration = Duration::from_millis(20);

/// What the values of one request have cost so far.
pub(crate) struct Account {
    keys: AtomicU64,
    work: AtomicU64,
    nanoseconds: AtomicU64,
    /// Time in which keys were hashed, once each.
    hashing: AtomicU64,
    /// How many classes may still be made (`coldframe._values.Room`).
    room: PyOnceLock<Py<PyAny>>,
}

impl Account {
    pub(crate) fn new() -> Account {
        Account {
            keys: AtomicU64::new(0),
            work: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
            hashing: AtomicU64::new(0),
            room: PyOnceLock::new(),
        }
    }
}

/// Watches over the making of one value.
pub(crate) struct Bounds<'a> {
    account: &'a Account,
    cancel: &'a CancelHandle,
    parts: Cell<u32>,
    looked: Cell<Instant>,
}

/// What matters of a key when it is compared.
#[derive(Clone, Copy, Default)]
struct Weight {
    /// Units of work.
    units: u64,
    /// Bytes of the longest number.
    longest: u64,
    /// Whether a `Decimal` is in it: a long number that is compared with one is made one first, which takes the square of its length.
    has_decimal: bool,
}

impl Weight {
    fn of(value: &Value) -> Weight {
        let long = |bytes: usize| Weight {
            units: 1 + bytes as u64 / 64,
            longest: bytes as u64,
            has_decimal: false,
        };
        // What is written in Python, or compares by a call of its own.
        let slow = |weight: Weight| Weight {
            units: weight.units + 8,
            ..weight
        };
        let all = |values: &[Value]| Weight::sum(values.iter().map(Weight::of)).plus_units(1);
        let fields = |fields: &[(String, Value)]| {
            slow(Weight::sum(
                fields.iter().map(|(_, value)| Weight::of(value)),
            ))
        };
        match value {
            Value::BigInt(number) => long(number.magnitude().len()),
            Value::Str(text) => Weight::default().plus_units(1 + text.len() as u64 / 256),
            Value::SurrogateStr(bytes) | Value::Bytes(bytes) => {
                Weight::default().plus_units(1 + bytes.len() as u64 / 256)
            }
            Value::Decimal(decimal) => Weight {
                has_decimal: true,
                ..slow(long(decimal.as_str().len()))
            },
            Value::Fraction(fraction) => {
                let ends = [fraction.numerator(), fraction.denominator()];
                slow(Weight::sum(ends.map(|end| long(end.magnitude().len()))))
            }
            Value::Range(range) => {
                let ends = [range.start(), range.stop(), range.step()];
                Weight::sum(ends.map(|end| long(end.magnitude().len())))
            }
            Value::Tuple(items) | Value::FrozenSet(items) => all(items),
            Value::Slice(slice) => {
                Weight::sum([&slice.start, &slice.stop, &slice.step].map(Weight::of))
            }
            Value::Enum(member) => slow(Weight::of(&member.value)),
            Value::Dataclass(object) => fields(&object.fields),
            Value::NamedTuple(object) => fields(&object.fields),
            Value::Exception(_) => Weight::default().plus_units(1),
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
                Weight::default().plus_units(1)
            }
            _ => slow(Weight::default()),
        }
    }

    fn plus_units(self, units: u64) -> Weight {
        Weight {
            units: self.units + units,
            ..self
        }
    }

    fn sum(weights: impl IntoIterator<Item = Weight>) -> Weight {
        weights
            .into_iter()
            .fold(Weight::default(), |all, one| Weight {
                units: all.units + one.units,
                ..all.most(one)
            })
    }

    /// The larger of each, for the comparison of one with the other.
    fn most(self, other: Weight) -> Weight {
        Weight {
            units: self.units.max(other.units),
            longest: self.longest.max(other.longest),
            has_decimal: self.has_decimal || other.has_decimal,
        }
    }

    /// What comparing two keys of it takes.
    fn work(self) -> u64 {
        let as_decimal = match self.has_decimal {
            true => self.longest.saturating_mul(self.longest) / 64,
            false => 0,
        };
        self.units.saturating_add(as_decimal)
    }
}

/// What is to compare among keys, given the hash and the place of each.
fn work_of(mut hashes: Vec<(isize, usize)>, weight: impl Fn(usize) -> Weight) -> u64 {
    hashes.sort_unstable();
    hashes
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|group| group.len() > 1)
        .map(|group| {
            let count = group.len() as u64;
            let weights = group.iter().map(|(_, at)| weight(*at));
            let most = weights.fold(Weight::default(), Weight::most);
            (count * (count - 1) / 2).saturating_mul(most.work())
        })
        .fold(0, u64::saturating_add)
}

impl<'a> Bounds<'a> {
    pub(crate) fn new(driver: &'a Driver) -> Bounds<'a> {
        Bounds {
            account: &driver.account,
            cancel: driver.cancel_handle(),
            parts: Cell::new(0),
            looked: Cell::new(Instant::now()),
        }
    }

    /// How many classes may still be made, as `coldframe._values` counts them.
    pub(crate) fn room<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = || Ok::<_, PyErr>(helper(py, "Room")?.call0()?.unbind());
        let room = self.account.room.get_or_try_init(py, made)?;
        Ok(room.bind(py).clone())
    }

    /// One more part of a value is made, or entered.
    pub(crate) fn part(&self, py: Python<'_>) -> PyResult<()> {
        let parts = self.parts.get().wrapping_add(1);
        self.parts.set(parts);
        if !parts.is_multiple_of(64) || self.looked.get().elapsed() < LOOK {
            return Ok(());
        }
        py.check_signals()?;
        if self.cancel.is_cancelled() {
            return Err(crossing(
                py,
                "the run was cancelled while the value was made",
            ));
        }
        // Other threads get their turn.
        gate::detach(py, || ());
        self.looked.set(Instant::now());
        Ok(())
    }

    /// Whether a dict or a set may be built of these keys; `value` gives what each was made of.
    pub(crate) fn admit<'v>(
        &self,
        py: Python<'_>,
        keys: &[Bound<'_, PyAny>],
        value: impl Fn(usize) -> &'v Value,
    ) -> PyResult<()> {
        let is_light = |at: usize| {
            let weight = Weight::of(value(at));
            weight.units < 64 && !weight.has_decimal
        };
        if keys.len() <= FEW_KEYS && (0..keys.len()).all(is_light) {
            return Ok(());
        }
        let clock = (keys.len() > MANY_KEYS)
            .then(|| Clock::start(py))
            .transpose()?;
        let mut hashes = Vec::with_capacity(keys.len());
        for (at, key) in keys.iter().enumerate() {
            self.part(py)?;
            hashes.push((key.hash()?, at));
        }
        if let Some(mut clock) = clock {
            add(&self.account.hashing, clock.lap()?);
        }
        let work = work_of(hashes, |at| Weight::of(value(at)));
        let count = keys.len() as u64;
        let keys_so_far = add(&self.account.keys, count);
        let allowed = FREE_WORK.saturating_add(keys_so_far.saturating_mul(WORK_OF_KEY));
        if add(&self.account.work, work) > allowed {
            return Err(crossing(py, too_much(count)));
        }
        Ok(())
    }

    /// Enters so many keys into a dict or a set, one after the other.
    pub(crate) fn enter(
        &self,
        py: Python<'_>,
        count: usize,
        mut enter: impl FnMut(usize) -> PyResult<()>,
    ) -> PyResult<()> {
        if count <= MANY_KEYS {
            return (0..count).try_for_each(|at| {
                self.part(py)?;
                enter(at)
            });
        }
        let so_far = |sum: &AtomicU64| sum.load(Ordering::Relaxed);
        let allowed = FREE_TIME.as_nanos() as u64
            + so_far(&self.account.keys) * TIME_OF_KEY.as_nanos() as u64
            + so_far(&self.account.hashing) * TIMES_HASHING;
        let mut clock = Clock::start(py)?;
        let mut looked = Instant::now();
        for at in 0..count {
            self.part(py)?;
            enter(at)?;
            let is_last = at + 1 == count;
            if is_last || (at % 16 == 0 && looked.elapsed() >= LOOK) {
                let spent = add(&self.account.nanoseconds, clock.lap()?);
                if spent > allowed && !is_last {
                    return Err(crossing(py, too_much(count as u64)));
                }
                looked = Instant::now();
            }
        }
        Ok(())
    }
}

/// Adds to a sum; what it comes to.
fn add(sum: &AtomicU64, more: u64) -> u64 {
    let added = sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |sum| {
        Some(sum.saturating_add(more))
    });
    added.unwrap_or_else(|sum| sum).saturating_add(more)
}

fn too_much(keys: u64) -> String {
    format!("a dict or set of {keys} keys whose hashes collide: comparing them would take too long")
}

/// The clock of this thread's processor time, or else one of real time.
struct Clock<'py> {
    now: Bound<'py, PyAny>,
    last: u64,
}

impl<'py> Clock<'py> {
    fn start(py: Python<'py>) -> PyResult<Clock<'py>> {
        let time = py.import("time")?;
        let now = time
            .getattr("thread_time_ns")
            .or_else(|_| time.getattr("perf_counter_ns"))?;
        let last = now.call0()?.extract()?;
        Ok(Clock { now, last })
    }

    /// Nanoseconds since the last time that it was asked.
    fn lap(&mut self) -> PyResult<u64> {
        let now: u64 = self.now.call0()?.extract()?;
        let lap = now.saturating_sub(self.last);
        self.last = now;
        Ok(lap)
    }
}
