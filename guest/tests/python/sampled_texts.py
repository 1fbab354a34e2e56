# Texts of all alphabets and lengths: methods, slices, searches and encodings, as check sums.
import random
import zlib

rng = random.Random(3)
KINDS = [
    lambda: rng.randrange(0x20, 0x7F),
    lambda: rng.randrange(0x20, 0x7F),
    lambda: rng.randrange(0x80, 0x100),
    # Two of these have got an upper case in Unicode 16.
    lambda: rng.choice([c for c in range(0x80, 0x600) if c not in (0x19B, 0x264)]),
    lambda: rng.choice([0xE9, 0xE8, 0xA9, 0x129, 0x4E2D, 0x6587, 0x1F600]),
    lambda: rng.choice([0x3A3, 0x3C3, 0x3C2, 0x41, 0x61, 0x20, 0x27, 0x300, 0xDF, 0x149, 0x1C5, 0x130, 0x131, 0x17F]),
    lambda: rng.randrange(0x3041, 0x3097),
    lambda: rng.randrange(0x4E00, 0x9FFD),
    lambda: rng.randrange(0xAC00, 0xD7A4),
    lambda: rng.randrange(0x1F600, 0x1F650),
    lambda: rng.choice([9, 10, 13, 0x20, 0x30, 0x660, 0xB2, 0xBD]),
]


def text():
    parts = []
    for _ in range(rng.randrange(1, 5)):
        kind = rng.choice(KINDS)
        parts.append("".join(chr(kind()) for _ in range(rng.choice([0, 1, 2, 3, 7, 8, 9, 20, 64, 70, 150]))))
    return "".join(parts)


def crc(total, value):
    return zlib.crc32(ascii(value).encode(), total)


texts = [text() for _ in range(400)] + ["", "é", "é" * 10000, "ab" * 5000, "日本語" * 3000, "aé" * 3000, "\xed\x9f" * 50]
METHODS = "lower upper casefold title swapcase capitalize strip expandtabs split splitlines isalpha isalnum isprintable isspace " \
    "isdigit isdecimal isnumeric islower isupper istitle isidentifier isascii".split()
for name in METHODS:
    total = 0
    for s in texts:
        total = crc(total, getattr(s, name)())
    print(name, total)

total = 0
for s in texts:
    for step in (-1, 2, -2, 3, -3, 15, 16, 17, -63, -64, -65, 100):
        total = crc(total, s[::step])
        total = crc(total, s[5:-3:step] + s[-3:5:step])
    for i in (0, 1, 5, 63, 64, 65, 127, 128, 129, 200):
        if i < len(s):
            total = crc(total, (s[i], s[-i], s[i:], s[:i], s[i : i + 70], len(s[i:])))
print("slices", total)

total = 0
for s in texts:
    needles = [s[i : i + n] for i in (0, 3, len(s) // 2, len(s) - 1) for n in (1, 2, 4) if 0 <= i] + ["é", "è", "中", "😀", "x", "ñ"]
    for needle in needles:
        row = [needle in s, s.find(needle), s.rfind(needle), s.count(needle), s.find(needle, 4), s.find(needle, 2, -2)]
        row += [s.replace(needle, "ö"), s.replace(needle, ""), s.replace(needle, "<>", 2), s.startswith(needle), s.endswith(needle)]
        if needle:
            row += [s.split(needle, 3), s.partition(needle), s.rpartition(needle)]
        total = crc(total, row)
print("searches", total)

CODECS = ["utf-8", "utf-8-sig", "latin-1", "ascii", "cp1252", "cp437", "koi8-r", "iso8859-15", "cp037", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le",
          "utf-32-be"]
HANDLERS = ["strict", "ignore", "replace", "backslashreplace", "xmlcharrefreplace", "surrogateescape", "surrogatepass"]
broken = ["a\ud800b", "\udc80é\udcff", "é" * 20 + "\udfff" + "x" * 20, "\ud83d\ude00", "\ud000\ud7ff\ud800"]
for codec in CODECS:
    total = 0
    for s in texts + broken:
        for handler in HANDLERS:
            try:
                data = s.encode(codec, handler)
            except UnicodeError as e:
                data = str(e)[:200]
            total = crc(total, data)
            if handler == "strict" and isinstance(data, bytes):
                assert data.decode(codec) == s
    print(codec, total)

blocks = [rng.randbytes(rng.choice([0, 1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 64, 100])) for _ in range(300)]
blocks += [bytes(rng.randrange(128) for _ in range(n)) + rng.randbytes(3) + b"plain text" * 5 for n in range(60)]
blocks += [bytes(range(256)), bytes(range(0x80, 0x100)) * 3, b"\xed\x9f\xbf\xed\xa0\x80", "ASCII and more: é中".encode("utf-16-be")]
for codec in CODECS:
    total = 0
    for data in blocks:
        for handler in ("strict", "ignore", "replace", "backslashreplace", "surrogateescape"):
            try:
                made = data.decode(codec, handler)
            except UnicodeError as e:
                made = str(e)
            total = crc(total, made)
    print(codec, total)

total = 0
for s in texts:
    t = "".join(list(s))
    row = [s == t, s != t, s < t + "a", s <= t, t > s[:-1], s == s[1:], hash(s) == hash(t), s * 3 == t + t + t, (s[:5] * 7).count(s[:5]) if s else 0]
    row += [s.center(len(s) + 9, "é"), s.ljust(len(s) + 4, "中"), s.rjust(300), s.zfill(120), s[:70].expandtabs(3)]
    row += [s == s[:-1] + "\x00", s[:-1] + "\x01" < s, s[:20] < t[:20] + "x", s[:3] < "é"]
    total = crc(total, row)
print("others", total)

tables = [
    {ord(c): ord(c) ^ 1 for c in "abcdefghij"},
    {ord("a"): None, ord("b"): "", ord("c"): "x", ord("d"): "xyz", ord("e"): "é", ord("é"): "e", ord("中"): None},
    {ord("a"): 0x1F600, ord(" "): 9, 0x1F600: "a"},
    str.maketrans("aeiou", "AEIOU", "xyz"),
    {},
]


class Upper:
    def __getitem__(self, c):
        if c % 7 == 0:
            raise LookupError
        return chr(c).upper() if c % 3 else None


total = 0
plain = ["".join(chr(rng.randrange(0x20, 0x7F)) for _ in range(n)) for n in range(0, 120, 3)]
for s in texts + plain + ["abcde " * 30]:
    for table in tables + [Upper()]:
        total = crc(total, s.translate(table))
print("translate", total)
print(sorted(texts)[::40] == sorted(texts, key=lambda s: [ord(c) for c in s])[::40])
