"""What `importlib` asks of the interpreter: which modules are built in. There are no frozen ones and no shared libraries."""

from _os_core import native_module

check_hash_based_pycs = 'default'
pyc_magic_number_token = 3627 | 13 << 16 | 10 << 24

_depth = 0


def lock_held():
    """Return True if the import lock is currently held, else False."""
    return _depth > 0


def acquire_lock():
    """Acquires the interpreter's import lock for the current thread; there is one thread at a time."""
    global _depth
    _depth += 1


def release_lock():
    """Release the interpreter's import lock."""
    global _depth
    if not _depth:
        raise RuntimeError('not holding the import lock')
    _depth -= 1


def extension_suffixes():
    """Returns the list of file suffixes used to identify extension modules."""
    return []


def is_builtin(name, /):
    """Returns True if the module name corresponds to a built-in module."""
    import sys
    if not isinstance(name, str):
        raise TypeError(f'is_builtin() argument must be str, not {type(name).__name__}')
    if name in ('sys', 'builtins'):
        return -1
    return int(name in sys.builtin_module_names)


def create_builtin(spec, /):
    """Create a built-in module."""
    import sys
    if spec.name in sys.modules:
        return sys.modules[spec.name]
    return native_module(spec.name)


def exec_builtin(module, /):
    """Built-in modules are complete when they are made."""
    return 0


def is_frozen(name, /):
    """Returns True if the module name corresponds to a frozen module."""
    return False


def is_frozen_package(name, /):
    raise ImportError(f'No such frozen object named {name}', name=name)


def find_frozen(name, /, *, withdata=False):
    """Return info about the corresponding frozen module (if there is one) or None."""
    return None


def get_frozen_object(name, data=None, /):
    raise ImportError(f'No such frozen object named {name}', name=name)


def init_frozen(name, /):
    return None


def source_hash(key, source):
    """A hash of a source, keyed; what it is compared with was made by the same function."""
    value = key ^ 0x736f6d6570736575
    for byte in source:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return value.to_bytes(8, 'little')


def _fix_co_filename(code, path, /):
    """Code objects name the file that they were compiled from and keep that name."""
