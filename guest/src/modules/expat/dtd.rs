//! What the document type declaration says: entities, attribute defaults, notations, and the models of elements.

use super::chars;
use super::token::words;
use std::collections::BTreeMap;

/// A declared entity.
#[derive(Clone, Debug, Default)]
pub struct Entity {
    /// The replacement text, of an internal one.
    pub text: Option<String>,
    /// Where an external one is.
    pub system: Option<String>,
    /// The public name of an external one.
    pub public: Option<String>,
    /// The notation of one that is not XML.
    pub notation: Option<String>,
}

/// A declared attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name.
    pub name: String,
    /// Whether white space in values is kept as it is.
    pub is_cdata: bool,
    /// The value where a tag gives none.
    pub default: Option<String>,
}

/// All declarations that matter to the document.
#[derive(Clone, Debug, Default)]
pub struct Dtd {
    /// General entities.
    pub general: BTreeMap<String, Entity>,
    /// Parameter entities.
    pub parameter: BTreeMap<String, Entity>,
    /// Attributes by element.
    pub attributes: BTreeMap<String, Vec<Attribute>>,
}

/// A content model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// 1 EMPTY, 2 ANY, 3 mixed, 4 a name, 5 a choice, 6 a sequence.
    pub kind: u8,
    /// 0 once, 1 `?`, 2 `*`, 3 `+`.
    pub quantity: u8,
    /// The element, of a name.
    pub name: Option<String>,
    /// The parts.
    pub children: Vec<Model>,
}

/// A declaration, taken apart.
#[derive(Clone, Debug)]
pub enum Declaration {
    /// An entity.
    Entity {
        /// Its name.
        name: String,
        /// Whether it is for use in the DTD (`%name;`).
        is_parameter: bool,
        /// What it is.
        entity: Entity,
    },
    /// A notation.
    Notation {
        /// Its name.
        name: String,
        /// Where it is described.
        system: Option<String>,
        /// Its public name.
        public: Option<String>,
    },
    /// An element.
    Element {
        /// Its name.
        name: String,
        /// What it may contain.
        model: Model,
    },
    /// The attributes of an element: name, type, default, whether it is required or fixed.
    Attlist {
        /// The element.
        element: String,
        /// The attributes.
        attributes: Vec<(String, String, Option<String>, bool)>,
    },
}

/// Most groups within groups of a content model.
const MAX_DEPTH: usize = 200;

/// A cursor over the words of a declaration.
struct Words<'a> {
    words: Vec<&'a str>,
    at: usize,
}

type Parsed<T> = Result<T, u8>;

impl<'a> Words<'a> {
    /// The place of the word that was taken last: where an error is.
    fn offset(&self, text: &str) -> usize {
        let word = self.words.get(self.at.saturating_sub(1));
        word.map_or(text.len(), |w| w.as_ptr() as usize - text.as_ptr() as usize)
    }

    fn next(&mut self) -> Parsed<&'a str> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word.ok_or(chars::SYNTAX)
    }

    fn peek(&self) -> &'a str {
        self.words.get(self.at).copied().unwrap_or_default()
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.next()? == word {
            Ok(())
        } else {
            Err(chars::SYNTAX)
        }
    }

    fn name(&mut self) -> Parsed<String> {
        let word = self.next()?;
        let first = word.chars().next().map_or(0, |c| c as u32);
        if chars::is_name_start(first) {
            Ok(word.to_owned())
        } else {
            Err(chars::SYNTAX)
        }
    }

    fn name_token(&mut self) -> Parsed<String> {
        let word = self.next()?;
        let first = word.chars().next().map_or(0, |c| c as u32);
        if chars::is_name_char(first) {
            Ok(word.to_owned())
        } else {
            Err(chars::SYNTAX)
        }
    }

    fn literal(&mut self) -> Parsed<&'a str> {
        let word = self.next()?;
        if word.len() >= 2 && word.starts_with(['"', '\'']) {
            Ok(&word[1..word.len() - 1])
        } else {
            Err(chars::SYNTAX)
        }
    }

    /// `SYSTEM "s"` or `PUBLIC "p" "s"`; the system part may be missing where `short`.
    fn external(&mut self, short: bool) -> Parsed<(Option<String>, Option<String>)> {
        if self.accept("SYSTEM") {
            return Ok((Some(self.literal()?.to_owned()), None));
        }
        self.expect("PUBLIC")?;
        let public = public_id(self.literal()?)?;
        let system = if short && !self.peek().starts_with(['"', '\'']) {
            None
        } else {
            Some(self.literal()?.to_owned())
        };
        Ok((system, Some(public)))
    }
}

/// A public identifier with its white space made regular.
pub fn public_id(text: &str) -> Parsed<String> {
    if !text.bytes().all(chars::is_public_id) {
        return Err(chars::PUBLICID);
    }
    Ok(text
        .split([' ', '\n', '\r'])
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" "))
}

/// Takes the head of a document type declaration apart (`<!DOCTYPE name SYSTEM "s"`): name, system and public identifier.
pub fn doctype(text: &str) -> Result<Doctype, (u8, usize)> {
    let mut w = Words {
        words: words(text, false),
        at: 0,
    };
    doctype_words(&mut w).map_err(|code| (code, w.offset(text)))
}

/// Name, system and public identifier.
pub type Doctype = (String, Option<String>, Option<String>);

fn doctype_words(w: &mut Words) -> Parsed<Doctype> {
    w.expect("<!DOCTYPE")?;
    let name = w.name()?;
    let (system, public) = if w.at < w.words.len() {
        w.external(false)?
    } else {
        (None, None)
    };
    if w.at < w.words.len() {
        w.at += 1;
        return Err(chars::SYNTAX);
    }
    Ok((name, system, public))
}

/// Takes a declaration apart; an error is its number and place.
pub fn parse(text: &str) -> Result<Declaration, (u8, usize)> {
    let mut w = Words {
        words: words(text, false),
        at: 0,
    };
    parse_words(&mut w).map_err(|code| (code, w.offset(text)))
}

fn parse_words(w: &mut Words) -> Parsed<Declaration> {
    let made = match w.next()? {
        "<!ENTITY" => {
            let is_parameter = w.accept("%");
            let name = w.name()?;
            let mut entity = Entity::default();
            if w.peek().starts_with(['"', '\'']) {
                entity.text = Some(w.literal()?.to_owned());
            } else {
                (entity.system, entity.public) = w.external(false)?;
                if !is_parameter && w.accept("NDATA") {
                    entity.notation = Some(w.name()?);
                }
            }
            Declaration::Entity {
                name,
                is_parameter,
                entity,
            }
        }
        "<!NOTATION" => {
            let name = w.name()?;
            let (system, public) = w.external(true)?;
            Declaration::Notation {
                name,
                system,
                public,
            }
        }
        "<!ELEMENT" => {
            let name = w.name()?;
            let simple = |kind| Model {
                kind,
                quantity: 0,
                name: None,
                children: Vec::new(),
            };
            let model = match w.peek() {
                "EMPTY" | "ANY" => simple(if w.next()? == "EMPTY" { 1 } else { 2 }),
                "(" => model(w, 0)?,
                _ => {
                    w.at += 1;
                    return Err(chars::SYNTAX);
                }
            };
            Declaration::Element { name, model }
        }
        "<!ATTLIST" => {
            let element = w.name()?;
            let mut attributes = Vec::new();
            while w.peek() != ">" {
                attributes.push(attribute(w)?);
            }
            Declaration::Attlist {
                element,
                attributes,
            }
        }
        _ => return Err(chars::SYNTAX),
    };
    w.expect(">")?;
    Ok(made)
}

fn attribute(w: &mut Words) -> Parsed<(String, String, Option<String>, bool)> {
    let name = w.name()?;
    let mut kind = String::new();
    match w.next()? {
        word @ ("CDATA" | "ID" | "IDREF" | "IDREFS" | "ENTITY" | "ENTITIES" | "NMTOKEN"
        | "NMTOKENS") => kind.push_str(word),
        word @ ("NOTATION" | "(") => {
            kind.push_str(word);
            if word == "NOTATION" {
                w.expect("(")?;
                kind.push('(');
            }
            loop {
                kind.push_str(&w.name_token()?);
                match w.next()? {
                    "|" => kind.push('|'),
                    ")" => break,
                    _ => return Err(chars::SYNTAX),
                }
            }
            kind.push(')');
        }
        _ => return Err(chars::SYNTAX),
    }
    let (default, required) = match w.peek() {
        "#REQUIRED" => (None, w.next().is_ok()),
        "#IMPLIED" => (None, w.next().is_err()),
        "#FIXED" => {
            w.at += 1;
            (Some(w.literal()?.to_owned()), true)
        }
        _ => (Some(w.literal()?.to_owned()), false),
    };
    Ok((name, kind, default, required))
}

fn quantity(w: &mut Words) -> u8 {
    for (sign, quantity) in [("?", 1), ("*", 2), ("+", 3)] {
        if w.accept(sign) {
            return quantity;
        }
    }
    0
}

fn model(w: &mut Words, depth: usize) -> Parsed<Model> {
    if depth > MAX_DEPTH {
        return Err(chars::NO_MEMORY);
    }
    w.expect("(")?;
    let mut children = Vec::new();
    if w.accept("#PCDATA") {
        while w.accept("|") {
            let name = Some(w.name()?);
            children.push(Model {
                kind: 4,
                quantity: 0,
                name,
                children: Vec::new(),
            });
        }
        w.expect(")")?;
        let quantity = quantity(w);
        if !children.is_empty() && quantity != 2 || matches!(quantity, 1 | 3) {
            return Err(chars::SYNTAX);
        }
        return Ok(Model {
            kind: 3,
            quantity,
            name: None,
            children,
        });
    }
    let mut sign = None;
    loop {
        children.push(if w.peek() == "(" {
            model(w, depth + 1)?
        } else {
            let name = Some(w.name()?);
            Model {
                kind: 4,
                quantity: quantity(w),
                name,
                children: Vec::new(),
            }
        });
        let word = w.next()?;
        match word {
            ")" => break,
            "|" | "," if sign.is_none_or(|s| s == word) => sign = Some(word),
            _ => return Err(chars::SYNTAX),
        }
    }
    let kind = if sign == Some("|") { 5 } else { 6 };
    Ok(Model {
        kind,
        quantity: quantity(w),
        name: None,
        children,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_taken_apart() {
        let Ok(Declaration::Entity { name, entity, .. }) =
            parse("<!ENTITY a PUBLIC 'p  q' 's' NDATA n>")
        else {
            panic!("an entity");
        };
        assert_eq!(
            (
                name.as_str(),
                entity.public.as_deref(),
                entity.notation.as_deref()
            ),
            ("a", Some("p q"), Some("n"))
        );
        let Ok(Declaration::Element { model, .. }) = parse("<!ELEMENT a (b?,(c|d)+)>") else {
            panic!("an element");
        };
        assert_eq!(
            (
                model.kind,
                model.children[0].quantity,
                model.children[1].quantity
            ),
            (6, 1, 3)
        );
        assert_eq!(
            parse("<!ELEMENT a (b,c|d)>").err(),
            Some((chars::SYNTAX, 16))
        );
        assert!(matches!(
            doctype("<!DOCTYPE d SYSTEM 's'"),
            Ok((_, Some(_), None))
        ));
    }
}
