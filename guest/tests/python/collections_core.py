from _collections import deque, defaultdict, OrderedDict, _count_elements, _tuplegetter


def show(*fs):
    for f in fs:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e)


d = deque([1, 2, 3])
show(
    lambda: d['a'], lambda: d[9], lambda: d[0:1], lambda: d.remove(9), lambda: d.pop(1), lambda: deque().pop(), lambda: deque().popleft(), lambda: deque(1), lambda: deque([], -1), lambda: deque([], 'a'),
    lambda: deque([1], maxlen=2), lambda: deque(1, 2, 3), lambda: deque(x=1), lambda: d * 2, lambda: 2 * d, lambda: d.rotate('a'), lambda: d.insert(0), lambda: deque([1, 2], 2).insert(0, 3),
    lambda: d.extend(1), lambda: d.copy(), lambda: type(d), lambda: d.__delitem__(7), lambda: d.__setitem__(7, 1), lambda: d.append(), lambda: deque.__name__, lambda: type(iter(d)), lambda: d * 2**70,
    lambda: deque([1, 2], maxlen=None), lambda: d.index(1, 'a'), lambda: d.rotate(1, 2), lambda: d.__reduce__()[:3], lambda: deque([1], 2).__reduce__()[:3], lambda: iter(d).__reduce__(), lambda: deque(maxlen=2**70),
)
d = deque('abc'); d.append('d'); d.appendleft('z'); d.extend('xy'); d.extendleft('12'); print(d, len(d), d[0], d[-1], d[3])
print(d.pop(), d.popleft(), d.count('a'), d.index('a'), d.index('c', 2), d.index('z', -100, 50), d)
d.rotate(2); print(d); d.rotate(-3); print(d); d.rotate(100); print(d); d.rotate(0); d.reverse(); print(d)
d.remove('c'); d.insert(1, 'I'); d.insert(-1, 'J'); d.insert(100, 'K'); d[0] = 'first'; del d[1]; print(d, 'I' in d, 'K' in d)
d.clear(); print(d, bool(d), d.rotate(5))
m = deque(range(10), maxlen=3); print(m, m.maxlen, deque().maxlen); m.append(1); print(m); m.appendleft(2); print(m); m.extend('abcd'); print(m); m.extendleft('xy'); print(m, m.copy(), m + deque('q'), m * 2)
z = deque('ab', 0); z.append(1); print(z, len(z))
print(deque([1, 2]) == deque([1, 2]), deque([1]) == [1], deque([1]) < deque([1, 2]), deque([2]) > deque([1, 5]), deque() != deque(), deque([1, 2]) <= deque([1, 2]))
a = deque([1, 2]); b = a; b += [3]; b *= 2; print(a, a is b, a + deque([9])); a.extend(a); print(a); a.extendleft(a); print(a)
r = deque(); r.append(r); print(r); print(list(reversed(deque('abc'))), list(deque('abc')), [*deque(range(3))])
def loop(f):
    out = []
    try:
        for x in d:
            out.append(x)
            f(x)
    except (RuntimeError, IndexError) as e:
        out.append(str(e))
    print(out)
d = deque([1, 2, 3]); loop(d.append); loop(lambda x: d.popleft()); loop(lambda x: d.__setitem__(0, 9)); loop(lambda x: d.rotate(1))
class Clear:
    def __eq__(self, other): d.clear(); return False
for f in (lambda: d.remove(5), lambda: d.count(5), lambda: d.index(5), lambda: 5 in d):
    d = deque([1, Clear(), 3])
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class D(deque):
    def __init__(self, *a, tag=None): super().__init__(*a); self.tag = tag
x = D([1, 2], tag='t'); print(x, x.tag, type(x.copy()), type(x + deque()), x.__reduce__()[:3], type(x * 2))
it = iter(deque('abcd')); next(it); print(it.__length_hint__(), list(it), type(it)(deque('xyz'), 1).__length_hint__(), list(type(it)(deque('xyz'), 1)), list(type(reversed(deque()))(deque('xyz'), 1)))

# defaultdict
dd = defaultdict(list)
show(
    lambda: dd, lambda: dd['a'], lambda: dd, lambda: defaultdict(1), lambda: defaultdict()[1], lambda: dd.__reduce__()[:4], lambda: dd.copy(), lambda: dd | {1: 2}, lambda: {1: 2} | dd, lambda: defaultdict(None, a=1),
    lambda: dd.default_factory, lambda: defaultdict(1, 2, 3), lambda: dd.__missing__(4), lambda: type(dd), lambda: dd.get('q'), lambda: 'q' in dd, lambda: type(dd.copy()), lambda: defaultdict(int, {1: 2}, b=3), lambda: dd | [],
)
c = defaultdict(int)
for ch in 'mississippi': c[ch] += 1
print(c, c == {'m': 1, 'i': 4, 's': 4, 'p': 2}, isinstance(c, dict), dict(c))
t = lambda: defaultdict(t)
x = t(); x['a']['b']['c'] = 1; print(list(x), list(x['a']), x['a']['b']['c'])
dd = defaultdict(list); dd.default_factory = None
show(lambda: dd[5])
dd.default_factory = set; dd['x'].add(1); print(dd)
s = defaultdict(int); s['self'] = s; print(s)
class DD(defaultdict):
    def __missing__(self, key): self[key] = v = key * 2; return v
y = DD(); y.extra = 1; print(y[4], y, y.extra, y.default_factory, type(y.copy()), type(y | {}))
z = defaultdict(lambda: 1 // 0)
show(lambda: dd.pop('nope', 0), lambda: dd.setdefault('n', 1), lambda: dd.update(a=2) or dd)

# OrderedDict
o = OrderedDict(a=1, b=2, c=3)
show(
    lambda: o, lambda: OrderedDict(), lambda: o.popitem(1), lambda: OrderedDict().popitem(), lambda: o.move_to_end('x'), lambda: o.pop('x'), lambda: o.pop('x', default=3), lambda: o.keys(), lambda: o.items(), lambda: o.values(),
    lambda: o.__reduce__()[:4], lambda: o == OrderedDict(b=2, a=1), lambda: o == {'b': 2, 'a': 1}, lambda: {'b': 2, 'a': 1} == o, lambda: o | {'c': 3}, lambda: {'c': 3} | o, lambda: OrderedDict(1), lambda: OrderedDict(1, 2),
    lambda: o.fromkeys([1, 2], 3), lambda: o.copy(), lambda: o.setdefault('q', 3), lambda: o.setdefault('q', 4), lambda: o.__dict__, lambda: OrderedDict([(1, 2, 3)]), lambda: o.update(1, 2), lambda: o.move_to_end('q', last=False),
    lambda: o, lambda: o != OrderedDict(o), lambda: o < o, lambda: hash(o), lambda: list(reversed(o)), lambda: list(reversed(o.items())), lambda: type(o.keys()), lambda: type(iter(o)), lambda: o.popitem(last=False), lambda: o,
)
o |= {'z': 26}; o.update([('y', 25)], w=23); o['a'] = 'new'; print(o, list(o), len(o))
o.move_to_end('b') if 'b' in o else None; o.move_to_end('a'); print(o); o.x = 5; print(o.x, o.__dict__, o.copy().__dict__)
big = OrderedDict((i, i) for i in range(50))
for i in range(0, 50, 7): big.move_to_end(i)
for i in range(0, 50, 11): big.move_to_end(i, last=False)
for i in range(3, 50, 5): del big[i]
print(list(big), big.popitem(), big.popitem(last=False), big[20], 33 in big, len(big))
for i in range(500): big[i % 70] = i; big.move_to_end((i * 3) % 70, last=bool(i % 2)) if (i * 3) % 70 in big else None
print(list(big))
lru = OrderedDict()
for i in range(2000):
    k = (i * i) % 37
    if k in lru: lru.move_to_end(k)
    lru[k] = i
    if len(lru) > 9: lru.popitem(last=False)
print(lru)
def loop(f):
    try:
        for k in o: f(k)
        print('fine')
    except RuntimeError as e:
        print(e)
loop(lambda k: o.__setitem__('new', 1)); loop(lambda k: o.move_to_end('a')); loop(lambda k: o.__setitem__(k, 1)); loop(o.pop)
class O(OrderedDict):
    def __setitem__(self, k, v): super().__setitem__(k, v); self.log = getattr(self, 'log', ()) + (k,)
p = O(a=1); p.update(b=2); p['c'] = 3; p.setdefault('d', 4); print(p, p.log, type(p.copy()), type(p | {}), p.pop('a'), p.popitem(), repr(O()))
r = OrderedDict(); r['r'] = r; print(r)

# The rest
c = {}; print(_count_elements(c, 'hello'), c); _count_elements(c, [1, 1.0, 'l']); print(c)
class Counting(dict):
    def __setitem__(self, k, v): super().__setitem__(k, v * 10)
c = Counting(); _count_elements(c, 'aa'); print(c)
g = _tuplegetter(1, 'doc of it')
class P(tuple): second = g
print(P((1, 2)).second, g, P.second is g, g.__doc__, g.__reduce__()[1])
show(lambda: P((1,)).second, lambda: setattr(P((1, 2)), 'second', 3), lambda: g.__get__([1, 2], list))
