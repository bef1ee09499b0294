//! Writing paragraphs and runs in the order the schema wants.

use crate::docx::edit::markup::Markup;
use crate::docx::edit::track::Revisions;

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

    /// Whether it says anything but its text.
    pub(in crate::docx::edit) fn is_formatted(&self) -> bool {
        self.style.is_some() || self.format != Format::default()
    }
}

impl Format {
    fn write(&self, markup: &mut Markup<'_>) {
        let strict = markup.dialect.strict;
        let number = |value: Option<i32>| value.map(|value| value.to_string());
        let (before, after, line) = (number(self.before), number(self.after), number(self.line));
        let mut spacing: Vec<(&str, &str)> = Vec::new();
        spacing.extend(before.as_deref().map(|value| ("before", value)));
        spacing.extend(after.as_deref().map(|value| ("after", value)));
        if let Some(line) = line.as_deref() {
            spacing.extend([("line", line), ("lineRule", "auto")]);
        }
        if !spacing.is_empty() {
            markup.tag("spacing", &spacing);
        }
        let (left, right) = (number(self.left), number(self.right));
        let first = self.first_line.map(|value| (value < 0, value.unsigned_abs().to_string()));
        let mut indent: Vec<(&str, &str)> = Vec::new();
        indent.extend(left.as_deref().map(|value| (if strict { "start" } else { "left" }, value)));
        indent.extend(right.as_deref().map(|value| (if strict { "end" } else { "right" }, value)));
        indent.extend(
            first.as_ref().map(|(hangs, value)| (if *hangs { "hanging" } else { "firstLine" }, value.as_str())),
        );
        if !indent.is_empty() {
            markup.tag("ind", &indent);
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
        if let Some(highlight) = self.highlight {
            markup.val("highlight", highlight);
        }
        if let Some(underline) = self.underline {
            markup.val("u", if underline { "single" } else { "none" });
        }
        markup.close("rPr");
    }
}
