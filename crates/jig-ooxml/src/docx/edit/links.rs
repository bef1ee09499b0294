//! What an op attaches to a place in the text: footnotes and endnotes, links and bookmarks.

use std::collections::HashSet;
use std::rc::Rc;

use jig_file_api::ops::docx_structure::{AddBookmark, AddNote, RemoveHyperlink, SetHyperlink};

use super::anchor::{Anchor, can_wrap, insert_at};
use super::children::Children;
use super::markup::{Dialect, Markup};
use super::new_part::RelationshipType;
use super::pages::put_setting;
use super::{Body, DocumentEdit};
use crate::docx::styles::StyleKind;
use crate::docx::word;
use crate::edit::{EditError, OpInput, OpReport, excerpt};
use crate::error::{DocumentIssue, Error, counted};
use crate::relationships::{Mode, Relationships};
use crate::xml::{Node, Ns, ParsedPart, Splice, escape_attribute};

/// Footnote or endnote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    Footnote,
    Endnote,
}

impl Note {
    pub(super) fn name(self) -> &'static str {
        if self == Self::Footnote { "footnote" } else { "endnote" }
    }

    fn parts(self) -> &'static str {
        if self == Self::Footnote { "footnotes" } else { "endnotes" }
    }
}

/// The properties of runs in the order of the schema, as far as ops set them.
pub(super) const RUN: &[&str] = &[
    "ins",
    "del",
    "moveFrom",
    "moveTo",
    "rStyle",
    "rFonts",
    "b",
    "bCs",
    "i",
    "iCs",
    "caps",
    "smallCaps",
    "strike",
    "dstrike",
    "outline",
    "shadow",
    "emboss",
    "imprint",
    "noProof",
    "snapToGrid",
    "vanish",
    "webHidden",
    "color",
    "spacing",
    "w",
    "kern",
    "position",
    "sz",
    "szCs",
    "highlight",
    "u",
    "effect",
    "bdr",
    "shd",
    "fitText",
    "vertAlign",
    "rtl",
    "cs",
    "em",
    "lang",
    "eastAsianLayout",
    "specVanish",
    "oMath",
    "rPrChange",
];

impl DocumentEdit<'_> {
    /// Applies `add_footnote` and `add_endnote`.
    pub(super) fn add_note(&mut self, input: &OpInput, fields: &AddNote, note: Note) -> Result<(), Error> {
        let text = self.clean(&fields.text, &input.at("text"));
        if text.trim().is_empty() {
            return Err(input.error("text", DocumentIssue::Missing { what: "the text of the note" }).into());
        }
        let styles = self.styles()?;
        let name = note.name();
        let mark_style = styles.find(StyleKind::Character, &format!("{name} reference")).map(|style| style.id.clone());
        let text_style = styles.find(StyleKind::Paragraph, &format!("{name} text")).map(|style| style.id.clone());
        let mut revisions = self.revisions(fields.track_changes)?;
        // The place first: nothing is added if there is none.
        let limits = self.limits();
        {
            let main = self.main();
            let tree = main.tree(&limits)?;
            let body = Body::read(&tree, main.name(), &styles)?;
            self.find_anchor(&tree, &body, &fields.target, input)?;
        }
        let part = self.notes_part(note)?;
        let tree = part.tree(&limits)?;
        let dialect = Dialect::of(&tree);
        let used = tree.root().elements().filter_map(|node| word::number(node, "id"));
        let id = used.max().unwrap_or(0).max(0).saturating_add(1).to_string();
        let mut markup = Markup::new(&dialect);
        let superscript = |markup: &mut Markup<'_>| {
            markup.open("rPr", &[]);
            match &mark_style {
                Some(style) => markup.val("rStyle", style),
                None => markup.val("vertAlign", "superscript"),
            }
            markup.close("rPr");
        };
        markup.open(name, &[("id", &id)]);
        for (at, line) in text.replace("\r\n", "\n").split('\n').enumerate() {
            markup.open("p", &[]);
            if let Some(style) = &text_style {
                markup.open("pPr", &[]);
                markup.val("pStyle", style);
                markup.close("pPr");
            }
            if at == 0 {
                markup.open("r", &[]);
                superscript(&mut markup);
                markup.tag(&format!("{name}Ref"), &[]);
                markup.close("r");
            }
            if let Some(revisions) = revisions.as_mut() {
                let open = revisions.open("ins", &dialect);
                markup.raw(&open);
            }
            markup.open("r", &[]);
            let line = if at == 0 { format!(" {line}") } else { line.to_owned() };
            markup.run_text(&line, "t");
            markup.close("r");
            if revisions.is_some() {
                markup.close("ins");
            }
            markup.close("p");
        }
        markup.close(name);
        let mut splice = Splice::new(part.text());
        splice.append(tree.root(), markup.finish());
        self.splice_part(&part, splice)?;
        let main = self.main();
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let anchor = self.find_anchor(&tree, &body, &fields.target, input)?;
        let dialect = Dialect::at(anchor.paragraph);
        let mut markup = Markup::new(&dialect);
        if let Some(revisions) = revisions.as_mut() {
            let open = revisions.open("ins", &dialect);
            markup.raw(&open);
        }
        markup.open("r", &[]);
        superscript(&mut markup);
        markup.tag(&format!("{name}Reference"), &[("id", &id)]);
        markup.close("r");
        if revisions.is_some() {
            markup.close("ins");
        }
        let mut splice = Splice::new(main.text());
        insert_at(&mut splice, &[(anchor.end, markup.finish())]);
        let at = excerpt(&anchor.text);
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        self.report(
            OpReport::new(
                input,
                format!("Added {}{name} behind “{at}”.", if note == Note::Endnote { "an " } else { "a " }),
            )
            .with("note", id)
            .with("anchor", at),
        );
        Ok(())
    }

    /// The part with the notes; a document without one gets it with the separators that Word needs.
    pub(super) fn notes_part(&mut self, note: Note) -> Result<Rc<ParsedPart>, Error> {
        let known = if note == Note::Footnote { &self.names.footnotes } else { &self.names.endnotes };
        if let Some(name) = known.clone() {
            return self.part(&name);
        }
        let (name, parts, uri) = (note.name(), note.parts(), self.word_namespace()?);
        let separator = |id: i32, kind: &str| {
            format!(
                "<w:{name} w:type=\"{kind}\" w:id=\"{id}\"><w:p><w:pPr><w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/></w:pPr><w:r><w:{kind}/></w:r></w:p></w:{name}>"
            )
        };
        let both = format!("{}{}", separator(-1, "separator"), separator(0, "continuationSeparator"));
        let content = format!("<w:{parts} xmlns:w=\"{uri}\">{both}</w:{parts}>");
        let kind = format!("application/vnd.openxmlformats-officedocument.wordprocessingml.{parts}+xml");
        let made = self.create_part(RelationshipType::Standard(parts), parts, &kind, &content)?.0;
        let settings = self.settings_part()?;
        let tree = settings.tree(&self.limits())?;
        let mut splice = Splice::new(settings.text());
        if tree.root().child(Ns::W, &format!("{name}Pr")).is_none() {
            let dialect = Dialect::of(&tree);
            let w = &dialect.w;
            let markup = format!(
                "<{w}{name}Pr{}><{w}{name} {w}id=\"-1\"/><{w}{name} {w}id=\"0\"/></{w}{name}Pr>",
                dialect.declare
            );
            put_setting(&mut splice, tree.root(), &format!("{name}Pr"), &markup);
        }
        self.splice_part(&settings, splice)?;
        self.part(&made)
    }

    /// Applies `set_hyperlink`.
    pub(super) fn set_hyperlink(&mut self, input: &OpInput, fields: &SetHyperlink) -> Result<(), Error> {
        let bookmark = fields.bookmark.as_deref().map(|name| name.trim().trim_start_matches('#').to_owned());
        let (url, bookmark) = match (&fields.url, bookmark) {
            (Some(_), Some(_)) => {
                return Err(input.error("bookmark", DocumentIssue::Excludes { other: "url" }).into());
            }
            // An address within the document.
            (Some(url), None) if url.trim().starts_with('#') => {
                (None, Some(url.trim().trim_start_matches('#').to_owned()))
            }
            (url, bookmark) => (url.clone(), bookmark),
        };
        let tooltip = fields.tooltip.as_deref().map(|text| self.clean(text, &input.at("tooltip")));
        let tooltip = tooltip.filter(|text| !text.is_empty());
        let styles = self.styles()?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let url = url.map(|url| checked_url(&url, input)).transpose()?;
        if let Some(name) = &bookmark {
            let known: Vec<String> = bookmarks(tree.root()).collect();
            if !known.contains(name) {
                let near = crate::edit::nearest(name, known.iter().map(String::as_str));
                let issue = DocumentIssue::NoBookmark { name: name.clone() };
                return Err(input.error("bookmark", issue).suggest(near).into());
            }
        } else if url.is_none() {
            return Err(input.error("url", DocumentIssue::Missing { what: "the address, or `bookmark`" }).into());
        }
        let anchor = self.find_anchor(&tree, &body, &fields.target, input)?;
        if anchor.text.trim().is_empty() {
            return Err(input.error("index", DocumentIssue::NoTextToLink).into());
        }
        if self.revisions(fields.track_changes)?.is_some() {
            self.warn(format!("{}: Word does not track links, so this one is not tracked", input.at("")));
        }
        let rel_id = match &url {
            Some(url) => Some(self.hyperlink_id(url)?),
            None => None,
        };
        let existing = existing_link(&anchor);
        let main_text = main.text();
        let mut splice = Splice::new(main_text);
        let declare = self.relationship_namespace()?;
        if let Some(link) = existing {
            let w = Dialect::at(link).w;
            for (name, ns) in [("id", Ns::R), ("anchor", Ns::W), ("tooltip", Ns::W)] {
                let found = link.attributes().find(|one| {
                    let (prefix, local) = one.name.split_once(':').unwrap_or(("", one.name));
                    local == name && link.namespace_of(prefix) == Some(ns)
                });
                if let Some(found) = found {
                    splice.remove_attr(link, found.name);
                }
            }
            splice.insert(
                link.attr_insert_at(),
                link_attributes(link, &w, rel_id.as_deref(), bookmark.as_deref(), tooltip.as_deref(), declare),
            );
        } else {
            if !can_wrap(&anchor) {
                return Err(input.error("search", DocumentIssue::CannotWrap).into());
            }
            let dialect = Dialect::at(anchor.paragraph);
            let w = &dialect.w;
            let attributes = link_attributes(
                anchor.paragraph,
                w,
                rel_id.as_deref(),
                bookmark.as_deref(),
                tooltip.as_deref(),
                declare,
            );
            let open = format!("<{w}hyperlink{}{attributes} {w}history=\"1\">", dialect.declare);
            insert_at(&mut splice, &[(anchor.start, open), (anchor.end, format!("</{w}hyperlink>"))]);
        }
        let text = excerpt(&anchor.text);
        let is_new = existing.is_none();
        self.splice_main(splice)?;
        if is_new {
            self.style_links(rel_id.as_deref(), bookmark.as_deref())?;
        }
        let to = url.or(bookmark.map(|name| format!("#{name}"))).unwrap_or_default();
        let verb = if is_new { "Linked" } else { "Changed the link of" };
        self.report(OpReport::new(input, format!("{verb} “{text}” to {to}.")).with("url", to).with("text", text));
        Ok(())
    }

    /// The relationship to an address.
    fn hyperlink_id(&mut self, url: &str) -> Result<String, Error> {
        let known =
            self.names.relationships.of_kind("hyperlink").find(|known| known.target == url && known.part.is_none());
        if let Some(known) = known {
            return Ok(known.id.clone());
        }
        let document = self.names.document.clone();
        let uri = format!("{}/hyperlink", self.relationship_namespace()?);
        let id = Relationships::add_raw(&mut self.package, &document, &uri, url, Mode::External)?;
        self.find_parts()?;
        Ok(id)
    }

    /// Gives the runs of new links the style of links, where they have no character style.
    fn style_links(&mut self, rel_id: Option<&str>, bookmark: Option<&str>) -> Result<(), Error> {
        let Some(style) = self.style(StyleKind::Character, "Hyperlink", "")? else { return Ok(()) };
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let mut splice = Splice::new(main.text());
        let is_ours = |link: &Node<'_>| {
            link.is(Ns::W, "hyperlink")
                && rel_id.is_none_or(|id| link.attr_ns(Ns::R, "id").is_some_and(|found| found == id))
                && bookmark.is_none_or(|name| word::attr(*link, "anchor").is_some_and(|found| found == name))
        };
        for run in tree.root().descendants().filter(is_ours).flat_map(Node::descendants).filter(|n| n.is(Ns::W, "r")) {
            let dialect = Dialect::at(run);
            let mut markup = Markup::new(&dialect);
            markup.val("rStyle", &style);
            match run.child(Ns::W, "rPr") {
                Some(properties) if properties.child(Ns::W, "rStyle").is_none() => {
                    let mut children = Children::of(Some(properties), RUN);
                    children.put("rStyle", markup.finish());
                    children.write(&mut splice, properties);
                }
                Some(_) => {}
                None => splice.prepend(run, format!("<{w}rPr>{}</{w}rPr>", markup.finish(), w = dialect.w)),
            }
        }
        self.splice_main(splice)
    }

    /// Applies `remove_hyperlink`.
    pub(super) fn remove_hyperlink(&mut self, input: &OpInput, fields: &RemoveHyperlink) -> Result<(), Error> {
        let styles = self.styles()?;
        let link_style = styles.find(StyleKind::Character, "Hyperlink").map(|style| style.id.clone());
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let targeted = fields.target.search.is_some() || fields.target.index.is_some();
        let anchor = if targeted { Some(self.find_anchor(&tree, &body, &fields.target, input)?) } else { None };
        if anchor.is_none() && fields.url.is_none() && fields.all != Some(true) {
            return Err(input
                .error("search", DocumentIssue::Missing { what: "the text with the link, `url` or `all`" })
                .into());
        }
        let url = fields.url.as_deref().map(str::trim);
        let leads_to = |link: Node<'_>| {
            let id = link.attr_ns(Ns::R, "id").unwrap_or_default();
            self.names.relationships.by_id(&id).map(|found| found.target.clone())
        };
        let mut splice = Splice::new(main.text());
        let mut ids: HashSet<String> = HashSet::new();
        let mut removed = Vec::new();
        let mut kept_ids: HashSet<String> = HashSet::new();
        for link in body.node.descendants().filter(|node| node.is(Ns::W, "hyperlink")) {
            let id = link.attr_ns(Ns::R, "id").map(std::borrow::Cow::into_owned);
            let hit = anchor.as_ref().is_none_or(|anchor| covers(anchor, link))
                && url.is_none_or(|url| leads_to(link).is_some_and(|target| target == url));
            if !hit {
                kept_ids.extend(id);
                continue;
            }
            ids.extend(id);
            removed.push(
                leads_to(link)
                    .or_else(|| word::attr(link, "anchor").map(|name| format!("#{name}")))
                    .unwrap_or_default(),
            );
            splice.delete(link.open_range());
            if !link.is_single_tag() {
                splice.delete(link.inner_range().end..link.range().end);
            }
            for style in link.descendants().filter(|node| node.is(Ns::W, "rStyle")) {
                if word::val(style).as_deref() == link_style.as_deref() {
                    splice.remove(style);
                }
            }
        }
        if removed.is_empty() {
            return Err(input.error(if url.is_some() { "url" } else { "search" }, DocumentIssue::NoHyperlink).into());
        }
        self.splice_main(splice)?;
        let document = self.names.document.clone();
        for id in ids.iter().filter(|id| !kept_ids.contains(*id)) {
            Relationships::remove(&mut self.package, &document, id)?;
        }
        self.find_parts()?;
        let summary = format!("Removed {}.", counted(removed.len(), "link"));
        let old: Vec<String> = removed.iter().take(crate::edit::MOST_LISTED).cloned().collect();
        self.report(OpReport::new(input, summary).with("links", removed.len()).with("old", old));
        Ok(())
    }

    /// Applies `add_bookmark`.
    pub(super) fn add_bookmark(&mut self, input: &OpInput, fields: &AddBookmark) -> Result<(), Error> {
        let name = fields.name.trim();
        let valid = name.chars().count() <= 40
            && name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !valid {
            return Err(input.error("name", DocumentIssue::BookmarkName { name: excerpt(name) }).into());
        }
        let styles = self.styles()?;
        let (main, limits) = (self.main(), self.limits());
        let names: Vec<String> = self.names.texts().into_iter().map(str::to_owned).collect();
        let mut next = 0;
        for part in names {
            let part = self.part(&part)?;
            let tree = part.tree(&limits)?;
            if bookmarks(tree.root()).any(|known| known.to_lowercase() == name.to_lowercase()) {
                return Err(input.error("name", DocumentIssue::BookmarkExists { name: name.to_owned() }).into());
            }
            let ids = tree.root().descendants().filter(|node| node.is(Ns::W, "bookmarkStart"));
            next = ids
                .filter_map(|node| word::number(node, "id"))
                .filter(|id| *id < 0x7000_0000)
                .max()
                .map_or(next, |id| next.max(id + 1));
        }
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let anchor = self.find_anchor(&tree, &body, &fields.target, input)?;
        let dialect = Dialect::at(anchor.paragraph);
        let id = next.to_string();
        let (mut start, mut end) = (Markup::new(&dialect), Markup::new(&dialect));
        start.tag("bookmarkStart", &[("id", &id), ("name", name)]);
        end.tag("bookmarkEnd", &[("id", &id)]);
        let mut splice = Splice::new(main.text());
        insert_at(&mut splice, &[(anchor.start, start.finish()), (anchor.end, end.finish())]);
        let text = excerpt(&anchor.text);
        self.splice_main(splice)?;
        self.report(
            OpReport::new(input, format!("Added the bookmark {name} on “{text}”."))
                .with("bookmark", name)
                .with("anchor", text),
        );
        Ok(())
    }
}

/// The names of the bookmarks in an element.
pub(super) fn bookmarks<'t>(root: Node<'t>) -> impl Iterator<Item = String> + 't {
    let all = root.descendants().filter(|node| node.is(Ns::W, "bookmarkStart"));
    all.filter_map(|node| word::attr(node, "name").map(std::borrow::Cow::into_owned))
}

/// The link around a text.
fn existing_link<'t>(anchor: &Anchor<'t>) -> Option<Node<'t>> {
    let link = |run: Node<'t>| run.ancestors().find(|around| around.is(Ns::W, "hyperlink"));
    match anchor.runs {
        Some((first, last)) => link(first).filter(|found| link(last) == Some(*found)),
        None => {
            let mut links = anchor.paragraph.elements().filter(|node| node.is(Ns::W, "hyperlink"));
            let only = links.next().filter(|_| links.next().is_none())?;
            let others = anchor.paragraph.elements().filter(|node| *node != only);
            let is_all = others.flat_map(Node::descendants).all(|node| !node.is(Ns::W, "t"));
            is_all.then_some(only)
        }
    }
}

/// Whether a link has a part of a text in it.
fn covers(anchor: &Anchor<'_>, link: Node<'_>) -> bool {
    match anchor.runs {
        Some((first, last)) => link.range().start < last.range().end && first.range().start < link.range().end,
        None => link.ancestors().any(|around| around == anchor.paragraph),
    }
}

fn link_attributes(
    at: Node<'_>,
    w: &str,
    rel_id: Option<&str>,
    bookmark: Option<&str>,
    tooltip: Option<&str>,
    uri: &str,
) -> String {
    let mut out = String::new();
    if let Some(id) = rel_id {
        let (r, declare) = match at.attr_prefix_for(Ns::R) {
            Some(r) => (r, String::new()),
            None => ("r:".to_owned(), format!(" xmlns:r=\"{uri}\"")),
        };
        out.push_str(&format!("{declare} {r}id=\"{}\"", escape_attribute(id)));
    }
    if let Some(name) = bookmark {
        out.push_str(&format!(" {w}anchor=\"{}\"", escape_attribute(name)));
    }
    if let Some(text) = tooltip {
        out.push_str(&format!(" {w}tooltip=\"{}\"", escape_attribute(text)));
    }
    out
}

/// Schemes that only open a page, a mail or a call.
const SCHEMES: [&str; 6] = ["http", "https", "mailto", "ftp", "ftps", "tel"];
/// Word's own limit.
const LONGEST_URL: usize = 2079;

/// An address that can do no harm. One without a scheme, such as `example.org`, is a web page.
fn checked_url(url: &str, input: &OpInput) -> Result<String, EditError> {
    let url = url.trim();
    let refused = |why| input.error("url", DocumentIssue::InvalidUrl { url: excerpt(url), why });
    if url.is_empty()
        || url.chars().any(|c| c.is_control() || c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\\' | '`'))
    {
        return Err(refused("it is empty or contains spaces or other characters that an address cannot have"));
    }
    if url.len() > LONGEST_URL {
        return Err(refused("it is longer than 2079 bytes"));
    }
    match url.split_once(':') {
        Some((scheme, rest)) if SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) && rest.len() > 1 => {
            Ok(url.to_owned())
        }
        Some((host, port)) if host.contains('.') && port.starts_with(|c: char| c.is_ascii_digit()) => {
            Ok(format!("https://{url}"))
        }
        Some(_) => Err(refused("links lead to http, https, mailto, ftp or tel addresses")),
        None if url.contains('@') => Ok(format!("mailto:{url}")),
        None if url.split('/').next().is_some_and(|host| host.contains('.')) => Ok(format!("https://{url}")),
        None => Err(refused("links lead to http, https, mailto, ftp or tel addresses")),
    }
}
