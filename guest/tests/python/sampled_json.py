# Structures as JSON and back.
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


import json


def text():
    return ''.join(chr([draw(128), draw(0x250), 0x2028, 0x1F600 + draw(50), 0xD800 + draw(0x400), 34, 92][draw(7)]) for _ in range(draw(8)))


def structure(depth=0):
    k = draw(9 if depth < 4 else 6)
    if k == 0:
        return draw(10**9) - draw(10**12)
    if k == 1:
        return (draw(10**9) - 5 * 10**8) / 10 ** draw(15)
    if k == 2:
        return [True, False, None, float('inf'), float('-inf'), 10**30, -0.0, 1e100][draw(8)]
    if k < 6:
        return text()
    if k == 6:
        return {[text, lambda: draw(99), lambda: None, lambda: draw(9) / 4, lambda: True][draw(5)](): structure(depth + 1) for _ in range(draw(5))}
    return [tuple, list][draw(2)](structure(depth + 1) for _ in range(draw(5)))


def dumps():
    options = {}
    if draw(2):
        options['ensure_ascii'] = False
    if draw(3) == 0:
        options['indent'] = [0, 2, '\t', 3][draw(4)]
    if draw(4) == 0:
        options['separators'] = (',', ':')
    if draw(6) == 0:
        options['allow_nan'] = False
    if draw(6) == 0:
        options['skipkeys'] = True
    try:
        made = json.dumps(structure(), **options)
    except (ValueError, TypeError) as e:
        return str(e)
    return made, json.loads(made)


def damaged():
    made = json.dumps(structure())
    at = draw(len(made))
    made = made[:at] + '{}[],:"\\ e-1'[draw(12)] + made[at + draw(2):]
    try:
        return json.loads(made)
    except ValueError as e:
        return str(e)


checksums(dumps, 10000)
checksums(damaged, 10000)
