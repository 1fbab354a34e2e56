//! The classes of numbers and of the singletons, and `pow` with three arguments.

use crate::modules::decimal::{self, Decimal};
use crate::names::Names;
use crate::objects::complex::Complex;
use crate::objects::int::arith;
use crate::objects::native::Def;
use crate::objects::singletons::{EllipsisType, NoneType, NotImplementedType};
use crate::objects::slots::{BinOp, Slots};
use crate::objects::string::Str;
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Makes `int`, `bool`, `float`, `complex`, `NoneType`, `NotImplementedType` and `ellipsis`.
pub(crate) fn init(vm: &mut Vm) {
    crate::objects::int::methods::init(vm);
    crate::objects::float_methods::init(vm);
    crate::objects::complex_methods::init(vm);
    ClassBuilder::new::<NoneType>("NoneType")
        .slots(NONE)
        .build(vm);
    ClassBuilder::new::<NotImplementedType>("NotImplementedType")
        .slots(NOT_IMPLEMENTED)
        .methods(vm, NOT_IMPLEMENTED_METHODS)
        .build(vm);
    ClassBuilder::new::<EllipsisType>("ellipsis")
        .slots(ELLIPSIS)
        .methods(vm, ELLIPSIS_METHODS)
        .build(vm);
}

// ---- singletons

const NONE: Slots = Slots {
    repr: Some(|_, _| Ok(Str::value("None"))),
    hash: Some(|_, _| Ok(0xFCA8_6420)),
    bool: Some(|_, _| Ok(false)),
    new: Some(|vm, _, args| {
        if args.is_empty() {
            Ok(Value::NONE)
        } else {
            Err(vm.type_error("NoneType takes no arguments"))
        }
    }),
    ..Slots::NONE
};

const NOT_IMPLEMENTED: Slots = Slots {
    repr: Some(|_, _| Ok(Str::value("NotImplemented"))),
    bool: Some(
        |vm, _| Err(vm.type_error("NotImplemented should not be used in a boolean context")),
    ),
    new: Some(|vm, _, args| {
        if args.is_empty() {
            Ok(Value::NOT_IMPLEMENTED)
        } else {
            Err(vm.type_error("NotImplementedType takes no arguments"))
        }
    }),
    ..Slots::NONE
};

static NOT_IMPLEMENTED_METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |_, _| {
    Ok(Str::value("NotImplemented"))
})];

const ELLIPSIS: Slots = Slots {
    repr: Some(|_, _| Ok(Str::value("Ellipsis"))),
    new: Some(|vm, _, args| {
        if args.is_empty() {
            Ok(Value::ELLIPSIS)
        } else {
            Err(vm.type_error("EllipsisType takes no arguments"))
        }
    }),
    ..Slots::NONE
};

static ELLIPSIS_METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |_, _| {
    Ok(Str::value("Ellipsis"))
})];

// ---- pow

/// `pow(base, exp, modulus)`; with `None` for the modulus it is `base ** exp`.
pub fn pow_mod(vm: &mut Vm, base: &Value, exp: &Value, modulus: &Value) -> R {
    if modulus.is_none() {
        return vm.binary(BinOp::Pow, base, exp);
    }
    let n = Names::get();
    let python = |v: &Value| v.is_ref() && !class_of(v).is_static();
    let differ = !class_of(base).same(class_of(exp));
    // A subclass goes first.
    let exp_first = differ && python(exp) && class_of(exp).is_subclass_of(class_of(base));
    let mut tries = Vec::with_capacity(3);
    if exp_first {
        tries.push(true);
    }
    tries.push(false);
    if differ && !exp_first {
        tries.push(true);
    }
    for reflected in tries {
        let (v, other, name) = if reflected {
            (exp, base, &n.__rpow__)
        } else {
            (base, exp, &n.__pow__)
        };
        let r = if python(v) {
            vm.call_special_opt(v, name, &[other.clone(), modulus.clone()])?
        } else if v.as_int().is_some() {
            let ints = other.as_int().is_some() && modulus.as_int().is_some();
            ints.then(|| native_pow_mod(vm, base, exp, modulus))
                .transpose()?
        } else if v.is::<Decimal>() {
            Some(decimal::power_modulo(vm, base, exp, modulus)?)
        } else {
            refuse_modulus(vm, v)?;
            None
        };
        if let Some(r) = r
            && !r.is_not_implemented()
        {
            return Ok(r);
        }
    }
    if modulus.is::<Decimal>() {
        let r = decimal::power_modulo(vm, base, exp, modulus)?;
        if !r.is_not_implemented() {
            return Ok(r);
        }
    }
    refuse_modulus(vm, modulus)?;
    let names = [base, exp, modulus].map(|v| vm.class_name(v));
    Err(vm.type_error(format!(
        "unsupported operand type(s) for ** or pow(): '{}', '{}', '{}'",
        names[0], names[1], names[2]
    )))
}

/// As [`pow_mod`], by the built-in types alone (their `__pow__`); `NotImplemented` when they do not know.
pub fn native_pow_mod(vm: &mut Vm, base: &Value, exp: &Value, modulus: &Value) -> R {
    if modulus.is_none() {
        let Some(f) = class_of(base)
            .mro
            .get(vm)
            .iter()
            .find(|c| c.is_static())
            .and_then(|c| c.slots().binary)
        else {
            return Ok(Value::NOT_IMPLEMENTED);
        };
        return f(vm, BinOp::Pow, base, exp);
    }
    if let (Some(b), Some(e), Some(m)) = (base.as_int(), exp.as_int(), modulus.as_int()) {
        return arith::power_modulo(vm, b, e, m);
    }
    if [base, exp, modulus].iter().any(|v| v.is::<Decimal>()) {
        return decimal::power_modulo(vm, base, exp, modulus);
    }
    let number = |v: &Value| v.as_int().is_some() || v.as_any_float().is_some();
    if base.is::<Complex>() && !number(exp) && !exp.is::<Complex>() {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    for v in [base, exp, modulus] {
        refuse_modulus(vm, v)?;
    }
    Ok(Value::NOT_IMPLEMENTED)
}

/// Floats and complex numbers want no third argument, whatever it is.
fn refuse_modulus(vm: &mut Vm, v: &Value) -> R<()> {
    if v.as_any_float().is_some() {
        return Err(
            vm.type_error("pow() 3rd argument not allowed unless all arguments are integers")
        );
    }
    if v.is::<Complex>() {
        return Err(vm.value_error("complex modulo"));
    }
    Ok(())
}
