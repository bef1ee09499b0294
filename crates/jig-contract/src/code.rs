//! The stable error codes, in one table. Append-only: a released code is never removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What sort of failure a code is. It decides the exit code, and the HTTP status of all but a few (see [`Code::http`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The call itself is wrong.
    Invalid,
    /// What the call names is not there.
    NotFound,
    /// It does not fit the present state.
    Conflict,
    /// It is not allowed.
    Denied,
    /// Something that Jig relies on failed: a model, the network, a disk.
    Upstream,
    /// Jig is at fault, or its data is damaged.
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

/// Whether the same call may succeed later by itself.
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

            /// The code as it goes over the wire.
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $wire),* } }

            /// What sort of failure it is.
            pub const fn kind(self) -> Kind { match self { $(Self::$name => Kind::$kind),* } }

            /// What it means, in words.
            pub const fn doc(self) -> &'static str { match self { $(Self::$name => concat!($($doc),+).trim_ascii()),* } }

            /// Whether the same call may succeed later without any change.
            pub const fn retryable(self) -> bool {
                matches!(match self { $(Self::$name => Again::$again),* }, Again::Yes)
            }
        }
    };
}

codes! {
    /// The parameters do not fit the operation's schema.
    InvalidParams = "INVALID_PARAMS", Invalid, No;
    /// No operation has this name.
    UnknownOperation = "UNKNOWN_OPERATION", NotFound, No;
    /// The request cannot be read, or is not one that this door takes.
    InvalidRequest = "INVALID_REQUEST", Invalid, No;
    /// The message is larger than the door takes.
    MessageTooLarge = "MESSAGE_TOO_LARGE", Invalid, No;
    /// The values are well formed but break a rule; the message says which.
    ValidationFailed = "VALIDATION_FAILED", Invalid, No;
    /// A path leaves the workbench or breaks the rules for names.
    SandboxViolation = "SANDBOX_VIOLATION", Denied, No;
    /// The caller may not do this.
    NotPermitted = "NOT_PERMITTED", Denied, No;
    /// A limit set for this installation is reached; the message names the setting.
    LimitExceeded = "LIMIT_EXCEEDED", Invalid, No;
    /// The caller stopped it.
    UserCanceled = "USER_CANCELED", Conflict, No;
    /// No workbench has this id.
    WorkbenchNotFound = "WORKBENCH_NOT_FOUND", NotFound, No;
    /// A workbench with this id exists already.
    WorkbenchExists = "WORKBENCH_EXISTS", Conflict, No;
    /// No file has this path.
    FileNotFound = "FILE_NOT_FOUND", NotFound, No;
    /// A file with this path, or one that differs only in case, exists already.
    FileExists = "FILE_EXISTS", Conflict, No;
    /// A file could not be read.
    FileReadFailed = "FILE_READ_FAILED", Upstream, No;
    /// A file could not be written.
    FileWriteFailed = "FILE_WRITE_FAILED", Upstream, No;
    /// A Draft exists; it must be published or discarded first.
    DraftExists = "DRAFT_EXISTS", Conflict, No;
    /// There is no Draft.
    DraftNotFound = "DRAFT_NOT_FOUND", NotFound, No;
    /// Publishing would delete files, and the caller has not confirmed them by name.
    DeletionNotConfirmed = "DELETION_NOT_CONFIRMED", Conflict, No;
    /// Published files were changed outside while the Draft existed.
    ConflictPublishedChanged = "CONFLICT_PUBLISHED_CHANGED", Conflict, No;
    /// Someone else changed the same thing first.
    Conflict = "CONFLICT", Conflict, No;
    /// There is nothing to undo or redo.
    NothingToUndo = "NOTHING_TO_UNDO", Conflict, No;
    /// No checkpoint has this id or name.
    CheckpointNotFound = "CHECKPOINT_NOT_FOUND", NotFound, No;
    /// Stored bytes do not match their hash, or are gone.
    BlobCorrupt = "BLOB_CORRUPT", Internal, No;
    /// There is no space left to write.
    DiskFull = "DISK_FULL", Upstream, Yes;
    /// The database or the blob store does not answer.
    StoreUnavailable = "STORE_UNAVAILABLE", Upstream, Yes;
    /// The data was written by a newer version of Jig.
    StoreTooNew = "STORE_TOO_NEW", Conflict, No;
    /// An archive is damaged or not one of Jig's.
    ArchiveInvalid = "ARCHIVE_INVALID", Invalid, No;
    /// The settings are wrong; the message says which and where they came from.
    SettingsInvalid = "SETTINGS_INVALID", Invalid, No;
    /// A fault in Jig itself.
    Internal = "INTERNAL", Internal, No;
    /// The worker process for files does not answer.
    ToolWorkerUnavailable = "TOOL_WORKER_UNAVAILABLE", Upstream, Yes;
    /// No model provider is configured.
    ProviderNotConfigured = "PROVIDER_NOT_CONFIGURED", Conflict, No;
    /// The provider does not accept the key.
    ProviderAuthFailed = "PROVIDER_AUTH_FAILED", Upstream, No;
    /// The provider asks to wait.
    ProviderRateLimited = "PROVIDER_RATE_LIMITED", Upstream, Yes;
    /// The provider does not answer properly.
    ProviderUnavailable = "PROVIDER_UNAVAILABLE", Upstream, Yes;
    /// The network cannot be reached.
    NetworkUnavailable = "NETWORK_UNAVAILABLE", Upstream, Yes;
    /// The model's window is used up.
    ContextExhausted = "CONTEXT_EXHAUSTED", Conflict, No;
    /// The policy does not let this leave the machine.
    EgressBlockedByPolicy = "EGRESS_BLOCKED_BY_POLICY", Denied, No;
    /// Nobody has agreed yet that this leaves the machine.
    EgressConsentRequired = "EGRESS_CONSENT_REQUIRED", Denied, No;
    /// A style could not be merged; the general one is used.
    StyleMergeFailed = "STYLE_MERGE_FAILED", Internal, No;
    /// A style skill could not be loaded.
    StyleSkillLoadFailed = "STYLE_SKILL_LOAD_FAILED", Internal, No;
    /// A recipe needs context that is not there.
    MissingContext = "MISSING_CONTEXT", Conflict, No;
    /// The needed context does not fit the budget.
    ContextTooLarge = "CONTEXT_TOO_LARGE", Invalid, No;
    /// No section has this name.
    SectionNotFound = "SECTION_NOT_FOUND", NotFound, No;
    /// No artifact has this name.
    ArtifactNotFound = "ARTIFACT_NOT_FOUND", NotFound, No;
    /// The artifact is finalized.
    ArtifactFinalized = "ARTIFACT_FINALIZED", Conflict, No;
    /// The active catalog does not show this tool.
    ToolNotVisible = "TOOL_NOT_VISIBLE", Denied, No;
    /// Nothing in the program stands behind this tool.
    ToolNotBound = "TOOL_NOT_BOUND", Denied, No;
    /// The policy does not permit this tool.
    ToolNotPermitted = "TOOL_NOT_PERMITTED", Denied, No;
    /// The agent repeats the same call with the same result.
    AgentLoopDetected = "AGENT_LOOP_DETECTED", Conflict, No;
    /// A cap on tokens, cost or time is reached.
    BudgetCapReached = "BUDGET_CAP_REACHED", Conflict, No;
    /// No kind of entries has this name.
    KindNotFound = "KIND_NOT_FOUND", NotFound, No;
    /// Entries of this kind exist.
    KindInUse = "KIND_IN_USE", Conflict, No;
    /// There is no such entry.
    EntryNotFound = "ENTRY_NOT_FOUND", NotFound, No;
    /// The document never had this revision.
    RevisionNotFound = "REVISION_NOT_FOUND", NotFound, No;
    /// No proposal has this id.
    ProposalNotFound = "PROPOSAL_NOT_FOUND", NotFound, No;
    /// No asset of this workbench has this id.
    AssetNotFound = "ASSET_NOT_FOUND", NotFound, No;
    /// The asset has expired and its bytes are gone.
    AssetExpired = "ASSET_EXPIRED", NotFound, No;
    /// No recipe has this name.
    RecipeNotFound = "RECIPE_NOT_FOUND", NotFound, No;
    /// No output of a run has this id.
    OutputNotFound = "OUTPUT_NOT_FOUND", NotFound, No;
    /// No job has this id.
    JobNotFound = "JOB_NOT_FOUND", NotFound, No;
    /// No token has this id.
    TokenNotFound = "TOKEN_NOT_FOUND", NotFound, No;
    /// Nobody is known by what the caller shows, or the caller shows nothing.
    Unauthenticated = "UNAUTHENTICATED", Denied, No;
    /// The caller asks too often; the message says when to come back.
    RateLimited = "RATE_LIMITED", Denied, Yes;
    /// No stage has this name.
    StageNotFound = "STAGE_NOT_FOUND", NotFound, No;
    /// Artifacts of this stage exist.
    StageInUse = "STAGE_IN_USE", Conflict, No;
    /// No suggestion has this id.
    SuggestionNotFound = "SUGGESTION_NOT_FOUND", NotFound, No;
    /// An artifact, or a kind of entries, has this name already.
    ArtifactExists = "ARTIFACT_EXISTS", Conflict, No;
    /// No session of this workbench has this id.
    SessionNotFound = "SESSION_NOT_FOUND", NotFound, No;
    /// A run of this session is under way.
    RunActive = "RUN_ACTIVE", Conflict, No;
    /// There is no such agent workspace, or not this version of it.
    AgentWorkspaceNotFound = "AGENT_WORKSPACE_NOT_FOUND", NotFound, No;
    /// An agent workspace's files are not right; `detail` lists every problem with its file and place.
    AgentWorkspaceInvalid = "AGENT_WORKSPACE_INVALID", Invalid, No;
    /// An outside MCP server cannot be started or reached, is silent or gone.
    McpServerUnavailable = "MCP_SERVER_UNAVAILABLE", Upstream, Yes;
    /// A tool of an outside MCP server says that it failed; the message is what it says.
    McpToolFailed = "MCP_TOOL_FAILED", Upstream, No;
    /// The request contains a likely key or password.
    SecretDetected = "SECRET_DETECTED", Denied, No;
    /// The workbench or the server is busy; retry in a few seconds.
    Busy = "BUSY", Upstream, Yes;
    /// The database and the blob store do not belong together, or one of them is missing.
    StoreIncomplete = "STORE_INCOMPLETE", Conflict, No;
    /// The store can be read but not written.
    StoreReadOnly = "STORE_READ_ONLY", Denied, No;
    /// The model's answers are empty, cut off, refused or malformed, also after a retry; the message says which.
    ModelAnswerUnusable = "MODEL_ANSWER_UNUSABLE", Upstream, No;
    /// Going back would drop edits of people from the Draft, and the caller has not confirmed them; `detail` lists them.
    DraftEditsNotConfirmed = "DRAFT_EDITS_NOT_CONFIRMED", Conflict, No;
}

impl Code {
    /// The HTTP status: that of its kind, but for those that HTTP has a word of its own for.
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
