"""Every kind of expression, in most of its forms."""
# Numbers.
0, 00, 0_0, 1, 1_000, 0x_ff, 0XFF, 0o17, 0O1_7, 0b1_0, 0B1
1., .5, 1.5, 1e5, 1E+5, 1_0.5_0e-1_0, 1e5j, 1j, .5J, 00.5, 09.5, 09e1, 09j
1if 1else 2
[1for x in y]
1or 2; 1and 2; 0x1for x in y
99999999999999999999999999999999999999999999

# Strings.
'', "", '''''', """""", 'a' "b" '''c''' """d"""
r'\n', R"\d", u'u', U"u", b'b', B"b", br'\x', Rb"\x", bR'', f'f', rf'{x}\d', Fr'{x}'
'\a\b\f\n\r\t\v\\\'\"\0\101\x41\u0041\U00000041\N{LATIN SMALL LETTER A}\
continued'
'\d\8\ud800\udfff'
b'\x00\377\d'
'''a
"quoted" 'quoted'
\''''''
"""a"b""c\"""\\"""

# f-strings and t-strings.
f'', f'a', f'{x}', f'{x}{y}', f'a{x}b{y}c', f'{{}}', f'{{{x}}}', f'{x!r}', f'{x!s:>10}', f'{x:{y}}'
f'{x:{y}.{z}}', f'{x:{y!r}}', f'{x=}', f'{x = }', f'{x=!r:^{w}}', f'{x:%H:%M}', f'{x:}', f'{x:,}'
f'{d['key']}', f"{d["key"]}", f'{f'{f'{x}'}'}', f'{'a' 'b'}', f'{"\n".join(x)}'
f'{(lambda x: x)(1)}', f'{ {1: 2}[1] }', f'{ {x for x in y} }', f'{[x for x in y]}', f'{x if y else z}'
f'{(x := 1)}', f'{x:=5}', f'{x!=y}', f'{x==y}', f'{x>=y}', f'{*a, b}', f'{yield_}', f'{x,}', f'{a["b"]:{c["d"]}}'
f'{
    x  # comment
    + y
}'
f'''{x
}
{y:
}'''
f'{x:{'a'}}', f'{x:{{1: 2}[1]}}', f'{x!a}', f'\N{BULLET}{x}', f'\{x}', rf'\{x}', f'{x}' 'plain {x}' f"{y}"
f'{lambda_}', f"{x:\x41}", f'{not x}', f'{await_}', f'{x[1:2]}', f'{x:{y}{z}}', f'{"{}"}', f'{x}}}', f'{{{{'
t'', t'{x}', T"a{x!r:>{w}}b", rt'\d{x}', tR'{x=}', t'{x}' t'{y}', t'{f'{x}'}', f'{t'{x}'}'

# Names.
é, ñandú, 变量, ℯ, ª, _, __, _1, lazy, match, case, type, print, exec, nonlocal_

# Operators.
-x, +x, ~x, not x, - - x, not not x, -x ** -y, x ** y ** z, -1 ** 2
x + y - z * w / v // u % t @ s, x << y >> z, x & y | z ^ w
x < y <= z == w != v > u >= t, x in y, x not in y, x is y, x is not y, not x in y
x and y or z and not w, x if y else z if w else v, lambda: 0, lambda x: lambda y: x
(x := 1), [y := 2, y], {z := 3}, f(w := 4), a[b := 5], a[b := 1, c := 2]
(yield_), await_, (x for x in y), [x for x in y if z if w for v in u], {x for x in y}, {x: y for x in z}

# Atoms.
(), (1,), (1, 2), (1, 2,), (*a,), (*a, *b), ((1)), (1, (2, (3,)))
[], [1], [1, 2,], [*a, *b], [[]]
{}, {1}, {1, 2,}, {*a}, {1: 2}, {1: 2, **a, 3: 4,}, {**a}, {'a': {}}
..., None, True, False, Ellipsis
1, 2
*a, *b

# Trailers.
a.b.c, a[0], a[0:1], a[::2], a[:], a[1:], a[:1], a[1:2:3], a[::], a[1, 2], a[1:2, ::3, ...], a[*b], a[*b, 1:2], a[(1, 2)], a[b][c]
a(), a(b), a(b,), a(b, c), a(*b), a(**b), a(b=c), a(b, *c, d=e, **f), a(*b, *c), a(**b, **c), a(b=1, *c)
a(x for x in y), a((x for x in y), z), a(b, c=d, *e, f=g, **h), a(b)(c)(d), a.b(c)[d].e
1 .real, 1.0.real, 1j.imag, 'a'.join, [].append, {}.get, (1).real, ....x, f''.join

# Lambdas.
lambda x: x, lambda x, y=1: x, lambda *a: a, lambda **k: k, lambda x, /, y, *a, z=1, **k: x
lambda *, x: x, lambda x=(yield_): x, lambda: (yield), lambda x, /: x, lambda: [x for x in y]

# Comprehensions.
[x for x, in y], [x for x, *y in z], [x for x.y in z], [x for x[0] in z], [x for (x, y) in z]
[[y for y in x] for x in z], [x for x in y if x if y], [(x, y) for x in a for y in b]
[lambda: x for x in y], [x if y else z for x in w], {**x, 'a': [y for y in z]}
(x for x in y if (lambda: z)()), [i := 0, *j]
async def f():
    [x async for x in y], {x async for x in y}, {x: y async for x in z}, (x async for x in y)
    [await x for x in y], await x ** 2, -await x, await (x), await x.y(z)[0], [x for x in await y]
    return await x if await y else await z

def g():
    x = yield
    x = yield 1, 2
    x = yield *a, b
    (yield), (yield x), [(yield)], f((yield))
    x = yield from y
    y = (yield from z) + 1
    yield
    yield x if y else z
    return (yield)

# Layout.
(
    1,
    # comment
    2,

    3
)
[
1
]
x = {
    'a': 1,
	'b': 2,
}
a \
  . b \
  (c)
