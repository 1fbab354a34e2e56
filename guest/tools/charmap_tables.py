"""Writes guest/src/objects/string/charmaps.rs: the encodings in which every byte is a character.

Run with CPython 3.13 or later:

    python guest/tools/charmap_tables.py > guest/src/objects/string/charmaps.rs
"""

import encodings
import encodings.aliases
import pathlib

# ASCII and ISO 8859-1 have code of their own.
OWN = {"ascii", "latin_1"}
tables = {}
for path in sorted(pathlib.Path(encodings.__file__).parent.glob("*.py")):
    name = path.stem
    module = __import__("encodings." + name, fromlist=["*"]) if name not in {"mbcs", "oem", "__init__", "_win_cp_codecs"} else None
    decoding = getattr(module, "decoding_table", None)
    if decoding is None or name in OWN:
        continue
    # A byte without a meaning is U+FFFE, as in Python's own tables.
    chars = [ord(decoding[i]) if i < len(decoding) else 0xFFFE for i in range(256)]
    assert all(c < 0x10000 for c in chars), name
    # Some tables have several bytes for one character; the last one counts when encoding.
    tables[name] = (module.getregentry().name, chars)

names = {}
for alias, name in encodings.aliases.aliases.items():
    if name in tables:
        names[alias] = name
for name in tables:
    names[name] = name

print("//! The encodings in which every byte is a character: names and tables. Made by guest/tools/charmap_tables.py; not edited by hand.\n")
print("#![cfg_attr(rustfmt, rustfmt_skip)]\n")
print("/// Such an encoding.")
print("#[derive(Debug)]")
print("pub struct Charmap {")
print("    /// The name that `codecs.lookup` gives.")
print("    pub name: &'static str,")
print("    /// What the bytes below 0x80 mean, unless it is what they mean in ASCII.")
print("    pub low: Option<&'static [u16; 128]>,")
print("    /// What the others mean; U+FFFE is nothing.")
print("    pub high: &'static [u16; 128],")
print("}\n")
order = sorted(tables)
print("/// Every name, normalized, with the place of its table; sorted.")
print(f"pub static NAMES: [(&str, u8); {len(names)}] = [")
line = "   "
for alias in sorted(names):
    item = f' ("{alias}", {order.index(names[alias])}),'
    if len(line) + len(item) > 150:
        print(line)
        line = "   "
    line += item
print(line)
print("];\n")


def half(chars):
    lines, line = [], "       "
    for c in chars:
        item = f" {c:#x},"
        if len(line) + len(item) > 150:
            lines.append(line)
            line = "       "
        line += item
    lines.append(line)
    return "&[\n" + "\n".join(lines) + "\n    ]"


print("/// The tables.")
print(f"pub static TABLES: [Charmap; {len(order)}] = [")
for name in order:
    public, chars = tables[name]
    low = "None" if chars[:128] == list(range(128)) else f"Some({half(chars[:128])})"
    print(f'    Charmap {{ name: "{public}", low: {low}, high: {half(chars[128:])} }},')
print("];")
