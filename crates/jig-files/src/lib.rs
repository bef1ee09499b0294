//! Every file format behind the same verbs. This crate takes bytes and gives values: it does no
//! I/O, reads no clock, and answers broken input with a value or an error, never with a panic.
//!
//! - [`sniff`]: what a file is, by content first;
//! - [`Text`]: text in any encoding, read by line ranges and written back as it was;
//! - [`diff`](diff()): what changed between two versions of a file;
//! - [`engine`]: the methods of the worker protocol, for every format that has some;
//! - [`count_tokens`]: what a text costs a model;
//! - [`find_secrets`]: likely keys and passwords in a text.

mod diff;
pub mod engine;
mod image;
mod kind;
mod odt;
mod params;
pub mod pdf;
mod preview;
mod render_copy;
mod secrets;
mod sniff;
mod text;
mod tokens;

pub use diff::inside::{InsideDiff, InsideFormat};
pub use diff::opaque::{OpaqueDiff, OpaqueSide};
pub use diff::page::DiffPage;
pub use diff::revert::Reverted;
pub use diff::text::{Alignment, Change, DiffLine, Hunk, LineTag, Presence, TextDiff};
pub use diff::{ChangeKind, Detail, Diff, Group, InsideChange, Word, WordTag, diff, focus, select, summary};
pub use jig_text::{EncodeError, LineEnding, TextEncoding};
pub use kind::{FileKind, UnknownKind};
pub use secrets::{SecretFinding, find_secrets};
pub use sniff::{Complete, HEAD_BYTES, Sniffed, opened_as, sniff};
pub use text::find::LineHit;
pub use text::page::{LinePage, LinePlace};
pub use text::read::{CHUNK_LINES, ChunkInfo, ChunkLines, LineRange, LineSpan, PastEnd, TextChunk, TextMap};
pub use text::{Text, TextFormat};
pub use tokens::{count_tokens, cut_by_tokens};
