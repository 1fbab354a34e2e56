//! `memoryview`: a window on memory that another object owns.
//!
//! A view never looks at another view but at the owner of the memory, which it keeps from changing its length until it is released. The shape and
//! strides of several dimensions come from `cast`; slices change only the first one.

use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::bytes::items::{Item, Misfit};
use crate::objects::bytes::{Bytes, buffer, hex};
use crate::objects::iterators::SequenceIter;
use crate::objects::list::List;
use crate::objects::native::{Def, Params, receiver};
use crate::objects::range::Slice;
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::subscript::is_index;
use crate::objects::string::{Str, hash_bytes};
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, SEQUENCE, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};
use std::cell::{Cell, RefCell};

/// Payload of `memoryview`.
pub struct MemoryView {
    /// Whose memory it is; never a `memoryview`.
    pub owner: Value,
    /// Whether `release` was called.
    pub released: Cell<bool>,
    /// Whether the memory must not be changed through this view.
    pub readonly: bool,
    /// What the items are, as `struct` names them.
    format: String,
    itemsize: usize,
    /// Where the first item begins.
    offset: usize,
    shape: Vec<usize>,
    /// Distances between items, in bytes.
    strides: Vec<isize>,
    /// The hash, once asked for: it outlives the release.
    hash: Cell<Option<i64>>,
}

// SAFETY: visits the owner.
unsafe impl Payload for MemoryView {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.owner);
    }
}

impl Drop for MemoryView {
    fn drop(&mut self) {
        if !self.released.get() {
            buffer::lock(&self.owner, -1);
        }
    }
}

fn product(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// The strides of items that follow each other without gaps.
fn dense(shape: &[usize], itemsize: usize) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut step = itemsize as isize;
    for (stride, &n) in strides.iter_mut().zip(shape).rev() {
        *stride = step;
        step *= n as isize;
    }
    strides
}

impl MemoryView {
    /// How many dimensions there are.
    pub fn dimensions(&self) -> usize {
        self.shape.len()
    }

    fn nbytes(&self) -> usize {
        product(&self.shape) * self.itemsize
    }

    fn is_contiguous(&self) -> bool {
        let mut step = self.itemsize as isize;
        for (&stride, &n) in self.strides.iter().zip(&self.shape).rev() {
            if n > 1 && stride != step {
                return false;
            }
            step *= n as isize;
        }
        true
    }

    /// The bytes, if they are in one piece and the view is not released.
    pub fn contiguous<'a>(&'a self, vm: &'a Vm) -> Option<&'a [u8]> {
        if self.released.get() || !self.is_contiguous() {
            return None;
        }
        buffer::view(vm, &self.owner)?.get(self.offset..self.offset + self.nbytes())
    }

    /// The bytes, if that is what its items are, in one row and one piece.
    pub fn row_of_bytes<'a>(&'a self, vm: &'a Vm) -> Option<&'a [u8]> {
        if self.format != "B" || self.dimensions() != 1 {
            return None;
        }
        self.contiguous(vm)
    }

    /// As [`MemoryView::contiguous`], for writing.
    pub fn contiguous_mut<'a>(&'a self, vm: &'a mut Vm) -> Option<&'a mut [u8]> {
        if self.released.get() || self.readonly || !self.is_contiguous() {
            return None;
        }
        buffer::view_mut(vm, &self.owner)?.get_mut(self.offset..self.offset + self.nbytes())
    }

    /// Where the items are, in the order of their indices.
    fn places(&self) -> Vec<usize> {
        let mut places = Vec::with_capacity(product(&self.shape));
        self.walk(0, self.offset as isize, &mut |at| places.push(at));
        places
    }

    fn walk(&self, dimension: usize, at: isize, each: &mut impl FnMut(usize)) {
        match self.shape.get(dimension) {
            None => each(at as usize),
            Some(&n) => (0..n as isize)
                .for_each(|i| self.walk(dimension + 1, at + i * self.strides[dimension], each)),
        }
    }

    /// A copy of the bytes in the order of the indices.
    pub fn gather(&self, vm: &Vm) -> Vec<u8> {
        if let Some(data) = self.contiguous(vm) {
            return data.to_vec();
        }
        let Some(data) = buffer::view(vm, &self.owner) else {
            return Vec::new();
        };
        let mut out = Vec::with_capacity(self.nbytes());
        self.walk(0, self.offset as isize, &mut |at| {
            out.extend_from_slice(data.get(at..at + self.itemsize).unwrap_or_default())
        });
        out
    }

    fn item(&self) -> Option<Item> {
        let code = match self.format.as_bytes() {
            [b'@', code] | [code] => *code,
            _ => return None,
        };
        Item::of_code(code, true)
    }

    /// A view of the same memory.
    fn derived(&self, change: impl FnOnce(&mut MemoryView)) -> Value {
        buffer::lock(&self.owner, 1);
        let mut view = MemoryView {
            owner: self.owner.clone(),
            released: Cell::new(false),
            readonly: self.readonly,
            format: self.format.clone(),
            itemsize: self.itemsize,
            offset: self.offset,
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            hash: Cell::new(None),
        };
        change(&mut view);
        Value::from_ref(heap::alloc(view))
    }
}

/// A view of a bytes-like object.
pub fn of_object(vm: &mut Vm, v: &Value) -> R {
    if v.is::<MemoryView>() {
        return Ok(live(vm, v)?.derived(|_| {}));
    }
    let Some(size) = buffer::view(vm, v).map(<[u8]>::len) else {
        if let Some(lent) = buffer::lent(vm, v)? {
            return of_object(vm, &lent);
        }
        return Err(vm.type_error(format!(
            "memoryview: a bytes-like object is required, not '{}'",
            class_of(v).name()
        )));
    };
    let format = buffer::format(v);
    let itemsize = format
        .bytes()
        .next()
        .and_then(|c| Item::of_code(c, true))
        .map_or(1, Item::size);
    buffer::lock(v, 1);
    Ok(Value::from_ref(heap::alloc(MemoryView {
        owner: v.clone(),
        released: Cell::new(false),
        readonly: !buffer::is_writable(v),
        format,
        itemsize,
        offset: 0,
        shape: vec![size / itemsize],
        strides: vec![itemsize as isize],
        hash: Cell::new(None),
    })))
}

/// `object.__buffer__(flags)` (PEP 688).
pub const BUFFER: Def = Def::method("__buffer__", "(self, flags, /)", |vm, args| {
    vm.index_i64(&args[1])?;
    of_object(vm, &args[0])
});

/// `object.__release_buffer__(view)` (PEP 688).
pub const RELEASE_BUFFER: Def = Def::method(
    "__release_buffer__",
    "(self, buffer, /)",
    |vm, args| match args[1].as_ref::<MemoryView>() {
        Some(m) => {
            release(m);
            Ok(Value::NONE)
        }
        None => Err(vm.type_error("expected a memoryview object")),
    },
);

/// Makes the class.
pub(crate) fn init(vm: &mut Vm) {
    let class = ClassBuilder::new::<MemoryView>("memoryview")
        .flags(SEQUENCE)
        .slots(SLOTS)
        .methods(vm, METHODS)
        .weak();
    let class = class
        .getset(vm, "obj", |vm, v| Ok(live(vm, v)?.owner.clone()), None)
        .getset(
            vm,
            "nbytes",
            |vm, v| Ok(Value::int(live(vm, v)?.nbytes() as i64)),
            None,
        )
        .getset(
            vm,
            "readonly",
            |vm, v| Ok(Value::bool(live(vm, v)?.readonly)),
            None,
        )
        .getset(
            vm,
            "format",
            |vm, v| Ok(Str::value(&live(vm, v)?.format)),
            None,
        )
        .getset(
            vm,
            "itemsize",
            |vm, v| Ok(Value::int(live(vm, v)?.itemsize as i64)),
            None,
        )
        .getset(
            vm,
            "ndim",
            |vm, v| Ok(Value::int(live(vm, v)?.shape.len() as i64)),
            None,
        )
        .getset(
            vm,
            "shape",
            |vm, v| {
                Ok(Tuple::value(
                    live(vm, v)?
                        .shape
                        .iter()
                        .map(|&n| Value::int(n as i64))
                        .collect(),
                ))
            },
            None,
        )
        .getset(
            vm,
            "strides",
            |vm, v| {
                Ok(Tuple::value(
                    live(vm, v)?
                        .strides
                        .iter()
                        .map(|&n| Value::int(n as i64))
                        .collect(),
                ))
            },
            None,
        )
        .getset(
            vm,
            "suboffsets",
            |vm, v| live(vm, v).map(|_| Tuple::empty()),
            None,
        )
        .getset(
            vm,
            "c_contiguous",
            |vm, v| Ok(Value::bool(live(vm, v)?.is_contiguous())),
            None,
        )
        .getset(
            vm,
            "f_contiguous",
            |vm, v| Ok(Value::bool(is_fortran(live(vm, v)?))),
            None,
        )
        .getset(
            vm,
            "contiguous",
            |vm, v| {
                let m = live(vm, v)?;
                Ok(Value::bool(m.is_contiguous() || is_fortran(m)))
            },
            None,
        );
    class.build(vm);
}

fn is_fortran(m: &MemoryView) -> bool {
    m.shape.len() <= 1 && m.is_contiguous()
}

const SLOTS: Slots = Slots {
    repr: Some(|_, v| {
        let address = v.address().map_or(0, |p| p.as_ptr() as usize);
        let word = if receiver::<MemoryView>(v).released.get() {
            "released memory"
        } else {
            "memory"
        };
        Ok(Str::value(&format!("<{word} at {address:#x}>")))
    }),
    hash: Some(hash),
    compare: Some(compare),
    len: Some(|vm, v| {
        let m = live(vm, v)?;
        match m.shape.first() {
            Some(&n) => Ok(n),
            None => Err(vm.type_error("0-dim memory has no length")),
        }
    }),
    iter: Some(|vm, v| {
        live(vm, v)?;
        let it = SequenceIter {
            source: RefCell::new(Some(v.clone())),
            index: Cell::new(0),
        };
        Ok(Value::from_ref(heap::alloc(it)))
    }),
    getitem: Some(get_item),
    setitem: Some(set_item),
    new: Some(new),
    ..Slots::NONE
};

static METHODS: &[Def] = &[
    BUFFER,
    RELEASE_BUFFER,
    Def::method("__enter__", "(self, /)", |vm, args| {
        live(vm, &args[0]).map(|_| args[0].clone())
    }),
    Def::raw_method("__exit__", "(self, /, *exc_info)", |_, args| {
        release(receiver::<MemoryView>(&args.positional()[0]));
        Ok(Value::NONE)
    }),
    Def::raw_class_method(
        "__class_getitem__",
        "(cls, object, /)",
        |vm, args| match args.positional() {
            [class, item] => crate::builtins::type_params::generic_alias(vm, class, item),
            _ => Err(vm.type_error("memoryview.__class_getitem__() takes exactly one argument")),
        },
    ),
    Def::method("cast", "(self, /, format, shape=None)", cast),
    Def::method("count", "(self, value, /)", |vm, args| {
        let items = items(vm, &args[0])?;
        let mut n = 0;
        for item in &items {
            n += vm.eq(item, &args[1])? as i64;
        }
        Ok(Value::int(n))
    }),
    Def::method("hex", "(self, sep=None, bytes_per_sep=1)", |vm, args| {
        let data = live(vm, &args[0])?.gather(vm);
        hex::method(vm, &data, args, 1)
    }),
    Def::method(
        "index",
        "(self, value, start=0, stop=9223372036854775807, /)",
        |vm, args| {
            let items = items(vm, &args[0])?;
            let clip = |i: i64| {
                (if i < 0 {
                    i.saturating_add(items.len() as i64).max(0)
                } else {
                    i.min(items.len() as i64)
                }) as usize
            };
            let start = match optional(args, 2) {
                Some(v) => clip(vm.index_clamped(v)?),
                None => 0,
            };
            let stop = match optional(args, 3) {
                Some(v) => clip(vm.index_clamped(v)?),
                None => items.len(),
            };
            for (i, item) in items.iter().enumerate().take(stop).skip(start) {
                if vm.eq(item, &args[1])? {
                    return Ok(Value::int(i as i64));
                }
            }
            Err(vm.value_error("memoryview.index(x): x not found"))
        },
    ),
    Def::method("release", "(self, /)", |_, args| {
        release(receiver::<MemoryView>(&args[0]));
        Ok(Value::NONE)
    }),
    Def::method("tobytes", "(self, /, order='C')", |vm, args| {
        if let Some(v) = optional(args, 1).filter(|v| !v.is_none()) {
            let Some(s) = v.as_ref::<Str>() else {
                let name = class_of(v).name().into_owned();
                return Err(vm.type_error(format!(
                    "tobytes() argument 'order' must be str or None, not {name}"
                )));
            };
            if !matches!(s.as_bytes(), b"C" | b"F" | b"A") {
                return Err(vm.value_error("order must be 'C', 'F' or 'A'"));
            }
        }
        let data = live(vm, &args[0])?.gather(vm);
        Ok(Bytes::value(data))
    }),
    Def::method("tolist", "(self, /)", |vm, args| {
        let shape = live(vm, &args[0])?.shape.clone();
        let items = items(vm, &args[0])?;
        Ok(nested(&shape, &mut items.into_iter()))
    }),
    Def::method("toreadonly", "(self, /)", |vm, args| {
        Ok(live(vm, &args[0])?.derived(|m| m.readonly = true))
    }),
];

/// The receiver, which must not be released.
fn live<'a>(vm: &mut Vm, v: &'a Value) -> R<&'a Ref<MemoryView>> {
    let m = receiver::<MemoryView>(v);
    if m.released.get() {
        return Err(vm.value_error("operation forbidden on released memoryview object"));
    }
    Ok(m)
}

fn release(m: &MemoryView) {
    if !m.released.replace(true) {
        buffer::lock(&m.owner, -1);
    }
}

fn new(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    static PARAMS: &Params = crate::params!("(object)");
    let bound = args.bind(vm, "memoryview", PARAMS, 0)?;
    of_object(vm, &bound[0])
}

#[cold]
fn unsupported_format(vm: &mut Vm, m: &MemoryView) -> Raised {
    vm.not_implemented_error(format!("memoryview: format {} not supported", m.format))
}

/// All items, in the order of their indices.
fn items(vm: &mut Vm, v: &Value) -> R<Vec<Value>> {
    let m = live(vm, v)?;
    let Some(item) = m.item() else {
        return Err(unsupported_format(vm, m));
    };
    vm.text_size(m.nbytes().saturating_mul(8))?;
    Ok(m.gather(vm)
        .chunks_exact(m.itemsize)
        .map(|data| item.read(data, false))
        .collect())
}

fn nested(shape: &[usize], items: &mut impl Iterator<Item = Value>) -> Value {
    match shape {
        [] => items.next().unwrap_or(Value::NONE),
        [n] => List::value(items.take(*n).collect()),
        [n, rest @ ..] => List::value((0..*n).map(|_| nested(rest, items)).collect()),
    }
}

fn hash(vm: &mut Vm, v: &Value) -> R<i64> {
    if let Some(known) = receiver::<MemoryView>(v).hash.get() {
        return Ok(known);
    }
    let m = live(vm, v)?;
    if !m.readonly {
        return Err(vm.value_error("cannot hash writable memoryview object"));
    }
    if !matches!(m.format.trim_start_matches('@'), "B" | "b" | "c") {
        return Err(vm.value_error("memoryview: hashing is restricted to formats 'B', 'b' or 'c'"));
    }
    let hash = hash_bytes(&m.gather(vm));
    m.hash.set(Some(hash));
    Ok(hash)
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    if !matches!(op, CmpOp::Eq | CmpOp::Ne) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let view = |vm: &mut Vm, v: &Value| -> R<Option<Value>> {
        if v.is::<MemoryView>() {
            return Ok(Some(v.clone()));
        }
        if buffer::is_buffer(v) {
            of_object(vm, v).map(Some)
        } else {
            Ok(None)
        }
    };
    let (Some(x), Some(y)) = (view(vm, a)?, view(vm, b)?) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let same = same_items(vm, &x, &y)?;
    Ok(Value::bool(same == (op == CmpOp::Eq)))
}

fn same_items(vm: &mut Vm, x: &Value, y: &Value) -> R<bool> {
    let (m, n) = (receiver::<MemoryView>(x), receiver::<MemoryView>(y));
    if m.released.get() || n.released.get() {
        return Ok(x.is_same(y));
    }
    if m.shape != n.shape {
        return Ok(false);
    }
    if m.format == n.format && !matches!(m.item(), Some(Item::Float(_)) | None) {
        return Ok(m.gather(vm) == n.gather(vm));
    }
    if m.item().is_none() || n.item().is_none() {
        return Ok(false);
    }
    let (left, right) = (items(vm, x)?, items(vm, y)?);
    for (p, q) in left.iter().zip(&right) {
        if !vm.compare_bool(CmpOp::Eq, p, q)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where the item of an index (or of a tuple of indices) begins.
fn place(vm: &mut Vm, m: &MemoryView, indices: &[Value]) -> R<usize> {
    let mut at = m.offset as isize;
    for (dimension, key) in indices.iter().enumerate() {
        let i = vm.index(key)?;
        if m.released.get() {
            // `__index__` has released it.
            return Err(vm.value_error("operation forbidden on released memoryview object"));
        }
        let n = m.shape[dimension] as i64;
        let Some(i) = i.as_int().and_then(|i| i.to_i64()) else {
            let text = format!(
                "cannot fit '{}' into an index-sized integer",
                class_of(key).name()
            );
            return Err(vm.index_error(text));
        };
        let i = if i < 0 { i.saturating_add(n) } else { i };
        if i < 0 || i >= n {
            return Err(vm.index_error(format!(
                "index out of bounds on dimension {}",
                dimension + 1
            )));
        }
        at += i as isize * m.strides[dimension];
    }
    Ok(at as usize)
}

/// What a key means: one item, or a part of the view.
enum Part {
    Item(usize),
    View(Value),
}

fn part(vm: &mut Vm, v: &Value, key: &Value) -> R<Part> {
    let m = live(vm, v)?;
    if let Some(slice) = key.as_ref::<Slice>() {
        let Some(&n) = m.shape.first() else {
            return Err(vm.type_error("invalid indexing of 0-dim memory"));
        };
        let (start, _, step, count) = crate::builtins::ranges::slice_bounds(vm, slice, n)?;
        return Ok(Part::View(m.derived(|d| {
            if count > 0 {
                d.offset = (d.offset as isize + start as isize * d.strides[0]) as usize;
            }
            d.shape[0] = count;
            d.strides[0] = d.strides[0].saturating_mul(step as isize);
        })));
    }
    if key.is_ellipsis() && m.shape.is_empty() {
        return Ok(Part::View(m.derived(|_| {})));
    }
    if is_index(key) {
        return match m.shape.len() {
            0 => Err(vm.type_error("invalid indexing of 0-dim memory")),
            1 => place(vm, m, std::slice::from_ref(key)).map(Part::Item),
            _ => Err(vm.not_implemented_error("multi-dimensional sub-views are not implemented")),
        };
    }
    if let Some(keys) = key.as_ref::<Tuple>() {
        if keys.items().iter().all(is_index) {
            if keys.items().len() < m.shape.len() {
                return Err(vm.not_implemented_error("sub-views are not implemented"));
            }
            if keys.items().len() > m.shape.len() {
                let (dimensions, given) = (m.shape.len(), keys.items().len());
                return Err(vm.type_error(format!(
                    "cannot index {dimensions}-dimension view with {given}-element tuple"
                )));
            }
            return place(vm, m, keys.items()).map(Part::Item);
        }
        if keys.items().iter().all(|k| k.is::<Slice>()) {
            return Err(vm.not_implemented_error("multi-dimensional slicing is not implemented"));
        }
    }
    Err(vm.type_error("memoryview: invalid slice key"))
}

fn get_item(vm: &mut Vm, v: &Value, key: &Value) -> R {
    match part(vm, v, key)? {
        Part::View(view) => Ok(view),
        Part::Item(at) => {
            let m = live(vm, v)?;
            let Some(item) = m.item() else {
                return Err(unsupported_format(vm, m));
            };
            match buffer::view(vm, &m.owner).and_then(|data| data.get(at..at + m.itemsize)) {
                Some(data) => Ok(item.read(data, false)),
                None => Err(vm.index_error("index out of bounds on dimension 1")),
            }
        }
    }
}

fn set_item(vm: &mut Vm, v: &Value, key: &Value, value: Option<&Value>) -> R<()> {
    let m = live(vm, v)?;
    if m.readonly {
        return Err(vm.type_error("cannot modify read-only memory"));
    }
    let Some(value) = value else {
        return Err(vm.type_error("cannot delete memory"));
    };
    match part(vm, v, key)? {
        Part::Item(at) => {
            let m = live(vm, v)?;
            let Some(item) = m.item() else {
                return Err(unsupported_format(vm, m));
            };
            let mut data = [0; 8];
            let data = &mut data[..m.itemsize];
            match item.write(vm, value, data, false)? {
                Ok(()) => {}
                Err(Misfit::Type) => {
                    return Err(vm.type_error(format!(
                        "memoryview: invalid type for format '{}'",
                        m.format
                    )));
                }
                Err(Misfit::Range) => {
                    return Err(vm.value_error(format!(
                        "memoryview: invalid value for format '{}'",
                        m.format
                    )));
                }
            }
            // Converting the value may have run Python code.
            let m = live(vm, v)?;
            if let Some(out) =
                buffer::view_mut(vm, &m.owner).and_then(|all| all.get_mut(at..at + data.len()))
            {
                out.copy_from_slice(data);
            }
            Ok(())
        }
        Part::View(target) => {
            live(vm, v)?;
            let target = receiver::<MemoryView>(&target);
            if target.shape.len() > 1 {
                return Err(vm.not_implemented_error(
                    "memoryview slice assignments are currently restricted to ndim = 1",
                ));
            }
            let source = if buffer::is_buffer(value) {
                of_object(vm, value)?
            } else {
                buffer::arg(vm, value)?
            };
            let source = receiver::<MemoryView>(&source);
            if source.shape != target.shape
                || source.format.trim_start_matches('@') != target.format.trim_start_matches('@')
            {
                return Err(vm.value_error(
                    "memoryview assignment: lvalue and rvalue have different structures",
                ));
            }
            // A copy first: both may be the same memory.
            let data = source.gather(vm);
            let size = target.itemsize;
            let places = target.places();
            if let Some(all) = buffer::view_mut(vm, &target.owner) {
                for (at, item) in places.into_iter().zip(data.chunks_exact(size)) {
                    if let Some(out) = all.get_mut(at..at + size) {
                        out.copy_from_slice(item);
                    }
                }
            }
            Ok(())
        }
    }
}

fn cast(vm: &mut Vm, args: &[Value]) -> R {
    let m = live(vm, &args[0])?;
    let Some(format) = args[1].as_ref::<Str>() else {
        return Err(vm.type_error(format!(
            "cast() argument 'format' must be str, not {}",
            crate::objects::string::search::argument_type(&args[1])
        )));
    };
    if let Some(shape) = optional(args, 2).filter(|v| !v.is_none())
        && !shape.is::<Tuple>()
        && !shape.is::<List>()
    {
        return Err(vm.type_error("shape must be a list or a tuple"));
    }
    if !m.is_contiguous() {
        return Err(vm.type_error("memoryview: casts are restricted to C-contiguous views"));
    }
    let code = match format.as_bytes() {
        [b'@', code] | [code] => *code,
        _ => b'!',
    };
    let Some(item) = Item::of_code(code, true) else {
        return Err(vm.value_error("memoryview: destination format must be a native single character format prefixed with an optional '@'"));
    };
    let is_bytes = |f: &str| matches!(f.trim_start_matches('@'), "B" | "b" | "c");
    if !is_bytes(&m.format) && !is_bytes(&format.to_text()) {
        return Err(vm.type_error("memoryview: cannot cast between two non-byte formats"));
    }
    let shape = match optional(args, 2).filter(|v| !v.is_none()) {
        None => None,
        Some(v) => {
            if !v.is::<Tuple>() && !v.is::<List>() {
                return Err(vm.type_error("shape must be a list or a tuple"));
            }
            if m.shape.len() > 1 {
                return Err(vm.type_error("memoryview: cast must be 1D -> ND or ND -> 1D"));
            }
            let mut shape = Vec::new();
            for n in vm.collect(v)? {
                if n.as_int().is_none() {
                    return Err(
                        vm.type_error("memoryview.cast(): elements of shape must be integers")
                    );
                }
                match vm.index_i64(&n)? {
                    n @ 1.. => shape.push(usize::try_from(n).unwrap_or(usize::MAX)),
                    _ => {
                        return Err(vm.value_error(
                            "memoryview.cast(): elements of shape must be integers > 0",
                        ));
                    }
                }
            }
            if shape.len() > 64 {
                return Err(vm.value_error("memoryview: number of dimensions must not exceed 64"));
            }
            Some(shape)
        }
    };
    let (size, nbytes) = (item.size(), m.nbytes());
    if !nbytes.is_multiple_of(size) {
        return Err(vm.type_error("memoryview: length is not a multiple of itemsize"));
    }
    let shape = shape.unwrap_or_else(|| vec![nbytes / size]);
    let total = shape
        .iter()
        .try_fold(size, |total, &n| total.checked_mul(n));
    if total != Some(nbytes) {
        return Err(vm.type_error("memoryview: product(shape) * itemsize != buffer size"));
    }
    let format = format.to_text().into_owned();
    Ok(live(vm, &args[0])?.derived(|d| {
        d.strides = dense(&shape, size);
        (d.format, d.itemsize, d.shape) = (format, size, shape);
    }))
}
