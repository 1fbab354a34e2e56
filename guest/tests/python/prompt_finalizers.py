# Finalisers and callbacks of weak references have run before the next statement looks, and before the end of the program takes its variables.
class T:
    n = 0
    def __init__(self): T.n += 1
    def __del__(self): T.n -= 1
def make():
    t = T(); return T.n
print(make(), T.n)
a = T(); b = T()
del a
print(T.n)
import weakref
class A: pass
x = A(); f = weakref.finalize(x, print, 'fin'); del x
print(f.alive)
log = []; x = A(); r = weakref.ref(x, log.append); x = None
print('yes' if log else 'no')
class R:
    def __del__(self): global saved; saved = self
r = R(); del r
print(saved is not None)
def it():
    try: yield 1; yield 2
    finally: print('closed')
class CM:
    def __enter__(s): pass
    def __exit__(s, *a): print('exit')
def f():
    with CM():
        for x in it(): return 1
f()
def g():
    t=T(); t=None; x=T.n; return x
print(g())
l=[T()]
l.clear(); print(T.n)
d={'a':T()}
del d['a']; print(T.n)
T(); print(T.n)
class Logger:
    count = 0
    def __init__(s): Logger.count += 1
    def __del__(s): Logger.count -= 1; print('bye', Logger.count)
l = Logger()
m = [Logger()]
print('end')
