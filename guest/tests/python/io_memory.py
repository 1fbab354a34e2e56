import io
import sys
import contextlib

def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)

s = io.StringIO('one\ntwo\nthree')
print(s.read(2), repr(s.readline()), s.tell(), list(s), repr(s.read()), s.seek(0), s.readlines(), s.getvalue())
s = io.StringIO()
print(s.write('héllo'), s.write(' wörld'), s.tell(), s.seek(1), s.write('E'), s.getvalue(), s.read(), s.seek(0, 2), s.tell(), s.truncate(3), s.getvalue(), s.seek(5), s.write('x'), repr(s.getvalue()))
print(attempt(s.write, 1), attempt(s.write, b''), attempt(io.StringIO, 5), attempt(io.StringIO, '', 'x'), attempt(s.seek, -1), attempt(s.seek, 1, 1), attempt(s.seek, 0, 5), attempt(s.truncate, -1))
print(s.closed, s.readable(), s.writable(), s.seekable(), s.isatty(), s.encoding, s.errors, s.newlines, s.line_buffering, s.close(), s.closed, attempt(s.read), attempt(s.getvalue), attempt(s.write, 'a'))
print(repr(io.StringIO('a\r\nb\rc\n').read()), repr(io.StringIO('a\r\nb\rc\n', newline=None).read()), io.StringIO('a\r\nb\rc\n', newline='').readlines(), repr(io.StringIO('a\nb', newline='\r\n').getvalue()), io.StringIO('a\r\nb\rc\n').readlines())
with io.StringIO() as f:
    print('hello', 1, 2, sep='-', end='!\n', file=f)
    f.writelines(['a', 'b'])
    print(repr(f.getvalue()))
print(f.closed, attempt(f.__enter__))
b = io.BytesIO(b'one\ntwo')
print(b.read(2), b.readline(), b.tell(), list(b), b.read(), b.seek(0), b.readlines(), b.getvalue(), b.seek(-2, 2), b.read1(), b.seek(1), b.write(b'XY'), b.getvalue(), b.truncate(), b.getvalue())
print(b.seek(6), b.write(bytearray(b'z')), b.getvalue(), attempt(b.write, 'a'), attempt(b.seek, -1), attempt(io.BytesIO, 'a'), attempt(io.BytesIO, 5))
buf = bytearray(4)
print(b.seek(0), b.readinto(buf), buf, bytes(b.getbuffer()[:3]))
view = b.getbuffer()
print(attempt(b.write, b'0123456789'), view.release(), b.write(b'0123456789'), b.close(), b.closed, attempt(b.read))
t = io.TextIOWrapper(io.BytesIO('é\r\nb\n'.encode()), encoding='utf-8')
print(t.readline(), t.read(), t.encoding, t.errors, t.readable(), t.closed)
raw = io.BytesIO()
t = io.TextIOWrapper(raw, encoding='latin-1', newline='\r\n')
print(t.write('é\n'), t.flush(), raw.getvalue(), attempt(io.TextIOWrapper, io.BytesIO(), 'nope'))
print(issubclass(io.StringIO, io.TextIOBase), isinstance(io.BytesIO(), io.BufferedIOBase), isinstance(sys.stdout, io.TextIOBase), issubclass(io.UnsupportedOperation, (OSError)), issubclass(io.UnsupportedOperation, ValueError), isinstance(io.StringIO(), io.IOBase))
print(io.SEEK_SET, io.SEEK_CUR, io.SEEK_END, io.StringIO, io.BytesIO, io.UnsupportedOperation, io.IOBase)
with contextlib.redirect_stdout(io.StringIO()) as out:
    print('captured')
    sys.stdout.write('more')
print(repr(out.getvalue()))
class Upper(io.TextIOBase):
    def __init__(self):
        self.parts = []
    def write(self, s):
        self.parts.append(s.upper())
        return len(s)
    def writable(self):
        return True
u = Upper()
print('abc', 'd', file=u, flush=True)
print(u.parts, u.closed, u.close(), u.closed, attempt(u.read), attempt(u.fileno), attempt(u.flush))
class Raw(io.RawIOBase):
    def __init__(self, data):
        self.data = data
    def readable(self):
        return True
    def readinto(self, b):
        n = min(len(b), len(self.data), 3)
        b[:n] = self.data[:n]
        self.data = self.data[n:]
        return n
print(Raw(b'abcdefgh').read(), Raw(b'ab\ncd').readline(), list(Raw(b'ab\ncd')), io.BufferedReader(Raw(b'abcdefgh')).read(5), io.BufferedReader(Raw(b'a\nbc\nd')).readlines(), list(io.TextIOWrapper(io.BufferedReader(Raw(b'x\ny')))))
class S(io.StringIO):
    def shout(self):
        return self.getvalue().upper()
s = S('abc')
s.extra = 1
print(s.shout(), s.extra, type(s).__name__, S.__mro__[1])
print(attempt(open, 'x', 'q'), attempt(open, 'x', 'rw'), attempt(open, 'x', 'rtb'), attempt(open, [])[0])
try:
    open('/no/such/file.txt')
except FileNotFoundError as e:
    print(e.errno, e.filename)
print(sys.stdout.writable(), sys.stdout.readable(), sys.stdout.encoding, sys.stdout.name, sys.stdout.mode, sys.stderr.errors, sys.stdout.buffer is not None, sys.stdout is sys.__stdout__)
sys.stdout.flush()
sys.stdout.buffer.write(b'bytes\n')
sys.stdout.buffer.flush()
print(sys.stdout.write('abc\n'), attempt(sys.stdout.write, 5))
