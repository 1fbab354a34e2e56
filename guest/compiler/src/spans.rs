//! The source spans of a code unit's instructions: at hand, or packed until somebody asks.
//!
//! Hardly any code of the library is ever in a traceback, so that its spans stay packed. This room knows how they are packed,
//! and nothing of where the bytes lie.

use std::cell::OnceCell;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use crate::code::Span;
use crate::varint;

/// The packed spans of all code units of a module, fetched when first needed.
pub struct Store {
    fetch: Box<dyn Fn() -> Vec<u8>>,
    bytes: OnceCell<Vec<u8>>,
}

impl Store {
    /// Spans that `fetch` will give.
    pub fn new(fetch: impl Fn() -> Vec<u8> + 'static) -> Rc<Store> {
        Rc::new(Store {
            fetch: Box::new(fetch),
            bytes: OnceCell::new(),
        })
    }
}

/// One span for each instruction; a slice to those who read it.
#[derive(Clone)]
pub struct Spans {
    known: OnceCell<Box<[Span]>>,
    packed: Option<Packed>,
}

#[derive(Clone)]
struct Packed {
    store: Rc<Store>,
    /// Offset in the store.
    at: usize,
    /// Number of spans.
    count: usize,
}

impl Spans {
    /// The `count` spans that begin at this offset of the store.
    pub(crate) fn packed(store: &Rc<Store>, at: usize, count: usize) -> Spans {
        Spans {
            known: OnceCell::new(),
            packed: Some(Packed {
                store: store.clone(),
                at,
                count,
            }),
        }
    }
}

impl From<Vec<Span>> for Spans {
    fn from(spans: Vec<Span>) -> Spans {
        Spans {
            known: OnceCell::from(spans.into_boxed_slice()),
            packed: None,
        }
    }
}

impl Deref for Spans {
    type Target = [Span];
    fn deref(&self) -> &[Span] {
        self.known.get_or_init(|| match &self.packed {
            Some(packed) => {
                let bytes = packed.store.bytes.get_or_init(|| (packed.store.fetch)());
                read(bytes.get(packed.at..).unwrap_or_default(), packed.count)
            }
            None => Box::default(),
        })
    }
}

impl PartialEq for Spans {
    fn eq(&self, other: &Spans) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Appends spans to a store's bytes: the distance from the start of the one before, and the length.
pub(crate) fn write(spans: &[Span], out: &mut Vec<u8>) {
    let mut before = 0;
    for span in spans {
        varint::write_signed(i64::from(span.start) - before, out);
        varint::write_signed(i64::from(span.end) - i64::from(span.start), out);
        before = i64::from(span.start);
    }
}

fn read(bytes: &[u8], count: usize) -> Box<[Span]> {
    let mut reader = varint::Reader::new(bytes);
    let mut before = 0;
    (0..count)
        .map_while(|_| {
            let start = before + reader.signed()?;
            let end = start + reader.signed()?;
            before = start;
            Some(Span {
                start: u32::try_from(start).ok()?,
                end: u32::try_from(end).ok()?,
            })
        })
        .collect()
}
