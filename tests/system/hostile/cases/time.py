# Programs that never end, or end in a thousand years: in Python code, in native code, and in what native code calls.

#: case a power of a power
#: ends memory
10**10**8

#: case a shift and a square
#: limits time=500ms
#: ends memory|time
x = 1 << (1 << 24)
while True: x = x * x

#: case a product of two large numbers
#: limits time=300ms
#: ends time
x = 3 ** 3000000
while True: x * x

#: case a quotient of two large numbers
#: limits time=300ms
#: ends time
x = (1 << 6000000) // 3
y = (1 << 3000000) // 7
while True: x // y

#: case a remainder by pow
#: limits time=300ms
#: stops
n = (1 << 20000) + 1
pow(3, n - 2, n)

#: case an inverse by pow
#: limits time=300ms
#: stops
n = (1 << 2000000) + 1
pow(3 ** 1000000, -1, n)

#: case a greatest common divisor
#: limits time=300ms
#: stops
import math
a, b = (1 << 3000000) // 3, (1 << 2999999) // 7
math.gcd(a, b)

#: case a factorial
#: limits time=300ms
#: ends memory
import math
math.factorial(10**7)

#: case binomials
#: limits time=300ms
#: ends memory
import math
math.comb(10**8, 5 * 10**7)

#: case a square root of millions of digits
#: limits time=300ms
#: ends time|memory
import math
while True: math.isqrt(1 << 20000000)

#: case digits of a large number
#: limits time=300ms
#: stops
import sys
sys.set_int_max_str_digits(0)
str(1 << 20000000)

#: case a large number from digits
#: limits time=300ms
#: stops
import sys
sys.set_int_max_str_digits(0)
int('7' * 5000000)

#: case digits beyond the limit of CPython
#: raises ValueError: Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit
str(10**5000)

#: case a number beyond the limit of CPython
#: raises ValueError: Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits; use sys.set_int_max_str_digits() to increase the limit
int('1' * 5000)

#: case a number in base 36
#: limits time=300ms
#: stops
int('z' * 5000000, 36)

#: case a number in base 3
#: limits time=300ms
#: stops
int('2' * 5000000, 3)

#: case a decimal of a million digits
#: limits time=300ms
#: stops
import decimal
decimal.getcontext().prec = 10**6
decimal.Decimal(2).sqrt()

#: case a decimal with a giant exponent
#: limits time=300ms
#: ends memory
import decimal
int(decimal.Decimal('1e999999999'))

#: case a fraction with a giant exponent
#: limits time=300ms
#: ends memory|time
import fractions
fractions.Fraction('1e999999999')

#: case a sum of endless numbers
#: limits time=300ms
#: ends time
import itertools
sum(itertools.count())

#: case an endless list
#: limits time=300ms
#: ends time|memory
import itertools
list(itertools.count())

#: case the largest of endless many
#: limits time=300ms
#: ends time
import itertools
max(itertools.count())

#: case is it in there
#: limits time=300ms
#: ends time
import itertools
-1 in itertools.count()

#: case all of them
#: limits time=300ms
#: ends time
import itertools
all(itertools.repeat(1))

#: case none of them
#: limits time=300ms
#: ends time
import itertools
any(itertools.repeat(0))

#: case a dictionary of an endless cycle
#: limits time=300ms
#: ends time
import itertools
dict(itertools.cycle([(1, 2)]))

#: case a set of an endless repetition
#: limits time=300ms
#: ends time
import itertools
set(itertools.repeat(1))

#: case a deque keeps the last of endless many
#: limits time=300ms
#: ends time
import collections, itertools
collections.deque(itertools.count(), maxlen=0)

#: case a counter of endless many
#: limits time=300ms
#: ends time
import collections, itertools
collections.Counter(itertools.repeat('a'))

#: case a reduction of endless many
#: limits time=300ms
#: ends time
import functools, itertools
functools.reduce(max, itertools.count())

#: case a filter that lets nothing through
#: limits time=300ms
#: ends time
import itertools
next(filter(None, itertools.repeat(0)))

#: case a slice far out
#: limits time=300ms
#: ends time
import itertools
next(itertools.islice(itertools.count(), 10**15, None))

#: case dropping for ever
#: limits time=300ms
#: ends time
import itertools
next(itertools.dropwhile(bool, itertools.repeat(1)))

#: case permutations
#: limits time=300ms
#: ends time
import itertools
max(itertools.permutations(range(20)))

#: case a product of ranges
#: limits time=300ms
#: ends time
import itertools
sum(1 for _ in itertools.product(range(1000), repeat=10))

#: case the last of combinations
#: limits time=300ms
#: ends time
import collections, itertools
collections.deque(itertools.combinations(range(60), 30), maxlen=1)

#: case compress with selectors of zero
#: limits time=300ms
#: ends time
import itertools
next(itertools.compress(itertools.count(), itertools.repeat(0)))

#: case a group that never changes
#: limits time=300ms
#: ends time
import itertools
g = itertools.groupby(itertools.repeat(1))
next(g), next(g)

#: case zip of endless many
#: limits time=300ms
#: ends time
import itertools, collections
collections.deque(zip(itertools.count(), itertools.count()), 0)

#: case map of endless many
#: limits time=300ms
#: ends time
import itertools
tuple(map(None.__class__, ())) or sum(map(abs, itertools.count()))

#: case enumerate of endless many
#: limits time=300ms
#: ends time
import itertools
min(enumerate(itertools.count()))

#: case a chain of endless many empty ones
#: limits time=300ms
#: ends time
import itertools
next(itertools.chain.from_iterable(itertools.repeat(())))

#: case unpacking endless many
#: limits time=300ms
#: ends time|memory
import itertools
a, *b = itertools.count()

#: case arguments from endless many
#: limits time=300ms
#: ends time|memory
import itertools
print(*itertools.count())

#: case text joined from endless many
#: limits time=300ms
#: ends time|memory
import itertools
''.join(itertools.repeat(''))

#: case bytes of endless many
#: limits time=300ms
#: ends time|memory
import itertools
bytes(itertools.repeat(0))

#: case a list extended by itself through a generator
#: limits time=300ms memory=64M
#: ends time|memory
x = [1]
x.extend(i for i in x)

#: case a list that grows while it is gone through
#: limits time=300ms
#: value none
x = [1]
for i in x:
    x.append(i)
    del x[0]
    x.insert(0, i)
    if len(x) > 100: del x[:50], i

#: case the range of all numbers
#: limits time=300ms
#: ends time
sum(range(10**18))

#: case a count in a range
#: limits time=300ms
#: ends time
class N:
    def __eq__(self, other): return False
    __hash__ = None
N() in range(10**18)

#: case an index in a range
#: limits time=300ms
#: ends time
class N:
    def __eq__(self, other): return False
    __hash__ = None
range(10**18).index(N())

#: case reversed of a huge range
#: limits time=300ms
#: ends time
min(reversed(range(10**18)))

#: case catastrophic backtracking
#: limits time=300ms
#: ends time
import re
re.match(r'(a+)+$', 'a' * 50 + 'b')

#: case catastrophic backtracking with alternatives
#: limits time=300ms
#: ends time
import re
re.match(r'(a|a)*$', 'a' * 100 + 'b')

#: case catastrophic backtracking with references
#: limits time=300ms
#: ends time
import re
re.match(r'(.*)*\1x', 'ab' * 100)

#: case catastrophic backtracking with a look ahead
#: limits time=300ms
#: stops
import re
re.search(r'(?=(a+)+b)', 'a' * 60)

#: case catastrophic backtracking in substitution
#: limits time=300ms
#: ends time
import re
re.sub(r'(x+x+)+y', '', 'x' * 60)

#: case a quadratic search
#: limits time=300ms
#: value []
import re
re.findall(r'a*b', 'a' * 1000000)

#: case a cubic search
#: limits time=300ms
#: ends time
import re
re.search(r'.*.*=.*', 'x' * 1000000)

#: case repeats of repeats
#: limits time=300ms
#: stops
import re
re.match(r'((a{0,1000}){0,1000}){0,1000}$', 'a' * 10000 + 'b')

#: case a repeat of four milliards of nothing
#: limits time=300ms
#: stops
import re
re.match(r'(?:){4294967290}x', '')

#: case a pattern that compiles for ever
#: limits time=500ms
#: stops
import re
re.compile('|'.join('a' * n for n in range(5000)))

#: case a set of a hundred thousand ranges
#: limits time=500ms
#: stops
import re
re.compile('[' + ''.join(f'{chr(0x1000 + 2 * i)}-{chr(0x1001 + 2 * i)}' for i in range(20000)) + ']', re.I).match('x' * 1000)

#: case a substitution that calls for ever
#: limits time=300ms
#: ends time
import re
def f(m):
    while True: pass
re.sub('a', f, 'a')

#: case a scanner that never moves
#: limits time=300ms
#: ends time
import re
while True: re.compile('').findall('x' * 1000000)

#: case sorting with a key that never returns
#: limits time=300ms
#: ends time
def key(x):
    while True: pass
sorted([1, 2], key=key)

#: case sorting with a comparison that never returns
#: limits time=300ms
#: ends time
class C:
    def __lt__(self, other):
        while True: pass
[C(), C()].sort()

#: case sorting ten million numbers
#: limits time=300ms
#: stops
import random
x = [random.random() for _ in range(200000)] * 20
x.sort()

#: case hashes that never come
#: limits time=300ms
#: ends time
class C:
    def __hash__(self):
        while True: pass
{C(): 1}

#: case equality that never comes
#: limits time=300ms
#: ends time
class C:
    def __eq__(self, other):
        while True: pass
[C()].index(1)

#: case an index that never comes
#: limits time=300ms
#: ends time
class C:
    def __index__(self):
        while True: pass
[1][C()]

#: case a length that never comes
#: limits time=300ms
#: ends time
class C:
    def __len__(self):
        while True: pass
bool(C())

#: case an iterator that never comes
#: limits time=300ms
#: ends time
class C:
    def __iter__(self):
        while True: pass
list(C())

#: case a next that never comes
#: limits time=300ms
#: ends time
class C:
    def __iter__(self): return self
    def __next__(self):
        while True: pass
max(C())

#: case a repr that never comes
#: limits time=300ms
#: ends time
class C:
    def __repr__(self):
        while True: pass
f'{[C()]}'

#: case the repr of the last value never comes
#: limits time=300ms
#: ends time
class C:
    def __repr__(self):
        while True: pass
C()

#: case the message of an exception never comes
#: limits time=300ms
#: ends time
class E(Exception):
    def __str__(self):
        while True: pass
raise E

#: case a finaliser that never returns
#: limits time=300ms
#: ends time
class C:
    def __del__(self):
        while True: pass
C()
for _ in range(10**9): pass

#: case a finaliser that makes another
#: limits time=300ms
#: ends time
class C:
    def __del__(self): C()
C()
while True: pass

#: case a finaliser of a cycle that comes back to life
#: limits time=300ms
#: ends time
import gc
alive = []
class C:
    def __init__(self): self.me = self
    def __del__(self): alive.append(self)
while True:
    C()
    gc.collect()
    alive.clear()

#: case a weak reference's callback that never returns
#: limits time=300ms
#: ends time
import weakref
class C: pass
def callback(r):
    while True: pass
c = C()
r = weakref.ref(c, callback)
del c
while True: pass

#: case except BaseException around everything
#: limits time=300ms
#: ends time
while True:
    try:
        while True: pass
    except BaseException:
        pass

#: case a finally that loops
#: limits time=300ms
#: ends time
try:
    while True: pass
finally:
    while True: pass

#: case an __exit__ that loops
#: limits time=300ms
#: ends time
class M:
    def __enter__(self): return self
    def __exit__(self, *a):
        while True: pass
with M():
    while True: pass

#: case an exception group handler that loops
#: limits time=300ms
#: ends time
try:
    while True: pass
except* BaseException:
    while True: pass

#: case a generator that does not want to be closed
#: limits time=300ms
#: ends time
def g():
    while True:
        try: yield
        except GeneratorExit: pass
it = g()
next(it)
while True:
    try: it.close()
    except RuntimeError: pass

#: case a generator whose end loops
#: limits time=300ms
#: ends time
def g():
    try: yield
    finally:
        while True: pass
it = g()
next(it)
del it
while True: pass

#: case a generator that feeds itself
#: limits time=300ms
#: ends time
def g():
    yield from g2
g2 = (x for x in iter(int, 1))
sum(g())

#: case a metaclass whose instance check never returns
#: limits time=300ms
#: ends time
class M(type):
    def __instancecheck__(cls, o):
        while True: pass
class C(metaclass=M): pass
isinstance(1, C)

#: case matching that never returns
#: limits time=300ms
#: ends time
class C:
    @property
    def x(self):
        while True: pass
match C():
    case C(x=1): pass

#: case a sleep of a century
#: limits time=300ms
#: ends time
import time
time.sleep(3.2e9)

#: case a sleep of no time, for ever
#: limits time=300ms
#: ends time
import time
while True: time.sleep(0)

#: case a sleep with no number
#: raises ValueError: Invalid value NaN (not a number)
import time
time.sleep(float('nan'))

#: case an event loop that never ends
#: limits time=300ms
#: ends time
import asyncio
async def main():
    while True: await asyncio.sleep(0)
asyncio.run(main())

#: case an event loop that waits for ever
#: limits time=300ms
#: ends time
import asyncio
asyncio.run(asyncio.sleep(10**9))

#: case a task that cannot be cancelled
#: limits time=300ms
#: ends time
import asyncio
async def stubborn():
    while True:
        try: await asyncio.sleep(1)
        except asyncio.CancelledError: pass
async def main():
    t = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    t.cancel()
    await t
asyncio.run(main())

#: case an event loop that nothing can wake
#: raises RuntimeError: deadlock: the event loop has no callback and no timer left, so nothing can complete what it is waiting for
import asyncio
async def main():
    await asyncio.get_running_loop().create_future()
asyncio.run(main())

#: case callbacks that call themselves
#: limits time=300ms
#: ends time
import asyncio
async def main():
    loop = asyncio.get_running_loop()
    def again(): loop.call_soon(again)
    again()
    await asyncio.sleep(3600)
asyncio.run(main())

#: case a thread that never ends
#: limits time=300ms
#: ends time
import threading
def f():
    while True: pass
threading.Thread(target=f).start()

#: case a daemon that never ends
#: value none
import threading
def f():
    while True: pass
threading.Thread(target=f, daemon=True).start()

#: case threads that start each other
#: limits time=300ms
#: stops
import threading
def f():
    while True: threading.Thread(target=f).start()
f()

#: case threads that start each other and wait
#: limits time=300ms
#: stops
import threading, time
def f():
    while True:
        threading.Thread(target=f).start()
        time.sleep(0)
f()

#: case threads that wait for each other inside native code
#: limits time=300ms
#: stops
import threading, time
def f(*_):
    while True:
        time.sleep(0)
        sorted([1, 2], key=f)
for _ in range(3): threading.Thread(target=f).start()

#: case a timer that never ends
#: limits time=300ms
#: ends time
import threading
threading.Timer(3600, print).start()

#: case a lock taken twice
#: raises RuntimeError: deadlock: waiting for a lock that nobody can release: no other thread can go on
import threading
lock = threading.Lock()
lock.acquire()
lock.acquire()

#: case a queue that stays empty
#: raises RuntimeError: deadlock: waiting for a lock that nobody can release: no other thread can go on
import queue
queue.Queue().get()

#: case a signal handler and an alarm
#: limits time=300ms
#: raises NotImplementedError: the sandbox has no signals: alarm() is not available
import signal
def handler(*a):
    while True: pass
signal.signal(signal.SIGALRM, handler)
signal.alarm(1)
while True: pass

#: case a handler for interrupts does not keep the limit off
#: limits time=300ms
#: ends time
import signal
signal.signal(signal.SIGINT, lambda *a: None)
while True:
    try:
        while True: pass
    except KeyboardInterrupt: pass

#: case atexit goes on after the limit
#: limits time=300ms
#: ends time
import atexit
def again():
    while True: pass
atexit.register(again)
while True: pass

#: case a compiler fed for ever
#: limits time=300ms
#: ends time|memory
while True: compile('x = 1\n' * 20000, 'f', 'exec')

#: case one large source
#: limits time=500ms
#: ends time|memory
compile('x = [1, 2, 3]\n' * 1000000, 'f', 'exec')

#: case one large literal
#: limits time=500ms
#: ends time|memory
eval('[' + '1,' * 2000000 + ']')

#: case constants folded
#: limits time=500ms
#: stops
compile('(((9 ** 9) ** 9) ** 9) ** 9', 'f', 'eval')

#: case text constants folded
#: limits time=500ms
#: stops
compile('"x" * 4000 * 4000 * 4000', 'f', 'eval')

#: case an int literal of ten million digits
#: limits time=500ms
#: stops
eval('1' * 10000000)

#: case a hex literal of ten million digits
#: limits time=500ms
#: stops
eval('0x' + 'f' * 10000000) > 0

#: case a search for a needle in a haystack
#: limits time=300ms
#: ends time
h = 'a' * 1000000
while True: ('a' * 1000 + 'b') in h

#: case a replacement
#: limits time=300ms
#: ends time|memory
h = 'ab' * 5000000
while True: h.replace('ab', 'a')

#: case a split
#: limits time=300ms memory=256M
#: ends time|memory
h = 'a ' * 1000000
while True: h.split()

#: case a translation
#: limits time=300ms
#: ends time|memory
h = 'a' * 5000000
while True: h.translate({97: 'b'})

#: case bytes searched
#: limits time=300ms
#: ends time
h = b'a' * 5000000
while True: h.count(b'ab'); h.find(b'b')

#: case a large comparison
#: limits time=300ms
#: ends time|memory
a, b = [1.0] * 3000000, [1.0] * 3000000
while True: a == b

#: case numbers that collide in a dictionary
#: limits time=1s
#: ends time|memory
n = 2**61 - 1
d = {}
for i in range(10**6): d[i * n] = i

#: case numbers that collide in a set
#: limits time=1s
#: ends time|memory
n = 2**61 - 1
len({i * n for i in range(10**6)})

#: case keys that collide by their own hash
#: limits time=1s
#: ends time
class K:
    def __hash__(self): return 7
d = {}
while True: d[K()] = 1

#: case floats that collide
#: limits time=1s
#: ends time|memory
d = {}
for i in range(10**7): d[float(2**(i % 1000)) * i] = 1

#: case a collision of tuples
#: limits time=1s
#: ends time|memory
n = 2**61 - 1
d = {}
for i in range(10**6): d[i * n, i * n] = 1

#: case a union of large sets
#: limits time=300ms
#: ends time|memory
a, b = set(range(300000)), set(range(300000, 600000))
while True: a | b

#: case closest matches
#: limits time=300ms
#: stops
import difflib
difflib.get_close_matches('a' * 5000, ['ab' * 5000] * 100, cutoff=0.0)

#: case a text wrapped for ever
#: limits time=300ms
#: stops
import textwrap
textwrap.wrap('a-' * 200000, 10)

#: case dates formatted with a giant format
#: limits time=300ms
#: ends time
import datetime
while True: datetime.date(2000, 1, 1).strftime('%A' * 10000)

#: case hashing without end
#: limits time=300ms
#: ends time
import hashlib
hashlib.pbkdf2_hmac('sha512', b'x', b'y', 10**9)

#: case a hash of a large text
#: limits time=300ms
#: ends time|memory
import hashlib
x = b'x' * 50000000
while True: hashlib.sha512(x)

#: case scrypt
#: limits time=300ms
#: ends time|memory
import hashlib
hashlib.scrypt(b'x', salt=b'y', n=2**14, r=8, p=1000, maxmem=2**31 - 1)

#: case a checksum of a large text
#: limits time=300ms
#: ends time|memory
import zlib
x = b'x' * 50000000
while True: zlib.crc32(x); zlib.adler32(x)

#: case compression at its best
#: limits time=300ms
#: ends time|memory
import zlib
x = bytes(range(256)) * 100000
while True: zlib.compress(x, 9)

#: case bzip2 of a long repetition
#: limits time=300ms
#: stops
import bz2
bz2.compress(b'ab' * 10000000)

#: case base64 of a large text
#: limits time=300ms
#: ends time|memory
import base64
x = b'x' * 20000000
while True: base64.b85encode(x[:100000]); base64.b64encode(x)

#: case normalisation of endless accents
#: limits time=300ms
#: stops
import unicodedata
unicodedata.normalize('NFC', 'a' + '\u0301\u0323' * 2000000)

#: case a csv field without end
#: limits time=300ms
#: raises Error: field larger than field limit (131072)
import csv
list(csv.reader(['"' + 'a' * 100000] * 10**5))

#: case a statistic of endless many
#: limits time=300ms
#: ends time
import statistics, itertools
statistics.mean(itertools.count())

#: case random choices by the million
#: limits time=300ms
#: stops
import random
random.choices(range(10), k=10**7)

#: case a sample of everything
#: limits time=300ms
#: ends time|memory
import random
random.sample(range(10**12), 10**7)

#: case a shuffle that asks for ever
#: limits time=300ms
#: ends time
import random
class R(random.Random):
    def getrandbits(self, k):
        while True: pass
    def random(self):
        while True: pass
R().shuffle([1, 2, 3])

#: case a heap of comparisons that never come
#: limits time=300ms
#: ends time
import heapq
class C:
    def __lt__(self, o):
        while True: pass
heapq.heapify([C(), C(), C()])

#: case bisection that never ends
#: limits time=300ms
#: ends time
import bisect
class L:
    def __len__(self): return 2**62
    def __getitem__(self, i):
        while True: pass
bisect.bisect(L(), 1)

#: case an lru cache that never hits
#: limits time=300ms
#: ends time
import functools
@functools.lru_cache(None)
def f(n): return n
n = 0
while True:
    f(n % 1000)
    n += 1

#: case a template that never ends
#: limits time=300ms
#: ends time
import string
class M(dict):
    def __missing__(self, k):
        while True: pass
string.Template('$a').substitute(M())

#: case struct of a giant repetition
#: limits time=300ms
#: raises error: total struct size too long
import struct
struct.calcsize('1000000000000000000c')

#: case an array filled for ever
#: limits time=300ms
#: ends time|memory
import array, itertools
array.array('b', itertools.repeat(0))
