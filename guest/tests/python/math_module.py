import math


def attempt(f):
    try:
        r = f()
        print(repr(r), type(r).__name__)
    except Exception as e:
        print(type(e).__name__, e)


for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "degrees", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "gamma", "lgamma", "log", "log10", "log1p", "log2", "radians", "sin", "sinh", "sqrt", "tan", "tanh", "ulp", "frexp", "modf", "isfinite", "isinf", "isnan"):
    f = getattr(math, name)
    row = []
    for x in (0.0, 0.5, 1, 1.5, True, math.inf, math.nan):
        try:
            row.append(f(x))
        except (ValueError, OverflowError) as e:
            row.append(type(e).__name__)
    print(name, row)
for name in ("atan2", "copysign", "fmod", "pow", "remainder", "nextafter", "hypot", "isclose"):
    f = getattr(math, name)
    row = []
    for x, y in ((0.0, -0.0), (1, 2), (-7.5, 2), (2.5, -2), (math.inf, 1), (1, math.inf), (3, 4)):
        try:
            row.append(f(x, y))
        except (ValueError, OverflowError) as e:
            row.append(type(e).__name__)
    print(name, row)
attempt(lambda: [round(math.cbrt(x), 12) for x in (0.0, 1.5, -27, 1e300, math.inf)])
attempt(lambda: [math.floor(x) for x in (1.5, -1.5, 3, True, 1e20)])
attempt(lambda: [math.ceil(x) for x in (1.5, -1.5, 3, True, 1e20)])
attempt(lambda: [math.trunc(x) for x in (1.5, -1.5, 3, True, 1e20)])
attempt(lambda: math.floor(math.inf))
attempt(lambda: math.ceil(math.nan))
attempt(lambda: math.floor("a"))
attempt(lambda: math.trunc("a"))


class Rounds:
    def __floor__(self):
        return "floor"

    def __ceil__(self):
        return "ceil"

    def __trunc__(self):
        return "trunc"


class HasIndex:
    def __index__(self):
        return 9


class HasFloat:
    def __float__(self):
        return 16.0


attempt(lambda: (math.floor(Rounds()), math.ceil(Rounds()), math.trunc(Rounds())))
attempt(lambda: (math.sqrt(HasFloat()), math.sqrt(HasIndex()), math.floor(HasFloat()), math.isqrt(HasIndex()), math.factorial(HasIndex()), math.gcd(HasIndex(), 6)))
attempt(lambda: [math.factorial(n) for n in (0, 1, 5, 20, 25)])
attempt(lambda: math.factorial(-1))
attempt(lambda: math.factorial(1.5))
attempt(lambda: math.factorial(10**30))
attempt(lambda: [math.comb(5, 2), math.comb(100, 50), math.comb(3, 5), math.comb(10**20, 2), math.perm(5), math.perm(5, 2), math.perm(10, 11), math.perm(10**20, 3), math.perm(5, None)])
attempt(lambda: math.comb(-1, 2))
attempt(lambda: math.comb(1, -2))
attempt(lambda: math.perm(1, -2))
attempt(lambda: math.comb(1.5, 2))
attempt(lambda: [math.gcd(), math.gcd(12), math.gcd(-12, 18), math.gcd(2**70, 6**50), math.gcd(0, 0), math.gcd(-5), math.lcm(), math.lcm(4, 6), math.lcm(0, 5), math.lcm(-3, 2**70)])
attempt(lambda: math.gcd(1.5, 2))
attempt(lambda: [math.isqrt(n) for n in (0, 15, 16, 10**40, 10**40 - 1)])
attempt(lambda: math.isqrt(-1))
attempt(lambda: [math.log(8, 2), math.log(10**400), math.log2(2**5000), math.log10(10**400), math.log(True), math.log(2**60), math.log(100, 10)])
attempt(lambda: math.log())
attempt(lambda: math.log(1, 2, 3))
attempt(lambda: math.log("a"))
attempt(lambda: [math.ldexp(0.5, 4), math.ldexp(1, -1074), math.ldexp(1, -10**30), math.ldexp(math.inf, 10**30)])
attempt(lambda: math.ldexp(1, 5000))
attempt(lambda: math.ldexp(1, 1.5))
attempt(lambda: [math.nextafter(1, 2, steps=3), math.nextafter(0, -1), math.nextafter(1, 2, steps=0), math.nextafter(0, 1, steps=10**30)])
attempt(lambda: math.nextafter(1, 2, steps=-1))
attempt(lambda: [math.fsum([0.1] * 10), math.fsum([]), math.fsum([1e100, 1.0, -1e100]), math.fsum((1, True, 2.5)), math.fsum([math.inf, 1])])
attempt(lambda: math.fsum([math.inf, -math.inf]))
attempt(lambda: math.fsum([1e308, 1e308]))
attempt(lambda: math.fsum(["a"]))
attempt(lambda: math.fsum(5))
attempt(lambda: [math.prod([]), math.prod([1, 2, 3]), math.prod([1.5, 2]), math.prod([2, 3], start=10), math.prod(["a", 3], start=1) if False else 0, math.prod(range(1, 30))])
attempt(lambda: math.prod([[1], 2], start=1))
attempt(lambda: math.prod(5))
attempt(lambda: [math.sumprod([1, 2], [3, 4]), math.sumprod([0.1] * 3, [1, 2, 3]), math.sumprod([], []), math.sumprod([2**60, 2**60], [2**60, 1]), math.sumprod([1.5, 2], [2, True]), math.sumprod([1j], [2])])
attempt(lambda: math.sumprod([1], [1, 2]))
attempt(lambda: math.sumprod(["a"], ["b"]))
attempt(lambda: [math.hypot(), math.hypot(3, 4), math.hypot(1, 2, 2), math.hypot(1e300, 1e300), math.hypot(math.inf, math.nan), math.dist((0, 0), (3, 4)), math.dist([1], [2.5]), math.dist([], [])])
attempt(lambda: math.dist((1, 2), (1,)))
attempt(lambda: math.dist(1, 2))
attempt(lambda: [math.isclose(1, 1 + 1e-10), math.isclose(1, 1.1), math.isclose(1, 1.1, rel_tol=0.2), math.isclose(0, 1e-12, abs_tol=1e-9), math.isclose(math.inf, math.inf)])
attempt(lambda: math.isclose(1, 2, rel_tol=-1))
attempt(lambda: [math.fma(2, 3, 4), math.fma(0.1, 10, -1), math.fma(1e200, 1e200, -math.inf)])
attempt(lambda: math.fma(math.inf, 0, 1))
attempt(lambda: math.sqrt("a"))
attempt(lambda: math.sqrt())
attempt(lambda: math.sqrt(1, 2))
attempt(lambda: math.sqrt(x=1))
attempt(lambda: math.pow(0, -1))
attempt(lambda: math.pow(10, 400))
attempt(lambda: math.exp(1000))
attempt(lambda: math.fmod(1, 0))
attempt(lambda: math.sqrt(10**400))
attempt(lambda: [math.pi, math.e, math.tau, math.inf, math.nan])
attempt(lambda: sorted(n for n in dir(math) if not n.startswith("_")))
attempt(lambda: (math.__name__, math.sin.__name__, math.sin.__module__, repr(math.sin)))
