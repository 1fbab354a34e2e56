"""Streams without a network: `StreamReader` works on what a program feeds it; connections are refused."""

__all__ = ('StreamReader', 'StreamWriter', 'StreamReaderProtocol', 'open_connection', 'start_server', 'open_unix_connection', 'start_unix_server')

from . import events, exceptions, format_helpers, protocols

_DEFAULT_LIMIT = 2 ** 16


def _refuse(name):
    raise NotImplementedError(f'the sandbox has no sockets: {name}() is not available')


async def open_connection(host=None, port=None, *, limit=_DEFAULT_LIMIT, **kwds):
    _refuse('open_connection')


async def start_server(client_connected_cb, host=None, port=None, *, limit=_DEFAULT_LIMIT, **kwds):
    _refuse('start_server')


async def open_unix_connection(path=None, *, limit=_DEFAULT_LIMIT, **kwds):
    _refuse('open_unix_connection')


async def start_unix_server(client_connected_cb, path=None, *, limit=_DEFAULT_LIMIT, **kwds):
    _refuse('start_unix_server')


class StreamReader:
    """Bytes that arrive piece by piece, and coroutines that wait for enough of them."""

    _source_traceback = None

    def __init__(self, limit=_DEFAULT_LIMIT, loop=None):
        if limit <= 0:
            raise ValueError('Limit cannot be <= 0')
        self._limit = limit
        self._loop = events.get_event_loop() if loop is None else loop
        self._buffer = bytearray()
        self._eof = False
        self._waiter = None
        self._exception = None
        self._transport = None
        self._paused = False
        if self._loop.get_debug():
            import sys
            self._source_traceback = format_helpers.extract_stack(sys._getframe(1))

    def __repr__(self):
        info = ['StreamReader']
        if self._buffer:
            info.append(f'{len(self._buffer)} bytes')
        if self._eof:
            info.append('eof')
        if self._limit != _DEFAULT_LIMIT:
            info.append(f'limit={self._limit}')
        if self._waiter:
            info.append(f'waiter={self._waiter!r}')
        if self._exception:
            info.append(f'exception={self._exception!r}')
        if self._transport:
            info.append(f'transport={self._transport!r}')
        if self._paused:
            info.append('paused')
        return f"<{' '.join(info)}>"

    # The side that feeds.

    def exception(self):
        return self._exception

    def set_exception(self, exc):
        self._exception = exc
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.cancelled():
            waiter.set_exception(exc)

    def set_transport(self, transport):
        assert self._transport is None, 'Transport already set'
        self._transport = transport

    def _wake(self):
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.cancelled():
            waiter.set_result(None)

    def feed_eof(self):
        self._eof = True
        self._wake()

    def feed_data(self, data):
        assert not self._eof, 'feed_data after feed_eof'
        if not data:
            return
        self._buffer.extend(data)
        self._wake()
        if self._transport is not None and not self._paused and len(self._buffer) > 2 * self._limit:
            try:
                self._transport.pause_reading()
            except NotImplementedError:
                # It cannot be paused, so there is no use in asking again.
                self._transport = None
            else:
                self._paused = True

    def at_eof(self):
        """Whether everything was read and nothing more will come."""
        return self._eof and not self._buffer

    # The side that reads.

    def _take(self, count):
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        if self._paused and len(self._buffer) <= self._limit:
            self._paused = False
            self._transport.resume_reading()
        return data

    async def _more(self, name):
        """Waits for more data or the end."""
        if self._waiter is not None:
            raise RuntimeError(f'{name}() called while another coroutine is already waiting for incoming data')
        assert not self._eof, '_wait_for_data after EOF'
        if self._paused:
            self._paused = False
            self._transport.resume_reading()
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _check(self):
        if self._exception is not None:
            raise self._exception

    async def readline(self):
        """A line with its end; what is left at the end of the stream."""
        try:
            return await self.readuntil(b'\n')
        except exceptions.IncompleteReadError as e:
            return e.partial
        except exceptions.LimitOverrunError as e:
            if self._buffer.startswith(b'\n', e.consumed):
                del self._buffer[:e.consumed + 1]
            else:
                self._buffer.clear()
            raise ValueError(e.args[0])

    async def readuntil(self, separator=b'\n'):
        """Everything up to a separator, which is part of it; `separator` may be a tuple of several."""
        separators = sorted(separator, key=len) if isinstance(separator, tuple) else [separator]
        if not separators:
            raise ValueError('Separator should contain at least one element')
        shortest, longest = len(separators[0]), len(separators[-1])
        if shortest == 0:
            raise ValueError('Separator should be at least one-byte string')
        self._check()
        searched = 0
        while True:
            # The nearest end counts.
            found = None
            if len(self._buffer) - searched >= shortest:
                for sep in separators:
                    at = self._buffer.find(sep, searched)
                    if at != -1 and (found is None or at + len(sep) < found[1]):
                        found = (at, at + len(sep))
                if found:
                    break
                searched = max(0, len(self._buffer) + 1 - longest)
                if searched > self._limit:
                    raise exceptions.LimitOverrunError('Separator is not found, and chunk exceed the limit', searched)
            if self._eof:
                raise exceptions.IncompleteReadError(self._take(len(self._buffer)), None)
            await self._more('readuntil')
        if found[0] > self._limit:
            raise exceptions.LimitOverrunError('Separator is found, but chunk is longer than limit', found[0])
        return self._take(found[1])

    async def read(self, n=-1):
        """Up to `n` bytes, at least one unless the stream has ended; everything for a negative `n`."""
        self._check()
        if n == 0:
            return b''
        if n < 0:
            pieces = []
            while piece := await self.read(self._limit):
                pieces.append(piece)
            return b''.join(pieces)
        if not self._buffer and not self._eof:
            await self._more('read')
        return self._take(n)

    async def readexactly(self, n):
        """Exactly `n` bytes, or `IncompleteReadError`."""
        if n < 0:
            raise ValueError('readexactly size can not be less than zero')
        self._check()
        if n == 0:
            return b''
        while len(self._buffer) < n:
            if self._eof:
                raise exceptions.IncompleteReadError(self._take(len(self._buffer)), n)
            await self._more('readexactly')
        return self._take(n)

    def __aiter__(self):
        return self

    async def __anext__(self):
        line = await self.readline()
        if not line:
            raise StopAsyncIteration
        return line


class StreamReaderProtocol(protocols.Protocol):
    """Hands what a transport receives to a `StreamReader`."""

    def __init__(self, stream_reader, client_connected_cb=None, loop=None):
        self._loop = events.get_event_loop() if loop is None else loop
        self._reader = stream_reader
        self._closed = self._loop.create_future()

    def connection_made(self, transport):
        self._reader.set_transport(transport)

    def data_received(self, data):
        self._reader.feed_data(data)

    def eof_received(self):
        self._reader.feed_eof()
        return True

    def connection_lost(self, exc):
        if exc is None:
            self._reader.feed_eof()
        else:
            self._reader.set_exception(exc)
        if not self._closed.done():
            self._closed.set_result(None)


class StreamWriter:
    """Writes to a transport that a program provides."""

    def __init__(self, transport, protocol, reader, loop):
        self._transport = transport
        self._protocol = protocol
        self._reader = reader
        self._loop = loop

    def __repr__(self):
        info = ['StreamWriter', f'transport={self._transport!r}']
        if self._reader is not None:
            info.append(f'reader={self._reader!r}')
        return f"<{' '.join(info)}>"

    @property
    def transport(self):
        return self._transport

    def write(self, data):
        self._transport.write(data)

    def writelines(self, data):
        self._transport.writelines(data)

    def can_write_eof(self):
        return self._transport.can_write_eof()

    def write_eof(self):
        return self._transport.write_eof()

    def close(self):
        return self._transport.close()

    def is_closing(self):
        return self._transport.is_closing()

    def get_extra_info(self, name, default=None):
        return self._transport.get_extra_info(name, default)

    async def wait_closed(self):
        await self._protocol._closed

    async def drain(self):
        if self._reader is not None:
            self._reader._check()
        from .tasks import sleep
        await sleep(0)
