//! The prompt of a recipe: a text with placeholders.

use crate::definition::Problem;
use crate::document::{nearest, shown};

/// The placeholders of a prompt.
pub const PLACEHOLDERS: [&str; 3] = ["context", "input", "today"];

/// The prompt of a recipe that defines none.
pub(super) const DEFAULT: &str = "{{context}}\n\n{{input}}";

/// Reports unknown placeholders.
pub(super) fn unknown(prompt: &str, place: &str) -> Vec<Problem> {
    let names = pieces(prompt).filter_map(|piece| match piece {
        Piece::Place(name) if !PLACEHOLDERS.contains(&name) => Some(name),
        _ => None,
    });
    let problem = |name: &str| {
        let message =
            format!("`{{{{{}}}}}` is not a placeholder; known ones: {}", shown(name), PLACEHOLDERS.join(", "));
        Problem::new(place, message).suggest(nearest(name, PLACEHOLDERS))
    };
    names.map(problem).collect()
}

/// Fills the placeholders. Inserted text is not searched for placeholders. Without its placeholder, the context is put
/// before the prompt and the input after it, so that neither is lost.
pub fn fill(prompt: Option<&str>, context: &str, input: &str, today: &str) -> String {
    let prompt = prompt.unwrap_or(DEFAULT);
    let has = |wanted: &str| pieces(prompt).any(|piece| matches!(piece, Piece::Place(name) if name == wanted));
    let mut filled = String::new();
    if !has("context") && !context.is_empty() {
        filled = format!("{context}\n\n");
    }
    for piece in pieces(prompt) {
        match piece {
            Piece::Text(text) => filled += text,
            Piece::Place("context") => filled += context,
            Piece::Place("input") => filled += input,
            Piece::Place("today") => filled += today,
            Piece::Place(_) => {}
        }
    }
    if !has("input") && !input.is_empty() {
        filled = format!("{}\n\n{input}", filled.trim_end());
    }
    filled.trim_end().to_owned()
}

enum Piece<'a> {
    Text(&'a str),
    Place(&'a str),
}

fn pieces(prompt: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = Some(prompt);
    std::iter::from_fn(move || {
        let text = rest.filter(|text| !text.is_empty())?;
        let place = text.find("{{").and_then(|start| Some((start, start + text[start..].find("}}")?)));
        match place {
            Some((0, end)) => {
                rest = text.get(end + 2..);
                Some(Piece::Place(text[2..end].trim()))
            }
            Some((start, _)) => {
                rest = text.get(start..);
                Some(Piece::Text(&text[..start]))
            }
            None => {
                rest = None;
                Some(Piece::Text(text))
            }
        }
    })
}
