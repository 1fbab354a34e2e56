//! The module `_blake2`: BLAKE2 with all its parameters (RFC 7693 and the BLAKE2 paper's tree mode).

use super::Hasher;
use super::objects::{class, start};
use crate::heap::Ref;
use crate::objects::bytes::buffer;
use crate::objects::module::Module;
use crate::objects::native::Params;
use crate::objects::slots::Slots;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use num_traits::ToPrimitive;

/// What differs between the two.
struct Kind {
    name: &'static str,
    digest: usize,
    salt: usize,
    offset_bits: u32,
}

const B: Kind = Kind {
    name: "blake2b",
    digest: 64,
    salt: 16,
    offset_bits: 64,
};
const S: Kind = Kind {
    name: "blake2s",
    digest: 32,
    salt: 8,
    offset_bits: 48,
};

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "_blake2", "", &[]);
    let slots = |new: fn(&mut Vm, &Ref<Type>, Args) -> R| Slots {
        new: Some(new),
        ..Slots::NONE
    };
    let b = class(
        vm,
        "_blake2",
        "blake2b",
        slots(|vm, class, args| make(vm, class, args, &B)),
    );
    module.set(vm, "blake2b", b.to_value());
    let s = class(
        vm,
        "_blake2",
        "blake2s",
        slots(|vm, class, args| make(vm, class, args, &S)),
    );
    module.set(vm, "blake2s", s.to_value());
    for (prefix, kind) in [("BLAKE2B", &B), ("BLAKE2S", &S)] {
        for (name, value) in sizes(kind) {
            module.set(vm, &format!("{prefix}_{name}"), Value::int(value as i64));
        }
    }
    module
}

fn sizes(kind: &Kind) -> [(&'static str, usize); 4] {
    [
        ("SALT_SIZE", kind.salt),
        ("PERSON_SIZE", kind.salt),
        ("MAX_KEY_SIZE", kind.digest),
        ("MAX_DIGEST_SIZE", kind.digest),
    ]
}

/// Adds the constants of the classes.
pub(super) fn constants(vm: &mut Vm, mut builder: ClassBuilder, name: &str) -> ClassBuilder {
    let kind = if name == B.name { &B } else { &S };
    for (name, value) in sizes(kind) {
        builder = builder.constant(vm, name, Value::int(value as i64));
    }
    builder
}

static PARAMS: &Params = crate::params!(
    "(data=b'', *, digest_size=64, key=b'', salt=b'', person=b'', fanout=1, depth=1, leaf_size=0, node_offset=0, node_depth=0, inner_size=0, last_node=False, usedforsecurity=True, string=None)"
);

fn make(vm: &mut Vm, class: &Ref<Type>, args: Args, kind: &Kind) -> R {
    let args = args.bind(vm, kind.name, PARAMS, 0)?;
    let digest_size = small(vm, &args, 1, kind.digest as i64)?;
    if digest_size < 1 || digest_size > kind.digest as i64 {
        return Err(vm.value_error(format!(
            "digest_size for {} must be between 1 and {} bytes, here it is {digest_size}",
            if kind.digest == 64 {
                "Blake2b"
            } else {
                "Blake2s"
            },
            kind.digest
        )));
    }
    let key = bytes(vm, &args, 2)?;
    let salt = bytes(vm, &args, 3)?;
    if salt.len() > kind.salt {
        return Err(vm.value_error(format!("maximum salt length is {} bytes", kind.salt)));
    }
    let person = bytes(vm, &args, 4)?;
    if person.len() > kind.salt {
        return Err(vm.value_error(format!("maximum person length is {} bytes", kind.salt)));
    }
    let fanout = small(vm, &args, 5, 1)?;
    if !(0..=255).contains(&fanout) {
        return Err(vm.value_error("fanout must be between 0 and 255"));
    }
    let depth = small(vm, &args, 6, 1)?;
    if !(1..=255).contains(&depth) {
        return Err(vm.value_error("depth must be between 1 and 255"));
    }
    let leaf_size = unsigned(vm, &args, 7, 64)?;
    if leaf_size > u32::MAX as u64 {
        return Err(vm.overflow_error("leaf_size is too large"));
    }
    let node_offset = unsigned(vm, &args, 8, 64)?;
    if kind.offset_bits < 64 && node_offset >> kind.offset_bits != 0 {
        return Err(vm.overflow_error("node_offset is too large"));
    }
    let node_depth = small(vm, &args, 9, 0)?;
    if !(0..=255).contains(&node_depth) {
        return Err(vm.value_error("node_depth must be between 0 and 255"));
    }
    let inner_size = small(vm, &args, 10, 0)?;
    if !(0..=kind.digest as i64).contains(&inner_size) {
        return Err(vm.value_error(format!(
            "inner_size must be between 0 and is {}",
            kind.digest
        )));
    }
    if key.len() > kind.digest {
        return Err(vm.value_error(format!("maximum key length is {} bytes", kind.digest)));
    }
    let last_node = match optional(&args, 11) {
        Some(v) => vm.truthy(v)?,
        None => false,
    };
    macro_rules! state {
        ($krate:ident, $variant:ident) => {{
            let mut p = $krate::Params::new();
            p.hash_length(digest_size as usize)
                .key(&key)
                .salt(&salt)
                .personal(&person)
                .fanout(fanout as u8)
                .max_depth(depth as u8)
                .max_leaf_length(leaf_size as u32)
                .node_offset(node_offset)
                .node_depth(node_depth as u8)
                .inner_hash_length(inner_size as usize)
                .last_node(last_node);
            Hasher::$variant(p.to_state(), digest_size as usize)
        }};
    }
    let state = if kind.digest == 64 {
        state!(blake2b_simd, Blake2b)
    } else {
        state!(blake2s_simd, Blake2s)
    };
    start(vm, state, class, optional(&args, 0), optional(&args, 13))
}

fn bytes(vm: &mut Vm, args: &[Value], index: usize) -> R<Vec<u8>> {
    match optional(args, index) {
        Some(v) => buffer::copy(vm, v),
        None => Ok(Vec::new()),
    }
}

fn small(vm: &mut Vm, args: &[Value], index: usize, default: i64) -> R<i64> {
    match optional(args, index) {
        Some(v) => {
            let i = vm.index_big(v)?;
            match i.to_i32() {
                Some(i) => Ok(i.into()),
                None => Err(vm.overflow_error("Python int too large to convert to C int")),
            }
        }
        None => Ok(default),
    }
}

fn unsigned(vm: &mut Vm, args: &[Value], index: usize, bits: u64) -> R<u64> {
    match optional(args, index) {
        Some(v) => {
            let i = vm.index_big(v)?;
            match i.to_u64() {
                Some(i) => Ok(i),
                None if i.sign() == coldframe_numeric::Sign::Minus => {
                    Err(vm.value_error("value must be positive"))
                }
                None => Err(vm.overflow_error(format!(
                    "Python int too large for C {}",
                    if bits == 64 {
                        "unsigned long long"
                    } else {
                        "unsigned long"
                    }
                ))),
            }
        }
        None => Ok(0),
    }
}
