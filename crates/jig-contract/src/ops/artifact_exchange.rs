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

/// The format of a document.
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

/// Import an artifact from Markdown or Tiptap JSON; an existing one keeps its ids and done marks
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactImportParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// A file on this machine (not over HTTP)
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
    /// The document's format [default: detected]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ArtifactFormat>,
    /// The artifact's slug [default: derived from the title or the file name]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The title [default: its first heading]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The stage of a new artifact [default: the current one]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The `etag` that the document is based on; fails if there is a newer version
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Change it even if it is finalized; the history records this
    #[arg(id = "override", long = "override")]
    #[serde(default, rename = "override")]
    pub override_lock: bool,
}
/// The imported artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactImportOutput {
    /// The artifact.
    pub artifact: ArtifactInfo,
    /// The detected format.
    pub format: ArtifactFormat,
    /// Whether the artifact was created.
    pub created: bool,
    /// What could not be imported unchanged, and how it was converted.
    pub warnings: Vec<String>,
}
operation!(ArtifactImport, Write, Surfaces::PEOPLE, ArtifactImportParams => ArtifactImportOutput,
    r##"{"workbench_id":"board-deck","content":"# Notes\n\n## Ideas\n\nOne.\n","format":"markdown"}"##);

/// Export an artifact as Markdown or as Tiptap JSON
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactExportParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The artifact
    pub slug: String,
    /// The format [default: markdown]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ArtifactFormat>,
    /// An old revision
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
}
/// The document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactExportOutput {
    /// The artifact.
    pub slug: String,
    /// A file name for it.
    pub name: String,
    /// Its format.
    pub format: ArtifactFormat,
    /// Its media type.
    pub media_type: String,
    /// The Markdown as text, or the editor's document as an object.
    pub content: ArtifactContent,
    /// Its revision.
    pub revision: u64,
    /// Features that other programs may not support.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
operation!(ArtifactExport, Read, Surfaces::PEOPLE, ArtifactExportParams => ArtifactExportOutput,
    r#"{"workbench_id":"board-deck","slug":"concept","format":"tiptap"}"#);
