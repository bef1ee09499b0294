//! Schedules of recipes: five cron fields, in UTC.

use jiff::civil::{Date, date};
use jiff::{Span, tz::TimeZone};
use jig_contract::Timestamp;

/// How many days ahead the next run is searched: 29 February can be eight years away.
const DAYS_AHEAD: u32 = 366 * 9;

const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A schedule. Each set is a bit mask of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cron {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// If both day fields are restricted, either match suffices, as usual for cron.
    either_day: bool,
}

/// Why a schedule is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; a schedule is minute, hour, day, month and weekday in UTC, for example `0 6 * * 1` for Mondays at six")]
pub struct BadCron(String);

impl Cron {
    /// Parses a schedule: numbers, names of months and weekdays, `*`, lists, ranges, steps, and shortcuts such as
    /// `@daily`.
    pub fn parse(text: &str) -> Result<Self, BadCron> {
        let text = match text.trim() {
            "@hourly" => "0 * * * *",
            "@daily" | "@midnight" => "0 0 * * *",
            "@weekly" => "0 0 * * 0",
            "@monthly" => "0 0 1 * *",
            "@yearly" | "@annually" => "0 0 1 1 *",
            other => other,
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else {
            return Err(BadCron(format!("this has {} fields and not five", fields.len())));
        };
        let weekdays = set(weekday, "weekday", 0, 7, &DAYS)?;
        let cron = Self {
            minutes: set(minute, "minute", 0, 59, &[])?,
            hours: set(hour, "hour", 0, 23, &[])?,
            days: set(day, "day", 1, 31, &[])?,
            months: set(month, "month", 1, 12, &MONTHS)?,
            // Sunday is both 0 and 7.
            weekdays: (weekdays | (weekdays >> 7)) & 0x7f,
            either_day: !day.starts_with('*') && !weekday.starts_with('*'),
        };
        let some_day = Timestamp::from_millis(0);
        if cron.next_after(some_day).is_none() {
            return Err(BadCron("this day never comes".to_owned()));
        }
        Ok(cron)
    }

    /// The first scheduled time after `after`.
    pub fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        let moment = jiff::Timestamp::from_millisecond(after.as_millis()).ok()?.to_zoned(TimeZone::UTC).datetime();
        let minute_of_day = u32::from(moment.hour().unsigned_abs()) * 60 + u32::from(moment.minute().unsigned_abs());
        let mut day = moment.date();
        let mut from = minute_of_day + 1;
        for _ in 0..DAYS_AHEAD {
            if self.has_day(day)
                && let Some(minute) = (from..24 * 60).find(|minute| self.has_minute(*minute))
            {
                return at(day, minute);
            }
            day = day.checked_add(Span::new().days(1)).ok()?;
            from = 0;
        }
        None
    }

    fn has_minute(&self, minute: u32) -> bool {
        self.hours >> (minute / 60) & 1 == 1 && self.minutes >> (minute % 60) & 1 == 1
    }

    fn has_day(&self, day: Date) -> bool {
        let by_day = self.days >> day.day().unsigned_abs() & 1 == 1;
        let by_weekday = self.weekdays >> day.weekday().to_sunday_zero_offset().unsigned_abs() & 1 == 1;
        let fits = if self.either_day { by_day || by_weekday } else { by_day && by_weekday };
        fits && self.months >> day.month().unsigned_abs() & 1 == 1
    }
}

fn at(day: Date, minute: u32) -> Option<Timestamp> {
    let start = day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond();
    (day >= date(1, 1, 1)).then(|| Timestamp::from_millis(start + i64::from(minute) * 60_000))
}

/// Parses one field: `*`, `5`, `1-5`, `*/15`, `mon,wed`.
fn set(text: &str, what: &str, least: u32, most: u32, names: &[&str]) -> Result<u64, BadCron> {
    let bad = || BadCron(format!("`{}` is not a valid {what}: use {least} to {most}", crate::document::shown(text)));
    let number = |text: &str| {
        let named = names.iter().position(|name| text.eq_ignore_ascii_case(name));
        let offset = if names.len() == 12 { 1 } else { 0 };
        let named = named.and_then(|at| u32::try_from(at).ok()).map(|at| at + offset);
        let digits = || text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        named.or_else(digits).filter(|number| (least..=most).contains(number)).ok_or_else(bad)
    };
    let mut bits = 0;
    for piece in text.split(',') {
        let (range, step) = piece.split_once('/').map_or((piece, None), |(range, step)| (range, Some(step)));
        let step = step.map_or(Ok(1), |step| step.parse::<u32>().ok().filter(|step| *step > 0).ok_or_else(bad))?;
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None if range == "*" => (least, most),
            None if piece.contains('/') => (number(range)?, most),
            None => (number(range)?, number(range)?),
        };
        if first > last {
            return Err(bad());
        }
        let step = usize::try_from(step).map_err(|_| bad())?;
        bits |= (first..=last).step_by(step).fold(0, |bits, value| bits | 1_u64 << value);
    }
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn next(cron: &str, after: &str) -> String {
        let moment = Cron::parse(cron).unwrap().next_after(after.parse().unwrap()).unwrap();
        moment.to_string().trim_end_matches(":00.000Z").to_owned()
    }

    #[test]
    fn the_next_moment_is_found() {
        // 17 November 2026 is a Tuesday.
        let now = "2026-11-17T02:33:00Z";
        for (cron, expected) in [
            ("* * * * *", "2026-11-17T02:34"),
            ("33 2 * * *", "2026-11-18T02:33"),
            ("*/15 * * * *", "2026-11-17T02:45"),
            ("0 6 * * 1", "2026-11-23T06:00"),
            ("0 6 * * mon-fri", "2026-11-17T06:00"),
            ("0 0 * * 7", "2026-11-22T00:00"),
            ("0 0 * * sun", "2026-11-22T00:00"),
            ("30 1,5 * * *", "2026-11-17T05:30"),
            ("0 0 1 jan *", "2027-01-01T00:00"),
            ("0 0 29 2 *", "2028-02-29T00:00"),
            ("0 12 1 * 5", "2026-11-20T12:00"),
            ("5/20 3 * * *", "2026-11-17T03:05"),
            ("@weekly", "2026-11-22T00:00"),
            ("@hourly", "2026-11-17T03:00"),
        ] {
            assert_eq!(next(cron, now), expected, "{cron}");
        }
        assert_eq!(next("0 0 29 2 *", "2096-03-01T00:00:00Z"), "2104-02-29T00:00", "2100 is not a leap year");
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for (cron, words) in [
            ("", "0 fields"),
            ("* * * *", "4 fields"),
            ("60 * * * *", "is not a valid minute"),
            ("* 24 * * *", "is not a valid hour"),
            ("* * 0 * *", "is not a valid day"),
            ("* * * 13 *", "is not a valid month"),
            ("* * * * 8", "is not a valid weekday"),
            ("5-1 * * * *", "is not a valid minute"),
            ("*/0 * * * *", "is not a valid minute"),
            ("+5 * * * *", "is not a valid minute"),
            ("a * * * *", "is not a valid minute"),
            ("0 0 30 2 *", "never comes"),
            ("every monday at 6 sharp", "is not a valid weekday"),
        ] {
            let told = Cron::parse(cron).unwrap_err().to_string();
            assert!(told.contains(words), "{cron}: {told}");
        }
    }

    proptest! {
        #[test]
        fn the_next_moment_is_later_and_fits(minute in 0u32..60, hour in 0u32..24, after in 0i64..4_000_000_000_000) {
            let cron = Cron::parse(&format!("{minute} {hour} * * *")).unwrap();
            let after = Timestamp::from_millis(after);
            let next = cron.next_after(after).unwrap();
            prop_assert!(next > after && next.since(after) <= 24 * 3_600_000);
            prop_assert_eq!(next.as_millis() / 60_000 % 60, i64::from(minute));
        }

        #[test]
        fn any_text_is_a_schedule_or_is_told(text in "[0-9*,/a-z -]{0,20}") {
            let _ = Cron::parse(&text);
        }
    }
}
