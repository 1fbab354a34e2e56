//! `_multibyte_core`: the East Asian encodings in which one to four bytes are a character, without what is done about errors.

mod tables;

use crate::heap::Ref;
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use std::rc::Rc;
use tables::Table;

/// Characters between looks at the limits.
const BATCH: usize = 1 << 16;

fn table(vm: &mut Vm, name: &Value) -> R<Rc<Table>> {
    let found = name
        .as_ref::<Str>()
        .and_then(|s| tables::find(&s.to_text()));
    found.ok_or_else(|| vm.lookup_error("no such multibyte encoding"))
}

/// What is at the start of some bytes.
enum Piece {
    Char(char, usize),
    /// A character that is not there, and how many bytes are to blame.
    Illegal(usize),
    Incomplete,
}

fn piece(table: &Table, data: &[u8]) -> Piece {
    let first = data[0];
    match table.single(first) {
        tables::NONE if first < 0x80 || table.is_strict() => return Piece::Illegal(1),
        tables::NONE | tables::LEAD => {}
        c => return char_or(u32::from(c), 1, 1),
    }
    let Some(second) = data.get(1) else {
        return Piece::Incomplete;
    };
    if table.has_four() && second.is_ascii_digit() {
        let (Some(third), Some(fourth)) = (data.get(2), data.get(3)) else {
            return Piece::Incomplete;
        };
        if !(0x81..=0xfe).contains(third) || !fourth.is_ascii_digit() {
            return Piece::Illegal(1);
        }
        let n = |byte: &u8, from: u8| u32::from(byte - from);
        let number = ((n(&first, 0x81) * 10 + n(second, b'0')) * 126 + n(third, 0x81)) * 10
            + n(fourth, b'0');
        return char_or(table.fourth(number), 4, 4);
    }
    if first == 0x8f && table.has_three() {
        let Some(third) = data.get(2) else {
            return Piece::Incomplete;
        };
        return char_or(u32::from(table.third(*second, *third)), 3, 1);
    }
    if table.has_parts() && [first, *second] == tables::FILLER {
        let Some(parts) = data.get(..8) else {
            return Piece::Incomplete;
        };
        return char_or(tables::composed(parts), 8, 1);
    }
    char_or(u32::from(table.pair(first, *second)), 2, 1)
}

/// The character of a number, 0 being none.
fn char_or(c: u32, size: usize, blame: usize) -> Piece {
    match char::from_u32(c) {
        Some(c) if size == 1 || c != '\0' => Piece::Char(c, size),
        _ => Piece::Illegal(blame),
    }
}

static FUNCTIONS: &[Def] = &[
    // decode(encoding, data, start): the text, where it stopped, and why: None at the end, 0 in an incomplete sequence, or how many bytes are wrong.
    Def::function("decode", "(encoding, data, start, /)", |vm, args| {
        let table = table(vm, &args[0])?;
        let data = buffer::copy(vm, &args[1])?;
        let mut at = usize::try_from(vm.index_i64(&args[2])?).unwrap_or(usize::MAX);
        let mut text = String::new();
        let mut count = 0;
        let why = loop {
            let Some(rest) = data.get(at..).filter(|rest| !rest.is_empty()) else {
                break Value::NONE;
            };
            count += 1;
            if count % BATCH == 0 {
                vm.poll_native()?;
                vm.text_size(text.len())?;
            }
            match piece(&table, rest) {
                Piece::Char(c, size) => {
                    text.push(c);
                    at += size;
                }
                Piece::Illegal(size) => break Value::int(size as i64),
                Piece::Incomplete => break Value::int(0),
            }
        };
        Ok(Tuple::value(vec![
            Str::value(&text),
            Value::int(at as i64),
            why,
        ]))
    }),
    // encode(encoding, text, start): the bytes, and where it stopped: the length of the text, or a character that has none.
    Def::function("encode", "(encoding, text, start, /)", |vm, args| {
        let table = table(vm, &args[0])?;
        let Some(text) = args[1].as_ref::<Str>().cloned() else {
            return Err(vm.type_error("text must be a str"));
        };
        let start = usize::try_from(vm.index_i64(&args[2])?).unwrap_or(usize::MAX);
        let mut out = Vec::new();
        let mut at = 0;
        for (i, c) in text.chars().enumerate() {
            at = i;
            if i < start {
                at = i + 1;
                continue;
            }
            if i % BATCH == 0 {
                vm.poll_native()?;
                vm.text_size(out.len())?;
            }
            if !table.encode(c, &mut out) {
                break;
            }
            at = i + 1;
        }
        Ok(Tuple::value(vec![Bytes::value(out), Value::int(at as i64)]))
    }),
];

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_multibyte_core", "", FUNCTIONS)
}
