# Every method of str, with results and error texts.
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__ + ":", e)

words = ["", "hello", "Hello World", "HELLO", "hELLO wORLD 123", "ǆabc ßx ﬁn", "ΑΣ ΑΣΑ Σ", "İstanbul", "they're bill's", "\u1e9e\u0130", "123", "٣", "²", "½", "五",
         " \t\n", "\u2003", "a\u0301b", "\ud800x", "x\U0001F600y", "_id9", "9id", "naïve", "tab\there", "A.B'C", "\u01c5", "\xa0"]
for w in words:
    print(ascii(w), [ascii(getattr(w, m)()) for m in ("capitalize", "casefold", "lower", "upper", "swapcase", "title")])
    print([int(getattr(w, m)()) for m in ("isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric",
                                            "isprintable", "isspace", "istitle", "isupper")])

for args in [("abc",), ("b",), ("",), ("c", 1), ("a", 1), ("c", -1), ("", 3), ("", 4), ("", 7), ("bc", None, 2), ("c", 0, 100), ("bcabc", -100), (1,), (None,), ("a", "x"), ("a", 1.5), ()]:
    for m in ("find", "rfind", "index", "rindex", "count"):
        t(getattr("abcabc", m), *args)
s = "añoño\U0001F600ño"
for args in [("ño",), ("ño", 2), ("ño", 3, -1), ("\U0001F600",), ("o", -1), ("",), ("", 99), ("ñ", 4)]:
    for m in ("find", "rfind", "count"):
        t(getattr(s, m), *args)
for args in [("a",), ("c",), ("",), (("x", "a"),), (("x", "c"),), ((),), ("b", 1), ("bc", 1, 2), ("", 5), ("", 6), ("", 7), (1,), ((1,),), (["a"],), (None,), ("c", -1), ("c", None, -5)]:
    t("abc abc"[:6].startswith, *args)
    t("abc abc"[:6].endswith, *args)
for args in [("a", "b"), ("", "-"), ("", "-", 2), ("a", "", 1), ("abc", "xyz"), ("a", "a"), ("bc", "é"), ("a", "bb", 0), ("a", "b", -5), (1, "b"), ("a", None), ("a",), ("z", "y"), ("abcabcabc", "x")]:
    t("abcabc".replace, *args)
t("abcabc".replace, "a", "b", count=1)
t("".replace, "", "x"); t("".replace, "", "x", 0); t("ñandú".replace, "", "-"); t("ñandú".replace, "n", "ñ"); t("ñandú".replace, "ú", "u"); t("aaa".replace, "aa", "b")
for args in [(), (None,), (" ",), (",",), ("",), (1,), (None, 1), (None, 0), (None, 2), (" ", 1), (" ", 0), ("b c", 1), (None, -1), (None, "x")]:
    for m in ("split", "rsplit"):
        t(getattr(" a b  c d ", m), *args)
        t(getattr(" ä b\u3000 c d ", m), *args)
t("a,b".split, sep=",", maxsplit=1); t("a--b--c".rsplit, "--", 1); t("".split); t("".split, ","); t("x".split, "x"); t("1<>2<>3".split, "<>", maxsplit=1); t("a".split, maxsplit=5)
for text in ("ab c\n\nde fg\rkl\r\n", "", "\n", "one\x0btwo\x0cthree\x1cfour\x1dfive\x1esix\x85seven\u2028eight\u2029nine", "a\r\r\nb", "no end", "é\nü\r\n"):
    t(text.splitlines); t(text.splitlines, True); t(text.splitlines, keepends=0)
for sep in ("b", "bc", "z", "", 1, None):
    t("abcabc".partition, sep); t("abcabc".rpartition, sep)
t("añb".partition, "ñ")
for args in [(), (None,), ("a",), ("ab",), ("",), (1,), ("é",), ("éa ",)]:
    for m in ("strip", "lstrip", "rstrip"):
        t(getattr("  aabé caa é ", m), *args)
        t(getattr("aabcaa", m), *args)
t("\u2003x\xa0".strip); t("\x1cx\x1f".strip)
for w in (0, 3, 4, 5, 10, -1, "x", 2.0):
    for m in ("center", "ljust", "rjust"):
        t(getattr("abc", m), w)
        t(getattr("ab", m), w, "*")
t("é".center, 6, "ñ"); t("a".center, 3, ""); t("a".center, 3, "xy"); t("a".center, 3, 1); t("a".ljust, 10**30); t("".ljust, 1, "x"); t("".ljust, 1, "é")
for s in ("42", "-42", "+42", "", "-", "a", "é"):
    t(s.zfill, 5); t(s.zfill, 1)
t("01\t012\t0123\t01234".expandtabs); t("01\t012\t0123\t01234".expandtabs, 4); t("a\tb\n\tc".expandtabs, 0); t("é\té".expandtabs, 3); t("a\tb".expandtabs, tabsize=-1); t("a\tb".expandtabs, 1)
t("-".join, ["a", "b", "c"]); t("".join, []); t("-".join, ["x"]); t("-".join, ("a",)); t(", ".join, "abc"); t("-".join, [1]); t("-".join, ["a", None]); t("-".join, 5); t("ñ".join, ["a", "é"]); t("".join, ["", "a"]); t("".join, (x for x in "xyz")); t("".join, {"k": 1}); t("-".join)
t("prefix-x".removeprefix, "prefix-"); t("abc".removeprefix, "x"); t("abc".removeprefix, ""); t("abc".removesuffix, "bc"); t("abc".removesuffix, ""); t("abc".removesuffix, 1); t("abc".removeprefix, None)
t("abc".translate, {97: "xyz", 98: None, 99: 100}); t("abc".translate, {}); t("añb".translate, {0xf1: "n"}); t("abc".translate, {97: 1114112}); t("abc".translate, {97: 1.5}); t("abc".translate, "zzz" * 50); t("abc".translate, 5); t("abc".translate, [1, 2])
t(str.maketrans, "abc", "xyz"); t(str.maketrans, "abc", "xyz", "de"); t(str.maketrans, {"a": 1, 98: "q"}); t(str.maketrans, {"ab": 1}); t(str.maketrans, {1.5: 1}); t(str.maketrans, "ab", "x"); t(str.maketrans, "ab"); t(str.maketrans, 1, "x"); t(str.maketrans, "a", 1); t(str.maketrans, "a", "b", 1)
t("hello".translate, str.maketrans("el", "ip", "o"))
t("abc".lower, 1); t("abc".split, 1, 2, 3); t("abc".find); t("abc".replace); t("abc".center); t("abc".zfill); t("abc".split, foo=1); t(str.join); t(str.upper, 5); t("a".strip, "a", "b"); t("abc".partition)
