//! `math`.

use crate::heap::{self, Ref};
use crate::names::Names;
use crate::objects::float_arith::number;
use crate::objects::int::arith;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::slots::BinOp;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::{
    BigInt, NumericResult, combinatorics, int_ops, math, rational, size, sums,
};
use num_traits::ToPrimitive;

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(
        vm,
        "math",
        "This module provides access to the mathematical functions\ndefined by the C standard.",
        FUNCTIONS,
    );
    m.set(vm, "pi", Value::float(std::f64::consts::PI));
    m.set(vm, "e", Value::float(std::f64::consts::E));
    m.set(vm, "tau", Value::float(std::f64::consts::TAU));
    m.set(vm, "inf", Value::float(f64::INFINITY));
    m.set(vm, "nan", Value::float(f64::NAN));
    m
}

/// Functions of one double, with CPython's names and errors.
macro_rules! unary {
    ($name:ident) => {
        Def::function(stringify!($name), "(x, /)", |vm, args| {
            let x = vm.to_double(&args[0])?;
            finish(vm, math::$name(x))
        })
    };
}

/// Functions of two doubles.
macro_rules! binary {
    ($name:literal, $f:expr) => {
        Def::function($name, "(x, y, /)", |vm, args| {
            let (x, y) = (vm.to_double(&args[0])?, vm.to_double(&args[1])?);
            finish(vm, $f(x, y))
        })
    };
}

/// Questions about one double.
macro_rules! test {
    ($name:literal, $f:expr) => {
        Def::function($name, "(x, /)", |vm, args| {
            Ok(Value::bool($f(vm.to_double(&args[0])?)))
        })
    };
}

#[inline]
fn finish(vm: &mut Vm, result: NumericResult<f64>) -> R {
    vm.numeric(result).map(number)
}

static FUNCTIONS: &[Def] = &[
    unary!(acos),
    unary!(acosh),
    unary!(asin),
    unary!(asinh),
    unary!(atan),
    binary!("atan2", |y, x| Ok(coldframe_numeric::elementary::atan2(
        y, x
    ))),
    unary!(atanh),
    unary!(cbrt),
    Def::function("ceil", "(x, /)", |vm, args| {
        rounded(vm, &args[0], &Names::get().__ceil__, rational::ceil)
    }),
    Def::function("comb", "(n, k, /)", comb),
    Def::function("copysign", "(x, y, /)", |vm, args| {
        let (x, y) = (vm.to_double(&args[0])?, vm.to_double(&args[1])?);
        Ok(Value::float_from_outside(x.copysign(y)))
    }),
    unary!(cos),
    unary!(cosh),
    unary!(degrees),
    Def::function("dist", "(p, q, /)", dist),
    unary!(erf),
    unary!(erfc),
    unary!(exp),
    unary!(exp2),
    unary!(expm1),
    unary!(fabs),
    Def::function("factorial", "(n, /)", factorial),
    Def::function("floor", "(x, /)", |vm, args| {
        rounded(vm, &args[0], &Names::get().__floor__, rational::floor)
    }),
    Def::function("fma", "(x, y, z, /)", |vm, args| {
        let (x, y, z) = (
            vm.to_double(&args[0])?,
            vm.to_double(&args[1])?,
            vm.to_double(&args[2])?,
        );
        finish(vm, math::fma(x, y, z))
    }),
    binary!("fmod", math::fmod),
    Def::function("frexp", "(x, /)", |vm, args| {
        let (fraction, exponent) = math::frexp(vm.to_double(&args[0])?);
        Ok(Tuple::value(vec![
            number(fraction),
            Value::int(exponent.into()),
        ]))
    }),
    Def::function("fsum", "(seq, /)", fsum),
    unary!(gamma),
    Def::raw_function("gcd", "(*integers)", gcd),
    Def::raw_function("hypot", "(*coordinates)", hypot),
    Def::function("isclose", "(a, b, *, rel_tol=1e-09, abs_tol=0.0)", isclose),
    test!("isfinite", f64::is_finite),
    test!("isinf", f64::is_infinite),
    test!("isnan", f64::is_nan),
    Def::function("isqrt", "(n, /)", isqrt),
    Def::raw_function("lcm", "(*integers)", lcm),
    Def::function("ldexp", "(x, i, /)", ldexp),
    unary!(lgamma),
    Def::raw_function("log", "(x, base=math.e)", log),
    Def::function("log10", "(x, /)", |vm, args| {
        logarithm(vm, &args[0], math::LogBase::Ten).map(number)
    }),
    unary!(log1p),
    Def::function("log2", "(x, /)", |vm, args| {
        logarithm(vm, &args[0], math::LogBase::Two).map(number)
    }),
    Def::function("modf", "(x, /)", |vm, args| {
        let (fraction, whole) = math::modf(vm.to_double(&args[0])?);
        Ok(Tuple::value(vec![number(fraction), number(whole)]))
    }),
    Def::function("nextafter", "(x, y, /, *, steps=None)", nextafter),
    Def::function("perm", "(n, k=None, /)", perm),
    binary!("pow", math::pow),
    Def::function("prod", "(iterable, /, *, start=1)", prod),
    unary!(radians),
    binary!("remainder", math::remainder),
    unary!(sin),
    unary!(sinh),
    unary!(sqrt),
    Def::function("sumprod", "(p, q, /)", super::math_sumprod::sumprod),
    unary!(tan),
    unary!(tanh),
    Def::function("trunc", "(x, /)", trunc),
    Def::function("ulp", "(x, /)", |vm, args| {
        Ok(number(math::ulp(vm.to_double(&args[0])?)))
    }),
];

// ---- rounding

/// `math.floor` and `math.ceil`.
fn rounded(
    vm: &mut Vm,
    x: &Value,
    name: &'static Ref<crate::objects::string::Str>,
    f: fn(f64) -> NumericResult<coldframe_numeric::Int>,
) -> R {
    if !x.is_float()
        && let Some(result) = vm.call_special_opt(x, name, &[])?
    {
        return Ok(result);
    }
    let result = f(vm.to_double(x)?);
    vm.numeric(result).map(Value::from)
}

fn trunc(vm: &mut Vm, args: &[Value]) -> R {
    if let Some(x) = args[0].as_float() {
        let result = rational::from_float(x);
        return vm.numeric(result).map(Value::from);
    }
    match vm.call_special_opt(&args[0], &Names::get().__trunc__, &[])? {
        Some(result) => Ok(result),
        None => Err(vm.type_error(format!(
            "type {} doesn't define __trunc__ method",
            class_of(&args[0]).name()
        ))),
    }
}

// ---- integers

fn comb(vm: &mut Vm, args: &[Value]) -> R {
    let (n, k) = (vm.index_big(&args[0])?, vm.index_big(&args[1])?);
    let smaller = (&n - &k).min(k.clone());
    check_selection(vm, &n, &smaller)?;
    let result = combinatorics::comb(&n, &k);
    vm.numeric(result).map(Value::bigint)
}

fn perm(vm: &mut Vm, args: &[Value]) -> R {
    let Some(k) = optional(args, 1).filter(|k| !k.is_none()) else {
        return factorial(vm, args);
    };
    let (n, k) = (vm.index_big(&args[0])?, vm.index_big(k)?);
    if k <= n {
        check_selection(vm, &n, &k)?;
    }
    let result = combinatorics::perm(&n, &k);
    vm.numeric(result).map(Value::bigint)
}

/// Refuses products of `k` factors about as large as `n` that nobody could wait for.
fn check_selection(vm: &mut Vm, n: &BigInt, k: &BigInt) -> R<()> {
    match k.to_u64() {
        Some(k) if k <= i64::MAX as u64 => vm.check_product_bits(size::perm_bits(n.bits(), k)),
        // Negative or beyond all bounds: the function itself has a message for that.
        _ => Ok(()),
    }
}

/// 0! to 20!, the last one of 64 bits.
static FACTORIALS: [i64; 21] = {
    let mut table = [1; 21];
    let mut n = 1;
    while n < table.len() {
        table[n] = table[n - 1] * n as i64;
        n += 1;
    }
    table
};

fn factorial(vm: &mut Vm, args: &[Value]) -> R {
    let small = args[0].as_small_int();
    if let Some(product) = small.and_then(|n| FACTORIALS.get(usize::try_from(n).ok()?)) {
        return Ok(Value::int(*product));
    }
    let n = vm.index_big(&args[0])?;
    if let Some(n) = n.to_u64().filter(|&n| n <= i64::MAX as u64) {
        vm.check_product_bits(size::factorial_bits(n))?;
    }
    let result = combinatorics::factorial(&n);
    vm.numeric(result).map(Value::bigint)
}

fn gcd(vm: &mut Vm, args: Args) -> R {
    args.no_keywords(vm, "math.gcd")?;
    if let [a, b] = args.positional()
        && let (Some(a), Some(b)) = (a.as_small_int(), b.as_small_int())
    {
        return Ok(Value::int(int_ops::gcd_i64(a, b) as i64));
    }
    let mut result = BigInt::default();
    for (i, v) in args.positional().iter().enumerate() {
        let v = vm.index(v)?;
        let Some(n) = v.as_int() else { continue };
        if let (Some(a), Some(b), true) = (result.to_i64(), n.to_i64(), i > 0) {
            result = int_ops::gcd_i64(a, b).into();
        } else {
            let n = n.as_big();
            arith::charge_product(result.bits(), n.bits());
            result = int_ops::gcd(&result, &n);
        }
    }
    Ok(Value::bigint(result))
}

fn lcm(vm: &mut Vm, args: Args) -> R {
    args.no_keywords(vm, "math.lcm")?;
    let mut result = BigInt::from(1);
    for v in args.positional() {
        let n = vm.index_big(v)?;
        vm.check_product_bits(size::mul_bits(result.bits(), n.bits()))?;
        arith::charge_product(result.bits(), n.bits());
        result = int_ops::lcm(&result, &n);
    }
    Ok(Value::bigint(result))
}

fn isqrt(vm: &mut Vm, args: &[Value]) -> R {
    let n = vm.index_big(&args[0])?;
    let result = int_ops::isqrt(&n);
    vm.numeric(result).map(Value::bigint)
}

// ---- logarithms

fn logarithm(vm: &mut Vm, x: &Value, base: math::LogBase) -> R<f64> {
    let result = match x.as_int() {
        Some(i) => match i.to_i64() {
            Some(n) if n > 0 && n <= 1 << 53 => by_base(n as f64, base),
            _ => math::log_int(&i.as_big(), base),
        },
        None => by_base(vm.to_double(x)?, base),
    };
    vm.numeric(result)
}

fn by_base(x: f64, base: math::LogBase) -> NumericResult<f64> {
    match base {
        math::LogBase::E => math::log(x),
        math::LogBase::Two => math::log2(x),
        math::LogBase::Ten => math::log10(x),
    }
}

fn log(vm: &mut Vm, args: Args) -> R {
    args.no_keywords(vm, "math.log")?;
    let args = args.exactly(vm, "log", 1, 2)?;
    let x = logarithm(vm, &args[0], math::LogBase::E)?;
    let Some(base) = args.get(1) else {
        return Ok(number(x));
    };
    let base = logarithm(vm, base, math::LogBase::E)?;
    finish(vm, coldframe_numeric::float_ops::true_divide(x, base))
}

// ---- the representation of doubles

fn ldexp(vm: &mut Vm, args: &[Value]) -> R {
    let x = vm.to_double(&args[0])?;
    let Some(exponent) = args[1].as_int() else {
        return Err(vm.type_error("Expected an int as second argument to ldexp."));
    };
    finish(vm, math::ldexp(x, &exponent.as_big()))
}

fn nextafter(vm: &mut Vm, args: &[Value]) -> R {
    let (x, y) = (vm.to_double(&args[0])?, vm.to_double(&args[1])?);
    let steps = match optional(args, 2).filter(|s| !s.is_none()) {
        None => {
            // Towards a zero of the other sign: zero is reached from the side of `x`.
            let reached = math::nextafter(x, y, 1);
            let signed = reached == 0.0 && x != y;
            return Ok(number(if signed { 0.0f64.copysign(x) } else { reached }));
        }
        Some(steps) => {
            let steps = vm.index_big(steps)?;
            match steps.to_u64() {
                Some(n) => n,
                None if steps.sign() == coldframe_numeric::Sign::Minus => {
                    return Err(vm.value_error("steps must be a non-negative integer"));
                }
                None => u64::MAX,
            }
        }
    };
    Ok(number(math::nextafter(x, y, steps)))
}

fn isclose(vm: &mut Vm, args: &[Value]) -> R {
    let (a, b) = (vm.to_double(&args[0])?, vm.to_double(&args[1])?);
    let relative = optional(args, 2)
        .map(|v| vm.to_double(v))
        .transpose()?
        .unwrap_or(1e-9);
    let absolute = optional(args, 3)
        .map(|v| vm.to_double(v))
        .transpose()?
        .unwrap_or(0.0);
    let result = math::isclose(a, b, relative, absolute);
    vm.numeric(result).map(Value::bool)
}

// ---- sums, products, lengths

fn fsum(vm: &mut Vm, args: &[Value]) -> R {
    let mut sum = sums::ExactSum::new();
    vm.for_each(&args[0], |vm, item| {
        let x = vm.to_double(&item)?;
        vm.numeric(sum.add(x))?;
        vm.poll_native()
    })?;
    finish(vm, sum.finish())
}

fn prod(vm: &mut Vm, args: &[Value]) -> R {
    let mut product = optional(args, 1)
        .cloned()
        .unwrap_or_else(|| Value::small_int(1));
    vm.for_each(&args[0], |vm, item| {
        product = vm.binary(BinOp::Mul, &product, &item)?;
        vm.poll_native()
    })?;
    Ok(product)
}

fn hypot(vm: &mut Vm, args: Args) -> R {
    args.no_keywords(vm, "math.hypot")?;
    let coordinates = args
        .positional()
        .iter()
        .map(|v| vm.to_double(v))
        .collect::<R<Vec<f64>>>()?;
    Ok(number(sums::hypot(&coordinates)))
}

/// A point: a tuple, or anything that can be made one.
fn point(vm: &mut Vm, v: &Value) -> R<Vec<f64>> {
    let mut coordinates = Vec::new();
    vm.for_each(v, |vm, item| {
        coordinates.push(vm.to_double(&item)?);
        vm.poll_native()
    })?;
    if !heap::can_allocate(coordinates.len() * 16) {
        return Err(vm.memory_error());
    }
    Ok(coordinates)
}

fn dist(vm: &mut Vm, args: &[Value]) -> R {
    let (p, q) = (point(vm, &args[0])?, point(vm, &args[1])?);
    if p.len() != q.len() {
        return Err(vm.value_error("both points must have the same number of dimensions"));
    }
    Ok(number(sums::dist(&p, &q)))
}
