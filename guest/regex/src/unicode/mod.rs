//! The character properties and case mappings that patterns depend on, as CPython 3.14 has them.

mod tables;

use std::sync::OnceLock;

use tables::{ALNUM, DECIMAL, LOWER, SAME_UPPER};

fn in_ranges(table: &[(u32, u32)], c: u32) -> bool {
    let after = table.partition_point(|&(first, _)| first <= c);
    after > 0 && c <= table[after - 1].1
}

fn overlaps(table: &[(u32, u32)], first: u32, last: u32) -> bool {
    let after = table.partition_point(|&(start, _)| start <= last);
    after > 0 && first <= table[after - 1].1
}

/// Word characters among the first 256.
static LATIN_WORD: [bool; 256] = latin_word();

const fn latin_word() -> [bool; 256] {
    let mut table = [false; 256];
    table[b'_' as usize] = true;
    let mut range = 0;
    while ALNUM[range].0 < 256 {
        let mut c = ALNUM[range].0;
        while c <= ALNUM[range].1 && c < 256 {
            table[c as usize] = true;
            c += 1;
        }
        range += 1;
    }
    table
}

/// Word characters of the basic plane, as bits; painted at the first use.
fn basic_word() -> &'static [u64; 1024] {
    static WORD: OnceLock<Box<[u64; 1024]>> = OnceLock::new();
    WORD.get_or_init(|| {
        let mut bits = Box::new([0; 1024]);
        for &(first, last) in ALNUM.iter().filter(|range| range.0 < 0x1_0000) {
            for c in first..=last.min(0xffff) {
                bits[(c >> 6) as usize] |= 1 << (c & 63);
            }
        }
        bits
    })
}

/// `\w` in Unicode patterns: `str.isalnum` or an underscore.
#[inline]
pub fn is_word(c: u32) -> bool {
    match c {
        0..256 => LATIN_WORD[c as usize],
        256..0x1_0000 => basic_word()[(c >> 6) as usize] >> (c & 63) & 1 != 0,
        _ => in_ranges(ALNUM, c),
    }
}

/// `\d` in Unicode patterns: general category Nd.
pub fn is_digit(c: u32) -> bool {
    // The first digits after the ASCII ones are the Arabic ones.
    if c < 0x660 {
        is_ascii_digit(c)
    } else {
        in_ranges(DECIMAL, c)
    }
}

/// `\s` in Unicode patterns: `str.isspace`.
pub fn is_space(c: u32) -> bool {
    matches!(c, 9..=13 | 28..=32 | 0x85 | 0xa0 | 0x1680 | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000)
}

/// `\w` under `re.ASCII` and in bytes patterns.
pub fn is_ascii_word(c: u32) -> bool {
    matches!(c, 0x30..=0x39 | 0x41..=0x5a | 0x5f | 0x61..=0x7a)
}

/// `\d` under `re.ASCII` and in bytes patterns.
pub fn is_ascii_digit(c: u32) -> bool {
    matches!(c, 0x30..=0x39)
}

/// `\s` under `re.ASCII` and in bytes patterns.
pub fn is_ascii_space(c: u32) -> bool {
    matches!(c, 9..=13 | 32)
}

/// Whether a word character lies in `first..=last` (both above 127).
pub fn range_has_word(first: u32, last: u32) -> bool {
    overlaps(ALNUM, first, last)
}

/// Whether a decimal digit lies in `first..=last`.
pub fn range_has_digit(first: u32, last: u32) -> bool {
    overlaps(DECIMAL, first, last)
}

/// The simple lowercase mapping.
pub fn lower(c: u32) -> u32 {
    if c < 128 {
        return ascii_lower(c);
    }
    let after = LOWER.partition_point(|&(first, ..)| first <= c);
    let (first, last, stride, delta) = LOWER[after - 1];
    if c <= last && (c - first).is_multiple_of(stride) {
        c.wrapping_add_signed(delta)
    } else {
        c
    }
}

/// Lowercase of ASCII letters only.
pub fn ascii_lower(c: u32) -> u32 {
    if (0x41..=0x5a).contains(&c) {
        c + 32
    } else {
        c
    }
}

/// Calls `each` with every character other than `c` whose lowercase is `c`.
pub fn for_each_upper(c: u32, mut each: impl FnMut(u32)) {
    if c < 128 {
        // ASCII letters, the Kelvin sign, and the capital I with a dot.
        if (0x61..=0x7a).contains(&c) {
            each(c - 32);
        }
        match c {
            0x69 => each(0x130),
            0x6b => each(0x212a),
            _ => {}
        }
        return;
    }
    for &(first, last, stride, delta) in LOWER {
        let source = c.wrapping_add_signed(-delta);
        if (first..=last).contains(&source) && (source - first).is_multiple_of(stride) {
            each(source);
        }
    }
}

/// Calls `each` with the lowercase of every character in `first..=last` that has one.
pub fn for_each_lowered(first: u32, last: u32, mut each: impl FnMut(u32)) {
    for &(run_first, run_last, stride, delta) in LOWER {
        if run_first > last || run_last < first {
            continue;
        }
        let mut c = run_first;
        while c <= run_last.min(last) {
            if c >= first {
                each(c.wrapping_add_signed(delta));
            }
            c += stride;
        }
    }
}

/// The lowercase characters that share their uppercase with the lowercase `c` (`c` among them), which
/// IGNORECASE treats as equal although their lowercase differs.
pub fn same_upper(c: u32) -> &'static [u32] {
    SAME_UPPER
        .iter()
        .find(|group| group.contains(&c))
        .copied()
        .unwrap_or(&[])
}

/// All groups of [`same_upper`].
pub fn same_upper_groups() -> &'static [&'static [u32]] {
    SAME_UPPER
}

/// `str.isidentifier`, but for the exceptions that compatibility normalisation makes.
pub fn is_identifier(name: &[u32]) -> bool {
    let mut chars = name
        .iter()
        .map(|&c| char::from_u32(c).unwrap_or('\u{fffd}'));
    let starts = chars
        .next()
        .is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c));
    starts && chars.all(unicode_ident::is_xid_continue)
}

/// `repr` of a string.
pub fn repr(text: &[u32]) -> String {
    let quote = if text.contains(&0x27) && !text.contains(&0x22) {
        '"'
    } else {
        '\''
    };
    let mut out = String::from(quote);
    for &code in text {
        match char::from_u32(code) {
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(c) if c == quote || c == '\\' => out.extend(['\\', c]),
            Some(c) if c.is_ascii_graphic() || c == ' ' => out.push(c),
            Some(c) if code >= 0xa1 && is_printable(c) => out.push(c),
            _ if code < 0x100 => out.push_str(&format!("\\x{code:02x}")),
            _ if code < 0x1_0000 => out.push_str(&format!("\\u{code:04x}")),
            _ => out.push_str(&format!("\\U{code:08x}")),
        }
    }
    out.push(quote);
    out
}

/// Whether `repr` shows the character as it is. `char::escape_debug` also escapes combining marks at the
/// start of a string; behind a base character it does not.
fn is_printable(c: char) -> bool {
    if is_space(u32::from(c)) {
        return false;
    }
    let text = ['a', c].iter().collect::<String>();
    text.escape_debug().eq(text.chars())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcuts_agree_with_the_tables() {
        for c in 0..=0x10_ffff {
            assert_eq!(
                is_word(c),
                c == u32::from('_') || in_ranges(ALNUM, c),
                "{c:x}"
            );
            assert_eq!(is_digit(c), in_ranges(DECIMAL, c), "{c:x}");
        }
        for c in 0..128 {
            let mut upper: Vec<u32> = (0..=0x10_ffff)
                .filter(|&u| u != c && lower(u) == c)
                .collect();
            for_each_upper(c, |u| {
                let at = upper
                    .iter()
                    .position(|&known| known == u)
                    .expect("is an uppercase");
                upper.remove(at);
            });
            assert_eq!(upper, [], "{c:x}");
        }
    }

    #[test]
    fn lower_agrees_with_std() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let known = lower(c.into());
            // The standard library may know letters of later versions.
            if known != u32::from(c) {
                assert_eq!(Some(known), c.to_lowercase().next().map(u32::from), "{c:?}");
            }
        }
    }
}
