//! How a text file decodes and encodes: natively where the encoding allows it, with the codec's own objects otherwise.

use super::newline::LineEnds;
use crate::names;
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::codec_registry;
use crate::objects::exception::Exc;
use crate::objects::slots::BinOp;
use crate::objects::string::Str;
use crate::objects::string::decoding;
use crate::objects::string::encoding::{self, Codec};
use crate::objects::string::errors::Handler;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};

/// Decodes bytes that come piece by piece.
#[derive(Clone)]
pub(super) enum Decoder {
    /// The file is not for reading.
    None,
    /// With bytes that are not complete yet.
    Native(Codec, Vec<u8>),
    /// An incremental decoder.
    Object(Value),
}

/// Encodes text.
#[derive(Clone)]
pub(super) enum Encoder {
    /// The file is not for writing.
    None,
    Native(Codec),
    /// An incremental encoder.
    Object(Value),
}

/// The state of a decoder: bytes held, and a number.
pub(super) type DecoderState = (Vec<u8>, Value);

/// Encodings whose pieces can be coded each for itself.
fn native(name: &str) -> Option<Codec> {
    Codec::of_name(name).filter(|codec| {
        matches!(
            codec,
            Codec::Utf8 | Codec::Ascii | Codec::Latin1 | Codec::Charmap(_)
        )
    })
}

/// The codec's entry in the registry; `LookupError` when it is not one for text.
fn entry(vm: &mut Vm, name: &str) -> R {
    let info = codec_registry::lookup(vm, name)?;
    let is_text = vm.get_attr_opt(&info, &Str::value("_is_text_encoding"))?;
    if let Some(is_text) = is_text
        && !vm.truthy(&is_text)?
    {
        return Err(vm.lookup_error(format!(
            "'{name}' is not a text encoding; use codecs.open() to handle arbitrary codecs"
        )));
    }
    Ok(info)
}

/// `LookupError` unless there is such an encoding, for text.
pub(super) fn check(vm: &mut Vm, name: &str) -> R<()> {
    if native(name).is_some() {
        return Ok(());
    }
    entry(vm, name).map(drop)
}

/// The incremental coder of an encoding.
fn coder(vm: &mut Vm, name: &str, errors: &Value, which: &str) -> R {
    let info = entry(vm, name)?;
    let factory = vm.get_attr(&info, &Str::value(which))?;
    if factory.is_none() {
        return Err(vm.lookup_error(format!("'{name}' has no {which}")));
    }
    vm.call(&factory, std::slice::from_ref(errors))
}

pub(super) fn decoder(vm: &mut Vm, name: &str, errors: &Value) -> R<Decoder> {
    match native(name) {
        Some(codec) => Ok(Decoder::Native(codec, Vec::new())),
        None => coder(vm, name, errors, "incrementaldecoder").map(Decoder::Object),
    }
}

pub(super) fn encoder(vm: &mut Vm, name: &str, errors: &Value) -> R<Encoder> {
    match native(name) {
        Some(codec) => Ok(Encoder::Native(codec)),
        None => coder(vm, name, errors, "incrementalencoder").map(Encoder::Object),
    }
}

fn handler(errors: &Value) -> Handler {
    errors
        .as_ref::<Str>()
        .map_or(Handler::Strict, |s| Handler::of_name(&s.to_text()))
}

/// Encodes a text.
pub(super) fn encode(vm: &mut Vm, encoder: &Encoder, text: &Value, errors: &Value) -> R<Vec<u8>> {
    match encoder {
        Encoder::None => Err(super::base::unsupported(vm, "not writable")),
        Encoder::Native(codec) => match text.as_ref::<Str>() {
            Some(s) if s.is_ascii() && *codec == Codec::Utf8 => Ok(s.as_bytes().to_vec()),
            Some(s) => encoding::encode(vm, s, *codec, &handler(errors)),
            None => Ok(Vec::new()),
        },
        Encoder::Object(coder) => {
            let made =
                vm.call_method(coder, &names::intern("encode"), std::slice::from_ref(text))?;
            if !made.is::<Bytes>() {
                return Err(vm.type_error(format!(
                    "encoder should return a bytes object, not '{}'",
                    vm.class_name(&made)
                )));
            }
            buffer::copy(vm, &made)
        }
    }
}

/// Decodes one more piece; the decoder after it, and the text.
pub(super) fn decode(
    vm: &mut Vm,
    decoder: &mut Decoder,
    ends: &mut Option<LineEnds>,
    errors: &Value,
    data: Vec<u8>,
    last: bool,
) -> R<Vec<u8>> {
    let text = match decoder {
        Decoder::None => return Err(super::base::unsupported(vm, "not readable")),
        Decoder::Native(codec, held) => {
            let mut all = std::mem::take(held);
            all.extend(data);
            let quick = match codec {
                Codec::Utf8 => std::str::from_utf8(&all).is_ok(),
                Codec::Ascii | Codec::Latin1 => all.is_ascii(),
                _ => false,
            };
            if quick {
                all
            } else {
                let made = decoding::decode(vm, &all, *codec, &handler(errors), last)?;
                *held = all[made.read.min(all.len())..].to_vec();
                made.text
            }
        }
        Decoder::Object(coder) => {
            let made = vm.call_method(
                coder,
                &names::intern("decode"),
                &[Bytes::value(data), Value::bool(last)],
            )?;
            match made.as_ref::<Str>() {
                Some(s) => s.as_bytes().to_vec(),
                None => {
                    return Err(vm.type_error(format!(
                        "decoder should return a string result, not '{}'",
                        vm.class_name(&made)
                    )));
                }
            }
        }
    };
    Ok(match ends {
        Some(ends) => ends.pass(text, last),
        None => text,
    })
}

/// The state, as it is after what was decoded.
pub(super) fn state(vm: &mut Vm, decoder: &Decoder, ends: &Option<LineEnds>) -> R<DecoderState> {
    let (held, flags) = match decoder {
        Decoder::None => (Vec::new(), Value::small_int(0)),
        Decoder::Native(_, held) => (held.clone(), Value::small_int(0)),
        Decoder::Object(coder) => {
            let state = vm.call_method(coder, &names::intern("getstate"), &[])?;
            match state.as_ref::<Tuple>().map(|t| t.items()) {
                Some([held, flags]) if flags.as_int().is_some() => {
                    let flags = flags.clone();
                    if !held.is::<Bytes>() {
                        return Err(vm.type_error(format!(
                            "illegal decoder state: the first item should be a bytes object, not '{}'",
                            vm.class_name(held)
                        )));
                    }
                    (buffer::copy(vm, held)?, flags)
                }
                _ => return Err(vm.type_error("illegal decoder state")),
            }
        }
    };
    match ends {
        None => Ok((held, flags)),
        Some(ends) => {
            let flags = vm.binary(BinOp::Shl, &flags, &Value::small_int(1))?;
            let bit = Value::small_int(i64::from(ends.held));
            Ok((held, vm.binary(BinOp::Or, &flags, &bit)?))
        }
    }
}

/// Puts the decoder into a state.
pub(super) fn set_state(
    vm: &mut Vm,
    decoder: &mut Decoder,
    ends: &mut Option<LineEnds>,
    state: &DecoderState,
) -> R<()> {
    let mut flags = state.1.clone();
    if let Some(ends) = ends {
        let bit = vm.binary(BinOp::And, &flags, &Value::small_int(1))?;
        ends.held = vm.truthy(&bit)?;
        flags = vm.binary(BinOp::Shr, &flags, &Value::small_int(1))?;
    }
    match decoder {
        Decoder::None => {}
        Decoder::Native(_, held) => *held = state.0.clone(),
        Decoder::Object(coder) => {
            let state = Tuple::value(vec![Bytes::value(state.0.clone()), flags]);
            vm.call_method(coder, &names::intern("setstate"), &[state])?;
        }
    }
    Ok(())
}

/// Puts the decoder into its first state.
pub(super) fn reset(vm: &mut Vm, decoder: &mut Decoder, ends: &mut Option<LineEnds>) -> R<()> {
    if let Some(ends) = ends {
        ends.held = false;
    }
    match decoder {
        Decoder::None => {}
        Decoder::Native(_, held) => held.clear(),
        Decoder::Object(coder) => {
            vm.call_method(coder, &names::intern("reset"), &[])?;
        }
    }
    Ok(())
}

/// Tells the encoder that it is at the start of the file, or is not (so that it makes no mark of the byte order).
pub(super) fn at_start(vm: &mut Vm, encoder: &Encoder, start: bool) -> R<()> {
    let Encoder::Object(coder) = encoder else {
        return Ok(());
    };
    if start {
        vm.call_method(coder, &names::intern("reset"), &[])?;
    } else {
        vm.call_method(coder, &names::intern("setstate"), &[Value::small_int(0)])?;
    }
    Ok(())
}

/// The error for a codec that gave something impossible.
pub(super) fn lost_position(vm: &mut Vm, text: &str) -> crate::vm::Raised {
    vm.raise(Exc::OSError, text)
}
