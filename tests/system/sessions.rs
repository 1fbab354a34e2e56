//! Sessions: what stays, what is isolated, what is streamed, what is cancelled.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use coldframe::{Engine, Error, ErrorKind, Limits, RunOptions, Stream, Value};
use coldframe_tests::{block_on, engine, limits, run, session};

#[test]
fn variables_stay_and_sessions_are_isolated() {
    block_on(async {
        let (mut one, mut two) = (session(&limits()).await, session(&limits()).await);
        one.run("import math\ndef double(n): return 2 * n\nx = 21")
            .await
            .expect("a run");
        let outcome = one.run("double(x) + math.floor(0.5)").await.expect("a run");
        assert_eq!(outcome.value.expect("a value").value, Some(Value::Int(42)));
        let outcome = two.run("x").await.expect("a run");
        let error = outcome.error.expect("an error");
        assert_eq!(
            (error.type_name.as_str(), error.message.as_str()),
            ("NameError", "name 'x' is not defined")
        );
    });
}

#[test]
fn a_failed_run_keeps_what_it_did_before() {
    block_on(async {
        let mut session = session(&limits()).await;
        let outcome = session.run("x = 1\ny = 1 / 0\nz = 2").await.expect("a run");
        let error = outcome.error.expect("an error");
        assert_eq!(
            (error.kind, error.line, error.session_lost),
            (ErrorKind::Exception, Some(2), false)
        );
        assert!(
            error
                .traceback
                .starts_with("Traceback (most recent call last):\n"),
            "{}",
            error.traceback
        );
        assert!(
            error
                .traceback
                .ends_with("ZeroDivisionError: division by zero\n"),
            "{}",
            error.traceback
        );
        assert_eq!(
            session.get_variable("x").await.expect("a variable"),
            Some(Value::Int(1))
        );
        assert_eq!(session.get_variable("z").await.expect("no variable"), None);
    });
}

#[test]
fn values_cross_both_ways_unchanged() {
    let values = [
        Value::None,
        Value::Bool(true),
        Value::Int(i64::MIN),
        (1i128 << 100).into(),
        (-(1i128 << 63) - 1).into(),
        Value::Float(0.1),
        Value::Complex(1.0, -2.5),
        "naïve 🐍".into(),
        Value::SurrogateStr(b"a\xed\xa0\x80".to_vec()),
        Value::Bytes(vec![0, 255]),
        Value::List(vec![
            1i64.into(),
            Value::Tuple(vec![]),
            Value::List(vec![Value::None]),
        ]),
        Value::Dict(vec![
            ("b".into(), 1i64.into()),
            (Value::Tuple(vec![1i64.into()]), "a".into()),
        ]),
        Value::Set(vec![7i64.into()]),
        Value::FrozenSet(vec!["x".into()]),
    ];
    block_on(async {
        let mut session = session(&limits()).await;
        for value in values {
            session.set_variable("v", &value).await.expect("it enters");
            assert_eq!(
                session.get_variable("v").await.expect("it comes back"),
                Some(value.clone())
            );
            let outcome = session.run("v").await.expect("a run");
            match (outcome.value, &value) {
                (None, Value::None) => {}
                (last, _) => assert_eq!(last.expect("a value").value, Some(value)),
            }
        }
        let refused = session.set_variable("not a name", &Value::None).await;
        assert!(
            matches!(refused, Err(Error::Variable { .. })),
            "{refused:?}"
        );
    });
}

#[test]
fn what_cannot_cross_still_shows_its_repr() {
    let outcome = run("print");
    let value = outcome.value.expect("a value");
    assert_eq!(
        (value.repr.as_str(), value.value),
        ("<built-in function print>", None)
    );
    block_on(async {
        let mut session = session(&limits()).await;
        session
            .run("a = []\na.append(a)\nb = []\nfor _ in range(300): b = [b]")
            .await
            .expect("a run");
        for name in ["a", "b"] {
            let refused = session.get_variable(name).await;
            assert!(
                matches!(refused, Err(Error::Variable { .. })),
                "{refused:?}"
            );
        }
    });
}

#[test]
fn output_is_ordered_and_streams() {
    let seen: Arc<Mutex<Vec<(Stream, String)>>> = Arc::default();
    let sink = Arc::clone(&seen);
    let source = "import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')";
    block_on(async {
        let options = RunOptions::default().on_output(move |stream, bytes| {
            sink.lock()
                .expect("no panic")
                .push((stream, String::from_utf8_lossy(bytes).into_owned()));
            true
        });
        let outcome = session(&limits())
            .await
            .run_with(source, options)
            .await
            .expect("a run");
        let chunks: Vec<_> = outcome.output.chunks().collect();
        assert_eq!(
            chunks,
            [
                (Stream::Stdout, &b"a\n"[..]),
                (Stream::Stderr, b"b\n"),
                (Stream::Stdout, b"c\n")
            ]
        );
        assert_eq!(
            (outcome.output.stdout(), outcome.output.stderr()),
            ("a\nc\n".to_owned(), "b\n".to_owned())
        );
        assert_eq!(outcome.usage.output_bytes, 6);
    });
    let all: String = seen
        .lock()
        .expect("no panic")
        .iter()
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(all, "a\nb\nc\n");
}

#[test]
fn a_closed_sink_cancels() {
    block_on(async {
        let options = RunOptions::default().on_output(|_, _| false);
        let outcome = session(&limits())
            .await
            .run_with("while True: print('x' * 10000)", options)
            .await;
        assert_eq!(
            outcome.expect("a run").error.expect("an error").kind,
            ErrorKind::Cancelled
        );
    });
}

#[test]
fn a_run_is_cancelled_from_elsewhere() {
    block_on(async {
        let mut session = session(&limits()).await;
        for source in ["x = 0\nwhile True: x += 1", "import time\ntime.sleep(1000)"] {
            let cancel = session.cancel_handle();
            let elsewhere = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                cancel.cancel();
            });
            let started = Instant::now();
            let outcome = session.run(source).await.expect("a run");
            elsewhere.join().expect("no panic");
            assert_eq!(outcome.error.expect("an error").kind, ErrorKind::Cancelled);
            assert!(
                started.elapsed() < Duration::from_secs(1),
                "{:?}",
                started.elapsed()
            );
            assert!(session.is_alive());
        }
        assert!(matches!(
            session.get_variable("x").await,
            Ok(Some(Value::Int(1..)))
        ));
    });
}

#[test]
fn a_dropped_run_loses_its_session_only() {
    block_on(async {
        let mut session = session(&limits()).await;
        let dropped =
            tokio::time::timeout(Duration::from_millis(30), session.run("while True: pass")).await;
        assert!(dropped.is_err());
        assert!(!session.is_alive());
        assert!(matches!(session.run("1").await, Err(Error::SessionLost)));
    });
    assert_eq!(run("1").error, None);
}

#[test]
fn one_thread_serves_many_sessions() {
    block_on(async {
        let (mut busy, mut quick) = (session(&limits()).await, session(&limits()).await);
        let cancel = busy.cancel_handle();
        let endless = busy.run("while True: pass");
        let other = async {
            for _ in 0..10 {
                assert_eq!(quick.run("1 + 1").await.expect("a run").error, None);
            }
            cancel.cancel();
        };
        let (endless, ()) = tokio::join!(endless, other);
        assert_eq!(
            endless.expect("a run").error.expect("an error").kind,
            ErrorKind::Cancelled
        );
    });
}

#[test]
fn many_threads_share_an_engine() {
    std::thread::scope(|scope| {
        for n in 0..8 {
            scope.spawn(move || {
                for round in 0..20 {
                    let outcome = run(&format!("sum(range({n} * 100 + {round}))"));
                    let k = n * 100 + round;
                    let expected = (k * (k - 1) / 2).max(0).to_string();
                    assert_eq!(outcome.value.expect("a value").repr, expected);
                }
            });
        }
    });
}

#[test]
fn the_pool_has_an_end() {
    block_on(async {
        let engine = Engine::builder()
            .max_sessions(2)
            .build()
            .expect("an engine");
        assert!(engine.is_pooled());
        let one = engine.session(&limits()).await.expect("a session");
        let _two = engine.session(&limits()).await.expect("a session");
        assert!(matches!(
            engine.session(&limits()).await,
            Err(Error::Busy { sessions: 2 })
        ));
        drop(one);
        engine.session(&limits()).await.expect("a session");
    });
}

#[test]
fn engines_share_a_code_cache() {
    let folder = std::env::temp_dir().join(format!("coldframe-system-{}", std::process::id()));
    block_on(async {
        for pooled in [true, false, true] {
            let builder = Engine::builder().max_sessions(2).pooled(pooled);
            let engine = builder.code_cache(&folder).build().expect("an engine");
            assert_eq!(engine.is_pooled(), pooled);
            // The second session starts in what the first has left.
            for _ in 0..2 {
                let mut session = engine.session(&limits()).await.expect("a session");
                let outcome = session.run("x = [1] * 100_000\nlen(x)").await;
                let value = outcome.expect("a run").value.expect("a value");
                assert_eq!(value.repr, "100000");
            }
            assert_eq!(folder.is_dir(), cfg!(target_os = "linux"));
        }
    });
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn sessions_on_demand_work_too() {
    block_on(async {
        let engine = Engine::builder().pooled(false).build().expect("an engine");
        assert!(!engine.is_pooled());
        let mut session = engine.session(&limits()).await.expect("a session");
        assert_eq!(
            session
                .run("'on ' + 'demand'")
                .await
                .expect("a run")
                .value
                .expect("a value")
                .repr,
            "'on demand'"
        );
    });
}

#[test]
fn nothing_of_a_session_is_left_in_its_slot() {
    block_on(async {
        let engine = Engine::builder()
            .max_sessions(1)
            .build()
            .expect("an engine");
        let mut fuel = None;
        for _ in 0..3 {
            let mut session = engine.session(&limits()).await.expect("a session");
            session
                .run("import builtins\nbuiltins.leak = [0] * 100000")
                .await
                .expect("a run");
            drop(session);
            let mut session = engine.session(&limits()).await.expect("a session");
            let outcome = session
                .run("hasattr(__import__('builtins'), 'leak')")
                .await
                .expect("a run");
            assert_eq!(outcome.value.expect("a value").repr, "False");
            assert_eq!(*fuel.get_or_insert(outcome.usage.fuel), outcome.usage.fuel);
        }
    });
}

#[test]
fn fuel_is_the_same_every_time() {
    let source =
        "d = {}\nfor i in range(2000): d[str(i)] = {i, str(i)}\nsorted(d)[-1], hash('abc')";
    let first = run(source);
    assert_eq!(first.error, None);
    for _ in 0..5 {
        let again = run(source);
        assert_eq!(
            (again.usage.fuel, &again.value),
            (first.usage.fuel, &first.value)
        );
    }
}

#[test]
fn usage_is_told() {
    let outcome = run("x = [0] * 10**6\nprint(len(x))");
    assert!(
        outcome.usage.fuel > 1_000 && outcome.usage.fuel < 100_000_000,
        "{}",
        outcome.usage.fuel
    );
    assert!(
        outcome.usage.peak_memory > 8_000_000
            && outcome.usage.peak_memory < Limits::default().memory()
    );
    assert_eq!(outcome.usage.output_bytes, 8);
}

#[test]
fn imports_are_listed_without_running() {
    block_on(async {
        let mut session = session(&limits()).await;
        let source = "import os.path, sys\n1 / 0\ndef f():\n    from json import loads\n";
        let imports = session.list_imports(source).await.expect("imports");
        let names: Vec<_> = imports
            .iter()
            .map(|i| (i.module.as_str(), i.line))
            .collect();
        assert_eq!(names, [("os.path", 1), ("sys", 1), ("json", 4)]);
        match session.list_imports("def f(:").await {
            Err(Error::Run(error)) => assert_eq!(error.kind, ErrorKind::Syntax),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn exits_have_their_status() {
    let code = |source: &str| match run(source).error {
        Some(error) => match error.kind {
            ErrorKind::Exit { code } => Some(code),
            kind => panic!("{kind}"),
        },
        None => None,
    };
    assert_eq!(code("import sys\nsys.exit(7)"), Some(7));
    assert_eq!(code("raise SystemExit"), Some(0));
    assert_eq!(code("raise SystemExit('message')"), Some(1));
}

#[test]
fn the_engine_outlives_its_clones() {
    let clone = engine().clone();
    assert_eq!(clone.max_sessions(), engine().max_sessions());
    drop(clone);
    assert_eq!(run("2").value.expect("a value").repr, "2");
}

#[test]
fn a_reset_session_is_a_fresh_one() {
    block_on(async {
        let mut session = session(&limits()).await;
        session.put_file("f", b"x").await.expect("put");
        session.run("x = 1").await.expect("a run");
        session.run("1 / 0").await.expect("a run");
        session.reset().await.expect("reset");
        let outcome = session.run("x").await.expect("a run");
        assert_eq!(outcome.error.expect("an error").type_name, "NameError");
        assert!(session.take_file("f").await.is_err());
        let statistics = session.log().statistics();
        assert_eq!((statistics.runs, statistics.successes), (3, 1));
        assert_eq!(statistics.failures["exception"], 2);
    });
}

#[test]
fn a_lost_session_comes_back_by_reset_and_its_handle_still_cancels() {
    block_on(async {
        let mut session = session(&limits()).await;
        let handle = session.cancel_handle();
        {
            let run = session.run("while True: pass");
            let waited = tokio::time::timeout(Duration::from_millis(50), run).await;
            assert!(waited.is_err());
        }
        assert!(!session.is_alive());
        session.reset().await.expect("reset");
        assert!(session.is_alive());
        let (outcome, ()) = tokio::join!(session.run("while True: pass"), async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            handle.cancel();
        });
        assert_eq!(
            outcome.expect("a run").error.expect("an error").kind,
            ErrorKind::Cancelled
        );
    });
}

#[test]
fn variables_are_listed_as_people_look_at_them() {
    block_on(async {
        let mut session = session(&limits()).await;
        let source = "import math\nx = 'ä' * 300\nclass C:\n    def __repr__(self): raise ValueError('no')\nc = C()\nx = x\ndel math";
        session.run(source).await.expect("a run");
        let variables = session.list_variables(4).await.expect("a list");
        let told: Vec<_> = variables
            .iter()
            .map(|v| (v.name.as_str(), v.type_name.as_str(), v.repr.as_str()))
            .collect();
        assert_eq!(told[0], ("x", "str", "'ä"));
        assert_eq!(told[1].0, "C");
        let all = session.list_variables(200).await.expect("a list");
        assert_eq!(all[2].repr, "<repr raised ValueError>");
        session
            .run("class D:\n    def __repr__(self):\n        while True: pass\nd = D()")
            .await
            .expect("a run");
        let limits = Limits::builder().fuel(50_000_000).build().expect("limits");
        let saved = session.save().await.expect("saved");
        let mut short = engine().restore(&saved, &limits).await.expect("restored");
        match short.list_variables(200).await {
            Err(Error::Run(error)) => assert_eq!(error.kind, ErrorKind::Fuel),
            other => panic!("{other:?}"),
        }
        let outcome = short.run("x[0]").await.expect("a run");
        assert_eq!(outcome.value.expect("a value").repr, "'ä'");
    });
}
