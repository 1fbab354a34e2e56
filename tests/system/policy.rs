//! Policies in real sandboxes: presets, refusals, clocks that stand still, runs that can be repeated.

use std::time::{Duration, SystemTime};

use coldframe::{Cut, Engine, Error, ErrorKind, Limits, Outcome, Policy, Tool, Tools};
use coldframe_tests::{block_on, engine, limits};

/// Runs the sources one after the other in one fresh session.
fn runs_on(engine: &Engine, policy: &Policy, sources: &[&str]) -> Vec<Outcome> {
    block_on(async {
        let mut session = engine.session(policy).await.expect("a session");
        let mut outcomes = Vec::new();
        for source in sources {
            outcomes.push(session.run(source).await.expect("a run"));
        }
        outcomes
    })
}

fn run(policy: &Policy, source: &str) -> Outcome {
    runs_on(engine(), policy, &[source]).remove(0)
}

#[track_caller]
fn assert_agent_text(policy: &Policy, source: &str, wanted: &str) {
    let outcome = run(policy, source);
    assert_eq!(outcome.agent_text(), Some(wanted));
}

#[test]
fn the_four_examples_of_smolagents_end_as_documented() {
    let policy = Policy::smolagents().with_more_imports(["numpy"]);
    assert_agent_text(
        &policy,
        "!echo Bad command",
        "Code parsing failed on line 1 due to: SyntaxError: invalid syntax (<unknown>, line 1)\n!echo Bad command\n ^",
    );
    assert_agent_text(
        &policy,
        "import os; exit_code = os.system('echo Bad command')",
        "Code execution failed at line 'import os' due to: InterpreterError: Import of os is not allowed. Authorized imports are: \
         ['collections', 'datetime', 'itertools', 'math', 'numpy', 'queue', 'random', 're', 'stat', 'statistics', 'time', 'unicodedata']",
    );
    assert_agent_text(
        &policy,
        "import random; random._os.system('echo Bad command')",
        "Code execution failed at line 'random._os.system('echo Bad command')' due to: InterpreterError: Forbidden access to module: os",
    );
    assert_agent_text(
        &policy,
        "\nwhile True:\n    pass\n",
        "Code execution failed at line 'while True:\n    pass' due to: InterpreterError: Maximum number of 1000000 iterations in While loop exceeded",
    );
}

#[test]
fn a_loop_that_is_too_long_leaves_the_session_usable() {
    let policy = Policy::from(limits()).with_while_iterations(1000);
    let outcomes = runs_on(
        engine(),
        &policy,
        &[
            "x = 5\ntry:\n    while True: pass\nexcept BaseException: x = 6",
            "x",
        ],
    );
    let error = outcomes[0].error.as_ref().expect("an error");
    assert_eq!(
        (error.kind, error.session_lost),
        (ErrorKind::Iterations, false)
    );
    assert!(error.kind.is_limit());
    assert_eq!(outcomes[1].value.as_ref().expect("a value").repr, "5");
}

#[test]
fn operations_and_time_end_runs_in_the_words_of_smolagents() {
    let limits = Limits::builder()
        .operations(100_000)
        .build()
        .expect("valid");
    let policy = Policy::smolagents().with_limits(limits);
    let outcome = run(&policy, "for i in range(10**9): pass");
    assert_eq!(
        outcome.error.as_ref().expect("an error").kind,
        ErrorKind::Fuel
    );
    assert_eq!(
        outcome.agent_text(),
        Some(
            "Code execution failed at line 'for i in range(10**9): pass' due to: InterpreterError: Reached the max number of operations of 100000. \
             Maybe there is an infinite loop somewhere in the code, or you're just asking too many calculations."
        )
    );
    assert!(outcome.usage.operations >= 100_000);
    assert_eq!(
        outcome.usage.operations,
        outcome.usage.fuel / Limits::FUEL_PER_OPERATION
    );
    let limits = Limits::builder()
        .time(Duration::from_millis(1500))
        .build()
        .expect("valid");
    let outcome = run(
        &Policy::smolagents().with_limits(limits),
        "import time\ntime.sleep(100)",
    );
    assert_eq!(
        outcome.agent_text(),
        Some("Code execution exceeded the maximum execution time of 1.5 seconds")
    );
}

#[test]
fn output_is_cut_instead_of_stopping_the_program() {
    let outcome = run(&Policy::smolagents(), "print('a' * 100_000)\n'done'");
    assert_eq!(outcome.value.as_ref().expect("a value").repr, "'done'");
    let half = "a".repeat(25_000);
    let rest = "a".repeat(24_999);
    assert_eq!(
        outcome.output.stdout(),
        format!(
            "{half}\n..._This content has been truncated to stay below 50000 characters_...\n{rest}\n"
        )
    );
    let policy = Policy::from(limits()).with_cut(Cut::end(10));
    let outcome = run(&policy, "for i in range(10000): print(i)");
    assert!(outcome.error.is_none());
    assert_eq!(
        outcome.output.stdout(),
        "0\n1\n2\n3\n4\n\n[output cut after 10 characters]\n"
    );
    assert_eq!(outcome.usage.output_bytes, 48_890);
}

#[test]
fn the_strict_preset_has_its_modules_and_no_others() {
    let policy = Policy::strict();
    assert_eq!(policy.limits().time(), Duration::from_secs(5));
    let outcomes = runs_on(
        engine(),
        &policy,
        &[
            "import math, json, re, datetime, collections, itertools, string, random",
            "import os",
            "open('x')",
            "type(1).__name__",
        ],
    );
    assert!(outcomes[0].error.is_none());
    let error = outcomes[1].error.as_ref().expect("an error");
    assert_eq!(
        (error.kind, error.type_name.as_str()),
        (ErrorKind::Refused, "ImportError")
    );
    assert_eq!(
        outcomes[2].error.as_ref().expect("an error").message,
        "name 'open' is not defined"
    );
    assert_eq!(outcomes[3].value.as_ref().expect("a value").repr, "'int'");
    assert_eq!(outcomes[1].agent_text(), None);
}

#[test]
fn tools_are_there_under_every_preset() {
    for policy in [Policy::smolagents(), Policy::strict(), Policy::default()] {
        block_on(async {
            let mut session = engine().session(&policy).await.expect("a session");
            let tools = Tools::new([Tool::answer()]).expect("tools");
            session.set_tools(&tools).await.expect("they are set");
            let outcome = session.run("final_answer(42)").await.expect("a run");
            assert!(
                outcome.error.is_none() && outcome.is_final_answer,
                "{outcome:?}"
            );
        });
    }
}

/// Everything that could make two runs differ.
const CHANGEABLE: &str = "\
import time, datetime, random, os, uuid, secrets, hashlib, tempfile
print(time.time(), time.monotonic(), time.time_ns(), time.perf_counter(), time.ctime())
time.sleep(1000.5)
print(time.time(), time.monotonic(), datetime.datetime.now(), datetime.datetime.now().astimezone())
print(random.random(), random.sample(range(100), 5), os.urandom(8), uuid.uuid4(), uuid.uuid1(), secrets.token_hex(4))
print(sorted({object() for _ in range(3)}, key=id) and 'ok', hash('x'), {'a', 'b', 'c', 'd'}, id([]) == id([]))
print(tempfile.mkdtemp(), time.tzname, time.localtime().tm_hour, repr(object()))
import asyncio
async def nap():
    await asyncio.sleep(60)
    return time.monotonic()
print(asyncio.run(nap()))
";

#[test]
fn the_same_program_under_a_still_clock_and_a_seed_is_the_same_to_the_byte() {
    let at = SystemTime::UNIX_EPOCH + Duration::from_millis(1_784_116_800_250);
    let policy = Policy::from(limits())
        .with_clock(at)
        .with_seed(42)
        .with_time_zone("America/New_York");
    let unpooled = Engine::builder()
        .pooled(false)
        .max_sessions(2)
        .build()
        .expect("an engine");
    let mut seen = Vec::new();
    for engine in [engine(), engine(), &unpooled, &unpooled] {
        let outcomes = runs_on(engine, &policy, &[CHANGEABLE, CHANGEABLE]);
        for outcome in &outcomes {
            assert!(outcome.error.is_none(), "{:?}", outcome.error);
        }
        let told: Vec<_> = outcomes
            .iter()
            .map(|o| (o.output.stdout(), o.usage.fuel))
            .collect();
        seen.push(told);
    }
    assert!(seen[0][0].0.starts_with("1784116800.2499998 0.0 1784116800250000000 0.0 Wed Jul 15 08:00:00 2026\n1784117800.7500002 1000.5 2026-07-15 08:16:40.750000 2026-07-15 08:16:40.750000-04:00\n"), "{}", seen[0][0].0);
    assert_ne!(
        seen[0][0].0, seen[0][1].0,
        "the second run goes on from the first"
    );
    assert!(seen.windows(2).all(|two| two[0] == two[1]), "{seen:#?}");
    let other = runs_on(engine(), &policy.with_seed(43), &[CHANGEABLE]);
    assert_ne!(other[0].output.stdout(), seen[0][0].0);
}

#[test]
fn forks_go_on_with_time_and_chance() {
    let policy = Policy::from(limits())
        .with_clock(SystemTime::UNIX_EPOCH)
        .with_seed(1)
        .with_imports(["time", "os"]);
    block_on(async {
        let mut one = engine().session(&policy).await.expect("a session");
        one.run("import time, os; time.sleep(5); os.urandom(3)")
            .await
            .expect("a run");
        let mut two = one.fork().await.expect("a fork");
        let source = "(time.time(), os.urandom(8).hex())";
        let (a, b) = (
            one.run(source)
                .await
                .expect("a run")
                .value
                .expect("a value")
                .repr,
            two.run(source)
                .await
                .expect("a run")
                .value
                .expect("a value")
                .repr,
        );
        assert_eq!(a, b);
        assert!(a.starts_with("(5.0, "), "{a}");
        for session in [&mut one, &mut two] {
            let error = session.run("import random").await.expect("a run").error;
            assert_eq!(error.expect("an error").kind, ErrorKind::Refused);
            session.reset().await.expect("a fresh session");
            let error = session.run("import random").await.expect("a run").error;
            assert_eq!(error.expect("an error").kind, ErrorKind::Refused);
        }
    });
}

#[test]
fn policies_that_make_no_sense_are_refused_with_the_reason() {
    for (policy, reason) in [
        (
            Policy::default().with_time_zone("Mars/Olympus"),
            "\"Mars/Olympus\" is neither the name of a time zone nor a POSIX TZ text",
        ),
        (
            Policy::default().with_imports(["a..b"]),
            "\"a..b\" is not a module name such as json, os.path or numpy.*",
        ),
        (
            Policy::default().with_removed_builtins(["not a name"]),
            "\"not a name\" is not a name",
        ),
    ] {
        block_on(async {
            match engine().session(&policy).await {
                Err(Error::Policy { reason: told }) => assert_eq!(told, reason),
                Err(other) => panic!("{other}"),
                Ok(_) => panic!("{policy:?} was taken"),
            }
        });
    }
}
