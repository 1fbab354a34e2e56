"""The name `pdb` for programs that mention it: there is no terminal here at which to debug, and starting says so."""

__all__ = ['Pdb', 'Restart', 'set_trace', 'post_mortem', 'pm', 'run', 'runeval', 'runcall', 'runctx']

import sys


class Restart(Exception):
    """The program is to be started again."""


def _refuse(what):
    raise RuntimeError(f'{what}: the sandbox has no terminal to debug at')


class Pdb:
    """Keeps its options, as those who replace the debugger's output expect; every way of starting it is refused."""

    def __init__(self, completekey='tab', stdin=None, stdout=None, skip=None, nosigint=False, readrc=True, mode=None, backend=None, colorize=False):
        self.stdin = stdin if stdin is not None else sys.stdin
        self.stdout = stdout if stdout is not None else sys.stdout
        self.skip = skip
        self.nosigint = nosigint
        self.use_rawinput = stdin is None and stdout is None

    def reset(self):
        """Nothing was traced."""

    def set_continue(self):
        """Nothing was stopped."""

    def set_trace(self, frame=None, *, commands=None):
        _refuse('pdb.set_trace()')

    def run(self, cmd, globals=None, locals=None):
        _refuse('pdb.run()')

    def runeval(self, expr, globals=None, locals=None):
        _refuse('pdb.runeval()')

    def runcall(self, func, /, *args, **kwds):
        _refuse('pdb.runcall()')

    runctx = run


def set_trace(*, header=None, commands=None):
    _refuse('pdb.set_trace()')


def post_mortem(t=None):
    _refuse('pdb.post_mortem()')


def pm():
    _refuse('pdb.pm()')


def run(statement, globals=None, locals=None):
    _refuse('pdb.run()')


def runctx(statement, globals, locals):
    _refuse('pdb.runctx()')


def runeval(expression, globals=None, locals=None):
    _refuse('pdb.runeval()')


def runcall(*args, **kwds):
    _refuse('pdb.runcall()')
