# Coroutines and asynchronous generators: states, misuse and what is said about it.
import asyncio, sys, types, inspect, warnings
def show(f, *a):
    try:
        r = f(*a)
        print(f.__name__ if hasattr(f,'__name__') else f, 'ok', r if not hasattr(r,'send') else type(r).__name__)
    except BaseException as e:
        print(getattr(f,'__name__',f), type(e).__name__, e)
async def co(): return 1
async def ag():
    yield 1
    yield 2
def gen():
    x = yield 1
    return x
c = co()
print(type(c), c.__name__, c.__qualname__, c.cr_running, c.cr_suspended, c.cr_await, inspect.getcoroutinestate(c))
show(c.send, 5)
show(c.send, None)
show(c.send, None)
show(c.throw, ValueError('x'))
print(inspect.getcoroutinestate(c), c.cr_frame, c.close())
g = gen()
show(g.send, 3); next(g); show(g.send, 9); show(g.send, 1)
show(lambda: next(ag()))
c = co()
show(lambda: iter(c))
c.close()
c = co()
def f():
    yield from c
show(lambda: list(f()))
c.close()
a = ag()
print(type(a), a.ag_running, a.ag_await, a.ag_code.co_name)
s = a.asend(None)
print(type(s), s.__await__() is s)
show(s.send, None)
show(s.send, None)
s = a.athrow(KeyError('k'))
print(type(s))
show(s.send, None)
show(s.send, None)
show(a.aclose().send, None)
a = ag()
show(a.asend(5).send, None)
for x in (None, 1, [], 'a'):
    try: aiter(x)
    except TypeError as e: print(e)
    try: anext(x)
    except TypeError as e: print(e)
class Bad:
    def __aiter__(self): return self
try: aiter(Bad())
except TypeError as e: print(e)
async def t1():
    async for x in {1}: pass
async def t2():
    async with 5: pass
async def t3():
    async with asyncio: pass
class AW:
    def __await__(self): return 5
class AI:
    def __aiter__(self): return self
    def __anext__(self): return 5
class AC:
    def __aenter__(self): return 1
    def __aexit__(self, *a): return 2
class AC2:
    async def __aenter__(self): return 1
    def __aexit__(self, *a): return 2
async def t4(): await AW()
async def t5():
    async for x in AI(): pass
async def t6():
    async with AC(): pass
async def t7():
    async with AC2(): pass
class Coro:
    def __await__(self): return co()
async def t8(): await Coro()
async def t9():
    async for x in Bad(): pass
async def t10():
    def g():
        yield from co()
    list(g())
async def t11():
    c = co()
    await c
    await c
async def t12():
    raise StopIteration(3)
async def t13():
    async def inner():
        raise StopAsyncIteration
        yield
    async for x in inner(): pass
async def t14():
    async def inner():
        raise StopIteration
        yield
    async for x in inner(): pass
async def t15():
    async def inner():
        try:
            yield 1
        finally:
            yield 2
    i = inner()
    await anext(i)
    await i.aclose()
async def t16():
    async with AC2: pass
with warnings.catch_warnings():
  warnings.simplefilter('ignore')
  for t in (t1,t2,t3,t4,t5,t6,t7,t8,t9,t10,t11,t12,t13,t14,t15,t16):
      try:
        t().send(None)
      except BaseException as e:
        text = str(e)
        print(t.__name__, type(e).__name__, text if 'await' not in text else 'await', type(e.__cause__).__name__ if t is not t5 else '')
@types.coroutine
def tc():
    v = yield 'x'
    return v
async def use(): return await tc()
u = use()
print(u.send(None), type(u.cr_await))
show(u.send, 7)
print(inspect.iscoroutinefunction(co), inspect.isasyncgenfunction(ag), inspect.isawaitable(tc()), inspect.iscoroutine(tc()))
print(tc.__code__.co_flags & 0x100, co.__code__.co_flags & 0x80, ag.__code__.co_flags & 0x200)
