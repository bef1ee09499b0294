//! Adds a slide with a title and bullets to a presentation, and prints its outline.
//!
//! `cargo run -p jig-ooxml --example add_slide -- IN.pptx OUT.pptx`. Without files it works on a new presentation.

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use jig_file_api::read::pptx::TextQuery;
use jig_ooxml::Limits;
use jig_ooxml::edit::ApplyOptions;
use jig_ooxml::pptx::{self, Deck};
use serde_json::json;

/// Adds a slide at the end; returns the new file and the text of all slides.
pub(crate) fn add_slide(presentation: Vec<u8>) -> Result<(Vec<u8>, String), jig_ooxml::Error> {
    let slides = Deck::open(presentation.as_slice(), Limits::default())?.map()?.slide_count;
    let ops = json!([
        {"op": "add_slide", "layout": "title_and_content", "title": "Next steps"},
        {"op": "append_bullets", "index": slides, "bullets": ["Agree on the budget", "Start on Monday"]}
    ]);
    let edited = pptx::apply(Some(presentation.into()), &ops, &ApplyOptions::default())?;
    let text = Deck::open(edited.bytes.as_slice(), Limits::default())?.text(&TextQuery::default())?.text;
    Ok((edited.bytes, text))
}

/// A presentation without slides.
pub(crate) fn new_presentation() -> Result<Vec<u8>, jig_ooxml::Error> {
    pptx::blank(&ApplyOptions::default())
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let presentation = match paths.first() {
        Some(path) => std::fs::read(path)?,
        None => new_presentation()?,
    };
    let (bytes, text) = add_slide(presentation)?;
    if let Some(path) = paths.get(1) {
        std::fs::write(path, bytes)?;
    }
    println!("{text}");
    Ok(())
}
