# Integer operators, on numbers of all sizes.
small = [0, 1, -1, 2, -3, 7, 10, -17, 255, 1000]
middle = [2**31, -2**31, 2**49 - 1, 2**49, -2**49, -2**49 - 1, 2**62 + 5, 2**63 - 1, -2**63]
large = [2**63, -2**63 - 1, 2**64 - 1, 2**64, 10**20, -10**20, 3**100, -7**77, (1 << 200) - 1]
numbers = small + middle + large

total = 0
for a in numbers:
    for b in numbers:
        r = [a + b, a - b, a * b, a & b, a | b, a ^ b, a < b, a <= b, a == b, a != b, a > b, a >= b]
        if b:
            r += [a // b, a % b, divmod(a, b)]
            assert (a // b) * b + a % b == a and divmod(a, b) == (a // b, a % b)
            assert a % b == 0 or (a % b < 0) == (b < 0)
        total = (total * 31 + hash(str(r).count("1") + len(str(r)))) % 10**9
print(total)
for a in numbers:
    print(a, -a, +a, ~a, abs(a), hash(a), bool(a), a.bit_length(), a.bit_count(), a >> 3, a << 5, a >> 70, a << 64)
for a in (5, -5, 2**70, -2**70):
    for b in (1, 3, -3, 2**65, -2**65):
        print(a / b, a // b, a % b, divmod(a, b))
print([2**k for k in (0, 1, 10, 48, 49, 50, 62, 63, 64, 65, 100)])
print([(-3)**k for k in range(0, 60, 7)], 0**0, 1**10**30, (-1)**10**30, (-1)**(10**30 + 1), 0**10**30)
print(2**-1, 10**-3, (-2)**-2, (-2)**-3, 2**0.5, 4**-0.5)
print(pow(2, 100, 1000), pow(3, -1, 7), pow(3, 5, -7), pow(2**100, 2**70, 2**61 - 1), pow(5, 0, 1), pow(-5, 3, 13), pow(2, 3, None))
print(True + True, True & False, True | False, True ^ True, True & 1, 1 | True, type(True & 1), -True, ~5, True * 10, int.__and__(True, True))
print(1 << 100 >> 98, -1 >> 10**30, 5 >> 10**30, 0 << 10**30, 0 << 5)
x = 12345678901234567890
for _ in range(5):
    x = (x * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
    print(x, x ^ (x >> 33), x % 1000, x // 1000)
print(-x & 0xFF, -x & 0xFFFFFFFF, -x | 1, -(2**65) & 0xFFFFFFFFFFFFFFFFF)


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


attempt(lambda: 1 << -1)
attempt(lambda: 1 >> -1)
attempt(lambda: 2**70 >> -(2**70))
attempt(lambda: 1 << 2**70)
attempt(lambda: 2**10000 / 3)
attempt(lambda: float(2**10000))
attempt(lambda: 2**10000 * 1.0)
attempt(lambda: 2**10000 / 2**9999)
attempt(lambda: 0**-1)
attempt(lambda: pow(2, 3, 0))
attempt(lambda: pow(2, -1, 4))
attempt(lambda: pow(2.0, 3, 4))
attempt(lambda: pow("a", 3, 4))
attempt(lambda: 1 + "a")
attempt(lambda: 1 @ 2)
attempt(lambda: 1 & 2.0)
attempt(lambda: 1 < "a")
attempt(lambda: 1 < 1j)
attempt(lambda: divmod(1, "a"))
attempt(lambda: str(10**5000))
attempt(lambda: int("1" * 5000))
attempt(lambda: len(hex(10**5000)))
attempt(lambda: (10**4299).__repr__()[:5])
