"""Sorting: numbers, texts, tuples, by key, reversed, nearly sorted; heaps and bisection."""

import bisect
import heapq

state, numbers = 1, []
for _ in range(6_000):
    state = state * 1_103_515_245 + 12_345 & 0x7FFF_FFFF
    numbers.append(state % 100_000)
words = sorted(f"w{n:x}" for n in numbers)
pairs = sorted(((n % 100, n) for n in numbers), reverse=True)
by_key = sorted(numbers, key=lambda n: (n % 13, -n))
nearly = sorted(numbers)
nearly[10], nearly[-10] = nearly[-10], nearly[10]
nearly.sort()
floats = sorted(n / 3 for n in numbers)
heap = []
for n in numbers[:2_000]:
    heapq.heappush(heap, n)
smallest = [heapq.heappop(heap) for _ in range(1_000)]
places = sum(bisect.bisect(nearly, n) for n in numbers[:2_000])
print(words[0], pairs[0], by_key[:2], nearly[-1], floats[1], smallest[-1], places)
