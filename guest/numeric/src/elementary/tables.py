"""Writes tables.rs: run `python3 guest/numeric/src/elementary/tables.py` after a change here, then `cargo fmt`.

Everything is computed in decimal with 60 digits more than needed and split into a double and the double nearest to the rest.
"""

import struct
from decimal import Decimal as D, getcontext
from pathlib import Path

getcontext().prec = 120


def pi():
    # Machin's formula.
    def arctan_inverse(n):
        total = term = D(1) / n
        k, sign = 1, -1
        while abs(term) > D(10) ** -118:
            term /= n * n
            k += 2
            total += sign * term / k
            sign = -sign
        return total

    return 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


def sin_cos(x):
    def series(term, n):
        total = D(0)
        while abs(term) > D(10) ** -115:
            total += term
            term *= -x * x / ((n + 1) * (n + 2))
            n += 2
        return total

    return series(x, 1), series(D(1), 0)


def arctan(x):
    # Halve the argument a few times, then the series.
    halvings = 0
    while abs(x) > D("0.05"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    total, term, n = D(0), x, 1
    while abs(term) > D(10) ** -116:
        total += term / n
        term *= -x * x
        n += 2
    return total * 2**halvings


def bits(x):
    return "0x%016x" % struct.unpack("<Q", struct.pack("<d", x))[0]


def pair(x):
    hi = float(x)
    lo = float(x - D(hi))
    return f"dd({bits(hi)}, {bits(lo)})"


def short(x, keep):
    """x rounded to `keep` bits."""
    n, d = float(x).as_integer_ratio()
    shift = keep - (n.bit_length() - d.bit_length())
    return D(round(x * 2**shift)) / D(2) ** shift


def parts(x, *keeps):
    result = []
    for keep in keeps:
        part = short(x, keep)
        result.append(part)
        x -= part
    return result + [D(float(x))]


PI = pi()
LN2 = D(2).ln()
out = []


def table(doc, name, rows, kind="Dd"):
    out.append(f"/// {doc}\npub(super) const {name}: [{kind}; {len(rows)}] = [\n    " + ",\n    ".join(rows) + ",\n];\n")


def constants(doc, name, values):
    out.append(f"/// {doc}\npub(super) const {name}: [f64; {len(values)}] = [" + ", ".join(f"f64::from_bits({bits(float(v))})" for v in values) + "];\n")


def constant(doc, name, value):
    out.append(f"/// {doc}\npub(super) const {name}: Dd = {pair(value)};\n")


table("2**(i/128)", "EXP2", [pair(D(2) ** (D(i) / 128)) for i in range(128)])
constants("ln(2)/128 in parts: the first two with 35 bits, so that their products with 18 bits are exact.", "LN2_128", parts(LN2 / 128, 34, 34))
logs = []
for j in range(128):
    middle = 1 + (D(j) + D("0.5")) / 128
    c = D(1) if j == 0 else D("0.5") if j == 127 else D(round(1 / middle * 1024)) / 1024
    # From the square root of 2 on, the exponent counts one more.
    value = -c.ln() - (LN2 if j >= 53 else 0)
    logs.append((c, value))
table("1/c and -ln(c), c near the middle of the interval of significands 1+j/128..1+(j+1)/128 (less ln(2) from j = 53 on).", "LOG",
      [f"({float(c)!r}, {pair(v)})" for c, v in logs], "(f64, Dd)")
constants("ln(2) in parts: the first with 40 bits.", "LN2_PARTS", parts(LN2, 40, 40))
constant("ln(2)", "LN2", LN2)
constant("1/ln(2)", "INV_LN2", 1 / LN2)
constant("1/3", "THIRD", D(1) / 3)
constant("pi", "PI", PI)
constant("pi/2", "PI_2", PI / 2)
constants("pi/2 in parts: the first three with 33 bits.", "PI_2_PARTS", parts(PI / 2, 32, 32, 32))
table("sin(i/64) and cos(i/64)", "SIN_COS", ["({}, {})".format(*map(pair, sin_cos(D(i) / 64))) for i in range(52)], "(Dd, Dd)")
table("arctan(i/64)", "ATAN", [pair(arctan(D(i) / 64)) for i in range(65)])

# 2/pi as a binary fraction, by long division on integers; pi from the same formula.
BITS = 1400


def arctan_inverse_fixed(n):
    total = term = (1 << BITS) // n
    k, sign = 1, -1
    while term:
        term //= n * n
        k += 2
        total += sign * (term // k)
        sign = -sign
    return total


pi_fixed = 4 * (4 * arctan_inverse_fixed(5) - arctan_inverse_fixed(239))
two_over_pi = (2 << (2 * BITS)) // pi_fixed
limbs = [(two_over_pi >> (BITS - 64 * (i + 1))) & (2**64 - 1) for i in range(21)]
table("The bits of 2/pi after the binary point, 64 at a time.", "TWO_OVER_PI", ["0x%016x" % limb for limb in limbs], "u64")

header = """//! Constants for the elementary functions; written by `tables.py`.
#![allow(clippy::unreadable_literal)]

use super::dd::Dd;

const fn dd(hi: u64, lo: u64) -> Dd {
    Dd { hi: f64::from_bits(hi), lo: f64::from_bits(lo) }
}

"""
Path(__file__).with_name("tables.rs").write_text(header + "\n".join(out))
