//! Texts of dates and times: ISO 8601, `ctime`, and `strftime` with what its format adds to that of C.

use super::calendar::{Clock, Span, Ymd, weekday};
use super::delta::span_of;
use super::zone;
use crate::modules::time::calendar::Broken;
use crate::modules::time::format;
use crate::names;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::{R, Vm};

/// A date as `YYYY-MM-DD`.
pub(super) fn date(d: Ymd) -> String {
    format!("{:04}-{:02}-{:02}", d.year, d.month, d.day)
}

/// A distance from UTC as `+HH:MM[:SS[.ffffff]]`, with this separator.
pub(super) fn offset(offset: Span, separator: &str) -> String {
    let (sign, length) = if offset.days < 0 {
        ('-', offset.negated().unwrap_or(offset))
    } else {
        ('+', offset)
    };
    let (hours, minutes, seconds) = (
        length.seconds / 3600,
        length.seconds / 60 % 60,
        length.seconds % 60,
    );
    let mut out = format!("{sign}{hours:02}{separator}{minutes:02}");
    if seconds != 0 || length.microseconds != 0 {
        out.push_str(&format!("{separator}{seconds:02}"));
    }
    if length.microseconds != 0 {
        out.push_str(&format!(".{:06}", length.microseconds));
    }
    out
}

/// The distance of a zone from UTC as text; empty when there is none.
pub(super) fn zone_offset(vm: &mut Vm, zone: &Value, of: &Value, separator: &str) -> R<String> {
    let span = zone::ask_span(vm, zone, of)?;
    Ok(span.map_or(String::new(), |s| offset(s, separator)))
}

/// How much of the clock `isoformat` shows.
#[derive(Clone, Copy)]
pub(super) enum TimeSpec {
    Auto,
    Hours,
    Minutes,
    Seconds,
    Milliseconds,
    Microseconds,
}

impl TimeSpec {
    /// The argument `timespec`; `function` and `place` tell which it is.
    pub(super) fn of_arg(vm: &mut Vm, v: Option<&Value>, place: usize) -> R<TimeSpec> {
        let Some(v) = v else {
            return Ok(TimeSpec::Auto);
        };
        let Some(text) = v.as_ref::<Str>() else {
            return Err(vm.type_error(format!(
                "isoformat() argument {place} must be str, not {}",
                vm.arg_class_name(v)
            )));
        };
        vm.check_encodable(text)?;
        match text.as_bytes() {
            b"auto" => Ok(TimeSpec::Auto),
            b"hours" => Ok(TimeSpec::Hours),
            b"minutes" => Ok(TimeSpec::Minutes),
            b"seconds" => Ok(TimeSpec::Seconds),
            b"milliseconds" => Ok(TimeSpec::Milliseconds),
            b"microseconds" => Ok(TimeSpec::Microseconds),
            bytes if bytes.contains(&0) => Err(vm.value_error("embedded null character")),
            _ => Err(vm.value_error("Unknown timespec value")),
        }
    }

    /// The reading as text.
    pub(super) fn show(self, c: Clock) -> String {
        let (h, m, s, us) = (c.hour, c.minute, c.second, c.microsecond);
        match self {
            TimeSpec::Hours => format!("{h:02}"),
            TimeSpec::Minutes => format!("{h:02}:{m:02}"),
            TimeSpec::Auto if us == 0 => format!("{h:02}:{m:02}:{s:02}"),
            TimeSpec::Seconds => format!("{h:02}:{m:02}:{s:02}"),
            TimeSpec::Milliseconds => format!("{h:02}:{m:02}:{s:02}.{:03}", us / 1000),
            TimeSpec::Auto | TimeSpec::Microseconds => format!("{h:02}:{m:02}:{s:02}.{us:06}"),
        }
    }
}

/// The text that `ctime` gives.
pub(super) fn ctime(d: Ymd, c: Clock) -> String {
    let day = &format::day_name(weekday(d.ordinal()))[..3];
    let month = &format::month_name(d.month.into())[..3];
    format!(
        "{day} {month} {:2} {:02}:{:02}:{:02} {:04}",
        d.day, c.hour, c.minute, c.second, d.year
    )
}

/// The time that is formatted: a broken-down one, or the tuple that a subclass gave.
pub(super) enum Subject {
    Broken(Broken),
    Tuple(Value),
}

impl Subject {
    /// What `time.strftime` makes of it.
    fn format(&self, vm: &mut Vm, pattern: &[u8]) -> R {
        match self {
            Subject::Broken(t) => {
                let mut out = Vec::new();
                let zone = format::Zone {
                    name: "UTC",
                    offset: 0,
                };
                format::format(&mut out, pattern, t, &zone);
                Ok(Str::value_wtf8(&out))
            }
            Subject::Tuple(tuple) => {
                let time = vm.import_module("time")?;
                let f = vm.get_attr(&time, &Str::value("strftime"))?;
                vm.call(&f, &[Str::value_wtf8(pattern), tuple.clone()])
            }
        }
    }

    fn year(&self, vm: &mut Vm) -> R<i64> {
        match self {
            Subject::Broken(t) => Ok(t.year),
            Subject::Tuple(tuple) => {
                let year = vm.get_item(tuple, &Value::small_int(0))?;
                vm.index_i64(&year)
            }
        }
    }

    fn iso_year(&self, vm: &mut Vm) -> R<i64> {
        if let Subject::Broken(t) = self {
            return Ok(t.iso_week().0);
        }
        let text = self.format(vm, b"%G")?;
        let year = text.as_ref::<Str>().and_then(|s| s.to_text().parse().ok());
        Ok(year.unwrap_or(0))
    }
}

/// What `strftime` knows beside the broken-down time.
pub(super) struct Extras<'a> {
    /// The zone, or `None`.
    pub(super) zone: &'a Value,
    /// What the zone is asked about.
    pub(super) of: &'a Value,
    pub(super) microsecond: u32,
}

/// `strftime`: `%f`, `%z`, `%:z` and `%Z` are replaced here, and years of less than four digits filled up; the rest is C's.
pub(super) fn strftime(vm: &mut Vm, pattern: &Str, subject: &Subject, extras: &Extras) -> R {
    let source = pattern.as_bytes();
    let mut out = Vec::with_capacity(source.len());
    let mut at = 0;
    while let Some(&b) = source.get(at) {
        let code = source.get(at + 1).copied();
        let (length, piece) = match code {
            _ if b != b'%' => (1, None),
            Some(b'f') => (2, Some(format!("{:06}", extras.microsecond))),
            Some(b'z') => (2, Some(zone_offset(vm, extras.zone, extras.of, "")?)),
            Some(b':') if source.get(at + 2) == Some(&b'z') => {
                (3, Some(zone_offset(vm, extras.zone, extras.of, ":")?))
            }
            Some(b'Z') => {
                out.extend_from_slice(&escaped_name(vm, extras)?);
                (2, Some(String::new()))
            }
            Some(code @ (b'Y' | b'G' | b'F' | b'C')) => {
                let year = subject.year(vm)?;
                let piece = if year < 1000 {
                    Some(short_year(vm, code, year, subject)?)
                } else {
                    None
                };
                (2, piece)
            }
            Some(_) => (2, None),
            None => (1, None),
        };
        match piece {
            Some(piece) => out.extend_from_slice(piece.as_bytes()),
            None => out.extend_from_slice(&source[at..at + length]),
        }
        at += length;
    }
    subject.format(vm, &out)
}

/// The name of the zone with its `%` doubled: it is no format.
fn escaped_name(vm: &mut Vm, extras: &Extras) -> R<Vec<u8>> {
    let name = zone::ask_name(vm, extras.zone, extras.of)?;
    let name = if name.is_exact::<Str>() || name.is_none() {
        name
    } else {
        // A subclass of `str` may replace in its own way.
        let doubled = [Str::value("%"), Str::value("%%")];
        let name = vm.call_method(&name, &names::intern("replace"), &doubled)?;
        return match name.as_ref::<Str>() {
            Some(name) => Ok(name.as_bytes().to_vec()),
            None => Err(vm.type_error("tzname.replace() did not return a string")),
        };
    };
    let mut out = Vec::new();
    if let Some(name) = name.as_ref::<Str>() {
        for &b in name.as_bytes() {
            out.push(b);
            if b == b'%' {
                out.push(b);
            }
        }
    }
    Ok(out)
}

fn short_year(vm: &mut Vm, code: u8, year: i64, subject: &Subject) -> R<String> {
    Ok(match code {
        b'G' => format!("{:04}", subject.iso_year(vm)?),
        b'F' => format!("{year:04}-%m-%d"),
        b'C' => {
            let mut text = format!("{year:04}");
            text.truncate(text.len() - 2);
            text
        }
        _ => format!("{year:04}"),
    })
}

/// The daylight saving flag of a time tuple: whether the zone has it in force, -1 when nobody knows.
pub(super) fn dst_flag(vm: &mut Vm, zone: &Value, of: &Value) -> R<i64> {
    if zone.is_none() {
        return Ok(-1);
    }
    let answer = zone::ask_offset(vm, zone, "dst", of)?;
    Ok(span_of(&answer).map_or(-1, |s| i64::from(s != Span::ZERO)))
}
