# Hashes of numbers and of tuples of them; those of texts are not promised.
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


from fractions import Fraction


def integer():
    return (draw(1 << 31) - (1 << 30)) * (draw(1 << 31) ** draw(5))


def real():
    mantissa = draw(1 << 53) - (1 << 52)
    return [mantissa * 2.0 ** (draw(2000) - 1000), mantissa / 8, float(draw(100)), float('inf'), -0.0][draw(5)]


def item(depth=0):
    kind = draw(6 if depth < 3 else 4)
    if kind == 0:
        return integer()
    if kind == 1:
        return real()
    if kind == 2:
        return complex(real(), draw(9))
    if kind == 3:
        return (True, False, None.__class__ is None, 0)[draw(4)]
    return tuple(item(depth + 1) for _ in range(draw(5)))


def hashes():
    return hash(integer()), hash(real()), hash(item()), hash(Fraction(integer(), draw(1000) + 1)), hash(frozenset(range(draw(20))))


checksums(hashes, 10000)
