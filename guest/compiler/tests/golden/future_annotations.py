from __future__ import annotations
x: int | None = 1
class A:
    a: list[A]
def f(a: 'x', *b: c.d) -> f[1]: pass
