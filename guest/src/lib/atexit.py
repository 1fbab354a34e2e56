"""Functions to be called when a program has ended."""

_functions = []


def register(func, /, *args, **kwargs):
    if not callable(func):
        raise TypeError('the first argument must be callable')
    _functions.append((func, args, kwargs))
    return func


def unregister(func, /):
    _functions[:] = [entry for entry in _functions if entry[0] != func]


def _clear():
    _functions.clear()


def _ncallbacks():
    return len(_functions)


def _run_exitfuncs():
    import sys
    while _functions:
        func, args, kwargs = _functions.pop()
        try:
            func(*args, **kwargs)
        except SystemExit:
            pass
        except BaseException:
            sys.excepthook(*sys.exc_info())
