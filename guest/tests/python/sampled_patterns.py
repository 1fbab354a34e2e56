# Regular expressions made of parts, on texts of few letters.
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


import re
import warnings

warnings.simplefilter('ignore')
PARTS = ['a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\W', '\\b', '\\B', '\\d', '\\s', '^', '$', 'é', '1', '[a-c1-3]', '\\A', '\\Z', '(?=b)', '(?!b)', '(?<=a)', '(?<!a)', '\\1', '(?i:B)', '[\\w-]', ' ', '\\n']


def pattern(depth=0):
    out = ''
    for _ in range(draw(3) + 1):
        k = draw(10 if depth < 2 else 6)
        if k < 6:
            piece = PARTS[draw(len(PARTS))]
        elif k == 6:
            piece = f'({pattern(depth + 1)})'
        elif k == 7:
            piece = f'(?:{pattern(depth + 1)}|{pattern(depth + 1)})'
        elif k == 8:
            piece = f'(?P<n{draw(3)}>{pattern(depth + 1)})'
        else:
            piece = f'(?>{PARTS[draw(len(PARTS))]}+)'
        # CPython 3.13 takes groups within possessive repeats for its own faults.
        ends = 14 if k < 6 else 10
        out += piece + ['', '', '', '*', '+', '?', '{1,2}', '*?', '+?', '??', '{2}', '++', '?+', '*+'][draw(ends)]
    return out


def text():
    # Not empty: there \B matches from 3.14 on.
    return ''.join('aabbbcC1 é\nß'[draw(12)] for _ in range(draw(8) + 1))


def matches():
    p, t = pattern(), text()
    flags = [0, re.I, re.M, re.S, re.A, re.I | re.M][draw(6)]
    try:
        r = re.compile(p, flags)
    except re.error as e:
        return p, str(e), e.pos
    found = []
    for m in r.finditer(t):
        found.append((m.span(), m.groups(), m.lastindex, m.lastgroup))
    full, start = r.fullmatch(t), r.match(t)
    return (p, t, r.groups, r.groupindex, found, full and full.regs, start and start.regs, r.split(t, 2), r.subn('<\\g<0>>', t), r.findall(t))


def broken():
    p = pattern()
    at = draw(len(p) + 1)
    p = p[:at] + '()[]{}*+?\\|^$<>=!:#-&,'[draw(22)] + p[at + draw(2):]
    try:
        return p, [m.span() for m in re.finditer(p, text())]
    except re.error as e:
        return p, str(e)


def as_bytes():
    p, t = pattern().replace('é', '\\xe9').encode('latin-1'), text().encode('latin-1')
    try:
        return p, re.sub(p, b'#', t), re.split(p, t)
    except re.error as e:
        return p, str(e)


checksums(matches, 10000)
checksums(broken, 10000)
checksums(as_bytes, 5000)
