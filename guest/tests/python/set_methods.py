def show(*fs):
    for f in fs:
        try:
            r = f()
            print(sorted(r) if isinstance(r, (set, frozenset)) and len(r) > 1 else repr(r))
        except Exception as e:
            print(type(e).__name__, e)


s = {1}
show(
    lambda: s.remove(3), lambda: s.remove({3}), lambda: set().pop(), lambda: s | [1], lambda: s.union(1), lambda: s <= [1], lambda: set(1, 2), lambda: set(x=1),
    lambda: frozenset(1, 2), lambda: frozenset(x=1), lambda: s - [1], lambda: s.__ior__([1]), lambda: s.update(1), lambda: hash(s), lambda: s.add(),
    lambda: s.symmetric_difference(), lambda: s.issubset(1), lambda: frozenset({1}).__reduce__(), lambda: s.__reduce__(), lambda: set(), lambda: frozenset(), lambda: frozenset([1]),
    lambda: iter(s).__reduce__(), lambda: {1} in {frozenset({1})}, lambda: s.union(a=1), lambda: s < 1, lambda: s & {1: 2}.keys(), lambda: s.isdisjoint(1), lambda: s.pop(1),
    lambda: frozenset().add(1), lambda: s.__and__([1]), lambda: s.__rsub__({1, 5}), lambda: s.intersection_update(5),
)
a, b = {1, 2, 3, 4}, {3, 4, 5}
show(
    lambda: a | b, lambda: a & b, lambda: a - b, lambda: a ^ b, lambda: a.union(b, [9], (8,), 'x'[:0]), lambda: a.intersection(b, [3]), lambda: a.difference(b, [1]),
    lambda: a.symmetric_difference([4, 6]), lambda: a.union(), lambda: a.intersection(), lambda: a.difference(), lambda: a < b, lambda: a <= a, lambda: a < a, lambda: {3, 4} < a,
    lambda: a > {1}, lambda: a >= {1, 2, 3, 4}, lambda: a == frozenset(a), lambda: a != b, lambda: a.issubset(range(10)), lambda: a.issuperset([1, 2]), lambda: a.issuperset('x'),
    lambda: a.isdisjoint([7, 8]), lambda: a.isdisjoint([7, 1]), lambda: a.isdisjoint(a), lambda: set().isdisjoint(set()), lambda: set().issubset([]), lambda: a == [1, 2, 3, 4],
)
for op in ('__iand__', '__isub__', '__ior__', '__ixor__'):
    t = {1, 2}; u = getattr(t, op)({2, 3}); print(sorted(u), u is t, getattr(t, op)([1]))
for name, args in [('update', ([1, 9], {8}, 'a')), ('intersection_update', ([1, 2, 3], {1, 2})), ('difference_update', ([1], {2})), ('symmetric_difference_update', ([1, 77],)), ('update', ()),
                   ('difference_update', ()), ('intersection_update', ())]:
    t = {1, 2, 3}; print(name, getattr(t, name)(*args), sorted(t, key=str))
t = {1, 2}; t -= t; print(t); t = {1, 2}; t ^= t; print(t); t = {1, 2}; t &= t; print(t); t |= t; print(t); t.difference_update(t); print(t)
t = {1, 2, 3}; print(t.discard(2), t.discard(99), t.remove(1), t, t.pop(), t, t.add(5), t.add(5), t, t.clear(), t, t.copy())
print(1.0 in {1}, True in {1}, 'a' in {'a'}, None in {None}, (1, 2) in {(1, 2)}, {1} in {frozenset([1]), 2}, {frozenset([1]), 2}.remove({1}))
x = {frozenset([1]), 2}; x.discard({1}); print(x)
for f in [frozenset(), frozenset([1]), frozenset([1, 2, 3]), frozenset(range(50)), frozenset([2**70, -1]), frozenset([frozenset([1])])]:
    print(hash(f), end=' ')
print()
f = frozenset([1]); print(f.copy() is f, frozenset(f) is f, f | {2} == {1, 2}, type(f | {2}), type({2} | f), {f: 'v'}[frozenset([1])], frozenset([1, 2]) == {1, 2}, hash(frozenset({1, 2})) == hash(frozenset([2, 1])))
print(set('aab') == {'a', 'b'}, set({1: 2}), set(range(5)), set([1, 1.0, True]), {*[1, 2], *{3}}, set((x, y) for x in range(2) for y in range(2)) == {(0, 0), (0, 1), (1, 0), (1, 1)})
print({1, 2, 3}, {3, 2, 1}, {10, 5, 8, 0}, set(range(20, 0, -1)), {-1, -2}, {0.5, 1.5}, {True, 0, 2}, {100, 50, 25, 12})

def loop(s, f):
    out = []
    try:
        for x in s:
            out.append(x)
            f(x)
    except RuntimeError as e:
        out.append(str(e))
    print(out)
s = set(range(4)); loop(s, lambda x: s.add(x)); loop(s, lambda x: s.add(x + 100)); loop(s, s.discard)
it = iter({1, 2}); print(it.__length_hint__(), next(it), it.__length_hint__(), list(it), list(it), it.__length_hint__())

class Key:
    def __init__(self, n): self.n = n
    def __hash__(self): return self.n % 3
    def __eq__(self, other): return isinstance(other, Key) and self.n == other.n
    def __repr__(self): return f'K{self.n}'
s = {Key(i) for i in range(12)}
print(len(s), Key(7) in s, Key(12) in s, len(s | {Key(1), Key(50)}), len(s & {Key(1), Key(50)}), len(s - {Key(1)}), s.discard(Key(4)), len(s), Key(4) in s)
class Angry:
    def __hash__(self): return 1
    def __eq__(self, other): raise ValueError('do not compare me')
s = {1}
for f in (lambda: s.add(Angry()), lambda: Angry() in s, lambda: s | {Angry()}, lambda: s.remove(Angry()), lambda: s & {Angry()}, lambda: s == {Angry()}):
    try: print(f())
    except ValueError as e: print(e)
class Clear:
    def __hash__(self): return 1
    def __eq__(self, other): s.clear(); return False
s = {1, 2, 3}; s.add(Clear()); print(len(s)); s = {1, 2, 3}; print(len(s | {Clear()})); s = {1, 2, 3}; print(Clear() in s, s)

class S(set): pass
class F(frozenset): pass
x = S([1, 2]); x.tag = 5
print(x, type(x.copy()), type(x | {3}), type(x.union([2])), type(F([1]).copy()), type(F([1]) & {1}), F(), repr(F([2])), x.__reduce__(), x == {1, 2}, x.tag, type(x - {1}), type({1} | x))
x |= {9}; x -= {1}; print(type(x), x, F([1]) == {1}, hash(F([1])) == hash(frozenset([1])), F(frozenset([1])).copy())
class Init(set):
    def __init__(self, *args): super().__init__(args)
print(Init(1, 2), len(Init()))
r = frozenset([1]); print([r], {r: 1}, (r,), str(r), f'{ {1} }')
