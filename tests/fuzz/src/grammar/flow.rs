//! Statements that trace the way they take: loops, `try`, `with`, `return`, `break`, unpacking, augmented assignment, `del`, exceptions with chains.

use super::Writer;
use super::values::{self, Kind};

const CONTEXT: &str = r#"class Cm:
    def __init__(self, n, swallow=False, fail=None):
        self.n, self.swallow, self.fail = n, swallow, fail
    def __enter__(self):
        print("enter", self.n)
        if self.fail == "enter":
            raise Er("enter")
        return self.n
    def __exit__(self, et, ev, tb):
        print("exit", self.n, et and et.__name__, ev, tb is not None)
        if self.fail == "exit":
            raise Er("exit")
        return self.swallow"#;

/// What a place in a function allows.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    in_loop: bool,
    /// Inside `except*`, where `return` is not allowed (nor `break` of a loop outside of it).
    star: bool,
}

/// A function of nested statements, called some times.
pub(crate) fn section(w: &mut Writer) {
    w.line(CONTEXT);
    let name = w.fresh("flow");
    w.block(format!("def {name}(n, l):"), |w| {
        w.line("i = j = 0");
        w.line("x = s = None");
        w.line("d = {}");
        for _ in 0..w.random.between(2, 4) {
            statement(
                w,
                Place {
                    depth: 3,
                    in_loop: false,
                    star: false,
                },
            );
        }
        w.line("return 'end', i, j, s, x");
    });
    for n in 0..w.random.between(2, 4) {
        let list = values::literal(w.random, Kind::List, 1);
        w.line(format!("print('call', {n})"));
        w.show(&format!("{name}({n}, {list})"));
    }
}

fn statements(w: &mut Writer, place: Place) {
    let place = Place {
        depth: place.depth.saturating_sub(1),
        ..place
    };
    for _ in 0..w.random.between(1, 3) {
        statement(w, place);
    }
}

fn condition(w: &mut Writer) -> String {
    w.random
        .pick(&[
            "n",
            "not n",
            "n > 1",
            "n == 1",
            "i % 2",
            "i < 2",
            "j",
            "l",
            "len(l) > 2",
            "n in (1, 2)",
            "x is None",
            "(y := n) and y < 3",
            "0 < n < 3",
            "i and j or n",
            "not (n and l)",
            "s",
        ])
        .to_owned()
}

fn simple(w: &mut Writer, place: Place) {
    let tag = w.tag();
    let r = &mut *w.random;
    let line = match r.below(22) {
        0 => format!("print({tag}, i, j, x)"),
        1 => "i += 1".to_owned(),
        2 => "j -= n".to_owned(),
        3 => format!("x = {}", values::literal(r, Kind::Any, 0)),
        4 => format!("s = {}", values::string(r)),
        5 => format!("raise Er({tag})"),
        6 => format!(
            "raise {}",
            r.pick(&[
                "ValueError('v')",
                "KeyError('k')",
                "TypeError",
                "Er('a') from ValueError('b')",
                "Er('c') from None",
                "StopIteration(1)",
                "ExceptionGroup('g', [Er(1), ValueError(2)])",
                "5",
                "Er from 5",
                "OSError(2, 'no')",
                "BaseException('b')"
            ])
        ),
        7 => format!(
            "{} = l",
            r.pick(&[
                "a, b",
                "a, *b",
                "*a, b",
                "(a, b), c",
                "[a]",
                "a, (b, *c)",
                "*a,",
                "d['u'], *d['v']"
            ])
        ),
        8 => format!(
            "d[{}] = {}",
            r.pick(&["n", "i", "'k'", "l"]),
            r.pick(&["i", "x", "l", "d"])
        ),
        9 => format!(
            "d[{}] {} {}",
            r.pick(&["n", "i", "'k'"]),
            r.pick(&["+=", "-=", "*=", "//=", "|=", "%="]),
            r.pick(&["1", "i", "'z'", "[1]"])
        ),
        10 => format!("l[{}] = {}", values::subscript(r), values::small(r)),
        11 => format!("l[{}] += {}", values::index(r), values::odd(r)),
        12 => format!(
            "del {}",
            r.pick(&[
                "x",
                "d[n]",
                "l[0]",
                "l[1:]",
                "a",
                "(i, j)",
                "d['k'], x",
                "l[::2]"
            ])
        ),
        13 => format!(
            "assert {}, {}",
            r.pick(&["n", "not n", "l", "0"]),
            r.pick(&["'msg'", "i", "(1, 2)"])
        ),
        14 => "print(sorted(d, key=str), len(l))".to_owned(),
        15 if !place.star => format!(
            "return {}",
            r.pick(&["i", "'r', i", "print('ret')", "n / n", "[*l, n]", "l[n]"])
        ),
        16 if place.in_loop => "break".to_owned(),
        17 if place.in_loop => "continue".to_owned(),
        18 => format!(
            "i = {}",
            r.pick(&[
                "1 // n",
                "l[n]",
                "d['k']",
                "len(l)",
                "int(x)",
                "x.attr",
                "n + x",
                "undefined",
                "a",
                "x[0]",
                "max(l)",
                "sum(l)"
            ])
        ),
        19 => "x = x, i".to_owned(),
        20 => "x = [i for i in range(n) if i]".to_owned(),
        _ => format!("s = f'{{i}}{tag}{{x!r:.20}}'"),
    };
    w.line(line);
}

fn statement(w: &mut Writer, place: Place) {
    if place.depth == 0 {
        return simple(w, place);
    }
    match w.random.below(13) {
        0 => branch(w, place),
        1 | 2 => looped(w, place),
        3..=6 => tried(w, place),
        7 | 8 => {
            let n = w.tag();
            let option = w
                .random
                .pick(&[
                    "",
                    "",
                    ", True",
                    ", True",
                    ", fail='enter'",
                    ", fail='exit'",
                    ", True, 'exit'",
                ])
                .to_owned();
            let header = match w.random.below(4) {
                0 => format!("with Cm({n}{option}) as x, Cm({n} + 1000) as s:"),
                1 => format!("with (Cm({n}), Cm({n} + 1000{option}) as d['w']):"),
                2 => format!("with Cm({n}{option}):"),
                _ => format!("with Cm({n}{option}) as x:"),
            };
            w.block(header, |w| statements(w, place));
        }
        9 => {
            let name = w.fresh("h");
            w.block(format!("def {name}(z=i):"), |w| {
                if w.random.chance(40) {
                    w.line("nonlocal i, x");
                }
                let inner = Place {
                    in_loop: false,
                    star: false,
                    ..place
                };
                // Names of the outer function are read, and bound here unless declared.
                w.block("try:", |w| statements(w, inner));
                w.line("except NameError as e: print('name', e)");
                w.line("return z");
            });
            w.line(format!("x = {name}()"));
        }
        _ => simple(w, place),
    }
}

fn branch(w: &mut Writer, place: Place) {
    let c = condition(w);
    w.block(format!("if {c}:"), |w| statements(w, place));
    while w.random.chance(30) {
        let c = condition(w);
        w.block(format!("elif {c}:"), |w| statements(w, place));
    }
    if w.random.chance(50) {
        w.block("else:", |w| statements(w, place));
    }
}

fn looped(w: &mut Writer, place: Place) {
    let inner = Place {
        in_loop: true,
        ..place
    };
    let tag = w.tag();
    if w.random.chance(60) {
        let target = w
            .random
            .pick(&["i", "j", "x", "x, *s", "d['t']", "i, j", "k"])
            .to_owned();
        let source = w
            .random
            .pick(&[
                "range(3)",
                "l",
                "range(n)",
                "'ab'",
                "enumerate('xy')",
                "list(l)[:3]",
                "zip(l, 'abc')",
                "sorted(d, key=str)",
                "(q for q in range(n))",
                "{1: 2}",
                "[(1, 2), (3, 4)]",
                "x",
            ])
            .to_owned();
        // Lists may grow in the loop.
        w.line(format!("c{tag} = 0"));
        w.block(format!("for {target} in {source}:"), |w| {
            w.line(format!("c{tag} += 1"));
            w.line(format!("if c{tag} > 5: break"));
            statements(w, inner);
        });
    } else {
        w.line(format!("c{tag} = 0"));
        let c = condition(w);
        w.block(format!("while {c}:"), |w| {
            w.line(format!("c{tag} += 1"));
            w.line(format!("if c{tag} > 4: break"));
            statements(w, inner);
        });
    }
    if w.random.chance(35) {
        w.block("else:", |w| {
            w.line(format!("print('else', {tag})"));
            statements(w, place);
        });
    }
}

fn tried(w: &mut Writer, place: Place) {
    let tag = w.tag();
    let group = !place.star && w.random.chance(15);
    w.block("try:", |w| statements(w, place));
    let inner = Place {
        star: place.star || group,
        in_loop: place.in_loop && !group,
        ..place
    };
    let mut handlers = 0;
    while w.random.chance(65) && handlers < 3 {
        handlers += 1;
        let class = w
            .random
            .pick(&[
                "Er",
                "ValueError",
                "(KeyError, IndexError)",
                "Exception",
                "ZeroDivisionError",
                "TypeError",
                "LookupError",
                "(Er, TypeError)",
                "NameError",
                "AttributeError",
                "BaseException",
            ])
            .to_owned();
        let star = if group { "*" } else { "" };
        let header = if w.random.chance(60) {
            format!("except{star} {class} as e:")
        } else {
            format!("except{star} {class}:")
        };
        let named = header.contains(" as e");
        w.block(header, |w| {
            if named {
                w.line(format!("print({tag}, 'caught', type(e).__name__, e, repr(e.__context__), repr(e.__cause__), e.__suppress_context__)"));
            } else {
                w.line(format!("print({tag}, 'caught')"));
            }
            if !inner.star && w.random.chance(15) {
                w.line("raise");
            } else {
                statements(w, inner);
            }
        });
    }
    if handlers > 0 && !group && w.random.chance(20) {
        w.block("except:", |w| {
            w.line("import sys; print(type(sys.exception()).__name__)");
            statements(w, place);
        });
    }
    if handlers > 0 && w.random.chance(35) {
        w.block("else:", |w| {
            w.line(format!("print({tag}, 'else')"));
            statements(w, place);
        });
    }
    if handlers == 0 || w.random.chance(45) {
        w.block("finally:", |w| {
            w.line(format!("print({tag}, 'finally')"));
            statements(w, place);
        });
    }
}
