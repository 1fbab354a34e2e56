# complex.
def attempt(f):
    try:
        r = f()
        print(repr(r), type(r).__name__)
    except Exception as e:
        print(type(e).__name__, e)


inf, nan = float("inf"), float("nan")
for args in [(), (1,), (1, 2), (1.5, -0.0), ("1+2j",), ("  (3-4j) ",), ("j",), ("-j",), ("1",), ("1 + 2j",), ("",), ("nan+infj",), ("1_0j",), (b"1",), ("1", 2), (1, "2"), (None,), (1, None), ([],), (True, 2**70), (10**400,)]:
    attempt(lambda: complex(*args))
attempt(lambda: complex(imag=2))
attempt(lambda: complex(real=3, imag=1))
attempt(lambda: complex(real=3j))
attempt(lambda: complex(x=1))
attempt(lambda: complex(1, 2, 3))


class HasComplex:
    def __complex__(self):
        return 1 + 2j


class HasFloat:
    def __float__(self):
        return 2.5


class HasIndex:
    def __index__(self):
        return 7


class Bad:
    def __complex__(self):
        return 1


class My(complex):
    pass


attempt(lambda: complex(HasComplex()))
attempt(lambda: complex(HasFloat()))
attempt(lambda: complex(HasIndex(), HasFloat()))
m = My(1, 2)
m.tag = 1
attempt(lambda: (m, m.tag, type(m + 1), type(+m), m == 1 + 2j, complex(m), type(complex(m)), m.conjugate(), {1 + 2j: 1}[m]))
values = [0j, 1j, 1 + 2j, -1.5 - 0.5j, 3, -2.5, 2**40, True]
for a in values:
    for b in values:
        if type(a) is not complex and type(b) is not complex:
            continue
        row = [a + b, a - b, a == b, a != b]
        for f in (lambda: a * b, lambda: a / b, lambda: a ** b):
            try:
                row.append(f())
            except (ZeroDivisionError, OverflowError) as e:
                row.append(type(e).__name__)
        print(a, b, row)
for z in (0j, 1j, 1 + 2j, -1.5 - 0.5j, complex(inf, nan), complex(-0.0, -0.0), complex(1e300, 1e300), complex(3, 0)):
    attempt(lambda: (z, str(z), -z, +z, abs(z), bool(z), z.real, z.imag, z.conjugate(), z.__getnewargs__(), z.__complex__()))
attempt(lambda: [hash(z) for z in (0j, 1j, 1 + 2j, 3 + 0j, 2.5 + 0j, -1 + 0j)])
attempt(lambda: abs(complex(1.7e308, 1.7e308)))
attempt(lambda: (1 + 2j) ** (3, ))
attempt(lambda: 1j // 2)
attempt(lambda: 1j % 2)
attempt(lambda: divmod(1j, 2))
attempt(lambda: 1j < 2j)
attempt(lambda: int(1j))
attempt(lambda: float(1j))
attempt(lambda: ~1j)
attempt(lambda: pow(1j, 2, 3))
attempt(lambda: 0j ** -1)
attempt(lambda: 0j ** 1j)
attempt(lambda: [3 == 3 + 0j, 3 + 0j == 3.0, 2**53 + 1 == complex(2**53), 1j == "a", 1j != None])
for spec in ("", ".2f", "e", "10.1f", "<20", "^20.1f", "+.1f", ",.1f", "010", "=10", "%", "s", "n"):
    attempt(lambda: format(1234.5 - 2.25j, spec))
attempt(lambda: sorted(set(dir(complex)) - set(dir(object)) - {"from_number"}))
attempt(lambda: [hasattr(1j, n) for n in ("__invert__", "__floordiv__", "__mod__", "__divmod__", "__lt__", "__int__")])
