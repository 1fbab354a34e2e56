# The frames that an exception has left are kept by its traceback, with their locals, until it is gone.
import sys
import traceback


class Tell:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print('gone:', self.name)


def plain(a, *rest, key=None):
    local = [a]
    captured = 'c'

    def inner():
        return captured

    try:
        middle = 1
        raise ValueError('plain')
    finally:
        last = 2


def generator():
    held = 'g'
    yield 1
    raise ValueError('generator')


async def coroutine():
    held = 'co'
    raise ValueError('coroutine')


def show(e):
    tb = e.__traceback__
    while tb.tb_next:
        tb = tb.tb_next
    names = {k: v for k, v in tb.tb_frame.f_locals.items() if k != 'inner'}
    print(e, tb.tb_frame.f_code.co_name, names, tb.tb_frame.f_locals is not None)


for call in (lambda: plain(1, 2, key=3), lambda: list(generator()), lambda: coroutine().send(None)):
    try:
        call()
    except ValueError as e:
        show(e)


def holds(name):
    tell = Tell(name)
    raise ValueError(name)


def through(name):
    outer = Tell('outer of ' + name)
    holds(name)


for f in (holds, through):
    try:
        f(f.__name__)
    except ValueError as e:
        print('caught', e)
    print('after')


def swallow():
    tell = Tell('swallowed')
    try:
        raise ValueError
    except ValueError:
        pass
    print('end of swallow')


swallow()


def recursive(n):
    mine = n
    if n == 0:
        raise KeyError('bottom')
    recursive(n - 1)


try:
    recursive(3)
except KeyError as e:
    tb, seen = e.__traceback__.tb_next, []
    while tb:
        seen.append((tb.tb_frame.f_locals['n'], tb.tb_frame.f_locals['mine'], tb.tb_lineno - tb.tb_frame.f_code.co_firstlineno))
        tb = tb.tb_next
    print(seen)

captured = traceback.TracebackException.from_exception


def fails(x):
    y = x * 2
    return y / 0


try:
    fails(21)
except ZeroDivisionError as e:
    frames = captured(e, capture_locals=True).stack
    print(frames[-1].locals)

try:
    fails(1)
except ZeroDivisionError as e:
    frame = e.__traceback__.tb_next.tb_frame
    frame.clear()
    print(frame.f_locals)

# An exception thrown into what has not begun does not meet its handlers.
async def begins_with_try():
    try:
        yield 1
    except GeneratorExit:
        print('not reached')
    yield 'last'


def generator_with_try():
    try:
        yield 1
    except ValueError:
        print('not reached')


def step(c):
    try:
        print('->', c.send(None))
    except BaseException as e:
        print('!', type(e).__name__, e)


step(begins_with_try().aclose())
step(begins_with_try().athrow(ValueError('x')))
try:
    generator_with_try().throw(ValueError('y'))
except ValueError as e:
    print('out', e, e.__traceback__.tb_next.tb_frame.f_code.co_name)

# Displays of constants that are looped over.
print([x for x in {19, 12, 14, 18, 36}], {19, 12, 14, 18, 36}, [x for x in [1, 2]])
for x in {19, 12, 14, 18, 36}:
    print(x, end=' ')
print()

for source in '', ' ', '\n', '#':
    try:
        eval(source)
    except SyntaxError as e:
        print(repr(source), e, e.lineno, e.offset)

try:
    class Fixed(tuple):
        v = 1
        __slots__ = ['v']
except TypeError as e:
    print(e)
