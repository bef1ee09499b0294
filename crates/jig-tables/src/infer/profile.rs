//! What is seen of a column, value by value.

use std::collections::BTreeMap;

use crate::csv::rows::{Cell, How};
use crate::value::number::{self, MOST_DIGITS, Marks};
use crate::value::{Truth, date, is_nothing, time};

/// Examples that are kept of a column.
const EXAMPLES: usize = 3;
/// Different words for "no value" that are counted apart.
const WORDS: usize = 8;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) text: String,
    pub(crate) row: u64,
    pub(crate) line: u64,
}

/// What a value can be. One value can be several of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Number,
    Scientific,
    Date,
    Moment,
    Time,
    Truth,
}

impl Sort {
    pub(crate) const ALL: [Self; 6] =
        [Self::Number, Self::Scientific, Self::Date, Self::Moment, Self::Time, Self::Truth];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Number | Self::Scientific => "numbers",
            Self::Date => "dates",
            Self::Moment => "dates with times",
            Self::Time => "times",
            Self::Truth => "yes or no",
        }
    }
}

/// How large numbers get under some marks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) whole: u8,
    pub(crate) scale: u8,
    /// The largest mantissa, by its size.
    pub(crate) most: i128,
}

/// All that is known of a column so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profile {
    /// Values that are there and do not stand for nothing.
    pub(crate) values: u64,
    /// Values that the source itself calls text.
    pub(crate) texts: u64,
    /// Fields that are not empty, with words for "no value".
    pub(crate) filled: u64,
    pub(crate) nothing: BTreeMap<String, u64>,
    pub(crate) counts: [u64; 6],
    /// The first value that is not of a sort.
    pub(crate) first_other: [Option<Place>; 6],
    /// Marks under which a number is not one.
    pub(crate) not_marks: u8,
    pub(crate) extents: [Extent; 7],
    /// Numbers that only have one meaning without the plain marks: `1,234.5`, not `1,234`.
    pub(crate) currency: Option<String>,
    pub(crate) other_currency: bool,
    pub(crate) with_currency: u64,
    pub(crate) percents: u64,
    pub(crate) parens: u64,
    /// Numbers with more digits than a double holds.
    pub(crate) long_numbers: u64,
    /// Digits with zeros in front.
    pub(crate) zeros: u64,
    pub(crate) not_orders: u8,
    pub(crate) marks_of_dates: Option<u8>,
    pub(crate) other_marks_of_dates: bool,
    pub(crate) short_years: u64,
    /// Dates that fit the day and the month first.
    pub(crate) either_order: u64,
    /// The first date that fits only one of these.
    pub(crate) only_day_first: Option<Place>,
    pub(crate) only_month_first: Option<Place>,
    pub(crate) zones: u64,
    pub(crate) not_truths: u8,
    pub(crate) truth_seen: [bool; 2],
    pub(crate) examples: Vec<String>,
    pub(crate) nul: u64,
}

impl Profile {
    /// Takes one value into account.
    pub(crate) fn see(&mut self, cell: &Cell<'_>, row: u64, line: u64) {
        if cell.is_missing() {
            return;
        }
        if cell.text.contains('\0') {
            self.nul += 1;
        }
        let text = cell.text.trim();
        if text.is_empty() {
            return;
        }
        self.filled += 1;
        self.example(&cell.text);
        if is_nothing(text) {
            if self.nothing.len() < WORDS || self.nothing.contains_key(text) {
                *self.nothing.entry(text.to_owned()).or_default() += 1;
            }
            return;
        }
        self.values += 1;
        if cell.how == How::Text {
            self.texts += 1;
        }
        let place = || Place { text: clip(text), row, line };
        let sorts = if cell.how == How::Text { [false; 6] } else { self.sorts(text, &place) };
        for (index, is) in sorts.into_iter().enumerate() {
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

    fn sorts(&mut self, text: &str, place: &dyn Fn() -> Place) -> [bool; 6] {
        if text.len() > 64 {
            return [false; 6];
        }
        let number = self.number(text);
        let scientific = !number && number::scientific(text).is_some();
        // Nothing that is a number is a date: dates have two marks.
        let rest = !number && !scientific;
        let date = rest && self.date(text, place);
        let moment = rest && !date && self.moment(text, place);
        let time = rest && !date && !moment && time::of_day(text).is_some();
        let truth = rest && self.truth(text);
        [number, scientific, date, moment, time, truth]
    }

    fn number(&mut self, text: &str) -> bool {
        let Some(dress) = number::undress(text) else { return false };
        let mut fits = 0u8;
        let mut long = false;
        for (index, marks) in Marks::ALL.into_iter().enumerate() {
            if let Some(number) = number::digits(dress.body, marks) {
                fits |= marks.bit();
                long |= usize::from(number.whole) + usize::from(number.scale) > 17;
                if let Some(extent) = self.extents.get_mut(index) {
                    extent.whole = extent.whole.max(number.whole);
                    extent.scale = extent.scale.max(number.scale);
                    extent.most = extent.most.max(number.mantissa);
                }
            }
        }
        let digits = dress.body.bytes().filter(u8::is_ascii_digit).count();
        if fits == 0 {
            let only_digits = dress.body.bytes().all(|byte| byte.is_ascii_digit());
            self.zeros += u64::from(only_digits && dress.body.starts_with('0') && digits <= MOST_DIGITS);
            return false;
        }
        // A long run of digits behind a plus is a telephone number.
        if dress.plus && digits > 6 {
            return false;
        }
        self.not_marks |= !fits;
        self.long_numbers += u64::from(long);
        self.percents += u64::from(dress.percent);
        self.parens += u64::from(dress.parens);
        if let Some(currency) = dress.currency {
            self.with_currency += 1;
            match &self.currency {
                None => self.currency = Some(currency.to_owned()),
                Some(known) => self.other_currency |= known != currency,
            }
        }
        true
    }

    fn date(&mut self, text: &str, place: &dyn Fn() -> Place) -> bool {
        let Some(parts) = date::parts(text) else { return false };
        self.date_parts(&parts, place);
        true
    }

    fn date_parts(&mut self, parts: &date::Parts, place: &dyn Fn() -> Place) {
        let orders = parts.orders();
        self.short_years += u64::from(parts.has_short_year());
        self.not_orders |= !orders;
        match self.marks_of_dates {
            None => self.marks_of_dates = Some(parts.mark),
            Some(mark) => self.other_marks_of_dates |= mark != parts.mark,
        }
        let has = |order: date::Order| orders & order.bit() != 0;
        match (has(date::Order::DayFirst), has(date::Order::MonthFirst)) {
            (true, true) => self.either_order += 1,
            (true, false) if self.only_day_first.is_none() => self.only_day_first = Some(place()),
            (false, true) if self.only_month_first.is_none() => self.only_month_first = Some(place()),
            _ => {}
        }
    }

    fn moment(&mut self, text: &str, place: &dyn Fn() -> Place) -> bool {
        let Some(moment) = time::moment(text) else { return false };
        self.date_parts(&moment.date, place);
        self.zones += u64::from(moment.offset.is_some());
        true
    }

    fn truth(&mut self, text: &str) -> bool {
        let mut fits = 0u8;
        for (index, truth) in Truth::ALL.into_iter().enumerate() {
            if let Some(value) = truth.parse(text) {
                fits |= 1 << index;
                if let Some(seen) = self.truth_seen.get_mut(usize::from(value)) {
                    *seen = true;
                }
            }
        }
        if fits != 0 {
            self.not_truths |= !fits;
        }
        fits != 0
    }

    /// Whether nearly all values are numbers, dates or the like.
    pub(crate) fn is_mostly_typed(&self) -> bool {
        self.values > 0 && self.counts.iter().any(|count| count * 10 >= self.values * 8)
    }

    /// Whether numbers of the column may be years themselves.
    pub(crate) fn holds_years(&self) -> bool {
        self.extents.first().is_some_and(|extent| extent.scale == 0 && (1900..=2100).contains(&extent.most))
    }

    /// How many values are of a sort.
    pub(crate) fn count(&self, sort: Sort) -> u64 {
        self.counts.get(sort as usize).copied().unwrap_or(0)
    }
}

/// A value short enough to be shown.
pub(crate) fn clip(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
