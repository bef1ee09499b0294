//! Dates with the year, the month or the day first, or with the name of the month.

use jiff::civil::Date;

/// The order of a date's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateOrder {
    /// `2024-01-31`
    YearFirst,
    /// `31/01/2024`
    DayFirst,
    /// `01/31/2024`
    MonthFirst,
    /// `31 Jan 2024`, `Jan 31, 2024`
    Named,
}

impl DateOrder {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::YearFirst, Self::DayFirst, Self::MonthFirst, Self::Named];

    /// Its bit in a set of orders.
    #[must_use]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The order in words.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::YearFirst => "year first",
            Self::DayFirst => "day first",
            Self::MonthFirst => "month first",
            Self::Named => "month by name",
        }
    }
}

/// A date split into its parts, before their order is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateParts {
    first: u32,
    second: u32,
    third: u32,
    /// The separator between the parts; a space if the month is a name.
    pub separator: u8,
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    YearFirst,
    YearLast,
    ShortYear,
    /// The month is a name, so the order is known; the parts are day, month and year.
    Named,
}

/// Splits a date into its parts. `None` for all other text.
#[must_use]
pub fn split_date(text: &str) -> Option<DateParts> {
    let text = text.trim();
    if text.len() < 6 || text.len() > 32 {
        return None;
    }
    if text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return named(text);
    }
    let separator = *text.as_bytes().iter().find(|byte| !byte.is_ascii_digit())?;
    if !matches!(separator, b'-' | b'/' | b'.') {
        return None;
    }
    let mut pieces = text.split(char::from(separator));
    let (first, second, third) = (pieces.next()?, pieces.next()?, pieces.next()?);
    if pieces.next().is_some() {
        return None;
    }
    let shape = match (first.len(), second.len(), third.len()) {
        (4, 1..=2, 1..=2) => Shape::YearFirst,
        (1..=2, 1..=2, 4) => Shape::YearLast,
        (1..=2, 1..=2, 2) => Shape::ShortYear,
        _ => return None,
    };
    let parts = DateParts { first: small(first)?, second: small(second)?, third: small(third)?, separator, shape };
    (parts.shape == Shape::ShortYear || DateOrder::ALL.into_iter().any(|order| parts.days(order).is_some()))
        .then_some(parts)
}

/// Parses a date in this order: its days since 1970-01-01. `None` for all other text and for dates that do not exist.
///
/// ```
/// use jig_text::value::{DateOrder, parse_date};
///
/// assert_eq!(parse_date("01.02.1970", DateOrder::DayFirst), Some(31));
/// assert_eq!(parse_date("31.02.1970", DateOrder::DayFirst), None);
/// ```
#[must_use]
pub fn parse_date(text: &str, order: DateOrder) -> Option<i32> {
    match text.as_bytes().as_array() {
        Some(bytes) if order == DateOrder::YearFirst && is_dashed(bytes) => parse_iso_date(bytes),
        _ => split_date(text)?.days(order),
    }
}

fn is_dashed(bytes: &[u8; 10]) -> bool {
    bytes[4] == b'-' && bytes[7] == b'-'
}

/// Days since 1970-01-01 of `2024-01-31`, the most common form; `None` for all other text.
pub(super) fn parse_iso_date(bytes: &[u8; 10]) -> Option<i32> {
    let digit = |at: usize| {
        let digit = bytes.get(at)?.wrapping_sub(b'0');
        (digit <= 9).then_some(u32::from(digit))
    };
    let two = |at: usize| Some(digit(at)? * 10 + digit(at + 1)?);
    if !is_dashed(bytes) {
        return None;
    }
    days_since_1970(two(0)? * 100 + two(2)?, two(5)?, two(8)?)
}

impl DateParts {
    /// Whether the year has two digits, so that the century is unknown.
    #[must_use]
    pub fn has_short_year(&self) -> bool {
        self.shape == Shape::ShortYear
    }

    /// Days since 1970-01-01 in this order; `None` if that date does not exist.
    #[must_use]
    pub fn days(&self, order: DateOrder) -> Option<i32> {
        let Self { first, second, third, .. } = *self;
        match (self.shape, order) {
            (Shape::YearFirst, DateOrder::YearFirst) => days_since_1970(first, second, third),
            (Shape::YearLast, DateOrder::DayFirst) => days_since_1970(third, second, first),
            (Shape::YearLast, DateOrder::MonthFirst) => days_since_1970(third, first, second),
            (Shape::Named, DateOrder::Named) => days_since_1970(third, second, first),
            _ => None,
        }
    }

    /// The set of orders in which the date exists.
    #[must_use]
    pub fn orders(&self) -> u8 {
        DateOrder::ALL.into_iter().filter(|order| self.days(*order).is_some()).map(DateOrder::bit).sum()
    }
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn month(text: &str) -> Option<u32> {
    let text = text.trim_end_matches('.').to_ascii_lowercase();
    if text == "sept" {
        return Some(9);
    }
    let at = MONTHS.iter().position(|month| *month == text || (text.len() == 3 && month.starts_with(&text)))?;
    u32::try_from(at + 1).ok()
}

fn named(text: &str) -> Option<DateParts> {
    let mut pieces = text.split([' ', '-', '/', ',', '.']).filter(|piece| !piece.is_empty());
    let (first, second, third) = (pieces.next()?, pieces.next()?, pieces.next()?);
    if pieces.next().is_some() {
        return None;
    }
    let ordinal = |text: &str| {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let end = text.get(digits.len()..).unwrap_or_default().to_ascii_lowercase();
        if matches!(end.as_str(), "" | "st" | "nd" | "rd" | "th") { small(digits) } else { None }
    };
    let (day, month, year) = if let Some(month) = month(second) {
        if first.len() == 4 { (ordinal(third)?, month, first) } else { (ordinal(first)?, month, third) }
    } else {
        (ordinal(second)?, month(first)?, third)
    };
    if year.len() != 4 {
        return None;
    }
    let parts = DateParts { first: day, second: month, third: small(year)?, separator: b' ', shape: Shape::Named };
    parts.days(DateOrder::Named).map(|_| parts)
}

fn small(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > 4 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Days since 1970-01-01 of a date that exists in the Gregorian calendar, from year 1 on.
pub(super) fn days_since_1970(year: u32, month: u32, day: u32) -> Option<i32> {
    const EPOCH: Date = Date::constant(1970, 1, 1);
    let date = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    if year == 0 {
        return None;
    }
    i32::try_from(date.duration_since(EPOCH).as_hours() / 24).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dates_of_the_calendar_exist() {
        assert_eq!(days_since_1970(1970, 1, 1), Some(0));
        assert_eq!(days_since_1970(2024, 2, 29), Some(19_782));
        assert_eq!(days_since_1970(1969, 12, 31), Some(-1));
        assert_eq!(days_since_1970(2023, 2, 29), None);
        assert_eq!(days_since_1970(1900, 2, 29), None);
    }

    #[test]
    fn iso_dates_are_parsed_as_any_other_date() {
        let days = |text: &str| split_date(text).and_then(|parts| parts.days(DateOrder::YearFirst));
        for text in ["2024-02-29", "2023-02-29", "0000-01-01", "2024-13-01", "2024-1-05-", "20x4-01-05", "2024/01/05"] {
            assert_eq!(parse_date(text, DateOrder::YearFirst), days(text), "{text}");
            assert_eq!(parse_date(text, DateOrder::DayFirst), None, "{text}");
        }
        assert_eq!(parse_date("1970-01-02", DateOrder::YearFirst), Some(1));
    }

    #[test]
    fn a_date_may_exist_in_several_orders() {
        let orders = |text: &str| {
            let parts = split_date(text)?;
            Some(DateOrder::ALL.into_iter().filter(|order| parts.orders() & order.bit() != 0).collect::<Vec<_>>())
        };
        assert_eq!(orders("2024-01-31"), Some(vec![DateOrder::YearFirst]));
        assert_eq!(orders("2024/1/5"), Some(vec![DateOrder::YearFirst]));
        assert_eq!(orders("01/02/2024"), Some(vec![DateOrder::DayFirst, DateOrder::MonthFirst]));
        assert_eq!(orders("31.01.2024"), Some(vec![DateOrder::DayFirst]));
        assert_eq!(orders("01-31-2024"), Some(vec![DateOrder::MonthFirst]));
        assert_eq!(orders("5 Jan 2024"), Some(vec![DateOrder::Named]));
        assert_eq!(orders("January 5th, 2024"), Some(vec![DateOrder::Named]));
        assert_eq!(orders("01/02/24"), Some(vec![]));
        for text in ["31.02.2024", "1.2.3", "2024-13-01", "2024-01", "12:30", "1/2/3/4", "Jan 2024", ""] {
            assert_eq!(orders(text), None, "{text}");
        }
    }
}
