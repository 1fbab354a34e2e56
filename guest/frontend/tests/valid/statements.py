#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Every kind of statement, in most of its forms."""
from __future__ import annotations

import os, sys as system
import os.path as path, collections.abc
from . import sibling
from .. import (uncle, aunt as other_aunt,)
from ...far.away import *
from package.module import name, other as renamed

x = 1; y = 2;
x, y = y, x
(x, y), [z, *rest], *more = (1, 2), [3, 4, 5], 6
[a, b] = c = d = 1, 2
first, *middle, last = range(10)
*only, = 'abc'
obj.attribute = obj[0] = obj[1:2, ::3] = value
x: int
x: int = 1
(x): int = 2
obj.attribute: "forward" = None
obj[0]: list[int] = []
t: tuple = 1, *rest
x += 1; x -= 1; x *= 2; x /= 2; x //= 2; x %= 2; x **= 2; x @= m
x >>= 1; x <<= 1; x &= 1; x ^= 1; x |= 1
x += yield_ if False else 0

del x
del x, y[0], z.attribute, (a, [b, c]), d
del (x)
del (x,), []
assert x
assert x, "message"
global_name = 1
pass

if x: pass
elif y: pass
elif z:
    pass
else: pass

while x:
    if y: break
    continue
else:
    pass

for i in range(3): print(i)
else: print('done')
for i, (j, *k) in enumerate(x): pass
for obj.attribute in x: pass
for obj[0] in *a, *b: pass
for x in 1, 2, 3,: pass

try: pass
except: pass

try:
    pass
except ValueError:
    raise
except (TypeError, KeyError) as error:
    raise RuntimeError from error
except OSError, EOFError:
    raise RuntimeError("x")
except A.b[0]():
    pass
else:
    pass
finally:
    pass

try: pass
finally: pass

try:
    pass
except* ValueError as group:
    pass
except* TypeError, KeyError:
    pass
except *OSError:
    pass

with a: pass
with a as b, c as d: pass
with (a as b, c as d,): pass
with (a, b): pass
with (a): pass
with (a) as b: pass
with (a, b) as c: pass
with (yield_): pass
with a() as obj.attribute, b as obj[0], c as (d, e), f as [g, *h]: pass
with (
    open('a') as a,
    open('b') as b
):
    pass

def f(): pass
def f(a, b=1, /, c=2, *args: int, d, e=3, **kwargs: str) -> None: return
def f(a, /): return 1, *rest
def f(*, a): yield
def f(*args): yield 1, 2
def f(**kwargs): x = yield
def f(a=1, *, b): x = yield from a
def f(*args: *Ts): pass
def f(a: int = 1, *, b: "str" = 2,): global g; nonlocal_ = 1
def f(a, /, b, *, c, **d): return (yield)

@decorator
@decorator.attribute(1)[2]
@(lambda f: f)
@a if b else c
def f():
    def g():
        nonlocal y
        y = 1
    y = 2
    return g

async def f():
    await x
    async for i in aiter(): await i
    else: pass
    async with a as b, c: pass
    async with (a as b, c as d): pass
    return [i async for i in x if await i]

async def g():
    yield 1
    return

class A: pass
class A(): x = 1
class A(B, *C, metaclass=M, **kwargs):
    """Doc."""
    def method(self): return super().method()
    @property
    def p(self): ...

def f[T](x: T) -> T: return x
def f[T: int, *Ts, **P](*args: *Ts, **kw: P.kwargs): pass
def f[T: (int, str) = int, *Ts = *tuple[int, ...], **P = [int, str]](): pass
class A[T](Base[T], metaclass=M): x: T
class A[T = int]: pass
type X = int
type X[T] = list[T]
type X[T: int, *Ts, **P] = dict[T, tuple[*Ts]]
type = 1
type(x)
type[0] = match = case = _ = lazy = 1
type . x = 1
print(type)

match x:
    case 1 | -1 | 1.5 | -2j | 1 + 2j | 1 - 2j: pass
    case "a" | b"b" | "a" "b" | None | True | False: pass
    case a.b | a.b.c: pass
    case [] | () | {}: pass
    case [1] | (2,) | [1, 2] | (1, 2): pass
    case [a, *_] if a: pass
    case (a, *rest, b): pass
    case 1, 2, *_: pass
    case a, : pass
    case *rest, last: pass
    case {"a": 1, "b": [x], **rest}: pass
    case {1: _, -1: _, a.b: _, None: _}: pass
    case {**rest}: pass
    case Point(): pass
    case Point(1, 2): pass
    case Point(x=1, y=2): pass
    case a.Point(1, y=[a, b],): pass
    case (1 | 2) as n: pass
    case [Point(x=0) as p, *_]: pass
    case str() as s if s := s.strip(): pass
    case _: pass

match x, y:
    case 1, 2: pass
match *a, b:
    case _: pass
match (x):
    case _: pass
match [x]:
    case _: pass
match {x: y}:
    case _: pass
match -x:
    case _: pass
match not x:
    case _: pass
match x := y:
    case _: pass
match = {'case': 1}
match[case] = 1
match(x)
match * x
match, case = 1, 2
case(x)
print(match, case)

if x:
	pass
if x:
        if y:
                pass
        else: pass
# comment at column 0
        # and an indented one

if True: \
    x = 1
x = 1 + \
    2
if x:
    \
    y = 1
def f(
    a,
    b,   # comment
): return (
    a
    +
    b
)
