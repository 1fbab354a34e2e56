# What takes all that an iterable has left: the iterator is exhausted afterwards, and whoever looks at it sees what CPython shows.
import operator


def show(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print(type(e).__name__, e)


takers = [tuple, list, lambda x: [0, *x], lambda x: (0, *x), lambda x: sorted(x, key=str), lambda x: ",".join(map(str, x)), lambda x: ",".join(x)]
for take in takers:
    for make in (
        lambda: iter([3, 1, 2]),
        lambda: reversed([3, 1, 2]),
        lambda: iter((3, 1, 2)),
        lambda: iter(range(3)),
        lambda: range(0, 10, 3),
        lambda: range(0),
        lambda: {3: "c", 1: "a"},
        lambda: {5},
        lambda: frozenset([6]),
        lambda: {"k": 1}.values(),
        lambda: iter({"k": 1}),
        lambda: iter("xyz"),
    ):
        show(take, make())

# Exhausted, and for ever.
for make in (lambda s: iter(s), lambda s: reversed(s)):
    source = [1, 2, 3]
    it = make(source)
    print(next(it), operator.length_hint(it), list(it), list(it), tuple(it), operator.length_hint(it))
    source.append(4)
    print(list(it), next(it, "no more"))
    print(it.__reduce__()[1])
it = iter((1, 2, 3))
print(next(it), tuple(it), tuple(it), next(it, "no more"))

# Lists that change under their iterators.
source = [1, 2, 3, 4]
it = reversed(source)
next(it)
del source[1:]
print(list(it), list(it))
source = [1, 2, 3, 4]
it = iter(source)
next(it), next(it)
source.clear()
print(list(it))
source.extend([7, 8, 9])
print(list(it))
source = [1, 2, 3]
source.extend(reversed(source))
print(source)
source[1:3] = iter(source)
print(source)
source[:] = reversed(source)
print(source)
source[::2] = reversed(range(5))
print(source)
source += iter((9, 9))
source += {8}
source += {7: 0}
print(source)
source = [1]
it = iter(source)
count = 0
for item in it:
    count += 1
    if count < 5:
        source.append(count)
print(source)


# Subclasses say themselves what their items are.
class Dictionary(dict):
    def __iter__(self):
        return iter("abc")


class Numbers(set):
    def __iter__(self):
        return iter((1, 2))


class Frozen(frozenset):
    def __iter__(self):
        return iter((3, 4))


for thing in (Dictionary(x=1), Numbers([5]), Frozen([6])):
    print(list(thing), tuple(thing), [*thing], sorted(thing), "".join(map(str, thing)))


# What an item's end does sees the whole.
class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("end of", self.name, len(things))


things = [Loud(0), Loud(1), Loud(2)]
things[:2] = reversed([5])
print(len(things), things[0])
things[:] = iter(())
print(things)
show(lambda: [0, *5])
show(lambda: tuple(5))
show(lambda: list(reversed(7)))


# Lists and tuples let go of their items from the end.
class Item:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        print(self.n, end=" ")


def items():
    return [Item(n) for n in range(4)]


def ended(f):
    print("|", end=" ")
    f()
    print()


def emptied():
    held = items()
    held.clear()
    print("|", end=" ")
    held += items()
    held *= 0
    print("|", end=" ")
    held += items()
    held.__init__()


def shortened():
    held = items()
    del held[1:3]
    print("|", end=" ")
    held += items()
    del held[::2]
    print("|", end=" ")
    held[:2] = [1]
    print("|", end=" ")
    held[:] = []


def replaced():
    held = items()
    held[::2] = [1, 2]
    print("|", end=" ")


ended(items)
ended(lambda: tuple(items()))
ended(emptied)
ended(shortened)
ended(replaced)
ended(lambda: {n: Item(n) for n in range(4)})
ended(lambda: dict(enumerate(items())).clear())
