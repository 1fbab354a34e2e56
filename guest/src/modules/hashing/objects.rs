//! The digest objects, and the modules `_md5`, `_sha1`, `_sha2` and `_sha3`.

use super::Hasher;
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::bytes::{Bytes, buffer, hex};
use crate::objects::memoryview::MemoryView;
use crate::objects::module::Module;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};

/// Payload of all digest objects.
pub struct HashObject {
    /// The state; taken out while data is added.
    state: VmCell<Option<Box<Hasher>>>,
}

// SAFETY: owns no values.
unsafe impl Payload for HashObject {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// `update` and the attributes that all have.
static COMMON: &[Def] = &[
    Def::method("copy", "(self, /)", |vm, args| {
        let state = state(vm, &args[0]).clone();
        let class = vm.class_of(&args[0]).clone();
        Ok(make(state, &class))
    }),
    Def::method("update", "(self, obj, /)", |vm, args| {
        let data = data_arg(vm, &args[1])?;
        add(vm, &args[0], &data);
        Ok(Value::NONE)
    }),
];

static FIXED: &[Def] = &[
    Def::method("digest", "(self, /)", |vm, args| {
        Ok(Bytes::value(state(vm, &args[0]).digest()))
    }),
    Def::method("hexdigest", "(self, /)", |vm, args| {
        let digest = state(vm, &args[0]).digest();
        Ok(Str::value_wtf8(&hex::digits(&digest, None, 1)))
    }),
];

static EXTENDABLE: &[Def] = &[
    Def::method("digest", "(self, length)", |vm, args| {
        Ok(Bytes::value(extended(vm, args, 1)?))
    }),
    Def::method("hexdigest", "(self, length)", |vm, args| {
        let digest = extended(vm, args, 2)?;
        Ok(Str::value_wtf8(&hex::digits(&digest, None, 1)))
    }),
];

/// A digest of the length that the caller gives; `factor` bytes are needed for each.
fn extended(vm: &mut Vm, args: &[Value], factor: usize) -> R<Vec<u8>> {
    let length = vm.index_i64(&args[1])?;
    let Ok(length) = usize::try_from(length) else {
        return Err(vm.value_error("value must be positive"));
    };
    if length >= 1 << 29 {
        return Err(vm.value_error("length is too large"));
    }
    vm.text_size(length * factor)?;
    let mut out = vec![0; length];
    state(vm, &args[0]).extend(&mut out);
    Ok(out)
}

/// The state of a digest object.
pub fn state<'a>(vm: &'a Vm, v: &'a Value) -> &'a Hasher {
    match receiver::<HashObject>(v).state.get(vm) {
        Some(state) => state,
        None => unreachable!("nothing runs while data is added"),
    }
}

/// Adds the bytes that an object lends.
pub fn add(vm: &mut Vm, v: &Value, data: &Value) {
    let object = receiver::<HashObject>(v);
    if let Some(mut state) = object.state.replace(vm, None) {
        state.update(buffer::view(vm, data).unwrap_or_default());
        object.state.replace(vm, Some(state));
    }
}

/// A digest object.
pub fn make(state: Hasher, class: &Ref<Type>) -> Value {
    let state = VmCell::new(Some(Box::new(state)));
    Value::from_ref(heap::alloc_instance(HashObject { state }, class, 0))
}

/// An argument with data, as something that lends bytes.
pub fn data_arg(vm: &mut Vm, v: &Value) -> R {
    if v.is::<Str>() {
        return Err(vm.type_error("Strings must be encoded before hashing"));
    }
    if !buffer::is_buffer(v) {
        return Err(vm.type_error("object supporting the buffer API required"));
    }
    if let Some(view) = v.as_ref::<MemoryView>()
        && view.dimensions() > 1
    {
        return Err(vm.buffer_error("Buffer must be single dimension"));
    }
    buffer::arg(vm, v)
}

/// The first data of a constructor, which can be given in two ways.
pub fn first_data(vm: &mut Vm, data: Option<&Value>, string: Option<&Value>) -> R<Option<Value>> {
    let string = string.filter(|v| !v.is_none());
    let v = match (data, string) {
        (Some(_), Some(_)) => {
            return Err(vm.type_error(
                "'data' and 'string' are mutually exclusive and support for 'string' keyword parameter is slated for removal in a future version.",
            ));
        }
        (None, None) => return Ok(None),
        (Some(v), None) | (None, Some(v)) => v,
    };
    data_arg(vm, v).map(Some)
}

/// A new digest object with first data.
pub fn start(
    vm: &mut Vm,
    state: Hasher,
    class: &Ref<Type>,
    data: Option<&Value>,
    string: Option<&Value>,
) -> R {
    let data = first_data(vm, data, string)?;
    let object = make(state, class);
    if let Some(data) = data {
        add(vm, &object, &data);
    }
    Ok(object)
}

/// The class of this name, made when first asked for. Digest objects of all modules have the same layout.
pub fn class(vm: &mut Vm, module: &'static str, name: &'static str, slots: Slots) -> Ref<Type> {
    let key: &'static str = match (module, name) {
        ("_hashlib", "HASH") => "hashing.HASH",
        ("_hashlib", "HASHXOF") => "hashing.HASHXOF",
        _ => name,
    };
    if let Some(class) = vm.settings.get(key).and_then(|c| c.as_ref::<Type>()) {
        return class.clone();
    }
    let builder = if HashObject::class_slot().with(|slot| slot.is_set()) {
        ClassBuilder::sibling::<HashObject>(name)
    } else {
        ClassBuilder::new::<HashObject>(name)
    };
    let extendable = name.starts_with("shake") || name == "HASHXOF";
    let mut builder = builder
        .slots(slots)
        .module(vm, module)
        .methods(vm, COMMON)
        .methods(vm, if extendable { EXTENDABLE } else { FIXED })
        .getset(
            vm,
            "name",
            |vm, v| Ok(Str::value(state(vm, v).name())),
            None,
        )
        .getset(
            vm,
            "digest_size",
            |vm, v| Ok(Value::int(state(vm, v).digest_size() as i64)),
            None,
        )
        .getset(
            vm,
            "block_size",
            |vm, v| Ok(Value::int(state(vm, v).block_size() as i64)),
            None,
        );
    if module == "_sha3" {
        builder = builder
            .getset(
                vm,
                "_capacity_bits",
                |vm, v| Ok(Value::int(1600 - 8 * state(vm, v).block_size() as i64)),
                None,
            )
            .getset(
                vm,
                "_rate_bits",
                |vm, v| Ok(Value::int(8 * state(vm, v).block_size() as i64)),
                None,
            )
            .getset(
                vm,
                "_suffix",
                |vm, v| {
                    let extendable = state(vm, v).is_extendable();
                    Ok(Bytes::value(vec![if extendable { 0x1f } else { 6 }]))
                },
                None,
            );
    }
    if key == "hashing.HASHXOF" {
        let base = class(vm, "_hashlib", "HASH", slots);
        builder = builder.base(&base);
    }
    if module == "_blake2" {
        builder = super::blake2::constants(vm, builder, name);
    }
    let made = builder.build(vm);
    vm.settings.insert(key, made.to_value());
    made
}

/// What classes do whose objects only functions make.
const NO_NEW: Slots = Slots {
    new: Some(|vm, class, _| {
        Err(vm.type_error(format!("cannot create '{}' instances", class.name())))
    }),
    ..Slots::NONE
};

macro_rules! constructor {
    ($name:literal, $module:literal, $class:literal) => {
        Def::function(
            $name,
            "(data=b'', *, usedforsecurity=True, string=None)",
            |vm, args| {
                let class = class(vm, $module, $class, NO_NEW);
                match Hasher::new($name) {
                    Some(state) => start(vm, state, &class, optional(args, 0), optional(args, 2)),
                    None => Err(vm.value_error("unsupported hash type")),
                }
            },
        )
    };
}

/// A constructor for a class that is called itself.
macro_rules! sha3_slots {
    ($name:literal) => {
        Slots {
            new: Some(|vm, class, args| {
                let args = bound(vm, $name, args)?;
                match Hasher::new($name) {
                    Some(state) => start(vm, state, class, optional(&args, 0), optional(&args, 2)),
                    None => Err(vm.value_error("unsupported hash type")),
                }
            }),
            ..Slots::NONE
        }
    };
}

fn bound(vm: &mut Vm, name: &str, args: crate::vm::args::Args) -> R<Vec<Value>> {
    use crate::objects::native::Params;
    static PARAMS: &Params = crate::params!("(data=b'', *, usedforsecurity=True, string=None)");
    args.bind(vm, name, PARAMS, 0)
}

static MD5: &[Def] = &[constructor!("md5", "_md5", "md5")];
static SHA1: &[Def] = &[constructor!("sha1", "_sha1", "sha1")];
static SHA2: &[Def] = &[
    constructor!("sha224", "_sha2", "SHA224Type"),
    constructor!("sha256", "_sha2", "SHA256Type"),
    constructor!("sha384", "_sha2", "SHA384Type"),
    constructor!("sha512", "_sha2", "SHA512Type"),
];

/// The module `_md5`.
pub(crate) fn md5_module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "_md5", "", MD5);
    let class = class(vm, "_md5", "md5", NO_NEW);
    module.set(vm, "MD5Type", class.to_value());
    module
}

/// The module `_sha1`.
pub(crate) fn sha1_module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "_sha1", "", SHA1);
    let class = class(vm, "_sha1", "sha1", NO_NEW);
    module.set(vm, "SHA1Type", class.to_value());
    module
}

/// The module `_sha2`.
pub(crate) fn sha2_module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "_sha2", "", SHA2);
    for name in ["SHA224Type", "SHA256Type", "SHA384Type", "SHA512Type"] {
        let class = class(vm, "_sha2", name, NO_NEW);
        module.set(vm, name, class.to_value());
    }
    module
}

/// The module `_sha3`.
pub(crate) fn sha3_module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "_sha3", "", &[]);
    let classes: [(&'static str, Slots); 6] = [
        ("sha3_224", sha3_slots!("sha3_224")),
        ("sha3_256", sha3_slots!("sha3_256")),
        ("sha3_384", sha3_slots!("sha3_384")),
        ("sha3_512", sha3_slots!("sha3_512")),
        ("shake_128", sha3_slots!("shake_128")),
        ("shake_256", sha3_slots!("shake_256")),
    ];
    for (name, slots) in classes {
        let class = class(vm, "_sha3", name, slots);
        module.set(vm, name, class.to_value());
    }
    module.set(vm, "implementation", Str::value("generic"));
    module
}
