# What subclasses override, and what a subscript alone does not make: matches, JSON of lists, arguments of OSError.
import re, json, io
m = re.match('(a)(b)', 'ab')
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
t(lambda: list(m)); t(lambda: iter(m)); t(lambda: print(*m))
def un():
    a,b,c=m
t(un)
t(lambda: reversed(m)); t(lambda: m[1]); t(lambda: ''.join(m)); t(lambda: dict(m)); t(lambda: set(m)); t(lambda: sorted(m))
t(lambda: [*m]); t(lambda: max(m)); t(lambda: list(enumerate(m))); t(lambda: list(zip(m)))
def slc():
    a=[1]; a[0:1]=m
t(slc)
def ext():
    a=[1]; a+=m
t(ext)
class Stream(list):
    def __init__(s, g): s.g = g
    def __iter__(s): return iter(s.g)
    def __len__(s): return 1
print(json.dumps({'rows': Stream(x for x in range(3))}))
class L(list):
    def __iter__(s): return iter('abc')
print(json.dumps(L([1, 2])))
class T(tuple):
    def __iter__(s): return iter('xy')
print(json.dumps(T((1, 2))))
class D(dict):
    def items(s): return [('z', 9)]
print(json.dumps(D()), json.dumps(D(a=1)))
class NetErr(ConnectionError):
    def __init__(self, host): self.host = host
e = NetErr('h'); print([str(e)], repr(e), e.args)
class E2(OSError):
    def __init__(self, a, b): pass
e=E2(1,2); print(e.errno, e.args)
class F(OSError):
    def __init__(self, path): super().__init__(2,'no file',path)
e=F('p'); print(repr(e), str(e), e.errno, e.filename, e.args)
class G(OSError):
    def __new__(cls, *a): return super().__new__(cls, *a)
    def __init__(self, *a): self.x = a
e=G(2,'x','f'); print(repr(e), str(e), e.errno, e.filename, e.args)
print(repr(OSError(2,'x','y')), OSError(2,'x','y').filename, repr(PermissionError('p')))
class H(FileNotFoundError): pass
e=H(2,'x','f'); print(repr(e), str(e), e.errno, e.filename, e.args)
e=H('only'); print(repr(e), str(e), e.errno)
import copy, pickle
e=OSError(2,'x','y'); print(repr(copy.copy(e)), copy.copy(e).filename)
b=io.BytesIO(b'abc')
print(b.seek(2), b.read(), b.truncate(1), b.getvalue())
print(range(10).__len__(), len(range(2**31-1)))
