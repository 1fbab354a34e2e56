"""Abstract classes of importers; nothing implements them here."""

import abc


class Loader(metaclass=abc.ABCMeta):
    def load_module(self, fullname):
        raise ImportError


class MetaPathFinder(metaclass=abc.ABCMeta):
    def invalidate_caches(self):
        pass


class PathEntryFinder(metaclass=abc.ABCMeta):
    def invalidate_caches(self):
        pass
