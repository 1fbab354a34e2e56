"""Importing modules by name, and the machinery of finders and loaders.

The machine finds its own modules without this. What is here serves programs that ask for modules, bring loaders of their own, or keep modules in files.
"""

__all__ = ['__import__', 'import_module', 'invalidate_caches', 'reload']

import _imp
import sys

from . import _bootstrap
from . import _bootstrap_external
from ._library import LibraryImporter as _LibraryImporter, LibraryPath as _LibraryPath


def _archive(path):
    """The path hook of archives; most entries of the path are none, and then the module that reads them is not needed."""
    if _bootstrap_external._path_isdir(path):
        raise ImportError(f'not a Zip file: {path!r}', path=path)
    from zipimport import zipimporter
    return zipimporter(path)


def _start():
    """Enters the finders in the order in which the machine looks, and gives the modules that exist their specifications."""
    _bootstrap._setup(sys, _imp)
    _bootstrap._bootstrap_external = _bootstrap_external
    own = [_bootstrap.BuiltinImporter, _LibraryImporter]
    sys.meta_path.extend(own)
    sys.modules['_frozen_importlib'] = _bootstrap
    sys.modules['_frozen_importlib_external'] = _bootstrap_external
    sys.path_hooks.append(_LibraryPath)
    sys.path_hooks.append(_archive)
    _bootstrap_external._install(_bootstrap)
    _LibraryImporter.describe_loaded()


_start()
del _start

_pack_uint32 = _bootstrap_external._pack_uint32
_unpack_uint32 = _bootstrap_external._unpack_uint32

from builtins import __import__


def invalidate_caches():
    """Call the invalidate_caches() method on all meta path finders stored in sys.meta_path (where implemented)."""
    for finder in sys.meta_path:
        if hasattr(finder, 'invalidate_caches'):
            finder.invalidate_caches()


def import_module(name, package=None):
    """Import a module.

    The 'package' argument is required when performing a relative import. It
    specifies the package to use as the anchor point from which to resolve the
    relative import to an absolute import.
    """
    level = 0
    if name.startswith('.'):
        if not package:
            raise TypeError(f"the 'package' argument is required to perform a relative import for {name!r}")
        level = len(name) - len(name.lstrip('.'))
        name = _bootstrap._resolve_name(name[level:], package, level)
    if name == '':
        raise ValueError('Empty module name')
    __import__(name)
    return sys.modules[name]


_RELOADING = {}


def reload(module):
    """Reload the module and return it: its source runs again, in the same namespace."""
    try:
        name = module.__spec__.name
    except AttributeError:
        try:
            name = module.__name__
        except AttributeError:
            raise TypeError('reload() argument must be a module') from None
    if sys.modules.get(name) is not module:
        raise ImportError(f'module {name} not in sys.modules', name=name)
    if name in _RELOADING:
        return _RELOADING[name]
    _RELOADING[name] = module
    try:
        parent = name.rpartition('.')[0]
        path = None
        if parent:
            if parent not in sys.modules:
                raise ImportError(f'parent {parent!r} not in sys.modules', name=parent)
            path = sys.modules[parent].__path__
        spec = module.__spec__ = _bootstrap._find_spec(name, path, module)
        if spec is None:
            raise ModuleNotFoundError(f'spec not found for the module {name!r}', name=name)
        _bootstrap._exec(spec, module)
        return sys.modules[name]
    finally:
        _RELOADING.pop(name, None)
