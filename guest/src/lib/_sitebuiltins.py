"""Builtins of interactive sessions."""

import sys


class Quitter:
    def __init__(self, name, eof='Ctrl-D (i.e. EOF)'):
        self.name = name
        self.eof = eof

    def __repr__(self):
        return f'Use {self.name}() or {self.eof} to exit'

    def __call__(self, code=None):
        raise SystemExit(code)


class _Printer:
    def __init__(self, name, text):
        self._name = name
        self._text = text

    def __repr__(self):
        return self._text

    def __call__(self):
        print(self._text)


class _Helper:
    """Describes an object: its signature, documentation and public members."""

    def __repr__(self):
        return 'Type help() for interactive help, or help(object) for help about object.'

    def __call__(self, *args, **kwds):
        if not args:
            print('There is no interactive help in the sandbox; use help(object).')
            return
        import inspect
        print(_describe(inspect, *args))


def _line(inspect, name, value):
    try:
        return f'{name}{inspect.signature(value)}'
    except (ValueError, TypeError):
        return f'{name}(...)'


def _indented(text, prefix):
    return '\n'.join((prefix + line).rstrip() for line in text.split('\n'))


def _describe(inspect, value):
    if isinstance(value, str):
        try:
            __import__(value)
            value = sys.modules[value]
        except ImportError:
            return f'No Python documentation found for {value!r}.'
    if not (inspect.ismodule(value) or inspect.isclass(value) or inspect.isroutine(value)):
        value = type(value)
    doc = inspect.getdoc(value)
    if inspect.ismodule(value):
        out = [f'Help on module {value.__name__}:', '', 'NAME', f'    {value.__name__}' + (f' - {doc.splitlines()[0]}' if doc else '')]
        names = getattr(value, '__all__', None) or [n for n in vars(value) if not n.startswith('_')]
        members = [(n, getattr(value, n, None)) for n in sorted(names)]
        classes = [n for n, v in members if inspect.isclass(v)]
        functions = [(n, v) for n, v in members if inspect.isroutine(v)]
        if classes:
            out += ['', 'CLASSES'] + [f'    {n}' for n in classes]
        if functions:
            out += ['', 'FUNCTIONS']
            for n, v in functions:
                out.append('    ' + _line(inspect, n, v))
                text = inspect.getdoc(v)
                if text:
                    out.append(_indented(text, '        '))
        return '\n'.join(out) + '\n'
    if inspect.isclass(value):
        bases = ', '.join(b.__name__ for b in value.__bases__ if b is not object)
        head = f'class {value.__name__}({bases})' if bases else f'class {value.__name__}({"builtins.object" if value is not object else ""})'
        out = [f'Help on class {value.__name__} in module {value.__module__}:', '', head]
        out.append(' |  ' + _line(inspect, value.__name__, value))
        if doc:
            out += [' |', _indented(doc, ' |  ')]
        methods = [(n, v) for n, v in vars(value).items() if inspect.isroutine(v) or isinstance(v, (staticmethod, classmethod))]
        if methods:
            out += [' |', ' |  Methods defined here:']
            for n, v in sorted(methods):
                out += [' |', ' |  ' + _line(inspect, n, v)]
                text = inspect.getdoc(v)
                if text:
                    out.append(_indented(text, ' |      '))
        return '\n'.join(out) + '\n'
    out = [f'Help on {"built-in function" if inspect.isbuiltin(value) else "function"} {value.__name__} in module {value.__module__}:', '',
           _line(inspect, value.__name__, value)]
    if doc:
        out.append(_indented(doc, '    '))
    return '\n'.join(out) + '\n'


help = _Helper()
exit = Quitter('exit')
quit = Quitter('quit')
copyright = _Printer('copyright', 'Copyright (c) 2001 Python Software Foundation.\nAll Rights Reserved.')
credits = _Printer('credits', 'Thanks to the Python community for the language and its library.')
license = _Printer('license', 'See https://docs.python.org/3/license.html')


def breakpointhook(*args, **kwargs):
    """Calls what the variable PYTHONBREAKPOINT names; `pdb.set_trace` if it names nothing."""
    import os
    name = os.environ.get('PYTHONBREAKPOINT') or 'pdb.set_trace'
    if name == '0':
        return None
    module, _, attribute = name.rpartition('.')
    try:
        hook = getattr(__import__(module or 'builtins', fromlist=['_']), attribute)
    except (ImportError, AttributeError, ValueError):
        import warnings
        warnings.warn(f'Ignoring unimportable $PYTHONBREAKPOINT: "{name}"', RuntimeWarning, stacklevel=3)
        return None
    return hook(*args, **kwargs)
