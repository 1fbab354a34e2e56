# template strings (PEP 750)
import copy
import pickle
from string.templatelib import Interpolation, Template, convert

name, n = 'World', 3.14159
t = t'Hello {name}, {n!r:>{8}}{n=:.2f}!'
print(type(t).__module__, type(t).__name__)
print(t.strings)
print([(i.value, i.expression, i.conversion, i.format_spec) for i in t.interpolations])
print(t.values)
print(list(t'{name}{n}') == list(t'{name}{n}'), [type(p).__name__ for p in t])
print(t'{name} x')
print(t'', list(t''), t'plain'.strings)
print((t'a{1}b' + t'c{2}d').strings)
for bad in (lambda: t'a' + 'b', lambda: Template(3), lambda: Template(x=3), lambda: Interpolation(1, 'x', 'q'),
            lambda: Interpolation(1, 2), lambda: setattr(t, 'strings', ()), lambda: setattr(t.interpolations[0], 'value', 1)):
    try:
        print(bad())
    except (TypeError, ValueError, AttributeError) as e:
        print(type(e).__name__, e)
try:
    class Sub(Template):
        pass
except TypeError as e:
    print(e)
print(Template('a', 'b', Interpolation(1, 'one', 's', 'x'), Interpolation(2), 'c'))
match t.interpolations[0]:
    case Interpolation(value, expression, conversion, spec):
        print(value, expression, conversion, repr(spec))
print(convert(3, 'r'), convert('é', 'a'), convert(None, None))


def render(template):
    out = []
    for part in template:
        if isinstance(part, Interpolation):
            out.append(format(convert(part.value, part.conversion), part.format_spec))
        else:
            out.append(part)
    return ''.join(out)


print(render(t'{name!r:>10}|{n:.1f}|{t"in{name}".strings}'))
again = pickle.loads(pickle.dumps(t))
print(again.strings == t.strings, again.values, copy.copy(t).values)
print(rt'\n{name}'.strings, tr'\d'.strings, t'{{}}'.strings)
print(t == t, t == t'Hello', Interpolation[int])
