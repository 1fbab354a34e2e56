"""Locks and thread identity for a machine with one thread: what would wait for ever raises an error instead."""

error = RuntimeError
TIMEOUT_MAX = 9223372036.0
_IDENT = 1
_running = 0


def get_ident():
    return _current[-1]


def get_native_id():
    return _current[-1]


_current = [_IDENT]
_next = [_IDENT]


def _wait(timeout):
    if timeout > 0:
        import time
        time.sleep(timeout)


def _check(blocking, timeout):
    if not blocking and timeout != -1:
        raise ValueError("can't specify a timeout for a non-blocking call")
    if timeout < 0 and timeout != -1:
        raise ValueError('timeout value must be a non-negative number')
    if timeout > TIMEOUT_MAX:
        raise OverflowError('timeout value is too large')


class lock:
    __slots__ = ('_held', '__weakref__')

    def __init__(self):
        self._held = False

    def acquire(self, blocking=True, timeout=-1):
        _check(blocking, timeout)
        if not self._held:
            self._held = True
            return True
        if not blocking:
            return False
        if timeout == -1:
            raise RuntimeError('deadlock: waiting for a lock that nobody can release')
        _wait(timeout)
        return False

    def release(self):
        if not self._held:
            raise RuntimeError('release unlocked lock')
        self._held = False

    def locked(self):
        return self._held

    acquire_lock = acquire
    release_lock = release
    locked_lock = locked

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exc):
        self.release()

    def __repr__(self):
        state = 'locked' if self._held else 'unlocked'
        return f'<{state} _thread.lock object at {id(self):#x}>'

    def __reduce__(self):
        raise TypeError("cannot pickle '_thread.lock' object")

    def _at_fork_reinit(self):
        self._held = False


LockType = lock


def allocate_lock():
    return lock()


allocate = allocate_lock


class RLock:
    __slots__ = ('_owner', '_depth', '__weakref__')

    def __init__(self):
        self._owner = 0
        self._depth = 0

    def acquire(self, blocking=True, timeout=-1):
        _check(blocking, timeout)
        me = _current[-1]
        if self._depth == 0 or self._owner == me:
            self._owner = me
            self._depth += 1
            return True
        if not blocking:
            return False
        if timeout == -1:
            raise RuntimeError('deadlock: waiting for a lock that nobody can release')
        _wait(timeout)
        return False

    def release(self):
        if self._depth == 0 or self._owner != _current[-1]:
            raise RuntimeError('cannot release un-acquired lock')
        self._depth -= 1
        if self._depth == 0:
            self._owner = 0

    def locked(self):
        return self._depth > 0

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exc):
        self.release()

    def _is_owned(self):
        return self._depth > 0 and self._owner == _current[-1]

    def _recursion_count(self):
        return self._depth if self._owner == _current[-1] else 0

    def _release_save(self):
        state = (self._depth, self._owner)
        self._depth = self._owner = 0
        return state

    def _acquire_restore(self, state):
        self._depth, self._owner = state

    def _at_fork_reinit(self):
        self._depth = self._owner = 0

    def __repr__(self):
        state = 'locked' if self._depth else 'unlocked'
        return f'<{state} _thread.RLock object owner={self._owner} count={self._depth} at {id(self):#x}>'

    def __reduce__(self):
        raise TypeError("cannot pickle '_thread.RLock' object")


class _local:
    """Attributes of the running thread: each thread has its own."""

    __slots__ = ('_areas', '_args', '__weakref__')

    def __new__(cls, /, *args, **kwargs):
        if (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError('Initialization arguments are not supported')
        self = object.__new__(cls)
        put = object.__setattr__
        put(self, '_args', (args, kwargs))
        put(self, '_areas', {_current[-1]: {}})
        return self

    def _area(self):
        areas = object.__getattribute__(self, '_areas')
        me = _current[-1]
        if me not in areas:
            areas[me] = {}
            args, kwargs = object.__getattribute__(self, '_args')
            type(self).__init__(self, *args, **kwargs)
        return areas[me]

    def __getattribute__(self, name):
        area = _local._area(self)
        if name == '__dict__':
            return area
        if name in area:
            return area[name]
        return object.__getattribute__(self, name)

    def __setattr__(self, name, value):
        if name == '__dict__':
            raise AttributeError(f"'{type(self).__name__}' object attribute '__dict__' is read-only")
        member = getattr(type(self), name, None)
        if hasattr(type(member), '__set__'):
            object.__setattr__(self, name, value)
            return
        _local._area(self)[name] = value

    def __delattr__(self, name):
        area = _local._area(self)
        if name not in area:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        del area[name]


def start_new_thread(function, args, kwargs={}):
    """Runs the function at once, to its end."""
    global _running
    if not callable(function):
        raise TypeError('first arg must be callable')
    if not isinstance(args, tuple):
        raise TypeError('2nd arg must be a tuple')
    _next[0] += 1
    ident = _next[0]
    _current.append(ident)
    _running += 1
    try:
        function(*args, **kwargs)
    except SystemExit:
        pass
    except Exception:
        import sys
        sys.excepthook(*sys.exc_info())
    finally:
        _running -= 1
        _current.pop()
    return ident


start_new = start_new_thread


def _count():
    return _running


def exit():
    raise SystemExit


exit_thread = exit


def interrupt_main(signum=2, /):
    raise KeyboardInterrupt


def stack_size(size=0, /):
    return 0


def _set_sentinel():
    return lock()


def daemon_threads_allowed():
    return True


for _class in (lock, RLock, _local):
    _class.__module__ = '_thread'
del _class
