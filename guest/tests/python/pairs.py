"""Loops over pairs that are unpacked at once: of `enumerate`, `zip` and the items of dictionaries."""


def shown(f, *args):
    try:
        return repr(f(*args))
    except BaseException as e:
        return f"{type(e).__name__}: {e}"


def listed(pairs):
    found = []
    for a, b in pairs:
        found.append((a, b))
    return found


class Stepping:
    """An iterator of the program."""

    def __init__(self, n, fails=None):
        self.n, self.fails = n, fails

    def __iter__(self):
        return self

    def __next__(self):
        self.n -= 1
        if self.n == self.fails:
            raise KeyError(self.n)
        if self.n < 0:
            raise StopIteration
        return self.n


def generates():
    yield from "xyz"


print(listed(enumerate("ab")), listed(enumerate(["p", "q"], 5)), listed(enumerate(())), listed(enumerate({1: 2, 3: 4})))
print(listed(enumerate(generates())), listed(enumerate(Stepping(3))), shown(lambda: listed(enumerate(Stepping(4, fails=1)))))
print(listed(enumerate("abc", start=2**63 - 2)), listed(enumerate("ab", start=-(2**70))))
print(listed(zip("ab", [1, 2])), listed(zip(range(5), "xy")), listed(zip([], [1])), shown(lambda: listed(zip([1, 2], Stepping(3, fails=1)))))
print(shown(lambda: listed(zip([1, 2], [3], strict=True))), listed(zip([1, 2], [3, 4], strict=True)))
print(shown(lambda: listed(zip([1]))), shown(lambda: listed(zip([1], [2], [3]))).split(" (")[0])
it = iter(range(7))
print(listed(zip(it, it)), list(it))
it = iter([1, 2, 3])
print(listed(zip(it, "a")), list(it))
print(listed({"k": 1, "l": 2}.items()), listed({}.items()), listed(reversed({1: 2, 3: 4}.items())))
print(shown(lambda: listed({"ab": 1, "cd": 2}.keys())), shown(lambda: listed({"ab": 1})), listed({1: "xy"}.values()))


def grows():
    d = {1: 2}
    for k, v in d.items():
        d[k + 1] = v


def changes():
    d = {1: 2, 3: 4}
    found = []
    for k, v in d.items():
        found.append((k, v))
        d[k] = v + 1
    return found, d


print(shown(grows), changes())


class Counting(enumerate):
    def __next__(self):
        n, item = super().__next__()
        return n * 10, item * 2


class Zipping(zip):
    def __next__(self):
        return super().__next__()[::-1]


print(listed(Counting("ab")), listed(Zipping("ab", "cd")))
print([(b, a) for a, b in enumerate("xy")], {k: v for v, k in zip("ab", "cd")}, sum(a * b for a, b in zip([1, 2], [3, 4])))
print([(i, k, v) for i, (k, v) in enumerate({"a": 1, "b": 2}.items())], [(a, b) for (a, b), c in zip([(1, 2)], "z")])
for i, (a, *b) in enumerate([(1, 2, 3)]):
    print(i, a, b)
for x in enumerate("q"):
    print(x)
for i, c in enumerate("qr"):
    if c == "r":
        continue
    print(i, c)
else:
    print("all of them")
kept = []
for pair in zip("ab", "cd"):
    kept.append(pair)
    a, b = pair
print(kept, a, b)


class Slots:
    pass


s = Slots()
for s.i, s.c in enumerate("tu"):
    pass
for kept[0], b in zip([1, 2], "vw"):
    pass
print(s.i, s.c, kept[0], b)


def inside():
    pairs = zip([1, 2, 3], "abc")
    for a, b in pairs:
        if a == 2:
            break
    return a, b, list(pairs), next(pairs, "none")


print(inside())
items = [1, 2, 3]
for i, n in enumerate(items):
    if n < 3:
        items.append(n + 1)
print(items, i)


async def main():
    return [(i, c) async for i, c in steps()]


async def steps():
    for i, c in enumerate("mn"):
        yield i, c


import asyncio

print(asyncio.run(main()))
