//! The local time zone: from the compiled-in IANA data by name, or from a POSIX `TZ` text.
//!
//! The data of a zone (TZif, RFC 8536) is a list of moments at which the clocks change, and a POSIX text for what comes after the last of them.

/// What the clocks of a place show at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offset {
    /// Seconds east of Greenwich.
    pub(crate) seconds: i64,
    /// Whether it is summer time.
    pub(crate) dst: bool,
    /// The abbreviation.
    pub(crate) name: String,
}

/// A day of the year on which the clocks change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    /// `Jn`: 1 to 365, without leap days.
    Julian(i64),
    /// `n`: 0 to 365.
    Zero(i64),
    /// `Mm.w.d`
    Month { month: i64, week: i64, day: i64 },
}

/// The rule of a POSIX text: standard time, and summer time from one moment of the year to another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    standard: Offset,
    summer: Option<(Offset, Change, Change)>,
}

/// When the clocks are changed: the day, and the seconds after its beginning.
type Change = (Day, i64);

/// A time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Zone {
    /// Moments and the index of the kind from then on.
    changes: Vec<(i64, usize)>,
    kinds: Vec<Offset>,
    /// After the last change; always when there are none.
    rule: Option<Rule>,
}

impl Zone {
    /// The zone of that name, or that a POSIX text describes.
    pub(crate) fn find(text: &str) -> Option<Zone> {
        if text.len() > 200 {
            return None;
        }
        if let Some(data) = crate::modules::tzdata::read(text) {
            return parse_tzif(data);
        }
        let rule = parse_posix(text)?;
        Some(Zone {
            changes: Vec::new(),
            kinds: Vec::new(),
            rule: Some(rule),
        })
    }

    /// What the clocks show at `at`, in seconds since the epoch.
    pub(crate) fn at(&self, at: i64) -> Offset {
        let after = self.changes.partition_point(|(moment, _)| *moment <= at);
        if after == self.changes.len()
            && let Some(rule) = &self.rule
        {
            return rule.at(at);
        }
        let kind = match after.checked_sub(1) {
            Some(before) => self.changes.get(before).map(|(_, kind)| *kind),
            // Before the first change: the first kind that is not summer time.
            None => Some(self.kinds.iter().position(|k| !k.dst).unwrap_or(0)),
        };
        kind.and_then(|kind| self.kinds.get(kind))
            .cloned()
            .unwrap_or_else(utc)
    }

    /// Seconds since the epoch of what the clocks show. `dst`: 0 or 1 says which of two readings is meant (or that of the other kind of time),
    /// negative leaves it open.
    pub(crate) fn seconds(&self, shown: i64, dst: i64) -> i64 {
        // A day on either side knows both offsets around a change.
        let (before, after) = (
            self.at(shown.saturating_sub(86_400)),
            self.at(shown.saturating_add(86_400)),
        );
        let mut fitting = Vec::new();
        for offset in [&before, &after] {
            let moment = shown.saturating_sub(offset.seconds);
            let there = self.at(moment);
            if there.seconds == offset.seconds {
                fitting.push((moment, there.dst));
            }
        }
        if dst >= 0 {
            let wanted = dst > 0;
            if let Some((moment, _)) = fitting.iter().find(|(_, dst)| *dst == wanted) {
                return *moment;
            }
            // The other kind of time, as C's library reads it.
            if let Some(other) = [&before, &after].into_iter().find(|o| o.dst == wanted) {
                return shown.saturating_sub(other.seconds);
            }
        }
        match fitting.first() {
            Some((moment, _)) => *moment,
            // The clocks skipped it.
            None => shown.saturating_sub(before.seconds),
        }
    }

    /// Standard time and summer time, as `time.tzname` and its neighbours have them in the year of `now`.
    pub(crate) fn both(&self, now: i64) -> (Offset, Option<Offset>) {
        const HALF_YEAR: i64 = 182 * 86_400;
        let mut standard = None;
        let mut summer = None;
        for months in [0, 1, -1] {
            let there = self.at(now.saturating_add(months * HALF_YEAR));
            if there.dst {
                summer.get_or_insert(there);
            } else {
                standard.get_or_insert(there);
            }
        }
        (standard.unwrap_or_else(utc), summer)
    }
}

/// Universal time.
pub(crate) fn utc() -> Offset {
    Offset {
        seconds: 0,
        dst: false,
        name: "UTC".to_owned(),
    }
}

impl Rule {
    fn at(&self, at: i64) -> Offset {
        let Some((summer, start, end)) = &self.summer else {
            return self.standard.clone();
        };
        let year =
            super::calendar::Broken::of_seconds(at.saturating_add(self.standard.seconds)).year;
        let start = moment(year, *start) - self.standard.seconds;
        let end = moment(year, *end) - summer.seconds;
        let inside = if start <= end {
            (start..end).contains(&at)
        } else {
            // South of the equator.
            !(end..start).contains(&at)
        };
        if inside {
            summer.clone()
        } else {
            self.standard.clone()
        }
    }
}

/// Local seconds of a change in a year.
fn moment(year: i64, (day, time): (Day, i64)) -> i64 {
    let first = super::calendar::days_of(year, 1, 1);
    let leap = super::calendar::days_of(year + 1, 1, 1) - first == 366;
    let days = match day {
        Day::Julian(n) => first + n - 1 + i64::from(leap && n >= 60),
        Day::Zero(n) => first + n,
        Day::Month { month, week, day } => {
            let start = super::calendar::days_of(year, month, 1);
            let (next_year, next_month) = if month == 12 {
                (year + 1, 1)
            } else {
                (year, month + 1)
            };
            let length = super::calendar::days_of(next_year, next_month, 1) - start;
            // Days since the epoch began on a Thursday.
            let first_weekday = (start + 4).rem_euclid(7);
            let mut at = (day - first_weekday).rem_euclid(7) + (week - 1) * 7;
            if at >= length {
                at -= 7;
            }
            start + at
        }
    };
    days * 86_400 + time
}

/// A POSIX `TZ` text, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
fn parse_posix(text: &str) -> Option<Rule> {
    let mut rest = text.strip_prefix(':').unwrap_or(text);
    let name = posix_name(&mut rest)?;
    let seconds = -posix_time(&mut rest)?;
    let standard = Offset {
        seconds,
        dst: false,
        name,
    };
    if rest.is_empty() {
        return Some(Rule {
            standard,
            summer: None,
        });
    }
    let name = posix_name(&mut rest)?;
    let seconds = if rest.starts_with(',') || rest.is_empty() {
        standard.seconds + 3600
    } else {
        -posix_time(&mut rest)?
    };
    let summer = Offset {
        seconds,
        dst: true,
        name,
    };
    let (start, end) = if rest.is_empty() {
        // What C's library takes when nothing is said: the rule of the United States.
        (posix_change(&mut "M3.2.0")?, posix_change(&mut "M11.1.0")?)
    } else {
        rest = rest.strip_prefix(',')?;
        let start = posix_change(&mut rest)?;
        rest = rest.strip_prefix(',')?;
        (start, posix_change(&mut rest)?)
    };
    rest.is_empty().then_some(Rule {
        standard,
        summer: Some((summer, start, end)),
    })
}

fn posix_name(rest: &mut &str) -> Option<String> {
    let (name, after) = match rest.strip_prefix('<') {
        Some(quoted) => {
            let end = quoted.find('>')?;
            (&quoted[..end], &quoted[end + 1..])
        }
        None => {
            let end = rest
                .find(|c: char| !c.is_ascii_alphabetic())
                .unwrap_or(rest.len());
            rest.split_at(end)
        }
    };
    let fine = (3..=16).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-'));
    *rest = after;
    fine.then(|| name.to_owned())
}

fn posix_number(rest: &mut &str, most: i64) -> Option<i64> {
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    *rest = after;
    let n = digits.get(..end.min(4))?.parse().ok()?;
    (end <= 3 && n <= most).then_some(n)
}

/// `[+-]hh[:mm[:ss]]` in seconds.
fn posix_time(rest: &mut &str) -> Option<i64> {
    let sign = match rest.as_bytes().first()? {
        b'-' => -1,
        _ => 1,
    };
    *rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let mut total = posix_number(rest, 167)? * 3600;
    for unit in [60, 1] {
        let Some(after) = rest.strip_prefix(':') else {
            break;
        };
        *rest = after;
        total += posix_number(rest, 59)? * unit;
    }
    Some(sign * total)
}

/// A day with a time of day.
fn posix_change(rest: &mut &str) -> Option<(Day, i64)> {
    let day = if let Some(after) = rest.strip_prefix('M') {
        *rest = after;
        let month = posix_number(rest, 12)?;
        *rest = rest.strip_prefix('.')?;
        let week = posix_number(rest, 5)?;
        *rest = rest.strip_prefix('.')?;
        let day = posix_number(rest, 6)?;
        if month == 0 || week == 0 {
            return None;
        }
        Day::Month { month, week, day }
    } else if let Some(after) = rest.strip_prefix('J') {
        *rest = after;
        Day::Julian(posix_number(rest, 365).filter(|n| *n > 0)?)
    } else {
        Day::Zero(posix_number(rest, 365)?)
    };
    let time = match rest.strip_prefix('/') {
        Some(after) => {
            *rest = after;
            posix_time(rest)?
        }
        None => 2 * 3600,
    };
    Some((day, time))
}

/// TZif data of version 2 or later.
fn parse_tzif(data: &[u8]) -> Option<Zone> {
    // A block for 32-bit times comes first.
    let first = header(data)?;
    let data = data.get(44 + first.size(4)..)?;
    let counts = header(data)?;
    let body = data.get(44..)?;
    let times = body.get(..counts.times * 8)?;
    let indexes = body.get(counts.times * 8..counts.times * 9)?;
    let types = body.get(counts.times * 9..counts.times * 9 + counts.types * 6)?;
    let names_at = counts.times * 9 + counts.types * 6;
    let names = body.get(names_at..names_at + counts.chars)?;
    let footer = body.get(counts.size(8)..)?;
    let changes = times
        .as_chunks::<8>()
        .0
        .iter()
        .zip(indexes)
        .map(|(t, i)| (i64::from_be_bytes(*t), usize::from(*i)))
        .collect();
    let kinds = types
        .as_chunks::<6>()
        .0
        .iter()
        .map(|[a, b, c, d, dst, name]| {
            let name = names.get(usize::from(*name)..).unwrap_or(&[]);
            let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
            Offset {
                seconds: i64::from(i32::from_be_bytes([*a, *b, *c, *d])),
                dst: *dst != 0,
                name: String::from_utf8_lossy(&name[..end]).into_owned(),
            }
        })
        .collect();
    let rule = str::from_utf8(footer)
        .ok()
        .and_then(|text| parse_posix(text.trim_matches('\n')));
    Some(Zone {
        changes,
        kinds,
        rule,
    })
}

/// What the header of a block says.
struct Counts {
    times: usize,
    types: usize,
    chars: usize,
    others: [usize; 3],
}

impl Counts {
    /// Bytes of the block behind the header, with times of `width` bytes.
    fn size(&self, width: usize) -> usize {
        let [ut, standard, leaps] = self.others;
        self.times * (width + 1) + self.types * 6 + self.chars + leaps * (width + 4) + standard + ut
    }
}

fn header(data: &[u8]) -> Option<Counts> {
    let head = data.get(..44)?;
    if !head.starts_with(b"TZif") {
        return None;
    }
    let count = |at: usize| {
        head.get(20 + at * 4..24 + at * 4)
            .and_then(|b| b.try_into().ok())
            .map(|b| u32::from_be_bytes(b) as usize)
    };
    Some(Counts {
        others: [count(0)?, count(1)?, count(2)?],
        times: count(3)?,
        types: count(4)?,
        chars: count(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(zone: &Zone, at: i64) -> (i64, bool, String) {
        let o = zone.at(at);
        (o.seconds, o.dst, o.name)
    }

    #[test]
    fn zones_by_name_know_summer_time_now_and_later() {
        let berlin = Zone::find("Europe/Berlin").unwrap();
        // 2026-01-15 and 2026-07-15, noon.
        assert_eq!(shown(&berlin, 1_768_478_400), (3600, false, "CET".into()));
        assert_eq!(shown(&berlin, 1_784_116_800), (7200, true, "CEST".into()));
        // 2050-07-01: beyond the table.
        assert_eq!(shown(&berlin, 2_540_246_400), (7200, true, "CEST".into()));
        // 1900
        assert_eq!(shown(&berlin, -2_200_000_000).0, 3600);
        assert_eq!(shown(&Zone::find("Asia/Kolkata").unwrap(), 0).0, 19_800);
        assert!(Zone::find("Europe/Atlantis").is_none());
        assert!(Zone::find("").is_none());
    }

    #[test]
    fn posix_texts() {
        let zone = Zone::find("EST5EDT,M3.2.0,M11.1.0").unwrap();
        assert_eq!(shown(&zone, 1_768_478_400), (-18_000, false, "EST".into()));
        assert_eq!(shown(&zone, 1_784_116_800), (-14_400, true, "EDT".into()));
        let south = Zone::find("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0").unwrap();
        assert_eq!(shown(&south, 1_768_478_400), (39_600, true, "+11".into()));
        assert_eq!(shown(&south, 1_784_116_800).0, 37_800);
        assert_eq!(shown(&Zone::find("XYZ3").unwrap(), 0).0, -10_800);
        for bad in ["X", "XYZ", "XYZ3ABC,M1", "XYZ3,", "EST5EDT,M13.1.0,M1.1.0"] {
            assert!(Zone::find(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn what_the_clocks_show_is_found_again() {
        let berlin = Zone::find("Europe/Berlin").unwrap();
        for at in (1_700_000_000..1_760_000_000).step_by(86_400 * 3 + 1_234) {
            let offset = berlin.at(at);
            assert_eq!(berlin.seconds(at + offset.seconds, -1), at);
        }
        // 2026-10-25 02:30 happens twice.
        let shown = 1_792_895_400;
        assert_eq!(berlin.seconds(shown, 1), shown - 7200);
        assert_eq!(berlin.seconds(shown, 0), shown - 3600);
    }
}
