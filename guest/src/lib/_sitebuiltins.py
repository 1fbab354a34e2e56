"""Builtins of interactive sessions."""

import sys


class Quitter:
    def __init__(self, name, eof='Ctrl-D (i.e. EOF)'):
        self.name = name
        self.eof = eof

    def __repr__(self):
        return f'Use {self.name}() or {self.eof} to exit'

    def __call__(self, code=None):
        raise SystemExit(code)


class _Printer:
    def __init__(self, name, text):
        self._name = name
        self._text = text

    def __repr__(self):
        return self._text

    def __call__(self):
        print(self._text)


class _Helper:
    """Define the builtin 'help'.

    This is a wrapper around pydoc.help that provides a helpful message
    when 'help' is typed at the Python interactive prompt.
    """

    def __repr__(self):
        return 'Type help() for interactive help, or help(object) for help about object.'

    def __call__(self, *args, **kwds):
        import pydoc
        return pydoc.help(*args, **kwds)


help = _Helper()
exit = Quitter('exit')
quit = Quitter('quit')
copyright = _Printer('copyright', 'Copyright (c) 2001 Python Software Foundation.\nAll Rights Reserved.')
credits = _Printer('credits', 'Thanks to the Python community for the language and its library.')
license = _Printer('license', 'See https://docs.python.org/3/license.html')


def breakpointhook(*args, **kwargs):
    """Calls what the variable PYTHONBREAKPOINT names; `pdb.set_trace` if it names nothing."""
    import os
    name = os.environ.get('PYTHONBREAKPOINT') or 'pdb.set_trace'
    if name == '0':
        return None
    module, _, attribute = name.rpartition('.')
    try:
        hook = getattr(__import__(module or 'builtins', fromlist=['_']), attribute)
    except (ImportError, AttributeError, ValueError):
        import warnings
        warnings.warn(f'Ignoring unimportable $PYTHONBREAKPOINT: "{name}"', RuntimeWarning, stacklevel=3)
        return None
    return hook(*args, **kwargs)
