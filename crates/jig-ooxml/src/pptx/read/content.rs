//! `PptxGetSlideContent`: every shape of a slide.

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::{Value, json};

use super::{Reading, extract, graphic, index_param, is_hidden, picture, positioned, runs, title};
use crate::content_types::ContentTypes;
use crate::edit::{EditError, nearest};
use crate::error::Error;
use crate::pptx::page::{Depth, Page};
use crate::pptx::shape::{Shape, ShapeKind, graphic_data, identity};
use crate::xml::{Node, Ns};

const DETAILS: [&str; 2] = ["positioned", "layout-lite"];

pub(super) fn content(reading: &Reading<'_>, params: &Value) -> Result<Value, Error> {
    let number = index_param(params, &["slide_index", "index"])?.unwrap_or(0);
    let detail = detail(params)?;
    let page = reading.page(number, Depth::Behind)?;
    let notes = reading.notes(&page)?;
    let layout = layout_name(reading, &page);
    let types = ContentTypes::read(&reading.package)?;
    let looking = Looking { reading, page: &page, types: &types, left: Cell::new(MAX_NODES) };
    let slide = page.view(reading.package.limits(), |root, shapes| {
        let all: Vec<Value> = shapes.iter().map(|shape| looking.shape(shape)).collect();
        let mut slide = json!({
            "index": number,
            "title": title(shapes),
            "layout": layout,
            "hidden": is_hidden(root),
            "shapes": all,
            "notes": notes.unwrap_or_default(),
            "render_mode": detail,
        });
        if let (Some(slide), "positioned") = (slide.as_object_mut(), detail) {
            slide.insert("positioned".to_owned(), positioned::positioned(&looking, shapes));
        }
        Ok(slide)
    })?;
    Ok(json!({"slide_index": number, "slide_count": reading.presentation.slides.len(), "slide": slide}))
}

fn detail(params: &Value) -> Result<&'static str, Error> {
    let given = match params.get("detail") {
        None | Some(Value::Null) => return Ok("layout-lite"),
        Some(Value::String(given)) => given.as_str(),
        Some(_) => return Err(EditError::new("detail", "a text is needed").suggest(DETAILS).into()),
    };
    DETAILS.into_iter().find(|known| *known == given).ok_or_else(|| {
        let why = format!("there is no detail `{given}`; known are positioned and layout-lite");
        EditError::new("detail", why).suggest(nearest(given, DETAILS)).into()
    })
}

fn layout_name(reading: &Reading<'_>, page: &Page) -> Option<String> {
    let content = reading.package.xml(page.relationships.first("slideLayout")?).ok()?;
    let tree = content.tree(reading.package.limits()).ok()?;
    tree.root().child(Ns::P, "cSld")?.attr("name").map(Cow::into_owned)
}

/// Nodes of text that one answer opens up into runs. Far more than a slide can show.
const MAX_NODES: usize = 500_000;

/// What the fields of a shape are read from.
pub(super) struct Looking<'a> {
    pub(super) reading: &'a Reading<'a>,
    pub(super) page: &'a Page,
    pub(super) types: &'a ContentTypes,
    /// Nodes of text that may still be opened up.
    left: Cell<usize>,
}

impl Looking<'_> {
    /// The text of a shape, when there is room for it in the answer.
    fn body<'t>(&self, shape: &Shape<'t>) -> Option<Node<'t>> {
        let body = shape.body()?;
        let left = self.left.get().checked_sub(body.descendants().count())?;
        self.left.set(left);
        Some(body)
    }

    /// A shape with all its fields; those in a group under `shapes`.
    pub(super) fn shape(&self, shape: &Shape<'_>) -> Value {
        let number = shape.address.last().copied().unwrap_or(0);
        let frame = shape.frame;
        let side = |value: Option<f64>| value.map(|value| value.round() as i64);
        let image = picture::image_ref(&self.reading.package, self.types, &self.page.relationships, shape);
        let name = identity(shape.node);
        let body = self.body(shape);
        let mut fields = json!({
            "index": number,
            "address": shape.address(),
            "name": shape.name(),
            "shape_type": shape.kind.name(),
            "z_index": number,
            "left": side(frame.map(|frame| frame.x)),
            "top": side(frame.map(|frame| frame.y)),
            "width": side(frame.map(|frame| frame.width)),
            "height": side(frame.map(|frame| frame.height)),
            "rotation": frame.map_or(0.0, |frame| frame.rotation),
            "text_blocks": body.map(runs::text_blocks).unwrap_or_default(),
            "has_image": image.is_some(),
        });
        let Some(object) = fields.as_object_mut() else { return fields };
        let mut put = |name: &str, value: Option<Value>| object.extend(value.map(|value| (name.to_owned(), value)));
        put("text_left_out", (body.is_none() && shape.body().is_some()).then(|| true.into()));
        put("placeholder_type", shape.placeholder().map(|found| found.kind.into()));
        put("placeholder_index", shape.placeholder().map(|found| found.index.into()));
        put("alt_text", name.and_then(|node| node.attr("descr")).map(|text| text.into()));
        put("hidden", name.and_then(|node| node.attr("hidden")).map(|flag| matches!(&*flag, "1" | "true").into()));
        put("image_ref", image);
        put("table", shape.table().map(table));
        put("chart", self.chart(shape));
        put("smart_art", self.smart_art(shape));
        put("ole", ole(shape));
        let inside = || shape.children.iter().map(|child| self.shape(child)).collect::<Vec<_>>();
        put("shapes", (shape.kind == ShapeKind::Group).then(|| inside().into()));
        fields
    }

    fn chart(&self, shape: &Shape<'_>) -> Option<Value> {
        (shape.kind == ShapeKind::Chart).then(
            || json!({"title": graphic::chart_title(&self.reading.package, &self.page.relationships, shape.node)}),
        )
    }

    fn smart_art(&self, shape: &Shape<'_>) -> Option<Value> {
        (shape.kind == ShapeKind::SmartArt).then(
            || json!({"texts": graphic::diagram_lines(&self.reading.package, &self.page.relationships, shape.node)}),
        )
    }
}

fn table(table: Node<'_>) -> Value {
    let rows = extract::cells(table);
    let columns = table.child(Ns::A, "tblGrid").map_or(0, |grid| grid.children_named(Ns::A, "gridCol").count());
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0).max(columns);
    json!({"row_count": rows.len(), "col_count": columns, "rows": rows})
}

fn ole(shape: &Shape<'_>) -> Option<Value> {
    if shape.kind != ShapeKind::OleObject {
        return None;
    }
    let data = graphic_data(shape.node)?;
    let object = data.descendants().find(|node| node.is(Ns::P, "oleObj"))?;
    Some(json!({"program": object.attr("progId"), "name": object.attr("name")}))
}
