"""Attributes and methods of instances: plain, with `__slots__`, by property, inherited, computed."""


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def moved(self, dx, dy):
        return type(self)(self.x + dx, self.y + dy)

    @property
    def norm(self):
        return self.x * self.x + self.y * self.y


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def swap(self):
        self.x, self.y = self.y, self.x


class Named(Point):
    kind = "named"

    def moved(self, dx, dy):
        point = super().moved(dx, dy)
        point.name = self.kind
        return point

    def __getattr__(self, name):
        return len(name)


points = [Point(0, 1), Named(2, 3)]
slotted = Slotted(1, 2)
total = 0
for i in range(2_000):
    points = [p.moved(1, i) for p in points]
    slotted.swap()
    total += sum(p.norm for p in points) + slotted.x + points[1].missing
    setattr(points[0], "z", i)
    total += getattr(points[0], "z") + hasattr(points[0], "w")
print(total)
