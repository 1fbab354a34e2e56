//! Classes: inheritance, special methods with all kinds of answers, properties, slots, descriptors, metaclasses; and what is done with instances.

use super::Writer;
use super::values;
use crate::random::Random;

/// A special method: its parameters and some bodies.
const SPECIAL: &[(&str, &str, &[&str])] = &[
    (
        "__eq__",
        "o",
        &[
            "return self.v == getattr(o, 'v', o)",
            "return NotImplemented",
            "raise Er('eq')",
            "print('eq'); return True",
        ],
    ),
    ("__ne__", "o", &["return 'ne'", "return NotImplemented"]),
    (
        "__lt__",
        "o",
        &[
            "return self.v < getattr(o, 'v', o)",
            "return NotImplemented",
            "return []",
        ],
    ),
    (
        "__gt__",
        "o",
        &["print('gt'); return 1", "return NotImplemented"],
    ),
    ("__le__", "o", &["return 'le'", "raise Er('le')"]),
    (
        "__hash__",
        "",
        &[
            "return 7",
            "return -1",
            "return 2**70",
            "return 'x'",
            "raise Er('hash')",
            "return True",
        ],
    ),
    (
        "__bool__",
        "",
        &[
            "return False",
            "return True",
            "return 1",
            "raise Er('bool')",
        ],
    ),
    (
        "__len__",
        "",
        &[
            "return 3",
            "return -1",
            "return 'x'",
            "return 2**70",
            "return 0",
            "return True",
        ],
    ),
    (
        "__repr__",
        "",
        &[
            "return f'<{self.v}>'",
            "return 5",
            "raise Er('repr')",
            "return SubS('r')",
        ],
    ),
    (
        "__str__",
        "",
        &["return 'str'", "return None", "raise Er('str')"],
    ),
    ("__format__", "spec", &["return 'F' + spec", "return 3"]),
    (
        "__int__",
        "",
        &["return 4", "return 4.5", "return True", "return Sub(6)"],
    ),
    (
        "__index__",
        "",
        &[
            "return 2",
            "return 'i'",
            "return -1",
            "raise Er('index')",
            "return Sub(1)",
        ],
    ),
    (
        "__float__",
        "",
        &["return 1.5", "return 1", "raise Er('float')"],
    ),
    ("__complex__", "", &["return 1j", "return 1"]),
    (
        "__add__",
        "o",
        &[
            "return ('add', o)",
            "return NotImplemented",
            "raise Er('add')",
        ],
    ),
    (
        "__radd__",
        "o",
        &["return ('radd', o)", "return NotImplemented"],
    ),
    (
        "__iadd__",
        "o",
        &[
            "self.v += 1; return self",
            "return ('iadd', o)",
            "return NotImplemented",
        ],
    ),
    ("__sub__", "o", &["return 'sub'", "return NotImplemented"]),
    ("__rsub__", "o", &["return ('rsub', o)"]),
    (
        "__mul__",
        "o",
        &["return ('mul', o)", "return NotImplemented"],
    ),
    ("__rmul__", "o", &["return ('rmul', o)"]),
    (
        "__pow__",
        "o, m=None",
        &["return ('pow', o, m)", "return NotImplemented"],
    ),
    ("__rpow__", "o", &["return 'rpow'"]),
    ("__matmul__", "o", &["return 'matmul'"]),
    ("__divmod__", "o", &["return 'dm'"]),
    ("__neg__", "", &["return 'neg'"]),
    ("__abs__", "", &["return 'abs'"]),
    ("__round__", "n=None", &["return ('round', n)"]),
    (
        "__contains__",
        "x",
        &[
            "return x == 1",
            "return 'yes'",
            "return []",
            "raise Er('contains')",
        ],
    ),
    (
        "__iter__",
        "",
        &[
            "return iter([1, 2])",
            "yield 5; yield self.v",
            "return 5",
            "return self",
            "raise Er('iter')",
        ],
    ),
    (
        "__next__",
        "",
        &[
            "raise StopIteration",
            "self.v -= 1\n        if self.v < 0: raise StopIteration('end')\n        return self.v",
        ],
    ),
    ("__reversed__", "", &["return 'rev'", "return iter('ab')"]),
    (
        "__length_hint__",
        "",
        &[
            "return 5",
            "return -1",
            "return 'x'",
            "raise TypeError('hint')",
        ],
    ),
    (
        "__getitem__",
        "i",
        &[
            "if isinstance(i, int) and i > 3: raise IndexError(i)\n        return i",
            "return ('item', i)",
            "raise KeyError(i)",
        ],
    ),
    (
        "__setitem__",
        "i, x",
        &["print('set', i, x)", "raise Er('setitem')"],
    ),
    ("__delitem__", "i", &["print('del', i)"]),
    ("__missing__", "k", &["return ('missing', k)"]),
    (
        "__call__",
        "*a, **k",
        &["return ('call', a, k)", "raise Er('call')"],
    ),
    (
        "__getattr__",
        "name",
        &[
            "return ('attr', name)",
            "raise AttributeError(name)",
            "if name.startswith('__'): raise AttributeError(name)\n        return name",
        ],
    ),
    (
        "__setattr__",
        "name, x",
        &["print('setattr', name); object.__setattr__(self, name, x)"],
    ),
    ("__delattr__", "name", &["print('delattr', name)"]),
    ("__enter__", "", &["print('enter'); return self.v"]),
    (
        "__exit__",
        "*e",
        &["print('exit', e[0]); return True", "return False"],
    ),
    ("__dir__", "", &["return ['b', 'a']", "return 5"]),
    ("__instancecheck__", "o", &["return True"]),
    (
        "__get__",
        "o, t=None",
        &["return ('get', o is None, t.__name__)"],
    ),
    ("__set__", "o, x", &["print('desc set', x)"]),
    (
        "__set_name__",
        "owner, name",
        &["print('set_name', owner.__name__, name)"],
    ),
    ("__init_subclass__", "**k", &["print('sub', k)"]),
    ("__class_getitem__", "k", &["return ('class item', k)"]),
    (
        "__new__",
        "*a, **k",
        &[
            "print('new', len(a)); return object.__new__(self)",
            "return 5",
        ],
    ),
    ("__del__", "", &["pass"]),
    ("__copy__", "", &["return 'copied'"]),
    ("__reduce__", "", &["return (str, ('reduced',))"]),
    ("__sizeof__", "", &["return 10"]),
    ("__fspath__", "", &["return 'path'"]),
    ("__bytes__", "", &["return b'B'", "return 'x'"]),
];

/// Uses of an instance `{o}`, its class `{c}` and another value `{x}`.
const USES: &[&str] = &[
    "{o} == {x}",
    "{x} == {o}",
    "{o} != {x}",
    "{o} < {x}",
    "{x} > {o}",
    "{o} <= {x}",
    "{o} >= {x}",
    "hash({o}) == hash({o})",
    "{o} in {{1: 2}}",
    "bool({o})",
    "len({o})",
    "repr({o})",
    "str({o})",
    "f'{{{o}:>8}}'",
    "f'{{{o}!r}}'",
    "format({o}, 'x')",
    "int({o})",
    "[10, 20, 30][{o}]",
    "'abc'[{o}:]",
    "float({o})",
    "complex({o})",
    "{o} + {x}",
    "{x} + {o}",
    "{o} - {x}",
    "{x} - {o}",
    "{o} * {x}",
    "{x} * {o}",
    "{o} ** {x}",
    "{x} ** {o}",
    "pow({o}, 2, 3)",
    "{o} @ {x}",
    "divmod({o}, 2)",
    "-{o}",
    "+{o}",
    "~{o}",
    "abs({o})",
    "round({o})",
    "round({o}, 1)",
    "{x} in {o}",
    "1 not in {o}",
    "list({o})",
    "[*{o}]",
    "next({o})",
    "dict([{o}])",
    "reversed({o})",
    "{o}[1]",
    "{o}[1:2]",
    "{o}['k']",
    "{o}.v",
    "{o}.missing",
    "{o}(1, k=2)",
    "{o}()",
    "isinstance({o}, {c})",
    "isinstance(5, {o})",
    "issubclass({c}, object)",
    "sorted([{o}, {o}])",
    "max({o}, {x})",
    "min([{o}, {x}])",
    "sum([{o}, 1])",
    "dir({o})[:0]",
    "{c}[int]",
    "{c}.__name__, {c}.__qualname__",
    "[k.__name__ for k in {c}.__mro__]",
    "{c}.v",
    "{c}.prop",
    "{o}.prop",
    "{o}.meth(1)",
    "{c}.meth({o}, 2)",
    "{o}.cm(1)",
    "{c}.cm(2)",
    "{o}.sm(3)",
    "super({c}, {o}).__repr__()[:3]",
    "getattr({o}, 'v', 'd')",
    "hasattr({o}, 'zz')",
    "vars({o})",
    "{o}.__dict__",
    "{o}.__slots__",
    "'%s %r' % ({o}, 1)",
    "'%d' % {o}",
    "'a' * {o}",
    "[1] * {o}",
    "range({o})",
    "bytes({o})",
    "chr({o})",
    "bin({o})",
    "{{{o}: 1}}",
    "{{{o}, {o}}}",
    "({o}, 1) < ({o}, 2)",
    "[{o}] == [{o}]",
    "[{o}].index({o})",
    "[{x}, {o}].count({o})",
    "slice({o}, 2).indices(5)",
    "({o} and 1, {o} or 2, not {o})",
    "all([{o}])",
    "any({o})",
    "enumerate([1], {o})",
    "zip({o}, {o})",
    "map({o}, [1])",
    "__import__('copy').copy({o})",
    "__import__('operator').index({o})",
    "__import__('operator').length_hint({o}, 1)",
    "print({o}, sep='')",
    "type({o})(9)",
    "{c}.__init_subclass__()",
    "print(*{o})",
    "'{{0.v}} {{0[1]}}'.format({o})",
    "isinstance({o}, ({c}, 5))",
    "''.join({o})",
    "tuple({o})",
    "set({o})",
    "int.__add__({o}, 1)",
    "__import__('math').floor({o})",
    "(lambda *a: a)(*{o})",
    "(lambda **k: k)(**{o})",
    "[a for a, b in [{o}]]",
    "str({o}, 'utf-8')",
    "object.__repr__({o})[:3]",
    "object.__eq__({o}, {x})",
    "dict.__getitem__({o}, 1)",
];

/// Statements that change something.
const CHANGES: &[&str] = &[
    "{o}.v = 9",
    "{o}.w = 1",
    "del {o}.v",
    "del {o}.w",
    "{o}[0] = 5",
    "del {o}['k']",
    "{o} += 2",
    "{o} -= 1",
    "{o} |= 1",
    "{c}.v = 'class'",
    "{c}.prop = 5",
    "{o}.prop = 6",
    "del {o}.prop",
    "{o}.desc = 3",
    "print({o}.desc)",
    "del {o}.desc",
    "{c}.meth = lambda s, x: ('patched', x)",
    "{c}.__eq__ = lambda s, o: 'patched eq'",
    "{c}.__len__ = lambda s: 12",
    "del {c}.__len__",
    "{c}.__hash__ = None",
    "{o}.__class__ = Ob",
    "{o}.__dict__ = {{'v': 'new'}}",
    "{o}.__dict__['v'] = 'direct'",
    "{c}.__bases__ = {c}.__bases__[::-1]",
    "{c}.__name__ = 'Renamed'",
    "{o}.meth = lambda x: ('own', x)",
    "{c}.__getattr__ = lambda s, n: n",
    "with {o} as q: print('in', q)",
    "for q in {o}: print('it', q)",
    "a, *b = {o}; print(a, b)",
    "print({o}.v)",
    "{c}.__iter__ = None",
    "{c}.__contains__ = None",
    "del {c}.meth",
    "{c}.__setattr__ = lambda s, n, v: print('late', n)",
    "match {o}:\n        case {c}(v=q): print('matched', q)",
    "{o}.__init__()",
    "{c}.__doc__ = 'd'",
    "{c}.__module__ = 'm'",
    "{c}.__slots__ = 1",
    "{c}.__abstractmethods__ = {{'z'}}",
    "raise {o}",
    "{c}.__call__ = {o}",
    "{c}.new = property(lambda s: ('late prop', s.v)); print({o}.new)",
    "assert {o}",
];

fn body(w: &mut Writer, base_is_builtin: bool) {
    if w.random.chance(30) {
        w.line("v = 'cv'");
    }
    if !base_is_builtin && w.random.chance(12) {
        let slots = w
            .random
            .pick(&[
                "('v', 'w')",
                "['v']",
                "'v'",
                "('v', '__dict__')",
                "('v', 'v2', '__weakref__')",
                "(x for x in 'vw')",
            ])
            .to_owned();
        w.line(format!("__slots__ = {slots}"));
    }
    if w.random.chance(75) {
        w.block("def __init__(self, v=1, *a):", |w| {
            let line = w
                .random
                .pick(&[
                    "self.v = v",
                    "self.v, self.w = v, a",
                    "super().__init__(); self.v = v",
                    "object.__setattr__(self, 'v', v)",
                    "self.v = v; self.w = 'w'",
                ])
                .to_owned();
            w.line(line);
        });
    }
    for _ in 0..w.random.below(5) {
        let (name, parameters, bodies) = SPECIAL[w.random.below(SPECIAL.len())];
        let body = w.random.pick(bodies).to_owned();
        let comma = if parameters.is_empty() { "" } else { ", " };
        w.block(format!("def {name}(self{comma}{parameters}):"), |w| {
            for line in body.lines() {
                w.line(line.trim_start());
            }
        });
    }
    if w.random.chance(25) {
        w.line("@property");
        w.block("def prop(self):", |w| {
            let line = w
                .random
                .pick(&[
                    "return ('prop', self.v)",
                    "return self.nothing",
                    "raise Er('prop')",
                ])
                .to_owned();
            w.line(line);
        });
        if w.random.chance(50) {
            w.line("@prop.setter");
            w.block("def prop(self, x):", |w| {
                w.line("print('setter', x); self.v = x")
            });
        }
    }
    if w.random.chance(40) {
        w.block("def meth(self, x):", |w| {
            let line = w
                .random
                .pick(&[
                    "return ('meth', x)",
                    "return super().meth(x)",
                    "return __class__.__name__, x",
                    "return self.v, super().__thisclass__.__name__",
                    "yield x",
                ])
                .to_owned();
            w.line(line);
        });
    }
    if w.random.chance(20) {
        w.line("@classmethod");
        w.line("def cm(cls, x): return cls.__name__, x");
    }
    if w.random.chance(15) {
        w.line("@staticmethod");
        w.line("def sm(x): return x");
    }
    if w.random.chance(15) {
        w.line("desc = De()");
    }
    if w.random.chance(10) {
        let line = w
            .random
            .pick(&[
                "__eq__ = None",
                "__hash__ = None",
                "__radd__ = None",
                "__iter__ = None",
                "__contains__ = None",
                "meth = len",
                "__len__ = lambda s: 4",
                "__call__ = print",
                "x = [v for v in (1, 2)]",
                "__match_args__ = ('v',)",
            ])
            .to_owned();
        w.line(line);
    }
}

fn base(random: &mut Random, classes: &[String]) -> (String, bool) {
    let mut bases = Vec::new();
    let mut builtin = false;
    for name in classes {
        if random.chance(45) {
            bases.push(name.clone());
        }
    }
    if random.chance(25) {
        builtin = true;
        bases.push(
            random
                .pick(&[
                    "int",
                    "str",
                    "list",
                    "dict",
                    "tuple",
                    "float",
                    "set",
                    "Exception",
                    "bytes",
                    "frozenset",
                    "bytearray",
                    "KeyError",
                    "complex",
                    "type",
                    "bool",
                ])
                .to_owned(),
        );
    }
    if random.chance(10) {
        bases.push("metaclass=Me".to_owned());
    }
    if random.chance(5) {
        bases.push("opt=1".to_owned());
    }
    (bases.join(", "), builtin)
}

/// Some classes, instances, uses and changes.
pub(crate) fn section(w: &mut Writer) {
    w.block("class De:", |w| {
        w.line("def __get__(self, o, t): return 'desc' if o is not None else t.__name__");
        if w.random.chance(50) {
            w.line("def __set__(self, o, v): print('desc set', v)");
        }
        if w.random.chance(30) {
            w.line("def __delete__(self, o): print('desc del')");
        }
    });
    w.block("class Me(type):", |w| {
        let lines = [
            "def __call__(cls, *a): print('meta call', a); return super().__call__(*a)",
            "def __getattr__(cls, n): return ('meta attr', n)",
            "def __len__(cls): return 77",
            "def __instancecheck__(cls, o): return 'truthy'",
            "def __new__(m, n, b, d, **k): print('meta new', n, k); return super().__new__(m, n, b, d)",
            "def __init__(cls, n, b, d, **k): print('meta init', k)",
            "def __prepare__(n, b, **k): return {'prepared': n}",
            "def __getitem__(cls, i): return ('meta item', i)",
            "def mro(cls): return super().mro()",
            "def mro(cls): return [cls, int, object]",
            "def mro(cls): return super().mro()[:1]",
            "def __contains__(cls, x): return True",
        ];
        for line in lines {
            if w.random.chance(25) {
                w.line(line);
            }
        }
    });
    let mut classes = Vec::new();
    for _ in 0..w.random.between(1, 3) {
        let name = w.fresh("C");
        let (bases, builtin) = base(w.random, &classes);
        w.block("try:", |w| {
            w.block(format!("class {name}({bases}):"), |w| body(w, builtin))
        });
        w.block("except Exception as e:", |w| {
            w.line(format!("print('class', '{name}', type(e).__name__, e)"));
            w.line(format!("{name} = Ob"));
        });
        classes.push(name);
    }
    for class in classes.iter().rev().take(2) {
        let o = w.fresh("o");
        w.block("try:", |w| {
            let value = w
                .random
                .pick(&["", "3", "'s'", "[1, 2]", "(1, 2)", "{}"])
                .to_owned();
            w.line(format!("{o} = {class}({value})"));
        });
        w.block("except Exception as e:", |w| {
            w.line("print('new', type(e).__name__, e)");
            w.line(format!("{o} = Ob(v=0)"));
        });
        for _ in 0..w.random.between(4, 12) {
            let x = match w.random.below(3) {
                0 => o.clone(),
                _ => values::odd(w.random),
            };
            let changes = w.random.chance(25);
            let list = if changes { CHANGES } else { USES };
            let text = w
                .random
                .pick(list)
                .replace("{o}", &o)
                .replace("{c}", class)
                .replace("{x}", &x)
                .replace("{{", "{")
                .replace("}}", "}");
            if changes {
                let tag = w.tag();
                w.block("try:", |w| w.line(text));
                w.block("except BaseException as e:", |w| {
                    w.line(format!("print({tag}, type(e).__name__, e)"))
                });
            } else {
                w.show(&text);
            }
        }
    }
}
