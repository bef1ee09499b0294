//! What did not fit: complete for people, and as a short list for the model.

use crate::count::{Tokenizer, as_count};
use crate::piece::{Maker, Piece, SectionKind, Source, SourceKind};
use crate::words;
use crate::write;

/// Content that did not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The section it belongs to.
    pub section: SectionKind,
    /// Its source.
    pub source: Source,
    /// Its tokens; for something shown in part, those of the rest.
    pub tokens: u64,
    /// Why it was left out, for people.
    pub why: String,
    /// How to request it.
    pub how: String,
}

/// The token limit of the list for the model.
pub(crate) const LIST_ROOM: u64 = 500;

/// The maximum number of lines; the rest is counted.
const LINES: usize = 20;

/// The list for the model, with as many lines as fit. Files state themselves what is missing of them.
pub(crate) fn list(left_out: &[LeftOut], room: u64, tokenizer: &Tokenizer, maker: Maker<'_>) -> Option<Piece> {
    let listed: Vec<&LeftOut> = left_out.iter().filter(|one| one.section != SectionKind::Files).collect();
    if listed.is_empty() {
        return None;
    }
    let mut lines = listed.len().min(LINES);
    loop {
        let text = write::block("workbench-left-out", &[], &text(&listed, lines, tokenizer));
        let piece = maker.piece(SectionKind::LeftOut, Source::new(SourceKind::LeftOut, "list"), text);
        if piece.counted <= room {
            return Some(piece);
        }
        if lines == 0 {
            return None;
        }
        lines /= 2;
    }
}

fn text(listed: &[&LeftOut], lines: usize, tokenizer: &Tokenizer) -> String {
    let mut out = "There was no room for these. Ask for what you need.".to_owned();
    for one in listed.iter().take(lines) {
        let tokens = words::count(tokenizer.of(one.tokens), "token", "tokens");
        out.push_str(&format!("\n- {} ({tokens}): {}", on_one_line(&one.source.name), on_one_line(&one.how)));
    }
    let more = listed.len().saturating_sub(lines);
    if more > 0 {
        out.push_str(&format!("\n- {} more", words::grouped(as_count(more))));
    }
    out
}

/// A name may contain line breaks; in a list it must stay on its line.
fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
