//! `_decimal_core`: what the Python implementation of decimal arithmetic needs beyond the language, coefficients as text of any length.
//!
//! Coefficients are kept as digits, and `sys.set_int_max_str_digits()` is no business of decimals.

use crate::heap::{self, Ref};
use crate::objects::int::{IntRef, construct};
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_numeric::int_text;
use num_bigint::{BigInt, BigUint};
use std::borrow::Cow;

/// Sums and products of at most this many digits fit into 128 bits.
const SHORT: usize = 36;
/// Above this many digits products are made without leaving base ten.
const LONG: usize = 1000;
/// Sums whose terms lie further apart are left to the caller, who rounds the smaller one first.
const FAR: i64 = 2000;

static FUNCTIONS: &[Def] = &[
    Def::function("digits", "(value, /)", |vm, args| {
        let text = match args[0].as_int() {
            Some(IntRef::Small(i)) => int_text::i64_to_decimal(i),
            Some(IntRef::Big(b)) => text_of(vm, b)?,
            None => return vm.str(&args[0]).map(Value::from_ref),
        };
        Ok(Str::value(&text))
    }),
    Def::function("integer", "(value, /)", |vm, args| {
        let Some(text) = args[0].as_ref::<Str>() else {
            return construct::from_object(vm, &args[0]);
        };
        match int_text::parse(&text.to_text(), 10, 0) {
            Ok(i) => Ok(i.into()),
            Err(e) => {
                let repr = vm.repr(&args[0])?;
                Err(vm.numeric_error(e.into_error(10, &repr.to_text())))
            }
        }
    }),
    // The digits of the product of two coefficients.
    Def::function("product", "(a, b, /)", |vm, args| {
        let (a, b) = (coefficient(vm, &args[0])?, coefficient(vm, &args[1])?);
        if let (Ok(x), Ok(y)) = (a.parse::<u128>(), b.parse::<u128>())
            && a.len() + b.len() <= SHORT
        {
            return Ok(Str::value(&(x * y).to_string()));
        }
        let size = a.len() + b.len();
        if size > int_text::HARD_MAX_DIGITS || !heap::can_allocate(size.saturating_mul(8)) {
            return Err(vm.memory_error());
        }
        if a.len().min(b.len()) > LONG {
            return Ok(Str::value(&long_product(&a, &b)));
        }
        let product = BigInt::from(big(&a) * big(&b));
        text_of(vm, &product).map(|text| Str::value(&text))
    }),
    // The sum of two numbers other than zero, each as sign, coefficient and exponent: the same of the sum; None when it is zero or the terms are
    // far apart.
    Def::function(
        "sum",
        "(sign1, digits1, exponent1, sign2, digits2, exponent2, /)",
        |vm, args| {
            let (a, b) = (coefficient(vm, &args[1])?, coefficient(vm, &args[4])?);
            let (first, second) = (args[2].as_small_int(), args[5].as_small_int());
            let (Some(first), Some(second)) = (first, second) else {
                return Ok(Value::NONE);
            };
            let exponent = first.min(second);
            let (up_a, up_b) = (first - exponent, second - exponent);
            if up_a.max(up_b) > FAR || a.len() + b.len() > LONG * 100 {
                return Ok(Value::NONE);
            }
            let negative = |v: &Value| v.as_small_int() == Some(1);
            let (minus_a, minus_b) = (negative(&args[0]), negative(&args[3]));
            let fits = |text: &str, up: i64| text.len() + up as usize <= SHORT;
            let (minus, text) = if fits(&a, up_a) && fits(&b, up_b) {
                let term = |text: &str, up: i64, minus: bool| {
                    let size = text.parse::<i128>().unwrap_or(0) * 10i128.pow(up as u32);
                    if minus { -size } else { size }
                };
                let sum = term(&a, up_a, minus_a) + term(&b, up_b, minus_b);
                (sum < 0, sum.unsigned_abs().to_string())
            } else {
                let term = |text: &str, up: i64, minus: bool| {
                    let size = BigInt::from(big(text)) * BigInt::from(10).pow(up as u32);
                    if minus { -size } else { size }
                };
                let sum = term(&a, up_a, minus_a) + term(&b, up_b, minus_b);
                let text = text_of(vm, &sum)?;
                match text.strip_prefix('-') {
                    Some(rest) => (true, rest.to_owned()),
                    None => (false, text),
                }
            };
            if text == "0" {
                return Ok(Value::NONE);
            }
            Ok(Tuple::value(vec![
                Value::int(i64::from(minus)),
                Str::value(&text),
                Value::int(exponent),
            ]))
        },
    ),
];

fn text_of(vm: &mut Vm, value: &BigInt) -> R<String> {
    int_text::to_decimal(value, 0).map_err(|e| vm.numeric_error(e))
}

/// The digits of a coefficient, which is text of ASCII digits.
fn coefficient<'a>(vm: &mut Vm, value: &'a Value) -> R<Cow<'a, str>> {
    match value.as_ref::<Str>() {
        Some(text) if text.as_bytes().iter().all(u8::is_ascii_digit) && !text.is_empty() => {
            Ok(text.to_text())
        }
        _ => Err(vm.value_error("a coefficient is a text of digits")),
    }
}

/// The number of a text of digits.
fn big(text: &str) -> BigUint {
    match int_text::parse(text, 10, 0) {
        Ok(number) => BigInt::from(number).magnitude().clone(),
        Err(_) => BigUint::default(),
    }
}

/// Nine digits at a time as the coefficients of a polynomial, 96 bits apart, so that the product of two such numbers is the product of the
/// polynomials (Kronecker substitution); carrying then gives its digits, and no base has to be converted.
fn long_product(a: &str, b: &str) -> String {
    let polynomial = |text: &str| {
        let mut words = Vec::with_capacity(text.len() / 3 + 3);
        for piece in text.as_bytes().rchunks(9) {
            let value = piece
                .iter()
                .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
            words.extend([value, 0, 0]);
        }
        BigUint::new(words)
    };
    let product = polynomial(a) * polynomial(b);
    let words = product.to_u32_digits();
    let mut carry = 0u128;
    let mut groups = Vec::with_capacity(words.len() / 3 + 4);
    for slot in words.chunks(3) {
        let value = slot
            .iter()
            .rev()
            .fold(0u128, |value, word| value << 32 | u128::from(*word));
        carry += value;
        groups.push((carry % 1_000_000_000) as u32);
        carry /= 1_000_000_000;
    }
    while carry > 0 {
        groups.push((carry % 1_000_000_000) as u32);
        carry /= 1_000_000_000;
    }
    let mut text = String::with_capacity(groups.len() * 9);
    for group in groups.iter().rev() {
        text.push_str(&format!("{group:09}"));
    }
    let digits = text.trim_start_matches('0');
    if digits.is_empty() {
        "0".to_owned()
    } else {
        digits.to_owned()
    }
}

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_decimal_core", "", FUNCTIONS)
}
