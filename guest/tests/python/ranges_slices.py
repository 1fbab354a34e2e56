def show(*fs):
    for f in fs:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e)


r = range(10)
show(
    lambda: r[20], lambda: r['a'], lambda: range(), lambda: range(1, 2, 3, 4), lambda: range(1, 2, 0), lambda: range(1.5), lambda: r.index(33), lambda: len(range(2**100)), lambda: r[1.0:2],
    lambda: range(x=1), lambda: slice(), lambda: slice(1, 2, 3, 4), lambda: slice(1).indices(-1), lambda: slice(1).indices('a'), lambda: slice(1, 2, 0).indices(1), lambda: slice(1, 'a', 1).indices(1),
    lambda: slice(x=1), lambda: hash(slice([])), lambda: slice(1) < 1, lambda: r.index('q'), lambda: r[2**100], lambda: r.count(), lambda: slice('a', 1) < slice(1, 2), lambda: setattr(r, 'start', 1), lambda: r < r,
    lambda: r + r, lambda: range('3'), lambda: range(0, 10, 'a'), lambda: r.__class_getitem__,
)
print(r, range(1, 5), range(0, 5, 2), range(5, 0, -1), r.start, r.stop, r.step, len(r), bool(range(0)), bool(r))
print(list(range(3)), list(range(2, 8, 3)), list(range(5, -3, -2)), list(range(0)), list(range(True, 4)), [*range(-2, 2)])
print(r[3], r[-1], r[2:5], r[::-1], r[::3], r[5:2], r[-3:], r[::2][1:], range(0, 10, 3)[::2], r[2**100:], r[:-2**100])
print(3 in r, 10 in r, 3.0 in r, 2.5 in r, 'a' in r, True in r, -1 in range(0, -5, -1), 4 in range(0, 10, 2), 5 in range(0, 10, 2), 2**70 in range(2**71), None in r)
print(r.index(5), r.count(5), r.count(50), r.count(1.0), r.index(True), range(0, 20, 5).index(15))
print(range(0) == range(2, 2), range(0, 3, 2) == range(0, 4, 2), r == list(r), range(1) != range(2), hash(range(0)) == hash(range(5, 5)), hash(range(0, 3, 2)) == hash(range(0, 4, 2)), hash(range(3)))
big = range(2**70, 2**70 + 10, 3)
print(big, len(big), list(big), big[1], big[-1], big[::-1], 2**70 + 3 in big, 2**70 + 4 in big, big.index(2**70 + 6), list(reversed(big)), big == range(2**70, 2**70 + 11, 3), hash(big) == hash(range(2**70, 2**70 + 11, 3)))
print(range(2**70)[::-1], range(2**70)[2**69], range(-2**70, 0)[0], type(iter(big)), type(iter(r)), type(reversed(r)))
print(range(2**63 - 2, 2**63 + 2), list(range(2**63 - 2, 2**63 + 2)), sum(range(10**15, 10**15 + 3)), list(range(2**49 - 2, 2**49 + 2)), list(range(-2**49 - 2, -2**49 + 2)))
it = iter(range(5)); print(it.__length_hint__(), next(it), it.__reduce__()[1:], it.__length_hint__(), it.__setstate__(2), list(it), list(it), it.__reduce__()[1:])
it = iter(big); next(it); print(it.__length_hint__(), it.__reduce__()[1:], it.__setstate__(1), list(it))
print(reversed(range(10, 0, -3)).__reduce__()[1:], list(reversed(range(10, 0, -3))), list(reversed(range(0))))
for i in range(3, 0, -1): print(i, end=' ')
for i in range(2**50, 2**50 + 2): print(i, end=' ')
print()
print(slice(1), slice(1, 2), slice(None, None, -1), slice(1).start, slice(1).stop, slice('a', 'b', 'c').step, slice(1, 2) == slice(1, 2), slice(1, 2) == slice(1, 2, 1), slice(1, 2) < slice(1, 3), slice(1) != (None, 1, None))
print(hash(slice(1, 2)) == hash(slice(1, 2)), {slice(1): 'x'}[slice(1)])
for s in [slice(None), slice(3), slice(-3, None), slice(None, None, -1), slice(20, -20, -3), slice(2**80, None, -1), slice(-2**80, 2**80, 2**80)]:
    print(s, s.indices(10), s.indices(0), s.indices(2**70))
class I:
    def __init__(self, n): self.n = n
    def __index__(self): return self.n
    def __repr__(self): return f'I{self.n}'
print(slice(I(1), I(5), I(2)).indices(I(4)), 'abcdef'[I(1):I(4)], range(I(3)), range(I(1), I(4))[I(1)], [0, 1, 2][I(-1)], slice(I(1)))
class Get:
    def __getitem__(self, key): return key
g = Get(); print(g[1:2], g[::], g[1:2, 3], g[..., 1:], g[:, ::2])
