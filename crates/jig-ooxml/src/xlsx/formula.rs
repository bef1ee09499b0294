//! Formula text as xlsx files store it: tokens with positions, references, and rewriting that splices
//! only the references an edit concerns. No evaluation happens here.
//!
//! - [`tokens`]: a formula as tokens that together cover every byte;
//! - [`shift`], [`shift_sqref`], [`shift_range`]: what inserted and deleted rows and columns do to references;
//! - [`rename_sheet`], [`delete_sheet`], [`translate`]: the other rewrites;
//! - [`Dependencies`]: what a formula reads, calls, and whether it reaches outside the workbook;
//! - [`functions`]: the functions of spreadsheets, and which of them are computed;
//! - [`recalculate`]: what the editor asks of a calculation engine.

mod depends;
pub mod functions;
pub(crate) mod future;
mod lex;
pub mod recalculate;
mod reference;
mod rewrite;
mod sheet_name;
mod shift;
mod structured;
mod translate;

#[cfg(test)]
mod tests;

pub use depends::{Dependencies, Outside, Scope, SheetRange, UsedName};
pub use lex::{Token, TokenKind, Tokens, tokens};
pub use reference::{Area, Edge, Prefix, Reference, Sheets, Span, Target};
pub use rewrite::Rewritten;
pub use sheet_name::{delete_sheet, quoted_sheet, rename_sheet, same_sheet};
pub use shift::{Axis, Edit, EditKind, shift, shift_range, shift_sqref};
pub use structured::{Item, StructuredRef};
pub use translate::translate;
