//! Messages about context items that are shown in several places.

use jig_contract::{Code, OpError};

use super::offline;

/// Why context items cannot be changed while a Draft exists.
pub const DRAFT_BLOCKS: &str = "Publish or discard your Draft to modify context.";

/// The warning before manual edits are lost.
pub const REPROCESS_WARNING: &str =
    "This context item was manually edited. Reprocessing will overwrite your manual changes.";

/// The error for changes of context items while a Draft exists.
pub fn draft_blocks() -> OpError {
    OpError::new(Code::DraftExists, DRAFT_BLOCKS)
        .action("review")
        .action("discard")
        .hint("`jig review` shows what the Draft changes; `jig publish` or `jig discard` ends it")
}

/// The error for processing without a model, with both ways to continue.
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
