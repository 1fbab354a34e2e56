"""Decimal arithmetic: the library's `_pydecimal`, with the error texts and the representations of CPython's C implementation."""

import sys
import _pydecimal as _decimal

_ROUNDING_NAMES = ('ROUND_CEILING', 'ROUND_FLOOR', 'ROUND_UP', 'ROUND_DOWN', 'ROUND_HALF_UP', 'ROUND_HALF_DOWN',
                   'ROUND_HALF_EVEN', 'ROUND_05UP')
_ROUNDING_TEXT = ('valid values for rounding are:\n'
                  '  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n'
                  '   ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n'
                  '   ROUND_05UP]')

# The order in which the C implementation lists signals.
_SIGNALS = (_decimal.Clamped, _decimal.InvalidOperation, _decimal.DivisionByZero, _decimal.Inexact, _decimal.FloatOperation,
            _decimal.Overflow, _decimal.Rounded, _decimal.Subnormal, _decimal.Underflow)


def _raise_error(self, condition, explanation=None, *args):
    error = _decimal._condition_map.get(condition, condition)
    if error in self._ignored_flags:
        return error().handle(self, *args)
    self.flags[error] = 1
    if not self.traps[error]:
        return condition().handle(self, *args)
    raise error([condition])


def _context_repr(self):
    flags = ', '.join(s.__name__ for s in _SIGNALS if self.flags[s])
    traps = ', '.join(s.__name__ for s in _SIGNALS if self.traps[s])
    return (f'Context(prec={self.prec}, rounding={self.rounding}, Emin={self.Emin}, Emax={self.Emax}, '
            f'capitals={self.capitals}, clamp={self.clamp}, flags=[{flags}], traps=[{traps}])')


def _convert_other(other, raiseit=False, allow_float=False):
    if isinstance(other, _decimal.Decimal):
        return other
    if isinstance(other, int):
        return _decimal.Decimal(other)
    if allow_float and isinstance(other, float):
        return _decimal.Decimal.from_float(other)
    if raiseit:
        raise TypeError(f'conversion from {type(other).__name__} to Decimal is not supported')
    return NotImplemented


_plain_new = _decimal.Decimal.__new__


def _new(cls, value='0', context=None):
    if context is not None and not isinstance(context, _decimal.Context):
        raise TypeError('optional argument must be a context')
    if not isinstance(value, (str, int, float, list, tuple, _decimal.Decimal, _decimal._WorkRep)):
        raise TypeError(f'conversion from {type(value).__name__} to Decimal is not supported')
    return _plain_new(cls, value, context)


_plain_fix = _decimal.Decimal._fix


def _fix(self, context):
    # Most results fit as they are.
    if type(self) is _decimal.Decimal and not self._is_special and not context.clamp:
        digits = len(self._int)
        precision = context.prec
        least = context.Emin
        top = self._exp + digits - 1
        if digits <= precision and least <= top <= context.Emax and self._int != '0':
            return self
    return _plain_fix(self, context)


_plain_format = _decimal.Decimal.__format__


def _format(self, specifier, override=None, /):
    if override is not None and not isinstance(override, dict):
        raise TypeError('optional argument must be a dict')
    if not isinstance(specifier, str):
        raise TypeError('format arg must be str')
    try:
        return _plain_format(self, specifier, _localeconv=override)
    except ValueError:
        raise ValueError('invalid format string') from None


_plain_setattr = _decimal.Context.__setattr__


_RANGES = {
    'prec': (1, _decimal.MAX_PREC, 'valid range for prec is [1, MAX_PREC]'),
    'Emin': (_decimal.MIN_EMIN, 0, 'valid range for Emin is [MIN_EMIN, 0]'),
    'Emax': (0, _decimal.MAX_EMAX, 'valid range for Emax is [0, MAX_EMAX]'),
    'capitals': (0, 1, 'valid values for capitals are 0 or 1'),
    'clamp': (0, 1, 'valid values for clamp are 0 or 1'),
}


def _setattr(self, name, value):
    if name == 'rounding':
        if not isinstance(value, str) or value not in _ROUNDING_NAMES:
            raise TypeError(_ROUNDING_TEXT)
    elif name in _RANGES:
        low, high, text = _RANGES[name]
        if not isinstance(value, int):
            raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
        if not low <= value <= high:
            raise ValueError(text)
    return _plain_setattr(self, name, value)


def _check_rounding(method):
    def checked(self, exp, rounding=None, context=None):
        if rounding is not None and rounding not in _ROUNDING_NAMES:
            raise TypeError(_ROUNDING_TEXT)
        return method(self, exp, rounding, context)
    checked.__name__, checked.__qualname__, checked.__doc__ = method.__name__, method.__qualname__, method.__doc__
    return checked


_plain_setcontext, _plain_localcontext = _decimal.setcontext, _decimal.localcontext


def setcontext(context, /):
    """Set this thread's context to context."""
    if not isinstance(context, _decimal.Context):
        raise TypeError('argument must be a context')
    return _plain_setcontext(context)


def localcontext(ctx=None, **kwargs):
    """Return a context manager for a copy of the supplied context."""
    if ctx is not None and not isinstance(ctx, _decimal.Context):
        raise TypeError('optional argument must be a context')
    return _plain_localcontext(ctx, **kwargs)


_decimal.setcontext, _decimal.localcontext = setcontext, localcontext
_decimal.Context._raise_error = _raise_error
_decimal.Context.__repr__ = _context_repr
_decimal.Context.__setattr__ = _setattr
_decimal._convert_other = _convert_other
_decimal.Decimal.__new__ = _new
_decimal.Decimal._fix = _fix
_decimal.Decimal.__format__ = _format
_decimal.Decimal.quantize = _check_rounding(_decimal.Decimal.quantize)

sys.modules[__name__] = _decimal
