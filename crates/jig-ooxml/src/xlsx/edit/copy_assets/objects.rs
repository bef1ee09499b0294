//! Copies charts and images to a sheet of another workbook.

use super::super::WorkbookEdit;
use super::super::charts::{copied_frame, titled_charts};
use super::super::drawings::{Placement, emu, find_object};
use super::super::images::{add_image_part, picture_markup};
use crate::content_types::ContentTypes;
use crate::drawing::image::ImageHeader;
use crate::edit::{EditError, OpInput};
use crate::error::Error;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRange, CellRef, SheetRange};
use crate::xlsx::drawings::{Drawn, DrawnKind, anchor_of, anchor_range, drawn};
use crate::xlsx::formula::{Dependencies, SheetScope};
use crate::xml::{Ns, Splice};

const CHART: &str = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml";

/// A chart or an image that is copied, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectCopy {
    /// The sheet of the source.
    pub(super) sheet: String,
    /// Its name, title or number there.
    pub(super) name: String,
    pub(super) to: SheetRange,
}

/// Copies an object; returns its name in the target and its place.
pub(super) fn copy(
    source: &mut WorkbookEdit<'_>,
    target: &mut WorkbookEdit<'_>,
    copy: &ObjectCopy,
    is_chart: bool,
    at: &str,
) -> Result<(String, CellRange), Error> {
    let input = OpInput { index: 0, name: "copy" };
    let moved = |mut error: EditError| {
        at.clone_into(&mut error.at);
        error
    };
    let Some(place) = source.book.sheet_place(&copy.sheet) else {
        return Err(super::no_sheet(&source.book, at.to_owned(), &copy.sheet).into());
    };
    let Some(from) = source.book.sheets.get(place).and_then(|sheet| sheet.part.clone()) else {
        return Err(EditError::new(at, format!("`{}` has no part in the file", copy.sheet)).into());
    };
    let objects: Vec<(Drawn, Option<String>)> = match is_chart {
        true => titled_charts(source, &from)?,
        false => {
            let images = drawn(&source.package, &from)?.into_iter().filter(|object| object.kind == DrawnKind::Image);
            images.map(|object| (object.clone(), Some(object.alt_text).filter(|text| !text.is_empty()))).collect()
        }
    };
    let word = if is_chart { "chart" } else { "image" };
    let (object, _) = find_object(&input, "", Some(&copy.name), &objects, word, &copy.sheet).map_err(moved)?;
    let Some(part) = object.part.clone().filter(|part| source.package.has(part)) else {
        return Err(EditError::new(at, format!("the {word} `{}` has no part in the source", object.name)).into());
    };
    super::super::sheets::create_named(target, at, &copy.to.sheet)?;
    let sheet = super::grid_of(target, &copy.to.sheet, at)?;
    if target.spare.as_deref() == Some(sheet.as_str()) {
        target.spare = None;
    }
    let (placement, size) = placement(source, object, copy.to.range)?;
    let taken = drawn(&target.package, &sheet)?.iter().any(|known| known.name.eq_ignore_ascii_case(&object.name));
    let usual = if is_chart { "Chart" } else { "Picture" };
    let name = if taken { target.next_object_name(&sheet, usual)? } else { object.name.clone() };
    let (shown, alt) = (name.clone(), object.alt_text.clone());
    if is_chart {
        let copied = copy_chart(source, target, object, &part, at)?;
        target.add_object(&sheet, placement, "chart", &copied, |p, id, rel_id, strict| {
            copied_frame(p, id, &shown, &alt, rel_id, strict)
        })?;
    } else {
        let bytes = source.package.read(&part)?;
        let Some(image) = ImageHeader::read(&bytes) else {
            let why =
                format!("the image `{}` is of a kind that cannot be copied: only png, jpeg, gif and bmp", object.name);
            return Err(EditError::new(at, why).into());
        };
        let book = target.book.part.clone();
        let copied = add_image_part(&mut target.package, &book, &bytes, &image)?;
        target.add_object(&sheet, placement, "image", &copied, |p, id, rel_id, strict| {
            picture_markup(p, id, &shown, &alt, rel_id, size, strict)
        })?;
    }
    Ok((name, placement.range()))
}

/// The place in the target: the cells that were named, or as many as the object covers in the source.
fn placement(source: &WorkbookEdit<'_>, object: &Drawn, to: CellRange) -> Result<(Placement, [u64; 2]), Error> {
    let content = source.package.xml(&object.drawing)?;
    let tree = content.tree(source.package.limits())?;
    let node = tree.root().tree().node(object.node);
    let extents = |node: crate::xml::Node<'_>| {
        let number = |name: &str| node.attr(name)?.trim().parse::<u64>().ok().filter(|size| *size > 0);
        Some([number("cx")?, number("cy")?])
    };
    let anchor = anchor_of(node);
    let of_anchor = anchor.and_then(|anchor| anchor.child(Ns::Xdr, "ext")).and_then(extents);
    let of_shape =
        node.child(Ns::Xdr, "spPr").and_then(|format| format.path(Ns::A, &["xfrm", "ext"])).and_then(extents);
    let size = of_anchor.or(of_shape).unwrap_or([5.0, 3.0].map(emu));
    if to.cells() > 1 {
        return Ok((Placement::Cells(to), size));
    }
    let covered = anchor.filter(|anchor| anchor.child(Ns::Xdr, "to").is_some()).and_then(anchor_range);
    let Some(covered) = covered.filter(|_| object.kind != DrawnKind::Image) else {
        return Ok((Placement::Corner(to.start(), size), size));
    };
    let corner = to.start();
    let end = CellRef::new(corner.row() + covered.rows() - 1, corner.col() + covered.columns() - 1);
    Ok((end.map_or(Placement::Corner(corner, size), |end| Placement::Cells(CellRange::new(corner, end))), size))
}

/// Copies the part of a chart with its colours and styles.
fn copy_chart(
    source: &WorkbookEdit<'_>,
    target: &mut WorkbookEdit<'_>,
    object: &Drawn,
    part: &str,
    at: &str,
) -> Result<String, Error> {
    if object.kind == DrawnKind::ExtendedChart || source.is_strict()? != target.is_strict()? {
        let why = format!("the chart `{}` is of a kind that cannot be copied into this workbook", object.name);
        return Err(EditError::new(at, why).into());
    }
    let mut content = source.package.xml(part)?;
    let text = {
        let tree = content.tree(source.package.limits())?;
        let root = tree.root();
        let formulas = root.descendants().filter(|node| node.is_element() && node.is(Ns::C, "f"));
        for formula in formulas {
            let text = formula.text();
            for range in Dependencies::of(text.as_ref()).ranges {
                let SheetScope::Sheet(name) = &range.scope else { continue };
                if target.book.sheet_place(name).is_none() {
                    let why = format!(
                        "the chart `{}` shows cells of `{name}`, a sheet that the target does not have; add it with the data first",
                        object.name
                    );
                    return Err(EditError::new(at, why).into());
                }
            }
        }
        let mut splice = Splice::new(&content.text);
        // They lead to parts that are not copied.
        for name in ["userShapes", "externalData", "pivotSource"] {
            if let Some(node) = root.child(Ns::C, name) {
                splice.remove(node);
            }
        }
        splice.finish().map_err(|e| crate::edit::overlap(part, &e))?
    };
    let copied = target.fresh_part("charts/chart{}.xml");
    content.name.clone_from(&copied);
    content.text = text;
    target.package.set_xml(&content);
    ContentTypes::add(&mut target.package, &copied, CHART)?;
    let types = ContentTypes::read(&source.package)?;
    for relationship in Relationships::read(&source.package, part)?.list {
        let pattern = match relationship.kind.as_str() {
            "chartStyle" => "charts/style{}.xml",
            "chartColorStyle" => "charts/colors{}.xml",
            _ => continue,
        };
        let Some(from) = relationship.part.filter(|part| source.package.has(part)) else { continue };
        let to = target.fresh_part(pattern);
        target.package.set(&to, &source.package.read(&from)?);
        if let Some(kind) = types.of(&from) {
            ContentTypes::add(&mut target.package, &to, kind)?;
        }
        let name = to.rsplit('/').next().unwrap_or(&to).to_owned();
        let mode = crate::relationships::Mode::Internal;
        Relationships::add_raw(&mut target.package, &copied, &relationship.type_uri, &name, mode)?;
    }
    target.charts.insert(copied.clone());
    Ok(copied)
}
