//! Converts artifacts to and from the JSON documents of Tiptap and ProseMirror editors.
//!
//! Markdown that editors cannot represent becomes custom nodes (`htmlBlock`, `htmlInline`, `frontMatter`,
//! `metadataBlock`), so that a round trip loses nothing. Editor nodes that Markdown cannot represent are reduced to
//! their text, and reported.

mod escape;
mod inline;
mod read;
mod write;

use serde_json::Value;

/// The maximum number of round trips until a text is stable.
const ROUNDS: usize = 12;

/// A converted document, with warnings about what could not be preserved.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted<T> {
    /// The document.
    pub document: T,
    /// Warnings for people.
    pub warnings: Vec<String>,
}

/// Converts Markdown to an editor document.
pub fn from_markdown(text: &str) -> Converted<Value> {
    read::document(text)
}

/// Converts an editor document to Markdown that is stable under further round trips.
pub fn to_markdown(document: &Value) -> Result<Converted<String>, String> {
    let Converted { document: mut text, mut warnings } = write::document(document)?;
    let words = plain(&read::document(&text).document);
    for _ in 0..ROUNDS {
        let again = write::document(&read::document(&text).document)?.document;
        if again == text {
            break;
        }
        text = again;
    }
    if words != plain(document) && warnings.is_empty() {
        warnings.push("spaces, breaks or formatting that Markdown cannot say were left out".to_owned());
    }
    Ok(Converted { document: text, warnings })
}

/// The text of a document without whitespace, to check that nothing was lost.
fn plain(document: &Value) -> String {
    let mut words = String::new();
    let mut open = vec![document];
    while let Some(node) = open.pop() {
        if let Some(text) = node["text"].as_str() {
            words.extend(text.chars().filter(|c| !c.is_whitespace()));
        }
        open.extend(node["content"].as_array().into_iter().flatten().rev());
    }
    words
}
