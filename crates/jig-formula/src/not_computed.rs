//! Why a formula was not computed.

use crate::model::CellError;
use crate::parse::Outside;

/// Why a cell has no computed value. The texts complete "the cell was not computed:".
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotComputed {
    /// The function is not on the allow-list.
    #[error("the function {0} is not supported")]
    Function(String),
    /// The formula reaches outside the workbook, which a calculation never does.
    #[error("it reaches outside the workbook ({0})")]
    Outside(Outside),
    /// The formula depends on chance, or on the time and the caller passed none.
    #[error("{0} changes with every calculation")]
    ClockOrChance(String),
    /// The formula refers to itself, directly or through others.
    #[error("it refers to itself")]
    Cycle,
    /// The formula cannot be parsed.
    #[error("the formula cannot be read: {0}")]
    Syntax(SyntaxProblem),
    /// The engine gives no value, or one that other programs may not give.
    #[error("{0} is not supported")]
    Unsupported(Unsupported),
    /// A cell that the formula reads could not be computed.
    #[error("it depends on {0}, which was not computed")]
    DependsOn(String),
    /// Computing it would take more than the limits allow.
    #[error("it exceeds the limit of {0}")]
    Limit(LimitKind),
}

/// Why a formula cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxProblem {
    /// The engine's parser stopped.
    #[error("not understood at character {position}")]
    NotUnderstood {
        /// Where it stopped.
        position: usize,
    },
    /// A function is called with too few or too many arguments.
    #[error("{function} with {count} arguments")]
    ArgumentCount {
        /// The function.
        function: String,
        /// How many arguments it got.
        count: usize,
    },
    /// A bracket is closed that was not opened.
    #[error("a bracket too many")]
    ExtraBracket,
    /// A bracket is not closed.
    #[error("a bracket is missing")]
    MissingBracket,
    /// A brace is closed that was not opened.
    #[error("a brace too many")]
    ExtraBrace,
    /// Text that is not part of any formula.
    #[error("unexpected `{0}`")]
    Unexpected(String),
}

impl From<SyntaxProblem> for NotComputed {
    fn from(problem: SyntaxProblem) -> Self {
        Self::Syntax(problem)
    }
}

/// The limit that a formula, or the formulas of a calculation together, would exceed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitKind {
    /// [`Limits::formula_bytes`](crate::Limits::formula_bytes).
    #[error("{0} bytes for a formula")]
    FormulaBytes(usize),
    /// A formula with the names that it uses.
    #[error("{0} bytes for a formula with its names")]
    BytesWithNames(usize),
    /// [`Limits::all_formulas_bytes`](crate::Limits::all_formulas_bytes).
    #[error("{0} bytes for all formulas together")]
    AllFormulasBytes(usize),
    /// Names and tables written out in all formulas.
    #[error("text that names and tables add to all formulas together")]
    WrittenOutBytes,
    /// A formula rewritten for the engine.
    #[error("formula length")]
    CorrectedBytes,
    /// Names that refer to names.
    #[error("{0} names inside one another")]
    NestedNames(usize),
    /// [`Limits::nesting`](crate::Limits::nesting).
    #[error("{0} levels of nesting")]
    Nesting(usize),
    /// Array formulas that fill many cells.
    #[error("{0} large array formulas")]
    LargeArrays(u64),
    /// Cells that array formulas fill.
    #[error("{0} cells filled by array formulas")]
    FilledCells(u64),
    /// Formulas that the cells of a data table compute again.
    #[error("{0} formulas for a data table")]
    DataTable(u64),
    /// [`Limits::rounds`](crate::Limits::rounds).
    #[error("{0} rounds of joining texts")]
    Rounds(usize),
    /// [`Limits::cells`](crate::Limits::cells).
    #[error("{0} cells in one calculation")]
    Cells(usize),
    /// [`Limits::reads`](crate::Limits::reads).
    #[error("cells read")]
    Reads,
    /// Calls in one formula that lengthen a text many times over.
    #[error("text joined again and again in one formula")]
    TextGrowth,
    /// The system has no thread for the calculation.
    #[error("threads")]
    Threads,
}

impl From<LimitKind> for NotComputed {
    fn from(limit: LimitKind) -> Self {
        Self::Limit(limit)
    }
}

/// What the engine does not do, or does in another way than other programs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unsupported {
    /// A what-if data table.
    #[error("a what-if data table")]
    DataTable,
    /// `Jan:Dec!A1`.
    #[error("a reference across several sheets")]
    SheetSpan,
    /// `A1:INDEX(…)`.
    #[error("a range with a computed end")]
    ComputedRangeEnd,
    /// `A1#`.
    #[error("a spilled range (`A1#`)")]
    SpilledRange,
    /// `A1,B1` outside a call.
    #[error("a union (`A1,B1`)")]
    Union,
    /// A value follows a value without an operator.
    #[error("two values side by side (at `{0}`)")]
    SideBySide(String),
    /// A name or a structured reference that was not written out.
    #[error("`{0}`")]
    Name(String),
    /// A table that the engine does not know.
    #[error("the table {0}")]
    Table(String),
    /// A structured reference to a table, column or part that does not exist.
    #[error("the table reference {0}")]
    TableReference(String),
    /// A `LAMBDA` that is called where it is defined.
    #[error("a LAMBDA that is called where it stands")]
    CalledLambda,
    /// `INDIRECT` of a text that is not an address.
    #[error("what INDIRECT points at")]
    IndirectTarget,
    /// `INDIRECT` or `OFFSET` in a calculation with several rounds.
    #[error("a computed reference beside joined texts")]
    DynamicInRounds,
    /// `INDIRECT` or `OFFSET` may read one of the cells that were not computed.
    #[error("a computed reference while other cells were not computed")]
    DynamicWithUnknown,
    /// A formula that is read and has neither a stored nor a computed value.
    #[error("a formula without a value")]
    NoValue,
    /// Whether the arguments are allowed depends on a value within the formula that cannot be computed alone.
    #[error("a value inside of the formula")]
    InnerValue,
    /// A result with another size than the one that the file has.
    #[error("an array that changes its size")]
    ResizedArray,
    /// An array formula over more cells than its result has.
    #[error("an array smaller than the cells it fills")]
    ShortArray,
    /// A function of one value that gets many.
    #[error("{0} with many values at once")]
    ManyValues(String),
    /// Ranges that must have one size.
    #[error("{0} with ranges of different sizes")]
    DifferentSizes(String),
    /// Ranges that must be on the sheet of the formula.
    #[error("{0} with ranges of other sheets")]
    OtherSheets(String),
    /// A kind of value with which programs give different results.
    #[error("{function} with {kind}")]
    Argument {
        /// The function.
        function: String,
        /// The kind of value.
        kind: &'static str,
    },
    /// A number format that programs read in different ways.
    #[error("{0} with this format")]
    TextFormat(String),
    /// A date that programs count in different ways.
    #[error("{0} with a date that programs count in different ways")]
    AmbiguousDate(String),
    /// Dates that count from 1904, for a function that depends on it.
    #[error("{0} with dates counted from 1904")]
    Dates1904(String),
    /// A period that ends before it starts.
    #[error("{0} from a later to an earlier date")]
    ReversedDates(String),
    /// A period from or to the end of February.
    #[error("{0} with the end of February")]
    EndOfFebruary(String),
    /// A division with a remainder of almost nothing.
    #[error("{0} that comes out almost even")]
    AlmostEven(String),
    /// A search with `*`, `?` or `~`.
    #[error("{0} with a wildcard")]
    Wildcard(String),
    /// A search for the nearest value where the cells are not sorted.
    #[error("{0} for the nearest value in unsorted cells")]
    UnsortedSearch(String),
    /// A `<>` criterion with a text.
    #[error("a criterion `<>` with text")]
    TextCriterion,
    /// `SUBTOTAL` of nothing but other subtotals.
    #[error("SUBTOTAL over other subtotals alone")]
    OnlySubtotals,
    /// A function that leaves out hidden rows.
    #[error("{0} over hidden rows")]
    HiddenRows(String),
    /// `-TRUE`.
    #[error("the negative of a truth value")]
    NegativeBool,
    /// A power that is an error in some programs.
    #[error("{base}^{exponent}")]
    Power {
        /// The base.
        base: f64,
        /// The exponent.
        exponent: f64,
    },
    /// A difference that is 0 for some programs and a tiny number for others.
    #[error("a difference of almost zero")]
    AlmostZero,
    /// A kind of value that becomes text.
    #[error("{0} as text")]
    AsText(&'static str),
    /// A number whose last digit depends on how a program computes it, as text.
    #[error("the last digit of such a number as text")]
    LastDigit,
    /// A kind of value as an operand.
    #[error("computing with {0}")]
    Operand(&'static str),
    /// Kinds of values that programs compare in different ways.
    #[error("a comparison of {0}")]
    Comparison(&'static str),
    /// An error value that other programs may not give.
    #[error("an error ({0}) on which programs differ")]
    ErrorValue(CellError),
    /// The cells that a formula reads could not be loaded.
    #[error("reading the cells it needs ({0})")]
    Cells(String),
    /// A sheet, cell or formula that the engine refuses.
    #[error("{0}")]
    Engine(String),
    /// The engine gave no value.
    #[error("something in it")]
    EngineValue,
    /// The engine failed during a calculation of several formulas.
    #[error("something in it or in a formula computed with it")]
    EngineFailure,
}

impl From<Unsupported> for NotComputed {
    fn from(unsupported: Unsupported) -> Self {
        Self::Unsupported(unsupported)
    }
}
