# The encodings in which every byte is a character, and codecs found by way of the package encodings.
import codecs
names = """cp037 cp1006 cp1026 cp1125 cp1140 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp273 cp424 cp437 cp500 cp720 cp737 cp775 cp850 cp852 cp855 cp856 cp857 cp858
cp860 cp861 cp862 cp863 cp864 cp865 cp866 cp869 cp874 cp875 hp_roman8 iso8859_1 iso8859_10 iso8859_11 iso8859_13 iso8859_14 iso8859_15 iso8859_16 iso8859_2 iso8859_3 iso8859_4 iso8859_5
iso8859_6 iso8859_7 iso8859_8 iso8859_9 koi8_r koi8_t koi8_u kz1048 mac_arabic mac_croatian mac_cyrillic mac_farsi mac_greek mac_iceland mac_latin2 mac_roman mac_romanian mac_turkish palmos
ptcp154 tis_620 windows-1251 latin2 ISO-8859-15 KOI8-R macintosh IBM437 Windows_1252""".split()
every = bytes(range(256))
for name in names:
    text = every.decode(name, "replace")
    total = 0
    for c in text: total = (total * 31 + ord(c)) % 1000003
    back = text.encode(name, "ignore")
    for b in back: total = (total * 31 + b) % 1000003
    print(name, total, len(back), codecs.lookup(name).name)
def t(f, *a, **k):
    try:
        print(ascii(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__ + ":", ascii(str(e)))
t("é€☃".encode, "cp437"); t(b"\x81".decode, "cp1252"); t("☃".encode, "koi8-r", "replace"); t("☃".encode, "cp1251", "xmlcharrefreplace"); t("абв".encode, "cp866"); t(b"\xff".decode, "cp874")
t(codecs.encode, "Hello", "rot13"); t(codecs.decode, "Uryyb", "rot_13"); t(codecs.encode, b"ab", "hex"); t(codecs.decode, b"6162", "hex_codec"); t(codecs.encode, b"hi", "base64"); t("a".encode, "rot13"); t(b"a".decode, "hex"); t(codecs.encode, "bücher", "punycode"); t(codecs.decode, b"bcher-kva", "punycode")
print(codecs.lookup("utf8").name, codecs.lookup("U8") is codecs.lookup("utf-8"), codecs.lookup("latin1").name, codecs.lookup("cp437").encode("é"), codecs.lookup("ascii").decode(b"x"))
d = codecs.getincrementaldecoder("utf-8")(); print(ascii(d.decode(b"\xc3")), ascii(d.decode(b"\xa9x", True)))
e = codecs.getincrementalencoder("utf-16")(); print(e.encode("a"), e.encode("b"))
d = codecs.getincrementaldecoder("utf-16")(); print(repr(d.decode(b"\xff")), repr(d.decode(b"\xfea")), repr(d.decode(b"\0b\0")))
print(codecs.BOM_UTF8, codecs.BOM_UTF16, [codecs.iterdecode([b"\xe2\x82", b"\xac"], "utf-8") and "".join(codecs.iterdecode([b"\xe2\x82", b"\xac"], "utf-8"))])
codecs.register(lambda name: (lambda s, e="strict": (s[::-1].encode(), len(s)), lambda b, e="strict": (bytes(b).decode()[::-1], len(b)), None, None) if name == "test_reverse" else None)
t("abc".encode, "test-reverse"); t(b"cba".decode, "TEST_reverse"); t(str, b"xyz", "test_reverse"); t(codecs.lookup_error("ignore"), UnicodeEncodeError("ascii", "é", 0, 1, "r"))
codecs.register_error("mine", lambda e: ("[" + e.object[e.start:e.end].upper() + "]", e.end) if isinstance(e, UnicodeEncodeError) else ("?", e.end))
t("aéöb".encode, "ascii", "mine"); t("é".encode, "latin-1", "mine")
