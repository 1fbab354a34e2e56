//! Signatures of native functions, parsed: most of them while the interpreter is compiled.
//!
//! This knows Python's notation of parameters and nothing of values; [`Args::bind`](crate::vm::args::Args::bind) fits arguments to it.

/// A parsed signature.
pub struct Params {
    /// Names of the parameters that can be given by position, then of the keyword-only ones.
    pub names: &'static [&'static str],
    /// How many of them are positional-only.
    pub posonly: usize,
    /// How many can be given by position.
    pub positional: usize,
    /// Which have no default (bit `i`: parameter `i`).
    pub required: u32,
    /// How many positional ones are required.
    pub min: usize,
}

/// A signature in Python's notation, parsed by the compiler: a `&'static Params`. A call of a native function must not cost the parsing of its signature.
#[macro_export]
macro_rules! params {
    ($signature:expr) => {{
        const COUNT: usize = $crate::objects::params::count($signature);
        const NAMES: [&str; COUNT] = $crate::objects::params::names($signature);
        const PARAMS: &$crate::objects::params::Params =
            &$crate::objects::params::Params::with_names($signature, &NAMES);
        PARAMS
    }};
}

/// What stands between two commas of a signature.
#[derive(Clone, Copy)]
enum Part {
    /// `/`: those before it are positional-only.
    Slash,
    /// `*`, `*args` or `**kwargs`: those behind it are keyword-only.
    Star,
    Parameter {
        name: &'static str,
        has_default: bool,
    },
}

/// The parts of a signature that are still to come.
#[derive(Clone, Copy)]
struct Parts(&'static str);

/// Where a byte is first found, or the length of the text.
const fn find(text: &str, byte: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != byte {
        at += 1;
    }
    at
}

/// The text before a byte, and that behind it.
const fn cut(text: &'static str, byte: u8) -> (&'static str, &'static str) {
    let at = find(text, byte);
    if at == text.len() {
        return (text, "");
    }
    (text.split_at(at).0, text.split_at(at + 1).1)
}

impl Parts {
    const fn of(signature: &'static str) -> Parts {
        let text = signature.trim_ascii();
        let bytes = text.as_bytes();
        assert!(
            bytes.len() >= 2 && bytes[0] == b'(' && bytes[bytes.len() - 1] == b')',
            "a signature stands in parentheses"
        );
        Parts(text.split_at(bytes.len() - 1).0.split_at(1).1)
    }

    /// The next part, and those behind it. Default values contain no commas.
    const fn next(self) -> Option<(Part, Parts)> {
        let mut rest = self.0;
        while !rest.is_empty() {
            let (part, behind) = cut(rest, b',');
            let part = part.trim_ascii();
            rest = behind;
            if part.is_empty() {
                continue;
            }
            let found = match part.as_bytes() {
                b"/" => Part::Slash,
                [b'*', ..] => Part::Star,
                _ => Part::Parameter {
                    name: cut(part, b'=').0.trim_ascii(),
                    has_default: find(part, b'=') < part.len(),
                },
            };
            return Some((found, Parts(rest)));
        }
        None
    }
}

/// How many parameters a signature names.
pub const fn count(signature: &'static str) -> usize {
    let (mut parts, mut count) = (Parts::of(signature), 0);
    while let Some((part, rest)) = parts.next() {
        if let Part::Parameter { .. } = part {
            count += 1;
        }
        parts = rest;
    }
    count
}

/// Their names; `N` is what [`count`] says.
pub const fn names<const N: usize>(signature: &'static str) -> [&'static str; N] {
    let (mut parts, mut found, mut count) = (Parts::of(signature), [""; N], 0);
    while let Some((part, rest)) = parts.next() {
        if let Part::Parameter { name, .. } = part {
            found[count] = name;
            count += 1;
        }
        parts = rest;
    }
    found
}

impl Params {
    /// Parses a signature whose parameters have these names; [`params!`](crate::params) is the way to it.
    pub const fn with_names(signature: &'static str, names: &'static [&'static str]) -> Params {
        let mut p = Params {
            names,
            posonly: 0,
            positional: 0,
            required: 0,
            min: 0,
        };
        let (mut parts, mut count, mut keyword_only) = (Parts::of(signature), 0, false);
        while let Some((part, rest)) = parts.next() {
            match part {
                Part::Slash => p.posonly = count,
                Part::Star => keyword_only = true,
                Part::Parameter { has_default, .. } => {
                    if !has_default {
                        p.required |= 1 << count;
                    }
                    count += 1;
                    if !keyword_only {
                        p.positional += 1;
                        if !has_default {
                            p.min = p.positional;
                        }
                    }
                }
            }
            parts = rest;
        }
        p
    }

    /// Parses a signature while the interpreter boots.
    pub fn parse(signature: &'static str) -> Params {
        let (mut parts, mut names) = (Parts::of(signature), Vec::new());
        while let Some((part, rest)) = parts.next() {
            if let Part::Parameter { name, .. } = part {
                names.push(name);
            }
            parts = rest;
        }
        Params::with_names(signature, names.leak())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_same_parsed_early_and_late() {
        const TEXT: &str = "(self, data=b'', /, size = -1, *args, key, limit=None, **rest)";
        for p in [params!(TEXT), &Params::parse(TEXT)] {
            assert_eq!(p.names, ["self", "data", "size", "key", "limit"]);
            assert_eq!((p.posonly, p.positional, p.min), (2, 3, 1));
            assert_eq!(p.required, 0b1001);
        }
        let none = params!("()");
        assert!(none.names.is_empty() && none.required == 0);
    }
}
