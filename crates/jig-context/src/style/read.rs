//! Reads the rules and examples of a `document-style` item or a plain style document.

use std::collections::BTreeMap;

use super::blocks::{Block, blocks};
use super::names::{formats_in, is_only_formats, scope_of};
use super::rule::{Polarity, RuleSource, StyleRule, is_label, polarity_of_text};
use super::terms::{Term, row_terms};
use super::{MergeFailed, Scope};
use crate::item::Category;
use crate::skill::{self, Reference};

/// The maximum number of words of a paragraph before a list that is repeated with each item. A longer one forms a
/// single rule together with its list.
const LEAD_WORDS: usize = 14;
/// The same limit for a paragraph that ends with a colon.
const COLON_WORDS: usize = 40;
/// The level of a bold paragraph that serves as a heading: below all real headings.
const BOLD_LEVEL: usize = 7;
/// The maximum length of a line, in characters, that may be an entry of its own.
const ENTRY_CHARS: usize = 60;

/// The rules and examples of an item.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HouseStyle {
    pub(crate) rules: Vec<StyleRule>,
    pub(crate) examples: Vec<Example>,
}

/// A code example.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Example {
    pub(crate) scope: Scope,
    /// The headings above it.
    pub(crate) label: String,
    /// As Markdown.
    pub(crate) text: String,
}

/// Reads the item's `SKILL.md` and the files it refers to.
pub(super) fn read_item(files: &BTreeMap<String, String>) -> Result<HouseStyle, MergeFailed> {
    let text = skill::skill_file(files).ok_or_else(|| MergeFailed::new("the item has no SKILL.md"))?;
    let item = skill::read(text).map_err(|unreadable| MergeFailed::new(unreadable.message))?;
    let mut style = HouseStyle::default();
    let mut pointers = style.take_in(skill::SKILL_FILE, &item.body, &[]);
    for Reference { path, text } in skill::references(files) {
        let outer = above_file(&path, &pointers);
        match path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).as_deref() {
            Some("md" | "markdown" | "txt") | None => {
                let further = style.take_in(&path, &text, &outer);
                pointers.extend(further);
            }
            _ => style.examples.push(Example {
                scope: Scope::AllFormats,
                label: format!("From {}", path.replace('`', "")),
                text: fenced(&text),
            }),
        }
    }
    if style.rules.is_empty() && style.examples.is_empty() {
        return Err(MergeFailed::new("the item has no rules"));
    }
    Ok(style)
}

/// Reads a style document that has not been processed into an item.
pub(crate) fn read_document(text: &str) -> HouseStyle {
    let mut style = HouseStyle::default();
    style.take_in("", text, &[]);
    style
}

/// The headings for the rules of a referenced file: its name and what is above the reference. A bare list in
/// `words-to-avoid.md`, or in a file linked below `## Never`, is a list of prohibitions.
fn above_file(path: &str, pointers: &[Pointer]) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let pointer = pointers.iter().find(|pointer| pointer.text.contains(name));
    let mut above = pointer.map(|pointer| pointer.above.clone()).unwrap_or_default();
    if Some(path) != Category::DocumentStyle.detail_file() {
        above.push(stem.replace(['-', '_'], " "));
    }
    above
}

/// A paragraph that refers to a file.
struct Pointer {
    text: String,
    above: Vec<String>,
}

impl HouseStyle {
    /// Adds the rules and examples of a text. Returns its references to other files.
    fn take_in(&mut self, file: &str, text: &str, outer: &[String]) -> Vec<Pointer> {
        let mut reader = Reader { style: self, file, pointers: Vec::new() };
        reader.walk(&blocks(text), outer);
        reader.pointers
    }
}

struct Reader<'a> {
    style: &'a mut HouseStyle,
    file: &'a str,
    pointers: Vec<Pointer>,
}

/// The headings and lead-in lines above a position within one container.
struct Above<'a> {
    outer: &'a [String],
    headings: Vec<(usize, String)>,
    lead: Option<Lead>,
}

/// A paragraph that introduces what follows it.
struct Lead {
    text: String,
    /// Whether anything has been read below it.
    used: bool,
    /// Whether it is followed by entries without bullets rather than a list.
    of_paragraphs: bool,
}

impl Above<'_> {
    /// All headings, outermost first. A combined heading is split.
    fn chain(&self) -> Vec<String> {
        let headings = self.headings.iter().flat_map(|(_, text)| text.split(" › ").map(str::to_owned));
        let lead = self.lead.iter().flat_map(|lead| lead.text.split(" › ").map(str::to_owned));
        self.outer.iter().cloned().chain(headings).chain(lead).collect()
    }
}

impl Reader<'_> {
    fn walk(&mut self, blocks: &[Block], outer: &[String]) {
        let mut above = Above { outer, headings: Vec::new(), lead: None };
        let mut rest = blocks.iter().peekable();
        while let Some(block) = rest.next() {
            match block {
                Block::Heading { level, text } => self.heading(*level, text, &mut above),
                Block::Paragraph(lines) => {
                    let next = rest.peek().copied();
                    if self.paragraph(lines, next, &mut above) {
                        rest.next();
                    }
                    continue;
                }
                Block::List { items, .. } => {
                    let chain = above.chain();
                    items.iter().for_each(|item| self.walk(item, &chain));
                }
                Block::Quote(inside) => self.walk(inside, &above.chain()),
                Block::Table { header, rows } => self.table(header, rows, &above.chain()),
                Block::Code(code) => self.code(code, &above.chain()),
                Block::Verbatim(text) => self.rule(text, above.chain()),
            }
            // A list may continue with other bullets, so its lead-in applies until the next paragraph.
            if let Some(lead) = &mut above.lead {
                (lead.used, lead.of_paragraphs) = (true, false);
            }
        }
        self.end_lead(&mut above);
    }

    fn heading(&mut self, level: usize, text: &str, above: &mut Above<'_>) {
        self.end_lead(above);
        above.headings.retain(|(other, _)| *other < level);
        above.headings.push((level, one_line(text)));
    }

    /// An introduction without anything below it is still content, so it becomes a rule.
    fn end_lead(&mut self, above: &mut Above<'_>) {
        if let Some(lead) = above.lead.take().filter(|lead| !lead.used) {
            self.rule(&lead.text, above.chain());
        }
    }

    /// Sets the introduction of the next blocks. An unused previous introduction is combined with it.
    fn announce(above: &mut Above<'_>, text: String, of_paragraphs: bool) {
        let text = match above.lead.take().filter(|lead| !lead.used) {
            Some(lead) => format!("{} › {text}", lead.text.trim_end_matches([':', '：'])),
            None => text,
        };
        above.lead = Some(Lead { text, used: false, of_paragraphs });
    }

    /// Reads a paragraph. Returns true if the next block belongs to it and was read with it.
    fn paragraph(&mut self, lines: &[String], next: Option<&Block>, above: &mut Above<'_>) -> bool {
        let text = joined(lines);
        if above.lead.as_ref().is_some_and(|lead| lead.used && !lead.of_paragraphs) {
            above.lead = None;
        }
        let refers = skill::references_from(&text).iter().any(|target| skill::is_file_reference(target));
        if refers {
            let says = polarity_of_text(&text) != Polarity::Unclear;
            let sentence = text.split_inclusive(". ").find(|sentence| sentence.contains("](")).unwrap_or(&text);
            let holds =
                polarity_of_text(sentence) != Polarity::Unclear && sentence.split_whitespace().count() <= COLON_WORDS;
            let above = above.chain().into_iter().chain(holds.then(|| without_links(sentence)));
            self.pointers.push(Pointer { above: above.collect(), text: text.clone() });
            // A paragraph that only refers to a file is not a rule: the rules are read from that file.
            if !says && text.split_whitespace().count() < 25 {
                return false;
            }
        }
        let follows = next.is_some_and(|next| !matches!(next, Block::Heading { .. }));
        let label = || Some(text.as_str()).filter(|text| is_label(text) && !text.ends_with([':', '：']));
        let above_text = matches!(next, Some(Block::Paragraph(_)));
        if let Some(heading) = bold(&text).or_else(|| label().filter(|_| above_text)).filter(|_| follows) {
            let before = above.lead.take().filter(|lead| !lead.used).map(|lead| format!("{} › ", lead.text));
            self.heading(BOLD_LEVEL, &format!("{}{heading}", before.unwrap_or_default()), above);
            return false;
        }
        let announces = text.ends_with([':', '：']);
        let words = text.split_whitespace().count();
        match next {
            Some(Block::List { .. } | Block::Table { .. } | Block::Code(_) | Block::Quote(_))
                if words <= if announces { COLON_WORDS } else { LEAD_WORDS } =>
            {
                // A sentence is a rule of its own; a label is not.
                if !announces && words > 3 {
                    self.rule(&text, above.chain());
                }
                Self::announce(above, text, false);
                false
            }
            Some(Block::List { raw, .. }) => {
                self.rule(&format!("{text}\n\n{}", dedent(raw)), above.chain());
                above.lead = None;
                true
            }
            Some(Block::Paragraph(_)) if announces && words <= COLON_WORDS => {
                Self::announce(above, text, true);
                false
            }
            _ => {
                if lines.len() > 1 && lines.iter().all(|line| is_key_value(line)) {
                    lines.iter().for_each(|line| self.rule(line, above.chain()));
                } else {
                    self.rule(&text, above.chain());
                }
                // An introduction applies to further entries and ends at the first sentence.
                if let Some(lead) = &mut above.lead {
                    lead.used = true;
                }
                if text.ends_with(['.', '!', '?', '。', '؟']) {
                    above.lead = None;
                }
                false
            }
        }
    }

    /// Each row is one rule that names the column of each cell. A column for one format makes rules for that format.
    fn table(&mut self, header: &[String], rows: &[Vec<String>], chain: &[String]) {
        let titled = |at: usize| header.get(at).map_or("", |title| title.trim());
        let of_format = |at: usize| is_only_formats(titled(at));
        let by_format = (0..header.len()).any(of_format);
        // The first cell of the last row that had one: a blank below it continues it, as merged cells do.
        let mut group: Option<&str> = None;
        let mut banner: Option<&str> = None;
        for row in rows {
            let cells: Vec<(usize, &str)> =
                row.iter().map(|cell| cell.trim()).enumerate().filter(|(_, cell)| !cell.is_empty()).collect();
            let chain: Vec<String> = match cells.as_slice() {
                // A row that only announces the rows below it.
                [(_, alone)] if header.len() > 1 && (bold(alone).is_some() || is_label(alone)) => {
                    (banner, group) = (Some(bold(alone).unwrap_or(alone)), None);
                    continue;
                }
                [(0, first), ..] => {
                    group = Some(first);
                    chain.iter().cloned().chain(banner.map(str::to_owned)).collect()
                }
                _ => chain.iter().cloned().chain(banner.into_iter().chain(group).map(str::to_owned)).collect(),
            };
            let named = |(at, cell): &(usize, &str)| match titled(*at) {
                "" => (*cell).to_owned(),
                title => format!("{title}: {cell}"),
            };
            if by_format {
                let labels: Vec<String> = cells.iter().filter(|(at, _)| !of_format(*at)).map(named).collect();
                for (at, cell) in cells.iter().filter(|(at, _)| of_format(*at)) {
                    let chain = chain.iter().cloned().chain(labels.iter().cloned()).chain([titled(*at).to_owned()]);
                    self.rule(cell, chain.collect());
                }
                continue;
            }
            // A format in the first cell is the scope of the row.
            let (label, cells) = match cells.split_first() {
                Some(((_, first), cells))
                    if !cells.is_empty() && !formats_in(first).is_empty() && is_only_formats(first) =>
                {
                    (Some((*first).to_owned()), cells)
                }
                _ => (None, cells.as_slice()),
            };
            let text = cells.iter().map(named).collect::<Vec<_>>().join("; ");
            self.rule_with(&text, chain.iter().cloned().chain(label).collect(), row_terms(header, row));
        }
        if rows.is_empty() {
            self.rule(&header.join("; "), chain.to_vec());
        }
    }

    fn code(&mut self, code: &str, chain: &[String]) {
        if code.trim().is_empty() {
            return;
        }
        let scope = scope_of(chain, "");
        let rule = StyleRule::new("", scope.clone(), self.source(chain.to_vec()));
        let label = rule.label();
        let label = if label.is_empty() { "Example of the house style".to_owned() } else { label };
        self.style.examples.push(Example { scope, label, text: fenced(code) });
    }

    fn rule(&mut self, text: &str, chain: Vec<String>) {
        let text = text.trim();
        if text.contains(char::is_alphanumeric) {
            let scope = scope_of(&chain, text);
            self.style.rules.push(StyleRule::new(text, scope, self.source(chain)));
        }
    }

    /// Adds a rule whose position may determine its terms.
    fn rule_with(&mut self, text: &str, chain: Vec<String>, terms: Vec<Term>) {
        if terms.is_empty() {
            return self.rule(text, chain);
        }
        let scope = scope_of(&chain, text);
        self.style.rules.push(StyleRule::with_terms(text, scope, self.source(chain), terms));
    }

    fn source(&self, headings: Vec<String>) -> RuleSource {
        RuleSource { file: self.file.to_owned(), headings }
    }
}

/// The lines of a paragraph joined, so that no line is read without the others. Short lines may be entries of a list
/// that lost its bullets, and stay separate.
fn joined(lines: &[String]) -> String {
    let entries = lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= ENTRY_CHARS);
    lines.join(if entries { " / " } else { " " })
}

/// The text of a paragraph that is entirely bold, or bold with a colon.
fn bold(text: &str) -> Option<&str> {
    let bare = text.trim_end_matches([':', '：']).trim_end();
    let inner = ["**", "__"]
        .into_iter()
        .find_map(|mark| bare.strip_prefix(mark)?.strip_suffix(mark).filter(|inner| !inner.contains(mark)))?;
    let short = inner.split_whitespace().count() <= LEAD_WORDS && !inner.ends_with(['.', '!', '?']);
    short.then(|| inner.trim().trim_end_matches([':', '：']))
}

/// Whether a line is a short label followed by a colon and text.
fn is_key_value(line: &str) -> bool {
    let Some((label, value)) = line.split_once([':', '：']) else { return false };
    label.split_whitespace().count() <= 5
        && label.chars().count() <= 40
        && !value.trim().is_empty()
        && !label.contains(['.', ',', ';', '!', '?'])
}

/// A text with links reduced to their labels.
fn without_links(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, (label, after))) =
        rest.split_once('[').and_then(|(before, link)| Some((before, link.split_once("](")?)))
    {
        out.push_str(before);
        out.push_str(label);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// A text without common indentation.
fn dedent(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let indent = lines().map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0);
    text.lines().map(|line| line.get(indent..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// A text as a code block, with a fence that does not occur in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}\n{}\n{fence}", text.trim_end())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
