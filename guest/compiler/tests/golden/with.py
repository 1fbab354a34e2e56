def f(a):
    with a as b, c():
        return b
    with a:
        d()
