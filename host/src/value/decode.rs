//! CBOR to values. The bytes come from the sandbox and are trusted in nothing: no claimed length is believed before
//! the bytes are there, and nesting is counted.

use super::{BigInt, Handle, MAX_DEPTH, Value, tag};

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
}

pub(super) fn decode(bytes: &[u8]) -> Result<Value, DecodeError> {
    let mut reader = Reader { bytes, at: 0 };
    let value = reader.value(0)?;
    if reader.at < bytes.len() {
        return Err(DecodeError::Trailing { at: reader.at });
    }
    Ok(value)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
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
        match head.major() {
            0 => Ok(unsigned(head.argument)),
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
            tag::POSITIVE_BIG | tag::NEGATIVE_BIG | tag::SURROGATES => 2,
            tag::SET | tag::TUPLE | tag::FROZEN_SET | tag::COMPLEX | tag::HANDLE => 4,
            _ => return Err(DecodeError::UnknownTag { at: outer.at, tag }),
        };
        let inner = self.head()?;
        let wrong = DecodeError::WrongContent { at: inner.at, tag };
        if inner.major() != wanted {
            return Err(wrong);
        }
        match tag {
            tag::POSITIVE_BIG => Ok(big(false, self.take(inner.argument)?)),
            tag::NEGATIVE_BIG => Ok(big(true, self.take(inner.argument)?)),
            tag::SURROGATES => {
                let text = self.take(inner.argument)?;
                if !is_wtf8(text) {
                    return Err(DecodeError::NotWtf8 { at: inner.at });
                }
                Ok(match std::str::from_utf8(text) {
                    Ok(text) => Value::Str(text.to_owned()),
                    Err(_) => Value::SurrogateStr(text.to_vec()),
                })
            }
            // Read without recursion, so that it does not count as nesting.
            tag::COMPLEX => match (inner.argument, self.head()?, self.head()?) {
                (2, re @ Head { byte: 0xfb, .. }, im @ Head { byte: 0xfb, .. }) => Ok(
                    Value::Complex(f64::from_bits(re.argument), f64::from_bits(im.argument)),
                ),
                _ => Err(wrong),
            },
            tag::HANDLE => {
                let id = self.head()?;
                if inner.argument != 3 || id.major() != 0 {
                    return Err(wrong);
                }
                Ok(Value::Handle(Box::new(Handle {
                    id: id.argument,
                    type_name: self.text()?,
                    repr: self.text()?,
                })))
            }
            tag::TUPLE => Ok(Value::Tuple(self.items(&inner, depth)?)),
            tag::SET => Ok(Value::Set(self.items(&inner, depth)?)),
            _ => Ok(Value::FrozenSet(self.items(&inner, depth)?)),
        }
    }

    /// A text string and nothing else.
    fn text(&mut self) -> Result<String, DecodeError> {
        let head = self.head()?;
        if head.major() != 3 {
            return Err(DecodeError::Unsupported {
                at: head.at,
                byte: head.byte,
            });
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

fn unsigned(n: u64) -> Value {
    Value::from(i128::from(n))
}

/// The content of tag 2 (the number) or 3 (-1 less the number).
fn big(negative: bool, magnitude: &[u8]) -> Value {
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
    let n = BigInt::new(negative, &magnitude);
    match n.to_i128().and_then(|n| i64::try_from(n).ok()) {
        Some(small) => Value::Int(small),
        None => Value::BigInt(n),
    }
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
