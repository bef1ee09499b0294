//! Import and export of artifacts: Markdown, and the JSON of Tiptap and ProseMirror editors.

use std::convert::Infallible;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{ArtifactInfo, operation};
use crate::path::WorkbenchPath;
use crate::tag::RevisionTag;

/// How an artifact is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ArtifactFormat {
    /// Markdown.
    Markdown,
    /// The JSON document of a Tiptap or ProseMirror editor.
    Tiptap,
}

/// A document as Markdown text, or as the JSON of an editor: the object itself or its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct ArtifactContent(#[schemars(extend("type" = ["string", "object"]))] pub Value);

impl FromStr for ArtifactContent {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(Value::String(text.to_owned())))
    }
}

/// Take in an artifact from Markdown or from the JSON of a Tiptap editor; one that exists keeps ids and done marks
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactImportParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// A file on this machine; not over HTTP
    #[arg(value_name = "FILE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_path: Option<String>,
    /// The document itself
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ArtifactContent>,
    /// A file of the workbench
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Given<WorkbenchPath>>,
    /// How it is written down [default: what it looks like]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ArtifactFormat>,
    /// The artifact it becomes [default: made from the title or the file's name]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// What people call it [default: its first heading]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The stage of a new artifact [default: the present one]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The `etag` that the document was made from: after any other change, nothing is written
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Change it although it is finalized; the record says so
    #[arg(id = "override", long = "override")]
    #[serde(default, rename = "override")]
    pub override_lock: bool,
}
/// What was taken in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactImportOutput {
    /// The artifact.
    pub artifact: ArtifactInfo,
    /// How the document was read.
    pub format: ArtifactFormat,
    /// Whether there was none before.
    pub created: bool,
    /// What could not be kept as it was, and what became of it.
    pub warnings: Vec<String>,
}
operation!(ArtifactImport, Write, Surfaces::PEOPLE, ArtifactImportParams => ArtifactImportOutput,
    r##"{"workbench_id":"board-deck","content":"# Notes\n\n## Ideas\n\nOne.\n","format":"markdown"}"##);

/// Give out an artifact as Markdown or as the JSON of a Tiptap editor
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactExportParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// How to write it down [default: markdown]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ArtifactFormat>,
    /// An old revision of it
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
}
/// The document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactExportOutput {
    /// The artifact.
    pub slug: String,
    /// A name for its file.
    pub name: String,
    /// How it is written down.
    pub format: ArtifactFormat,
    /// Its media type.
    pub media_type: String,
    /// The Markdown as text, or the editor's document as an object.
    pub content: ArtifactContent,
    /// The revision it is of.
    pub revision: u64,
    /// What other programs may not know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
operation!(ArtifactExport, Read, Surfaces::PEOPLE, ArtifactExportParams => ArtifactExportOutput,
    r#"{"workbench_id":"board-deck","slug":"concept","format":"tiptap"}"#);
