# str as a type: construction, operators, subscripts, comparison, repr.
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__ + ":", e)

t(str); t(str, 5); t(str, None); t(str, b"abc"); t(str, b"abc", "utf-8"); t(str, b"\xff", "latin-1"); t(str, b"\xff", "utf-8", "replace"); t(str, "a", "utf-8"); t(str, 1, "utf-8"); t(str, object="x"); t(str, b"\xff", errors="ignore"); t(str, b"x", encoding="ascii"); t(str, 1, 2, 3, 4); t(str, b"a", 5); t(str, bytearray(b"hi"), "ascii"); t(str, foo=1); t(str, memoryview(b"mv"), "ascii")
class S(str):
    def __repr__(self): return "S(" + str.__repr__(self) + ")"
s = S("abc")
print(s, [s], type(s), type(s + ""), type(s[:]), type(s.lower()), type(str(s)), type(s.strip()), type(s.replace("z", "y")), len(s), s == "abc", hash(s) == hash("abc"), {s: 1}["abc"], isinstance(s, str))
s.attr = 5; print(s.attr, s.__dict__)
class D:
    def __str__(self): return S("sub")
print(type(str(D())), type(f"{D()}"))
class Bad:
    def __str__(self): return 5
    def __repr__(self): return None
t(str, Bad()); t(repr, Bad())
t(lambda: "a" + "b"); t(lambda: "a" + 1); t(lambda: 1 + "a"); t(lambda: "a" * 3); t(lambda: 3 * "ab"); t(lambda: "a" * -1); t(lambda: "a" * 0); t(lambda: "é" * 2); t(lambda: "a" * 1.5); t(lambda: "a" * "b"); t(lambda: "a" * True); t(lambda: "a" - "b"); t(lambda: "ab" * 10**30); t(lambda: "" * 10**15); t(lambda: "a" + b"b"); t(lambda: "a" * None)
x = "ab"; x += "cd"; x *= 2; print(x)
t(lambda: "a" in "abc"); t(lambda: "" in ""); t(lambda: 1 in "abc"); t(lambda: "é" in "caf\u00e9"); t(lambda: None in "a")
for a, b in [("a", "b"), ("a", "aa"), ("", "a"), ("é", "z"), ("\U0001F600", "\uffff"), ("a", "a"), ("\ud800", "\ue000")]:
    print(a < b, a <= b, a == b, a != b, a > b, a >= b)
t(lambda: "a" < 1); print("a" == 1, "a" != None, "a" == b"a")
s = "hello"; u = "hé\U0001F600lo"
for key in [0, -1, 4, 5, -5, -6, True, 10**30, -10**30, "a", 1.0, None, slice(None), slice(1, 3), slice(None, None, -1), slice(4, 0, -2), slice(-2, None), slice(10, 20), slice(None, None, 0), slice("a"), slice(None, None, 10**30), slice(3, 1), (1, 2)]:
    t(lambda: s[key]); t(lambda: u[key])
class I:
    def __index__(self): return 2
t(lambda: s[I()]); t(lambda: s[I():]); t(lambda: s * I())
def setit(): s[0] = "x"
def delit(): del s[0]
t(setit); t(delit)
print(list(u), [c for c in "añ"], list(reversed(u)), tuple("ab"), sorted("bca"), len(u), max(u) == "\U0001F600")
it = iter("ab"); print(next(it), it.__length_hint__(), next(it), next(it, "end"), next(it, "end"))
print("abc".__len__(), "abc".__contains__("b"), "abc".__getitem__(1), "a".__add__("b"), "a".__mul__(2), "a".__rmul__(2), "a".__eq__(1), "a".__lt__("b"), "%s".__mod__("x"), "a".__getnewargs__())
for r in ["", "a'b", 'a"b', "a'b\"c", "\\", "\n\r\t", "\x00\x1f\x7f", "\x80\xa0\xad\xff", "é", "\u200b\u2028", "\ud800", "\U000e0001", "\U0010ffff", "日本", "\ufeff", "\u0378"]:
    print(ascii(repr(r)), ascii(r), len(repr(r)))
t(chr, 97); t(chr, 0x1F600); t(chr, 0xd800); t(chr, -1); t(chr, 0x110000); t(chr, "a"); t(chr, 1.0); t(ord, "a"); t(ord, "ab"); t(ord, ""); t(ord, 5); t(ord, b"a"); t(ord, b"ab"); t(ord, "\U0010ffff"); t(ord, bytearray(b"z"))
print(hash("abc") == hash("ab" + "c"), hash("") == hash(""), "abc" is "abc", bool(""), bool("x"))
t("abc".__format__, ">5"); t(format, "abc", "*^9"); t(format, "abc", ".2"); t(format, "abc", "10.1s"); t(format, "é", "=5"); t(format, "a", "d"); t(format, "a", "+5"); t(format, "a", ",s"); t(format, "a", "#"); t(format, "a", 5); t("a".__format__, 5); t(format, s, ""); t(format, "a", "05"); t(format, "abc", "é>6"); t(format, "a", " >4"); t(format, "a", " 4")
match "abc":
    case str(x): print("match", x)
print("a" "b" 'c', "\N{GREEK SMALL LETTER ALPHA}", r"\n", "\x41\u0042\103")
w = ""
for i in range(1000): w += str(i)
print(len(w), w[-5:], hash(w) == hash("".join(map(str, range(1000)))))
a = b = "xy"; a += "z"; print(a, b)
try: "abc".foo
except AttributeError as e: print(e)
try: "abc".foo = 1
except AttributeError as e: print(e)
