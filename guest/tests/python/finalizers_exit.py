# What dies when: finalisers of cycles, resurrection, weak references, and the end of the program.
import atexit
import gc
import sys
import weakref


class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print('del', self.name)


class Phoenix:
    alive = []

    def __init__(self):
        self.me = self

    def __del__(self):
        print('phoenix rises')
        Phoenix.alive.append(self)


a = Loud('a')
a.self = a
r = weakref.ref(a)
del a
print('before collect', r() is not None)
gc.collect()
print('after collect', r())

p = Phoenix()
del p
gc.collect()
print(len(Phoenix.alive))
Phoenix.alive.clear()
gc.collect()
print(len(Phoenix.alive), 'not twice')

x, y = Loud('x'), Loud('y')
x.other, y.other = y, x
gone = weakref.ref(x, lambda ref: print('callback'))
del x, y
gc.collect()
print(gone())


class Broken:
    def __del__(self):
        raise ValueError('in del')


seen = []
sys.unraisablehook = lambda info: seen.append((info.exc_type, str(info.exc_value), info.object))
b = Broken()
del b
gc.collect()
print(seen[0][:2], seen[0][2] is Broken.__del__)
sys.unraisablehook = sys.__unraisablehook__

print(gc.get_threshold()[0] > 0, gc.isenabled())
gc.disable()
print(gc.isenabled())
gc.enable()
stats = gc.get_stats()
gc.collect()
print(gc.get_stats()[2]['collections'] - stats[2]['collections'], sorted(stats[0]))
gc.freeze()
print(gc.get_freeze_count() > 0)
gc.unfreeze()
print(gc.get_freeze_count())
holder = [Loud]
print(any(o is holder for o in gc.get_referrers(Loud)))
print(gc.is_tracked(1), gc.is_tracked([]), gc.is_tracked('a'), gc.is_tracked(Loud), gc.is_tracked(object()))

atexit.register(print, 'second', 'function')
atexit.register(lambda: print('first function'))
at_end = Loud('global')
cycle = Loud('cycle at exit')
cycle.me = cycle
print('end of program')
