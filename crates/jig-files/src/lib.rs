//! Every file format behind the same verbs. This crate takes bytes and gives values: it does no
//! I/O, reads no clock, and answers broken input with a value or an error, never with a panic.
//!
//! - [`sniff`]: what a file is, by content first;
//! - [`File`]: a file opened by the reader of its format, whose methods give the replies of `jig-file-api`;
//! - [`engine`]: files opened by content hash, edited, created, compared and reverted, in all formats;
//! - [`Text`]: text in any encoding, read by line ranges and written back without changing other bytes;
//! - [`diff`](diff()): what changed between two versions of a file;
//! - [`count_tokens`]: what a text costs a model;
//! - [`find_secrets`]: likely keys and passwords in a text.

mod diff;
pub mod engine;
mod error;
mod file;
mod image;
mod kind;
mod odt;
mod params;
pub mod pdf;
mod preview;
mod receipt;
mod render_copy;
mod secrets;
mod sniff;
mod text;
mod tokens;

pub use diff::align::Alignment;
pub use diff::binary::{BinaryDiff, BinarySide};
pub use diff::change::{StructuredDiff, StructuredFormat};
pub use diff::revert::Reverted;
pub use diff::text::{Change, DiffLine, DiffPage, Hunk, LineTag, Presence, TextDiff};
pub use diff::{ChangeKind, Detail, Diff, Group, StructuredChange, Word, WordTag, diff, focus, select, summary};
pub use file::{ContentHash, File, FileBytes, OdtFile, PdfFile, render_slides, render_text};
pub use image::ImageFile;
pub use jig_ooxml::xlsx::Workbook;
pub use jig_text::{EncodeError, LineEnding, TextEncoding};
pub use kind::{FileKind, UnknownKind};
pub use receipt::{ApplyReply, CopyReply};
pub use secrets::{SecretFinding, find_secrets};
pub use sniff::{Complete, HEAD_BYTES, Sniffed, opened_as, sniff};
pub use text::file::TextFile;
pub use text::read::{
    CHUNK_LINES, ChunkInfo, ChunkLines, LinePage, LinePlace, LineRange, LineSpan, PastEnd, TextChunk, TextMap,
};
pub use text::{Text, TextFormat};
pub use tokens::{count_tokens, cut_by_tokens};
