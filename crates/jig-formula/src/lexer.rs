//! The tokenizer. It never fails: what it does not understand becomes [`TokenKind::Unknown`], and the
//! tokens put together always give the formula again.

use crate::reference::{Area, Prefix, Reference, Target, is_word};

/// A piece of a formula and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind<'a>,
    /// The byte at which it starts.
    pub start: usize,
    /// The piece itself.
    pub text: &'a str,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind<'a> {
    /// White space; between two references it is the intersection operator.
    Space,
    /// `1`, `.5`, `1.5E-10`.
    Number,
    /// `"text"`, with its quotes.
    Text,
    /// `TRUE` or `FALSE`.
    Bool,
    /// An error value such as `#N/A`.
    Error,
    /// An arithmetic, comparison, text, range (`:`) or DDE (`|`) operator.
    Operator,
    /// `,` or `;`: between arguments, array elements, or as the union operator.
    Separator,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `{`.
    OpenArray,
    /// `}`.
    CloseArray,
    /// A function's name in front of its `(` (white space between them is a token of its own), with `_xlfn.` and a sheet or book where written.
    Function(Option<Prefix<'a>>),
    /// Cells.
    Reference(Reference<'a>),
    /// A defined name, or a name that LET or LAMBDA binds.
    Name(Option<Prefix<'a>>),
    /// A structured reference such as `Table1[[#This Row],[Col]]`, or `[@Col]` inside the table.
    Structured(Option<Prefix<'a>>),
    /// The `#` of `A1#`.
    Spill,
    /// The `@` of implicit intersection.
    At,
    /// Not part of any valid formula.
    Unknown,
}

/// The tokens of a formula in order.
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    text: &'a str,
    position: usize,
    after_operand: bool,
}

/// Splits a formula as stored in the file (without `=`; with it, the sign is an operator).
pub fn tokens(formula: &str) -> Tokens<'_> {
    Tokens { text: formula, position: 0, after_operand: false }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let rest = self.text.get(self.position..).filter(|rest| !rest.is_empty())?;
        let (kind, length) = read(rest, self.after_operand);
        // A token has at least one character and ends between two: progress is certain.
        let length = if length > 0 && rest.is_char_boundary(length) { length } else { first_char(rest) };
        let token = Token { kind, start: self.position, text: rest.get(..length).unwrap_or(rest) };
        self.position += token.text.len();
        self.after_operand = ends_operand(kind);
        Some(token)
    }
}

type Read<'a> = (TokenKind<'a>, usize);

fn read(rest: &str, after_operand: bool) -> Read<'_> {
    let Some(&byte) = rest.as_bytes().first() else { return (TokenKind::Unknown, 0) };
    match byte {
        b' ' | b'\t' | b'\r' | b'\n' => (TokenKind::Space, run(rest, |b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))),
        b'"' => quoted(rest, b'"').map_or((TokenKind::Unknown, rest.len()), |length| (TokenKind::Text, length)),
        b'\'' => prefixed(rest).unwrap_or((TokenKind::Unknown, quoted(rest, b'\'').unwrap_or(rest.len()))),
        b'#' => hash(rest, after_operand),
        b'[' => prefixed(rest).unwrap_or_else(|| structured(rest, 0, None)),
        b'(' => (TokenKind::Open, 1),
        b')' => (TokenKind::Close, 1),
        b'{' => (TokenKind::OpenArray, 1),
        b'}' => (TokenKind::CloseArray, 1),
        b',' | b';' => (TokenKind::Separator, 1),
        b'@' => (TokenKind::At, 1),
        b'<' if rest.starts_with("<=") || rest.starts_with("<>") => (TokenKind::Operator, 2),
        b'>' if rest.starts_with(">=") => (TokenKind::Operator, 2),
        b'+' | b'-' | b'*' | b'/' | b'^' | b'&' | b'=' | b'<' | b'>' | b'%' | b':' | b'|' => (TokenKind::Operator, 1),
        b'0'..=b'9' | b'.' => area(rest, None).unwrap_or_else(|| number(rest)),
        b'$' => area(rest, None).unwrap_or((TokenKind::Unknown, 1)),
        _ if is_word(byte) => prefixed(rest).or_else(|| area(rest, None)).unwrap_or_else(|| word(rest, 0, None)),
        _ => (TokenKind::Unknown, 1),
    }
}

/// A token behind a sheet or book part.
fn prefixed(rest: &str) -> Option<Read<'_>> {
    let length = prefix_length(rest)?;
    let (text, after) = rest.split_at_checked(length)?;
    let prefix = Prefix::new(text);
    let found = match after.as_bytes().first() {
        Some(b'#') if after.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("#REF!")) => {
            let reference = Reference { prefix: Some(prefix), target: Target::Lost };
            (TokenKind::Reference(reference), length + 5)
        }
        Some(b'[') => structured(rest, length, Some(prefix)),
        // A DDE item or an odd external name is quoted behind the `!`.
        Some(b'\'') => (TokenKind::Name(Some(prefix)), length + quoted(after, b'\'')?),
        _ => match area(after, Some(prefix)) {
            Some((kind, area_length)) => (kind, length + area_length),
            None => word(rest, length, Some(prefix)),
        },
    };
    Some(found)
}

/// The length of `Sheet1!`, `Jan:Dec!`, `[1]Sheet1!`, `[1]!` or `'any name'!` at the start.
fn prefix_length(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let end = if bytes.first() == Some(&b'\'') {
        quoted(rest, b'\'')?
    } else {
        let book = if bytes.first() == Some(&b'[') { rest.find(']')? + 1 } else { 0 };
        let first = book + run(rest.get(book..)?, is_word);
        if bytes.get(first) == Some(&b':') && Area::read(rest.get(..first)?).is_none() {
            let last = run(rest.get(first + 1..)?, is_word);
            if last > 0 { first + 1 + last } else { first }
        } else {
            first
        }
    };
    (end > 0 && bytes.get(end) == Some(&b'!')).then_some(end + 1)
}

fn area<'a>(rest: &'a str, prefix: Option<Prefix<'a>>) -> Option<Read<'a>> {
    let (area, length) = Area::read(rest)?;
    Some((TokenKind::Reference(Reference { prefix, target: Target::Area(area) }), length))
}

/// A name, a function, a table or a truth value that starts at `from`.
fn word<'a>(rest: &'a str, from: usize, prefix: Option<Prefix<'a>>) -> Read<'a> {
    let after = rest.get(from..).unwrap_or("");
    let length = run(after, is_word);
    let end = from + length;
    if length == 0 {
        return (TokenKind::Unknown, end);
    }
    match rest.as_bytes().get(end) {
        Some(b'[') => structured(rest, end, prefix),
        // Programs pass over white space between a function and its bracket.
        _ if opens_bracket(rest.get(end..).unwrap_or("")) => (TokenKind::Function(prefix), end),
        _ if prefix.is_none() && is_bool(after.get(..length).unwrap_or("")) => (TokenKind::Bool, end),
        _ => (TokenKind::Name(prefix), end),
    }
}

fn opens_bracket(after: &str) -> bool {
    after.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('(')
}

fn is_bool(word: &str) -> bool {
    word.eq_ignore_ascii_case("TRUE") || word.eq_ignore_ascii_case("FALSE")
}

/// A structured reference whose bracket opens at `from`. `'` escapes the next character in it.
fn structured<'a>(rest: &'a str, from: usize, prefix: Option<Prefix<'a>>) -> Read<'a> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (index, byte) in rest.bytes().enumerate().skip(from) {
        match byte {
            _ if escaped => escaped = false,
            b'\'' => escaped = true,
            b'[' => depth += 1,
            b']' if depth <= 1 => return (TokenKind::Structured(prefix), index + 1),
            b']' => depth -= 1,
            _ => {}
        }
    }
    (TokenKind::Unknown, rest.len())
}

fn number(rest: &str) -> Read<'_> {
    let digits = |from: usize| run(rest.get(from..).unwrap_or(""), |b| b.is_ascii_digit());
    let byte = |at: usize| rest.as_bytes().get(at);
    let whole = digits(0);
    let mut end = whole;
    if byte(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if end == 1 && whole == 0 {
        return (TokenKind::Unknown, 1);
    }
    if matches!(byte(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(byte(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        end += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    (TokenKind::Number, end)
}

const ERRORS: [&str; 18] = [
    "#REF!",
    "#DIV/0!",
    "#N/A",
    "#NAME?",
    "#NULL!",
    "#NUM!",
    "#VALUE!",
    "#SPILL!",
    "#CALC!",
    "#FIELD!",
    "#BLOCKED!",
    "#CONNECT!",
    "#UNKNOWN!",
    "#BUSY!",
    "#PYTHON!",
    "#EXTERNAL!",
    "#TIMEOUT!",
    "#GETTING_DATA",
];

fn hash(rest: &str, after_operand: bool) -> Read<'_> {
    let error = ERRORS.iter().find(|e| rest.get(..e.len()).is_some_and(|start| start.eq_ignore_ascii_case(e)));
    match error {
        Some(error) => (TokenKind::Error, error.len()),
        None if after_operand => (TokenKind::Spill, 1),
        None => (TokenKind::Unknown, 1),
    }
}

/// The length of a quoted piece at the start, in which a doubled quote is one quote.
fn quoted(rest: &str, quote: u8) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = 1;
    loop {
        at += bytes.get(at..)?.iter().position(|b| *b == quote)? + 1;
        if bytes.get(at) != Some(&quote) {
            return Some(at);
        }
        at += 1;
    }
}

fn run(text: &str, part: fn(u8) -> bool) -> usize {
    text.bytes().take_while(|b| part(*b)).count()
}

fn first_char(rest: &str) -> usize {
    rest.chars().next().map_or(1, char::len_utf8)
}

fn ends_operand(kind: TokenKind<'_>) -> bool {
    matches!(kind, TokenKind::Reference(_) | TokenKind::Name(_) | TokenKind::Structured(_) | TokenKind::Close)
}
