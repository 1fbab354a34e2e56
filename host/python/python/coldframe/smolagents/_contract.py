"""What smolagents expects of an executor, with its own classes where it is installed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._native import preset_imports

__all__ = [
    "BASE_MODULES",
    "BASE_TOOLS",
    "MATH_TOOLS",
    "CodeOutput",
    "ExecutionTimeoutError",
    "InterpreterError",
    "PrintContainer",
    "PythonExecutor",
    "print_container",
]

try:
    from smolagents.local_python_executor import (
        CodeOutput,
        ExecutionTimeoutError,
        InterpreterError,
        PrintContainer,
        PythonExecutor,
    )
except ImportError:

    @dataclass
    class CodeOutput:  # type: ignore[no-redef]
        """What became of a piece of code."""

        output: Any
        logs: str
        is_final_answer: bool

    class InterpreterError(ValueError):  # type: ignore[no-redef]
        """The code failed."""

    class ExecutionTimeoutError(Exception):  # type: ignore[no-redef]
        """The code took too long."""

    class PrintContainer:  # type: ignore[no-redef]
        """What the code has printed."""

        def __init__(self) -> None:
            self.value = ""

        def __str__(self) -> str:
            return self.value

        def __len__(self) -> int:
            return len(self.value)

    class PythonExecutor:  # type: ignore[no-redef]
        """The base of executors."""


#: Modules that may be imported without being asked for, as in smolagents.
BASE_MODULES = tuple(preset_imports("smolagents") or ())

#: Functions of ``math`` that code may use without importing it.
MATH_TOOLS = ("acos", "asin", "atan", "atan2", "ceil", "cos", "degrees", "exp", "floor", "log", "radians", "sin", "sqrt", "tan")

#: Names of functions that no tool of an agent can take.
BASE_TOOLS = frozenset(
    "abs all any bool callable chr complex dict divmod enumerate filter float getattr hasattr int isinstance issubclass iter len list map max min next "
    "ord pow print range reversed round set setattr sorted str sum tuple type zip".split()
).union(MATH_TOOLS)


def print_container(text: str) -> Any:
    """The container of what was printed."""
    container = PrintContainer()
    container.value = text
    return container
