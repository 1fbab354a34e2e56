//! Bounds the depth of the tree before the parser builds it.
//!
//! The parser calls itself for everything that nests to the right (brackets, prefix operators,
//! `**`, the `else` of a conditional, lambda bodies, blocks) and so does every later pass over the
//! tree; dropping the tree does too. A stack overflow cannot be caught, least of all in
//! WebAssembly. So the tokens are measured first, and a source that nests too deeply is refused
//! with the exception that CPython gives for one (which it does later: at some thousands).
//!
//! Two numbers are bounded:
//!
//! * the *nesting*: how many constructs are open at once, up to [`MAX_NESTING`]. It bounds the
//!   recursion of a pass that walks left-deep chains (`a + b + c`, `a.b.c()`) in a loop;
//! * the *depth* of an expression's tree, such chains included, up to [`MAX_DEPTH`]. It bounds the
//!   recursion of any pass.
//!
//! Both are upper bounds for the tree, found by keeping for every open bracket the operators whose
//! right operand is being read, as an operator-precedence parser does.

use crate::error::ErrorKind;
use crate::scan::{Tok, Token};

/// How many constructs may be open at once: blocks (at most 99), brackets (at most 200), and
/// operators whose right operand is not complete.
pub const MAX_NESTING: usize = 300;

/// How deep the tree of one expression may be.
pub const MAX_DEPTH: usize = 1000;

/// How strongly an operator binds to what is on its right; greater is stronger.
mod binding {
    pub(super) const WALRUS: u8 = 0;
    pub(super) const LAMBDA: u8 = 1;
    pub(super) const CONDITIONAL: u8 = 2;
    pub(super) const OR: u8 = 3;
    pub(super) const AND: u8 = 4;
    pub(super) const NOT: u8 = 5;
    pub(super) const COMPARISON: u8 = 6;
    pub(super) const BITWISE_OR: u8 = 7;
    pub(super) const BITWISE_XOR: u8 = 8;
    pub(super) const BITWISE_AND: u8 = 9;
    pub(super) const SHIFT: u8 = 10;
    pub(super) const SUM: u8 = 11;
    pub(super) const TERM: u8 = 12;
    pub(super) const UNARY: u8 = 13;
    pub(super) const POWER: u8 = 14;
    pub(super) const AWAIT: u8 = 15;
}

/// What is known of the expressions inside one bracket (or outside of all).
#[derive(Default)]
struct Frame {
    /// The operators that wait for their right operand, weaker ones first (but for prefixes).
    pending: Vec<u8>,
    /// The longest that `pending` has been in the current expression.
    most_pending: usize,
    /// Left-deep steps in the current expression: trailers and operators.
    chain: usize,
    /// The depth of the deepest bracket in the current expression.
    inner: usize,
    /// The depth of the deepest expression that is complete.
    deepest: usize,
    /// Lambdas whose colon has not come yet.
    lambdas: usize,
}

impl Frame {
    fn depth(&self) -> usize {
        // Flat operations (comparisons, `and`, `or`) add one level each at most.
        let current = self.chain + self.most_pending + self.inner + 3;
        self.deepest.max(current)
    }

    /// The current expression is complete.
    fn separate(&mut self) {
        self.deepest = self.depth();
        self.pending.clear();
        self.most_pending = 0;
        self.chain = 0;
        self.inner = 0;
        self.lambdas = 0;
    }

    fn prefix(&mut self, binding: u8) {
        self.pending.push(binding);
        self.most_pending = self.most_pending.max(self.pending.len());
    }

    /// An operator between two operands: it ends those that bind as strongly or more.
    fn infix(&mut self, binding: u8, right_associative: bool) {
        while let Some(&top) = self.pending.last() {
            if top > binding || (top == binding && !right_associative) {
                self.pending.pop();
            } else {
                break;
            }
        }
        self.prefix(binding);
    }
}

/// Measures the nesting. Tokens that would make a tree that is too deep are refused; the error is
/// the kind of exception.
pub(crate) fn check(tokens: &[Token]) -> Result<usize, ErrorKind> {
    let mut most = 0;
    let mut frames = vec![Frame::default()];
    let mut indents = 0usize;
    // Operators that are pending in all frames but the innermost.
    let mut outer_pending = 0usize;
    let mut after_operand = false;
    for token in tokens {
        let kind = token.kind;
        let Some(frame) = frames.last_mut() else {
            return Ok(most);
        };
        match kind {
            Tok::Indent => indents += 1,
            Tok::Dedent => indents = indents.saturating_sub(1),
            Tok::Lpar | Tok::Lsqb | Tok::Lbrace | Tok::FStart => {
                if after_operand && matches!(kind, Tok::Lpar | Tok::Lsqb) {
                    frame.chain += 1;
                }
                outer_pending += frame.pending.len();
                frames.push(Frame::default());
            }
            Tok::Rpar | Tok::Rsqb | Tok::Rbrace | Tok::FEnd => {
                if frames.len() > 1
                    && let Some(closed) = frames.pop()
                    && let Some(frame) = frames.last_mut()
                {
                    frame.inner = frame.inner.max(closed.depth() + 1);
                    outer_pending -= frame.pending.len();
                }
            }
            Tok::Dot => frame.chain += 1,
            Tok::Colon if frame.lambdas > 0 => frame.lambdas -= 1,
            Tok::Comma | Tok::Equal if frame.lambdas > 0 => {}
            Tok::Newline
            | Tok::Semi
            | Tok::Comma
            | Tok::Colon
            | Tok::SpecColon
            | Tok::Equal
            | Tok::AugAssign
            | Tok::Arrow
            | Tok::For => frame.separate(),
            _ => operator(frame, kind, after_operand),
        }
        after_operand = ends_operand(kind);
        let open = frames.len() - 1;
        let Some(frame) = frames.last() else {
            return Ok(most);
        };
        most = most.max(indents + open + outer_pending + frame.pending.len());
        if most > MAX_NESTING {
            return Err(ErrorKind::Memory);
        }
        if frame.depth() > MAX_DEPTH {
            return Err(ErrorKind::Recursion);
        }
    }
    Ok(most)
}

fn operator(frame: &mut Frame, kind: Tok, after_operand: bool) {
    use binding::*;
    let (strength, left_deep) = match kind {
        Tok::Lambda => {
            frame.lambdas += 1;
            return frame.prefix(LAMBDA);
        }
        Tok::Yield => return frame.prefix(LAMBDA),
        Tok::Await => return frame.prefix(AWAIT),
        Tok::Not if !after_operand => return frame.prefix(NOT),
        Tok::Plus | Tok::Minus | Tok::Tilde if !after_operand => return frame.prefix(UNARY),
        Tok::Star | Tok::DoubleStar if !after_operand => return frame.prefix(BITWISE_OR),
        Tok::DoubleStar => return frame.infix(POWER, true),
        Tok::ColonEqual => return frame.infix(WALRUS, true),
        Tok::If => return frame.infix(CONDITIONAL, true),
        Tok::Or => (OR, false),
        Tok::And => (AND, false),
        Tok::Not
        | Tok::In
        | Tok::Is
        | Tok::Less
        | Tok::LessEqual
        | Tok::Greater
        | Tok::GreaterEqual
        | Tok::EqEqual
        | Tok::NotEqual => (COMPARISON, false),
        Tok::Vbar => (BITWISE_OR, true),
        Tok::Circumflex => (BITWISE_XOR, true),
        Tok::Amper => (BITWISE_AND, true),
        Tok::LeftShift | Tok::RightShift => (SHIFT, true),
        Tok::Plus | Tok::Minus => (SUM, true),
        Tok::Star | Tok::Slash | Tok::DoubleSlash | Tok::Percent | Tok::At => (TERM, true),
        _ => return,
    };
    frame.chain += usize::from(left_deep);
    frame.infix(strength, false);
}

/// Whether an operand may end with the token, so that a bracket after it is a call or subscript
/// and a sign after it is no prefix.
fn ends_operand(kind: Tok) -> bool {
    matches!(
        kind,
        Tok::Name
            | Tok::Number
            | Tok::String
            | Tok::FEnd
            | Tok::Rpar
            | Tok::Rsqb
            | Tok::Rbrace
            | Tok::None
            | Tok::True
            | Tok::False
            | Tok::Ellipsis
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::scan;

    fn refusal(source: &str) -> Option<ErrorKind> {
        check(&scan(source).tokens).err()
    }

    #[test]
    fn chains() {
        assert_eq!(refusal(&("1+".repeat(900) + "1")), None);
        assert_eq!(refusal(&("a".to_owned() + &".b()".repeat(400))), None);
        assert_eq!(
            refusal(&("a or b and c == d ".to_owned() + &"or e ".repeat(5000))),
            None
        );
        assert_eq!(
            refusal(&("1+".repeat(1100) + "1")),
            Some(ErrorKind::Recursion)
        );
        assert_eq!(
            refusal(&("a".to_owned() + &".b()".repeat(600))),
            Some(ErrorKind::Recursion)
        );
        let nested = "a".to_owned() + &".b".repeat(90);
        let nested = (0..30).fold("1".to_owned(), |inner, _| format!("f({inner}){nested}"));
        assert_eq!(refusal(&nested), Some(ErrorKind::Recursion));
    }

    #[test]
    fn nesting() {
        for prefix in [
            "not ",
            "-",
            "lambda: ",
            "1 if 1 else ",
            "1 ** ",
            "lambda x=1, y=2: ",
            "a := ",
        ] {
            assert_eq!(refusal(&(prefix.repeat(250) + "1")), None, "{prefix}");
            assert_eq!(
                refusal(&(prefix.repeat(400) + "1")),
                Some(ErrorKind::Memory),
                "{prefix}"
            );
        }
        let wide = format!("[{}]", "-1, ".repeat(5000));
        assert_eq!(refusal(&wide), None);
        assert_eq!(refusal(&("(".repeat(199) + &")".repeat(199))), None);
        let mixed = "(1 or 1 and not 1 < 1 | 1 ^ 1 & 1 << 1 + 1 * -1 ** ".repeat(100);
        assert_eq!(refusal(&mixed), Some(ErrorKind::Memory));
        let lambdas = "lambda: 1 or 1 and ".repeat(150) + "1";
        assert_eq!(refusal(&lambdas), Some(ErrorKind::Memory));
    }

    #[test]
    fn flat_sources() {
        let statements = "x = a.b.c + [1, 2][0] if y else -z\n".repeat(2000);
        assert_eq!(refusal(&statements), None);
        let comprehension = "[x for x in y if a if b for z in x if not c]\n".repeat(100);
        assert_eq!(refusal(&comprehension), None);
    }
}
