while True:
    x = 10 ** 20, 2 ** 64, -1, not 1, ~5
    if 0:
        never()
    if __debug__:
        break
assert x
y = x in {1, 2}
z = [1, 2, 3]
b = True & False
