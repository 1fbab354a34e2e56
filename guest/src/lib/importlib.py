"""Importing modules by name."""

import sys

__all__ = ['__import__', 'import_module', 'invalidate_caches', 'reload']

from builtins import __import__


def invalidate_caches():
    pass


def _absolute(name, package, level):
    bits = package.rsplit('.', level - 1)
    if len(bits) < level:
        raise ImportError('attempted relative import beyond top-level package')
    return f'{bits[0]}.{name}' if name else bits[0]


def import_module(name, package=None):
    level = 0
    if name.startswith('.'):
        if not package:
            raise TypeError(f"the 'package' argument is required to perform a relative import for {name!r}")
        for character in name:
            if character != '.':
                break
            level += 1
        name = _absolute(name[level:], package, level)
    if name == '':
        raise ValueError('Empty module name')
    __import__(name)
    return sys.modules[name]


def reload(module):
    """Runs the module again, in the same namespace."""
    try:
        name = module.__name__
    except AttributeError:
        raise TypeError('reload() argument must be a module') from None
    if sys.modules.get(name) is not module:
        raise ImportError(f'module {name} not in sys.modules', name=name)
    del sys.modules[name]
    try:
        __import__(name)
        vars(module).update(vars(sys.modules[name]))
    finally:
        sys.modules[name] = module
    return module
