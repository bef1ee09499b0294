//! Every operation, in the order of the reference.
//!
//! To add one: define its parameters and output in the module of its noun, add an `operation!` line, and list it in
//! [`for_each_operation`](crate::for_each_operation). The workbench then does not compile until it handles it.

mod agent;
mod agent_context;
mod artifact;
mod artifact_exchange;
mod artifact_history;
mod artifact_ops;
mod asset;
mod checkpoint;
mod consent;
mod context;
mod conversation;
mod draft;
mod edit;
mod entry;
mod file;
mod image;
mod job;
mod journal;
mod kind;
mod model;
mod odt;
mod office;
mod pdf;
mod preview;
mod prompt;
mod proposal;
mod recipe;
mod review;
mod session;
mod stage;
mod store;
mod suggestion;
mod tables;
mod target;
mod text;
mod token;
mod workbench;
mod workshop;

pub use agent::*;
pub use agent_context::*;
pub use artifact::*;
pub use artifact_exchange::*;
pub use artifact_history::*;
pub use artifact_ops::*;
pub use asset::*;
pub use checkpoint::*;
pub use consent::*;
pub use context::*;
pub use conversation::*;
pub use draft::*;
pub use edit::*;
pub use entry::*;
pub use file::*;
pub use image::*;
pub use job::*;
pub use journal::*;
pub use kind::*;
pub use model::*;
pub use odt::*;
pub use office::*;
pub use pdf::*;
pub use preview::*;
pub use prompt::*;
pub use proposal::*;
pub use recipe::*;
pub use review::*;
pub use session::*;
pub use stage::*;
pub use store::*;
pub use suggestion::*;
pub use tables::*;
pub use target::*;
pub use text::*;
pub use token::*;
pub use workbench::*;
pub use workshop::*;

use crate::operation::OpSpec;

/// Implements [`Operation`](crate::Operation) for a new type of that name.
macro_rules! operation {
    ($name:ident, $effect:ident, $surfaces:expr, $params:ty => $output:ty, $example:literal) => {
        #[doc = concat!("The operation `", stringify!($name), "`.")]
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl $crate::operation::Operation for $name {
            const NAME: &'static str = stringify!($name);
            const EFFECT: $crate::operation::Effect = $crate::operation::Effect::$effect;
            const SURFACES: $crate::operation::Surfaces = $surfaces;
            const EXAMPLE: &'static str = $example;
            type Params = $params;
            type Output = $output;
        }
    };
}
pub(crate) use operation;

/// Parses a command-line argument that is JSON.
pub(crate) fn json_arg<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("invalid JSON: {error}"))
}

/// Calls a macro with the list of all operations.
#[macro_export]
macro_rules! for_each_operation {
    ($callback:ident) => {
        $callback! {
            WorkbenchCreate, WorkbenchList, WorkbenchGet, WorkbenchRename, WorkbenchClone, WorkbenchExport,
            WorkbenchImport, WorkbenchDelete,
            FileAdd, FileList, FileGetInfo, FileGetMap, FileRead, FileSearch, FileGetPreview, FileRemove,
            FileExtract,
            XlsxGetMap, XlsxGetInfo, XlsxReadRange, XlsxExtractText, XlsxRenderGrid, XlsxRenderPage, XlsxGetStyles,
            XlsxCopyAssets, XlsxApplyOps,
            DocxGetMap, DocxExtractText, DocxGetSectionContent, DocxRenderPage, DocxGetStyles, DocxCopyAssets,
            DocxApplyOps,
            PptxGetMap, PptxExtractText, PptxGetSlideContent, PptxRenderSlide, PptxGetStyles, PptxCopyAssets,
            PptxApplyOps,
            PdfGetMap, PdfGetInfo, PdfExtractText, PdfRenderPage,
            OdtGetMap, OdtExtractText, OdtRenderPage, ImageGetMetadata, ImageRender, TextGetMap, TextReadLines, TextApplyOps,
            TabularGetMap, TabularDescribe, TabularGetStats, TabularReadRows, TabularQuery, TabularExport,
            TabularUpdateFromExport, TabularExtract,
            EditDescribe,
            DraftCreate, DraftGetState, DraftWriteText, DraftRemoveFile, DraftMoveFile, DraftCopyFile, DraftUndo, DraftPublish,
            DraftDiscard,
            ReviewGetChangeSet, ReviewGetDiff, ReviewGetPreview, ReviewReject, ReviewAccept, ReviewComment,
            ContextList, ContextGet, ContextGetArtifact, ContextProcess, ContextReprocess, ContextUpdateDirect,
            ContextDelete, ContextExport, ContextImport,
            KindList, KindGet, KindPut, KindDelete,
            EntryList, EntryGet, EntryPut, EntryDelete, EntryArchive, EntryHistory, EntryRestore, EntryMarkDone,
            EntryExtract, EntryListProposals, EntryAcceptProposal, EntryRejectProposal,
            ArtifactList, ArtifactGet, ArtifactCreate, ArtifactPut, ArtifactApplyOps, ArtifactFinalize, ArtifactUnfinalize,
            ArtifactSnapshot, ArtifactRestore, ArtifactHistory, ArtifactImport, ArtifactExport, ArtifactDelete,
            SuggestionList, SuggestionAccept, SuggestionReject,
            StageList, StageSet, StagePut, StageDelete, ProjectGet, ProjectDescribe,
            ConversationList, ConversationAdd,
            TargetResolve, AgentContextBuild, AgentContextRefresh, AgentContextCheck,
            AssetUpload, AssetGet, AssetList, AssetAttach, AssetDetach, AssetCleanup,
            RecipeList, RecipeGet, RecipePut, RecipeDelete, RecipeAssemble, RecipeRun, RecipeListStale,
            OutputList, OutputGet, OutputPromote, OutputReject,
            JobList, JobGet, JobCancel,
            AgentWorkspaceCommit, AgentWorkspaceResolve, AgentWorkspaceList, AgentWorkspaceRead, AgentWorkspaceDiff,
            AgentWorkspaceHistory, AgentWorkspaceUpgrade,
            SessionCreate, SessionList, SessionGet, SessionConfigure, SessionShow, SessionSync, SessionApply, SessionPermit,
            SessionPermissions, SessionRevoke, SessionReplay, SessionEvents,
            WorkshopSend, WorkshopBegin, WorkshopResume, WorkshopCancel, WorkshopUndoToMessage, WorkshopRegenerate,
            PromptAssemble, ClutterGet,
            ModelList, ModelSetDefault, ConsentGrant, ConsentList, ConsentRevoke, EgressList, StatsGet,
            JournalList, JournalUndo, JournalRedo, EventList,
            CheckpointCreate, CheckpointList, CheckpointRestore,
            TokenCreate, TokenList, TokenRevoke,
            StoreDoctor, StoreCollect,
        }
    };
}

macro_rules! list_specs {
    ($($name:ident),* $(,)?) => {
        /// All operations as values, in the order of the manual.
        pub static OPERATIONS: &[OpSpec] = &[$(OpSpec::of::<$name>()),*];
    };
}
for_each_operation!(list_specs);

/// The operation with this name.
pub fn find(name: &str) -> Option<&'static OpSpec> {
    OPERATIONS.iter().find(|op| op.name == name)
}
