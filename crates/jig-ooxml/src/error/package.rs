//! Why a file cannot be read or saved.

use std::fmt;

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackageError {
    /// The file is not a zip.
    #[error("this is not an Office file: it does not begin as a zip package")]
    NotAPackage,
    /// An encrypted package, in an OLE container or in a zip.
    #[error("the file is protected by a password; remove the protection in the Office program and add it again")]
    Encrypted,
    /// A format of before 2007.
    #[error("the file has the old binary format {format}; save it as {instead} and add it again")]
    Legacy {
        /// The old format, such as `.doc`.
        format: &'static str,
        /// The format to save it in.
        instead: &'static str,
    },
    /// The end of the zip is missing.
    #[error("the file is cut off: the directory at the end of the zip package is missing")]
    Truncated,
    /// The zip is not consistent.
    #[error("the zip package is damaged: {fault}")]
    Damaged {
        /// The inconsistency.
        #[source]
        fault: ZipFault,
    },
    /// Another kind of file, for example a document where a workbook was expected.
    #[error("the file is not {expected}: {found}")]
    WrongKind {
        /// The kind that was expected.
        expected: OfficeKind,
        /// What the file is, as far as it is known.
        found: ActualKind,
    },
    /// The package lacks a part that the format needs.
    #[error("the part {part} is missing from the file")]
    MissingPart {
        /// The name of the part.
        part: String,
    },
    /// A part is not well-formed XML, or lacks an element that its format requires.
    #[error("the part {part} is damaged at byte {at}: {fault}")]
    Part {
        /// The name of the part.
        part: String,
        /// The position in the decoded part.
        at: usize,
        /// The fault.
        #[source]
        fault: PartFault,
    },
    /// A fault of this crate, not of the file or the caller.
    #[error("internal error: {0}; the file was not changed")]
    Internal(#[from] InternalError),
    /// The file exceeds one of the [`Limits`](crate::Limits).
    #[error("the file is too large: {what} (the limit is {limit})")]
    TooLarge {
        /// The quantity that is limited.
        what: Quantity,
        /// The limit.
        limit: u64,
    },
}

impl PackageError {
    /// A fault of the part at a position.
    pub fn part(part: &str, at: usize, fault: PartFault) -> Self {
        Self::Part { part: part.to_owned(), at, fault }
    }
}

impl From<ZipFault> for PackageError {
    fn from(fault: ZipFault) -> Self {
        Self::Damaged { fault }
    }
}

/// A quantity that exceeds its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quantity {
    /// Entries of the zip.
    Entries,
    /// Bytes of a part.
    Part {
        /// The name of the part.
        part: String,
    },
    /// Bytes of all parts that a call reads.
    AllParts,
    /// Inflated by compressed bytes of a part.
    Ratio {
        /// The name of the part.
        part: String,
    },
    /// Bytes of the package after an edit.
    EditedPackage,
    /// Nodes of a part.
    Nodes {
        /// The name of the part.
        part: String,
    },
    /// Levels of elements in a part.
    Depth {
        /// The name of the part.
        part: String,
    },
    /// Bytes of a tag.
    Tag {
        /// The name of the part.
        part: String,
    },
    /// Namespaces in scope at one element.
    Namespaces {
        /// The name of the part.
        part: String,
    },
    /// Shapes of a slide.
    Shapes,
    /// Bytes of a row.
    Row {
        /// The name of the part.
        part: String,
    },
    /// Bytes of a sheet without its rows.
    Frame {
        /// The name of the part.
        part: String,
    },
    /// Bytes of a shared string.
    String {
        /// The name of the part.
        part: String,
    },
    /// Shared strings of a workbook.
    SharedStrings,
    /// Cell formats of a workbook.
    CellFormats,
    /// Ranges of array formulas in a sheet.
    ArrayFormulas {
        /// The name of the part.
        part: String,
    },
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entries => f.write_str("the number of entries in the zip package"),
            Self::Part { part } => write!(f, "the size of the part {part}"),
            Self::AllParts => f.write_str("the total size of its parts"),
            Self::Ratio { part } => write!(f, "the compression ratio of the part {part}"),
            Self::EditedPackage => f.write_str("the size of the edited package"),
            Self::Nodes { part } => write!(f, "the number of nodes in the part {part}"),
            Self::Depth { part } => write!(f, "the depth of elements in the part {part}"),
            Self::Tag { part } => write!(f, "the length of a tag in the part {part}"),
            Self::Namespaces { part } => write!(f, "the number of namespaces in the part {part}"),
            Self::Shapes => f.write_str("the number of shapes on a slide"),
            Self::Row { part } => write!(f, "the size of a row in the part {part}"),
            Self::Frame { part } => write!(f, "the size of the part {part} without its rows"),
            Self::String { part } => write!(f, "the size of a string in the part {part}"),
            Self::SharedStrings => f.write_str("the number of shared strings"),
            Self::CellFormats => f.write_str("the number of cell formats"),
            Self::ArrayFormulas { part } => write!(f, "the number of array formulas in the part {part}"),
        }
    }
}

/// What is wrong with a zip.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ZipFault {
    /// The directory is not where the end record points.
    #[error("its directory is not where its end record points")]
    NoDirectory,
    /// A directory record is incomplete.
    #[error("a record of its directory is incomplete")]
    IncompleteRecord,
    /// The directory ends early.
    #[error("its directory has {found} entries but declares {declared}")]
    MissingEntries {
        /// Entries that were read.
        found: u64,
        /// Entries that the end record declares.
        declared: u64,
    },
    /// Two entries with the same position. They would be copied once for each, so that a small file becomes a large one.
    #[error("two of its entries start at the same byte")]
    OverlappingEntries,
    /// Several entries with one name and different content. Programs disagree on which of them counts.
    #[error("it contains the part {part} more than once, with different content")]
    DuplicatePart {
        /// The name.
        part: String,
    },
    /// An entry outside the file.
    #[error("the entry {entry} is outside the file")]
    OutsideFile {
        /// Its name.
        entry: String,
    },
    /// An entry without a local header.
    #[error("the entry {entry} has no header")]
    NoHeader {
        /// Its name.
        entry: String,
    },
    /// A compression method that Office files do not use.
    #[error("the entry {entry} uses compression method {method}, which Office files do not use")]
    CompressionMethod {
        /// Its name.
        entry: String,
        /// The number of the method.
        method: u16,
    },
    /// Compressed data that cannot be inflated.
    #[error("the compressed data of the entry {entry} is damaged")]
    Compression {
        /// Its name.
        entry: String,
    },
    /// The content does not match the checksum or size in the directory.
    #[error("the checksum of the entry {entry} does not match")]
    Checksum {
        /// Its name.
        entry: String,
    },
}

/// A kind of Office file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfficeKind {
    /// A workbook.
    Workbook,
    /// A document.
    Document,
    /// A presentation.
    Presentation,
}

impl fmt::Display for OfficeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Workbook => "an Excel workbook",
            Self::Document => "a Word document",
            Self::Presentation => "a presentation",
        })
    }
}

/// What a file is when it is not of the expected [`OfficeKind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActualKind {
    /// Another kind of Office file.
    Office(OfficeKind),
    /// A workbook in the binary format.
    BinaryWorkbook,
    /// A package without the main part of the expected kind.
    NoMainPart(OfficeKind),
    /// The main part has another root element.
    MainElement {
        /// Its qualified name.
        element: String,
    },
    /// The main part has the right root element in an unknown namespace, as in previews of Office 2007, or in none.
    OtherNamespace {
        /// The namespace; empty for none.
        namespace: String,
    },
}

impl fmt::Display for ActualKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Office(OfficeKind::Presentation) => f.write_str("it is a PowerPoint presentation"),
            Self::Office(kind) => write!(f, "it is {kind}"),
            Self::BinaryWorkbook => f.write_str("it has the binary format .xlsb; save it as .xlsx"),
            Self::NoMainPart(OfficeKind::Workbook) => f.write_str("it has no workbook part"),
            Self::NoMainPart(OfficeKind::Document) => f.write_str("it has no main document part"),
            Self::NoMainPart(OfficeKind::Presentation) => f.write_str("it has no presentation part"),
            Self::MainElement { element } => write!(f, "its main part is <{element}>"),
            Self::OtherNamespace { namespace } if namespace.is_empty() => {
                f.write_str("its main part has no namespace; open it in an Office program and save it again")
            }
            Self::OtherNamespace { namespace } => write!(
                f,
                "its main part uses the unknown namespace `{namespace}`, as previews of Office 2007 did; open it in an \
                 Office program and save it again"
            ),
        }
    }
}

/// What is wrong with a part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartFault {
    /// The bytes are not text in the encoding of the part.
    #[error("it is not {encoding} text")]
    Encoding {
        /// The encoding.
        encoding: &'static str,
    },
    /// A document type declaration. Entities would make the content depend on what is outside the part.
    #[error("it declares a document type, which Office files do not have")]
    DocumentType,
    /// Markup without its end.
    #[error("{what} is not closed")]
    NotClosed {
        /// The markup, such as `a tag`.
        what: &'static str,
    },
    /// A tag without a name.
    #[error("a tag has no name")]
    NoName,
    /// `<!` that starts neither a comment nor character data.
    #[error("markup that begins with <! is neither a comment nor character data")]
    UnknownDeclaration,
    /// An end tag with another name than the start tag.
    #[error("found </{found}>, expected </{expected}>")]
    WrongEndTag {
        /// The end tag.
        found: String,
        /// The name of the open element.
        expected: String,
    },
    /// An end tag outside the root element.
    #[error("</{found}> has no start tag")]
    NoStartTag {
        /// The end tag.
        found: String,
    },
    /// A prefix without a namespace.
    #[error("the prefix {prefix} is not declared")]
    UndeclaredPrefix {
        /// The prefix.
        prefix: String,
    },
    /// No element at all.
    #[error("it has no element")]
    NoElement,
    /// The part ends before its root element does.
    #[error("it ends inside an element")]
    Unfinished,
    /// Two root elements.
    #[error("it has more than one root element")]
    SecondRoot,
    /// Text before or after the root element.
    #[error("there is text outside the root element")]
    TextOutsideRoot,
    /// A required element is missing.
    #[error("it has no `{element}` element")]
    MissingElement {
        /// Its name.
        element: &'static str,
    },
    /// Markup that exceeds the limit for what a stream keeps in memory.
    #[error("{what} is too long")]
    TooLong {
        /// The markup, such as `a tag`.
        what: &'static str,
    },
}

/// A fault of this crate. It says nothing about the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InternalError {
    /// An edit names the same bytes of a part twice.
    #[error("an edit changes the same bytes of the part {part} twice")]
    Overlap {
        /// The name of the part.
        part: String,
        /// The position.
        #[source]
        source: Overlap,
    },
    /// The content of a part could not be compressed.
    #[error("the part {part} could not be compressed")]
    Compression {
        /// The name of the part.
        part: String,
    },
}

impl InternalError {
    /// Two changes of a part overlap.
    pub(crate) fn overlap(part: &str, source: &Overlap) -> Self {
        Self::Overlap { part: part.to_owned(), source: source.clone() }
    }
}

/// Two changes of one text that touch the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two changes overlap at byte {at}")]
pub struct Overlap {
    /// The position.
    pub at: usize,
}
