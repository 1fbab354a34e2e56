# importlib: finding, loading, reloading; loaders of one's own; marshal; platform-independent corners of pkgutil
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import marshal
import pkgutil
import sys

print(importlib.import_module('json.decoder').__name__)
print(importlib.import_module('.encoder', 'json').__name__)
for name, package in (('.x', None), ('', None), ('no_such_module.y', None), ('json.no_such', None)):
    try:
        importlib.import_module(name, package)
    except (TypeError, ValueError, ImportError) as e:
        print(type(e).__name__, e)
spec = importlib.util.find_spec('json')
print(spec.name, spec.parent, spec.has_location, importlib.util.find_spec('no_such_module'))
print(json.__spec__.name, importlib.reload(json) is json)
print([m.name for m in pkgutil.iter_modules(json.__path__) if m.name in ('decoder', 'encoder', 'scanner')])
print(importlib.util.resolve_name('.b', 'a'))


class Loader(importlib.abc.Loader):
    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.answer = 42
        if module.__name__ == 'made_up.bad':
            raise ValueError('broken module')


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path, target=None):
        if fullname.split('.')[0] == 'made_up':
            return importlib.util.spec_from_loader(fullname, Loader(), is_package=fullname == 'made_up')


sys.meta_path.insert(0, Finder())
import made_up
import made_up.inner
from made_up import third
print(made_up.answer, made_up.inner.answer, third.__spec__.parent, made_up.__path__)
try:
    import made_up.bad
except ValueError as e:
    print(e, 'made_up.bad' in sys.modules)
sys.meta_path.pop(0)
try:
    import made_up_too
except ModuleNotFoundError as e:
    print(e, e.name)
module = importlib.util.module_from_spec(importlib.machinery.ModuleSpec('plain', None))
print(module, module.__spec__)
value = [None, True, 1, -2**40, 1.5, 2j, 'text', 'é', b'bytes', (1, (2,)), {'k': [3]}, frozenset([4]), ...]
print(marshal.loads(marshal.dumps(value)) == value, marshal.dumps((1, 'a', b'b', None), 2))
try:
    marshal.dumps(object())
except ValueError as e:
    print(e)
try:
    marshal.loads(b'')
except EOFError as e:
    print(e)
