"""coldframe runs untrusted Python in WebAssembly, inside your own process.

>>> import coldframe
>>> coldframe.run("sum(range(10))").value
45

A :class:`Sandbox` says what programs may do, a :class:`Session` is one live interpreter, an :class:`Outcome` what became of a run. A program has no
network, no environment and no files but its own; it calls the functions of yours that you give it as tools. ``coldframe.smolagents`` has an executor for
smolagents' ``CodeAgent``.
"""

from . import _end, _remote
from ._errors import (
    BusyError,
    CancelledError,
    CrossingError,
    Error,
    FileError,
    GuestException,
    GuestSyntaxError,
    LimitError,
    PolicyError,
    RefusedError,
    RemoteError,
    RunError,
    RunFailure,
    SavedError,
    SessionClosedError,
    SessionInUseError,
    SessionLostError,
    ToolDefinitionError,
)
from ._native import VERSION as __version__
from ._native import licences
from ._outcome import Outcome, Usage
from ._remote import Display, LeftBehind, Remote, Routing
from ._session import AsyncSession, FileEntry, Import, Sandbox, Saved, Session, Variable, configure, run
from ._tools import FinalAnswer, Tool, exception
from ._values import Handle, StandIn

_end.register()
# Those that are registered last are called first.
_remote.register()

__all__ = [
    "AsyncSession",
    "BusyError",
    "CancelledError",
    "CrossingError",
    "Display",
    "Error",
    "FileEntry",
    "FileError",
    "FinalAnswer",
    "GuestException",
    "GuestSyntaxError",
    "Handle",
    "Import",
    "LeftBehind",
    "LimitError",
    "Outcome",
    "PolicyError",
    "RefusedError",
    "Remote",
    "RemoteError",
    "Routing",
    "RunError",
    "RunFailure",
    "Sandbox",
    "Saved",
    "SavedError",
    "Session",
    "SessionClosedError",
    "SessionInUseError",
    "SessionLostError",
    "StandIn",
    "Tool",
    "ToolDefinitionError",
    "Usage",
    "Variable",
    "configure",
    "exception",
    "licences",
    "run",
    "__version__",
]

for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
del _name
