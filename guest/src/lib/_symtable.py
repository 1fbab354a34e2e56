"""The symbol tables of a program for `symtable`: what its blocks bind and use, found by a walk over its tree.

The machine's compiler resolves names for itself; here the result is told in the numbers that `symtable` reads. The rules are those of the
language reference ("Resolution of names") with comprehensions being part of the block around them (PEP 709) and type parameters having blocks
of their own (PEP 695).
"""

import ast

DEF_GLOBAL, DEF_LOCAL, DEF_PARAM, DEF_NONLOCAL, USE = 1, 2, 4, 8, 16
DEF_FREE, DEF_FREE_CLASS, DEF_IMPORT, DEF_ANNOT, DEF_COMP_ITER, DEF_TYPE_PARAM, DEF_COMP_CELL = 32, 64, 128, 256, 512, 1024, 2048
DEF_BOUND = DEF_LOCAL | DEF_PARAM | DEF_IMPORT
SCOPE_OFF, SCOPE_MASK = 12, 15
LOCAL, GLOBAL_EXPLICIT, GLOBAL_IMPLICIT, FREE, CELL = range(1, 6)
TYPE_FUNCTION, TYPE_CLASS, TYPE_MODULE, TYPE_ANNOTATION, TYPE_TYPE_ALIAS, TYPE_TYPE_PARAMETERS, TYPE_TYPE_VARIABLE = range(7)

_FUNCTION_LIKE = (TYPE_FUNCTION, TYPE_ANNOTATION, TYPE_TYPE_ALIAS, TYPE_TYPE_PARAMETERS, TYPE_TYPE_VARIABLE)


class symtable_entry:
    """A block: its names with their flags, and the blocks within."""

    __module__ = 'symtable'

    def __init__(self, type, name, lineno, parent, private, inlined=False):
        self.type = type
        self.name = name
        self.lineno = lineno
        self.symbols = {}
        self.varnames = []
        self.children = []
        self.nested = int(parent is not None and (bool(parent.nested) or parent.type in _FUNCTION_LIKE))
        self._private = private
        self._inlined = inlined
        if parent is not None:
            parent.children.append(self)

    @property
    def id(self):
        return id(self)

    def __repr__(self):
        return f'<symtable entry {self.name}({self.id}), line {self.lineno}>'

    def _add(self, name, flag):
        name = self._mangle(name)
        self.symbols[name] = self.symbols.get(name, 0) | flag
        if flag & DEF_PARAM and name not in self.varnames:
            self.varnames.append(name)

    def _mangle(self, name):
        if self._private is None or not name.startswith('__') or name.endswith('__') or '.' in name:
            return name
        owner = self._private.lstrip('_')
        return f'_{owner}{name}' if owner else name


symtable_entry.__name__ = symtable_entry.__qualname__ = 'symtable entry'


class _Collector(ast.NodeVisitor):
    """Enters every name where it is bound or used."""

    def __init__(self, top):
        self.block = top
        self.top = top
        # Whether names are targets of a comprehension's `for`.
        self.iterating = False

    def inside(self, type, name, node, private=..., inlined=False):
        return _Inside(self, type, name, node.lineno, self.block._private if private is ... else private, inlined)

    def visit_all(self, nodes):
        for node in nodes:
            if node is not None:
                self.visit(node)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.block._add(node.id, USE)
            if node.id == 'super' and self.block.type in _FUNCTION_LIKE:
                self.block._add('__class__', USE)
        else:
            self.block._add(node.id, DEF_LOCAL | (DEF_COMP_ITER if self.iterating else 0))

    def visit_Global(self, node):
        for name in node.names:
            self.block._add(name, DEF_GLOBAL)
            if self.block is not self.top:
                self.top._add(name, DEF_GLOBAL)

    def visit_Nonlocal(self, node):
        for name in node.names:
            self.block._add(name, DEF_NONLOCAL)

    def visit_alias(self, node):
        if node.name != '*':
            self.block._add(node.asname or node.name.partition('.')[0], DEF_IMPORT)

    def visit_ExceptHandler(self, node):
        if node.type is not None:
            self.visit(node.type)
        if node.name:
            self.block._add(node.name, DEF_LOCAL)
        self.visit_all(node.body)

    def visit_MatchAs(self, node):
        if node.pattern is not None:
            self.visit(node.pattern)
        if node.name:
            self.block._add(node.name, DEF_LOCAL)

    def visit_MatchStar(self, node):
        if node.name:
            self.block._add(node.name, DEF_LOCAL)

    def visit_MatchMapping(self, node):
        self.visit_all([*node.keys, *node.patterns])
        if node.rest:
            self.block._add(node.rest, DEF_LOCAL)

    def visit_AnnAssign(self, node):
        if isinstance(node.target, ast.Name):
            self.block._add(node.target.id, DEF_ANNOT | (DEF_LOCAL if node.simple or node.value is not None else 0))
        else:
            self.visit(node.target)
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)

    def visit_AugAssign(self, node):
        self.visit(node.target)
        self.visit(node.value)

    def visit_Assign(self, node):
        self.visit_all(node.targets)
        self.visit(node.value)

    def visit_NamedExpr(self, node):
        # In a comprehension it binds in the block around.
        block = self.block
        if block in self.comprehensions:
            outer = self.comprehensions[block]
            outer._add(node.target.id, DEF_LOCAL)
            block._add(node.target.id, DEF_LOCAL)
            block._add(node.target.id, DEF_GLOBAL if outer.type == TYPE_MODULE or outer.symbols.get(node.target.id, 0) & DEF_GLOBAL
                       else DEF_NONLOCAL)
            if outer.type == TYPE_MODULE:
                outer._add(node.target.id, DEF_GLOBAL)
        else:
            block._add(node.target.id, DEF_LOCAL)
        self.visit(node.value)

    # The block around each comprehension, for assignment expressions.
    comprehensions = {}

    def parameters(self, args):
        for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]:
            if arg is not None:
                self.block._add(arg.arg, DEF_PARAM)

    def annotations(self, node):
        args = node.args
        for arg in [*args.posonlyargs, *args.args, args.vararg, args.kwarg, *args.kwonlyargs]:
            if arg is not None and arg.annotation is not None:
                self.visit(arg.annotation)
        if node.returns is not None:
            self.visit(node.returns)

    def type_parameters(self, node):
        self.block._add('.type_params', DEF_LOCAL)
        self.block._add('.type_params', USE)
        if isinstance(node, ast.ClassDef):
            self.block._add('.generic_base', DEF_LOCAL)
            self.block._add('.generic_base', USE)
        else:
            if node.args.defaults:
                self.block._add('.defaults', DEF_PARAM)
            if any(default is not None for default in node.args.kw_defaults):
                self.block._add('.kwdefaults', DEF_PARAM)
        self.visit_all(node.type_params)

    def type_variable(self, node):
        self.block._add(node.name, DEF_TYPE_PARAM | DEF_LOCAL)
        for part in (getattr(node, 'bound', None), node.default_value):
            if part is not None:
                with self.inside(TYPE_TYPE_VARIABLE, node.name, node):
                    self.visit(part)

    visit_TypeVar = visit_ParamSpec = visit_TypeVarTuple = type_variable

    def visit_FunctionDef(self, node):
        self.block._add(node.name, DEF_LOCAL)
        self.visit_all(node.args.defaults)
        self.visit_all(node.args.kw_defaults)
        self.visit_all(node.decorator_list)
        if node.type_params:
            with self.inside(TYPE_TYPE_PARAMETERS, node.name, node):
                self.type_parameters(node)
                self.function(node)
        else:
            self.function(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def function(self, node):
        self.annotations(node)
        with self.inside(TYPE_FUNCTION, node.name, node):
            self.parameters(node.args)
            self.visit_all(node.body)

    def visit_Lambda(self, node):
        self.visit_all(node.args.defaults)
        self.visit_all(node.args.kw_defaults)
        with self.inside(TYPE_FUNCTION, 'lambda', node):
            self.parameters(node.args)
            self.visit(node.body)

    def visit_ClassDef(self, node):
        self.block._add(node.name, DEF_LOCAL)
        self.visit_all(node.decorator_list)
        if node.type_params:
            with self.inside(TYPE_TYPE_PARAMETERS, node.name, node, private=node.name):
                self.type_parameters(node)
                self.class_body(node)
        else:
            self.class_body(node)

    def class_body(self, node):
        self.visit_all([*node.bases, *(keyword.value for keyword in node.keywords)])
        with self.inside(TYPE_CLASS, node.name, node, private=node.name):
            if node.type_params:
                self.block._add('__type_params__', DEF_LOCAL)
                self.block._add('.type_params', USE)
            self.visit_all(node.body)

    def visit_TypeAlias(self, node):
        self.visit(node.name)
        name = node.name.id
        if node.type_params:
            with self.inside(TYPE_TYPE_PARAMETERS, name, node):
                self.visit_all(node.type_params)
                self.alias(node, name)
        else:
            self.alias(node, name)

    def alias(self, node, name):
        with self.inside(TYPE_TYPE_ALIAS, name, node):
            self.visit(node.value)

    def comprehension(self, node, name, parts):
        first = node.generators[0]
        self.visit(first.iter)
        outer = self.comprehensions.get(self.block, self.block)
        with self.inside(TYPE_FUNCTION, name, node, inlined=name != 'genexpr'):
            self.comprehensions[self.block] = outer
            self.block._add('.0', DEF_PARAM)
            self.target(first)
            self.visit_all(first.ifs)
            for generator in node.generators[1:]:
                self.target(generator)
                self.visit(generator.iter)
                self.visit_all(generator.ifs)
            self.visit_all(parts)
            del self.comprehensions[self.block]

    def target(self, generator):
        before, self.iterating = self.iterating, True
        self.visit(generator.target)
        self.iterating = before

    def visit_ListComp(self, node):
        self.comprehension(node, 'listcomp', [node.elt])

    def visit_SetComp(self, node):
        self.comprehension(node, 'setcomp', [node.elt])

    def visit_GeneratorExp(self, node):
        self.comprehension(node, 'genexpr', [node.elt])

    def visit_DictComp(self, node):
        self.comprehension(node, 'dictcomp', [node.key, node.value])


class _Inside:
    """Visits what follows in a new block."""

    def __init__(self, visitor, type, name, lineno, private, inlined):
        self.visitor = visitor
        self.block = symtable_entry(type, name, lineno, visitor.block, private, inlined)

    def __enter__(self):
        self.outer, self.visitor.block = self.visitor.block, self.block

    def __exit__(self, *exc):
        self.visitor.block = self.outer


def _resolve(block, bound, global_names):
    """Gives every name of a block its scope; the result are the names that the blocks around have to provide.

    `bound` are the names that functions around bind, `global_names` those that they declare global.
    """
    scopes, local, free = {}, set(), set()
    bound, global_names = set(bound), set(global_names)
    seen_inside = (set(bound), set(global_names)) if block.type == TYPE_CLASS else None
    for name, flags in block.symbols.items():
        if flags & DEF_GLOBAL:
            scopes[name] = GLOBAL_EXPLICIT
            global_names.add(name)
            bound.discard(name)
        elif flags & DEF_NONLOCAL:
            scopes[name] = FREE
            free.add(name)
        elif flags & DEF_BOUND:
            scopes[name] = LOCAL
            local.add(name)
            global_names.discard(name)
        elif name in bound:
            scopes[name] = FREE
            free.add(name)
        else:
            scopes[name] = GLOBAL_IMPLICIT
    if seen_inside is not None:
        inner_bound, inner_global = seen_inside
        inner_bound.add('__class__')
    else:
        inner_bound = bound | local if block.type in _FUNCTION_LIKE else bound
        inner_global = global_names
    wanted = set()
    children = []
    for child in block.children:
        needed = _resolve(child, inner_bound, inner_global)
        if child._inlined:
            children.extend(child.children)
            _take_in(block, child, scopes, needed)
        else:
            children.append(child)
        wanted |= needed
    block.children[:] = children
    if block.type in _FUNCTION_LIKE:
        for name, scope in scopes.items():
            if scope == LOCAL and name in wanted:
                scopes[name] = CELL
                wanted.discard(name)
    elif block.type == TYPE_CLASS:
        wanted.discard('__class__')
    for name, scope in scopes.items():
        block.symbols[name] |= scope << SCOPE_OFF
    for name in wanted:
        flags = block.symbols.get(name)
        if flags is not None:
            if block.type == TYPE_CLASS and flags & (DEF_BOUND | DEF_GLOBAL):
                block.symbols[name] |= DEF_FREE_CLASS
        elif name in bound:
            block.symbols[name] = FREE << SCOPE_OFF
    return free | wanted


def _take_in(block, comprehension, scopes, needed):
    """Makes the names of an inlined comprehension those of the block around it."""
    inner = set()
    for child in comprehension.children:
        inner.update(name for name, flags in child.symbols.items() if flags >> SCOPE_OFF & SCOPE_MASK == FREE)
    for name, flags in comprehension.symbols.items():
        if name == '.0':
            continue
        plain = flags & ((1 << SCOPE_OFF) - 1)
        scope = flags >> SCOPE_OFF & SCOPE_MASK
        known = block.symbols.get(name)
        if known is None:
            block.symbols[name] = plain
            scopes[name] = scope
        elif known & DEF_BOUND and block.type != TYPE_CLASS and name not in inner:
            needed.discard(name)
        if scope == CELL:
            block.symbols[name] |= DEF_COMP_CELL


def symtable(source, filename, startstr, /):
    """Return symbol and scope dictionaries used internally by compiler."""
    if startstr not in ('exec', 'eval', 'single'):
        raise ValueError("symtable() arg 3 must be 'exec' or 'eval' or 'single'")
    # Whatever the compiler refuses is refused here too.
    compile(source, filename, startstr, dont_inherit=True)
    tree = ast.parse(source, filename, startstr)
    top = symtable_entry(TYPE_MODULE, 'top', 0, None, None)
    _Collector(top).visit(tree)
    _resolve(top, set(), set())
    return top
