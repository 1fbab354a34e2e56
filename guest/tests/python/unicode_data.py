# unicodedata: properties, names, normal forms.
import unicodedata as u
def t(f, *a, **k):
    try:
        print(ascii(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__ + ":", ascii(str(e)))

for c in "aA1 é٣²½五Ⅷǅ\u0301\u200b\ud800\n€\U0001F600ﬁ한\u05d0(\uff21\xad":
    print(ascii(c), u.category(c), u.bidirectional(c), u.combining(c), u.east_asian_width(c), u.mirrored(c), u.decimal(c, None), u.digit(c, None), u.numeric(c, None), u.name(c, None))
t(u.decimal, "a"); t(u.digit, "a"); t(u.numeric, "a"); t(u.name, "\n");  t(u.category, 5); t(u.numeric, "½"); t(u.numeric, "⅓"); t(u.numeric, "兆")
for s in ["é", "e\u0301", "ﬁ①Å", "가", "\u1100\u1161", "a\u0327\u0301", "\ud800é", "abc", "ẛ̣", "Ⅷ½"]:
    for f in ("NFC", "NFD", "NFKC", "NFKD"):
        n = u.normalize(f, s); print(ascii(n), u.is_normalized(f, s), u.is_normalized(f, n))
t(u.normalize, "NFX", "é"); t(u.normalize, "NFC", 5); t(u.normalize, 5, "a")
t(u.lookup, "LATIN SMALL LETTER E WITH ACUTE"); t(u.lookup, "bullet"); t(u.lookup, "NOPE"); t(u.name, "\U0001F600"); t(u.lookup, "CJK UNIFIED IDEOGRAPH-4E94"); t(u.name, "五"); t(u.name, "한")
import sys
# A check sum over the assigned characters of the Basic Multilingual Plane that have been stable for long.
for lo, hi in [(0, 0x190), (0x370, 0x530), (0x600, 0x700), (0x900, 0x980), (0x1e00, 0x2000), (0x2000, 0x2070), (0x2150, 0x218c), (0x3040, 0x3100), (0x4e00, 0x5000), (0xac00, 0xad00), (0xfb00, 0xfb07), (0x1d400, 0x1d500)]:
    total = 0
    for i in range(lo, hi):
        c = chr(i)
        bits = [c.isalpha(), c.isdecimal(), c.isdigit(), c.isnumeric(), c.isspace(), c.isprintable(), c.islower(), c.isupper(), c.istitle(), c.isidentifier(), ("a" + c).isidentifier(), c.isalnum()]
        for x in bits: total = (total * 31 + x) % 1000003
        for x in c.lower() + "|" + c.upper() + "|" + c.title() + "|" + c.casefold() + "|" + c.swapcase() + u.category(c) + u.bidirectional(c) + u.east_asian_width(c): total = (total * 31 + ord(x)) % 1000003
    print(hex(lo), total)
