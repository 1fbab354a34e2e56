//! Bytes to text: the encodings that need no Python code.

use super::encoding::{Codec, Order};
use super::errors::{DecodeProblem, Handler, on_decode_problem};
use super::{chunks, push_char};
use crate::vm::{R, Vm};

/// What was decoded.
pub struct Decoded {
    /// The text, as WTF-8.
    pub text: Vec<u8>,
    /// How many bytes were read.
    pub read: usize,
    /// The byte order as found out (UTF-16 and UTF-32).
    pub order: Order,
}

/// Decodes `data`. Without `last`, what is not complete at the end is left for the next piece.
pub fn decode(vm: &mut Vm, data: &[u8], codec: Codec, handler: &Handler, last: bool) -> R<Decoded> {
    let done = |(text, read)| Decoded {
        text,
        read,
        order: Order::Marked,
    };
    match codec {
        Codec::Utf8 => utf8(vm, data, 0, handler, last).map(done),
        Codec::Utf8Sig => {
            const SIGNATURE: &[u8] = b"\xEF\xBB\xBF";
            if data.starts_with(SIGNATURE) {
                return utf8(vm, data, 3, handler, last).map(done);
            }
            if !last && SIGNATURE.starts_with(data) {
                return Ok(done((Vec::new(), 0)));
            }
            utf8(vm, data, 0, handler, last).map(done)
        }
        Codec::Ascii => bytewise(
            vm,
            data,
            handler,
            "ascii",
            "ordinal not in range(128)",
            true,
            |b| (b < 0x80).then_some(b as u32),
        )
        .map(done),
        Codec::Latin1 => {
            vm.text_size(data.len().saturating_mul(2))?;
            Ok(done((chunks::from_latin1(data), data.len())))
        }
        Codec::Charmap(_) => {
            let map = codec.charmap();
            let meaning = |b| map.and_then(|map| map.decode(b));
            let keeps_ascii = map.is_some_and(|map| map.low.is_none());
            bytewise(
                vm,
                data,
                handler,
                "charmap",
                "character maps to <undefined>",
                keeps_ascii,
                meaning,
            )
            .map(done)
        }
        Codec::Utf16(order) => utf16(vm, data, order, handler, last),
        Codec::Utf32(order) => utf32(vm, data, order, handler, last),
        Codec::UnicodeEscape => super::escapes::decode(vm, data, false, handler, last).map(done),
        Codec::RawUnicodeEscape => super::escapes::decode(vm, data, true, handler, last).map(done),
    }
}

fn utf8(
    vm: &mut Vm,
    data: &[u8],
    start: usize,
    handler: &Handler,
    last: bool,
) -> R<(Vec<u8>, usize)> {
    vm.text_size(data.len())?;
    let mut out = Vec::with_capacity(data.len());
    let mut at = start;
    loop {
        let error = match std::str::from_utf8(&data[at..]) {
            Ok(text) => {
                out.extend_from_slice(text.as_bytes());
                return Ok((out, data.len()));
            }
            Err(error) => error,
        };
        let bad = at + error.valid_up_to();
        out.extend_from_slice(&data[at..bad]);
        let (end, reason) = match error.error_len() {
            // The standard library finds the same maximal parts as the Unicode Standard recommends (section 3.9), and as Python does.
            None if !last => return Ok((out, bad)),
            None => (data.len(), "unexpected end of data"),
            Some(n) if matches!(data[bad], 0xC2..=0xF4) => (bad + n, "invalid continuation byte"),
            Some(n) => (bad + n, "invalid start byte"),
        };
        if !last && incomplete_surrogate(handler, &data[bad..]) {
            return Ok((out, bad));
        }
        let p = DecodeProblem {
            encoding: "utf-8",
            data,
            start: bad,
            end,
            reason,
        };
        at = on_decode_problem(vm, handler, &p, &mut out)?;
    }
}

/// Whether an encoded surrogate that the handler would pass may go on in the next piece.
fn incomplete_surrogate(handler: &Handler, rest: &[u8]) -> bool {
    matches!(handler, Handler::SurrogatePass) && matches!(rest, [0xED] | [0xED, 0xA0..=0xBF])
}

fn bytewise(
    vm: &mut Vm,
    data: &[u8],
    handler: &Handler,
    encoding: &str,
    reason: &str,
    keeps_ascii: bool,
    meaning: impl Fn(u8) -> Option<u32>,
) -> R<(Vec<u8>, usize)> {
    vm.text_size(data.len().saturating_mul(2))?;
    let mut out = Vec::with_capacity(data.len());
    let mut at = 0;
    while at < data.len() {
        if keeps_ascii && data[at] < 0x80 {
            let run = chunks::ascii_run(&data[at..]);
            out.extend_from_slice(&data[at..at + run]);
            at += run;
            continue;
        }
        match meaning(data[at]) {
            Some(c) => {
                push_char(&mut out, c);
                at += 1;
            }
            None => {
                let p = DecodeProblem {
                    encoding,
                    data,
                    start: at,
                    end: at + 1,
                    reason,
                };
                at = on_decode_problem(vm, handler, &p, &mut out)?;
            }
        }
    }
    Ok((out, data.len()))
}

/// The byte order that a mark at the start says, and the mark's length.
fn sniff(data: &[u8], order: Order, little: &[u8], big: &[u8]) -> (Order, usize) {
    match order {
        Order::Marked if data.starts_with(little) => (Order::Little, little.len()),
        Order::Marked if data.starts_with(big) => (Order::Big, big.len()),
        _ => (order, 0),
    }
}

fn utf16(vm: &mut Vm, data: &[u8], order: Order, handler: &Handler, last: bool) -> R<Decoded> {
    let (order, mut at) = sniff(data, order, b"\xFF\xFE", b"\xFE\xFF");
    vm.text_size(data.len().saturating_mul(2))?;
    let mut out = Vec::with_capacity(data.len());
    let encoding = if order == Order::Big {
        "utf-16-be"
    } else {
        "utf-16-le"
    };
    let unit = |at: usize| {
        let pair = [*data.get(at)?, *data.get(at + 1)?];
        Some(if order == Order::Big {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        } as u32)
    };
    // The bits of four units that no ASCII character has.
    let wide = if order == Order::Big {
        0x80FF_80FF_80FF_80FF
    } else {
        0xFF80_FF80_FF80_FF80
    };
    while at < data.len() {
        if let Some(four) = data[at..].first_chunk::<8>()
            && u64::from_le_bytes(*four) & wide == 0
        {
            // One of the two bytes of each unit is 0.
            let [a, b, c, d, e, f, g, h] = *four;
            out.extend_from_slice(&[a | b, c | d, e | f, g | h]);
            at += 8;
            continue;
        }
        let (end, reason) = match unit(at) {
            None if !last => break,
            None => (data.len(), "truncated data"),
            Some(high @ 0xD800..0xDC00) => match unit(at + 2) {
                Some(low @ 0xDC00..0xE000) => {
                    push_char(
                        &mut out,
                        0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00),
                    );
                    at += 4;
                    continue;
                }
                Some(_) => (at + 2, "illegal UTF-16 surrogate"),
                None if !last => break,
                None => (data.len(), "unexpected end of data"),
            },
            Some(0xDC00..0xE000) => (at + 2, "illegal encoding"),
            Some(c) => {
                push_char(&mut out, c);
                at += 2;
                continue;
            }
        };
        let p = DecodeProblem {
            encoding,
            data,
            start: at,
            end,
            reason,
        };
        at = on_decode_problem(vm, handler, &p, &mut out)?;
    }
    Ok(Decoded {
        text: out,
        read: at.min(data.len()),
        order,
    })
}

fn utf32(vm: &mut Vm, data: &[u8], order: Order, handler: &Handler, last: bool) -> R<Decoded> {
    let (order, mut at) = sniff(data, order, b"\xFF\xFE\0\0", b"\0\0\xFE\xFF");
    vm.text_size(data.len())?;
    let mut out = Vec::with_capacity(data.len() / 2);
    let encoding = if order == Order::Big {
        "utf-32-be"
    } else {
        "utf-32-le"
    };
    while at < data.len() {
        let unit = data[at..].first_chunk().map(|b| {
            if order == Order::Big {
                u32::from_be_bytes(*b)
            } else {
                u32::from_le_bytes(*b)
            }
        });
        let (end, reason) = match unit {
            None if !last => break,
            None => (data.len(), "truncated data"),
            Some(0xD800..0xE000) => (
                at + 4,
                "code point in surrogate code point range(0xd800, 0xe000)",
            ),
            Some(c) if c < 0x11_0000 => {
                push_char(&mut out, c);
                at += 4;
                continue;
            }
            Some(_) => (at + 4, "code point not in range(0x110000)"),
        };
        let p = DecodeProblem {
            encoding,
            data,
            start: at,
            end,
            reason,
        };
        at = on_decode_problem(vm, handler, &p, &mut out)?;
    }
    Ok(Decoded {
        text: out,
        read: at.min(data.len()),
        order,
    })
}
