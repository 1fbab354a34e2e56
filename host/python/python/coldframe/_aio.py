"""Event loops: where coroutines of tools run."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable

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


def submit(loop: "asyncio.AbstractEventLoop | None", coroutine: Any, done: Callable[[Any, Any], None]) -> Any:
    """Runs a coroutine on ``loop``, or on one in the background; ``done(value, error)`` gets what it came to. The result can be cancelled."""

    async def run() -> None:
        try:
            value = await coroutine
        except asyncio.CancelledError:
            done(None, RuntimeError("the tool was cancelled"))
            raise
        except BaseException as error:
            done(None, error)
            if not isinstance(error, Exception):
                raise
        else:
            done(value, None)

    return asyncio.run_coroutine_threadsafe(run(), loop or background_loop())


def future_callback(loop: asyncio.AbstractEventLoop) -> "tuple[asyncio.Future[Any], Callable[[Any, Any], None]]":
    """A future of ``loop`` and the callback that resolves it from any thread."""
    future: "asyncio.Future[Any]" = loop.create_future()

    def resolve(value: Any, error: Any) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def done(value: Any, error: Any) -> None:
        try:
            loop.call_soon_threadsafe(resolve, value, error)
        except RuntimeError:
            pass  # the loop was closed: nobody waits any more

    return future, done
