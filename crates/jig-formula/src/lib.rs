//! Spreadsheet formulas as xlsx files store them: parsing, rewriting, dependencies and calculation.
//!
//! - **Parsing**: [`ParsedFormula`] has a formula's tokens; [`Dependencies`] lists what it reads and calls.
//! - **Rewriting**: [`shift`], [`rename_sheet`], [`delete_sheet`] and [`translate`] rewrite only the references that an
//!   edit concerns; [`validate`] checks new formulas; [`prefixes`] converts between what people write and what
//!   files store.
//! - **Calculation**: [`FormulaEngine`] computes the formulas of a [`CalcModel`] that a change affects. Each gets a value
//!   or a reason, [`NotComputed`]. [`FunctionTable`] says which functions are computed.
//!
//! ```
//! use jig_formula::{AllLoaded, CalcModel, CellContent, CellKey, CellValue, FormulaCell, FormulaEngine, FormulaShape};
//! use jig_formula::{Request, SheetModel, StoredValue};
//!
//! # fn main() -> Result<(), jig_file_api::address::AddressError> {
//! let mut sheet = SheetModel::new("Budget");
//! sheet.set("A1".parse()?, CellContent::Value(CellValue::Number(20.0)));
//! let formula = FormulaCell::new("A1*2+2", StoredValue::Missing, FormulaShape::Single);
//! sheet.set("B1".parse()?, CellContent::Formula(formula));
//! let mut model = CalcModel { sheets: vec![sheet], ..CalcModel::default() };
//!
//! let changed = [CellKey { sheet: 0, cell: "A1".parse()? }];
//! let request = Request { changed: &changed, whole_workbook: false };
//! let result = FormulaEngine::default().calculate(&mut model, &request, &mut AllLoaded);
//! assert_eq!(result.values, [(CellKey { sheet: 0, cell: "B1".parse()? }, CellValue::Number(42.0))]);
//! # Ok(())
//! # }
//! ```
//!
//! # How a calculation runs
//!
//! `calculate.rs` reads from top to bottom: the graph of all formulas (`graph.rs`), the plan of those that the change
//! affects and what they need (`plan.rs`), what cannot be computed (`guard.rs`, `shape_limits.rs`), and a job for
//! IronCalc (`job.rs`, `ironcalc.rs`), whose results are checked once more by the values they rest on
//! (`argument_limits.rs`). The dependencies, the order, the limits and every rejection are decided here; IronCalc only
//! gives the value of a formula whose inputs are known, so that it can be replaced.
//!
//! The crate does no I/O and reads no clock. No input makes it panic.

mod argument_limits;
mod book;
mod calculate;
mod cells;
mod clip;
mod corrections;
mod criteria;
mod data_tables;
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
mod not_computed;
mod parse;
mod plan;
pub mod prefixes;
mod reference;
mod resolve;
mod rewrite;
mod shape_limits;
mod structured;
mod subtotals;
mod tree;
mod validate;

#[cfg(test)]
mod tests;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;

pub use calculate::FormulaEngine;
pub use functions::{Function, FunctionTable, FunctionTrait, Returns, Role};
pub use jig_file_api::address::quoted_sheet;
pub use lexer::{Token, TokenKind, Tokens, tokens};
pub use limits::{Limits, Now};
pub use model::{
    AllLoaded, CalcModel, Calculated, CellContent, CellError, CellKey, CellRanges, CellSource, CellValue, DefinedName,
    FormulaCell, FormulaShape, Request, RowSpans, SheetModel, SheetRanges, StoredValue, TableModel,
};
pub use not_computed::{LimitKind, NotComputed, SyntaxProblem, Unsupported};
pub use parse::{Dependencies, FormulaText, Outside, ParsedFormula, ReferencedRange, SheetScope, UsedName};
pub use reference::{Area, Edge, Prefix, Reference, Sheets, Span, Target};
pub use rewrite::{
    Axis, Edit, EditKind, MovedCells, Rewritten, copy_sheet, delete_sheet, delete_table_columns, fix_references,
    follow_move, rename_sheet, rename_table, same_sheet, sheets_of, shift, shift_range, shift_sqref, translate,
};
pub use structured::{Item, StructuredRef};
pub use validate::{FormulaError, validate};

/// Runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
