//! Writing tags. Each piece of a prompt but the messages is written here, begins with `<` and ends with a line feed.

use crate::escape::{CONTEXT, Names, PREFIX, escape, escape_attribute};
use crate::input::Markup;

/// Attributes of a tag, by name. Values are escaped, names are ours.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a str)];

/// `<name a="v">` and a line feed.
pub(crate) fn open(name: &str, attributes: Attributes<'_>) -> String {
    let mut out = String::with_capacity(64);
    push_open(&mut out, name, attributes);
    out.push('\n');
    out
}

/// `</name>` and a line feed.
pub(crate) fn close(name: &str) -> String {
    format!("</{name}>\n")
}

/// `<name a="v">` and data on lines of its own; tags inside may follow.
pub(crate) fn start(name: &str, attributes: Attributes<'_>, data: &str) -> String {
    let mut out = open(name, attributes);
    out.push_str(&escape(data, Names::Sections));
    out.push('\n');
    out
}

/// A tag with data on lines of its own.
pub(crate) fn block(name: &str, attributes: Attributes<'_>, data: &str) -> String {
    raw_block(name, attributes, &escape(data, Names::Sections))
}

/// A tag with a text of ours, which is written as it is.
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

/// Tags and data inside of a section, each tag on lines of its own. Data cannot end a tag, whatever its name.
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
                    // An element without content closes itself.
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

/// A tag with data on its own line, as parts inside `<context>` are.
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

/// Whether a kind or field can be the name of its tag: plain letters, and none of the names that are ours.
pub(crate) fn is_tag_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    starts && plain && name.len() <= 64 && !lower.starts_with(PREFIX) && lower != CONTEXT
}
