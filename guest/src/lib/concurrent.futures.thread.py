"""ThreadPoolExecutor for a machine whose threads take turns: work runs when it is submitted, until it has to wait.

A worker that has nothing to do waits for its gate. Who submits work opens the gate of an idle worker, or starts another one, and lets the threads go on that
can. At the end of a program the workers end; a pool that is used by the next one starts others.
"""

import _thread
import functools
import itertools
import threading
import types
import weakref

from collections import deque
from concurrent.futures import _base


class BrokenThreadPool(_base.BrokenExecutor):
    """The initializer of a thread failed."""


class WorkerContext:
    """What runs the work of a thread."""

    @classmethod
    def prepare(cls, initializer, initargs):
        if initializer is not None and not callable(initializer):
            raise TypeError('initializer must be a callable')

        def create_context():
            return cls(initializer, initargs)

        def resolve_task(fn, args, kwargs):
            return (fn, args, kwargs)
        return create_context, resolve_task

    def __init__(self, initializer, initargs):
        self.initializer = initializer
        self.initargs = initargs

    def initialize(self):
        if self.initializer is not None:
            self.initializer(*self.initargs)

    def finalize(self):
        pass

    def run(self, task):
        fn, args, kwargs = task
        while type(fn) is functools.partial and functools.Placeholder not in fn.args:
            # Its own call would be native code beneath what the function does, where that could not wait.
            fn, args, kwargs = fn.func, fn.args + args, fn.keywords | kwargs
        return fn(*args, **kwargs)


class _WorkItem:
    def __init__(self, future, task):
        self.future = future
        self.task = task

    def run(self, ctx):
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            result = ctx.run(self.task)
        except BaseException as exc:
            self.future.set_exception(exc)
            # The traceback leads to this frame, and the frame to the future.
            self = None
        else:
            self.future.set_result(result)

    __class_getitem__ = classmethod(types.GenericAlias)


class _Work:
    """What a pool and its workers share: the workers do not keep the pool alive."""

    def __init__(self):
        self.items = deque()
        # The gates of the workers that have nothing to do.
        self.idle = deque()
        self.ended = False
        self.broken = False
        # A weak reference to the pool.
        self.pool = None

    def end(self, *_):
        """No more work comes: the workers end when they have done what there is."""
        self.ended = True
        while self.idle:
            self.idle.popleft().release()

    def fail(self, error):
        self.broken = 'A thread initializer failed, the thread pool is not usable anymore'
        while self.items:
            self.items.popleft().future.set_exception(error(self.broken))


def _worker(work, context, error):
    try:
        context.initialize()
    except BaseException:
        _base.LOGGER.critical('Exception in initializer:', exc_info=True)
        work.fail(error)
        return
    gate = _thread.allocate_lock()
    gate.acquire()
    try:
        while True:
            if work.items:
                item = work.items.popleft()
                item.run(context)
                item = None
            elif work.ended:
                return
            else:
                work.idle.append(gate)
                gate.acquire()
    except BaseException:
        _base.LOGGER.critical('Exception in worker', exc_info=True)
    finally:
        context.finalize()


_pools = weakref.WeakSet()


def _end_of_program():
    for pool in list(_pools):
        pool._rest()


_thread._at_end.append(_end_of_program)


class ThreadPoolExecutor(_base.Executor):
    """Runs calls when they are submitted, until they have to wait."""

    BROKEN = BrokenThreadPool
    _counter = itertools.count().__next__

    @classmethod
    def prepare_context(cls, initializer, initargs):
        return WorkerContext.prepare(initializer, initargs)

    def __init__(self, max_workers=None, thread_name_prefix='', initializer=None, initargs=(), **ctxkwargs):
        if max_workers is None:
            max_workers = 5
        if max_workers <= 0:
            raise ValueError('max_workers must be greater than 0')
        self._create_worker_context, self._resolve_work_item_task = type(self).prepare_context(initializer, initargs, **ctxkwargs)
        self._max_workers = max_workers
        self._shutdown = False
        self._thread_name_prefix = thread_name_prefix or f'ThreadPoolExecutor-{self._counter()}'
        self._begin()

    def _begin(self):
        self._work = _Work()
        self._threads = set()
        # Workers end when nobody has the pool any more.
        self._work.pool = weakref.ref(self, self._work.end)

    def _rest(self):
        """The program ends: the workers do what there is to do, and end."""
        work, threads = self._work, self._threads
        work.end()
        for thread in threads:
            thread.join()
        if not self._shutdown:
            broken = work.broken
            self._begin()
            self._work.broken = broken

    @property
    def _broken(self):
        return self._work.broken

    def submit(self, fn, /, *args, **kwargs):
        work = self._work
        if work.broken:
            raise self.BROKEN(work.broken)
        if self._shutdown:
            raise RuntimeError('cannot schedule new futures after shutdown')
        future = _base.Future()
        work.items.append(_WorkItem(future, self._resolve_work_item_task(fn, args, kwargs)))
        if work.idle:
            work.idle.popleft().release()
        elif len(self._threads) < self._max_workers:
            if not self._threads:
                _pools.add(self)
            name = f'{self._thread_name_prefix}_{len(self._threads)}'
            thread = threading.Thread(name=name, target=_worker, args=(work, self._create_worker_context(), self.BROKEN))
            self._threads.add(thread)
            thread.start()
            return future
        _thread._take_turns()
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._shutdown = True
        work = self._work
        if cancel_futures:
            while work.items:
                work.items.popleft().future.cancel()
        work.end()
        if wait:
            for thread in self._threads:
                thread.join()
