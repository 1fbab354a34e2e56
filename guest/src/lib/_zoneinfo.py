"""`zoneinfo.ZoneInfo` as `zoneinfo` publishes it: the library's own class, which names itself as the class written in C does."""

from zoneinfo._zoneinfo import ZoneInfo

__all__ = ['ZoneInfo']


def __repr__(self):
    name = 'zoneinfo.ZoneInfo' if type(self) is ZoneInfo else type(self).__name__
    if self._key is not None:
        return f'{name}(key={self._key!r})'
    return f'{name}.from_file({self._file_repr})'


__repr__.__qualname__ = 'ZoneInfo.__repr__'
ZoneInfo.__repr__ = __repr__
del __repr__
