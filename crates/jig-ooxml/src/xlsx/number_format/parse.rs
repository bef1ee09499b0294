//! From a format code to sections.

use super::NumberFormat;
use super::section::{Condition, DatePart, Operator, Section, SectionKind, Token};

/// The longest code that is read; Excel allows 255 characters.
const LONGEST: usize = 1024;

/// Reads a whole code.
pub(super) fn parse(code: &str) -> NumberFormat {
    let code: String = code.chars().take(LONGEST).collect();
    let mut sections: Vec<Section> = split(&code).into_iter().map(section).collect();
    let shows_text = |section: &Section| section.tokens.contains(&Token::Text);
    // A fourth section is for text, and so is a last one with `@` in it.
    let text = match sections.len() {
        4.. => {
            sections.truncate(4);
            sections.pop()
        }
        2 | 3 if sections.last().is_some_and(shows_text) => sections.pop(),
        1 if sections.first().is_some_and(shows_text) => sections.first().cloned(),
        _ => None,
    };
    NumberFormat { numbers: sections, text }
}

/// Splits at semicolons that are not quoted.
fn split(code: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quoted, mut escaped, mut bracket) = (0, false, false, false);
    for (at, c) in code.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '\\' | '_' | '*' => escaped = true,
            '[' => bracket = true,
            ']' => bracket = false,
            ';' if !bracket => {
                parts.push(code.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(code.get(start..).unwrap_or_default());
    parts
}

fn section(code: &str) -> Section {
    let mut reader = Reader { rest: code, tokens: Vec::new(), condition: None };
    while !reader.rest.is_empty() {
        reader.token();
    }
    let mut tokens = reader.tokens;
    let kind = kind(&tokens);
    match kind {
        SectionKind::Date => settle_dates(&mut tokens),
        SectionKind::Number | SectionKind::Scientific | SectionKind::Fraction => settle_numbers(&mut tokens, kind),
        SectionKind::General => {}
    }
    Section { condition: reader.condition, kind, tokens }
}

struct Reader<'c> {
    rest: &'c str,
    tokens: Vec<Token>,
    condition: Option<Condition>,
}

impl Reader<'_> {
    fn token(&mut self) {
        let rest = self.rest;
        let Some(c) = rest.chars().next() else { return };
        if starts_with_word(rest, "General") {
            return self.take(7, Token::General);
        }
        for (word, long) in [("AM/PM", true), ("A/P", false)] {
            if starts_with_word(rest, word) {
                return self.take(word.len(), Token::Date(DatePart::HalfDay { long }));
            }
        }
        match c {
            '"' => self.quoted(),
            '\\' => self.escaped(),
            '_' => {
                self.literal(" ");
                self.pass_pair();
            }
            '*' => self.pass_pair(),
            '[' => self.bracket(),
            '0' | '#' | '?' => self.take(1, Token::Digit(c)),
            '.' => self.take(1, Token::Point),
            ',' => self.take(1, Token::Group),
            '%' => self.take(1, Token::Percent),
            '/' => self.take(1, Token::Stroke),
            '@' => self.take(1, Token::Text),
            'E' | 'e' if matches!(rest.as_bytes().get(1), Some(b'+' | b'-')) => {
                self.take(2, Token::Exponent { plus: rest.as_bytes().get(1) == Some(&b'+') });
            }
            'y' | 'Y' | 'm' | 'M' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' | 'b' | 'B' | 'e' => self.date(c),
            'g' | 'G' => self.rest = rest.trim_start_matches(c),
            _ => self.take(c.len_utf8(), Token::Literal(c.to_string())),
        }
    }

    fn take(&mut self, len: usize, token: Token) {
        match (token, self.tokens.last_mut()) {
            (Token::Literal(text), Some(Token::Literal(before))) => before.push_str(&text),
            (token, _) => self.tokens.push(token),
        }
        self.rest = self.rest.get(len..).unwrap_or_default();
    }

    fn literal(&mut self, text: &str) {
        self.take(0, Token::Literal(text.to_owned()));
    }

    fn quoted(&mut self) {
        let inside = self.rest.get(1..).unwrap_or_default();
        let end = inside.find('"').unwrap_or(inside.len());
        let text = inside.get(..end).unwrap_or_default().to_owned();
        self.take(end + 2, Token::Literal(text));
    }

    fn escaped(&mut self) {
        let c = self.rest.chars().nth(1);
        self.rest = self.rest.get(1 + c.map_or(0, char::len_utf8)..).unwrap_or_default();
        if let Some(c) = c {
            self.literal(c.encode_utf8(&mut [0; 4]));
        }
    }

    /// The character behind `_` or `*` only has a width.
    fn pass_pair(&mut self) {
        let c = self.rest.chars().nth(1);
        self.rest = self.rest.get(1 + c.map_or(0, char::len_utf8)..).unwrap_or_default();
    }

    /// A colour, a condition, a currency with its language, or an elapsed time.
    fn bracket(&mut self) {
        let end = self.rest.find(']').unwrap_or(self.rest.len());
        let inside = self.rest.get(1..end).unwrap_or_default();
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        if let Some(money) = inside.strip_prefix('$') {
            self.literal(money.rsplit_once('-').map_or(money, |(symbol, _)| symbol));
        } else if let Some(part) = elapsed(inside) {
            self.take(0, Token::Date(part));
        } else if let Some(condition) = condition(inside) {
            self.condition = Some(condition);
        }
    }

    fn date(&mut self, c: char) {
        let lower = c.to_ascii_lowercase();
        let count = self.rest.chars().take_while(|next| next.to_ascii_lowercase() == lower).count();
        let part = match lower {
            'y' | 'e' => DatePart::Year(if lower == 'e' { 4 } else { count }),
            'b' => DatePart::BuddhistYear(count),
            'm' => DatePart::Month(count),
            'd' => DatePart::Day(count),
            'h' => DatePart::Hour(count),
            _ => DatePart::Second(count),
        };
        self.take(count, Token::Date(part));
    }
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn elapsed(inside: &str) -> Option<DatePart> {
    let first = inside.chars().next()?.to_ascii_lowercase();
    if !inside.chars().all(|c| c.to_ascii_lowercase() == first) {
        return None;
    }
    match first {
        'h' => Some(DatePart::ElapsedHours(inside.len())),
        'm' => Some(DatePart::ElapsedMinutes(inside.len())),
        's' => Some(DatePart::ElapsedSeconds(inside.len())),
        _ => None,
    }
}

fn condition(inside: &str) -> Option<Condition> {
    let operators = [
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<>", Operator::NotEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
        ("=", Operator::Equal),
    ];
    let found = operators.iter().find_map(|(sign, operator)| Some((operator, inside.strip_prefix(sign)?)));
    let (operator, limit) = found?;
    Some(Condition { operator: *operator, limit: limit.trim().parse().ok()? })
}

fn kind(tokens: &[Token]) -> SectionKind {
    let has = |wanted: fn(&Token) -> bool| tokens.iter().any(wanted);
    let digits = has(|token| matches!(token, Token::Digit(_)));
    if has(|token| matches!(token, Token::Date(_))) {
        SectionKind::Date
    } else if !digits || has(|token| matches!(token, Token::General)) {
        SectionKind::General
    } else if has(|token| matches!(token, Token::Exponent { .. })) {
        SectionKind::Scientific
    } else if has(|token| matches!(token, Token::Stroke)) {
        SectionKind::Fraction
    } else {
        SectionKind::Number
    }
}

/// `m` means minutes behind hours and before seconds; a point with zeros behind seconds is their fraction;
/// everything else that numbers would use is shown as it is.
fn settle_dates(tokens: &mut Vec<Token>) {
    let parts: Vec<(usize, DatePart)> = tokens
        .iter()
        .enumerate()
        .filter_map(|(at, token)| match token {
            Token::Date(part) => Some((at, *part)),
            _ => None,
        })
        .collect();
    for (place, (at, part)) in parts.iter().enumerate() {
        let DatePart::Month(count) = part else { continue };
        let before = place.checked_sub(1).and_then(|place| parts.get(place)).map(|(_, part)| part);
        let after = parts.get(place + 1).map(|(_, part)| part);
        let behind_hour = matches!(before, Some(DatePart::Hour(_) | DatePart::ElapsedHours(_)));
        let before_second = matches!(after, Some(DatePart::Second(_) | DatePart::ElapsedSeconds(_)));
        if *count <= 2
            && (behind_hour || before_second)
            && let Some(token) = tokens.get_mut(*at)
        {
            *token = Token::Date(DatePart::Minute(*count));
        }
    }
    let mut settled: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut rest = std::mem::take(tokens).into_iter().peekable();
    while let Some(token) = rest.next() {
        let token = match token {
            Token::Point if matches!(rest.peek(), Some(Token::Digit('0'))) => {
                let mut count = 0;
                while rest.next_if(|next| *next == Token::Digit('0')).is_some() {
                    count += 1;
                }
                Token::Date(DatePart::Fraction(count))
            }
            Token::Point => Token::Literal(".".to_owned()),
            Token::Group | Token::Scale => Token::Literal(",".to_owned()),
            Token::Stroke => Token::Literal("/".to_owned()),
            Token::Percent => Token::Literal("%".to_owned()),
            Token::Digit(c) => Token::Literal(c.to_string()),
            other => other,
        };
        settled.push(token);
    }
    *tokens = settled;
}

/// Commas behind the last digit of the whole part divide by a thousand each; others group or are shown.
fn settle_numbers(tokens: &mut [Token], kind: SectionKind) {
    let is_digit = |token: &Token| matches!(token, Token::Digit(_));
    let point = tokens.iter().position(|token| *token == Token::Point).unwrap_or(tokens.len());
    let first = tokens.iter().position(is_digit);
    let last_whole = tokens.get(..point).unwrap_or_default().iter().rposition(is_digit);
    let last = tokens.iter().rposition(is_digit);
    let runs_behind = |at: usize, edge: Option<usize>, tokens: &[Token]| {
        edge.is_some_and(|edge| {
            at > edge
                && tokens
                    .get(edge + 1..at)
                    .unwrap_or_default()
                    .iter()
                    .all(|token| matches!(token, Token::Group | Token::Scale))
        })
    };
    for at in 0..tokens.len() {
        match tokens.get(at) {
            Some(Token::Group) => {
                let scales = runs_behind(at, last_whole, tokens) || runs_behind(at, last, tokens);
                let inside = first.is_some_and(|first| at > first) && last_whole.is_some_and(|last| at < last);
                if let Some(token) = tokens.get_mut(at) {
                    *token = if scales {
                        Token::Scale
                    } else if inside {
                        Token::Group
                    } else {
                        Token::Literal(",".to_owned())
                    };
                }
            }
            Some(Token::Point) if at != point => set(tokens, at, "."),
            Some(Token::Stroke) if kind != SectionKind::Fraction => set(tokens, at, "/"),
            _ => {}
        }
    }
}

fn set(tokens: &mut [Token], at: usize, text: &str) {
    if let Some(token) = tokens.get_mut(at) {
        *token = Token::Literal(text.to_owned());
    }
}
