//! Counting tokens with the tokenizer of current models, and cutting text by them.

use bpe_openai::Tokenizer;

fn tokenizer() -> &'static Tokenizer {
    bpe_openai::o200k_base()
}

/// How many tokens a text is (`o200k`).
pub fn count_tokens(text: &str) -> usize {
    tokenizer().count(text)
}

/// Whether a text is at most this many tokens.
fn fits(text: &str, most: usize) -> bool {
    let tokenizer = tokenizer();
    tokenizer.count_till_limit(&tokenizer.normalize(text), most).is_some()
}

/// The longest beginning of a text that is at most this many tokens, cut between characters and, where
/// that loses little, between words. Never empty for a text that is not: a budget of nothing gives one character.
pub fn cut_by_tokens(text: &str, most: usize) -> &str {
    if fits(text, most) {
        return text;
    }
    // A token is at least one byte, so the cut is at the start of a character.
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).collect();
    let short = |at: &usize| text.get(..*at).is_some_and(|start| fits(start, most));
    let longest = starts.partition_point(short);
    let end = starts.get(longest.saturating_sub(1)).copied().unwrap_or(text.len());
    let cut = text.get(..end).unwrap_or(text);
    match cut.rfind(char::is_whitespace) {
        Some(at) if at > cut.len() / 2 => cut.get(..at + 1).unwrap_or(cut),
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fit_and_lose_nothing() {
        let text = "The quick brown fox jumps over the lazy dog. 素早い茶色の狐 ".repeat(40);
        for most in [1, 2, 7, 100, 5_000] {
            let mut rest = text.as_str();
            let mut pieces = 0;
            while !rest.is_empty() {
                let piece = cut_by_tokens(rest, most);
                assert!(!piece.is_empty());
                assert!(count_tokens(piece) <= most.max(1) || piece.chars().count() == 1);
                rest = &rest[piece.len()..];
                pieces += 1;
            }
            assert!(pieces > 0);
        }
        assert_eq!(cut_by_tokens("", 3), "");
    }
}
