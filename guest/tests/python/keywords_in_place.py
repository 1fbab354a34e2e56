# Calls that fill named parameters: in every order, with defaults, and with everything that can be wrong about them.
def show(f, *args, **kwargs):
    try:
        print(f(*args, **kwargs))
    except TypeError as e:
        print(type(e).__name__, e)


def plain(a, b=2, c=3):
    return a, b, c


def only(a, *, k, m=5):
    return a, k, m


def positional(a, b=1, /, c=2):
    return a, b, c


def many(a, b, c, d, e, f, g, h, i, j=10):
    return a, b, c, d, e, f, g, h, i, j


print(plain(1, c=4), plain(c=1, b=2, a=3), plain(1, 2, c=5), plain(b=1, a=2), plain(a=1))
print(only(1, k=2), only(k=1, a=2, m=3), only(a=1, m=2, k=3))
print(positional(1), positional(1, c=3), positional(1, 2, c=3))
print(many(1, 2, i=9, h=8, g=7, f=6, e=5, d=4, c=3))
print(many(j=1, i=2, h=3, g=4, f=5, e=6, d=7, c=8, b=9, a=10))
for call in (
    lambda: plain(),
    lambda: plain(b=1),
    lambda: plain(1, a=2),
    lambda: plain(1, d=2),
    lambda: plain(1, 2, 3, 4),
    lambda: plain(1, 2, 3, c=4),
    lambda: only(1),
    lambda: only(1, 2),
    lambda: only(1, 2, k=3),
    lambda: only(k=1),
    lambda: positional(a=1),
    lambda: positional(1, b=2),
    lambda: positional(c=2),
    lambda: many(1, 2, 3),
    lambda: many(1, i=2),
):
    show(call)
name = "".join(["k"])
print(only(1, **{name: 2}))
show(plain, 1, **{"".join(["c"]): 7})


# Defaults that were replaced: more of them than parameters, fewer, none.
def changed(a, b, *, k=1):
    return a, b, k


changed.__defaults__ = (7, 8, 9)
show(changed, k=2)
show(changed, 1)
changed.__defaults__ = (8,)
show(changed, 1, k=3)
show(changed)
changed.__defaults__ = None
show(changed, 1)
changed.__kwdefaults__ = {"k": 4, "other": 5}
show(changed, 1, 2)
changed.__kwdefaults__ = {}
show(changed, 1, 2)
changed.__kwdefaults__ = None
show(changed, b=1, a=2)


# Arguments live exactly as long as they should.
class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone", self.name)


def hold(x, y=None, *, z=None):
    print("in", x.name, y and y.name, z and z.name)


hold(y=Noisy("y"), x=Noisy("x"), z=Noisy("z"))
print("after")
try:
    hold(Noisy("p"), x=Noisy("q"))
except TypeError as e:
    print(e)
    del e
print("end")


# Instances of several classes at one place, and classes that change in between.
class Base:
    kind = "base"

    def who(self):
        return "Base.who"

    @property
    def double(self):
        return self.n * 2


def derived(name, **body):
    return type(name, (Base,), body)


classes = [Base] + [derived(f"D{i}") for i in range(6)] + [derived("E", who=lambda self: "E.who", kind="e")]
objects = []
for i, c in enumerate(classes):
    o = c()
    if i % 2:
        o.extra = i
    o.n = i
    objects.append(o)


def look():
    return [(o.n, o.kind, o.who(), o.double, getattr(o, "extra", None)) for o in objects * 2]


def set_all(n):
    for o in objects * 2:
        o.n = n
        n += 1
        o.late = n


print(look())
set_all(100)
print(look())
objects[3].who = lambda: "own who"
objects[4].kind = "own kind"
print(look())
Base.who = lambda self: "new who"
classes[2].kind = "D1's"
print(look())
del Base.kind
classes[5].kind = "back"
for o in objects:
    try:
        print(o.kind)
    except AttributeError as e:
        print(e)
Base.kind = "again"
del classes[2].kind
print([o.kind for o in objects])
classes[3].__bases__ = (derived("Between", kind="between"),)
print([o.kind for o in objects])
objects[1].__class__ = classes[-1]
print([(o.kind, o.who()) for o in objects])
del objects[6].n
for o in objects:
    try:
        o.double
    except AttributeError as e:
        print(e)
