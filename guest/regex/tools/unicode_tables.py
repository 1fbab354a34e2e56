"""Writes src/unicode/tables.rs.

Categories and numeric values come from `unicodedata2` 16.0.0 (the Unicode version of Python 3.14); case
mappings from the running Python 3.13 (Unicode 15.1) plus the case pairs that Unicode 16.0 added.

    pip install unicodedata2==16.0.0 && python3.13 tools/unicode_tables.py > src/unicode/tables.rs
"""
import sys
import unicodedata2 as ucd

assert ucd.unidata_version == "16.0.0"
ALL = range(sys.maxunicode + 1)

# UnicodeData.txt 16.0, simple lowercase mappings of the characters new in that version.
NEW_PAIRS = {0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7CC: 0xA7CD, 0xA7DA: 0xA7DB, 0xA7DC: 0x19B}
NEW_PAIRS.update({c: c + 0x20 for c in range(0x10D50, 0x10D66)})


def alnum(c):
    """str.isalnum of one character: a letter, or anything with a numeric value."""
    ch = chr(c)
    return ucd.category(ch) in ("Lu", "Ll", "Lt", "Lm", "Lo") or ucd.numeric(ch, None) is not None


def lower(c):
    return NEW_PAIRS.get(c, ord(chr(c).lower()[0]))


UPPER_OF_NEW = {lo: up for up, lo in NEW_PAIRS.items()}


def upper(c):
    return chr(UPPER_OF_NEW[c]) if c in UPPER_OF_NEW else chr(c).upper()


def ranges(test):
    out, start = [], None
    for c in ALL:
        if test(c):
            if start is None:
                start = c
        elif start is not None:
            out.append((start, c - 1))
            start = None
    if start is not None:
        out.append((start, sys.maxunicode))
    return out


def lower_runs():
    """(first, last, stride, delta): every stride-th character of first..=last maps to itself + delta."""
    out = []
    for c in ALL:
        delta = lower(c) - c
        if not delta:
            continue
        if out:
            first, last, stride, d = out[-1]
            step = c - last
            if d == delta and step in (1, 2) and stride in (0, step):
                out[-1] = (first, c, step, d)
                continue
        out.append((c, c, 0, delta))
    return [(a, b, s or 1, d) for a, b, s, d in out]


def same_upper():
    """Lowercase characters that share their (full) uppercase with another one, like 's' and U+017F."""
    by_upper = {}
    for c in ALL:
        by_upper.setdefault(upper(c), []).append(c)
    groups = []
    for members in by_upper.values():
        lowers = sorted({lower(c) for c in members})
        if len(lowers) > 1:
            groups.append(lowers)
    return sorted(groups)


def table(name, doc, ty, rows):
    print(f"\n/// {doc}")
    print(f"#[rustfmt::skip]\npub static {name}: &[{ty}] = &[")
    line = "   "
    for row in rows:
        if len(line) + len(row) > 110:
            print(line)
            line = "   "
        line += " " + row + ","
    print(line)
    print("];")


def pair(r):
    return f"({r[0]:#x}, {r[1]:#x})"


for c in ALL:
    if ucd.category(chr(c)) != "Cn" and alnum(c) != chr(c).isalnum():
        import unicodedata
        assert unicodedata.category(chr(c)) == "Cn", hex(c)

decimal = ranges(lambda c: ucd.category(chr(c)) == "Nd")
for c in ALL:
    assert (ucd.category(chr(c)) == "Nd") == (ucd.decimal(chr(c), None) is not None)

print("//! Unicode 16.0 tables, written by `tools/unicode_tables.py`. Do not edit.")
table("ALNUM", "Characters for which `str.isalnum` holds, as inclusive ranges.", "(u32, u32)", map(pair, ranges(alnum)))
table("DECIMAL", "General category Nd, as inclusive ranges.", "(u32, u32)", map(pair, decimal))
table("LOWER", "Simple lowercase mappings: (first, last, stride, delta).", "(u32, u32, u32, i32)",
      (f"({a:#x}, {b:#x}, {s}, {d})" for a, b, s, d in lower_runs()))
table("SAME_UPPER", "Lowercase characters with a common uppercase.", "&[u32]",
      ("&[" + ", ".join(f"{c:#x}" for c in g) + "]" for g in same_upper()))
