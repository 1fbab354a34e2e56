def show(*fs):
    for f in fs:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e)


l = [1, 2, 3]
def put(a, b, to=l):
    to[a] = b
def drop(a, of=l):
    del of[a]

show(
    lambda: l.remove(9), lambda: [].pop(), lambda: l.pop(9), lambda: l['a'], lambda: put(slice(0, 1), 1),
    lambda: put(slice(0, 3, 2), 1), lambda: put(slice(0, 3, 2), [1]), lambda: put(9, 1), lambda: drop(9), lambda: l[2**100],
    lambda: l * 2**100, lambda: l * 1.5, lambda: l + (1,), lambda: list(1, 2), lambda: list(x=1), lambda: l.index(1, 'a'),
    lambda: l.insert('a', 1), lambda: l.sort(1), lambda: l.sort(foo=1), lambda: l.pop('a'), lambda: l.append(), lambda: l.append(1, 2),
    lambda: l.pop(1, 2), lambda: l.insert(1), lambda: l.sort(key=1), lambda: [1, 'a'].sort(), lambda: [].sort(key=1),
    lambda: l.index(), lambda: l.extend(1), lambda: l.__iadd__(1), lambda: l.__mul__(2), lambda: l.__lt__(1), lambda: l.count(),
    lambda: hash(l), lambda: l < (1,), lambda: l[1:2:0], lambda: l['a':], lambda: [1][1.5], lambda: l.clear(3),
)
print(l)

# Slices, got, set and deleted.
base = list(range(12))
for s in [slice(None), slice(2, 5), slice(5, 2), slice(-3, None), slice(None, None, 2), slice(None, None, -1), slice(8, 1, -3), slice(1, 8, 3), slice(20, 30),
          slice(-20, 3), slice(0, 0), slice(4, 4, 2), slice(None, None, 100), slice(-1, -100, -5), slice(3, None, -1)]:
    a = base[:]
    del a[s]
    b = base[:]
    n = len(base[s])
    b[s] = [100 + i for i in range(n)]
    print(s, base[s], a, b)
a = [1, 2, 3, 4, 5]
a[1:3] = 'xyz'; print(a)
a[5:2] = [0]; print(a)
a[:0] = range(3); print(a)
a[::-1] = a; print(a)
a[2:4] = a; print(a)
a[len(a):] = (9, 9); print(a)
del a[-1]; del a[0]; print(a)

# Methods.
a = [3, 1, 2]
print(a.append(5), a.extend((6, 7)), a.extend(x * x for x in range(3)), a, a.index(6), a.index(1, 1), a.index(1, -1000, 3), a.count(0))
a.extend(a); print(a)
a += a[:2]; a *= 2; print(a)
a *= 0; print(a)
a += 'ab'; a.insert(0, 'z'); a.insert(100, 'e'); a.insert(-1, 'y'); a.insert(-100, 'first'); print(a)
print(a.pop(), a.pop(0), a.pop(-2), a, a.copy() is a, a.copy() == a)
a.reverse(); print(a, a.clear(), a)
print([0] * 3, 3 * [1, 2], [] * 5, [1] * -1, True * [4], [1, 2] + [3])
print([1, 2] < [1, 3], [1] < [1, 2], [2] > [1, 5], [1, 2] == [1, 2.0], [] == (), [1] != [1], [1, 'a'] == [1, 2], [[1]] <= [[1]])
nan = float('nan')
print([nan] == [nan], nan in [nan], [nan].index(nan), [nan].count(nan))
print(1.0 in [1], True in [1], 'a' in ['b'], [] in [[]])
r = [1]; r.append(r); print(r, r[1] is r)
r = []; t = (r,); r.append(t); print(r, t)
print(list('héllo'), list({'a': 1, 'b': 2}), list(range(3)), list((1, 2)), list())
print(list(reversed([1, 2, 3])), [*reversed('abc')])

# Sorting.
def check(data, **kw):
    a = list(data)
    assert a.sort(**kw) is None
    return a
print(check([3, 1, 2]), check('hello'), check([2.5, -1, 3, True]), check([(1, 'b'), (1, 'a'), (0, 'z')]), check([3, 1, 2], reverse=True))
print(check(['bb', 'a', 'ccc'], key=len), check(['bb', 'a', 'cc', 'd'], key=len, reverse=True), check(range(5), key=lambda x: -x))
print(check([(2, 'x'), (1, 'y'), (2, 'a'), (1, 'b')], key=lambda p: p[0]), check([(2, 'x'), (1, 'y'), (2, 'a'), (1, 'b')], key=lambda p: p[0], reverse=True))
print(check([[2], [1, 5], [1]]), check([1.0, 1, True, 0, False]), check([1.0, 1, True, 0, False], reverse=True))
print(check([2**70, -2**70, 5, 2**60]), check(['é', 'z', 'a', '\U0001f600', '\uffff']), check([b'b', b'a']))
class Count:
    compared = 0
    def __init__(self, n): self.n = n
    def __lt__(self, other):
        Count.compared += 1
        return self.n < other.n
    def __repr__(self): return f'C{self.n}'
for n in (1, 2, 10, 100, 1000):
    for data in (range(n), range(n, 0, -1)):
        Count.compared = 0
        check([Count(x) for x in data])
        print(n, Count.compared, end='; ')
print()
seed = 1
def rnd(n):
    global seed
    seed = (seed * 1103515245 + 12345) % 2**31
    return (seed >> 8) % n
for n in (5, 33, 64, 100, 1000, 3000):
    data = [(rnd(n // 3 + 1), i) for i in range(n)]
    Count.compared = 0
    a = check([Count(p[0]) for p in data])
    assert [c.n for c in a] == sorted(p[0] for p in data)
    assert Count.compared < n * n.bit_length()
    class Key:
        def __init__(self, p): self.p = p
        def __lt__(self, other): return self.p[0] < other.p[0]
    a = check([Key(p) for p in data])
    assert [k.p for k in a] == sorted(data)
    a = check([Key(p) for p in data], reverse=True)
    assert [k.p for k in a] == sorted(data, key=lambda p: (-p[0], p[1]))
    assert check(data, key=lambda p: p[0]) == sorted(data)
    runs = [Count(x) for k in range(7) for x in range(rnd(90), rnd(300))]
    a = check(runs)
    assert all(not y < x for x, y in zip(a, a[1:]))
print('sorted')
class Bad:
    def __lt__(self, other): raise ZeroDivisionError('compared')
a = [Bad() for _ in range(3)]; b = a[:]
try: a.sort()
except ZeroDivisionError as e: print(e, len(a), set(map(id, a)) == set(map(id, b)))
a = [3, 1, 2]
def spoil(x): a.append(x); return x
try: a.sort(key=spoil)
except ValueError as e: print(e, a)
def look(x): print(a, end=' '); return x
a.sort(key=look); print(a)
try: a.sort(key=lambda x: 1 / (x - 2))
except ZeroDivisionError as e: print(e, a)
class Boolless:
    def __lt__(self, other): return []
a = [Boolless(), Boolless()]; a.sort(); print(len(a))

# Changes under way.
a = [1, 2, 3]
class Clear:
    def __eq__(self, other): a.clear(); return False
a[1] = Clear()
print(a.count(5), a)
a = [1, 2, 3, 4]
class Cut:
    def __eq__(self, other): del a[1:]; return True
try: print(a.remove(Cut()), a)
except ValueError as e: print(e, a)
a = [1, 2, 3]
for x in a:
    if len(a) < 6: a.append(x * 10)
print(a)
a = list(range(6))
for x in a: a.remove(x)
print(a)
class Index:
    def __init__(self, n): self.n = n
    def __index__(self): a.append('i'); return self.n
a = [0, 1]; print(a[Index(1)], a[Index(-1):], a * Index(2)); a[Index(0)] = 'x'; print(a)
it = iter(a); print(it.__length_hint__(), next(it), it.__length_hint__(), list(it), it.__length_hint__(), list(it))
a = [1]; it = iter(a); list(it); a.append(2); print(list(it))

# Subclasses.
class L(list):
    def __init__(self, *args, tag=None):
        super().__init__(*args)
        self.tag = tag
    def total(self): return sum(self)
x = L([1, 2, 3], tag='t'); print(x, x.tag, x.total(), type(x[:]), type(x + [1]), type(x * 2), type(x.copy()), x == [1, 2, 3], isinstance(x, list))
x += [4]; x.extend('a'); print(type(x), x, len(x), x[-1])
class Loud(list):
    def __getitem__(self, i): return 'item %r' % (i,)
    def __iter__(self): return iter('loud')
    def __len__(self): return 7
y = Loud([1, 2]); print(y[0], list(y), len(y), y[1:], [*y], list.__len__(y), y)
print(list.__init__([1], (5, 6)), [].__class__, list.__name__)
