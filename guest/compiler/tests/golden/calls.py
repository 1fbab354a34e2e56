def f(a, b):
    a()
    a(b, 1)
    a(b, k=1, l=b)
    a.m(b).n(1)
    a(*b)
    a(1, *b, k=2, **a)
    return a(b(a(b)))
