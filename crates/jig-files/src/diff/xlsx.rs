//! Compares two workbooks, sheet by sheet. Sheets are read as streams twice: first each row is reduced to digests
//! ([`Outline`]), then only the rows that differ are read again and compared cell by cell ([`super::xlsx_cells`]). So memory
//! grows with the number of rows and with what differs, not with the cells.

use std::collections::HashMap;

use jig_ooxml::xlsx::address::{CellRange, CellRef, MAX_ROW};
use jig_ooxml::xlsx::formula::{quoted_sheet, translate};
use jig_ooxml::xlsx::number_format::general;
use jig_ooxml::xlsx::serial_date::DateSystem;
use jig_ooxml::xlsx::workbook_part::{DefinedName, Sheet, WorkbookPart};
use jig_ooxml::xlsx::{
    CellData, CellMarkup, FormulaKind, FormulaMarkup, RowView, markup_text, shared_strings, sheet_rows, string_text,
};
use jig_ooxml::xml::{Node, Tree};
use jig_ooxml::{Limits, Package, PackageError};
use serde_json::json;

use super::change::{Change, ChangeKind, Detail, RevertPlan, StructuredDiff, StructuredFormat, count};
use super::xlsx_cells::{Moves, RowMap, SheetPair};
use super::xlsx_styles::{FormatKey, Styles, decimal, is_true};
use super::{package_parts, xlsx_cells, xlsx_layout};

/// Compares two workbooks.
pub(super) fn compare(old: &Package, new: &Package) -> Result<StructuredDiff, PackageError> {
    let mut shared = Shared::default();
    let (before, after) = (WorkbookSide::read(old, &mut shared)?, WorkbookSide::read(new, &mut shared)?);
    let mut diff = StructuredDiff::new(StructuredFormat::Xlsx);
    let matched = matched(&before, &after);
    sheets(&before, &after, &matched, &mut shared, &mut diff)?;

    let mut pairs = Vec::new();
    let same_numbers = before.means_the_same(&after);
    for (old_sheet, new_sheet) in &matched {
        let (Some(a), Some(b)) = (&old_sheet.part, &new_sheet.part) else { continue };
        if !(old_sheet.kind.has_cells() && new_sheet.kind.has_cells()) {
            continue;
        }
        if same_numbers && old.declared_bytes(a) == new.declared_bytes(b) && same_bytes(old, a, new, b)? {
            continue;
        }
        let outlines = (outline(&before, a, &mut shared)?, outline(&after, b, &mut shared)?);
        let map = RowMap::between(&outlines.0.rows, &outlines.1.rows);
        pairs.push(SheetPair {
            names: (old_sheet.name.clone(), new_sheet.name.clone()),
            parts: (a.clone(), b.clone()),
            outlines,
            map,
            sides: (&before, &after),
        });
    }
    let moves = Moves {
        edits: pairs.iter().flat_map(|pair| pair.map.edits(&pair.names.0)).collect(),
        renames: matched
            .iter()
            .filter(|(old, new)| old.name != new.name)
            .map(|(old, new)| (old.name.clone(), new.name.clone()))
            .collect(),
    };
    for pair in &pairs {
        xlsx_cells::compare(pair, &moves, &mut shared, &mut diff)?;
        xlsx_layout::compare(pair, old.limits(), &mut diff)?;
    }
    for (old_sheet, new_sheet) in &matched {
        let pair = pairs.iter().find(|pair| pair.names.1 == new_sheet.name);
        let edits = pair.map(|pair| pair.map.edits(&pair.names.0)).unwrap_or_default();
        xlsx_layout::compare_objects((&before, &after), (old_sheet, new_sheet), &edits, &mut diff)?;
    }
    names(&before, &after, &moves, &mut diff);
    let covered = covered(&before, &after);
    let same = |name: &str| same_but_moved(old, new, name, &moves).unwrap_or(false);
    package_parts::compare(old, new, &|name| covered(name), &same, &mut diff)?;
    Ok(diff.finish())
}

/// Reads both at once and compares as they come.
fn same_bytes(old: &Package, a: &str, new: &Package, b: &str) -> Result<bool, PackageError> {
    use std::io::Read;
    let (mut old_reader, mut new_reader) = (old.reader(a)?, new.reader(b)?);
    let (mut left, mut right) = (vec![0_u8; 64 << 10], vec![0_u8; 64 << 10]);
    let fill = |reader: &mut jig_ooxml::PartReader<'_>, buffer: &mut [u8], part: &str| {
        let mut filled = 0;
        while let Some(free) = buffer.get_mut(filled..).filter(|free| !free.is_empty()) {
            let read = reader.read(free).map_err(|error| jig_ooxml::PartReader::read_error(part, &error))?;
            if read == 0 {
                break;
            }
            filled += read;
        }
        Ok::<usize, PackageError>(filled)
    };
    loop {
        let (l, r) = (fill(&mut old_reader, &mut left, a)?, fill(&mut new_reader, &mut right, b)?);
        if l != r || left.get(..l) != right.get(..r) {
            return Ok(false);
        }
        if l == 0 {
            return Ok(true);
        }
    }
}

/// Pairs of sheets: by name, else (renamed) by sheet id and part when both names are without a counterpart.
fn matched<'a>(old: &'a WorkbookSide<'_>, new: &'a WorkbookSide<'_>) -> Vec<(&'a Sheet, &'a Sheet)> {
    let by_name: Vec<(&Sheet, &Sheet)> = old
        .book
        .sheets
        .iter()
        .filter_map(|sheet| Some((sheet, new.book.sheets.iter().find(|other| other.name == sheet.name)?)))
        .collect();
    let mut found = by_name.clone();
    for sheet in old.book.sheets.iter().filter(|sheet| !by_name.iter().any(|(known, _)| known == sheet)) {
        let free = |other: &&Sheet| !found.iter().any(|(_, known)| known == other);
        let like = |other: &&Sheet| other.sheet_id == sheet.sheet_id && other.part == sheet.part;
        let other = new.book.sheets.iter().filter(free).find(like);
        found.extend(other.map(|other| (sheet, other)));
    }
    found.sort_by_key(|(_, sheet)| new.book.sheets.iter().position(|other| other == *sheet));
    found
}

/// Sheets that were added, removed, renamed or moved.
fn sheets(
    old: &WorkbookSide<'_>,
    new: &WorkbookSide<'_>,
    matched: &[(&Sheet, &Sheet)],
    shared: &mut Shared,
    diff: &mut StructuredDiff,
) -> Result<(), PackageError> {
    for sheet in &new.book.sheets {
        if matched.iter().any(|(_, known)| *known == sheet) {
            continue;
        }
        let change = Change::new(format!("sheet {}", quoted_sheet(&sheet.name)), ChangeKind::Added, "sheet");
        let ops = vec![json!({ "op": "delete_sheet", "sheet": sheet.name })];
        let change = with_size(change, new, sheet, true, shared)?.revertible(RevertPlan::Ops { rank: 1, ops });
        diff.add(&sheet.name, change);
    }
    for sheet in &old.book.sheets {
        if matched.iter().any(|(known, _)| *known == sheet) {
            continue;
        }
        let change =
            Change::new(format!("sheet {} (removed)", quoted_sheet(&sheet.name)), ChangeKind::Removed, "sheet");
        let why = "formulas, names and charts that used the sheet changed with it";
        diff.add(&sheet.name, with_size(change, old, sheet, false, shared)?.not_revertible(why));
    }
    for (before, after) in matched {
        if before.name != after.name {
            let ops = vec![json!({ "op": "rename_sheet", "sheet": after.name, "new_name": before.name })];
            let change = Change::new(format!("sheet {}", quoted_sheet(&after.name)), ChangeKind::Renamed, "sheet");
            let change = change.texts(Some(&before.name), Some(&after.name));
            diff.add(&after.name, change.revertible(RevertPlan::Ops { rank: 0, ops }));
        }
        if before.state != after.state {
            let id = format!("sheet {} visibility", quoted_sheet(&after.name));
            let detail = Detail::new("shown", before.state.as_str(), after.state.as_str());
            let change = Change::new(id, ChangeKind::Changed, "sheet visibility").detail(detail);
            diff.add(&after.name, change.not_revertible("it is kept in the workbook's list of sheets"));
        }
    }
    order(old, matched, diff);
    Ok(())
}

fn order(old: &WorkbookSide<'_>, matched: &[(&Sheet, &Sheet)], diff: &mut StructuredDiff) {
    let places = matched.iter().filter_map(|(sheet, _)| old.book.sheets.iter().position(|other| other == *sheet));
    let places: Vec<usize> = places.collect();
    if places.is_sorted() {
        return;
    }
    let mut before: Vec<(usize, &str)> =
        places.iter().copied().zip(matched.iter().map(|(_, sheet)| sheet.name.as_str())).collect();
    let list = |names: &[(usize, &str)]| names.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    let after = list(&before);
    before.sort_unstable();
    let change = Change::new("sheet order", ChangeKind::Moved, "sheet").texts(Some(&list(&before)), Some(&after));
    diff.add("workbook", change.not_revertible("it is kept in the workbook's list of sheets"));
}

/// Rows of a sheet that came or went which are shown.
const SHOWN_ROWS: usize = 12;

/// Adds the size of a sheet and its first rows to a change.
fn with_size(
    change: Change,
    side: &WorkbookSide<'_>,
    sheet: &Sheet,
    new: bool,
    shared: &mut Shared,
) -> Result<Change, PackageError> {
    let Some(part) = sheet.part.as_ref().filter(|_| sheet.kind.has_cells()) else { return Ok(change) };
    let (mut rows, mut cells) = (0_usize, 0_usize);
    let mut columns: Option<(u32, u32)> = None;
    let mut lines: Vec<String> = Vec::new();
    jig_ooxml::xlsx::sheet_rows(side.package, part, &mut |row| {
        let masters = Masters::default();
        let (mut shown, before): (Vec<String>, usize) = (Vec::new(), cells);
        for raw in row.cell_markup().filter(|raw| !raw.is_empty()) {
            let column = raw.at.col();
            columns = Some(columns.map_or((column, column), |(first, last)| (first.min(column), last.max(column))));
            cells += 1;
            if lines.len() < SHOWN_ROWS {
                let cell = side.cell(&raw, shared, &masters);
                let text = side.display_text(&cell, shared);
                shown.push(match &cell.formula {
                    Some(formula) if text.is_empty() => format!("={formula}"),
                    _ => text,
                });
            }
        }
        rows += usize::from(cells > before);
        if !shown.is_empty() {
            lines.push(shown.join(" | "));
        }
        Ok(())
    })?;
    let width = columns.map_or(0, |(first, last)| (last - first) as usize + 1);
    let mut text = format!("{} × {} ({})", count(rows, "row"), count(width, "column"), count(cells, "cell"));
    lines.iter().for_each(|line| text.push_str(&format!("\n{line}")));
    if rows > lines.len() && cells > 0 {
        text.push_str("\n…");
    }
    Ok(if new { change.texts(None, Some(&text)) } else { change.texts(Some(&text), None) })
}

/// Compares defined names.
fn names(old: &WorkbookSide<'_>, new: &WorkbookSide<'_>, moves: &Moves, diff: &mut StructuredDiff) {
    let key = |side: &WorkbookSide<'_>, name: &DefinedName| {
        let sheet = name.sheet.and_then(|at| side.book.sheets.get(at)).map(|sheet| sheet.name.clone());
        (name.name.clone(), sheet.unwrap_or_default())
    };
    let table = |side: &WorkbookSide<'_>| -> HashMap<(String, String), String> {
        side.book.names.iter().filter(|name| !name.hidden).map(|name| (key(side, name), name.formula.clone())).collect()
    };
    let (before, after) = (table(old), table(new));
    let mut keys: Vec<&(String, String)> =
        before.keys().chain(after.keys().filter(|key| !before.contains_key(*key))).collect();
    keys.sort();
    for key in keys {
        let was = before.get(key).map(|formula| moves.follow(formula, "", None));
        let is = after.get(key);
        let kind = match (&was, is) {
            (Some(was), Some(is)) if was == is || same_name_value(&key.0, was, is) => continue,
            (Some(_), Some(_)) => ChangeKind::Changed,
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
        };
        let id = if key.1.is_empty() { format!("name {}", key.0) } else { format!("name {} on {}", key.0, key.1) };
        let shown = |text: Option<&String>| text.map(|text| format!("={text}"));
        let change = Change::new(id, kind, "name").texts(shown(was.as_ref()).as_deref(), shown(is).as_deref());
        diff.add("workbook", change.not_revertible("formulas may use the name"));
    }
}

/// Whether two formulas of a name are the same. Print titles are rows and columns in either order.
fn same_name_value(name: &str, old: &str, new: &str) -> bool {
    let parts = |formula: &str| {
        let bare = bare_formula(formula);
        let mut parts: Vec<String> = bare.split(',').map(str::to_owned).collect();
        parts.sort_unstable();
        parts
    };
    let is_list = name.eq_ignore_ascii_case("_xlnm.Print_Titles");
    bare_formula(old) == bare_formula(new) || (is_list && parts(old) == parts(new))
}

/// The parts that are compared here, so that `package_parts` leaves them out.
fn covered(old: &WorkbookSide<'_>, new: &WorkbookSide<'_>) -> impl Fn(&str) -> bool {
    let mut names: Vec<String> = Vec::new();
    for side in [old, new] {
        let book = &side.book;
        names.push(book.part.clone());
        names.extend([book.shared_strings(), book.styles()].into_iter().flatten().map(str::to_owned));
        names.extend(book.sheets.iter().filter(|sheet| sheet.kind.has_cells()).filter_map(|sheet| sheet.part.clone()));
        names.extend(book.sheets.iter().flat_map(|sheet| xlsx_layout::object_parts(side, sheet)));
    }
    let names: Vec<String> = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
    move |name: &str| names.contains(&name.trim_start_matches('/').to_ascii_lowercase())
}

/// Whether a part differs only by rows that moved: ranges of tables and charts.
fn same_but_moved(old: &Package, new: &Package, name: &str, moves: &Moves) -> Result<bool, PackageError> {
    if moves.edits.is_empty() || !name.ends_with(".xml") {
        return Ok(false);
    }
    let (before, after) = (old.xml(name)?, new.xml(name)?);
    let spelled = |part: &jig_ooxml::xml::XmlPart, edits: &[jig_ooxml::xlsx::formula::Edit]| {
        let tree = part.tree(old.limits())?;
        let mut out = String::new();
        xlsx_layout::spell(tree.root(), edits, "", &mut out);
        Ok::<String, PackageError>(out)
    };
    Ok(spelled(&before, &moves.edits)? == spelled(&after, &[])?)
}

/// What both workbooks share: a number for each string and each format.
#[derive(Default)]
pub(super) struct Shared {
    numbers: HashMap<(bool, String), u32>,
    texts: Vec<(bool, String)>,
    formats: HashMap<FormatKey, u32>,
}

/// One workbook.
pub(super) struct WorkbookSide<'p> {
    pub(super) package: &'p Package,
    pub(super) book: WorkbookPart,
    pub(super) styles: Styles,
    format_keys: Vec<u32>,
    strings: Vec<u32>,
}

/// A cell's content. Numbers are bits, so that they can be compared for sameness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Empty,
    Number(u64),
    Text(u32),
    Bool(bool),
    Error(String),
    Date(String),
}

/// A cell as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) col: u32,
    /// The format in its own workbook, and as both know it.
    pub(super) style: u32,
    pub(super) format: u32,
    pub(super) content: Content,
    pub(super) formula: Option<String>,
    /// Part of a formula that fills several cells.
    pub(super) array: bool,
}

/// Formulas of a sheet that give more than one cell its value.
#[derive(Debug, Default)]
pub(super) struct Masters {
    /// The first cells of shared formulas, by group.
    pub(super) shared: HashMap<u32, (CellRef, String)>,
    /// What array formulas and data tables fill.
    pub(super) areas: Vec<CellRange>,
}

/// More areas than this are not looked through for each cell.
const MOST_AREAS: usize = 256;

impl Masters {
    fn fills(&self, cell: CellRef) -> bool {
        self.areas.iter().take(MOST_AREAS).any(|area| area.contains(cell))
    }
}

impl Shared {
    /// The number of a string; rich ones differ from plain ones of the same text.
    fn string(&mut self, inner: &[u8]) -> u32 {
        let text = string_text(inner).replace("\r\n", "\n");
        let runs = if has_runs(inner) { rich(inner) } else { None };
        let rich = runs.is_some();
        let key = runs.map_or_else(|| (false, text.clone()), |runs| (true, runs));
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.texts.push((rich, text));
        }
        number
    }

    fn plain(&mut self, text: &str) -> u32 {
        let text = text.replace("\r\n", "\n");
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry((false, text.clone())).or_insert(next);
        if number == next {
            self.texts.push((false, text));
        }
        number
    }

    /// The characters of a string, and whether it has formats of its own.
    pub(super) fn text(&self, number: u32) -> (bool, &str) {
        self.texts.get(number as usize).map_or((false, ""), |(rich, text)| (*rich, text))
    }
}

/// A string with formats of its own in one spelling: its runs, those of one format together, without what a person
/// cannot see. None when no run has a format.
fn rich(inner: &[u8]) -> Option<String> {
    let source = String::from_utf8_lossy(inner);
    let mut runs: Vec<(Vec<String>, String)> = Vec::new();
    let (mut format, mut in_format, mut in_phonetic): (Vec<String>, bool, bool) = (Vec::new(), false, false);
    for piece in source.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        let name = tag.trim_end_matches('/').split_ascii_whitespace().next().unwrap_or_default();
        let (closes, name) = name.strip_prefix('/').map_or((false, name), |name| (true, name));
        match name.rsplit(':').next().unwrap_or(name) {
            "r" if !closes => format.clear(),
            "rPr" => in_format = !closes && !tag.ends_with('/'),
            "rPh" => in_phonetic = !closes,
            "t" if !closes && !in_phonetic => {
                format.sort();
                let text = jig_ooxml::xml::unescape(text).replace("\r\n", "\n");
                match runs.last_mut().filter(|(known, _)| *known == format) {
                    Some((_, known)) => known.push_str(&text),
                    None => runs.push((format.clone(), text)),
                }
            }
            name if in_format && !closes => format.extend(run_property(name, tag)),
            _ => {}
        }
    }
    let formatted = runs.iter().any(|(format, _)| !format.is_empty());
    formatted.then(|| runs.iter().map(|(format, text)| format!("{{{}}}{text}", format.join(","))).collect())
}

/// A property of a run, none for what is a default or cannot be seen.
fn run_property(name: &str, tag: &str) -> Option<String> {
    if matches!(name, "family" | "charset" | "scheme" | "condense" | "extend") {
        return None;
    }
    let mut values: Vec<String> = tag.split('"').skip(1).step_by(2).map(decimal).collect();
    values.sort();
    match (name, values.first().map(String::as_str)) {
        ("b" | "i" | "strike" | "outline" | "shadow", Some("0" | "false")) => None,
        ("b" | "i" | "strike" | "outline" | "shadow", _) => Some(name.to_owned()),
        ("u", None) => Some("u single".to_owned()),
        ("u", Some("none")) => None,
        // Black is the colour of text without any.
        ("color", Some("1" | "8" | "64" | "FF000000" | "000000")) if values.len() == 1 => None,
        _ => Some(format!("{name} {}", values.join(" "))),
    }
}

/// A formula without what its meaning does not hang on: white space, letter case, quotes around plain sheet names and
/// the prefixes of newer functions. String literals stay as they are.
pub(super) fn bare_formula(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.trim_start_matches('=').chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                out.push('"');
                for inside in letters.by_ref() {
                    out.push(inside);
                    if inside == '"' {
                        break;
                    }
                }
            }
            '\'' => {
                let name: String = letters.by_ref().take_while(|inside| *inside != '\'').collect();
                let plain = name.chars().all(|one| one.is_alphanumeric() || matches!(one, '_' | '.'));
                let quote = if plain { "" } else { "'" };
                out.push_str(&format!("{quote}{}{quote}", name.to_uppercase()));
            }
            letter if letter.is_whitespace() => {}
            letter => out.extend(letter.to_uppercase()),
        }
    }
    out.replace("_XLFN.", "").replace("_XLWS.", "")
}

/// Whether two numbers are the same to the digits that a workbook keeps, or name the same moment.
pub(super) fn same_number(a: f64, b: f64, dates: bool) -> bool {
    let distance = (a - b).abs();
    distance <= a.abs().max(b.abs()) * 1e-14 || (dates && distance < HALF_MILLISECOND)
}

/// In days, as dates are numbers.
const HALF_MILLISECOND: f64 = 0.5 / 86_400_000.0;

/// Whether a string has runs with formats.
fn has_runs(inner: &[u8]) -> bool {
    inner.windows(3).any(|three| matches!(three, [b'<' | b':', b'r', b'>' | b' ']))
}

impl<'p> WorkbookSide<'p> {
    pub(super) fn read(package: &'p Package, shared: &mut Shared) -> Result<Self, PackageError> {
        let book = WorkbookPart::read(package)?;
        let styles = Styles::read(package, &book)?;
        let format_keys = styles.keys(&mut shared.formats);
        let mut strings = Vec::new();
        if let Some(part) = book.shared_strings().filter(|part| package.has(part)) {
            shared_strings(package, part, |_, inner| strings.push(shared.string(inner)))?;
        }
        Ok(Self { package, book, styles, format_keys, strings })
    }

    /// Whether numbers in sheets of the other workbook mean the same in this one.
    pub(super) fn means_the_same(&self, other: &Self) -> bool {
        let starts = |list: &[u32], start: &[u32]| list.starts_with(start) || start.starts_with(list);
        starts(&self.strings, &other.strings) && starts(&self.format_keys, &other.format_keys)
    }

    /// Whether all formats of the other workbook have the same numbers here.
    pub(super) fn has_formats_of(&self, other: &Self) -> bool {
        self.format_keys.starts_with(&other.format_keys)
    }

    pub(super) fn format_key(&self, style: u32) -> u32 {
        // Plain cells of a workbook without styles are as those of one that has them.
        self.format_keys.get(style as usize).or(self.format_keys.first()).copied().unwrap_or(0)
    }

    pub(super) fn dates(&self) -> DateSystem {
        self.book.dates()
    }

    /// A cell as it is compared.
    pub(super) fn cell(&self, raw: &CellMarkup<'_>, shared: &mut Shared, masters: &Masters) -> Cell {
        let formula = raw.formula.map(|formula| match (formula.kind, formula.text()) {
            (FormulaKind::Shared(group), text) if text.is_empty() => masters
                .shared
                .get(&group)
                .map(|(master, text)| translate(text, *master, raw.at).text.into_owned())
                .unwrap_or_default(),
            (_, text) => text,
        });
        Cell {
            col: raw.at.col(),
            style: raw.style,
            format: self.format_key(raw.style),
            content: self.content(raw, shared),
            formula,
            array: raw.formula.as_ref().is_some_and(FormulaMarkup::fills_range) || masters.fills(raw.at),
        }
    }

    fn content(&self, raw: &CellMarkup<'_>, shared: &mut Shared) -> Content {
        let string = |number: u32, shared: &Shared| match shared.text(number).1 {
            "" => Content::Empty,
            _ => Content::Text(number),
        };
        if let Some(item) = raw.inline_string() {
            let number = shared.string(item);
            return string(number, shared);
        }
        match raw.data() {
            CellData::Empty => Content::Empty,
            CellData::Number(number) => Content::Number((number + 0.0).to_bits()),
            CellData::Shared(index) => {
                self.strings.get(index as usize).map_or(Content::Empty, |number| string(*number, shared))
            }
            CellData::Text(text) if text.is_empty() => Content::Empty,
            CellData::Text(text) => Content::Text(shared.plain(&text)),
            CellData::Bool(flag) => Content::Bool(flag),
            CellData::Error(text) => Content::Error(text.into_owned()),
            CellData::Date(text) => Content::Date(text.into_owned()),
        }
    }

    /// A cell's content as a person sees it.
    pub(super) fn display_text(&self, cell: &Cell, shared: &Shared) -> String {
        match &cell.content {
            Content::Empty => String::new(),
            Content::Number(bits) => {
                let format = self.styles.get(cell.style).number_format();
                format.number(f64::from_bits(*bits), self.dates())
            }
            _ => plain(&cell.content, shared),
        }
    }
}

/// A content without any format.
pub(super) fn plain(content: &Content, shared: &Shared) -> String {
    match content {
        Content::Empty => String::new(),
        Content::Number(bits) => {
            let number = f64::from_bits(*bits);
            if number.fract() == 0.0 { general(number) } else { number.to_string() }
        }
        Content::Text(number) => shared.text(*number).1.to_owned(),
        Content::Bool(true) => "TRUE".to_owned(),
        Content::Bool(false) => "FALSE".to_owned(),
        Content::Error(text) | Content::Date(text) => text.clone(),
    }
}

/// A sheet in outline: what each row comes to, and all that is around the rows.
pub(super) struct Outline {
    pub(super) rows: Vec<RowDigest>,
    pub(super) masters: Masters,
    /// The part without its rows.
    pub(super) frame: String,
    /// Formats of columns: from, to, and the number of the format.
    columns: Vec<(u32, u32, u32)>,
    /// Merged ranges by the rows that they cover.
    merged: HashMap<u32, Vec<CellRange>>,
}

/// Rows that merged ranges of a sheet may cover in total; merged ranges beyond it count as single cells.
const MERGED_ROWS_MAX: u32 = 200_000;

impl Outline {
    /// The format of cells of a column that are not written.
    pub(super) fn column_style(&self, column: u32) -> Option<u32> {
        self.columns.iter().find(|(first, last, _)| (*first..=*last).contains(&column)).map(|(_, _, style)| *style)
    }

    /// The merged range that a cell belongs to.
    pub(super) fn merged_range(&self, row: u32, col: u32) -> Option<CellRange> {
        let inside = |range: &&CellRange| (range.start().col()..=range.end().col()).contains(&col);
        self.merged.get(&row)?.iter().find(inside).copied()
    }
}

/// Formats of columns and merged ranges, read from what is around the rows.
fn columns_and_merges(part: &str, frame: &str, limits: &Limits) -> Result<Around, PackageError> {
    let tree = Tree::parse(part, frame, limits)?;
    let children =
        |name: &'static str| tree.root().elements().filter(move |node| node.local() == name).flat_map(Node::elements);
    let run = |node: Node<'_>| {
        let number = |name: &str| node.attr(name)?.trim().parse::<u32>().ok();
        Some((number("min")?, number("max")?, number("style").filter(|style| *style > 0)?))
    };
    let mut merged: HashMap<u32, Vec<CellRange>> = HashMap::new();
    let mut left = MERGED_ROWS_MAX;
    for range in children("mergeCells").filter_map(|node| node.attr("ref")?.parse::<CellRange>().ok()) {
        let rows = range.start().row()..=range.end().row();
        let Some(rest) = left.checked_sub(rows.end() - rows.start() + 1) else { continue };
        left = rest;
        rows.for_each(|row| merged.entry(row).or_default().push(range));
    }
    Ok((children("cols").filter_map(run).collect(), merged))
}

type Around = (Vec<(u32, u32, u32)>, HashMap<u32, Vec<CellRange>>);

/// What a row comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowDigest {
    pub(super) number: u32,
    /// What a reader sees of its content, places of formulas left out; 0 without any.
    pub(super) content: u128,
    /// Everything: values, formulas, formats.
    pub(super) exact: u128,
    /// Its first cell with a content.
    pub(super) first: u128,
    /// Height and the like.
    pub(super) attributes: u128,
    pub(super) has_formulas: bool,
}

/// What a row says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RowFacts {
    /// In points, as it is written; programs also write the height that they measured.
    pub(super) height: Option<f64>,
    /// Whether a person set the height.
    pub(super) own_height: bool,
    pub(super) hidden: bool,
    pub(super) level: u32,
    /// The format of cells that are not written.
    pub(super) style: Option<u32>,
}

impl RowFacts {
    pub(super) fn of(row: &RowView<'_>) -> Self {
        let text = |name: &str| row.attr(name).map(markup_text);
        let on = |name: &str| text(name).is_some_and(|value| is_true(&value));
        Self {
            height: text("ht").and_then(|height| height.trim().parse().ok()),
            own_height: on("customHeight"),
            hidden: on("hidden"),
            level: text("outlineLevel").and_then(|level| level.trim().parse().ok()).unwrap_or(0),
            style: text("s").filter(|_| on("customFormat")).and_then(|style| style.trim().parse().ok()),
        }
    }

    /// The height that was set, in tenths of a point; none when it follows from the content.
    pub(super) fn set_height(&self) -> Option<f64> {
        self.height.filter(|_| self.own_height).map(|height| (height * 10.0).round() / 10.0)
    }
}

/// Reads a sheet once.
pub(super) fn outline(side: &WorkbookSide<'_>, part: &str, shared: &mut Shared) -> Result<Outline, PackageError> {
    let mut rows = Vec::new();
    let mut masters = Masters::default();
    let mut digester = RowDigester { side, content: Vec::new(), exact: Vec::new() };
    let frame = sheet_rows(side.package, part, &mut |row| {
        // Beyond the grid no program reads anything.
        if !(1..=MAX_ROW).contains(&row.number()) {
            return Ok(());
        }
        rows.push(RowDigest { attributes: attributes(row), ..digester.digest_row(row, shared, &mut masters) });
        Ok(())
    })?;
    let (columns, merged) = columns_and_merges(part, &frame, side.package.limits())?;
    Ok(Outline { rows, masters, frame, columns, merged })
}

/// Height and the like; 0 when a row says nothing.
fn attributes(row: &RowView<'_>) -> u128 {
    let facts = RowFacts::of(row);
    if facts.set_height().is_none() && !facts.hidden && facts.level == 0 {
        return 0;
    }
    digest(format!("{:?} {} {}", facts.set_height(), facts.hidden, facts.level).as_bytes())
}

struct RowDigester<'s, 'p> {
    side: &'s WorkbookSide<'p>,
    content: Vec<u8>,
    exact: Vec<u8>,
}

impl RowDigester<'_, '_> {
    fn digest_row(&mut self, row: &RowView<'_>, shared: &mut Shared, masters: &mut Masters) -> RowDigest {
        self.content.clear();
        self.exact.clear();
        let (mut first, mut has_formulas) = (0, false);
        for raw in row.cell_markup() {
            if let Some(found) = raw.formula {
                has_formulas = true;
                let text = found.text();
                if let (FormulaKind::Shared(group), false) = (found.kind, text.is_empty()) {
                    masters.shared.entry(group).or_insert((raw.at, text.clone()));
                }
                if let Some(range) = found.range.filter(|_| found.fills_range()) {
                    masters.areas.push(range);
                }
            }
            let cell = self.side.cell(&raw, shared, masters);
            let formula = cell.formula.as_deref().map(bare_formula);
            let column = cell.col.to_le_bytes();
            let begin = self.content.len();
            if let Some(formula) = &formula {
                // Numbers in formulas shift with rows; values follow from them.
                self.content.extend_from_slice(&column);
                self.content.push(b'=');
                self.content.extend(formula.bytes().filter(|byte| !byte.is_ascii_digit()));
                self.content.push(0);
            } else if cell.content != Content::Empty {
                self.content.extend_from_slice(&column);
                put(&mut self.content, &cell.content);
            }
            if first == 0 && self.content.len() > begin {
                first = digest(self.content.get(begin..).unwrap_or_default());
            }
            self.exact.extend_from_slice(&column);
            self.exact.extend_from_slice(&cell.format.to_le_bytes());
            put(&mut self.exact, &cell.content);
            if let (Some(found), Some(text)) = (raw.formula, &formula) {
                self.exact.extend_from_slice(format!("={text}").as_bytes());
                self.exact.push(u8::from(found.fills_range()));
            }
        }
        let content = if self.content.is_empty() { 0 } else { digest(&self.content) };
        RowDigest { number: row.number(), content, exact: digest(&self.exact), first, attributes: 0, has_formulas }
    }
}

fn put(out: &mut Vec<u8>, content: &Content) {
    match content {
        Content::Empty => out.push(0),
        Content::Number(bits) => {
            out.push(1);
            // The last digits may be lost when a program rewrites a number; the cells are compared for that.
            out.extend_from_slice(&(bits.wrapping_add(1 << 5) >> 6).to_le_bytes());
        }
        Content::Text(number) => {
            out.push(2);
            out.extend_from_slice(&number.to_le_bytes());
        }
        Content::Bool(value) => out.extend_from_slice(&[3, u8::from(*value)]),
        Content::Error(text) | Content::Date(text) => {
            out.push(4);
            out.extend_from_slice(&(text.len() as u64).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// Cryptographic, so that a file cannot be made in which two different rows share a digest.
fn digest(bytes: &[u8]) -> u128 {
    let hash = blake3::hash(bytes);
    let half: [u8; 16] = std::array::from_fn(|at| hash.as_bytes().get(at).copied().unwrap_or(0));
    u128::from_le_bytes(half)
}
