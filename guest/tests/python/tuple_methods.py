def show(*fs):
    for f in fs:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e)


t = (1, 2, 3)
show(
    lambda: tuple(1, 2), lambda: tuple(x=1), lambda: (1,).index(2), lambda: t['a'], lambda: t[5], lambda: () + [], lambda: (1,) * 2**100, lambda: (1,) < [1],
    lambda: hash(([],)), lambda: tuple(1), lambda: t.index(2, 2), lambda: t.index(3, -1), lambda: t.index(1, None), lambda: t.count(1), lambda: t.count(),
    lambda: t * 1.5, lambda: t + [1], lambda: t.append(1), lambda: t[1:'a'], lambda: t[::0], lambda: t.__add__(t), lambda: t.__mul__(2), lambda: t.__getnewargs__(),
)
print((), (1,), (1, 2), ((),), t[1:], t[::-1], t[::2], t[5:], t[-2:-1], t[:] is t, tuple(t) is t, t * 1 is t, () + t is t, t + () is t)
print(tuple('abc'), tuple(range(3)), tuple({1: 2}), tuple(), tuple([]) is (), (1, 2) * 3, 2 * ('a',), t * 0, t * -1, (1,) + (2,))
print((1, 2) < (1, 3), (1,) < (1, 0), (2,) > (1, 5), (1, 2) == (1, 2.0), (1, 'a') == (1, 2), () == [], (1, [2]) == (1, [2]))
for x in [(), (1,), (1, 2), (1, 2, 3), ((1, 2), (3, (4,))), (0, -1, 2**70), (1.5, 2), tuple(range(100))]:
    print(hash(x))
nan = float('nan')
print((nan,) == (nan,), nan in (nan,), hash((1, 2)) == hash((1.0, 2.0)), 2 in t, 'a' in t)
x = []; y = (x, 1); x.append(y); print(y, x)
class T(tuple):
    def __new__(cls, *args): return super().__new__(cls, args)
a = T(1, 2, 3); a.tag = 'x'
print(a, a.tag, type(a), type(a[:]), type(a + (1,)), type(a * 1), a == (1, 2, 3), hash(a) == hash((1, 2, 3)), tuple(a), type(tuple(a)), isinstance(a, tuple), a.__getnewargs__())
deep = ()
for _ in range(200): deep = (deep,)
print(len(repr(deep)), deep == deep, hash(deep) == hash(deep))
it = iter((1, 2)); print(it.__length_hint__(), next(it), list(it), list(it), it.__length_hint__())
