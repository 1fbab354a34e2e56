//! Random values of every kind that crosses, which depend on the seed alone, and the form in which two of them are compared.
//!
//! They are as Python has them: fractions in lowest terms, paths and decimals in the text that `str()` gives, keys that differ for Python.
//! Used by the whole-system tests and by the fuzzers, each with its own `value`.

use crate::value::{
    BigInt, ClassName, Dataclass, Date, DateTime, Decimal, EnumMember, Exception, Fraction, Handle,
    NamedTuple, Path, PathKind, Range, Slice, Time, TimeDelta, TimeZone, Uuid, Value,
};

/// The value of that number.
pub fn value(seed: u64) -> Value {
    let mut maker = Maker {
        state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66_D1CE_4E5B,
        room: 40,
    };
    maker.value(0)
}

/// The same value in a form in which equal ones have equal encodings: sets in order, and without what a sandbox adds to a time zone.
pub fn canonical(value: Value) -> Value {
    let all = |items: Vec<Value>| items.into_iter().map(canonical).collect();
    let sorted = |items: Vec<Value>| {
        let mut items: Vec<Value> = items.into_iter().map(canonical).collect();
        items.sort_by_key(|item| item.encode().unwrap_or_default());
        items
    };
    let fields = |fields: Vec<(String, Value)>| {
        fields
            .into_iter()
            .map(|(name, value)| (name, canonical(value)))
            .collect()
    };
    match value {
        Value::List(items) => Value::List(all(items)),
        Value::Tuple(items) => Value::Tuple(all(items)),
        Value::Set(items) => Value::Set(sorted(items)),
        Value::FrozenSet(items) => Value::FrozenSet(sorted(items)),
        Value::Dict(entries) => Value::Dict(
            entries
                .into_iter()
                .map(|(key, value)| (canonical(key), canonical(value)))
                .collect(),
        ),
        Value::Slice(slice) => Slice {
            start: canonical(slice.start),
            stop: canonical(slice.stop),
            step: canonical(slice.step),
        }
        .into(),
        Value::DateTime(at) => {
            let zone = match at.zone().cloned() {
                Some(TimeZone::Named { key, .. }) => Some(TimeZone::named(key)),
                zone => zone,
            };
            DateTime::new(at.date, at.time.with_zone(zone)).into()
        }
        Value::Enum(member) => EnumMember {
            value: canonical(member.value),
            ..*member
        }
        .into(),
        Value::Dataclass(object) => Dataclass {
            fields: fields(object.fields),
            ..*object
        }
        .into(),
        Value::NamedTuple(object) => NamedTuple {
            fields: fields(object.fields),
            ..*object
        }
        .into(),
        Value::Exception(exception) => Exception {
            args: all(exception.args),
            ..*exception
        }
        .into(),
        value => value,
    }
}

struct Maker {
    state: u64,
    /// How many parts may still come.
    room: usize,
}

impl Maker {
    /// SplitMix64 (Steele, Lea, Flood, 2014).
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.draw() % bound
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    fn value(&mut self, depth: usize) -> Value {
        self.room = self.room.saturating_sub(1);
        let kinds = if depth < 5 && self.room > 0 { 31 } else { 20 };
        match self.below(kinds) {
            0 => Value::None,
            1 => Value::Bool(self.below(2) == 1),
            2 => self.float().into(),
            3 => Value::Complex(self.float(), self.float()),
            4 => Value::Bytes(self.bytes()),
            5 => Value::ByteArray(self.bytes()),
            6 => {
                let step = match self.integer() {
                    zero if zero.is_zero() => 1.into(),
                    step => step,
                };
                let (start, stop) = (self.integer(), self.integer());
                Range::new(start, stop, step)
                    .expect("a step that is not 0")
                    .into()
            }
            7 => self.time(true).into(),
            8 => {
                let date = self.date();
                DateTime::new(date, self.time(false)).into()
            }
            9 => self.delta().into(),
            10 => {
                let zone = self.zone(true);
                zone.unwrap_or(TimeZone::UTC).into()
            }
            11 => self.decimal().into(),
            12 => {
                let numerator = self.below(1000) as i128 * 7 + 1;
                let sign = self.pick(&[1, -1]);
                let denominator: u64 = self.pick(&[1, 7, 49, 7u64.pow(20)]);
                Fraction::new(sign * numerator, denominator)
                    .expect("a fraction")
                    .into()
            }
            13 => Handle {
                id: self.draw(),
                type_name: self.text(),
                repr: self.text(),
            }
            .into(),
            14..20 => self.key(depth),
            20 | 21 => Value::List(self.values(depth)),
            22 => Value::Tuple(self.values(depth)),
            23 => Value::Set(self.keys(depth)),
            24 => Value::FrozenSet(self.keys(depth)),
            25 => {
                let keys = self.keys(depth);
                let entries = keys
                    .into_iter()
                    .map(|key| (key, self.value(depth + 1)))
                    .collect();
                Value::Dict(entries)
            }
            26 => Slice {
                start: self.value(depth + 1),
                stop: self.value(depth + 1),
                step: self.value(depth + 1),
            }
            .into(),
            27 => match self.below(4) {
                0 => EnumMember {
                    class: self.class("Flags"),
                    name: None,
                    value: Value::from(self.below(8)),
                },
                _ => EnumMember {
                    class: self.class("Colour"),
                    name: Some(self.pick(&["RED", "été", "x1"]).to_owned()),
                    value: self.value(depth + 1),
                },
            }
            .into(),
            28 => Dataclass {
                class: self.class("Record"),
                fields: self.fields(depth),
            }
            .into(),
            29 => NamedTuple {
                class: self.class("Pair"),
                fields: self.fields(depth),
            }
            .into(),
            _ => {
                let class = match self.below(3) {
                    0 => self.class("Problem"),
                    _ => {
                        let name =
                            self.pick(&["ValueError", "KeyError", "Exception", "SystemExit"]);
                        ClassName::new("builtins", name)
                    }
                };
                Exception {
                    class,
                    args: self.values(depth),
                }
                .into()
            }
        }
    }

    fn values(&mut self, depth: usize) -> Vec<Value> {
        let count = self.below(5);
        (0..count).map(|_| self.value(depth + 1)).collect()
    }

    /// Something that can be a key, and is equal to nothing that is encoded in another way.
    fn key(&mut self, depth: usize) -> Value {
        match self.below(if depth < 4 { 9 } else { 8 }) {
            0 | 1 => self.integer().into(),
            2 | 3 => self.text().into(),
            4 => {
                let mut text = self.text().into_bytes();
                text.extend_from_slice(self.pick(&[b"\xed\xa0\x80", b"\xed\xbf\xbf"]));
                Value::SurrogateStr(text)
            }
            5 => Value::Bytes(self.bytes()),
            6 => self.date().into(),
            7 => match self.below(2) {
                0 => {
                    let mut bytes = [0; 16];
                    bytes[..8].copy_from_slice(&self.draw().to_be_bytes());
                    bytes[8..].copy_from_slice(&self.draw().to_be_bytes());
                    Uuid(bytes).into()
                }
                _ => {
                    let (kind, text) = self.pick(&[
                        (PathKind::Posix, "/a/b c"),
                        (PathKind::Posix, "."),
                        (PathKind::PurePosix, "naïve/../x"),
                        (PathKind::PureWindows, "C:\\a\\b"),
                    ]);
                    let text = text.to_owned();
                    Path { kind, text }.into()
                }
            },
            _ => {
                let count = self.below(3);
                Value::Tuple((0..count).map(|_| self.key(depth + 1)).collect())
            }
        }
    }

    fn keys(&mut self, depth: usize) -> Vec<Value> {
        let count = self.below(5);
        let mut keys: Vec<Value> = Vec::new();
        for _ in 0..count {
            let key = self.key(depth + 1);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    fn fields(&mut self, depth: usize) -> Vec<(String, Value)> {
        let count = self.below(4) as usize;
        let names = ["x", "type", "naïve", "__type__x", "_y"];
        // Those of named tuples begin with a letter.
        (0..count.min(3))
            .map(|i| (names[i].to_owned(), self.value(depth + 1)))
            .collect()
    }

    fn class(&mut self, name: &str) -> ClassName {
        let (module, outer) = self.pick(&[("__main__", ""), ("shop", ""), ("__main__", "Outer.")]);
        ClassName::new(module, format!("{outer}{name}"))
    }

    fn integer(&mut self) -> BigInt {
        let bits = self.draw();
        match self.below(6) {
            0 => (bits as i64).into(),
            1 => bits.into(),
            2 => BigInt::new(bits & 1 == 1, &self.bytes()),
            3 => self
                .pick(&[i64::MIN, i64::MAX, 1 << 50, -(1 << 49), u32::MAX.into()])
                .into(),
            _ => (bits as i64 % 300).into(),
        }
    }

    fn float(&mut self) -> f64 {
        let special = [
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            5e-324,
        ];
        match self.below(4) {
            0 => self.pick(&special),
            1 => self.below(1000) as f64 / 8.0,
            _ => match f64::from_bits(self.draw()) {
                nan if nan.is_nan() => f64::NAN,
                x => x,
            },
        }
    }

    fn bytes(&mut self) -> Vec<u8> {
        let count = self.below(20);
        (0..count).map(|_| self.draw() as u8).collect()
    }

    fn text(&mut self) -> String {
        let parts = [
            "a", "__type__", "data", "\"", "\\", "\n", "\0", "é", "\u{ffff}", "🐍", " ", "safe:",
            "'",
        ];
        let count = self.below(4);
        (0..count).map(|_| self.pick(&parts)).collect()
    }

    fn date(&mut self) -> Date {
        let (year, month) = (self.below(9999) as u16 + 1, self.below(12) as u8 + 1);
        let day = self.below(31) as u8 + 1;
        Date::new(year, month, day)
            .or_else(|_| Date::new(year, month, 28))
            .expect("a day that all months have")
    }

    fn time(&mut self, alone: bool) -> Time {
        let micros = self.pick(&[0, 1, 999_999, 500_000]);
        let zone = self.zone(alone);
        Time::new(
            self.below(24) as u8,
            self.below(60) as u8,
            self.below(60) as u8,
            micros,
        )
        .expect("a time")
        .with_fold(self.below(4) == 0)
        .with_zone(zone)
    }

    fn zone(&mut self, named: bool) -> Option<TimeZone> {
        let micros = self.below(2 * 86_399_000_000) as i128 - 86_399_000_000;
        let offset = TimeDelta::from_microseconds(micros).expect("less than a day");
        match self.below(if named { 5 } else { 4 }) {
            0 => None,
            1 => Some(TimeZone::UTC),
            2 => Some(TimeZone::Fixed { offset, name: None }),
            3 => Some(TimeZone::Fixed {
                offset,
                name: Some(format!("zone {}", self.text())),
            }),
            _ => Some(TimeZone::named(self.pick(&["Europe/Vienna", "UTC"]))),
        }
    }

    fn delta(&mut self) -> TimeDelta {
        let micros = match self.below(3) {
            0 => i128::from(self.draw() as i64),
            1 => i128::from(self.draw()) * 4,
            _ => i128::from(self.below(100_000)) - 50_000,
        };
        TimeDelta::from_microseconds(micros).expect("not too long")
    }

    /// As the specification's to-scientific-string has it.
    fn decimal(&mut self) -> Decimal {
        let special = [
            "NaN",
            "-sNaN7",
            "Infinity",
            "-Infinity",
            "-0",
            "0E+3",
            "0.00",
        ];
        if self.below(3) == 0 {
            return Decimal::new(self.pick(&special)).expect("a decimal");
        }
        let digits = (self.draw() >> self.below(60)).max(1).to_string();
        let exponent = self.below(60) as i64 - 40;
        let adjusted = exponent + digits.len() as i64 - 1;
        let sign = self.pick(&["", "-"]);
        let text = if exponent <= 0 && adjusted >= -6 {
            let point = digits.len() as i64 + exponent;
            match usize::try_from(point) {
                _ if exponent == 0 => digits,
                Ok(point) if point > 0 => format!("{}.{}", &digits[..point], &digits[point..]),
                _ => format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize)),
            }
        } else {
            let rest = &digits[1..];
            let dot = if rest.is_empty() { "" } else { "." };
            format!("{}{dot}{rest}E{adjusted:+}", &digits[..1])
        };
        Decimal::new(format!("{sign}{text}")).expect("a decimal")
    }
}
