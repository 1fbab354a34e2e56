//! Programs from a grammar: deterministic, ending by themselves, printing what they do, over the whole language.
//!
//! The rooms: [`values`] literals and expressions by type; [`methods`] calls of built-in methods and functions with fitting and odd arguments;
//! [`functions`] signatures and calls; [`flow`] statements that trace the way they take; [`classes`] classes and special methods;
//! [`generators`] generators, coroutines and what drives them; [`patterns`] match statements. All write Python text.
//!
//! What may differ by intention must not come up: order of sets of strings, addresses, texts that Python 3.14 changed.

mod classes;
mod flow;
mod functions;
mod generators;
mod methods;
mod patterns;
mod values;

use crate::random::Random;

/// What every program begins with: `t` prints the value of a call or the exception it raises.
pub(crate) const PRELUDE: &str = r#"def s(v):
    return v if isinstance(v, str) else repr(v)
def t(n, f, *a, **k):
    try:
        v = f(*a, **k)
        print(n, type(v).__name__, repr(v)[:500])
    except Exception as e:
        print(n, type(e).__name__, str(e)[:300])
class Er(Exception):
    pass
class Ob:
    def __init__(self, **k):
        self.__dict__.update(k)
    def __repr__(self):
        return "Ob(%s)" % ", ".join(f"{a}={v!r}" for a, v in sorted(self.__dict__.items()))
class Ix:
    def __init__(self, v):
        self.v = v
    def __index__(self):
        return self.v
    def __repr__(self):
        return f"Ix({self.v})"
class Sub(int):
    pass
class SubS(str):
    pass
class SubL(list):
    pass
class It:
    def __init__(self, *v):
        self.v = list(v)
    def __iter__(self):
        return self
    def __next__(self):
        if not self.v:
            raise StopIteration
        return self.v.pop(0)
    def __repr__(self):
        return "It()"
"#;

/// Lines of Python with their indentation, and names that are made as they are needed.
pub(crate) struct Writer<'a> {
    pub(crate) random: &'a mut Random,
    lines: Vec<String>,
    indent: usize,
    names: usize,
}

impl Writer<'_> {
    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.lines
            .push(format!("{}{}", "    ".repeat(self.indent), text.as_ref()));
    }

    /// Writes a header and what belongs to it.
    pub(crate) fn block(&mut self, header: impl AsRef<str>, body: impl FnOnce(&mut Self)) {
        self.line(header);
        self.indent += 1;
        let before = self.lines.len();
        body(self);
        if self.lines.len() == before {
            self.line("pass");
        }
        self.indent -= 1;
    }

    /// A name that nothing has yet.
    pub(crate) fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// A number for a line of output.
    pub(crate) fn tag(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    /// Writes a line that shows the value of an expression.
    pub(crate) fn show(&mut self, expression: &str) {
        let tag = self.tag();
        self.line(format!("t({tag}, lambda: {expression})"));
    }
}

/// A program.
pub fn program(random: &mut Random) -> String {
    let mut writer = Writer {
        random,
        lines: Vec::new(),
        indent: 0,
        names: 0,
    };
    for _ in 0..writer.random.between(2, 5) {
        match writer.random.below(12) {
            0..=3 => methods::section(&mut writer),
            4 | 5 => flow::section(&mut writer),
            6 => functions::section(&mut writer),
            7 | 8 => classes::section(&mut writer),
            9 | 10 => generators::section(&mut writer),
            _ => patterns::section(&mut writer),
        }
    }
    format!("{PRELUDE}{}\n", writer.lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_parse_and_depend_on_the_seed() {
        for index in 0..300 {
            let text = program(&mut Random::new(5, index));
            assert_eq!(text, program(&mut Random::new(5, index)));
            if let Err(error) = coldframe_frontend::parse_module(&text) {
                panic!("program {index}: {error}\n{text}");
            }
        }
    }
}
