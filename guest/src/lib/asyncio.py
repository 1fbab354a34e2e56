"""asyncio for a machine without sockets, signals and processes.

Tasks, futures, locks, queues, task groups, timeouts and runners are the library's own. The loop (`asyncio.base_events`) is ours: it has callbacks and timers and
nothing else to wait for. What few programs use (streams, the call graph, transports) is imported when it is first asked for.
"""

# flake8: noqa

from . import base_events, coroutines, events, exceptions, futures, locks, queues, runners, tasks, taskgroups, threads, timeouts, unix_events
from .base_events import *
from .coroutines import *
from .events import *
from .exceptions import *
from .futures import *
from .locks import *
from .runners import *
from .queues import *
from .tasks import *
from .taskgroups import *
from .timeouts import *
from .threads import *
from .unix_events import *

# Names of modules that are imported late.
_LATE = {
    'graph': ('capture_call_graph', 'format_call_graph', 'print_call_graph', 'FrameCallGraphEntry', 'FutureCallGraph'),
    'protocols': ('BaseProtocol', 'Protocol', 'DatagramProtocol', 'SubprocessProtocol', 'BufferedProtocol'),
    'streams': ('StreamReader', 'StreamWriter', 'StreamReaderProtocol', 'open_connection', 'start_server', 'open_unix_connection', 'start_unix_server'),
    'subprocess': ('create_subprocess_exec', 'create_subprocess_shell'),
    'transports': ('BaseTransport', 'ReadTransport', 'WriteTransport', 'Transport', 'DatagramTransport', 'SubprocessTransport'),
    'staggered': (),
}

__all__ = (base_events.__all__ + coroutines.__all__ + events.__all__ + exceptions.__all__ + futures.__all__ + locks.__all__ + runners.__all__
           + queues.__all__ + tasks.__all__ + taskgroups.__all__ + threads.__all__ + timeouts.__all__ + unix_events.__all__
           + tuple(name for names in _LATE.values() for name in names))

_POLICIES = ('AbstractEventLoopPolicy', 'DefaultEventLoopPolicy')


def __getattr__(name):
    if name in _POLICIES:
        import warnings
        warnings._deprecated(f'asyncio.{name}', remove=(3, 16))
        return unix_events._DefaultEventLoopPolicy if name == 'DefaultEventLoopPolicy' else events._AbstractEventLoopPolicy
    for module, names in _LATE.items():
        if name == module or name in names:
            from importlib import import_module
            found = import_module(f'asyncio.{module}')
            if name != module:
                found = getattr(found, name)
            globals()[name] = found
            return found
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__():
    return sorted({*globals(), *__all__, *_LATE})
