//! The workbook part: the list of sheets with their parts, defined names and calculation settings.

use std::borrow::Cow;

use crate::content_types::ContentTypes;
use crate::error::{ActualKind, OfficeKind, PackageError};
use crate::package::Package;
use crate::relationships::{Relationship, Relationships};
use crate::xlsx::formula::same_sheet;
use crate::xlsx::serial_date::DateSystem;
use crate::xml::{Node, Ns};

#[cfg(test)]
mod tests;

/// The content of the workbook part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkbookPart {
    /// The name of the workbook part, such as `xl/workbook.xml`.
    pub part: String,
    /// The sheets in the order of their tabs.
    pub sheets: Vec<Sheet>,
    /// The defined names, in the order they are written.
    pub names: Vec<DefinedName>,
    /// Whether dates count from 1904 instead of 1900.
    pub date1904: bool,
    /// How the workbook is to be calculated.
    pub calculation: Calculation,
    /// The index in `sheets` of the active sheet.
    pub active: usize,
    /// The relationships of the workbook part.
    pub relationships: Relationships,
}

/// A sheet of a workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// The name on its tab.
    pub name: String,
    /// The name of its part; none if its relationship has no target.
    pub part: Option<String>,
    /// The id of its relationship.
    pub rel_id: String,
    /// Its `sheetId`, which is not its position.
    pub sheet_id: u32,
    /// Whether it is shown.
    pub state: SheetState,
    /// What it is.
    pub kind: SheetKind,
}

/// Whether a sheet is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetState {
    /// It has a tab.
    Visible,
    /// It can be shown from the menu.
    Hidden,
    /// Only a program can show it.
    VeryHidden,
}

impl SheetState {
    /// Its name in files and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::Hidden => "hidden",
            Self::VeryHidden => "veryHidden",
        }
    }
}

/// What a sheet is. Only worksheets and macro sheets have cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetKind {
    /// A grid of cells.
    Worksheet,
    /// A chart that fills the whole sheet.
    Chartsheet,
    /// A dialog of Excel 5.
    Dialogsheet,
    /// A grid of cells with macros of Excel 4.
    Macrosheet,
}

impl SheetKind {
    /// Its name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Worksheet => "worksheet",
            Self::Chartsheet => "chartsheet",
            Self::Dialogsheet => "dialogsheet",
            Self::Macrosheet => "macrosheet",
        }
    }

    /// Whether such a sheet has cells.
    pub fn has_cells(self) -> bool {
        matches!(self, Self::Worksheet | Self::Macrosheet)
    }

    /// By the last word of the relationship's type.
    fn of(kind: &str) -> Self {
        match kind {
            "chartsheet" => Self::Chartsheet,
            "dialogsheet" => Self::Dialogsheet,
            "xlMacrosheet" | "xlIntlMacrosheet" => Self::Macrosheet,
            _ => Self::Worksheet,
        }
    }
}

/// A defined name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinedName {
    /// The name, such as `Rate` or `_xlnm.Print_Area`.
    pub name: String,
    /// Its formula, without `=`.
    pub formula: String,
    /// The place in [`WorkbookPart::sheets`] of the only sheet it holds on.
    pub sheet: Option<usize>,
    /// Whether it is kept out of the list of names.
    pub hidden: bool,
}

impl DefinedName {
    /// Whether Excel made the name for itself: print areas, filters and the like.
    pub fn is_builtin(&self) -> bool {
        self.name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("_xlnm."))
    }
}

/// How the workbook is to be calculated (`calcPr`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Calculation {
    /// Whether formulas are calculated only on request.
    pub manual: bool,
    /// Whether everything is calculated when the workbook is opened.
    pub full_on_load: bool,
    /// Whether it was saved before a calculation had ended, or in manual mode without calculating first.
    pub incomplete: bool,
    /// Jig's digest of the stored values (see `trust.rs`).
    pub seal: Option<String>,
}

impl WorkbookPart {
    /// Reads the workbook part of a package.
    pub fn read(package: &Package) -> Result<Self, PackageError> {
        let part = workbook_part(package)?;
        let content = package.xml(&part)?;
        let tree = content.tree(package.limits())?;
        let root = tree.root();
        if !root.is(Ns::S, "workbook") {
            return Err(wrong_kind(root.unexpected_root("workbook")));
        }
        let relationships = Relationships::read(package, &part)?;
        let sheets = sheets(root, package, &relationships);
        let view = root.path(Ns::S, &["bookViews", "workbookView"]);
        let active = view.and_then(|view| number(view, "activeTab")).unwrap_or(0);
        Ok(Self {
            names: names(root, sheets.len()),
            date1904: root.child(Ns::S, "workbookPr").is_some_and(|node| flag(node, "date1904")),
            calculation: calculation(root),
            active: usize::try_from(active).ok().filter(|at| *at < sheets.len()).unwrap_or(0),
            part,
            sheets,
            relationships,
        })
    }

    /// From when dates count.
    pub fn dates(&self) -> DateSystem {
        if self.date1904 { DateSystem::From1904 } else { DateSystem::From1900 }
    }

    /// The place of a sheet by its name, in any case.
    pub fn sheet_place(&self, name: &str) -> Option<usize> {
        let exact = self.sheets.iter().position(|sheet| sheet.name == name);
        exact.or_else(|| self.sheets.iter().position(|sheet| same_sheet(&sheet.name, name)))
    }

    /// A sheet by its name, in any case.
    pub fn sheet(&self, name: &str) -> Option<&Sheet> {
        self.sheets.get(self.sheet_place(name)?)
    }

    /// The part with the shared strings.
    pub fn shared_strings(&self) -> Option<&str> {
        self.relationships.first("sharedStrings")
    }

    /// The part with the styles.
    pub fn styles(&self) -> Option<&str> {
        self.relationships.first("styles")
    }

    /// The part with the metadata of cells and values.
    pub fn metadata(&self) -> Option<&str> {
        self.relationships.first("sheetMetadata")
    }

    /// The part with the theme.
    pub fn theme(&self) -> Option<&str> {
        self.relationships.first("theme")
    }
}

fn wrong_kind(found: ActualKind) -> PackageError {
    PackageError::WrongKind { expected: OfficeKind::Workbook, found }
}

/// The part named by the package's relationships; otherwise the part with the content type of a workbook.
fn workbook_part(package: &Package) -> Result<String, PackageError> {
    let root = Relationships::read(package, "")?;
    let types = ContentTypes::read(package).unwrap_or_default();
    let named = root.first("officeDocument").filter(|part| package.has(part)).map(str::to_owned);
    let found = named.or_else(|| package.names().find(|name| is_workbook(types.of(name))).map(str::to_owned));
    let Some(part) = found else {
        return Err(wrong_kind(ActualKind::NoMainPart(OfficeKind::Workbook)));
    };
    let kind = types.of(&part).unwrap_or_default();
    if kind.contains("binary") || part.to_ascii_lowercase().ends_with(".bin") {
        return Err(wrong_kind(ActualKind::BinaryWorkbook));
    }
    for (name, other) in [("wordprocessingml", OfficeKind::Document), ("presentationml", OfficeKind::Presentation)] {
        if kind.contains(name) {
            return Err(wrong_kind(ActualKind::Office(other)));
        }
    }
    Ok(part)
}

fn is_workbook(kind: Option<&str>) -> bool {
    kind.is_some_and(|kind| kind.ends_with("main+xml") && (kind.contains("spreadsheetml") || kind.contains("ms-excel")))
}

fn sheets(root: Node<'_>, package: &Package, relationships: &Relationships) -> Vec<Sheet> {
    let list = root.child(Ns::S, "sheets");
    let nodes = list.into_iter().flat_map(|list| list.children_named(Ns::S, "sheet"));
    nodes.map(|node| sheet(node, package, relationships)).collect()
}

fn sheet(node: Node<'_>, package: &Package, relationships: &Relationships) -> Sheet {
    let rel_id = node.attr_ns(Ns::R, "id").map(Cow::into_owned).unwrap_or_default();
    let relationship = relationships.by_id(&rel_id);
    let part = relationship.and_then(|found| found.part.as_deref()).and_then(|part| package.spelled(part));
    Sheet {
        name: node.attr("name").map(Cow::into_owned).unwrap_or_default(),
        part: part.map(str::to_owned),
        sheet_id: number(node, "sheetId").unwrap_or(0),
        state: match node.attr("state").as_deref() {
            Some("hidden") => SheetState::Hidden,
            Some("veryHidden") => SheetState::VeryHidden,
            _ => SheetState::Visible,
        },
        kind: relationship.map_or(SheetKind::Worksheet, |Relationship { kind, .. }| SheetKind::of(kind)),
        rel_id,
    }
}

fn names(root: Node<'_>, sheets: usize) -> Vec<DefinedName> {
    let list = root.child(Ns::S, "definedNames");
    let nodes = list.into_iter().flat_map(|list| list.children_named(Ns::S, "definedName"));
    let name = |node: Node<'_>| DefinedName {
        name: node.attr("name").map(Cow::into_owned).unwrap_or_default(),
        formula: node.text().trim().to_owned(),
        sheet: number(node, "localSheetId").and_then(|at| usize::try_from(at).ok()).filter(|at| *at < sheets),
        hidden: flag(node, "hidden"),
    };
    nodes.map(name).collect()
}

fn calculation(root: Node<'_>) -> Calculation {
    let seal = super::trust::read_seal(root);
    let Some(node) = root.child(Ns::S, "calcPr") else { return Calculation { seal, ..Calculation::default() } };
    let is_off = |name: &str| node.attr(name).is_some_and(|value| matches!(value.trim(), "0" | "false" | "off"));
    let manual = node.attr("calcMode").is_some_and(|mode| mode == "manual");
    Calculation {
        manual,
        full_on_load: flag(node, "fullCalcOnLoad"),
        incomplete: is_off("calcCompleted") || (manual && is_off("calcOnSave")),
        seal,
    }
}

fn number(node: Node<'_>, name: &str) -> Option<u32> {
    node.attr(name)?.trim().parse().ok()
}

fn flag(node: Node<'_>, name: &str) -> bool {
    node.attr(name).is_some_and(|value| matches!(value.trim(), "1" | "true" | "on"))
}
