//! What crosses, and what does not.

use super::*;
use crate::objects::host_object::HostObject;
use crate::vm::host::{Host, Stream, ToolError, Verdict};

/// A world in which nothing happens.
struct Nothing;

impl Host for Nothing {
    fn write(&mut self, _: Stream, _: &[u8]) -> bool {
        true
    }
    fn wall_clock(&mut self) -> u64 {
        0
    }
    fn monotonic_clock(&mut self) -> u64 {
        0
    }
    fn sleep(&mut self, _: u64) {}
    fn entropy(&mut self, count: usize) -> Vec<u8> {
        vec![0; count]
    }
    fn checkpoint(&mut self) -> Verdict {
        Verdict::GoOn
    }
    fn call_tool(&mut self, _: &str, _: &[u8]) -> Result<Vec<u8>, ToolError> {
        Err(("RuntimeError".to_owned(), "no tools".to_owned()))
    }
}

fn value_of(vm: &mut Vm, source: &str) -> Value {
    vm.run_program(source, "<test>", true)
        .expect("it runs")
        .unwrap_or(Value::NONE)
}

#[test]
fn every_kind_survives_the_round_trip() {
    let mut vm = Vm::boot(Box::new(Nothing));
    for source in [
        "None",
        "True",
        "False",
        "0",
        "-1",
        "23",
        "24",
        "255",
        "256",
        "65536",
        "-500",
        "2**32",
        "2**47",
        "-2**47 - 1",
        "2**63 - 1",
        "-2**63",
        "2**63",
        "2**64 - 1",
        "-2**64",
        "2**64",
        "-2**64 - 1",
        "10**100",
        "-10**100",
        "0.1",
        "-0.0",
        "float('inf')",
        "''",
        "'na\u{ef}ve \u{1f40d}'",
        "'a\\ud800b'",
        "b''",
        "b'\\x00\\xff'",
        "[]",
        "[1, [2, 'x'], None]",
        "()",
        "(1, (2,))",
        "{}",
        "{'b': 1, 'a': (1, 2), (1, 2): [3]}",
        "set()",
        "{1}",
        "frozenset({'x'})",
        "1.5-2j",
        "[float('inf'), 1e300]",
    ] {
        let value = value_of(&mut vm, source);
        let bytes = encode(&mut vm, &value).expect("it can cross");
        let back = decode(&mut vm, &bytes).expect("it comes back");
        let (a, b) = (vm.repr(&value), vm.repr(&back));
        let (a, b) = (
            a.expect("a repr").to_text().into_owned(),
            b.expect("a repr").to_text().into_owned(),
        );
        assert_eq!(a, b);
        assert_eq!(encode(&mut vm, &back), Ok(bytes));
    }
}

#[test]
fn the_bytes_are_those_of_the_table() {
    let mut vm = Vm::boot(Box::new(Nothing));
    for (source, expected) in [
        ("None", "f6"),
        ("True", "f5"),
        ("-500", "3901f3"),
        ("2**64", "c249010000000000000000"),
        ("-2**64 - 1", "c349010000000000000000"),
        ("1.1", "fb3ff199999999999a"),
        ("'a'", "6161"),
        ("()", "d998bd80"),
        ("set()", "d9010280"),
        ("{'a': 1}", "a1616101"),
        ("0j", "d998bf82fb0000000000000000fb0000000000000000"),
    ] {
        let value = value_of(&mut vm, source);
        let hex: String = encode(&mut vm, &value)
            .expect("it can cross")
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(hex, expected, "{source}");
    }
}

#[test]
fn host_objects_are_opaque_and_equal_by_number() {
    let mut vm = Vm::boot(Box::new(Nothing));
    let mut bytes = vec![0xd9, 0x98, 0xc6, 0x83, 7, 0x65];
    bytes.extend_from_slice(b"Image\x6b<Image 2x2>");
    let object = decode(&mut vm, &bytes).expect("it enters");
    assert_eq!(encode(&mut vm, &object), Ok(bytes));
    let main = vm.main.dict.clone();
    for (name, value) in [
        ("a", object),
        ("b", HostObject::value(7, "Image", "")),
        ("c", HostObject::value(8, "Image", "")),
    ] {
        main.set_str(&mut vm, &crate::names::intern(name), value);
    }
    let value = value_of(
        &mut vm,
        "try: type(a)()\nexcept TypeError as e: text = str(e)\n(repr(a), a == b, a != c, a == 7, len({a, b, c}), text)",
    );
    let text = vm.repr(&value).expect("a repr");
    assert_eq!(
        text.to_text(),
        "('<Image 2x2>', True, True, False, 2, \"cannot create 'coldframe.HostObject' instances\")"
    );
}

#[test]
fn what_cannot_cross_says_why() {
    let mut vm = Vm::boot(Box::new(Nothing));
    for (source, reason) in [
        (
            "iter([])",
            "a value of type 'list_iterator' cannot leave the sandbox",
        ),
        (
            "[print]",
            "in item 0: a value of type 'builtin_function_or_method' cannot leave the sandbox",
        ),
        (
            "a = []\na.append(a)\na",
            "in item 0: the list contains itself and cannot leave the sandbox",
        ),
        (
            "a = []\nfor _ in range(200): a = [a]\na",
            "the value nests deeper than 200 levels and cannot leave the sandbox",
        ),
        (
            "a = 'x' * 100000\nfor _ in range(10): a = [a, a]\na",
            "the value is too large to leave the sandbox (more than 32 MiB)",
        ),
        (
            "a = 'x'\nfor _ in range(40): a = [a, a]\na",
            "the value is too large to leave the sandbox (more than 4194304 parts)",
        ),
        (
            "{'rows': [0, 1, 2, (i for i in [])]}",
            "in item 3 of key 'rows': a value of type 'generator' cannot leave the sandbox",
        ),
        (
            "{3: {len}}",
            "in an item of key 3: a value of type 'builtin_function_or_method' cannot leave the sandbox",
        ),
        (
            "{'a': {(1, print): 2}}",
            "in item 1 of a key of key 'a': a value of type 'builtin_function_or_method' cannot leave the sandbox",
        ),
        (
            "{(1, 2): object()}",
            "in key of type 'tuple': a value of type 'object' cannot leave the sandbox",
        ),
        (
            "class Plain: pass\n[Plain()]",
            "in item 0: a value of type 'Plain' cannot leave the sandbox",
        ),
        (
            "d = {}\nd['self'] = [d]\nd",
            "in item 0 of key 'self': the dict contains itself and cannot leave the sandbox",
        ),
        (
            "ValueError(1, iter([]))",
            "in argument 1: a value of type 'list_iterator' cannot leave the sandbox",
        ),
        (
            "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: object\np = P(1)\np.x = p\np",
            "in field 'x': the P contains itself and cannot leave the sandbox",
        ),
        (
            "p = P(1)\ndel p.x\np",
            "the field 'x' of a 'P' is not set and cannot leave the sandbox",
        ),
        (
            "@dataclass\nclass Q:\n    x: object\nQ.x = property(lambda self: 1/0)\nobject.__new__(Q)",
            "the field 'x' of a 'Q' is computed and cannot leave the sandbox",
        ),
        (
            "import datetime\nclass Z(datetime.tzinfo): pass\n[datetime.time(tzinfo=Z())]",
            "in item 0: a time zone of type 'Z' cannot leave the sandbox",
        ),
        (
            "import pathlib\nclass Mine(pathlib.PurePosixPath): pass\nMine('a')",
            "a value of type 'Mine', derived from 'PurePosixPath', cannot leave the sandbox",
        ),
        ("...", "a value of type 'ellipsis' cannot leave the sandbox"),
        ("int", "a value of type 'type' cannot leave the sandbox"),
    ] {
        let value = value_of(&mut vm, source);
        assert_eq!(encode(&mut vm, &value), Err(reason.to_owned()));
    }
    let value = value_of(&mut vm, "a = []\nfor _ in range(199): a = [a]\na");
    assert!(encode(&mut vm, &value).is_ok());
}

#[test]
fn wrong_bytes_are_refused() {
    let mut vm = Vm::boot(Box::new(Nothing));
    let cases: &[&[u8]] = &[
        &[],
        &[0x81],
        &[0x9b, 255, 255, 255, 255, 255, 255, 255, 255],
        &[0xbb, 0x80, 0, 0, 0, 0, 0, 0, 0],
        &[0x61, 0xff],
        &[0x9f, 0xff],
        &[0xf9, 0, 0],
        &[0xc0, 0x60],
        &[0xd9, 0x98, 0xbf, 0x82, 1, 1],
        &[0xd9, 0x98, 0xbc, 0x41, 0xff],
        &[1, 1],
        &[0xa1, 0x80, 1],
        &[0xd9, 1, 2, 0x81, 0x80],
    ];
    for bytes in cases {
        assert!(decode(&mut vm, bytes).is_err(), "{bytes:02x?}");
    }
    assert!(decode(&mut vm, &[0x81; 100_000]).is_err());
    assert_eq!(
        decode(&mut vm, &[0xa1, 0x80, 1]).err().as_deref(),
        Some("cannot use 'list' as a dict key (unhashable type: 'list')")
    );
}

/// Classes and modules for the sources below.
const PRELUDE: &str = "
import collections, dataclasses, datetime, decimal, enum, fractions, pathlib, typing, uuid, zoneinfo
from datetime import timedelta, timezone
from zoneinfo import ZoneInfo

@dataclasses.dataclass
class Point:
    x: int
    y: object = None
    kind: typing.ClassVar[str] = 'point'

@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: int
    b: list = dataclasses.field(default_factory=list)
    given: dataclasses.InitVar[int] = 0
    def __post_init__(self, given): CALLS.append('init')

class Outer:
    class Color(enum.Enum):
        RED = 1
        BLUE = (1, [2])

class Number(enum.IntEnum):
    ONE = 1

class Word(enum.StrEnum):
    A = 'a'

class Access(enum.Flag):
    READ = 1
    WRITE = 2

Pair = collections.namedtuple('Pair', 'left right')

class Typed(typing.NamedTuple):
    n: int
    text: str = 'x'

class Mine(ValueError):
    def __init__(self, a, b):
        CALLS.append('init')
        super().__init__(a, b)

CALLS = []
";

/// One expression of each kind that crosses with more than a built-in type.
const EXPRESSIONS: &[&str] = &[
    "bytearray(b'\\x00\\xff')",
    "range(10)",
    "range(-5, 10**30, 3)",
    "slice(1, None, [2])",
    "datetime.date(1, 1, 1)",
    "datetime.date(9999, 12, 31)",
    "datetime.time(23, 59, 59, 999999)",
    "datetime.time(1, fold=1, tzinfo=timezone.utc)",
    "datetime.time(1, tzinfo=ZoneInfo('Europe/Vienna'))",
    "datetime.datetime(2026, 11, 30, 12, 30)",
    "datetime.datetime(2026, 11, 30, tzinfo=timezone.utc)",
    "datetime.datetime(2026, 11, 30, tzinfo=timezone(timedelta(hours=-5, minutes=-30), 'X'))",
    "datetime.datetime(2026, 11, 30, tzinfo=timezone(timedelta(microseconds=-1)))",
    "datetime.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo('Europe/Vienna'))",
    "timedelta(days=-999999999)",
    "timedelta(days=999999999, seconds=86399, microseconds=999999)",
    "timezone.utc",
    "timezone(timedelta(0), 'Zulu')",
    "ZoneInfo('America/New_York')",
    "decimal.Decimal('1.10')",
    "decimal.Decimal('-0E+3')",
    "decimal.Decimal('1E+1000')",
    "decimal.Decimal('sNaN12')",
    "decimal.Decimal('-Infinity')",
    "decimal.Decimal('0.' + '123' * 40)",
    "fractions.Fraction(-1, 3)",
    "fractions.Fraction(10**30, 7)",
    "pathlib.Path('/a/b.txt')",
    "pathlib.PurePosixPath('a', 'b')",
    "pathlib.PureWindowsPath('C:/a/b')",
    "uuid.UUID('12345678-1234-5678-1234-567812345678')",
    "uuid.UUID(int=0)",
    "Outer.Color.RED",
    "Outer.Color.BLUE",
    "[Number.ONE, Word.A, 1, 'a']",
    "Access.READ",
    "Access.READ | Access.WRITE",
    "Access(0)",
    "decimal.Decimal('-0.000001')",
    "decimal.Decimal('1E-7')",
    "decimal.Decimal('12.34E+56')",
    "decimal.Decimal('NaN')",
    "Point(1, [Point(2)])",
    "Frozen(1)",
    "{Frozen: 1}.keys() and Pair(1, Pair(2, 3))",
    "Typed(1)",
    "[KeyError('k'), ValueError(), OSError(2, 'no')]",
    "Mine(1, 'b')",
    "ExceptionGroup('g', [ValueError(1), TypeError('x')])",
];

#[test]
fn objects_of_the_library_and_of_classes_survive_the_round_trip() {
    let mut vm = Vm::boot(Box::new(Nothing));
    value_of(&mut vm, PRELUDE);
    for source in EXPRESSIONS {
        let value = value_of(&mut vm, source);
        value_of(&mut vm, "CALLS.clear()");
        let bytes = encode(&mut vm, &value).expect(source);
        let back = decode(&mut vm, &bytes).expect(source);
        assert_eq!(encode(&mut vm, &back), Ok(bytes), "{source}");
        let main = vm.main.dict.clone();
        for (name, value) in [("a", value), ("b", back)] {
            main.set_str(&mut vm, &crate::names::intern(name), value);
        }
        // NaNs and exceptions are equal to nothing, so the texts are compared too.
        let checks = "(repr(a) == repr(b), type(a) is type(b), CALLS)";
        let checked = value_of(&mut vm, checks);
        let text = vm.repr(&checked).expect("a repr");
        assert_eq!(text.to_text(), "(True, True, [])", "{source}");
    }
    let checked = value_of(
        &mut vm,
        "b = ValueError('x')\nimport copy\n(Outer.Color.RED is copy.copy(Outer.Color.RED))",
    );
    assert!(checked.is_same(&Value::TRUE));
}

#[test]
fn members_of_enums_of_the_session_stay_what_they_are() {
    let mut vm = Vm::boot(Box::new(Nothing));
    value_of(&mut vm, PRELUDE);
    for source in ["Outer.Color.RED", "Number.ONE", "Word.A", "Access(3)"] {
        let value = value_of(&mut vm, source);
        let bytes = encode(&mut vm, &value).expect(source);
        let back = decode(&mut vm, &bytes).expect(source);
        assert!(back.is_same(&value), "{source}");
    }
}

#[test]
fn classes_that_the_session_does_not_have_are_made() {
    let mut there = Vm::boot(Box::new(Nothing));
    value_of(&mut there, PRELUDE);
    let encoded: Vec<(&str, Vec<u8>)> = EXPRESSIONS
        .iter()
        .map(|source| {
            let value = value_of(&mut there, source);
            (*source, encode(&mut there, &value).expect(source))
        })
        .collect();
    drop(there);
    let mut here = Vm::boot(Box::new(Nothing));
    for (source, bytes) in &encoded {
        let back = decode(&mut here, bytes).expect(source);
        assert_eq!(encode(&mut here, &back).as_ref(), Ok(bytes), "{source}");
        let again = decode(&mut here, bytes).expect(source);
        assert!(
            here.class_of(&back).same(here.class_of(&again)),
            "{source}: two classes"
        );
    }
    let main = here.main.dict.clone();
    for (name, source) in [("p", "Point(1, [Point(2)])"), ("c", "Outer.Color.RED")] {
        let (_, bytes) = encoded
            .iter()
            .find(|(s, _)| *s == source)
            .expect("it is there");
        let value = decode(&mut here, bytes).expect("it enters");
        main.set_str(&mut here, &crate::names::intern(name), value);
    }
    let value = value_of(
        &mut here,
        "import dataclasses\n(p.x, p.y[0].x, dataclasses.is_dataclass(p), type(p).__module__, repr(p), c.name, c.value, repr(c))",
    );
    let text = here.repr(&value).expect("a repr");
    assert_eq!(
        text.to_text(),
        "(1, 2, True, '__main__', 'Point(x=1, y=[Point(x=2, y=None)])', 'RED', 1, '<Color.RED: 1>')"
    );
}

#[test]
fn no_code_of_the_program_runs_while_a_value_is_encoded() {
    let mut vm = Vm::boot(Box::new(Nothing));
    let source = "
import datetime, decimal, dataclasses, enum
class Loud:
    def __getattribute__(self, name): raise SystemExit(name)
    def __repr__(self): raise SystemExit('repr')
    __str__ = __iter__ = __len__ = __eq__ = __hash__ = __repr__
class Text(Loud, str): pass
class Number(Loud, int): pass
class Items(Loud, list): pass
class Pairs(Loud, dict): pass
class Day(datetime.datetime):
    year = property(lambda self: 1/0)
    def __getattribute__(self, name): raise SystemExit(name)
class Amount(decimal.Decimal):
    def __str__(self): raise SystemExit('str')
class Meta(type):
    def __getattribute__(cls, name): raise SystemExit(name)
@dataclasses.dataclass
class Record:
    x: int
    def __getattribute__(self, name): raise SystemExit(name)
class Mark(enum.Enum):
    A = 1
def loud(self, name): raise SystemExit(name)
mark = Mark.A
Mark.__getattribute__ = loud
class Bad(Exception):
    def __str__(self): raise SystemExit('str')
[Text('a'), Number(1), Items([2]), Pairs(k=3), Day(2026, 1, 2), Amount('1.5'), Record(4), mark, Bad(5)]
";
    let value = value_of(&mut vm, source);
    let bytes = encode(&mut vm, &value).expect("it can cross");
    let back = decode(&mut vm, &bytes).expect("it comes back");
    let items = back.as_ref::<crate::objects::list::List>().expect("a list");
    let plain: Vec<Value> = items.items.get(&vm)[..6].to_vec();
    let plain = crate::objects::list::List::value(plain);
    let text = vm.repr(&plain).expect("a repr");
    assert_eq!(
        text.to_text(),
        "['a', 1, [2], {'k': 3}, datetime.datetime(2026, 1, 2, 0, 0), Decimal('1.5')]"
    );
}

#[test]
fn wrong_objects_are_refused() {
    let mut vm = Vm::boot(Box::new(Nothing));
    value_of(&mut vm, PRELUDE);
    let mut kept = Vec::new();
    for source in EXPRESSIONS {
        let value = value_of(&mut vm, source);
        kept.push(encode(&mut vm, &value).expect(source));
    }
    // Shortened, or with a byte changed: anything but a panic.
    let mut state = 1u64;
    for bytes in &kept {
        for end in (0..bytes.len()).step_by(3) {
            assert!(decode(&mut vm, &bytes[..end]).is_err());
        }
        for _ in 0..10 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mut changed = bytes.clone();
            let at = (state >> 33) as usize % changed.len();
            changed[at] = (state >> 20) as u8;
            if let Ok(value) = decode(&mut vm, &changed) {
                let _ = encode(&mut vm, &value);
            }
            assert!(vm.stopped.is_none());
        }
    }
}
