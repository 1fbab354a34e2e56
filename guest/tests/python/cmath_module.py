import cmath


def attempt(f):
    try:
        r = f()
        print(repr(r), type(r).__name__)
    except Exception as e:
        print(type(e).__name__, e)


for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10", "sin", "sinh", "sqrt", "tan", "tanh", "phase", "polar", "isfinite", "isinf", "isnan"):
    f = getattr(cmath, name)
    row = []
    for z in (0, 0.5, -1, 2j, 1 + 1j, -2.5 - 0.5j, cmath.infj):
        try:
            r = f(z)
            row.append(f"{r:.10g}" if isinstance(r, (complex, float)) else r)
        except (ValueError, OverflowError) as e:
            row.append(f"{type(e).__name__}: {e}")
    print(name, row)
attempt(lambda: cmath.rect(2, 0))
attempt(lambda: cmath.log(8, 2))
attempt(lambda: cmath.log(0))
attempt(lambda: cmath.sqrt("a"))
attempt(lambda: cmath.sqrt(None))
attempt(lambda: cmath.exp(1000))
attempt(lambda: [cmath.isclose(1, 1 + 1e-12j), cmath.isclose(1j, 2j), cmath.isclose(1j, 1.1j, rel_tol=0.2), cmath.isclose(1, 2, abs_tol=3)])
attempt(lambda: cmath.isclose(1, 2, abs_tol=-3))
attempt(lambda: [cmath.pi, cmath.e, cmath.tau, cmath.inf, cmath.nan, cmath.infj, cmath.nanj])
attempt(lambda: sorted(n for n in dir(cmath) if not n.startswith("_")))


class HasComplex:
    def __complex__(self):
        return 3 + 4j


attempt(lambda: cmath.polar(HasComplex())[0])
