//! The text of JSON in Python's dialect: what `json.dumps` writes with its defaults, and what `json.loads` reads.

use std::fmt::Write;

use super::super::BigInt;
use super::plain::{Key, Plain};
use super::{JsonError, MAX_JSON_DEPTH};

pub(super) fn write(out: &mut String, plain: &Plain) {
    match plain {
        Plain::Null => out.push_str("null"),
        Plain::Bool(true) => out.push_str("true"),
        Plain::Bool(false) => out.push_str("false"),
        // Writing to a string cannot fail.
        Plain::Int(n) => write!(out, "{n}").unwrap_or_default(),
        Plain::BigInt(n) => write!(out, "{n}").unwrap_or_default(),
        Plain::Float(x) if x.is_nan() => out.push_str("NaN"),
        Plain::Float(x) if x.is_infinite() => {
            out.push_str(if *x > 0.0 { "Infinity" } else { "-Infinity" });
        }
        // The shortest text that is read back as the same number, with a point or an exponent.
        Plain::Float(x) => write!(out, "{x:?}").unwrap_or_default(),
        Plain::Str(s) => string(out, s.as_bytes()),
        Plain::SurrogateStr(s) => string(out, s),
        Plain::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write(out, item);
            }
            out.push(']');
        }
        Plain::Object(entries) => {
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                match key {
                    Key::Str(key) => string(out, key.as_bytes()),
                    Key::Surrogates(key) => string(out, key),
                }
                out.push_str(": ");
                write(out, value);
            }
            out.push('}');
        }
    }
}

/// A string of WTF-8, in ASCII.
fn string(out: &mut String, wtf8: &[u8]) {
    out.push('"');
    // The three bytes of a lone surrogate are found one by one.
    let mut lone: Vec<u8> = Vec::new();
    for chunk in wtf8.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                ' '..='~' => out.push(c),
                _ => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        write!(out, "\\u{unit:04x}").unwrap_or_default();
                    }
                }
            }
        }
        lone.extend_from_slice(chunk.invalid());
        if let [a, b, c] = lone[..] {
            let unit = u16::from(a & 0xf) << 12 | u16::from(b & 0x3f) << 6 | u16::from(c & 0x3f);
            write!(out, "\\u{unit:04x}").unwrap_or_default();
            lone.clear();
        }
    }
    out.push('"');
}

pub(super) fn read(text: &str, start: usize) -> Result<Plain, JsonError> {
    let mut reader = Reader { text, at: start };
    let value = reader.value(0)?;
    reader.space();
    if reader.at < text.len() {
        return reader.wrong("something follows the value");
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn wrong<T>(&self, reason: &'static str) -> Result<T, JsonError> {
        Err(JsonError::Syntax {
            at: self.at,
            reason,
        })
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.next(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn skip(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    fn value(&mut self, depth: usize) -> Result<Plain, JsonError> {
        if depth > MAX_JSON_DEPTH {
            return Err(JsonError::TooDeep);
        }
        self.space();
        for (word, value) in [
            ("null", Plain::Null),
            ("true", Plain::Bool(true)),
            ("false", Plain::Bool(false)),
            ("NaN", Plain::Float(f64::NAN)),
            ("Infinity", Plain::Float(f64::INFINITY)),
            ("-Infinity", Plain::Float(f64::NEG_INFINITY)),
        ] {
            if self.skip(word) {
                return Ok(value);
            }
        }
        match self.next() {
            Some(b'"') => Ok(match self.string()? {
                Key::Str(s) => Plain::Str(s),
                Key::Surrogates(s) => Plain::SurrogateStr(s),
            }),
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                self.space();
                if self.skip("]") {
                    return Ok(Plain::List(items));
                }
                loop {
                    items.push(self.value(depth + 1)?);
                    self.space();
                    if self.skip("]") {
                        return Ok(Plain::List(items));
                    }
                    if !self.skip(",") {
                        return self.wrong("a comma or a bracket is expected");
                    }
                }
            }
            Some(b'{') => {
                self.at += 1;
                self.object(depth)
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.wrong("a value is expected"),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Plain, JsonError> {
        let mut entries: Vec<(Key, Plain)> = Vec::new();
        self.space();
        if self.skip("}") {
            return Ok(Plain::Object(entries));
        }
        loop {
            self.space();
            if self.next() != Some(b'"') {
                return self.wrong("a key is expected");
            }
            let key = self.string()?;
            self.space();
            if !self.skip(":") {
                return self.wrong("a colon is expected");
            }
            entries.push((key, self.value(depth + 1)?));
            self.space();
            if self.skip("}") {
                return Ok(Plain::Object(last_of_each(entries)));
            }
            if !self.skip(",") {
                return self.wrong("a comma or a brace is expected");
            }
        }
    }

    fn number(&mut self) -> Result<Plain, JsonError> {
        let start = self.at;
        let digits = |r: &mut Self| {
            let from = r.at;
            while matches!(r.next(), Some(b'0'..=b'9')) {
                r.at += 1;
            }
            r.at - from
        };
        self.skip("-");
        let zero = self.next() == Some(b'0');
        match digits(self) {
            0 => return self.wrong("a digit is expected"),
            1 => {}
            _ if zero => return self.wrong("a number begins with 0"),
            _ => {}
        }
        let mut whole = true;
        if self.skip(".") {
            whole = false;
            if digits(self) == 0 {
                return self.wrong("a digit is expected");
            }
        }
        if self.skip("e") || self.skip("E") {
            whole = false;
            if !self.skip("+") {
                self.skip("-");
            }
            if digits(self) == 0 {
                return self.wrong("a digit is expected");
            }
        }
        let text = &self.text[start..self.at];
        if !whole {
            return match text.parse() {
                Ok(x) => Ok(Plain::Float(x)),
                Err(_) => self.wrong("not a number"),
            };
        }
        match (text.parse::<i64>(), text.parse::<BigInt>()) {
            (Ok(n), _) => Ok(Plain::Int(n)),
            (_, Ok(n)) => Ok(Plain::BigInt(n)),
            _ => self.wrong("an integer has more than 4300 digits"),
        }
    }

    /// A string; the quote is next.
    fn string(&mut self) -> Result<Key, JsonError> {
        self.at += 1;
        let mut out = Vec::new();
        // A high surrogate that waits for a low one.
        let mut high: Option<u16> = None;
        loop {
            let plain = self
                .rest()
                .bytes()
                .take_while(|&b| b != b'"' && b != b'\\' && b >= 0x20)
                .count();
            if plain > 0 {
                flush(&mut out, &mut high);
                out.extend_from_slice(&self.rest().as_bytes()[..plain]);
                self.at += plain;
            }
            match self.next() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 1,
                Some(_) => return self.wrong("a control character in a string"),
                None => return self.wrong("a string does not end"),
            }
            let Some(escape) = self.next() else {
                return self.wrong("a string does not end");
            };
            self.at += 1;
            let c = match escape {
                b'"' | b'\\' | b'/' => escape,
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'u' => {
                    let unit = self
                        .text
                        .as_bytes()
                        .get(self.at..self.at + 4)
                        .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
                        .and_then(|digits| std::str::from_utf8(digits).ok())
                        .and_then(|digits| u16::from_str_radix(digits, 16).ok());
                    let Some(unit) = unit else {
                        return self.wrong("four hexadecimal digits are expected");
                    };
                    self.at += 4;
                    push_unit(&mut out, &mut high, unit);
                    continue;
                }
                _ => return self.wrong("unknown escape"),
            };
            flush(&mut out, &mut high);
            out.push(c);
        }
        flush(&mut out, &mut high);
        self.at += 1;
        Ok(match String::from_utf8(out) {
            Ok(text) => Key::Str(text),
            Err(e) => Key::Surrogates(e.into_bytes()),
        })
    }
}

/// A code unit of UTF-16, paired with the one before it when they belong together.
fn push_unit(out: &mut Vec<u8>, high: &mut Option<u16>, unit: u16) {
    match (*high, unit) {
        (Some(first), 0xdc00..=0xdfff) => {
            *high = None;
            for c in char::decode_utf16([first, unit]).flatten() {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        (_, 0xd800..=0xdbff) => {
            flush(out, high);
            *high = Some(unit);
        }
        _ => {
            flush(out, high);
            push_lone(out, unit);
        }
    }
}

fn flush(out: &mut Vec<u8>, high: &mut Option<u16>) {
    if let Some(unit) = high.take() {
        push_lone(out, unit);
    }
}

/// A code unit on its own, which may be half of a pair: as UTF-8 would have it.
fn push_lone(out: &mut Vec<u8>, unit: u16) {
    match char::from_u32(unit.into()) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(&[
            0xe0 | (unit >> 12) as u8,
            0x80 | (unit >> 6) as u8 & 0x3f,
            0x80 | unit as u8 & 0x3f,
        ]),
    }
}

/// Of keys that are there more than once the last value counts, in the place of the first, as in Python.
fn last_of_each(entries: Vec<(Key, Plain)>) -> Vec<(Key, Plain)> {
    use std::collections::HashMap;
    let bytes = |key: &Key| match key {
        Key::Str(key) => key.clone().into_bytes(),
        Key::Surrogates(key) => key.clone(),
    };
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut out: Vec<(Key, Plain)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match places.get(&bytes(&key)) {
            Some(&place) => out[place].1 = value,
            None => {
                places.insert(bytes(&key), out.len());
                out.push((key, value));
            }
        }
    }
    out
}
