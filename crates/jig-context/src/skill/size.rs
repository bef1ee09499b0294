//! How long a skill should be.

/// A `SKILL.md` should have fewer lines.
pub const LINES_MAX: usize = 500;
/// A `SKILL.md` should have fewer tokens.
pub const TOKENS_MAX: usize = 5000;

/// Tokens by a rule of thumb: a word of up to eight letters or digits is one, longer ones one per started four, every
/// other character but white space is one, and so is each letter outside of ASCII.
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
