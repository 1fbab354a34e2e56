# `break`, `continue` and `return` in `finally` throw away what the way out was about.
def P(*x): return x
def f():
    for i in [1, 2]:
        try: return i
        finally: break
    return P(P(1), P(2))
print(f())
def f2():
    for i in [1, 2]:
        try: return str(i)
        finally: continue
    return sorted([3,1,2], key=lambda v:-v), max(min(4,5), min(6,7))
print(f2())
def f3():
    for i in [1]:
        try: return str(i)
        finally:
            for j in range(3):
                if j: break
            else: pass
            x = P(P(j), P(i))
print(f3())
def f4():
    while True:
        try:
            try: return str(len('abc'))
            finally:
                try: return [1]
                finally: break
        finally: pass
    return P(P(1), P(2))
print(f4())
def g():
    for k in range(2):
        try:
            yield k
            return str(k)
        finally: continue
    yield str(len('abc')), P(P(1),2)
print(list(g()))
def f5():
    for i in range(2):
        try: return i + 1
        finally:
            try: 1/0
            except ZeroDivisionError: pass
            if i == 0: continue
    return P(P(9))
print(f5())
