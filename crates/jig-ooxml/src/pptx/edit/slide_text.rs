//! `set_slide_text` and `append_bullets`: the text of a slide's placeholders.

use jig_file_api::ops::pptx::{self, AppendBullets, SetSlideText, TextOr};
use serde_json::{Map, Value};

use super::fields::{NewParagraph, SlideText, paragraph_format, paragraphs, plain_runs};
use super::markup::Words;
use super::text::{Base, append_to_body, paragraph_markup, set_body};
use super::{Editor, counted, layout, placeholders_told};
use crate::edit::{Change, EditError, OpInput, shown};
use crate::error::Error;
use crate::pptx::shape::{Shape, flat, shapes};
use crate::xml::{Node, Ns, Splice};

pub(super) fn set_slide_text(editor: &mut Editor<'_>, input: &OpInput, fields: SetSlideText) -> Result<Change, Error> {
    let (index, slide) = editor.slide(input, "index", fields.index)?;
    let (title_runs, body_runs) = (plain_runs(fields.title_runs), plain_runs(fields.body_runs));
    let given = SlideText {
        title: (fields.title.as_deref(), title_runs.as_deref()),
        body: (fields.body.as_deref(), body_runs.as_deref()),
        alignment: fields.alignment.as_deref(),
        spacing: [fields.space_before, fields.space_after, fields.line_spacing],
    };
    let (title, body) = given.read(editor, input)?;
    let clears = |what: pptx::SlideText| fields.clear.iter().flatten().any(|clear| *clear == what);
    let title = cleared(input, "title", title, clears(pptx::SlideText::Title))?;
    let body = cleared(input, "body", body, clears(pptx::SlideText::Body))?;
    if title.is_none() && body.is_none() {
        return Err(input.error("", "there is nothing to set: give title, title_runs, body or body_runs").into());
    }
    let (mut old, mut new) = (Map::new(), Map::new());
    editor.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        if let Some(title) = &title {
            let shape = find(input, "title", index, &shapes)?;
            old.insert("title".to_owned(), shape_text(shape).into());
            new.insert("title".to_owned(), new_text(title).into());
            write(splice, shape, title, Manner::Replace);
        }
        if let Some(body) = &body {
            let shape = body_of(input, fields.placeholder.as_ref(), index, &shapes)?;
            old.insert("body".to_owned(), shape_text(shape).into());
            new.insert("body".to_owned(), new_text(body).into());
            write(splice, shape, body, Manner::Replace);
        }
        Ok(())
    })?;
    let what = match (&title, &body) {
        (Some(_), Some(_)) => "title and body",
        (Some(_), None) => "title",
        _ => "body",
    };
    let change = Change::new(input, format!("Set the {what} of slide {index}."));
    Ok(change.with("slide_index", index).with("old", old).with("new", new))
}

/// An empty text where something is to be removed; a new text beside that is a contradiction.
fn cleared(
    input: &OpInput,
    field: &str,
    given: Option<Vec<NewParagraph>>,
    clears: bool,
) -> Result<Option<Vec<NewParagraph>>, EditError> {
    match given {
        Some(_) if clears => {
            Err(input.error("clear", format!("`clear` and a new {field} exclude each other; give one")))
        }
        None if clears => Ok(Some(vec![NewParagraph::default()])),
        given => Ok(given),
    }
}

/// New text, as far as a receipt shows it.
pub(super) fn new_text(new: &[NewParagraph]) -> String {
    shown(&new.iter().map(NewParagraph::text).collect::<Vec<_>>().join("\n"))
}

/// The text of a shape, as far as a receipt shows it.
pub(super) fn shape_text(shape: &Shape<'_>) -> String {
    let paragraphs = shape.body().into_iter().flat_map(|body| body.children_named(Ns::A, "p"));
    let lines = paragraphs.map(|paragraph| {
        let texts = paragraph.descendants().filter(|node| node.is(Ns::A, "t"));
        texts.map(|node| node.text().into_owned()).collect::<String>()
    });
    shown(&lines.collect::<Vec<_>>().join("\n"))
}

pub(super) fn append_bullets(editor: &mut Editor<'_>, input: &OpInput, fields: AppendBullets) -> Result<Change, Error> {
    if fields.bullets.is_empty() {
        return Err(input.error("bullets", "missing or empty: give at least one bullet").into());
    }
    let count = fields.bullets.len();
    let (index, slide) = editor.slide(input, "index", fields.index)?;
    let spacing = [fields.space_before, fields.space_after, fields.line_spacing];
    let format = paragraph_format(input, fields.alignment.as_deref(), spacing)?;
    let mut new = Vec::new();
    for (number, bullet) in
        fields.bullets.into_iter().map(TextOr::<jig_file_api::ops::pptx::Bullet>::into_fields).enumerate()
    {
        let at = |field: &str| format!("bullets[{number}].{field}");
        let format = super::fields::ParagraphFormat { level: bullet.level, ..format.clone() };
        let (text, runs) = (bullet.text, plain_runs(bullet.runs));
        let lines = paragraphs(editor, input, (&at("text"), text.as_deref()), (&at("runs"), runs.as_deref()), &format)?;
        new.extend(lines.ok_or_else(|| input.error(&format!("bullets[{number}]"), "a bullet needs text or runs"))?);
    }
    editor.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        write(splice, body_of(input, fields.placeholder.as_ref(), index, &shapes)?, &new, Manner::Append);
        Ok(())
    })?;
    let summary = format!("Appended {} to slide {index}.", counted(count, "bullet", "bullets"));
    Ok(Change::new(input, summary).with("slide_index", index).with("bullets", count))
}

/// The shape for the body: the one that was named, by the number of its placeholder or by its name, or the
/// slide's main text.
fn body_of<'s, 't>(
    input: &OpInput,
    wanted: Option<&Value>,
    index: usize,
    shapes: &'s [Shape<'t>],
) -> Result<&'s Shape<'t>, EditError> {
    let Some(wanted) = wanted else { return find(input, "body", index, shapes) };
    let mut with_text = flat(shapes).into_iter().filter(|shape| shape.node.local() == "sp");
    let found = match wanted {
        Value::String(name) => with_text.find(|shape| shape.name().eq_ignore_ascii_case(name.trim())),
        wanted => with_text
            .find(|shape| shape.placeholder().is_some_and(|found| wanted.as_u64() == Some(u64::from(found.index)))),
    };
    found.ok_or_else(|| {
        let (told, names) = placeholders_told(shapes);
        let why = format!("slide {index} has no shape for text {wanted}; {told}");
        input.error("placeholder", why).suggest(names)
    })
}

/// The placeholder for title or body.
fn find<'s, 't>(
    input: &OpInput,
    field: &str,
    index: usize,
    shapes: &'s [Shape<'t>],
) -> Result<&'s Shape<'t>, EditError> {
    let all = flat(shapes);
    let is_it = |shape: &&&Shape<'t>| if field == "title" { layout::is_title(shape) } else { layout::is_body(shape) };
    let first = all.iter().filter(is_it).find(|shape| shape.placeholder().is_some_and(|found| found.index == 1));
    let found = first.filter(|_| field == "body").or_else(|| all.iter().find(is_it));
    found.copied().ok_or_else(|| {
        let (told, names) = placeholders_told(shapes);
        input.error(field, format!("slide {index} has no placeholder for a {field}; {told}")).suggest(names)
    })
}

/// Whether new text takes the place of the old or follows it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Replace,
    Append,
}

/// Writes paragraphs into a shape.
pub(super) fn write(splice: &mut Splice<'_>, shape: &Shape<'_>, new: &[NewParagraph], manner: Manner) {
    match (shape.body(), manner) {
        (Some(body), Manner::Replace) => set_body(splice, body, new),
        (Some(body), Manner::Append) => append_to_body(splice, body, new),
        (None, _) => add_body(splice, shape.node, new),
    }
}

/// Gives a shape without text a text body, behind its properties and style.
fn add_body(splice: &mut Splice<'_>, shape: Node<'_>, new: &[NewParagraph]) {
    let words = Words::at(shape);
    let (p, a) = (&words.p, &words.a);
    let inner = Words { declared: String::new(), ..words.clone() };
    let text: String = new.iter().map(|new| paragraph_markup(&inner, Base::default(), new)).collect();
    let declared = &words.declared;
    let markup = format!("<{p}txBody{declared}><{a}bodyPr/><{a}lstStyle/>{text}</{p}txBody>");
    match shape.elements().filter(|node| node.ns() == Ns::P && matches!(node.local(), "spPr" | "style")).last() {
        Some(last) => splice.after(last, markup),
        None => splice.append(shape, markup),
    }
}
