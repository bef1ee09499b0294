//! New paragraphs and runs: validating the fields of an op, and writing them in the order of the schema.

use jig_file_api::ops::docx::{Paragraph, TextOr};
use jig_file_api::ops::style::{Run, highlight};

use super::DocumentEdit;
use super::markup::{Dialect, Markup};
use super::revisions::Revisions;
use crate::edit::{Color, EditError};
use crate::error::{DocumentIssue, Error};
use crate::xml::{Node, Ns, strip_illegal};

/// The largest distance that Word accepts, 22 inches, in twentieths of a point.
const LARGEST: f64 = 31_680.0;

/// A validated paragraph.
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

/// A validated run.
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

impl DocumentEdit<'_> {
    /// Validates a list of paragraphs. `at` is the path of the list, for messages.
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

    /// Validates one paragraph.
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
        // The format of a paragraph applies to runs without their own.
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

    /// Validates a list of runs.
    pub(super) fn runs(&mut self, list: Vec<TextOr<Run>>, at: &str) -> Result<Vec<NewRun>, Error> {
        let list = list.into_iter().enumerate();
        list.map(|(index, given)| self.run(given.into_fields(), &format!("{at}[{index}]"))).collect()
    }

    fn run(&mut self, fields: Run, at: &str) -> Result<NewRun, Error> {
        let color = fields.font_color.map(|text| {
            Color::parse(&text).ok_or_else(|| EditError::new(format!("{at}.font_color"), DocumentIssue::InvalidColor))
        });
        let highlight = fields.highlight_color.map(|name| {
            let found = highlight(&name).map(|(value, _)| value);
            found.ok_or_else(|| {
                EditError::new(format!("{at}.highlight_color"), DocumentIssue::UnknownHighlight { name: name.clone() })
            })
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
            return Err(EditError::new(format!("{at}.font_size"), DocumentIssue::FontSize));
        }
        let rounded = (size * 2.0).round();
        if (rounded - size * 2.0).abs() > 1e-6 {
            self.warn(format!("{at}.font_size: {size} was rounded to {} points, Word has halves only", rounded / 2.0));
        }
        Ok(rounded as u32)
    }

    /// A text without the characters that XML cannot contain, with a warning if there were any.
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

/// A run with the format of its paragraph where it has none of its own.
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
        _ => Err(EditError::new(format!("{at}.alignment"), DocumentIssue::UnknownAlignment { name: name.to_owned() })),
    }
}

/// A distance in twentieths of a point; `unit` is how many of them one unit of the value has.
fn distance(value: Option<f64>, unit: f64, least: f64, field: &str, at: &str) -> Result<Option<i32>, EditError> {
    let Some(value) = value else { return Ok(None) };
    let twips = (value * unit).round();
    if !(least..=LARGEST).contains(&twips) {
        let issue = DocumentIssue::Distance { value, least: least / unit, most: LARGEST / unit };
        return Err(EditError::new(format!("{at}.{field}"), issue));
    }
    Ok(Some(twips as i32))
}

fn line_spacing(value: Option<f64>, at: &str) -> Result<Option<i32>, EditError> {
    let Some(value) = value else { return Ok(None) };
    if !(0.05..=132.0).contains(&value) {
        return Err(EditError::new(format!("{at}.line_spacing"), DocumentIssue::LineSpacing));
    }
    Ok(Some((value * 240.0).round() as i32))
}

impl NewParagraph {
    /// A paragraph of plain text in a style.
    pub(super) fn plain(text: &str, style: Option<String>) -> Self {
        let runs = vec![NewRun { text: text.to_owned(), ..NewRun::default() }];
        Self { style, format: Format::default(), runs }
    }

    /// Writes the paragraph. With revisions, content and end are marked as inserted.
    pub(super) fn write(&self, markup: &mut Markup<'_>, mut track: Option<&mut Revisions>) {
        markup.open("p", &[]);
        let mark = track.as_deref_mut().map(|revisions| revisions.element("ins", markup.dialect));
        self.write_properties(markup, mark.as_deref(), "");
        self.write_runs(markup, track);
        markup.close("p");
    }

    /// Writes its properties: `mark` becomes part of those of the paragraph's end, and `tail` the last of all.
    pub(super) fn write_properties(&self, markup: &mut Markup<'_>, mark: Option<&str>, tail: &str) {
        if self.style.is_none() && self.format == Format::default() && mark.is_none() && tail.is_empty() {
            return;
        }
        markup.open("pPr", &[]);
        if let Some(style) = &self.style {
            markup.val("pStyle", style);
        }
        self.format.write(markup);
        if let Some(mark) = mark {
            markup.open("rPr", &[]);
            markup.raw(mark);
            markup.close("rPr");
        }
        markup.raw(tail);
        markup.close("pPr");
    }

    /// Writes its runs, as inserted ones with revisions.
    pub(super) fn write_runs(&self, markup: &mut Markup<'_>, mut track: Option<&mut Revisions>) {
        for run in self.runs.iter().filter(|run| !run.text.is_empty()) {
            match track.as_deref_mut() {
                Some(revisions) => {
                    let open = revisions.open("ins", markup.dialect);
                    markup.raw(&open);
                    run.write(markup, "");
                    markup.close("ins");
                }
                None => run.write(markup, ""),
            }
        }
    }

    /// Writes its runs with the properties of another run where they have none of their own.
    pub(super) fn write_runs_like(&self, markup: &mut Markup<'_>, properties: &str, mut track: Option<&mut Revisions>) {
        for run in self.runs.iter().filter(|run| !run.text.is_empty()) {
            if let Some(revisions) = track.as_deref_mut() {
                let open = revisions.open("ins", markup.dialect);
                markup.raw(&open);
                run.write(markup, properties);
                markup.close("ins");
            } else {
                run.write(markup, properties);
            }
        }
    }

    /// Makes its runs bold, except those that specify it.
    pub(super) fn bold(mut self) -> Self {
        for run in &mut self.runs {
            run.bold.get_or_insert(true);
        }
        self
    }

    /// Whether it has no text.
    pub(super) fn is_empty(&self) -> bool {
        self.runs.iter().all(|run| run.text.trim().is_empty())
    }

    /// The text of its runs.
    pub(super) fn text(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }

    /// The properties of an existing paragraph, overridden by the new ones: the others stay, including numbering.
    pub(super) fn merged_properties(&self, old: Option<Node<'_>>, dialect: &Dialect) -> String {
        let child = |name| old.and_then(|old| old.child(Ns::W, name));
        let mut pieces: Vec<(String, String)> = Vec::new();
        let kept = old.into_iter().flat_map(Node::elements);
        let kept = kept.filter(|node| !matches!(node.local(), "rPr" | "sectPr" | "pPrChange"));
        pieces.extend(kept.map(|node| (node.local().to_owned(), node.source().to_owned())));
        let mut put = |name: &str, markup: String| {
            pieces.retain(|(known, _)| known != name);
            let rank = |name: &str| ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len());
            let at = pieces.iter().position(|(known, _)| rank(known) > rank(name)).unwrap_or(pieces.len());
            pieces.insert(at, (name.to_owned(), markup));
        };
        let written = |write: &dyn Fn(&mut Markup<'_>)| {
            let mut markup = Markup::new(dialect);
            write(&mut markup);
            markup.finish()
        };
        if let Some(style) = &self.style {
            put("pStyle", written(&|markup| markup.val("pStyle", style)));
        }
        let merged = |name: &'static str, new: Vec<(&'static str, String)>, replaced: &[&str]| {
            let mut all: Vec<(String, String)> = Vec::new();
            for attribute in child(name).into_iter().flat_map(|node| node.attributes().collect::<Vec<_>>()) {
                let local = attribute.name.rsplit(':').next().unwrap_or(attribute.name);
                if !attribute.name.starts_with("xmlns") && !replaced.contains(&local) {
                    all.push((local.to_owned(), attribute.raw.to_owned()));
                }
            }
            all.extend(new.into_iter().map(|(name, value)| (name.to_owned(), value)));
            written(&|markup| {
                let attributes: Vec<(&str, &str)> =
                    all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                markup.tag(name, &attributes);
            })
        };
        let (spacing, gone) = self.format.spacing();
        if !spacing.is_empty() {
            put("spacing", merged("spacing", spacing, &gone));
        }
        let (indent, gone) = self.format.indent(dialect.strict);
        if !indent.is_empty() {
            put("ind", merged("ind", indent, &gone));
        }
        if self.format.alignment.is_some() {
            let only = Format { alignment: self.format.alignment, ..Format::default() };
            put("jc", written(&|markup| only.write(markup)));
        }
        pieces.into_iter().map(|(_, markup)| markup).collect()
    }

    /// Whether it specifies anything besides its text.
    pub(super) fn is_formatted(&self) -> bool {
        self.style.is_some() || self.format != Format::default()
    }
}

/// The properties of a paragraph in the order of the schema.
const ORDER: [&str; 34] = [
    "pStyle",
    "keepNext",
    "keepLines",
    "pageBreakBefore",
    "framePr",
    "widowControl",
    "numPr",
    "suppressLineNumbers",
    "pBdr",
    "shd",
    "tabs",
    "suppressAutoHyphens",
    "kinsoku",
    "wordWrap",
    "overflowPunct",
    "topLinePunct",
    "autoSpaceDE",
    "autoSpaceDN",
    "bidi",
    "adjustRightInd",
    "snapToGrid",
    "spacing",
    "ind",
    "contextualSpacing",
    "mirrorIndents",
    "suppressOverlap",
    "jc",
    "textDirection",
    "textAlignment",
    "textboxTightWrap",
    "outlineLvl",
    "divId",
    "cnfStyle",
    "rPr",
];

/// Attributes to write, and those that they replace.
type Attributes = (Vec<(&'static str, String)>, Vec<&'static str>);

impl Format {
    fn spacing(&self) -> Attributes {
        let (mut new, mut gone) = (Vec::new(), Vec::new());
        if let Some(before) = self.before {
            new.push(("before", before.to_string()));
            gone.extend(["before", "beforeLines", "beforeAutospacing"]);
        }
        if let Some(after) = self.after {
            new.push(("after", after.to_string()));
            gone.extend(["after", "afterLines", "afterAutospacing"]);
        }
        if let Some(line) = self.line {
            new.extend([("line", line.to_string()), ("lineRule", "auto".to_owned())]);
            gone.extend(["line", "lineRule"]);
        }
        (new, gone)
    }

    fn indent(&self, strict: bool) -> Attributes {
        let (mut new, mut gone) = (Vec::new(), Vec::new());
        if let Some(left) = self.left {
            new.push((if strict { "start" } else { "left" }, left.to_string()));
            gone.extend(["left", "start", "leftChars", "startChars"]);
        }
        if let Some(right) = self.right {
            new.push((if strict { "end" } else { "right" }, right.to_string()));
            gone.extend(["right", "end", "rightChars", "endChars"]);
        }
        if let Some(first) = self.first_line {
            new.push((if first < 0 { "hanging" } else { "firstLine" }, first.unsigned_abs().to_string()));
            gone.extend(["firstLine", "hanging", "firstLineChars", "hangingChars"]);
        }
        (new, gone)
    }

    fn write(&self, markup: &mut Markup<'_>) {
        let strict = markup.dialect.strict;
        for (name, (attributes, _)) in [("spacing", self.spacing()), ("ind", self.indent(strict))] {
            if !attributes.is_empty() {
                let attributes: Vec<(&str, &str)> =
                    attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
                markup.tag(name, &attributes);
            }
        }
        if let Some(alignment) = self.alignment {
            let value = match (alignment, strict) {
                (Alignment::Left, false) => "left",
                (Alignment::Left, true) => "start",
                (Alignment::Right, false) => "right",
                (Alignment::Right, true) => "end",
                (Alignment::Center, _) => "center",
                (Alignment::Justify, _) => "both",
            };
            markup.val("jc", value);
        }
    }
}

impl NewRun {
    /// Its text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The run with another text.
    pub(super) fn with_text(&self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self.clone() }
    }

    /// Its properties as markup.
    pub(super) fn properties_markup(&self, dialect: &Dialect) -> String {
        let mut markup = Markup::new(dialect);
        if !self.is_plain() {
            self.write_properties(&mut markup);
        }
        markup.finish()
    }

    fn is_plain(&self) -> bool {
        *self == Self { text: self.text.clone(), ..Self::default() }
    }

    /// Writes the run; `like` is the markup of properties for a run without its own.
    pub(super) fn write(&self, markup: &mut Markup<'_>, like: &str) {
        markup.open("r", &[]);
        if self.is_plain() {
            markup.raw(like);
        } else {
            self.write_properties(markup);
        }
        markup.run_text(&self.text, "t");
        markup.close("r");
    }

    fn write_properties(&self, markup: &mut Markup<'_>) {
        markup.open("rPr", &[]);
        if let Some(font) = &self.font {
            markup.tag("rFonts", &[("ascii", font), ("hAnsi", font), ("eastAsia", font), ("cs", font)]);
        }
        if let Some(bold) = self.bold {
            markup.switch("b", bold);
            markup.switch("bCs", bold);
        }
        if let Some(italic) = self.italic {
            markup.switch("i", italic);
            markup.switch("iCs", italic);
        }
        if let Some(color) = &self.color {
            markup.val("color", color.rgb());
        }
        if let Some(size) = self.half_points {
            markup.val("sz", &size.to_string());
            markup.val("szCs", &size.to_string());
        }
        // Without a highlight, the element is omitted: not every program knows the value `none`.
        if let Some(highlight) = self.highlight.filter(|value| *value != "none") {
            markup.val("highlight", highlight);
        }
        if let Some(underline) = self.underline {
            markup.val("u", if underline { "single" } else { "none" });
        }
        markup.close("rPr");
    }
}
