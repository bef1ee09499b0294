//! Replaces a text in a Word document as a tracked change, and prints what a reviewer sees.
//!
//! `cargo run -p jig-ooxml --example redline_document -- IN.docx OUT.docx`. Without files it works on a new document.

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use jig_file_api::read::docx::{TextQuery, View};
use jig_ooxml::Limits;
use jig_ooxml::docx::{self, Document};
use jig_ooxml::edit::ApplyOptions;
use serde_json::json;

/// Redlines a document; returns the new file and its text with the tracked changes marked.
pub(crate) fn redline(document: Vec<u8>) -> Result<(Vec<u8>, String), jig_ooxml::Error> {
    let options = ApplyOptions { author: "Ada", now: Some("2026-01-02T03:04:05Z"), ..ApplyOptions::default() };
    let ops = json!([{"op": "replace_text", "search": "30 days", "replace": "14 days", "track_changes": true}]);
    let edited = docx::apply(Some(document.into()), &ops, &options)?;
    let reviewed = Document::open(edited.bytes.as_slice(), Limits::default())?;
    let text = reviewed.text(&TextQuery { view: View::Markup, ..TextQuery::default() })?.text;
    Ok((edited.bytes, text))
}

/// A document with one paragraph.
pub(crate) fn new_document() -> Result<Vec<u8>, jig_ooxml::Error> {
    let ops = json!([{"op": "append_paragraph", "text": "Payment is due within 30 days."}]);
    Ok(docx::apply(None, &ops, &ApplyOptions::default())?.bytes)
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let document = match paths.first() {
        Some(path) => std::fs::read(path)?,
        None => new_document()?,
    };
    let (bytes, text) = redline(document)?;
    if let Some(path) = paths.get(1) {
        std::fs::write(path, bytes)?;
    }
    println!("{text}");
    Ok(())
}
