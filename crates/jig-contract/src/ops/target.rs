//! Targeting: what a person's message is about.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// What sort of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TargetClass {
    /// A planning document made of sections.
    Artifact,
    /// Typed fields.
    Entry,
    /// A context item made of files.
    Item,
}

/// A document, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetInfo {
    /// Its address, as a message may name it: `@concept#what-is-it`.
    pub address: String,
    /// What sort of document.
    pub class: TargetClass,
    /// The artifact's slug, or the name of the entry or item: `concept`, `competitor:acme`.
    pub artifact: String,
    /// What people call it: `concept.md`.
    pub name: String,
    /// The section, field or file; none for the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// What people call that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// How the document of a target was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TargetDocumentHow {
    /// The message names it.
    Explicit,
    /// It is the one at hand.
    Current,
    /// It is the only one with such a part.
    Inferred,
}

/// By what a name in a message is that of a target, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TargetMatch {
    /// `@artifact#section` and the like.
    Reference,
    /// The title or the slug, or a file name.
    Title,
    /// The title but for marks, endings and hyphens.
    Near,
    /// Other words that people use for such a title.
    OtherWords,
    /// A name that it had before.
    Alias,
    /// All words of the title, in another order.
    Words,
    /// The beginnings of its words.
    Prefix,
    /// The title but for typing mistakes.
    Fuzzy,
}

/// How a target was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetHow {
    /// How the document was.
    pub artifact: TargetDocumentHow,
    /// By what the name in the message is the target's.
    pub matched: TargetMatch,
    /// How sure that is, from 0 to 1.
    pub score: f64,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TargetOutcome {
    /// One thing is meant: `target`, `rest` and `how`.
    Found,
    /// Several are, and all are named clearly: `choices`, and a question for when only one can be worked on.
    Several,
    /// Several fit as well as each other: `question` and `choices`.
    Ambiguous,
    /// Something fits, and not clearly: `question` and `choices`.
    DidYouMean,
    /// Nothing is named, or what is named is not there: `message`, and `choices` that are near.
    NotFound,
    /// A slash command of the caller's own: `command` and `rest`.
    Command,
}

/// Find out which document or section a message is about; what is not clear is asked back
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct TargetResolveParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The message: `@concept#what-is-it …`, `#section …`, `/research section …`, or plain language
    pub text: String,
    /// The artifact that the person looks at
    #[arg(long = "artifact", value_name = "ARTIFACT")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_artifact: Option<String>,
    /// Slash commands that the caller knows itself, without the slash: they win over artifacts
    #[arg(long = "command", value_name = "NAME", value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}
/// What a message is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetResolveOutput {
    /// What came of it.
    pub outcome: TargetOutcome,
    /// What is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetInfo>,
    /// What is to be done: the text behind the reference, or the whole message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<String>,
    /// How it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<TargetHow>,
    /// What to ask the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What may be meant, the likeliest first; of several, each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<TargetInfo>,
    /// How many fit in all, where `choices` are not all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// What else the same words could mean, elsewhere, where one thing is meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<TargetInfo>,
    /// The code that an operation on what is not there would fail with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<crate::Code>,
    /// What is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The slash command, without the slash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}
operation!(TargetResolve, Read, Surfaces::unlisted("target_resolve"), TargetResolveParams => TargetResolveOutput,
    r#"{"workbench_id":"board-deck","text":"Update the problem statement","current_artifact":"concept"}"#);
