//! Serial dates: days since 1900 or 1904, with Excel's extra day (29 February 1900). The calendar is jiff's.

use jiff::Span;
use jiff::civil::Date;

/// The day from which serial dates count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateSystem {
    /// Day 1 is 1 January 1900, and day 60 is 29 February 1900, which did not exist.
    #[default]
    From1900,
    /// Day 0 is 1 January 1904.
    From1904,
}

/// A date with a time of day.
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
    /// The date and time of a serial number, rounded to `places` digits of a second.
    pub(super) fn rounded(serial: f64, system: DateSystem, places: u32) -> Option<Self> {
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
        let (year, month, day_of_month, weekday) = calendar(day, system)?;
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

    /// The date and time of a serial number, to the second.
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
fn calendar(day: i64, system: DateSystem) -> Option<(i32, u32, u32, u32)> {
    // Excel's weekdays are wrong before March 1900; they are displayed as Excel does.
    let weekday = |offset: i64| u32::try_from((day + offset).rem_euclid(7)).unwrap_or(0);
    let weekday = match system {
        DateSystem::From1900 => weekday(6),
        DateSystem::From1904 => weekday(5),
    };
    match (system, day) {
        (DateSystem::From1900, 0) => return Some((1900, 1, 0, weekday)),
        (DateSystem::From1900, LEAP_DAY_1900) => return Some((1900, 2, 29, weekday)),
        _ => {}
    }
    let span = Span::new().try_days(day).ok()?;
    let date = first_day(day, system).checked_add(span).ok()?;
    let number = |value: i8| u32::try_from(value).unwrap_or(0);
    Some((i32::from(date.year()), number(date.month()), number(date.day()), weekday))
}

/// The number of 29 February 1900, which Excel counts although 1900 was not a leap year.
const LEAP_DAY_1900: i64 = 60;

/// The date that a day number counts from: one day later for numbers before Excel's extra day.
fn first_day(day: i64, system: DateSystem) -> Date {
    match system {
        DateSystem::From1900 if day < LEAP_DAY_1900 => Date::constant(1899, 12, 31),
        DateSystem::From1900 => Date::constant(1899, 12, 30),
        DateSystem::From1904 => Date::constant(1904, 1, 1),
    }
}

/// The day number of a date.
fn day_number(date: Date, system: DateSystem) -> i64 {
    let since = |first: Date| date.duration_since(first).as_hours() / 24;
    let day = since(first_day(i64::MAX, system));
    match system {
        DateSystem::From1900 if day <= LEAP_DAY_1900 => since(first_day(0, system)),
        _ => day,
    }
}

/// The serial number of a date or time in ISO form, as strict files have them. Lenient: digits may be missing.
pub fn serial_of_iso(text: &str, system: DateSystem) -> Option<f64> {
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
    let mut parts = date.splitn(3, '-');
    let year = parts.next()?.parse().ok().filter(|year| *year >= 1900)?;
    let (month, day) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(day_number(Date::new(year, month, day).ok()?, system))
}

fn seconds_of_iso(time: &str) -> Option<f64> {
    let mut parts = time.splitn(3, ':').map(|part| part.parse::<f64>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0.0))?;
    let valid = (0.0..=24.0).contains(&hour) && (0.0..60.0).contains(&minute) && (0.0..61.0).contains(&second);
    valid.then_some(hour * 3600.0 + minute * 60.0 + second)
}

/// The serial number of a date that a caller gives as `2024-01-05` or `2024-01-05T10:30:00`, and whether it has a time.
/// None for dates before the first of the date system.
pub(crate) fn serial_of_input(text: &str, system: DateSystem) -> Option<(f64, bool)> {
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time.trim_end_matches('Z'))),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let (year, month, day) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let number = |value: i64| i8::try_from(value).ok();
    let date = Date::new(i16::try_from(year).ok()?, number(month)?, number(day)?).ok()?;
    let serial = day_number(date, system);
    let first = if system == DateSystem::From1904 { 0 } else { 1 };
    if parts.next().is_some() || serial < first {
        return None;
    }
    let fraction = time.map_or(Some(0.0), fraction_of)?;
    Some((serial as f64 + fraction, time.is_some()))
}

fn fraction_of(time: &str) -> Option<f64> {
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = time.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |second| digits(second, 2))?;
    let fraction: f64 = format!("0.{fraction}").parse().ok()?;
    let valid = parts.next().is_none() && hour < 24 && minute < 60 && second < 60;
    valid.then(|| (f64::from(u32::try_from(hour * 3600 + minute * 60 + second).unwrap_or(0)) + fraction) / 86_400.0)
}

fn digits(text: &str, count: usize) -> Option<i64> {
    (text.len() == count && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers_and_dates_are_each_other() {
        let date = |day: f64, system| DateTime::of(day, system).map(|moment| moment.iso(day.max(1.0)));
        let cases = [
            (1.0, "1900-01-01"),
            (59.0, "1900-02-28"),
            (60.0, "1900-02-29"),
            (61.0, "1900-03-01"),
            (45_296.0, "2024-01-05"),
            (2_958_465.0, "9999-12-31"),
        ];
        for (day, text) in cases {
            assert_eq!(date(day, DateSystem::From1900).as_deref(), Some(text));
            let back = (day != 60.0).then_some(day);
            assert_eq!(serial_of_iso(text, DateSystem::From1900), back, "{text}");
            assert_eq!(serial_of_input(text, DateSystem::From1900), back.map(|day| (day, false)), "{text}");
        }
        assert_eq!(date(2_958_466.0, DateSystem::From1900), None);
        for (day, text) in [(1.0, "1904-01-02"), (43_834.0, "2024-01-05"), (2_957_003.0, "9999-12-31")] {
            assert_eq!(date(day, DateSystem::From1904).as_deref(), Some(text));
            assert_eq!(serial_of_iso(text, DateSystem::From1904), Some(day), "{text}");
        }
        assert_eq!(serial_of_input("1903-12-31", DateSystem::From1904), None);
        assert_eq!(serial_of_input("1899-12-31", DateSystem::From1900), None);
    }

    #[test]
    fn dates_that_no_calendar_has_have_no_number() {
        for text in ["2024-02-30", "2023-02-29", "2024-13-01", "2024-00-10", "2024-01-32"] {
            assert_eq!(serial_of_iso(text, DateSystem::From1900), None, "{text}");
            assert_eq!(serial_of_input(text, DateSystem::From1900), None, "{text}");
        }
    }

    #[test]
    fn iso_dates_become_day_numbers() {
        let cases =
            [("2024-01-05", 45296.0), ("1900-02-28", 59.0), ("1900-03-01", 61.0), ("2024-01-05T12:00:00Z", 45296.5)];
        for (text, wanted) in cases {
            assert_eq!(serial_of_iso(text, DateSystem::From1900), Some(wanted), "{text}");
        }
        assert_eq!(serial_of_iso("06:00:00", DateSystem::From1900), Some(0.25));
        assert_eq!(serial_of_iso("not a date", DateSystem::From1900), None);
        assert_eq!(serial_of_iso("2024-01-05", DateSystem::From1904), Some(43834.0));
    }
}
