//! Literals and expressions by type. An expression may raise; it ends soon and makes nothing large.

use crate::random::Random;

/// What an expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Float,
    Bool,
    Complex,
    Str,
    Bytes,
    List,
    Tuple,
    Dict,
    Set,
    Range,
    Any,
}

use Kind::*;

const KINDS: &[Kind] = &[
    Int, Float, Bool, Complex, Str, Bytes, List, Tuple, Dict, Set, Range,
];

/// A kind other than any.
pub(crate) fn kind(random: &mut Random) -> Kind {
    KINDS[random.below(KINDS.len())]
}

/// Integers that fit where a length or a count is meant.
pub(crate) fn small(random: &mut Random) -> String {
    random
        .pick(&[
            "0", "1", "2", "3", "-1", "-2", "-3", "4", "5", "7", "10", "True", "Ix(2)", "Ix(-1)",
            "Sub(3)", "-7", "13",
        ])
        .to_owned()
}

/// Integers that fit where an index is meant, also those that no index reaches.
pub(crate) fn index(random: &mut Random) -> String {
    if random.chance(70) {
        return small(random);
    }
    random
        .pick(&[
            "100",
            "-100",
            "2**31",
            "-2**31",
            "2**63 - 1",
            "-2**63",
            "2**63",
            "2**64",
            "-2**65",
            "None",
            "Ix(2**70)",
            "Ix(-9)",
        ])
        .to_owned()
}

fn int(random: &mut Random) -> String {
    match random.below(4) {
        0 | 1 => small(random),
        2 => random
            .pick(&[
                "255",
                "256",
                "-128",
                "1000",
                "65535",
                "2**40",
                "-2**40 - 1",
                "2**49",
                "2**50 - 1",
                "-2**50",
                "2**53 + 1",
                "2**62",
                "2**63",
                "-2**63",
                "2**64",
                "-2**64 + 1",
                "10**18",
                "10**19",
                "10**30",
                "-10**30",
                "0xFF",
                "0o17",
                "0b101",
                "1_000",
                "Sub(5)",
                "False",
            ])
            .to_owned(),
        _ => (random.draw() as i64 >> random.below(64)).to_string(),
    }
}

fn float(random: &mut Random) -> String {
    match random.below(3) {
        0 => random
            .pick(&[
                "0.0",
                "-0.0",
                "1.0",
                "-1.5",
                "0.1",
                "0.5",
                "2.5",
                "1e16",
                "1e15",
                "1e-5",
                "1e-4",
                "1.5e300",
                "5e-324",
                "1e308",
                "123456789.125",
                "-2.0",
                "3.14159",
                "float('inf')",
                "float('-inf')",
                "float('nan')",
                "1e22",
                "1e23",
                "0.30000000000000004",
                "9007199254740993.0",
                "-1e-7",
            ])
            .to_owned(),
        1 => format!("{}.{}", random.below(1000), random.below(100_000)),
        _ => {
            let value =
                f64::from_bits(random.draw() & 0xBFFF_FFFF_FFFF_FFFF | 0x3000_0000_0000_0000);
            if value.is_finite() && value.abs() < 1e30 {
                format!("{value:?}")
            } else {
                "7.25".to_owned()
            }
        }
    }
}

/// A literal string.
pub(crate) fn string(random: &mut Random) -> String {
    random
        .pick(&[
            "''",
            "'a'",
            "'abc'",
            "'Hello, World'",
            "'  a b  '",
            "'aXbXc'",
            "'äöü'",
            "'ß'",
            "'ǆ'",
            "'日本'",
            "'🎉x'",
            "'\\n\\t\\r'",
            "'\\x00'",
            "'a\\nb\\r\\nc'",
            "'123'",
            "'-4.5e3'",
            "'0x1f'",
            "'TRUE'",
            "'x=1;y=2'",
            "'%s %d'",
            "'{} {0}'",
            "'{a[0]}'",
            "'\\ud800'",
            "'İ'",
            "'ﬁ'",
            "'a\\u0301'",
            "'\\x85x\\u2028y'",
            "'²'",
            "'٣'",
            "'aaa'",
            "'abcabcabc'",
            "'_id9'",
            "'class'",
            "'tItLe cAsE'",
            "\"it's\"",
            "'\"'",
            "'\\'\"'",
            "'\\\\'",
            "'\\x7f\\xa0\\xad'",
            "'.'",
            "','",
            "' '",
            "'b'",
            "'c'",
            "'bc'",
            "SubS('sub')",
            "'a' * 20",
            "'σΣ'",
            "'Ω'",
            "'\\x1c'",
            "'+1'",
            "'1_0'",
        ])
        .to_owned()
}

fn bytes(random: &mut Random) -> String {
    random
        .pick(&[
            "b''",
            "b'a'",
            "b'abc'",
            "b'\\x00\\xff'",
            "b'Hello World'",
            "b'a,b,c'",
            "bytearray(b'xyz')",
            "bytearray()",
            "memoryview(b'mem')",
            "b'  x '",
            "b'1234'",
            "b'\\n\\t'",
            "b'aXb'",
            "b'\\'\"'",
            "bytes(5)",
            "bytearray(b'a,b')",
            "b'abcabc'",
            "b'b'",
            "b','",
            "b'\\x80'",
            "bytes(range(6))",
            "memoryview(bytearray(b'12345'))[1:4]",
        ])
        .to_owned()
}

/// Things that nobody expects as an argument; none is a large number.
pub(crate) fn odd(random: &mut Random) -> String {
    random
        .pick(&[
            "None",
            "1.5",
            "'q'",
            "b'q'",
            "[]",
            "[1, 2]",
            "{}",
            "{1: 2}",
            "()",
            "(1, 'a')",
            "object",
            "int",
            "len",
            "Ob(x=1)",
            "...",
            "NotImplemented",
            "1j",
            "{1}",
            "Ix(1)",
            "It(1, 2)",
            "-1",
            "3",
            "range(3)",
            "frozenset((1,))",
            "True",
            "str",
            "Sub(2)",
            "SubS('z')",
            "SubL([1])",
            "(lambda *a: 1)",
            "slice(1)",
            "bytearray(b'w')",
            "memoryview(b'v')",
            "float('nan')",
            "iter([1])",
            "'abc'",
            "{'a': 1}",
            "print",
            "type",
            "ValueError('v')",
            "ValueError",
        ])
        .to_owned()
}

fn elements(random: &mut Random, depth: usize, most: usize) -> Vec<String> {
    let of = if random.chance(60) { kind(random) } else { Any };
    (0..random.below(most + 1))
        .map(|_| expression(random, of, depth.saturating_sub(1)))
        .collect()
}

fn hashable(random: &mut Random) -> String {
    match random.below(4) {
        0 | 1 => small_plain(random),
        2 => string(random),
        _ => random
            .pick(&["None", "(1, 2)", "True", "1.0", "b'k'", "()", "-1", "2.5"])
            .to_owned(),
    }
}

fn small_plain(random: &mut Random) -> String {
    random.below(9).to_string()
}

/// A literal of a kind.
pub(crate) fn literal(random: &mut Random, kind: Kind, depth: usize) -> String {
    match kind {
        Int => int(random),
        Float => float(random),
        Bool => random.pick(&["True", "False"]).to_owned(),
        Complex => random
            .pick(&[
                "1j",
                "0j",
                "(1+2j)",
                "(-0.5-1j)",
                "complex(0, float('inf'))",
                "complex(-0.0, 1)",
                "(3+0j)",
            ])
            .to_owned(),
        Str => string(random),
        Bytes => bytes(random),
        List => match random.below(6) {
            0 => format!("list({})", iterable(random, depth)),
            1 => comprehension(random, depth, "[", "]"),
            _ => format!("[{}]", elements(random, depth, 5).join(", ")),
        },
        Tuple => {
            let items = elements(random, depth, 4);
            match items.len() {
                1 => format!("({},)", items[0]),
                _ => format!("({})", items.join(", ")),
            }
        }
        Dict => match random.below(6) {
            0 => {
                let inner = comprehension(random, depth, "", "");
                format!("{{str(x)[:20]: {inner}}}")
            }
            _ => {
                let items: Vec<String> = (0..random.below(5))
                    .map(|_| {
                        let of = super::values::kind(random);
                        format!(
                            "{}: {}",
                            hashable(random),
                            expression(random, of, depth.saturating_sub(1))
                        )
                    })
                    .collect();
                format!("{{{}}}", items.join(", "))
            }
        },
        Set => {
            // Of small integers alone: the order of others depends on hashes.
            let items: Vec<String> = (0..random.below(6))
                .map(|_| random.below(40).to_string())
                .collect();
            match (random.below(3), items.is_empty()) {
                (_, true) => "set()".to_owned(),
                (0, _) => format!("frozenset([{}])", items.join(", ")),
                _ => format!("{{{}}}", items.join(", ")),
            }
        }
        Range => match random.below(3) {
            0 => format!("range({})", small(random)),
            1 => format!("range({}, {})", small(random), small(random)),
            _ => format!(
                "range({}, {}, {})",
                small(random),
                small(random),
                small(random)
            ),
        },
        Any => odd(random),
    }
}

/// Something to iterate over.
pub(crate) fn iterable(random: &mut Random, depth: usize) -> String {
    match random.below(12) {
        0 => literal(random, List, depth),
        1 => literal(random, Tuple, depth),
        2 => literal(random, Range, depth),
        3 => string(random),
        4 => literal(random, Dict, depth),
        5 => bytes(random),
        6 => format!(
            "enumerate({}, {})",
            literal(random, List, depth),
            small(random)
        ),
        7 => format!("zip({}, {})", literal(random, List, depth), string(random)),
        8 => format!("reversed({})", literal(random, List, depth)),
        9 => format!("It({}, {})", small(random), small(random)),
        10 => format!("map(lambda x: x, {})", literal(random, List, depth)),
        _ => literal(random, Set, depth),
    }
}

fn comprehension(random: &mut Random, depth: usize, open: &str, close: &str) -> String {
    // A walrus may not stand in what a comprehension iterates over.
    let source = if depth == 0 {
        "range(4)".to_owned()
    } else {
        iterable(random, 0)
    };
    let mut value = random.pick(&[
        "x",
        "(x, 1)",
        "[x]",
        "x and 1",
        "type(x).__name__",
        "(y := x)",
        "x if x else None",
        "f'{x!s:>5}'",
        "not x",
        "x == x",
    ]);
    let mut condition = random.pick(&[
        "",
        "",
        "",
        " if x",
        " if not x",
        " for z in (1, 2)",
        " if (w := x)",
        " for x in [x, x]",
    ]);
    if depth == 0 {
        (value, condition) = ("x", "");
    }
    format!("{open}{value} for x in {source}{condition}{close}")
}

/// An expression that should give this kind, and does not always.
pub(crate) fn expression(random: &mut Random, kind: Kind, depth: usize) -> String {
    if depth == 0 || random.chance(35) {
        let kind = if kind == Any {
            super::values::kind(random)
        } else {
            kind
        };
        return literal(random, kind, depth);
    }
    let d = depth - 1;
    let kind = if random.chance(6) {
        super::values::kind(random)
    } else {
        kind
    };
    let e = |random: &mut Random, kind| expression(random, kind, d);
    match random.below(14) {
        0 => format!(
            "({} if {} else {})",
            e(random, kind),
            e(random, Any),
            e(random, kind)
        ),
        1 => format!(
            "({} {} {})",
            e(random, kind),
            random.pick(&["and", "or"]),
            e(random, kind)
        ),
        2 => format!(
            "(lambda x, y={}: {})({})",
            e(random, kind),
            random.pick(&["x", "y", "x or y"]),
            e(random, kind)
        ),
        3 => format!(
            "[{}, {}][{}]",
            e(random, kind),
            e(random, kind),
            random.pick(&["0", "1", "-1", "True", "2"])
        ),
        4 => format!("(v := {})", e(random, kind)),
        _ => operation(random, kind, d),
    }
}

fn operation(random: &mut Random, kind: Kind, d: usize) -> String {
    let e = |random: &mut Random, kind| expression(random, kind, d);
    match kind {
        Int => match random.below(11) {
            0 | 1 => format!(
                "({} {} {})",
                e(random, Int),
                random.pick(&["+", "-", "//", "%", "&", "|", "^"]),
                e(random, Int)
            ),
            2 => format!("({} * {})", int(random), int(random)),
            3 => format!(
                "({} {} {})",
                e(random, Int),
                random.pick(&["<<", ">>", "**"]),
                random.pick(&["0", "1", "3", "7", "-1", "62", "True", "2.0"])
            ),
            4 => format!("({}{})", random.pick(&["-", "+", "~"]), e(random, Int)),
            5 => format!("len({})", e(random, Any)),
            6 => format!(
                "int({})",
                if random.chance(50) {
                    e(random, Float)
                } else {
                    e(random, Str)
                }
            ),
            7 => format!("abs({})", e(random, Int)),
            8 => format!(
                "{}({}, {})",
                random.pick(&["divmod", "pow", "min", "max"]),
                small(random),
                small(random)
            ),
            9 => format!("round({}, {})", e(random, Int), small(random)),
            _ => format!("sum({})", e(random, List)),
        },
        Float => match random.below(6) {
            0..=2 => {
                let right = if random.chance(50) { Int } else { Float };
                format!(
                    "({} {} {})",
                    e(random, Float),
                    random.pick(&["+", "-", "*", "/", "//", "%"]),
                    e(random, right)
                )
            }
            3 => format!(
                "({} ** {})",
                e(random, Float),
                random.pick(&["2", "0.5", "-1", "0", "3.0", "1j"])
            ),
            4 => format!("round({}, {})", e(random, Float), small(random)),
            _ => format!("float({})", e(random, Any)),
        },
        Bool => match random.below(7) {
            0 | 1 => {
                let of = super::values::kind(random);
                format!(
                    "({} {} {})",
                    e(random, of),
                    random.pick(&["==", "!=", "<", "<=", ">", ">="]),
                    e(random, of)
                )
            }
            2 => format!(
                "({} {} {})",
                e(random, Any),
                random.pick(&["in", "not in", "==", "<", "is"]),
                e(random, Any)
            ),
            3 => format!("(not {})", e(random, Any)),
            4 => format!(
                "({} < {} <= {})",
                e(random, Int),
                e(random, Float),
                e(random, Int)
            ),
            5 => format!(
                "isinstance({}, {})",
                e(random, Any),
                random.pick(&[
                    "int",
                    "(str, list)",
                    "int | None",
                    "object",
                    "5",
                    "(int, (float, 3))"
                ])
            ),
            _ => format!(
                "{}({})",
                random.pick(&["bool", "any", "all", "callable"]),
                e(random, Any)
            ),
        },
        Complex => format!(
            "({} {} {})",
            e(random, Complex),
            random.pick(&["+", "-", "*", "/", "**"]),
            e(random, if d.is_multiple_of(2) { Complex } else { Float })
        ),
        Str => match random.below(8) {
            0 | 1 => format!("({} + {})", e(random, Str), e(random, Str)),
            2 => format!("({} * {})", e(random, Str), small(random)),
            3 => format!("{}[{}]", e(random, Str), subscript(random)),
            4 => fstring(random, d),
            5 => format!("({} % {})", percent_format(random), e(random, Any)),
            6 => format!(
                "{}({})",
                random.pick(&["str", "repr", "ascii", "bin", "hex", "oct", "chr"]),
                e(random, Any)
            ),
            _ => format!("format({}, {})", e(random, Any), spec_literal(random)),
        },
        Bytes => match random.below(4) {
            0 => format!("({} + {})", e(random, Bytes), e(random, Bytes)),
            1 => format!("({} * {})", e(random, Bytes), small(random)),
            2 => format!("{}[{}]", e(random, Bytes), subscript(random)),
            _ => format!(
                "{}({})",
                random.pick(&["bytes", "bytearray"]),
                if random.chance(50) {
                    e(random, List)
                } else {
                    e(random, Bytes)
                }
            ),
        },
        List => match random.below(7) {
            0 => format!("({} + {})", e(random, List), e(random, List)),
            1 => format!("({} * {})", e(random, List), small(random)),
            2 => format!("{}[{}]", e(random, List), subscript(random)),
            3 => format!(
                "sorted({}{})",
                iterable(random, d),
                random.pick(&[
                    "",
                    ", reverse=True",
                    ", key=str",
                    ", key=len",
                    ", key=lambda x: -x"
                ])
            ),
            4 => format!("[*{}, *{}]", iterable(random, d), e(random, List)),
            5 => comprehension(random, d, "[", "]"),
            _ => format!("list({})", iterable(random, d)),
        },
        Tuple => match random.below(4) {
            0 => format!("({} + {})", e(random, Tuple), e(random, Tuple)),
            1 => format!("({} * {})", e(random, Tuple), small(random)),
            2 => format!("{}[{}]", e(random, Tuple), subscript(random)),
            _ => format!("tuple({})", iterable(random, d)),
        },
        Dict => match random.below(5) {
            0 => format!("({} | {})", e(random, Dict), e(random, Dict)),
            1 => format!("{{**{}, **{}}}", e(random, Dict), e(random, Dict)),
            2 => format!("dict({})", e(random, Any)),
            3 => format!("dict.fromkeys({}, {})", e(random, Range), small(random)),
            _ => format!("{}[{}]", e(random, Dict), hashable(random)),
        },
        Set => match random.below(3) {
            0 | 1 => format!(
                "({} {} {})",
                e(random, Set),
                random.pick(&["|", "&", "-", "^"]),
                e(random, Set)
            ),
            _ => format!("set({})", e(random, Range)),
        },
        Range => format!("{}[{}]", e(random, Range), subscript(random)),
        Any => {
            let of = super::values::kind(random);
            match random.below(3) {
                0 => format!(
                    "({} {} {})",
                    e(random, of),
                    random.pick(&["+", "-", "/", "//", "%", "&", "|", "^", "@", "<", "=="]),
                    e(random, Any)
                ),
                1 => format!("{}[{}]", e(random, of), subscript(random)),
                _ => e(random, of),
            }
        }
    }
}

/// What stands between the brackets of a subscript.
pub(crate) fn subscript(random: &mut Random) -> String {
    match random.below(8) {
        0..=2 => index(random),
        3 => format!("{}:{}", index(random), index(random)),
        4 => format!("{}:{}:{}", index(random), index(random), index(random)),
        5 => random
            .pick(&[":", "::-1", "1:", ":-1", "::2", "::0", "-3:", ":2:-1"])
            .to_owned(),
        6 => format!("{}:", small(random)),
        _ => random
            .pick(&[
                "'a'",
                "1.0",
                "None",
                "(1, 2)",
                "...",
                "slice(1, 2)",
                "slice(None, None, -1)",
                "slice('a')",
                "[]",
                "1:2, 3",
            ])
            .to_owned(),
    }
}

/// The part of a format after the colon.
pub(crate) fn spec(random: &mut Random) -> String {
    if random.chance(10) {
        return random
            .pick(&[
                "x<>5",
                "  ^8",
                "05s",
                "=+10",
                ">>5",
                "10.3.2",
                ",_",
                "_,d",
                "#",
                "zd",
                "a",
                "10q",
                "%Y",
                ".f",
                "-",
                "é^7",
                ".-1f",
                "5c",
                "+s",
                ",s",
                "z.2f",
                "99999999999999999999d",
                "0=5s",
                "^05",
            ])
            .to_owned();
    }
    let mut text = String::new();
    if random.chance(30) {
        if random.chance(50) {
            text.push_str(random.pick(&["*", " ", "0", "x", "é"]));
        }
        text.push_str(random.pick(&["<", ">", "^", "="]));
    }
    if random.chance(20) {
        text.push_str(random.pick(&["+", "-", " "]));
    }
    if random.chance(8) {
        text.push('z');
    }
    if random.chance(12) {
        text.push('#');
    }
    if random.chance(15) {
        text.push('0');
    }
    if random.chance(60) {
        text.push_str(&random.below(25).to_string());
    }
    if random.chance(15) {
        text.push_str(random.pick(&[",", "_"]));
    }
    if random.chance(35) {
        text.push_str(&format!(".{}", random.below(12)));
    }
    if random.chance(65) {
        text.push_str(random.pick(&[
            "d", "b", "o", "x", "X", "n", "c", "e", "E", "f", "F", "g", "G", "%", "s",
        ]));
    }
    text
}

/// The same as a literal.
pub(crate) fn spec_literal(random: &mut Random) -> String {
    format!("'{}'", spec(random))
}

/// A literal for `%`.
pub(crate) fn percent_format(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.between(1, 2) {
        text.push_str(random.pick(&["", "a ", "[", "%%"]));
        text.push('%');
        if random.chance(10) {
            text.push_str("(a)");
        }
        for flag in ["#", "0", "-", " ", "+"] {
            if random.chance(12) {
                text.push_str(flag);
            }
        }
        if random.chance(40) {
            text.push_str(random.pick(&["5", "12", "1", "*", "0"]));
        }
        if random.chance(30) {
            text.push_str(random.pick(&[".2", ".0", ".", ".10", ".*"]));
        }
        text.push_str(random.pick(&[
            "d", "i", "u", "s", "r", "a", "x", "X", "o", "e", "f", "g", "G", "c", "F", "E", "b",
            "y", "%",
        ]));
    }
    format!("'{text}'")
}

/// A formatted string literal.
pub(crate) fn fstring(random: &mut Random, depth: usize) -> String {
    let mut text = String::from("f\"");
    for _ in 0..random.between(1, 3) {
        text.push_str(random.pick(&["", "a", "{{", "}}", " ", "é", "\\n"]));
        let of = kind(random);
        // A brace that begins a set or dictionary must not double the field's.
        let value = expression(random, of, depth.min(1));
        text.push_str("{ ");
        text.push_str(&value);
        text.push(' ');
        if random.chance(10) {
            // Not with an escape, which 3.13 shows decoded.
            if !value.contains('\\') {
                text.push_str("= ");
            }
        }
        if random.chance(30) {
            text.push_str(random.pick(&["!r", "!s", "!a"]));
        }
        if random.chance(50) {
            text.push(':');
            if random.chance(25) {
                text.push_str("{'>'}{8}");
            } else {
                text.push_str(&spec(random));
            }
        }
        text.push('}');
    }
    text.push('"');
    text
}
