//! Sets of characters: what `[...]`, `\w` and a case-insensitive literal compile to.
//!
//! A class answers for the first 256 code points from a table. Beyond them it looks at its ranges and
//! categories, after lowercasing if it folds case.

use crate::unicode;

/// How IGNORECASE compares characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// Case counts.
    None,
    /// Only ASCII letters have a case: bytes patterns, `re.ASCII`, and `re.LOCALE` in the C locale.
    Ascii,
    /// Simple lowercase of all of Unicode.
    Unicode,
}

impl Fold {
    /// The representative that equal characters share (but for [`unicode::same_upper`]).
    pub fn apply(self, c: u32) -> u32 {
        match self {
            Fold::None => c,
            Fold::Ascii => unicode::ascii_lower(c),
            Fold::Unicode => unicode::lower(c),
        }
    }
}

/// What a category escape is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CategoryKind {
    /// `\w`
    Word,
    /// `\d`
    Digit,
    /// `\s`
    Space,
}

/// A category escape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Category {
    /// Word, digit or space.
    pub kind: CategoryKind,
    /// The capital letter: everything else.
    pub negated: bool,
    /// Whether only ASCII characters belong to it.
    pub ascii: bool,
}

impl Category {
    /// Whether the category holds `c`.
    pub fn has(self, c: u32) -> bool {
        let inside = match (self.kind, self.ascii) {
            (CategoryKind::Word, false) => unicode::is_word(c),
            (CategoryKind::Word, true) => unicode::is_ascii_word(c),
            (CategoryKind::Digit, false) => unicode::is_digit(c),
            (CategoryKind::Digit, true) => unicode::is_ascii_digit(c),
            (CategoryKind::Space, false) => unicode::is_space(c),
            (CategoryKind::Space, true) => unicode::is_ascii_space(c),
        };
        inside != self.negated
    }

    /// The atoms it consists of; see [`Atoms`].
    fn atoms(self) -> Atoms {
        let inside = match (self.kind, self.ascii) {
            (_, true) => Atoms::NONE,
            (CategoryKind::Word, _) => Atoms(Atoms::WORD.0 | Atoms::DIGIT.0),
            (CategoryKind::Digit, _) => Atoms::DIGIT,
            (CategoryKind::Space, _) => Atoms::SPACE,
        };
        if self.negated {
            inside.complement()
        } else {
            inside
        }
    }
}

/// The code points above 255 fall into four disjoint atoms, of which each Unicode category is a union. A set
/// of atoms thus tells cheaply whether two classes can have a member above 255 in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Atoms(pub u8);

impl Atoms {
    pub(crate) const NONE: Atoms = Atoms(0);
    pub(crate) const ALL: Atoms = Atoms(15);
    const WORD: Atoms = Atoms(1);
    const DIGIT: Atoms = Atoms(2);
    const SPACE: Atoms = Atoms(4);
    const OTHER: Atoms = Atoms(8);

    fn complement(self) -> Atoms {
        Atoms(Atoms::ALL.0 & !self.0)
    }

    /// The atom of one character.
    pub(crate) fn of(c: u32) -> Atoms {
        if unicode::is_digit(c) {
            Atoms::DIGIT
        } else if unicode::is_word(c) {
            Atoms::WORD
        } else if unicode::is_space(c) {
            Atoms::SPACE
        } else {
            Atoms::OTHER
        }
    }

    /// Atoms that may have a member in the range.
    fn of_range(first: u32, last: u32) -> Atoms {
        if last < 256 {
            return Atoms::NONE;
        }
        if first == last {
            return Atoms::of(first);
        }
        let first = first.max(256);
        let mut atoms = Atoms::OTHER.0;
        if unicode::range_has_word(first, last) {
            atoms |= Atoms::WORD.0;
        }
        if unicode::range_has_digit(first, last) {
            atoms |= Atoms::DIGIT.0;
        }
        if first <= 0x3000 && last >= 0x1680 {
            atoms |= Atoms::SPACE.0;
        }
        Atoms(atoms)
    }
}

/// An element of a class as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClassItem {
    /// The characters from the first to the last, both included.
    Range(u32, u32),
    /// An escape like `\d`.
    Category(Category),
}

/// A compiled class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Membership of the code points 0..256.
    pub table: [bool; 256],
    /// Sorted, disjoint.
    ranges: Box<[(u32, u32)]>,
    categories: Box<[Category]>,
    negated: bool,
    fold: Fold,
    /// A superset of the atoms that members above 255 belong to.
    pub atoms: Atoms,
}

impl Class {
    /// The class of `items`, or all others if `negated`.
    pub fn new(items: &[ClassItem], negated: bool, fold: Fold) -> Class {
        let mut ranges = Vec::new();
        let mut categories = Vec::new();
        for item in items {
            match *item {
                ClassItem::Category(category) if !categories.contains(&category) => {
                    categories.push(category)
                }
                ClassItem::Category(_) => {}
                ClassItem::Range(first, last) => add_folded(first, last, fold, &mut ranges),
            }
        }
        Class::build(merge(ranges), categories, negated, fold)
    }

    /// The characters that equal the literal `c`; `None` if that is `c` alone.
    pub fn of_literal(c: u32, fold: Fold) -> Option<Class> {
        let mut members = vec![c];
        match fold {
            Fold::None => {}
            Fold::Ascii => {
                if char::from_u32(c).is_some_and(|c| c.is_ascii_alphabetic()) {
                    members.push(c ^ 0x20);
                }
            }
            Fold::Unicode => {
                let lower = unicode::lower(c);
                for &member in [lower].iter().chain(unicode::same_upper(lower)) {
                    members.push(member);
                    unicode::for_each_upper(member, |upper| members.push(upper));
                }
            }
        }
        let ranges = merge(members.iter().map(|&m| (m, m)).collect());
        if ranges == [(c, c)] {
            return None;
        }
        Some(Class::build(ranges, Vec::new(), false, Fold::None))
    }

    /// Everything but what equals the literal `c`.
    pub fn not_literal(c: u32, fold: Fold) -> Class {
        let mut class = Class::of_literal(c, fold)
            .unwrap_or_else(|| Class::build(vec![(c, c)], Vec::new(), false, Fold::None));
        class.negated = true;
        class.finish();
        class
    }

    fn build(
        ranges: Vec<(u32, u32)>,
        categories: Vec<Category>,
        negated: bool,
        fold: Fold,
    ) -> Class {
        let mut class = Class {
            table: [false; 256],
            ranges: ranges.into(),
            categories: categories.into(),
            negated,
            fold,
            atoms: Atoms::NONE,
        };
        class.finish();
        class
    }

    /// Fills what is derived from the items.
    fn finish(&mut self) {
        for c in 0..256 {
            self.table[c as usize] = self.test(c);
        }
        let mut touched = Atoms::NONE;
        let mut covered = Atoms::NONE;
        for category in &self.categories {
            touched.0 |= category.atoms().0;
            covered.0 |= category.atoms().0;
        }
        for &(first, last) in &self.ranges {
            touched.0 |= Atoms::of_range(first, last).0;
            if first <= 256 && last >= 0x10_ffff {
                covered = Atoms::ALL;
            }
        }
        self.atoms = match (self.fold, self.negated) {
            // Uppercase characters above 255 can have a lowercase below, so the items say little.
            (Fold::Unicode, _) => Atoms::ALL,
            (_, false) => touched,
            (_, true) => covered.complement(),
        };
    }

    fn test(&self, c: u32) -> bool {
        let c = self.fold.apply(c);
        let after = self.ranges.partition_point(|&(first, _)| first <= c);
        let inside = (after > 0 && c <= self.ranges[after - 1].1)
            || self.categories.iter().any(|k| k.has(c));
        inside != self.negated
    }

    /// Whether the class holds `c`.
    #[inline]
    pub fn has(&self, c: u32) -> bool {
        match self.table.get(c as usize) {
            Some(&inside) => inside,
            None => self.test(c),
        }
    }

    /// Whether the class holds every character.
    pub fn is_everything(&self) -> bool {
        let opposite = |k: &Category| Category {
            negated: !k.negated,
            ..*k
        };
        let whole = self
            .ranges
            .iter()
            .any(|&(first, last)| first == 0 && last >= 0x10_ffff)
            || self
                .categories
                .iter()
                .any(|k| self.categories.contains(&opposite(k)));
        whole && !self.negated
    }
}

/// Adds a range and, if case is folded, the lowercase equals of its members. Testing a character lowercases it
/// first, so uppercase members do no harm.
fn add_folded(first: u32, last: u32, fold: Fold, ranges: &mut Vec<(u32, u32)>) {
    ranges.push((first, last));
    match fold {
        Fold::None => {}
        Fold::Ascii => {
            let (from, to) = (first.max(0x41), last.min(0x5a));
            if from <= to {
                ranges.push((from + 32, to + 32));
            }
        }
        Fold::Unicode => {
            let start = ranges.len();
            unicode::for_each_lowered(first, last, |lower| ranges.push((lower, lower)));
            for group in unicode::same_upper_groups() {
                let touched =
                    |m: &u32| (first..=last).contains(m) || ranges[start..].contains(&(*m, *m));
                if group.iter().any(touched) {
                    ranges.extend(group.iter().map(|&m| (m, m)));
                }
            }
        }
    }
}

/// Sorts ranges and joins those that overlap or touch.
fn merge(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut out: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match out.last_mut() {
            Some(previous) if first <= previous.1.saturating_add(1) => {
                previous.1 = previous.1.max(last)
            }
            _ => out.push((first, last)),
        }
    }
    out
}
