//! `_bisect`: binary search in sorted sequences.

use crate::heap::Ref;
use crate::names;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::sequence;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_bisect", "Bisection algorithms.", FUNCTIONS)
}

static FUNCTIONS: &[Def] = &[
    Def::function(
        "bisect_right",
        "(a, x, lo=0, hi=None, *, key=None)",
        |vm, args| search(vm, args, &args[1].clone(), false).map(Value::int),
    ),
    Def::function(
        "bisect_left",
        "(a, x, lo=0, hi=None, *, key=None)",
        |vm, args| search(vm, args, &args[1].clone(), true).map(Value::int),
    ),
    Def::function(
        "insort_right",
        "(a, x, lo=0, hi=None, *, key=None)",
        |vm, args| insert(vm, args, false),
    ),
    Def::function(
        "insort_left",
        "(a, x, lo=0, hi=None, *, key=None)",
        |vm, args| insert(vm, args, true),
    ),
];

/// Where `x` (already a key) belongs: before equal items for `left`, behind them otherwise.
fn search(vm: &mut Vm, args: &[Value], x: &Value, left: bool) -> R<i64> {
    let a = &args[0];
    let mut low = match optional(args, 2) {
        Some(v) => vm.index_i64(v)?,
        None => 0,
    };
    if low < 0 {
        return Err(vm.value_error("lo must be non-negative"));
    }
    let mut high = match optional(args, 3) {
        Some(v) if !v.is_none() => sequence::index_number(vm, v, Exc::OverflowError)?,
        _ => -1,
    };
    if high == -1 {
        high = vm.len_i64(a)?;
    }
    let key = optional(args, 4).filter(|k| !k.is_none());
    while low < high {
        let middle = low + (high - low) / 2;
        let item = match a
            .as_exact::<List>()
            .and_then(|l| l.get(vm, usize::try_from(middle).unwrap_or(usize::MAX)))
        {
            Some(item) => item,
            None => vm.get_item(a, &Value::int(middle))?,
        };
        let item = match key {
            Some(key) => vm.call(key, &[item])?,
            None => item,
        };
        let go_right = if left {
            vm.lt(&item, x)?
        } else {
            !vm.lt(x, &item)?
        };
        if go_right {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

fn insert(vm: &mut Vm, args: &[Value], left: bool) -> R {
    let x = match optional(args, 4).filter(|k| !k.is_none()) {
        Some(key) => vm.call(key, std::slice::from_ref(&args[1]))?,
        None => args[1].clone(),
    };
    let at = search(vm, args, &x, left)?;
    vm.call_method(
        &args[0],
        &names::intern("insert"),
        &[Value::int(at), args[1].clone()],
    )?;
    Ok(Value::NONE)
}
