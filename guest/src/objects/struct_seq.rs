//! Tuples whose items have names too: `sys.version_info`, `time.struct_time` and their like.

use crate::heap::attrs::Attrs;
use crate::heap::{self, Payload, Ref};
use crate::names::{self, Names};
use crate::objects::descriptors::Member;
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::RefCell;

/// The fields of such a class.
pub struct Layout {
    /// Names of the items; an empty name for an item without one.
    pub items: &'static [&'static str],
    /// Names of attributes that are not items.
    pub hidden: &'static [&'static str],
}

impl Layout {
    fn unnamed(&self) -> usize {
        self.items.iter().filter(|name| name.is_empty()).count()
    }

    /// All names in order: those of items, then those of hidden fields.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.items
            .iter()
            .chain(self.hidden)
            .copied()
            .filter(|name| !name.is_empty())
    }
}

/// What `new` is.
type New = fn(&mut Vm, &Ref<Type>, Args) -> R;

thread_local! {
    static LAYOUTS: RefCell<Vec<(usize, &'static Layout)>> = const { RefCell::new(Vec::new()) };
}

fn layout_of(class: &Ref<Type>) -> &'static Layout {
    static NOTHING: Layout = Layout {
        items: &[],
        hidden: &[],
    };
    let address = class.as_ptr() as usize;
    LAYOUTS.with_borrow(|list| {
        list.iter()
            .find(|(a, _)| *a == address)
            .map_or(&NOTHING, |(_, layout)| *layout)
    })
}

/// Makes such a class. `module` and `name` are what `repr` shows; instances have exactly the items `fields`.
pub fn class(
    vm: &mut Vm,
    module: &str,
    name: &str,
    fields: &'static [&'static str],
    new: New,
) -> Ref<Type> {
    let layout = Box::leak(Box::new(Layout {
        items: fields,
        hidden: &[],
    }));
    with_layout(vm, module, name, layout, Some(new))
}

/// Makes such a class, perhaps with items without a name and with hidden fields. Without `new` it is made from a sequence, as CPython's are.
pub fn with_layout(
    vm: &mut Vm,
    module: &str,
    name: &str,
    layout: &'static Layout,
    new: Option<New>,
) -> Ref<Type> {
    let mut builder = ClassBuilder::sibling::<Tuple>(name)
        .base(Tuple::class())
        .slots(Slots {
            repr: Some(repr),
            new: new.or(Some(new_from_sequence)),
            ..Slots::NONE
        });
    for (i, field) in layout.items.iter().enumerate() {
        if !field.is_empty() {
            builder = field_attribute(vm, builder, field, i);
        }
    }
    let named = layout.items.iter().filter(|f| !f.is_empty());
    let names = Tuple::value(named.map(|f| names::intern(f).to_value()).collect());
    let count = Value::int(layout.items.len() as i64);
    let all = Value::int((layout.items.len() + layout.hidden.len()) as i64);
    let class = builder
        .module(vm, module)
        .constant(vm, "n_fields", all)
        .constant(vm, "n_sequence_fields", count)
        .constant(vm, "n_unnamed_fields", Value::int(layout.unnamed() as i64))
        .constant(vm, "__match_args__", names)
        .methods(vm, METHODS)
        .build(vm);
    if !layout.hidden.is_empty() {
        add_hidden(vm, &class, layout.hidden);
    }
    LAYOUTS.with_borrow_mut(|list| list.push((class.as_ptr() as usize, layout)));
    class
}

/// The `new` of classes that are made from a sequence.
fn new_from_sequence(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let layout = layout_of(class);
    let (items, hidden) = parts(vm, class, layout, args)?;
    instance(vm, class, items, hidden)
}

/// Items and hidden fields from the arguments `(sequence, dict={})`; hidden fields that are not given are `None`.
pub fn parts(
    vm: &mut Vm,
    class: &Ref<Type>,
    layout: &Layout,
    args: Args,
) -> R<(Vec<Value>, Vec<Value>)> {
    let params = crate::params!("(sequence, dict={})");
    let a = args.bind(vm, "structseq", params, 0)?;
    let Ok(mut items) = vm.collect(&a[0]) else {
        return Err(vm.type_error("constructor requires a sequence"));
    };
    let name = full_name(vm, class);
    let dict = match optional(&a, 1) {
        None => None,
        Some(v) => match v.as_ref::<Dict>() {
            Some(d) => Some(d.clone()),
            None => {
                return Err(vm.type_error(format!("{name}() takes a dict as second arg, if any")));
            }
        },
    };
    let (least, most) = (layout.items.len(), layout.items.len() + layout.hidden.len());
    let given = items.len();
    if given < least || given > most {
        let word = match (least == most, given < least) {
            (true, _) => format!("a {least}"),
            (false, true) => format!("an at least {least}"),
            (false, false) => format!("an at most {most}"),
        };
        return Err(vm.type_error(format!(
            "{name}() takes {word}-sequence ({given}-sequence given)"
        )));
    }
    let mut hidden = items.split_off(least);
    let mut known = 0;
    for field in layout.hidden.iter().skip(hidden.len()) {
        let found = match &dict {
            Some(d) => d.get_str(vm, &names::intern(field)).cloned(),
            None => None,
        };
        known += usize::from(found.is_some());
        hidden.push(found.unwrap_or(Value::NONE));
    }
    if dict.is_some_and(|d| d.len(vm) > known) {
        return Err(vm.type_error(format!(
            "{name}() got duplicate or unexpected field name(s)"
        )));
    }
    Ok((items, hidden))
}

/// An instance.
pub fn instance(_: &mut Vm, class: &Ref<Type>, items: Vec<Value>, hidden: Vec<Value>) -> R {
    let v = Value::from_ref(Tuple::instance(class, items));
    if let Some(attrs) = v.header().and_then(Attrs::of) {
        for (i, value) in hidden.into_iter().enumerate() {
            drop(attrs.replace(i as u16, value));
        }
    }
    Ok(v)
}

fn full_name(vm: &mut Vm, class: &Ref<Type>) -> String {
    let module = class
        .dict
        .get_str(vm, &Names::get().__module__)
        .and_then(|m| m.as_ref::<Str>())
        .map(|m| m.to_text().into_owned())
        .unwrap_or_default();
    format!("{module}.{}", class.bare_name())
}

/// The values of the hidden fields.
fn hidden_values(v: &Value, layout: &Layout) -> Vec<Value> {
    let attrs = v.header().and_then(Attrs::of);
    (0..layout.hidden.len())
        .map(|i| attrs.and_then(|a| a.get(i as u16)).unwrap_or(Value::NONE))
        .collect()
}

/// The `new` of classes that only the interpreter makes instances of.
pub fn not_from_python(vm: &mut Vm, class: &Ref<Type>, _: Args) -> R {
    let module = class
        .dict
        .get_str(vm, &Names::get().__module__)
        .and_then(|m| m.as_ref::<Str>())
        .map(|m| m.to_text().into_owned())
        .unwrap_or_default();
    Err(vm.type_error(format!(
        "cannot create '{module}.{}' instances",
        class.bare_name()
    )))
}

fn field_attribute(
    vm: &mut Vm,
    builder: ClassBuilder,
    name: &'static str,
    index: usize,
) -> ClassBuilder {
    macro_rules! getters {
        ($($n:literal)*) => {
            match index {
                $($n => builder.getset(vm, name, |_, v| Ok(receiver::<Tuple>(v).items().get($n).cloned().unwrap_or(Value::NONE)), None),)*
                _ => builder,
            }
        };
    }
    getters!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let class = class_of(v).clone();
    let module = vm
        .type_lookup(&class, &Names::get().__module__)
        .and_then(|m| m.as_ref::<Str>().map(|m| m.to_text().into_owned()))
        .unwrap_or_default();
    let dot = if module.is_empty() { "" } else { "." };
    let mut out = format!("{module}{dot}{}(", class.bare_name()).into_bytes();
    let items = receiver::<Tuple>(v).items().to_vec();
    for (i, (name, item)) in layout_of(&class).names().zip(&items).enumerate() {
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        out.extend_from_slice(name.as_bytes());
        out.push(b'=');
        let text = vm.repr(item)?;
        out.extend_from_slice(text.as_bytes());
    }
    out.push(b')');
    Ok(Str::value_wtf8(&out))
}

static METHODS: &[Def] = &[
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let layout = layout_of(class_of(&args[0]));
        let items = Tuple::from_slice(receiver::<Tuple>(&args[0]).items());
        let hidden = Dict::new();
        let values = hidden_values(&args[0], layout);
        for (name, value) in layout.hidden.iter().zip(values) {
            hidden.set_str(vm, &names::intern(name), value);
        }
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            Tuple::value(vec![items, hidden.to_value()]),
        ]))
    }),
    Def::raw_method("__replace__", "(self, /, **changes)", |vm, args| {
        let v = args.values()[0].clone();
        if args.positional().len() > 1 {
            return Err(vm.type_error("__replace__() takes no positional arguments"));
        }
        let class = class_of(&v).clone();
        let layout = layout_of(&class);
        if layout.unnamed() > 0 {
            let name = full_name(vm, &class);
            return Err(vm.type_error(format!(
                "__replace__() is not supported for {name} because it has unnamed field(s)"
            )));
        }
        let mut items = receiver::<Tuple>(&v).items().to_vec();
        let mut hidden = hidden_values(&v, layout);
        let mut unknown = Vec::new();
        for (name, value) in args.keywords() {
            let text = name.to_text();
            if let Some(i) = layout.items.iter().position(|f| *f == text) {
                items[i] = value.clone();
            } else if let Some(i) = layout.hidden.iter().position(|f| *f == text) {
                hidden[i] = value.clone();
            } else {
                unknown.push(name.to_value());
            }
        }
        if !unknown.is_empty() {
            let list = vm.repr(&List::value(unknown))?;
            return Err(vm.type_error(format!("Got unexpected field name(s): {}", list.to_text())));
        }
        instance(vm, &class, items, hidden)
    }),
];

/// Gives the instances attributes that are not items.
fn add_hidden(vm: &mut Vm, class: &Ref<Type>, names: &'static [&'static str]) {
    for (i, name) in names.iter().enumerate() {
        let name = names::intern(name);
        class.keys.borrow_mut().add(&name);
        let member = Member {
            name: name.clone(),
            owner: class.clone(),
            index: i as u16,
        };
        let member = Value::from_ref(heap::alloc(member));
        class.dict.set_str(vm, &name, member);
    }
    class.slot_count.set(names.len() as u16);
    class.set_attr_capacity(Some(names.len() as u16));
    class.invalidate();
}
