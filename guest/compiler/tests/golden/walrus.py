def f(a):
    if (x := a()) and x:
        return x
    return x + (x := 2)
