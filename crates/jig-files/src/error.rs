//! Why a call on a file failed. The worker maps the reasons to the codes of its protocol.

use jig_file_api::{OpIssue, QueryError};
use jig_ooxml::edit::{EditError, OpHelp};
use jig_ooxml::{Error, PackageError};

use crate::kind::{FileKind, Format};
use crate::sniff::{Complete, sniff};

/// Why a call on a file failed, as its caller sees it. The engines have enums of their own, such as [`PackageError`]; here
/// each is a reason and a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FileError {
    /// The kind of failure.
    pub reason: Reason,
    /// What failed and why, without any path of the host.
    pub message: String,
    /// Values that would be right.
    pub suggestions: Vec<String>,
    /// What helps to correct an op.
    pub help: Option<Box<OpHelp>>,
}

/// The kind of a failure.
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
    /// Truncated or damaged.
    Damaged,
    /// A limit is exceeded.
    TooLarge,
    /// The file system refused a read.
    Unreadable,
    /// The file system refused a write.
    Unwritable,
    /// It names a change that does not exist any more.
    Stale,
    /// No space is left for a write.
    DiskFull,
    /// A program that the method needs is not installed, or has stopped.
    Unavailable,
    /// A fault of Jig itself: it says nothing about the file or the call.
    Internal,
}

impl Reason {
    /// One word for programs.
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
            Self::DiskFull => "disk_full",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
        }
    }

    /// The reason with this word.
    pub fn of(word: &str) -> Option<Self> {
        const ALL: [Reason; 14] = [
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
            Reason::DiskFull,
            Reason::Unavailable,
            Reason::Internal,
        ];
        ALL.into_iter().find(|reason| reason.word() == word)
    }
}

impl FileError {
    /// An error of this sort.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), suggestions: Vec::new(), help: None }
    }

    /// The same about a file of this format, in words for people: a file that its format's engine cannot open is damaged,
    /// or it is something else. `bytes` are the file's, where it is known which file the error is about.
    #[must_use]
    pub fn of_file(self, format: Format, bytes: Option<&[u8]>) -> Self {
        let Some(what) = format.office_words().filter(|_| matches!(self.reason, Reason::WrongKind | Reason::Damaged))
        else {
            return self;
        };
        let found = bytes.map(|bytes| sniff("", bytes, Complete::Whole).kind);
        let noun = what.split_once(' ').map_or(what, |(_, noun)| noun);
        match (self.reason, found) {
            (Reason::WrongKind | Reason::Damaged, Some(FileKind::Empty)) => {
                Self::new(Reason::Damaged, format!("damaged {noun}: the file is empty"))
            }
            (Reason::Damaged, _) => {
                let message = format!("damaged {noun}: {}", self.message);
                Self { message, ..self }
            }
            // A package that declares no other kind of document lacks what makes it one of this kind.
            (Reason::WrongKind, Some(found)) if found == FileKind::Zip || found.as_str() == format.extension() => {
                let why = self.message.split_once(": ").map_or(self.message.as_str(), |(_, why)| why);
                Self::new(Reason::Damaged, format!("damaged {noun}: {why}"))
            }
            (Reason::WrongKind, Some(found)) if !found.is_ooxml() => {
                Self::new(Reason::WrongKind, format!("the file is not {what}: the content is {}", found.words()))
            }
            _ => self,
        }
    }

    /// The call is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Reason::Invalid, message)
    }
}

/// A parameter of a read that its query cannot have.
impl From<QueryError> for FileError {
    fn from(error: QueryError) -> Self {
        Self::invalid(error.to_string())
    }
}

/// A parameter of a call that cannot be understood.
impl From<OpIssue> for FileError {
    fn from(issue: OpIssue) -> Self {
        Self { suggestions: issue.suggestions(), ..Self::invalid(issue.to_string()) }
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
            PackageError::Internal(_) => Reason::Internal,
            PackageError::Truncated
            | PackageError::Damaged { .. }
            | PackageError::MissingPart { .. }
            | PackageError::Part { .. } => Reason::Damaged,
        };
        Self::new(reason, error.to_string())
    }
}
