"""Comprehensions, unpacking, slices and the built-ins that go round by themselves."""

rows = [[i * j % 17 for j in range(60)] for i in range(60)]
flat = [cell for row in rows for cell in row if cell % 2]
columns = [list(column) for column in zip(*rows)]
by_rest = {rest: [n for n in flat if n % 5 == rest] for rest in range(5)}
pairs = {(a, b) for a in range(40) for b in range(40) if a < b}
total = sum(map(lambda row: max(row) - min(row), columns))
total += sum(n * i for i, n in enumerate(filter(None, flat)))
for i in range(2_000):
    first, *middle, last = rows[i % 60][:10]
    total += first + last + len(middle)
    rows[i % 60][2:4] = [i, i + 1]
total += any(cell > 5_000 for row in rows for cell in row) + all(len(row) == 60 for row in rows)
print(total, len(pairs), [len(rest) for rest in by_rest.values()], list(reversed(flat))[:3])
