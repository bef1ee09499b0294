//! The ops of PDF files. They always make a new file; the one they read stays as it is.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::ops;

ops! {
    format "pdf", usual ["fill_form", "merge", "extract_pages", "delete_pages", "reorder_pages", "rotate_pages"];

    /// An op on a PDF file.
    pub enum PdfOp {
        /// Fills fields of a form.
        FillForm(FillForm) = "fill_form",
        /// Adds the pages of other files.
        Merge(Merge) = "merge",
        /// Keeps some pages, in the given order.
        ExtractPages(ExtractPages) = "extract_pages",
        /// Deletes pages.
        DeletePages(DeletePages) = "delete_pages",
        /// Puts all pages into another order.
        ReorderPages(ReorderPages) = "reorder_pages",
        /// Turns pages.
        RotatePages(RotatePages) = "rotate_pages",
    }
}

/// Fill fields of a form
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct FillForm {
    /// Values by the names of fields: a text, a truth value for a checkbox, a choice, or a list of choices.
    #[schemars(extend("x-aliases" = ["values", "data", "form"]))]
    pub fields: Map<String, Value>,
}

/// Add the pages of other PDF files of the workbench
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Merge {
    /// The files, in order.
    #[schemars(extend("x-aliases" = ["paths", "with", "sources", "documents"]))]
    pub files: Vec<String>,
    /// The page that they go before, from 1; at the end without it.
    #[schemars(extend("x-aliases" = ["before", "page", "position"]))]
    pub at: Option<u64>,
}

/// Keep some pages, in the given order; a file is split by extracting each of its pieces
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct ExtractPages {
    /// Pages from 1: a number, a list, or ranges such as `1-3, 7`.
    #[schemars(extend("x-aliases" = ["page", "range", "ranges", "keep"]))]
    pub pages: Value,
}

/// Delete pages
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeletePages {
    /// Pages from 1: a number, a list, or ranges such as `1-3, 7`.
    #[schemars(extend("x-aliases" = ["page", "range", "ranges"]))]
    pub pages: Value,
}

/// Put all pages into another order
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReorderPages {
    /// Every page once, from 1, in the new order.
    #[schemars(extend("x-aliases" = ["pages", "sequence"]))]
    pub order: Value,
}

/// Turn pages
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct RotatePages {
    /// Pages from 1; all without it.
    #[schemars(extend("x-aliases" = ["page", "range", "ranges"]))]
    pub pages: Option<Value>,
    /// Degrees, clockwise: a multiple of 90.
    #[schemars(extend("x-aliases" = ["angle", "rotation", "rotate", "by"]))]
    pub degrees: i64,
}
