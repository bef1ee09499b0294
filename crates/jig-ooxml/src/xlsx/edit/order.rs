//! Inserts elements at the position that the schema requires.

use crate::xml::{Node, Splice};

/// Puts markup for an element `name` into `parent`, before the first child that the order has later.
pub(super) fn insert_in_order(splice: &mut Splice<'_>, parent: Node<'_>, name: &str, markup: &str, order: &[&str]) {
    let rank = |local: &str| order.iter().position(|known| *known == local);
    let own = rank(name).unwrap_or(order.len());
    // An element outside the schema's order, such as `mc:AlternateContent`, belongs to its predecessor.
    let later =
        parent.elements().find(|child| child.ns() == parent.ns() && rank(child.local()).is_some_and(|at| at > own));
    match later {
        Some(later) => splice.before(later, markup),
        None => splice.append(parent, markup),
    }
}

/// Children of `worksheet` in the order of the schema.
pub(super) const WORKSHEET: [&str; 39] = [
    "sheetPr",
    "dimension",
    "sheetViews",
    "sheetFormatPr",
    "cols",
    "sheetData",
    "sheetCalcPr",
    "sheetProtection",
    "protectedRanges",
    "scenarios",
    "autoFilter",
    "sortState",
    "dataConsolidate",
    "customSheetViews",
    "mergeCells",
    "phoneticPr",
    "conditionalFormatting",
    "dataValidations",
    "hyperlinks",
    "printOptions",
    "pageMargins",
    "pageSetup",
    "headerFooter",
    "rowBreaks",
    "colBreaks",
    "customProperties",
    "cellWatches",
    "ignoredErrors",
    "smartTags",
    "drawing",
    "legacyDrawing",
    "legacyDrawingHF",
    "drawingHF",
    "picture",
    "oleObjects",
    "controls",
    "webPublishItems",
    "tableParts",
    "extLst",
];

/// Children of `workbook` in the order of the schema.
pub(super) const WORKBOOK: [&str; 20] = [
    "fileVersion",
    "fileSharing",
    "workbookPr",
    "workbookProtection",
    "bookViews",
    "sheets",
    "functionGroups",
    "externalReferences",
    "definedNames",
    "calcPr",
    "oleSize",
    "customWorkbookViews",
    "pivotCaches",
    "smartTagPr",
    "smartTagTypes",
    "webPublishing",
    "fileRecoveryPr",
    "fileRecoveryPr2",
    "webPublishObjects",
    "extLst",
];
