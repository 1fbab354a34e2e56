import operator
from operator import attrgetter, itemgetter, methodcaller


def attempt(f):
    try:
        r = f()
        print(repr(r), type(r).__name__)
    except Exception as e:
        print(type(e).__name__, e)


for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift", "eq", "ne", "lt", "le", "gt", "ge", "is_", "is_not", "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift", "irshift"):
    attempt(lambda: (name, getattr(operator, name)(13, 3)))
for name in ("neg", "pos", "abs", "inv", "invert", "not_", "truth", "index"):
    attempt(lambda: (name, getattr(operator, name)(-13)))
l = [1, 2, 3]
attempt(lambda: operator.iadd(l, [4]) is l)
attempt(lambda: operator.concat([1], [2]))
attempt(lambda: operator.concat(1, 2))
attempt(lambda: operator.iconcat(l, (5,)))
attempt(lambda: operator.contains(l, 3))
attempt(lambda: operator.countOf([1, 2, 1, 1.0, True], 1))
attempt(lambda: operator.indexOf([1, 2, 3], 3))
attempt(lambda: operator.indexOf([1, 2, 3], 4))
attempt(lambda: operator.getitem({"a": 1}, "a"))
attempt(lambda: operator.setitem(l, 0, 100))
attempt(lambda: operator.delitem(l, 1))
attempt(lambda: l)
attempt(lambda: operator.add(1, "a"))
attempt(lambda: operator.add(1))
attempt(lambda: operator.matmul(1, 2))
attempt(lambda: operator.index(1.5))
attempt(lambda: operator.call(max, 1, 2, key=lambda x: -x))
attempt(lambda: operator.call())
attempt(lambda: [operator.length_hint([1, 2]), operator.length_hint(5), operator.length_hint(5, 7), operator.length_hint(iter([1, 2, 3]))])
attempt(lambda: operator.length_hint(5, "a"))


class Hint:
    def __init__(self, h):
        self.h = h

    def __length_hint__(self):
        return self.h


attempt(lambda: operator.length_hint(Hint(10)))
attempt(lambda: operator.length_hint(Hint(NotImplemented), 4))
attempt(lambda: operator.length_hint(Hint(-1)))
attempt(lambda: operator.length_hint(Hint("a")))
attempt(lambda: itemgetter(1)([1, 2, 3]))
attempt(lambda: itemgetter(0, -1)("abc"))
attempt(lambda: itemgetter("a", "b")({"a": 1, "b": 2}))
attempt(lambda: itemgetter(slice(1, 3))([1, 2, 3, 4]))
attempt(lambda: itemgetter())
attempt(lambda: itemgetter(5)([1]))
attempt(lambda: itemgetter(1)())
attempt(lambda: itemgetter(1, "a"))
attempt(lambda: itemgetter(1)(5))
attempt(lambda: itemgetter(a=1))
attempt(lambda: sorted([(1, "b"), (2, "a")], key=itemgetter(1)))


class P:
    def __init__(self):
        self.x = 1
        self.child = Hint(7)

    def greet(self, a, b=2):
        return ("greet", a, b)


attempt(lambda: attrgetter("x")(P()))
attempt(lambda: attrgetter("x", "child.h")(P()))
attempt(lambda: attrgetter("child.zz")(P()))
attempt(lambda: attrgetter(1))
attempt(lambda: attrgetter())
attempt(lambda: attrgetter("a.b", "c"))
attempt(lambda: methodcaller("greet", 5)(P()))
attempt(lambda: methodcaller("greet", 5, b=6)(P()))
attempt(lambda: methodcaller("upper")("abc"))
attempt(lambda: methodcaller("greet", 5, b=6))
attempt(lambda: methodcaller("zz")(P()))
attempt(lambda: methodcaller())
attempt(lambda: methodcaller(1))
attempt(lambda: methodcaller("x").__reduce__()[1])
attempt(lambda: itemgetter(1, 2).__reduce__()[1])
attempt(lambda: attrgetter("a.b").__reduce__()[1])
attempt(lambda: (operator.__add__ is operator.add, operator.add.__module__, operator.add.__name__, itemgetter.__module__))
import _operator
attempt(lambda: [_operator._compare_digest("abc", "abc"), _operator._compare_digest(b"abc", b"abd"), _operator._compare_digest(b"", bytearray(b""))])
attempt(lambda: _operator._compare_digest("é", "é"))
attempt(lambda: _operator._compare_digest("a", b"a"))
attempt(lambda: sorted(set(operator.__all__) - {"is_none", "is_not_none"}))
