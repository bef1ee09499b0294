//! What went wrong, in the protocol's codes.

use jig_ooxml::edit::{EditError, OpHelp};
use jig_ooxml::{Error, PackageError};

/// Why a call on an Office file failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FileError {
    /// What sort of failure.
    pub reason: Reason,
    /// What happened, in words, without any path of the host.
    pub message: String,
    /// Values that would be right.
    pub suggestions: Vec<String>,
    /// What helps to correct an op.
    pub help: Option<Box<OpHelp>>,
}

/// What sort of failure it is. Each has one of the protocol's codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The call is wrong.
    Invalid,
    /// A path that is not allowed.
    Sandbox,
    /// There is no such file.
    NotFound,
    /// Protected by a password.
    Encrypted,
    /// A format of before 2007.
    Legacy,
    /// Not an Office file at all, or another kind of one.
    WrongKind,
    /// Cut off, or damaged.
    Damaged,
    /// More than a bound allows.
    TooLarge,
    /// The file system refused a read.
    Unreadable,
    /// The file system refused a write.
    Unwritable,
    /// It speaks of a change that is not there any more.
    Stale,
    /// A program that the method needs is not installed, or has stopped.
    Unavailable,
}

impl Reason {
    /// The protocol's code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Invalid | Self::Stale => "VALIDATION_FAILED",
            Self::Sandbox => "SANDBOX_VIOLATION",
            Self::Unwritable => "FILE_WRITE_FAILED",
            Self::Unavailable => "TOOL_WORKER_UNAVAILABLE",
            Self::NotFound
            | Self::Encrypted
            | Self::Legacy
            | Self::WrongKind
            | Self::Damaged
            | Self::TooLarge
            | Self::Unreadable => "FILE_READ_FAILED",
        }
    }

    /// One word for programs, finer than the code.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Sandbox => "sandbox",
            Self::NotFound => "not_found",
            Self::Encrypted => "encrypted",
            Self::Legacy => "legacy",
            Self::WrongKind => "wrong_kind",
            Self::Damaged => "damaged",
            Self::TooLarge => "too_large",
            Self::Unreadable => "unreadable",
            Self::Unwritable => "unwritable",
            Self::Stale => "stale",
            Self::Unavailable => "unavailable",
        }
    }

    /// The reason with this word.
    pub fn of(word: &str) -> Option<Self> {
        const ALL: [Reason; 12] = [
            Reason::Invalid,
            Reason::Sandbox,
            Reason::NotFound,
            Reason::Encrypted,
            Reason::Legacy,
            Reason::WrongKind,
            Reason::Damaged,
            Reason::TooLarge,
            Reason::Unreadable,
            Reason::Unwritable,
            Reason::Stale,
            Reason::Unavailable,
        ];
        ALL.into_iter().find(|reason| reason.word() == word)
    }
}

impl FileError {
    /// An error of this sort.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), suggestions: Vec::new(), help: None }
    }

    /// The call is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Reason::Invalid, message)
    }
}

impl From<Error> for FileError {
    fn from(error: Error) -> Self {
        match error {
            Error::Package(error) => error.into(),
            Error::Edit(error) => error.into(),
        }
    }
}

impl From<EditError> for FileError {
    fn from(error: EditError) -> Self {
        let help = error.help.as_ref().filter(|help| help.unreadable);
        let signature = help.and_then(|help| help.signature.as_deref());
        let usage = signature.map(|signature| format!("; usage: {signature}")).unwrap_or_default();
        let message = format!("{error}{usage}");
        Self { reason: Reason::Invalid, message, suggestions: error.suggestions, help: error.help }
    }
}

impl From<PackageError> for FileError {
    fn from(error: PackageError) -> Self {
        let reason = match &error {
            PackageError::NotAPackage | PackageError::WrongKind { .. } => Reason::WrongKind,
            PackageError::Encrypted => Reason::Encrypted,
            PackageError::Legacy { .. } => Reason::Legacy,
            PackageError::TooLarge { .. } => Reason::TooLarge,
            PackageError::Truncated
            | PackageError::Damaged { .. }
            | PackageError::MissingPart { .. }
            | PackageError::Part { .. } => Reason::Damaged,
        };
        Self::new(reason, error.to_string())
    }
}
