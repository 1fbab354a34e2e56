//! Finding where a match can begin: a literal text, a character of a set, a start of a line.

use crate::ast::{At, Kind, Node};
use crate::error::MatchError;
use crate::first::FirstSet;
use crate::matcher::Matcher;
use crate::program::{Prefilter, Text};
use crate::scratch::NONE;
use crate::subject::Unit;

/// The prefilter that suits a pattern.
pub fn prefilter(root: &Node) -> Prefilter {
    match anchor(root) {
        Some(At::Start) => return Prefilter::Start,
        Some(At::LineStart) => return Prefilter::LineStart,
        _ => {}
    }
    let mut prefix = Vec::new();
    let whole = literal_prefix(root, &mut prefix);
    if !prefix.is_empty() {
        // Groups leave spans, so with them the program has to run.
        let whole = whole && !has_group(root);
        return Prefilter::Text {
            text: Text::to_find(&prefix),
            whole,
        };
    }
    let set = root.first.then(&FirstSet::ANYTHING);
    if set.at_end || set.bits == [u64::MAX; 4] {
        return Prefilter::None;
    }
    let members = (0..=255u8).filter(|&c| set.has(c.into()));
    let few: Vec<u8> = members.take(4).collect();
    Prefilter::Set(Box::new(set), if few.len() <= 3 { few } else { Vec::new() })
}

/// The assertion that every match begins with.
fn anchor(node: &Node) -> Option<At> {
    match &node.kind {
        Kind::At(at @ (At::Start | At::LineStart)) => Some(*at),
        Kind::Seq(items) => anchor(items.first()?),
        Kind::Group(_, body) | Kind::Atomic(body) => anchor(body),
        Kind::Repeat { min: 1.., body, .. } => anchor(body),
        Kind::Alt(branches) => {
            let mut anchors = branches.iter().map(anchor);
            let one = anchors.next()??;
            anchors.all(|other| other == Some(one)).then_some(one)
        }
        _ => None,
    }
}

/// Collects the characters that every match begins with; true if they are all there is to the node.
fn literal_prefix(node: &Node, out: &mut Vec<u32>) -> bool {
    match &node.kind {
        Kind::Char(c) => {
            out.push(*c);
            true
        }
        Kind::Seq(items) => items.iter().all(|item| literal_prefix(item, out)),
        Kind::Group(_, body) | Kind::Atomic(body) => literal_prefix(body, out),
        Kind::Repeat { min: 1.., body, .. } => {
            literal_prefix(body, out);
            false
        }
        _ => false,
    }
}

fn has_group(node: &Node) -> bool {
    match &node.kind {
        Kind::Group(..) => true,
        Kind::Seq(items) => items.iter().any(has_group),
        Kind::Atomic(body) => has_group(body),
        _ => false,
    }
}

/// Finds the leftmost match at or behind `start`. `min_width` is the least that the pattern consumes.
pub fn search<U: Unit>(
    matcher: &mut Matcher<'_, U>,
    prefilter: &Prefilter,
    min_width: usize,
    start: usize,
) -> Result<bool, MatchError> {
    let text = matcher.text;
    let Some(last) = text.len().checked_sub(min_width) else {
        return Ok(false);
    };
    let mut pos = start;
    while pos <= last {
        let found = match prefilter {
            Prefilter::None => Some(pos),
            Prefilter::Start => (pos == 0).then_some(0),
            Prefilter::LineStart => {
                if pos == 0 || text[pos - 1].code() == 10 {
                    Some(pos)
                } else {
                    U::from_code(10)
                        .and_then(|newline| U::find(&text[pos..], newline))
                        .map(|at| pos + at + 1)
                }
            }
            Prefilter::Text { text: wanted, .. } => {
                U::find_text(&text[pos..], wanted).map(|at| pos + at)
            }
            Prefilter::Set(set, few) => U::find_set(&text[pos..], set, few).map(|at| pos + at),
        };
        let Some(candidate) = found.filter(|&found| found <= last) else {
            return Ok(false);
        };
        if let Prefilter::Text {
            text: wanted,
            whole: true,
        } = prefilter
        {
            matcher.accept(candidate, candidate + wanted.chars.len());
            return Ok(true);
        }
        matcher.spend(1 + (candidate - pos) / 64)?;
        if matcher.attempt(candidate)? {
            return Ok(true);
        }
        pos = candidate + 1;
        if matcher.lead_end != NONE {
            pos = pos.max(matcher.lead_end as usize);
        }
    }
    Ok(false)
}
