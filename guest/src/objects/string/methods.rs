//! `str`: the class. Its methods are in the sibling files, by what they do.

use super::errors::Handler;
use super::{Str, concat, format, predicates, repr, search, split, subscript, transform};
use crate::heap::Ref;
use crate::objects::bytes::Bytes;
use crate::objects::codec_registry;
use crate::objects::native::{Def, Params, receiver};
use crate::objects::slots::{BinOp, Slots, ops};
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, MATCH_SELF, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Makes the class.
pub(crate) fn init(vm: &mut Vm) {
    let class = ClassBuilder::new::<Str>("str")
        .flags(BASE | MATCH_SELF)
        .slots(SLOTS);
    let class = class
        .methods(vm, METHODS)
        .methods(vm, predicates::METHODS)
        .methods(vm, search::METHODS)
        .methods(vm, split::METHODS);
    class
        .methods(vm, transform::METHODS)
        .methods(vm, concat::METHODS)
        .build(vm);
}

const SLOTS: Slots = Slots {
    repr: Some(|_, v| Ok(Str::value_wtf8(&repr::text(receiver::<Str>(v).as_bytes())))),
    str: Some(|_, v| Ok(transform::unchanged(v))),
    hash: Some(|_, v| Ok(receiver::<Str>(v).hash())),
    compare: Some(subscript::compare),
    iter: Some(subscript::iter),
    len: Some(|_, v| Ok(receiver::<Str>(v).len())),
    getitem: Some(subscript::get_item),
    contains: Some(search::contains),
    binary: Some(subscript::binary),
    binary_ops: ops(&[BinOp::Add, BinOp::Mul, BinOp::Mod]),
    reflected_ops: ops(&[BinOp::Mul, BinOp::Mod]),
    new: Some(new),
    ..Slots::NONE
};

static METHODS: &[Def] = &[
    Def::method("__format__", "(self, format_spec, /)", |vm, args| {
        let Some(spec) = args[1].as_ref::<Str>() else {
            return Err(vm.type_error(format!(
                "__format__() argument must be str, not {}",
                search::argument_type(&args[1])
            )));
        };
        if spec.is_empty() {
            return Ok(Value::from_ref(vm.str(&args[0])?));
        }
        let type_name = class_of(&args[0]).name().into_owned();
        match transform::unchanged(&args[0]).as_ref::<Str>() {
            Some(s) => format::format_str(vm, s, spec, &type_name),
            None => Ok(args[0].clone()),
        }
    }),
    Def::method("__getnewargs__", "(self, /)", |_, args| {
        // Always a new object: the receiver may be an instance of a subclass that refers to itself.
        let text = receiver::<Str>(&args[0]).as_bytes();
        Ok(Tuple::value(vec![Value::from_ref(Str::from_wtf8(text))]))
    }),
    Def::method("__sizeof__", "(self, /)", |_, args| {
        // As CPython counts: a header, and one, two or four bytes for each character.
        let s = receiver::<Str>(&args[0]);
        let widest = s.chars().max().unwrap_or(0);
        let (header, unit) = match widest {
            0..0x80 => (41, 1),
            0x80..0x100 => (57, 1),
            0x100..0x1_0000 => (58, 2),
            _ => (60, 4),
        };
        Ok(Value::int((header + unit * s.len()) as i64))
    }),
    Def::method(
        "encode",
        "(self, /, encoding='utf-8', errors='strict')",
        encode,
    ),
    Def::raw_method("format", "(self, /, *args, **kwargs)", format::format),
    Def::method("format_map", "(self, mapping, /)", format::format_map),
];

fn encode(vm: &mut Vm, args: &[Value]) -> R {
    let s = receiver::<Str>(&args[0]);
    if args.len() == 1 && (s.is_ascii() || s.as_str().is_some()) {
        vm.text_size(s.as_bytes().len())?;
        return Ok(Bytes::value(s.as_bytes().to_vec()));
    }
    let name = match optional(args, 1) {
        Some(v) => search::text_arg(vm, v, "encode() argument 'encoding'")?
            .to_text()
            .into_owned(),
        None => "utf-8".to_owned(),
    };
    let errors = match optional(args, 2) {
        Some(v) => Some(search::text_arg(vm, v, "encode() argument 'errors'")?.clone()),
        None => None,
    };
    codec_registry::encode_text(vm, s, &name, errors.as_ref())
}

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let made = match (args.positional(), args.names()) {
        ([], []) => Str::value(""),
        ([v], []) => vm.str(v)?.to_value(),
        _ => new_with_encoding(vm, args)?,
    };
    if class.same(<Str as crate::heap::Payload>::class()) {
        return Ok(made);
    }
    let bytes = receiver::<Str>(&made);
    vm.text_size(bytes.as_bytes().len())?;
    Ok(Str::instance(class, bytes.as_bytes()).to_value())
}

#[cold]
fn new_with_encoding(vm: &mut Vm, args: Args) -> R {
    static PARAMS: &Params = crate::params!("(object='', encoding='utf-8', errors='strict')");
    if args.names().is_empty() && args.positional().len() > 3 {
        return Err(vm.type_error(format!(
            "str expected at most 3 arguments, got {}",
            args.positional().len()
        )));
    }
    let bound = args.bind(vm, "str", PARAMS, 0)?;
    let encoding = match optional(&bound, 1) {
        Some(v) => Some(
            search::text_arg(vm, v, "str() argument 'encoding'")?
                .to_text()
                .into_owned(),
        ),
        None => None,
    };
    let errors = match optional(&bound, 2) {
        Some(v) => Some(search::text_arg(vm, v, "str() argument 'errors'")?.clone()),
        None => None,
    };
    let Some(object) = optional(&bound, 0) else {
        return Ok(Str::value(""));
    };
    if encoding.is_none() && errors.is_none() {
        return vm.str(object).map(Value::from_ref);
    }
    if object.is::<Str>() {
        return Err(vm.type_error("decoding str is not supported"));
    }
    if !crate::objects::bytes::buffer::is_buffer(object) {
        return Err(vm.type_error(format!(
            "decoding to str: need a bytes-like object, {} found",
            class_of(object).name()
        )));
    }
    codec_registry::decode_bytes(
        vm,
        object,
        encoding.as_deref().unwrap_or("utf-8"),
        errors.as_ref(),
    )
}

/// The error handler that an optional `errors` argument names.
pub fn handler(errors: Option<&Ref<Str>>) -> Handler {
    errors.map_or(Handler::Strict, |s| Handler::of_name(&s.to_text()))
}
