from _functools import partial, reduce, cmp_to_key, _lru_cache_wrapper


def show(*fs):
    for f in fs:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e)


def f(*args, **kw): return args, kw
p = partial(f, 1, x=2)
show(
    lambda: partial(), lambda: partial(1), lambda: p.args, lambda: p.keywords, lambda: p.func is f, lambda: partial(p, 2, y=3).args, lambda: partial(p, 2, y=3).keywords, lambda: partial(p, 2, y=3).func is f, lambda: p.__name__, lambda: setattr(p, 'func', 1), lambda: p.__setstate__(1),
    lambda: type(p), lambda: partial(func=print), lambda: p(), lambda: p(5, x=7, z=8), lambda: partial(len, [1, 2])(), lambda: partial(int, base=2)('101'), lambda: repr(partial(len, 1, a='b')), lambda: p.__reduce__()[2][1:],
)
p.attr = 5; print(p.__dict__, p.__reduce__()[2][3], partial(p, 3).func is p)
class Sub(partial): pass
print(Sub(len, 'abc')(), repr(Sub(len, 'x')), type(Sub(len)))
rec = partial(len); rec.__setstate__((rec, (rec,), {}, None)); print(rec)
q = partial(f); q.__setstate__((f, (1, 2), {'k': 3}, {'a': 1})); print(q(9), q.a)
show(lambda: q.__setstate__((1, (), {}, None)), lambda: q.__setstate__((f, [], {}, None)), lambda: q.__setstate__((f, (), None, None)))
print(reduce(lambda a, b: a + b, [1, 2, 3]), reduce(lambda a, b: a * b, range(1, 6), 10), reduce(max, [], None), reduce(f, 'a'))
show(lambda: reduce(1), lambda: reduce(max, []), lambda: reduce(max, 1), lambda: reduce(max, [1, 2], 3))
K = cmp_to_key(lambda a, b: a - b)
show(lambda: K(1) < K(2), lambda: K(1) < 1, lambda: K(1).obj, lambda: hash(K(1)), lambda: cmp_to_key(), lambda: K(obj=3).obj, lambda: K(), lambda: type(K), lambda: K(1) == K(1), lambda: K(2) >= K(3), lambda: K(1) != K(1))
print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)), sorted(['bb', 'a', 'ccc'], key=cmp_to_key(lambda a, b: len(a) - len(b))), max([1, 5, 2], key=K))

calls = []
def slow(*args, **kw):
    calls.append((args, kw))
    return len(calls)
class Info(tuple):
    def __new__(cls, *a): return super().__new__(cls, a)
c = _lru_cache_wrapper(slow, 2, False, Info)
print(c(1), c(1), c(2), c(1), c(3), c(2), c(1), c.cache_info(), len(calls))
print(c(1.0), c(1, 2), c(1, 2), c(a=1), c(a=1), c('a'), c(('a',)), c(), c(), c.cache_info())
print(c.cache_clear(), c.cache_info(), c.__dict__)
show(lambda: c([]), lambda: c(a=[]), lambda: _lru_cache_wrapper(1, 2, 3, 4), lambda: _lru_cache_wrapper(f, 'a', 3, 4), lambda: _lru_cache_wrapper(f), lambda: type(c), lambda: c.__copy__() is c, lambda: c.__deepcopy__({}) is c)
t = _lru_cache_wrapper(slow, None, True, Info); print(t(1) == t(1.0), t(1) == t(1), t(True) == t(1), t(x=1) == t(x=1), t(x=1.0) == t(x=1), t.cache_info())
n = _lru_cache_wrapper(slow, 0, False, Info); n(1); n(1); print(n.cache_info()[:2], n.cache_info()[3], _lru_cache_wrapper(slow, -5, False, Info).cache_info())
def fib(n): return n if n < 2 else fast(n - 1) + fast(n - 2)
fast = _lru_cache_wrapper(fib, None, False, Info); print(fast(80), fast.cache_info())
def fib2(n): return n if n < 2 else fast2(n - 1) + fast2(n - 2)
fast2 = _lru_cache_wrapper(fib2, 3, False, Info); print(fast2(60), fast2.cache_info())
class A:
    def __init__(self, n): self.n = n
    def m(self, x): return self.n * x
    m = _lru_cache_wrapper(m, 10, False, Info)
a = A(3); print(a.m(4), a.m(4), A(5).m(4), A.m.cache_info(), a.m.__self__ is a)
def fails(x): raise ValueError(x)
z = _lru_cache_wrapper(fails, 5, False, Info)
show(lambda: z(1), lambda: z(1), lambda: z.cache_info())
c.tag = 1; print(c.tag, c.__dict__)
