//! The parameters of functions and lambdas.

use super::cursor::{Halt, Parse, Parser, Place};
use super::node::{Kind, Node};
use crate::scan::{Tok, Token};

/// Whose parameters are read: a lambda's have no annotations and end at a colon.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Function,
    Lambda,
}

impl Owner {
    /// What may come after the parameters. (In a replacement field the colon is another one.)
    fn ends(self) -> &'static [Tok] {
        match self {
            Owner::Function => &[Tok::Rpar],
            Owner::Lambda => &[Tok::Colon, Tok::SpecColon],
        }
    }
}

/// What has been seen of a parameter list.
#[derive(Default)]
struct Seen {
    /// Whether there was a parameter before any `*`.
    positional: bool,
    default: bool,
    slash: bool,
    star: bool,
}

impl Parser<'_> {
    pub(super) fn lambda(&mut self) -> Parse<Node> {
        let start = self.need(Tok::Lambda)?.start;
        self.attempt(Parser::lambda_parameters)?;
        self.need(Tok::Colon)?;
        self.expression()?;
        Ok(self.node(Kind::Lambda, start))
    }

    pub(super) fn lambda_parameters(&mut self) -> Parse<()> {
        self.parameter_list(Owner::Lambda)
    }

    pub(super) fn function_parameters(&mut self) -> Parse<()> {
        self.parameter_list(Owner::Function)
    }

    fn parameter_list(&mut self, owner: Owner) -> Parse<()> {
        let mut seen = Seen::default();
        loop {
            if self.is_any(owner.ends()) {
                return Ok(());
            }
            let token = self.token();
            match token.kind {
                Tok::Name => {
                    self.bump();
                    self.annotation(owner, false)?;
                    let default = self.default_value()?;
                    if seen.default && !default && !seen.star {
                        let complete = self.is(Tok::Comma) || self.is_any(owner.ends());
                        if self.reporting && complete {
                            let message =
                                "parameter without a default follows parameter with a default";
                            return Err(self.error_token(token, message));
                        }
                        return Err(Halt::NoMatch);
                    }
                    seen.default |= default;
                    seen.positional = true;
                }
                Tok::Slash => {
                    self.bump();
                    self.slash(token, &seen)?;
                    seen.slash = true;
                }
                Tok::Star => {
                    self.bump();
                    self.star(token, owner, &seen)?;
                    seen.star = true;
                }
                Tok::DoubleStar => {
                    self.bump();
                    return self.double_star(owner);
                }
                Tok::Lpar if self.reporting && !seen.default && !seen.star => {
                    self.parenthesized_parameters(token, owner)?;
                    return Err(Halt::NoMatch);
                }
                _ => return Err(Halt::NoMatch),
            }
            if !self.eat(Tok::Comma) {
                return if self.is_any(owner.ends()) {
                    Ok(())
                } else {
                    Err(Halt::NoMatch)
                };
            }
        }
    }

    fn annotation(&mut self, owner: Owner, starred: bool) -> Parse<()> {
        if owner == Owner::Lambda || !self.eat(Tok::Colon) {
            return Ok(());
        }
        if starred {
            self.star_expression()?;
        } else {
            self.expression()?;
        }
        Ok(())
    }

    /// `= value`; tells whether there is one.
    fn default_value(&mut self) -> Parse<bool> {
        if !self.is(Tok::Equal) {
            return Ok(false);
        }
        let equal = self.bump();
        if self.attempt(Parser::expression)?.is_some() {
            return Ok(true);
        }
        if self.reporting && self.is_any(&[Tok::Rpar, Tok::Comma]) {
            return Err(self.error_token(equal, "expected default value expression"));
        }
        Err(Halt::NoMatch)
    }

    fn slash(&mut self, token: Token, seen: &Seen) -> Parse<()> {
        let message = if seen.star {
            "/ must be ahead of *"
        } else if seen.slash {
            "/ may appear only once"
        } else if !seen.positional {
            if self.reporting && self.is(Tok::Comma) {
                let message = "at least one argument must precede /";
                return Err(self.error_token(token, message));
            }
            return Err(Halt::NoMatch);
        } else {
            if self.reporting && self.is(Tok::Star) {
                let star = self.token();
                return Err(self.error_token(star, "expected comma between / and *"));
            }
            return Ok(());
        };
        if self.reporting {
            return Err(self.error_token(token, message));
        }
        // The slash itself is what does not fit.
        Err(Halt::NoMatch)
    }

    fn star(&mut self, token: Token, owner: Owner, seen: &Seen) -> Parse<()> {
        if seen.star {
            let complete = self.matches(|parser| {
                if parser.is(Tok::Comma) {
                    return Ok(());
                }
                parser.need(Tok::Name)?;
                parser.annotation(owner, true)?;
                if parser.is(Tok::Comma) || parser.is_any(owner.ends()) {
                    Ok(())
                } else {
                    Err(Halt::NoMatch)
                }
            })?;
            if self.reporting && complete {
                return Err(self.error_token(token, "* argument may appear only once"));
            }
            return Err(Halt::NoMatch);
        }
        if self.is(Tok::Name) {
            self.bump();
            let colon = self.mark();
            self.annotation(owner, true)?;
            if self.is(Tok::Equal) {
                // With a starred annotation this is no common mistake but plain nonsense.
                let equal = self.mark();
                self.reset(colon);
                let starred = self.eat(Tok::Colon) && self.is(Tok::Star);
                self.reset(equal);
                if self.reporting && !starred {
                    let equal = self.token();
                    let message = "var-positional argument cannot have default value";
                    return Err(self.error_token(equal, message));
                }
                return Err(Halt::NoMatch);
            }
            return Ok(());
        }
        let mark = self.mark();
        let bare = self.is_any(owner.ends())
            || (self.eat(Tok::Comma) && (self.is(Tok::DoubleStar) || self.is_any(owner.ends())));
        self.reset(mark);
        if bare {
            if !self.reporting {
                return Err(Halt::NoMatch);
            }
            let message = "named arguments must follow bare *";
            return Err(match owner {
                Owner::Function => self.error_token(token, message),
                Owner::Lambda => self.error(Place::LastToken, message),
            });
        }
        if !self.is(Tok::Comma) {
            return Err(Halt::NoMatch);
        }
        Ok(())
    }

    fn double_star(&mut self, owner: Owner) -> Parse<()> {
        self.need(Tok::Name)?;
        self.annotation(owner, false)?;
        if self.is(Tok::Equal) {
            if self.reporting {
                let equal = self.token();
                let message = "var-keyword argument cannot have default value";
                return Err(self.error_token(equal, message));
            }
            return Err(Halt::NoMatch);
        }
        if self.eat(Tok::Comma)
            && self.reporting
            && self.is_any(&[Tok::Name, Tok::Star, Tok::DoubleStar, Tok::Slash])
        {
            let token = self.token();
            let message = "arguments cannot follow var-keyword argument";
            return Err(self.error_token(token, message));
        }
        if self.is_any(owner.ends()) {
            Ok(())
        } else {
            Err(Halt::NoMatch)
        }
    }

    /// `def f((a, b)):`
    fn parenthesized_parameters(&mut self, open: Token, owner: Owner) -> Parse<()> {
        let close = self.attempt(|parser| {
            parser.need(Tok::Lpar)?;
            parser.need(Tok::Name)?;
            while parser.eat(Tok::Comma) {
                if parser.attempt(|parser| parser.need(Tok::Name))?.is_none() {
                    break;
                }
            }
            parser.need(Tok::Rpar)
        })?;
        let what = match owner {
            Owner::Function => "Function",
            Owner::Lambda => "Lambda expression",
        };
        match close {
            Some(close) => {
                let message = format!("{what} parameters cannot be parenthesized");
                Err(self.error(Place::Range(open.start, close.end), message))
            }
            None => Ok(()),
        }
    }
}
