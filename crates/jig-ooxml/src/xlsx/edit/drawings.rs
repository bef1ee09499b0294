//! Objects of a sheet's drawing: adding, moving, removing. A sheet without a drawing gets one.

use super::WorkbookEdit;
use super::order::{WORKSHEET, insert_in_order};
use super::sheets::{STRICT, drop_part, is_used};
use crate::content_types::ContentTypes;
use crate::edit::{EditError, OpInput, nearest, overlap};
use crate::error::Error;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRange, CellRef, split_sheet};
use crate::xlsx::drawings::{Drawn, anchor_of, anchor_range, drawn, marker};
use crate::xlsx::formula::same_sheet;
use crate::xml::{Node, Ns, Splice, escape_attribute};

/// English metric units in an inch.
pub(super) const INCH: f64 = 914_400.0;
const DRAWING: &str = "application/vnd.openxmlformats-officedocument.drawing+xml";

/// Where an object is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Placement {
    /// The cell of its top left corner, and its size in English metric units.
    Corner(CellRef, [u64; 2]),
    /// The cells that it covers.
    Cells(CellRange),
}

impl Placement {
    /// Its cells or its first cell, for reports.
    pub(super) fn range(self) -> CellRange {
        match self {
            Self::Corner(cell, _) => cell.into(),
            Self::Cells(range) => range,
        }
    }
}

/// The anchor that an op gives: a cell or the cells to cover.
pub(super) fn anchor_at(input: &OpInput, text: &str, sheet: &str) -> Result<CellRange, EditError> {
    let cells = match split_sheet(text) {
        Some((named, cells)) if same_sheet(&named, sheet) => cells,
        Some((named, _)) => {
            let why = format!("the anchor is on `{named}`, but `sheet` is `{sheet}`; give a cell of `{sheet}`");
            return Err(input.error("anchor", why));
        }
        None => text,
    };
    cells.trim().parse().map_err(|error: crate::xlsx::address::AddressError| input.error("anchor", error.to_string()))
}

/// A length in English metric units.
pub(super) fn emu(inches: f64) -> u64 {
    (inches.clamp(0.01, 100.0) * INCH).round() as u64
}

impl WorkbookEdit<'_> {
    /// Whether the workbook is a strict one.
    pub(super) fn is_strict(&self) -> Result<bool, Error> {
        Ok(self.namespace()? == STRICT)
    }

    /// Changes a part by splicing.
    pub(super) fn edit_xml<T>(
        &mut self,
        part: &str,
        change: impl FnOnce(Node<'_>, &mut Splice<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut content = self.package.xml(part)?;
        let (text, result) = {
            let tree = content.tree(self.package.limits())?;
            let mut splice = Splice::new(&content.text);
            let result = change(tree.root(), &mut splice)?;
            if splice.is_empty() {
                return Ok(result);
            }
            (splice.finish().map_err(|e| overlap(part, &e))?, result)
        };
        content.text = text;
        self.package.set_xml(&content);
        Ok(result)
    }

    /// An unused part name beside the folder of the sheets, such as `xl/charts/chart3.xml`.
    pub(super) fn fresh_part(&self, pattern: &str) -> String {
        let folder = self.book.part.rsplit_once('/').map_or("", |(folder, _)| folder);
        let pattern = if folder.is_empty() { pattern.to_owned() } else { format!("{folder}/{pattern}") };
        self.package.free_name(&pattern)
    }

    /// Adds an element with `r:id` to the frame of a sheet.
    pub(super) fn refer(&mut self, sheet: &str, element: &str, rel_id: &str) -> Result<(), Error> {
        let strict = self.is_strict()?;
        self.edit_frame(sheet, |root, splice| {
            let (p, id) = (root.prefix(), escape_attribute(rel_id));
            let (declared, r) = relationship_prefix(root, strict);
            insert_in_order(splice, root, element, &format!("<{p}{element}{declared} {r}id=\"{id}\"/>"), &WORKSHEET);
            Ok(())
        })
    }

    /// The drawing of a sheet, created if it has none.
    fn drawing(&mut self, sheet: &str) -> Result<String, Error> {
        let relationships = Relationships::read(&self.package, sheet)?;
        let known = relationships.of_kind("drawing").filter_map(|found| found.part.clone());
        if let Some(part) = known.into_iter().find(|part| self.package.has(part)) {
            return Ok(part);
        }
        let part = self.fresh_part("drawings/drawing{}.xml");
        let (base, year) = match self.is_strict()? {
            true => ("http://purl.oclc.org/ooxml", ""),
            false => ("http://schemas.openxmlformats.org", "/2006"),
        };
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
             <xdr:wsDr xmlns:xdr=\"{base}/drawingml{year}/spreadsheetDrawing\" xmlns:a=\"{base}/drawingml{year}/main\"/>"
        );
        self.package.set(&part, text.as_bytes());
        ContentTypes::add(&mut self.package, &part, DRAWING)?;
        let id = Relationships::add(&mut self.package, sheet, "drawing", &part)?;
        self.refer(sheet, "drawing", &id)?;
        Ok(part)
    }

    /// Adds an object. `markup` gets the prefix of the drawing, a number that no object has, and the id of the
    /// relationship to the object's part; returns the name that it gives the object.
    pub(super) fn add_object(
        &mut self,
        sheet: &str,
        placement: Placement,
        kind: &str,
        target: &str,
        markup: impl FnOnce(&str, u32, &str, bool) -> String,
    ) -> Result<(), Error> {
        let drawing = self.drawing(sheet)?;
        let rel_id = Relationships::add(&mut self.package, &drawing, kind, target)?;
        let strict = self.is_strict()?;
        self.edit_xml(&drawing, |root, splice| {
            let p = root.prefix();
            let content = markup(p, free_id(root), &rel_id, strict);
            splice.append(root, anchored(p, placement, &content));
            Ok(())
        })
    }

    /// The number that the next object of a drawing gets, for its name.
    pub(super) fn next_object_name(&self, sheet: &str, word: &str) -> Result<String, Error> {
        let objects = drawn(&self.package, sheet)?;
        let taken = |name: &str| objects.iter().any(|object| object.name.eq_ignore_ascii_case(name));
        let names = (1_usize..).map(|number| format!("{word} {number}"));
        let mut names = names.skip(objects.iter().filter(|object| object.name.starts_with(word)).count());
        Ok(names.find(|name| !taken(name)).unwrap_or_else(|| word.to_owned()))
    }

    /// The place for a new object: right of the data, below the objects that are there already.
    pub(super) fn free_place(&mut self, sheet: &str) -> Result<CellRef, Error> {
        let used = super::current_cells::used_range(self, sheet)?;
        let column = used.map_or(1, |used| used.end().col().saturating_add(2));
        let objects = drawn(&self.package, sheet)?;
        let right = |range: &CellRange| range.end().col() >= column || range.cells() == 1;
        let anchors = objects.iter().filter_map(|object| object.anchor).filter(right);
        // An object without an end covers about 15 rows.
        let bottom = anchors.map(|range| range.end().row().max(range.start().row() + 15)).max();
        let first = used.map_or(1, |used| used.start().row());
        let place = CellRef::new(bottom.map_or(first, |bottom| bottom.saturating_add(2)), column.min(16_000));
        Ok(place.or_else(|| CellRef::new(1, 1)).unwrap_or(CellRange::ALL.start()))
    }

    /// Moves or resizes an object.
    pub(super) fn place_object(
        &mut self,
        object: &Drawn,
        anchor: Option<CellRange>,
        size: [Option<u64>; 2],
        default: [u64; 2],
    ) -> Result<(), Error> {
        let drawing = object.drawing.clone();
        self.edit_xml(&drawing, |root, splice| {
            let node = root.tree().node(object.node);
            let Some(old) = anchor_of(node) else { return Ok(()) };
            let p = old.prefix();
            let corner = anchor.map(CellRange::start).or_else(|| old.child(Ns::Xdr, "from").and_then(marker));
            let Some(corner) = corner.or_else(|| CellRef::new(1, 1)) else { return Ok(()) };
            let number = |name: &str| old.child(Ns::Xdr, "ext")?.attr(name)?.trim().parse::<u64>().ok();
            let placement = match anchor {
                Some(range) if range.cells() > 1 => Placement::Cells(range),
                _ if size.iter().all(Option::is_none) => {
                    match anchor_range(old).filter(|_| old.child(Ns::Xdr, "to").is_some()) {
                        // It keeps the number of rows and columns that it covers.
                        Some(range) => {
                            let (row, col) = (corner.row() + range.rows() - 1, corner.col() + range.columns() - 1);
                            Placement::Cells(CellRange::new(corner, CellRef::new(row, col).unwrap_or(corner)))
                        }
                        None => Placement::Corner(
                            corner,
                            [number("cx").unwrap_or(default[0]), number("cy").unwrap_or(default[1])],
                        ),
                    }
                }
                _ => {
                    let [width, height] = size;
                    let width = width.or_else(|| number("cx")).unwrap_or(default[0]);
                    let height = height.or_else(|| number("cy")).unwrap_or(default[1]);
                    Placement::Corner(corner, [width, height])
                }
            };
            let kept = old.elements().filter(|child| {
                !(child.ns() == Ns::Xdr && matches!(child.local(), "from" | "to" | "ext" | "pos" | "clientData"))
            });
            let content: String = kept.map(|child| child.source().to_owned()).collect();
            let attributes: String = old
                .attributes()
                .filter(|attribute| attribute.name.starts_with("xmlns"))
                .map(|attribute| format!(" {}=\"{}\"", attribute.name, attribute.raw))
                .collect();
            let data =
                old.child(Ns::Xdr, "clientData").map_or_else(|| format!("<{p}clientData/>"), |n| n.source().to_owned());
            splice.replace(old.range(), anchor_markup(p, placement, &attributes, &content, &data));
            Ok(())
        })
    }

    /// Gives an object another name.
    pub(super) fn rename_object(&mut self, object: &Drawn, name: &str) -> Result<(), Error> {
        let drawing = object.drawing.clone();
        self.edit_xml(&drawing, |root, splice| {
            let node = root.tree().node(object.node);
            if let Some(about) = node.elements().find_map(|child| child.child(Ns::Xdr, "cNvPr")) {
                splice.set_attr(about, "name", name);
            }
            Ok(())
        })
    }

    /// Removes an object with its part, and the drawing if nothing is left in it.
    pub(super) fn remove_object(&mut self, sheet: &str, object: &Drawn) -> Result<(), Error> {
        let drawing = object.drawing.clone();
        let is_empty = self.edit_xml(&drawing, |root, splice| {
            let node = root.tree().node(object.node);
            let group = node.ancestors().any(|around| around.is(Ns::Xdr, "grpSp"));
            let choice = node.ancestors().find(|around| around.is(Ns::Mc, "AlternateContent"));
            let whole = match anchor_of(node).filter(|_| !group) {
                // An alternative content may be around the anchor too.
                Some(anchor) => choice.filter(|choice| choice.ancestors().all(|up| up != anchor)).unwrap_or(anchor),
                None => choice.unwrap_or(node),
            };
            splice.remove(whole);
            Ok(!group && root.elements().all(|child| child == whole))
        })?;
        let used = {
            let content = self.package.xml(&drawing)?;
            let tree = content.tree(self.package.limits())?;
            let mut nodes = tree.root().descendants().filter(|node| node.is_element());
            nodes.any(|node| node.attributes().any(|attribute| attribute.raw == object.rel_id))
        };
        if !used {
            Relationships::remove(&mut self.package, &drawing, &object.rel_id)?;
            if let Some(part) = &object.part
                && self.package.has(part)
                && !is_used(&self.package, part)?
            {
                drop_part(self, part)?;
            }
        }
        if is_empty { self.drop_drawing(sheet, &drawing) } else { Ok(()) }
    }

    fn drop_drawing(&mut self, sheet: &str, drawing: &str) -> Result<(), Error> {
        let relationships = Relationships::read(&self.package, sheet)?;
        let Some(id) = relationships.list.iter().find(|found| found.part.as_deref() == Some(drawing)) else {
            return Ok(());
        };
        let id = id.id.clone();
        self.edit_frame(sheet, |root, splice| {
            let node =
                root.children_named(Ns::S, "drawing").find(|node| node.attr_ns(Ns::R, "id").as_deref() == Some(&*id));
            if let Some(node) = node {
                splice.remove(node);
            }
            Ok(())
        })?;
        Relationships::remove(&mut self.package, sheet, &id)?;
        if is_used(&self.package, drawing)? { Ok(()) } else { drop_part(self, drawing) }
    }
}

/// The declaration and the prefix for attributes with relationships.
pub(super) fn relationship_prefix(node: Node<'_>, strict: bool) -> (String, String) {
    match node.attr_prefix_for(Ns::R) {
        Some(r) => (String::new(), r),
        None => {
            let uri = if strict { "http://purl.oclc.org/ooxml/officeDocument/relationships" } else { Ns::R.uri() };
            (format!(" xmlns:r=\"{uri}\""), "r:".to_owned())
        }
    }
}

fn anchored(p: &str, placement: Placement, content: &str) -> String {
    anchor_markup(p, placement, "", content, &format!("<{p}clientData/>"))
}

fn anchor_markup(p: &str, placement: Placement, attributes: &str, content: &str, data: &str) -> String {
    let marker = |name: &str, cell: CellRef, past: u32| {
        let (col, row) = (cell.col() - 1 + past, cell.row() - 1 + past);
        format!(
            "<{p}{name}><{p}col>{col}</{p}col><{p}colOff>0</{p}colOff><{p}row>{row}</{p}row><{p}rowOff>0</{p}rowOff></{p}{name}>"
        )
    };
    match placement {
        Placement::Corner(cell, [width, height]) => format!(
            "<{p}oneCellAnchor{attributes}>{}<{p}ext cx=\"{width}\" cy=\"{height}\"/>{content}{data}</{p}oneCellAnchor>",
            marker("from", cell, 0)
        ),
        // The end is the corner where the next cell starts, unless the grid ends there.
        Placement::Cells(range) => {
            let past = u32::from(CellRef::new(range.end().row() + 1, range.end().col() + 1).is_some());
            format!(
                "<{p}twoCellAnchor{attributes}>{}{}{content}{data}</{p}twoCellAnchor>",
                marker("from", range.start(), 0),
                marker("to", range.end(), past)
            )
        }
    }
}

/// A number that no object of a drawing has.
fn free_id(root: Node<'_>) -> u32 {
    let nodes = root.descendants().filter(|node| node.is_element() && node.local() == "cNvPr");
    let used: std::collections::HashSet<u32> = nodes.filter_map(|node| node.attr("id")?.trim().parse().ok()).collect();
    let above = used.iter().copied().filter(|id| *id < 0x7FFF_0000).max().map_or(2, |id| id + 1);
    (above..).find(|id| !used.contains(id)).unwrap_or(above)
}

/// The object that an op names: by name, by another text such as its title, or by its number from 1.
pub(super) fn find_object<'d>(
    input: &OpInput,
    field: &str,
    wanted: Option<&str>,
    objects: &'d [(Drawn, Option<String>)],
    word: &str,
    sheet: &str,
) -> Result<&'d (Drawn, Option<String>), EditError> {
    let describe = |(at, (object, title)): (usize, &(Drawn, Option<String>))| match title {
        Some(title) => format!("{} `{}` ({title})", at + 1, object.name),
        None => format!("{} `{}`", at + 1, object.name),
    };
    let list = || super::listed(objects.iter().enumerate().map(describe), 10);
    if objects.is_empty() {
        return Err(input.error(field, format!("`{sheet}` has no {word}")));
    }
    let Some(wanted) = wanted.map(str::trim).filter(|text| !text.is_empty()) else {
        return match objects {
            [one] => Ok(one),
            _ => Err(input.error(field, format!("missing: `{sheet}` has several {word}s: {}", list()))),
        };
    };
    let same = |text: &str| text.trim().to_lowercase() == wanted.to_lowercase();
    let by_name: Vec<_> = objects.iter().filter(|(object, _)| same(&object.name)).collect();
    let by_title = || objects.iter().filter(|(_, title)| title.as_deref().is_some_and(same)).collect::<Vec<_>>();
    let found = if by_name.is_empty() { by_title() } else { by_name };
    if let [one] = found.as_slice() {
        return Ok(one);
    }
    if found.is_empty()
        && let Some(one) = wanted.parse::<usize>().ok().and_then(|number| objects.get(number.checked_sub(1)?))
    {
        return Ok(one);
    }
    let names: Vec<&str> =
        objects.iter().flat_map(|(object, title)| [Some(object.name.as_str()), title.as_deref()]).flatten().collect();
    let near = nearest(wanted, names.iter().copied());
    let why = match found.len() {
        0 => format!("`{sheet}` has no {word} `{wanted}`; it has {}", list()),
        count => format!("{count} {word}s of `{sheet}` are called `{wanted}`; give the number: {}", list()),
    };
    Err(input.error(field, why).suggest(near))
}
