//! Artifacts as the JSON documents of Tiptap and ProseMirror editors, both ways.
//!
//! What Markdown has and editors lack comes out as nodes of our own (`htmlBlock`, `htmlInline`, `frontMatter`,
//! `metadataBlock`), so that nothing is lost on the way there and back. What editors have and Markdown lacks is kept as
//! its text and reported.

mod escape;
mod inline;
mod read;
mod write;

use serde_json::Value;

/// How often a text is read and written again until it stays the same.
const ROUNDS: usize = 12;

/// A document that was read or written, with what could not be kept as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted<T> {
    /// The document.
    pub document: T,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// The editor's document of a Markdown text.
pub fn from_markdown(text: &str) -> Converted<Value> {
    read::document(text)
}

/// The Markdown of an editor's document. It stays the same when it is given out and taken in again.
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

/// All words of a document, without spaces.
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
