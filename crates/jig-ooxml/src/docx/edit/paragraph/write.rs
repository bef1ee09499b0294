//! Writing paragraphs and runs in the order the schema wants.

use crate::docx::edit::markup::{Dialect, Markup};
use crate::docx::edit::track::Revisions;
use crate::xml::{Node, Ns};

use super::{Alignment, Format, NewParagraph, NewRun};

impl NewParagraph {
    /// A paragraph of plain text in a style.
    pub(in crate::docx::edit) fn plain(text: &str, style: Option<String>) -> Self {
        let runs = vec![NewRun { text: text.to_owned(), ..NewRun::default() }];
        Self { style, format: Format::default(), runs }
    }

    /// Writes it whole. With revisions it is marked as inserted, its mark too.
    pub(in crate::docx::edit) fn write(&self, markup: &mut Markup<'_>, mut track: Option<&mut Revisions>) {
        markup.open("p", &[]);
        let mark = track.as_deref_mut().map(|revisions| revisions.element("ins", markup.dialect));
        self.write_properties(markup, mark.as_deref(), "");
        self.write_runs(markup, track);
        markup.close("p");
    }

    /// Writes its properties: `mark` is put into those of the paragraph mark, `tail` at the end.
    pub(in crate::docx::edit) fn write_properties(&self, markup: &mut Markup<'_>, mark: Option<&str>, tail: &str) {
        if self.style.is_none() && self.format == Format::default() && mark.is_none() && tail.is_empty() {
            return;
        }
        markup.open("pPr", &[]);
        if let Some(style) = &self.style {
            markup.val("pStyle", style);
        }
        self.format.write(markup);
        if let Some(mark) = mark {
            markup.open("rPr", &[]);
            markup.raw(mark);
            markup.close("rPr");
        }
        markup.raw(tail);
        markup.close("pPr");
    }

    /// Writes its runs, as inserted ones with revisions.
    pub(in crate::docx::edit) fn write_runs(&self, markup: &mut Markup<'_>, mut track: Option<&mut Revisions>) {
        for run in self.runs.iter().filter(|run| !run.text.is_empty()) {
            match track.as_deref_mut() {
                Some(revisions) => {
                    let open = revisions.open("ins", markup.dialect);
                    markup.raw(&open);
                    run.write(markup, "");
                    markup.close("ins");
                }
                None => run.write(markup, ""),
            }
        }
    }

    /// Writes its runs with the properties of another run for what they do not say themselves.
    pub(in crate::docx::edit) fn write_runs_like(
        &self,
        markup: &mut Markup<'_>,
        properties: &str,
        mut track: Option<&mut Revisions>,
    ) {
        for run in self.runs.iter().filter(|run| !run.text.is_empty()) {
            if let Some(revisions) = track.as_deref_mut() {
                let open = revisions.open("ins", markup.dialect);
                markup.raw(&open);
                run.write(markup, properties);
                markup.close("ins");
            } else {
                run.write(markup, properties);
            }
        }
    }

    /// Makes its runs bold, unless they say otherwise.
    pub(in crate::docx::edit) fn bold(mut self) -> Self {
        for run in &mut self.runs {
            run.bold.get_or_insert(true);
        }
        self
    }

    /// Whether it has no text.
    pub(in crate::docx::edit) fn is_empty(&self) -> bool {
        self.runs.iter().all(|run| run.text.trim().is_empty())
    }

    /// The text of its runs.
    pub(in crate::docx::edit) fn text(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }

    /// The properties of a paragraph with those put over them that it gives itself: the rest stays, numbering too.
    pub(in crate::docx::edit) fn merged_properties(&self, old: Option<Node<'_>>, dialect: &Dialect) -> String {
        let child = |name| old.and_then(|old| old.child(Ns::W, name));
        let mut pieces: Vec<(String, String)> = Vec::new();
        let kept = old.into_iter().flat_map(Node::elements);
        let kept = kept.filter(|node| !matches!(node.local(), "rPr" | "sectPr" | "pPrChange"));
        pieces.extend(kept.map(|node| (node.local().to_owned(), node.source().to_owned())));
        let mut put = |name: &str, markup: String| {
            pieces.retain(|(known, _)| known != name);
            let rank = |name: &str| ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len());
            let at = pieces.iter().position(|(known, _)| rank(known) > rank(name)).unwrap_or(pieces.len());
            pieces.insert(at, (name.to_owned(), markup));
        };
        let written = |write: &dyn Fn(&mut Markup<'_>)| {
            let mut markup = Markup::new(dialect);
            write(&mut markup);
            markup.finish()
        };
        if let Some(style) = &self.style {
            put("pStyle", written(&|markup| markup.val("pStyle", style)));
        }
        let merged = |name: &'static str, new: Vec<(&'static str, String)>, replaced: &[&str]| {
            let mut all: Vec<(String, String)> = Vec::new();
            for attribute in child(name).into_iter().flat_map(|node| node.attributes().collect::<Vec<_>>()) {
                let local = attribute.name.rsplit(':').next().unwrap_or(attribute.name);
                if !attribute.name.starts_with("xmlns") && !replaced.contains(&local) {
                    all.push((local.to_owned(), attribute.raw.to_owned()));
                }
            }
            all.extend(new.into_iter().map(|(name, value)| (name.to_owned(), value)));
            written(&|markup| {
                let attributes: Vec<(&str, &str)> =
                    all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                markup.tag(name, &attributes);
            })
        };
        let (spacing, gone) = self.format.spacing();
        if !spacing.is_empty() {
            put("spacing", merged("spacing", spacing, &gone));
        }
        let (indent, gone) = self.format.indent(dialect.strict);
        if !indent.is_empty() {
            put("ind", merged("ind", indent, &gone));
        }
        if self.format.alignment.is_some() {
            let only = Format { alignment: self.format.alignment, ..Format::default() };
            put("jc", written(&|markup| only.write(markup)));
        }
        pieces.into_iter().map(|(_, markup)| markup).collect()
    }

    /// Whether it says anything but its text.
    pub(in crate::docx::edit) fn is_formatted(&self) -> bool {
        self.style.is_some() || self.format != Format::default()
    }
}

/// The properties of a paragraph in the order of the schema.
const ORDER: [&str; 34] = [
    "pStyle",
    "keepNext",
    "keepLines",
    "pageBreakBefore",
    "framePr",
    "widowControl",
    "numPr",
    "suppressLineNumbers",
    "pBdr",
    "shd",
    "tabs",
    "suppressAutoHyphens",
    "kinsoku",
    "wordWrap",
    "overflowPunct",
    "topLinePunct",
    "autoSpaceDE",
    "autoSpaceDN",
    "bidi",
    "adjustRightInd",
    "snapToGrid",
    "spacing",
    "ind",
    "contextualSpacing",
    "mirrorIndents",
    "suppressOverlap",
    "jc",
    "textDirection",
    "textAlignment",
    "textboxTightWrap",
    "outlineLvl",
    "divId",
    "cnfStyle",
    "rPr",
];

/// Attributes to write, and those that they take the place of.
type Attributes = (Vec<(&'static str, String)>, Vec<&'static str>);

impl Format {
    fn spacing(&self) -> Attributes {
        let (mut new, mut gone) = (Vec::new(), Vec::new());
        if let Some(before) = self.before {
            new.push(("before", before.to_string()));
            gone.extend(["before", "beforeLines", "beforeAutospacing"]);
        }
        if let Some(after) = self.after {
            new.push(("after", after.to_string()));
            gone.extend(["after", "afterLines", "afterAutospacing"]);
        }
        if let Some(line) = self.line {
            new.extend([("line", line.to_string()), ("lineRule", "auto".to_owned())]);
            gone.extend(["line", "lineRule"]);
        }
        (new, gone)
    }

    fn indent(&self, strict: bool) -> Attributes {
        let (mut new, mut gone) = (Vec::new(), Vec::new());
        if let Some(left) = self.left {
            new.push((if strict { "start" } else { "left" }, left.to_string()));
            gone.extend(["left", "start", "leftChars", "startChars"]);
        }
        if let Some(right) = self.right {
            new.push((if strict { "end" } else { "right" }, right.to_string()));
            gone.extend(["right", "end", "rightChars", "endChars"]);
        }
        if let Some(first) = self.first_line {
            new.push((if first < 0 { "hanging" } else { "firstLine" }, first.unsigned_abs().to_string()));
            gone.extend(["firstLine", "hanging", "firstLineChars", "hangingChars"]);
        }
        (new, gone)
    }

    fn write(&self, markup: &mut Markup<'_>) {
        let strict = markup.dialect.strict;
        for (name, (attributes, _)) in [("spacing", self.spacing()), ("ind", self.indent(strict))] {
            if !attributes.is_empty() {
                let attributes: Vec<(&str, &str)> =
                    attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
                markup.tag(name, &attributes);
            }
        }
        if let Some(alignment) = self.alignment {
            let value = match (alignment, strict) {
                (Alignment::Left, false) => "left",
                (Alignment::Left, true) => "start",
                (Alignment::Right, false) => "right",
                (Alignment::Right, true) => "end",
                (Alignment::Center, _) => "center",
                (Alignment::Justify, _) => "both",
            };
            markup.val("jc", value);
        }
    }
}

impl NewRun {
    fn is_plain(&self) -> bool {
        *self == Self { text: self.text.clone(), ..Self::default() }
    }

    /// Writes the run; `like` is the markup of properties that a run without any of its own takes over.
    fn write(&self, markup: &mut Markup<'_>, like: &str) {
        markup.open("r", &[]);
        if self.is_plain() {
            markup.raw(like);
        } else {
            self.write_properties(markup);
        }
        markup.run_text(&self.text, "t");
        markup.close("r");
    }

    fn write_properties(&self, markup: &mut Markup<'_>) {
        markup.open("rPr", &[]);
        if let Some(font) = &self.font {
            markup.tag("rFonts", &[("ascii", font), ("hAnsi", font), ("eastAsia", font), ("cs", font)]);
        }
        if let Some(bold) = self.bold {
            markup.switch("b", bold);
            markup.switch("bCs", bold);
        }
        if let Some(italic) = self.italic {
            markup.switch("i", italic);
            markup.switch("iCs", italic);
        }
        if let Some(color) = &self.color {
            markup.val("color", color.rgb());
        }
        if let Some(size) = self.half_points {
            markup.val("sz", &size.to_string());
            markup.val("szCs", &size.to_string());
        }
        // No highlighter is no element: not every reader knows the value `none`.
        if let Some(highlight) = self.highlight.filter(|value| *value != "none") {
            markup.val("highlight", highlight);
        }
        if let Some(underline) = self.underline {
            markup.val("u", if underline { "single" } else { "none" });
        }
        markup.close("rPr");
    }
}
