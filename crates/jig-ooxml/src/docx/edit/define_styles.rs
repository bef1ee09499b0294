//! `define_style` and `apply_style`.

use jig_file_api::ops::docx::Paragraph;
use jig_file_api::ops::docx_content::{ApplyStyle, DefineStyle};

use super::blocks::reformat;
use super::children::Children;
use super::links::RUN;
use super::markup::{Dialect, Markup};
use super::new_paragraph::NewParagraph;
use super::styles::free_style_id;
use super::{Body, DocumentEdit};
use crate::docx::styles::StyleKind;
use crate::docx::word;
use crate::edit::{OpInput, OpReport};
use crate::error::{DocumentIssue, Error, counted};
use crate::xml::{Ns, Splice, escape_attribute};

/// Of `w:style`.
const STYLE: &[&str] = &[
    "name",
    "aliases",
    "basedOn",
    "next",
    "link",
    "autoRedefine",
    "hidden",
    "uiPriority",
    "semiHidden",
    "unhideWhenUsed",
    "qFormat",
    "locked",
    "personal",
    "personalCompose",
    "personalReply",
    "rsid",
    "pPr",
    "rPr",
    "tblPr",
    "trPr",
    "tcPr",
    "tblStylePr",
];

impl DocumentEdit<'_> {
    /// Applies `apply_style`.
    pub(super) fn apply_style(&mut self, input: &OpInput, fields: &ApplyStyle) -> Result<(), Error> {
        let count = fields.count.unwrap_or(1);
        let known = self.styles()?.find(StyleKind::Paragraph, &fields.style).map(|style| style.id.clone());
        let style = match known {
            Some(id) => Some(id),
            None => {
                let before = self.warnings.len();
                let found = self.style(StyleKind::Paragraph, &fields.style, &input.at("style"))?;
                if found.is_none() && self.warnings.len() > before {
                    self.warnings.truncate(before);
                    let near = self.styles()?.near(StyleKind::Paragraph, &fields.style);
                    let issue = DocumentIssue::NoStyle { name: fields.style.clone() };
                    return Err(input.error("style", issue).suggest(near).into());
                }
                found.or_else(|| Some("Normal".to_owned()))
            }
        };
        let styles = self.styles()?;
        let new = NewParagraph::plain("", style);
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let first = body.paragraph(fields.index, input, "index")?;
        let last = body.paragraph(fields.index.saturating_add(count).saturating_sub(1), input, "count")?;
        let mut splice = Splice::new(main.text());
        for block in body.blocks.get(first..=last).unwrap_or_default() {
            let Some(paragraph) = block.paragraph() else { continue };
            reformat(&mut splice, paragraph.node, &new, &Dialect::at(paragraph.node), revisions.as_mut());
        }
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let summary = format!("Gave {} the style {}.", counted(count, "paragraph"), fields.style);
        self.report(OpReport::new(input, summary).with("paragraphs", count).with("paragraph_index", fields.index));
        Ok(())
    }

    /// Applies `define_style`.
    pub(super) fn define_style(&mut self, input: &OpInput, fields: DefineStyle) -> Result<(), Error> {
        let kind =
            if fields.kind.as_deref() == Some("character") { StyleKind::Character } else { StyleKind::Paragraph };
        let name = self.clean(fields.name.trim(), &input.at("name"));
        if name.is_empty() || name.chars().count() > 253 || name.contains([';', ',']) {
            return Err(input.error("name", DocumentIssue::StyleName).into());
        }
        let of_paragraphs = fields.alignment.is_some()
            || fields.space_before.is_some()
            || fields.space_after.is_some()
            || fields.line_spacing.is_some()
            || fields.indent_left.is_some()
            || fields.indent_first_line.is_some();
        if kind == StyleKind::Character && of_paragraphs {
            return Err(input.error("kind", DocumentIssue::CharacterStyleOnly).into());
        }
        let format = Paragraph {
            text: Some("x".to_owned()),
            alignment: fields.alignment,
            space_before: fields.space_before,
            space_after: fields.space_after,
            line_spacing: fields.line_spacing,
            indent_left: fields.indent_left,
            indent_first_line: fields.indent_first_line,
            font_name: fields.font_name,
            font_size: fields.font_size,
            bold: fields.bold,
            italic: fields.italic,
            underline: fields.underline,
            font_color: fields.font_color,
            ..Paragraph::default()
        };
        let format = self.paragraph(format, &input.at(""))?;
        let styles = self.styles()?;
        let base = match &fields.based_on {
            Some(given) => {
                let found = styles.find(kind, given).map(|style| style.id.clone());
                let issue = || {
                    input
                        .error("based_on", DocumentIssue::NoStyle { name: given.clone() })
                        .suggest(styles.near(kind, given))
                };
                Some(found.ok_or_else(issue)?)
            }
            None => None,
        };
        let known = styles.find(kind, &name).map(|style| style.id.clone());
        if known.is_some() && known == base {
            return Err(input.error("based_on", DocumentIssue::BasedOnItself).into());
        }
        let part = self.styles_part()?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let root = tree.root();
        let dialect = Dialect::of(&tree);
        let w = &dialect.w;
        let old = known.as_ref().and_then(|id| {
            root.children_named(Ns::W, "style").find(|node| word::attr(*node, "styleId").as_deref() == Some(id))
        });
        let mut children = Children::of(old, STYLE);
        let val = |name: &str, value: &str| {
            let mut markup = Markup::new(&dialect);
            markup.val(name, value);
            markup.finish()
        };
        if old.is_none() {
            children.put("name", val("name", &name));
            let normal = if kind == StyleKind::Paragraph {
                styles.default_paragraph().map(|style| style.id.clone())
            } else {
                None
            };
            if let Some(base) = base.clone().or(normal) {
                children.put("basedOn", val("basedOn", &base));
            }
            children.put("qFormat", format!("<{w}qFormat{}/>", dialect.declare));
        } else if let Some(base) = &base {
            children.put("basedOn", val("basedOn", base));
        }
        if kind == StyleKind::Paragraph {
            let properties = old.and_then(|old| old.child(Ns::W, "pPr"));
            let merged = format.merged_properties(properties, &dialect);
            if !merged.is_empty() {
                children.put("pPr", format!("<{w}pPr{}>{merged}</{w}pPr>", dialect.declare));
            }
        }
        let run = format.runs.first().map(|run| run.properties_markup(&dialect)).unwrap_or_default();
        if !run.is_empty() {
            let wrapped = format!("<{w}x xmlns:w=\"{}\" {}>{run}</{w}x>", Ns::W.uri(), declaration(&dialect));
            let fragment = crate::xml::XmlPart::new(part.name(), wrapped);
            let fragment = fragment.tree(&limits)?;
            let mut merged = Children::of(old.and_then(|old| old.child(Ns::W, "rPr")), RUN);
            for child in fragment.root().elements().flat_map(|properties| properties.elements()) {
                merged.put(child.local(), child.source());
            }
            children.put("rPr", format!("<{w}rPr{}>{}</{w}rPr>", dialect.declare, merged.finish()));
        }
        let mut splice = Splice::new(part.text());
        let created = old.is_none();
        let id = match old {
            Some(old) => {
                children.write(&mut splice, old);
                known.unwrap_or_default()
            }
            None => {
                let wanted: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
                let id = free_style_id(&styles, if wanted.is_empty() { "Style" } else { &wanted });
                let kind = if kind == StyleKind::Character { "character" } else { "paragraph" };
                let (name, inner) = (escape_attribute(&id), children.finish());
                splice.append(
                    root,
                    format!(
                        "<{w}style{} {w}type=\"{kind}\" {w}customStyle=\"1\" {w}styleId=\"{name}\">{inner}</{w}style>",
                        dialect.declare
                    ),
                );
                id
            }
        };
        self.splice_part(&part, splice)?;
        self.forget_styles();
        let verb = if created { "Defined" } else { "Changed" };
        self.report(
            OpReport::new(input, format!("{verb} the style {name}."))
                .with("style", name)
                .with("style_id", id)
                .with("created", created),
        );
        Ok(())
    }
}

/// The declaration of the prefix of a part for a fragment of it.
fn declaration(dialect: &Dialect) -> String {
    match dialect.w.strip_suffix(':') {
        Some("w") | None => String::new(),
        Some(prefix) => format!("xmlns:{prefix}=\"{}\"", Ns::W.uri()),
    }
}
