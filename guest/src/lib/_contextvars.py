"""Context variables (PEP 567)."""

from _collections_abc import Mapping as _Mapping
from types import GenericAlias as _GenericAlias

_NOTHING = object()


class _Missing:
    __slots__ = ()

    def __repr__(self):
        return '<Token.MISSING>'


class Token:
    __slots__ = ('_context', '_variable', '_old', '_used')
    MISSING = _Missing()

    def __new__(cls, *args, **kwargs):
        raise RuntimeError('Tokens can only be created by ContextVars')

    @property
    def var(self):
        return self._variable

    @property
    def old_value(self):
        return Token.MISSING if self._old is _NOTHING else self._old

    def __repr__(self):
        used = ' used' if self._used else ''
        return f'<Token{used} var={self._variable!r} at {id(self):#x}>'

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._variable.reset(self)

    __class_getitem__ = classmethod(_GenericAlias)
    __hash__ = object.__hash__


class ContextVar:
    __slots__ = ('_name', '_default', '__weakref__')

    def __init__(self, name, *, default=_NOTHING):
        if not isinstance(name, str):
            raise TypeError('context variable name must be a str')
        self._name = name
        self._default = default

    @property
    def name(self):
        return self._name

    def get(self, default=_NOTHING, /):
        values = _stack[-1]._values
        if self in values:
            return values[self]
        if default is not _NOTHING:
            return default
        if self._default is not _NOTHING:
            return self._default
        raise LookupError(self)

    def set(self, value, /):
        context = _stack[-1]
        token = object.__new__(Token)
        token._context = context
        token._variable = self
        token._old = context._values.get(self, _NOTHING)
        token._used = False
        context._values[self] = value
        return token

    def reset(self, token, /):
        if not isinstance(token, Token):
            raise TypeError(f'expected an instance of Token, got {token!r}')
        if token._used:
            raise RuntimeError(f'{token!r} has already been used once')
        if token._variable is not self:
            raise ValueError(f'{token!r} was created by a different ContextVar')
        context = _stack[-1]
        if token._context is not context:
            raise ValueError(f'{token!r} was created in a different Context')
        token._used = True
        if token._old is _NOTHING:
            context._values.pop(self, None)
        else:
            context._values[self] = token._old

    def __repr__(self):
        default = '' if self._default is _NOTHING else f' default={self._default!r}'
        return f'<ContextVar name={self._name!r}{default} at {id(self):#x}>'

    __class_getitem__ = classmethod(_GenericAlias)


class Context(_Mapping):
    __slots__ = ('_values', '_entered', '__weakref__')

    def __init__(self):
        self._values = {}
        self._entered = False

    def run(self, callable, /, *args, **kwargs):
        if self._entered:
            raise RuntimeError(f'cannot enter context: {self!r} is already entered')
        self._entered = True
        _stack.append(self)
        try:
            return callable(*args, **kwargs)
        finally:
            _stack.pop()
            self._entered = False

    def copy(self):
        new = Context()
        new._values = self._values.copy()
        return new

    def __getitem__(self, variable):
        if not isinstance(variable, ContextVar):
            raise TypeError(f'a ContextVar key was expected, got {variable!r}')
        return self._values[variable]

    def __contains__(self, variable):
        if not isinstance(variable, ContextVar):
            raise TypeError(f'a ContextVar key was expected, got {variable!r}')
        return variable in self._values

    def get(self, variable, default=None, /):
        if not isinstance(variable, ContextVar):
            raise TypeError(f'a ContextVar key was expected, got {variable!r}')
        return self._values.get(variable, default)

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __eq__(self, other):
        if not isinstance(other, Context):
            return NotImplemented
        return self._values == other._values

    __hash__ = None

    def __repr__(self):
        return f'<_contextvars.Context object at {id(self):#x}>'


for _class in (Token, ContextVar, Context):
    _class.__module__ = '_contextvars'
del _class

_stack = [Context()]


def copy_context():
    return _stack[-1].copy()
