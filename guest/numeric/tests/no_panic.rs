//! Whatever comes in, nothing panics (tests are built with overflow checks).

mod common;

use coldframe_numeric::complex_ops::{self, Complex};
use coldframe_numeric::format_value::{self, IntRef};
use coldframe_numeric::mersenne::MersenneTwister;
use coldframe_numeric::percent_format::{Piece, Template};
use coldframe_numeric::{
    BigInt, cmath, complex_repr, elementary, float_ops, float_repr, hash, int_ops, int_text, math,
    rational, sums,
};

/// Pieces that make interesting texts more often than random bytes do.
const PIECES: &[&str] = &[
    "0",
    "1",
    "9",
    "00",
    "99999999999999999999",
    "4300",
    "_",
    "__",
    ".",
    "..",
    "e",
    "E",
    "p",
    "x",
    "0x",
    "0b",
    "0o",
    "+",
    "-",
    "inf",
    "nan",
    "j",
    "(",
    ")",
    "%",
    "%%",
    "%(",
    "*",
    "#",
    " ",
    "<",
    ">",
    "=",
    "^",
    "z",
    ",",
    "f",
    "d",
    "g",
    "s",
    "c",
    "n",
    "q",
    "\u{e9}",
    "\u{661}",
    "\u{3000}",
    "\u{1f600}",
    "\0",
    "l",
    "h",
];

#[test]
fn texts() {
    let mut random = MersenneTwister::from_key(&[1, 2, 3]);
    for round in 0..60_000 {
        let mut bytes = Vec::new();
        for _ in 0..random.below_u64(9) {
            let piece = PIECES[random.below_u64(PIECES.len() as u64) as usize];
            bytes.extend_from_slice(piece.as_bytes());
            if round % 10 == 0 {
                bytes.push(random.next_u32() as u8);
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let _ = float_repr::parse(&text);
        let _ = float_repr::parse_ascii(&bytes);
        let _ = float_repr::from_hex(&text);
        let _ = complex_repr::parse(&text);
        for base in [0, 1, 2, 10, 16, 36, 99] {
            let _ = int_text::parse(&text, base, 4300);
        }
        let _ = int_text::parse_decimal_literal(&text);
        // A wide result that is allowed would only take time.
        if !text.contains("99999") {
            let _ = format_value::format_int(IntRef::Small(-5), &bytes, "int", 0);
            let _ = format_value::format_float(1234.5, &bytes, "float");
            let _ = format_value::format_complex(-0.0, 1e300, &bytes, "complex");
            let _ = format_value::format_text("a\u{e9}".as_bytes(), 2, &bytes, "str");
        }
        for mut template in [Template::of_text(&bytes), Template::of_bytes(&bytes)] {
            while let Ok(Some(piece)) = template.next_piece() {
                if let Piece::Conversion(conversion) = piece {
                    let _ = conversion.unsupported();
                    let mut field = conversion.field(i64::MIN, i64::MIN);
                    field.width = field.width.min(100);
                    field.precision = field.precision.map(|precision| precision.min(2000));
                    let _ = field.integer(conversion.kind as u8, IntRef::Small(i64::MIN), 0);
                    let _ = field.float(conversion.kind as u8, -1e-310);
                    let _ = field.text(&bytes, 3);
                    let _ = field.bytes(&bytes);
                    let _ = field.code_point(conversion.kind);
                }
            }
        }
    }
}

#[test]
fn numbers() {
    let ints = [
        0,
        1,
        -1,
        2,
        3,
        63,
        64,
        1 << 53,
        i64::MAX,
        i64::MIN,
        i64::MIN + 1,
    ];
    for a in ints {
        let _ = (
            hash::hash_i64(a),
            int_text::i64_to_prefixed(a, 2),
            int_text::i64_to_decimal(a),
        );
        for b in ints {
            let _ = (
                int_ops::floor_div_i64(a, b),
                int_ops::modulo_i64(a, b),
                int_ops::gcd_i64(a, b),
                rational::true_divide_i64(a, b),
            );
            let _ = (
                int_ops::shl_i64(a, b.unsigned_abs() % 200),
                int_ops::shr_i64(a, b as u64),
            );
            let _ = rational::round_int(&a.into(), &b.into());
            for c in ints {
                let narrow = int_ops::mod_pow_i64(a, b, c).map(BigInt::from);
                if b < 1000 {
                    assert_eq!(narrow, int_ops::mod_pow(&a.into(), &b.into(), &c.into()));
                }
            }
        }
    }
    let floats = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1e16,
        -1e16,
        1e300,
        -1e308,
        f64::MAX,
        f64::MIN,
        5e-324,
        -5e-324,
        1e-310,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        9.3e18,
        -9.3e18,
        710.0,
        -745.0,
        1e22,
    ];
    for x in floats {
        let _ = (
            float_repr::repr(x),
            float_repr::hex(x),
            hash::hash_float(x),
            rational::from_float(x),
            rational::as_integer_ratio(x),
        );
        let _ = (math::frexp(x), math::modf(x), math::ulp(x));
        for n in ints {
            let _ = (
                rational::round_decimals(x, n),
                rational::compare_float_i64(x, n),
                math::ldexp(x, &n.into()),
            );
        }
        for (_, function) in math::UNARY {
            let _ = function(x);
        }
        for y in floats {
            let _ = (
                float_ops::divmod(x, y),
                float_ops::pow(x, y),
                math::pow(x, y),
                math::fmod(x, y),
                math::remainder(x, y),
            );
            let _ = (
                math::nextafter(x, y, u64::MAX),
                math::nextafter(x, y, 1),
                math::isclose(x, y, 0.1, 0.1),
                math::fma(x, y, x),
            );
            let _ = (
                elementary::atan2(x, y),
                elementary::hypot(x, y),
                sums::hypot(&[x, y, x]),
                cmath::rect(x, y),
                complex_repr::repr(x, y),
            );
            let z = Complex::new(x, y);
            for (_, function) in cmath::UNARY {
                let _ = function(z);
            }
            let _ = (
                complex_ops::mul(z, z),
                complex_ops::div(z, Complex::new(y, x)),
                complex_ops::pow(z, Complex::new(y, x)),
                cmath::log_base(z, z),
            );
            let mut sum = sums::SumProduct::new();
            let _ = (sum.add(x, y), sum.finish());
        }
    }
}
