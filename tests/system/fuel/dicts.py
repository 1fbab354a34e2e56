"""Dictionaries and sets: counting, grouping, merging, views, keys of several types."""

words = "the quick brown fox jumps over the lazy dog while the cat sleeps".split()
counts, groups = {}, {}
for i in range(400):
    for word in words:
        counts[word] = counts.get(word, 0) + 1
        groups.setdefault((len(word), i % 7), []).append(word)
squares = {n: n * n for n in range(5_000)}
for n in range(0, 5_000, 3):
    del squares[n]
merged = {**counts, **{str(n): n for n in range(500)}} | {"the": 0}
seen = set()
for n in range(10_000):
    seen.add(n * 7 % 1_001)
total = sum(v for k, v in merged.items() if k in counts)
total += len(seen & set(range(500))) + len(seen - {1, 2, 3}) + len(squares) + len(groups)
print(total, sorted(merged)[:3])
