//! The module `_struct`: numbers packed into bytes.

use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::modules::binascii::exception_class;
use crate::objects::bytes::items::{Item, Misfit};
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::{Def, Params, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::string::search::argument_type;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The name of the exception class among the machine's settings.
const ERROR: &str = "struct.error";

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "_struct", "", FUNCTIONS);
    let error = exception_class(vm, "error", "struct", Exc::Exception);
    vm.settings.insert(ERROR, error.to_value());
    module.set(vm, "error", error.to_value());
    let class = ClassBuilder::new::<Struct>("Struct")
        .flags(BASE)
        .slots(STRUCT)
        .methods(vm, STRUCT_METHODS)
        .module(vm, "_struct");
    let class = class
        .getset(
            vm,
            "format",
            |_, v| Ok(Str::value(&receiver::<Struct>(v).layout.borrow().format)),
            None,
        )
        .getset(
            vm,
            "size",
            |_, v| {
                Ok(Value::int(
                    receiver::<Struct>(v).layout.borrow().size as i64,
                ))
            },
            None,
        )
        .build(vm);
    module.set(vm, "Struct", class.to_value());
    ClassBuilder::new::<UnpackIter>("unpack_iterator")
        .slots(ITER)
        .methods(vm, ITER_METHODS)
        .module(vm, "_struct")
        .build(vm);
    module
}

#[cold]
fn error(vm: &mut Vm, message: impl AsRef<str>) -> Raised {
    match vm
        .settings
        .get(ERROR)
        .and_then(|c| c.as_ref::<Type>())
        .cloned()
    {
        Some(class) => {
            let args = Tuple::value(vec![Str::value(message.as_ref())]);
            vm.raise_args(&class, args)
        }
        None => vm.value_error(message),
    }
}

/// What is at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// One item, with its format character.
    Item(Item, u8),
    /// `s`: bytes of a fixed size.
    Bytes(usize),
    /// `p`: a length and bytes, together of a fixed size.
    Pascal(usize),
}

/// A compiled format.
#[derive(Debug)]
struct Layout {
    format: String,
    size: usize,
    big: bool,
    /// Offsets and what is there, repeated items one by one.
    fields: Vec<(usize, Kind)>,
}

/// Most fields that a format may have; more would be more memory than anybody packs.
const MAX_FIELDS: usize = 1 << 24;

impl Layout {
    /// Reads a format; the error is the text of a `struct.error`.
    fn parse(format: &[u8]) -> Result<Layout, &'static str> {
        if format.contains(&0) {
            return Err("embedded null character");
        }
        let (native, aligned, big, rest) = match format {
            [b'@', rest @ ..] => (true, true, false, rest),
            [b'=', rest @ ..] | [b'<', rest @ ..] => (false, false, false, rest),
            [b'>' | b'!', rest @ ..] => (false, false, true, rest),
            rest => (true, true, false, rest),
        };
        const TOO_LONG: &str = "total struct size too long";
        let mut size = 0usize;
        let mut fields = Vec::new();
        let mut at = 0;
        while let Some(&b) = rest.get(at) {
            at += 1;
            if matches!(b, b' ' | 9..=13) {
                continue;
            }
            let mut count: Option<usize> = None;
            let mut code = b;
            while code.is_ascii_digit() {
                let digit = (code - b'0') as usize;
                count = Some(
                    count
                        .unwrap_or(0)
                        .checked_mul(10)
                        .and_then(|n| n.checked_add(digit))
                        .ok_or(TOO_LONG)?,
                );
                code = *rest
                    .get(at)
                    .ok_or("repeat count given without format specifier")?;
                at += 1;
            }
            let n = count.unwrap_or(1);
            match code {
                b'x' => size = size.checked_add(n).ok_or(TOO_LONG)?,
                b's' | b'p' => {
                    fields.push((
                        size,
                        if code == b's' {
                            Kind::Bytes(n)
                        } else {
                            Kind::Pascal(n)
                        },
                    ));
                    size = size.checked_add(n).ok_or(TOO_LONG)?;
                }
                _ => {
                    let item = Item::of_code(code, native).ok_or("bad char in struct format")?;
                    if aligned {
                        size = size.checked_next_multiple_of(item.size()).ok_or(TOO_LONG)?;
                    }
                    let end = n
                        .checked_mul(item.size())
                        .and_then(|more| size.checked_add(more))
                        .ok_or(TOO_LONG)?;
                    if fields.len().saturating_add(n) > MAX_FIELDS
                        || !heap::can_allocate(n.saturating_mul(32))
                    {
                        return Err(TOO_LONG);
                    }
                    fields.extend((0..n).map(|i| (size + i * item.size(), Kind::Item(item, code))));
                    size = end;
                }
            }
            if size > isize::MAX as usize {
                return Err(TOO_LONG);
            }
        }
        Ok(Layout {
            format: String::from_utf8_lossy(format).into_owned(),
            size,
            big,
            fields,
        })
    }

    fn unpack(&self, data: &[u8]) -> Vec<Value> {
        let read = |&(at, kind): &(usize, Kind)| match kind {
            Kind::Item(item, _) => item.read(&data[at..at + item.size()], self.big),
            Kind::Bytes(n) => Bytes::value(data[at..at + n].to_vec()),
            Kind::Pascal(0) => Bytes::value(Vec::new()),
            Kind::Pascal(n) => {
                let len = (data[at] as usize).min(n - 1);
                Bytes::value(data[at + 1..at + 1 + len].to_vec())
            }
        };
        self.fields.iter().map(read).collect()
    }

    fn pack(&self, vm: &mut Vm, values: &[Value], out: &mut [u8]) -> R<()> {
        for (&(at, kind), v) in self.fields.iter().zip(values) {
            match kind {
                Kind::Item(item, code) => {
                    self.pack_item(vm, item, code, v, &mut out[at..at + item.size()])?
                }
                Kind::Bytes(n) | Kind::Pascal(n) => {
                    let pascal = matches!(kind, Kind::Pascal(_));
                    if !buffer::is_plain(v) {
                        return Err(error(
                            vm,
                            format!(
                                "argument for '{}' must be a bytes object",
                                if pascal { 'p' } else { 's' }
                            ),
                        ));
                    }
                    let data = buffer::view(vm, v).unwrap_or_default();
                    if pascal {
                        let len = data.len().min(n.saturating_sub(1));
                        if n > 0 {
                            out[at] = len.min(255) as u8;
                            out[at + 1..at + 1 + len].copy_from_slice(&data[..len]);
                        }
                    } else {
                        let len = data.len().min(n);
                        out[at..at + len].copy_from_slice(&data[..len]);
                    }
                }
            }
        }
        Ok(())
    }

    fn pack_item(&self, vm: &mut Vm, item: Item, code: u8, v: &Value, out: &mut [u8]) -> R<()> {
        if code == b'P'
            && let Some(i) = v
                .as_int()
                .filter(|i| i.is_negative())
                .and_then(|i| i.to_i64())
        {
            // A pointer may be negative.
            out.copy_from_slice(&i.to_le_bytes());
            return Ok(());
        }
        let misfit = match item.write(vm, v, out, self.big)? {
            Ok(()) => return Ok(()),
            Err(misfit) => misfit,
        };
        let letter = code as char;
        Err(match (item, misfit) {
            (Item::Char, _) => error(vm, "char format requires a bytes object of length 1"),
            (Item::Float(_), Misfit::Type) => error(vm, "required argument is not a float"),
            (Item::Float(_), Misfit::Range) => {
                vm.overflow_error(format!("float too large to pack with {letter} format"))
            }
            (_, Misfit::Type) => error(vm, "required argument is not an integer"),
            (_, Misfit::Range) if code == b'P' => error(vm, "int too large to convert"),
            (Item::Unsigned(n), Misfit::Range) => error(
                vm,
                format!(
                    "'{letter}' format requires 0 <= number <= {}",
                    u64::MAX >> (64 - 8 * n)
                ),
            ),
            (_, Misfit::Range) => {
                let most = i64::MAX >> (64 - 8 * item.size());
                error(
                    vm,
                    format!(
                        "'{letter}' format requires {} <= number <= {most}",
                        -most - 1
                    ),
                )
            }
        })
    }
}

thread_local! {
    /// Formats used lately, as programs use the same few again and again.
    static CACHE: RefCell<Vec<(Vec<u8>, Rc<Layout>)>> = const { RefCell::new(Vec::new()) };
}

fn layout(vm: &mut Vm, v: &Value) -> R<Rc<Layout>> {
    let format = match v.as_ref::<Str>() {
        Some(s) if s.is_ascii() => s.as_bytes(),
        Some(_) => {
            crate::objects::codec_registry::encode_text(
                vm,
                v.as_ref::<Str>()
                    .unwrap_or(&crate::names::Names::get().empty),
                "ascii",
                None,
            )?;
            b""
        }
        None => match v.as_ref::<Bytes>() {
            Some(b) => &b.data,
            None => {
                return Err(vm.type_error(format!(
                    "Struct() argument 1 must be a str or bytes object, not {}",
                    class_of(v).name()
                )));
            }
        },
    };
    if let Some(known) =
        CACHE.with_borrow(|c| c.iter().find(|(f, _)| f == format).map(|(_, l)| l.clone()))
    {
        return Ok(known);
    }
    match Layout::parse(format) {
        Ok(made) => {
            let made = Rc::new(made);
            if made.fields.len() < 1000 {
                CACHE.with_borrow_mut(|c| {
                    if c.len() >= 32 {
                        c.remove(0);
                    }
                    c.push((format.to_vec(), made.clone()));
                });
            }
            Ok(made)
        }
        Err(message) => Err(error(vm, message)),
    }
}

// ---- operations

fn pack(vm: &mut Vm, layout: &Layout, values: &[Value]) -> R {
    if values.len() != layout.fields.len() {
        return Err(error(
            vm,
            format!(
                "pack expected {} items for packing (got {})",
                layout.fields.len(),
                values.len()
            ),
        ));
    }
    vm.text_size(layout.size)?;
    let mut out = vec![0; layout.size];
    layout.pack(vm, values, &mut out)?;
    Ok(Bytes::value(out))
}

/// Where in a buffer of `len` bytes something of `size` bytes begins.
fn offset_of(vm: &mut Vm, v: Option<&Value>, len: usize, size: usize, packing: bool) -> R<usize> {
    let offset = match v {
        Some(v) => vm.index_i64(v)?,
        None => 0,
    };
    let start = if offset < 0 {
        if offset + (size as i64) > 0 {
            let verb = if packing {
                "no space to pack"
            } else {
                "not enough data to unpack"
            };
            return Err(error(vm, format!("{verb} {size} bytes at offset {offset}")));
        }
        let start = offset + len as i64;
        if start < 0 {
            return Err(error(
                vm,
                format!("offset {offset} out of range for {len}-byte buffer"),
            ));
        }
        start
    } else {
        offset
    };
    if (len as i64) - start < size as i64 {
        let (function, verb) = if packing {
            ("pack_into", "packing")
        } else {
            ("unpack_from", "unpacking")
        };
        let needed = start.saturating_add(size as i64);
        return Err(error(
            vm,
            format!(
                "{function} requires a buffer of at least {needed} bytes for {verb} {size} bytes at offset {start} (actual buffer size is {len})"
            ),
        ));
    }
    Ok(start as usize)
}

fn pack_into(vm: &mut Vm, layout: &Layout, args: &[Value]) -> R {
    let [target, offset, values @ ..] = args else {
        let missing = if args.is_empty() { "buffer" } else { "offset" };
        return Err(error(vm, format!("pack_into expected {missing} argument")));
    };
    if values.len() != layout.fields.len() {
        return Err(error(
            vm,
            format!(
                "pack_into expected {} items for packing (got {})",
                layout.fields.len(),
                values.len()
            ),
        ));
    }
    if !buffer::is_buffer(target) || !buffer::is_writable(target) {
        return Err(vm.type_error(format!(
            "argument must be read-write bytes-like object, not {}",
            argument_type(target)
        )));
    }
    let len = buffer::view(vm, target).map_or(0, <[u8]>::len);
    let start = offset_of(vm, Some(offset), len, layout.size, true)?;
    let mut out = vec![0; layout.size];
    layout.pack(vm, values, &mut out)?;
    if let Some(place) =
        buffer::view_mut(vm, target).and_then(|data| data.get_mut(start..start + out.len()))
    {
        place.copy_from_slice(&out);
    }
    Ok(Value::NONE)
}

fn unpack(vm: &mut Vm, layout: &Layout, v: &Value) -> R {
    let data = buffer::arg(vm, v)?;
    let bytes = buffer::view(vm, &data).unwrap_or_default();
    if bytes.len() != layout.size {
        return Err(error(
            vm,
            format!("unpack requires a buffer of {} bytes", layout.size),
        ));
    }
    Ok(Tuple::value(layout.unpack(bytes)))
}

fn unpack_from(vm: &mut Vm, layout: &Layout, v: &Value, offset: Option<&Value>) -> R {
    let data = buffer::arg(vm, v)?;
    let len = buffer::view(vm, &data).map_or(0, <[u8]>::len);
    let start = offset_of(vm, offset, len, layout.size, false)?;
    match buffer::view(vm, &data).and_then(|b| b.get(start..start + layout.size)) {
        Some(part) => Ok(Tuple::value(layout.unpack(part))),
        None => Err(error(vm, "the buffer has changed its size")),
    }
}

fn iter_unpack(vm: &mut Vm, layout: Rc<Layout>, v: &Value) -> R {
    if layout.size == 0 {
        return Err(error(
            vm,
            "cannot iteratively unpack with a struct of length 0",
        ));
    }
    let data = buffer::arg(vm, v)?;
    let len = buffer::view(vm, &data).map_or(0, <[u8]>::len);
    if !len.is_multiple_of(layout.size) {
        return Err(error(
            vm,
            format!(
                "iterative unpacking requires a buffer of a multiple of {} bytes",
                layout.size
            ),
        ));
    }
    Ok(Value::from_ref(heap::alloc(UnpackIter {
        layout,
        data,
        at: Cell::new(0),
    })))
}

static FUNCTIONS: &[Def] = &[
    Def::function("_clearcache", "()", |_, _| {
        CACHE.with_borrow_mut(Vec::clear);
        Ok(Value::NONE)
    }),
    Def::function("calcsize", "(format, /)", |vm, args| {
        Ok(Value::int(layout(vm, &args[0])?.size as i64))
    }),
    Def::function("iter_unpack", "(format, buffer, /)", |vm, args| {
        let layout = layout(vm, &args[0])?;
        iter_unpack(vm, layout, &args[1])
    }),
    Def::raw_function("pack", "(format, /, *values)", |vm, args| {
        args.no_keywords(vm, "pack")?;
        let [format, values @ ..] = args.positional() else {
            return Err(vm.type_error("missing format argument"));
        };
        let layout = layout(vm, format)?;
        pack(vm, &layout, values)
    }),
    Def::raw_function(
        "pack_into",
        "(format, buffer, offset, /, *values)",
        |vm, args| {
            args.no_keywords(vm, "pack_into")?;
            let [format, rest @ ..] = args.positional() else {
                return Err(vm.type_error("missing format argument"));
            };
            let layout = layout(vm, format)?;
            pack_into(vm, &layout, rest)
        },
    ),
    Def::function("unpack", "(format, buffer, /)", |vm, args| {
        let layout = layout(vm, &args[0])?;
        unpack(vm, &layout, &args[1])
    }),
    Def::function(
        "unpack_from",
        "(format, /, buffer, offset=0)",
        |vm, args| {
            let layout = layout(vm, &args[0])?;
            unpack_from(vm, &layout, &args[1], optional(args, 2))
        },
    ),
];

/// Payload of `Struct`.
pub struct Struct {
    layout: RefCell<Rc<Layout>>,
}

// SAFETY: owns no values.
unsafe impl Payload for Struct {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

const STRUCT: Slots = Slots {
    repr: Some(|vm, v| {
        let format = receiver::<Struct>(v).layout.borrow().format.clone();
        let shown = vm.repr(&Str::value(&format))?;
        Ok(Str::value(&format!(
            "{}({})",
            class_of(v).bare_name(),
            shown.to_text()
        )))
    }),
    new: Some(new),
    ..Slots::NONE
};

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    static PARAMS: &Params = crate::params!("(format)");
    let bound = args.bind(vm, "Struct", PARAMS, 0)?;
    let layout = layout(vm, &bound[0])?;
    Ok(Value::from_ref(heap::alloc_instance(
        Struct {
            layout: RefCell::new(layout),
        },
        class,
        0,
    )))
}

fn own(v: &Value) -> Rc<Layout> {
    receiver::<Struct>(v).layout.borrow().clone()
}

static STRUCT_METHODS: &[Def] = &[
    Def::method("iter_unpack", "(self, buffer, /)", |vm, args| {
        iter_unpack(vm, own(&args[0]), &args[1])
    }),
    Def::raw_method("pack", "(self, /, *values)", |vm, args| {
        args.no_keywords(vm, "pack")?;
        pack(vm, &own(&args.positional()[0]), &args.positional()[1..])
    }),
    Def::raw_method(
        "pack_into",
        "(self, buffer, offset, /, *values)",
        |vm, args| {
            args.no_keywords(vm, "pack_into")?;
            pack_into(vm, &own(&args.positional()[0]), &args.positional()[1..])
        },
    ),
    Def::method("unpack", "(self, buffer, /)", |vm, args| {
        unpack(vm, &own(&args[0]), &args[1])
    }),
    Def::method("unpack_from", "(self, /, buffer, offset=0)", |vm, args| {
        unpack_from(vm, &own(&args[0]), &args[1], optional(args, 2))
    }),
];

/// Payload of the iterator that `iter_unpack` gives.
pub struct UnpackIter {
    layout: Rc<Layout>,
    data: Value,
    at: Cell<usize>,
}

// SAFETY: visits the data.
unsafe impl Payload for UnpackIter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.data);
    }
}

const ITER: Slots = Slots {
    iter: Some(|_, v| Ok(v.clone())),
    next: Some(|vm, v| {
        let it = receiver::<UnpackIter>(v);
        let at = it.at.get();
        match buffer::view(vm, &it.data).and_then(|data| data.get(at..at + it.layout.size)) {
            Some(part) => {
                it.at.set(at + it.layout.size);
                Ok(Tuple::value(it.layout.unpack(part)))
            }
            None => Ok(Value::UNDEF),
        }
    }),
    ..Slots::NONE
};

static ITER_METHODS: &[Def] = &[Def::method("__length_hint__", "(self, /)", |vm, args| {
    let it = receiver::<UnpackIter>(&args[0]);
    let len = buffer::view(vm, &it.data).map_or(0, <[u8]>::len);
    Ok(Value::int(
        (len.saturating_sub(it.at.get()) / it.layout.size) as i64,
    ))
})];

#[cfg(test)]
mod tests {
    use super::*;

    fn size(format: &[u8]) -> Result<usize, &'static str> {
        Layout::parse(format).map(|l| l.size)
    }

    #[test]
    fn native_formats_are_aligned() {
        assert_eq!(size(b"bi"), Ok(8));
        assert_eq!(size(b"ib"), Ok(5));
        assert_eq!(size(b"ib0i"), Ok(8));
        assert_eq!(size(b"=bi"), Ok(5));
        assert_eq!(size(b"5s3p2x"), Ok(10));
    }

    #[test]
    fn bad_formats_say_why() {
        assert_eq!(size(b"y"), Err("bad char in struct format"));
        assert_eq!(
            size(b"3"),
            Err("repeat count given without format specifier")
        );
        assert_eq!(size(b"<n"), Err("bad char in struct format"));
        assert_eq!(
            size(b"99999999999999999999i"),
            Err("total struct size too long")
        );
    }
}
