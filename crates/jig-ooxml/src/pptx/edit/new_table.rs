//! `insert_table`: a new table, at a place or in an empty placeholder.

use jig_file_api::ops::pptx::InsertSlideTable;
use serde_json::Value;

use super::images::{append_shape, free_shape_id};
use super::tables::value_text;
use super::text::{Base, NewParagraph, ParagraphFormat, new_paragraphs, paragraph_markup};
use super::{DeckEdit, place, placeholder_names};
use crate::edit::{EditError, OpInput, OpReport, nearest};
use crate::error::{DeckIssue, Error};
use crate::pptx::markup::{Dialect, Prefixes};
use crate::pptx::shape::{Frame, Shape, flat, identity, placeholder_node, shapes};
use crate::pptx::slide::{Inherited, Slide};
use crate::pptx::text::body_text;
use crate::relationships::Relationships;
use crate::xml::{Node, Ns, escape_attribute};

/// The most rows of a table, and the most columns.
pub(super) const MOST_ROWS: usize = 1000;
pub(super) const MOST_COLUMNS: usize = 250;
/// The most cells of a table: far more than a slide can show.
pub(super) const MOST_CELLS: usize = 20_000;
/// The height of a row with one line of 18 points, as PowerPoint makes it.
const ROW: f64 = 370_840.0;

/// The table style of new tables, unless the deck has a default of its own.
const DEFAULT_STYLE: &str = "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}";
/// Table styles that every PowerPoint has, with their ids.
const STYLES: [(&str, &str); 9] = [
    ("Medium Style 2 - Accent 1", DEFAULT_STYLE),
    ("Medium Style 2 - Accent 2", "{21E4AEA4-8DFA-4A89-87EB-49C32662AFE0}"),
    ("Medium Style 2 - Accent 3", "{F5AB1C69-6EDB-4FF4-983F-18BD219EF322}"),
    ("Medium Style 2 - Accent 4", "{00A15C55-8517-42AA-B614-E9B94910E393}"),
    ("Medium Style 2 - Accent 5", "{7DF18680-E054-41AD-8BC1-D1AEF772440D}"),
    ("Medium Style 2 - Accent 6", "{93296810-A885-4BE3-A3E7-6D5BEEA58F35}"),
    ("Medium Style 2", "{073A0DAA-6AF3-43AB-8588-CEC1D06C72B9}"),
    ("No Style, Table Grid", "{5940675A-B579-460E-94D1-54222C63F5DA}"),
    ("No Style, No Grid", "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"),
];

pub(super) fn insert_table(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &InsertSlideTable,
) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    place::check(input, &fields.place)?;
    let cells = cells(edit, input, fields)?;
    let columns = cells.first().map_or(0, Vec::len);
    let style = style_id(edit, input, fields.style.as_deref())?;
    let name = fields.name.as_deref().map(|name| edit.clean(&input.at("name"), name));
    let name = name.filter(|name| !name.trim().is_empty());
    let target = target_placeholder(edit, input, index, &slide.part, fields)?;
    let size = edit.presentation.size;
    let (wide, high) = (size.0 as f64, size.1 as f64);
    let usual = Frame { x: wide * 0.07, y: high * 0.27, width: wide * 0.86, height: 0.0, rotation: 0.0 };
    let held = target.as_ref().and_then(|target| target.frame).map(|held| Frame { height: 0.0, ..held });
    let mut frame = place::frame(&fields.place, held.unwrap_or(usual));
    let rows = cells.len() as f64;
    let row = (frame.height / rows).max(ROW);
    let widths = column_widths(edit, input, fields, columns, &mut frame)?;
    frame.height = row * rows;
    if place::leaves_slide(frame, size) {
        let what = format!("the table reaches beyond the slide; {}", place::slide_inches(size));
        edit.warn(&input.at(""), &what);
    }
    let (header, banded) = (fields.header_row.unwrap_or(true), fields.banded_rows.unwrap_or(true));
    let strict = edit.presentation.strict;
    let (id, name) = edit.edit_part(&slide.part, |root, splice| {
        let tree = root.path(Ns::P, &["cSld", "spTree"]).unwrap_or(root);
        let shapes = shapes(root, &[])?;
        let all = flat(&shapes);
        let holder = target.as_ref().and_then(|target| all.iter().find(|shape| shape.address == target.address));
        let prefixes = Prefixes::at(tree);
        let id = holder.and_then(|holder| holder.id()).map_or_else(|| free_shape_id(root), u64::from);
        let name = name.unwrap_or_else(|| format!("Table {}", id.saturating_sub(1)));
        let held = holder.and_then(|holder| placeholder_node(holder.node)).map(Node::source).unwrap_or_default();
        let table =
            NewTable { prefixes: &prefixes, cells: &cells, widths: &widths, row, header, banded, style: &style };
        let markup = table.frame(id, &name, held, frame, strict);
        match holder {
            Some(holder) => splice.replace(holder.node.range(), markup),
            None => append_shape(root, splice, &markup),
        }
        Ok((id, name))
    })?;
    let summary = format!("Inserted a table of {} by {columns} on slide {}.", cells.len(), index + 1);
    let report = OpReport::new(input, summary).with("slide_index", index).with("table", name).with("shape_id", id);
    let report = report.with("rows", cells.len()).with("columns", columns);
    Ok(match target {
        Some(target) => report.with("placeholder", target.name),
        None => report,
    })
}

/// The texts of all cells; rows are filled up to one width.
fn cells(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &InsertSlideTable,
) -> Result<Vec<Vec<Vec<NewParagraph>>>, EditError> {
    let values = fields.values.as_deref().unwrap_or_default();
    let widest = values.iter().map(Vec::len).max().unwrap_or(0);
    let rows = fields.rows.unwrap_or(values.len());
    let columns = fields.columns.unwrap_or(widest);
    if rows == 0 || columns == 0 {
        return Err(input.error("values", DeckIssue::NoTableSize));
    }
    if values.len() > rows {
        let issue = DeckIssue::TooManyValues { axis: "the list of rows", given: values.len(), count: rows };
        return Err(input.error("values", issue));
    }
    if let Some(number) = values.iter().position(|row| row.len() > columns) {
        let given = values.get(number).map_or(0, Vec::len);
        let issue = DeckIssue::TooManyValues { axis: "the row", given, count: columns };
        return Err(input.error(&format!("values[{number}]"), issue));
    }
    check_size(input, rows, columns)?;
    let mut cells = Vec::with_capacity(rows);
    for row in 0..rows {
        let mut line = Vec::with_capacity(columns);
        for column in 0..columns {
            let value = values.get(row).and_then(|row| row.get(column)).unwrap_or(&Value::Null);
            line.push(cell_text(edit, input, &format!("values[{row}][{column}]"), value)?);
        }
        cells.push(line);
    }
    Ok(cells)
}

/// Refuses tables that no slide can show.
pub(super) fn check_size(input: &OpInput, rows: usize, columns: usize) -> Result<(), EditError> {
    let sizes = [
        ("rows", rows, MOST_ROWS),
        ("columns", columns, MOST_COLUMNS),
        ("cells", rows.saturating_mul(columns), MOST_CELLS),
    ];
    for (what, count, limit) in sizes {
        if count > limit {
            return Err(input.error("", DeckIssue::TableTooLarge { what, count, limit }));
        }
    }
    Ok(())
}

/// The paragraphs of a cell from its value.
pub(super) fn cell_text(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    at: &str,
    value: &Value,
) -> Result<Vec<NewParagraph>, EditError> {
    let text = value_text(value).ok_or_else(|| input.error(at, DeckIssue::InvalidCellValue))?;
    let format = ParagraphFormat::default();
    let read = new_paragraphs(edit, input, (at, Some(&text)), ("runs", None), &format)?;
    Ok(read.unwrap_or_else(|| vec![NewParagraph::default()]))
}

/// Widths of the columns in EMU, which together are as wide as the frame; given widths change the frame.
fn column_widths(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &InsertSlideTable,
    columns: usize,
    frame: &mut Frame,
) -> Result<Vec<i64>, EditError> {
    let given = fields.column_widths.as_deref().unwrap_or_default();
    if !given.is_empty() && given.len() != columns {
        let what = format!("ignored: {} widths for {columns} columns", given.len());
        edit.warn(&input.at("column_widths"), &what);
    } else if !given.is_empty() {
        if given.iter().any(|width| !(0.01..=100.0).contains(width)) {
            return Err(input.error("column_widths", DeckIssue::ImageSize));
        }
        frame.width = given.iter().sum::<f64>() * place::INCH;
        return Ok(given.iter().map(|width| place::emu(width * place::INCH)).collect());
    }
    Ok(vec![place::emu(frame.width / columns as f64).max(1); columns])
}

/// The id of the table style: by name or id, otherwise the deck's default.
fn style_id(edit: &DeckEdit<'_>, input: &OpInput, given: Option<&str>) -> Result<String, EditError> {
    let (own, default) = deck_styles(edit);
    let Some(given) = given.map(str::trim).filter(|given| !given.is_empty()) else {
        return Ok(default.unwrap_or_else(|| DEFAULT_STYLE.to_owned()));
    };
    if is_guid(given) {
        return Ok(given.to_ascii_uppercase());
    }
    let plain = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let usual = STYLES.iter().map(|(name, id)| ((*name).to_owned(), (*id).to_owned()));
    let all: Vec<(String, String)> = own.into_iter().chain(usual).collect();
    let found = all.iter().find(|(name, _)| plain(name) == plain(given));
    found.map(|(_, id)| id.clone()).ok_or_else(|| {
        let known: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
        let near = nearest(given, known.iter().map(String::as_str));
        input.error("style", DeckIssue::NoTableStyle { name: given.to_owned(), known }).suggest(near)
    })
}

fn is_guid(text: &str) -> bool {
    let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    let lengths: Vec<usize> = inner.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && inner.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// The table styles that the deck defines, by name and id, and its default.
fn deck_styles(edit: &DeckEdit<'_>) -> (Vec<(String, String)>, Option<String>) {
    let read = || {
        let relationships = Relationships::read(&edit.package, &edit.presentation.part).ok()?;
        let content = edit.package.xml(relationships.first("tableStyles")?).ok()?;
        let tree = content.tree(edit.package.limits()).ok()?;
        let root = tree.root();
        let style = |node: Node<'_>| Some((node.attr("styleName")?.into_owned(), node.attr("styleId")?.into_owned()));
        let all = root.children_named(Ns::A, "tblStyle").filter_map(style).filter(|(_, id)| is_guid(id)).collect();
        Some((all, root.attr("def").map(std::borrow::Cow::into_owned).filter(|id| is_guid(id))))
    };
    read().unwrap_or_default()
}

/// A placeholder that the new shape takes the place of.
pub(super) struct Target {
    pub(super) address: Vec<usize>,
    pub(super) frame: Option<Frame>,
    pub(super) name: String,
}

fn target_placeholder(
    edit: &DeckEdit<'_>,
    input: &OpInput,
    index: usize,
    part: &str,
    fields: &InsertSlideTable,
) -> Result<Option<Target>, Error> {
    let wanted = fields.placeholder.as_ref();
    empty_placeholder(edit, input, index, part, wanted, place::is_empty(&fields.place), &["obj", "tbl"])
}

/// The empty placeholder that a table or chart goes into: the one that is named, or, when no place is given, the first
/// of the kinds, as PowerPoint does.
pub(super) fn empty_placeholder(
    edit: &DeckEdit<'_>,
    input: &OpInput,
    index: usize,
    part: &str,
    wanted: Option<&Value>,
    any: bool,
    kinds: &[&str],
) -> Result<Option<Target>, Error> {
    let page = Slide::load(&edit.package, part, Inherited::Read)?;
    page.view(edit.package.limits(), |_, shapes| {
        let all = flat(shapes);
        let is_empty = |shape: &&&Shape<'_>| {
            shape.node.local() == "sp"
                && shape.address.len() == 1
                && shape.node.parent().is_some_and(|parent| parent.ns() != Ns::Mc)
                && shape.placeholder().is_some_and(|found| !found.is_title() && !found.is_furniture())
                && shape.body().is_none_or(|body| body_text(body).trim().is_empty())
        };
        let target =
            |shape: &Shape<'_>| Target { address: shape.address.clone(), frame: shape.frame, name: shape.name() };
        let Some(wanted) = wanted.filter(|wanted| **wanted != Value::Bool(false)) else {
            let fits =
                |shape: &&&Shape<'_>| shape.placeholder().is_some_and(|found| kinds.contains(&found.kind.as_str()));
            return Ok(all.iter().filter(is_empty).find(fits).filter(|_| any).map(|shape| target(shape)));
        };
        let mut empty = all.iter().filter(is_empty);
        let found = match wanted {
            Value::Number(number) => empty.find(|shape| {
                let given = shape.placeholder().map(|found| u64::from(found.index));
                given.is_some() && given == number.as_u64()
            }),
            Value::String(name) => {
                empty.find(|shape| identity(shape.node).is_some() && shape.name().eq_ignore_ascii_case(name.trim()))
            }
            _ => empty.next(),
        };
        found.map(|shape| Some(target(shape))).ok_or_else(|| {
            let (placeholders, names) = placeholder_names(shapes);
            input.error("placeholder", DeckIssue::NoEmptyPlaceholder { index, placeholders }).suggest(names).into()
        })
    })
}

/// A table to write.
struct NewTable<'a> {
    prefixes: &'a Prefixes,
    cells: &'a [Vec<Vec<NewParagraph>>],
    widths: &'a [i64],
    row: f64,
    header: bool,
    banded: bool,
    style: &'a str,
}

impl NewTable<'_> {
    fn frame(&self, id: u64, name: &str, placeholder: &str, frame: Frame, strict: bool) -> String {
        let (p, a, declared) = (&self.prefixes.p, &self.prefixes.a, &self.prefixes.declared);
        let uri = Dialect::of_deck(strict).graphic_uri("table");
        let held =
            if placeholder.is_empty() { format!("<{p}nvPr/>") } else { format!("<{p}nvPr>{placeholder}</{p}nvPr>") };
        format!(
            r#"<{p}graphicFrame{declared}><{p}nvGraphicFramePr><{p}cNvPr id="{id}" name="{}"/><{p}cNvGraphicFramePr><{a}graphicFrameLocks noGrp="1"/></{p}cNvGraphicFramePr>{held}</{p}nvGraphicFramePr><{p}xfrm>{}</{p}xfrm><{a}graphic><{a}graphicData uri="{uri}">{}</{a}graphicData></{a}graphic></{p}graphicFrame>"#,
            escape_attribute(name),
            place::off_ext(a, frame),
            self.table()
        )
    }

    fn table(&self) -> String {
        let a = &self.prefixes.a;
        let inner = Prefixes { declared: String::new(), ..self.prefixes.clone() };
        let flag = |set: bool, name: &str| if set { format!(r#" {name}="1""#) } else { String::new() };
        let (header, banded) = (flag(self.header, "firstRow"), flag(self.banded, "bandRow"));
        let grid: String = self.widths.iter().map(|width| format!(r#"<{a}gridCol w="{width}"/>"#)).collect();
        let mut rows = String::new();
        for row in self.cells {
            rows.push_str(&format!(r#"<{a}tr h="{}">"#, place::emu(self.row)));
            for cell in row {
                let text: String = cell.iter().map(|new| paragraph_markup(&inner, Base::default(), new)).collect();
                rows.push_str(&format!(
                    "<{a}tc><{a}txBody><{a}bodyPr/><{a}lstStyle/>{text}</{a}txBody><{a}tcPr/></{a}tc>"
                ));
            }
            rows.push_str(&format!("</{a}tr>"));
        }
        let style = self.style;
        format!(
            "<{a}tbl><{a}tblPr{header}{banded}><{a}tableStyleId>{style}</{a}tableStyleId></{a}tblPr><{a}tblGrid>{grid}</{a}tblGrid>{rows}</{a}tbl>"
        )
    }
}
