//! Calls of built-in methods and functions, with arguments that fit and with odd ones.

use super::Writer;
use super::values::{self, Kind};
use crate::random::Random;

/// Receiver, name and arguments of methods. An argument is a letter (see [`argument`]); those after `?` may be left out.
const METHODS: &[(Kind, &str)] = &[
    (
        Kind::Str,
        "capitalize casefold swapcase title upper lower isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper",
    ),
    (
        Kind::Str,
        "center:n?c ljust:n?c rjust:n?c zfill:n count:s?ii find:s?ii rfind:s?ii index:s?ii rindex:s?ii startswith:x?ii endswith:x?ii expandtabs:?n",
    ),
    (
        Kind::Str,
        "split:?sn rsplit:?sn splitlines:?n partition:s rpartition:s strip:?s lstrip:?s rstrip:?s removeprefix:s removesuffix:s join:l join:p replace:ss?n translate:m",
    ),
    (
        Kind::Str,
        "encode:?eh format:aa format_map:d __len__ __contains__:s __getitem__:i __mul__:n __mod__:a __add__:s __eq__:a __lt__:a __iter__ __format__:f isidentifier",
    ),
    (
        Kind::Bytes,
        "capitalize swapcase title upper lower isalnum isalpha isascii isdigit islower isspace istitle isupper hex:?cn",
    ),
    (
        Kind::Bytes,
        "center:n?C ljust:n?C rjust:n?C zfill:n count:b?ii find:b?ii rfind:b?ii index:b?ii rindex:b?ii startswith:b?ii endswith:b?ii expandtabs:?n",
    ),
    (
        Kind::Bytes,
        "split:?bn rsplit:?bn splitlines:?n partition:b rpartition:b strip:?b lstrip:?b rstrip:?b removeprefix:b removesuffix:b join:q replace:bb?n translate:B decode:?eh",
    ),
    (
        Kind::Bytes,
        "append:n extend:b insert:in pop:?i remove:n reverse clear copy tobytes tolist cast:c __contains__:b __getitem__:i __mul__:n __mod__:a __add__:b __eq__:a release toreadonly",
    ),
    (
        Kind::List,
        "append:a clear copy count:a extend:p index:a?ii insert:ia pop:?i remove:a reverse sort __add__:l __mul__:n __contains__:a __getitem__:i __delitem__:i __setitem__:ia __eq__:l __lt__:l __iadd__:p __imul__:n __reversed__ __init__:p",
    ),
    (
        Kind::Tuple,
        "count:a index:a?ii __add__:u __mul__:n __contains__:a __getitem__:i __eq__:u __lt__:u __getnewargs__ __len__",
    ),
    (
        Kind::Dict,
        "clear copy get:k?a items keys values pop:k?a popitem setdefault:k?a update:d __or__:d __ior__:d __contains__:k __getitem__:k __delitem__:k __eq__:d __reversed__ __len__ fromkeys:p?a",
    ),
    (
        Kind::Set,
        "copy difference:t intersection:t union:t symmetric_difference:t isdisjoint:t issubset:t issuperset:t __and__:t __or__:t __sub__:t __xor__:t __eq__:t __le__:t __contains__:k __len__ add:k discard:k remove:k clear update:t intersection_update:t difference_update:t symmetric_difference_update:t",
    ),
    (
        Kind::Int,
        "bit_length bit_count conjugate as_integer_ratio is_integer to_bytes:?no __add__:I __radd__:I __floordiv__:I __mod__:I __pow__:n __round__:?n __eq__:a __lt__:a __index__ __float__ __int__ __abs__ __neg__ __bool__ __format__:f __divmod__:I __rpow__:n __and__:I __truediv__:I __trunc__ __ceil__",
    ),
    (
        Kind::Float,
        "as_integer_ratio hex is_integer conjugate __add__:I __floordiv__:F __mod__:F __pow__:n __round__:?n __eq__:a __lt__:a __int__ __trunc__ __floor__ __ceil__ __format__:f __divmod__:F __rtruediv__:F __hash__",
    ),
    (
        Kind::Complex,
        "conjugate __add__:F __mul__:F __eq__:a __lt__:a __abs__ __bool__ __format__:f __complex__",
    ),
    (
        Kind::Range,
        "count:a index:a __len__ __contains__:a __getitem__:i __eq__:r __reversed__ __hash__ __iter__ __bool__",
    ),
    (
        Kind::Bool,
        "__and__:a __or__:a __xor__:a __add__:I conjugate to_bytes __invert__ __repr__ __format__:f",
    ),
];

/// Functions and class methods.
const FUNCTIONS: &str = "abs:F all:p any:p ascii:a bin:I bool:a bytearray:b bytes:p bytes:seh callable:a chr:n complex:FF complex:s dict:d divmod:FF enumerate:p?n filter:gp float:s float:F \
    format:a?f frozenset:t getattr:as?a hasattr:as hex:I int:s?n int:F isinstance:aa issubclass:aa iter:p?a len:a list:p map:gp map:gpp max:p max:II min:p min:II next:a?a oct:I ord:s pow:II?n pow:FF \
    range:n?nn repr:a reversed:l round:F?n set:t slice:i?ii sorted:p str:?a str:beh sum:p?a tuple:p type:a vars:a zip:pp zip:ppp int.from_bytes:b?o float.fromhex:s bytes.fromhex:s dict.fromkeys:p?a str.maketrans:d str.maketrans:ss?s \
    bytes.maketrans:bb memoryview:b super:aa setattr:osa delattr:os property:a staticmethod:g classmethod:g object:?a eval:s print:a input:? id:? dir:? sum:u min:? max:? sorted:? slice:? int.__new__:? str.join:sl list.append:la dict.get:dk";

fn argument(random: &mut Random, letter: char) -> String {
    // A wrong one now and then; huge numbers only where a number is meant that may be huge.
    if random.chance(12) {
        return values::odd(random);
    }
    let literal = |random: &mut Random, kind| values::literal(random, kind, 1);
    match letter {
        'n' => values::small(random),
        'i' => values::index(random),
        'c' => random
            .pick(&["'*'", "' '", "'é'", "'🎉'", "'ab'", "''", "b'-'", "':'"])
            .to_owned(),
        'C' => random
            .pick(&["b'*'", "b' '", "b'ab'", "b''", "bytearray(b'-')", "'x'"])
            .to_owned(),
        's' => values::string(random),
        'x' => match random.below(3) {
            0 => format!("({}, {})", values::string(random), values::string(random)),
            _ => values::string(random),
        },
        'b' => literal(random, Kind::Bytes),
        'B' => random
            .pick(&[
                "bytes(range(256))",
                "bytes(range(255, -1, -1))",
                "None",
                "b''",
                "bytes(256), b'ab'",
                "None, b'a'",
                "bytes.maketrans(b'ab', b'xy')",
            ])
            .to_owned(),
        'l' => literal(random, Kind::List),
        'p' => values::iterable(random, 1),
        'q' => random
            .pick(&[
                "[b'a', b'b']",
                "(b'x', bytearray(b'y'))",
                "[b'a', 'b']",
                "[]",
                "[b'z']",
                "b'ab'",
                "It(b'a', b'c')",
            ])
            .to_owned(),
        'u' => literal(random, Kind::Tuple),
        'd' => random
            .pick(&[
                "{}",
                "{'a': 1}",
                "{'a': [1], 'b': 2}",
                "[(1, 2), ('a', 'b')]",
                "[(1, 2, 3)]",
                "[1]",
                "['ab', 'cd']",
                "{1: 2, 'x': None}",
                "Ob(a=1)",
                "{97: 'x', 98: None, 99: 'yz'}",
                "zip('ab', (1, 2))",
                "dict(a=5)",
                "[[]]",
            ])
            .to_owned(),
        'm' => random
            .pick(&[
                "{97: 'X'}",
                "{97: None, 98: 'yy'}",
                "{98: 67}",
                "{97: -1}",
                "{97: 1.5}",
                "{}",
                "'abc' * 40",
                "[None] * 100",
                "str.maketrans('abc', 'xyz')",
                "{97: 2**30}",
            ])
            .to_owned(),
        't' => match random.below(4) {
            0 => literal(random, Kind::Range),
            1 => "[1, 2, 3]".to_owned(),
            _ => literal(random, Kind::Set),
        },
        'k' => random
            .pick(&[
                "1",
                "'a'",
                "None",
                "(1, 2)",
                "[]",
                "0",
                "True",
                "2.0",
                "{}",
                "(1, [])",
                "5",
                "b'k'",
                "frozenset()",
                "{1}",
                "Ob()",
            ])
            .to_owned()
            .replace("Ob()", "Ob"),
        'f' => values::spec_literal(random),
        'g' => random
            .pick(&[
                "None",
                "str",
                "lambda x: x",
                "lambda x, y: (x, y)",
                "len",
                "bool",
                "lambda: 0",
                "int",
                "repr",
            ])
            .to_owned(),
        'e' => random
            .pick(&[
                "'utf-8'",
                "'ascii'",
                "'latin-1'",
                "'utf-16'",
                "'utf-16-le'",
                "'utf-32'",
                "'UTF8'",
                "'cp1252'",
                "'idna'",
                "'nope'",
                "'utf-8-sig'",
                "'unicode_escape'",
                "'raw_unicode_escape'",
                "''",
                "'utf-7'",
                "'iso8859-15'",
                "'rot13'",
            ])
            .to_owned(),
        'h' => random
            .pick(&[
                "'strict'",
                "'ignore'",
                "'replace'",
                "'backslashreplace'",
                "'surrogateescape'",
                "'surrogatepass'",
                "'xmlcharrefreplace'",
                "'namereplace'",
                "'nope'",
                "''",
            ])
            .to_owned(),
        'o' => random
            .pick(&[
                "'big'",
                "'little'",
                "'middle'",
                "'big', signed=True",
                "byteorder='little'",
                "Ob()",
            ])
            .to_owned(),
        'I' => literal(random, Kind::Int),
        'F' => match random.below(3) {
            0 => literal(random, Kind::Int),
            _ => literal(random, Kind::Float),
        },
        'r' => literal(random, Kind::Range),
        _ => {
            let kind = values::kind(random);
            values::expression(random, kind, 1)
        }
    }
}

fn arguments(random: &mut Random, letters: &str) -> String {
    let (needed, optional) = letters.split_once('?').unwrap_or((letters, ""));
    let mut list: Vec<String> = needed.chars().map(|c| argument(random, c)).collect();
    for letter in optional.chars() {
        if random.chance(45) {
            break;
        }
        list.push(argument(random, letter));
    }
    match random.below(40) {
        0 => {
            list.pop();
        }
        1 => list.insert(0, values::odd(random)),
        // A keyword goes last; some arguments end with one already.
        2 if !list.iter().any(|a| a.contains('=')) => list.push(format!(
            "{}={}",
            random.pick(&[
                "x", "key", "sep", "maxsplit", "encoding", "default", "base", "start"
            ]),
            values::odd(random)
        )),
        3 => list.insert(0, "*[1]".to_owned()),
        4 => list.push("**{'k': 1}".to_owned()),
        _ => {}
    }
    // A keyword may come last only; some arguments are one.
    list.sort_by_key(|a| {
        a.starts_with("byteorder=") || a.contains(", signed=") || a.starts_with("**")
    });
    list.join(", ")
}

fn method(random: &mut Random) -> (Kind, String, String) {
    let (kind, names) = METHODS[random.below(METHODS.len())];
    let names: Vec<&str> = names.split(' ').collect();
    let word = names[random.below(names.len())];
    let (name, letters) = word.split_once(':').unwrap_or((word, ""));
    let arguments = arguments(random, letters);
    (kind, name.to_owned(), arguments)
}

/// Some calls, each by itself, some of them on a variable whose later value is shown.
pub(crate) fn section(w: &mut Writer) {
    for _ in 0..w.random.between(4, 12) {
        match w.random.below(10) {
            0..=3 => {
                let (kind, name, arguments) = method(w.random);
                let receiver = values::literal(w.random, kind, 1);
                w.show(&format!("({receiver}).{name}({arguments})"));
            }
            4..=6 => {
                let names: Vec<&str> = FUNCTIONS.split_whitespace().collect();
                let (name, letters) = names[w.random.below(names.len())]
                    .split_once(':')
                    .unwrap_or(("len", "a"));
                let arguments = arguments(w.random, letters);
                // `input` and `id` have no answer that two machines share, and `dir` none that two versions do.
                if !matches!(name, "input" | "id" | "dir") {
                    w.show(&format!("{name}({arguments})"));
                }
            }
            7 => {
                let kind = values::kind(w.random);
                let e = values::expression(w.random, kind, 3);
                w.show(&e);
            }
            8 => changes(w),
            _ => {
                let e = values::fstring(w.random, 1);
                w.show(&e);
            }
        }
    }
}

/// Changes to one container, step by step.
fn changes(w: &mut Writer) {
    let name = w.fresh("c");
    let kind = [Kind::List, Kind::Dict, Kind::Set, Kind::Bytes][w.random.below(4)];
    let value = values::literal(w.random, kind, 1);
    w.line(format!("{name} = {value}"));
    for _ in 0..w.random.between(2, 6) {
        let tag = w.tag();
        let r = &mut *w.random;
        let step = match r.below(8) {
            0 => format!(
                "{name}[{}] = {}",
                values::subscript(r),
                values::iterable(r, 1)
            ),
            1 => format!("del {name}[{}]", values::subscript(r)),
            2 => format!(
                "{name} {} {}",
                r.pick(&["+=", "*=", "|=", "-=", "&=", "^=", "%=", "@="])
                    .to_owned(),
                values::odd(r)
            ),
            3 => format!("{name}[{}] += {}", values::subscript(r), values::small(r)),
            4 => format!("*a, b = {name}; print(a, b)"),
            5 => format!("a, *b, c = {name}; print(a, b, c)"),
            _ => {
                let own = METHODS[r.below(METHODS.len())];
                let names: Vec<&str> = METHODS
                    .iter()
                    .filter(|(k, _)| *k == kind || *k == own.0 && r.chance(2))
                    .flat_map(|(_, n)| n.split(' '))
                    .collect();
                let (method, letters) = {
                    let word = names[r.below(names.len())];
                    word.split_once(':').unwrap_or((word, ""))
                };
                format!("print({name}.{method}({}))", arguments(r, letters))
            }
        };
        w.block("try:", |w| w.line(step));
        w.block("except Exception as e:", |w| {
            w.line(format!("print({tag}, type(e).__name__, e)"))
        });
    }
    w.line(format!("print(type({name}).__name__, repr({name})[:300])"));
}
