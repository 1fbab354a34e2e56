"""Writes guest/src/objects/string/unicode/tables.rs from the Unicode character database.

Run with CPython 3.13 or later and the package `unicodedata2` 16.0.0 (the database of Unicode 16 as a Python module):

    python guest/tools/unicode_tables.py > guest/src/objects/string/unicode/tables.rs
"""

import fractions
import unicodedata2 as ucd

assert ucd.unidata_version == "16.0.0"
ALL = range(0x110000)
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn".split()
BIDI = ["", *"L LRE LRO R AL RLE RLO PDF EN ES ET AN CS NSM BN B S WS ON LRI RLI FSI PDI".split()]
WIDTHS = "N A H W F Na".split()


def runs(values):
    """Packs a property as runs: the first code point shifted left by 8, and the value."""
    out, last = [], None
    for c, v in zip(ALL, values):
        if v != last:
            out.append(c << 8 | v)
            last = v
    return out


def numbers(name, doc, values, kind="u32"):
    print(f"/// {doc}")
    print(f"pub static {name}: [{kind}; {len(values)}] = [")
    line = "   "
    for v in values:
        text = f" {v:#x},"
        if len(line) + len(text) > 150:
            print(line)
            line = "   "
        line += text
    print(line)
    print("];\n")


def escaped(text):
    return "".join(f"\\u{{{ord(c):x}}}" for c in text)


def strings(name, doc, pairs):
    print(f"/// {doc}")
    print(f"pub static {name}: [(u32, &str); {len(pairs)}] = [")
    line = "   "
    for c, text in pairs:
        item = f' ({c:#x}, "{escaped(text)}"),'
        if len(line) + len(item) > 150:
            print(line)
            line = "   "
        line += item
    print(line)
    print("];\n")


def numeric_runs():
    """(first, count, numerator, denominator): consecutive code points whose numerators count up by one."""
    out = []
    for c in ALL:
        v = ucd.numeric(chr(c), None)
        if v is None or ucd.category(chr(c)) == "Nd":
            continue
        f = fractions.Fraction(v).limit_denominator(400)
        n, d = f.numerator, f.denominator
        assert n / d == v, (c, v)
        if out and out[-1][0] + out[-1][1] == c and out[-1][3] == d and out[-1][2] + out[-1][1] == n:
            out[-1][1] += 1
        else:
            out.append([c, 1, n, d])
    return out


print("//! Tables of the Unicode character database, version 16. Made by guest/tools/unicode_tables.py; not edited by hand.\n")
print("#![cfg_attr(rustfmt, rustfmt_skip)]\n")
numbers("CATEGORIES", "General categories: runs of `first << 8 | category`.", runs([CATEGORIES.index(ucd.category(chr(c))) for c in ALL]))
numbers("BIDI", "Bidirectional classes, in the same form.", runs([BIDI.index(ucd.bidirectional(chr(c))) for c in ALL]))
numbers("WIDTHS", "East Asian widths, in the same form.", runs([WIDTHS.index(ucd.east_asian_width(chr(c))) for c in ALL]))
numbers("MIRRORED", "Mirrored in right-to-left text, in the same form.", runs([ucd.mirrored(chr(c)) for c in ALL]))
digits = [(c, ucd.digit(chr(c))) for c in ALL if ucd.digit(chr(c), None) is not None and ucd.category(chr(c)) != "Nd"]
numbers("DIGITS", "Digits that are not decimals (superscripts, circled digits): `code << 8 | value`.", [c << 8 | v for c, v in digits])
table = numeric_runs()
print("/// Numbers other than decimal digits: first code point, how many count up from it, numerator, denominator.")
print(f"pub static NUMERIC: [(u32, u32, i64, i64); {len(table)}] = [")
line = "   "
for first, count, n, d in table:
    item = f" ({first:#x}, {count}, {n}, {d}),"
    if len(line) + len(item) > 150:
        print(line)
        line = "   "
    line += item
print(line)
print("];\n")
ok = [c for c in ALL if not 0xD800 <= c < 0xE000]
strings("TITLE", "Title case where it is not upper case.", [(c, chr(c).title()) for c in ok if chr(c).title() != chr(c).upper()])
strings("FOLD", "Case folding where it is not lower case.", [(c, chr(c).casefold()) for c in ok if chr(c).casefold() != chr(c).lower()])
