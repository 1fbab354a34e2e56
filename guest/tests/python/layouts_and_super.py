class A:
    def f(self): return 'A'
    @classmethod
    def c(cls): return cls.__name__
    x = 1
class B(A):
    def f(self): return 'B' + super().f()
    @classmethod
    def c(cls): return 'B' + super().c()
class C(A):
    def f(self): return 'C' + super().f()
class D(B, C):
    def f(self): return 'D' + super().f()
    def g(self): return super().x, super().c()
for _ in range(3):
    for o in (D(), B(), C()):
        print(o.f(), end=' ')
    print(D().g(), D.c(), B().c())
o = D()
A.f = lambda self: 'a!'
print(o.f())
B.f = lambda self: 'b!'
print(o.f(), D().f())
D.__bases__ = (C,)
print(o.f())
def make(base):
    class X(base):
        def f(self): return 'X' + super().f()
    return X
xs = [make(A), make(C), make(make(C))]
for _ in range(3): print([x().f() for x in xs])
class E(D):
    def f(self): return super(D, self).f()
print(E().f())
o.f2 = 1
class Big(D):
    def __init__(self):
        for i in range(60): setattr(self, f'a{i}', i)
b = Big(); print(b.f(), b.a59)
from dataclasses import dataclass
@dataclass
class P:
    a: int
    b: str = 'x'
    c: 'float' = 1.0
    d: list = None
    e: int = 0
    f: int = 0
    g: int = 0
p = P(1); p.h = 4; p.i = 5; p.j=6; print(p, vars(p))
class Mix1:
    def __init__(self): self.m1=1; self.m2=2; self.m3=3; super().__init__()
class Mix2:
    def __init__(self): self.n1=1; self.n2=2; self.n3=3; super().__init__()
class Both(Mix1, Mix2): pass
print(vars(Both()))
