# Classes: inheritance, properties, operators, descriptors, metaclasses.
class Base:
    registry = []

    def __init_subclass__(cls, /, tag=None, **kw):
        super().__init_subclass__(**kw)
        cls.registry.append((cls.__name__, tag))

    def __init__(self, x):
        self.x = x

    def who(self):
        return f"Base({self.x})"

    @classmethod
    def make(cls, x):
        return cls(x)

    @staticmethod
    def twice(x):
        return 2 * x

    @property
    def double(self):
        """Twice x."""
        return self.twice(self.x)

    @double.setter
    def double(self, value):
        self.x = value // 2


class Left(Base, tag="l"):
    def who(self):
        return "Left>" + super().who()


class Right(Base, tag="r"):
    def who(self):
        return "Right>" + super().who()


class Both(Left, Right):
    pass


print(Both(3).who(), [c.__name__ for c in Both.__mro__])
print(Base.registry)
b = Both.make(5)
print(b.double, Both.double.__doc__)
b.double = 20
print(b.x, vars(b))
try:
    del b.double
except AttributeError as e:
    print(type(e).__name__, e)


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(self.x + other.x, self.y + other.y)

    def __radd__(self, other):
        return Vector(self.x + other, self.y + other)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __eq__(self, other):
        return isinstance(other, Vector) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __repr__(self):
        return f"Vector({self.x!r}, {self.y!r})"

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __bool__(self):
        return bool(self.x or self.y)

    def __call__(self, *args, **kw):
        return args, sorted(kw.items())

    def __contains__(self, v):
        return v in (self.x, self.y)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __format__(self, spec):
        return f"<{self.x:{spec}}|{self.y:{spec}}>"


v = Vector(1, 2)
w = v
w += Vector(10, 20)
print(v, v is w, v + v, 3 * v, 5 + v, -v, v == Vector(11, 22), len({v, Vector(11, 22)}))
print(list(v), len(v), bool(Vector(0, 0)), v(1, 2, a=3), 22 in v, f"{v:>4}")
try:
    v + 1
except TypeError as e:
    print(e)
try:
    v.z = 1
except AttributeError as e:
    print(e)


class Meta(type):
    def __prepare__(name, bases, **kw):
        print("prepare", name, kw)
        return {"injected": 42}

    def __new__(mcls, name, bases, ns, **kw):
        cls = super().__new__(mcls, name, bases, dict(ns))
        cls.order = [k for k in ns if not k.startswith("__")]
        return cls

    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)

    def __call__(cls, *args):
        obj = super().__call__(*args)
        obj.made_by = cls.__name__
        return obj

    def __instancecheck__(cls, obj):
        return obj == "magic" or super().__instancecheck__(obj)


class Thing(metaclass=Meta, flag=True):
    a = 1
    b = 2

    def c(self):
        pass


t = Thing()
print(Thing.order, t.made_by, Thing.injected, isinstance("magic", Thing), isinstance(t, Thing), type(Thing).__name__)


class Typed:
    def __set_name__(self, owner, name):
        self.name = "_" + name
        print("set_name", owner.__name__, name)

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        return getattr(obj, self.name, "unset")

    def __set__(self, obj, value):
        if not isinstance(value, int):
            raise TypeError(f"{self.name[1:]} must be int")
        setattr(obj, self.name, value)

    def __delete__(self, obj):
        delattr(obj, self.name)


class Point:
    x = Typed()
    y = Typed()


p = Point()
print(p.x, end=" ")
p.x = 5
print(p.x, p.__dict__)
try:
    p.y = "no"
except TypeError as e:
    print(e)
del p.x
print(p.x)


class Dynamic:
    def __getattr__(self, name):
        if name.startswith("auto_"):
            return name[5:].upper()
        raise AttributeError(f"no {name}")

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)

    def __delattr__(self, name):
        print("del", name)
        object.__delattr__(self, name)

    def __dir__(self):
        return ["z", "a"]


d = Dynamic()
d.k = 4
print(d.k, d.auto_hello, hasattr(d, "nope"), dir(d))
del d.k


class IntLike(int):
    def __add__(self, other):
        return IntLike(super().__add__(other))

    def __repr__(self):
        return f"IntLike({int(self)})"


print(IntLike(3) + 4, IntLike(3) * 2, type(IntLike(3) + 1).__name__, IntLike("12"))


class Stack(list):
    def push(self, x):
        self.append(x)
        return self


s = Stack([1]).push(2).push(3)
print(s, len(s), s[::-1], isinstance(s, list), Stack.__bases__)


class D(dict):
    def __missing__(self, key):
        self[key] = key * 2
        return self[key]


dd = D(a=1)
print(dd["a"], dd["bb"], dd)


class CM:
    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, t, v, tb):
        print("exit", t and t.__name__, v)
        return t is KeyError


with CM() as c, CM():
    print("body")
with CM():
    raise KeyError("swallowed")
try:
    with CM():
        raise ValueError("through")
except ValueError as e:
    print("caught", e)

print(type("Made", (Base,), {"attr": 1})(9).who(), repr(Base.who).split(" at ")[0])
print(Base.__name__, Base.__qualname__, Base.__module__, Base(1).__class__ is Base)


def outer():
    class Inner:
        def f(self):
            return __class__.__qualname__

    return Inner


print(outer()().f())


class Comparable:
    def __init__(self, v):
        self.v = v

    def __lt__(self, o):
        return self.v < o.v

    def __repr__(self):
        return f"C{self.v}"


print(sorted([Comparable(3), Comparable(1), Comparable(2)]), max(Comparable(1), Comparable(5), key=lambda c: -c.v))
try:
    Comparable(1) >= 3
except TypeError as e:
    print(e)
try:
    class Bad(Base, Left):
        pass
except TypeError as e:
    print(e)
