//! CBOR to values. The bytes come from the sandbox and are trusted in nothing: no claimed length is believed before
//! the bytes are there, and nesting is counted.

use super::{
    BigInt, ClassName, Dataclass, Date, DateTime, Decimal, EnumMember, Exception, Fraction, Handle,
    InvalidValue, MAX_DEPTH, MAX_PARTS, NamedTuple, Path, PathKind, Range, Slice, Time, TimeDelta,
    TimeZone, Uuid, Value, tag, time,
};

/// Why bytes are not a value; `at` is the offset of the data item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end before the value does.
    #[error("the value ends too early, at byte {at}")]
    Truncated {
        /// Where bytes are missing.
        at: usize,
    },
    /// Something follows the value.
    #[error("something follows the value at byte {at}")]
    Trailing {
        /// Where the value ended.
        at: usize,
    },
    /// Containers nest deeper than [`MAX_DEPTH`].
    #[error("containers nest deeper than {MAX_DEPTH} levels at byte {at}")]
    TooDeep {
        /// The first container that is too deep.
        at: usize,
    },
    /// There are more than [`MAX_PARTS`] parts.
    #[error("more than {MAX_PARTS} parts at byte {at}")]
    TooMany {
        /// The first part that is too many.
        at: usize,
    },
    /// A text string is not UTF-8.
    #[error("a string at byte {at} is not UTF-8")]
    NotUtf8 {
        /// Where the text starts.
        at: usize,
    },
    /// A string with surrogates is not WTF-8.
    #[error("a string with surrogates at byte {at} is not WTF-8")]
    NotWtf8 {
        /// Where the text's data item starts.
        at: usize,
    },
    /// A form of CBOR that the contract does not use.
    #[error("unsupported initial byte {byte:#04x} at byte {at}")]
    Unsupported {
        /// Where.
        at: usize,
        /// The initial byte.
        byte: u8,
    },
    /// A tag that the contract does not know.
    #[error("unknown tag {tag} at byte {at}")]
    UnknownTag {
        /// Where.
        at: usize,
        /// The tag's number.
        tag: u64,
    },
    /// A tag around something that it cannot hold.
    #[error("wrong content for tag {tag} at byte {at}")]
    WrongContent {
        /// Where the content starts.
        at: usize,
        /// The tag's number.
        tag: u64,
    },
    /// A part cannot be what it says: no such date, a step of 0, ...
    #[error("{error}, at byte {at}")]
    Invalid {
        /// Where the part's content starts.
        at: usize,
        /// What is wrong.
        error: InvalidValue,
    },
}

pub(super) fn decode(bytes: &[u8]) -> Result<Value, DecodeError> {
    let mut reader = Reader {
        bytes,
        at: 0,
        parts: 0,
    };
    let value = reader.value(0)?;
    if reader.at < bytes.len() {
        return Err(DecodeError::Trailing { at: reader.at });
    }
    Ok(value)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Values begun so far: each takes more room here than there.
    parts: usize,
}

/// A data item's head.
struct Head {
    at: usize,
    byte: u8,
    argument: u64,
}

impl Head {
    fn major(&self) -> u8 {
        self.byte >> 5
    }
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, DecodeError> {
        let head = self.head()?;
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(DecodeError::TooMany { at: head.at });
        }
        match head.major() {
            0 => Ok(Value::from(head.argument)),
            1 => Ok(Value::from(-1 - i128::from(head.argument))),
            2 => Ok(Value::Bytes(self.take(head.argument)?.to_vec())),
            3 => Ok(Value::Str(self.string(&head)?)),
            4 => Ok(Value::List(self.items(&head, depth)?)),
            5 => {
                let depth = deeper(&head, depth)?;
                // Two bytes at least for each entry.
                self.claim(head.argument.saturating_mul(2))?;
                let mut entries = Vec::new();
                for _ in 0..head.argument {
                    let key = self.value(depth)?;
                    entries.push((key, self.value(depth)?));
                }
                Ok(Value::Dict(entries))
            }
            6 => self.tagged(&head, depth),
            _ => match head.byte {
                0xf4 => Ok(Value::Bool(false)),
                0xf5 => Ok(Value::Bool(true)),
                0xf6 => Ok(Value::None),
                0xfb => Ok(Value::Float(f64::from_bits(head.argument))),
                byte => Err(DecodeError::Unsupported { at: head.at, byte }),
            },
        }
    }

    fn tagged(&mut self, outer: &Head, depth: usize) -> Result<Value, DecodeError> {
        let tag = outer.argument;
        let wanted = match tag {
            tag::POSITIVE_BIG
            | tag::NEGATIVE_BIG
            | tag::SURROGATES
            | tag::BYTE_ARRAY
            | tag::UUID => 2,
            tag::DECIMAL => 3,
            tag::SET | 39101..=39103 | 39105..=39106 | tag::HANDLE | 39120..=39133 => 4,
            _ => return Err(DecodeError::UnknownTag { at: outer.at, tag }),
        };
        let inner = self.head()?;
        let count = inner.argument;
        let wrong = DecodeError::WrongContent { at: inner.at, tag };
        if inner.major() != wanted {
            return Err(wrong);
        }
        let exactly = |n: u64| {
            if count == n {
                Ok(())
            } else {
                Err(wrong.clone())
            }
        };
        // What is no container is read without recursion, so that it does not count as nesting.
        match tag {
            tag::POSITIVE_BIG => Ok(big(false, self.take(count)?).into()),
            tag::NEGATIVE_BIG => Ok(big(true, self.take(count)?).into()),
            tag::SURROGATES => {
                let text = self.take(count)?;
                if !is_wtf8(text) {
                    return Err(DecodeError::NotWtf8 { at: inner.at });
                }
                Ok(match std::str::from_utf8(text) {
                    Ok(text) => Value::Str(text.to_owned()),
                    Err(_) => Value::SurrogateStr(text.to_vec()),
                })
            }
            tag::BYTE_ARRAY => Ok(Value::ByteArray(self.take(count)?.to_vec())),
            tag::UUID => match self.take(count)?.try_into() {
                Ok(bytes) => Ok(Value::Uuid(Uuid(bytes))),
                Err(_) => Err(wrong),
            },
            tag::DECIMAL => {
                let text = self.string(&inner)?;
                self.valid(&inner, Decimal::new(text))
            }
            tag::COMPLEX => match (count, self.head()?, self.head()?) {
                (2, re @ Head { byte: 0xfb, .. }, im @ Head { byte: 0xfb, .. }) => Ok(
                    Value::Complex(f64::from_bits(re.argument), f64::from_bits(im.argument)),
                ),
                _ => Err(wrong),
            },
            tag::TUPLE => Ok(Value::Tuple(self.items(&inner, depth)?)),
            tag::SET => Ok(Value::Set(self.items(&inner, depth)?)),
            tag::FROZEN_SET => Ok(Value::FrozenSet(self.items(&inner, depth)?)),
            tag::RANGE => {
                exactly(3)?;
                let (start, stop, step) = (self.integer()?, self.integer()?, self.integer()?);
                self.valid(&inner, Range::new(start, stop, step))
            }
            tag::FRACTION => {
                exactly(2)?;
                let (numerator, denominator) = (self.integer()?, self.integer()?);
                self.valid(&inner, Fraction::new(numerator, denominator))
            }
            tag::SLICE => {
                exactly(3)?;
                let depth = deeper(&inner, depth)?;
                Ok(Value::from(Slice {
                    start: self.value(depth)?,
                    stop: self.value(depth)?,
                    step: self.value(depth)?,
                }))
            }
            tag::HANDLE => {
                exactly(3)?;
                let id = self.head()?;
                if id.major() != 0 {
                    return Err(wrong);
                }
                Ok(Value::from(Handle {
                    id: id.argument,
                    type_name: self.text()?,
                    repr: self.text()?,
                }))
            }
            tag::DATE => {
                exactly(3)?;
                self.date(&inner).map(Value::Date)
            }
            tag::TIME => {
                exactly(6)?;
                self.time(&inner).map(Value::Time)
            }
            tag::DATE_TIME => {
                exactly(9)?;
                let date = self.date(&inner)?;
                Ok(DateTime::new(date, self.time(&inner)?).into())
            }
            tag::TIME_DELTA => {
                exactly(3)?;
                let (days, seconds, microseconds) = (self.small()?, self.small()?, self.small()?);
                self.valid(&inner, TimeDelta::new(days, seconds, microseconds))
            }
            tag::FIXED_ZONE | tag::NAMED_ZONE => {
                exactly(2)?;
                self.zone(&inner, tag).map(Value::from)
            }
            tag::PATH => {
                exactly(2)?;
                let kind = PathKind::of_class(&self.text()?).ok_or(wrong)?;
                let text = self.text()?;
                Ok(Path { kind, text }.into())
            }
            tag::ENUM => {
                exactly(4)?;
                let depth = deeper(&inner, depth)?;
                Ok(Value::from(EnumMember {
                    class: self.class()?,
                    name: self.optional_text()?,
                    value: self.value(depth)?,
                }))
            }
            tag::DATACLASS => {
                exactly(3)?;
                let (class, fields) = (self.class()?, self.fields(&inner, depth)?);
                Ok(Dataclass { class, fields }.into())
            }
            tag::NAMED_TUPLE => {
                exactly(3)?;
                let (class, fields) = (self.class()?, self.fields(&inner, depth)?);
                Ok(NamedTuple { class, fields }.into())
            }
            _ => {
                exactly(3)?;
                let class = self.class()?;
                let args = self.head()?;
                if args.major() != 4 {
                    return Err(wrong);
                }
                let args = self.items(&args, depth)?;
                Ok(Exception { class, args }.into())
            }
        }
    }

    fn valid<T: Into<Value>>(
        &self,
        head: &Head,
        made: Result<T, InvalidValue>,
    ) -> Result<Value, DecodeError> {
        invalid(head, made).map(Into::into)
    }

    fn class(&mut self) -> Result<ClassName, DecodeError> {
        Ok(ClassName {
            module: self.text()?,
            name: self.text()?,
        })
    }

    /// A map from names to values.
    fn fields(&mut self, outer: &Head, depth: usize) -> Result<Vec<(String, Value)>, DecodeError> {
        let depth = deeper(outer, depth)?;
        let map = self.head()?;
        if map.major() != 5 {
            return Err(unsupported(&map));
        }
        self.claim(map.argument.saturating_mul(2))?;
        let mut fields = Vec::new();
        for _ in 0..map.argument {
            let name = self.text()?;
            fields.push((name, self.value(depth)?));
        }
        Ok(fields)
    }

    /// An integer of any size.
    fn integer(&mut self) -> Result<BigInt, DecodeError> {
        let head = self.head()?;
        match (head.major(), head.argument) {
            (0, n) => Ok(n.into()),
            (1, n) => Ok((-1 - i128::from(n)).into()),
            (6, tag @ (tag::POSITIVE_BIG | tag::NEGATIVE_BIG)) => {
                let inner = self.head()?;
                if inner.major() != 2 {
                    return Err(DecodeError::WrongContent { at: inner.at, tag });
                }
                Ok(big(tag == tag::NEGATIVE_BIG, self.take(inner.argument)?))
            }
            _ => Err(unsupported(&head)),
        }
    }

    /// An integer that is small by nature.
    fn small(&mut self) -> Result<i64, DecodeError> {
        let head = self.head()?;
        let n = i64::try_from(head.argument).map_err(|_| unsupported(&head))?;
        match head.major() {
            0 => Ok(n),
            1 => Ok(!n),
            _ => Err(unsupported(&head)),
        }
    }

    /// A number of a date or a time, which is too large for none of them to be noticed.
    fn number<T: TryFrom<u64>>(&mut self) -> Result<T, DecodeError> {
        let head = self.head()?;
        match (head.major(), T::try_from(head.argument)) {
            (0, Ok(n)) => Ok(n),
            _ => Err(unsupported(&head)),
        }
    }

    fn date(&mut self, outer: &Head) -> Result<Date, DecodeError> {
        let (year, month, day) = (self.number()?, self.number()?, self.number()?);
        invalid(outer, Date::new(year, month, day))
    }

    fn time(&mut self, outer: &Head) -> Result<Time, DecodeError> {
        let (hour, minute, second) = (self.number()?, self.number()?, self.number()?);
        let time = invalid(outer, Time::new(hour, minute, second, self.number()?))?;
        let fold = self.head()?;
        let fold = match fold.byte {
            0 => false,
            1 => true,
            _ => return Err(unsupported(&fold)),
        };
        let zone = self.head()?;
        let zone = match (zone.major(), zone.argument) {
            _ if zone.byte == 0xf6 => None,
            (6, tag @ (tag::FIXED_ZONE | tag::NAMED_ZONE)) => {
                let pair = self.head()?;
                if pair.major() != 4 || pair.argument != 2 {
                    return Err(DecodeError::WrongContent { at: pair.at, tag });
                }
                Some(self.zone(&pair, tag)?)
            }
            _ => return Err(unsupported(&zone)),
        };
        Ok(time.with_fold(fold).with_zone(zone))
    }

    /// The two parts of a time zone.
    fn zone(&mut self, outer: &Head, tag: u64) -> Result<TimeZone, DecodeError> {
        if tag == tag::FIXED_ZONE {
            let offset = self.offset(outer)?;
            let name = self.optional_text()?;
            return Ok(TimeZone::Fixed { offset, name });
        }
        let key = self.text()?;
        let offset = if self.null() {
            None
        } else {
            Some(self.offset(outer)?)
        };
        Ok(TimeZone::Named { key, offset })
    }

    fn offset(&mut self, outer: &Head) -> Result<TimeDelta, DecodeError> {
        let microseconds = self.small()?;
        let offset = invalid(outer, TimeDelta::from_microseconds(microseconds.into()))?;
        invalid(outer, time::check_offset(offset))?;
        Ok(offset)
    }

    /// Skips a null, if one is next.
    fn null(&mut self) -> bool {
        let is_null = self.bytes.get(self.at) == Some(&0xf6);
        self.at += usize::from(is_null);
        is_null
    }

    fn optional_text(&mut self) -> Result<Option<String>, DecodeError> {
        if self.null() {
            Ok(None)
        } else {
            self.text().map(Some)
        }
    }

    /// A text string and nothing else.
    fn text(&mut self) -> Result<String, DecodeError> {
        let head = self.head()?;
        if head.major() != 3 {
            return Err(unsupported(&head));
        }
        self.string(&head)
    }

    fn string(&mut self, head: &Head) -> Result<String, DecodeError> {
        let at = self.at;
        let text = std::str::from_utf8(self.take(head.argument)?)
            .map_err(|_| DecodeError::NotUtf8 { at })?;
        Ok(text.to_owned())
    }

    fn items(&mut self, head: &Head, depth: usize) -> Result<Vec<Value>, DecodeError> {
        let depth = deeper(head, depth)?;
        self.claim(head.argument)?;
        let mut items = Vec::new();
        for _ in 0..head.argument {
            items.push(self.value(depth)?);
        }
        Ok(items)
    }

    /// Reads a head; an indefinite length or a reserved form is unsupported.
    fn head(&mut self) -> Result<Head, DecodeError> {
        let at = self.at;
        let byte = self.take(1)?[0];
        let argument = match byte & 0x1f {
            short @ 0..24 => u64::from(short),
            // Of major type 7 only the simple values above and 64-bit floats are in use.
            24..=26 if byte >> 5 == 7 => return Err(DecodeError::Unsupported { at, byte }),
            size @ 24..=27 => self
                .take(1 << (size - 24))?
                .iter()
                .fold(0, |n, &b| n << 8 | u64::from(b)),
            _ => return Err(DecodeError::Unsupported { at, byte }),
        };
        Ok(Head { at, byte, argument })
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], DecodeError> {
        self.claim(count)?;
        let start = self.at;
        self.at += count as usize;
        Ok(&self.bytes[start..self.at])
    }

    /// Checks that `count` more bytes are there.
    fn claim(&self, count: u64) -> Result<(), DecodeError> {
        if count > (self.bytes.len() - self.at) as u64 {
            return Err(DecodeError::Truncated { at: self.at });
        }
        Ok(())
    }
}

fn deeper(head: &Head, depth: usize) -> Result<usize, DecodeError> {
    if depth == MAX_DEPTH {
        Err(DecodeError::TooDeep { at: head.at })
    } else {
        Ok(depth + 1)
    }
}

fn unsupported(head: &Head) -> DecodeError {
    DecodeError::Unsupported {
        at: head.at,
        byte: head.byte,
    }
}

fn invalid<T>(head: &Head, made: Result<T, InvalidValue>) -> Result<T, DecodeError> {
    made.map_err(|error| DecodeError::Invalid { at: head.at, error })
}

/// The content of tag 2 (the number) or 3 (-1 less the number).
fn big(negative: bool, magnitude: &[u8]) -> BigInt {
    let mut magnitude = magnitude.to_vec();
    if negative {
        let carried = magnitude.iter_mut().rev().all(|byte| {
            *byte = byte.wrapping_add(1);
            *byte == 0
        });
        if carried {
            magnitude.insert(0, 1);
        }
    }
    BigInt::new(negative, &magnitude)
}

/// Whether `bytes` are UTF-8 but for lone surrogates (WTF-8: <https://simonsapin.github.io/wtf-8/>).
pub(super) fn is_wtf8(mut bytes: &[u8]) -> bool {
    let mut after_high = false;
    loop {
        let good = match std::str::from_utf8(bytes) {
            Ok(_) => return true,
            Err(error) => error.valid_up_to(),
        };
        if good > 0 {
            after_high = false;
        }
        match bytes[good..] {
            [0xed, second @ 0xa0..=0xbf, 0x80..=0xbf, ..] => {
                let high = second < 0xb0;
                if after_high && !high {
                    return false;
                }
                after_high = high;
                bytes = &bytes[good + 3..];
            }
            _ => return false,
        }
    }
}
