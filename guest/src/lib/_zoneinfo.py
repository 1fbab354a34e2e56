"""`zoneinfo.ZoneInfo` as `zoneinfo` publishes it: the library's own class, which names itself as the class written in C does.

What was found last is remembered, since looking for it takes some calls: the transitions of a rule in a year, and where and how long an offset holds.
"""

import bisect
import functools
from datetime import datetime
from zoneinfo._zoneinfo import (
    _NO_TTINFO,
    _post_epoch_days_before_year,
    _TZStr,
    EPOCHORDINAL,
    ZoneInfo,
)

__all__ = ['ZoneInfo']


def __repr__(self):
    name = 'zoneinfo.ZoneInfo' if type(self) is ZoneInfo else type(self).__name__
    if self._key is not None:
        return f'{name}(key={self._key!r})'
    return f'{name}.from_file({self._file_repr})'


def _around(ts, year, marks):
    """The part of a year between marks in which a timestamp lies."""
    low = (_post_epoch_days_before_year(year) + 1) * 86400
    high = (_post_epoch_days_before_year(year + 1) + 1) * 86400
    for mark in marks:
        if low < mark <= ts:
            low = mark
        elif ts < mark < high:
            high = mark
    return low, high


def _find_trans(self, dt):
    if dt is None:
        return self._tz_after if self._fixed_offset else _NO_TTINFO
    fold = dt.fold
    ts = (dt.toordinal() - EPOCHORDINAL) * 86400 + dt.hour * 3600 + dt.minute * 60 + dt.second
    low, high, of_fold, found = self._found_local
    if low <= ts < high and fold == of_fold:
        return found
    lt = self._trans_local[fold]
    if lt and ts < lt[0]:
        return self._tti_before
    if lt and ts <= lt[-1]:
        at = bisect.bisect_right(lt, ts)
        found = self._ttinfos[at - 1]
        low, high = lt[at - 1], lt[at] if at < len(lt) else ts + 1
    elif isinstance(self._tz_after, _TZStr):
        rule = self._tz_after
        year = dt.year
        found = rule.get_trans_info(ts, year, fold)
        start, end = rule.transitions(year)
        if fold == (rule.dst_diff >= 0):
            end -= rule.dst_diff
        else:
            start += rule.dst_diff
        low, high = _around(ts, year, (start, end, lt[-1] + 1 if lt else start))
    else:
        return self._tz_after
    self._found_local = low, high, fold, found
    return found


_library_fromutc = ZoneInfo.fromutc


def fromutc(self, dt):
    """Convert from datetime in UTC to datetime in local time"""

    if not isinstance(dt, datetime) or dt.tzinfo is not self:
        return _library_fromutc(self, dt)
    ts = (dt.toordinal() - EPOCHORDINAL) * 86400 + dt.hour * 3600 + dt.minute * 60 + dt.second
    low, high, offset, fold = self._found_utc
    if low <= ts < high:
        dt += offset
        return dt.replace(fold=1) if fold else dt
    found = _library_fromutc(self, dt)
    trans = self._trans_utc
    if (not trans or ts > trans[-1]) and isinstance(self._tz_after, _TZStr):
        rule = self._tz_after
        start, end = rule.transitions(dt.year)
        start -= int(rule.std.utcoff.total_seconds())
        end -= int(rule.dst.utcoff.total_seconds())
        marks = (start, end, start - rule.dst_diff, end + rule.dst_diff, trans[-1] + 1 if trans else start)
        low, high = _around(ts, dt.year, marks)
    elif len(trans) > 1 and trans[1] <= ts < trans[-1]:
        at = bisect.bisect_right(trans, ts)
        low, high = trans[at - 1], trans[at]
        # How long what was before comes again.
        again = low + int((self._ttinfos[at - 2].utcoff - self._ttinfos[at - 1].utcoff).total_seconds())
        if again <= ts:
            low = max(low, again)
        else:
            high = min(high, again)
    else:
        return found
    self._found_utc = low, high, found.replace(tzinfo=None) - dt.replace(tzinfo=None), found.fold
    return found


for _method in __repr__, _find_trans, fromutc:
    _method.__qualname__ = 'ZoneInfo.' + _method.__name__
    setattr(ZoneInfo, _method.__name__, _method)
# Nothing is between two numbers that are the same.
ZoneInfo._found_local = 0, 0, 0, None
ZoneInfo._found_utc = 0, 0, None, 0
_TZStr.transitions = functools.lru_cache(256)(_TZStr.transitions)
del __repr__, _find_trans, fromutc, _method
