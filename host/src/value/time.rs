//! Dates, times and zones, as the module `datetime` has them: proleptic Gregorian, years 1 to 9999, microseconds.
//!
//! The structs are checked when they are made, and carry as much as the wire does. Calendars and time-zone rules are left to the sandbox
//! and to the crates made for them; [`std::time`] is what they convert to.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use super::InvalidValue;

const MICROSECONDS_A_DAY: i128 = 86_400_000_000;

/// A `datetime.date`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// A day of the proleptic Gregorian calendar, years 1 to 9999.
    pub fn new(year: u16, month: u8, day: u8) -> Result<Date, InvalidValue> {
        if !(1..=9999).contains(&year) {
            return Err(InvalidValue::new("year must be in 1..9999"));
        }
        if !(1..=12).contains(&month) {
            return Err(InvalidValue::new("month must be in 1..12"));
        }
        if !(1..=days_in_month(year, month)).contains(&day) {
            return Err(InvalidValue::new("day is out of range for month"));
        }
        Ok(Date { year, month, day })
    }

    /// The year, 1 to 9999.
    pub fn year(self) -> u16 {
        self.year
    }

    /// The month, 1 to 12.
    pub fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, from 1.
    pub fn day(self) -> u8 {
        self.day
    }

    /// Days since 1970-01-01 (the algorithm is Howard Hinnant's `days_from_civil`).
    fn days_since_epoch(self) -> i64 {
        let (year, month) = (i64::from(self.year), i64::from(self.month));
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * 146_097 + day_of_era - 719_468
    }

    /// The inverse (`civil_from_days`); the day must be in range.
    fn from_days_since_epoch(days: i64) -> Result<Date, InvalidValue> {
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let year = u16::try_from(year).map_err(|_| InvalidValue::new("year must be in 1..9999"))?;
        Date::new(year, month as u8, day as u8)
    }
}

fn days_in_month(year: u16, month: u8) -> u8 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A `datetime.time`: a time of day, in a zone perhaps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    hour: u8,
    minute: u8,
    second: u8,
    fold: bool,
    microsecond: u32,
    zone: Option<Box<TimeZone>>,
}

impl Time {
    /// A time of day without a zone.
    pub fn new(hour: u8, minute: u8, second: u8, microsecond: u32) -> Result<Time, InvalidValue> {
        if hour > 23 {
            return Err(InvalidValue::new("hour must be in 0..23"));
        }
        if minute > 59 {
            return Err(InvalidValue::new("minute must be in 0..59"));
        }
        if second > 59 {
            return Err(InvalidValue::new("second must be in 0..59"));
        }
        if microsecond > 999_999 {
            return Err(InvalidValue::new("microsecond must be in 0..999999"));
        }
        Ok(Time {
            hour,
            minute,
            second,
            fold: false,
            microsecond,
            zone: None,
        })
    }

    /// The same time in a zone, or in none.
    pub fn with_zone(mut self, zone: Option<TimeZone>) -> Time {
        self.zone = zone.map(Box::new);
        self
    }

    /// The same time with `fold` set or not: which of two equal times it is when clocks are turned back.
    pub fn with_fold(mut self, fold: bool) -> Time {
        self.fold = fold;
        self
    }

    /// The hour, 0 to 23.
    pub fn hour(&self) -> u8 {
        self.hour
    }

    /// The minute, 0 to 59.
    pub fn minute(&self) -> u8 {
        self.minute
    }

    /// The second, 0 to 59.
    pub fn second(&self) -> u8 {
        self.second
    }

    /// The microsecond, 0 to 999,999.
    pub fn microsecond(&self) -> u32 {
        self.microsecond
    }

    /// `fold`
    pub fn fold(&self) -> bool {
        self.fold
    }

    /// `tzinfo`
    pub fn zone(&self) -> Option<&TimeZone> {
        self.zone.as_deref()
    }

    fn microseconds(&self) -> i128 {
        let seconds =
            (i128::from(self.hour) * 60 + i128::from(self.minute)) * 60 + i128::from(self.second);
        seconds * 1_000_000 + i128::from(self.microsecond)
    }
}

/// A `datetime.datetime`: a date and a time of day; its zone is that of the time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DateTime {
    /// The day.
    pub date: Date,
    /// The time of day.
    pub time: Time,
}

impl DateTime {
    /// A date and a time.
    pub fn new(date: Date, time: Time) -> DateTime {
        DateTime { date, time }
    }

    /// `tzinfo`
    pub fn zone(&self) -> Option<&TimeZone> {
        self.time.zone()
    }
}

/// In UTC, to the microsecond.
impl TryFrom<SystemTime> for DateTime {
    type Error = InvalidValue;

    fn try_from(time: SystemTime) -> Result<DateTime, InvalidValue> {
        let micros = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => after.as_micros() as i128,
            // Towards the past, so that order is kept.
            Err(before) => -(before.duration().as_nanos().div_ceil(1000) as i128),
        };
        let days = i64::try_from(micros.div_euclid(MICROSECONDS_A_DAY))
            .ok()
            .filter(|d| d.abs() < 1 << 40)
            .ok_or_else(|| InvalidValue::new("year must be in 1..9999"))?;
        let rest = micros.rem_euclid(MICROSECONDS_A_DAY) as u64;
        let seconds = rest / 1_000_000;
        let time = Time::new(
            (seconds / 3600) as u8,
            (seconds / 60 % 60) as u8,
            (seconds % 60) as u8,
            (rest % 1_000_000) as u32,
        )?;
        Ok(DateTime {
            date: Date::from_days_since_epoch(days)?,
            time: time.with_zone(Some(TimeZone::UTC)),
        })
    }
}

/// Only a time whose distance from UTC is known is a point in time: see [`TimeZone::offset`].
impl TryFrom<&DateTime> for SystemTime {
    type Error = InvalidValue;

    fn try_from(at: &DateTime) -> Result<SystemTime, InvalidValue> {
        let offset = at.zone().and_then(TimeZone::offset).ok_or_else(|| {
            InvalidValue::new("a datetime without a known distance from UTC is no point in time")
        })?;
        let micros = i128::from(at.date.days_since_epoch()) * MICROSECONDS_A_DAY
            + at.time.microseconds()
            - offset.total_microseconds();
        let distance = Duration::from_micros(micros.unsigned_abs() as u64);
        let there = if micros < 0 {
            SystemTime::UNIX_EPOCH.checked_sub(distance)
        } else {
            SystemTime::UNIX_EPOCH.checked_add(distance)
        };
        there.ok_or_else(|| InvalidValue::new("the system has no such time"))
    }
}

/// A `datetime.timedelta`, normalised as Python does it: seconds and microseconds are not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeDelta {
    days: i32,
    seconds: u32,
    microseconds: u32,
}

impl TimeDelta {
    /// No time.
    pub const ZERO: TimeDelta = TimeDelta {
        days: 0,
        seconds: 0,
        microseconds: 0,
    };

    /// That many days, seconds and microseconds, each of either sign; at most 999,999,999 days.
    pub fn new(days: i64, seconds: i64, microseconds: i64) -> Result<TimeDelta, InvalidValue> {
        TimeDelta::from_microseconds(
            i128::from(days) * MICROSECONDS_A_DAY
                + i128::from(seconds) * 1_000_000
                + i128::from(microseconds),
        )
    }

    /// That many microseconds.
    pub fn from_microseconds(microseconds: i128) -> Result<TimeDelta, InvalidValue> {
        let days = i32::try_from(microseconds.div_euclid(MICROSECONDS_A_DAY))
            .ok()
            .filter(|d| (-999_999_999..=999_999_999).contains(d))
            .ok_or_else(|| {
                InvalidValue::new("a timedelta has at most 999999999 days either way")
            })?;
        let rest = microseconds.rem_euclid(MICROSECONDS_A_DAY);
        Ok(TimeDelta {
            days,
            seconds: (rest / 1_000_000) as u32,
            microseconds: (rest % 1_000_000) as u32,
        })
    }

    /// Days, perhaps negative.
    pub fn days(self) -> i32 {
        self.days
    }

    /// Seconds of the last day, 0 to 86,399.
    pub fn seconds(self) -> u32 {
        self.seconds
    }

    /// Microseconds of the last second, 0 to 999,999.
    pub fn microseconds(self) -> u32 {
        self.microseconds
    }

    /// All of it in microseconds.
    pub fn total_microseconds(self) -> i128 {
        i128::from(self.days) * MICROSECONDS_A_DAY
            + i128::from(self.seconds) * 1_000_000
            + i128::from(self.microseconds)
    }

    /// All of it in seconds, as `total_seconds()` gives it.
    pub fn total_seconds(self) -> f64 {
        self.total_microseconds() as f64 / 1e6
    }
}

/// To the microsecond.
impl TryFrom<Duration> for TimeDelta {
    type Error = InvalidValue;

    fn try_from(duration: Duration) -> Result<TimeDelta, InvalidValue> {
        TimeDelta::from_microseconds(duration.as_micros() as i128)
    }
}

/// A negative one is no duration.
impl TryFrom<TimeDelta> for Duration {
    type Error = InvalidValue;

    fn try_from(delta: TimeDelta) -> Result<Duration, InvalidValue> {
        u64::try_from(delta.total_microseconds())
            .map(Duration::from_micros)
            .map_err(|_| InvalidValue::new("the timedelta is negative, or too long"))
    }
}

/// What stands in `tzinfo`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TimeZone {
    /// A `datetime.timezone`: the same distance from UTC at all times.
    Fixed {
        /// East of Greenwich is positive; less than a day.
        offset: TimeDelta,
        /// The name that it was given, if it was.
        name: Option<String>,
    },
    /// A `zoneinfo.ZoneInfo`.
    Named {
        /// The key, such as `Europe/Vienna`.
        key: String,
        /// The distance from UTC at the time that it belongs to, as the sandbox says; it is not looked at when a value enters one.
        offset: Option<TimeDelta>,
    },
}

impl TimeZone {
    /// `datetime.timezone.utc`
    pub const UTC: TimeZone = TimeZone::Fixed {
        offset: TimeDelta::ZERO,
        name: None,
    };

    /// A fixed distance from UTC, less than a day.
    pub fn fixed(offset: TimeDelta) -> Result<TimeZone, InvalidValue> {
        check_offset(offset)?;
        Ok(TimeZone::Fixed { offset, name: None })
    }

    /// A zone of the time-zone database.
    pub fn named(key: impl Into<String>) -> TimeZone {
        TimeZone::Named {
            key: key.into(),
            offset: None,
        }
    }

    /// The distance from UTC, when it is known.
    pub fn offset(&self) -> Option<TimeDelta> {
        match self {
            TimeZone::Fixed { offset, .. } => Some(*offset),
            TimeZone::Named { offset, .. } => *offset,
        }
    }
}

/// A distance from UTC is less than a day.
pub(super) fn check_offset(offset: TimeDelta) -> Result<(), InvalidValue> {
    if offset.total_microseconds().abs() < MICROSECONDS_A_DAY {
        Ok(())
    } else {
        Err(InvalidValue::new(
            "a distance from UTC is less than 24 hours",
        ))
    }
}

// ---- ISO 8601, as `isoformat()` writes it

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// As `isoformat()`: with the distance from UTC when it is known.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}:{:02}", self.hour, self.minute, self.second)?;
        if self.microsecond != 0 {
            write!(f, ".{:06}", self.microsecond)?;
        }
        match self.zone().and_then(TimeZone::offset) {
            Some(offset) => write_offset(f, offset),
            None => Ok(()),
        }
    }
}

pub(super) fn write_offset(f: &mut impl fmt::Write, offset: TimeDelta) -> fmt::Result {
    let micros = offset.total_microseconds();
    let (sign, micros) = (if micros < 0 { '-' } else { '+' }, micros.unsigned_abs());
    let seconds = micros / 1_000_000;
    write!(f, "{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)?;
    if seconds % 60 != 0 || micros % 1_000_000 != 0 {
        write!(f, ":{:02}", seconds % 60)?;
    }
    if micros % 1_000_000 != 0 {
        write!(f, ".{:06}", micros % 1_000_000)?;
    }
    Ok(())
}

/// As `isoformat()`: with the distance from UTC when it is known.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}", self.date, self.time)
    }
}

fn not_iso() -> InvalidValue {
    InvalidValue::new("the text is not in the form of isoformat()")
}

/// `count` digits at the start of the text.
fn digits(text: &str, count: usize) -> Result<(u32, &str), InvalidValue> {
    let head = text.get(..count).ok_or_else(not_iso)?;
    if !head.bytes().all(|b| b.is_ascii_digit()) {
        return Err(not_iso());
    }
    let n = head.parse().map_err(|_| not_iso())?;
    Ok((n, &text[count..]))
}

fn after<'a>(text: &'a str, separator: &str) -> Result<&'a str, InvalidValue> {
    text.strip_prefix(separator).ok_or_else(not_iso)
}

impl FromStr for Date {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Date, InvalidValue> {
        let (year, rest) = digits(text, 4)?;
        let (month, rest) = digits(after(rest, "-")?, 2)?;
        let (day, rest) = digits(after(rest, "-")?, 2)?;
        if !rest.is_empty() {
            return Err(not_iso());
        }
        Date::new(year as u16, month as u8, day as u8)
    }
}

/// Hours, minutes, and then seconds and their fraction if they are there, in microseconds.
fn clock(text: &str) -> Result<(u32, u32, u32, u32), InvalidValue> {
    let (hour, rest) = digits(text, 2)?;
    let (minute, rest) = digits(after(rest, ":")?, 2)?;
    if rest.is_empty() {
        return Ok((hour, minute, 0, 0));
    }
    let (second, rest) = digits(after(rest, ":")?, 2)?;
    if rest.is_empty() {
        return Ok((hour, minute, second, 0));
    }
    let part = after(rest, ".")?;
    let (n, rest) = digits(part, part.len().min(6))?;
    if part.is_empty() || !rest.bytes().all(|b| b.is_ascii_digit()) {
        return Err(not_iso());
    }
    Ok((
        hour,
        minute,
        second,
        n * 10u32.pow(6 - part.len().min(6) as u32),
    ))
}

impl FromStr for Time {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Time, InvalidValue> {
        let (time, zone) = match text.find(['+', '-', 'Z']) {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let (hour, minute, second, microsecond) = clock(time)?;
        let time = Time::new(hour as u8, minute as u8, second as u8, microsecond)?;
        let zone = match zone {
            "" => return Ok(time),
            "Z" => TimeZone::UTC,
            _ => {
                let (hours, minutes, seconds, micros) = clock(&zone[1..])?;
                let total = (i64::from(hours) * 60 + i64::from(minutes)) * 60 + i64::from(seconds);
                let sign = if zone.starts_with('-') { -1 } else { 1 };
                TimeZone::fixed(TimeDelta::new(0, sign * total, sign * i64::from(micros))?)?
            }
        };
        Ok(time.with_zone(Some(zone)))
    }
}

impl FromStr for DateTime {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<DateTime, InvalidValue> {
        let date = text.get(..10).ok_or_else(not_iso)?.parse()?;
        let rest = &text[10..];
        if rest.is_empty() {
            // A date alone is midnight.
            return Ok(DateTime::new(date, Time::new(0, 0, 0, 0)?));
        }
        let time = rest.strip_prefix(['T', ' ']).ok_or_else(not_iso)?.parse()?;
        Ok(DateTime::new(date, time))
    }
}
