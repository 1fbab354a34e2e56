def f(a):
    x = yield
    y = yield a
    yield from a
    return x + y
