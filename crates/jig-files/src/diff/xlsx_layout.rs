//! Compares what is around the cells of a sheet: column widths, panes, merged cells, rules, page setup; and the comments
//! and tables that belong to it. Each kind of element is read as facts (a name and a value that a person can read,
//! defaults left out), and facts are compared.

use std::collections::BTreeMap;

use jig_ooxml::xlsx::address::{ColumnName, MAX_COLUMN};
use jig_ooxml::xlsx::formula::{Edit, quoted_sheet, shift, shift_sqref};
use jig_ooxml::xlsx::workbook_part::Sheet;
use jig_ooxml::xml::{Node, Tree};
use jig_ooxml::{Limits, PackageError, Relationships};

use super::change::{Change, ChangeKind, Detail, RevertPlan, StructuredDiff};
use super::package_parts::{Links, spelled};
use super::xlsx::{WorkbookSide, bare_formula};
use super::xlsx_cells::SheetPair;
use super::xlsx_styles::{decimal, is_true};

/// The children of a sheet in the order that the standard asks for, with what a person calls them. Those
/// without a name are not compared: they hold where the cursor was, follow from the rest, or lead to parts that are
/// compared by themselves.
pub(in crate::diff) const ORDER: [(&str, &str); 26] = [
    ("sheetPr", "sheet properties"),
    ("dimension", ""),
    ("sheetViews", "panes"),
    ("sheetFormatPr", "default sizes"),
    ("cols", "columns"),
    ("sheetData", ""),
    ("sheetCalcPr", ""),
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
    ("drawing", ""),
    ("legacyDrawing", ""),
    ("tableParts", ""),
    ("extLst", "extensions"),
];

/// Values that an attribute has when it is not written, as the schema of the format says.
const DEFAULTS: [(&str, &str, &str); 53] = [
    ("customFilter", "operator", "equal"),
    ("filterColumn", "hiddenButton", "0"),
    ("filterColumn", "showButton", "1"),
    ("pageSetup", "paperSize", "1"),
    ("pageSetUpPr", "autoPageBreaks", "1"),
    ("pageSetUpPr", "fitToPage", "0"),
    ("outlinePr", "applyStyles", "0"),
    ("outlinePr", "summaryBelow", "1"),
    ("outlinePr", "summaryRight", "1"),
    ("outlinePr", "showOutlineSymbols", "1"),
    ("sheetPr", "syncHorizontal", "0"),
    ("sheetPr", "syncVertical", "0"),
    ("sheetPr", "transitionEvaluation", "0"),
    ("sheetPr", "transitionEntry", "0"),
    ("sheetPr", "published", "1"),
    ("sheetPr", "filterMode", "0"),
    ("sheetPr", "enableFormatConditionsCalculation", "1"),
    ("sheetProtection", "objects", "0"),
    ("sheetProtection", "scenarios", "0"),
    ("sheetProtection", "formatCells", "1"),
    ("sheetProtection", "formatColumns", "1"),
    ("sheetProtection", "formatRows", "1"),
    ("sheetProtection", "insertColumns", "1"),
    ("sheetProtection", "insertRows", "1"),
    ("sheetProtection", "insertHyperlinks", "1"),
    ("sheetProtection", "deleteColumns", "1"),
    ("sheetProtection", "deleteRows", "1"),
    ("sheetProtection", "selectLockedCells", "0"),
    ("sheetProtection", "sort", "1"),
    ("sheetProtection", "autoFilter", "1"),
    ("sheetProtection", "pivotTables", "1"),
    ("sheetProtection", "selectUnlockedCells", "0"),
    ("printOptions", "gridLinesSet", "1"),
    ("printOptions", "gridLines", "0"),
    ("printOptions", "headings", "0"),
    ("printOptions", "horizontalCentered", "0"),
    ("printOptions", "verticalCentered", "0"),
    ("pageSetup", "scale", "100"),
    ("pageSetup", "firstPageNumber", "1"),
    ("pageSetup", "fitToWidth", "1"),
    ("pageSetup", "fitToHeight", "1"),
    ("pageSetup", "pageOrder", "downThenOver"),
    ("pageSetup", "orientation", "default"),
    ("pageSetup", "blackAndWhite", "0"),
    ("pageSetup", "draft", "0"),
    ("pageSetup", "cellComments", "none"),
    ("pageSetup", "useFirstPageNumber", "0"),
    ("pageSetup", "errors", "displayed"),
    ("pageSetup", "copies", "1"),
    ("headerFooter", "differentOddEven", "0"),
    ("headerFooter", "differentFirst", "0"),
    ("headerFooter", "scaleWithDoc", "1"),
    ("headerFooter", "alignWithMargins", "1"),
];

/// What a printer or an editor keeps for itself.
const NOISE: [&str; 8] =
    ["horizontalDpi", "verticalDpi", "usePrinterDefaults", "id", "uid", "count", "codeName", "filterMode"];

/// Margins that programs write where a sheet has none of its own.
const MARGINS: [[&str; 6]; 2] =
    [["0.7", "0.7", "0.75", "0.75", "0.3", "0.3"], ["0.75", "0.75", "1", "1", "0.5", "0.5"]];

/// The width of a column in characters where neither the sheet nor the column says any.
const COLUMN_WIDTH: f64 = 8.43;
/// Widths that differ by less are the same, rounded by another program.
const WIDTH_ROUNDING: f64 = 0.1;
/// The same for a column without a width beside one that has the default one written out.
const DEFAULT_ROUNDING: f64 = 0.9;
/// How many facts of one element are listed; of a sheet with more, the number is reported.
const TOLD: usize = 50;

type Facts = BTreeMap<String, String>;

/// Compares the frames of a sheet.
pub(super) fn compare(sheet: &SheetPair<'_>, limits: &Limits, diff: &mut StructuredDiff) -> Result<(), PackageError> {
    let links = (Links::of(sheet.sides.0.package, &sheet.parts.0), Links::of(sheet.sides.1.package, &sheet.parts.1));
    let old = Tree::parse(&sheet.parts.0, &sheet.outlines.0.frame, limits)?;
    let new = Tree::parse(&sheet.parts.1, &sheet.outlines.1.frame, limits)?;
    let edits = sheet.map.edits(&sheet.names.0);
    let before = Frame { side: sheet.sides.0, root: old.root(), links: &links.0, edits: &edits, sheet: &sheet.names.0 };
    let after = Frame { side: sheet.sides.1, root: new.root(), links: &links.1, edits: &[], sheet: &sheet.names.1 };
    for (name, title) in ORDER.into_iter().filter(|(_, title)| !title.is_empty()) {
        let details =
            if name == "cols" { columns(&before, &after) } else { differing(&before.facts(name), &after.facts(name)) };
        if details.is_empty() {
            continue;
        }
        let kind = match (details.iter().all(|d| d.before.is_none()), details.iter().all(|d| d.after.is_none())) {
            (true, _) => ChangeKind::Added,
            (_, true) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        let id = format!("{}!{title}", quoted_sheet(&sheet.names.1));
        let mut change = Change::new(id, kind, "layout");
        change.details = details;
        diff.add(&sheet.names.1, with_plan(change, sheet, (old.root(), new.root()), name));
    }
    Ok(())
}

/// The facts that differ, in words.
fn differing(old: &Facts, new: &Facts) -> Vec<Detail> {
    let gone = old.iter().filter(|(key, value)| new.get(*key) != Some(value));
    let mut found: Vec<Detail> =
        gone.map(|(key, before)| Detail::new(key, before, new.get(key).map_or("", String::as_str))).collect();
    found.extend(new.iter().filter(|(key, _)| !old.contains_key(*key)).map(|(key, after)| Detail::new(key, "", after)));
    if found.len() > TOLD {
        let more = found.len() - TOLD;
        found.truncate(TOLD);
        found.push(Detail::new("more", "", format!("{more} not shown")));
    }
    found
}

fn with_plan(change: Change, sheet: &SheetPair<'_>, roots: (Node<'_>, Node<'_>), name: &str) -> Change {
    let source =
        |root: Node<'_>| -> String { root.elements().filter(|node| node.local() == name).map(Node::source).collect() };
    let markup = source(roots.0);
    if !sheet.map.shifts.is_empty() {
        return change.not_revertible("rows of the sheet moved since");
    }
    if has_relation(&markup) || has_relation(&source(roots.1)) {
        return change.not_revertible("it leads to other parts of the file");
    }
    if !sheet.sides.1.has_formats_of(sheet.sides.0) {
        return change.not_revertible("the workbook's formats are numbered anew");
    }
    change.revertible(RevertPlan::Frame { part: sheet.parts.1.clone(), name: name.to_owned(), markup })
}

fn has_relation(markup: &str) -> bool {
    markup.contains(":id=\"") || markup.contains("extLst") || markup.contains(" id=\"rId")
}

/// One side of what is around the rows.
struct Frame<'f> {
    side: &'f WorkbookSide<'f>,
    root: Node<'f>,
    links: &'f Links,
    /// What happened to the rows since, for ranges and formulas that follow them.
    edits: &'f [Edit],
    sheet: &'f str,
}

impl Frame<'_> {
    fn facts(&self, name: &str) -> Facts {
        let mut facts = Facts::new();
        for node in self.root.elements().filter(|node| node.local() == name) {
            match name {
                "sheetPr" => self.sheet_properties(node, &mut facts),
                "sheetViews" => view(node, &mut facts),
                "sheetFormatPr" => sizes(node, &mut facts),
                "sheetProtection" if !node.attr("sheet").is_some_and(|value| is_true(&value)) => {}
                "mergeCells" => node.elements().for_each(|merge| {
                    facts.insert(self.ranges(merge, "ref"), "merged".to_owned());
                }),
                "conditionalFormatting" => self.conditional(node, &mut facts),
                "dataValidations" => node.elements().for_each(|rule| self.validation(rule, &mut facts)),
                "hyperlinks" => node.elements().for_each(|link| self.hyperlink(link, &mut facts)),
                "pageMargins" => margins(node, &mut facts),
                "headerFooter" => header_footer(node, &mut facts),
                "rowBreaks" | "colBreaks" => node.elements().for_each(|mark| {
                    facts.insert(format!("behind {}", attr(mark, "id")), "break".to_owned());
                }),
                "extLst" => node.elements().for_each(|one| self.extension(one, &mut facts)),
                _ => self.plain(node, "", &mut facts),
            }
        }
        facts
    }

    /// Attributes and children as they are, without defaults.
    fn plain(&self, node: Node<'_>, path: &str, facts: &mut Facts) {
        for one in node.attributes().filter(|one| !one.name.starts_with("xmlns")) {
            let local = one.name.rsplit(':').next().unwrap_or(one.name);
            let value = attr(node, local);
            let value = match value.as_str() {
                "" => continue,
                "true" => "1".to_owned(),
                "false" => "0".to_owned(),
                _ if matches!(local, "ref" | "sqref") => self.ranges(node, local),
                other => decimal(other),
            };
            if NOISE.contains(&local) || DEFAULTS.contains(&(node.local(), local, value.as_str())) {
                continue;
            }
            facts.insert(format!("{path}{local}"), value);
        }
        for (at, child) in node.elements().enumerate() {
            let number = if node.elements().filter(|other| other.local() == child.local()).count() > 1 {
                format!(" {}", at + 1)
            } else {
                String::new()
            };
            self.plain(child, &format!("{path}{}{number} ", child.local()), facts);
        }
        let text = if node.elements().next().is_some() { String::new() } else { node.text().trim().to_owned() };
        if !text.is_empty() {
            facts.insert(path.trim_end().to_owned(), text);
        }
    }

    fn sheet_properties(&self, node: Node<'_>, facts: &mut Facts) {
        for child in node.elements() {
            if child.local() == "tabColor" {
                facts.insert("tab colour".to_owned(), self.side.styles.color(child));
            } else {
                self.plain(child, "", facts);
            }
        }
    }

    /// Ranges as they read after rows have moved, in one order.
    fn ranges(&self, node: Node<'_>, name: &str) -> String {
        let mut text = attr(node, name);
        for edit in self.edits {
            text = shift_sqref(&text, edit).map(std::borrow::Cow::into_owned).unwrap_or_default();
        }
        let mut all: Vec<String> = text.split_whitespace().map(|range| range.replace('$', "")).collect();
        all.sort();
        all.join(" ")
    }

    fn formula(&self, node: Node<'_>) -> String {
        let mut text = node.text().into_owned();
        for edit in self.edits {
            text = shift(&text, self.sheet, edit).text.into_owned();
        }
        bare_formula(&text)
    }

    fn conditional(&self, node: Node<'_>, facts: &mut Facts) {
        let mut rules: Vec<(i64, String)> = Vec::new();
        for rule in node.elements().filter(|node| node.local() == "cfRule") {
            let mut words = vec![attr(rule, "type")];
            for name in ["operator", "text", "timePeriod", "rank", "stdDev"] {
                words.push(attr(rule, name));
            }
            for name in ["bottom", "percent", "stopIfTrue", "equalAverage"] {
                words.push(if is_true(&attr(rule, name)) { name.to_owned() } else { String::new() });
            }
            if attr(rule, "aboveAverage") == "0" {
                words.push("below average".to_owned());
            }
            for child in rule.elements() {
                match child.local() {
                    "formula" => words.push(self.formula(child)),
                    "extLst" => {}
                    _ => words.push(self.scale(child)),
                }
            }
            if let Ok(number) = attr(rule, "dxfId").parse::<usize>() {
                words.push(self.side.styles.rule(number).to_owned());
            }
            words.retain(|word| !word.is_empty());
            rules.push((attr(rule, "priority").parse().unwrap_or(0), words.join(" ")));
        }
        rules.sort();
        let key = self.ranges(node, "sqref");
        let said = rules.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join("; ");
        if said.is_empty() {
            return;
        }
        facts.entry(key).and_modify(|known| *known = format!("{known}; {said}")).or_insert(said);
    }

    /// Colours, bars and icons of a rule.
    fn scale(&self, node: Node<'_>) -> String {
        let mut words = vec![node.local().to_owned()];
        for one in node.elements() {
            if one.local() == "color" {
                words.push(self.side.styles.color(one));
            } else {
                words.push(format!("{} {}", attr(one, "type"), decimal(&attr(one, "val"))).trim().to_owned());
            }
        }
        words.extend(Some(attr(node, "iconSet")).filter(|set| !set.is_empty() && set != "3TrafficLights1"));
        for (name, default) in [("reverse", false), ("showValue", true)] {
            let value = node.attr(name).map_or(default, |value| is_true(&value));
            words.extend((value != default).then(|| format!("{name} {value}")));
        }
        words.join(" ")
    }

    fn validation(&self, rule: Node<'_>, facts: &mut Facts) {
        let mut words = vec![attr(rule, "type")];
        for (name, default) in [("operator", "between"), ("errorStyle", "stop"), ("imeMode", "noControl")] {
            words.push(Some(attr(rule, name)).filter(|value| value != default).unwrap_or_default());
        }
        for name in ["formula1", "formula2"] {
            words.extend(rule.elements().find(|child| child.local() == name).map(|child| self.formula(child)));
        }
        for name in ["allowBlank", "showDropDown"] {
            words.push(if is_true(&attr(rule, name)) { name.to_owned() } else { String::new() });
        }
        for name in ["errorTitle", "error", "promptTitle", "prompt"] {
            words.extend(Some(attr(rule, name)).filter(|text| !text.is_empty()).map(|text| format!("{name} “{text}”")));
        }
        words.retain(|word| !word.is_empty() && word != "none");
        let key = self.ranges(rule, "sqref");
        let said = words.join(" ");
        facts.entry(key).and_modify(|known| *known = format!("{known}; {said}")).or_insert(said);
    }

    fn hyperlink(&self, link: Node<'_>, facts: &mut Facts) {
        let target = self.links.target(link).unwrap_or_default();
        let location = attr(link, "location");
        let whole = match (target.is_empty(), location.is_empty()) {
            (_, true) => target,
            (true, false) => format!("#{location}"),
            (false, false) => format!("{target}#{location}"),
        };
        let tip = Some(attr(link, "tooltip")).filter(|tip| !tip.is_empty()).map(|tip| format!(" “{tip}”"));
        let key = self.ranges(link, "ref");
        facts.insert(key, format!("{whole}{}", tip.unwrap_or_default()));
    }

    /// An extension by what it holds.
    fn extension(&self, node: Node<'_>, facts: &mut Facts) {
        // The view of page layout mode is a state of the window.
        for inside in node.elements().filter(|inside| inside.local() != "PLV") {
            let said = spelled(inside, self.links);
            let sum: String = blake3::hash(said.as_bytes()).to_hex().chars().take(8).collect();
            let rules = inside.elements().count();
            facts.insert(inside.local().to_owned(), format!("{rules} ({sum})"));
        }
    }
}

fn attr(node: Node<'_>, name: &str) -> String {
    node.attr(name).map(std::borrow::Cow::into_owned).unwrap_or_default()
}

/// Of views only what stays when another person opens the sheet.
fn view(node: Node<'_>, facts: &mut Facts) {
    let Some(view) = node.elements().find(|node| node.local() == "sheetView") else { return };
    let flags = [
        ("showGridLines", true, "grid lines"),
        ("showRowColHeaders", true, "headings"),
        ("rightToLeft", false, "right to left"),
        ("showFormulas", false, "formulas shown"),
    ];
    for (name, default, word) in flags {
        let value = view.attr(name).map_or(default, |value| is_true(&value));
        if value != default {
            facts.insert(word.to_owned(), if value { "on" } else { "off" }.to_owned());
        }
    }
    for pane in view.elements().filter(|node| node.local() == "pane") {
        let split = |name: &str| Some(decimal(&attr(pane, name))).filter(|text| !text.is_empty());
        let zero = |text: Option<String>| text.unwrap_or_else(|| "0".to_owned());
        let (rows, columns) = (zero(split("ySplit")), zero(split("xSplit")));
        let frozen = matches!(attr(pane, "state").as_str(), "frozen" | "frozenSplit");
        let key = if frozen { "frozen rows and columns" } else { "split rows and columns" };
        facts.insert(key.to_owned(), format!("{rows} and {columns}"));
    }
}

fn sizes(node: Node<'_>, facts: &mut Facts) {
    if is_true(&attr(node, "customHeight")) {
        facts.insert("default row height".to_owned(), decimal(&attr(node, "defaultRowHeight")));
    }
    if is_true(&attr(node, "zeroHeight")) {
        facts.insert("rows hidden by default".to_owned(), "yes".to_owned());
    }
}

fn margins(node: Node<'_>, facts: &mut Facts) {
    let names = ["left", "right", "top", "bottom", "header", "footer"];
    let values = names.map(|name| {
        let value = attr(node, name).trim().parse::<f64>().unwrap_or(0.0);
        ((value * 100.0).round() / 100.0).to_string()
    });
    if MARGINS.iter().any(|default| values == default.map(str::to_owned)) {
        return;
    }
    facts.extend(names.iter().map(|name| (*name).to_owned()).zip(values));
}

/// Texts of headers and footers by their sections, whose order says nothing.
fn header_footer(node: Node<'_>, facts: &mut Facts) {
    for name in ["differentOddEven", "differentFirst"] {
        if is_true(&attr(node, name)) {
            facts.insert(name.to_owned(), "yes".to_owned());
        }
    }
    for child in node.elements() {
        let text = child.text();
        let mut sections: BTreeMap<char, String> = BTreeMap::new();
        let mut section = 'C';
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match (letter, letters.peek()) {
                ('&', Some(side @ ('L' | 'C' | 'R'))) => {
                    section = *side;
                    letters.next();
                }
                ('&', Some(digit)) if digit.is_ascii_digit() => {
                    let text = sections.entry(section).or_default();
                    text.push('&');
                    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                        text.push(digit);
                    }
                    // Programs put a space behind a font size, so that a digit of the text is not part of it.
                    letters.next_if(|letter| *letter == ' ');
                    text.push(' ');
                }
                ('&', Some(_)) => {
                    sections.entry(section).or_default().extend(['&', letters.next().unwrap_or_default()]);
                }
                _ => sections.entry(section).or_default().push(letter),
            }
        }
        for (side, text) in sections.into_iter().filter(|(_, text)| !text.trim().is_empty()) {
            let word = match side {
                'L' => "left",
                'R' => "right",
                _ => "centre",
            };
            facts.insert(format!("{} {word}", child.local()), text.trim().replace("\r\n", "\n"));
        }
    }
}

/// How a column is.
#[derive(Clone, Copy, PartialEq)]
struct Column {
    width: Option<f64>,
    custom: bool,
    hidden: bool,
    level: u32,
    style: u32,
}

impl Frame<'_> {
    /// Columns that are written, as runs from and to.
    fn columns(&self) -> Vec<(u32, u32, Column)> {
        let nodes = self.root.elements().filter(|node| node.local() == "cols").flat_map(Node::elements);
        let run = |node: Node<'_>| {
            let number = |name: &str| attr(node, name).parse::<u32>().ok();
            let (min, max) = (number("min")?, number("max")?.min(MAX_COLUMN));
            let column = Column {
                width: attr(node, "width").parse().ok(),
                custom: is_true(&attr(node, "customWidth")),
                hidden: is_true(&attr(node, "hidden")),
                level: number("outlineLevel").unwrap_or(0),
                style: number("style").unwrap_or(0),
            };
            (min >= 1 && min <= max).then_some((min, max, column))
        };
        nodes.filter_map(run).collect()
    }

    fn default_width(&self) -> f64 {
        let node = self.root.elements().find(|node| node.local() == "sheetFormatPr");
        let said = node.and_then(|node| node.attr("defaultColWidth")?.parse::<f64>().ok());
        said.unwrap_or(COLUMN_WIDTH)
    }
}

/// Columns that differ, neighbours that differ alike together.
fn columns(old: &Frame<'_>, new: &Frame<'_>) -> Vec<Detail> {
    let (before, after) = (old.columns(), new.columns());
    // Between two borders of runs all columns are alike.
    let mut borders: Vec<u32> = before.iter().chain(&after).flat_map(|(min, max, _)| [*min, max + 1]).collect();
    borders.sort_unstable();
    borders.dedup();
    let at = |runs: &[(u32, u32, Column)], column: u32| {
        runs.iter().find(|(min, max, _)| (*min..=*max).contains(&column)).map(|(_, _, found)| *found)
    };
    let mut found: Vec<(u32, u32, &'static str, String, String)> = Vec::new();
    for pair in borders.windows(2) {
        let [first, next] = pair else { continue };
        let (a, b) = (at(&before, *first), at(&after, *first));
        for (name, was, is) in column_details(old, new, a, b) {
            match found
                .iter_mut()
                .rev()
                .find(|(_, last, known, x, y)| last + 1 == *first && *known == name && *x == was && *y == is)
            {
                Some(run) => run.1 = next - 1,
                None => found.push((*first, next - 1, name, was, is)),
            }
        }
    }
    let told = found.into_iter().map(|(first, last, name, was, is)| {
        let (from, to) = (ColumnName(first), ColumnName(last));
        let key = if first == last { format!("{name} of {from}") } else { format!("{name} of {from}:{to}") };
        Detail::new(key, was, is)
    });
    told.take(TOLD).collect()
}

fn column_details(
    old: &Frame<'_>,
    new: &Frame<'_>,
    a: Option<Column>,
    b: Option<Column>,
) -> Vec<(&'static str, String, String)> {
    let mut found = Vec::new();
    let width = |frame: &Frame<'_>, column: Option<Column>| {
        column.and_then(|column| column.width).unwrap_or_else(|| frame.default_width())
    };
    let (was, is) = (width(old, a), width(new, b));
    let written = |column: Option<Column>| column.is_some_and(|column| column.custom && column.width.is_some());
    let rounding = if written(a) && written(b) { WIDTH_ROUNDING } else { DEFAULT_ROUNDING };
    let hidden = |column: Option<Column>| column.is_some_and(|column| column.hidden);
    // A hidden column has no width that a person could see.
    let seen = !(hidden(a) && hidden(b));
    if seen && (was - is).abs() > rounding && (written(a) || written(b)) {
        let said = |column: Option<Column>, width: f64| {
            if column.and_then(|column| column.width).is_some() { decimal(&width.to_string()) } else { String::new() }
        };
        found.push(("width", said(a, was), said(b, is)));
    }
    if hidden(a) != hidden(b) {
        let word = |column| if hidden(column) { "yes" } else { "no" }.to_owned();
        found.push(("hidden", word(a), word(b)));
    }
    let level = |column: Option<Column>| column.map_or(0, |column| column.level);
    if level(a) != level(b) {
        found.push(("outline level", level(a).to_string(), level(b).to_string()));
    }
    let style = |column: Option<Column>| column.map_or(0, |column| column.style);
    if old.side.format_key(style(a)) != new.side.format_key(style(b)) {
        let details = old.side.styles.get(style(a)).details(&new.side.styles.get(style(b)));
        let said = |value: fn(&Detail) -> &Option<String>| {
            let words = details.iter().map(|one| format!("{} {}", one.name, value(one).as_deref().unwrap_or("none")));
            words.collect::<Vec<_>>().join("; ")
        };
        found.push(("format", said(|one| &one.before), said(|one| &one.after)));
    }
    found
}

/// Markup in one spelling, ranges and formulas as they read after rows have moved.
pub(super) fn spell(node: Node<'_>, edits: &[Edit], sheet: &str, out: &mut String) {
    out.push('<');
    out.push_str(node.local());
    let mut attributes: Vec<(&str, String)> = Vec::new();
    for one in node.attributes().filter(|one| !one.name.starts_with("xmlns")) {
        let local = one.name.rsplit(':').next().unwrap_or(one.name);
        if local == "uid" {
            continue;
        }
        let mut value = one.raw.to_owned();
        if matches!(local, "ref" | "sqref") {
            for edit in edits {
                value = shift_sqref(&value, edit).map(std::borrow::Cow::into_owned).unwrap_or_default();
            }
        }
        attributes.push((local, value));
    }
    attributes.sort();
    for (name, value) in attributes {
        out.push_str(&format!(" {name}=\"{value}\""));
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

/// Kinds of relationships whose parts are compared here.
const KINDS: [&str; 2] = ["comments", "table"];

/// The parts of a sheet that are compared here.
pub(super) fn object_parts(side: &WorkbookSide<'_>, sheet: &Sheet) -> Vec<String> {
    let Some(part) = &sheet.part else { return Vec::new() };
    let relationships = Relationships::read(side.package, part).unwrap_or_default();
    let own = relationships.list.into_iter().filter(|rel| KINDS.contains(&rel.kind.as_str()));
    own.filter_map(|rel| rel.part).filter(|part| side.package.has(part)).collect()
}

/// Compares comments and tables of a sheet. `edits` is what happened to its rows.
pub(super) fn compare_objects(
    sides: (&WorkbookSide<'_>, &WorkbookSide<'_>),
    sheets: (&Sheet, &Sheet),
    edits: &[Edit],
    diff: &mut StructuredDiff,
) -> Result<(), PackageError> {
    let (old, new) = (Objects::read(sides.0, sheets.0, edits)?, Objects::read(sides.1, sheets.1, &[])?);
    let name = &sheets.1.name;
    for (cell, before, after) in differing_entries(&old.comments, &new.comments) {
        let change = Change::new(format!("{}!{cell} comment", quoted_sheet(name)), kind(before, after), "comment");
        let mut change = change.texts(before.map(String::as_str), after.map(String::as_str));
        if let (Some(before), Some(after)) = (before, after) {
            change = change.with_words(before, after);
        }
        diff.add(name, change.not_revertible("comments are kept in a part of their own"));
    }
    for (table, before, after) in differing_entries(&old.tables, &new.tables) {
        let mut change = Change::new(format!("table {table}"), kind(before, after), "table");
        let empty = BTreeMap::new();
        for (name, was, is) in differing_entries(before.unwrap_or(&empty), after.unwrap_or(&empty)) {
            let text = |value: Option<&String>| value.cloned().unwrap_or_default();
            change = change.detail(Detail::new(*name, text(was), text(is)));
        }
        diff.add(name, change.not_revertible("formulas may use the table"));
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
fn differing_entries<'m, K: Ord, V: PartialEq>(
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
    fn read(side: &WorkbookSide<'_>, sheet: &Sheet, edits: &[Edit]) -> Result<Self, PackageError> {
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

    fn comments(&mut self, side: &WorkbookSide<'_>, part: &str, edits: &[Edit]) -> Result<(), PackageError> {
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

    fn table(&mut self, side: &WorkbookSide<'_>, part: &str, edits: &[Edit]) -> Result<(), PackageError> {
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
                    let filters = child.elements().map(|one| spelled(one, &Default::default()));
                    let filters = filters.collect::<Vec<_>>().join(" ");
                    table.insert("filter", filters.replace(" hiddenButton=\"0\"", "").replace(" showButton=\"1\"", ""));
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
