//! Page sections: headers and footers, `page_setup` and `insert_break`.

use jig_file_api::ops::docx::Paragraph;
use jig_file_api::ops::docx_structure::{InsertBreak, PageSetup, SetHeaderFooter};

use super::children::{Children, SECTION, SETTINGS};
use super::fields::{field_runs, pieces_of, placeholder};
use super::markup::{Dialect, Markup};
use super::new_paragraph::NewParagraph;
use super::new_part::RelationshipType;
use super::paragraphs::insert_into_body;
use super::revisions::Revisions;
use super::{Body, DocumentEdit};
use crate::docx::word;
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::{DocumentIssue, Error, counted};
use crate::relationships::Relationships;
use crate::xml::{Node, Ns, Splice, escape_attribute};

/// Header or footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Margin {
    Header,
    Footer,
}

impl Margin {
    fn name(self) -> &'static str {
        if self == Self::Header { "header" } else { "footer" }
    }

    fn root(self) -> &'static str {
        if self == Self::Header { "hdr" } else { "ftr" }
    }

    fn reference(self) -> &'static str {
        if self == Self::Header { "headerReference" } else { "footerReference" }
    }
}

/// The properties of all page sections, in order. The last one of a document may lack an element.
pub(super) fn page_sections(body: Node<'_>) -> Vec<Node<'_>> {
    let inside = body.descendants().filter(|node| {
        node.is(Ns::W, "sectPr") && node.parent().is_some_and(|parent| parent.is(Ns::W, "pPr") || parent == body)
    });
    inside.collect()
}

impl DocumentEdit<'_> {
    /// Makes sure that the last section has properties.
    fn ensure_section(&mut self) -> Result<(), Error> {
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = crate::docx::blocks::body(&tree, main.name())?;
        if body.child(Ns::W, "sectPr").is_some() {
            return Ok(());
        }
        let dialect = Dialect::at(body);
        let mut splice = Splice::new(main.text());
        splice.append(body, format!("<{w}sectPr{}></{w}sectPr>", dialect.declare, w = dialect.w));
        self.splice_main(splice)
    }

    /// The positions of the page sections that an op is about.
    fn chosen_sections(&self, wanted: Option<usize>, count: usize, input: &OpInput) -> Result<Vec<usize>, EditError> {
        match wanted {
            None => Ok((0..count).collect()),
            Some(index) if index < count => Ok(vec![index]),
            Some(index) => Err(input.error("page_section", DocumentIssue::NoPageSection { index, count })),
        }
    }

    /// Applies `set_header` and `set_footer`.
    pub(super) fn set_margin(&mut self, input: &OpInput, fields: SetHeaderFooter, margin: Margin) -> Result<(), Error> {
        let pages = fields.pages.clone().unwrap_or_else(|| "default".to_owned());
        self.ensure_section()?;
        let limits = self.limits();
        let count = {
            let main = self.main();
            let tree = main.tree(&limits)?;
            page_sections(crate::docx::blocks::body(&tree, main.name())?).len()
        };
        let chosen = self.chosen_sections(fields.page_section, count, input)?;
        if fields.remove == Some(true) {
            if fields.text.is_some() || fields.paragraphs.is_some() {
                return Err(input.error("remove", DocumentIssue::Excludes { other: "text" }).into());
            }
            return self.remove_margin(input, margin, &pages, &chosen);
        }
        let new = self.margin_paragraphs(fields, input)?;
        let mut part: Option<(String, String)> = None;
        let mut edited: Vec<String> = Vec::new();
        for index in &chosen {
            let main = self.main();
            let tree = main.tree(&limits)?;
            let body = crate::docx::blocks::body(&tree, main.name())?;
            let sections = page_sections(body);
            let Some(section) = sections.get(*index).copied() else { continue };
            let known = reference(section, margin, &pages).and_then(|node| node.attr_ns(Ns::R, "id"));
            let known = known.and_then(|id| self.names.relationships.part(&id).map(str::to_owned));
            let known = known.filter(|name| self.package.has(name));
            if let Some(name) = known {
                if !edited.contains(&name) {
                    self.refill_margin(&name, &new)?;
                    edited.push(name);
                }
                self.add_switches(*index, &pages)?;
                continue;
            }
            // Without a reference, later sections show what the first one has.
            if *index > 0 && chosen.len() > 1 && part.is_none() && !edited.is_empty() {
                continue;
            }
            let (_, rel_id) = match &part {
                Some(part) => part.clone(),
                None => {
                    let made = self.new_margin(margin, &new)?;
                    part = Some(made.clone());
                    made
                }
            };
            self.refer_to(*index, margin, &pages, &rel_id)?;
        }
        let text: String = new.iter().map(NewParagraph::text).collect::<Vec<_>>().join("\n");
        let summary = format!("Set the {} {} of {}.", pages, margin.name(), counted(chosen.len(), "page section"));
        let change = OpReport::new(input, summary).with("page_sections", chosen.len()).with("pages", pages);
        self.report(change.with("new", crate::edit::excerpt(&text)));
        Ok(())
    }

    fn margin_paragraphs(&mut self, fields: SetHeaderFooter, input: &OpInput) -> Result<Vec<NewParagraph>, Error> {
        if let Some(list) = fields.paragraphs {
            if fields.text.is_some() {
                return Err(input.error("paragraphs", DocumentIssue::Excludes { other: "text" }).into());
            }
            return self.paragraphs(list, &input.at("paragraphs"));
        }
        let text =
            fields.text.ok_or_else(|| input.error("text", DocumentIssue::Missing { what: "the text, or `remove`" }))?;
        let lines = text.replace("\r\n", "\n");
        let list = lines.split('\n').map(|line| Paragraph {
            text: Some(line.to_owned()),
            alignment: fields.alignment.clone(),
            ..Paragraph::default()
        });
        list.map(|paragraph| self.paragraph(paragraph, &input.at(""))).collect()
    }

    /// Replaces the content of a header or footer.
    fn refill_margin(&mut self, name: &str, new: &[NewParagraph]) -> Result<(), Error> {
        let part = self.part(name)?;
        let tree = part.tree(&self.limits())?;
        let mut splice = Splice::new(part.text());
        splice.set_inner(tree.root(), with_fields(new, &Dialect::of(&tree)));
        self.splice_part(&part, splice)
    }

    fn new_margin(&mut self, margin: Margin, new: &[NewParagraph]) -> Result<(String, String), Error> {
        let (w, root) = (self.word_namespace()?, margin.root());
        let dialect = Dialect { strict: self.is_strict()?, ..Dialect::usual() };
        let content = format!("<w:{root} xmlns:w=\"{w}\">{}</w:{root}>", with_fields(new, &dialect));
        let kind = format!("application/vnd.openxmlformats-officedocument.wordprocessingml.{}+xml", margin.name());
        let base = if margin == Margin::Header { "header{}" } else { "footer{}" };
        self.create_part(RelationshipType::Standard(margin.name()), base, &kind, &content)
    }

    /// Refers to a header or footer in the properties of a section.
    fn refer_to(&mut self, index: usize, margin: Margin, pages: &str, rel_id: &str) -> Result<(), Error> {
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = crate::docx::blocks::body(&tree, main.name())?;
        let sections = page_sections(body);
        let Some(section) = sections.get(index).copied() else { return Ok(()) };
        let dialect = Dialect::at(section);
        let w = &dialect.w;
        let (r, declare) = match section.attr_prefix_for(Ns::R) {
            Some(r) => (r, String::new()),
            None => ("r:".to_owned(), format!(" xmlns:r=\"{}\"", self.relationship_namespace()?)),
        };
        let name = margin.reference();
        let markup = format!(
            "<{w}{name}{}{declare} {w}type=\"{}\" {r}id=\"{}\"/>",
            dialect.declare,
            escape_attribute(pages),
            escape_attribute(rel_id)
        );
        let mut splice = Splice::new(main.text());
        match reference(section, margin, pages) {
            Some(old) => splice.replace(old.range(), markup),
            None => {
                let mut children = Children::of(Some(section), SECTION);
                children.add(name, markup);
                children.write(&mut splice, section);
            }
        }
        self.splice_main(splice)?;
        self.add_switches(index, pages)
    }

    /// First and even pages have their own headers only with a switch.
    fn add_switches(&mut self, index: usize, pages: &str) -> Result<(), Error> {
        let limits = self.limits();
        if pages == "first" {
            let main = self.main();
            let tree = main.tree(&limits)?;
            let sections = page_sections(crate::docx::blocks::body(&tree, main.name())?);
            let Some(section) = sections.get(index).copied() else { return Ok(()) };
            if word::switch(section, "titlePg") != Some(true) {
                let mut children = Children::of(Some(section), SECTION);
                let dialect = Dialect::at(section);
                children.put("titlePg", format!("<{}titlePg{}/>", dialect.w, dialect.declare));
                let mut splice = Splice::new(main.text());
                children.write(&mut splice, section);
                self.splice_main(splice)?;
            }
        } else if pages == "even" {
            let part = self.settings_part()?;
            let tree = part.tree(&limits)?;
            let root = tree.root();
            if word::switch(root, "evenAndOddHeaders") != Some(true) {
                let mut splice = Splice::new(part.text());
                let dialect = Dialect::of(&tree);
                put_setting(
                    &mut splice,
                    root,
                    "evenAndOddHeaders",
                    &format!("<{}evenAndOddHeaders{}/>", dialect.w, dialect.declare),
                );
                self.splice_part(&part, splice)?;
            }
        }
        Ok(())
    }

    fn remove_margin(&mut self, input: &OpInput, margin: Margin, pages: &str, chosen: &[usize]) -> Result<(), Error> {
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let sections = page_sections(crate::docx::blocks::body(&tree, main.name())?);
        let mut splice = Splice::new(main.text());
        let mut removed: Vec<String> = Vec::new();
        let mut kept: Vec<String> = Vec::new();
        for (index, section) in sections.iter().enumerate() {
            for node in section.children_named(Ns::W, margin.reference()) {
                let id = node.attr_ns(Ns::R, "id").unwrap_or_default().into_owned();
                if chosen.contains(&index) && word::attr(node, "type").is_none_or(|kind| kind == pages) {
                    splice.remove(node);
                    removed.push(id);
                } else {
                    kept.push(id);
                }
            }
        }
        let count = removed.len();
        self.splice_main(splice)?;
        // A part that nothing refers to is not left behind.
        removed.retain(|id| !kept.contains(id));
        removed.dedup();
        for id in removed {
            let Some(name) = self.names.relationships.part(&id).map(str::to_owned) else { continue };
            let document = self.names.document.clone();
            Relationships::remove(&mut self.package, &document, &id)?;
            self.find_parts()?;
            if !self.names.relationships.list.iter().any(|other| other.part.as_deref() == Some(&name)) {
                crate::content_types::ContentTypes::remove(&mut self.package, &name)?;
                self.package.remove(&crate::relationships::rels_name(&name));
                self.package.remove(&name);
            }
        }
        if count == 0 {
            self.warn(format!("{}: there is no {pages} {} to remove", input.at(""), margin.name()));
        }
        let summary = format!("Removed {}.", counted(count, margin.name()));
        self.report(OpReport::new(input, summary).with("removed", count).with("pages", pages));
        Ok(())
    }

    /// Applies `page_setup`.
    pub(super) fn page_setup(&mut self, input: &OpInput, fields: &PageSetup) -> Result<(), Error> {
        self.ensure_section()?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let sections = page_sections(crate::docx::blocks::body(&tree, main.name())?);
        let chosen = self.chosen_sections(fields.page_section, sections.len(), input)?;
        let mut splice = Splice::new(main.text());
        let mut shown = serde_json::Map::new();
        for section in chosen.iter().filter_map(|index| sections.get(*index)) {
            let (inner, facts) = new_setup(*section, fields, input)?;
            shown = facts;
            if inner != section.inner() {
                splice.set_inner(*section, inner);
            }
        }
        if self.revisions(None)?.is_some() {
            self.warn(format!("{}: changes of the page are not tracked", input.at("")));
        }
        self.splice_main(splice)?;
        let summary = format!("Set the page of {}.", counted(chosen.len(), "section"));
        let mut change = OpReport::new(input, summary).with("page_sections", chosen.len());
        change.details.extend(shown);
        self.report(change);
        Ok(())
    }

    /// Applies `insert_break`.
    pub(super) fn insert_break(&mut self, input: &OpInput, fields: &InsertBreak) -> Result<(), Error> {
        let section_type = match fields.kind.as_str() {
            "next_page" => Some("nextPage"),
            "continuous" => Some("continuous"),
            "even_page" => Some("evenPage"),
            "odd_page" => Some("oddPage"),
            _ => None,
        };
        if section_type.is_some() {
            self.ensure_section()?;
        }
        let styles = self.styles()?;
        let mut revisions = self.revisions(fields.track_changes)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let gap = self.find_gap(&fields.position, &body, input)?;
        let dialect = Dialect::at(body.node);
        let mut splice = Splice::new(main.text());
        match section_type {
            None => {
                let markup = break_paragraph(&fields.kind, &dialect, revisions.as_mut());
                insert_into_body(&mut splice, body.node, gap.at, &markup);
            }
            Some(kind) => {
                let sections = page_sections(body.node);
                let governing = sections.iter().find(|section| section.range().start >= gap.at).copied();
                let Some(governing) = governing else {
                    return Err(input.error("kind", DocumentIssue::NoSectionBreakHere).into());
                };
                let w = &dialect.w;
                let copy = without_change(governing);
                let before = gap.before.filter(|node| {
                    node.is(Ns::W, "p")
                        && node.parent() == Some(body.node)
                        && node.path(Ns::W, &["pPr", "sectPr"]).is_none()
                        && revisions.is_none()
                });
                match before {
                    Some(paragraph) => match paragraph.child(Ns::W, "pPr") {
                        Some(properties) => match properties.child(Ns::W, "pPrChange") {
                            Some(history) => splice.before(history, copy),
                            None => splice.append(properties, copy),
                        },
                        None => splice.prepend(paragraph, format!("<{w}pPr{}>{copy}</{w}pPr>", dialect.declare)),
                    },
                    None => {
                        let mark = revisions.as_mut().map(|revisions| revisions.element("ins", &dialect));
                        let mark = mark.map(|mark| format!("<{w}rPr>{mark}</{w}rPr>")).unwrap_or_default();
                        let paragraph = format!("<{w}p{}><{w}pPr>{mark}{copy}</{w}pPr></{w}p>", dialect.declare);
                        splice.insert(gap.at, paragraph);
                    }
                }
                let mut children = Children::of(Some(governing), SECTION);
                children.put("type", format!("<{w}type{} {w}val=\"{kind}\"/>", dialect.declare));
                children.write(&mut splice, governing);
            }
        }
        let words = gap.words;
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let kind = fields.kind.replace('_', " ");
        let noun = if section_type.is_some() { "section break" } else { "break" };
        self.report(
            OpReport::new(input, format!("Inserted a {kind} {noun} {words}.")).with("kind", fields.kind.as_str()),
        );
        Ok(())
    }
}

/// Sets a setting, in the order of the schema: elements that are not known come last.
pub(super) fn put_setting(splice: &mut Splice<'_>, root: Node<'_>, name: &str, markup: &str) {
    if let Some(old) = root.child(Ns::W, name) {
        splice.replace(old.range(), markup);
        return;
    }
    let rank = |name: &str| SETTINGS.iter().position(|known| *known == name);
    let own = rank(name);
    let next =
        root.elements().find(|node| node.ns() != Ns::W || rank(node.local()) > own || rank(node.local()).is_none());
    match next {
        Some(next) => splice.before(next, markup),
        None => splice.append(root, markup),
    }
}

fn reference<'t>(section: Node<'t>, margin: Margin, pages: &str) -> Option<Node<'t>> {
    let mut all = section.children_named(Ns::W, margin.reference());
    all.find(|node| word::attr(*node, "type").unwrap_or_else(|| "default".into()) == pages)
}

/// Paragraphs whose text may name fields in braces.
fn with_fields(new: &[NewParagraph], dialect: &Dialect) -> String {
    let mut markup = Markup::new(dialect);
    for paragraph in new {
        markup.open("p", &[]);
        paragraph.write_properties(&mut markup, None, "");
        for run in &paragraph.runs {
            for (piece, is_field) in pieces_of(run.text()) {
                if is_field {
                    let properties = run.properties_markup(dialect);
                    markup.raw(&field_runs(dialect, piece, placeholder(piece), &properties));
                } else {
                    run.with_text(piece).write(&mut markup, "");
                }
            }
        }
        markup.close("p");
    }
    markup.finish()
}

fn break_paragraph(kind: &str, dialect: &Dialect, mut revisions: Option<&mut Revisions>) -> String {
    let mut markup = Markup::new(dialect);
    markup.open("p", &[]);
    if let Some(revisions) = revisions.as_deref_mut() {
        let mark = revisions.element("ins", dialect);
        NewParagraph::default().write_properties(&mut markup, Some(&mark), "");
        let open = revisions.open("ins", dialect);
        markup.raw(&open);
    }
    markup.open("r", &[]);
    markup.tag("br", &[("type", kind)]);
    markup.close("r");
    if revisions.is_some() {
        markup.close("ins");
    }
    markup.close("p");
    markup.finish()
}

/// The properties of a section for another one, without their tracked changes.
fn without_change(section: Node<'_>) -> String {
    let tag = section.tree().source().get(section.open_range()).unwrap_or_default();
    if section.is_single_tag() {
        return tag.to_owned();
    }
    let children = section.elements().filter(|child| child.local() != "sectPrChange");
    format!("{tag}{}</{}>", children.map(Node::source).collect::<String>(), section.qualified())
}

/// Width and height of a paper size in twentieths of a point, upright.
fn paper(name: &str) -> Option<(i64, i64)> {
    Some(match name {
        "a3" => (16838, 23811),
        "a4" => (11906, 16838),
        "a5" => (8391, 11906),
        "b5" => (10318, 14570),
        "letter" => (12240, 15840),
        "legal" => (12240, 20160),
        "tabloid" => (15840, 24480),
        "executive" => (10440, 15120),
        _ => return None,
    })
}

/// The children of a section's properties after `page_setup`, and what the page is then.
fn new_setup(
    section: Node<'_>,
    fields: &PageSetup,
    input: &OpInput,
) -> Result<(String, serde_json::Map<String, serde_json::Value>), EditError> {
    let dialect = Dialect::at(section);
    let mut children = Children::of(Some(section), SECTION);
    let old = |element: &str, name: &str| section.child(Ns::W, element).and_then(|node| word::number(node, name));
    let twips = |inches: f64| (inches * 1440.0).round() as i64;
    let tag = |name: &str, attributes: &[(&str, String)]| {
        let mut markup = Markup::new(&dialect);
        let attributes: Vec<(&str, &str)> = attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
        markup.tag(name, &attributes);
        markup.finish()
    };
    let (mut width, mut height) = (old("pgSz", "w").unwrap_or(11906), old("pgSz", "h").unwrap_or(16838));
    let mut wide =
        section.child(Ns::W, "pgSz").and_then(|node| word::attr(node, "orient")).is_some_and(|o| o == "landscape");
    if let Some((short, long)) = fields.size.as_deref().and_then(paper) {
        (width, height) = if wide { (long, short) } else { (short, long) };
    }
    width = fields.width.map_or(width, twips);
    height = fields.height.map_or(height, twips);
    if let Some(orientation) = fields.orientation.as_deref() {
        wide = orientation == "landscape";
        if (wide && width < height) || (!wide && width > height) {
            (width, height) = (height, width);
        }
    }
    let sized =
        fields.size.is_some() || fields.width.is_some() || fields.height.is_some() || fields.orientation.is_some();
    if sized {
        let mut attributes = vec![("w", width.to_string()), ("h", height.to_string())];
        if wide {
            attributes.push(("orient", "landscape".to_owned()));
        }
        children.put("pgSz", tag("pgSz", &attributes));
    }
    let sides = [
        ("top", fields.margin_top.or(fields.margin), 1440),
        ("right", fields.margin_right.or(fields.margin), 1440),
        ("bottom", fields.margin_bottom.or(fields.margin), 1440),
        ("left", fields.margin_left.or(fields.margin), 1440),
        ("header", fields.header_distance, 708),
        ("footer", fields.footer_distance, 708),
        ("gutter", None, 0),
    ];
    let margins: Vec<(&str, i64)> = sides
        .iter()
        .map(|(name, given, usual)| (*name, given.map(twips).or(old("pgMar", name)).unwrap_or(*usual)))
        .collect();
    let margin = |name: &str| margins.iter().find(|(known, _)| *known == name).map_or(0, |(_, value)| *value);
    let given = sides.iter().any(|(_, given, _)| given.is_some());
    if given {
        let attributes: Vec<(&str, String)> = margins.iter().map(|(name, value)| (*name, value.to_string())).collect();
        children.put("pgMar", tag("pgMar", &attributes));
    }
    if width - margin("left").abs() - margin("right").abs() < 360
        || height - margin("top").abs() - margin("bottom").abs() < 360
    {
        return Err(input.error("margin", DocumentIssue::NoRoomOnPage));
    }
    if fields.columns.is_some() || fields.column_spacing.is_some() {
        let count = fields.columns.map(i64::from).or(old("cols", "num")).unwrap_or(1);
        let space = fields.column_spacing.map(twips).or(old("cols", "space")).unwrap_or(708);
        if width - margin("left") - margin("right") - (count - 1) * space < count * 144 {
            return Err(input.error("columns", DocumentIssue::NoRoomOnPage));
        }
        let mut attributes = vec![("num", count.to_string()), ("space", space.to_string())];
        if count == 1 {
            attributes.remove(0);
        }
        children.put("cols", tag("cols", &attributes));
    }
    if !sized && !given && fields.columns.is_none() && fields.column_spacing.is_none() {
        return Err(
            input.error("size", DocumentIssue::Missing { what: "what to set: size, orientation, margins or columns" })
        );
    }
    let inches = |value: i64| (value as f64 / 14.4).round() / 100.0;
    let mut facts = serde_json::Map::new();
    facts.insert("width".to_owned(), inches(width).into());
    facts.insert("height".to_owned(), inches(height).into());
    facts.insert("orientation".to_owned(), if wide { "landscape" } else { "portrait" }.into());
    Ok((children.finish(), facts))
}
