//! Rewrites XML so that nothing in it leads out of the file.
//!
//! Works on every vocabulary at once (OOXML, VML, OpenDocument, SVG), by local names and by values: LibreOffice decides
//! by content what it reads, so a rule for one format only could be walked around by another.

use quick_xml::Reader;
use quick_xml::escape::{escape, unescape};
use quick_xml::events::{BytesStart, Event};

use super::fields::{Fields, is_harmless};
use super::reference::{
    NOWHERE, is_identifier_name, is_outside_formula, is_reference_name, mentions_outside, stays_inside,
};

/// Elements with an instruction, a formula or a style sheet as their text.
const INSTRUCTIONS: [&str; 2] = ["instrText", "delInstrText"];
const FORMULAS: [&str; 10] = [
    "f",
    "fx",
    "formula",
    "formula1",
    "formula2",
    "definedName",
    "calculatedColumnFormula",
    "totalsRowFormula",
    "FmlaMacro",
    "oldFormula",
];
/// Links for a person to click.
const LINKS: [&str; 5] = ["a", "hyperlink", "hlinkClick", "hlinkHover", "hlinkMouseOver"];
/// Elements that run or load something, with all that is in them.
const LEFT_OUT: [&str; 8] = [
    "script",
    "scripts",
    "event-listeners",
    "dde-connection",
    "dde-source",
    "dde-connection-decls",
    "foreignObject",
    "ddeLink",
];

/// Rewrites a part. `is_part` tells whether a relationship's target is in the package.
pub(super) fn detach(text: &str, most_depth: usize, is_part: &dyn Fn(&str) -> bool) -> Result<Vec<u8>, String> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    reader.config_mut().check_end_names = true;
    let mut copy = Copy { out: String::with_capacity(text.len()), fields: Fields::default(), is_part };
    copy.out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
    let mut depth: usize = 0;
    // The depth at which an element began that is left out with its content.
    let mut skipped: Option<usize> = None;
    // What the text of each open element is, the innermost last.
    let mut texts: Vec<ElementText> = Vec::new();
    loop {
        let event = reader.read_event().map_err(|error| format!("it is not well-formed XML: {error}"))?;
        match event {
            Event::Start(start) => {
                depth += 1;
                if depth > most_depth {
                    return Err(format!("elements are nested more than {most_depth} deep"));
                }
                if skipped.is_none() {
                    copy.child(&mut texts)?;
                    match copy.start(&start, false)? {
                        Kept::Yes => texts.push(ElementText::of(local(&start))),
                        Kept::No => skipped = Some(depth),
                    }
                }
            }
            Event::Empty(start) => {
                if skipped.is_none() {
                    copy.child(&mut texts)?;
                    copy.start(&start, true)?;
                }
            }
            Event::End(end) => {
                if skipped.is_none() {
                    if let Some(ElementText::Special(special, text)) = texts.pop() {
                        copy.special(special, &text);
                    }
                    copy.out.push_str("</");
                    copy.out.push_str(end.name().0);
                    copy.out.push('>');
                } else if skipped == Some(depth) {
                    skipped = None;
                }
                depth = depth.saturating_sub(1);
            }
            Event::Text(piece) => copy.text(&piece, skipped.is_some(), &mut texts)?,
            Event::CData(piece) => copy.text(&escape(&*piece), skipped.is_some(), &mut texts)?,
            Event::GeneralRef(name) => {
                // An entity that is neither a character nor one of the five of XML belongs to the document type, which is dropped.
                let reference = format!("&{};", &*name);
                copy.text(&reference, skipped.is_some(), &mut texts)?;
            }
            Event::DocType(declared) if declared.contains('[') => {
                return Err("it declares entities".to_owned());
            }
            Event::DocType(_) | Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof => break,
        }
    }
    if depth > 0 {
        return Err("it ends too early".to_owned());
    }
    let mut out = copy.out.into_bytes();
    blank(&mut out, copy.fields.finish());
    Ok(out)
}

const MIXED: &str = "a formula or field has elements in its text";

/// Whether an element is in the copy.
enum Kept {
    Yes,
    No,
}

/// What the text of an element is.
enum ElementText {
    /// Words.
    Plain,
    /// Collected, and looked at as one when the element ends.
    Special(Special, String),
    /// Nothing: an element of this name with others in it, such as a style of a document.
    Blank,
}

impl ElementText {
    fn of(local: &str) -> Self {
        Special::of(local).map_or(Self::Plain, |special| Self::Special(special, String::new()))
    }
}

/// Text with a meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    Instruction,
    Formula,
    StyleSheet,
}

impl Special {
    fn of(local: &str) -> Option<Self> {
        match local {
            _ if INSTRUCTIONS.contains(&local) => Some(Self::Instruction),
            _ if FORMULAS.contains(&local) => Some(Self::Formula),
            "style" => Some(Self::StyleSheet),
            _ => None,
        }
    }
}

struct Copy<'a> {
    out: String,
    fields: Fields,
    is_part: &'a dyn Fn(&str) -> bool,
}

impl Copy<'_> {
    fn start(&mut self, start: &BytesStart<'_>, is_empty: bool) -> Result<Kept, String> {
        let element = local(start);
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| format!("it is not well-formed XML: {error}"))?;
            let value = unescape(&attribute.value).map_err(|error| format!("it is not well-formed XML: {error}"))?;
            attributes.push((attribute.key.0.to_owned(), value.into_owned()));
        }
        if element == "Relationship" && !self.relationship(&mut attributes) || LEFT_OUT.contains(&element) {
            return Ok(Kept::No);
        }
        let is_link = LINKS.contains(&element);
        for (name, value) in &mut attributes {
            if element != "Relationship" {
                detach_attribute(is_link, name, value);
            }
        }
        if element == "fldChar" {
            let kind = attributes.iter().find(|(name, _)| local_of(name) == "fldCharType");
            self.field_mark(kind.map_or("", |(_, value)| value.trim()));
        }
        self.out.push('<');
        self.out.push_str(start.name().0);
        for (name, value) in attributes {
            self.out.push(' ');
            self.out.push_str(&name);
            self.out.push_str("=\"");
            // Written as references, so that a reader does not take them for blanks.
            self.out.push_str(&escape(&value).replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;"));
            self.out.push('"');
        }
        self.out.push_str(if is_empty { "/>" } else { ">" });
        Ok(Kept::Yes)
    }

    /// Relationships to parts of the package stay. Links for a person lead nowhere; all others out of it are left out.
    fn relationship(&self, attributes: &mut [(String, String)]) -> bool {
        let get = |wanted: &str| {
            attributes.iter().find(|(name, _)| local_of(name) == wanted).map(|(_, value)| value.trim().to_owned())
        };
        let target = get("Target").unwrap_or_default();
        let is_link = get("Type").unwrap_or_default().ends_with("/hyperlink");
        let is_external = get("TargetMode").is_some_and(|mode| !mode.eq_ignore_ascii_case("internal"));
        if is_link && !target.starts_with('#') {
            for (name, value) in attributes.iter_mut() {
                match local_of(name) {
                    "Target" => NOWHERE.clone_into(value),
                    "TargetMode" => "External".clone_into(value),
                    _ => {}
                }
            }
            return is_external;
        }
        !is_external && (target.starts_with('#') || (self.is_part)(&target))
    }

    fn field_mark(&mut self, kind: &str) {
        match kind {
            "begin" => self.fields.begin(),
            // What follows is the result: an instruction there is a stray one.
            "separate" | "end" => {
                let emptied = self.fields.end();
                self.empty(emptied);
                if kind == "separate" {
                    self.fields.begin();
                }
            }
            _ => {}
        }
    }

    fn empty(&mut self, places: Vec<(usize, usize)>) {
        let mut out = std::mem::take(&mut self.out).into_bytes();
        blank(&mut out, places);
        // Only ASCII was put in place of whole characters.
        self.out = String::from_utf8(out).unwrap_or_default();
    }

    /// An element begins inside another one.
    fn child(&mut self, texts: &mut [ElementText]) -> Result<(), String> {
        if let Some(parent @ ElementText::Special(..)) = texts.last_mut() {
            if !matches!(parent, ElementText::Special(_, text) if text.trim().is_empty()) {
                return Err(MIXED.to_owned());
            }
            *parent = ElementText::Blank;
        }
        Ok(())
    }

    fn text(&mut self, escaped: &str, is_skipped: bool, texts: &mut [ElementText]) -> Result<(), String> {
        let plain = unescape(escaped).map_err(|error| format!("it is not well-formed XML: {error}"))?;
        match texts.last_mut() {
            _ if is_skipped => {}
            Some(ElementText::Special(_, text)) => text.push_str(&plain),
            Some(ElementText::Blank) if !plain.trim().is_empty() => return Err(MIXED.to_owned()),
            Some(ElementText::Plain | ElementText::Blank) | None => self.out.push_str(escaped),
        }
        Ok(())
    }

    /// The text of a special element, now that all of it is known.
    fn special(&mut self, special: Special, text: &str) {
        let start = self.out.len();
        let keeps = match special {
            Special::Instruction => true,
            Special::Formula => !is_outside_formula(text),
            Special::StyleSheet => !mentions_outside(text) && !text.to_ascii_lowercase().contains("@import"),
        };
        if keeps {
            self.out.push_str(&escape(text));
        }
        if special == Special::Instruction {
            self.fields.piece(text, (start, self.out.len()));
        }
    }
}

fn detach_attribute(is_link: bool, name: &str, value: &mut String) {
    if name == "xmlns" || name.starts_with("xmlns:") {
        return;
    }
    let local = local_of(name);
    let leads_out = match local {
        "href" if is_link => {
            if !value.trim_start().starts_with('#') {
                NOWHERE.clone_into(value);
            }
            false
        }
        "instr" => !is_harmless(value),
        // VML: what is in the package has a relationship.
        "src" => !value.trim_start().starts_with('#'),
        "formula" | "condition" | "fmla" => is_outside_formula(value),
        _ if is_reference_name(local) => !stays_inside(value),
        _ if local.starts_with("dde-") => true,
        _ => !is_identifier_name(local) && mentions_outside(value),
    };
    if leads_out {
        value.clear();
    }
}

fn local<'a>(start: &'a BytesStart<'_>) -> &'a str {
    local_of(start.name().0)
}

fn local_of(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Puts blanks in place of bytes.
fn blank(out: &mut [u8], places: Vec<(usize, usize)>) {
    for (start, end) in places {
        if let Some(bytes) = out.get_mut(start..end) {
            bytes.fill(b' ');
        }
    }
}
