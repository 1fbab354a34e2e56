"""Stands for `socket` and `socketserver` in modules that do most of their work without them: using it says what is missing."""

import errno as _errno

# What such modules name when they are imported, or catch.
error = OSError
timeout = TimeoutError
_GLOBAL_DEFAULT_TIMEOUT = object()
AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 = 0, 1, 2, 10
SOCK_STREAM, SOCK_DGRAM = 1, 2
IPPROTO_TCP, TCP_NODELAY = 6, 1
SHUT_RD, SHUT_WR, SHUT_RDWR = 0, 1, 2
SOL_SOCKET, SO_REUSEADDR, AI_PASSIVE = 1, 2, 1


class gaierror(OSError):
    """What CPython raises when a name has no address."""


class herror(OSError):
    pass


def _refuse(name):
    raise OSError(_errno.ENETDOWN, f'{name}: the sandbox has no network')


def gethostname():
    """Return the name of the machine; asking for it needs no network."""
    import platform
    return platform.node() or 'localhost'


def getfqdn(name=''):
    """Return the full name of a machine: the given one, for there is nobody to ask for a longer one."""
    return name if name and name not in ('0.0.0.0', '::') else gethostname()


class _Server:
    def __init__(self, *args, **kwargs):
        _refuse(type(self).__name__)


class BaseServer(_Server):
    pass


class TCPServer(BaseServer):
    pass


class UDPServer(BaseServer):
    pass


class ThreadingMixIn:
    pass


class ThreadingTCPServer(ThreadingMixIn, TCPServer):
    pass


class BaseRequestHandler:
    """Answers one request over the connection it is given: the steps of the library's class of this name."""

    def __init__(self, request, client_address, server):
        self.request = request
        self.client_address = client_address
        self.server = server
        self.setup()
        try:
            self.handle()
        finally:
            self.finish()

    def setup(self):
        pass

    def handle(self):
        pass

    def finish(self):
        pass


class StreamRequestHandler(BaseRequestHandler):
    """The same over files that the request object makes (a test's stand-in for a connection has `makefile`)."""

    rbufsize = -1
    wbufsize = 0
    timeout = None
    disable_nagle_algorithm = False

    def setup(self):
        self.connection = self.request
        self.rfile = self.connection.makefile('rb', self.rbufsize)
        self.wfile = self.connection.makefile('wb', self.wbufsize)

    def finish(self):
        if not self.wfile.closed:
            self.wfile.flush()
        self.wfile.close()
        self.rfile.close()


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    _refuse(f'socket.{name}')
