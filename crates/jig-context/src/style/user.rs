//! What a `document-style` item asks, taken apart: rules, and examples.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Event, OffsetIter, Options, Parser, Tag, TagEnd};

use super::names::{OTHER_DOCUMENT, plain_words};
use super::{Format, MergeFailed};
use crate::skill::{self, Reference};

/// Names that stand for one format and for nothing else.
const XLSX: &[&str] =
    &["xlsx", "xls", "excel", "spreadsheet", "spreadsheets", "workbook", "workbooks", "worksheet", "worksheets"];
const DOCX: &[&str] = &[
    "docx",
    "microsoft word",
    "ms word",
    "word document",
    "word documents",
    "word doc",
    "word docs",
    "word file",
    "word files",
];
const PPTX: &[&str] = &["pptx", "ppt", "powerpoint", "slide", "slides", "presentations", "deck", "decks"];
/// Words that stand for a format only beside another one.
const SHEET: &[&str] = &["sheet", "sheets"];
const DOCUMENT: &[&str] = &["document", "documents", "doc", "docs"];
/// What makes a heading one for every format.
const EVERY: &[&str] = &[
    "all file",
    "all files",
    "all formats",
    "any file",
    "any files",
    "any format",
    "each file",
    "each format",
    "every file",
    "every format",
    "other file",
    "other files",
];
/// The same, but only beside a format: other formats may be those of dates and numbers.
const OTHERS: &[&str] = &["other document", "other documents", "other format", "other formats", "others"];
/// Words that may stand around the name of a format without a sense of their own.
const LITTLE: &[&str] = &["a", "an", "for", "in", "our", "the", "using", "when", "with", "your"];

/// What the user asks for one format.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UserStyle {
    pub(super) rules: Vec<Rule>,
    /// Each with its heading, as Markdown.
    pub(super) examples: Vec<String>,
}

/// One rule, and the heading it stood under.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) text: String,
    pub(super) heading: String,
}

/// Reads the item's `SKILL.md` and what it refers to. Sections for other formats are left out.
pub(super) fn read(format: Format, files: &BTreeMap<String, String>) -> Result<UserStyle, MergeFailed> {
    let text = skill::skill_file(files).ok_or_else(|| MergeFailed::new("the item has no SKILL.md"))?;
    let item = skill::read(text).map_err(|unreadable| MergeFailed::new(unreadable.message))?;
    let mut style = UserStyle::default();
    let mut said_anything = take_in(&mut style, format, &item.body);
    for Reference { path, text } in skill::references(files) {
        said_anything |= match path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).as_deref() {
            Some("md" | "markdown" | "txt") | None => take_in(&mut style, format, &text),
            _ => {
                style.examples.push(format!("### From {}\n\n{}", path.replace('`', ""), fenced(&text, "")));
                true
            }
        };
    }
    if said_anything { Ok(style) } else { Err(MergeFailed::new("the item has no rules")) }
}

/// Adds the rules and examples of a text; true if it has any, for whichever format.
fn take_in(style: &mut UserStyle, format: Format, text: &str) -> bool {
    let mut reader = Reader { text, format, style, headings: Vec::new(), lead: None, found: false };
    reader.read();
    reader.found
}

struct Reader<'a> {
    text: &'a str,
    format: Format,
    style: &'a mut UserStyle,
    /// The headings above this place, with their levels.
    headings: Vec<(usize, String)>,
    /// A paragraph that ends with a colon and belongs to the list behind it.
    lead: Option<String>,
    found: bool,
}

impl Reader<'_> {
    fn read(&mut self) {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let mut events = Parser::new_ext(self.text, options).into_offset_iter();
        while let Some((event, range)) = events.next() {
            let Event::Start(tag) = event else { continue };
            match tag {
                Tag::Heading { level, .. } => self.heading(level as usize, inner_text(&mut events)),
                Tag::List(_) => self.list(&mut events, range),
                Tag::CodeBlock(_) => self.code(&inner_text(&mut events)),
                Tag::Paragraph => {
                    inner_text(&mut events);
                    self.paragraph(range);
                }
                Tag::HtmlBlock => {
                    inner_text(&mut events);
                    let text = self.text[range].replace('<', "\\<");
                    self.rule(&text);
                }
                _ => {
                    inner_text(&mut events);
                    let text = self.text[range].to_owned();
                    self.rule(&text);
                }
            }
        }
        if let Some(lead) = self.lead.take() {
            self.rule(&lead);
        }
    }

    fn heading(&mut self, level: usize, text: String) {
        if let Some(lead) = self.lead.take() {
            self.rule(&lead);
        }
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, text));
    }

    fn paragraph(&mut self, range: Range<usize>) {
        let text = self.text[range].trim().to_owned();
        if let Some(lead) = self.lead.take() {
            self.rule(&lead);
        }
        if points_elsewhere(&text) {
            return;
        }
        if text.ends_with(':') { self.lead = Some(text) } else { self.rule(&text) }
    }

    fn list(&mut self, events: &mut OffsetIter<'_>, range: Range<usize>) {
        let items = items(events);
        if let Some(lead) = self.lead.take() {
            self.rule(&format!("{lead}\n\n{}", dedent(&self.text[range])));
            return;
        }
        for item in items {
            let text = without_marker(&self.text[item]);
            if !points_elsewhere(&text) {
                self.rule(&text);
            }
        }
    }

    fn code(&mut self, text: &str) {
        self.found |= !text.trim().is_empty();
        if self.is_for_format() && !text.trim().is_empty() {
            let lead = self.lead.take().map(|lead| format!("{lead}\n\n")).unwrap_or_default();
            let title = self.headings.last().map_or("Example of the house style", |(_, heading)| heading);
            self.style.examples.push(format!("### {}\n\n{lead}{}", one_line(title), fenced(text, "")));
        }
    }

    /// Adds a rule, or an example when the headings say that it is one.
    fn rule(&mut self, text: &str) {
        let text = text.trim();
        if !text.contains(char::is_alphanumeric) {
            return;
        }
        self.found = true;
        if !self.is_for_format() {
            return;
        }
        let heading = self.headings.last().map(|(_, heading)| heading.clone()).unwrap_or_default();
        if heading.to_lowercase().contains("example") {
            self.style.examples.push(format!("### {}\n\n{text}", one_line(&heading)));
        } else {
            self.style.rules.push(Rule { text: text.to_owned(), heading });
        }
    }

    /// Whether the innermost heading that names formats names this one. A rule below none is for every format.
    fn is_for_format(&self) -> bool {
        let mut named = self.headings.iter().rev().map(|(_, heading)| formats_in(heading));
        named.find(|formats| !formats.is_empty()).is_none_or(|formats| formats.contains(&self.format))
    }
}

/// The formats that a heading names. In doubt it names none: a rule too many is better than one that is missing.
fn formats_in(heading: &str) -> Vec<Format> {
    let said = plain_words(heading);
    let has = |names: &[&str]| names.iter().any(|name| said.contains(&format!(" {name} ")));
    let only = |name: &str| has(&[name]) && said.split_whitespace().all(|word| word == name || LITTLE.contains(&word));
    let document = has(DOCUMENT) && !has(OTHER_DOCUMENT);
    let word = has(&["word"]);
    // Whether each is surely named, and whether by a word that means it beside another format.
    let named = [
        (Format::Xlsx, has(XLSX), has(SHEET)),
        (Format::Docx, has(DOCX) || only("word") || word && document, word || document),
        (Format::Pptx, has(PPTX) || only("presentation"), has(&["presentation"])),
    ];
    if has(EVERY) || has(OTHERS) && named.iter().any(|(_, surely, _)| *surely) {
        return Format::ALL.to_vec();
    }
    let several = named.iter().filter(|(_, surely, maybe)| *surely || *maybe).count() > 1;
    let meant = named.into_iter().filter(|(_, surely, maybe)| *surely || several && *maybe);
    meant.map(|(format, ..)| format).collect()
}

/// Whether a text only points to another file, whose rules are taken in from there.
fn points_elsewhere(text: &str) -> bool {
    text.split_whitespace().count() < 25
        && skill::references_from(text).iter().any(|target| !target.contains(':') && !target.starts_with('#'))
}

/// Passes what is inside of the element that has just begun, and gives its text.
fn inner_text(events: &mut OffsetIter<'_>) -> String {
    let (mut text, mut depth) = (String::new(), 0);
    for (event, _) in events {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) if depth == 0 => break,
            Event::End(_) => depth -= 1,
            Event::Text(part) | Event::Code(part) => text += &part,
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
    }
    text
}

/// The places of a list's own items.
fn items(events: &mut OffsetIter<'_>) -> Vec<Range<usize>> {
    let (mut items, mut depth) = (Vec::new(), 0);
    for (event, range) in events {
        match event {
            Event::Start(tag) => {
                if depth == 0 && tag == Tag::Item {
                    items.push(range);
                }
                depth += 1;
            }
            Event::End(TagEnd::List(_)) if depth == 0 => break,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    items
}

/// An item's text without its bullet or number; further lines move to the left with it.
fn without_marker(item: &str) -> String {
    let rest = item.trim_start();
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let rest = rest.get(digits + 1..).unwrap_or_default().trim_start();
    match rest.split_once('\n') {
        None => rest.to_owned(),
        Some((first, more)) => format!("{first}\n{}", dedent(more)),
    }
}

/// Without the spaces that all lines begin with.
fn dedent(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let indent = lines().map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0);
    text.lines().map(|line| line.get(indent..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// A text as code, with a fence that it does not contain.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
