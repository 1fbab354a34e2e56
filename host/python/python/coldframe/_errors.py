"""The exceptions of the package. All derive from :class:`Error`."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import Any


class Error(Exception):
    """The base of all exceptions of this package."""


class PolicyError(Error, ValueError):
    """A policy or a limit that makes no sense."""


class BusyError(Error):
    """All sandboxes of the engine are in use."""


class SessionLostError(Error):
    """The session was lost in an earlier run; :meth:`Session.reset` brings it back, empty."""


class SessionClosedError(Error):
    """The session was closed."""


class SessionInUseError(Error):
    """Another thread, or a tool that the session waits for, uses the session."""


class ToolDefinitionError(Error, ValueError):
    """A set of tools that no program could call."""


class CrossingError(Error, TypeError):
    """A value that cannot enter the sandbox, or cannot leave it."""


def _number_of(reason: "str | None") -> "int | None":
    """The number of an error of the system's, which the sandbox tells as text."""
    return next((number for number in errno.errorcode if os.strerror(number) == reason), None)


class FileError(Error, OSError):
    """A file that cannot be put into the sandbox or taken out of it. It has ``errno``, ``strerror`` and ``filename`` where that is known."""

    def __init__(self, message: str, filename: "str | None" = None, reason: "str | None" = None) -> None:
        super().__init__(message)
        self.filename, self.strerror, self.errno = filename, reason, _number_of(reason)

    def __reduce__(self) -> "tuple[Any, ...]":
        return FileError, (*self.args, self.filename, self.strerror)

    # OSError reads its arguments in ways of its own.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class SavedError(Error, ValueError):
    """Bytes that are no saved session, or one of another build."""


class RemoteError(Error):
    """A remote backend cannot be reached, refuses, or has no such thing. No secret is in its message."""


@dataclass(frozen=True)
class RunFailure:
    """How a run failed: :attr:`Outcome.error`."""

    kind: str
    """What kind of end it was: ``syntax``, ``exception``, ``exit``, ``fuel``, ``time``, ``memory``, ``output``, ``recursion``, ``iterations``,
    ``refused``, ``cancelled``, ``died`` (of a remote interpreter) or ``fault``."""
    type_name: str
    """The exception's type, such as ``ZeroDivisionError``."""
    message: str
    """The exception's message."""
    line: int | None
    """The line of the source where it happened, when known."""
    traceback: str
    """What Python prints; empty when the sandbox was stopped from outside."""
    session_lost: bool
    """Whether the session was lost with it: for a run elsewhere, what was there, and not the sandbox. Otherwise its variables are as the program left them."""
    exit_code: int | None
    """The exit status, for kind ``exit``."""
    exceeded: str | None
    """Which limit ended the run and how much was used, if one did."""

    def __str__(self) -> str:
        return f"{self.type_name}: {self.message}" if self.message else self.type_name

    @property
    def is_limit(self) -> bool:
        """Whether a limit ended the run."""
        return self.kind in ("fuel", "time", "memory", "output", "recursion", "iterations")


class RunError(Error):
    """A program failed; raised by :meth:`Outcome.unwrap`. Its ``failure`` says how."""

    def __init__(self, failure: RunFailure, outcome: Any = None) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.outcome = outcome


class LimitError(RunError):
    """A limit ended the program."""


class GuestSyntaxError(RunError):
    """The program does not compile."""


class GuestException(RunError):
    """The program raised an exception that nothing caught."""


class RefusedError(GuestException):
    """The policy refused something, and the program did not catch that."""


class CancelledError(RunError):
    """The caller ended the run."""


_CLASSES = {
    "syntax": GuestSyntaxError,
    "exception": GuestException,
    "exit": GuestException,
    "refused": RefusedError,
    "cancelled": CancelledError,
}


def run_error(failure: RunFailure, outcome: Any = None) -> RunError:
    """The exception of a failure."""
    cls = LimitError if failure.is_limit else _CLASSES.get(failure.kind, RunError)
    return cls(failure, outcome)


def _run_error(fields: dict[str, Any]) -> RunError:
    return run_error(RunFailure(**fields))
