"""The name ProcessPoolExecutor; the sandbox starts no processes."""

from concurrent.futures import _base

EXTRA_QUEUED_CALLS = 1


class BrokenProcessPool(_base.BrokenExecutor):
    """A process of a pool ended by surprise."""


class ProcessPoolExecutor(_base.Executor):
    """Refuses to be made: use ThreadPoolExecutor, or plain calls."""

    def __init__(self, max_workers=None, mp_context=None, initializer=None, initargs=(), *, max_tasks_per_child=None):
        raise NotImplementedError('the sandbox has no processes: ProcessPoolExecutor is not available')
