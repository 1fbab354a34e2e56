def f(a, b):
    x = a + b
    x = a * 2 + b * 3
    x += 1
    x -= b
    x = -x
    y = 1 + 2 * 3
    z = 'a' 'b' + 'c'
    return (x + y) * (y - z) - a
