"""Threads: they take turns where they wait. What would wait for ever raises an error instead.

A thread runs inside `start_new_thread` until it has to wait; the machine lets it go on later, when others wait. Locks and the running thread's number are in
`_thread_core`.
"""

import _weakref
from _thread_core import (MAIN as _MAIN, RLock, TIMEOUT_MAX, _count, allocate_lock, enter as _enter, fresh_ident as _fresh_ident, get_ident, leave as _leave, lock,
                          run_other as _run_other, start as _start_thread, take_turns as _take_turns)

error = RuntimeError
LockType = lock
_main_signals = []


def get_native_id():
    return get_ident()


def _get_main_thread_ident():
    return _MAIN


def _is_main_interpreter():
    return True


allocate = allocate_lock


class _ThreadHandle:
    """Whether a thread has ended. The lock is held until then."""

    __slots__ = ('_ident', '_state', '_lock', '_daemon', '__weakref__')

    def __init__(self):
        self._ident = 0
        self._state = 'not started'
        self._lock = lock()
        self._daemon = True

    @property
    def ident(self):
        return self._ident

    def is_done(self):
        return self._state == 'done'

    def _begin(self, ident):
        self._ident = ident
        self._state = 'running'
        self._lock.acquire()

    def _set_done(self):
        if self._state == 'not started':
            raise RuntimeError('thread not started')
        if self._state == 'running':
            self._state = 'done'
            self._lock.release()

    def join(self, timeout=None, /):
        if self._state == 'not started':
            raise RuntimeError('thread not started')
        if self._state == 'done':
            return
        if self._ident == get_ident():
            raise RuntimeError('Cannot join current thread')
        if timeout is None or timeout < 0:
            self._lock.acquire()
        elif not self._lock.acquire(True, timeout):
            return
        self._lock.release()
        _deliver_signals()

    def __repr__(self):
        return f'<_ThreadHandle object: ident={self._ident}>'


def _make_thread_handle(ident):
    handle = _ThreadHandle()
    handle._begin(ident)
    if ident == _MAIN:
        _main_handles.append(handle)
    return handle


_main_handles = []

# The threads that have not ended, by number.
_running = {}

# Called at the end of a program, before its threads are waited for.
_at_end = []


def _run(handle, function, args, kwargs):
    try:
        function(*args, **kwargs)
    except SystemExit:
        pass
    except BaseException as exc:
        import sys
        sys.unraisablehook(_unraisable(exc, function))
    finally:
        _end(handle)


def _end(handle):
    ident = handle._ident
    _running.pop(ident, None)
    _forget_locals(ident)
    _leave(None)
    handle._set_done()


def _unraisable(exc, function):
    from types import SimpleNamespace
    return SimpleNamespace(exc_type=type(exc), exc_value=exc, exc_traceback=exc.__traceback__,
                           err_msg=f'Exception ignored in thread started by {function!r}', object=None)


def _call_in(context, function, args, kwargs):
    """`context.run(function, *args, **kwargs)`, in which the function can wait."""
    outer = _enter(context)
    try:
        return function(*args, **kwargs)
    finally:
        _leave(outer)


def _start(handle, function, args, kwargs):
    ident = _fresh_ident()
    handle._begin(ident)
    _running[ident] = handle
    _start_thread(ident, _run, handle, function, args, kwargs)
    _deliver_signals()
    return ident


def _deliver_signals():
    if _main_signals and get_ident() == _MAIN:
        interrupt_main(_main_signals.pop())


def start_new_thread(function, args, kwargs={}, /):
    """Runs the function at once, until it has to wait."""
    if not callable(function):
        raise TypeError('first arg must be callable')
    if not isinstance(args, tuple):
        raise TypeError('2nd arg must be a tuple')
    if not isinstance(kwargs, dict):
        raise TypeError('optional 3rd arg must be a dictionary')
    return _start(_ThreadHandle(), function, args, kwargs)


start_new = start_new_thread


def start_joinable_thread(function, handle=None, daemon=True):
    """Runs the function at once, until it has to wait; when it has ended the handle is done."""
    if not callable(function):
        raise TypeError('thread function must be callable')
    if handle is None:
        handle = _ThreadHandle()
    elif not isinstance(handle, _ThreadHandle):
        raise TypeError("'handle' must be a _ThreadHandle")
    if handle._state != 'not started':
        raise RuntimeError('thread already started')
    handle._daemon = daemon
    _start(handle, function, (), {})
    return handle


def _shutdown():
    """Waits for the threads that a program is not to end without."""
    for prepare in _at_end:
        prepare()
    # They may have waited for the main thread.
    for handle in _main_handles:
        handle._lock.release()
    try:
        while waited_for := [handle for handle in _running.values() if not handle._daemon]:
            for handle in waited_for:
                handle.join()
    except RuntimeError:
        import sys
        active = getattr(sys.modules.get('threading'), '_active', {})
        names = [active[ident].name if ident in active else str(ident) for ident, handle in _running.items() if not handle._daemon]
        raise RuntimeError(f'deadlock: the program has ended, but not its threads, which wait for ever: {", ".join(names)}') from None
    finally:
        for handle in _main_handles:
            handle._lock.acquire(False)


def _abandon():
    """The threads that have not ended are gone."""
    import sys
    threading = sys.modules.get('threading')
    for ident, handle in list(_running.items()):
        if threading is not None:
            threading._active.pop(ident, None)
        _running.pop(ident, None)
        _forget_locals(ident)
        handle._set_done()


def exit():
    raise SystemExit


exit_thread = exit


def interrupt_main(signum=2, /):
    """Calls the handler of a signal in the main thread, which is when that runs again."""
    import signal
    handler = signal.getsignal(signum)
    if not callable(handler):
        return
    if get_ident() != _MAIN:
        _main_signals.append(signum)
        return
    import sys
    handler(signum, sys._getframe(1))


def stack_size(size=0, /):
    if size < 0:
        raise ValueError('size must be 0 or a positive value')
    return 0


def _set_sentinel():
    return lock()


def daemon_threads_allowed():
    return True


def set_name(name, /):
    """Threads have no names outside Python."""


# The attributes of `_local` objects by thread: for each thread, weak references to the objects that it has attributes of.
_areas_of = {}


def _forget_locals(ident):
    for reference in _areas_of.pop(ident, ()):
        owner = reference()
        if owner is not None:
            object.__getattribute__(owner, '_areas').pop(ident, None)


class _local:
    """Attributes of the running thread: each thread has its own."""

    __slots__ = ('_areas', '_args', '__weakref__')

    def __new__(cls, /, *args, **kwargs):
        if (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError('Initialization arguments are not supported')
        self = object.__new__(cls)
        put = object.__setattr__
        put(self, '_args', (args, kwargs))
        put(self, '_areas', {})
        _local._new_area(self, get_ident())
        return self

    def _new_area(self, me):
        areas = object.__getattribute__(self, '_areas')
        area = areas[me] = {}
        if me != _MAIN:
            _areas_of.setdefault(me, []).append(_weakref.ref(self))
        return area

    def _area(self):
        areas = object.__getattribute__(self, '_areas')
        me = get_ident()
        if me in areas:
            return areas[me]
        area = _local._new_area(self, me)
        args, kwargs = object.__getattribute__(self, '_args')
        try:
            type(self).__init__(self, *args, **kwargs)
        except BaseException:
            del areas[me]
            raise
        return area

    def __getattribute__(self, name):
        area = _local._area(self)
        if name == '__dict__':
            return area
        found = getattr(type(self), name, None)
        if name in area and not hasattr(type(found), '__set__'):
            return area[name]
        return object.__getattribute__(self, name)

    def __setattr__(self, name, value):
        if name == '__dict__':
            raise AttributeError(f"'{type(self).__name__}' object attribute '__dict__' is read-only")
        if hasattr(type(getattr(type(self), name, None)), '__set__'):
            object.__setattr__(self, name, value)
        else:
            _local._area(self)[name] = value

    def __delattr__(self, name):
        if name == '__dict__':
            raise AttributeError(f"'{type(self).__name__}' object attribute '__dict__' is read-only")
        area = _local._area(self)
        if name not in area:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
        del area[name]


_local.__module__ = '_thread'
