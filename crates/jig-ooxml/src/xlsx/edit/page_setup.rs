//! How a sheet is printed: paper, margins, fitting, headers and footers, print area, repeated rows and columns.

use jig_file_api::ops::xlsx::{PageMargins, PageSetup, PageText, SetPrintArea};

use super::format::ranges_at;
use super::names::{fixed_range, set_builtin};
use super::order::{WORKSHEET, insert_in_order};
use super::outline::{columns_at, rows_at};
use super::styles::Element;
use super::tabs::set_property;
use super::{WorkbookEdit, listed};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, MAX_COLUMN, MAX_ROW};
use crate::xml::{Node, Ns, Splice, escape_text, strip_illegal};

/// The numbers of paper sizes.
const PAPERS: [(&str, u32); 9] = [
    ("letter", 1),
    ("tabloid", 3),
    ("legal", 5),
    ("executive", 7),
    ("A3", 8),
    ("A4", 9),
    ("A5", 11),
    ("B4", 12),
    ("B5", 13),
];
/// The margins that Excel gives new sheets, in inches, in the order of the schema.
const MARGINS: [(&str, f64); 6] =
    [("left", 0.7), ("right", 0.7), ("top", 0.75), ("bottom", 0.75), ("header", 0.3), ("footer", 0.3)];
/// The most characters of a header or footer with its codes.
const MOST_CHARS: usize = 255;
const TITLES: &str = "_xlnm.Print_Titles";
const AREA: &str = "_xlnm.Print_Area";

/// Sets how a sheet is printed. What is not given stays.
pub(super) fn page_setup(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &PageSetup) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let fits = op.fit_to_width.is_some() || op.fit_to_height.is_some();
    if fits && op.scale.is_some() {
        let why = "`scale` and fitting to pages exclude each other; give one";
        return Err(input.error("scale", why).into());
    }
    let header = op.header.as_ref().map(|text| page_text(text, input, "header")).transpose()?;
    let footer = op.footer.as_ref().map(|text| page_text(text, input, "footer")).transpose()?;
    let mut done: Vec<String> = Vec::new();
    let mut note = |what: &str, given: bool| {
        if given {
            done.push(what.to_owned());
        }
    };
    note("orientation", op.orientation.is_some());
    note("paper", op.paper.is_some());
    note("margins", op.margins.is_some());
    note("fitting", fits);
    note("scale", op.scale.is_some());
    note("header", header.is_some());
    note("footer", footer.is_some());
    note("repeated rows", op.repeat_rows.is_some());
    note("repeated columns", op.repeat_columns.is_some());
    note("centering", op.center_horizontally.is_some() || op.center_vertically.is_some());
    note("gridlines", op.gridlines.is_some());
    if done.is_empty() {
        return Err(input.error("", "nothing to set: give at least one of the fields of page_setup").into());
    }
    let titles = titles(editor, input, op, place, &sheet)?;
    editor.edit_frame(&part, |root, splice| {
        fit(root, splice, fits, op.scale.is_some());
        if let Some(margins) = &op.margins {
            set_margins(root, splice, margins);
        }
        set_options(root, splice, op);
        set_setup(root, splice, op, fits);
        header_footer(root, splice, header.as_deref(), footer.as_deref());
        Ok(())
    })?;
    if let Some(titles) = titles {
        set_builtin(editor, place, TITLES, titles.as_deref(), false)?;
    }
    let summary = format!("Set {} of {sheet} for printing.", done.join(", "));
    Ok(OpReport::new(input, summary).with("sheet", sheet).with("set", done))
}

/// Sets or removes the print area of a sheet.
pub(super) fn set_print_area(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &SetPrintArea,
) -> Result<OpReport, Error> {
    let (place, _) = editor.grid(input, "sheet", &op.sheet)?;
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let given = op.range.as_deref().filter(|range| !range.trim().eq_ignore_ascii_case("none"));
    let ranges = given.map(|range| ranges_at(range, &input.at("range"))).transpose()?.unwrap_or_default();
    let text = ranges.iter().map(|range| fixed_range(&sheet, *range)).collect::<Vec<_>>().join(",");
    let refers_to = (!ranges.is_empty()).then_some(text.as_str());
    let old = set_builtin(editor, place, AREA, refers_to, false)?;
    let summary = match refers_to {
        Some(_) => format!("Set the print area of {sheet} to {}.", listed(ranges.iter(), 8)),
        None => format!("Removed the print area of {sheet}."),
    };
    let change = OpReport::new(input, summary).with("sheet", sheet);
    let change = match refers_to {
        Some(_) => change.with("range", listed(ranges.iter(), 8)),
        None => change,
    };
    Ok(match old {
        Some(old) => change.with("old", old),
        None => change,
    })
}

/// The formula of the name for repeated rows and columns; `Some(None)` removes it, none leaves it.
fn titles(
    editor: &WorkbookEdit<'_>,
    input: &OpInput,
    op: &PageSetup,
    place: usize,
    sheet: &str,
) -> Result<Option<Option<String>>, EditError> {
    if op.repeat_rows.is_none() && op.repeat_columns.is_none() {
        return Ok(None);
    }
    let old = editor.book.names.iter().find(|name| name.sheet == Some(place) && name.name.eq_ignore_ascii_case(TITLES));
    let old: Vec<&str> = old.map(|name| name.formula.split(',').collect()).unwrap_or_default();
    let whole = |columns: bool| {
        old.iter()
            .find(|piece| {
                let cells = piece.rsplit('!').next().unwrap_or_default().replace('$', "");
                cells.bytes().any(|byte| byte.is_ascii_alphabetic()) == columns
            })
            .map(|piece| (*piece).to_owned())
    };
    let is_none = |text: &str| text.trim().is_empty() || text.trim().eq_ignore_ascii_case("none");
    let columns = match op.repeat_columns.as_deref() {
        None => whole(true),
        Some(text) if is_none(text) => None,
        Some(text) => {
            let (first, last) = columns_at(&text.into(), &input.at("repeat_columns"))?;
            let range = CellRef::new(1, first).zip(CellRef::new(MAX_ROW, last));
            range.map(|(start, end)| fixed_range(sheet, CellRange::new(start, end)))
        }
    };
    let rows = match op.repeat_rows.as_deref() {
        None => whole(false),
        Some(text) if is_none(text) => None,
        Some(text) => {
            let (first, last) = rows_at(&text.into(), &input.at("repeat_rows"))?;
            let range = CellRef::new(first, 1).zip(CellRef::new(last, MAX_COLUMN));
            range.map(|(start, end)| fixed_range(sheet, CellRange::new(start, end)))
        }
    };
    let pieces: Vec<String> = columns.into_iter().chain(rows).collect();
    Ok(Some((!pieces.is_empty()).then(|| pieces.join(","))))
}

/// Turns fitting to pages on or off.
fn fit(root: Node<'_>, splice: &mut Splice<'_>, fits: bool, scales: bool) {
    if !(fits || scales) {
        return;
    }
    let old = root.child(Ns::S, "sheetPr").and_then(|node| node.child(Ns::S, "pageSetUpPr"));
    let mut element = old.map_or_else(|| Element::new(format!("{}pageSetUpPr", root.prefix())), Element::of);
    match fits {
        true => element.set("fitToPage", "1"),
        false => element.unset("fitToPage"),
    }
    if old.is_some() || fits {
        set_property(root, splice, "pageSetUpPr", &element.markup());
    }
}

fn set_margins(root: Node<'_>, splice: &mut Splice<'_>, margins: &PageMargins) {
    let given = [margins.left, margins.right, margins.top, margins.bottom, margins.header, margins.footer];
    let old = root.child(Ns::S, "pageMargins");
    let mut element = Element::new(format!("{}pageMargins", root.prefix()));
    for ((name, default), given) in MARGINS.iter().zip(given) {
        let kept = old.and_then(|old| old.attr(name)).map(std::borrow::Cow::into_owned);
        let value = given.map(|value| value.to_string()).or(kept).unwrap_or_else(|| default.to_string());
        element.set(name, value);
    }
    put(root, splice, "pageMargins", old, &element);
}

fn set_options(root: Node<'_>, splice: &mut Splice<'_>, op: &PageSetup) {
    let flags = [
        ("horizontalCentered", op.center_horizontally),
        ("verticalCentered", op.center_vertically),
        ("gridLines", op.gridlines),
    ];
    if flags.iter().all(|(_, flag)| flag.is_none()) {
        return;
    }
    let old = root.child(Ns::S, "printOptions");
    let mut element = old.map_or_else(|| Element::new(format!("{}printOptions", root.prefix())), Element::of);
    for (name, flag) in flags {
        match flag {
            Some(true) => element.set(name, "1"),
            Some(false) => element.unset(name),
            None => {}
        }
    }
    put(root, splice, "printOptions", old, &element);
}

fn set_setup(root: Node<'_>, splice: &mut Splice<'_>, op: &PageSetup, fits: bool) {
    if op.orientation.is_none() && op.paper.is_none() && op.scale.is_none() && !fits {
        return;
    }
    let old = root.child(Ns::S, "pageSetup");
    let mut element = old.map_or_else(|| Element::new(format!("{}pageSetup", root.prefix())), Element::of);
    if let Some(orientation) = &op.orientation {
        element.set("orientation", orientation.as_str());
    }
    let paper = op.paper.as_deref().and_then(|paper| PAPERS.iter().find(|(name, _)| *name == paper));
    if let Some((_, number)) = paper {
        element.set("paperSize", number.to_string());
        // A size in millimetres would override the number.
        element.unset("paperWidth");
        element.unset("paperHeight");
    }
    if let Some(scale) = op.scale {
        element.set("scale", scale.to_string());
        element.unset("fitToWidth");
        element.unset("fitToHeight");
    }
    if fits {
        element.unset("scale");
        for (name, pages) in [("fitToWidth", op.fit_to_width), ("fitToHeight", op.fit_to_height)] {
            match pages {
                Some(pages) => element.set(name, pages.to_string()),
                // One direction alone is fitted; the other takes the pages that it needs.
                None if element.attr(name).is_none() => element.set(name, "0"),
                None => {}
            }
        }
    }
    // Margins come before the setup in every file of Excel, and the schema wants them there.
    if root.child(Ns::S, "pageMargins").is_none() && op.margins.is_none() {
        set_margins(root, splice, &PageMargins::default());
    }
    put(root, splice, "pageSetup", old, &element);
}

fn put(root: Node<'_>, splice: &mut Splice<'_>, name: &str, old: Option<Node<'_>>, element: &Element) {
    match old {
        Some(old) => splice.replace(old.range(), element.markup()),
        None => insert_in_order(splice, root, name, &element.markup(), &WORKSHEET),
    }
}

fn header_footer(root: Node<'_>, splice: &mut Splice<'_>, header: Option<&str>, footer: Option<&str>) {
    if header.is_none() && footer.is_none() {
        return;
    }
    let prefix = root.prefix();
    let element = |name: &str, text: &str| match text {
        "" => String::new(),
        text => format!("<{prefix}{name}>{}</{prefix}{name}>", escape_text(text)),
    };
    let names = ["oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"];
    let Some(old) = root.child(Ns::S, "headerFooter") else {
        let inner = format!(
            "{}{}",
            element("oddHeader", header.unwrap_or_default()),
            element("oddFooter", footer.unwrap_or_default())
        );
        if !inner.is_empty() {
            let markup = format!("<{prefix}headerFooter>{inner}</{prefix}headerFooter>");
            insert_in_order(splice, root, "headerFooter", &markup, &WORKSHEET);
        }
        return;
    };
    let mut added = String::new();
    for (given, all) in
        [(header, ["oddHeader", "evenHeader", "firstHeader"]), (footer, ["oddFooter", "evenFooter", "firstFooter"])]
    {
        let Some(text) = given else { continue };
        for (number, name) in all.iter().enumerate() {
            match old.child(Ns::S, name) {
                Some(node) => {
                    splice.replace(node.range(), if number == 0 { element(name, text) } else { String::new() });
                }
                None if number == 0 => added.push_str(&element(name, text)),
                None => {}
            }
        }
        // The text is that of every page.
        for flag in ["differentOddEven", "differentFirst"] {
            splice.remove_attr(old, flag);
        }
    }
    if !added.is_empty() {
        insert_in_order(splice, old, if header.is_some() { "oddHeader" } else { "oddFooter" }, &added, &names);
    }
}

/// A header or footer with the codes of Excel.
fn page_text(text: &PageText, input: &OpInput, field: &str) -> Result<String, EditError> {
    let mut out = String::new();
    for (code, piece) in [("&L", &text.left), ("&C", &text.center), ("&R", &text.right)] {
        let Some(piece) = piece.as_deref().filter(|piece| !piece.is_empty()) else { continue };
        out.push_str(code);
        out.push_str(&coded(&strip_illegal(piece).0));
    }
    let length = out.encode_utf16().count();
    if length > MOST_CHARS {
        let why = format!("the text has {length} characters with its codes; {MOST_CHARS} are allowed");
        return Err(input.error(field, why));
    }
    Ok(out)
}

/// `{page}` and the like as codes; `&` as text.
fn coded(text: &str) -> String {
    const CODES: [(&str, &str); 6] =
        [("{page}", "&P"), ("{pages}", "&N"), ("{date}", "&D"), ("{time}", "&T"), ("{file}", "&F"), ("{sheet}", "&A")];
    let mut out = text.replace('&', "&&");
    for (word, code) in CODES {
        out = out.replace(word, code);
    }
    // A digit behind a font size would be read as part of it, so a text that begins with one is set off.
    if out.starts_with(|c: char| c.is_ascii_digit()) { format!(" {out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_braces_become_codes() {
        assert_eq!(coded("Page {page} of {pages} & more"), "Page &P of &N && more");
        assert_eq!(coded("{sheet}"), "&A");
        assert_eq!(coded("2024"), " 2024");
    }
}
