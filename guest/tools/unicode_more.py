"""Writes the tables that only the module `unicodedata` needs: decompositions, what was different in Unicode 3.2, and the named sequences.

Run with the package `unicodedata2` 16.0.0, the folder for the tables and the Unicode file NamedSequences.txt:

    python guest/tools/unicode_more.py guest/src/objects/string/unicode NamedSequences.txt
"""

import sys

import unicodedata2 as ucd

assert ucd.unidata_version == "16.0.0"
OLD = ucd.ucd_3_2_0
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn".split()
BIDI = ["", *"L LRE LRO R AL RLE RLO PDF EN ES ET AN CS NSM BN B S WS ON LRI RLI FSI PDI".split()]
WIDTHS = "N A H W F Na".split()
TAGS = "|<noBreak>|<compat>|<super>|<fraction>|<sub>|<font>|<circle>|<wide>|<vertical>|<square>|<isolated>|<final>|<initial>|<medial>|<small>|<narrow>".split("|")
folder, sequences = sys.argv[1:]


def numbers(out, name, doc, values, kind="u32"):
    print(f"/// {doc}", file=out)
    print(f"pub static {name}: [{kind}; {len(values)}] = [", file=out)
    line = "   "
    for v in values:
        text = f" {v:#x},"
        if len(line) + len(text) > 150:
            print(line, file=out)
            line = "   "
        line += text
    print(line, file=out)
    print("];\n", file=out)


def escaped(text):
    return "".join(f"\\u{{{ord(c):x}}}" for c in text)


with open(f"{folder}/decompositions.rs", "w") as out:
    print("//! Decompositions of Unicode 16. Written by guest/tools/unicode_more.py.\n", file=out)
    keys, ends, text, size = [], [], [], 0
    for c in range(0x110000):
        words = ucd.decomposition(chr(c)).split()
        if words:
            tag = words.pop(0) if words[0][0] == "<" else ""
            mapped = "".join(chr(int(w, 16)) for w in words)
            keys.append(c << 8 | TAGS.index(tag))
            size += len(mapped.encode())
            ends.append(size)
            text.append(mapped)
    assert size < 65536
    print("/// The tags, in the order of their numbers.", file=out)
    print(f"pub static TAGS: [&str; {len(TAGS)}] = {TAGS};\n".replace("'", '"'), file=out)
    numbers(out, "KEYS", "The characters that have one, shifted left by 8, and the number of the tag.", keys)
    numbers(out, "ENDS", "Where the text of each ends.", ends, "u16")
    print("/// The texts.", file=out)
    print("pub static TEXT: &str = \"\\", file=out)
    for i in range(0, len(text), 12):
        print(escaped("".join(text[i:i + 12])) + "\\", file=out)
    print("\";", file=out)

with open(f"{folder}/version_3_2.rs", "w") as out:
    print("//! What was different in Unicode 3.2, for `unicodedata.ucd_3_2_0`. Written by guest/tools/unicode_more.py.\n", file=out)
    there = [OLD.category(chr(c)) != "Cn" for c in range(0x110000)]
    bounds, last = [], False
    for c, t in enumerate(there):
        if t != last:
            bounds.append(c)
            last = t
    numbers(out, "ASSIGNED", "Where the characters that it had begin and end, in turns.", bounds)
    had = [c for c in range(0x110000) if there[c]]

    def changed(name, table):
        return [c << 8 | table.index(getattr(OLD, name)(chr(c))) for c in had if getattr(OLD, name)(chr(c)) != getattr(ucd, name)(chr(c))]

    numbers(out, "CATEGORIES", "Categories that were others.", changed("category", CATEGORIES))
    numbers(out, "BIDI", "Bidirectional classes that were others.", changed("bidirectional", BIDI))
    numbers(out, "WIDTHS", "East Asian widths that were others.", changed("east_asian_width", WIDTHS))
    numbers(out, "MIRRORED", "Characters whose mirroring was another.", [c for c in had if OLD.mirrored(chr(c)) != ucd.mirrored(chr(c))])
    for name in ("decimal", "digit", "numeric"):
        values = [c for c in had if getattr(OLD, name)(chr(c), None) != getattr(ucd, name)(chr(c), None)]
        assert all(getattr(ucd, name)(chr(c), None) is None or getattr(OLD, name)(chr(c), None) is None for c in values), name
        print(name, [(hex(c), getattr(OLD, name)(chr(c), None), getattr(ucd, name)(chr(c), None)) for c in values], file=sys.stderr)
    corrected = [(c, OLD.normalize("NFD", chr(c))) for c in had if OLD.normalize("NFD", chr(c)) != ucd.normalize("NFD", chr(c))]
    print("/// Characters that were decomposed in another way.", file=out)
    print(f"pub static CORRECTED: [(u32, u32); {len(corrected)}] = [", file=out)
    for c, text in corrected:
        assert len(text) == 1
        print(f"    ({c:#x}, {ord(text):#x}),", file=out)
    print("];", file=out)

with open(sequences) as file, open(f"{folder}/sequences.rs", "w") as out:
    found = sorted(line.strip().split(";") for line in file if line.strip() and line[0] != "#")
    print("//! The named sequences of Unicode. Written by guest/tools/unicode_more.py.\n", file=out)
    print("/// Name and text, sorted.", file=out)
    print(f"pub static SEQUENCES: [(&str, &str); {len(found)}] = [", file=out)
    for name, codes in found:
        text = "".join(chr(int(c, 16)) for c in codes.split())
        assert ucd.lookup(name) == text
        print(f'    ("{name}", "{escaped(text)}"),', file=out)
    print("];", file=out)
