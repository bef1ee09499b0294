//! Ops on the text of a slide's placeholders, and what all ops that write text share: validating the text fields,
//! and writing paragraphs with the format of the text that they replace.

use jig_file_api::ops::pptx::{self, AppendBullets, ParagraphStyle, SetSlideText, SlideRun, TextOr, TextStyle};
use serde_json::{Map, Value};

use super::add_slide::{is_body, is_title};
use super::{DeckEdit, placeholder_names};
use crate::edit::{Color, EditError, OpInput, OpReport, excerpt};
use crate::error::{DeckIssue, Error, counted};
use crate::pptx::markup::{Prefixes, percent};
use crate::pptx::shape::{Shape, flat, shapes};
use crate::pptx::text::{body_text, paragraphs};
use crate::xml::{Node, Ns, Splice, escape_attribute, escape_text};

pub(super) fn set_slide_text(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: SetSlideText,
) -> Result<OpReport, Error> {
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let (title_runs, body_runs) = (plain_runs(fields.title_runs), plain_runs(fields.body_runs));
    let given = SlideText {
        title: (fields.title.as_deref(), title_runs.as_deref()),
        body: (fields.body.as_deref(), body_runs.as_deref()),
        style: &fields.style,
    };
    let (title, body) = given.read(edit, input)?;
    let clears = |what: pptx::SlideText| fields.clear.iter().flatten().any(|clear| *clear == what);
    let title = cleared(input, "title", title, clears(pptx::SlideText::Title))?;
    let body = cleared(input, "body", body, clears(pptx::SlideText::Body))?;
    if title.is_none() && body.is_none() {
        return Err(input.error("", DeckIssue::NothingToSet).into());
    }
    let (mut old, mut new) = (Map::new(), Map::new());
    edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        if let Some(title) = &title {
            let shape = find_placeholder(input, "title", index, &shapes)?;
            old.insert("title".to_owned(), shape_text(shape).into());
            new.insert("title".to_owned(), new_text(title).into());
            write_text(splice, shape, title, WriteMode::Replace);
        }
        if let Some(body) = &body {
            let shape = body_of(input, fields.placeholder.as_ref(), index, &shapes)?;
            old.insert("body".to_owned(), shape_text(shape).into());
            new.insert("body".to_owned(), new_text(body).into());
            write_text(splice, shape, body, WriteMode::Replace);
        }
        Ok(())
    })?;
    let what = match (&title, &body) {
        (Some(_), Some(_)) => "title and body",
        (Some(_), None) => "title",
        _ => "body",
    };
    let change = OpReport::new(input, format!("Set the {what} of slide {}.", index + 1));
    Ok(change.with("slide_index", index).with("old", old).with("new", new))
}

/// An empty text for `clear`; it is an error to give a new text too.
fn cleared(
    input: &OpInput,
    field: &str,
    given: Option<Vec<NewParagraph>>,
    clears: bool,
) -> Result<Option<Vec<NewParagraph>>, EditError> {
    match given {
        Some(_) if clears => Err(input.error("clear", DeckIssue::ClearAndText { what: format!("new {field}") })),
        None if clears => Ok(Some(vec![NewParagraph::default()])),
        given => Ok(given),
    }
}

/// The start of a new text, for receipts.
pub(super) fn new_text(new: &[NewParagraph]) -> String {
    excerpt(&new.iter().map(NewParagraph::text).collect::<Vec<_>>().join("\n"))
}

/// The start of a shape's text, for receipts.
pub(super) fn shape_text(shape: &Shape<'_>) -> String {
    let paragraphs = shape.body().into_iter().flat_map(|body| body.children_named(Ns::A, "p"));
    let lines = paragraphs.map(|paragraph| {
        let texts = paragraph.descendants().filter(|node| node.is(Ns::A, "t"));
        texts.map(|node| node.text().into_owned()).collect::<String>()
    });
    excerpt(&lines.collect::<Vec<_>>().join("\n"))
}

pub(super) fn append_bullets(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    fields: AppendBullets,
) -> Result<OpReport, Error> {
    if fields.bullets.is_empty() {
        return Err(input.error("bullets", DeckIssue::Empty { item: "bullet" }).into());
    }
    let count = fields.bullets.len();
    let (index, slide) = edit.slide(input, "index", fields.index)?;
    let format = paragraph_format(input, &fields.style)?;
    let new = leveled_paragraphs(edit, input, "bullets", fields.bullets, &format)?;
    edit.edit_part(&slide.part, |root, splice| {
        let shapes = shapes(root, &[])?;
        write_text(splice, body_of(input, fields.placeholder.as_ref(), index, &shapes)?, &new, WriteMode::Append);
        Ok(())
    })?;
    let summary = format!("Appended {} to slide {}.", counted(count, "bullet"), index + 1);
    Ok(OpReport::new(input, summary).with("slide_index", index).with("bullets", count))
}

/// Validates paragraphs with levels.
fn leveled_paragraphs(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    field: &str,
    bullets: Vec<TextOr<pptx::Bullet>>,
    format: &ParagraphFormat,
) -> Result<Vec<NewParagraph>, EditError> {
    let mut new = Vec::new();
    for (number, bullet) in bullets.into_iter().map(TextOr::<pptx::Bullet>::into_fields).enumerate() {
        let at = |name: &str| format!("{field}[{number}].{name}");
        let format = ParagraphFormat { level: bullet.level, ..format.clone() };
        let (text, runs) = (bullet.text, plain_runs(bullet.runs));
        let lines =
            new_paragraphs(edit, input, (&at("text"), text.as_deref()), (&at("runs"), runs.as_deref()), &format)?;
        new.extend(lines.ok_or_else(|| input.error(&format!("{field}[{number}]"), DeckIssue::EmptyBullet))?);
    }
    Ok(new)
}

/// The text of a shape as its ops give it: in one of three forms, with formats for all of it.
pub(super) struct ShapeText<'a> {
    pub(super) text: Option<&'a str>,
    pub(super) runs: Option<Vec<TextOr<SlideRun>>>,
    pub(super) paragraphs: Option<Vec<TextOr<pptx::Bullet>>>,
    pub(super) text_style: &'a TextStyle,
    pub(super) style: &'a ParagraphStyle,
}

impl ShapeText<'_> {
    /// The paragraphs; none when no form is given.
    pub(super) fn read(self, edit: &mut DeckEdit<'_>, input: &OpInput) -> Result<Lines, EditError> {
        let format = paragraph_format(input, self.style)?;
        let given = self.paragraphs.filter(|given| !given.is_empty());
        let mut new = match given {
            Some(paragraphs) => {
                if self.text.is_some() || self.runs.is_some() {
                    return Err(input.error("paragraphs", DeckIssue::Either { one: "paragraphs", other: "text" }));
                }
                Some(leveled_paragraphs(edit, input, "paragraphs", paragraphs, &format)?)
            }
            None => {
                let runs = plain_runs(self.runs);
                new_paragraphs(edit, input, ("text", self.text), ("runs", runs.as_deref()), &format)?
            }
        };
        let style = self.text_style;
        let common = SlideRun {
            text: String::new(),
            font_name: style.font_name.clone(),
            font_size: style.font_size,
            bold: style.bold,
            italic: style.italic,
            underline: style.underline,
            font_color: style.font_color.clone(),
            highlight_color: None,
        };
        let common = new_run(edit, input, "", &common)?.format;
        for run in new.iter_mut().flatten().flat_map(|paragraph| &mut paragraph.runs) {
            run.format.inherit(&common);
        }
        Ok(new)
    }
}

/// The shape for the body: the one named by the number of its placeholder or by its name, or the
/// slide's main text.
fn body_of<'s, 't>(
    input: &OpInput,
    wanted: Option<&Value>,
    index: usize,
    shapes: &'s [Shape<'t>],
) -> Result<&'s Shape<'t>, EditError> {
    let Some(wanted) = wanted else { return find_placeholder(input, "body", index, shapes) };
    let mut with_text = flat(shapes).into_iter().filter(|shape| shape.node.local() == "sp");
    let found = match wanted {
        Value::String(name) => with_text.find(|shape| shape.name().eq_ignore_ascii_case(name.trim())),
        wanted => with_text
            .find(|shape| shape.placeholder().is_some_and(|found| wanted.as_u64() == Some(u64::from(found.index)))),
    };
    found.ok_or_else(|| {
        let (placeholders, names) = placeholder_names(shapes);
        let issue = DeckIssue::NoTextShape { index, wanted: wanted.to_string(), placeholders };
        input.error("placeholder", issue).suggest(names)
    })
}

/// The placeholder for title or body.
fn find_placeholder<'s, 't>(
    input: &OpInput,
    field: &str,
    index: usize,
    shapes: &'s [Shape<'t>],
) -> Result<&'s Shape<'t>, EditError> {
    let all = flat(shapes);
    let is_it = |shape: &&&Shape<'t>| if field == "title" { is_title(shape) } else { is_body(shape) };
    let first = all.iter().filter(is_it).find(|shape| shape.placeholder().is_some_and(|found| found.index == 1));
    let found = first.filter(|_| field == "body").or_else(|| all.iter().find(is_it));
    found.copied().ok_or_else(|| {
        let (placeholders, names) = placeholder_names(shapes);
        let issue = DeckIssue::NoPlaceholder { index, field: field.to_owned(), placeholders };
        input.error(field, issue).suggest(names)
    })
}

/// Whether new text replaces the old or follows it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteMode {
    Replace,
    Append,
}

/// Writes paragraphs into a shape.
pub(super) fn write_text(splice: &mut Splice<'_>, shape: &Shape<'_>, new: &[NewParagraph], mode: WriteMode) {
    match (shape.body(), mode) {
        (Some(body), WriteMode::Replace) => set_body(splice, body, new),
        (Some(body), WriteMode::Append) => append_to_body(splice, body, new),
        (None, _) => add_body(splice, shape.node, new),
    }
}

/// Adds a text body to a shape without text, after its properties and style.
fn add_body(splice: &mut Splice<'_>, shape: Node<'_>, new: &[NewParagraph]) {
    let prefixes = Prefixes::at(shape);
    let (p, a) = (&prefixes.p, &prefixes.a);
    let inner = Prefixes { declared: String::new(), ..prefixes.clone() };
    let text: String = new.iter().map(|new| paragraph_markup(&inner, Base::default(), new)).collect();
    let declared = &prefixes.declared;
    let markup = format!("<{p}txBody{declared}><{a}bodyPr/><{a}lstStyle/>{text}</{p}txBody>");
    match shape.elements().filter(|node| node.ns() == Ns::P && matches!(node.local(), "spPr" | "style")).last() {
        Some(last) => splice.after(last, markup),
        None => splice.append(shape, markup),
    }
}

/// Runs as fields, plain texts too.
pub(super) fn plain_runs(runs: Option<Vec<TextOr<SlideRun>>>) -> Option<Vec<SlideRun>> {
    runs.map(|runs| runs.into_iter().map(TextOr::<SlideRun>::into_fields).collect())
}

/// The new format of a run. None means unchanged.
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

impl RunFormat {
    /// Takes what it leaves open from another format.
    fn inherit(&mut self, other: &Self) {
        self.font = self.font.take().or_else(|| other.font.clone());
        self.size = self.size.or(other.size);
        self.bold = self.bold.or(other.bold);
        self.italic = self.italic.or(other.italic);
        self.underline = self.underline.or(other.underline);
        self.color = self.color.take().or_else(|| other.color.clone());
        self.highlight = self.highlight.take().or_else(|| other.highlight.clone());
    }
}

/// Text with a format. A vertical tab is a line break.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NewRun {
    pub(super) text: String,
    pub(super) format: RunFormat,
}

/// The new format of a paragraph. None means unchanged.
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

/// A validated paragraph.
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

/// Validates the paragraph fields of an op.
pub(super) fn paragraph_format(input: &OpInput, style: &ParagraphStyle) -> Result<ParagraphFormat, EditError> {
    // The ranges are those of the ops' schema.
    let points = |value: Option<f64>| value.map(|value| (value * 100.0).round() as u32);
    Ok(ParagraphFormat {
        alignment: style.alignment.as_deref().map(|name| alignment_code(input, name)).transpose()?,
        space_before: points(style.space_before),
        space_after: points(style.space_after),
        line_spacing: style.line_spacing,
        level: None,
    })
}

fn alignment_code(input: &OpInput, name: &str) -> Result<&'static str, EditError> {
    let found = ALIGNMENTS.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
    found.ok_or_else(|| input.error("alignment", DeckIssue::UnknownAlignment { name: name.to_owned() }))
}

/// Title and body in the ops on slides: as text or as runs.
pub(super) struct SlideText<'a> {
    pub(super) title: (Option<&'a str>, Option<&'a [SlideRun]>),
    pub(super) body: (Option<&'a str>, Option<&'a [SlideRun]>),
    pub(super) style: &'a ParagraphStyle,
}

/// Paragraphs, where there are any.
type Lines = Option<Vec<NewParagraph>>;

impl SlideText<'_> {
    /// The paragraphs of title and body.
    pub(super) fn read(&self, edit: &mut DeckEdit<'_>, input: &OpInput) -> Result<(Lines, Lines), EditError> {
        let format = paragraph_format(input, self.style)?;
        let title = new_paragraphs(edit, input, ("title", self.title.0), ("title_runs", self.title.1), &format)?;
        let body = new_paragraphs(edit, input, ("body", self.body.0), ("body_runs", self.body.1), &format)?;
        Ok((title, body))
    }
}

/// Validates text or runs and divides them into paragraphs at line ends.
pub(super) fn new_paragraphs(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    (text_field, text): (&str, Option<&str>),
    (runs_field, runs): (&str, Option<&[SlideRun]>),
    format: &ParagraphFormat,
) -> Result<Option<Vec<NewParagraph>>, EditError> {
    let all = match (runs, text) {
        (Some(runs), text) => {
            if text.is_some() {
                edit.warn(&input.at(text_field), &format!("ignored, since {runs_field} is given"));
            }
            let mut all = Vec::new();
            for (number, run) in runs.iter().enumerate() {
                all.push(new_run(edit, input, &format!("{runs_field}[{number}]"), run)?);
            }
            all
        }
        (None, Some(text)) => {
            vec![NewRun { text: edit.clean(&input.at(text_field), text), format: RunFormat::default() }]
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(split_lines(all, format)))
}

fn split_lines(runs: Vec<NewRun>, format: &ParagraphFormat) -> Vec<NewParagraph> {
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

fn new_run(edit: &mut DeckEdit<'_>, input: &OpInput, at: &str, run: &SlideRun) -> Result<NewRun, EditError> {
    let field = |name: &str| format!("{at}.{name}");
    let color = |name: &str, given: Option<&String>| match given {
        None => Ok(None),
        Some(given) => match Color::parse(given) {
            Some(color) => Ok(Some(color.rgb().to_owned())),
            None => Err(input.error(&field(name), DeckIssue::InvalidColor)),
        },
    };
    let highlight = run.highlight_color.as_ref().filter(|name| *name != "none");
    let format = RunFormat {
        font: run.font_name.as_ref().map(|name| edit.clean(&input.at(&field("font_name")), name)),
        size: run.font_size.map(|size| (size * 100.0).round() as u32),
        bold: run.bold,
        italic: run.italic,
        underline: run.underline,
        color: color("font_color", run.font_color.as_ref())?,
        highlight: color("highlight_color", highlight)?,
    };
    Ok(NewRun { text: edit.clean(&input.at(&field("text")), &run.text), format })
}

/// The format that new text starts from: that of a paragraph of the same body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Base<'t> {
    paragraph: Option<Node<'t>>,
    run: Option<Node<'t>>,
}

impl<'t> Base<'t> {
    /// The format of a paragraph and its first run.
    pub(super) fn of(paragraph: Node<'t>) -> Self {
        let run = paragraph.elements().find(|node| node.ns() == Ns::A && matches!(node.local(), "r" | "fld"));
        let run = run.and_then(|run| run.child(Ns::A, "rPr")).or_else(|| {
            // An empty paragraph keeps the format for what will be typed at its end.
            run.is_none().then(|| paragraph.child(Ns::A, "endParaRPr")).flatten()
        });
        Self { paragraph: paragraph.child(Ns::A, "pPr"), run }
    }
}

/// Replaces all text of a body by paragraphs.
pub(super) fn set_body(splice: &mut Splice<'_>, body: Node<'_>, new: &[NewParagraph]) {
    let prefixes = Prefixes::text_at(body);
    let base = paragraphs(body).next().map(Base::of).unwrap_or_default();
    let markup: String = new.iter().map(|paragraph| paragraph_markup(&prefixes, base, paragraph)).collect();
    let (first, last) = (paragraphs(body).next(), paragraphs(body).last());
    match (first, last) {
        (Some(first), Some(last)) => splice.replace(first.range().start..last.range().end, markup),
        _ => splice.append(body, markup),
    }
}

/// Adds paragraphs after the text of a body. A single empty paragraph counts as no text.
pub(super) fn append_to_body(splice: &mut Splice<'_>, body: Node<'_>, new: &[NewParagraph]) {
    let Some(last) = paragraphs(body).last().filter(|_| !body_text(body).trim().is_empty()) else {
        return set_body(splice, body, new);
    };
    let prefixes = Prefixes::text_at(body);
    let base = Base::of(last);
    let markup: String = new.iter().map(|paragraph| paragraph_markup(&prefixes, base, paragraph)).collect();
    splice.after(last, markup);
}

/// A paragraph.
pub(super) fn paragraph_markup(prefixes: &Prefixes, base: Base<'_>, new: &NewParagraph) -> String {
    let a = &prefixes.a;
    let mut markup = format!("<{a}p{}>", prefixes.declared);
    markup.push_str(&paragraph_properties(prefixes, base.paragraph, &new.format));
    for run in &new.runs {
        push_run(&mut markup, prefixes, base.run, run);
    }
    if new.runs.is_empty() {
        markup.push_str(&run_properties(prefixes, "endParaRPr", base.run, &RunFormat::default()));
    }
    markup.push_str(&format!("</{a}p>"));
    markup
}

fn push_run(markup: &mut String, prefixes: &Prefixes, base: Option<Node<'_>>, run: &NewRun) {
    let a = &prefixes.a;
    let properties = run_properties(prefixes, "rPr", base, &run.format);
    for (number, line) in run.text.split('\u{b}').enumerate() {
        if number > 0 {
            markup.push_str(&format!("<{a}br>{properties}</{a}br>"));
        }
        if !line.is_empty() {
            markup.push_str(&format!("<{a}r>{properties}<{a}t>{}</{a}t></{a}r>", escape_text(line)));
        }
    }
}

/// The properties of a paragraph: those of a base with what the format changes.
fn paragraph_properties(prefixes: &Prefixes, base: Option<Node<'_>>, format: &ParagraphFormat) -> String {
    if *format == ParagraphFormat::default() {
        return base.map(|base| base.source().to_owned()).unwrap_or_default();
    }
    let a = &prefixes.a;
    let mut attributes = Attributes::of(base, &[]);
    if let Some(level) = format.level {
        attributes.set("lvl", (level > 0).then(|| level.to_string()));
        // Margins belong to the level.
        if base.and_then(|base| base.attr("lvl")).and_then(|old| old.parse().ok()).unwrap_or(0) != level {
            attributes.set("marL", None);
            attributes.set("indent", None);
        }
    }
    if let Some(alignment) = format.alignment {
        attributes.set("algn", Some(alignment.to_owned()));
    }
    let points = |name: &str, value: u32| format!(r#"<{a}{name}><{a}spcPts val="{value}"/></{a}{name}>"#);
    let lines = format.line_spacing.map(|lines| {
        let percent = percent((lines * 10_000.0).round() / 100.0);
        format!(r#"<{a}lnSpc><{a}spcPct val="{percent}"/></{a}lnSpc>"#)
    });
    let new = [
        ("lnSpc", lines),
        ("spcBef", format.space_before.map(|value| points("spcBef", value))),
        ("spcAft", format.space_after.map(|value| points("spcAft", value))),
    ];
    let order = |name: &str| ["lnSpc", "spcBef", "spcAft"].iter().position(|known| *known == name).unwrap_or(9);
    attributes.element(prefixes, "pPr", &children(base, &new, &order, &[]))
}

/// The properties of a run: those of a base with what the format changes. Links stay with the text they
/// were made for.
pub(super) fn run_properties(prefixes: &Prefixes, name: &str, base: Option<Node<'_>>, format: &RunFormat) -> String {
    let a = &prefixes.a;
    let mut attributes = Attributes::of(base, &["err", "dirty", "smtClean"]);
    let flag = |value: bool| Some(if value { "1" } else { "0" }.to_owned());
    if let Some(size) = format.size {
        attributes.set("sz", Some(size.to_string()));
    }
    if let Some(bold) = format.bold {
        attributes.set("b", flag(bold));
    }
    if let Some(italic) = format.italic {
        attributes.set("i", flag(italic));
    }
    if let Some(underline) = format.underline {
        attributes.set("u", Some(if underline { "sng" } else { "none" }.to_owned()));
    }
    let solid = |rgb: &String| format!(r#"<{a}solidFill><{a}srgbClr val="{rgb}"/></{a}solidFill>"#);
    let mark = |rgb: &String| format!(r#"<{a}highlight><{a}srgbClr val="{rgb}"/></{a}highlight>"#);
    let face = |name: &String, font: &str| format!(r#"<{a}{font} typeface="{}"/>"#, escape_attribute(name));
    let new = [
        ("solidFill", format.color.as_ref().map(solid)),
        ("highlight", format.highlight.as_ref().map(mark)),
        ("latin", format.font.as_ref().map(|font| face(font, "latin"))),
        ("cs", format.font.as_ref().map(|font| face(font, "cs"))),
    ];
    let children = children(base, &new, &run_order, &["hlinkClick", "hlinkMouseOver"]);
    if attributes.list.is_empty() && children.is_empty() {
        return String::new();
    }
    attributes.element(prefixes, name, &children)
}

/// The position of a child of run properties in the schema. The alternatives of a choice have one position.
fn run_order(name: &str) -> usize {
    const ORDER: [&[&str]; 12] = [
        &["ln"],
        &["noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"],
        &["effectLst", "effectDag"],
        &["highlight"],
        &["uLnTx", "uLn"],
        &["uFillTx", "uFill"],
        &["latin"],
        &["ea"],
        &["cs"],
        &["sym"],
        &["hlinkClick", "hlinkMouseOver"],
        &["rtl"],
    ];
    ORDER.iter().position(|names| names.contains(&name)).unwrap_or(ORDER.len())
}

/// The children of a base with new ones inserted, in the order of the schema.
fn children(
    base: Option<Node<'_>>,
    new: &[(&str, Option<String>)],
    order: &dyn Fn(&str) -> usize,
    left_out: &[&str],
) -> String {
    let new: Vec<(usize, &String)> =
        new.iter().filter_map(|(name, markup)| Some((order(name), markup.as_ref()?))).collect();
    let old = base.into_iter().flat_map(Node::elements).filter(|node| !left_out.contains(&node.local()));
    let old = old.map(|node| (order(node.local()), node.source()));
    let mut all: Vec<(usize, &str)> = old.filter(|(place, _)| !new.iter().any(|(taken, _)| taken == place)).collect();
    all.extend(new.iter().map(|(place, markup)| (*place, markup.as_str())));
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, markup)| markup).collect()
}

/// The attributes of an element, as they are written.
struct Attributes {
    list: Vec<(String, String)>,
}

impl Attributes {
    fn of(base: Option<Node<'_>>, left_out: &[&str]) -> Self {
        let all = base.into_iter().flat_map(Node::attributes);
        let kept = all.filter(|attribute| !left_out.contains(&attribute.name));
        Self { list: kept.map(|attribute| (attribute.name.to_owned(), attribute.raw.to_owned())).collect() }
    }

    fn set(&mut self, name: &str, value: Option<String>) {
        self.list.retain(|(known, _)| known != name);
        self.list.extend(value.map(|value| (name.to_owned(), value)));
    }

    fn element(&self, prefixes: &Prefixes, name: &str, children: &str) -> String {
        let a = &prefixes.a;
        let attributes: String = self
            .list
            .iter()
            .map(|(name, value)| {
                // The value is raw and can be in either kind of quotes.
                format!(r#" {name}="{}""#, value.replace('"', "&quot;"))
            })
            .collect();
        if children.is_empty() {
            format!("<{a}{name}{attributes}/>")
        } else {
            format!("<{a}{name}{attributes}>{children}</{a}{name}>")
        }
    }
}
