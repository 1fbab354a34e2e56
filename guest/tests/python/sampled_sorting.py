# The comparisons that sorting makes, one by one, and what becomes of keys that have no order.
import random
from functools import cmp_to_key


class Key:
    count = 0
    seen = 0

    def __init__(self, value, place):
        self.value = value
        self.place = place

    def __lt__(self, other):
        Key.count += 1
        Key.seen = (Key.seen * 31 + self.place * 7 + other.place) % 1_000_003
        return self.value < other.value


def shapes(rng, n):
    kinds = rng.choice([1, 2, 5, n // 4 + 1, n + 1, 10 * n + 1])
    data = [rng.randrange(kinds) for _ in range(n)]
    yield "random", data
    yield "sorted", sorted(data)
    yield "reversed", sorted(data)[::-1]
    cut = rng.randrange(n + 1)
    yield "two runs", sorted(data[:cut]) + sorted(data[cut:])
    yield "down and up", sorted(data[:cut])[::-1] + sorted(data[cut:])
    mixed = sorted(data)
    for _ in range(3):
        if n:
            mixed[rng.randrange(n)] = rng.randrange(kinds)
    yield "nearly", mixed
    yield "nearly reversed", mixed[::-1]
    blocks, at = [], 0
    while at < n:
        length = rng.randrange(1, 100)
        piece = sorted(data[at : at + length])
        blocks += piece[::-1] if rng.random() < 0.5 else piece
        at += length
    yield "blocks", blocks
    yield "interleaved", sorted(data)[::2] + sorted(data)[1::2]


rng = random.Random(1)
for n in [0, 1, 2, 3, 5, 17, 31, 32, 33, 63, 64, 65, 100, 129, 200, 333, 500, 1000, 2500]:
    totals = []
    for name, data in shapes(rng, n):
        keys = [Key(v, i) for i, v in enumerate(data)]
        row = []
        for reverse in (False, True):
            Key.count = Key.seen = 0
            first = sorted(keys, reverse=reverse)
            row.append(Key.count)
            mark = Key.seen
            Key.count = Key.seen = 0
            second = sorted(range(n), key=lambda i: keys[i], reverse=reverse)
            assert (mark, row[-1]) == (Key.seen, Key.count)
            assert [k.place for k in first] == second
            row.append(mark)
            row.append(sum(i * p for i, p in enumerate(second)) % 1_000_003)
        totals.append((name, row))
    print(n, totals)

nan = float("nan")
print(sorted([nan, 3, 1, nan, 2]), sorted([nan, 3, 1, nan, 2], reverse=True))
total = 0
for n in list(range(40)) + [64, 65, 130, 300, 1000]:
    for share in (0.02, 0.3):
        data = [nan if rng.random() < share else rng.randrange(n + 1) / 2 for _ in range(n)]
        for reverse in (False, True):
            places = sorted(range(n), key=data.__getitem__, reverse=reverse)
            pairs = sorted([(v, i) for i, v in enumerate(data)], reverse=reverse)
            for at, (p, q) in enumerate(zip(places, pairs)):
                total = (total * 33 + at * p + q[1]) % 1_000_003
    print(n, total)


# Comparisons that contradict each other, and those that fail.
class Odd:
    def __init__(self, place):
        self.place = place

    def __lt__(self, other):
        Odd.turn = (Odd.turn * 1_103_515_245 + 12345) % (1 << 31)
        if Odd.turn % Odd.fails == 0:
            raise ArithmeticError(Odd.turn)
        return Odd.turn >> 16 & 7 < Odd.share


for n in (10, 64, 100, 257, 600):
    for share in (1, 4, 7):
        for fails in (1 << 40, 1999, 101):
            Odd.turn, Odd.share, Odd.fails = n, share, fails
            items = [Odd(i) for i in range(n)]
            try:
                items.sort()
                end = "sorted"
            except ArithmeticError as e:
                end = str(e)
            order = [i.place for i in items]
            assert sorted(order) == list(range(n))
            print(n, share, end, sum(i * p for i, p in enumerate(order)) % 1_000_003, Odd.turn)

items = list("sorting by comparison of texts in a strange order")
items.sort(key=cmp_to_key(lambda a, b: (ord(a) * 7 % 13) - (ord(b) * 7 % 13)))
print("".join(items))
