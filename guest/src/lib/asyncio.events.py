"""Handles, the interface of event loops, and which loop is the current one."""

__all__ = ('AbstractEventLoop', 'AbstractServer', 'Handle', 'TimerHandle', 'get_event_loop_policy', 'set_event_loop_policy', 'get_event_loop', 'set_event_loop',
           'new_event_loop', '_set_running_loop', 'get_running_loop', '_get_running_loop')

import sys
import threading
from contextvars import copy_context

from . import format_helpers


class Handle:
    """What `call_soon` gives back: a callback with its arguments and context."""

    __slots__ = ('_callback', '_args', '_cancelled', '_loop', '_source_traceback', '_repr', '__weakref__', '_context')

    def __init__(self, callback, args, loop, context=None):
        self._context = copy_context() if context is None else context
        self._loop = loop
        self._callback = callback
        self._args = args
        self._cancelled = False
        self._repr = None
        self._source_traceback = format_helpers.extract_stack(sys._getframe(1)) if loop._debug_stacks() else None

    def _source(self):
        return format_helpers._format_callback_source(self._callback, self._args, debug=self._loop.get_debug())

    def _repr_info(self):
        info = [type(self).__name__]
        if self._cancelled:
            info.append('cancelled')
        if self._callback is not None:
            info.append(self._source())
        if self._source_traceback:
            last = self._source_traceback[-1]
            info.append(f'created at {last[0]}:{last[1]}')
        return info

    def __repr__(self):
        if self._repr is None:
            return f"<{' '.join(self._repr_info())}>"
        return self._repr

    def get_context(self):
        return self._context

    def cancel(self):
        if self._cancelled:
            return
        self._cancelled = True
        if self._loop.get_debug():
            # The callback is forgotten below, and a slow or failing handle should still be recognisable.
            self._repr = repr(self)
        self._callback = self._args = None

    def cancelled(self):
        return self._cancelled

    def _run(self):
        try:
            self._context.run(self._callback, *self._args)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as exc:
            context = {'message': f'Exception in callback {self._source()}', 'exception': exc, 'handle': self}
            if self._source_traceback:
                context['source_traceback'] = self._source_traceback
            self._loop.call_exception_handler(context)
        # The traceback of what was raised leads to this frame.
        self = None


class TimerHandle(Handle):
    """What `call_later` and `call_at` give back; ordered by time."""

    __slots__ = ('_scheduled', '_when')

    def __init__(self, when, callback, args, loop, context=None):
        super().__init__(callback, args, loop, context)
        if self._source_traceback:
            del self._source_traceback[-1]
        self._when = when
        self._scheduled = False

    def _repr_info(self):
        info = super()._repr_info()
        info.insert(2 if self._cancelled else 1, f'when={self._when}')
        return info

    def __hash__(self):
        return hash(self._when)

    def __eq__(self, other):
        if not isinstance(other, TimerHandle):
            return NotImplemented
        mine = (self._when, self._callback, self._args, self._cancelled)
        return mine == (other._when, other._callback, other._args, other._cancelled)

    def __lt__(self, other):
        return self._when < other._when if isinstance(other, TimerHandle) else NotImplemented

    def __gt__(self, other):
        return self._when > other._when if isinstance(other, TimerHandle) else NotImplemented

    def __le__(self, other):
        return self._when < other._when or self == other if isinstance(other, TimerHandle) else NotImplemented

    def __ge__(self, other):
        return self._when > other._when or self == other if isinstance(other, TimerHandle) else NotImplemented

    def cancel(self):
        if not self._cancelled:
            self._loop._timer_handle_cancelled(self)
        super().cancel()

    def when(self):
        return self._when


# With one thread there is nothing to guard.
_ThreadSafeHandle = Handle


def _abstract(name, is_async=False):
    """A method that a loop has to provide."""
    if is_async:
        async def method(self, *args, **kwargs):
            raise NotImplementedError
    else:
        def method(self, *args, **kwargs):
            raise NotImplementedError
    method.__name__ = name
    return method


def _interface(cls, methods, async_methods):
    for name in methods.split():
        method = _abstract(name)
        method.__qualname__ = f'{cls.__qualname__}.{name}'
        setattr(cls, name, method)
    for name in async_methods.split():
        method = _abstract(name, True)
        method.__qualname__ = f'{cls.__qualname__}.{name}'
        setattr(cls, name, method)


class AbstractServer:
    """The interface of servers; there are none in the sandbox."""

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc):
        self.close()
        await self.wait_closed()


_interface(AbstractServer, 'close close_clients abort_clients get_loop is_serving', 'start_serving serve_forever wait_closed')


class AbstractEventLoop:
    """The interface of event loops."""

    def call_soon(self, callback, *args, context=None):
        return self.call_later(0, callback, *args, context=context)

    def _debug_stacks(self):
        return self.get_debug()


_interface(AbstractEventLoop, 'run_forever run_until_complete stop is_running is_closed close _timer_handle_cancelled call_later call_at time create_future '
           'create_task call_soon_threadsafe run_in_executor set_default_executor add_reader remove_reader add_writer remove_writer add_signal_handler '
           'remove_signal_handler set_task_factory get_task_factory get_exception_handler set_exception_handler default_exception_handler '
           'call_exception_handler get_debug set_debug',
           'shutdown_asyncgens shutdown_default_executor getaddrinfo getnameinfo create_connection create_server sendfile start_tls create_unix_connection '
           'create_unix_server connect_accepted_socket create_datagram_endpoint connect_read_pipe connect_write_pipe subprocess_shell subprocess_exec '
           'sock_recv sock_recv_into sock_recvfrom sock_recvfrom_into sock_sendall sock_sendto sock_connect sock_accept sock_sendfile')


class _AbstractEventLoopPolicy:
    """The interface of policies: which loop belongs to a context."""


_interface(_AbstractEventLoopPolicy, 'get_event_loop set_event_loop new_event_loop', '')


class _BaseDefaultEventLoopPolicy(_AbstractEventLoopPolicy):
    """Each thread has its own loop, once it was set."""

    _loop_factory = None

    class _Local(threading.local):
        _loop = None

    def __init__(self):
        self._local = self._Local()

    def get_event_loop(self):
        if self._local._loop is None:
            raise RuntimeError(f'There is no current event loop in thread {threading.current_thread().name!r}.')
        return self._local._loop

    def set_event_loop(self, loop):
        if loop is not None and not isinstance(loop, AbstractEventLoop):
            raise TypeError(f"loop must be an instance of AbstractEventLoop or None, not '{type(loop).__name__}'")
        self._local._loop = loop

    def new_event_loop(self):
        return self._loop_factory()


_event_loop_policy = None


def _get_event_loop_policy():
    global _event_loop_policy
    if _event_loop_policy is None:
        from .unix_events import _DefaultEventLoopPolicy
        _event_loop_policy = _DefaultEventLoopPolicy()
    return _event_loop_policy


def _set_event_loop_policy(policy):
    global _event_loop_policy
    if policy is not None and not isinstance(policy, _AbstractEventLoopPolicy):
        raise TypeError(f"policy must be an instance of AbstractEventLoopPolicy or None, not '{type(policy).__name__}'")
    _event_loop_policy = policy


def get_event_loop_policy():
    import warnings
    warnings._deprecated('asyncio.get_event_loop_policy', remove=(3, 16))
    return _get_event_loop_policy()


def set_event_loop_policy(policy):
    import warnings
    warnings._deprecated('asyncio.set_event_loop_policy', remove=(3, 16))
    _set_event_loop_policy(policy)


# Which loop runs in this thread is known to the machine: it forgets it when a program was stopped in the middle.
from _asyncio import _get_running_loop, _set_running_loop, get_event_loop, get_running_loop


def set_event_loop(loop):
    """Sets the loop of this thread."""
    _get_event_loop_policy().set_event_loop(loop)


def new_event_loop():
    """A new loop, as the policy makes them."""
    return _get_event_loop_policy().new_event_loop()


_py__get_running_loop = _c__get_running_loop = _get_running_loop
_py__set_running_loop = _c__set_running_loop = _set_running_loop
_py_get_running_loop = _c_get_running_loop = get_running_loop
_py_get_event_loop = _c_get_event_loop = get_event_loop
