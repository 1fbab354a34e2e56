"""Event loops: where coroutines of tools run."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import Any, Callable

from ._errors import SessionInUseError

_lock = threading.Lock()
_background: "asyncio.AbstractEventLoop | None" = None


def background_loop() -> asyncio.AbstractEventLoop:
    """The loop for coroutines of tools in blocking runs: in a thread of its own."""
    global _background
    with _lock:
        if _background is None or _background.is_closed():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="coldframe-tools", daemon=True).start()
            _background = loop
        return _background


class Origin:
    """Where an asynchronous request comes from: the event loop, the session, and the requests whose tools made it.

    A session serves one request after the other. A tool that waits for a request to the very session that waits for the tool would wait forever: it gets
    an error instead.
    """

    __slots__ = ("loop", "core", "before", "context", "is_over")

    def __init__(self, loop: asyncio.AbstractEventLoop, core: Any) -> None:
        self.loop = loop
        self.core = core
        self.is_over = False
        self.context = contextvars.copy_context()
        self.before = _serving.get()
        for other in self.before:
            if other.core is core and not other.is_over:
                raise SessionInUseError("the session waits for the tool that asks it: a tool cannot use the session that calls it")

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function of a tool's, with the context variables of those who made the request."""
        context = self.context.copy()
        context.run(_serving.set, (*self.before, self))
        return context.run(function, *arguments)


#: The requests that the code at hand serves, as (part of) a tool.
_serving: "contextvars.ContextVar[tuple[Origin, ...]]" = contextvars.ContextVar("coldframe_serving", default=())


def submit(origin: "Origin | None", coroutine: Any, done: Callable[[Any, Any], None]) -> Any:
    """Runs a coroutine on the loop that the request came from, or on one in the background; ``done(value, error)`` gets what it came to. The result can
    be cancelled."""

    async def run() -> None:
        try:
            value = await coroutine
        except asyncio.CancelledError:
            done(None, RuntimeError("the tool was cancelled"))
            raise
        except BaseException as error:
            # Also one that is no Exception: whoever waits for the run gets it, and not the loop, which would end.
            done(None, error)
        else:
            done(value, None)

    if origin is None:
        return asyncio.run_coroutine_threadsafe(run(), background_loop())
    return origin.call(asyncio.run_coroutine_threadsafe, run(), origin.loop)


def future_callback(loop: asyncio.AbstractEventLoop) -> "tuple[asyncio.Future[Any], Callable[[Any, Any], None]]":
    """A future of ``loop`` and the callback that resolves it from any thread."""
    future: "asyncio.Future[Any]" = loop.create_future()

    def resolve(value: Any, error: Any) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        elif isinstance(error, StopIteration):
            # Futures refuse it.
            told = RuntimeError(f"{type(error).__name__} was raised")
            told.__cause__ = error
            future.set_exception(told)
        else:
            future.set_exception(error)

    def done(value: Any, error: Any) -> None:
        try:
            loop.call_soon_threadsafe(resolve, value, error)
        except RuntimeError:
            pass  # the loop was closed: nobody waits any more

    return future, done
