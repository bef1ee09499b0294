//! Recommended sizes of skills.

/// The recommended maximum number of lines of a `SKILL.md`.
pub const LINES_MAX: usize = 500;
/// The recommended maximum number of tokens of a `SKILL.md`.
pub const TOKENS_MAX: usize = 5000;

/// Estimates tokens: a word of up to eight ASCII letters or digits counts as one, a longer one as one per four
/// characters, rounded up; every other character except whitespace counts as one.
pub fn estimate_tokens(text: &str) -> usize {
    let mut tokens = 0;
    let mut word = 0;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            word += 1;
            continue;
        }
        tokens += word_tokens(word) + usize::from(!c.is_whitespace());
        word = 0;
    }
    tokens + word_tokens(word)
}

fn word_tokens(letters: usize) -> usize {
    if letters <= 8 { usize::from(letters > 0) } else { letters.div_ceil(4) }
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn words_signs_and_other_scripts_count() {
        assert_eq!(estimate_tokens(""), 0);
        assert_eq!(estimate_tokens("Use Title Case, always."), 6);
        assert_eq!(estimate_tokens("internationally"), 4);
        assert_eq!(estimate_tokens("日本 x"), 3);
    }
}
