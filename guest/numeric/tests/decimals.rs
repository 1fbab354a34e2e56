//! Operations on decimals: examples from the General Decimal Arithmetic Specification, rounding at every digit, and identities over many numbers.

use coldframe_numeric::decimal::{Context, Number, Power, Rounding, Status};

fn number(text: &str) -> Number {
    Number::read_exactly(text, &mut Status::default())
}

fn context(precision: i64) -> Context {
    Context {
        precision,
        emax: 999,
        emin: -999,
        ..Context::MAX
    }
}

type Binary = fn(&Context, &Number, &Number, &mut Status) -> Number;

#[track_caller]
fn check(f: Binary, a: &str, b: &str, result: &str, conditions: u32) {
    let mut status = Status::default();
    let made = f(&context(9), &number(a), &number(b), &mut status);
    assert_eq!(made.text(false, true), result, "{a} {b}");
    assert_eq!(status.0, conditions, "{a} {b}");
}

const LOSSY: u32 = Status::INEXACT | Status::ROUNDED;

#[test]
fn examples_of_the_specification() {
    check(Context::add, "12", "7.00", "19.00", 0);
    check(Context::add, "1E+2", "1E+4", "1.01E+4", 0);
    check(Context::subtract, "1.3", "1.07", "0.23", 0);
    check(Context::subtract, "1.3", "2.07", "-0.77", 0);
    check(Context::multiply, "0.9", "-0", "-0.0", 0);
    check(
        Context::multiply,
        "654321",
        "654321",
        "4.28135971E+11",
        LOSSY,
    );
    check(Context::divide, "1", "3", "0.333333333", LOSSY);
    check(Context::divide, "2.400", "2.0", "1.20", 0);
    check(Context::divide, "1000", "100", "10", 0);
    check(
        Context::divide,
        "1",
        "0",
        "Infinity",
        Status::DIVISION_BY_ZERO,
    );
    check(Context::divide_int, "10", "0.3", "33", 0);
    check(Context::remainder, "-10", "3", "-1", 0);
    check(Context::remainder, "10", "0.3", "0.1", 0);
    check(Context::remainder_near, "10", "6", "-2", 0);
    check(Context::remainder_near, "10", "0.3", "0.1", 0);
    check(Context::quantize, "2.17", "0.001", "2.170", 0);
    check(Context::quantize, "2.17", "1E+0", "2", LOSSY);
    check(
        Context::quantize,
        "2",
        "Inf",
        "NaN",
        Status::INVALID_OPERATION,
    );
    check(Context::scaleb, "7.50", "3", "7.50E+3", 0);
    check(Context::rotate, "123456789", "-2", "891234567", 0);
    check(Context::shift, "34", "8", "400000000", 0);
    check(Context::compare, "2.1", "2.10", "0", 0);
    check(Context::next_toward, "-1.00000003", "0", "-1.00000002", 0);
    check(
        Context::add,
        "NaN123",
        "sNaN9",
        "NaN9",
        Status::INVALID_OPERATION,
    );
    check(
        Context::add,
        "9E+999",
        "9E+999",
        "Infinity",
        LOSSY | Status::OVERFLOW,
    );
}

#[test]
fn one_operand() {
    let c = context(9);
    let mut status = Status::default();
    let root = c.sqrt(&number("2"), &mut status);
    assert_eq!(root.text(false, true), "1.41421356");
    assert_eq!(status.0, LOSSY);
    let mut status = Status::default();
    assert_eq!(c.sqrt(&number("1.0"), &mut status).text(false, true), "1.0");
    assert_eq!(c.sqrt(&number("100"), &mut status).text(false, true), "10");
    assert_eq!(
        c.normalize(&number("120"), &mut status).text(false, true),
        "1.2E+2"
    );
    assert_eq!(
        c.next_plus(&number("1"), &mut status).text(false, true),
        "1.00000001"
    );
    assert_eq!(
        c.to_integral(&number("2.5"), false, &mut status)
            .text(false, true),
        "2"
    );
    assert_eq!(status.0, 0);
    assert_eq!(c.class_name(&number("1E-1000")), "+Subnormal");
}

#[test]
fn ways_to_round() {
    // For 1.1, 1.5, 1.9, 1.0, 2.5 and their negatives.
    let expected = [
        (Rounding::Up, [2, 2, 2, 1, 3], [-2, -2, -2, -1, -3]),
        (Rounding::Down, [1, 1, 1, 1, 2], [-1, -1, -1, -1, -2]),
        (Rounding::Ceiling, [2, 2, 2, 1, 3], [-1, -1, -1, -1, -2]),
        (Rounding::Floor, [1, 1, 1, 1, 2], [-2, -2, -2, -1, -3]),
        (Rounding::HalfUp, [1, 2, 2, 1, 3], [-1, -2, -2, -1, -3]),
        (Rounding::HalfDown, [1, 1, 2, 1, 2], [-1, -1, -2, -1, -2]),
        (Rounding::HalfEven, [1, 2, 2, 1, 2], [-1, -2, -2, -1, -2]),
        (Rounding::ZeroFiveUp, [1, 1, 1, 1, 2], [-1, -1, -1, -1, -2]),
    ];
    for (rounding, plus, minus) in expected {
        let c = Context {
            precision: 1,
            rounding,
            ..context(1)
        };
        for (text, (plus, minus)) in ["1.1", "1.5", "1.9", "1.0", "2.5"]
            .iter()
            .zip(plus.iter().zip(minus))
        {
            let mut status = Status::default();
            let a = number(text);
            assert_eq!(c.plus(&a, &mut status).text(false, true), plus.to_string());
            let a = a.negated();
            assert_eq!(c.plus(&a, &mut status).text(false, true), minus.to_string());
        }
    }
}

#[test]
fn identities() {
    let c = Context::MAX;
    let mut seed = 1u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for _ in 0..3000 {
        let mut draw = || {
            let length = next(70) + 1;
            let digits: String = (0..length)
                .map(|_| (b'0' + next(10) as u8) as char)
                .collect();
            let sign = if next(2) == 0 { "" } else { "-" };
            number(&format!("{sign}{digits}E{}", next(80) as i64 - 40))
        };
        let (a, b) = (draw(), draw());
        let mut status = Status::default();
        // What was added can be taken away.
        let sum = c.add(&a, &b, &mut status);
        let back = c.subtract(&sum, &b, &mut status);
        assert!(back.order(&a).is_eq(), "{a:?} {b:?}");
        // A sum that is rounded is the exact one, rounded.
        for rounding in Rounding::ALL {
            let short = Context {
                rounding,
                ..context(9)
            };
            let (mut one, mut other) = (Status::default(), Status::default());
            let rounded = short.add(&a, &b, &mut one);
            // The sign of a sum that is zero depends on the rounding, too.
            let exact = Context { rounding, ..c }.add(&a, &b, &mut Status::default());
            assert_eq!(rounded, short.finish(exact, &mut other), "{a:?} {b:?}");
            assert_eq!(one, other, "{a:?} {b:?}");
        }
        if b.is_zero() {
            continue;
        }
        // A product divided by a factor is the other.
        let narrow = context(160);
        let product = narrow.multiply(&a, &b, &mut status);
        let back = narrow.divide(&product, &b, &mut status);
        assert!(back.order(&a).is_eq(), "{a:?} {b:?}");
        // Quotient and remainder make the number again.
        let (q, r) = narrow.divmod(&a, &b, &mut status);
        let again = narrow.fma(&q, &b, &r, &mut status);
        assert!(again.order(&a).is_eq(), "{a:?} {b:?}");
        assert_eq!(status.0 & !Status::ROUNDED, 0);
    }
}

#[test]
fn powers() {
    let c = context(9);
    let power = |a: &str, b: &str| {
        let mut status = Status::default();
        match c.power(&number(a), &number(b), &mut status) {
            Power::Done(n) => (n.text(false, true), status.0),
            Power::Real => ("real".to_owned(), 0),
        }
    };
    assert_eq!(power("2", "3"), ("8".to_owned(), 0));
    assert_eq!(power("2", "-3"), ("0.125".to_owned(), 0));
    assert_eq!(power("1.00", "3"), ("1.000000".to_owned(), 0));
    assert_eq!(power("2", "0.5").0, "real");
    assert_eq!(
        power("-2", "0.5"),
        ("NaN".to_owned(), Status::INVALID_OPERATION)
    );
    assert_eq!(power("10", "99999").0, "Infinity");
    assert_eq!(power("0", "0").1, Status::INVALID_OPERATION);
    assert_eq!(power("3", "1E+30").0, "Infinity");
}

#[test]
fn there_is_no_room_for_everything() {
    let c = Context {
        room: |_| false,
        ..Context::MAX
    };
    let mut status = Status::default();
    c.divide(&number("1"), &number("3"), &mut status);
    assert!(status.has(Status::NO_ROOM));
    let mut status = Status::default();
    c.add(&number("1E+60000"), &number("1"), &mut status);
    assert!(status.has(Status::NO_ROOM));
}
