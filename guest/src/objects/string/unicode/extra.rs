//! What only the module `unicodedata` asks for: decompositions, named sequences, and the properties as they were in Unicode 3.2.

use super::{decompositions, sequences, version_3_2 as tables};

/// The decomposition of one step: its tag (empty for a canonical one) and its text.
pub fn decomposition(c: u32) -> Option<(&'static str, &'static str)> {
    let keys = &decompositions::KEYS;
    let at = keys.partition_point(|&k| k >> 8 < c);
    let key = *keys.get(at).filter(|&&k| k >> 8 == c)?;
    let start = at
        .checked_sub(1)
        .map_or(0, |before| decompositions::ENDS[before]);
    let text = &decompositions::TEXT[usize::from(start)..usize::from(decompositions::ENDS[at])];
    Some((decompositions::TAGS[(key & 0xff) as usize], text))
}

/// The text of a named sequence, in any case.
pub fn sequence(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_uppercase();
    let table = &sequences::SEQUENCES;
    let at = table.binary_search_by(|(n, _)| (*n).cmp(&name)).ok()?;
    Some(table[at].1)
}

/// What a table of changes says.
fn changed(table: &[u32], c: u32) -> Option<u8> {
    let at = table.partition_point(|&k| k >> 8 < c);
    table.get(at).filter(|&&k| k >> 8 == c).map(|&k| k as u8)
}

/// Unicode 3.2.
pub mod old {
    use super::super as now;
    use super::{changed, tables};

    /// Whether the character was there.
    pub fn exists(c: u32) -> bool {
        tables::ASSIGNED.partition_point(|&b| b <= c) % 2 == 1
    }

    /// The category.
    pub fn category(c: u32) -> usize {
        if !exists(c) {
            return now::Category::Cn as usize;
        }
        changed(&tables::CATEGORIES, c).map_or(now::category(c) as usize, usize::from)
    }

    /// The bidirectional class.
    pub fn bidirectional(c: u32) -> &'static str {
        if !exists(c) {
            return "";
        }
        match changed(&tables::BIDI, c) {
            Some(i) => now::BIDI_NAMES[i as usize],
            None => now::bidirectional(c),
        }
    }

    /// The East Asian width.
    pub fn east_asian_width(c: u32) -> &'static str {
        // The planes of ideographs were wide as a whole.
        if !exists(c) && c < 0x20000 {
            return "N";
        }
        match changed(&tables::WIDTHS, c) {
            Some(i) => now::WIDTH_NAMES[i as usize],
            None => now::east_asian_width(c),
        }
    }

    /// Whether the character was mirrored.
    pub fn mirrored(c: u32) -> bool {
        exists(c) && now::mirrored(c) != tables::MIRRORED.contains(&c)
    }

    /// The value as a decimal digit, which raised and lowered digits had too.
    pub fn decimal(c: u32) -> Option<u32> {
        if !exists(c) {
            return None;
        }
        match c {
            0xB2 | 0xB3 | 0xB9 | 0x1369..=0x1371 | 0x2070 | 0x2074..=0x2079 | 0x2080..=0x2089 => {
                now::digit(c)
            }
            _ => now::decimal(c),
        }
    }

    /// What the character was decomposed to, where that was corrected later.
    pub fn corrected(c: u32) -> Option<u32> {
        let found = tables::CORRECTED.iter().find(|(k, _)| *k == c);
        found.map(|&(_, to)| to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_answer() {
        assert_eq!(decomposition(0xC0), Some(("", "A\u{300}")));
        assert_eq!(decomposition(0xB2), Some(("<super>", "2")));
        assert_eq!(decomposition('a' as u32), None);
        assert_eq!(sequence("keycap digit one"), Some("1\u{fe0f}\u{20e3}"));
        assert!(old::exists(0x41) && !old::exists(0x20C0) && !old::exists(0x0221));
        assert_eq!(old::decimal(0xB2), Some(2));
    }
}
