"""The event loop of the sandbox: callbacks, timers, and the host's sleep.

A turn runs what is ready, and waits for the nearest timer or for a call of the host that runs beside the program (an asynchronous tool). A loop with none of these
would wait for ever, which is an error here.

`_wait` is the only place where the loop waits. Who begins a call of the host makes an ordinary `Future` of this loop and registers it by `_expect(call, future)`; when the
host says that the call has ended, `_arrive` settles the future, and its callbacks wake the task by `call_soon` as always.
"""

__all__ = ('BaseEventLoop', 'Server')

import _thread
import _tools_core
import collections
import heapq
import sys
import threading
import time
import warnings
import weakref

from . import constants, coroutines, events, exceptions, futures, tasks

# A heap with more timers than this is cleaned of cancelled ones when more than this part of it is cancelled.
_MIN_SCHEDULED_TIMER_HANDLES = 100
_MIN_CANCELLED_TIMER_HANDLES_FRACTION = 0.5
MAXIMUM_SELECT_TIMEOUT = 24 * 3600
_NOTHING_LEFT = 'deadlock: the event loop has no callback and no timer left, so nothing can complete what it is waiting for'


def _format_handle(handle):
    owner = getattr(handle._callback, '__self__', None)
    return repr(owner) if isinstance(owner, tasks.Task) else str(handle)


def _run_until_complete_cb(fut):
    if not fut.cancelled() and isinstance(fut.exception(), (SystemExit, KeyboardInterrupt)):
        # These leave the loop by themselves.
        return
    futures._get_loop(fut).stop()


def _traceback_text(title, entries):
    import traceback
    return f'{title} (most recent call last):\n' + ''.join(traceback.format_list(entries)).rstrip()


def _error(*args, **kwargs):
    from .log import logger
    logger.error(*args, **kwargs)


class Server(events.AbstractServer):
    """The class of servers; the sandbox makes none."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError('the sandbox has no sockets: there are no servers')


class BaseEventLoop(events.AbstractEventLoop):
    """Runs callbacks in the order in which they were registered, and timers when they are due."""

    def __init__(self):
        self._timer_cancelled_count = 0
        self._closed = False
        self._stopping = False
        self._ready = collections.deque()
        self._scheduled = []
        self._default_executor = None
        self._thread_id = None
        self._clock_resolution = 1e-09
        self._exception_handler = None
        self._debug = False
        self.set_debug(coroutines._is_debug_mode())
        self._old_agen_hooks = None
        self.slow_callback_duration = 0.1
        self._current_handle = None
        # A lock that the loop waits for, while other threads go on.
        self._gate = None
        self._task_factory = None
        self._coroutine_origin_tracking_enabled = False
        self._coroutine_origin_tracking_saved_depth = None
        self._asyncgens = weakref.WeakSet()
        self._asyncgens_shutdown_called = False
        self._executor_shutdown_called = False
        self._expected = {}

    def __repr__(self):
        return f'<{type(self).__name__} running={self.is_running()} closed={self.is_closed()} debug={self.get_debug()}>'

    def __del__(self, _warn=warnings.warn):
        if not self.is_closed():
            _warn(f'unclosed event loop {self!r}', ResourceWarning, source=self)
            if not self.is_running():
                self.close()

    # Futures and tasks.

    def create_future(self):
        return futures.Future(loop=self)

    def create_task(self, coro, **kwargs):
        self._check_closed()
        if self._task_factory is not None:
            return self._task_factory(self, coro, **kwargs)
        task = tasks.Task(coro, loop=self, **kwargs)
        if task._source_traceback:
            del task._source_traceback[-1]
        try:
            return task
        finally:
            # An eager task may have failed already, and its traceback leads to this frame.
            del task

    def set_task_factory(self, factory):
        if factory is not None and not callable(factory):
            raise TypeError('task factory must be a callable or None')
        self._task_factory = factory

    def get_task_factory(self):
        return self._task_factory

    # Asynchronous generators.

    def _asyncgen_firstiter_hook(self, agen):
        if self._asyncgens_shutdown_called:
            warnings.warn(f'asynchronous generator {agen!r} was scheduled after loop.shutdown_asyncgens() call', ResourceWarning, source=self)
        self._asyncgens.add(agen)

    def _asyncgen_finalizer_hook(self, agen):
        self._asyncgens.discard(agen)
        if not self.is_closed():
            self.call_soon_threadsafe(self.create_task, agen.aclose())

    async def shutdown_asyncgens(self):
        self._asyncgens_shutdown_called = True
        if not self._asyncgens:
            return
        closing = list(self._asyncgens)
        self._asyncgens.clear()
        results = await tasks.gather(*[agen.aclose() for agen in closing], return_exceptions=True)
        for result, agen in zip(results, closing):
            if isinstance(result, Exception):
                message = f'an error occurred during closing of asynchronous generator {agen!r}'
                self.call_exception_handler({'message': message, 'exception': result, 'asyncgen': agen})

    # Executors: work runs when it is submitted, see concurrent.futures.thread.

    def run_in_executor(self, executor, func, *args):
        self._check_closed()
        if self._debug:
            self._check_callback(func, 'run_in_executor')
        if executor is None:
            if self._executor_shutdown_called:
                raise RuntimeError('Executor shutdown has been called')
            executor = self._default_executor
            if executor is None:
                from concurrent.futures import ThreadPoolExecutor
                executor = self._default_executor = ThreadPoolExecutor(thread_name_prefix='asyncio')
        return futures.wrap_future(executor.submit(func, *args), loop=self)

    def set_default_executor(self, executor):
        from concurrent.futures import ThreadPoolExecutor
        if not isinstance(executor, ThreadPoolExecutor):
            raise TypeError('executor must be ThreadPoolExecutor instance')
        self._default_executor = executor

    async def shutdown_default_executor(self, timeout=None):
        self._executor_shutdown_called = True
        if self._default_executor is not None:
            self._default_executor.shutdown(wait=True)

    # Running and stopping.

    def _check_closed(self):
        if self._closed:
            raise RuntimeError('Event loop is closed')

    def _check_running(self):
        if self.is_running():
            raise RuntimeError('This event loop is already running')
        if events._get_running_loop() is not None:
            raise RuntimeError('Cannot run the event loop while another loop is running')

    def _run_forever_setup(self):
        self._check_closed()
        self._check_running()
        self._set_coroutine_origin_tracking(self._debug)
        self._old_agen_hooks = sys.get_asyncgen_hooks()
        self._thread_id = threading.get_ident()
        sys.set_asyncgen_hooks(firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook)
        events._set_running_loop(self)

    def _run_forever_cleanup(self):
        self._stopping = False
        self._thread_id = None
        events._set_running_loop(None)
        self._set_coroutine_origin_tracking(False)
        if self._old_agen_hooks is not None:
            sys.set_asyncgen_hooks(*self._old_agen_hooks)
            self._old_agen_hooks = None

    def run_forever(self):
        self._run_forever_setup()
        try:
            while True:
                self._run_once()
                if self._stopping:
                    break
        finally:
            self._run_forever_cleanup()

    def run_until_complete(self, future):
        self._check_closed()
        self._check_running()
        is_new = not futures.isfuture(future)
        future = tasks.ensure_future(future, loop=self)
        if is_new:
            # Whoever called hears of an unfinished task by the exception below.
            future._log_destroy_pending = False
        future.add_done_callback(_run_until_complete_cb)
        try:
            self.run_forever()
        except BaseException as error:
            leaves_loop = isinstance(error, (SystemExit, KeyboardInterrupt))
            if (is_new or leaves_loop) and future.done() and not future.cancelled():
                # The caller cannot ask the task, or hears of its exception already, so it should not complain that nobody did.
                future.exception()
            raise
        finally:
            future.remove_done_callback(_run_until_complete_cb)
            # When the future ended the loop by what it raised, the callback waits already, and would stop the next run.
            for handle in self._ready:
                if handle._callback is _run_until_complete_cb:
                    handle.cancel()
        if not future.done():
            raise RuntimeError('Event loop stopped before Future completed.')
        return future.result()

    def stop(self):
        self._stopping = True

    def close(self):
        if self.is_running():
            raise RuntimeError('Cannot close a running event loop')
        if self._closed:
            return
        if self._debug:
            from .log import logger
            logger.debug('Close %r', self)
        self._closed = True
        self._ready.clear()
        self._scheduled.clear()
        self._executor_shutdown_called = True
        executor, self._default_executor = self._default_executor, None
        if executor is not None:
            executor.shutdown(wait=False)

    def is_closed(self):
        return self._closed

    def is_running(self):
        owner = self._thread_id
        if owner is None:
            return False
        if owner == threading.get_ident():
            # A program that was stopped in the middle has left its loop behind: it runs no more.
            return events._get_running_loop() is not None
        return owner == _thread._MAIN or owner in _thread._running

    def time(self):
        return time.monotonic()

    # Callbacks.

    def call_later(self, delay, callback, *args, context=None):
        if delay is None:
            raise TypeError('delay must not be None')
        timer = self.call_at(self.time() + delay, callback, *args, context=context)
        if timer._source_traceback:
            del timer._source_traceback[-1]
        return timer

    def call_at(self, when, callback, *args, context=None):
        if when is None:
            raise TypeError('when cannot be None')
        self._check_closed()
        if self._debug:
            self._check_thread()
            self._check_callback(callback, 'call_at')
        timer = events.TimerHandle(when, callback, args, self, context)
        if timer._source_traceback:
            del timer._source_traceback[-1]
        heapq.heappush(self._scheduled, timer)
        timer._scheduled = True
        return timer

    def call_soon(self, callback, *args, context=None):
        self._check_closed()
        if self._debug:
            self._check_thread()
            self._check_callback(callback, 'call_soon')
        handle = events.Handle(callback, args, self, context)
        if handle._source_traceback:
            del handle._source_traceback[-1]
        self._ready.append(handle)
        return handle

    def call_soon_threadsafe(self, callback, *args, context=None):
        self._check_closed()
        if self._debug:
            self._check_callback(callback, 'call_soon_threadsafe')
        handle = events._ThreadSafeHandle(callback, args, self, context)
        if handle._source_traceback:
            del handle._source_traceback[-1]
        self._ready.append(handle)
        if self._gate is not None:
            # The loop's thread waits.
            gate, self._gate = self._gate, None
            gate.release()
        return handle

    def _check_callback(self, callback, method):
        if coroutines.iscoroutine(callback) or coroutines._iscoroutinefunction(callback):
            raise TypeError(f'coroutines cannot be used with {method}()')
        if not callable(callback):
            raise TypeError(f'a callable object was expected by {method}(), got {callback!r}')

    def _check_thread(self):
        if self._thread_id is not None and threading.get_ident() != self._thread_id:
            raise RuntimeError('Non-thread-safe operation invoked on an event loop other than the current one')

    def _timer_handle_cancelled(self, handle):
        if handle._scheduled:
            self._timer_cancelled_count += 1

    # One turn.

    def _drop_cancelled_timers(self):
        scheduled = self._scheduled
        count = len(scheduled)
        if count > _MIN_SCHEDULED_TIMER_HANDLES and self._timer_cancelled_count / count > _MIN_CANCELLED_TIMER_HANDLES_FRACTION:
            kept = []
            for handle in scheduled:
                if handle._cancelled:
                    handle._scheduled = False
                else:
                    kept.append(handle)
            heapq.heapify(kept)
            self._scheduled = kept
            self._timer_cancelled_count = 0
            return
        while scheduled and scheduled[0]._cancelled:
            self._timer_cancelled_count -= 1
            heapq.heappop(scheduled)._scheduled = False

    def _expect(self, key, future):
        """Announces a future that the host will settle."""
        self._expected[key] = future

    def _forget(self, key):
        """Whether the future was still expected; it no longer is."""
        return self._expected.pop(key, None) is not None

    def _arrive(self, key, result=None, exception=None):
        """Settles a future that was announced."""
        future = self._expected.pop(key, None)
        if future is None or future.done():
            return
        if exception is not None:
            future.set_exception(exception)
        else:
            future.set_result(result)

    def _wait(self, timeout):
        """Lets the time pass until the next timer is due, or a call of the host has ended."""
        if _thread._count() and self._wait_among_threads(timeout):
            return
        if self._expected:
            reply = _tools_core.wait(timeout)
            if reply is not None:
                self._arrive(*reply)
            elif timeout is None:
                self._expected.clear()
                raise RuntimeError('the host no longer knows of the calls that the event loop waits for')
            return
        if timeout is None:
            raise RuntimeError(_NOTHING_LEFT)
        time.sleep(timeout)

    def _wait_among_threads(self, timeout):
        """The same when there are other threads; false when the host is to be waited for, since no thread can go on."""
        if self._expected:
            later = _thread._run_other()
            if later is True:
                return True
            if later is None or timeout is not None and timeout <= later:
                return False
            reply = _tools_core.wait(later)
            if reply is not None:
                self._arrive(*reply)
            return True
        self._gate = gate = _thread.allocate_lock()
        gate.acquire()
        try:
            if timeout is None:
                gate.acquire()
            else:
                gate.acquire(True, timeout)
        except RuntimeError:
            raise RuntimeError(_NOTHING_LEFT) from None
        finally:
            self._gate = None
        return True

    def _run_once(self):
        scheduled = self._scheduled
        ready = self._ready
        if scheduled:
            self._drop_cancelled_timers()
            scheduled = self._scheduled
        if not ready and not self._stopping:
            if scheduled:
                timeout = scheduled[0]._when - self.time()
                if timeout > 0:
                    self._wait(min(timeout, MAXIMUM_SELECT_TIMEOUT))
            else:
                self._wait(None)
        elif self._expected:
            # What is ready goes on at once, but the host's calls get on too.
            self._wait(0)
        if scheduled:
            due = self.time() + self._clock_resolution
            while scheduled and scheduled[0]._when < due:
                handle = heapq.heappop(scheduled)
                handle._scheduled = False
                ready.append(handle)
        # What these callbacks register belongs to the next turn.
        for _ in range(len(ready)):
            handle = ready.popleft()
            if handle._cancelled:
                continue
            if self._debug:
                self._run_watched(handle)
            else:
                handle._run()
        handle = None

    def _run_watched(self, handle):
        try:
            self._current_handle = handle
            started = self.time()
            handle._run()
            taken = self.time() - started
            if taken >= self.slow_callback_duration:
                from .log import logger
                logger.warning('Executing %s took %.3f seconds', _format_handle(handle), taken)
        finally:
            self._current_handle = None

    # Exceptions that nobody handles.

    def get_exception_handler(self):
        return self._exception_handler

    def set_exception_handler(self, handler):
        if handler is not None and not callable(handler):
            raise TypeError(f'A callable object or None is expected, got {handler!r}')
        self._exception_handler = handler

    def default_exception_handler(self, context):
        exception = context.get('exception')
        exc_info = False if exception is None else (type(exception), exception, exception.__traceback__)
        current = self._current_handle
        if 'source_traceback' not in context and current is not None and current._source_traceback:
            context['handle_traceback'] = current._source_traceback
        lines = [context.get('message') or 'Unhandled exception in event loop']
        for key in sorted(context):
            if key in ('message', 'exception'):
                continue
            value = context[key]
            if key == 'source_traceback':
                value = _traceback_text('Object created at', value)
            elif key == 'handle_traceback':
                value = _traceback_text('Handle created at', value)
            else:
                value = repr(value)
            lines.append(f'{key}: {value}')
        _error('\n'.join(lines), exc_info=exc_info)

    def call_exception_handler(self, context):
        if self._exception_handler is None:
            try:
                self.default_exception_handler(context)
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException:
                _error('Exception in default exception handler', exc_info=True)
            return
        try:
            owner = context.get('task')
            if owner is None:
                owner = context.get('future')
            if owner is None:
                owner = context.get('handle')
            where = owner.get_context() if hasattr(owner, 'get_context') else None
            if hasattr(where, 'run'):
                where.run(self._exception_handler, self, context)
            else:
                self._exception_handler(self, context)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as exc:
            try:
                self.default_exception_handler({'message': 'Unhandled error in exception handler', 'exception': exc, 'context': context})
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException:
                _error('Exception in default exception handler while handling an unexpected error in custom exception handler', exc_info=True)

    # Debugging.

    def get_debug(self):
        return self._debug

    def _debug_stacks(self):
        return self._debug

    def set_debug(self, enabled):
        self._debug = enabled
        if self.is_running():
            self.call_soon_threadsafe(self._set_coroutine_origin_tracking, enabled)

    def _set_coroutine_origin_tracking(self, enabled):
        if bool(enabled) == bool(self._coroutine_origin_tracking_enabled):
            return
        if enabled:
            self._coroutine_origin_tracking_saved_depth = sys.get_coroutine_origin_tracking_depth()
            sys.set_coroutine_origin_tracking_depth(constants.DEBUG_STACK_DEPTH)
        else:
            sys.set_coroutine_origin_tracking_depth(self._coroutine_origin_tracking_saved_depth)
        self._coroutine_origin_tracking_enabled = enabled


def _refuse(name, what, is_async):
    text = f'the sandbox has no {what}: {name}() is not available'
    if is_async:
        async def method(self, *args, **kwargs):
            raise NotImplementedError(text)
    else:
        def method(self, *args, **kwargs):
            raise NotImplementedError(text)
    method.__name__ = name
    method.__qualname__ = f'BaseEventLoop.{name}'
    setattr(BaseEventLoop, name, method)


for _name in ('getaddrinfo getnameinfo create_connection create_server sendfile start_tls create_unix_connection create_unix_server connect_accepted_socket '
              'create_datagram_endpoint sock_recv sock_recv_into sock_recvfrom sock_recvfrom_into sock_sendall sock_sendto sock_connect sock_accept '
              'sock_sendfile').split():
    _refuse(_name, 'sockets', True)
for _name in 'subprocess_shell subprocess_exec'.split():
    _refuse(_name, 'processes', True)
for _name in 'connect_read_pipe connect_write_pipe'.split():
    _refuse(_name, 'pipes', True)
for _name in 'add_reader remove_reader add_writer remove_writer'.split():
    _refuse(_name, 'file descriptors to watch', False)
for _name in 'add_signal_handler remove_signal_handler'.split():
    _refuse(_name, 'signals', False)
del _name
