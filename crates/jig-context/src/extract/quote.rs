//! Checks whether a quote that a model gives occurs in the source.

/// The maximum length of a quote, in characters.
const QUOTE_CHARS_MAX: usize = 1_000;

/// A text normalised for comparing quotes: case, line breaks and the style of quotation marks are ignored.
pub(super) struct Squashed(String);

impl Squashed {
    pub(super) fn new(text: &str) -> Self {
        Self(squash(text))
    }

    /// Whether the text contains the quote.
    pub(super) fn has(&self, quote: &str) -> bool {
        let quote = squash(quote);
        let quote = quote.trim_matches(|c: char| c == '…' || c == '"' || c == '\'' || c.is_whitespace());
        let quote = quote.trim_start_matches("...").trim_end_matches("...").trim();
        !quote.is_empty() && self.0.contains(quote)
    }
}

fn squash(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            '“' | '”' | '„' | '«' | '»' => out.push('"'),
            '‘' | '’' | '‚' => out.push('\''),
            '–' | '—' | '‑' => out.push('-'),
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// A quote, truncated.
pub(super) fn shortened(quote: &str) -> String {
    match quote.char_indices().nth(QUOTE_CHARS_MAX) {
        None => quote.to_owned(),
        Some((end, _)) => quote[..end].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_found_across_lines_and_marks() {
        let text = Squashed::new("We say “plain   words”\nand never — ever — jargon.");
        assert!(text.has("plain words\" and never - ever"));
        assert!(text.has("…and NEVER"));
        assert!(!text.has("we never say plain words") && !text.has("") && !text.has("…"));
        assert_eq!(shortened(&"é".repeat(2_000)).chars().count(), QUOTE_CHARS_MAX);
    }
}
