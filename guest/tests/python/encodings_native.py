# How text becomes bytes and back: the codecs that are part of the interpreter, and the error handlers.
def t(f, *a, **k):
    try:
        print(ascii(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__ + ":", ascii(str(e)))

texts = ["abc", "é", "€", "日本", "\U0001F600x", "\ud800", "a\udc80b", "x\ud800\ud801y", "", "\x81", "“q”"]
encs = ["utf-8", "ascii", "latin-1", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "cp1252", "utf-8-sig", "unicode_escape", "raw_unicode_escape"]
for enc in encs:
    print(enc)
    for x in texts:
        t(x.encode, enc)
for h in ["strict", "ignore", "replace", "backslashreplace", "xmlcharrefreplace", "namereplace", "surrogateescape", "surrogatepass", "nope"]:
    print(h)
    for enc in ("utf-8", "ascii", "latin-1", "utf-16-le", "utf-32-be", "cp1252"):
        for x in ["aéb€\U0001F600", "\ud800\udc80", "a\udc80\udcffb"]:
            t(x.encode, enc, h)
datas = [b"abc", b"\xc3\xa9", b"\xff", b"a\xe2\x82", b"\xe2\x28\xa1", b"\xc0\x80", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80", b"\xf5", b"\x80abc\x81\x82", b"\xe2\x82\xac\xe2", b"", b"\xf0\x9f\x98", b"\xc3\xa9\xc3", b"\xe0\x80\x80", b"\xf0\x80\x80\x80"]
for h in ["strict", "ignore", "replace", "backslashreplace", "surrogateescape", "surrogatepass", "xmlcharrefreplace", "nope"]:
    print(h)
    for d in datas:
        t(d.decode, "utf-8", h); t(d.decode, "ascii", h)
    for d in [b"\x81\x8d", b"\x80\x99"]: t(d.decode, "cp1252", h)
for enc, d in [("utf-16", b"\xff\xfea\0b\0"), ("utf-16", b"\xfe\xff\0a\0b"), ("utf-16", b"a\0"), ("utf-16-le", b"a\0\x00\xd8"), ("utf-16-le", b"\x00\xd8a\0"), ("utf-16-le", b"\x00\xdc"), ("utf-16-be", b"\xd8\x3d\xde\x00"), ("utf-16", b"a"), ("utf-16-le", b"=\xd8\x00\xde"), ("utf-32", b"\xff\xfe\0\0a\0\0\0"), ("utf-32-le", b"a\0\0\0\0\xd8\0\0"), ("utf-32-be", b"\0\x11\0\0"), ("utf-32-le", b"abc"), ("utf-32-be", b"\0\0\0a"), ("utf-8-sig", b"\xef\xbb\xbfabc"), ("utf-8-sig", b"abc"), ("latin-1", b"\xe9\xff"), ("L1", b"\xe9"), ("UTF8", b"a"), ("u8", b"a"), ("US-ASCII", b"a"), ("iso-8859-1", b"\xe9"), ("windows-1252", b"\x80"), ("unicode_escape", b"\\n\\x41\\u00e9\\U0001F600\\N{BULLET}\\101\\q\\\\"), ("unicode_escape", b"\\x4"), ("unicode_escape", b"\\u12"), ("unicode_escape", b"\\"), ("unicode_escape", b"\\U00110000"), ("unicode_escape", b"\\N{NOPE}"), ("unicode_escape", b"\xe9"), ("raw_unicode_escape", b"\\u00e9\\n\\\\u0041\\x41"), ("raw_unicode_escape", b"\\u12")]:
    for h in ("strict", "replace", "ignore"):
        t(d.decode, enc, h)
for f in ("a".encode, b"a".decode):
    t(f, "klingon"); t(f, "utf-8", "bogus"); t(f, 5); t(f, "utf-8", 5); t(f, None)
try: "é€x".encode("ascii")
except UnicodeEncodeError as e: print(e.encoding, ascii(e.object), e.start, e.end, e.reason, e.args == (e.encoding, e.object, e.start, e.end, e.reason))
try: b"ab\xffc".decode()
except UnicodeDecodeError as e: print(e.encoding, e.object, e.start, e.end, e.reason, isinstance(e, ValueError))
t(b"a\0b\0".decode, "utf_16_le"); t("ab".encode, "utf_16_be"); t("x".encode, encoding="utf-8", errors="strict"); t(b"caf\xc3\xa9".decode, errors="replace")
print(b"\x00\xff".decode("utf-8", "surrogateescape").encode("utf-8", "surrogateescape"), "\ud83d\ude00".encode("utf-16-le", "surrogatepass").decode("utf-16-le") == "\U0001F600")
