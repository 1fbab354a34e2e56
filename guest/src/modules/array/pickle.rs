//! How arrays are taken apart for `pickle` and `copy`, and put together again whatever machine wrote them.

use super::methods::to_list;
use super::{Array, TYPECODES, convert};
use crate::heap::Payload;
use crate::names;
use crate::objects::bytes::Bytes;
use crate::objects::bytes::items::Item;
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

pub(super) static METHODS: &[Def] = &[Def::method(
    "__reduce_ex__",
    "(self, protocol, /)",
    |vm, args| {
        let array = receiver::<Array>(&args[0]);
        let protocol = vm.index_i64(&args[1])?;
        let class = class_of(&args[0]).to_value();
        let code = Str::from_char(array.code as u32);
        let state = vm.namespace_of(&args[0])?.unwrap_or(Value::NONE);
        if protocol < 3 {
            let items = List::value(to_list(vm, array)?);
            return Ok(Tuple::value(vec![
                class,
                Tuple::value(vec![code, items]),
                state,
            ]));
        }
        let module = vm.import_module("array")?;
        let function = vm.get_attr(&module, &names::intern("_array_reconstructor").to_value())?;
        let size = array.data.get(vm).len();
        vm.text_size(size)?;
        let data = Bytes::value(array.data.get(vm).clone());
        let how = Tuple::value(vec![
            class,
            code,
            Value::int(machine_format(array.code)),
            data,
        ]);
        Ok(Tuple::value(vec![function, how, state]))
    },
)];

pub(super) static FUNCTIONS: &[Def] = &[Def::function(
    "_array_reconstructor",
    "(arraytype, typecode, mformat_code, items, /)",
    reconstruct,
)];

/// The number by which pickles name how the items of a code stand in memory here.
fn machine_format(code: u8) -> i64 {
    match code {
        b'u' | b'w' => 20,
        _ => match Item::of_code(code, true) {
            Some(Item::Unsigned(n)) => [0, 2, 6, 10][n.trailing_zeros() as usize & 3],
            Some(Item::Signed(n)) => [1, 4, 8, 12][n.trailing_zeros() as usize & 3],
            Some(Item::Float(4)) => 14,
            _ => 16,
        },
    }
}

/// What a machine format's items are (`None`: characters, of 2 or 4 bytes), their size, and whether they are big-endian.
fn described(format: i64) -> Option<(Option<Item>, usize, bool)> {
    let item = match format {
        0 => Item::Unsigned(1),
        1 => Item::Signed(1),
        2 | 3 => Item::Unsigned(2),
        4 | 5 => Item::Signed(2),
        6 | 7 => Item::Unsigned(4),
        8 | 9 => Item::Signed(4),
        10 | 11 => Item::Unsigned(8),
        12 | 13 => Item::Signed(8),
        14 | 15 => Item::Float(4),
        16 | 17 => Item::Float(8),
        18 | 19 => return Some((None, 2, format == 19)),
        20 | 21 => return Some((None, 4, format == 21)),
        _ => return None,
    };
    Some((Some(item), item.size(), format > 1 && format % 2 == 1))
}

fn reconstruct(vm: &mut Vm, args: &[Value]) -> R {
    let Some(class) = args[0].as_ref::<Type>() else {
        return Err(vm.type_error(format!(
            "first argument must be a type object, not {}",
            class_of(&args[0]).name()
        )));
    };
    let code = match args[1].as_ref::<Str>() {
        Some(s) if s.len() == 1 => s.char_at(0),
        _ => {
            let given = class_of(&args[1]).name().into_owned();
            return Err(vm.type_error(format!(
                "_array_reconstructor() argument 2 must be a unicode character, not {given}"
            )));
        }
    };
    let format = vm.index_i64(&args[2])?;
    if !class.is_subclass_of(Array::class()) {
        return Err(vm.type_error(format!("{} is not a subtype of array.array", class.name())));
    }
    let Some(code) = u8::try_from(code)
        .ok()
        .filter(|c| TYPECODES.as_bytes().contains(c))
    else {
        return Err(vm.value_error("second argument must be a valid type code"));
    };
    let Some((item, size, big)) = described(format) else {
        return Err(vm.value_error("third argument must be a valid machine format code."));
    };
    let Some(bytes) = args[3].as_ref::<Bytes>() else {
        return Err(vm.type_error(format!(
            "fourth argument should be bytes, not {}",
            class_of(&args[3]).name()
        )));
    };
    if !bytes.data.len().is_multiple_of(size) {
        return Err(vm.value_error("string length not a multiple of item size"));
    }
    vm.text_size(bytes.data.len().saturating_mul(2))?;
    // Integers of another size than the code has here get the code that fits them.
    let code = match item {
        Some(Item::Signed(_) | Item::Unsigned(_)) if Item::of_code(code, true) != item => {
            "bBhHiIlLqQ"
                .bytes()
                .find(|&c| Item::of_code(c, true) == item)
                .unwrap_or(code)
        }
        _ => code,
    };
    let made = Array::instance(class, code, Vec::new());
    let array = receiver::<Array>(&made);
    if format == machine_format(code) {
        array.append_raw(vm, &bytes.data)?;
        return Ok(made);
    }
    match item {
        Some(item) => {
            for part in bytes.data.chunks_exact(size) {
                vm.poll_native()?;
                array.push(vm, &item.read(part, big))?;
            }
        }
        None => {
            let units = bytes.data.chunks_exact(size).map(|part| {
                Item::Unsigned(size)
                    .read(part, big)
                    .as_small_int()
                    .unwrap_or(0) as u32
            });
            let characters: Vec<u32> = if size == 4 {
                units.collect()
            } else {
                // Halves of pairs that have lost their other half stand for themselves.
                char::decode_utf16(units.map(|u| u as u16))
                    .map(|c| c.map_or_else(|e| e.unpaired_surrogate() as u32, |c| c as u32))
                    .collect()
            };
            for c in characters {
                vm.poll_native()?;
                let c = convert::read(vm, b'w', &c.to_le_bytes())?;
                array.push(vm, &c)?;
            }
        }
    }
    Ok(made)
}
