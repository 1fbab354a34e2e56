# Waiting in every place that code can be in.
import contextlib
import functools
import threading
import time

log = []


def pause():
    time.sleep(0.001)


def together(*targets):
    """Runs the functions in threads of their own."""
    threads = [threading.Thread(target=t) for t in targets]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def numbers(n):
    for i in range(n):
        pause()
        yield i
        time.sleep(0.001)


def delegating(n):
    got = yield from numbers(n)
    yield got


def in_generator():
    total = 0
    for i in numbers(4):
        time.sleep(0.0005)
        total += i
    log.append(('for', total))
    log.append(('delegating', [i for i in delegating(3)]))
    log.append(('list', list(numbers(3))))
    log.append(('sum', sum(i for i in numbers(4))))
    log.append(('next', next(numbers(1))))
    a, b = numbers(2)
    log.append(('unpacked', a, b))
    log.append(('star', [*numbers(3)]))
    log.append(('join', ''.join(str(i) for i in numbers(3))))


def in_comprehension():
    log.append(('list', [(pause(), i)[1] for i in range(3)]))
    log.append(('dict', {i: pause() for i in range(3)}))
    log.append(('set', sorted({(time.sleep(0.001), i)[1] for i in range(3)})))
    log.append(('nested', [(i, j) for i in range(2) for j in range(2) if pause() is None]))


def in_native_code():
    log.append(('sorted', sorted([3, 1, 2], key=lambda v: (pause(), v)[1])))
    log.append(('map', list(map(lambda v: (pause(), v)[1], range(3)))))
    log.append(('filter', list(filter(lambda v: pause() is None, range(3)))))
    log.append(('reduce', functools.reduce(lambda a, b: (pause(), a + b)[1], range(4))))
    log.append(('max', max([1, 3, 2], key=lambda v: (pause(), v)[1])))
    log.append(('partial', functools.partial(pause)()))
    list(map(time.sleep, [0.001, 0.001]))


class Slow:
    def __init__(self, n):
        pause()
        self.n = n
        time.sleep(0.001)

    @property
    def value(self):
        pause()
        return self.n

    def __eq__(self, other):
        pause()
        return self.n == other.n

    def __hash__(self):
        pause()
        return hash(self.n)

    def __lt__(self, other):
        pause()
        return self.n < other.n

    def __add__(self, other):
        pause()
        return Slow(self.n + other.n)

    def __getitem__(self, key):
        pause()
        return (self.n, key)

    def __setitem__(self, key, value):
        pause()
        self.n = value

    def __getattr__(self, name):
        pause()
        return name

    def __call__(self, *args):
        pause()
        return args

    def __enter__(self):
        pause()
        return self

    def __exit__(self, *exc):
        pause()
        return bool(exc[0])

    def __iter__(self):
        pause()
        return iter([self.n])

    def __contains__(self, item):
        pause()
        return item == self.n

    def __len__(self):
        pause()
        return 1

    def __bool__(self):
        pause()
        return True

    def __str__(self):
        pause()
        return f'slow {self.n}'


def in_special_methods():
    a, b = Slow(1), Slow(2)
    log.append(('values', a.value, b.value, a == b, a < b, (a + b).n, a['k'], a.other, a(1, 2)))
    b['x'] = 7
    log.append(('more', b.n, list(b), 7 in b, len(b), bool(b), str(b), f'{b}', len({a: 1, b: 2}), [s.n for s in sorted([b, a])]))
    with a as entered:
        log.append(('with', entered is a))
    with Slow(3):
        pause()
        raise ValueError
    log.append(('suppressed',))


@contextlib.contextmanager
def managed():
    pause()
    try:
        yield 'managed'
    finally:
        pause()
        log.append(('exit',))


def repeats(n):
    def decorator(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            for _ in range(n):
                pause()
                result = f(*args, **kwargs)
            return result
        return wrapper
    return decorator


@repeats(2)
def decorated(a, *, b):
    time.sleep(0.001)
    return a + b


def in_wrappers():
    with managed() as m, contextlib.ExitStack() as stack:
        log.append((m, stack.enter_context(managed())))
    log.append(('decorated', decorated(1, b=2)))
    log.append(('recursive', fib(5)))


def fib(n):
    if n < 2:
        pause()
        return n
    return fib(n - 1) + fib(n - 2)


def in_handlers():
    try:
        pause()
        try:
            pause()
            raise KeyError('k')
        finally:
            pause()
            log.append(('finally',))
    except KeyError as e:
        pause()
        log.append(('caught', str(e), str(e.__context__)))
    else:
        log.append('not here')
    for i in range(3):
        try:
            pause()
            if i == 1:
                continue
            if i == 2:
                break
        finally:
            pause()
            log.append(('loop', i))
    while True:
        match pause(), i:
            case (None, 2):
                time.sleep(0.001)
                log.append(('match', i))
                break


class InBody:
    time.sleep(0.001)
    attribute = [pause() for _ in range(2)]


def in_class_body():
    class Local:
        time.sleep(0.001)
        x = 1
    exec('pause(); y = 2', globals(), space := {})
    log.append(('class', Local.x, space['y'], eval('(pause(), 5)[1]')))


def deep(n):
    if n == 0:
        time.sleep(0.002)
        return 0
    return 1 + deep(n - 1)


def in_depth():
    log.append(('deep', deep(150), deep(10)))


parts = (in_generator, in_comprehension, in_native_code, in_special_methods, in_wrappers, in_handlers, in_class_body, in_depth)
expected = []
for part in parts:
    log.clear()
    part()
    expected.append((part.__name__, list(log)))
    print(part.__name__, log)
# Each of them in a thread, alone and twice.
for part, (name, want) in zip(parts, expected):
    log.clear()
    together(part)
    print(name, log == want)
    log.clear()
    together(part, part)
    print(name, sorted(map(str, log)) == sorted(map(str, want * 2)))
# All of them at once, and once more.
for _ in range(2):
    log.clear()
    together(*parts)
    print(sorted(map(str, log)) == sorted(str(entry) for _, want in expected for entry in want))
