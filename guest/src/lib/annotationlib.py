"""Annotations in the formats of PEP 649 and PEP 749.

The annotate function is run as it is for values. For the other formats its code is run with namespaces in which names stand for
themselves: what is missing is a forward reference, or (for source text) every name is an object that records what is done with it.
"""

import enum
import keyword
import sys
import types

__all__ = ['Format', 'ForwardRef', 'call_annotate_function', 'call_evaluate_function', 'get_annotate_from_class_namespace', 'get_annotations',
           'annotations_to_string', 'type_repr']


class Format(enum.IntEnum):
    VALUE = 1
    VALUE_WITH_FAKE_GLOBALS = 2
    FORWARDREF = 3
    STRING = 4


_sentinel = object()


class ForwardRef:
    """A name, or an expression, that could not be evaluated yet."""

    def __init__(self, arg, *, module=None, owner=None, is_argument=True, is_class=False):
        if not isinstance(arg, str):
            raise TypeError(f'Forward reference must be a string -- got {arg!r}')
        self.__arg__ = arg
        self.__forward_is_argument__ = is_argument
        self.__forward_is_class__ = is_class
        self.__forward_module__ = module
        self.__owner__ = owner
        self.__code__ = None
        self.__globals__ = None
        self.__cell__ = None

    def __init_subclass__(cls, /, *args, **kwds):
        raise TypeError('Cannot subclass ForwardRef')

    @property
    def __forward_arg__(self):
        return self.__arg__

    @property
    def __resolved_str__(self):
        return self.__arg__

    @property
    def __forward_code__(self):
        if self.__code__ is None:
            source = self.__arg__
            if source.startswith('*'):
                source = f'({source},)[0]'
            try:
                self.__code__ = compile(source, '<string>', 'eval')
            except SyntaxError:
                raise SyntaxError(f'Forward reference must be an expression -- got {self.__arg__!r}') from None
        return self.__code__

    def evaluate(self, *, globals=None, locals=None, type_params=None, owner=None, format=Format.VALUE):
        if format == Format.STRING:
            return self.__resolved_str__
        if format not in (Format.VALUE, Format.FORWARDREF):
            raise NotImplementedError(format)
        if owner is None:
            owner = self.__owner__
        if globals is None:
            globals = self._own_globals(owner)
        if type_params is None and owner is not None:
            type_params = getattr(owner, '__type_params__', None)
        if locals is None:
            locals = {}
            if isinstance(owner, type):
                locals.update(vars(owner))
        else:
            locals = dict(locals)
        if type_params is not None:
            for parameter in type_params:
                locals.setdefault(parameter.__name__, parameter)
        if isinstance(self.__cell__, dict):
            for name, cell in self.__cell__.items():
                try:
                    locals.setdefault(name, cell.cell_contents)
                except ValueError:
                    pass
        arg = self.__arg__
        if arg.isidentifier() and not keyword.iskeyword(arg):
            if arg in locals:
                return locals[arg]
            if arg in globals:
                return globals[arg]
            import builtins
            if hasattr(builtins, arg):
                return getattr(builtins, arg)
            if format == Format.FORWARDREF:
                return self
            raise NameError(f"name '{arg}' is not defined", name=arg)
        code = self.__forward_code__
        try:
            return eval(code, globals, locals)
        except Exception:
            if format == Format.FORWARDREF:
                return self
            raise

    def _own_globals(self, owner):
        if self.__globals__ is not None:
            return self.__globals__
        module = self.__forward_module__
        if module is not None:
            if isinstance(module, types.ModuleType):
                return vars(module)
            return getattr(sys.modules.get(module), '__dict__', {})
        if isinstance(owner, type):
            return getattr(sys.modules.get(owner.__module__), '__dict__', {})
        if isinstance(owner, types.ModuleType):
            return vars(owner)
        return getattr(owner, '__globals__', {})

    def __eq__(self, other):
        if not isinstance(other, ForwardRef):
            return NotImplemented
        return (self.__arg__ == other.__arg__ and self.__forward_module__ == other.__forward_module__ and self.__globals__ is other.__globals__
                and self.__forward_is_class__ == other.__forward_is_class__ and self.__owner__ == other.__owner__)

    def __hash__(self):
        return hash((self.__arg__, self.__forward_module__, id(self.__globals__), self.__forward_is_class__))

    def __or__(self, other):
        return types.UnionType[self, other]

    def __ror__(self, other):
        return types.UnionType[other, self]

    def __repr__(self):
        extra = []
        if self.__forward_module__ is not None:
            extra.append(f', module={self.__forward_module__!r}')
        if self.__forward_is_class__:
            extra.append(', is_class=True')
        if self.__owner__ is not None:
            extra.append(f', owner={self.__owner__!r}')
        return f'ForwardRef({self.__resolved_str__!r}{"".join(extra)})'


# ---- source text

_ATOM, _POWER, _UNARY, _TERM, _SUM, _SHIFT, _AND, _XOR, _OR, _COMPARE = range(10)


class _Source:
    """An expression that records itself as text."""

    __slots__ = ('_text', '_level')

    def __init__(self, text, level=_ATOM):
        self._text = text
        self._level = level

    def __getattr__(self, name):
        if name.startswith('__') and name.endswith('__'):
            raise AttributeError(name)
        return _Source(f'{_within(self, _ATOM)}.{name}')

    def __getitem__(self, index):
        if isinstance(index, tuple) and index:
            inner = ', '.join(_text_of(i) for i in index) + (',' if len(index) == 1 else '')
        else:
            inner = _text_of(index)
        return _Source(f'{_within(self, _ATOM)}[{inner}]')

    def __call__(self, *args, **kwargs):
        parts = [_text_of(a) for a in args] + [f'{k}={_text_of(v)}' for k, v in kwargs.items()]
        return _Source(f'{_within(self, _ATOM)}({", ".join(parts)})')

    def __iter__(self):
        yield _Source('*' + _within(self, _OR))

    def __repr__(self):
        return self._text

    __hash__ = object.__hash__


def _text_of(value):
    if isinstance(value, _Source):
        return value._text
    if isinstance(value, slice):
        text = ('' if value.start is None else _text_of(value.start)) + ':' + ('' if value.stop is None else _text_of(value.stop))
        return text if value.step is None else f'{text}:{_text_of(value.step)}'
    if value is ...:
        return '...'
    kind = type(value)
    if kind is list:
        return '[' + ', '.join(map(_text_of, value)) + ']'
    if kind is tuple:
        return '(' + ', '.join(map(_text_of, value)) + (',)' if len(value) == 1 else ')')
    if kind is set and value:
        return '{' + ', '.join(map(_text_of, value)) + '}'
    if kind is dict:
        return '{' + ', '.join(f'{_text_of(k)}: {_text_of(v)}' for k, v in value.items()) + '}'
    return repr(value)


def _within(value, level):
    text = _text_of(value)
    return f'({text})' if isinstance(value, _Source) and value._level > level else text


def _operators():
    binary = [('add', '+', _SUM), ('sub', '-', _SUM), ('mul', '*', _TERM), ('matmul', '@', _TERM), ('truediv', '/', _TERM), ('mod', '%', _TERM),
              ('floordiv', '//', _TERM), ('lshift', '<<', _SHIFT), ('rshift', '>>', _SHIFT), ('or', '|', _OR), ('xor', '^', _XOR), ('and', '&', _AND),
              ('pow', '**', _POWER)]

    def make(symbol, level):
        def forward(self, other):
            return _Source(f'{_within(self, level)} {symbol} {_within(other, level - 1)}', level)

        def reflected(self, other):
            return _Source(f'{_within(other, level)} {symbol} {_within(self, level - 1)}', level)
        return forward, reflected

    for name, symbol, level in binary:
        forward, reflected = make(symbol, level)
        setattr(_Source, f'__{name}__', forward)
        setattr(_Source, f'__r{name}__', reflected)

    def comparison(symbol):
        return lambda self, other: _Source(f'{_within(self, _OR)} {symbol} {_within(other, _OR)}', _COMPARE)

    for name, symbol in [('lt', '<'), ('le', '<='), ('eq', '=='), ('ne', '!='), ('gt', '>'), ('ge', '>=')]:
        setattr(_Source, f'__{name}__', comparison(symbol))

    def unary(symbol):
        return lambda self: _Source(symbol + _within(self, _UNARY), _UNARY)

    for name, symbol in [('invert', '~'), ('neg', '-'), ('pos', '+')]:
        setattr(_Source, f'__{name}__', unary(symbol))


_operators()
del _operators


# ---- running annotate functions

def _rebuilt(function, globals, closure):
    return types.FunctionType(function.__code__, globals, closure=closure, argdefs=function.__defaults__, kwdefaults=function.__kwdefaults__)


def call_evaluate_function(evaluate, format, *, owner=None):
    return call_annotate_function(evaluate, format, owner=owner, _is_evaluate=True)


def call_annotate_function(annotate, format, *, owner=None, _is_evaluate=False):
    if format == Format.VALUE_WITH_FAKE_GLOBALS:
        raise ValueError('The VALUE_WITH_FAKE_GLOBALS format is for internal use only')
    if not isinstance(annotate, types.FunctionType):
        if isinstance(annotate, types.MethodType) or not hasattr(annotate, '__code__'):
            try:
                return annotate(format)
            except NotImplementedError:
                if format == Format.STRING:
                    value = annotate(Format.VALUE)
                    return type_repr(value) if _is_evaluate else annotations_to_string(value)
                return annotate(Format.VALUE)
        return annotate(format)
    try:
        return annotate(format)
    except NotImplementedError:
        pass
    except NameError:
        if format != Format.FORWARDREF or not _is_evaluate:
            raise
    if format == Format.STRING:
        return _as_source(annotate, _is_evaluate)
    if format == Format.FORWARDREF:
        return _with_references(annotate, owner, _is_evaluate)
    raise ValueError(f'Invalid format: {format!r}')


def _as_source(annotate, is_evaluate):
    code = annotate.__code__
    namespace = {name: _Source(name) for name in code.co_names}
    namespace['__builtins__'] = {}
    cells = []
    for name, cell in zip(code.co_freevars, annotate.__closure__ or ()):
        if name == '__classdict__':
            cells.append(types.CellType({}))
        elif name == '__conditional_annotations__':
            cells.append(cell)
        else:
            cells.append(types.CellType(_Source(name)))
    if '__conditional_annotations__' in namespace:
        namespace['__conditional_annotations__'] = annotate.__globals__.get('__conditional_annotations__', ())
    result = _rebuilt(annotate, namespace, tuple(cells) if cells else None)(Format.VALUE_WITH_FAKE_GLOBALS)

    def text(value):
        return value if isinstance(value, str) else _text_of(value)
    return text(result) if is_evaluate else {key: text(value) for key, value in result.items()}


def _with_references(annotate, owner, is_evaluate):
    try:
        return annotate(Format.VALUE)
    except NotImplementedError:
        raise
    except Exception as error:
        failure = error
    is_class = isinstance(owner, type)
    namespace = dict(annotate.__globals__)
    code = annotate.__code__
    closure = list(annotate.__closure__ or ())
    for _ in range(len(code.co_names) + len(code.co_freevars) + 1):
        if not isinstance(failure, NameError) or failure.name is None:
            break
        name = failure.name
        if name in code.co_freevars:
            closure[code.co_freevars.index(name)] = types.CellType(_Unknown(name))
        elif name in namespace:
            break
        else:
            namespace[name] = _Unknown(name)
        try:
            result = _rebuilt(annotate, namespace, tuple(closure) if closure else None)(Format.VALUE_WITH_FAKE_GLOBALS)
        except Exception as error:
            failure = error
            continue

        def resolved(value):
            return _resolved(value, annotate.__globals__, owner, is_class)
        return resolved(result) if is_evaluate else {key: resolved(value) for key, value in result.items()}
    # The expressions do something with a value that is there and fail: each is a reference as a whole.
    texts = _as_source(annotate, is_evaluate)
    if is_evaluate:
        return _reference(texts, annotate.__globals__, owner, is_class)
    result = {}
    for key, text in texts.items():
        reference = _reference(text, annotate.__globals__, owner, is_class)
        result[key] = reference.evaluate(format=Format.FORWARDREF)
    return result


class _Unknown(_Source):
    """A name that does not exist, and what is made of it."""

    __slots__ = ()


def _reference(text, globals, owner, is_class):
    reference = ForwardRef(text, owner=owner, is_class=is_class)
    reference.__globals__ = globals
    return reference


def _resolved(value, globals, owner, is_class):
    if isinstance(value, _Source):
        return _reference(value._text, globals, owner, is_class)
    args = getattr(value, '__args__', None)
    if isinstance(args, tuple) and any(_has_source(a) for a in args):
        new = tuple(_resolved(a, globals, owner, is_class) for a in args)
        if isinstance(value, types.UnionType):
            return types.UnionType[new]
        if isinstance(value, types.GenericAlias):
            return types.GenericAlias(value.__origin__, new)
        if hasattr(value, 'copy_with'):
            return value.copy_with(new)
    if isinstance(value, list):
        return [_resolved(v, globals, owner, is_class) for v in value]
    return value


def _has_source(value):
    if isinstance(value, _Source):
        return True
    if isinstance(value, (list, tuple)):
        return any(map(_has_source, value))
    args = getattr(value, '__args__', None)
    return isinstance(args, tuple) and any(map(_has_source, args))


# ---- looking annotations up

def get_annotate_from_class_namespace(obj):
    try:
        return obj['__annotate__']
    except KeyError:
        return obj.get('__annotate_func__', None)


def _dunder_annotations(obj):
    if isinstance(obj, type):
        try:
            ann = _class_annotations(obj)
        except AttributeError:
            return None
    else:
        ann = getattr(obj, '__annotations__', None)
    if ann is None:
        return None
    if not isinstance(ann, dict):
        raise ValueError(f'{obj!r}.__annotations__ is neither a dict nor None')
    return ann


_class_annotations = type.__dict__['__annotations__'].__get__
_class_annotate = type.__dict__['__annotate__'].__get__


def _annotate_of(obj):
    if isinstance(obj, type):
        try:
            return _class_annotate(obj)
        except AttributeError:
            return None
    return getattr(obj, '__annotate__', None)


def get_annotations(obj, *, globals=None, locals=None, eval_str=False, format=Format.VALUE):
    if eval_str and format != Format.VALUE:
        raise ValueError('eval_str=True is only supported with format=Format.VALUE')
    if format == Format.VALUE:
        ann = _dunder_annotations(obj)
        if ann is None:
            ann = _called(obj, format)
    elif format == Format.FORWARDREF:
        try:
            ann = _dunder_annotations(obj)
        except Exception:
            ann = None
        if ann is None:
            ann = _called(obj, format)
    elif format == Format.STRING:
        ann = _called(obj, format)
        if ann is None:
            ann = _dunder_annotations(obj)
            if ann is not None:
                return annotations_to_string(ann)
    elif format == Format.VALUE_WITH_FAKE_GLOBALS:
        raise ValueError('The VALUE_WITH_FAKE_GLOBALS format is for internal use only')
    else:
        raise ValueError(f'Unsupported format {format!r}')
    if ann is None:
        if isinstance(obj, type) or callable(obj) or isinstance(obj, types.ModuleType):
            return {}
        raise TypeError(f'{obj!r} does not have annotations')
    if not ann:
        return {}
    if not eval_str:
        return dict(ann)
    unwrap = obj
    obj_globals = obj_locals = None
    if isinstance(obj, type):
        obj_globals = getattr(sys.modules.get(getattr(obj, '__module__', None)), '__dict__', None)
        obj_locals = dict(vars(obj))
    elif isinstance(obj, types.ModuleType):
        obj_globals = vars(obj)
    elif callable(obj):
        while hasattr(unwrap, '__wrapped__') or hasattr(unwrap, 'func'):
            unwrap = getattr(unwrap, '__wrapped__', None) or unwrap.func
        obj_globals = getattr(unwrap, '__globals__', None)
    if globals is None:
        globals = obj_globals
    if locals is None:
        locals = obj_locals
    locals = {} if locals is None else dict(locals)
    for parameter in getattr(obj, '__type_params__', ()):
        locals.setdefault(parameter.__name__, parameter)
    return {key: eval(value, globals, locals) if isinstance(value, str) else value for key, value in ann.items()}


def _called(obj, format):
    annotate = _annotate_of(obj)
    if annotate is None:
        return None
    ann = call_annotate_function(annotate, format, owner=obj)
    if not isinstance(ann, dict):
        raise ValueError(f'{obj!r}.__annotate__ returned a non-dict')
    return ann


def type_repr(value):
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        if value.__module__ == 'builtins':
            return value.__qualname__
        return f'{value.__module__}.{value.__qualname__}'
    if isinstance(value, _Source):
        return value._text
    if value is ...:
        return '...'
    return repr(value)


def annotations_to_string(annotations):
    return {name: value if isinstance(value, str) else type_repr(value) for name, value in annotations.items()}
