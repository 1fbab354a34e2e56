//! Tools: functions of the host that programs call, await and end with.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use coldframe::{
    Call, Error, ErrorKind, Handle, Limits, ObjectType, Outcome, Parameter, RunOptions, Session,
    Tool, ToolError, Tools, Value,
};
use coldframe_tests::{block_on, limits, session};
use tokio::sync::{Barrier, Notify};

/// A tool that gives back its arguments as a list.
fn echo(name: &str, parameters: impl IntoIterator<Item = Parameter>) -> Tool {
    parameters
        .into_iter()
        .fold(Tool::new(name), |tool, p| tool.parameter(p))
        .function(|call| async move { Ok(Value::List(call.arguments().to_vec())) })
}

fn set(tools: impl IntoIterator<Item = Tool>) -> Tools {
    Tools::new(tools).expect("valid tools")
}

async fn with_tools(limits: &Limits, tools: &Tools) -> Session {
    let mut session = session(limits).await;
    session.set_tools(tools).await.expect("tools");
    session
}

async fn run_in(session: &mut Session, source: &str) -> Outcome {
    session.run(source).await.expect("a run")
}

/// What a program prints that may use these tools. It must not fail.
fn prints(tools: &Tools, source: &str) -> String {
    block_on(async {
        let mut session = with_tools(&limits(), tools).await;
        let outcome = run_in(&mut session, source).await;
        assert_eq!(outcome.error, None, "{source}");
        outcome.output.stdout()
    })
}

fn outcome_of(tools: &Tools, source: &str) -> Outcome {
    block_on(async {
        let mut session = with_tools(&limits(), tools).await;
        run_in(&mut session, source).await
    })
}

/// `def every(a, /, b, c=3, *rest, d, e='x', **more)`
fn every() -> Tool {
    echo(
        "every",
        [
            Parameter::positional_only("a").annotation("int"),
            Parameter::new("b"),
            Parameter::new("c").annotation("int | None").default(3i64),
            Parameter::var_positional("rest"),
            Parameter::keyword_only("d"),
            Parameter::keyword_only("e").default("x"),
            Parameter::var_keyword("more"),
        ],
    )
}

#[test]
fn every_kind_of_parameter_reaches_the_host_in_the_order_of_declaration() {
    assert_eq!(
        prints(
            &set([every()]),
            "print(every(1, 2, d=4))\nprint(every(1, b=2, d=4, e=5, z=6))\nprint(every(1, 2, None, 4, 5, d=(6,), e={7}))"
        ),
        "[1, 2, 3, (), 4, 'x', {}]\n[1, 2, 3, (), 4, 5, {'z': 6}]\n[1, 2, None, (4, 5), (6,), {7}, {}]\n"
    );
}

/// What CPython 3.13 says to the same calls of `def f(a, /, b, c=3, *rest, d, e='x', **more)`, `def g(x, y=2)`, `def h()` and `def k(*, only)`.
#[test]
fn wrong_arguments_raise_what_cpython_raises() {
    let tools = set([
        every(),
        echo(
            "g",
            [Parameter::new("x"), Parameter::new("y").default(2i64)],
        ),
        echo("h", []),
        echo("k", [Parameter::keyword_only("only")]),
        echo("p", [Parameter::positional_only("x")]),
    ]);
    for (call, text) in [
        (
            "every()",
            "every() missing 2 required positional arguments: 'a' and 'b'",
        ),
        (
            "every(1)",
            "every() missing 1 required positional argument: 'b'",
        ),
        (
            "every(1, 2)",
            "every() missing 1 required keyword-only argument: 'd'",
        ),
        (
            "every(1, 2, b=3, d=4)",
            "every() got multiple values for argument 'b'",
        ),
        ("g()", "g() missing 1 required positional argument: 'x'"),
        (
            "g(1, 2, 3)",
            "g() takes from 1 to 2 positional arguments but 3 were given",
        ),
        ("g(1, x=1)", "g() got multiple values for argument 'x'"),
        ("g(1, z=1)", "g() got an unexpected keyword argument 'z'"),
        ("h(1)", "h() takes 0 positional arguments but 1 was given"),
        (
            "h(1, 2)",
            "h() takes 0 positional arguments but 2 were given",
        ),
        ("k(1)", "k() takes 0 positional arguments but 1 was given"),
        (
            "k()",
            "k() missing 1 required keyword-only argument: 'only'",
        ),
        (
            "p(x=1)",
            "p() got some positional-only arguments passed as keyword arguments: 'x'",
        ),
        ("g(*5)", "g() argument after * must be an iterable, not int"),
    ] {
        let outcome = outcome_of(&tools, call);
        let error = outcome.error.expect("an error");
        assert_eq!(
            (error.type_name.as_str(), error.message.as_str()),
            ("TypeError", text),
            "{call}"
        );
        assert_eq!(outcome.usage.tool_calls, 0);
    }
}

#[test]
fn python_sees_a_function() {
    let tool = Tool::new("weather")
        .doc("Tells the weather.\n\n    As it is.")
        .parameter(Parameter::new("city").annotation("str"))
        .parameter(
            Parameter::new("days")
                .annotation("list[int] | None")
                .default(Value::None),
        )
        .returns("dict[str, Any]")
        .function(|_| async { Ok(Value::None) });
    assert_eq!(
        prints(
            &set([tool]),
            "import inspect\nprint(inspect.signature(weather), weather.__name__, weather.__annotations__['city'], weather.__defaults__)\nprint(inspect.getdoc(weather))\nhelp(weather)\nprint(type(weather).__name__, weather.__module__, 'weather' in globals())"
        ),
        "(city: str, days: list[int] | None = None) -> dict[str, typing.Any] weather <class 'str'> (None,)\nTells the weather.\n\nAs it is.\n\
         Help on function weather in module builtins:\n\nweather(city: str, days: list[int] | None = None) -> dict[str, Any]\n    Tells the weather.\n\n    As it is.\n\n\
         function builtins False\n"
    );
}

#[test]
fn a_program_may_hide_a_tool_and_find_it_again() {
    assert_eq!(
        prints(
            &set([echo("f", []), echo("sum", [Parameter::new("x")])]),
            "f = 1\nprint(f)\ndel f\nprint(f(), sum(5))\nimport statistics\nprint(statistics.mean([1, 3]))\nimport builtins\nprint(builtins.sum([1, 2]))"
        ),
        "1\n[] [5]\n2\n3\n"
    );
}

#[test]
fn tools_work_in_functions_threads_and_callbacks() {
    assert_eq!(
        prints(
            &set([echo("f", [Parameter::new("x")])]),
            "def g(x): return f(x)\nprint(g(1), list(map(f, 'ab')), [f(x) for x in (1,)], sorted([2, 1], key=f))\nimport threading\nt = threading.Thread(target=lambda: print(f(9)))\nt.start()\nimport json\nprint(json.loads('[1]', parse_int=f))"
        ),
        "[1] [['a'], ['b']] [[1]] [1, 2]\n[9]\n[['1']]\n"
    );
}

fn failing() -> Tools {
    Tools::builder()
        .exception("WeatherError", "LookupError")
        .exception_with_doc("StormError", "WeatherError", "Too much weather.")
        .tool(
            Tool::new("fail")
                .parameter(Parameter::new("kind"))
                .function(|call| async move { Err(ToolError::new(call.str("kind")?, "no luck")) }),
        )
        .build()
        .expect("valid tools")
}

#[test]
fn errors_become_exceptions_of_their_class() {
    assert_eq!(
        prints(
            &failing(),
            r"
for kind in 'ValueError', 'KeyError', 'WeatherError', 'StormError', 'TimeoutError', 'Unknown', 'UnicodeDecodeError':
    try: fail(kind)
    except Exception as e: print(repr(e), isinstance(e, LookupError))
try: fail('StormError')
except WeatherError as e: print('caught', e, type(e).__doc__)
try: fail(3)
except TypeError as e: print(e)
"
        ),
        "ValueError('no luck') False\nKeyError('no luck') True\nWeatherError('no luck') True\nStormError('no luck') True\nTimeoutError('no luck') False\n\
         RuntimeError('Unknown: no luck') False\nRuntimeError('UnicodeDecodeError: no luck') False\ncaught no luck Too much weather.\nfail(): argument 'kind' must be a str\n"
    );
}

#[test]
fn an_error_that_nothing_catches_ends_the_run_at_the_call() {
    let error = outcome_of(&failing(), "x = 1\nfail('StormError')")
        .error
        .expect("an error");
    assert_eq!((error.kind, error.line), (ErrorKind::Exception, Some(2)));
    assert_eq!(
        error.traceback,
        "Traceback (most recent call last):\n  File \"<string>\", line 2, in <module>\n    fail('StormError')\n    ~~~~^^^^^^^^^^^^^^\nStormError: no luck\n"
    );
}

#[test]
fn a_panic_in_a_tool_is_an_error() {
    std::panic::set_hook(Box::new(|_| {}));
    let tools = set([
        Tool::new("early").function(|_| {
            if true {
                panic!("at once");
            }
            async { Ok(Value::None) }
        }),
        Tool::new("late").function(|_| async {
            tokio::task::yield_now().await;
            panic!("after {} turn", 1)
        }),
        Tool::new("beside").coroutine(|_| async { panic!("beside") }),
        echo("fine", []),
    ]);
    let text = prints(
        &tools,
        "import asyncio\nasync def b(): await beside()\nfor f in early, late, lambda: asyncio.run(b()):\n    try: f()\n    except RuntimeError as e: print(e)\nprint(fine())",
    );
    drop(std::panic::take_hook());
    assert_eq!(
        text,
        "the tool panicked: at once\nthe tool panicked: after 1 turn\nthe tool panicked: beside\n[]\n"
    );
}

#[test]
fn what_cannot_cross_is_a_type_error_that_names_the_argument() {
    assert_eq!(
        prints(
            &set([echo("g", [Parameter::new("x"), Parameter::new("y")])]),
            "try: g(1, [object()])\nexcept TypeError as e: print(e)"
        ),
        "g(): argument 'y': in item 0: a value of type 'object' cannot leave the sandbox\n"
    );
}

#[test]
fn ten_thousand_calls() {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = count.clone();
    let tool = Tool::new("tick")
        .parameter(Parameter::new("n"))
        .function(move |call| {
            seen.fetch_add(1, Ordering::Relaxed);
            async move { Ok(Value::Int(call.int("n")? + 1)) }
        });
    let outcome = outcome_of(&set([tool]), "n = 0\nwhile n < 10000: n = tick(n)\nn");
    assert_eq!(outcome.value.expect("a value").repr, "10000");
    assert_eq!(
        (outcome.usage.tool_calls, count.load(Ordering::Relaxed)),
        (10_000, 10_000)
    );
}

#[test]
fn the_number_of_calls_is_limited() {
    block_on(async {
        let limits = Limits::builder().tool_calls(3).build().expect("limits");
        let mut session = with_tools(&limits, &set([echo("f", [])])).await;
        let source = "n = 0\ntry:\n    while True:\n        f()\n        n += 1\nexcept RuntimeError as e: print(n, e)";
        for _ in 0..2 {
            let outcome = run_in(&mut session, source).await;
            assert_eq!(
                outcome.output.stdout(),
                "3 the limit of 3 tool calls was reached\n"
            );
            assert_eq!(outcome.usage.tool_calls, 3);
        }
    });
}

#[test]
fn the_size_of_arguments_and_results_is_limited() {
    block_on(async {
        let limits = Limits::builder().tool_bytes(1000).build().expect("limits");
        let big = Tool::new("big").function(|_| async { Ok(Value::Bytes(vec![0; 2000])) });
        let mut session = with_tools(&limits, &set([echo("f", [Parameter::new("x")]), big])).await;
        let outcome = run_in(
            &mut session,
            "for g in lambda: f('x' * 2000), big:\n    try: g()\n    except ValueError as e: print(e)\nprint(len(f('x' * 900)[0]))",
        )
        .await;
        assert_eq!(
            outcome.output.stdout(),
            "f(): the arguments take 2004 bytes, at most 1000 may leave the sandbox\nthe tool's result takes 2003 bytes, at most 1000 may enter the sandbox\n900\n"
        );
        assert!(Limits::builder().tool_bytes(0).build().is_err());
    });
}

#[test]
fn what_runs_beside_the_program_is_limited_as_a_whole() {
    block_on(async {
        let limits = Limits::builder()
            .tool_bytes(10_000)
            .build()
            .expect("limits");
        let tool = Tool::new("endless")
            .parameter(Parameter::new("x"))
            .coroutine(|_| std::future::pending());
        let mut session = with_tools(&limits, &set([tool])).await;
        let outcome = run_in(
            &mut session,
            "import asyncio\nasync def main():\n    r = await asyncio.wait_for(asyncio.gather(*[endless('x' * 4000) for _ in range(3)]), 5)\ntry: asyncio.run(main())\nexcept ValueError as e: print(e)\nimport _tools_core\ntry:\n    for n in range(20_000): _tools_core.start('endless', b'\\x81\\x01')\nexcept Exception as e: print(type(e).__name__, n)\nfor n in range(1, n + 9): _tools_core.drop(n)\nfor n in range(50): _tools_core.drop(_tools_core.start('endless', b'\\x81\\x01'))",
        )
        .await;
        assert_eq!(outcome.error, None);
        assert_eq!(
            outcome.output.stdout(),
            "the arguments of the tool calls that are under way would take 12012 bytes, at most 10000 may\nValueError 5000\n"
        );
    });
}

fn sleeper(name: &str, time: Duration) -> Tool {
    Tool::new(name).function(move |_| async move {
        tokio::time::sleep(time).await;
        Ok(Value::None)
    })
}

#[test]
fn the_time_of_a_tool_does_not_count_unless_asked_to() {
    block_on(async {
        let time = Duration::from_millis(1000);
        let tools = set([sleeper("slow", Duration::from_millis(1500))]);
        let limits = Limits::builder().time(time).build().expect("limits");
        let mut session = with_tools(&limits, &tools).await;
        let outcome = run_in(&mut session, "slow()\n'done'").await;
        assert_eq!(outcome.error, None);
        assert!(outcome.usage.tool_time >= Duration::from_millis(1500));
        // The limit holds for the program's own time.
        let error = run_in(&mut session, "slow()\nwhile True: pass")
            .await
            .error
            .expect("an error");
        assert_eq!(error.kind, ErrorKind::Time);
        let limits = Limits::builder()
            .time(time)
            .count_tool_time(true)
            .build()
            .expect("limits");
        let mut session = with_tools(&limits, &tools).await;
        let error = run_in(
            &mut session,
            "try: slow()\nexcept BaseException: print('no')",
        )
        .await
        .error
        .expect("an error");
        assert_eq!(error.kind, ErrorKind::Time);
        // On a machine that is too busy the guest may not notice in time that it should stop; then the session is lost.
        if !error.session_lost {
            let outcome = run_in(&mut session, "1 + 1").await;
            assert_eq!(outcome.value.expect("a value").repr, "2");
        }
    });
}

/// Says on drop that it was dropped.
struct Flag(Arc<AtomicUsize>);

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A tool that never ends, with the number of its bodies that were dropped, and a sign that one has begun.
fn endless(coroutine: bool) -> (Tool, Arc<AtomicUsize>, Arc<Notify>) {
    let (dropped, begun) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let (flag, sign) = (dropped.clone(), begun.clone());
    let body = move |_: Call| {
        let flag = Flag(flag.clone());
        let sign = sign.clone();
        async move {
            let _flag = flag;
            sign.notify_one();
            std::future::pending::<()>().await;
            Ok(Value::None)
        }
    };
    let tool = Tool::new("endless");
    let tool = if coroutine {
        tool.coroutine(body)
    } else {
        tool.function(body)
    };
    (tool, dropped, begun)
}

const AWAIT_ENDLESS: &str = "import asyncio\nasync def main():\n    try: await endless()\n    except Exception: print('no')\nasyncio.run(main())";

#[test]
fn a_run_can_be_cancelled_during_a_tool() {
    for (coroutine, source) in [
        (false, "try: endless()\nexcept Exception: print('no')"),
        (true, AWAIT_ENDLESS),
    ] {
        block_on(async {
            let (tool, dropped, begun) = endless(coroutine);
            let mut session = with_tools(&limits(), &set([tool])).await;
            let cancel = session.cancel_handle();
            let (outcome, ()) = tokio::join!(session.run(source), async {
                begun.notified().await;
                cancel.cancel();
            });
            let outcome = outcome.expect("a run");
            let error = outcome.error.expect("an error");
            assert_eq!(
                (error.kind, error.session_lost),
                (ErrorKind::Cancelled, false)
            );
            assert!(outcome.output.is_empty());
            assert_eq!(dropped.load(Ordering::SeqCst), 1);
            assert_eq!(
                run_in(&mut session, "1 + 1")
                    .await
                    .value
                    .expect("a value")
                    .repr,
                "2"
            );
        });
    }
}

#[test]
fn dropping_a_run_drops_its_tools_at_once() {
    for (coroutine, source) in [(false, "endless()"), (true, AWAIT_ENDLESS)] {
        block_on(async {
            let (tool, dropped, begun) = endless(coroutine);
            let mut session = with_tools(&limits(), &set([tool])).await;
            tokio::select! {
                _ = session.run(source) => panic!("it ended"),
                () = begun.notified() => {}
            }
            assert_eq!(dropped.load(Ordering::SeqCst), 1);
            assert!(matches!(session.run("1").await, Err(Error::SessionLost)));
        });
    }
}

#[test]
fn a_tool_may_have_a_time_of_its_own() {
    let tool = Tool::new("slow")
        .timeout(Duration::from_millis(20))
        .function(|_| std::future::pending());
    assert_eq!(
        prints(
            &set([tool]),
            "try: slow()\nexcept TimeoutError as e: print(e)"
        ),
        "the tool 'slow' took longer than 20ms\n"
    );
}

#[test]
fn the_thread_serves_others_while_a_tool_runs() {
    block_on(async {
        let gate = Arc::new(Notify::new());
        let (wait, open) = (gate.clone(), gate);
        let tools = set([
            Tool::new("wait").function(move |_| {
                let gate = wait.clone();
                async move {
                    gate.notified().await;
                    Ok("opened".into())
                }
            }),
            Tool::new("open").function(move |_| {
                open.notify_one();
                async { Ok(Value::None) }
            }),
        ]);
        // The first can only end if the second runs meanwhile, on the same thread.
        let mut one = with_tools(&limits(), &tools).await;
        let mut two = with_tools(&limits(), &tools).await;
        let (one, two) = tokio::join!(one.run("wait()"), two.run("open()"));
        assert_eq!(one.expect("a run").value.expect("a value").repr, "'opened'");
        assert_eq!(two.expect("a run").error, None);
    });
}

/// A tool that goes on only when as many calls are under way as the barrier wants.
fn meeting(parties: usize) -> Tool {
    let barrier = Arc::new(Barrier::new(parties));
    Tool::new("meet")
        .parameter(Parameter::new("n"))
        .coroutine(move |call| {
            let barrier = barrier.clone();
            async move {
                barrier.wait().await;
                Ok(call.get("n").cloned().unwrap_or(Value::None))
            }
        })
}

#[test]
fn asynchronous_tools_run_at_once() {
    for source in [
        "print(await asyncio.gather(meet(1), meet(2), meet(3)))",
        "tasks = [asyncio.create_task(meet(n)) for n in (1, 2, 3)]\n    print([await t for t in tasks])",
        "async with asyncio.TaskGroup() as g: tasks = [g.create_task(meet(n)) for n in (1, 2, 3)]\n    print([t.result() for t in tasks])",
        "print(sorted([await f for f in asyncio.as_completed([meet(n) for n in (1, 2, 3)])]))",
        "print(await asyncio.wait_for(asyncio.gather(meet(1), meet(2), meet(3)), 30))",
    ] {
        let program =
            format!("import asyncio\nasync def main():\n    {source}\nasyncio.run(main())");
        assert_eq!(
            prints(&set([meeting(3)]), &program),
            "[1, 2, 3]\n",
            "{source}"
        );
    }
}

#[test]
fn results_of_asynchronous_tools_keep_their_order() {
    let tool = Tool::new("wait")
        .parameter(Parameter::new("ms"))
        .coroutine(|call| async move {
            let ms = call.int("ms")?;
            tokio::time::sleep(Duration::from_millis(ms as u64)).await;
            Ok(Value::Int(ms))
        });
    assert_eq!(
        prints(
            &set([tool]),
            "import asyncio\nasync def main():\n    print(await asyncio.gather(wait(60), wait(1), asyncio.sleep(0.01, 'slept'), wait(30)))\nasyncio.run(main())"
        ),
        "[60, 1, 'slept', 30]\n"
    );
}

#[test]
fn a_timeout_cancels_an_asynchronous_tool() {
    let (tool, dropped, _) = endless(true);
    assert_eq!(
        prints(
            &set([tool, echo("f", [])]),
            "import asyncio\nasync def main():\n    try: await asyncio.wait_for(endless(), 0.02)\n    except TimeoutError: print('late')\n    t = asyncio.create_task(endless())\n    await asyncio.sleep(0.01)\n    t.cancel()\n    try: await t\n    except asyncio.CancelledError: print('cancelled')\nasyncio.run(main())\nprint(f())"
        ),
        "late\ncancelled\n[]\n"
    );
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
}

#[test]
fn errors_of_asynchronous_tools_are_raised_where_they_are_awaited() {
    let tool = Tool::new("fail")
        .parameter(Parameter::new("n"))
        .coroutine(|call| async move {
            tokio::task::yield_now().await;
            Err(ToolError::new(
                "ValueError",
                format!("no {}", call.int("n")?),
            ))
        });
    assert_eq!(
        prints(
            &set([tool]),
            "import asyncio\nasync def main():\n    try: await fail(1)\n    except ValueError as e: print(e)\n    print(await asyncio.gather(fail(2), fail(3), return_exceptions=True))\n    try: await fail('x')\n    except TypeError as e: print(e)\n    try: await fail()\n    except TypeError as e: print(e)\nasyncio.run(main())"
        ),
        "no 1\n[ValueError('no 2'), ValueError('no 3')]\nfail(): argument 'n' must be an int of 64 bits\nfail() missing 1 required positional argument: 'n'\n"
    );
}

#[test]
fn waiting_for_asynchronous_tools_does_not_count_against_the_time_limit() {
    block_on(async {
        let limits = Limits::builder()
            .time(Duration::from_millis(1000))
            .build()
            .expect("limits");
        let tool = Tool::new("slow").coroutine(|_| async {
            tokio::time::sleep(Duration::from_millis(1500)).await;
            Ok(Value::None)
        });
        let mut session = with_tools(&limits, &set([tool])).await;
        let outcome = run_in(&mut session, "import asyncio\nasync def main(): await asyncio.gather(slow(), slow())\nasyncio.run(main())").await;
        assert_eq!(outcome.error, None);
        assert_eq!(outcome.usage.tool_calls, 2);
    });
}

#[test]
fn a_thousand_asynchronous_calls_at_once() {
    assert_eq!(
        prints(
            &set([meeting(1000)]),
            "import asyncio\nasync def main(): return sum(await asyncio.gather(*map(meet, range(1000))))\nprint(asyncio.run(main()))"
        ),
        "499500\n"
    );
}

fn finishing() -> Tools {
    set([
        Tool::answer(),
        Tool::new("finish")
            .parameter(Parameter::new("answer"))
            .final_answer(|mut call| async move {
                let answer = call.take("answer");
                if answer == Value::None {
                    return Err(ToolError::new("ValueError", "an answer is needed"));
                }
                Ok(Value::Tuple(vec!["checked".into(), answer]))
            }),
        echo("f", []),
    ])
}

#[test]
fn a_final_answer_ends_the_run_from_everywhere() {
    for (source, repr) in [
        ("final_answer(42)\nprint('no')", "42"),
        ("finish(1)\nprint('no')", "('checked', 1)"),
        ("final_answer(None)", "None"),
        ("final_answer(answer=[1])", "[1]"),
        ("try: final_answer(1)\nexcept Exception: print('no')", "1"),
        ("try: final_answer(1)\nexcept: print('no')", "1"),
        (
            "def f(n):\n    if n == 0: finish('deep')\n    f(n - 1)\nf(200)",
            "('checked', 'deep')",
        ),
        ("[finish(x) for x in (7, 8)]", "('checked', 7)"),
        ("list(map(final_answer, 'ab'))", "'a'"),
        (
            "import threading\nthreading.Thread(target=finish, args=(3,)).start()\nprint('no')",
            "('checked', 3)",
        ),
        (
            "import contextlib\nwith contextlib.suppress(BaseException): finish(1)\nprint('no')",
            "('checked', 1)",
        ),
        (
            "def g():\n    try: final_answer(1)\n    finally: return 2\ng()",
            "1",
        ),
        (
            "import asyncio\nasync def main(): finish(5)\nasyncio.run(main())\nprint('no')",
            "('checked', 5)",
        ),
        ("a = final_answer\na(6)", "6"),
    ] {
        let outcome = outcome_of(&finishing(), source);
        assert_eq!(outcome.error, None, "{source}");
        assert!(outcome.is_final_answer, "{source}");
        assert_eq!(outcome.value.expect("a value").repr, repr, "{source}");
        assert!(outcome.output.is_empty(), "{source}");
    }
}

#[test]
fn finally_blocks_run_and_the_session_lives_on() {
    block_on(async {
        let mut session = with_tools(&limits(), &finishing()).await;
        for n in 0..3 {
            let source = format!("x = {n}\ntry: final_answer(x)\nfinally: print('tidy')\nx = -1");
            let outcome = run_in(&mut session, &source).await;
            assert!(outcome.is_final_answer);
            assert_eq!(outcome.value.expect("a value").value, Some(Value::Int(n)));
            assert_eq!(outcome.output.stdout(), "tidy\n");
            let outcome = run_in(&mut session, "try: 1 / 0\nexcept: y = x\ny").await;
            assert!(!outcome.is_final_answer);
            assert_eq!(outcome.value.expect("a value").value, Some(Value::Int(n)));
        }
    });
}

#[test]
fn a_final_tool_that_fails_does_not_end_the_run() {
    let outcome = outcome_of(
        &finishing(),
        "try: finish(None)\nexcept ValueError as e: print(e)\nfinish(2)",
    );
    assert_eq!(outcome.output.stdout(), "an answer is needed\n");
    assert_eq!(outcome.value.expect("a value").repr, "('checked', 2)");
}

#[test]
fn an_answer_that_cannot_cross_has_its_repr() {
    let outcome = outcome_of(
        &finishing(),
        "class A:\n    def __repr__(self): return '<a>'\nfinal_answer(A())",
    );
    let value = outcome.value.expect("a value");
    assert!(outcome.is_final_answer);
    assert_eq!((value.repr.as_str(), value.value), ("<a>", None));
}

#[test]
fn a_limit_that_is_reached_after_the_answer_is_told() {
    block_on(async {
        let limits = Limits::builder()
            .time(Duration::from_millis(300))
            .build()
            .expect("limits");
        let mut session = with_tools(&limits, &finishing()).await;
        let outcome = run_in(
            &mut session,
            "try: final_answer(1)\nfinally:\n    while True: pass",
        )
        .await;
        assert!(!outcome.is_final_answer);
        assert_eq!(outcome.error.expect("an error").kind, ErrorKind::Time);
    });
}

#[test]
fn a_tool_may_run_another_session() {
    // Three levels on one thread: each session's tool runs the next one.
    fn level(depth: usize) -> Tools {
        let tool = Tool::new("agent")
            .parameter(Parameter::new("task"))
            .function(move |call| async move {
                if depth == 0 {
                    return Ok(call.str("task")?.to_uppercase().into());
                }
                let mut inner = coldframe_tests::engine().session(&limits()).await?;
                inner.set_tools(&level(depth - 1)).await?;
                inner
                    .set_variable("task", &call.str("task")?.into())
                    .await?;
                let outcome = inner.run("'<' + agent(task) + '>'").await?;
                match (outcome.error, outcome.value.and_then(|v| v.value)) {
                    (None, Some(value)) => Ok(value),
                    (Some(error), _) => Err(error.into()),
                    _ => Err(ToolError::runtime("no value")),
                }
            });
        set([tool])
    }
    assert_eq!(prints(&level(3), "print(agent('go'))"), "<<<GO>>>\n");
}

#[test]
fn an_exception_of_an_inner_session_keeps_its_class() {
    let tool = Tool::new("inner").function(|_| async {
        let mut inner = coldframe_tests::engine().session(&limits()).await?;
        match inner.run("{}['gone']").await?.error {
            Some(error) => Err(error.into()),
            None => Ok(Value::None),
        }
    });
    assert_eq!(
        prints(
            &set([tool]),
            "try: inner()\nexcept KeyError as e: print('caught', e)"
        ),
        "caught \"'gone'\"\n"
    );
}

#[test]
fn progress_is_streamed() {
    block_on(async {
        let work = |call: Call| async move {
            for n in 0..3i32 {
                call.progress(i64::from(n));
                tokio::task::yield_now().await;
            }
            Ok(Value::None)
        };
        let tools = set([
            Tool::new("work").function(work),
            Tool::new("later").coroutine(work),
        ]);
        let mut session = with_tools(&limits(), &tools).await;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = seen.clone();
        let options = RunOptions::default().on_progress(move |name, value| {
            sink.lock()
                .expect("no panic")
                .push((name.to_owned(), value))
        });
        let outcome = session
            .run_with(
                "import asyncio\nwork()\nasync def main(): await later()\nasyncio.run(main())",
                options,
            )
            .await;
        assert_eq!(outcome.expect("a run").error, None);
        let expected: Vec<_> = ["work", "later"]
            .iter()
            .flat_map(|name| (0..3).map(|n| ((*name).to_owned(), Value::Int(n))))
            .collect();
        assert_eq!(*seen.lock().expect("no panic"), expected);
        // Without a sink progress is lost.
        assert_eq!(run_in(&mut session, "work()").await.error, None);
    });
}

#[test]
fn one_set_serves_many_sessions_and_is_replaced_by_the_next() {
    block_on(async {
        let (first, second) = (set([echo("f", [])]), set([echo("g", [])]));
        let mut sessions = Vec::new();
        for _ in 0..20 {
            sessions.push(with_tools(&limits(), &first).await);
        }
        for session in &mut sessions {
            assert_eq!(
                run_in(session, "old = f\nf()")
                    .await
                    .value
                    .expect("a value")
                    .repr,
                "[]"
            );
            session.set_tools(&second).await.expect("tools");
            session
                .set_tools(&second)
                .await
                .expect("the same tools again");
            let outcome = run_in(
                session,
                "print(g())\ntry: f\nexcept NameError as e: print(e)\ntry: old()\nexcept NameError as e: print(e)",
            )
            .await;
            assert_eq!(
                outcome.output.stdout(),
                "[]\nname 'f' is not defined\nthe host has no tool 'f' of this kind\n"
            );
        }
    });
}

#[test]
fn a_session_without_tools_has_none() {
    block_on(async {
        let mut session = session(&limits()).await;
        let error = run_in(
            &mut session,
            "import _tools_core\n_tools_core.start('x', b'\\x80')",
        )
        .await
        .error
        .expect("an error");
        assert_eq!(error.message, "the host has no tool 'x' of this kind");
    });
}

#[test]
fn lies_of_the_sandbox_are_errors() {
    // The innards that a program can reach: the native function behind a tool, and the core of asynchronous calls.
    let (tool, dropped, _) = endless(true);
    let tools = set([every(), echo("h", []), tool]);
    let text = prints(
        &tools,
        r"
import _tools_core
native = every.__code__.co_consts[0]
for args in (), (1,), (1,) * 7, (1, 2, 3, 4, 5, 6, {}), (1,) * 30:
    try: print(native(*args))
    except Exception as e: print(type(e).__name__, e)
for name, data in ('h', b'\x80'), ('endless', b''), ('endless', b'\xff'), ('endless', b'\x81\x01'), ('endless', b'\x01'), ('', b'\x80'), ('endless', b'\x9b' + b'\xff' * 8):
    try: print(_tools_core.start(name, data))
    except Exception as e: print(type(e).__name__, e)
print(_tools_core.wait(0), _tools_core.drop(99), _tools_core.drop(-1), _tools_core.drop('x'))
call = _tools_core.start('endless', b'\x80')
print(_tools_core.wait(0), _tools_core.drop(call), _tools_core.wait(None))
",
    );
    let lines: Vec<_> = text.lines().collect();
    assert!(
        lines[..12].iter().all(|l| l.starts_with("TypeError ")
            || l.starts_with("NameError ")
            || l.starts_with("ValueError ")),
        "{text}"
    );
    assert_eq!(
        lines[12..],
        ["None None None None", "None None None"],
        "{text}"
    );
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn the_time_spent_in_tools_is_told() {
    let outcome = outcome_of(
        &set([sleeper("slow", Duration::from_millis(30))]),
        "slow()\nslow()",
    );
    assert!(outcome.usage.tool_time >= Duration::from_millis(60));
    assert!(outcome.usage.tool_time <= outcome.usage.duration);
    assert_eq!(outcome.usage.tool_calls, 2);
}

#[test]
fn sessions_with_tools_run_in_turns() {
    block_on(async {
        let tools = set([sleeper("slow", Duration::from_millis(50))]);
        let started = Instant::now();
        let mut sessions = Vec::new();
        for _ in 0..20 {
            sessions.push(with_tools(&limits(), &tools).await);
        }
        let mut runs: Vec<_> = sessions
            .iter_mut()
            .map(|s| Box::pin(s.run("slow()")))
            .collect();
        // Polled together, they sleep together.
        std::future::poll_fn(|context| {
            runs.retain_mut(|run| run.as_mut().poll(context).is_pending());
            if runs.is_empty() {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
        assert!(started.elapsed() < Duration::from_secs(30));
    });
}

#[test]
fn forks_and_resets_keep_the_tools() {
    block_on(async {
        let tools = set([echo("f", [Parameter::new("x")])]);
        let mut session = with_tools(&limits(), &tools).await;
        run_in(&mut session, "mine = f").await;
        let mut fork = session.fork().await.expect("a fork");
        assert_eq!(
            run_in(&mut fork, "f(1), mine(2)")
                .await
                .value
                .expect("a value")
                .repr,
            "([1], [2])"
        );
        session.reset().await.expect("a reset");
        assert_eq!(
            run_in(&mut session, "f(3)")
                .await
                .value
                .expect("a value")
                .repr,
            "[3]"
        );
    });
}

/// An object of the host, which counts how many of its kind live.
struct Frame {
    rows: usize,
    _alive: Flag,
}

/// Tools that make, read and give back frames, and the number of frames that were dropped.
fn framing() -> (Tools, Arc<AtomicUsize>) {
    let dropped = Arc::new(AtomicUsize::new(0));
    let flag = dropped.clone();
    let frames = ObjectType::<Frame>::new("Frame")
        .repr(|frame| format!("<Frame of {} rows>", frame.rows))
        .attribute("rows", |frame| Ok(Value::Int(frame.rows as i64)))
        .attribute("broken", |_| {
            Err(ToolError::new("ValueError", "it is broken"))
        })
        .attribute("panics", |_| panic!("no attribute"));
    let other = ObjectType::<String>::new("Text");
    let tools = set([
        Tool::new("load")
            .parameter(Parameter::new("rows"))
            .function(move |call| {
                let (frames, flag) = (frames.clone(), flag.clone());
                async move {
                    let frame = Frame {
                        rows: call.int("rows")? as usize,
                        _alive: Flag(flag),
                    };
                    let value = call.hand_in(&frames, Arc::new(frame))?;
                    Ok(Value::Dict(vec![("frame".into(), value)]))
                }
            }),
        Tool::new("rows")
            .parameter(Parameter::new("frame"))
            .function(
                |call| async move { Ok(Value::Int(call.object::<Frame>("frame")?.rows as i64)) },
            ),
        Tool::new("text").function(move |call| {
            let other = other.clone();
            async move { call.hand_in(&other, Arc::new("text".to_owned())) }
        }),
        echo("echo", [Parameter::new("x")]),
        Tool::answer(),
    ]);
    (tools, dropped)
}

#[test]
fn objects_of_the_host_are_stored_passed_and_read() {
    let (tools, dropped) = framing();
    std::panic::set_hook(Box::new(|_| {}));
    let text = prints(
        &tools,
        r"
f = load(3)['frame']
print(f, [f], type(f).__name__, f.rows, rows(f))
g = echo(f)[0]
print(g == f, hash(g) == hash(f), {f: 1}[g], g.rows, f != load(3)['frame'])
for name in 'columns', 'broken', 'panics', '__nothing__':
    try: print(getattr(f, name))
    except Exception as e: print(type(e).__name__, e)
print(hasattr(f, 'rows'), hasattr(f, 'columns'), getattr(f, 'x', 5))
try: f.rows = 1
except AttributeError as e: print('read only')
try: rows(text())
except TypeError as e: print(e)
try: rows(5)
except TypeError as e: print(e)
try: type(f)()
except TypeError as e: print(e)
",
    );
    drop(std::panic::take_hook());
    assert_eq!(
        text,
        "<Frame of 3 rows> [<Frame of 3 rows>] HostObject 3 3\nTrue True 1 3 True\n\
         AttributeError 'Frame' object has no attribute 'columns'\nValueError it is broken\nRuntimeError the tool panicked: no attribute\n\
         AttributeError 'coldframe.HostObject' object has no attribute '__nothing__'\nTrue False 5\nread only\n\
         rows(): argument 'frame': an object of type 'Text' is the wrong one\nrows(): argument 'frame': no object of the host\n\
         cannot create 'coldframe.HostObject' instances\n"
    );
    // The session is gone, and with it what it held.
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
}

#[test]
fn objects_are_released_when_the_program_lets_go_of_them() {
    block_on(async {
        let (tools, dropped) = framing();
        let mut session = with_tools(&limits(), &tools).await;
        let outcome = run_in(
            &mut session,
            "f = load(1)['frame']\ng = echo(f)\ndel f\nload(2)\nrows(g[0])",
        )
        .await;
        assert_eq!(outcome.error, None);
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        run_in(&mut session, "g = None\necho(0)").await;
        assert_eq!(dropped.load(Ordering::SeqCst), 2);
        run_in(&mut session, "for n in range(1000): load(n)\necho(0)").await;
        assert_eq!(dropped.load(Ordering::SeqCst), 1002);
        run_in(&mut session, "f = load(1)").await;
        drop(session);
        assert_eq!(dropped.load(Ordering::SeqCst), 1003);
    });
}

#[test]
fn objects_come_back_as_answers_and_variables() {
    block_on(async {
        let (tools, _) = framing();
        let mut session = with_tools(&limits(), &tools).await;
        let outcome = run_in(&mut session, "final_answer(load(7)['frame'])").await;
        let value = outcome.value.expect("a value");
        assert_eq!(value.repr, "<Frame of 7 rows>");
        let value = value.value.expect("it crosses");
        assert_eq!(
            session
                .find_object::<Frame>(&value)
                .expect("the frame")
                .rows,
            7
        );
        // By a variable: the very same object.
        let text = Arc::new("mine".to_owned());
        let kind = ObjectType::<String>::new("Text")
            .attribute("length", |t: &String| Ok(Value::Int(t.len() as i64)));
        let value = session.hand_in(&kind, text.clone()).expect("room");
        session.set_variable("t", &value).await.expect("it enters");
        assert_eq!(
            run_in(&mut session, "t.length")
                .await
                .value
                .expect("a value")
                .repr,
            "4"
        );
        let back = session
            .get_variable("t")
            .await
            .expect("a variable")
            .expect("it is there");
        assert!(Arc::ptr_eq(
            &session.find_object::<String>(&back).expect("the text"),
            &text
        ));
        // A fork has the same objects; another session has not.
        let mut fork = session.fork().await.expect("a fork");
        assert_eq!(
            run_in(&mut fork, "t.length")
                .await
                .value
                .expect("a value")
                .repr,
            "4"
        );
        let mut other = with_tools(&limits(), &tools).await;
        let error = other
            .set_variable("t", &value)
            .await
            .expect_err("not its own");
        assert_eq!(
            error.to_string(),
            "variable \"t\": the host has no object 2 in this session"
        );
    });
}

#[test]
fn forged_numbers_of_objects_find_nothing() {
    block_on(async {
        let (tools, _) = framing();
        let mut session = with_tools(&limits(), &tools).await;
        run_in(&mut session, "f = load(1)['frame']").await;
        // What a sandbox gone wild could send: another number, and lies about type and text.
        let forged = Value::Handle(Box::new(Handle {
            id: 99,
            type_name: "Frame".to_owned(),
            repr: "<Frame of 1 rows>".to_owned(),
        }));
        assert!(session.find_object::<Frame>(&forged).is_err());
        assert!(session.set_variable("g", &forged).await.is_err());
        let lying = Tool::new("lie").function(move |_| {
            let forged = forged.clone();
            async move { Ok(forged) }
        });
        session.set_tools(&set([lying])).await.expect("tools");
        let outcome = run_in(
            &mut session,
            "try: lie()\nexcept ValueError as e: print(e)\nprint(f.rows)",
        )
        .await;
        assert_eq!(
            outcome.output.stdout(),
            "the host has no object 99 in this session\n1\n"
        );
    });
}
