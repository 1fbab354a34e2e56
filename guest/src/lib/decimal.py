"""Decimal fixed-point and floating-point arithmetic: the General Decimal Arithmetic Specification by Mike Cowlishaw, and IEEE 754.

Numbers and contexts are native; logarithms and exponentials are computed by the library's `_pydecimal`.
"""

import numbers as _numbers
from collections import namedtuple as _namedtuple
from collections.abc import MutableMapping as _MutableMapping

import _contextvars
import _decimal_core
import _pydecimal
from _decimal_core import (Context, Decimal, getcontext, setcontext, DefaultContext, BasicContext, ExtendedContext,
                           MAX_PREC, MAX_EMAX, MIN_EMIN, MIN_ETINY, ROUND_DOWN, ROUND_HALF_UP, ROUND_HALF_EVEN,
                           ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_HALF_DOWN, ROUND_05UP)

__version__ = '1.70'
__libmpdec_version__ = '2.5.1'

HAVE_THREADS = True
HAVE_CONTEXTVAR = True

DecimalTuple = _namedtuple('DecimalTuple', 'sign digits exponent', module='decimal')


class DecimalException(ArithmeticError):
    pass


class Clamped(DecimalException):
    pass


class Rounded(DecimalException):
    pass


class Inexact(DecimalException):
    pass


class Subnormal(DecimalException):
    pass


class InvalidOperation(DecimalException):
    pass


class ConversionSyntax(InvalidOperation):
    pass


class DivisionImpossible(InvalidOperation):
    pass


class DivisionUndefined(InvalidOperation, ZeroDivisionError):
    pass


class InvalidContext(InvalidOperation):
    pass


class DivisionByZero(DecimalException, ZeroDivisionError):
    pass


class FloatOperation(DecimalException, TypeError):
    pass


class Overflow(Inexact, Rounded):
    pass


class Underflow(Inexact, Rounded, Subnormal):
    pass


class _SignalDict(_decimal_core.SignalDictMixin, _MutableMapping):
    __slots__ = ()
    copy = _decimal_core.SignalDictMixin.copy


_SignalDict.__name__ = _SignalDict.__qualname__ = 'SignalDict'


class ContextManager:
    """Sets a copy of a context for the time of a with statement."""

    __slots__ = ('_inner', '_outer')

    def __init__(self, context):
        self._inner, self._outer = context, getcontext()

    def __enter__(self):
        setcontext(self._inner)
        return self._inner

    def __exit__(self, *exception):
        setcontext(self._outer)


_manager = ContextManager
del ContextManager


def localcontext(ctx=None, *, prec=None, rounding=None, Emin=None, Emax=None, capitals=None, clamp=None, flags=None,
                 traps=None):
    """Return a context manager that will set the default context to a copy of ctx on entry to the with-statement and restore the
    previous default context when exiting the with-statement. If no context is supplied, a copy of the current default context is used.
    """
    if ctx is None:
        ctx = getcontext()
    elif not isinstance(ctx, Context):
        raise TypeError('optional argument must be a context')
    inner = ctx.copy()
    if prec is not None:
        inner.prec = prec
    if rounding is not None:
        inner.rounding = rounding
    if Emin is not None:
        inner.Emin = Emin
    if Emax is not None:
        inner.Emax = Emax
    if capitals is not None:
        inner.capitals = capitals
    if clamp is not None:
        inner.clamp = clamp
    for name, signals in ('flags', flags), ('traps', traps):
        if signals is not None:
            if isinstance(signals, list):
                signals = getattr(Context(**{name: signals}), name)
            setattr(inner, name, signals)
    return _manager(inner)


IEEE_CONTEXT_MAX_BITS = 512


def IEEEContext(bits, /):
    """Return a context object initialized to the proper values for one of the IEEE interchange formats.

    The argument must be a multiple of 32 and less than IEEE_CONTEXT_MAX_BITS.
    """
    if not isinstance(bits, int):
        raise TypeError(f"'{type(bits).__name__}' object cannot be interpreted as an integer")
    if bits <= 0 or bits > IEEE_CONTEXT_MAX_BITS or bits % 32:
        raise ValueError(f'argument must be a multiple of 32, with a maximum of {IEEE_CONTEXT_MAX_BITS}')
    context = Context()
    context.prec = 9 * (bits // 32) - 2
    context.Emax = 3 * (1 << (bits // 16 + 3))
    context.Emin = 1 - context.Emax
    context.rounding = ROUND_HALF_EVEN
    context.clamp = 1
    context.clear_traps()
    return context


def _pure(settings):
    prec, rounding, Emin, Emax, capitals, clamp = settings
    return _pydecimal.Context(prec, rounding, Emin, Emax, capitals, clamp, [], [])


def _rare(name, settings, operands):
    context = _pure(settings)
    first, *others = [_pydecimal._dec_from_triple(*parts) for parts in operands]
    result = getattr(first, name)(*others, context=context)
    return result._sign, result._int, result._exp, tuple([s.__name__ for s, on in context.flags.items() if on])


def _rare_format(settings, parts, specifier, override):
    context = _pure(settings)
    number = _pydecimal._dec_from_triple(*parts)
    found = _pydecimal._parse_format_specifier_regex.match(specifier)
    if found and any(int(found[field] or 0) > MAX_PREC for field in ('minimumwidth', 'precision')):
        raise ValueError('format specification exceeds internal limits of _decimal')
    try:
        return number.__format__(specifier, context=context, _localeconv=override)
    except ValueError:
        raise ValueError('invalid format string') from None


_widest = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])


def _comparable(number, other):
    if not isinstance(other, _numbers.Rational):
        return NotImplemented
    numerator, denominator = Decimal(int(other.numerator)), Decimal(int(other.denominator))
    if not number.is_finite():
        return number, numerator
    return _widest.multiply(number, denominator), numerator


_decimal_core.register(
    (InvalidOperation, FloatOperation, DivisionByZero, Overflow, Underflow, Subnormal, Inexact, Rounded, Clamped),
    (InvalidOperation, ConversionSyntax, DivisionImpossible, DivisionUndefined, InvalidContext),
    _SignalDict, DecimalTuple, _rare, _rare_format, _comparable)

_numbers.Number.register(Decimal)
