//! Generators, coroutines and asynchronous generators, and what drives them by hand.

use super::Writer;

const AWAITABLE: &str = r#"class Aw:
    def __init__(self, *v):
        self.v = v
    def __await__(self):
        got = []
        for v in self.v:
            got.append((yield v))
        return got
class Ac:
    def __init__(self, swallow=False):
        self.swallow = swallow
    async def __aenter__(self):
        print("aenter", await Aw("in"))
        return self
    async def __aexit__(self, *e):
        print("aexit", e[0] and e[0].__name__, await Aw("out"))
        return self.swallow
class Ai:
    def __init__(self, n):
        self.n = n
    def __aiter__(self):
        return self
    async def __anext__(self):
        self.n -= 1
        if self.n < 0:
            raise StopAsyncIteration
        return (self.n, await Aw(self.n))
def drive(c, *script):
    for op in (None,) + script:
        try:
            if op is None or isinstance(op, (int, str)):
                print("->", repr(c.send(op)))
            elif op is GeneratorExit:
                print("closed", c.close())
            else:
                print("threw", repr(c.throw(op)))
        except BaseException as e:
            print("!", type(e).__name__, e, repr(e.__context__), repr(e.__cause__))"#;

/// A generator or coroutine, and steps that drive it.
pub(crate) fn section(w: &mut Writer) {
    w.line(AWAITABLE);
    let name = w.fresh("gen");
    let kind = w.random.below(5);
    let header = if kind < 3 { "def" } else { "async def" };
    w.block(format!("{header} {name}(n, *sub):"), |w| {
        w.line("x = i = None");
        for _ in 0..w.random.between(2, 4) {
            statement(w, 3, kind, false);
        }
        match kind {
            0..=2 => {
                w.line("yield 'last'");
                if w.random.chance(60) {
                    w.line("return 'value', x");
                }
            }
            3 => w.line("return 'value', x, await Aw('last')"),
            _ => w.line("yield 'last'"),
        }
    });
    for _ in 0..w.random.between(2, 4) {
        let n = w.random.below(4);
        let mut script = Vec::new();
        for _ in 0..w.random.between(1, 6) {
            script.push(
                w.random
                    .pick(&[
                        "1",
                        "'s'",
                        "None",
                        "None",
                        "None",
                        "Er('t')",
                        "ValueError('v')",
                        "GeneratorExit",
                        "StopIteration('si')",
                        "GeneratorExit()",
                        "KeyError",
                        "StopAsyncIteration()",
                    ])
                    .to_owned(),
            );
        }
        let script = script.join(", ");
        if kind == 4 {
            asynchronous(w, &name, n, &script);
        } else {
            let sub = w
                .random
                .pick(&["", ", [1, 2]", ", 'ab'", ", iter((7,))", ", 5"])
                .to_owned();
            w.line(format!("print('drive', {n})"));
            w.line(format!("drive({name}({n}{sub}), {script})"));
        }
    }
    if kind < 3 {
        let g = w.fresh("g");
        w.line(format!("{g} = {name}(2)"));
        let expression = w
            .random
            .pick(&[
                "list({g})",
                "[*{g}]",
                "next({g}), next({g}, 'd')",
                "sum(1 for _ in {g})",
                "dict(enumerate({g}))",
                "'yield' in {g}",
                "(lambda a, *b: (a, b))(*{g})",
                "tuple(zip({g}, {g}))",
                "max({g}, key=str)",
                "{g}.gi_frame is None, {g}.gi_running, {g}.gi_suspended, {g}.gi_yieldfrom",
                "[x for x in {g} for _ in (1, 2)]",
                "sorted({g}, key=repr)",
            ])
            .replace("{g}", &g);
        w.show(&expression);
        w.show(&format!("{g}.gi_frame is None, next({g}, 'done')"));
    }
}

fn asynchronous(w: &mut Writer, name: &str, n: usize, script: &str) {
    let user = w.fresh("use");
    w.block(format!("async def {user}():"), |w| {
        w.line(format!("a = {name}({n})"));
        w.block("try:", |w| match w.random.below(4) {
            0 => w.line("return [x async for x in a]"),
            1 => {
                w.block("async for x in a:", |w| {
                    w.line("print('item', x)");
                    if w.random.chance(40) {
                        w.line("break");
                    }
                });
                w.line("else: print('else')");
                w.line("await a.aclose()");
            }
            2 => {
                w.line("print(await a.asend(None))");
                w.line("print(await a.asend('v'))");
                w.line("print(await a.athrow(Er('at')))");
            }
            _ => {
                w.line("print(await anext(a))");
                w.line("print(await anext(a, 'default'))");
                w.line("await a.aclose()");
                w.line("print(await anext(a, 'default'))");
            }
        });
        w.line("finally: print('user done')");
    });
    w.line(format!("drive({user}(), {script})"));
}

fn statement(w: &mut Writer, depth: usize, kind: usize, in_loop: bool) {
    let tag = w.tag();
    if depth == 0 || w.random.chance(35) {
        let coroutine = kind == 3;
        let line = match w.random.below(11) {
            0..=2 if !coroutine => format!("x = yield ({tag}, x)"),
            0 if kind == 3 => format!("x = await Aw({tag}, i)"),
            1 | 2 if kind >= 3 => format!("x = await Aw({tag})"),
            3 if kind < 3 => format!(
                "x = yield from {}",
                w.random.pick(&[
                    "sub",
                    "[1, 2]",
                    "range(n)",
                    "(x for x in sub)",
                    "sub[0]",
                    "iter('ab')",
                    "5",
                    "It(n)"
                ])
            ),
            3 if kind == 3 => format!(
                "x = {}",
                w.random.pick(&[
                    "[y async for y in Ai(n)]",
                    "{y: z async for y, z in Ai(2)}",
                    "[await Aw(k) for k in range(n)]",
                    "await 5",
                    "await Aw()"
                ])
            ),
            4 => format!(
                "raise {}",
                w.random.pick(&[
                    "Er('in')",
                    "StopIteration('x')",
                    "ValueError",
                    "GeneratorExit",
                    "StopAsyncIteration"
                ])
            ),
            5 => format!("print({tag}, n, x)"),
            6 if in_loop => w.random.pick(&["break", "continue"]).to_owned(),
            7 => {
                if kind == 4 {
                    "return".to_owned()
                } else {
                    "return 'early'".to_owned()
                }
            }
            8 => "n += 1".to_owned(),
            _ => {
                if coroutine {
                    format!("x = await Aw({tag}, 'w')")
                } else {
                    format!("x = yield {tag}")
                }
            }
        };
        return w.line(line);
    }
    let d = depth - 1;
    match w.random.below(6) {
        0 | 1 => {
            w.block("try:", |w| {
                for _ in 0..w.random.between(1, 2) {
                    statement(w, d, kind, in_loop);
                }
            });
            let caught = w.random.chance(65);
            if caught {
                let class = w
                    .random
                    .pick(&[
                        "Er",
                        "ValueError",
                        "GeneratorExit",
                        "BaseException",
                        "StopIteration",
                        "RuntimeError",
                        "Exception",
                    ])
                    .to_owned();
                w.block(format!("except {class} as e:"), |w| {
                    w.line(format!(
                        "print({tag}, 'caught', repr(e), repr(e.__context__))"
                    ));
                    statement(w, d, kind, in_loop);
                });
            }
            if !caught || w.random.chance(50) {
                w.block("finally:", |w| {
                    w.line(format!("print({tag}, 'finally')"));
                    if w.random.chance(40) {
                        statement(w, d, kind, in_loop);
                    }
                });
            }
        }
        2 | 3 => {
            let header = if kind >= 3 && w.random.chance(40) {
                "async for i in Ai(2):".to_owned()
            } else {
                format!(
                    "for i in {}:",
                    w.random.pick(&["range(n)", "range(2)", "sub", "'ab'"])
                )
            };
            w.block(header, |w| {
                for _ in 0..w.random.between(1, 2) {
                    statement(w, d, kind, true);
                }
            });
        }
        4 if kind >= 3 => {
            let option = w.random.pick(&["", "True"]).to_owned();
            w.block(format!("async with Ac({option}) as c:"), |w| {
                statement(w, d, kind, in_loop)
            });
        }
        _ => {
            let c = w.random.pick(&["n", "x", "not x", "i", "n > 1"]).to_owned();
            w.block(format!("if {c}:"), |w| statement(w, d, kind, in_loop));
        }
    }
}
