//! Times of day, and dates with times.

use jiff::civil::Time;

use super::date::{DateOrder, DateParts, parse_date, parse_iso_date, split_date};

/// Microseconds.
const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Parses a time of day such as `12:30`, `12:30:15.25` or `1:05 PM`: its microseconds since midnight.
///
/// ```
/// use jig_text::value::parse_time;
///
/// assert_eq!(parse_time("00:00:01.5"), Some(1_500_000));
/// assert_eq!(parse_time("24:00"), None);
/// ```
#[must_use]
pub fn parse_time(text: &str) -> Option<i64> {
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
    if pieces.next().is_some() {
        return None;
    }
    Some(since_midnight(hour, minute, second)? + micros)
}

/// Microseconds from midnight to a time that exists.
fn since_midnight(hour: i64, minute: i64, second: i64) -> Option<i64> {
    let [hour, minute, second] = [hour, minute, second].map(i8::try_from);
    let time = Time::new(hour.ok()?, minute.ok()?, second.ok()?, 0).ok()?;
    Some(time.duration_since(Time::midnight()).as_secs() * SECOND)
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

/// A date with a time, before the order of the date's parts is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime {
    /// The date.
    pub date: DateParts,
    /// Microseconds since midnight.
    pub time: i64,
    /// Minutes ahead of UTC; `None` without a time zone.
    pub offset: Option<i64>,
}

impl DateTime {
    /// Microseconds since 1970-01-01, in UTC if there is a time zone; `None` if the date does not exist in this order.
    #[must_use]
    pub fn micros(&self, order: DateOrder) -> Option<i64> {
        let days = i64::from(self.date.days(order)?);
        Some(days * DAY + self.time - self.offset.unwrap_or(0) * 60 * SECOND)
    }
}

/// Parses `2024-01-31 12:30:15`, the most common form, fast: its microseconds since 1970-01-01. `None` for all other text.
fn parse_iso_date_time(text: &str, order: DateOrder) -> Option<i64> {
    let bytes: &[u8; 19] = text.as_bytes().as_array()?;
    let [.., mark, h, i, first, j, k, second, l, m] = bytes;
    if order != DateOrder::YearFirst || !matches!(mark, b' ' | b'T') || [first, second] != [&b':'; 2] {
        return None;
    }
    let two = |high: &u8, low: &u8| {
        let (high, low) = (high.wrapping_sub(b'0'), low.wrapping_sub(b'0'));
        (high <= 9 && low <= 9).then_some(i64::from(high) * 10 + i64::from(low))
    };
    let (hour, minute, second) = (two(h, i)?, two(j, k)?, two(l, m)?);
    let days = i64::from(parse_iso_date(bytes.first_chunk()?)?);
    Some(days * DAY + since_midnight(hour, minute, second)?)
}

/// Parses a date with a time, or a date alone as its midnight: its microseconds since 1970-01-01. If `utc`, values need a time
/// zone and are converted to UTC, otherwise they must not have one.
#[must_use]
pub fn parse_date_time(text: &str, order: DateOrder, utc: bool) -> Option<i64> {
    if !utc && let Some(micros) = parse_iso_date_time(text, order) {
        return Some(micros);
    }
    match split_date_time(text) {
        Some(parsed) if parsed.offset.is_some() == utc => parsed.micros(order),
        Some(_) => None,
        None if utc => None,
        None => Some(i64::from(parse_date(text, order)?) * DAY),
    }
}

/// Splits a date with a time into its parts. `None` for all other text.
#[must_use]
pub fn split_date_time(text: &str) -> Option<DateTime> {
    let text = text.trim();
    if text.len() > 48 {
        return None;
    }
    let colon = text.find(':')?;
    let before = text.get(..colon)?;
    let split = before.rfind([' ', 'T', 't'])?;
    let date = split_date(text.get(..split)?.trim_end_matches(','))?;
    let (time, offset) = split_zone(text.get(split + 1..)?)?;
    Some(DateTime { date, time: parse_time(time)?, offset })
}

/// Splits the time zone off the end of a time: `Z`, `UTC`, `+02:00`, `-0530`, `+02`.
fn split_zone(text: &str) -> Option<(&str, Option<i64>)> {
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
        assert_eq!(parse_time("00:00"), Some(0));
        assert_eq!(parse_time("1:05 PM"), Some((13 * 60 + 5) * 60 * SECOND));
        assert_eq!(parse_time("12:00am"), Some(0));
        assert_eq!(parse_time("23:59:59.5"), Some(86_399 * SECOND + 500_000));
        for text in ["24:00", "1:5", "12", "12:60", "13:00 PM", "12:00:00.1234567", "a:bc"] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    #[test]
    fn time_zones_are_read() {
        let micros = |text: &str, order| split_date_time(text).and_then(|parsed| parsed.micros(order));
        assert_eq!(micros("1970-01-01T00:00:01Z", DateOrder::YearFirst), Some(SECOND));
        assert_eq!(micros("1970-01-01 02:00:00+02:00", DateOrder::YearFirst), Some(0));
        assert_eq!(micros("1969-12-31 19:00:00 -0500", DateOrder::YearFirst), Some(0));
        assert_eq!(micros("31/12/1970 00:00", DateOrder::DayFirst), Some(364 * 86_400 * SECOND));
        assert_eq!(micros("12/31/1970 12:00 AM", DateOrder::MonthFirst), Some(364 * 86_400 * SECOND));
        assert_eq!(split_date_time("1970-01-01T00:00").map(|parsed| parsed.offset), Some(None));
        assert_eq!(split_date_time("hello: world"), None);
        for text in ["1970-01-02 03:04:05", "2024-02-29T23:59:59", "2024-02-30 00:00:00", "2024-01-05 24:00:00"] {
            assert_eq!(parse_iso_date_time(text, DateOrder::YearFirst), micros(text, DateOrder::YearFirst), "{text}");
            assert_eq!(parse_iso_date_time(text, DateOrder::DayFirst), None, "{text}");
        }
        assert_eq!(parse_iso_date_time("2024-01-05 1:00:00Z", DateOrder::YearFirst), None);
    }
}
