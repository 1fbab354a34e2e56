# The import system: what a program may bend is its own copy of it.

#: case __import__ with a path
#: raises ModuleNotFoundError: No module named ''
__import__('../../etc/passwd')

#: case __import__ with a name of a megabyte
#: raises ModuleNotFoundError: No module named 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
__import__('x' * 10**6)

#: case __import__ of a deep dotted name
#: raises ModuleNotFoundError: No module named 'os.os'; 'os' is not a package
__import__('.'.join(['os'] * 1000))

#: case __import__ at a level of two milliards
#: raises ImportError: attempted relative import beyond top-level package
__import__('x', {'__package__': 'a'}, None, [], 2**31 - 1)

#: case a file in the path is the session's own
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import sys
with open('payload.py', 'w') as f:
    f.write('import os\ndef go(): return os.system("id")\n')
sys.path.insert(0, '.')
import payload
payload.go()

#: case a file that shadows a module of the library
#: value False
import sys
with open('json.py', 'w') as f: f.write('shadow = True\n')
sys.path.insert(0, '/home/user')
sys.modules.pop('json', None)
import json
hasattr(json, 'shadow')

#: case an extension module in the path
#: raises ModuleNotFoundError: No module named 'evil'
import sys
with open('evil.cpython-314-x86_64-linux-gnu.so', 'wb') as f: f.write(b'\x7fELF' + b'\0' * 100)
sys.path.insert(0, '.')
import evil

#: case an extension loader by hand
#: raises AttributeError: module '_imp' has no attribute 'create_dynamic'
import importlib.machinery
importlib.machinery.ExtensionFileLoader('evil', '/lib/x86_64-linux-gnu/libc.so.6').load_module('evil')

#: case _imp.create_dynamic
#: raises AttributeError: module '_imp' has no attribute 'create_dynamic'
import _imp
_imp.create_dynamic

#: case a compiled file
#: raises ValueError: marshalled code is for another interpreter and cannot be read
import sys
with open('evil.pyc', 'wb') as f: f.write(b'\x2b\x0e\r\n' + b'\0' * 12 + b'\xe3' + b'\xff' * 50)
sys.path.insert(0, '.')
import evil

#: case a package in a zip file
#: value none
import sys, zipfile
with zipfile.ZipFile('p.zip', 'w') as z: z.writestr('inzip.py', 'import os\nx = os.getpid()')
sys.path.insert(0, 'p.zip')
import inzip

#: case a finder of the program's own
#: value True
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        import importlib.machinery
        return importlib.machinery.ModuleSpec(name, self)
    def create_module(self, spec): return None
    def exec_module(self, module): module.made = True
sys.meta_path.insert(0, Finder())
import anything_at_all
anything_at_all.made

#: case a finder that never returns
#: limits time=300ms
#: ends time
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        while True: pass
sys.meta_path.insert(0, Finder())
import anything_at_all

#: case a finder that imports itself
#: ends recursion
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        return __import__(name + 'x')
sys.meta_path.insert(0, Finder())
import anything_at_all

#: case modules that import each other for ever
#: ends recursion|time|fuel
import sys
sys.path.insert(0, '.')
for n in range(3000):
    with open(f'm{n}.py', 'w') as f: f.write(f'import m{n + 1}')
import m0

#: case everything thrown out of sys.modules
#: value '[1]'
import sys
sys.modules.clear()
import json
json.dumps([1])

#: case sys.modules is no dictionary
#: value '[1]'
import sys
sys.modules = 5
import json
json.dumps([1])

#: case sys.modules holds nonsense
#: value 5
import sys
for name in list(sys.modules): sys.modules[name] = 5
import os, json, warnings, io
os

#: case sys.path holds nonsense
#: raises ModuleNotFoundError: No module named 'not_there'
import sys
sys.path = [5, None, b'x', '\0', 'x' * 10**6, sys]
import not_there

#: case __import__ replaced
#: value 'replaced'
import builtins
builtins.__import__ = lambda *a, **k: 'replaced'
import os
os

#: case builtins replaced and the machine goes on
#: raises NameError: name 'delattr' is not defined
import builtins
for name in list(vars(builtins)):
    if name not in ('__build_class__', 'vars', 'list', '__name__', 'builtins'):
        delattr(builtins, name)
[1, 2][0]

#: case every builtin is a function that never returns
#: limits time=300ms
#: ends time
import builtins
def forever(*a, **k):
    while True: pass
for name in list(vars(builtins)): setattr(builtins, name, forever)
print(1)

#: case __build_class__ replaced
#: value 'no class'
import builtins
builtins.__build_class__ = lambda *a: 'no class'
class A: pass
A

#: case a module whose __getattr__ never returns
#: limits time=300ms
#: ends time
import sys, types
class M(types.ModuleType):
    def __getattribute__(self, name):
        while True: pass
sys.modules['evil'] = M('evil')
from evil import x

#: case standard streams replaced by traps
#: limits time=300ms
#: ends time
import sys
class Out:
    def write(self, text):
        while True: pass
    def flush(self):
        while True: pass
sys.stdout = sys.stderr = Out()
print('x')

#: case the hook for exceptions never returns
#: limits time=300ms
#: raises ZeroDivisionError: division by zero
import sys
def hook(*a):
    while True: pass
sys.excepthook = hook
1 / 0

#: case the display hook never returns
#: limits time=300ms
#: ends time
import sys
def hook(*a):
    while True: pass
sys.displayhook = hook
exec(compile('5', 'x', 'single'))

#: case a source file with an encoding that decodes for ever
#: limits time=300ms
#: ends time
import codecs
def search(name):
    if name == 'evil':
        def decode(data, errors='strict'):
            while True: pass
        return codecs.CodecInfo(codecs.utf_8_encode, decode, name='evil')
codecs.register(search)
exec(b'# -*- coding: evil -*-\nx = 1')
