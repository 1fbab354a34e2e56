//! Line ends: the layer that reads all kinds of them as one, and `IncrementalNewlineDecoder`, which is that layer for Python code.

use crate::class_slot;
use crate::heap::{self, Payload, VmCell};
use crate::names;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};

const CR: u8 = 1;
const LF: u8 = 2;
const CRLF: u8 = 4;

/// What was seen of line ends, and what is held back.
#[derive(Clone, Copy, Default)]
pub(super) struct LineEnds {
    /// All line ends become `\n`.
    pub(super) translate: bool,
    /// A `\r` was the last character so far; a `\n` may follow.
    pub(super) held: bool,
    seen: u8,
}

impl LineEnds {
    pub(super) fn new(translate: bool) -> LineEnds {
        LineEnds {
            translate,
            ..LineEnds::default()
        }
    }

    /// Passes text (WTF-8) through.
    pub(super) fn pass(&mut self, text: Vec<u8>, last: bool) -> Vec<u8> {
        let mut text = text;
        if self.held && (!text.is_empty() || last) {
            text.insert(0, b'\r');
            self.held = false;
        }
        if !last && text.last() == Some(&b'\r') {
            text.pop();
            self.held = true;
        }
        if memchr::memchr(b'\r', &text).is_none() {
            if self.seen & LF == 0 && memchr::memchr(b'\n', &text).is_some() {
                self.seen |= LF;
            }
            return text;
        }
        let mut out = Vec::with_capacity(text.len());
        let mut i = 0;
        while i < text.len() {
            match text[i] {
                b'\r' if text.get(i + 1) == Some(&b'\n') => {
                    self.seen |= CRLF;
                    i += 1;
                    if !self.translate {
                        out.push(b'\r');
                    }
                    out.push(b'\n');
                }
                b'\r' => {
                    self.seen |= CR;
                    out.push(if self.translate { b'\n' } else { b'\r' });
                }
                b => {
                    if b == b'\n' {
                        self.seen |= LF;
                    }
                    out.push(b);
                }
            }
            i += 1;
        }
        out
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.held = false;
        self.seen = 0;
    }

    /// The line ends seen: `None`, one, or a tuple.
    pub(super) fn seen(self) -> Value {
        let list: Vec<Value> = [(CR, "\r"), (LF, "\n"), (CRLF, "\r\n")]
            .iter()
            .filter(|(bit, _)| self.seen & bit != 0)
            .map(|(_, end)| Str::value(end))
            .collect();
        match list.len() {
            0 => Value::NONE,
            1 => list[0].clone(),
            _ => Tuple::value(list),
        }
    }
}

/// Payload of `IncrementalNewlineDecoder`.
pub(super) struct NewlineDecoder {
    state: VmCell<(Value, LineEnds)>,
}

// SAFETY: visits the decoder.
unsafe impl Payload for NewlineDecoder {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        visit(unsafe { &self.state.peek().0 });
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if NewlineDecoder::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    ClassBuilder::new::<NewlineDecoder>("IncrementalNewlineDecoder")
        .flags(BASE)
        .slots(Slots {
            new: Some(|_, class, _| {
                let made = NewlineDecoder {
                    // `UNDEF`: not initialized yet.
                    state: VmCell::new((Value::UNDEF, LineEnds::default())),
                };
                Ok(Value::from_ref(heap::alloc_instance(made, class, 0)))
            }),
            init: Some(init_slot),
            ..Slots::NONE
        })
        .module(vm, "_io")
        .methods(vm, METHODS)
        .getset(vm, "newlines", |vm, v| Ok(checked(vm, v)?.1.seen()), None)
        .build(vm);
}

fn init_slot(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let params = crate::params!("(decoder, translate, errors='strict')");
    let a = args.bind(vm, "IncrementalNewlineDecoder", params, 0)?;
    let translate = vm.truthy(&a[1])?;
    let me = receiver::<NewlineDecoder>(v).clone();
    drop(
        me.state
            .replace(vm, (a[0].clone(), LineEnds::new(translate))),
    );
    Ok(())
}

fn checked(vm: &mut Vm, v: &Value) -> R<(Value, LineEnds)> {
    let state = receiver::<NewlineDecoder>(v).state.get(vm).clone();
    if state.0.is_undef() {
        return Err(vm.value_error("IncrementalNewlineDecoder.__init__() not called"));
    }
    Ok(state)
}

fn set_ends(vm: &mut Vm, v: &Value, ends: LineEnds) {
    receiver::<NewlineDecoder>(v).state.get_mut(vm).1 = ends;
}

static METHODS: &[Def] = &[
    Def::method("decode", "(self, /, input, final=False)", |vm, a| {
        let (decoder, mut ends) = checked(vm, &a[0])?;
        let last = match optional(a, 2) {
            Some(v) => vm.truthy(v)?,
            None => false,
        };
        let text = if decoder.is_none() {
            a[1].clone()
        } else {
            vm.call_method(
                &decoder,
                &names::intern("decode"),
                &[a[1].clone(), Value::bool(last)],
            )?
        };
        let Some(s) = text.as_ref::<Str>() else {
            return Err(vm.type_error(format!(
                "decoder should return a string result, not '{}'",
                vm.class_name(&text)
            )));
        };
        let made = ends.pass(s.as_bytes().to_vec(), last);
        set_ends(vm, &a[0], ends);
        Ok(Str::value_wtf8(&made))
    }),
    Def::method("getstate", "(self, /)", |vm, a| {
        let (decoder, ends) = checked(vm, &a[0])?;
        let (buffer, flag) = if decoder.is_none() {
            (
                crate::objects::bytes::Bytes::value(Vec::new()),
                Value::small_int(0),
            )
        } else {
            let state = vm.call_method(&decoder, &names::intern("getstate"), &[])?;
            match state.as_ref::<Tuple>().map(|t| t.items()) {
                Some([buffer, flag]) => (buffer.clone(), flag.clone()),
                _ => return Err(vm.type_error("illegal decoder state")),
            }
        };
        let flag = vm.binary(BinOp::Shl, &flag, &Value::small_int(1))?;
        let flag = vm.binary(BinOp::Or, &flag, &Value::small_int(i64::from(ends.held)))?;
        Ok(Tuple::value(vec![buffer, flag]))
    }),
    Def::method("setstate", "(self, state, /)", |vm, a| {
        let (decoder, mut ends) = checked(vm, &a[0])?;
        let (buffer, flag) = match a[1].as_ref::<Tuple>().map(|t| t.items()) {
            Some([buffer, flag]) => (buffer.clone(), flag.clone()),
            Some(_) => return Err(vm.type_error("illegal decoder state")),
            None => return Err(vm.type_error("state argument must be a tuple")),
        };
        let bit = vm.binary(BinOp::And, &flag, &Value::small_int(1))?;
        ends.held = vm.truthy(&bit)?;
        set_ends(vm, &a[0], ends);
        if decoder.is_none() {
            return Ok(Value::NONE);
        }
        let flag = vm.binary(BinOp::Shr, &flag, &Value::small_int(1))?;
        let state = Tuple::value(vec![buffer, flag]);
        vm.call_method(&decoder, &names::intern("setstate"), &[state])
    }),
    Def::method("reset", "(self, /)", |vm, a| {
        let (decoder, mut ends) = checked(vm, &a[0])?;
        ends.reset();
        set_ends(vm, &a[0], ends);
        if decoder.is_none() {
            return Ok(Value::NONE);
        }
        vm.call_method(&decoder, &names::intern("reset"), &[])
    }),
];
