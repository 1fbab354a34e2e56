"""Tools of agents, and agents, as tools of a sandbox."""

from __future__ import annotations

from typing import Any

from .._tools import Described, FinalAnswer, Tool, parameters_of, signature_of
from .._values import OMITTED

_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict", "any": "Any", "null": "None"}


def is_stock_final_answer(tool: Any) -> bool:
    """Whether it is smolagents' own ``FinalAnswerTool``, which does nothing but return its argument."""
    cls = type(tool)
    return cls.__module__ == "smolagents.default_tools" and cls.__name__ == "FinalAnswerTool" and "forward" not in vars(tool)


def _from_inputs(inputs: Any) -> "list[Described] | None":
    if not isinstance(inputs, dict):
        return None
    required: "list[Described]" = []
    optional: "list[Described]" = []
    for name, described in inputs.items():
        if not str(name).isidentifier():
            return None
        kind = described.get("type") if isinstance(described, dict) else None
        annotation = _TYPES.get(kind) if isinstance(kind, str) else None
        is_optional = isinstance(described, dict) and (described.get("nullable") or "default" in described)
        (optional if is_optional else required).append((name, 1, annotation, bool(is_optional), OMITTED if is_optional else None))
    return required + optional


def _parameters(tool: Any) -> "list[Described] | None":
    forward = getattr(tool, "forward", None)
    if forward is None:
        return None
    from_inputs = _from_inputs(getattr(tool, "inputs", None))
    if getattr(tool, "skip_forward_signature_validation", False):
        return from_inputs
    signature = signature_of(forward)
    if signature is None:
        return from_inputs
    found = parameters_of(signature)
    # Tools made by `@tool` tell the signature of the class's function.
    return found[1:] if found and found[0][0] == "self" else found


def as_tool(name: str, tool: Any, *, final: bool = False) -> Any:
    """A tool of a sandbox that calls ``tool``: one of smolagents', an agent, or any callable."""
    if final and is_stock_final_answer(tool):
        return FinalAnswer()
    returns = getattr(tool, "output_type", None)
    return Tool(
        tool,
        name=name,
        doc=getattr(tool, "description", None),
        parameters=_parameters(tool),
        returns=_TYPES.get(returns) if isinstance(returns, str) else None,
        awaitable=False,
        final=final,
    )
