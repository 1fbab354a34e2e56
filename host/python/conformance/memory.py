"""How much memory 1,000 runs of a ``CodeAgent`` take: with a tool, an object of the host, an error and a final answer in each.

    python memory.py [python|smolagents|local]

``local`` is smolagents' own interpreter. The figures are of the resident set of the process, and how many of the objects are still there.
"""

import gc
import resource
import sys
import weakref

from smolagents import CodeAgent, LogLevel, tool
from smolagents.local_python_executor import LocalPythonExecutor
from smolagents.models import ChatMessage, MessageRole, Model

from coldframe.smolagents import WasmExecutor


class Scripted(Model):
    def __init__(self):
        super().__init__(model_id="scripted")
        self.codes = []

    def generate(self, messages, **kwargs):
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: next.\n<code>\n{self.codes.pop(0)}\n</code>")


@tool
def echo(thing: object) -> object:
    """Gives back what it gets.

    Args:
        thing: The thing.
    """
    return thing


class Thing:
    pass


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else "python"
    executor = LocalPythonExecutor([]) if kind == "local" else WasmExecutor(semantics=kind)
    agent = CodeAgent(model=Scripted(), tools=[echo], executor=executor, verbosity_level=LogLevel.OFF, max_steps=4)
    alive = weakref.WeakSet()
    for n in range(1, 1201):
        thing = Thing()
        alive.add(thing)
        agent.model.codes = ["class A: pass\nitems = [A() for _ in range(100)]\nx = echo(thing)\nprint('x' * 1000)", "missing", "final_answer([n, thing])"]
        answer = agent.run("task", additional_args={"thing": thing, "n": n})
        assert answer[0] == n and answer[1] is thing
        if n % 200 == 0:
            gc.collect()
            print(f"after {n:5} runs: {resident():6.1f} MiB, {len(alive)} objects", flush=True)


if __name__ == "__main__":
    main()
