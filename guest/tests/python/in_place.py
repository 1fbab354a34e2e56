# What the machine does in place: arguments bound where they lie, special methods entered without leaving the loop, slices without slice objects,
# attributes of classes from caches, steps of asynchronous generators.
import asyncio
from enum import Enum, IntEnum


def show(f, *args, **kwargs):
    try:
        print(f(*args, **kwargs))
    except Exception as e:
        print(type(e).__name__, e)


# ---- arguments
def plain(a, b=2, c=3):
    return a, b, c


def only(a, /, b, *, c=30, d=40):
    return a, b, c, d


def required(a, *, c, d=4):
    return a, c, d


def many(a, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9, j=10):
    return a, b, c, d, e, f, g, h, i, j


for _ in range(3):
    print(plain(1), plain(1, c=5), plain(c=1, b=2, a=3), plain(1, 9), plain(b=0, a=1))
    print(only(1, 2), only(1, b=5), only(1, d=1, b=2, c=3), required(1, c=2), required(d=1, c=2, a=3))
    print(many(1, j=0), many(j=1, i=2, h=3, g=4, f=5, e=6, d=7, c=8, b=9, a=0), many(0, 1, 2, 3, h=1, f=2))
for call in [
    lambda: plain(),
    lambda: plain(1, a=2),
    lambda: plain(1, 2, 3, c=4),
    lambda: plain(1, z=2),
    lambda: plain(1, 2, 3, 4),
    lambda: plain(b=1),
    lambda: only(a=1, b=2),
    lambda: only(1),
    lambda: required(1),
    lambda: required(1, 2, c=3),
    lambda: plain(1, **{"c": 4}),
    lambda: plain(*[1, 2], **{"c": 4}),
]:
    show(call)
plain.__defaults__ = (7, 8, 9, 10)
print(plain(), plain(1), plain(c=0))
plain.__defaults__ = None
show(lambda: plain(1))
show(lambda: plain(c=1, b=2, a=3))
only.__kwdefaults__ = {"d": 4}
show(lambda: only(1, 2))
print(only(1, 2, c=1))


def counting(a, b=1, *, c=2):
    yield a
    yield b
    yield c


async def later(a, b=1, *, c=2):
    await asyncio.sleep(0)
    return a, b, c


print(list(counting(5)), list(counting(5, c=0)), list(counting(c=0, a=1)))
print(asyncio.run(later(1)), asyncio.run(later(1, c=5)), asyncio.run(later(b=3, a=1)))


class Made:
    def __init__(self, a, b=2, *, c=3):
        self.parts = a, b, c

    def method(self, x=1, *, y=2):
        return self.parts, x, y


for _ in range(3):
    m = Made(1, c=4)
    print(m.parts, m.method(), m.method(y=1), m.method(x=3), Made(b=1, a=2).method(5, y=6))


# ---- special methods
class Grid:
    def __init__(self, width, height):
        self.width = width
        self.cells = [0] * (width * height)

    def __getitem__(self, at):
        x, y = at
        if x >= self.width:
            raise IndexError(f"no column {x}")
        return self.cells[y * self.width + x]

    def __setitem__(self, at, value):
        x, y = at
        if x >= self.width:
            raise IndexError(f"no column {x}")
        self.cells[y * self.width + x] = value
        return "nobody wants this"


g = Grid(3, 3)
for n in range(9):
    g[n % 3, n // 3] = n * n
    g[n % 3, n // 3] += 1
print(g.cells, g[1, 2] + g[2, 1], [g[i, i] for i in range(3)])
for _ in range(2):
    try:
        g[5, 5] = 1
    except IndexError as e:
        print(e, e.__traceback__.tb_next.tb_lineno)
    try:
        g[5, 5]
    except IndexError as e:
        print(e, e.__traceback__.tb_next.tb_lineno)


class Deep:
    def __init__(self, n):
        self.n = n

    def __getitem__(self, key):
        return Deep(self.n - 1)[key] if self.n else key


print(Deep(200)["bottom"])
try:
    Deep(100000)[0]
except RecursionError:
    print("too deep")


class Lazy:
    def __getitem__(self, n):
        yield n
        yield n + 1

    @staticmethod
    def __setitem__(*args):
        print("static", args[1:] if isinstance(args[0], Lazy) else args)

    @classmethod
    def __delitem__(cls, key):
        print(cls.__name__, key)


lazy = Lazy()
print(list(lazy[1]))
lazy[1] = 2
del lazy[3]


class Table(dict):
    def __getitem__(self, key):
        return super().__getitem__(key) * 2

    def __setitem__(self, key, value):
        super().__setitem__(key, value + 1)

    def __missing__(self, key):
        return key


t = Table()
t["a"] = 1
print(t["a"], t["b"], t)


class Meta(type):
    def __getitem__(cls, key):
        return cls.__name__, key


class Subscripted(metaclass=Meta):
    pass


print(Subscripted[1], [Subscripted[i] for i in range(2)])


def inside():
    grid = Grid(2, 2)
    for i in range(2):
        grid[i, 0] = yield grid[0, i]


it = inside()
print(next(it), it.send(7))
try:
    it.send(8)
except StopIteration:
    print("over")


# ---- slices
a = list(range(10))
b = a[2:5]
a[2:5] = "xyz"
print(a, b, a[:], a[-3:], a[:-8], a[7:3], a[100:], a[:True])
a[1:1] = [0, 0]
a[:2] = []
a[-2:] = (1, 2, 3, 4)
print(a)
a[2:4] = a
a[:] = reversed(a)
print(a, len(a))
a[3:100] = iter("ab")
print(a, (1, 2, 3)[1:], (1, 2, 3)[:1], ()[1:2])
tuple_ = (1, 2, 3)
print(tuple_[:] is tuple_, tuple_[0:3] is tuple_)
big = 1 << 70
print(a[:big], a[-big:2], tuple_[-big:big])
for bad in (1.5, "a"):
    try:
        a[bad:]
    except TypeError as e:
        print(e)
    try:
        a[:bad] = []
    except TypeError as e:
        print(e)
try:
    a[1:2] = 5
except TypeError as e:
    print(e)
r = range(3, 40, 4)
print(r[2:5], r[::-1], r[-2:], r[5:2], r[5:2:-2], r[:: 1 << 40], r[1:][2:][::3], range(0)[1:], range(10, 0, -3)[1:])
print(range(1 << 49, 1 << 50, 1 << 48)[1::7], range(1 << 60)[5:-5:3], r[: 1 << 80], r[-(1 << 80) :])
try:
    r[::0]
except ValueError as e:
    print(e)


# ---- attributes of classes
class Base:
    value = 1

    @classmethod
    def make(cls, n=0):
        return cls.__name__, n, cls.value

    @staticmethod
    def double(n):
        return n * 2


class Derived(Base):
    value = 2


def calls(c):
    return c.make(), c.make(n=1), c.double(4), c.value, c.make.__self__.__name__, c.double.__name__


for c in (Base, Derived, Base(), Derived(), Base, Derived):
    for _ in range(2):
        print(calls(c))
Base.make = classmethod(lambda cls: "other")
Base.double = lambda n=None: ("plain", type(n).__name__)
Derived.value = 3
try:
    calls(Derived)
except TypeError as e:
    print(e)
print(Derived.make(), Derived.double(), Base.double(3), Derived.value)
d = Derived()
d.double = lambda n: ("own", n)
for o in (Derived(), d, Derived(), d):
    try:
        print(o.double())
    except TypeError as e:
        print(e)


class Colour(IntEnum):
    RED = 1
    BLUE = 2


class Shape(Enum):
    ROUND = "o"

    @classmethod
    def default(cls):
        return cls.ROUND


def colours():
    return Colour.RED, Colour.BLUE + 1, Shape.ROUND.value, Shape.default()


for _ in range(3):
    print(colours())


class Watching(type):
    def __getattr__(cls, name):
        return f"{cls.__name__} has no {name}"


class Watched(metaclass=Watching):
    here = 1


def look(c):
    return c.here, c.there


print(look(Watched), look(Watched))
Watching.there = "in the metaclass"
print(look(Watched))
Watching.here = property(lambda cls: "first of all")
print(look(Watched))
Watched.there = "in the class"
print(look(Watched))


# ---- steps of asynchronous generators
async def numbers(n):
    try:
        for i in range(n):
            if i % 3 == 1:
                await asyncio.sleep(0)
            got = yield i
            if got:
                print("got", got)
    finally:
        print("finally")


async def nested(n):
    if n:
        async for x in nested(n - 1):
            yield x
    yield n


async def fails():
    yield 1
    raise StopAsyncIteration


async def divides():
    yield 1
    1 / 0


class Awaits:
    def __await__(self):
        return (yield "up")


async def waits():
    yield await Awaits()


async def asks():
    async for v in waits():
        print("v", v)


async def main():
    print([x async for x in numbers(7)])
    g = numbers(5)
    print(await g.asend(None), await g.asend("a"), await g.__anext__())
    try:
        await g.athrow(ValueError("x"))
    except ValueError as e:
        print("thrown", e)
    for _ in range(2):
        try:
            await g.__anext__()
        except StopAsyncIteration as e:
            print("end", repr(e))
    g = numbers(5)
    print(await g.__anext__(), await g.aclose())
    try:
        await g.asend(None)
    except StopAsyncIteration:
        print("closed")
    step = numbers(3).__anext__()
    print(await step)
    try:
        await step
    except RuntimeError as e:
        print(e)
    g = numbers(9)
    await g.__anext__()
    print(await asyncio.gather(g.__anext__(), g.__anext__(), return_exceptions=True))
    try:
        async for x in fails():
            print(x)
    except RuntimeError as e:
        print(repr(e), repr(e.__cause__))
    g = divides()
    try:
        async for x in g:
            print(x)
    except ZeroDivisionError as e:
        print(e, e.__traceback__.tb_next.tb_lineno, g.ag_running)
    try:
        await g.asend(3)
    except StopAsyncIteration:
        print("over")
    print([x async for x in nested(20)])
    g = numbers(3)
    try:
        await g.asend(5)
    except TypeError as e:
        print(e)
    c = asks()
    print(c.send(None))
    try:
        c.send(42)
    except StopIteration:
        print("done")
    c = asks()
    c.send(None)
    try:
        c.throw(KeyError("k"))
    except KeyError as e:
        print("key", e)


asyncio.run(main())
