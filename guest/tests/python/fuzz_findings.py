# What the fuzzers found, one case each.
import collections.abc
import types


def show(f, *args):
    try:
        print(repr(f(*args)))
    except Exception as e:
        print(type(e).__name__, e)


# A yield that is thrown into assigns nothing.
def keeps():
    x = "old"
    try:
        x = yield 1
    except ValueError:
        yield x


g = keeps()
next(g)
print(g.throw(ValueError))


# To `yield from`, a StopIteration that is thrown in is the result.
class Plain:
    def __iter__(self):
        return self

    def __next__(self):
        return 1


def delegates():
    x = yield from Plain()
    yield ("result", x)


g = delegates()
next(g)
print(g.throw(StopIteration("si")))


# A generator that has not begun lets everything through.
async def coroutine():
    pass


for make in (keeps, coroutine):
    for thrown in (StopIteration("first"), StopIteration):
        g = make()
        try:
            g.throw(thrown)
        except BaseException as e:
            print(repr(e), repr(e.__cause__))
        g.close()

# The order of a set display of constants is that of a set made twice.
print({5, 30, 5, 16, 13}, {33, 1, 65, 97, 129, 34, 2})

# `str` and `bytes` are sequences and match no sequence pattern.
for subject in ("ab", b"ab", bytearray(b"ab"), [1, 2]):
    match subject:
        case [a, b]:
            print("matched", subject)
        case _:
            print("not matched", subject)


# An MRO that does not fit.
def with_mro(make):
    class Meta(type):
        def mro(cls):
            return make(cls)

    class A(metaclass=Meta):
        pass

    return [c.__name__ for c in A.__mro__]


show(with_mro, lambda cls: [])
show(with_mro, lambda cls: [cls, int, object])
show(with_mro, lambda cls: [cls, 5])
show(with_mro, lambda cls: (cls, object))


class Slotted:
    __slots__ = ("a", "b")


show(with_mro, lambda cls: [cls, Slotted, object])


# More defaults than parameters.
def two(a, b=1):
    return a, b


two.__defaults__ = (1, 2, 3, 4)
show(two)
show(two, 9)


# A key whose hash has changed is not found.
class Key:
    value = 1

    def __hash__(self):
        return Key.value


key = Key()
d = {key: 1}
Key.value = 2
print(key in d, len(d))


# Sequences raise where numbers give NotImplemented.
class L(list):
    def __add__(self, other):
        return super().__add__(other)


show(lambda: L() + 5)
for text in ("[].__add__(1)", "().__mul__('a')", "'a'.__add__(b'')", "b''.__add__('')", "(1).__add__('a')", "[1].__imul__(2.5)"):
    print(text, end=" ")
    show(eval, text)


# Half of the item protocol.
class Deletes:
    def __delitem__(self, i):
        pass


class Sets:
    def __setitem__(self, i, v):
        pass


def assign(o):
    o[0] = 1


def delete(o, key=0):
    del o[key]


show(assign, Deletes())
show(delete, Sets())
for o in (b"ab", (1,), 5, {1}, Sets):
    show(delete, o)
    show(delete, o, "a")
show(delete, b"ab", 2**70)


class Slot:
    __slots__ = ("w",)


show(lambda: Slot().w)
show(lambda: delattr(Slot(), "w"))
show(lambda: delattr("a", "w"))
show(lambda: delattr("a", "join"))

# What is not iterable, behind a star.
show(lambda: print(*5))
show(lambda: print(1, *5))
show(lambda: [*5])
show(lambda: (*5,))
show(lambda: two(*5))
show(lambda: Slot(*5))
show(lambda: [].append(*5))
show(lambda: int.from_bytes(*5))
show(lambda: dict.get(**5))

# Which class `__new__` should have been called on.
for base, other in ((type, object), (dict, object), (list, dict)):

    class Base(base):
        pass

    class Derived(Base):
        def __new__(cls):
            return other.__new__(cls)

    show(Derived)

for text in (
    "dict.__getitem__(5, 1)",
    "list.__getitem__(5, 1)",
    "set.__contains__(5, 1)",
    "str.__getitem__(5, 1)",
    "dict.__getitem__()",
    "dict.__len__()",
    "[].__getitem__()",
    "issubclass(5, 5)",
    "issubclass(5, int)",
    "issubclass(int, 5)",
    "[1].pop(2**64)",
    "[1].insert(2**64, 1)",
    "'a'.expandtabs(2**64)",
    "b'a'.hex(':', 2**64)",
    "memoryview(b'a')[2**64]",
    "super(1, 2, 3)",
    "enumerate([], 1, 2)",
    "enumerate([], foo=2)",
    "type('a', (5,), {})",
    "type('a\\0', (), {})",
):
    print(text, end=" ")
    show(eval, text)


class Index:
    def __index__(self):
        return 2


def multiply(a, b):
    a *= b
    return a


show(multiply, {}, "a")
show(multiply, {1}, b"a")
show(multiply, 2, "a")
show(multiply, [1], Index())


class Odd(Exception):
    def __new__(cls, *a):
        return 5


def raises():
    raise Odd


show(raises)

# Many members of a union, many parameters: no more than quadratic.
union = int
for i in range(300):
    union = union | list[i]
print(len(union.__args__))
namespace = {}
exec("def many(" + ", ".join(f"p{i}={i}" for i in range(5000)) + "): return p4999", namespace)
print(namespace["many"]())

# Quotes of both kinds in the parts of a format specification.
exec('''from __future__ import annotations
def f(a: f\'\'\'{y:'}\'\'\', b: f\'\'\'{y:'"}\'\'\', c: f\'\'\'{y:
}\'\'\', d: f\'\'\'{y:'{z}"
}\'\'\', e: f\'\'\'{y:\\\\}\'\'\', g: f\'\'\'a'{y}b"\'\'\', h: f\'\'\'a'{y}b\'\'\'): pass
for k, v in f.__annotations__.items(): print(k, v)
''')
