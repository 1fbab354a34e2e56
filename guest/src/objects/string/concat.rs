//! `str`: joining, repeating, adding.

use super::Str;
use super::transform::unchanged;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The methods.
pub static METHODS: &[Def] = &[Def::method("join", "(self, iterable, /)", |vm, args| {
    let sep = receiver::<Str>(&args[0]);
    if let Some(t) = args[1].as_exact::<Tuple>() {
        return join(vm, sep, t.items());
    }
    if let Some(list) = args[1].as_exact::<List>() {
        return match join_items(sep, list.items.get(vm)) {
            Ok(joined) => Ok(joined),
            Err(problem) => Err(raise(vm, problem)),
        };
    }
    if !class_of(&args[1]).is_iterable() {
        return Err(vm.type_error("can only join an iterable"));
    }
    let items = vm.collect(&args[1])?;
    join(vm, sep, &items)
})];

/// Why items could not be joined.
enum JoinProblem {
    NotText(usize, String),
    TooLong,
}

/// `sep.join(items)`
pub fn join(vm: &mut Vm, sep: &Str, items: &[Value]) -> R {
    join_items(sep, items).map_err(|problem| raise(vm, problem))
}

#[cold]
fn raise(vm: &mut Vm, problem: JoinProblem) -> crate::vm::Raised {
    match problem {
        JoinProblem::NotText(i, name) => vm.type_error(format!(
            "sequence item {i}: expected str instance, {name} found"
        )),
        JoinProblem::TooLong => vm.memory_error(),
    }
}

fn join_items(sep: &Str, items: &[Value]) -> Result<Value, JoinProblem> {
    let (mut bytes, mut chars) = (0usize, 0usize);
    for (i, item) in items.iter().enumerate() {
        let Some(s) = item.as_ref::<Str>() else {
            return Err(JoinProblem::NotText(i, class_of(item).name().into_owned()));
        };
        bytes = bytes.saturating_add(s.as_bytes().len());
        chars = chars.saturating_add(s.len());
    }
    match items {
        [] => return Ok(Str::value("")),
        [one] if one.is_exact::<Str>() => return Ok(one.clone()),
        _ => {}
    }
    bytes = bytes.saturating_add(sep.as_bytes().len().saturating_mul(items.len() - 1));
    chars = chars.saturating_add(sep.len().saturating_mul(items.len() - 1));
    if bytes > i32::MAX as usize || !crate::heap::can_allocate(bytes) {
        return Err(JoinProblem::TooLong);
    }
    if bytes < 2 {
        // One character or none: such strings are shared.
        let text: Vec<u8> = items
            .iter()
            .flat_map(|i| receiver::<Str>(i).as_bytes())
            .chain(sep.as_bytes().iter().take(bytes))
            .copied()
            .take(bytes)
            .collect();
        return Ok(Str::value_wtf8(&text));
    }
    Ok(Value::from_ref(Str::build(bytes, chars, |out| {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                out.push(sep.as_bytes());
            }
            out.push(receiver::<Str>(item).as_bytes());
        }
    })))
}

/// `a + b`
pub fn add(vm: &mut Vm, a: &Value, b: &Value) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Str>(), b.as_ref::<Str>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if x.is_empty() && b.is_exact::<Str>() {
        return Ok(b.clone());
    }
    if y.is_empty() {
        return Ok(unchanged(a));
    }
    let size = vm.text_size(x.as_bytes().len() + y.as_bytes().len())?;
    Ok(Value::from_ref(Str::build(
        size,
        x.len() + y.len(),
        |out| {
            out.push(x.as_bytes());
            out.push(y.as_bytes());
        },
    )))
}

/// How often a sequence is repeated by `* v`; `None` when `v` is no integer. Negative numbers count as 0.
pub fn repeat_count(vm: &mut Vm, v: &Value) -> R<Option<usize>> {
    if v.as_int().is_none() && class_of(v).slots().index.is_none() {
        return Ok(None);
    }
    let i = vm.index(v)?;
    match i.as_int().and_then(|i| i.to_i64()) {
        Some(n) => Ok(Some(usize::try_from(n.max(0)).unwrap_or(usize::MAX))),
        None => Err(vm.raise(
            Exc::OverflowError,
            "cannot fit 'int' into an index-sized integer",
        )),
    }
}

/// `s * n`
pub fn repeat(vm: &mut Vm, a: &Value, b: &Value) -> R {
    let (text, number) = if a.is::<Str>() { (a, b) } else { (b, a) };
    let Some(n) = repeat_count(vm, number)? else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let Some(s) = text.as_ref::<Str>() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if n == 0 || s.is_empty() {
        return Ok(Str::value(""));
    }
    if n == 1 {
        return Ok(unchanged(text));
    }
    let size = vm.text_size(s.as_bytes().len().saturating_mul(n))?;
    Ok(Value::from_ref(Str::build(size, s.len() * n, |out| {
        out.push_times(s.as_bytes(), n)
    })))
}
