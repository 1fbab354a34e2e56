# Walks over the object graph: from a literal to every class, from a frame to its caller, from code to other code.

#: case subclasses to os._wrap_close
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
cls = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]
cls.__init__.__globals__['system']('id')

#: case subclasses to warnings.catch_warnings
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import warnings
cls = [c for c in ().__class__.__mro__[1].__subclasses__() if c.__name__ == 'catch_warnings'][0]
b = cls()._module.__builtins__
(b if isinstance(b, dict) else vars(b))['__import__']('os').system('id')

#: case subclasses to subprocess.Popen
#: raises ModuleNotFoundError: No module named 'subprocess': the sandbox has no processes
import subprocess
cls = [c for c in object.__subclasses__() if c.__name__ == 'Popen'][0]
cls('id', shell=True)

#: case subclasses to a loader
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
cls = [c for c in object.__subclasses__() if c.__name__ == 'BuiltinImporter'][0]
cls.load_module('posix').system('id')

#: case subclasses to a file loader's get_data
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/etc/passwd'
cls = [c for c in object.__subclasses__() if c.__name__ == 'FileLoader'][0]
cls('x', '/etc/passwd').get_data('/etc/passwd')

#: case type.__subclasses__ of type
#: value [<class 'abc.ABCMeta'>, <class 'enum.EnumType'>, <class 'typing._AnyMeta'>, <class 'typing._UnionGenericAliasMeta'>, <class 'typing.NamedTupleMeta'>, <class 'typing._TypedDictMeta'>]
type.__subclasses__(type)

#: case attribute names put together (CVE-2025-9959 of smolagents)
#: value ['_wrap_close']
name = '__cla' + 'ss__'
base = getattr(getattr((), name), '__ba' + 'se__')
sorted(c.__name__ for c in getattr(base, '__subcl' + 'asses__')() if c.__name__ in ('Popen', '_wrap_close'))

#: case attributes by str.format
#: raises AttributeError: 'wrapper_descriptor' object has no attribute '__globals__'
'{0.__class__.__init__.__globals__}'.format(object())

#: case attributes and items by str.format
#: value 'only this program has it'
class User:
    def __init__(self, name): self.name = name
secret = 'only this program has it'
'{0.__init__.__globals__[secret]}'.format(User('x'))

#: case format_map
#: value 'object'
'{a.__class__.__mro__[1].__name__}'.format_map({'a': 1})

#: case a format with a thousand fields nested
#: stops
('{' * 1000 + '}' * 1000).format(*range(1000))

#: case a format with a width of two milliards
#: ends memory
'{:2000000000}'.format(1)

#: case the printf form of it
#: ends memory
'%2000000000d' % 1

#: case the frame of the caller
#: value ['f', 'sys']
import sys
def f():
    frame = sys._getframe()
    while frame.f_back: frame = frame.f_back
    return sorted(k for k in frame.f_globals if not k.startswith('__'))
f()

#: case a frame deeper than there are
#: raises ValueError: call stack is not deep enough
import sys
sys._getframe(10**6)

#: case a frame at a negative depth
#: value '<module>'
import sys
sys._getframe(-1).f_code.co_name

#: case frames through an exception
#: value 'no caller'
try:
    1 / 0
except ZeroDivisionError as e:
    frame = e.__traceback__.tb_frame
sorted(k for k in frame.f_back.f_globals if 'os' == k) if frame.f_back else 'no caller'

#: case frames through an exception of a library function
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import json
try:
    json.loads('[')
except ValueError as e:
    tb = e.__traceback__
    while tb.tb_next: tb = tb.tb_next
    f = tb.tb_frame.f_globals['__builtins__']
    f = f if isinstance(f, dict) else vars(f)
f['__import__']('os').system('id')

#: case a traceback that goes round
#: raises ValueError: traceback loop detected
import types
def f(): raise ValueError
try: f()
except ValueError as e: tb = e.__traceback__
tb.tb_next.tb_next = tb

#: case the frame of a generator
#: value (None, [], True)
def g(): yield
frame = (i for i in [1]).gi_frame
frame.f_back, sorted(frame.f_locals), frame.f_builtins['len'] is len

#: case a generator that looks into itself
#: value (None, {})
def g():
    yield it.gi_frame.f_locals
it = g()
it.gi_frame.f_back, next(it)

#: case the frame of a coroutine
#: value '__main__'
async def c(): pass
co = c()
names = co.cr_frame.f_globals['__name__']
co.close()
names

#: case locals changed through a frame
#: value 1
import sys
def f():
    x = 1
    sys._getframe().f_locals['x'] = 'changed'
    return x
f()

#: case a line set by force
#: raises AttributeError: attribute 'f_lineno' of 'frame' objects is not writable
import sys
def f():
    sys._getframe().f_lineno = 1
f()

#: case closures changed from outside
#: value True
def f():
    x = 1
    return lambda: x
g = f()
g.__closure__[0].cell_contents = g
g() is g

#: case code with other bytes
#: raises ValueError: code: co_code cannot be changed: only code that the compiler made can be run
def f(): return 1
f.__code__ = f.__code__.replace(co_code=b'\x00' * 64)
f()

#: case code with every byte of one kind
#: value {'ValueError'}
import types
def f(): return 1
ends = set()
for byte in range(256):
    try:
        types.FunctionType(f.__code__.replace(co_code=bytes([byte]) * 4096), {})()
    except Exception as e:
        ends.add(type(e).__name__)
    else:
        ends.add('runs')
ends

#: case code with constants that are not there
#: raises ValueError: code: co_consts must be as many: only code that the compiler made can be run
def f(): return 'constant'
f.__code__ = f.__code__.replace(co_consts=())
f()

#: case code with names that are not there
#: raises ValueError: code: co_names cannot be changed: only code that the compiler made can be run
def f(): return len
f.__code__ = f.__code__.replace(co_names=())
f()

#: case code with no stack and no locals
#: raises ValueError: code: co_nlocals != len(co_varnames)
def f(a, b): return a + b
f.__code__ = f.__code__.replace(co_stacksize=0, co_nlocals=0, co_varnames=())
f(1, 2)

#: case code with two milliards of arguments
#: raises ValueError: code: co_argcount cannot be changed: only code that the compiler made can be run
def f(a, b): return a + b
f.__code__ = f.__code__.replace(co_argcount=2**31 - 1)
f(1, 2)

#: case code with a negative number of arguments
#: raises ValueError: code: co_argcount cannot be changed: only code that the compiler made can be run
def f(a, b): return a + b
f.__code__ = f.__code__.replace(co_argcount=-1)

#: case code with a broken exception table
#: raises ValueError: code: co_exceptiontable cannot be changed: only code that the compiler made can be run
def f():
    try: 1 / 0
    except ZeroDivisionError: return 'caught'
f.__code__ = f.__code__.replace(co_exceptiontable=b'\xff' * 1000)
f()

#: case code with a broken line table
#: raises ValueError: code: co_linetable cannot be changed: only code that the compiler made can be run
def f(): 1 / 0
f.__code__ = f.__code__.replace(co_linetable=b'\xff' * 1000)
f()

#: case code from nothing
#: raises ValueError: code: these instructions are not the compiler's: only code that the compiler made can be run
import types
types.CodeType(0, 0, 0, 0, 10**6, 0, b'\xff' * 100, (), (), (), 'f', 'f', 'f', 1, b'', b'')

#: case the code type without arguments
#: raises TypeError: code expected at least 16 arguments, got 0
import types
types.CodeType()

#: case code of another function with free variables
#: raises ValueError: f() requires a code object with 0 free vars, not 1
def outer():
    x = 1
    def inner(): return x
    return inner
def f(): pass
f.__code__ = outer().__code__

#: case a function of foreign code and closure
#: raises TypeError: inner requires closure of length 1, not 0
import types
def outer():
    x = 1
    def inner(): return x
    return inner
types.FunctionType(outer().__code__, {}, 'f', None, ())

#: case a function of foreign code with a cell too many
#: raises TypeError: arg 5 (closure) must be None
import types
def f(): return 1
types.FunctionType(f.__code__, {}, 'f', None, (types.CellType(1),))

#: case marshal of forged code
#: raises ValueError: marshalled code is for another interpreter and cannot be read
import marshal
marshal.loads(b'\xe3' + b'\x00' * 100)

#: case a class changed under its instances
#: raises TypeError: __class__ assignment: 'B' object layout differs from 'A'
class A:
    __slots__ = ('a', 'b')
class B:
    __slots__ = ('a',)
a = A()
a.a, a.b = 1, 2
a.__class__ = B

#: case a class of a built-in instance
#: raises TypeError: __class__ assignment only supported for mutable types or ModuleType subclasses
x = 5
x.__class__ = str

#: case a base changed under a running method
#: raises TypeError: __bases__ assignment: 'dict' deallocator differs from 'A'
class A: pass
class B: pass
class C(A):
    def m(self):
        C.__bases__ = (dict,)
        return 1
C().m()

#: case a class that is its own base
#: raises TypeError: a __bases__ item causes an inheritance cycle
class A: pass
class B(A): pass
A.__bases__ = (B,)

#: case an mro that lies
#: raises TypeError: mro() returned base with unsuitable layout ('int')
class Meta(type):
    def mro(cls): return [cls, int, str]
class A(metaclass=Meta): pass

#: case an mro that lies about a layout
#: raises TypeError: mro() returned base with unsuitable layout ('list')
class Meta(type):
    def mro(cls): return [cls, list, object]
class A(metaclass=Meta): pass
A().append(1)

#: case methods of a list on what is none
#: raises TypeError: descriptor 'append' for 'list' objects doesn't apply to a 'object' object
list.append(object.__new__(object), 1)

#: case object.__new__ of a built-in type
#: raises TypeError: object.__new__(list) is not safe, use list.__new__()
object.__new__(list)

#: case an instance of a type that has no constructor
#: raises TypeError: code expected at least 16 arguments, got 0
type((lambda: 0).__code__).__new__(type((lambda: 0).__code__))

#: case an instance of the frame type
#: raises TypeError: object.__new__(frame) is not safe, use frame.__new__()
import types
object.__new__(types.FrameType)

#: case a descriptor of another class
#: raises TypeError: descriptor 'real' for 'int' objects doesn't apply to a 'str' object
int.__dict__['real'].__get__('text')

#: case attributes of a built-in type changed
#: raises TypeError: cannot set '__add__' attribute of immutable type 'int'
int.__add__ = lambda a, b: 0

#: case the dictionary of a built-in type changed
#: raises TypeError: 'mappingproxy' object does not support item assignment
int.__dict__['__add__'] = 0

#: case the dictionary behind the proxy reached by an equality
#: value (True, True)
class Spy:
    def __eq__(self, other):
        other['smuggled'] = 1
        return True
    __hash__ = None
int.__dict__ == Spy()
hasattr(int, 'smuggled'), hasattr(5, 'smuggled')

#: case the dictionary behind the proxy reached by a union
#: value True
class Spy:
    def __ror__(self, other):
        other['smuggled'] = 1
        return 1
type.__dict__['__dict__'].__get__(int) | Spy()
hasattr(int, 'smuggled')

#: case gc shows what it should not
#: value ['dict']
import gc
[type(o).__name__ for o in gc.get_referents(int.__dict__)][:1]

#: case gc walks to every object
#: value []
import gc
sorted({type(o).__name__ for o in gc.get_objects()} & {'socket', 'Popen', 'CDLL'})

#: case weak references to everything
#: value True
import weakref, gc
n = 0
for o in gc.get_objects():
    try:
        weakref.ref(o)
        n += 1
    except TypeError: pass
n > 0

#: case audit hooks see nothing of the host
#: raises AttributeError: module 'sys' has no attribute 'addaudithook'
import sys
seen = []
sys.addaudithook(lambda *a: seen.append(a[0]))
open('f', 'w').close()
all(isinstance(s, str) for s in seen)

#: case a tracer
#: raises NotImplementedError: sys.settrace is not available in the sandbox
import sys
sys.settrace(lambda *a: None)
def f(): return sys.gettrace()
f() is None or callable(f())

#: case a profiler that never returns
#: limits time=300ms
#: raises NotImplementedError: sys.setprofile is not available in the sandbox
import sys
def prof(*a):
    while True: pass
sys.setprofile(prof)
len([])
while True: pass
