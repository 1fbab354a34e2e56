//! Days, weeks and clock readings of the proleptic Gregorian calendar, and the values made of them. Knows no objects.

use crate::modules::time::calendar::{date_of, days_of};

/// The ordinal of 1970-01-01; 0001-01-01 has ordinal 1.
pub(super) const EPOCH: i64 = 719_163;
/// The ordinal of 9999-12-31.
pub(super) const MAX_ORDINAL: i64 = 3_652_059;
/// The years that a date can have.
pub(super) const MIN_YEAR: i64 = 1;
/// See [`MIN_YEAR`].
pub(super) const MAX_YEAR: i64 = 9999;
/// Microseconds of a second.
pub(super) const SECOND: i64 = 1_000_000;
/// Seconds of a day.
pub(super) const DAY_SECONDS: i64 = 86_400;

/// Year, month and day. Restored from a pickle, the year and the day may be any number that fits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Ymd {
    pub(super) year: u16,
    pub(super) month: u8,
    pub(super) day: u8,
}

/// A reading of the clock. Restored from a pickle, minutes and what is below may be any number that fits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Clock {
    pub(super) hour: u8,
    pub(super) minute: u8,
    pub(super) second: u8,
    pub(super) microsecond: u32,
}

impl Clock {
    /// Midnight.
    pub(super) const ZERO: Clock = Clock {
        hour: 0,
        minute: 0,
        second: 0,
        microsecond: 0,
    };

    /// Seconds since midnight.
    pub(super) fn seconds(self) -> i64 {
        i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second)
    }

    /// The reading a number of seconds and microseconds after midnight, both inside a day.
    pub(super) fn of_seconds(seconds: i64, microsecond: i64) -> Clock {
        Clock {
            hour: (seconds / 3600) as u8,
            minute: (seconds / 60 % 60) as u8,
            second: (seconds % 60) as u8,
            microsecond: microsecond as u32,
        }
    }
}

/// Whether the year has a 29th of February.
pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// How many days the month has.
pub(super) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The day of the week of an ordinal, from Monday (0).
pub(super) fn weekday(ordinal: i64) -> i64 {
    (ordinal + 6).rem_euclid(7)
}

/// The ordinal of the Monday that begins the first week of the ISO year: the week with the year's first Thursday.
fn first_monday(year: i64) -> i64 {
    let new_year = days_of(year, 1, 1) + EPOCH;
    let weekday = weekday(new_year);
    new_year - weekday + if weekday > 3 { 7 } else { 0 }
}

/// What is wrong with the parts of an ISO calendar date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WrongIso {
    Year,
    Week,
    Weekday,
}

/// The ordinal of a day given by ISO year, week and weekday; it may lie behind the last date.
pub(super) fn ordinal_of_iso(year: i64, week: i64, day: i64) -> Result<i64, WrongIso> {
    if !(MIN_YEAR..=MAX_YEAR).contains(&year) {
        return Err(WrongIso::Year);
    }
    let long = || first_monday(year + 1) - first_monday(year) == 53 * 7;
    let known = (1..=52).contains(&week) || (week == 53 && long());
    if !known {
        return Err(WrongIso::Week);
    }
    if !(1..=7).contains(&day) {
        return Err(WrongIso::Weekday);
    }
    Ok(first_monday(year) + (week - 1) * 7 + day - 1)
}

impl Ymd {
    /// The days since the day before 0001-01-01.
    pub(super) fn ordinal(self) -> i64 {
        days_of(self.year.into(), self.month.into(), self.day.into()) + EPOCH
    }

    /// The date of an ordinal between 1 and [`MAX_ORDINAL`].
    pub(super) fn of_ordinal(ordinal: i64) -> Option<Ymd> {
        if !(1..=MAX_ORDINAL).contains(&ordinal) {
            return None;
        }
        let (year, month, day) = date_of(ordinal - EPOCH);
        Some(Ymd {
            year: year as u16,
            month: month as u8,
            day: day as u8,
        })
    }

    /// The day of the year, from 1.
    pub(super) fn yearday(self) -> i64 {
        self.ordinal() - EPOCH - days_of(self.year.into(), 1, 1) + 1
    }

    /// Year, week and weekday of ISO 8601.
    pub(super) fn iso(self) -> (i64, i64, i64) {
        let today = self.ordinal();
        let mut year = i64::from(self.year);
        let mut monday = first_monday(year);
        if today < monday {
            year -= 1;
            monday = first_monday(year);
        } else if today - monday >= 52 * 7 && today >= first_monday(year + 1) {
            year += 1;
            monday = first_monday(year);
        }
        let days = today - monday;
        (year, days / 7 + 1, days % 7 + 1)
    }
}

/// A normalised duration: whole days, and a rest that is not negative and below a day.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Span {
    pub(super) days: i32,
    pub(super) seconds: i32,
    pub(super) microseconds: i32,
}

/// Most days of a duration, either way.
pub(super) const MAX_DAYS: i64 = 999_999_999;

/// Why there is no duration of some length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TooLong {
    /// It would have this many days.
    Days(i64),
    /// It would have more days than an `int` of C holds.
    Beyond,
}

impl Span {
    /// No time.
    pub(super) const ZERO: Span = Span {
        days: 0,
        seconds: 0,
        microseconds: 0,
    };

    /// The duration of so many days, seconds and microseconds, none of which is near the limits of 64 bits.
    pub(super) fn new(days: i64, seconds: i64, microseconds: i64) -> Result<Span, TooLong> {
        let seconds = seconds + microseconds.div_euclid(SECOND);
        let days = days + seconds.div_euclid(DAY_SECONDS);
        if days.abs() > MAX_DAYS {
            return Err(match i32::try_from(days) {
                Ok(_) => TooLong::Days(days),
                Err(_) => TooLong::Beyond,
            });
        }
        Ok(Span {
            days: days as i32,
            seconds: seconds.rem_euclid(DAY_SECONDS) as i32,
            microseconds: microseconds.rem_euclid(SECOND) as i32,
        })
    }

    /// The duration of a number of microseconds.
    pub(super) fn of_microseconds(total: i128) -> Result<Span, TooLong> {
        // Division of 64 bits is much cheaper, and nearly always enough.
        if let Ok(total) = i64::try_from(total) {
            return Span::new(0, total.div_euclid(SECOND), total.rem_euclid(SECOND));
        }
        let (second, day) = (i128::from(SECOND), i128::from(DAY_SECONDS));
        let seconds = total.div_euclid(second);
        let Ok(days) = i64::try_from(seconds.div_euclid(day)) else {
            return Err(TooLong::Beyond);
        };
        Span::new(
            days,
            seconds.rem_euclid(day) as i64,
            total.rem_euclid(second) as i64,
        )
    }

    /// Its length in microseconds.
    pub(super) fn total(self) -> i128 {
        i128::from(self.total_seconds()) * i128::from(SECOND) + i128::from(self.microseconds)
    }

    /// Its length in whole seconds, rounded down.
    pub(super) fn total_seconds(self) -> i64 {
        i64::from(self.days) * DAY_SECONDS + i64::from(self.seconds)
    }

    /// The sum of the two.
    pub(super) fn plus(self, other: Span) -> Result<Span, TooLong> {
        Span::new(
            i64::from(self.days) + i64::from(other.days),
            i64::from(self.seconds) + i64::from(other.seconds),
            i64::from(self.microseconds) + i64::from(other.microseconds),
        )
    }

    /// The difference of the two.
    pub(super) fn minus(self, other: Span) -> Result<Span, TooLong> {
        Span::new(
            i64::from(self.days) - i64::from(other.days),
            i64::from(self.seconds) - i64::from(other.seconds),
            i64::from(self.microseconds) - i64::from(other.microseconds),
        )
    }

    /// The duration the other way.
    pub(super) fn negated(self) -> Result<Span, TooLong> {
        Span::ZERO.minus(self)
    }

    /// Whether it is shorter than a day either way, as the distance of a zone from UTC has to be.
    pub(super) fn is_offset(self) -> bool {
        self.days == 0 || (self.days == -1 && (self.seconds, self.microseconds) > (0, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_and_iso_dates_agree() {
        for ordinal in (1..=MAX_ORDINAL).step_by(53) {
            let date = Ymd::of_ordinal(ordinal).unwrap();
            assert_eq!(date.ordinal(), ordinal);
            let (year, week, day) = date.iso();
            if year >= 1 {
                assert_eq!(ordinal_of_iso(year, week, day), Ok(ordinal));
            }
            assert_eq!(day - 1, weekday(ordinal));
        }
        assert_eq!(Ymd::of_ordinal(0), None);
        assert_eq!(Ymd::of_ordinal(MAX_ORDINAL + 1), None);
        assert_eq!(ordinal_of_iso(2021, 53, 1), Err(WrongIso::Week));
        assert_eq!(ordinal_of_iso(2020, 53, 8), Err(WrongIso::Weekday));
    }

    #[test]
    fn spans_are_normalised() {
        let span = Span::of_microseconds(-1).unwrap();
        assert_eq!(
            (span.days, span.seconds, span.microseconds),
            (-1, 86_399, 999_999)
        );
        assert_eq!(span.total(), -1);
        let longest = Span::new(MAX_DAYS, 86_399, 999_999).unwrap();
        assert_eq!(Span::of_microseconds(longest.total()), Ok(longest));
        assert_eq!(longest.plus(longest), Err(TooLong::Days(1_999_999_999)));
        assert_eq!(Span::of_microseconds(i128::MAX), Err(TooLong::Beyond));
    }
}
