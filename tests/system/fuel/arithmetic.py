"""Arithmetic: small and large integers, floats, bits, conversions."""

total, factorial, bits = 0, 1, 0
x = 0.5
for i in range(1, 20_000):
    total += i * i % 7 - (i >> 2) // 3
    bits ^= i << (i & 7)
    x = 3.7 * x * (1.0 - x)
for i in range(1, 300):
    factorial *= i
power = pow(3, 4_000, 10**40) + pow(7, 500)
digits = sum(map(int, str(factorial)))
shapes = [int("ff", 16), round(x, 6), divmod(-7, 3), 2**100 // 3**20, float("1e3"), hex(bits)]
print(total, digits, power % 1_000_003, shapes)
