"""ThreadPoolExecutor for a machine with one thread: work runs when it is submitted, in the name of a thread of the pool, and its future is done at once."""

import _thread
import itertools
import threading
import types

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


class _Worker:
    """A thread of a pool. It keeps its number, and so what is local to it, from one piece of work to the next."""

    def __init__(self, name, context):
        self.thread = thread = threading.Thread(name=name, target=None, daemon=False)
        self.context = context
        self.busy = False
        self.ready = None
        thread._ident = _thread._fresh_ident()
        thread._os_thread_handle = _thread._make_thread_handle(thread._ident)
        thread._started.set()
        threading._active[thread._ident] = thread

    def work(self, item):
        """Runs a piece of work; `False` when the initializer failed."""
        self.busy = True
        try:
            return _thread._run_as(self.thread._ident, self._work, item)
        finally:
            self.busy = False

    def _work(self, item):
        if self.ready is None:
            try:
                self.context.initialize()
                self.ready = True
            except BaseException:
                _base.LOGGER.critical('Exception in initializer:', exc_info=True)
                self.ready = False
        if self.ready:
            item.run(self.context)
        return self.ready

    def end(self):
        ident = self.thread._ident
        if threading._active.pop(ident, None) is None:
            return
        _thread._run_as(ident, self.context.finalize)
        self.thread._os_thread_handle._set_done()
        _thread._forget_locals(ident)


class ThreadPoolExecutor(_base.Executor):
    """Runs calls when they are submitted. The pool has the names of its threads, which take turns, but they never run side by side."""

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
        self._workers = []
        self._broken = False
        self._shutdown = False
        self._thread_name_prefix = thread_name_prefix or f'ThreadPoolExecutor-{self._counter()}'

    @property
    def _threads(self):
        return {worker.thread for worker in self._workers}

    def _idle_worker(self):
        """A worker that is not in the middle of something: work that submits more work finds its own worker busy."""
        for worker in self._workers:
            if not worker.busy:
                return worker
        if len(self._workers) >= self._max_workers:
            raise RuntimeError('deadlock: work submitted from inside a pool, all of whose workers are busy')
        worker = _Worker(f'{self._thread_name_prefix}_{len(self._workers)}', self._create_worker_context())
        self._workers.append(worker)
        return worker

    def submit(self, fn, /, *args, **kwargs):
        """Runs the call now; the future that is returned is done."""
        if self._broken:
            raise self.BROKEN(self._broken)
        if self._shutdown:
            raise RuntimeError('cannot schedule new futures after shutdown')
        future = _base.Future()
        item = _WorkItem(future, self._resolve_work_item_task(fn, args, kwargs))
        if not self._idle_worker().work(item):
            self._broken = 'A thread initializer failed, the thread pool is not usable anymore'
            future.set_exception(self.BROKEN(self._broken))
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        """Nothing is under way; no more work is taken."""
        self._shutdown = True
        for worker in self._workers:
            worker.end()

    def __del__(self):
        # Also reached when __init__ has refused.
        for worker in getattr(self, '_workers', ()):
            worker.end()
