"""Functions: recursion, defaults, keywords, closures, arguments unpacked."""


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def area(width, height=2, *, scale=1):
    return width * height * scale


def counter(start):
    value = start

    def step(by):
        nonlocal value
        value += by
        return value

    return step


def total(*numbers, **named):
    return sum(numbers) + len(named)


step = counter(10)
result = fib(18)
for i in range(3_000):
    result += area(i) + area(i, 3, scale=2) + step(i)
    result += total(*(i, 1, 2), **{"a": 1, "b": 2})
    result += (lambda a, b: a - b)(i, 1)
print(result)
