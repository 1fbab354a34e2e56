//! A kernel of a real gateway: all that a session does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use coldframe::backend::jupyter::{Jupyter, Kernel};
use coldframe::backend::{Backend, BackendError, DisplayData, Place, Secret};
use coldframe::value::{
    BigInt, ClassName, Dataclass, Date, DateTime, Decimal, EnumMember, Exception, Fraction,
    NamedTuple, Path, PathKind, Range, Slice, Time, TimeDelta, TimeZone, Uuid,
};
use coldframe::{
    CancelHandle, ErrorKind, Limits, Outcome, Parameter, Policy, RunOptions, Stream, Tool,
    ToolError, Tools, Value,
};

use crate::{block_on, gateway};

pub fn server() -> Jupyter {
    let server = Jupyter::new(gateway::url()).token(Secret::new(gateway::TOKEN));
    server.start_time(PATIENCE)
}

/// How long things may take to start: machines are as busy as they like.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Cancels a run as soon as it writes something.
pub fn cancelling(cancel: CancelHandle) -> RunOptions {
    RunOptions::default().on_output(move |_, _| {
        cancel.cancel();
        true
    })
}

pub fn limits(time: Duration) -> Limits {
    Limits::builder().time(time).build().expect("limits")
}

async fn kernel() -> Kernel {
    let policy = limits(Duration::from_secs(60));
    server().policy(policy).connect().await.expect("a kernel")
}

async fn run(kernel: &mut Kernel, source: &str) -> Outcome {
    kernel
        .run(source, RunOptions::default())
        .await
        .expect("a run")
}

fn repr(outcome: &Outcome) -> &str {
    assert_eq!(outcome.error, None);
    &outcome.value.as_ref().expect("a value").repr
}

#[test]
fn programs_run_and_their_state_stays() {
    block_on(async {
        let mut kernel = kernel().await;
        let outcome = run(
            &mut kernel,
            "x = 20\ndef f(n): return n + 1\nprint('hi'); f(x)",
        )
        .await;
        assert_eq!(repr(&outcome), "21");
        assert_eq!(
            outcome.value.as_ref().and_then(|v| v.value.clone()),
            Some(Value::Int(21))
        );
        assert_eq!(
            (outcome.output.stdout().as_str(), outcome.place),
            ("hi\n", Place::Jupyter)
        );
        assert!(outcome.displays.is_empty());
        let outcome = run(&mut kernel, "f(x) * 2").await;
        assert_eq!(repr(&outcome), "42");
        let outcome = run(&mut kernel, "y = 1").await;
        assert!(outcome.value.is_none() && outcome.error.is_none());
        kernel.cleanup().await.expect("cleanup");
        let again = kernel.run("1", RunOptions::default()).await;
        assert!(matches!(again, Err(BackendError::Closed(Place::Jupyter))));
    });
}

#[test]
fn streams_are_apart_and_come_as_they_are_written() {
    block_on(async {
        let mut kernel = kernel().await;
        let (sender, receiver) = std::sync::mpsc::channel();
        let options = RunOptions::default().on_output(move |stream, bytes| {
            sender
                .send((stream, String::from_utf8_lossy(bytes).into_owned()))
                .is_ok()
        });
        let source = "import sys, time\nprint('a', flush=True)\nprint('b', file=sys.stderr, flush=True)\ntime.sleep(0.3)\nprint('c')";
        let outcome = kernel.run(source, options).await.expect("a run");
        assert_eq!(outcome.output.stdout(), "a\nc\n");
        assert_eq!(outcome.output.stderr(), "b\n");
        let pieces: Vec<_> = receiver.try_iter().collect();
        assert!(
            pieces.contains(&(Stream::Stderr, "b\n".to_owned())),
            "{pieces:?}"
        );
        assert!(pieces.len() >= 3, "{pieces:?}");
    });
}

#[test]
fn pictures_are_data() {
    block_on(async {
        let mut kernel = kernel().await;
        let outcome = run(
            &mut kernel,
            "from PIL import Image\nImage.new('RGB', (4, 4), 'red')",
        )
        .await;
        assert!(repr(&outcome).starts_with("<PIL.Image.Image"));
        let [display] = &outcome.displays[..] else {
            panic!("{:?}", outcome.displays)
        };
        assert!(display.is_value);
        match display.get("image/png") {
            Some(DisplayData::Bytes(bytes)) => assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n"),
            other => panic!("{other:?}"),
        }
        let source = "from IPython.display import display, SVG, HTML, JSON\ndisplay(HTML('<b>x</b>')); display(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>'))\ndisplay(JSON({'a': [1]}))\nclass J:\n  def _repr_jpeg_(self): return b'\\xff\\xd8'\ndisplay(J())";
        let outcome = run(&mut kernel, source).await;
        assert_eq!(outcome.error, None);
        let forms: Vec<_> = outcome
            .displays
            .iter()
            .map(|d| {
                assert!(!d.is_value);
                d.forms
                    .iter()
                    .map(|f| f.0.as_str())
                    .find(|m| *m != "text/plain")
                    .unwrap_or_default()
            })
            .collect();
        assert_eq!(
            forms,
            [
                "text/html",
                "image/svg+xml",
                "application/json",
                "image/jpeg"
            ]
        );
        assert_eq!(
            outcome.displays[0].get("text/html"),
            Some(&DisplayData::Text("<b>x</b>".into()))
        );
        assert_eq!(
            outcome.displays[2].get("application/json"),
            Some(&DisplayData::Text("{\"a\":[1]}".into()))
        );
        assert_eq!(
            outcome.displays[3].get("image/jpeg"),
            Some(&DisplayData::Bytes(vec![0xff, 0xd8]))
        );
    });
}

#[test]
fn errors_have_a_structure_and_no_colours() {
    block_on(async {
        let mut kernel = kernel().await;
        let outcome = run(
            &mut kernel,
            "print('before')\ndef f():\n    return {}['k']\nf()",
        )
        .await;
        let error = outcome.error.expect("an error");
        assert_eq!(
            (
                error.kind,
                error.type_name.as_str(),
                error.message.as_str(),
                error.line
            ),
            (ErrorKind::Exception, "KeyError", "'k'", Some(3))
        );
        assert!(
            error.traceback.starts_with(
                "Traceback (most recent call last):\n  File \"<string>\", line 4, in <module>\n"
            ),
            "{}",
            error.traceback
        );
        assert!(
            error
                .traceback
                .contains("File \"<string>\", line 3, in f\n    return {}['k']"),
            "{}",
            error.traceback
        );
        assert!(
            error.traceback.ends_with("KeyError: 'k'\n") && !error.traceback.contains('\u{1b}')
        );
        assert_eq!(outcome.output.stdout(), "before\n");
        let error = run(&mut kernel, "1 +").await.error.expect("an error");
        assert_eq!(
            (error.kind, error.type_name.as_str(), error.line),
            (ErrorKind::Syntax, "SyntaxError", Some(1))
        );
        let error = run(&mut kernel, "import sys; sys.exit(3)")
            .await
            .error
            .expect("an error");
        assert_eq!(error.kind, ErrorKind::Exit { code: 3 });
        // After all that the session is as it was.
        assert_eq!(repr(&run(&mut kernel, "f.__name__").await), "'f'");
        let outcome = kernel
            .run_cell("1/0", RunOptions::default())
            .await
            .expect("a cell");
        let error = outcome.error.expect("an error");
        assert_eq!(
            (error.type_name.as_str(), error.message.as_str()),
            ("ZeroDivisionError", "division by zero")
        );
        assert!(!error.traceback.contains('\u{1b}'), "{}", error.traceback);
        let outcome = kernel
            .run_cell("%time 6*7", RunOptions::default())
            .await
            .expect("a cell");
        assert_eq!(repr(&outcome), "42");
        let agent = server().policy(Policy::smolagents()).connect().await;
        let mut agent = agent.expect("a kernel");
        let outcome = run(&mut agent, "x = 1\nint('a')").await;
        assert_eq!(
            outcome.agent_text(),
            Some(
                "Code execution failed at line 'int('a')' due to: ValueError: invalid literal for int() with base 10: 'a'"
            )
        );
    });
}

#[test]
fn three_hundred_cells_in_a_row_are_all_run() {
    block_on(async {
        let mut kernel = kernel().await;
        run(&mut kernel, "n = 0").await;
        let started = Instant::now();
        for i in 0..300 {
            // Errors are what makes a kernel throw away the cells behind.
            if i % 3 == 0 {
                let outcome = kernel
                    .run_cell("n += 1; raise ValueError(n)", RunOptions::default())
                    .await
                    .expect("a cell");
                assert_eq!(outcome.error.expect("an error").type_name, "ValueError");
            } else {
                let outcome = run(&mut kernel, "n += 1; n").await;
                assert_eq!(repr(&outcome), (i + 1).to_string());
            }
        }
        println!("300 cells in {:?}", started.elapsed());
        assert_eq!(repr(&run(&mut kernel, "n").await), "300");
    });
}

#[test]
fn a_kernel_that_dies_is_noticed_and_replaced() {
    block_on(async {
        let mut kernel = kernel().await;
        run(&mut kernel, "x = 1").await;
        let outcome = run(
            &mut kernel,
            "print('last words', flush=True)\nimport os; os._exit(1)",
        )
        .await;
        let error = outcome.error.expect("an error");
        assert_eq!((error.kind, error.session_lost), (ErrorKind::Died, true));
        let outcome = run(&mut kernel, "'x' in globals()").await;
        assert_eq!(repr(&outcome), "False");
        // By a signal, from outside, between runs.
        let outcome = run(&mut kernel, "import os; x = 2; os.getpid()").await;
        let pid = repr(&outcome).to_owned();
        let killed = std::process::Command::new("kill")
            .args(["-9", &pid])
            .status();
        assert!(killed.expect("kill runs").success());
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut ends = Vec::new();
        for _ in 0..2 {
            let outcome = run(&mut kernel, "'x' in globals()").await;
            match outcome.error {
                Some(error) => ends.push(error.kind),
                None => assert_eq!(outcome.value.expect("a value").repr, "False"),
            }
        }
        assert!(
            ends.len() < 2 && ends.iter().all(|kind| *kind == ErrorKind::Died),
            "{ends:?}"
        );
    });
}

/// Prints without end, and lets the kernel's other thread print: a loop without the pause keeps the buffer's lock from it (ipykernel 7.4 on fast machines), and then nothing
/// is heard of the program until it is interrupted, and all of it at once.
const LOUD: &str = "import time\nwhile True:\n    print('x' * 99)\n    time.sleep(0)";

/// Programs that do not end by themselves, in a backend whose programs may take two seconds: only the reasons of their ends are looked at, since a machine may be as
/// busy as it likes.
pub async fn check_endless_programs(backend: &mut impl Backend) {
    let mut end = async |source: &str| {
        let outcome = backend.run(source, RunOptions::default()).await;
        let error = outcome.expect("a run").error.expect("an error");
        (error.kind, error.session_lost)
    };
    let heed = [
        "x = 1\nwhile True: pass",
        "import time; time.sleep(3600)",
        "print('a', flush=True)\nwhile True: x = 2",
        LOUD,
    ];
    for source in heed {
        assert_eq!(end(source).await, (ErrorKind::Time, false), "{source}");
    }
    // Those that do not heed it, silent and loud.
    let ignore = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)";
    for source in ["while True: pass", LOUD] {
        let source = format!("{ignore}\n{source}");
        assert_eq!(end(&source).await, (ErrorKind::Time, true), "{source}");
    }
}

#[test]
fn programs_that_take_too_long_are_interrupted() {
    block_on(async {
        let limits = Limits::builder()
            .time(Duration::from_secs(2))
            .output(1 << 30)
            .build()
            .expect("limits");
        let mut kernel = server().policy(limits).connect().await.expect("a kernel");
        check_endless_programs(&mut kernel).await;
        let x = kernel.get_variable("x").await.expect("an answer");
        assert_eq!(x, None);
    });
}

#[test]
fn runs_can_be_cancelled() {
    block_on(async {
        let mut kernel = kernel().await;
        let options = cancelling(kernel.cancel_handle());
        let source = "x = 5\nprint('go', flush=True)\nwhile True: pass";
        let outcome = kernel.run(source, options).await.expect("a run");
        let error = outcome.error.expect("an error");
        assert_eq!(
            (error.kind, error.session_lost),
            (ErrorKind::Cancelled, false)
        );
        assert_eq!(repr(&run(&mut kernel, "x").await), "5");
    });
}

#[test]
fn output_has_its_limit() {
    block_on(async {
        let limits = Limits::builder()
            .time(Duration::from_secs(60))
            .output(10_000)
            .build()
            .expect("limits");
        let mut kernel = server().policy(limits).connect().await.expect("a kernel");
        let outcome = run(&mut kernel, LOUD).await;
        let error = outcome.error.expect("an error");
        assert_eq!(error.kind, ErrorKind::Output);
        assert_eq!(outcome.output.len(), 10_000);
        assert_eq!(repr(&run(&mut kernel, "1").await), "1");
    });
}

/// How long the slow tool takes.
const SLOW: Duration = Duration::from_secs(8);

fn tools(calls: Arc<AtomicU32>) -> Tools {
    let add = Tool::new("add")
        .doc("Adds.")
        .parameter(Parameter::new("a").annotation("int"))
        .parameter(Parameter::new("b").annotation("int").default(10))
        .parameter(Parameter::var_positional("more"))
        .parameter(Parameter::keyword_only("scale").default(1))
        .parameter(Parameter::var_keyword("named"))
        .returns("int")
        .function(move |call| {
            calls.fetch_add(1, Ordering::SeqCst);
            async move {
                let mut sum = call.int("a")? + call.int("b")?;
                for part in call
                    .get("more")
                    .into_iter()
                    .chain(call.get("named"))
                    .flat_map(Value::parts)
                {
                    if let Value::Int(n) = part {
                        sum += n;
                    }
                }
                Ok((sum * call.int("scale")?).into())
            }
        });
    let fail =
        Tool::new("fail").function(|_| async { Err(ToolError::new("WeatherError", "no sky")) });
    let slow = Tool::new("slow").coroutine(|_| async {
        tokio::time::sleep(SLOW).await;
        Ok("done".into())
    });
    let echo = Tool::new("echo")
        .parameter(Parameter::positional_only("x"))
        .function(|mut call| async move { Ok(call.take("x")) });
    Tools::builder()
        .exception("WeatherError", "LookupError")
        .tool(add)
        .tool(fail)
        .tool(slow)
        .tool(echo)
        .tool(Tool::answer())
        .build()
        .expect("tools")
}

#[test]
fn tools_of_the_host_are_called_from_the_kernel() {
    block_on(async {
        let mut kernel = kernel().await;
        let calls = Arc::new(AtomicU32::new(0));
        kernel
            .set_tools(&tools(calls.clone()))
            .await
            .expect("tools");
        let outcome = run(
            &mut kernel,
            "[add(1), add(1, 2), add(1, 2, 3, 4, scale=2, x=5), sum(add(i) for i in range(3))]",
        )
        .await;
        assert_eq!(repr(&outcome), "[11, 3, 30, 33]");
        assert_eq!(
            (outcome.usage.tool_calls, calls.load(Ordering::SeqCst)),
            (6, 6)
        );
        let outcome = run(
            &mut kernel,
            "try: fail()\nexcept WeatherError as e: print(type(e).__mro__[1].__name__, e)",
        )
        .await;
        assert_eq!(outcome.output.stdout(), "LookupError no sky\n");
        let outcome = run(
            &mut kernel,
            "import inspect; (str(inspect.signature(add)), add.__doc__)",
        )
        .await;
        assert_eq!(
            repr(&outcome),
            "('(a: int, b: int = 10, *more, scale=1, **named) -> int', 'Adds.')"
        );
        let error = run(&mut kernel, "add()").await.error.expect("an error");
        assert_eq!(
            error.message,
            "add() missing 1 required positional argument: 'a'"
        );
        let error = run(&mut kernel, "add('x')").await.error.expect("an error");
        assert_eq!(
            (error.type_name.as_str(), error.message.as_str()),
            ("TypeError", "add(): argument 'a' must be an int of 64 bits")
        );
        let error = run(&mut kernel, "input('name? ')")
            .await
            .error
            .expect("an error");
        assert_eq!(error.type_name, "EOFError");
        let error = run(&mut kernel, "echo(object())")
            .await
            .error
            .expect("an error");
        assert!(error.message.contains("cannot cross"), "{error}");
        // Other tools take their place.
        kernel
            .set_tools(&Tools::new([Tool::answer()]).expect("tools"))
            .await
            .expect("tools");
        assert_eq!(
            run(&mut kernel, "add(1)")
                .await
                .error
                .expect("an error")
                .type_name,
            "NameError"
        );
        // They are there again after the kernel died.
        run(&mut kernel, "import os; os._exit(1)").await;
        let outcome = run(&mut kernel, "final_answer(1)").await;
        assert!(outcome.is_final_answer);
    });
}

#[test]
fn the_time_of_tools_does_not_count() {
    block_on(async {
        let server = server().policy(limits(SLOW - Duration::from_secs(2)));
        let mut kernel = server.connect().await.expect("a kernel");
        kernel
            .set_tools(&tools(Arc::default()))
            .await
            .expect("tools");
        let options = RunOptions::default().top_level_await(true);
        let outcome = kernel
            .run("r = await slow()\nr", options)
            .await
            .expect("a run");
        assert_eq!(repr(&outcome), "'done'");
        assert!(outcome.usage.tool_time >= SLOW);
    });
}

fn every_kind() -> Vec<Value> {
    let zone = TimeZone::Fixed {
        offset: TimeDelta::new(0, -3600, 0).expect("a delta"),
        name: Some("X".into()),
    };
    vec![
        Value::None,
        true.into(),
        (-7).into(),
        i64::MIN.into(),
        (1u128 << 100).into(),
        Value::BigInt(BigInt::new(true, &[7; 1500])),
        // Of 12,041 digits, more than Python turns into a text by itself.
        Value::BigInt(BigInt::new(false, &[7; 5000])),
        0.1.into(),
        f64::INFINITY.into(),
        Value::Complex(1.5, -0.5),
        "naïve 🐍 \"\\\n".into(),
        Value::SurrogateStr(b"a\xed\xa0\x80".to_vec()),
        Value::Bytes(vec![0, 255, 1]),
        Value::ByteArray(vec![1, 2]),
        vec![1, 2].into(),
        Value::Tuple(vec![1.into(), "x".into(), Value::Tuple(vec![])]),
        Value::dict([("a", 1), ("b", 2)]),
        Value::Dict(vec![
            (1.into(), "x".into()),
            (Value::Tuple(vec![2.into()]), Value::None),
        ]),
        Value::dict([("__type__", "tuple")]),
        Value::Set(vec![1.into()]),
        Value::FrozenSet(vec!["a".into()]),
        Range::new(0, 10, 3).expect("a range").into(),
        Slice {
            start: Value::None,
            stop: 5.into(),
            step: Value::None,
        }
        .into(),
        Date::new(2026, 11, 30).expect("a date").into(),
        "23:59:59.999999".parse::<Time>().expect("a time").into(),
        "2026-11-30T12:00:00+01:00"
            .parse::<DateTime>()
            .expect("a moment")
            .into(),
        TimeDelta::new(-1, 5, 7).expect("a delta").into(),
        zone.into(),
        Decimal::new("-1.10E+5").expect("a decimal").into(),
        Fraction::new(-1, 3).expect("a fraction").into(),
        Path {
            kind: PathKind::Posix,
            text: "/a/b".into(),
        }
        .into(),
        Path {
            kind: PathKind::PureWindows,
            text: "C:\\a".into(),
        }
        .into(),
        Uuid([7; 16]).into(),
        EnumMember {
            class: ClassName::main("Color"),
            name: Some("RED".into()),
            value: 1.into(),
        }
        .into(),
        Dataclass {
            class: ClassName::main("Point"),
            fields: vec![("x".into(), 1.into()), ("y".into(), "b".into())],
        }
        .into(),
        NamedTuple {
            class: ClassName::main("Pair"),
            fields: vec![("a".into(), 1.into()), ("b".into(), vec![2].into())],
        }
        .into(),
        Exception {
            class: ClassName::new("builtins", "ValueError"),
            args: vec!["no".into(), 1.into()],
        }
        .into(),
    ]
}

/// Values of every kind as variables, and as final answers; `final_answer` has to be defined there.
pub async fn check_every_kind(backend: &mut impl Backend) {
    let source = "import enum, dataclasses, collections\nclass Color(enum.Enum):\n  RED = 1\n@dataclasses.dataclass\nclass Point:\n  x: int\n  y: str\nPair = collections.namedtuple('Pair', 'a b')";
    let outcome = backend.run(source, RunOptions::default()).await;
    assert_eq!(outcome.expect("a run").error, None);
    for value in every_kind() {
        backend
            .set_variables(&[("v".to_owned(), value.clone())])
            .await
            .unwrap_or_else(|e| panic!("{value:?}: {e}"));
        let back = backend
            .get_variable("v")
            .await
            .unwrap_or_else(|e| panic!("{value:?}: {e}"));
        assert_eq!(back.as_ref(), Some(&value));
        // As the value of a run, whose repr() must succeed: that of a large int has a limit, there as here.
        let is_large = matches!(&value, Value::BigInt(n) if n.magnitude().len() > 2000);
        let limit = if is_large { 0 } else { 4300 };
        let source = format!("__import__('sys').set_int_max_str_digits({limit})\nv");
        let outcome = backend.run(&source, RunOptions::default()).await;
        let outcome = outcome.expect("a run");
        assert_eq!(outcome.error, None, "{value:?}");
        let last = outcome.value.and_then(|last| last.value);
        assert_eq!(last.unwrap_or(Value::None), value);
        let source = "__import__('sys').set_int_max_str_digits(4300)";
        let outcome = backend.run(source, RunOptions::default()).await;
        assert_eq!(outcome.expect("a run").error, None);
        // As a final answer, from any depth.
        let source = "def f():\n  try: final_answer(v)\n  except Exception: pass\nf()";
        let outcome = backend.run(source, RunOptions::default()).await;
        let outcome = outcome.expect("a run");
        assert!(
            outcome.is_final_answer && outcome.error.is_none(),
            "{value:?}: {outcome:?}"
        );
        assert_eq!(outcome.value.expect("a value").value.as_ref(), Some(&value));
    }
}

#[test]
fn values_of_every_kind_go_there_and_come_back() {
    block_on(async {
        let mut kernel = kernel().await;
        kernel
            .set_tools(&tools(Arc::default()))
            .await
            .expect("tools");
        check_every_kind(&mut kernel).await;
        for value in every_kind() {
            kernel
                .set_variables(&[("v".to_owned(), value.clone())])
                .await
                .expect("a variable");
            // To a tool and from it.
            let outcome = run(&mut kernel, "back = echo(v)").await;
            assert_eq!(outcome.error, None, "{value:?}");
            let back = kernel.get_variable("back").await.expect("an answer");
            assert_eq!(back, Some(value));
        }
        assert_eq!(
            kernel.get_variable("nothing").await.expect("an answer"),
            None
        );
        assert_eq!(
            repr(&run(&mut kernel, "v = Color.RED; isinstance(echo(v), Color)").await),
            "True"
        );
        run(&mut kernel, "v = object()").await;
        let error = kernel
            .get_variable("v")
            .await
            .expect_err("an error")
            .to_string();
        assert_eq!(
            error,
            "variable \"v\": objects of class 'object' cannot cross"
        );
        let outcome = run(&mut kernel, "v = []; v.append(v); v").await;
        assert_eq!(outcome.value.expect("a value").value, None);
        // Pictures and arrays have a form, too.
        let outcome = run(
            &mut kernel,
            "from PIL import Image\nfinal_answer(Image.new('L', (1, 1)))",
        )
        .await;
        let answer = outcome.value.and_then(|v| v.value).expect("a value");
        assert_eq!(answer.get("__type__"), Some(&"PIL.Image".into()));
        let outcome = run(
            &mut kernel,
            "import numpy\nfinal_answer((numpy.arange(3), numpy.float32(0.5)))",
        )
        .await;
        assert_eq!(
            outcome.value.and_then(|v| v.value),
            Some(Value::Tuple(vec![vec![0, 1, 2].into(), 0.5.into()]))
        );
        let variables = kernel.list_variables(10).await.expect("variables");
        let names: Vec<_> = variables.iter().map(|v| v.name.as_str()).collect();
        assert!(
            names.starts_with(&["enum", "dataclasses", "collections", "Color"]),
            "{names:?}"
        );
    });
}

#[test]
fn packages_are_installed_by_name_only() {
    block_on(async {
        let mut kernel = kernel().await;
        let bad = kernel.install(&["--index-url=http://x".to_owned()]).await;
        assert!(matches!(bad, Err(BackendError::Install { .. })));
        // One that is there already, so that nothing is fetched.
        kernel.install(&["numpy".to_owned()]).await.expect("numpy");
    });
}

#[test]
fn kernels_are_removed_however_they_end() {
    block_on(async {
        let mut gateway = gateway::start();
        let url = format!("http://127.0.0.1:{}", gateway.port());
        let server = Jupyter::new(&url).token(Secret::new(gateway::TOKEN));
        let server = server.start_time(PATIENCE);
        let mut first = server.connect().await.expect("a kernel");
        let second = server.connect().await.expect("a kernel");
        let mut third = server.connect().await.expect("a kernel");
        run(&mut first, "1").await;
        first.cleanup().await.expect("cleanup");
        drop(second);
        let count = "import urllib.request, json\nrequest = urllib.request.Request(URL + '/api/kernels', headers={'Authorization': 'token ' + TOKEN})\nlen(json.load(urllib.request.urlopen(request)))";
        third
            .set_variables(&[
                ("URL".into(), url.as_str().into()),
                ("TOKEN".into(), gateway::TOKEN.into()),
            ])
            .await
            .expect("variables");
        let outcome = run(&mut third, count).await;
        assert_eq!(repr(&outcome), "1");
        drop(third);
        gateway.stop();
        // Nobody is there any more.
        let error = server
            .start_time(Duration::from_secs(1))
            .connect()
            .await
            .expect_err("an error");
        assert!(matches!(error, BackendError::NotReady { .. }), "{error}");
        assert!(!format!("{error} {error:?}").contains(gateway::TOKEN));
    });
}

#[test]
fn a_wrong_token_is_said_at_once_and_not_shown() {
    block_on(async {
        let server = Jupyter::new(gateway::url()).token(Secret::new("planted-wrong-token"));
        // The gateway may still be starting.
        let error = server.connect().await.expect_err("an error");
        assert!(
            matches!(
                error,
                BackendError::Refused {
                    status: 401 | 403,
                    ..
                }
            ),
            "{error}"
        );
        assert!(!format!("{error} {error:?} {server:?}").contains("planted"));
    });
}
