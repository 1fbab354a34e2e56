//! Days and dates of the proleptic Gregorian calendar, after Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".

/// A broken-down time. Years as written, months from 1, the day of the week from Monday (0), the day of the year from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    pub(crate) weekday: i64,
    pub(crate) yearday: i64,
    pub(crate) dst: i64,
}

/// Days from 1970-01-01 to a date.
pub(crate) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a number of days from 1970-01-01.
pub(crate) fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * of_era + of_era / 4 - of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (of_era + era * 400 + i64::from(month <= 2), month, day)
}

impl Broken {
    /// The time of a number of seconds from the epoch, in UTC.
    pub(crate) fn of_seconds(seconds: i64) -> Broken {
        let days = seconds.div_euclid(86_400);
        let rest = seconds.rem_euclid(86_400);
        let (year, month, day) = date_of(days);
        Broken {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 3).rem_euclid(7),
            yearday: days - days_of(year, 1, 1) + 1,
            dst: 0,
        }
    }

    /// Seconds from the epoch; fields out of range carry over, as `mktime` has it. None when the result is too large.
    pub(crate) fn seconds(&self) -> Option<i64> {
        let months = self.month.checked_sub(1)?;
        let year = self
            .year
            .checked_add(months.div_euclid(12))
            .filter(|y| y.abs() < 1 << 40)?;
        let days = days_of(year, months.rem_euclid(12) + 1, 1)
            .checked_add(self.day)?
            .checked_sub(1)?;
        let hours = days.checked_mul(24)?.checked_add(self.hour)?;
        hours
            .checked_mul(60)?
            .checked_add(self.minute)?
            .checked_mul(60)?
            .checked_add(self.second)
    }

    /// Year and week of ISO 8601.
    pub(crate) fn iso_week(&self) -> (i64, i64) {
        let week = (self.yearday - 1 - self.weekday + 10) / 7;
        let weeks_in = |year: i64| {
            // A year has 53 weeks when it begins or ends on a Thursday.
            let first = (days_of(year, 1, 1) + 3).rem_euclid(7);
            let last = (days_of(year, 12, 31) + 3).rem_euclid(7);
            if first == 3 || last == 3 { 53 } else { 52 }
        };
        match week {
            w if w < 1 => (self.year - 1, weeks_in(self.year - 1)),
            w if w > weeks_in(self.year) => (self.year + 1, 1),
            w => (self.year, w),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_days_agree() {
        for days in (-800_000..800_000).step_by(97) {
            let (year, month, day) = date_of(days);
            assert_eq!(days_of(year, month, day), days);
        }
        assert_eq!(date_of(0), (1970, 1, 1));
        let t = Broken::of_seconds(951_782_400);
        assert_eq!(
            (t.year, t.month, t.day, t.weekday, t.yearday),
            (2000, 2, 29, 1, 60)
        );
        assert_eq!(t.seconds(), Some(951_782_400));
        assert_eq!(Broken::of_seconds(1_609_459_200).iso_week(), (2020, 53));
    }
}
