//! One section of a format: its tokens and how they display a number or text.

use super::dates;
use super::{fraction, general::general, number};
use crate::xlsx::serial_date::DateSystem;

/// A section.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Section {
    pub(super) condition: Option<Condition>,
    pub(super) kind: SectionKind,
    pub(super) tokens: Vec<Token>,
}

/// How a section displays numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionKind {
    /// Only the text in it, with `General` and `@` filled in.
    General,
    Number,
    Scientific,
    Fraction,
    Date,
}

/// When a section is used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Condition {
    pub(super) operator: Operator,
    pub(super) limit: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Operator {
    pub(super) fn is_less(self) -> bool {
        matches!(self, Self::Less | Self::LessOrEqual)
    }
}

impl Condition {
    pub(super) fn holds(self, value: f64) -> bool {
        match self.operator {
            Operator::Less => value < self.limit,
            Operator::LessOrEqual => value <= self.limit,
            Operator::Greater => value > self.limit,
            Operator::GreaterOrEqual => value >= self.limit,
            Operator::Equal => value == self.limit,
            Operator::NotEqual => value != self.limit,
        }
    }
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// Shown as it is.
    Literal(String),
    /// `0`, `#` or `?`: a digit.
    Digit(char),
    Point,
    /// Groups thousands.
    Group,
    /// Divides by a thousand.
    Scale,
    Percent,
    /// `E+` or `E-`: whether a plus is shown.
    Exponent {
        plus: bool,
    },
    /// The stroke of a fraction.
    Stroke,
    /// The text of the cell, `@`.
    Text,
    General,
    Date(DatePart),
}

/// A piece of a date or time. The number is how many letters it is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DatePart {
    Year(usize),
    BuddhistYear(usize),
    Month(usize),
    Day(usize),
    Hour(usize),
    Minute(usize),
    Second(usize),
    /// Digits behind the seconds.
    Fraction(usize),
    /// `AM/PM`, else `A/P`.
    HalfDay {
        long: bool,
    },
    ElapsedHours(usize),
    ElapsedMinutes(usize),
    ElapsedSeconds(usize),
}

impl Section {
    /// A number in this section; none when it is a date out of range.
    pub(super) fn number(&self, value: f64, system: DateSystem) -> Option<String> {
        match self.kind {
            SectionKind::General => Some(self.general_text(value)),
            SectionKind::Number => Some(number::plain(&self.tokens, value)),
            SectionKind::Scientific => Some(number::scientific(&self.tokens, value)),
            SectionKind::Fraction => Some(fraction::fraction(&self.tokens, value)),
            SectionKind::Date => dates::show(&self.tokens, value, system),
        }
    }

    /// A text in this section.
    pub(super) fn text(&self, value: &str) -> String {
        let mut out = String::new();
        for token in &self.tokens {
            match token {
                Token::Literal(text) => out.push_str(text),
                Token::Text | Token::General => out.push_str(value),
                _ => {}
            }
        }
        out
    }

    pub(super) fn is_plain_general(&self) -> bool {
        self.condition.is_none() && self.tokens == [Token::General]
    }

    pub(super) fn has_day(&self) -> bool {
        let part = |token: &Token| {
            matches!(
                token,
                Token::Date(DatePart::Year(_) | DatePart::BuddhistYear(_) | DatePart::Month(_) | DatePart::Day(_))
            )
        };
        self.kind == SectionKind::Date && self.tokens.iter().any(part)
    }

    pub(super) fn is_time(&self) -> bool {
        let elapsed = |token: &Token| {
            matches!(
                token,
                Token::Date(DatePart::ElapsedHours(_) | DatePart::ElapsedMinutes(_) | DatePart::ElapsedSeconds(_))
            )
        };
        self.kind == SectionKind::Date && !self.has_day() && !self.tokens.iter().any(elapsed)
    }

    /// Whether it may show letters besides the `E` of an exponent.
    pub(super) fn shows_letters(&self) -> bool {
        self.tokens.iter().any(|token| match token {
            Token::Literal(text) => text.chars().any(char::is_alphabetic),
            Token::Date(DatePart::Month(3..) | DatePart::Day(3..) | DatePart::HalfDay { .. }) => true,
            _ => false,
        })
    }

    fn general_text(&self, value: f64) -> String {
        let shown = self.tokens.iter().any(|token| matches!(token, Token::General | Token::Text));
        // The sign precedes everything, as in `-5 kg`.
        let mut out = if shown && value < 0.0 { "-".to_owned() } else { String::new() };
        for token in &self.tokens {
            match token {
                Token::Literal(text) => out.push_str(text),
                Token::General | Token::Text => out.push_str(&general(value.abs())),
                Token::Percent => out.push('%'),
                _ => {}
            }
        }
        out
    }
}
