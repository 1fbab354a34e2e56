//! The XML reader: takes a document piece by piece and hands out what it contains, event by event. Well-formedness, entities, attribute defaults and
//! namespaces are dealt with here (XML 1.0 and Namespaces in XML); Python is not known.
//!
//! Nothing outside the document is ever fetched: external entities become events. Entities within entities are read from a list of sources, not by
//! recursion, and what they make of little input is limited as in Expat.

use super::chars::{self, is_char, is_space};
use super::dtd::{self, Attribute, Declaration, Dtd};
use super::input::{self, Encoding};
use super::namespaces::Namespaces;
use super::token::{self, Stop};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// What is found in a document.
#[derive(Clone, Debug)]
pub enum Event {
    /// A start tag; the first `specified` attributes were written, the others are defaults.
    Start {
        /// The name, expanded in namespace mode.
        name: String,
        /// Names and values.
        attributes: Vec<(String, String)>,
        /// How many were written.
        specified: usize,
        /// Whether it is an end tag too.
        empty: bool,
    },
    /// An end tag.
    End(String),
    /// Character data.
    Text(String),
    /// A comment.
    Comment(String),
    /// A processing instruction: target and data.
    Instruction(String, String),
    /// `<![CDATA[`
    CdataStart,
    /// `]]>`
    CdataEnd,
    /// The XML declaration, or a text declaration (without version).
    Declaration {
        /// The version.
        version: Option<String>,
        /// The encoding.
        encoding: Option<String>,
        /// 1 yes, 0 no, -1 not said.
        standalone: i64,
    },
    /// The beginning of the document type declaration.
    DoctypeStart {
        /// The root element's name.
        name: String,
        /// System identifier.
        system: Option<String>,
        /// Public identifier.
        public: Option<String>,
        /// Whether there is an internal subset.
        internal: bool,
    },
    /// Its end.
    DoctypeEnd,
    /// A declaration in it.
    Declared(Declaration),
    /// A namespace begins to be bound: prefix and name.
    NamespaceStart(Option<String>, Option<String>),
    /// It ends to be bound.
    NamespaceEnd(Option<String>),
    /// A reference to an entity that is not known, or not to be expanded.
    Skipped(String, bool),
    /// A reference to an external entity: its name (nothing for the external subset), system and public identifier.
    External(Option<String>, Option<String>, Option<String>),
    /// The document depends on declarations elsewhere.
    NotStandalone,
    /// Nothing that has a name.
    Other,
}

/// An event with its text in the document.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub event: Event,
    /// The text.
    pub raw: String,
}

/// A place in a document.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Line, from 1.
    pub line: u64,
    /// Characters before it in the line.
    pub column: u64,
    /// Bytes before it, in UTF-8.
    pub byte: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Before anything: an XML declaration may come.
    Start,
    Prolog,
    /// After the document type declaration.
    Prolog2,
    Subset,
    AfterSubset,
    Content,
    Cdata,
    Epilog,
    /// The beginning of an external entity: a text declaration may come.
    TextStart(bool),
    ExternalSubset,
}

/// Text that is being read: the document, or the replacement of an entity.
struct Source {
    text: Vec<u8>,
    at: usize,
    entity: Option<String>,
    /// Open elements when it began.
    depth: usize,
}

struct Tag {
    raw: String,
    name: String,
    bindings: usize,
}

/// The reader.
pub struct Reader {
    input: Vec<u8>,
    encoding: Encoding,
    /// An encoding by this name must be supplied before it can go on.
    pub wanted: Option<String>,
    bad_input: bool,
    last: bool,
    state: State,
    sources: Vec<Source>,
    tags: Vec<Tag>,
    queue: VecDeque<Item>,
    failed: Option<u8>,
    /// Where the event is that was handed out last, or the error.
    pub place: Place,
    at: Place,
    token: usize,
    dtd: Rc<RefCell<Dtd>>,
    namespaces: Option<Namespaces>,
    standalone: bool,
    depends: bool,
    keep_declarations: bool,
    subset_of: (Option<String>, Option<String>),
    included: usize,
    expanded: u64,
    /// Whether internal entities are replaced.
    pub expand: bool,
    /// 0 never, 1 unless standalone, 2 always.
    pub parameter_parsing: i64,
    /// Whether to ask for an external subset where none is declared.
    pub foreign_dtd: bool,
    /// Whether namespace names are followed by the prefix.
    pub triplets: bool,
    waiting: usize,
    /// How far the last attribute value was read.
    in_value: usize,
    /// Whether long tokens wait until much more has come.
    pub deferral: bool,
}

/// Input that has to be there before amplification counts, and the factor that is too much: Expat's values.
const AMPLIFICATION_START: u64 = 8 << 20;
const AMPLIFICATION_FACTOR: u64 = 100;

type Step = Result<bool, u8>;

impl Reader {
    /// A reader of a document; with a separator, namespaces are dealt with.
    pub fn new(encoding: Encoding, separator: Option<String>) -> Reader {
        Reader {
            input: Vec::new(),
            encoding,
            wanted: None,
            bad_input: false,
            last: false,
            state: State::Start,
            sources: vec![Source {
                text: Vec::new(),
                at: 0,
                entity: None,
                depth: 0,
            }],
            tags: Vec::new(),
            queue: VecDeque::new(),
            failed: None,
            place: Place {
                line: 1,
                column: 0,
                byte: 0,
            },
            at: Place {
                line: 1,
                column: 0,
                byte: 0,
            },
            token: 0,
            dtd: Rc::default(),
            namespaces: separator.map(Namespaces::new),
            standalone: false,
            depends: false,
            keep_declarations: true,
            subset_of: (None, None),
            included: 0,
            expanded: 0,
            expand: true,
            parameter_parsing: 0,
            foreign_dtd: false,
            triplets: false,
            waiting: 0,
            in_value: 0,
            deferral: true,
        }
    }

    /// A reader for an external entity of this document; without `general`, for its external subset.
    pub fn external(&self, encoding: Encoding, general: bool) -> Reader {
        let mut new = Reader::new(encoding, None);
        new.state = State::TextStart(general);
        new.dtd = self.dtd.clone();
        new.namespaces = self.namespaces.clone();
        new.depends = self.depends;
        new.standalone = self.standalone;
        new.expand = self.expand;
        new.triplets = self.triplets;
        new.parameter_parsing = self.parameter_parsing;
        new
    }

    /// Takes more of the document.
    pub fn feed(&mut self, data: &[u8], last: bool) {
        self.input.extend_from_slice(data);
        self.last = last;
    }

    /// Supplies the encoding that was wanted.
    pub fn set_encoding(&mut self, encoding: Encoding) {
        self.encoding = encoding;
        self.wanted = None;
    }

    /// Whether the document has begun.
    pub fn has_begun(&self) -> bool {
        !matches!(self.state, State::Start | State::TextStart(_))
    }

    /// What has come of the document from the event on.
    pub fn context(&self) -> &[u8] {
        self.sources[0].text.get(self.token..).unwrap_or_default()
    }

    /// Ends the reading with an error.
    pub fn fail(&mut self, error: u8) {
        self.failed = Some(error);
    }

    /// The next event; `None` when more of the document is needed.
    pub fn next(&mut self) -> Result<Option<Item>, u8> {
        loop {
            if let Some(item) = self.queue.pop_front() {
                // The end of an empty element is behind its tag.
                if matches!(item.event, Event::End(_)) && item.raw.is_empty() {
                    self.place = self.at;
                }
                return Ok(Some(item));
            }
            if let Some(error) = self.failed {
                return Err(error);
            }
            if !self.decode() {
                return Ok(None);
            }
            let available = self.sources[0].text.len() - self.sources[0].at;
            if self.deferral
                && !self.last
                && self.sources.len() == 1
                && self.waiting >= 4096
                && available < 2 * self.waiting
            {
                return Ok(None);
            }
            match self.step() {
                Ok(true) => self.waiting = 0,
                Ok(false) => {
                    self.waiting = available;
                    return Ok(None);
                }
                Err(error) => self.failed = Some(error),
            }
        }
    }

    /// Decodes what has come; `false` when it cannot yet, or an encoding is wanted.
    fn decode(&mut self) -> bool {
        if self.input.is_empty() && self.encoding != Encoding::Unknown {
            return true;
        }
        if self.encoding == Encoding::Unknown {
            let Some((encoding, mark)) = input::sniff(&self.input, self.last) else {
                return false;
            };
            self.input.drain(..mark);
            // The mark counts as a character.
            self.at.column += u64::from(mark > 0);
            if encoding == Encoding::Utf8 {
                match self.declared_encoding() {
                    None => return false,
                    Some(Some(name)) => match input::by_name(&name) {
                        Some(Encoding::Unknown) => {
                            self.fail(chars::INCORRECT_ENCODING);
                        }
                        Some(declared) if mark == 0 => self.encoding = declared,
                        None if mark == 0 => {
                            self.encoding = Encoding::Utf8;
                            self.wanted = Some(name);
                            return false;
                        }
                        _ => {}
                    },
                    Some(None) => {}
                }
            }
            if self.encoding == Encoding::Unknown {
                self.encoding = encoding;
            }
        }
        if self.wanted.is_some() {
            return false;
        }
        let base = &mut self.sources[0];
        if base.at > 1 << 16 && base.at * 2 > base.text.len() && self.token >= base.at {
            base.text.drain(..base.at);
            self.token -= base.at;
            base.at = 0;
        }
        if !self.bad_input
            && input::decode(&self.encoding, &mut self.input, &mut base.text).is_err()
        {
            self.bad_input = true;
        }
        true
    }

    /// The encoding that the XML declaration names; `None` when the declaration is not complete.
    fn declared_encoding(&self) -> Option<Option<String>> {
        let head = b"<?xml";
        let n = self.input.len().min(head.len());
        if self.input[..n] != head[..n] {
            return Some(None);
        }
        match self.input.windows(2).position(|w| w == b"?>") {
            Some(end) => {
                let text = String::from_utf8_lossy(&self.input[..end + 2]);
                Some(
                    input::declaration(&text)
                        .ok()
                        .and_then(|[_, encoding, _]| encoding),
                )
            }
            None if self.last || self.input.len() > 4096 => Some(None),
            None => None,
        }
    }

    fn rest(&self) -> &[u8] {
        self.sources.last().map_or(&[], |s| &s.text[s.at..])
    }

    fn in_entity(&self) -> bool {
        self.sources.len() > 1
    }

    /// Goes on by so many bytes of the source; the place is that of the document.
    fn advance(&mut self, n: usize) {
        let in_entity = self.in_entity();
        let Some(source) = self.sources.last_mut() else {
            return;
        };
        if !in_entity {
            let bytes = &source.text[source.at..source.at + n];
            for (i, &b) in bytes.iter().enumerate() {
                match b {
                    b'\n' if source.at + i > 0 && source.text[source.at + i - 1] == b'\r' => {}
                    b'\n' | b'\r' => {
                        self.at.line += 1;
                        self.at.column = 0;
                    }
                    0x80..=0xBF => {}
                    _ => self.at.column += 1,
                }
            }
            self.at.byte += n as u64;
        }
        source.at += n;
    }

    /// Takes so many bytes of the source as text.
    fn take(&mut self, n: usize) -> String {
        let text = String::from_utf8_lossy(&self.rest()[..n]).into_owned();
        self.advance(n);
        text
    }

    fn push(&mut self, event: Event, raw: String) {
        self.queue.push_back(Item { event, raw });
    }

    /// The error, or the wait for more, when there was no token.
    fn stop(&mut self, stop: Stop) -> Step {
        match stop {
            Stop::Invalid(at) => {
                let n = at.min(self.rest().len());
                self.advance(n);
                self.place = self.at;
                Err(chars::INVALID_TOKEN)
            }
            Stop::Incomplete if self.bad_input && !self.in_entity() => {
                let n = self.rest().len();
                self.advance(n);
                self.place = self.at;
                Err(chars::INVALID_TOKEN)
            }
            Stop::Incomplete if self.in_entity() => Err(chars::UNCLOSED_TOKEN),
            Stop::Incomplete if self.last && !self.input.is_empty() => Err(chars::PARTIAL_CHAR),
            Stop::Incomplete if self.last => Err(chars::UNCLOSED_TOKEN),
            Stop::Incomplete => Ok(false),
        }
    }

    /// Reads one token.
    fn step(&mut self) -> Step {
        if !self.in_entity() {
            self.place = self.at;
            self.token = self.sources[0].at;
        }
        if self.rest().is_empty() {
            return self.at_end();
        }
        match self.state {
            State::Start => self.start(true),
            State::TextStart(_) => self.start(false),
            State::Prolog | State::Prolog2 | State::Epilog => self.prolog(),
            State::Subset | State::ExternalSubset => self.subset(),
            State::AfterSubset => self.after_subset(),
            State::Content => self.content(),
            State::Cdata => self.cdata(),
        }
    }

    /// What the end of a source means.
    fn at_end(&mut self) -> Step {
        if self.in_entity() {
            if self.state == State::Cdata {
                return Err(chars::UNCLOSED_CDATA_SECTION);
            }
            if let Some(source) = self.sources.pop()
                && source.depth != self.tags.len()
            {
                return Err(chars::ASYNC_ENTITY);
            }
            return Ok(true);
        }
        if self.bad_input {
            return Err(chars::INVALID_TOKEN);
        }
        if !self.last {
            return Ok(false);
        }
        if !self.input.is_empty() {
            return Err(chars::PARTIAL_CHAR);
        }
        match self.state {
            State::Epilog | State::TextStart(_) => Ok(false),
            State::ExternalSubset if self.included == 0 => Ok(false),
            State::ExternalSubset => Err(chars::SYNTAX),
            State::Content if self.is_external() => {
                if self.tags.is_empty() {
                    Ok(false)
                } else {
                    Err(chars::ASYNC_ENTITY)
                }
            }
            State::Cdata => Err(chars::UNCLOSED_CDATA_SECTION),
            _ => Err(chars::NO_ELEMENTS),
        }
    }

    fn is_external(&self) -> bool {
        // Only an external entity has content without the prolog having said that the root may come.
        self.subset_of.0.as_deref() == Some("\0external")
    }

    /// An XML or text declaration, if there is one.
    fn start(&mut self, document: bool) -> Step {
        let after = match self.state {
            State::TextStart(true) => State::Content,
            State::TextStart(false) => State::ExternalSubset,
            _ => State::Prolog,
        };
        if after == State::Content {
            self.subset_of.0 = Some("\0external".to_owned());
        }
        let rest = self.rest();
        if rest.starts_with("\u{feff}".as_bytes()) {
            let base = &mut self.sources[0];
            base.at += 3;
            self.at.byte += 3;
            return Ok(true);
        }
        let head = b"<?xml";
        let n = rest.len().min(head.len());
        if rest[..n] == head[..n] && rest.len() <= head.len() && !self.last {
            return Ok(false);
        }
        if !(rest.starts_with(head) && rest.get(5).is_some_and(|&b| is_space(b) || b == b'?')) {
            self.state = after;
            return Ok(true);
        }
        let end = match token::instruction(rest, 0) {
            Ok((_, end)) => end,
            Err(stop) => return self.stop(stop),
        };
        let text = String::from_utf8_lossy(&rest[..end]).into_owned();
        let wrong = if document {
            chars::XML_DECL
        } else {
            chars::TEXT_DECL
        };
        let [version, encoding, standalone] = match input::declaration(&text) {
            Ok(found) => found,
            Err(offset) => return Err(self.error_at(wrong, offset)),
        };
        if document && version.is_none()
            || !document && (encoding.is_none() || standalone.is_some())
        {
            return Err(self.error_at(wrong, 5));
        }
        let is_wide = matches!(self.encoding, Encoding::Utf16Le | Encoding::Utf16Be);
        if let Some(name) = &encoding
            && is_wide
            && !name.to_ascii_lowercase().starts_with("utf-16")
        {
            return Err(chars::INCORRECT_ENCODING);
        }
        self.advance(end);
        self.state = after;
        self.standalone |= standalone.as_deref() == Some("yes");
        let standalone = match standalone.as_deref() {
            Some("yes") => 1,
            Some(_) => 0,
            None => -1,
        };
        self.push(
            Event::Declaration {
                version,
                encoding,
                standalone,
            },
            text,
        );
        Ok(true)
    }

    fn white(&mut self) -> Step {
        let mut n = token::space(self.rest(), 0);
        // A carriage return at the end may be half a line break.
        if n == self.rest().len() && !self.last && self.rest().last() == Some(&b'\r') {
            n -= 1;
        }
        if n == 0 {
            return Ok(false);
        }
        let raw = self.take(n);
        self.push(Event::Other, raw);
        Ok(true)
    }

    /// A comment or processing instruction, if one begins here; `None` otherwise.
    fn aside(&mut self) -> Option<Step> {
        let rest = self.rest();
        let event_end = if rest.starts_with(b"<!--") {
            token::comment(rest, 0).map(|end| (0, end))
        } else if rest.starts_with(b"<?") {
            token::instruction(rest, 0)
        } else {
            return None;
        };
        Some(match event_end {
            Err(stop) => self.stop(stop),
            Ok((0, end)) => {
                let raw = self.take(end);
                let text = line_breaks(&raw[4..raw.len() - 3]);
                self.push(Event::Comment(text), raw);
                Ok(true)
            }
            Ok((target, end)) => {
                let text = String::from_utf8_lossy(&rest[..end]).into_owned();
                let name = &text[2..target];
                if name.eq_ignore_ascii_case("xml") {
                    return Some(Err(if name == "xml" {
                        chars::MISPLACED_XML_PI
                    } else {
                        chars::INVALID_TOKEN
                    }));
                }
                if self.namespaces.is_some() && name.contains(':') {
                    return Some(self.stop(Stop::Invalid(2 + name.find(':').unwrap_or(0))));
                }
                let data = text[target..text.len() - 2].trim_start_matches([' ', '\t', '\n', '\r']);
                let event = Event::Instruction(name.to_owned(), line_breaks(data));
                self.advance(end);
                self.push(event, text);
                Ok(true)
            }
        })
    }

    /// Something else than markup where only markup is allowed: the error, or that it is nothing at all.
    fn stray(&mut self, error: u8) -> Step {
        let rest = self.rest();
        let c = token::char_at(rest, 0).map_or(0, |(c, _)| c);
        if chars::is_name_char(c) {
            let mut end = 0;
            while let Some((c, after)) = token::char_at(rest, end)
                && chars::is_name_char(c)
            {
                end = after;
            }
            let ended = rest
                .get(end)
                .is_none_or(|&b| is_space(b) || b"[>|,)?+*%".contains(&b));
            return if ended {
                Err(error)
            } else {
                self.stop(Stop::Invalid(end))
            };
        }
        if matches!(
            c,
            0x22 | 0x23 | 0x25 | 0x27..=0x2C | 0x5B | 0x5D | 0x7C | 0x3C | 0x3E
        ) {
            Err(error)
        } else {
            Err(chars::INVALID_TOKEN)
        }
    }

    fn prolog(&mut self) -> Step {
        let rest = self.rest();
        if is_space(rest[0]) {
            return self.white();
        }
        if let Some(step) = self.aside() {
            return step;
        }
        let rest = self.rest();
        let error = if self.state == State::Epilog {
            chars::JUNK_AFTER_DOC_ELEMENT
        } else {
            chars::SYNTAX
        };
        if rest[0] != b'<' {
            return self.stray(error);
        }
        match rest.get(1) {
            None => self.stop(Stop::Incomplete),
            Some(b'!') => {
                let doctype = b"<!DOCTYPE";
                let n = rest.len().min(doctype.len());
                let comment = rest.len().min(4);
                if rest[..comment] == b"<!--"[..comment] && rest.len() < 4 {
                    return self.stop(Stop::Incomplete);
                }
                if rest[..n] != doctype[..n] {
                    return Err(if rest.get(2).is_some_and(u8::is_ascii_alphabetic) {
                        error
                    } else {
                        chars::INVALID_TOKEN
                    });
                }
                if self.state != State::Prolog {
                    return Err(error);
                }
                self.doctype()
            }
            Some(&b) => {
                let (c, _) = token::char_at(rest, 1).unwrap_or((b as u32, 0));
                if !chars::is_name_start(c) {
                    return self.stop(Stop::Invalid(1));
                }
                if self.state == State::Epilog {
                    return Err(error);
                }
                self.state = State::Content;
                Ok(true)
            }
        }
    }

    fn doctype(&mut self) -> Step {
        let rest = self.rest();
        let mut end = b"<!DOCTYPE".len();
        let internal = loop {
            match rest.get(end) {
                None => return self.stop(Stop::Incomplete),
                Some(b'[') => break true,
                Some(b'>') => break false,
                Some(b'"' | b'\'') => match token::literal(rest, end) {
                    Ok(after) => end = after,
                    Err(stop) => return self.stop(stop),
                },
                Some(_) => match token::char_at(rest, end) {
                    None => return self.stop(Stop::Incomplete),
                    Some((c, after)) if is_char(c) && c != b'<' as u32 => end = after,
                    Some(_) => return self.stop(Stop::Invalid(end)),
                },
            }
        };
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let (name, system, public) = match dtd::doctype(&head) {
            Ok(found) => found,
            Err((code, offset)) => return Err(self.error_at(code, offset)),
        };
        self.depends |= system.is_some();
        self.subset_of = (system.clone(), public.clone());
        self.advance(end);
        self.push(
            Event::DoctypeStart {
                name,
                system,
                public,
                internal,
            },
            head,
        );
        if internal {
            let raw = self.take(1);
            self.push(Event::Other, raw);
            self.state = State::Subset;
        } else {
            self.state = State::AfterSubset;
        }
        Ok(true)
    }

    fn after_subset(&mut self) -> Step {
        let rest = self.rest();
        if is_space(rest[0]) {
            return self.white();
        }
        if rest[0] != b'>' {
            return self.stray(chars::SYNTAX);
        }
        let raw = self.take(1);
        let (system, public) = std::mem::take(&mut self.subset_of);
        if self.depends && !self.standalone {
            self.push(Event::NotStandalone, String::new());
        }
        let wanted = match self.parameter_parsing {
            0 => false,
            1 => !self.standalone,
            _ => true,
        };
        if wanted && (system.is_some() || self.foreign_dtd) {
            self.push(Event::External(None, system, public), String::new());
        }
        self.push(Event::DoctypeEnd, raw);
        self.state = State::Prolog2;
        Ok(true)
    }

    fn subset(&mut self) -> Step {
        let rest = self.rest();
        let external = self.state == State::ExternalSubset;
        match rest[0] {
            b if is_space(b) => return self.white(),
            b'%' => return self.parameter_reference(),
            b']' if !external && !self.in_entity() => {
                let raw = self.take(1);
                self.push(Event::Other, raw);
                self.state = State::AfterSubset;
                return Ok(true);
            }
            b']' if external && self.included > 0 => {
                return match token::exact(rest, 0, b"]]>") {
                    Ok(n) => {
                        self.included -= 1;
                        let raw = self.take(n);
                        self.push(Event::Other, raw);
                        Ok(true)
                    }
                    Err(stop) => self.stop(stop),
                };
            }
            b'<' => {}
            _ => return self.stray(chars::SYNTAX),
        }
        if rest.len() < 4 && !self.last && !self.in_entity() {
            return Ok(false);
        }
        if let Some(step) = self.aside() {
            return step;
        }
        let rest = self.rest();
        if external && rest.starts_with(b"<![") {
            return self.conditional();
        }
        if !rest.starts_with(b"<!") || !rest.get(2).is_some_and(u8::is_ascii_alphabetic) {
            return self.stop(if rest.len() < 3 {
                Stop::Incomplete
            } else {
                Stop::Invalid(2)
            });
        }
        let end = match token::declaration(rest, 0) {
            Ok(end) => end,
            Err(stop) => return self.stop(stop),
        };
        let mut raw = String::from_utf8_lossy(&rest[..end]).into_owned();
        let text = if external || self.in_entity() {
            self.with_parameters(&raw)?
        } else {
            raw.clone()
        };
        let declaration = match dtd::parse(&text) {
            Ok(declaration) => declaration,
            Err((code, offset)) => {
                let offset = if text == raw { offset } else { 0 };
                return Err(self.error_at(code, offset));
            }
        };
        self.advance(end);
        if let Some(declaration) = self.declare(declaration)? {
            self.push(Event::Declared(declaration), std::mem::take(&mut raw));
        } else {
            self.push(Event::Other, raw);
        }
        Ok(true)
    }

    /// A conditional section of an external subset.
    fn conditional(&mut self) -> Step {
        let rest = String::from_utf8_lossy(self.rest()).into_owned();
        let Some(open) = rest[3..].find('[').map(|at| at + 3) else {
            return self.stop(Stop::Incomplete);
        };
        let keyword = self.with_parameters(&rest[3..open])?;
        match keyword.trim() {
            "INCLUDE" => {
                self.included += 1;
                let raw = self.take(open + 1);
                self.push(Event::Other, raw);
                Ok(true)
            }
            "IGNORE" => {
                let (mut depth, mut at) = (1, open + 1);
                while depth > 0 {
                    let tail = &rest[at..];
                    match (tail.find("<!["), tail.find("]]>")) {
                        (_, None) => return self.stop(Stop::Incomplete),
                        (Some(open), Some(close)) if open < close => {
                            depth += 1;
                            at += open + 3;
                        }
                        (_, Some(close)) => {
                            depth -= 1;
                            at += close + 3;
                        }
                    }
                }
                let raw = self.take(at);
                self.push(Event::Other, raw);
                Ok(true)
            }
            _ => Err(chars::SYNTAX),
        }
    }

    /// Replaces parameter entities within a declaration, outside literals.
    fn with_parameters(&mut self, text: &str) -> Result<String, u8> {
        if !text.contains('%') {
            return Ok(text.to_owned());
        }
        let mut out = String::new();
        let mut pending: Vec<String> = token::words(text, true)
            .iter()
            .rev()
            .map(|w| (*w).to_owned())
            .collect();
        let mut rounds = 0u32;
        while let Some(word) = pending.pop() {
            let name = word.strip_prefix('%').and_then(|w| w.strip_suffix(';'));
            let Some(name) = name.filter(|n| !n.is_empty()) else {
                out.push_str(&word);
                continue;
            };
            rounds += 1;
            let replacement = self
                .dtd
                .borrow()
                .parameter
                .get(name)
                .and_then(|e| e.text.clone());
            let replacement = replacement.ok_or(chars::UNDEFINED_ENTITY)?;
            self.grow(replacement.len())?;
            if rounds > 10_000 {
                return Err(chars::RECURSIVE_ENTITY_REF);
            }
            out.push(' ');
            pending.push(" ".to_owned());
            pending.extend(
                token::words(&replacement, true)
                    .iter()
                    .rev()
                    .map(|w| (*w).to_owned()),
            );
        }
        Ok(out)
    }

    /// The error, at so many bytes from here on.
    fn error_at(&mut self, code: u8, offset: usize) -> u8 {
        let n = offset.min(self.rest().len());
        self.advance(n);
        self.place = self.at;
        code
    }

    /// Counts what entities make of the document.
    fn grow(&mut self, size: usize) -> Result<(), u8> {
        self.expanded += size as u64 + 1;
        let direct = self.at.byte.max(1);
        let all = self.expanded + direct;
        if all > AMPLIFICATION_START && all / direct > AMPLIFICATION_FACTOR {
            return Err(chars::AMPLIFICATION_LIMIT_BREACH);
        }
        Ok(())
    }

    fn parameter_reference(&mut self) -> Step {
        let rest = self.rest();
        let end = token::name(rest, 1).and_then(|end| token::exact(rest, end, b";"));
        let end = match end {
            Ok(end) => end,
            Err(stop) => return self.stop(stop),
        };
        let raw = self.take(end);
        let name = raw[1..raw.len() - 1].to_owned();
        self.depends = true;
        let parse = match self.parameter_parsing {
            0 => false,
            1 => !self.standalone,
            _ => true,
        };
        if !parse {
            self.keep_declarations = self.standalone;
            self.push(Event::Other, raw);
            return Ok(true);
        }
        let entity = self.dtd.borrow().parameter.get(&name).cloned();
        let key = format!("%{name}");
        match entity {
            None => {
                self.keep_declarations = self.standalone;
                self.push(Event::Skipped(name, true), raw);
            }
            Some(_) if self.sources.iter().any(|s| s.entity.as_ref() == Some(&key)) => {
                return Err(chars::RECURSIVE_ENTITY_REF);
            }
            Some(entity) => match entity.text {
                Some(text) => self.enter(key, text)?,
                None => self.push(Event::External(None, entity.system, entity.public), raw),
            },
        }
        Ok(true)
    }

    fn enter(&mut self, entity: String, text: String) -> Result<(), u8> {
        self.grow(text.len())?;
        let depth = self.tags.len();
        self.sources.push(Source {
            text: text.into_bytes(),
            at: 0,
            entity: Some(entity),
            depth,
        });
        Ok(())
    }

    /// Remembers a declaration; what to tell of it.
    fn declare(&mut self, declaration: Declaration) -> Result<Option<Declaration>, u8> {
        match declaration {
            Declaration::Entity {
                name,
                is_parameter,
                mut entity,
            } => {
                if let Some(text) = &entity.text {
                    entity.text = Some(self.entity_value(text)?);
                }
                if !self.keep_declarations {
                    return Ok(None);
                }
                let mut dtd = self.dtd.borrow_mut();
                let table = if is_parameter {
                    &mut dtd.parameter
                } else {
                    &mut dtd.general
                };
                // The first declaration counts.
                if table.contains_key(&name) {
                    return Ok(None);
                }
                table.insert(name.clone(), entity.clone());
                Ok(Some(Declaration::Entity {
                    name,
                    is_parameter,
                    entity,
                }))
            }
            Declaration::Attlist {
                element,
                attributes,
            } => {
                let mut told = Vec::new();
                for (name, kind, default, required) in attributes {
                    let is_cdata = kind == "CDATA";
                    let default = match default {
                        Some(text) => Some(self.attribute_value(&text, is_cdata)?),
                        None => None,
                    };
                    if self.keep_declarations {
                        let mut dtd = self.dtd.borrow_mut();
                        let known = dtd.attributes.entry(element.clone()).or_default();
                        if known.iter().all(|a| a.name != name) {
                            known.push(Attribute {
                                name: name.clone(),
                                is_cdata,
                                default: default.clone(),
                            });
                        }
                    }
                    told.push((name, kind, default, required));
                }
                Ok(self.keep_declarations.then_some(Declaration::Attlist {
                    element,
                    attributes: told,
                }))
            }
            other => Ok(Some(other)),
        }
    }

    /// The replacement text of an entity: references to characters and parameter entities replaced.
    fn entity_value(&mut self, text: &str) -> Result<String, u8> {
        let bytes = text.as_bytes();
        let mut out = String::new();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'&' => {
                    let end = token::reference(bytes, at).map_err(|_| chars::INVALID_TOKEN)?;
                    if bytes[at + 1] == b'#' {
                        out.push(
                            token::char_reference(&bytes[at..end]).ok_or(chars::BAD_CHAR_REF)?,
                        );
                    } else {
                        out.push_str(&text[at..end]);
                    }
                    at = end;
                }
                b'%' => {
                    if self.state != State::ExternalSubset && !self.in_entity() {
                        return Err(chars::PARAM_ENTITY_REF);
                    }
                    let end =
                        token::name(bytes, at + 1).and_then(|end| token::exact(bytes, end, b";"));
                    let end = end.map_err(|_| chars::INVALID_TOKEN)?;
                    let name = &text[at + 1..end - 1];
                    let value = self
                        .dtd
                        .borrow()
                        .parameter
                        .get(name)
                        .and_then(|e| e.text.clone());
                    let value = value.ok_or(chars::UNDEFINED_ENTITY)?;
                    self.grow(value.len())?;
                    out.push_str(&value);
                    at = end;
                }
                b'\r' => {
                    out.push('\n');
                    at += 1 + usize::from(bytes.get(at + 1) == Some(&b'\n'));
                }
                _ => {
                    let end = bytes[at..]
                        .iter()
                        .position(|b| matches!(b, b'&' | b'%' | b'\r'));
                    let end = end.map_or(bytes.len(), |n| at + n);
                    out.push_str(&text[at..end]);
                    at = end;
                }
            }
        }
        Ok(out)
    }

    /// The value of an attribute, with its references replaced and its white space made regular.
    fn attribute_value(&mut self, text: &str, is_cdata: bool) -> Result<String, u8> {
        let plain = |b: &u8| !matches!(b, b'&' | b'\t' | b'\n' | b'\r' | b'<');
        let mut out = String::new();
        self.in_value = 0;
        if text.as_bytes().iter().all(plain) {
            out.push_str(text);
        } else {
            let mut open: Vec<(Option<String>, String, usize)> = vec![(None, text.to_owned(), 0)];
            while let Some((entity, text, at)) = open.last_mut() {
                if entity.is_none() {
                    self.in_value = *at;
                }
                let bytes = text.as_bytes();
                let Some(&b) = bytes.get(*at) else {
                    open.pop();
                    continue;
                };
                match b {
                    b'&' => {
                        let end = token::reference(bytes, *at).map_err(|_| chars::INVALID_TOKEN)?;
                        let raw = text[*at..end].to_owned();
                        *at = end;
                        if raw.starts_with("&#") {
                            out.push(
                                token::char_reference(raw.as_bytes()).ok_or(chars::BAD_CHAR_REF)?,
                            );
                            continue;
                        }
                        let name = &raw[1..raw.len() - 1];
                        if let Some(c) = predefined(name) {
                            out.push(c);
                            continue;
                        }
                        let entity = self.dtd.borrow().general.get(name).cloned();
                        let Some(entity) = entity else {
                            if !self.depends || self.standalone {
                                return Err(chars::UNDEFINED_ENTITY);
                            }
                            continue;
                        };
                        if open.iter().any(|(n, ..)| n.as_deref() == Some(name)) {
                            return Err(chars::RECURSIVE_ENTITY_REF);
                        }
                        if entity.notation.is_some() {
                            return Err(chars::BINARY_ENTITY_REF);
                        }
                        let value = entity.text.ok_or(chars::ATTRIBUTE_EXTERNAL_ENTITY_REF)?;
                        self.grow(value.len())?;
                        open.push((Some(name.to_owned()), value, 0));
                    }
                    b'<' => return Err(chars::INVALID_TOKEN),
                    b'\r' => {
                        *at += 1 + usize::from(bytes.get(*at + 1) == Some(&b'\n'));
                        out.push(' ');
                    }
                    b'\t' | b'\n' => {
                        *at += 1;
                        out.push(' ');
                    }
                    _ => {
                        let end = bytes[*at..].iter().position(|b| !plain(b));
                        let end = end.map_or(bytes.len(), |n| *at + n);
                        out.push_str(&text[*at..end]);
                        *at = end;
                    }
                }
            }
        }
        if !is_cdata {
            out = out
                .split(' ')
                .filter(|w| !w.is_empty())
                .collect::<Vec<_>>()
                .join(" ");
        }
        Ok(out)
    }

    fn content(&mut self) -> Step {
        let rest = self.rest();
        match (rest[0], rest.get(1)) {
            (b'<', None) => self.stop(Stop::Incomplete),
            (b'<', Some(b'/')) => self.end_tag(),
            (b'<', Some(b'!' | b'?')) => {
                if let Some(step) = self.aside() {
                    return step;
                }
                let rest = self.rest();
                let cdata = b"<![CDATA[";
                let n = rest.len().min(cdata.len());
                if rest[..n] == cdata[..n] {
                    if n < cdata.len() {
                        return self.stop(Stop::Incomplete);
                    }
                    let raw = self.take(n);
                    self.push(Event::CdataStart, raw);
                    self.state = State::Cdata;
                    return Ok(true);
                }
                let n = rest.len().min(4);
                if rest[..n] == b"<!--"[..n] {
                    return self.stop(Stop::Incomplete);
                }
                self.stop(Stop::Invalid(2))
            }
            (b'<', _) => self.start_tag(),
            (b'&', _) => self.reference(),
            _ => self.text(false),
        }
    }

    /// Character data up to the next markup or line break.
    fn text(&mut self, cdata: bool) -> Step {
        let rest = self.rest();
        let waits = !self.last && !self.in_entity();
        if rest[0] == b'\n' || rest[0] == b'\r' {
            let pair = rest[0] == b'\r' && rest.get(1) == Some(&b'\n');
            if rest.len() == 1 && rest[0] == b'\r' && waits {
                return Ok(false);
            }
            let raw = self.take(1 + usize::from(pair));
            self.push(Event::Text("\n".to_owned()), raw);
            return Ok(true);
        }
        let mut end = 0;
        while let Some((c, after)) = token::char_at(rest, end) {
            match c {
                0x0A | 0x0D => break,
                0x3C | 0x26 if !cdata => break,
                0x5D => {
                    let tail = &rest[end..];
                    let n = tail.len().min(3);
                    if tail[..n] == b"]]>"[..n] {
                        if n == 3 && !cdata {
                            return if end > 0 {
                                self.give_text(end)
                            } else {
                                self.stop(Stop::Invalid(2))
                            };
                        }
                        if n == 3 || waits {
                            break;
                        }
                    }
                    end = after;
                }
                _ if !is_char(c) => {
                    return if end > 0 {
                        self.give_text(end)
                    } else {
                        self.stop(Stop::Invalid(0))
                    };
                }
                _ => end = after,
            }
        }
        if end == 0 {
            return self.stop(Stop::Incomplete);
        }
        self.give_text(end)
    }

    fn give_text(&mut self, n: usize) -> Step {
        let raw = self.take(n);
        self.push(Event::Text(raw.clone()), raw);
        Ok(true)
    }

    fn cdata(&mut self) -> Step {
        let rest = self.rest();
        if rest.starts_with(b"]]>") {
            let raw = self.take(3);
            self.push(Event::CdataEnd, raw);
            self.state = State::Content;
            return Ok(true);
        }
        match self.text(true) {
            Err(chars::UNCLOSED_TOKEN) => Err(chars::UNCLOSED_CDATA_SECTION),
            other => other,
        }
    }

    fn reference(&mut self) -> Step {
        let end = match token::reference(self.rest(), 0) {
            Ok(end) => end,
            Err(stop) => return self.stop(stop),
        };
        let raw = String::from_utf8_lossy(&self.rest()[..end]).into_owned();
        if raw.starts_with("&#") {
            let c = token::char_reference(raw.as_bytes()).ok_or(chars::BAD_CHAR_REF)?;
            self.advance(end);
            self.push(Event::Text(c.to_string()), raw);
            return Ok(true);
        }
        let name = raw[1..raw.len() - 1].to_owned();
        if let Some(c) = predefined(&name) {
            self.advance(end);
            self.push(Event::Text(c.to_string()), raw);
            return Ok(true);
        }
        let entity = self.dtd.borrow().general.get(&name).cloned();
        let Some(entity) = entity else {
            if !self.depends || self.standalone {
                return Err(chars::UNDEFINED_ENTITY);
            }
            self.advance(end);
            self.push(Event::Skipped(name, false), raw);
            return Ok(true);
        };
        if self
            .sources
            .iter()
            .any(|s| s.entity.as_ref() == Some(&name))
        {
            return Err(chars::RECURSIVE_ENTITY_REF);
        }
        if entity.notation.is_some() {
            return Err(chars::BINARY_ENTITY_REF);
        }
        self.advance(end);
        match entity.text {
            Some(_) if !self.expand => self.push(Event::Skipped(name, false), raw),
            Some(text) => self.enter(name, text)?,
            None => self.push(
                Event::External(Some(name), entity.system, entity.public),
                raw,
            ),
        }
        Ok(true)
    }

    fn start_tag(&mut self) -> Step {
        let rest = self.rest();
        let tag = match token::start_tag(rest, 0) {
            Ok(tag) => tag,
            Err(stop) => return self.stop(stop),
        };
        let text =
            |range: std::ops::Range<usize>| String::from_utf8_lossy(&rest[range]).into_owned();
        let raw = text(0..tag.end);
        let raw_name = text(1..tag.name);
        if self.namespaces.is_some()
            && let Some((second, _)) = raw_name.match_indices(':').nth(1)
        {
            return self.stop(Stop::Invalid(1 + second));
        }
        let declared = self
            .dtd
            .borrow()
            .attributes
            .get(&raw_name)
            .cloned()
            .unwrap_or_default();
        let mut attributes: Vec<(String, String)> = Vec::with_capacity(tag.attributes.len());
        let mut seen = std::collections::BTreeSet::new();
        for (key, value) in tag.attributes {
            let (name, text) = (&raw[key.clone()], &raw[value.clone()]);
            let is_cdata = declared
                .iter()
                .find(|a| a.name == name)
                .is_none_or(|a| a.is_cdata);
            if !seen.insert(name.to_owned()) {
                return Err(self.error_at(chars::DUPLICATE_ATTRIBUTE, key.start));
            }
            let value = match self.attribute_value(text, is_cdata) {
                Ok(value) => value,
                Err(code) => return Err(self.error_at(code, value.start + self.in_value)),
            };
            attributes.push((name.to_owned(), value));
        }
        let mut specified = attributes.len();
        for a in declared {
            if let Some(default) = a.default
                && seen.insert(a.name.clone())
            {
                attributes.push((a.name, default));
            }
        }
        let (mut name, mut bindings) = (raw_name.clone(), 0);
        if let Some(mut namespaces) = self.namespaces.take() {
            let result = namespaces.open(&raw_name, &mut attributes, &mut specified, self.triplets);
            self.namespaces = Some(namespaces);
            let opened = result?;
            bindings = opened.bound.len();
            name = opened.name;
            for (prefix, uri) in opened.bound {
                self.push(Event::NamespaceStart(prefix, uri), String::new());
            }
        }
        self.advance(tag.end);
        let empty = tag.empty;
        self.push(
            Event::Start {
                name: name.clone(),
                attributes,
                specified,
                empty,
            },
            raw,
        );
        self.tags.push(Tag {
            raw: raw_name,
            name,
            bindings,
        });
        if empty {
            self.close(String::new());
        }
        Ok(true)
    }

    /// Ends the innermost element.
    fn close(&mut self, raw: String) {
        let Some(tag) = self.tags.pop() else {
            return;
        };
        self.push(Event::End(tag.name), raw);
        if let Some(namespaces) = &mut self.namespaces {
            for prefix in namespaces.close(tag.bindings) {
                self.queue.push_back(Item {
                    event: Event::NamespaceEnd(prefix),
                    raw: String::new(),
                });
            }
        }
        if self.tags.is_empty() && !self.in_entity() && !self.is_external() {
            self.state = State::Epilog;
        }
    }

    fn end_tag(&mut self) -> Step {
        let rest = self.rest();
        let (name, end) = match token::end_tag(rest, 0) {
            Ok(ends) => ends,
            Err(stop) => return self.stop(stop),
        };
        let least = self.sources.last().map_or(0, |s| s.depth);
        if self.tags.len() <= least {
            return Err(chars::ASYNC_ENTITY);
        }
        if self
            .tags
            .last()
            .is_some_and(|t| t.raw.as_bytes() != &rest[2..name])
        {
            self.advance(2);
            if !self.in_entity() {
                self.place = self.at;
            }
            return Err(chars::TAG_MISMATCH);
        }
        let raw = self.take(end);
        self.close(raw);
        Ok(true)
    }
}

/// The characters that have names without declaration.
fn predefined(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

/// Line breaks as the specification wants them.
fn line_breaks(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
