"""What is said of things that are not in the sandbox: packages, and objects of the host."""

from __future__ import annotations

import re

from .._errors import RunFailure
from .._session import Sandbox
from .._values import ON_HOST

_ELSEWHERE = "a remote backend (WasmExecutor(remote=...)), or another executor for such code (WasmExecutor(fallback=...))"

#: What the sandbox's library has: asked for once.
_there: "dict[str, bool]" = {}


def is_in_sandbox(module: str) -> bool:
    """Whether the sandbox has that module."""
    if module not in _there:
        outcome = Sandbox().run("import importlib.util\nimportlib.util.find_spec(name) is not None", {"name": module})
        _there[module] = bool(outcome.value)
    return _there[module]


def advice(error: RunFailure) -> str:
    """What is added to the text of an error, so that a model knows what to do."""
    if error.type_name == "ModuleNotFoundError":
        found = re.search(r"No module named '(\w+)", error.message)
        if found and not is_in_sandbox(found[1]):
            return (
                f": the sandbox has Python's standard library and no installed packages, so {found[1]} is not there. "
                f"Use the standard library, a tool of the host's, or {_ELSEWHERE}"
            )
    if error.type_name in ("AttributeError", "TypeError") and (ON_HOST in error.message or "coldframe.HostObject" in error.message):
        return f": the object is on the host, and code can only store it and give it to tools. Use a tool, or {_ELSEWHERE}"
    return ""
