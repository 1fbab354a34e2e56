# What CPython 3.14 does differently from 3.13.
from _functools import partial, Placeholder, _PlaceholderType, reduce
from _heapq import heappush_max, heappop_max, heapify_max, heapreplace_max, heappushpop_max


def show(*fs):
    for f in fs:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e, getattr(e, '__notes__', ''))


class Unhashable:
    __hash__ = None
d, s = {}, set()
show(
    lambda: d[[]], lambda: {[]: 1}, lambda: d.get({}), lambda: d.setdefault([]), lambda: d.pop([]), lambda: [] in d, lambda: {([],): 1}, lambda: d.__delitem__([]), lambda: d.update({1: 2}, x=3), lambda: d[Unhashable()],
    lambda: {[]}, lambda: s.add([]), lambda: [] in s, lambda: s.discard([]), lambda: s.remove([]), lambda: {([],)}, lambda: set([[]]), lambda: frozenset([{}]), lambda: s | {Unhashable()}, lambda: hash([]), lambda: s.intersection([[]]),
    lambda: dict([1]), lambda: dict(['ab', 5]), lambda: d.update([None]), lambda: [].index(1), lambda: [1, 2].remove(3), lambda: (1,).index(2),
)
print(list(map(lambda a, b: a + b, [1, 2], [3, 4], strict=True)))
show(lambda: list(map(max, [1, 2], [3], strict=True)), lambda: list(map(max, [1], [3, 4], strict=True)), lambda: map(max, [1], x=1))

_ = Placeholder
def f(*args, **kw): return args, kw
p = partial(f, _, 2, _, 4)
show(
    lambda: p(1, 3), lambda: p(1, 3, 5, k=6), lambda: p(1), lambda: p(), lambda: partial(f, 1, _), lambda: partial(f, x=_), lambda: p.args, lambda: partial(p, 1).args, lambda: partial(p, 1, 3, 5).args, lambda: partial(p, 1, 3)(), lambda: partial(p, 'a')('b'),
    lambda: _, lambda: _PlaceholderType() is _, lambda: type(_).__name__, lambda: reduce(f, [1], initial=0), lambda: _PlaceholderType(1),
)
class C:
    m = partial(f, 'bound')
c = C(); print(C.m is C.__dict__['m'], len(c.m(1)[0]), c.m(1)[0][0], c.m(1)[0][1] is c)

h = []
for x in [3, 1, 4, 1, 5, 9, 2, 6]: heappush_max(h, x)
print(h, heappop_max(h), heapreplace_max(h, 0), heappushpop_max(h, 7), heappushpop_max(h, 2), h)
h = [1, 2, 3, 4, 5, 6]; heapify_max(h); print(h, [heappop_max(h) for _ in range(6)])
show(lambda: heappop_max([]), lambda: heappush_max((), 1))
