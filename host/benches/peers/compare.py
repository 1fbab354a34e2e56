"""The same programs and tasks on coldframe and on its peers, in turn, in one table.

    python3 host/benches/peers/compare.py --wheel WHEEL --cpython /usr/bin/python3.11 [--cpython ...]

Needs nothing but Python. The peers are installed into a virtual environment under `--work`: smolagents, pyeryx and pydantic-monty from PyPI, coldframe from the
wheel that `maturin build --release --manifest-path host/python/Cargo.toml` made. Each is a process of its own that gets tasks by a pipe and times them inside:
libraries run in process, without what starting an interpreter takes. (Monty's package has its interpreter in processes of its own, in each row.)
All of them do one task, then all the next, some rounds long. Figures are medians of the processor's time, since other work on the machine falls on each otherwise.
What a peer cannot do is told by its own words.
"""

import argparse
import contextlib
import io
import json
import pathlib
import resource
import select
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ["integers", "floats", "sieve", "fib", "methods", "dicts"]
CALLS = 1_000
# Seconds that a task may take to be done more than once.
LONG = 10
# Seconds after which nobody waits any longer.
PATIENCE = 60
TOOL = f"for i in range({CALLS}):\n    nothing(i)\n"
EMPTY = f"for i in range({CALLS}):\n    i\n"


# What runs inside a peer's process.


def pss():
    """Kibibytes of memory of this process and of those that it has started."""
    total, todo = 0, ["self"]
    while todo:
        process = pathlib.Path("/proc", todo.pop())
        with contextlib.suppress(OSError):
            for line in (process / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
            for children in process.glob("task/*/children"):
                todo += children.read_text().split()
    return total


def spent():
    """Seconds of processor time that this process has taken, and those that it has started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    total, todo = time.process_time() + children.ru_utime + children.ru_stime, ["self"]
    while todo:
        process = pathlib.Path("/proc", todo.pop())
        with contextlib.suppress(OSError):
            for thread in process.glob("task/*"):
                if process.name != "self":
                    total += int((thread / "schedstat").read_text().split()[0]) / 1e9
                todo += (thread / "children").read_text().split()
    return total


def nothing(x):
    return x


class CPython:
    """`exec` in the process: no sandbox at all. The measure of all others."""

    def __init__(self):
        self.globals = {"nothing": nothing, "__name__": "__main__"}

    def run(self, source):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "program.py", "exec"), self.globals)

    def close(self):
        pass


class Coldframe:
    def __init__(self):
        import coldframe

        if not hasattr(Coldframe, "sandbox"):
            coldframe.configure(max_sessions=1_000)
            Coldframe.sandbox = coldframe.Sandbox(tools=[nothing], time=600.0)
        self.session = self.sandbox.session()

    def run(self, source):
        self.session.run(source).unwrap()

    def close(self):
        self.session.close()


class Smolagents:
    """The executor as it comes, but for its limits of operations, which the programs exceed."""

    def __init__(self):
        from smolagents import local_python_executor

        local_python_executor.MAX_OPERATIONS = 10**12
        local_python_executor.MAX_WHILE_ITERATIONS = 10**12
        self.executor = local_python_executor.LocalPythonExecutor([], timeout_seconds=None)
        self.executor.send_tools({"nothing": nothing})

    def run(self, source):
        self.executor(source)

    def close(self):
        pass


class Eryx:
    def __init__(self):
        import eryx

        callback = {"name": "nothing", "fn": nothing, "description": "Returns its argument."}
        self.session = eryx.Session(callbacks=[callback])

    def run(self, source):
        # Callbacks are coroutines there, with arguments by name.
        self.session.execute(source.replace("nothing(i)", "await nothing(x=i)"))

    def close(self):
        pass


class MontyWorkers:
    """Monty as its package on PyPI has it: in processes of its own, a pipe away."""

    pool = None

    def __init__(self):
        import pydantic_monty

        if MontyWorkers.pool is None:
            MontyWorkers.pool = pydantic_monty.Monty(max_processes=128).__enter__()
        self.checkout = self.pool.checkout()
        self.session = self.checkout.__enter__()

    def run(self, source):
        self.session.feed_run(source, external_lookup={"nothing": nothing}, print_callback=lambda *_: None)

    def close(self):
        self.checkout.__exit__(None, None, None)


KINDS = {"monty": MontyWorkers, "cpython": CPython, "coldframe": Coldframe, "smolagents": Smolagents, "eryx": Eryx}


def do(kind, task, source, count):
    """The figure of a task: seconds of the processor, or kibibytes."""
    if task == "memory":
        before, held = pss(), []
        for _ in range(count):
            held.append(kind())
            held[-1].run(source)
        used = (pss() - before) / count
        for peer in held:
            peer.close()
        return used
    peer = None
    if task in ("warm", "tool"):
        peer = kind()
        peer.run("1+1")
    started = spent()
    if task == "warm":
        for _ in range(count):
            peer.run(source)
    elif task == "tool":
        peer.run(source)
    else:
        for _ in range(count):
            peer = kind()
            peer.run(source)
            peer.close()
    return (spent() - started) / count


def work(name):
    kind = KINDS[name]
    for line in sys.stdin:
        task = json.loads(line)
        try:
            answer = {"figure": do(kind, task["task"], task["source"], task["count"])}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


# What asks them.


class Peer:
    def __init__(self, name, command):
        self.name = name
        self.command = command
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, task, source, count):
        """The figure, or a text."""
        try:
            self.process.stdin.write(json.dumps({"task": task, "source": source, "count": count}) + "\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
                self.process.kill()
                self.process.wait()
                self.start()
                return f"more than {PATIENCE} s"
            answer = json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            status = self.process.wait()
            self.start()
            return f"its process ended with {status}"
        return answer.get("figure", answer.get("error"))


def prepare(arguments):
    """Installs what is not there; the commands of the peers by name."""
    environment = arguments.work / "venv"
    python = environment / "bin/python"
    if not python.exists():
        subprocess.run([arguments.python, "-m", "venv", environment], check=True)
    install = [python, "-m", "pip", "install", "--quiet", "smolagents==1.26.0", "pyeryx==0.11.0", "pydantic-monty==1.4.0"]
    subprocess.run(install, check=True)
    subprocess.run([*install[:4], "--quiet", "--force-reinstall", "--no-deps", arguments.wheel], check=True)
    commands = {name: [python, __file__, "--worker", name] for name in ("coldframe", "smolagents", "eryx", "monty")}
    for interpreter in arguments.cpython:
        version = subprocess.run([interpreter, "-V"], check=True, capture_output=True, text=True).stdout.split()[1]
        commands[f"CPython {version}"] = [interpreter, __file__, "--worker", "cpython"]
    return commands


def tasks():
    """Name of a row, task, source, count, unit; what is subtracted is a row without a unit before it."""
    for name in PROGRAMS:
        yield name, "program", (HERE.parent / f"programs/{name}.py").read_text(), 1, "ms"
    yield "fresh sandbox, `1+1`", "fresh", "1+1", 50, "us"
    yield "`1+1`, warm", "warm", "1+1", 200, "us"
    yield "tool", "tool", TOOL, CALLS, "us"
    yield "loop", "tool", EMPTY, CALLS, "us"
    yield "memory of a session", "memory", "x = 1", 100, "KiB"


def measure(peers, rounds):
    """Figures by row and peer: medians, or texts."""
    table = {}
    for name, task, source, count, _ in tasks():
        figures = {peer.name: [] for peer in peers}
        # The first round makes them warm; sessions that wait are counted once.
        for turn in range(rounds + 1 if task != "memory" else 1):
            for peer in peers:
                of = figures[peer.name]
                if of and (isinstance(of[0], str) or task != "memory" and of[0] * count > LONG):
                    continue
                figure = peer.ask(task, source, count)
                counts = isinstance(figure, str) or task == "memory" or turn > 0 or figure * count > LONG
                if counts:
                    of.append(figure)
            print(f"{name}, round {turn}", file=sys.stderr)
        table[name] = {peer: of[0] if isinstance(of[0], str) else statistics.median(of) for peer, of in figures.items()}
    return table


def show(table, names, base):
    units = {name: unit for name, *_, unit in tasks()}
    scale = {"ms": 1e3, "us": 1e6, "KiB": 1}
    calls = table.pop("tool")
    empty = table.pop("loop")
    units["tool call and back"] = "us"
    table["tool call and back"] = {
        name: calls[name] if isinstance(calls[name], str) else calls[name] - empty[name]
        if not isinstance(empty[name], str) else empty[name]
        for name in names
    }
    print("| |", " | ".join(names), "|")
    print("|---|" + "---|" * len(names))
    notes = []
    for row, figures in table.items():
        cells = []
        for name in names:
            figure = figures[name]
            if isinstance(figure, str):
                if figure.startswith("more than"):
                    cells.append(figure)
                    continue
                notes.append(f"{row}, {name}: {figure.strip().splitlines()[-1][:200]}")
                cells.append(f"no ({len(notes)})")
                continue
            text = f"{figure * scale[units[row]]:.3g} {units[row]}"
            if row in PROGRAMS and not isinstance(figures[base], str):
                text += f" ({figure / figures[base]:.2f})"
            cells.append(text)
        print(f"| {row} |", " | ".join(cells), "|")
    print()
    for number, note in enumerate(notes, 1):
        print(f"{number}. {note}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", choices=KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--wheel", type=pathlib.Path, help="the wheel of coldframe")
    parser.add_argument("--cpython", action="append", default=[], help="an interpreter to compare with; the first is the measure")
    parser.add_argument("--python", default=sys.executable, help="the interpreter for coldframe, smolagents and eryx (3.12 or later)")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("target/peers"), help="where the peers are installed")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.worker:
        return work(arguments.worker)
    if not arguments.wheel or not arguments.cpython:
        parser.error("--wheel and --cpython are needed")
    arguments.work = arguments.work.resolve()
    peers = [Peer(name, [str(part) for part in command]) for name, command in prepare(arguments).items()]
    table = measure(peers, arguments.rounds)
    names = [peer.name for peer in peers]
    show(table, names, next(name for name in names if name.startswith("CPython")))


if __name__ == "__main__":
    main()
