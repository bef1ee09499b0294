//! Kinds of values, and which of them programs treat alike in each role of an argument.

use crate::functions::Role;
use crate::model::CellValue;

use crate::known::{RangeKinds, is_short, looks_like_number};

/// The first serial number at which all programs count days alike, and the one after the last day of 9999.
pub(crate) const DATES: std::ops::Range<f64> = 61.0..2_958_466.0;
/// Numbers that all programs write out in full when they become text.
const WRITTEN: std::ops::Range<f64> = 1e-4..1e15;
/// Numbers closer than this, relative to their size, may be equal for some programs.
const NEARLY: f64 = 1e-9;

/// A kind of value, for messages and for the limits of functions.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Blank,
    EmptyText,
    NumberText,
    Text,
    Bool,
    Error,
    Number(f64),
}

impl Kind {
    pub(crate) fn of(value: &CellValue) -> Self {
        match value {
            CellValue::Empty => Self::Blank,
            CellValue::Number(number) => Self::Number(*number),
            CellValue::Text(text) if text.is_empty() => Self::EmptyText,
            CellValue::Text(text) if looks_like_number(text) => Self::NumberText,
            CellValue::Text(_) => Self::Text,
            CellValue::Bool(_) => Self::Bool,
            CellValue::Error(_) => Self::Error,
        }
    }

    pub(crate) fn all_of(kinds: &RangeKinds) -> Vec<Self> {
        let mut found: Vec<Self> = kinds.numbers.iter().copied().map(Self::Number).collect();
        let others = [
            (kinds.blank, Self::Blank),
            (kinds.empty_text, Self::EmptyText),
            (kinds.number_text, Self::NumberText),
            (kinds.text, Self::Text),
            (kinds.bool, Self::Bool),
            (!kinds.errors.is_empty(), Self::Error),
        ];
        found.extend(others.into_iter().filter(|(is, _)| *is).map(|(_, kind)| kind));
        found
    }

    /// How messages name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Blank => "an empty cell",
            Self::EmptyText => "an empty text",
            Self::NumberText => "a number stored as text",
            Self::Text => "a text",
            Self::Bool => "a truth value",
            Self::Error => "an error value",
            Self::Number(0.0) => "zero",
            Self::Number(number) if number < 0.0 => "a negative number",
            Self::Number(number) if number.fract() != 0.0 => "a fraction",
            Self::Number(_) => "such a number",
        }
    }

    /// Whether a word of the table's column of limits means it.
    pub(crate) fn is(self, limit: &str) -> bool {
        match limit {
            "blank" => self == Self::Blank,
            "empty" => self == Self::EmptyText,
            "bool" => self == Self::Bool,
            "error" => self == Self::Error,
            "text" => matches!(self, Self::Text | Self::EmptyText | Self::NumberText),
            "zero" => self == Self::Number(0.0),
            "negative" => matches!(self, Self::Number(number) if number < 0.0),
            "fraction" => matches!(self, Self::Number(number) if number.fract() != 0.0),
            _ => false,
        }
    }

    /// Whether programs agree on what such a value means in a role. `alone` is a value that is not in a range.
    pub(crate) fn fits(self, role: Role, alone: bool) -> bool {
        match role {
            Role::Any | Role::Branch | Role::Cells => true,
            Role::Text => match self {
                Self::Bool => false,
                Self::Number(number) => {
                    number == 0.0 || (WRITTEN.contains(&number.abs()) && (alone || is_short(number)))
                }
                _ => true,
            },
            Role::Content => !matches!(self, Self::Blank | Self::EmptyText) && self.fits(Role::Text, alone),
            Role::Numeral => matches!(self, Self::NumberText | Self::Text | Self::Error | Self::Number(_)),
            Role::DateText | Role::TimeText => matches!(self, Self::NumberText | Self::Error),
            Role::Logical => matches!(self, Self::Bool | Self::Number(_) | Self::Blank | Self::Error),
            Role::Truth => matches!(self, Self::Bool | Self::Number(_)),
            Role::Values if alone => matches!(self, Self::Number(_) | Self::Error),
            Role::Values => self != Self::Bool,
            Role::Pairs => matches!(self, Self::Number(_)),
            Role::Among => !matches!(self, Self::Bool | Self::NumberText),
            Role::Criterion => matches!(self, Self::Number(_) | Self::Text | Self::NumberText),
            Role::Key => matches!(self, Self::Number(_) | Self::Text | Self::NumberText),
            Role::Table => !matches!(self, Self::Bool),
            Role::Format => self == Self::Text || self == Self::NumberText,
            Role::Number
            | Role::Moment
            | Role::Step
            | Role::Whole
            | Role::Short
            | Role::Digits
            | Role::Places
            | Role::Rate
            | Role::Length
            | Role::Count => match self {
                Self::Number(number) => number_fits(number, role),
                Self::Blank => role != Role::Count,
                Self::Text | Self::Error => true,
                _ => false,
            },
            Role::Year | Role::Date | Role::Day => match self {
                Self::Number(number) => number_fits(number, role),
                kind => kind == Self::Error,
            },
        }
    }
}

fn number_fits(number: f64, role: Role) -> bool {
    let whole = number.fract() == 0.0;
    match role {
        Role::Step => whole || !is_nearly(number, number.round()),
        // Some programs round a time up to the next minute, others never.
        Role::Moment => {
            let seconds = number * 86_400.0;
            let rounded = seconds.round();
            number >= 0.0 && (rounded - seconds < 1e-3 || rounded % 60.0 != 0.0)
        }
        Role::Whole => whole,
        Role::Short => whole && number.abs() <= 32_767.0,
        Role::Digits => whole && number.abs() <= 15.0,
        Role::Places => whole && (0.0..=15.0).contains(&number),
        Role::Rate => number.abs() <= 1.0,
        Role::Length => whole && number >= 0.0,
        Role::Count => whole && number >= 1.0,
        Role::Year => whole && (1901.0..10_000.0).contains(&number),
        Role::Date => DATES.contains(&number),
        Role::Day => whole && DATES.contains(&number),
        _ => true,
    }
}

pub(crate) fn is_nearly(a: f64, b: f64) -> bool {
    (a - b).abs() <= NEARLY * a.abs().max(b.abs()).max(1e-3)
}

/// Whether a date is the last day of a February, which programs count in different ways in years of 360 days.
pub(crate) fn ends_february(serial: f64) -> bool {
    if !DATES.contains(&serial) {
        return false;
    }
    // Days from March 1 of year 0 to the day after; serial number 61 is March 1 of 1900.
    let days = serial.floor() + 1.0 - 61.0 + 693_960.0;
    let of_era = days % 146_097.0;
    let year = ((of_era - (of_era / 1460.0).floor() + (of_era / 36_524.0).floor() - (of_era / 146_096.0).floor())
        / 365.0)
        .floor();
    of_era == 365.0 * year + (year / 4.0).floor() - (year / 100.0).floor()
}

/// Whether a text is written in the one way that all programs read.
pub(crate) fn spelled(role: Role, value: &CellValue) -> bool {
    let CellValue::Text(text) = value else { return true };
    let pattern: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    match role {
        Role::Numeral => !looks_like_number(text) || text.parse::<f64>().is_ok(),
        Role::DateText => pattern == "0000-00-00",
        Role::TimeText => matches!(pattern.as_str(), "00:00" | "0:00" | "00:00:00" | "0:00:00"),
        Role::Criterion => !text.contains('~') && !may_mean_a_date(text),
        _ => true,
    }
}

/// Whether a criterion compares with a date or another number that is not written plainly: `>2-10-2019` is in February or
/// in October.
fn may_mean_a_date(criterion: &str) -> bool {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let compared = criterion.trim_start_matches(['<', '>', '=']).trim();
    let has_digit = compared.contains(|c: char| c.is_ascii_digit());
    let lower = compared.to_lowercase();
    (looks_like_number(compared) && compared.parse::<f64>().is_err())
        || (has_digit && MONTHS.iter().any(|month| lower.contains(month)))
}

/// Whether a criterion is a text that no number meets.
pub(crate) fn is_word(criterion: &CellValue) -> bool {
    match criterion {
        CellValue::Text(text) => {
            let compared = text.trim_start_matches(['<', '>', '=']);
            (compared == text || text.starts_with('=')) && !compared.is_empty() && !looks_like_number(compared)
        }
        _ => false,
    }
}

/// Whether a criterion is a text that numbers meet for some programs only: a pattern, which they compare with the digits, or
/// a truth value, which they take for 1 or 0.
pub(super) fn may_mean_numbers(criterion: &str) -> bool {
    let compared = criterion.trim_start_matches(['<', '>', '=']).trim();
    let is_truth = compared.eq_ignore_ascii_case("true") || compared.eq_ignore_ascii_case("false");
    is_truth || compared.contains(['*', '?'])
}

/// Whether all programs put a text in the same place among others.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The decimals of a number format that has only digits, separators and a percent sign, counted for the number itself.
pub(crate) fn decimals(format: &str) -> Option<usize> {
    let percent = usize::from(format.ends_with('%')) * 2;
    let digits = format.strip_suffix('%').unwrap_or(format);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = whole.ends_with('0') && whole.chars().all(|c| matches!(c, '0' | '#' | ','));
    let grouped = !whole.contains(',') || whole.starts_with("#,##");
    (plain && grouped && fraction.chars().all(|c| c == '0') && (digits.contains('.') != fraction.is_empty()))
        .then_some(fraction.len() + percent)
}

pub(crate) fn is_date_format(format: &str) -> bool {
    let parts = format.split(['-', '/', '.', ' ', ':']);
    let has_parts =
        parts.clone().all(|part| matches!(part, "yyyy" | "yy" | "mm" | "m" | "dd" | "d" | "hh" | "ss" | "h"));
    has_parts && parts.clone().any(|part| matches!(part, "yyyy" | "yy" | "dd" | "d" | "hh" | "h"))
}
