# Programs that want all the memory, at once or little by little, in Python objects or behind them.

#: case a text of ten gigabytes
#: ends memory
'x' * 10**10

#: case bytes of a gigabyte
#: ends memory
b'x' * 10**9

#: case a bytearray of a gigabyte
#: ends memory
bytearray(10**9)

#: case a list of a milliard
#: ends memory
[0] * 10**9

#: case a tuple of a milliard
#: ends memory
(0,) * 10**9

#: case a deque of a milliard
#: ends memory
import collections
collections.deque([0]) * 10**9

#: case an array of a milliard
#: ends memory
import array
array.array('d', [0]) * 10**9

#: case a list times 2**63
#: raises OverflowError: cannot fit 'int' into an index-sized integer
[0] * 2**63

#: case a text times 2**62
#: ends memory
'ab' * 2**62

#: case a list of a range
#: ends memory
list(range(10**8))

#: case a set of a range
#: ends memory
set(range(10**8))

#: case a dictionary of a range
#: ends memory
dict.fromkeys(range(10**8))

#: case a sorted range
#: ends memory
sorted(range(10**8))

#: case a reversed list
#: ends memory
list(reversed(range(10**8)))

#: case a shift
#: ends memory
1 << 10**10

#: case a shift by 2**70
#: raises OverflowError: too many digits in integer
1 << 2**70

#: case int.from_bytes and its power
#: ends memory
int.from_bytes(b'\xff' * 10**6, 'big') ** 1000

#: case to_bytes
#: ends memory
(1).to_bytes(10**10, 'big')

#: case padding
#: ends memory
'x'.center(10**10)

#: case zeros
#: ends memory
'1'.zfill(10**9)

#: case tabs
#: raises OverflowError: new string is too long
('\t' * 1000).expandtabs(10**8)

#: case a join
#: ends memory
'x' * 10**6 and ('y' * 10**6).join(['a'] * 10**6)

#: case a replacement of nothing
#: ends memory
('a' * 10**6).replace('', 'b' * 10**6)

#: case a format of a float
#: ends memory
format(1.0, '.1000000000f')

#: case a float by printf
#: ends memory
'%.1000000000f' % 1.0

#: case a number with a width
#: ends memory
f'{1:1000000000}'

#: case a repr that multiplies
#: ends memory
x = 'a' * 10**6
for _ in range(20): x = [x, x]
repr(x)

#: case a million laughs
#: ends memory
x = 'ha'
for _ in range(40): x = x + x

#: case a billion laughs in lists
#: ends memory
x = ['lol']
for _ in range(40): x = x + x

#: case appending for ever
#: ends memory|time|fuel
a = []
while True: a.append('x' * 1000)

#: case a list of itself
#: ends memory|time|fuel
a = [0]
while True: a.extend(a)

#: case a list of small objects
#: ends memory|time|fuel
a = []
while True: a.append(object())

#: case instances with attributes
#: ends memory|time|fuel
class C: pass
a = []
while True:
    c = C()
    c.x = c.y = a
    a.append(c)

#: case classes
#: ends memory|time|fuel
a = []
while True: a.append(type('C', (), {}))

#: case functions
#: ends memory|time|fuel
a = []
while True: a.append(lambda: a)

#: case generators that wait
#: ends memory|time|fuel
a = []
def g(): yield
while True:
    a.append(g())
    next(a[-1])

#: case exceptions with tracebacks
#: ends memory|time|fuel
a = []
while True:
    try: 1 / 0
    except ZeroDivisionError as e: a.append(e)

#: case a dictionary that grows
#: ends memory|time|fuel
d = {}
while True: d[len(d)] = None

#: case attributes that grow
#: ends memory|time|fuel
class C: pass
c = C()
i = 0
while True:
    setattr(c, f'a{i}', i)
    i += 1

#: case global names that grow
#: ends memory|time|fuel
i = 0
while True:
    globals()[f'a{i}'] = i
    i += 1

#: case a set that grows
#: ends memory|time|fuel
s = set()
while True: s.add(len(s))

#: case a text that grows
#: ends memory|time|fuel
s = 'x'
while True: s += s

#: case a text that grows slowly
#: ends memory|time|fuel
s = ''
while True: s += 'x' * 100000

#: case bytes that grow
#: ends memory|time|fuel
b = bytearray(b'x')
while True: b.extend(b)

#: case a bytearray resized
#: ends memory
b = bytearray()
b.resize(2**40)

#: case a text in memory
#: ends memory|time|fuel
import io
s = io.StringIO()
while True: s.write('x' * 1000000)

#: case bytes in memory
#: raises OverflowError: new position too large
import io
b = io.BytesIO()
b.seek(10**10)
b.write(b'x')

#: case numbers that grow
#: ends memory|time|fuel
x = 3
while True: x = x * x

#: case a factorial that grows
#: ends memory|time|fuel
x = y = 1
while True:
    y += 1
    x *= x + y

#: case a cycle that nobody frees
#: ends memory|time|fuel
import gc
gc.disable()
while True:
    a = []
    a.append(a)
    a.append('x' * 100000)

#: case tee of endless many
#: ends memory
import itertools
a, b = itertools.tee(itertools.count())
for _ in a: pass

#: case a cache without end
#: ends memory|time|fuel
import functools
@functools.cache
def f(n): return 'x' * 1000 + str(n)
n = 0
while True:
    f(n)
    n += 1

#: case interned texts
#: ends memory|time|fuel
import sys
i = 0
while True:
    sys.intern('x' * 100 + str(i))
    i += 1

#: case a keyword for every name
#: ends memory
f = lambda **k: k
f(**{f'a{i}': i for i in range(10**7)})

#: case arguments by the million
#: ends memory
f = lambda *a: a
f(*range(10**8))

#: case a product in memory
#: ends memory
import itertools
list(itertools.product(range(100), repeat=5))

#: case permutations in memory
#: ends memory
import itertools
sorted(itertools.permutations(range(12)))

#: case a product of a giant range
#: ends memory
import itertools
itertools.product(range(10**9))

#: case combinations of a giant range
#: ends memory
import itertools
itertools.combinations(range(10**9), 10**9)

#: case a heap of endless many
#: ends memory
import heapq, itertools
heapq.nlargest(10**9, itertools.count())

#: case a deque of endless many
#: ends memory
import collections, itertools
collections.deque(itertools.count())

#: case random bytes
#: ends memory
import random
random.randbytes(10**9)

#: case random bits
#: ends memory
import random
random.getrandbits(10**10)

#: case decimals
#: ends memory
import decimal
decimal.getcontext().prec = 10**9
decimal.Decimal(1) / 3

#: case splitting into a milliard
#: ends memory
('a,' * 10**7).split(',')

#: case lines of nothing
#: ends memory
('\n' * 10**7).splitlines()

#: case findall of nothing
#: ends memory
import re
re.findall('', 'x' * 10**7)

#: case a substitution of nothing
#: ends memory
import re
re.sub('', 'y' * 1000, 'x' * 10**6)

#: case a pattern of a giant repeat
#: raises PatternError: multiple repeat at position 17
import re
re.compile('(?:a{1000}){1000}{1000}')

#: case a pattern of giant repeats
#: value none
import re
re.compile('((((a{1000}){1000}){1000}){1000}){1000}').match('a' * 1000)

#: case a zlib bomb
#: ends memory
import zlib
c = zlib.compressobj(9, zlib.DEFLATED, -15)
piece = c.compress(b'\0' * 10**6) + c.flush(zlib.Z_FULL_FLUSH)
zlib.decompress(piece * 1000, -15)

#: case a gzip bomb
#: ends memory
import gzip
gzip.decompress(gzip.compress(b'\0' * 10**6) * 1000)

#: case a bz2 bomb
#: ends memory
import bz2
bz2.decompress(bz2.compress(b'\0' * 10**6) * 1000)

#: case a zip bomb
#: stops
import zipfile, io
out = io.BytesIO()
with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z: z.writestr('bomb', b'\0' * 10**6)
data = bytearray(out.getvalue())
at = data.rindex(b'PK\1\2')
data[at + 24:at + 28] = data[22:26] = b'\xff\xff\xff\x7f'
zipfile.ZipFile(io.BytesIO(data)).read('bomb')

#: case a bomb in small pieces
#: ends memory|time|fuel
import zlib
c = zlib.compressobj(9, zlib.DEFLATED, -15)
piece = c.compress(b'\0' * 10**6) + c.flush(zlib.Z_FULL_FLUSH)
d = zlib.decompressobj(-15)
out = []
while True: out.append(d.decompress(piece))

#: case zlib.decompress with a giant buffer
#: value b'x'
import zlib
zlib.decompress(zlib.compress(b'x'), bufsize=2**62)

#: case a decompressor with a giant limit
#: stops
import zlib
zlib.decompressobj().decompress(zlib.compress(b'x'), 2**62)

#: case files that fill the quota
#: limits files=1M
#: raises OSError: [Errno 28] No space left on device
with open('f', 'wb') as f:
    while True: f.write(b'x' * 10000)

#: case files without number
#: limits files=1M
#: raises OSError: [Errno 28] No space left on device: ...
n = 0
while True:
    with open(f'f{n}', 'wb') as f: f.write(b'x')
    n += 1

#: case empty files without number
#: limits files=1M
#: raises OSError: [Errno 28] No space left on device: ...
n = 0
while True:
    open(f'f{n}', 'wb').close()
    n += 1

#: case directories without number
#: limits files=1M
#: raises OSError: [Errno 28] No space left on device: ...
import os
n = 0
while True:
    os.mkdir(f'd{n}')
    n += 1

#: case links without number
#: limits files=1M
#: raises OSError: [Errno 28] No space left on device: ...
import os
n = 0
while True:
    os.symlink('x' * 1000, f'd{n}')
    n += 1

#: case open files without number
#: raises OSError: [Errno 24] Too many open files: '/dev/null'
a = []
while True: a.append(open('/dev/null'))

#: case a file for writing opened twice
#: limits files=1M
#: raises OSError: [Errno 28] No space left on device
f, g = open('f', 'wb'), open('f', 'ab')
while True:
    f.write(b'x' * 1000)
    g.write(b'y' * 1000)
    f.flush()
    g.flush()

#: case temporary files
#: limits files=1M
#: raises OSError: [Errno 28] No space left on device
import tempfile
a = []
while True:
    t = tempfile.TemporaryFile()
    t.write(b'x' * 100000)
    t.flush()
    a.append(t)

#: case a MemoryError that is caught
#: value 'caught'
try: x = [0] * 10**9
except MemoryError: x = 'caught'
x

#: case a MemoryError that is caught again and again
#: limits time=1s
#: ends time
while True:
    try:
        a = []
        while True: a.append('x' * 100000)
    except MemoryError: pass

#: case the message of an exception is 50 megabytes
#: ends memory
raise ValueError('x' * 50000000)

#: case the message of an exit is large
#: ends memory
raise SystemExit('x' * 50000000)

#: case the name of an exception is large
#: stops
raise type('E' * 1000000, (Exception,), {})

#: case notes without end
#: stops
e = ValueError('x')
e.__notes__ = ['note' * 10000] * 100
raise e

#: case a traceback with a line of a megabyte
#: raises ZeroDivisionError: division by zero
eval('1 / 0 #' + 'x' * 10**6)

#: case a syntax error in a line of a megabyte
#: raises SyntaxError: invalid syntax (f, line 1)
compile('x = ' + 'y' * 10**6 + ' z', 'f', 'exec')

#: case a file name of a megabyte
#: stops
exec(compile('1 / 0', 'x' * 10**6, 'exec'))

#: case the last value is a text of 50 megabytes
#: stops
'x' * 50000000

#: case the last value is a list of a million
#: stops
[None] * 1000000

#: case the repr of the last value is 50 megabytes
#: stops
class C:
    def __repr__(self): return 'x' * 50000000
C()

#: case the repr of the last value raises
#: raises ValueError: no repr
class C:
    def __repr__(self): raise ValueError('no repr')
C()

#: case the repr of the last value is no text
#: raises TypeError: __repr__ returned non-string (type int)
class C:
    def __repr__(self): return 5
C()

#: case the repr of the last value exits
#: ends exit
class C:
    def __repr__(self): raise SystemExit(7)
C()

#: case the last value goes round
#: value [[...]]
x = []
x.append(x)
x

#: case the last value is deep
#: ends recursion
x = []
for _ in range(100000): x = [x]
x
