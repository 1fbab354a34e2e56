# Files: text, bytes, positions, modes and what goes wrong.
import io
import os
import tempfile

os.chdir(tempfile.mkdtemp())


def show(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


with open('a.txt', 'w', encoding='utf-8') as f:
    print(f.name, f.mode, f.encoding, f.errors, f.newlines, f.closed, f.line_buffering, f.writable(), f.readable(), f.seekable())
    print(f.write('héllo\nworld\r\nlast'), f.tell())
    f.writelines(['!', '\n'])
print(f.closed, f)
print(open('a.txt', 'rb').read())
for newline in (None, '', '\n', '\r', '\r\n'):
    with open('a.txt', newline=newline, encoding='utf-8') as f:
        print(newline, f.readlines(), f.newlines)
    with open('b.txt', 'w', newline=newline) as f:
        f.write('x\ny\r\nz')
    print(open('b.txt', 'rb').read())
with open('a.txt', encoding='utf-8') as f:
    places = []
    while line := f.readline():
        places.append(f.tell())
    print(places)
    for place in reversed(places):
        f.seek(place)
        print(place, repr(f.read(3)), f.tell())
    f.seek(0)
    next(f)
    show(f.tell)
    print(list(f), f.tell(), f.read())
with open('a.txt', 'r+', encoding='utf-8') as f:
    print(f.read(4), f.seek(0, 2), f.write('more'), f.seek(0), f.readline())
    show(lambda: f.seek(3, 1))
    show(lambda: f.seek(-1))
    show(lambda: f.seek(0, 7))
    print(f.truncate(5), f.seek(0), f.read())
with open('u.txt', 'w+', encoding='utf-16') as f:
    f.write('añ𝄞\n')
    f.write('second')
    f.seek(0)
    print(f.readline(), f.tell(), f.read())
print(open('u.txt', 'rb').read())
with open('u.txt', 'a', encoding='utf-16') as f:
    f.write('+')
print(open('u.txt', encoding='utf-16').read())
with open('l.txt', 'w', encoding='latin-1', errors='replace') as f:
    f.write('é€')
print(open('l.txt', 'rb').read(), open('l.txt', encoding='latin-1').read())
show(lambda: open('l.txt', encoding='utf-8').read())
show(lambda: open('l.txt', encoding='utf-8', errors='surrogateescape').read())
show(lambda: open('l.txt', encoding='nope'))
show(lambda: open('a.txt', 'w').read())
show(lambda: open('a.txt').write(''))
show(lambda: open('a.txt', 'rb').write(b''))
show(lambda: open('a.txt', 'wb').read())
for mode in ('', 'q', 'rw', 'rr', 'tb', 'r+', 'U', 'b', 'x'):
    show(lambda: open('a.txt', mode).mode)
for kw in (dict(mode='rb', encoding='utf-8'), dict(mode='rb', errors='x'), dict(mode='rb', newline=''), dict(newline='q'), dict(buffering=0), dict(buffering=-2),
           dict(closefd=False), dict(encoding=3), dict(mode=None), dict(buffering=1.5), dict(opener=lambda n, f: -1), dict(opener=lambda n, f: 'x')):
    show(lambda: open('a.txt', **kw))
show(lambda: open('missing.txt'))
show(lambda: open('.'))
show(lambda: open('a.txt/b', 'w'))
show(lambda: open('no/b', 'w'))
show(lambda: open(b'b.txt').name)
show(lambda: open('a\0b'))
show(lambda: open(3.5))

with open('bin', 'w+b') as f:
    print(f.write(b'0123456789'), f.tell(), f.seek(2), f.read(3), f.peek(1)[:2], f.tell())
    print(f.write(b'ab'), f.seek(-2, 2), f.read(), f.seek(0), f.read1(4), f.readinto(bytearray(3)), f.tell())
    buffer = bytearray(4)
    print(f.seek(5), f.readinto(buffer), buffer, f.truncate(), f.seek(0), f.read())
    print(f.raw.tell(), f.mode, f.raw.mode, f.raw.closefd)
with open('bin', 'rb', buffering=0) as f:
    print(type(f).__name__, f.read(2), f.readall(), f.read(), f.seekable(), f.fileno() == f.fileno())
with open('bin', 'ab') as f:
    print(f.tell(), f.write(b'!'), f.tell())
with io.open(os.open('bin', os.O_RDONLY), 'rb') as f:
    print(f.read(3), isinstance(f.name, int))
fd = os.open('bin', os.O_RDWR)
f = open(fd, 'rb', closefd=False)
print(f.read(1))
f.close()
print(os.read(fd, 2) is not None, os.lseek(fd, 0, 0), os.write(fd, b'ZZ'))
os.close(fd)
show(lambda: os.close(fd))
show(f.read)
show(lambda: next(f))
f = open('a.txt', 'w+')
f.write('one two')
g = f.detach()
show(f.read)
show(lambda: f.closed)
g.seek(0)
print(g.read())
r = io.TextIOWrapper(io.BytesIO(b'a\r\nb\rc\n'), encoding='ascii')
print(r.read(2), r.newlines, r.read(), r.newlines)
w = io.TextIOWrapper(io.BytesIO(), write_through=True, newline='\r\n')
w.write('a\nb')
print(w.buffer.getvalue(), w)
w.reconfigure(newline='\n', line_buffering=True)
w.write('\n')
print(w.buffer.getvalue(), w.line_buffering)
p = io.BufferedRWPair(io.BytesIO(b'read'), io.BytesIO())
print(p.read(2), p.write(b'x'), p.peek(1), p.readable(), p.writable())
d = io.IncrementalNewlineDecoder(None, True)
print([d.decode(s) for s in ('a\r', '\nb', '\rc\r')], d.decode('', final=True), d.newlines, d.getstate())
b = io.BufferedReader(io.BytesIO(b'line 1\nline 2\nend'), 4)
print(b.readline(), b.peek(), list(b), b.read())
show(lambda: io.BufferedReader(io.BytesIO(), 0))
show(lambda: io.BufferedWriter(open('bin', 'rb', 0)))
