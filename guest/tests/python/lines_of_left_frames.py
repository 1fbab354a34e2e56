import sys
def lines(f):
    try:
        f()
    except Exception as e:
        tb = e.__traceback__.tb_next
        return tb.tb_lineno - f.__code__.co_firstlineno, tb.tb_frame.f_lineno - f.__code__.co_firstlineno
def after_finally():
    try:
        1/0
    finally:
        x = 1
        y = 2
def no_match():
    try:
        1/0
    except KeyError:
        pass
    except ValueError as e:
        pass
class C:
    def __enter__(self): return self
    def __exit__(self, *a): return False
def in_with():
    with C() as c:
        x = 1
        1/0
def nested():
    try:
        try:
            1/0
        finally:
            x = 1
    except KeyError:
        pass
    finally:
        y = 2
def other_in_finally():
    try:
        1/0
    finally:
        {}['x']
def handler_named():
    try:
        1/0
    except ZeroDivisionError as e:
        raise e
def loops():
    for i in range(3):
        try:
            if i == 2:
                raise ValueError
        except KeyError as e:
            pass
def gen():
    def g():
        try:
            yield 1
            1/0
        finally:
            x = 2
    it = g()
    next(it)
    next(it)
for f in (after_finally, no_match, in_with, nested, other_in_finally, handler_named, loops, gen):
    print(f.__name__, lines(f))
