def outer(a, b=1, *args, k, **kw):
    x = a
    def inner(c=x):
        nonlocal x
        x += a
        return lambda: (x, c)
    del b
    return inner
