//! Arguments of the constructors: binding in the order and the words of CPython's, conversion to numbers, ranges.

use super::calendar::{Clock, MAX_YEAR, MIN_YEAR, Ymd, days_in_month};
use super::zone::Zone;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};

/// Parameters of a constructor. Each argument is converted before the next one is looked for, so that the first fault is the one told.
pub(super) struct Signature {
    /// What messages call the function; empty for none.
    pub(super) name: &'static str,
    /// The parameters; those behind [`Signature::positional`] go by name only.
    pub(super) params: &'static [&'static str],
    /// How many are required.
    pub(super) required: usize,
    /// How many can be given by position.
    pub(super) positional: usize,
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

impl Signature {
    fn label(&self) -> String {
        if self.name.is_empty() {
            "function".to_owned()
        } else {
            format!("{}()", self.name)
        }
    }

    #[cold]
    fn too_many(&self, vm: &mut Vm, args: Args) -> Raised {
        let (label, given, n) = (self.label(), args.values().len(), args.positional().len());
        let text = if given > self.params.len() {
            let most = self.params.len();
            let word = if n == 0 { "keyword " } else { "" };
            format!(
                "{label} takes at most {most} {word}argument{} ({given} given)",
                plural(most)
            )
        } else {
            let most = self.positional;
            let word = if self.required == most {
                "exactly"
            } else {
                "at most"
            };
            format!(
                "{label} takes {word} {most} positional argument{} ({n} given)",
                plural(most)
            )
        };
        vm.type_error(text)
    }

    #[cold]
    fn unexpected(&self, vm: &mut Vm, args: Args) -> Raised {
        let label = self.label();
        for (i, name) in self.params.iter().enumerate().take(args.positional().len()) {
            if args
                .keywords()
                .any(|(n, _)| n.as_bytes() == name.as_bytes())
            {
                return vm.type_error(format!(
                    "argument for {label} given by name ('{name}') and position ({})",
                    i + 1
                ));
            }
        }
        let unknown = args
            .keywords()
            .find(|(n, _)| self.params.iter().all(|p| p.as_bytes() != n.as_bytes()))
            .map(|(n, _)| n.to_text().into_owned())
            .unwrap_or_default();
        let label = if self.name.is_empty() {
            "this function".to_owned()
        } else {
            label
        };
        vm.type_error(format!(
            "{label} got an unexpected keyword argument '{unknown}'"
        ))
    }

    /// Calls `take` with the number and the value of each argument that is given.
    pub(super) fn each(
        &self,
        vm: &mut Vm,
        args: Args,
        mut take: impl FnMut(&mut Vm, usize, &Value) -> R<()>,
    ) -> R<()> {
        let positional = args.positional();
        if args.values().len() > self.params.len() || positional.len() > self.positional {
            return Err(self.too_many(vm, args));
        }
        let mut named = 0;
        for (i, name) in self.params.iter().enumerate() {
            if let Some(v) = positional.get(i) {
                take(vm, i, v)?;
                continue;
            }
            let by_name = args
                .keywords()
                .find(|(n, _)| n.as_bytes() == name.as_bytes());
            match by_name {
                Some((_, v)) => {
                    named += 1;
                    take(vm, i, v)?;
                }
                None if i < self.required => {
                    let label = self.label();
                    return Err(vm.type_error(format!(
                        "{label} missing required argument '{name}' (pos {})",
                        i + 1
                    )));
                }
                None => {}
            }
        }
        if named < args.names().len() {
            return Err(self.unexpected(vm, args));
        }
        Ok(())
    }
}

/// An argument that is an `int` of C, as constructors take it.
pub(super) fn int_arg(vm: &mut Vm, v: &Value) -> R<i64> {
    if let Some(i) = v.as_small_int()
        && i32::try_from(i).is_ok()
    {
        return Ok(i);
    }
    let i = vm.index(v)?;
    match i.as_int().and_then(|i| i.to_i64()) {
        Some(i) if i > i64::from(i32::MAX) => {
            Err(vm.overflow_error("signed integer is greater than maximum"))
        }
        Some(i) if i < i64::from(i32::MIN) => {
            Err(vm.overflow_error("signed integer is less than minimum"))
        }
        Some(i) => Ok(i),
        None => Err(vm.overflow_error("Python int too large to convert to C long")),
    }
}

/// An argument that is an `int` of C, as `replace` takes it; `default` when it is missing.
pub(super) fn int_or(vm: &mut Vm, v: Option<&Value>, default: i64) -> R<i64> {
    let Some(v) = v else { return Ok(default) };
    let i = vm.index(v)?;
    match i.as_int().and_then(|i| i.to_i64()) {
        Some(i) if i32::try_from(i).is_ok() => Ok(i),
        _ => Err(vm.overflow_error("Python int too large to convert to C int")),
    }
}

/// Year, month and day as a date, if there is such a day.
pub(super) fn check_date(vm: &mut Vm, year: i64, month: i64, day: i64) -> R<Ymd> {
    if !(MIN_YEAR..=MAX_YEAR).contains(&year) {
        return Err(wrong_year(vm, year));
    }
    if !(1..=12).contains(&month) {
        return Err(vm.value_error(format!("month must be in 1..12, not {month}")));
    }
    let last = days_in_month(year, month);
    if !(1..=last).contains(&day) {
        return Err(vm.value_error(format!(
            "day {day} must be in range 1..{last} for month {month} in year {year}"
        )));
    }
    Ok(Ymd {
        year: year as u16,
        month: month as u8,
        day: day as u8,
    })
}

/// The error for a year that no date has.
#[cold]
pub(super) fn wrong_year(vm: &mut Vm, year: i64) -> Raised {
    vm.value_error(format!(
        "year must be in {MIN_YEAR}..{MAX_YEAR}, not {year}"
    ))
}

/// Hour, minute, second, microsecond and fold, if a clock can show them.
pub(super) fn check_clock(vm: &mut Vm, parts: [i64; 4], fold: i64) -> R<(Clock, u8)> {
    let [hour, minute, second, microsecond] = parts;
    let wrong = |what: &str, last: i64, value: i64| {
        (!(0..=last).contains(&value)).then(|| format!("{what} must be in 0..{last}, not {value}"))
    };
    let fault = wrong("hour", 23, hour)
        .or_else(|| wrong("minute", 59, minute))
        .or_else(|| wrong("second", 59, second))
        .or_else(|| wrong("microsecond", 999_999, microsecond));
    if let Some(text) = fault {
        return Err(vm.value_error(text));
    }
    if !(0..=1).contains(&fold) {
        return Err(vm.value_error(format!("fold must be either 0 or 1, not {fold}")));
    }
    let clock = Clock {
        hour: hour as u8,
        minute: minute as u8,
        second: second as u8,
        microsecond: microsecond as u32,
    };
    Ok((clock, fold as u8))
}

/// Makes sure that the value is `None` or a time zone.
pub(super) fn check_zone(vm: &mut Vm, v: &Value) -> R<()> {
    if v.is_none() || v.is::<Zone>() {
        return Ok(());
    }
    Err(vm.type_error(format!(
        "tzinfo argument must be None or of a tzinfo subclass, not type '{}'",
        class_of(v).name()
    )))
}
