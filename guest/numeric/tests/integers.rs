//! Integer texts and arithmetic, against CPython.

mod common;

use coldframe_numeric::int_ops::ByteOrder;
use coldframe_numeric::{BigInt, combinatorics, hash, int_ops, int_text, rational, size};
use common::{bits, compare, hex, int, outcome, unescape};

#[test]
fn texts() {
    compare(
        "int_texts",
        include_str!("data/int_texts.txt"),
        |fields| match *fields {
            ["str", value] => {
                let value = int(value);
                let text = int_text::to_decimal(&value, 0).unwrap();
                if let Ok(small) = i64::try_from(&value) {
                    assert_eq!(int_text::i64_to_decimal(small), text);
                }
                assert!(
                    int_text::decimal_digits_at_least(value.bits())
                        <= text.trim_start_matches('-').len() as u64
                );
                assert!(
                    int_text::decimal_digits_at_least(value.bits()) + 1
                        >= text.trim_start_matches('-').len() as u64
                );
                assert_eq!(BigInt::from(int_text::parse(&text, 10, 0).unwrap()), value);
                text
            }
            ["bases", value, bin] => {
                let value = int(value);
                let oct = int_text::to_prefixed(&value, 8);
                assert_eq!(int_text::to_prefixed(&value, 2), bin);
                if let Ok(small) = i64::try_from(&value) {
                    assert_eq!(int_text::i64_to_prefixed(small, 2), bin);
                    assert_eq!(int_text::i64_to_prefixed(small, 8), oct);
                    assert_eq!(int_text::i64_to_prefixed(small, 16), hex(value.clone()));
                }
                assert_eq!(hex(value.clone()), fields[1]);
                oct
            }
            ["int", base, text, repr] => {
                let base = base.parse().unwrap();
                let result = int_text::parse(&unescape(text), base, 4300)
                    .map_err(|e| e.into_error(base, repr));
                outcome(result, hex)
            }
            ["limit", digits] => {
                let value = BigInt::from(10).pow(digits.parse::<u32>().unwrap() - 1);
                outcome(int_text::to_decimal(&value, 4300), |text| {
                    text.len().to_string()
                })
            }
            _ => panic!("unknown case {fields:?}"),
        },
    );
}

fn order(name: &str) -> ByteOrder {
    if name == "big" {
        ByteOrder::Big
    } else {
        ByteOrder::Little
    }
}

#[test]
fn arithmetic() {
    compare(
        "int_arithmetic",
        include_str!("data/int_arithmetic.txt"),
        |fields| match *fields {
            ["divmod", a, b] => {
                let (a, b) = (int(a), int(b));
                let result = int_ops::divmod(&a, &b);
                if let Ok((quotient, remainder)) = &result {
                    assert_eq!(int_ops::floor_div(&a, &b).as_ref(), Ok(quotient));
                    assert_eq!(int_ops::modulo(&a, &b).as_ref(), Ok(remainder));
                    if let (Ok(a), Ok(b)) = (i64::try_from(&a), i64::try_from(&b)) {
                        assert_eq!(int_ops::floor_div_i64(a, b), i64::try_from(quotient).ok());
                        assert_eq!(BigInt::from(int_ops::modulo_i64(a, b)), *remainder);
                    }
                }
                outcome(result, |(q, r)| format!("{} {}", hex(q), hex(r)))
            }
            ["truediv", a, b] => {
                let (a, b) = (int(a), int(b));
                let result = rational::true_divide(&a, &b);
                if let (Ok(a), Ok(b)) = (i64::try_from(&a), i64::try_from(&b)) {
                    assert_eq!(rational::true_divide_i64(a, b), result);
                }
                outcome(result, bits)
            }
            ["gcd", a, b, gcd] => {
                let (a, b) = (int(a), int(b));
                assert_eq!(hex(int_ops::gcd(&a, &b)), gcd);
                if let (Ok(a), Ok(b)) = (i64::try_from(&a), i64::try_from(&b)) {
                    assert_eq!(hex(int_ops::gcd_i64(a, b)), gcd);
                }
                hex(int_ops::lcm(&a, &b))
            }
            ["bits", a, b, and, or] => {
                let (a, b) = (int(a), int(b));
                assert_eq!(hex(&a & &b), and);
                assert_eq!(hex(&a | &b), or);
                hex(a ^ b)
            }
            ["shift", a, count, left] => {
                let (a, count) = (int(a), count.parse().unwrap());
                assert_eq!(hex(int_ops::shl(&a, count)), left);
                assert!(size::shl_bits(a.bits(), count) >= int(left).bits());
                if let Ok(small) = i64::try_from(&a) {
                    assert_eq!(hex(int_ops::shl_i64(small, count)), left);
                    assert_eq!(
                        hex(int_ops::shr_i64(small, count)),
                        hex(int_ops::shr(&a, count))
                    );
                }
                hex(int_ops::shr(&a, count))
            }
            ["float", a] => outcome(rational::to_float(&int(a)), bits),
            ["pow", a, exponent] => {
                let (a, exponent) = (int(a), exponent.parse().unwrap());
                let power = int_ops::pow(&a, exponent);
                assert!(size::pow_bits(&a, &exponent.into()) >= power.bits());
                if let Ok(small) = i64::try_from(&a) {
                    assert_eq!(BigInt::from(int_ops::pow_i64(small, exponent)), power);
                }
                hex(power)
            }
            ["modpow", a, e, m] => {
                let (a, e, m) = (int(a), int(e), int(m));
                let result = int_ops::mod_pow(&a, &e, &m);
                if let (Ok(a), Ok(e), Ok(m)) =
                    (i64::try_from(&a), i64::try_from(&e), i64::try_from(&m))
                {
                    assert_eq!(int_ops::mod_pow_i64(a, e, m).map(BigInt::from), result);
                }
                outcome(result, hex)
            }
            ["isqrt", a] => outcome(int_ops::isqrt(&int(a)), hex),
            ["length", a, length, count] => {
                let a = int(a);
                assert_eq!(int_ops::bit_length(&a).to_string(), length);
                assert_eq!(int_ops::bit_count(&a).to_string(), count);
                let hashed = hash::hash_int(&a);
                if let Ok(small) = i64::try_from(&a) {
                    assert_eq!(hash::hash_i64(small), hashed);
                }
                hashed.to_string()
            }
            ["tobytes", a, length, name, signed] => {
                let result =
                    int_ops::to_bytes(&int(a), length.parse().unwrap(), order(name), signed == "1");
                outcome(result, |bytes| {
                    bytes.iter().map(|b| format!("{b:02x}")).collect()
                })
            }
            ["frombytes", data, name, signed] => {
                let bytes: Vec<u8> = (0..data.len() / 2)
                    .map(|i| u8::from_str_radix(&data[2 * i..2 * i + 2], 16).unwrap())
                    .collect();
                hex(int_ops::from_bytes(&bytes, order(name), signed == "1"))
            }
            ["round", a, places] => hex(rational::round_int(&int(a), &places.parse().unwrap())),
            ["factorial", a] => {
                let n = int(a);
                let result = combinatorics::factorial(&n);
                if let (Ok(n), Ok(value)) = (u64::try_from(&n), &result) {
                    assert!(size::factorial_bits(n) >= value.bits());
                }
                outcome(result, hex)
            }
            ["comb", n, k, comb] => {
                let (n, k) = (int(n), int(k));
                assert_eq!(outcome(combinatorics::comb(&n, &k), hex), comb);
                outcome(combinatorics::perm(&n, &k), hex)
            }
            _ => panic!("unknown case {fields:?}"),
        },
    );
}

#[test]
fn estimates_of_what_must_not_be_computed() {
    let huge = BigInt::from(10).pow(8);
    assert!(size::pow_bits(&10.into(), &huge) > 300_000_000);
    assert_eq!(
        size::pow_bits(&10.into(), &BigInt::from(10).pow(30)),
        u64::MAX
    );
    assert_eq!(size::pow_bits(&(-1).into(), &BigInt::from(10).pow(30)), 1);
    assert_eq!(size::pow_bits(&2.into(), &1000.into()), 1001);
    assert_eq!(size::shl_bits(1, u64::MAX), u64::MAX);
    assert_eq!(size::shl_bits(0, u64::MAX), 0);
    assert!(int_text::to_decimal(&(BigInt::from(1) << 100_000_000u32), 0).is_err());
    // Both directions by halves, and back.
    let large = int_ops::pow(&7.into(), 150_001);
    let text = int_text::to_decimal(&-large.clone(), 0).unwrap();
    assert_eq!(BigInt::from(int_text::parse(&text, 10, 0).unwrap()), -large);
    assert_eq!(
        rational::round_int(&huge, &-BigInt::from(10).pow(40)),
        0.into()
    );
}
