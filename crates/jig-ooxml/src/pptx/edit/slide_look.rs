//! `hide_slide`, `show_slide` and `set_background`.

use jig_file_api::ops::pptx::{HideSlide, SetBackground, ShowSlide};

use super::DeckEdit;
use crate::edit::{Color, EditError, OpInput, OpReport};
use crate::error::{DeckIssue, Error, counted};
use crate::pptx::markup::Prefixes;
use crate::pptx::slide::is_hidden;
use crate::xml::{Node, Ns, Splice};

/// The names of colours in a theme, as slides use them.
const THEME_COLORS: [&str; 16] = [
    "bg1", "tx1", "bg2", "tx2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink",
    "dk1", "lt1", "dk2", "lt2",
];

pub(super) fn hide_slide(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &HideSlide) -> Result<OpReport, Error> {
    set_hidden(edit, input, fields.index, true)
}

pub(super) fn show_slide(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &ShowSlide) -> Result<OpReport, Error> {
    set_hidden(edit, input, fields.index, false)
}

fn set_hidden(edit: &mut DeckEdit<'_>, input: &OpInput, index: usize, hide: bool) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", index)?;
    let was = edit.edit_part(&slide.part, |root, splice| {
        let was = is_hidden(root);
        if hide && !was {
            splice.set_attr(root, "show", "0");
        } else if !hide && was {
            splice.remove_attr(root, "show");
        }
        Ok(was)
    })?;
    if was == hide {
        edit.warn(&input.at("index"), if hide { "the slide was hidden already" } else { "the slide was not hidden" });
    }
    let summary = format!("{} slide {}.", if hide { "Hid" } else { "Showed" }, index + 1);
    Ok(OpReport::new(input, summary).with("slide_index", index).with("hidden", hide))
}

pub(super) fn set_background(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: &SetBackground,
) -> Result<OpReport, Error> {
    let all = fields.all_slides == Some(true);
    let slides: Vec<(usize, String)> = match fields.index {
        Some(_) if all => {
            return Err(input.error("all_slides", DeckIssue::Either { one: "slide", other: "all_slides" }).into());
        }
        Some(index) => {
            let (index, slide) = edit.slide(input, "index", index)?;
            vec![(index, slide.part)]
        }
        None if all => edit.presentation.slides.iter().map(|slide| slide.part.clone()).enumerate().collect(),
        None => return Err(input.error("index", DeckIssue::Missing { what: "the slide, or all_slides" }).into()),
    };
    let clears = fields.clear == Some(true);
    let fill = match &fields.color {
        Some(_) if clears => {
            return Err(input.error("clear", DeckIssue::ClearAndText { what: "color".to_owned() }).into());
        }
        Some(color) => Some(fill(input, color)?),
        None if clears => None,
        None => return Err(input.error("color", DeckIssue::Missing { what: "the colour of the background" }).into()),
    };
    let mut changed = Vec::new();
    for (index, part) in &slides {
        edit.edit_part(part, |root, splice| {
            set_fill(root, splice, fill.as_ref());
            Ok(())
        })?;
        changed.push(*index);
    }
    let on = match changed.as_slice() {
        [index] => format!("slide {}", index + 1),
        several => counted(several.len(), "slide"),
    };
    let summary = match fill {
        Some(_) => format!("Set the background of {on}."),
        None => format!("Removed the own background of {on}."),
    };
    let report = OpReport::new(input, summary).with("slides", changed);
    Ok(match &fields.color {
        Some(color) => report.with("color", color.clone()),
        None => report,
    })
}

/// A colour: of the theme, by its name there, or fixed.
enum Fill {
    Theme(&'static str),
    Rgb(String),
}

fn fill(input: &OpInput, given: &str) -> Result<Fill, EditError> {
    let plain: String = given.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    if let Some(name) = THEME_COLORS.iter().find(|name| name.to_lowercase() == plain) {
        return Ok(Fill::Theme(name));
    }
    match Color::parse(given) {
        Some(color) => Ok(Fill::Rgb(color.rgb().to_owned())),
        None => Err(input.error("color", DeckIssue::InvalidColor).suggest(["accent1", "bg1", "bg2"])),
    }
}

fn set_fill(root: Node<'_>, splice: &mut Splice<'_>, fill: Option<&Fill>) {
    let Some(slide) = root.child(Ns::P, "cSld") else { return };
    let old = slide.child(Ns::P, "bg");
    let Some(fill) = fill else {
        if let Some(old) = old {
            splice.remove(old);
        }
        return;
    };
    let prefixes = Prefixes::at(slide);
    let (p, a, declared) = (&prefixes.p, &prefixes.a, &prefixes.declared);
    let color = match fill {
        Fill::Theme(name) => format!(r#"<{a}schemeClr val="{name}"/>"#),
        Fill::Rgb(rgb) => format!(r#"<{a}srgbClr val="{rgb}"/>"#),
    };
    let markup =
        format!("<{p}bg{declared}><{p}bgPr><{a}solidFill>{color}</{a}solidFill><{a}effectLst/></{p}bgPr></{p}bg>");
    match old {
        Some(old) => splice.replace(old.range(), markup),
        None => splice.prepend(slide, markup),
    }
}
