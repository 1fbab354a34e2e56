"""Asking for modules without importing them."""

import sys
from importlib import _absolute
from importlib.machinery import ModuleSpec
from _os_core import has_module


def resolve_name(name, package):
    if not name.startswith('.'):
        return name
    if not package:
        raise ImportError(f'no package specified for {name!r} (required for relative module names)')
    level = len(name) - len(name.lstrip('.'))
    return _absolute(name[level:], package, level)


def find_spec(name, package=None):
    full = resolve_name(name, package)
    if full in sys.modules:
        module = sys.modules[full]
        if module is None:
            return None
        try:
            spec = module.__spec__
        except AttributeError:
            raise ValueError(f'{name}.__spec__ is not set') from None
        if spec is not None:
            return spec
    parent = full.rpartition('.')[0]
    if parent:
        __import__(parent)
    if full not in sys.modules and not has_module(full):
        return None
    return ModuleSpec(full, None, origin='built-in')


def module_from_spec(spec):
    import types
    module = types.ModuleType(spec.name)
    module.__spec__ = spec
    return module
