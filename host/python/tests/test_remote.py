"""Remote backends, against a real kernel gateway on the loopback interface, from the virtual environment of the tests."""

import asyncio
import gc
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import pytest

import coldframe
from coldframe import Remote, Routing, Sandbox

#: Planted: tests look for it where it must not be.
TOKEN = "planted-token-93ab"

#: Kernels are slow to start on busy machines.
TIME = 300


class Gateway:
    """A kernel gateway and what it says of its kernels."""

    def __init__(self):
        # Bound as long as this lives, so that nobody else gets the port; who says SO_REUSEADDR, as servers do, can listen on it.
        self.reserved = socket.socket()
        self.reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.reserved.bind(("127.0.0.1", 0))
        port = self.reserved.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        # Kernels are reached over sockets in it, whose names are short.
        self.folder = tempfile.TemporaryDirectory(dir="/tmp")
        environment = {**os.environ, "KG_AUTH_TOKEN": TOKEN, "JUPYTER_RUNTIME_DIR": self.folder.name, "IPYTHONDIR": self.folder.name}
        arguments = ["--KernelGatewayApp.ip=127.0.0.1", f"--KernelGatewayApp.port={port}", "--JupyterWebsocketPersonality.list_kernels=True"]
        arguments += ["--KernelGatewayApp.port_retries=0", "--KernelManager.transport=ipc"]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([sys.executable, "-m", "kernel_gateway", *arguments], env=environment, **quiet)
        end = time.monotonic() + TIME
        while True:
            try:
                self.kernels()
                return
            except OSError:
                assert self.process.poll() is None, "the gateway needs jupyter_kernel_gateway and ipykernel"
                assert time.monotonic() < end
                time.sleep(0.1)

    def kernels(self):
        """The numbers of its kernels."""
        request = urllib.request.Request(f"{self.url}/api/kernels", headers={"authorization": f"token {TOKEN}"})
        with urllib.request.urlopen(request, timeout=TIME) as answer:
            return [kernel["id"] for kernel in json.load(answer)]

    def remote(self, **options):
        """The backend."""
        return Remote("jupyter", url=self.url, **{"token": TOKEN, **options})

    def stop(self):
        self.process.terminate()
        self.process.wait(TIME)
        self.reserved.close()
        self.folder.cleanup()


@pytest.fixture(scope="module")
def gateway():
    made = Gateway()
    yield made
    made.stop()


@pytest.fixture
def sandbox(gateway):
    yield Sandbox(remote=gateway.remote(), time=TIME)
    gc.collect()
    assert gateway.kernels() == []


def test_nothing_starts_before_it_is_needed(gateway, sandbox):
    with sandbox.session({"data": [3, 1, 2]}) as session:
        assert session.run("import math; math.floor(2.5)").place == "local"
        assert gateway.kernels() == []
        outcome = session.run("import numpy as np\ndata = np.sort(data).tolist()\nlen(data)")
        assert (outcome.place, outcome.value, outcome.error) == ("jupyter", 3, None)
        assert len(gateway.kernels()) == 1
        outcome = session.run("data")
        assert (outcome.place, outcome.value) == ("local", [1, 2, 3])
    assert gateway.kernels() == []


def test_variables_wherever_they_are(sandbox):
    with sandbox.session({"n": 1}) as session:
        code = "import numpy as np\nclass C: pass\nc = C()\nn += 1\nb = b'bytes'\nresult = float(np.mean([1, 2]))"
        outcome = session.run(code)
        assert outcome.ok and outcome.place == "jupyter"
        left = {left.name: left for left in outcome.left_behind}
        assert left["c"].stays_in == "jupyter" and left["c"].type_name.endswith("C") and left["c"].reason
        assert (session["n"], session["b"], session.get("result")) == (2, b"bytes", 1.5)
        assert {"n", "b", "c", "result", "np"} <= {variable.name for variable in session.variables()}
        assert "c" in session and "d" not in session and session.get("d", 7) == 7
        with pytest.raises(coldframe.CrossingError):
            session["c"]
        # It goes where the variable is, and shows what it looks like.
        outcome = session.run("c")
        assert outcome.place == "jupyter" and not outcome.crossed and "C object" in repr(outcome.value)
        session.set(n=40, c="from here")
        assert session["c"] == "from here"
        assert session.run("np.int64(n) + 2").value == 42
        # What stays in the sandbox is named too.
        session.run("def f(): return 1\nhere = (i for i in 'abc')")
        outcome = session.run("import numpy\nhere")
        assert outcome.error.type_name == "NameError"
        assert {"f", "here"} <= {left.name for left in outcome.left_behind if left.stays_in == "local"}
        assert pickle.loads(pickle.dumps(outcome.left_behind)) == outcome.left_behind


def test_displays(sandbox):
    with sandbox.session() as session:
        code = (
            "import numpy, base64\nfrom IPython.display import Image, display, HTML\n"
            f"display(HTML('<b>{{}}</b>'.format(numpy.int64(1))))\nImage(data=b'\\x89PNG\\r\\n\\x1a\\nrest', format='png')"
        )
        outcome = session.run(code)
        assert outcome.ok, outcome.error
        shown, value = outcome.displays
        assert shown["text/html"] == "<b>1</b>" and not shown.is_value
        assert value["image/png"] == b"\x89PNG\r\n\x1a\nrest" and value.is_value
        again = pickle.loads(pickle.dumps(outcome.displays))
        assert again == outcome.displays and again[1].is_value


def test_tools_and_output(sandbox):
    seen, here = [], threading.get_ident()

    def weather(city: str, unit: str = "C") -> str:
        seen.append(threading.get_ident())
        if city == "Atlantis":
            raise LookupError("no such city")
        return f"rain in {city} ({unit})"

    async def slow(n: int) -> int:
        await asyncio.sleep(0.01)
        return n * 10

    written = []
    with sandbox.session() as session:
        session.set_tools([weather, slow, coldframe.FinalAnswer()])
        code = "import numpy\nprint(weather('Rome'), file=__import__('sys').stderr)\nprint('ä' * 3)\nweather('Vienna', unit='F')"
        outcome = session.run(code, on_output=lambda stream, text: written.append((stream, text)))
        assert (outcome.value, outcome.stdout, outcome.stderr) == ("rain in Vienna (F)", "äää\n", "rain in Rome (C)\n")
        assert outcome.place == "jupyter" and outcome.usage.tool_calls == 2 and set(seen) == {here}
        assert "".join(text for stream, text in written if stream == "stdout") == "äää\n"
        outcome = session.run("import numpy\ntry: weather('Atlantis')\nexcept LookupError as e: message = str(e)\nmessage")
        assert outcome.value == "no such city"
        assert session.run("import numpy\nawait slow(2)", top_level_await=True).value == 20
        outcome = session.run("import numpy\nfinal_answer({'a': (1, 2)})\nprint('never')")
        assert (outcome.value, outcome.is_final_answer, outcome.stdout) == ({"a": (1, 2)}, True, "")


def test_failures(sandbox):
    with sandbox.session() as session:
        outcome = session.run("x = 1\nimport numpy\n1 / 0", file_name="task.py")
        assert (outcome.error.kind, outcome.error.type_name, outcome.error.line) == ("exception", "ZeroDivisionError", 3)
        assert "\x1b" not in outcome.error.traceback and session["x"] == 1
        with pytest.raises(coldframe.GuestException, match="ZeroDivisionError"):
            outcome.unwrap()
        outcome = session.run("import numpy, os\nos._exit(3)")
        assert outcome.error.kind == "died" and outcome.error.session_lost and session.is_alive
        # What the sandbox had is there again.
        assert session.run("import numpy\nx + 1").value == 2


def test_limits(gateway):
    with coldframe.Session(remote=gateway.remote(), time=3) as session:
        outcome = session.run("import numpy, time\ntime.sleep(100)")
        assert outcome.error.kind == "time" and outcome.place == "jupyter"
        assert session.run("import numpy\nnumpy.int64(1) + 1").value == 2
    assert gateway.kernels() == []


def test_routing(gateway):
    with coldframe.Session(remote=gateway.remote(), routing=Routing(remote=["html"], refused=["os"], missing="refuse"), time=TIME) as session:
        outcome = session.run("def f():\n    import os.path")
        assert (outcome.error.kind, outcome.error.message, outcome.error.line) == ("refused", "no program may import os.path here", 2)
        assert session.run("import numpy").error.message == "the sandbox has no module numpy"
        assert gateway.kernels() == []
        assert session.run("import html; html.escape('<')").place == "jupyter"
    outcome = Sandbox(remote=gateway.remote(), routing=Routing(missing="local")).run("import numpy")
    assert (outcome.place, outcome.error.type_name) == ("local", "ModuleNotFoundError")
    # The policy is asked too.
    outcome = Sandbox(remote=gateway.remote(), imports=["numpy"]).run("import numpy, os")
    assert outcome.error.kind == "refused" and "the policy does not allow it to import os" in outcome.error.message
    assert Sandbox(remote=gateway.remote(), imports=["math"]).run("import numpy").place == "local"
    assert gateway.kernels() == []


def test_fork_save_reset(gateway, sandbox):
    with sandbox.session() as session:
        session.run("import numpy\nn = 1\nkept = numpy.random.default_rng()")
        with session.fork() as fork:
            assert fork.run("import numpy\nn += 1\nn").value == 2 and session["n"] == 1
            assert len(gateway.kernels()) == 2
        assert len(gateway.kernels()) == 1
        with sandbox.restore(session.save()) as restored:
            assert restored["n"] == 1 and "kept" not in restored
        session.reset()
        assert gateway.kernels() == [] and session.variables() == []
        assert session.run("import numpy\nnumpy.int64(2)").value == 2


def test_garbage_is_removed(gateway, sandbox):
    session = sandbox.session()
    session.run("import numpy")
    session.itself = session
    assert len(gateway.kernels()) == 1
    del session
    gc.collect()
    assert gateway.kernels() == []


def interrupt_after(seconds):
    # Whoever started the tests may have them ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_interrupts(gateway, sandbox):
    with pytest.raises(KeyboardInterrupt):
        with sandbox.session() as session:
            session.run("import numpy")
            interrupt_after(1)
            began = time.monotonic()
            session.run("import numpy, time\ntime.sleep(100)")
    assert time.monotonic() - began < 60 and gateway.kernels() == []


def test_interrupt_of_a_start():
    # Whoever listens there never answers.
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with coldframe.Session(remote=Remote("jupyter", url=url, token=TOKEN), time=TIME) as session:
            interrupt_after(1)
            began = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                session.run("import numpy")
            assert time.monotonic() - began < 20
            assert session.run("1 + 1").value == 2


def test_the_end_of_the_process(gateway):
    code = (
        "import coldframe, sys, threading, time\n"
        "remote = coldframe.Remote('jupyter', url=sys.argv[1])\n"
        "sandbox = coldframe.Sandbox(remote=remote, time=100)\n"
        "session, busy = sandbox.session(), sandbox.session()\n"
        "session.run('import numpy'), busy.run('import numpy')\n"
        "threading.Thread(target=busy.run, args=('import numpy, time\\ntime.sleep(90)',), daemon=True).start()\n"
        "time.sleep(1)\n"
        "print('end')\n"
    )
    environment = {**os.environ, "KG_AUTH_TOKEN": TOKEN}
    done = subprocess.run([sys.executable, "-c", code, gateway.url], env=environment, capture_output=True, text=True, timeout=TIME)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
    assert gateway.kernels() == []


def test_asynchronous(gateway, sandbox):
    async def main():
        async def fetch(n):
            await asyncio.sleep(0.01)
            return n * 10

        async with await sandbox.async_session({"n": 3}) as session:
            await session.set_tools([fetch])
            outcome = await session.run("import numpy\nm = numpy.int64(await fetch(n))\nm", top_level_await=True)
            assert (outcome.value, outcome.place) == (30, "jupyter") and await session.get("m") == 30
            task = asyncio.create_task(session.run("import numpy, time\ntime.sleep(100)"))
            await asyncio.sleep(1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await session.run("import numpy\nn + 1")).value == 4
            async with await session.fork() as fork:
                assert await fork.get("n") == 3
        assert gateway.kernels() == []
        outcomes = await asyncio.gather(*(sandbox.run_async("import numpy\nint(numpy.square(n))", {"n": n}) for n in range(2)))
        assert [outcome.value for outcome in outcomes] == [0, 1]

    asyncio.run(main())


def test_errors(gateway, monkeypatch):
    wrong = "planted-wrong-token-77"
    with coldframe.Session(remote=gateway.remote(token=wrong)) as session:
        with pytest.raises(coldframe.RemoteError, match="jupyter refused") as caught:
            session.run("import numpy")
        assert isinstance(caught.value, coldframe.Error) and wrong not in repr(caught.value) and TOKEN not in repr(caught.value)
        assert session.run("1").value == 1
    with coldframe.Session(remote=gateway.remote(packages=["no;name"]), time=TIME) as session:
        with pytest.raises(coldframe.RemoteError, match="not the name of a package"):
            session.run("import numpy")
    assert gateway.kernels() == []
    # The token may come from the environment.
    monkeypatch.setenv("KG_AUTH_TOKEN", TOKEN)
    assert Sandbox(remote=Remote("jupyter", url=gateway.url), time=TIME).run("import numpy\n1").place == "jupyter"


def test_options():
    remote = Remote("jupyter", url=f"http://me:{TOKEN}@localhost:1/path?token={TOKEN}", token=TOKEN, packages=["numpy"])
    assert repr(remote) == "coldframe.Remote('jupyter', url='http://localhost:1/path', packages=('numpy',))"
    assert TOKEN not in f"{remote._native!r}"
    with pytest.raises(coldframe.RemoteError, match="must not hold a password") as caught:
        Sandbox(remote=remote).run("import numpy")
    assert TOKEN not in str(caught.value)
    with pytest.raises(TypeError, match="holds a secret"):
        pickle.dumps(remote)
    with pytest.raises(coldframe.PolicyError, match="no backend is called \"nowhere\""):
        Remote("nowhere")
    with pytest.raises(coldframe.PolicyError, match="no remote backend"):
        Remote("local")
    with pytest.raises(coldframe.PolicyError, match="option remote: jupyter: it needs the address of a server"):
        Sandbox(remote=Remote("jupyter"))
    with pytest.raises(coldframe.PolicyError, match="an image means nothing there"):
        Sandbox(remote=Remote("jupyter", url="http://localhost:1", image="x"))
    with pytest.raises(coldframe.PolicyError, match="option routing: missing: \"never\""):
        Sandbox(routing=Routing(missing="never"))
    with pytest.raises(TypeError, match=r"write \['numpy'\]"):
        Routing(remote="numpy")
    with pytest.raises(TypeError, match="option remote is a coldframe.Remote, not str"):
        Sandbox(remote="jupyter")
    with pytest.raises(TypeError, match="option routing is a coldframe.Routing, not dict"):
        Sandbox(routing={})
    # Without a remote backend programs stay, and those that must go do not run.
    outcome = Sandbox(routing=Routing(remote=["numpy"])).run("import numpy")
    assert outcome.error.message == "numpy needs a remote backend, and none is configured"
    assert Sandbox(routing=Routing()).run("import numpy").error.type_name == "ModuleNotFoundError"


def test_all_programs_run_there_if_that_is_wanted(gateway):
    with pytest.raises(coldframe.PolicyError, match="option remote names none"):
        Sandbox(routing=Routing(always=True))
    sandbox = Sandbox(remote=gateway.remote(), routing=Routing(always=True, refused=["socket"]), time=TIME)
    with sandbox.session({"n": 20}) as session:
        outcome = session.run("def f(x): return x + n\nf(1)")
        assert (outcome.place, outcome.value) == ("jupyter", 21)
        outcome = session.run("n += 1\nf(1)")
        assert (outcome.place, outcome.value, session["n"]) == ("jupyter", 22, 21)
        assert session.run("import socket").error.type_name == "ImportError"
    assert gateway.kernels() == []


# ---- smolagents


@pytest.fixture
def executor(gateway):
    pytest.importorskip("smolagents")
    from coldframe.smolagents import WasmExecutor

    with WasmExecutor(["numpy", "not_installed_here"], remote=gateway.remote(), timeout_seconds=TIME) as made:
        yield made
    assert gateway.kernels() == []


def test_executor(gateway, executor):
    from smolagents.local_python_executor import InterpreterError

    def weather(city, day="today"):
        return f"rain in {city} {day}"

    executor.send_tools({"weather": weather, "final_answer": lambda answer: answer})
    executor.send_variables({"cities": ["Vienna", "Rome"], "picture": object()})
    assert executor("len(cities)").output == 2 and gateway.kernels() == []
    done = executor("import numpy as np\nlengths = np.array([len(city) for city in cities])\nfor city in cities:\n    print(weather(city))")
    assert done.logs == "rain in Vienna today\nrain in Rome today\n" and not done.is_final_answer
    assert executor("total = int(np.sum(lengths))").output == 10
    assert executor("total + 1").output == 11 and executor.state["total"] == 10
    with pytest.raises(InterpreterError, match="os"):
        executor("import numpy\nimport os")
    with pytest.raises(InterpreterError, match="division by zero"):
        executor("import numpy\n1 / 0")
    with pytest.raises(InterpreterError, match="name 'picture' is not defined.*objects of the host stay in its process"):
        executor("import numpy\npicture")
    with pytest.raises(InterpreterError, match="No module named 'not_installed_here'"):
        executor("import not_installed_here")
    done = executor("import numpy\nfinal_answer({'mean': float(np.mean(lengths))})")
    assert done.is_final_answer and done.output == {"mean": 5.0}


def test_tool_with_an_optional_input(executor):
    from smolagents import Tool

    class Search(Tool):
        name = "search"
        description = "Searches."
        inputs = {
            "query": {"type": "string", "description": "what"},
            "most": {"type": "integer", "description": "how many", "nullable": True},
        }
        output_type = "string"

        def forward(self, query: str, most: "int | None" = 5) -> str:
            return f"{most} of {query}"

    executor.send_tools({"search": Search()})
    assert executor("import numpy\nsearch('x') + ', ' + search(query='y', most=2)").output == "5 of x, 2 of y"


def test_agent(executor):
    from smolagents import CodeAgent, tool
    from test_smolagents import Scripted

    @tool
    def prices(city: str) -> list:
        """Tells prices.

        Args:
            city: where
        """
        return [1, 2, 6]

    model = Scripted("import numpy as np\nmean = float(np.mean(prices('Rome')))\nprint(mean)", "final_answer(mean * 2)")
    agent = CodeAgent(tools=[prices], model=model, executor=executor, verbosity_level=0)
    assert agent.run("What is twice the mean?") == 6.0


def test_an_executor_whose_code_all_runs_there(gateway):
    pytest.importorskip("smolagents")
    from coldframe.smolagents import WasmExecutor

    with WasmExecutor([], remote=gateway.remote(), routing=Routing(always=True), timeout_seconds=TIME) as executor:
        executor.send_tools({"final_answer": lambda answer: answer})
        executor("x = 6\ndef f(n): return n * x")
        assert len(gateway.kernels()) == 1
        done = executor("final_answer(f(7))")
        assert done.is_final_answer and done.output == 42
    assert gateway.kernels() == []


def test_semantics_of_smolagents_stay_here(gateway):
    pytest.importorskip("smolagents")
    from coldframe.smolagents import WasmExecutor

    with pytest.raises(ValueError, match="need semantics='python'"):
        WasmExecutor(semantics="smolagents", remote=gateway.remote())
