//! The character classes of XML 1.0 (fifth edition, productions 2 to 5), and the errors by number.

/// Whether a name may begin with this.
pub fn is_name_start(c: u32) -> bool {
    matches!(c, 0x3A | 0x41..=0x5A | 0x5F | 0x61..=0x7A | 0xC0..=0xD6 | 0xD8..=0xF6 | 0xF8..=0x2FF | 0x370..=0x37D | 0x37F..=0x1FFF
        | 0x200C..=0x200D | 0x2070..=0x218F | 0x2C00..=0x2FEF | 0x3001..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFFD | 0x10000..=0xEFFFF)
}

/// Whether this may be within a name.
pub fn is_name_char(c: u32) -> bool {
    is_name_start(c)
        || matches!(c, 0x2D | 0x2E | 0x30..=0x39 | 0xB7 | 0x300..=0x36F | 0x203F..=0x2040)
}

/// Whether this may be in a document at all.
pub fn is_char(c: u32) -> bool {
    matches!(c, 9 | 10 | 13 | 0x20..=0xD7FF | 0xE000..=0xFFFD | 0x10000..=0x10FFFF)
}

/// White space.
pub fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r')
}

/// What may be in a public identifier.
pub fn is_public_id(b: u8) -> bool {
    b.is_ascii_alphanumeric() || is_space(b) && b != b'\t' || b"-'()+,./:=?;!*#@$_%".contains(&b)
}

macro_rules! errors {
    ($($name:ident $number:literal $text:literal;)*) => {
        $(
            #[doc = $text]
            #[allow(dead_code)] // Python sees the whole list
            pub const $name: u8 = $number;
        )*
        /// Name and text of each error, in order of the numbers from 1.
        pub const ERRORS: &[(&str, &str)] = &[$((concat!("XML_ERROR_", stringify!($name)), $text)),*];
    };
}

errors! {
    NO_MEMORY 1 "out of memory";
    SYNTAX 2 "syntax error";
    NO_ELEMENTS 3 "no element found";
    INVALID_TOKEN 4 "not well-formed (invalid token)";
    UNCLOSED_TOKEN 5 "unclosed token";
    PARTIAL_CHAR 6 "partial character";
    TAG_MISMATCH 7 "mismatched tag";
    DUPLICATE_ATTRIBUTE 8 "duplicate attribute";
    JUNK_AFTER_DOC_ELEMENT 9 "junk after document element";
    PARAM_ENTITY_REF 10 "illegal parameter entity reference";
    UNDEFINED_ENTITY 11 "undefined entity";
    RECURSIVE_ENTITY_REF 12 "recursive entity reference";
    ASYNC_ENTITY 13 "asynchronous entity";
    BAD_CHAR_REF 14 "reference to invalid character number";
    BINARY_ENTITY_REF 15 "reference to binary entity";
    ATTRIBUTE_EXTERNAL_ENTITY_REF 16 "reference to external entity in attribute";
    MISPLACED_XML_PI 17 "XML or text declaration not at start of entity";
    UNKNOWN_ENCODING 18 "unknown encoding";
    INCORRECT_ENCODING 19 "encoding specified in XML declaration is incorrect";
    UNCLOSED_CDATA_SECTION 20 "unclosed CDATA section";
    EXTERNAL_ENTITY_HANDLING 21 "error in processing external entity reference";
    NOT_STANDALONE 22 "document is not standalone";
    UNEXPECTED_STATE 23 "unexpected parser state - please send a bug report";
    ENTITY_DECLARED_IN_PE 24 "entity declared in parameter entity";
    FEATURE_REQUIRES_XML_DTD 25 "requested feature requires XML_DTD support in Expat";
    CANT_CHANGE_FEATURE_ONCE_PARSING 26 "cannot change setting once parsing has begun";
    UNBOUND_PREFIX 27 "unbound prefix";
    UNDECLARING_PREFIX 28 "must not undeclare prefix";
    INCOMPLETE_PE 29 "incomplete markup in parameter entity";
    XML_DECL 30 "XML declaration not well-formed";
    TEXT_DECL 31 "text declaration not well-formed";
    PUBLICID 32 "illegal character(s) in public id";
    SUSPENDED 33 "parser suspended";
    NOT_SUSPENDED 34 "parser not suspended";
    ABORTED 35 "parsing aborted";
    FINISHED 36 "parsing finished";
    SUSPEND_PE 37 "cannot suspend in external parameter entity";
    RESERVED_PREFIX_XML 38 "reserved prefix (xml) must not be undeclared or bound to another namespace name";
    RESERVED_PREFIX_XMLNS 39 "reserved prefix (xmlns) must not be declared or undeclared";
    RESERVED_NAMESPACE_URI 40 "prefix must not be bound to one of the reserved namespace names";
    INVALID_ARGUMENT 41 "invalid argument";
    NO_BUFFER 42 "a successful prior call to function XML_GetBuffer was required";
    AMPLIFICATION_LIMIT_BREACH 43 "limit on input amplification factor (from DTD and entities) breached";
    NOT_STARTED 44 "parser not started";
}
