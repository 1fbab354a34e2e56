# Methods of str, bytes, bytearray and memoryview with pseudo-random arguments.
seed = 20240229
def rnd(n):
    global seed
    seed = (seed * 6364136223846793005 + 1442695040888963407) % (1 << 64)
    return (seed >> 33) % n
pool = ["a", "b", "A", "1", " ", "\t", "\n", "é", "ß", "日", "\U0001F600", ",", "ab", "-", "%", "{", "}", "Σ", "'", "\\", "\x00", "İ", "\u2028", "\x85", "\ud800", "ǆ", "²", "0", "+", "\r", "\x1c", "ﬁ", ":"]
def text(n=8, k=len(pool)): return "".join(pool[rnd(k)] for _ in range(rnd(n)))
def num(): return [None, 0, 1, -1, 2, -2, 3, 5, -7, 100][rnd(10)]
def idx(): return rnd(14) - 7
def show(r): return ascii(r)
import sys
def call(f, *a):
    try: return show(f(*a))
    except Exception as e: return type(e).__name__ + ": " + ascii(str(e))
specs = ["", "5", "<5", ">5", "^7", "*^9", ".2", "10.3", "s", "05", "é>4", "=5", "+", "d", ",", " ", "#", "_", "z", "<", ".", "1.", "{", "0<6", "00005", ".0", "3.2s"]
isx = ["isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper"]
for i in range(700):
    s = text(12); t = text(3); u = text(4); a, b = num(), num()
    k = rnd(24)
    if k == 0: r = [call(getattr(s, m), t, a, b) for m in ("find", "rfind", "index", "rindex", "count", "startswith", "endswith")]
    elif k == 1: r = [call(s.replace, t, u), call(s.replace, t, u, idx())]
    elif k == 2: r = [call(s.split), call(s.rsplit), call(s.split, None, idx()), call(s.rsplit, None, idx())]
    elif k == 3: r = [call(s.split, t), call(s.rsplit, t), call(s.split, t, idx()), call(s.rsplit, t, idx())]
    elif k == 4: r = [call(s.splitlines), call(s.splitlines, True)]
    elif k == 5: r = [call(s.partition, t), call(s.rpartition, t)]
    elif k == 6: r = [call(getattr(s, m), *([t] if rnd(2) else [])) for m in ("strip", "lstrip", "rstrip")]
    elif k == 7: r = [call(getattr(s, m)) for m in ("upper", "lower", "title", "capitalize", "swapcase", "casefold")]
    elif k == 8: r = [call(getattr(s, m)) for m in isx]
    elif k == 9: r = [call(getattr(s, m), idx() + 8, "é*"[rnd(2)]) for m in ("center", "ljust", "rjust")] + [call(s.zfill, idx() + 6), call(s.expandtabs, rnd(6))]
    elif k == 10:
        c = [1, 2, -1, -2, 3, None][rnd(6)]
        r = [call(lambda: s[a:b:c]), call(lambda: s[idx()]), call(lambda: len(s))]
    elif k == 11: r = [show(s), show(repr(s)), show(s.encode("utf-8", "surrogatepass"))]
    elif k == 12: r = [call(format, s, specs[rnd(len(specs))]), call(format, s, specs[rnd(len(specs))])]
    elif k == 13: r = [call(("%" + specs[rnd(len(specs))] + "sdrfx%eg"[rnd(8)]).__mod__, [s, 5, -3, 2.5, (1,), (s, t), {"a": 1}, ()][rnd(8)])]
    elif k == 14: r = [call((s + "{" + ["", "0", "a", "0!r", ":>5", "0:{1}", "!s:^6", "a!x", "0.x", "0[0]", "b"][rnd(11)] + "}" + t).format, *[u, 5][:rnd(3)], )]
    elif k == 15: r = [call(t.join, [s, u, s][:rnd(4)]), call(s.join, u)]
    elif k == 16: r = [call(s.encode, ["utf-8", "ascii", "latin-1", "utf-16", "utf-16-be", "utf-32", "cp1252", "unicode_escape", "raw_unicode_escape"][rnd(9)], ["strict", "ignore", "replace", "backslashreplace", "xmlcharrefreplace", "surrogateescape", "surrogatepass", "namereplace"][rnd(8)])]
    elif k == 17:
        d = bytes([[rnd(256), 0x80 + rnd(64), 0xC0 + rnd(64), 65 + rnd(26), 0xE0 + rnd(32)][rnd(5)] for _ in range(rnd(8))])
        r = [show(d), call(d.decode, ["utf-8", "ascii", "latin-1", "utf-16", "utf-16-be", "utf-32", "cp1252", "unicode_escape", "utf-8-sig"][rnd(9)], ["strict", "ignore", "replace", "backslashreplace", "surrogateescape", "surrogatepass"][rnd(6)])]
    elif k == 18: r = [s < t, s == t, s >= u, s in u, t in s, call(s.removeprefix, t), call(s.removesuffix, t), (s * rnd(3)) + t]; r = [show(x) for x in r]
    elif k == 19: r = [call(s.translate, str.maketrans("ab1é", "xyz\u00df", "-,")), call(s.translate, {ord("a"): "QQ", 0xe9: None, 0x1F600: "smile"})]
    else:
        x = s.encode("utf-8", "ignore"); y = t.encode("utf-8", "ignore"); z = u.encode("utf-8", "ignore")
        X = [bytes, bytearray][rnd(2)](x)
        if k == 20: r = [call(getattr(X, m), y, a, b) for m in ("find", "rfind", "index", "rindex", "count", "startswith", "endswith")] + [call(X.replace, y, z, idx())]
        elif k == 21: r = [call(X.split), call(X.split, y), call(X.rsplit, None, idx()), call(X.rsplit, y, idx()), call(X.splitlines, rnd(2)), call(X.partition, y), call(X.rpartition, y), call(X.strip, y), call(X.lstrip), call(X.title), call(X.swapcase), call(X.capitalize)]
        elif k == 22:
            B = bytearray(x)
            def f(): B[a:b:[1, 2, -1, -2][rnd(4)]] = z
            def g(): del B[a:b:[1, 2, -1, None][rnd(4)]]
            def h(): del B[idx()]
            r = [call(f), show(B), call(g), show(B), call(h), show(B), call(lambda: B.insert(idx(), 66)), call(lambda: B.pop(idx())), show(B)]
        else:
            m = memoryview(x); n = [1, 2, -1, -2][rnd(4)]
            r = [call(lambda: m[a:b:n].tobytes()), call(lambda: m[a:b:n].tolist()), call(lambda: m[::2][a:b].tobytes()), call(lambda: m[idx()]), call(lambda: m[a:b] == x[a:b]), call(X.hex, ":", idx()), call(lambda: X[a:b:n])]
    print(i, k, show(s), show(t), r)
