import sys, types
class M(types.ModuleType):
    def __init__(self, *a):
        super().__init__(*a); self.x=1; self.y=2
    @property
    def p(self): return 5
m = types.ModuleType('q')
m.__class__ = M
print(m.p)
sys.modules[__name__].__class__ = M
print(sys.modules[__name__].p)
n = M('z'); n.q = 3; print(sorted(k for k in vars(n) if not k.startswith('__')), n.p)
class S(types.ModuleType):
    __slots__ = ('a',)
s = S('s'); s.a = 1; s.b = 2; print(s.a, s.b)
try: m.__class__ = S
except TypeError as e: print(e)

class N(types.ModuleType):
    def __init__(self, *a):
        super().__init__(*a); self.x=1
n = N('z'); n.q = 3
print(n.__dict__['q'])
print(sorted(k for k in vars(n) if not k.startswith('__')))
