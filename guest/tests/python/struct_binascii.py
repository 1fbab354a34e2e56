# _struct and binascii.
import _struct as struct, binascii
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__ + ":", e)

for c, v in [("b", 200), ("B", -1), ("h", 1 << 20), ("H", -5), ("i", 1 << 40), ("I", -1), ("l", 1 << 70), ("L", -1), ("q", 1 << 70), ("Q", -1), ("n", 1 << 70), ("N", -1), ("?", 2), ("e", 1e9), ("c", b"ab"), ("c", "a"), ("s", "a"), ("p", "a"), ("i", "x"), ("i", 1.5), ("f", "x"), ("x", 1), ("B", 1 << 100), ("I", 1 << 40), ("b", -128), ("h", -1), ("i", 123456), ("q", -2), ("Q", 2**64 - 1), ("f", 1.5), ("d", -0.1), ("e", 0.333), ("P", -1)]:
    for p in ("", "<", ">", "!", "="): t(struct.pack, p + c, v)
t(struct.pack, "2i", 1); t(struct.pack, "i", 1, 2); t(struct.unpack, "i", b"abc"); t(struct.unpack_from, "i", b"abc"); t(struct.unpack_from, "i", b"abcdef", 4); t(struct.unpack_from, "i", b"abcdef", -2); t(struct.unpack_from, "i", b"abcdef", -20); t(struct.unpack_from, "<h", b"abcdef", offset=2); t(struct.unpack_from, "<h", b"abcdef", -2); t(struct.pack_into, "i", bytearray(3), 0, 1); t(struct.pack_into, "i", bytearray(30), -2, 1); t(struct.pack_into, "i", bytearray(30), -40, 1); t(struct.pack_into, "i", b"aaaa", 0, 1)
buf = bytearray(8); struct.pack_into(">hh", buf, 2, 1, -1); print(buf); m = memoryview(buf); struct.pack_into("B", m, -1, 7); print(buf)
for f in ["y", "3", "99999999999999999999i", 1, "i\0", "bi", "ib", "ib0i", "=bi", "<n", b"<i", "10s", "0s", "c3xd", "bhilq", "<bhilq", "? h", "5p"]: t(struct.calcsize, f)
t(struct.iter_unpack, "i", b"abc"); t(struct.iter_unpack, "", b"abc"); print(list(struct.iter_unpack("<h", b"abcd")))
s = struct.Struct("<ih"); print(s, s.format, s.size); t(s.pack, 1); t(s.unpack, b""); t(list, s.iter_unpack(b"123456" * 2)); t(s.pack, 1, 2); t(s.unpack_from, b"xx123456", 2)
t(struct.pack, "5s3p2x", b"ab", b"abcdef"); t(struct.unpack, "5s3p2x", b"ab\0\0\0\x02ab.."); t(struct.unpack, "0s", b""); t(struct.pack, "0s", b"a"); t(struct.pack, " < i", 1); t(struct.pack, "<  i h", 1, 2); t(struct.pack, "?", []); t(struct.unpack, "?", b"\x05"); t(struct.pack); t(struct.pack_into, "i"); t(struct.unpack, "i", "abc"); t(struct.pack, ">I4sHd", 7, b"abcd", 9, 2.5); t(struct.unpack, ">I4sHd", struct.pack(">I4sHd", 7, b"abcd", 9, 2.5)); t(struct.unpack, "<e", b"\x01\x3c"); t(struct.pack, "<ee", float("inf"), 65504.0); t(struct.unpack, "<f", b"\xff\xff\xff\x7f")
for d in (b"", b"f", b"fo", b"foo", b"foobar", bytes(range(256))): t(binascii.b2a_base64, d); t(binascii.b2a_base64, d, newline=False); t(lambda: binascii.a2b_base64(binascii.b2a_base64(d)) == d)
for d in (b"Zg==", "Zm8=", b"Zm9v\nYmFy", b"Zm9vYmE", b"Z", b"Z===", b"=Zg", b"Zg==Zg==", b"Z!g=!=", "é", 5, b"Zm9vYg", b"", b"====", b"AAAAA"): t(binascii.a2b_base64, d)
for d in (b"Zg==", b"Zg==x", b"=Zg=", b"Z!g==", b"Zg=x=", b"Zm9v=", b"Zm9vYg=="): t(binascii.a2b_base64, d, strict_mode=True)
t(binascii.hexlify, b"\x00\xff"); t(binascii.hexlify, b"abcd", "-"); t(binascii.hexlify, b"abcd", b":", 2); t(binascii.unhexlify, "00fF"); t(binascii.unhexlify, b"0"); t(binascii.unhexlify, "zz"); t(binascii.unhexlify, "é"); t(binascii.a2b_hex, b"61"); t(binascii.b2a_hex, bytearray(b"x"))
t(binascii.crc32, b"hello"); t(binascii.crc32, b"lo", binascii.crc32(b"hel")); t(binascii.crc_hqx, b"hello", 0); t(binascii.crc32, b"", -1); t(binascii.crc32, "a"); t(binascii.crc32, b"x", 2**40 + 5)
t(binascii.b2a_uu, b"hello world"); t(binascii.a2b_uu, binascii.b2a_uu(b"hello world")); t(binascii.b2a_uu, b"\0\0", backtick=True); t(binascii.b2a_uu, b"x" * 46); t(binascii.a2b_uu, b"#0V%T!!\n")
t(binascii.b2a_qp, b"a=b\xff \nc\tx "); t(binascii.b2a_qp, b"x" * 100); t(binascii.a2b_qp, b"a=3Db=FF=\nc_d=20"); t(binascii.a2b_qp, b"a_b", header=True); t(binascii.b2a_qp, b"a b_c", header=True); t(binascii.b2a_qp, b"a\tb c\n", quotetabs=True); t(binascii.b2a_qp, b"a\r\nb\r\n"); t(binascii.b2a_qp, b".\n..\n")
print(issubclass(binascii.Error, ValueError), struct.error.__name__, struct.error.__module__, binascii.Error.__module__)
