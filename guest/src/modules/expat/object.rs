//! `pyexpat.xmlparser`: the reader with Python's handlers. Which handler gets which event, and what the default handler gets.

use super::chars;
use super::dtd::{Declaration, Model};
use super::input::{self, Encoding};
use super::reader::{Event, Item, Reader};
use super::token;
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names;
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::codec_registry;
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::native::{Def, Getter, Setter, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Raised, Vm};
use std::cell::Cell;

/// The name of the exception class among the machine's settings.
pub(super) const ERROR: &str = "pyexpat.ExpatError";

/// Payload of `pyexpat.xmlparser`.
pub struct Parser {
    reader: VmCell<Reader>,
    /// In the order of [`handler`].
    handlers: VmCell<Vec<Value>>,
    intern: Value,
    base: VmCell<Value>,
    /// Character data that is being joined.
    text: VmCell<String>,
    buffer_text: Cell<bool>,
    buffer_size: Cell<i64>,
    ordered: Cell<bool>,
    specified: Cell<bool>,
    default_expands: Cell<bool>,
    error: Cell<u8>,
    running: Cell<bool>,
    finished: Cell<bool>,
    /// Whether the caller has said what the encoding is.
    encoded: Cell<bool>,
}

// SAFETY: visits every value held.
unsafe impl Payload for Parser {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe {
            self.handlers.peek().iter().for_each(&mut *visit);
            visit(self.base.peek());
        }
        visit(&self.intern);
    }
    fn clear(&mut self) {
        drop(std::mem::take(self.handlers.exclusive()));
    }
}

macro_rules! handlers {
    ($($index:literal $constant:ident $name:literal;)*) => {
        /// Places in the list of handlers.
        mod handler {
            $(pub const $constant: usize = $index;)*
        }
        /// How many there are.
        const HANDLERS: usize = [$($index),*].len();
        const ACCESS: &[(&str, Getter, Setter)] = &[$((
            $name,
            |vm, v| Ok(get(vm, receiver::<Parser>(v), $index)),
            |vm, v, new| set(vm, v, $index, new),
        )),*];
    };
}

handlers! {
    0 START "StartElementHandler";
    1 END "EndElementHandler";
    2 INSTRUCTION "ProcessingInstructionHandler";
    3 TEXT "CharacterDataHandler";
    4 UNPARSED "UnparsedEntityDeclHandler";
    5 NOTATION "NotationDeclHandler";
    6 START_NS "StartNamespaceDeclHandler";
    7 END_NS "EndNamespaceDeclHandler";
    8 COMMENT "CommentHandler";
    9 START_CDATA "StartCdataSectionHandler";
    10 END_CDATA "EndCdataSectionHandler";
    11 DEFAULT "DefaultHandler";
    12 DEFAULT_EXPAND "DefaultHandlerExpand";
    13 NOT_STANDALONE "NotStandaloneHandler";
    14 EXTERNAL "ExternalEntityRefHandler";
    15 START_DOCTYPE "StartDoctypeDeclHandler";
    16 END_DOCTYPE "EndDoctypeDeclHandler";
    17 ENTITY "EntityDeclHandler";
    18 DECLARATION "XmlDeclHandler";
    19 ELEMENT "ElementDeclHandler";
    20 ATTLIST "AttlistDeclHandler";
    21 SKIPPED "SkippedEntityHandler";
}

fn get(vm: &Vm, parser: &Ref<Parser>, index: usize) -> Value {
    parser
        .handlers
        .get(vm)
        .get(index)
        .cloned()
        .unwrap_or(Value::NONE)
}

fn set(vm: &mut Vm, v: &Value, index: usize, new: Option<&Value>) -> R<()> {
    let parser = receiver::<Parser>(v);
    let Some(new) = new else {
        return Err(vm.runtime_error("Cannot delete attribute"));
    };
    if index == handler::TEXT {
        // What has been joined is for the old handler.
        flush(vm, parser)?;
    }
    let list = parser.handlers.get_mut(vm);
    list.resize(HANDLERS, Value::NONE);
    let old = std::mem::replace(&mut list[index], new.clone());
    drop(old);
    if matches!(index, handler::DEFAULT | handler::DEFAULT_EXPAND) {
        parser.default_expands.set(index == handler::DEFAULT_EXPAND);
        let plain = index == handler::DEFAULT && !new.is_none();
        parser.reader.get_mut(vm).expand = !plain;
    }
    Ok(())
}

/// Makes the class.
pub(super) fn class(vm: &mut Vm) -> Ref<Type> {
    if Parser::class_slot().with(|slot| slot.is_set()) {
        return Parser::class().clone();
    }
    let slots = Slots {
        new: Some(|vm, class, _| {
            Err(vm.type_error(format!("cannot create '{}' instances", class.name())))
        }),
        ..Slots::NONE
    };
    let mut builder = ClassBuilder::new::<Parser>("xmlparser")
        .slots(slots)
        .module(vm, "pyexpat")
        .methods(vm, METHODS);
    for &(name, getter, setter) in ACCESS {
        builder = builder.getset(vm, name, getter, Some(setter));
    }
    for &(name, getter, setter) in ATTRIBUTES {
        builder = builder.getset(vm, name, getter, setter);
    }
    builder.build(vm)
}

macro_rules! flag {
    ($field:ident) => {
        (
            |_: &mut Vm, v: &Value| Ok(Value::bool(receiver::<Parser>(v).$field.get())),
            |vm: &mut Vm, v: &Value, new: Option<&Value>| {
                let on = match new {
                    Some(new) => vm.truthy(new)?,
                    None => return Err(vm.runtime_error("Cannot delete attribute")),
                };
                let parser = receiver::<Parser>(v);
                flush(vm, parser)?;
                parser.$field.set(on);
                Ok(())
            },
        )
    };
}

const fn pair(
    name: &'static str,
    access: (Getter, Setter),
) -> (&'static str, Getter, Option<Setter>) {
    (name, access.0, Some(access.1))
}

fn place(vm: &mut Vm, v: &Value, which: usize) -> R {
    let place = receiver::<Parser>(v).reader.get(vm).place;
    Ok(Value::int(
        [place.line, place.column, place.byte][which] as i64,
    ))
}

const ATTRIBUTES: &[(&str, Getter, Option<Setter>)] = &[
    pair("buffer_text", flag!(buffer_text)),
    pair("ordered_attributes", flag!(ordered)),
    pair("specified_attributes", flag!(specified)),
    (
        "namespace_prefixes",
        |vm, v| Ok(Value::bool(receiver::<Parser>(v).reader.get(vm).triplets)),
        Some(|vm, v, new| {
            let on = match new {
                Some(new) => vm.truthy(new)?,
                None => return Err(vm.runtime_error("Cannot delete attribute")),
            };
            receiver::<Parser>(v).reader.get_mut(vm).triplets = on;
            Ok(())
        }),
    ),
    (
        "buffer_size",
        |_, v| Ok(Value::int(receiver::<Parser>(v).buffer_size.get())),
        Some(|vm, v, new| {
            let Some(new) = new else {
                return Err(vm.runtime_error("Cannot delete attribute"));
            };
            if new.as_int().is_none() {
                return Err(vm.type_error("buffer_size must be an integer"));
            }
            let size = vm.index_i64(new)?;
            if size <= 0 {
                return Err(vm.value_error("buffer_size must be greater than zero"));
            }
            if size > i32::MAX as i64 {
                return Err(
                    vm.value_error(format!("buffer_size must not be greater than {}", i32::MAX))
                );
            }
            let parser = receiver::<Parser>(v);
            flush(vm, parser)?;
            parser.buffer_size.set(size);
            Ok(())
        }),
    ),
    (
        "buffer_used",
        |vm, v| Ok(Value::int(receiver::<Parser>(v).text.get(vm).len() as i64)),
        None,
    ),
    (
        "intern",
        |_, v| Ok(receiver::<Parser>(v).intern.clone()),
        None,
    ),
    (
        "ErrorCode",
        |_, v| Ok(Value::int(receiver::<Parser>(v).error.get() as i64)),
        None,
    ),
    ("ErrorLineNumber", |vm, v| place(vm, v, 0), None),
    ("ErrorColumnNumber", |vm, v| place(vm, v, 1), None),
    ("ErrorByteIndex", |vm, v| place(vm, v, 2), None),
    ("CurrentLineNumber", |vm, v| place(vm, v, 0), None),
    ("CurrentColumnNumber", |vm, v| place(vm, v, 1), None),
    ("CurrentByteIndex", |vm, v| place(vm, v, 2), None),
];

static METHODS: &[Def] = &[
    Def::method("Parse", "(self, data, isfinal=False, /)", |vm, args| {
        let last = match optional(args, 2) {
            Some(v) => vm.truthy(v)?,
            None => false,
        };
        let parser = receiver::<Parser>(&args[0]).clone();
        let data = match args[1].as_ref::<Str>() {
            Some(text) => {
                // Text has been decoded already, whatever the declaration says.
                if !parser.encoded.replace(true) {
                    let reader = parser.reader.get_mut(vm);
                    if !reader.has_begun() {
                        reader.set_encoding(Encoding::Utf8);
                    }
                }
                codec_registry::encode_text(vm, &text.clone(), "utf-8", None)?
            }
            None => buffer::arg(vm, &args[1])?,
        };
        parse(vm, &parser, &data, last)?;
        Ok(Value::small_int(1))
    }),
    Def::method("ParseFile", "(self, file, /)", |vm, args| {
        let parser = receiver::<Parser>(&args[0]).clone();
        let read = match vm.get_attr_opt(&args[1], &names::intern("read").to_value())? {
            Some(read) => read,
            None => return Err(vm.type_error("argument must have 'read' attribute")),
        };
        loop {
            let data = vm.call(&read, &[Value::small_int(2048)])?;
            if !buffer::is_plain(&data) {
                let kind = vm.class_name(&data);
                return Err(vm.type_error(format!(
                    "read() did not return a bytes object (type={kind})"
                )));
            }
            let last = buffer::view(vm, &data).is_none_or(<[u8]>::is_empty);
            parse(vm, &parser, &data, last)?;
            if last {
                return Ok(Value::small_int(1));
            }
        }
    }),
    Def::method("SetBase", "(self, base, /)", |vm, args| {
        if !args[1].is::<Str>() {
            let kind = vm.class_name(&args[1]);
            return Err(vm.type_error(format!("SetBase() argument must be str, not {kind}")));
        }
        receiver::<Parser>(&args[0])
            .base
            .replace(vm, args[1].clone());
        Ok(Value::NONE)
    }),
    Def::method("GetBase", "(self, /)", |vm, args| {
        Ok(receiver::<Parser>(&args[0]).base.get(vm).clone())
    }),
    Def::method("GetInputContext", "(self, /)", |vm, args| {
        let parser = receiver::<Parser>(&args[0]);
        if !parser.running.get() {
            return Ok(Value::NONE);
        }
        let context = parser.reader.get(vm).context().to_vec();
        Ok(Bytes::value(context))
    }),
    Def::method(
        "ExternalEntityParserCreate",
        "(self, context, encoding=None, /)",
        |vm, args| {
            let parser = receiver::<Parser>(&args[0]).clone();
            let encoding = match optional(args, 2).filter(|v| !v.is_none()) {
                Some(v) => encoding_arg(vm, v)?,
                None => Encoding::Unknown,
            };
            let encoded = encoding != Encoding::Unknown;
            let reader = parser.reader.get(vm).external(encoding, !args[1].is_none());
            let handlers = parser.handlers.get(vm).clone();
            let base = parser.base.get(vm).clone();
            let made = allocate(reader, parser.intern.clone(), encoded);
            made.handlers.replace(vm, handlers);
            made.base.replace(vm, base);
            made.buffer_text.set(parser.buffer_text.get());
            made.buffer_size.set(parser.buffer_size.get());
            made.ordered.set(parser.ordered.get());
            made.specified.set(parser.specified.get());
            made.default_expands.set(parser.default_expands.get());
            Ok(Value::from_ref(made))
        },
    ),
    Def::method("SetParamEntityParsing", "(self, flag, /)", |vm, args| {
        let flag = vm.index_i64(&args[1])?;
        let reader = receiver::<Parser>(&args[0]).reader.get_mut(vm);
        if reader.has_begun() {
            return Ok(Value::small_int(0));
        }
        reader.parameter_parsing = flag;
        Ok(Value::small_int(1))
    }),
    Def::method("UseForeignDTD", "(self, flag=True, /)", |vm, args| {
        let on = match optional(args, 1) {
            Some(v) => vm.truthy(v)?,
            None => true,
        };
        let parser = receiver::<Parser>(&args[0]).clone();
        if parser.reader.get(vm).has_begun() {
            return Err(failure(
                vm,
                &parser,
                chars::CANT_CHANGE_FEATURE_ONCE_PARSING,
            ));
        }
        parser.reader.get_mut(vm).foreign_dtd = on;
        Ok(Value::NONE)
    }),
    Def::method("GetReparseDeferralEnabled", "(self, /)", |vm, args| {
        Ok(Value::bool(
            receiver::<Parser>(&args[0]).reader.get(vm).deferral,
        ))
    }),
    Def::method(
        "SetReparseDeferralEnabled",
        "(self, enabled, /)",
        |vm, args| {
            let on = vm.truthy(&args[1])?;
            receiver::<Parser>(&args[0]).reader.get_mut(vm).deferral = on;
            Ok(Value::NONE)
        },
    ),
];

/// The encoding that a caller names.
pub(super) fn encoding_arg(vm: &mut Vm, v: &Value) -> R<Encoding> {
    let Some(name) = v.as_ref::<Str>() else {
        let kind = vm.class_name(v);
        return Err(vm.type_error(format!(
            "ParserCreate() argument 'encoding' must be str or None, not {kind}"
        )));
    };
    let name = name.to_text().into_owned();
    match input::by_name(&name) {
        Some(encoding) => Ok(encoding),
        None => table(vm, &name),
    }
}

/// The table of an encoding that Python knows, if each byte is a character.
fn table(vm: &mut Vm, name: &str) -> R<Encoding> {
    let all = Bytes::value((0..=255).collect());
    let replace = names::intern("replace");
    let text = codec_registry::decode_bytes(vm, &all, name, Some(&replace))?;
    let text: Vec<u32> = text
        .as_ref::<Str>()
        .map(|s| s.chars().collect())
        .unwrap_or_default();
    match <[u32; 256]>::try_from(text) {
        Ok(mut table) => {
            for c in table.iter_mut().filter(|c| **c == 0xFFFD) {
                *c = u32::MAX;
            }
            Ok(Encoding::Table(Box::new(table)))
        }
        Err(_) => Err(vm.value_error("multi-byte encodings are not supported")),
    }
}

/// A parser object.
pub(super) fn allocate(reader: Reader, intern: Value, encoded: bool) -> Ref<Parser> {
    heap::alloc(Parser {
        reader: VmCell::new(reader),
        handlers: VmCell::new(vec![Value::NONE; HANDLERS]),
        intern,
        base: VmCell::new(Value::NONE),
        text: VmCell::new(String::new()),
        buffer_text: Cell::new(false),
        buffer_size: Cell::new(8192),
        ordered: Cell::new(false),
        specified: Cell::new(false),
        default_expands: Cell::new(false),
        error: Cell::new(0),
        running: Cell::new(false),
        finished: Cell::new(false),
        encoded: Cell::new(encoded),
    })
}

/// `ExpatError` with number and place.
#[cold]
fn failure(vm: &mut Vm, parser: &Ref<Parser>, code: u8) -> Raised {
    parser.error.set(code);
    let place = parser.reader.get(vm).place;
    let text = chars::ERRORS
        .get(code as usize - 1)
        .map_or("", |(_, text)| *text);
    let message = format!("{text}: line {}, column {}", place.line, place.column);
    let Some(class) = vm
        .settings
        .get(ERROR)
        .and_then(|c| c.as_ref::<Type>())
        .cloned()
    else {
        return vm.value_error(message);
    };
    let exception = match vm.call(&class.to_value(), &[Str::value(&message)]) {
        Ok(exception) => exception,
        Err(raised) => return raised,
    };
    for (name, value) in [
        ("code", code as u64),
        ("offset", place.column),
        ("lineno", place.line),
    ] {
        let name = names::intern(name).to_value();
        if let Err(raised) = vm.set_attr(&exception, &name, Some(&Value::int(value as i64))) {
            return raised;
        }
    }
    vm.raise_value(exception)
}

fn parse(vm: &mut Vm, parser: &Ref<Parser>, data: &Value, last: bool) -> R<()> {
    if parser.finished.get() {
        return Err(failure(vm, parser, chars::FINISHED));
    }
    if parser.running.get() {
        return Err(vm.runtime_error("cannot call Parse() from within a handler"));
    }
    let bytes = buffer::copy(vm, data)?;
    parser.reader.get_mut(vm).feed(&bytes, last);
    parser.running.set(true);
    let result = run(vm, parser);
    parser.running.set(false);
    if result.is_err() {
        let reader = parser.reader.get_mut(vm);
        if parser.error.get() == 0 {
            reader.fail(chars::ABORTED);
        }
    } else if last {
        parser.finished.set(true);
    }
    result
}

fn run(vm: &mut Vm, parser: &Ref<Parser>) -> R<()> {
    loop {
        vm.poll_native()?;
        match parser.reader.get_mut(vm).next() {
            Err(code) => {
                flush(vm, parser)?;
                return Err(failure(vm, parser, code));
            }
            Ok(Some(item)) => dispatch(vm, parser, item)?,
            Ok(None) => match parser.reader.get(vm).wanted.clone() {
                Some(name) => {
                    let encoding = table(vm, &name)?;
                    parser.reader.get_mut(vm).set_encoding(encoding);
                }
                None => return flush(vm, parser),
            },
        }
    }
}

/// Hands over the character data that has been joined.
fn flush(vm: &mut Vm, parser: &Ref<Parser>) -> R<()> {
    if parser.text.get(vm).is_empty() {
        return Ok(());
    }
    let text = std::mem::take(parser.text.get_mut(vm));
    let handler = get(vm, parser, handler::TEXT);
    if !handler.is_none() {
        vm.call(&handler, &[Str::value(&text)])?;
    }
    Ok(())
}

/// Calls a handler with what `args` makes; without it the default handler gets the text.
fn tell(
    vm: &mut Vm,
    parser: &Ref<Parser>,
    index: usize,
    raw: &str,
    args: impl FnOnce(&mut Vm) -> R<Vec<Value>>,
) -> R<Option<Value>> {
    let handler = get(vm, parser, index);
    if handler.is_none() {
        default(vm, parser, raw, false)?;
        return Ok(None);
    }
    flush(vm, parser)?;
    let args = args(vm)?;
    vm.call(&handler, &args).map(Some)
}

/// The default handler; within a declaration it gets each word.
fn default(vm: &mut Vm, parser: &Ref<Parser>, raw: &str, words: bool) -> R<()> {
    let index = if parser.default_expands.get() {
        handler::DEFAULT_EXPAND
    } else {
        handler::DEFAULT
    };
    let handler = get(vm, parser, index);
    if handler.is_none() || raw.is_empty() {
        return Ok(());
    }
    flush(vm, parser)?;
    if !words {
        vm.call(&handler, &[Str::value(raw)])?;
        return Ok(());
    }
    for word in token::words(raw, true) {
        vm.call(&handler, &[Str::value(word)])?;
    }
    Ok(())
}

fn text_or_none(text: Option<&String>) -> Value {
    text.map_or(Value::NONE, |t| Str::value(t))
}

fn dispatch(vm: &mut Vm, parser: &Ref<Parser>, item: Item) -> R<()> {
    let raw = item.raw;
    match item.event {
        Event::Text(text) => {
            let handler = get(vm, parser, handler::TEXT);
            if handler.is_none() {
                return default(vm, parser, &raw, false);
            }
            if !parser.buffer_text.get() {
                vm.call(&handler, &[Str::value(&text)])?;
                return Ok(());
            }
            let limit = parser.buffer_size.get() as usize;
            if parser.text.get(vm).len() + text.len() > limit {
                flush(vm, parser)?;
                if text.len() > limit {
                    vm.call(&handler, &[Str::value(&text)])?;
                    return Ok(());
                }
            }
            parser.text.get_mut(vm).push_str(&text);
        }
        Event::Start {
            name,
            mut attributes,
            specified,
            empty,
        } => {
            if empty
                && get(vm, parser, handler::START).is_none()
                && !get(vm, parser, handler::END).is_none()
            {
                return Ok(());
            }
            if parser.specified.get() {
                attributes.truncate(specified);
            }
            let ordered = parser.ordered.get();
            tell(vm, parser, handler::START, &raw, |vm| {
                let given = if ordered {
                    let items = attributes
                        .iter()
                        .flat_map(|(n, v)| [Str::value(n), Str::value(v)]);
                    List::value(items.collect())
                } else {
                    let dict = Dict::new();
                    for (name, value) in &attributes {
                        dict.set_str(vm, &names::intern(name), Str::value(value));
                    }
                    Value::from_ref(dict)
                };
                Ok(vec![Str::value(&name), given])
            })?;
        }
        Event::End(name) => {
            tell(vm, parser, handler::END, &raw, |_| {
                Ok(vec![Str::value(&name)])
            })?;
        }
        Event::Comment(text) => {
            tell(vm, parser, handler::COMMENT, &raw, |_| {
                Ok(vec![Str::value(&text)])
            })?;
        }
        Event::Instruction(target, data) => {
            tell(vm, parser, handler::INSTRUCTION, &raw, |_| {
                Ok(vec![Str::value(&target), Str::value(&data)])
            })?;
        }
        Event::CdataStart => {
            tell(vm, parser, handler::START_CDATA, &raw, |_| Ok(Vec::new()))?;
        }
        Event::CdataEnd => {
            tell(vm, parser, handler::END_CDATA, &raw, |_| Ok(Vec::new()))?;
        }
        Event::Declaration {
            version,
            encoding,
            standalone,
        } => {
            tell(vm, parser, handler::DECLARATION, &raw, |_| {
                Ok(vec![
                    text_or_none(version.as_ref()),
                    text_or_none(encoding.as_ref()),
                    Value::int(standalone),
                ])
            })?;
        }
        Event::DoctypeStart {
            name,
            system,
            public,
            internal,
        } => {
            if get(vm, parser, handler::START_DOCTYPE).is_none() {
                return default(vm, parser, &raw, true);
            }
            tell(vm, parser, handler::START_DOCTYPE, &raw, |_| {
                Ok(vec![
                    Str::value(&name),
                    text_or_none(system.as_ref()),
                    text_or_none(public.as_ref()),
                    Value::small_int(internal.into()),
                ])
            })?;
        }
        Event::DoctypeEnd => {
            tell(vm, parser, handler::END_DOCTYPE, &raw, |_| Ok(Vec::new()))?;
        }
        Event::Declared(declaration) => declared(vm, parser, declaration, &raw)?,
        Event::NamespaceStart(prefix, uri) => {
            tell(vm, parser, handler::START_NS, "", |_| {
                Ok(vec![
                    text_or_none(prefix.as_ref()),
                    text_or_none(uri.as_ref()),
                ])
            })?;
        }
        Event::NamespaceEnd(prefix) => {
            tell(vm, parser, handler::END_NS, "", |_| {
                Ok(vec![text_or_none(prefix.as_ref())])
            })?;
        }
        Event::Skipped(name, is_parameter) => {
            tell(vm, parser, handler::SKIPPED, &raw, |_| {
                Ok(vec![
                    Str::value(&name),
                    Value::small_int(is_parameter.into()),
                ])
            })?;
        }
        Event::External(context, system, public) => {
            let base = parser.base.get(vm).clone();
            let answer = tell(vm, parser, handler::EXTERNAL, &raw, |_| {
                Ok(vec![
                    text_or_none(context.as_ref()),
                    base,
                    text_or_none(system.as_ref()),
                    text_or_none(public.as_ref()),
                ])
            })?;
            refused(vm, parser, answer, chars::EXTERNAL_ENTITY_HANDLING)?;
        }
        Event::NotStandalone => {
            let answer = tell(vm, parser, handler::NOT_STANDALONE, "", |_| Ok(Vec::new()))?;
            refused(vm, parser, answer, chars::NOT_STANDALONE)?;
        }
        Event::Other => default(vm, parser, &raw, raw.starts_with("<!"))?,
    }
    Ok(())
}

/// A handler that answers 0 ends the parsing.
fn refused(vm: &mut Vm, parser: &Ref<Parser>, answer: Option<Value>, code: u8) -> R<()> {
    if let Some(answer) = answer
        && vm.index_i64(&answer)? == 0
    {
        parser.reader.get_mut(vm).fail(code);
        return Err(failure(vm, parser, code));
    }
    Ok(())
}

fn declared(vm: &mut Vm, parser: &Ref<Parser>, declaration: Declaration, raw: &str) -> R<()> {
    let base = parser.base.get(vm).clone();
    let (index, args) = match declaration {
        Declaration::Entity {
            name,
            is_parameter,
            entity,
        } => {
            let (system, public) = (
                text_or_none(entity.system.as_ref()),
                text_or_none(entity.public.as_ref()),
            );
            let unparsed = !get(vm, parser, handler::UNPARSED).is_none();
            match &entity.notation {
                Some(notation) if unparsed => (
                    handler::UNPARSED,
                    vec![
                        Str::value(&name),
                        base,
                        system,
                        public,
                        Str::value(notation),
                    ],
                ),
                notation => (
                    handler::ENTITY,
                    vec![
                        Str::value(&name),
                        Value::small_int(is_parameter.into()),
                        text_or_none(entity.text.as_ref()),
                        base,
                        system,
                        public,
                        text_or_none(notation.as_ref()),
                    ],
                ),
            }
        }
        Declaration::Notation {
            name,
            system,
            public,
        } => (
            handler::NOTATION,
            vec![
                Str::value(&name),
                base,
                text_or_none(system.as_ref()),
                text_or_none(public.as_ref()),
            ],
        ),
        Declaration::Element { name, model } => {
            (handler::ELEMENT, vec![Str::value(&name), tuple(&model)])
        }
        Declaration::Attlist {
            element,
            attributes,
        } => {
            let handler = get(vm, parser, handler::ATTLIST);
            if handler.is_none() {
                return default(vm, parser, raw, true);
            }
            flush(vm, parser)?;
            for (name, kind, value, required) in attributes {
                let args = [
                    Str::value(&element),
                    Str::value(&name),
                    Str::value(&kind),
                    text_or_none(value.as_ref()),
                    Value::small_int(required.into()),
                ];
                vm.call(&handler, &args)?;
            }
            return Ok(());
        }
    };
    let handler = get(vm, parser, index);
    if handler.is_none() {
        return default(vm, parser, raw, true);
    }
    flush(vm, parser)?;
    vm.call(&handler, &args)?;
    Ok(())
}

/// A content model as Python gets it. Its depth is limited where it is read.
fn tuple(model: &Model) -> Value {
    Tuple::value(vec![
        Value::small_int(model.kind.into()),
        Value::small_int(model.quantity.into()),
        text_or_none(model.name.as_ref()),
        Tuple::value(model.children.iter().map(tuple).collect()),
    ])
}
