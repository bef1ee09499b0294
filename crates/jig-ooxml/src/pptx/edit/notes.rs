//! `set_notes`: the speaker's notes of a slide, with a notes page and a notes master where there are none.

use jig_file_api::ops::pptx::SetNotes;

use super::fields::{NewParagraph, paragraph_format, paragraphs, plain_runs};
use super::markup::{Dialect, Words};
use super::slide_text::{Manner, new_text, shape_text, write};
use super::text::{Base, paragraph_markup};
use super::{Editor, image};
use crate::content_types::ContentTypes;
use crate::edit::{Change, OpInput};
use crate::error::Error;
use crate::pptx::presentation::SlideRef;
use crate::pptx::shape::{flat, shapes};
use crate::pptx::template::{add_notes_master, free_part};
use crate::relationships::Relationships;
use crate::xml::{Node, Splice};

const NOTES_TYPE: &str = "application/vnd.openxmlformats-officedocument.presentationml.notesSlide+xml";

pub(super) fn set_notes(editor: &mut Editor<'_>, input: &OpInput, fields: SetNotes) -> Result<Change, Error> {
    let (index, slide) = editor.slide(input, "index", fields.index)?;
    let spacing = [fields.space_before, fields.space_after, fields.line_spacing];
    let format = paragraph_format(input, fields.alignment.as_deref(), spacing)?;
    let runs = plain_runs(fields.runs);
    let text = paragraphs(editor, input, ("text", fields.text.as_deref()), ("runs", runs.as_deref()), &format)?;
    let text = match text {
        Some(_) if fields.clear == Some(true) => {
            return Err(input.error("clear", "`clear` and a text exclude each other; give one").into());
        }
        None if fields.clear == Some(true) => vec![NewParagraph::default()],
        text => text.ok_or_else(|| input.error("text", "missing: the text of the notes"))?,
    };
    let mut old = String::new();
    let relationships = Relationships::read(&editor.package, &slide.part)?;
    let known = relationships.of_kind("notesSlide").find_map(|found| found.part.clone());
    let summary = match known.filter(|part| editor.package.has(part)) {
        Some(part) => {
            editor.edit_part(&part, |root, splice| change(root, splice, &text, &mut old))?;
            format!("Set the notes of slide {index}.")
        }
        None => {
            // A relationship that leads nowhere would be found before the new one.
            for lost in relationships.of_kind("notesSlide") {
                Relationships::remove(&mut editor.package, &slide.part, &lost.id)?;
            }
            create(editor, &slide, &text)?;
            format!("Added notes to slide {index}.")
        }
    };
    let change = Change::new(input, summary).with("slide_index", index);
    Ok(change.with("old", old).with("new", new_text(&text)))
}

fn change(root: Node<'_>, splice: &mut Splice<'_>, text: &[NewParagraph], old: &mut String) -> Result<(), Error> {
    let shapes = shapes(root, &[])?;
    let all = flat(&shapes);
    let body = all.iter().find(|shape| shape.placeholder().is_some_and(|found| found.kind == "body"));
    match body {
        Some(body) => {
            *old = shape_text(body);
            write(splice, body, text, Manner::Replace);
        }
        None => {
            let words = Words::at(root);
            let id = image::free_shape_id(root);
            image::append_shape(root, splice, &notes_shape(&words, id, text));
        }
    }
    Ok(())
}

fn create(editor: &mut Editor<'_>, slide: &SlideRef, text: &[NewParagraph]) -> Result<(), Error> {
    let master = match &editor.presentation.notes_master {
        Some(master) => master.clone(),
        None => add_notes_master(&mut editor.package)?,
    };
    editor.refresh()?;
    let dialect = Dialect::of_deck(editor.presentation.strict);
    let part = free_part(&editor.package, &format!("{}notesSlides/notesSlide{{}}.xml", editor.presentation.folder()));
    let notes = notes_shape(&Words::own(), 3, text);
    let markup = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<p:notes {}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{SLIDE_IMAGE}{notes}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>",
        dialect.declarations(),
    );
    editor.package.set(&part, markup.as_bytes());
    ContentTypes::add(&mut editor.package, &part, NOTES_TYPE)?;
    Relationships::add(&mut editor.package, &part, "notesMaster", &master)?;
    Relationships::add(&mut editor.package, &part, "slide", &slide.part)?;
    Relationships::add(&mut editor.package, &slide.part, "notesSlide", &part)?;
    Ok(())
}

const SLIDE_IMAGE: &str = r#"<p:sp><p:nvSpPr><p:cNvPr id="2" name="Slide Image Placeholder 1"/><p:cNvSpPr><a:spLocks noGrp="1" noRot="1" noChangeAspect="1"/></p:cNvSpPr><p:nvPr><p:ph type="sldImg"/></p:nvPr></p:nvSpPr><p:spPr/></p:sp>"#;

fn notes_shape(words: &Words, id: u64, text: &[NewParagraph]) -> String {
    let (p, a, declared) = (&words.p, &words.a, &words.declared);
    let inner = Words { declared: String::new(), ..words.clone() };
    let text: String = text.iter().map(|new| paragraph_markup(&inner, Base::default(), new)).collect();
    format!(
        r#"<{p}sp{declared}><{p}nvSpPr><{p}cNvPr id="{id}" name="Notes Placeholder {}"/><{p}cNvSpPr><{a}spLocks noGrp="1"/></{p}cNvSpPr><{p}nvPr><{p}ph type="body" idx="1"/></{p}nvPr></{p}nvSpPr><{p}spPr/><{p}txBody><{a}bodyPr/><{a}lstStyle/>{text}</{p}txBody></{p}sp>"#,
        id - 1
    )
}
