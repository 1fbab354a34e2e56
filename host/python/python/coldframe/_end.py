"""The end of the interpreter, while threads of the package may be busy.

CPython before 3.14 ends a thread that wants to go on in Python then by unwinding its stack, which aborts the process if there are frames of ours on it. So
no thread comes back into Python from here on, and tools that are running are told to end.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from types import FrameType

from . import _native

_HERE = os.path.dirname(__file__)


def register() -> None:
    """Has :func:`_close` called when the interpreter ends."""
    atexit.register(_close)


def _is_ours(frame: "FrameType | None") -> bool:
    while frame is not None:
        if os.path.dirname(frame.f_code.co_filename) == _HERE:
            return True
        frame = frame.f_back
    return False


def _close() -> None:
    if _native.close(0.2):
        return
    try:
        from ctypes import c_ulong, py_object, pythonapi
    except ImportError:
        return
    here = threading.get_ident()
    for thread, frame in sys._current_frames().items():
        if thread != here and _is_ours(frame):
            pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread), py_object(SystemExit))
    # One that is blocked outside of Python does not hear of it, and does not come back before the end either.
    _native.close(0.3)
