"""Nested integer loops: 1000 x 1000, five times."""


def loops(n):
    total = 0
    for i in range(n):
        for j in range(n):
            total += (i ^ j) & 7
    return total


for _ in range(5):
    result = loops(1000)
print(result)
