"""Making classes, and what their special methods are called for: operators, comparison, containers, dataclasses, enums."""

import dataclasses
import enum
import functools


@functools.total_ordering
class Money:
    def __init__(self, cents):
        self.cents = cents

    def __add__(self, other):
        return Money(self.cents + other.cents)

    def __eq__(self, other):
        return self.cents == other.cents

    def __lt__(self, other):
        return self.cents < other.cents

    def __hash__(self):
        return hash(self.cents)


class Grid:
    def __init__(self):
        self.cells = {}

    def __getitem__(self, at):
        return self.cells.get(at, 0)

    def __setitem__(self, at, value):
        self.cells[at] = value

    def __contains__(self, at):
        return at in self.cells

    def __len__(self):
        return len(self.cells)


@dataclasses.dataclass(order=True)
class Item:
    name: str
    price: float
    tags: list = dataclasses.field(default_factory=list)


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


total = Money(0)
grid = Grid()
for i in range(2_000):
    total = total + Money(i)
    grid[i % 50, i % 30] = grid[i % 50, i % 30] + 1
    if (i, i) in grid and total >= Money(10):
        grid[0, 0] = Colour(i % 2 + 1).value
items = sorted(Item(f"n{i % 10}", i / 2) for i in range(300))
made = [type(f"C{i}", (Money,), {"rate": i}) for i in range(100)]
print(total.cents, len(grid), items[0], sum(c.rate for c in made), len({Money(i % 10) for i in range(500)}))
