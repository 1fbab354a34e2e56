"""The session of an executor, and its variables as a mapping."""

from __future__ import annotations

import keyword
from collections.abc import Collection, MutableMapping
from typing import Any, Iterator

from .._errors import CrossingError
from .._native import Tools as _NativeTools
from .._session import Sandbox, Session
from ._contract import MATH_TOOLS


class Live:
    """The session of an executor: opened when it is first needed, and opened anew when it was lost, with what the host has sent."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.session: "Session | None" = None
        self.tools: "_NativeTools | None" = None
        #: Whether the session has the functions of ``math`` that all code may use.
        self.has_math = False
        #: The variables that the host has set.
        self.sent: "dict[str, Any]" = {}

    def get(self) -> Session:
        """The session."""
        if self.session is None:
            session = self._sandbox.session()
            if self.tools is not None:
                session._set_tools(self.tools)
            # They hide tools, as in smolagents.
            if self.sent:
                session.set(**self.sent)
            self.session, self.has_math = session, False
        return self.session

    def add_math(self, hidden: "Collection[str]") -> None:
        """Makes the functions of ``math`` that all code may use builtins, which variables hide; but not those that are ``hidden`` by functions of the host."""
        if not self.has_math:
            made = "\n".join(f"    __builtins__.{name} = math.{name}" for name in MATH_TOOLS if name not in hidden)
            self.get().run(f"def _cf_math():\n    import math\n{made}\n_cf_math()\ndel _cf_math", want_value=False)
            self.has_math = True

    def set_tools(self, tools: _NativeTools) -> None:
        """Defines the tools."""
        self.tools = tools
        if self.session is not None:
            self.session._set_tools(tools)

    def set_variables(self, variables: "dict[str, Any]") -> None:
        """Sets variables."""
        self.get().set(**variables)
        self.sent.update(variables)

    def lose(self) -> None:
        """The session is gone."""
        self.session = None

    def close(self) -> None:
        """Gives the sandbox back."""
        if self.session is not None:
            self.session.close()
            self.session = None


class State(MutableMapping):  # type: ignore[type-arg]
    """What ``executor.state`` is: names to values. The values are read from the sandbox when they are asked for."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._own: "dict[str, Any]" = {"__name__": "__main__"}

    def set_own(self, name: str, value: Any) -> None:
        """Sets an entry that is the host's."""
        self._own[name] = value

    def _is_own(self, name: Any) -> bool:
        # What no program can name stays on the host.
        return name in self._own or not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name)

    def __getitem__(self, name: str) -> Any:
        if self._is_own(name):
            return self._own[name]
        session = self._live.get()
        try:
            return session[name]
        except CrossingError:
            # It stays in the sandbox: its stand-in.
            outcome = session.run(name)
            if outcome.error is not None:
                raise
            return outcome.value

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        if self._is_own(name):
            del self._own[name]
            return
        if name not in self:
            raise KeyError(name)
        self._live.get().run(f"del {name}")
        self._live.sent.pop(name, None)

    def _names(self) -> "list[str]":
        return [variable.name for variable in self._live.get().variables(1)]

    def __iter__(self) -> "Iterator[str]":
        yield from self._own
        yield from (name for name in self._names() if name not in self._own)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._names()

    def update(self, *args: Any, **kwargs: Any) -> None:  # type: ignore[override]
        """Sets several variables at once."""
        variables = dict(*args, **kwargs)
        for name in [name for name in variables if self._is_own(name)]:
            self._own[name] = variables.pop(name)
        if variables:
            self._live.set_variables(variables)

    def __repr__(self) -> str:
        return f"<state of a sandbox: {list(self)}>"
