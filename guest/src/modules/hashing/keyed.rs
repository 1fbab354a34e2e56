//! The module `_hashlib`: the constructors by name, `HMAC` (RFC 2104), PBKDF2 (RFC 8018) and scrypt (RFC 7914). In CPython this module stands on
//! OpenSSL; here it offers the same over the algorithms of this crate.

use super::objects::{self, class, data_arg, start};
use super::{Hasher, all_names, by_name};
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::modules::binascii::exception_class;
use crate::modules::operator::compare_digest;
use crate::objects::bytes::{Bytes, buffer, hex};
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::{Def, Native, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Raised, Vm};

const ERROR: &str = "_hashlib.UnsupportedDigestmodError";

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "_hashlib", "", FUNCTIONS);
    let (hash, xof) = (hash_class(vm, false), hash_class(vm, true));
    module.set(vm, "HASH", hash.to_value());
    module.set(vm, "HASHXOF", xof.to_value());
    if !HmacObject::class_slot().with(|slot| slot.is_set()) {
        ClassBuilder::new::<HmacObject>("HMAC")
            .module(vm, "_hashlib")
            .slots(HMAC_SLOTS)
            .methods(vm, HMAC_METHODS)
            .getset(
                vm,
                "name",
                |vm, v| {
                    let name = receiver::<HmacObject>(v).state.get(vm).inner.name();
                    Ok(Str::value(&format!("hmac-{name}")))
                },
                None,
            )
            .getset(
                vm,
                "digest_size",
                |vm, v| {
                    let size = receiver::<HmacObject>(v).state.get(vm).inner.digest_size();
                    Ok(Value::int(size as i64))
                },
                None,
            )
            .getset(
                vm,
                "block_size",
                |vm, v| {
                    let size = receiver::<HmacObject>(v).state.get(vm).inner.block_size();
                    Ok(Value::int(size as i64))
                },
                None,
            )
            .build(vm);
    }
    module.set(vm, "HMAC", HmacObject::class().to_value());
    let error = exception_class(vm, "UnsupportedDigestmodError", "_hashlib", Exc::ValueError);
    vm.settings.insert(ERROR, error.to_value());
    module.set(vm, "UnsupportedDigestmodError", error.to_value());
    let all: Vec<Value> = all_names().map(Str::value).collect();
    let names = crate::objects::list::List::value(all);
    let frozen = crate::objects::set::FrozenSet::class().to_value();
    if let Ok(set) = vm.call(&frozen, &[names]) {
        module.set(vm, "openssl_md_meth_names", set);
    }
    module
}

fn hash_class(vm: &mut Vm, extendable: bool) -> Ref<Type> {
    let slots = Slots {
        new: Some(|vm, class, _| {
            Err(vm.type_error(format!("cannot create '{}' instances", class.name())))
        }),
        repr: Some(|vm, v| {
            let name = objects::state(vm, v).name();
            let class = vm.full_class_name(v);
            Ok(Str::value(&format!(
                "<{name} {class} object @ {:#x}>",
                v.bits()
            )))
        }),
        ..Slots::NONE
    };
    class(
        vm,
        "_hashlib",
        if extendable { "HASHXOF" } else { "HASH" },
        slots,
    )
}

fn open(vm: &mut Vm, state: Hasher, data: Option<&Value>, string: Option<&Value>) -> R {
    let class = hash_class(vm, state.is_extendable());
    start(vm, state, &class, data, string)
}

macro_rules! constructors {
    ($($function:literal $name:literal;)*) => {
        &[
            $(Def::function($function, "(data=b'', *, usedforsecurity=True, string=None)", |vm, args| {
                match Hasher::new($name) {
                    Some(state) => open(vm, state, optional(args, 0), optional(args, 2)),
                    None => Err(vm.value_error("unsupported hash type")),
                }
            }),)*
            Def::function("new", "(name, data=b'', *, usedforsecurity=True, string=None)", |vm, args| {
                let state = named(vm, &args[0], "new")?;
                open(vm, state, optional(args, 1), optional(args, 3))
            }),
            Def::function("compare_digest", "(a, b, /)", compare_digest),
            Def::function("get_fips_mode", "()", |_, _| Ok(Value::small_int(0))),
            Def::function("hmac_new", "(key, msg=b'', digestmod=None)", |vm, args| {
                let key = buffer::copy(vm, &args[0])?;
                let digest = match optional(args, 2).filter(|v| !v.is_none()) {
                    Some(v) => digest_mod(vm, v)?,
                    None => return Err(vm.type_error("Missing required parameter 'digestmod'.")),
                };
                let mut state = Hmac::new(digest, &key);
                if let Some(v) = optional(args, 1).filter(|v| !v.is_none()) {
                    let data = data_arg(vm, v)?;
                    state.inner.update(buffer::view(vm, &data).unwrap_or_default());
                }
                Ok(Value::from_ref(heap::alloc(HmacObject { state: VmCell::new(Box::new(state)) })))
            }),
            Def::function("hmac_digest", "(key, msg, digest)", |vm, args| {
                let key = buffer::copy(vm, &args[0])?;
                let data = data_arg(vm, &args[1])?;
                let digest = digest_mod(vm, &args[2])?;
                let mut state = Hmac::new(digest, &key);
                state.inner.update(buffer::view(vm, &data).unwrap_or_default());
                Ok(Bytes::value(state.digest()))
            }),
            Def::function("pbkdf2_hmac", "(hash_name, password, salt, iterations, dklen=None)", pbkdf2_hmac),
            Def::function("scrypt", "(password, *, salt, n, r, p, maxmem=0, dklen=64)", scrypt),
        ]
    };
}

static FUNCTIONS: &[Def] = constructors! {
    "openssl_md5" "md5";
    "openssl_sha1" "sha1";
    "openssl_sha224" "sha224";
    "openssl_sha256" "sha256";
    "openssl_sha384" "sha384";
    "openssl_sha512" "sha512";
    "openssl_sha3_224" "sha3_224";
    "openssl_sha3_256" "sha3_256";
    "openssl_sha3_384" "sha3_384";
    "openssl_sha3_512" "sha3_512";
    "openssl_shake_128" "shake_128";
    "openssl_shake_256" "shake_256";
};

fn named(vm: &mut Vm, v: &Value, function: &str) -> R<Hasher> {
    let Some(name) = v.as_ref::<Str>() else {
        let kind = vm.class_name(v);
        return Err(vm.type_error(format!(
            "{function}() argument 'name' must be str, not {kind}"
        )));
    };
    let name = name.to_text().into_owned();
    match by_name(&name) {
        Some(state) => Ok(state),
        None => Err(vm.value_error(format!("unsupported hash type {name}"))),
    }
}

#[cold]
fn unsupported(vm: &mut Vm, message: String) -> Raised {
    match vm
        .settings
        .get(ERROR)
        .and_then(|c| c.as_ref::<Type>())
        .cloned()
    {
        Some(class) => {
            let args = crate::objects::tuple::Tuple::value(vec![Str::value(&message)]);
            vm.raise_args(&class, args)
        }
        None => vm.value_error(message),
    }
}

/// The algorithm that a `digestmod` names: text, or one of this module's constructors.
fn digest_mod(vm: &mut Vm, v: &Value) -> R<Hasher> {
    let found = if let Some(name) = v.as_ref::<Str>() {
        by_name(&name.to_text())
    } else if let Some(f) = v.as_ref::<Native>() {
        f.def.name.strip_prefix("openssl_").and_then(Hasher::new)
    } else {
        None
    };
    match found {
        Some(state) if !state.is_extendable() => Ok(state),
        _ => {
            let shown = vm.str(v)?.to_text().into_owned();
            Err(unsupported(vm, format!("Unsupported digestmod {shown}")))
        }
    }
}

// ---- HMAC

/// The state of an HMAC: both digests, with the key already in them.
#[derive(Clone)]
struct Hmac {
    inner: Hasher,
    outer: Hasher,
}

impl Hmac {
    fn new(plain: Hasher, key: &[u8]) -> Hmac {
        let block = plain.block_size();
        let mut padded = if key.len() > block {
            let mut h = plain.clone();
            h.update(key);
            h.digest()
        } else {
            key.to_vec()
        };
        padded.resize(block, 0);
        let with = |pad: u8| {
            let mut h = plain.clone();
            h.update(&padded.iter().map(|b| b ^ pad).collect::<Vec<u8>>());
            h
        };
        Hmac {
            inner: with(0x36),
            outer: with(0x5c),
        }
    }

    fn digest(&self) -> Vec<u8> {
        let mut outer = self.outer.clone();
        outer.update(&self.inner.digest());
        outer.digest()
    }
}

/// Payload of `_hashlib.HMAC`.
struct HmacObject {
    state: VmCell<Box<Hmac>>,
}

// SAFETY: owns no values.
unsafe impl Payload for HmacObject {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

const HMAC_SLOTS: Slots = Slots {
    new: Some(|vm, class, _| {
        Err(vm.type_error(format!("cannot create '{}' instances", class.name())))
    }),
    repr: Some(|vm, v| {
        let name = receiver::<HmacObject>(v).state.get(vm).inner.name();
        Ok(Str::value(&format!(
            "<{name} HMAC object @ {:#x}>",
            v.bits()
        )))
    }),
    ..Slots::NONE
};

static HMAC_METHODS: &[Def] = &[
    Def::method("copy", "(self, /)", |vm, args| {
        let state = receiver::<HmacObject>(&args[0]).state.get(vm).clone();
        Ok(Value::from_ref(heap::alloc(HmacObject {
            state: VmCell::new(state),
        })))
    }),
    Def::method("digest", "(self, /)", |vm, args| {
        Ok(Bytes::value(
            receiver::<HmacObject>(&args[0]).state.get(vm).digest(),
        ))
    }),
    Def::method("hexdigest", "(self, /)", |vm, args| {
        let digest = receiver::<HmacObject>(&args[0]).state.get(vm).digest();
        Ok(Str::value_wtf8(&hex::digits(&digest, None, 1)))
    }),
    Def::method("update", "(self, msg)", |vm, args| {
        let data = data_arg(vm, &args[1])?;
        let object = receiver::<HmacObject>(&args[0]);
        let mut state = object.state.get(vm).clone();
        state
            .inner
            .update(buffer::view(vm, &data).unwrap_or_default());
        object.state.replace(vm, state);
        Ok(Value::NONE)
    }),
];

// ---- keys from passwords

/// One derived key. Asks for a pause now and then: the number of rounds is the caller's.
fn pbkdf2(
    vm: &mut Vm,
    plain: Hasher,
    password: &[u8],
    salt: &[u8],
    rounds: u64,
    length: usize,
) -> R<Vec<u8>> {
    let keyed = Hmac::new(plain, password);
    let mut out = Vec::with_capacity(length);
    let mut index = 0u32;
    while out.len() < length {
        index = index.wrapping_add(1);
        let mut mac = keyed.clone();
        mac.inner.update(salt);
        mac.inner.update(&index.to_be_bytes());
        let mut u = mac.digest();
        let mut block = u.clone();
        for _ in 1..rounds {
            vm.poll_native()?;
            let mut mac = keyed.clone();
            mac.inner.update(&u);
            u = mac.digest();
            block.iter_mut().zip(&u).for_each(|(b, u)| *b ^= u);
        }
        out.extend_from_slice(&block);
    }
    out.truncate(length);
    Ok(out)
}

fn pbkdf2_hmac(vm: &mut Vm, args: &[Value]) -> R {
    let plain = match args[0].as_ref::<Str>() {
        Some(name) => match by_name(&name.to_text()) {
            Some(state) if !state.is_extendable() => state,
            _ => {
                let name = name.to_text().into_owned();
                return Err(unsupported(vm, format!("unsupported hash type {name}")));
            }
        },
        None => {
            let kind = vm.class_name(&args[0]);
            return Err(vm.type_error(format!(
                "pbkdf2_hmac() argument 'hash_name' must be str, not {kind}"
            )));
        }
    };
    let password = buffer::copy(vm, &args[1])?;
    let salt = buffer::copy(vm, &args[2])?;
    let rounds = vm.index_i64(&args[3])?;
    if rounds < 1 {
        return Err(vm.value_error("iteration value must be greater than 0."));
    }
    if rounds > i32::MAX as i64 {
        return Err(vm.overflow_error("iteration value is too great."));
    }
    let length = match optional(args, 4).filter(|v| !v.is_none()) {
        Some(v) => vm.index_i64(v)?,
        None => plain.digest_size() as i64,
    };
    if length < 1 {
        return Err(vm.value_error("key length must be greater than 0."));
    }
    if length > i32::MAX as i64 {
        return Err(vm.overflow_error("key length is too great."));
    }
    vm.text_size(length as usize)?;
    let key = pbkdf2(vm, plain, &password, &salt, rounds as u64, length as usize)?;
    Ok(Bytes::value(key))
}

/// The core of Salsa20 with 8 rounds, as RFC 7914 uses it.
fn salsa(block: &mut [u32; 16]) {
    const COLUMNS: [[usize; 4]; 8] = [
        [0, 4, 8, 12],
        [5, 9, 13, 1],
        [10, 14, 2, 6],
        [15, 3, 7, 11],
        [0, 1, 2, 3],
        [5, 6, 7, 4],
        [10, 11, 8, 9],
        [15, 12, 13, 14],
    ];
    let mut x = *block;
    for _ in 0..4 {
        for [a, b, c, d] in COLUMNS {
            x[b] ^= x[a].wrapping_add(x[d]).rotate_left(7);
            x[c] ^= x[b].wrapping_add(x[a]).rotate_left(9);
            x[d] ^= x[c].wrapping_add(x[b]).rotate_left(13);
            x[a] ^= x[d].wrapping_add(x[c]).rotate_left(18);
        }
    }
    for (b, x) in block.iter_mut().zip(x) {
        *b = b.wrapping_add(x);
    }
}

/// `scryptBlockMix`: `r` pairs of blocks from `from` to `to`.
fn block_mix(from: &[u32], to: &mut [u32]) {
    let blocks = from.len() / 16;
    let mut x = [0u32; 16];
    x.copy_from_slice(&from[from.len() - 16..]);
    for (i, block) in from.chunks_exact(16).enumerate() {
        x.iter_mut().zip(block).for_each(|(x, b)| *x ^= b);
        salsa(&mut x);
        let at = if i % 2 == 0 {
            i / 2
        } else {
            blocks / 2 + i / 2
        } * 16;
        to[at..at + 16].copy_from_slice(&x);
    }
}

fn scrypt(vm: &mut Vm, args: &[Value]) -> R {
    let password = buffer::copy(vm, &args[0])?;
    let salt = buffer::copy(vm, &args[1])?;
    let mut numbers = [0i64; 5];
    for (number, (index, default)) in
        numbers
            .iter_mut()
            .zip([(2, 0), (3, 0), (4, 0), (5, 0), (6, 64)])
    {
        *number = match optional(args, index) {
            Some(v) => vm.index_i64(v)?,
            None => default,
        };
    }
    let [n, r, p, limit, length] = numbers;
    if n < 2 || n & (n - 1) != 0 {
        return Err(vm.value_error("n must be a power of 2."));
    }
    if !(0..=i32::MAX as i64).contains(&limit) {
        return Err(vm.value_error(format!(
            "maxmem must be positive and smaller than {}",
            i32::MAX
        )));
    }
    if !(1..=i32::MAX as i64).contains(&length) {
        return Err(vm.value_error(format!(
            "dklen must be greater than 0 and smaller than {}",
            i32::MAX
        )));
    }
    // OpenSSL's own limit, where the caller gives none.
    let limit = if limit == 0 { 32 << 20 } else { limit };
    let needed = (r.checked_mul(128)).and_then(|block| {
        block
            .checked_mul(n.checked_add(p)?.checked_add(2)?)
            .filter(|&needed| needed <= limit)
    });
    let fits = r >= 1 && p >= 1 && needed.is_some() && r.saturating_mul(p) < 1 << 30;
    let (Some(needed), true) = (needed, fits) else {
        return Err(vm.value_error("Invalid parameter combination for n, r, p, maxmem."));
    };
    vm.text_size(needed as usize)?;
    vm.text_size(length as usize)?;
    let Some(sha256) = Hasher::new("sha256") else {
        return Err(vm.value_error("unsupported hash type"));
    };
    let (n, r, p) = (n as usize, r as usize, p as usize);
    let mut bytes = pbkdf2(vm, sha256.clone(), &password, &salt, 1, p * 128 * r)?;
    let words = 32 * r;
    let mut table = vec![0u32; words * n];
    let (mut x, mut y) = (vec![0u32; words], vec![0u32; words]);
    for part in bytes.chunks_exact_mut(128 * r) {
        for (x, b) in x.iter_mut().zip(part.chunks_exact(4)) {
            *x = b.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b));
        }
        for row in table.chunks_exact_mut(words) {
            vm.poll_native()?;
            row.copy_from_slice(&x);
            block_mix(&x, &mut y);
            std::mem::swap(&mut x, &mut y);
        }
        for _ in 0..n {
            vm.poll_native()?;
            let j = x[words - 16] as usize & (n - 1);
            let row = &table[j * words..(j + 1) * words];
            x.iter_mut().zip(row).for_each(|(x, v)| *x ^= v);
            block_mix(&x, &mut y);
            std::mem::swap(&mut x, &mut y);
        }
        for (b, x) in part.chunks_exact_mut(4).zip(&x) {
            b.copy_from_slice(&x.to_le_bytes());
        }
    }
    let key = pbkdf2(vm, sha256, &password, &bytes, 1, length as usize)?;
    Ok(Bytes::value(key))
}
