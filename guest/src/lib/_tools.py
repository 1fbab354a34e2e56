"""Calls of tools that run beside the program, and programs that await at their own level."""

import _tools_core
from asyncio import events

# The loop of programs that await at their own level; it stays from program to program.
_loop = None


async def _wait_for(name, arguments):
    loop = events.get_running_loop()
    future = loop.create_future()
    call = _tools_core.start(name, arguments)
    loop._expect(call, future)
    try:
        return await future
    finally:
        # A task that is cancelled no longer wants to know.
        if loop._forget(call):
            _tools_core.drop(call)


def call(name, arguments):
    """The coroutine of one call."""
    coroutine = _wait_for(name, arguments)
    coroutine.__name__ = coroutine.__qualname__ = name
    return coroutine


def run(coroutine):
    """Runs the coroutine of a program."""
    global _loop
    # A program that was stopped in the middle has left its loop in disorder.
    if _loop is None or _loop.is_closed() or _loop._thread_id is not None:
        _loop = events.new_event_loop()
    loop = _loop
    events.set_event_loop(loop)
    try:
        return loop.run_until_complete(coroutine)
    finally:
        # The host's calls end with the run.
        for future in list(loop._expected.values()):
            future.cancel()
        loop._expected.clear()
