//! Times of day, and dates with times.

use super::date::{self, Order, Parts};

const SECOND: i64 = 1_000_000;

/// Microseconds since midnight of `12:30`, `12:30:15.25` or `1:05 PM`.
pub(crate) fn of_day(text: &str) -> Option<i64> {
    let text = text.trim();
    let (text, half) = match text.len().checked_sub(2).and_then(|at| text.split_at_checked(at)) {
        Some((rest, end)) if end.eq_ignore_ascii_case("am") => (rest.trim_end(), Some(0)),
        Some((rest, end)) if end.eq_ignore_ascii_case("pm") => (rest.trim_end(), Some(12)),
        _ => (text, None),
    };
    let mut pieces = text.split(':');
    let hour = number(pieces.next()?, 1..=2)?;
    let minute = number(pieces.next()?, 2..=2)?;
    let (second, micros) = match pieces.next() {
        None => (0, 0),
        Some(text) => seconds(text)?,
    };
    let hour = match half {
        None => hour,
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
    };
    if pieces.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(((hour * 60 + minute) * 60 + second) * SECOND + micros)
}

fn seconds(text: &str) -> Option<(i64, i64)> {
    let Some((whole, fraction)) = text.split_once(['.', ',']) else { return Some((number(text, 2..=2)?, 0)) };
    let digits = number(fraction, 1..=6)?;
    let missing = u32::try_from(6usize.checked_sub(fraction.len())?).ok()?;
    Some((number(whole, 2..=2)?, digits * 10_i64.pow(missing)))
}

fn number(text: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let fits = lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// A date with a time, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) date: Parts,
    /// Microseconds since midnight.
    pub(crate) time: i64,
    /// Minutes that the clock is ahead of UTC; none without a zone.
    pub(crate) offset: Option<i64>,
}

impl Moment {
    /// Microseconds since 1970, in UTC when there is a zone.
    pub(crate) fn micros(&self, order: Order) -> Option<i64> {
        let days = i64::from(self.date.days(order)?);
        Some(days * 86_400 * SECOND + self.time - self.offset.unwrap_or(0) * 60 * SECOND)
    }
}

/// Microseconds since 1970 of `2024-01-31 12:30:15`; none for any other text, moment or not.
pub(crate) fn usual(text: &str, order: Order) -> Option<i64> {
    let bytes: &[u8; 19] = text.as_bytes().as_array()?;
    let [.., mark, h, i, first, j, k, second, l, m] = bytes;
    if order != Order::YearFirst || !matches!(mark, b' ' | b'T') || [first, second] != [&b':'; 2] {
        return None;
    }
    let two = |high: &u8, low: &u8| {
        let (high, low) = (high.wrapping_sub(b'0'), low.wrapping_sub(b'0'));
        (high <= 9 && low <= 9).then_some(i64::from(high) * 10 + i64::from(low))
    };
    let (hour, minute, second) = (two(h, i)?, two(j, k)?, two(l, m)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = i64::from(date::usual(bytes.first_chunk()?)?);
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * SECOND)
}

/// Takes a date with a time apart.
pub(crate) fn moment(text: &str) -> Option<Moment> {
    let text = text.trim();
    if text.len() > 48 {
        return None;
    }
    let colon = text.find(':')?;
    let before = text.get(..colon)?;
    let split = before.rfind([' ', 'T', 't'])?;
    let date = date::parts(text.get(..split)?.trim_end_matches(','))?;
    let (clock, offset) = zone(text.get(split + 1..)?)?;
    Some(Moment { date, time: of_day(clock)?, offset })
}

/// Takes a zone off the end of a time: `Z`, `UTC`, `+02:00`, `-0530`, `+02`.
fn zone(text: &str) -> Option<(&str, Option<i64>)> {
    let text = text.trim();
    for utc in ["Z", "z", " UTC", " GMT"] {
        if let Some(clock) = text.strip_suffix(utc) {
            return Some((clock, Some(0)));
        }
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, None)) };
    let sign = if text.get(at..)?.starts_with('-') { -1 } else { 1 };
    let digits: String = text.get(at + 1..)?.chars().filter(|c| *c != ':').collect();
    let (hours, minutes) = match digits.len() {
        2 => (number(&digits, 2..=2)?, 0),
        4 => (number(digits.get(..2)?, 2..=2)?, number(digits.get(2..)?, 2..=2)?),
        _ => return None,
    };
    if hours > 18 || minutes > 59 {
        return None;
    }
    Some((text.get(..at)?, Some(sign * (hours * 60 + minutes))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day() {
        assert_eq!(of_day("00:00"), Some(0));
        assert_eq!(of_day("1:05 PM"), Some((13 * 60 + 5) * 60 * SECOND));
        assert_eq!(of_day("12:00am"), Some(0));
        assert_eq!(of_day("23:59:59.5"), Some(86_399 * SECOND + 500_000));
        for text in ["24:00", "1:5", "12", "12:60", "13:00 PM", "12:00:00.1234567", "a:bc"] {
            assert_eq!(of_day(text), None, "{text}");
        }
    }

    #[test]
    fn moments_know_their_zone() {
        let micros = |text: &str, order| moment(text).and_then(|moment| moment.micros(order));
        assert_eq!(micros("1970-01-01T00:00:01Z", Order::YearFirst), Some(SECOND));
        assert_eq!(micros("1970-01-01 02:00:00+02:00", Order::YearFirst), Some(0));
        assert_eq!(micros("1969-12-31 19:00:00 -0500", Order::YearFirst), Some(0));
        assert_eq!(micros("31/12/1970 00:00", Order::DayFirst), Some(364 * 86_400 * SECOND));
        assert_eq!(micros("12/31/1970 12:00 AM", Order::MonthFirst), Some(364 * 86_400 * SECOND));
        assert_eq!(moment("1970-01-01T00:00").map(|moment| moment.offset), Some(None));
        assert_eq!(moment("hello: world"), None);
        for text in ["1970-01-02 03:04:05", "2024-02-29T23:59:59", "2024-02-30 00:00:00", "2024-01-05 24:00:00"] {
            assert_eq!(usual(text, Order::YearFirst), micros(text, Order::YearFirst), "{text}");
            assert_eq!(usual(text, Order::DayFirst), None, "{text}");
        }
        assert_eq!(usual("2024-01-05 1:00:00Z", Order::YearFirst), None);
    }
}
