//! Values that cross: what the host and the interpreter write and read, and bytes that neither wrote.
//!
//! For each case: a random value survives its encoding, both forms of JSON, and the way through the interpreter; mutated encodings are
//! refused or read, by both sides alike, and what was read survives another turn.

use std::panic::{AssertUnwindSafe, catch_unwind};

use coldframe_guest::transfer;
use coldframe_guest::vm::Vm;

use crate::machine;
use crate::random::Random;
use crate::random_values;
use crate::value::Value;

/// How many cases one machine does. What a machine interned is lost with its thread, so that many machines take much memory.
const BATCH: u64 = 20_000;

/// Does the cases `from..to`; how many they were, or what is wrong, with the number of its case.
pub fn check(seed: u64, from: u64, to: u64) -> Result<u64, String> {
    let mut first = from;
    while first < to {
        let last = to.min(first + BATCH);
        machine::with_machine(move |vm| {
            for index in first..last {
                let checked = catch_unwind(AssertUnwindSafe(|| case(vm, seed, index)));
                match checked {
                    Ok(Ok(())) => {}
                    Ok(Err(problem)) => return Err(format!("case {index}: {problem}")),
                    Err(_) => return Err(format!("case {index} panics")),
                }
            }
            Ok(())
        })??;
        first = last;
    }
    Ok(to - from)
}

fn case(vm: &mut Vm, seed: u64, index: u64) -> Result<(), String> {
    let mut random = Random::new(seed, index);
    let value = random_values::value(random.draw());
    let bytes = encoded(&value)?;
    let same = |what: &str, other: &Value| {
        if encoded(other)? == bytes {
            Ok(())
        } else {
            Err(format!("{what} changes {value:?}\ninto {other:?}"))
        }
    };
    let decoded = Value::decode(&bytes).map_err(|e| format!("{e}: {value:?}"))?;
    same("decoding", &decoded)?;
    let json = value.to_json();
    let read = Value::from_json(&json).map_err(|e| format!("{e}: {json}"))?;
    same("JSON", &read)?;
    let text = value.to_safe_text();
    let read = Value::from_safe_text(&text).map_err(|e| format!("{e}: {text}"))?;
    same("JSON of Python's", &read)?;

    let inside = transfer::decode(vm, &bytes).map_err(|e| format!("{e}: {value:?}"))?;
    let out = transfer::encode(vm, &inside).map_err(|e| format!("{e}: {value:?}"))?;
    let back = Value::decode(&out).map_err(|e| format!("{e}: from {value:?}"))?;
    let plain = |value: Value| encoded(&random_values::canonical(value));
    if plain(back.clone())? != plain(value.clone())? {
        return Err(format!("the interpreter changes {value:?}\ninto {back:?}"));
    }

    for _ in 0..8 {
        let changed = mutated(&mut random, &bytes);
        let outside = Value::decode(&changed);
        if let Ok(value) = &outside {
            let again = Value::decode(&encoded(value)?);
            let again = again.map_err(|e| format!("{e}: {value:?}"))?;
            if encoded(&again)? != encoded(value)? {
                return Err(format!("a second turn changes {value:?}"));
            }
        }
        let Ok(inside) = transfer::decode(vm, &changed) else {
            continue;
        };
        // What the interpreter has made of it can always be written again, and the host can read that.
        let out = transfer::encode(vm, &inside)
            .map_err(|e| format!("{e}: of the bytes {changed:02x?}"))?;
        Value::decode(&out).map_err(|e| format!("{e}: of the bytes {changed:02x?}"))?;
    }
    let noise: Vec<u8> = (0..random.below(40)).map(|_| random.draw() as u8).collect();
    let _ = Value::decode(&noise);
    let _ = transfer::decode(vm, &noise);
    let _ = Value::from_safe_text(&String::from_utf8_lossy(&mutated(
        &mut random,
        text.as_bytes(),
    )));
    Ok(())
}

fn encoded(value: &Value) -> Result<Vec<u8>, String> {
    value.encode().map_err(|e| format!("{e}: {value:?}"))
}

/// Bytes with some changed, taken out, put in or repeated.
pub fn mutated(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..random.between(1, 4) {
        let at = random.below(out.len());
        match random.below(5) {
            0 if !out.is_empty() => out[at] = random.draw() as u8,
            1 if !out.is_empty() => out[at] ^= 1 << random.below(8),
            2 => out.truncate(at),
            3 => out.insert(at, random.draw() as u8),
            _ => {
                let end = (at + random.below(12)).min(out.len());
                let piece = out[at..end].to_vec();
                let to = random.below(out.len() + 1);
                out.splice(to..to, piece);
            }
        }
    }
    out
}
