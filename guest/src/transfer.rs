//! Values that cross between the sandbox and its host: the encoding that `wit/sandbox.wit` describes (CBOR, RFC 8949).
//!
//! No Python code runs while a value is encoded: instances of subclasses cross as the built-in type below them. What
//! the host sends is checked as if it came from anywhere.

use num_bigint::{BigInt, BigUint, Sign};

use crate::heap::Ref;
use crate::objects::bytes::{ByteArray, Bytes};
use crate::objects::complex::Complex;
use crate::objects::dict::Dict;
use crate::objects::host_object::HostObject;
use crate::objects::int::IntRef;
use crate::objects::list::List;
use crate::objects::set::{self, FrozenSet, Set};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};

/// How deep containers may nest.
pub const MAX_DEPTH: usize = 200;

/// The longest encoding of one value. A small value can have a large one: containers may share their items.
pub const MAX_ENCODED: usize = 32 << 20;

mod tag {
    pub(super) const POSITIVE_BIG: u64 = 2;
    pub(super) const NEGATIVE_BIG: u64 = 3;
    pub(super) const SET: u64 = 258;
    pub(super) const SURROGATES: u64 = 39100;
    pub(super) const TUPLE: u64 = 39101;
    pub(super) const FROZEN_SET: u64 = 39102;
    pub(super) const COMPLEX: u64 = 39103;
    pub(super) const HANDLE: u64 = 39110;
}

/// Encodes a value; the error says why it cannot cross.
pub fn encode(vm: &Vm, value: &Value) -> Result<Vec<u8>, String> {
    let mut writer = Writer {
        vm,
        out: Vec::new(),
    };
    writer.value(value, 0)?;
    Ok(writer.out)
}

struct Writer<'a> {
    vm: &'a Vm,
    out: Vec<u8>,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), String> {
        if value.is_none() {
            self.raw(&[0xf6])
        } else if let Some(b) = value.as_bool() {
            self.raw(&[0xf4 | u8::from(b)])
        } else if let Some(n) = value.as_int() {
            self.integer(n)
        } else if let Some(x) = value.as_any_float() {
            self.float(x)
        } else if let Some(s) = value.as_ref::<Str>() {
            self.text(s)
        } else if let Some(b) = value.as_ref::<Bytes>() {
            self.bytes(&b.data)
        } else if let Some(b) = value.as_ref::<ByteArray>() {
            let vm = self.vm;
            self.bytes(b.data.get(vm))
        } else if let Some(c) = value.as_ref::<Complex>() {
            self.head(6, tag::COMPLEX)?;
            self.head(4, 2)?;
            self.float(c.re)?;
            self.float(c.im)
        } else if let Some(list) = value.as_ref::<List>() {
            let vm = self.vm;
            let items = list.items.get(vm);
            self.array(items.len(), items.iter(), depth)
        } else if let Some(tuple) = value.as_ref::<Tuple>() {
            self.head(6, tag::TUPLE)?;
            self.array(tuple.items().len(), tuple.items().iter(), depth)
        } else if let Some(dict) = value.as_ref::<Dict>() {
            self.dict(dict, depth)
        } else if let Some(table) = set::table_of(value) {
            self.head(
                6,
                if value.is::<Set>() {
                    tag::SET
                } else {
                    tag::FROZEN_SET
                },
            )?;
            let vm = self.vm;
            let table = table.get(vm);
            self.array(table.len(), table.iter().map(|(_, key)| key), depth)
        } else if let Some(object) = value.as_ref::<HostObject>() {
            self.head(6, tag::HANDLE)?;
            self.head(4, 3)?;
            self.head(0, object.id)?;
            for text in [&object.type_name, &object.repr] {
                self.head(3, text.len() as u64)?;
                self.raw(text.as_bytes())?;
            }
            Ok(())
        } else {
            Err(format!(
                "a value of type '{}' cannot leave the sandbox",
                self.vm.class_of(value).name()
            ))
        }
    }

    fn array<'v>(
        &mut self,
        len: usize,
        items: impl Iterator<Item = &'v Value>,
        depth: usize,
    ) -> Result<(), String> {
        let depth = deeper(depth)?;
        self.head(4, len as u64)?;
        for item in items {
            self.value(item, depth)?;
        }
        Ok(())
    }

    fn dict(&mut self, dict: &Dict, depth: usize) -> Result<(), String> {
        let depth = deeper(depth)?;
        let vm = self.vm;
        let map = dict.map.get(vm);
        self.head(5, map.len() as u64)?;
        for entry in map.iter() {
            self.value(&entry.key, depth)?;
            self.value(&entry.value, depth)?;
        }
        Ok(())
    }

    fn integer(&mut self, n: IntRef<'_>) -> Result<(), String> {
        if let Some(n) = n.to_i64() {
            return if n >= 0 {
                self.head(0, n as u64)
            } else {
                self.head(1, !n as u64)
            };
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

    fn text(&mut self, text: &Ref<Str>) -> Result<(), String> {
        if let Some(s) = text.as_str() {
            self.head(3, s.len() as u64)?;
            return self.raw(s.as_bytes());
        }
        self.head(6, tag::SURROGATES)?;
        self.bytes(text.as_bytes())
    }

    fn float(&mut self, x: f64) -> Result<(), String> {
        self.raw(&[0xfb])?;
        self.raw(&Value::public_bits(x).to_be_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.head(2, bytes.len() as u64)?;
        self.raw(bytes)
    }

    /// A data item's head, in the shortest form.
    fn head(&mut self, major: u8, argument: u64) -> Result<(), String> {
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

    fn raw(&mut self, bytes: &[u8]) -> Result<(), String> {
        if self.out.len() + bytes.len() > MAX_ENCODED {
            return Err(format!(
                "the value is too large to leave the sandbox (more than {} MiB)",
                MAX_ENCODED >> 20
            ));
        }
        if self.out.try_reserve(bytes.len()).is_err() {
            return Err("there is no memory to encode the value".to_owned());
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

fn deeper(depth: usize) -> Result<usize, String> {
    if depth == MAX_DEPTH {
        return Err(format!(
            "the value nests deeper than {MAX_DEPTH} levels, or contains itself"
        ));
    }
    Ok(depth + 1)
}

/// Decodes a value; the error says what is wrong with it.
pub fn decode(vm: &mut Vm, bytes: &[u8]) -> Result<Value, String> {
    let mut reader = Reader { vm, bytes, at: 0 };
    let value = reader.value(0)?;
    if reader.at < bytes.len() {
        return Err(format!("something follows the value at byte {}", reader.at));
    }
    Ok(value)
}

struct Reader<'a> {
    vm: &'a mut Vm,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, String> {
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
            (tag::HANDLE, 4) => {
                let (byte, id) = self.head()?;
                if argument != 3 || byte >> 5 != 0 {
                    return Err(self.wrong("a host object is not a number and two strings"));
                }
                let (type_name, repr) = (self.text()?, self.text()?);
                Ok(HostObject::value(id, type_name, repr))
            }
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
            _ => Err(self.wrong("unknown tag, or wrong content of one")),
        }
    }

    fn text(&mut self) -> Result<&'a str, String> {
        let (byte, argument) = self.head()?;
        let bytes = self.take(argument)?;
        match (byte >> 5, str::from_utf8(bytes)) {
            (3, Ok(text)) => Ok(text),
            _ => Err(self.wrong("text is expected")),
        }
    }

    fn items(&mut self, count: u64, depth: usize) -> Result<Vec<Value>, String> {
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

    /// Hashing a key may fail: then the exception's text is the reason.
    fn built<T>(&mut self, result: R<T>) -> Result<T, String> {
        result.map_err(|_| {
            let error = self.vm.take_error();
            match self.vm.str(&error) {
                Ok(text) => text.to_text().into_owned(),
                Err(_) => {
                    self.vm.take_error();
                    "the value cannot be built".to_owned()
                }
            }
        })
    }

    /// Initial byte and argument of the next data item.
    fn head(&mut self) -> Result<(u8, u64), String> {
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

    fn take(&mut self, count: u64) -> Result<&'a [u8], String> {
        self.claim(count)?;
        let start = self.at;
        self.at += count as usize;
        Ok(&self.bytes[start..self.at])
    }

    fn claim(&self, count: u64) -> Result<(), String> {
        if count > (self.bytes.len() - self.at) as u64 {
            Err(self.wrong("the value ends too early"))
        } else {
            Ok(())
        }
    }

    fn wrong(&self, what: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::host::{Host, Stream, ToolError, Verdict};

    /// A world in which nothing happens.
    struct Nothing;

    impl Host for Nothing {
        fn write(&mut self, _: Stream, _: &[u8]) -> bool {
            true
        }
        fn wall_clock(&mut self) -> u64 {
            0
        }
        fn monotonic_clock(&mut self) -> u64 {
            0
        }
        fn sleep(&mut self, _: u64) {}
        fn entropy(&mut self, count: usize) -> Vec<u8> {
            vec![0; count]
        }
        fn checkpoint(&mut self) -> Verdict {
            Verdict::GoOn
        }
        fn call_tool(&mut self, _: &str, _: &[u8]) -> Result<Vec<u8>, ToolError> {
            Err(("RuntimeError".to_owned(), "no tools".to_owned()))
        }
    }

    fn value_of(vm: &mut Vm, source: &str) -> Value {
        vm.run_program(source, "<test>", true)
            .expect("it runs")
            .unwrap_or(Value::NONE)
    }

    #[test]
    fn every_kind_survives_the_round_trip() {
        let mut vm = Vm::boot(Box::new(Nothing));
        for source in [
            "None",
            "True",
            "False",
            "0",
            "-1",
            "23",
            "24",
            "255",
            "256",
            "65536",
            "-500",
            "2**32",
            "2**47",
            "-2**47 - 1",
            "2**63 - 1",
            "-2**63",
            "2**63",
            "2**64 - 1",
            "-2**64",
            "2**64",
            "-2**64 - 1",
            "10**100",
            "-10**100",
            "0.1",
            "-0.0",
            "float('inf')",
            "''",
            "'na\u{ef}ve \u{1f40d}'",
            "'a\\ud800b'",
            "b''",
            "b'\\x00\\xff'",
            "[]",
            "[1, [2, 'x'], None]",
            "()",
            "(1, (2,))",
            "{}",
            "{'b': 1, 'a': (1, 2), (1, 2): [3]}",
            "set()",
            "{1}",
            "frozenset({'x'})",
            "1.5-2j",
            "[float('inf'), 1e300]",
        ] {
            let value = value_of(&mut vm, source);
            let bytes = encode(&vm, &value).expect("it can cross");
            let back = decode(&mut vm, &bytes).expect("it comes back");
            let (a, b) = (vm.repr(&value), vm.repr(&back));
            let (a, b) = (
                a.expect("a repr").to_text().into_owned(),
                b.expect("a repr").to_text().into_owned(),
            );
            assert_eq!(a, b);
            assert_eq!(encode(&vm, &back), Ok(bytes));
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_table() {
        let mut vm = Vm::boot(Box::new(Nothing));
        for (source, expected) in [
            ("None", "f6"),
            ("True", "f5"),
            ("-500", "3901f3"),
            ("2**64", "c249010000000000000000"),
            ("-2**64 - 1", "c349010000000000000000"),
            ("1.1", "fb3ff199999999999a"),
            ("'a'", "6161"),
            ("()", "d998bd80"),
            ("set()", "d9010280"),
            ("{'a': 1}", "a1616101"),
            ("0j", "d998bf82fb0000000000000000fb0000000000000000"),
        ] {
            let value = value_of(&mut vm, source);
            let hex: String = encode(&vm, &value)
                .expect("it can cross")
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            assert_eq!(hex, expected, "{source}");
        }
    }

    #[test]
    fn host_objects_are_opaque_and_equal_by_number() {
        let mut vm = Vm::boot(Box::new(Nothing));
        let mut bytes = vec![0xd9, 0x98, 0xc6, 0x83, 7, 0x65];
        bytes.extend_from_slice(b"Image\x6b<Image 2x2>");
        let object = decode(&mut vm, &bytes).expect("it enters");
        assert_eq!(encode(&vm, &object), Ok(bytes));
        let main = vm.main.dict.clone();
        for (name, value) in [
            ("a", object),
            ("b", HostObject::value(7, "Image", "")),
            ("c", HostObject::value(8, "Image", "")),
        ] {
            main.set_str(&mut vm, &crate::names::intern(name), value);
        }
        let value = value_of(
            &mut vm,
            "try: type(a)()\nexcept TypeError as e: text = str(e)\n(repr(a), a == b, a != c, a == 7, len({a, b, c}), text)",
        );
        let text = vm.repr(&value).expect("a repr");
        assert_eq!(
            text.to_text(),
            "('<Image 2x2>', True, True, False, 2, \"cannot create 'coldframe.HostObject' instances\")"
        );
    }

    #[test]
    fn what_cannot_cross_says_why() {
        let mut vm = Vm::boot(Box::new(Nothing));
        for (source, reason) in [
            (
                "range(3)",
                "a value of type 'range' cannot leave the sandbox",
            ),
            (
                "[print]",
                "a value of type 'builtin_function_or_method' cannot leave the sandbox",
            ),
            (
                "a = []\na.append(a)\na",
                "the value nests deeper than 200 levels, or contains itself",
            ),
            (
                "a = []\nfor _ in range(200): a = [a]\na",
                "the value nests deeper than 200 levels, or contains itself",
            ),
            (
                "a = 'x' * 100000\nfor _ in range(10): a = [a, a]\na",
                "the value is too large to leave the sandbox (more than 32 MiB)",
            ),
        ] {
            let value = value_of(&mut vm, source);
            assert_eq!(encode(&vm, &value), Err(reason.to_owned()));
        }
        let value = value_of(&mut vm, "a = []\nfor _ in range(199): a = [a]\na");
        assert!(encode(&vm, &value).is_ok());
    }

    #[test]
    fn wrong_bytes_are_refused() {
        let mut vm = Vm::boot(Box::new(Nothing));
        let cases: &[&[u8]] = &[
            &[],
            &[0x81],
            &[0x9b, 255, 255, 255, 255, 255, 255, 255, 255],
            &[0xbb, 0x80, 0, 0, 0, 0, 0, 0, 0],
            &[0x61, 0xff],
            &[0x9f, 0xff],
            &[0xf9, 0, 0],
            &[0xc0, 0x60],
            &[0xd9, 0x98, 0xbf, 0x82, 1, 1],
            &[0xd9, 0x98, 0xbc, 0x41, 0xff],
            &[1, 1],
            &[0xa1, 0x80, 1],
            &[0xd9, 1, 2, 0x81, 0x80],
        ];
        for bytes in cases {
            assert!(decode(&mut vm, bytes).is_err(), "{bytes:02x?}");
        }
        assert!(decode(&mut vm, &[0x81; 100_000]).is_err());
        assert_eq!(
            decode(&mut vm, &[0xa1, 0x80, 1]).err().as_deref(),
            Some("cannot use 'list' as a dict key (unhashable type: 'list')")
        );
    }
}
