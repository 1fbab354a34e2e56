//! Properties of characters, as `str`'s methods and `unicodedata` ask for them: Unicode 16, the version of Python 3.14.
//!
//! Characters are code points, lone surrogates included. Case mappings come from Rust's standard library where they agree; it knows a later
//! Unicode version, so what it says about characters that are not assigned yet in version 16 is left out.

mod decompositions;
pub mod extra;
mod near;
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

// What the table of near characters says of each.
const ALPHA: u8 = 1;
const ALNUM: u8 = 1 << 1;
const PRINTABLE: u8 = 1 << 2;
const LOWER: u8 = 1 << 3;
const UPPER: u8 = 1 << 4;
const TITLE: u8 = 1 << 5;
/// Its title case is another one than its upper case.
const OWN_TITLE: u8 = 1 << 6;
/// It is folded to something else than its lower case.
const OWN_FOLD: u8 = 1 << 7;

/// What a character from U+0080 to U+05FF is.
#[inline(always)]
fn flags(c: u32) -> Option<u8> {
    near::FLAGS
        .get(c.wrapping_sub(near::FIRST) as usize)
        .copied()
}

/// One character that a near character is mapped to.
#[inline(always)]
fn mapped(table: &[u16], c: u32) -> Option<u32> {
    match table.get(c.wrapping_sub(near::FIRST) as usize) {
        Some(0) | None => None,
        Some(to) => Some(u32::from(*to)),
    }
}

/// Whether it lies where no character has case: the ideographs, and the syllables and signs around them.
#[inline(always)]
fn in_caseless(c: u32) -> bool {
    (0x3000..0xA640).contains(&c)
}

/// The general category.
pub fn category(c: u32) -> Category {
    // Most of the text that is not of an alphabet.
    if matches!(c, 0x3400..0x4DC0 | 0x4E00..0xA000 | 0xAC00..0xD7A4) {
        return Category::Lo;
    }
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
    } else if let Some(flags) = flags(c) {
        flags & ALPHA != 0
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
    if let Some(flags) = flags(c) {
        return flags & ALNUM != 0;
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
    } else if let Some(flags) = flags(c) {
        flags & PRINTABLE != 0
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
    } else if let Some(flags) = flags(c) {
        flags & LOWER != 0
    } else if in_caseless(c) {
        false
    } else {
        char::from_u32(c).is_some_and(char::is_lowercase) && assigned(c)
    }
}

/// Whether the character is upper case (derived property `Uppercase`).
#[inline]
pub fn is_upper(c: u32) -> bool {
    if c < 0x80 {
        (c as u8).is_ascii_uppercase()
    } else if let Some(flags) = flags(c) {
        flags & UPPER != 0
    } else if in_caseless(c) {
        false
    } else {
        char::from_u32(c).is_some_and(char::is_uppercase) && assigned(c)
    }
}

/// Whether the character is in title case.
pub fn is_title(c: u32) -> bool {
    match flags(c) {
        Some(flags) => flags & TITLE != 0,
        None => c >= 0x80 && !in_caseless(c) && category(c) == Category::Lt,
    }
}

/// Whether the character has case.
#[inline]
pub fn is_cased(c: u32) -> bool {
    if let Some(flags) = flags(c) {
        return flags & (LOWER | UPPER | TITLE) != 0;
    }
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

/// Appends a character that most often takes two bytes.
#[inline(always)]
fn push_near(out: &mut Vec<u8>, c: u32) {
    if c.wrapping_sub(0x80) < 0x780 {
        out.extend_from_slice(&[0xC0 | (c >> 6) as u8, 0x80 | (c & 0x3F) as u8]);
    } else {
        push_char(out, c);
    }
}

/// Appends the character in lower case.
#[inline(always)]
pub fn push_lower(out: &mut Vec<u8>, c: u32) {
    if c < 0x80 {
        return out.push((c as u8).to_ascii_lowercase());
    }
    match mapped(&near::LOWER, c) {
        Some(to) => push_near(out, to),
        None if in_caseless(c) => push_char(out, c),
        None => push_far_lower(out, c),
    }
}

#[inline(never)]
fn push_far_lower(out: &mut Vec<u8>, c: u32) {
    match char::from_u32(c) {
        Some(ch) => push_mapped(out, c, ch.to_lowercase()),
        None => push_char(out, c),
    }
}

/// Appends the character in upper case.
#[inline(always)]
pub fn push_upper(out: &mut Vec<u8>, c: u32) {
    if c < 0x80 {
        return out.push((c as u8).to_ascii_uppercase());
    }
    match mapped(&near::UPPER, c) {
        Some(to) => push_near(out, to),
        None if in_caseless(c) => push_char(out, c),
        None => push_far_upper(out, c),
    }
}

#[inline(never)]
fn push_far_upper(out: &mut Vec<u8>, c: u32) {
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
    if in_caseless(c) || flags(c).is_some_and(|flags| flags & OWN_TITLE == 0) {
        return push_upper(out, c);
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
    if in_caseless(c) || flags(c).is_some_and(|flags| flags & OWN_FOLD == 0) {
        return push_lower(out, c);
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

    /// The general functions, without tables of near characters.
    fn far(c: u32) -> (u8, [String; 4]) {
        let ch = char::from_u32(c);
        let general = |map: fn(char) -> String, own: &'static [(u32, &'static str)]| {
            exception(own, c)
                .map(str::to_owned)
                .or_else(|| ch.map(map))
                .unwrap_or_default()
        };
        let lower = |c: char| c.to_lowercase().collect::<String>();
        let upper = |c: char| c.to_uppercase().collect::<String>();
        let category = CATEGORIES[run(&tables::CATEGORIES, c).1 as usize];
        let alpha = category <= Category::Lo;
        let number = decimal(c).is_some() || digit(c).is_some() || numeric(c).is_some();
        let is = |yes: bool, flag: u8| if yes { flag } else { 0 };
        let texts = [
            general(lower, &[]),
            general(upper, &[]),
            general(upper, &tables::TITLE),
            general(lower, &tables::FOLD),
        ];
        let flags = is(alpha, ALPHA)
            | is(alpha || number, ALNUM)
            | is(category < Category::Zs, PRINTABLE)
            // (A later version than 16 takes U+0295 for a letter without case.)
            | is(category == Category::Ll || ch.is_some_and(char::is_lowercase), LOWER)
            | is(category == Category::Lu || ch.is_some_and(char::is_uppercase), UPPER)
            | is(category == Category::Lt, TITLE);
        (flags, texts)
    }

    #[test]
    fn tables_of_near_characters_say_what_the_others_do() {
        for c in (near::FIRST..near::FIRST + near::FLAGS.len() as u32).chain(0x3000..0xD7A4) {
            let (flags, texts) = far(c);
            let is = |yes: bool, flag: u8| if yes { flag } else { 0 };
            assert_eq!(is(is_alpha(c), ALPHA), flags & ALPHA, "{c:x}");
            assert_eq!(is(is_alnum(c), ALNUM), flags & ALNUM, "{c:x}");
            assert_eq!(is(is_printable(c), PRINTABLE), flags & PRINTABLE, "{c:x}");
            assert_eq!(is(is_title(c), TITLE), flags & TITLE, "{c:x}");
            if c >= 0xA640 {
                // Their case is told by the general functions.
                continue;
            }
            assert_eq!(is(is_lower(c), LOWER), flags & LOWER, "{c:x}");
            assert_eq!(is(is_upper(c), UPPER), flags & UPPER, "{c:x}");
            let Some(ch) = char::from_u32(c) else {
                continue;
            };
            let found = [push_lower, push_upper, push_title, push_folded].map(|f| text(f, ch));
            assert_eq!(found, texts, "{c:x}");
        }
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
