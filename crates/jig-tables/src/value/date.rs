//! Dates as they are written: the year, the month or the day first, or the month by name.

/// The order of a date's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Order {
    /// `2024-01-31`
    YearFirst,
    /// `31/01/2024`
    DayFirst,
    /// `01/31/2024`
    MonthFirst,
    /// `31 Jan 2024`, `Jan 31, 2024`
    Named,
}

impl Order {
    pub(crate) const ALL: [Self; 4] = [Self::YearFirst, Self::DayFirst, Self::MonthFirst, Self::Named];

    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// How the order is told.
    pub(crate) const fn note(self) -> &'static str {
        match self {
            Self::YearFirst => "year first",
            Self::DayFirst => "day first",
            Self::MonthFirst => "month first",
            Self::Named => "month by name",
        }
    }
}

/// The parts of a date as they stand, before anyone decides what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts {
    first: u32,
    second: u32,
    third: u32,
    pub(crate) mark: u8,
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    YearFirst,
    YearLast,
    ShortYear,
    /// Day, month and year, already known.
    Named,
}

/// Takes a date apart. None when it is none.
pub(crate) fn parts(text: &str) -> Option<Parts> {
    let text = text.trim();
    if text.len() < 6 || text.len() > 32 {
        return None;
    }
    if text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return named(text);
    }
    let mark = *text.as_bytes().iter().find(|byte| !byte.is_ascii_digit())?;
    if !matches!(mark, b'-' | b'/' | b'.') {
        return None;
    }
    let mut pieces = text.split(char::from(mark));
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
    let parts = Parts { first: small(first)?, second: small(second)?, third: small(third)?, mark, shape };
    (parts.shape == Shape::ShortYear || Order::ALL.into_iter().any(|order| parts.days(order).is_some()))
        .then_some(parts)
}

/// Days since 1970 of a date in this order; none when it is none.
pub(crate) fn of(text: &str, order: Order) -> Option<i32> {
    match text.as_bytes().as_array() {
        Some(bytes) if order == Order::YearFirst && is_dashed(bytes) => usual(bytes),
        _ => parts(text)?.days(order),
    }
}

fn is_dashed(bytes: &[u8; 10]) -> bool {
    bytes[4] == b'-' && bytes[7] == b'-'
}

/// Days since 1970 of `2024-01-31`; none for any other text.
pub(super) fn usual(bytes: &[u8; 10]) -> Option<i32> {
    let digit = |at: usize| {
        let digit = bytes.get(at)?.wrapping_sub(b'0');
        (digit <= 9).then_some(u32::from(digit))
    };
    let two = |at: usize| Some(digit(at)? * 10 + digit(at + 1)?);
    if !is_dashed(bytes) {
        return None;
    }
    days(two(0)? * 100 + two(2)?, two(5)?, two(8)?)
}

impl Parts {
    /// A year of two digits: nobody can know the century.
    pub(crate) fn has_short_year(&self) -> bool {
        self.shape == Shape::ShortYear
    }

    /// Days since 1970 when the parts mean this; none when they cannot.
    pub(crate) fn days(&self, order: Order) -> Option<i32> {
        let Self { first, second, third, .. } = *self;
        match (self.shape, order) {
            (Shape::YearFirst, Order::YearFirst) => days(first, second, third),
            (Shape::YearLast, Order::DayFirst) => days(third, second, first),
            (Shape::YearLast, Order::MonthFirst) => days(third, first, second),
            (Shape::Named, Order::Named) => days(third, second, first),
            _ => None,
        }
    }

    /// The orders under which this is a date.
    pub(crate) fn orders(&self) -> u8 {
        Order::ALL.into_iter().filter(|order| self.days(*order).is_some()).map(Order::bit).sum()
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

fn named(text: &str) -> Option<Parts> {
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
    let parts = Parts { first: day, second: month, third: small(year)?, mark: b' ', shape: Shape::Named };
    parts.days(Order::Named).map(|_| parts)
}

fn small(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > 4 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Days since 1970-01-01 of a day in the Gregorian calendar.
pub(crate) fn days(year: u32, month: u32, day: u32) -> Option<i32> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let most = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    if day == 0 || day > most || year == 0 {
        return None;
    }
    // Years that begin in March put the leap day last.
    let (year, month, day) = (i64::from(year), i64::from(month), i64::from(day));
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    i32::try_from(era * 146_097 + day_of_era - 719_468).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(days(1970, 1, 1), Some(0));
        assert_eq!(days(2024, 2, 29), Some(19_782));
        assert_eq!(days(1969, 12, 31), Some(-1));
        assert_eq!(days(2023, 2, 29), None);
        assert_eq!(days(1900, 2, 29), None);
    }

    #[test]
    fn the_usual_date_is_what_any_date_is() {
        let days = |text: &str| parts(text).and_then(|parts| parts.days(Order::YearFirst));
        for text in ["2024-02-29", "2023-02-29", "0000-01-01", "2024-13-01", "2024-1-05-", "20x4-01-05", "2024/01/05"] {
            assert_eq!(of(text, Order::YearFirst), days(text), "{text}");
            assert_eq!(of(text, Order::DayFirst), None, "{text}");
        }
        assert_eq!(of("1970-01-02", Order::YearFirst), Some(1));
    }

    #[test]
    fn a_date_says_which_orders_it_fits() {
        let orders = |text: &str| {
            let parts = parts(text)?;
            Some(Order::ALL.into_iter().filter(|order| parts.orders() & order.bit() != 0).collect::<Vec<_>>())
        };
        assert_eq!(orders("2024-01-31"), Some(vec![Order::YearFirst]));
        assert_eq!(orders("2024/1/5"), Some(vec![Order::YearFirst]));
        assert_eq!(orders("01/02/2024"), Some(vec![Order::DayFirst, Order::MonthFirst]));
        assert_eq!(orders("31.01.2024"), Some(vec![Order::DayFirst]));
        assert_eq!(orders("01-31-2024"), Some(vec![Order::MonthFirst]));
        assert_eq!(orders("5 Jan 2024"), Some(vec![Order::Named]));
        assert_eq!(orders("January 5th, 2024"), Some(vec![Order::Named]));
        assert_eq!(orders("01/02/24"), Some(vec![]));
        for text in ["31.02.2024", "1.2.3", "2024-13-01", "2024-01", "12:30", "1/2/3/4", "Jan 2024", ""] {
            assert_eq!(orders(text), None, "{text}");
        }
    }
}
