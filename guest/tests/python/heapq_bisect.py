from _heapq import heappush, heappop, heapify, heapreplace, heappushpop, _heapify_max, _heappop_max, _heapreplace_max
from _bisect import bisect_left, bisect_right, insort_left, insort_right
bisect, insort = bisect_right, insort_right


def show(*fs):
    for f in fs:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e)


show(
    lambda: heappop([]), lambda: heappush((), 1), lambda: heapify(()), lambda: heappush(1), lambda: heapreplace([], 1), lambda: bisect([1], 1, -1), lambda: bisect(1), lambda: bisect(), lambda: bisect([1], 1, 0, None, 1),
    lambda: heappushpop([], 1), lambda: bisect(5, 1), lambda: heappush([1], 'a'), lambda: heappush([], 1), lambda: bisect('abc', 1), lambda: insort((1,), 2),
)
seed = 3
def rnd(n):
    global seed
    seed = (seed * 1103515245 + 12345) % 2**31
    return (seed >> 8) % n
for make in (lambda x: x, lambda x: float(x), lambda x: (x % 5, str(x)), lambda x: str(x), lambda x: [x]):
    h = []
    for _ in range(20): heappush(h, make(rnd(30)))
    print(h)
    print(heapreplace(h, make(7)), heappushpop(h, make(0)), heappushpop(h, make(99)), h[:4])
    print([heappop(h) for _ in range(len(h))])
    h = [make(rnd(30)) for _ in range(15)]; heapify(h); print(h)
    h = [make(rnd(30)) for _ in range(15)]; _heapify_max(h); print(h, _heappop_max(h), _heapreplace_max(h, make(3)), h[0])
class Grow:
    def __lt__(self, other): h.append(1); return True
h = [Grow(), Grow(), Grow()]
show(lambda: heapify(h), lambda: heappush(h, Grow()))
class Shrink:
    def __lt__(self, other): h.clear(); return True
h = [Shrink() for _ in range(5)]
show(lambda: heapify(h), lambda: heappop(h))
class Raise:
    def __lt__(self, other): raise ValueError('lt')
h = [Raise(), Raise(), Raise()]
show(lambda: heappop(h)); print(len(h))
a = [1, 2, 2, 2, 5, 7]
print([bisect_left(a, x) for x in range(9)], [bisect_right(a, x) for x in range(9)], bisect is bisect_right, insort is insort_right)
print(bisect(a, 2, 2), bisect(a, 2, 0, 2), bisect(a, 2, hi=3), bisect(a, 2, lo=5), bisect_left(a, 100, 0, 3), bisect(a, 1, hi=-1), bisect(range(10), 4), bisect('abcdef', 'c'), bisect([], 1))
words = ['a', 'bb', 'dddd']; print(bisect_left(words, 3, key=len), bisect_right(words, 2, key=len)); insort(words, 'ccc', key=len); insort_left(words, 'xx', key=len); insort_right(words, 'yy', key=len); print(words)
b = []
for _ in range(30): insort(b, rnd(10))
print(b)
class L(list):
    def insert(self, i, x): print('insert', i, x); super().insert(i, x)
l = L([1, 3]); insort(l, 2); print(l)
