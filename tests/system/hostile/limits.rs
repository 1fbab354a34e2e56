//! Programs that try to take more than they may have. Each must end with the right kind of error, in reasonable time,
//! and leave the engine as it was.

use std::time::{Duration, Instant};

use coldframe::{ErrorKind, Limits, Outcome};
use coldframe_tests::{block_on, run, run_within, session, value_of};

/// Runs it, checks that a fresh session of the same engine is unharmed, and hands out the outcome.
fn attack_within(limits: &Limits, source: &str) -> Outcome {
    let started = Instant::now();
    let outcome = run_within(limits, source);
    let most = limits.time() + Duration::from_secs(2);
    assert!(started.elapsed() < most, "took {:?}", started.elapsed());
    assert_eq!(value_of("1 + 1"), "2");
    outcome
}

fn attack(source: &str) -> Outcome {
    let limits = Limits::builder()
        .time(Duration::from_secs(20))
        .memory(128 << 20)
        .output(1 << 20);
    attack_within(&limits.build().expect("valid limits"), source)
}

fn kind(outcome: &Outcome) -> ErrorKind {
    outcome.error.as_ref().expect("an error").kind
}

fn exception(outcome: &Outcome) -> (&str, &str) {
    let error = outcome.error.as_ref().expect("an error");
    (&error.type_name, &error.message)
}

/// The program ends for want of memory, whether or not the interpreter noticed in time to say so itself.
#[track_caller]
fn assert_out_of_memory(source: &str) {
    let outcome = attack(source);
    assert_eq!(
        (kind(&outcome), exception(&outcome).0),
        (ErrorKind::Memory, "MemoryError"),
        "{source:.60}"
    );
}

#[test]
fn an_endless_loop_burns_its_fuel() {
    let limits = Limits::builder()
        .fuel(200_000_000)
        .time(Duration::from_secs(60))
        .build()
        .expect("valid limits");
    let outcome = attack_within(&limits, "while True: pass");
    assert_eq!(kind(&outcome), ErrorKind::Fuel);
    assert!(
        (200_000_000..260_000_000).contains(&outcome.usage.fuel),
        "{}",
        outcome.usage.fuel
    );
}

#[test]
fn an_endless_loop_runs_out_of_time() {
    let limits = Limits::builder()
        .fuel(Limits::MAX_FUEL)
        .time(Duration::from_millis(300));
    let outcome = attack_within(&limits.build().expect("valid limits"), "while True: pass");
    assert_eq!(kind(&outcome), ErrorKind::Time);
    let took = outcome.usage.duration;
    assert!(
        took >= Duration::from_millis(300) && took < Duration::from_millis(900),
        "{took:?}"
    );
}

#[test]
fn limits_cannot_be_caught() {
    let source = "
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
    finally:
        continue
";
    let limits = Limits::builder()
        .fuel(100_000_000)
        .build()
        .expect("valid limits");
    assert_eq!(kind(&attack_within(&limits, source)), ErrorKind::Fuel);
}

#[test]
fn a_sleep_ends_with_the_deadline() {
    let limits = Limits::builder()
        .time(Duration::from_millis(200))
        .build()
        .expect("valid limits");
    let outcome = attack_within(&limits, "import time\ntime.sleep(3600)");
    assert_eq!(kind(&outcome), ErrorKind::Time);
    assert!(
        outcome.usage.duration < Duration::from_millis(600),
        "{:?}",
        outcome.usage.duration
    );
}

#[test]
fn a_session_survives_its_limits() {
    let limits = Limits::builder()
        .time(Duration::from_millis(200))
        .build()
        .expect("valid limits");
    block_on(async {
        let mut session = session(&limits).await;
        session.run("kept = 41").await.expect("a run");
        let outcome = session.run("while True: pass").await.expect("a run");
        assert_eq!(kind(&outcome), ErrorKind::Time);
        assert!(session.is_alive());
        let outcome = session.run("kept + 1").await.expect("a run");
        assert_eq!(outcome.value.expect("a value").repr, "42");
    });
}

#[test]
fn huge_objects_are_a_memory_error() {
    assert_out_of_memory("'x' * 10**10");
    assert_out_of_memory("'x' * 10**9");
    assert_out_of_memory("[0] * 10**9");
    assert_out_of_memory("bytearray(10**9)");
    assert_out_of_memory("list(range(10**8))");
    assert_out_of_memory("1 << 10**10");
}

#[test]
fn a_memory_error_can_be_caught() {
    let source = "
try:
    x = [0] * 10**9
except MemoryError:
    x = 'caught'
x
";
    assert_eq!(value_of(source), "'caught'");
}

#[test]
fn growing_for_ever_is_a_memory_error() {
    assert_out_of_memory("a = []\nwhile True: a.append('x' * 1000)");
    assert_out_of_memory("a = []\nwhile True: a.append(a[:])");
    assert_out_of_memory("d = {}\nwhile True: d[len(d)] = [len(d)]");
    assert_out_of_memory("s = 'x'\nwhile True: s += s");
}

#[test]
fn a_gigantic_power_ends() {
    let limits = Limits::builder()
        .time(Duration::from_secs(2))
        .memory(128 << 20)
        .build()
        .expect("valid limits");
    let kind = kind(&attack_within(&limits, "10**10**8"));
    assert!(
        matches!(kind, ErrorKind::Time | ErrorKind::Memory | ErrorKind::Fuel),
        "{kind}"
    );
}

#[test]
fn runaway_recursion_is_a_recursion_error() {
    for source in [
        "def f(): return f()\nf()",
        "def f(n): return 1 + f(n + 1)\nf(0)",
        "class C:\n    def __repr__(self): return repr(self)\nrepr(C())",
        "class C:\n    def __eq__(self, other): return self == other\nC() == C()",
        "class C:\n    def __hash__(self): return hash(self)\nhash(C())",
        "class C:\n    def __getattr__(self, name): return getattr(self, name + 'x')\nC().a",
        "def key(x): return sorted([x, x], key=key)\nsorted([1, 2], key=key)",
        "f = lambda x: max([x, x], key=f)\nf(1)",
        "class C:\n    def __lt__(self, other): return sorted([self, other])\nsorted([C(), C()])",
        "class C:\n    def __str__(self): return f'{self}'\nstr(C())",
        "class C:\n    def __iter__(self): return iter(list(self))\nlist(C())",
        "class C:\n    def __getitem__(self, i): return self[i]\nC()[0]",
        "class C:\n    def __call__(self): return self()\nC()()",
        "def g():\n    yield from g()\nlist(g())",
    ] {
        let outcome = attack(source);
        assert_eq!(
            (kind(&outcome), exception(&outcome).0),
            (ErrorKind::Recursion, "RecursionError"),
            "{source}"
        );
    }
}

#[test]
fn recursion_errors_can_be_caught() {
    let source = "
def depth(n):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
900 < depth(0) <= 1000
";
    assert_eq!(value_of(source), "True");
}

#[test]
fn deep_data_does_not_overflow_the_stack() {
    // CPython answers each with the value or with RecursionError; both are right here, a fault is not.
    for source in [
        "x = []\nfor _ in range(100000): x = [x]\nrepr(x)",
        "x = []\nfor _ in range(100000): x = [x]\nx == x[0]",
        "x = ()\nfor _ in range(100000): x = (x,)\nhash(x)",
        "x = []\nfor _ in range(1000000): x = [x]\ndel x",
        "x = None\nfor _ in range(100000): x = {'k': x}\nstr(x)",
        "x = int\nfor _ in range(100000): x = (x,)\ntry: isinstance(1, x)\nexcept RecursionError: pass",
        "f = abs\nimport functools\nfor _ in range(100000): f = functools.partial(f)\nf(-1)",
        "it = iter([])\nfor _ in range(100000): it = map(abs, it)\nlist(it)",
        "class N: pass\na = N()\nfor _ in range(500000):\n    b = N()\n    b.next = a\n    a = b\ndel a, b",
        "import json\nx = []\nfor _ in range(100000): x = [x]\njson.dumps(x)",
        "import json\njson.loads('[' * 100000 + ']' * 100000)",
        "import copy\nx = []\nfor _ in range(100000): x = [x]\ncopy.deepcopy(x)",
        "import re\nre.match('(' * 5000 + ')' * 5000, '')",
        "import re\nre.match('(a*)*b', 'a' * 28)",
    ] {
        let limits = Limits::builder()
            .time(Duration::from_secs(10))
            .build()
            .expect("valid limits");
        let outcome = attack_within(&limits, source);
        if let Some(error) = outcome.error {
            assert_ne!(error.kind, ErrorKind::Fault, "{source}: {error}");
        }
    }
}

#[test]
fn nested_brackets_in_the_source_are_refused() {
    let outcome = attack(&format!("{}{}", "(".repeat(10_000), ")".repeat(10_000)));
    assert_eq!(kind(&outcome), ErrorKind::Syntax);
    assert_eq!(
        exception(&outcome),
        (
            "SyntaxError",
            "too many nested parentheses (<string>, line 1)"
        )
    );
}

#[test]
fn endless_sources_of_other_shapes_end() {
    for source in [
        "-".repeat(100_000) + "1",
        "not ".repeat(100_000) + "1",
        "1".to_owned() + &"+1".repeat(100_000),
        "a".to_owned() + &".a".repeat(100_000),
        "x = ".to_owned() + &"lambda: ".repeat(100_000) + "1",
        "if 1:\n".to_owned()
            + &(1..150)
                .map(|n| " ".repeat(n) + "if 1:\n")
                .collect::<String>(),
        "a = ".repeat(50_000) + "1",
        "1 if 1 else ".repeat(50_000) + "1",
        "2 ** ".repeat(50_000) + "1",
        "await ".repeat(50_000) + "1",
        "f'{".repeat(10_000),
        "'".repeat(1_000_001),
        "\\\n".repeat(500_000),
    ] {
        let outcome = attack(&source);
        if let Some(error) = &outcome.error {
            assert_ne!(error.kind, ErrorKind::Fault, "{source:.40}: {error}");
        }
    }
}

#[test]
fn endless_output_is_cut_at_the_limit() {
    let limits = Limits::builder()
        .output(100_000)
        .build()
        .expect("valid limits");
    let outcome = attack_within(&limits, "while True: print('x' * 70)");
    assert_eq!(kind(&outcome), ErrorKind::Output);
    assert_eq!(
        (outcome.output.len(), outcome.usage.output_bytes),
        (100_000, 100_000)
    );
    let outcome = attack_within(&limits, "print('x' * 10**7)");
    assert_eq!(
        (kind(&outcome), outcome.output.len()),
        (ErrorKind::Output, 100_000)
    );
    let caught =
        "try:\n    while True: print('x' * 70)\nexcept BaseException: pass\nwhile True: pass";
    assert_eq!(kind(&attack_within(&limits, caught)), ErrorKind::Output);
}

#[test]
fn a_source_of_50_mb_ends() {
    let limits = Limits::builder()
        .time(Duration::from_secs(10))
        .build()
        .expect("valid limits");
    for source in [
        "x = 1\n".repeat(50_000_000 / 6),
        format!("x = '{}'", "y".repeat(50_000_000)),
    ] {
        let outcome = attack_within(&limits, &source);
        if let Some(error) = &outcome.error {
            assert!(
                matches!(
                    error.kind,
                    ErrorKind::Memory | ErrorKind::Time | ErrorKind::Fuel
                ),
                "{error}"
            );
        }
    }
}

#[test]
fn an_exception_is_not_a_limit() {
    let outcome = run("1 / 0");
    assert_eq!(kind(&outcome), ErrorKind::Exception);
    assert_eq!(
        exception(&outcome),
        ("ZeroDivisionError", "division by zero")
    );
}
