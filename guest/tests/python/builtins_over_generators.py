import sys, types
def g():
    try:
        yield 1
        yield 2.5
        yield True
        yield 2**70
    finally:
        print('closed')
print(sum(g()), max(g()), min(g()), any(g()), all(g()))
def g2():
    for i in range(5): 
        yield i
    raise KeyError('x')
for f in (sum, max, min, any, all, list, set, tuple, sorted):
    try: print(f.__name__, f(g2()))
    except KeyError as e: print(f.__name__, repr(e), e.__traceback__.tb_next.tb_lineno)
s=set()
s.update(x for x in [1,2,1,3,2] if x not in s or print('seen', x))
print(s)
l=[1]
l.extend(x+len(l) for x in [1,2,3])
print(l)
l=[1,2,3]
def grow():
    for i in range(3):
        l.append(i*10)
        yield i
l.extend(grow()); print(l)
def selfref():
    yield 1
    yield list(me)
me = selfref()
try: print(list(me))
except ValueError as e: print(e)
def handled():
    import sys
    yield sys.exception()
    try: 1/0
    except ZeroDivisionError:
        yield sys.exception()
    yield sys.exception()
try: raise KeyError(3)
except KeyError: print(list(handled()), sys.exception())
class H:
    def __hash__(self): print('hash'); return 1
    def __eq__(self, o): print('eq', type(next(it, 'none')).__name__); return False
h=[H(),1,H()]
it=(x for x in h)
print(len(set(it)))
print(list(x for x in (y for y in range(3))), sum((yield_ for yield_ in range(10))))
def d():
    x = yield 1
    print('got', x)
    y = yield 2
    print('got', y)
print(list(d()))
def deleg():
    r = yield from inner()
    yield r
def inner():
    yield 1
    yield 2
    return 3
print(list(deleg()), tuple(deleg()), sum(deleg()))
def stop():
    yield 1
    return 5
    yield
print(list(stop()), max(stop()))
def si():
    yield 1
    raise StopIteration(4)
try: list(si())
except RuntimeError as e: print(e, repr(e.__cause__))
print(max((x for x in ['a','b']), key=len), min((i for i in [])  , default=7))
try: max(i for i in [])
except ValueError as e: print(e)
print(sum([0.1]*10), sum(0.1 for _ in range(10)), sum((0.1 for _ in range(10)), 1), sum((x for x in [1, 0.5, 2**80, 'a'][:3])), sum(([1],[2]),[]), sum((t for t in ([1],[2])),[]))
try: sum(x for x in ['a'])
except TypeError as e: print(e)
try: set(x for x in [1,[2],3])
except TypeError as e: print(e)
print(max(x for x in [True, 2, 1.5]), min(x for x in [float('nan'), 1.0]), max(x for x in (1.0, float('nan'))))
