# Nodes as objects: constructors, copies, compiling what a program put together, and the validator.
import ast, copy, pickle

print(ast.dump(ast.Name('x')), ast.Name.__doc__, ast.BinOp._fields, ast.Name.__match_args__)
print(ast.dump(ast.parse("f(*a, k=1)\nlambda x=1, /, *y, **z: x\n{**a, 1: 2}\n[i async for i in x if y]", mode='exec'), indent=2))
node = ast.parse("a.b[c:d](e)", mode='eval')
print(ast.dump(copy.deepcopy(node)) == ast.dump(node), ast.dump(pickle.loads(pickle.dumps(node))) == ast.dump(node))


class Double(ast.NodeTransformer):
    def visit_MatchValue(self, node):
        return node

    def visit_Constant(self, node):
        if isinstance(node.value, int):
            return ast.copy_location(ast.BinOp(node, ast.Mult(), ast.Constant(2)), node)
        return node


source = """
def f(n, *, k=3):
    'doc'
    total = 0
    for i in range(n):
        if i == 1: continue
        elif i > 2: total += k
        else: total -= 1
    return total, f'{total!r:>{4}}|', t'{n}'.interpolations if False else b'z'
match 4:
    case 4 | 5 as z if z: out = f(5)
try:
    raise ValueError('x')
except (ValueError, TypeError) as e:
    out2 = str(e)
with open(0) if False else __import__('contextlib').nullcontext(1) as c: pass
out3 = [x + y for x in (1, 2) for y in (3, 4) if x != y]
class C(object, metaclass=type):
    a: int = 1
    def m(self): return super().__repr__()[:2] + __class__.__name__
out4 = C().m()
""".replace("t'{n}'.interpolations if False else ", "")
tree = ast.parse(source)
namespace = {}
exec(compile(tree, 'made', 'exec'), namespace)
print(namespace['out'], namespace['out2'], namespace['out3'], namespace['out4'])
exec(compile(ast.fix_missing_locations(Double().visit(tree)), 'made', 'exec'), namespace)
print(namespace['out'], namespace['out3'])
again = ast.unparse(ast.parse(source))
print(again)
print(eval(compile(ast.Expression(ast.Constant((1, frozenset({2}), -3, '\ud800', 1j - 2), lineno=1, col_offset=0)), '', 'eval')))
print(ast.literal_eval("{'a': [1, -2.5, (None, b'x')], 'b': {1, 2}, 'c': 1+2j}"))
for bad in "f()", "1 +", "__import__('os')", "[1, a]":
    try:
        print(ast.literal_eval(bad))
    except (ValueError, SyntaxError) as e:
        print(type(e).__name__, str(e).split(' on line')[0].split(': <')[0])

at = dict(lineno=1, col_offset=0)


def check(node, mode='exec'):
    try:
        compile(node, '<made>', mode)
        print('compiled')
    except Exception as e:
        print(type(e).__name__, e)


def module(*body):
    return ast.fix_missing_locations(ast.Module(list(body), []))


check(ast.Module([ast.Pass()], []))
check(module(ast.Expr(ast.Name('x', ast.Store()))))
check(module(ast.Expr(ast.Name('None', ast.Load()))))
check(module(ast.If(ast.Constant(1), [], [])))
check(module(ast.Assign([ast.Constant(1)], ast.Constant(1))))
check(module(ast.Expr(ast.Compare(ast.Constant(1), [ast.Lt()], []))))
check(module(ast.Expr(ast.Constant([1]))))
check(module(ast.Expr(ast.Dict([ast.Constant(1)], []))))
check(module(ast.Try([ast.Pass()], [], [], [])))
check(module(ast.Return(None)))
check(module(ast.Raise(None, ast.Constant(1))))
check(module(ast.ImportFrom('x', [ast.alias('y')], -1)))
check(module(ast.Expr(7)))
check(module(ast.Global([])))
check(module(None))
check(ast.Expression(ast.Pass(**at)), 'eval')
check(ast.Constant(1), 'exec')
check(ast.Module([ast.Pass(lineno=3, col_offset=0, end_lineno=2, end_col_offset=0)], []))
check(module(ast.FunctionDef('f', ast.arguments([], [], None, [], [], None, [ast.Constant(1)]), [ast.Pass()], [])))
check(module(ast.Match(ast.Constant(1), [ast.match_case(ast.MatchAs(None, '_'), None, [ast.Pass()])])))

print(ast.dump(ast.parse("x = 1  # type: int\nfor a in b:  # type: str\n    pass\ny = 2  # type: ignore[z]\n", type_comments=True)))
print(ast.dump(ast.parse("(int, *str) -> bool", mode='func_type')))
print(ast.get_docstring(ast.parse("def f():\n  '''a\n     b'''").body[0]), ast.get_source_segment("x = (1 +\n 2)", ast.parse("x = (1 +\n 2)").body[0].value))
