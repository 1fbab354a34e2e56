"""The library's modules, which are in the machine and not in files, as a finder and a loader describe them."""

import sys

from _os_core import library_names, library_source
from . import _bootstrap, _bootstrap_external

_ROOT = '/lib/python3.14/'


def _place(name, is_package):
    path = _ROOT + name.replace('.', '/')
    return path + '/__init__.py' if is_package else path + '.py'


class LibraryLoader(_bootstrap_external.SourceFileLoader):
    """Loads a module of the library; its text comes from the machine."""

    def get_data(self, path):
        if path == self.path:
            found = library_source(self.name)
            if found is not None:
                return found[0].encode()
        return super().get_data(path)

    def path_stats(self, path):
        raise OSError(f'{path} is not a file')

    def set_data(self, path, data, *, _mode=0o666):
        """Compiled code is not kept."""


class LibraryImporter:
    """Finds the modules of the library."""

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        found = library_source(fullname)
        if found is None:
            return None
        place = _place(fullname, found[1])
        loader = LibraryLoader(fullname, place)
        spec = _bootstrap.ModuleSpec(fullname, loader, origin=place, is_package=found[1])
        spec.has_location = True
        if found[1]:
            spec.submodule_search_locations.append(place.rpartition('/')[0])
        return spec

    @classmethod
    def describe_loaded(cls):
        """Gives the modules that were imported before their specifications."""
        for name, module in list(sys.modules.items()):
            if isinstance(module, type(sys)) and getattr(module, '__spec__', None) is None and name != '__main__':
                describe(name, module)


def describe(name, module):
    """Gives a module that the machine makes its specification; the machine calls this."""
    spec = LibraryImporter.find_spec(name) or _bootstrap.BuiltinImporter.find_spec(name)
    if spec is not None:
        module.__spec__ = spec
        module.__loader__ = spec.loader


class LibraryPath:
    """The modules in one folder of the library, for those who ask what there is."""

    def __init__(self, path):
        if path + '/' != _ROOT and not path.startswith(_ROOT):
            raise ImportError('not a folder of the library', path=path)
        self.path = path
        self._prefix = path[len(_ROOT):].replace('/', '.') + '.' if len(path) >= len(_ROOT) else ''

    def find_spec(self, fullname, target=None):
        return LibraryImporter.find_spec(fullname)

    def iter_modules(self, prefix=''):
        """Name and whether it is a package, for every module in the folder."""
        for name in library_names():
            last = name[len(self._prefix):]
            if name.startswith(self._prefix) and '.' not in last:
                yield prefix + last, library_source(name)[1]


_OWN = '/lib/python3.14/importlib/'


def find_elsewhere(name, path):
    """The module `name` of a finder that the program brought or of a file, as a pair with the error that loading it ended with.

    The machine calls this for names that it does not know itself.
    """
    try:
        for finder in list(sys.meta_path):
            if finder is LibraryImporter or finder is _bootstrap.BuiltinImporter or not hasattr(finder, 'find_spec'):
                continue
            spec = finder.find_spec(name, path, None)
            if spec is not None:
                return _bootstrap._load_unlocked(spec), None
    except BaseException as error:
        # Where the machinery was is of no interest to those who read the traceback.
        step = error.__traceback__
        while step is not None and step.tb_frame.f_code.co_filename.startswith(_OWN):
            step = step.tb_next
        return None, error.with_traceback(step)
    return None, None
