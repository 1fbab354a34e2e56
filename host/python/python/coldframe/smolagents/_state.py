"""The variables of an executor's session, as a mapping."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Callable, Iterator


class State(MutableMapping):  # type: ignore[type-arg]
    """What ``executor.state`` is: names to values. The values are read from the sandbox when they are asked for."""

    def __init__(self, session: "Callable[[], Any]") -> None:
        self._session = session
        self._own: "dict[str, Any]" = {"__name__": "__main__"}
        #: What the host has set, to be set again if the session is lost.
        self.sent: "dict[str, Any]" = {}

    def set_own(self, name: str, value: Any) -> None:
        """Sets an entry that is the host's."""
        self._own[name] = value

    def __getitem__(self, name: str) -> Any:
        if name in self._own:
            return self._own[name]
        found, value = self._session()._core.block("get_variable", name)
        if not found:
            raise KeyError(name)
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self._own:
            self._own[name] = value
            return
        self._session()[name] = value
        self.sent[name] = value

    def __delitem__(self, name: str) -> None:
        if name in self._own:
            del self._own[name]
            return
        if not str(name).isidentifier() or name not in self:
            raise KeyError(name)
        self._session().run(f"del {name}")
        self.sent.pop(name, None)

    def _names(self) -> "list[str]":
        return [variable.name for variable in self._session().variables(1)]

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
        for name in [name for name in variables if name in self._own]:
            self._own[name] = variables.pop(name)
        if variables:
            self._session()._core.block("set_variables", variables)
            self.sent.update(variables)

    def __repr__(self) -> str:
        return f"<state of a sandbox: {list(self)}>"
