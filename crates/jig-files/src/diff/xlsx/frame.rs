//! What is around the rows of a sheet: widths, panes, merged cells, rules.

use jig_ooxml::xlsx::address::ColumnName;
use jig_ooxml::xlsx::formula::{Edit, quoted_sheet, shift, shift_sqref};
use jig_ooxml::xml::{Node, Tree};
use jig_ooxml::{Limits, PackageError};

use super::super::change::{Change, ChangeKind, Detail, Undo};
use super::super::inside::InsideDiff;
use super::cells::SheetPair;

/// The children of a sheet in the order that the standard asks for, with what a person calls them. Those
/// without a name are not compared: they hold where the cursor was, or follow from the rest.
pub(in crate::diff) const ORDER: [(&str, &str); 26] = [
    ("sheetPr", "sheet properties"),
    ("dimension", ""),
    ("sheetViews", "panes"),
    ("sheetFormatPr", "default sizes"),
    ("cols", "columns"),
    ("sheetData", ""),
    ("sheetCalcPr", "calculation"),
    ("sheetProtection", "protection"),
    ("protectedRanges", "protected ranges"),
    ("scenarios", "scenarios"),
    ("autoFilter", "filter"),
    ("sortState", "sort order"),
    ("mergeCells", "merged cells"),
    ("conditionalFormatting", "conditional formats"),
    ("dataValidations", "validations"),
    ("hyperlinks", "links"),
    ("printOptions", "print options"),
    ("pageMargins", "page margins"),
    ("pageSetup", "page setup"),
    ("headerFooter", "header and footer"),
    ("rowBreaks", "page breaks"),
    ("colBreaks", "page breaks by column"),
    ("drawing", "drawing"),
    ("legacyDrawing", "notes"),
    ("tableParts", "tables"),
    ("extLst", "extensions"),
];

/// Compares the frames of a sheet.
pub(super) fn compare(sheet: &SheetPair<'_>, limits: &Limits, diff: &mut InsideDiff) -> Result<(), PackageError> {
    if sheet.outlines.0.frame == sheet.outlines.1.frame {
        return Ok(());
    }
    let old = Tree::parse(&sheet.parts.0, &sheet.outlines.0.frame, limits)?;
    let new = Tree::parse(&sheet.parts.1, &sheet.outlines.1.frame, limits)?;
    let edits = sheet.map.edits(&sheet.names.0);
    for (name, title) in ORDER.into_iter().filter(|(_, title)| !title.is_empty()) {
        let before = spelled_all(old.root(), name, &edits, &sheet.names.0);
        let after = spelled_all(new.root(), name, &[], &sheet.names.1);
        if before == after {
            continue;
        }
        let kind = match (before.is_empty(), after.is_empty()) {
            (true, _) => ChangeKind::Added,
            (_, true) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        let id = format!("{}!{title}", quoted_sheet(&sheet.names.1));
        let mut change = Change::new(id, kind, "layout");
        change.details = details(old.root(), new.root(), name, title);
        let change = undo(change, sheet, old.root(), name, &after);
        diff.add(&sheet.names.1, change);
    }
    Ok(())
}

fn undo(change: Change, sheet: &SheetPair<'_>, old: Node<'_>, name: &str, after: &str) -> Change {
    let markup: String = old.elements().filter(|node| node.local() == name).map(Node::source).collect();
    if !sheet.map.shifts.is_empty() {
        return change.fixed("rows of the sheet moved since");
    }
    if has_relation(&markup) || has_relation(after) {
        return change.fixed("it leads to other parts of the file");
    }
    if !sheet.sides.1.has_formats_of(sheet.sides.0) {
        return change.fixed("the workbook's formats are numbered anew");
    }
    change.undone_by(Undo::Frame { part: sheet.parts.1.clone(), name: name.to_owned(), markup })
}

fn has_relation(markup: &str) -> bool {
    markup.contains(":id=\"") || markup.contains("extLst") || markup.contains(" id=\"rId")
}

/// All children of a name in one spelling, ranges and formulas as they read after rows have moved.
fn spelled_all(root: Node<'_>, name: &str, edits: &[Edit], sheet: &str) -> String {
    let mut out = String::new();
    for node in root.elements().filter(|node| node.local() == name) {
        if name == "sheetViews" {
            views(node, &mut out);
        } else {
            spell(node, edits, sheet, &mut out);
        }
    }
    out
}

/// Of views only what stays when somebody else opens the sheet.
fn views(node: Node<'_>, out: &mut String) {
    for view in node.elements() {
        for name in ["showGridLines", "showRowColHeaders", "rightToLeft", "showFormulas"] {
            if let Some(value) = view.attr(name) {
                out.push_str(&format!("{name} {value};"));
            }
        }
        for pane in view.elements().filter(|node| node.local() == "pane") {
            let value = |name: &str| pane.attr(name).map(std::borrow::Cow::into_owned).unwrap_or_default();
            out.push_str(&format!("{} {} {};", value("xSplit"), value("ySplit"), value("state")));
        }
    }
}

/// Markup in one spelling.
pub(super) fn spell(node: Node<'_>, edits: &[Edit], sheet: &str, out: &mut String) {
    out.push('<');
    out.push_str(node.local());
    let mut attributes: Vec<_> = node.attributes().filter(|one| !one.name.starts_with("xmlns")).collect();
    attributes.sort_by_key(|one| one.name);
    for one in attributes {
        let local = one.name.rsplit(':').next().unwrap_or(one.name);
        if local == "uid" || (node.local() == "mergeCells" && local == "count") {
            continue;
        }
        let moved = match local {
            "ref" | "sqref" => follow_ranges(one.raw, edits),
            _ => one.raw.to_owned(),
        };
        out.push_str(&format!(" {local}=\"{moved}\""));
    }
    out.push('>');
    let text = node.text();
    if !text.trim().is_empty() {
        let mut text = text.into_owned();
        if matches!(node.local(), "f" | "formula" | "formula1" | "formula2") {
            for edit in edits {
                text = shift(&text, sheet, edit).text.into_owned();
            }
        }
        out.push_str(&text);
    }
    node.elements().for_each(|child| spell(child, edits, sheet, out));
    out.push('/');
}

fn follow_ranges(ranges: &str, edits: &[Edit]) -> String {
    let mut text = ranges.to_owned();
    for edit in edits {
        text = shift_sqref(&text, edit).map(std::borrow::Cow::into_owned).unwrap_or_default();
    }
    text
}

fn details(old: Node<'_>, new: Node<'_>, name: &str, title: &str) -> Vec<Detail> {
    let list = |root: Node<'_>| -> Vec<(String, String)> {
        root.elements().filter(|node| node.local() == name).flat_map(|node| said(node, name)).collect()
    };
    let (old, new) = (list(old), list(new));
    let mut found = Vec::new();
    for (key, before) in &old {
        let after = new.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str());
        if after != Some(before) {
            found.push(Detail::new(key.as_str(), before.as_str(), after.unwrap_or_default()));
        }
    }
    let fresh = new.iter().filter(|(key, _)| !old.iter().any(|(other, _)| other == key));
    found.extend(fresh.map(|(key, after)| Detail::new(key.as_str(), "", after.as_str())));
    if found.is_empty() {
        found.push(Detail::new(title, "", ""));
    }
    found.truncate(50);
    found
}

/// What an element says, thing by thing.
fn said(node: Node<'_>, name: &str) -> Vec<(String, String)> {
    let attr = |node: Node<'_>, name: &str| node.attr(name).map(std::borrow::Cow::into_owned).unwrap_or_default();
    match name {
        "cols" => node
            .elements()
            .map(|col| {
                let letter =
                    |name: &str| attr(col, name).parse().map(|n| ColumnName(n).to_string()).unwrap_or_default();
                let (first, last) = (letter("min"), letter("max"));
                let key = if first == last { format!("width of {first}") } else { format!("width of {first}:{last}") };
                let hidden = if attr(col, "hidden") == "1" { " hidden" } else { "" };
                (key, format!("{}{hidden}", attr(col, "width")))
            })
            .collect(),
        "mergeCells" => node.elements().map(|merge| (attr(merge, "ref"), "merged".to_owned())).collect(),
        "sheetViews" => {
            let panes = node.elements().flat_map(Node::elements).filter(|node| node.local() == "pane");
            let one = |pane: Node<'_>| {
                let (rows, columns) = (attr(pane, "ySplit"), attr(pane, "xSplit"));
                let zero = |text: String| if text.is_empty() { "0".to_owned() } else { text };
                ("frozen rows and columns".to_owned(), format!("{} and {}", zero(rows), zero(columns)))
            };
            panes.map(one).collect()
        }
        "conditionalFormatting" => {
            vec![(attr(node, "sqref"), node.elements().map(|rule| attr(rule, "type")).collect::<Vec<_>>().join(", "))]
        }
        "dataValidations" => node.elements().map(|rule| (attr(rule, "sqref"), attr(rule, "type"))).collect(),
        _ => {
            let mut own: Vec<(String, String)> =
                node.attributes().map(|one| (one.name.to_owned(), one.raw.to_owned())).collect();
            own.extend(
                node.elements().take(50).map(|child| (child.local().to_owned(), child.text().trim().to_owned())),
            );
            own
        }
    }
}
