//! The table of routes: the operation behind each path.

use super::routes::{Form, Route, Verb};

const fn route(verb: Verb, path: &'static str, operation: &'static str, form: Form) -> Route {
    Route { verb, path, operation, form, fixed: &[] }
}

const fn get(path: &'static str, operation: &'static str) -> Route {
    route(Verb::Get, path, operation, Form::Plain)
}

const fn post(path: &'static str, operation: &'static str) -> Route {
    route(Verb::Post, path, operation, Form::Plain)
}

const fn delete(path: &'static str, operation: &'static str) -> Route {
    route(Verb::Delete, path, operation, Form::Plain)
}

/// A list that is paged with `cursor`.
const fn page(path: &'static str, operation: &'static str) -> Route {
    route(Verb::Get, path, operation, Form::Page("cursor", "cursor"))
}

const ENTRY: &str = "/entry/etag";

/// An entry by kind and key, or by kind only.
const fn entry(verb: Verb, path: &'static str, operation: &'static str) -> Route {
    let form = match verb {
        Verb::Get => Form::Revised(ENTRY),
        Verb::Put => Form::Kept(ENTRY),
        Verb::Post | Verb::Patch | Verb::Delete => Form::Plain,
    };
    route(verb, path, operation, form)
}

/// An entry whose key is also the name of a path segment below its kind.
const fn entry_named(verb: Verb, path: &'static str, operation: &'static str) -> Route {
    Route { fixed: &[("entry_key", "extract")], ..entry(verb, path, operation) }
}

const ENTRIES: &str = "/api/workbenches/{workbench_id}/context-entries";
const ROLE: &str = "/api/workbenches/{workbench_id}/context-entries/{role}";
const EXTRACT: &str = "/api/workbenches/{workbench_id}/context-entries/{role}/extract";
const KEYED: &str = "/api/workbenches/{workbench_id}/context-entries/{role}/{entry_key}";

const FILE: &str = "/api/workbenches/{workbench_id}/files/{*path}";

const ARTIFACT: &str = "/api/workbenches/{workbench_id}/artifacts/{slug}";
const ARTIFACT_TAG: &str = "/artifact/etag";

/// All routes, in the order of the reference. `_` as an entry key means a singleton kind.
pub(super) static TABLE: &[Route] = &[
    get("/api/workbenches", "WorkbenchList"),
    route(Verb::Post, "/api/workbenches", "WorkbenchCreate", Form::Made("/api/workbenches/{id}")),
    get("/api/workbenches/{workbench_id}", "WorkbenchGet"),
    route(Verb::Patch, "/api/workbenches/{workbench_id}", "WorkbenchRename", Form::Plain),
    delete("/api/workbenches/{workbench_id}", "WorkbenchDelete"),
    route(Verb::Post, "/api/workbenches/{workbench_id}/clone", "WorkbenchClone", Form::Made("/api/workbenches/{id}")),
    page("/api/workbenches/{workbench_id}/files", "FileList"),
    route(Verb::Get, FILE, "FileGetInfo", Form::FileBytes),
    route(Verb::Put, FILE, "FileAdd", Form::FileUpload),
    route(Verb::Delete, FILE, "FileRemove", Form::FileRemoval),
    get("/api/workbenches/{workbench_id}/draft", "DraftGetState"),
    post("/api/workbenches/{workbench_id}/draft", "DraftCreate"),
    delete("/api/workbenches/{workbench_id}/draft", "DraftDiscard"),
    get("/api/workbenches/{workbench_id}/draft/changes", "ReviewGetChangeSet"),
    post("/api/workbenches/{workbench_id}/draft/publish", "DraftPublish"),
    get("/api/workbenches/{workbench_id}/context", "ContextList"),
    route(Verb::Get, "/api/workbenches/{workbench_id}/context/{category}", "ContextGet", Form::Revised("/item/etag")),
    route(
        Verb::Put,
        "/api/workbenches/{workbench_id}/context/{category}",
        "ContextUpdateDirect",
        Form::Revised("/item/etag"),
    ),
    delete("/api/workbenches/{workbench_id}/context/{category}", "ContextDelete"),
    route(
        Verb::Post,
        "/api/workbenches/{workbench_id}/context/{category}/reprocess",
        "ContextReprocess",
        Form::Revised("/item/etag"),
    ),
    get("/api/workbenches/{workbench_id}/kinds", "KindList"),
    route(Verb::Post, "/api/workbenches/{workbench_id}/kinds", "KindPut", Form::Revised("/kind/etag")),
    route(Verb::Get, "/api/workbenches/{workbench_id}/kinds/{role}", "KindGet", Form::Revised("/kind/etag")),
    delete("/api/workbenches/{workbench_id}/kinds/{role}", "KindDelete"),
    page(ENTRIES, "EntryList"),
    entry(Verb::Get, ROLE, "EntryGet"),
    entry(Verb::Put, ROLE, "EntryPut"),
    entry(Verb::Delete, ROLE, "EntryDelete"),
    post(EXTRACT, "EntryExtract"),
    entry_named(Verb::Get, EXTRACT, "EntryGet"),
    entry_named(Verb::Put, EXTRACT, "EntryPut"),
    entry_named(Verb::Delete, EXTRACT, "EntryDelete"),
    entry(Verb::Get, KEYED, "EntryGet"),
    entry(Verb::Put, KEYED, "EntryPut"),
    entry(Verb::Delete, KEYED, "EntryDelete"),
    page("/api/workbenches/{workbench_id}/context-entries/{role}/{entry_key}/history", "EntryHistory"),
    post("/api/workbenches/{workbench_id}/context-entries/{role}/{entry_key}/restore", "EntryRestore"),
    post("/api/workbenches/{workbench_id}/context-entries/{role}/{entry_key}/archive", "EntryArchive"),
    post("/api/workbenches/{workbench_id}/context-entries/{role}/{entry_key}/done", "EntryMarkDone"),
    post("/api/workbenches/{workbench_id}/context-entries/{role}/{entry_key}/extract", "EntryExtract"),
    page("/api/workbenches/{workbench_id}/artifacts", "ArtifactList"),
    route(Verb::Post, "/api/workbenches/{workbench_id}/artifacts", "ArtifactCreate", Form::Made("{artifact.slug}")),
    route(Verb::Get, ARTIFACT, "ArtifactGet", Form::Revised(ARTIFACT_TAG)),
    route(Verb::Put, ARTIFACT, "ArtifactPut", Form::Kept(ARTIFACT_TAG)),
    delete(ARTIFACT, "ArtifactDelete"),
    post("/api/workbenches/{workbench_id}/artifacts/{slug}/finalize", "ArtifactFinalize"),
    post("/api/workbenches/{workbench_id}/artifacts/{slug}/unfinalize", "ArtifactUnfinalize"),
    post("/api/workbenches/{workbench_id}/artifacts/{slug}/snapshots", "ArtifactSnapshot"),
    post("/api/workbenches/{workbench_id}/artifacts/{slug}/restore", "ArtifactRestore"),
    page("/api/workbenches/{workbench_id}/artifacts/{slug}/history", "ArtifactHistory"),
    get("/api/workbenches/{workbench_id}/artifacts/{slug}/export", "ArtifactExport"),
    post("/api/workbenches/{workbench_id}/artifact-operations", "ArtifactApplyOps"),
    post("/api/workbenches/{workbench_id}/artifact-imports", "ArtifactImport"),
    page("/api/workbenches/{workbench_id}/suggestions", "SuggestionList"),
    post("/api/workbenches/{workbench_id}/suggestions/{suggestion_id}/accept", "SuggestionAccept"),
    post("/api/workbenches/{workbench_id}/suggestions/{suggestion_id}/reject", "SuggestionReject"),
    route(Verb::Get, "/api/workbenches/{workbench_id}/project", "ProjectGet", Form::Revised("/project/etag")),
    route(Verb::Patch, "/api/workbenches/{workbench_id}/project", "ProjectDescribe", Form::Revised("/project/etag")),
    route(Verb::Put, "/api/workbenches/{workbench_id}/project/stage", "StageSet", Form::Plain),
    get("/api/workbenches/{workbench_id}/stages", "StageList"),
    route(Verb::Post, "/api/workbenches/{workbench_id}/stages", "StagePut", Form::Revised("/stage/etag")),
    delete("/api/workbenches/{workbench_id}/stages/{stage}", "StageDelete"),
    page("/api/workbenches/{workbench_id}/conversation", "ConversationList"),
    post("/api/workbenches/{workbench_id}/conversation", "ConversationAdd"),
    post("/api/workbenches/{workbench_id}/target", "TargetResolve"),
    post("/api/workbenches/{workbench_id}/agent-context", "AgentContextBuild"),
    post("/api/workbenches/{workbench_id}/agent-context/refresh", "AgentContextRefresh"),
    post("/api/workbenches/{workbench_id}/agent-context/check", "AgentContextCheck"),
    page("/api/workbenches/{workbench_id}/context-entries/assets", "AssetList"),
    route(Verb::Post, "/api/workbenches/{workbench_id}/context-entries/assets", "AssetUpload", Form::Upload),
    page("/api/workbenches/{workbench_id}/assets", "AssetList"),
    route(Verb::Post, "/api/workbenches/{workbench_id}/assets", "AssetUpload", Form::Upload),
    get("/api/workbenches/{workbench_id}/assets/{asset_id}", "AssetGet"),
    route(Verb::Get, "/api/workbenches/{workbench_id}/assets/{asset_id}/content", "AssetGet", Form::AssetBytes),
    post("/api/workbenches/{workbench_id}/assets/{asset_id}/attach", "AssetAttach"),
    post("/api/workbenches/{workbench_id}/assets/{asset_id}/detach", "AssetDetach"),
    page("/api/workbenches/{workbench_id}/proposals", "EntryListProposals"),
    post("/api/workbenches/{workbench_id}/proposals/{proposal_id}/accept", "EntryAcceptProposal"),
    post("/api/workbenches/{workbench_id}/proposals/{proposal_id}/reject", "EntryRejectProposal"),
    get("/api/workbenches/{workbench_id}/recipes", "RecipeList"),
    route(Verb::Post, "/api/workbenches/{workbench_id}/recipes", "RecipePut", Form::Revised("/recipe/etag")),
    route(Verb::Get, "/api/workbenches/{workbench_id}/recipes/{recipe}", "RecipeGet", Form::Revised("/recipe/etag")),
    delete("/api/workbenches/{workbench_id}/recipes/{recipe}", "RecipeDelete"),
    post("/api/workbenches/{workbench_id}/recipes/{recipe}/assemble", "RecipeAssemble"),
    post("/api/workbenches/{workbench_id}/recipes/{recipe}/run", "RecipeRun"),
    get("/api/workbenches/{workbench_id}/stale-recipes", "RecipeListStale"),
    page("/api/workbenches/{workbench_id}/outputs", "OutputList"),
    get("/api/workbenches/{workbench_id}/outputs/{output_id}", "OutputGet"),
    post("/api/workbenches/{workbench_id}/outputs/{output_id}/promote", "OutputPromote"),
    post("/api/workbenches/{workbench_id}/outputs/{output_id}/reject", "OutputReject"),
    page("/api/workbenches/{workbench_id}/jobs", "JobList"),
    get("/api/workbenches/{workbench_id}/jobs/{job_id}", "JobGet"),
    post("/api/workbenches/{workbench_id}/jobs/{job_id}/cancel", "JobCancel"),
    route(Verb::Get, "/api/workbenches/{workbench_id}/journal", "JournalList", Form::Backwards),
    post("/api/workbenches/{workbench_id}/journal/undo", "JournalUndo"),
    post("/api/workbenches/{workbench_id}/journal/redo", "JournalRedo"),
    route(Verb::Get, "/api/workbenches/{workbench_id}/events", "EventList", Form::Events),
    get("/api/workbenches/{workbench_id}/checkpoints", "CheckpointList"),
    post("/api/workbenches/{workbench_id}/checkpoints", "CheckpointCreate"),
    post("/api/workbenches/{workbench_id}/checkpoints/{checkpoint}/restore", "CheckpointRestore"),
    get("/api/workbenches/{workbench_id}/agent-workspaces", "AgentWorkspaceList"),
    post("/api/workbenches/{workbench_id}/agent-workspaces", "AgentWorkspaceCommit"),
    get("/api/workbenches/{workbench_id}/agent-workspaces/resolve", "AgentWorkspaceResolve"),
    get("/api/workbenches/{workbench_id}/agent-workspaces/read", "AgentWorkspaceRead"),
    get("/api/workbenches/{workbench_id}/agent-workspaces/diff", "AgentWorkspaceDiff"),
    post("/api/workbenches/{workbench_id}/agent-workspaces/upgrade", "AgentWorkspaceUpgrade"),
    get("/api/workbenches/{workbench_id}/agent-workspaces/{name}/history", "AgentWorkspaceHistory"),
    page("/api/workbenches/{workbench_id}/sessions", "SessionList"),
    route(Verb::Post, "/api/workbenches/{workbench_id}/sessions", "SessionCreate", Form::Made("{session.id}")),
    get("/api/workbenches/{workbench_id}/sessions/{session_id}", "SessionGet"),
    route(Verb::Patch, "/api/workbenches/{workbench_id}/sessions/{session_id}", "SessionConfigure", Form::Plain),
    get("/api/workbenches/{workbench_id}/sessions/{session_id}/steps/{step}", "SessionShow"),
    get("/api/workbenches/{workbench_id}/sessions/{session_id}/replay", "SessionReplay"),
    post("/api/workbenches/{workbench_id}/sessions/{session_id}/sync", "SessionSync"),
    post("/api/workbenches/{workbench_id}/sessions/{session_id}/apply", "SessionApply"),
    post("/api/workbenches/{workbench_id}/sessions/{session_id}/questions/{question}", "SessionPermit"),
    get("/api/workbenches/{workbench_id}/sessions/{session_id}/permissions", "SessionPermissions"),
    delete("/api/workbenches/{workbench_id}/sessions/{session_id}/permissions/{capability}", "SessionRevoke"),
    post("/api/workbenches/{workbench_id}/sessions/{session_id}/messages", "WorkshopSend"),
    post("/api/workbenches/{workbench_id}/tasks", "WorkshopBegin"),
    post("/api/workbenches/{workbench_id}/sessions/{session_id}/messages/{message}/undo", "WorkshopUndoToMessage"),
    post("/api/workbenches/{workbench_id}/sessions/{session_id}/regenerate", "WorkshopRegenerate"),
    post("/api/workbenches/{workbench_id}/sessions/{session_id}/resume", "WorkshopResume"),
    post("/api/workbenches/{workbench_id}/sessions/{session_id}/cancel", "WorkshopCancel"),
    get("/api/models", "ModelList"),
    get("/api/tokens", "TokenList"),
    post("/api/tokens", "TokenCreate"),
    delete("/api/tokens/{token_id}", "TokenRevoke"),
];
