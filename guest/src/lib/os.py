"""The operating system as a sandbox without files, processes and environment sees it: paths, random bytes, and errors for the rest."""

import abc as _abc
import sys
from _collections_abc import MutableMapping as _MutableMapping
from _os_core import urandom

name = 'posix'
linesep = '\n'
curdir = '.'
pardir = '..'
sep = '/'
pathsep = ':'
altsep = None
extsep = '.'
devnull = '/dev/null'
defpath = '/bin:/usr/bin'
error = OSError
F_OK, X_OK, W_OK, R_OK = 0, 1, 2, 4
O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND = 0, 1, 2, 64, 128, 512, 1024
SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2
supports_follow_symlinks = supports_dir_fd = supports_fd = supports_effective_ids = frozenset()


def fspath(path):
    if isinstance(path, (str, bytes)):
        return path
    path_type = type(path)
    try:
        path_repr = path_type.__fspath__(path)
    except AttributeError:
        if hasattr(path_type, '__fspath__'):
            raise
        raise TypeError(f'expected str, bytes or os.PathLike object, not {path_type.__name__}') from None
    except TypeError:
        if path_type.__fspath__ is None:
            raise TypeError(f'expected str, bytes or os.PathLike object, not {path_type.__name__}') from None
        raise
    if isinstance(path_repr, (str, bytes)):
        return path_repr
    raise TypeError(f'expected {path_type.__name__}.__fspath__() to return str or bytes, not {type(path_repr).__name__}')


class PathLike(_abc.ABC):
    """Objects that stand for a path in the file system."""

    __slots__ = ()

    @_abc.abstractmethod
    def __fspath__(self):
        raise NotImplementedError

    @classmethod
    def __subclasshook__(cls, subclass):
        if cls is PathLike:
            return any('__fspath__' in base.__dict__ and base.__dict__['__fspath__'] is not None for base in subclass.__mro__) or NotImplemented
        return NotImplemented

    __class_getitem__ = classmethod(type(list[int]))


def fsencode(filename):
    filename = fspath(filename)
    return filename.encode('utf-8', 'surrogateescape') if isinstance(filename, str) else filename


def fsdecode(filename):
    filename = fspath(filename)
    return filename.decode('utf-8', 'surrogateescape') if isinstance(filename, bytes) else filename


class _Environ(_MutableMapping):
    def __init__(self, data):
        self._data = data

    @staticmethod
    def _text(value):
        if not isinstance(value, str):
            raise TypeError(f'str expected, not {type(value).__name__}')
        return value

    def __getitem__(self, key):
        return self._data[self._text(key)]

    def __setitem__(self, key, value):
        self._data[self._text(key)] = self._text(value)

    def __delitem__(self, key):
        del self._data[self._text(key)]

    def __iter__(self):
        yield from list(self._data)

    def __len__(self):
        return len(self._data)

    def __repr__(self):
        inner = ', '.join(f'{k!r}: {v!r}' for k, v in self._data.items())
        return f'environ({{{inner}}})'

    def copy(self):
        return dict(self)

    def setdefault(self, key, value):
        if key not in self:
            self[key] = value
        return self[key]


environ = _Environ({})


def getenv(key, default=None):
    return environ.get(key, default)


def putenv(key, value, /):
    pass


def unsetenv(key, /):
    pass


def getcwd():
    return '/'


def getcwdb():
    return b'/'


def getpid():
    return 1


def getppid():
    return 0


def cpu_count():
    return 1


process_cpu_count = cpu_count


def getlogin():
    raise OSError(6, 'No such device or address')


def strerror(code, /):
    return {1: 'Operation not permitted', 2: 'No such file or directory', 13: 'Permission denied', 17: 'File exists', 20: 'Not a directory',
            21: 'Is a directory', 22: 'Invalid argument'}.get(code, f'Unknown error {code}')


def isatty(fd, /):
    return False


def get_terminal_size(fd=1, /):
    raise OSError(25, 'Inappropriate ioctl for device')


def register_at_fork(*, before=None, after_in_child=None, after_in_parent=None):
    pass


def _exit(status):
    raise SystemExit(status)


def _missing(path):
    raise FileNotFoundError(2, 'No such file or directory', path if isinstance(path, int) else fspath(path))


def stat(path, *, dir_fd=None, follow_symlinks=True):
    _missing(path)


def lstat(path, *, dir_fd=None):
    _missing(path)


def access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    fspath(path)
    return False


def _absent(function):
    def call(path='.', *args, **kwargs):
        _missing(path)
    call.__name__ = call.__qualname__ = function
    return call


def _denied(function):
    def call(path='.', *args, **kwargs):
        raise PermissionError(1, 'Operation not permitted', path if isinstance(path, int) else fspath(path))
    call.__name__ = call.__qualname__ = function
    return call


for _name in ('listdir', 'scandir', 'chdir', 'remove', 'unlink', 'rmdir', 'rename', 'replace', 'readlink', 'chmod', 'utime', 'truncate', 'removedirs',
              'renames', 'startfile', 'listxattr'):
    globals()[_name] = _absent(_name)
for _name in ('mkdir', 'makedirs', 'open', 'link', 'symlink', 'mkfifo'):
    globals()[_name] = _denied(_name)
del _name


def _forbidden(function):
    def call(*args, **kwargs):
        raise PermissionError(1, f'os.{function}() is not possible in the sandbox')
    call.__name__ = call.__qualname__ = function
    return call


for _name in ('system', 'popen', 'fork', 'kill', 'execv', 'execve', 'execvp', 'spawnv', 'pipe', 'dup', 'dup2', 'read', 'write', 'close', 'fdopen'):
    globals()[_name] = _forbidden(_name)
del _name


def walk(top, topdown=True, onerror=None, followlinks=False):
    if onerror is not None:
        onerror(FileNotFoundError(2, 'No such file or directory', fspath(top)))
    return iter(())


import posixpath as path

sys.modules['os.path'] = path
