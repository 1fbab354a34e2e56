def f(a, b):
    x = a or b
    y = a and b() or 1
    x = x or b
    z = a if b else x
    w = a < b < x
    return not a
