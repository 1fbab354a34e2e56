import re

def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)

print(re.match(r'a+', 'aaab'), re.search('z', 'abc'), re.fullmatch('abc', 'abc'))
m = re.match(r'(?P<first>\w+) (?P<second>\w+)(x)?', 'Isaac Newton, physicist')
print(m.group(), m.group(0), m.group(1, 2), m['first'], m[2], m.groups(), m.groups('-'), m.groupdict(), m.groupdict(0))
print(m.start(), m.end(), m.span(2), m.start('second'), m.span(3), m.lastindex, m.lastgroup, m.pos, m.endpos, m.string, m.regs)
print(m.re, m.expand(r'\2, \1 \g<first>!\g<3>'), bool(m))
print(attempt(m.group, 4), attempt(m.group, 'nope'), attempt(m.group, -1), attempt(lambda: m[1.5]))
p = re.compile(r'(\d+)-(?P<word>[a-z]+)', re.I | re.M)
print(p.pattern, p.flags, p.groups, dict(p.groupindex), p.groupindex, p)
print(p == re.compile(r'(\d+)-(?P<word>[a-z]+)', re.I | re.M), p == re.compile('a'), hash(p) == hash(p), p is re.compile(p))
print(re.compile('a'), re.compile(b'a', re.X), re.compile('a', re.A), re.compile('', re.S | re.DOTALL | re.U), re.compile('x' * 300))
print(p.findall('1-a 22-bB 3-'), re.findall('a', 'banana'), re.findall('(a)(n)?', 'banana'), re.findall(b'.', b'ab'), re.findall('', 'ab'))
print([m.span() for m in re.finditer('a*', 'baac')], list(re.finditer('x', 'abc')), type(re.finditer('a', 'a')).__name__)
print(re.split(r'\W+', 'Words, words, words.'), re.split(r'(\W+)', 'Words, words.'), re.split('x*', 'axbc'), re.split('[a-f]+', '0a3B9', flags=re.I))
print(re.split(r'\W+', 'Words, words, words.', maxsplit=1), re.split('(a)|b', '1b2a3'), re.split('a', 'xax', maxsplit=-1))
print(re.sub('a', 'b', 'banana'), re.sub('a', 'b', 'banana', count=2), re.sub('(a)(n)', r'\2\1', 'banana'), re.sub('x*', '-', 'abxd'))
print(re.subn('a', lambda m: m.group().upper(), 'banana'), re.subn('q', 'z', 'banana'), re.sub('a', '', 'banana', count=-1))
print(re.sub(b'a', b'\\g<0>!', b'banana'), re.sub('é', 'e', 'café é'), re.sub('(.)', r'<\1>', 'aé€😀'), re.sub('a', lambda m: None, 'banana'))
print(re.sub(r'(?P<x>.)', r'\g<x>\n\t\\', 'ab'), re.sub('a', r'\x', 'b') if 0 else '')
for args in [('a', 1, 'banana'), ('a', b'x', 'banana'), (b'a', 'x', b'banana'), ('a', lambda m: 1, 'banana'), ('a', lambda m: b'', 'xaa'),
             ('a', r'\1', 'banana'), ('(a)', r'\2', 'banana'), ('a', r'\g<x>', 'a'), ('a', r'\g<x', 'a'), ('a', r'\q', 'a'), ('a', 'x', 5), ('a', 'x', b'a')]:
    print(attempt(re.sub, *args))
print(attempt(re.match, 'a', b'a'), attempt(re.match, b'a', 'a'), attempt(re.match, 1, 'a'), attempt(re.match, 'a', 1), attempt(re.match, 'a', None))
print(attempt(re.compile, re.compile('a'), re.I), attempt(re.compile, 'a', re.A | re.U), attempt(re.compile, b'a', re.U), attempt(re.compile, 'a', re.L))
for bad in ['(', ')', '[', 'a**', '*', '(?P<1>a)', '(?P<a>b)(?P<a>c)', '\\', '(?P=x)', 'a{3,2}', '(?<=a*)b', '[z-a]', '(?z)', 'a\n(b', '\\1', '(?i', 'x(?i)', '(?(1)a|b|c)', '\\N{nope}']:
    try:
        re.compile(bad)
        print('compiled', repr(bad))
    except re.error as e:
        print(type(e).__name__, e, '|', e.msg, e.pattern == bad, e.pos, e.lineno, e.colno, e.args)
print(re.escape('a.b*c[d] \n-é~'), re.escape(b'a.b'), re.escape(''))
s = 'été ' * 40
q = re.compile(r'\w+')
pos, words = 0, 0
while True:
    m = q.search(s, pos)
    if not m:
        break
    pos, words = m.end(), words + 1
print(words, pos, m)
print(q.match('abc', 1), q.match('abc', 1, 2), q.match('abc', 5), q.match('abc', -3), q.fullmatch('abc def', 4), q.findall('abc def', 2), q.search('abc', 2, 1))
print(re.search('(?<=-)\\w+', 'spam-egg').group(), re.match('(?i:A)b', 'ab'), re.search(r'\bfoo\b', 'a foo b').span(), re.findall(r'(?m)^\w', 'a\nb\nc'))
print(re.compile(r'''
    (\d+)   # digits
    \s*
    ([a-z]+)
''', re.VERBOSE).match('12 abc').groups())
print(re.I, repr(re.I), re.I | re.M, repr(re.I | re.M), re.RegexFlag(0), repr(re.NOFLAG), int(re.X), re.IGNORECASE is re.I, re.A.name, re.A.value, re.RegexFlag.__name__, re.RegexFlag(2), ~re.I & re.M)
print([f.name for f in re.RegexFlag], isinstance(re.I, int), re.I == 2, 2 | re.M)
import copy
print(copy.copy(p) is p, copy.deepcopy(p) is p)
sc = re.compile('a|b').scanner('abxab')
print(sc.match(), sc.match(), sc.match(), sc.search(), sc.pattern)
print(re.Scanner([(r'\d+', lambda s, t: int(t)), (r'[a-z]+', lambda s, t: t), (r'\s+', None)]).scan('12 ab 3 !'))
print(re.match(r'(?P<a>.)(?P<b>.)', 'xy').lastgroup, re.match('(a)|(b)', 'b').lastindex, re.match('((a)(b))', 'ab').lastindex)
print(re.match(b'a', bytearray(b'abc')), re.findall(b'b.', memoryview(b'abcbd')), re.match('.', 'x' * 80), re.match('.*', 'x' * 80))
print(issubclass(re.PatternError, Exception), re.error is re.PatternError, re.PatternError.__module__, re.Pattern, re.Match, re.PatternError('a'), re.PatternError('a', 'b\nc', 2))
print(re.purge(), sorted(re.__all__)[:5])
print(re.sub(r'(\w+) (\w+)', r'\g<2> \1', 'hello world'), re.sub('.', lambda m: str(ord(m[0])) + ' ', 'aé😀'))
print(re.findall(r'\N{GREEK SMALL LETTER ALPHA}', 'aαb'), re.match(r'\w+\Z', 'abc'), re.split('', 'ab'))
def cb(m):
    return re.sub('b', lambda k: k.group() * 2, m.group())
print(re.sub('[abc]+', cb, 'abc xx bb'), re.match(r'(a+)+$', 'a' * 20 + 'b'))
class Text(str):
    pass
t = Text('hello')
print(type(re.sub('x', 'y', t)), type(re.match('.*', t).group()), re.match('h', t).string is t)
print([m.groups() for m in re.finditer(r'(\w)(?:(\d)|(-))?', 'a1b-c')], re.sub('b|', '-', 'abc'), re.split('(x)|', 'axb'))
print(attempt(re.compile, 'a', 'x'), attempt(re.Pattern), attempt(re.Match))
