//! The tokens that the scanner makes: kind, place, and how many brackets are open around them.

/// The kind of a token. Operators are named after their characters' usual names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Tok {
    Name,
    Number,
    String,
    /// The start of an f-string or t-string, up to and with its opening quotes.
    FStart,
    /// Literal text inside one; may be empty.
    FMiddle,
    /// Its closing quotes.
    FEnd,
    Newline,
    Indent,
    Dedent,
    /// The end of the source.
    End,
    /// The end of the source inside a bracket.
    OpenEnd,
    /// A lexical error that counts only if the parser gets this far.
    Error,
    /// A character that begins no token (`$`, `?`, `` ` ``).
    Unknown,

    Lpar,
    Rpar,
    Lsqb,
    Rsqb,
    Lbrace,
    Rbrace,
    Colon,
    /// The colon that ends the expression of a replacement field and begins its format specifier.
    SpecColon,
    Comma,
    Semi,
    Dot,
    Ellipsis,
    Arrow,
    At,
    Equal,
    ColonEqual,
    Exclamation,
    Plus,
    Minus,
    Star,
    Slash,
    DoubleSlash,
    Percent,
    DoubleStar,
    Vbar,
    Amper,
    Circumflex,
    Tilde,
    LeftShift,
    RightShift,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    EqEqual,
    NotEqual,
    /// `<>`, which is never valid but is one token.
    LessGreater,
    /// Any of `+=`, `-=`, ...
    AugAssign,

    False,
    None,
    True,
    And,
    As,
    Assert,
    Async,
    Await,
    Break,
    Class,
    Continue,
    Def,
    Del,
    Elif,
    Else,
    Except,
    Finally,
    For,
    From,
    Global,
    If,
    Import,
    In,
    Is,
    Lambda,
    Nonlocal,
    Not,
    Or,
    Pass,
    Raise,
    Return,
    Try,
    While,
    With,
    Yield,
}

impl Tok {
    /// The keyword that `text` is, or [`Tok::Name`].
    pub(crate) fn of_word(text: &str) -> Tok {
        match text {
            "False" => Tok::False,
            "None" => Tok::None,
            "True" => Tok::True,
            "and" => Tok::And,
            "as" => Tok::As,
            "assert" => Tok::Assert,
            "async" => Tok::Async,
            "await" => Tok::Await,
            "break" => Tok::Break,
            "class" => Tok::Class,
            "continue" => Tok::Continue,
            "def" => Tok::Def,
            "del" => Tok::Del,
            "elif" => Tok::Elif,
            "else" => Tok::Else,
            "except" => Tok::Except,
            "finally" => Tok::Finally,
            "for" => Tok::For,
            "from" => Tok::From,
            "global" => Tok::Global,
            "if" => Tok::If,
            "import" => Tok::Import,
            "in" => Tok::In,
            "is" => Tok::Is,
            "lambda" => Tok::Lambda,
            "nonlocal" => Tok::Nonlocal,
            "not" => Tok::Not,
            "or" => Tok::Or,
            "pass" => Tok::Pass,
            "raise" => Tok::Raise,
            "return" => Tok::Return,
            "try" => Tok::Try,
            "while" => Tok::While,
            "with" => Tok::With,
            "yield" => Tok::Yield,
            _ => Tok::Name,
        }
    }
}

/// One token of a source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) kind: Tok,
    /// How many brackets are open at the token; an opening or closing bracket does not count itself.
    pub(crate) level: u8,
    /// Offset of the first byte.
    pub(crate) start: u32,
    /// Offset after the last byte.
    pub(crate) end: u32,
}
