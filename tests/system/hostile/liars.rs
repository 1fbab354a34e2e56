//! Guests that lie: components that break the contract, in the interpreter's place. Whatever one does, its session ends with an error, the limits
//! hold, and the engine makes another session.
//!
//! They are in `liars.wat`; what each does is in its name.

use std::time::Duration;

use coldframe::{Engine, Error, ErrorKind, Limits, Outcome, RunError, Session, Value};
use coldframe_tests::{block_on, limits, session};

/// Names and compiled components.
static LIARS: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/liars.rs"));

const MEMORY: u64 = 64 << 20;
const OUTPUT: u64 = 100_000;

fn tight() -> Limits {
    Limits::builder()
        .time(Duration::from_millis(200))
        .memory(MEMORY)
        .output(OUTPUT)
        .build()
        .expect("valid limits")
}

/// An engine with that guest.
fn engine(name: &str) -> Engine {
    let (_, compiled) = LIARS
        .iter()
        .find(|(liar, _)| *liar == name)
        .unwrap_or_else(|| panic!("no guest {name}"));
    // SAFETY: the build script compiled it with this wasmtime and the library's settings.
    let builder = unsafe { Engine::builder().guest(compiled) };
    builder
        .pooled(false)
        .max_sessions(4)
        .build()
        .unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Lets a lying guest do its work twice: the second session is not to notice the first. Sessions of the real guest live on beside.
fn with<T>(name: &str, ask: impl AsyncFn(&mut Session) -> T) -> T {
    block_on(async {
        let mut bystander = session(&limits()).await;
        bystander.run("x = 40").await.expect("a run");
        let engine = engine(name);
        let mut answer = None;
        for _ in 0..2 {
            let mut liar = engine.session(&tight()).await.expect("a session");
            answer = Some(ask(&mut liar).await);
        }
        let outcome = bystander.run("x + 2").await.expect("a run");
        assert_eq!(outcome.value.expect("a value").repr, "42", "{name}");
        answer.expect("an answer")
    })
}

/// How a run ends.
fn run(name: &str) -> (RunError, Outcome) {
    let outcome = with(name, async |liar| {
        let outcome = liar.run("1 + 1").await;
        let outcome = outcome.unwrap_or_else(|e| panic!("{name}: {e}"));
        let lost = outcome.error.as_ref().is_some_and(|e| e.session_lost);
        assert_eq!(liar.is_alive(), !lost, "{name}");
        if lost {
            let again = liar.run("1").await;
            assert!(matches!(again, Err(Error::SessionLost)), "{name}");
        }
        outcome
    });
    let usage = outcome.usage;
    assert!(usage.peak_memory <= MEMORY, "{name}: {usage:?}");
    assert!(usage.output_bytes <= OUTPUT, "{name}: {usage:?}");
    assert!(
        usage.duration < Duration::from_secs(3),
        "{name}: {:?}",
        usage.duration
    );
    let error = outcome.error.clone();
    let error = error.unwrap_or_else(|| panic!("{name}: no error"));
    (error, outcome)
}

#[track_caller]
fn ends(kind: ErrorKind, names: &[&str]) {
    for name in names {
        let (error, _) = run(name);
        assert_eq!(error.kind, kind, "{name}: {error}");
        assert!(error.session_lost, "{name}");
    }
}

#[test]
fn who_does_not_return_is_stopped() {
    ends(
        ErrorKind::Time,
        &[
            "never-returns",
            "grows-and-loops",
            "writes-nothing",
            "writes-all-its-memory",
            "writes-single-bytes",
            "sleeps",
            "naps",
            "asks-and-does-not-listen",
            "looks-at-the-clock",
            "wants-randomness",
            "allocates-for-ever",
            "cleans-up-for-ever",
        ],
    );
}

#[test]
fn who_burns_fuel_runs_out_of_it() {
    block_on(async {
        let engine = engine("never-returns");
        let limits = Limits::builder().fuel(1_000_000).build();
        let mut liar = engine
            .session(&limits.expect("valid limits"))
            .await
            .expect("a session");
        let outcome = liar.run("").await.expect("a run");
        assert_eq!(outcome.error.expect("an error").kind, ErrorKind::Fuel);
    });
}

#[test]
fn whoever_asks_for_the_rest_is_stopped_too() {
    let late = |result: Result<(), Error>| match result {
        Err(Error::Run(error)) => assert_eq!(error.kind, ErrorKind::Time),
        other => panic!("{other:?}"),
    };
    let name = "never-returns";
    late(with(name, async |s| {
        s.set_variable("x", &Value::None).await
    }));
    late(with(name, async |s| s.get_variable("x").await.map(drop)));
    late(with(name, async |s| s.list_imports("x").await.map(drop)));
    late(with(name, async |s| s.take_file("x").await.map(drop)));
    late(with(name, async |s| s.put_file("x", b"x").await));
    late(with(name, async |s| s.list_files("x").await.map(drop)));
    late(with(name, async |s| s.make_directory("x").await));
    late(with(name, async |s| s.save().await.map(drop)));
}

#[test]
fn who_breaks_the_rules_of_the_machine_faults() {
    ends(
        ErrorKind::Fault,
        &[
            "traps",
            "divides-by-zero",
            "reads-outside",
            "calls-nothing",
            "calls-outside",
            "grows-a-table",
            "result-outside",
            "result-unaligned",
            "wrong-discriminants",
            "texts-outside",
            "texts-not-utf8",
            "texts-of-30-megabytes",
            "writes-from-outside",
            "writes-beyond-the-end",
            "writes-to-stream-seven",
            "wants-randomness-outside",
            "wants-randomness-at-no-place",
            "allocates-outside",
            "allocates-by-a-trap",
            "cleans-up-by-a-trap",
            "calls-a-tool-that-is-not-text",
        ],
    );
}

#[test]
fn who_recurses_overflows_the_guests_stack_only() {
    ends(ErrorKind::Recursion, &["recurses"]);
}

#[test]
fn who_wants_memory_does_not_get_it() {
    ends(ErrorKind::Memory, &["grows-and-traps", "grows-at-once"]);
}

#[test]
fn who_lies_about_an_error_is_believed_and_harms_nobody() {
    let (error, _) = run("texts-of-one-byte");
    assert_eq!(
        (error.kind, error.type_name.len()),
        (ErrorKind::Exception, 1)
    );
    assert!(!error.session_lost);
}

#[test]
fn texts_of_many_megabytes_are_either_copied_or_refused() {
    let (error, _) = run("texts-of-16-megabytes");
    assert!(matches!(
        error.kind,
        ErrorKind::Exception | ErrorKind::Fault
    ));
    assert!(error.traceback.len() <= 17 << 20);
}

#[test]
fn arguments_may_be_put_where_they_overwrite_each_other() {
    for name in ["allocates-the-same-again", "allocates-unaligned"] {
        let outcome = with(name, async |liar| liar.run("1 + 1").await.expect("a run"));
        if let Some(error) = outcome.error {
            assert_eq!(error.kind, ErrorKind::Fault, "{name}: {error}");
        }
    }
}

#[test]
fn tools_are_called_with_garbage() {
    for name in [
        "calls-a-tool-with-garbage",
        "calls-a-tool-for-ever",
        "calls-a-tool-of-a-giant-name",
    ] {
        let outcome = with(name, async |liar| liar.run("1 + 1").await.expect("a run"));
        if let Some(error) = outcome.error {
            assert!(
                matches!(error.kind, ErrorKind::Fault | ErrorKind::Time),
                "{name}: {error}"
            );
        }
    }
}

#[test]
fn a_last_value_that_is_none_is_no_outcome() {
    let result = with("value-that-is-none", async |liar| liar.run("1 + 1").await);
    assert!(matches!(result, Err(Error::Decode(_))), "{result:?}");
}

#[test]
fn values_that_are_none_are_refused() {
    for name in [
        "value-of-a-giant-length",
        "value-of-a-giant-list",
        "value-of-a-giant-map",
        "value-without-bytes",
        "value-that-nests",
        "value-of-nested-maps",
        "value-of-nested-tags",
        "value-without-end",
        "value-of-breaks",
        "value-that-goes-on",
        "value-of-no-text",
        "value-of-an-unknown-tag",
        "value-of-a-tag-around-nothing-right",
    ] {
        let result = with(name, async |liar| {
            let result = liar.get_variable("x").await;
            assert!(liar.is_alive(), "{name}");
            result
        });
        assert!(
            matches!(result, Err(Error::Decode(_))),
            "{name}: {result:?}"
        );
    }
}

#[test]
fn values_from_outside_of_the_memory_fault() {
    for name in ["value-outside", "result-outside"] {
        let result = with(name, async |liar| liar.get_variable("x").await);
        match result {
            Err(Error::Run(error)) => assert_eq!(error.kind, ErrorKind::Fault, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_value_of_many_parts_does_not_fill_the_hosts_memory() {
    let parts = with("value-of-fifty-million-parts", async |liar| {
        match liar.get_variable("x").await {
            Ok(Some(Value::List(parts))) => parts.len(),
            Ok(other) => panic!("{other:?}"),
            Err(_) => 0,
        }
    });
    assert!(parts < 10_000_000, "{parts} parts");
}

#[test]
fn reasons_of_many_megabytes_are_errors() {
    let name = "reason-of-30-megabytes";
    let refused = |result: Result<(), Error>| assert!(result.is_err());
    refused(with(name, async |s| s.get_variable("x").await.map(drop)));
    refused(with(name, async |s| {
        s.set_variable("x", &Value::None).await
    }));
    refused(with(name, async |s| s.put_file("x", b"x").await));
    refused(with(name, async |s| s.take_file("x").await.map(drop)));
}

#[test]
fn files_have_an_end() {
    for name in ["file-without-end", "file-of-more-than-was-asked-for"] {
        let result = with(name, async |liar| liar.take_file("x").await);
        assert!(matches!(result, Err(Error::File { .. })), "{name}");
    }
}

#[test]
fn lists_are_not_longer_than_what_may_be_copied() {
    for name in [
        "list-of-half-the-memory",
        "list-of-more-than-there-is",
        "list-of-giant-names",
        "result-outside",
    ] {
        let result = with(name, async |liar| liar.list_files(".").await);
        match result {
            Err(Error::Run(error)) => assert_eq!(error.kind, ErrorKind::Fault, "{name}"),
            Err(other) => panic!("{name}: {other}"),
            Ok(entries) => panic!("{name}: {} entries", entries.len()),
        }
    }
    for name in ["list-of-half-the-memory", "list-of-more-than-there-is"] {
        let result = with(name, async |liar| liar.list_imports("x").await);
        assert!(matches!(result, Err(Error::Run(_))), "{name}");
    }
}

#[test]
fn a_view_that_is_none_saves_nothing() {
    let result = with("view-outside", async |liar| liar.save().await.map(drop));
    assert!(result.is_err());
    // A memory of no bytes is a strange one, and can be saved and restored: into the same guest.
    let outcome = with("view-of-nothing", async |liar| {
        let mut fork = liar.fork().await?;
        fork.run("1").await
    });
    if let Ok(outcome) = outcome {
        assert!(outcome.error.is_none_or(|e| e.kind == ErrorKind::Fault));
    }
    let forked = with("restores-nothing", async |liar| liar.fork().await.map(drop));
    assert!(forked.is_err(), "{forked:?}");
}
