"""The executor for smolagents, by itself and in a ``CodeAgent`` with a scripted model."""

import datetime
import gc
import os
import resource
import time
import weakref

import pytest

pytest.importorskip("smolagents")

from smolagents import CodeAgent, PythonInterpreterTool, Tool, tool  # noqa: E402
from smolagents.local_python_executor import CodeOutput, ExecutionTimeoutError, InterpreterError  # noqa: E402
from smolagents.models import ChatMessage, ChatMessageStreamDelta, MessageRole, Model  # noqa: E402

from coldframe.smolagents import WasmExecutor, evaluate_python_code, make_executor  # noqa: E402


class Scripted(Model):
    """A model that says what it was told to say, piece by piece."""

    def __init__(self, *codes):
        super().__init__(model_id="scripted")
        self.codes = list(codes)
        self.seen = []

    def generate(self, messages, **kwargs):
        self.seen.append(messages)
        code = self.codes.pop(0)
        text = code if code.startswith("Plan:") else f"Thought: next.\n<code>\n{code}\n</code>"
        return ChatMessage(role=MessageRole.ASSISTANT, content=text)

    def generate_stream(self, messages, **kwargs):
        text = self.generate(messages).content
        for at in range(0, len(text), 7):
            yield ChatMessageStreamDelta(content=text[at : at + 7])


def agent(*codes, **options):
    options.setdefault("tools", [])
    options.setdefault("executor", WasmExecutor())
    return CodeAgent(model=Scripted(*codes), verbosity_level=0, max_steps=6, **options)


@tool
def weather(city: str, day: str = "today") -> str:
    """Tells the weather.

    Args:
        city: The city.
        day: The day.
    """
    if city == "Nowhere":
        raise ValueError("there is no such city")
    return f"rain in {city} {day}"


def observations(run_agent):
    return [step.observations for step in run_agent.memory.steps if getattr(step, "observations", None)]


def errors(run_agent):
    return [str(step.error.message) for step in run_agent.memory.steps if getattr(step, "error", None)]


def test_contract():
    executor = WasmExecutor()
    assert executor and executor.state["__name__"] == "__main__"
    result = executor("print('a', 'b')\nx = 3\nx + 1")
    assert isinstance(result, CodeOutput)
    assert (result.output, result.logs, result.is_final_answer) == (4, "a b\n", False)
    assert str(executor.state["_print_outputs"]) == "a b\n" and "_print_outputs" in executor.state
    assert executor.state["_operations_count"]["counter"] > 0
    assert executor.state["x"] == 3 and "x" in executor.state and "y" not in executor.state
    executor.state["y"] = 5
    assert executor("x + y").output == 8
    del executor.state["y"]
    assert set(executor.state) == {"__name__", "_print_outputs", "_operations_count", "x"}
    assert executor("sqrt(ceil(3.2)), pow(2, 3)").output == (2.0, 8)
    executor.cleanup()
    assert isinstance(make_executor(["os"], logger=None, timeout_seconds=1), WasmExecutor)


@pytest.mark.parametrize(
    "code, kind, text",
    [
        ("import os", InterpreterError, "Code execution failed at line 'import os' due to: InterpreterError: Import of os is not allowed. Authorized"),
        ("import random\nrandom._os.system('ls')", InterpreterError, "due to: InterpreterError: Forbidden access to module: os"),
        ("nothing", InterpreterError, "due to: InterpreterError: The variable `nothing` is not defined."),
        ("!ls", InterpreterError, "Code parsing failed on line 1 due to: SyntaxError: invalid syntax"),
        ("x = 1\n1 / 0", InterpreterError, "Code execution failed at line '1 / 0' due to: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", InterpreterError, "due to: SystemExit"),
        ("while True: pass", ExecutionTimeoutError, "Code execution exceeded the maximum execution time of 1 seconds"),
        ("x = [0] * 10**9", InterpreterError, "MemoryError"),
        ("def f(): f()\nf()", InterpreterError, "RecursionError"),
    ],
)
def test_errors(code, kind, text):
    executor = WasmExecutor(timeout_seconds=1)
    with pytest.raises(kind) as info:
        executor("print('before')\n" + code if "!" not in code else code)
    assert text in str(info.value)
    if "!" not in code:
        assert str(executor.state["_print_outputs"]) == "before\n"


def test_modules_that_are_not_there():
    with pytest.raises(InterpreterError, match="Non-installed authorized modules: i_do_not_exist"):
        WasmExecutor(["i_do_not_exist.sub"])
    executor = WasmExecutor(["smolagents"])
    with pytest.raises(InterpreterError, match="No module named 'smolagents': the sandbox has Python's standard library .*fallback"):
        executor("import smolagents")


def test_fallback():
    class Other:
        def __init__(self):
            self.codes, self.variables, self.tools = [], {}, {}

        def send_variables(self, variables):
            self.variables.update(variables)

        def send_tools(self, tools):
            self.tools.update(tools)

        def __call__(self, code):
            self.codes.append(code)
            return CodeOutput(7, "", False)

    other = Other()
    executor = WasmExecutor(["numpy"], fallback=other)
    executor.send_tools({"weather": weather})
    executor.send_variables({"a": 1})
    assert executor("import math\nmath.floor(2.5)").output == 2
    assert executor("def f():\n    import numpy as np\n    return np.zeros(3)\nf()").output == 7
    assert len(other.codes) == 1 and other.variables == {"a": 1} and "weather" in other.tools


def test_live_objects():
    class Picture:
        pass

    picture, shown = Picture(), []
    executor = WasmExecutor()
    executor.send_variables(variables={"picture": picture, "when": datetime.date(2026, 11, 30)})
    executor.send_tools({"show": lambda p: shown.append(p) or p, "make": Picture, "final_answer": lambda answer: answer})
    executor("pictures = [picture]\nother = show(pictures[0])")
    assert shown == [picture] and executor.state["picture"] is picture and executor.state["pictures"][0] is picture
    result = executor("assert other == picture and when.year == 2026\nfinal_answer({'p': other})")
    assert result.is_final_answer and result.output["p"] is picture
    assert isinstance(executor("make()").output, Picture)


def test_tools_do_not_hide_builtins_but_functions_do():
    executor = WasmExecutor(additional_functions={"sum": lambda x: "mine"})
    executor.send_tools({"len": lambda x: "tool"})
    assert executor("len([1]), sum([1])").output == (1, "mine")


@pytest.mark.parametrize(
    "code, output",
    [("x = 3", 3), ("x = {\n    'a': 1,\n}", {"a": 1}), ("x = 1\nx += 2", 3), ("x: int = 4", 4), ("x = 1; y = 2", 2), ("x = 1\nx == 1", True)]
    + [("x = 1\nprint(x)", None), ("x = [1]\nx[0] = 2", None), ("if True:\n    x = 1", None), ("x = 1\nx = None", None)],
)
def test_output_of_an_assignment_is_what_it_binds(code, output):
    assert WasmExecutor()(code).output == output


def test_output_is_cut():
    executor = WasmExecutor(max_print_outputs_length=10)
    logs = executor("print('a' * 100 + 'b' * 100)").logs
    assert logs == "aaaaa\n..._This content has been truncated to stay below 10 characters_...\nbbbb\n"


def test_agent_runs_steps_with_tools_and_errors():
    run_agent = agent(
        "report = weather('Vienna')\nprint(report)",
        "weather('Nowhere')",
        "weather()",
        "weather('Rome', day='tomorrow')",
        "final_answer(report.upper())",
        tools=[weather],
    )
    assert run_agent.run("How is the weather?") == "RAIN IN VIENNA TODAY"
    seen = observations(run_agent)
    assert "Execution logs:\nrain in Vienna today" in seen[0]
    assert any("Last output from code snippet:\nrain in Rome tomorrow" in text for text in seen)
    first, second = errors(run_agent)
    assert first == "Code execution failed at line 'weather('Nowhere')' due to: ValueError: there is no such city"
    assert "TypeError: weather() missing 1 required positional argument: 'city'" in second
    run_agent.cleanup()


def test_agent_hears_of_refused_imports():
    run_agent = agent("import subprocess", "final_answer(1)")
    run_agent.run("x")
    assert "Import of subprocess is not allowed" in errors(run_agent)[0]


def test_agent_runs_twice_and_keeps_its_state():
    run_agent = agent("n = start + 1\nfinal_answer(n)", "final_answer(n * 10 + start)")
    assert run_agent.run("first", additional_args={"start": 41}) == 42
    assert run_agent.run("second", reset=False, additional_args={"start": 5}) == 425


def test_final_answer_may_be_any_object():
    class Odd:
        pass

    odd = Odd()
    run_agent = agent("try:\n    final_answer(thing)\nexcept Exception:\n    final_answer(0)")
    assert run_agent.run("x", additional_args={"thing": odd}) is odd


def test_final_answer_tools_of_ones_own():
    class Doubling(Tool):
        name = "final_answer"
        description = "Doubles."
        inputs = {"answer": {"type": "any", "description": "x"}}
        output_type = "any"

        def forward(self, answer):
            return answer * 2

    assert agent("final_answer(answer=21)", tools=[Doubling()]).run("x") == 42


def test_managed_agents():
    helper = CodeAgent(
        model=Scripted("final_answer('helped with ' + weather('Graz'))"),
        tools=[weather],
        name="helper",
        description="Helps.",
        executor=WasmExecutor(),
        verbosity_level=0,
    )
    manager = agent("text = helper(task='please')\nfinal_answer('helped with rain in Graz' in text)", managed_agents=[helper])
    assert manager.run("x") is True


def test_context_manager_cleans_up():
    with agent("final_answer(1)") as run_agent:
        assert run_agent.run("x") == 1
        executor = run_agent.python_executor
        assert executor._live.session is not None
    assert executor._live.session is None


def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


both = pytest.mark.parametrize("semantics", ["python", "smolagents"])


@both
def test_agent_streams_steps_and_tokens(semantics):
    kinds = [type(step).__name__ for step in agent("x = 1", "final_answer(x)", executor=WasmExecutor(semantics=semantics)).run("q", stream=True)]
    assert kinds == ["ToolCall", "ActionOutput", "ActionStep"] * 2 + ["FinalAnswerStep"]
    assert agent("x = 1", "final_answer(x)", executor=WasmExecutor(semantics=semantics), stream_outputs=True).run("q") == 1


@both
def test_agent_plans(semantics):
    run_agent = agent("Plan: one", "x = 1", "Plan: two", "final_answer(x)", executor=WasmExecutor(semantics=semantics), planning_interval=1)
    assert run_agent.run("q") == 1


@both
def test_agent_with_images_and_data_frames(semantics):
    image_of, frame_of = pytest.importorskip("PIL.Image"), pytest.importorskip("pandas").DataFrame

    @tool
    def rotate(image: object) -> object:
        """Rotates an image.

        Args:
            image: The image.
        """
        assert image.size == (3, 2)
        return image.rotate(90, expand=True)

    image, frame = image_of.new("RGB", (3, 2)), frame_of({"a": [1]})
    run_agent = agent(
        "frame.head()",
        "turned = rotate(image)",
        "final_answer({'turned': turned, 'frame': [frame]})",
        tools=[rotate],
        executor=WasmExecutor(semantics=semantics),
    )
    answer = run_agent.run("q", images=[image], additional_args={"image": image, "frame": frame})
    assert answer["turned"].size == (2, 3) and answer["frame"][0] is frame
    [text] = errors(run_agent)
    assert "'DataFrame (on the host)' object has no attribute 'head': the object is on the host" in text and "fallback" in text


@both
def test_agent_hears_of_packages_and_of_the_way_to_them(semantics):
    pytest.importorskip("numpy")
    run_agent = agent("import numpy as np\nnp.zeros(3)", "final_answer(1)", executor=WasmExecutor(["numpy"], semantics=semantics))
    run_agent.run("q")
    [text] = errors(run_agent)
    assert "No module named 'numpy': the sandbox has Python's standard library" in text and "remote" in text


@both
def test_agent_whose_managed_agents_fail_and_take_arguments(semantics):
    helper = CodeAgent(
        model=Scripted("weather('Nowhere')", "final_answer('sorry')", "final_answer(n + 1)"),
        tools=[weather],
        name="helper",
        description="Helps.",
        executor=WasmExecutor(semantics=semantics),
        verbosity_level=0,
    )
    manager = agent(
        "first = helper('please')",
        "second = helper(task='again', additional_args={'n': 41})",
        "final_answer(['sorry' in first, '42' in second])",
        managed_agents=[helper],
        executor=WasmExecutor(semantics=semantics),
    )
    assert manager.run("q") == [True, True]


def test_agent_checks_final_answers():
    run_agent = agent("final_answer(1)", "final_answer(2)", final_answer_checks=[lambda answer, memory, **_: answer == 2])
    assert run_agent.run("q") == 2


def test_the_interpreter_tool_in_a_sandbox():
    interpreter = PythonInterpreterTool()
    interpreter.python_evaluator = evaluate_python_code
    assert interpreter("x = [1, 2]\nprint(x)\nsum(x)") == "Stdout:\n[1, 2]\n\nOutput: 3"
    with pytest.raises(InterpreterError, match="Import of os is not allowed"):
        interpreter("import os")


def test_functions_of_math_hide_nothing():
    executor = WasmExecutor(additional_functions={"log": lambda x: "mine"})
    executor.send_tools({})
    executor.send_variables({"exp": 5})
    assert executor("exp + 1, log(3), sqrt(4)").output == (6, "mine", 2.0)
    executor("tan = 7")
    assert executor("tan, cos(0)").output == (7, 1.0)
    assert "sqrt" not in executor.state


def test_state_is_a_mapping_of_everything():
    executor = WasmExecutor()
    executor.send_variables({"a-b": 1, "class": 2, 3: 4, "self": 5})
    executor("def f(): pass\nx = self")
    assert executor.state["a-b"] == 1 and executor.state[3] == 4 and executor.state["x"] == 5
    assert "function f" in repr(dict(executor.state)["f"])
    del executor.state["a-b"]
    with pytest.raises(KeyError):
        executor.state["a-b"]
    with pytest.raises(KeyError):
        executor.state["nothing"]


def test_modules_are_those_of_smolagents():
    from smolagents.utils import BASE_BUILTIN_MODULES

    from coldframe.smolagents import _contract

    assert sorted(_contract.BASE_MODULES) == sorted(BASE_BUILTIN_MODULES)
    with pytest.raises(TypeError, match="additional_authorized_imports is a list"):
        WasmExecutor("numpy")


def test_executors_that_nobody_cleans_up():
    for n in range(600):
        executor = WasmExecutor()
        executor.send_tools({"own": lambda: executor and n})
        assert executor("own()").output == n


@both
def test_a_lost_session_gets_what_was_sent(semantics):
    executor = WasmExecutor(timeout_seconds=0.3, semantics=semantics)
    executor.send_tools({"double": lambda x: x * 2})
    executor.send_variables({"start": 20})
    with pytest.raises(ExecutionTimeoutError):
        executor("x = 'a' * 10 ** 7\nwhile True: x.count('aaaaaaaaab')")
    assert executor("double(start) + 2").output == 42


@both
def test_generators_and_likenesses_do_not_pile_up(semantics):
    executor = WasmExecutor(semantics=semantics)
    executor.send_tools({"next": next} if semantics == "smolagents" else {})
    executor("class A: pass\na = (n for n in range(3))\nb = (n for n in range(10, 13))")
    for _ in range(20):
        executor("x = A()")
    assert executor("next(a), next(b)").output == (0, 10)
    if semantics == "smolagents":
        assert len(executor._emulation._mirror.classes) < 5


@both
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="/proc")
def test_memory_is_flat_over_runs_of_an_agent(semantics):
    class Thing:
        pass

    run_agent = agent(tools=[weather], executor=WasmExecutor(semantics=semantics))
    alive = weakref.WeakSet()

    def step(n):
        thing = Thing()
        alive.add(thing)
        run_agent.model.codes = ["class A: pass\nitems = [A() for _ in range(20)]\nprint(weather('Graz'))", "nothing", "final_answer([n, thing])"]
        run_agent.model.seen.clear()
        assert run_agent.run("q", additional_args={"n": n, "thing": thing}) == [n, thing]

    # Of `conformance/memory.py` that makes 1,000 runs.
    for n in range(40):
        step(n)
    gc.collect()
    before = rss()
    for n in range(60):
        step(n)
    gc.collect()
    assert rss() - before < 8 << 20 and len(alive) < 10


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="/proc")
def test_memory_is_flat_over_1000_runs():
    executor = WasmExecutor()

    def step(n):
        class Thing:
            pass

        executor.send_variables({"thing": Thing(), "n": n})
        executor.send_tools({"echo": lambda x: x, "final_answer": lambda answer: answer})
        executor("class A: pass\nitems = [A() for _ in range(100)]\necho(thing)\nprint('x' * 1000)")
        assert executor(f"final_answer({n})").output == n
        if n % 10 == 0:
            executor.cleanup()

    for n in range(200):
        step(n)
    gc.collect()
    before = rss()
    for n in range(1000):
        step(n)
    gc.collect()
    assert rss() - before < 8 << 20


def test_a_long_tool_does_not_count():
    executor = WasmExecutor(timeout_seconds=0.5)
    executor.send_tools({"slow": lambda: time.sleep(0.8) or "done"})
    assert executor("slow()").output == "done"
