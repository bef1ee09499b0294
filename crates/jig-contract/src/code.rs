//! The stable error codes, in one table. Append-only: a released code is never removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The category of a failure. It determines the exit code, and the HTTP status of all codes but a few (see
/// [`Code::http`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The call itself is wrong.
    Invalid,
    /// Something that the call names does not exist.
    NotFound,
    /// The call conflicts with the current state.
    Conflict,
    /// It is not allowed.
    Denied,
    /// A dependency of Jig failed: a model, the network, a disk.
    Upstream,
    /// An error in Jig, or damaged data.
    Internal,
}

impl Kind {
    /// The HTTP status.
    pub const fn http(self) -> u16 {
        match self {
            Self::Invalid => 400,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::Denied => 403,
            Self::Upstream => 502,
            Self::Internal => 500,
        }
    }

    /// The exit code of the command line.
    pub const fn exit(self) -> u8 {
        match self {
            Self::Invalid => 2,
            Self::NotFound => 3,
            Self::Conflict => 4,
            Self::Denied => 5,
            Self::Upstream => 6,
            Self::Internal => 70,
        }
    }

    /// One word for tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::NotFound => "not found",
            Self::Conflict => "conflict",
            Self::Denied => "denied",
            Self::Upstream => "upstream",
            Self::Internal => "internal",
        }
    }
}

/// Whether the same call may succeed later without changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    Yes,
    No,
}

macro_rules! codes {
    ($( $(#[doc = $doc:literal])+ $name:ident = $wire:literal, $kind:ident, $again:ident; )*) => {
        /// A stable error code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Code { $( $(#[doc = $doc])+ #[serde(rename = $wire)] $name, )* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The code in messages.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $wire),* } }

            /// The category of the failure.
            pub const fn kind(self) -> Kind { match self { $(Self::$name => Kind::$kind),* } }

            /// What the code means.
            pub const fn doc(self) -> &'static str { match self { $(Self::$name => concat!($($doc),+).trim_ascii()),* } }

            /// Whether the same call may succeed later without any change.
            pub const fn retryable(self) -> bool {
                matches!(match self { $(Self::$name => Again::$again),* }, Again::Yes)
            }
        }
    };
}

codes! {
    /// The parameters do not match the operation's schema.
    InvalidParams = "INVALID_PARAMS", Invalid, No;
    /// No operation has this name.
    UnknownOperation = "UNKNOWN_OPERATION", NotFound, No;
    /// The request cannot be parsed, or this interface does not support it.
    InvalidRequest = "INVALID_REQUEST", Invalid, No;
    /// The message exceeds the interface's size limit.
    MessageTooLarge = "MESSAGE_TOO_LARGE", Invalid, No;
    /// The values are well formed but break a rule; the message names the rule.
    ValidationFailed = "VALIDATION_FAILED", Invalid, No;
    /// A path leaves the workbench or breaks the naming rules.
    SandboxViolation = "SANDBOX_VIOLATION", Denied, No;
    /// The caller lacks permission.
    NotPermitted = "NOT_PERMITTED", Denied, No;
    /// A configured limit is reached; the message names the setting.
    LimitExceeded = "LIMIT_EXCEEDED", Invalid, No;
    /// The caller cancelled the operation.
    UserCanceled = "USER_CANCELED", Conflict, No;
    /// No workbench has this id.
    WorkbenchNotFound = "WORKBENCH_NOT_FOUND", NotFound, No;
    /// A workbench with this id already exists.
    WorkbenchExists = "WORKBENCH_EXISTS", Conflict, No;
    /// No file has this path.
    FileNotFound = "FILE_NOT_FOUND", NotFound, No;
    /// A file with this path, or one that differs only in case, already exists.
    FileExists = "FILE_EXISTS", Conflict, No;
    /// A file could not be read.
    FileReadFailed = "FILE_READ_FAILED", Upstream, No;
    /// A file could not be written.
    FileWriteFailed = "FILE_WRITE_FAILED", Upstream, No;
    /// A Draft exists; it must be published or discarded first.
    DraftExists = "DRAFT_EXISTS", Conflict, No;
    /// There is no Draft.
    DraftNotFound = "DRAFT_NOT_FOUND", NotFound, No;
    /// Publishing would delete files that the caller has not confirmed by name.
    DeletionNotConfirmed = "DELETION_NOT_CONFIRMED", Conflict, No;
    /// Published files were changed outside Jig while the Draft existed.
    ConflictPublishedChanged = "CONFLICT_PUBLISHED_CHANGED", Conflict, No;
    /// Someone else changed the same thing first.
    Conflict = "CONFLICT", Conflict, No;
    /// There is nothing to undo or redo.
    NothingToUndo = "NOTHING_TO_UNDO", Conflict, No;
    /// No checkpoint has this id or name.
    CheckpointNotFound = "CHECKPOINT_NOT_FOUND", NotFound, No;
    /// Stored bytes do not match their hash, or are missing.
    BlobCorrupt = "BLOB_CORRUPT", Internal, No;
    /// The disk is full.
    DiskFull = "DISK_FULL", Upstream, Yes;
    /// The database or the blob store does not respond.
    StoreUnavailable = "STORE_UNAVAILABLE", Upstream, Yes;
    /// The data was written by a newer version of Jig.
    StoreTooNew = "STORE_TOO_NEW", Conflict, No;
    /// The archive is damaged, or was not created by Jig.
    ArchiveInvalid = "ARCHIVE_INVALID", Invalid, No;
    /// A setting is invalid; the message names it and its source.
    SettingsInvalid = "SETTINGS_INVALID", Invalid, No;
    /// An internal error.
    Internal = "INTERNAL", Internal, No;
    /// The worker process for files does not respond.
    ToolWorkerUnavailable = "TOOL_WORKER_UNAVAILABLE", Upstream, Yes;
    /// No model provider is configured.
    ProviderNotConfigured = "PROVIDER_NOT_CONFIGURED", Conflict, No;
    /// The provider rejected the key.
    ProviderAuthFailed = "PROVIDER_AUTH_FAILED", Upstream, No;
    /// The provider's rate limit is reached.
    ProviderRateLimited = "PROVIDER_RATE_LIMITED", Upstream, Yes;
    /// The provider does not respond, or its response is invalid.
    ProviderUnavailable = "PROVIDER_UNAVAILABLE", Upstream, Yes;
    /// The network is unreachable.
    NetworkUnavailable = "NETWORK_UNAVAILABLE", Upstream, Yes;
    /// The model's context window is full.
    ContextExhausted = "CONTEXT_EXHAUSTED", Conflict, No;
    /// The policy does not allow sending this data off the machine.
    EgressBlockedByPolicy = "EGRESS_BLOCKED_BY_POLICY", Denied, No;
    /// No one has consented to sending this data off the machine.
    EgressConsentRequired = "EGRESS_CONSENT_REQUIRED", Denied, No;
    /// A style could not be merged; the general style is used.
    StyleMergeFailed = "STYLE_MERGE_FAILED", Internal, No;
    /// A style skill could not be loaded.
    StyleSkillLoadFailed = "STYLE_SKILL_LOAD_FAILED", Internal, No;
    /// A recipe requires context that does not exist.
    MissingContext = "MISSING_CONTEXT", Conflict, No;
    /// The required context does not fit the budget.
    ContextTooLarge = "CONTEXT_TOO_LARGE", Invalid, No;
    /// No section has this name.
    SectionNotFound = "SECTION_NOT_FOUND", NotFound, No;
    /// No artifact has this name.
    ArtifactNotFound = "ARTIFACT_NOT_FOUND", NotFound, No;
    /// The artifact is finalized.
    ArtifactFinalized = "ARTIFACT_FINALIZED", Conflict, No;
    /// The active catalog does not show this tool.
    ToolNotVisible = "TOOL_NOT_VISIBLE", Denied, No;
    /// The program has no implementation of this tool.
    ToolNotBound = "TOOL_NOT_BOUND", Denied, No;
    /// The policy does not permit this tool.
    ToolNotPermitted = "TOOL_NOT_PERMITTED", Denied, No;
    /// The agent repeats the same call with the same result.
    AgentLoopDetected = "AGENT_LOOP_DETECTED", Conflict, No;
    /// A limit on tokens, cost or time is reached.
    BudgetCapReached = "BUDGET_CAP_REACHED", Conflict, No;
    /// No kind of entry has this name.
    KindNotFound = "KIND_NOT_FOUND", NotFound, No;
    /// Entries of this kind exist.
    KindInUse = "KIND_IN_USE", Conflict, No;
    /// No entry has this address.
    EntryNotFound = "ENTRY_NOT_FOUND", NotFound, No;
    /// The document never had this revision.
    RevisionNotFound = "REVISION_NOT_FOUND", NotFound, No;
    /// No proposal has this id.
    ProposalNotFound = "PROPOSAL_NOT_FOUND", NotFound, No;
    /// No asset of this workbench has this id.
    AssetNotFound = "ASSET_NOT_FOUND", NotFound, No;
    /// The asset has expired and its bytes are deleted.
    AssetExpired = "ASSET_EXPIRED", NotFound, No;
    /// No recipe has this name.
    RecipeNotFound = "RECIPE_NOT_FOUND", NotFound, No;
    /// No recipe output has this id.
    OutputNotFound = "OUTPUT_NOT_FOUND", NotFound, No;
    /// No job has this id.
    JobNotFound = "JOB_NOT_FOUND", NotFound, No;
    /// No token has this id.
    TokenNotFound = "TOKEN_NOT_FOUND", NotFound, No;
    /// The caller's credentials are missing or invalid.
    Unauthenticated = "UNAUTHENTICATED", Denied, No;
    /// The caller sends too many requests; the message says when to retry.
    RateLimited = "RATE_LIMITED", Denied, Yes;
    /// No stage has this name.
    StageNotFound = "STAGE_NOT_FOUND", NotFound, No;
    /// Artifacts of this stage exist.
    StageInUse = "STAGE_IN_USE", Conflict, No;
    /// No suggestion has this id.
    SuggestionNotFound = "SUGGESTION_NOT_FOUND", NotFound, No;
    /// An artifact or a kind of entry with this name already exists.
    ArtifactExists = "ARTIFACT_EXISTS", Conflict, No;
    /// No session of this workbench has this id.
    SessionNotFound = "SESSION_NOT_FOUND", NotFound, No;
    /// A run of this session is in progress.
    RunActive = "RUN_ACTIVE", Conflict, No;
    /// No agent workspace has this name or version.
    AgentWorkspaceNotFound = "AGENT_WORKSPACE_NOT_FOUND", NotFound, No;
    /// The files of an agent workspace are invalid; `detail` lists every problem with its file and position.
    AgentWorkspaceInvalid = "AGENT_WORKSPACE_INVALID", Invalid, No;
    /// An external MCP server cannot be started or reached, or has stopped responding.
    McpServerUnavailable = "MCP_SERVER_UNAVAILABLE", Upstream, Yes;
    /// A tool of an external MCP server reported a failure; the message is the server's.
    McpToolFailed = "MCP_TOOL_FAILED", Upstream, No;
    /// The request contains a likely key or password.
    SecretDetected = "SECRET_DETECTED", Denied, No;
    /// The workbench or the server is busy; retry in a few seconds.
    Busy = "BUSY", Upstream, Yes;
    /// The database and the blob store do not belong together, or one of them is missing.
    StoreIncomplete = "STORE_INCOMPLETE", Conflict, No;
    /// The store can be read but not written.
    StoreReadOnly = "STORE_READ_ONLY", Denied, No;
    /// The model's answers are empty, cut off, refused or malformed, even after a retry; the message says which.
    ModelAnswerUnusable = "MODEL_ANSWER_UNUSABLE", Upstream, No;
    /// Going back would drop people's edits from the Draft, and the caller has not confirmed them; `detail` lists them.
    DraftEditsNotConfirmed = "DRAFT_EDITS_NOT_CONFIRMED", Conflict, No;
}

impl Code {
    /// The HTTP status: that of its category, unless HTTP has a more specific one.
    pub const fn http(self) -> u16 {
        match self {
            Self::Unauthenticated => 401,
            Self::MessageTooLarge => 413,
            // The file cannot be read; the server itself has not failed.
            Self::FileReadFailed => 422,
            Self::RateLimited => 429,
            Self::Busy => 503,
            other => other.kind().http(),
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
