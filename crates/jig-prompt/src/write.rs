//! Writes tags. Every piece of a prompt except messages is written here, starts with `<` and ends with a line feed.

use crate::escape::{CONTEXT, Names, PREFIX, escape, escape_attribute};
use crate::input::Markup;

/// The attributes of a tag, by name. Values are escaped, names are constants.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a str)];

/// Writes `<name a="v">` and a line feed.
pub(crate) fn open(name: &str, attributes: Attributes<'_>) -> String {
    let mut out = String::with_capacity(64);
    push_open(&mut out, name, attributes);
    out.push('\n');
    out
}

/// Writes `</name>` and a line feed.
pub(crate) fn close(name: &str) -> String {
    format!("</{name}>\n")
}

/// Writes `<name a="v">` and data on its own lines; child tags may follow.
pub(crate) fn start(name: &str, attributes: Attributes<'_>, data: &str) -> String {
    let mut out = open(name, attributes);
    out.push_str(&escape(data, Names::Sections));
    out.push('\n');
    out
}

/// A tag with data on its own lines.
pub(crate) fn block(name: &str, attributes: Attributes<'_>, data: &str) -> String {
    raw_block(name, attributes, &escape(data, Names::Sections))
}

/// A tag with Jig's own text, which is not escaped.
pub(crate) fn raw_block(name: &str, attributes: Attributes<'_>, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 128);
    push_open(&mut out, name, attributes);
    out.push('\n');
    out.push_str(text);
    out.push_str("\n</");
    out.push_str(name);
    out.push_str(">\n");
    out
}

/// Writes elements and data inside a section, each tag on its own lines. Data cannot close a tag, whatever its name.
pub(crate) fn markup(out: &mut String, body: &[Markup]) {
    for one in body {
        match one {
            Markup::Text(text) => out.push_str(&escape(text, Names::Any)),
            Markup::Element { name, attributes, inside } => {
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push('\n');
                }
                let attributes: Vec<(&'static str, &str)> =
                    attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
                push_open(out, name, &attributes);
                if inside.is_empty() {
                    // An empty element is self-closing.
                    out.pop();
                    out.push_str("/>\n");
                    continue;
                }
                let lines = inside.iter().any(|one| !matches!(one, Markup::Text(text) if !text.contains('\n')));
                if lines {
                    out.push('\n');
                }
                markup(out, inside);
                if lines && matches!(inside.last(), Some(Markup::Text(_))) {
                    out.push('\n');
                }
                out.push_str("</");
                out.push_str(name);
                out.push_str(">\n");
            }
        }
    }
}

/// A tag with data on the same line, as used for parts inside `<context>`.
pub(crate) fn leaf(name: &str, attributes: Attributes<'_>, data: &str) -> String {
    let data = escape(data, Names::Any);
    let mut out = String::with_capacity(data.len() + 2 * name.len() + 8);
    push_open(&mut out, name, attributes);
    out.push_str(&data);
    out.push_str("</");
    out.push_str(name);
    out.push_str(">\n");
    out
}

fn push_open(out: &mut String, name: &str, attributes: Attributes<'_>) {
    out.push('<');
    out.push_str(name);
    for (name, value) in attributes {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        out.push_str(&escape_attribute(value));
        out.push('"');
    }
    out.push('>');
}

/// Whether a kind or field name can be a tag name: plain letters, and not one of Jig's own names.
pub(crate) fn is_tag_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    starts && plain && name.len() <= 64 && !lower.starts_with(PREFIX) && lower != CONTEXT
}
