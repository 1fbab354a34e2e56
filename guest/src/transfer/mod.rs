//! Values that cross between the sandbox and its host: the encoding that `wit/sandbox.wit` describes (CBOR, RFC 8949).
//!
//! No Python code of the program's runs while a value is encoded; code of the library may, where its types are written in Python.
//! Instances of subclasses cross as the built-in or library type below them, unless they are of the kinds that name their class. What the
//! host sends is checked as if it came from anywhere.
//!
//! The rooms: [`refusal`] says why and where; [`writer`] knows CBOR; [`encode`] the built-in types, [`library`] those of the library,
//! [`classes`] enums, dataclasses and their like; [`decode`] reads, [`build`] makes what is more than a built-in type, [`made`] the
//! classes that the session does not have.

mod build;
mod classes;
mod decode;
mod encode;
mod library;
mod made;
mod refusal;
#[cfg(test)]
mod tests;
mod writer;

use crate::value::Value;
use crate::vm::Vm;

/// How deep containers may nest.
pub const MAX_DEPTH: usize = 200;

/// The longest encoding of one value. A small value can have a large one: containers may share their items.
pub const MAX_ENCODED: usize = 32 << 20;

/// How many parts one value may have when it leaves: each takes more room with the host than here.
pub const MAX_PARTS: usize = 1 << 22;

mod tag {
    pub(super) const POSITIVE_BIG: u64 = 2;
    pub(super) const NEGATIVE_BIG: u64 = 3;
    pub(super) const SET: u64 = 258;
    pub(super) const SURROGATES: u64 = 39100;
    pub(super) const TUPLE: u64 = 39101;
    pub(super) const FROZEN_SET: u64 = 39102;
    pub(super) const COMPLEX: u64 = 39103;
    pub(super) const BYTE_ARRAY: u64 = 39104;
    pub(super) const RANGE: u64 = 39105;
    pub(super) const SLICE: u64 = 39106;
    pub(super) const HANDLE: u64 = 39110;
    pub(super) const DATE: u64 = 39120;
    pub(super) const TIME: u64 = 39121;
    pub(super) const DATE_TIME: u64 = 39122;
    pub(super) const TIME_DELTA: u64 = 39123;
    pub(super) const FIXED_ZONE: u64 = 39124;
    pub(super) const NAMED_ZONE: u64 = 39125;
    pub(super) const DECIMAL: u64 = 39126;
    pub(super) const FRACTION: u64 = 39127;
    pub(super) const PATH: u64 = 39128;
    pub(super) const UUID: u64 = 39129;
    pub(super) const ENUM: u64 = 39130;
    pub(super) const DATACLASS: u64 = 39131;
    pub(super) const NAMED_TUPLE: u64 = 39132;
    pub(super) const EXCEPTION: u64 = 39133;
}

/// Encodes a value; the error says why it cannot cross, and where in it the reason is. When the program is being stopped meanwhile, that
/// is an error too, and [`Vm`] knows.
pub fn encode(vm: &mut Vm, value: &Value) -> Result<Vec<u8>, String> {
    encode::encode(vm, value).map_err(|refusal| refusal.text())
}

/// Decodes a value; the error says what is wrong with it.
pub fn decode(vm: &mut Vm, bytes: &[u8]) -> Result<Value, String> {
    decode::decode(vm, bytes)
}

/// The text of the pending exception, which is forgotten.
fn error_text(vm: &mut Vm) -> String {
    if vm.stopped.is_some() {
        return "the program was stopped".to_owned();
    }
    let error = vm.take_error();
    match vm.str(&error) {
        Ok(text) if !text.is_empty() => text.to_text().into_owned(),
        Ok(_) => vm.class_of(&error).bare_name().into_owned(),
        Err(raised) => {
            let _ = vm.swallow_any(raised);
            "the value cannot be read".to_owned()
        }
    }
}
