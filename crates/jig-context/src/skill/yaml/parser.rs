//! Parses tokens into nodes.

use super::scanner::Scanner;
use super::token::{Kind, Token};
use super::{DEPTH_MAX, Fault, Result};

/// A node with its position.
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) column: isize,
    pub(super) body: Body,
}

/// The content of a node.
pub(super) enum Body {
    /// A text, and whether it was plain (neither quoted nor a block).
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

pub(super) struct Parser {
    scanner: Scanner,
    depth: usize,
}

impl Parser {
    pub(super) fn new(scanner: Scanner) -> Self {
        Self { scanner, depth: 0 }
    }

    /// The single document; `None` if it is empty.
    pub(super) fn document(&mut self) -> Result<Option<Node>> {
        let start = self.scanner.next()?;
        self.hand_on(&start)?;
        if self.scanner.next_is(&Kind::End)? {
            return Ok(None);
        }
        let node = self.node(false)?;
        if self.scanner.next_is(&Kind::DocumentEnd)? {
            self.scanner.next()?;
        }
        if !self.scanner.next_is(&Kind::End)? {
            return self.unexpected("there is text behind the end of the first value");
        }
        Ok(Some(node))
    }

    /// A value. A list that is the value of a key need not be indented.
    fn node(&mut self, under_key: bool) -> Result<Node> {
        let (line, column) = {
            let token = self.scanner.peek()?;
            (token.line, token.column)
        };
        if self.depth >= DEPTH_MAX {
            return Err(Fault::new(line, "the nesting is too deep"));
        }
        self.depth += 1;
        let body = self.body(under_key)?;
        self.depth -= 1;
        Ok(Node { line, column, body })
    }

    fn body(&mut self, under_key: bool) -> Result<Body> {
        let token = self.scanner.peek()?;
        match &token.kind {
            Kind::Entry if under_key => {
                if let Some(notes) = &mut token.notes {
                    notes.after = false;
                }
                self.list(false)
            }
            Kind::Scalar { .. } => match self.scanner.next()?.kind {
                Kind::Scalar { text, plain } => Ok(Body::Scalar { text, plain }),
                _ => self.unexpected("a value is expected here"),
            },
            Kind::ListStart => {
                if token.notes.is_some_and(|notes| notes.after && !notes.before) {
                    token.notes = None;
                }
                self.scanner.next()?;
                self.list(true)
            }
            Kind::MapStart => {
                self.scanner.next()?;
                self.map()
            }
            _ => self.unexpected("a value is expected here"),
        }
    }

    /// The items of a list. A list without indentation has no end token.
    fn list(&mut self, indented: bool) -> Result<Body> {
        let mut items = Vec::new();
        while self.scanner.next_is(&Kind::Entry)? {
            let entry = self.scanner.next()?;
            self.hand_on(&entry)?;
            let empty = match self.scanner.peek()?.kind {
                Kind::Entry | Kind::BlockEnd => true,
                Kind::Key | Kind::Value => !indented,
                _ => false,
            };
            items.push(if empty { self.nothing()? } else { self.node(false)? });
        }
        if indented {
            self.end_of_block("`- ` is expected here, or the indentation is wrong")?;
        }
        Ok(Body::List(items))
    }

    fn map(&mut self) -> Result<Body> {
        let mut entries = Vec::new();
        loop {
            let key = if self.scanner.next_is(&Kind::Key)? {
                let sign = self.scanner.next()?;
                self.hand_on(&sign)?;
                self.node_or_nothing()?
            } else if self.scanner.next_is(&Kind::Value)? {
                self.nothing()?
            } else {
                break;
            };
            entries.push((key, self.map_value()?));
        }
        let end = self.end_of_block("a key is expected here, or the indentation is wrong")?;
        self.hand_on(&end)?;
        Ok(Body::Map(entries))
    }

    fn map_value(&mut self) -> Result<Node> {
        if !self.scanner.next_is(&Kind::Value)? {
            return self.nothing();
        }
        let mut sign = self.scanner.next()?;
        if !self.scanner.next_is(&Kind::Key)? {
            self.hand_on(&sign)?;
            if !matches!(self.scanner.peek()?.kind, Kind::End) {
                sign.notes = None;
            }
        }
        if self.empty_here()? && sign.notes.is_none() {
            let token = self.scanner.peek()?;
            if let Some(notes) = &mut token.notes {
                notes.after = false;
            }
        }
        self.node_or_nothing()
    }

    fn node_or_nothing(&mut self) -> Result<Node> {
        if self.empty_here()? { self.nothing() } else { self.node(true) }
    }

    fn empty_here(&mut self) -> Result<bool> {
        Ok(matches!(self.scanner.peek()?.kind, Kind::Key | Kind::Value | Kind::BlockEnd))
    }

    fn nothing(&mut self) -> Result<Node> {
        let token = self.scanner.peek()?;
        let body = Body::Scalar { text: String::new(), plain: true };
        Ok(Node { line: token.line, column: token.column, body })
    }

    fn end_of_block(&mut self, expected: &str) -> Result<Token> {
        if !self.scanner.next_is(&Kind::BlockEnd)? {
            return self.unexpected(expected);
        }
        self.scanner.next()
    }

    /// Moves the comments of an indicator to the following token.
    fn hand_on(&mut self, from: &Token) -> Result<()> {
        let Some(notes) = from.notes else { return Ok(()) };
        let target = self.scanner.peek()?;
        if target.kind == Kind::End || target.hand_on(notes) {
            return Ok(());
        }
        let line = target.line;
        Err(Fault::new(line, "there are two comments where only one can be; move one above the key"))
    }

    fn unexpected<T>(&mut self, what: &str) -> Result<T> {
        let line = self.scanner.peek()?.line;
        Err(Fault::new(line, what))
    }
}
