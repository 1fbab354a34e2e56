//! Encodings by name: those that need no Python code, and those that a program (or the package `encodings`) has registered.

use crate::heap::Ref;
use crate::names;
use crate::objects::bytes::{ByteArray, Bytes, buffer};
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::native::{Def, Native, Params};
use crate::objects::string::encoding::{self, Codec, normalized};
use crate::objects::string::errors::Handler;
use crate::objects::string::search::text_arg;
use crate::objects::string::{Str, chunks, decoding};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Where the search functions and what they found are kept among the machine's settings.
const SEARCH: &str = "codecs.search";
const CACHE: &str = "codecs.cache";

fn handler(errors: Option<&Ref<Str>>) -> Handler {
    errors.map_or(Handler::Strict, |s| Handler::of_name(&s.to_text()))
}

/// `text.encode(name, errors)`: a `bytes`.
pub fn encode_text(vm: &mut Vm, text: &Ref<Str>, name: &str, errors: Option<&Ref<Str>>) -> R {
    if let Some(codec) = Codec::of_name(name) {
        let data = encoding::encode(vm, text, codec, &handler(errors))?;
        return Ok(Bytes::value(data));
    }
    let info = lookup_text(vm, name, "encode")?;
    let made = run(vm, &info, 0, &text.to_value(), errors)?;
    if made.is::<Bytes>() {
        return Ok(made);
    }
    if made.is::<ByteArray>() {
        return buffer::copy(vm, &made).map(Bytes::value);
    }
    let kind = class_of(&made).name().into_owned();
    Err(vm.type_error(format!("'{name}' encoder returned '{kind}' instead of 'bytes'; use codecs.encode() to encode to arbitrary types")))
}

/// `data.decode(name, errors)`: a `str`.
pub fn decode_bytes(vm: &mut Vm, data: &Value, name: &str, errors: Option<&Ref<Str>>) -> R {
    if let Some(codec) = Codec::of_name(name) {
        let data = buffer::arg(vm, data)?;
        let size = buffer::view(vm, &data).map_or(0, <[u8]>::len);
        vm.text_size(size)?;
        let bytes = buffer::view(vm, &data).unwrap_or_default();
        if matches!(codec, Codec::Utf8 | Codec::Ascii | Codec::Latin1) && chunks::is_ascii(bytes) {
            return Ok(Str::value_known(bytes, size));
        }
        if codec == Codec::Utf8 && std::str::from_utf8(bytes).is_ok() {
            return Ok(Str::value_known(
                bytes,
                crate::objects::string::count_chars(bytes),
            ));
        }
        let decoded = match data.as_ref::<Bytes>() {
            Some(b) => decoding::decode(vm, &b.data, codec, &handler(errors), true)?,
            None => {
                let bytes = buffer::copy(vm, &data)?;
                decoding::decode(vm, &bytes, codec, &handler(errors), true)?
            }
        };
        return Ok(Str::value_wtf8(&decoded.text));
    }
    let info = lookup_text(vm, name, "decode")?;
    let made = run(vm, &info, 1, data, errors)?;
    if made.is::<Str>() {
        return Ok(made);
    }
    let kind = class_of(&made).name().into_owned();
    Err(vm.type_error(format!("'{name}' decoder returned '{kind}' instead of 'str'; use codecs.decode() to decode to arbitrary types")))
}

/// Calls the encoder (0) or decoder (1) of a codec: what it made.
pub fn run(vm: &mut Vm, info: &Value, which: usize, v: &Value, errors: Option<&Ref<Str>>) -> R {
    let Some(f) = info
        .as_ref::<Tuple>()
        .and_then(|t| t.items().get(which).cloned())
    else {
        return Err(vm.type_error("codec search functions must return 4-tuples"));
    };
    let made = match errors {
        Some(errors) => vm.call(&f, &[v.clone(), errors.to_value()])?,
        None => vm.call(&f, std::slice::from_ref(v))?,
    };
    match made
        .as_ref::<Tuple>()
        .map(|t| t.items().to_vec())
        .as_deref()
    {
        Some([made, _]) => Ok(made.clone()),
        _ => Err(vm.type_error(format!(
            "{} must return a tuple (object, integer)",
            if which == 0 { "encoder" } else { "decoder" }
        ))),
    }
}

/// As [`lookup`], only for encodings of text.
fn lookup_text(vm: &mut Vm, name: &str, verb: &str) -> R {
    let info = lookup(vm, name)?;
    if !class_of(&info).same(<Tuple as crate::heap::Payload>::class()) {
        let flag = vm.get_attr_opt(&info, &names::intern("_is_text_encoding").to_value())?;
        if let Some(flag) = flag
            && !vm.truthy(&flag)?
        {
            return Err(vm.lookup_error(format!(
                "'{name}' is not a text encoding; use codecs.{verb}() to handle arbitrary codecs"
            )));
        }
    }
    Ok(info)
}

fn search_path(vm: &mut Vm) -> Ref<List> {
    if let Some(list) = vm.settings.get(SEARCH).and_then(|v| v.as_ref::<List>()) {
        return list.clone();
    }
    let list = List::new(Vec::new());
    vm.settings.insert(SEARCH, list.to_value());
    list
}

fn cache(vm: &mut Vm) -> Ref<Dict> {
    if let Some(d) = vm.settings.get(CACHE).and_then(|v| v.as_ref::<Dict>()) {
        return d.clone();
    }
    let d = Dict::new();
    vm.settings.insert(CACHE, d.to_value());
    d
}

/// `codecs.register(f)`
pub fn register(vm: &mut Vm, f: &Value) -> R<()> {
    search_path(vm).push(vm, f.clone())
}

/// `codecs.unregister(f)`
pub fn unregister(vm: &mut Vm, f: &Value) {
    let list = search_path(vm);
    let at = list.items.get(vm).iter().position(|x| x.is_same(f));
    if let Some(at) = at {
        drop(list.items.get_mut(vm).remove(at));
        vm.settings.remove(CACHE);
    }
}

/// `codecs.lookup(name)`: a tuple of encoder, decoder and stream classes.
pub fn lookup(vm: &mut Vm, name: &str) -> R {
    let key = names::intern(&normalized(name));
    let known = cache(vm);
    if let Some(found) = known.get_str(vm, &key) {
        return Ok(found.clone());
    }
    // The package registers its search function when it is imported.
    if let Err(raised) = vm.import_module("encodings") {
        vm.swallow(raised, Exc::ImportError)?;
    }
    let path = search_path(vm).items.get(vm).clone();
    for f in path {
        let found = vm.call(&f, &[key.to_value()])?;
        if found.is_none() {
            continue;
        }
        if found.as_ref::<Tuple>().is_none_or(|t| t.items().len() != 4) {
            return Err(vm.type_error("codec search functions must return 4-tuples"));
        }
        known.set_str(vm, &key, found.clone());
        return Ok(found);
    }
    if let Some(codec) = Codec::of_name(name) {
        let found = plain_info(vm, codec)?;
        known.set_str(vm, &key, found.clone());
        return Ok(found);
    }
    Err(vm.lookup_error(format!("unknown encoding: {name}")))
}

/// The encoder and decoder of an encoding known here, bound to its name.
static ENCODE: Def = Def::function(
    "encode",
    "(encoding, input, errors='strict', /)",
    |vm, args| {
        let name = text_arg(vm, &args[0], "encode() argument")?
            .to_text()
            .into_owned();
        let text = text_arg(vm, &args[1], "encode() argument 1")?;
        let errors = optional(args, 2).and_then(|v| v.as_ref::<Str>()).cloned();
        let data = encode_text(vm, text, &name, errors.as_ref())?;
        Ok(Tuple::value(vec![data, Value::int(text.len() as i64)]))
    },
);
static DECODE: Def = Def::function(
    "decode",
    "(encoding, input, errors='strict', /)",
    |vm, args| {
        let name = text_arg(vm, &args[0], "decode() argument")?
            .to_text()
            .into_owned();
        let size = buffer::copy(vm, &args[1])?.len();
        let errors = optional(args, 2).and_then(|v| v.as_ref::<Str>()).cloned();
        let text = decode_bytes(vm, &args[1], &name, errors.as_ref())?;
        Ok(Tuple::value(vec![text, Value::int(size as i64)]))
    },
);

/// The `CodecInfo` of an encoding for which the package `encodings` has no module: without stream classes and incremental codecs.
fn plain_info(vm: &mut Vm, codec: Codec) -> R {
    static PARAMS: &Params = crate::params!(ENCODE.signature);
    let name = Str::value(codec.public_name());
    let (encode, decode) = (
        Native::bound(&ENCODE, PARAMS, name.clone()),
        Native::bound(&DECODE, PARAMS, name.clone()),
    );
    let codecs = vm.import_module("codecs")?;
    let class = vm.get_attr(&codecs, &names::intern("CodecInfo").to_value())?;
    let keywords = [names::intern("name").to_value()];
    vm.call_args(
        &class,
        crate::vm::args::Args::new(&[encode, decode, Value::NONE, Value::NONE, name], &keywords),
    )
}
