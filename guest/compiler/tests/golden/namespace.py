# options: namespace
x = 1
del x
def f():
    return x
[x for y in x]
