//! Generic aliases, unions, type variables (PEP 585, 604, 646, 695): what the syntax and `typing` need of them.
//!
//! Aliases and unions are native; type variables and `Generic` are Python classes of the module `_typing`, which the compiler's operations import
//! when a program uses them.

pub mod alias;
mod intrinsics;
mod union;

pub use alias::{GenericAlias, generic_alias};
pub(crate) use intrinsics::intrinsic;
pub(crate) use union::union_binary;
pub use union::{Union, union_of};

use crate::heap::Payload;
use crate::names;
use crate::objects::exception::Exc;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Builds the classes.
pub(crate) fn init(vm: &mut Vm) {
    alias::init(vm);
    union::init(vm);
}

/// An attribute, if the object has it.
fn attribute(vm: &mut Vm, v: &Value, name: &str) -> R<Option<Value>> {
    let name = names::intern(name).to_value();
    vm.get_attr_opt(v, &name)
}

/// How an argument of an alias or a union is shown: classes by their qualified names, everything else by its `repr`.
fn push_argument(vm: &mut Vm, out: &mut String, v: &Value) -> R<()> {
    if v.is_ellipsis() {
        out.push_str("...");
        return Ok(());
    }
    let items = match (
        v.as_exact::<crate::objects::list::List>(),
        v.as_exact::<Tuple>(),
    ) {
        (Some(list), _) => Some((list.items.get(vm).to_vec(), "[", "]")),
        (None, Some(t)) if t.is_empty() => Some((Vec::new(), "(", ")")),
        _ => None,
    };
    if let Some((items, open, close)) = items {
        out.push_str(open);
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            vm.recurse("", |vm| push_argument(vm, out, item))?;
        }
        out.push_str(close);
        return Ok(());
    }
    let is_alias =
        attribute(vm, v, "__origin__")?.is_some() && attribute(vm, v, "__args__")?.is_some();
    if !is_alias
        && let Some(qualname) = attribute(vm, v, "__qualname__")?
        && let Some(module) = attribute(vm, v, "__module__")?
        && !module.is_none()
    {
        let (qualname, module) = (vm.str(&qualname)?, vm.str(&module)?);
        if module.as_bytes() != b"builtins" {
            out.push_str(&module.to_text());
            out.push('.');
        }
        out.push_str(&qualname.to_text());
        return Ok(());
    }
    let text = vm.repr(v)?;
    out.push_str(&text.to_text());
    Ok(())
}

/// Adds a value to a list of distinct ones (by identity).
fn push_unique(list: &mut Vec<Value>, v: Value) {
    if !list.iter().any(|x| x.is_same(&v)) {
        list.push(v);
    }
}

/// The type variables in arguments, in the order in which they first appear.
fn parameters_in(vm: &mut Vm, args: &[Value]) -> R<Vec<Value>> {
    let mut found = Vec::new();
    for arg in args {
        if arg.is::<Type>() {
            continue;
        }
        if attribute(vm, arg, "__typing_subst__")?.is_some() {
            push_unique(&mut found, arg.clone());
            continue;
        }
        if let Some(parameters) = parameters_of(vm, arg)? {
            for p in parameters {
                push_unique(&mut found, p);
            }
            continue;
        }
        if arg.is::<Tuple>() || arg.is::<crate::objects::list::List>() {
            let items = vm.collect(arg)?;
            for p in vm.recurse("", |vm| parameters_in(vm, &items))? {
                push_unique(&mut found, p);
            }
        }
    }
    Ok(found)
}

/// `v.__parameters__`, when that is a tuple.
fn parameters_of(vm: &mut Vm, v: &Value) -> R<Option<Vec<Value>>> {
    Ok(attribute(vm, v, "__parameters__")?
        .and_then(|p| p.as_ref::<Tuple>().map(|t| t.items().to_vec())))
}

/// The arguments that a subscript gives: unpacked tuple types (`*tuple[int, str]`) count as several.
fn unpack_arguments(vm: &mut Vm, item: &Value) -> R<Vec<Value>> {
    let items = match item.as_ref::<Tuple>() {
        Some(t) => t.items().to_vec(),
        None => vec![item.clone()],
    };
    let mut all = Vec::with_capacity(items.len());
    for item in items {
        if !item.is::<Type>()
            && let Some(inner) = attribute(vm, &item, "__typing_unpacked_tuple_args__")?
            && let Some(t) = inner.as_ref::<Tuple>()
            && !t.items().last().is_some_and(Value::is_ellipsis)
        {
            all.extend(t.items().iter().cloned());
            continue;
        }
        all.push(item);
    }
    Ok(all)
}

/// `args` with the type variables `parameters` replaced by what `item` gives for them.
fn substitute(
    vm: &mut Vm,
    alias: &Value,
    args: &[Value],
    parameters: &[Value],
    item: &Value,
) -> R<Vec<Value>> {
    if parameters.is_empty() {
        let text = format!("{} is not a generic class", vm.repr(alias)?.to_text());
        return Err(vm.type_error(text));
    }
    let mut given = unpack_arguments(vm, item)?;
    for p in parameters {
        let Some(prepare) = attribute(vm, p, "__typing_prepare_subst__")? else {
            continue;
        };
        if prepare.is_none() {
            continue;
        }
        let prepared = vm.call(&prepare, &[alias.clone(), Tuple::value(given)])?;
        given = match prepared.as_ref::<Tuple>() {
            Some(t) => t.items().to_vec(),
            None => vec![prepared],
        };
    }
    if given.len() != parameters.len() {
        let word = if given.len() > parameters.len() {
            "many"
        } else {
            "few"
        };
        let text = format!(
            "Too {word} arguments for {}; actual {}, expected {}",
            vm.repr(alias)?.to_text(),
            given.len(),
            parameters.len()
        );
        return Err(vm.type_error(text));
    }
    let mut out = Vec::with_capacity(args.len());
    for arg in args {
        if arg.is::<Type>() {
            out.push(arg.clone());
            continue;
        }
        if arg.is::<Tuple>() || arg.is::<crate::objects::list::List>() {
            let inner = vm.collect(arg)?;
            let inner = vm.recurse("", |vm| {
                substitute_inside(vm, alias, &inner, parameters, &given)
            })?;
            out.push(if arg.is::<Tuple>() {
                Tuple::value(inner)
            } else {
                crate::objects::list::List::value(inner)
            });
            continue;
        }
        let unpack = match attribute(vm, arg, "__typing_is_unpacked_typevartuple__")? {
            Some(flag) => vm.truthy(&flag)?,
            None => false,
        };
        let replaced = match attribute(vm, arg, "__typing_subst__")? {
            Some(subst) if !subst.is_none() => {
                let Some(i) = parameters.iter().position(|p| p.is_same(arg)) else {
                    continue;
                };
                vm.call(&subst, &[given[i].clone()])?
            }
            _ => substitute_variables(vm, arg, parameters, &given)?,
        };
        match replaced.as_ref::<Tuple>() {
            Some(t) if unpack => out.extend(t.items().iter().cloned()),
            _ => out.push(replaced),
        }
    }
    Ok(out)
}

/// The part of [`substitute`] for lists of arguments inside arguments (`Callable[[T], int]`): the variables need not all be there.
fn substitute_inside(
    vm: &mut Vm,
    alias: &Value,
    args: &[Value],
    parameters: &[Value],
    given: &[Value],
) -> R<Vec<Value>> {
    let mine = parameters_in(vm, args)?;
    if mine.is_empty() {
        return Ok(args.to_vec());
    }
    let values: Vec<Value> = mine
        .iter()
        .map(|p| {
            parameters
                .iter()
                .position(|q| q.is_same(p))
                .map_or_else(|| p.clone(), |i| given[i].clone())
        })
        .collect();
    substitute(vm, alias, args, &mine, &Tuple::value(values))
}

/// An argument that is itself generic, with its variables replaced.
fn substitute_variables(vm: &mut Vm, v: &Value, parameters: &[Value], given: &[Value]) -> R {
    let mine = parameters_of(vm, v)?.unwrap_or_default();
    if mine.is_empty() {
        return Ok(v.clone());
    }
    let mut values = Vec::with_capacity(mine.len());
    for p in mine {
        match parameters.iter().position(|q| q.is_same(&p)) {
            // What stands for a TypeVarTuple is a tuple of arguments.
            Some(i) => match given[i].as_ref::<Tuple>() {
                Some(t) if class_of(&parameters[i]).slots().iter.is_some() => {
                    values.extend(t.items().iter().cloned())
                }
                _ => values.push(given[i].clone()),
            },
            None => values.push(p),
        }
    }
    vm.get_item(v, &Tuple::value(values))
}

/// Whether the pending exception is an `AttributeError` or a `TypeError`, as for attributes that an object may refuse.
fn refused(vm: &Vm) -> bool {
    vm.error_is(Exc::AttributeError) || vm.error_is(Exc::TypeError)
}

/// The class of `None`.
fn none_type() -> Value {
    crate::objects::singletons::NoneType::class().to_value()
}
