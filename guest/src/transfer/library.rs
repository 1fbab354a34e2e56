//! Objects of the library's types: dates and times, decimals, fractions, paths, UUIDs.
//!
//! A type is known by the class object in its module, if that is imported: without it there is no such object. Fields are read through
//! that class, where they lie if it is written in Python, so that what a subclass of the program's does to them does not matter. Where code
//! of the library has to run, as for the text of a path, only objects of exactly its class are taken.

use super::encode::Encoder;
use super::refusal::{Outcome, refuse};
use super::tag;
use crate::heap::{Kind, Ref};
use crate::modules::decimal::Decimal;
use crate::names;
use crate::objects::module::Module;
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::ops::class_of;

/// What the walk knows of the library so far.
#[derive(Default)]
pub(super) struct Classes {
    /// Module, name and what stands there.
    found: Vec<(&'static str, &'static str, Option<Value>)>,
}

type Write = fn(&mut Encoder<'_>, &Ref<Type>, &Value) -> Outcome;

/// Module, class, and how an instance is written.
const KINDS: &[(&str, &str, Write)] = &[
    ("datetime", "datetime", |e, class, value| {
        e.date_time(class, value)
    }),
    ("datetime", "date", |e, class, value| {
        e.out.tag(tag::DATE)?;
        e.out.array_head(3)?;
        e.numbers(class, value, &["year", "month", "day"])
    }),
    ("datetime", "time", |e, class, value| e.time(class, value)),
    ("datetime", "timedelta", |e, class, value| {
        e.out.tag(tag::TIME_DELTA)?;
        e.out.array_head(3)?;
        e.numbers(class, value, &["days", "seconds", "microseconds"])
    }),
    ("datetime", "timezone", |e, _, value| e.zone(value, None)),
    ("zoneinfo", "ZoneInfo", |e, _, value| e.zone(value, None)),
    ("decimal", "Decimal", |e, _, value| {
        let text = e.decimal_text(value)?;
        e.out.tag(tag::DECIMAL)?;
        e.out.text(&text)
    }),
    ("fractions", "Fraction", |e, class, value| {
        e.out.tag(tag::FRACTION)?;
        e.out.array_head(2)?;
        e.numbers(class, value, &["numerator", "denominator"])
    }),
    ("uuid", "UUID", |e, class, value| {
        let number = e.read(class, value, "int")?;
        let bytes = number
            .as_int()
            .filter(|n| !n.is_negative())
            .map(|n| n.as_big().magnitude().to_bytes_be())
            .filter(|bytes| bytes.len() <= 16);
        let Some(bytes) = bytes else {
            return refuse("a UUID is not a number of 128 bits");
        };
        let mut all = [0; 16];
        all[16 - bytes.len()..].copy_from_slice(&bytes);
        e.out.tag(tag::UUID)?;
        e.out.bytes(&all)
    }),
    ("pathlib", "PosixPath", |e, class, value| {
        e.path("PosixPath", class, value)
    }),
    ("pathlib", "PurePosixPath", |e, class, value| {
        e.path("PurePosixPath", class, value)
    }),
    ("pathlib", "PureWindowsPath", |e, class, value| {
        e.path("PureWindowsPath", class, value)
    }),
];

impl Encoder<'_> {
    /// What stands under a name in a module of the library, if the module is imported.
    pub(super) fn library_value(
        &mut self,
        module: &'static str,
        name: &'static str,
    ) -> Option<Value> {
        let known = self
            .classes
            .found
            .iter()
            .find(|(m, n, _)| *m == module && *n == name);
        if let Some((_, _, known)) = known {
            return known.clone();
        }
        let found = self
            .vm
            .modules
            .get_str(self.vm, &names::intern(module))
            .and_then(|m| m.as_ref::<Module>())
            .and_then(|m| m.dict.get_str(self.vm, &names::intern(name)))
            .cloned();
        self.classes.found.push((module, name, found.clone()));
        found
    }

    /// A class of a module of the library, if the module is imported.
    pub(super) fn library_class(
        &mut self,
        module: &'static str,
        name: &'static str,
    ) -> Option<Ref<Type>> {
        self.library_value(module, name)?.into_ref::<Type>().ok()
    }

    /// Writes an instance of one of the library's types, or of a class derived from one.
    pub(super) fn of_the_library(&mut self, value: &Value) -> Outcome<bool> {
        let classes = class_of(value).mro.get(self.vm).to_vec();
        for class in &classes {
            let name = class.bare_name().into_owned();
            for (module, kind, write) in KINDS {
                if *kind == name
                    && self
                        .library_class(module, kind)
                        .is_some_and(|c| c.same(class))
                {
                    write(self, class, value)?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// What lies in a slot of the object: `None` if the class has no such slot.
    fn slot(&mut self, class: &Ref<Type>, value: &Value, name: &str) -> Outcome<Option<Value>> {
        match self.vm.type_lookup(class, &names::intern(name)) {
            Some(slot) if slot.header().is_some_and(|h| h.kind() == Kind::Member) => {
                let result = self.vm.bind(&slot, Some(value), class);
                self.done(result).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// An attribute as the class has it, whatever a subclass has put over it.
    pub(super) fn read(&mut self, class: &Ref<Type>, value: &Value, name: &str) -> Outcome<Value> {
        // Behind an attribute that is computed in Python there is a slot of its name with a line before it.
        if let Some(found) = self.slot(class, value, &format!("_{name}"))? {
            return Ok(found);
        }
        match self.vm.type_lookup(class, &names::intern(name)) {
            Some(attribute)
                if attribute
                    .header()
                    .is_some_and(|h| h.kind() == Kind::Property)
                    && !class_of(value).same(class) =>
            {
                self.derived(class, value)
            }
            Some(attribute) => {
                let result = self.vm.bind(&attribute, Some(value), class);
                self.done(result)
            }
            None => refuse(format!(
                "a '{}' has no attribute '{name}'",
                class.bare_name()
            )),
        }
    }

    /// For the value of a derived class code would have to run that the class may have changed.
    fn derived<T>(&self, class: &Ref<Type>, value: &Value) -> Outcome<T> {
        refuse(format!(
            "a value of type '{}', derived from '{}', cannot leave the sandbox",
            class_of(value).name(),
            class.name()
        ))
    }

    /// Calls a method as the class has it.
    fn ask(
        &mut self,
        class: &Ref<Type>,
        value: &Value,
        name: &str,
        args: &[Value],
    ) -> Outcome<Value> {
        if !class_of(value).same(class) {
            return self.derived(class, value);
        }
        let method = self.read(class, value, name)?;
        let result = self.vm.call(&method, args);
        self.done(result)
    }

    fn numbers(&mut self, class: &Ref<Type>, value: &Value, names: &[&str]) -> Outcome {
        for name in names {
            let number = self.read(class, value, name)?;
            match number.as_int() {
                Some(n) => self.out.integer(n)?,
                None => {
                    return refuse(format!(
                        "the attribute '{name}' of a '{}' is not an int",
                        class.bare_name()
                    ));
                }
            }
        }
        Ok(())
    }

    fn text_of(&mut self, class: &Ref<Type>, value: &Value) -> Outcome<Ref<Str>> {
        let text = self.ask(class, value, "__str__", &[])?;
        match text.into_ref::<Str>() {
            Ok(text) => Ok(text),
            Err(_) => refuse(format!("a '{}' has no text", class.bare_name())),
        }
    }

    /// The text of a decimal, as the specification's to-scientific-string makes it
    /// (<https://speleotrove.com/decimal/daconvs.html>).
    fn decimal_text(&mut self, value: &Value) -> Outcome<String> {
        match value.as_ref::<Decimal>().and_then(|d| d.text()) {
            Some(text) => Ok(text),
            None => refuse("a Decimal is not made as decimals are"),
        }
    }

    fn path(&mut self, kind: &str, class: &Ref<Type>, value: &Value) -> Outcome {
        let text = self.text_of(class, value)?;
        let Some(text) = text.as_str() else {
            return refuse("a path with lone surrogates cannot leave the sandbox");
        };
        self.out.tag(tag::PATH)?;
        self.out.array_head(2)?;
        self.out.text(kind)?;
        self.out.text(text)
    }

    fn date_time(&mut self, class: &Ref<Type>, value: &Value) -> Outcome {
        self.out.tag(tag::DATE_TIME)?;
        self.out.array_head(9)?;
        self.numbers(class, value, &["year", "month", "day"])?;
        self.time_of_day(class, value, true)
    }

    fn time(&mut self, class: &Ref<Type>, value: &Value) -> Outcome {
        self.out.tag(tag::TIME)?;
        self.out.array_head(6)?;
        self.time_of_day(class, value, false)
    }

    fn time_of_day(&mut self, class: &Ref<Type>, value: &Value, dated: bool) -> Outcome {
        let names = ["hour", "minute", "second", "microsecond", "fold"];
        self.numbers(class, value, &names)?;
        let zone = self.read(class, value, "tzinfo")?;
        if zone.is_none() {
            return self.out.null();
        }
        self.zone(&zone, dated.then_some(value))
    }

    /// A time zone; `at` is the time that it belongs to.
    fn zone(&mut self, zone: &Value, at: Option<&Value>) -> Outcome {
        let class = class_of(zone).clone();
        if let Some(fixed) = self.library_class("datetime", "timezone")
            && class.same(&fixed)
        {
            let offset = self.ask(&fixed, zone, "utcoffset", &[Value::NONE])?;
            let Some(offset) = self.microseconds(&offset)? else {
                return refuse("a time zone has no distance from UTC");
            };
            let name = self.ask(&fixed, zone, "tzname", &[Value::NONE])?;
            self.out.tag(tag::FIXED_ZONE)?;
            self.out.array_head(2)?;
            self.out.small(offset)?;
            return match name.as_ref::<Str>().map(|name| name.to_text()) {
                Some(name) if name != plain_zone_name(offset) => self.out.text(&name),
                _ => self.out.null(),
            };
        }
        if let Some(named) = self.library_class("zoneinfo", "ZoneInfo")
            && class.same(&named)
        {
            let key = self.read(&named, zone, "key")?;
            let Some(key) = key.as_ref::<Str>().and_then(|key| key.as_str()) else {
                return refuse("a time zone without a key cannot leave the sandbox");
            };
            self.out.tag(tag::NAMED_ZONE)?;
            self.out.array_head(2)?;
            self.out.text(key)?;
            // A derived class may have changed what the zone asks of a time.
            let date_time = self.library_class("datetime", "datetime");
            let at = at.filter(|at| date_time.is_some_and(|c| class_of(at).same(&c)));
            let offset = match at {
                Some(at) => {
                    let offset = self.ask(&named, zone, "utcoffset", std::slice::from_ref(at))?;
                    self.microseconds(&offset)?
                }
                None => None,
            };
            return match offset {
                Some(offset) => self.out.small(offset),
                None => self.out.null(),
            };
        }
        refuse(format!(
            "a time zone of type '{}' cannot leave the sandbox",
            class.name()
        ))
    }

    /// The length of a `timedelta` that is less than a day or two.
    fn microseconds(&mut self, delta: &Value) -> Outcome<Option<i64>> {
        let Some(class) = self.library_class("datetime", "timedelta") else {
            return Ok(None);
        };
        if !class_of(delta).is_subclass_of(&class) {
            return Ok(None);
        }
        let mut total = 0i64;
        for (name, scale) in [
            ("days", 86_400_000_000),
            ("seconds", 1_000_000),
            ("microseconds", 1),
        ] {
            let n = self.read(&class, delta, name)?;
            let n = n.as_int().and_then(|n| n.to_i64()).unwrap_or(0);
            total = total.saturating_add(n.saturating_mul(scale));
        }
        Ok(Some(total))
    }
}

/// What `tzname()` of a `timezone` answers when it was given no name.
fn plain_zone_name(offset: i64) -> String {
    if offset == 0 {
        return "UTC".to_owned();
    }
    let sign = if offset < 0 { '-' } else { '+' };
    let micros = offset.unsigned_abs();
    let seconds = micros / 1_000_000;
    let mut name = format!("UTC{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    if !seconds.is_multiple_of(60) || !micros.is_multiple_of(1_000_000) {
        name.push_str(&format!(":{:02}", seconds % 60));
    }
    if !micros.is_multiple_of(1_000_000) {
        name.push_str(&format!(".{:06}", micros % 1_000_000));
    }
    name
}
