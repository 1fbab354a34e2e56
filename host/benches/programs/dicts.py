"""Counting with a dictionary of string keys."""


def count(words, rounds):
    counts = {}
    for _ in range(rounds):
        for word in words:
            if word in counts:
                counts[word] += 1
            else:
                counts[word] = 1
    return counts


text = "the quick brown fox jumps over the lazy dog while the cat sleeps and the bird sings"
counts = count(text.split(), 60_000)
print(sorted(counts.items())[:3])
