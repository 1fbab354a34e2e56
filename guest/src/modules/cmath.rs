//! `cmath`.

use crate::heap::Ref;
use crate::objects::complex::Complex;
use crate::objects::float_arith::number;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};
use coldframe_numeric::cmath;
use coldframe_numeric::complex_ops::Complex as Number;

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(
        vm,
        "cmath",
        "This module provides access to mathematical functions for complex\nnumbers.",
        FUNCTIONS,
    );
    m.set(vm, "pi", Value::float(std::f64::consts::PI));
    m.set(vm, "e", Value::float(std::f64::consts::E));
    m.set(vm, "tau", Value::float(std::f64::consts::TAU));
    m.set(vm, "inf", Value::float(f64::INFINITY));
    m.set(vm, "nan", Value::float(f64::NAN));
    m.set(vm, "infj", Complex::value(0.0, f64::INFINITY));
    m.set(vm, "nanj", Complex::value(0.0, f64::NAN));
    m
}

fn argument(vm: &mut Vm, v: &Value) -> R<Number> {
    let (re, im) = vm.to_complex(v)?;
    Ok(Number::new(re, im))
}

fn value(z: Number) -> Value {
    Complex::value(z.re, z.im)
}

macro_rules! function {
    ($name:ident) => {
        Def::function(stringify!($name), "(z, /)", |vm, args| {
            let result = cmath::$name(argument(vm, &args[0])?);
            vm.numeric(result).map(value)
        })
    };
}

macro_rules! test {
    ($name:literal, $f:expr) => {
        Def::function($name, "(z, /)", |vm, args| {
            let z = argument(vm, &args[0])?;
            Ok(Value::bool($f(z.re, z.im)))
        })
    };
}

static FUNCTIONS: &[Def] = &[
    function!(acos),
    function!(acosh),
    function!(asin),
    function!(asinh),
    function!(atan),
    function!(atanh),
    function!(cos),
    function!(cosh),
    function!(exp),
    Def::function("isclose", "(a, b, *, rel_tol=1e-09, abs_tol=0.0)", isclose),
    test!("isfinite", |re: f64, im: f64| re.is_finite()
        && im.is_finite()),
    test!("isinf", |re: f64, im: f64| re.is_infinite()
        || im.is_infinite()),
    test!("isnan", |re: f64, im: f64| re.is_nan() || im.is_nan()),
    Def::function("log", "(z, base=<unrepresentable>, /)", log),
    function!(log10),
    Def::function("phase", "(z, /)", |vm, args| {
        Ok(number(cmath::phase(argument(vm, &args[0])?)))
    }),
    Def::function("polar", "(z, /)", |vm, args| {
        let result = cmath::polar(argument(vm, &args[0])?);
        let (r, phi) = vm.numeric(result)?;
        Ok(Tuple::value(vec![number(r), number(phi)]))
    }),
    Def::function("rect", "(r, phi, /)", |vm, args| {
        let result = cmath::rect(vm.to_double(&args[0])?, vm.to_double(&args[1])?);
        vm.numeric(result).map(value)
    }),
    function!(sin),
    function!(sinh),
    function!(sqrt),
    function!(tan),
    function!(tanh),
];

fn log(vm: &mut Vm, args: &[Value]) -> R {
    let z = argument(vm, &args[0])?;
    let result = match optional(args, 1) {
        None => cmath::log(z),
        Some(base) => cmath::log_base(z, argument(vm, base)?),
    };
    vm.numeric(result).map(value)
}

fn isclose(vm: &mut Vm, args: &[Value]) -> R {
    let (a, b) = (argument(vm, &args[0])?, argument(vm, &args[1])?);
    let relative = optional(args, 2)
        .map(|v| vm.to_double(v))
        .transpose()?
        .unwrap_or(1e-9);
    let absolute = optional(args, 3)
        .map(|v| vm.to_double(v))
        .transpose()?
        .unwrap_or(0.0);
    let result = cmath::isclose(a, b, relative, absolute);
    vm.numeric(result).map(Value::bool)
}
