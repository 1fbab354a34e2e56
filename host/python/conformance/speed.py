"""How fast ordinary pieces of code are: this package, smolagents' own interpreter, CPython's ``exec``.

    python speed.py

Each figure is the median of several runs in milliseconds of the process's CPU time, since wall-clock time means little on a busy machine.
"""

import statistics
import time

from smolagents.local_python_executor import LocalPythonExecutor

from coldframe.smolagents import WasmExecutor

TASKS = {
    "fib(18), recursive": "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(18)",
    "nested loops, 300 x 300": "t = 0\nfor i in range(300):\n    for j in range(300):\n        t += i * j % 7\nt",
    "a string of 20,000 pieces": "s = ''\nfor i in range(20000):\n    s += str(i) + ','\nlen(s)",
    "sorting 20,000 random numbers twice": (
        "import random\nrandom.seed(1)\nxs = [random.random() for _ in range(20000)]\nxs.sort()\nys = sorted(xs, key=lambda x: -x)\nlen(ys)"
    ),
    "counting 50,000 words in a dict": (
        "words = ['a', 'b', 'c', 'd', 'e'] * 10000\nd = {}\nfor w in words:\n    d[w] = d.get(w, 0) + 1\nlen(d)"
    ),
    "import random; random.random()": "import random\nrandom.random()",
}


def median(run, times):
    figures = []
    for _ in range(times):
        started = time.process_time()
        run()
        figures.append((time.process_time() - started) * 1000)
    return statistics.median(figures)


def fresh(cls, **options):
    def run():
        executor = cls([], **options)
        executor.send_tools({})
        executor("1+1")
        if hasattr(executor, "cleanup"):
            executor.cleanup()

    return run


def warm(cls, code, **options):
    executor = cls([], **options)
    executor.send_tools({})
    executor(code)
    return lambda: executor(code)


def main():
    columns = [
        ("LocalPythonExecutor", lambda code: warm(LocalPythonExecutor, code), fresh(LocalPythonExecutor), 5),
        ("WasmExecutor", lambda code: warm(WasmExecutor, code), fresh(WasmExecutor), 15),
        ("semantics='smolagents'", lambda code: warm(WasmExecutor, code, semantics="smolagents"), fresh(WasmExecutor, semantics="smolagents"), 7),
        ("CPython exec", lambda code: lambda: exec(compile(code, "<code>", "exec"), {}), lambda: exec(compile("1+1", "<code>", "exec"), {}), 15),
    ]
    print("| task | " + " | ".join(name for name, *_ in columns) + " | ahead |")
    print("|---|" + "---|" * (len(columns) + 1))
    rows = [("`1+1`, a fresh executor", None, 200), ("`1+1`, warm", "1+1", 200), *((name, code, 0) for name, code in TASKS.items())]
    for name, code, times in rows:
        figures = [median(fresh_run if code is None else make(code), times or few) for _, make, fresh_run, few in columns]
        ahead = figures[0] / figures[1]
        print(f"| {name} | " + " | ".join(f"{figure:.3g} ms" for figure in figures) + f" | {ahead:.3g} times |")


if __name__ == "__main__":
    main()
