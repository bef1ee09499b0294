//! A formula as a tree of operators and calls, each with its place in the text.

use crate::model::{CellError, CellValue};
use crate::{FormulaText, ParsedFormula, Reference, Target, Token, TokenKind};

/// The position of a node in its tree.
pub(crate) type NodeId = usize;

/// A parsed formula.
pub(crate) struct Tree<'a> {
    text: &'a str,
    nodes: Vec<Node<'a>>,
    pub(crate) root: NodeId,
}

/// A part of a formula.
pub(crate) struct Node<'a> {
    pub(crate) expr: Expr<'a>,
    start: usize,
    end: usize,
}

pub(crate) enum Expr<'a> {
    /// An argument that is left out.
    Missing,
    Constant(CellValue),
    /// The values of an array constant.
    Array(Vec<CellValue>),
    Cells(Reference<'a>),
    /// A name that LET or LAMBDA binds.
    Name,
    Group(NodeId),
    /// `-`, `+` or `@` in front of its operand.
    Unary(&'a str, NodeId),
    Percent(NodeId),
    Binary(&'a str, NodeId, NodeId),
    /// A call, with the function in upper case.
    Call(String, Vec<NodeId>),
}

impl<'a> Tree<'a> {
    /// Reads a formula that is written out: without names, tables and prefixes of newer functions.
    pub(crate) fn of(formula: &'a ParsedFormula) -> Option<Self> {
        let tokens = formula.tokens().filter(|token| token.kind != TokenKind::Space).collect();
        let mut parser = Parser { tokens, at: 0, nodes: Vec::new() };
        let root = parser.binary(0)?;
        let complete = parser.at == parser.tokens.len();
        complete.then_some(Self { text: formula.text(), nodes: parser.nodes, root })
    }

    pub(crate) fn expr(&self, id: NodeId) -> &Expr<'a> {
        self.nodes.get(id).map_or(&Expr::Missing, |node| &node.expr)
    }

    /// A node without the brackets around it.
    pub(crate) fn inner(&self, mut id: NodeId) -> NodeId {
        while let Expr::Group(inner) = self.expr(id) {
            id = *inner;
        }
        id
    }

    pub(crate) fn text(&self, id: NodeId) -> &'a str {
        self.nodes.get(id).and_then(|node| self.text.get(node.start..node.end)).unwrap_or("")
    }

    pub(crate) fn children(&self, id: NodeId) -> Vec<NodeId> {
        match self.expr(id) {
            Expr::Group(of) | Expr::Unary(_, of) | Expr::Percent(of) => vec![*of],
            Expr::Binary(_, left, right) => vec![*left, *right],
            Expr::Call(_, arguments) => arguments.clone(),
            Expr::Missing | Expr::Constant(_) | Expr::Array(_) | Expr::Cells(_) | Expr::Name => Vec::new(),
        }
    }

    /// A node and everything below it.
    pub(crate) fn descendants(&self, id: NodeId) -> Vec<NodeId> {
        let mut found = vec![id];
        let mut next = 0;
        while let Some(id) = found.get(next).copied() {
            found.extend(self.children(id));
            next += 1;
        }
        found
    }
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    nodes: Vec<Node<'a>>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn next_if(&mut self, kind: TokenKind<'_>) -> bool {
        let found = self.peek().is_some_and(|token| token.kind == kind);
        self.at += usize::from(found);
        found
    }

    /// Adds a node that spans from `start` to the last token read.
    fn add(&mut self, start: usize, expr: Expr<'a>) -> NodeId {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let end = last.map_or(start, |token| token.start + token.text.len());
        self.nodes.push(Node { expr, start, end });
        self.nodes.len() - 1
    }

    fn start_of(&self, id: NodeId) -> usize {
        self.nodes.get(id).map_or(0, |node| node.start)
    }

    fn binary(&mut self, least: u8) -> Option<NodeId> {
        let mut left = self.unary()?;
        while let Some(token) = self.peek().filter(|token| token.kind == TokenKind::Operator) {
            let Some(level) = level(token.text).filter(|level| *level >= least) else { break };
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = self.add(self.start_of(left), Expr::Binary(token.text, left, right));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<NodeId> {
        let token = self.peek()?;
        let is_sign = token.kind == TokenKind::Operator && matches!(token.text, "-" | "+");
        if is_sign || token.kind == TokenKind::At {
            self.at += 1;
            let of = self.unary()?;
            return Some(self.add(token.start, Expr::Unary(token.text, of)));
        }
        let mut found = self.primary()?;
        while self.peek().is_some_and(|token| token.kind == TokenKind::Operator && token.text == "%") {
            self.at += 1;
            found = self.add(self.start_of(found), Expr::Percent(found));
        }
        Some(found)
    }

    fn primary(&mut self) -> Option<NodeId> {
        let token = self.next()?;
        let expr = match token.kind {
            TokenKind::Number | TokenKind::Text | TokenKind::Bool | TokenKind::Error => {
                Expr::Constant(constant(&token)?)
            }
            TokenKind::Reference(Reference { target: Target::Lost, .. }) => {
                Expr::Constant(CellValue::Error(CellError::Ref))
            }
            TokenKind::Reference(reference) => Expr::Cells(reference),
            TokenKind::Name(None) => Expr::Name,
            TokenKind::OpenArray => Expr::Array(self.array()?),
            TokenKind::Open => {
                let inner = self.binary(0)?;
                self.next_if(TokenKind::Close).then_some(Expr::Group(inner))?
            }
            TokenKind::Function(None) => {
                self.next_if(TokenKind::Open).then_some(())?;
                Expr::Call(token.text.to_ascii_uppercase(), self.arguments()?)
            }
            _ => return None,
        };
        Some(self.add(token.start, expr))
    }

    fn arguments(&mut self) -> Option<Vec<NodeId>> {
        let mut found = Vec::new();
        if self.next_if(TokenKind::Close) {
            return Some(found);
        }
        loop {
            let token = self.peek()?;
            let missing = matches!(token.kind, TokenKind::Separator | TokenKind::Close);
            found.push(if missing { self.add(token.start, Expr::Missing) } else { self.binary(0)? });
            match self.next()?.kind {
                TokenKind::Separator => {}
                TokenKind::Close => return Some(found),
                _ => return None,
            }
        }
    }

    fn array(&mut self) -> Option<Vec<CellValue>> {
        let mut found = Vec::new();
        let mut negative = false;
        loop {
            let token = self.next()?;
            match token.kind {
                TokenKind::CloseArray => return Some(found),
                TokenKind::Separator => negative = false,
                TokenKind::Operator => negative ^= token.text == "-",
                _ => found.push(match constant(&token)? {
                    CellValue::Number(number) if negative => CellValue::Number(-number),
                    value => value,
                }),
            }
        }
    }
}

fn constant(token: &Token<'_>) -> Option<CellValue> {
    Some(match token.kind {
        TokenKind::Number => CellValue::Number(token.text.parse().ok()?),
        TokenKind::Text => {
            let inner = token.text.strip_prefix('"').and_then(|text| text.strip_suffix('"'))?;
            CellValue::Text(inner.replace("\"\"", "\""))
        }
        TokenKind::Bool => CellValue::Bool(token.text.eq_ignore_ascii_case("TRUE")),
        TokenKind::Error => CellValue::Error(CellError::from_text(token.text)),
        _ => return None,
    })
}

/// How tightly an operator binds its operands.
fn level(operator: &str) -> Option<u8> {
    Some(match operator {
        "=" | "<" | ">" | "<=" | ">=" | "<>" => 1,
        "&" => 2,
        "+" | "-" => 3,
        "*" | "/" => 4,
        "^" => 5,
        _ => return None,
    })
}
