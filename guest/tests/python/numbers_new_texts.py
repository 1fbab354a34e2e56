# Error texts and methods that are new in Python 3.14.
import math, _random
def attempt(f):
    try:
        r = f()
        print(repr(r), type(r).__name__)
    except Exception as e:
        print(type(e).__name__, e)
for f in (lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.log(-1.5), lambda: math.log(-5), lambda: math.acos(2), lambda: math.gamma(-1), lambda: math.log1p(-1), lambda: math.atanh(1), lambda: math.sin(math.inf), lambda: math.log(10, 1), lambda: float.from_number(5), lambda: float.from_number("5"), lambda: complex.from_number(5), lambda: complex.from_number("5"), lambda: 5 % 0, lambda: 5.0 % 0, lambda: divmod(5.0, 0), lambda: 1j / 0, lambda: _random.Random(1).getrandbits(-1), lambda: bool(NotImplemented)):
    attempt(f)
