//! What a person should know about a prompt that was made all the same.

use jig_contract::Code;

/// Something that does not stop the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// A stable code, where there is one.
    pub code: Option<Code>,
    /// What, in words.
    pub message: String,
    /// Whether a context item is missing from the prompt: operators find that in the log as well.
    pub missing_item: bool,
}

impl Notice {
    /// A notice without a code.
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: None, message: message.into(), missing_item: false }
    }

    /// A context item that could not be read and is not in this prompt. `category` as people call it: `Company-Wide`.
    pub fn damaged_item(category: &str) -> Self {
        let message = format!("{category} context could not be loaded. You may need to re-add it.");
        Self { missing_item: true, ..Self::new(message) }
    }

    /// A format's style and the document style that did not merge; the general style is in the prompt.
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
