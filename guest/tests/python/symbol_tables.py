"""Symbol tables: what blocks bind and use, in numbers and as `symtable` shows them."""
import _symtable, symtable
SRC=['''x=1
def f(a,*b,c=2,**d):
  global g
  y=[i for i in a if x]
  def h():
    nonlocal y
    return lambda z:y
  return __class__
class C(B):
  z=3
  def m(self): return super(), self.__p, __q
''','''import os.path as p, sys
from m import *
def g(q):
    try: pass
    except E as e: pass
    with open(q) as fh: pass
    for i, (j, k) in q: pass
    z = {a: b for a, b in q}
    w = (c for c in q if z)
    return sum(u := v for v in w), [t := 1 for _ in q], [lambda: r for r in q]
async def h():
    async for x in y: yield x
del h
glob: int
class K:
    a = 1
    def a(self): return a
    b = [a for a in range(3)]
    global gg
    gg = 1
''','''def outer():
    x = 1
    class C:
        x = 2
        def m(self): return x
    match x:
        case {"k": v, **rest}: pass
        case [h, *t]: pass
        case C(q=w) as z: pass
    print(f"{x!r:{v}}")
''']
def show(t,ind=0):
    print(' '*ind,t.type,t.name,t.lineno,t.nested,t.varnames,sorted(t.symbols.items()))
    for c in t.children: show(c,ind+2)
for s in SRC: show(_symtable.symtable(s,'f','exec'))
t=symtable.symtable(SRC[0],'f','exec')
f=t.get_children()[0]
print(t, f, f.get_locals(), f.get_globals(), f.get_frees(), f.get_parameters(), t.lookup('x').is_global(), f.lookup('y'), f.get_type())
