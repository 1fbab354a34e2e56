# The constructor and the methods of int and bool.
def attempt(f):
    try:
        r = f()
        print(repr(r), type(r).__name__)
    except Exception as e:
        print(type(e).__name__, e)


for args in [(), (5,), (True,), (3.99,), (-3.99,), ("12",), (" -12\n",), ("1_000",), ("1__0",), ("_1",), ("",), ("0x1F",), ("0x1F", 16), ("0x1F", 0), ("1F", 16), ("0b101", 0), ("0o17", 0), ("017", 0), ("00", 0), ("z", 36), ("٣٤",), ("1 2",),
             (b"42",), (b"4x",), (bytearray(b"77"),), ("12", 37), ("12", 1), ("12", -1), (1, 10), ("9", 8), (1e30,), (float("inf"),), (float("nan"),), (1j,), (None,), ([],), ("1", "2"), ("1", 2, 3), ("-0",), ("+5",), ("- 5",), ("0_7",), ("0x_1f", 16), ("0b2", 0)]:
    attempt(lambda: int(*args))
attempt(lambda: int("11", base=2))
attempt(lambda: int(base=2))
attempt(lambda: int(x=1))
attempt(lambda: bool())
attempt(lambda: bool(x=1))
attempt(lambda: bool(1, 2))
attempt(lambda: bool([]))


class HasInt:
    def __int__(self):
        return 42


class HasIndex:
    def __index__(self):
        return 7


class BadInt:
    def __int__(self):
        return "x"


attempt(lambda: int(HasInt()))
attempt(lambda: int(HasIndex()))
attempt(lambda: int(BadInt()))
attempt(lambda: int("7", HasIndex()))
attempt(lambda: [0, 1, 2, 3, 4, 5, 6, 77][HasIndex()])


class My(int):
    def __new__(cls, *args):
        self = super().__new__(cls, *args)
        self.tag = "t"
        return self


m = My("12")
attempt(lambda: m)
attempt(lambda: m + 1)
attempt(lambda: -m)
attempt(lambda: m.tag)
attempt(lambda: m.real)
attempt(lambda: m.conjugate())
attempt(lambda: int(m))
attempt(lambda: m == 12)
attempt(lambda: {12: "x"}[m])
attempt(lambda: My(2**80))
attempt(lambda: My(2**80) - 2**80)
attempt(lambda: My.from_bytes(b"\1\2"))
attempt(lambda: f"{m:>5}|{m}|{m:x}")
attempt(lambda: m.numerator + m.denominator + m.imag)

for n in (0, 1, -1, 255, 256, -128, -129, 65535, 2**64, -2**70):
    attempt(lambda: (n.bit_length(), n.bit_count(), n.as_integer_ratio(), n.is_integer(), n.__getnewargs__()))
    attempt(lambda: n.to_bytes(9, "little", signed=True))
    attempt(lambda: n.to_bytes(2))
attempt(lambda: (5).to_bytes(-1, "big"))
attempt(lambda: (5).to_bytes(2, "middle"))
attempt(lambda: (5).to_bytes(2, byteorder=5))
attempt(lambda: (0).to_bytes(0))
attempt(lambda: (1024).to_bytes(length=4, byteorder="little"))
attempt(lambda: int.from_bytes(b"\xff\xfe", "big", signed=True))
attempt(lambda: int.from_bytes(b"\xff\xfe", byteorder="little"))
attempt(lambda: int.from_bytes([1, 2, 3]))
attempt(lambda: int.from_bytes([1, 256]))
attempt(lambda: int.from_bytes("abc"))
attempt(lambda: int.from_bytes(5))
attempt(lambda: int.from_bytes(b"", "big"))
attempt(lambda: bool.from_bytes(b"\5", "big"))
for nd in (None, 0, 1, -1, -2, -3, -30):
    attempt(lambda: [round(x, nd) for x in (15, 25, 35, -15, -25, 12345, 2**70)])
attempt(lambda: (5).__trunc__() + (5).__floor__() + (5).__ceil__())
attempt(lambda: round(5, "x"))
attempt(lambda: (5).bit_length(1))
attempt(lambda: int.bit_length("x"))
attempt(lambda: int.__new__(str))
attempt(lambda: int.__new__(bool, 1))
for spec in ("", "d", "5", "<5", "^5", "05", "+", ",", "_", "x", "#x", "X", "#o", "b", "#b", "c", "e", ".2f", "%", "n", "_x", "*^+12,d", "s", ".3d", "q", "5.", "=+8"):
    attempt(lambda: format(12345, spec))
attempt(lambda: format(-2**70, ",d"))
attempt(lambda: format(True, ""))
attempt(lambda: format(True, "d"))
attempt(lambda: format(5, 5))
attempt(lambda: (5).__format__(None))
attempt(lambda: (True.real, True.imag, True.numerator, ~False, True.bit_length()))
attempt(lambda: [type(None)(), type(...)(), type(NotImplemented)()])
attempt(lambda: type(None)(1))
attempt(lambda: [repr(None), repr(...), repr(NotImplemented), bool(None), bool(...)])
attempt(lambda: sorted(set(dir(int)) - set(dir(object))))
attempt(lambda: sorted(set(dir(bool)) - set(dir(int))))
attempt(lambda: sorted(k for k in vars(bool) if not k.startswith("__d")))
attempt(lambda: (int.__add__(1, 2), int.__add__(1, 2.0), int.__radd__(1, 2), int.__pow__(2, 3), int.__pow__(2, 3, 5), int.__eq__(1, "a")))
attempt(lambda: hash(My(-1)))


class Mod(int):
    def __pow__(self, e, m=None):
        return ("pow", int(self), e, m)

    def __rpow__(self, b, m=None):
        return ("rpow", b, m)


attempt(lambda: pow(Mod(2), 3, 5))
attempt(lambda: Mod(2) ** 3)
attempt(lambda: 3 ** Mod(2))
attempt(lambda: int.__pow__(Mod(2), 3, 5))
attempt(lambda: int(memoryview(b"42")))
attempt(lambda: int(memoryview(b"4x")[0:1]))
attempt(lambda: int.from_bytes(memoryview(b"\1\2")))
attempt(lambda: float(memoryview(b"1.5")))
attempt(lambda: int(b"7", 8) + int(bytearray(b"11"), 2))
