//! Numbers by their digit places: plain, with thousands, percent, and scientific.

use super::decimal::Decimal;
use super::section::Token;

/// A number in a section of digit places.
pub(super) fn plain(tokens: &[Token], value: f64) -> String {
    let layout = Layout::of(tokens);
    let mut decimal = Decimal::of(value);
    decimal.shift(2 * layout.percents - 3 * layout.scales);
    decimal.round(layout.behind as i32);
    let sign = if value < 0.0 && !decimal.is_zero() { "-" } else { "" };
    format!("{sign}{}", layout.fill(tokens, &decimal, ""))
}

/// A number with an exponent. More than one place before the point makes the exponent a multiple of their count.
pub(super) fn scientific(tokens: &[Token], value: f64) -> String {
    let layout = Layout::of(tokens);
    let mut decimal = Decimal::of(value);
    decimal.shift(2 * layout.percents);
    let step = i32::try_from(layout.whole.max(1)).unwrap_or(1);
    let mut exponent = 0;
    if !decimal.is_zero() {
        exponent = (decimal.point - 1).div_euclid(step) * step;
        decimal.shift(-exponent);
        decimal.round(layout.behind as i32);
        if decimal.point > step {
            exponent += step;
            decimal.shift(-step);
        }
    }
    let plus = tokens.iter().any(|token| matches!(token, Token::Exponent { plus: true }));
    let mark = match (exponent < 0, plus) {
        (true, _) => "E-",
        (false, true) => "E+",
        (false, false) => "E",
    };
    let sign = if value < 0.0 && !decimal.is_zero() { "-" } else { "" };
    let power = format!("{mark}{:0width$}", exponent.abs(), width = layout.exponent);
    format!("{sign}{}", layout.fill(tokens, &decimal, &power))
}

/// How many places of each kind a section has.
struct Layout {
    whole: usize,
    behind: usize,
    exponent: usize,
    groups: bool,
    scales: i32,
    percents: i32,
}

/// Which part of the number a digit place belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zone {
    Whole,
    Behind,
    Exponent,
}

impl Layout {
    fn of(tokens: &[Token]) -> Self {
        let mut layout = Self { whole: 0, behind: 0, exponent: 0, groups: false, scales: 0, percents: 0 };
        let mut zone = Zone::Whole;
        for token in tokens {
            match token {
                Token::Digit(_) => match zone {
                    Zone::Whole => layout.whole += 1,
                    Zone::Behind => layout.behind += 1,
                    Zone::Exponent => layout.exponent += 1,
                },
                Token::Point => zone = Zone::Behind,
                Token::Exponent { .. } => zone = Zone::Exponent,
                Token::Group => layout.groups = true,
                Token::Scale => layout.scales += 1,
                Token::Percent => layout.percents += 1,
                _ => {}
            }
        }
        layout
    }

    /// Puts the digits in their places.
    fn fill(&self, tokens: &[Token], decimal: &Decimal, power: &str) -> String {
        let whole = decimal.whole();
        let behind = decimal.behind(self.behind);
        let (mut whole_seen, mut behind_seen) = (0, 0);
        let mut zone = Zone::Whole;
        let mut out = String::new();
        for token in tokens {
            match token {
                Token::Literal(text) => out.push_str(text),
                Token::Percent => out.push('%'),
                Token::Digit(place) => match zone {
                    Zone::Whole => {
                        self.whole_digit(&whole, whole_seen, *place, &mut out);
                        whole_seen += 1;
                    }
                    Zone::Behind => {
                        behind_digit(&behind, behind_seen, *place, &mut out);
                        behind_seen += 1;
                    }
                    Zone::Exponent => {}
                },
                Token::Point => {
                    // Without a place before the point the whole part still must not be lost.
                    if self.whole == 0 {
                        out.push_str(&whole);
                    }
                    out.push('.');
                    zone = Zone::Behind;
                }
                Token::Exponent { .. } => {
                    out.push_str(power);
                    zone = Zone::Exponent;
                }
                _ => {}
            }
        }
        out
    }

    /// The digit of one place before the point; the first place takes all that go before it.
    fn whole_digit(&self, whole: &str, seen: usize, place: char, out: &mut String) {
        let from_right = self.whole - 1 - seen;
        let len = whole.len();
        if seen == 0 && len > self.whole {
            for (at, digit) in whole.chars().take(len - self.whole).enumerate() {
                self.push_grouped(digit, len - 1 - at, out);
            }
        }
        match len.checked_sub(from_right + 1).and_then(|at| whole.as_bytes().get(at)) {
            Some(digit) => self.push_grouped(char::from(*digit), from_right, out),
            None if place == '0' => self.push_grouped('0', from_right, out),
            None if place == '?' => out.push(' '),
            None => {}
        }
    }

    fn push_grouped(&self, digit: char, from_right: usize, out: &mut String) {
        out.push(digit);
        if self.groups && from_right > 0 && from_right.is_multiple_of(3) {
            out.push(',');
        }
    }
}

/// A zero at the end is shown only for the place `0`.
fn behind_digit(behind: &str, seen: usize, place: char, out: &mut String) {
    let rest = behind.get(seen..).unwrap_or_default();
    let significant = rest.bytes().any(|digit| digit != b'0');
    match (place, rest.chars().next()) {
        ('#', _) if !significant => {}
        ('?', _) if !significant => out.push(' '),
        (_, digit) => out.push(digit.unwrap_or('0')),
    }
}
