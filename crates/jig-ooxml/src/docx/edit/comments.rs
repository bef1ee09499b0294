//! Comments: adding one to a text, replying, resolving and deleting.
//!
//! A comment is an element of the comments part with its anchors in the text. Word stores which comment another replies to,
//! and whether it is resolved, in the part `commentsExtended` by the id of the comment's last paragraph; `commentsIds` gives
//! each a lasting id, and `people` lists the authors. A new comment is written to all four.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use jig_file_api::ops::docx::ScalarText;
use jig_file_api::ops::docx_structure::{AddComment, DeleteComment, ReplyComment, ResolveComment};

use super::anchor::{Anchor, insert_at};
use super::markup::{Dialect, Markup};
use super::new_part::{RelationshipType, W14, W15, extension_prefix};
use super::{Body, DocumentEdit};
use crate::docx::styles::StyleKind;
use crate::docx::word;
use crate::edit::{MOST_LISTED, OpInput, OpReport, excerpt};
use crate::error::{DocumentIssue, Error, counted};
use crate::xml::{Node, Ns, ParsedPart, Splice, Tree, escape_attribute};

const CID: &str = "http://schemas.microsoft.com/office/word/2016/wordml/cid";
const TYPES: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.";

/// A comment to be written.
struct NewComment {
    id: u32,
    paragraphs: Vec<String>,
    author: String,
    initials: String,
    /// The id of its last paragraph.
    para_id: String,
    /// That of the comment it replies to.
    parent: Option<String>,
}

impl DocumentEdit<'_> {
    /// Applies `add_comment`.
    pub(super) fn add_comment(&mut self, input: &OpInput, fields: AddComment) -> Result<(), Error> {
        let comment = self.new_comment(&fields.text, fields.author, fields.initials, input)?;
        let styles = self.styles()?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let anchor = self.find_anchor(&tree, &body, &fields.target, input)?;
        let dialect = Dialect::at(anchor.paragraph);
        let mut splice = Splice::new(main.text());
        let (start, end) = self.anchors(comment.id, &dialect)?;
        insert_at(&mut splice, &[(anchor.start, start), (anchor.end, end)]);
        let (id, text) = (comment.id, excerpt(&anchor.text));
        let paragraph = paragraph_index(&body, &anchor);
        self.write_comment(&comment)?;
        self.splice_main(splice)?;
        let mut change =
            OpReport::new(input, format!("Added comment {id} on “{text}”.")).with("comment", id.to_string());
        if let Some(paragraph) = paragraph {
            change = change.with("paragraph_index", paragraph);
        }
        self.report(change.with("anchor", text).with("author", comment.author));
        Ok(())
    }

    /// Applies `reply_comment`.
    pub(super) fn reply_comment(&mut self, input: &OpInput, fields: ReplyComment) -> Result<(), Error> {
        let ScalarText(wanted) = &fields.comment;
        self.check_comment(wanted, input)?;
        // Word has one level of replies: a reply to a reply belongs to the first comment.
        let parent_para = self.ensure_para_id(wanted)?;
        let threads = self.threads()?;
        let root = threads.iter().find(|thread| thread.para_id == parent_para).and_then(|thread| thread.parent.clone());
        let mut comment = self.new_comment(&fields.text, fields.author, fields.initials, input)?;
        comment.parent = Some(root.unwrap_or(parent_para));
        let limits = self.limits();
        let names: Vec<String> = self.names.texts().into_iter().map(str::to_owned).collect();
        let mut anchored = false;
        for name in names {
            let part = self.part(&name)?;
            let tree = part.tree(&limits)?;
            let dialect = Dialect::of(&tree);
            let mut splice = Splice::new(part.text());
            let (start, end) = self.anchors(comment.id, &dialect)?;
            let (mut opened, mut closed, mut referred) = (None, None, None);
            for node in markers(&tree, wanted) {
                match node.local() {
                    "commentRangeStart" => opened = opened.or(Some(node)),
                    "commentRangeEnd" => closed = closed.or(Some(node)),
                    _ => referred = referred.or(node.parent().filter(|run| run.is(Ns::W, "r"))),
                }
            }
            let Some(behind) = referred.or(closed) else { continue };
            if let (Some(opened), Some(_)) = (opened, closed) {
                splice.after(opened, start);
                splice.after(behind, end);
            } else {
                // A comment at a point: only a reference.
                splice.after(behind, self.reference(comment.id, &dialect)?);
            }
            self.splice_part(&part, splice)?;
            anchored = true;
            break;
        }
        if !anchored {
            return Err(input.error("comment", DocumentIssue::CommentWithoutAnchor { id: wanted.clone() }).into());
        }
        self.write_comment(&comment)?;
        let summary = format!("Replied to comment {wanted}.");
        self.report(
            OpReport::new(input, summary)
                .with("comment", comment.id.to_string())
                .with("parent", wanted.clone())
                .with("author", comment.author),
        );
        Ok(())
    }

    /// Applies `resolve_comment`.
    pub(super) fn resolve_comment(&mut self, input: &OpInput, fields: &ResolveComment) -> Result<(), Error> {
        let resolved = fields.resolved.unwrap_or(true);
        let ids = match (&fields.comment, fields.all) {
            (Some(ScalarText(id)), _) => {
                self.check_comment(id, input)?;
                vec![id.clone()]
            }
            (None, Some(true)) => self.comment_ids()?,
            (None, _) => return Err(input.error("comment", DocumentIssue::NoCommentGiven).into()),
        };
        let mut changed = 0;
        for id in &ids {
            let para_id = self.ensure_para_id(id)?;
            changed += usize::from(self.set_done(&para_id, resolved)?);
        }
        let verb = if resolved { "Resolved" } else { "Reopened" };
        let summary = format!("{verb} {}.", counted(ids.len(), "comment"));
        self.report(OpReport::new(input, summary).with("comments", ids.len()).with("changed", changed));
        Ok(())
    }

    /// Applies `delete_comment`.
    pub(super) fn delete_comment(&mut self, input: &OpInput, fields: &DeleteComment) -> Result<(), Error> {
        let mut ids: HashSet<String> = match (&fields.comment, &fields.author, fields.all) {
            (Some(ScalarText(id)), None, _) => {
                self.check_comment(id, input)?;
                HashSet::from([id.clone()])
            }
            (None, Some(author), _) => self.comments_of(author, input)?,
            (None, None, Some(true)) => self.comment_ids()?.into_iter().collect(),
            (Some(_), Some(_), _) => {
                return Err(input.error("author", DocumentIssue::Excludes { other: "comment" }).into());
            }
            (None, None, _) => return Err(input.error("comment", DocumentIssue::NoCommentGiven).into()),
        };
        let threads = self.threads()?;
        let gone: HashSet<&str> =
            threads.iter().filter(|thread| ids.contains(&thread.id)).map(|thread| thread.para_id.as_str()).collect();
        let replies = threads.iter().filter(|thread| thread.parent.as_deref().is_some_and(|id| gone.contains(id)));
        let replies: Vec<String> = replies.map(|thread| thread.id.clone()).collect();
        ids.extend(replies);
        let para_ids: HashSet<String> =
            threads.iter().filter(|t| ids.contains(&t.id)).map(|t| t.para_id.to_ascii_uppercase()).collect();
        let texts = self.remove_comments(&ids, &para_ids)?;
        let summary = format!("Deleted {}.", counted(ids.len(), "comment"));
        let old: Vec<String> = texts.iter().take(MOST_LISTED).map(|text| excerpt(text)).collect();
        self.report(OpReport::new(input, summary).with("comments", ids.len()).with("old", old));
        Ok(())
    }

    /// Removes comments from all parts; returns their texts.
    fn remove_comments(&mut self, ids: &HashSet<String>, para_ids: &HashSet<String>) -> Result<Vec<String>, Error> {
        let limits = self.limits();
        let mut texts = Vec::new();
        if let Some(part) = self.comments_part()? {
            let tree = part.tree(&limits)?;
            let mut splice = Splice::new(part.text());
            for node in tree.root().children_named(Ns::W, "comment").filter(|node| has_id(*node, ids)) {
                let paragraphs = node.descendants().filter(|inner| inner.is(Ns::W, "p"));
                texts.push(paragraphs.map(super::paragraphs::text_of).collect::<Vec<_>>().join("\n"));
                splice.remove(node);
            }
            self.splice_part(&part, splice)?;
        }
        let names: Vec<String> = self.names.texts().into_iter().map(str::to_owned).collect();
        for name in names {
            let part = self.part(&name)?;
            let tree = part.tree(&limits)?;
            let mut splice = Splice::new(part.text());
            for node in tree.root().descendants().filter(|node| is_marker(*node) && has_id(*node, ids)) {
                splice.remove(around_reference(node));
            }
            self.splice_part(&part, splice)?;
        }
        for kind in ["commentsExtended", "commentsIds"] {
            let Some(name) = self.related_part(kind) else { continue };
            let part = self.part(&name)?;
            let tree = part.tree(&limits)?;
            let mut splice = Splice::new(part.text());
            for node in tree.root().elements() {
                if extension_attr(node, "paraId").is_some_and(|id| para_ids.contains(&id.to_ascii_uppercase())) {
                    splice.remove(node);
                }
            }
            self.splice_part(&part, splice)?;
        }
        Ok(texts)
    }

    /// The marks around a commented text: its start, and its end with the reference.
    fn anchors(&mut self, id: u32, dialect: &Dialect) -> Result<(String, String), Error> {
        let (id_text, mut start, mut end) = (id.to_string(), Markup::new(dialect), Markup::new(dialect));
        start.tag("commentRangeStart", &[("id", &id_text)]);
        end.tag("commentRangeEnd", &[("id", &id_text)]);
        let reference = self.reference(id, dialect)?;
        Ok((start.finish(), end.finish() + &reference))
    }

    fn reference(&mut self, id: u32, dialect: &Dialect) -> Result<String, Error> {
        let styles = self.styles()?;
        let style = styles.find(StyleKind::Character, "annotation reference").map(|style| style.id.clone());
        let mut markup = Markup::new(dialect);
        markup.open("r", &[]);
        if let Some(style) = style {
            markup.open("rPr", &[]);
            markup.val("rStyle", &style);
            markup.close("rPr");
        }
        markup.tag("commentReference", &[("id", &id.to_string())]);
        markup.close("r");
        Ok(markup.finish())
    }

    fn new_comment(
        &mut self,
        text: &str,
        author: Option<String>,
        initials: Option<String>,
        input: &OpInput,
    ) -> Result<NewComment, Error> {
        let text = self.clean(text, &input.at("text"));
        if text.trim().is_empty() {
            return Err(input.error("text", DocumentIssue::EmptyComment).into());
        }
        let author = author.map(|author| self.clean(&author, &input.at("author")));
        let author = author.filter(|author| !author.trim().is_empty());
        let author = author.unwrap_or_else(|| self.options.author.to_owned());
        let author = if author.trim().is_empty() { "Jig".to_owned() } else { author };
        let initials = initials.map(|initials| self.clean(&initials, &input.at("initials")));
        let initials = initials.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| initials_of(&author));
        let limits = self.limits();
        let (mut next, mut para_ids) = (0_u32, HashSet::new());
        let mut parts = vec![self.main()];
        parts.extend(self.comments_part()?);
        for part in &parts {
            let tree = part.tree(&limits)?;
            for node in tree.root().descendants().filter(|node| node.ns() == Ns::W) {
                if is_marker(node) || node.local() == "comment" {
                    let id = word::attr(node, "id").and_then(|id| id.parse::<u32>().ok());
                    next = next.max(id.filter(|id| *id < 0x7000_0000).map_or(0, |id| id + 1));
                }
                para_ids.extend(node.attr_ns(Ns::W14, "paraId").map(|id| id.to_ascii_uppercase()));
            }
        }
        let paragraphs = text.replace("\r\n", "\n").split('\n').map(str::to_owned).collect();
        Ok(NewComment { id: next, paragraphs, author, initials, para_id: free_para_id(&para_ids), parent: None })
    }

    fn comments_part(&mut self) -> Result<Option<Rc<ParsedPart>>, Error> {
        self.names.comments.clone().map(|name| self.part(&name)).transpose()
    }

    /// Adds a comment to the comments part and to those that belong to it.
    fn write_comment(&mut self, comment: &NewComment) -> Result<(), Error> {
        let part = match self.comments_part()? {
            Some(part) => part,
            None => {
                let w = self.word_namespace()?;
                let mc = Ns::Mc.uri();
                let content = format!(
                    "<w:comments xmlns:w=\"{w}\" xmlns:mc=\"{mc}\" xmlns:w14=\"{W14}\" mc:Ignorable=\"w14\"></w:comments>"
                );
                let kind = format!("{TYPES}comments+xml");
                let name = self.create_part(RelationshipType::Standard("comments"), "comments", &kind, &content)?.0;
                self.part(&name)?
            }
        };
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let root = tree.root();
        let mut splice = Splice::new(part.text());
        let w14 = extension_prefix(&mut splice, root, "w14", W14);
        let markup = self.comment_markup(comment, &Dialect::of(&tree), &w14)?;
        splice.append(root, markup);
        self.splice_part(&part, splice)?;
        self.add_extended(&comment.para_id, comment.parent.as_deref())?;
        self.add_lasting_id(&comment.para_id)?;
        self.add_person(&comment.author)
    }

    fn comment_markup(&mut self, comment: &NewComment, dialect: &Dialect, w14: &str) -> Result<String, Error> {
        let styles = self.styles()?;
        let text_style = styles.find(StyleKind::Paragraph, "annotation text").map(|style| style.id.clone());
        let mark_style = styles.find(StyleKind::Character, "annotation reference").map(|style| style.id.clone());
        let id = comment.id.to_string();
        let mut attributes = vec![("id", id.as_str()), ("author", comment.author.as_str())];
        attributes.extend(self.options.now.map(|now| ("date", now)));
        attributes.push(("initials", &comment.initials));
        let mut markup = Markup::new(dialect);
        markup.open("comment", &attributes);
        let last = comment.paragraphs.len().saturating_sub(1);
        for (at, text) in comment.paragraphs.iter().enumerate() {
            let w = &dialect.w;
            if at == last {
                markup.raw(&format!("<{w}p {w14}paraId=\"{}\">", comment.para_id));
            } else {
                markup.raw(&format!("<{w}p>"));
            }
            if let Some(style) = &text_style {
                markup.open("pPr", &[]);
                markup.val("pStyle", style);
                markup.close("pPr");
            }
            if at == 0 {
                markup.open("r", &[]);
                if let Some(style) = &mark_style {
                    markup.open("rPr", &[]);
                    markup.val("rStyle", style);
                    markup.close("rPr");
                }
                markup.tag("annotationRef", &[]);
                markup.close("r");
            }
            markup.open("r", &[]);
            markup.run_text(text, "t");
            markup.close("r");
            markup.raw(&format!("</{w}p>"));
        }
        markup.close("comment");
        Ok(markup.finish())
    }

    /// Adds a comment to the part `commentsExtended`, unless it is there.
    fn add_extended(&mut self, para_id: &str, parent: Option<&str>) -> Result<(), Error> {
        let name = match self.related_part("commentsExtended") {
            Some(name) => name,
            None => {
                let uri = "http://schemas.microsoft.com/office/2011/relationships/commentsExtended";
                let content = format!("<w15:commentsEx xmlns:w15=\"{W15}\"></w15:commentsEx>");
                let kind = format!("{TYPES}commentsExtended+xml");
                self.create_part(RelationshipType::Extension(uri), "commentsExtended", &kind, &content)?.0
            }
        };
        let part = self.part(&name)?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let root = tree.root();
        if root.elements().any(|node| extension_attr(node, "paraId").as_deref() == Some(para_id)) {
            return Ok(());
        }
        let w15 = root.attr_prefix_for(Ns::W15).unwrap_or_else(|| "w15:".to_owned());
        let parent = parent.map(|parent| format!(" {w15}paraIdParent=\"{}\"", escape_attribute(parent)));
        let mut splice = Splice::new(part.text());
        let parent = parent.unwrap_or_default();
        splice.append(root, format!("<{w15}commentEx {w15}paraId=\"{para_id}\"{parent} {w15}done=\"0\"/>"));
        self.splice_part(&part, splice)
    }

    /// Adds a comment to the part `commentsIds`.
    fn add_lasting_id(&mut self, para_id: &str) -> Result<(), Error> {
        let name = match self.related_part("commentsIds") {
            Some(name) => name,
            None => {
                let uri = "http://schemas.microsoft.com/office/2016/09/relationships/commentsIds";
                let content = format!("<w16cid:commentsIds xmlns:w16cid=\"{CID}\"></w16cid:commentsIds>");
                let kind = format!("{TYPES}commentsIds+xml");
                self.create_part(RelationshipType::Extension(uri), "commentsIds", &kind, &content)?.0
            }
        };
        let part = self.part(&name)?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let root = tree.root();
        let known: HashSet<String> = root
            .elements()
            .filter_map(|node| extension_attr(node, "durableId"))
            .map(|id| id.to_ascii_uppercase())
            .collect();
        let (prefix, durable) = (root.prefix(), free_para_id(&known));
        let mut splice = Splice::new(part.text());
        let markup = format!("<{prefix}commentId {prefix}paraId=\"{para_id}\" {prefix}durableId=\"{durable}\"/>");
        splice.append(root, markup);
        self.splice_part(&part, splice)
    }

    /// Adds an author to the part `people`, unless listed.
    fn add_person(&mut self, author: &str) -> Result<(), Error> {
        let name = match self.related_part("people") {
            Some(name) => name,
            None => {
                let uri = "http://schemas.microsoft.com/office/2011/relationships/people";
                let content = format!("<w15:people xmlns:w15=\"{W15}\"></w15:people>");
                let kind = format!("{TYPES}people+xml");
                self.create_part(RelationshipType::Extension(uri), "people", &kind, &content)?.0
            }
        };
        let part = self.part(&name)?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let root = tree.root();
        if root.elements().any(|node| extension_attr(node, "author").as_deref() == Some(author)) {
            return Ok(());
        }
        let w15 = root.attr_prefix_for(Ns::W15).unwrap_or_else(|| "w15:".to_owned());
        let author = escape_attribute(author);
        let mut splice = Splice::new(part.text());
        splice.append(
            root,
            format!(
                "<{w15}person {w15}author=\"{author}\"><{w15}presenceInfo {w15}providerId=\"None\" {w15}userId=\"{author}\"/></{w15}person>"
            ),
        );
        self.splice_part(&part, splice)
    }

    /// The ids of all comments, in the order of the part.
    fn comment_ids(&mut self) -> Result<Vec<String>, Error> {
        let Some(part) = self.comments_part()? else { return Ok(Vec::new()) };
        let tree = part.tree(&self.limits())?;
        let all = tree.root().children_named(Ns::W, "comment");
        Ok(all.filter_map(|node| word::attr(node, "id")).map(std::borrow::Cow::into_owned).collect())
    }

    fn check_comment(&mut self, id: &str, input: &OpInput) -> Result<(), Error> {
        let known = self.comment_ids()?;
        if known.iter().any(|known| known == id) {
            return Ok(());
        }
        let issue = DocumentIssue::NoComment { id: id.to_owned(), count: known.len() };
        Err(input.error("comment", issue).suggest(known.into_iter().take(10)).into())
    }

    fn comments_of(&mut self, author: &str, input: &OpInput) -> Result<HashSet<String>, Error> {
        let Some(part) = self.comments_part()? else { return Ok(HashSet::new()) };
        let tree = part.tree(&self.limits())?;
        let (mut ids, mut authors) = (HashSet::new(), Vec::new());
        for node in tree.root().children_named(Ns::W, "comment") {
            let (Some(id), by) = (word::attr(node, "id"), word::attr(node, "author").unwrap_or_default()) else {
                continue;
            };
            if by.trim().to_lowercase() == author.trim().to_lowercase() {
                ids.insert(id.into_owned());
            } else if !authors.contains(&by) {
                authors.push(by);
            }
        }
        if ids.is_empty() {
            let issue = DocumentIssue::NoSuchAuthor { author: author.to_owned(), what: "comments" };
            return Err(input.error("author", issue).suggest(authors.into_iter().take(10)).into());
        }
        Ok(ids)
    }

    /// The comments with the ids of their last paragraphs, those without one left out.
    fn threads(&mut self) -> Result<Vec<Thread>, Error> {
        let Some(part) = self.comments_part()? else { return Ok(Vec::new()) };
        let limits = self.limits();
        let mut parents: HashMap<String, String> = HashMap::new();
        if let Some(name) = self.related_part("commentsExtended") {
            let part = self.part(&name)?;
            let tree = part.tree(&limits)?;
            for node in tree.root().elements() {
                if let (Some(id), Some(parent)) = (extension_attr(node, "paraId"), extension_attr(node, "paraIdParent"))
                {
                    parents.insert(id, parent);
                }
            }
        }
        let tree = part.tree(&limits)?;
        let threads = tree.root().children_named(Ns::W, "comment").filter_map(|node| {
            let para_id = last_paragraph(node)?.attr_ns(Ns::W14, "paraId")?.into_owned();
            let parent = parents.get(&para_id).cloned();
            Some(Thread { id: word::attr(node, "id")?.into_owned(), para_id, parent })
        });
        Ok(threads.collect())
    }

    /// The id of the last paragraph of a comment; a comment without one gets it.
    fn ensure_para_id(&mut self, id: &str) -> Result<String, Error> {
        if let Some(known) = self.threads()?.into_iter().find(|thread| thread.id == id) {
            self.add_extended(&known.para_id, None)?;
            return Ok(known.para_id);
        }
        let Some(part) = self.comments_part()? else { return Ok(String::new()) };
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let root = tree.root();
        let all = root.descendants().filter_map(|node| node.attr_ns(Ns::W14, "paraId"));
        let para_id = free_para_id(&all.map(|id| id.to_ascii_uppercase()).collect());
        let mut splice = Splice::new(part.text());
        let w14 = extension_prefix(&mut splice, root, "w14", W14);
        let comment = root.children_named(Ns::W, "comment").find(|node| word::attr(*node, "id").as_deref() == Some(id));
        match comment.and_then(last_paragraph) {
            Some(paragraph) => splice.set_attr(paragraph, &format!("{w14}paraId"), &para_id),
            None => {
                if let Some(comment) = comment {
                    let w = comment.prefix();
                    splice.append(comment, format!("<{w}p {w14}paraId=\"{para_id}\"/>"));
                }
            }
        }
        self.splice_part(&part, splice)?;
        self.add_extended(&para_id, None)?;
        Ok(para_id)
    }

    /// Marks a comment as resolved or open; returns whether that changed anything.
    fn set_done(&mut self, para_id: &str, done: bool) -> Result<bool, Error> {
        let Some(name) = self.related_part("commentsExtended") else { return Ok(false) };
        let part = self.part(&name)?;
        let tree = part.tree(&self.limits())?;
        let wanted = if done { "1" } else { "0" };
        let mut entries = tree.root().elements();
        let Some(entry) = entries.find(|node| extension_attr(*node, "paraId").as_deref() == Some(para_id)) else {
            return Ok(false);
        };
        let old = matches!(extension_attr(entry, "done").as_deref(), Some("1" | "true" | "on"));
        if old == done {
            return Ok(false);
        }
        let mut splice = Splice::new(part.text());
        let prefix = entry.attr_prefix_for(Ns::W15).unwrap_or_else(|| "w15:".to_owned());
        splice.set_attr(entry, &format!("{prefix}done"), wanted);
        self.splice_part(&part, splice)?;
        Ok(true)
    }
}

/// A comment and the one it replies to.
#[derive(Debug)]
struct Thread {
    id: String,
    para_id: String,
    /// The paragraph id of the comment it replies to.
    parent: Option<String>,
}

fn paragraph_index(body: &Body<'_>, anchor: &Anchor<'_>) -> Option<usize> {
    let paragraphs = body.blocks.iter().filter_map(|block| block.paragraph());
    paragraphs.into_iter().find(|paragraph| paragraph.node == anchor.paragraph).map(|paragraph| paragraph.index)
}

/// The marks of a comment in a part.
fn markers<'t>(tree: &'t Tree<'t>, id: &'t str) -> impl Iterator<Item = Node<'t>> {
    let all = tree.root().descendants();
    all.filter(move |node| is_marker(*node) && word::attr(*node, "id").as_deref() == Some(id))
}

fn is_marker(node: Node<'_>) -> bool {
    node.is_element()
        && node.ns() == Ns::W
        && matches!(node.local(), "commentRangeStart" | "commentRangeEnd" | "commentReference")
}

fn has_id(node: Node<'_>, ids: &HashSet<String>) -> bool {
    word::attr(node, "id").is_some_and(|id| ids.contains(id.as_ref()))
}

/// The run of a reference if it contains nothing else; otherwise the mark itself.
fn around_reference(node: Node<'_>) -> Node<'_> {
    let run = node.parent().filter(|run| node.local() == "commentReference" && run.is(Ns::W, "r"));
    run.filter(|run| run.elements().all(|child| child == node || child.is(Ns::W, "rPr"))).unwrap_or(node)
}

fn last_paragraph(comment: Node<'_>) -> Option<Node<'_>> {
    comment.descendants().filter(|node| node.is(Ns::W, "p")).last()
}

/// An attribute by its local name, whatever its prefix: the parts of comments have only attributes of their own namespaces.
pub(in crate::docx) fn extension_attr(node: Node<'_>, local: &str) -> Option<String> {
    let found = node.attributes().find(|attribute| attribute.name.rsplit(':').next() == Some(local));
    found.map(|attribute| crate::xml::unescape(attribute.raw).into_owned())
}

/// An unused id of a paragraph: eight hexadecimal digits below 0x80000000.
fn free_para_id(used: &HashSet<String>) -> String {
    let ids = (0x5C00_0001_u32..0x7FFF_FFFF).map(|number| format!("{number:08X}"));
    ids.into_iter().find(|id| !used.contains(id)).unwrap_or_default()
}

fn initials_of(author: &str) -> String {
    let words = author.split_whitespace().filter_map(|word| word.chars().next());
    words.take(3).flat_map(char::to_uppercase).collect()
}
