//! From what was seen of a column to its type. Where values can mean two things, nobody guesses: the column stays
//! text and the reason is told.

use super::profile::{Place, Profile, Sort};
use crate::value::Truth;
use crate::value::date::Order;
use crate::value::number::{MOST_DIGITS, Marks};

/// The type of a column, with what is needed to read its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Decimal { precision: u8, scale: u8 },
    Double,
    Boolean(Truth),
    Date(Order),
    Time,
    Timestamp(Order),
}

impl Kind {
    /// The engine's name of the type.
    pub(crate) fn sql(self) -> String {
        match self {
            Self::Text => "VARCHAR".to_owned(),
            Self::Integer => "BIGINT".to_owned(),
            Self::Decimal { precision, scale } => format!("DECIMAL({precision},{scale})"),
            Self::Double => "DOUBLE".to_owned(),
            Self::Boolean(_) => "BOOLEAN".to_owned(),
            Self::Date(_) => "DATE".to_owned(),
            Self::Time => "TIME".to_owned(),
            Self::Timestamp(_) => "TIMESTAMP".to_owned(),
        }
    }
}

/// How a column's numbers are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NumberStyle {
    pub(crate) marks: Marks,
    /// Whether signs other than a minus may stand around the digits.
    pub(crate) dressed: bool,
    pub(crate) currency: Option<String>,
    pub(crate) percent: bool,
}

impl NumberStyle {
    pub(crate) const PLAIN: Self = Self { marks: Marks::Point, dressed: false, currency: None, percent: false };
}

/// What was decided for a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decided {
    pub(crate) kind: Kind,
    pub(crate) style: NumberStyle,
    /// How values are written, when that is not plain.
    pub(crate) format: Option<String>,
    /// Why the column is not what most of its values look like.
    pub(crate) warning: Option<String>,
}

/// A column of a table, ready to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) decided: Decided,
    pub(crate) examples: Vec<String>,
}

impl Decided {
    pub(crate) fn text() -> Self {
        Self { kind: Kind::Text, style: NumberStyle::PLAIN, format: None, warning: None }
    }

    fn of(kind: Kind, format: Option<String>) -> Self {
        Self { kind, format, ..Self::text() }
    }

    fn unsure(format: &str, why: String) -> Self {
        Self { format: Some(format.to_owned()), warning: Some(why), ..Self::text() }
    }
}

/// Tells a column's type.
pub(crate) fn decide(seen: &Profile) -> Decided {
    let all = |sort: Sort| seen.count(sort) == seen.values;
    if seen.values == 0 || seen.texts > 0 {
        return if seen.texts > 0 { mostly(seen) } else { Decided::text() };
    }
    if all(Sort::Number) {
        return numbers(seen);
    }
    if seen.count(Sort::Number) + seen.count(Sort::Scientific) == seen.values {
        let plain = seen.not_marks & Marks::Point.bit() == 0 && seen.percents + seen.parens + seen.with_currency == 0;
        if plain && seen.long_numbers == 0 {
            return Decided::of(Kind::Double, Some("scientific".to_owned()));
        }
    }
    if all(Sort::Truth) {
        return truth(seen);
    }
    if all(Sort::Date) {
        return dates(seen, Kind::Date);
    }
    if seen.count(Sort::Moment) > 0 && seen.count(Sort::Date) + seen.count(Sort::Moment) == seen.values {
        return moments(seen);
    }
    if all(Sort::Time) {
        return Decided::of(Kind::Time, None);
    }
    mostly(seen)
}

fn numbers(seen: &Profile) -> Decided {
    if seen.other_currency {
        return Decided::unsure("several currencies", "amounts in several currencies; kept as text".to_owned());
    }
    if seen.percents > 0 && seen.percents < seen.values {
        return Decided::unsure(
            "percent signs in part",
            format!("{} of {} values have a percent sign; kept as text", seen.percents, seen.values),
        );
    }
    let possible: Vec<Marks> = Marks::ALL.into_iter().filter(|marks| seen.not_marks & marks.bit() == 0).collect();
    let marks = match possible.first() {
        Some(Marks::Comma) if possible.contains(&Marks::PointComma) => {
            let example = seen.examples.first().map_or("1,234", String::as_str);
            return Decided::unsure(
                "thousands or decimals, ambiguous",
                format!(
                    "the comma in `{example}` may part thousands or decimals and no value decides it; kept as text"
                ),
            );
        }
        Some(marks) => *marks,
        None => {
            return Decided::unsure(
                "numbers written in several ways",
                "numbers are written in several ways; kept as text".to_owned(),
            );
        }
    };
    let extent = seen.extents.get(marks as usize).copied().unwrap_or_default();
    let kind = if extent.scale == 0 && i64::try_from(extent.most).is_ok() {
        Kind::Integer
    } else if usize::from(extent.whole) + usize::from(extent.scale) <= MOST_DIGITS {
        let digits = usize::from(extent.whole) + usize::from(extent.scale);
        let precision = if digits <= 18 { 18 } else { MOST_DIGITS as u8 };
        Kind::Decimal { precision, scale: extent.scale }
    } else {
        let words = format!("numbers of more than {MOST_DIGITS} digits; kept as text");
        return Decided::unsure("very long numbers", words);
    };
    let style = NumberStyle {
        marks,
        dressed: seen.percents + seen.parens + seen.with_currency > 0,
        currency: seen.currency.clone(),
        percent: seen.percents > 0,
    };
    let mut notes: Vec<String> = marks.note().map(str::to_owned).into_iter().collect();
    if let Some(currency) = &seen.currency {
        notes.push(format!("currency {currency}"));
    }
    if seen.percents > 0 {
        notes.push("percent: 5% is read as 5".to_owned());
    }
    if seen.parens > 0 {
        notes.push("parentheses are negative".to_owned());
    }
    let format = if notes.is_empty() { None } else { Some(notes.join(", ")) };
    // Three digits after a point are decimals far more often than thousands: they are read so, but not silently.
    let doubtful = marks == Marks::Point && extent.scale > 0 && possible.contains(&Marks::CommaPoint);
    let warning = doubtful.then(|| {
        let example = seen.examples.iter().find(|text| text.contains('.')).map_or("1.234", String::as_str);
        format!("the point in `{example}` is read as decimal; it may part thousands and no value decides it")
    });
    Decided { kind, style, format, warning }
}

fn truth(seen: &Profile) -> Decided {
    let pair = Truth::ALL.into_iter().enumerate().find(|(index, _)| seen.not_truths & (1 << index) == 0);
    match pair {
        Some((_, truth)) if truth.is_plain() || seen.truth_seen == [true, true] => {
            Decided::of(Kind::Boolean(truth), Some(truth.note()))
        }
        _ => Decided::text(),
    }
}

/// What the dates of a column mean, or why that cannot be told.
fn order(seen: &Profile) -> Result<(Order, String), (String, String)> {
    if seen.short_years > 0 {
        let why = format!("{} of {} dates have a year of two digits; kept as text", seen.short_years, seen.values);
        return Err(("years of two digits".to_owned(), why));
    }
    if let (Some(day), Some(month)) = (&seen.only_day_first, &seen.only_month_first) {
        let why = format!(
            "dates with the day first (`{}`, line {}) and with the month first (`{}`, line {}); kept as text",
            day.text, day.line, month.text, month.line
        );
        return Err(("day and month first, mixed".to_owned(), why));
    }
    let mut orders = Order::ALL.into_iter().filter(|order| seen.not_orders & order.bit() == 0);
    let Some(first) = orders.next() else {
        return Err((
            "dates written in several ways".to_owned(),
            "dates are written in several ways; kept as text".to_owned(),
        ));
    };
    if seen.either_order == 0 || first == Order::YearFirst || first == Order::Named {
        return Ok((first, first.note().to_owned()));
    }
    let both = format!("{} of {} values fit both", seen.either_order, seen.values);
    let decided =
        |order: Order, place: &Place| (order, format!("{}: {both}, line {} decides", order.note(), place.line));
    match (&seen.only_day_first, &seen.only_month_first) {
        (Some(place), None) => Ok(decided(Order::DayFirst, place)),
        (None, Some(place)) => Ok(decided(Order::MonthFirst, place)),
        _ if seen.marks_of_dates == Some(b'.') && !seen.other_marks_of_dates => {
            Ok((Order::DayFirst, format!("day first, as always with points: {both}")))
        }
        _ => {
            let why =
                "every date fits the day first and the month first; kept as text; strptime(…, '%d/%m/%Y') reads it";
            Err((format!("day or month first, ambiguous: {both}"), why.to_owned()))
        }
    }
}

fn dates(seen: &Profile, kind: fn(Order) -> Kind) -> Decided {
    match order(seen) {
        Ok((Order::YearFirst, _)) => Decided::of(kind(Order::YearFirst), None),
        Ok((order, note)) => Decided::of(kind(order), Some(note)),
        Err((format, why)) => Decided { format: Some(format), warning: Some(why), ..Decided::text() },
    }
}

fn moments(seen: &Profile) -> Decided {
    let (moments, dates_only) = (seen.count(Sort::Moment), seen.count(Sort::Date));
    if seen.zones > 0 && seen.zones < seen.values {
        let why = format!("{} of {} times have a zone; kept as text", seen.zones, seen.values);
        return Decided::unsure("time zones in part", why);
    }
    let mut decided = dates(seen, Kind::Timestamp);
    if decided.kind == Kind::Text {
        return decided;
    }
    let mut notes: Vec<String> = decided.format.take().into_iter().collect();
    if seen.zones > 0 {
        notes.push("with zones, read as UTC".to_owned());
    }
    if dates_only > 0 {
        notes.push(format!("{dates_only} of {} without a time, read as midnight", moments + dates_only));
    }
    decided.format = if notes.is_empty() { None } else { Some(notes.join(", ")) };
    decided
}

/// A column of text. When nearly all of it is of another type, that is told.
fn mostly(seen: &Profile) -> Decided {
    let mut decided = Decided::text();
    if seen.zeros > 0 && seen.zeros + seen.count(Sort::Number) == seen.values {
        decided.format = Some("digits with leading zeros".to_owned());
        return decided;
    }
    let most = Sort::ALL.into_iter().max_by_key(|sort| seen.count(*sort));
    let Some(sort) = most.filter(|sort| seen.count(*sort) * 10 >= seen.values * 8 && seen.count(*sort) > 0) else {
        return decided;
    };
    let other = seen.first_other.get(sort as usize).and_then(Option::as_ref);
    if let Some(other) = other {
        decided.warning = Some(format!(
            "{} of {} values are {}; the first other one is `{}` in row {} (line {}); kept as text",
            seen.count(sort),
            seen.values,
            sort.word(),
            other.text,
            other.row,
            other.line
        ));
    }
    decided
}
