//! Agent workspaces: an agent's instructions and tools, as versioned folders of prompts, tools and static context.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::env::Timestamp;
use crate::given::Given;
use crate::hash::BlobHash;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{LeftAlone, operation};

/// A file of an agent workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentFile {
    /// Its path in the workspace
    pub path: String,
    /// Its text
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its bytes, if it is not text
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

/// A problem in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentProblem {
    /// The file.
    pub file: String,
    /// Its position in the file: a JSON pointer, or a line.
    pub pointer: String,
    /// A description of the problem.
    pub message: String,
}

/// A version of an agent workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentVersion {
    /// The workspace: `own`, `jig`, or the name of a shared one.
    pub name: String,
    /// Its number. For `own`, the number of the change in the journal.
    pub version: u64,
    /// The hash of the root of its files: pass it as `expected_head`.
    pub root: BlobHash,
    /// Its reference: `house@4`.
    pub reference: String,
    /// Why it was created.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Who created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// A file of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentFileInfo {
    /// Its path in the workspace.
    pub path: String,
    /// Its hash.
    pub hash: BlobHash,
    /// Its bytes.
    pub bytes: u64,
}

/// Create a new version of an agent workspace from files or a folder
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentWorkspaceCommitParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The workspace: `own` for this workbench's, or the name of a shared one [default: own]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A file, as JSON: `{"path":"agent.workspace.json","text":"…"}`
    #[arg(long = "file", value_name = "JSON", value_parser = crate::ops::json_arg::<AgentFile>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<AgentFile>,
    /// A folder on this machine (not over HTTP)
    #[arg(long, value_name = "FOLDER")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Remove the files that are not given
    #[arg(long)]
    #[serde(default)]
    pub delete: bool,
    /// Only if the newest version has this root; `none` if there must be no version yet
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_head: Option<String>,
    /// Why it was created
    #[arg(long, short = 'm')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Show changes and problems without saving
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
/// The result of a commit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorkspaceCommitOutput {
    /// The newest version now; none if nothing was ever saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<AgentVersion>,
    /// Whether a version was created: false for a check, or if nothing differs.
    pub saved: bool,
    /// The files that differ from the previous version.
    pub changes: Vec<AgentChange>,
    /// Problems that a sync would reject. The version is saved nevertheless, but cannot be adopted until they are
    /// fixed.
    pub problems: Vec<AgentProblem>,
    /// Files of the folder that were not committed, with the reason: ignored files, version control, dependencies,
    /// files that contain keys, hidden files, links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftAlone>,
}
operation!(AgentWorkspaceCommit, Write, Surfaces::PEOPLE, AgentWorkspaceCommitParams => AgentWorkspaceCommitOutput,
    r#"{"workbench_id":"board-deck","name":"house","files":[{"path":"tools/look.json","text":"{\"name\":\"look\",\"description\":\"Look\",\"input_schema\":{}}"}]}"#);

/// How a file differs between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentChange {
    /// The file.
    pub path: String,
    /// `added`, `changed`, `removed` or `conflict`.
    pub kind: String,
    /// The difference, for text files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Resolve a reference to a version, and show its content and problems
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentWorkspaceResolveParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// `name[@version]`; `own` is this workbench's, `jig` is built in
    #[arg(default_value = "own")]
    pub reference: String,
}
/// A resolved reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorkspaceResolveOutput {
    /// The version.
    pub version: AgentVersion,
    /// Its files.
    pub files: Vec<AgentFileInfo>,
    /// The prompt packs, if there are no problems.
    pub packs: Vec<String>,
    /// The tool catalogs with their tools, if there are no problems.
    pub catalogs: Vec<AgentCatalogInfo>,
    /// Tools that the program does not implement.
    pub unbound: Vec<String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Problems that a sync would reject.
    pub problems: Vec<AgentProblem>,
}
/// A tool catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentCatalogInfo {
    /// Its id.
    pub id: String,
    /// Its tools.
    pub tools: Vec<String>,
}
operation!(AgentWorkspaceResolve, Read, Surfaces::PEOPLE, AgentWorkspaceResolveParams => AgentWorkspaceResolveOutput,
    r#"{"workbench_id":"board-deck","reference":"own"}"#);

/// List the agent workspaces that a workbench can use
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentWorkspaceListParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
}
/// The workspaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorkspaceListOutput {
    /// The newest version of each.
    pub workspaces: Vec<AgentVersion>,
}
operation!(AgentWorkspaceList, Read, Surfaces::PEOPLE, AgentWorkspaceListParams => AgentWorkspaceListOutput,
    r#"{"workbench_id":"board-deck"}"#);

/// Show a file of an agent workspace
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentWorkspaceReadParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// `name[@version]/path`
    pub reference: String,
}
/// The file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorkspaceReadOutput {
    /// Its version.
    pub version: AgentVersion,
    /// The file.
    pub file: AgentFile,
    /// Its hash.
    pub hash: BlobHash,
}
operation!(AgentWorkspaceRead, Read, Surfaces::PEOPLE, AgentWorkspaceReadParams => AgentWorkspaceReadOutput,
    r#"{"workbench_id":"board-deck","reference":"jig/agent.workspace.json"}"#);

/// Show how two versions of agent workspaces differ
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentWorkspaceDiffParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The earlier version: `name[@version]`
    pub from: String,
    /// The later version: `name[@version]`
    pub to: String,
}
/// The differences between two versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorkspaceDiffOutput {
    /// The earlier version.
    pub from: AgentVersion,
    /// The later version.
    pub to: AgentVersion,
    /// The files that differ.
    pub changes: Vec<AgentChange>,
}
operation!(AgentWorkspaceDiff, Read, Surfaces::PEOPLE, AgentWorkspaceDiffParams => AgentWorkspaceDiffOutput,
    r#"{"workbench_id":"board-deck","from":"jig","to":"own"}"#);

/// List the versions of an agent workspace, newest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentWorkspaceHistoryParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The workspace [default: own]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Maximum number of results (default 100, up to 1,000)
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
/// The versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorkspaceHistoryOutput {
    /// Newest first.
    pub versions: Vec<AgentVersion>,
}
operation!(AgentWorkspaceHistory, Read, Surfaces::PEOPLE, AgentWorkspaceHistoryParams => AgentWorkspaceHistoryOutput,
    r#"{"workbench_id":"board-deck"}"#);

/// Update from Jig's built-in workspace; your changes are kept, and conflicts are shown
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentWorkspaceUpgradeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Show what would change without saving
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
operation!(AgentWorkspaceUpgrade, Write, Surfaces::PEOPLE, AgentWorkspaceUpgradeParams => AgentWorkspaceCommitOutput,
    r#"{"workbench_id":"board-deck"}"#);
