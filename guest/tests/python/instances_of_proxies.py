# A weak proxy is an instance of its object's class; a union is gone through from the left; a task that exits leaves no complaint.
import asyncio, collections.abc, sys, weakref
class P: pass
class Q(P):
    def __call__(self): return 1
p, q = P(), Q()
for x in weakref.proxy(p), weakref.proxy(q), weakref.ref(p):
    print(isinstance(x, P), isinstance(x, Q), isinstance(x, (int, P)), isinstance(x, int | P), isinstance(x, weakref.ReferenceType), isinstance(x, collections.abc.Callable))
print(isinstance(1, int | list[int]))
for f in (lambda: isinstance('x', int | list[int])), (lambda: isinstance(1, list[int] | int)), (lambda: issubclass(int, str | list[int])):
    try: print(f())
    except TypeError as e: print(e)
async def main(): sys.exit(2)
try: asyncio.run(main())
except SystemExit as e: print('exit', e.code)
async def stop(): raise KeyboardInterrupt('k')
try: asyncio.run(stop())
except KeyboardInterrupt as e: print('interrupt', e)
async def inner(): raise SystemExit(5)
async def outer():
    t = asyncio.create_task(inner())
    await asyncio.sleep(0)
    await t
try: asyncio.run(outer())
except SystemExit as e: print('exit', e.code)
