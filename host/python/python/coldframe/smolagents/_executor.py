"""The executor."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Callable, Iterable, Mapping

from .._errors import SessionClosedError
from .._native import Tools as _NativeTools
from .._outcome import Outcome
from .._remote import Remote, Routing
from .._session import Sandbox, _names
from .._tools import make_tools
from ._advice import advice, is_in_sandbox
from ._contract import (
    BASE_MODULES,
    BASE_TOOLS,
    MATH_TOOLS,
    CodeOutput,
    ExecutionTimeoutError,
    InterpreterError,
    PythonExecutor,
    print_container,
)
from ._state import Live, State
from ._tools import as_tool

#: The longest time that a run may take, a week: for ``timeout_seconds=None``.
_NO_TIMEOUT = 7 * 24 * 3600.0

#: More than a run can burn in its time.
_NO_FUEL_LIMIT = 10_000_000_000_000_000

_MATH = re.compile(r"\b(?:" + "|".join(MATH_TOOLS) + r")\b")
#: A statement that binds a name: then the output is what it bound, as in smolagents.
_BINDS = re.compile(r"([^\W\d]\w*)\s*(?::[^=]*)?(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)")
_ASYNC = re.compile(r"\b(?:await|async)\b")


def _is_on_host(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _last_bound(code: str) -> "str | None":
    """The name that the last statement binds, if it looks like an assignment."""
    for line in reversed(code.splitlines()):
        if line and line[0] not in " \t#)]}":
            found = _BINDS.match(line.rpartition(";")[2].strip() if '"' not in line and "'" not in line else line)
            return found[1] if found else None
    return None


class WasmExecutor(PythonExecutor):
    """Runs the code of a ``CodeAgent`` in a WebAssembly sandbox in this process.

    It takes what ``LocalPythonExecutor`` takes and does what that does, with walls and real limits:

    >>> from coldframe.smolagents import WasmExecutor
    >>> executor = WasmExecutor(timeout_seconds=5)
    >>> executor.send_tools({"weather": lambda city: f"rain in {city}", "final_answer": lambda answer: answer})
    >>> executor.send_variables({"cities": ["Vienna", "Rome"]})
    >>> executor("for city in cities:\\n    print(weather(city))").logs
    'rain in Vienna\\nrain in Rome\\n'
    >>> executor("import os")
    Traceback (most recent call last):
    ...
    smolagents.local_python_executor.InterpreterError: Code execution failed at line 'import os' due to: InterpreterError: Import of os is not allowed. ...
    >>> executor("final_answer(len(cities))").is_final_answer
    True
    >>> executor.cleanup()

    :param additional_authorized_imports: modules that may be imported besides smolagents' own list; ``name.*`` and ``*`` work.
    :param max_print_outputs_length: characters of output that are kept; the middle is cut.
    :param additional_functions: further functions for the code, by their names. They hide builtins.
    :param timeout_seconds: how long one piece of code may run; ``None`` for no limit. Waiting for tools does not count.
    :param semantics: ``"python"``: the language as it is. ``"smolagents"``: with the peculiarities that smolagents' own tests ask for.
    :param memory: bytes of memory that the session may have.
    :param remote: a :class:`coldframe.Remote` backend for code that imports what the sandbox cannot have. Its variables and tools go with it. What may be
        imported there is what may be imported here: ``additional_authorized_imports``.
    :param routing: which code goes there; see :class:`coldframe.Routing`.
    :param fallback: an executor for code that imports what the sandbox cannot have (numpy, pandas, ...). It has variables of its own.
    :param options: further options of :class:`coldframe.Sandbox`.
    """

    def __init__(
        self,
        additional_authorized_imports: "Iterable[str]" = (),
        max_print_outputs_length: "int | None" = None,
        additional_functions: "Mapping[str, Callable[..., Any]] | None" = None,
        timeout_seconds: "float | None" = 30,
        *,
        semantics: str = "python",
        memory: "int | None" = None,
        remote: "Remote | None" = None,
        routing: "Routing | None" = None,
        fallback: Any = None,
        **options: Any,
    ) -> None:
        if semantics not in ("python", "smolagents"):
            raise ValueError(f"semantics is 'python' or 'smolagents', not {semantics!r}")
        if semantics == "smolagents" and (remote is not None or routing is not None):
            raise ValueError("remote= and routing= need semantics='python': remote interpreters have no other")
        self.semantics = semantics
        self.additional_authorized_imports = _names("additional_authorized_imports", additional_authorized_imports) or []
        self.authorized_imports = sorted({*BASE_MODULES, *self.additional_authorized_imports})
        self.max_print_outputs_length = 50_000 if max_print_outputs_length is None else max_print_outputs_length
        self.additional_functions = dict(additional_functions or {})
        self.timeout_seconds = timeout_seconds
        self.fallback = fallback
        self.static_tools: "dict[str, Any] | None" = None
        self.custom_tools: "dict[str, Any]" = {}
        if remote is None:
            # What a remote backend has is known there.
            self._check_imports()
        self._sandbox = Sandbox(**{**self._policy(memory), **options}, remote=remote, routing=routing)
        self._live = Live(self._sandbox)
        self._emulation: Any = None
        self._options = {**options, **({"memory": memory} if memory is not None else {})}
        self._synced: "dict[str, Any]" = {}
        self.state: Any
        if semantics == "smolagents":
            self.state = {"__name__": "__main__"}
            return
        self.state = State(self._live)
        self.state.set_own("_print_outputs", print_container(""))
        self.state.set_own("_operations_count", {"counter": 0})

    def _policy(self, memory: "int | None") -> "dict[str, Any]":
        return {
            "imports": self.authorized_imports,
            "time": _NO_TIMEOUT if self.timeout_seconds is None else float(self.timeout_seconds),
            "fuel": _NO_FUEL_LIMIT,
            "memory": memory,
            "cut_middle": self.max_print_outputs_length,
            "agent_texts": True,
            "live_objects": True,
        }

    def _check_imports(self) -> None:
        roots = {name.split(".")[0] for name in self.additional_authorized_imports} - {"*"} - set(BASE_MODULES)
        missing = [name for name in sorted(roots) if not is_in_sandbox(name) and not _is_on_host(name)]
        if missing:
            raise InterpreterError(
                f"Non-installed authorized modules: {', '.join(missing)}. "
                "Please install these modules or remove them from the authorized imports list."
            )

    # A sandbox without variables is an executor all the same.
    def __bool__(self) -> bool:
        return True

    # ---- tools and variables

    def send_tools(self, tools: "Mapping[str, Any]") -> None:
        """Defines the functions that the code may call: tools, agents, any callables."""
        offered = {name: tool for name, tool in tools.items() if name not in BASE_TOOLS}
        offered.update(self.additional_functions)
        if self.static_tools is not None and self._live.tools is not None and self._are_same(offered):
            return
        if not offered and self._live.tools is None and self.fallback is None and self.semantics == "python":
            self.static_tools = {}
            return
        self.static_tools = offered
        if self.semantics == "smolagents":
            self.static_tools = {**_base_tools(), **offered}
            if self._emulation is not None:
                self._emulation.set_tools(self.static_tools)
            return
        made = [as_tool(name, tool, final=name == "final_answer") for name, tool in offered.items()]
        self._live.set_tools(make_tools(made, generous=True) or _NativeTools([], [], True))
        if self.fallback is not None:
            self.fallback.send_tools(dict(tools))

    def _are_same(self, offered: "dict[str, Any]") -> bool:
        known = self.static_tools or {}
        return known.keys() == offered.keys() and all(known[name] is tool for name, tool in offered.items())

    def send_variables(self, variables: "Mapping[str, Any]") -> None:
        """Sets variables. Objects that are more than data stay where they are: the code holds them, and tools get the very objects."""
        if variables:
            self.state.update(variables)
        if self.fallback is not None:
            self.fallback.send_variables(dict(variables))

    def cleanup(self) -> None:
        """Gives the sandbox back; the next piece of code gets a fresh one, with what the host has sent."""
        self._live.close()
        if self._emulation is not None:
            self._emulation.close()
            self._emulation = None
            self._synced = {}
        if self.fallback is not None and hasattr(self.fallback, "cleanup"):
            self.fallback.cleanup()

    def __enter__(self) -> "WasmExecutor":
        return self

    def __exit__(self, *_: Any) -> None:
        self.cleanup()

    # ---- code

    def __call__(self, code_action: str) -> CodeOutput:
        """Runs a piece of code."""
        if self.fallback is not None and self._wants_fallback(code_action):
            return self.fallback(code_action)
        if self.semantics == "smolagents":
            return self._emulate(code_action)
        outcome = self._run(code_action)
        return CodeOutput(output=outcome.value, logs=str(self.state["_print_outputs"]), is_final_answer=outcome.is_final_answer)

    def _run(self, code: str) -> Outcome:
        session = self._live.get()
        if _MATH.search(code):
            self._live.add_math(self.additional_functions)
        try:
            outcome = session.run(code, file_name="<code>", top_level_await=_ASYNC.search(code) is not None)
        except BaseException:
            if not session.is_alive:
                self._live.lose()
            raise
        self._note(outcome)
        self._raise(outcome)
        if outcome.value is None and not outcome.is_final_answer and (name := _last_bound(code)) is not None:
            bound = session.run(name)
            if bound.error is None:
                return replace(outcome, value=bound.value, repr=bound.repr, crossed=bound.crossed)
        return outcome

    def _emulate(self, code: str) -> CodeOutput:
        from ._evaluate import Emulation

        if self._emulation is None:
            self._emulation = Emulation(self.authorized_imports, self.max_print_outputs_length, self.timeout_seconds, self._options)
            self._emulation.set_tools(self.static_tools or {})
        emulation = self._emulation
        changed = {name: value for name, value in self.state.items() if name not in self._synced or self._synced[name] is not value}
        emulation.set_variables(changed)
        self.state["_print_outputs"], self.state["_operations_count"] = print_container(""), {"counter": 0}
        value, is_final, outcome, count, values = emulation.run(code)
        self.state["_print_outputs"].value = outcome.stdout + outcome.stderr
        self.state["_operations_count"]["counter"] = count
        if not emulation.session.is_alive:
            self._emulation, self._synced = None, {}
        elif count or values:
            for name in set(self._synced) - set(values):
                self.state.pop(name, None)
            self.state.update(values)
            self._synced = dict(values)
        failure = emulation.failure(outcome)
        if failure is not None:
            raise failure
        return CodeOutput(output=value, logs=str(self.state["_print_outputs"]), is_final_answer=is_final)

    def _note(self, outcome: Outcome) -> None:
        self.state.set_own("_print_outputs", print_container(outcome.stdout + outcome.stderr))
        self.state.set_own("_operations_count", {"counter": outcome.usage.operations})

    def _raise(self, outcome: Outcome) -> None:
        error = outcome.error
        if error is None:
            return
        text = outcome.agent_text or f"Code execution failed due to: {error}"
        if outcome.place != "local":
            text += _advice_elsewhere(outcome)
        elif error.session_lost:
            self._live.lose()
            text += "\nThe sandbox had to be stopped: variables and functions of earlier code are gone."
        if outcome.place == "local":
            text += advice(error)
        if error.kind == "time":
            raise ExecutionTimeoutError(text)
        raise InterpreterError(text)

    def _wants_fallback(self, code: str) -> bool:
        if "import" not in code:
            return False
        try:
            imports = self._live.get().imports_of(code)
        except SessionClosedError:
            raise
        except Exception:
            return False  # it does not compile: the sandbox says so
        return any(not is_in_sandbox(entry.module.split(".")[0]) for entry in imports if entry.module)


def _advice_elsewhere(outcome: Outcome) -> str:
    """What is added to the text of an error of code that ran on a remote backend."""
    error = outcome.error
    if error is None:
        return ""
    if error.session_lost:
        return f"\nThe interpreter on {outcome.place} had to be stopped: variables and functions that were only there are gone."
    if error.type_name == "NameError":
        for left in outcome.left_behind:
            if f"'{left.name}'" in error.message:
                return f": it is in {left.stays_in} and could not come along: {left.reason}. Code that needs it must run there"
    return ""


def _base_tools() -> "dict[str, Any]":
    """The functions that smolagents gives to all code."""
    try:
        from smolagents.local_python_executor import BASE_PYTHON_TOOLS
    except ImportError:
        import builtins
        import math

        own = {name: getattr(builtins, name) for name in BASE_TOOLS if hasattr(builtins, name)}
        return {**own, **{name: getattr(math, name) for name in MATH_TOOLS}}
    return dict(BASE_PYTHON_TOOLS)


def make_executor(
    additional_imports: "Iterable[str]" = (),
    logger: Any = None,
    **options: Any,
) -> WasmExecutor:
    """Makes an executor for smolagents' entry-point group ``smolagents.executors``; ``logger`` is not needed."""
    del logger
    return WasmExecutor(additional_imports, **options)


def evaluate_python_code(*args: Any, **kwargs: Any) -> "tuple[Any, bool]":
    """smolagents' function of that name, in a sandbox of its own: see :mod:`coldframe.smolagents._evaluate`."""
    from ._evaluate import evaluate_python_code as evaluate

    return evaluate(*args, **kwargs)
