"""``evaluate_python_code`` as smolagents has it, in a sandbox: the engine of ``semantics="smolagents"``."""

from __future__ import annotations

import ast
import builtins
import difflib
import math
import operator
import re
from typing import Any, Callable, Iterable, Mapping, MutableMapping

from .._native import Tools as _NativeTools
from .._outcome import Outcome
from .._session import Sandbox, Session
from .._tools import FinalAnswer, Tool, make_tools
from .._values import ON_HOST, Handle
from ._advice import advice
from ._contract import BASE_MODULES, MATH_TOOLS, ExecutionTimeoutError, InterpreterError, print_container
from ._mirror import Mirror, MirrorFunction
from ._prelude import PRELUDE
from ._rewrite import DANGEROUS, MAX_SOURCE, rewrite
from ._tools import as_tool, is_stock_final_answer

_NO_TIMEOUT = 7 * 24 * 3600.0
_NO_FUEL_LIMIT = 10_000_000_000_000_000


def _setting(name: str, otherwise: Any) -> Any:
    """A figure of smolagents' module as it is now: users change them."""
    try:
        from smolagents import local_python_executor
    except ImportError:
        return otherwise
    return getattr(local_python_executor, name, otherwise)


def _is_own(name: str, tool: Any) -> bool:
    """Whether the sandbox has that function itself."""
    if name == "print" or getattr(builtins, name, None) is tool:
        return hasattr(builtins, name)
    if name in MATH_TOOLS and getattr(math, name, None) is tool:
        return True
    return name == "getattr" and getattr(tool, "__name__", "") == "nodunder_getattr"


def _plain(value: Any, depth: int = 0) -> bool:
    if value is None or isinstance(value, (bool, int, float, str, bytes, complex)):
        return True
    if depth > 20:
        return False
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(_plain(item, depth + 1) for item in value)
    return isinstance(value, dict) and all(_plain(k, depth + 1) and _plain(v, depth + 1) for k, v in value.items())


def _seen_from_inside(value: Any) -> Any:
    """An object of the host with the plain attributes that it has itself; what is data stays data."""
    if _plain(value) or isinstance(value, Handle) or type(value).__module__ in ("datetime", "decimal", "fractions", "uuid", "zoneinfo"):
        return value
    try:
        attributes = [name for name, item in vars(value).items() if not name.startswith("_") and name.isidentifier() and _plain(item)]
    except TypeError:
        return value
    return Handle(value, name=f"{type(value).__name__} {ON_HOST}", attributes=attributes) if attributes else value


class Emulation:
    """A session whose programs behave as in smolagents' interpreter."""

    def __init__(
        self,
        authorized_imports: "Iterable[str]",
        max_print_outputs_length: int,
        timeout_seconds: "float | None",
        options: "Mapping[str, Any] | None" = None,
    ) -> None:
        self.while_iterations = _setting("MAX_WHILE_ITERATIONS", 1_000_000)
        self.timeout_seconds = timeout_seconds
        policy: "dict[str, Any]" = {
            "imports": [*authorized_imports],
            "time": _NO_TIMEOUT if timeout_seconds is None else float(timeout_seconds),
            "fuel": _NO_FUEL_LIMIT,
            "while_iterations": self.while_iterations,
            # With one less, the module `builtins` is refused unless it is allowed.
            "removed_builtins": ["breakpoint"],
            "cut_middle": max_print_outputs_length,
            "live_objects": True,
        }
        self._sandbox = Sandbox(**{**policy, **(options or {})})
        self.session: Session = self._sandbox.session()
        self._prelude()
        self.tools: "set[str]" = set()
        self.names: "set[str]" = set()
        self._mirror = Mirror(self._next)

    def _prelude(self) -> None:
        text = f"{PRELUDE}\n_cf_dangerous = {DANGEROUS!r}\n_cf_own_final = False"
        outcome = self.session.run(text, want_value=False)
        outcome.unwrap()

    def _next(self, key: int) -> Any:
        outcome = self.session.run(f"_cf_next({key})")
        return outcome.unwrap()

    def close(self) -> None:
        """Gives the sandbox back."""
        self.session.close()

    def set_tools(self, static_tools: "Mapping[str, Any]") -> None:
        """Defines the tools."""
        self.tools = set(static_tools)
        # Objects of the host can be subscripted, as in smolagents.
        sent: "list[Any]" = [Tool(operator.getitem, name="_cf_item", parameters=[("o", 0, None, False, None), ("k", 0, None, False, None)])]
        for name, tool in static_tools.items():
            if name == "final_answer":
                sent.append(FinalAnswer())
                own = not is_stock_final_answer(tool)
                self.session.run(f"_cf_own_final = {own}", want_value=False)
                if own:
                    sent.append(as_tool("_cf_final_host", tool))
            elif not _is_own(name, tool):
                sent.append(as_tool(name, tool))
        self.session._core.block("set_tools", make_tools(sent, generous=True) or _NativeTools([], [], True))
        here = [name for name in MATH_TOOLS if name in static_tools and _is_own(name, static_tools[name])]
        if here:
            # Hidden from the list of variables, as long as they are what they are.
            keep = ", ".join(f"{name!r}: {name}" for name in here)
            self.session.run(f"from math import {', '.join(here)}\n_cf_hidden = {{{keep}}}", want_value=False)
        names = [tool.name for tool in sent]
        self.session._core.block("set_variables", {"_cf_names": names})
        self.session.run("_cf_hidden.update({n: globals()[n] for n in _cf_names if n in globals()})", want_value=False)

    def set_variables(self, variables: "Mapping[str, Any]") -> None:
        """Sets variables; what came out of the sandbox as a likeness stays there as it is."""
        sent = {}
        for name, value in variables.items():
            if not name.isidentifier() or name.startswith("__") or name in ("_print_outputs", "_operations_count"):
                continue
            if isinstance(value, MirrorFunction) or "_cf_repr" in getattr(value, "__dict__", ()):
                continue
            sent[name] = _seen_from_inside(value)
        if sent:
            self.session._core.block("set_variables", sent)
            self.names.update(sent)

    def run(self, code: str) -> "tuple[Any, bool, Outcome, int, dict[str, Any]]":
        """Runs a program: value, whether it is the final answer, outcome, operations, variables."""
        if len(code) > MAX_SOURCE:
            raise InterpreterError(f"Code parsing failed on line 1 due to: the code has more than {MAX_SOURCE} characters")
        try:
            tree = ast.parse(code)
        except SyntaxError as e:
            raise InterpreterError(
                f"Code parsing failed on line {e.lineno} due to: {type(e).__name__}: {e}\n{e.text}{' ' * (e.offset or 0)}^"
            ) from None
        except (RecursionError, MemoryError, ValueError) as e:
            raise InterpreterError(f"Code parsing failed on line 1 due to: {type(e).__name__}: {e}") from None
        try:
            text = rewrite(tree, self.names, self.tools, _setting("ALLOWED_DUNDER_METHODS", ("__init__", "__str__", "__repr__")))
        except RecursionError:
            raise InterpreterError("Code parsing failed on line 1 due to: RecursionError: the code nests too deep") from None
        most = _setting("MAX_OPERATIONS", 10_000_000)
        outcome = self.session.run(f"_cf_begin({most})\n_cf_r = None\n{text}", file_name="<code>", want_value=False)
        if not self.session.is_alive:
            return None, False, outcome, 0, {}
        report = self.session.run("_cf_report(True)")
        if report.error is not None or not report.crossed:
            return None, outcome.is_final_answer, outcome, 0, {}
        count, index, keys, variables, result = report.value
        self._mirror.begin()
        values = {name: self._mirror.build(described) for name, described in variables}
        self.names = set(values)
        if outcome.error is not None:
            self._raise_later = self._failure(code, tree, index, keys, outcome)
        value = self._mirror.build(result) if outcome.error is None else None
        return value, outcome.is_final_answer, outcome, count, values

    _raise_later: "Exception | None" = None

    def failure(self, outcome: Outcome) -> "Exception | None":
        """The exception that tells how the last program failed."""
        failure, self._raise_later = self._raise_later, None
        if outcome.error is None:
            return None
        return failure or self._told(None, outcome, None)

    def _failure(self, code: str, tree: ast.Module, index: int, keys: Any, outcome: Outcome) -> Exception:
        statement = tree.body[index] if 0 <= index < len(tree.body) else None
        segment = ast.get_source_segment(code, statement) if statement is not None else ""
        return self._told(segment, outcome, keys)

    def _told(self, segment: "str | None", outcome: Outcome, keys: Any) -> Exception:
        error = outcome.error
        assert error is not None
        if error.kind == "time":
            return ExecutionTimeoutError(f"Code execution exceeded the maximum execution time of {self.timeout_seconds} seconds")
        if error.kind == "iterations":
            what = f"InterpreterError: Maximum number of {self.while_iterations} iterations in While loop exceeded"
        elif error.kind == "refused":
            what = f"InterpreterError: {error.message}"
        elif error.type_name == "NameError" and (name := re.match(r"name '(\w+)' is not defined", error.message)):
            what = f"InterpreterError: The variable `{name[1]}` is not defined."
        else:
            what = f"{error.type_name}: {error.message}"
        if keys and error.message.startswith("Could not index") and f"with '{keys[0]}'" in error.message:
            close = difflib.get_close_matches(keys[0], keys[1])
            if close:
                what += f". Maybe you meant one of these indexes instead: {close}"
        what = what.replace("_cf_final_host()", "final_answer()") + advice(error)
        return InterpreterError(f"Code execution failed at line '{segment or ''}' due to: {what}")


def evaluate_python_code(
    code: str,
    static_tools: "Mapping[str, Callable[..., Any]] | None" = None,
    custom_tools: "MutableMapping[str, Callable[..., Any]] | None" = None,
    state: "MutableMapping[str, Any] | None" = None,
    authorized_imports: "Iterable[str]" = BASE_MODULES,
    max_print_outputs_length: int = 50_000,
    timeout_seconds: "float | None" = 30,
) -> "tuple[Any, bool]":
    """Runs code in a sandbox of its own, with what is in ``state``, and leaves there what it bound."""
    state = {} if state is None else state
    emulation = Emulation(authorized_imports, max_print_outputs_length, timeout_seconds)
    keep = False
    try:
        emulation.set_tools({**(custom_tools or {}), **(static_tools or {})})
        emulation.set_variables(state)
        before = set(emulation.names)
        state["_print_outputs"] = print_container("")
        state["_operations_count"] = {"counter": 0}
        value, is_final, outcome, count, values = emulation.run(code)
        state["_print_outputs"].value = outcome.stdout + outcome.stderr
        state["_operations_count"]["counter"] = count
        if count or values:
            for name in before - set(values):
                state.pop(name, None)
            state.update(values)
        failure = emulation.failure(outcome)
        if failure is not None:
            raise failure
        # A generator goes on in the sandbox.
        keep = any(hasattr(item, "gi_frame") for item in [value, *values.values()])
        return value, is_final
    finally:
        if not keep:
            emulation.close()
