# One object that is in another twice, which is in a third twice: sixty lines that a walk takes for a tree of 2**60 leaves.

#: case equality of lists
#: limits time=300ms memory=64M
#: ends time
x, y = [], []
for _ in range(60): x, y = [x, x], [y, y]
x == y

#: case inequality of tuples
#: limits time=300ms memory=64M
#: ends time
x, y = (1,), (1,)
for _ in range(60): x, y = (x, x), (y, y)
x != y

#: case order of tuples
#: limits time=300ms memory=64M
#: ends time
x, y = (), ()
for _ in range(60): x, y = (x, x), (y, y)
x < y

#: case equality of dictionaries
#: limits time=300ms memory=64M
#: ends time
x, y = {}, {}
for _ in range(60): x, y = {1: x, 2: x}, {1: y, 2: y}
x == y

#: case equality of deques
#: limits time=300ms memory=64M
#: ends time
import collections
x, y = collections.deque(), collections.deque()
for _ in range(60): x, y = collections.deque([x, x]), collections.deque([y, y])
x == y

#: case equality of slices
#: limits time=300ms memory=64M
#: ends time
x, y = slice(1), slice(1)
for _ in range(60): x, y = slice(x, x, x), slice(y, y, y)
x == y

#: case equality of namespaces
#: limits time=300ms memory=64M
#: ends time
import types
x, y = 1, 1
for _ in range(60): x, y = types.SimpleNamespace(a=x, b=x), types.SimpleNamespace(a=y, b=y)
x == y

#: case equality of data classes
#: limits time=300ms memory=64M
#: ends time
import dataclasses
@dataclasses.dataclass
class D:
    a: object
    b: object
x, y = 1, 1
for _ in range(60): x, y = D(x, x), D(y, y)
x == y

#: case the hash of a tuple
#: limits time=300ms memory=64M
#: stops
x = ()
for _ in range(60): x = (x, x)
hash(x)

#: case the hash of a slice
#: limits time=300ms memory=64M
#: stops
x = 1
for _ in range(60): x = slice(x, x)
hash(x)

#: case the hash of a generic alias
#: limits time=300ms memory=64M
#: stops
x = int
for _ in range(60): x = dict[x, x]
hash(x)

#: case a tuple as a key
#: limits time=300ms memory=64M
#: stops
x, y = (), ()
for _ in range(60): x, y = (x, x), (y, y)
{x: 1}.get(y)

#: case sorting
#: limits time=300ms memory=64M
#: ends time
x, y = [], []
for _ in range(60): x, y = [x, x], [y, y]
sorted([x, y])

#: case the largest
#: limits time=300ms memory=64M
#: ends time
x, y = [], []
for _ in range(60): x, y = [x, x], [y, y]
max(x, y)

#: case is it in there
#: limits time=300ms memory=64M
#: ends time
x, y = [], []
for _ in range(60): x, y = [x, x], [y, y]
x in [y]

#: case counting
#: limits time=300ms memory=64M
#: ends time
x, y = [], []
for _ in range(60): x, y = [x, x], [y, y]
[y].count(x)

#: case removing
#: limits time=300ms memory=64M
#: ends time
x, y = [], []
for _ in range(60): x, y = [x, x], [y, y]
[y].remove(x)

#: case repr of lists
#: limits time=300ms memory=64M
#: ends time|memory
x = []
for _ in range(60): x = [x, x]
len(repr(x))

#: case repr of tuples
#: limits time=300ms memory=64M
#: ends time|memory
x = ()
for _ in range(60): x = (x, x)
len(repr(x))

#: case repr of dictionaries
#: limits time=300ms memory=64M
#: ends time|memory
x = {}
for _ in range(60): x = {1: x, 2: x}
len(str(x))

#: case repr of generic aliases
#: limits time=300ms memory=64M
#: ends time|memory
x = int
for _ in range(60): x = dict[x, x]
len(repr(x))

#: case repr of partials
#: limits time=300ms memory=64M
#: ends time|memory
import functools
x = print
for _ in range(60): x = functools.partial(print, x, x)
len(repr(x))

#: case repr of slices
#: limits time=300ms memory=64M
#: ends time|memory
x = 1
for _ in range(60): x = slice(x, x)
len(repr(x))

#: case repr of exceptions
#: limits time=300ms memory=64M
#: ends time|memory
x = 1
for _ in range(60): x = ValueError(x, x)
len(repr(x))

#: case repr of deques
#: limits time=300ms memory=64M
#: ends time|memory
import collections
x = 1
for _ in range(60): x = collections.deque([x, x])
len(repr(x))

#: case printing
#: limits time=300ms memory=64M
#: ends time|memory
x = []
for _ in range(60): x = [x, x]
print(x)

#: case printing nicely
#: limits time=300ms memory=64M
#: ends time|memory
import pprint
x = []
for _ in range(60): x = [x, x]
pprint.pprint(x)

#: case formatting
#: limits time=300ms memory=64M
#: ends time|memory
x = []
for _ in range(60): x = [x, x]
'%s' % (x,)

#: case instances of nested tuples
#: limits time=300ms memory=64M
#: ends time
x = int
for _ in range(60): x = (x, x)
isinstance('a', x)

#: case subclasses of nested tuples
#: limits time=300ms memory=64M
#: ends time
x = int
for _ in range(60): x = (x, x)
issubclass(str, x)

#: case json
#: limits time=300ms memory=64M
#: ends time|memory
import json
x = []
for _ in range(60): x = [x, x]
json.dumps(x)

#: case marshal
#: limits time=300ms memory=64M
#: stops
import marshal
x = []
for _ in range(60): x = [x, x]
marshal.dumps(x)

#: case pickle knows what it has seen
#: limits memory=64M
#: value True
import pickle
x = []
for _ in range(60): x = [x, x]
y = pickle.loads(pickle.dumps(x))
y[0] is y[1]

#: case copy knows what it has seen
#: limits memory=64M
#: value True
import copy
x = []
for _ in range(60): x = [x, x]
y = copy.deepcopy(x)
y[0] is y[1]

#: case a data class as a dictionary
#: limits time=300ms memory=64M
#: ends time|memory
import dataclasses
@dataclasses.dataclass
class D:
    a: object
    b: object
x = 1
for _ in range(60): x = D(x, x)
dataclasses.asdict(x)

#: case a tree of syntax compiled
#: limits time=300ms memory=64M
#: ends time|memory
import ast
x = ast.Constant(1)
for _ in range(60): x = ast.BinOp(x, ast.Add(), x)
compile(ast.fix_missing_locations(ast.Expression(x)), 'f', 'eval')

#: case a tree of syntax compiled that has its places
#: limits time=300ms memory=64M
#: ends time|memory
import ast
place = dict(lineno=1, col_offset=0, end_lineno=1, end_col_offset=1)
x = ast.Constant(1, **place)
for _ in range(60): x = ast.BinOp(x, ast.Add(), x, **place)
compile(ast.Expression(x), 'f', 'eval')

#: case a tree of syntax dumped
#: limits time=300ms memory=64M
#: ends time|memory
import ast
x = ast.Constant(1)
for _ in range(60): x = ast.BinOp(x, ast.Add(), x)
ast.dump(x)

#: case a tree of syntax unparsed
#: limits time=300ms memory=64M
#: ends time|memory
import ast
x = ast.Constant(1)
for _ in range(60): x = ast.BinOp(x, ast.Add(), x)
ast.unparse(x)

#: case a tree of syntax walked
#: limits time=300ms memory=64M
#: ends time|memory
import ast
x = ast.Constant(1)
for _ in range(60): x = ast.BinOp(x, ast.Add(), x)
sum(1 for _ in ast.walk(x))

#: case exception groups raised
#: limits time=2s memory=64M
#: stops
x = ValueError()
for _ in range(60): x = ExceptionGroup('g', [x, x])
raise x

#: case exception groups split
#: limits time=300ms memory=64M
#: ends time|memory
x = ValueError()
for _ in range(60): x = ExceptionGroup('g', [x, x])
x.split(KeyError)

#: case exception groups formatted
#: limits time=300ms memory=64M
#: stops
import traceback
x = ValueError()
for _ in range(60): x = ExceptionGroup('g', [x, x])
len(traceback.format_exception(x)) > 0

#: case exceptions that are cause and context
#: limits time=2s memory=64M
#: stops
x = None
for _ in range(60):
    e = ValueError()
    e.__cause__, e.__context__, e.__suppress_context__ = x, x, False
    x = e
raise x

#: case chained maps
#: limits time=300ms memory=64M
#: ends time
import collections
x = {}
for _ in range(60): x = collections.ChainMap(x, x)
x.get(1)

#: case the last value
#: limits time=300ms memory=64M
#: ends time|memory
x = 'lol'
for _ in range(60): x = [x, x]
x

#: case the last value in a dictionary
#: limits time=300ms memory=64M
#: ends time|memory
x = 'lol'
for _ in range(60): x = {1: x, 2: x}
x

#: case a last value of moderate size
#: limits time=2s memory=64M
#: stops
x = 'lol'
for _ in range(22): x = (x, x)
x

#: case text by its parts
#: limits time=300ms memory=64M
#: ends time|memory
x = 'ab'
for _ in range(60): x = x + x
x

#: case an element tree
#: limits time=300ms memory=64M
#: ends time|memory
import xml.etree.ElementTree as E
x = E.Element('a')
for _ in range(60):
    y = E.Element('a')
    y.append(x)
    y.append(x)
    x = y
E.tostring(x)

#: case an element tree gone through
#: limits time=300ms memory=64M
#: ends time|memory
import xml.etree.ElementTree as E
x = E.Element('a')
for _ in range(60):
    y = E.Element('a')
    y.append(x)
    y.append(x)
    x = y
sum(1 for _ in x.iter())

#: case sets of frozen sets
#: limits time=300ms memory=64M
#: stops
x, y = frozenset(), frozenset()
for _ in range(60): x, y = frozenset([x, (x, 1)]), frozenset([y, (y, 1)])
x == y

#: case unions of generic aliases
#: limits time=300ms memory=64M
#: ends time|memory
x = int
for _ in range(60): x = dict[x, x] | list[x]
repr(x)

#: case type variables sought in generic aliases
#: limits time=300ms memory=64M
#: stops
import typing
T = typing.TypeVar("T")
x = list[T]
for _ in range(60): x = dict[x, x]
x[int]

#: case an argument of a format
#: limits time=300ms memory=64M
#: ends time|memory
x = 1
for _ in range(60): x = [x, x]
'{0!r:>10}'.format(x)

#: case joined paths
#: limits time=300ms memory=64M
#: ends time|memory
x = '/'
for _ in range(30): x = x + 'a/' + x
import os
os.path.normpath(x)
