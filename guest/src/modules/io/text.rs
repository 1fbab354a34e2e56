//! `io.TextIOWrapper`: text over a buffer of bytes, and the standard streams.
//!
//! Reading decodes a piece at a time; what was decoded and not yet taken is WTF-8. `tell` has to say where in the bytes a place in the text is: it decodes
//! the last piece again, up to that place (the snapshot of PEP 3116's implementation notes), and puts what it takes to get there into one number.

use super::base::{self, bases, closed_error, size_arg};
use super::coding::{self, Decoder, DecoderState, Encoder};
use super::newline::LineEnds;
use super::string_io::Newline;
use super::{buffered, file_io};
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::{self, Names};
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::exception::Exc;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, CmpOp, Slots};
use crate::objects::string::{Str, count_chars, decode_char};
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::host::Stream;
use crate::vm::{R, Vm};
use std::cell::Cell;

/// The encoding of files that are opened without one.
const LOCALE_ENCODING: &str = "UTF-8";
/// How much is read at a time, unless `_CHUNK_SIZE` is set.
const CHUNK: usize = 8192;

/// Payload of `TextIOWrapper`.
pub(crate) struct TextFile {
    /// The output of the host that text goes to without a detour.
    stream: Cell<Option<Stream>>,
    state: VmCell<State>,
    ready: Cell<bool>,
    detached: Cell<bool>,
    newline: Cell<Newline>,
    line_buffering: Cell<bool>,
    write_through: Cell<bool>,
    seekable: Cell<bool>,
    /// Whether `tell` can be answered; it cannot during iteration.
    telling: Cell<bool>,
    has_read1: Cell<bool>,
    chunk: Cell<usize>,
    pub(super) finalizing: Cell<bool>,
}

struct State {
    buffer: Value,
    encoding: Value,
    errors: Value,
    decoder: Decoder,
    ends: Option<LineEnds>,
    encoder: Encoder,
    /// Decoded text, and how much of it was taken, in bytes.
    text: Vec<u8>,
    used: usize,
    /// The state of the decoder before the last piece, and the piece.
    snapshot: Option<(Value, Vec<u8>)>,
    /// Encoded and not yet given to the buffer.
    pending: Vec<u8>,
}

// SAFETY: visits every value held.
unsafe impl Payload for TextFile {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        let s = unsafe { self.state.peek() };
        for v in [&s.buffer, &s.encoding, &s.errors] {
            visit(v);
        }
        if let Decoder::Object(v) = &s.decoder {
            visit(v);
        }
        if let Encoder::Object(v) = &s.encoder {
            visit(v);
        }
        if let Some((v, _)) = &s.snapshot {
            visit(v);
        }
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if TextFile::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    let base = bases(vm).text.clone();
    ClassBuilder::new::<TextFile>("TextIOWrapper")
        .base(&base)
        .flags(BASE)
        .slots(Slots {
            repr: Some(repr),
            new: Some(|_, class, _| Ok(Value::from_ref(heap::alloc_instance(blank(), class, 0)))),
            init: Some(init_slot),
            next: Some(next),
            ..Slots::NONE
        })
        .module(vm, "_io")
        .methods(vm, METHODS)
        .getset(
            vm,
            "encoding",
            |vm, v| Ok(ready(vm, v)?.state.get(vm).encoding.clone()),
            None,
        )
        .getset(
            vm,
            "errors",
            |vm, v| Ok(ready(vm, v)?.state.get(vm).errors.clone()),
            None,
        )
        .getset(
            vm,
            "buffer",
            |vm, v| Ok(ready(vm, v)?.state.get(vm).buffer.clone()),
            None,
        )
        .getset(
            vm,
            "name",
            |vm, v| {
                let buffer = attached(vm, v)?.state.get(vm).buffer.clone();
                vm.get_attr(&buffer, &Names::get().name.to_value())
            },
            None,
        )
        .getset(
            vm,
            "closed",
            |vm, v| {
                let buffer = attached(vm, v)?.state.get(vm).buffer.clone();
                vm.get_attr(&buffer, &Str::value("closed"))
            },
            None,
        )
        .getset(
            vm,
            "newlines",
            |vm, v| {
                let file = attached(vm, v)?;
                let ends = file.state.get(vm).ends;
                Ok(ends.map_or(Value::NONE, LineEnds::seen))
            },
            None,
        )
        .getset(
            vm,
            "line_buffering",
            |_, v| Ok(Value::bool(me(v).line_buffering.get())),
            None,
        )
        .getset(
            vm,
            "write_through",
            |_, v| Ok(Value::bool(me(v).write_through.get())),
            None,
        )
        .getset(
            vm,
            "_CHUNK_SIZE",
            |vm, v| Ok(Value::int(attached(vm, v)?.chunk.get() as i64)),
            Some(set_chunk),
        )
        .build(vm);
}

fn set_chunk(vm: &mut Vm, v: &Value, size: Option<&Value>) -> R<()> {
    let file = attached(vm, v)?;
    let Some(size) = size else {
        return Err(vm.raise(Exc::AttributeError, "cannot delete attribute"));
    };
    let n = vm.index_i64(size)?;
    if n <= 0 {
        return Err(vm.value_error("a strictly positive integer is required"));
    }
    file.chunk.set(n as usize);
    Ok(())
}

fn me(v: &Value) -> &Ref<TextFile> {
    receiver::<TextFile>(v)
}

fn blank() -> TextFile {
    TextFile {
        stream: Cell::new(None),
        state: VmCell::new(State {
            buffer: Value::NONE,
            encoding: Str::value("utf-8"),
            errors: Str::value("strict"),
            decoder: Decoder::None,
            ends: None,
            encoder: Encoder::None,
            text: Vec::new(),
            used: 0,
            snapshot: None,
            pending: Vec::new(),
        }),
        ready: Cell::new(false),
        detached: Cell::new(false),
        newline: Cell::new(Newline::Universal),
        line_buffering: Cell::new(false),
        write_through: Cell::new(false),
        seekable: Cell::new(false),
        telling: Cell::new(false),
        has_read1: Cell::new(true),
        chunk: Cell::new(CHUNK),
        finalizing: Cell::new(false),
    }
}

/// The objects for `sys.stdin`, `sys.stdout` and `sys.stderr`.
pub(crate) fn standard_streams(vm: &mut Vm) -> [Value; 3] {
    super::init(vm);
    let mut made = |fd: i32, name: &str, stream: Option<Stream>| {
        let raw = file_io::standard(vm, fd, name);
        let buffer = buffered::standard(vm, raw, fd == 0);
        let file = heap::alloc_instance(blank(), TextFile::class(), 0);
        file.stream.set(stream);
        file.ready.set(true);
        file.write_through.set(fd != 0);
        file.line_buffering.set(fd == 2);
        let state = file.state.get_mut(vm);
        state.buffer = buffer;
        let codec = crate::objects::string::encoding::Codec::Utf8;
        if fd == 0 {
            state.decoder = Decoder::Native(codec, Vec::new());
            state.ends = Some(LineEnds::new(true));
        } else {
            state.encoder = Encoder::Native(codec);
        }
        if fd == 2 {
            state.errors = Str::value("backslashreplace");
        }
        let v = file.to_value();
        let mode = Str::value(if fd == 0 { "r" } else { "w" });
        if let Err(raised) = vm.set_instance_attr(&v, &names::intern("mode"), Some(&mode)) {
            // A stream without a mode is a stream.
            let _ = vm.swallow_any(raised);
        }
        v
    };
    [
        made(0, "<stdin>", None),
        made(1, "<stdout>", Some(Stream::Stdout)),
        made(2, "<stderr>", Some(Stream::Stderr)),
    ]
}

/// The host stream behind a file object, when it is an open standard output.
pub(crate) fn stream_of(vm: &Vm, v: &Value) -> Option<Stream> {
    let file = v.as_ref::<TextFile>()?;
    let stream = file.stream.get()?;
    let closed = buffered::quick_closed(vm, &file.state.get(vm).buffer);
    (closed == Some(false)).then_some(stream)
}

fn ready(vm: &mut Vm, v: &Value) -> R<Ref<TextFile>> {
    let file = me(v).clone();
    if file.ready.get() || file.detached.get() {
        Ok(file)
    } else {
        Err(vm.value_error("I/O operation on uninitialized object"))
    }
}

fn attached(vm: &mut Vm, v: &Value) -> R<Ref<TextFile>> {
    let file = ready(vm, v)?;
    if file.detached.get() {
        return Err(vm.value_error("underlying buffer has been detached"));
    }
    Ok(file)
}

fn is_closed(vm: &mut Vm, file: &Ref<TextFile>) -> R<bool> {
    let buffer = &file.state.get(vm).buffer;
    if let Some(closed) = buffered::quick_closed(vm, buffer) {
        return Ok(closed);
    }
    let buffer = buffer.clone();
    let closed = vm.get_attr(&buffer, &names::intern("closed").to_value())?;
    vm.truthy(&closed)
}

fn open(vm: &mut Vm, v: &Value) -> R<Ref<TextFile>> {
    let file = attached(vm, v)?;
    if is_closed(vm, &file)? {
        return Err(closed_error(vm));
    }
    Ok(file)
}

fn buffer_of(vm: &Vm, file: &Ref<TextFile>) -> Value {
    file.state.get(vm).buffer.clone()
}

/// Asks the buffer.
fn ask(vm: &mut Vm, file: &Ref<TextFile>, method: &str, args: &[Value]) -> R {
    let buffer = buffer_of(vm, file);
    vm.call_method(&buffer, &names::intern(method), args)
}

fn able(vm: &mut Vm, file: &Ref<TextFile>, method: &str) -> R<bool> {
    let able = ask(vm, file, method, &[])?;
    vm.truthy(&able)
}

fn text_arg(vm: &mut Vm, v: Option<&Value>, name: &str) -> R<Option<Value>> {
    match v {
        None => Ok(None),
        Some(v) if v.is_none() => Ok(None),
        Some(v) if v.is::<Str>() => {
            let has_null = v.as_ref::<Str>().is_some_and(|s| s.as_bytes().contains(&0));
            if v.as_ref::<Str>().is_some_and(|s| s.as_str().is_none()) {
                // Raises the error for lone surrogates.
                vm.call_method(v, &names::intern("encode"), &[])?;
            }
            if has_null {
                return Err(vm.value_error("embedded null character"));
            }
            Ok(Some(v.clone()))
        }
        Some(v) => Err(vm.type_error(format!(
            "TextIOWrapper() argument '{name}' must be str or None, not {}",
            vm.arg_class_name(v)
        ))),
    }
}

fn newline_arg(vm: &mut Vm, v: &Value) -> R<Newline> {
    if !v.is_none() && !v.is::<Str>() {
        return Err(vm.type_error(format!(
            "TextIOWrapper() argument 'newline' must be str or None, not {}",
            vm.arg_class_name(v)
        )));
    }
    if let Some(s) = v.as_ref::<Str>()
        && !matches!(s.as_bytes(), b"" | b"\n" | b"\r" | b"\r\n")
    {
        return Err(vm.value_error(format!("illegal newline value: {}", s.to_text())));
    }
    Newline::of_arg(vm, v)
}

/// `TextIOWrapper(buffer, encoding=None, errors=None, newline=None, line_buffering=False, write_through=False)`
fn init_slot(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let params = crate::params!(
        "(buffer, encoding=None, errors=None, newline=None, line_buffering=False, write_through=False)"
    );
    let a = args.bind(vm, "TextIOWrapper", params, 0)?;
    let file = me(v).clone();
    file.ready.set(false);
    file.detached.set(false);
    file.stream.set(None);
    let encoding = text_arg(vm, optional(&a, 1), "encoding")?;
    let errors = text_arg(vm, optional(&a, 2), "errors")?;
    let newline = newline_arg(vm, optional(&a, 3).unwrap_or(&Value::NONE))?;
    let flag = |vm: &mut Vm, i: usize| optional(&a, i).map_or(Ok(false), |v| vm.truthy(v));
    let (line_buffering, write_through) = (flag(vm, 4)?, flag(vm, 5)?);
    let encoding = match encoding {
        Some(v) if v.as_ref::<Str>().is_some_and(|s| s.as_bytes() != b"locale") => v,
        _ => Str::value(LOCALE_ENCODING),
    };
    let errors = errors.unwrap_or_else(|| Str::value("strict"));
    let name = text_of(&encoding);
    coding::check(vm, &name)?;
    let state = State {
        buffer: a[0].clone(),
        encoding,
        errors,
        decoder: Decoder::None,
        ends: None,
        encoder: Encoder::None,
        text: Vec::new(),
        used: 0,
        snapshot: None,
        pending: Vec::new(),
    };
    drop(file.state.replace(vm, state));
    file.newline.set(newline);
    file.line_buffering.set(line_buffering);
    file.write_through.set(write_through);
    file.chunk.set(CHUNK);
    make_coders(vm, &file)?;
    let seekable = able(vm, &file, "seekable")?;
    file.seekable.set(seekable);
    file.telling.set(seekable);
    let read1 = vm.get_attr_opt(&a[0], &names::intern("read1").to_value())?;
    file.has_read1.set(read1.is_some());
    not_at_start(vm, &file)?;
    file.ready.set(true);
    Ok(())
}

/// An encoder that begins in the middle of a file makes no mark.
fn not_at_start(vm: &mut Vm, file: &Ref<TextFile>) -> R<()> {
    let encoder = file.state.get(vm).encoder.clone();
    if file.seekable.get() && matches!(encoder, Encoder::Object(_)) {
        let at = ask(vm, file, "tell", &[])?;
        if vm.truthy(&at)? {
            coding::at_start(vm, &encoder, false)?;
        }
    }
    Ok(())
}

fn text_of(v: &Value) -> String {
    v.as_ref::<Str>()
        .map(|s| s.to_text().into_owned())
        .unwrap_or_default()
}

/// Makes decoder and encoder for what the buffer can do.
fn make_coders(vm: &mut Vm, file: &Ref<TextFile>) -> R<()> {
    let s = file.state.get(vm);
    let (name, errors) = (text_of(&s.encoding), s.errors.clone());
    let newline = file.newline.get();
    let (mut decoder, mut ends) = (Decoder::None, None);
    if able(vm, file, "readable")? {
        decoder = coding::decoder(vm, &name, &errors)?;
        ends = match newline {
            Newline::Universal => Some(LineEnds::new(true)),
            Newline::Any => Some(LineEnds::new(false)),
            Newline::Only(_) => None,
        };
    }
    let mut encoder = Encoder::None;
    if able(vm, file, "writable")? {
        encoder = coding::encoder(vm, &name, &errors)?;
    }
    let s = file.state.get_mut(vm);
    let old = (
        std::mem::replace(&mut s.decoder, decoder),
        std::mem::replace(&mut s.encoder, encoder),
    );
    s.ends = ends;
    drop(old);
    Ok(())
}

// ---- decoding with the file's decoder

fn decode(vm: &mut Vm, file: &Ref<TextFile>, data: Vec<u8>, last: bool) -> R<Vec<u8>> {
    let s = file.state.get_mut(vm);
    let (mut decoder, mut ends, errors) = (s.decoder.clone(), s.ends, s.errors.clone());
    let text = coding::decode(vm, &mut decoder, &mut ends, &errors, data, last)?;
    let s = file.state.get_mut(vm);
    let old = std::mem::replace(&mut s.decoder, decoder);
    s.ends = ends;
    drop(old);
    Ok(text)
}

fn decoder_state(vm: &mut Vm, file: &Ref<TextFile>) -> R<DecoderState> {
    let s = file.state.get(vm);
    let (decoder, ends) = (s.decoder.clone(), s.ends);
    coding::state(vm, &decoder, &ends)
}

fn set_decoder_state(vm: &mut Vm, file: &Ref<TextFile>, state: &DecoderState) -> R<()> {
    let s = file.state.get(vm);
    let (mut decoder, mut ends) = (s.decoder.clone(), s.ends);
    coding::set_state(vm, &mut decoder, &mut ends, state)?;
    let s = file.state.get_mut(vm);
    let old = std::mem::replace(&mut s.decoder, decoder);
    s.ends = ends;
    drop(old);
    Ok(())
}

fn reset_decoder(vm: &mut Vm, file: &Ref<TextFile>) -> R<()> {
    let s = file.state.get(vm);
    let (mut decoder, mut ends) = (s.decoder.clone(), s.ends);
    coding::reset(vm, &mut decoder, &mut ends)?;
    let s = file.state.get_mut(vm);
    let old = std::mem::replace(&mut s.decoder, decoder);
    s.ends = ends;
    drop(old);
    Ok(())
}

/// Forgets what was decoded.
fn forget(vm: &mut Vm, file: &Ref<TextFile>) {
    let s = file.state.get_mut(vm);
    s.text.clear();
    s.used = 0;
    let old = s.snapshot.take();
    drop(old);
}

// ---- writing

fn write(vm: &mut Vm, v: &Value, text: &Value) -> R {
    let file = open(vm, v)?;
    let Some(s) = text.as_ref::<Str>() else {
        return Err(vm.type_error(format!(
            "write() argument must be str, not {}",
            vm.arg_class_name(text)
        )));
    };
    let chars = Value::int(s.len() as i64);
    if let Some(stream) = file.stream.get() {
        crate::builtins::publish::write_text(vm, stream, s)?;
        return Ok(chars);
    }
    let bytes = s.as_bytes();
    let has_end = memchr::memchr(b'\n', bytes).is_some();
    let flush = file.line_buffering.get() && (has_end || memchr::memchr(b'\r', bytes).is_some());
    let mut text = text.clone();
    if let Newline::Only(end) = file.newline.get()
        && end != "\n"
        && has_end
    {
        let args = [Str::value("\n"), Str::value(end)];
        text = vm.call_method(&text, &names::intern("replace"), &args)?;
    }
    let s = file.state.get(vm);
    let (encoder, errors) = (s.encoder.clone(), s.errors.clone());
    let data = coding::encode(vm, &encoder, &text, &errors)?;
    let waiting = file.state.get(vm).pending.len();
    if waiting > 0 && waiting + data.len() > file.chunk.get() {
        write_pending(vm, &file)?;
    }
    let s = file.state.get_mut(vm);
    if s.pending.is_empty() {
        s.pending = data;
    } else {
        s.pending.extend(data);
    }
    if s.pending.len() >= file.chunk.get() || flush || file.write_through.get() {
        write_pending(vm, &file)?;
    }
    if flush {
        ask(vm, &file, "flush", &[])?;
    }
    if file.state.get(vm).snapshot.is_some() {
        // What was read ahead is not where the file will go on.
        forget(vm, &file);
    }
    if !matches!(file.state.get(vm).decoder, Decoder::None) {
        reset_decoder(vm, &file)?;
    }
    Ok(chars)
}

/// Gives the buffer what was encoded.
fn write_pending(vm: &mut Vm, file: &Ref<TextFile>) -> R<()> {
    let s = file.state.get_mut(vm);
    if s.pending.is_empty() {
        return Ok(());
    }
    let data = std::mem::take(&mut s.pending);
    let buffer = s.buffer.clone();
    let write = Names::get().write.clone();
    vm.call_method(&buffer, &write, &[Bytes::value(data)])?;
    Ok(())
}

// ---- reading

fn readable(vm: &mut Vm, v: &Value) -> R<Ref<TextFile>> {
    let file = open(vm, v)?;
    if matches!(file.state.get(vm).decoder, Decoder::None) {
        return Err(base::unsupported(vm, "not readable"));
    }
    Ok(file)
}

/// Reads and decodes one more piece; false at the end.
fn read_chunk(vm: &mut Vm, file: &Ref<TextFile>) -> R<bool> {
    vm.poll_native()?;
    let before = if file.telling.get() {
        Some(decoder_state(vm, file)?)
    } else {
        None
    };
    let method = if file.has_read1.get() {
        "read1"
    } else {
        "read"
    };
    let size = Value::int(file.chunk.get() as i64);
    let data = ask(vm, file, method, &[size])?;
    if !buffer::is_buffer(&data) {
        return Err(vm.type_error(format!(
            "underlying {method}() should have returned a bytes-like object, not '{}'",
            vm.class_name(&data)
        )));
    }
    let data = buffer::copy(vm, &data)?;
    let end = data.is_empty();
    let snapshot = before.map(|(mut held, flags)| {
        held.extend_from_slice(&data);
        (flags, held)
    });
    let text = decode(vm, file, data, end)?;
    let some = !text.is_empty();
    let s = file.state.get_mut(vm);
    if s.used == s.text.len() {
        s.text = text;
        s.used = 0;
        let old = std::mem::replace(&mut s.snapshot, snapshot);
        drop(old);
    } else {
        // Not reached with a snapshot that would be lost: callers take what is left first.
        s.text.extend(text);
        let old = std::mem::replace(&mut s.snapshot, snapshot);
        drop(old);
    }
    Ok(!end || some)
}

/// Bytes of the first `n` characters.
fn bytes_of(text: &[u8], n: usize) -> usize {
    if n >= text.len() && text.is_ascii() {
        return text.len();
    }
    let mut at = 0;
    for _ in 0..n {
        if at >= text.len() {
            break;
        }
        at += decode_char(&text[at..]).1;
    }
    at
}

/// Takes what was decoded: up to `n` characters.
fn take(vm: &mut Vm, file: &Ref<TextFile>, n: Option<usize>) -> Vec<u8> {
    let s = file.state.get_mut(vm);
    let rest = &s.text[s.used..];
    let bytes = n.map_or(rest.len(), |n| bytes_of(rest, n));
    let piece = rest[..bytes].to_vec();
    s.used += bytes;
    piece
}

fn read(vm: &mut Vm, v: &Value, n: Option<usize>) -> R<Vec<u8>> {
    let file = readable(vm, v)?;
    write_pending(vm, &file)?;
    let Some(n) = n else {
        let data = ask(vm, &file, "read", &[])?;
        if data.is_none() {
            return Err(vm.type_error(
                "underlying read() should have returned a bytes-like object, not 'NoneType'",
            ));
        }
        let data = buffer::copy(vm, &data)?;
        let rest = decode(vm, &file, data, true)?;
        let mut text = take(vm, &file, None);
        forget(vm, &file);
        if text.is_empty() {
            return Ok(rest);
        }
        crate::objects::sequence::push_text(vm, &mut text, &rest)?;
        return Ok(text);
    };
    let mut text = take(vm, &file, Some(n));
    let mut chars = count_chars(&text);
    while chars < n {
        if !read_chunk(vm, &file)? {
            break;
        }
        let piece = take(vm, &file, Some(n - chars));
        chars += count_chars(&piece);
        crate::objects::sequence::push_text(vm, &mut text, &piece)?;
    }
    Ok(text)
}

/// Length in bytes of a whole line at the start of the text, its end included.
fn line_end(newline: Newline, text: &[u8]) -> Option<usize> {
    match newline {
        Newline::Universal | Newline::Only("\n") => memchr::memchr(b'\n', text).map(|i| i + 1),
        Newline::Only("\r") => memchr::memchr(b'\r', text).map(|i| i + 1),
        Newline::Any => memchr::memchr2(b'\n', b'\r', text)
            .map(|i| i + if text[i..].starts_with(b"\r\n") { 2 } else { 1 }),
        Newline::Only(end) => {
            crate::objects::bytes::find::find(text, end.as_bytes()).map(|i| i + end.len())
        }
    }
}

fn read_line(vm: &mut Vm, file: &Ref<TextFile>, limit: Option<usize>) -> R<Vec<u8>> {
    write_pending(vm, file)?;
    let newline = file.newline.get();
    let mut line: Vec<u8> = Vec::new();
    loop {
        let s = file.state.get(vm);
        let rest = &s.text[s.used..];
        // An end of two characters may begin in one piece and end in the next.
        let split = matches!(newline, Newline::Only("\r\n"))
            && line.last() == Some(&b'\r')
            && rest.first() == Some(&b'\n');
        let end = if split {
            Some(1)
        } else {
            line_end(newline, rest)
        };
        let mut bytes = end.unwrap_or(rest.len());
        let mut full = end.is_some();
        if let Some(limit) = limit {
            let room = limit - count_chars(&line);
            let most = bytes_of(&rest[..bytes], room);
            if most < bytes || count_chars(&rest[..most]) == room {
                full = true;
            }
            bytes = most;
        }
        let used = s.used;
        let piece = &rest[..bytes];
        if line.is_empty() && full {
            line = piece.to_vec();
            file.state.get_mut(vm).used = used + bytes;
            return Ok(line);
        }
        let piece = piece.to_vec();
        crate::objects::sequence::push_text(vm, &mut line, &piece)?;
        file.state.get_mut(vm).used = used + bytes;
        if full {
            return Ok(line);
        }
        if !read_chunk(vm, file)? {
            forget_at_end(vm, file);
            return Ok(line);
        }
    }
}

/// At the end of the file there is nothing that `tell` would have to decode again.
fn forget_at_end(vm: &mut Vm, file: &Ref<TextFile>) {
    let s = file.state.get_mut(vm);
    if s.used == s.text.len() {
        forget(vm, file);
    }
}

fn next(vm: &mut Vm, v: &Value) -> R {
    let file = readable(vm, v)?;
    file.telling.set(false);
    let line = if vm.class_of(v).is_static() {
        Str::value_wtf8(&read_line(vm, &file, None)?)
    } else {
        let line = vm.call_method(v, &names::intern("readline"), &[])?;
        if !line.is::<Str>() {
            return Err(vm.raise(
                Exc::OSError,
                format!(
                    "readline() should have returned a str object, not '{}'",
                    vm.class_name(&line)
                ),
            ));
        }
        line
    };
    if vm.len(&line)? > 0 {
        return Ok(line);
    }
    forget(vm, &file);
    file.telling.set(file.seekable.get());
    Ok(Value::UNDEF)
}

// ---- places

/// A place in the text: where the bytes to decode begin, the decoder's state there, how many bytes to decode, whether their end is the file's, and how many
/// characters to leave out.
struct Place {
    start: Value,
    flags: Value,
    feed: usize,
    end: bool,
    skip: usize,
}

/// Bits of each of the numbers in a cookie.
const FIELD: i64 = 64;

fn cookie(vm: &mut Vm, place: &Place) -> R {
    let mut made = place.start.clone();
    let parts = [
        place.flags.clone(),
        Value::int(place.feed as i64),
        Value::int(place.skip as i64),
        Value::small_int(i64::from(place.end)),
    ];
    for (i, part) in parts.iter().enumerate() {
        if !vm.truthy(part)? {
            continue;
        }
        let shift = Value::small_int(FIELD * (i as i64 + 1));
        let part = vm.binary(BinOp::Shl, part, &shift)?;
        made = vm.binary(BinOp::Or, &made, &part)?;
    }
    Ok(made)
}

fn place_of(vm: &mut Vm, cookie: &Value) -> R<Place> {
    let one = Value::small_int(1);
    let top = vm.binary(BinOp::Shl, &one, &Value::small_int(FIELD))?;
    let mask = vm.binary(BinOp::Sub, &top, &one)?;
    let mut rest = cookie.clone();
    let mut parts = Vec::new();
    for _ in 0..5 {
        parts.push(vm.binary(BinOp::And, &rest, &mask)?);
        rest = vm.binary(BinOp::Shr, &rest, &Value::small_int(FIELD))?;
    }
    let small = |vm: &mut Vm, v: &Value| -> R<usize> {
        let n = vm.index_clamped(v)?;
        Ok(usize::try_from(n).unwrap_or(usize::MAX))
    };
    let (feed, skip) = (small(vm, &parts[2])?, small(vm, &parts[3])?);
    let end = vm.truthy(&parts[4])? || vm.truthy(&rest)?;
    Ok(Place {
        start: parts[0].clone(),
        flags: parts[1].clone(),
        feed,
        end,
        skip,
    })
}

fn tell(vm: &mut Vm, v: &Value) -> R {
    let file = open(vm, v)?;
    if !file.seekable.get() {
        return Err(base::unsupported(vm, "underlying stream is not seekable"));
    }
    if !file.telling.get() {
        return Err(vm.raise(Exc::OSError, "telling position disabled by next() call"));
    }
    write_pending(vm, &file)?;
    ask(vm, &file, "flush", &[])?;
    let position = ask(vm, &file, "tell", &[])?;
    let s = file.state.get(vm);
    let Some((flags, data)) = s.snapshot.clone() else {
        return Ok(position);
    };
    if matches!(s.decoder, Decoder::None) {
        return Ok(position);
    }
    let taken = count_chars(&s.text[..s.used]);
    let start = vm.binary(BinOp::Sub, &position, &Value::int(data.len() as i64))?;
    if taken == 0 {
        let place = Place {
            start,
            flags,
            feed: 0,
            end: false,
            skip: 0,
        };
        return cookie(vm, &place);
    }
    let saved = decoder_state(vm, &file)?;
    let ends = file.state.get(vm).ends;
    let found = find_place(vm, &file, start, &flags, &data, taken);
    set_decoder_state(vm, &file, &saved)?;
    file.state.get_mut(vm).ends = ends;
    let place = found?;
    cookie(vm, &place)
}

/// Finds the bytes after which `taken` characters have been decoded, starting in a state of the decoder.
fn find_place(
    vm: &mut Vm,
    file: &Ref<TextFile>,
    start: Value,
    flags: &Value,
    data: &[u8],
    taken: usize,
) -> R<Place> {
    // Characters that the first `n` bytes make, and the decoder's state after them.
    let decoded = |vm: &mut Vm, n: usize| -> R<(usize, DecoderState)> {
        set_decoder_state(vm, file, &(Vec::new(), flags.clone()))?;
        let text = decode(vm, file, data[..n].to_vec(), false)?;
        let state = decoder_state(vm, file)?;
        Ok((count_chars(&text), state))
    };
    // The fewest bytes that make as many characters as were taken.
    let (mut low, mut high) = (0, data.len());
    while low < high {
        let middle = (low + high) / 2;
        if decoded(vm, middle)?.0 >= taken {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // From there back to where the decoder holds nothing.
    let mut at = low;
    let (chars, state) = loop {
        let (chars, state) = decoded(vm, at)?;
        if (chars <= taken && state.0.is_empty()) || at == 0 {
            break (chars, state);
        }
        at -= 1;
    };
    let start = vm.binary(BinOp::Add, &start, &Value::int(at as i64))?;
    let (mut chars, flags) = if at == 0 {
        (0, flags.clone())
    } else {
        (chars, state.1)
    };
    let skip = taken - chars.min(taken);
    let mut place = Place {
        start,
        flags,
        feed: 0,
        end: false,
        skip,
    };
    if skip == 0 {
        return Ok(place);
    }
    set_decoder_state(vm, file, &(Vec::new(), place.flags.clone()))?;
    while chars < taken && at < data.len() {
        let text = decode(vm, file, vec![data[at]], false)?;
        chars += count_chars(&text);
        at += 1;
        place.feed += 1;
    }
    if chars < taken {
        let text = decode(vm, file, Vec::new(), true)?;
        place.end = true;
        if chars + count_chars(&text) < taken {
            return Err(coding::lost_position(
                vm,
                "can't reconstruct logical file position",
            ));
        }
    }
    Ok(place)
}

fn seek(vm: &mut Vm, a: &[Value]) -> R {
    let whence = match optional(a, 2) {
        Some(v) => vm.index_i64(v)?,
        None => 0,
    };
    let file = open(vm, &a[0])?;
    if !file.seekable.get() {
        return Err(base::unsupported(vm, "underlying stream is not seekable"));
    }
    let mut target = a[1].clone();
    let zero = Value::small_int(0);
    match whence {
        1 => {
            if !vm.eq(&target, &zero)? {
                return Err(base::unsupported(vm, "can't do nonzero cur-relative seeks"));
            }
            vm.call_method(&a[0], &Names::get().flush, &[])?;
            target = vm.call_method(&a[0], &names::intern("tell"), &[])?;
        }
        2 => {
            if !vm.eq(&target, &zero)? {
                return Err(base::unsupported(vm, "can't do nonzero end-relative seeks"));
            }
            vm.call_method(&a[0], &Names::get().flush, &[])?;
            forget(vm, &file);
            reset_decoder(vm, &file)?;
            let at = ask(vm, &file, "seek", &[zero.clone(), Value::small_int(2)])?;
            let encoder = file.state.get(vm).encoder.clone();
            let start = vm.eq(&at, &zero)?;
            coding::at_start(vm, &encoder, start)?;
            return Ok(at);
        }
        0 => {}
        _ => {
            return Err(vm.value_error(format!("invalid whence ({whence}, should be 0, 1 or 2)")));
        }
    }
    if vm.compare_bool(CmpOp::Lt, &target, &zero)? {
        let shown = vm.repr(&target)?;
        return Err(vm.value_error(format!("negative seek position {}", shown.to_text())));
    }
    vm.call_method(&a[0], &Names::get().flush, &[])?;
    let target = vm.index(&target)?;
    let place = place_of(vm, &target)?;
    ask(vm, &file, "seek", std::slice::from_ref(&place.start))?;
    forget(vm, &file);
    let has_decoder = !matches!(file.state.get(vm).decoder, Decoder::None);
    if has_decoder {
        if vm.truthy(&target)? {
            set_decoder_state(vm, &file, &(Vec::new(), place.flags.clone()))?;
        } else {
            reset_decoder(vm, &file)?;
        }
        file.state.get_mut(vm).snapshot = Some((place.flags.clone(), Vec::new()));
    }
    if place.skip > 0 {
        let data = ask(vm, &file, "read", &[Value::int(place.feed as i64)])?;
        if !data.is::<Bytes>() {
            return Err(vm.type_error(format!(
                "underlying read() should have returned a bytes object, not '{}'",
                vm.class_name(&data)
            )));
        }
        let data = buffer::copy(vm, &data)?;
        file.state.get_mut(vm).snapshot = Some((place.flags, data.clone()));
        let text = decode(vm, &file, data, place.end)?;
        if count_chars(&text) < place.skip {
            return Err(coding::lost_position(
                vm,
                "can't restore logical file position",
            ));
        }
        let s = file.state.get_mut(vm);
        s.used = bytes_of(&text, place.skip);
        s.text = text;
    }
    let encoder = file.state.get(vm).encoder.clone();
    let start = !vm.truthy(&target)?;
    coding::at_start(vm, &encoder, start)?;
    Ok(target)
}

// ---- the rest

fn flush(vm: &mut Vm, v: &Value) -> R {
    let file = open(vm, v)?;
    file.telling.set(file.seekable.get());
    write_pending(vm, &file)?;
    if file.stream.get().is_some() {
        return Ok(Value::NONE);
    }
    ask(vm, &file, "flush", &[])
}

fn close(vm: &mut Vm, v: &Value) -> R {
    let file = attached(vm, v)?;
    if is_closed(vm, &file)? {
        return Ok(Value::NONE);
    }
    let buffer = buffer_of(vm, &file);
    if file.finalizing.get() {
        buffered::dealloc_warn(vm, &buffer, v)?;
    }
    let first = match vm.call_method(v, &Names::get().flush, &[]) {
        Ok(_) => None,
        Err(raised) if vm.stopped.is_some() => return Err(raised),
        Err(_) => Some(vm.take_error()),
    };
    let second = vm.call_method(&buffer, &Names::get().close, &[]);
    buffered::chain(vm, first, second)
}

fn reconfigure(vm: &mut Vm, a: &[Value]) -> R {
    let file = attached(vm, &a[0])?;
    let encoding = reconfigure_arg(vm, optional(a, 1), "encoding")?;
    let errors = reconfigure_arg(vm, optional(a, 2), "errors")?;
    let newline = match optional(a, 3) {
        Some(v) if v.is_none() || v.is::<Str>() => Some(Newline::of_arg(vm, v)?),
        Some(v) => {
            return Err(vm.type_error(format!(
                "reconfigure() argument 'newline' must be str or None, not {}",
                vm.arg_class_name(v)
            )));
        }
        None => None,
    };
    let flag = |vm: &mut Vm, i: usize, old: bool| match optional(a, i).filter(|v| !v.is_none()) {
        Some(v) => vm.truthy(v),
        None => Ok(old),
    };
    let line_buffering = flag(vm, 4, file.line_buffering.get())?;
    let write_through = flag(vm, 5, file.write_through.get())?;
    let changed = encoding.is_some() || errors.is_some() || newline.is_some();
    let s = file.state.get(vm);
    if changed && s.snapshot.is_some() {
        return Err(base::unsupported(
            vm,
            "It is not possible to set the encoding or newline of stream after the first read",
        ));
    }
    let encoding = match encoding {
        Some(v) if text_of(&v) == "locale" => Some(Str::value(LOCALE_ENCODING)),
        other => other,
    };
    if let Some(v) = &encoding {
        coding::check(vm, &text_of(v))?;
    }
    vm.call_method(&a[0], &Names::get().flush, &[])?;
    if changed {
        let s = file.state.get_mut(vm);
        let errors = match (&encoding, errors) {
            (_, Some(errors)) => Some(errors),
            (Some(_), None) => Some(Str::value("strict")),
            (None, None) => None,
        };
        let old = (
            encoding.map(|v| std::mem::replace(&mut s.encoding, v)),
            errors.map(|v| std::mem::replace(&mut s.errors, v)),
        );
        drop(old);
        if let Some(newline) = newline {
            file.newline.set(newline);
        }
        // What has an encoding of its own does not go straight to the host.
        if file.stream.take().is_some() {
            file.write_through.set(true);
        }
        make_coders(vm, &file)?;
        not_at_start(vm, &file)?;
    }
    file.line_buffering.set(line_buffering);
    file.write_through
        .set(write_through || file.write_through.get() && optional(a, 5).is_none());
    Ok(Value::NONE)
}

fn reconfigure_arg(vm: &mut Vm, v: Option<&Value>, name: &str) -> R<Option<Value>> {
    match v {
        Some(v) if !v.is_none() && !v.is::<Str>() => Err(vm.type_error(format!(
            "reconfigure() argument '{name}' must be str or None, not {}",
            vm.arg_class_name(v)
        ))),
        v => Ok(v.filter(|v| !v.is_none()).cloned()),
    }
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let file = ready(vm, v)?;
    let class = base::shown_class(vm, v);
    let shown = vm.repr_once(v, |vm| {
        let mut out = format!("<{class}").into_bytes();
        for key in ["name", "mode"] {
            let value = match vm.get_attr_opt(v, &names::intern(key).to_value()) {
                Ok(value) => value,
                Err(raised) => {
                    vm.swallow(raised, Exc::ValueError)?;
                    None
                }
            };
            if let Some(value) = value {
                out.extend_from_slice(format!(" {key}=").as_bytes());
                let text = vm.repr(&value)?;
                out.extend_from_slice(text.as_bytes());
            }
        }
        let encoding = file.state.get(vm).encoding.clone();
        out.extend_from_slice(b" encoding=");
        let text = vm.repr(&encoding)?;
        out.extend_from_slice(text.as_bytes());
        out.push(b'>');
        Ok(Str::value_wtf8(&out))
    })?;
    match shown {
        Some(shown) => Ok(shown),
        None => Err(vm.runtime_error(format!("reentrant call inside {class}.__repr__"))),
    }
}

fn passed(vm: &mut Vm, a: &[Value], method: &str) -> R {
    let file = attached(vm, &a[0])?;
    ask(vm, &file, method, &a[1..])
}

static METHODS: &[Def] = &[
    Def::method("write", "(self, text, /)", |vm, a| write(vm, &a[0], &a[1])),
    Def::method("writelines", "(self, lines, /)", |vm, a| {
        open(vm, &a[0])?;
        base::write_lines(vm, &a[0], &a[1])
    }),
    Def::method("read", "(self, size=-1, /)", |vm, a| {
        let n = size_arg(vm, optional(a, 1))?;
        Ok(Str::value_wtf8(&read(vm, &a[0], n)?))
    }),
    Def::method("readline", "(self, size=-1, /)", |vm, a| {
        let n = match optional(a, 1) {
            Some(v) => usize::try_from(vm.index_i64(v)?).ok(),
            None => None,
        };
        let file = readable(vm, &a[0])?;
        Ok(Str::value_wtf8(&read_line(vm, &file, n)?))
    }),
    Def::method("flush", "(self, /)", |vm, a| flush(vm, &a[0])),
    Def::method("close", "(self, /)", |vm, a| close(vm, &a[0])),
    Def::method("detach", "(self, /)", |vm, a| {
        let file = attached(vm, &a[0])?;
        vm.call_method(&a[0], &Names::get().flush, &[])?;
        file.detached.set(true);
        file.ready.set(false);
        file.stream.set(None);
        let buffer = &mut file.state.get_mut(vm).buffer;
        Ok(std::mem::replace(buffer, Value::NONE))
    }),
    Def::method("fileno", "(self, /)", |vm, a| passed(vm, a, "fileno")),
    Def::method("isatty", "(self, /)", |vm, a| passed(vm, a, "isatty")),
    Def::method("readable", "(self, /)", |vm, a| passed(vm, a, "readable")),
    Def::method("writable", "(self, /)", |vm, a| passed(vm, a, "writable")),
    Def::method("seekable", "(self, /)", |vm, a| passed(vm, a, "seekable")),
    Def::method("seek", "(self, cookie, whence=0, /)", seek),
    Def::method("tell", "(self, /)", |vm, a| tell(vm, &a[0])),
    Def::method("truncate", "(self, pos=None, /)", |vm, a| {
        let file = open(vm, &a[0])?;
        vm.call_method(&a[0], &Names::get().flush, &[])?;
        let pos = match optional(a, 1).filter(|v| !v.is_none()) {
            Some(v) => v.clone(),
            None => vm.call_method(&a[0], &names::intern("tell"), &[])?,
        };
        ask(vm, &file, "truncate", &[pos])
    }),
    Def::method(
        "reconfigure",
        "(self, /, *, encoding=None, errors=None, newline=None, line_buffering=None, write_through=None)",
        reconfigure,
    ),
    Def::method("_dealloc_warn", "(self, source, /)", |vm, a| {
        let file = attached(vm, &a[0])?;
        let buffer = buffer_of(vm, &file);
        buffered::dealloc_warn(vm, &buffer, &a[1])?;
        Ok(Value::NONE)
    }),
    Def::method("__reduce__", "(self, /)", file_io::no_pickle),
    Def::method("__reduce_ex__", "(self, protocol, /)", file_io::no_pickle),
];
