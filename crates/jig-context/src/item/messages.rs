//! The sentences about context items that people read in more than one place.

use jig_contract::{Code, OpError};

use super::offline;

/// Why the controls for context items do nothing while there is a Draft.
pub const DRAFT_BLOCKS: &str = "Publish or discard your Draft to modify context.";

/// What is asked before edits by hand are lost.
pub const REPROCESS_WARNING: &str =
    "This context item was manually edited. Reprocessing will overwrite your manual changes.";

/// The refusal of every change of context items while there is a Draft.
pub fn draft_blocks() -> OpError {
    OpError::new(Code::DraftExists, DRAFT_BLOCKS)
        .action("review")
        .action("discard")
        .hint("`jig review` shows what the Draft changes; `jig publish` or `jig discard` ends it")
}

/// The refusal to process without a model. It names both ways on.
pub fn no_provider() -> OpError {
    OpError::new(Code::ProviderNotConfigured, "No model provider is configured to process context.")
        .action("settings")
        .hint(
            "configure a provider in the settings: its key (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or \
             MISTRAL_API_KEY, or a line in secrets.toml), then a model (`jig model set-default PROVIDER:MODEL`)",
        )
        .hint(format!("or choose the model `{}`, which works by rules and without a network", offline::MODEL_ID))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_blocks_with_the_known_sentence() {
        let error = draft_blocks();
        assert_eq!(error.code(), Code::DraftExists);
        assert_eq!(error.info.message, "Publish or discard your Draft to modify context.");
    }

    #[test]
    fn without_a_provider_both_ways_on_are_named() {
        let error = no_provider();
        assert_eq!((error.code(), error.info.hints.len()), (Code::ProviderNotConfigured, 2));
        assert!(error.info.hints[0].contains("settings") && error.info.hints[1].contains("`offline:extract`"));
    }
}
