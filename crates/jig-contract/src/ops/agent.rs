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
    /// Its bytes, for what is no text
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

/// One thing that is wrong with a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentProblem {
    /// The file.
    pub file: String,
    /// Where in it: a JSON pointer, or a line.
    pub pointer: String,
    /// What, in words.
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
    /// How it is named: `house@4`.
    pub reference: String,
    /// What it was made for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Who made it.
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

/// Make a new version of an agent workspace from files or a folder
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentWorkspaceCommitParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The workspace: `own` for this workbench's, or the name of one that all share [default: own]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A file, as JSON: `{"path":"agent.workspace.json","text":"…"}`
    #[arg(long = "file", value_name = "JSON", value_parser = crate::ops::json_arg::<AgentFile>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<AgentFile>,
    /// A folder on this machine; not over HTTP
    #[arg(long, value_name = "FOLDER")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Take away the files that are not given
    #[arg(long)]
    #[serde(default)]
    pub delete: bool,
    /// Only if the newest version has this root; `none` if there is to be none yet
    #[arg(long, value_name = "HASH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_head: Option<String>,
    /// What it is for
    #[arg(long, short = 'm')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Say what would change and what is wrong, and save nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
/// What became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorkspaceCommitOutput {
    /// The newest version now; none when nothing was ever saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<AgentVersion>,
    /// Whether a version was made: not when nothing is different, nor when it was only checked.
    pub saved: bool,
    /// The files that are other than before.
    pub changes: Vec<AgentChange>,
    /// What a sync would refuse. It is saved all the same: nothing is adopted before it is right.
    pub problems: Vec<AgentProblem>,
    /// What of the folder was not committed, with the reason: ignored files, version control, dependencies, files that hold
    /// keys, hidden files, links.
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
    /// The difference, for texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Say which version a reference means now, what it holds and whether it is right
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentWorkspaceResolveParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// `name[@version]`; `own` is this workbench's, `jig` the one that comes with Jig
    #[arg(default_value = "own")]
    pub reference: String,
}
/// What it means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorkspaceResolveOutput {
    /// The version.
    pub version: AgentVersion,
    /// Its files.
    pub files: Vec<AgentFileInfo>,
    /// The prompt packs, once everything is right.
    pub packs: Vec<String>,
    /// The tool catalogs with their tools, once everything is right.
    pub catalogs: Vec<AgentCatalogInfo>,
    /// Tools that nothing in the program stands behind.
    pub unbound: Vec<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// What a sync would refuse.
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
    /// The version it is of.
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
    /// The one before: `name[@version]`
    pub from: String,
    /// The one after: `name[@version]`
    pub to: String,
}
/// The differences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorkspaceDiffOutput {
    /// The one before.
    pub from: AgentVersion,
    /// The one after.
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
    /// At most this many (default 100, at most 1,000)
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

/// Take over what is new in the workspace that comes with Jig; what you changed stays, and conflicts are shown
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct AgentWorkspaceUpgradeParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// Say what would change and save nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}
operation!(AgentWorkspaceUpgrade, Write, Surfaces::PEOPLE, AgentWorkspaceUpgradeParams => AgentWorkspaceCommitOutput,
    r#"{"workbench_id":"board-deck"}"#);
