//! Who lends bytes to whom: the buffer protocol.
//!
//! `bytes`, `bytearray` and `memoryview` are known here; other types that own memory (`array.array`) register an [`Exporter`]. Native code that
//! wants "a bytes-like object" asks [`arg`], which makes sure that [`view`] answers.

use super::{ByteArray, Bytes};
use crate::heap::Kind;
use crate::objects::memoryview::MemoryView;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::RefCell;

/// A type whose objects lend their memory.
pub struct Exporter {
    /// Whether an object is of the type.
    pub is: fn(&Value) -> bool,
    /// The memory, for reading.
    pub data: for<'a> fn(&'a Vm, &'a Value) -> &'a [u8],
    /// The memory, for writing; without it, it is read-only.
    pub data_mut: Option<for<'a> fn(&'a mut Vm, &'a Value) -> &'a mut [u8]>,
    /// What the items are, as `struct` names them.
    pub format: fn(&Value) -> String,
    /// Another view exists (1), or one less (-1): while there are any, the memory must keep its length.
    pub lock: fn(&Value, isize),
}

thread_local! {
    static EXPORTERS: RefCell<Vec<&'static Exporter>> = const { RefCell::new(Vec::new()) };
}

/// Makes a type's objects bytes-like.
pub fn register(exporter: &'static Exporter) {
    EXPORTERS.with_borrow_mut(|list| list.push(exporter));
}

/// The exporter of an object that is neither `bytes`, `bytearray` nor `memoryview`.
fn exporter(v: &Value) -> Option<&'static Exporter> {
    EXPORTERS.with_borrow(|list| list.iter().find(|e| (e.is)(v)).copied())
}

/// Whether this is a `bytes` or `bytearray`.
#[inline]
pub fn is_plain(v: &Value) -> bool {
    v.header()
        .is_some_and(|h| matches!(h.kind(), Kind::Bytes | Kind::ByteArray))
}

/// Whether this lends bytes.
pub fn is_buffer(v: &Value) -> bool {
    is_plain(v) || v.is::<MemoryView>() || exporter(v).is_some()
}

/// The bytes that an object lends, if it does and they are in one piece.
#[inline]
pub fn view<'a>(vm: &'a Vm, v: &'a Value) -> Option<&'a [u8]> {
    if let Some(b) = v.as_ref::<Bytes>() {
        return Some(&b.data);
    }
    if let Some(b) = v.as_ref::<ByteArray>() {
        return Some(b.data.get(vm));
    }
    if let Some(m) = v.as_ref::<MemoryView>() {
        return m.contiguous(vm);
    }
    exporter(v).map(|e| (e.data)(vm, v))
}

/// The memory that an object lends for writing.
pub fn view_mut<'a>(vm: &'a mut Vm, v: &'a Value) -> Option<&'a mut [u8]> {
    if let Some(b) = v.as_ref::<ByteArray>() {
        return Some(b.data.get_mut(vm));
    }
    if let Some(m) = v.as_ref::<MemoryView>() {
        return m.contiguous_mut(vm);
    }
    let f = exporter(v)?.data_mut?;
    Some(f(vm, v))
}

/// Whether the memory can be written.
pub fn is_writable(v: &Value) -> bool {
    if let Some(m) = v.as_ref::<MemoryView>() {
        return !m.readonly;
    }
    v.is::<ByteArray>() || exporter(v).is_some_and(|e| e.data_mut.is_some())
}

/// What the items are, as `struct` names them.
pub fn format(v: &Value) -> String {
    if is_plain(v) {
        "B".to_owned()
    } else {
        exporter(v).map_or_else(|| "B".to_owned(), |e| (e.format)(v))
    }
}

/// Counts the views of an object.
pub fn lock(v: &Value, by: isize) {
    if let Some(b) = v.as_ref::<ByteArray>() {
        b.exports.set(b.exports.get().wrapping_add_signed(by));
    } else if let Some(e) = exporter(v) {
        (e.lock)(v, by);
    }
}

/// An argument that must be bytes-like, as something that [`view`] answers for: the object itself, or a copy if it is in pieces.
#[inline]
pub fn arg(vm: &mut Vm, v: &Value) -> R {
    if is_plain(v) {
        return Ok(v.clone());
    }
    arg_slow(vm, v)
}

#[cold]
fn arg_slow(vm: &mut Vm, v: &Value) -> R {
    if let Some(m) = v.as_ref::<MemoryView>() {
        if m.released.get() {
            return Err(vm.value_error("operation forbidden on released memoryview object"));
        }
        return Ok(if m.contiguous(vm).is_some() {
            v.clone()
        } else {
            Bytes::value(m.gather(vm))
        });
    }
    if is_buffer(v) {
        return Ok(v.clone());
    }
    if let Some(lent) = lent(vm, v)? {
        return arg(vm, &lent);
    }
    Err(vm.type_error(format!(
        "a bytes-like object is required, not '{}'",
        class_of(v).name()
    )))
}

/// What the `__buffer__` of a class in Python lends (PEP 688): a `memoryview`. `None` for objects without the method.
pub fn lent(vm: &mut Vm, v: &Value) -> R<Option<Value>> {
    /// `inspect.BufferFlags.FULL_RO`
    const FULL_RO: i64 = 0x11c;
    let class = class_of(v);
    if class.is_static() || is_buffer(v) {
        return Ok(None);
    }
    let name = crate::names::intern("__buffer__");
    if vm.type_lookup(class, &name).is_none() {
        return Ok(None);
    }
    let view = vm.call_method(v, &name, &[Value::small_int(FULL_RO)])?;
    if !view.is::<MemoryView>() {
        return Err(vm.type_error(format!(
            "__buffer__ returned non-memoryview object of type '{}'",
            class_of(&view).name()
        )));
    }
    Ok(Some(view))
}

/// A copy of the bytes of an argument that must be bytes-like.
pub fn copy(vm: &mut Vm, v: &Value) -> R<Vec<u8>> {
    let v = arg(vm, v)?;
    let size = view(vm, &v).map_or(0, <[u8]>::len);
    vm.text_size(size)?;
    Ok(view(vm, &v).unwrap_or_default().to_vec())
}
