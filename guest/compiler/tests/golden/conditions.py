def f(a, b, c):
    if a and b or not c:
        a()
    elif a is None or b is not None:
        b()
    if a in (1, 2) and b not in [1, 2]:
        c()
    if a < b < c:
        return 1
    if f(a) < f(b) < f(c):
        return 2
    return a or b and c
