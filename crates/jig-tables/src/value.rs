//! Single values as they are written in files: numbers, dates, times, truth values, and what stands for nothing.

pub(crate) mod date;
pub(crate) mod number;
pub(crate) mod time;

/// Words that stand for "no value" in a column of numbers, dates or truth values. In a column of text they are text.
const NOTHING: &[&str] = &["na", "n/a", "#n/a", "nan", "null", "none", "nil", "\\n", "-", "--", "–", "—", "?", "."];

/// Whether a text stands for "no value" in a column that is not text.
pub(crate) fn is_nothing(text: &str) -> bool {
    let text = text.trim();
    text.len() <= 4 && NOTHING.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// The pairs of words for yes and no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truth {
    /// `true` and `false`.
    TrueFalse,
    /// `yes` and `no`.
    YesNo,
    /// `y` and `n`.
    YN,
    /// `t` and `f`.
    TF,
}

impl Truth {
    pub(crate) const ALL: [Self; 4] = [Self::TrueFalse, Self::YesNo, Self::YN, Self::TF];

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::TrueFalse => ("true", "false"),
            Self::YesNo => ("yes", "no"),
            Self::YN => ("y", "n"),
            Self::TF => ("t", "f"),
        }
    }

    /// Whether one of the words alone is enough: single letters may be codes.
    pub(crate) const fn is_plain(self) -> bool {
        matches!(self, Self::TrueFalse | Self::YesNo)
    }

    /// How the pair is told.
    pub(crate) fn note(self) -> String {
        let (yes, no) = self.words();
        format!("{yes}/{no}")
    }

    /// What a text says, in these words.
    pub(crate) fn parse(self, text: &str) -> Option<bool> {
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
