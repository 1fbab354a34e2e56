import json
import math

def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except RecursionError as e:
        return 'RecursionError'
    except Exception as e:
        return type(e).__name__, str(e)

doc = '{"a": [1, 2.5, -3e10, true, false, null, "x\\u00e9\\n\\ud83d\\ude00"], "b": {"c": {}}, "d": [], "é": "ü"}'
v = json.loads(doc)
print(v, json.dumps(v), json.dumps(v, ensure_ascii=False), sep='\n')
print(json.dumps(v, indent=2), json.dumps(v, indent='\t', sort_keys=True), json.dumps(v, separators=(',', ':')), sep='\n')
print(json.dumps([1, 2.0, 1e100, -0.0, 10 ** 30, True, None, 'a"b\\c/\x00\x1f\x7f\u2028', float('nan'), float('inf'), -math.inf]))
print(json.dumps({1: 2, 1.5: 3, True: 4, None: 5, 'a': (1, 2)}), json.dumps({}), json.dumps([]), json.dumps(()), json.dumps('x'), json.dumps(3), json.dumps([[], {}], indent=1), json.dumps({'b': 1, 'a': {'d': 1, 'c': 2}}, sort_keys=True))
for bad in ['', ' ', '{', '[', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '[1,', '[1,]', '[1 2]', '{"a" 1}', '{a: 1}', "{'a': 1}", '"abc', '"a\\x"', '"a\\u12"', '"a\nb"', '"\\', '1 2', 'nul', '-', '01', '1.', '[1,\n 2,\n x]', '{"a":1 "b"}', 'NaN', '[Infinity, -Infinity]', '\ufeff1', '"\\ud800"', '1e5', '1E+2', '-0', '-0.0', '"é" x', '["\t"]', '123456789012345678901234567890', 'tru', '{"a":1, "a":2}', '[]]', '{"k": [1, {"z": tru}]}']:
    try:
        print(repr(bad), repr(json.loads(bad)))
    except json.JSONDecodeError as e:
        print(repr(bad), e, '|', e.msg, e.pos, e.lineno, e.colno, e.doc == bad)
print(attempt(json.loads, b'[1, "\xc3\xa9"]'), attempt(json.loads, bytearray(b'{}')), attempt(json.loads, 5), attempt(json.loads, '[1]', parse_int=float), attempt(json.loads, '[1.5]', parse_float=str), attempt(json.loads, '[NaN]', parse_constant=lambda x: x))
print(attempt(json.loads, '{"a": {"b": 1}}', object_hook=lambda d: sorted(d.items())), attempt(json.loads, '{"a": {"b": 1}}', object_pairs_hook=lambda d: d), json.loads('"a\tb"', strict=False), json.loads('{}', object_hook=len))
print(attempt(json.dumps, {1, 2}), attempt(json.dumps, {'a': object}), attempt(json.dumps, {(1, 2): 3}), json.dumps({(1, 2): 3, 'a': 1}, skipkeys=True), attempt(json.dumps, float('nan'), allow_nan=False), attempt(json.dumps, {'a': b'x'}), attempt(json.dumps, {2: 1, 'a': 2}, sort_keys=True))
print(json.dumps({1, 2}, default=sorted), json.dumps(complex(1, 2), default=lambda c: [c.real, c.imag]), attempt(json.dumps, object(), default=lambda o: o))
a = []
a.append(a)
print(attempt(json.dumps, a), attempt(json.dumps, a, check_circular=False))
d = {}
d['d'] = d
print(attempt(json.dumps, d), attempt(json.loads, '[' * 100000), attempt(json.loads, '{"a":' * 100000))
class E(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, complex):
            return {'re': o.real}
        return super().default(o)
print(json.dumps([1j], cls=E), attempt(json.dumps, [object], cls=E), E(indent=1).encode({'a': 1j}), list(E().iterencode([1, {'a': 2}])), ''.join(json.JSONEncoder(indent=1).iterencode({'a': [1, 'x']})))
class I(int):
    def __repr__(self):
        return 'I!'
class S(str):
    pass
class D(dict):
    pass
class L(list):
    pass
print(json.dumps([I(5), S('é'), D(a=1), L([1]), {I(7): 1}]), json.dumps(D(b=2), indent=0))
import io
f = io.StringIO()
json.dump({'a': [1, 2]}, f, indent=2)
print(f.getvalue(), json.load(io.StringIO('[1]')))
print(json.JSONDecoder().raw_decode('{"a": 1} tail'), json.JSONDecoder().raw_decode('xx [1]', 3), attempt(json.JSONDecoder().raw_decode, 'x'))
try:
    json.loads('[1,\n2,,3]')
except ValueError as e:
    print(type(e).__name__, e, e.args)
big = {'k%d' % i: [i, i / 2, str(i), None] for i in range(300)}
print(json.loads(json.dumps(big)) == big, len(json.dumps(big, indent=4)))
print(json.encoder.encode_basestring_ascii('é"'), json.encoder.encode_basestring('é"'), json.decoder.scanstring('abc" x', 0), attempt(json.decoder.scanstring, '"abc', 1))
