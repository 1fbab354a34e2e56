//! Bytes to values: the reader, and the built-in types. No claimed length is believed before the bytes are there, and nesting is counted.

use num_bigint::{BigInt, BigUint};

use super::{MAX_DEPTH, error_text, tag};
use crate::objects::bytes::{ByteArray, Bytes};
use crate::objects::complex::Complex;
use crate::objects::dict::Dict;
use crate::objects::host_object::HostObject;
use crate::objects::list::List;
use crate::objects::set::{self, FrozenSet, Set};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};

pub(super) fn decode(vm: &mut Vm, bytes: &[u8]) -> Result<Value, String> {
    let mut reader = Reader { vm, bytes, at: 0 };
    let value = reader.value(0)?;
    if reader.at < bytes.len() {
        return Err(format!("something follows the value at byte {}", reader.at));
    }
    Ok(value)
}

pub(super) struct Reader<'a> {
    pub(super) vm: &'a mut Vm,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn value(&mut self, depth: usize) -> Result<Value, String> {
        let (byte, argument) = self.head()?;
        match byte >> 5 {
            0 => Ok(Value::bigint(BigInt::from(argument))),
            1 => Ok(Value::bigint(-BigInt::from(argument) - 1)),
            2 => Ok(Bytes::value(self.take(argument)?.to_vec())),
            3 => match str::from_utf8(self.take(argument)?) {
                Ok(text) => Ok(Str::value(text)),
                Err(_) => Err(self.wrong("a string is not UTF-8")),
            },
            4 => Ok(List::value(self.items(argument, depth)?)),
            5 => self.dict(argument, depth),
            6 => self.tagged(argument, depth),
            _ => match byte {
                0xf4 => Ok(Value::FALSE),
                0xf5 => Ok(Value::TRUE),
                0xf6 => Ok(Value::NONE),
                0xfb => Ok(Value::float_from_outside(f64::from_bits(argument))),
                _ => Err(self.wrong("unsupported form")),
            },
        }
    }

    fn tagged(&mut self, tag: u64, depth: usize) -> Result<Value, String> {
        let (byte, argument) = self.head()?;
        match (tag, byte >> 5) {
            (tag::POSITIVE_BIG, 2) => {
                let magnitude = BigUint::from_bytes_be(self.take(argument)?);
                Ok(Value::bigint(magnitude.into()))
            }
            (tag::NEGATIVE_BIG, 2) => {
                let magnitude = BigUint::from_bytes_be(self.take(argument)?);
                Ok(Value::bigint(-BigInt::from(magnitude) - 1))
            }
            (tag::SURROGATES, 2) => {
                let text = self.take(argument)?;
                if is_wtf8(text) {
                    Ok(Str::value_wtf8(text))
                } else {
                    Err(self.wrong("a string is not WTF-8"))
                }
            }
            (tag::COMPLEX, 4) => match (argument, self.head()?, self.head()?) {
                (2, (0xfb, re), (0xfb, im)) => {
                    Ok(Complex::value(f64::from_bits(re), f64::from_bits(im)))
                }
                _ => Err(self.wrong("a complex is not two floats")),
            },
            (tag::HANDLE, 4) if argument == 3 => {
                let (byte, id) = self.head()?;
                if byte >> 5 != 0 {
                    return Err(self.wrong("a host object is not a number and two strings"));
                }
                let (type_name, repr) = (self.text()?, self.text()?);
                Ok(HostObject::value(id, type_name, repr))
            }
            (tag::BYTE_ARRAY, 2) => Ok(ByteArray::value(self.take(argument)?.to_vec())),
            (tag::TUPLE, 4) => Ok(Tuple::value(self.items(argument, depth)?)),
            (tag::SET, 4) => {
                let set = Set::new();
                for key in self.items(argument, depth)? {
                    let added = set::add(self.vm, &set.table, &key);
                    self.built(added)?;
                }
                Ok(Value::from_ref(set))
            }
            (tag::FROZEN_SET, 4) => {
                let keys = self.items(argument, depth)?;
                let built = FrozenSet::value(self.vm, keys);
                self.built(built)
            }
            (_, major) => match self.special(tag, major, argument, depth)? {
                Some(value) => Ok(value),
                None => Err(self.wrong("unknown tag, or wrong content of one")),
            },
        }
    }

    pub(super) fn text(&mut self) -> Result<&'a str, String> {
        let (byte, argument) = self.head()?;
        if byte >> 5 != 3 {
            return Err(self.wrong("text is expected"));
        }
        self.text_of(argument)
    }

    /// The content of a text string.
    pub(super) fn text_of(&mut self, length: u64) -> Result<&'a str, String> {
        let bytes = self.take(length)?;
        str::from_utf8(bytes).map_err(|_| self.wrong("a string is not UTF-8"))
    }

    pub(super) fn items(&mut self, count: u64, depth: usize) -> Result<Vec<Value>, String> {
        let depth = deeper(depth)?;
        self.claim(count)?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(self.value(depth)?);
        }
        Ok(items)
    }

    fn dict(&mut self, count: u64, depth: usize) -> Result<Value, String> {
        let depth = deeper(depth)?;
        // Two bytes at least for each entry.
        self.claim(count.saturating_mul(2))?;
        let dict = Dict::new();
        for _ in 0..count {
            let key = self.value(depth)?;
            let value = self.value(depth)?;
            let set = dict.set_item(self.vm, &key, value);
            self.built(set)?;
        }
        Ok(Value::from_ref(dict))
    }

    /// What the machine has made; hashing a key may fail, say: then the exception's text is the reason.
    pub(super) fn built<T>(&mut self, result: R<T>) -> Result<T, String> {
        result.map_err(|_| error_text(self.vm))
    }

    /// Skips a null, if one is next.
    pub(super) fn null(&mut self) -> bool {
        let is_null = self.bytes.get(self.at) == Some(&0xf6);
        self.at += usize::from(is_null);
        is_null
    }

    pub(super) fn optional_text(&mut self) -> Result<Option<&'a str>, String> {
        if self.null() {
            Ok(None)
        } else {
            self.text().map(Some)
        }
    }

    /// Initial byte and argument of the next data item.
    pub(super) fn head(&mut self) -> Result<(u8, u64), String> {
        let byte = self.take(1)?[0];
        let argument = match byte & 0x1f {
            short @ 0..24 => u64::from(short),
            // Of major type 7 only the short simple values and 64-bit floats are in use.
            24..=26 if byte >> 5 == 7 => return Err(self.wrong("unsupported form")),
            size @ 24..=27 => self
                .take(1 << (size - 24))?
                .iter()
                .fold(0, |n, &b| n << 8 | u64::from(b)),
            _ => return Err(self.wrong("unsupported form")),
        };
        Ok((byte, argument))
    }

    pub(super) fn take(&mut self, count: u64) -> Result<&'a [u8], String> {
        self.claim(count)?;
        let start = self.at;
        self.at += count as usize;
        Ok(&self.bytes[start..self.at])
    }

    pub(super) fn claim(&self, count: u64) -> Result<(), String> {
        if count > (self.bytes.len() - self.at) as u64 {
            Err(self.wrong("the value ends too early"))
        } else {
            Ok(())
        }
    }

    pub(super) fn wrong(&self, what: &str) -> String {
        format!("{what}, at byte {}", self.at)
    }
}

/// Whether `bytes` are UTF-8 but for lone surrogates (<https://simonsapin.github.io/wtf-8/>).
fn is_wtf8(mut bytes: &[u8]) -> bool {
    let mut after_high = false;
    loop {
        let good = match str::from_utf8(bytes) {
            Ok(_) => return true,
            Err(error) => error.valid_up_to(),
        };
        after_high &= good == 0;
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

pub(super) fn deeper(depth: usize) -> Result<usize, String> {
    if depth == MAX_DEPTH {
        return Err(format!("the value nests deeper than {MAX_DEPTH} levels"));
    }
    Ok(depth + 1)
}
