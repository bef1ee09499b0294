//! `set_notes`: the speaker's notes of a slide, with a new notes page and notes master where they are missing.

use jig_file_api::ops::pptx::SetNotes;

use super::DeckEdit;
use super::images::{append_shape, free_shape_id};
use super::text::{
    Base, NewParagraph, WriteMode, new_paragraphs, new_text, paragraph_format, paragraph_markup, plain_runs,
    shape_text, write_text,
};
use crate::content_types::ContentTypes;
use crate::edit::{OpInput, OpReport};
use crate::error::{DeckIssue, Error};
use crate::pptx::markup::{Dialect, Prefixes};
use crate::pptx::presentation::SlideRef;
use crate::pptx::shape::{flat, shapes};
use crate::pptx::template::{add_notes_master, free_part};
use crate::relationships::Relationships;
use crate::xml::{Node, Splice};

const NOTES_TYPE: &str = "application/vnd.openxmlformats-officedocument.presentationml.notesSlide+xml";

pub(super) fn set_notes(edit: &mut DeckEdit<'_>, input: &OpInput, fields: SetNotes) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let format = paragraph_format(input, &fields.style)?;
    let runs = plain_runs(fields.runs);
    let text = new_paragraphs(edit, input, ("text", fields.text.as_deref()), ("runs", runs.as_deref()), &format)?;
    let text = match text {
        Some(_) if fields.clear == Some(true) => {
            return Err(input.error("clear", DeckIssue::ClearAndText { what: "text".to_owned() }).into());
        }
        None if fields.clear == Some(true) => vec![NewParagraph::default()],
        text => text.ok_or_else(|| input.error("text", DeckIssue::Missing { what: "the text of the notes" }))?,
    };
    let mut old = String::new();
    let relationships = Relationships::read(&edit.package, &slide.part)?;
    let known = relationships.of_kind("notesSlide").find_map(|found| found.part.clone());
    let summary = match known.filter(|part| edit.package.has(part)) {
        Some(part) => {
            edit.edit_part(&part, |root, splice| change(root, splice, &text, &mut old))?;
            format!("Set the notes of slide {}.", index + 1)
        }
        None => {
            // A relationship without a part would be found before the new one.
            for lost in relationships.of_kind("notesSlide") {
                Relationships::remove(&mut edit.package, &slide.part, &lost.id)?;
            }
            create(edit, &slide, &text)?;
            format!("Added notes to slide {}.", index + 1)
        }
    };
    let change = OpReport::new(input, summary).with("slide_index", index);
    Ok(change.with("old", old).with("new", new_text(&text)))
}

fn change(root: Node<'_>, splice: &mut Splice<'_>, text: &[NewParagraph], old: &mut String) -> Result<(), Error> {
    let shapes = shapes(root, &[])?;
    let all = flat(&shapes);
    let body = all.iter().find(|shape| shape.placeholder().is_some_and(|found| found.kind == "body"));
    match body {
        Some(body) => {
            *old = shape_text(body);
            write_text(splice, body, text, WriteMode::Replace);
        }
        None => {
            let prefixes = Prefixes::at(root);
            let id = free_shape_id(root);
            append_shape(root, splice, &notes_shape(&prefixes, id, text));
        }
    }
    Ok(())
}

fn create(edit: &mut DeckEdit<'_>, slide: &SlideRef, text: &[NewParagraph]) -> Result<(), Error> {
    let master = match &edit.presentation.notes_master {
        Some(master) => master.clone(),
        None => add_notes_master(&mut edit.package)?,
    };
    edit.refresh()?;
    let dialect = Dialect::of_deck(edit.presentation.strict);
    let part = free_part(&edit.package, &format!("{}notesSlides/notesSlide{{}}.xml", edit.presentation.folder()));
    let notes = notes_shape(&Prefixes::own(), 3, text);
    let markup = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<p:notes {}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{SLIDE_IMAGE}{notes}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>",
        dialect.declarations(),
    );
    edit.package.set(&part, markup.as_bytes());
    ContentTypes::add(&mut edit.package, &part, NOTES_TYPE)?;
    Relationships::add(&mut edit.package, &part, "notesMaster", &master)?;
    Relationships::add(&mut edit.package, &part, "slide", &slide.part)?;
    Relationships::add(&mut edit.package, &slide.part, "notesSlide", &part)?;
    Ok(())
}

const SLIDE_IMAGE: &str = r#"<p:sp><p:nvSpPr><p:cNvPr id="2" name="Slide Image Placeholder 1"/><p:cNvSpPr><a:spLocks noGrp="1" noRot="1" noChangeAspect="1"/></p:cNvSpPr><p:nvPr><p:ph type="sldImg"/></p:nvPr></p:nvSpPr><p:spPr/></p:sp>"#;

fn notes_shape(prefixes: &Prefixes, id: u64, text: &[NewParagraph]) -> String {
    let (p, a, declared) = (&prefixes.p, &prefixes.a, &prefixes.declared);
    let inner = Prefixes { declared: String::new(), ..prefixes.clone() };
    let text: String = text.iter().map(|new| paragraph_markup(&inner, Base::default(), new)).collect();
    format!(
        r#"<{p}sp{declared}><{p}nvSpPr><{p}cNvPr id="{id}" name="Notes Placeholder {}"/><{p}cNvSpPr><{a}spLocks noGrp="1"/></{p}cNvSpPr><{p}nvPr><{p}ph type="body" idx="1"/></{p}nvPr></{p}nvSpPr><{p}spPr/><{p}txBody><{a}bodyPr/><{a}lstStyle/>{text}</{p}txBody></{p}sp>"#,
        id - 1
    )
}
