//! Tokens of markup: where the one at the beginning of a text ends. Nothing here knows what they mean.

use super::chars::{is_char, is_name_char, is_name_start, is_space};

/// Why there is no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The text ends within it.
    Incomplete,
    /// It is not well formed at this place.
    Invalid(usize),
}

/// A place in the text.
pub type Scan = Result<usize, Stop>;

/// The character at a place, and where the next one is.
pub fn char_at(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let first = *text.get(at)?;
    if first < 0x80 {
        return Some((first as u32, at + 1));
    }
    let size = match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    };
    let bits = text.get(at + 1..at + size)?;
    let start = first as u32 & (0x7F >> size);
    Some((
        bits.iter().fold(start, |c, &b| c << 6 | (b & 0x3F) as u32),
        at + size,
    ))
}

fn next(text: &[u8], at: usize) -> Result<(u32, usize), Stop> {
    char_at(text, at).ok_or(Stop::Incomplete)
}

/// The end of a name.
pub fn name(text: &[u8], at: usize) -> Scan {
    let (c, mut end) = next(text, at)?;
    if !is_name_start(c) {
        return Err(Stop::Invalid(at));
    }
    loop {
        let (c, after) = next(text, end)?;
        if !is_name_char(c) {
            return Ok(end);
        }
        end = after;
    }
}

/// The end of white space, which may be empty.
pub fn space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&b| is_space(b)) {
        at += 1;
    }
    at
}

/// The end of `what`, which must be next.
pub fn exact(text: &[u8], at: usize, what: &[u8]) -> Scan {
    for (i, &b) in what.iter().enumerate() {
        match text.get(at + i) {
            None => return Err(Stop::Incomplete),
            Some(&found) if found != b => return Err(Stop::Invalid(at + i)),
            _ => {}
        }
    }
    Ok(at + what.len())
}

/// The end of a reference that begins with `&`.
pub fn reference(text: &[u8], at: usize) -> Scan {
    let (c, after) = next(text, at + 1)?;
    if c != b'#' as u32 {
        let end = name(text, at + 1)?;
        return exact(text, end, b";");
    }
    let (mut end, hex) = match next(text, after)? {
        (0x78, after) => (after, true),
        _ => (after, false),
    };
    let first = end;
    loop {
        let (c, after) = next(text, end)?;
        let digit = char::from_u32(c).is_some_and(|c| c.is_digit(if hex { 16 } else { 10 }));
        if c == b';' as u32 && end > first {
            return Ok(after);
        }
        if !digit {
            return Err(Stop::Invalid(end));
        }
        end = after;
    }
}

/// The character that `&#...;` stands for.
pub fn char_reference(text: &[u8]) -> Option<char> {
    let digits = std::str::from_utf8(text.get(2..text.len() - 1)?).ok()?;
    let code = match digits.strip_prefix('x') {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    char::from_u32(code.ok()?).filter(|&c| is_char(c as u32))
}

/// The end of a comment, which begins with `<!--`.
pub fn comment(text: &[u8], at: usize) -> Scan {
    let mut end = exact(text, at, b"<!--")?;
    loop {
        let (c, after) = next(text, end)?;
        if !is_char(c) {
            return Err(Stop::Invalid(end));
        }
        if c == b'-' as u32 && next(text, after)?.0 == b'-' as u32 {
            return match next(text, after + 1)? {
                (0x3E, end) => Ok(end),
                _ => Err(Stop::Invalid(after + 1)),
            };
        }
        end = after;
    }
}

/// The ends of target and whole of a processing instruction, which begins with `<?`.
pub fn instruction(text: &[u8], at: usize) -> Result<(usize, usize), Stop> {
    let target = name(text, at + 2)?;
    let mut end = target;
    if !is_space(text[end]) {
        return match exact(text, end, b"?>") {
            Ok(end) => Ok((target, end)),
            Err(Stop::Invalid(_)) => Err(Stop::Invalid(end)),
            Err(stop) => Err(stop),
        };
    }
    loop {
        let (c, after) = next(text, end)?;
        if !is_char(c) {
            return Err(Stop::Invalid(end));
        }
        if c == b'?' as u32 && next(text, after)?.0 == b'>' as u32 {
            return Ok((target, after + 1));
        }
        end = after;
    }
}

/// The end of a literal in quotes.
pub fn literal(text: &[u8], at: usize) -> Scan {
    let (quote, mut end) = next(text, at)?;
    if !matches!(quote, 0x22 | 0x27) {
        return Err(Stop::Invalid(at));
    }
    loop {
        let (c, after) = next(text, end)?;
        if !is_char(c) {
            return Err(Stop::Invalid(end));
        }
        if c == quote {
            return Ok(after);
        }
        end = after;
    }
}

/// A start tag: what is where.
pub struct StartTag {
    /// The end of the name, which begins after `<`.
    pub name: usize,
    /// Name and value (without quotes) of the attributes, as ranges.
    pub attributes: Vec<(std::ops::Range<usize>, std::ops::Range<usize>)>,
    /// Whether it ends with `/>`.
    pub empty: bool,
    /// Its end.
    pub end: usize,
}

/// The start tag that begins here with `<`.
pub fn start_tag(text: &[u8], at: usize) -> Result<StartTag, Stop> {
    let end_of_name = name(text, at + 1)?;
    let mut tag = StartTag {
        name: end_of_name,
        attributes: Vec::new(),
        empty: false,
        end: 0,
    };
    let mut at = end_of_name;
    loop {
        let after = space(text, at);
        let (c, next_at) = next(text, after)?;
        match c {
            0x3E => {
                tag.end = next_at;
                return Ok(tag);
            }
            0x2F => {
                tag.end = match exact(text, next_at, b">") {
                    Err(Stop::Invalid(at)) => return Err(Stop::Invalid(at)),
                    other => other?,
                };
                tag.empty = true;
                return Ok(tag);
            }
            _ if after == at => return Err(Stop::Invalid(after)),
            _ => {}
        }
        let key_end = name(text, after)?;
        let equals = exact(text, space(text, key_end), b"=")?;
        let open = space(text, equals);
        let (quote, mut end) = next(text, open)?;
        if !matches!(quote, 0x22 | 0x27) {
            return Err(Stop::Invalid(open));
        }
        let first = end;
        loop {
            let (c, after) = next(text, end)?;
            if c == quote {
                break;
            }
            if c == b'&' as u32 {
                end = reference(text, end)?;
                continue;
            }
            if c == b'<' as u32 || !is_char(c) {
                return Err(Stop::Invalid(end));
            }
            end = after;
        }
        tag.attributes.push((after..key_end, first..end));
        at = end + 1;
    }
}

/// The ends of name and whole of the end tag that begins here with `</`.
pub fn end_tag(text: &[u8], at: usize) -> Result<(usize, usize), Stop> {
    let end_of_name = name(text, at + 2)?;
    let end = exact(text, space(text, end_of_name), b">")?;
    Ok((end_of_name, end))
}

/// The end of a declaration (`<!NAME ... >`): `>` outside quotes.
pub fn declaration(text: &[u8], at: usize) -> Scan {
    let mut end = at + 2;
    loop {
        let (c, after) = next(text, end)?;
        match c {
            0x3E => return Ok(after),
            0x22 | 0x27 => end = literal(text, end)?,
            0x3C => return Err(Stop::Invalid(end)),
            _ if !is_char(c) => return Err(Stop::Invalid(end)),
            _ => end = after,
        }
    }
}

/// The words of a declaration: names (with the marks at their ends), literals, signs; with `spaces`, the white space too.
pub fn words(text: &str, spaces: bool) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b if is_space(b) => {
                let end = space(bytes, at);
                if spaces {
                    found.push(&text[at..end]);
                }
                at = end;
                continue;
            }
            b'"' | b'\'' => literal(bytes, at).unwrap_or(bytes.len()),
            b'<' if bytes.get(at + 1) == Some(&b'!') => {
                let mut end = at + 2;
                while bytes.get(end).is_some_and(|b| b.is_ascii_alphabetic()) {
                    end += 1;
                }
                end
            }
            b'%' | b'#' if bytes.get(at + 1).is_some_and(|&b| !is_space(b)) => {
                let mut end = name_end(bytes, at + 1);
                if bytes[at] == b'%' && bytes.get(end) == Some(&b';') {
                    end += 1;
                }
                end.max(at + 1)
            }
            _ => {
                let end = name_end(bytes, at);
                if end > at {
                    end
                } else {
                    char_at(bytes, at).map_or(bytes.len(), |(_, end)| end)
                }
            }
        };
        found.push(&text[at..end]);
        at = end;
    }
    found
}

/// The end of name characters.
fn name_end(text: &[u8], mut at: usize) -> usize {
    while let Some((c, after)) = char_at(text, at)
        && is_name_char(c)
    {
        at = after;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_end_where_they_should() {
        assert_eq!(comment(b"<!-- a - b -->x", 0), Ok(14));
        assert_eq!(comment(b"<!-- a -- b -->", 0), Err(Stop::Invalid(9)));
        assert_eq!(reference(b"&#x41;", 0), Ok(6));
        assert_eq!(reference(b"&#;", 0), Err(Stop::Invalid(2)));
        assert_eq!(char_reference(b"&#65;"), Some('A'));
        assert_eq!(instruction(b"<?a b?>", 0), Ok((3, 7)));
        let tag =
            start_tag(b"<a b='1' c = \"2\"/>", 0).map(|t| (t.attributes.len(), t.empty, t.end));
        assert_eq!(tag.ok(), Some((2, true, 18)));
        assert_eq!(
            start_tag(b"<a b='1'c='2'>", 0).err(),
            Some(Stop::Invalid(8))
        );
        assert_eq!(start_tag(b"<a b", 0).err(), Some(Stop::Incomplete));
        assert_eq!(
            words("<!ENTITY a 'b c'>", false),
            ["<!ENTITY", "a", "'b c'", ">"]
        );
    }
}
