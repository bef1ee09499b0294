//! Number formats: values as Excel displays them.
//!
//! [`NumberFormat::parse`] never fails: unknown parts of a code are displayed as text. Colours, fill characters and
//! languages are parsed and ignored; names of months and days are English.

mod builtin;
mod dates;
mod decimal;
mod fraction;
mod general;
mod number;
mod parse;
mod section;

#[cfg(test)]
mod tests;

pub use builtin::builtin;
pub(crate) use builtin::shown_builtin;
pub use general::general;
pub(crate) use general::is_short;

use super::serial_date::DateSystem;
use section::{Condition, Section, SectionKind};

/// A parsed number format.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberFormat {
    /// Sections for numbers, at most three.
    numbers: Vec<Section>,
    /// The section for text.
    text: Option<Section>,
}

/// What a date that cannot be shown becomes.
const UNSHOWABLE: &str = "########";

impl NumberFormat {
    /// Reads a format code, such as `#,##0.00;[Red]-#,##0.00`.
    pub fn parse(code: &str) -> Self {
        parse::parse(code)
    }

    /// A number as it is shown.
    pub fn number(&self, value: f64, dates: DateSystem) -> String {
        // Files cannot hold NaN or infinity, and the search for the nearest fraction would not terminate.
        if !value.is_finite() {
            return general(value);
        }
        let Some((place, section)) = self.choose(value) else { return UNSHOWABLE.to_owned() };
        let bare = self.drops_sign(place, section);
        section.number(if bare { value.abs() } else { value }, dates).unwrap_or_else(|| UNSHOWABLE.to_owned())
    }

    /// A text as it is shown.
    pub fn text(&self, value: &str) -> String {
        match &self.text {
            Some(section) => section.text(value),
            None => value.to_owned(),
        }
    }

    /// Whether numbers are shown as dates or times.
    pub fn is_date(&self) -> bool {
        self.numbers.first().is_some_and(|section| section.kind == SectionKind::Date)
    }

    /// Whether numbers are shown as dates, with a day or a year in it.
    pub fn has_day(&self) -> bool {
        self.numbers.first().is_some_and(Section::has_day)
    }

    /// Whether numbers are shown as times of day: without a day, and not as durations, which go beyond 24 hours.
    pub fn is_time(&self) -> bool {
        self.numbers.first().is_some_and(Section::is_time)
    }

    /// Whether numbers may be shown with letters besides the `E` of an exponent.
    pub fn shows_letters(&self) -> bool {
        self.numbers.iter().any(Section::shows_letters)
    }

    /// Whether it shows numbers and text as they are.
    pub fn is_general(&self) -> bool {
        self.text.is_none() && matches!(self.numbers.as_slice(), [only] if only.is_plain_general())
    }

    /// The section that a number falls into.
    fn choose(&self, value: f64) -> Option<(usize, &Section)> {
        let conditional = self.numbers.iter().any(|section| section.condition.is_some());
        if conditional {
            return self.choose_by_condition(value);
        }
        let place = match self.numbers.len() {
            0 => return None,
            1 => 0,
            2 => usize::from(value < 0.0),
            _ if value > 0.0 => 0,
            _ if value < 0.0 => 1,
            _ => 2,
        };
        self.numbers.get(place).map(|section| (place, section))
    }

    /// A section without a condition takes the numbers that its position means, and the last section all others.
    fn choose_by_condition(&self, value: f64) -> Option<(usize, &Section)> {
        let last = self.numbers.len() - 1;
        let holds = |(place, section): &(usize, &Section)| match (&section.condition, *place) {
            (Some(condition), _) => condition.holds(value),
            (None, 1) if last == 2 => value < 0.0,
            (None, _) => true,
        };
        self.numbers.iter().enumerate().find(holds)
    }

    /// A section for negative numbers only displays them without a sign: its code has its own.
    fn drops_sign(&self, place: usize, section: &Section) -> bool {
        match &section.condition {
            Some(Condition { operator, limit }) => operator.is_less() && *limit <= 0.0 && self.numbers.len() > 1,
            None => place == 1,
        }
    }
}
