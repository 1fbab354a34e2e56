def f(n):
    for i in range(n):
        if i % 2:
            continue
        if i > 10:
            break
        use(i)
    else:
        done()
    while n > 0:
        n -= 1
    for k, v in n.items():
        use(k, v)
    return i
