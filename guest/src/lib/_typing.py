"""What `typing` is made of: type variables, type aliases and `Generic` (PEP 484, 612, 646, 695, 696)."""

import sys
from _typing_core import Union, GenericAlias as _Alias, _idfunc

_MISSING = object()


class _NoDefaultType:
    __slots__ = ()
    _only = None

    def __new__(cls):
        if cls._only is None:
            cls._only = object.__new__(cls)
        return cls._only

    def __repr__(self):
        return 'typing.NoDefault'

    def __reduce__(self):
        return 'NoDefault'


_NoDefaultType.__name__ = _NoDefaultType.__qualname__ = 'NoDefaultType'
_NoDefaultType.__module__ = 'typing'
NoDefault = _NoDefaultType()


def _typing_function(name):
    import typing
    return getattr(typing, name)


def _caller_module():
    depth = 2
    try:
        return sys._getframemodulename(depth)
    except (AttributeError, ValueError):
        return None


def _checked(value, message):
    if value is None:
        return type(None)
    if isinstance(value, type):
        return value
    return _typing_function('_type_check')(value, message)


class _Evaluator:
    """The value of something that is evaluated when first asked for, in the form of an annotate function."""

    __slots__ = ('_value',)

    def __init__(self, value):
        self._value = value

    def __call__(self, format, /):
        if format == 4:
            return _typing_function('_lazy_annotationlib').type_repr(self._value)
        return self._value

    def __repr__(self):
        return f'<constevaluator {self._value!r}>'


class _Lazy:
    """A value given at once, or a function that computes it."""

    __slots__ = ('function', 'value')

    def __init__(self, value=_MISSING, function=None):
        self.value = value
        self.function = function

    def get(self):
        if self.value is _MISSING:
            self.value = self.function()
        return self.value

    def evaluator(self):
        if self.function is not None:
            return self.function
        return _Evaluator(self.value)


def _no_subclass(name):
    def __init_subclass__(cls, /, *args, **kwargs):
        raise TypeError(f"type 'typing.{name}' is not an acceptable base type")
    return classmethod(__init_subclass__)


def _variance_prefix(v):
    if v.__infer_variance__:
        return ''
    if v.__covariant__:
        return '+'
    if v.__contravariant__:
        return '-'
    return '~'


class _Variable:
    __slots__ = ('__name__', '_default', '__dict__', '__weakref__')

    @property
    def __default__(self):
        if self._default is None:
            return NoDefault
        return self._default.get()

    def has_default(self):
        return self._default is not None and self._default.value is not NoDefault

    @property
    def evaluate_default(self):
        if self._default is None or self._default.value is NoDefault:
            return None
        return self._default.evaluator()

    def __mro_entries__(self, bases):
        raise TypeError(f'Cannot subclass an instance of {type(self).__name__}')

    def __reduce__(self):
        return self.__name__

    def __or__(self, right):
        return Union[self, right]

    def __ror__(self, left):
        return Union[left, self]


def _default_of(default):
    return None if default is NoDefault else _Lazy(default)


def _check_name(name, what):
    if not isinstance(name, str):
        raise TypeError(f"{what}() argument 'name' must be str, not {type(name).__name__}")


class TypeVar(_Variable):
    __slots__ = ('_bound', '_constraints', '__covariant__', '__contravariant__', '__infer_variance__')

    def __init__(self, name, *constraints, bound=None, default=NoDefault, covariant=False, contravariant=False, infer_variance=False):
        _check_name(name, 'typevar')
        if covariant and contravariant:
            raise ValueError('Bivariant types are not supported.')
        if infer_variance and (covariant or contravariant):
            raise ValueError('Variance cannot be specified with infer_variance.')
        if bound is not None:
            bound = _checked(bound, 'Bound must be a type.')
        if len(constraints) == 1:
            raise TypeError('A single constraint is not allowed')
        if constraints and bound is not None:
            raise TypeError('Constraints cannot be combined with bound=...')
        self.__name__ = name
        self._bound = None if bound is None else _Lazy(bound)
        self._constraints = _Lazy(tuple(_checked(c, 'TypeVar(name, constraint, ...): constraints must be types.') for c in constraints))
        self._default = _default_of(default)
        self.__covariant__ = bool(covariant)
        self.__contravariant__ = bool(contravariant)
        self.__infer_variance__ = bool(infer_variance)
        self.__module__ = _caller_module()

    @property
    def __bound__(self):
        return None if self._bound is None else self._bound.get()

    @property
    def __constraints__(self):
        return self._constraints.get()

    @property
    def evaluate_bound(self):
        return None if self._bound is None else self._bound.evaluator()

    @property
    def evaluate_constraints(self):
        if self._constraints.function is None and not self._constraints.value:
            return None
        return self._constraints.evaluator()

    def __repr__(self):
        return _variance_prefix(self) + self.__name__

    def __typing_subst__(self, arg):
        return _typing_function('_typevar_subst')(self, arg)

    def __typing_prepare_subst__(self, alias, args):
        parameters = alias.__parameters__
        index = parameters.index(self)
        if index < len(args):
            return args
        if index == len(args) and self.has_default():
            return args + (self.__default__,)
        raise TypeError(f'Too few arguments for {alias}; actual {len(args)}, expected at least {index + 1}')


class ParamSpecArgs:
    __slots__ = ('__origin__', '__weakref__')

    def __init__(self, origin):
        self.__origin__ = origin

    def __repr__(self):
        return f'{getattr(self.__origin__, "__name__", repr(self.__origin__))}.args'

    def __eq__(self, other):
        if not isinstance(other, ParamSpecArgs):
            return NotImplemented
        return self.__origin__ == other.__origin__

    def __hash__(self):
        return hash(('args', self.__origin__))

    def __mro_entries__(self, bases):
        raise TypeError('Cannot subclass an instance of ParamSpecArgs')


class ParamSpecKwargs:
    __slots__ = ('__origin__', '__weakref__')

    def __init__(self, origin):
        self.__origin__ = origin

    def __repr__(self):
        return f'{getattr(self.__origin__, "__name__", repr(self.__origin__))}.kwargs'

    def __eq__(self, other):
        if not isinstance(other, ParamSpecKwargs):
            return NotImplemented
        return self.__origin__ == other.__origin__

    def __hash__(self):
        return hash(('kwargs', self.__origin__))

    def __mro_entries__(self, bases):
        raise TypeError('Cannot subclass an instance of ParamSpecKwargs')


class ParamSpec(_Variable):
    __slots__ = ('__bound__', '__covariant__', '__contravariant__', '__infer_variance__')

    def __init__(self, name, *, bound=None, default=NoDefault, covariant=False, contravariant=False, infer_variance=False):
        _check_name(name, 'paramspec')
        if covariant and contravariant:
            raise ValueError('Bivariant types are not supported.')
        if infer_variance and (covariant or contravariant):
            raise ValueError('Variance cannot be specified with infer_variance.')
        self.__name__ = name
        self.__bound__ = None if bound is None else _checked(bound, 'Bound must be a type.')
        self._default = _default_of(default)
        self.__covariant__ = bool(covariant)
        self.__contravariant__ = bool(contravariant)
        self.__infer_variance__ = bool(infer_variance)
        self.__module__ = _caller_module()

    @property
    def args(self):
        return ParamSpecArgs(self)

    @property
    def kwargs(self):
        return ParamSpecKwargs(self)

    def __repr__(self):
        return _variance_prefix(self) + self.__name__

    def __typing_subst__(self, arg):
        return _typing_function('_paramspec_subst')(self, arg)

    def __typing_prepare_subst__(self, alias, args):
        return _typing_function('_paramspec_prepare_subst')(self, alias, args)


class TypeVarTuple(_Variable):
    __slots__ = ()

    def __init__(self, name, *, default=NoDefault):
        _check_name(name, 'typevartuple')
        self.__name__ = name
        self._default = _default_of(default)
        self.__module__ = _caller_module()

    def __iter__(self):
        yield _typing_function('Unpack')[self]

    def __repr__(self):
        return self.__name__

    __or__ = None
    __ror__ = None

    def __typing_subst__(self, arg):
        raise TypeError('Substitution of bare TypeVarTuple is not supported')

    def __typing_prepare_subst__(self, alias, args):
        return _typing_function('_typevartuple_prepare_subst')(self, alias, args)


class TypeAliasType:
    __slots__ = ('__name__', '__type_params__', '_value', '__dict__', '__weakref__')

    def __init__(self, name, value, *, type_params=()):
        _check_name(name, 'typealias')
        if not isinstance(type_params, tuple):
            raise TypeError('type_params must be a tuple')
        seen_default = False
        for parameter in type_params:
            if not isinstance(parameter, _Variable):
                raise TypeError(f'Expected a type param, got {parameter!r}')
            if parameter.has_default():
                seen_default = True
            elif seen_default:
                raise TypeError(f"non-default type parameter '{parameter!r}' follows default type parameter")
        object.__setattr__(self, '__name__', name)
        object.__setattr__(self, '__type_params__', type_params)
        object.__setattr__(self, '_value', _Lazy(value))
        object.__setattr__(self, '__module__', _caller_module())

    @property
    def __value__(self):
        return self._value.get()

    @property
    def evaluate_value(self):
        return self._value.evaluator()

    @property
    def __parameters__(self):
        flat = []
        for parameter in self.__type_params__:
            if isinstance(parameter, TypeVarTuple):
                flat.extend(parameter)
            else:
                flat.append(parameter)
        return tuple(flat)

    def __setattr__(self, name, value):
        if name in ('__name__', '__type_params__', '__value__', '__parameters__', 'evaluate_value', '__module__'):
            raise AttributeError('readonly attribute' if name in ('__name__',) else f"attribute '{name}' of 'typing.TypeAliasType' objects is not writable")
        raise AttributeError(f"'typing.TypeAliasType' object has no attribute '{name}' and no __dict__ for setting new attributes")

    def __repr__(self):
        return self.__name__

    def __reduce__(self):
        return self.__name__

    def __getitem__(self, args):
        if not self.__type_params__:
            raise TypeError('Only generic type aliases are subscriptable')
        return _Alias(self, args)

    def __or__(self, right):
        return Union[self, right]

    def __ror__(self, left):
        return Union[left, self]

    def __iter__(self):
        yield _typing_function('Unpack')[self]


class Generic:
    """Abstract base class for generic types.

    On Python 3.12 and newer, generic classes implicitly inherit from
    Generic when they declare a parameter list after the class's name.
    """

    __slots__ = ()

    def __class_getitem__(cls, args):
        return _typing_function('_generic_class_getitem')(cls, args)

    def __init_subclass__(cls, *args, **kwargs):
        return _typing_function('_generic_init_subclass')(cls, *args, **kwargs)


for _class in (TypeVar, ParamSpec, ParamSpecArgs, ParamSpecKwargs, TypeVarTuple, TypeAliasType, Generic):
    _class.__module__ = 'typing'
for _class in (TypeVar, ParamSpec, TypeVarTuple, TypeAliasType, ParamSpecArgs, ParamSpecKwargs):
    _class.__init_subclass__ = _no_subclass(_class.__name__)
del _class


# ---- what PEP 695 syntax calls

def _blank(cls, name, default):
    v = cls.__new__(cls)
    v.__name__ = name
    v._default = None if default is None else _Lazy(function=default)
    v.__module__ = _caller_module()
    return v


def _make_typevar(name, evaluate, default, is_constraints):
    v = _blank(TypeVar, name, default)
    v._bound = None
    v._constraints = _Lazy(())
    if evaluate is not None:
        if is_constraints is True:
            v._constraints = _Lazy(function=evaluate)
        else:
            v._bound = _Lazy(function=evaluate)
    v.__covariant__ = v.__contravariant__ = False
    v.__infer_variance__ = True
    return v


def _make_paramspec(name, default):
    v = _blank(ParamSpec, name, default)
    v.__bound__ = None
    v.__covariant__ = v.__contravariant__ = False
    v.__infer_variance__ = True
    return v


def _make_typevartuple(name, default):
    return _blank(TypeVarTuple, name, default)


def _make_alias(name, parameters, evaluate):
    alias = TypeAliasType.__new__(TypeAliasType)
    put = object.__setattr__
    put(alias, '__name__', name)
    put(alias, '__type_params__', parameters)
    put(alias, '_value', _Lazy(function=evaluate))
    put(alias, '__module__', _caller_module())
    return alias
