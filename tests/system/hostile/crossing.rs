//! Values that are traps where they cross: into the session, out of it, and as the value of a last expression.

use std::time::Duration;

use coldframe::{Error, ErrorKind, Limits, MAX_DEPTH, RunOptions, Session, Value};
use coldframe_tests::{block_on, limits, session};

async fn tight() -> Session {
    let limits = Limits::builder()
        .time(Duration::from_millis(500))
        .memory(128 << 20)
        .build();
    session(&limits.expect("valid limits")).await
}

/// Whatever happened: the session says so, and the next one is as it should be.
async fn still_well(mut session: Session) {
    if session.is_alive() {
        let outcome = session.run("1 + 1").await.expect("a run");
        assert_eq!(outcome.value.expect("a value").repr, "2");
    }
    let mut fresh = coldframe_tests::session(&limits()).await;
    let outcome = fresh.run("1 + 1").await.expect("a run");
    assert_eq!(outcome.value.expect("a value").repr, "2");
}

#[test]
fn deep_values_do_not_enter() {
    block_on(async {
        for depth in [MAX_DEPTH, MAX_DEPTH + 1, 2_000] {
            let mut session = tight().await;
            let mut value = Value::None;
            for _ in 0..depth {
                value = Value::List(vec![value]);
            }
            let entered = session.set_variable("x", &value).await;
            assert_eq!(entered.is_ok(), depth <= MAX_DEPTH, "{depth}: {entered:?}");
            still_well(session).await;
        }
    });
}

#[test]
fn large_values_enter_or_are_refused() {
    block_on(async {
        for value in [
            Value::Str("x".repeat(100 << 20)),
            Value::Bytes(vec![0; 100 << 20]),
            Value::List(vec![Value::None; 4 << 20]),
        ] {
            let mut session = tight().await;
            match session.set_variable("x", &value).await {
                Ok(()) | Err(Error::Variable { .. } | Error::Encode(_)) => {}
                Err(Error::Run(error)) => assert!(
                    matches!(error.kind, ErrorKind::Memory | ErrorKind::Time),
                    "{error}"
                ),
                Err(other) => panic!("{other}"),
            }
            still_well(session).await;
        }
    });
}

#[test]
fn keys_that_cannot_be_hashed_are_refused() {
    block_on(async {
        let mut session = tight().await;
        let list = Value::List(vec![]);
        for value in [
            Value::Dict(vec![(list.clone(), Value::None)]),
            Value::Set(vec![list.clone()]),
            Value::FrozenSet(vec![Value::Tuple(vec![list])]),
        ] {
            let refused = session.set_variable("x", &value).await;
            assert!(
                matches!(refused, Err(Error::Variable { .. })),
                "{refused:?}"
            );
        }
        still_well(session).await;
    });
}

#[test]
fn keys_that_collide_enter_in_time_or_not_at_all() {
    block_on(async {
        let mut session = tight().await;
        let modulus = (1i128 << 61) - 1;
        let keys = (0..100_000i128).map(|n| Value::from(n * modulus));
        match session.set_variable("x", &Value::Set(keys.collect())).await {
            // The interpreter says that it was stopped; who stops it from outside says why.
            Ok(()) | Err(Error::Variable { .. }) => {}
            Err(Error::Run(error)) => assert_eq!(error.kind, ErrorKind::Time, "{error}"),
            Err(other) => panic!("{other}"),
        }
        still_well(session).await;
    });
}

#[test]
fn names_that_are_none_are_refused() {
    block_on(async {
        let mut session = tight().await;
        for name in ["", "a b", "a.b", "1", "\0", "a\0", "ⅷ x", "\u{202e}"] {
            let refused = session.set_variable(name, &Value::None).await;
            assert!(refused.is_err(), "{name:?}");
        }
        let long = "x".repeat(1 << 20);
        session
            .set_variable(&long, &Value::None)
            .await
            .expect("it enters");
        assert_eq!(
            session.get_variable(&long).await.expect("it comes out"),
            Some(Value::None)
        );
        still_well(session).await;
    });
}

#[test]
fn variables_that_are_traps_do_not_come_out() {
    let traps = [
        "x = []\nfor _ in range(100000): x = [x]",
        "x = {}\nfor _ in range(100000): x = {1: x}",
        "x = []\nx.append(x)",
        "x = {}\nx[1] = x",
        "x = ([],)\nx[0].append(x)",
        "x = object()",
        "x = lambda: x",
        "x = (i for i in iter(int, 1))",
        "x = range(10**18)",
        "x = type('T', (list,), {'__iter__': lambda self: iter(int, 1), '__len__': lambda self: 2**62})([1])",
        "x = type('T', (dict,), {'items': lambda self: iter(int, 1)})(a=1)",
        "x = type('T', (str,), {'__str__': lambda self: 5})('a')",
        "x = type('T', (int,), {'__index__': lambda self: self, '__int__': lambda self: 'a'})(5)",
        "x = type('T', (), {'__getattr__': lambda self, name: getattr(self, name)})()",
        "x = '\\ud800' * 1000",
        "x = float('nan'), 1e400, -0.0",
        "x = 1 << 8_000_000",
        "x = [None] * 3_000_000",
        "x = ['x' * 1000] * 100_000",
        "x = b'x' * 40_000_000",
        "x = memoryview(b'x' * 1000)",
        "import sys\nx = sys.modules",
        "x = __builtins__",
        "x = globals()",
    ];
    block_on(async {
        for trap in traps {
            let mut session = tight().await;
            let outcome = session.run(trap).await.expect("a run");
            assert_eq!(outcome.error, None, "{trap}");
            match session.get_variable("x").await {
                Ok(Some(_)) | Err(Error::Variable { .. } | Error::Decode(_)) => {}
                Err(Error::Run(error)) => assert_ne!(
                    (error.kind, error.message.contains("unreachable")),
                    (ErrorKind::Fault, true),
                    "{trap}: {error}"
                ),
                other => panic!("{trap}: {other:?}"),
            }
            still_well(session).await;
        }
    });
}

#[test]
fn one_object_many_times_is_not_more_than_may_be_copied() {
    block_on(async {
        // Thirty lines make a value of a milliard parts, all of which would have to be written out.
        let mut session = tight().await;
        session
            .run("x = 'lol'\nfor _ in range(30): x = [x, x]")
            .await
            .expect("a run");
        let out = session.get_variable("x").await;
        assert!(out.is_err());
        still_well(session).await;
        let mut session = tight().await;
        let outcome = session
            .run("x = 'lol'\nfor _ in range(18): x = [x, x]\nx")
            .await;
        if let Ok(outcome) = outcome {
            let repr = outcome.value.map_or(0, |value| value.repr.len());
            assert!(repr <= 65_536);
        }
        still_well(session).await;
    });
}

#[test]
fn the_source_itself_is_a_trap() {
    block_on(async {
        for source in [
            "\0".to_owned(),
            "\u{feff}1".to_owned(),
            "\u{202e}".to_owned(),
            "x = 1\r\r\r\n\u{c}1".to_owned(),
            "# coding: no-such\n1".to_owned(),
            "\t".repeat(1 << 20),
            "(".repeat(1 << 20),
            "#".repeat(32 << 20),
            "\n".repeat(32 << 20),
            "a;".repeat(1 << 20),
            "\"\"\"".to_owned() + &"x".repeat(16 << 20),
        ] {
            let mut session = tight().await;
            let outcome = session.run(&source).await.expect("a run");
            if let Some(error) = outcome.error {
                assert_ne!(error.kind, ErrorKind::Fault, "{source:.20}: {error}");
            }
            still_well(session).await;
        }
    });
}

#[test]
fn the_options_are_traps() {
    block_on(async {
        for name in ["", "\0", "\n", "x\ny", "<stdin>"] {
            let mut session = tight().await;
            let options = RunOptions::default().file_name(name);
            let outcome = session.run_with("1 / 0", options).await.expect("a run");
            assert_eq!(outcome.error.expect("an error").kind, ErrorKind::Exception);
            still_well(session).await;
        }
        let mut session = tight().await;
        let options = RunOptions::default().file_name("x".repeat(16 << 20));
        let outcome = session.run_with("1 / 0", options).await.expect("a run");
        assert_ne!(outcome.error.expect("an error").kind, ErrorKind::Fault);
        still_well(session).await;
    });
}

#[test]
fn a_sink_that_panics_takes_its_own_run_only() {
    block_on(async {
        let mut victim = tight().await;
        let options = RunOptions::default().on_output(|_, _| panic!("the sink's own fault"));
        let run = std::panic::AssertUnwindSafe(victim.run_with("print(1)", options));
        let caught = tokio_catch(run).await;
        assert!(caught.is_err());
        assert!(!victim.is_alive());
        still_well(victim).await;
    });
}

/// Drives a future that may panic.
async fn tokio_catch<F: Future>(
    future: std::panic::AssertUnwindSafe<F>,
) -> Result<F::Output, Box<dyn std::any::Any + Send>> {
    let mut future = Box::pin(future.0);
    std::future::poll_fn(move |context| {
        let poll = std::panic::AssertUnwindSafe(|| future.as_mut().poll(context));
        match std::panic::catch_unwind(poll) {
            Ok(std::task::Poll::Ready(output)) => std::task::Poll::Ready(Ok(output)),
            Ok(std::task::Poll::Pending) => std::task::Poll::Pending,
            Err(panic) => std::task::Poll::Ready(Err(panic)),
        }
    })
    .await
}
