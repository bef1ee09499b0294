//! Fields: writing them, `insert_field` and `insert_table_of_contents`.

use jig_file_api::ops::docx_structure::{InsertField, InsertTableOfContents};

use super::anchor::insert_at;
use super::markup::{Dialect, Markup};
use super::paragraphs::insert_into_body;
use super::{Body, DocumentEdit};
use crate::docx::styles::StyleKind;
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::{DocumentIssue, Error, counted};
use crate::xml::{Splice, escape_text};

/// Fields that a text may contain in braces.
const IN_TEXT: [&str; 8] = ["PAGE", "NUMPAGES", "SECTIONPAGES", "DATE", "TIME", "TITLE", "AUTHOR", "FILENAME"];

/// A field as five runs: begin, instruction, separator, result, end.
pub(super) fn field_runs(dialect: &Dialect, instruction: &str, result: &str, properties: &str) -> String {
    let w = &dialect.w;
    let declare = &dialect.declare;
    let mark = |kind: &str| format!("<{w}r{declare}>{properties}<{w}fldChar {w}fldCharType=\"{kind}\"/></{w}r>");
    let mut text = Markup::new(dialect);
    text.open("r", &[]);
    text.raw(properties);
    text.run_text(result, "t");
    text.close("r");
    let instruction = escape_text(instruction);
    format!(
        "{}<{w}r{declare}>{properties}<{w}instrText xml:space=\"preserve\"> {instruction} </{w}instrText></{w}r>{}{}{}",
        mark("begin"),
        mark("separate"),
        text.finish(),
        mark("end")
    )
}

/// A text divided at the fields in it: each piece with whether it is one.
pub(super) fn pieces_of(text: &str) -> Vec<(&str, bool)> {
    let mut pieces = Vec::new();
    let mut rest = text;
    'text: while !rest.is_empty() {
        for (at, _) in rest.match_indices('{') {
            let inner = rest.get(at + 1..).unwrap_or_default();
            let name = IN_TEXT.iter().find(|name| {
                inner.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                    && inner.get(name.len()..).is_some_and(|after| after.starts_with('}'))
            });
            if let Some(name) = name {
                pieces.push((rest.get(..at).unwrap_or_default(), false));
                pieces.push((*name, true));
                rest = inner.get(name.len() + 1..).unwrap_or_default();
                continue 'text;
            }
        }
        break;
    }
    pieces.push((rest, false));
    pieces.retain(|(text, _)| !text.is_empty());
    pieces
}

/// What a field shows until Word computes it.
pub(super) fn placeholder(field: &str) -> &'static str {
    match field {
        "PAGE" | "NUMPAGES" | "SECTIONPAGES" | "SECTION" | "PAGEREF" | "SEQ" | "NOTEREF" => "1",
        _ => "…",
    }
}

impl DocumentEdit<'_> {
    /// Applies `insert_field`.
    pub(super) fn insert_field(&mut self, input: &OpInput, fields: &InsertField) -> Result<(), Error> {
        let name = fields.field.to_ascii_uppercase();
        let instruction = self.instruction(&name, fields, input)?;
        let result = fields.result.as_deref().map(|text| self.clean(text, &input.at("result")));
        let result = result.unwrap_or_else(|| placeholder(&name).to_owned());
        let styles = self.styles()?;
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let anchor = self.find_anchor(&tree, &body, &fields.target, input)?;
        let dialect = Dialect::at(anchor.paragraph);
        let properties = anchor.runs.and_then(|(_, last)| last.child(crate::xml::Ns::W, "rPr"));
        let properties = properties.map(super::revisions::kept_properties).unwrap_or_default();
        let mut markup = field_runs(&dialect, &instruction, &result, &properties);
        if let Some(revisions) = revisions.as_mut() {
            markup = format!("{}{markup}</{}ins>", revisions.open("ins", &dialect), dialect.w);
        }
        let mut splice = Splice::new(main.text());
        insert_at(&mut splice, &[(anchor.end, markup)]);
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        self.report(OpReport::new(input, format!("Inserted the field {instruction}.")).with("field", instruction));
        Ok(())
    }

    fn instruction(&self, name: &str, fields: &InsertField, input: &OpInput) -> Result<String, EditError> {
        let plain = |text: &str, field: &str| {
            let clean = !text.contains(['"', '\\', '{', '}']) && !text.chars().any(char::is_control);
            if clean { Ok(text.trim().to_owned()) } else { Err(input.error(field, DocumentIssue::FieldText)) }
        };
        let argument = fields.argument.as_deref().map(|text| plain(text, "argument")).transpose()?;
        let argument = argument.filter(|text| !text.is_empty());
        let mut out = name.to_owned();
        match (name, argument) {
            ("REF" | "PAGEREF" | "NOTEREF" | "SEQ" | "STYLEREF", None) => {
                let what = "the bookmark, sequence or style of the field";
                return Err(input.error("argument", DocumentIssue::Missing { what }));
            }
            ("STYLEREF", Some(argument)) => out.push_str(&format!(" \"{argument}\"")),
            ("REF" | "PAGEREF" | "NOTEREF", Some(argument)) => out.push_str(&format!(" {argument} \\h")),
            ("SEQ", Some(argument)) => out.push_str(&format!(" {argument} \\* ARABIC")),
            (_, Some(_)) => {
                return Err(input.error("argument", DocumentIssue::FieldArgument { field: name.to_owned() }));
            }
            (_, None) => {}
        }
        if let Some(format) = fields.format.as_deref().map(|text| plain(text, "format")).transpose()? {
            let is_date = matches!(name, "DATE" | "TIME" | "CREATEDATE" | "SAVEDATE");
            out.push_str(&if is_date {
                format!(" \\@ \"{format}\"")
            } else {
                format!(" \\* {}", format.replace(' ', ""))
            });
        }
        Ok(out)
    }

    /// Applies `insert_table_of_contents`.
    pub(super) fn insert_table_of_contents(
        &mut self,
        input: &OpInput,
        fields: &InsertTableOfContents,
    ) -> Result<(), Error> {
        let levels = fields.levels.unwrap_or(3).clamp(1, 9);
        let title = fields.title.as_deref().map(|text| self.clean(text, &input.at("title")));
        let title = title.filter(|text| !text.trim().is_empty());
        let styles = self.styles()?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let gap = self.find_gap(&fields.position, &body, input)?;
        let headings: Vec<(String, u8)> = body
            .sections()
            .iter()
            .filter(|section| (1..=levels).contains(&section.level))
            .map(|section| (section.heading.clone(), section.level))
            .collect();
        if headings.is_empty() {
            self.warn(format!("{}: the document has no headings yet, so the table of contents is empty", input.at("")));
        }
        let dialect = Dialect::at(body.node);
        let w = &dialect.w;
        let declare = &dialect.declare;
        let mut markup = String::new();
        if let Some(title) = &title {
            let style = styles.find(StyleKind::Paragraph, "TOC Heading").map(|style| style.id.clone());
            let bold = if style.is_none() { format!("<{w}rPr><{w}b/></{w}rPr>") } else { String::new() };
            let text = format!("<{w}r>{bold}<{w}t xml:space=\"preserve\">{}</{w}t></{w}r>", escape_text(title));
            markup.push_str(&format!("<{w}p{declare}>{}{text}</{w}p>", style_of(&dialect, style.as_deref(), 0)));
        }
        let mark = |kind: &str, more: &str| format!("<{w}r><{w}fldChar {w}fldCharType=\"{kind}\"{more}/></{w}r>");
        // Word computes a dirty field when it opens the document.
        let begin = format!(
            "{}<{w}r><{w}instrText xml:space=\"preserve\"> TOC \\o \"1-{levels}\" \\h \\z \\u </{w}instrText></{w}r>{}",
            mark("begin", &format!(" {w}dirty=\"true\"")),
            mark("separate", "")
        );
        let count = headings.len();
        let entries = if count == 0 { vec![(String::new(), 1)] } else { headings };
        let last = entries.len() - 1;
        for (at, (heading, level)) in entries.iter().enumerate() {
            let style = styles.find(StyleKind::Paragraph, &format!("toc {level}")).map(|style| style.id.clone());
            let properties = style_of(&dialect, style.as_deref(), *level);
            let text = format!("<{w}r><{w}t xml:space=\"preserve\">{}</{w}t></{w}r>", escape_text(heading));
            let (start, end) =
                (if at == 0 { begin.as_str() } else { "" }, if at == last { mark("end", "") } else { String::new() });
            markup.push_str(&format!("<{w}p{declare}>{properties}{start}{text}{end}</{w}p>"));
        }
        let mut splice = Splice::new(main.text());
        insert_into_body(&mut splice, body.node, gap.at, &markup);
        let words = gap.words;
        self.splice_main(splice)?;
        let summary = format!("Inserted a table of contents of {} {words}.", counted(count, "heading"));
        self.report(OpReport::new(input, summary).with("headings", count).with("levels", levels));
        Ok(())
    }
}

/// Properties of an entry: its style, or an indent by its level.
fn style_of(dialect: &Dialect, style: Option<&str>, level: u8) -> String {
    let mut markup = Markup::new(dialect);
    match style {
        Some(style) => {
            markup.open("pPr", &[]);
            markup.val("pStyle", style);
            markup.close("pPr");
        }
        None if level > 1 => {
            markup.open("pPr", &[]);
            let left = (u32::from(level - 1) * 220).to_string();
            markup.tag("ind", &[(if dialect.strict { "start" } else { "left" }, &left)]);
            markup.close("pPr");
        }
        None => {}
    }
    markup.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_in_a_text_are_found_in_any_case() {
        let pieces = pieces_of("Page {page} of {NUMPAGES} {x} {PAGE");
        assert_eq!(
            pieces,
            [("Page ", false), ("PAGE", true), (" of ", false), ("NUMPAGES", true), (" {x} {PAGE", false)]
        );
        assert_eq!(pieces_of("{DATE}"), [("DATE", true)]);
        assert_eq!(pieces_of(""), []);
    }
}
