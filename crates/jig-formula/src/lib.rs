//! Spreadsheet formulas: parsing, rewriting, the dependency graph of a workbook, and the calculation of values.

mod argument_limits;
mod book;
mod calculate;
mod cells;
mod clip;
mod corrections;
mod criteria;
mod depends;
mod expand;
mod functions;
mod graph;
mod guard;
mod intervals;
mod ironcalc;
mod job;
mod kinds;
mod known;
mod lexer;
mod limits;
mod model;
mod plan;
pub mod prefixes;
mod reference;
mod resolve;
mod rewrite;
mod shape_limits;
mod sheet_name;
mod shift;
mod structured;
mod subtotals;
mod translate;
mod tree;
mod validate;

#[cfg(test)]
mod tests;

pub use calculate::FormulaEngine;
pub use depends::{Dependencies, Outside, Scope, SheetRange, UsedName};
pub use functions::{Function, Returns, Role, computed_functions, function};
pub use lexer::{Token, TokenKind, Tokens, tokens};
pub use limits::{Limits, Now};
pub use model::{
    AllLoaded, CalcModel, Calculated, CellContent, CellError, CellKey, CellRanges, CellSource, CellValue, DefinedName,
    FormulaCell, FormulaShape, NotComputed, Request, RowSpans, SheetModel, SheetRanges, StoredValue, TableModel,
};
pub use reference::{Area, Edge, Prefix, Reference, Sheets, Span, Target};
pub use rewrite::Rewritten;
pub use sheet_name::{delete_sheet, quoted_sheet, rename_sheet, same_sheet};
pub use shift::{Axis, Edit, EditKind, shift, shift_range, shift_sqref};
pub use structured::{Item, StructuredRef};
pub use translate::translate;
pub use validate::validate;
