//! Targeting: what a person's message refers to.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// The type of a document.
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
    /// Its address, as used in messages: `@concept#what-is-it`.
    pub address: String,
    /// The type of the document.
    pub class: TargetClass,
    /// The artifact's slug, or the name of the entry or item: `concept`, `competitor:acme`.
    pub artifact: String,
    /// Its display name: `concept.md`.
    pub name: String,
    /// The section, field or file; none for the entire document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Its display name.
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
    /// It is the current document.
    Current,
    /// It is the only document with such a part.
    Inferred,
}

/// How a name in a message matches a target, most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TargetMatch {
    /// `@artifact#section` and the like.
    Reference,
    /// The title or the slug, or a file name.
    Title,
    /// The title, except for punctuation, endings and hyphens.
    Near,
    /// A synonym of the title.
    OtherWords,
    /// An earlier name.
    Alias,
    /// All words of the title, in another order.
    Words,
    /// The beginnings of its words.
    Prefix,
    /// The title, except for typing errors.
    Fuzzy,
}

/// How a target was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetHow {
    /// How the document was found.
    pub artifact: TargetDocumentHow,
    /// How the name in the message matches the target.
    pub matched: TargetMatch,
    /// The confidence, from 0 to 1.
    pub score: f64,
}

/// The outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TargetOutcome {
    /// The message refers to one target: `target`, `rest` and `how`.
    Found,
    /// It refers clearly to several: `choices`, and a question for callers that can only work on one.
    Several,
    /// Several match equally well: `question` and `choices`.
    Ambiguous,
    /// Something matches, but not clearly: `question` and `choices`.
    DidYouMean,
    /// It names no target, or one that does not exist: `message`, and similar `choices`.
    NotFound,
    /// It is a slash command of the caller: `command` and `rest`.
    Command,
}

/// Find out which document or section a message refers to; ambiguous messages return a question
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct TargetResolveParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The message: `@concept#what-is-it …`, `#section …`, `/research section …`, or plain language
    pub text: String,
    /// The artifact that the person is viewing
    #[arg(long = "artifact", value_name = "ARTIFACT")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_artifact: Option<String>,
    /// The caller's own slash commands, without the slash: they take precedence over artifacts
    #[arg(long = "command", value_name = "NAME", value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}
/// What a message refers to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetResolveOutput {
    /// The outcome.
    pub outcome: TargetOutcome,
    /// The target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetInfo>,
    /// The request: the text after the reference, or the entire message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<String>,
    /// How it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<TargetHow>,
    /// The question for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Possible targets, most likely first; all targets, if the message refers to several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<TargetInfo>,
    /// The total number of matches, if `choices` is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Other possible targets, if one target was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<TargetInfo>,
    /// The error code of an operation on a target that does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<crate::Code>,
    /// What does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The slash command, without the slash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}
operation!(TargetResolve, Read, Surfaces::all("target_resolve"), TargetResolveParams => TargetResolveOutput,
    r#"{"workbench_id":"board-deck","text":"Update the problem statement","current_artifact":"concept"}"#);
