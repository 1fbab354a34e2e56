# Decimal arithmetic in contexts of all kinds.
import zlib

STATE = 20251


def draw(n):
    """The next of a sequence that is the same everywhere (Knuth, MMIX): an integer below n."""
    global STATE
    STATE = (STATE * 6364136223846793005 + 1442695040888963407) & 0xFFFF_FFFF_FFFF_FFFF
    return (STATE >> 33) % n if n <= 1 << 31 else draw(1 << 31) << 31 | draw(1 << 31)


def checksums(make, count, block=500):
    """One line for each block of inputs: the check sum of what they give."""
    total = 0
    for i in range(1, count + 1):
        total = zlib.crc32(ascii(make()).encode(), total)
        if i % block == 0:
            print(make.__name__, i, total)
            total = 0


import decimal
from decimal import Decimal

ROUNDINGS = [decimal.ROUND_UP, decimal.ROUND_DOWN, decimal.ROUND_CEILING, decimal.ROUND_FLOOR, decimal.ROUND_HALF_UP, decimal.ROUND_HALF_DOWN,
             decimal.ROUND_HALF_EVEN, decimal.ROUND_05UP]


def number():
    k = draw(12)
    if k == 0:
        return Decimal(['NaN', '-Infinity', 'Infinity', '0', '-0E+5', 'sNaN123'][draw(6)])
    return Decimal((draw(2), tuple(draw(10) for _ in range(draw(12) + 1)), draw(30) - 15))


def outcome(f, *args):
    try:
        return str(f(*args))
    except (decimal.DecimalException, ValueError, OverflowError, TypeError) as e:
        return type(e).__name__


def arithmetic():
    context = decimal.Context(prec=draw(12) + 1, rounding=ROUNDINGS[draw(8)], Emin=-20, Emax=20, capitals=draw(2), clamp=draw(2))
    traps = context.traps = dict.fromkeys(context.traps, False) if draw(2) else dict(context.traps)
    a, b = number(), number()
    names = ['add', 'subtract', 'multiply', 'divide', 'divide_int', 'remainder', 'remainder_near', 'quantize', 'compare', 'max', 'min', 'next_toward', 'scaleb', 'shift', 'rotate',
             'compare_total', 'same_quantum']
    unary = ['plus', 'minus', 'abs', 'sqrt', 'normalize', 'to_integral_exact', 'logb', 'next_plus', 'next_minus', 'number_class', 'to_eng_string', 'to_sci_string', 'logical_invert']
    with decimal.localcontext(context) as c:
        name, one = names[draw(17)], unary[draw(13)]
        made = name, a, b, outcome(getattr(c, name), a, b), one, outcome(getattr(c, one), a)
        # Which flags go with an error that is raised differs between CPython's two implementations.
        if any(traps.values()):
            return made
        return made, sorted(f.__name__ for f, on in c.flags.items() if on)


def formats():
    a = number()
    spec = ['', '<', '^', '>'][draw(4)] + ['', '+', ' '][draw(3)] + ['', '0'][draw(2)] + ['', str(draw(20) + 1)][draw(2)] + ['', ','][draw(2)] + ['', f'.{draw(10)}'][draw(2)] + ['', *'eEfFgG%'][draw(8)]
    return a, spec, outcome(format, a, spec), outcome(int, a), outcome(float, a), outcome(hash, a) if not a.is_nan() else 0, outcome(round, a, draw(5)), a.as_tuple(), outcome(a.as_integer_ratio)


checksums(arithmetic, 6000)
checksums(formats, 4000)
