from itertools import *
import itertools


def show(*fs):
    for f in fs:
        try:
            r = f()
            print(r if isinstance(r, str) else repr(r))
        except Exception as e:
            print(type(e).__name__, e)


take = lambda n, it: list(islice(it, n))
show(
    lambda: accumulate(), lambda: accumulate(1), lambda: batched('a'), lambda: batched('a', 0), lambda: batched(1, 1), lambda: chain(x=1), lambda: list(chain(1)), lambda: chain.from_iterable(1), lambda: combinations('ab'), lambda: combinations('ab', -1),
    lambda: combinations('a', 'b'), lambda: combinations_with_replacement('a', -1), lambda: compress('a'), lambda: count('a'), lambda: count(1, 2, 3), lambda: cycle(), lambda: cycle(1), lambda: dropwhile(1), lambda: dropwhile(a=1), lambda: filterfalse(None),
    lambda: groupby(), lambda: islice('a'), lambda: islice('a', -1), lambda: islice('a', 'b'), lambda: islice('a', 0, -1), lambda: islice('a', 0, 1, 0), lambda: islice('a', 1, 2, 3, 4), lambda: pairwise(), lambda: pairwise(1), lambda: permutations('a', -1), lambda: permutations('a', 'b'),
    lambda: product(1), lambda: product('a', repeat=-1), lambda: product('a', x=1), lambda: repeat(), lambda: repeat(1, 'a'), lambda: list(starmap(pow, [1])), lambda: starmap(pow), lambda: takewhile(1), lambda: tee(1), lambda: tee([], -1), lambda: zip_longest(1), lambda: zip_longest('a', x=1),
    lambda: count(5), lambda: count(5, 2), lambda: count(1.5), lambda: count(0, 0.5), lambda: repeat(1), lambda: repeat('a', 3), lambda: repeat(1).__length_hint__(), lambda: repeat(1, 5).__length_hint__(), lambda: type(chain()), lambda: list(batched('abc', 2, strict=True)),
    lambda: product('a', repeat=2**62), lambda: islice('a', 2**70), lambda: next(count(2**63)), lambda: repeat(1, -5),
)
print(list(accumulate([1, 2, 3, 4])), list(accumulate([1, 2, 3], lambda a, b: a * b)), list(accumulate([], initial=5)), list(accumulate([1, 2], initial=10)), list(accumulate('abc')), list(accumulate([1, 2], func=None, initial=None)), list(accumulate([3, 1, 4], max)))
print(list(batched('abcdefg', 3)), list(batched('', 2)), list(batched(range(4), 2, strict=True)), list(batched([1], 10**9)))
print(list(chain('ab', [1, 2], (), {3: 4})), list(chain()), list(chain.from_iterable(['ab', 'cd'])), list(chain.from_iterable([])), take(3, chain.from_iterable(repeat('xy'))))
print(list(combinations('abcd', 2)), list(combinations(range(4), 3)), list(combinations('abc', 0)), list(combinations('ab', 3)), len(list(combinations(range(10), 4))))
print(list(combinations_with_replacement('abc', 2)), list(combinations_with_replacement('ab', 0)), list(combinations_with_replacement('', 2)), list(combinations_with_replacement('', 0)), list(combinations_with_replacement('ab', 3)))
print(list(permutations('abc')), list(permutations('abc', 2)), list(permutations([], 0)), list(permutations('ab', 3)), list(permutations(range(3), 1)), len(list(permutations(range(6)))), list(permutations('ab', None)))
print(list(product('ab', [1, 2])), list(product('ab', repeat=2)), list(product()), list(product('ab', '')), list(product([0, 1], repeat=3)), list(product('a', repeat=0)), list(product('ab', 'c', repeat=2)))
print(list(compress('abcdef', [1, 0, 1, 0, 1])), list(compress([], [1])), take(4, count()), take(3, count(10, -3)), take(3, count(0.5, 0.25)), take(3, count(2**49 - 1)), take(2, count(step=2**70)), take(3, count(1, True)))
print(take(7, cycle('abc')), list(cycle('')), list(dropwhile(lambda x: x < 3, [1, 2, 3, 1, 5])), list(takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(filterfalse(None, [0, 1, 2, ''])), list(filterfalse(lambda x: x % 2, range(6))))
print([(k, list(g)) for k, g in groupby('aabbbca')], [(k, list(g)) for k, g in groupby([1, 3, 2, 4, 5], key=lambda x: x % 2)], [k for k, g in groupby('aabc')], list(groupby([])))
g = groupby('aab'); k1, g1 = next(g); k2, g2 = next(g); print(k1, list(g1), k2, list(g2), list(g2))
g = groupby('aabb'); k, x = next(g); print(next(x), next(g)[0], list(x))
print(list(islice('abcdefg', 3)), list(islice('abcdefg', 2, 5)), list(islice('abcdefg', 1, None, 2)), list(islice('abcdefg', 0)), list(islice('abc', None)), list(islice('abcdef', None, None, 4)), list(islice(range(10), 3, 3)), list(islice('abcdef', 4, 2)))
it = iter(range(10)); print(list(islice(it, 2, 5)), list(it)); it = iter(range(10)); print(list(islice(it, 1, 6, 4)), next(it)); it = iter('abc'); print(list(islice(it, 0)), next(it))
print(list(pairwise('abcd')), list(pairwise('a')), list(pairwise('')), list(repeat('x', 3)), list(repeat(1, 0)), take(2, repeat([])), list(starmap(pow, [(2, 3), [3, 2]])), list(starmap(lambda *a: a, [(), (1,), 'ab'])))
print(list(zip_longest('abc', 'x')), list(zip_longest('ab', 'xyz', fillvalue='-')), list(zip_longest()), list(zip_longest([], [])), list(zip_longest([1], [2, 3], [])))
a, b = tee('abcdef'); print(next(a), next(a), next(b), list(a), list(b), list(a), tee([], 0), len(tee('x', 3)))
a, = tee(range(200), 1); b = a.__copy__(); print(sum(a), sum(b)); c, d = tee(iter(range(130))); [next(c) for _ in range(100)]; e, f = tee(d); print(sum(e), sum(f), sum(c), sum(d))
def gen():
    yield 1
    raise KeyError('g')
for f in (lambda: list(accumulate(gen())), lambda: list(chain(gen())), lambda: list(cycle(gen())), lambda: list(pairwise(gen())), lambda: list(islice(gen(), 5)), lambda: list(zip_longest(gen(), 'abc')), lambda: list(tee(gen())[0]), lambda: list(groupby(gen())), lambda: list(combinations(gen(), 1)), lambda: list(batched(gen(), 2))):
    try: f()
    except KeyError as e: print(e, end=' ')
print()
class Chain(chain): pass
print(list(Chain('ab')), type(Chain.from_iterable(['a'])), isinstance(Chain(), chain))
class Counter(count):
    def __init__(self, *a, **kw): self.tag = 'x'
print(next(Counter(5)), Counter().tag, Counter(7))
t = tee([1, 2])[0]
def reenter():
    yield next(a)
a, b = tee(reenter())
show(lambda: next(a))
print(list(map(lambda x: x, chain(range(3), islice(count(10), 2)))), sum(1 for _ in permutations(range(7))), sum(map(sum, product(range(10), repeat=3))))
