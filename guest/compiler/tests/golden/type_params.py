def f[T: int, *Ts, **P](a: T) -> T: return a
class A[T = int](B[T]):
    x: T
type X[T] = list[T]
type Y = int
