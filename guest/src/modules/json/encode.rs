//! Writing: the encoder that `json.JSONEncoder` makes.

use super::{FUNCTIONS, MAX_DEPTH, text};
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::native::{Native, receiver};
use crate::objects::sequence::push_text;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};
use coldframe_numeric::{float_repr, int_text};

/// How strings are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strings {
    Ascii,
    Unicode,
    /// By calling the function.
    Custom,
}

/// Payload of `_json.Encoder`.
pub(super) struct Encoder {
    markers: Value,
    default: Value,
    encoder: Value,
    indent: Value,
    key_separator: Ref<Str>,
    item_separator: Ref<Str>,
    sort_keys: bool,
    skip_keys: bool,
    allow_nan: bool,
    strings: Strings,
}

// SAFETY: visits every value held.
unsafe impl Payload for Encoder {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        for v in [&self.markers, &self.default, &self.encoder, &self.indent] {
            visit(v);
        }
        self.key_separator.with_value(&mut *visit);
        self.item_separator.with_value(visit);
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if Encoder::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    ClassBuilder::new::<Encoder>("Encoder")
        .flags(BASE)
        .slots(Slots { new: Some(new), call: Some(call), ..Slots::NONE })
        .module(vm, "_json")
        .doc(vm, "Encoder(markers, default, encoder, indent, key_separator, item_separator, sort_keys, skipkeys, allow_nan)")
        .getset(vm, "markers", |_, v| Ok(receiver::<Encoder>(v).markers.clone()), None)
        .getset(vm, "default", |_, v| Ok(receiver::<Encoder>(v).default.clone()), None)
        .getset(vm, "encoder", |_, v| Ok(receiver::<Encoder>(v).encoder.clone()), None)
        .getset(vm, "indent", |_, v| Ok(receiver::<Encoder>(v).indent.clone()), None)
        .getset(vm, "key_separator", |_, v| Ok(receiver::<Encoder>(v).key_separator.to_value()), None)
        .getset(vm, "item_separator", |_, v| Ok(receiver::<Encoder>(v).item_separator.to_value()), None)
        .getset(vm, "sort_keys", |_, v| Ok(Value::bool(receiver::<Encoder>(v).sort_keys)), None)
        .getset(vm, "skipkeys", |_, v| Ok(Value::bool(receiver::<Encoder>(v).skip_keys)), None)
        .build(vm);
}

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let params = crate::params!(
        "(markers, default, encoder, indent, key_separator, item_separator, sort_keys, skipkeys, allow_nan)"
    );
    let a = args.bind(vm, "make_encoder", params, 0)?;
    if !a[0].is_none() && !a[0].is::<Dict>() {
        return Err(vm.type_error(format!(
            "make_encoder() argument 1 must be dict or None, not {}",
            vm.class_name(&a[0])
        )));
    }
    let text = |vm: &mut Vm, i: usize| match a[i].as_ref::<Str>() {
        Some(s) => Ok(s.clone()),
        None => Err(vm.type_error(format!(
            "make_encoder() argument {} must be str, not {}",
            i + 1,
            vm.class_name(&a[i])
        ))),
    };
    let (key_separator, item_separator) = (text(vm, 4)?, text(vm, 5)?);
    if !a[3].is_none() {
        text(vm, 3)?;
    }
    let strings = match a[2].as_ref::<Native>() {
        Some(f) if std::ptr::eq(f.def, &FUNCTIONS[0]) => Strings::Ascii,
        Some(f) if std::ptr::eq(f.def, &FUNCTIONS[1]) => Strings::Unicode,
        _ => Strings::Custom,
    };
    let (sort_keys, skip_keys, allow_nan) =
        (vm.truthy(&a[6])?, vm.truthy(&a[7])?, vm.truthy(&a[8])?);
    let encoder = Encoder {
        markers: a[0].clone(),
        default: a[1].clone(),
        encoder: a[2].clone(),
        indent: a[3].clone(),
        key_separator,
        item_separator,
        sort_keys,
        skip_keys,
        allow_nan,
        strings,
    };
    Ok(Value::from_ref(heap::alloc_instance(encoder, class, 0)))
}

fn call(vm: &mut Vm, v: &Value, args: Args) -> R {
    let a = args.bind(
        vm,
        "_iterencode",
        crate::params!("(obj, _current_indent_level)"),
        0,
    )?;
    let e = receiver::<Encoder>(v).clone();
    let level = vm.index_i64(&a[1])?.max(0) as usize;
    let mut writer = Writer {
        e: &e,
        out: Vec::new(),
        active: Vec::new(),
        indent: e.indent.as_ref::<Str>().cloned(),
    };
    writer.value(vm, &a[0], level)?;
    Ok(Tuple::value(vec![Str::value_wtf8(&writer.out)]))
}

/// A document being written.
struct Writer<'a> {
    e: &'a Encoder,
    out: Vec<u8>,
    /// The containers that are being written, and what `default` was asked for.
    active: Vec<Value>,
    indent: Option<Ref<Str>>,
}

impl Writer<'_> {
    fn push(&mut self, vm: &mut Vm, text: &[u8]) -> R<()> {
        push_text(vm, &mut self.out, text)
    }

    fn string(&mut self, vm: &mut Vm, v: &Value) -> R<()> {
        match (v.as_ref::<Str>(), self.e.strings) {
            (Some(s), Strings::Ascii | Strings::Unicode) => {
                let size = s.as_bytes().len();
                if self.out.capacity() - self.out.len() < size * 6 + 2 {
                    vm.text_size(self.out.len() + size * 6)?;
                }
                text::push_string(
                    &mut self.out,
                    s.as_bytes(),
                    self.e.strings == Strings::Ascii,
                );
                Ok(())
            }
            _ => {
                let text = vm.call(&self.e.encoder, std::slice::from_ref(v))?;
                match text.as_ref::<Str>() {
                    Some(s) => self.push(vm, s.as_bytes()),
                    None => Err(vm.type_error(format!(
                        "encoder() must return a string, not {}",
                        vm.class_name(&text)
                    ))),
                }
            }
        }
    }

    /// The text of a number or constant, if the value is one.
    fn atom(&self, vm: &mut Vm, v: &Value) -> R<Option<String>> {
        Ok(Some(if let Some(i) = v.as_small_int() {
            int_text::i64_to_decimal(i)
        } else if let Some(word) = word(v) {
            word.to_owned()
        } else if let Some(f) = v.as_any_float() {
            self.float(vm, f, v)?
        } else if let Some(i) = v.as_int() {
            let limit = vm.max_str_digits;
            let text = int_text::to_decimal(&i.as_big(), limit);
            vm.numeric(text)?
        } else {
            return Ok(None);
        }))
    }

    fn float(&self, vm: &mut Vm, f: f64, v: &Value) -> R<String> {
        if f.is_finite() {
            return Ok(float_repr::repr(f));
        }
        if !self.e.allow_nan {
            let shown = vm.repr(v)?.to_text().into_owned();
            return Err(vm.value_error(format!(
                "Out of range float values are not JSON compliant: {shown}"
            )));
        }
        Ok(if f.is_nan() {
            "NaN"
        } else if f > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned())
    }

    fn value(&mut self, vm: &mut Vm, v: &Value, level: usize) -> R<()> {
        if v.is::<Str>() {
            return self.string(vm, v);
        }
        if let Some(i) = v.as_small_int() {
            return int_text::with_decimal(i, |text| self.push(vm, text.as_bytes()));
        }
        if let Some(word) = word(v) {
            return self.push(vm, word.as_bytes());
        }
        if let Some(text) = self.atom(vm, v)? {
            return self.push(vm, text.as_bytes());
        }
        vm.poll_native()?;
        if v.is::<List>() || v.is::<Tuple>() {
            return self.nested(vm, v, level, Self::list);
        }
        if v.is::<Dict>() {
            return self.nested(vm, v, level, Self::dict);
        }
        self.nested(vm, v, level, |me, vm, v, level| {
            let other = vm.call(&me.e.default, std::slice::from_ref(v))?;
            let result = me.value(vm, &other, level);
            result.map_err(|raised| {
                let text = format!("when serializing {} object", vm.full_class_name(v));
                note(vm, raised, text)
            })
        })
    }

    fn nested(
        &mut self,
        vm: &mut Vm,
        v: &Value,
        level: usize,
        write: fn(&mut Self, &mut Vm, &Value, usize) -> R<()>,
    ) -> R<()> {
        if !self.e.markers.is_none() && self.active.iter().any(|a| a.is_same(v)) {
            return Err(vm.value_error("Circular reference detected"));
        }
        if self.active.len() >= MAX_DEPTH {
            return Err(
                vm.recursion_error("maximum recursion depth exceeded while encoding a JSON object")
            );
        }
        self.active.push(v.clone());
        let result = write(self, vm, v, level);
        self.active.pop();
        result
    }

    /// Begins a line, if there are lines.
    fn line(&mut self, vm: &mut Vm, level: usize) -> R<()> {
        if let Some(indent) = self.indent.clone() {
            self.push(vm, b"\n")?;
            for _ in 0..level {
                self.push(vm, indent.as_bytes())?;
            }
        }
        Ok(())
    }

    fn list(&mut self, vm: &mut Vm, v: &Value, level: usize) -> R<()> {
        // A subclass may have its own idea of what its items are.
        let items = if v.is_exact::<List>() || v.is_exact::<Tuple>() {
            v.clone()
        } else {
            List::value(vm.collect(v)?)
        };
        let item = |vm: &Vm, i: usize| match items.as_ref::<List>() {
            Some(l) => l.get(vm, i),
            None => items
                .as_ref::<Tuple>()
                .and_then(|t| t.items().get(i).cloned()),
        };
        if item(vm, 0).is_none() {
            return self.push(vm, b"[]");
        }
        self.push(vm, b"[")?;
        let mut i = 0;
        while let Some(x) = item(vm, i) {
            if i > 0 {
                let e = self.e;
                self.push(vm, e.item_separator.as_bytes())?;
            }
            self.line(vm, level + 1)?;
            if let Err(raised) = self.value(vm, &x, level + 1) {
                let text = format!("when serializing {} item {i}", vm.full_class_name(v));
                return Err(note(vm, raised, text));
            }
            i += 1;
        }
        self.line(vm, level)?;
        self.push(vm, b"]")
    }

    fn dict(&mut self, vm: &mut Vm, v: &Value, level: usize) -> R<()> {
        if v.as_ref::<Dict>().is_none_or(|d| d.len(vm) == 0) {
            return self.push(vm, b"{}");
        }
        let items: Vec<(Value, Value)> = match v.as_exact::<Dict>() {
            Some(d) if !self.e.sort_keys => d
                .map
                .get(vm)
                .iter()
                .map(|e| (e.key.clone(), e.value.clone()))
                .collect(),
            _ => self.items(vm, v)?,
        };
        self.push(vm, b"{")?;
        let mut first = true;
        for (key, x) in &items {
            let name = if key.is::<Str>() {
                None
            } else {
                self.atom(vm, key)?
            };
            if name.is_none() && !key.is::<Str>() {
                if self.e.skip_keys {
                    continue;
                }
                return Err(vm.type_error(format!(
                    "keys must be str, int, float, bool or None, not {}",
                    class_of(key).bare_name()
                )));
            }
            if !std::mem::take(&mut first) {
                let e = self.e;
                self.push(vm, e.item_separator.as_bytes())?;
            }
            self.line(vm, level + 1)?;
            match name {
                Some(text) => self.string(vm, &Str::value(&text))?,
                None => self.string(vm, key)?,
            }
            let e = self.e;
            self.push(vm, e.key_separator.as_bytes())?;
            if let Err(raised) = self.value(vm, x, level + 1) {
                return Err(self.item_note(vm, raised, v, key));
            }
        }
        if !first {
            self.line(vm, level)?;
        }
        self.push(vm, b"}")
    }

    #[cold]
    fn item_note(&self, vm: &mut Vm, raised: Raised, v: &Value, key: &Value) -> Raised {
        if vm.stopped.is_some() {
            return raised;
        }
        let e = vm.take_error();
        let shown = vm.repr(key).map(|s| s.to_text().into_owned());
        match shown {
            Ok(shown) => {
                let raised = vm.reraise(e);
                let text = format!("when serializing {} item {shown}", vm.full_class_name(v));
                note(vm, raised, text)
            }
            Err(raised) => raised,
        }
    }

    /// The pairs of a mapping, sorted if that is wanted.
    fn items(&self, vm: &mut Vm, v: &Value) -> R<Vec<(Value, Value)>> {
        let items = vm.call_method(v, &names::Names::get().items, &[])?;
        let items = vm.collect(&items)?;
        let list = List::value(items);
        if self.e.sort_keys {
            vm.call_method(&list, &names::intern("sort"), &[])?;
        }
        let mut pairs = Vec::new();
        for item in vm.collect(&list)? {
            match item.as_ref::<Tuple>().map(|t| t.items()) {
                Some([key, value]) => pairs.push((key.clone(), value.clone())),
                _ => return Err(vm.value_error("items must return 2-tuples")),
            }
        }
        Ok(pairs)
    }
}

/// The text of a constant.
fn word(v: &Value) -> Option<&'static str> {
    if v.is_none() {
        return Some("null");
    }
    v.as_bool().map(|b| if b { "true" } else { "false" })
}

/// Adds a note to the pending exception.
#[cold]
fn note(vm: &mut Vm, raised: Raised, text: String) -> Raised {
    if vm.stopped.is_some() {
        return raised;
    }
    let e = vm.take_error();
    match vm.call_method(&e, &names::intern("add_note"), &[Str::value(&text)]) {
        Ok(_) => vm.reraise(e),
        Err(raised) => raised,
    }
}
