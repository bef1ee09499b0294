//! `insert_list`: a list with a numbering definition of its own, or the continuation of another.

use jig_file_api::ops::docx::ScalarText;
use jig_file_api::ops::docx_blocks::InsertList;

use super::markup::{Dialect, Markup};
use super::paragraphs::{behind_last, insert_into_body, tail};
use super::revisions::{Revisions, history_of};
use super::styles::{insert_list, next_number};
use super::{Body, DocumentEdit};
use crate::docx::styles::{ListRef, StyleKind};
use crate::edit::{OpInput, OpReport};
use crate::error::{DocumentIssue, Error, counted};
use crate::xml::{Ns, Splice, escape_attribute};

/// The levels of a list.
const LEVELS: usize = 9;

/// An item to be written.
struct Item {
    text: String,
    level: usize,
}

impl DocumentEdit<'_> {
    /// Applies `insert_list`.
    pub(super) fn insert_list_op(&mut self, input: &OpInput, fields: InsertList) -> Result<(), Error> {
        let mut items = Vec::new();
        for (at, item) in fields.items.into_iter().enumerate() {
            let item = item.into_fields();
            let ScalarText(text) = item.text;
            let at = input.at(&format!("items[{at}]"));
            let text = self.clean(&text, &at);
            items.push(Item { text, level: item.level.min(LEVELS - 1) });
        }
        if items.is_empty() {
            return Err(input.error("items", DocumentIssue::Empty { item: "item" }).into());
        }
        let number = match fields.continue_index {
            Some(index) => {
                if fields.formats.is_some() || fields.start.is_some() {
                    return Err(input.error("continue_index", DocumentIssue::Excludes { other: "formats" }).into());
                }
                self.list_of_paragraph(index, input)?
            }
            None => self.new_list(fields.kind.as_deref(), fields.formats.as_deref(), fields.start, input)?,
        };
        let styles = self.styles()?;
        let style = styles.find(StyleKind::Paragraph, "List Paragraph").map(|style| style.id.clone());
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let gap = self.find_gap(&fields.position, &body, input)?;
        let index = body.blocks.iter().take(gap.position).filter(|block| block.paragraph().is_some()).count();
        let dialect = Dialect::at(body.node);
        let mut splice = Splice::new(main.text());
        match (revisions.as_mut(), tail(&body, &gap), items.split_last()) {
            (Some(revisions), Some(last), Some((final_item, others))) => {
                behind_last(&mut splice, last, gap.at, &dialect, revisions, |markup, revisions, old| {
                    for item in others {
                        let mark = revisions.element("ins", &dialect);
                        item.write(markup, style.as_deref(), &number, Some(&mark), "", Some(revisions));
                    }
                    let history = history_of(old, &dialect, revisions);
                    final_item.write(markup, style.as_deref(), &number, None, &history, Some(revisions));
                });
            }
            (mut revisions, ..) => {
                let mut out = String::new();
                for item in &items {
                    let mut markup = Markup::new(&dialect);
                    let mark = revisions.as_deref_mut().map(|revisions| revisions.element("ins", &dialect));
                    item.write(&mut markup, style.as_deref(), &number, mark.as_deref(), "", revisions.as_deref_mut());
                    out.push_str(&markup.finish());
                }
                insert_into_body(&mut splice, body.node, gap.at, &out);
            }
        }
        let words = gap.words;
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let summary = format!("Inserted a list of {} {words}.", counted(items.len(), "item"));
        self.report(
            OpReport::new(input, summary)
                .with("items", items.len())
                .with("paragraph_index", index)
                .with("list", number),
        );
        Ok(())
    }

    /// The list that a paragraph belongs to.
    fn list_of_paragraph(&mut self, index: usize, input: &OpInput) -> Result<String, Error> {
        let styles = self.styles()?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let position = body.paragraph(index, input, "continue_index")?;
        let paragraph = body.blocks.get(position).and_then(|block| block.paragraph());
        let own = paragraph.and_then(|paragraph| paragraph.properties()).map(ListRef::read).unwrap_or_default();
        let style_id = paragraph.and_then(|paragraph| paragraph.style_id());
        let list = own.over(styles.resolved(style_id.as_deref()).map(|style| style.list).unwrap_or_default());
        match list.num_id.filter(|number| *number != 0) {
            Some(number) => Ok(number.to_string()),
            None => Err(input.error("continue_index", DocumentIssue::NotInAList { index }).into()),
        }
    }

    /// Adds a definition and a list; returns its number.
    fn new_list(
        &mut self,
        kind: Option<&str>,
        formats: Option<&[String]>,
        start: Option<u32>,
        input: &OpInput,
    ) -> Result<String, Error> {
        let numbered = kind == Some("number") || (kind.is_none() && formats.is_some());
        let formats: Vec<&str> = match formats {
            Some(given) if given.len() > LEVELS => {
                return Err(input.error("formats", DocumentIssue::TooManyLevels { limit: LEVELS }).into());
            }
            Some(given) if !given.is_empty() => given.iter().map(String::as_str).collect(),
            _ if numbered => vec!["decimal", "lower_letter", "lower_roman"],
            _ => vec!["bullet"],
        };
        let part = self.numbering_part()?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let root = tree.root();
        let dialect = Dialect::of(&tree);
        let w = &dialect.w;
        let definition = next_number(root.children_named(Ns::W, "abstractNum"), "abstractNumId", 0);
        let number = next_number(root.children_named(Ns::W, "num"), "numId", 1);
        let mut levels = String::new();
        for level in 0..LEVELS {
            let format = formats.get(level % formats.len()).copied().unwrap_or("decimal");
            let (name, text) = level_format(format, level);
            let start = if level == 0 { start.unwrap_or(1) } else { 1 };
            let left = 720 + 360 * level;
            let side = if dialect.strict { "start" } else { "left" };
            let text = escape_attribute(&text).into_owned();
            levels.push_str(&format!(
                "<{w}lvl {w}ilvl=\"{level}\"><{w}start {w}val=\"{start}\"/><{w}numFmt {w}val=\"{name}\"/><{w}lvlText {w}val=\"{text}\"/><{w}pPr><{w}ind {w}{side}=\"{left}\" {w}hanging=\"360\"/></{w}pPr></{w}lvl>"
            ));
        }
        let declare = &dialect.declare;
        let definition_markup = format!(
            "<{w}abstractNum{declare} {w}abstractNumId=\"{definition}\"><{w}multiLevelType {w}val=\"multilevel\"/>{levels}</{w}abstractNum>"
        );
        let list =
            format!("<{w}num{declare} {w}numId=\"{number}\"><{w}abstractNumId {w}val=\"{definition}\"/></{w}num>");
        let mut splice = Splice::new(part.text());
        insert_list(&mut splice, root, &definition_markup, &list);
        self.splice_part(&part, splice)?;
        Ok(number.to_string())
    }
}

/// Word's name of a format, and the pattern of a level.
fn level_format(format: &str, level: usize) -> (&'static str, String) {
    let number = format!("%{}.", level + 1);
    match format {
        "bullet" => {
            ("bullet", ["\u{2022}", "\u{25E6}", "\u{25AA}"].get(level % 3).copied().unwrap_or("\u{2022}").to_owned())
        }
        "dash" => ("bullet", "\u{2013}".to_owned()),
        "lower_letter" => ("lowerLetter", number),
        "upper_letter" => ("upperLetter", number),
        "lower_roman" => ("lowerRoman", number),
        "upper_roman" => ("upperRoman", number),
        // 1, 1.1, 1.1.1
        "legal" => ("decimal", (1..=level + 1).map(|level| format!("%{level}")).collect::<Vec<_>>().join(".")),
        _ => ("decimal", number),
    }
}

impl Item {
    fn write(
        &self,
        markup: &mut Markup<'_>,
        style: Option<&str>,
        number: &str,
        mark: Option<&str>,
        tail: &str,
        mut revisions: Option<&mut Revisions>,
    ) {
        markup.open("p", &[]);
        markup.open("pPr", &[]);
        if let Some(style) = style {
            markup.val("pStyle", style);
        }
        markup.open("numPr", &[]);
        markup.val("ilvl", &self.level.to_string());
        markup.val("numId", number);
        markup.close("numPr");
        if let Some(mark) = mark {
            markup.open("rPr", &[]);
            markup.raw(mark);
            markup.close("rPr");
        }
        markup.raw(tail);
        markup.close("pPr");
        if !self.text.is_empty() {
            if let Some(revisions) = revisions.as_deref_mut() {
                let open = revisions.open("ins", markup.dialect);
                markup.raw(&open);
            }
            markup.open("r", &[]);
            markup.run_text(&self.text, "t");
            markup.close("r");
            if revisions.is_some() {
                markup.close("ins");
            }
        }
        markup.close("p");
    }
}
