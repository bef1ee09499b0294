//! Lossless editing of Office packages (xlsx, docx, pptx): open, read, edit parts, save.
//!
//! Invariants:
//! - bytes in, bytes out; no I/O, no clock, no random numbers;
//! - a part that was not edited is saved with the same compressed bytes, and an edited part changes
//!   only in the byte ranges that the edit names: there is no parse-and-write-back of whole parts;
//! - broken input gives a package with warnings, or an error, never a panic; sizes, ratios and depths
//!   are bounded before anything is inflated.
//!
//! Uses no other crate of Jig and knows no operation, workbench or Draft. Empty until the file engine
//! is built on it.

/// Excel workbooks: addresses, formulas.
pub mod xlsx {
    pub mod address;
    pub mod formula;
}
