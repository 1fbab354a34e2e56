# Recursion in Python code, through native code, over deep data, and in sources that nest.

#: case a function
#: ends recursion
def f(): return f()
f()

#: case a function whose limit was raised
#: ends recursion
import sys
sys.setrecursionlimit(2**31 - 1)
def f(): return f()
f()

#: case recursion through sorted with the limit raised
#: ends recursion
import sys
sys.setrecursionlimit(10**9)
def key(x): return sorted([x, x], key=key)
key(1)

#: case a limit below what is in use
#: raises RecursionError: cannot set the recursion limit to 5 at the recursion depth 102: the limit is too low
import sys
def f(n):
    if n: return f(n - 1)
    sys.setrecursionlimit(5)
f(100)

#: case a limit of nothing
#: raises ValueError: recursion limit must be greater or equal than 1
import sys
sys.setrecursionlimit(0)

#: case every handler calls again
#: limits time=300ms
#: ends time
def f():
    try: f()
    except RecursionError: f()
f()

#: case every finally calls again
#: limits time=300ms
#: ends time
def f():
    try: f()
    finally: f()
f()

#: case __repr__
#: ends recursion
class C:
    def __repr__(self): return repr(self)
repr(C())

#: case __repr__ through a list
#: ends recursion
class C:
    def __repr__(self): return repr([self])
repr(C())

#: case __repr__ through a dictionary and format
#: ends recursion
class C:
    def __repr__(self): return '{!r}'.format({1: self})
str(C())

#: case __eq__ through containers
#: ends recursion
class C:
    def __eq__(self, other): return [self] == [other]
    __hash__ = None
C() == C()

#: case __hash__ through a tuple
#: ends recursion
class C:
    def __hash__(self): return hash((self, self))
hash(C())

#: case __lt__ through sorted
#: ends recursion
class C:
    def __lt__(self, other): return sorted([C(), C()])
sorted([C(), C()])

#: case __getattr__
#: ends recursion
class C:
    def __getattr__(self, name): return getattr(self, name + '_')
C().x

#: case __getattribute__
#: ends recursion
class C:
    def __getattribute__(self, name): return self.x
C().x

#: case __setattr__
#: ends recursion
class C:
    def __setattr__(self, name, value): setattr(self, name, value)
C().x = 1

#: case a property
#: ends recursion
class C:
    @property
    def x(self): return self.x
C().x

#: case __getitem__ and __contains__
#: ends recursion
class C:
    def __contains__(self, x): return x in self
1 in C()

#: case __call__ that is an instance
#: ends recursion
class C: pass
C.__call__ = C()
C()()

#: case a bound method of a bound method
#: ends recursion
class C:
    def __call__(self): pass
x = C()
for _ in range(100000): x = x.__call__
x()

#: case __add__ and __radd__
#: ends recursion
class C:
    def __add__(self, o): return o + self
    def __radd__(self, o): return self + o
C() + C()

#: case __index__
#: ends recursion
class C:
    def __index__(self): return [1][self]
[1][C()]

#: case __bool__
#: ends recursion
class C:
    def __bool__(self): return not self
bool(C())

#: case __len__
#: ends recursion
class C:
    def __len__(self): return len(self)
len(C())

#: case __format__
#: ends recursion
class C:
    def __format__(self, spec): return f'{self}'
f'{C()}'

#: case __instancecheck__
#: ends recursion
class M(type):
    def __instancecheck__(cls, o): return isinstance(o, cls)
class C(metaclass=M): pass
isinstance(1, C)

#: case __subclasscheck__
#: ends recursion
class M(type):
    def __subclasscheck__(cls, o): return issubclass(o, cls)
class C(metaclass=M): pass
issubclass(int, C)

#: case __init_subclass__
#: ends recursion
class C:
    def __init_subclass__(cls): type('D', (cls,), {})
class D(C): pass

#: case __set_name__
#: ends recursion
class C:
    def __set_name__(self, owner, name): type('D', (), {'x': C()})
class D: x = C()

#: case __class_getitem__
#: ends recursion
class C:
    def __class_getitem__(cls, x): return cls[x]
C[1]

#: case __del__
#: value False
class C:
    def __del__(self): C()
C()
C() is None

#: case __mro_entries__
#: raises TypeError: type() doesn't support MRO entry resolution; use types.new_class()
class C:
    def __mro_entries__(self, bases): return type('D', (C(),), {})
class D(C()): pass

#: case __missing__
#: ends recursion
class C(dict):
    def __missing__(self, k): return self[k]
C()[1]

#: case __reduce_ex__ of a copy
#: ends recursion
import copy
class C:
    def __deepcopy__(self, memo): return copy.deepcopy(self)
copy.deepcopy(C())

#: case a key function of min
#: ends recursion
def key(x): return min([x, x], key=key)
key(1)

#: case map over itself
#: ends recursion
def f(x): return list(map(f, [x]))
f(1)

#: case reduce
#: ends recursion
import functools
def f(a, b): return functools.reduce(f, [a, b])
f(1, 2)

#: case partial of partial calling itself
#: ends recursion
import functools
p = functools.partial(lambda: p())
p()

#: case a substitution in a substitution
#: ends recursion
import re
def f(m): return re.sub('a', f, 'a')
re.sub('a', f, 'a')

#: case json of a default that nests
#: raises ValueError: Circular reference detected
import json
json.dumps(object(), default=lambda o: [o, o][:1])

#: case exec in exec
#: ends recursion
source = 'exec(source)'
exec(source)

#: case eval in eval
#: ends recursion
source = 'eval(source)'
eval(source)

#: case import in import
#: ends recursion
import sys
sys.path.insert(0, '.')
with open('again.py', 'w') as f: f.write('import sys\ndel sys.modules["again"]\nimport again\n')
import again

#: case generators that go into each other
#: ends recursion
def g(n):
    yield from g(n + 1)
next(g(0))

#: case a generator that is its own
#: raises ValueError: generator already executing
def g(): yield from it
it = g()
next(it)

#: case a chain of a hundred thousand generators
#: ends recursion|memory
def g(inner): yield from inner
it = iter([1])
for _ in range(100000): it = g(it)
list(it)

#: case coroutines that await each other
#: value 'RecursionError'
async def c(): await c()
try: c().send(None)
except RecursionError as e: result = type(e).__name__
result

#: case contexts that run in each other
#: ends recursion
import contextvars
def f(): contextvars.copy_context().run(f)
f()

#: case the repr of a deep list
#: ends recursion
x = []
for _ in range(200000): x = [x]
repr(x)

#: case equality of deep lists
#: ends recursion
x, y = [], []
for _ in range(200000): x, y = [x], [y]
x == y

#: case order of deep tuples
#: ends recursion
x, y = (), ()
for _ in range(100000): x, y = (x,), (y,)
x < y

#: case the hash of a deep tuple
#: ends recursion
x = ()
for _ in range(200000): x = (x,)
hash(x)

#: case the hash of a deep frozenset
#: stops
x = frozenset()
for _ in range(100000): x = frozenset([x])
hash(x)

#: case the repr of a deep dictionary
#: ends recursion
x = {}
for _ in range(100000): x = {1: x}
repr(x)

#: case the repr of a deep mix
#: ends recursion|memory
import collections
x = []
for _ in range(20000): x = collections.deque([collections.OrderedDict(a=(x,))])
repr(x)

#: case the repr of a deep namespace
#: ends recursion
import types
x = None
for _ in range(100000): x = types.SimpleNamespace(a=x)
repr(x)

#: case the repr of a deep union
#: ends recursion
x = int
for _ in range(100000): x = list[x]
repr(x)

#: case deep slices
#: ends recursion
x = None
for _ in range(100000): x = slice(x)
repr(x)

#: case the repr of deep exceptions
#: ends recursion
x = ValueError()
for _ in range(100000): x = ValueError(x)
repr(x)

#: case str of deep exceptions
#: stops
x = ValueError()
for _ in range(100000): x = ValueError(x)
raise x

#: case a chain of a hundred thousand causes
#: stops
x = None
for _ in range(100000):
    e = ValueError()
    e.__cause__ = x
    x = e
raise x

#: case deep exception groups
#: stops
x = ValueError()
for _ in range(100000): x = ExceptionGroup('g', [x])
raise x

#: case splitting deep exception groups
#: stops
x = ValueError()
for _ in range(100000): x = ExceptionGroup('g', [x])
x.split(KeyError) is not None

#: case a deep copy
#: ends recursion
import copy
x = []
for _ in range(100000): x = [x]
copy.deepcopy(x)

#: case a deep pickle
#: ends recursion
import pickle
x = []
for _ in range(100000): x = [x]
pickle.dumps(x)

#: case a deep json
#: ends recursion
import json
x = []
for _ in range(100000): x = [x]
json.dumps(x)

#: case a deep json from text
#: ends recursion
import json
json.loads('[' * 1000000)

#: case a deep json object from text
#: ends recursion
import json
json.loads('{"a":' * 1000000)

#: case a deep marshal
#: raises ValueError: object too deeply nested to marshal
import marshal
x = []
for _ in range(100000): x = [x]
marshal.dumps(x)

#: case a deep literal
#: raises SyntaxError: too many nested parentheses (<unknown>, line 1)
import ast
ast.literal_eval('[' * 5000 + ']' * 5000)

#: case a deep sum of literals
#: stops
import ast
ast.literal_eval('+'.join(['1'] * 50000))

#: case a deep tree of syntax
#: ends recursion
import ast
x = ast.Constant(1)
for _ in range(20000): x = ast.UnaryOp(ast.USub(), x)
compile(ast.fix_missing_locations(ast.Expression(x)), 'f', 'eval')

#: case a deep tree of syntax dumped
#: ends recursion
import ast
x = ast.Name('x')
for _ in range(20000): x = ast.Attribute(x, 'a')
ast.dump(x)

#: case a deep tree of syntax unparsed
#: ends recursion
import ast
x = ast.Name('x')
for _ in range(20000): x = ast.Attribute(x, 'a')
ast.unparse(x)

#: case a tree of syntax that goes round
#: ends recursion
import ast
x = ast.UnaryOp(ast.USub(), None)
x.operand = x
x.lineno = x.col_offset = x.end_lineno = x.end_col_offset = 1
compile(ast.Expression(x), 'f', 'eval')

#: case parentheses
#: raises SyntaxError: too many nested parentheses (f, line 1)
compile('(' * 100000 + ')' * 100000, 'f', 'eval')

#: case brackets that never close
#: raises SyntaxError: too many nested parentheses (f, line 1)
compile('[' * 100000, 'f', 'eval')

#: case blocks
#: raises IndentationError: too many levels of indentation (f, line 101)
compile(''.join(' ' * n + 'if 1:\n' for n in range(1000)) + ' ' * 1000 + 'x', 'f', 'exec')

#: case signs
#: raises MemoryError: Parser stack overflowed - Python source too complex to parse
compile('-' * 1000000 + '1', 'f', 'eval')

#: case attributes
#: ends recursion|memory
compile('a' + '.a' * 1000000, 'f', 'eval')

#: case calls
#: ends recursion|memory
compile('a' + '()' * 1000000, 'f', 'eval')

#: case sums
#: ends recursion|memory
compile('a' + '+a' * 1000000, 'f', 'eval')

#: case powers
#: ends memory
compile('a**' * 1000000 + 'a', 'f', 'eval')

#: case comparisons
#: stops
compile('a' + '<a' * 50000, 'f', 'eval')

#: case conditions
#: ends memory
compile('1 if 1 else ' * 500000 + '1', 'f', 'eval')

#: case lambdas
#: raises MemoryError: Parser stack overflowed - Python source too complex to parse
compile('lambda: ' * 500000 + '1', 'f', 'eval')

#: case elifs
#: stops
compile('if x: pass\n' + 'elif x: pass\n' * 20000, 'f', 'exec')

#: case decorators
#: stops
compile('@a\n' * 50000 + 'def f(): pass', 'f', 'exec')

#: case functions in functions
#: value True
compile(''.join(' ' * n + 'def f():\n' for n in range(99)) + ' ' * 99 + 'x', 'f', 'exec') is not None

#: case comprehensions in comprehensions
#: value True
compile('[' * 190 + 'x' + ' for x in y]' * 190, 'f', 'eval') is not None

#: case loops of a comprehension
#: ends recursion|memory
compile('[x' + ' for x in y' * 100000 + ']', 'f', 'eval')

#: case nested f-strings
#: raises SyntaxError: too many nested f-strings or t-strings (f, line 1)
compile("f'{" * 200 + '1' + "}'" * 200, 'f', 'eval')

#: case nested f-string formats
#: raises SyntaxError: f-string: expressions nested too deeply (f, line 1)
compile("f'" + '{1:' * 1000 + '}' * 1000 + "'", 'f', 'eval')

#: case patterns
#: raises SyntaxError: too many nested parentheses (f, line 2)
compile('match x:\n case ' + '[' * 1000 + ']' * 1000 + ': pass', 'f', 'exec')

#: case targets
#: raises SyntaxError: too many nested parentheses (f, line 1)
compile('(' * 1000 + 'a' + ',)' * 1000 + ' = x', 'f', 'exec')

#: case starred targets
#: raises MemoryError: Parser stack overflowed - Python source too complex to parse
compile('*' * 100000 + 'a, = x', 'f', 'exec')

#: case walruses
#: raises SyntaxError: too many nested parentheses (f, line 1)
compile('(a := ' * 1000 + '1' + ')' * 1000, 'f', 'eval')

#: case types of parameters
#: value True
compile('def f[' + ', '.join(f'T{i}' for i in range(2000)) + '](): pass', 'f', 'exec') is not None

#: case a hundred thousand arguments
#: stops
compile('f(' + 'a,' * 100000 + ')', 'f', 'eval') is not None

#: case a hundred thousand parameters
#: stops
compile('def f(' + ', '.join(f'a{i}' for i in range(100000)) + '): pass', 'f', 'exec') is not None

#: case a hundred thousand names
#: stops
exec('\n'.join(f'n{i} = {i}' for i in range(100000)))
n99999

#: case a hundred thousand constants in a function
#: stops
exec('def f():\n' + '\n'.join(f' x = {i}.5' for i in range(100000)) + '\n return x')
f()

#: case a hundred thousand local variables
#: stops
exec('def f():\n' + '\n'.join(f' v{i} = {i}' for i in range(100000)) + '\n return v99999')
f()

#: case a jump of fifty thousand statements
#: stops
exec('def f(x):\n while x:\n' + '  x = x - 1 if x else 0\n' * 50000 + ' return x')
f(3)

#: case nested patterns of a regular expression
#: ends recursion
import re
re.compile('(' * 100000 + ')' * 100000)

#: case nested groups without capture
#: ends recursion
import re
re.compile('(?:' * 100000 + ')' * 100000)

#: case nested repeats of a regular expression
#: ends recursion
import re
re.compile('(?:' * 2000 + 'a' + '*)' * 2000).match('a' * 100)

#: case nested look-aheads
#: ends recursion
import re
re.match('(?=' * 1000 + 'a' + ')' * 1000, 'a')

#: case a match that nests as deep as its text
#: value none
import re
re.match('(?:a|b)*?c', 'ab' * 1000000)

#: case instances of nested tuples
#: ends recursion
x = int
for _ in range(200000): x = (x,)
isinstance('a', x)

#: case subclasses of nested tuples
#: ends recursion
x = int
for _ in range(200000): x = (x,)
issubclass(str, x)

#: case exceptions of nested tuples
#: raises TypeError: catching classes that do not inherit from BaseException is not allowed
x = ValueError
for _ in range(100000): x = (x,)
try: raise KeyError
except x: pass

#: case text that starts with nested tuples
#: raises TypeError: tuple for startswith must only contain str, not tuple
x = 'a'
for _ in range(100000): x = (x,)
'abc'.startswith(x)

#: case unions of unions
#: value False
x = int
for i in range(2000): x = x | type(f'T{i}', (), {})
isinstance(1.5, x)

#: case a hundred thousand maps
#: ends recursion
x = iter([1])
for _ in range(100000): x = map(abs, x)
next(x)

#: case a hundred thousand chains
#: ends recursion
import itertools
x = iter([1])
for _ in range(100000): x = itertools.chain(x)
next(x)

#: case a hundred thousand tees
#: value 1
import itertools
x = iter([1])
for _ in range(100000): x, _ = itertools.tee(x)
next(x)

#: case a hundred thousand slices
#: ends recursion
import itertools
x = iter([1])
for _ in range(100000): x = itertools.islice(x, 10)
next(x)

#: case a hundred thousand views
#: value b'a'
x = memoryview(b'a')
for _ in range(100000): x = x[:]
x.tobytes()

#: case a hundred thousand proxies
#: ends recursion
import types
x = {}
for _ in range(100000): x = types.MappingProxyType(x)
len(x)

#: case a hundred thousand weak proxies
#: value 1
import weakref
class C:
    a = 1
keep = [C()]
for _ in range(100000): keep.append(weakref.proxy(keep[-1])) if len(keep) < 2 else keep.append(weakref.ref(keep[0]))
keep[1].a

#: case a hundred thousand chained maps
#: ends recursion
import collections
x = {}
for _ in range(5000): x = collections.ChainMap(x)
x.get(1)

#: case a chain of classes
#: stops
class C: pass
for _ in range(1000): C = type('C', (C,), {})
C().x

#: case a class with a thousand bases
#: value <class 'object'>
type('D', tuple(type(f'B{i}', (), {}) for i in range(1000)), {}).__mro__[-1]

#: case super of super
#: ends recursion
class A:
    def m(self): return super(B, self).m()
class B(A): pass
B().m()

#: case deep lists let go
#: value none
x = []
for _ in range(300000): x = [x]
del x

#: case deep tuples let go
#: value none
x = ()
for _ in range(300000): x = (x,)
del x

#: case a linked list let go
#: value none
class N: pass
a = None
for _ in range(100000):
    n = N()
    n.next = a
    a = n
del a, n

#: case a ring let go
#: value True
import gc
class N: __slots__ = ('next',)
first = n = N()
for _ in range(100000):
    n.next = N()
    n = n.next
n.next = first
del n, first
gc.collect() > 100000

#: case generators in generators let go
#: value none
def g(inner):
    try: yield
    finally: inner
x = None
for _ in range(100000):
    x = g(x)
    next(x)
del x

#: case closures in closures let go
#: value none
f = None
for _ in range(100000): f = (lambda f: lambda: f)(f)
del f

#: case finalisers in a chain let go
#: value none
class C:
    def __init__(self, n): self.n = n
    def __del__(self): pass
x = None
for _ in range(200000): x = C(x)
del x

#: case deep tracebacks
#: raises ValueError: deep
def f(n):
    if n == 0: raise ValueError('deep')
    f(n - 1)
f(900)

#: case a traceback of exceptions in exceptions
#: raises KeyError: 0
def f(n):
    try: raise ValueError(n)
    except ValueError:
        if n: f(n - 1)
        raise KeyError(n)
f(300)

#: case dates of a class that compares with itself
#: ends recursion
import datetime
class T(datetime.tzinfo):
    def utcoffset(self, d): return d.utcoffset()
datetime.datetime(2000, 1, 1, tzinfo=T()).utcoffset()

#: case abstract classes that ask each other
#: ends recursion
import abc
class A(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other): return issubclass(other, cls)
issubclass(int, A)

#: case a single dispatch on itself
#: ends recursion
import functools
@functools.singledispatch
def f(x): return f(x)
f(1)

#: case an enumeration of itself
#: ends recursion
import enum
class E(enum.Enum):
    @classmethod
    def _missing_(cls, value): return cls(value)
    A = 1
E(2)

#: case a data class that holds itself
#: ends recursion
import dataclasses
@dataclasses.dataclass
class D: x: object = None
d = D()
d.x = d
repr(d), dataclasses.asdict(d)

#: case types that refer to themselves
#: value 'list[A]'
type A = list[A]
repr(A.__value__)

#: case logging that logs itself
#: ends recursion
import logging
class H(logging.Handler):
    def emit(self, record): logging.getLogger().error('again')
logging.getLogger().addHandler(H())
logging.raiseExceptions = False
logging.getLogger().error('x')

#: case warnings that warn
#: ends recursion
import warnings
def show(*a, **k): warnings.warn('again')
warnings.showwarning = show
warnings.simplefilter('always')
warnings.warn('x')

#: case a codec error handler that encodes
#: ends recursion
import codecs
codecs.register_error('again', lambda e: ('\ud800'.encode('ascii', 'again').decode(), e.end))
'\ud800'.encode('ascii', 'again')

#: case an unraisable hook that raises
#: limits time=500ms output=10K
#: stops
import sys
class C:
    def __del__(self): raise ValueError
def hook(*a):
    C()
    raise KeyError
sys.unraisablehook = hook
C()
[C() for _ in range(10)] and None
