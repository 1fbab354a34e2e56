def f(a, b):
    f'{a}'
    f'x{a!r:>10}y{b:{a}.{b}}'
    f'{a + b = }'
    f'a' 'b'
    t'{a!s}b{b:x}'
