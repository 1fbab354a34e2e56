def f(x):
    for i in x:
        try:
            if i:
                return i
            if x:
                break
            continue
        finally:
            done()
