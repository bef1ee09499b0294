//! Warnings about a prompt that could still be assembled.

use jig_contract::Code;

/// A warning; the call continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// An error code, if there is one.
    pub code: Option<Code>,
    /// The message for people.
    pub message: String,
    /// Whether a context item is missing in the prompt, which is also logged for operators.
    pub missing_item: bool,
}

impl Notice {
    /// A notice without a code.
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: None, message: message.into(), missing_item: false }
    }

    /// A context item that could not be read and is missing in this prompt. `category` is the display name:
    /// `Company-Wide`.
    pub fn damaged_item(category: &str) -> Self {
        let message = format!("{category} context could not be loaded. You may need to re-add it.");
        Self { missing_item: true, ..Self::new(message) }
    }

    /// A format's style that could not be merged with the document style; the general style is included instead.
    pub fn style_merge_failed(format: &str) -> Self {
        Self {
            code: Some(Code::StyleMergeFailed),
            message: format!(
                "Your document style could not be merged into the {format} style; the general one is used."
            ),
            missing_item: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_have_their_words_and_codes() {
        let damaged = Notice::damaged_item("Department");
        assert_eq!(damaged.message, "Department context could not be loaded. You may need to re-add it.");
        assert_eq!(Notice::style_merge_failed("xlsx").code, Some(Code::StyleMergeFailed));
    }
}
