//! Section operations: small, validated, and applied all or nothing.

use std::str::FromStr;

use clap::Args;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::given::Given;
use crate::hash::BlobHash;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{ArtifactInfo, SuggestionInfo, operation};
use crate::tag::RevisionTag;

/// One operation on a section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case", deny_unknown_fields)]
pub enum ArtifactOp {
    /// Replaces the text of a section. The heading stays.
    UpdateSection {
        /// The artifact.
        artifact_slug: String,
        /// The section.
        section_slug: String,
        /// The text, without the heading.
        content: String,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Whether level-2 headings in the text become sections of their own.
        #[serde(default, skip_serializing_if = "is_false")]
        split: bool,
        /// The `etag` that the text is based on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_revision: Option<RevisionTag>,
    },
    /// Marks a section as done, or removes the mark.
    MarkSectionDone {
        /// The artifact.
        artifact_slug: String,
        /// The section.
        section_slug: String,
        /// Whether it is done.
        #[serde(default = "yes")]
        is_done: bool,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The `etag` you read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_revision: Option<RevisionTag>,
    },
    /// Adds a section.
    CreateSection {
        /// The artifact.
        artifact_slug: String,
        /// The section to insert it after.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after_section: Option<String>,
        /// Its heading.
        title: String,
        /// Its text.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        content: String,
        /// Its position, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        order: Option<u32>,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Whether level-2 headings in the text become sections of their own.
        #[serde(default, skip_serializing_if = "is_false")]
        split: bool,
        /// The `etag` you read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_revision: Option<RevisionTag>,
    },
    /// Suggests a change to a person. The artifact itself does not change.
    SuggestEdit {
        /// The artifact.
        artifact_slug: String,
        /// The section.
        section_slug: String,
        /// The suggested change.
        suggestion: String,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rationale: Option<String>,
        /// The suggested text of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        /// The `etag` it is based on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_revision: Option<RevisionTag>,
    },
    /// Renames a section. Addresses with its old slug still work.
    RenameSection {
        /// The artifact.
        artifact_slug: String,
        /// The section.
        section_slug: String,
        /// Its new heading.
        title: String,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The `etag` you read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_revision: Option<RevisionTag>,
    },
    /// Moves a section.
    MoveSection {
        /// The artifact.
        artifact_slug: String,
        /// The section.
        section_slug: String,
        /// The section to move it after.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after_section: Option<String>,
        /// Its new position, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        order: Option<u32>,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The `etag` you read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_revision: Option<RevisionTag>,
    },
    /// Removes a section. The history keeps it.
    DeleteSection {
        /// The artifact.
        artifact_slug: String,
        /// The section.
        section_slug: String,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The `etag` you read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_revision: Option<RevisionTag>,
    },
    /// Collapses or expands a section in the display. Also allowed on finalized artifacts.
    CollapseSection {
        /// The artifact.
        artifact_slug: String,
        /// The section.
        section_slug: String,
        /// Whether it is collapsed.
        #[serde(default = "yes")]
        is_collapsed: bool,
    },
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl ArtifactOp {
    /// Its name on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::UpdateSection { .. } => "update_section",
            Self::MarkSectionDone { .. } => "mark_section_done",
            Self::CreateSection { .. } => "create_section",
            Self::SuggestEdit { .. } => "suggest_edit",
            Self::RenameSection { .. } => "rename_section",
            Self::MoveSection { .. } => "move_section",
            Self::DeleteSection { .. } => "delete_section",
            Self::CollapseSection { .. } => "collapse_section",
        }
    }

    /// The artifact that the operation refers to.
    pub fn artifact_slug(&self) -> &str {
        match self {
            Self::UpdateSection { artifact_slug, .. }
            | Self::MarkSectionDone { artifact_slug, .. }
            | Self::CreateSection { artifact_slug, .. }
            | Self::SuggestEdit { artifact_slug, .. }
            | Self::RenameSection { artifact_slug, .. }
            | Self::MoveSection { artifact_slug, .. }
            | Self::DeleteSection { artifact_slug, .. }
            | Self::CollapseSection { artifact_slug, .. } => artifact_slug,
        }
    }

    /// The section that it refers to; none for a new one.
    pub fn section_slug(&self) -> Option<&str> {
        match self {
            Self::CreateSection { .. } => None,
            Self::UpdateSection { section_slug, .. }
            | Self::MarkSectionDone { section_slug, .. }
            | Self::SuggestEdit { section_slug, .. }
            | Self::RenameSection { section_slug, .. }
            | Self::MoveSection { section_slug, .. }
            | Self::DeleteSection { section_slug, .. }
            | Self::CollapseSection { section_slug, .. } => Some(section_slug),
        }
    }

    /// The `etag` that the operation is based on.
    pub const fn base_revision(&self) -> Option<&RevisionTag> {
        match self {
            Self::UpdateSection { base_revision, .. }
            | Self::MarkSectionDone { base_revision, .. }
            | Self::CreateSection { base_revision, .. }
            | Self::SuggestEdit { base_revision, .. }
            | Self::RenameSection { base_revision, .. }
            | Self::MoveSection { base_revision, .. }
            | Self::DeleteSection { base_revision, .. } => base_revision.as_ref(),
            Self::CollapseSection { .. } => None,
        }
    }

    /// The same operation, based on this revision.
    #[must_use]
    pub fn with_base(mut self, base: Option<RevisionTag>) -> Self {
        match &mut self {
            Self::UpdateSection { base_revision, .. }
            | Self::MarkSectionDone { base_revision, .. }
            | Self::CreateSection { base_revision, .. }
            | Self::SuggestEdit { base_revision, .. }
            | Self::RenameSection { base_revision, .. }
            | Self::MoveSection { base_revision, .. }
            | Self::DeleteSection { base_revision, .. } => *base_revision = base,
            Self::CollapseSection { .. } => {}
        }
        self
    }

    /// Why, in the author's words.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::UpdateSection { reason, .. }
            | Self::MarkSectionDone { reason, .. }
            | Self::CreateSection { reason, .. }
            | Self::RenameSection { reason, .. }
            | Self::MoveSection { reason, .. }
            | Self::DeleteSection { reason, .. } => reason.as_deref(),
            Self::SuggestEdit { rationale, .. } => rationale.as_deref(),
            Self::CollapseSection { .. } => None,
        }
    }
}

/// Operations, in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ArtifactOps(pub Vec<ArtifactOp>);

impl<'de> Deserialize<'de> for ArtifactOps {
    /// The name of an operation may also be in `op`, as in edits of files. A single operation needs no list.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = match Value::deserialize(deserializer)? {
            Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            given => given,
        };
        let list = match given {
            Value::Array(list) => list,
            one => vec![one],
        };
        let read = |(index, mut op): (usize, Value)| {
            if let Some(fields) = op.as_object_mut()
                && !fields.contains_key("operation")
                && let Some(name) = fields.shift_remove("op")
            {
                fields.insert("operation".to_owned(), name);
            }
            ArtifactOp::deserialize(op).map_err(|e| serde::de::Error::custom(format!("operation {}: {e}", index + 1)))
        };
        list.into_iter().enumerate().map(read).collect::<Result<_, _>>().map(Self)
    }
}

impl FromStr for ArtifactOps {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        crate::ops::json_arg(text)
    }
}

impl JsonSchema for ArtifactOps {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ArtifactOps".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        const NAMES: [&str; 8] = [
            "update_section",
            "mark_section_done",
            "create_section",
            "suggest_edit",
            "rename_section",
            "move_section",
            "delete_section",
            "collapse_section",
        ];
        // The parameters are described as briefly as models can still use them, because every request pays for these
        // tokens.
        let words = "update_section section_slug content reason? split?; mark_section_done section_slug is_done; \
            create_section title content after_section? order?; suggest_edit section_slug suggestion rationale? content?; \
            rename_section section_slug title; move_section section_slug after_section? order?; \
            delete_section section_slug; collapse_section section_slug is_collapsed. \
            content: Markdown without the heading; any: base_revision?";
        let item = json!({
            "type": "object",
            "description": words,
            "properties": {
                "operation": { "enum": NAMES },
                "artifact_slug": { "type": "string" },
                "section_slug": { "type": "string" },
                "content": { "type": "string" },
                "title": { "type": "string" },
                "is_done": { "type": "boolean" },
            },
            "required": ["operation", "artifact_slug"],
            "additionalProperties": true,
        });
        Schema::from(Map::from_iter([("type".to_owned(), json!("array")), ("items".to_owned(), item)]))
    }
}

/// Change sections of artifacts with a list of operations, all or none
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ArtifactApplyOpsParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The operations, applied in order
    #[arg(value_name = "JSON")]
    #[serde(alias = "operations")]
    pub ops: ArtifactOps,
    /// The `etag` of the artifact you read, if all operations change the same one
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_revision: Option<RevisionTag>,
    /// Change it even if it is finalized; for people only; the history records this
    #[arg(id = "override", long = "override")]
    #[serde(default, rename = "override")]
    pub override_lock: bool,
}

/// The result of one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppliedOp {
    /// Its name.
    pub operation: String,
    /// The artifact.
    pub artifact_slug: String,
    /// The section's current slug.
    pub section_slug: String,
    /// The section's id.
    pub section_id: u32,
    /// A summary.
    pub summary: String,
    /// Sections that were split off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub split_into: Vec<String>,
    /// The suggestion that it created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion_id: Option<String>,
}

/// The result of the operations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactApplyOpsOutput {
    /// The result of each operation.
    pub applied: Vec<AppliedOp>,
    /// The artifacts after the change, without their texts.
    pub artifacts: Vec<ArtifactInfo>,
    /// Suggestions that were created.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<SuggestionInfo>,
    /// The state before, to which undo returns.
    pub snapshot: BlobHash,
    /// The number of the change in the journal; none if nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_seq: Option<u64>,
}
operation!(ArtifactApplyOps, Write, Surfaces::action("plans", "edit"), ArtifactApplyOpsParams => ArtifactApplyOpsOutput,
    r#"{"workbench_id":"board-deck","ops":[{"operation":"update_section","artifact_slug":"concept","section_slug":"what-is-it","content":"Updated content here...","reason":"Clarified definition based on research"}],"base_revision":1}"#);
