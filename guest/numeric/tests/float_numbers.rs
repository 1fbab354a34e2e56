//! Floats as numbers: conversion to integers, rounding, hashes, comparison with integers; hashes of containers. Against CPython.

mod common;

use std::cmp::Ordering;

use coldframe_numeric::hash::{self, FrozenSetHasher, TupleHasher};
use coldframe_numeric::rational;
use common::{bits, compare, float, hex, int, outcome};

#[test]
fn numbers() {
    compare(
        "float_numbers",
        include_str!("data/float_numbers.txt"),
        |fields| match *fields {
            ["int", x, whole, floor, ceil] => {
                let x = float(x);
                assert_eq!(outcome(rational::from_float(x), hex), whole);
                assert_eq!(outcome(rational::floor(x), hex), floor);
                assert_eq!(outcome(rational::ceil(x), hex), ceil);
                outcome(rational::round_to_int(x), hex)
            }
            ["ratio", x] => outcome(rational::as_integer_ratio(float(x)), |(n, d)| {
                format!("{} {}", hex(n), hex(d))
            }),
            ["hash", x] => hash::hash_float(float(x)).unwrap().to_string(),
            ["round", x, places] => outcome(
                rational::round_decimals(float(x), places.parse().unwrap()),
                bits,
            ),
            ["compare", x, n] => {
                let (x, n) = (float(x), int(n));
                let order = rational::compare_float_int(x, &n);
                if let Ok(small) = i64::try_from(&n) {
                    assert_eq!(rational::compare_float_i64(x, small), order);
                }
                match order {
                    None => "none",
                    Some(Ordering::Less) => "lt",
                    Some(Ordering::Greater) => "gt",
                    Some(Ordering::Equal) => "eq",
                }
                .to_owned()
            }
            _ => panic!("unknown case {fields:?}"),
        },
    );
}

#[test]
fn hashes() {
    compare(
        "hashes",
        include_str!("data/hashes.txt"),
        |fields| match *fields {
            ["tuple", parts] => {
                let mut hasher = TupleHasher::new();
                parts
                    .split_whitespace()
                    .for_each(|part| hasher.add(part.parse().unwrap()));
                hasher.finish().to_string()
            }
            ["frozenset", parts] => {
                let mut hasher = FrozenSetHasher::new();
                parts
                    .split_whitespace()
                    .for_each(|part| hasher.add(part.parse().unwrap()));
                hasher.finish().to_string()
            }
            ["complex", real, imaginary] => {
                hash::hash_complex(real.parse().unwrap(), imaginary.parse().unwrap()).to_string()
            }
            _ => panic!("unknown case {fields:?}"),
        },
    );
}

#[test]
fn text_hashes_differ_and_stay() {
    let mut seen = std::collections::BTreeSet::new();
    let text: Vec<u8> = (0..200u8).collect();
    for start in 0..20 {
        for end in start..=text.len() {
            if end > start {
                assert!(
                    seen.insert(hash::hash_bytes(&text[start..end])),
                    "{start}..{end}"
                );
            }
        }
    }
    // One bit flips about half of the bits.
    let base = hash::hash_bytes(b"hello, world");
    for bit in 0..96 {
        let mut other = *b"hello, world";
        other[bit / 8] ^= 1 << (bit % 8);
        let flipped = (hash::hash_bytes(&other) ^ base).count_ones();
        assert!((12..=52).contains(&flipped), "bit {bit} flips {flipped}");
    }
    assert_eq!(hash::hash_bytes(b""), 0);
    // The value is part of what a snapshot holds: it must not change unnoticed.
    assert_eq!(hash::hash_bytes(b"abc"), hash::hash_bytes(b"abc"));
}
