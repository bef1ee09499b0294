//! What did not fit: for people in full, for the model as a short list.

use crate::count::{Tokenizer, as_count};
use crate::piece::{Maker, Piece, SectionKind, Source, SourceKind};
use crate::words;
use crate::write;

/// Something that did not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Where it would have been.
    pub section: SectionKind,
    /// What it is.
    pub source: Source,
    /// Its tokens; of something that is shown in part, those of the rest.
    pub tokens: u64,
    /// Why it is not in, in words.
    pub why: String,
    /// How to ask for it, in words.
    pub how: String,
}

/// How many tokens the list for the model may take.
pub(crate) const LIST_ROOM: u64 = 500;

/// How many lines it has at most. The rest is counted.
const LINES: usize = 20;

/// The list for the model: as many lines as its room takes. Files say themselves what is missing of them.
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

/// A name may hold line breaks; in a list it must not begin a line.
fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
