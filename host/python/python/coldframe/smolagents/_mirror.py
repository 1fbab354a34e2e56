"""Objects of a program that cannot leave the sandbox, as the host sees them: classes, instances and functions as they were, generators alive."""

from __future__ import annotations

import builtins
from typing import Any, Callable, Iterator


class MirrorFunction:
    """A function of the program: its name and its source. It cannot be called from outside."""

    def __init__(self, name: str, source: "str | None", text: str) -> None:
        self.__name__ = name
        if source is not None:
            self.__source__ = source
        self._text = text

    def __repr__(self) -> str:
        return self._text


class Mirror:
    """Builds what the helpers in the sandbox describe."""

    def __init__(self, next_item: "Callable[[int], Any]") -> None:
        self.classes: "dict[int, type]" = {}
        self.seen: "dict[int, Any]" = {}
        self._next = next_item

    def begin(self) -> None:
        """A new report begins: keys of an old one mean nothing in it."""
        self.classes, self.seen = {}, {}

    def build(self, described: "tuple[Any, ...]") -> Any:
        """The object."""
        kind = described[0]
        if kind == "v":
            return described[1]
        if kind in ("list", "tuple", "set", "frozenset"):
            return getattr(builtins, kind)(self.build(item) for item in described[1])
        if kind == "dict":
            return {self.build(k): self.build(v) for k, v in described[1]}
        if kind == "builtin":
            found = getattr(builtins, described[1], None)
            return found if isinstance(found, type) else _text(described[1])
        if kind == "seen":
            return self.classes.get(described[1]) or self.seen.get(described[1])
        if kind == "class":
            return self._class(*described[1:])
        if kind == "instance":
            return self._instance(*described[1:])
        if kind == "function":
            return MirrorFunction(*described[1:])
        if kind == "generator":
            return self._generator(described[1])
        return _text(described[1])

    def _class(self, key: int, name: str, doc: "str | None", attributes: "dict[str, Any]", annotations: "dict[str, Any]") -> type:
        def text(self: Any) -> str:
            return str(vars(self).get("_cf_str", object.__repr__(self)))

        def shown(self: Any) -> str:
            return str(vars(self).get("_cf_repr", object.__repr__(self)))

        cls = type(name, (), {"__doc__": doc, "__str__": text, "__repr__": shown, "__module__": "__main__"})
        self.classes[key] = cls
        for attribute, value in attributes.items():
            setattr(cls, attribute, self.build(value))
        cls.__annotations__ = {attribute: self.build(value) for attribute, value in annotations.items()}
        return cls

    def _instance(self, key: int, cls: Any, attributes: "dict[str, Any]", text: str, shown: str) -> Any:
        made_class = self.build(cls)
        if not isinstance(made_class, type) or made_class.__module__ != "__main__":
            return _text(shown)
        made = object.__new__(made_class)
        self.seen[key] = made
        for attribute, value in attributes.items():
            vars(made)[attribute] = self.build(value)
        vars(made).update(_cf_str=text, _cf_repr=shown)
        return made

    def _generator(self, key: int) -> "Iterator[Any]":
        while True:
            state, described = self._next(key)
            if state == "end":
                return
            yield self.build(described)


def _text(text: str) -> Any:
    from .._values import StandIn

    return StandIn(text)
