class Ix:
    def __init__(self, v): self.v = v
    def __index__(self): print('index'); return self.v
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
def sets(b, i, v):
    b[i] = v
    return b
for b in (b'ab', bytearray(b'ab'), 'ab', [1, 2], (1, 2), memoryview(b'ab'), range(2)):
    for i in (True, 5, -3, Ix(5), 2**70, Ix(2**70), Ix(None), 1.5, 'x', None, Ix(-1)):
        t(lambda: b[i])
for i in (5, Ix(2), Ix(None), 2**70, 1.5):
    for v in (1, 300, -1, 'x', None, Ix(7), Ix(300)):
        t(lambda: sets(bytearray(b'ab'), i, v))
class Me(type):
    def mro(cls): return super().mro()[:1]
try:
    class C1(metaclass=Me, opt=1): pass
except TypeError as e: print(e)
def dels(b, i):
    del b[i]
class Plain: pass
for b in (b'ab', 'ab', (1,), frozenset([1]), {1}, range(2), Plain(), 1, 1.5, None, len, int, {}.keys()):
    for i in (0, 2**70, Ix(2**70), Ix(None), 1.5, 'x'):
        t(lambda: sets(b, i, 0)); t(lambda: dels(b, i))
