"""Template strings (PEP 750): what t'...' makes. The machine calls the two classes; nothing else of it is native."""

from types import GenericAlias

__all__ = ['Interpolation', 'Template', 'convert']


def _fixed(name):
    def __init_subclass__(cls, /, *args, **kwargs):
        raise TypeError(f"type 'string.templatelib.{name}' is not an acceptable base type")
    return classmethod(__init_subclass__)


class Interpolation:
    """An expression of a template: its value, its text, and how it was to be converted and formatted."""

    __slots__ = ('value', 'expression', 'conversion', 'format_spec')
    __match_args__ = ('value', 'expression', 'conversion', 'format_spec')
    __init_subclass__ = _fixed('Interpolation')
    __class_getitem__ = classmethod(GenericAlias)

    def __new__(cls, /, value, expression='', conversion=None, format_spec=''):
        for name, given in (('expression', expression), ('format_spec', format_spec)):
            if not isinstance(given, str):
                raise TypeError(f"Interpolation() argument '{name}' must be str, not {type(given).__name__}")
        if conversion is not None:
            if not isinstance(conversion, str):
                raise TypeError(f"Interpolation() argument 'conversion' must be str, not {type(conversion).__name__}")
            if conversion not in ('s', 'a', 'r'):
                raise ValueError("Interpolation() argument 'conversion' must be one of 's', 'a' or 'r'")
        self = object.__new__(cls)
        put = object.__setattr__
        put(self, 'value', value)
        put(self, 'expression', expression)
        put(self, 'conversion', conversion)
        put(self, 'format_spec', format_spec)
        return self

    def __setattr__(self, name, value):
        if name in Interpolation.__slots__:
            raise AttributeError('readonly attribute')
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        if name in Interpolation.__slots__:
            raise AttributeError('readonly attribute')
        object.__delattr__(self, name)

    def __repr__(self):
        return f'Interpolation({self.value!r}, {self.expression!r}, {self.conversion!r}, {self.format_spec!r})'

    def __reduce__(self):
        return Interpolation, (self.value, self.expression, self.conversion, self.format_spec)


class Template:
    """The strings of a template and the interpolations between them; there is always one string more."""

    __slots__ = ('strings', 'interpolations')
    __init_subclass__ = _fixed('Template')

    def __new__(cls, /, *args, **kwargs):
        if kwargs:
            raise TypeError('Template.__new__ only accepts *args arguments')
        strings = []
        interpolations = []
        text = ''
        for item in args:
            if isinstance(item, str):
                text += item
            elif isinstance(item, Interpolation):
                strings.append(text)
                interpolations.append(item)
                text = ''
            else:
                kind = type(item)
                shown = kind.__qualname__ if kind.__module__ == 'builtins' else f'{kind.__module__}.{kind.__qualname__}'
                raise TypeError(f"Template.__new__ *args need to be of type 'str' or 'Interpolation', got {shown}")
        strings.append(text)
        return _made(tuple(strings), tuple(interpolations))

    @property
    def values(self):
        """Values of interpolations"""
        return tuple(interpolation.value for interpolation in self.interpolations)

    def __iter__(self):
        return TemplateIter(self)

    def __add__(self, other):
        if not isinstance(other, Template):
            kind = type(other)
            shown = kind.__qualname__ if kind.__module__ == 'builtins' else f'{kind.__module__}.{kind.__qualname__}'
            raise TypeError(f'can only concatenate string.templatelib.Template (not "{shown}") to string.templatelib.Template')
        joined = self.strings[:-1] + (self.strings[-1] + other.strings[0],) + other.strings[1:]
        return _made(joined, self.interpolations + other.interpolations)

    def __setattr__(self, name, value):
        if name in ('strings', 'interpolations'):
            raise AttributeError('readonly attribute')
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        if name in ('strings', 'interpolations'):
            raise AttributeError('readonly attribute')
        object.__delattr__(self, name)

    def __repr__(self):
        return f'Template(strings={self.strings!r}, interpolations={self.interpolations!r})'

    def __reduce__(self):
        return _template_unpickle, (self.strings, self.interpolations)


def _made(strings, interpolations):
    self = object.__new__(Template)
    object.__setattr__(self, 'strings', strings)
    object.__setattr__(self, 'interpolations', interpolations)
    return self


class TemplateIter:
    """The parts of a template in their order; empty strings are left out."""

    __slots__ = ('_parts',)

    def __init__(self, template):
        self._parts = self._walk(template.strings, template.interpolations)

    @staticmethod
    def _walk(strings, interpolations):
        for i, text in enumerate(strings):
            if text:
                yield text
            if i < len(interpolations):
                yield interpolations[i]

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._parts)


def convert(obj, /, conversion):
    """Convert *obj* using formatted string literal semantics."""
    match conversion:
        case None:
            return obj
        case 'r':
            return repr(obj)
        case 's':
            return str(obj)
        case 'a':
            return ascii(obj)
    raise ValueError(f'invalid conversion specifier: {conversion}')


def _template_unpickle(*args):
    if len(args) != 2:
        raise ValueError('Template expects tuple of length 2 to unpickle')
    return _made(*args)
