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


probe('int', lambda: 7, 'as_integer_ratio bit_count bit_length conjugate to_bytes __add__ __and__ __divmod__ __eq__ __floordiv__ __lshift__ __lt__ __mod__ __neg__ __pow__ __rsub__ __truediv__ __format__')
probe('float', lambda: 2.5, 'as_integer_ratio hex is_integer __add__ __divmod__ __eq__ __floordiv__ __lt__ __mod__ __pow__ __rpow__ __round__ __rsub__ __truediv__ __trunc__ __format__')
probe('complex', lambda: 1 + 2j, 'conjugate __add__ __eq__ __lt__ __rsub__ __format__')
probe('range', lambda: range(1, 20, 3), 'count index __contains__ __eq__ __getitem__ __len__ __reversed__')
probe('slice', lambda: slice(1, 5, 2), 'indices __eq__ __lt__')
probe('memoryview', lambda: memoryview(bytearray(b'abcdef')), 'tolist toreadonly __len__ __getitem__')
