def f():
    global x
    x = 1
    x += y
    del x
