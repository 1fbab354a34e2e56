"""The native half; the package's own modules use it, programs do not."""

from typing import Any, Callable

from ._aio import Origin

VERSION: str

def licences() -> str:
    """The licences of all that the package contains."""

def preset_imports(preset: str) -> list[str] | None:
    """The modules that a preset allows; ``None`` if it allows all that there are."""

def close(patience: float) -> bool:
    """The interpreter is about to end: no thread comes back into Python. Whether those that are there came out in so many seconds."""

class Rules:
    def __new__(cls, options: dict[str, Any]) -> Rules: ...

class Engine:
    def __new__(cls, max_sessions: int, pooled: bool) -> Engine: ...
    @property
    def max_sessions(self) -> int: ...

class Tools:
    def __new__(cls, specs: list[dict[str, Any]], exceptions: list[tuple[str, str, str | None]], generous: bool) -> Tools: ...

class Done:
    def __call__(self, value: Any, error: Any) -> None: ...

class Core:
    def __new__(cls, generous: bool) -> Core: ...
    def block(self, name: str, *arguments: Any) -> Any: ...
    def start(self, origin: Origin, done: Callable[[Any, Any], None], name: str, *arguments: Any) -> int: ...
    def abandon(self, number: int) -> None: ...
    def cancel(self) -> None: ...
    @property
    def is_alive(self) -> bool | None: ...
