//! Values as files contain them: numbers, dates, times, booleans and words for a missing value.

mod date;
mod number;
mod time;

pub use date::{DateOrder, DateParts, parse_date, split_date};
pub use number::{
    MAX_DIGITS, MAX_SIGNED_DIGITS, Number, NumberParts, NumberSeparators, SHORT_DIGITS, parse_digits, parse_double,
    parse_eight_bytes, parse_plain, parse_scientific, parse_short, split_number,
};
pub use time::{DateTime, parse_date_time, parse_time, split_date_time};

/// Words for a missing value in columns of numbers, dates or booleans. In a text column they are ordinary text.
const NULL_WORDS: &[&str] = &["na", "n/a", "#n/a", "nan", "null", "none", "nil", "\\n", "-", "--", "–", "—", "?", "."];

/// Whether a text means a missing value in a column that is not text, such as `NA` or `-`.
#[must_use]
pub fn is_null_word(text: &str) -> bool {
    let text = text.trim();
    text.len() <= 4 && NULL_WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// A pair of words for true and false.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BooleanStyle {
    /// `true` and `false`.
    TrueFalse,
    /// `yes` and `no`.
    YesNo,
    /// `y` and `n`.
    YN,
    /// `t` and `f`.
    TF,
}

impl BooleanStyle {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::TrueFalse, Self::YesNo, Self::YN, Self::TF];

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::TrueFalse => ("true", "false"),
            Self::YesNo => ("yes", "no"),
            Self::YN => ("y", "n"),
            Self::TF => ("t", "f"),
        }
    }

    /// Whether one of the words suffices to recognize a boolean column. Single letters may be codes.
    #[must_use]
    pub const fn is_unambiguous(self) -> bool {
        matches!(self, Self::TrueFalse | Self::YesNo)
    }

    /// The pair of words.
    #[must_use]
    pub fn description(self) -> String {
        let (yes, no) = self.words();
        format!("{yes}/{no}")
    }

    /// Parses one of the two words in any case.
    #[must_use]
    pub fn parse(self, text: &str) -> Option<bool> {
        let (yes, no) = self.words();
        if text.eq_ignore_ascii_case(yes) {
            Some(true)
        } else if text.eq_ignore_ascii_case(no) {
            Some(false)
        } else {
            None
        }
    }
}

/// Whether a text is a number, date, time or boolean in any notation.
#[must_use]
pub fn looks_typed(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > 48 {
        return false;
    }
    is_number(text)
        || split_date(text).is_some()
        || parse_time(text).is_some()
        || split_date_time(text).is_some()
        || BooleanStyle::ALL.into_iter().any(|style| style.is_unambiguous() && style.parse(text).is_some())
}

fn is_number(text: &str) -> bool {
    let fits = |body| NumberSeparators::ALL.into_iter().any(|separators| parse_digits(body, separators).is_some());
    split_number(text).is_some_and(|parts| fits(parts.body)) || parse_scientific(text).is_some()
}
