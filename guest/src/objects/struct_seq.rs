//! Tuples whose items have names too: `sys.version_info`, `time.struct_time` and their like.

use crate::heap::{self, Payload, Ref};
use crate::names::{self, Names};
use crate::objects::descriptors::Member;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Makes such a class. `module` and `name` are what `repr` shows; instances have exactly the items `fields`.
pub fn class(
    vm: &mut Vm,
    module: &str,
    name: &str,
    fields: &'static [&'static str],
    new: fn(&mut Vm, &Ref<Type>, Args) -> R,
) -> Ref<Type> {
    let mut builder = ClassBuilder::sibling::<Tuple>(name)
        .base(Tuple::class())
        .slots(Slots {
            repr: Some(repr),
            new: Some(new),
            ..Slots::NONE
        });
    for (i, field) in fields.iter().enumerate() {
        builder = field_attribute(vm, builder, field, i);
    }
    let names = Tuple::value(fields.iter().map(|f| names::intern(f).to_value()).collect());
    let count = Value::int(fields.len() as i64);
    builder
        .module(vm, module)
        .constant(vm, "n_fields", count.clone())
        .constant(vm, "n_sequence_fields", count)
        .constant(vm, "n_unnamed_fields", Value::small_int(0))
        .constant(vm, "__match_args__", names)
        .methods(vm, METHODS)
        .build(vm)
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

fn fields_of(vm: &Vm, v: &Value) -> Vec<String> {
    let names = vm.type_lookup(class_of(v), &Names::get().__match_args__);
    let names = names.as_ref().and_then(|n| n.as_ref::<Tuple>());
    names
        .map(|t| {
            t.items()
                .iter()
                .filter_map(|s| s.as_ref::<Str>())
                .map(|s| s.to_text().into_owned())
                .collect()
        })
        .unwrap_or_default()
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
    for (i, (name, item)) in fields_of(vm, v).iter().zip(&items).enumerate() {
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
    Def::method("__reduce__", "(self, /)", |_, args| {
        let items = Tuple::from_slice(receiver::<Tuple>(&args[0]).items());
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            Tuple::value(vec![items]),
        ]))
    }),
    Def::raw_method("__replace__", "(self, /, **changes)", |vm, args| {
        let v = args.values()[0].clone();
        let mut items = receiver::<Tuple>(&v).items().to_vec();
        let fields = fields_of(vm, &v);
        for (name, value) in args.keywords() {
            match fields.iter().position(|f| f.as_bytes() == name.as_bytes()) {
                Some(i) => items[i] = value.clone(),
                None => {
                    return Err(vm.type_error(format!(
                        "Got unexpected field name(s): ['{}']",
                        name.to_text()
                    )));
                }
            }
        }
        Ok(Value::from_ref(Tuple::instance(class_of(&v), items)))
    }),
];

/// Gives the instances attributes that are not items.
pub fn add_hidden(vm: &mut Vm, class: &Ref<Type>, names: &'static [&'static str]) {
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
    let shown = tuple_len(vm, class) + names.len();
    class
        .dict
        .set_str(vm, &names::intern("n_fields"), Value::int(shown as i64));
    class.invalidate();
}

fn tuple_len(vm: &Vm, class: &Ref<Type>) -> usize {
    let names = vm.type_lookup(class, &Names::get().__match_args__);
    names
        .as_ref()
        .and_then(|n| n.as_ref::<Tuple>())
        .map_or(0, |t| t.len())
}
