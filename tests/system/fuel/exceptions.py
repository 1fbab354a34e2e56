"""Exceptions: raised, caught by class, chained, passed through `finally` and `with`, by the built-ins themselves."""


class Refused(ValueError):
    def __init__(self, number):
        super().__init__(f"refused: {number}")
        self.number = number


class Guard:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return kind is KeyError


def check(n):
    if n % 3 == 0:
        raise Refused(n)
    if n % 3 == 1:
        return {}[n]
    return n


total = ends = 0
for n in range(3_000):
    try:
        with Guard():
            total += check(n)
    except Refused as error:
        total += error.number
    else:
        total += 1
    finally:
        ends += 1
for n in range(1_000):
    try:
        try:
            int("x")
        except ValueError as error:
            raise RuntimeError(n) from error
    except RuntimeError as error:
        total += error.args[0] + (error.__cause__ is not None)
groups = 0
for n in range(300):
    try:
        raise ExceptionGroup("some", [ValueError(n), TypeError(n)])
    except* ValueError as group:
        groups += len(group.exceptions)
    except* TypeError:
        groups += 1
print(total, ends, groups)
