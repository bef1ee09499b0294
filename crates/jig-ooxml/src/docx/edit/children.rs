//! The children of an element of properties, in the order that the schema requires.

use crate::xml::{Node, Splice};

/// Children as markup, each with its name.
#[derive(Debug, Clone)]
pub(super) struct Children {
    list: Vec<(String, String)>,
    order: &'static [&'static str],
}

impl Children {
    /// The children of an element, or none.
    pub(super) fn of(node: Option<Node<'_>>, order: &'static [&'static str]) -> Self {
        let children = node.into_iter().flat_map(Node::elements);
        Self { list: children.map(|child| (child.local().to_owned(), child.source().to_owned())).collect(), order }
    }

    /// Replaces the children of this name by one.
    pub(super) fn put(&mut self, name: &str, markup: impl Into<String>) {
        self.remove(name);
        self.add(name, markup);
    }

    /// Adds a child after others of this name.
    pub(super) fn add(&mut self, name: &str, markup: impl Into<String>) {
        let rank = |name: &str| self.order.iter().position(|known| *known == name).unwrap_or(self.order.len());
        let own = rank(name);
        let at = self.list.iter().position(|(known, _)| rank(known) > own).unwrap_or(self.list.len());
        self.list.insert(at, (name.to_owned(), markup.into()));
    }

    /// Removes the children of this name.
    pub(super) fn remove(&mut self, name: &str) {
        self.list.retain(|(known, _)| known != name);
    }

    /// Their markup.
    pub(super) fn finish(&self) -> String {
        self.list.iter().map(|(_, markup)| markup.as_str()).collect()
    }

    /// Writes them into their element.
    pub(super) fn write(&self, splice: &mut Splice<'_>, node: Node<'_>) {
        let new = self.finish();
        if new != node.inner() {
            splice.set_inner(node, new);
        }
    }
}

/// Of `w:sectPr`.
pub(super) const SECTION: &[&str] = &[
    "headerReference",
    "footerReference",
    "footnotePr",
    "endnotePr",
    "type",
    "pgSz",
    "pgMar",
    "paperSrc",
    "pgBorders",
    "lnNumType",
    "pgNumType",
    "cols",
    "formProt",
    "vAlign",
    "noEndnote",
    "titlePg",
    "textDirection",
    "bidi",
    "rtlGutter",
    "docGrid",
    "printerSettings",
    "sectPrChange",
];

/// Of `w:settings`, as far as elements are added.
pub(super) const SETTINGS: &[&str] = &[
    "writeProtection",
    "view",
    "zoom",
    "removePersonalInformation",
    "removeDateAndTime",
    "doNotDisplayPageBoundaries",
    "displayBackgroundShape",
    "printPostScriptOverText",
    "printFractionalCharacterWidth",
    "printFormsData",
    "embedTrueTypeFonts",
    "embedSystemFonts",
    "saveSubsetFonts",
    "saveFormsData",
    "mirrorMargins",
    "alignBordersAndEdges",
    "bordersDoNotSurroundHeader",
    "bordersDoNotSurroundFooter",
    "gutterAtTop",
    "hideSpellingErrors",
    "hideGrammaticalErrors",
    "activeWritingStyle",
    "proofState",
    "formsDesign",
    "attachedTemplate",
    "linkStyles",
    "stylePaneFormatFilter",
    "stylePaneSortMethod",
    "documentType",
    "mailMerge",
    "revisionView",
    "trackRevisions",
    "doNotTrackMoves",
    "doNotTrackFormatting",
    "documentProtection",
    "autoFormatOverride",
    "styleLockTheme",
    "styleLockQFSet",
    "defaultTabStop",
    "autoHyphenation",
    "consecutiveHyphenLimit",
    "hyphenationZone",
    "doNotHyphenateCaps",
    "showEnvelope",
    "summaryLength",
    "clickAndTypeStyle",
    "defaultTableStyle",
    "evenAndOddHeaders",
    "bookFoldRevPrinting",
    "bookFoldPrinting",
    "bookFoldPrintingSheets",
    "drawingGridHorizontalSpacing",
    "drawingGridVerticalSpacing",
    "displayHorizontalDrawingGridEvery",
    "displayVerticalDrawingGridEvery",
    "doNotUseMarginsForDrawingGridOrigin",
    "drawingGridHorizontalOrigin",
    "drawingGridVerticalOrigin",
    "doNotShadeFormData",
    "noPunctuationKerning",
    "characterSpacingControl",
    "printTwoOnOne",
    "strictFirstAndLastChars",
    "noLineBreaksAfter",
    "noLineBreaksBefore",
    "savePreviewPicture",
    "doNotValidateAgainstSchema",
    "saveInvalidXml",
    "ignoreMixedContent",
    "alwaysShowPlaceholderText",
    "doNotDemarcateInvalidXml",
    "saveXmlDataOnly",
    "useXSLTWhenSaving",
    "saveThroughXslt",
    "showXMLTags",
    "alwaysMergeEmptyNamespace",
    "updateFields",
    "hdrShapeDefaults",
    "footnotePr",
    "endnotePr",
    "compat",
];

/// Of `w:tcPr`.
pub(super) const CELL: &[&str] = &[
    "cnfStyle",
    "tcW",
    "gridSpan",
    "hMerge",
    "vMerge",
    "tcBorders",
    "shd",
    "noWrap",
    "tcMar",
    "textDirection",
    "tcFitText",
    "vAlign",
    "hideMark",
    "headers",
    "cellIns",
    "cellDel",
    "cellMerge",
    "tcPrChange",
];

/// Of `w:tblPr`.
pub(super) const TABLE: &[&str] = &[
    "tblStyle",
    "tblpPr",
    "tblOverlap",
    "bidiVisual",
    "tblStyleRowBandSize",
    "tblStyleColBandSize",
    "tblW",
    "jc",
    "tblCellSpacing",
    "tblInd",
    "tblBorders",
    "shd",
    "tblLayout",
    "tblCellMar",
    "tblLook",
    "tblCaption",
    "tblDescription",
    "tblPrChange",
];
