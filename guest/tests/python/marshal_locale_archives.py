"""Shared values in `marshal`, locales as the library has them, modules in archives, and sources in other encodings."""
import _thread
import io
import locale
import marshal
import pkgutil
import runpy
import sys
import tempfile
import zipfile

shared = 'some text that occurs twice'
number = 123456789012
for value in ([shared, shared], (shared, [shared], {shared: shared}), {'a': [number, number]}, frozenset([1, 2]), slice(1, shared, shared)):
    if isinstance(value, slice) and sys.version_info < (3, 14):
        print(True)
        continue
    print(marshal.loads(marshal.dumps(value)) == value)
print(len(marshal.dumps([shared, shared], 2)) > len(marshal.dumps([shared, shared], 3)))
loop = [1]
loop.append(loop)
again = marshal.loads(marshal.dumps(loop))
print(again[1] is again, marshal.load(io.BytesIO(marshal.dumps((1, 'x')))))
table = {'k': shared}
table['self'] = table
again = marshal.loads(marshal.dumps(table))
print(again['self'] is again)
name = sys.intern('an interned name')
print(marshal.loads(marshal.dumps(name)) is name)
deep = []
for _ in range(1400):
    deep = [deep]
print(len(marshal.loads(marshal.dumps(deep))))
for _ in range(700):
    deep = [deep]
try:
    marshal.dumps(deep)
except ValueError as e:
    print(e)


class Bad:
    def read(self, n):
        return 'text'


try:
    marshal.load(Bad())
except TypeError as e:
    print(e)

print(locale.setlocale(locale.LC_ALL, 'C'), locale.setlocale(locale.LC_NUMERIC), locale.getlocale(locale.LC_TIME))
print(locale.normalize('de_DE.iso88591'), locale.normalize('fr'), locale.normalize('ja_JP.ujis'))
print(locale.format_string('%d %.2f %s', (1234567, 2.5, 'x'), grouping=True), locale.atof('1.5'), locale.str(3.25))
for attempt in (lambda: locale.setlocale(locale.LC_ALL, 'xx_YY'), lambda: locale.currency(5), lambda: locale.strcoll('a\0', 'b')):
    try:
        print(attempt())
    except (ValueError, locale.Error) as e:
        print(type(e), e)
print(locale.nl_langinfo(locale.DAY_3), locale.nl_langinfo(locale.MON_12), locale.strcoll('a', 'b'), sorted('bA', key=locale.strxfrm))
print(locale.localeconv()['decimal_point'])


class Holder:
    make = _thread.allocate_lock


print(Holder().make().locked())

with tempfile.TemporaryDirectory() as folder:
    path = folder + '/archive.zip'
    with zipfile.ZipFile(path, 'w') as z:
        z.writestr('inside_archive.py', 'x = 42\n')
        z.writestr('package_in_archive/__init__.py', '')
        z.writestr('package_in_archive/data.txt', 'hey')
        z.writestr('package_in_archive/part.py', 'from . import __name__ as parent\n')
        z.writestr('__main__.py', 'print("run as", __name__)\n')
    sys.path.insert(0, path)
    import inside_archive
    import package_in_archive.part
    print(inside_archive.x, package_in_archive.part.parent, inside_archive.__loader__.__class__.__name__)
    print(pkgutil.get_data('package_in_archive', 'data.txt'), sorted(m.name for m in pkgutil.iter_modules([path])))
    runpy.run_path(path, run_name='__main__')
    sys.path.remove(path)

for text in (b'# -*- coding: iso8859-15 -*-\ns = "\xa4"', b'# coding: cp1252\ns = "\x80"', b'# coding: koi8-r\ns = "\xc1"'):
    space = {}
    exec(text, space)
    print(ascii(space['s']))
try:
    compile(b'# coding: nonsense\n', 'file', 'exec')
except SyntaxError as e:
    print(e.msg)
