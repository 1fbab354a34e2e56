"""Sessions: what blocking calls do."""

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import uuid
import zoneinfo

import pytest

import coldframe


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: int
    y: int


Pair = collections.namedtuple("Pair", "left right")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1,
        2**64,
        -(2**200),
        1.5,
        float("inf"),
        1 + 2j,
        "naïve 🐍",
        "lone \ud800",
        b"\0\xff",
        bytearray(b"ab"),
        [1, [2, (3,)]],
        {"a": {1: (2, None)}, (1, 2): frozenset({3})},
        {1, 2},
        range(1, 10, 3),
        slice(1, None, 2),
        datetime.date(2026, 11, 30),
        datetime.time(1, 2, 3, 4, fold=1),
        datetime.datetime(2026, 11, 30, 1, 2, 3, 4, tzinfo=datetime.timezone.utc),
        datetime.datetime(2026, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo("Europe/Vienna")),
        datetime.timedelta(days=-1, microseconds=5),
        datetime.timezone(datetime.timedelta(hours=2), "HERE"),
        decimal.Decimal("1.10"),
        fractions.Fraction(1, 3),
        pathlib.PurePosixPath("/a/b"),
        uuid.UUID(int=7),
        Color.RED,
        Point(1, 2),
        Pair(1, [2]),
    ],
    ids=repr,
)
def test_values_survive_the_way_in_and_out(value):
    with coldframe.Session(variables={"v": value}) as session:
        back = session["v"]
        assert back == value and type(back) is type(value)
        assert session.run("[v]").value == [value]


def test_classes_of_programs_are_made_anew():
    outcome = coldframe.run(
        "import dataclasses, enum\n"
        "@dataclasses.dataclass\n"
        "class P: x: int\n"
        "class C(enum.Enum): A = 5\n"
        "(P(3), C.A, ValueError('no', 1))"
    )
    point, member, error = outcome.value
    assert (point.x, repr(point), member.value, member.name) == (3, "P(x=3)", 5, "A")
    assert isinstance(error, ValueError) and error.args == ("no", 1)


def test_programs_choose_no_class_of_the_host():
    outcome = coldframe.run(
        "import dataclasses\n@dataclasses.dataclass\nclass Popen: args: str\nPopen.__module__ = 'subprocess'\nPopen('touch /tmp/x')"
    )
    assert type(outcome.value) is not subprocess.Popen
    assert type(outcome.value).__qualname__ == "Popen" and outcome.value.args == "touch /tmp/x"


def test_what_cannot_leave_is_shown():
    outcome = coldframe.run("class A:\n    def __repr__(self): return '<my A>'\nA()")
    assert isinstance(outcome.value, coldframe.StandIn)
    assert (str(outcome.value), outcome.repr, outcome.crossed) == ("<my A>", "<my A>", False)


def test_what_cannot_enter_is_told():
    with coldframe.Session() as session:
        with pytest.raises(coldframe.CrossingError, match='variable "f": an object of type .*function.* cannot enter'):
            session["f"] = lambda: 1
        loop = []
        loop.append(loop)
        with pytest.raises(coldframe.CrossingError, match="nests deeper than 200 levels, or contains itself"):
            session.set(loop=loop)
        with pytest.raises(KeyError):
            session["nothing"]
        assert session.get("nothing", 3) == 3


def test_handles_are_the_very_object():
    class Image:
        size = (4, 3)

        def __repr__(self):
            return "<Image>"

    image, seen = Image(), []

    def show(picture):
        seen.append(picture)
        return picture

    def make():
        return image

    with coldframe.Session(tools=[show, make], live_objects=True) as session:
        session["image"] = coldframe.Handle(image, attributes=["size"])
        outcome = session.run("other = show(image)\n[repr(image), image.size, other == image, make(), {'k': image}]")
        assert outcome.error is None, outcome.error
        assert outcome.value[:3] == ["<Image>", (4, 3), True]
        assert outcome.value[3] is image and outcome.value[4]["k"] is image and seen == [image]
        assert session.run("image.__dict__").error.type_name == "AttributeError"
        assert session.run("image.secret").error.type_name == "AttributeError"


def test_failures_are_outcomes():
    kinds = {
        "1 / 0": ("exception", "ZeroDivisionError"),
        "def f(:": ("syntax", "SyntaxError"),
        "import sys; sys.exit(3)": ("exit", "SystemExit"),
        "def f(): f()\nf()": ("recursion", "RecursionError"),
        "x = [0] * 10**9": ("memory", "MemoryError"),
    }
    for source, (kind, name) in kinds.items():
        error = coldframe.run(source, memory=64 << 20).error
        assert (error.kind, error.type_name) == (kind, name)
    assert coldframe.run("import sys; sys.exit(0)").ok
    with pytest.raises(coldframe.LimitError) as info:
        coldframe.run("while True: pass", time=0.05, fuel=10**15).unwrap()
    assert info.value.failure.kind == "time" and "time limit" in info.value.failure.exceeded
    with pytest.raises(coldframe.GuestSyntaxError):
        coldframe.run("(").unwrap()
    for cls in (coldframe.LimitError, coldframe.CrossingError, coldframe.SavedError, coldframe.BusyError):
        assert issubclass(cls, coldframe.Error)


def test_options_are_checked():
    with pytest.raises(TypeError):
        coldframe.Sandbox(colour=1)
    with pytest.raises(coldframe.PolicyError):
        coldframe.Sandbox(memory=1).session()
    with pytest.raises(coldframe.PolicyError):
        coldframe.Sandbox(preset="nothing").session()


def test_policy():
    sandbox = coldframe.Sandbox(preset="strict", more_imports=["statistics"], clock=0.0, seed=7)
    assert sandbox.run("import statistics, random; random.random()").value == sandbox.run("import random; random.random()").value
    assert sandbox.run("import datetime; datetime.datetime.now().year").value == 1970
    assert sandbox.run("import os").error.kind == "refused"
    assert "open" in sandbox.run("open('x')").error.message


def test_tools_are_functions():
    def search(query: str, limit: int = 10, *sites, exact=False, **filters) -> list:
        "Searches."
        return [query, limit, list(sites), exact, filters]

    sentinel = object()

    def guarded(a=sentinel, b=2):
        return [a is sentinel, b]

    with coldframe.Session(tools=[search, guarded]) as session:
        assert session.run("search('q', 1, 'a', 'b', exact=True, lang='de')").value == ["q", 1, ["a", "b"], True, {"lang": "de"}]
        assert session.run("search('q')").value == ["q", 10, [], False, {}]
        assert session.run("search.__doc__").value == "Searches."
        assert session.run("import inspect; str(inspect.signature(search))").value == (
            "(query: str, limit: int = 10, *sites, exact=False, **filters) -> list"
        )
        assert session.run("search()").error.message.startswith("search() missing 1 required positional argument")
        assert session.run("[guarded(), guarded(1), guarded(b=3)]").value == [[True, 2], [False, 2], [True, 3]]


def test_exceptions_of_tools():
    class WeatherError(Exception):
        pass

    class OddError(LookupError):
        pass

    def fail(how):
        raise {"key": KeyError("k"), "own": WeatherError("no sky"), "odd": OddError("odd"), "value": ValueError("bad")}[how]

    with coldframe.Session(tools=[fail], exceptions=[WeatherError]) as session:
        for how, name, message in [
            ("key", "KeyError", "'k'"),
            ("own", "WeatherError", "no sky"),
            ("odd", "LookupError", "OddError: odd"),
            ("value", "ValueError", "bad"),
        ]:
            error = session.run(f"fail({how!r})").error
            assert (error.type_name, error.message) == (name, message)
        assert session.run("try: fail('own')\nexcept WeatherError as e: r = str(e)\nr").value == "no sky"


def test_async_tools_in_blocking_runs():
    import asyncio

    async def fetch(n):
        await asyncio.sleep(0.05)
        return n

    def slow(n):
        time.sleep(0.05)
        return n

    tools = [fetch, coldframe.Tool(fetch, name="wait_for", awaitable=False), coldframe.Tool(slow, awaitable=True)]
    with coldframe.Session(tools=tools) as session:
        assert session.run("wait_for(3)").value == 3
        outcome = session.run("import asyncio\nawait asyncio.gather(*(fetch(n) for n in range(5)), slow(5))", top_level_await=True)
        assert outcome.value == [0, 1, 2, 3, 4, 5]
        assert outcome.usage.tool_time < 0.25


def test_final_answer():
    with coldframe.Session(tools=[coldframe.Tool(lambda answer: [answer], name="final_answer", final=True)]) as session:
        outcome = session.run("try:\n    final_answer(7)\nexcept BaseException:\n    pass\nprint('no')")
        assert (outcome.value, outcome.is_final_answer, outcome.stdout) == ([7], True, "")


def test_a_tool_may_use_a_sandbox_but_not_its_own_session():
    def nested(source):
        return coldframe.run(source).value

    def own():
        return session.run("1")

    with coldframe.Session(tools=[nested, own]) as session:
        assert session.run("nested('sum(range(5))')").value == 10
        assert "the session is in use" in session.run("own()").error.message


def test_output_as_it_comes():
    seen = []
    with coldframe.Session(fuel=10**15) as session:
        outcome = session.run(
            "import sys\nprint('one', flush=True)\nprint('two', file=sys.stderr, flush=True)", on_output=lambda *a: seen.append(a)
        )
        assert "".join(t for s, t in seen if s == "stdout") == outcome.stdout == "one\n"
        assert "".join(t for s, t in seen if s == "stderr") == outcome.stderr == "two\n"
        outcome = session.run("while True: print('x', flush=True)", on_output=lambda *_: False)
        assert outcome.error.kind == "cancelled"


def test_files():
    with coldframe.Session() as session:
        session.put_file("data/in.txt", "äöü")
        session.run("open('out.txt', 'w').write(open('data/in.txt').read() * 2)")
        assert session.take_file("out.txt").decode() == "äöüäöü"
        assert sorted((e.path, e.kind) for e in session.list_files()) == [("data", "directory"), ("data/in.txt", "file"), ("out.txt", "file")]
        with pytest.raises(coldframe.FileError):
            session.take_file("nothing")


def test_save_restore_fork_reset(tmp_path):
    sandbox = coldframe.Sandbox(tools={"count": len})
    with sandbox.session({"items": [1, 2]}) as session:
        session.run("def total(): return sum(items)")
        (tmp_path / "saved").write_bytes(bytes(session.save()))
        with session.fork() as fork:
            fork.run("items.append(10)")
            assert (fork.run("total()").value, session.run("total()").value) == (13, 3)
        session.reset()
        assert session.variables() == []
    with sandbox.restore((tmp_path / "saved").read_bytes()) as session:
        assert session.run("total()").value == 3
    with pytest.raises(coldframe.SavedError):
        sandbox.restore(b"nonsense")
    with pytest.raises(coldframe.SessionClosedError):
        session.run("1")


def test_lost_sessions_come_back():
    with coldframe.Session(time=0.1, fuel=10**15) as session:
        outcome = session.run("x = 'a' * 10**7\nwhile True: x.count('aaaaaaaaab')")
        assert outcome.error.kind == "time"
        if outcome.error.session_lost:
            with pytest.raises(coldframe.SessionLostError):
                session.run("1")
            session.reset()
        assert session.run("1").value == 1


def test_log_and_introspection():
    with coldframe.Session() as session:
        session.run("a = 1")
        session.run("1/0")
        assert session.log()["statistics"]["runs"] == 2
        assert [(v.name, v.type_name, v.repr) for v in session.variables()] == [("a", "int", "1")]
        assert [(i.module, i.line) for i in session.imports_of("import os\nfrom a.b import c")] == [("os", 1), ("a.b", 2)]


def test_other_threads_run_meanwhile():
    """The GIL is free while a program runs."""
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    coldframe.run("while True: pass", time=0.5, fuel=10**15)
    stop.set()
    thread.join()
    assert len(ticks) > 20


def test_cancel_from_another_thread():
    with coldframe.Session(fuel=10**15) as session:
        timer = threading.Timer(0.2, session.cancel)
        timer.start()
        started = time.monotonic()
        assert session.run("while True: pass").error.kind == "cancelled"
        assert time.monotonic() - started < 10
        assert session.run("1").value == 1


CTRL_C = """
import coldframe, signal, sys
# A shell starts what runs in the background with the signal ignored, and so may whoever runs the tests.
signal.signal(signal.SIGINT, signal.default_int_handler)
def nap():
    import time
    time.sleep(60)
session = coldframe.Session(tools=[nap], fuel=10**15)
print("ready", flush=True)
try:
    session.run(sys.argv[1])
except KeyboardInterrupt:
    print("interrupted", session.run("2 + 2").value, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("program", ["while True: pass", "nap()", "import time; time.sleep(60)"])
def test_ctrl_c(program):
    child = subprocess.Popen([sys.executable, "-c", CTRL_C, program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=30)
    assert (out, child.returncode) == ("interrupted 4\n", 0)
    assert time.monotonic() - started < 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_fork_is_told():
    code = (
        "import coldframe, os\n"
        "coldframe.run('1')\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    try: coldframe.run('1')\n"
        "    except coldframe.Error as e: os._exit(7 if 'forked' in str(e) else 1)\n"
        "    os._exit(2)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "7\n", done.stderr


def test_licences():
    text = coldframe.licences()
    listed = {line.split(" ")[0] for line in text.split("\n\n")[1].splitlines()}
    assert {"coldframe-python", "coldframe", "coldframe-guest", "pyo3", "pyo3-ffi", "wasmtime", "rustpython-pylib"} <= listed
    assert "PyO3 Project and Contributors" in text and "PYTHON SOFTWARE FOUNDATION LICENSE" in text
    assert coldframe.__version__


@pytest.mark.parametrize(
    "options, error, text",
    [
        ({"time": "x"}, TypeError, "option time='x': must be real number"),
        ({"time": float("nan")}, coldframe.PolicyError, "option time=nan"),
        ({"memory": "64M"}, TypeError, "option memory='64M'"),
        ({"memory": -1}, coldframe.PolicyError, "option memory=-1"),
        ({"fuel": 10**30}, coldframe.PolicyError, "option fuel=1000"),
        ({"imports": "math"}, TypeError, r"write \['math'\]"),
        ({"imports": [1]}, TypeError, "option imports"),
        ({"clock": "now"}, TypeError, "option clock='now'"),
        ({"exceptions": [int]}, coldframe.ToolDefinitionError, "no class of exceptions"),
        ({"tools": [lambda: 1]}, coldframe.ToolDefinitionError, "identifier"),
        ({"time": 0}, coldframe.PolicyError, "time limit"),
        ({"memory": 27 << 20}, coldframe.PolicyError, "the least is 28 MiB"),
        ({"operations": 0}, coldframe.PolicyError, "option operations=0: must be 1 to"),
        ({"operations": 10**15}, coldframe.PolicyError, "option operations=1000000000000000: must be 1 to 40000000000000"),
        ({"fuel": 1, "operations": 1}, coldframe.PolicyError, "options fuel and operations"),
        ({"cut_middle": 10, "cut_end": 10}, coldframe.PolicyError, "options cut_middle and cut_end"),
        ({"imports": ["a b"]}, coldframe.PolicyError, r"option imports=\['a b'\]: \"a b\" is not a module name"),
        ({"more_imports": ["a..b"], "preset": "strict"}, coldframe.PolicyError, "option more_imports"),
        ({"denied_imports": [""]}, coldframe.PolicyError, "option denied_imports"),
        ({"removed_builtins": ["opne"]}, coldframe.PolicyError, "no builtin 'opne'"),
        ({"removed_builtins": ["a b"]}, coldframe.PolicyError, "removed_builtins"),
        ({"dunders": ["init"]}, coldframe.PolicyError, "'init' is not a name __like_this__"),
        ({"dunders": ["__a b__"]}, coldframe.PolicyError, "option dunders"),
        ({"time_zone": "Europe/Vienn"}, coldframe.PolicyError, "option time_zone='Europe/Vienn': .*neither"),
        ({"time_zone": ""}, coldframe.PolicyError, "option time_zone=''"),
        ({"clock": 1e12}, coldframe.PolicyError, r"option clock=1000000000000.0: a clock after 2554-07-21"),
        ({"clock": datetime.datetime.max.replace(tzinfo=datetime.timezone.utc)}, coldframe.PolicyError, "option clock=.* a clock after 2554"),
        ({"clock": -1}, coldframe.PolicyError, "option clock=-1: a clock before 1970"),
        ({"clock": datetime.datetime(2026, 1, 2)}, coldframe.PolicyError, r"option clock=datetime.*without a time zone"),
        ({"tools": len}, TypeError, r"write \[len\]"),
        ({"tools": coldframe.Tool(len)}, TypeError, r"write \[len\]"),
        ({"tools": {"done": coldframe.FinalAnswer()}}, coldframe.ToolDefinitionError, "called final_answer, not done"),
        ({"exceptions": KeyError}, TypeError, r"write \[KeyError\]"),
    ],
)
def test_options_are_checked_at_once_and_named(options, error, text):
    with pytest.raises(error, match=text):
        coldframe.Sandbox(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"memory": 28 << 20},
        {"clock": 0},
        {"clock": 18_446_744_073},
        {"time_zone": "UTC"},
        {"time_zone": "Europe/Vienna"},
        {"time_zone": "CET-1CEST,M3.5.0,M10.5.0/3"},
        {"imports": []},
        {"imports": ["*"]},
        {"imports": ["numpy.*", "größe"]},
        {"removed_builtins": ["open", "ExceptionGroup", "anext"], "dunders": ["__init__", "__my_own__"]},
        {"operations": 40_000_000_000_000},
    ],
    ids=repr,
)
def test_options_that_are_taken_work(options):
    assert coldframe.run("6 * 7", **options).value == 42


def test_names_of_options_are_told_with_those_that_are_near():
    with pytest.raises(TypeError, match=r"coldframe.run\(\) got an unexpected keyword argument 'timeout': perhaps time "):
        coldframe.run("1", timeout=1)
    with pytest.raises(TypeError, match=r"coldframe.Session\(\) got .*'memory_limit': perhaps memory is meant"):
        coldframe.Session(memory_limit=1)
    with pytest.raises(TypeError, match=r"'zzz': its options are those of coldframe.Sandbox"):
        coldframe.run("1", zzz=1)


@pytest.mark.parametrize("sessions", [0, -1, 10_001, 10**30])
def test_an_engine_without_sense_is_refused_at_once(sessions):
    with pytest.raises(coldframe.PolicyError, match="must be 1 to 10,000"):
        coldframe.configure(max_sessions=sessions)
    assert coldframe.run("1").value == 1


@pytest.mark.parametrize("source", ["x = '\ud800'", "# a\n\udc80", "\ud83d\ude00 = 1"])
def test_a_source_that_is_no_text_fails_as_in_cpython(source):
    import asyncio

    with pytest.raises(UnicodeEncodeError) as info:
        compile(source, "<string>", "exec")
    with coldframe.Session(variables={"n": 1}) as session:
        outcome = session.run(source)
        assert (outcome.error.kind, outcome.error.type_name, outcome.error.message) == ("syntax", "UnicodeEncodeError", str(info.value))
        assert outcome.error.line == source[: info.value.start].count("\n") + 1 and not outcome.ok
        with pytest.raises(coldframe.GuestSyntaxError):
            outcome.unwrap()
        with pytest.raises(coldframe.GuestSyntaxError):
            session.imports_of(source)
        assert session["n"] == 1
    with pytest.raises(coldframe.SessionClosedError):
        session.run(source)
    assert asyncio.run(coldframe.Sandbox().run_async(source)).error == outcome.error


def test_a_tool_keeps_what_it_was_given_under_another_name():
    def add(a, b=1):
        return a + b

    parameters = [("left", 1, "int", False, None), ("right", 1, "int", True, 5)]
    made = coldframe.Tool(add, name="b", doc="Adds.", final=True, parameters=parameters, returns="int", timeout=9)
    with coldframe.Session(tools={"a": made, "wait": coldframe.Tool(add, awaitable=True)}) as session:
        assert session.run("import inspect; a.__name__, a.__doc__, str(inspect.signature(a))").value == ("a", "Adds.", "(left: int, right: int = 5) -> int")
        outcome = session.run("a(1)\nprint('no')")
        assert (outcome.value, outcome.is_final_answer, outcome.stdout) == (6, True, "")
        assert session.run("await wait(1, 2)", top_level_await=True).value == 3
        assert session.run("b").error.type_name == "NameError"
    assert made.name == "b"


@pytest.mark.parametrize("final", [False, True])
def test_a_tool_with_a_timeout_ends_in_blocking_runs_too(final):
    import contextvars

    variable, ended, threads = contextvars.ContextVar("v"), threading.Event(), []
    variable.set("the caller's")

    def slow(seconds):
        threads.append(threading.current_thread())
        time.sleep(seconds)
        ended.set()
        return variable.get()

    with coldframe.Session(tools=[coldframe.Tool(slow, timeout=0.2, final=final)]) as session:
        assert session.run("slow(0)").value == "the caller's"
        ended.clear()
        began = time.monotonic()
        outcome = session.run("try: slow(1)\nexcept TimeoutError as e: print(e)\n7")
        assert time.monotonic() - began < 0.9
        assert outcome.value == 7 and "the tool 'slow' took longer than 200ms" in outcome.stdout
        assert threads[0] is not threading.current_thread()
        # It runs on, and what it came to is dropped.
        assert ended.wait(5) and session.run("8").value == 8


def test_errors_of_files_have_their_numbers():
    import errno
    import pickle

    with coldframe.Session() as session:
        with pytest.raises(coldframe.FileError) as info:
            session.take_file("no/such")
        error = info.value
        assert isinstance(error, OSError) and (error.errno, error.filename) == (errno.ENOENT, "no/such")
        same = pickle.loads(pickle.dumps(error))
        assert (str(same), same.errno, same.strerror) == (str(error), error.errno, error.strerror)
        for call in (
            lambda: session.put_file("a\0b", b""),
            lambda: session.take_file("a\0b"),
            lambda: session.list_files("\0"),
            lambda: session.make_directory("a/\0"),
        ):
            with pytest.raises(coldframe.FileError, match="NUL"):
                call()
        assert session.list_files() == []


def test_the_two_kinds_of_sessions_have_the_same_signatures():
    import inspect

    def told(function):
        signature = inspect.signature(function)
        return [(p.name, p.kind, p.default) for p in signature.parameters.values()]

    both = [name for name in vars(coldframe.AsyncSession) if not name.startswith("_") and callable(getattr(coldframe.AsyncSession, name))]
    assert {"run", "set", "get", "save", "set_tools"} <= set(both)
    for name in both:
        assert told(getattr(coldframe.AsyncSession, name)) == told(getattr(coldframe.Session, name)), name
    assert told(coldframe.Sandbox.session) == told(coldframe.Sandbox.async_session)
    assert told(coldframe.Sandbox.restore) == told(coldframe.Sandbox.async_restore)
    assert told(coldframe.Sandbox.run) == [p for p in told(coldframe.Sandbox.run_async) if p[0] != "top_level_await"]


@pytest.mark.parametrize(
    "source, shown",
    [
        ("import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass P: x: int\n{P(1): 2}", "{P(x=1): 2}"),
        ("import enum\nclass E(enum.Enum): A = [1]\n{E.A}", "{<E.A: [1]>}"),
        ("class T(tuple): _fields = ('class', 'a b')\nT((1, 2))", "(1, 2)"),
        ("a = []; a.append(a); a", "[[...]]"),
        ("2 ** 3000 % 10 ** 20", str(2**3000 % 10**20)),
        ("class A:\n    def __repr__(self): return 'A!'\n[A]", "[<class '__main__.A'>]"),
        ("def f(): pass\n{'f': len}", "{'f': <built-in function len>}"),
    ],
)
def test_whatever_a_program_answers_with_is_an_outcome(source, shown):
    outcome = coldframe.run(source)
    assert outcome.error is None and repr(outcome.value) == shown


@dataclasses.dataclass
class Small:
    x: int

    def __post_init__(self):
        if self.x > 5:
            raise ValueError("too big")


def test_a_class_of_the_host_that_refuses_what_a_program_made_of_it():
    with coldframe.Session(variables={"small": Small(1)}, tools=[repr]) as session:
        outcome = session.run("small.x = 9\nsmall")
        assert (outcome.error, outcome.crossed) == (None, False) and repr(outcome.value).endswith("Small(x=9)")
        with pytest.raises(coldframe.CrossingError, match='variable "small": ValueError: too big'):
            session["small"]
        assert str(session.run("repr(small)").error) == "ValueError: too big"


def test_stand_ins_say_what_they_are():
    value = coldframe.run("class A:\n    x = 1\nA()").value
    with pytest.raises(AttributeError, match="x: the object stayed in the sandbox"):
        value.x
    assert not hasattr(value, "__len__")


def test_output_is_not_cut_within_characters():
    seen = []
    with coldframe.Session() as session:
        source = "import sys\nfor byte in 'ä€🐍'.encode() + b'\\xff\\xe2\\x82':\n    sys.stdout.buffer.write(bytes([byte])); sys.stdout.flush()"
        outcome = session.run(source, on_output=lambda stream, text: seen.append(text))
    assert "".join(seen) == outcome.stdout == "ä€🐍\ufffd\ufffd"


def test_names_that_exceptions_are_declared_by():
    @coldframe.exception(name="Renamed")
    class Own(Exception):
        pass

    class Derived(Own):
        pass

    class Other(Own):
        pass

    def fail(cls):
        raise {"Own": Own, "Derived": Derived, "Other": Other}[cls]("m")

    with coldframe.Session(tools=[fail], exceptions=[Own, Derived, ValueError]) as session:
        assert session.run("try: fail('Own')\nexcept Renamed as e: r = type(e).__name__, str(e)\nr").value == ("Renamed", "m")
        assert session.run("try: fail('Derived')\nexcept Renamed as e: r = type(e).__name__, str(e)\nr").value == ("Derived", "m")
        assert str(session.run("fail('Other')").error) == "Renamed: Other: m"
    # Where it is not declared, nobody knows it.
    with coldframe.Session(tools=[fail]) as session:
        assert session.run("fail('Own')").error.type_name == "RuntimeError"


def test_odd_exceptions_of_tools():
    class Mute(Exception):
        def __str__(self):
            raise ValueError("no text")

    def fail(how):
        raise {"mute": Mute(), "surrogate": ValueError("\ud800"), "long": ValueError("x" * 10_000_000), "stop": StopIteration(1)}[how]

    with coldframe.Session(tools=[fail]) as session:
        assert str(session.run("fail('mute')").error) == "RuntimeError: Mute: <an exception without str>"
        assert str(session.run("fail('surrogate')").error) == "ValueError: \\ud800"
        assert len(session.run("fail('long')").error.message) < 100_000
        assert session.run("fail('stop')").error.type_name == "RuntimeError"


def test_names_of_tools():
    import functools

    class Named:
        name = property(lambda self: "ignored")

        def __call__(self):
            return 1

    assert coldframe.Tool(functools.partial(pow, 2)).name == "pow"
    assert coldframe.Tool(Named).name == "Named"


def test_async_tools_that_end_everything_end_the_run_only():
    async def stop(how):
        raise {"exit": SystemExit(3), "interrupt": KeyboardInterrupt()}[how]

    async def fine():
        return 5

    with coldframe.Session(tools=[stop, fine]) as session:
        for how, error in (("exit", SystemExit), ("interrupt", KeyboardInterrupt)):
            with pytest.raises(error):
                session.run(f"await stop({how!r})", top_level_await=True)
        assert session.run("await fine()", top_level_await=True).value == 5


def test_files_and_names_that_make_no_sense():
    with coldframe.Session() as session:
        session.put_file(pathlib.PurePosixPath("d/a"), bytearray(b"1"))
        assert session.take_file(pathlib.PurePosixPath("d/a")) == b"1"
        for data in (5, None, [1]):
            with pytest.raises(TypeError):
                session.put_file("a", data)
        session.set(self=1)
        assert session["self"] == 1 and "self" in session and "other" not in session
        with pytest.raises(TypeError, match="not iterable"):
            iter(session)
        with pytest.raises(coldframe.CrossingError, match="not an identifier"):
            session["a b"] = 1
    with pytest.raises(TypeError):
        coldframe.Sandbox().restore("text")


def test_huge_values():
    with coldframe.Session(memory=512 << 20, tools=[len]) as session:
        session["n"] = 7**100_000
        assert session["n"] == 7**100_000
        assert session.run("x = 'a' * 40_000_000\nlen(x)").error.type_name in ("TypeError", "ValueError")
        with pytest.raises(coldframe.CrossingError, match="too large"):
            session["x"]
        session["items"] = list(range(1_000_000))
        assert session.run("sum(items)").value == sum(range(1_000_000))


def test_packages_of_data():
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    with coldframe.Session(live_objects=True) as session:
        frame, array = pandas.DataFrame({"a": [1]}), numpy.arange(3)
        session.set(frame=frame, array=array, nat=pandas.NaT, wide=numpy.longdouble(1), number=numpy.int64(3))
        assert session["frame"] is frame and session["array"] is array and session["nat"] is pandas.NaT and session["number"] == 3
        assert session.run("frame.head()").error.message == "'DataFrame (on the host)' object has no attribute 'head'"
    with coldframe.Session() as session:
        with pytest.raises(coldframe.CrossingError):
            session["nat"] = pandas.NaT
