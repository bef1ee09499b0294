//! The fields that text ops share, checked.

use jig_file_api::ops::pptx::{SlideRun, TextOr};

use super::Editor;
use crate::edit::{Color, EditError, OpInput};

/// Runs as fields, plain texts too.
pub(super) fn plain_runs(runs: Option<Vec<TextOr<SlideRun>>>) -> Option<Vec<SlideRun>> {
    runs.map(|runs| runs.into_iter().map(TextOr::<SlideRun>::into_fields).collect())
}

/// What a run's format is to be. What is none stays as it was.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RunFormat {
    pub(super) font: Option<String>,
    /// In hundredths of a point.
    pub(super) size: Option<u32>,
    pub(super) bold: Option<bool>,
    pub(super) italic: Option<bool>,
    pub(super) underline: Option<bool>,
    pub(super) color: Option<String>,
    pub(super) highlight: Option<String>,
}

/// Characters with a format. A vertical tab is a line break.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NewRun {
    pub(super) text: String,
    pub(super) format: RunFormat,
}

/// What a paragraph's format is to be. What is none stays as it was.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ParagraphFormat {
    pub(super) alignment: Option<&'static str>,
    /// In hundredths of a point.
    pub(super) space_before: Option<u32>,
    pub(super) space_after: Option<u32>,
    /// Times a line.
    pub(super) line_spacing: Option<f64>,
    pub(super) level: Option<usize>,
}

/// A paragraph in the making.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct NewParagraph {
    pub(super) runs: Vec<NewRun>,
    pub(super) format: ParagraphFormat,
}

impl NewParagraph {
    /// Its text without formats.
    pub(super) fn text(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }
}

const ALIGNMENTS: [(&str, &str); 4] = [("left", "l"), ("center", "ctr"), ("right", "r"), ("justify", "just")];

/// Checks the paragraph fields of an op.
pub(super) fn paragraph_format(
    input: &OpInput,
    alignment: Option<&str>,
    [before, after, spacing]: [Option<f64>; 3],
) -> Result<ParagraphFormat, EditError> {
    // The ranges are those of the ops' schema.
    let points = |value: Option<f64>| value.map(|value| (value * 100.0).round() as u32);
    Ok(ParagraphFormat {
        alignment: alignment.map(|name| alignment_code(input, name)).transpose()?,
        space_before: points(before),
        space_after: points(after),
        line_spacing: spacing,
        level: None,
    })
}

fn alignment_code(input: &OpInput, name: &str) -> Result<&'static str, EditError> {
    let found = ALIGNMENTS.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
    found.ok_or_else(|| input.error("alignment", format!("unknown alignment `{name}`")))
}

/// Title and body as the ops on slides give them: as text or as runs.
pub(super) struct SlideText<'a> {
    pub(super) title: (Option<&'a str>, Option<&'a [SlideRun]>),
    pub(super) body: (Option<&'a str>, Option<&'a [SlideRun]>),
    pub(super) alignment: Option<&'a str>,
    /// Before, after and between lines.
    pub(super) spacing: [Option<f64>; 3],
}

/// Paragraphs, where there are any.
type Lines = Option<Vec<NewParagraph>>;

impl SlideText<'_> {
    /// The paragraphs of title and body.
    pub(super) fn read(&self, editor: &mut Editor<'_>, input: &OpInput) -> Result<(Lines, Lines), EditError> {
        let format = paragraph_format(input, self.alignment, self.spacing)?;
        let title = paragraphs(editor, input, ("title", self.title.0), ("title_runs", self.title.1), &format)?;
        let body = paragraphs(editor, input, ("body", self.body.0), ("body_runs", self.body.1), &format)?;
        Ok((title, body))
    }
}

/// Checks text or runs, whichever was given, and cuts them into paragraphs at line ends.
pub(super) fn paragraphs(
    editor: &mut Editor<'_>,
    input: &OpInput,
    (text_field, text): (&str, Option<&str>),
    (runs_field, runs): (&str, Option<&[SlideRun]>),
    format: &ParagraphFormat,
) -> Result<Option<Vec<NewParagraph>>, EditError> {
    let all = match (runs, text) {
        (Some(runs), text) => {
            if text.is_some() {
                editor.warn(&input.at(text_field), &format!("ignored, since {runs_field} is given"));
            }
            let mut all = Vec::new();
            for (number, run) in runs.iter().enumerate() {
                all.push(new_run(editor, input, &format!("{runs_field}[{number}]"), run)?);
            }
            all
        }
        (None, Some(text)) => {
            vec![NewRun { text: editor.clean(&input.at(text_field), text), format: RunFormat::default() }]
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(lines(all, format)))
}

fn lines(runs: Vec<NewRun>, format: &ParagraphFormat) -> Vec<NewParagraph> {
    let empty = || NewParagraph { runs: Vec::new(), format: format.clone() };
    let mut paragraphs = vec![empty()];
    for run in runs {
        for (number, line) in run.text.split('\n').enumerate() {
            if number > 0 {
                paragraphs.push(empty());
            }
            if let Some(last) = paragraphs.last_mut().filter(|_| !line.is_empty()) {
                last.runs.push(NewRun { text: line.to_owned(), format: run.format.clone() });
            }
        }
    }
    paragraphs
}

fn new_run(editor: &mut Editor<'_>, input: &OpInput, at: &str, run: &SlideRun) -> Result<NewRun, EditError> {
    let field = |name: &str| format!("{at}.{name}");
    let color = |name: &str, given: Option<&String>| match given {
        None => Ok(None),
        Some(given) => match Color::parse(given) {
            Some(color) => Ok(Some(color.rgb().to_owned())),
            None => Err(input.error(&field(name), format!("expected {}", Color::FORM))),
        },
    };
    let highlight = run.highlight_color.as_ref().filter(|name| *name != "none");
    let format = RunFormat {
        font: run.font_name.as_ref().map(|name| editor.clean(&input.at(&field("font_name")), name)),
        size: run.font_size.map(|size| (size * 100.0).round() as u32),
        bold: run.bold,
        italic: run.italic,
        underline: run.underline,
        color: color("font_color", run.font_color.as_ref())?,
        highlight: color("highlight_color", highlight)?,
    };
    Ok(NewRun { text: editor.clean(&input.at(&field("text")), &run.text), format })
}
