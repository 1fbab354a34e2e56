//! Text of string literals as WTF-8, and the clean-up of documentation strings.

/// Appends the literal whose source text (between the quotes) is `source` and whose value the parser gave as `value`, with U+FFFD
/// where there was a surrogate escape.
///
/// All other escapes have been decoded by the parser, so only the replacement characters are looked at: each comes from a
/// surrogate escape, or from a U+FFFD that the source has itself in one form or another.
pub(crate) fn decode(source: &str, value: &str, text: &mut Vec<u8>) {
    let mut replacements = replacements(source).into_iter();
    for char in value.chars() {
        if char == '\u{fffd}' {
            let code = replacements.next().unwrap_or(0xfffd);
            push_code(text, code);
        } else {
            let mut buffer = [0; 4];
            text.extend_from_slice(char.encode_utf8(&mut buffer).as_bytes());
        }
    }
}

/// The code points in `source` that the parser shows as U+FFFD, in order.
fn replacements(source: &str) -> Vec<u32> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(char) = rest.chars().next() {
        rest = &rest[char.len_utf8()..];
        if char == '\u{fffd}' {
            found.push(0xfffd);
        }
        if char != '\\' {
            continue;
        }
        let Some(kind) = rest.chars().next() else {
            break;
        };
        rest = &rest[kind.len_utf8()..];
        let digits = match kind {
            'u' => 4,
            'U' => 8,
            'N' => {
                let end = rest.find('}').map_or(rest.len(), |end| end + 1);
                if rest[..end].eq_ignore_ascii_case("{replacement character}") {
                    found.push(0xfffd);
                }
                rest = &rest[end..];
                continue;
            }
            _ => continue,
        };
        let Some(code) = rest.get(..digits) else {
            continue;
        };
        rest = &rest[digits..];
        if let Ok(code @ (0xd800..=0xdfff | 0xfffd)) = u32::from_str_radix(code, 16) {
            found.push(code);
        }
    }
    found
}

/// Appends a code point, which may be a surrogate.
fn push_code(text: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(char) => {
            let mut buffer = [0; 4];
            text.extend_from_slice(char.encode_utf8(&mut buffer).as_bytes());
        }
        None => text.extend_from_slice(&[
            0xe0 | (code >> 12) as u8,
            0x80 | (code >> 6 & 0x3f) as u8,
            0x80 | (code & 0x3f) as u8,
        ]),
    }
}

/// Source text of an expression without its comments, which `f"{x = }"` does not show.
pub fn without_comments(text: String) -> String {
    if !text.contains('#') {
        return text;
    }
    let mut result = String::new();
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('#', None) => {
                // The end of the line stays.
                if chars.by_ref().any(|char| char == '\n') {
                    result.push('\n');
                }
                continue;
            }
            ('\'' | '"', None) => quote = Some(char),
            ('\\', Some(_)) => {
                result.push(char);
                result.extend(chars.next());
                continue;
            }
            (char, Some(open)) if char == open => quote = None,
            _ => {}
        }
        result.push(char);
    }
    result
}

/// A documentation string without the indentation that its lines after the first have in common (what `inspect.cleandoc` does,
/// except that blank lines stay).
pub(crate) fn clean_doc(text: &[u8]) -> Vec<u8> {
    let expanded = expand_tabs(text);
    let lines: Vec<&[u8]> = expanded.split(|byte| *byte == b'\n').collect();
    let margin = lines
        .iter()
        .skip(1)
        .filter_map(|line| line.iter().position(|byte| *byte != b' '))
        .min();
    let mut cleaned = Vec::with_capacity(expanded.len());
    for (index, line) in lines.iter().enumerate() {
        let spaces = line.iter().take_while(|byte| **byte == b' ').count();
        let cut = match (index, margin) {
            (0, _) => spaces,
            (_, Some(margin)) => spaces.min(margin),
            (_, None) => 0,
        };
        if index > 0 {
            cleaned.push(b'\n');
        }
        cleaned.extend_from_slice(&line[cut..]);
    }
    cleaned
}

fn expand_tabs(text: &[u8]) -> Vec<u8> {
    let mut expanded = Vec::with_capacity(text.len());
    let mut column = 0;
    for &byte in text {
        match byte {
            b'\t' => {
                let spaces = 8 - column % 8;
                expanded.extend(std::iter::repeat_n(b' ', spaces));
                column += spaces;
            }
            b'\n' | b'\r' => {
                expanded.push(byte);
                column = 0;
            }
            byte => {
                expanded.push(byte);
                // Columns count characters, not the bytes that continue one.
                if byte & 0xc0 != 0x80 {
                    column += 1;
                }
            }
        }
    }
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_surrogates() {
        let mut text = Vec::new();
        decode(
            "a\\ud800b\\\\ufffd\\N{DIGIT ONE}",
            "a\u{fffd}b\\ufffd1",
            &mut text,
        );
        assert_eq!(text, b"a\xed\xa0\x80b\\ufffd1");
    }

    #[test]
    fn cleans_documentation() {
        let text = b"  First.\n\n    Second\n      third\n    ";
        assert_eq!(clean_doc(text), b"First.\n\nSecond\n  third\n");
        assert_eq!(clean_doc(b"one line"), b"one line");
    }
}
