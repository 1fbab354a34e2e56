//! What the diagnosing parser keeps of an expression: its kind, its place, and the elements that
//! matter when it stands where a target must.

use std::rc::Rc;

/// The kind of an expression, as far as messages tell kinds apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Attribute,
    Subscript,
    Starred,
    List,
    Tuple,
    Lambda,
    Call,
    /// A boolean, binary or unary operation.
    Operation,
    /// A comparison whose first operator is `in`; the left operand is the only part.
    InComparison,
    Comparison,
    Generator,
    Yield,
    Await,
    ListComprehension,
    SetComprehension,
    DictComprehension,
    Dict,
    Set,
    FString,
    TString,
    None,
    True,
    False,
    Ellipsis,
    Literal,
    Conditional,
    Named,
}

impl Kind {
    /// What messages call it.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Kind::Name => "name",
            Kind::Attribute => "attribute",
            Kind::Subscript => "subscript",
            Kind::Starred => "starred",
            Kind::List => "list",
            Kind::Tuple => "tuple",
            Kind::Lambda => "lambda",
            Kind::Call => "function call",
            Kind::Operation => "expression",
            Kind::InComparison | Kind::Comparison => "comparison",
            Kind::Generator => "generator expression",
            Kind::Yield => "yield expression",
            Kind::Await => "await expression",
            Kind::ListComprehension => "list comprehension",
            Kind::SetComprehension => "set comprehension",
            Kind::DictComprehension => "dict comprehension",
            Kind::Dict => "dict literal",
            Kind::Set => "set display",
            Kind::FString => "f-string expression",
            Kind::TString => "t-string expression",
            Kind::None => "None",
            Kind::True => "True",
            Kind::False => "False",
            Kind::Ellipsis => "ellipsis",
            Kind::Literal => "literal",
            Kind::Conditional => "conditional expression",
            Kind::Named => "named expression",
        }
    }
}

/// An expression that was recognised.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Offset of its first byte.
    pub(super) start: u32,
    /// Offset after its last byte.
    pub(super) end: u32,
    /// Elements of a tuple or list, the value of a starred expression, the left side of `in`.
    pub(super) parts: Rc<[Node]>,
    /// Whether parentheses stand around it (which are not part of its range, but for a tuple).
    pub(super) parenthesized: bool,
}

impl Node {
    pub(super) fn new(kind: Kind, start: u32, end: u32) -> Node {
        Node::with_parts(kind, start, end, Vec::new())
    }

    pub(super) fn with_parts(kind: Kind, start: u32, end: u32, parts: Vec<Node>) -> Node {
        Node {
            kind,
            start,
            end,
            parts: Rc::from(parts),
            parenthesized: false,
        }
    }
}

/// Where a target stands; what is allowed there differs a little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// `=`, `with ... as`
    Assignment,
    /// `del`
    Delete,
    /// `for`: what was read may be a comparison with `in`, whose left side is the target.
    Loop,
}

/// The first part of `node` that cannot be a target.
pub(super) fn invalid_target(node: &Node, place: Place) -> Option<&Node> {
    match node.kind {
        Kind::List | Kind::Tuple => node
            .parts
            .iter()
            .find_map(|part| invalid_target(part, place)),
        Kind::Starred if place == Place::Delete => Some(node),
        Kind::Starred => node
            .parts
            .first()
            .and_then(|value| invalid_target(value, place)),
        Kind::InComparison if place == Place::Loop => node
            .parts
            .first()
            .and_then(|left| invalid_target(left, place)),
        Kind::Comparison if place == Place::Loop => None,
        Kind::Name | Kind::Subscript | Kind::Attribute => None,
        _ => Some(node),
    }
}
