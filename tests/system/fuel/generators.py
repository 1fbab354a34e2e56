"""Generators, delegation, values sent in, coroutines, iterators of classes."""

import asyncio


def numbers(n):
    for i in range(n):
        yield i


def tree(depth):
    if depth:
        yield from tree(depth - 1)
        yield depth
        yield from tree(depth - 1)


def average():
    total = count = 0
    value = None
    while True:
        value = yield value if count == 0 else total / count
        total += value
        count += 1


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


async def add(a, b):
    await asyncio.sleep(0)
    return a + b


async def main():
    total = 0
    for i in range(150):
        total += await add(i, 1)
    return total + sum(await asyncio.gather(*(add(i, 2) for i in range(50))))


mean = average()
next(mean)
for i in numbers(3_000):
    last = mean.send(i)
print(sum(numbers(10_000)), sum(tree(10)), last, sum(Countdown(3_000)), sum(x * x for x in numbers(3_000)))
print(asyncio.run(main()))
