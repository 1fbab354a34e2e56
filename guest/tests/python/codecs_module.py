# _codecs: registered handlers and search functions, and the functions that codecs.py is made of.
import _codecs
def t(f, *a, **k):
    try:
        print(ascii(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__ + ":", ascii(str(e)))

def handler(e):
    return ("<%s>" % ascii(e.object[e.start:e.end]), e.end)
_codecs.register_error("test.angle", handler)
t("aéb".encode, "ascii", "test.angle"); t(b"a\xffb".decode, "ascii", "test.angle"); t(b"a\xe2\x28b".decode, "utf-8", "test.angle")
_codecs.register_error("test.bad", lambda e: 5)
t("é".encode, "ascii", "test.bad"); t(b"\xff".decode, "ascii", "test.bad")
_codecs.register_error("test.bytes", lambda e: (b"\x00\x01", e.end))
t("aéb".encode, "ascii", "test.bytes")
_codecs.register_error("test.neg", lambda e: ("?", -1))
t("é!x".encode, "ascii", "test.neg")
_codecs.register_error("test.far", lambda e: ("?", 99))
t("é!x".encode, "ascii", "test.far")
_codecs.register_error("test.uni", lambda e: ("é", e.end))
t("é".encode, "ascii", "test.uni")
t(_codecs.lookup_error, "nope"); t(_codecs.register_error, "x", 5)
for name in ("ignore", "replace", "backslashreplace", "xmlcharrefreplace", "strict", "surrogateescape", "surrogatepass", "namereplace"):
    h = _codecs.lookup_error(name)
    t(h, UnicodeEncodeError("ascii", "aé\udc80", 1, 3, "why")); t(h, UnicodeDecodeError("utf-8", b"a\xff\xfe", 1, 3, "why")); t(h, UnicodeTranslateError("aéb", 1, 2, "why")); t(h, ValueError("x"))
t(_codecs.utf_8_encode, "é"); t(_codecs.utf_8_decode, b"\xc3\xa9\xc3"); t(_codecs.utf_8_decode, b"\xc3\xa9\xc3", "strict", True); t(_codecs.utf_16_encode, "a"); t(_codecs.utf_16_le_encode, "a"); t(_codecs.utf_16_ex_decode, b"\xff\xfea\0b"); t(_codecs.utf_16_ex_decode, b"\xfe\xff\0a"); t(_codecs.utf_16_ex_decode, b"a\0", "strict", 0, True); t(_codecs.latin_1_decode, b"\xe9"); t(_codecs.ascii_encode, "é", "ignore"); t(_codecs.escape_decode, b"\\x41\\n\\101\\q"); t(_codecs.escape_decode, b"\\x4"); t(_codecs.escape_encode, b"a'\n\xff\\"); t(_codecs.unicode_escape_decode, "\\u00e9"); t(_codecs.unicode_escape_encode, "é\n"); t(_codecs.utf_32_decode, b"a\0\0"); t(_codecs.readbuffer_encode, b"rb")
cm = _codecs.charmap_build("".join(chr(i + 1) for i in range(256)))
t(_codecs.charmap_encode, "bcd", "strict", {98: 1, 99: b"xx", 100: None}); t(_codecs.charmap_encode, "bcd", "replace", {98: 1, 63: 9}); t(_codecs.charmap_encode, "bé", "ignore", {98: 65}); t(_codecs.charmap_decode, b"\x00\x01", "strict", "AB"); t(_codecs.charmap_decode, b"\x00\x05", "strict", "AB"); t(_codecs.charmap_decode, b"\x00\x05", "replace", {0: "xy", 5: None}); t(_codecs.charmap_decode, b"\x00", "strict", {0: 0x1F600}); t(_codecs.charmap_decode, b"ab")
t(_codecs.encode, "é"); t(_codecs.decode, b"\xc3\xa9"); t(_codecs.encode, "é", "latin-1"); t(_codecs.decode, b"\xff", "ascii", "replace"); t(_codecs.encode, "x", "klingon"); t(_codecs.register, 5)
