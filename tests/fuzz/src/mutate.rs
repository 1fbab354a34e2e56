//! Changes programs at random: bytes, tokens, lines, and whole blocks from other programs. Knows text, no grammar beyond tokens and indentation.

use crate::random::Random;

/// A source is not made longer than this.
const MAX_LENGTH: usize = 20_000;

/// What is inserted somewhere: tokens, halves of tokens, and characters that scanners trip over.
const SNIPPETS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ";",
    ",",
    ".",
    "...",
    "->",
    ":=",
    "=",
    "==",
    "!=",
    "!",
    "**",
    "*",
    "//",
    "@",
    "~",
    "\\",
    "\\\n",
    "'",
    "\"",
    "'''",
    "\"\"\"",
    "f'",
    "f\"{",
    "t'{",
    "rb'",
    "bR\"",
    "f'{x!r:>{w}}'",
    "f'{x=}'",
    "f'''{\n1\n}'''",
    "f'{{}}{'",
    "f'{lambda x:1}'",
    "f'{(lambda x:1)}'",
    "f'{a:{b:{c}}}'",
    "f\"{'\"'}\"",
    "t'{a}' t'{b}'",
    "f'{x:%H:%M}'",
    "f'{a[\"b\"]}'",
    "\t",
    "    ",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\x0c",
    "\0",
    "\u{feff}",
    "\u{a0}",
    "\u{2028}",
    "é",
    "ﬁ",
    "𝔘",
    "ª",
    "漢",
    "\u{301}",
    "🎉",
    "٣",
    "0",
    "00",
    "0_0",
    "0x",
    "0xfg",
    "1__0",
    "1_",
    "1e",
    "1e400",
    "1e-400",
    "1.",
    ".1",
    "1j",
    "0b2",
    "0o8",
    "017",
    "1if 1else 2",
    "0xfor x",
    "9999999999999999999999999999",
    "1_000.5e+1_0J",
    "None",
    "True",
    "False",
    "__debug__",
    "_",
    "print",
    "__class__",
    "super()",
    "self",
    "x",
    "a.b.c",
    "a[b]",
    "f(*a, **k)",
    "if",
    "elif",
    "else",
    "for",
    "while",
    "break",
    "continue",
    "return",
    "yield",
    "yield from",
    "await",
    "async",
    "lambda",
    "lambda *, a: a",
    "def f(a, /, b, *, c): pass",
    "class C(B, metaclass=M): pass",
    "try:",
    "except",
    "except*",
    "finally:",
    "with",
    "as",
    "match",
    "case",
    "case _:",
    "case [a, *b]:",
    "case {'k': v, **r}:",
    "case C(x, y=1) | None:",
    "type",
    "type X[T] = T",
    "del",
    "global x",
    "nonlocal x",
    "import",
    "from . import",
    "from __future__ import annotations",
    "from __future__ import braces",
    "raise",
    "assert",
    "pass",
    "not",
    "in",
    "not in",
    "is",
    "is not",
    "and",
    "or",
    "*a, b = c",
    "a: int = 1",
    "x += 1",
    "(yield)",
    "[x for x in y]",
    "{k: v for k, v in z}",
    "(x async for x in y)",
    "print(x, end='')",
    "*",
    "**",
    "@d",
    "# coding: latin-1",
    "# -*- coding: utf-7 -*-",
    "\\N{DIGIT ONE}",
    "\\x4",
    "\\u12",
    "'\\N{BULLET}'",
    "b'\\xff'",
    "b'é'",
    "u'x'",
    "'a' b'b'",
    "exec('x')",
    "eval('1')",
    "locals()",
    "del x",
    "x.y = z",
    "x[::2] = y",
    "def g[T: int, *Ts, **P = int](x: T) -> T: yield x",
    "class C[T = int]: x: T",
    "async def h(): await x",
    "except (A, B) as e:",
    "try:\n    pass\nfinally:\n    pass\n",
    "while 1:\n    break\nelse:\n    pass\n",
    "with (a as b, c as d,): pass",
    "for x in *a, b: pass",
];

/// Makes a program from others.
pub fn mutate(random: &mut Random, programs: &[String]) -> String {
    let mut text = programs[random.below(programs.len())].clone();
    for _ in 0..=random.below(6) {
        text = once(random, &text, programs);
        if text.len() > MAX_LENGTH {
            let mut end = MAX_LENGTH;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
        }
    }
    text
}

fn once(random: &mut Random, text: &str, programs: &[String]) -> String {
    match random.below(14) {
        0 => bytes(random, text),
        1 | 2 => insert(random, text),
        3..=6 => tokens_changed(random, text, programs),
        7 | 8 => lines_changed(random, text),
        9..=11 => block_spliced(random, text, programs),
        12 => nested(random, text),
        _ => window(random, text),
    }
}

/// Changes bytes and takes what UTF-8 is left.
fn bytes(random: &mut Random, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        return String::new();
    }
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(3) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.below(128) as u8,
            _ => {
                bytes.remove(at);
                if bytes.is_empty() {
                    break;
                }
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn boundary(random: &mut Random, text: &str) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn insert(random: &mut Random, text: &str) -> String {
    let at = boundary(random, text);
    let snippet = random.pick(SNIPPETS);
    format!("{}{}{}", &text[..at], snippet, &text[at..])
}

/// Cuts text into tokens: words, numbers, strings on one line, runs of white space, and single other characters.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if first == ' ' || first == '\t' {
            rest.find(|c| c != ' ' && c != '\t').unwrap_or(rest.len())
        } else if first == '\'' || first == '"' {
            let line = rest.find('\n').unwrap_or(rest.len());
            rest[1..line].find(first).map_or(1, |end| end + 2)
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
    }
    tokens
}

fn tokens_changed(random: &mut Random, text: &str, programs: &[String]) -> String {
    let mut list = tokens(text);
    if list.is_empty() {
        return text.to_owned();
    }
    let other = tokens(&programs[random.below(programs.len())]);
    for _ in 0..=random.below(3) {
        let at = random.below(list.len());
        match random.below(6) {
            0 => {
                list.remove(at);
            }
            1 => list.insert(at, list[at]),
            2 => {
                let second = random.below(list.len());
                list.swap(at, second);
            }
            3 => list[at] = random.pick(SNIPPETS),
            4 if !other.is_empty() => list[at] = other[random.below(other.len())],
            _ => list[at] = list[random.below(list.len())],
        }
        if list.is_empty() {
            break;
        }
    }
    list.concat()
}

fn lines_changed(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    let at = random.below(lines.len());
    match random.below(6) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let second = random.below(lines.len());
            lines.swap(at, second);
        }
        3 => lines[at].insert_str(0, "    "),
        4 => {
            let shorter = lines[at].strip_prefix("    ").map(str::to_owned);
            if let Some(shorter) = shorter {
                lines[at] = shorter;
            }
        }
        _ => {
            let many = random.between(2, 200);
            let line = lines[at].clone();
            lines.splice(at..at, std::iter::repeat_n(line, many));
        }
    }
    lines.concat()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Takes a statement with its block from some program and puts it in with the indentation that is there.
fn block_spliced(random: &mut Random, text: &str, programs: &[String]) -> String {
    let source = &programs[random.below(programs.len())];
    let source: Vec<&str> = source.split_inclusive('\n').collect();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if source.is_empty() || lines.is_empty() {
        return text.to_owned();
    }
    let from = random.below(source.len());
    let indent = indent_of(source[from]);
    let mut to = from + 1;
    while to < source.len()
        && (source[to].trim().is_empty() || indent_of(source[to]) > indent)
        && to - from < 30
    {
        to += 1;
    }
    let at = random.below(lines.len() + 1);
    let room = lines.get(at).map_or(0, |line| indent_of(line));
    let mut out: String = lines[..at].concat();
    if random.chance(15) {
        // Inside something that changes the meaning of what is in it.
        let header = random.pick(&[
            "while True:",
            "for i in range(3):",
            "def f(a, *b, c=1, **d):",
            "async def f():",
            "class C:",
            "try:",
            "with x as y:",
            "if (y := 1):",
            "match x:\n     case _:",
            "lambda:",
        ]);
        out.push_str(&" ".repeat(room));
        out.push_str(header);
        out.push('\n');
        for line in &source[from..to] {
            out.push_str(&" ".repeat(room + 8));
            out.push_str(line.get(indent..).unwrap_or("\n"));
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
        if header == "try:" {
            out.push_str(&" ".repeat(room));
            out.push_str(random.pick(&[
                "finally: pass\n",
                "except: pass\n",
                "except* E as e: raise\n",
            ]));
        }
    } else {
        for line in &source[from..to] {
            out.push_str(&" ".repeat(room));
            out.push_str(line.get(indent..).unwrap_or("\n"));
        }
    }
    out.push_str(&lines[at..].concat());
    out
}

/// Puts deep nesting somewhere.
fn nested(random: &mut Random, text: &str) -> String {
    let depth = match random.below(3) {
        0 => random.between(2, 20),
        1 => random.between(20, 320),
        _ => random.between(300, 3000),
    };
    let (open, close) = *random.pick(&[
        &("(", ")"),
        &("[", "]"),
        &("{", "}"),
        &("f(", ")"),
        &("x[", "]"),
        &("-", ""),
        &("not ", ""),
        &("lambda: ", ""),
        &("await ", ""),
        &("a + ", ""),
        &("a ** ", ""),
        &("a if b else ", ""),
        &("", ".a"),
        &("", "()"),
        &("", "[0]"),
        &("", " + 1"),
        &("", " and 1"),
        &("", " < 1"),
        &("[x for x in ", "]"),
        &("(yield ", ")"),
        &("f'{", "}'"),
        &("{1: ", "}"),
        &("*", ""),
        &("(a := ", ")"),
        &("if 1:\n", "pass"),
        &("x = ", ""),
        &("@", "\n"),
        &("f\"{f'{", "}'}\""),
        &("(*", ",)"),
        &("", " | 1"),
        &("x: ", ""),
        &("f'{x:{", "}}'"),
    ]);
    let list = tokens(text);
    let from = random.below(list.len().max(1));
    let to = (from + random.between(0, 8)).min(list.len());
    let from = from.min(to);
    format!(
        "{}{}{}{}{}",
        list[..from].concat(),
        open.repeat(depth),
        list[from..to].concat(),
        close.repeat(depth),
        list[to..].concat()
    )
}

/// Cuts the text to a part of it.
fn window(random: &mut Random, text: &str) -> String {
    let mut from = boundary(random, text);
    let mut to = boundary(random, text);
    if from > to {
        std::mem::swap(&mut from, &mut to);
    }
    if random.chance(50) {
        text[from..to].to_owned()
    } else {
        format!("{}{}", &text[..from], &text[to..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_lose_nothing() {
        let text = "x = 'a b' + \"c\n  d\"  # é\n\tf(1.5)\n";
        assert_eq!(tokens(text).concat(), text);
        assert!(tokens(text).contains(&"'a b'"));
    }

    #[test]
    fn mutation_depends_on_the_seed() {
        let programs = vec!["def f(x):\n    return x + 1\n\n\nprint(f(2))\n".to_owned()];
        for index in 0..200 {
            let make = || mutate(&mut Random::new(1, index), &programs);
            assert_eq!(make(), make());
        }
    }
}
