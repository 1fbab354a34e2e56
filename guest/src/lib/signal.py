"""Signals, for a machine that gets none: handlers can be registered and are called by `raise_signal` only."""

from enum import IntEnum as _IntEnum

NSIG = 65
ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF = range(3)

Signals = _IntEnum('Signals', {
    'SIGHUP': 1, 'SIGINT': 2, 'SIGQUIT': 3, 'SIGILL': 4, 'SIGTRAP': 5, 'SIGABRT': 6, 'SIGBUS': 7, 'SIGFPE': 8, 'SIGKILL': 9, 'SIGUSR1': 10, 'SIGSEGV': 11,
    'SIGUSR2': 12, 'SIGPIPE': 13, 'SIGALRM': 14, 'SIGTERM': 15, 'SIGSTKFLT': 16, 'SIGCHLD': 17, 'SIGCONT': 18, 'SIGSTOP': 19, 'SIGTSTP': 20, 'SIGTTIN': 21,
    'SIGTTOU': 22, 'SIGURG': 23, 'SIGXCPU': 24, 'SIGXFSZ': 25, 'SIGVTALRM': 26, 'SIGPROF': 27, 'SIGWINCH': 28, 'SIGIO': 29, 'SIGPWR': 30, 'SIGSYS': 31,
    'SIGRTMIN': 34, 'SIGRTMAX': 64, 'SIGCLD': 17, 'SIGIOT': 6, 'SIGPOLL': 29}, module=__name__)
Handlers = _IntEnum('Handlers', {'SIG_DFL': 0, 'SIG_IGN': 1}, module=__name__)
Sigmasks = _IntEnum('Sigmasks', {'SIG_BLOCK': 0, 'SIG_UNBLOCK': 1, 'SIG_SETMASK': 2}, module=__name__)
for _class in (Signals, Handlers, Sigmasks):
    globals().update(_class.__members__)
del _class


class ItimerError(OSError):
    pass


ItimerError.__module__ = 'signal'
_EFFECTIVE = {}
_DESCRIPTIONS = {1: 'Hangup', 2: 'Interrupt', 3: 'Quit', 4: 'Illegal instruction', 5: 'Trace/breakpoint trap', 6: 'Aborted', 7: 'Bus error',
                 8: 'Floating point exception', 9: 'Killed', 10: 'User defined signal 1', 11: 'Segmentation fault', 12: 'User defined signal 2', 13: 'Broken pipe',
                 14: 'Alarm clock', 15: 'Terminated', 17: 'Child exited', 18: 'Continued', 19: 'Stopped (signal)', 20: 'Stopped'}


def default_int_handler(signalnum, frame, /):
    """Raises KeyboardInterrupt."""
    raise KeyboardInterrupt


def _number(signalnum):
    import operator
    number = operator.index(signalnum)
    if not 1 <= number < NSIG:
        raise ValueError('signal number out of range')
    return number


def getsignal(signalnum, /):
    number = _number(signalnum)
    return _EFFECTIVE.get(number, default_int_handler if number == 2 else Handlers.SIG_DFL)


def signal(signalnum, handler, /):
    number = _number(signalnum)
    if not callable(handler) and handler not in (0, 1):
        raise TypeError('signal handler must be signal.SIG_IGN, signal.SIG_DFL, or a callable object')
    if number in (9, 19):
        raise OSError(22, 'Invalid argument')
    old = getsignal(number)
    _EFFECTIVE[number] = handler if callable(handler) else Handlers(handler)
    return old


def raise_signal(signalnum, /):
    """Calls the handler of a signal; without one, a signal that would end a process is refused."""
    number = _number(signalnum)
    handler = getsignal(number)
    if callable(handler):
        import sys
        handler(number, sys._getframe(1))
    elif handler == 0 and number not in (17, 18, 23, 28):
        raise NotImplementedError(f'the sandbox has no signals: {_name_of(number)} would end the process')


def _name_of(number):
    try:
        return Signals(number).name
    except ValueError:
        return f'signal {number}'


def strsignal(signalnum, /):
    return _DESCRIPTIONS.get(_number(signalnum))


def valid_signals():
    return {Signals(n) if n in Signals else n for n in range(1, NSIG) if n not in (32, 33)}


def set_wakeup_fd(fd, /, *, warn_on_full_buffer=True):
    if fd != -1:
        raise NotImplementedError('the sandbox has no signals: set_wakeup_fd() is not available')
    return -1


def siginterrupt(signalnum, flag, /):
    _number(signalnum)


def _refuse(name):
    def function(*args, **kwargs):
        raise NotImplementedError(f'the sandbox has no signals: {name}() is not available')
    function.__name__ = function.__qualname__ = name
    return function


for _name in ('alarm', 'setitimer', 'getitimer', 'pause', 'pthread_kill', 'pthread_sigmask', 'sigpending', 'sigwait', 'sigwaitinfo', 'sigtimedwait', 'pidfd_send_signal'):
    globals()[_name] = _refuse(_name)
del _name
