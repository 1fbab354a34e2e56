import _random


def attempt(f):
    try:
        r = f()
        print(repr(r), type(r).__name__)
    except Exception as e:
        print(type(e).__name__, e)


r = _random.Random(42)
attempt(lambda: [r.random() for _ in range(3)])
attempt(lambda: [r.getrandbits(k) for k in (0, 1, 8, 31, 32, 33, 49, 50, 63, 64, 65, 100, 200)])
state = r.getstate()
a = [r.random() for _ in range(1000)]
r.setstate(state)
attempt(lambda: a == [r.random() for _ in range(1000)])
attempt(lambda: (len(state), type(state), state[:3], state[-1]))
for seed in (0, 1, -1, 2**100, -(2**100), True, 10**50):
    r.seed(seed)
    attempt(lambda: (r.random(), r.getrandbits(40)))
r.seed(2.0)
attempt(lambda: r.random())
r.seed()
attempt(lambda: 0 <= r.random() < 1)
attempt(lambda: r.setstate([1]))
attempt(lambda: r.setstate((1, 2)))
attempt(lambda: r.setstate((0,) * 624 + (700,)))
attempt(lambda: r.setstate((0,) * 624 + (-1,)))
attempt(lambda: r.seed([]))
attempt(lambda: r.getrandbits("a"))
attempt(lambda: r.getrandbits())


class My(_random.Random):
    def __init__(self, x=None):
        self.tag = "t"
        self.seed(x)


attempt(lambda: (My(42).random(), My(42).tag))
