//! `add_slide`, and which layout a new slide gets.

use jig_file_api::Strictness;
use jig_file_api::ops::pptx::AddSlide;
use serde_json::Value;

use super::slides::insert_slide;
use super::text::{Base, NewParagraph, SlideText, paragraph_markup, plain_runs};
use super::{DeckEdit, placeholder_names};
use crate::content_types::ContentTypes;
use crate::edit::{EditError, OpInput, OpReport, nearest};
use crate::error::{DeckIssue, Error};
use crate::pptx::markup::{Dialect, Prefixes};
use crate::pptx::presentation::Layout;
use crate::pptx::shape::{Shape, placeholder_node, shapes};
use crate::pptx::template::{self, free_part};
use crate::relationships::Relationships;
use crate::xml::{Node, escape_attribute};

const SLIDE_TYPE: &str = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml";

pub(super) fn add_slide(edit: &mut DeckEdit<'_>, input: &OpInput, fields: AddSlide) -> Result<OpReport, Error> {
    let (title_runs, body_runs) = (plain_runs(fields.title_runs), plain_runs(fields.body_runs));
    let given = SlideText {
        title: (fields.title.as_deref(), title_runs.as_deref()),
        body: (fields.body.as_deref(), body_runs.as_deref()),
        style: &fields.style,
    };
    let (title, body) = given.read(edit, input)?;
    let count = edit.presentation.slides.len();
    let at = fields.index.unwrap_or(count);
    if at > count {
        return Err(input
            .error("index", DeckIssue::NewSlideIndex { index: at, count })
            .suggest([count.to_string()])
            .into());
    }
    let needs = Needs { title: title.is_some(), body: body.is_some() };
    let chosen = match fields.like_index {
        Some(_) if fields.layout.is_some() || fields.master.is_some() => {
            return Err(input.error("like", DeckIssue::Either { one: "like", other: "layout" }).into());
        }
        Some(like) => {
            let (like, slide) = edit.slide(input, "like", like)?;
            let found = layout_of(edit, &slide.part).map(|layout| ChosenLayout { layout, stand_in: false });
            found.ok_or_else(|| input.error("like", DeckIssue::SlideWithoutLayout { index: like }))?
        }
        None => {
            // Decks of several designs keep the one of the slide that the new one follows.
            let neighbour = edit.presentation.slides.get(at.saturating_sub(1)).map(|slide| slide.part.clone());
            let near = neighbour.and_then(|part| layout_of(edit, &part)).map(|layout| layout.master);
            let request = LayoutRequest { layout: fields.layout.as_ref(), master: fields.master.as_ref(), near };
            choose_layout(edit, input, &request, needs)?
        }
    };
    let markup = slide_markup(edit, input, &chosen, title.as_deref(), body.as_deref())?;
    let part = free_part(&edit.package, &format!("{}slides/slide{{}}.xml", edit.presentation.folder()));
    edit.package.set(&part, markup.as_bytes());
    ContentTypes::add(&mut edit.package, &part, SLIDE_TYPE)?;
    Relationships::add(&mut edit.package, &part, "slideLayout", &chosen.layout.part)?;
    insert_slide(edit, at, &part)?;
    let summary = format!("Added slide {} with the layout {}.", at + 1, chosen.layout.name);
    Ok(OpReport::new(input, summary).with("slide_index", at).with("layout", chosen.layout.name))
}

/// The layout of a slide.
pub(super) fn layout_of(edit: &mut DeckEdit<'_>, part: &str) -> Option<Layout> {
    let relationships = Relationships::read(&edit.package, part).ok()?;
    let wanted = relationships.first("slideLayout")?;
    let layouts = edit.presentation.layouts(&edit.package);
    layouts.into_iter().find(|layout| layout.part.eq_ignore_ascii_case(wanted))
}

/// What a new slide contains.
struct SlideBuilder<'a> {
    prefixes: Prefixes,
    title: Option<&'a [NewParagraph]>,
    body: Option<&'a [NewParagraph]>,
    next_id: usize,
    shapes: String,
}

fn slide_markup(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    chosen: &ChosenLayout,
    title: Option<&[NewParagraph]>,
    body: Option<&[NewParagraph]>,
) -> Result<String, Error> {
    let dialect = Dialect::of_deck(edit.presentation.strict);
    let size = edit.presentation.size;
    let content = edit.package.xml(&chosen.layout.part)?;
    let tree = content.tree(edit.package.limits())?;
    let shapes = shapes(tree.root(), &[])?;
    let mut builder = SlideBuilder { prefixes: Prefixes::own(), title, body, next_id: 2, shapes: String::new() };
    for shape in shapes.iter().filter(|shape| shape.node.local() == "sp") {
        builder.placeholder(shape, main_body(&shapes));
    }
    for (field, left) in [("title", builder.title.take()), ("body", builder.body.take())] {
        let Some(left) = left else { continue };
        if !chosen.stand_in {
            let (placeholders, names) = placeholder_names(&shapes);
            let layout = chosen.layout.name.clone();
            let issue = DeckIssue::LayoutWithoutPlace { layout, field, placeholders };
            return Err(input.error(field, issue).suggest(names).into());
        }
        builder.text_box(field, left, size);
        let what = format!("the layout `{}` has no placeholder for it; a text box was made", chosen.layout.name);
        edit.warnings.push(format!("{}: {what}", input.at(field)));
    }
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<p:sld {}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/><a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"0\" cy=\"0\"/></a:xfrm></p:grpSpPr>{}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>",
        dialect.declarations(),
        builder.shapes
    ))
}

/// The number of the placeholder for the slide's text: the first content, otherwise the first text.
fn main_body<'s, 't>(shapes: &'s [Shape<'t>]) -> Option<&'s Shape<'t>> {
    let mut bodies = shapes.iter().filter(|shape| is_body(shape));
    let first = shapes.iter().find(|shape| is_body(shape) && shape.placeholder().is_some_and(|found| found.index == 1));
    first.or_else(|| bodies.next())
}

impl SlideBuilder<'_> {
    /// A placeholder like that of the layout, with the text if it is the one for it.
    fn placeholder(&mut self, shape: &Shape<'_>, body: Option<&Shape<'_>>) {
        let (Some(found), Some(node)) = (shape.placeholder(), placeholder_node(shape.node)) else { return };
        // Slides show date, footer and number only if a user requested them, so new slides omit them.
        if found.is_furniture() {
            return;
        }
        let text = if found.is_title() {
            self.title.take()
        } else if body.is_some_and(|body| body.address == shape.address) {
            self.body.take()
        } else {
            None
        };
        let attributes = placeholder_attributes(node);
        let name = numbered_name(&shape.name(), "Placeholder", self.next_id);
        let text = self.paragraphs(text);
        self.shapes.push_str(&placeholder_markup(&self.prefixes, self.next_id, &name, &attributes, &text));
        self.next_id += 1;
    }

    fn paragraphs(&self, text: Option<&[NewParagraph]>) -> String {
        match text {
            Some(text) => text.iter().map(|new| paragraph_markup(&self.prefixes, Base::default(), new)).collect(),
            None => "<a:p/>".to_owned(),
        }
    }

    /// A text box in place of a placeholder that the layout lacks.
    fn text_box(&mut self, field: &str, text: &[NewParagraph], (width, height): (i64, i64)) {
        let (top, tall) =
            if field == "title" { (height / 20, height / 5) } else { (height * 27 / 100, height * 63 / 100) };
        let (left, wide) = (width * 7 / 100, width * 86 / 100);
        let (id, name) = (self.next_id, numbered_name("TextBox", "TextBox", self.next_id));
        let text = self.paragraphs(Some(text));
        self.next_id += 1;
        self.shapes.push_str(&format!(
            r#"<p:sp><p:nvSpPr><p:cNvPr id="{id}" name="{name}"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="{left}" y="{top}"/><a:ext cx="{wide}" cy="{tall}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/></p:spPr><p:txBody><a:bodyPr wrap="square"><a:normAutofit/></a:bodyPr><a:lstStyle/>{text}</p:txBody></p:sp>"#
        ));
    }
}

/// The attributes by which a placeholder of a slide finds that of its layout.
pub(super) fn placeholder_attributes(node: Node<'_>) -> String {
    let kept = node.attributes().filter(|found| PLACEHOLDER_ATTRIBUTES.contains(&found.name));
    kept.map(|found| format!(" {}=\"{}\"", found.name, found.raw.replace('"', "&quot;"))).collect()
}

/// The attributes of `p:ph` that a slide repeats.
pub(super) const PLACEHOLDER_ATTRIBUTES: [&str; 4] = ["type", "orient", "sz", "idx"];

/// A name with the number that follows the shape's own, as PowerPoint numbers them; escaped.
pub(super) fn numbered_name(given: &str, without: &str, id: usize) -> String {
    let base = given.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let base = if base.is_empty() { without } else { base };
    escape_attribute(&format!("{base} {}", id.saturating_sub(1))).into_owned()
}

/// A placeholder on a slide, which takes its place from the layout.
pub(super) fn placeholder_markup(prefixes: &Prefixes, id: usize, name: &str, attributes: &str, text: &str) -> String {
    let (p, a, declared) = (&prefixes.p, &prefixes.a, &prefixes.declared);
    format!(
        r#"<{p}sp{declared}><{p}nvSpPr><{p}cNvPr id="{id}" name="{name}"/><{p}cNvSpPr><{a}spLocks noGrp="1"/></{p}cNvSpPr><{p}nvPr><{p}ph{attributes}/></{p}nvPr></{p}nvSpPr><{p}spPr/><{p}txBody><{a}bodyPr/><{a}lstStyle/>{text}</{p}txBody></{p}sp>"#
    )
}

/// The keys for kinds of layouts, with the types they match, the best first.
const KEYS: [(&str, &[&str]); 12] = [
    ("title_slide", &["title"]),
    ("title_and_content", &["obj", "tx"]),
    ("section_header", &["secHead"]),
    ("two_content", &["twoObj", "twoColTx"]),
    ("comparison", &["twoTxTwoObj"]),
    ("title_only", &["titleOnly"]),
    (BLANK, &["blank"]),
    ("content_with_caption", &["objTx"]),
    ("picture_with_caption", &["picTx"]),
    ("title_and_vertical_text", &["vertTx"]),
    ("vertical_title_and_text", &["vertTitleAndTx"]),
    ("title", &["title"]),
];
const DEFAULT: &str = "title_and_content";
const BLANK: &str = "blank";

/// The texts that a new slide must have a placeholder for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Needs {
    title: bool,
    body: bool,
}

/// The layout that an op names.
pub(super) struct LayoutRequest<'a> {
    /// Its name, key or index in the map.
    pub(super) layout: Option<&'a Value>,
    /// Its master, by number or name of the theme.
    pub(super) master: Option<&'a Value>,
    /// The master whose layouts come first when several have the name.
    pub(super) near: Option<usize>,
}

/// A layout, and whether it was requested by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChosenLayout {
    pub(super) layout: Layout,
    /// Whether text without a placeholder can get a text box: only if the caller did not name this layout.
    stand_in: bool,
}

struct Candidate {
    /// Its index in the map.
    index: usize,
    layout: Layout,
    title: bool,
    body: bool,
}

impl Candidate {
    fn fits(&self, needs: Needs) -> bool {
        (self.title || !needs.title) && (self.body || !needs.body)
    }
}

/// Finds the layout by its name, or by a key for a kind; without either, the usual one.
pub(super) fn choose_layout(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    request: &LayoutRequest<'_>,
    needs: Needs,
) -> Result<ChosenLayout, Error> {
    let mut candidates = candidates_of(edit);
    if candidates.is_empty() {
        template::add_master(&mut edit.package)?;
        edit.refresh()?;
        edit.warn(&input.at("layout"), "the deck has no layouts, so a master with the usual ones was added");
        candidates = candidates_of(edit);
    }
    match request.master {
        Some(wanted) => {
            let master = find_master(edit, input, wanted)?;
            candidates.retain(|found| found.layout.master == master);
        }
        None => candidates.sort_by_key(|found| Some(found.layout.master) != request.near),
    }
    let text = match request.layout {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(other) => Some(other.to_string()),
    };
    let given = text.as_deref();
    if let Some(given) = given.filter(|given| !given.trim().is_empty()) {
        let wanted = given.trim().to_lowercase();
        let named = candidates.iter().find(|found| found.layout.name.trim().to_lowercase() == wanted);
        let numbered =
            || wanted.parse().ok().and_then(|index: usize| candidates.iter().find(|found| found.index == index));
        if let Some(found) = named.or_else(numbered) {
            return Ok(ChosenLayout { layout: found.layout.clone(), stand_in: false });
        }
    }
    let key = given.map_or_else(|| DEFAULT.to_owned(), |given| given.trim().to_lowercase().replace([' ', '-'], "_"));
    let key = if key.is_empty() { DEFAULT } else { &key };
    let known = |key: &str| KEYS.iter().find(|(known, _)| *known == key);
    let known = match known(key) {
        // The original client's worker takes the usual layout for every name that it does not know.
        None if edit.options.strictness == Strictness::Warn => {
            let error = unknown_layout(input, given.unwrap_or_default(), &candidates);
            edit.warn(&error.at, &format!("{}; `{DEFAULT}` was used", error.why));
            known(DEFAULT)
        }
        known => known,
    };
    let Some((key, kinds)) = known else {
        return Err(unknown_layout(input, given.unwrap_or_default(), &candidates).into());
    };
    by_kind(edit, input, key, kinds, needs, &candidates)
}

fn by_kind(
    edit: &mut DeckEdit<'_>,
    input: &OpInput,
    key: &str,
    kinds: &[&str],
    needs: Needs,
    candidates: &[Candidate],
) -> Result<ChosenLayout, Error> {
    let of_kind = kinds.iter().flat_map(|kind| candidates.iter().filter(move |found| found.layout.kind == *kind));
    // LibreOffice also names layouts blank that have placeholders for text.
    let of_kind: Vec<&Candidate> = of_kind.filter(|found| key != BLANK || !(found.title || found.body)).collect();
    // Only the default layout can be substituted: a request for a blank slide is deliberate.
    let flexible = key == DEFAULT;
    let exact = of_kind.iter().find(|found| found.fits(needs)).or_else(|| of_kind.first().filter(|_| !flexible));
    if let Some(found) = exact {
        return Ok(ChosenLayout { layout: found.layout.clone(), stand_in: false });
    }
    if !flexible && !key_has_stand_in(key) {
        return Err(unknown_layout(input, key, candidates).into());
    }
    let needs = Needs { title: true, body: needs.body || flexible };
    let best = candidates.iter().find(|found| found.fits(needs));
    let best = best.or_else(|| candidates.iter().find(|found| found.body || !needs.body));
    let Some(found) = best.or_else(|| candidates.iter().find(|found| found.title)).or_else(|| candidates.first())
    else {
        return Err(unknown_layout(input, key, candidates).into());
    };
    let what = format!("the deck has no layout of the kind {key}; `{}` was used", found.layout.name);
    edit.warn(&input.at("layout"), &what);
    Ok(ChosenLayout { layout: found.layout.clone(), stand_in: true })
}

/// The protocol's keys work for every deck.
fn key_has_stand_in(key: &str) -> bool {
    matches!(key, "section_header" | "title_only" | "title_slide" | "title")
}

/// The number of a master, by itself or by the name of the master's theme.
fn find_master(edit: &DeckEdit<'_>, input: &OpInput, wanted: &Value) -> Result<usize, EditError> {
    let names: Vec<String> =
        edit.presentation.masters.iter().map(|part| theme_name(edit, part).unwrap_or_default()).collect();
    let text = match wanted {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    let plain = text.to_lowercase();
    let named = names.iter().position(|name| !name.is_empty() && name.trim().to_lowercase() == plain);
    let numbered = || text.parse().ok().filter(|number| *number < names.len());
    named.or_else(numbered).ok_or_else(|| {
        let known = names.iter().enumerate().map(|(number, name)| format!("{number} `{name}`")).collect();
        let near = nearest(&text, names.iter().map(String::as_str));
        input.error("master", DeckIssue::NoMaster { wanted: text.clone(), known }).suggest(near)
    })
}

fn theme_name(edit: &DeckEdit<'_>, master: &str) -> Option<String> {
    let relationships = Relationships::read(&edit.package, master).ok()?;
    let content = edit.package.xml(relationships.first("theme")?).ok()?;
    let tree = content.tree(edit.package.limits()).ok()?;
    tree.root().attr("name").map(std::borrow::Cow::into_owned)
}

fn unknown_layout(input: &OpInput, given: &str, candidates: &[Candidate]) -> EditError {
    let mut names: Vec<&str> = Vec::new();
    for name in candidates.iter().map(|found| found.layout.name.as_str()) {
        // Masters of one deck mostly have layouts of the same names.
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let known = names.iter().map(|name| (*name).to_owned()).collect();
    let issue = DeckIssue::NoLayout { name: given.to_owned(), known };
    let near = nearest(given, names.iter().copied().chain(KEYS.iter().map(|(key, _)| *key)));
    let near = if near.is_empty() { names.iter().take(3).map(|name| (*name).to_owned()).collect() } else { near };
    input.error("layout", issue).suggest(near)
}

fn candidates_of(edit: &mut DeckEdit<'_>) -> Vec<Candidate> {
    let layouts = edit.presentation.layouts(&edit.package);
    layouts.into_iter().enumerate().filter_map(|(index, layout)| candidate(edit, index, layout)).collect()
}

fn candidate(edit: &DeckEdit<'_>, index: usize, layout: Layout) -> Option<Candidate> {
    let content = edit.package.xml(&layout.part).ok()?;
    let tree = content.tree(edit.package.limits()).ok()?;
    let shapes = shapes(tree.root(), &[]).ok()?;
    let title = shapes.iter().any(is_title);
    let body = shapes.iter().any(is_body);
    Some(Candidate { index, layout, title, body })
}

/// Whether a shape is a placeholder for the title.
pub(super) fn is_title(shape: &Shape<'_>) -> bool {
    shape.node.local() == "sp" && shape.placeholder().is_some_and(|found| found.is_title())
}

/// Whether a shape is a placeholder for text.
pub(super) fn is_body(shape: &Shape<'_>) -> bool {
    shape.node.local() == "sp" && shape.placeholder().is_some_and(|found| found.is_body())
}
