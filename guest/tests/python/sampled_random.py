# Generators of random numbers with 10,000 seeds and draws.
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


import random


def seeds():
    kind = draw(6)
    seed = [lambda: draw(1 << 62), lambda: -draw(1000), lambda: f'seed {draw(99999)} é', lambda: bytes(draw(256) for _ in range(draw(9))),
            lambda: draw(10**6) / 7, lambda: bytearray(b'x' * draw(50))][kind]()
    r = random.Random(seed)
    return r.random(), r.getrandbits(70), r.randrange(1, 10**12, 7)


source = random.Random(12345)


def draws():
    k = draw(16)
    n = draw(20) + 1
    # The functions of the system's mathematics may differ in the last digit.
    made = [lambda: source.random(), lambda: source.randint(-n, n * n), lambda: source.choice(range(n)), lambda: source.uniform(-n, n),
            lambda: source.sample(range(n * 10), n), lambda: source.choices('abc', [1, 2, n], k=3), lambda: source.gauss(n, 2),
            lambda: source.normalvariate(0, n), lambda: source.expovariate(n), lambda: source.betavariate(n, 2), lambda: source.gammavariate(n, 0.5),
            lambda: source.triangular(0, n, n / 3), lambda: source.vonmisesvariate(1, n), lambda: source.paretovariate(n),
            lambda: source.randbytes(n), lambda: shuffled(n)][k]()
    return f'{made:.11g}' if 6 <= k <= 13 else made


def shuffled(n):
    items = list(range(n))
    source.shuffle(items)
    return items


checksums(seeds, 10000)
checksums(draws, 10000)
