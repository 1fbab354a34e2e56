import sys

def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except BaseException as e:
        return type(e).__name__, str(e), e.args

print(sys.version_info[:2] >= (3, 13), sys.version_info.major, type(sys.version_info).__name__, sys.version.startswith('3.'), sys.hexversion >> 24, sys.version_info.releaselevel, sys.version_info[3])
print(attempt(type(sys.version_info), (1,)), attempt(type(sys.flags)))
print(sys.maxsize, sys.maxunicode, sys.byteorder, sys.argv[1:], sys.float_info, sys.int_info, sys.hash_info.modulus, sys.float_info.epsilon, len(sys.float_info), sys.float_info == tuple(sys.float_info))
print(sys.getrecursionlimit(), sys.setrecursionlimit(2000), sys.getrecursionlimit(), attempt(sys.setrecursionlimit, 0), attempt(sys.setrecursionlimit, 'a'), sys.setrecursionlimit(1000))
print(sys.exc_info(), sys.exception())
try:
    1 / 0
except ZeroDivisionError as e:
    t, v, tb = sys.exc_info()
    print(t, v is e, tb is e.__traceback__, sys.exception() is e, tb.tb_lineno)
print(sys.exc_info())
print(attempt(sys.exit), attempt(sys.exit, 3), attempt(sys.exit, 'bye'), attempt(sys.exit, (1, 2)), attempt(sys.exit, None))
def f():
    return sys._getframe().f_code.co_name, sys._getframe(1).f_code.co_name, sys._getframemodulename(), attempt(sys._getframe, 100)
def g():
    return f()
print(g())
print(sys.intern('abc') is sys.intern('a' + 'bc'), attempt(sys.intern, 1), sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.get_int_max_str_digits(), attempt(sys.set_int_max_str_digits, 5), sys.set_int_max_str_digits(5000), sys.get_int_max_str_digits())
print(sys.getsizeof(1) > 0, sys.getsizeof('abc') > 0, sys.getsizeof([]) <= sys.getsizeof([1] * 100), sys.getrefcount(object()) >= 1)
print('sys' in sys.modules, 'sys' in sys.builtin_module_names, 'json' in sys.stdlib_module_names, sys.modules['sys'] is sys, sys.implementation.version == sys.version_info, sys.flags.optimize)
print(sys.displayhook('x'), sys.displayhook(None), _)
print(sys.get_asyncgen_hooks(), sys.gettrace(), sys.is_finalizing(), sys.float_repr_style, sys.getswitchinterval())
print(sys.stdin.read() if False else '', sys.audit('x', 1), sys.thread_info[0] != '')
