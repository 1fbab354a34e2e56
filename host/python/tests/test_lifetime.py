"""How sessions begin and end: collected, forked, left alive at exit, refused to themselves. What ends a process runs in one of its own."""

import gc
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref

import pytest

import coldframe

PRELUDE = "import asyncio, gc, os, sys, threading, time\nimport coldframe\nfrom coldframe import Handle, Sandbox, Session, Tool\n"
LONG = "fuel=10**15, time=600, tool_calls=10**9"


def in_process(code):
    """Runs code in a process of its own: what it wrote, and how it ended."""
    done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", PRELUDE + code], capture_output=True, text=True, timeout=60)
    return done.stdout, done.stderr, done.returncode


class Holder:
    """An object that holds a session which holds the object."""


def holds_itself_by_tool():
    holder = Holder()
    holder.answer = lambda: holder and 42
    holder.session = coldframe.Session(tools={"answer": holder.answer})
    assert holder.session.run("answer()").value == 42
    return holder


def holds_itself_by_later_tool():
    holder = Holder()
    holder.session = coldframe.Session()
    holder.session.set_tools({"answer": lambda: holder})
    return holder


def holds_itself_by_handle():
    holder = Holder()
    holder.session = coldframe.Session()
    holder.session["me"] = coldframe.Handle(holder)
    assert holder.session["me"] is holder
    return holder


def holds_itself_by_fork():
    holder = holds_itself_by_handle()
    holder.fork = holder.session.fork()
    assert holder.fork["me"] is holder
    return holder


@pytest.mark.parametrize("make", [holds_itself_by_tool, holds_itself_by_later_tool, holds_itself_by_handle, holds_itself_by_fork])
def test_cycles_through_a_sandbox_are_collected(make):
    held = weakref.ref(make())
    gc.collect()
    assert held() is None


@pytest.mark.parametrize("make", [holds_itself_by_tool, holds_itself_by_fork])
def test_what_is_reachable_is_not_collected(make):
    holder = make()
    for _ in range(3):
        gc.collect()
    assert holder.session.run("answer()" if make is holds_itself_by_tool else "1").error is None
    assert make is holds_itself_by_tool or holder.session["me"] is holder.fork["me"] is holder


def test_sessions_in_cycles_give_their_sandboxes_back_in_time():
    code = (
        "gc.disable()\n"
        "coldframe.configure(max_sessions=8)\n"
        "class A:\n"
        "    def __init__(self): self.session = Session(tools=[self.tool])\n"
        "    def tool(self): return 1\n"
        "for _ in range(50): A().session.run('tool()').unwrap()\n"
        "print('done')\n"
    )
    assert in_process(code)[0] == "done\n"


def test_too_many_sessions_say_what_to_do():
    code = (
        "coldframe.configure(max_sessions=2)\n"
        "keep = [Session(), Session()]\n"
        "try: Session()\n"
        "except coldframe.BusyError as e: print(e)\n"
    )
    assert "coldframe.configure(max_sessions=...)" in in_process(code)[0]


def test_handles_live_as_long_as_they_are_held():
    thing = Holder()
    gone = weakref.ref(thing)
    with coldframe.Session(variables={"thing": coldframe.Handle(thing)}) as session:
        del thing
        gc.collect()
        assert session["thing"] is gone()
        # The sandbox tells of what it has let go of while it works.
        session.run("del thing\nfor _ in range(100_000): pass")
        session.run("1")
        gc.collect()
        assert gone() is None


@pytest.mark.parametrize(
    "code",
    [
        "s = Session(); s.run('1')",
        f"s = Session({LONG}); threading.Thread(target=lambda: s.run('while True: pass'), daemon=True).start(); time.sleep(0.2)",
        f"s = Session(tools=[len], {LONG}); threading.Thread(target=lambda: s.run('while True: len(\"\")'), daemon=True).start(); time.sleep(0.2)",
        f"s = Session(tools={{'nap': lambda: time.sleep(100)}}, {LONG})\n"
        "threading.Thread(target=lambda: s.run('nap()'), daemon=True).start(); time.sleep(0.2)",
        f"def spin():\n    while True: time.sleep(0.001)\ns = Session(tools=[spin], {LONG})\n"
        "threading.Thread(target=lambda: s.run('spin()'), daemon=True).start(); time.sleep(0.2)",
        f"def spin():\n    while True: pass\nasync def main():\n    s = await Sandbox(tools=[spin], {LONG}).async_session()\n"
        "    asyncio.ensure_future(s.run('spin()'))\n    await asyncio.sleep(0.2)\nasyncio.run(main())",
        f"async def main():\n    s = await Sandbox(tools=[len], {LONG}).async_session()\n"
        "    asyncio.ensure_future(s.run('while True: len(\"\")'))\n    await asyncio.sleep(0.2)\nasyncio.run(main())",
        f"loop = asyncio.new_event_loop()\nasync def main():\n    global s, task\n    s = await Sandbox(tools=[len], {LONG}).async_session()\n"
        "    task = loop.create_task(s.run('while True: len(\"\")'))\n    await asyncio.sleep(0.2)\nloop.run_until_complete(main())",
        "class A:\n    def __init__(self): self.s = Session()\n    def __del__(self): self.s.close()\na = A(); a.a = a",
    ],
    ids=["idle", "running", "calling", "in a tool", "in a busy tool", "async in a busy tool", "async calling", "loop left open", "closed by __del__"],
)
def test_the_process_ends_well_with_live_sessions(code):
    started = time.monotonic()
    out, errors, status = in_process(f"{code}\nprint('end', flush=True)\n")
    assert (out, status) == ("end\n", 0), errors
    assert "Fatal" not in errors and "panicked" not in errors
    assert time.monotonic() - started < 20


def test_a_session_may_be_used_at_exit():
    assert in_process("import atexit\natexit.register(lambda: print(coldframe.run('6 * 7').value))\n")[0] == "42\n"


fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")


@fork
@pytest.mark.parametrize(
    "child",
    [
        "sys.exit(0)",
        "del s; gc.collect(); os._exit(0)",
        "try: s.run('1')\n    except coldframe.Error as e: assert 'forked' in str(e); os._exit(0)",
        "try: Session()\n    except coldframe.Error as e: assert 'forked' in str(e); os._exit(0)",
        "assert not s.is_alive; s.cancel(); os._exit(0)",
    ],
    ids=["exits", "drops the session", "uses the session", "makes one", "looks at it"],
)
@pytest.mark.parametrize("parent", ["", f"b = Session({LONG}); threading.Thread(target=lambda: b.run('while True: pass'), daemon=True).start(); time.sleep(0.1)\n"])
def test_children_of_a_fork(child, parent):
    code = f"s = Session(); s.run('1')\n{parent}pid = os.fork()\nif pid == 0:\n    {child}\n    os._exit(9)\n"
    out, errors, status = in_process(code + "print(os.waitpid(pid, 0)[1], s.run('2').value)\n")
    assert (out, errors, status) == ("0 2\n", "", 0)


@fork
def test_workers_may_fork_before_the_first_use():
    code = (
        "import multiprocessing\n"
        "def square(n): return coldframe.run('n * n', {'n': n}).value\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(square, range(4)))\n"
    )
    assert in_process(code)[0] == "[0, 1, 4, 9]\n"


@pytest.mark.parametrize(
    "source",
    [
        "import dataclasses\n@dataclasses.dataclass\nclass P: x: int\nP([1])",
        "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass P: x: int\n{P(1): {P(2)}}",
        "from collections import namedtuple\nnamedtuple('N', 'a b')(1, 2)",
        "import enum\nclass E(enum.Enum): A = 1\nE.A",
        "class E(Exception): pass\nE(1, 'a')",
        "1 / 0",
        "class A: pass\nA()",
    ],
)
def test_outcomes_can_be_pickled(source):
    outcome = coldframe.run(source)
    copy = pickle.loads(pickle.dumps(outcome))
    assert repr(copy.value) == repr(outcome.value) and copy.error == outcome.error and copy.usage == outcome.usage


def test_sessions_cannot_be_pickled():
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(coldframe.Session())


def test_failures_can_be_pickled():
    with pytest.raises(coldframe.GuestException) as info:
        coldframe.run("1 / 0").unwrap()
    copy = pickle.loads(pickle.dumps(info.value))
    assert (str(copy), copy.failure) == (str(info.value), info.value.failure)


def test_many_threads():
    sandbox = coldframe.Sandbox(tools=[len])
    sums = []

    def work(n):
        for i in range(10):
            sums.append(sandbox.run("len('a' * n)", {"n": n * i}).value)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(sums) == sum(n * i for n in range(16) for i in range(10))


def test_a_session_in_use_says_so():
    with coldframe.Session() as session:
        thread = threading.Thread(target=session.run, args=("import time; time.sleep(0.5)",))
        thread.start()
        time.sleep(0.2)
        for use in (lambda: session.run("1"), session.close, lambda: session["a"]):
            with pytest.raises(coldframe.SessionInUseError):
                use()
        assert session.is_alive
        thread.join()


def test_a_closed_session_says_so():
    session = coldframe.Session()
    session.close()
    session.close()
    session.cancel()
    assert not session.is_alive
    uses = [session.variables, session.save, session.fork, session.reset, session.log, session.list_files, lambda: session.get("a"), lambda: session.set(a=1)]
    for use in uses:
        with pytest.raises(coldframe.SessionClosedError):
            use()


@pytest.mark.skipif(sys.version_info < (3, 13), reason="needs sub-interpreters")
def test_subinterpreters_are_refused():
    code = (
        "import _interpreters\n"
        "i = _interpreters.create()\n"
        "print(_interpreters.exec(i, 'import coldframe') is not None)\n"
    )
    out, errors, status = in_process(code)
    assert (out, status) == ("True\n", 0), errors
