//! Text output of operation results.

mod agent;
mod artifacts;
mod context;
mod entries;
mod errors;
mod generic;
mod history;
mod listing;
mod models;
mod office;
mod prompt;
mod proposals;
mod recipes;
mod review;
mod sessions;
mod table;
mod tables;
mod tokens;
mod units;
pub(crate) mod workshop;

use jig_contract::Timestamp;
use jig_contract::ops::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use errors::details;
pub(crate) use history::event;
pub(crate) use listing::{settings, workbenches};
pub(crate) use models::scope;
pub(crate) use prompt::text as prompt_text;
pub(crate) use recipes::jobs;
pub(crate) use review::{change_set, diff};
pub(crate) use units::{count, minute};

use crate::app::App;

/// A result as text, with notes for standard error.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TextOutput {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
}

impl From<String> for TextOutput {
    fn from(text: String) -> Self {
        Self { text, notes: Vec::new() }
    }
}

/// The result of an operation as text. A result without a text form of its own is shown field by field.
pub(crate) fn human(name: &str, output: &Value, app: &App) -> TextOutput {
    let now = app.env.now();
    let current = app.settings.workbench.as_deref();
    let shown = match name {
        "WorkbenchCreate" | "WorkbenchGet" | "WorkbenchRename" | "WorkbenchClone" | "WorkbenchImport" => {
            with(output, |o: WorkbenchInfo| listing::workbench(&o, now).into())
        }
        "WorkbenchList" => with(output, |o: WorkbenchListOutput| listing::workbenches(&o, current, now).into()),
        "WorkbenchExport" => with(output, |o: WorkbenchExportOutput| listing::exported(&o).into()),
        "WorkbenchDelete" => with(output, |o: WorkbenchDeleteOutput| listing::deleted(&o).into()),
        "FileAdd" => with(output, |o: FileAddOutput| listing::added(&o).into()),
        "FileList" => with(output, |o: FileListOutput| listing::files(&o)),
        "FileGetInfo" => with(output, |o: FileGetInfoOutput| office::info(&o).into()),
        "FileGetMap" => with(output, |o: FileGetMapOutput| office::map(&o).into()),
        "FileSearch" => with(output, |o: FileSearchOutput| office::hits(&o)),
        "XlsxApplyOps" | "DocxApplyOps" | "PptxApplyOps" | "TextApplyOps" => with(output, office::applied),
        "XlsxCopyAssets" | "DocxCopyAssets" | "PptxCopyAssets" => with(output, office::copied),
        "TabularGetMap" | "TabularDescribe" | "TabularGetStats" => Some(tables::columns(output)),
        "TabularReadRows" | "TabularQuery" => Some(tables::rows(output, room(app))),
        "TabularExport" | "TabularUpdateFromExport" => tables::exported(output),
        "TabularExtract" => with(output, |o: TabularExtractOutput| tables::extracted(&o)),
        "FileRead" => with(output, |o: FileReadOutput| listing::read(o, app.terminal)),
        "FileRemove" => with(output, |o: FileRemoveOutput| listing::removed(&o).into()),
        "FileExtract" => with(output, |o: FileExtractOutput| listing::extracted(&o).into()),
        "DraftCreate" => with(output, |o: DraftSummary| review::draft_started(&o, now).into()),
        "DraftGetState" => with(output, |o: DraftGetStateOutput| review::draft_state(&o, now).into()),
        "DraftWriteText" | "DraftRemoveFile" => with(output, |o: DraftWriteOutput| review::written(&o).into()),
        "DraftPublish" => with(output, |o: DraftPublishOutput| review::published(&o).into()),
        "DraftDiscard" => with(output, |o: DraftDiscardOutput| review::discarded(&o).into()),
        "ReviewGetChangeSet" => with(output, |o: ReviewGetChangeSetOutput| review::change_set(&o).into()),
        "ReviewGetDiff" => with(output, |o: ReviewGetDiffOutput| review::diff_page(&o, app.terminal.paints())),
        "ReviewReject" => with(output, |o: ReviewRejectOutput| review::rejected(&o)),
        "ReviewAccept" => with(output, |o: ReviewAcceptOutput| review::accepted(&o).into()),
        "ReviewComment" => with(output, |o: ReviewCommentOutput| review::commented(&o).into()),
        "ContextList" => with(output, |o: ContextListOutput| context::items(&o, now).into()),
        "ContextGet" => with(output, |o: ContextItemOutput| context::item(&o.item, now).into()),
        "ContextGetArtifact" => with(output, |o: ContextGetArtifactOutput| context::files(&o.files).into()),
        "ContextProcess" | "ContextReprocess" | "ContextUpdateDirect" | "ContextImport" => {
            with(output, |o: ContextItemOutput| context::made(&o.item, now))
        }
        "ContextDelete" => with(output, |o: ContextDeleteOutput| context::deleted(&o).into()),
        "ContextExport" => with(output, |o: ContextExportOutput| context::exported(&o).into()),
        "KindList" => with(output, |o: KindListOutput| entries::kinds(&o)),
        "KindGet" => with(output, |o: KindGetOutput| entries::kind(&o)),
        "KindPut" => with(output, |o: KindPutOutput| entries::kind_put(&o)),
        "KindDelete" => with(output, |o: KindDeleteOutput| entries::kind_deleted(&o).into()),
        "EntryList" => with(output, |o: EntryListOutput| entries::entries(&o, now)),
        "EntryGet" | "EntryArchive" | "EntryRestore" | "EntryMarkDone" => {
            with(output, |o: EntryOutput| entries::entry(&o.entry, now).into())
        }
        "TargetResolve" => with(output, |o: TargetResolveOutput| agent::target(&o)),
        "AgentContextBuild" => with(output, |o: AgentContextBuildOutput| agent::built(&o)),
        "AgentContextRefresh" => with(output, |o: AgentContextRefreshOutput| agent::refreshed(&o)),
        "AgentContextCheck" => with(output, |o: AgentContextCheckOutput| agent::checked(&o)),
        "ArtifactList" => with(output, |o: ArtifactListOutput| artifacts::list(&o, now)),
        "ArtifactGet" | "ArtifactCreate" | "ArtifactPut" | "ArtifactFinalize" | "ArtifactUnfinalize"
        | "ArtifactSnapshot" | "ArtifactRestore" => {
            with(output, |o: ArtifactOutput| artifacts::artifact(&o.artifact, now))
        }
        "ArtifactApplyOps" => with(output, |o: ArtifactApplyOpsOutput| artifacts::applied(&o)),
        "ArtifactDelete" => with(output, |o: ArtifactDeleteOutput| artifacts::deleted(&o)),
        "ArtifactImport" => with(output, |o: ArtifactImportOutput| artifacts::imported(&o, now)),
        "ArtifactExport" => with(output, |o: ArtifactExportOutput| artifacts::exported(&o)),
        "ArtifactHistory" => with(output, |o: ArtifactHistoryOutput| artifacts::history(&o, now)),
        "SuggestionList" => with(output, |o: SuggestionListOutput| artifacts::suggestions(&o, now)),
        "SuggestionAccept" => with(output, |o: SuggestionAcceptOutput| artifacts::accepted(&o, now)),
        "SuggestionReject" => with(output, |o: SuggestionOutput| artifacts::suggestion(&o.suggestion, now).into()),
        "StageList" => with(output, |o: StageListOutput| artifacts::stages(&o)),
        "StagePut" => with(output, |o: StagePutOutput| artifacts::stage_put(&o)),
        "StageDelete" => with(output, |o: StageDeleteOutput| artifacts::stage_deleted(&o)),
        "ProjectGet" | "ProjectDescribe" | "StageSet" => {
            with(output, |o: ProjectOutput| artifacts::project(&o.project, now))
        }
        "ConversationList" => with(output, |o: ConversationListOutput| artifacts::conversation(&o, now)),
        "ConversationAdd" => with(output, |o: ConversationAddOutput| artifacts::message(&o.message, now).into()),
        "EntryPut" => with(output, |o: EntryPutOutput| entries::put(&o, now)),
        "EntryDelete" => with(output, |o: EntryDeleteOutput| entries::deleted(&o)),
        "EntryHistory" => with(output, |o: EntryHistoryOutput| entries::history(&o, now)),
        "EntryListProposals" => with(output, |o: EntryListProposalsOutput| {
            proposals::proposals(&o.proposals, o.cursor.as_deref(), "entry accept-proposal", now)
        }),
        "EntryExtract" | "EntryRejectProposal" => {
            with(output, |o: ProposalOutput| proposals::proposal_with_hint(&o.proposal, "entry accept-proposal", now))
        }
        "EntryAcceptProposal" => with(output, |o: EntryAcceptProposalOutput| entries::entry(&o.entry, now).into()),
        "AssetUpload" | "AssetAttach" | "AssetDetach" => {
            with(output, |o: AssetUploadOutput| proposals::uploaded(&o, now))
        }
        "AssetGet" => with(output, |o: AssetGetOutput| proposals::asset(&o.asset, now).into()),
        "AssetList" => with(output, |o: AssetListOutput| proposals::assets(&o, now)),
        "AssetCleanup" => with(output, |o: AssetCleanupOutput| proposals::cleaned(&o).into()),
        "RecipeList" => with(output, |o: RecipeListOutput| recipes::list(&o)),
        "RecipeGet" => with(output, |o: RecipeGetOutput| recipes::recipe(&o).into()),
        "RecipePut" => with(output, |o: RecipePutOutput| recipes::put(&o).into()),
        "RecipeDelete" => with(output, |o: RecipeDeleteOutput| recipes::deleted(&o).into()),
        "RecipeAssemble" => with(output, |o: RecipeAssembleOutput| recipes::assembled(&o)),
        "RecipeRun" => with(output, |o: RecipeRunOutput| recipes::run(&o, now)),
        "RecipeListStale" => with(output, |o: RecipeListStaleOutput| recipes::stale(&o)),
        "OutputList" => with(output, |o: OutputListOutput| {
            proposals::proposals(&o.outputs, o.cursor.as_deref(), "output promote", now)
        }),
        "OutputGet" | "OutputReject" => {
            with(output, |o: OutputGetOutput| proposals::proposal_with_hint(&o.output, "output promote", now))
        }
        "OutputPromote" => with(output, |o: OutputPromoteOutput| entries::entry(&o.entry, now).into()),
        "JobList" => with(output, |o: JobListOutput| recipes::job_list(&o, now)),
        "JobGet" | "JobCancel" => with(output, |o: JobOutput| recipes::job(&o.job, now).into()),
        "AgentWorkspaceCommit" | "AgentWorkspaceUpgrade" => {
            with(output, |o: AgentWorkspaceCommitOutput| sessions::committed(&o))
        }
        "AgentWorkspaceResolve" => with(output, |o: AgentWorkspaceResolveOutput| sessions::resolved(&o).into()),
        "AgentWorkspaceList" => {
            with(output, |o: AgentWorkspaceListOutput| sessions::versions(&o.workspaces, now).into())
        }
        "AgentWorkspaceHistory" => {
            with(output, |o: AgentWorkspaceHistoryOutput| sessions::versions(&o.versions, now).into())
        }
        "AgentWorkspaceDiff" => with(output, |o: AgentWorkspaceDiffOutput| sessions::changes(&o.changes).into()),
        "SessionList" => with(output, |o: SessionListOutput| sessions::list(&o, now)),
        "SessionCreate"
        | "SessionGet"
        | "SessionConfigure"
        | "SessionSync"
        | "SessionApply"
        | "SessionPermit"
        | "WorkshopSend"
        | "WorkshopBegin"
        | "WorkshopResume"
        | "WorkshopCancel"
        | "WorkshopUndoToMessage"
        | "WorkshopRegenerate" => with(output, |o: SessionOutput| sessions::session(&o)),
        "SessionPermissions" | "SessionRevoke" => {
            with(output, |o: SessionPermissionsOutput| sessions::permissions(&o, now))
        }
        "SessionShow" => with(output, |o: SessionShowOutput| sessions::step(&o).into()),
        "SessionReplay" => with(output, |o: SessionReplayOutput| sessions::replayed(&o).into()),
        "PromptAssemble" => with(output, |o: PromptAssembleOutput| prompt::assembled(&o, columns(app))),
        "ClutterGet" => with(output, |o: ClutterGetOutput| prompt::clutter(&o, columns(app))),
        "ModelList" => with(output, |o: ModelListOutput| models::list(&o)),
        "ModelSetDefault" => with(output, |o: ModelSetDefaultOutput| models::chosen(&o).into()),
        "ConsentGrant" => with(output, |o: ConsentGrantOutput| models::granted(&o).into()),
        "ConsentList" => with(output, |o: ConsentListOutput| models::consents(&o.consents, now).into()),
        "ConsentRevoke" => with(output, |o: ConsentRevokeOutput| models::revoked(&o).into()),
        "EgressList" => with(output, |o: EgressListOutput| models::egress(&o, now)),
        "StatsGet" => with(output, |o: StatsGetOutput| models::stats(&o).into()),
        "JournalList" => with(output, |o: JournalListOutput| history::journal(&o, now)),
        "JournalUndo" => with(output, |o: JournalUndoOutput| history::taken_back(&o).into()),
        "JournalRedo" => with(output, |o: JournalUndoOutput| history::made_again(&o).into()),
        "EventList" | "SessionEvents" => with(output, |o: EventListOutput| history::events(&o, now)),
        "CheckpointCreate" => with(output, |o: Checkpoint| history::checkpoint(&o).into()),
        "CheckpointList" => with(output, |o: CheckpointListOutput| history::checkpoints(&o, now).into()),
        "CheckpointRestore" => with(output, |o: CheckpointRestoreOutput| history::restored(&o).into()),
        "TokenCreate" => with(output, |o: TokenCreateOutput| tokens::made(&o)),
        "TokenList" => with(output, |o: TokenListOutput| tokens::list(&o, now)),
        "TokenRevoke" => with(output, |o: TokenRevokeOutput| tokens::revoked(&o).into()),
        "StoreDoctor" => with(output, |o: StoreDoctorOutput| listing::doctor(&o).into()),
        "StoreCollect" => with(output, |o: StoreCollectOutput| listing::collected(&o).into()),
        _ => None,
    };
    shown.unwrap_or_else(|| generic::members(output).into())
}

/// A token breakdown as a bar chart.
pub(crate) fn bill(bill: &PromptBill, app: &App) -> String {
    prompt::drawn(bill, columns(app))
}

/// The width of the output in columns.
fn columns(app: &App) -> usize {
    let said = app.environment.get("COLUMNS").and_then(|text| text.parse().ok());
    said.unwrap_or(COLUMNS).clamp(40, 200)
}

/// The width when it is unknown.
const COLUMNS: usize = 88;

fn room(app: &App) -> tables::Room {
    if app.terminal.shows_output() { tables::Room::Terminal } else { tables::Room::Pipe }
}

fn with<T: DeserializeOwned>(output: &Value, show: impl FnOnce(T) -> TextOutput) -> Option<TextOutput> {
    T::deserialize(output).ok().map(show)
}

/// A suggestion for the next command after a short verb.
pub(crate) fn next_step(verb: &str, output: &Value) -> Option<String> {
    let words = match verb {
        "new" => "`jig add FILE…` adds files; commands now use this workbench, and `jig use ID` switches to another",
        "add" if output["added"].as_array().is_some_and(|added| !added.is_empty()) => "`jig files` lists them",
        "write" => "`jig review` shows the Draft's changes, `jig publish` publishes them",
        "discard" => "`jig undo` restores it",
        "reject" if output["dry_run"] != true => "`jig undo` restores the change",
        "publish" | "restore" | "rm" => "`jig undo` reverts it",
        "undo" => "`jig redo` repeats it",
        _ => return None,
    };
    Some(words.to_owned())
}

/// A time relative to now.
fn ago(then: Timestamp, now: Timestamp) -> String {
    units::ago(then, now)
}
