def show(*fs):
    for f in fs:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e)


show(
    lambda: enumerate(), lambda: enumerate(1), lambda: enumerate([], 'a'), lambda: enumerate([1], 2, 3), lambda: list(enumerate('ab', start=3)), lambda: list(enumerate(iterable='x')),
    lambda: zip(1), lambda: zip([1], 2), lambda: zip(x=1), lambda: map(), lambda: map(len), lambda: map(len, 1), lambda: filter(), lambda: filter(None, 1), lambda: filter(x=1),
    lambda: reversed(), lambda: reversed(1), lambda: reversed({1}), lambda: reversed([], 1), lambda: reversed(x=1), lambda: reversed(iter([])), lambda: iter(1), lambda: iter(1, 2), lambda: next([]), lambda: next(iter([])),
    lambda: next(iter([]), 'default'), lambda: list(zip([1], [1, 2], strict=True)), lambda: list(zip([1, 2], [1], strict=True)), lambda: list(zip([1], [1], [], strict=True)), lambda: list(zip([], [], [1], strict=True)),
    lambda: list(zip('ab', 'cd', strict=True)), lambda: list(zip(strict=True)),
)
print(list(enumerate('abc')), list(enumerate(range(3), 10)), list(enumerate('ab', 2**63 - 1)), list(enumerate('ab', 2**70)), next(enumerate('a')))
print(list(zip()), list(zip('abc')), list(zip('abc', range(2))), list(zip([1, 2], [3, 4], [5, 6])), dict(zip('ab', (1, 2))), list(zip(*[(1, 2), (3, 4)])))
print(list(map(len, ['a', 'bb'])), list(map(lambda a, b: a + b, [1, 2], [3, 4, 5])), list(map(str, range(3))), list(map(max, [1, 5], [2, 3], [0, 9])))
print(list(filter(None, [0, 1, '', 'a', None, [], [0]])), list(filter(lambda x: x % 2, range(6))), list(filter(bool, [0, 2])))
print(list(reversed('abc')), list(reversed((1, 2))), list(reversed(range(3))), list(reversed({1: 2, 3: 4})), list(reversed([])))
it = iter([1, 2, 3]); print(it.__length_hint__(), next(it), it.__reduce__()[1:], it.__setstate__(2), list(it), it.__reduce__()[1:], it.__length_hint__())
it = iter((1, 2, 3)); print(it.__length_hint__(), next(it), it.__reduce__()[1:], it.__setstate__(-5), list(it), it.__reduce__()[1:])
it = iter('aéz'); print(it.__length_hint__(), next(it), next(it), it.__reduce__()[1:], it.__setstate__(1), list(it), it.__reduce__()[1:])
it = reversed([1, 2, 3]); print(it.__length_hint__(), next(it), it.__reduce__()[1:], it.__setstate__(0), list(it), it.__reduce__()[1:], it.__length_hint__())
it = reversed('abc'); print(it.__length_hint__(), next(it), it.__reduce__()[1:], it.__setstate__(0), list(it), it.__reduce__()[1:])
e = enumerate('ab'); next(e); print(e.__reduce__()[1][1], zip([1]).__reduce__()[0], map(len, []).__reduce__()[0], filter(None, []).__reduce__()[1][0])

class Seq:
    def __init__(self, n): self.n = n
    def __getitem__(self, i):
        if i >= self.n: raise IndexError(i)
        return i * i
    def __len__(self): return self.n
s = Seq(4); print(list(s), list(reversed(s)), 9 in s, 5 in s, tuple(s), [*s], max(s))
it = iter(s); print(it.__length_hint__(), next(it), it.__reduce__()[2], it.__setstate__(2), list(it), type(it))
class NoLen:
    def __getitem__(self, i): return [1, 2][i]
print(list(NoLen()), iter(NoLen()).__length_hint__())
show(lambda: reversed(NoLen()))
class Stop:
    def __getitem__(self, i):
        if i == 2: raise StopIteration
        return i
print(list(Stop()))
class Never:
    __iter__ = None
    __reversed__ = None
    def __getitem__(self, i): return i
show(lambda: iter(Never()), lambda: reversed(Never()), lambda: 1 in Never())
n = 0
def count():
    global n
    n += 1
    return n
print(list(iter(count, 4)), type(iter(count, 4)))
def stopper():
    raise StopIteration
print(list(iter(stopper, 1)))
class Rev:
    def __reversed__(self): return 'backwards'
print(reversed(Rev()))
class Hint:
    def __init__(self, h): self.h = h
    def __iter__(self): return iter('ab')
    def __length_hint__(self):
        if isinstance(self.h, Exception): raise self.h
        return self.h
show(lambda: list(Hint(5)), lambda: list(Hint(NotImplemented)), lambda: list(Hint(-1)), lambda: list(Hint('x')), lambda: list(Hint(TypeError('no'))), lambda: list(Hint(ValueError('bad'))))

# Errors in the middle.
def gen():
    yield 1
    raise KeyError('in gen')
for f in (lambda: list(gen()), lambda: list(map(str, gen())), lambda: list(zip(gen(), range(5))), lambda: list(enumerate(gen())), lambda: list(filter(None, gen())), lambda: sorted(gen()), lambda: dict.fromkeys(gen()), lambda: set(gen()), lambda: tuple(gen()), lambda: [0].extend(gen())):
    try: f()
    except KeyError as e: print(e, end=' ')
print()
m = map(lambda x: 1 / x, [1, 0, 2])
print(next(m))
try: next(m)
except ZeroDivisionError as e: print(e)
print(list(m))
it = iter([1, 2, 3, 4, 5, 6, 7]); print(list(zip(it, it, it)), list(it))
class E(enumerate):
    def __next__(self): return ('E',) + super().__next__()
print(list(E('ab')), type(E('')))
class M(map):
    pass
print(list(M(abs, [-1])), isinstance(M(abs, []), map))
x = [1, 2, 3]; it = iter(x); next(it); x.clear(); print(list(it)); x.append(1); print(list(it))
