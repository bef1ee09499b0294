//! The finished prompt.

use serde_json::Value;

use crate::bill::Bill;
use crate::input::{Message, Model};
use crate::left_out::LeftOut;
use crate::notice::Notice;
use crate::piece::SectionKind;

/// What is sent to a model, exact to the byte, and its token breakdown.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// The model.
    pub model: Model,
    /// The sections before the conversation, in order. Providers send them concatenated as the system text.
    pub sections: Vec<Section>,
    /// The conversation.
    pub messages: Vec<PromptMessage>,
    /// The tools, by name.
    pub tools: Vec<PromptTool>,
    /// The token breakdown.
    pub bill: Bill,
    /// Warnings for people.
    pub notices: Vec<Notice>,
    /// What did not fit.
    pub left_out: Vec<LeftOut>,
}

/// A section as sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The kind of section.
    pub kind: SectionKind,
    /// Its text.
    pub text: String,
    /// Whether a provider's cache should retain everything up to its end.
    pub cache_breakpoint: bool,
}

/// A message as sent.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptMessage {
    /// The message; its text is escaped.
    pub message: Message,
    /// The text that is counted for it.
    pub canonical: String,
    /// Whether a provider's cache should retain everything up to its end.
    pub cache_breakpoint: bool,
}

/// A tool as sent.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptTool {
    /// Its name.
    pub name: String,
    /// Its description, escaped.
    pub description: String,
    /// The JSON Schema of its input.
    pub input_schema: Value,
    /// The text that is counted for it.
    pub canonical: String,
}

impl Prompt {
    /// The text before the conversation.
    pub fn system(&self) -> String {
        self.sections.iter().map(|section| section.text.as_str()).collect()
    }

    /// The texts that are counted separately: tools and sections together, then each message in canonical form.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        let tools = self.tools.iter().map(|tool| tool.canonical.as_str());
        let before: String = tools.chain(self.sections.iter().map(|section| section.text.as_str())).collect();
        std::iter::once(before).chain(self.messages.iter().map(|message| message.canonical.clone()))
    }

    /// The entire prompt as one text, every byte of which is in one span of the token breakdown.
    pub fn text(&self) -> String {
        self.texts().collect()
    }
}
