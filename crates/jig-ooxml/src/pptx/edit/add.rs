//! `add_slide`.

use jig_file_api::ops::pptx::AddSlide;

use super::fields::{NewParagraph, SlideText, plain_runs};
use super::layout::{self, Chosen, Needs, choose};
use super::markup::{Dialect, Words};
use super::text::{Base, paragraph_markup};
use super::{Editor, order, placeholders_told};
use crate::content_types::ContentTypes;
use crate::edit::{Change, OpInput};
use crate::error::Error;
use crate::pptx::shape::{Shape, placeholder_node, shapes};
use crate::pptx::template::free_part;
use crate::relationships::Relationships;
use crate::xml::escape_attribute;

pub(super) const SLIDE_TYPE: &str = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml";

pub(super) fn add_slide(editor: &mut Editor<'_>, input: &OpInput, fields: AddSlide) -> Result<Change, Error> {
    let (title_runs, body_runs) = (plain_runs(fields.title_runs), plain_runs(fields.body_runs));
    let given = SlideText {
        title: (fields.title.as_deref(), title_runs.as_deref()),
        body: (fields.body.as_deref(), body_runs.as_deref()),
        alignment: fields.alignment.as_deref(),
        spacing: [fields.space_before, fields.space_after, fields.line_spacing],
    };
    let (title, body) = given.read(editor, input)?;
    let count = editor.presentation.slides.len();
    let at = fields.index.unwrap_or(count);
    if at > count {
        let why = format!("a new slide can be put at 0 to {count}, not at {at}");
        return Err(input.error("index", why).suggest([count.to_string()]).into());
    }
    let needs = Needs { title: title.is_some(), body: body.is_some() };
    let chosen = choose(editor, input, fields.layout.as_deref(), needs)?;
    let markup = slide_markup(editor, input, &chosen, title.as_deref(), body.as_deref())?;
    let part = free_part(&editor.package, &format!("{}slides/slide{{}}.xml", editor.presentation.folder()));
    editor.package.set(&part, markup.as_bytes());
    ContentTypes::add(&mut editor.package, &part, SLIDE_TYPE)?;
    Relationships::add(&mut editor.package, &part, "slideLayout", &chosen.layout.part)?;
    order::insert(editor, at, &part)?;
    let summary = format!("Added slide {at} with the layout {}.", chosen.layout.name);
    Ok(Change::new(input, summary).with("slide_index", at).with("layout", chosen.layout.name))
}

/// What a new slide is made of.
struct Making<'a> {
    words: Words,
    title: Option<&'a [NewParagraph]>,
    body: Option<&'a [NewParagraph]>,
    next_id: usize,
    shapes: String,
}

fn slide_markup(
    editor: &mut Editor<'_>,
    input: &OpInput,
    chosen: &Chosen,
    title: Option<&[NewParagraph]>,
    body: Option<&[NewParagraph]>,
) -> Result<String, Error> {
    let dialect = Dialect::of_deck(editor.presentation.strict);
    let size = editor.presentation.size;
    let content = editor.package.xml(&chosen.layout.part)?;
    let tree = content.tree(editor.package.limits())?;
    let shapes = shapes(tree.root(), &[])?;
    let mut making = Making { words: Words::own(), title, body, next_id: 2, shapes: String::new() };
    for shape in shapes.iter().filter(|shape| shape.node.local() == "sp") {
        making.placeholder(shape, main_body(&shapes));
    }
    for (field, left) in [("title", making.title.take()), ("body", making.body.take())] {
        let Some(left) = left else { continue };
        if !chosen.stand_in {
            let (told, names) = placeholders_told(&shapes);
            let why = format!("the layout `{}` has no place for a {field}; {told}", chosen.layout.name);
            return Err(input.error(field, why).suggest(names).into());
        }
        making.text_box(field, left, size);
        let what = format!("the layout `{}` has no placeholder for it; a text box was made", chosen.layout.name);
        editor.warnings.push(format!("{}: {what}", input.at(field)));
    }
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<p:sld {}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/><a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"0\" cy=\"0\"/></a:xfrm></p:grpSpPr>{}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>",
        dialect.declarations(),
        making.shapes
    ))
}

/// The number of the placeholder that takes the slide's text: the first content, else the first text.
fn main_body<'s, 't>(shapes: &'s [Shape<'t>]) -> Option<&'s Shape<'t>> {
    let mut bodies = shapes.iter().filter(|shape| layout::is_body(shape));
    let first =
        shapes.iter().find(|shape| layout::is_body(shape) && shape.placeholder().is_some_and(|found| found.index == 1));
    first.or_else(|| bodies.next())
}

impl Making<'_> {
    /// A placeholder like the layout's, with its text when it is the one for it.
    fn placeholder(&mut self, shape: &Shape<'_>, body: Option<&Shape<'_>>) {
        let (Some(found), Some(node)) = (shape.placeholder(), placeholder_node(shape.node)) else { return };
        // Date, footer and number are shown by the layout only where a person asked for them.
        if found.is_furniture() {
            return;
        }
        let text = if found.is_title() {
            self.title.take()
        } else if body.is_some_and(|body| body.address == shape.address) {
            self.body.take()
        } else {
            None
        };
        let kept = node.attributes().filter(|found| matches!(found.name, "type" | "orient" | "sz" | "idx"));
        let attributes: String =
            kept.map(|found| format!(" {}=\"{}\"", found.name, found.raw.replace('"', "&quot;"))).collect();
        let (id, name) = (self.next_id, self.name(&shape.name(), "Placeholder"));
        let text = self.paragraphs(text);
        self.next_id += 1;
        self.shapes.push_str(&format!(
            r#"<p:sp><p:nvSpPr><p:cNvPr id="{id}" name="{name}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph{attributes}/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>{text}</p:txBody></p:sp>"#
        ));
    }

    /// A name with the number that follows the shape's own, as PowerPoint numbers them.
    fn name(&self, given: &str, without: &str) -> String {
        let base = given.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
        let base = if base.is_empty() { without } else { base };
        escape_attribute(&format!("{base} {}", self.next_id - 1)).into_owned()
    }

    fn paragraphs(&self, text: Option<&[NewParagraph]>) -> String {
        match text {
            Some(text) => text.iter().map(|new| paragraph_markup(&self.words, Base::default(), new)).collect(),
            None => "<a:p/>".to_owned(),
        }
    }

    /// A text box where the placeholder would be: a layout may have none.
    fn text_box(&mut self, field: &str, text: &[NewParagraph], (width, height): (i64, i64)) {
        let (top, tall) =
            if field == "title" { (height / 20, height / 5) } else { (height * 27 / 100, height * 63 / 100) };
        let (left, wide) = (width * 7 / 100, width * 86 / 100);
        let (id, name) = (self.next_id, self.name("TextBox", "TextBox"));
        let text = self.paragraphs(Some(text));
        self.next_id += 1;
        self.shapes.push_str(&format!(
            r#"<p:sp><p:nvSpPr><p:cNvPr id="{id}" name="{name}"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="{left}" y="{top}"/><a:ext cx="{wide}" cy="{tall}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/></p:spPr><p:txBody><a:bodyPr wrap="square"><a:normAutofit/></a:bodyPr><a:lstStyle/>{text}</p:txBody></p:sp>"#
        ));
    }
}
