# bytes and bytearray: construction, methods, operators.
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__ + ":", e)

for B in (bytes, bytearray):
    print(B.__name__)
    t(B); t(B, 3); t(B, [1, 2, 255]); t(B, [256]); t(B, [-1]); t(B, "a"); t(B, "é", "utf-8"); t(B, "é", "ascii"); t(B, "é", "ascii", "replace"); t(B, b"x", "utf-8"); t(B, b"x", errors="strict"); t(B, -1); t(B, 1.5); t(B, None); t(B, (1, 2)); t(B, range(3)); t(B, memoryview(b"mv")); t(B, bytearray(b"ba")); t(B, encoding="utf-8"); t(B, source=b"k"); t(B, 10**30); t(B, ["a"]); t(B, 1, 2, 3, 4); t(B, "a", 5); t(B, {3: 1}); t(B, (x for x in b"gen"))
    t(B.fromhex, "00 ff 1A"); t(B.fromhex, ""); t(B.fromhex, "zz"); t(B.fromhex, "0g"); t(B.fromhex, "é0"); t(B.fromhex, " 0a\n0b "); t(B.fromhex, "a b")
    x = B(b"abcabc")
    for a in [(b"b",), (98,), (b"",), (b"c", 3), (b"z",), ("b",), (300,), (None,), (b"", 7), (b"a", -3), (bytearray(b"bc"),), (memoryview(b"ca"),)]:
        for m in ("find", "rfind", "index", "rindex", "count"): t(getattr(x, m), *a)
    for a in [(b"a",), (b"c",), ((b"x", b"a"),), ("a",), (b"b", 1), (("a",),), (b"",), (b"", 9), ((),), (1,)]:
        t(x.startswith, *a); t(x.endswith, *a)
    t(x.replace, b"a", b"xx"); t(x.replace, b"", b"-"); t(x.replace, b"a", b"", 1); t(x.replace, "a", b""); t(x.replace, b"z", b"y"); t(x.replace, b"abc", b""); t(x.replace, b"", b"-", 3)
    s = B(b" a b  c ")
    for a in [(), (None, 1), (b" ",), (b" ", 2), (b"",), ("x",), (None, 0), (32,)]: t(s.split, *a); t(s.rsplit, *a)
    t(B(b"a\nb\r\nc\rd\x0be").splitlines); t(B(b"a\nb\r\n").splitlines, True); t(B(b"").splitlines)
    t(x.partition, b"ca"); t(x.rpartition, b"a"); t(x.partition, b""); t(x.partition, b"z"); t(x.rpartition, b"z"); t(x.partition, "a")
    for a in [(), (b"ac",), (None,), ("a",)]: t(B(b" aabcaa ").strip, *a); t(B(b"aabcaa").lstrip, *a); t(B(b"aabcaa ").rstrip, *a)
    t(x.center, 10); t(x.center, 9, b"*"); t(x.ljust, 8, b"."); t(x.rjust, 8); t(x.center, 2); t(x.zfill, 8); t(B(b"-5").zfill, 5); t(B(b"a\tb").expandtabs, 4); t(B(b"\t").expandtabs)
    t(x.join, [b"1", B(b"2"), bytearray(b"3")]); t(x.join, []); t(x.join, ["a"]); t(x.join, 5); t(B(b"").join, [b"only"]); t(x.join, [memoryview(b"m"), b"n"])
    t(x.translate, bytes(range(255, -1, -1))); t(x.translate, None, b"a"); t(x.translate, b"short"); t(x.translate, B.maketrans(b"ab", b"xy")); t(x.translate, None, delete=b"bc"); t(B.maketrans, b"a", b"")
    for w in (b"", b"Hello World", b"ABC1", b"abc", b"123", b" \t", b"\xff", b"Title Case", b"mIxEd"):
        w = B(w); print([getattr(w, m)() for m in ("capitalize", "lower", "upper", "swapcase", "title")], [int(getattr(w, m)()) for m in ("isalnum", "isalpha", "isascii", "isdigit", "islower", "isspace", "istitle", "isupper")])
    t(x.removeprefix, b"ab"); t(x.removesuffix, b"bc"); t(x.removeprefix, b"z"); t(x.removeprefix, "a")
    t(B(b"\x00\xff\x10").hex); t(B(b"\x00\xff\x10").hex, ":"); t(B(b"\x00\xff\x10\x20\x30").hex, "-", 2); t(B(b"\x00\xff\x10\x20\x30").hex, "-", -2); t(B(b"a").hex, "xx"); t(B(b"ab").hex, b":"); t(B(b"a").hex, 5); t(B(b"a").hex, "é")
    t(x.decode); t(B(b"\xe9").decode, "latin-1"); t(B(b"\xe9").decode); t(B(b"\xe9").decode, "utf-8", "ignore"); t(B(b"a").decode, "nope"); t(B(b"a").decode, errors="nope"); t(B(b"\xff").decode, errors="nope"); t(B(b"a").decode, encoding="ascii")
    for k in [0, -1, 5, 6, -7, slice(1, 3), slice(None, None, -1), slice(None, None, 2), "a", 10**30, slice(9, 2)]: t(lambda: x[k])
    t(lambda: x + b"d"); t(lambda: x + bytearray(b"d")); t(lambda: x + "d"); t(lambda: x * 2); t(lambda: 2 * x); t(lambda: x * -1); t(lambda: x * 1.5); t(lambda: x + 1); t(lambda: x + memoryview(b"m")); t(lambda: "a" + x)
    t(lambda: 97 in x); t(lambda: b"bc" in x); t(lambda: "a" in x); t(lambda: 300 in x); t(lambda: b"" in x)
    print(list(x), list(iter(x)), len(x), bool(x), bool(B()), list(reversed(x)), sorted(x), max(x), x == b"abcabc", x == bytearray(b"abcabc"), x == "abcabc", x < b"b", x >= b"abc", x != b"q")
    t(lambda: x < "a"); t(lambda: x < 5); print(repr(B(b"a'b")), repr(B(b'a"b')), repr(B(b"'\"")), repr(B(b"\n\r\t\\\x00\x7f\x80\xff")), str(B(b"hi")))
    t(x.lower, 1); t(x.find); t(x.split, foo=1); t(x.hex, sep=":")
    it = iter(x); print(type(it).__name__, next(it), it.__length_hint__())
t(hash, bytearray(b"a")); print(hash(b"abc") == hash(bytes([97, 98, 99])), {b"k": 1}[b"k"])
class SB(bytes): pass
z = SB(b"sub"); z.a = 1; print(z, type(z), type(z[:2]), z.a, type(z + b""), type(SB.fromhex("00")), bytes(z))
class W:
    def __bytes__(self): return b"wb"
class WB:
    def __bytes__(self): return 5
t(bytes, W()); t(bytes, WB())
match b"xy":
    case bytes(v): print(v)
