# Floats as text and back.
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


import struct


def real():
    k = draw(5)
    if k == 0:
        return struct.unpack('<d', struct.pack('<Q', draw(1 << 62) << 2 | draw(4)))[0]
    if k == 1:
        return draw(10**9) / 10 ** draw(12)
    if k == 2:
        return -draw(1000) / 8
    if k == 3:
        return float(f'{draw(10**6)}e{draw(60) - 30}')
    return [0.0, -0.0, 1e16, 1e22, 0.1, 5e-324, float('inf'), float('nan'), 1.5, 2.5][draw(10)]


def formats():
    x = real()
    spec = ''.join(['', '*<', '^', '=', '>'][draw(5)] + ['', '+', ' ', '-'][draw(4)] + ['', 'z'][draw(2)] + ['', '#'][draw(2)] + ['', '0'][draw(2)]
                   + ['', str(draw(30))][draw(2)] + ['', ',', '_'][draw(3)] + ['', f'.{draw(20)}'][draw(2)] + ['', *'eEfFgGn%'][draw(9)])
    try:
        text = format(x, spec)
    except ValueError as e:
        text = str(e)
    return repr(x), spec, text, '%.*g' % (draw(18), x), '%+12.3e' % x


def parses():
    text = ['', '-', '+', ' '][draw(4)] + str(draw(10**draw(25) if draw(2) else 100)) + ['', '.', f'.{draw(10**9)}', '_1'][draw(4)] + ['', f'e{draw(700) - 350}', 'E+5', 'e'][draw(4)]
    try:
        return text, float(text)
    except ValueError as e:
        return str(e)


def parts():
    x = real()
    if x != x or x in (float('inf'), float('-inf')):
        return x
    return x.hex(), float.fromhex(x.hex()) == x, x.as_integer_ratio(), x.is_integer(), round(x, draw(8)), round(x / 3, -draw(5)), int(x) % 1000, divmod(x, 0.7), x // 3


checksums(formats, 10000)
checksums(parses, 10000)
checksums(parts, 10000)
