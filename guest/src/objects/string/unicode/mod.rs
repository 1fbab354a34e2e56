//! Properties of characters, as `str`'s methods and `unicodedata` ask for them: Unicode 16, the version of Python 3.14.
//!
//! Characters are code points, lone surrogates included. Case mappings come from Rust's standard library where they agree; it knows a later
//! Unicode version, so what it says about characters that are not assigned yet in version 16 is left out.

mod decompositions;
pub mod extra;
mod sequences;
mod tables;
mod version_3_2;

use super::push_char;

/// Short names of the general categories, in the order of [`Category`].
pub const CATEGORY_NAMES: [&str; 30] = [
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi",
    "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
];

pub(crate) const BIDI_NAMES: [&str; 24] = [
    "", "L", "LRE", "LRO", "R", "AL", "RLE", "RLO", "PDF", "EN", "ES", "ET", "AN", "CS", "NSM",
    "BN", "B", "S", "WS", "ON", "LRI", "RLI", "FSI", "PDI",
];

pub(crate) const WIDTH_NAMES: [&str; 6] = ["N", "A", "H", "W", "F", "Na"];

/// General categories.
#[allow(missing_docs)] // the names are Unicode's
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Category {
    Lu,
    Ll,
    Lt,
    Lm,
    Lo,
    Mn,
    Mc,
    Me,
    Nd,
    Nl,
    No,
    Pc,
    Pd,
    Ps,
    Pe,
    Pi,
    Pf,
    Po,
    Sm,
    Sc,
    Sk,
    So,
    Zs,
    Zl,
    Zp,
    Cc,
    Cf,
    Cs,
    Co,
    Cn,
}

const CATEGORIES: [Category; 30] = {
    use Category::*;
    [
        Lu, Ll, Lt, Lm, Lo, Mn, Mc, Me, Nd, Nl, No, Pc, Pd, Ps, Pe, Pi, Pf, Po, Sm, Sc, Sk, So, Zs,
        Zl, Zp, Cc, Cf, Cs, Co, Cn,
    ]
};

/// The run that a code point is in: its first code point and its value.
fn run(table: &[u32], c: u32) -> (u32, u8) {
    // The first run begins at 0, so there is always one.
    let packed = table[table.partition_point(|&r| r >> 8 <= c).saturating_sub(1)];
    (packed >> 8, packed as u8)
}

/// The general category.
pub fn category(c: u32) -> Category {
    CATEGORIES[run(&tables::CATEGORIES, c).1 as usize]
}

/// The bidirectional class, empty for unassigned code points.
pub fn bidirectional(c: u32) -> &'static str {
    BIDI_NAMES[run(&tables::BIDI, c).1 as usize]
}

/// The East Asian width.
pub fn east_asian_width(c: u32) -> &'static str {
    WIDTH_NAMES[run(&tables::WIDTHS, c).1 as usize]
}

/// Whether the character is mirrored in right-to-left text.
pub fn mirrored(c: u32) -> bool {
    run(&tables::MIRRORED, c).1 != 0
}

/// `str.isalpha`
#[inline]
pub fn is_alpha(c: u32) -> bool {
    if c < 0x80 {
        (c as u8).is_ascii_alphabetic()
    } else {
        category(c) <= Category::Lo
    }
}

/// The value of a decimal digit.
#[inline]
pub fn decimal(c: u32) -> Option<u32> {
    if c < 0x80 {
        return (c as u8).is_ascii_digit().then(|| c - '0' as u32);
    }
    let (first, category) = run(&tables::CATEGORIES, c);
    // Decimal digits come in runs of ten.
    (category == Category::Nd as u8).then(|| (c - first) % 10)
}

/// The value of a digit, superscripts and the like included.
pub fn digit(c: u32) -> Option<u32> {
    if c < 0x80 {
        return decimal(c);
    }
    decimal(c).or_else(|| {
        let at = tables::DIGITS.partition_point(|&d| d >> 8 < c);
        tables::DIGITS
            .get(at)
            .filter(|&&d| d >> 8 == c)
            .map(|d| d & 0xFF)
    })
}

/// The value of a character that stands for a number: numerator and denominator.
pub fn numeric(c: u32) -> Option<(i64, i64)> {
    if let Some(d) = decimal(c) {
        return Some((d as i64, 1));
    }
    if c < 0x80 {
        return None;
    }
    let at = tables::NUMERIC
        .partition_point(|&(first, ..)| first <= c)
        .checked_sub(1)?;
    let (first, count, numerator, denominator) = tables::NUMERIC[at];
    (c - first < count).then(|| (numerator + (c - first) as i64, denominator))
}

/// Whether the character is alphabetic or a number.
#[inline]
pub fn is_alnum(c: u32) -> bool {
    if c < 0x80 {
        return (c as u8).is_ascii_alphanumeric();
    }
    is_alpha(c) || decimal(c).is_some() || digit(c).is_some() || numeric(c).is_some()
}

/// `str.isspace`
#[inline]
pub fn is_space(c: u32) -> bool {
    matches!(c, 9..=13 | 0x1C..=0x20 | 0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000)
}

/// Whether the character ends a line.
#[inline]
pub fn is_line_break(c: u32) -> bool {
    matches!(c, 10..=13 | 0x1C..=0x1E | 0x85 | 0x2028 | 0x2029)
}

/// `str.isprintable`
#[inline]
pub fn is_printable(c: u32) -> bool {
    if c < 0x7F {
        c >= 0x20
    } else {
        category(c) < Category::Zs
    }
}

fn assigned(c: u32) -> bool {
    category(c) != Category::Cn
}

/// Whether the character is lower case (derived property `Lowercase`).
#[inline]
pub fn is_lower(c: u32) -> bool {
    if c < 0x80 {
        (c as u8).is_ascii_lowercase()
    } else {
        char::from_u32(c).is_some_and(char::is_lowercase) && assigned(c)
    }
}

/// Whether the character is upper case (derived property `Uppercase`).
#[inline]
pub fn is_upper(c: u32) -> bool {
    if c < 0x80 {
        (c as u8).is_ascii_uppercase()
    } else {
        char::from_u32(c).is_some_and(char::is_uppercase) && assigned(c)
    }
}

/// Whether the character is in title case.
pub fn is_title(c: u32) -> bool {
    c >= 0x80 && category(c) == Category::Lt
}

/// Whether the character has case.
#[inline]
pub fn is_cased(c: u32) -> bool {
    is_lower(c) || is_upper(c) || is_title(c)
}

/// Whether the character does not count when it is asked what stands next to a sigma (derived property `Case_Ignorable`).
pub fn is_case_ignorable(c: u32) -> bool {
    use Category::*;
    matches!(
        c,
        0x27 | 0x2E
            | 0x3A
            | 0xB7
            | 0x387
            | 0x55F
            | 0x5F4
            | 0x2018
            | 0x2019
            | 0x2024
            | 0x2027
            | 0xFE13
            | 0xFE52
            | 0xFE55
            | 0xFF07
            | 0xFF0E
            | 0xFF1A
    ) || matches!(category(c), Mn | Me | Cf | Lm | Sk)
}

/// Whether an identifier may begin with the character.
pub fn is_identifier_start(c: u32) -> bool {
    c == '_' as u32 || char::from_u32(c).is_some_and(unicode_ident::is_xid_start)
}

/// Whether an identifier may go on with the character.
pub fn is_identifier_part(c: u32) -> bool {
    char::from_u32(c).is_some_and(unicode_ident::is_xid_continue)
}

fn push_mapped(out: &mut Vec<u8>, c: u32, mapped: impl Iterator<Item = char> + Clone) {
    // A mapping to something that version 16 does not have is not known to it.
    if c < 0x250 || mapped.clone().all(|m| assigned(m as u32)) && assigned(c) {
        mapped.for_each(|m| push_char(out, m as u32));
    } else {
        push_char(out, c);
    }
}

/// Appends the character in lower case.
#[inline]
pub fn push_lower(out: &mut Vec<u8>, c: u32) {
    if c < 0x80 {
        return out.push((c as u8).to_ascii_lowercase());
    }
    match char::from_u32(c) {
        Some(ch) => push_mapped(out, c, ch.to_lowercase()),
        None => push_char(out, c),
    }
}

/// Appends the character in upper case.
#[inline]
pub fn push_upper(out: &mut Vec<u8>, c: u32) {
    if c < 0x80 {
        return out.push((c as u8).to_ascii_uppercase());
    }
    match char::from_u32(c) {
        Some(ch) => push_mapped(out, c, ch.to_uppercase()),
        None => push_char(out, c),
    }
}

fn exception(table: &'static [(u32, &'static str)], c: u32) -> Option<&'static str> {
    table
        .binary_search_by_key(&c, |e| e.0)
        .ok()
        .map(|i| table[i].1)
}

/// Appends the character in title case.
#[inline]
pub fn push_title(out: &mut Vec<u8>, c: u32) {
    if c < 0x80 {
        return out.push((c as u8).to_ascii_uppercase());
    }
    match exception(&tables::TITLE, c) {
        Some(text) => out.extend_from_slice(text.as_bytes()),
        None => push_upper(out, c),
    }
}

/// Appends the character folded for comparison without case.
#[inline]
pub fn push_folded(out: &mut Vec<u8>, c: u32) {
    if c < 0x80 {
        return out.push((c as u8).to_ascii_lowercase());
    }
    match exception(&tables::FOLD, c) {
        Some(text) => out.extend_from_slice(text.as_bytes()),
        None => push_lower(out, c),
    }
}

/// The character's name.
pub fn name(c: u32) -> Option<String> {
    char::from_u32(c)
        .filter(|_| assigned(c))
        .and_then(unicode_names2::name)
        .map(|n| n.to_string())
}

/// The character of a name, in any case.
pub fn lookup(name: &str) -> Option<u32> {
    unicode_names2::character(name).map(u32::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(f: fn(&mut Vec<u8>, u32), c: char) -> String {
        let mut out = Vec::new();
        f(&mut out, c as u32);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn categories_of_known_characters() {
        assert_eq!(category('A' as u32), Category::Lu);
        assert_eq!(category('é' as u32), Category::Ll);
        assert_eq!(category(0xD800), Category::Cs);
        assert_eq!(category(0x10FFFF), Category::Cn);
        assert_eq!(category('漢' as u32), Category::Lo);
    }

    #[test]
    fn numbers_of_all_kinds() {
        assert_eq!(
            (decimal('٣' as u32), digit('²' as u32), numeric('½' as u32)),
            (Some(3), Some(2), Some((1, 2)))
        );
        assert_eq!(
            (
                decimal('²' as u32),
                numeric('五' as u32),
                numeric('a' as u32)
            ),
            (None, Some((5, 1)), None)
        );
        assert_eq!(decimal(0x1D7D8), Some(0));
    }

    #[test]
    fn case_mappings_may_lengthen() {
        assert_eq!(text(push_upper, 'ß'), "SS");
        assert_eq!(text(push_title, 'ǆ'), "ǅ");
        assert_eq!(text(push_title, 'ﬁ'), "Fi");
        assert_eq!(text(push_folded, 'ß'), "ss");
        assert_eq!(text(push_lower, 'İ'), "i\u{307}");
    }
}
