"""Rewrites a program so that it behaves as in smolagents' interpreter, where that differs from Python and its tests ask for the difference.

The text is parsed here, on the host, as smolagents does it; nothing of it is executed here. What comes out calls the helpers of ``_prelude`` in the sandbox:
operations are counted node by node, the value of the last statement is kept, names that nobody bound are told as that library tells them.
"""

from __future__ import annotations

import ast
import builtins
import difflib
from typing import Any, Iterable

#: Source that is longer is not parsed here.
MAX_SOURCE = 1_000_000

#: Functions that may not be taken as values from their modules.
DANGEROUS = {
    "compile": ("builtins",),
    "eval": ("builtins",),
    "exec": ("builtins",),
    "globals": ("builtins",),
    "locals": ("builtins",),
    "popen": ("os",),
    "system": ("os", "posix"),
}

_EXCEPTIONS = {name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)}
_BUILTINS = {name for name in vars(builtins) if not name.startswith("_")} | {"__name__", "__import__"}


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _constant(value: Any) -> ast.Constant:
    return ast.Constant(value)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _bound_names(tree: ast.AST) -> "set[str]":
    names: "set[str]" = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
    return names


class Rewriter:
    """Rewrites one program."""

    def __init__(self, state: "Iterable[str]", tools: "Iterable[str]", dunders: "Iterable[str]") -> None:
        self.state = set(state)
        self.tools = set(tools)
        self.dunders = set(dunders)
        self.known: "set[str]" = set()
        self.candidates: "list[str]" = list(state)
        self.in_class = 0
        self.never_bound: "set[str]" = set()

    def module(self, tree: ast.Module) -> str:
        """The new text."""
        self.known = _bound_names(tree) | self.state
        deleted = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)}
        self.never_bound = deleted - self.known
        body: "list[ast.stmt]" = []
        for index, node in enumerate(tree.body):
            is_last = index == len(tree.body) - 1
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                body.append(node)
                continue
            body.append(ast.Expr(_call("_cf_at", _constant(index))))
            body.extend(self.value_of(node, "_cf_r") if is_last else self.statement(node, outermost=True))
            self.candidates.extend(sorted(_bound_names(node) - set(self.candidates)))
        return ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))

    # ---- statements

    def value_of(self, node: ast.stmt, slot: str) -> "list[ast.stmt]":
        """The statement, leaving its value in ``slot``."""
        store = ast.Name(slot, ast.Store())
        load = ast.Name(slot, ast.Load())
        none: "list[ast.stmt]" = [ast.Assign([store], _constant(None))]
        if isinstance(node, ast.Expr):
            *before, last = self.statement(node)
            return [*before, ast.Assign([store], last.value)]  # type: ignore[attr-defined]
        if isinstance(node, ast.Assign):
            *before, last = self.statement(node)
            if not isinstance(last, ast.Assign):
                return [*before, last]
            return [*before, ast.Assign([store], last.value), ast.Assign(last.targets, load)]
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            *before, last = self.statement(node)
            return [*before, last, ast.Assign([store], self.plain_load(node.target))]
        if isinstance(node, ast.AugAssign):
            return [*self.statement(node), ast.Assign([store], self.plain_load(node.target))]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return [*self.statement(node, outermost=True), ast.Assign([store], ast.Name(node.name, ast.Load()))]
        if isinstance(node, (ast.If, ast.For)):
            inner = f"{slot}i"
            keep = ast.Assign(
                [store],
                ast.IfExp(
                    ast.Compare(ast.Name(inner, ast.Load()), [ast.Is()], [_constant(None)]), load, ast.Name(inner, ast.Load())
                ),
            )

            def block(statements: "list[ast.stmt]") -> "list[ast.stmt]":
                made: "list[ast.stmt]" = []
                for statement in statements:
                    made.extend(self.value_of(statement, inner))
                    made.append(keep)
                return made

            if isinstance(node, ast.If):
                test, cost = self.expr(node.test)
                tick = self.tick(1 + cost)
                return [*none, tick, ast.If(test, block(node.body), block(node.orelse))]
            iterable, cost = self.expr(node.iter)
            tick = self.tick(1 + cost)
            loop = ast.For(self.target(node.target), iterable, block(node.body), block(node.orelse))
            return [*none, tick, loop]
        if isinstance(node, (ast.Break, ast.Continue)):
            return self.statement(node)
        return [*self.statement(node), *none]

    def plain_load(self, target: ast.expr) -> ast.expr:
        """The target, read; nothing is counted."""
        text = ast.unparse(target)
        return ast.parse(text, mode="eval").body

    def tick(self, cost: int) -> ast.stmt:
        return ast.Expr(_call("_cf_t", _constant(cost)))

    def block(self, statements: "list[ast.stmt]", *, doc: bool = False) -> "list[ast.stmt]":
        made: "list[ast.stmt]" = []
        for at, statement in enumerate(statements):
            if doc and at == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                made.append(statement)
                continue
            made.extend(self.statement(statement))
        return made

    def statement(self, node: ast.stmt, *, outermost: bool = False) -> "list[ast.stmt]":
        method = getattr(self, f"stmt_{type(node).__name__}", None)
        if method is not None:
            return method(node, outermost) if isinstance(node, ast.FunctionDef) else method(node)
        cost = 1
        fields: "dict[str, Any]" = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                if isinstance(getattr(value, "ctx", None), (ast.Store, ast.Del)):
                    fields[name] = self.target(value)
                elif name in ("annotation", "returns"):
                    fields[name] = value
                else:
                    fields[name], more = self.expr(value)
                    cost += more
            elif isinstance(value, list) and value and all(isinstance(item, ast.stmt) for item in value):
                fields[name] = self.block(value)
            elif isinstance(value, list):
                fields[name] = [self.part(item) for item in value]
            else:
                fields[name] = value
        return [self.tick(cost), type(node)(**fields)]

    def part(self, item: Any) -> Any:
        """A part of a statement that is neither: handlers, items of ``with``, cases."""
        if isinstance(item, ast.ExceptHandler):
            kind = self.expr(item.type)[0] if item.type is not None else None
            return ast.ExceptHandler(kind, item.name, self.block(item.body))
        if isinstance(item, ast.withitem):
            target = self.target(item.optional_vars) if item.optional_vars is not None else None
            return ast.withitem(self.expr(item.context_expr)[0], target)
        if isinstance(item, ast.match_case):
            guard = self.expr(item.guard)[0] if item.guard is not None else None
            return ast.match_case(item.pattern, guard, self.block(item.body))
        if isinstance(item, ast.expr) and isinstance(getattr(item, "ctx", None), (ast.Store, ast.Del)):
            return self.target(item)
        if isinstance(item, ast.expr):
            return self.expr(item)[0]
        return item

    def fail(self, message: str) -> "list[ast.stmt]":
        return [ast.Expr(_call("_cf_fail", _constant(message)))]

    def erases_tool(self, target: ast.expr) -> "str | None":
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in self.tools and not self.in_class:
                return f"Cannot assign to name '{node.id}': doing this would erase the existing tool!"
        return None

    def stmt_Assign(self, node: ast.Assign) -> "list[ast.stmt]":
        value, cost = self.expr(node.value)
        for target in node.targets:
            erased = self.erases_tool(target)
            if erased is not None:
                return [self.tick(1 + cost), ast.Expr(value), *self.fail(erased)]
            if isinstance(target, ast.Tuple) and not any(isinstance(item, ast.Starred) for item in target.elts):
                value = _call("_cf_unpack", value, _constant(len(target.elts)))
        return [self.tick(1 + cost), ast.Assign([self.target(t) for t in node.targets], value)]

    def stmt_AugAssign(self, node: ast.AugAssign) -> "list[ast.stmt]":
        value, cost = self.expr(node.value)
        erased = self.erases_tool(node.target)
        if erased is not None:
            return [self.tick(1 + cost), *self.fail(erased)]
        if isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
            value = _call("_cf_addend", ast.Name(node.target.id, ast.Load()), value)
        return [self.tick(1 + cost), ast.AugAssign(self.target(node.target), node.op, value)]

    def stmt_FunctionDef(self, node: ast.FunctionDef, outermost: bool = False) -> "list[ast.stmt]":
        args = node.args
        in_class, self.in_class = self.in_class, 0
        body = self.block(node.body, doc=True)
        self.in_class = in_class
        defaults = [self.expr(default)[0] for default in args.defaults]
        keyword_defaults = [default and self.expr(default)[0] for default in args.kw_defaults]
        if not self.in_class:
            # Arguments that are not given are not asked for, and `*args` has those that were bound, too.
            positional = [*args.posonlyargs, *args.args]
            defaults = [_constant(None)] * (len(positional) - len(defaults)) + defaults
            if args.vararg is not None and positional:
                both = ast.Tuple(
                    [*(ast.Name(a.arg, ast.Load()) for a in positional), ast.Starred(ast.Name(args.vararg.arg, ast.Load()), ast.Load())],
                    ast.Load(),
                )
                body.insert(0, ast.Assign([ast.Name(args.vararg.arg, ast.Store())], both))
        arguments = ast.arguments(args.posonlyargs, args.args, args.vararg, args.kwonlyargs, keyword_defaults, args.kwarg, defaults)
        fields = {name: value for name, value in ast.iter_fields(node)}
        fields.update(args=arguments, body=body, decorator_list=[self.expr(d)[0] for d in node.decorator_list])
        made: "list[ast.stmt]" = [self.tick(1), ast.FunctionDef(**fields)]
        if outermost:
            source = ast.unparse(node)
            made.append(ast.Expr(_call("_cf_source", ast.Name(node.name, ast.Load()), _constant(source))))
        return made

    def stmt_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> "list[ast.stmt]":
        fields = {name: value for name, value in ast.iter_fields(node)}
        fields["body"] = self.block(node.body, doc=True)
        return [self.tick(1), ast.AsyncFunctionDef(**fields)]

    def stmt_ClassDef(self, node: ast.ClassDef) -> "list[ast.stmt]":
        fields = {name: value for name, value in ast.iter_fields(node)}
        self.in_class += 1
        fields["body"] = self.block(node.body, doc=True)
        self.in_class -= 1
        fields["bases"] = [self.expr(base)[0] for base in node.bases]
        fields["decorator_list"] = [self.expr(d)[0] for d in node.decorator_list]
        return [self.tick(1 + len(node.bases)), ast.ClassDef(**fields)]

    def stmt_While(self, node: ast.While) -> "list[ast.stmt]":
        test = self.counted(node.test)
        return [self.tick(1), ast.While(test, self.block(node.body), self.block(node.orelse))]

    def stmt_Assert(self, node: ast.Assert) -> "list[ast.stmt]":
        test, cost = self.expr(node.test)
        message = self.expr(node.msg)[0] if node.msg is not None else _constant(f"Assertion failed: {ast.unparse(node.test)}")
        return [self.tick(1 + cost), ast.Assert(test, message)]

    def stmt_Delete(self, node: ast.Delete) -> "list[ast.stmt]":
        made: "list[ast.stmt]" = [self.tick(1)]
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in self.never_bound:
                made.extend(self.fail(f"Cannot delete name '{target.id}': name is not defined"))
            elif isinstance(target, ast.Subscript):
                made.append(ast.Expr(_call("_cf_delete", self.expr(target.value)[0], self.expr(target.slice)[0])))
            else:
                made.append(ast.Delete([self.target(target)]))
        return made

    # ---- targets

    def target(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Subscript):
            return ast.Subscript(self.expr(node.value)[0], self.expr(node.slice, keep_slice=True)[0], node.ctx)
        if isinstance(node, ast.Attribute):
            return ast.Attribute(self.expr(node.value)[0], node.attr, node.ctx)
        if isinstance(node, (ast.Tuple, ast.List)):
            return type(node)([self.target(item) for item in node.elts], node.ctx)
        if isinstance(node, ast.Starred):
            return ast.Starred(self.target(node.value), node.ctx)
        return node

    # ---- expressions: what they become, and how many nodes are evaluated in any case

    def counted(self, node: ast.expr) -> ast.expr:
        """An expression that is evaluated only sometimes, or often: it counts itself."""
        made, cost = self.expr(node)
        return ast.BoolOp(ast.Or(), [_call("_cf_t", _constant(cost)), made])

    def expr(self, node: ast.expr, *, keep_slice: bool = False) -> "tuple[ast.expr, int]":
        method = getattr(self, f"expr_{type(node).__name__}", None)
        if isinstance(node, ast.Slice) and not keep_slice:
            parts = [self.expr(part) if part is not None else (_constant(None), 0) for part in (node.lower, node.upper, node.step)]
            return _call("_cf_slice", *(part for part, _ in parts)), 1 + sum(cost for _, cost in parts)
        if method is not None:
            return method(node)
        cost = 1
        fields: "dict[str, Any]" = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                if isinstance(getattr(value, "ctx", None), ast.Store):
                    fields[name] = self.target(value)
                    continue
                fields[name], more = self.expr(value, keep_slice=keep_slice)
                cost += more
            elif isinstance(value, list) and any(isinstance(item, ast.expr) for item in value):
                made = []
                for item in value:
                    if item is None:
                        made.append(None)
                        continue
                    new, more = self.expr(item, keep_slice=keep_slice)
                    made.append(new)
                    cost += more
                fields[name] = made
            else:
                fields[name] = value
        return type(node)(**fields), cost

    def expr_Name(self, node: ast.Name) -> "tuple[ast.expr, int]":
        name = node.id
        if name == "final_answer" and name in self.tools:
            return ast.Name("_cf_final", ast.Load()), 1
        if name == "getattr" and name in self.tools and name not in self.known:
            return ast.Name("_cf_getattr", ast.Load()), 1
        if name in self.known or name in self.tools or name in _EXCEPTIONS or name in _BUILTINS or name.startswith("_cf_"):
            return node, 1
        close = difflib.get_close_matches(name, self.candidates)
        if close:
            return ast.Name(close[0], ast.Load()), 1
        return _call("_cf_fail", _constant(f"The variable `{name}` is not defined.")), 1

    def expr_Call(self, node: ast.Call) -> "tuple[ast.expr, int]":
        cost = 1
        func = node.func
        if isinstance(func, ast.Name):
            name = func.id
            if name not in self.known and name not in self.tools and name not in _EXCEPTIONS and not name.startswith("_cf_"):
                message = (
                    f"Forbidden function evaluation: '{name}' is not among the explicitly allowed tools or defined/imported in the preceding code"
                )
                return _call("_cf_fail", _constant(message)), 1
            made: ast.expr = self.expr_Name(func)[0]
        elif isinstance(func, ast.Attribute):
            value, more = self.expr(func.value)
            cost += more
            if _is_dunder(func.attr) and func.attr not in self.dunders and func.attr not in self.tools:
                return _call("_cf_forbidden", value, _constant(f"Forbidden call to dunder function: {func.attr}")), cost
            else:
                made = ast.Attribute(value, func.attr, ast.Load())
        else:
            made, more = self.expr(func)
            cost += more
        args = []
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                new, more = self.expr(arg.value)
                args.append(ast.Starred(new, ast.Load()))
            else:
                new, more = self.expr(arg)
                args.append(new)
            cost += more
        keywords = []
        for keyword in node.keywords:
            new, more = self.expr(keyword.value)
            cost += more
            keywords.append(ast.keyword(keyword.arg, new if keyword.arg is not None else _call("_cf_kwargs", new)))
        result: ast.expr = ast.Call(made, args, keywords)
        if isinstance(func, ast.Attribute) and func.attr == "import_module":
            result = _call("_cf_module", result)
        return result, cost

    def expr_Attribute(self, node: ast.Attribute) -> "tuple[ast.expr, int]":
        if _is_dunder(node.attr):
            return _call("_cf_fail", _constant(f"Forbidden access to dunder attribute: {node.attr}")), 1
        value, cost = self.expr(node.value)
        if node.attr in DANGEROUS and node.attr not in self.tools:
            return _call("_cf_value", value, _constant(node.attr)), cost + 1
        return ast.Attribute(value, node.attr, ast.Load()), cost + 1

    def expr_Subscript(self, node: ast.Subscript) -> "tuple[ast.expr, int]":
        value, cost = self.expr(node.value)
        index, more = self.expr(node.slice)
        return _call("_cf_index", value, index), cost + more + 1

    def expr_BoolOp(self, node: ast.BoolOp) -> "tuple[ast.expr, int]":
        first, cost = self.expr(node.values[0])
        return ast.BoolOp(node.op, [first, *(self.counted(value) for value in node.values[1:])]), cost + 1

    def expr_IfExp(self, node: ast.IfExp) -> "tuple[ast.expr, int]":
        test, cost = self.expr(node.test)
        return ast.IfExp(test, self.counted(node.body), self.counted(node.orelse)), cost + 1

    def expr_Lambda(self, node: ast.Lambda) -> "tuple[ast.expr, int]":
        return ast.Lambda(node.args, self.counted(node.body)), 1

    def expr_NamedExpr(self, node: ast.NamedExpr) -> "tuple[ast.expr, int]":
        value, cost = self.expr(node.value)
        return ast.NamedExpr(node.target, value), cost + 1

    def expr_JoinedStr(self, node: ast.JoinedStr) -> "tuple[ast.expr, int]":
        parts, cost = [], 1
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value, more = self.expr(part.value)
                spec: "ast.expr | None" = None
                if part.format_spec is not None:
                    spec, of_spec = self.expr(part.format_spec)
                    more += of_spec
                parts.append(ast.FormattedValue(value, part.conversion, spec))
                cost += 1 + more
            else:
                parts.append(part)
                cost += 1
        return ast.JoinedStr(parts), cost

    def comprehension(self, node: Any, **parts: ast.expr) -> "tuple[ast.expr, int]":
        generators, cost = [], 1
        for at, generator in enumerate(node.generators):
            if at == 0:
                iterable, more = self.expr(generator.iter)
                cost += more
            else:
                iterable = self.counted(generator.iter)
            conditions = [self.counted(condition) for condition in generator.ifs]
            generators.append(ast.comprehension(self.target(generator.target), iterable, conditions, generator.is_async))
        made = {name: self.counted(part) for name, part in parts.items()}
        return type(node)(**made, generators=generators), cost

    def expr_ListComp(self, node: ast.ListComp) -> "tuple[ast.expr, int]":
        return self.comprehension(node, elt=node.elt)

    def expr_SetComp(self, node: ast.SetComp) -> "tuple[ast.expr, int]":
        return self.comprehension(node, elt=node.elt)

    def expr_GeneratorExp(self, node: ast.GeneratorExp) -> "tuple[ast.expr, int]":
        return self.comprehension(node, elt=node.elt)

    def expr_DictComp(self, node: ast.DictComp) -> "tuple[ast.expr, int]":
        return self.comprehension(node, key=node.key, value=node.value)


def rewrite(tree: ast.Module, state: "Iterable[str]", tools: "Iterable[str]", dunders: "Iterable[str]") -> str:
    """The text of the program that does in a sandbox what the tree says."""
    return Rewriter(state, tools, dunders).module(tree)
