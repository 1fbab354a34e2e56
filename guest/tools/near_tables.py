"""Makes guest/src/objects/string/unicode/near.rs: properties and case of the characters up to U+05FF, which most text that is not ASCII consists of.

Any CPython from 3.13 on gives the same. A test compares the tables with the general functions.
"""

import pathlib
import unicodedata

FIRST, END = 0x80, 0x600
SPECIAL = 0

# What version 16 has changed, for a CPython that has an older one.
UPPER_16 = {0x19B: 0xA7DC, 0x264: 0xA7CB}


def one(c, mapped):
    """The one character that `c` becomes below U+FFFF, or SPECIAL."""
    return ord(mapped) if len(mapped) == 1 and ord(mapped) < 0x10000 else SPECIAL


def flags(c):
    ch = chr(c)
    category = unicodedata.category(ch)
    titled = ch.title() if category != "Lt" else ch
    own_title = titled != ch.upper() and c not in UPPER_16
    return (
        ch.isalpha()
        | ch.isalnum() << 1
        | ch.isprintable() << 2
        | ch.islower() << 3
        | (ch.isupper()) << 4
        | (category == "Lt") << 5
        | own_title << 6
        | (ch.casefold() != ch.lower()) << 7
    )


def table(name, kind, what, values):
    rows = []
    for at in range(0, len(values), 16):
        rows.append("    " + ", ".join(f"{v:#x}" for v in values[at : at + 16]) + ",\n")
    return f"\n/// {what}\npub static {name}: [{kind}; {len(values)}] = [\n" + "".join(rows) + "];\n"


chars = range(FIRST, END)
text = """//! Properties and case of characters from U+0080 to U+05FF. Made by guest/tools/near_tables.py; not edited by hand.

#![cfg_attr(rustfmt, rustfmt_skip)]

/// The first character of the tables.
pub const FIRST: u32 = 0x80;
"""
text += table("FLAGS", "u8", "What a character is: see the constants of the parent module.", [flags(c) for c in chars])
text += table("LOWER", "u16", "The character in lower case; 0 where that is not one character.", [one(c, chr(c).lower()) for c in chars])
text += table("UPPER", "u16", "The character in upper case; 0 where that is not one character.", [UPPER_16.get(c) or one(c, chr(c).upper()) for c in chars])
path = pathlib.Path(__file__).parent.parent / "src/objects/string/unicode/near.rs"
path.write_text(text)
