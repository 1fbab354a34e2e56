# memoryview: items, slices, casts, release.
def t(f, *a, **k):
    try:
        r = f(*a, **k)
        print(r if isinstance(r, memoryview) is False and not isinstance(r, str) else "view" if isinstance(r, memoryview) else repr(r))
    except Exception as e:
        print(type(e).__name__ + ":", e)

b = bytearray(b"abcdef"); m = memoryview(b)
print(len(m), m[0], m[-1], m.format, m.itemsize, m.ndim, m.shape, m.strides, m.suboffsets, m.nbytes, m.readonly, m.obj is b, m.c_contiguous, m.f_contiguous, m.contiguous)
print(m.tobytes(), m.tolist(), m[1:3].tobytes(), m[::-1].tobytes(), m[::2].tolist(), bytes(m), list(m), m.hex(), m.hex(":"), bytes(m[::-2]), m[::2].strides, m[::-1].contiguous, m[2:2].tobytes())
m[0] = 65; m[1:3] = b"XY"; m[::2] = bytes([1, 2, 3]); print(b)
def seti(k, v):
    m[k] = v
t(seti, 0, 256); t(seti, 0, "a"); t(seti, 0, -1); t(seti, 10, 1); t(seti, slice(0, 2), b"abc"); t(seti, "a", 1); t(seti, slice(0, 2), "ab"); t(seti, 1.5, 1); t(lambda: m[10]); t(lambda: m["a"]); t(lambda: m[-7]); t(lambda: m[0, 0]); t(lambda: m[...])
def deli():
    del m[0]
t(deli)
r = memoryview(b"abc"); print(r.readonly, hash(r) == hash(b"abc"), r == b"abc", r == bytearray(b"abc"), r == "abc", r != b"abd", r == memoryview(b"abc"), r in [b"abc"], {r: 1}[b"abc"])
def setr():
    r[0] = 1
t(setr); t(hash, m); t(lambda: r < b"b"); t(lambda: r + b"x")
c = memoryview(bytearray(16)).cast("I"); print(len(c), c.format, c.itemsize, c.shape, c.strides, c.tolist()); c[0] = 0xdeadbeef; print(c.tobytes().hex(), c[0], c[1:].tolist(), c.nbytes)
def setc(v):
    c[1] = v
t(setc, -1); t(setc, 2**32); t(setc, "x"); t(c.cast, "H"); t(memoryview(b"abc").cast, "H"); t(memoryview(b"abcd").cast, "zz"); t(m[::2].cast, "B"); t(memoryview(b"abcd").cast, 5)
for f, data in [("b", b"\xff"), ("h", b"\xff\xff"), ("H", b"\xff\xff"), ("i", b"\x01\0\0\x80"), ("q", b"\xff" * 8), ("Q", b"\xff" * 8), ("f", b"\0\0\x80?"), ("d", b"\0" * 6 + b"\xf0?"), ("?", b"\x01"), ("c", b"a"), ("e", b"\0<"), ("l", b"\x05" + b"\0" * 7), ("@i", b"\x05\0\0\0")]: print(f, memoryview(data).cast(f).tolist())
d = memoryview(bytearray(range(12))).cast("B", [3, 4]); print(d.shape, d.strides, d.ndim, d.tolist(), d[1, 2], d[-1, -1], len(d), d.tobytes()); t(lambda: d[0]); t(lambda: d[3, 0]); t(lambda: d[0, 0, 0]); t(lambda: d[0:1].tolist()); d[0, 0] = 99; print(d.tolist()[0]); print(d.cast("B").tolist()); t(memoryview(b"abcd").cast, "B", [3, 2]); t(memoryview(b"abcd").cast, "B", 5); t(memoryview(b"abcd").cast, "B", [0, 4]); t(memoryview(b"abcd").cast, "B", ["a"])
ro = m.toreadonly(); print(ro.readonly, ro[0]); t(memoryview, "a"); t(memoryview, 5); t(memoryview); t(memoryview, b"x", 1); print(memoryview(object=b"k").tobytes())
x = memoryview(b"abc"); s = x[1:]; x.release(); t(lambda: x[0]); t(len, x); t(x.tobytes); print(s.tobytes(), repr(x)[:17], repr(s)[:10]); t(x.release); t(lambda: x.obj); t(lambda: x.nbytes); t(list, x)
with memoryview(b"ctx") as y: print(y[0])
t(lambda: y[0])
z = memoryview(memoryview(b"zz")[1:]); print(z.obj, z.tobytes())
print(b"".join([memoryview(b"a"), memoryview(b"bc")]), bytes(memoryview(b"abc")[::-1]), b"x" + memoryview(b"y"), int(memoryview(b"12")) if False else "", b"abc".find(memoryview(b"c")))
print(memoryview(b"abc") == memoryview(b"abc").cast("b"), memoryview(b"\x01\0\0\0").cast("i") == memoryview(b"\x01"), memoryview(bytearray(4)).cast("f") == memoryview(bytearray(4)).cast("f"))
print(memoryview(b"hello")[1:4][1:].tobytes(), memoryview(b"hello")[::2][::-1].tobytes(), sum(memoryview(b"\x01\x02")), 101 in memoryview(b"hello"), memoryview(b"abc").tobytes("C"), bool(memoryview(b"")))
src = bytearray(b"0123456789"); v = memoryview(src); v[2:6] = v[0:4]; print(src)
