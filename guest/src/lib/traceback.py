"""Texts of exceptions and of the calls that led to them."""

import sys
from _traceback_core import format as _format, format_entry as _format_entry, format_only as _format_only

__all__ = ['extract_stack', 'extract_tb', 'format_exception', 'format_exception_only', 'format_list', 'format_stack', 'format_tb', 'print_exc',
           'format_exc', 'print_exception', 'print_last', 'print_stack', 'print_tb', 'clear_frames', 'FrameSummary', 'StackSummary',
           'TracebackException', 'walk_stack', 'walk_tb', 'print_list']

_CAUSE = '\nThe above exception was the direct cause of the following exception:\n\n'
_CONTEXT = '\nDuring handling of the above exception, another exception occurred:\n\n'
_RECURSIVE_CUTOFF = 3


class _Sentinel:
    def __repr__(self):
        return '<implicit>'


_sentinel = _Sentinel()


def _out(file):
    return sys.stderr if file is None else file


class FrameSummary:
    """One call: where it is in the source."""

    __slots__ = ('filename', 'lineno', 'end_lineno', 'colno', 'end_colno', 'name', '_lines', 'locals', '_text')

    def __init__(self, filename, lineno, name, *, lookup_line=True, locals=None, line=None, end_lineno=None, colno=None, end_colno=None, **kwargs):
        self.filename = filename
        self.lineno = lineno
        self.end_lineno = lineno if end_lineno is None else end_lineno
        self.colno = colno
        self.end_colno = end_colno
        self.name = name
        self._lines = line
        self.locals = None if locals is None else {k: _safe_repr(v) for k, v in locals.items()}
        self._text = None
        if lookup_line:
            self.line

    @property
    def line(self):
        if self._lines is None:
            if self.lineno is None:
                return None
            import linecache
            self._lines = linecache.getline(self.filename, self.lineno)
        return self._lines.strip()

    def __eq__(self, other):
        if isinstance(other, FrameSummary):
            return (self.filename, self.lineno, self.name, self.locals) == (other.filename, other.lineno, other.name, other.locals)
        if isinstance(other, tuple):
            return (self.filename, self.lineno, self.name, self.line) == other
        return NotImplemented

    def __getitem__(self, pos):
        return (self.filename, self.lineno, self.name, self.line)[pos]

    def __iter__(self):
        return iter([self.filename, self.lineno, self.name, self.line])

    def __repr__(self):
        return f'<FrameSummary file {self.filename}, line {self.lineno} in {self.name}>'

    def __len__(self):
        return 4


def _safe_repr(value):
    try:
        return repr(value)
    except Exception:
        return '<local repr() failed>'


def _summary(where, frame, lineno, lookup_lines=True, capture_locals=False):
    code = frame.f_code
    text = _format_entry(where)
    lines = text.split('\n')
    if where is frame:
        # A frame knows its line, not the place in it.
        text = '\n'.join(lines[:2]) + ('\n' if len(lines) > 2 else '')
    summary = FrameSummary(code.co_filename, lineno, code.co_name, lookup_line=False, locals=frame.f_locals if capture_locals else None,
                           line=lines[1] if len(lines) > 1 else '')
    summary._text = text
    return summary


class StackSummary(list):
    """Calls, the oldest first."""

    @classmethod
    def extract(klass, frame_gen, *, limit=None, lookup_lines=True, capture_locals=False):
        if limit is None:
            limit = getattr(sys, 'tracebacklimit', None)
            if limit is not None and limit < 0:
                limit = 0
        pairs = list(frame_gen)
        if limit is not None:
            pairs = pairs[:limit] if limit >= 0 else pairs[limit:]
        result = klass()
        for frame, lineno in pairs:
            code = frame.f_code
            summary = FrameSummary(code.co_filename, lineno, code.co_name, lookup_line=False, locals=frame.f_locals if capture_locals else None, line='')
            text = _format_entry(frame)
            head = f'  File "{code.co_filename}", line {lineno}, '
            if text.startswith(head):
                lines = text.split('\n')
                summary._lines = lines[1] if len(lines) > 1 else ''
                summary._text = '\n'.join(lines[:2]) + ('\n' if len(lines) > 2 else '')
            result.append(summary)
        return result

    @classmethod
    def from_list(klass, a_list):
        result = StackSummary()
        for frame in a_list:
            if isinstance(frame, FrameSummary):
                result.append(frame)
            else:
                filename, lineno, name, line = frame
                result.append(FrameSummary(filename, lineno, name, line=line))
        return result

    def format_frame_summary(self, frame_summary, **kwargs):
        s = frame_summary
        if s._text is not None:
            text = s._text
        else:
            text = f'  File "{s.filename}", line {s.lineno}, in {s.name}\n'
            if s.line:
                text += f'    {s.line}\n'
        if s.locals:
            text += ''.join(f'    {name} = {value}\n' for name, value in sorted(s.locals.items()))
        return text

    def format(self, **kwargs):
        result = []
        last = None
        count = 0
        for s in self:
            text = self.format_frame_summary(s)
            if text is None:
                continue
            key = (s.filename, s.lineno, s.name)
            if key == last:
                count += 1
                if count > _RECURSIVE_CUTOFF:
                    continue
            else:
                if count > _RECURSIVE_CUTOFF:
                    result.append(_repeated(count - _RECURSIVE_CUTOFF))
                last = key
                count = 1
            result.append(text)
        if count > _RECURSIVE_CUTOFF:
            result.append(_repeated(count - _RECURSIVE_CUTOFF))
        return result


def _repeated(count):
    return f'  [Previous line repeated {count} more time{"s" if count > 1 else ""}]\n'


def walk_stack(f):
    if f is None:
        f = sys._getframe(1)
    while f is not None:
        yield f, f.f_lineno
        f = f.f_back


def walk_tb(tb):
    while tb is not None:
        yield tb.tb_frame, tb.tb_lineno
        tb = tb.tb_next


def extract_tb(tb, limit=None):
    if limit is None:
        limit = getattr(sys, 'tracebacklimit', None)
    steps = []
    while tb is not None:
        steps.append(tb)
        tb = tb.tb_next
    if limit is not None:
        steps = steps[:limit] if limit >= 0 else steps[limit:]
    return StackSummary(_summary(t, t.tb_frame, t.tb_lineno) for t in steps)


def extract_stack(f=None, limit=None):
    if f is None:
        f = sys._getframe(1)
    frames = []
    while f is not None:
        frames.append(f)
        f = f.f_back
    if limit is not None:
        frames = frames[:limit] if limit >= 0 else frames[limit:]
    frames.reverse()
    return StackSummary(_summary(frame, frame, frame.f_lineno) for frame in frames)


def format_list(extracted_list):
    return StackSummary.from_list(extracted_list).format()


def print_list(extracted_list, file=None):
    for item in format_list(extracted_list):
        print(item, file=_out(file), end='')


def format_tb(tb, limit=None):
    return extract_tb(tb, limit=limit).format()


def print_tb(tb, limit=None, file=None):
    print_list(extract_tb(tb, limit=limit), file=file)


def format_stack(f=None, limit=None):
    if f is None:
        f = sys._getframe(1)
    return format_list(extract_stack(f, limit=limit))


def print_stack(f=None, limit=None, file=None):
    if f is None:
        f = sys._getframe(1)
    print_list(extract_stack(f, limit=limit), file=file)


def _parsed(exc, value):
    if (value is _sentinel) and (exc is not _sentinel):
        if isinstance(exc, BaseException) or exc is None:
            return exc
        raise TypeError(f'Exception expected for value, {type(exc).__name__} found')
    return value


class TracebackException:
    """An exception, ready to be shown."""

    def __init__(self, exc_type, exc_value, exc_traceback, *, limit=None, lookup_lines=True, capture_locals=False, compact=False, max_group_width=15,
                 max_group_depth=10, save_exc_type=True, _seen=None):
        seen = set() if _seen is None else _seen
        seen.add(id(exc_value))
        self.exc_type = exc_type
        self.exc_type_str = exc_type.__qualname__ if exc_type is not None else None
        self.max_group_width = max_group_width
        self.max_group_depth = max_group_depth
        self.stack = extract_tb(exc_traceback, limit=limit)
        if capture_locals:
            for summary, (frame, _) in zip(self.stack, walk_tb(exc_traceback)):
                summary.locals = {k: _safe_repr(v) for k, v in frame.f_locals.items()}
        try:
            self._str = str(exc_value)
        except Exception:
            self._str = '<exception str() failed>'
        self.__notes__ = getattr(exc_value, '__notes__', None)
        self._only = _format_only(exc_value) if isinstance(exc_value, BaseException) else f'{exc_value}\n'
        for name in ('filename', 'lineno', 'end_lineno', 'text', 'offset', 'end_offset', 'msg'):
            if isinstance(exc_value, SyntaxError):
                setattr(self, name, getattr(exc_value, name, None))

        def related(other):
            if other is None or id(other) in seen:
                return None
            return TracebackException(type(other), other, other.__traceback__, limit=limit, capture_locals=capture_locals, max_group_width=max_group_width,
                                      max_group_depth=max_group_depth, _seen=seen)

        self.__suppress_context__ = getattr(exc_value, '__suppress_context__', False)
        self.__cause__ = related(getattr(exc_value, '__cause__', None))
        self.__context__ = related(getattr(exc_value, '__context__', None)) if self.__cause__ is None or not compact else None
        self.exceptions = None
        if isinstance(exc_value, BaseExceptionGroup):
            self.exceptions = [related(e) for e in exc_value.exceptions]
        self._has_traceback = exc_traceback is not None
        self._whole = None
        if limit is None and not capture_locals and isinstance(exc_value, BaseException) and exc_traceback is exc_value.__traceback__:
            self._whole = _format(exc_value)

    @classmethod
    def from_exception(cls, exc, *args, **kwargs):
        return cls(type(exc), exc, exc.__traceback__, *args, **kwargs)

    def __eq__(self, other):
        if isinstance(other, TracebackException):
            return self.__dict__ == other.__dict__
        return NotImplemented

    __hash__ = None

    def __str__(self):
        return self._str

    def format_exception_only(self, *, show_group=False, **kwargs):
        yield from self._only.splitlines(keepends=True)

    def _own(self):
        if self._has_traceback:
            yield 'Traceback (most recent call last):\n'
            yield from self.stack.format()
        yield from self.format_exception_only()

    def format(self, *, chain=True, **kwargs):
        if chain and self._whole is not None and self.exceptions is not None:
            yield self._whole
            return
        if chain:
            if self.__cause__ is not None:
                yield from self.__cause__.format(chain=chain)
                yield _CAUSE
            elif self.__context__ is not None and not self.__suppress_context__:
                yield from self.__context__.format(chain=chain)
                yield _CONTEXT
        if self.exceptions is not None and self._whole is not None:
            yield self._whole
            return
        yield from self._own()

    def print(self, *, file=None, chain=True, **kwargs):
        for line in self.format(chain=chain):
            print(line, file=_out(file), end='')


def _given(exc, value, tb):
    if value is _sentinel and tb is _sentinel:
        value = _parsed(exc, value)
        return type(value) if value is not None else None, value, getattr(value, '__traceback__', None)
    if (value is _sentinel) != (tb is _sentinel):
        raise ValueError('Both or neither of value and tb must be given')
    return type(value) if value is not None else None, value, tb


def format_exception(exc, /, value=_sentinel, tb=_sentinel, limit=None, chain=True, **kwargs):
    kind, value, tb = _given(exc, value, tb)
    if value is None:
        return ['NoneType: None\n']
    return list(TracebackException(kind, value, tb, limit=limit, compact=True).format(chain=chain))


def print_exception(exc, /, value=_sentinel, tb=_sentinel, limit=None, file=None, chain=True, **kwargs):
    print(''.join(format_exception(exc, value, tb, limit, chain)), file=_out(file), end='')


def format_exception_only(exc, /, value=_sentinel, *, show_group=False, **kwargs):
    if value is _sentinel:
        value = _parsed(exc, value)
    if value is None:
        return ['NoneType: None\n']
    return list(TracebackException(type(value), value, None, compact=True).format_exception_only(show_group=show_group))


def format_exc(limit=None, chain=True):
    return ''.join(format_exception(sys.exception(), limit=limit, chain=chain))


def print_exc(limit=None, file=None, chain=True):
    print_exception(sys.exception(), limit=limit, file=file, chain=chain)


def print_last(limit=None, file=None, chain=True):
    if not hasattr(sys, 'last_exc') and not hasattr(sys, 'last_type'):
        raise ValueError('no last exception')
    print_exception(sys.last_exc, limit=limit, file=file, chain=chain)


def clear_frames(tb):
    while tb is not None:
        try:
            tb.tb_frame.clear()
        except RuntimeError:
            pass
        tb = tb.tb_next
