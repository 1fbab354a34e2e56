# bytearray: what changes it, and views that forbid it.
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__ + ":", e)

b = bytearray(b"abc")
t(b.append, 100); t(b.append, 256); t(b.append, "a"); t(b.extend, b"xy"); t(b.extend, [1, 2]); t(b.extend, "a"); t(b.extend, [300]); t(b.extend, 5); t(b.insert, 0, 65); t(b.insert, 100, 66); t(b.insert, -1, 67); t(b.pop); t(b.pop, 0); t(b.pop, 99); t(b.remove, 1); t(b.remove, 200); t(b.reverse); print(b)
t(b.copy); print(b.copy() is b); b += b"!"; b *= 2; print(b); t(b.clear); print(b); t(b.pop)
b = bytearray(range(10))
b[0] = 99; b[-1] = 98; print(b)
def seti(k, v):
    b[k] = v
def deli(k):
    del b[k]
t(seti, 10, 1); t(seti, 0, 256); t(seti, 0, "a"); t(seti, "a", 1); t(seti, 0, -1); t(seti, 0, b"a"); t(seti, 10**30, 1); t(deli, 20)
b[2:4] = b"XYZ"; print(b); b[1:1] = [7, 8]; print(b); b[::2] = bytes(len(b[::2])); print(b); t(seti, slice(None, None, 2), b"x"); del b[0]; del b[-2:]; del b[::3]; print(b); b[:] = b"new"; print(b); t(seti, slice(0, 1), "a"); t(seti, slice(0, 1), 5); b[1:2] = b; print(b); b[5:2] = b"zz"; print(b); b[::-1] = b[:]; print(b); b[0:3] = []; print(b); t(seti, slice(0, 2), [1, 300]); b[1:] = (x for x in b"q"); print(b)
def iadd(x):
    global b
    b += x
t(iadd, "x"); t(iadd, 5); t(iadd, [1]); print(b)
m = memoryview(b)
t(b.append, 1); t(b.clear); t(b.extend, b"x"); t(deli, 0); b[0] = 120; print(b, m[0]); t(lambda: b.__iadd__(b"x")); m.release(); t(b.append, 1); print(b)
with memoryview(b) as m: t(b.pop)
t(b.pop)
class SA(bytearray):
    def __init__(self, x, extra=None):
        super().__init__(x); self.extra = extra
s = SA(b"ab", extra=1); print(s, type(s), s.extra, s + b"c", type(s[:1]), type(s.copy()), s == b"ab")
t(SA); print(bytearray.__hash__)
x = bytearray(b"ab"); y = x; y += b"c"; print(x is y, x); x.extend(x); print(x); x[1:3] = memoryview(b"mv"); print(x)
