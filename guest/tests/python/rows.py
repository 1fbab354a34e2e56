"""Functions of the program that native code calls for one item after the other, and the short ways of calls."""

import functools
import traceback
from collections import namedtuple
from collections.abc import Sized


def shown(f, *args, **kwargs):
    try:
        return repr(f(*args, **kwargs))
    except BaseException as e:
        return f"{type(e).__name__}: {e}"


# Keys.
words = ["pear", "fig", "banana", "kiwi", "Apple"]
print(sorted(words, key=lambda w: w.lower()))
print(sorted(words, key=lambda w: (len(w), w), reverse=True))
print(max(words, key=lambda w: len(w)), min(words, key=lambda w: w[-1]))
print(shown(max, [], key=lambda x: x), shown(min, [], key=lambda x: x, default=7))
print(max([1, 2, 3, 4], key=lambda n: n % 2), min([1, 2, 3, 4], key=lambda n: n % 2))
print(shown(sorted, [3, 0, 1], key=lambda n: 1 / n))
print(shown(max, [3, 0, 1], key=lambda n: 1 / n))


def nested(n):
    return sorted(range(n), key=lambda i: -max(range(i + 1), key=lambda j: (j * 7) % 5))


print(nested(6))


def generating(n):
    yield n


print(shown(lambda: [type(k).__name__ for k in map(generating, [1, 2])]))
print(shown(sorted, [2, 1], key=generating).split(" and ")[0])


def growing(items):
    def key(n):
        items.append(n)
        return n

    return shown(items.sort, key=key), items


print(growing([3, 1, 2]))


def deep(n):
    return sorted([n], key=lambda m: deep(m + 1))


print(shown(deep, 0))


class Ordered:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        if self.n == 13:
            raise LookupError("unlucky")
        return self.n < other.n

    def __gt__(self, other):
        return other < self

    def __repr__(self):
        return f"<{self.n}>"


print(sorted([3, 1, 2], key=lambda n: Ordered(-n)), shown(sorted, [1, 13, 2], key=lambda n: Ordered(n)))
print(max([3, 1, 2], key=lambda n: Ordered(n % 3)), shown(max, [1, 13], key=Ordered))

# Maps and filters.
print(list(map(lambda x: x + 1, [1, 2, 3])), tuple(map(lambda x: -x, range(3))), set(map(lambda x: x % 2, range(5))))
print(sum(map(lambda x: x * 0.5, range(5))), any(map(lambda x: x > 3, range(5))), all(map(lambda x: x < 3, range(5))))
print(list(filter(lambda x: x % 2, range(7))), sum(filter(lambda x: x > 2, range(6))))
print(list(map(lambda x: x * x, map(lambda x: x + 1, filter(lambda x: x != 2, range(5))))))
print(sorted(map(lambda w: w.upper(), words), key=lambda w: w[1]))


def stops(at):
    def f(x):
        if x == at:
            raise StopIteration
        return x

    return f


print(list(map(stops(2), range(5))), list(filter(stops(3), range(6))), sum(map(stops(4), range(9))))
it = map(stops(2), range(6))
print(list(it), list(it))
print(shown(list, map(lambda x: [7][x], range(5))))
it = map(lambda x: {0: 6, 1: 3, 3: 6, 4: 3}[x], range(5))
print(shown(list, it), list(it))


class Truth:
    def __init__(self, n):
        self.n = n

    def __bool__(self):
        if self.n == 2:
            raise ArithmeticError("no truth")
        return self.n > 0


print(list(filter(lambda n: Truth(n), [0, 1, 3])), shown(list, filter(lambda n: Truth(n), [1, 2, 3])))
it = iter(range(10))
print(any(map(lambda x: x == 3, it)), list(it))


def source():
    for n in range(4):
        print("gives", n)
        yield n


print(list(map(lambda n: print("takes", n) or n * n, source())))
print(functools.reduce(lambda a, b: a * 10 + b, [1, 2, 3]), functools.reduce(lambda a, b: a + b, ["x"], ""))
print(shown(functools.reduce, lambda a, b: [a][b], [1, 1]), shown(functools.reduce, lambda a: a, [1, 2]))
print(shown(list, map(lambda a, b: a, [1])))


def fails():
    return list(map(lambda n: [][n], [4]))


try:
    fails()
except IndexError as e:
    for entry in traceback.extract_tb(e.__traceback__):
        print(entry.name, entry.line)

# Arguments.
Point = namedtuple("Point", "x y")


def takes(*args, a=1, **rest):
    return args, a, rest


for args in ((), (1,), [1, 2], "ab", range(3), iter([5])):
    print(takes(*args), end=" ")
print(takes(*[1], *"b"), takes(*(), a=2), takes(*(9,), **{"a": 3, "z": 4}))
print(shown(lambda: takes(*5)), shown(lambda: len(*5)), shown(lambda: len(*(1, 2))), len(*[[1, 2]]))
print(max(*(3, 9, 2)), "{} {}".format(*(1, 2)), Point(*(1, 2)), [*(1, 2), *[3]])


def starred(n):
    items = [1, 2]
    items += (3,)
    items += items
    return [*items, *(n,)]


print(starred(0))
print([1, 2, 3].index(3), [3, 1].sort(key=None), sorted([2, 1], reverse=True), int("ff", base=16), round(2.567, ndigits=1))
print(shown(sorted, [1], wrong=1), shown([].sort, kye=1), shown("a b".split, seperator=1), "a-b".split(sep="-", maxsplit=1))
print(shown(int, "1", zzz=2), shown(round), shown(divmod, 1), shown("".join), shown("x".replace, "a"))
print(list(enumerate("ab", start=2)), shown(enumerate, start=1), complex(real=1, imag=2), shown(property, 1, 2, 3, 4, 5))

# Fields of named tuples, as caches know them.
def fields(points):
    return [(p.x, p.y) for p in points]


print(fields([Point(1, 2), Point("a", "b")]))
Other = namedtuple("Other", "y x")
print(fields([Point(1, 2), Other(3, 4), Point(5, 6), Other(7, 8)]))


class Named(Point):
    pass


def reads(p):
    return p.x


print([reads(p) for p in (Named(1, 2), Named(3, 4))])
Named.x = property(lambda self: "new")
print(reads(Named(5, 6)), shown(lambda: setattr(Point(1, 2), "x", 3)))

# isinstance.
for v in (1, True, 2.5, "s", [], None, Ordered(1), int):
    print(
        isinstance(v, (int, str)),
        isinstance(v, (float, (list, tuple))),
        isinstance(v, (Ordered, type)),
        isinstance(v, (Sized, int)),
        isinstance(v, int | str),
        isinstance(v, ()),
        shown(isinstance, v, (int, 5)),
    )

# Hashes of tuples are remembered, but not those of a tuple that is filled anew.
seen = set()
for pair in enumerate([4, 5, 6]):
    seen.add(hash(pair) == hash((pair[0], pair[1])))
for pair in zip([1, 2], [3, 4]):
    seen.add(hash(pair) == hash((pair[0], pair[1])))
for pair in {1: 2, 3: 4}.items():
    seen.add(hash(pair) == hash((pair[0], pair[1])))
print(seen)
inner = (1, (2, (3, "x")))
print(hash(inner) == hash((1, (2, (3, "x")))), {inner: 1}[(1, (2, (3, "x")))], shown(hash, (1, [])), shown(hash, (1, [])))


class Counted:
    calls = 0

    def __hash__(self):
        Counted.calls += 1
        return 5


counted = Counted()
print(hash((counted,)) == hash((counted,)), Counted.calls)

# Small numbers in other bases, and functions with short ways.
import math

for n in (0, 5, -5, 255, -(2**40), 2**70, -(2**70), True):
    print(hex(n), oct(n), bin(n), abs(n), math.gcd(n, 10), math.gcd(-4, n))
print([math.factorial(n) for n in (0, 1, 2, 20, 21)], shown(math.factorial, -1), abs(-2.5), abs(-0.0), shown(abs, "x"))
print([len(x) for x in ([1], (1, 2), "äöü", {1: 2}, {1}, b"xy", range(5))], shown(len, 5), type(3), shown(type))
