import ast
for s in ["f'{a:.2f}'", "f'x{a!r:>{w}}y' 'z' u'q'", "f'{a=}'", "f'{a = !r:3}'","g(x for x in y)", "class A(x, *y, k=1, **z): pass", "f'''\n{a}\n b'''", "@d\n# c\ndef f(a, /, b:int=1, *c, d, e=2, **k)->x: pass","a[*b]","if a:\n  1\nelif b:\n  2\nelse:\n  3","''f'' 'abc' f'{x}'", "f'{a:b{c}d{e}}'","f'{{}}'","f'{a:{{}}}'","match x:\n case (1): pass\n case [a, *_]: pass\n case {'k': v, **r}: pass\n case A(1, b=2): pass\n case -1+2j | None: pass\n case _: pass"]:
    print(s); print(ast.dump(ast.parse(s), include_attributes=True))
