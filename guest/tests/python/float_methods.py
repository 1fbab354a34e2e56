# The constructor, operators and methods of float.
def attempt(f):
    try:
        r = f()
        print(repr(r), type(r).__name__)
    except Exception as e:
        print(type(e).__name__, e)


inf, nan = float("inf"), float("nan")
for text in ("1", " 1.5 ", "-0", "1e5", "1E-400", "1e400", ".5", "5.", ".", "", "abc", "1_0.5", "1__0", "nan", "-inf", "Infinity", "+infinity", "0x10", "١٫٥", "١٢", "1e", "1 2", "1\0", b"2.5", b"x", bytearray(b"7"), 10**400, 2**60 + 1, True, 1j, None, []):
    attempt(lambda: float(text))
attempt(lambda: float())
attempt(lambda: float(1, 2))
attempt(lambda: float(x=1))


class HasFloat:
    def __float__(self):
        return 2.5


class HasIndex:
    def __index__(self):
        return 7


class Bad:
    def __float__(self):
        return 1


class My(float):
    pass


attempt(lambda: float(HasFloat()))
attempt(lambda: float(HasIndex()))
attempt(lambda: float(Bad()))
m = My("2.5")
m.tag = 1
attempt(lambda: (m, m.tag, m + 1, -m, m.real, m.imag, m == 2.5, {2.5: 1}[m], int(m), m // 1, 1 // m))
attempt(lambda: My.fromhex("0x1p3"))
attempt(lambda: [x for x in (m, type(m + m), type(+m), type(m.conjugate()))])
values = [0.0, -0.0, 1.0, -1.5, 2.5, 1e300, -1e-300, 5e-324, inf, -inf, nan, 3, -2, 2**60, True]
for a in values:
    for b in values:
        if type(a) is not float and type(b) is not float:
            continue
        row = [a + b, a - b, a * b]
        for f in (lambda: a / b, lambda: a // b, lambda: a % b, lambda: divmod(a, b), lambda: a ** b):
            try:
                row.append(f())
            except (ZeroDivisionError, OverflowError) as e:
                row.append(type(e).__name__)
        row += [a < b, a <= b, a == b, a != b, a > b, a >= b]
        print(a, b, row)
attempt(lambda: 1.0 / 0)
attempt(lambda: 1e308 ** 2)
attempt(lambda: (-8.0) ** (1 / 3))
attempt(lambda: 1.0 + "a")
attempt(lambda: 1.0 & 1)
attempt(lambda: ~1.0)
attempt(lambda: 1.0 < "a")
attempt(lambda: [2**53 == 2.0**53, 2**53 + 1 == 2.0**53, 2**53 + 1 > 2.0**53, 10**400 > 1e308, -10**400 < -inf, 10**400 < inf, 2**63 == 2.0**63, 2**63 - 1 < 2.0**63])
for x in (0.0, -0.0, 0.5, 1.5, 2.5, -2.5, 1e22, 123456.789, 1e-10, 5e-324, 1.7976931348623157e308, inf, nan):
    attempt(lambda: (x, hash(x) if x == x else "nan", x.is_integer(), x.hex(), bool(x), abs(x), str(x)))
    attempt(lambda: x.as_integer_ratio())
    attempt(lambda: round(x))
    attempt(lambda: [round(x, n) for n in (0, 1, 2, -1, -5, 400, -400)])
    attempt(lambda: int(x))
    attempt(lambda: (x.__trunc__(), x.__floor__(), x.__ceil__()))
attempt(lambda: [round(2.675, 2), round(0.15, 1), round(1e16 + 2, -1), round(-0.4), round(1.5, None), round(5.015, 2)])
attempt(lambda: round(1.5, "a"))
attempt(lambda: round(1.7e308, -308))
for text in ("0x1.8p3", "-0x.8p0", "1p2", "0x1p-1074", "0x1p5000", "nan", "-inf", "zz", "", "0x"):
    attempt(lambda: float.fromhex(text))
attempt(lambda: float.fromhex(1))
attempt(lambda: float.__getformat__("double"))
attempt(lambda: float.__getformat__("x"))
attempt(lambda: float.__getformat__(1))
attempt(lambda: (1.5).__getnewargs__())
for spec in ("", "f", ".2f", "10.3f", "<10.2f", "e", ".3E", "g", ".3g", "%", ".1%", "+", " ", ",", ",.2f", "_.3f", "010.2f", "n", "#.0f", "z.0f", "d", "x", "s", ".", "c"):
    attempt(lambda: format(1234.5678, spec))
attempt(lambda: format(-0.0001, "z.2f"))
attempt(lambda: [format(v, ".3f") for v in (inf, nan, -inf, 0.0005, 1e20)])
attempt(lambda: sorted(set(dir(float)) - set(dir(object)) - {"from_number"}))
attempt(lambda: hasattr(1.0, "__invert__"))
attempt(lambda: float.__add__(1.0, 2))
attempt(lambda: float.__radd__(1.0, "a"))
attempt(lambda: float.__eq__(1.0, 1))
attempt(lambda: float.__pow__(2.0, 3, 4))
