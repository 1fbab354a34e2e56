"""Streams. There is no file system: what is here works in memory, or is the standard streams."""

import abc

from _io import (
    DEFAULT_BUFFER_SIZE, BlockingIOError, BytesIO, StringIO, TextIOWrapper, UnsupportedOperation,
    _BufferedIOBase, _IOBase, _RawIOBase, _TextIOBase, open, open_code, text_encoding,
)

__all__ = [
    "BlockingIOError", "open", "open_code", "IOBase", "RawIOBase", "FileIO", "BytesIO", "StringIO", "BufferedIOBase",
    "BufferedReader", "BufferedWriter", "BufferedRWPair", "BufferedRandom", "TextIOBase", "TextIOWrapper",
    "UnsupportedOperation", "SEEK_SET", "SEEK_CUR", "SEEK_END", "DEFAULT_BUFFER_SIZE", "IncrementalNewlineDecoder",
    "text_encoding", "Reader", "Writer",
]

SEEK_SET, SEEK_CUR, SEEK_END = range(3)

UnsupportedOperation.__module__ = "io"


class IOBase(_IOBase, metaclass=abc.ABCMeta):
    """The base of all stream classes."""


class RawIOBase(_RawIOBase, IOBase):
    """The base of raw binary streams."""


class BufferedIOBase(_BufferedIOBase, IOBase):
    """The base of buffered binary streams."""


class TextIOBase(_TextIOBase, IOBase):
    """The base of text streams."""


BufferedIOBase.register(BytesIO)
for _class in (StringIO, TextIOWrapper):
    TextIOBase.register(_class)
del _class


class FileIO(RawIOBase):
    """A raw file. Opening one always fails, since there is no file system."""

    def __init__(self, file, mode="r", closefd=True, opener=None):
        open(file, mode.replace("b", "") + "b")


class _Layer(BufferedIOBase):
    """What the buffered classes have in common."""

    def __init__(self, raw, buffer_size=DEFAULT_BUFFER_SIZE):
        if buffer_size <= 0:
            raise ValueError("buffer size must be strictly positive")
        self.raw = raw
        self._ahead = b""

    @property
    def closed(self):
        return self.raw.closed

    @property
    def name(self):
        return self.raw.name

    @property
    def mode(self):
        return self.raw.mode

    def close(self):
        if not self.raw.closed:
            try:
                self.flush()
            finally:
                self.raw.close()

    def detach(self):
        self.flush()
        raw, self.raw = self.raw, None
        return raw

    def flush(self):
        if self.raw.closed:
            raise ValueError("flush of closed file")
        self.raw.flush()

    def seekable(self):
        return self.raw.seekable()

    def isatty(self):
        return self.raw.isatty()

    def fileno(self):
        return self.raw.fileno()

    def tell(self):
        return self.raw.tell() - len(self._ahead)

    def seek(self, pos, whence=SEEK_SET):
        if whence == SEEK_CUR:
            pos -= len(self._ahead)
        self._ahead = b""
        return self.raw.seek(pos, whence)

    def truncate(self, pos=None):
        return self.raw.truncate(self.tell() if pos is None else pos)

    def __repr__(self):
        name = getattr(self.raw, "name", None)
        shown = "" if name is None else f" name={name!r}"
        return f"<_io.{type(self).__name__}{shown}>"


class _ReadMixin:
    def readable(self):
        return self.raw.readable()

    def read(self, size=-1, /):
        if size is not None and size < -1:
            raise ValueError("read length must be non-negative or -1")
        if size is None or size < 0:
            parts = [self._ahead]
            self._ahead = b""
            rest = self.raw.readall() if hasattr(self.raw, "readall") else self.raw.read()
            parts.append(rest or b"")
            return b"".join(parts)
        while len(self._ahead) < size:
            part = self.raw.read(size - len(self._ahead))
            if not part:
                break
            self._ahead += part
        taken, self._ahead = self._ahead[:size], self._ahead[size:]
        return taken

    def read1(self, size=-1, /):
        if size < 0:
            size = DEFAULT_BUFFER_SIZE
        if not self._ahead:
            self._ahead = self.raw.read(size) or b""
        taken, self._ahead = self._ahead[:size], self._ahead[size:]
        return taken

    def peek(self, size=0, /):
        if not self._ahead:
            self._ahead = self.raw.read(DEFAULT_BUFFER_SIZE) or b""
        return self._ahead

    def readline(self, size=-1, /):
        line = bytearray()
        while size is None or size < 0 or len(line) < size:
            ahead = self.peek()
            if not ahead:
                break
            end = ahead.find(b"\n") + 1 or len(ahead)
            if size is not None and size >= 0:
                end = min(end, size - len(line))
            line += self.read(end)
            if line.endswith(b"\n"):
                break
        return bytes(line)


class _WriteMixin:
    def writable(self):
        return self.raw.writable()

    def write(self, data, /):
        if self.raw.closed:
            raise ValueError("write to closed file")
        if isinstance(data, str):
            raise TypeError(f"a bytes-like object is required, not {type(data).__name__!r}")
        if self._ahead:
            self.seek(0, SEEK_CUR)
        view = memoryview(data).cast("B")
        total = 0
        while total < len(view):
            total += self.raw.write(view[total:])
        return total


class BufferedReader(_ReadMixin, _Layer):
    """Reads from a raw stream."""


class BufferedWriter(_WriteMixin, _Layer):
    """Writes to a raw stream."""


class BufferedRandom(_ReadMixin, _WriteMixin, _Layer):
    """Reads from and writes to a raw stream."""


class BufferedRWPair(BufferedIOBase):
    """A reader and a writer in one."""

    def __init__(self, reader, writer, buffer_size=DEFAULT_BUFFER_SIZE):
        self.reader = BufferedReader(reader, buffer_size)
        self.writer = BufferedWriter(writer, buffer_size)
        for name in ("read", "read1", "peek", "readline", "readable"):
            setattr(self, name, getattr(self.reader, name))
        for name in ("write", "flush", "writable"):
            setattr(self, name, getattr(self.writer, name))

    @property
    def closed(self):
        return self.writer.closed

    def close(self):
        self.writer.close()
        self.reader.close()


class IncrementalNewlineDecoder:
    """Decodes, and makes line ends out of what other systems have for them."""

    def __init__(self, decoder, translate, errors="strict"):
        self.decoder = decoder
        self.translate = translate
        self.errors = errors
        self._held = ""
        self._seen = set()

    def decode(self, input, final=False):
        text = input if self.decoder is None else self.decoder.decode(input, final=final)
        text = self._held + text
        self._held = ""
        if text.endswith("\r") and not final:
            text, self._held = text[:-1], "\r"
        pairs = text.count("\r\n")
        for end, count in (("\r\n", pairs), ("\r", text.count("\r") - pairs), ("\n", text.count("\n") - pairs)):
            if count:
                self._seen.add(end)
        if self.translate:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text

    def reset(self):
        self._held = ""
        self._seen.clear()
        if self.decoder is not None:
            self.decoder.reset()

    @property
    def newlines(self):
        seen = [end for end in ("\r", "\n", "\r\n") if end in self._seen]
        if not seen:
            return None
        return seen[0] if len(seen) == 1 else tuple(seen)


class Reader(metaclass=abc.ABCMeta):
    """Protocol: has `read`."""

    __slots__ = ()

    @abc.abstractmethod
    def read(self, size=..., /):
        """Reads up to `size` items."""

    @classmethod
    def __subclasshook__(cls, other):
        return any("read" in base.__dict__ for base in other.__mro__) if cls is Reader else NotImplemented


class Writer(metaclass=abc.ABCMeta):
    """Protocol: has `write`."""

    __slots__ = ()

    @abc.abstractmethod
    def write(self, data, /):
        """Writes `data` and tells how much was written."""

    @classmethod
    def __subclasshook__(cls, other):
        return any("write" in base.__dict__ for base in other.__mro__) if cls is Writer else NotImplemented
