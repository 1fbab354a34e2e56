"""Attributes and method calls on instances."""


class Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def step(self, dt):
        self.x += self.v * dt
        if self.x > 100.0:
            self.bounce()

    def bounce(self):
        self.x = 100.0
        self.v = -self.v


def simulate(count, steps):
    particles = [Particle(float(i), 0.5 + i) for i in range(count)]
    for _ in range(steps):
        for p in particles:
            p.step(0.01)
    return sum(p.x for p in particles)


print(round(simulate(100, 10_000), 6))
