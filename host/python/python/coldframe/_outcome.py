"""What became of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._errors import RunFailure, run_error
from ._remote import Display, LeftBehind
from ._values import StandIn


@dataclass(frozen=True)
class Usage:
    """What a run used."""

    fuel: int
    """Units of fuel; the same for the same run on every machine."""
    operations: int
    """The fuel in operations."""
    duration: float
    """Seconds."""
    peak_memory: int
    """The largest size of the sandbox's memory since the session began, in bytes."""
    output_bytes: int
    """Bytes written to stdout and stderr."""
    tool_calls: int
    """Calls of tools."""
    tool_time: float
    """Seconds in which the program waited for tools; part of ``duration``."""


@dataclass(frozen=True)
class Outcome:
    """What became of a run. Whatever a program does is an outcome, not an exception.

    >>> import coldframe
    >>> outcome = coldframe.run("print('hello'); 6 * 7")
    >>> outcome.value, outcome.repr, outcome.stdout, outcome.ok
    (42, '42', 'hello\\n', True)
    >>> outcome = coldframe.run("1 / 0")
    >>> outcome.error.type_name, outcome.error.line
    ('ZeroDivisionError', 1)
    """

    value: Any
    """The value of a last expression, or the final answer; ``None`` if there is none. An object that cannot leave the sandbox is a stand-in that
    shows its ``repr()``."""
    repr: str
    """The ``repr()`` of the value in the sandbox, cut to 65,536 bytes."""
    crossed: bool
    """Whether the value itself left the sandbox."""
    is_final_answer: bool
    """Whether a final tool ended the run."""
    stdout: str
    """What the program wrote to standard output."""
    stderr: str
    """What the program wrote to standard error."""
    error: "RunFailure | None"
    """How it failed, if it did."""
    usage: Usage
    """What it used."""
    agent_text: "str | None"
    """The failure in the words of smolagents' executor, if the policy asks for them."""
    place: str = "local"
    """Where it ran: ``local`` (the sandbox), or the name of a remote backend."""
    displays: "tuple[Display, ...]" = ()
    """What it showed that is more than text, such as pictures; only remote backends have that."""
    left_behind: "tuple[LeftBehind, ...]" = ()
    """The variables that could not go where it ran, or come back from there."""

    @property
    def ok(self) -> bool:
        """Whether the program ended well; ``sys.exit(0)`` is a good end."""
        return self.error is None or self.error.exit_code == 0

    def unwrap(self) -> Any:
        """The value; raises a :class:`RunError` if the run failed.

        >>> import coldframe
        >>> coldframe.run("[][0]").unwrap()
        Traceback (most recent call last):
        ...
        coldframe.GuestException: IndexError: list index out of range
        """
        if self.error is not None and not self.ok:
            raise run_error(self.error, self)
        return self.value


def make(parts: "tuple[Any, ...]") -> Outcome:
    """Makes an outcome of what the native half tells."""
    has_value, crossed, value, text, is_final, stdout, stderr, error, usage, agent_text, elsewhere = parts
    if has_value and not crossed:
        value = StandIn(text)
    failure = RunFailure(**error) if error is not None else None
    place, displays, left_behind = elsewhere
    return Outcome(
        value,
        text,
        crossed,
        is_final,
        stdout,
        stderr,
        failure,
        Usage(*usage),
        agent_text,
        place,
        tuple(Display(*display) for display in displays),
        tuple(LeftBehind(*left) for left in left_behind),
    )
