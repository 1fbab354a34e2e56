//! Tools, as the machine sees them: functions of the program that ask the host. The host of these tests answers at once, or when it is asked to wait.

use coldframe_guest::transfer;
use coldframe_guest::value::Value;
use coldframe_guest::vm::host::{Host, Stream, ToolError, ToolResult, Verdict};
use coldframe_guest::vm::{Stop, Vm};
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Default)]
struct Seen {
    output: Vec<u8>,
    /// Arguments of the calls, encoded.
    calls: Vec<(String, Vec<u8>)>,
    started: Vec<(u64, String, Vec<u8>)>,
    dropped: Vec<u64>,
    now: u64,
    /// After so many polls the program is stopped.
    patience: Option<u32>,
}

/// Answers `echo` with its arguments, `boom` with a `ToolFailure`, everything else with `None`. Calls that were started end last come, first served.
struct Fake(Rc<RefCell<Seen>>);

fn answer(name: &str, arguments: &[u8]) -> ToolResult {
    let error = |class: &str| Err((class.to_owned(), "it broke".to_owned()));
    match name {
        "boom" => error("ToolFailure"),
        "plain_boom" => error("KeyError"),
        "odd_boom" => error("NoSuchClass"),
        "picky_boom" => error("UnicodeDecodeError"),
        "garbage" => Ok(vec![0xff]),
        "nothing" => Ok(vec![0xf6]),
        _ => Ok(arguments.to_vec()),
    }
}

impl Host for Fake {
    fn write(&mut self, _: Stream, bytes: &[u8]) -> bool {
        self.0.borrow_mut().output.extend_from_slice(bytes);
        true
    }
    fn wall_clock(&mut self) -> u64 {
        self.monotonic_clock()
    }
    fn monotonic_clock(&mut self) -> u64 {
        let mut seen = self.0.borrow_mut();
        seen.now += 1_000;
        seen.now
    }
    fn sleep(&mut self, nanoseconds: u64) {
        self.0.borrow_mut().now += nanoseconds;
    }
    fn entropy(&mut self, count: usize) -> Vec<u8> {
        vec![7; count]
    }
    fn checkpoint(&mut self) -> Verdict {
        let mut seen = self.0.borrow_mut();
        match &mut seen.patience {
            Some(0) => Verdict::Stop(Stop::Time),
            Some(n) => {
                *n -= 1;
                Verdict::GoOn
            }
            None => Verdict::GoOn,
        }
    }
    fn call_tool(&mut self, name: &str, arguments: &[u8]) -> ToolResult {
        let call = (name.to_owned(), arguments.to_vec());
        self.0.borrow_mut().calls.push(call);
        answer(name, arguments)
    }
    fn start_tool(&mut self, name: &str, arguments: &[u8]) -> Result<u64, ToolError> {
        let mut seen = self.0.borrow_mut();
        let call = seen.calls.len() as u64 + 1;
        seen.calls.push((name.to_owned(), arguments.to_vec()));
        seen.started
            .push((call, name.to_owned(), arguments.to_vec()));
        Ok(call)
    }
    fn wait_tool(&mut self, nanoseconds: Option<u64>) -> Option<(u64, ToolResult)> {
        let mut seen = self.0.borrow_mut();
        let ready = seen
            .started
            .iter()
            .rposition(|(_, name, _)| name != "never");
        match ready {
            Some(at) => {
                let (call, name, arguments) = seen.started.remove(at);
                Some((call, answer(&name, &arguments)))
            }
            None => {
                seen.now += nanoseconds.unwrap_or(0);
                None
            }
        }
    }
    fn drop_tool(&mut self, call: u64) {
        let mut seen = self.0.borrow_mut();
        seen.started.retain(|(c, ..)| *c != call);
        seen.dropped.push(call);
    }
}

const TOOLS: &str = "
P, K, S, O, W = range(5)
[[['ToolFailure', 'RuntimeError', 'What tools raise.']], [
 ['echo', 'Says it again.\\n\\nTwice.', 0, 'list', [
   ['a', P, 'int'], ['b', K, None], ['c', K, 'list[int] | None', 3], ['rest', S, 'Any'], ['d', O, 'NoSuch'], ['e', O, None, 'x'], ['more', W, None]]],
 ['two', None, 0, None, [['x', K, None], ['y', K, None, 2]]],
 ['boom', None, 0, None, []], ['plain_boom', None, 0, None, []], ['odd_boom', None, 0, None, []], ['picky_boom', None, 0, None, []],
 ['garbage', None, 0, None, []], ['sum', None, 0, None, [['x', K, None]]],
 ['later', 'In time.', 1, None, [['x', K, None]]], ['never', None, 1, None, []],
 ['final_answer', None, 3, None, [['answer', K, None]]], ['finish', None, 2, None, [['answer', K, None]]],
]]";

fn with_machine<T: Send + 'static>(
    f: impl FnOnce(&mut Vm, &Rc<RefCell<Seen>>) -> T + Send + 'static,
) -> T {
    let worker = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(move || {
            let seen = Rc::new(RefCell::new(Seen::default()));
            let mut vm = Vm::boot(Box::new(Fake(seen.clone())));
            let definitions = value(&mut vm, TOOLS);
            let bytes = transfer::encode(&mut vm, &definitions).expect("definitions");
            vm.define_tools(&bytes).expect("tools");
            f(&mut vm, &seen)
        });
    worker.expect("a thread").join().expect("no panic")
}

fn value(vm: &mut Vm, source: &str) -> Value {
    match vm.run_program(source, "<test>", true) {
        Ok(value) => value.unwrap_or(Value::NONE),
        Err(failure) => panic!("{}", failure.traceback),
    }
}

/// What each program prints, or how it fails.
fn prints(source: &'static str) -> String {
    with_machine(move |vm, seen| {
        let result = vm.run_program(source, "<test>", true);
        if let Err(failure) = result {
            return failure.traceback;
        }
        String::from_utf8_lossy(&seen.borrow().output).into_owned()
    })
}

#[test]
fn arguments_are_bound_as_a_python_function_binds_them() {
    let text = prints(
        "print(echo(1, 2, d=4))\nprint(echo(1, b=2, d=4, e=5, z=6))\nprint(echo(1, 2, 3, 4, 5, d=(6,)))\nprint(two(y=1, x={'k': [None]}))",
    );
    assert_eq!(
        text,
        "[1, 2, 3, 4, 'x', (), {}]\n[1, 2, 3, 4, 5, (), {'z': 6}]\n[1, 2, 3, (6,), 'x', (4, 5), {}]\n[{'k': [None]}, 1]\n"
    );
}

#[test]
fn wrong_arguments_are_told_as_for_the_same_python_function() {
    // The same signatures once as tools and once as functions: the texts are the same.
    let text = prints(
        r"
tools = echo, two, boom
def echo(a, /, b, c=3, *rest, d, e='x', **more): pass
def two(x, y=2): pass
def boom(): pass
mine = echo, two, boom
calls = [
    (0, (), {}), (0, (1,), {}), (0, (1, 2), {}), (0, (), {'a': 1, 'b': 2, 'd': 3}), (0, (1, 2), {'b': 3, 'd': 4}),
    (1, (), {}), (1, (1, 2, 3), {}), (1, (1,), {'x': 1}), (1, (1,), {'z': 1}), (1, (1,), {'Y': 1}), (2, (1,), {}), (2, (), {'a': 1}),
]
for which, args, kwargs in calls:
    texts = []
    for functions in tools, mine:
        try: functions[which](*args, **kwargs)
        except TypeError as e: texts.append(str(e))
        else: texts.append('no error')
    print(texts[0] == texts[1] != 'no error', texts)
",
    );
    assert_eq!(text.lines().count(), 12, "{text}");
    assert!(text.lines().all(|l| l.starts_with("True")), "{text}");
}

#[test]
fn a_tool_looks_like_a_function() {
    let text = prints(
        r"
import inspect, typing
print(inspect.signature(echo))
print(echo.__name__, echo.__qualname__, echo.__module__, repr(echo.__doc__))
print(echo.__annotations__, two.__annotations__)
print(echo.__defaults__, echo.__kwdefaults__, type(echo).__name__)
print(inspect.iscoroutinefunction(echo), inspect.iscoroutinefunction(later))
print(inspect.getdoc(later), callable(later))
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as out: help(two)
print(out.getvalue().strip())
import builtins
print(builtins.echo is echo, 'echo' in globals(), builtins.sum is sum, sum.__name__)
print(typing.get_type_hints(later), inspect.signature(later))
",
    );
    assert_eq!(
        text,
        "(a: int, /, b, c: list[int] | None = 3, *rest: Any, d: 'NoSuch', e='x', **more) -> list\n\
         echo echo builtins 'Says it again.\\n\\nTwice.'\n\
         {'a': <class 'int'>, 'c': list[int] | None, 'rest': typing.Any, 'd': 'NoSuch', 'return': <class 'list'>} {}\n\
         (3,) {'e': 'x'} function\n\
         False True\n\
         In time. True\n\
         Help on function two in module builtins:\n\ntwo(x, y=2)\n\
         True False False sum\n\
         {} (x)\n"
    );
}

#[test]
fn a_name_may_be_hidden_and_comes_back() {
    assert_eq!(
        prints(
            "two = 5\nprint(two)\ndel two\nprint(two(1))\ndef f():\n    two = lambda: 7\n    return two()\nprint(f())"
        ),
        "5\n[1, 2]\n7\n"
    );
}

#[test]
fn errors_of_tools_are_exceptions_of_their_class() {
    let text = prints(
        r"
for f in boom, plain_boom, odd_boom, picky_boom, garbage:
    try: f()
    except Exception as e: print(type(e).__mro__[1].__name__, repr(e))
try: boom()
except ToolFailure as e: print('caught', e, ToolFailure.__doc__, ToolFailure.__module__, isinstance(e, RuntimeError))
boom()
",
    );
    assert_eq!(
        text,
        "Traceback (most recent call last):\n  File \"<test>\", line 7, in <module>\n    boom()\n    ~~~~^^\nToolFailure: it broke\n",
    );
}

#[test]
fn unknown_classes_of_errors_become_runtime_errors() {
    let text = prints(
        r"
for f in boom, plain_boom, odd_boom, picky_boom, garbage:
    try: f()
    except Exception as e: print(repr(e))
",
    );
    assert_eq!(
        text,
        "ToolFailure('it broke')\nKeyError('it broke')\nRuntimeError('NoSuchClass: it broke')\nRuntimeError('UnicodeDecodeError: it broke')\n\
         RuntimeError('what the tool returned cannot enter the sandbox: unsupported form, at byte 1')\n"
    );
}

#[test]
fn arguments_that_cannot_cross_are_named() {
    assert_eq!(
        prints("try: two(1, [object()])\nexcept TypeError as e: print(e)"),
        "two(): argument 'y': in item 0: a value of type 'object' cannot leave the sandbox\n"
    );
}

#[test]
fn a_second_set_of_tools_replaces_the_first() {
    with_machine(|vm, _| {
        value(vm, "old = two\nboom = 1");
        let definitions = value(vm, "[[], [['three', None, 0, None, []]]]");
        let bytes = transfer::encode(vm, &definitions).expect("definitions");
        vm.define_tools(&bytes).expect("tools");
        let text = value(
            vm,
            "import builtins\nstr((hasattr(builtins, 'two'), hasattr(builtins, 'ToolFailure'), three(), boom, old(1), sum([1, 2])))",
        );
        let text = vm.str(&text).expect("text").to_text().into_owned();
        assert_eq!(text, "(False, False, [], 1, [1, 2], 3)");
    });
}

#[test]
fn wrong_definitions_are_refused() {
    with_machine(|vm, _| {
        for source in [
            "None",
            "[[]]",
            "[[], [1]]",
            "[[], [['t', None, 9, None, []]]]",
            "[[], [['t', None, 0, None, [['a', 1, None, 1], ['b', 1, None]]]]]",
            "[[], [['t', None, 0, None, [['a', 2, None], ['b', 2, None]]]]]",
            "[[], [['t', None, 0, None, [['a', 7, None]]]]]",
            "[[['E', 'NoBase', None]], []]",
            "[[['E', 5, None]], []]",
        ] {
            let definitions = value(vm, source);
            let bytes = transfer::encode(vm, &definitions).expect("it crosses");
            assert!(vm.define_tools(&bytes).is_err(), "{source}");
        }
        assert!(vm.define_tools(&[0xff]).is_err());
    });
}

/// Runs a program that gives a final answer; what it printed, and the answer's `repr`.
fn answers(source: &'static str) -> String {
    with_machine(move |vm, seen| {
        let result = vm.run_program(source, "<test>", true);
        let text = match result {
            Err(failure) => failure.traceback,
            Ok(_) => match vm.take_final_answer() {
                Some(answer) => vm.repr(&answer).expect("a repr").to_text().into_owned(),
                None => "no answer".to_owned(),
            },
        };
        format!("{}{text}", String::from_utf8_lossy(&seen.borrow().output))
    })
}

#[test]
fn a_final_answer_ends_the_program_from_everywhere() {
    for (source, expected) in [
        ("final_answer(42)\nprint('no')", "42"),
        ("finish({'a': 1})", "[{'a': 1}]"),
        ("final_answer(None)", "None"),
        ("final_answer(object)", "<class 'object'>"),
        (
            "try:\n    final_answer(1)\nexcept Exception: print('no')",
            "1",
        ),
        (
            "try:\n    final_answer(1)\nexcept BaseException: print('no')",
            "1",
        ),
        ("try:\n    final_answer(1)\nexcept: print('no')", "1"),
        (
            "try:\n    final_answer(1)\nexcept* BaseException: print('no')",
            "1",
        ),
        (
            "try:\n    final_answer(1)\nfinally: print('tidy')\nprint('no')",
            "tidy\n1",
        ),
        (
            "def f():\n    try: final_answer(1)\n    finally: return 5\nf()\n",
            "1",
        ),
        (
            "def f():\n    try: final_answer(1)\n    finally: raise ValueError\nf()\n",
            "1",
        ),
        (
            "for x in [1, 2, 3]:\n    try: final_answer(x)\n    finally: continue",
            "3",
        ),
        (
            "def f(n):\n    if n: f(n - 1)\n    else: final_answer('deep')\nf(300)",
            "'deep'",
        ),
        ("[final_answer(x) for x in (7, 8)]", "7"),
        ("list(map(final_answer, 'ab'))", "'a'"),
        ("sorted([3, 1, 2], key=final_answer)", "3"),
        (
            "def g():\n    yield 1\n    final_answer(9)\nfor x in g(): pass",
            "9",
        ),
        (
            "import contextlib\nwith contextlib.suppress(BaseException): final_answer(1)\nprint('no')",
            "1",
        ),
        (
            "class C:\n    def __enter__(self): return self\n    def __exit__(self, *a):\n        print(a[0].__name__)\n        return True\nwith C(): final_answer(1)\nprint('no')",
            "FinalAnswer\n1",
        ),
        (
            "import contextlib\n@contextlib.contextmanager\ndef c():\n    try: yield\n    finally: print('tidy')\nwith c(): final_answer(1)",
            "tidy\n1",
        ),
        (
            "import threading\nt = threading.Thread(target=final_answer, args=(3,))\nt.start()\nt.join()\nprint('no')",
            "3",
        ),
        (
            "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as p: list(p.map(final_answer, [4]))\nprint('no')",
            "4",
        ),
        (
            "import threading, time\ndef f():\n    try: time.sleep(1)\n    finally: print('slept')\n    final_answer(3)\nfor _ in range(2): threading.Thread(target=f).start()\ntry: time.sleep(5)\nfinally: print('tidy')\nprint('no')",
            "slept\ntidy\n3",
        ),
        (
            "import time\nfrom concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as p: print(p.submit(lambda: (time.sleep(1), final_answer(4))).result())\nprint('no')",
            "4",
        ),
        (
            "import threading, time\ndef f():\n    while True: time.sleep(1)\nthreading.Thread(target=f).start()\nfinal_answer(5)",
            "5",
        ),
        (
            "class D:\n    def __del__(self): final_answer(6)\nD()\nfor _ in range(5000): pass\nprint('no')",
            "6",
        ),
        (
            "class E:\n    def __eq__(self, o): final_answer(6)\nE() in [1]\nprint('no')",
            "6",
        ),
        ("eval('final_answer(2)')\nprint('no')", "2"),
        (
            "import functools\nfunctools.partial(final_answer, 2)()",
            "2",
        ),
        (
            "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    final_answer(8)\nasyncio.run(main())\nprint('no')",
            "8",
        ),
        (
            "import asyncio\nasync def one(): final_answer(8)\nasync def main():\n    try: await asyncio.gather(one(), asyncio.sleep(5))\n    finally: print('tidy')\nasyncio.run(main())\nprint('no')",
            "tidy\n8",
        ),
    ] {
        assert_eq!(answers(source), expected, "{source}");
    }
}

#[test]
fn after_a_final_answer_the_session_lives_on() {
    with_machine(|vm, _| {
        for n in 0..3 {
            assert!(
                vm.run_program("x = 1\nfinal_answer(x)", "<test>", true)
                    .is_ok()
            );
            assert!(vm.take_final_answer().is_some(), "{n}");
            let text = value(vm, "try: 1 / 0\nexcept: y = x + 1\nstr(y)");
            assert_eq!(vm.str(&text).expect("text").to_text(), "2");
            assert!(vm.take_final_answer().is_none());
        }
    });
}

#[test]
fn threads_end_with_the_program() {
    with_machine(|vm, seen| {
        value(
            vm,
            r"
import concurrent.futures, queue, threading, time
pool = concurrent.futures.ThreadPoolExecutor(2)
print(pool.submit(lambda: (time.sleep(1), threading.current_thread().name)[1]).result())
jobs, never = queue.Queue(), threading.Event()
class Told:
    def __del__(self): print('not here')
def work():
    told = Told()
    while True: print('job', jobs.get())
def numbers():
    try: yield never.wait()
    finally: print('not here')
def stuck():
    for _ in numbers(): pass
    print('not here')
def late():
    time.sleep(1)
    threading.Thread(target=print, args=('later',)).start()
    print('late')
for f in work, stuck: threading.Thread(target=f, daemon=True).start()
threading.Thread(target=late).start()
jobs.put(1)
threads = threading.enumerate()
print(len(threads), 'end')
",
        );
        let text =
            String::from_utf8_lossy(&std::mem::take(&mut seen.borrow_mut().output)).into_owned();
        assert_eq!(text, "ThreadPoolExecutor-0_0\n5 end\njob 1\nlater\nlate\n");
        value(
            vm,
            "jobs.put(2)\nnever.set()\ntime.sleep(2)\nprint([t.is_alive() for t in threads], threading.enumerate() == threads[:1])\nprint(pool.submit(pow, 2, 3).result(), threading.active_count())",
        );
        let text = String::from_utf8_lossy(&seen.borrow().output).into_owned();
        assert_eq!(text, "[True, False, False, False, False] True\n8 2\n");
    });
}

#[test]
fn a_stop_ends_all_threads() {
    with_machine(|vm, seen| {
        for program in [
            "threading.Thread(target=spin).start()\nthreading.Thread(target=spin).start()\nspin()",
            "threading.Thread(target=wait).start()\nthreading.Thread(target=spin).start()",
            "threading.Thread(target=wait).start()\nthreading.Thread(target=lambda: sorted([1], key=spin)).start()\nsorted([1], key=spin)",
        ] {
            let begin = "import threading, time\ndef spin(*_):\n    try:\n        while True: pass\n    finally: print('no')\ndef wait():\n    try: threading.Event().wait()\n    finally: print('no')\n";
            seen.borrow_mut().patience = Some(2_000);
            let failure = vm.run_program(&format!("{begin}{program}"), "<test>", true);
            assert_eq!(failure.expect_err("stopped").type_name, "TimeoutError");
            seen.borrow_mut().patience = None;
            value(
                vm,
                "import threading, time\nprint(threading.active_count())\nt = threading.Thread(target=time.sleep, args=(1,))\nt.start()\nt.join()",
            );
        }
        let text = String::from_utf8_lossy(&seen.borrow().output).into_owned();
        assert_eq!(text, "1\n1\n1\n");
    });
}

#[test]
fn threads_that_wait_for_ever_are_an_error() {
    let start = "import threading\nlock = threading.Lock()\nlock.acquire()\n";
    for (program, expected) in [
        (
            "lock.acquire()",
            "deadlock: waiting for a lock that nobody can release: no other thread can go on",
        ),
        (
            "threading.Thread(target=lock.acquire, name='stuck').start()",
            "deadlock: the program has ended, but not its threads, which wait for ever: stuck",
        ),
        (
            "t = threading.Thread(target=lambda: lock.acquire())\nt.start()\nt.join()",
            "deadlock: waiting for a lock that nobody can release: no other thread can go on",
        ),
    ] {
        with_machine(move |vm, _| {
            let failure = vm
                .run_program(&format!("{start}{program}"), "<test>", true)
                .expect_err("a deadlock");
            assert_eq!(failure.message, expected);
            value(vm, "assert threading.active_count() == 1");
        });
    }
}

#[test]
fn asynchronous_tools_get_on_among_threads() {
    let text = prints(
        r"
import asyncio, threading, time
async def main():
    loop = asyncio.get_running_loop()
    both = await asyncio.gather(later(1), asyncio.to_thread(lambda: (time.sleep(1), 'slept')[1]))
    print(both)
    event = asyncio.Event()
    threading.Timer(1, loop.call_soon_threadsafe, (event.set,)).start()
    unanswered = asyncio.ensure_future(never())
    await event.wait()
    print(unanswered.done())
asyncio.run(main())
",
    );
    assert_eq!(text, "[[1], 'slept']\nFalse\n");
}

#[test]
fn asynchronous_tools_are_awaited() {
    let text = prints(
        r"
import asyncio, inspect
async def main():
    print(await later(1))
    # The host of this test ends the last call first; the order of results is that of the calls.
    print(await asyncio.gather(later(1), later(2), later(3)))
    task = asyncio.create_task(later('t'))
    print(await task, await asyncio.wait_for(later(4), 5))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(later(n)) for n in range(3)]
    print([t.result() for t in tasks])
    print(sorted([await f for f in asyncio.as_completed([later(1), later(2)])]))
    try: await asyncio.wait_for(never(), 0.5)
    except TimeoutError: print('too late')
    try: await later()
    except TypeError as e: print(e)
    c = later(5)
    print(inspect.iscoroutine(c), c.__name__, c.__qualname__)
    c.close()
asyncio.run(main())
",
    );
    assert_eq!(
        text,
        "[1]\n[[1], [2], [3]]\n['t'] [4]\n[[0], [1], [2]]\n[[1], [2]]\ntoo late\nlater() missing 1 required positional argument: 'x'\nTrue later later\n"
    );
}

#[test]
fn a_call_that_nobody_waits_for_is_dropped() {
    with_machine(|vm, seen| {
        value(
            vm,
            "import asyncio\nasync def main():\n    t = asyncio.create_task(never())\n    await asyncio.sleep(0)\n    await asyncio.sleep(0)\n    t.cancel()\n    try: await t\n    except asyncio.CancelledError: pass\n    await asyncio.sleep(1)\nasyncio.run(main())",
        );
        assert_eq!(seen.borrow().dropped, [1]);
        assert!(seen.borrow().started.is_empty());
    });
}

#[test]
fn a_loop_that_is_busy_hears_of_calls_that_ended() {
    assert_eq!(
        prints(
            "import asyncio\nasync def main():\n    t = asyncio.create_task(later(1))\n    n = 0\n    while not t.done():\n        n += 1\n        await asyncio.sleep(0)\n    print(t.result(), n < 10)\nasyncio.run(main())"
        ),
        "[1] True\n"
    );
}

#[test]
fn programs_may_await_at_their_own_level() {
    with_machine(|vm, seen| {
        let options = coldframe_compiler::Options {
            want_value: true,
            top_level_await: true,
            ..coldframe_compiler::Options::default()
        };
        let mut run = |source: &str| match vm.run_program_with(source, "<test>", &options) {
            Ok(Some(value)) if !value.is_none() => {
                vm.repr(&value).expect("a repr").to_text().into_owned()
            }
            Ok(_) => "nothing".to_owned(),
            Err(failure) => failure.traceback,
        };
        assert_eq!(run("x = await later(1)\nx"), "[1]");
        assert_eq!(
            run(
                "import asyncio\nt = asyncio.create_task(asyncio.sleep(1, 'slept'))\nawait asyncio.sleep(0)\nx"
            ),
            "[1]"
        );
        assert_eq!(
            run("(await t, [await later(n) for n in (1, 2)])"),
            "('slept', [[1], [2]])"
        );
        assert_eq!(run("x = 1\nx + 1"), "2");
        assert_eq!(
            run("t = asyncio.create_task(never())\nawait asyncio.sleep(0)"),
            "nothing"
        );
        assert_eq!(
            run("try: await t\nexcept asyncio.CancelledError: x = 'gone'\nx"),
            "'gone'"
        );
        assert!(
            run("await later(1, 2)")
                .ends_with("TypeError: later() takes 1 positional argument but 2 were given\n")
        );
        assert!(run("def f(): await x").contains("SyntaxError: 'await' outside async function"));
        assert_eq!(
            run("await later(3)\nfinal_answer(5)\nprint('no')"),
            "nothing"
        );
        assert_eq!(run("await later(4)"), "[4]");
        assert!(seen.borrow().output.is_empty());
    });
}
