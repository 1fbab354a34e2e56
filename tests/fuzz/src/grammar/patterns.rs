//! `match` statements with all patterns.

use super::Writer;
use super::values::{self, Kind};
use crate::random::Random;

const CLASSES: &str = r#"class Pt:
    __match_args__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __repr__(self):
        return f"Pt({self.x}, {self.y})"
class Bad:
    __match_args__ = ["x"]
    x = 1
class Sq:
    def __len__(self): return 2
    def __getitem__(self, i): return i
import collections.abc
collections.abc.Sequence.register(Sq)
class Co:
    ONE, NAME = 1, 'abc'"#;

/// A pattern. Names that it binds are taken from `names`, so that none is bound twice.
fn pattern(random: &mut Random, depth: usize, names: &mut Vec<&str>) -> String {
    let leaf = depth == 0;
    match random.below(if leaf { 5 } else { 13 }) {
        0 => random
            .pick(&[
                "0", "1", "-1", "'abc'", "b'x'", "1.5", "-2.0", "1+2j", "''", "2", "'a' 'bc'",
                "True",
            ])
            .to_owned(),
        1 => random.pick(&["None", "True", "False"]).to_owned(),
        2 => names.pop().map_or("None".to_owned(), str::to_owned),
        3 => "int() | str()".to_owned(),
        4 => random.pick(&["Co.ONE", "Co.NAME"]).to_owned(),
        5 | 6 => {
            let mut items: Vec<String> = (0..random.below(4))
                .map(|_| closed(random, depth - 1, names))
                .collect();
            if random.chance(45) {
                let at = random.below(items.len() + 1);
                let star = if random.chance(30) {
                    "*_".to_owned()
                } else {
                    names.pop().map_or("*_".to_owned(), |n| format!("*{n}"))
                };
                items.insert(at, star);
            }
            let open = random.chance(50);
            match (open, items.len()) {
                (true, _) => format!("[{}]", items.join(", ")),
                (false, 1) => format!("({},)", items[0]),
                (false, _) => format!("({})", items.join(", ")),
            }
        }
        7 | 8 => {
            let mut keys = vec!["'a'", "1", "'b'", "None", "Co.NAME", "2"];
            let mut items: Vec<String> = (0..random.below(3))
                .map(|_| {
                    let key = keys.remove(random.below(keys.len()));
                    format!("{key}: {}", pattern(random, depth - 1, names))
                })
                .collect();
            if random.chance(35)
                && let Some(name) = names.pop()
            {
                items.push(format!("**{name}"));
            }
            format!("{{{}}}", items.join(", "))
        }
        9 | 10 => {
            let class = random
                .pick(&[
                    "Pt", "int", "str", "list", "dict", "tuple", "Bad", "Ob", "float", "bytes",
                    "object", "bool",
                ])
                .to_owned();
            let mut items: Vec<String> = (0..random.below(3))
                .map(|_| pattern(random, depth - 1, names))
                .collect();
            for name in ["x", "y", "real"] {
                if random.chance(20) {
                    items.push(format!("{name}={}", pattern(random, depth - 1, names)));
                }
            }
            format!("{class}({})", items.join(", "))
        }
        11 => {
            // Alternatives bind nothing here, so that they bind the same.
            let mut none = Vec::new();
            let a = alternative(random, depth - 1, &mut none);
            let b = alternative(random, depth - 1, &mut none);
            format!("({a} | {b})")
        }
        _ => match names.pop() {
            Some(name) => format!("({} as {name})", alternative(random, depth - 1, names)),
            None => "_".to_owned(),
        },
    }
}

fn closed(random: &mut Random, depth: usize, names: &mut Vec<&str>) -> String {
    pattern(random, depth, names)
}

/// A pattern that may stand before `|`: one that can fail.
fn alternative(random: &mut Random, depth: usize, names: &mut Vec<&str>) -> String {
    let mut text = pattern(random, depth, names);
    if text == "_" || text.chars().all(|c| c.is_ascii_lowercase()) {
        text = "7".to_owned();
    }
    text
}

/// A function that matches, called with several subjects.
pub(crate) fn section(w: &mut Writer) {
    w.line(CLASSES);
    let name = w.fresh("mt");
    w.block(format!("def {name}(v):"), |w| {
        w.line("p = q = r = u = t_ = None");
        w.block("match v:", |w| {
            for number in 0..w.random.between(1, 5) {
                let mut names = vec!["u", "r", "q", "p"];
                let mut text = alternative(w.random, 3, &mut names);
                if w.random.chance(30) {
                    text.push_str(w.random.pick(&[
                        " if p",
                        " if not q",
                        " if (t_ := r) or True",
                        " if v",
                        " if p < 2",
                        " if len(u)",
                    ]));
                }
                w.block(format!("case {text}:"), |w| {
                    w.line(format!("return {number}, p, q, r, u"))
                });
            }
            if w.random.chance(40) {
                w.line("case _: return 'default'");
            }
        });
        w.line("return 'none'");
    });
    for _ in 0..w.random.between(4, 9) {
        let subject = match w.random.below(5) {
            0 => w
                .random
                .pick(&[
                    "Pt(1, 2)",
                    "Pt(None, 'abc')",
                    "Pt([1], {'a': 1})",
                    "Bad()",
                    "Sq()",
                    "Ob(x=1, y=None)",
                    "Ob(x=Pt(1, 1))",
                    "1+2j",
                    "True",
                    "bytearray(b'x')",
                    "range(2)",
                ])
                .to_owned(),
            1 => w
                .random
                .pick(&[
                    "{'a': 1}",
                    "{'a': 1, 'b': [1, 2]}",
                    "{1: None, 2: 'abc'}",
                    "{'abc': 1, None: 0}",
                    "{}",
                    "[{'a': 1}, 2]",
                    "(1, (2, 3))",
                    "[1, [2, 'abc']]",
                    "'ab'",
                    "b'ab'",
                ])
                .to_owned(),
            2 => values::literal(w.random, Kind::List, 1),
            3 => values::literal(w.random, Kind::Dict, 1),
            _ => values::odd(w.random),
        };
        w.show(&format!("{name}({subject})"));
    }
}
