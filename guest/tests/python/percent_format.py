# The % operator of str and bytes.
def t(f, a):
    try:
        print(repr(f % a))
    except Exception as e:
        print(type(e).__name__ + ":", e)

t("%s", 1); t("%s %s", (1, 2)); t("%s", (1,)); t("%s", ((1, 2),)); t("%s %s", 1); t("%s", (1, 2)); t("abc", 1); t("abc", ()); t("abc", {}); t("abc", []); t("%%", ()); t("%% %s", 1); t("%", ()); t("%s%", 1); t("%5%|", ()); t("%s", [1, 2]); t("%s", {"a": 1}); t("%s", None); t("%s", "é"); t("é%sñ", "x")
for f in ("%d", "%i", "%u", "%5d", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%8.3d", "%x", "%X", "%#x", "%#X", "%o", "%#o", "%08x", "%#010x", "%ld", "%hd", "%-+6d|"):
    for v in (42, -42, 0, True, 10**25): t(f, v)
t("%d", 3.99); t("%d", -3.99); t("%d", "a"); t("%d", None); t("%x", 3.5); t("%x", "a"); t("%d", 1j); t("%d", float("inf")); t("%d", float("nan")); t("%o", None); t("%i", "x")
for f in ("%f", "%.2f", "%10.3f|", "%-10.1f|", "%+.1f", "%010.2f", "%e", "%.3e", "%E", "%g", "%.3g", "%G", "%#g", "%#.0f", "% f", "%.0f", "%.50f"):
    for v in (3.14159, -2.5, 0.0, 1e100, 5, float("inf"), float("nan")): t(f, v)
t("%f", "x"); t("%f", None); t("%e", [1])
t("%c", "a"); t("%c", 97); t("%c", 0x1F600); t("%c", -1); t("%c", 0x110000); t("%5c|", "x"); t("%-5c|", "x")
t("%r", "a'b"); t("%a", "é"); t("%.2r", "abcdef"); t("%10s|", "é"); t("%-10s|", "ab"); t("%.1s", "éa"); t("%10.2r|", "abc"); t("%.0s", "abc")
t("%*d", (5, 42)); t("%-*d|", (5, 42)); t("%.*f", (2, 3.14159)); t("%*.*f", (8, 2, 3.14159)); t("%*d", ("a", 1)); t("%*d|", (-5, 42)); t("%.*f", (-1, 3.7)); t("%*d", (5,))
t("%(a)s %(b)d", {"a": "x", "b": 2}); t("%(a)s", {}); t("%(a)s", 1); t("%(a)s", (1,)); t("%(a", {"a": 1}); t("%(a)", {"a": 1}); t("%(a(b))s", {"a(b)": "nested"}); t("%()s", {"": "e"}); t("%(a)s %s", {"a": 1}); t("%(é)s", {"é": 1}); t("%(a)5.1f|", {"a": 2.25}); t("%(a)s%%", {"a": 1}); t("%(x)s", [1])
t("%y", 1); t("%q", 1); t("abc%", 1); t("%é", 1); t("%z", ()); t("%s %z", (1, 2)); t("%.", 1); t("%99999999999999999999d", 1); t("%.99999999999d", 1)
class C:
    def __str__(self): return "str"
    def __repr__(self): return "repr"
    def __index__(self): return 7
    def __float__(self): return 2.5
    def __int__(self): return 9
t("%s %r %a", (C(), C(), C())); t("%d", C()); t("%x", C()); t("%f", C()); t("%c", C())
class M(dict):
    def __missing__(self, k): return k * 2
t("%(ab)s", M())
class R(str):
    def __rmod__(self, other): return "rmod"
print("%s" % R("x"))
class T(tuple): pass
t("%s-%s", T((1, 2)))
for f, v in [(b"%s", b"x"), (b"%b", b"x"), (b"%d %x", (5, 255)), (b"%a", "é"), (b"%r", "é"), (b"%c", 65), (b"%c", b"B"), (b"%5.1f|", 2.25), (b"%(a)s", {b"a": b"z"}), (b"%s", "str"), (b"%s", 1), (b"%c", 300), (b"%5s|", b"a"), (b"%-5b|", b"a"), (b"%.1s", b"abc"), (b"%d", "a"), (b"%", ()), (b"%s", (1, 2)), (b"%y", 1), (b"%%", ()), (b"abc", 1), (b"%f", "a"), (b"%s %s", b"a"), (b"%b", bytearray(b"ba")), (b"%s", memoryview(b"mv"))]: t(f, v)
t(bytearray(b"%s!"), b"x"); print(type(bytearray(b"%d") % 5))
class B:
    def __bytes__(self): return b"bb"
t(b"%s", B())
