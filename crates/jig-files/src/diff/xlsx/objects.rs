//! What hangs on a sheet and has a part of its own: comments by cell, tables by name. Programs name these parts as
//! they like, so they are matched by what they are.

use std::collections::BTreeMap;

use jig_ooxml::xlsx::formula::{Edit, quoted_sheet, shift_sqref};
use jig_ooxml::xlsx::workbook_part::Sheet;
use jig_ooxml::xml::Node;
use jig_ooxml::{PackageError, Relationships};

use super::super::change::{Change, ChangeKind, Detail};
use super::super::inside::InsideDiff;
use super::side::{Side, bare_formula};
use super::styles::is_true;

/// Kinds of relationships whose parts are compared here.
const KINDS: [&str; 2] = ["comments", "table"];

/// The parts of a sheet that are compared here.
pub(super) fn parts(side: &Side<'_>, sheet: &Sheet) -> Vec<String> {
    let Some(part) = &sheet.part else { return Vec::new() };
    let relationships = Relationships::read(side.package, part).unwrap_or_default();
    let own = relationships.list.into_iter().filter(|rel| KINDS.contains(&rel.kind.as_str()));
    own.filter_map(|rel| rel.part).filter(|part| side.package.has(part)).collect()
}

/// Compares comments and tables of a sheet. `edits` is what happened to its rows.
pub(super) fn compare(
    sides: (&Side<'_>, &Side<'_>),
    sheets: (&Sheet, &Sheet),
    edits: &[Edit],
    diff: &mut InsideDiff,
) -> Result<(), PackageError> {
    let (old, new) = (Objects::read(sides.0, sheets.0, edits)?, Objects::read(sides.1, sheets.1, &[])?);
    let name = &sheets.1.name;
    for (cell, before, after) in differing(&old.comments, &new.comments) {
        let change = Change::new(format!("{}!{cell} comment", quoted_sheet(name)), kind(before, after), "comment");
        let mut change = change.texts(before.map(String::as_str), after.map(String::as_str));
        if let (Some(before), Some(after)) = (before, after) {
            change = change.words(before, after);
        }
        diff.add(name, change.fixed("comments are kept in a part of their own"));
    }
    for (table, before, after) in differing(&old.tables, &new.tables) {
        let mut change = Change::new(format!("table {table}"), kind(before, after), "table");
        let empty = BTreeMap::new();
        for (name, was, is) in differing(before.unwrap_or(&empty), after.unwrap_or(&empty)) {
            let text = |value: Option<&String>| value.cloned().unwrap_or_default();
            change = change.detail(Detail::new(*name, text(was), text(is)));
        }
        diff.add(name, change.fixed("formulas may use the table"));
    }
    Ok(())
}

fn kind<T>(before: Option<&T>, after: Option<&T>) -> ChangeKind {
    match (before, after) {
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Removed,
        _ => ChangeKind::Changed,
    }
}

/// Entries that stand on one side only, or with another value.
fn differing<'m, K: Ord, V: PartialEq>(
    old: &'m BTreeMap<K, V>,
    new: &'m BTreeMap<K, V>,
) -> Vec<(&'m K, Option<&'m V>, Option<&'m V>)> {
    let gone = old.iter().map(|(key, value)| (key, Some(value), new.get(key)));
    let came = new.iter().filter(|(key, _)| !old.contains_key(*key)).map(|(key, value)| (key, None, Some(value)));
    gone.chain(came).filter(|(_, before, after)| before != after).collect()
}

type Table = BTreeMap<&'static str, String>;

#[derive(Default)]
struct Objects {
    /// Texts by cell.
    comments: BTreeMap<String, String>,
    /// Tables by the name that formulas use.
    tables: BTreeMap<String, Table>,
}

impl Objects {
    fn read(side: &Side<'_>, sheet: &Sheet, edits: &[Edit]) -> Result<Self, PackageError> {
        let mut objects = Self::default();
        let Some(part) = &sheet.part else { return Ok(objects) };
        for rel in Relationships::read(side.package, part)?.list {
            let Some(part) = rel.part.filter(|part| side.package.has(part)) else { continue };
            match rel.kind.as_str() {
                "comments" => objects.comments(side, &part, edits)?,
                "table" => objects.table(side, &part, edits)?,
                _ => {}
            }
        }
        Ok(objects)
    }

    fn comments(&mut self, side: &Side<'_>, part: &str, edits: &[Edit]) -> Result<(), PackageError> {
        let content = side.package.xml(part)?;
        let tree = content.tree(side.package.limits())?;
        for comment in tree.root().descendants().filter(|node| node.is_element() && node.local() == "comment") {
            let runs = comment.descendants().filter(|node| node.is_element() && node.local() == "t");
            let phonetic = |node: &Node<'_>| node.parent().is_some_and(|parent| parent.local() == "rPh");
            let text: String = runs.filter(|node| !phonetic(node)).map(|node| node.text().into_owned()).collect();
            self.comments.insert(followed(&attr(comment, "ref"), edits), text.replace("\r\n", "\n").trim().to_owned());
        }
        Ok(())
    }

    fn table(&mut self, side: &Side<'_>, part: &str, edits: &[Edit]) -> Result<(), PackageError> {
        let content = side.package.xml(part)?;
        let tree = content.tree(side.package.limits())?;
        let root = tree.root();
        let name =
            Some(attr(root, "displayName")).filter(|name| !name.is_empty()).unwrap_or_else(|| attr(root, "name"));
        let mut table = Table::new();
        table.insert("range", followed(&attr(root, "ref"), edits));
        let rows =
            |name: &str, default: &str| Some(attr(root, name)).filter(|rows| !rows.is_empty() && rows != default);
        if let Some(rows) = rows("headerRowCount", "1") {
            table.insert("header rows", rows);
        }
        if let Some(rows) = rows("totalsRowCount", "0") {
            table.insert("total rows", rows);
        }
        for child in root.elements() {
            match child.local() {
                "tableColumns" => {
                    let columns: Vec<String> = child.elements().map(column).collect();
                    table.insert("columns", columns.join(", "));
                }
                "tableStyleInfo" => {
                    let flags = ["showFirstColumn", "showLastColumn", "showRowStripes", "showColumnStripes"];
                    let on = flags.into_iter().filter(|flag| is_true(&attr(child, flag)));
                    let words = std::iter::once(attr(child, "name")).chain(on.map(str::to_owned));
                    table.insert("style", words.collect::<Vec<_>>().join(" "));
                }
                "autoFilter" => {
                    let filters = child.elements().map(|one| super::super::markup::spelled(one, &Default::default()));
                    table.insert("filter", filters.collect::<Vec<_>>().join(" "));
                }
                _ => {}
            }
        }
        table.retain(|_, value| !value.is_empty());
        self.tables.insert(name, table);
        Ok(())
    }
}

/// A column of a table: its name, its formula and its totals row.
fn column(node: Node<'_>) -> String {
    let inside = |name: &str| {
        let found = node.elements().find(|child| child.local() == name).map(|child| bare_formula(&child.text()));
        found.map(|formula| format!(" ={formula}")).unwrap_or_default()
    };
    let total = Some(attr(node, "totalsRowFunction")).filter(|total| !total.is_empty() && total != "none");
    let label = Some(attr(node, "totalsRowLabel")).filter(|label| !label.is_empty());
    let below: String = total.into_iter().chain(label).map(|word| format!(" ({word})")).collect();
    format!("{}{}{}{below}", attr(node, "name"), inside("calculatedColumnFormula"), inside("totalsRowFormula"))
}

fn followed(range: &str, edits: &[Edit]) -> String {
    let mut text = range.replace('$', "");
    for edit in edits {
        text = shift_sqref(&text, edit).map(std::borrow::Cow::into_owned).unwrap_or_default();
    }
    text
}

fn attr(node: Node<'_>, name: &str) -> String {
    node.attr(name).map(std::borrow::Cow::into_owned).unwrap_or_default()
}
