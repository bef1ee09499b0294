//! Corrects common formatting mistakes of models before validation.

/// A text in stored form: no byte order mark, LF line endings, no code fence around the entire text, no invisible
/// characters, and one line ending at the end.
pub(super) fn tidy(text: &str) -> (String, bool) {
    let lines = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let whole = unfenced(&lines).unwrap_or(&lines);
    let clean: String = whole.chars().filter(|c| !is_unwanted(*c)).collect();
    let dropped = clean.len() != whole.len();
    // Frontmatter is only recognised at the very start.
    let text = clean.trim_start_matches('\u{feff}').trim_start_matches(['\n', ' ']).trim_end();
    (format!("{text}\n"), dropped)
}

fn is_unwanted(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

/// The content of a text that is a single code fence.
fn unfenced(text: &str) -> Option<&str> {
    let inside = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (word, inside) = inside.split_once('\n')?;
    let plain = word.trim().chars().all(|c| c.is_ascii_alphanumeric());
    let one = !inside.lines().any(|line| line.trim_start().starts_with("```"));
    (plain && one && (inside.is_empty() || inside.ends_with('\n'))).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn faults_of_form_are_put_right() {
        for given in ["a\nb", "\u{feff}a\r\nb\r\n\r\n", "```markdown\na\nb\n```", "\n\n```\na\nb\n```\n", "\n a\nb"] {
            assert_eq!(tidy(given), ("a\nb\n".to_owned(), false), "{given:?}");
        }
        assert_eq!(tidy("a\u{0}\u{1b}b\tc"), ("ab\tc\n".to_owned(), true));
    }

    #[test]
    fn fences_that_belong_to_the_text_stay() {
        for given in ["```\na\n```\nb\n```\nc\n```\n", "a\n```\nb\n```\n", "```a b\nc\n```\n"] {
            assert_eq!(tidy(given).0, given);
        }
    }
}
