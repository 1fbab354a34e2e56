"""Stands for `socket` and `socketserver` in modules that do most of their work without them: using it says what is missing."""


def _refuse(name):
    raise OSError(f'{name}: the sandbox has no network')


class _Server:
    def __init__(self, *args, **kwargs):
        _refuse(type(self).__name__)


class ThreadingTCPServer(_Server):
    pass


class StreamRequestHandler(_Server):
    pass


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    _refuse(f'socket.{name}')
