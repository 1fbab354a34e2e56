"""Threads for a machine with one thread: a thread runs from `start()` to its end at once, so there is nothing to wait for later."""

import _thread
import sys as _sys
from _thread import RLock as _RLock, TIMEOUT_MAX, _local as local, allocate_lock as _allocate_lock, get_ident, get_native_id, stack_size
from collections import deque as _deque, namedtuple as _namedtuple
from time import monotonic as _time, sleep as _sleep

__all__ = ['get_ident', 'active_count', 'Condition', 'current_thread', 'enumerate', 'main_thread', 'TIMEOUT_MAX', 'Event', 'Lock', 'RLock', 'Semaphore',
           'BoundedSemaphore', 'Thread', 'Barrier', 'BrokenBarrierError', 'Timer', 'ThreadError', 'setprofile', 'settrace', 'local', 'stack_size',
           'excepthook', 'ExceptHookArgs', 'getprofile', 'gettrace', 'get_native_id']

ThreadError = _thread.error
Lock = _thread.lock
RLock = _CRLock = _PyRLock = _RLock
_profile_hook = _trace_hook = None


def setprofile(func):
    global _profile_hook
    _profile_hook = func


def getprofile():
    return _profile_hook


def settrace(func):
    global _trace_hook
    _trace_hook = func


def gettrace():
    return _trace_hook


def _never(what):
    raise RuntimeError(f'deadlock: waiting for {what}, which no other thread can change')


class Condition:
    def __init__(self, lock=None):
        if lock is None:
            lock = RLock()
        self._lock = lock
        self.acquire = lock.acquire
        self.release = lock.release
        self._waiters = _deque()

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *args):
        return self._lock.__exit__(*args)

    def __repr__(self):
        return f'<Condition({self._lock}, {len(self._waiters)})>'

    def _is_owned(self):
        if hasattr(self._lock, '_is_owned'):
            return self._lock._is_owned()
        return self._lock.locked()

    def wait(self, timeout=None):
        if not self._is_owned():
            raise RuntimeError('cannot wait on un-acquired lock')
        if timeout is None:
            _never('a condition')
        if timeout > 0:
            _sleep(timeout)
        return False

    def wait_for(self, predicate, timeout=None):
        result = predicate()
        if not result:
            self.wait(timeout)
            result = predicate()
        return result

    def notify(self, n=1):
        if not self._is_owned():
            raise RuntimeError('cannot notify on un-acquired lock')

    def notify_all(self):
        self.notify()

    notifyAll = notify_all


class Semaphore:
    def __init__(self, value=1):
        if value < 0:
            raise ValueError('semaphore initial value must be >= 0')
        self._value = value

    def __repr__(self):
        cls = self.__class__
        return f'<{cls.__module__}.{cls.__qualname__} at {id(self):#x}: value={self._value}>'

    def acquire(self, blocking=True, timeout=None):
        if not blocking and timeout is not None:
            raise ValueError("can't specify timeout for non-blocking acquire")
        if self._value > 0:
            self._value -= 1
            return True
        if blocking:
            if timeout is None:
                _never('a semaphore')
            if timeout > 0:
                _sleep(timeout)
        return False

    __enter__ = acquire

    def release(self, n=1):
        if n < 1:
            raise ValueError('n must be one or more')
        self._value += n

    def __exit__(self, t, v, tb):
        self.release()


class BoundedSemaphore(Semaphore):
    def __init__(self, value=1):
        super().__init__(value)
        self._initial_value = value

    def __repr__(self):
        cls = self.__class__
        return f'<{cls.__module__}.{cls.__qualname__} at {id(self):#x}: value={self._value}/{self._initial_value}>'

    def release(self, n=1):
        if n < 1:
            raise ValueError('n must be one or more')
        if self._value + n > self._initial_value:
            raise ValueError('Semaphore released too many times')
        self._value += n


class Event:
    def __init__(self):
        self._flag = False

    def __repr__(self):
        cls = self.__class__
        return f"<{cls.__module__}.{cls.__qualname__} at {id(self):#x}: {'set' if self._flag else 'unset'}>"

    def is_set(self):
        return self._flag

    isSet = is_set

    def set(self):
        self._flag = True

    def clear(self):
        self._flag = False

    def wait(self, timeout=None):
        if not self._flag:
            if timeout is None:
                _never('an event')
            if timeout > 0:
                _sleep(timeout)
        return self._flag


class BrokenBarrierError(RuntimeError):
    pass


class Barrier:
    def __init__(self, parties, action=None, timeout=None):
        if parties < 1:
            raise ValueError('parties must be >= 1')
        self._parties = parties
        self._action = action
        self._timeout = timeout
        self._broken = False

    def __repr__(self):
        cls = self.__class__
        state = 'broken' if self._broken else f'waiters=0/{self._parties}'
        return f'<{cls.__module__}.{cls.__qualname__} at {id(self):#x}: {state}>'

    def wait(self, timeout=None):
        if self._broken:
            raise BrokenBarrierError
        if self._parties == 1:
            if self._action:
                self._action()
            return 0
        if timeout is None:
            timeout = self._timeout
        if timeout is None:
            _never('a barrier')
        self._broken = True
        raise BrokenBarrierError

    def reset(self):
        self._broken = False

    def abort(self):
        self._broken = True

    parties = property(lambda self: self._parties)
    n_waiting = property(lambda self: 0)
    broken = property(lambda self: self._broken)


ExceptHookArgs = _namedtuple('ExceptHookArgs', 'exc_type exc_value exc_traceback thread')


def excepthook(args, /):
    if args.exc_type == SystemExit:
        return
    stderr = _sys.stderr
    if stderr is None:
        return
    name = args.thread.name if args.thread is not None else get_ident()
    print(f'Exception in thread {name}:', file=stderr)
    _sys.excepthook(args.exc_type, args.exc_value, args.exc_traceback)


__excepthook__ = excepthook
_counter = 0
_running = []


class Thread:
    _initialized = False

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None, context=None):
        global _counter
        if group is not None:
            raise AssertionError('group argument must be None for now')
        if name is None:
            _counter += 1
            name = f'Thread-{_counter}'
            if target is not None:
                try:
                    name += f' ({target.__name__})'
                except AttributeError:
                    pass
        self._target = target
        self._name = str(name)
        self._args = args
        self._kwargs = {} if kwargs is None else kwargs
        self._daemonic = current_thread().daemon if daemon is None else daemon
        self._ident = None
        self._started = self._stopped = False
        self._initialized = True
        self._context = context

    def __repr__(self):
        status = 'initial'
        if self._started:
            status = 'stopped' if self._stopped else 'started'
        if self._daemonic:
            status += ' daemon'
        if self._ident is not None:
            status += f' {self._ident}'
        return f'<{self.__class__.__name__}({self._name}, {status})>'

    def start(self):
        if not self._initialized:
            raise RuntimeError('thread.__init__() not called')
        if self._started:
            raise RuntimeError('threads can only be started once')
        self._started = True
        _thread.start_new_thread(self._bootstrap, ())

    def _bootstrap(self):
        self._ident = get_ident()
        _running.append(self)
        try:
            if self._context is not None:
                self._context.run(self.run)
            else:
                self.run()
        except SystemExit:
            pass
        except Exception:
            hook = excepthook
            hook(ExceptHookArgs((*_sys.exc_info(), self)))
        finally:
            _running.pop()
            self._stopped = True

    def run(self):
        try:
            if self._target is not None:
                self._target(*self._args, **self._kwargs)
        finally:
            del self._target, self._args, self._kwargs

    def join(self, timeout=None):
        if not self._initialized:
            raise RuntimeError('Thread.__init__() not called')
        if not self._started:
            raise RuntimeError('cannot join thread before it is started')
        if self is current_thread():
            raise RuntimeError('cannot join current thread')
        if not self._stopped:
            if timeout is None:
                _never('a thread')
            if timeout > 0:
                _sleep(timeout)

    @property
    def name(self):
        return self._name

    @name.setter
    def name(self, name):
        self._name = str(name)

    @property
    def ident(self):
        return self._ident

    @property
    def native_id(self):
        return self._ident

    def is_alive(self):
        return self._started and not self._stopped

    @property
    def daemon(self):
        return self._daemonic

    @daemon.setter
    def daemon(self, daemonic):
        if self._started:
            raise RuntimeError('cannot set daemon status of active thread')
        self._daemonic = daemonic

    def isDaemon(self):
        return self.daemon

    def setDaemon(self, daemonic):
        self.daemon = daemonic

    def getName(self):
        return self.name

    def setName(self, name):
        self.name = name


class Timer(Thread):
    """Waits, then calls the function, when it is started."""

    def __init__(self, interval, function, args=None, kwargs=None):
        Thread.__init__(self)
        self.interval = interval
        self.function = function
        self.args = args if args is not None else []
        self.kwargs = kwargs if kwargs is not None else {}
        self.finished = Event()

    def cancel(self):
        self.finished.set()

    def run(self):
        self.finished.wait(self.interval)
        if not self.finished.is_set():
            self.function(*self.args, **self.kwargs)
        self.finished.set()


class _MainThread(Thread):
    def __init__(self):
        self._name = 'MainThread'
        self._daemonic = False
        self._started = True
        self._stopped = False
        self._initialized = True
        self._ident = get_ident()


_main_thread = _MainThread()


def current_thread():
    return _running[-1] if _running else _main_thread


currentThread = current_thread


def main_thread():
    return _main_thread


def enumerate():
    return [_main_thread, *_running]


def active_count():
    return 1 + len(_running)


activeCount = active_count


def _register_atexit(func, *arg, **kwargs):
    import atexit
    atexit.register(func, *arg, **kwargs)
