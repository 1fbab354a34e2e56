"""Operations of decimals in contexts of all kinds: results, flags and exceptions over random operands and over a grid of awkward ones."""
import operator
import random
import zlib
from decimal import *

SIGNALS = [InvalidOperation, FloatOperation, DivisionByZero, Overflow, Underflow, Subnormal, Inexact, Rounded, Clamped]
ROUNDINGS = [ROUND_UP, ROUND_DOWN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP]
BINARY = ('add subtract multiply divide divide_int remainder divmod remainder_near compare compare_signal compare_total compare_total_mag max '
          'max_mag min min_mag quantize scaleb rotate shift logical_and logical_or logical_xor next_toward copy_sign same_quantum power').split()
UNARY = ('abs minus plus logb logical_invert next_minus next_plus normalize sqrt to_integral_exact to_integral_value number_class is_normal '
         'is_subnormal is_zero is_signed to_sci_string to_eng_string create_decimal copy_abs copy_negate').split()
GRID = ['0', '-0', '0E+3', '-0E-9', '1', '-1', '1.0', '2', '-2', '5', '9', '10', '0.1', '-0.5', '1.5', '2.50', '-3', '11', '99', '100', '999', '1000',
        '9999', '9.995', '0.00001', '1E+3', '-1E-4', '1E+5', '9E-6', '12345', '-0.12345678', '1E-12', '1E+12', 'Inf', '-Inf', 'NaN', 'NaN1234567', '-NaN12',
        'sNaN', '-sNaN77']
rng = random.Random(2026)


def shown(r):
    if isinstance(r, tuple):
        return tuple(map(shown, r))
    return (str(r), r.as_tuple()[0]) if isinstance(r, Decimal) else r


def outcome(context, f, *args):
    context.clear_flags()
    try:
        r = shown(f(*args))
    except (DecimalException, ValueError, OverflowError, TypeError) as e:
        r = type(e).__name__, str(e)
    return r, [s.__name__ for s in SIGNALS if context.flags[s]]


def check(name, lines):
    total = 0
    for line in lines:
        total = zlib.crc32(ascii(line).encode(), total)
    print(name, total)


def contexts():
    for rounding in ROUNDINGS:
        for prec, emax, clamp in (1, 5, 0), (3, 4, 1), (5, 9, 0):
            yield Context(prec=prec, rounding=rounding, Emin=-emax, Emax=emax, clamp=clamp, traps=[])
    yield Context(prec=4, Emin=-6, Emax=6, traps=[InvalidOperation, DivisionByZero, Overflow])
    yield Context(prec=4, Emin=-6, Emax=6, traps=[Inexact, Subnormal, Clamped])
    yield Context(prec=4, Emin=-6, Emax=6, traps=[Rounded, Underflow])


def grid():
    numbers = [Decimal(n) for n in GRID]
    for i, c in enumerate(contexts()):
        check(f'unary {i}', ((name, a, outcome(c, getattr(c, name), a)) for name in UNARY for a in numbers))
        # Every context meets every pair, but not with every operation.
        check(f'binary {i}', ((name, a, b, outcome(c, getattr(c, name), a, b)) for j, a in enumerate(numbers) for k, b in enumerate(numbers)
                              for name in BINARY[(i + j + k) % 3::3] if name != 'power' or b.is_infinite() or b.is_finite() and b == int(b)))


def digits(n):
    k = rng.randrange(7)
    if k == 0:
        return '9' * n
    if k == 1:
        return '1' + '0' * (n - 1)
    if k == 2:
        return '5' + '0' * (n - 1)
    if k == 3:
        return ''.join(rng.choice('49') for _ in range(n)) + '5'
    return str(rng.randrange(10 ** n))


def number():
    k = rng.randrange(30)
    sign = rng.choice(['', '-'])
    if k == 0:
        return sign + rng.choice(['Inf', 'NaN', 'sNaN', 'NaN123', '0E%d' % rng.randint(-40, 40)])
    if k < 8:
        return sign + '%d.%02d' % (rng.randint(0, 99999), rng.randint(0, 99))
    n = rng.choice([1, 2, 3, 5, 9, 10, 16, 19, 20, 27, 28, 29, 30, 34, 37, 38, 39, 40, 57, 80, 200])
    return sign + digits(n) + 'E%d' % rng.choice([0, -1, -2, -n, -n + 1, -n // 2, rng.randint(-n - 5, 5), rng.randint(-60, 60), rng.randint(-1100, 1100)])


def sample(count):
    for _ in range(count):
        c = Context(prec=rng.choice([1, 3, 9, 16, 28, 28, 34, 38, 50, 100]), rounding=rng.choice(ROUNDINGS), Emin=-rng.choice([0, 1, 9, 96, 999, 999999]),
                    Emax=rng.choice([0, 1, 9, 96, 999, 999999]), clamp=rng.choice([0, 0, 1]), traps=[])
        setcontext(c)
        a, b, d = Decimal(number()), Decimal(number()), Decimal(number())
        name = rng.choice(BINARY[:-1])
        if name == 'quantize' and rng.randrange(2):
            b = Decimal((0, (1,), rng.randint(-10, 5)))
        yield name, a, b, outcome(c, getattr(c, name), a, b)
        name = rng.choice(UNARY)
        yield name, a, outcome(c, getattr(c, name), a)
        yield 'fma', a, b, d, outcome(c, c.fma, a, b, d)
        e = rng.choice([rng.randint(-20, 20), rng.randint(-1000, 1000), rng.randint(10 ** 5, 10 ** 6)])
        yield 'power', a, e, outcome(c, c.power, a, e)
        other = rng.choice([b, 0.5, -1.25, 1e300, rng.randint(-10 ** 20, 10 ** 20)])
        for f in operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge:
            yield f.__name__, a, other, outcome(c, f, a, other)
        if a.is_finite() and abs(a.adjusted()) < 400:
            yield a, outcome(c, float, a), outcome(c, hash, a), outcome(c, int, a), outcome(c, round, a, rng.randint(-5, 10)), outcome(c, a.as_integer_ratio)
            spec = rng.choice(['', '.2f', '.3e', 'g', '.5G', 'E', '%', '.1%', '10', '<20', '^20.3f', '+.2f', ' ', '010', '020,.2f', ',', '=+15.1e', '*^9', '.0f', '.1'])
            yield spec, outcome(c, format, a, spec)
        f = rng.choice([rng.random(), rng.random() * 10 ** rng.randint(-300, 300), 5e-324])
        yield f, outcome(c, Decimal, f), outcome(c, c.create_decimal, f), outcome(c, c.create_decimal, str(d))


grid()
for block in range(20):
    check(f'sample {block}', sample(100))
