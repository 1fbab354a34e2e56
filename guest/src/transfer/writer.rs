//! CBOR as it is written: heads, numbers, texts. Size is bounded; objects are not known, but for numbers and strings.

use num_bigint::Sign;

use super::refusal::{Outcome, refuse_all};
use super::{MAX_ENCODED, tag};
use crate::objects::int::IntRef;
use crate::objects::string::Str;
use crate::value::Value;

/// What has been written.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) out: Vec<u8>,
}

impl Writer {
    pub(super) fn null(&mut self) -> Outcome {
        self.raw(&[0xf6])
    }

    pub(super) fn bool(&mut self, b: bool) -> Outcome {
        self.raw(&[0xf4 | u8::from(b)])
    }

    pub(super) fn tag(&mut self, tag: u64) -> Outcome {
        self.head(6, tag)
    }

    pub(super) fn array_head(&mut self, len: usize) -> Outcome {
        self.head(4, len as u64)
    }

    pub(super) fn map_head(&mut self, len: usize) -> Outcome {
        self.head(5, len as u64)
    }

    pub(super) fn unsigned(&mut self, n: u64) -> Outcome {
        self.head(0, n)
    }

    pub(super) fn small(&mut self, n: i64) -> Outcome {
        if n >= 0 {
            self.head(0, n as u64)
        } else {
            self.head(1, !n as u64)
        }
    }

    pub(super) fn integer(&mut self, n: IntRef<'_>) -> Outcome {
        if let Some(n) = n.to_i64() {
            return self.small(n);
        }
        let big = n.as_big();
        let (tag, magnitude) = match big.sign() {
            // Tag 3 holds -1 - n.
            Sign::Minus => (tag::NEGATIVE_BIG, big.magnitude() - 1u32),
            _ => (tag::POSITIVE_BIG, big.magnitude().clone()),
        };
        self.head(6, tag)?;
        self.bytes(&magnitude.to_bytes_be())
    }

    pub(super) fn float(&mut self, x: f64) -> Outcome {
        self.raw(&[0xfb])?;
        self.raw(&Value::public_bits(x).to_be_bytes())
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Outcome {
        self.head(2, bytes.len() as u64)?;
        self.raw(bytes)
    }

    pub(super) fn text(&mut self, text: &str) -> Outcome {
        self.head(3, text.len() as u64)?;
        self.raw(text.as_bytes())
    }

    /// A string of the program's, which may hold lone surrogates.
    pub(super) fn string(&mut self, text: &Str) -> Outcome {
        if let Some(s) = text.as_str() {
            return self.text(s);
        }
        self.head(6, tag::SURROGATES)?;
        self.bytes(text.as_bytes())
    }

    /// A data item's head, in the shortest form.
    fn head(&mut self, major: u8, argument: u64) -> Outcome {
        let major = major << 5;
        let bytes = argument.to_be_bytes();
        let (size, argument) = match argument {
            0..24 => return self.raw(&[major | argument as u8]),
            24..0x100 => (24, &bytes[7..]),
            0x100..0x1_0000 => (25, &bytes[6..]),
            0x1_0000..0x1_0000_0000 => (26, &bytes[4..]),
            _ => (27, &bytes[..]),
        };
        self.raw(&[major | size])?;
        self.raw(argument)
    }

    fn raw(&mut self, bytes: &[u8]) -> Outcome {
        if self.out.len() + bytes.len() > MAX_ENCODED {
            return refuse_all(format!(
                "the value is too large to leave the sandbox (more than {} MiB)",
                MAX_ENCODED >> 20
            ));
        }
        if self.out.try_reserve(bytes.len()).is_err() {
            return refuse_all("there is no memory to encode the value");
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}
