//! Numbers shown as dates and times.

use super::section::{DatePart, Token};
use crate::xlsx::serial_date::{DateSystem, DateTime};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// A number as a date; none when no calendar has it.
pub(super) fn show(tokens: &[Token], value: f64, system: DateSystem) -> Option<String> {
    let parts = || tokens.iter().filter_map(|token| if let Token::Date(part) = token { Some(*part) } else { None });
    let elapsed = parts().any(is_elapsed);
    let places = parts().map(|part| if let DatePart::Fraction(count) = part { count.min(6) } else { 0 }).max();
    let places = places.unwrap_or(0) as u32;
    // Elapsed time may be negative or longer than any date.
    let calendar = if elapsed && !parts().any(is_calendar) { value.abs().fract() } else { value };
    let moment = DateTime::rounded(calendar, system, places)?;
    let half = parts().any(|part| matches!(part, DatePart::HalfDay { .. }));
    let mut out = if elapsed && value < 0.0 { "-".to_owned() } else { String::new() };
    for token in tokens {
        match token {
            Token::Literal(text) => out.push_str(text),
            Token::Date(part) => part.push(&moment, Clock { value, half, places }, &mut out),
            Token::General | Token::Text => out.push_str(&super::general(value)),
            _ => {}
        }
    }
    Some(out)
}

fn is_elapsed(part: DatePart) -> bool {
    matches!(part, DatePart::ElapsedHours(_) | DatePart::ElapsedMinutes(_) | DatePart::ElapsedSeconds(_))
}

fn is_calendar(part: DatePart) -> bool {
    matches!(part, DatePart::Year(_) | DatePart::BuddhistYear(_) | DatePart::Month(_) | DatePart::Day(_))
}

/// The settings that date parts share.
#[derive(Clone, Copy)]
struct Clock {
    value: f64,
    half: bool,
    places: u32,
}

impl DatePart {
    fn push(self, moment: &DateTime, clock: Clock, out: &mut String) {
        let elapsed = |seconds: f64| elapsed(clock.value, seconds, clock.places);
        match self {
            Self::Year(..=2) => push(i64::from(moment.year % 100), 2, out),
            Self::Year(_) => push(i64::from(moment.year), 4, out),
            Self::BuddhistYear(..=2) => push(i64::from((moment.year + 543) % 100), 2, out),
            Self::BuddhistYear(_) => push(i64::from(moment.year + 543), 4, out),
            Self::Month(count @ ..=2) => push(i64::from(moment.month), count, out),
            Self::Month(count) => out.push_str(name(&MONTHS, moment.month.wrapping_sub(1), count)),
            Self::Day(count @ ..=2) => push(i64::from(moment.day), count, out),
            Self::Day(count) => out.push_str(name(&DAYS, moment.weekday, count)),
            Self::Hour(count) => push(i64::from(hour(moment.hour, clock.half)), count, out),
            Self::Minute(count) => push(i64::from(moment.minute), count, out),
            Self::Second(count) => push(i64::from(moment.second), count, out),
            Self::Fraction(count) => {
                let micros = format!("{:06}", moment.micros);
                out.push('.');
                out.push_str(micros.get(..count.min(6)).unwrap_or_default());
            }
            Self::HalfDay { long } => {
                let half = if moment.hour < 12 { "AM" } else { "PM" };
                out.push_str(half.get(..if long { 2 } else { 1 }).unwrap_or_default());
            }
            Self::ElapsedHours(count) => push(elapsed(3600.0), count, out),
            Self::ElapsedMinutes(count) => push(elapsed(60.0), count, out),
            Self::ElapsedSeconds(count) => push(elapsed(1.0), count, out),
        }
    }
}

fn push(number: i64, width: usize, out: &mut String) {
    out.push_str(&format!("{number:0width$}", width = width.min(20)));
}

fn hour(hour: u32, half: bool) -> u32 {
    if half { (hour + 11) % 12 + 1 } else { hour }
}

/// Whole units of elapsed time, rounded as the seconds are.
fn elapsed(value: f64, unit: f64, places: u32) -> i64 {
    let scale = 10_f64.powi(places as i32);
    let seconds = (value.abs() * 86_400.0 * scale).round() / scale;
    (seconds / unit).floor() as i64
}

/// Three letters are the short name, five the first letter, else the whole name.
fn name(names: &[&'static str], at: u32, count: usize) -> &'static str {
    let name = names.get(at as usize).copied().unwrap_or_default();
    match count {
        3 => name.get(..3).unwrap_or(name),
        5 => name.get(..1).unwrap_or(name),
        _ => name,
    }
}
