//! `str.format`: templates with fields in braces (library reference, "Format String Syntax").

use super::percent::ascii;
use super::{Str, decode_char, unicode};
use crate::heap::Ref;
use crate::names;
use crate::objects::dict::Dict;
use crate::objects::native::receiver;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// A replacement field as it stands in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// What it shows.
    pub name: &'a [u8],
    /// The conversion's code point.
    pub conversion: Option<u32>,
    /// The format specification, in which fields may be nested.
    pub spec: &'a [u8],
    /// Whether there are nested fields.
    pub nested: bool,
}

/// Reads a template from left to right.
pub struct Template<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Template<'a> {
    /// The parts of a template from a position on.
    pub fn new(text: &'a [u8], at: usize) -> Self {
        Template { text, at }
    }

    /// How far it was read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Literal text, and the field behind it if there is one; the error is the text of a `ValueError`.
    #[allow(clippy::type_complexity)] // a part of a template is just that
    pub fn next_part(&mut self) -> Result<Option<(&'a [u8], Option<Field<'a>>)>, &'static str> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return Ok(None);
        }
        let Some(brace) = memchr::memchr2(b'{', b'}', rest) else {
            self.at = self.text.len();
            return Ok(Some((rest, None)));
        };
        let doubled = rest.get(brace + 1) == Some(&rest[brace]);
        if doubled {
            // Two braces stand for one, which belongs to the text before.
            self.at += brace + 2;
            return Ok(Some((&rest[..=brace], None)));
        }
        if rest[brace] == b'}' {
            return Err("Single '}' encountered in format string");
        }
        if brace + 1 == rest.len() {
            return Err("Single '{' encountered in format string");
        }
        self.at += brace + 1;
        let field = self.field()?;
        Ok(Some((&rest[..brace], Some(field))))
    }

    fn next(&mut self) -> Option<u8> {
        let b = self.text.get(self.at).copied();
        self.at += usize::from(b.is_some());
        b
    }

    fn field(&mut self) -> Result<Field<'a>, &'static str> {
        let start = self.at;
        let end = loop {
            match self.next() {
                Some(b'{') => return Err("unexpected '{' in field name"),
                Some(b'[') => {
                    // Anything may be between brackets.
                    let close = memchr::memchr(b']', &self.text[self.at..]);
                    self.at = close.map_or(self.text.len(), |i| self.at + i);
                }
                Some(end @ (b'}' | b':' | b'!')) => break end,
                Some(_) => {}
                None => return Err("expected '}' before end of string"),
            }
        };
        let name = &self.text[start..self.at - 1];
        let mut field = Field {
            name,
            conversion: None,
            spec: b"",
            nested: false,
        };
        if end == b'}' {
            return Ok(field);
        }
        if end == b'!' {
            let Some(_) = self.text.get(self.at) else {
                return Err("end of string while looking for conversion specifier");
            };
            let (c, n) = decode_char(&self.text[self.at..]);
            self.at += n;
            field.conversion = Some(c);
            match self.next() {
                Some(b'}') => return Ok(field),
                Some(b':') => {}
                Some(_) => return Err("expected ':' after conversion specifier"),
                None => return Err("unmatched '{' in format spec"),
            }
        }
        let start = self.at;
        let mut depth = 1;
        loop {
            match self.next() {
                Some(b'{') => {
                    field.nested = true;
                    depth += 1;
                }
                Some(b'}') => {
                    depth -= 1;
                    if depth == 0 {
                        field.spec = &self.text[start..self.at - 1];
                        return Ok(field);
                    }
                }
                Some(_) => {}
                None => return Err("unmatched '{' in format spec"),
            }
        }
    }
}

/// The first part of a field's name.
#[derive(Debug, PartialEq, Eq)]
pub enum First<'a> {
    /// Nothing: numbered automatically.
    Empty,
    /// A number.
    Number(usize),
    /// A name.
    Name(&'a [u8]),
}

/// A further part of a field's name.
#[derive(Debug, PartialEq, Eq)]
pub enum Access<'a> {
    /// `.name`
    Attribute(&'a [u8]),
    /// `[number]`
    Index(usize),
    /// `[text]`
    Key(&'a [u8]),
}

const TOO_MANY_DIGITS: &str = "Too many decimal digits in format string";

/// A number if the text consists of digits.
fn number(text: &[u8]) -> Result<Option<usize>, &'static str> {
    if text.is_empty() {
        return Ok(None);
    }
    let mut n: i64 = 0;
    for c in super::chars_of(text) {
        let Some(d) = unicode::decimal(c) else {
            return Ok(None);
        };
        n = n
            .checked_mul(10)
            .and_then(|n| n.checked_add(d as i64))
            .ok_or(TOO_MANY_DIGITS)?;
    }
    Ok(Some(usize::try_from(n).unwrap_or(usize::MAX)))
}

/// Splits a field's name into its first part and the rest.
pub fn split_name(name: &[u8]) -> Result<(First<'_>, &[u8]), &'static str> {
    let end = name
        .iter()
        .position(|b| matches!(b, b'.' | b'['))
        .unwrap_or(name.len());
    let (first, rest) = name.split_at(end);
    Ok(match number(first)? {
        Some(n) => (First::Number(n), rest),
        None if first.is_empty() => (First::Empty, rest),
        None => (First::Name(first), rest),
    })
}

/// The next part of what [`split_name`] left.
pub fn next_access<'a>(rest: &mut &'a [u8]) -> Result<Option<Access<'a>>, &'static str> {
    let text = *rest;
    match text {
        [] => Ok(None),
        [b'.', text @ ..] => {
            let end = text
                .iter()
                .position(|b| matches!(b, b'.' | b'['))
                .unwrap_or(text.len());
            *rest = &text[end..];
            if end == 0 {
                return Err("Empty attribute in format string");
            }
            Ok(Some(Access::Attribute(&text[..end])))
        }
        [b'[', text @ ..] => {
            let end = memchr::memchr(b']', text).ok_or("Missing ']' in format string")?;
            *rest = &text[end + 1..];
            if end == 0 {
                return Err("Empty attribute in format string");
            }
            Ok(Some(match number(&text[..end])? {
                Some(n) => Access::Index(n),
                None => Access::Key(&text[..end]),
            }))
        }
        _ => Err("Only '.' or '[' may follow ']' in format field specifier"),
    }
}

/// Where the values of names come from.
enum Names<'a> {
    Keywords(Args<'a>),
    Mapping(&'a Value),
}

/// How fields without a number are numbered.
#[derive(Clone, Copy)]
enum Numbering {
    Unknown,
    Automatic(usize),
    Manual,
}

struct Formatter<'a> {
    positional: &'a [Value],
    names: Names<'a>,
    numbering: Numbering,
}

/// `template.format(*args, **kwargs)`; the template is the first positional argument.
pub fn format(vm: &mut Vm, args: Args) -> R {
    let template = receiver::<Str>(&args.positional()[0]);
    let args = args.tail();
    let mut f = Formatter {
        positional: args.positional(),
        names: Names::Keywords(args),
        numbering: Numbering::Unknown,
    };
    let mut out = Vec::with_capacity(template.as_bytes().len() + 32);
    f.run(vm, template.as_bytes(), &mut out, 2)?;
    Ok(Str::value_wtf8(&out))
}

/// `template.format_map(mapping)`
pub fn format_map(vm: &mut Vm, args: &[Value]) -> R {
    let template = receiver::<Str>(&args[0]);
    let mut f = Formatter {
        positional: &[],
        names: Names::Mapping(&args[1]),
        numbering: Numbering::Unknown,
    };
    let mut out = Vec::with_capacity(template.as_bytes().len() + 32);
    f.run(vm, template.as_bytes(), &mut out, 2)?;
    Ok(Str::value_wtf8(&out))
}

impl Formatter<'_> {
    fn run(&mut self, vm: &mut Vm, text: &[u8], out: &mut Vec<u8>, depth: u32) -> R<()> {
        if depth == 0 {
            return Err(vm.value_error("Max string recursion exceeded"));
        }
        let mut template = Template::new(text, 0);
        loop {
            let (literal, field) = match template.next_part() {
                Ok(Some(part)) => part,
                Ok(None) => return Ok(()),
                Err(message) => return Err(vm.value_error(message)),
            };
            out.extend_from_slice(literal);
            if let Some(field) = field {
                self.field(vm, &field, out, depth)?;
            }
            if out.len() > 1 << 24 {
                vm.text_size(out.len() * 2)?;
            }
        }
    }

    fn field(&mut self, vm: &mut Vm, field: &Field, out: &mut Vec<u8>, depth: u32) -> R<()> {
        let mut v = self.value(vm, field.name)?;
        if let Some(c) = field.conversion {
            v = match char::from_u32(c) {
                // CPython's mark for "no conversion".
                Some('\0') => v,
                Some('s') => vm.str(&v)?.to_value(),
                Some('r') => vm.repr(&v)?.to_value(),
                Some('a') => ascii(vm, &v)?.to_value(),
                Some(c @ '!'..='~') => {
                    return Err(vm.value_error(format!("Unknown conversion specifier {c}")));
                }
                _ => return Err(vm.value_error(format!("Unknown conversion specifier \\x{c:x}"))),
            };
        }
        if field.spec.is_empty() {
            if let Some(s) = v.as_exact::<Str>() {
                out.extend_from_slice(s.as_bytes());
                return Ok(());
            }
            if let Some(i) = v.as_small_int() {
                let mut text = String::with_capacity(20);
                coldframe_numeric::int_text::push_i64(&mut text, i);
                out.extend_from_slice(text.as_bytes());
                return Ok(());
            }
        }
        let text = if field.nested {
            let mut spec = Vec::new();
            self.run(vm, field.spec, &mut spec, depth - 1)?;
            vm.format(&v, &Str::from_wtf8(&spec))?
        } else if field.spec.is_empty() {
            vm.format(&v, &names::Names::get().empty)?
        } else {
            vm.format(&v, &Str::from_wtf8(field.spec))?
        };
        out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn value(&mut self, vm: &mut Vm, name: &[u8]) -> R {
        let (first, mut rest) = match split_name(name) {
            Ok(split) => split,
            Err(message) => return Err(vm.value_error(message)),
        };
        let mut v = match first {
            First::Name(name) => self.named(vm, name)?,
            First::Number(n) => {
                if let Numbering::Automatic(_) = self.numbering {
                    return Err(vm.value_error("cannot switch from automatic field numbering to manual field specification"));
                }
                self.numbering = Numbering::Manual;
                self.numbered(vm, n)?
            }
            First::Empty => {
                let n = match self.numbering {
                    Numbering::Unknown => 0,
                    Numbering::Automatic(n) => n,
                    Numbering::Manual => {
                        return Err(vm.value_error("cannot switch from manual field specification to automatic field numbering"));
                    }
                };
                self.numbering = Numbering::Automatic(n + 1);
                self.numbered(vm, n)?
            }
        };
        loop {
            v = match next_access(&mut rest) {
                Ok(None) => return Ok(v),
                Ok(Some(Access::Attribute(name))) => {
                    let name = names::intern_wtf8(name).to_value();
                    if let Some(text) = name.as_ref::<Str>().cloned() {
                        vm.check_dunder(&text)?;
                    }
                    vm.check_reflection_by(&v, &name)?;
                    vm.get_attr(&v, &name)?
                }
                Ok(Some(Access::Index(n))) => vm.get_item(&v, &Value::int(n as i64))?,
                Ok(Some(Access::Key(key))) => vm.get_item(&v, &Str::value_wtf8(key))?,
                Err(message) => return Err(vm.value_error(message)),
            };
        }
    }

    fn numbered(&mut self, vm: &mut Vm, n: usize) -> R {
        if let Names::Mapping(_) = self.names {
            return Err(vm.value_error("Format string contains positional fields"));
        }
        match self.positional.get(n) {
            Some(v) => Ok(v.clone()),
            None => Err(vm.index_error(format!(
                "Replacement index {n} out of range for positional args tuple"
            ))),
        }
    }

    fn named(&mut self, vm: &mut Vm, name: &[u8]) -> R {
        match &self.names {
            Names::Keywords(args) => {
                match args.keywords().find(|(key, _)| key.as_bytes() == name) {
                    Some((_, v)) => Ok(v.clone()),
                    None => Err(vm.key_error(&Str::value_wtf8(name))),
                }
            }
            Names::Mapping(mapping) => {
                let key = Str::value_wtf8(name);
                if let Some(d) = mapping.as_exact::<Dict>() {
                    return match d.get_item(vm, &key)? {
                        Some(v) => Ok(v),
                        None => Err(vm.key_error(&key)),
                    };
                }
                vm.get_item(mapping, &key)
            }
        }
    }
}

/// `str.__format__(spec)`
pub fn format_str(vm: &mut Vm, s: &Ref<Str>, spec: &Str, type_name: &str) -> R {
    if spec.is_empty() {
        return Ok(s.to_value());
    }
    let text = coldframe_numeric::format_value::format_text(
        s.as_bytes(),
        s.len(),
        spec.as_bytes(),
        type_name,
    );
    let text = vm.numeric(text)?;
    Ok(Str::value_wtf8(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_come_apart() -> Result<(), &'static str> {
        let mut t = Template::new(b"a{{b}} {x.y[0]!r:>{w}}", 0);
        assert_eq!(t.next_part()?, Some((&b"a{"[..], None)));
        assert_eq!(t.next_part()?, Some((&b"b}"[..], None)));
        let field = Field {
            name: b"x.y[0]",
            conversion: Some('r' as u32),
            spec: b">{w}",
            nested: true,
        };
        assert_eq!(t.next_part()?, Some((&b" "[..], Some(field))));
        assert_eq!(t.next_part()?, None);
        assert_eq!(
            Template::new(b"}", 0).next_part(),
            Err("Single '}' encountered in format string")
        );
        assert_eq!(
            Template::new(b"{", 0).next_part(),
            Err("Single '{' encountered in format string")
        );
        Ok(())
    }

    #[test]
    fn names_come_apart() -> Result<(), &'static str> {
        let (first, mut rest) = split_name(b"0.a[1][k]")?;
        assert_eq!(first, First::Number(0));
        assert_eq!(next_access(&mut rest)?, Some(Access::Attribute(b"a")));
        assert_eq!(next_access(&mut rest)?, Some(Access::Index(1)));
        assert_eq!(next_access(&mut rest)?, Some(Access::Key(b"k")));
        assert_eq!(next_access(&mut rest)?, None);
        assert_eq!(split_name(b"")?.0, First::Empty);
        Ok(())
    }
}
