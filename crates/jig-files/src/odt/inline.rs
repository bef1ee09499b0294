//! The text of a paragraph, with its notes, images and boxes.

use jig_ooxml::xml::{Node, NodeKind, Ns};

use super::body::Walk;
use super::namespaces::{DRAW, OFFICE, SVG, TABLE, TEXT};
use super::{Block, Note, What};

/// The most spaces that one element may represent.
const BLANKS: usize = 1_000;

/// A paragraph in the making. Blanks of the XML count once, and not at the start.
#[derive(Debug, Default)]
struct Line {
    text: String,
    /// Whether the last character was a blank of the XML.
    blank: bool,
}

impl Line {
    fn characters(&mut self, text: &str) {
        for c in text.chars() {
            if !matches!(c, ' ' | '\t' | '\n' | '\r') {
                self.text.push(c);
                self.blank = false;
            } else if !self.blank && !self.text.is_empty() {
                self.text.push(' ');
                self.blank = true;
            }
        }
    }

    /// Text that is not the paragraph's own.
    fn exactly(&mut self, text: &str) {
        self.text.push_str(text);
        self.blank = false;
    }
}

impl Walk<'_> {
    /// A paragraph or the like, as a block.
    pub(super) fn paragraph(&mut self, node: Node<'_>) -> Block {
        let outer = (std::mem::take(&mut self.images), std::mem::take(&mut self.cited));
        let mut line = Line::default();
        self.inline(node, &mut line);
        let images = std::mem::replace(&mut self.images, outer.0);
        let notes = std::mem::replace(&mut self.cited, outer.1);
        Block { text: line.text.trim_end().to_owned(), what: What::Paragraph, images, notes }
    }

    fn inline(&mut self, node: Node<'_>, line: &mut Line) {
        for child in node.children() {
            match child.kind() {
                NodeKind::Text | NodeKind::Cdata => line.characters(&child.text()),
                NodeKind::Element => self.element(child, line),
                NodeKind::Aside => {}
            }
        }
    }

    fn element(&mut self, node: Node<'_>, line: &mut Line) {
        match (node.ns(), node.local()) {
            (TEXT, "s") => {
                let count = node.attr_ns(TEXT, "c").and_then(|text| text.trim().parse::<usize>().ok());
                line.exactly(&" ".repeat(count.unwrap_or(1).min(BLANKS)));
            }
            (TEXT, "tab") => line.exactly("\t"),
            (TEXT, "line-break") => line.exactly("\n"),
            (TEXT, "note") => self.note(node, line),
            (TEXT, "ruby-text") => {
                line.exactly("(");
                self.inline(node, line);
                line.exactly(")");
            }
            (OFFICE, "annotation") => self.counts.comments += 1,
            // Ends of comments, what a shape says about itself, what it does, and what it is made of.
            (OFFICE, "annotation-end" | "event-listeners" | "binary-data") | (SVG, _) => {}
            (TEXT, "tracked-changes") => {}
            (TEXT, "p" | "h" | "list") | (TABLE, "table") => self.inner(node, line),
            (DRAW, _) => self.drawing(node, line),
            _ => self.inline(node, line),
        }
    }

    /// A block that stands inside a line, as in a box.
    fn inner(&mut self, node: Node<'_>, line: &mut Line) {
        let outer = std::mem::take(&mut self.out);
        self.block(node);
        let inner = std::mem::replace(&mut self.out, outer);
        for block in inner {
            self.images.extend(block.images);
            self.cited.extend(block.notes);
            if !block.text.is_empty() {
                let gap = if line.text.is_empty() || line.text.ends_with('\n') { "" } else { "\n" };
                line.exactly(&format!("{gap}{}", block.text));
            }
        }
    }

    fn note(&mut self, node: Node<'_>, line: &mut Line) {
        let endnote = node.attr_ns(TEXT, "note-class").as_deref() == Some("endnote");
        let place = self.notes.len();
        let number = self.notes.iter().filter(|note| note.endnote == endnote).count() + 1;
        let label = if endnote { format!("e{number}") } else { number.to_string() };
        line.exactly(&format!("[^{label}]"));
        self.notes.push(Note { label, text: String::new(), endnote });
        self.cited.push(place);
        let mut text = Line::default();
        if let Some(body) = node.child(TEXT, "note-body") {
            self.inline(body, &mut text);
        }
        if let Some(note) = self.notes.get_mut(place) {
            note.text = text.text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }

    /// Frames, shapes and groups of them.
    pub(super) fn drawing_block(&mut self, node: Node<'_>) {
        let outer = (std::mem::take(&mut self.images), std::mem::take(&mut self.cited));
        let mut line = Line::default();
        self.drawing(node, &mut line);
        let images = std::mem::replace(&mut self.images, outer.0);
        let notes = std::mem::replace(&mut self.cited, outer.1);
        self.out.push(Block { text: line.text.trim_end().to_owned(), what: What::Paragraph, images, notes });
    }

    fn drawing(&mut self, node: Node<'_>, line: &mut Line) {
        match node.local() {
            "a" | "g" => node.elements().for_each(|child| self.element(child, line)),
            "frame" => self.frame(node, line),
            // What only describes or glues a shape.
            "glue-point" | "control" | "enhanced-geometry" | "image-map" | "contour-polygon" | "contour-path" => {}
            _ => self.boxed(node, line),
        }
    }

    /// A frame offers the same thing in one or several ways; the first that is known counts.
    fn frame(&mut self, frame: Node<'_>, line: &mut Line) {
        let known = frame.elements().find(|node| node.ns() == DRAW || node.is(TABLE, "table"));
        let Some(known) = known else { return };
        match known.local() {
            "text-box" => self.boxed(known, line),
            "table" => self.inner(known, line),
            "image" => {
                let words = description(frame);
                line.exactly(&if words.is_empty() { "[image]".to_owned() } else { format!("[image: {words}]") });
                self.images.push(words);
            }
            "object" | "object-ole" | "plugin" | "applet" | "floating-frame" => self.object(frame, known, line),
            _ => self.boxed(known, line),
        }
    }

    fn object(&mut self, frame: Node<'_>, object: Node<'_>, line: &mut Line) {
        self.counts.objects += 1;
        let path = object.attr_ns(Ns::Xlink, "href").unwrap_or_default();
        let sort = self.objects.get(path.trim_start_matches("./")).map_or("", String::as_str);
        let word = match sort.rsplit('.').next() {
            Some("chart") => "chart",
            Some("formula") => "equation",
            Some("spreadsheet") => "spreadsheet",
            _ => "object",
        };
        let words = description(frame);
        line.exactly(&if words.is_empty() { format!("[{word}]") } else { format!("[{word}: {words}]") });
    }

    /// A box or shape with text in it.
    fn boxed(&mut self, node: Node<'_>, line: &mut Line) {
        let mut inside = Line::default();
        self.inline(node, &mut inside);
        let text = inside.text.trim();
        if text.is_empty() {
            return;
        }
        self.counts.text_boxes += 1;
        let gap = if line.text.is_empty() || line.text.ends_with(char::is_whitespace) { "" } else { " " };
        line.exactly(&format!("{gap}[text box] {text}"));
        line.exactly("\n");
    }
}

/// What a frame says about itself: its title, description or name.
fn description(frame: Node<'_>) -> String {
    let child = |local| frame.child(SVG, local).map(|node| node.text().trim().to_owned());
    let name = frame.attr_ns(DRAW, "name").map(|name| name.into_owned());
    let words = [child("title"), child("desc"), name].into_iter().flatten().find(|words| !words.is_empty());
    words.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}
