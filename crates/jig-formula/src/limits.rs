//! The bounds of a calculation, and the time it may know.

/// What a calculation may take, counted in work and never by the clock. Beyond a limit, cells are not computed and say
/// so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one formula, names and tables written out.
    pub formula_bytes: usize,
    /// Bytes of all formulas that are computed together.
    pub all_formulas_bytes: usize,
    /// Brackets and signs inside one another in one formula; Excel allows 64.
    pub nesting: usize,
    /// Cells all formulas together may read, a cell counted each time it is read.
    pub reads: u64,
    /// Cells one calculation may hold in memory.
    pub cells: usize,
    /// Rounds of evaluation; a chain of formulas that join texts takes a round for each link.
    pub rounds: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            formula_bytes: 32 * 1024,
            all_formulas_bytes: 32 << 20,
            nesting: 64,
            reads: 20_000_000,
            cells: 2_000_000,
            rounds: 200,
        }
    }
}

/// A moment as Excel counts it: days since the end of 1899, the time of day as a fraction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Now(pub f64);
