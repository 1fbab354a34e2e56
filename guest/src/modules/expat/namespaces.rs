//! Namespaces in XML: which prefix stands for which name, and names as they are handed out (name of the namespace, separator, local name).

use super::chars;

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// What is bound at a place of the document.
#[derive(Clone)]
pub struct Namespaces {
    separator: String,
    bindings: Vec<(Option<String>, Option<String>)>,
}

/// An element whose namespaces are known.
pub struct Opened {
    /// The name.
    pub name: String,
    /// What it binds.
    pub bound: Vec<(Option<String>, Option<String>)>,
}

impl Namespaces {
    /// Nothing bound but `xml`.
    pub fn new(separator: String) -> Namespaces {
        Namespaces {
            separator,
            bindings: vec![(Some("xml".to_owned()), Some(XML.to_owned()))],
        }
    }

    fn find(&self, prefix: Option<&str>) -> Option<&str> {
        let found = self
            .bindings
            .iter()
            .rev()
            .find(|(p, _)| p.as_deref() == prefix);
        found.and_then(|(_, uri)| uri.as_deref())
    }

    fn expand(&self, prefix: Option<&str>, local: &str, uri: &str, triplets: bool) -> String {
        let mut name = format!("{uri}{}{local}", self.separator);
        if let (true, Some(prefix)) = (triplets, prefix) {
            name.push_str(&self.separator);
            name.push_str(prefix);
        }
        name
    }

    /// Takes the declarations out of the attributes, and expands the names.
    pub fn open(
        &mut self,
        raw: &str,
        attributes: &mut Vec<(String, String)>,
        specified: &mut usize,
        triplets: bool,
    ) -> Result<Opened, u8> {
        let mut bound = Vec::new();
        let mut kept = Vec::with_capacity(attributes.len());
        let written = *specified;
        for (i, (name, value)) in std::mem::take(attributes).into_iter().enumerate() {
            let prefix = match name.strip_prefix("xmlns") {
                Some("") => None,
                Some(rest) if rest.starts_with(':') => Some(rest[1..].to_owned()),
                _ => {
                    kept.push((name, value));
                    continue;
                }
            };
            check(prefix.as_deref(), &value)?;
            let uri = Some(value).filter(|v| !v.is_empty());
            *specified -= usize::from(i < written);
            bound.push((prefix, uri));
        }
        self.bindings.extend(bound.iter().cloned());
        let name = match split(raw)? {
            (None, local) => match self.find(None) {
                Some(uri) => self.expand(None, local, uri, triplets),
                None => local.to_owned(),
            },
            (Some(prefix), local) => {
                let uri = self.find(Some(prefix)).ok_or(chars::UNBOUND_PREFIX)?;
                self.expand(Some(prefix), local, uri, triplets)
            }
        };
        let mut seen = std::collections::BTreeSet::new();
        for (name, value) in kept {
            let name = match split(&name)? {
                (None, _) => name,
                (Some(prefix), local) => {
                    let uri = self.find(Some(prefix)).ok_or(chars::UNBOUND_PREFIX)?;
                    if !seen.insert((uri.to_owned(), local.to_owned())) {
                        return Err(chars::DUPLICATE_ATTRIBUTE);
                    }
                    self.expand(Some(prefix), local, uri, triplets)
                }
            };
            attributes.push((name, value));
        }
        Ok(Opened { name, bound })
    }

    /// Ends so many bindings: their prefixes, the last one first.
    pub fn close(&mut self, count: usize) -> Vec<Option<String>> {
        let keep = self.bindings.len() - count;
        self.bindings
            .drain(keep..)
            .rev()
            .map(|(prefix, _)| prefix)
            .collect()
    }
}

fn split(name: &str) -> Result<(Option<&str>, &str), u8> {
    match name.split_once(':') {
        None => Ok((None, name)),
        Some((prefix, local)) if prefix.is_empty() || local.is_empty() || local.contains(':') => {
            Err(chars::INVALID_TOKEN)
        }
        Some((prefix, local)) => Ok((Some(prefix), local)),
    }
}

fn check(prefix: Option<&str>, uri: &str) -> Result<(), u8> {
    match prefix {
        Some("xmlns") => Err(chars::RESERVED_PREFIX_XMLNS),
        Some("xml") if uri != XML => Err(chars::RESERVED_PREFIX_XML),
        Some("xml") => Ok(()),
        Some(_) if uri.is_empty() => Err(chars::UNDECLARING_PREFIX),
        _ if uri == XML || uri == XMLNS => Err(chars::RESERVED_NAMESPACE_URI),
        _ => Ok(()),
    }
}
