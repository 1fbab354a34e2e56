//! Signatures with all kinds of parameters, calls with all kinds of arguments, closures and decorators.

use super::Writer;
use super::values::{self, Kind};
use crate::random::Random;

/// A parameter list, and the names in it.
fn signature(random: &mut Random) -> (String, Vec<String>) {
    let mut parts = Vec::new();
    let mut names = Vec::new();
    let mut default = false;
    let positional = random.below(4);
    let slash = if random.chance(30) {
        random.between(0, positional)
    } else {
        0
    };
    for i in 0..positional {
        let name = ["a", "b", "c", "d"][i];
        names.push(name.to_owned());
        default |= random.chance(30);
        parts.push(match default {
            true => format!("{name}={}", values::literal(random, Kind::Any, 0)),
            false => name.to_owned(),
        });
        if i + 1 == slash {
            parts.push("/".to_owned());
        }
    }
    let star = random.below(3);
    if star == 1 {
        parts.push("*args".to_owned());
        names.push("args".to_owned());
    }
    if random.chance(45) {
        if star != 1 {
            parts.push("*".to_owned());
        }
        for name in ["k", "m"].iter().take(random.between(1, 2)) {
            names.push((*name).to_owned());
            parts.push(match random.chance(50) {
                true => format!("{name}={}", values::small(random)),
                false => (*name).to_owned(),
            });
        }
    }
    if random.chance(30) {
        parts.push("**kw".to_owned());
        names.push("kw".to_owned());
    }
    (parts.join(", "), names)
}

/// Arguments of a call.
fn call(random: &mut Random) -> String {
    let mut parts = Vec::new();
    for _ in 0..random.below(4) {
        parts.push(match random.below(8) {
            0 => format!("*{}", values::iterable(random, 0)),
            1 => "*()".to_owned(),
            _ => values::small(random),
        });
    }
    let mut names = vec!["a", "b", "c", "k", "m", "z", "self"];
    for _ in 0..random.below(3) {
        let name = names.remove(random.below(names.len()));
        parts.push(format!("{name}={}", values::small(random)));
    }
    match random.below(8) {
        0 => parts.push("**{'k': 7}".to_owned()),
        1 => parts.push("**{'a': 1, 'q': 2}".to_owned()),
        2 => parts.push(format!(
            "**{}",
            random.pick(&["{1: 2}", "5", "Ob()", "{}", "dict(b=3)"])
        )),
        _ => {}
    }
    parts.join(", ")
}

/// A function with a signature, called in several ways, alone, as a method, as a lambda; closures and decorators.
pub(crate) fn section(w: &mut Writer) {
    match w.random.below(5) {
        0..=2 => called(w),
        3 => closures(w),
        _ => decorated(w),
    }
}

fn called(w: &mut Writer) {
    let name = w.fresh("f");
    let (parameters, names) = signature(w.random);
    let shown = if names.is_empty() {
        "()".to_owned()
    } else {
        format!("({},)", names.join(", "))
    };
    let mut target = name.clone();
    match w.random.below(4) {
        0 => w.line(format!("{name} = lambda {parameters}: {shown}")),
        1 => {
            let class = w.fresh("K");
            let first = if parameters.is_empty() {
                "self".to_owned()
            } else {
                format!("self, {parameters}")
            };
            let kind = *w.random.pick(&[&"", &"@staticmethod", &"@classmethod"]);
            w.block(format!("class {class}:"), |w| {
                if !kind.is_empty() {
                    w.line(kind);
                }
                w.block(format!("def m({first}):"), |w| {
                    w.line(format!("return {shown}"))
                });
            });
            target = if w.random.chance(70) {
                format!("{class}().m")
            } else {
                format!("{class}.m")
            };
        }
        _ => w.block(format!("def {name}({parameters}):"), |w| {
            w.line(format!("return {shown}"))
        }),
    }
    for _ in 0..w.random.between(2, 6) {
        let arguments = call(w.random);
        w.show(&format!("{target}({arguments})"));
    }
    if w.random.chance(40) {
        w.show(&format!("({target}.__defaults__, {target}.__kwdefaults__, {target}.__code__.co_varnames, {target}.__code__.co_argcount, {target}.__code__.co_posonlyargcount, {target}.__code__.co_kwonlyargcount)"));
        w.line("import inspect");
        w.show(&format!("str(inspect.signature({target}))"));
    }
}

fn closures(w: &mut Writer) {
    let name = w.fresh("outer");
    let start = values::small(w.random);
    w.line(format!("g_{name} = {start}"));
    w.block(format!("def {name}(p):"), |w| {
        let value = values::literal(w.random, Kind::Int, 0);
        w.line(format!("x, y = {value}, [p]"));
        let late = w.random.chance(20);
        w.block("def inner(q=p):", |w| {
            match w.random.below(3) {
                0 => w.line("nonlocal x"),
                1 => w.line(format!("global g_{name}")),
                _ => {}
            }
            for _ in 0..w.random.between(1, 4) {
                let line = w
                    .random
                    .pick(&[
                        "x = q",
                        "y.append(x)",
                        "print(x, y, p)",
                        "del x",
                        "x += 1",
                        "y = [q]",
                        "print(sorted(locals()))",
                        "p",
                        "x = (lambda: x)",
                        "class x: z = p",
                        "for x in range(2): pass",
                        "[x for x in y]",
                        "import sys as x",
                        "print([p for _ in y if p])",
                    ])
                    .to_owned();
                w.line(line);
            }
            if w.random.chance(50) {
                w.line(format!("g_{name} = q"));
            }
            w.line("return q, y");
        });
        if late {
            w.line("del x");
        }
        let use_it = w
            .random
            .pick(&[
                "inner()",
                "inner(1), inner(2)",
                "[inner(i) for i in range(2)]",
                "(lambda: inner(x))()",
                "inner(q=x), x",
            ])
            .to_owned();
        w.line(format!("print('{name}', {use_it})"));
        w.line("return inner, x, y");
    });
    w.show(&format!("{name}(1)[1:]"));
    w.show(&format!("{name}('s')[0](5)"));
    w.show(&format!("g_{name}"));
    w.show(&format!(
        "{name}.__code__.co_cellvars, {name}.__code__.co_freevars"
    ));
    w.show("[f(1) for f in [lambda x, i=i: (x, i) for i in range(3)]]");
}

fn decorated(w: &mut Writer) {
    let name = w.fresh("deco");
    w.block(format!("def {name}(*da, **dk):"), |w| {
        w.line(format!("print('{name}', da, sorted(dk))"));
        w.block("def wrap(f):", |w| {
            w.line("print('wrap', getattr(f, '__name__', f))");
            if w.random.chance(60) {
                w.block("def new(*a, **k):", |w| w.line("return da, f(*a, **k)"));
                w.line("new.__name__ = 'new_' + getattr(f, '__name__', '?')");
                w.line("return new");
            } else {
                w.line("return f");
            }
        });
        w.line("return wrap");
    });
    let f = w.fresh("f");
    for _ in 0..w.random.between(1, 3) {
        let arguments = values::small(w.random);
        w.line(format!("@{name}({arguments})"));
    }
    if w.random.chance(50) {
        w.block(format!("def {f}(x, *y):"), |w| w.line("return x, y"));
    } else {
        w.block(format!("class {f}:"), |w| {
            w.line("def __init__(self, *a): print(a)")
        });
    }
    w.show(&format!("{f}.__name__, {f}.__qualname__"));
    let arguments = call(w.random);
    w.show(&format!("type({f}({arguments})).__name__"));
}
