# Calls the methods of the built-in types with good and bad arguments and prints what comes of it.
# Left out is what CPython 3.14 words in another way than 3.13: division by zero, `list.index`, unhashable keys, `fromhex`.
import copy
import re


class MyInt(int):
    pass


class MyStr(str):
    pass


class Index:
    def __index__(self):
        return 2

    def __repr__(self):
        return 'Index()'


class Plain:
    def __repr__(self):
        return 'Plain()'


BIG = 10**25
ARGS = [-1, BIG, 2.5, 'a', b'a', None, [1, 2], (1, 2), {1: 2}, MyInt(2), Index(), Plain()]
PAIRS = [0, BIG, 'a', b'a', None, Index()]
CHANGES = {'append', 'extend', 'insert', 'pop', 'remove', 'clear', 'sort', 'reverse', 'update', 'add', 'discard', 'setdefault', '__setitem__', '__delitem__', '__iadd__', '__imul__'}


def show(v):
    if hasattr(type(v), '__next__'):
        return type(v).__name__
    return re.sub(r' at 0x[0-9a-f]+', '', repr(v))[:70]


def attempt(label, make, name, args, kw={}):
    if name in ('__pow__', '__rpow__', '__lshift__', '__rlshift__') and BIG in args:
        return
    v = make()
    try:
        out = show(getattr(v, name)(*map(copy.copy, args), **kw))
        if name in CHANGES:
            out += ' -> ' + show(v)
    except ZeroDivisionError as e:
        out = 'ZeroDivisionError'
    except Exception as e:
        out = re.sub(r' at 0x[0-9a-f]+', '', f'{type(e).__name__}: {e}')[:110]
    shown = ', '.join([show(a) for a in args] + [f'{k}={x!r}' for k, x in kw.items()])
    print(f'{label}.{name}({shown}) = {out}')


def probe(label, make, names):
    print('----', label)
    for name in names.split():
        attempt(label, make, name, [])
        for a in ARGS:
            attempt(label, make, name, [a])
        if not name.startswith('__'):
            for a in PAIRS:
                for b in PAIRS:
                    attempt(label, make, name, [a, b])
            attempt(label, make, name, ['a', 0, 2])
            attempt(label, make, name, ['a', 1, 2, 3])
        attempt(label, make, name, [], {'x': 1})


probe('str', lambda: 'a,b ab', 'center count encode endswith expandtabs find format join ljust lstrip partition removeprefix replace rfind rindex rsplit split splitlines startswith strip translate upper zfill __add__ __contains__ __eq__ __getitem__ __lt__ __mul__ __rmul__')
probe('bytes', lambda: b'a,b ab', 'center count decode endswith find hex join lstrip replace rindex rsplit split startswith zfill __add__ __contains__ __getitem__ __lt__ __mul__')
