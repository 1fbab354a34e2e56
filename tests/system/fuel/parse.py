"""Parsing and compiling: a long source, made of text."""

source = "\n".join(
    f"""
def f{n}(a, b=1, *rest, key=None, **more):
    result = [x * {n} + y for x in rest for y in (a, b) if x is not None]
    while a < b and not key:
        a, b = a + 1, b - (a if b % 2 else {n})
        if a == {n}: break
    else:
        more['k{n}'] = lambda q: q ** 2 or f'{{a}}-{{b!r:>10}}'
    try:
        return sum(result) / (a or 1), {{**more, 'n': -{n}}}, key[1:{n}:2]
    except (TypeError, ValueError) as error:
        raise RuntimeError('{n}') from error
"""
    for n in range(60)
)
code = compile(source, "long.py", "exec")
print(len(source), len(code.co_consts))
