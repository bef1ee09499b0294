//! New paragraphs and runs: checking what was asked for.

mod write;

use jig_file_api::ops::docx::{Paragraph, TextOr};
use jig_file_api::ops::style::{Run, highlight};

use crate::edit::{Color, EditError};
use crate::xml::strip_illegal;

use super::session::Session;
use crate::error::Error;

/// The largest distance Word takes, 22 inches, in twentieths of a point.
const LARGEST: f64 = 31_680.0;

/// A paragraph that was checked and can be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct NewParagraph {
    /// The id of its style; none for the default style.
    pub(super) style: Option<String>,
    format: Format,
    pub(super) runs: Vec<NewRun>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Format {
    alignment: Option<Alignment>,
    before: Option<i32>,
    after: Option<i32>,
    line: Option<i32>,
    left: Option<i32>,
    right: Option<i32>,
    first_line: Option<i32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alignment {
    Left,
    Center,
    Right,
    Justify,
}

/// A run that was checked and can be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct NewRun {
    text: String,
    font: Option<String>,
    half_points: Option<u32>,
    bold: Option<bool>,
    italic: Option<bool>,
    underline: Option<bool>,
    color: Option<Color>,
    highlight: Option<&'static str>,
}

impl Session<'_> {
    /// Checks a list of paragraphs. `at` is the place of the list for messages.
    pub(super) fn paragraphs(&mut self, list: Vec<TextOr<Paragraph>>, at: &str) -> Result<Vec<NewParagraph>, Error> {
        let list = list.into_iter().enumerate();
        list.map(|(index, given)| {
            let at = format!("{at}[{index}]");
            let fields = given.into_fields();
            if fields.track_changes.is_some() {
                self.warn(format!("{at}.track_changes: belongs to the op, not to a paragraph; skipped"));
            }
            self.paragraph(fields, &at)
        })
        .collect()
    }

    /// Checks one paragraph.
    pub(super) fn paragraph(&mut self, fields: Paragraph, at: &str) -> Result<NewParagraph, Error> {
        let format = Format {
            alignment: fields.alignment.as_deref().map(|name| alignment(name, at)).transpose()?,
            before: distance(fields.space_before, 20.0, 0.0, "space_before", at)?,
            after: distance(fields.space_after, 20.0, 0.0, "space_after", at)?,
            line: line_spacing(fields.line_spacing, at)?,
            left: distance(fields.indent_left, 1440.0, -LARGEST, "indent_left", at)?,
            right: distance(fields.indent_right, 1440.0, -LARGEST, "indent_right", at)?,
            first_line: distance(fields.indent_first_line, 1440.0, -LARGEST, "indent_first_line", at)?,
        };
        let style = match &fields.style {
            Some(name) => self.paragraph_style(name, &format!("{at}.style"))?,
            None => None,
        };
        // What a paragraph says of its text holds for all its runs that do not say it themselves.
        let common = Run {
            text: String::new(),
            font_name: fields.font_name,
            font_size: fields.font_size,
            bold: fields.bold,
            italic: fields.italic,
            underline: fields.underline,
            font_color: fields.font_color,
            highlight_color: fields.highlight_color,
        };
        let runs = match (fields.runs, fields.text) {
            (Some(runs), text) => {
                if text.is_some_and(|text| !text.is_empty()) {
                    self.warn(format!("{at}.text: skipped, since `runs` is given too"));
                }
                let runs = runs.into_iter().map(|run| over(run.into_fields(), &common)).map(TextOr::Fields).collect();
                self.runs(runs, &format!("{at}.runs"))?
            }
            (None, Some(text)) => vec![self.run(Run { text, ..common }, at)?],
            (None, None) => Vec::new(),
        };
        Ok(NewParagraph { style, format, runs })
    }

    /// Checks a list of runs.
    pub(super) fn runs(&mut self, list: Vec<TextOr<Run>>, at: &str) -> Result<Vec<NewRun>, Error> {
        let list = list.into_iter().enumerate();
        list.map(|(index, given)| self.run(given.into_fields(), &format!("{at}[{index}]"))).collect()
    }

    fn run(&mut self, fields: Run, at: &str) -> Result<NewRun, Error> {
        let color = fields.font_color.map(|text| {
            Color::parse(&text)
                .ok_or_else(|| EditError::new(format!("{at}.font_color"), format!("expected {}", Color::FORM)))
        });
        let highlight = fields.highlight_color.map(|name| {
            let found = highlight(&name).map(|(value, _)| value);
            found.ok_or_else(|| EditError::new(format!("{at}.highlight_color"), format!("unknown colour `{name}`")))
        });
        let font = fields.font_name.map(|name| self.clean(&name, &format!("{at}.font_name")));
        Ok(NewRun {
            text: self.clean(&fields.text, &format!("{at}.text")),
            font: font.filter(|name| !name.trim().is_empty()),
            half_points: fields.font_size.map(|size| self.half_points(size, at)).transpose()?,
            bold: fields.bold,
            italic: fields.italic,
            underline: fields.underline,
            color: color.transpose()?,
            highlight: highlight.transpose()?,
        })
    }

    fn half_points(&mut self, size: f64, at: &str) -> Result<u32, EditError> {
        if !(1.0..=1638.0).contains(&size) {
            return Err(EditError::new(format!("{at}.font_size"), "a font size is from 1 to 1638 points"));
        }
        let rounded = (size * 2.0).round();
        if (rounded - size * 2.0).abs() > 1e-6 {
            self.warn(format!("{at}.font_size: {size} was rounded to {} points, Word has halves only", rounded / 2.0));
        }
        Ok(rounded as u32)
    }

    /// A text without the characters that XML cannot hold; says so when there were any.
    pub(super) fn clean(&mut self, text: &str, at: &str) -> String {
        let (clean, illegal) = strip_illegal(text);
        if illegal > 0 {
            let were =
                if illegal == 1 { "1 control character was" } else { &format!("{illegal} control characters were") };
            self.warn(format!("{at}: {were} left out, a Word file cannot hold them"));
        }
        clean.into_owned()
    }
}

/// A run with the format of its paragraph for what it does not say itself.
fn over(run: Run, common: &Run) -> Run {
    Run {
        text: run.text,
        font_name: run.font_name.or_else(|| common.font_name.clone()),
        font_size: run.font_size.or(common.font_size),
        bold: run.bold.or(common.bold),
        italic: run.italic.or(common.italic),
        underline: run.underline.or(common.underline),
        font_color: run.font_color.or_else(|| common.font_color.clone()),
        highlight_color: run.highlight_color.or_else(|| common.highlight_color.clone()),
    }
}

fn alignment(name: &str, at: &str) -> Result<Alignment, EditError> {
    match name {
        "left" => Ok(Alignment::Left),
        "center" => Ok(Alignment::Center),
        "right" => Ok(Alignment::Right),
        "justify" => Ok(Alignment::Justify),
        _ => Err(EditError::new(format!("{at}.alignment"), format!("unknown alignment `{name}`"))),
    }
}

/// A distance in twentieths of a point, from a unit of so many.
fn distance(value: Option<f64>, unit: f64, least: f64, field: &str, at: &str) -> Result<Option<i32>, EditError> {
    let Some(value) = value else { return Ok(None) };
    let twips = (value * unit).round();
    if !(least..=LARGEST).contains(&twips) {
        let why = format!("{value} is out of range: from {} to {}", least / unit, LARGEST / unit);
        return Err(EditError::new(format!("{at}.{field}"), why));
    }
    Ok(Some(twips as i32))
}

fn line_spacing(value: Option<f64>, at: &str) -> Result<Option<i32>, EditError> {
    let Some(value) = value else { return Ok(None) };
    if !(0.05..=132.0).contains(&value) {
        let why = "line spacing is a multiple of single spacing, from 0.05 to 132, for example 1.15";
        return Err(EditError::new(format!("{at}.line_spacing"), why));
    }
    Ok(Some((value * 240.0).round() as i32))
}
