//! `BufferedReader`, `BufferedWriter` and `BufferedRandom`: a buffer before a raw file.
//!
//! What was read ahead and what waits to be written are two vectors, of which one is always empty. The raw file is asked through its methods, unless it is
//! exactly a `FileIO`.

use super::base::{self, bases, unsupported};
use super::file_io;
use crate::class_slot;
use crate::files::errno;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::{self, Names};
use crate::objects::bytes::{ByteArray, Bytes, buffer};
use crate::objects::exception::Exc;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Raised, Vm};
use std::cell::{Cell, OnceCell};

/// Which of the classes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Reader,
    Writer,
    Random,
}

/// Payload of all three classes.
pub(super) struct Buffered {
    sort: Sort,
    state: VmCell<State>,
    size: Cell<usize>,
    /// Whether `__init__` has succeeded, and nothing was detached.
    ready: Cell<bool>,
    detached: Cell<bool>,
    pub(super) finalizing: Cell<bool>,
}

struct State {
    raw: Value,
    /// Read ahead, and how much of it was taken.
    ahead: Vec<u8>,
    taken: usize,
    /// To be written.
    waiting: Vec<u8>,
}

// SAFETY: visits the raw file.
unsafe impl Payload for Buffered {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        visit(unsafe { &self.state.peek().raw });
    }
}

/// The classes.
pub(super) struct Classes {
    pub(super) reader: Ref<Type>,
    pub(super) writer: Ref<Type>,
    pub(super) random: Ref<Type>,
}

thread_local! {
    static CLASSES: OnceCell<&'static Classes> = const { OnceCell::new() };
}

/// The classes, made when first needed.
pub(super) fn classes(vm: &mut Vm) -> &'static Classes {
    if let Some(classes) = CLASSES.with(|c| c.get().copied()) {
        return classes;
    }
    let base = bases(vm).buffered.clone();
    let built = |vm: &mut Vm, name: &'static str, sort: Sort, methods: [&'static [Def]; 3]| {
        let new: fn(&mut Vm, &Ref<Type>, Args) -> R = match sort {
            Sort::Reader => |_, class, _| Ok(blank(Sort::Reader, class)),
            Sort::Writer => |_, class, _| Ok(blank(Sort::Writer, class)),
            Sort::Random => |_, class, _| Ok(blank(Sort::Random, class)),
        };
        let reads = sort != Sort::Writer;
        let mut builder = if sort == Sort::Reader {
            ClassBuilder::new::<Buffered>(name)
        } else {
            ClassBuilder::sibling::<Buffered>(name)
        };
        builder = builder
            .base(&base)
            .flags(BASE)
            .slots(Slots {
                repr: Some(repr),
                new: Some(new),
                init: Some(init_slot),
                next: if reads { Some(next) } else { None },
                ..Slots::NONE
            })
            .module(vm, "_io");
        for list in methods {
            builder = builder.methods(vm, list);
        }
        builder
            .getset(vm, "raw", |vm, v| Ok(me(v).state.get(vm).raw.clone()), None)
            .getset(
                vm,
                "closed",
                |vm, v| {
                    let raw = raw(vm, v)?;
                    vm.get_attr(&raw, &names::intern("closed").to_value())
                },
                None,
            )
            .getset(
                vm,
                "name",
                |vm, v| {
                    let raw = raw(vm, v)?;
                    vm.get_attr(&raw, &Names::get().name.to_value())
                },
                None,
            )
            .getset(
                vm,
                "mode",
                |vm, v| {
                    let raw = raw(vm, v)?;
                    vm.get_attr(&raw, &Str::value("mode"))
                },
                None,
            )
            .build(vm)
    };
    let made = Classes {
        reader: built(vm, "BufferedReader", Sort::Reader, [COMMON, READING, &[]]),
        writer: built(vm, "BufferedWriter", Sort::Writer, [COMMON, WRITING, &[]]),
        random: built(
            vm,
            "BufferedRandom",
            Sort::Random,
            [COMMON, READING, WRITING],
        ),
    };
    let made: &'static Classes = Box::leak(Box::new(made));
    CLASSES.with(|c| *c.get_or_init(|| made))
}

fn blank(sort: Sort, class: &Ref<Type>) -> Value {
    let made = Buffered {
        sort,
        state: VmCell::new(State {
            raw: Value::NONE,
            ahead: Vec::new(),
            taken: 0,
            waiting: Vec::new(),
        }),
        size: Cell::new(0),
        ready: Cell::new(false),
        detached: Cell::new(false),
        finalizing: Cell::new(false),
    };
    Value::from_ref(heap::alloc_instance(made, class, 0))
}

/// The buffer of a standard stream. It holds nothing back.
pub(super) fn standard(vm: &mut Vm, raw: Value, reads: bool) -> Value {
    let classes = classes(vm);
    let v = if reads {
        blank(Sort::Reader, &classes.reader)
    } else {
        blank(Sort::Writer, &classes.writer)
    };
    let b = me(&v).clone();
    b.state.get_mut(vm).raw = raw;
    b.size.set(if reads { 8192 } else { 0 });
    b.ready.set(true);
    v
}

fn me(v: &Value) -> &Ref<Buffered> {
    receiver::<Buffered>(v)
}

/// `__init__(raw, buffer_size=DEFAULT_BUFFER_SIZE)`
fn init_slot(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let b = me(v).clone();
    let name = vm.class_of(v).bare_name().into_owned();
    let params = crate::params!("(raw, buffer_size=131072)");
    let a = args.bind(vm, &name, params, 0)?;
    b.ready.set(false);
    b.detached.set(false);
    let size = match optional(&a, 1) {
        Some(v) => vm.index_i64(v)?,
        None => super::DEFAULT_BUFFER_SIZE,
    };
    let mut needs = Vec::new();
    if b.sort == Sort::Random {
        needs.push(("seekable", "File or stream is not seekable."));
    }
    if b.sort != Sort::Writer {
        needs.push(("readable", "File or stream is not readable."));
    }
    if b.sort != Sort::Reader {
        needs.push(("writable", "File or stream is not writable."));
    }
    for (method, text) in needs {
        let able = vm.call_method(&a[0], &names::intern(method), &[])?;
        if !vm.truthy(&able)? {
            return Err(unsupported(vm, text));
        }
    }
    if size <= 0 {
        return Err(vm.value_error("buffer size must be strictly positive"));
    }
    vm.text_size(size as usize)?;
    let old = b.state.replace(
        vm,
        State {
            raw: a[0].clone(),
            ahead: Vec::new(),
            taken: 0,
            waiting: Vec::new(),
        },
    );
    drop(old);
    b.size.set(size as usize);
    b.ready.set(true);
    Ok(())
}

/// `ValueError` unless there is a raw file.
fn ready(vm: &mut Vm, v: &Value) -> R<Ref<Buffered>> {
    let b = me(v).clone();
    if b.ready.get() {
        return Ok(b);
    }
    Err(vm.value_error(if b.detached.get() {
        "raw stream has been detached"
    } else {
        "I/O operation on uninitialized object"
    }))
}

fn raw(vm: &mut Vm, v: &Value) -> R {
    let b = ready(vm, v)?;
    Ok(b.state.get(vm).raw.clone())
}

/// Whether the file is closed.
fn is_closed(vm: &mut Vm, b: &Ref<Buffered>) -> R<bool> {
    let raw = b.state.get(vm).raw.clone();
    if let Some(closed) = file_io::is_closed(&raw) {
        return Ok(closed);
    }
    let closed = vm.get_attr(&raw, &names::intern("closed").to_value())?;
    vm.truthy(&closed)
}

/// The file, open. `what` is the error's text otherwise.
fn open(vm: &mut Vm, v: &Value, what: &str) -> R<Ref<Buffered>> {
    let b = ready(vm, v)?;
    if is_closed(vm, &b)? {
        return Err(vm.value_error(what));
    }
    Ok(b)
}

fn ahead(vm: &Vm, b: &Ref<Buffered>) -> usize {
    let s = b.state.get(vm);
    s.ahead.len() - s.taken
}

/// Takes up to `n` bytes of what was read ahead.
fn take(vm: &mut Vm, b: &Ref<Buffered>, n: usize, into: &mut Vec<u8>) {
    let s = b.state.get_mut(vm);
    let n = n.min(s.ahead.len() - s.taken);
    into.extend_from_slice(&s.ahead[s.taken..s.taken + n]);
    s.taken += n;
    if s.taken == s.ahead.len() {
        s.ahead.clear();
        s.taken = 0;
    }
}

fn forget_ahead(vm: &mut Vm, b: &Ref<Buffered>) {
    let s = b.state.get_mut(vm);
    s.ahead.clear();
    s.taken = 0;
}

// ---- the raw file

/// One read of the raw file; `None` when it has nothing now.
fn raw_read(vm: &mut Vm, b: &Ref<Buffered>, n: usize) -> R<Option<Vec<u8>>> {
    let raw = b.state.get(vm).raw.clone();
    if let Some(result) = file_io::read_exact(vm, &raw, n) {
        return result;
    }
    vm.text_size(n)?;
    let room = ByteArray::value(vec![0; n]);
    let class = vm
        .builtins
        .get_str(vm, &names::intern("memoryview"))
        .cloned()
        .unwrap_or(Value::NONE);
    let view = vm.call(&class, std::slice::from_ref(&room))?;
    let got = vm.call_method(
        &raw,
        &names::intern("readinto"),
        std::slice::from_ref(&view),
    )?;
    vm.call_method(&view, &names::intern("release"), &[])?;
    if got.is_none() {
        return Ok(None);
    }
    let Some(count) = got.as_int().and_then(|i| i.to_i64()) else {
        let cause = vm.type_error(format!(
            "'{}' object cannot be interpreted as an integer",
            vm.class_name(&got)
        ));
        return Err(raise_from(vm, cause, Exc::OSError, "raw readinto() failed"));
    };
    if count < 0 || count as usize > n {
        return Err(vm.raise(
            Exc::OSError,
            format!("raw readinto() returned invalid length {count} (should have been between 0 and {n})"),
        ));
    }
    let mut data = buffer::copy(vm, &room)?;
    data.truncate(count as usize);
    Ok(Some(data))
}

/// Raises an error with the pending one as its cause.
fn raise_from(vm: &mut Vm, raised: Raised, class: Exc, text: &str) -> Raised {
    if vm.stopped.is_some() {
        return raised;
    }
    let cause = vm.take_error();
    let args = [Str::value(text)];
    match vm.call(&class.class().to_value(), &args) {
        Ok(e) => {
            let key = Str::value("__cause__");
            match vm.set_attr(&e, &key, Some(&cause)) {
                Ok(()) => vm.raise_value(e),
                Err(raised) => raised,
            }
        }
        Err(raised) => raised,
    }
}

/// One write to the raw file; `None` when it takes nothing now.
fn raw_write(vm: &mut Vm, b: &Ref<Buffered>, data: &[u8]) -> R<Option<usize>> {
    let raw = b.state.get(vm).raw.clone();
    if let Some(result) = file_io::write_exact(vm, &raw, data) {
        return result;
    }
    let piece = Bytes::value(data.to_vec());
    let n = vm.call_method(&raw, &Names::get().write, &[piece])?;
    if n.is_none() {
        return Ok(None);
    }
    let n = vm.index_i64(&n)?;
    if n < 0 || n as usize > data.len() {
        return Err(vm.raise(
            Exc::OSError,
            format!(
                "raw write() returned invalid length {n} (should have been between 0 and {})",
                data.len()
            ),
        ));
    }
    Ok(Some(n as usize))
}

fn position(vm: &mut Vm, v: &Value, what: &str) -> R<i64> {
    let n = vm.index_i64(v)?;
    if n < 0 {
        return Err(vm.raise(
            Exc::OSError,
            format!("Raw stream returned invalid position {n}{what}"),
        ));
    }
    Ok(n)
}

fn raw_tell(vm: &mut Vm, b: &Ref<Buffered>) -> R<i64> {
    let raw = b.state.get(vm).raw.clone();
    let at = vm.call_method(&raw, &names::intern("tell"), &[])?;
    position(vm, &at, "")
}

fn raw_seek(vm: &mut Vm, b: &Ref<Buffered>, offset: Value, whence: i64) -> R<i64> {
    let raw = b.state.get(vm).raw.clone();
    let at = vm.call_method(
        &raw,
        &names::intern("seek"),
        &[offset, Value::small_int(whence)],
    )?;
    position(vm, &at, "")
}

/// Brings the raw file to where the program believes to be.
fn rewind(vm: &mut Vm, b: &Ref<Buffered>) -> R<()> {
    let n = ahead(vm, b);
    if n > 0 {
        raw_seek(vm, b, Value::int(-(n as i64)), 1)?;
    }
    forget_ahead(vm, b);
    Ok(())
}

/// `BlockingIOError` after so many bytes.
fn would_block(vm: &mut Vm, written: usize) -> Raised {
    let args = [
        Value::small_int(i64::from(errno::EAGAIN.0)),
        Str::value("write could not complete without blocking"),
        Value::int(written as i64),
    ];
    match vm.call(&Exc::BlockingIOError.class().to_value(), &args) {
        Ok(e) => vm.raise_value(e),
        Err(raised) => raised,
    }
}

/// Writes what waits.
fn flush_waiting(vm: &mut Vm, b: &Ref<Buffered>) -> R<()> {
    while !b.state.get(vm).waiting.is_empty() {
        vm.poll_native()?;
        let data = std::mem::take(&mut b.state.get_mut(vm).waiting);
        let result = raw_write(vm, b, &data);
        let done = match &result {
            Ok(Some(n)) => *n,
            _ => 0,
        };
        // What was not written comes before anything that was added meanwhile.
        let s = b.state.get_mut(vm);
        let added = std::mem::take(&mut s.waiting);
        s.waiting = data[done..].to_vec();
        s.waiting.extend(added);
        if result?.is_none() {
            return Err(would_block(vm, 0));
        }
    }
    Ok(())
}

/// Ends writing, so that reading can begin.
fn end_writing(vm: &mut Vm, b: &Ref<Buffered>) -> R<()> {
    if b.state.get(vm).waiting.is_empty() {
        Ok(())
    } else {
        flush_waiting(vm, b)
    }
}

// ---- reading

/// Reads ahead; false at the end, `None` when there is nothing now.
fn fill(vm: &mut Vm, b: &Ref<Buffered>) -> R<Option<bool>> {
    let size = b.size.get();
    let Some(data) = raw_read(vm, b, size)? else {
        return Ok(None);
    };
    let more = !data.is_empty();
    let s = b.state.get_mut(vm);
    if s.taken == s.ahead.len() {
        s.ahead = data;
        s.taken = 0;
    } else {
        s.ahead.extend(data);
    }
    Ok(Some(more))
}

fn read_all(vm: &mut Vm, b: &Ref<Buffered>) -> R {
    let mut data = Vec::new();
    take(vm, b, usize::MAX, &mut data);
    end_writing(vm, b)?;
    let raw = b.state.get(vm).raw.clone();
    let read_all = vm.get_attr_opt(&raw, &names::intern("readall").to_value())?;
    if let Some(read_all) = read_all {
        let rest = vm.call(&read_all, &[])?;
        if !rest.is_none() && !rest.is::<Bytes>() {
            return Err(vm.type_error("readall() should return bytes"));
        }
        if rest.is_none() {
            return Ok(if data.is_empty() {
                Value::NONE
            } else {
                Bytes::value(data)
            });
        }
        if data.is_empty() {
            return Ok(rest);
        }
        data.extend(buffer::copy(vm, &rest)?);
        return Ok(Bytes::value(data));
    }
    loop {
        vm.poll_native()?;
        let part = vm.call_method(&raw, &Names::get().read, &[])?;
        if !part.is_none() && !part.is::<Bytes>() {
            return Err(vm.type_error("read() should return bytes"));
        }
        if part.is_none() || vm.len(&part)? == 0 {
            return Ok(if data.is_empty() {
                part
            } else {
                Bytes::value(data)
            });
        }
        data.extend(buffer::copy(vm, &part)?);
    }
}

/// Reads `n` bytes, fewer only at the end or when there are no more now; `None` for nothing now.
fn read_some(vm: &mut Vm, b: &Ref<Buffered>, n: usize) -> R<Option<Vec<u8>>> {
    let mut data = Vec::new();
    take(vm, b, n, &mut data);
    if data.len() == n {
        return Ok(Some(data));
    }
    end_writing(vm, b)?;
    while data.len() < n {
        vm.poll_native()?;
        let rest = n - data.len();
        let size = b.size.get();
        if rest >= size {
            // Whole buffers go past the buffer.
            match raw_read(vm, b, rest - rest % size)? {
                None if data.is_empty() => return Ok(None),
                None => break,
                Some(part) if part.is_empty() => break,
                Some(part) => crate::objects::sequence::push_text(vm, &mut data, &part)?,
            }
            continue;
        }
        match fill(vm, b)? {
            None if data.is_empty() => return Ok(None),
            None | Some(false) => break,
            Some(true) => take(vm, b, rest, &mut data),
        }
    }
    Ok(Some(data))
}

fn read_line(vm: &mut Vm, b: &Ref<Buffered>, limit: Option<usize>) -> R<Vec<u8>> {
    let limit = limit.unwrap_or(usize::MAX);
    end_writing(vm, b)?;
    let mut line = Vec::new();
    loop {
        let s = b.state.get(vm);
        let have = &s.ahead[s.taken..];
        let end = memchr::memchr(b'\n', have).map(|i| i + 1);
        let n = end.unwrap_or(have.len()).min(limit - line.len());
        vm.text_size(line.len() + n)?;
        take(vm, b, n, &mut line);
        if end.is_some() && line.last() == Some(&b'\n') || line.len() >= limit {
            return Ok(line);
        }
        vm.poll_native()?;
        if fill(vm, b)? != Some(true) {
            return Ok(line);
        }
    }
}

fn next(vm: &mut Vm, v: &Value) -> R {
    let b = open(vm, v, "readline of closed file")?;
    if !vm.class_of(v).is_static() {
        // A class of the program may read lines in its own way.
        let line = vm.call_method(v, &names::intern("readline"), &[])?;
        return Ok(if vm.len(&line)? == 0 {
            Value::UNDEF
        } else {
            line
        });
    }
    let line = read_line(vm, &b, None)?;
    Ok(if line.is_empty() {
        Value::UNDEF
    } else {
        Bytes::value(line)
    })
}

fn size_arg(vm: &mut Vm, v: Option<&Value>) -> R<Option<i64>> {
    match v {
        None => Ok(None),
        Some(v) if v.is_none() => Ok(None),
        Some(v) if !crate::objects::sequence::is_index(v) => Err(vm.type_error(format!(
            "argument should be integer or None, not '{}'",
            vm.class_name(v)
        ))),
        Some(v) => vm.index_i64(v).map(Some),
    }
}

/// The one read of `read1`.
fn read_once(vm: &mut Vm, b: &Ref<Buffered>, n: usize) -> R<Option<Vec<u8>>> {
    if n == 0 {
        return Ok(Some(Vec::new()));
    }
    let mut data = Vec::new();
    if ahead(vm, b) > 0 {
        take(vm, b, n, &mut data);
        return Ok(Some(data));
    }
    end_writing(vm, b)?;
    raw_read(vm, b, n)
}

/// What `readinto1` gets: what was read ahead, and one read more when a whole buffer or more is wanted still.
fn read_into_once(vm: &mut Vm, b: &Ref<Buffered>, room: usize) -> R<Option<Vec<u8>>> {
    let mut data = Vec::new();
    take(vm, b, room, &mut data);
    let rest = room - data.len();
    if rest == 0 {
        return Ok(Some(data));
    }
    end_writing(vm, b)?;
    if rest > b.size.get() {
        let more = raw_read(vm, b, rest)?;
        if more.is_none() && data.is_empty() {
            return Ok(None);
        }
        data.extend(more.unwrap_or_default());
    } else if data.is_empty() {
        match fill(vm, b)? {
            None => return Ok(None),
            Some(_) => take(vm, b, rest, &mut data),
        }
    }
    Ok(Some(data))
}

fn read_into(vm: &mut Vm, a: &[Value], once: bool) -> R {
    let b = open(vm, &a[0], "readinto of closed file")?;
    if !buffer::is_buffer(&a[1]) || !buffer::is_writable(&a[1]) {
        return base::fill(vm, &a[1], &[]);
    }
    let room = buffer::view(vm, &a[1]).map_or(0, <[u8]>::len);
    let data = if once {
        read_into_once(vm, &b, room)?
    } else {
        read_some(vm, &b, room)?
    };
    match data {
        Some(data) => base::fill(vm, &a[1], &data),
        None => Ok(Value::NONE),
    }
}

static READING: &[Def] = &[
    Def::method("read", "(self, size=-1, /)", |vm, a| {
        let n = size_arg(vm, optional(a, 1))?.unwrap_or(-1);
        ready(vm, &a[0])?;
        if n < -1 {
            return Err(vm.value_error("read length must be non-negative or -1"));
        }
        let b = open(vm, &a[0], "read of closed file")?;
        if n < 0 {
            return read_all(vm, &b);
        }
        Ok(read_some(vm, &b, n as usize)?.map_or(Value::NONE, Bytes::value))
    }),
    Def::method("read1", "(self, size=-1, /)", |vm, a| {
        let n = match optional(a, 1) {
            Some(v) => vm.index_i64(v)?,
            None => -1,
        };
        let b = open(vm, &a[0], "read of closed file")?;
        let n = usize::try_from(n).unwrap_or(b.size.get());
        // Nothing now counts as nothing at all.
        let data = read_once(vm, &b, n)?.unwrap_or_default();
        Ok(Bytes::value(data))
    }),
    Def::method("readinto", "(self, buffer, /)", |vm, a| {
        read_into(vm, a, false)
    }),
    Def::method("readinto1", "(self, buffer, /)", |vm, a| {
        read_into(vm, a, true)
    }),
    Def::method("peek", "(self, size=0, /)", |vm, a| {
        let b = open(vm, &a[0], "peek of closed file")?;
        end_writing(vm, &b)?;
        if ahead(vm, &b) == 0 {
            fill(vm, &b)?;
        }
        let s = b.state.get(vm);
        Ok(Bytes::value(s.ahead[s.taken..].to_vec()))
    }),
    Def::method("readline", "(self, size=-1, /)", |vm, a| {
        let n = size_arg(vm, optional(a, 1))?.unwrap_or(-1);
        let b = open(vm, &a[0], "readline of closed file")?;
        let line = read_line(vm, &b, usize::try_from(n).ok())?;
        Ok(Bytes::value(line))
    }),
    Def::method("readable", "(self, /)", |vm, a| ask(vm, &a[0], "readable")),
];

// ---- writing

fn write(vm: &mut Vm, b: &Ref<Buffered>, data: &[u8]) -> R<usize> {
    let size = b.size.get();
    if ahead(vm, b) > 0 {
        rewind(vm, b)?;
    }
    let waiting = b.state.get(vm).waiting.len();
    if waiting + data.len() <= size {
        b.state.get_mut(vm).waiting.extend_from_slice(data);
        return Ok(data.len());
    }
    if let Err(raised) = flush_waiting(vm, b) {
        vm.swallow(raised, Exc::BlockingIOError)?;
        // As much as there is room for stays here.
        let room = size.saturating_sub(b.state.get(vm).waiting.len());
        let n = room.min(data.len());
        b.state.get_mut(vm).waiting.extend_from_slice(&data[..n]);
        if n < data.len() {
            return Err(would_block(vm, n));
        }
        return Ok(n);
    }
    let mut written = 0;
    while data.len() - written > size {
        vm.poll_native()?;
        match raw_write(vm, b, &data[written..])? {
            Some(n) => written += n,
            None => {
                let n = size.min(data.len() - written);
                let s = b.state.get_mut(vm);
                s.waiting.extend_from_slice(&data[written..written + n]);
                written += n;
                if written < data.len() {
                    return Err(would_block(vm, written));
                }
            }
        }
    }
    let s = b.state.get_mut(vm);
    s.waiting.extend_from_slice(&data[written..]);
    Ok(data.len())
}

static WRITING: &[Def] = &[
    Def::method("write", "(self, buffer, /)", |vm, a| {
        ready(vm, &a[0])?;
        if a[1].is::<Str>() {
            return Err(vm.type_error("a bytes-like object is required, not 'str'"));
        }
        let data = buffer::copy(vm, &a[1])?;
        let b = open(vm, &a[0], "write to closed file")?;
        Ok(Value::int(write(vm, &b, &data)? as i64))
    }),
    Def::method("writable", "(self, /)", |vm, a| ask(vm, &a[0], "writable")),
];

// ---- both

fn ask(vm: &mut Vm, v: &Value, method: &str) -> R {
    let raw = raw(vm, v)?;
    vm.call_method(&raw, &names::intern(method), &[])
}

fn flush(vm: &mut Vm, v: &Value) -> R {
    let b = open(vm, v, "flush of closed file")?;
    if b.sort == Sort::Reader {
        return ask(vm, v, "flush");
    }
    flush_waiting(vm, &b)?;
    if b.sort == Sort::Random {
        rewind(vm, &b)?;
    }
    Ok(Value::NONE)
}

fn seek(vm: &mut Vm, a: &[Value]) -> R {
    let whence = match optional(a, 2) {
        Some(v) => vm.index_i64(v)?,
        None => 0,
    };
    ready(vm, &a[0])?;
    if !(0..=4).contains(&whence) {
        return Err(vm.value_error(format!("whence value {whence} unsupported")));
    }
    let b = open(vm, &a[0], "seek of closed file")?;
    let able = ask(vm, &a[0], "seekable")?;
    if !vm.truthy(&able)? {
        return Err(unsupported(vm, "File or stream is not seekable."));
    }
    let mut offset = vm.index_i64(&a[1])?;
    let n = ahead(vm, &b) as i64;
    if n > 0 && whence <= 1 {
        // Perhaps what is wanted was read already.
        let here = raw_tell(vm, &b)? - n;
        let by = if whence == 0 { offset - here } else { offset };
        let s = b.state.get_mut(vm);
        if by >= -(s.taken as i64) && by <= n {
            s.taken = (s.taken as i64 + by) as usize;
            return Ok(Value::int((here + by).max(0)));
        }
    }
    flush_waiting(vm, &b)?;
    if whence == 1 {
        offset -= ahead(vm, &b) as i64;
    }
    let at = raw_seek(vm, &b, Value::int(offset), whence)?;
    forget_ahead(vm, &b);
    Ok(Value::int(at))
}

fn close(vm: &mut Vm, v: &Value) -> R {
    let b = ready(vm, v)?;
    if is_closed(vm, &b)? {
        return Ok(Value::NONE);
    }
    let raw = b.state.get(vm).raw.clone();
    if b.finalizing.get() {
        dealloc_warn(vm, &raw, v)?;
    }
    let flushed = vm.call_method(v, &Names::get().flush, &[]);
    let first = match flushed {
        Ok(_) => None,
        Err(raised) if vm.stopped.is_some() => return Err(raised),
        Err(_) => Some(vm.take_error()),
    };
    let closed = vm.call_method(&raw, &Names::get().close, &[]);
    if closed.is_ok() || first.is_none() {
        let s = b.state.get_mut(vm);
        s.waiting = Vec::new();
        s.ahead = Vec::new();
        s.taken = 0;
    }
    chain(vm, first, closed)
}

/// The error of the first step, or else the result of the second; both are kept when both failed.
pub(super) fn chain(vm: &mut Vm, first: Option<Value>, second: R) -> R {
    match (first, second) {
        (None, second) => second,
        (Some(first), Ok(_)) => Err(vm.reraise(first)),
        (Some(first), Err(raised)) => {
            if vm.stopped.is_some() {
                return Err(raised);
            }
            let error = vm.take_error();
            if !error.is_same(&first) {
                vm.set_attr(&error, &Str::value("__context__"), Some(&first))?;
            }
            Err(vm.reraise(error))
        }
    }
}

/// Lets the file below warn that it was not closed.
pub(super) fn dealloc_warn(vm: &mut Vm, file: &Value, source: &Value) -> R<()> {
    let method = names::intern("_dealloc_warn");
    if let Err(raised) = vm.call_method(file, &method, std::slice::from_ref(source)) {
        vm.swallow_any(raised)?;
    }
    Ok(())
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let class = base::shown_class(vm, v);
    let name = match vm.get_attr_opt(v, &Names::get().name.to_value()) {
        Ok(name) => name,
        Err(raised) => {
            vm.swallow(raised, Exc::ValueError)?;
            None
        }
    };
    let Some(name) = name else {
        return Ok(Str::value(&format!("<{class}>")));
    };
    match vm.repr_once(v, |vm| vm.repr(&name))? {
        Some(name) => Ok(Str::value_wtf8(
            &[format!("<{class} name=").as_bytes(), name.as_bytes(), b">"].concat(),
        )),
        None => Err(vm.runtime_error(format!("reentrant call inside {class}.__repr__"))),
    }
}

static COMMON: &[Def] = &[
    Def::method("flush", "(self, /)", |vm, a| flush(vm, &a[0])),
    Def::method("close", "(self, /)", |vm, a| close(vm, &a[0])),
    Def::method("detach", "(self, /)", |vm, a| {
        let b = ready(vm, &a[0])?;
        vm.call_method(&a[0], &Names::get().flush, &[])?;
        let raw = std::mem::replace(&mut b.state.get_mut(vm).raw, Value::NONE);
        b.ready.set(false);
        b.detached.set(true);
        Ok(raw)
    }),
    Def::method("seekable", "(self, /)", |vm, a| ask(vm, &a[0], "seekable")),
    Def::method("fileno", "(self, /)", |vm, a| ask(vm, &a[0], "fileno")),
    Def::method("isatty", "(self, /)", |vm, a| ask(vm, &a[0], "isatty")),
    Def::method("tell", "(self, /)", |vm, a| {
        let b = ready(vm, &a[0])?;
        let at = raw_tell(vm, &b)?;
        let waiting = b.state.get(vm).waiting.len() as i64;
        // A raw file can be moved behind the buffer's back.
        Ok(Value::int((at - ahead(vm, &b) as i64 + waiting).max(0)))
    }),
    Def::method("seek", "(self, target, whence=0, /)", seek),
    Def::method("truncate", "(self, pos=None, /)", |vm, a| {
        let b = open(vm, &a[0], "truncate of closed file")?;
        if b.sort == Sort::Reader {
            return Err(unsupported(vm, "truncate"));
        }
        flush(vm, &a[0])?;
        let pos = optional(a, 1).cloned().unwrap_or(Value::NONE);
        let raw = b.state.get(vm).raw.clone();
        vm.call_method(&raw, &names::intern("truncate"), &[pos])
    }),
    Def::method("_dealloc_warn", "(self, source, /)", |vm, a| {
        let raw = raw(vm, &a[0])?;
        dealloc_warn(vm, &raw, &a[1])?;
        Ok(Value::NONE)
    }),
    Def::method("__reduce__", "(self, /)", file_io::no_pickle),
    Def::method("__reduce_ex__", "(self, protocol, /)", file_io::no_pickle),
];

/// Whether the file is closed, when that can be told without asking a class of the program.
pub(super) fn quick_closed(vm: &Vm, v: &Value) -> Option<bool> {
    let b = v.as_ref::<Buffered>()?;
    if !b.header().class().is_static() || !b.ready.get() {
        return None;
    }
    file_io::is_closed(&b.state.get(vm).raw)
}
