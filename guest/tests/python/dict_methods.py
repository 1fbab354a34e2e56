def show(*fs):
    for f in fs:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e)


d = {}
show(
    lambda: dict([(1, 2, 3)]), lambda: dict(1), lambda: dict(1, 2), lambda: d.popitem(), lambda: d.pop(1), lambda: d.pop(), lambda: d.pop(1, 2), lambda: d.pop(1, 2, 3),
    lambda: d.update(1, 2), lambda: d | 1, lambda: d.fromkeys(), lambda: d.fromkeys([1]), lambda: d.get(), lambda: d.get(1), lambda: d.get(1, 2), lambda: d.setdefault(),
    lambda: dict(['ab']), lambda: d.keys() & 1, lambda: d.keys() < 1, lambda: d.keys() | [1], lambda: d.items() - [1], lambda: d.values() & [], lambda: d.keys().mapping,
    lambda: d.keys().isdisjoint(1), lambda: d.__ior__(1), lambda: d.__or__(1), lambda: d[1], lambda: [1] & d.keys(), lambda: d.keys() ^ [1], lambda: [1] - {1: 2}.keys(),
    lambda: hash(d.keys()), lambda: hash(d), lambda: d < d, lambda: d.fromkeys([1, 2], 3), lambda: d.copy(1), lambda: {}.keys() == set(), lambda: d.__delitem__(1),
)

# Insertion order, replacement and removal.
d = {'a': 1, 'b': 2, 3: 'c', None: 4, (1, 2): 5, 1.5: 6, True: 7}
print(d, len(d), d[1], d[1.0], d[True], 1 in d, 2 in d, None in d)
d[1] = 'one'; del d['a']; d['a'] = 'again'; print(d, list(d), list(reversed(d)))
print(d.pop('b'), d.pop('zz', 'no'), d.popitem(), d.setdefault('new', []), d.setdefault('new', 5), d.setdefault('none'), d)
print(d.get(3), d.get('q'), d.get('q', 0), d.copy() == d, d.copy() is d, dict(d) == d, d == {**d}, d != {})
print(dict(a=1, b=2), dict([('x', 1), ['y', 2]], z=3), dict({'a': 1}, a=2), dict(zip('abc', range(3))), {**{'a': 1}, 'b': 2, **{'a': 3}})
print(dict.fromkeys('abca'), dict.fromkeys([1, 2], []), dict.fromkeys({5: 6}, 1), dict.fromkeys({7}, 8), dict.fromkeys(range(3)))
d = {1: 2}; d.update({3: 4}, a=5); d.update([(1, 'x')]); d.update(); d.update(b=6); print(d)
d |= {1: 0}; d |= [('q', 9)]; print(d, d | {1: 1}, {1: 1} | d, {} | {})
print({1: 2} == {1: 2.0}, {1: 2} == {1: 3}, {1: 2} == {2: 2}, {1: [2]} == {1: [2]}, {'a': 1, 'b': 2} == {'b': 2, 'a': 1}, {} == [])
d.clear(); print(d, len(d), bool(d), list(d.items()))
r = {}; r['r'] = r; print(r, r['r'] is r); r = {}; r[1] = [r]; print(r); r = {}; r[1] = r.values(); print(r)
print({1: 'a', 'k': {2: [3]}, (4,): None})

# Views.
d = {'a': 1, 'b': 2, 'c': 3}
k, v, i = d.keys(), d.values(), d.items()
print(k, v, i, len(k), list(reversed(k)), list(reversed(v)), list(reversed(i)))
print('a' in k, 1 in v, ('a', 1) in i, ('a', 2) in i, 'ab' in i, ['a', 1] in i)
d['d'] = 4; del d['a']; print(k, v, i)
print(sorted(k & {'b', 'z'}), sorted(k | {'z'}), sorted(k - {'b'}), sorted(k ^ {'b', 'q'}), sorted(i & {('b', 2)}), sorted({'b'} & k), sorted({'b', 'y'} - k), sorted(i | [('q', 5)]))
print(k == {'b', 'c', 'd'}, k <= {'b', 'c', 'd', 'e'}, k < {'b', 'c', 'd'}, k >= {'b'}, k > {'b'}, k != {'b'}, {'b', 'c', 'd'} == k, i == {('b', 2), ('c', 3), ('d', 4)}, v == v, v == d.values())
print(k.isdisjoint(['x']), k.isdisjoint('b'), i.isdisjoint({('b', 2)}), k.isdisjoint(k), {}.keys().isdisjoint({}.keys()), k.mapping == d, type(k & set()), k.mapping['b'])
print(type(k), type(v), type(i), type(iter(k)), type(iter(v)), type(iter(i)), type(reversed(d)), type(reversed(v)), type(reversed(i)))

# Iteration and changes.
d = {i: i for i in range(5)}
def loop(f):
    out = []
    try:
        for k in d:
            out.append(k)
            f(k)
    except RuntimeError as e:
        out.append(str(e))
    print(out, len(d))
loop(lambda k: d.update({k: -k}))
loop(lambda k: d.update({k + 100: 0}))
loop(lambda k: d.pop(k))
d = {i: i for i in range(5)}
def swap(k):
    del d[k]
    d[k + 1000] = 0
loop(swap)
d = {1: 1, 2: 2}; it = iter(d.items()); print(it.__length_hint__(), next(it), it.__length_hint__(), list(it), it.__length_hint__(), list(it))
it = iter({1: 2, 3: 4}); next(it); f, (rest,) = it.__reduce__(); print(f is iter, rest, list(it))
d = {1: 1}; it = iter(d); d[2] = 2
for _ in range(2):
    try: next(it)
    except RuntimeError as e: print(e)

# Keys with their own ideas.
class Key:
    def __init__(self, n): self.n = n
    def __hash__(self): return 7
    def __eq__(self, other): return isinstance(other, Key) and self.n == other.n
    def __repr__(self): return f'K{self.n}'
d = {Key(i): i for i in range(20)}
print(len(d), d[Key(13)], Key(20) in d, d.pop(Key(5)), Key(5) in d, list(d)[:7])
for i in range(0, 20, 2): d.pop(Key(i), None)
print(d); d[Key(1)] = 'x'; d[Key(99)] = 'y'; print(d)
class Angry:
    def __hash__(self): return hash('x')
    def __eq__(self, other): raise ValueError('do not compare me')
d = {'x': 1}
for f in (lambda: d[Angry()], lambda: d.get(Angry()), lambda: Angry() in d, lambda: d.setdefault(Angry(), 1), lambda: d.pop(Angry()), lambda: d.update({Angry(): 2})):
    try: f()
    except ValueError as e: print(e)
class Clear:
    def __hash__(self): return hash('x')
    def __eq__(self, other): d.clear(); return False
d = {'x': 1, 'y': 2}; d[Clear()] = 3; print(len(d))
d = {i: str(i) for i in range(1000)}
for i in range(0, 1000, 3): del d[i]
for i in range(2000, 2100): d[i] = i
print(len(d), sum(d), list(d)[:5], list(d)[-2:], d[500], 3 in d)
q = {}
for i in range(3000):
    q[i] = i
    if len(q) > 10: del q[next(iter(q))]
print(list(q))
for i in range(3000): q[i] = q.popitem()[1]
print(len(q))

# Subclasses.
class D(dict):
    def __missing__(self, key): return f'<{key}>'
x = D(a=1); x.tag = 't'
print(x, x['a'], x['zz'], x.get('zz'), 'zz' in x, x.tag, type(x.copy()), type(x | {}), type(D.fromkeys('ab')), D.fromkeys('ab'), x == {'a': 1})
class Upper(dict):
    def __setitem__(self, k, v): super().__setitem__(k.upper(), v)
    def __getitem__(self, k): return super().__getitem__(k.upper())
    def __iter__(self): return iter(['only'])
    def keys(self): return ['x', 'y']
u = Upper(a=1); u['b'] = 2; u.update(c=3); print(u.items(), u['B'], list(u), len(u), u.pop('B'))
u['x'] = 10; u['y'] = 20; print(dict(u), {**u})
class Mapping:
    def keys(self): return ['p', 'q']
    def __getitem__(self, k): return k * 2
print(dict(Mapping()), {**Mapping()}, dict(Mapping(), z=1))
print(dict.__name__, {}.__class__, dict.fromkeys.__name__, isinstance({}.keys(), type({}.keys())))
