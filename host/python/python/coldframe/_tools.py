"""Tools: what a callable of the host looks like to programs."""

from __future__ import annotations

import copy
import inspect
import types
import typing
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Tuple

from ._errors import CrossingError, ToolDefinitionError
from ._native import Tools as _NativeTools
from ._values import OMITTED, declare_exception, declared_name, is_omitted

#: A parameter as the native half wants it: name, kind (as ``inspect`` numbers them), annotation, whether it has a default, the default.
Described = Tuple[str, int, Optional[str], bool, Any]

_ANY: "list[Described]" = [("arguments", 2, None, False, None), ("named", 4, None, False, None)]


def _annotation(annotation: Any) -> "str | None":
    if annotation is inspect.Parameter.empty:
        return None
    if isinstance(annotation, str):
        return annotation if annotation.strip() and "\0" not in annotation else None
    if annotation is None or annotation is type(None):
        return "None"
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return annotation.__name__
    return str(annotation).replace("typing.", "")


def _crosses(value: Any, depth: int = 0) -> bool:
    if value is None or isinstance(value, (bool, int, float, str, bytes, complex)):
        return True
    if depth < 20 and isinstance(value, (list, tuple, set, frozenset)):
        return all(_crosses(item, depth + 1) for item in value)
    if depth < 20 and isinstance(value, dict):
        return all(_crosses(k, depth + 1) and _crosses(v, depth + 1) for k, v in value.items())
    return False


def signature_of(function: Any) -> "inspect.Signature | None":
    """The signature, if the function has one that can be told."""
    try:
        return inspect.signature(function)
    except (ValueError, TypeError):
        return None


def parameters_of(signature: inspect.Signature) -> "list[Described]":
    """Describes the parameters. For a default that cannot enter the sandbox, the function's own is used."""
    found = []
    for parameter in signature.parameters.values():
        has_default = parameter.default is not inspect.Parameter.empty
        default = parameter.default if has_default else None
        if has_default and not _crosses(default):
            default = OMITTED
        found.append((parameter.name, int(parameter.kind), _annotation(parameter.annotation), has_default, default))
    return found


def _name_of(function: Any) -> Any:
    for name in (getattr(function, "name", None), getattr(function, "__name__", None)):
        if isinstance(name, str) and name:
            return name
    # A partial application goes by the name of what it applies.
    inner = getattr(function, "func", None)
    return _name_of(inner) if callable(inner) else type(function).__name__


class Tool:
    """A function of the host that programs call by its name.

    Any callable is a tool by itself, under its own name, with its own signature and documentation; this class is for what should be different.

    >>> import coldframe
    >>> def weather(city: str) -> str:
    ...     '''Tells the weather of a city.'''
    ...     return f"rain in {city}"
    >>> with coldframe.Session(tools=[weather, coldframe.Tool(len, name="count")]) as session:
    ...     session.run("weather('Vienna'), count('abc')").value
    ('rain in Vienna', 3)

    An ``async def`` function is one to programs too: they await it. With ``awaitable=False`` they call it and wait. A function that is not ``async`` and has
    ``awaitable=True`` runs in a thread of its own, beside the program. So does, while the program waits, one with a ``timeout`` in seconds: when that is over the
    program gets a ``TimeoutError``, and what the function comes to is dropped; it cannot be stopped.

    With ``final=True`` the value that the function returns ends the run: :attr:`Outcome.is_final_answer`.
    """

    __slots__ = ("function", "name", "doc", "parameters", "returns", "awaitable", "is_async", "final", "timeout")

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: "str | None" = None,
        doc: "str | None" = None,
        parameters: "Sequence[Described] | None" = None,
        returns: "str | None" = None,
        awaitable: "bool | None" = None,
        final: bool = False,
        timeout: "float | None" = None,
    ) -> None:
        if not callable(function):
            raise ToolDefinitionError(f"{function!r} cannot be called")
        self.function = function
        given = name or _name_of(function)
        if not isinstance(given, str):
            raise ToolDefinitionError(f"the name of a tool is text, not {given!r}")
        self.name = given
        self.doc = doc if doc is not None else inspect.getdoc(function)
        self.is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))
        self.awaitable = self.is_async if awaitable is None else awaitable
        self.final = final
        self.timeout = timeout
        if final and self.awaitable:
            raise ToolDefinitionError(f"tool {given!r}: a final tool is not awaited")
        signature = signature_of(function)
        if parameters is not None:
            self.parameters = list(parameters)
        else:
            self.parameters = parameters_of(signature) if signature is not None else list(_ANY)
        self.returns = returns if returns is not None else (_annotation(signature.return_annotation) if signature else None)

    def _invoke(self, values: "list[Any]") -> Any:
        """Calls the function with one value for each parameter."""
        args: "list[Any]" = []
        kwargs: "dict[str, Any]" = {}
        omitted = None
        for (name, kind, _, has_default, default), value in zip(self.parameters, values):
            if is_omitted(value):
                omitted = name
            elif kind == 4:
                kwargs.update(value)
            elif kind == 3 or (omitted is not None and kind == 1):
                kwargs[name] = value
            elif omitted is None:
                args.extend(value if kind == 2 else [value])
            elif value if kind == 2 else not (has_default and value == default):
                # It would take the place of the one that is missing.
                raise TypeError(f"{self.name}(): {name!r} cannot be given without {omitted!r}, which is given by position")
        return self.function(*args, **kwargs)

    def _spec(self) -> "dict[str, Any]":
        mode = "final" if self.final else "coroutine" if self.awaitable else "function"
        return {
            "name": self.name,
            "doc": self.doc,
            "parameters": self.parameters,
            "returns": self.returns,
            "timeout": self.timeout,
            "mode": mode,
            "is_async": self.is_async,
            "invoke": self._invoke,
        }

    def __repr__(self) -> str:
        return f"<coldframe.Tool {self.name}>"


class FinalAnswer:
    """The tool ``final_answer(answer)``, which ends the run with its argument. The host is not asked.

    >>> import coldframe
    >>> outcome = coldframe.run("for n in range(10):\\n    if n * n > 20: final_answer(n)", tools=[coldframe.FinalAnswer()])
    >>> outcome.value, outcome.is_final_answer
    (5, True)
    """

    name = "final_answer"

    def _spec(self) -> "dict[str, Any]":
        return {"mode": "answer"}


def exception(cls: "type[BaseException] | None" = None, *, name: "str | None" = None) -> Any:
    """Declares a class of exceptions, for ``exceptions=``, so that programs can catch what tools raise by its name. Usable as a decorator.

    >>> import coldframe
    >>> class WeatherError(LookupError): pass
    >>> def weather(city): raise WeatherError("no sky")
    >>> with coldframe.Session(tools=[weather], exceptions=[WeatherError]) as session:
    ...     session.run("try: weather('Rome')\\nexcept WeatherError as e: print('caught', e)").stdout
    'caught no sky\\n'
    """
    if cls is None:
        return lambda cls: exception(cls, name=name)
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        raise ToolDefinitionError(f"{cls!r} is no class of exceptions")
    declare_exception(cls, name or cls.__name__)
    return cls


def _base_of(cls: "type[BaseException]", known: "Mapping[type, str]") -> str:
    for base in cls.__mro__[1:]:
        if base in known:
            return known[base]
        if base.__module__ == "builtins":
            return base.__name__
    return "Exception"


def make_tools(
    tools: "Iterable[Any] | Mapping[str, Any]" = (),
    exceptions: "Iterable[type[BaseException]]" = (),
    generous: bool = False,
) -> "_NativeTools | None":
    """Makes a set of tools of callables, tools, or a mapping from names to callables; ``None`` if there are none."""
    if isinstance(tools, (Tool, FinalAnswer)) or (callable(tools) and not hasattr(tools, "__iter__")):
        raise TypeError(f"tools are a list or a mapping, not a single one: write [{_name_of(tools)}]")
    if isinstance(exceptions, type):
        raise TypeError(f"exceptions are a list of classes, not a single one: write [{exceptions.__name__}]")
    specs = []
    entries: "Iterable[tuple[str | None, Any]]" = tools.items() if isinstance(tools, Mapping) else ((None, tool) for tool in tools)
    for name, tool in entries:
        if not isinstance(tool, (Tool, FinalAnswer)):
            tool = Tool(tool, name=name)
        elif name is not None and name != tool.name:
            if isinstance(tool, FinalAnswer):
                raise ToolDefinitionError(f"a FinalAnswer is called {tool.name}, not {name}: write Tool(..., final=True) for another one")
            tool = copy.copy(tool)
            tool.name = name
        specs.append(tool._spec())
    known: "dict[type, str]" = {}
    classes = []
    for cls in exceptions:
        if isinstance(cls, type) and cls.__module__ == "builtins" and issubclass(cls, BaseException):
            continue  # programs know it
        if not (isinstance(cls, type) and declared_name(cls)):
            exception(cls)
        name = declared_name(cls) or cls.__name__
        classes.append((name, _base_of(cls, known), cls.__doc__))
        known[cls] = name
    if not specs and not classes:
        return None
    try:
        return _NativeTools(specs, classes, generous)
    except CrossingError as error:
        raise ToolDefinitionError(f"a default cannot enter the sandbox: {error}") from None
