//! New text in a text body, with the format of the text it takes the place of.

use super::fields::{NewParagraph, NewRun, ParagraphFormat, RunFormat};
use super::markup::{Words, percent};
use crate::pptx::text::paragraphs;
use crate::xml::{Node, Ns, Splice, escape_attribute, escape_text};

/// The format that new text starts from: that of a paragraph of the same body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Base<'t> {
    paragraph: Option<Node<'t>>,
    run: Option<Node<'t>>,
}

impl<'t> Base<'t> {
    /// That of a paragraph and its first run.
    pub(super) fn of(paragraph: Node<'t>) -> Self {
        let run = paragraph.elements().find(|node| node.ns() == Ns::A && matches!(node.local(), "r" | "fld"));
        let run = run.and_then(|run| run.child(Ns::A, "rPr")).or_else(|| {
            // An empty paragraph keeps the format for what will be typed at its end.
            run.is_none().then(|| paragraph.child(Ns::A, "endParaRPr")).flatten()
        });
        Self { paragraph: paragraph.child(Ns::A, "pPr"), run }
    }
}

/// Puts paragraphs in the place of all text of a body.
pub(super) fn set_body(splice: &mut Splice<'_>, body: Node<'_>, new: &[NewParagraph]) {
    let words = Words::text_at(body);
    let base = paragraphs(body).next().map(Base::of).unwrap_or_default();
    let markup: String = new.iter().map(|paragraph| paragraph_markup(&words, base, paragraph)).collect();
    let (first, last) = (paragraphs(body).next(), paragraphs(body).last());
    match (first, last) {
        (Some(first), Some(last)) => splice.replace(first.range().start..last.range().end, markup),
        _ => splice.append(body, markup),
    }
}

/// Puts paragraphs behind the text of a body. A lone empty paragraph is taken for a body without text.
pub(super) fn append_to_body(splice: &mut Splice<'_>, body: Node<'_>, new: &[NewParagraph]) {
    let Some(last) = paragraphs(body).last().filter(|_| !crate::pptx::text::body_text(body).trim().is_empty()) else {
        return set_body(splice, body, new);
    };
    let words = Words::text_at(body);
    let base = Base::of(last);
    let markup: String = new.iter().map(|paragraph| paragraph_markup(&words, base, paragraph)).collect();
    splice.after(last, markup);
}

/// A paragraph.
pub(super) fn paragraph_markup(words: &Words, base: Base<'_>, new: &NewParagraph) -> String {
    let a = &words.a;
    let mut markup = format!("<{a}p{}>", words.declared);
    markup.push_str(&paragraph_properties(words, base.paragraph, &new.format));
    for run in &new.runs {
        push_run(&mut markup, words, base.run, run);
    }
    if new.runs.is_empty() {
        markup.push_str(&run_properties(words, "endParaRPr", base.run, &RunFormat::default()));
    }
    markup.push_str(&format!("</{a}p>"));
    markup
}

fn push_run(markup: &mut String, words: &Words, base: Option<Node<'_>>, run: &NewRun) {
    let a = &words.a;
    let properties = run_properties(words, "rPr", base, &run.format);
    for (number, line) in run.text.split('\u{b}').enumerate() {
        if number > 0 {
            markup.push_str(&format!("<{a}br>{properties}</{a}br>"));
        }
        if !line.is_empty() {
            markup.push_str(&format!("<{a}r>{properties}<{a}t>{}</{a}t></{a}r>", escape_text(line)));
        }
    }
}

/// The properties of a paragraph: those of a base with what the format changes.
fn paragraph_properties(words: &Words, base: Option<Node<'_>>, format: &ParagraphFormat) -> String {
    if *format == ParagraphFormat::default() {
        return base.map(|base| base.source().to_owned()).unwrap_or_default();
    }
    let a = &words.a;
    let mut attributes = Attributes::of(base, &[]);
    if let Some(level) = format.level {
        attributes.set("lvl", (level > 0).then(|| level.to_string()));
        // Margins belong to the level.
        if base.and_then(|base| base.attr("lvl")).and_then(|old| old.parse().ok()).unwrap_or(0) != level {
            attributes.set("marL", None);
            attributes.set("indent", None);
        }
    }
    if let Some(alignment) = format.alignment {
        attributes.set("algn", Some(alignment.to_owned()));
    }
    let points = |name: &str, value: u32| format!(r#"<{a}{name}><{a}spcPts val="{value}"/></{a}{name}>"#);
    let lines = format.line_spacing.map(|lines| {
        let percent = percent((lines * 10_000.0).round() / 100.0);
        format!(r#"<{a}lnSpc><{a}spcPct val="{percent}"/></{a}lnSpc>"#)
    });
    let new = [
        ("lnSpc", lines),
        ("spcBef", format.space_before.map(|value| points("spcBef", value))),
        ("spcAft", format.space_after.map(|value| points("spcAft", value))),
    ];
    let order = |name: &str| ["lnSpc", "spcBef", "spcAft"].iter().position(|known| *known == name).unwrap_or(9);
    attributes.element(words, "pPr", &children(base, &new, &order, &[]))
}

/// The properties of a run: those of a base with what the format changes. Links stay with the text they
/// were made for.
pub(super) fn run_properties(words: &Words, name: &str, base: Option<Node<'_>>, format: &RunFormat) -> String {
    let a = &words.a;
    let mut attributes = Attributes::of(base, &["err", "dirty", "smtClean"]);
    let flag = |value: bool| Some(if value { "1" } else { "0" }.to_owned());
    if let Some(size) = format.size {
        attributes.set("sz", Some(size.to_string()));
    }
    if let Some(bold) = format.bold {
        attributes.set("b", flag(bold));
    }
    if let Some(italic) = format.italic {
        attributes.set("i", flag(italic));
    }
    if let Some(underline) = format.underline {
        attributes.set("u", Some(if underline { "sng" } else { "none" }.to_owned()));
    }
    let solid = |rgb: &String| format!(r#"<{a}solidFill><{a}srgbClr val="{rgb}"/></{a}solidFill>"#);
    let mark = |rgb: &String| format!(r#"<{a}highlight><{a}srgbClr val="{rgb}"/></{a}highlight>"#);
    let face = |name: &String, font: &str| format!(r#"<{a}{font} typeface="{}"/>"#, escape_attribute(name));
    let new = [
        ("solidFill", format.color.as_ref().map(solid)),
        ("highlight", format.highlight.as_ref().map(mark)),
        ("latin", format.font.as_ref().map(|font| face(font, "latin"))),
        ("cs", format.font.as_ref().map(|font| face(font, "cs"))),
    ];
    let children = children(base, &new, &run_order, &["hlinkClick", "hlinkMouseOver"]);
    if attributes.list.is_empty() && children.is_empty() {
        return String::new();
    }
    attributes.element(words, name, &children)
}

/// The place of a child of run properties in the schema. Kinds of one choice have one place.
fn run_order(name: &str) -> usize {
    const ORDER: [&[&str]; 12] = [
        &["ln"],
        &["noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"],
        &["effectLst", "effectDag"],
        &["highlight"],
        &["uLnTx", "uLn"],
        &["uFillTx", "uFill"],
        &["latin"],
        &["ea"],
        &["cs"],
        &["sym"],
        &["hlinkClick", "hlinkMouseOver"],
        &["rtl"],
    ];
    ORDER.iter().position(|names| names.contains(&name)).unwrap_or(ORDER.len())
}

/// The children of a base with new ones in their places, in the order of the schema.
fn children(
    base: Option<Node<'_>>,
    new: &[(&str, Option<String>)],
    order: &dyn Fn(&str) -> usize,
    left_out: &[&str],
) -> String {
    let new: Vec<(usize, &String)> =
        new.iter().filter_map(|(name, markup)| Some((order(name), markup.as_ref()?))).collect();
    let old = base.into_iter().flat_map(Node::elements).filter(|node| !left_out.contains(&node.local()));
    let old = old.map(|node| (order(node.local()), node.source()));
    let mut all: Vec<(usize, &str)> = old.filter(|(place, _)| !new.iter().any(|(taken, _)| taken == place)).collect();
    all.extend(new.iter().map(|(place, markup)| (*place, markup.as_str())));
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, markup)| markup).collect()
}

/// The attributes of an element, as they are written.
struct Attributes {
    list: Vec<(String, String)>,
}

impl Attributes {
    fn of(base: Option<Node<'_>>, left_out: &[&str]) -> Self {
        let all = base.into_iter().flat_map(Node::attributes);
        let kept = all.filter(|attribute| !left_out.contains(&attribute.name));
        Self { list: kept.map(|attribute| (attribute.name.to_owned(), attribute.raw.to_owned())).collect() }
    }

    fn set(&mut self, name: &str, value: Option<String>) {
        self.list.retain(|(known, _)| known != name);
        self.list.extend(value.map(|value| (name.to_owned(), value)));
    }

    fn element(&self, words: &Words, name: &str, children: &str) -> String {
        let a = &words.a;
        let attributes: String = self
            .list
            .iter()
            .map(|(name, value)| {
                // The value is raw and comes with either kind of quotes around it.
                format!(r#" {name}="{}""#, value.replace('"', "&quot;"))
            })
            .collect();
        if children.is_empty() {
            format!("<{a}{name}{attributes}/>")
        } else {
            format!("<{a}{name}{attributes}>{children}</{a}{name}>")
        }
    }
}
