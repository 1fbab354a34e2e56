def f(a):
    if a:
        x = 1
    print(x)
    print(x)
    del x
    try:
        y = 1
    except E as e:
        print(y, e)
    print(y, e)
    for z in a:
        pass
    print(z)
