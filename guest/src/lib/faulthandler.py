"""Tracebacks on request. The faults that this module is for end the sandbox, not the interpreter, so enabling it only remembers that it is enabled."""

_enabled = False


def enable(file=None, all_threads=True, c_stack=True):
    global _enabled
    _enabled = True


def disable():
    global _enabled
    was, _enabled = _enabled, False
    return was


def is_enabled():
    return _enabled


def dump_traceback(file=None, all_threads=True):
    """Writes where the program is, the innermost call first."""
    import sys
    file = sys.stderr if file is None else file
    lines = ['Current thread (most recent call first):']
    frame = sys._getframe(1)
    while frame is not None:
        lines.append(f'  File "{frame.f_code.co_filename}", line {frame.f_lineno} in {frame.f_code.co_name}')
        frame = frame.f_back
    file.write('\n'.join(lines) + '\n')


def _unavailable(name):
    def function(*args, **kwargs):
        raise NotImplementedError(f'faulthandler.{name}() is not available in the sandbox')
    function.__name__ = function.__qualname__ = name
    return function


dump_traceback_later = _unavailable('dump_traceback_later')
dump_c_stack = _unavailable('dump_c_stack')
register = _unavailable('register')


def cancel_dump_traceback_later():
    """Nothing can be pending."""


def unregister(signum):
    return False
