def f(a):
    b = [x * 2 for x in a if x]
    c = {x: y for x, y in a}
    d = {x for x in [y for y in a]}
    e = (x for x in a if x > 1)
    g = [lambda: x for x in a]
    return [(x := y) for y in a], x
