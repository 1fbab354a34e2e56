"""The classes of syntax tree nodes, made from one table: the abstract grammar of Python 3.14 (docs, "ast", "Abstract grammar").

Knows nothing of source text: `compile()` turns text into nodes and nodes into code.
"""

import types as _types

PyCF_ONLY_AST = 0x0400
PyCF_TYPE_COMMENTS = 0x1000
PyCF_ALLOW_TOP_LEVEL_AWAIT = 0x2000
PyCF_OPTIMIZED_AST = 0x8000 | PyCF_ONLY_AST

_GRAMMAR = """
mod = Module(stmt* body, type_ignore* type_ignores)
    | Interactive(stmt* body)
    | Expression(expr body)
    | FunctionType(expr* argtypes, expr returns)

stmt = FunctionDef(identifier name, arguments args, stmt* body, expr* decorator_list, expr? returns, string? type_comment, type_param* type_params)
     | AsyncFunctionDef(identifier name, arguments args, stmt* body, expr* decorator_list, expr? returns, string? type_comment, type_param* type_params)
     | ClassDef(identifier name, expr* bases, keyword* keywords, stmt* body, expr* decorator_list, type_param* type_params)
     | Return(expr? value)
     | Delete(expr* targets)
     | Assign(expr* targets, expr value, string? type_comment)
     | TypeAlias(expr name, type_param* type_params, expr value)
     | AugAssign(expr target, operator op, expr value)
     | AnnAssign(expr target, expr annotation, expr? value, int simple)
     | For(expr target, expr iter, stmt* body, stmt* orelse, string? type_comment)
     | AsyncFor(expr target, expr iter, stmt* body, stmt* orelse, string? type_comment)
     | While(expr test, stmt* body, stmt* orelse)
     | If(expr test, stmt* body, stmt* orelse)
     | With(withitem* items, stmt* body, string? type_comment)
     | AsyncWith(withitem* items, stmt* body, string? type_comment)
     | Match(expr subject, match_case* cases)
     | Raise(expr? exc, expr? cause)
     | Try(stmt* body, excepthandler* handlers, stmt* orelse, stmt* finalbody)
     | TryStar(stmt* body, excepthandler* handlers, stmt* orelse, stmt* finalbody)
     | Assert(expr test, expr? msg)
     | Import(alias* names)
     | ImportFrom(identifier? module, alias* names, int? level)
     | Global(identifier* names)
     | Nonlocal(identifier* names)
     | Expr(expr value)
     | Pass
     | Break
     | Continue
     attributes (int lineno, int col_offset, int? end_lineno, int? end_col_offset)

expr = BoolOp(boolop op, expr* values)
     | NamedExpr(expr target, expr value)
     | BinOp(expr left, operator op, expr right)
     | UnaryOp(unaryop op, expr operand)
     | Lambda(arguments args, expr body)
     | IfExp(expr test, expr body, expr orelse)
     | Dict(expr?* keys, expr* values)
     | Set(expr* elts)
     | ListComp(expr elt, comprehension* generators)
     | SetComp(expr elt, comprehension* generators)
     | DictComp(expr key, expr value, comprehension* generators)
     | GeneratorExp(expr elt, comprehension* generators)
     | Await(expr value)
     | Yield(expr? value)
     | YieldFrom(expr value)
     | Compare(expr left, cmpop* ops, expr* comparators)
     | Call(expr func, expr* args, keyword* keywords)
     | FormattedValue(expr value, int conversion, expr? format_spec)
     | Interpolation(expr value, constant str, int conversion, expr? format_spec)
     | JoinedStr(expr* values)
     | TemplateStr(expr* values)
     | Constant(constant value, string? kind)
     | Attribute(expr value, identifier attr, expr_context ctx)
     | Subscript(expr value, expr slice, expr_context ctx)
     | Starred(expr value, expr_context ctx)
     | Name(identifier id, expr_context ctx)
     | List(expr* elts, expr_context ctx)
     | Tuple(expr* elts, expr_context ctx)
     | Slice(expr? lower, expr? upper, expr? step)
     attributes (int lineno, int col_offset, int? end_lineno, int? end_col_offset)

expr_context = Load | Store | Del
boolop = And | Or
operator = Add | Sub | Mult | MatMult | Div | Mod | Pow | LShift | RShift | BitOr | BitXor | BitAnd | FloorDiv
unaryop = Invert | Not | UAdd | USub
cmpop = Eq | NotEq | Lt | LtE | Gt | GtE | Is | IsNot | In | NotIn

comprehension = (expr target, expr iter, expr* ifs, int is_async)
excepthandler = ExceptHandler(expr? type, identifier? name, stmt* body)
     attributes (int lineno, int col_offset, int? end_lineno, int? end_col_offset)
arguments = (arg* posonlyargs, arg* args, arg? vararg, arg* kwonlyargs, expr?* kw_defaults, arg? kwarg, expr* defaults)
arg = (identifier arg, expr? annotation, string? type_comment)
     attributes (int lineno, int col_offset, int? end_lineno, int? end_col_offset)
keyword = (identifier? arg, expr value)
     attributes (int lineno, int col_offset, int? end_lineno, int? end_col_offset)
alias = (identifier name, identifier? asname)
     attributes (int lineno, int col_offset, int? end_lineno, int? end_col_offset)
withitem = (expr context_expr, expr? optional_vars)
match_case = (pattern pattern, expr? guard, stmt* body)
pattern = MatchValue(expr value)
     | MatchSingleton(constant value)
     | MatchSequence(pattern* patterns)
     | MatchMapping(expr* keys, pattern* patterns, identifier? rest)
     | MatchClass(expr cls, pattern* patterns, identifier* kwd_attrs, pattern* kwd_patterns)
     | MatchStar(identifier? name)
     | MatchAs(pattern? pattern, identifier? name)
     | MatchOr(pattern* patterns)
     attributes (int lineno, int col_offset, int end_lineno, int end_col_offset)
type_ignore = TypeIgnore(int lineno, string tag)
type_param = TypeVar(identifier name, expr? bound, expr? default_value)
     | ParamSpec(identifier name, expr? default_value)
     | TypeVarTuple(identifier name, expr? default_value)
     attributes (int lineno, int col_offset, int end_lineno, int end_col_offset)
"""


def _warn(message):
    import warnings
    warnings.warn(message, DeprecationWarning, stacklevel=3)


class AST:
    """The base of all nodes."""

    _fields = ()
    _attributes = ()
    _field_types = {}
    __match_args__ = ()

    def __init__(self, /, *args, **kwargs):
        cls = type(self)
        name = cls.__name__
        try:
            fields = tuple(cls._fields)
        except AttributeError:
            fields = ()
        if len(args) > len(fields):
            plural = '' if len(fields) == 1 else 's'
            raise TypeError(f'{name} constructor takes at most {len(fields)} positional argument{plural}')
        missing = set(fields)
        for field, value in zip(fields, args):
            setattr(self, field, value)
            missing.discard(field)
        for key, value in kwargs.items():
            if key in fields:
                if key not in missing:
                    raise TypeError(f'{name} got multiple values for argument {key!r}')
                missing.discard(key)
            elif key not in cls._attributes:
                _warn(f'{name}.__init__ got an unexpected keyword argument {key!r}. Support for arbitrary '
                      'keyword arguments is deprecated and will be removed in Python 3.15.')
            setattr(self, key, value)
        if missing:
            types = cls._field_types
            for field in fields:
                if field in missing:
                    self._default(name, field, types)

    def _default(self, name, field, types):
        try:
            kind = types[field]
        except KeyError:
            _warn(f'Field {field!r} is missing from {name}._field_types. This will become an error in Python 3.15.')
            return
        if isinstance(kind, _types.UnionType):
            return
        if isinstance(kind, _types.GenericAlias):
            setattr(self, field, [])
        elif kind is expr_context:
            setattr(self, field, Load())
        else:
            _warn(f'{name}.__init__ missing 1 required positional argument: {field!r}. '
                  'This will become an error in Python 3.15.')

    def __reduce__(self):
        cls = type(self)
        state = dict(self.__dict__)
        leading = []
        for field in getattr(cls, '_fields', ()):
            if field not in state:
                break
            leading.append(state.pop(field))
        return cls, tuple(leading), state or None

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __replace__(self, /, **changes):
        cls = type(self)
        fields = getattr(cls, '_fields', ())
        attributes = getattr(cls, '_attributes', ())
        state = dict(self.__dict__)
        expected = set(fields) | set(attributes)
        for key in changes:
            if key not in expected:
                raise TypeError(f'{cls.__name__}.__replace__ got an unexpected keyword argument {key!r}.')
        expected -= changes.keys()
        expected -= state.keys()
        expected -= set(attributes)
        types = getattr(cls, '_field_types', {})
        lacking = sorted(
            field for field in expected
            if not isinstance(types.get(field), _types.UnionType)
        )
        if lacking:
            plural = '' if len(lacking) == 1 else 's'
            names = ', '.join(map(repr, lacking))
            raise TypeError(f'{cls.__name__}.__replace__ missing {len(lacking)} keyword argument{plural}: {names}.')
        state.update(changes)
        return cls(**state)

    def __repr__(self):
        return _repr(self, 3)


# The nodes whose text is being made: a node inside itself is cut short.
_shown = set()


def _repr(node, depth):
    name = type(node).__name__
    if depth <= 0 or id(node) in _shown:
        return f'{name}(...)'
    _shown.add(id(node))
    try:
        parts = []
        for field in getattr(type(node), '_fields', ()):
            value = getattr(node, field)
            if isinstance(value, (list, tuple)):
                text = _repr_list(value, depth)
            elif isinstance(value, AST):
                text = _repr(value, depth - 1)
            else:
                text = repr(value)
            parts.append(f'{field}={text}')
    finally:
        _shown.discard(id(node))
    return f'{name}({", ".join(parts)})'


def _repr_list(items, depth):
    def one(item):
        return _repr(item, depth - 1) if isinstance(item, AST) else repr(item)

    if len(items) <= 2:
        inner = ', '.join(map(one, items))
    else:
        inner = f'{one(items[0])}, ..., {one(items[-1])}'
    return f'[{inner}]' if isinstance(items, list) else f'({inner})'


AST.__module__ = 'ast'
AST.__qualname__ = 'AST'

_BUILTIN = {'identifier': str, 'string': str, 'int': int, 'constant': object}
# One instance of each context and operator stands in all trees that come from source text.
_singletons = {}


def _build():
    """Reads the grammar twice: first the classes, then the types of their fields."""
    rules = []
    for line in _GRAMMAR.splitlines():
        if line and line[0] != ' ':
            rules.append(line)
        elif line:
            rules[-1] += ' ' + line.strip()
    classes = {}
    pending = []
    space = globals()

    def make(name, base, params, doc, attributes):
        fields = tuple(param.split()[1] for param in params)
        namespace = {'__module__': 'ast', '__doc__': doc, '_fields': fields, '__match_args__': fields}
        if attributes is not None:
            names = tuple(param.split()[1] for param in attributes)
            namespace['_attributes'] = names
            for param in attributes:
                if param.split()[0].endswith('?'):
                    namespace[param.split()[1]] = None
        for param in params:
            if param.split()[0].endswith('?'):
                namespace[param.split()[1]] = None
        cls = type(name, (base,), namespace)
        classes[name] = space[name] = cls
        pending.append((cls, params))
        return cls

    def split(text):
        return [part.strip() for part in text.split(',')] if text.strip() else []

    for rule in rules:
        name, _, body = rule.partition(' = ')
        body, _, attributes = body.partition(' attributes ')
        attributes = split(attributes.strip()[1:-1]) if attributes else ()
        if body.startswith('('):
            inner = body.strip()
            make(name, AST, split(inner[1:-1]), name + inner, attributes)
            continue
        alternatives = [alternative.strip() for alternative in body.split('|')]
        between = f'\n{" " * len(name)} | ' if '(' in body else ' | '
        doc = f'{name} = ' + between.join(alternatives)
        base = make(name, AST, (), doc, attributes)
        for alternative in alternatives:
            word, _, params = alternative.partition('(')
            cls = make(word, base, split(params.rstrip(')')), alternative, None)
            if len(alternatives) > 1 and '(' not in body:
                _singletons[word] = cls()

    for cls, params in pending:
        types = {}
        for param in params:
            kind, field = param.split()
            word = kind.rstrip('?*')
            found = _BUILTIN.get(word) or classes[word]
            if kind.endswith('*'):
                found = list[found]
            elif kind.endswith('?'):
                found = found | None
            types[field] = found
        cls._field_types = types
        cls.__annotations__ = dict(types)


_build()
del _build, _GRAMMAR
