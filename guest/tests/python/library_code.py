# The library is compiled when the interpreter is built. What can be seen of its code is what compiling its source gives.
import contextlib
import copy
import heapq
import inspect
import linecache
import random
import statistics
import textwrap
import traceback
import types


def walk(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from walk(constant)


def functions(space, module):
    for value in list(vars(space).values()):
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if isinstance(value, types.FunctionType):
            if value.__module__ == module.__name__ and not hasattr(value, '__wrapped__'):
                yield value
        elif isinstance(value, type) and value.__module__ == module.__name__ and space is module:
            yield from functions(value, module)


for module in (contextlib, copy, heapq, textwrap):
    whole = compile(inspect.getsource(module), module.__file__, 'exec')
    made = {(code.co_qualname, code.co_firstlineno): code for code in walk(whole)}
    count = 0
    for function in functions(module, module):
        code = function.__code__
        other = made.get((code.co_qualname, code.co_firstlineno))
        if other is None or other.co_filename != code.co_filename:
            continue
        count += 1
        for found, wanted in zip(walk(code), walk(other), strict=True):
            assert found == wanted, found
            assert found.co_consts[:1] == wanted.co_consts[:1] or isinstance(found.co_consts[0], types.CodeType)
            assert found.co_names == wanted.co_names, found
            assert found.co_varnames == wanted.co_varnames, found
            assert found.co_freevars == wanted.co_freevars, found
            assert found.co_cellvars == wanted.co_cellvars, found
            assert list(found.co_lines()) == list(wanted.co_lines()), found
            assert list(found.co_positions()) == list(wanted.co_positions()), found
            assert found.co_flags == wanted.co_flags, found
        assert function.__doc__ == inspect.getdoc(function) or function.__doc__ is None or '\n' in function.__doc__
    print(module.__name__, count > 3)


def show(call, *args):
    try:
        call(*args)
    except Exception as error:
        for entry in traceback.extract_tb(error.__traceback__)[1:]:
            print(entry.name, '|', entry.line, '|', entry.end_colno - entry.colno)
        print(type(error).__name__, error)


show(statistics.mean, [])
show(random.choice, [])
show(heapq.merge([1], key=3).__next__)
print(textwrap.fill.__doc__.splitlines()[0])
print(textwrap.dedent.__code__.co_name, textwrap.dedent.__code__ == textwrap.dedent.__code__.replace())
print(inspect.getsource(random.Random.shuffle).splitlines()[0])
print(linecache.getline(textwrap.__file__, textwrap.fill.__code__.co_firstlineno).strip())
