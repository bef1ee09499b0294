//! Dates and times: days since 1900 or 1904, with the day that never was.

use super::section::{DatePart, Token};

/// From when days are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateSystem {
    /// Day 1 is 1 January 1900, and day 60 is a 29 February that never was.
    #[default]
    From1900,
    /// Day 0 is 1 January 1904.
    From1904,
}

/// A moment as calendar and clock show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime {
    /// The year.
    pub year: i32,
    /// The month, from 1.
    pub month: u32,
    /// The day of the month, from 1; 0 for day 0 of 1900.
    pub day: u32,
    /// The day of the week, Sunday first.
    pub weekday: u32,
    /// The hour.
    pub hour: u32,
    /// The minute.
    pub minute: u32,
    /// The second.
    pub second: u32,
    /// Millionths of a second.
    pub micros: u32,
}

const DAY_MICROS: i64 = 86_400_000_000;

impl DateTime {
    /// The moment of a day number, exact to a part of a second; `places` digits of the second are kept.
    fn rounded(serial: f64, system: DateSystem, places: u32) -> Option<Self> {
        let days = serial.floor();
        let last = match system {
            DateSystem::From1900 => 2_958_465.0,
            DateSystem::From1904 => 2_957_003.0,
        };
        if !(0.0..=last).contains(&days) {
            return None;
        }
        let step = 10_i64.pow(6_u32.saturating_sub(places));
        let micros = ((serial - days) * DAY_MICROS as f64).round() as i64;
        let micros = (micros + step / 2) / step * step;
        let (day, micros) = (days as i64 + micros / DAY_MICROS, micros % DAY_MICROS);
        let (year, month, day_of_month, weekday) = calendar(day, system);
        let seconds = micros / 1_000_000;
        Some(Self {
            year,
            month,
            day: day_of_month,
            weekday,
            hour: (seconds / 3600) as u32,
            minute: (seconds / 60 % 60) as u32,
            second: (seconds % 60) as u32,
            micros: (micros % 1_000_000) as u32,
        })
    }

    /// The moment of a day number, to the second.
    pub fn of(serial: f64, system: DateSystem) -> Option<Self> {
        Self::rounded(serial, system, 0)
    }

    /// In ISO form: the date, the time when there is one, the time alone below day 1.
    pub fn iso(&self, serial: f64) -> String {
        let time = format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second);
        let date = format!("{:04}-{:02}-{:02}", self.year, self.month, self.day);
        if serial < 1.0 && self.year < 1904 {
            time
        } else if (self.hour, self.minute, self.second) == (0, 0, 0) {
            date
        } else {
            format!("{date}T{time}")
        }
    }
}

/// Year, month, day and weekday of a day number.
fn calendar(day: i64, system: DateSystem) -> (i32, u32, u32, u32) {
    let weekday = |offset: i64| u32::try_from((day + offset).rem_euclid(7)).unwrap_or(0);
    match (system, day) {
        (DateSystem::From1900, 0) => (1900, 1, 0, weekday(6)),
        (DateSystem::From1900, 60) => (1900, 2, 29, weekday(6)),
        // Excel's weekdays are wrong before March 1900, and people see them so.
        (DateSystem::From1900, 1..60) => with(civil(day - 25_568), weekday(6)),
        (DateSystem::From1900, _) => with(civil(day - 25_569), weekday(6)),
        (DateSystem::From1904, _) => with(civil(day - 24_107), weekday(5)),
    }
}

fn with((year, month, day): (i32, u32, u32), weekday: u32) -> (i32, u32, u32, u32) {
    (year, month, day, weekday)
}

/// The date of a number of days since 1 January 1970, in the Gregorian calendar.
fn civil(days: i64) -> (i32, u32, u32) {
    // Years are counted from March, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year as i32, month as u32, day as u32)
}

/// The day number of a date in ISO form, as strict files have them.
pub(crate) fn serial_of_iso(text: &str, system: DateSystem) -> Option<f64> {
    let text = text.trim().trim_end_matches('Z');
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (Some(date), Some(time)),
        None if text.contains(':') => (None, Some(text)),
        None => (Some(text), None),
    };
    let days = date.map_or(Some(0), |date| day_of_iso(date, system))?;
    let clock = time.map_or(Some(0.0), seconds_of_iso)?;
    Some(days as f64 + clock / 86_400.0)
}

fn day_of_iso(date: &str, system: DateSystem) -> Option<i64> {
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1900..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let since_1970 = era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
    Some(match system {
        DateSystem::From1904 => since_1970 + 24_107,
        DateSystem::From1900 if since_1970 < -25_508 => since_1970 + 25_568,
        DateSystem::From1900 => since_1970 + 25_569,
    })
}

fn seconds_of_iso(time: &str) -> Option<f64> {
    let mut parts = time.splitn(3, ':').map(|part| part.parse::<f64>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0.0))?;
    let valid = (0.0..=24.0).contains(&hour) && (0.0..60.0).contains(&minute) && (0.0..61.0).contains(&second);
    valid.then_some(hour * 3600.0 + minute * 60.0 + second)
}

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

/// What parts need besides the moment.
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
