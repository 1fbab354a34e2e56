def f(a):
    a.b.c = a.d
    a.b += 1
    a[0] = a[1]
    a[0] += a.b
    a[1:2] = a[:3]
    a[1:2:3]
    del a.b, a[0], a[1:2]
