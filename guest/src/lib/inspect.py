"""Looking into live objects: kinds of objects, their members, and the signatures of what can be called."""

import abc as _abc
import builtins
import collections.abc
import enum
import functools
import itertools
import keyword
import sys
import types
from collections import OrderedDict, namedtuple

from annotationlib import Format, ForwardRef, get_annotations

CO_OPTIMIZED, CO_NEWLOCALS, CO_VARARGS, CO_VARKEYWORDS, CO_NESTED, CO_GENERATOR = 1, 2, 4, 8, 16, 32
CO_NOFREE, CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR, CO_HAS_DOCSTRING, CO_METHOD = 64, 128, 256, 512, 0x4000000, 0x8000000
TPFLAGS_IS_ABSTRACT = 1 << 20


# ---- kinds

def ismodule(object):
    return isinstance(object, types.ModuleType)


def isclass(object):
    return isinstance(object, type)


def ismethod(object):
    return isinstance(object, types.MethodType)


def ispackage(object):
    return ismodule(object) and hasattr(object, '__path__')


def isfunction(object):
    return isinstance(object, types.FunctionType)


def ismethoddescriptor(object):
    if isclass(object) or ismethod(object) or isfunction(object):
        return False
    kind = type(object)
    return hasattr(kind, '__get__') and not hasattr(kind, '__set__') and not hasattr(kind, '__delete__')


def isdatadescriptor(object):
    if isclass(object) or ismethod(object) or isfunction(object):
        return False
    kind = type(object)
    return hasattr(kind, '__set__') or hasattr(kind, '__delete__')


def ismemberdescriptor(object):
    return isinstance(object, types.MemberDescriptorType)


def isgetsetdescriptor(object):
    return isinstance(object, types.GetSetDescriptorType)


def _unwrapped_method(f):
    while ismethod(f):
        f = f.__func__
    return f


def _has_code_flag(f, flag):
    f = functools._unwrap_partial(_unwrapped_method(f))
    f = _unwrapped_method(f)
    return isfunction(f) and bool(f.__code__.co_flags & flag)


def isgeneratorfunction(obj):
    return _has_code_flag(obj, CO_GENERATOR)


_mark = object()


def markcoroutinefunction(func):
    func = getattr(func, '__func__', func)
    func._is_coroutine_mark = _mark
    return func


def iscoroutinefunction(obj):
    f = functools._unwrap_partial(_unwrapped_method(obj))
    return _has_code_flag(obj, CO_COROUTINE) or getattr(_unwrapped_method(f), '_is_coroutine_mark', None) is _mark


def isasyncgenfunction(obj):
    return _has_code_flag(obj, CO_ASYNC_GENERATOR)


def isasyncgen(object):
    return isinstance(object, types.AsyncGeneratorType)


def isgenerator(object):
    return isinstance(object, types.GeneratorType)


def iscoroutine(object):
    return isinstance(object, types.CoroutineType)


def isawaitable(object):
    return (isinstance(object, types.CoroutineType) or isinstance(object, types.GeneratorType) and bool(object.gi_code.co_flags & CO_ITERABLE_COROUTINE)
            or isinstance(object, collections.abc.Awaitable))


def istraceback(object):
    return isinstance(object, types.TracebackType)


def isframe(object):
    return isinstance(object, types.FrameType)


def iscode(object):
    return isinstance(object, types.CodeType)


def isbuiltin(object):
    return isinstance(object, types.BuiltinFunctionType)


def ismethodwrapper(object):
    return isinstance(object, types.MethodWrapperType)


def isroutine(object):
    return isbuiltin(object) or isfunction(object) or ismethod(object) or ismethoddescriptor(object) or ismethodwrapper(object)


def isabstract(object):
    return isclass(object) and bool(getattr(object, '__abstractmethods__', None)) and isinstance(object, _abc.ABCMeta)


# ---- members

def _members(object, predicate, getter):
    results = []
    seen = set()
    names = dir(object)
    if isclass(object):
        for base in object.__bases__:
            for k, v in base.__dict__.items():
                if isinstance(v, types.DynamicClassAttribute):
                    names.append(k)
    for key in names:
        try:
            value = getter(object, key)
            if key in seen:
                raise AttributeError
        except AttributeError:
            for base in (object.__mro__ if isclass(object) else ()):
                if key in base.__dict__:
                    value = base.__dict__[key]
                    break
            else:
                continue
        if not predicate or predicate(value):
            results.append((key, value))
        seen.add(key)
    results.sort(key=lambda pair: pair[0])
    return results


def getmembers(object, predicate=None):
    return _members(object, predicate, getattr)


def getmembers_static(object, predicate=None):
    return _members(object, predicate, getattr_static)


Attribute = namedtuple('Attribute', 'name kind defining_class object')


def classify_class_attrs(cls):
    result = []
    for name in sorted(set(dir(cls))):
        for base in cls.__mro__ + type(cls).__mro__:
            if name in base.__dict__:
                break
        else:
            continue
        value = base.__dict__[name]
        if isinstance(value, (staticmethod, types.BuiltinMethodType)):
            kind = 'static method'
        elif isinstance(value, (classmethod, types.ClassMethodDescriptorType)):
            kind = 'class method'
        elif isinstance(value, property):
            kind = 'property'
        elif isroutine(value):
            kind = 'method'
        else:
            kind = 'data'
        result.append(Attribute(name, kind, base, value))
    return result


def getmro(cls):
    return cls.__mro__


def unwrap(func, *, stop=None):
    f = func
    memo = {id(f): f}
    limit = sys.getrecursionlimit()
    while not isinstance(func, type) and hasattr(func, '__wrapped__'):
        if stop is not None and stop(func):
            break
        func = func.__wrapped__
        if id(func) in memo or len(memo) >= limit:
            raise ValueError(f'wrapper loop when unwrapping {f!r}')
        memo[id(func)] = func
    return func


_missing = object()


def _static_mro(cls):
    return type.__dict__['__mro__'].__get__(cls)


def getattr_static(obj, attr, default=_missing):
    """The attribute as it is stored, without descriptors and `__getattr__`."""
    own = _missing
    if isinstance(obj, type):
        classes = _static_mro(obj)
        for base in classes:
            if attr in type.__dict__['__dict__'].__get__(base):
                return type.__dict__['__dict__'].__get__(base)[attr]
        classes = _static_mro(type(obj))
    else:
        classes = _static_mro(type(obj))
        try:
            own = object.__getattribute__(obj, '__dict__').get(attr, _missing)
        except (AttributeError, TypeError):
            pass
    found = _missing
    for base in classes:
        if attr in type.__dict__['__dict__'].__get__(base):
            found = type.__dict__['__dict__'].__get__(base)[attr]
            break
    if found is not _missing and own is not _missing and hasattr(type(found), '__get__') and (hasattr(type(found), '__set__') or hasattr(type(found), '__delete__')):
        return found
    if own is not _missing:
        return own
    if found is not _missing:
        return found
    if default is not _missing:
        return default
    raise AttributeError(attr)


# ---- documentation and source

def indentsize(line):
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())


def cleandoc(doc):
    lines = doc.expandtabs().split('\n')
    margin = sys.maxsize
    for line in lines[1:]:
        content = len(line.lstrip(' '))
        if content:
            margin = min(margin, len(line) - content)
    if lines:
        lines[0] = lines[0].lstrip(' ')
    if margin < sys.maxsize:
        lines[1:] = [line[margin:] for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return '\n'.join(lines)


def _inherited_doc(obj):
    if isclass(obj):
        for base in obj.__mro__[1:]:
            if base is not object and base.__doc__ is not None:
                return base.__doc__
        return None
    if ismethod(obj):
        name, owner = obj.__func__.__name__, obj.__self__
        cls = owner if isclass(owner) else type(owner)
    elif isfunction(obj):
        name = obj.__name__
        cls = sys.modules.get(obj.__module__)
        for part in obj.__qualname__.split('.')[:-1]:
            cls = getattr(cls, part, None)
        if not isclass(cls):
            return None
    elif isinstance(obj, property):
        name = obj.fget.__name__
        cls = sys.modules.get(obj.fget.__module__)
        for part in obj.fget.__qualname__.split('.')[:-1]:
            cls = getattr(cls, part, None)
        if not isclass(cls):
            return None
    else:
        return None
    for base in cls.__mro__:
        doc = getattr(getattr(base, name, None), '__doc__', None)
        if doc is not None:
            return doc
    return None


def getdoc(object):
    try:
        doc = object.__doc__
    except AttributeError:
        return None
    if doc is None:
        try:
            doc = _inherited_doc(object)
        except (AttributeError, TypeError):
            return None
    return cleandoc(doc) if isinstance(doc, str) else None


def getmodule(object, _filename=None):
    if ismodule(object):
        return object
    return sys.modules.get(getattr(object, '__module__', None))


def getfile(object):
    if ismodule(object):
        if getattr(object, '__file__', None):
            return object.__file__
        raise TypeError(f'{object!r} is a built-in module')
    if isclass(object):
        module = sys.modules.get(object.__module__)
        if getattr(module, '__file__', None):
            return module.__file__
        raise TypeError(f'{object!r} is a built-in class')
    object = _unwrapped_method(object)
    if isfunction(object):
        object = object.__code__
    if istraceback(object):
        object = object.tb_frame
    if isframe(object):
        object = object.f_code
    if iscode(object):
        return object.co_filename
    raise TypeError(f'module, class, method, function, traceback, frame, or code object was expected, got {type(object).__name__}')


def getsourcefile(object):
    return getfile(object)


def findsource(object):
    import linecache
    lines = linecache.getlines(getfile(object))
    if not lines:
        raise OSError('could not get source code')
    object = _unwrapped_method(object)
    if ismodule(object):
        return lines, 0
    if isclass(object):
        line = vars(object).get('__firstlineno__')
        if line is None:
            raise OSError('source code not available')
        return lines, line - 1
    if isfunction(object):
        object = object.__code__
    if istraceback(object):
        object = object.tb_frame
    if isframe(object):
        object = object.f_code
    return lines, object.co_firstlineno - 1


def getsourcelines(object):
    object = unwrap(object)
    lines, start = findsource(object)
    if ismodule(object):
        return lines, 0
    first = indentsize(lines[start])
    end = start
    while end < len(lines) and lines[end].lstrip().startswith('@'):
        end += 1
    end += 1
    depth = lines[end - 1].count('(') - lines[end - 1].count(')')
    while end < len(lines) and (depth > 0 or not lines[end].strip() or indentsize(lines[end]) > first):
        if depth > 0:
            depth += lines[end].count('(') - lines[end].count(')')
        end += 1
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return lines[start:end], start + 1


def getsource(object):
    return ''.join(getsourcelines(object)[0])


# ---- frames

def currentframe():
    return sys._getframe(1) if hasattr(sys, '_getframe') else None


FrameInfo = namedtuple('FrameInfo', 'frame filename lineno function code_context index')
Traceback = namedtuple('Traceback', 'filename lineno function code_context index')
ArgInfo = namedtuple('ArgInfo', 'args varargs keywords locals')
Arguments = namedtuple('Arguments', 'args, varargs, varkw')


def getframeinfo(frame, context=1):
    if istraceback(frame):
        line = frame.tb_lineno
        frame = frame.tb_frame
    else:
        line = frame.f_lineno
    return Traceback(frame.f_code.co_filename, line, frame.f_code.co_name, None, None)


def getouterframes(frame, context=1):
    result = []
    while frame:
        result.append(FrameInfo(frame, *getframeinfo(frame, context)))
        frame = frame.f_back
    return result


def getinnerframes(tb, context=1):
    result = []
    while tb:
        result.append(FrameInfo(tb.tb_frame, *getframeinfo(tb, context)))
        tb = tb.tb_next
    return result


def stack(context=1):
    return getouterframes(sys._getframe(1), context)


def trace(context=1):
    exc = sys.exception()
    return getinnerframes(None if exc is None else exc.__traceback__, context)


def getargs(co):
    if not iscode(co):
        raise TypeError(f'{co!r} is not a code object')
    names = co.co_varnames
    count = co.co_argcount + co.co_kwonlyargcount
    args = list(names[:count])
    varargs = varkw = None
    if co.co_flags & CO_VARARGS:
        varargs = names[count]
        count += 1
    if co.co_flags & CO_VARKEYWORDS:
        varkw = names[count]
    return Arguments(args, varargs, varkw)


def getargvalues(frame):
    return ArgInfo(*getargs(frame.f_code), frame.f_locals)


GEN_CREATED, GEN_RUNNING, GEN_SUSPENDED, GEN_CLOSED = 'GEN_CREATED', 'GEN_RUNNING', 'GEN_SUSPENDED', 'GEN_CLOSED'
CORO_CREATED, CORO_RUNNING, CORO_SUSPENDED, CORO_CLOSED = 'CORO_CREATED', 'CORO_RUNNING', 'CORO_SUSPENDED', 'CORO_CLOSED'
AGEN_CREATED, AGEN_RUNNING, AGEN_SUSPENDED, AGEN_CLOSED = 'AGEN_CREATED', 'AGEN_RUNNING', 'AGEN_SUSPENDED', 'AGEN_CLOSED'


def _state(prefix, running, suspended, frame):
    if running:
        return f'{prefix}_RUNNING'
    if suspended:
        return f'{prefix}_SUSPENDED'
    return f'{prefix}_CLOSED' if frame is None else f'{prefix}_CREATED'


def getgeneratorstate(generator):
    return _state('GEN', generator.gi_running, generator.gi_suspended, generator.gi_frame)


def getcoroutinestate(coroutine):
    return _state('CORO', coroutine.cr_running, coroutine.cr_suspended, coroutine.cr_frame)


def getasyncgenstate(agen):
    return _state('AGEN', agen.ag_running, agen.ag_suspended, agen.ag_frame)


def getgeneratorlocals(generator):
    if not isgenerator(generator):
        raise TypeError(f'{generator!r} is not a Python generator')
    return generator.gi_frame.f_locals if generator.gi_frame is not None else {}


ClosureVars = namedtuple('ClosureVars', 'nonlocals globals builtins unbound')


def getclosurevars(func):
    func = _unwrapped_method(func)
    if not isfunction(func):
        raise TypeError(f'{func!r} is not a Python function')
    code = func.__code__
    nonlocals = {} if func.__closure__ is None else {var: cell.cell_contents for var, cell in zip(code.co_freevars, func.__closure__)}
    names = func.__globals__
    known = vars(builtins)
    globals, found, unbound = {}, {}, set()
    for name in code.co_names:
        if name in names:
            globals[name] = names[name]
        elif name in known:
            found[name] = known[name]
        else:
            unbound.add(name)
    return ClosureVars(nonlocals, globals, found, unbound)


# ---- signatures

class _void:
    """Stands for "not given"."""


class _empty:
    """Stands for "there is none"."""


class _ParameterKind(enum.IntEnum):
    POSITIONAL_ONLY = 'positional-only'
    POSITIONAL_OR_KEYWORD = 'positional or keyword'
    VAR_POSITIONAL = 'variadic positional'
    KEYWORD_ONLY = 'keyword-only'
    VAR_KEYWORD = 'variadic keyword'

    def __new__(cls, description):
        value = len(cls.__members__)
        member = int.__new__(cls, value)
        member._value_ = value
        member.description = description
        return member

    def __str__(self):
        return self.name


_POSITIONAL_ONLY = _ParameterKind.POSITIONAL_ONLY
_POSITIONAL_OR_KEYWORD = _ParameterKind.POSITIONAL_OR_KEYWORD
_VAR_POSITIONAL = _ParameterKind.VAR_POSITIONAL
_KEYWORD_ONLY = _ParameterKind.KEYWORD_ONLY
_VAR_KEYWORD = _ParameterKind.VAR_KEYWORD


def formatannotation(annotation, base_module=None, *, quote_annotation_strings=True):
    if not quote_annotation_strings and isinstance(annotation, str):
        return annotation
    if getattr(annotation, '__module__', None) == 'typing':
        return repr(annotation).replace('typing.', '')
    if isinstance(annotation, types.GenericAlias):
        return str(annotation)
    if isinstance(annotation, type):
        if annotation.__module__ in ('builtins', base_module):
            return annotation.__qualname__
        return annotation.__module__ + '.' + annotation.__qualname__
    if isinstance(annotation, ForwardRef):
        return annotation.__forward_arg__
    return repr(annotation)


class Parameter:
    __slots__ = ('_name', '_kind', '_default', '_annotation')
    POSITIONAL_ONLY = _POSITIONAL_ONLY
    POSITIONAL_OR_KEYWORD = _POSITIONAL_OR_KEYWORD
    VAR_POSITIONAL = _VAR_POSITIONAL
    KEYWORD_ONLY = _KEYWORD_ONLY
    VAR_KEYWORD = _VAR_KEYWORD
    empty = _empty

    def __init__(self, name, kind, *, default=_empty, annotation=_empty):
        try:
            self._kind = _ParameterKind(kind)
        except ValueError:
            raise ValueError(f'value {kind!r} is not a valid Parameter.kind')
        if default is not _empty and self._kind in (_VAR_POSITIONAL, _VAR_KEYWORD):
            raise ValueError(f'{self._kind.description} parameters cannot have default values')
        if name is _empty:
            raise ValueError('name is a required attribute for Parameter')
        if not isinstance(name, str):
            raise TypeError(f'name must be a str, not a {type(name).__name__}')
        if (keyword.iskeyword(name) and self._kind is not _POSITIONAL_ONLY) or not name.isidentifier():
            raise ValueError(f'{name!r} is not a valid parameter name')
        self._default = default
        self._annotation = annotation
        self._name = name

    name = property(lambda self: self._name)
    default = property(lambda self: self._default)
    annotation = property(lambda self: self._annotation)
    kind = property(lambda self: self._kind)

    def replace(self, *, name=_void, kind=_void, annotation=_void, default=_void):
        return type(self)(self._name if name is _void else name, self._kind if kind is _void else kind,
                          default=self._default if default is _void else default, annotation=self._annotation if annotation is _void else annotation)

    __replace__ = replace

    def __reduce__(self):
        return (type(self), (self._name, self._kind), {'_default': self._default, '_annotation': self._annotation})

    def __setstate__(self, state):
        self._default = state['_default']
        self._annotation = state['_annotation']

    def __str__(self):
        return self._format()

    def _format(self, *, quote_annotation_strings=True):
        text = self._name
        if self._annotation is not _empty:
            text = f'{text}: {formatannotation(self._annotation, quote_annotation_strings=quote_annotation_strings)}'
        if self._default is not _empty:
            text = f'{text} = {self._default!r}' if self._annotation is not _empty else f'{text}={self._default!r}'
        if self._kind == _VAR_POSITIONAL:
            text = '*' + text
        elif self._kind == _VAR_KEYWORD:
            text = '**' + text
        return text

    def __repr__(self):
        return f'<{self.__class__.__name__} "{self}">'

    def __hash__(self):
        return hash((self._name, self._kind, self._annotation, self._default))

    def __eq__(self, other):
        if self is other:
            return True
        if not isinstance(other, Parameter):
            return NotImplemented
        return (self._name == other._name and self._kind == other._kind and self._default == other._default and self._annotation == other._annotation)


class BoundArguments:
    __slots__ = ('arguments', '_signature', '__weakref__')

    def __init__(self, signature, arguments):
        self.arguments = arguments
        self._signature = signature

    signature = property(lambda self: self._signature)

    @property
    def args(self):
        args = []
        for name, parameter in self._signature.parameters.items():
            if parameter.kind in (_VAR_KEYWORD, _KEYWORD_ONLY):
                break
            try:
                value = self.arguments[name]
            except KeyError:
                break
            if parameter.kind == _VAR_POSITIONAL:
                args.extend(value)
            else:
                args.append(value)
        return tuple(args)

    @property
    def kwargs(self):
        kwargs = {}
        started = False
        for name, parameter in self._signature.parameters.items():
            if not started:
                if parameter.kind in (_VAR_KEYWORD, _KEYWORD_ONLY):
                    started = True
                elif name not in self.arguments:
                    started = True
                    continue
            if not started or name not in self.arguments:
                continue
            if parameter.kind == _VAR_KEYWORD:
                kwargs.update(self.arguments[name])
            else:
                kwargs[name] = self.arguments[name]
        return kwargs

    def apply_defaults(self):
        new = {}
        for name, parameter in self._signature.parameters.items():
            if name in self.arguments:
                new[name] = self.arguments[name]
            elif parameter.default is not _empty:
                new[name] = parameter.default
            elif parameter.kind is _VAR_POSITIONAL:
                new[name] = ()
            elif parameter.kind is _VAR_KEYWORD:
                new[name] = {}
        self.arguments = new

    def __eq__(self, other):
        if not isinstance(other, BoundArguments):
            return NotImplemented
        return self.signature == other.signature and self.arguments == other.arguments

    __hash__ = None

    def __repr__(self):
        inner = ', '.join(f'{k}={v!r}' for k, v in self.arguments.items())
        return f'<{self.__class__.__name__} ({inner})>'


class Signature:
    __slots__ = ('_return_annotation', '_parameters')
    _parameter_cls = Parameter
    _bound_arguments_cls = BoundArguments
    empty = _empty

    def __init__(self, parameters=None, *, return_annotation=_empty, __validate_parameters__=True):
        params = OrderedDict()
        if parameters is not None:
            top = _POSITIONAL_ONLY
            seen_default = False
            for p in parameters:
                if __validate_parameters__:
                    if p.kind < top:
                        raise ValueError(f'wrong parameter order: {top.description} parameter before {p.kind.description} parameter')
                    if p.kind > top:
                        top = p.kind
                    if p.kind in (_POSITIONAL_ONLY, _POSITIONAL_OR_KEYWORD):
                        if p.default is _empty:
                            if seen_default:
                                raise ValueError('non-default argument follows default argument')
                        else:
                            seen_default = True
                    if p.name in params:
                        raise ValueError(f'duplicate parameter name: {p.name!r}')
                params[p.name] = p
        self._parameters = types.MappingProxyType(params)
        self._return_annotation = return_annotation

    @classmethod
    def from_callable(cls, obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False, annotation_format=Format.VALUE):
        return _from_callable(obj, cls, follow_wrapped, True, globals, locals, eval_str, annotation_format)

    parameters = property(lambda self: self._parameters)
    return_annotation = property(lambda self: self._return_annotation)

    def replace(self, *, parameters=_void, return_annotation=_void):
        return type(self)(self.parameters.values() if parameters is _void else parameters,
                          return_annotation=self._return_annotation if return_annotation is _void else return_annotation)

    __replace__ = replace

    def _key(self):
        params = tuple(p for p in self.parameters.values() if p.kind != _KEYWORD_ONLY)
        named = {p.name: p for p in self.parameters.values() if p.kind == _KEYWORD_ONLY}
        return params, named, self.return_annotation

    def __hash__(self):
        params, named, annotation = self._key()
        return hash((params, frozenset(named.values()), annotation))

    def __eq__(self, other):
        if self is other:
            return True
        if not isinstance(other, Signature):
            return NotImplemented
        return self._key() == other._key()

    def _bind(self, args, kwargs, partial):
        arguments = {}
        parameters = list(self.parameters.values())
        args = list(args)
        kwargs = dict(kwargs)
        index = 0
        while args or index < len(parameters):
            if index == len(parameters) or parameters[index].kind in (_VAR_KEYWORD, _KEYWORD_ONLY):
                if args:
                    raise TypeError('too many positional arguments')
                break
            p = parameters[index]
            if not args:
                break
            index += 1
            if p.kind == _VAR_POSITIONAL:
                arguments[p.name] = tuple(args)
                args = []
                break
            if p.name in kwargs and p.kind != _POSITIONAL_ONLY:
                raise TypeError(f'multiple values for argument {p.name!r}')
            arguments[p.name] = args.pop(0)
        var_keyword = None
        misplaced = []
        for p in parameters[index:]:
            if p.kind == _VAR_KEYWORD:
                var_keyword = p
                continue
            if p.kind == _VAR_POSITIONAL:
                continue
            if p.kind == _POSITIONAL_ONLY:
                if p.name in kwargs:
                    misplaced.append(p.name)
                if p.default is _empty and not partial and p.name not in kwargs:
                    raise TypeError(f'missing a required positional-only argument: {p.name!r}')
                continue
            if p.name in kwargs:
                arguments[p.name] = kwargs.pop(p.name)
            elif not partial and p.default is _empty:
                kind = ' keyword-only' if p.kind == _KEYWORD_ONLY else ''
                raise TypeError(f'missing a required{kind} argument: {p.name!r}')
        if kwargs:
            if var_keyword is not None:
                arguments[var_keyword.name] = kwargs
            elif misplaced:
                raise TypeError(f'got some positional-only arguments passed as keyword arguments: {", ".join(map(repr, misplaced))!r}')
            else:
                raise TypeError(f'got an unexpected keyword argument {next(iter(kwargs))!r}')
        return self._bound_arguments_cls(self, arguments)

    def bind(self, /, *args, **kwargs):
        return self._bind(args, kwargs, False)

    def bind_partial(self, /, *args, **kwargs):
        return self._bind(args, kwargs, True)

    def __reduce__(self):
        return (type(self), (tuple(self._parameters.values()),), {'_return_annotation': self._return_annotation})

    def __setstate__(self, state):
        self._return_annotation = state['_return_annotation']

    def __repr__(self):
        return f'<{self.__class__.__name__} {self}>'

    def __str__(self):
        return self.format()

    def format(self, *, max_width=None, quote_annotation_strings=True):
        result = []
        pending_slash = False
        star = True
        for p in self.parameters.values():
            if p.kind == _POSITIONAL_ONLY:
                pending_slash = True
            elif pending_slash:
                result.append('/')
                pending_slash = False
            if p.kind == _VAR_POSITIONAL:
                star = False
            elif p.kind == _KEYWORD_ONLY and star:
                result.append('*')
                star = False
            result.append(p._format(quote_annotation_strings=quote_annotation_strings))
        if pending_slash:
            result.append('/')
        text = f'({", ".join(result)})'
        if max_width is not None and len(text) > max_width:
            text = '(\n    ' + ',\n    '.join(result) + '\n)'
        if self.return_annotation is not _empty:
            text += f' -> {formatannotation(self.return_annotation, quote_annotation_strings=quote_annotation_strings)}'
        return text


def _from_function(cls, func, globals, locals, eval_str, annotation_format):
    code = func.__code__
    names = code.co_varnames
    positional_count = code.co_argcount
    positional = names[:positional_count]
    keyword_only = names[positional_count:positional_count + code.co_kwonlyargcount]
    annotations = get_annotations(func, globals=globals, locals=locals, eval_str=eval_str, format=annotation_format)
    defaults = func.__defaults__ or ()
    kwdefaults = func.__kwdefaults__ or {}
    make = cls._parameter_cls
    parameters = []
    first_default = positional_count - len(defaults)
    for i, name in enumerate(positional):
        kind = _POSITIONAL_ONLY if i < code.co_posonlyargcount else _POSITIONAL_OR_KEYWORD
        default = defaults[i - first_default] if i >= first_default else _empty
        parameters.append(make(name, kind, default=default, annotation=annotations.get(name, _empty)))
    index = positional_count + code.co_kwonlyargcount
    if code.co_flags & CO_VARARGS:
        name = names[index]
        parameters.append(make(name, _VAR_POSITIONAL, annotation=annotations.get(name, _empty)))
        index += 1
    for name in keyword_only:
        parameters.append(make(name, _KEYWORD_ONLY, default=kwdefaults.get(name, _empty), annotation=annotations.get(name, _empty)))
    if code.co_flags & CO_VARKEYWORDS:
        name = names[index]
        parameters.append(make(name, _VAR_KEYWORD, annotation=annotations.get(name, _empty)))
    return cls(parameters, return_annotation=annotations.get('return', _empty), __validate_parameters__=False)


def _from_text(cls, obj, text):
    namespace = {}
    body = text.strip().replace('$', '').replace('<unrepresentable>', '...')
    try:
        exec(f'def f{body}: pass', {}, namespace)
    except (SyntaxError, NameError):
        raise ValueError(f'{obj!r} has invalid signature') from None
    return _from_function(cls, namespace['f'], None, None, False, Format.VALUE)


def _without_first(sig):
    parameters = list(sig.parameters.values())
    if not parameters or parameters[0].kind in (_VAR_KEYWORD, _KEYWORD_ONLY):
        raise ValueError('invalid method signature')
    if parameters[0].kind is not _VAR_POSITIONAL:
        parameters = parameters[1:]
    return sig.replace(parameters=parameters)


def _of_partial(sig, partial):
    parameters = dict(sig.parameters)
    try:
        bound = sig.bind_partial(*partial.args, **partial.keywords)
    except TypeError as error:
        raise ValueError(f'partial object {partial!r} has incorrect arguments') from error
    result = {}
    to_keyword = False
    for name, p in parameters.items():
        if name in bound.arguments:
            value = bound.arguments[name]
            if p.kind is _POSITIONAL_ONLY:
                continue
            if p.kind is _POSITIONAL_OR_KEYWORD:
                if name not in partial.keywords:
                    continue
                to_keyword = True
                p = p.replace(default=value)
            elif p.kind is _KEYWORD_ONLY:
                p = p.replace(default=value)
        if to_keyword:
            if p.kind is _POSITIONAL_OR_KEYWORD:
                p = p.replace(kind=_KEYWORD_ONLY)
            elif p.kind is _VAR_POSITIONAL:
                continue
        result[name] = p
    return sig.replace(parameters=result.values())


def _own_method(cls, name):
    method = getattr(cls, name, None)
    if method is None or isinstance(method, (types.WrapperDescriptorType, types.MethodWrapperType, types.BuiltinFunctionType, types.MethodDescriptorType,
                                             types.ClassMethodDescriptorType)):
        return None
    return method


def _from_callable(obj, cls, follow_wrapped, skip_bound, globals, locals, eval_str, annotation_format):
    def again(f, skip=skip_bound):
        return _from_callable(f, cls, follow_wrapped, skip, globals, locals, eval_str, annotation_format)

    if not callable(obj):
        raise TypeError(f'{obj!r} is not a callable object')
    if isinstance(obj, types.MethodType):
        sig = again(obj.__func__)
        return _without_first(sig) if skip_bound else sig
    if follow_wrapped:
        obj = unwrap(obj, stop=lambda f: hasattr(f, '__signature__') or isinstance(f, types.MethodType))
        if isinstance(obj, types.MethodType):
            return again(obj)
    sig = getattr(obj, '__signature__', None)
    if sig is not None:
        if not isinstance(sig, Signature):
            raise TypeError(f'unexpected object {sig!r} in __signature__ attribute')
        return sig
    partialmethod = getattr(obj, '__partialmethod__', None)
    if isinstance(partialmethod, functools.partialmethod):
        return _without_first(_of_partial(again(partialmethod.func), functools.partial(partialmethod.func, *partialmethod.args, **partialmethod.keywords)))
    if isfunction(obj):
        return _from_function(cls, obj, globals, locals, eval_str, annotation_format)
    if isinstance(obj, functools.partial):
        return _of_partial(again(obj.func), obj)
    if isinstance(obj, type):
        call = _own_method(type(obj), '__call__')
        if call is not None and isfunction(call):
            return _without_first(again(call))
        new, init = _own_method(obj, '__new__'), _own_method(obj, '__init__')
        if new is not None and init is not None:
            mro = obj.__mro__
            place = {name: next(i for i, c in enumerate(mro) if name in c.__dict__) for name in ('__new__', '__init__')}
            method = new if place['__new__'] < place['__init__'] else init
        else:
            method = new if new is not None else init
        if method is not None:
            sig = again(method)
            return _without_first(sig) if skip_bound else sig
        for base in obj.__mro__[:-1]:
            text = getattr(base, '__text_signature__', None)
            if text:
                return _from_text(cls, obj, text)
        if type not in obj.__mro__:
            if obj.__init__ is object.__init__ and obj.__new__ is object.__new__:
                return cls()
            raise ValueError(f'no signature found for builtin type {obj!r}')
        raise ValueError(f'no signature found for builtin type {obj!r}')
    text = getattr(obj, '__text_signature__', None)
    if isroutine(obj):
        if not text:
            raise ValueError(f'no signature found for builtin {obj!r}')
        return _from_text(cls, obj, text)
    call = getattr(type(obj), '__call__', None)
    if call is not None:
        sig = again(call)
        return _without_first(sig) if skip_bound else sig
    raise ValueError(f'callable {obj!r} is not supported by signature')


def signature(obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False, annotation_format=Format.VALUE):
    return Signature.from_callable(obj, follow_wrapped=follow_wrapped, globals=globals, locals=locals, eval_str=eval_str, annotation_format=annotation_format)


FullArgSpec = namedtuple('FullArgSpec', 'args, varargs, varkw, defaults, kwonlyargs, kwonlydefaults, annotations')


def getfullargspec(func):
    try:
        sig = _from_callable(func, Signature, False, False, None, None, False, Format.VALUE)
    except Exception as error:
        raise TypeError('unsupported callable') from error
    args, kwonlyargs, defaults, kwdefaults, annotations = [], [], [], {}, {}
    varargs = varkw = None
    for p in sig.parameters.values():
        if p.kind in (_POSITIONAL_ONLY, _POSITIONAL_OR_KEYWORD):
            args.append(p.name)
            if p.default is not _empty:
                defaults.append(p.default)
        elif p.kind is _VAR_POSITIONAL:
            varargs = p.name
        elif p.kind is _KEYWORD_ONLY:
            kwonlyargs.append(p.name)
            if p.default is not _empty:
                kwdefaults[p.name] = p.default
        else:
            varkw = p.name
        if p.annotation is not _empty:
            annotations[p.name] = p.annotation
    if sig.return_annotation is not _empty:
        annotations['return'] = sig.return_annotation
    return FullArgSpec(args, varargs, varkw, tuple(defaults) or None, kwonlyargs, kwdefaults or None, annotations)


def getcallargs(func, /, *positional, **named):
    bound = signature(func).bind(*positional, **named)
    bound.apply_defaults()
    return dict(bound.arguments)
