"""Calls that leave out parameters with defaults."""


def shown(f, *args, **kwargs):
    try:
        return repr(f(*args, **kwargs))
    except BaseException as e:
        return f"{type(e).__name__}: {e}"


def one(a, b=2, c=3):
    d = a, b, c
    return d


def all_of(a=1, b=2):
    return a, b


def mutable(item, into=[]):
    into.append(item)
    return into


def closing(n=5):
    def inner(m=n, *, k=7):
        return n, m, k

    return inner


def generates(n, step=2):
    for i in range(0, n, step):
        yield i


def assigns(a, b=1):
    a, b = b, a
    del b
    return a, shown(lambda: b)


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def depth(self, so_far=0):
        return max(so_far, *(n.depth(so_far + 1) for n in (self.left, self.right) if n), 0)

    @staticmethod
    def make(value=0, *rest):
        return Node(value), rest

    @classmethod
    def named(cls, name="n"):
        return cls(name).value


def calls():
    found = []
    for _ in range(2):
        found += [one(1), one(1, 5), one(1, 5, 6), all_of(), all_of(9), mutable(_), closing()(), closing(1)(2)]
        found += [list(generates(5)), list(generates(5, 3)), assigns(4), Node(1).depth(), Node(1, Node(2), Node(3, Node(4))).depth()]
        found += [Node.make()[0].value, Node.make(4, 5)[1], Node.named(), Node(1).named("m"), type(one), type(type)]
    return found


print(calls())
print(shown(one), shown(one, 1, 2, 3, 4), shown(Node), shown(lambda: Node(1).depth(1, 2)), shown(type), shown(type, 1, 2))


def changed():
    before = one(1)
    one.__defaults__ = ("y", "z")
    after = one(1)
    one.__defaults__ = (8, 9, 10)
    many = one(), one(1), one(1, 2)
    one.__defaults__ = None
    none = shown(lambda: one(1)), one(1, 2, 3)
    one.__defaults__ = ("only",)
    return before, after, many, none, shown(lambda: one(1)), one(1, 2)


print(changed())


def in_generator(n):
    for i in range(n):
        yield all_of(i)
        yield one(i, i)


print(list(in_generator(2)))


def recursive(n, total=0):
    return total if n == 0 else recursive(n - 1, total + n)


def endless(n, m=1):
    return 1 + endless(*(n,))


print(recursive(50), shown(endless, 1))


class Dying:
    def __del__(self):
        print("gone")


def holds(a, d=Dying()):
    del d
    return a


print(holds(1), holds(2))
holds.__defaults__ = None
print("end")


async def waits(a, b=3):
    return a + b


import asyncio

print(asyncio.run(waits(1)), asyncio.run(waits(1, 1)))
