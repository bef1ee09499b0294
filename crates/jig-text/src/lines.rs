//! Lines and line endings.

use std::borrow::Cow;

/// How the lines of a text end.
///
/// A carriage return alone counts as a line ending only in a text without any line feed; elsewhere
/// it is part of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineEnding {
    /// No line ends: the text is empty or one line.
    None,
    /// Line feed, as on Unix.
    #[default]
    Lf,
    /// Carriage return and line feed, as on Windows.
    Crlf,
    /// Carriage return, as on old Macs.
    Cr,
    /// Some lines end in a line feed, others in carriage return and line feed.
    Mixed,
}

impl LineEnding {
    /// How the lines of `text` end.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let feeds = text.bytes().filter(|&byte| byte == b'\n').count();
        let pairs = text.matches("\r\n").count();
        match (feeds, pairs) {
            (0, _) if text.contains('\r') => Self::Cr,
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            (feeds, pairs) if feeds == pairs => Self::Crlf,
            _ => Self::Mixed,
        }
    }

    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::Crlf => "crlf",
            Self::Cr => "cr",
            Self::Mixed => "mixed",
        }
    }

    /// The name for use in a sentence.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "LF",
            Self::Crlf => "CRLF",
            Self::Cr => "CR",
            Self::Mixed => "mixed",
        }
    }

    /// The characters that end a line; `None` if there are no line endings or different ones.
    #[must_use]
    pub const fn characters(self) -> Option<&'static str> {
        match self {
            Self::None | Self::Mixed => None,
            Self::Lf => Some("\n"),
            Self::Crlf => Some("\r\n"),
            Self::Cr => Some("\r"),
        }
    }

    /// The last byte of a line ending.
    #[must_use]
    pub const fn separator(self) -> u8 {
        if matches!(self, Self::Cr) { b'\r' } else { b'\n' }
    }

    /// Converts all line endings of `text` to this one. [`None`](Self::None) and [`Mixed`](Self::Mixed) change nothing.
    #[must_use]
    pub fn normalize(self, text: &str) -> Cow<'_, str> {
        match self.characters() {
            Some(characters) if !matches!(Self::of(text), Self::Cr) => {
                Cow::Owned(text.replace("\r\n", "\n").replace('\n', characters))
            }
            _ => Cow::Borrowed(text),
        }
    }
}

impl std::fmt::Display for LineEnding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// One line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Line<'a> {
    /// Its characters without the line ending.
    pub text: &'a str,
    /// Its line ending; empty for a last line without one.
    pub ending: &'a str,
}

impl<'a> Line<'a> {
    /// Splits the line ending off a line of a text with this kind of line endings.
    #[must_use]
    pub fn split(raw: &'a str, ending: LineEnding) -> Self {
        let stripped = match ending {
            LineEnding::Cr => raw.strip_suffix('\r'),
            _ => raw.strip_suffix("\r\n").or_else(|| raw.strip_suffix('\n')),
        };
        let text = stripped.unwrap_or(raw);
        let ending = raw.get(text.len()..).unwrap_or_default();
        Self { text, ending }
    }

    /// Whether the line has a line ending.
    #[must_use]
    pub fn is_ended(self) -> bool {
        !self.ending.is_empty()
    }
}

/// The byte offsets at which the lines of a text start.
#[must_use]
pub fn line_starts(text: &str, ending: LineEnding) -> Vec<usize> {
    let separator = ending.separator();
    let after = |(index, byte)| (byte == separator).then_some(index + 1);
    std::iter::once(0).chain(text.bytes().enumerate().filter_map(after)).filter(|&start| start < text.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_are_distinguished() {
        let cases = [
            ("", LineEnding::None),
            ("one", LineEnding::None),
            ("one\n", LineEnding::Lf),
            ("one\rstill one\n", LineEnding::Lf),
            ("one\r\ntwo\r\n", LineEnding::Crlf),
            ("one\rtwo", LineEnding::Cr),
            ("one\ntwo\r\n", LineEnding::Mixed),
        ];
        for (text, expected) in cases {
            assert_eq!(LineEnding::of(text), expected, "{text:?}");
        }
    }

    #[test]
    fn normalizing_keeps_lone_carriage_returns() {
        assert_eq!(LineEnding::Crlf.normalize("a\nb\r\nc\rd"), "a\r\nb\r\nc\rd");
        assert_eq!(LineEnding::Lf.normalize("a\nb\r\nc\rd"), "a\nb\nc\rd");
        assert_eq!(LineEnding::Cr.normalize("a\nb\r\n"), "a\rb\r");
        assert_eq!(LineEnding::Mixed.normalize("a\nb\r\n"), "a\nb\r\n");
        assert_eq!(LineEnding::Crlf.normalize("a\r\r\nb"), "a\r\r\nb");
    }
}
