//! The fields that text ops share, checked.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, MapAccess, Visitor, value::MapAccessDeserializer};

use super::Editor;
use crate::edit::{Color, EditError, OpInput, nearest};

/// A run as it is given.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct RunFields {
    #[serde(default)]
    text: String,
    font_name: Option<String>,
    font_size: Option<f64>,
    bold: Option<bool>,
    italic: Option<bool>,
    underline: Option<bool>,
    font_color: Option<String>,
    highlight_color: Option<String>,
}

/// A bullet as it is given: a text, or an object.
#[derive(Debug, Clone, Default)]
pub(super) struct BulletFields {
    pub(super) text: Option<String>,
    pub(super) level: Option<usize>,
    pub(super) runs: Option<Vec<RunFields>>,
}

#[derive(Deserialize)]
struct BulletObject {
    text: Option<String>,
    level: Option<usize>,
    runs: Option<Vec<RunFields>>,
}

impl<'de> Deserialize<'de> for BulletFields {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By hand, since an untagged enum would hide unknown fields and the place of wrong ones.
        deserializer.deserialize_any(BulletVisitor)
    }
}

struct BulletVisitor;

impl<'de> Visitor<'de> for BulletVisitor {
    type Value = BulletFields;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text, or an object with text or runs")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<BulletFields, E> {
        Ok(BulletFields { text: Some(text.to_owned()), ..BulletFields::default() })
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<BulletFields, M::Error> {
        let object = BulletObject::deserialize(MapAccessDeserializer::new(map))?;
        Ok(BulletFields { text: object.text, level: object.level, runs: object.runs })
    }
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
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NewParagraph {
    pub(super) runs: Vec<NewRun>,
    pub(super) format: ParagraphFormat,
}

const ALIGNMENTS: [(&str, &str); 4] = [("left", "l"), ("center", "ctr"), ("right", "r"), ("justify", "just")];

/// Checks the paragraph fields of an op.
pub(super) fn paragraph_format(
    input: &OpInput,
    alignment: Option<&str>,
    [before, after, spacing]: [Option<f64>; 3],
) -> Result<ParagraphFormat, EditError> {
    let points = |field: &str, value: Option<f64>| match value {
        None => Ok(None),
        Some(value) if (0.0..=1584.0).contains(&value) => Ok(Some((value * 100.0).round() as u32)),
        Some(value) => Err(input.error(field, format!("{value} is no distance; points from 0 to 1584 are"))),
    };
    let line_spacing = match spacing {
        Some(value) if !(0.1..=100.0).contains(&value) => {
            return Err(input.error("line_spacing", format!("{value} is no line spacing; 0.1 to 100 lines are")));
        }
        spacing => spacing,
    };
    Ok(ParagraphFormat {
        alignment: alignment.map(|name| alignment_code(input, name)).transpose()?,
        space_before: points("space_before", before)?,
        space_after: points("space_after", after)?,
        line_spacing,
        level: None,
    })
}

fn alignment_code(input: &OpInput, name: &str) -> Result<&'static str, EditError> {
    let wanted = name.trim().to_lowercase();
    let wanted = if wanted == "centre" { "center" } else { &wanted };
    ALIGNMENTS.iter().find(|(known, _)| *known == wanted).map(|(_, code)| *code).ok_or_else(|| {
        let why = format!("there is no alignment `{name}`; known are left, center, right, justify");
        input.error("alignment", why).suggest(nearest(name, ALIGNMENTS.map(|(known, _)| known)))
    })
}

/// Title and body as the ops on slides give them: as text or as runs.
pub(super) struct SlideText<'a> {
    pub(super) title: (Option<&'a str>, Option<&'a [RunFields]>),
    pub(super) body: (Option<&'a str>, Option<&'a [RunFields]>),
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
    (runs_field, runs): (&str, Option<&[RunFields]>),
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

fn new_run(editor: &mut Editor<'_>, input: &OpInput, at: &str, run: &RunFields) -> Result<NewRun, EditError> {
    let field = |name: &str| format!("{at}.{name}");
    let size = match run.font_size {
        None => None,
        Some(size) if (1.0..=4000.0).contains(&size) => Some((size * 100.0).round() as u32),
        Some(size) => {
            return Err(input.error(&field("font_size"), format!("{size} is no font size; points from 1 to 4000 are")));
        }
    };
    let color = |name: &str, given: Option<&String>| match given {
        None => Ok(None),
        Some(given) => match Color::parse(given) {
            Some(color) => Ok(Some(color.rgb().to_owned())),
            None => Err(input.error(&field(name), format!("`{given}` is no colour; {}", Color::FORM))),
        },
    };
    let highlight = match run.highlight_color.as_ref().map(|name| (name, highlight(name))) {
        Some((_, Some(rgb))) => Some(rgb),
        Some((given, None)) => {
            let why = format!("`{given}` is no colour of a highlighter; {}, or a name such as yellow", Color::FORM);
            let known = nearest(given, HIGHLIGHTS.map(|(name, _)| name));
            return Err(input.error(&field("highlight_color"), why).suggest(known));
        }
        None => None,
    };
    let format = RunFormat {
        font: run.font_name.as_ref().map(|name| editor.clean(&input.at(&field("font_name")), name)),
        size,
        bold: run.bold,
        italic: run.italic,
        underline: run.underline,
        color: color("font_color", run.font_color.as_ref())?,
        highlight,
    };
    Ok(NewRun { text: editor.clean(&input.at(&field("text")), &run.text), format })
}

/// The highlighter colours by the names that Word has for them.
const HIGHLIGHTS: [(&str, &str); 20] = [
    ("yellow", "FFFF00"),
    ("bright_green", "00FF00"),
    ("turquoise", "00FFFF"),
    ("pink", "FF00FF"),
    ("blue", "0000FF"),
    ("red", "FF0000"),
    ("dark_blue", "000080"),
    ("teal", "008080"),
    ("green", "008000"),
    ("violet", "800080"),
    ("dark_red", "800000"),
    ("dark_yellow", "808000"),
    ("gray_25", "C0C0C0"),
    ("gray_50", "808080"),
    ("black", "000000"),
    ("white", "FFFFFF"),
    ("cyan", "00FFFF"),
    ("magenta", "FF00FF"),
    ("dark_green", "008000"),
    ("dark_cyan", "008080"),
];

fn highlight(name: &str) -> Option<String> {
    let bare = |name: &str| name.to_lowercase().replace(['_', ' ', '-'], "").replace("grey", "gray");
    let known = HIGHLIGHTS.iter().find(|(known, _)| bare(known) == bare(name)).map(|(_, rgb)| (*rgb).to_owned());
    known.or_else(|| Color::parse(name).map(|color| color.rgb().to_owned()))
}
