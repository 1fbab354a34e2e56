# Functions, closures, generators, comprehensions, exceptions, match.
def params(a, b=2, /, c=3, *args, d, e=5, **kw):
    return a, b, c, args, d, e, kw


print(params(1, d=4), params(1, 20, 30, 40, 50, d=4, z=9))
for bad in ("params()", "params(1, 2, 3)", "params(a=1, d=2)", "params(1, d=4, d2=5, **{'d2': 6})", "(lambda x: x)(1, 2)", "(lambda *, k: k)(3)"):
    try:
        print(eval(bad))
    except TypeError as e:
        print(e)


def counter():
    n = 0

    def inc(by=1):
        nonlocal n
        n += by
        return n

    return inc


c = counter()
print(c(), c(5), c())
fs = [lambda i=i: i * 10 for i in range(3)] + [lambda: i for i in range(3)]
print([f() for f in fs])


def gen(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                print("got", got)
    except GeneratorExit:
        print("closing")
        raise
    finally:
        print("finally")
    return "done"


g = gen(3)
print(next(g), g.send("x"), next(g))
try:
    next(g)
except StopIteration as e:
    print("stop", e.value)
g = gen(5)
next(g)
g.close()


def delegate():
    result = yield from gen(2)
    print("result", result)
    yield from "ab"


print(list(delegate()))


def thrower():
    while True:
        try:
            yield 1
        except ValueError as e:
            yield f"caught {e}"


t = thrower()
next(t)
print(t.throw(ValueError("boom")), next(t))
print({k: v for k, v in zip("abc", range(3))}, {x % 3 for x in range(10)}, [(x, y) for x in range(3) if x for y in range(x)], sum(x * x for x in range(5)))
print([y := 5, y ** 2], [last := n for n in range(4)], last)


def f(x):
    try:
        if x == 0:
            return "try"
        if x == 1:
            raise ValueError("one")
        if x == 2:
            raise KeyError("two")
        1 / (x - 3)
    except ValueError as e:
        return f"except {e}"
    except (KeyError, ZeroDivisionError) as e:
        return f"except {e!r}"
    else:
        return "else"
    finally:
        print("finally", x, end="; ")


print([f(i) for i in range(5)])


def nested():
    for i in range(3):
        try:
            if i == 1:
                continue
            try:
                yield i
            finally:
                print("inner", i)
        finally:
            print("outer", i)


print(list(nested()))


def finally_return():
    try:
        raise RuntimeError
    finally:
        return "swallowed"


print(finally_return())
try:
    try:
        raise ValueError("first")
    except ValueError as e:
        raise KeyError("second") from e
except KeyError as e:
    print(repr(e), repr(e.__cause__), e.__suppress_context__)
try:
    try:
        raise ValueError("first")
    except ValueError:
        undefined_name
except NameError as e:
    print(e, repr(e.__context__), e.name)
try:
    e
except NameError as err:
    print(err)


def local_error():
    print(x)
    x = 1


try:
    local_error()
except UnboundLocalError as e:
    print(e)


def describe(v):
    match v:
        case 0 | 1:
            return "small"
        case int(n) if n < 0:
            return f"negative {n}"
        case int() | float():
            return "number"
        case "":
            return "empty"
        case str(s):
            return f"str {s}"
        case [] | ():
            return "no items"
        case [x]:
            return f"one {x}"
        case [first, *rest, last]:
            return f"{first}..{last} {rest}"
        case {"kind": "point", "x": x, **others}:
            return f"point {x} {others}"
        case {}:
            return "mapping"
        case None:
            return "none"
        case _:
            return "other"


print([describe(v) for v in (0, -5, 7, 2.5, "", "s", [], [1], [1, 2, 3, 4], {"kind": "point", "x": 1, "y": 2}, {1: 2}, None, {1}, object)])


class P:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


for p in (P(0, 0), P(0, 5), P(3, 4)):
    match p:
        case P(0, 0):
            print("origin")
        case P(0, y=yy):
            print("on y", yy)
        case P(x, y):
            print("at", x, y)

a, (b, *c), d = 1, (2, 3, 4), 5
print(a, b, c, d)
x = y = [1]
x += [2]
print(x, y, x is y)
[*m], n = "ab", "c"
print(m, n, *[1, 2], *"xy", sep="-")
print({**{"a": 1}, "b": 2, **{"a": 3}}, [*range(3), *"ab"], (*(), 1))
i = 0
while True:
    i += 1
    if i % 2:
        continue
    if i > 6:
        break
else:
    print("never")
for q in range(3):
    pass
else:
    print("else", q)
print(1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 == True, not 1, None is None, "a" in "abc" and "z" not in "abc")
print(0 or "x" or 1 / 0, 1 and [] and 2, 5 if [] else 6)
name, value = "pi", 3.14159
print(f"{name!r:>6}={value:.2f} {value:{'8'}.{3}} {{}} {name=} {1 + 1 = } {value:e} {'nested ' + f'{name}'} {10:#x} {1234567:,}")
s = slice(1, 10, 2)
print(list(range(20))[s], "hello"[::-1], "hello"[1:-1], [1, 2, 3][-2:], s.indices(5))
l = list(range(10))
l[2:5] = "abc"
del l[-3:]
l[::3] = [0, 0, 0]
print(l)
global_var = 1


def change():
    global global_var, made
    global_var += 1
    made = "here"


change()
print(global_var, made)
print(2 ** 100, -7 // 2, -7 % 3, 7 % -3, 2 ** -1, 10 ** 20 // 3, divmod(-7, 2), ~5, 5 ^ 3, 1 << 70, round(2.5), round(-1.5), abs(-3), pow(3, 200, 7))
print(0.1 + 0.2, 1e16, 1e-5, float("inf"), 1 / 3, 3.0, -0.0, 1e300 * 1e10, complex(1, -2) * 2j)
assert True, "never"
try:
    assert 1 == 2, f"message {1}"
except AssertionError as e:
    print(repr(e))
try:
    raise ExceptionGroup("eg", [ValueError(1), TypeError(2), ExceptionGroup("in", [KeyError(3)])])
except* ValueError as eg:
    print("V", eg.exceptions)
except* KeyError as eg:
    print("K", eg.exceptions)
except* TypeError as eg:
    print("T", eg.exceptions)
import math as m2, sys
from math import floor as fl, pi
print(m2.floor(2.5), fl(3.7), pi == m2.pi)


def deco(tag):
    def wrap(fn):
        def inner(*a, **k):
            return f"{tag}:{fn(*a, **k)}"

        return inner

    return wrap


@deco("outer")
@deco("inner")
def hello(x):
    return x * 2


print(hello(4), (lambda *a, **k: (a, k))(1, *[2, 3], x=4, **{"y": 5}))
