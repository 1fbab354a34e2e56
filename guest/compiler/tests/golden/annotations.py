x: int = 1
if x:
    y: str
class A:
    a: int
    def f(self, b: int, *c: str, d: A = None) -> list[int]:
        e: int = 1
        return e
