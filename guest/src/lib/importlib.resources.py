"""Files within packages. The library is not made of files here; the one package with data is `tzdata`, the time zones."""

import io
import sys
from _tzdata import names as _zone_names, read as _read_zone

__all__ = ['Package', 'contents', 'files', 'is_resource', 'open_binary', 'open_text', 'read_binary', 'read_text']

Package = object

_TABLE = 'zones'


class _Resource:
    """A place in a package, by the names that lead to it."""

    def __init__(self, package, parts=()):
        self._package = package
        self._parts = parts

    @property
    def name(self):
        return self._parts[-1] if self._parts else self._package.rpartition('.')[2]

    def joinpath(self, *descendants):
        parts = self._parts
        for text in descendants:
            parts += tuple(part for part in str(text).split('/') if part)
        return _Resource(self._package, parts)

    __truediv__ = joinpath

    def _path(self):
        return '/'.join(self._package.split('.')[1:] + list(self._parts))

    def _data(self):
        if self._package.partition('.')[0] != 'tzdata':
            return None
        path = self._path()
        if path == _TABLE:
            return ''.join(f'{name}\n' for name in _zone_names()).encode()
        return _read_zone(path.removeprefix('zoneinfo/')) if path.startswith('zoneinfo/') else None

    def is_file(self):
        return self._data() is not None

    def is_dir(self):
        if not self._parts:
            return True
        inside = self._path().removeprefix('zoneinfo') + '/'
        return self._package.partition('.')[0] == 'tzdata' and any(f'/{name}'.startswith(inside) for name in _zone_names())

    def iterdir(self):
        if self._package.partition('.')[0] != 'tzdata':
            return
        path = self._path()
        entries = [_TABLE] + [f'zoneinfo/{name}' for name in _zone_names()]
        inside = path + '/' if path else ''
        for name in sorted({e[len(inside):].partition('/')[0] for e in entries if e.startswith(inside)}):
            yield self.joinpath(name)

    def open(self, mode='r', *args, **kwargs):
        data = self._data()
        if data is None:
            raise FileNotFoundError(f"no resource {'/'.join(self._parts)!r} in {self._package!r}")
        stream = io.BytesIO(data)
        return stream if 'b' in mode else io.TextIOWrapper(stream, *args, **kwargs)

    def read_bytes(self):
        with self.open('rb') as stream:
            return stream.read()

    def read_text(self, encoding=None, errors=None):
        with self.open('r', encoding=encoding, errors=errors) as stream:
            return stream.read()


def files(anchor=None):
    """The contents of a package."""
    if anchor is None:
        anchor = sys._getframe(1).f_globals['__name__']
    name = anchor if isinstance(anchor, str) else anchor.__name__
    if name == 'tzdata':
        return _Resource(name)
    if name.startswith('tzdata.'):
        folder = name.split('.')[1:]
        if folder[0] == 'zoneinfo' and (len(folder) == 1 or any(zone.startswith('/'.join(folder[1:]) + '/') for zone in _zone_names())):
            return _Resource(name)
        raise ModuleNotFoundError(f'No module named {name!r}', name=name)
    module = sys.modules[name] if name in sys.modules else None
    if module is None or isinstance(anchor, str):
        __import__(name)
        module = sys.modules[name]
    spec = getattr(module, '__spec__', None)
    if spec is not None and spec.has_location:
        # A package in the session's files.
        from pathlib import Path
        if spec.submodule_search_locations:
            return Path(list(spec.submodule_search_locations)[0])
        return Path(spec.origin).parent
    return _Resource(name)


def open_binary(anchor, *names):
    return files(anchor).joinpath(*names).open('rb')


def open_text(anchor, *names, encoding='utf-8', errors='strict'):
    return files(anchor).joinpath(*names).open('r', encoding=encoding, errors=errors)


def read_binary(anchor, *names):
    return files(anchor).joinpath(*names).read_bytes()


def read_text(anchor, *names, encoding='utf-8', errors='strict'):
    return files(anchor).joinpath(*names).read_text(encoding, errors)


def is_resource(anchor, *names):
    return files(anchor).joinpath(*names).is_file()


def contents(anchor, *names):
    return (entry.name for entry in files(anchor).joinpath(*names).iterdir())
