def f(a, b, c):
    a, b = b, a
    a, b = b, a + b
    a, b, c = c, a, b
    a[0], a[1] = a[1], a[0]
    (a, b), c = c
    a, *b = c
    a = b = c[0] = f()
