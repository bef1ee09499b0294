//! Statistics of a column, collected value by value. [`columns`](super::columns) derives the type from them.

use super::records::{Cell, Quoting};
use crate::value::{
    BooleanStyle, DateOrder, DateParts, MAX_DIGITS, MAX_SIGNED_DIGITS, NumberSeparators, is_null_word, parse_digits,
    parse_scientific, parse_time, split_date, split_date_time, split_number,
};

/// How many examples are stored of a column.
const EXAMPLES: usize = 3;
/// Longer values are text.
const MAX_VALUE_BYTES: usize = 64;

/// A value and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ValuePosition {
    pub(super) text: String,
    pub(super) row: u64,
    pub(super) line: u64,
}

/// What a value can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Number,
    Scientific,
    Date,
    DateTime,
    Time,
    Boolean,
}

impl ValueKind {
    pub(super) const ALL: [Self; 6] =
        [Self::Number, Self::Scientific, Self::Date, Self::DateTime, Self::Time, Self::Boolean];

    /// The kind in words.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::Number | Self::Scientific => "numbers",
            Self::Date => "dates",
            Self::DateTime => "dates with times",
            Self::Time => "times",
            Self::Boolean => "yes or no",
        }
    }
}

/// The size of the numbers of a column, if read with some separators.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// The most digits before the decimal separator.
    pub(super) whole: u8,
    /// The most digits after it.
    pub(super) scale: u8,
    /// The largest mantissa.
    pub(super) max: i128,
}

/// Statistics of the values of a column.
#[derive(Debug, Clone, Default)]
pub struct ColumnProfile {
    /// Values that are neither empty nor a word for a missing value.
    pub(super) values: u64,
    /// Values that are text by their source.
    pub(super) texts: u64,
    /// How many values are of each kind.
    pub(super) counts: [u64; ValueKind::ALL.len()],
    /// The first value that is not of a kind.
    pub(super) first_other: [Option<ValuePosition>; ValueKind::ALL.len()],
    /// The set of separators with which some number cannot be read.
    pub(super) excluded_separators: u8,
    /// The size of the numbers for each choice of separators.
    pub(super) extents: [Extent; NumberSeparators::ALL.len()],
    /// The first currency.
    pub(super) currency: Option<String>,
    /// Whether there is another currency.
    pub(super) other_currency: bool,
    /// Numbers with a currency.
    pub(super) with_currency: u64,
    /// Numbers with a percent sign.
    pub(super) percents: u64,
    /// Numbers in parentheses.
    pub(super) parentheses: u64,
    /// Numbers with more digits than a double holds.
    pub(super) long_numbers: u64,
    /// Digits with leading zeros.
    pub(super) leading_zeros: u64,
    /// The set of orders in which some date does not exist.
    pub(super) excluded_orders: u8,
    /// The separator of the first date.
    pub(super) date_separator: Option<u8>,
    /// Whether there are dates with another separator.
    pub(super) other_date_separator: bool,
    /// Dates with a year of two digits.
    pub(super) short_years: u64,
    /// Dates that exist with the day first and with the month first.
    pub(super) either_order: u64,
    /// The first date that exists only with the day first.
    pub(super) only_day_first: Option<ValuePosition>,
    /// The first date that exists only with the month first.
    pub(super) only_month_first: Option<ValuePosition>,
    /// Dates with a time zone.
    pub(super) zones: u64,
    /// The set of pairs of words to which some boolean does not belong.
    pub(super) excluded_booleans: u8,
    /// Whether false and true occur.
    pub(super) booleans_seen: [bool; 2],
    /// The first values, each once.
    pub(super) examples: Vec<String>,
}

impl ColumnProfile {
    /// Adds a value. `row` and `line` are reported if it is of another type than the rest of its column.
    pub fn add(&mut self, cell: &Cell<'_>, row: u64, line: u64) {
        if cell.is_missing() {
            return;
        }
        let text = cell.text.trim();
        if text.is_empty() {
            return;
        }
        self.example(&cell.text);
        if is_null_word(text) {
            return;
        }
        self.values += 1;
        if cell.quoting == Quoting::Text {
            self.texts += 1;
        }
        let place = || ValuePosition { text: clip(text), row, line };
        let kinds =
            if cell.quoting == Quoting::Text { [false; ValueKind::ALL.len()] } else { self.kinds(text, &place) };
        for (index, is) in kinds.into_iter().enumerate() {
            if let (true, Some(count)) = (is, self.counts.get_mut(index)) {
                *count += 1;
            }
            if let (false, Some(other @ None)) = (is, self.first_other.get_mut(index)) {
                *other = Some(place());
            }
        }
    }

    fn example(&mut self, text: &str) {
        if self.examples.len() < EXAMPLES {
            let text = clip(text);
            if !self.examples.contains(&text) {
                self.examples.push(text);
            }
        }
    }

    fn kinds(&mut self, text: &str, place: &dyn Fn() -> ValuePosition) -> [bool; ValueKind::ALL.len()] {
        if text.len() > MAX_VALUE_BYTES {
            return [false; ValueKind::ALL.len()];
        }
        let number = self.number(text);
        let scientific = !number && parse_scientific(text).is_some();
        // No number is a date: a date has two separators that are the same.
        let rest = !number && !scientific;
        let date = rest && self.date(text, place);
        let date_time = rest && !date && self.date_time(text, place);
        let time = rest && !date && !date_time && parse_time(text).is_some();
        let boolean = rest && self.boolean(text);
        [number, scientific, date, date_time, time, boolean]
    }

    fn number(&mut self, text: &str) -> bool {
        let Some(parts) = split_number(text) else { return false };
        let mut fits = 0u8;
        let mut long = false;
        for (index, separators) in NumberSeparators::ALL.into_iter().enumerate() {
            if let Some(number) = parse_digits(parts.body, separators) {
                fits |= separators.bit();
                long |= usize::from(number.whole) + usize::from(number.scale) > 17;
                if let Some(extent) = self.extents.get_mut(index) {
                    extent.whole = extent.whole.max(number.whole);
                    extent.scale = extent.scale.max(number.scale);
                    extent.max = extent.max.max(number.mantissa);
                }
            }
        }
        let digits = parts.body.bytes().filter(u8::is_ascii_digit).count();
        if fits == 0 {
            let only_digits = parts.body.bytes().all(|byte| byte.is_ascii_digit());
            self.leading_zeros += u64::from(only_digits && parts.body.starts_with('0') && digits <= MAX_DIGITS);
            return false;
        }
        if parts.plus && digits > MAX_SIGNED_DIGITS {
            return false;
        }
        self.excluded_separators |= !fits;
        self.long_numbers += u64::from(long);
        self.percents += u64::from(parts.percent);
        self.parentheses += u64::from(parts.parentheses);
        if let Some(currency) = parts.currency {
            self.with_currency += 1;
            match &self.currency {
                None => self.currency = Some(currency.to_owned()),
                Some(known) => self.other_currency |= known != currency,
            }
        }
        true
    }

    fn date(&mut self, text: &str, place: &dyn Fn() -> ValuePosition) -> bool {
        let Some(parts) = split_date(text) else { return false };
        self.date_parts(&parts, place);
        true
    }

    fn date_parts(&mut self, parts: &DateParts, place: &dyn Fn() -> ValuePosition) {
        let orders = parts.orders();
        self.short_years += u64::from(parts.has_short_year());
        self.excluded_orders |= !orders;
        match self.date_separator {
            None => self.date_separator = Some(parts.separator),
            Some(separator) => self.other_date_separator |= separator != parts.separator,
        }
        let has = |order: DateOrder| orders & order.bit() != 0;
        match (has(DateOrder::DayFirst), has(DateOrder::MonthFirst)) {
            (true, true) => self.either_order += 1,
            (true, false) if self.only_day_first.is_none() => self.only_day_first = Some(place()),
            (false, true) if self.only_month_first.is_none() => self.only_month_first = Some(place()),
            _ => {}
        }
    }

    fn date_time(&mut self, text: &str, place: &dyn Fn() -> ValuePosition) -> bool {
        let Some(parsed) = split_date_time(text) else { return false };
        self.date_parts(&parsed.date, place);
        self.zones += u64::from(parsed.offset.is_some());
        true
    }

    fn boolean(&mut self, text: &str) -> bool {
        let mut fits = 0u8;
        for (index, style) in BooleanStyle::ALL.into_iter().enumerate() {
            if let Some(value) = style.parse(text) {
                fits |= 1 << index;
                if let Some(seen) = self.booleans_seen.get_mut(usize::from(value)) {
                    *seen = true;
                }
            }
        }
        if fits != 0 {
            self.excluded_booleans |= !fits;
        }
        fits != 0
    }

    /// Whether nearly all values are of the same kind.
    pub(super) fn is_mostly_typed(&self) -> bool {
        self.values > 0 && self.counts.iter().any(|count| count * 10 >= self.values * 8)
    }

    /// Whether the largest number of the column may be a year.
    pub(super) fn holds_years(&self) -> bool {
        self.extents.first().is_some_and(|extent| extent.scale == 0 && (1900..=2100).contains(&extent.max))
    }

    /// How many values are of a kind.
    pub(super) fn count(&self, kind: ValueKind) -> u64 {
        self.counts.get(kind as usize).copied().unwrap_or(0)
    }
}

/// A value shortened to 60 characters, for messages.
#[must_use]
pub fn clip(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
